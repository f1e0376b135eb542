/*
 * SHA: known results; random messages in random lists of mapped memory and of a toy peer's memory,
 * compared with libcrypto; segments of a partial hash; faults and limits.
 */
#include <openssl/evp.h>

#include <doca_sha.h>

#include "tests/unit/client/toy_peer.h"

#define LOG_TASKS 3

static uint8_t message[LEN];
static struct doca_pe *pe;
static struct doca_sha *sha;
static struct doca_ctx *ctx;
static unsigned n_ok, n_failed;
static doca_error_t status;
static bool keeps_tasks;

static void completed(struct doca_task *task, bool ok)
{
	status = doca_task_get_status(task);
	n_ok += ok;
	n_failed += !ok;
	if (!keeps_tasks)
		doca_task_free(task);
}

static void hash_ok(struct doca_sha_task_hash *task, union doca_data user_data,
		    union doca_data ctx_user_data)
{
	(void)user_data;
	(void)ctx_user_data;
	completed(doca_sha_task_hash_as_task(task), true);
}

static void hash_failed(struct doca_sha_task_hash *task, union doca_data user_data,
			union doca_data ctx_user_data)
{
	(void)user_data;
	(void)ctx_user_data;
	completed(doca_sha_task_hash_as_task(task), false);
}

static void partial_ok(struct doca_sha_task_partial_hash *task, union doca_data user_data,
		       union doca_data ctx_user_data)
{
	(void)user_data;
	(void)ctx_user_data;
	completed(doca_sha_task_partial_hash_as_task(task), true);
}

static void partial_failed(struct doca_sha_task_partial_hash *task, union doca_data user_data,
			   union doca_data ctx_user_data)
{
	(void)user_data;
	(void)ctx_user_data;
	completed(doca_sha_task_partial_hash_as_task(task), false);
}

static void sha_open(void)
{
	ck_ok(doca_sha_create(&unit_dev, &sha));
	ctx = doca_sha_as_ctx(sha);
	ck_ok(doca_sha_task_hash_set_conf(sha, hash_ok, hash_failed, LOG_TASKS));
	ck_ok(doca_sha_task_partial_hash_set_conf(sha, partial_ok, partial_failed, LOG_TASKS));
	ck_ok(doca_pe_connect_ctx(pe, ctx));
	ck_ok(doca_ctx_start(ctx));
}

static void sha_close(void)
{
	doca_error_t result = doca_ctx_stop(ctx);

	if (result != DOCA_ERROR_IN_PROGRESS)
		ck_ok(result);
	unit_progress(pe);
	ck_ok(doca_sha_destroy(sha));
}

static void setup(void)
{
	unit_info.caps.sha_algorithms = unit_info.caps.sha_partial_algorithms = 7;
	unit_info.caps.sha_max_src_size = UINT64_MAX;
	unit_info.caps.sha_max_list_len = UINT32_MAX;
	unit_info.caps.sha_max_tasks = 4096;
	ck_ok(doca_pe_create(&pe));
	sha_open();
	memories_open();
}

static void teardown(void)
{
	sha_close();
	memories_close();
	ck_ok(doca_pe_destroy(pe));
	ck_assert_uint_eq(unit_dev.n_users, 0);
}

static struct doca_task *hash_task(unsigned algorithm, const struct doca_buf *src,
				   struct doca_buf *dst)
{
	struct doca_sha_task_hash *task;

	ck_ok(doca_sha_task_hash_alloc_init(sha, algorithm, src, dst, (union doca_data){.u64 = 0},
					    &task));
	ck_assert_ptr_eq(doca_sha_task_hash_get_src(task), src);
	ck_assert_ptr_eq(doca_sha_task_hash_get_dst(task), dst);
	ck_assert_uint_eq(doca_sha_task_hash_get_algorithm(task), algorithm);
	return doca_sha_task_hash_as_task(task);
}

static struct doca_sha_task_partial_hash *partial_task(unsigned algorithm,
						       const struct doca_buf *src,
						       struct doca_buf *dst)
{
	struct doca_sha_task_partial_hash *task;

	ck_ok(doca_sha_task_partial_hash_alloc_init(sha, algorithm, src, dst,
						    (union doca_data){.u64 = 0}, &task));
	ck_assert_uint_eq(doca_sha_task_partial_hash_get_is_final(task), 0);
	ck_assert_uint_eq(doca_sha_task_partial_hash_get_has_result(task), 0);
	return task;
}

/* Completes the task. Restarts the context if the task stopped it. */
static doca_error_t run(struct doca_task *task)
{
	ck_ok(doca_task_submit(task));
	unit_progress(pe);
	if (unit_state(ctx) == IDLE)
		ck_ok(doca_ctx_start(ctx));
	return status;
}

static doca_error_t hash(unsigned algorithm, const struct doca_buf *src, struct doca_buf *dst)
{
	return run(hash_task(algorithm, src, dst));
}

static const size_t digest_len[] = {20, 32, 64}, block_len[] = {64, 64, 128};

static void reference(unsigned algorithm, const void *bytes, size_t n, uint8_t digest[64])
{
	const EVP_MD *mds[] = {EVP_sha1(), EVP_sha256(), EVP_sha512()};
	unsigned len;

	ck_assert_int_eq(EVP_Digest(bytes, n, digest, &len, mds[algorithm], NULL), 1);
	ck_assert_uint_eq(len, digest_len[algorithm]);
}

static const struct {
	const char *text;
	const char *hex[3];
} answers[] = {
	{"",
	 {"da39a3ee5e6b4b0d3255bfef95601890afd80709",
	  "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
	  "cf83e1357eefb8bdf1542850d66d8007d620e4050b5715dc83f4a921d36ce9ce"
	  "47d0d13c5d85f2b0ff8318d2877eec2f63b931bd47417a81a538327af927da3e"}},
	{"abc",
	 {"a9993e364706816aba3e25717850c26c9cd0d89d",
	  "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
	  "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a"
	  "2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f"}},
	{"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
	 {"84983e441c3bd26ebaae4aa1f95129e5e54670f1",
	  "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1",
	  "204a8fc6dda82f0a0ced7beb8e08a41657c16ef468b228a8279be331a703c335"
	  "96fd15c13b1b07f9aa1d3bea57789ca031ad85c7a71dd70354ec631238ca3445"}},
};

static void ck_hex(const uint8_t *bytes, const char *hex)
{
	char text[2 * 64 + 1];

	for (size_t i = 0; i < strlen(hex) / 2; i++)
		snprintf(text + 2 * i, 3, "%02x", bytes[i]);
	ck_assert_str_eq(text, hex);
}

/* The vectors of FIPS 180, each as one message and as a partial hash with one segment. */
START_TEST(known_answers)
{
	for (size_t i = 0; i < ARRAY_LEN(answers); i++) {
		for (unsigned a = 0; a < 3; a++) {
			struct doca_buf *src = src_of(answers[i].text, strlen(answers[i].text));
			struct doca_buf *dst = dst_of(200);
			struct doca_sha_task_partial_hash *partial;

			ck_ok(hash(a, src, dst));
			ck_assert_uint_eq(dst->data_len, digest_len[a]);
			ck_hex(ours + LEN / 2, answers[i].hex[a]);
			/* The digest is appended. */
			partial = partial_task(a, src, dst);
			ck_ok(doca_sha_task_partial_hash_set_is_final_buf(partial));
			ck_ok(run(doca_sha_task_partial_hash_as_task(partial)));
			ck_assert_uint_eq(dst->data_len, 2 * digest_len[a]);
			ck_hex(ours + LEN / 2 + digest_len[a], answers[i].hex[a]);
			unit_put(src);
			unit_put(dst);
		}
	}
}
END_TEST

/* A million letters a, in one buffer and in a list. */
START_TEST(a_million)
{
	const char *hex = "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0";
	struct doca_buf *src = NULL, *dst;

	memset(ours, 'a', 250000);
	for (size_t i = 0; i < 4; i++)
		src = unit_chain(src, unit_buf(inventory, mmap, ours, 250000, 0, 250000));
	dst = dst_of(32);
	ck_ok(hash(DOCA_SHA_ALGORITHM_SHA256, src, dst));
	ck_hex(ours + LEN / 2, hex);
	unit_put(src);
	unit_put(dst);
}
END_TEST

static void ck_digest(unsigned algorithm, size_t n)
{
	uint8_t expected[64];

	reference(algorithm, message, n, expected);
	ck_room(expected, digest_len[algorithm]);
}

static size_t random_len(uint64_t *seed)
{
	static const size_t scales[] = {2, 70, 300, 5000, 300000};

	return unit_random(seed) % scales[unit_random(seed) % ARRAY_LEN(scales)];
}

START_TEST(random_lists_match_libcrypto)
{
	uint64_t seed = 500 + (uint64_t)_i;

	for (int round = 0; round < 150; round++) {
		unsigned a = (unsigned)(unit_random(&seed) % 3);
		size_t n = random_len(&seed);
		struct doca_buf *src = random_src(&seed, n, message);

		random_dst(&seed, digest_len[a]);
		toy.n_cuts = (unsigned)(unit_random(&seed) % 4);
		toy.cut = 1 + unit_random(&seed) % 5000;
		ck_ok(hash(a, src, room.list));
		ck_digest(a, n);
		unit_put(src);
		unit_put(room.list);
	}
}
END_TEST

/* Segments of random lengths, two messages per task, several tasks mixed. */
START_TEST(random_segments_match_libcrypto)
{
	uint64_t seed = 900 + (uint64_t)_i;

	keeps_tasks = true;
	for (int round = 0; round < 60; round++) {
		unsigned a = (unsigned)(unit_random(&seed) % 3);
		struct doca_sha_task_partial_hash *task = NULL;

		for (int again = 0; again < 2; again++) {
			size_t n_segments = 1 + unit_random(&seed) % 6, total = 0;

			random_dst(&seed, digest_len[a]);
			for (size_t i = 0; i < n_segments; i++) {
				bool is_last = i + 1 == n_segments;
				size_t n = random_len(&seed) / 10;
				struct doca_buf *src;

				n -= is_last ? 0 : n % block_len[a];
				src = random_src(&seed, n, message + total);
				total += n;
				if (task == NULL) {
					task = partial_task(a, src, room.list);
				} else if (i == 0) {
					ck_ok(doca_sha_task_partial_hash_reset(task));
					ck_ok(doca_sha_task_partial_hash_set_algorithm(task, a));
					ck_ok(doca_sha_task_partial_hash_set_dst(task, room.list));
				}
				ck_ok(doca_sha_task_partial_hash_set_src(task, src));
				if (is_last)
					ck_ok(doca_sha_task_partial_hash_set_is_final_buf(task));
				ck_ok(run(doca_sha_task_partial_hash_as_task(task)));
				ck_assert_uint_eq(doca_sha_task_partial_hash_get_has_result(task),
						  is_last);
				ck_assert_uint_eq(unit_data_len(room.list) - room.before,
						  is_last ? digest_len[a] : 0);
				unit_put(src);
			}
			ck_digest(a, total);
			unit_put(room.list);
			a = (unsigned)(unit_random(&seed) % 3);
		}
		doca_task_free(doca_sha_task_partial_hash_as_task(task));
	}
	keeps_tasks = false;
}
END_TEST

/* Two partial hashes, and complete hashes between their segments, do not affect each other. */
START_TEST(messages_are_apart)
{
	struct doca_buf *src[2], *dst[3];
	struct doca_sha_task_partial_hash *task[2];
	uint8_t expected[64];

	keeps_tasks = true;
	for (size_t i = 0; i < 2; i++) {
		src[i] = unit_buf(inventory, mmap, ours + i * 1280, 1280, 0, 128);
		dst[i] = unit_buf(inventory, mmap, ours + LEN / 2 + i * 64, 64, 0, 0);
		task[i] = partial_task(DOCA_SHA_ALGORITHM_SHA512, src[i], dst[i]);
	}
	dst[2] = unit_buf(inventory, mmap, ours + LEN / 2 + 128, 64, 0, 0);
	for (size_t k = 0; k < 10; k++) {
		struct doca_task *whole = hash_task(DOCA_SHA_ALGORITHM_SHA512, src[0], dst[2]);

		for (size_t i = 0; i < 2; i++) {
			ck_ok(doca_buf_set_data(src[i], ours + i * 1280 + k * 128, 128));
			if (k == 9)
				ck_ok(doca_sha_task_partial_hash_set_is_final_buf(task[i]));
			ck_ok(doca_task_submit(doca_sha_task_partial_hash_as_task(task[i])));
			if (i == 0)
				ck_ok(doca_task_submit(whole));
		}
		unit_progress(pe);
		doca_task_free(whole);
		ck_ok(doca_buf_reset_data_len(dst[2]));
	}
	for (size_t i = 0; i < 2; i++) {
		reference(DOCA_SHA_ALGORITHM_SHA512, ours + i * 1280, 1280, expected);
		ck_assert_mem_eq(ours + LEN / 2 + i * 64, expected, 64);
		doca_task_free(doca_sha_task_partial_hash_as_task(task[i]));
		unit_put(src[i]);
		unit_put(dst[i]);
	}
	unit_put(dst[2]);
	keeps_tasks = false;
}
END_TEST

START_TEST(rules_of_partial_hashes)
{
	struct doca_buf *src = unit_buf(inventory, mmap, ours, 1000, 0, 128), *dst = dst_of(64);
	struct doca_sha_task_partial_hash *t;
	struct doca_task *task;

	keeps_tasks = true;
	t = partial_task(DOCA_SHA_ALGORITHM_SHA1, src, dst);
	task = doca_sha_task_partial_hash_as_task(t);
	/* A new task: everything may change. */
	ck_ok(doca_sha_task_partial_hash_set_algorithm(t, DOCA_SHA_ALGORITHM_SHA256));
	ck_ok(doca_sha_task_partial_hash_set_dst(t, dst));
	ck_ok(doca_task_submit(task));
	/* A submitted task. */
	ck_fails(doca_sha_task_partial_hash_set_dst(t, dst), DOCA_ERROR_BAD_STATE);
	ck_fails(doca_sha_task_partial_hash_set_algorithm(t, 0), DOCA_ERROR_BAD_STATE);
	ck_fails(doca_sha_task_partial_hash_set_is_final_buf(t), DOCA_ERROR_BAD_STATE);
	ck_fails(doca_sha_task_partial_hash_reset(t), DOCA_ERROR_INVALID_VALUE);
	unit_progress(pe);
	ck_assert_uint_eq(n_ok, 1);
	/* The destination cannot be changed in the middle of a message. */
	ck_fails(doca_sha_task_partial_hash_set_dst(t, dst), DOCA_ERROR_BAD_STATE);
	ck_says("doca_sha_task_partial_hash_reset");
	ck_fails(doca_sha_task_partial_hash_set_algorithm(t, 0), DOCA_ERROR_BAD_STATE);
	ck_ok(doca_buf_set_data_len(src, 129));
	ck_fails(doca_task_try_submit(task), DOCA_ERROR_INVALID_VALUE);
	ck_says("multiple of the block");
	ck_ok(doca_sha_task_partial_hash_set_is_final_buf(t));
	ck_ok(doca_sha_task_partial_hash_set_is_final_buf(t));
	ck_assert_uint_eq(doca_sha_task_partial_hash_get_is_final(t), 1);
	ck_ok(doca_task_try_submit(task));
	unit_progress(pe);
	ck_assert_uint_eq(doca_sha_task_partial_hash_get_has_result(t), 1);
	/* A completed task. */
	ck_fails(doca_sha_task_partial_hash_set_dst(t, dst), DOCA_ERROR_BAD_STATE);
	ck_fails(doca_sha_task_partial_hash_set_is_final_buf(t), DOCA_ERROR_BAD_STATE);
	ck_fails(doca_task_try_submit(task), DOCA_ERROR_INVALID_VALUE);
	ck_says("complete");
	ck_ok(doca_sha_task_partial_hash_reset(t));
	ck_assert_uint_eq(doca_sha_task_partial_hash_get_is_final(t), 0);
	ck_assert_uint_eq(doca_sha_task_partial_hash_get_has_result(t), 0);
	/* An abandoned message leaves nothing behind. */
	ck_ok(doca_buf_set_data_len(src, 64));
	ck_ok(run(task));
	ck_ok(doca_sha_task_partial_hash_reset(t));
	ck_ok(doca_sha_task_partial_hash_set_is_final_buf(t));
	ck_ok(doca_buf_set_data_len(src, 3));
	memcpy(ours, "abc", 3);
	ck_ok(run(task));
	ck_hex(ours + LEN / 2 + 32, answers[1].hex[1]);
	/* The same if the task was freed. */
	ck_ok(doca_sha_task_partial_hash_reset(t));
	ck_ok(doca_buf_set_data_len(src, 64));
	ck_ok(doca_buf_reset_data_len(dst));
	ck_ok(run(task));
	doca_task_free(task);
	ck_ok(doca_buf_set_data_len(src, 3));
	t = partial_task(DOCA_SHA_ALGORITHM_SHA256, src, dst);
	ck_ok(doca_sha_task_partial_hash_set_is_final_buf(t));
	ck_ok(run(doca_sha_task_partial_hash_as_task(t)));
	ck_hex(ours + LEN / 2, answers[1].hex[1]);
	doca_task_free(doca_sha_task_partial_hash_as_task(t));
	keeps_tasks = false;
	/* Without the mark the engine refuses it, too, and stops. */
	ck_ok(doca_buf_reset_data_len(dst));
	t = partial_task(DOCA_SHA_ALGORITHM_SHA512, src, dst);
	ck_fails(run(doca_sha_task_partial_hash_as_task(t)), DOCA_ERROR_IO_FAILED);
	ck_says("multiple of the block");
	unit_put(src);
	unit_put(dst);
}
END_TEST

START_TEST(destinations_are_checked)
{
	struct doca_mmap *read_only = unit_mmap(ours, LEN, DOCA_ACCESS_FLAG_LOCAL_READ_ONLY);
	struct doca_buf *src = src_of("abc", 3), *dst;
	struct doca_task *task;

	for (unsigned a = 0; a < 3; a++) {
		dst = unit_buf(inventory, mmap, ours + LEN / 2, digest_len[a] + 4, 2, 3);
		task = hash_task(a, src, dst);
		ck_fails(doca_task_try_submit(task), DOCA_ERROR_INVALID_VALUE);
		ck_says("doca_sha_cap_get_min_dst_buf_size");
		ck_fails(run(task), DOCA_ERROR_IO_FAILED);
		ck_assert_uint_eq(dst->data_len, 3);
		ck_ok(doca_buf_set_data_len(dst, 2));
		ck_ok(hash(a, src, dst));
		unit_put(dst);
	}
	dst = unit_buf(inventory, read_only, ours + LEN / 2, 64, 0, 0);
	ck_fails(hash(0, src, dst), DOCA_ERROR_NOT_PERMITTED);
	ck_says("doca_mmap_set_permissions");
	unit_put(dst);
	ck_ok(doca_mmap_destroy(read_only));
	dst = dst_of(64);
	ck_ok(doca_buf_set_data(dst, dst->head + 65, 0));
	ck_fails(hash(0, src, dst), DOCA_ERROR_IO_FAILED);
	ck_says("destination's data section");
	ck_ok(doca_buf_set_data(src, src->head + 1, 3));
	ck_ok(doca_buf_set_data(dst, dst->head, 0));
	ck_fails(hash(0, src, dst), DOCA_ERROR_IO_FAILED);
	ck_says("source's data section");
	unit_put(src);
	unit_put(dst);
}
END_TEST

START_TEST(devices_and_life_are_checked)
{
	struct doca_buf *src = src_of("abc", 3), *dst = dst_of(64), *remote_buf;
	struct doca_mmap *foreign;
	_Atomic uint32_t alive = 7;

	ck_ok(doca_mmap_create(&foreign));
	ck_ok(doca_mmap_set_memrange(foreign, ours, LEN));
	ck_ok(doca_mmap_add_dev(foreign, &unit_dev_other));
	ck_ok(doca_mmap_start(foreign));
	remote_buf = unit_buf(inventory, foreign, ours, 64, 0, 64);
	ck_fails(hash(0, remote_buf, dst), DOCA_ERROR_IO_FAILED);
	ck_says("doca_mmap_add_dev");
	unit_put(remote_buf);
	ck_ok(doca_mmap_destroy(foreign));

	peer->alive = &alive;
	peer->generation = 7;
	remote_buf = unit_buf(inventory, peer, (uint8_t *)PEER_BASE, 64, 0, 64);
	ck_ok(hash(0, remote_buf, dst));
	alive = 8;
	ck_fails(hash(0, remote_buf, dst), DOCA_ERROR_IO_FAILED);
	ck_says("exporter of the source");
	ck_ok(doca_buf_reset_data_len(remote_buf));
	ck_fails(hash(0, src, remote_buf), DOCA_ERROR_IO_FAILED);
	ck_says("exporter of the destination");
	ck_assert_uint_eq(dst->data_len, 20);
	alive = 7;
	unit_put(remote_buf);
	unit_put(src);
	unit_put(dst);
}
END_TEST

START_TEST(limits_of_the_device_hold)
{
	struct doca_buf *src, *dst = dst_of(512);

	sha_close();
	unit_info.caps.sha_max_src_size = 128;
	unit_info.caps.sha_max_list_len = 2;
	sha_open();
	src = unit_chain(unit_buf(inventory, mmap, ours, 64, 0, 64),
			 unit_buf(inventory, mmap, ours + 64, 65, 0, 64));
	ck_ok(hash(0, src, dst));
	ck_ok(doca_buf_set_data_len(src->next, 65));
	ck_fails(hash(0, src, dst), DOCA_ERROR_IO_FAILED);
	ck_says("doca_sha_cap_get_max_src_buf_size");
	ck_ok(doca_buf_set_data_len(src->next, 1));
	unit_chain(src, unit_buf(inventory, mmap, ours, 1, 0, 0));
	ck_fails(hash(0, src, dst), DOCA_ERROR_IO_FAILED);
	ck_says("doca_sha_cap_get_max_list_buf_num_elem");
	unit_put(src);
	unit_put(dst);
}
END_TEST

/* Lists whose lengths add up to more than a size_t holds. */
START_TEST(sums_do_not_wrap)
{
	struct doca_mmap *all = unit_mmap((void *)4096, SIZE_MAX - 8192,
					  DOCA_ACCESS_FLAG_LOCAL_READ_WRITE);
	struct doca_buf *src, *dst = dst_of(64);

	src = unit_buf(inventory, all, (void *)4096, SIZE_MAX - 8192, 0, SIZE_MAX - 8192);
	unit_chain(src, unit_buf(inventory, all, (void *)4096, 8192 + 65, 0, 8192 + 65));
	ck_fails(hash(0, src, dst), DOCA_ERROR_IO_FAILED);
	ck_says("longer than the device takes");
	unit_put(src);
	unit_put(dst);
	ck_ok(doca_mmap_destroy(all));
}
END_TEST

/* Refusals of the transport in the middle of a message and of a digest. */
START_TEST(refusals_of_a_peer_are_named)
{
	const struct {
		int error;
		doca_error_t code;
		const char *says;
	} cases[] = {
		{ESRCH, DOCA_ERROR_IO_FAILED, "has ended"},
		{EFAULT, DOCA_ERROR_IO_FAILED, "not mapped"},
		{EPERM, DOCA_ERROR_NOT_PERMITTED, "refuses"},
		{ENOMEM, DOCA_ERROR_IO_FAILED, "emory"},
	};
	struct doca_buf *remote_buf = unit_buf(inventory, peer, (uint8_t *)PEER_BASE, 300000, 0,
					       300000);
	struct doca_buf *local_buf = src_of("abc", 3), *dst = dst_of(64);
	struct doca_buf *remote_dst = unit_buf(inventory, peer2, (uint8_t *)PEER_BASE, 64, 0, 0);

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		toy.error = cases[i].error;
		ck_fails(hash(1, remote_buf, dst), cases[i].code);
		ck_says(cases[i].says);
		ck_fails(hash(1, local_buf, remote_dst), cases[i].code);
		ck_says(cases[i].says);
		ck_assert_uint_eq(dst->data_len + remote_dst->data_len, 0);
	}
	toy.error = 0;
	toy.bad_from = 299999;
	toy.bad_to = 300000;
	ck_fails(hash(1, remote_buf, dst), DOCA_ERROR_IO_FAILED);
	ck_says("not mapped");
	toy.bad_from = 31;
	toy.bad_to = 40;
	ck_fails(hash(1, local_buf, remote_dst), DOCA_ERROR_IO_FAILED);
	ck_assert_uint_eq(dst->data_len + remote_dst->data_len, 0);
	toy.bad_from = toy.bad_to = 0;
	/* A call that moves no bytes is an error, too. */
	toy.n_cuts = 1;
	toy.cut = 0;
	ck_fails(hash(1, remote_buf, dst), DOCA_ERROR_IO_FAILED);
	ck_ok(hash(1, local_buf, remote_dst));
	ck_hex(theirs, answers[1].hex[1]);
	unit_put(remote_buf);
	unit_put(local_buf);
	unit_put(dst);
	unit_put(remote_dst);
}
END_TEST

/* Many small pieces of a peer's memory need few calls. */
START_TEST(pieces_are_gathered)
{
	struct doca_buf *src = NULL, *dst = dst_of(64);
	uint8_t expected[64];

	for (size_t i = 0; i < 100; i++)
		src = unit_chain(
			src, unit_buf(inventory, peer, (uint8_t *)PEER_BASE + i * 64, 64, 0, 64));
	ck_ok(hash(2, src, dst));
	ck_assert_uint_eq(toy.n_calls, 1);
	reference(2, theirs, 6400, expected);
	ck_assert_mem_eq(ours + LEN / 2, expected, 64);
	unit_put(src);
	unit_put(dst);
}
END_TEST

START_TEST(a_failed_task_stops_the_context)
{
	struct doca_buf *src = src_of("abc", 3), *dst = dst_of(512), *full = dst_of(8);
	struct doca_sha_task_partial_hash *t = partial_task(1, src, dst);

	ck_ok(doca_sha_task_partial_hash_set_is_final_buf(t));
	ck_ok(doca_task_submit(hash_task(1, src, full)));
	ck_ok(doca_task_submit(hash_task(1, src, dst)));
	ck_ok(doca_task_submit(doca_sha_task_partial_hash_as_task(t)));
	ck_assert_uint_eq(doca_pe_progress(pe), 1);
	ck_assert_int_eq(status, DOCA_ERROR_IO_FAILED);
	unit_progress(pe);
	ck_assert_uint_eq(n_failed, 3);
	ck_assert_int_eq(status, DOCA_ERROR_SHUTDOWN);
	ck_assert_int_eq(unit_state(ctx), IDLE);
	ck_assert_uint_eq(dst->data_len, 0);
	ck_ok(doca_ctx_start(ctx));
	ck_ok(hash(1, src, dst));
	unit_put(src);
	unit_put(dst);
	unit_put(full);
}
END_TEST

/* The pools may be configured again between starts. */
START_TEST(configured_again)
{
	struct doca_buf *src = src_of("abc", 3), *dst = dst_of(512);
	struct doca_sha_task_partial_hash *t[64];

	ck_ok(doca_ctx_stop(ctx));
	ck_ok(doca_sha_task_partial_hash_set_conf(sha, partial_ok, partial_failed, 6));
	ck_ok(doca_sha_task_partial_hash_set_conf(sha, partial_ok, partial_failed, 1));
	ck_ok(doca_ctx_start(ctx));
	for (size_t i = 0; i < 2; i++)
		t[i] = partial_task(i == 0 ? 1 : 2, src, dst);
	ck_fails(doca_sha_task_partial_hash_alloc_init(sha, 0, src, dst,
						       (union doca_data){.u64 = 0}, &t[2]),
		 DOCA_ERROR_NO_MEMORY);
	for (size_t i = 0; i < 2; i++) {
		ck_ok(doca_sha_task_partial_hash_set_is_final_buf(t[i]));
		ck_ok(run(doca_sha_task_partial_hash_as_task(t[i])));
	}
	ck_hex(ours + LEN / 2, answers[1].hex[1]);
	ck_hex(ours + LEN / 2 + 32, answers[1].hex[2]);
	ck_ok(doca_ctx_stop(ctx));
	ck_ok(doca_sha_task_partial_hash_set_conf(sha, partial_ok, partial_failed, 6));
	ck_ok(doca_ctx_start(ctx));
	for (size_t i = 0; i < 64; i++)
		t[i] = partial_task((unsigned)i % 3, src, dst);
	for (size_t i = 0; i < 64; i++)
		doca_task_free(doca_sha_task_partial_hash_as_task(t[i]));
	unit_put(src);
	unit_put(dst);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("client/sha");
	TCase *tcase = unit_case(suite, "sha", UNIT_TIMEOUT_LONG);

	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_test(tcase, known_answers);
	tcase_add_test(tcase, a_million);
	tcase_add_loop_test(tcase, random_lists_match_libcrypto, 0, 4);
	tcase_add_loop_test(tcase, random_segments_match_libcrypto, 0, 4);
	tcase_add_test(tcase, messages_are_apart);
	tcase_add_test(tcase, rules_of_partial_hashes);
	tcase_add_test(tcase, destinations_are_checked);
	tcase_add_test(tcase, devices_and_life_are_checked);
	tcase_add_test(tcase, limits_of_the_device_hold);
	tcase_add_test(tcase, sums_do_not_wrap);
	tcase_add_test(tcase, refusals_of_a_peer_are_named);
	tcase_add_test(tcase, pieces_are_gathered);
	tcase_add_test(tcase, a_failed_task_stops_the_context);
	tcase_add_test(tcase, configured_again);
	return unit_run(suite);
}
