/*
 * doca_sha.h: capabilities, configuration, both kinds of task with each documented code, segments,
 * limits of a profile, devices without SHA, no allocation on the data path, and a program that
 * sleeps only in epoll.
 */
#include <openssl/evp.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include <doca_sha.h>

#define LEN               (64u << 10)
#define ENGINE_MEMORY_LEN (2 * LEN)
#include "tests/conformance/v3/engine.h"
#include "tests/lib/hot.h"

#define LOG_TASKS 5u
#define N_TASKS   (1u << LOG_TASKS)

#define SHA1   DOCA_SHA_ALGORITHM_SHA1
#define SHA256 DOCA_SHA_ALGORITHM_SHA256
#define SHA512 DOCA_SHA_ALGORITHM_SHA512
#define NONE   ((enum doca_sha_algorithm)3)

static const struct documented documented_doca_sha[] = {
	{"doca_sha_create", "INVALID_VALUE NO_MEMORY"},
	{"doca_sha_destroy", "INVALID_VALUE IN_USE"},
	{"doca_sha_as_ctx", ""},
	{"doca_sha_cap_task_hash_get_supported", "INVALID_VALUE NOT_SUPPORTED"},
	{"doca_sha_cap_task_partial_hash_get_supported", "INVALID_VALUE NOT_SUPPORTED"},
	{"doca_sha_cap_get_max_list_buf_num_elem", "INVALID_VALUE NOT_SUPPORTED"},
	{"doca_sha_cap_get_max_src_buf_size", "INVALID_VALUE NOT_SUPPORTED"},
	{"doca_sha_cap_get_min_dst_buf_size", "INVALID_VALUE NOT_SUPPORTED"},
	{"doca_sha_cap_get_partial_hash_block_size", "INVALID_VALUE NOT_SUPPORTED"},
	{"doca_sha_cap_get_max_num_tasks", "INVALID_VALUE"},
	{"doca_sha_task_hash_set_conf", "INVALID_VALUE BAD_STATE"},
	{"doca_sha_task_hash_alloc_init", "INVALID_VALUE NO_MEMORY BAD_STATE"},
	{"doca_sha_task_hash_set_src", "INVALID_VALUE"},
	{"doca_sha_task_hash_get_src", ""},
	{"doca_sha_task_hash_set_dst", "INVALID_VALUE"},
	{"doca_sha_task_hash_get_dst", ""},
	{"doca_sha_task_hash_set_algorithm", "INVALID_VALUE"},
	{"doca_sha_task_hash_get_algorithm", ""},
	{"doca_sha_task_hash_as_task", ""},
	{"doca_sha_task_partial_hash_set_conf", "INVALID_VALUE BAD_STATE"},
	{"doca_sha_task_partial_hash_alloc_init", "INVALID_VALUE NO_MEMORY BAD_STATE"},
	{"doca_sha_task_partial_hash_reset", "INVALID_VALUE"},
	{"doca_sha_task_partial_hash_set_src", "INVALID_VALUE"},
	{"doca_sha_task_partial_hash_get_src", ""},
	{"doca_sha_task_partial_hash_set_dst", "INVALID_VALUE BAD_STATE"},
	{"doca_sha_task_partial_hash_get_dst", ""},
	{"doca_sha_task_partial_hash_set_algorithm", "INVALID_VALUE BAD_STATE"},
	{"doca_sha_task_partial_hash_get_algorithm", ""},
	{"doca_sha_task_partial_hash_set_is_final_buf", "INVALID_VALUE BAD_STATE"},
	{"doca_sha_task_partial_hash_get_is_final", ""},
	{"doca_sha_task_partial_hash_get_has_result", ""},
	{"doca_sha_task_partial_hash_as_task", ""},
	{NULL, NULL},
};
static const struct unreachable unreachable[] = {{NULL}};

static struct doca_sha *sha;

CALLBACKS(hash, doca_sha_task_hash)
CALLBACKS(partial, doca_sha_task_partial_hash)

static void sha_open(void)
{
	OK(doca_sha_create(dev, &sha));
	OK(doca_sha_task_hash_set_conf(sha, hash_ok, hash_failed, LOG_TASKS));
	OK(doca_sha_task_partial_hash_set_conf(sha, partial_ok, partial_failed, LOG_TASKS));
	engine_start(doca_sha_as_ctx(sha));
}

static void setup(void)
{
	engine_setup(NULL, NULL);
	sha_open();
}

static void setup_bf2(void)
{
	engine_setup("[daemon]\nprofile = bf2\n", NULL);
	sha_open();
}

static void setup_bf3(void)
{
	engine_setup("[daemon]\nprofile = bf3\n", NULL);
}

static void teardown(void)
{
	if (sha != NULL) {
		EXPECT(DOCA_SUCCESS, doca_ctx_stop(ctx));
		OK(doca_sha_destroy(sha));
	}
	engine_teardown();
}

static struct doca_buf *dst_buf(size_t len)
{
	return room_buf(LEN, len);
}

static bool is_digest(const uint8_t *digest, enum doca_sha_algorithm algorithm, const void *bytes,
		      size_t n)
{
	const EVP_MD *mds[] = {EVP_sha1(), EVP_sha256(), EVP_sha512()};
	uint8_t expected[64];
	unsigned len;

	ck_assert_int_eq(EVP_Digest(bytes, n, expected, &len, mds[algorithm], NULL), 1);
	return memcmp(digest, expected, len) == 0;
}

START_TEST(test_capabilities)
{
	static const uint32_t digests[] = {20, 32, 64}, blocks[] = {64, 64, 128};
	struct doca_devinfo *info = doca_dev_as_devinfo(dev);
	uint64_t size;
	uint32_t n;

	for (unsigned a = 0; a < 3; a++) {
		PASSES(doca_sha_cap_task_hash_get_supported(info, a));
		PASSES(doca_sha_cap_task_partial_hash_get_supported(info, a));
		PASSES(doca_sha_cap_get_min_dst_buf_size(info, a, &n));
		ck_assert_uint_eq(n, digests[a]);
		PASSES(doca_sha_cap_get_partial_hash_block_size(info, a, &n));
		ck_assert_uint_eq(n, blocks[a]);
	}
	PASSES(doca_sha_cap_get_max_list_buf_num_elem(info, &n));
	ck_assert_uint_ge(n, 64);
	PASSES(doca_sha_cap_get_max_src_buf_size(info, &size));
	ck_assert_uint_eq(size, (UINT64_C(1) << 61) - 1);
	PASSES(doca_sha_cap_get_max_num_tasks(sha, &n));
	ck_assert_uint_ge(n, N_TASKS);
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_sha_cap_task_hash_get_supported(NULL, SHA1));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_sha_cap_task_hash_get_supported(info, NONE));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_sha_cap_task_partial_hash_get_supported(NULL, SHA1));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_sha_cap_task_partial_hash_get_supported(info, NONE));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_sha_cap_get_max_list_buf_num_elem(NULL, &n));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_sha_cap_get_max_list_buf_num_elem(info, NULL));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_sha_cap_get_max_src_buf_size(NULL, &size));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_sha_cap_get_max_src_buf_size(info, NULL));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_sha_cap_get_min_dst_buf_size(NULL, SHA1, &n));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_sha_cap_get_min_dst_buf_size(info, NONE, &n));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_sha_cap_get_min_dst_buf_size(info, SHA1, NULL));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_sha_cap_get_partial_hash_block_size(NULL, SHA1, &n));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_sha_cap_get_partial_hash_block_size(info, NONE, &n));
	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_sha_cap_get_partial_hash_block_size(info, SHA1, NULL));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_sha_cap_get_max_num_tasks(NULL, &n));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_sha_cap_get_max_num_tasks(sha, NULL));
}
END_TEST

START_TEST(test_configuration)
{
	struct doca_buf *src = data_buf(0, 8), *dst = dst_buf(64);
	struct doca_sha_task_partial_hash *partial;
	struct doca_sha_task_hash *hash;
	struct doca_sha *other, *none = NULL;

	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_sha_create(NULL, &other));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_sha_create(dev, NULL));
	if (allocount_works)
		RUNS_OUT(0, doca_sha_create(dev, &other));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_sha_destroy(none));
	ck_assert_ptr_null(CALLED(doca_sha_as_ctx(none)));
	PASSES(doca_sha_create(dev, &other));
	ck_assert_ptr_nonnull(CALLED(doca_sha_as_ctx(other)));
	/* No kind of task is configured. */
	OK(doca_pe_connect_ctx(pe, doca_sha_as_ctx(other)));
	EXPECT(DOCA_ERROR_INITIALIZATION, doca_ctx_start(doca_sha_as_ctx(other)));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_sha_task_hash_set_conf(none, hash_ok, hash_ok, 0));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_sha_task_hash_set_conf(other, NULL, hash_ok, 0));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_sha_task_hash_set_conf(other, hash_ok, NULL, 0));
	for (unsigned n = 21; n < 256; n += 11)
		RETURNS(DOCA_ERROR_INVALID_VALUE,
			doca_sha_task_hash_set_conf(other, hash_ok, hash_ok, (uint8_t)n));
	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_sha_task_partial_hash_set_conf(none, partial_ok, partial_ok, 0));
	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_sha_task_partial_hash_set_conf(other, NULL, partial_ok, 0));
	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_sha_task_partial_hash_set_conf(other, partial_ok, NULL, 0));
	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_sha_task_partial_hash_set_conf(other, partial_ok, partial_ok, 255));
	/* One configured kind is enough; tasks of the other kind cannot be allocated. */
	PASSES(doca_sha_task_hash_set_conf(other, hash_ok, hash_failed, 0));
	RETURNS(DOCA_ERROR_BAD_STATE,
		doca_sha_task_hash_alloc_init(other, SHA1, src, dst, no_data, &hash));
	RETURNS(DOCA_ERROR_BAD_STATE,
		doca_sha_task_partial_hash_alloc_init(other, SHA1, src, dst, no_data, &partial));
	OK(doca_ctx_start(doca_sha_as_ctx(other)));
	RETURNS(DOCA_ERROR_NO_MEMORY,
		doca_sha_task_partial_hash_alloc_init(other, SHA1, src, dst, no_data, &partial));
	RETURNS(DOCA_ERROR_IN_USE, doca_sha_destroy(other));
	RETURNS(DOCA_ERROR_BAD_STATE, doca_sha_task_hash_set_conf(other, hash_ok, hash_failed, 0));
	RETURNS(DOCA_ERROR_BAD_STATE,
		doca_sha_task_partial_hash_set_conf(other, partial_ok, partial_failed, 0));
	OK(doca_ctx_stop(doca_sha_as_ctx(other)));
	PASSES(doca_sha_destroy(other));
	use_buf_end(src);
	use_buf_end(dst);
}
END_TEST

START_TEST(test_hash_tasks)
{
	struct doca_buf *a = data_buf(0, 100), *b = data_buf(200, 999), *dst = dst_buf(1024);
	struct doca_sha_task_hash *tasks[N_TASKS], *one, *none = NULL;
	struct doca_sha *no_sha = NULL;

	use_fill(memory, LEN, 1);
	keeps_tasks = true;
	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_sha_task_hash_alloc_init(no_sha, SHA1, a, dst, no_data, &one));
	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_sha_task_hash_alloc_init(sha, SHA1, NULL, dst, no_data, &one));
	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_sha_task_hash_alloc_init(sha, SHA1, a, NULL, no_data, &one));
	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_sha_task_hash_alloc_init(sha, SHA1, a, dst, no_data, NULL));
	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_sha_task_hash_alloc_init(sha, NONE, a, dst, no_data, &one));
	for (unsigned i = 0; i < N_TASKS; i++)
		PASSES(doca_sha_task_hash_alloc_init(sha, SHA1, a, dst, no_data, &tasks[i]));
	RETURNS(DOCA_ERROR_NO_MEMORY,
		doca_sha_task_hash_alloc_init(sha, SHA1, a, dst, no_data, &one));
	one = tasks[0];
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_sha_task_hash_set_src(none, b));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_sha_task_hash_set_src(one, NULL));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_sha_task_hash_set_dst(none, dst));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_sha_task_hash_set_dst(one, NULL));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_sha_task_hash_set_algorithm(none, SHA1));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_sha_task_hash_set_algorithm(one, NONE));
	ck_assert_ptr_null(CALLED(doca_sha_task_hash_as_task(none)));
	PASSES(doca_sha_task_hash_set_src(one, b));
	PASSES(doca_sha_task_hash_set_dst(one, dst));
	PASSES(doca_sha_task_hash_set_algorithm(one, SHA512));
	ck_assert_ptr_eq(CALLED(doca_sha_task_hash_get_src(one)), b);
	ck_assert_ptr_eq(CALLED(doca_sha_task_hash_get_dst(one)), dst);
	ck_assert_int_eq(CALLED(doca_sha_task_hash_get_algorithm(one)), SHA512);
	/* Each digest is appended after the previous one. */
	EXPECT(DOCA_SUCCESS, run(doca_sha_task_hash_as_task(one)));
	EXPECT(DOCA_SUCCESS, run(doca_sha_task_hash_as_task(tasks[1])));
	PASSES(doca_sha_task_hash_set_algorithm(one, SHA256));
	EXPECT(DOCA_SUCCESS, run(doca_sha_task_hash_as_task(one)));
	ck_assert_uint_eq(data_len(dst), 64 + 20 + 32);
	ck_assert(is_digest(memory + LEN, SHA512, memory + 200, 999));
	ck_assert(is_digest(memory + LEN + 64, SHA1, memory, 100));
	ck_assert(is_digest(memory + LEN + 84, SHA256, memory + 200, 999));
	for (unsigned i = 0; i < N_TASKS; i++)
		doca_task_free(doca_sha_task_hash_as_task(tasks[i]));
	use_buf_end(a);
	use_buf_end(b);
	use_buf_end(dst);
}
END_TEST

START_TEST(test_partial_tasks)
{
	struct doca_buf *src = data_buf(0, LEN), *dst = dst_buf(1024);
	struct doca_sha_task_partial_hash *tasks[N_TASKS], *one, *none = NULL;
	struct doca_sha *no_sha = NULL;

	use_fill(memory, LEN, 1);
	keeps_tasks = true;
	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_sha_task_partial_hash_alloc_init(no_sha, SHA1, src, dst, no_data, &one));
	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_sha_task_partial_hash_alloc_init(sha, SHA1, NULL, dst, no_data, &one));
	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_sha_task_partial_hash_alloc_init(sha, SHA1, src, NULL, no_data, &one));
	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_sha_task_partial_hash_alloc_init(sha, SHA1, src, dst, no_data, NULL));
	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_sha_task_partial_hash_alloc_init(sha, NONE, src, dst, no_data, &one));
	for (unsigned i = 0; i < N_TASKS; i++)
		PASSES(doca_sha_task_partial_hash_alloc_init(sha, SHA1, src, dst, no_data,
							     &tasks[i]));
	RETURNS(DOCA_ERROR_NO_MEMORY,
		doca_sha_task_partial_hash_alloc_init(sha, SHA1, src, dst, no_data, &one));
	one = tasks[0];
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_sha_task_partial_hash_set_src(none, src));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_sha_task_partial_hash_set_src(one, NULL));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_sha_task_partial_hash_set_dst(none, dst));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_sha_task_partial_hash_set_dst(one, NULL));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_sha_task_partial_hash_set_algorithm(none, SHA1));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_sha_task_partial_hash_set_algorithm(one, NONE));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_sha_task_partial_hash_set_is_final_buf(none));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_sha_task_partial_hash_reset(none));
	ck_assert_ptr_null(CALLED(doca_sha_task_partial_hash_as_task(none)));
	PASSES(doca_sha_task_partial_hash_set_algorithm(one, SHA256));
	PASSES(doca_sha_task_partial_hash_set_dst(one, dst));
	ck_assert_int_eq(CALLED(doca_sha_task_partial_hash_get_algorithm(one)), SHA256);
	ck_assert_ptr_eq(CALLED(doca_sha_task_partial_hash_get_dst(one)), dst);
	/* Segments of 64, 128, 192, ... bytes, then the last 1000 bytes, an odd length. */
	for (size_t at = 0, n = 64; n <= 640; at += n, n += 64) {
		bool is_last = n == 640;

		OK(doca_buf_set_data(src, memory + at, is_last ? 1001 : n));
		PASSES(doca_sha_task_partial_hash_set_src(one, src));
		ck_assert_ptr_eq(CALLED(doca_sha_task_partial_hash_get_src(one)), src);
		if (is_last)
			PASSES(doca_sha_task_partial_hash_set_is_final_buf(one));
		ck_assert_uint_eq(CALLED(doca_sha_task_partial_hash_get_is_final(one)), is_last);
		EXPECT(DOCA_SUCCESS, run(doca_sha_task_partial_hash_as_task(one)));
		ck_assert_uint_eq(CALLED(doca_sha_task_partial_hash_get_has_result(one)), is_last);
		/* The task is in flight or complete. */
		RETURNS(DOCA_ERROR_BAD_STATE, doca_sha_task_partial_hash_set_dst(one, dst));
		RETURNS(DOCA_ERROR_BAD_STATE, doca_sha_task_partial_hash_set_algorithm(one, SHA1));
		ck_assert_uint_eq(data_len(dst), is_last ? 32 : 0);
	}
	ck_assert(is_digest(memory + LEN, SHA256, memory, 64 * 45 + 1001));
	RETURNS(DOCA_ERROR_BAD_STATE, doca_sha_task_partial_hash_set_is_final_buf(one));
	PASSES(doca_sha_task_partial_hash_reset(one));
	/* A submitted task cannot be changed. */
	OK(doca_buf_set_data(src, memory, 64));
	OK(doca_task_submit(doca_sha_task_partial_hash_as_task(one)));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_sha_task_partial_hash_reset(one));
	RETURNS(DOCA_ERROR_BAD_STATE, doca_sha_task_partial_hash_set_is_final_buf(one));
	while (doca_pe_progress(pe) == 0)
		continue;
	/* Both try_submit and the queue detect a wrong length. */
	OK(doca_buf_set_data_len(src, 65));
	EXPECT(DOCA_ERROR_INVALID_VALUE,
	       doca_task_try_submit(doca_sha_task_partial_hash_as_task(one)));
	keeps_tasks = false;
	for (unsigned i = 1; i < N_TASKS; i++)
		doca_task_free(doca_sha_task_partial_hash_as_task(tasks[i]));
	EXPECT(DOCA_ERROR_IO_FAILED, run(doca_sha_task_partial_hash_as_task(one)));
	use_buf_end(src);
	use_buf_end(dst);
}
END_TEST

/*
 * Tasks of both kinds and all algorithms, with their own buffers, allocate no memory and take no
 * lock.
 */
START_TEST(test_no_allocation)
{
	unsigned n = allocount_works ? 200000 : 3000;

	hot_begin();
	for (unsigned i = 0; i < n; i++) {
		struct doca_buf *src, *dst;
		struct doca_task *task;
		doca_error_t result;

		result = doca_buf_inventory_buf_get_by_data(inventory, mmap, memory + i % 64, 64,
							    &src);
		result |= doca_buf_inventory_buf_get_by_addr(inventory, mmap, memory + LEN, 64,
							     &dst);
		if (i % 2 == 0) {
			struct doca_sha_task_hash *t;

			result |= doca_sha_task_hash_alloc_init(sha, i / 2 % 3, src, dst, no_data,
								&t);
			task = doca_sha_task_hash_as_task(t);
		} else {
			struct doca_sha_task_partial_hash *t;

			result |= doca_sha_task_partial_hash_alloc_init(sha, i / 2 % 3, src, dst,
									no_data, &t);
			result |= doca_sha_task_partial_hash_set_is_final_buf(t);
			task = doca_sha_task_partial_hash_as_task(t);
		}
		result |= doca_task_submit(task);
		while (doca_pe_progress(pe) == 0)
			continue;
		result |= doca_buf_dec_refcount(src, NULL);
		result |= doca_buf_dec_refcount(dst, NULL);
		if (result != DOCA_SUCCESS)
			ck_abort_msg("task %u: %s", i, dococ_last_error());
	}
	hot_end();
	ck_assert_uint_eq(n_ok, n);
}
END_TEST

/* --- event-driven --- */

static struct {
	struct doca_buf *src[N_TASKS], *dst[N_TASKS];
	struct doca_sha_task_hash *tasks[N_TASKS];
	struct doca_sha_task_hash *idle[N_TASKS];
	unsigned n_idle, n_done;
	uint64_t seed;
} loop;

static unsigned random_below(unsigned n)
{
	loop.seed = loop.seed * 6364136223846793005u + 1442695040888963407u;
	return (unsigned)(loop.seed >> 33) % n;
}

/* Some tasks are submitted again at once, some only after the program wakes. */
static void loop_done(struct doca_sha_task_hash *task, union doca_data data,
		      union doca_data ctx_data)
{
	(void)ctx_data;
	loop.n_done++;
	doca_buf_reset_data_len(loop.dst[data.u64]);
	if (random_below(4) != 0 ||
	    doca_task_submit(doca_sha_task_hash_as_task(task)) != DOCA_SUCCESS)
		loop.idle[loop.n_idle++] = task;
}

static void loop_submit(void)
{
	unsigned n = 1 + random_below(loop.n_idle);

	while (n-- > 0)
		OK(doca_task_submit(doca_sha_task_hash_as_task(loop.idle[--loop.n_idle])));
}

/*
 * Sleeps only in epoll, without a timeout, so a lost wake-up would hang. Work is submitted before
 * arming, after it, and from callbacks.
 */
START_TEST(test_epoll)
{
	const unsigned n_events = allocount_works ? 1000000 : 20000;
	struct epoll_event event = {.events = EPOLLIN};
	doca_notification_handle_t handle;
	int epoll_fd = epoll_create1(EPOLL_CLOEXEC);

	OK(doca_ctx_stop(ctx));
	OK(doca_sha_task_hash_set_conf(sha, loop_done, hash_failed, LOG_TASKS));
	OK(doca_ctx_start(ctx));
	OK(doca_pe_get_notification_handle(pe, &handle));
	ck_assert_int_eq(epoll_ctl(epoll_fd, EPOLL_CTL_ADD, handle, &event), 0);
	loop.seed = 7;
	for (unsigned i = 0; i < N_TASKS; i++) {
		loop.src[i] = data_buf(i * 64, 1 + i);
		OK(doca_buf_inventory_buf_get_by_addr(inventory, mmap, memory + LEN + i * 32, 32,
						      &loop.dst[i]));
		OK(doca_sha_task_hash_alloc_init(sha, SHA256, loop.src[i], loop.dst[i],
						 (union doca_data){.u64 = i}, &loop.tasks[i]));
		loop.idle[loop.n_idle++] = loop.tasks[i];
	}
	/* There is no work: nothing wakes the program. */
	OK(doca_pe_request_notification(pe));
	ck_assert_int_eq(epoll_wait(epoll_fd, &event, 1, 0), 0);
	OK(doca_pe_clear_notification(pe, 0));
	while (loop.n_done < n_events) {
		bool is_early = random_below(2);

		if (is_early)
			loop_submit();
		OK(doca_pe_request_notification(pe));
		if (!is_early)
			loop_submit();
		ck_assert_int_eq(epoll_wait(epoll_fd, &event, 1, -1), 1);
		OK(doca_pe_clear_notification(pe, 0));
		while (doca_pe_progress(pe))
			continue;
		ck_assert_uint_eq(loop.n_idle, N_TASKS);
	}
	ck_assert_uint_eq(n_failed, 0);
	for (unsigned i = 0; i < N_TASKS; i++) {
		ck_assert(is_digest(memory + LEN + i * 32, SHA256, memory + i * 64, 1 + i));
		doca_task_free(doca_sha_task_hash_as_task(loop.tasks[i]));
		use_buf_end(loop.src[i]);
		use_buf_end(loop.dst[i]);
	}
	close(epoll_fd);
}
END_TEST

/* --- the limits of a BlueField-2 --- */

START_TEST(test_bf2_limits)
{
	struct doca_devinfo *info = doca_dev_as_devinfo(dev);
	struct doca_buf *src = data_buf(0, 1), *dst = dst_buf(64);
	struct doca_sha_task_hash *t;
	struct doca_sha *other;
	uint64_t size;
	uint32_t n;

	OK(doca_sha_cap_get_max_src_buf_size(info, &size));
	ck_assert_uint_eq(size, UINT64_C(2) << 30);
	OK(doca_sha_cap_get_max_list_buf_num_elem(info, &n));
	ck_assert_uint_eq(n, 128);
	OK(doca_sha_create(dev, &other));
	OK(doca_sha_cap_get_max_num_tasks(other, &n));
	ck_assert_uint_eq(n, 65536);
	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_sha_task_hash_set_conf(other, hash_ok, hash_failed, 17));
	PASSES(doca_sha_task_hash_set_conf(other, hash_ok, hash_failed, 16));
	OK(doca_sha_destroy(other));

	for (unsigned i = 1; i < 128; i++)
		OK(doca_buf_chain_list(src, data_buf(i, 1)));
	OK(doca_sha_task_hash_alloc_init(sha, SHA1, src, dst, no_data, &t));
	EXPECT(DOCA_SUCCESS, run(doca_sha_task_hash_as_task(t)));
	ck_assert(is_digest(memory + LEN, SHA1, memory, 128));
	OK(doca_buf_chain_list(src, data_buf(128, 1)));
	OK(doca_sha_task_hash_alloc_init(sha, SHA1, src, dst, no_data, &t));
	EXPECT(DOCA_ERROR_INVALID_VALUE, doca_task_try_submit(doca_sha_task_hash_as_task(t)));
	EXPECT(DOCA_ERROR_IO_FAILED, run(doca_sha_task_hash_as_task(t)));
	ck_assert_uint_eq(data_len(dst), 20);
	use_buf_end(src);
	use_buf_end(dst);
}
END_TEST

/* --- devices with few capabilities or none --- */

/* A BlueField-3 has no SHA engine. */
START_TEST(test_bf3_has_none)
{
	struct doca_devinfo *info = doca_dev_as_devinfo(dev);
	struct doca_sha *other;
	uint64_t size;

	for (unsigned i = 0; i < 3; i++) {
		RETURNS(DOCA_ERROR_NOT_SUPPORTED,
			doca_sha_cap_task_hash_get_supported(info, (enum doca_sha_algorithm)i));
		RETURNS(DOCA_ERROR_NOT_SUPPORTED, doca_sha_cap_task_partial_hash_get_supported(
							  info, (enum doca_sha_algorithm)i));
	}
	RETURNS(DOCA_ERROR_NOT_SUPPORTED, doca_sha_cap_get_max_src_buf_size(info, &size));
	RETURNS(DOCA_ERROR_NOT_SUPPORTED, doca_sha_create(dev, &other));
}
END_TEST

static void setup_without(void)
{
	engine_setup(NULL, "[topology]\nside = host\n"
			   "[device pf0]\npci = 0b:00.0\nsha = 0\nsha_partial = 0\n"
			   "[device pf1]\npci = 0b:00.1\nsha = 2\nsha_partial = 4\n");
}

START_TEST(test_without)
{
	struct doca_devinfo *info = doca_dev_as_devinfo(dev);
	struct doca_dev *some = use_dev(USE_HOST_PF1);
	struct doca_devinfo *some_info = doca_dev_as_devinfo(some);
	struct doca_buf *src = data_buf(0, 1), *dst = dst_buf(64);
	struct doca_sha_task_partial_hash *partial;
	struct doca_sha_task_hash *hash;
	struct doca_sha *other;
	uint64_t size;
	uint32_t n;

	RETURNS(DOCA_ERROR_NOT_SUPPORTED, doca_sha_create(dev, &other));
	RETURNS(DOCA_ERROR_NOT_SUPPORTED, doca_sha_cap_task_hash_get_supported(info, SHA1));
	RETURNS(DOCA_ERROR_NOT_SUPPORTED, doca_sha_cap_task_partial_hash_get_supported(info, SHA1));
	RETURNS(DOCA_ERROR_NOT_SUPPORTED, doca_sha_cap_get_max_list_buf_num_elem(info, &n));
	RETURNS(DOCA_ERROR_NOT_SUPPORTED, doca_sha_cap_get_max_src_buf_size(info, &size));
	RETURNS(DOCA_ERROR_NOT_SUPPORTED, doca_sha_cap_get_min_dst_buf_size(info, SHA1, &n));
	RETURNS(DOCA_ERROR_NOT_SUPPORTED, doca_sha_cap_get_partial_hash_block_size(info, SHA1, &n));
	/* Supports whole digests of SHA-256 and partial ones of SHA-512. */
	PASSES(doca_sha_cap_task_hash_get_supported(some_info, SHA256));
	RETURNS(DOCA_ERROR_NOT_SUPPORTED, doca_sha_cap_task_hash_get_supported(some_info, SHA512));
	PASSES(doca_sha_cap_task_partial_hash_get_supported(some_info, SHA512));
	PASSES(doca_sha_cap_get_min_dst_buf_size(some_info, SHA512, &n));
	RETURNS(DOCA_ERROR_NOT_SUPPORTED, doca_sha_cap_get_min_dst_buf_size(some_info, SHA1, &n));
	RETURNS(DOCA_ERROR_NOT_SUPPORTED,
		doca_sha_cap_get_partial_hash_block_size(some_info, SHA256, &n));
	OK(doca_sha_create(some, &other));
	OK(doca_sha_task_hash_set_conf(other, hash_ok, hash_failed, 0));
	OK(doca_sha_task_partial_hash_set_conf(other, partial_ok, partial_failed, 0));
	OK(doca_pe_connect_ctx(pe, doca_sha_as_ctx(other)));
	OK(doca_ctx_start(doca_sha_as_ctx(other)));
	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_sha_task_hash_alloc_init(other, SHA512, src, dst, no_data, &hash));
	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_sha_task_partial_hash_alloc_init(other, SHA256, src, dst, no_data, &partial));
	OK(doca_sha_task_hash_alloc_init(other, SHA256, src, dst, no_data, &hash));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_sha_task_hash_set_algorithm(hash, SHA512));
	OK(doca_sha_task_partial_hash_alloc_init(other, SHA512, src, dst, no_data, &partial));
	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_sha_task_partial_hash_set_algorithm(partial, SHA256));
	doca_task_free(doca_sha_task_hash_as_task(hash));
	doca_task_free(doca_sha_task_partial_hash_as_task(partial));
	OK(doca_ctx_stop(doca_sha_as_ctx(other)));
	OK(doca_sha_destroy(other));
	OK(doca_dev_close(some));
	use_buf_end(src);
	use_buf_end(dst);
}
END_TEST

static bool finish(void)
{
	return cover_report("doca_sha", documented_doca_sha, unreachable);
}

static void add_cases(Suite *suite)
{
	TCase *tcase = engine_case(suite, "sha", setup, teardown);

	tcase_add_test(tcase, test_capabilities);
	tcase_add_test(tcase, test_configuration);
	tcase_add_test(tcase, test_hash_tasks);
	tcase_add_test(tcase, test_partial_tasks);
	tcase_add_test(tcase, test_no_allocation);
	tcase_add_test(tcase, test_epoll);
	tcase_add_test(engine_case(suite, "bf2", setup_bf2, teardown), test_bf2_limits);
	tcase_add_test(engine_case(suite, "bf3", setup_bf3, teardown), test_bf3_has_none);
	tcase_add_test(engine_case(suite, "without", setup_without, teardown), test_without);
}

int main(void)
{
	lab_require();
	cover_init();
	return runner_main("doca_sha", add_cases, finish);
}
