/*
 * Erasure coding jobs as programs of 2.2 use them: every result code that 2.2.0 documents is
 * provoked, or listed with the reason why not; each type of job, matrices in use, failures, a graph
 * of jobs, a device without erasure coding. Runs on the host side of a lab.
 */
#include <string.h>

#include <doca_erasure_coding.h>
#include <doca_graph.h>

#include "tests/conformance/v2_2/jobs.h"

#define N_DATA 4u
#define N_RDNC 2u
#define BLOCK  256u
#define OUT    4096u /* the offset of results in `memory` */

static struct doca_ec *ec;
static struct doca_ctx *ctx;
static struct doca_matrix *coding;

static void setup_started(void)
{
	setup();
	PASSES(doca_ec_create(&ec));
	ctx = CALLED(doca_ec_as_ctx(ec));
	ctx_open(ctx);
	PASSES(doca_ec_matrix_create(ec, DOCA_CODING_MATRIX_CAUCHY, N_DATA, N_RDNC, &coding));
	use_fill(memory, N_DATA * BLOCK, 3);
}

static void teardown_started(void)
{
	PASSES(doca_ec_matrix_destroy(coding));
	RETURNS(DOCA_ERROR_IN_USE, doca_ec_destroy(ec));
	ctx_close(ctx);
	PASSES(doca_ec_destroy(ec));
	teardown();
}

/* All types of jobs have the same members. */
static struct doca_ec_job job_of(enum doca_ec_job_types type, struct doca_matrix *matrix,
				 const struct doca_buf *src, struct doca_buf *dst)
{
	return (struct doca_ec_job){
		.base = {.type = (int)type, .ctx = ctx, .user_data = {.ptr = dst}},
		.coding_matrix = matrix,
		.src_buff = src,
		.dst_buff = dst};
}

/* Runs a job from the beginning of `memory` to OUT. */
static void run(enum doca_ec_job_types type, struct doca_matrix *matrix, size_t n_in, size_t n_out)
{
	struct doca_buf *src = source(0, n_in * BLOCK), *dst = destination(OUT, n_out * BLOCK);
	const struct doca_ec_job job = job_of(type, matrix, src, dst);

	run_job(&job.base, DOCA_SUCCESS);
	ck_assert_uint_eq(buf_data_len(dst), n_out * BLOCK);
	buf_release(src);
	buf_release(dst);
}

START_TEST(test_calls)
{
	struct doca_ec *other;
	uint32_t n;

	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_ec_create(NULL));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_ec_destroy(NULL));
	ck_assert_ptr_null(CALLED(doca_ec_as_ctx(NULL)));
	if (allocount_works)
		RUNS_OUT(0, doca_ec_create(&other));
	PASSES(doca_ec_create(&other));
	PASSES(doca_ec_destroy(other));
	for (int i = DOCA_EC_JOB_GALOIS_MUL; i <= DOCA_EC_JOB_RECOVER; i++) {
		enum doca_ec_job_types type = (enum doca_ec_job_types)i;

		PASSES(doca_ec_job_get_supported(info, type));
		RETURNS(DOCA_ERROR_INVALID_VALUE, doca_ec_job_get_supported(NULL, type));
		PASSES(doca_ec_get_max_buffer_size(info, type, &n));
		ck_assert_uint_ge(n, 1u << 20);
		RETURNS(DOCA_ERROR_INVALID_VALUE, doca_ec_get_max_buffer_size(NULL, type, &n));
		RETURNS(DOCA_ERROR_INVALID_VALUE, doca_ec_get_max_buffer_size(info, type, NULL));
	}
	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_ec_job_get_supported(info, (enum doca_ec_job_types)0));
	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_ec_get_max_buffer_size(info, (enum doca_ec_job_types)0, &n));
	PASSES(doca_ec_get_max_list_buf_num_elem(info, &n));
	ck_assert_uint_ge(n, 64);
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_ec_get_max_list_buf_num_elem(NULL, &n));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_ec_get_max_list_buf_num_elem(info, NULL));
}
END_TEST

static void coding_matrices(void)
{
	uint8_t raw[] = {1, 1, 1, 2, 1, 1, 1, 2};
	struct doca_matrix *matrix = NULL;

	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_ec_matrix_create(NULL, DOCA_CODING_MATRIX_CAUCHY, 4, 2, &matrix));
	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_ec_matrix_create(ec, (enum doca_ec_matrix_types)0, 4, 2, &matrix));
	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_ec_matrix_create(ec, DOCA_CODING_MATRIX_CAUCHY, 0, 2, &matrix));
	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_ec_matrix_create(ec, DOCA_CODING_MATRIX_CAUCHY, 4, 0, &matrix));
	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_ec_matrix_create(ec, DOCA_CODING_MATRIX_VANDERMONDE, 255, 2, &matrix));
	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_ec_matrix_create(ec, DOCA_CODING_MATRIX_CAUCHY, 4, 2, NULL));
	PASSES(doca_ec_matrix_create(ec, DOCA_CODING_MATRIX_VANDERMONDE, 4, 2, &matrix));
	PASSES(doca_ec_matrix_destroy(matrix));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_ec_matrix_destroy(NULL));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_ec_matrix_from_raw(NULL, raw, 4, 2, &matrix));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_ec_matrix_from_raw(ec, NULL, 4, 2, &matrix));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_ec_matrix_from_raw(ec, raw, 0, 2, &matrix));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_ec_matrix_from_raw(ec, raw, 4, 0, &matrix));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_ec_matrix_from_raw(ec, raw, 4, 2, NULL));
	PASSES(doca_ec_matrix_from_raw(ec, raw, 4, 2, &matrix));
	PASSES(doca_ec_matrix_destroy(matrix));
	if (!allocount_works)
		return;
	RUNS_OUT(0, doca_ec_matrix_create(ec, DOCA_CODING_MATRIX_CAUCHY, 4, 2, &matrix));
	RUNS_OUT(1, doca_ec_matrix_create(ec, DOCA_CODING_MATRIX_CAUCHY, 4, 2, &matrix));
	RUNS_OUT(0, doca_ec_matrix_from_raw(ec, raw, 4, 2, &matrix));
}

static void derived_matrices(void)
{
	uint8_t raw[] = {1, 1, 1, 2, 1, 1, 1, 2};
	uint32_t two[] = {0, 3}, twice[] = {1, 1}, far[] = {6}, three[] = {0, 1, 2}, rdnc[] = {4};
	struct doca_matrix *derived = NULL, *equal_rows, *none = NULL;

	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_ec_update_matrix_create(none, ec, two, 2, &derived));
	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_ec_update_matrix_create(coding, NULL, two, 2, &derived));
	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_ec_update_matrix_create(coding, ec, NULL, 2, &derived));
	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_ec_update_matrix_create(coding, ec, two, 0, &derived));
	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_ec_update_matrix_create(coding, ec, twice, 2, &derived));
	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_ec_update_matrix_create(coding, ec, rdnc, 1, &derived));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_ec_update_matrix_create(coding, ec, two, 2, NULL));
	PASSES(doca_ec_update_matrix_create(coding, ec, two, 2, &derived));
	/* Nothing is derived from a derived matrix. */
	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_ec_recover_matrix_create(derived, ec, two, 1, &equal_rows));
	PASSES(doca_ec_matrix_destroy(derived));
	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_ec_recover_matrix_create(none, ec, two, 2, &derived));
	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_ec_recover_matrix_create(coding, NULL, two, 2, &derived));
	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_ec_recover_matrix_create(coding, ec, NULL, 2, &derived));
	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_ec_recover_matrix_create(coding, ec, two, 0, &derived));
	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_ec_recover_matrix_create(coding, ec, three, 3, &derived));
	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_ec_recover_matrix_create(coding, ec, far, 1, &derived));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_ec_recover_matrix_create(coding, ec, two, 2, NULL));
	PASSES(doca_ec_matrix_from_raw(ec, raw, 4, 2, &equal_rows));
	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_ec_recover_matrix_create(equal_rows, ec, two, 2, &derived));
	PASSES(doca_ec_matrix_destroy(equal_rows));
	if (!allocount_works)
		return;
	RUNS_OUT(0, doca_ec_update_matrix_create(coding, ec, two, 2, &derived));
	RUNS_OUT(0, doca_ec_recover_matrix_create(coding, ec, two, 1, &derived));
	RUNS_OUT(1, doca_ec_recover_matrix_create(coding, ec, two, 1, &derived));
}

START_TEST(test_matrices)
{
	coding_matrices();
	derived_matrices();
}
END_TEST

/* Makes redundancy, changes a block, loses two others and recovers them. */
START_TEST(test_jobs)
{
	uint8_t data[N_DATA * BLOCK], rdnc[N_RDNC * BLOCK];
	struct doca_matrix *update, *recover;
	uint32_t changed[] = {1}, lost[] = {3, 0};

	run(DOCA_EC_JOB_GALOIS_MUL, coding, N_DATA, N_RDNC);
	memcpy(rdnc, memory + OUT, sizeof(rdnc));
	run(DOCA_EC_JOB_CREATE, coding, N_DATA, N_RDNC);
	ck_assert_mem_eq(memory + OUT, rdnc, sizeof(rdnc));
	memcpy(data, memory, sizeof(data));
	use_fill(data + BLOCK, BLOCK, 9);
	/* Old and new content of the block, and the redundancy. */
	memcpy(memory, memory + BLOCK, BLOCK);
	memcpy(memory + BLOCK, data + BLOCK, BLOCK);
	memcpy(memory + (size_t)2 * BLOCK, rdnc, sizeof(rdnc));
	PASSES(doca_ec_update_matrix_create(coding, ec, changed, 1, &update));
	run(DOCA_EC_JOB_UPDATE, update, 2 + N_RDNC, N_RDNC);
	memcpy(rdnc, memory + OUT, sizeof(rdnc));
	memcpy(memory, data, sizeof(data));
	run(DOCA_EC_JOB_CREATE, coding, N_DATA, N_RDNC);
	ck_assert_mem_eq(memory + OUT, rdnc, sizeof(rdnc));
	/* Blocks 1 and 2 are left, and the redundancy. */
	memcpy(memory, data + BLOCK, (size_t)2 * BLOCK);
	memcpy(memory + (size_t)2 * BLOCK, rdnc, sizeof(rdnc));
	PASSES(doca_ec_recover_matrix_create(coding, ec, lost, 2, &recover));
	run(DOCA_EC_JOB_RECOVER, recover, N_DATA, 2);
	ck_assert_mem_eq(memory + OUT, data + (size_t)3 * BLOCK, BLOCK);
	ck_assert_mem_eq(memory + OUT + BLOCK, data, BLOCK);
	PASSES(doca_ec_matrix_destroy(update));
	PASSES(doca_ec_matrix_destroy(recover));
}
END_TEST

/* Refused and failed jobs; a matrix in use; a queue that is full. */
START_TEST(test_failures)
{
	struct doca_buf *src = source(0, N_DATA * BLOCK), *dst = destination(OUT, N_RDNC * BLOCK),
			*short_src = source(0, N_DATA * BLOCK - 1);
	struct doca_ec_job job = job_of(DOCA_EC_JOB_RECOVER, coding, src, dst);
	struct doca_event event;

	/* The matrix is not for this type. */
	EXPECT(DOCA_ERROR_INVALID_VALUE, doca_workq_submit(workq, &job.base));
	job = job_of(DOCA_EC_JOB_CREATE, NULL, src, dst);
	EXPECT(DOCA_ERROR_INVALID_VALUE, doca_workq_submit(workq, &job.base));
	job = job_of(DOCA_EC_JOB_CREATE, coding, NULL, dst);
	EXPECT(DOCA_ERROR_INVALID_VALUE, doca_workq_submit(workq, &job.base));
	job = job_of(DOCA_EC_JOB_CREATE, coding, src, NULL);
	EXPECT(DOCA_ERROR_INVALID_VALUE, doca_workq_submit(workq, &job.base));
	job = job_of((enum doca_ec_job_types)(DOCA_EC_JOB_RECOVER + 1), coding, src, dst);
	EXPECT(DOCA_ERROR_INVALID_VALUE, doca_workq_submit(workq, &job.base));
	/* The source is not a whole number of blocks. */
	job = job_of(DOCA_EC_JOB_CREATE, coding, short_src, dst);
	run_job(&job.base, DOCA_ERROR_IO_FAILED);
	ck_assert_uint_eq(buf_data_len(dst), 0);
	/* Only the first result fits. */
	job = job_of(DOCA_EC_JOB_CREATE, coding, src, dst);
	for (unsigned i = 0; i <= DEPTH; i++)
		EXPECT(i < DEPTH ? DOCA_SUCCESS : DOCA_ERROR_NO_MEMORY,
		       doca_workq_submit(workq, &job.base));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_ec_matrix_destroy(coding));
	for (unsigned i = 0; i < DEPTH; i++) {
		EXPECT(i == 0 ? DOCA_SUCCESS : DOCA_ERROR_IO_FAILED, await(&event));
		ck_assert_uint_eq(event.result.u64, i == 0 ? DOCA_SUCCESS : DOCA_ERROR_IO_FAILED);
	}
	ck_assert_uint_eq(buf_data_len(dst), N_RDNC * BLOCK);
	buf_release(src);
	buf_release(short_src);
	buf_release(dst);
}
END_TEST

/* One node makes the redundancy, the next one recovers a lost block from it. */
START_TEST(test_graph)
{
	struct doca_buf *src = source(0, N_DATA * BLOCK), *rdnc = destination(OUT, N_RDNC * BLOCK),
			*left = source(BLOCK, (N_DATA - 1) * BLOCK), *first = source(OUT, BLOCK),
			*back = destination(OUT + N_RDNC * BLOCK, BLOCK);
	struct doca_event create_event, recover_event, event;
	struct doca_graph_instance *instance;
	struct doca_graph_node *nodes[2];
	struct doca_ec_job create, rebuild;
	struct doca_matrix *recover;
	struct doca_graph *graph;
	uint32_t lost[] = {0};

	PASSES(doca_ec_recover_matrix_create(coding, ec, lost, 1, &recover));
	OK(doca_buf_list_chain(left, first));
	create = job_of(DOCA_EC_JOB_CREATE, coding, src, rdnc);
	rebuild = job_of(DOCA_EC_JOB_RECOVER, recover, left, back);
	OK(doca_graph_create(&graph));
	OK(doca_graph_ctx_node_create(graph, DOCA_EC_JOB_CREATE, ctx, &nodes[0]));
	OK(doca_graph_ctx_node_create(graph, DOCA_EC_JOB_RECOVER, ctx, &nodes[1]));
	OK(doca_graph_add_dependency(graph, nodes[0], nodes[1]));
	OK(doca_graph_start(graph));
	OK(doca_graph_workq_add(graph, workq));
	OK(doca_graph_instance_create(graph, &instance));
	OK(doca_graph_instance_set_ctx_node_data(instance, nodes[0], &create.base, &create_event));
	OK(doca_graph_instance_set_ctx_node_data(instance, nodes[1], &rebuild.base,
						 &recover_event));
	OK(doca_workq_graph_submit(workq, instance, (union doca_data){.u64 = 5}));
	OK(await(&event));
	ck_assert_int_eq(event.type, DOCA_GRAPH_JOB);
	ck_assert_uint_eq(event.result.u64, DOCA_SUCCESS);
	ck_assert_int_eq(create_event.type, DOCA_EC_JOB_CREATE);
	ck_assert_int_eq(recover_event.type, DOCA_EC_JOB_RECOVER);
	ck_assert_mem_eq(memory + OUT + (size_t)N_RDNC * BLOCK, memory, BLOCK);
	/* The redundancy has no room now. */
	OK(doca_workq_graph_submit(workq, instance, (union doca_data){.u64 = 6}));
	OK(await(&event));
	ck_assert_uint_eq(event.result.u64, DOCA_ERROR_IO_FAILED);
	ck_assert_uint_eq(create_event.result.u64, DOCA_ERROR_IO_FAILED);
	OK(doca_graph_instance_destroy(instance));
	OK(doca_graph_workq_rm(graph, workq));
	OK(doca_graph_stop(graph));
	OK(doca_graph_destroy(graph));
	PASSES(doca_ec_matrix_destroy(recover));
	buf_release(src);
	buf_release(rdnc);
	buf_release(left);
	buf_release(back);
}
END_TEST

static void setup_poor(void)
{
	setup_with("[topology]\nside = host\n"
		   "[device pf0]\npci = 0b:00.0\nerasure_coding = no\n");
}

START_TEST(test_poor_device)
{
	struct doca_ec *poor;
	uint32_t n;

	for (int i = DOCA_EC_JOB_GALOIS_MUL; i <= DOCA_EC_JOB_RECOVER; i++)
		RETURNS(DOCA_ERROR_NOT_SUPPORTED,
			doca_ec_job_get_supported(info, (enum doca_ec_job_types)i));
	RETURNS(DOCA_ERROR_NOT_SUPPORTED,
		doca_ec_get_max_buffer_size(info, DOCA_EC_JOB_CREATE, &n));
	RETURNS(DOCA_ERROR_NOT_SUPPORTED, doca_ec_get_max_list_buf_num_elem(info, &n));
	PASSES(doca_ec_create(&poor));
	EXPECT(DOCA_ERROR_NOT_SUPPORTED, doca_ctx_dev_add(doca_ec_as_ctx(poor), dev));
	PASSES(doca_ec_destroy(poor));
}
END_TEST

static const struct documented documented[] = {
	{"doca_ec_as_ctx", ""},
	{"doca_ec_create", "INVALID_VALUE NO_MEMORY INITIALIZATION"},
	{"doca_ec_destroy", "INVALID_VALUE IN_USE"},
	{"doca_ec_get_max_buffer_size", "INVALID_VALUE NOT_SUPPORTED"},
	{"doca_ec_get_max_list_buf_num_elem", "INVALID_VALUE NOT_SUPPORTED"},
	{"doca_ec_job_get_supported", "INVALID_VALUE NOT_SUPPORTED"},
	{"doca_ec_matrix_create", "INVALID_VALUE NO_MEMORY"},
	{"doca_ec_matrix_destroy", "INVALID_VALUE"},
	{"doca_ec_matrix_from_raw", "INVALID_VALUE NO_MEMORY"},
	{"doca_ec_recover_matrix_create", "INVALID_VALUE NO_MEMORY"},
	{"doca_ec_update_matrix_create", "INVALID_VALUE NO_MEMORY"},
	{NULL, NULL},
};

static const struct unreachable unreachable[] = {
	{"doca_ec_create", "INITIALIZATION", "an object allocates memory and nothing else"},
	{NULL},
};

static bool finish(void)
{
	return cover_report("2.2 doca_erasure_coding", documented, unreachable);
}

static void add_cases(Suite *suite)
{
	TCase *cases = tcase_create("jobs"), *poor = tcase_create("poor device");

	tcase_add_checked_fixture(cases, setup_started, teardown_started);
	tcase_set_timeout(cases, RUNNER_TEST_S);
	suite_add_tcase(suite, cases);
	tcase_add_test(cases, test_calls);
	tcase_add_test(cases, test_matrices);
	tcase_add_test(cases, test_jobs);
	tcase_add_test(cases, test_failures);
	tcase_add_test(cases, test_graph);
	tcase_add_checked_fixture(poor, setup_poor, teardown);
	tcase_set_timeout(poor, RUNNER_TEST_S);
	suite_add_tcase(suite, poor);
	tcase_add_test(poor, test_poor_device);
}

int main(void)
{
	lab_require();
	cover_init();
	return runner_main("erasure coding of 2.2", add_cases, finish);
}
