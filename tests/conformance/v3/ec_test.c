/*
 * doca_erasure_coding.h: capabilities, configuration, matrices, the four kinds of task with each
 * documented code, limits of a profile, devices without erasure coding, no allocation on the data
 * path, a program that sleeps only in epoll, and a graph.
 */
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include <doca_erasure_coding.h>

#define LEN               (64u << 10)
#define ENGINE_MEMORY_LEN (2 * LEN)
#include "tests/conformance/v3/engine.h"
#include "tests/lib/hot.h"

#define N_TASKS 32u
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

static struct doca_ec *ec;

CALLBACKS(galois_mul, doca_ec_task_galois_mul)
CALLBACKS(create, doca_ec_task_create)
CALLBACKS(update, doca_ec_task_update)
CALLBACKS(recover, doca_ec_task_recover)

static void ec_open(void)
{
	use_fill(memory, LEN, 1);
	OK(doca_ec_create(dev, &ec));
	OK(doca_ec_task_galois_mul_set_conf(ec, galois_mul_ok, galois_mul_failed, N_TASKS));
	OK(doca_ec_task_create_set_conf(ec, create_ok, create_failed, N_TASKS));
	OK(doca_ec_task_update_set_conf(ec, update_ok, update_failed, N_TASKS));
	OK(doca_ec_task_recover_set_conf(ec, recover_ok, recover_failed, N_TASKS));
	engine_start(doca_ec_as_ctx(ec));
}

static void setup(void)
{
	engine_setup(NULL, NULL);
	ec_open();
}

static void setup_cards(void)
{
	engine_setup("[daemon]\nprofile = bf3\n", NULL);
	ec_open();
}

static void setup_without(void)
{
	engine_setup(NULL, "[topology]\nside = host\n"
			   "[device pf0]\npci = 0b:00.0\nerasure_coding = no\n");
}

static void teardown(void)
{
	if (ec != NULL) {
		EXPECT(DOCA_SUCCESS, doca_ctx_stop(ctx));
		OK(doca_ec_destroy(ec));
	}
	engine_teardown();
}

static struct doca_buf *dst_buf(size_t len)
{
	return room_buf(LEN, len);
}

static struct doca_ec_matrix *cauchy(void)
{
	struct doca_ec_matrix *matrix;

	OK(doca_ec_matrix_create(ec, DOCA_EC_MATRIX_TYPE_CAUCHY, N_DATA, N_RDNC, &matrix));
	return matrix;
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

/* --- tasks of each kind --- */

/* The matrices and buffers of a test of one kind. */
static struct {
	struct doca_ec_matrix *coding, *update, *recover;
	struct doca_buf *src, *dst, *other;
} with;

static void with_open(size_t n_in)
{
	uint32_t index = 1;

	keeps_tasks = true;
	with.coding = cauchy();
	OK(doca_ec_matrix_create_update(ec, with.coding, &index, 1, &with.update));
	OK(doca_ec_matrix_create_recover(ec, with.coding, &index, 1, &with.recover));
	with.src = data_buf(0, n_in * BLOCK);
	with.dst = dst_buf(1024 * 8);
	with.other = dst_buf(64);
}

static void with_close(void)
{
	OK(doca_ec_matrix_destroy(with.recover));
	OK(doca_ec_matrix_destroy(with.update));
	OK(doca_ec_matrix_destroy(with.coding));
	use_buf_end(with.src);
	use_buf_end(with.dst);
	use_buf_end(with.other);
}

/* A task of the kind cannot be allocated with that matrix. */
#define REFUSES(kind, matrix)                                                  \
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_ec_task_##kind##_allocate_init( \
						  ec, matrix, with.src, with.dst, no_data, &one))

/* Wrong arguments, and more tasks than were configured. */
#define ALLOCATES(kind, matrix)                                                                    \
	do {                                                                                       \
		struct doca_ec *no_ec = NULL, *idle;                                               \
                                                                                                   \
		RETURNS(DOCA_ERROR_INVALID_VALUE,                                                  \
			doca_ec_task_##kind##_allocate_init(no_ec, matrix, with.src, with.dst,     \
							    no_data, &one));                       \
		RETURNS(DOCA_ERROR_INVALID_VALUE,                                                  \
			doca_ec_task_##kind##_allocate_init(ec, NULL, with.src, with.dst, no_data, \
							    &one));                                \
		RETURNS(DOCA_ERROR_INVALID_VALUE,                                                  \
			doca_ec_task_##kind##_allocate_init(ec, matrix, NULL, with.dst, no_data,   \
							    &one));                                \
		RETURNS(DOCA_ERROR_INVALID_VALUE,                                                  \
			doca_ec_task_##kind##_allocate_init(ec, matrix, with.src, NULL, no_data,   \
							    &one));                                \
		RETURNS(DOCA_ERROR_INVALID_VALUE,                                                  \
			doca_ec_task_##kind##_allocate_init(ec, matrix, with.src, with.dst,        \
							    no_data, NULL));                       \
		OK(doca_ec_create(dev, &idle));                                                    \
		RETURNS(DOCA_ERROR_INVALID_VALUE,                                                  \
			doca_ec_task_##kind##_allocate_init(idle, matrix, with.src, with.dst,      \
							    no_data, &one));                       \
		OK(doca_ec_destroy(idle));                                                         \
		for (unsigned i = 0; i < N_TASKS; i++)                                             \
			PASSES(doca_ec_task_##kind##_allocate_init(ec, matrix, with.src, with.dst, \
								   no_data, &tasks[i]));           \
		RETURNS(DOCA_ERROR_NO_MEMORY,                                                      \
			doca_ec_task_##kind##_allocate_init(ec, matrix, with.src, with.dst,        \
							    no_data, &one));                       \
	} while (0)

/* The setters and getters, by the names of the properties. NULL changes nothing. */
#define ACCESSES(kind, matrix, matrix_name, src_name, dst_name, dst_getter)                        \
	do {                                                                                       \
		struct doca_ec_task_##kind *none = NULL;                                           \
                                                                                                   \
		one = tasks[0];                                                                    \
		ck_assert_ptr_null(CALLED(doca_ec_task_##kind##_as_task(none)));                   \
		CALLED(doca_ec_task_##kind##_set_##matrix_name(one, matrix));                      \
		ck_assert_ptr_eq(CALLED(doca_ec_task_##kind##_get_##matrix_name(one)), matrix);    \
		CALLED(doca_ec_task_##kind##_set_##src_name(one, with.src));                       \
		ck_assert_ptr_eq(CALLED(doca_ec_task_##kind##_get_##src_name(one)), with.src);     \
		CALLED(doca_ec_task_##kind##_set_##dst_name(one, with.other));                     \
		ck_assert_ptr_eq(CALLED(doca_ec_task_##kind##_get_##dst_getter(one)), with.other); \
		doca_ec_task_##kind##_set_##matrix_name(one, NULL);                                \
		doca_ec_task_##kind##_set_##src_name(one, NULL);                                   \
		doca_ec_task_##kind##_set_##dst_name(one, NULL);                                   \
		ck_assert_ptr_eq(doca_ec_task_##kind##_get_##matrix_name(one), matrix);            \
		ck_assert_ptr_eq(doca_ec_task_##kind##_get_##src_name(one), with.src);             \
		ck_assert_ptr_eq(doca_ec_task_##kind##_get_##dst_getter(one), with.other);         \
		doca_ec_task_##kind##_set_##dst_name(one, with.dst);                               \
	} while (0)

/* Two tasks, whose results are appended. */
static void tasks_succeed(struct doca_task *first, struct doca_task *second, size_t n_out)
{
	EXPECT(DOCA_SUCCESS, run(first));
	EXPECT(DOCA_SUCCESS, run(second));
	ck_assert_uint_eq(data_len(with.dst), 2 * n_out * BLOCK);
	ck_assert_mem_eq(memory + LEN, memory + LEN + n_out * BLOCK, n_out * BLOCK);
}

/* Both try_submit and the queue detect a wrong size. A stopped context allocates no task. */
#define FAILS(kind, matrix)                                                                 \
	do {                                                                                \
		OK(doca_buf_set_data_len(with.src, BLOCK + 1));                             \
		EXPECT(DOCA_ERROR_INVALID_VALUE,                                            \
		       doca_task_try_submit(doca_ec_task_##kind##_as_task(one)));           \
		keeps_tasks = false;                                                        \
		for (unsigned i = 1; i < N_TASKS; i++)                                      \
			doca_task_free(doca_ec_task_##kind##_as_task(tasks[i]));            \
		EXPECT(DOCA_ERROR_IO_FAILED, run(doca_ec_task_##kind##_as_task(one)));      \
		OK(doca_ctx_stop(ctx));                                                     \
		RETURNS(DOCA_ERROR_BAD_STATE,                                               \
			doca_ec_task_##kind##_allocate_init(ec, matrix, with.src, with.dst, \
							    no_data, &one));                \
		OK(doca_ctx_start(ctx));                                                    \
	} while (0)

START_TEST(test_galois_mul_tasks)
{
	struct doca_ec_task_galois_mul *tasks[N_TASKS], *one;

	with_open(IN_GALOIS_MUL);
	ALLOCATES(galois_mul, with.coding);
	ACCESSES(galois_mul, with.coding, coding_matrix, src_buf, dst_buf, dst_buf);
	tasks_succeed(doca_ec_task_galois_mul_as_task(one),
		      doca_ec_task_galois_mul_as_task(tasks[1]), OUT_GALOIS_MUL);
	FAILS(galois_mul, with.coding);
	with_close();
}
END_TEST

START_TEST(test_create_tasks)
{
	struct doca_ec_task_create *tasks[N_TASKS], *one;

	with_open(IN_CREATE);
	REFUSES(create, with.update);
	REFUSES(create, with.recover);
	ALLOCATES(create, with.coding);
	ACCESSES(create, with.coding, coding_matrix, original_data_blocks, rdnc_blocks,
		 rdnc_blocks);
	tasks_succeed(doca_ec_task_create_as_task(one), doca_ec_task_create_as_task(tasks[1]),
		      OUT_CREATE);
	FAILS(create, with.coding);
	with_close();
}
END_TEST

START_TEST(test_update_tasks)
{
	struct doca_ec_task_update *tasks[N_TASKS], *one;

	with_open(IN_UPDATE);
	REFUSES(update, with.coding);
	REFUSES(update, with.recover);
	ALLOCATES(update, with.update);
	ACCESSES(update, with.update, update_matrix, original_updated_and_rdnc_blocks,
		 updated_rdnc_blocks, updated_rdnc_blocks);
	tasks_succeed(doca_ec_task_update_as_task(one), doca_ec_task_update_as_task(tasks[1]),
		      OUT_UPDATE);
	FAILS(update, with.update);
	with_close();
}
END_TEST

START_TEST(test_recover_tasks)
{
	struct doca_ec_task_recover *tasks[N_TASKS], *one;

	with_open(IN_RECOVER);
	REFUSES(recover, with.update);
	REFUSES(recover, with.coding);
	ALLOCATES(recover, with.recover);
	ACCESSES(recover, with.recover, recover_matrix, available_blocks, recovered_data_blocks,
		 recovered_data);
	tasks_succeed(doca_ec_task_recover_as_task(one), doca_ec_task_recover_as_task(tasks[1]),
		      OUT_RECOVER);
	FAILS(recover, with.recover);
	with_close();
}
END_TEST

/* Loses two blocks and gets them back; a matrix in use is not destroyed. */
START_TEST(test_recovery)
{
	struct doca_ec_matrix *coding = cauchy(), *recovery;
	struct doca_buf *src = data_buf(0, N_DATA * BLOCK), *dst = dst_buf(N_RDNC * BLOCK);
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
	struct doca_buf *src = data_buf(0, N_DATA * BLOCK), *dst = dst_buf(N_RDNC * BLOCK);
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
	src = data_buf(0, (4 + N_RDNC) * BLOCK);
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
	struct doca_buf *src = data_buf(0, N_DATA * 64), *dst = dst_buf(N_RDNC * 64);
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

/* --- a graph --- */

/* One node makes the redundancy, the next one recovers a lost block from it, and a third one
 * computes the redundancy after a change, beside the second. Each instance has buffers of its own.
 */
struct chain {
	struct doca_buf *src, *rdnc, *left, *back, *changes, *changed;
	struct doca_ec_task_create *create;
	struct doca_ec_task_recover *recover;
	struct doca_ec_task_update *update;
	struct doca_graph_instance *instance;
};

/* The places of instance i in `memory`; the data are at 0. */
#define CHAIN_RDNC(i)    (LEN + (size_t)(i)*8 * BLOCK)
#define CHAIN_BACK(i)    (CHAIN_RDNC(i) + N_RDNC * BLOCK)
#define CHAIN_CHANGED(i) (CHAIN_BACK(i) + BLOCK)

static void chain_open(struct chain *c, unsigned i, const struct doca_ec_matrix *matrices[3])
{
	c->src = data_buf(0, N_DATA * BLOCK);
	c->rdnc = room_buf(CHAIN_RDNC(i), N_RDNC * BLOCK);
	/* Block 0 is lost. */
	c->left = data_buf(BLOCK, (N_DATA - 1) * BLOCK);
	OK(doca_buf_chain_list(c->left, data_buf(CHAIN_RDNC(i), BLOCK)));
	c->back = room_buf(CHAIN_BACK(i), BLOCK);
	/* Block 1 gets the content of block 4, which is not part of the code. */
	c->changes = data_buf(BLOCK, BLOCK);
	OK(doca_buf_chain_list(c->changes, data_buf((size_t)N_DATA * BLOCK, BLOCK)));
	OK(doca_buf_chain_list(c->changes, data_buf(CHAIN_RDNC(i), N_RDNC * BLOCK)));
	c->changed = room_buf(CHAIN_CHANGED(i), N_RDNC * BLOCK);
	OK(doca_ec_task_create_allocate_init(ec, matrices[0], c->src, c->rdnc, no_data,
					     &c->create));
	OK(doca_ec_task_recover_allocate_init(ec, matrices[1], c->left, c->back, no_data,
					      &c->recover));
	OK(doca_ec_task_update_allocate_init(ec, matrices[2], c->changes, c->changed, no_data,
					     &c->update));
}

static void chain_close(struct chain *c)
{
	OK(doca_graph_instance_destroy(c->instance));
	doca_task_free(doca_ec_task_create_as_task(c->create));
	doca_task_free(doca_ec_task_recover_as_task(c->recover));
	doca_task_free(doca_ec_task_update_as_task(c->update));
	use_buf_end(c->src);
	use_buf_end(c->rdnc);
	use_buf_end(c->left);
	use_buf_end(c->back);
	use_buf_end(c->changes);
	use_buf_end(c->changed);
}

/* What the update of a chain made is the redundancy of the changed data. */
static void chain_check(const struct doca_ec_matrix *coding, unsigned i)
{
	struct doca_buf *src = data_buf(0, BLOCK), *dst = room_buf(CHAIN_RDNC(8), N_RDNC * BLOCK);
	struct doca_ec_task_create *create;

	ck_assert_mem_eq(memory + CHAIN_BACK(i), memory, BLOCK);
	OK(doca_buf_chain_list(src, data_buf((size_t)N_DATA * BLOCK, BLOCK)));
	OK(doca_buf_chain_list(src, data_buf((size_t)2 * BLOCK, (N_DATA - 2) * BLOCK)));
	OK(doca_ec_task_create_allocate_init(ec, coding, src, dst, no_data, &create));
	EXPECT(DOCA_SUCCESS, run(doca_ec_task_create_as_task(create)));
	ck_assert_mem_eq(memory + CHAIN_RDNC(8), memory + CHAIN_CHANGED(i), N_RDNC * BLOCK);
	use_buf_end(src);
	use_buf_end(dst);
}

START_TEST(test_graph)
{
	const struct doca_ec_matrix *matrices[3];
	struct doca_ec_matrix *coding = cauchy(), *recovery, *changes;
	uint32_t lost[] = {0}, changed[] = {1};
	struct doca_graph_node *nodes[3];
	struct chain chains[3] = {0};
	struct doca_graph *graph;

	OK(doca_ec_matrix_create_recover(ec, coding, lost, 1, &recovery));
	OK(doca_ec_matrix_create_update(ec, coding, changed, 1, &changes));
	matrices[0] = coding;
	matrices[1] = recovery;
	matrices[2] = changes;
	keeps_tasks = true;
	OK(doca_graph_create(pe, &graph));
	OK(doca_graph_set_conf(graph, instance_ok, instance_failed, ARRAY_LEN(chains)));
	for (size_t i = 0; i < ARRAY_LEN(nodes); i++)
		OK(doca_graph_node_create_from_ctx(graph, ctx, &nodes[i]));
	OK(doca_graph_add_dependency(graph, nodes[0], nodes[1]));
	OK(doca_graph_add_dependency(graph, nodes[0], nodes[2]));
	OK(doca_graph_start(graph));
	for (unsigned i = 0; i < ARRAY_LEN(chains); i++) {
		struct chain *c = &chains[i];

		chain_open(c, i, matrices);
		OK(doca_graph_instance_create(graph, &c->instance));
		OK(doca_graph_instance_set_ctx_node_data(c->instance, nodes[0],
							 doca_ec_task_create_as_task(c->create)));
		OK(doca_graph_instance_set_ctx_node_data(c->instance, nodes[1],
							 doca_ec_task_recover_as_task(c->recover)));
		OK(doca_graph_instance_set_ctx_node_data(c->instance, nodes[2],
							 doca_ec_task_update_as_task(c->update)));
		OK(doca_graph_instance_submit(c->instance));
	}
	instances_await(ARRAY_LEN(chains));
	ck_assert_uint_eq(n_instances, ARRAY_LEN(chains));
	for (unsigned i = 0; i < ARRAY_LEN(chains); i++)
		chain_close(&chains[i]);
	OK(doca_graph_stop(graph));
	OK(doca_graph_destroy(graph));
	keeps_tasks = false;
	for (unsigned i = 0; i < ARRAY_LEN(chains); i++)
		chain_check(coding, i);
	OK(doca_ec_matrix_destroy(changes));
	OK(doca_ec_matrix_destroy(recovery));
	OK(doca_ec_matrix_destroy(coding));
}
END_TEST

/* --- the limits of cards --- */

START_TEST(test_limits_of_cards)
{
	struct doca_devinfo *info = doca_dev_as_devinfo(dev);
	struct doca_buf *src = data_buf(0, 64), *dst = dst_buf(64);
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
		OK(doca_buf_chain_list(src, data_buf(i, 64)));
	OK(doca_ec_task_create_allocate_init(ec, matrix, src, dst, no_data, &t));
	EXPECT(DOCA_SUCCESS, run(doca_ec_task_create_as_task(t)));
	OK(doca_buf_chain_list(src, data_buf(128, 64)));
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

static void add_cases(Suite *suite)
{
	TCase *tcase = engine_case(suite, "ec", setup, teardown);

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
	tcase_add_test(tcase, test_graph);
	tcase_add_test(engine_case(suite, "cards", setup_cards, teardown), test_limits_of_cards);
	tcase_add_test(engine_case(suite, "without", setup_without, teardown), test_without);
}

int main(void)
{
	lab_require();
	cover_init();
	return runner_main("doca_erasure_coding", add_cases, finish);
}
