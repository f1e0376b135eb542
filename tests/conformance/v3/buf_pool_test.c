/* doca_buf_pool.h: layout, states, exhaustion. The map needs a device, so one daemon runs. */
#include <doca_buf_pool.h>

#include "tests/conformance/cover.h"
#include "tests/lib/lab.h"
#include "tests/lib/runner.h"

static struct lab lab;
static struct doca_dev *dev;
static struct doca_mmap *mmap_;
static __attribute__((aligned(4096))) char memory[4096];

static void setup(void)
{
	static const struct lab_options options = {.only = {true, false}};

	lab_setup_client(&lab, &options, LAB_HOST);
	dev = use_dev(USE_HOST_PF0);
	mmap_ = use_mmap(dev, memory, sizeof(memory), DOCA_ACCESS_FLAG_LOCAL_READ_WRITE);
}

static void teardown(void)
{
	use_mmap_end(mmap_);
	OK(doca_dev_close(dev));
	lab_teardown(&lab);
}

static struct doca_buf_pool *pool_of(size_t n, size_t size)
{
	struct doca_buf_pool *pool;

	PASSES(doca_buf_pool_create(n, size, mmap_, &pool));
	return pool;
}

START_TEST(test_arguments)
{
	struct doca_buf_pool *pool = NULL;
	union doca_data data = {.u64 = 1};
	struct doca_buf *buf;
	size_t alignment;
	uint32_t n;

	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_buf_pool_create(0, 1, mmap_, &pool));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_buf_pool_create(1, 0, mmap_, &pool));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_buf_pool_create(1, 1, NULL, &pool));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_buf_pool_create(1, 1, mmap_, NULL));
	ck_assert_ptr_null(pool);
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_buf_pool_destroy(NULL));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_buf_pool_start(NULL));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_buf_pool_stop(NULL));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_buf_pool_buf_alloc(NULL, &buf));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_buf_pool_set_user_data(NULL, data));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_buf_pool_set_element_alignment(NULL, 1));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_buf_pool_get_num_elements(NULL, &n));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_buf_pool_get_num_free_elements(NULL, &n));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_buf_pool_get_user_data(NULL, &data));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_buf_pool_get_element_alignment(NULL, &alignment));
	pool = pool_of(1, 1);
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_buf_pool_set_element_alignment(pool, 0));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_buf_pool_set_element_alignment(pool, 24));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_buf_pool_get_num_elements(pool, NULL));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_buf_pool_get_num_free_elements(pool, NULL));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_buf_pool_get_user_data(pool, NULL));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_buf_pool_get_element_alignment(pool, NULL));
	PASSES(doca_buf_pool_start(pool));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_buf_pool_buf_alloc(pool, NULL));
	PASSES(doca_buf_pool_destroy(pool));
	for (unsigned i = 0; allocount_works && i < 3; i++)
		RUNS_OUT(i, doca_buf_pool_create(1, 1, mmap_, &pool));
}
END_TEST

START_TEST(test_states)
{
	struct doca_buf_pool *pool = pool_of(2, 100);
	union doca_data data = {.u64 = 3};
	struct doca_buf *a, *b, *none;
	size_t alignment;
	uint32_t n;

	RETURNS(DOCA_ERROR_BAD_STATE, doca_buf_pool_buf_alloc(pool, &a));
	PASSES(doca_buf_pool_set_user_data(pool, data));
	PASSES(doca_buf_pool_get_element_alignment(pool, &alignment));
	ck_assert_uint_eq(alignment, 1);
	PASSES(doca_buf_pool_set_element_alignment(pool, 64));
	OK(doca_mmap_stop(mmap_));
	RETURNS(DOCA_ERROR_BAD_STATE, doca_buf_pool_start(pool));
	OK(doca_mmap_start(mmap_));
	PASSES(doca_buf_pool_start(pool));
	PASSES(doca_buf_pool_start(pool));
	RETURNS(DOCA_ERROR_BAD_STATE, doca_buf_pool_set_element_alignment(pool, 1));
	PASSES(doca_buf_pool_get_element_alignment(pool, &alignment));
	ck_assert_uint_eq(alignment, 64);
	PASSES(doca_buf_pool_set_user_data(pool, data));
	data.u64 = 0;
	PASSES(doca_buf_pool_get_user_data(pool, &data));
	ck_assert_uint_eq(data.u64, 3);

	PASSES(doca_buf_pool_buf_alloc(pool, &a));
	PASSES(doca_buf_pool_buf_alloc(pool, &b));
	RETURNS(DOCA_ERROR_EMPTY, doca_buf_pool_buf_alloc(pool, &none));
	PASSES(doca_buf_pool_get_num_elements(pool, &n));
	ck_assert_uint_eq(n, 2);
	PASSES(doca_buf_pool_get_num_free_elements(pool, &n));
	ck_assert_uint_eq(n, 0);
	OK(doca_mmap_get_num_bufs(mmap_, &n));
	ck_assert_uint_eq(n, 2);
	RETURNS(DOCA_ERROR_IN_USE, doca_buf_pool_stop(pool));
	RETURNS(DOCA_ERROR_IN_USE, doca_buf_pool_destroy(pool));
	EXPECT(DOCA_ERROR_NOT_PERMITTED, doca_mmap_stop(mmap_));
	EXPECT(DOCA_ERROR_NOT_PERMITTED, doca_mmap_destroy(mmap_));
	use_buf_end(a);
	OK(doca_mmap_get_num_bufs(mmap_, &n));
	ck_assert_uint_eq(n, 1);
	use_buf_end(b);
	/* A pool cannot allocate while its map is stopped. */
	OK(doca_mmap_stop(mmap_));
	RETURNS(DOCA_ERROR_BAD_STATE, doca_buf_pool_buf_alloc(pool, &a));
	OK(doca_mmap_start(mmap_));
	PASSES(doca_buf_pool_buf_alloc(pool, &a));
	use_buf_end(a);
	PASSES(doca_buf_pool_stop(pool));
	PASSES(doca_buf_pool_stop(pool));
	RETURNS(DOCA_ERROR_BAD_STATE, doca_buf_pool_buf_alloc(pool, &a));
	PASSES(doca_buf_pool_set_element_alignment(pool, 1));
	PASSES(doca_buf_pool_start(pool));
	PASSES(doca_buf_pool_destroy(pool));
}
END_TEST

START_TEST(test_layout)
{
	static const struct {
		size_t n, size, alignment;
		bool fits;
	} cases[] = {
		{1, 4096, 1, true},    {1, 4097, 1, false},     {4096, 1, 1, true},
		{4097, 1, 1, false},   {32, 128, 128, true},    {32, 65, 128, true},
		{33, 65, 128, false},  {32, 129, 128, false},   {1, 100, 4096, true},
		{2, 100, 4096, false}, {1, SIZE_MAX, 2, false}, {100, SIZE_MAX / 64, 1, false},
		{3, 1000, 1024, true}, {4, 1024, 1024, true},   {3, 1366, 1, false},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct doca_buf_pool *pool;
		struct doca_buf *bufs[64];
		size_t n = MIN(cases[i].n, ARRAY_LEN(bufs)), k, len;
		size_t stride = ALIGN_UP(cases[i].size, cases[i].alignment);
		void *head, *data;

		pool = pool_of(cases[i].n, cases[i].size);
		PASSES(doca_buf_pool_set_element_alignment(pool, cases[i].alignment));
		RETURNS(cases[i].fits ? DOCA_SUCCESS : DOCA_ERROR_INITIALIZATION,
			doca_buf_pool_start(pool));
		for (k = 0; cases[i].fits && k < n; k++) {
			PASSES(doca_buf_pool_buf_alloc(pool, &bufs[k]));
			OK(doca_buf_get_head(bufs[k], &head));
			ck_assert_ptr_eq(head, memory + k * stride);
			OK(doca_buf_get_len(bufs[k], &len));
			ck_assert_uint_eq(len, cases[i].size);
			OK(doca_buf_get_data(bufs[k], &data));
			ck_assert_ptr_eq(data, head);
			OK(doca_buf_get_data_len(bufs[k], &len));
			ck_assert_uint_eq(len, 0);
		}
		for (k = 0; cases[i].fits && k < n; k++)
			use_buf_end(bufs[k]);
		PASSES(doca_buf_pool_destroy(pool));
	}
}
END_TEST

/* A used buffer is as new when it is allocated again; its address does not change. */
START_TEST(test_reset)
{
	struct doca_buf_pool *pool = pool_of(1, 64);
	struct doca_buf *buf;
	uint16_t refs;
	size_t len;
	void *data;

	PASSES(doca_buf_pool_start(pool));
	PASSES(doca_buf_pool_buf_alloc(pool, &buf));
	OK(doca_buf_set_data(buf, memory + 10, 20));
	OK(doca_buf_inc_refcount(buf, NULL));
	EXPECT(DOCA_ERROR_INVALID_VALUE,
	       doca_buf_inventory_buf_reuse_by_addr(buf, memory + 64, 64));
	OK(doca_buf_dec_refcount(buf, NULL));
	RETURNS(DOCA_ERROR_EMPTY, doca_buf_pool_buf_alloc(pool, &buf));
	OK(doca_buf_dec_refcount(buf, &refs));
	ck_assert_uint_eq(refs, 1);
	EXPECT(DOCA_ERROR_BAD_STATE, doca_buf_dec_refcount(buf, &refs));
	PASSES(doca_buf_pool_buf_alloc(pool, &buf));
	OK(doca_buf_get_data(buf, &data));
	ck_assert_ptr_eq(data, memory);
	OK(doca_buf_get_data_len(buf, &len));
	ck_assert_uint_eq(len, 0);
	OK(doca_buf_get_refcount(buf, &refs));
	ck_assert_uint_eq(refs, 1);
	use_buf_end(buf);
	PASSES(doca_buf_pool_destroy(pool));
}
END_TEST

START_TEST(test_nothing_is_allocated)
{
	struct doca_buf_pool *pool = pool_of(4, 64);
	struct doca_buf *bufs[4], *none;
	unsigned n_wrong = 0;
	uint64_t n_before;

	PASSES(doca_buf_pool_start(pool));
	/* Check itself allocates in each assertion, so there is none in the loop. */
	n_before = allocount_n();
	for (unsigned i = 0; i < 100; i++) {
		for (unsigned k = 0; k < 4; k++)
			n_wrong += doca_buf_pool_buf_alloc(pool, &bufs[k]) != DOCA_SUCCESS;
		n_wrong += doca_buf_pool_buf_alloc(pool, &none) != DOCA_ERROR_EMPTY;
		for (unsigned k = 0; k < 4; k++)
			n_wrong += doca_buf_dec_refcount(bufs[k], NULL) != DOCA_SUCCESS;
	}
	n_before = allocount_n() - n_before;
	ck_assert_uint_eq(n_before, 0);
	ck_assert_uint_eq(n_wrong, 0);
	PASSES(doca_buf_pool_destroy(pool));
}
END_TEST

/* A copy task accepts buffers of a pool like any others. */
START_TEST(test_copy)
{
	struct doca_buf_pool *pool = pool_of(2, 1000);
	struct use_dma use;
	struct doca_buf *src, *dst;
	size_t len;

	PASSES(doca_buf_pool_start(pool));
	use_dma_open(&use, dev, 1);
	PASSES(doca_buf_pool_buf_alloc(pool, &src));
	PASSES(doca_buf_pool_buf_alloc(pool, &dst));
	use_fill(memory, 1000, 7);
	OK(doca_buf_set_data_len(src, 1000));
	OK(doca_task_submit(use_task(&use, src, dst)));
	use_dma_await(&use, 1);
	ck_assert_int_eq(use.status, DOCA_SUCCESS);
	OK(doca_buf_get_data_len(dst, &len));
	ck_assert_uint_eq(len, 1000);
	ck_assert(use_is_filled(memory + 1000, 1000, 7));
	use_buf_end(src);
	use_buf_end(dst);
	use_dma_close(&use);
	PASSES(doca_buf_pool_destroy(pool));
}
END_TEST

static bool finish(void)
{
	static const struct unreachable unreachable[] = {
		{"doca_buf_pool_set_user_data", "BAD_STATE",
		 "as with inventories, devices take it before the start, too"},
		{NULL},
	};

	return cover_report("doca_buf_pool", documented_doca_buf_pool, unreachable);
}

static void add_cases(Suite *suite)
{
	TCase *tcase = tcase_create("pool");

	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_set_timeout(tcase, RUNNER_TEST_S);
	suite_add_tcase(suite, tcase);
	tcase_add_test(tcase, test_arguments);
	tcase_add_test(tcase, test_states);
	tcase_add_test(tcase, test_layout);
	tcase_add_test(tcase, test_reset);
	tcase_add_test(tcase, test_nothing_is_allocated);
	tcase_add_test(tcase, test_copy);
}

int main(void)
{
	lab_require();
	cover_init();
	return runner_main("doca_buf_pool", add_cases, finish);
}
