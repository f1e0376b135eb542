/*
 * Held tasks (client/staging), by the example of AES-GCM, with a simulated requester: memory that
 * only requests reach, alone and in lists with other memory; failures, the end of the context,
 * limits; and tasks on the context's thread.
 */
#include <semaphore.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <doca_aes_gcm.h>
#include <doca_graph.h>

#include "client/aes_gcm/aes_gcm.h"
#include "tests/lib/allocount.h"
#include "tests/lib/lockcount.h"
#include "tests/unit/client/dma/fixture.h"
#include "util/memfd.h"

#define LEN     65536u
#define MESSAGE 1024u /* bytes per request */
#include "tests/unit/client/dma/toy_requester.h"

#define TAG     16u
#define AAD     7u
#define N_BUFS  64u
#define N_TASKS 8u

/* Sources are in the first half, results in the second. */
static uint8_t ours[LEN], remote_memory[LEN], peers[LEN], expected[LEN];
static struct doca_pe *pe;
static struct doca_aes_gcm *gcm;
static struct doca_ctx *ctx;
static struct doca_aes_gcm_key *key;
static struct doca_mmap *mmap, *posted, *peer;
static struct doca_buf_inventory *inventory;
static struct copier copier;
static unsigned n_ok, n_failed;
static doca_error_t status;
static char sentence[512];
static uint64_t order[64];

static const uint8_t raw_key[16] = {1, 2, 3}, iv[12] = {4, 5, 6};

static void completed(struct doca_task *task, union doca_data user_data)
{
	status = doca_task_get_status(task);
	snprintf(sentence, sizeof(sentence), "%s", dococ_last_error());
	order[(n_ok + n_failed) % ARRAY_LEN(order)] = user_data.u64;
	n_ok += status == DOCA_SUCCESS;
	n_failed += status != DOCA_SUCCESS;
	doca_task_free(task);
}

static void encrypted(struct doca_aes_gcm_task_encrypt *task, union doca_data user_data,
		      union doca_data ctx_user_data)
{
	(void)ctx_user_data;
	completed(doca_aes_gcm_task_encrypt_as_task(task), user_data);
}

static void decrypted(struct doca_aes_gcm_task_decrypt *task, union doca_data user_data,
		      union doca_data ctx_user_data)
{
	(void)ctx_user_data;
	completed(doca_aes_gcm_task_decrypt_as_task(task), user_data);
}

/* --- memory that system calls reach; a gate may hold up the calls of a thread --- */

static sem_t gate, at_gate;
static bool has_gate;

static ssize_t peer_move(const struct iovec *local, const struct iovec *remote, size_t n_remote,
			 bool is_write)
{
	uint8_t *mine = local->iov_base;
	size_t done = 0;

	if (has_gate) {
		sem_post(&at_gate);
		while (sem_wait(&gate) != 0)
			continue;
	}
	for (size_t i = 0; i < n_remote; i++) {
		if (is_write)
			memcpy(remote[i].iov_base, mine + done, remote[i].iov_len);
		else
			memcpy(mine + done, remote[i].iov_base, remote[i].iov_len);
		done += remote[i].iov_len;
	}
	return (ssize_t)done;
}

static ssize_t peer_readv(struct transport_region *region, const struct iovec *local,
			  size_t n_local, const struct iovec *remote, size_t n_remote)
{
	(void)region;
	(void)n_local;
	return peer_move(local, remote, n_remote, false);
}

static ssize_t peer_writev(struct transport_region *region, const struct iovec *local,
			   size_t n_local, const struct iovec *remote, size_t n_remote)
{
	(void)region;
	(void)n_local;
	return peer_move(local, remote, n_remote, true);
}

static const struct transport_ops peer_ops = {
	.name = "toy",
	.open = transport_open_unsupported,
	.close = transport_close_nothing,
	.readv = peer_readv,
	.writev = peer_writev,
};

/* --- the context --- */

static void caps_set(void)
{
	unit_info.caps.aes_gcm_keys = 3;
	unit_info.caps.aes_gcm_tags = 3;
	unit_info.caps.aes_gcm_max_iv_len = 12;
	unit_info.caps.aes_gcm_max_buf_size = LEN;
	unit_info.caps.aes_gcm_max_list_len = 16;
	unit_info.caps.aes_gcm_max_tasks = N_TASKS;
}

static void open_all(void)
{
	const struct transport_region posted_region = {.ops = &posted_ops, .pidfd = -1};
	const struct transport_region peer_region = {.ops = &peer_ops, .pid = 4711, .pidfd = -1};

	n_callers = n_ok = n_failed = 0;
	toy_find = NULL;
	max_posted = N_POSTED;
	caps_set();
	ck_ok(doca_pe_create(&pe));
	copier_init(&copier, pe, 4);
	ck_ok(doca_aes_gcm_create(&unit_dev, &gcm));
	ctx = doca_aes_gcm_as_ctx(gcm);
	ck_ok(doca_aes_gcm_task_encrypt_set_conf(gcm, encrypted, encrypted, N_TASKS));
	ck_ok(doca_aes_gcm_task_decrypt_set_conf(gcm, decrypted, decrypted, N_TASKS));
	ck_ok(doca_pe_connect_ctx(pe, ctx));
	ck_ok(doca_ctx_start(ctx));
	ck_ok(doca_aes_gcm_key_create(gcm, raw_key, DOCA_AES_GCM_KEY_128, &key));
	mmap = unit_mmap(ours, LEN, DOCA_ACCESS_FLAG_LOCAL_READ_WRITE);
	posted = unit_import((uintptr_t)remote_memory, LEN, true, true, &posted_region);
	posted->is_posted = true;
	peer = unit_import((uintptr_t)peers, LEN, true, true, &peer_region);
	inventory = unit_inventory(N_BUFS);
	unit_fill(ours, LEN / 2, 1);
	memcpy(remote_memory, ours, LEN / 2);
	memcpy(peers, ours, LEN / 2);
	memset(ours + LEN / 2, 0, LEN / 2);
	memset(remote_memory + LEN / 2, 0, LEN / 2);
	memset(peers + LEN / 2, 0, LEN / 2);
}

static void setup(void)
{
	has_gate = false;
	unsetenv("DOCOCORED_THREAD_BYTES");
	unsetenv("DOCOCORED_BOUNCE_BYTES");
	open_all();
}

static void setup_thread(void)
{
	has_gate = false;
	ck_assert_int_eq(sem_init(&gate, 0, 0), 0);
	ck_assert_int_eq(sem_init(&at_gate, 0, 0), 0);
	setenv("DOCOCORED_THREAD_BYTES", "1000", 1);
	unsetenv("DOCOCORED_BOUNCE_BYTES");
	open_all();
}

static void setup_small(void)
{
	has_gate = false;
	unsetenv("DOCOCORED_THREAD_BYTES");
	/* Rounded up to a page. */
	setenv("DOCOCORED_BOUNCE_BYTES", "1", 1);
	open_all();
}

static void teardown(void)
{
	doca_error_t result = doca_ctx_stop(ctx);

	if (result != DOCA_SUCCESS)
		ck_fails(result, DOCA_ERROR_IN_PROGRESS);
	while (unit_state(ctx) != IDLE)
		unit_progress(pe);
	ck_ok(doca_aes_gcm_key_destroy(key));
	ck_ok(doca_aes_gcm_destroy(gcm));
	copier_deinit(&copier);
	ck_assert_uint_eq(unit_n_free(inventory), N_BUFS);
	ck_ok(doca_buf_inventory_destroy(inventory));
	ck_ok(doca_mmap_destroy(mmap));
	ck_ok(doca_mmap_destroy(posted));
	ck_ok(doca_mmap_destroy(peer));
	ck_ok(doca_pe_destroy(pe));
}

/* --- tasks --- */

static struct doca_buf *src_of(struct doca_mmap *from, uint8_t *memory, size_t at, size_t n)
{
	return unit_buf(inventory, from, memory + at, n, 0, n);
}

static struct doca_buf *dst_of(struct doca_mmap *to, uint8_t *memory, size_t at, size_t room)
{
	return unit_buf(inventory, to, memory + LEN / 2 + at, room, 0, 0);
}

static struct doca_task *encrypt_task(const struct doca_buf *src, struct doca_buf *dst,
				      uint64_t number)
{
	struct doca_aes_gcm_task_encrypt *task;

	ck_ok(doca_aes_gcm_task_encrypt_alloc_init(gcm, src, dst, key, iv, sizeof(iv), TAG, AAD,
						   (union doca_data){.u64 = number}, &task));
	return doca_aes_gcm_task_encrypt_as_task(task);
}

static void encrypt(const struct doca_buf *src, struct doca_buf *dst, uint64_t number)
{
	ck_ok(doca_task_submit(encrypt_task(src, dst, number)));
}

static struct doca_aes_gcm_task_decrypt *decrypt_task(const struct doca_buf *src,
						      struct doca_buf *dst)
{
	struct doca_aes_gcm_task_decrypt *task;

	ck_ok(doca_aes_gcm_task_decrypt_alloc_init(gcm, src, dst, key, iv, sizeof(iv), TAG, AAD,
						   (union doca_data){.u64 = 0}, &task));
	return task;
}

static void decrypt(const struct doca_buf *src, struct doca_buf *dst)
{
	ck_ok(doca_task_submit(doca_aes_gcm_task_decrypt_as_task(decrypt_task(src, dst))));
}

/* Completes all posted requests, and those that follow from them. */
static void finish_all(void)
{
	do {
		unit_progress(pe);
		if (n_callers > 0 && callers[0]->n_posted > 0)
			finish_one(callers[0]);
	} while (n_callers > 0 && callers[0]->n_posted + callers[0]->n_done > 0);
	unit_progress(pe);
}

static void await(unsigned n)
{
	while (n_ok + n_failed < n)
		unit_progress(pe);
}

/* Seals the first n bytes, for comparison, in memory of this process. */
static void expect_sealed(size_t n)
{
	struct doca_buf *src = src_of(mmap, ours, 0, n), *dst = dst_of(mmap, ours, 0, n + TAG);
	unsigned n_before = n_ok;

	encrypt(src, dst, 0);
	await(n_before + 1);
	ck_assert_uint_eq(n_ok, n_before + 1);
	memcpy(expected, ours + LEN / 2, n + TAG);
	memset(ours + LEN / 2, 0, n + TAG);
	unit_put(src);
	unit_put(dst);
}

/* --- memory of another machine --- */

START_TEST(a_result_is_complete_when_it_is_written)
{
	static const size_t lens[] = {AAD, MESSAGE - TAG, MESSAGE, 5000, 20 * MESSAGE};
	size_t n = lens[_i];
	struct doca_buf *src, *dst;

	expect_sealed(n);
	src = src_of(posted, remote_memory, 0, n);
	dst = dst_of(posted, remote_memory, 0, n + TAG);
	n_ok = 0;
	encrypt(src, dst, 0);
	unit_progress(pe);
	ck_assert_uint_gt(callers[0]->n_posted, 0);
	while (n_ok == 0) {
		ck_assert_uint_eq(dst->data_len, 0);
		/* Nothing more happens without the requests. */
		ck_assert_uint_gt(callers[0]->n_posted, 0);
		finish_one(callers[0]);
		unit_progress(pe);
	}
	ck_assert_uint_eq(n_failed, 0);
	ck_assert_uint_eq(dst->data_len, n + TAG);
	ck_assert_mem_eq(remote_memory + LEN / 2, expected, n + TAG);
	ck_assert_uint_eq(remote_memory[LEN / 2 + n + TAG], 0);
	unit_put(src);
	unit_put(dst);
}
END_TEST

START_TEST(lists_may_mix_all_kinds_of_memory)
{
	struct doca_buf *src, *dst;

	expect_sealed(6000);
	src = src_of(mmap, ours, 0, 3);
	unit_chain(src, src_of(posted, remote_memory, 3, 2000));
	unit_chain(src, src_of(posted, remote_memory, 2003, 0));
	unit_chain(src, src_of(peer, peers, 2003, 997));
	unit_chain(src, src_of(posted, remote_memory, 3000, 3000));
	dst = dst_of(posted, remote_memory, 0, 1500);
	unit_chain(dst, dst_of(mmap, ours, 1500, 500));
	unit_chain(dst, dst_of(peer, peers, 2000, 2000));
	unit_chain(dst, dst_of(posted, remote_memory, 4000, 3000));
	n_ok = 0;
	encrypt(src, dst, 0);
	finish_all();
	ck_assert_uint_eq(n_ok, 1);
	ck_assert_uint_eq(unit_data_len(dst), 6000 + TAG);
	ck_assert_mem_eq(remote_memory + LEN / 2, expected, 1500);
	ck_assert_mem_eq(ours + LEN / 2 + 1500, expected + 1500, 500);
	ck_assert_mem_eq(peers + LEN / 2 + 2000, expected + 2000, 2000);
	ck_assert_mem_eq(remote_memory + LEN / 2 + 4000, expected + 4000, 2000 + TAG);
	unit_put(src);
	unit_put(dst);
}
END_TEST

/* No request writes plaintext that is refused. */
START_TEST(a_forged_message_writes_nothing)
{
	struct doca_buf *src, *dst;

	expect_sealed(4000);
	memcpy(remote_memory, expected, 4000 + TAG);
	remote_memory[_i == 0 ? 4000 + TAG - 1 : 100] ^= 1;
	src = src_of(posted, remote_memory, 0, 4000 + TAG);
	dst = dst_of(posted, remote_memory, 0, 4000);
	memset(remote_memory + LEN / 2, 0xaa, 4000);
	n_ok = 0;
	decrypt(src, dst);
	finish_all();
	ck_assert_uint_eq(n_failed, 1);
	ck_assert_int_eq(status, DOCA_ERROR_IO_FAILED);
	ck_assert_msg(strstr(sentence, "tag does not match") != NULL, "%s", sentence);
	ck_assert_uint_eq(dst->data_len, 0);
	for (size_t i = 0; i < 4000; i++)
		ck_assert_uint_eq(remote_memory[LEN / 2 + i], 0xaa);
	/* The context goes on. */
	remote_memory[_i == 0 ? 4000 + TAG - 1 : 100] ^= 1;
	decrypt(src, dst);
	finish_all();
	ck_assert_uint_eq(n_ok, 1);
	ck_assert_mem_eq(remote_memory + LEN / 2, ours, 4000);
	unit_put(src);
	unit_put(dst);
}
END_TEST

START_TEST(tasks_complete_in_order)
{
	struct doca_buf *src = src_of(posted, remote_memory, 0, 3000),
			*local = src_of(mmap, ours, 0, 100), *dst[4];

	for (size_t i = 0; i < 4; i++) {
		dst[i] = dst_of(mmap, ours, i * 4096, 4096);
		encrypt(i % 2 == 0 ? src : local, dst[i], i);
	}
	unit_progress(pe);
	ck_assert_uint_eq(n_ok + n_failed, 0);
	/* Other contexts of the engine go on. */
	copier_submit(&copier, local, dst[3]);
	unit_progress(pe);
	ck_assert_uint_eq(copier.n_ok, 1);
	ck_assert_uint_eq(n_ok + n_failed, 0);
	finish_all();
	ck_assert_uint_eq(n_ok, 4);
	for (uint64_t i = 0; i < 4; i++) {
		ck_assert_uint_eq(order[i], i);
		unit_put(dst[i]);
	}
	unit_put(src);
	unit_put(local);
}
END_TEST

START_TEST(a_failed_request_fails_its_task)
{
	struct doca_buf *src = src_of(_i == 0 ? posted : mmap, _i == 0 ? remote_memory : ours, 0,
				      3000),
			*dst = dst_of(_i == 0 ? mmap : posted, _i == 0 ? ours : remote_memory, 0,
				      4096);

	encrypt(src, dst, 0);
	unit_progress(pe);
	ck_assert_uint_eq(callers[0]->n_posted, 3);
	fail_one(callers[0], DOCA_ERROR_CONNECTION_RESET);
	finish_all();
	ck_assert_uint_eq(n_failed, 1);
	ck_assert_int_eq(status, DOCA_ERROR_IO_FAILED);
	ck_assert_msg(strstr(sentence, "can no longer be reached") != NULL, "%s", sentence);
	ck_assert_uint_eq(dst->data_len, 0);
	encrypt(src, dst, 0);
	finish_all();
	ck_assert_uint_eq(n_ok, 1);
	ck_assert_uint_eq(dst->data_len, 3000 + TAG);
	unit_put(src);
	unit_put(dst);
}
END_TEST

START_TEST(held_tasks_end_with_the_context)
{
	struct doca_buf *src = src_of(posted, remote_memory, 0, 3000),
			*local = src_of(mmap, ours, 0, 100),
			*dst = dst_of(posted, remote_memory, 0, 4096),
			*other = dst_of(mmap, ours, 0, 200);

	encrypt(src, dst, 0);
	encrypt(local, other, 1);
	unit_progress(pe);
	/* While the source is read, or while the result is written. */
	for (unsigned i = 0; _i == 1 && i < 3; i++)
		finish_one(callers[0]);
	unit_progress(pe);
	ck_assert_uint_gt(callers[0]->n_posted, 0);
	ck_fails(doca_ctx_stop(ctx), DOCA_ERROR_IN_PROGRESS);
	unit_progress(pe);
	ck_assert_int_eq(unit_state(ctx), IDLE);
	ck_assert_uint_eq(n_failed, 2);
	ck_assert_int_eq(status, DOCA_ERROR_SHUTDOWN);
	ck_assert_uint_eq(dst->data_len + other->data_len, 0);
	/* It can start again. */
	n_callers = 0;
	ck_ok(doca_ctx_start(ctx));
	encrypt(src, dst, 0);
	finish_all();
	ck_assert_uint_eq(n_ok, 1);
	unit_put(src);
	unit_put(local);
	unit_put(dst);
	unit_put(other);
}
END_TEST

START_TEST(the_bounce_memory_limits_a_task)
{
	size_t page = memfd_page_size();
	struct doca_buf *src = src_of(posted, remote_memory, 0, page + 1),
			*local = src_of(mmap, ours, 0, page),
			*fits = src_of(posted, remote_memory, 0, page),
			*dst = dst_of(mmap, ours, 0, 2 * page),
			*theirs = dst_of(posted, remote_memory, 0, 2 * page);
	struct doca_task *task;

	task = encrypt_task(_i == 0 ? src : local, _i == 0 ? dst : theirs, 0);
	ck_fails(doca_task_try_submit(task), DOCA_ERROR_INVALID_VALUE);
	ck_says("DOCOCORED_BOUNCE_BYTES");
	ck_ok(doca_task_submit(task));
	finish_all();
	ck_assert_uint_eq(n_failed, 1);
	ck_assert_int_eq(status, DOCA_ERROR_IO_FAILED);
	ck_assert_msg(strstr(sentence, "DOCOCORED_BOUNCE_BYTES") != NULL, "%s", sentence);
	/* What is not memory of another machine has no such limit. */
	encrypt(fits, dst, 0);
	finish_all();
	ck_assert_uint_eq(n_ok, 1);
	unit_put(src);
	unit_put(local);
	unit_put(fits);
	unit_put(dst);
	unit_put(theirs);
}
END_TEST

START_TEST(a_wrong_size_is_ignored)
{
	static const char *const wrong[] = {"0", "-1", "4k", "99999999999999999999", " 1", ""};
	struct doca_buf *src, *dst;

	ck_ok(doca_ctx_stop(ctx));
	setenv("DOCOCORED_BOUNCE_BYTES", wrong[_i], 1);
	setenv("DOCOCORED_THREAD_BYTES", wrong[_i], 1);
	ck_ok(doca_ctx_start(ctx));
	src = src_of(posted, remote_memory, 0, 30000);
	dst = dst_of(mmap, ours, 0, 32000);
	encrypt(src, dst, 0);
	finish_all();
	ck_assert_uint_eq(n_ok, 1);
	unit_put(src);
	unit_put(dst);
}
END_TEST

/* Completes the requests until n tasks have completed. */
static void serve(unsigned n)
{
	while (n_ok + n_failed < n) {
		unit_progress(pe);
		if (callers[0] != NULL && callers[0]->n_posted > 0)
			finish_one(callers[0]);
	}
}

/* The first task opens the path. */
START_TEST(nothing_is_allocated_or_locked)
{
	struct doca_buf *src = src_of(posted, remote_memory, 0, 3000),
			*dst = dst_of(posted, remote_memory, 0, 30000);
	uint64_t n_allocations, n_locks;

	encrypt(src, dst, 0);
	serve(1);
	n_allocations = allocount_n();
	n_locks = lockcount_n();
	for (unsigned i = 2; i < 8; i++) {
		encrypt(src, dst, 0);
		serve(i);
	}
	n_allocations = allocount_n() - n_allocations;
	n_locks = lockcount_n() - n_locks;
	ck_assert_uint_eq(n_allocations, 0);
	ck_assert_uint_eq(n_locks, 0);
	ck_assert_uint_eq(n_failed, 0);
	unit_put(src);
	unit_put(dst);
}
END_TEST

/* While requests are posted and nothing else can be done, a program may sleep. */
START_TEST(the_engine_sleeps_while_requests_are_posted)
{
	struct doca_buf *src = src_of(posted, remote_memory, 0, 3000),
			*dst = dst_of(posted, remote_memory, 0, 4096);

	encrypt(src, dst, 0);
	unit_progress(pe);
	for (unsigned i = 0; i < 6; i++) {
		doca_notification_handle_t handle;

		ck_assert_uint_eq(callers[0]->n_posted, 3 - i % 3);
		ck_ok(doca_pe_get_notification_handle(pe, &handle));
		ck_ok(doca_pe_request_notification(pe));
		ck_assert(!unit_is_readable(pe));
		ck_ok(doca_pe_clear_notification(pe, handle));
		finish_one(callers[0]);
		ck_ok(doca_pe_request_notification(pe));
		ck_assert(unit_is_readable(pe));
		ck_ok(doca_pe_clear_notification(pe, handle));
		unit_progress(pe);
	}
	ck_assert_uint_eq(n_ok, 1);
	unit_put(src);
	unit_put(dst);
}
END_TEST

/* --- two exporters --- */

static struct requester_peer exporters[2];
static unsigned n_calls_made;

/* The first exporter is being called. The last call of the second one has failed, and the next one
 * succeeds. */
static struct requester_peer *exporter_find(struct caller *caller,
					    const struct peer_address *address)
{
	struct requester_peer *exporter = &exporters[address->endpoint_id - 1];

	exporter->qp = &caller->qp;
	if (exporter->state == REQUESTER_FAILED && exporter->n_calls != address->n_calls) {
		exporter->state = REQUESTER_READY;
		n_calls_made++;
	}
	return exporter;
}

/* A call of the first exporter has the number of an earlier call of the second one, whose failure
 * must not be reported as that of a call for this task. */
START_TEST(each_exporter_of_a_list_is_called)
{
	struct doca_mmap *second =
		unit_import((uintptr_t)remote_memory, LEN, true, true,
			    &(struct transport_region){.ops = &posted_ops, .pidfd = -1});
	struct doca_buf *src, *dst = dst_of(mmap, ours, 0, 4096);

	posted->endpoint_id = 1;
	second->endpoint_id = 2;
	second->is_posted = true;
	exporters[0] = (struct requester_peer){.state = REQUESTER_CALLED, .n_calls = 7};
	exporters[1] = (struct requester_peer){.state = REQUESTER_FAILED,
					       .failure = REQUESTER_UNTRIED,
					       .reason = "an earlier call failed",
					       .n_calls = 7};
	n_calls_made = 0;
	toy_find = exporter_find;
	src = src_of(posted, remote_memory, 0, 1000);
	unit_chain(src, src_of(second, remote_memory, 1000, 1000));
	encrypt(src, dst, 0);
	unit_progress(pe);
	ck_assert_uint_eq(callers[0]->n_posted, 0);
	exporters[0].state = REQUESTER_READY;
	toy_has_changed = true;
	finish_all();
	ck_assert_msg(n_failed == 0, "%s", sentence);
	ck_assert_uint_eq(n_ok, 1);
	ck_assert_uint_eq(n_calls_made, 1);
	unit_put(src);
	unit_put(dst);
	ck_ok(doca_mmap_destroy(second));
}
END_TEST

START_TEST(a_key_in_use_is_kept)
{
	struct doca_buf *src = src_of(posted, remote_memory, 0, 3000),
			*dst = dst_of(mmap, ours, 0, 4096);
	struct doca_task *task = encrypt_task(src, dst, 0);
	struct doca_aes_gcm_task_encrypt *sealing = (struct doca_aes_gcm_task_encrypt *)task;
	struct doca_aes_gcm_key *other;

	ck_ok(doca_aes_gcm_key_create(gcm, raw_key, DOCA_AES_GCM_KEY_128, &other));
	doca_aes_gcm_task_encrypt_set_key(sealing, other);
	doca_aes_gcm_task_encrypt_set_key(sealing, key);
	ck_ok(doca_task_submit(task));
	unit_progress(pe);
	ck_fails(doca_aes_gcm_key_destroy(key), DOCA_ERROR_IN_USE);
	/* The program cannot replace the key either. */
	doca_aes_gcm_task_encrypt_set_key(sealing, other);
	ck_says("keeps its key");
	ck_assert_ptr_eq(doca_aes_gcm_task_encrypt_get_key(sealing), key);
	ck_fails(doca_aes_gcm_key_destroy(key), DOCA_ERROR_IN_USE);
	ck_ok(doca_aes_gcm_key_destroy(other));
	finish_all();
	ck_assert_uint_eq(n_ok, 1);
	unit_put(src);
	unit_put(dst);
}
END_TEST

/* --- graphs --- */

static unsigned n_instances, n_failed_instances;

static void instance_ok(struct doca_graph_instance *instance, union doca_data data,
			union doca_data graph_data)
{
	(void)instance;
	(void)data;
	(void)graph_data;
	n_instances++;
}

static void instance_failed(struct doca_graph_instance *instance, union doca_data data,
			    union doca_data graph_data)
{
	(void)instance;
	(void)data;
	(void)graph_data;
	n_failed_instances++;
}

static void instance_run(struct doca_graph_instance *instance)
{
	unsigned n = n_instances + n_failed_instances;

	ck_ok(doca_graph_instance_submit(instance));
	while (n_instances + n_failed_instances == n) {
		unit_progress(pe);
		if (n_callers > 0 && callers[0]->n_posted > 0)
			finish_one(callers[0]);
	}
}

/* One node encrypts, the next one decrypts the result; a wrong AAD makes the graph fail. */
START_TEST(nodes_of_graphs_are_held)
{
	struct doca_buf *src = src_of(posted, remote_memory, 0, 3000),
			*sealed = dst_of(posted, remote_memory, 0, 4096),
			*back = dst_of(posted, remote_memory, 8192, 4096);
	struct doca_task *first = encrypt_task(src, sealed, 0);
	struct doca_aes_gcm_task_decrypt *second = decrypt_task(sealed, back);
	struct doca_graph_node *nodes[2];
	struct doca_graph_instance *instance;
	struct doca_graph *graph;

	n_instances = n_failed_instances = 0;
	ck_ok(doca_graph_create(pe, &graph));
	ck_ok(doca_graph_set_conf(graph, instance_ok, instance_failed, 1));
	ck_ok(doca_graph_node_create_from_ctx(graph, ctx, &nodes[0]));
	ck_ok(doca_graph_node_create_from_ctx(graph, ctx, &nodes[1]));
	ck_ok(doca_graph_add_dependency(graph, nodes[0], nodes[1]));
	ck_ok(doca_graph_start(graph));
	ck_ok(doca_graph_instance_create(graph, &instance));
	ck_ok(doca_graph_instance_set_ctx_node_data(instance, nodes[0], first));
	ck_ok(doca_graph_instance_set_ctx_node_data(instance, nodes[1],
						    doca_aes_gcm_task_decrypt_as_task(second)));
	instance_run(instance);
	ck_assert_uint_eq(n_instances, 1);
	ck_assert_mem_eq(remote_memory + LEN / 2 + 8192, ours, 3000);
	ck_ok(doca_buf_reset_data_len(sealed));
	ck_ok(doca_buf_reset_data_len(back));
	doca_aes_gcm_task_decrypt_set_aad_size(second, AAD + 1);
	instance_run(instance);
	ck_assert_uint_eq(n_failed_instances, 1);
	ck_assert_uint_eq(back->data_len, 0);
	ck_ok(doca_graph_instance_destroy(instance));
	ck_ok(doca_graph_stop(graph));
	ck_ok(doca_graph_destroy(graph));
	doca_task_free(first);
	doca_task_free(doca_aes_gcm_task_decrypt_as_task(second));
	unit_put(src);
	unit_put(sealed);
	unit_put(back);
}
END_TEST

/* --- the thread --- */

/* Waits as an event-driven program does. */
static void await_by_events(unsigned n)
{
	doca_notification_handle_t handle;
	struct epoll_event event;

	ck_ok(doca_pe_get_notification_handle(pe, &handle));
	while (n_ok + n_failed < n) {
		ck_ok(doca_pe_request_notification(pe));
		ck_assert_int_ge(epoll_wait(handle, &event, 1, 20000), 1);
		ck_ok(doca_pe_clear_notification(pe, handle));
		unit_progress(pe);
	}
}

START_TEST(the_engine_goes_on_beside_a_long_task)
{
	struct doca_buf *src = src_of(peer, peers, 0, 3000), *local = src_of(mmap, ours, 0, 100),
			*dst = dst_of(mmap, ours, 0, 4096), *copied = dst_of(mmap, ours, 4096, 200),
			*sealed = dst_of(mmap, ours, 8192, 200);

	has_gate = true;
	encrypt(src, dst, 1);
	encrypt(local, sealed, 2);
	while (sem_trywait(&at_gate) != 0)
		unit_progress(pe);
	/* The thread waits in the middle of the task. */
	copier_submit(&copier, local, copied);
	unit_progress(pe);
	ck_assert_uint_eq(copier.n_ok, 1);
	ck_assert_uint_eq(n_ok + n_failed, 0);
	if (_i == 2) {
		ck_fails(doca_ctx_stop(ctx), DOCA_ERROR_IN_PROGRESS);
		unit_progress(pe);
		ck_assert_int_eq(unit_state(ctx), STOPPING);
	}
	has_gate = false;
	sem_post(&gate);
	if (_i == 0)
		await_by_events(2);
	else
		await(2);
	/* What had begun when the context stopped has its result. */
	ck_assert_uint_eq(n_ok, _i == 2 ? 1 : 2);
	ck_assert_uint_eq(order[0], 1);
	ck_assert_uint_eq(order[1], 2);
	ck_assert_uint_eq(dst->data_len, 3000 + TAG);
	unit_put(src);
	unit_put(local);
	unit_put(dst);
	unit_put(copied);
	unit_put(sealed);
}
END_TEST

START_TEST(an_event_wakes_the_engine_each_time)
{
	struct doca_buf *src = src_of(mmap, ours, 0, 3000), *dst = dst_of(mmap, ours, 0, 4096);

	expect_sealed(3000);
	for (unsigned i = 0; i < 300; i++) {
		unsigned n = n_ok;

		ck_ok(doca_buf_reset_data_len(dst));
		encrypt(src, dst, i);
		await_by_events(n + 1);
		ck_assert_uint_eq(n_failed, 0);
		ck_assert_mem_eq(ours + LEN / 2, expected, 3000 + TAG);
		/* Without held tasks and paths, the engine does not poll the context. */
		ck_assert(!ctx->polled);
	}
	unit_put(src);
	unit_put(dst);
}
END_TEST

START_TEST(a_failure_on_the_thread_has_its_sentence)
{
	struct doca_buf *src = src_of(mmap, ours, 0, 3000), *dst = dst_of(mmap, ours, 0, 4096);

	memset(ours + LEN / 2, 0xaa, 3000);
	decrypt(src, dst);
	await(1);
	ck_assert_uint_eq(n_failed, 1);
	ck_assert_int_eq(status, DOCA_ERROR_IO_FAILED);
	ck_assert_msg(strstr(sentence, "tag does not match") != NULL, "%s", sentence);
	ck_assert_uint_eq(dst->data_len, 0);
	/* The program may have exported the destination meanwhile, so that no plaintext was there
	 * before the tag was checked. */
	for (size_t i = 0; i < 3000; i++)
		ck_assert_uint_eq(ours[LEN / 2 + i], 0xaa);
	unit_put(src);
	unit_put(dst);
}
END_TEST

/* The thread is not in the child, whose calls neither wait for it nor touch its task. */
START_TEST(a_child_does_not_wait_for_the_thread)
{
	struct doca_buf *src = src_of(peer, peers, 0, 3000), *dst = dst_of(mmap, ours, 0, 4096);
	int how;
	pid_t pid;

	has_gate = true;
	encrypt(src, dst, 1);
	while (sem_trywait(&at_gate) != 0)
		unit_progress(pe);
	pid = fork();
	ck_assert_int_ge(pid, 0);
	if (pid == 0)
		_exit(doca_pe_progress(pe) == 0 && n_ok + n_failed == 0 &&
				      doca_ctx_stop(ctx) == DOCA_ERROR_NOT_CONNECTED &&
				      doca_aes_gcm_destroy(gcm) == DOCA_ERROR_IN_USE
			      ? 0
			      : 1);
	ck_assert_int_eq(waitpid(pid, &how, 0), pid);
	ck_assert_int_eq(how, 0);
	has_gate = false;
	sem_post(&gate);
	await(1);
	ck_assert_uint_eq(n_ok, 1);
	unit_put(src);
	unit_put(dst);
}
END_TEST

/* Completions of requests leave nothing to do before the thread has finished. */
START_TEST(the_engine_sleeps_while_the_thread_works)
{
	struct doca_buf *src = src_of(posted, remote_memory, 0, 3000),
			*dst = dst_of(peer, peers, 0, 4096);
	doca_notification_handle_t handle;

	has_gate = true;
	encrypt(src, dst, 0);
	finish_all();
	while (sem_wait(&at_gate) != 0)
		continue;
	unit_progress(pe);
	ck_ok(doca_pe_get_notification_handle(pe, &handle));
	ck_ok(doca_pe_request_notification(pe));
	ck_assert(!unit_is_readable(pe));
	ck_ok(doca_pe_clear_notification(pe, handle));
	ck_assert_uint_eq(n_ok + n_failed, 0);
	has_gate = false;
	sem_post(&gate);
	await(1);
	ck_assert_uint_eq(n_ok, 1);
	unit_put(src);
	unit_put(dst);
}
END_TEST

START_TEST(the_thread_works_on_bounce_memory)
{
	struct doca_buf *src = src_of(posted, remote_memory, 0, 3000),
			*dst = dst_of(posted, remote_memory, 0, 4096);

	expect_sealed(3000);
	n_ok = 0;
	encrypt(src, dst, 0);
	serve(1);
	ck_assert_uint_eq(n_ok, 1);
	ck_assert_mem_eq(remote_memory + LEN / 2, expected, 3000 + TAG);
	unit_put(src);
	unit_put(dst);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("client/staging");
	TCase *tcase = unit_case(suite, "remote", UNIT_TIMEOUT);
	TCase *small = unit_case(suite, "small", UNIT_TIMEOUT);
	TCase *thread = unit_case(suite, "thread", UNIT_TIMEOUT);

	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_loop_test(tcase, a_result_is_complete_when_it_is_written, 0, 5);
	tcase_add_test(tcase, lists_may_mix_all_kinds_of_memory);
	tcase_add_loop_test(tcase, a_forged_message_writes_nothing, 0, 2);
	tcase_add_test(tcase, tasks_complete_in_order);
	tcase_add_loop_test(tcase, a_failed_request_fails_its_task, 0, 2);
	tcase_add_loop_test(tcase, held_tasks_end_with_the_context, 0, 2);
	tcase_add_loop_test(tcase, a_wrong_size_is_ignored, 0, 6);
	tcase_add_test(tcase, the_engine_sleeps_while_requests_are_posted);
	tcase_add_test(tcase, a_key_in_use_is_kept);
	tcase_add_test(tcase, each_exporter_of_a_list_is_called);
	tcase_add_test(tcase, nothing_is_allocated_or_locked);
	tcase_add_test(tcase, nodes_of_graphs_are_held);
	tcase_add_checked_fixture(small, setup_small, teardown);
	tcase_add_loop_test(small, the_bounce_memory_limits_a_task, 0, 2);
	tcase_add_checked_fixture(thread, setup_thread, teardown);
	tcase_add_loop_test(thread, the_engine_goes_on_beside_a_long_task, 0, 3);
	tcase_add_test(thread, an_event_wakes_the_engine_each_time);
	tcase_add_test(thread, a_child_does_not_wait_for_the_thread);
	tcase_add_test(thread, nothing_is_allocated_or_locked);
	tcase_add_test(thread, nodes_of_graphs_are_held);
	tcase_add_test(thread, a_failure_on_the_thread_has_its_sentence);
	tcase_add_test(thread, the_engine_sleeps_while_the_thread_works);
	tcase_add_test(thread, the_thread_works_on_bounce_memory);
	return unit_run(suite);
}
