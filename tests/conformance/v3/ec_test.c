/*
 * doca_erasure_coding.h: capabilities, configuration, matrices, the four kinds of task with each
 * documented code, limits of a profile, devices without erasure coding, no allocation on the data
 * path, and a program that sleeps only in epoll.
 */
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include <doca_erasure_coding.h>

#include "tests/conformance/cover.h"
#include "tests/lib/hot.h"
#include "tests/lib/lab.h"
#include "tests/lib/runner.h"

#define N_TASKS 32u
#define LEN     (64u << 10)
#define N_DATA  4u
#define N_RDNC  2u
#define BLOCK   512u

static const struct documented documented_doca_ec[] = {
	{"doca_ec_create", "INVALID_VALUE NO_MEMORY NOT_SUPPORTED"},
	{"doca_ec_destroy", "INVALID_VALUE BAD_STATE"},
	{"doca_ec_as_ctx", ""},
	{"doca_ec_cap_get_max_block_size", "INVALID_VALUE NOT_SUPPORTED"},
	{"doca_ec_cap_get_max_buf_list_len", "INVALID_VALUE NOT_SUPPORTED"},
	{"doca_ec_matrix_create", "INVALID_VALUE NO_MEMORY"},
	{"doca_ec_matrix_create_from_raw", "INVALID_VALUE NO_MEMORY"},
	{"doca_ec_matrix_create_update", "INVALID_VALUE NO_MEMORY"},
	{"doca_ec_matrix_create_recover", "INVALID_VALUE NO_MEMORY"},
	{"doca_ec_matrix_destroy", "INVALID_VALUE"},
	{"doca_ec_cap_task_galois_mul_is_supported", "INVALID_VALUE NOT_SUPPORTED"},
	{"doca_ec_task_galois_mul_set_conf", "INVALID_VALUE BAD_STATE"},
	{"doca_ec_task_galois_mul_allocate_init", "INVALID_VALUE NO_MEMORY BAD_STATE"},
	{"doca_ec_task_galois_mul_as_task", ""},
	{"doca_ec_task_galois_mul_set_coding_matrix", ""},
	{"doca_ec_task_galois_mul_get_coding_matrix", ""},
	{"doca_ec_task_galois_mul_set_src_buf", ""},
	{"doca_ec_task_galois_mul_get_src_buf", ""},
	{"doca_ec_task_galois_mul_set_dst_buf", ""},
	{"doca_ec_task_galois_mul_get_dst_buf", ""},
	{"doca_ec_cap_task_create_is_supported", "INVALID_VALUE NOT_SUPPORTED"},
	{"doca_ec_task_create_set_conf", "INVALID_VALUE BAD_STATE"},
	{"doca_ec_task_create_allocate_init", "INVALID_VALUE NO_MEMORY BAD_STATE"},
	{"doca_ec_task_create_as_task", ""},
	{"doca_ec_task_create_set_coding_matrix", ""},
	{"doca_ec_task_create_get_coding_matrix", ""},
	{"doca_ec_task_create_set_original_data_blocks", ""},
	{"doca_ec_task_create_get_original_data_blocks", ""},
	{"doca_ec_task_create_set_rdnc_blocks", ""},
	{"doca_ec_task_create_get_rdnc_blocks", ""},
	{"doca_ec_cap_task_update_is_supported", "INVALID_VALUE NOT_SUPPORTED"},
	{"doca_ec_task_update_set_conf", "INVALID_VALUE BAD_STATE"},
	{"doca_ec_task_update_allocate_init", "INVALID_VALUE NO_MEMORY BAD_STATE"},
	{"doca_ec_task_update_as_task", ""},
	{"doca_ec_task_update_set_update_matrix", ""},
	{"doca_ec_task_update_get_update_matrix", ""},
	{"doca_ec_task_update_set_original_updated_and_rdnc_blocks", ""},
	{"doca_ec_task_update_get_original_updated_and_rdnc_blocks", ""},
	{"doca_ec_task_update_set_updated_rdnc_blocks", ""},
	{"doca_ec_task_update_get_updated_rdnc_blocks", ""},
	{"doca_ec_cap_task_recover_is_supported", "INVALID_VALUE NOT_SUPPORTED"},
	{"doca_ec_task_recover_set_conf", "INVALID_VALUE BAD_STATE"},
	{"doca_ec_task_recover_allocate_init", "INVALID_VALUE NO_MEMORY BAD_STATE"},
	{"doca_ec_task_recover_as_task", ""},
	{"doca_ec_task_recover_set_recover_matrix", ""},
	{"doca_ec_task_recover_get_recover_matrix", ""},
	{"doca_ec_task_recover_set_available_blocks", ""},
	{"doca_ec_task_recover_get_available_blocks", ""},
	{"doca_ec_task_recover_set_recovered_data_blocks", ""},
	{"doca_ec_task_recover_get_recovered_data", ""},
	{NULL, NULL},
};
static const struct unreachable unreachable[] = {{NULL}};

static struct lab lab;
static struct doca_dev *dev;
static struct doca_pe *pe;
static struct doca_ec *ec;
static struct doca_ctx *ctx;
static struct doca_mmap *mmap;
static struct doca_buf_inventory *inventory;
static uint8_t memory[2 * LEN];
static const union doca_data no_data;

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

/* The callbacks of a kind of task. */
#define CALLBACKS(kind)                                                                   \
	static void kind##_ok(struct doca_ec_task_##kind *task, union doca_data data,     \
			      union doca_data ctx_data)                                   \
	{                                                                                 \
		(void)data;                                                               \
		(void)ctx_data;                                                           \
		completed(doca_ec_task_##kind##_as_task(task), true);                     \
	}                                                                                 \
	static void kind##_failed(struct doca_ec_task_##kind *task, union doca_data data, \
				  union doca_data ctx_data)                               \
	{                                                                                 \
		(void)data;                                                               \
		(void)ctx_data;                                                           \
		completed(doca_ec_task_##kind##_as_task(task), false);                    \
	}

CALLBACKS(galois_mul)
CALLBACKS(create)
CALLBACKS(update)
CALLBACKS(recover)

static void setup_with(const char *config, const char *topology)
{
	struct lab_options options = {
		.only = {true, false}, .config = config, .topology = topology};

	leaks_setup();
	lab_start(&lab, &options);
	lab_use(&lab, LAB_HOST);
	leaks_allow_fds(1);
	dev = use_dev(USE_HOST_PF0);
	OK(doca_pe_create(&pe));
	OK(doca_buf_inventory_create(512, &inventory));
	OK(doca_buf_inventory_start(inventory));
	mmap = use_mmap(dev, memory, sizeof(memory), DOCA_ACCESS_FLAG_LOCAL_READ_WRITE);
	use_fill(memory, LEN, 1);
}

static void ec_open(void)
{
	OK(doca_ec_create(dev, &ec));
	ctx = doca_ec_as_ctx(ec);
	OK(doca_ec_task_galois_mul_set_conf(ec, galois_mul_ok, galois_mul_failed, N_TASKS));
	OK(doca_ec_task_create_set_conf(ec, create_ok, create_failed, N_TASKS));
	OK(doca_ec_task_update_set_conf(ec, update_ok, update_failed, N_TASKS));
	OK(doca_ec_task_recover_set_conf(ec, recover_ok, recover_failed, N_TASKS));
	OK(doca_pe_connect_ctx(pe, ctx));
	EXPECT(DOCA_SUCCESS, doca_ctx_start(ctx));
}

static void setup(void)
{
	setup_with(NULL, NULL);
	ec_open();
}

static void setup_cards(void)
{
	setup_with("[daemon]\nprofile = bf3\n", NULL);
	ec_open();
}

static void setup_without(void)
{
	setup_with(NULL, "[topology]\nside = host\n"
			 "[device pf0]\npci = 0b:00.0\nerasure_coding = no\n");
}

static void teardown(void)
{
	if (ec != NULL) {
		EXPECT(DOCA_SUCCESS, doca_ctx_stop(ctx));
		OK(doca_ec_destroy(ec));
	}
	OK(doca_pe_destroy(pe));
	OK(doca_buf_inventory_destroy(inventory));
	use_mmap_end(mmap);
	OK(doca_dev_close(dev));
	lab_stop(&lab);
	leaks_teardown();
}

static struct doca_buf *src_buf(size_t at, size_t len)
{
	struct doca_buf *buf;

	OK(doca_buf_inventory_buf_get_by_data(inventory, mmap, memory + at, len, &buf));
	return buf;
}

static struct doca_buf *dst_buf(size_t len)
{
	struct doca_buf *buf;

	OK(doca_buf_inventory_buf_get_by_addr(inventory, mmap, memory + LEN, len, &buf));
	return buf;
}

static size_t data_len(const struct doca_buf *buf)
{
	size_t len;

	OK(doca_buf_get_data_len(buf, &len));
	return len;
}

static struct doca_ec_matrix *cauchy(void)
{
	struct doca_ec_matrix *matrix;

	OK(doca_ec_matrix_create(ec, DOCA_EC_MATRIX_TYPE_CAUCHY, N_DATA, N_RDNC, &matrix));
	return matrix;
}

static doca_error_t run(struct doca_task *task)
{
	unsigned n = n_ok + n_failed;
	enum doca_ctx_states state;

	OK(doca_task_submit(task));
	while (n_ok + n_failed == n)
		doca_pe_progress(pe);
	if (status != DOCA_SUCCESS && !keeps_tasks)
		use_ctx_await(pe, ctx, DOCA_CTX_STATE_IDLE);
	OK(doca_ctx_get_state(ctx, &state));
	if (state == DOCA_CTX_STATE_IDLE)
		OK(doca_ctx_start(ctx));
	return status;
}

START_TEST(test_capabilities)
{
	struct doca_devinfo *info = doca_dev_as_devinfo(dev);
	uint64_t size;
	uint32_t n;

	PASSES(doca_ec_cap_task_galois_mul_is_supported(info));
	PASSES(doca_ec_cap_task_create_is_supported(info));
	PASSES(doca_ec_cap_task_update_is_supported(info));
	PASSES(doca_ec_cap_task_recover_is_supported(info));
	PASSES(doca_ec_cap_get_max_block_size(info, &size));
	ck_assert_uint_eq(size, 1u << 30);
	PASSES(doca_ec_cap_get_max_buf_list_len(info, &n));
	ck_assert_uint_ge(n, 64);
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_ec_cap_task_galois_mul_is_supported(NULL));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_ec_cap_task_create_is_supported(NULL));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_ec_cap_task_update_is_supported(NULL));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_ec_cap_task_recover_is_supported(NULL));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_ec_cap_get_max_block_size(NULL, &size));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_ec_cap_get_max_block_size(info, NULL));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_ec_cap_get_max_buf_list_len(NULL, &n));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_ec_cap_get_max_buf_list_len(info, NULL));
}
END_TEST

/* The numbers of blocks that a task of a kind reads and writes. */
#define IN_GALOIS_MUL  N_DATA
#define IN_CREATE      N_DATA
#define IN_UPDATE      (2 + N_RDNC)
#define IN_RECOVER     N_DATA
#define OUT_GALOIS_MUL N_RDNC
#define OUT_CREATE     N_RDNC
#define OUT_UPDATE     N_RDNC
#define OUT_RECOVER    1

/* Each kind of task can be configured while the context is idle. */
#define CONFIGURES(kind)                                                                     \
	do {                                                                                 \
		RETURNS(DOCA_ERROR_INVALID_VALUE,                                            \
			doca_ec_task_##kind##_set_conf(none, kind##_ok, kind##_failed, 1));  \
		RETURNS(DOCA_ERROR_INVALID_VALUE,                                            \
			doca_ec_task_##kind##_set_conf(other, NULL, kind##_failed, 1));      \
		RETURNS(DOCA_ERROR_INVALID_VALUE,                                            \
			doca_ec_task_##kind##_set_conf(other, kind##_ok, NULL, 1));          \
		RETURNS(DOCA_ERROR_INVALID_VALUE,                                            \
			doca_ec_task_##kind##_set_conf(other, kind##_ok, kind##_failed, 0)); \
		RETURNS(DOCA_ERROR_INVALID_VALUE,                                            \
			doca_ec_task_##kind##_set_conf(other, kind##_ok, kind##_failed,      \
						       (1u << 20) + 1));                     \
		PASSES(doca_ec_task_##kind##_set_conf(other, kind##_ok, kind##_failed, 1));  \
		RETURNS(DOCA_ERROR_BAD_STATE,                                                \
			doca_ec_task_##kind##_set_conf(ec, kind##_ok, kind##_failed, 1));    \
	} while (0)

START_TEST(test_configuration)
{
	struct doca_ec *other, *none = NULL;

	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_ec_create(NULL, &other));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_ec_create(dev, NULL));
	if (allocount_works)
		RUNS_OUT(0, doca_ec_create(dev, &other));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_ec_destroy(none));
	ck_assert_ptr_null(CALLED(doca_ec_as_ctx(none)));
	PASSES(doca_ec_create(dev, &other));
	ck_assert_ptr_nonnull(CALLED(doca_ec_as_ctx(other)));
	/* No kind of task is configured. */
	OK(doca_pe_connect_ctx(pe, doca_ec_as_ctx(other)));
	EXPECT(DOCA_ERROR_INITIALIZATION, doca_ctx_start(doca_ec_as_ctx(other)));
	CONFIGURES(galois_mul);
	CONFIGURES(create);
	CONFIGURES(update);
	CONFIGURES(recover);
	OK(doca_ctx_start(doca_ec_as_ctx(other)));
	RETURNS(DOCA_ERROR_BAD_STATE, doca_ec_destroy(other));
	OK(doca_ctx_stop(doca_ec_as_ctx(other)));
	PASSES(doca_ec_destroy(other));
}
END_TEST

START_TEST(test_matrices)
{
	uint8_t raw[] = {1, 1, 1, 2, 1, 1, 1, 2};
	struct doca_ec_matrix *coding, *derived, *matrix = NULL;
	uint32_t lost[] = {1, 5}, two[] = {0, 3}, far[] = {6}, three[] = {0, 1, 2};
	struct doca_ec *no_ec = NULL;

	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_ec_matrix_create(no_ec, DOCA_EC_MATRIX_TYPE_CAUCHY, 4, 2, &matrix));
	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_ec_matrix_create(ec, DOCA_EC_MATRIX_TYPE_CAUCHY, 4, 2, NULL));
	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_ec_matrix_create(ec, (enum doca_ec_matrix_type)0, 4, 2, &matrix));
	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_ec_matrix_create(ec, DOCA_EC_MATRIX_TYPE_CAUCHY, 0, 2, &matrix));
	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_ec_matrix_create(ec, DOCA_EC_MATRIX_TYPE_CAUCHY, 4, 0, &matrix));
	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_ec_matrix_create(ec, DOCA_EC_MATRIX_TYPE_VANDERMONDE, 255, 2, &matrix));
	PASSES(doca_ec_matrix_create(ec, DOCA_EC_MATRIX_TYPE_VANDERMONDE, 254, 2, &matrix));
	PASSES(doca_ec_matrix_destroy(matrix));
	PASSES(doca_ec_matrix_create(ec, DOCA_EC_MATRIX_TYPE_CAUCHY, 4, 2, &coding));
	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_ec_matrix_create_update(no_ec, coding, two, 2, &derived));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_ec_matrix_create_update(ec, NULL, two, 2, &derived));
	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_ec_matrix_create_update(ec, coding, NULL, 2, &derived));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_ec_matrix_create_update(ec, coding, two, 2, NULL));
	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_ec_matrix_create_update(ec, coding, two, 0, &derived));
	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_ec_matrix_create_update(ec, coding, lost, 2, &derived));
	PASSES(doca_ec_matrix_create_update(ec, coding, two, 2, &derived));
	/* Nothing is derived from a derived matrix. */
	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_ec_matrix_create_update(ec, derived, two, 1, &matrix));
	PASSES(doca_ec_matrix_destroy(derived));
	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_ec_matrix_create_recover(no_ec, coding, lost, 2, &derived));
	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_ec_matrix_create_recover(ec, NULL, lost, 2, &derived));
	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_ec_matrix_create_recover(ec, coding, NULL, 2, &derived));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_ec_matrix_create_recover(ec, coding, lost, 2, NULL));
	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_ec_matrix_create_recover(ec, coding, lost, 0, &derived));
	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_ec_matrix_create_recover(ec, coding, three, 3, &derived));
	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_ec_matrix_create_recover(ec, coding, far, 1, &derived));
	PASSES(doca_ec_matrix_create_recover(ec, coding, lost, 2, &derived));
	PASSES(doca_ec_matrix_destroy(derived));
	PASSES(doca_ec_matrix_destroy(coding));
	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_ec_matrix_create_from_raw(no_ec, raw, 4, 2, &coding));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_ec_matrix_create_from_raw(ec, NULL, 4, 2, &coding));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_ec_matrix_create_from_raw(ec, raw, 4, 2, NULL));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_ec_matrix_create_from_raw(ec, raw, 0, 2, &coding));
	PASSES(doca_ec_matrix_create_from_raw(ec, raw, 4, 2, &coding));
	/* Its rows are equal: a loss of two blocks cannot be recovered. */
	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_ec_matrix_create_recover(ec, coding, two, 2, &derived));
	PASSES(doca_ec_matrix_create_recover(ec, coding, two, 1, &derived));
	PASSES(doca_ec_matrix_destroy(derived));
	if (allocount_works) {
		RUNS_OUT(0, doca_ec_matrix_create(ec, DOCA_EC_MATRIX_TYPE_CAUCHY, 4, 2, &matrix));
		RUNS_OUT(1, doca_ec_matrix_create(ec, DOCA_EC_MATRIX_TYPE_CAUCHY, 4, 2, &matrix));
		RUNS_OUT(0, doca_ec_matrix_create_from_raw(ec, raw, 4, 2, &matrix));
		RUNS_OUT(0, doca_ec_matrix_create_update(ec, coding, two, 2, &matrix));
		RUNS_OUT(0, doca_ec_matrix_create_recover(ec, coding, two, 1, &matrix));
		RUNS_OUT(1, doca_ec_matrix_create_recover(ec, coding, two, 1, &matrix));
	}
	PASSES(doca_ec_matrix_destroy(coding));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_ec_matrix_destroy(NULL));
}
END_TEST

START_TEST(test_galois_mul_tasks)
{
	struct doca_buf *src = src_buf(0, IN_GALOIS_MUL * BLOCK), *dst = dst_buf(1024 * 8),
			*other = dst_buf(64);
	struct doca_ec_task_galois_mul *tasks[N_TASKS], *one, *none = NULL;
	struct doca_ec_matrix *coding = cauchy(), *update, *recover;
	struct doca_ec *no_ec = NULL, *idle;
	uint32_t index = 1;

	keeps_tasks = true;
	OK(doca_ec_matrix_create_update(ec, coding, &index, 1, &update));
	OK(doca_ec_matrix_create_recover(ec, coding, &index, 1, &recover));
	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_ec_task_galois_mul_allocate_init(no_ec, coding, src, dst, no_data, &one));
	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_ec_task_galois_mul_allocate_init(ec, NULL, src, dst, no_data, &one));
	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_ec_task_galois_mul_allocate_init(ec, coding, NULL, dst, no_data, &one));
	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_ec_task_galois_mul_allocate_init(ec, coding, src, NULL, no_data, &one));
	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_ec_task_galois_mul_allocate_init(ec, coding, src, dst, no_data, NULL));
	OK(doca_ec_create(dev, &idle));
	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_ec_task_galois_mul_allocate_init(idle, coding, src, dst, no_data, &one));
	OK(doca_ec_destroy(idle));
	for (unsigned i = 0; i < N_TASKS; i++)
		PASSES(doca_ec_task_galois_mul_allocate_init(ec, coding, src, dst, no_data,
							     &tasks[i]));
	RETURNS(DOCA_ERROR_NO_MEMORY,
		doca_ec_task_galois_mul_allocate_init(ec, coding, src, dst, no_data, &one));
	one = tasks[0];
	ck_assert_ptr_null(CALLED(doca_ec_task_galois_mul_as_task(none)));
	CALLED(doca_ec_task_galois_mul_set_coding_matrix(one, coding));
	ck_assert_ptr_eq(CALLED(doca_ec_task_galois_mul_get_coding_matrix(one)), coding);
	CALLED(doca_ec_task_galois_mul_set_src_buf(one, src));
	ck_assert_ptr_eq(CALLED(doca_ec_task_galois_mul_get_src_buf(one)), src);
	CALLED(doca_ec_task_galois_mul_set_dst_buf(one, other));
	ck_assert_ptr_eq(CALLED(doca_ec_task_galois_mul_get_dst_buf(one)), other);
	/* NULL changes nothing. */
	doca_ec_task_galois_mul_set_coding_matrix(one, NULL);
	doca_ec_task_galois_mul_set_src_buf(one, NULL);
	doca_ec_task_galois_mul_set_dst_buf(one, NULL);
	ck_assert_ptr_eq(doca_ec_task_galois_mul_get_dst_buf(one), other);
	doca_ec_task_galois_mul_set_dst_buf(one, dst);
	/* Each result is appended after the previous one. */
	EXPECT(DOCA_SUCCESS, run(doca_ec_task_galois_mul_as_task(one)));
	EXPECT(DOCA_SUCCESS, run(doca_ec_task_galois_mul_as_task(tasks[1])));
	ck_assert_uint_eq(data_len(dst), 2 * OUT_GALOIS_MUL * BLOCK);
	ck_assert_mem_eq(memory + LEN, memory + LEN + OUT_GALOIS_MUL * BLOCK,
			 OUT_GALOIS_MUL * BLOCK);
	/* Both try_submit and the queue detect a wrong size. */
	OK(doca_buf_set_data_len(src, BLOCK + 1));
	EXPECT(DOCA_ERROR_INVALID_VALUE,
	       doca_task_try_submit(doca_ec_task_galois_mul_as_task(one)));
	keeps_tasks = false;
	for (unsigned i = 1; i < N_TASKS; i++)
		doca_task_free(doca_ec_task_galois_mul_as_task(tasks[i]));
	EXPECT(DOCA_ERROR_IO_FAILED, run(doca_ec_task_galois_mul_as_task(one)));
	OK(doca_ctx_stop(ctx));
	RETURNS(DOCA_ERROR_BAD_STATE,
		doca_ec_task_galois_mul_allocate_init(ec, coding, src, dst, no_data, &one));
	OK(doca_ctx_start(ctx));
	OK(doca_ec_matrix_destroy(recover));
	OK(doca_ec_matrix_destroy(update));
	OK(doca_ec_matrix_destroy(coding));
	use_buf_end(src);
	use_buf_end(dst);
	use_buf_end(other);
}
END_TEST

START_TEST(test_create_tasks)
{
	struct doca_buf *src = src_buf(0, IN_CREATE * BLOCK), *dst = dst_buf(1024 * 8),
			*other = dst_buf(64);
	struct doca_ec_task_create *tasks[N_TASKS], *one, *none = NULL;
	struct doca_ec_matrix *coding = cauchy(), *update, *recover;
	struct doca_ec *no_ec = NULL, *idle;
	uint32_t index = 1;

	keeps_tasks = true;
	OK(doca_ec_matrix_create_update(ec, coding, &index, 1, &update));
	OK(doca_ec_matrix_create_recover(ec, coding, &index, 1, &recover));
	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_ec_task_create_allocate_init(no_ec, coding, src, dst, no_data, &one));
	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_ec_task_create_allocate_init(ec, NULL, src, dst, no_data, &one));
	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_ec_task_create_allocate_init(ec, coding, NULL, dst, no_data, &one));
	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_ec_task_create_allocate_init(ec, coding, src, NULL, no_data, &one));
	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_ec_task_create_allocate_init(ec, coding, src, dst, no_data, NULL));
	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_ec_task_create_allocate_init(ec, update, src, dst, no_data, &one));
	OK(doca_ec_create(dev, &idle));
	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_ec_task_create_allocate_init(idle, coding, src, dst, no_data, &one));
	OK(doca_ec_destroy(idle));
	for (unsigned i = 0; i < N_TASKS; i++)
		PASSES(doca_ec_task_create_allocate_init(ec, coding, src, dst, no_data, &tasks[i]));
	RETURNS(DOCA_ERROR_NO_MEMORY,
		doca_ec_task_create_allocate_init(ec, coding, src, dst, no_data, &one));
	one = tasks[0];
	ck_assert_ptr_null(CALLED(doca_ec_task_create_as_task(none)));
	CALLED(doca_ec_task_create_set_coding_matrix(one, coding));
	ck_assert_ptr_eq(CALLED(doca_ec_task_create_get_coding_matrix(one)), coding);
	CALLED(doca_ec_task_create_set_original_data_blocks(one, src));
	ck_assert_ptr_eq(CALLED(doca_ec_task_create_get_original_data_blocks(one)), src);
	CALLED(doca_ec_task_create_set_rdnc_blocks(one, other));
	ck_assert_ptr_eq(CALLED(doca_ec_task_create_get_rdnc_blocks(one)), other);
	/* NULL changes nothing. */
	doca_ec_task_create_set_coding_matrix(one, NULL);
	doca_ec_task_create_set_original_data_blocks(one, NULL);
	doca_ec_task_create_set_rdnc_blocks(one, NULL);
	ck_assert_ptr_eq(doca_ec_task_create_get_rdnc_blocks(one), other);
	doca_ec_task_create_set_rdnc_blocks(one, dst);
	/* Each result is appended after the previous one. */
	EXPECT(DOCA_SUCCESS, run(doca_ec_task_create_as_task(one)));
	EXPECT(DOCA_SUCCESS, run(doca_ec_task_create_as_task(tasks[1])));
	ck_assert_uint_eq(data_len(dst), 2 * OUT_CREATE * BLOCK);
	ck_assert_mem_eq(memory + LEN, memory + LEN + OUT_CREATE * BLOCK, OUT_CREATE * BLOCK);
	/* Both try_submit and the queue detect a wrong size. */
	OK(doca_buf_set_data_len(src, BLOCK + 1));
	EXPECT(DOCA_ERROR_INVALID_VALUE, doca_task_try_submit(doca_ec_task_create_as_task(one)));
	keeps_tasks = false;
	for (unsigned i = 1; i < N_TASKS; i++)
		doca_task_free(doca_ec_task_create_as_task(tasks[i]));
	EXPECT(DOCA_ERROR_IO_FAILED, run(doca_ec_task_create_as_task(one)));
	OK(doca_ctx_stop(ctx));
	RETURNS(DOCA_ERROR_BAD_STATE,
		doca_ec_task_create_allocate_init(ec, coding, src, dst, no_data, &one));
	OK(doca_ctx_start(ctx));
	OK(doca_ec_matrix_destroy(recover));
	OK(doca_ec_matrix_destroy(update));
	OK(doca_ec_matrix_destroy(coding));
	use_buf_end(src);
	use_buf_end(dst);
	use_buf_end(other);
}
END_TEST

START_TEST(test_update_tasks)
{
	struct doca_buf *src = src_buf(0, IN_UPDATE * BLOCK), *dst = dst_buf(1024 * 8),
			*other = dst_buf(64);
	struct doca_ec_task_update *tasks[N_TASKS], *one, *none = NULL;
	struct doca_ec_matrix *coding = cauchy(), *update, *recover;
	struct doca_ec *no_ec = NULL, *idle;
	uint32_t index = 1;

	keeps_tasks = true;
	OK(doca_ec_matrix_create_update(ec, coding, &index, 1, &update));
	OK(doca_ec_matrix_create_recover(ec, coding, &index, 1, &recover));
	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_ec_task_update_allocate_init(no_ec, update, src, dst, no_data, &one));
	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_ec_task_update_allocate_init(ec, NULL, src, dst, no_data, &one));
	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_ec_task_update_allocate_init(ec, update, NULL, dst, no_data, &one));
	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_ec_task_update_allocate_init(ec, update, src, NULL, no_data, &one));
	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_ec_task_update_allocate_init(ec, update, src, dst, no_data, NULL));
	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_ec_task_update_allocate_init(ec, coding, src, dst, no_data, &one));
	OK(doca_ec_create(dev, &idle));
	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_ec_task_update_allocate_init(idle, update, src, dst, no_data, &one));
	OK(doca_ec_destroy(idle));
	for (unsigned i = 0; i < N_TASKS; i++)
		PASSES(doca_ec_task_update_allocate_init(ec, update, src, dst, no_data, &tasks[i]));
	RETURNS(DOCA_ERROR_NO_MEMORY,
		doca_ec_task_update_allocate_init(ec, update, src, dst, no_data, &one));
	one = tasks[0];
	ck_assert_ptr_null(CALLED(doca_ec_task_update_as_task(none)));
	CALLED(doca_ec_task_update_set_update_matrix(one, update));
	ck_assert_ptr_eq(CALLED(doca_ec_task_update_get_update_matrix(one)), update);
	CALLED(doca_ec_task_update_set_original_updated_and_rdnc_blocks(one, src));
	ck_assert_ptr_eq(CALLED(doca_ec_task_update_get_original_updated_and_rdnc_blocks(one)),
			 src);
	CALLED(doca_ec_task_update_set_updated_rdnc_blocks(one, other));
	ck_assert_ptr_eq(CALLED(doca_ec_task_update_get_updated_rdnc_blocks(one)), other);
	/* NULL changes nothing. */
	doca_ec_task_update_set_update_matrix(one, NULL);
	doca_ec_task_update_set_original_updated_and_rdnc_blocks(one, NULL);
	doca_ec_task_update_set_updated_rdnc_blocks(one, NULL);
	ck_assert_ptr_eq(doca_ec_task_update_get_updated_rdnc_blocks(one), other);
	doca_ec_task_update_set_updated_rdnc_blocks(one, dst);
	/* Each result is appended after the previous one. */
	EXPECT(DOCA_SUCCESS, run(doca_ec_task_update_as_task(one)));
	EXPECT(DOCA_SUCCESS, run(doca_ec_task_update_as_task(tasks[1])));
	ck_assert_uint_eq(data_len(dst), 2 * OUT_UPDATE * BLOCK);
	ck_assert_mem_eq(memory + LEN, memory + LEN + OUT_UPDATE * BLOCK, OUT_UPDATE * BLOCK);
	/* Both try_submit and the queue detect a wrong size. */
	OK(doca_buf_set_data_len(src, BLOCK + 1));
	EXPECT(DOCA_ERROR_INVALID_VALUE, doca_task_try_submit(doca_ec_task_update_as_task(one)));
	keeps_tasks = false;
	for (unsigned i = 1; i < N_TASKS; i++)
		doca_task_free(doca_ec_task_update_as_task(tasks[i]));
	EXPECT(DOCA_ERROR_IO_FAILED, run(doca_ec_task_update_as_task(one)));
	OK(doca_ctx_stop(ctx));
	RETURNS(DOCA_ERROR_BAD_STATE,
		doca_ec_task_update_allocate_init(ec, update, src, dst, no_data, &one));
	OK(doca_ctx_start(ctx));
	OK(doca_ec_matrix_destroy(recover));
	OK(doca_ec_matrix_destroy(update));
	OK(doca_ec_matrix_destroy(coding));
	use_buf_end(src);
	use_buf_end(dst);
	use_buf_end(other);
}
END_TEST

START_TEST(test_recover_tasks)
{
	struct doca_buf *src = src_buf(0, IN_RECOVER * BLOCK), *dst = dst_buf(1024 * 8),
			*other = dst_buf(64);
	struct doca_ec_task_recover *tasks[N_TASKS], *one, *none = NULL;
	struct doca_ec_matrix *coding = cauchy(), *update, *recover;
	struct doca_ec *no_ec = NULL, *idle;
	uint32_t index = 1;

	keeps_tasks = true;
	OK(doca_ec_matrix_create_update(ec, coding, &index, 1, &update));
	OK(doca_ec_matrix_create_recover(ec, coding, &index, 1, &recover));
	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_ec_task_recover_allocate_init(no_ec, recover, src, dst, no_data, &one));
	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_ec_task_recover_allocate_init(ec, NULL, src, dst, no_data, &one));
	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_ec_task_recover_allocate_init(ec, recover, NULL, dst, no_data, &one));
	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_ec_task_recover_allocate_init(ec, recover, src, NULL, no_data, &one));
	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_ec_task_recover_allocate_init(ec, recover, src, dst, no_data, NULL));
	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_ec_task_recover_allocate_init(ec, update, src, dst, no_data, &one));
	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_ec_task_recover_allocate_init(ec, coding, src, dst, no_data, &one));
	OK(doca_ec_create(dev, &idle));
	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_ec_task_recover_allocate_init(idle, recover, src, dst, no_data, &one));
	OK(doca_ec_destroy(idle));
	for (unsigned i = 0; i < N_TASKS; i++)
		PASSES(doca_ec_task_recover_allocate_init(ec, recover, src, dst, no_data,
							  &tasks[i]));
	RETURNS(DOCA_ERROR_NO_MEMORY,
		doca_ec_task_recover_allocate_init(ec, recover, src, dst, no_data, &one));
	one = tasks[0];
	ck_assert_ptr_null(CALLED(doca_ec_task_recover_as_task(none)));
	CALLED(doca_ec_task_recover_set_recover_matrix(one, recover));
	ck_assert_ptr_eq(CALLED(doca_ec_task_recover_get_recover_matrix(one)), recover);
	CALLED(doca_ec_task_recover_set_available_blocks(one, src));
	ck_assert_ptr_eq(CALLED(doca_ec_task_recover_get_available_blocks(one)), src);
	CALLED(doca_ec_task_recover_set_recovered_data_blocks(one, other));
	ck_assert_ptr_eq(CALLED(doca_ec_task_recover_get_recovered_data(one)), other);
	/* NULL changes nothing. */
	doca_ec_task_recover_set_recover_matrix(one, NULL);
	doca_ec_task_recover_set_available_blocks(one, NULL);
	doca_ec_task_recover_set_recovered_data_blocks(one, NULL);
	ck_assert_ptr_eq(doca_ec_task_recover_get_recovered_data(one), other);
	doca_ec_task_recover_set_recovered_data_blocks(one, dst);
	/* Each result is appended after the previous one. */
	EXPECT(DOCA_SUCCESS, run(doca_ec_task_recover_as_task(one)));
	EXPECT(DOCA_SUCCESS, run(doca_ec_task_recover_as_task(tasks[1])));
	ck_assert_uint_eq(data_len(dst), 2 * OUT_RECOVER * BLOCK);
	ck_assert_mem_eq(memory + LEN, memory + LEN + OUT_RECOVER * BLOCK, OUT_RECOVER * BLOCK);
	/* Both try_submit and the queue detect a wrong size. */
	OK(doca_buf_set_data_len(src, BLOCK + 1));
	EXPECT(DOCA_ERROR_INVALID_VALUE, doca_task_try_submit(doca_ec_task_recover_as_task(one)));
	keeps_tasks = false;
	for (unsigned i = 1; i < N_TASKS; i++)
		doca_task_free(doca_ec_task_recover_as_task(tasks[i]));
	EXPECT(DOCA_ERROR_IO_FAILED, run(doca_ec_task_recover_as_task(one)));
	OK(doca_ctx_stop(ctx));
	RETURNS(DOCA_ERROR_BAD_STATE,
		doca_ec_task_recover_allocate_init(ec, recover, src, dst, no_data, &one));
	OK(doca_ctx_start(ctx));
	OK(doca_ec_matrix_destroy(recover));
	OK(doca_ec_matrix_destroy(update));
	OK(doca_ec_matrix_destroy(coding));
	use_buf_end(src);
	use_buf_end(dst);
	use_buf_end(other);
}
END_TEST

/* Loses two blocks of each file and gets them back; a matrix in use is not destroyed. */
START_TEST(test_recovery)
{
	struct doca_ec_matrix *coding = cauchy(), *recovery;
	struct doca_buf *src = src_buf(0, N_DATA * BLOCK), *dst = dst_buf(N_RDNC * BLOCK);
	struct doca_ec_task_create *create;
	struct doca_ec_task_recover *recover;
	uint32_t lost[] = {0, 2};
	uint8_t before[N_DATA * BLOCK];

	memcpy(before, memory, sizeof(before));
	OK(doca_ec_task_create_allocate_init(ec, coding, src, dst, no_data, &create));
	OK(doca_task_submit(doca_ec_task_create_as_task(create)));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_ec_matrix_destroy(coding));
	while (n_ok == 0)
		doca_pe_progress(pe);
	/* Left are the blocks 1 and 3 of the data, and the redundancy. */
	memcpy(memory, before + BLOCK, BLOCK);
	memcpy(memory + BLOCK, before + 3 * BLOCK, BLOCK);
	memcpy(memory + 2 * BLOCK, memory + LEN, N_RDNC * BLOCK);
	OK(doca_ec_matrix_create_recover(ec, coding, lost, 2, &recovery));
	PASSES(doca_ec_matrix_destroy(coding));
	OK(doca_buf_reset_data_len(dst));
	OK(doca_ec_task_recover_allocate_init(ec, recovery, src, dst, no_data, &recover));
	EXPECT(DOCA_SUCCESS, run(doca_ec_task_recover_as_task(recover)));
	ck_assert_mem_eq(memory + LEN, before, BLOCK);
	ck_assert_mem_eq(memory + LEN + BLOCK, before + 2 * BLOCK, BLOCK);
	PASSES(doca_ec_matrix_destroy(recovery));
	use_buf_end(src);
	use_buf_end(dst);
}
END_TEST

/* After two blocks have changed, an update gives the redundancy that a creation gives. Its source
 * has each changed block, old and then new, and then the old redundancy. */
START_TEST(test_update_of_two_blocks)
{
	struct doca_buf *src = src_buf(0, N_DATA * BLOCK), *dst = dst_buf(N_RDNC * BLOCK);
	struct doca_ec_matrix *coding = cauchy(), *changes;
	uint8_t before[N_DATA * BLOCK], redundancy[N_RDNC * BLOCK];
	uint32_t changed[] = {2, 0};
	struct doca_ec_task_create *create;
	struct doca_ec_task_update *update;

	memcpy(before, memory, sizeof(before));
	OK(doca_ec_task_create_allocate_init(ec, coding, src, dst, no_data, &create));
	EXPECT(DOCA_SUCCESS, run(doca_ec_task_create_as_task(create)));
	memcpy(redundancy, memory + LEN, sizeof(redundancy));
	use_fill(memory, BLOCK, 2);
	use_fill(memory + 2 * BLOCK, BLOCK, 3);
	OK(doca_buf_reset_data_len(dst));
	OK(doca_ec_task_create_allocate_init(ec, coding, src, dst, no_data, &create));
	EXPECT(DOCA_SUCCESS, run(doca_ec_task_create_as_task(create)));
	use_buf_end(src);
	memcpy(memory + 3 * BLOCK, memory, BLOCK);
	memcpy(memory + BLOCK, memory + 2 * BLOCK, BLOCK);
	memcpy(memory, before + 2 * BLOCK, BLOCK);
	memcpy(memory + 2 * BLOCK, before, BLOCK);
	memcpy(memory + 4 * BLOCK, redundancy, sizeof(redundancy));
	memcpy(redundancy, memory + LEN, sizeof(redundancy));
	src = src_buf(0, (4 + N_RDNC) * BLOCK);
	OK(doca_ec_matrix_create_update(ec, coding, changed, 2, &changes));
	OK(doca_buf_reset_data_len(dst));
	OK(doca_ec_task_update_allocate_init(ec, changes, src, dst, no_data, &update));
	EXPECT(DOCA_SUCCESS, run(doca_ec_task_update_as_task(update)));
	ck_assert_mem_eq(memory + LEN, redundancy, sizeof(redundancy));
	OK(doca_ec_matrix_destroy(changes));
	OK(doca_ec_matrix_destroy(coding));
	use_buf_end(src);
	use_buf_end(dst);
}
END_TEST

/* Tasks with their own buffers, single ones and lists, allocate no memory and take no lock. */
START_TEST(test_no_allocation)
{
	unsigned n = allocount_works ? 100000 : 3000;
	struct doca_ec_matrix *coding = cauchy();

	hot_begin();
	for (unsigned i = 0; i < n; i++) {
		struct doca_buf *src, *dst, *tail;
		struct doca_ec_task_create *t;
		doca_error_t result;
		size_t cut = i % 2 == 0 ? N_DATA * 64 : 100;

		result = doca_buf_inventory_buf_get_by_data(inventory, mmap, memory + i % 64, cut,
							    &src);
		if (i % 2 != 0) {
			result |= doca_buf_inventory_buf_get_by_data(inventory, mmap, memory + 100,
								     N_DATA * 64 - 100, &tail);
			result |= doca_buf_chain_list(src, tail);
		}
		result |= doca_buf_inventory_buf_get_by_addr(inventory, mmap, memory + LEN,
							     N_RDNC * 64, &dst);
		result |= doca_ec_task_create_allocate_init(ec, coding, src, dst, no_data, &t);
		result |= doca_task_submit(doca_ec_task_create_as_task(t));
		while (doca_pe_progress(pe) == 0)
			continue;
		result |= doca_buf_dec_refcount(src, NULL);
		result |= doca_buf_dec_refcount(dst, NULL);
		if (result != DOCA_SUCCESS)
			ck_abort_msg("task %u: %s", i, dococ_last_error());
	}
	hot_end();
	ck_assert_uint_eq(n_ok, n);
	OK(doca_ec_matrix_destroy(coding));
}
END_TEST

/* Sleeps only in epoll, without a timeout: work is submitted before arming or after it. */
START_TEST(test_epoll)
{
	struct doca_buf *src = src_buf(0, N_DATA * 64), *dst = dst_buf(N_RDNC * 64);
	struct epoll_event event = {.events = EPOLLIN};
	struct doca_ec_matrix *coding = cauchy();
	struct doca_ec_task_create *task;
	doca_notification_handle_t handle;
	int epoll_fd = epoll_create1(EPOLL_CLOEXEC);

	keeps_tasks = true;
	OK(doca_pe_get_notification_handle(pe, &handle));
	ck_assert_int_eq(epoll_ctl(epoll_fd, EPOLL_CTL_ADD, handle, &event), 0);
	OK(doca_ec_task_create_allocate_init(ec, coding, src, dst, no_data, &task));
	for (unsigned i = 0; i < 5000; i++) {
		OK(doca_buf_reset_data_len(dst));
		if (i % 2 == 0)
			OK(doca_task_submit(doca_ec_task_create_as_task(task)));
		OK(doca_pe_request_notification(pe));
		if (i % 2 != 0)
			OK(doca_task_submit(doca_ec_task_create_as_task(task)));
		ck_assert_int_eq(epoll_wait(epoll_fd, &event, 1, -1), 1);
		OK(doca_pe_clear_notification(pe, 0));
		while (doca_pe_progress(pe))
			continue;
		ck_assert_uint_eq(n_ok, i + 1);
	}
	doca_task_free(doca_ec_task_create_as_task(task));
	OK(doca_ec_matrix_destroy(coding));
	close(epoll_fd);
	use_buf_end(src);
	use_buf_end(dst);
}
END_TEST

/* --- the limits of cards --- */

START_TEST(test_limits_of_cards)
{
	struct doca_devinfo *info = doca_dev_as_devinfo(dev);
	struct doca_buf *src = src_buf(0, 64), *dst = dst_buf(64);
	struct doca_ec_matrix *matrix;
	struct doca_ec_task_create *t;
	struct doca_ec *other;
	uint64_t size;
	uint32_t n;

	OK(doca_ec_cap_get_max_block_size(info, &size));
	ck_assert_uint_eq(size, 2u << 20);
	OK(doca_ec_cap_get_max_buf_list_len(info, &n));
	ck_assert_uint_eq(n, 128);
	OK(doca_ec_create(dev, &other));
	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_ec_task_create_set_conf(other, create_ok, create_failed, 65537));
	PASSES(doca_ec_task_create_set_conf(other, create_ok, create_failed, 65536));
	OK(doca_ec_destroy(other));
	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_ec_matrix_create(ec, DOCA_EC_MATRIX_TYPE_CAUCHY, 129, 32, &matrix));
	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_ec_matrix_create(ec, DOCA_EC_MATRIX_TYPE_CAUCHY, 128, 33, &matrix));
	PASSES(doca_ec_matrix_create(ec, DOCA_EC_MATRIX_TYPE_CAUCHY, 128, 1, &matrix));
	for (unsigned i = 1; i < 128; i++)
		OK(doca_buf_chain_list(src, src_buf(i, 64)));
	OK(doca_ec_task_create_allocate_init(ec, matrix, src, dst, no_data, &t));
	EXPECT(DOCA_SUCCESS, run(doca_ec_task_create_as_task(t)));
	OK(doca_buf_chain_list(src, src_buf(128, 64)));
	OK(doca_ec_task_create_allocate_init(ec, matrix, src, dst, no_data, &t));
	EXPECT(DOCA_ERROR_INVALID_VALUE, doca_task_try_submit(doca_ec_task_create_as_task(t)));
	EXPECT(DOCA_ERROR_IO_FAILED, run(doca_ec_task_create_as_task(t)));
	ck_assert_uint_eq(data_len(dst), 64);
	OK(doca_ec_matrix_destroy(matrix));
	use_buf_end(src);
	use_buf_end(dst);
}
END_TEST

START_TEST(test_without)
{
	struct doca_devinfo *info = doca_dev_as_devinfo(dev);
	struct doca_ec *other;
	uint64_t size;
	uint32_t n;

	RETURNS(DOCA_ERROR_NOT_SUPPORTED, doca_ec_create(dev, &other));
	RETURNS(DOCA_ERROR_NOT_SUPPORTED, doca_ec_cap_task_galois_mul_is_supported(info));
	RETURNS(DOCA_ERROR_NOT_SUPPORTED, doca_ec_cap_task_create_is_supported(info));
	RETURNS(DOCA_ERROR_NOT_SUPPORTED, doca_ec_cap_task_update_is_supported(info));
	RETURNS(DOCA_ERROR_NOT_SUPPORTED, doca_ec_cap_task_recover_is_supported(info));
	RETURNS(DOCA_ERROR_NOT_SUPPORTED, doca_ec_cap_get_max_block_size(info, &size));
	RETURNS(DOCA_ERROR_NOT_SUPPORTED, doca_ec_cap_get_max_buf_list_len(info, &n));
}
END_TEST

static bool finish(void)
{
	return cover_report("doca_erasure_coding", documented_doca_ec, unreachable);
}

static TCase *add_case(Suite *suite, const char *name, void (*case_setup)(void))
{
	TCase *tcase = tcase_create(name);

	tcase_add_checked_fixture(tcase, case_setup, teardown);
	tcase_set_timeout(tcase, RUNNER_TEST_S);
	suite_add_tcase(suite, tcase);
	return tcase;
}

static void add_cases(Suite *suite)
{
	TCase *tcase = add_case(suite, "ec", setup);

	tcase_add_test(tcase, test_capabilities);
	tcase_add_test(tcase, test_configuration);
	tcase_add_test(tcase, test_matrices);
	tcase_add_test(tcase, test_galois_mul_tasks);
	tcase_add_test(tcase, test_create_tasks);
	tcase_add_test(tcase, test_update_tasks);
	tcase_add_test(tcase, test_recover_tasks);
	tcase_add_test(tcase, test_recovery);
	tcase_add_test(tcase, test_update_of_two_blocks);
	tcase_add_test(tcase, test_no_allocation);
	tcase_add_test(tcase, test_epoll);
	tcase_add_test(add_case(suite, "cards", setup_cards), test_limits_of_cards);
	tcase_add_test(add_case(suite, "without", setup_without), test_without);
}

int main(void)
{
	lab_require();
	cover_init();
	return runner_main("doca_erasure_coding", add_cases, finish);
}
