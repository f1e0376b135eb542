/*
 * SHA jobs compared with known digests: all types, sessions, queued segments, copies of sessions,
 * errors, the rule for destinations before 2.2, objects of another generation.
 */
#define DOCA_API_LIBRARY

#include <doca_sha.h>
#include <dococ/sha_workq.h>

#include <stdio.h>

#include "client/compat/workq/jobs.h"
#include "client/sha/sha.h"
#include "tests/unit/client/compat/fixture.h"

#define LEN       4096u
#define N_DIGESTS 3u

static const struct {
	const char *text;
	const char *digests[N_DIGESTS];
} known[] = {
	{"abc",
	 {"a9993e364706816aba3e25717850c26c9cd0d89d",
	  "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
	  "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a"
	  "2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f"}},
	{"",
	 {"da39a3ee5e6b4b0d3255bfef95601890afd80709",
	  "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
	  "cf83e1357eefb8bdf1542850d66d8007d620e4050b5715dc83f4a921d36ce9ce"
	  "47d0d13c5d85f2b0ff8318d2877eec2f63b931bd47417a81a538327af927da3e"}},
	{"abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqr"
	 "lmnopqrsmnopqrstnopqrstu",
	 {"a49b2446a02c645bf419f995b67091253a04a259",
	  "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1",
	  "8e959b75dae313da8cf4f72814fc143f8f7779c6eb9f7fa17299aeadb6889018"
	  "501d289e4900f7e4331b99dec4b5433ac7d329eeb6dd26545e96e55b874be909"}},
};
static const uint32_t digest_lens[N_DIGESTS] = {DOCA_SHA1_BYTE_COUNT, DOCA_SHA256_BYTE_COUNT,
						DOCA_SHA512_BYTE_COUNT};

static uint8_t from[LEN], to[LEN];
static struct doca_mmap *map_from, *map_to;
static struct doca_buf_inventory *inventory;
static struct doca_sha *sha;
static struct doca_ctx *ctx;
static struct doca_workq *workq;

static void open_all(uint16_t api)
{
	unit_info.caps.sha_algorithms = unit_info.caps.sha_partial_algorithms = 7;
	unit_info.caps.sha_max_src_size = 2048;
	unit_info.caps.sha_max_list_len = 4;
	map_from = unit_mmap(from, LEN, DOCA_ACCESS_FLAG_LOCAL_READ_ONLY);
	map_to = unit_mmap(to, LEN, DOCA_ACCESS_FLAG_LOCAL_READ_WRITE);
	inventory = unit_inventory(64);
	ck_ok(compat_sha_create(&sha));
	ctx = doca_sha_as_ctx(sha);
	ck_ok(doca_ctx_dev_add(ctx, &unit_dev));
	ck_ok(compat_ctx_start(ctx));
	workq = queue_new(8, api);
	ck_ok(doca_ctx_workq_add(ctx, workq));
}

static void setup(void)
{
	open_all(API_2_2);
}

static void teardown(void)
{
	ck_ok(doca_ctx_workq_rm(ctx, workq));
	ck_ok(doca_workq_destroy(workq));
	ck_fails(doca_sha_destroy(sha), DOCA_ERROR_IN_USE);
	ck_ok(compat_ctx_stop(ctx));
	ck_ok(doca_sha_destroy(sha));
	ck_ok(doca_buf_inventory_destroy(inventory));
	ck_ok(doca_mmap_destroy(map_from));
	ck_ok(doca_mmap_destroy(map_to));
	ck_assert_uint_eq(unit_dev.n_users, 0);
}

static struct doca_buf *source(const void *bytes, size_t at, size_t len)
{
	struct doca_buf *buf;

	if (bytes != NULL)
		memcpy(from + at, bytes, len);
	ck_ok(doca_buf_inventory_buf_get_by_data(inventory, map_from, from + at, len, &buf));
	return buf;
}

static struct doca_buf *destination(size_t len, size_t used)
{
	struct doca_buf *buf;

	ck_ok(doca_buf_inventory_buf_get_by_args(inventory, map_to, to, len, to, used, &buf));
	return buf;
}

static void put(struct doca_buf *buf)
{
	ck_ok(doca_buf_dec_refcount(buf, NULL));
}

static struct doca_sha_job job_of(int type, struct doca_buf *src, struct doca_buf *dst)
{
	return (struct doca_sha_job){.base = {.type = type, .ctx = ctx, .user_data = {.u64 = 55}},
				     .req_buf = src,
				     .resp_buf = dst};
}

/* Retrieves the event of a job. */
static void await(int type, doca_error_t status)
{
	struct doca_event event;
	doca_error_t result;

	do
		result = doca_workq_progress_retrieve(workq, &event, 0);
	while (result == DOCA_ERROR_AGAIN);
	ck_assert_int_eq(result, status == DOCA_SUCCESS ? DOCA_SUCCESS : DOCA_ERROR_IO_FAILED);
	ck_assert_int_eq(event.type, type);
	ck_assert_uint_eq(event.user_data.u64, 55);
	ck_assert_uint_eq(event.result.u64, status);
}

static void check_digest(size_t at, unsigned algorithm, const char *hex)
{
	for (uint32_t i = 0; i < digest_lens[algorithm]; i++) {
		unsigned byte;

		ck_assert_int_eq(sscanf(hex + (size_t)2 * i, "%2x", &byte), 1);
		ck_assert_uint_eq(to[at + i], byte);
	}
}

START_TEST(digests_are_those_that_are_known)
{
	for (unsigned k = 0; k < ARRAY_LEN(known); k++) {
		for (unsigned a = 0; a < N_DIGESTS; a++) {
			struct doca_buf *src = source(known[k].text, 0, strlen(known[k].text));
			struct doca_buf *dst = destination(LEN, 16);
			int type = DOCA_SHA_JOB_SHA1 + (int)a;
			struct doca_sha_job job = job_of(type, src, dst);

			ck_ok(doca_workq_submit(workq, &job.base));
			await(type, DOCA_SUCCESS);
			ck_assert_uint_eq(dst->data_len, 16 + digest_lens[a]);
			check_digest(16, a, known[k].digests[a]);
			put(src);
			put(dst);
		}
	}
}
END_TEST

static struct doca_sha_partial_session *session_new(void)
{
	struct doca_sha_partial_session *session;

	ck_ok(doca_sha_partial_session_create(sha, workq, &session));
	return session;
}

static void submit_segment(int type, struct doca_sha_partial_session *session, struct doca_buf *src,
			   struct doca_buf *dst, bool is_final)
{
	struct doca_sha_partial_job job = {.sha_job = job_of(type, src, dst), .session = session};

	if (is_final)
		job.sha_job.flags = DOCA_SHA_JOB_FLAGS_SHA_PARTIAL_FINAL;
	ck_ok(doca_workq_submit(workq, &job.sha_job.base));
}

/* Computes the digest of the whole by one job, at the position after `at`. */
static void plain(unsigned algorithm, size_t len, uint8_t *digest)
{
	struct doca_buf *src = source(NULL, 0, len), *dst = destination(LEN, 0);
	struct doca_sha_job job = job_of(DOCA_SHA_JOB_SHA1 + (int)algorithm, src, dst);

	ck_ok(doca_workq_submit(workq, &job.base));
	await(DOCA_SHA_JOB_SHA1 + (int)algorithm, DOCA_SUCCESS);
	memcpy(digest, to, digest_lens[algorithm]);
	put(src);
	put(dst);
}

/* Two messages at once with queued segments, through sessions that are reused. */
START_TEST(sessions_digest_segments)
{
	struct doca_sha_partial_session *sessions[2] = {session_new(), session_new()};
	uint64_t seed = 11;

	for (size_t i = 0; i < LEN; i++)
		from[i] = (uint8_t)unit_random(&seed);
	for (unsigned round = 0; round < 3 * N_DIGESTS; round++) {
		unsigned algorithm = round % N_DIGESTS;
		int type = DOCA_SHA_JOB_SHA1_PARTIAL + (int)algorithm;
		size_t lens[2] = {128 * 3 + round, 128 * 2};
		struct doca_buf *dst = destination(LEN, 0), *parts[2][4];
		uint8_t wanted[2][64];

		for (unsigned s = 0; s < 2; s++)
			plain(algorithm, lens[s], wanted[s]);
		memset(to, 0, sizeof(to));
		for (size_t k = 0; k < 4; k++) {
			for (unsigned s = 0; s < 2; s++) {
				size_t at = MIN(128 * k, lens[s]), len = MIN(128, lens[s] - at);

				parts[s][k] = source(NULL, at, len);
				submit_segment(type, sessions[s], parts[s][k], dst, k == 3);
			}
		}
		ck_fails(doca_sha_partial_session_destroy(sha, workq, sessions[0]),
			 DOCA_ERROR_INVALID_VALUE);
		ck_fails(doca_sha_partial_session_copy(sha, workq, sessions[0], sessions[1]),
			 DOCA_ERROR_UNEXPECTED);
		for (unsigned n = 0; n < 8; n++)
			await(type, DOCA_SUCCESS);
		ck_assert_uint_eq(dst->data_len, 2 * digest_lens[algorithm]);
		ck_assert_mem_eq(to, wanted[0], digest_lens[algorithm]);
		ck_assert_mem_eq(to + digest_lens[algorithm], wanted[1], digest_lens[algorithm]);
		for (unsigned n = 0; n < 8; n++)
			put(parts[n % 2][n / 2]);
		put(dst);
	}
	ck_ok(doca_sha_partial_session_destroy(sha, workq, sessions[0]));
	/* The other one is destroyed with its work-queue context. */
}
END_TEST

START_TEST(a_copied_session_continues)
{
	struct doca_sha_partial_session *first = session_new(), *second = session_new();
	struct doca_buf *head = source(NULL, 0, 64), *tail = source(NULL, 64, 36);
	struct doca_buf *dst = destination(LEN, 0);
	uint8_t wanted[64];

	memset(from, 'x', LEN);
	plain(1, 100, wanted);
	submit_segment(DOCA_SHA_JOB_SHA256_PARTIAL, first, head, dst, false);
	await(DOCA_SHA_JOB_SHA256_PARTIAL, DOCA_SUCCESS);
	ck_assert_uint_eq(dst->data_len, 0);
	ck_ok(doca_sha_partial_session_copy(sha, workq, first, second));
	for (unsigned i = 0; i < 2; i++) {
		submit_segment(DOCA_SHA_JOB_SHA256_PARTIAL, i == 0 ? second : first, tail, dst,
			       true);
		await(DOCA_SHA_JOB_SHA256_PARTIAL, DOCA_SUCCESS);
		ck_assert_uint_eq(dst->data_len, 32 * (i + 1));
		ck_assert_mem_eq(to + (size_t)32 * i, wanted, 32);
	}
	put(head);
	put(tail);
	put(dst);
}
END_TEST

/* A failure affects neither the context nor the session's next message. */
START_TEST(a_failed_job_is_reported_and_forgotten)
{
	struct doca_sha_partial_session *session = session_new();
	struct doca_buf *odd = source(NULL, 0, 63), *block = source(NULL, 0, 64);
	struct doca_buf *dst = destination(LEN, 0), *small = destination(19, 0);
	struct doca_buf *huge = source(NULL, 0, 2049);
	struct doca_sha_job job = job_of(DOCA_SHA_JOB_SHA1, block, small);
	uint8_t wanted[64];

	plain(0, 64, wanted);
	ck_ok(doca_workq_submit(workq, &job.base));
	await(DOCA_SHA_JOB_SHA1, DOCA_ERROR_IO_FAILED);
	ck_assert_uint_eq(small->data_len, 0);
	job.resp_buf = dst;
	job.req_buf = huge;
	ck_ok(doca_workq_submit(workq, &job.base));
	await(DOCA_SHA_JOB_SHA1, DOCA_ERROR_IO_FAILED);
	submit_segment(DOCA_SHA_JOB_SHA1_PARTIAL, session, block, dst, false);
	await(DOCA_SHA_JOB_SHA1_PARTIAL, DOCA_SUCCESS);
	submit_segment(DOCA_SHA_JOB_SHA1_PARTIAL, session, odd, dst, false);
	await(DOCA_SHA_JOB_SHA1_PARTIAL, DOCA_ERROR_IO_FAILED);
	submit_segment(DOCA_SHA_JOB_SHA1_PARTIAL, session, block, dst, false);
	submit_segment(DOCA_SHA_JOB_SHA256_PARTIAL, session, block, dst, true);
	await(DOCA_SHA_JOB_SHA1_PARTIAL, DOCA_SUCCESS);
	await(DOCA_SHA_JOB_SHA256_PARTIAL, DOCA_ERROR_IO_FAILED);
	ck_assert_uint_eq(dst->data_len, 0);
	submit_segment(DOCA_SHA_JOB_SHA1_PARTIAL, session, block, dst, true);
	await(DOCA_SHA_JOB_SHA1_PARTIAL, DOCA_SUCCESS);
	ck_assert_mem_eq(to, wanted, 20);
	put(odd);
	put(block);
	put(dst);
	put(small);
	put(huge);
}
END_TEST

START_TEST(wrong_jobs_are_refused)
{
	struct doca_buf *src = source(NULL, 0, 64), *dst = destination(LEN, 0);
	struct doca_sha_partial_session *session = session_new();
	struct doca_sha_partial_job job = {.sha_job = job_of(DOCA_SHA_JOB_SHA1_PARTIAL, src, dst),
					   .session = session};
	struct doca_sha_partial_job bad;
	struct doca_event event, before;

	memset(&before, 0xa5, sizeof(before));
	event = before;
#define REFUSED(field, value)                                                                    \
	do {                                                                                     \
		bad = job;                                                                       \
		bad.field = (value);                                                             \
		ck_fails(doca_workq_submit(workq, &bad.sha_job.base), DOCA_ERROR_INVALID_VALUE); \
	} while (0)
	REFUSED(sha_job.req_buf, NULL);
	REFUSED(sha_job.resp_buf, NULL);
	REFUSED(sha_job.flags, 2);
	REFUSED(sha_job.base.flags, 1);
	REFUSED(sha_job.base.type, DOCA_SHA_JOB_SHA512_PARTIAL + 1);
	REFUSED(sha_job.base.type, DOCA_ACTION_SHA_FIRST);
	REFUSED(session, NULL);
	REFUSED(session, (struct doca_sha_partial_session *)(void *)&bad);
	/* The flag is for segments only. */
	job.sha_job.flags = DOCA_SHA_JOB_FLAGS_SHA_PARTIAL_FINAL;
	REFUSED(sha_job.base.type, DOCA_SHA_JOB_SHA1);
	sha_of(workq_ctx_find(workq, ctx)->core)->algorithms = 0;
	job.sha_job.flags = 0;
	REFUSED(sha_job.base.type, DOCA_SHA_JOB_SHA1);
	ck_fails(doca_workq_progress_retrieve(workq, &event, 0), DOCA_ERROR_AGAIN);
	ck_assert_mem_eq(&event, &before, sizeof(event));
	put(src);
	put(dst);
}
END_TEST

START_TEST(before_2_2_the_digest_replaces)
{
	struct doca_buf *src, *dst;
	struct doca_sha_job job;

	open_all(API_2_0);
	src = source("abc", 0, 3);
	dst = destination(20, 20);
	job = job_of(DOCA_SHA_JOB_SHA1, src, dst);
	ck_ok(doca_workq_submit(workq, &job.base));
	await(DOCA_SHA_JOB_SHA1, DOCA_SUCCESS);
	ck_assert_uint_eq(dst->data_len, 20);
	check_digest(0, 0, known[0].digests[0]);
	put(src);
	put(dst);
	teardown();
}
END_TEST

static void no_task(struct doca_sha_task_hash *task, union doca_data task_data,
		    union doca_data ctx_data)
{
	(void)task;
	(void)task_data;
	(void)ctx_data;
}

static void no_segment(struct doca_sha_task_partial_hash *task, union doca_data task_data,
		       union doca_data ctx_data)
{
	(void)task;
	(void)task_data;
	(void)ctx_data;
}

START_TEST(generations_do_not_mix)
{
	struct doca_buf *src = source("abc", 0, 3), *dst = destination(LEN, 0);
	struct doca_sha_partial_session *session;
	struct doca_sha_task_partial_hash *segment;
	struct doca_sha_task_hash *task;
	union doca_data nothing = {.u64 = 0};
	struct doca_sha *other;
	uint32_t n;

	ck_fails(doca_sha_task_hash_set_conf(sha, no_task, no_task, 0), DOCA_ERROR_BAD_STATE);
	ck_says("2.0");
	ck_fails(doca_sha_task_partial_hash_set_conf(sha, no_segment, no_segment, 0),
		 DOCA_ERROR_BAD_STATE);
	ck_fails(doca_sha_task_hash_alloc_init(sha, 0, src, dst, nothing, &task),
		 DOCA_ERROR_BAD_STATE);
	ck_fails(doca_sha_task_partial_hash_alloc_init(sha, 0, src, dst, nothing, &segment),
		 DOCA_ERROR_BAD_STATE);
	ck_fails(doca_sha_cap_get_max_num_tasks(sha, &n), DOCA_ERROR_BAD_STATE);
	ck_ok(doca_sha_create(&unit_dev, &other));
	ck_fails(doca_sha_partial_session_create(other, workq, &session), DOCA_ERROR_BAD_STATE);
	ck_fails(doca_sha_partial_session_destroy(other, workq, NULL), DOCA_ERROR_BAD_STATE);
	ck_fails(doca_sha_partial_session_copy(other, workq, NULL, NULL), DOCA_ERROR_BAD_STATE);
	ck_ok(doca_sha_destroy(other));
	put(src);
	put(dst);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("compat/sha");
	TCase *tcase = unit_case(suite, "sha", UNIT_TIMEOUT);
	TCase *alone = unit_case(suite, "alone", UNIT_TIMEOUT);

	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_test(tcase, digests_are_those_that_are_known);
	tcase_add_test(tcase, sessions_digest_segments);
	tcase_add_test(tcase, a_copied_session_continues);
	tcase_add_test(tcase, a_failed_job_is_reported_and_forgotten);
	tcase_add_test(tcase, wrong_jobs_are_refused);
	tcase_add_test(tcase, generations_do_not_mix);
	tcase_add_test(alone, before_2_2_the_digest_replaces);
	return unit_run(suite);
}
