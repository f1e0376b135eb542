/*
 * Erasure coding jobs: redundancy, updates and recoveries of all types of jobs, matrices that jobs
 * use, errors, limits of the device, objects of another generation.
 */
#define DOCA_API_LIBRARY

#include <doca_erasure_coding.h>
#include <dococ/erasure_coding_workq.h>

#include "client/compat/workq/jobs.h"
#include "client/erasure_coding/ec.h"
#include "tests/unit/client/compat/fixture.h"

#define LEN    4096u
#define N_DATA 3u
#define N_RDNC 2u
#define BLOCK  64u

static uint8_t from[LEN], to[LEN];
static struct doca_mmap *map_from, *map_to;
static struct doca_buf_inventory *inventory;
static struct doca_ec *ec;
static struct doca_ctx *ctx;
static struct doca_workq *workq;
static struct doca_ec_matrix *coding;

static void setup(void)
{
	unit_info.caps.ec = true;
	unit_info.caps.ec_max_block_size = 1024;
	unit_info.caps.ec_max_list_len = 4;
	unit_info.caps.ec_max_data_blocks = 8;
	unit_info.caps.ec_max_rdnc_blocks = 4;
	map_from = unit_mmap(from, LEN, DOCA_ACCESS_FLAG_LOCAL_READ_ONLY);
	map_to = unit_mmap(to, LEN, DOCA_ACCESS_FLAG_LOCAL_READ_WRITE);
	inventory = unit_inventory(64);
	ck_ok(compat_ec_create(&ec));
	ctx = doca_ec_as_ctx(ec);
	ck_ok(doca_ctx_dev_add(ctx, &unit_dev));
	ck_ok(compat_ctx_start(ctx));
	workq = queue_new(8, API_2_2);
	ck_ok(doca_ctx_workq_add(ctx, workq));
	ck_ok(doca_ec_matrix_create(ec, DOCA_EC_MATRIX_TYPE_CAUCHY, N_DATA, N_RDNC, &coding));
	for (unsigned i = 0; i < LEN; i++)
		from[i] = (uint8_t)(i * 7 + i / 64);
}

static void teardown(void)
{
	ck_ok(doca_ec_matrix_destroy(coding));
	ck_ok(doca_ctx_workq_rm(ctx, workq));
	ck_ok(doca_workq_destroy(workq));
	ck_fails(doca_ec_destroy(ec), DOCA_ERROR_IN_USE);
	ck_ok(compat_ctx_stop(ctx));
	ck_ok(doca_ec_destroy(ec));
	ck_ok(doca_buf_inventory_destroy(inventory));
	ck_ok(doca_mmap_destroy(map_from));
	ck_ok(doca_mmap_destroy(map_to));
	ck_assert_uint_eq(unit_dev.n_users, 0);
}

static struct doca_buf *source(size_t n_blocks)
{
	struct doca_buf *buf;

	ck_ok(doca_buf_inventory_buf_get_by_data(inventory, map_from, from, n_blocks * BLOCK,
						 &buf));
	return buf;
}

static struct doca_buf *destination(size_t n_blocks)
{
	struct doca_buf *buf;

	ck_ok(doca_buf_inventory_buf_get_by_addr(inventory, map_to, to, n_blocks * BLOCK, &buf));
	return buf;
}

/* All types of jobs have the same members. */
static struct doca_ec_job job_of(int type, struct doca_ec_matrix *matrix,
				 const struct doca_buf *src, struct doca_buf *dst)
{
	return (struct doca_ec_job){
		.base = {.type = type, .ctx = ctx, .user_data = {.u64 = 55}},
		.coding_matrix = (struct doca_matrix *)matrix,
		.src_buff = src,
		.dst_buff = dst,
	};
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

static void run(int type, struct doca_ec_matrix *matrix, size_t n_in, size_t n_out)
{
	struct doca_buf *src = source(n_in), *dst = destination(n_out);
	struct doca_ec_job job = job_of(type, matrix, src, dst);

	ck_ok(doca_workq_submit(workq, &job.base));
	await(type, DOCA_SUCCESS);
	ck_assert_uint_eq(dst->data_len, n_out * BLOCK);
	ck_ok(doca_buf_dec_refcount(src, NULL));
	ck_ok(doca_buf_dec_refcount(dst, NULL));
}

/* Makes redundancy, changes a block, and recovers two lost ones. */
START_TEST(all_types)
{
	uint8_t data[N_DATA * BLOCK], redundancy[N_RDNC * BLOCK];
	struct doca_matrix *update, *recover;
	uint32_t changed = 1, lost[] = {2, 0};
	const struct doca_matrix *made = (const struct doca_matrix *)coding;

	run(DOCA_EC_JOB_GALOIS_MUL, coding, N_DATA, N_RDNC);
	memcpy(redundancy, to, sizeof(redundancy));
	run(DOCA_EC_JOB_CREATE, coding, N_DATA, N_RDNC);
	ck_assert_mem_eq(to, redundancy, sizeof(redundancy));
	memcpy(data, from, sizeof(data));
	memset(data + BLOCK, 0x5a, BLOCK);
	/* The changed block, old then new; then the old redundancy. */
	memcpy(from, from + BLOCK, BLOCK);
	memcpy(from + BLOCK, data + BLOCK, BLOCK);
	memcpy(from + 2 * BLOCK, redundancy, sizeof(redundancy));
	ck_ok(doca_ec_update_matrix_create(made, ec, &changed, 1, &update));
	run(DOCA_EC_JOB_UPDATE, (struct doca_ec_matrix *)update, 2 + N_RDNC, N_RDNC);
	memcpy(redundancy, to, sizeof(redundancy));
	memcpy(from, data, sizeof(data));
	run(DOCA_EC_JOB_CREATE, coding, N_DATA, N_RDNC);
	ck_assert_mem_eq(to, redundancy, sizeof(redundancy));
	memcpy(from, data + BLOCK, BLOCK);
	memcpy(from + BLOCK, redundancy, sizeof(redundancy));
	ck_ok(doca_ec_recover_matrix_create(made, ec, lost, 2, &recover));
	run(DOCA_EC_JOB_RECOVER, (struct doca_ec_matrix *)recover, N_DATA, 2);
	ck_assert_mem_eq(to, data + 2 * BLOCK, BLOCK);
	ck_assert_mem_eq(to + BLOCK, data, BLOCK);
	ck_ok(doca_ec_matrix_destroy((struct doca_ec_matrix *)update));
	ck_ok(doca_ec_matrix_destroy((struct doca_ec_matrix *)recover));
}
END_TEST

START_TEST(a_matrix_of_a_job_stays)
{
	struct doca_buf *src = source(N_DATA), *dst = destination(N_RDNC);
	struct doca_ec_job job = job_of(DOCA_EC_JOB_CREATE, coding, src, dst);

	ck_ok(doca_workq_submit(workq, &job.base));
	ck_fails(doca_ec_matrix_destroy(coding), DOCA_ERROR_INVALID_VALUE);
	ck_says("1 job in flight uses the matrix");
	await(DOCA_EC_JOB_CREATE, DOCA_SUCCESS);
	/* A failed job releases it, too, and stops nothing. */
	ck_ok(doca_workq_submit(workq, &job.base));
	await(DOCA_EC_JOB_CREATE, DOCA_ERROR_IO_FAILED);
	ck_assert_uint_eq(coding->n_jobs, 0);
	ck_ok(doca_buf_reset_data_len(dst));
	ck_ok(doca_workq_submit(workq, &job.base));
	await(DOCA_EC_JOB_CREATE, DOCA_SUCCESS);
	ck_ok(doca_buf_dec_refcount(src, NULL));
	ck_ok(doca_buf_dec_refcount(dst, NULL));
}
END_TEST

START_TEST(jobs_are_checked)
{
	struct doca_buf *src = source(N_DATA), *dst = destination(N_RDNC);
	struct doca_ec_job job = job_of(DOCA_EC_JOB_UPDATE, coding, src, dst);
	struct doca_ec_matrix *foreign;
	struct doca_ec *other;

	ck_fails(doca_workq_submit(workq, &job.base), DOCA_ERROR_INVALID_VALUE);
	ck_says("coding matrices are not for this kind of job");
	job = job_of(DOCA_EC_JOB_CREATE, NULL, src, dst);
	ck_fails(doca_workq_submit(workq, &job.base), DOCA_ERROR_INVALID_VALUE);
	ck_says("the matrix is NULL");
	job = job_of(DOCA_EC_JOB_CREATE, coding, NULL, dst);
	ck_fails(doca_workq_submit(workq, &job.base), DOCA_ERROR_INVALID_VALUE);
	ck_says("the source is NULL");
	job = job_of(DOCA_EC_JOB_CREATE, coding, src, NULL);
	ck_fails(doca_workq_submit(workq, &job.base), DOCA_ERROR_INVALID_VALUE);
	ck_says("the destination is NULL");
	ck_ok(compat_ec_create(&other));
	/* Without a device only the code limits a matrix. */
	ck_ok(doca_ec_matrix_create(other, DOCA_EC_MATRIX_TYPE_CAUCHY, 200, 50, &foreign));
	job = job_of(DOCA_EC_JOB_CREATE, foreign, src, dst);
	ck_fails(doca_workq_submit(workq, &job.base), DOCA_ERROR_INVALID_VALUE);
	ck_says("belongs to another object");
	ck_ok(doca_ec_destroy(other));
	ck_ok(doca_ec_matrix_destroy(foreign));
	ck_fails(doca_ec_matrix_create(ec, DOCA_EC_MATRIX_TYPE_CAUCHY, 9, 2, &foreign),
		 DOCA_ERROR_INVALID_VALUE);
	ck_says("the device allows 8 and 4");
	ck_ok(doca_buf_dec_refcount(src, NULL));
	ck_ok(doca_buf_dec_refcount(dst, NULL));
}
END_TEST

START_TEST(capabilities)
{
	struct doca_matrix *raw;
	uint8_t ones[] = {1, 1};
	uint32_t n;

	for (int type = DOCA_EC_JOB_GALOIS_MUL; type <= DOCA_EC_JOB_RECOVER; type++)
		ck_ok(doca_ec_job_get_supported(&unit_info, (enum doca_ec_job_types)type));
	ck_fails(doca_ec_job_get_supported(&unit_info, (enum doca_ec_job_types)0),
		 DOCA_ERROR_INVALID_VALUE);
	ck_fails(doca_ec_job_get_supported(NULL, DOCA_EC_JOB_CREATE), DOCA_ERROR_INVALID_VALUE);
	ck_ok(doca_ec_get_max_buffer_size(&unit_info, DOCA_EC_JOB_CREATE, &n));
	ck_assert_uint_eq(n, 1024);
	ck_fails(doca_ec_get_max_buffer_size(&unit_info, DOCA_EC_JOB_CREATE, NULL),
		 DOCA_ERROR_INVALID_VALUE);
	ck_fails(doca_ec_get_max_buffer_size(&unit_info, (enum doca_ec_job_types)0, &n),
		 DOCA_ERROR_INVALID_VALUE);
	ck_ok(doca_ec_get_max_list_buf_num_elem(&unit_info, &n));
	ck_assert_uint_eq(n, 4);
	ck_fails(doca_ec_get_max_list_buf_num_elem(&unit_info, NULL), DOCA_ERROR_INVALID_VALUE);
	ck_ok(doca_ec_matrix_from_raw(ec, ones, 2, 1, &raw));
	ck_ok(doca_ec_matrix_destroy((struct doca_ec_matrix *)raw));
	unit_info.caps.ec = false;
	ck_fails(doca_ec_job_get_supported(&unit_info, DOCA_EC_JOB_CREATE),
		 DOCA_ERROR_NOT_SUPPORTED);
	ck_fails(doca_ec_get_max_list_buf_num_elem(&unit_info, &n), DOCA_ERROR_NOT_SUPPORTED);
	unit_info.caps.ec = true;
}
END_TEST

START_TEST(objects_of_another_generation)
{
	ck_fails(doca_ec_task_create_set_conf(ec, (doca_ec_task_create_completion_cb_t)setup,
					      (doca_ec_task_create_completion_cb_t)setup, 1),
		 DOCA_ERROR_BAD_STATE);
	ck_fails(compat_ec_create(NULL), DOCA_ERROR_INVALID_VALUE);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("client/compat/ec");
	TCase *tcase = unit_case(suite, "ec", UNIT_TIMEOUT);

	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_test(tcase, all_types);
	tcase_add_test(tcase, a_matrix_of_a_job_stays);
	tcase_add_test(tcase, jobs_are_checked);
	tcase_add_test(tcase, capabilities);
	tcase_add_test(tcase, objects_of_another_generation);
	return unit_run(suite);
}
