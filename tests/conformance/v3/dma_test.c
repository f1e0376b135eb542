/*
 * doca_dma.h: configuration, the append rule, lists of any segmentation, overlap, failures that
 * stop the context, permissions, limits of a profile, and no allocation on the data path.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/conformance/cover.h"
#include "tests/lib/hot.h"
#include "tests/lib/lab.h"
#include "tests/lib/runner.h"

#define N_TASKS 8u
#define LEN     (64u << 10)

static struct lab lab;
static struct doca_dev *dev;
static struct use_dma use;
static uint8_t from[LEN], to[LEN], expected[LEN];

static void setup_with(const char *config)
{
	struct lab_options options = {.only = {true, false}, .config = config};

	lab_setup_client(&lab, &options, LAB_HOST);
	dev = use_dev(USE_HOST_PF0);
	use_dma_open(&use, dev, N_TASKS);
}

static void setup(void)
{
	setup_with(NULL);
}

static void setup_bf2(void)
{
	setup_with("[daemon]\nprofile = bf2\n");
}

static void teardown(void)
{
	use_dma_close(&use);
	OK(doca_dev_close(dev));
	lab_teardown(&lab);
}

/* One map each; the arrays need not be adjacent. */
static struct doca_mmap *map(void *addr, size_t len)
{
	return use_mmap(dev, addr, len, DOCA_ACCESS_FLAG_LOCAL_READ_WRITE);
}

START_TEST(test_configuration)
{
	struct doca_devinfo *info = doca_dev_as_devinfo(dev);
	struct doca_dma *dma, *none = NULL;
	struct doca_gpu_dma *gpu;
	uint32_t n, max;
	uint64_t size;

	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_dma_create(NULL, &dma));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_dma_create(dev, NULL));
	if (allocount_works)
		RUNS_OUT(0, doca_dma_create(dev, &dma));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_dma_destroy(none));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_dma_cap_task_memcpy_is_supported(NULL));
	PASSES(doca_dma_cap_task_memcpy_is_supported(info));
	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_dma_cap_task_memcpy_get_max_buf_list_len(info, NULL));
	PASSES(doca_dma_cap_task_memcpy_get_max_buf_list_len(info, &n));
	ck_assert_uint_ge(n, 64);
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_dma_cap_task_memcpy_get_max_buf_size(NULL, &size));
	PASSES(doca_dma_cap_task_memcpy_get_max_buf_size(info, &size));
	ck_assert_uint_eq(size, 2u << 20);
	PASSES(doca_dma_create(dev, &dma));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_dma_cap_get_max_num_tasks(dma, NULL));
	PASSES(doca_dma_cap_get_max_num_tasks(dma, &max));
	ck_assert_ptr_null(CALLED(doca_dma_as_ctx(none)));
	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_dma_task_memcpy_set_conf(dma, NULL, use_dma_err_cb, 1));
	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_dma_task_memcpy_set_conf(dma, use_dma_ok_cb, NULL, 1));
	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_dma_task_memcpy_set_conf(dma, use_dma_ok_cb, use_dma_err_cb, 0));
	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_dma_task_memcpy_set_conf(dma, use_dma_ok_cb, use_dma_err_cb, max + 1));
	PASSES(doca_dma_task_memcpy_set_conf(dma, use_dma_ok_cb, use_dma_err_cb, 1));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_dma_get_gpu_handle(NULL, &gpu));
	RETURNS(DOCA_ERROR_NOT_SUPPORTED, doca_dma_get_gpu_handle(dma, &gpu));
	PASSES(doca_dma_set_ordered_completions(dma, 1));
	PASSES(doca_dma_destroy(dma));
	/* The context is running. */
	RETURNS(DOCA_ERROR_BAD_STATE,
		doca_dma_task_memcpy_set_conf(use.dma, use_dma_ok_cb, use_dma_err_cb, 1));
	RETURNS(DOCA_ERROR_BAD_STATE, doca_dma_set_ordered_completions(use.dma, 1));
	RETURNS(DOCA_ERROR_IN_USE, doca_dma_destroy(use.dma));
}
END_TEST

START_TEST(test_pool)
{
	struct doca_dma_task_memcpy *tasks[N_TASKS], *one;
	union doca_data data = {.u64 = 0};
	struct doca_mmap *m = map(from, LEN);
	struct doca_buf *a = use_src(&use, m, from, 4), *b = use_dst(&use, m, from, 4);

	for (unsigned i = 0; i < N_TASKS; i++)
		PASSES(doca_dma_task_memcpy_alloc_init(use.dma, a, b, data, &tasks[i]));
	RETURNS(DOCA_ERROR_NO_MEMORY, doca_dma_task_memcpy_alloc_init(use.dma, a, b, data, &one));
	EXPECT(DOCA_ERROR_INVALID_VALUE,
	       doca_dma_task_memcpy_alloc_init(use.dma, a, b, data, NULL));
	doca_task_free(CALLED(doca_dma_task_memcpy_as_task(tasks[3])));
	PASSES(doca_dma_task_memcpy_alloc_init(use.dma, a, b, data, &tasks[3]));
	CALLED(doca_dma_task_memcpy_set_src(tasks[3], b));
	CALLED(doca_dma_task_memcpy_set_dst(tasks[3], a));
	ck_assert_ptr_eq(CALLED(doca_dma_task_memcpy_get_src(tasks[3])), b);
	ck_assert_ptr_eq(CALLED(doca_dma_task_memcpy_get_dst(tasks[3])), a);
	for (unsigned i = 0; i < N_TASKS; i++)
		doca_task_free(doca_dma_task_memcpy_as_task(tasks[i]));
	use_buf_end(a);
	use_buf_end(b);
	use_mmap_end(m);
}
END_TEST

static doca_error_t run(struct doca_buf *src, struct doca_buf *dst)
{
	unsigned n = use.n_ok + use.n_failed;

	OK(doca_task_submit(use_task(&use, src, dst)));
	use_dma_await(&use, n + 1);
	return use.status;
}

/* The result is appended to the data of the destination. */
START_TEST(test_append)
{
	struct doca_mmap *mf = map(from, LEN), *mt = map(to, LEN);
	struct doca_buf *src = use_src(&use, mf, from, 100), *dst = use_dst(&use, mt, to + 10, 250);
	size_t len;
	void *data;

	use_fill(from, 100, 1);
	EXPECT(DOCA_SUCCESS, run(src, dst));
	EXPECT(DOCA_SUCCESS, run(src, dst));
	OK(doca_buf_get_data_len(dst, &len));
	OK(doca_buf_get_data(dst, &data));
	ck_assert_uint_eq(len, 200);
	ck_assert_ptr_eq(data, to + 10);
	ck_assert_mem_eq(to + 10, from, 100);
	ck_assert_mem_eq(to + 110, from, 100);
	/*
	 * The data is in the middle: the result follows it, instead of starting at the buffer's
	 * start.
	 */
	OK(doca_buf_set_data(dst, to + 60, 10));
	OK(doca_buf_set_data(src, from + 50, 7));
	EXPECT(DOCA_SUCCESS, run(src, dst));
	ck_assert_mem_eq(to + 70, from + 50, 7);
	OK(doca_buf_get_data_len(dst, &len));
	ck_assert_uint_eq(len, 17);
	use_buf_end(src);
	use_buf_end(dst);
	use_mmap_end(mf);
	use_mmap_end(mt);
}
END_TEST

/* Like an error of a hardware queue: the task fails and the context stops by itself. */
static void fails_and_stops(struct doca_buf *src, struct doca_buf *dst, doca_error_t status)
{
	size_t before, after;

	OK(doca_buf_get_data_len(dst, &before));
	EXPECT(status, run(src, dst));
	use_ctx_await(use.pe, use.ctx, DOCA_CTX_STATE_IDLE);
	OK(doca_buf_get_data_len(dst, &after));
	ck_assert_uint_eq(after, before);
	OK(doca_ctx_start(use.ctx));
}

START_TEST(test_failures)
{
	struct doca_dev *other_dev = use_dev(USE_HOST_PF1);
	struct doca_mmap *mf = map(from, LEN), *mt = map(to, LEN);
	struct doca_mmap *read_only = use_mmap(dev, expected, LEN,
					       DOCA_ACCESS_FLAG_LOCAL_READ_ONLY);
	struct doca_mmap *foreign = use_mmap(other_dev, expected, LEN,
					     DOCA_ACCESS_FLAG_LOCAL_READ_WRITE);
	struct doca_buf *src = use_src(&use, mf, from, 100), *dst = use_dst(&use, mt, to, 100);
	struct doca_buf *none = use_dst(&use, mf, from, 100);
	struct doca_buf *ro = use_dst(&use, read_only, expected, 100);
	struct doca_buf *foreign_buf = use_dst(&use, foreign, expected, 100);

	use_fill(expected, 100, 3);
	fails_and_stops(none, dst, DOCA_ERROR_IO_FAILED); /* an empty source */
	fails_and_stops(src, ro, DOCA_ERROR_NOT_PERMITTED);
	fails_and_stops(src, foreign_buf, DOCA_ERROR_IO_FAILED);
	ck_assert(use_is_filled(expected, 100, 3));
	OK(doca_buf_set_data_len(dst, 1));
	fails_and_stops(src, dst, DOCA_ERROR_IO_FAILED); /* the destination is one byte short */
	OK(doca_buf_reset_data_len(dst));
	OK(doca_buf_set_data(src, from + 1, 100));
	fails_and_stops(src, dst, DOCA_ERROR_IO_FAILED); /* a data window outside of the region */
	OK(doca_buf_set_data(src, (void *)((uintptr_t)from - 8), 8));
	fails_and_stops(src, dst, DOCA_ERROR_IO_FAILED);
	OK(doca_buf_set_data(src, from, 100));
	OK(doca_buf_set_data(dst, to + 101, 0));
	fails_and_stops(src, dst, DOCA_ERROR_IO_FAILED);
	OK(doca_buf_set_data(dst, to, 0));
	EXPECT(DOCA_SUCCESS, run(src, dst));
	use_buf_end(src);
	use_buf_end(dst);
	use_buf_end(none);
	use_buf_end(ro);
	use_buf_end(foreign_buf);
	use_mmap_end(mf);
	use_mmap_end(mt);
	use_mmap_end(read_only);
	use_mmap_end(foreign);
	OK(doca_dev_close(other_dev));
}
END_TEST

/* Tasks after a failed one are flushed. */
START_TEST(test_failure_flushes)
{
	struct doca_mmap *mf = map(from, LEN), *mt = map(to, LEN);
	struct doca_buf *src = use_src(&use, mf, from, 100), *dst = use_dst(&use, mt, to, 1000);
	struct doca_buf *none = use_dst(&use, mf, from, 100);

	OK(doca_task_submit(use_task(&use, none, dst)));
	OK(doca_task_submit(use_task(&use, src, dst)));
	OK(doca_task_submit(use_task(&use, src, dst)));
	use_dma_await(&use, 3);
	ck_assert_uint_eq(use.n_failed, 3);
	ck_assert_int_eq(use.status, DOCA_ERROR_SHUTDOWN);
	use_ctx_await(use.pe, use.ctx, DOCA_CTX_STATE_IDLE);
	OK(doca_ctx_start(use.ctx));
	use_buf_end(src);
	use_buf_end(dst);
	use_buf_end(none);
	use_mmap_end(mf);
	use_mmap_end(mt);
}
END_TEST

/* Makes n elements over [at, at + len), divided at places that the seed determines. */
static struct doca_buf *list_over(struct doca_mmap *m, uint8_t *at, size_t len, unsigned n,
				  unsigned seed, bool is_src)
{
	struct doca_buf *head = NULL;

	for (unsigned i = 0; i < n; i++) {
		size_t part = i + 1 == n ? len : len / (n - i) / 2 + (seed * 7 + i * 13) % 5;
		struct doca_buf *buf;

		part = MIN(part, len);
		buf = is_src ? use_src(&use, m, at, part) : use_dst(&use, m, at, part);
		if (head == NULL)
			head = buf;
		else
			OK(doca_buf_chain_list(head, buf));
		at += part;
		len -= part;
	}
	return head;
}

START_TEST(test_lists)
{
	struct doca_mmap *mf = map(from, LEN), *mt = map(to, LEN);

	for (unsigned seed = 0; seed < 60; seed++) {
		unsigned n_src = 1 + seed % 9, n_dst = 1 + seed / 9;
		size_t len = 200 + seed * 37;
		struct doca_buf *src = list_over(mf, from + seed, len, n_src, seed, true);
		/* Larger than needed: the rest at the end stays empty. */
		struct doca_buf *dst = list_over(mt, to + 1, len + seed % 3, n_dst, seed + 1,
						 false);
		struct doca_buf *pos = dst;
		size_t total = 0;

		use_fill(from + seed, len, seed);
		memset(to, 0xee, LEN);
		EXPECT(DOCA_SUCCESS, run(src, dst));
		ck_assert(use_is_filled(to + 1, len, seed));
		ck_assert_uint_eq(to[0], 0xee);
		ck_assert_uint_eq(to[1 + len], 0xee);
		while (pos != NULL) {
			size_t data_len;

			OK(doca_buf_get_data_len(pos, &data_len));
			total += data_len;
			OK(doca_buf_get_next_in_list(pos, &pos));
		}
		ck_assert_uint_eq(total, len);
		use_buf_end(src);
		use_buf_end(dst);
	}
	use_mmap_end(mf);
	use_mmap_end(mt);
}
END_TEST

/* The result is as if a temporary buffer was used. */
START_TEST(test_overlap)
{
	struct doca_mmap *m = map(from, LEN);

	for (int shift = -100; shift <= 100; shift += 20) {
		use_fill(from, LEN, 5);
		memcpy(expected, from, LEN);
		memmove(expected + 200 + shift, expected + 200, 5000);
		EXPECT(DOCA_SUCCESS, use_copy(&use, m, from + 200, m, from + 200 + shift, 5000));
		ck_assert_mem_eq(from, expected, LEN);
	}
	use_mmap_end(m);
}
END_TEST

START_TEST(test_sizes)
{
	struct doca_mmap *mf = map(from, LEN), *mt = map(to, LEN);

	for (size_t len = 1; len < LEN - 16; len = len * 3 + 1) {
		for (size_t odd = 0; odd < 9; odd += 3) {
			use_fill(from + odd, len, (uint32_t)len);
			memset(to, 0, LEN);
			EXPECT(DOCA_SUCCESS, use_copy(&use, mf, from + odd, mt, to + 8 - odd, len));
			ck_assert(use_is_filled(to + 8 - odd, len, (uint32_t)len));
			ck_assert_uint_eq(to[8 - odd + len], 0);
		}
	}
	use_mmap_end(mf);
	use_mmap_end(mt);
}
END_TEST

/* A million tasks, each with its own buffers, allocate no memory and take no lock. */
START_TEST(test_no_allocation)
{
	struct doca_mmap *mf = map(from, LEN), *mt = map(to, LEN);
	unsigned n = allocount_works ? 1000000 : 10000;

	hot_begin();
	for (unsigned i = 0; i < n; i++) {
		struct doca_buf *src, *dst;
		struct doca_dma_task_memcpy *t;
		doca_error_t result;

		result = doca_buf_inventory_buf_get_by_data(use.inventory, mf, from + i % 64, 64,
							    &src);
		result |= doca_buf_inventory_buf_get_by_addr(use.inventory, mt, to, 64, &dst);
		result |= doca_dma_task_memcpy_alloc_init(use.dma, src, dst,
							  (union doca_data){.u64 = i}, &t);
		result |= doca_task_submit(doca_dma_task_memcpy_as_task(t));
		while (doca_pe_progress(use.pe) == 0)
			continue;
		result |= doca_buf_dec_refcount(src, NULL);
		result |= doca_buf_dec_refcount(dst, NULL);
		if (result != DOCA_SUCCESS)
			ck_abort_msg("task %u: %s", i, dococ_last_error());
	}
	hot_end();
	ck_assert_uint_eq(use.n_ok, n);
	use_mmap_end(mf);
	use_mmap_end(mt);
}
END_TEST

/* --- the limits of a BlueField-2 --- */

START_TEST(test_bf2_limits)
{
	struct doca_devinfo *info = doca_dev_as_devinfo(dev);
	size_t big_len = (2u << 20) + 1;
	uint8_t *big = calloc(2, big_len);
	struct doca_mmap *m = map(big, 2 * big_len);
	struct doca_buf *src, *dst;
	struct doca_dma *dma;
	struct doca_task *t;
	uint32_t n, max;
	uint64_t size;

	OK(doca_dma_cap_task_memcpy_get_max_buf_size(info, &size));
	ck_assert_uint_eq(size, 2u << 20);
	OK(doca_dma_cap_task_memcpy_get_max_buf_list_len(info, &n));
	ck_assert_uint_eq(n, 64);
	OK(doca_dma_create(dev, &dma));
	OK(doca_dma_cap_get_max_num_tasks(dma, &max));
	ck_assert_uint_eq(max, 65536);
	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_dma_task_memcpy_set_conf(dma, use_dma_ok_cb, use_dma_err_cb, max + 1));
	PASSES(doca_dma_task_memcpy_set_conf(dma, use_dma_ok_cb, use_dma_err_cb, max));
	OK(doca_dma_destroy(dma));

	EXPECT(DOCA_SUCCESS, use_copy(&use, m, big, m, big + big_len, 2u << 20));
	src = use_src(&use, m, big, big_len);
	dst = use_dst(&use, m, big + big_len, big_len);
	t = use_task(&use, src, dst);
	EXPECT(DOCA_ERROR_INVALID_VALUE, doca_task_try_submit(t));
	doca_task_free(t);
	fails_and_stops(src, dst, DOCA_ERROR_IO_FAILED);
	use_buf_end(src);
	src = list_over(m, big, 6500, 65, 0, true);
	fails_and_stops(src, dst, DOCA_ERROR_IO_FAILED);
	use_buf_end(src);
	src = list_over(m, big, 6400, 64, 0, true);
	EXPECT(DOCA_SUCCESS, run(src, dst));
	use_buf_end(src);
	use_buf_end(dst);
	use_mmap_end(m);
	free(big);
}
END_TEST

/* --- no DMA at all --- */

START_TEST(test_no_dma)
{
	struct lab_options options = {
		.only = {true, false},
		.topology = "[topology]\nside = host\n[device pf0]\npci = 0b:00.0\ndma = no\n",
	};
	struct doca_dma *dma;

	lab_start(&lab, &options);
	lab_use(&lab, LAB_HOST);
	dev = use_dev(USE_HOST_PF0);
	leaks_allow_fds(1);
	RETURNS(DOCA_ERROR_NOT_SUPPORTED,
		doca_dma_cap_task_memcpy_is_supported(doca_dev_as_devinfo(dev)));
	RETURNS(DOCA_ERROR_INITIALIZATION, doca_dma_create(dev, &dma));
	OK(doca_dev_close(dev));
	lab_stop(&lab);
}
END_TEST

static const struct unreachable unreachable[] = {
	{"*", "DRIVER", "no driver is asked"},
	{"doca_dma_task_memcpy_set_conf", "NOT_SUPPORTED",
	 "a device that cannot copy has no DMA object"},
	{"doca_dma_get_gpu_handle", "BAD_STATE", "no GPU data path"},
	{NULL},
};

static bool finish(void)
{
	return cover_report("doca_dma", documented_doca_dma, unreachable);
}

static void add_cases(Suite *suite)
{
	TCase *dma = tcase_create("dma"), *bf2 = tcase_create("bf2");

	tcase_add_checked_fixture(dma, setup, teardown);
	tcase_set_timeout(dma, RUNNER_TEST_S);
	suite_add_tcase(suite, dma);
	tcase_add_test(dma, test_configuration);
	tcase_add_test(dma, test_pool);
	tcase_add_test(dma, test_append);
	tcase_add_test(dma, test_failures);
	tcase_add_test(dma, test_failure_flushes);
	tcase_add_test(dma, test_lists);
	tcase_add_test(dma, test_overlap);
	tcase_add_test(dma, test_sizes);
	tcase_add_test(dma, test_no_allocation);
	tcase_add_checked_fixture(bf2, setup_bf2, teardown);
	tcase_set_timeout(bf2, RUNNER_TEST_S);
	suite_add_tcase(suite, bf2);
	tcase_add_test(bf2, test_bf2_limits);
	tcase_add_test(runner_case(suite, "no dma"), test_no_dma);
}

int main(void)
{
	lab_require();
	cover_init();
	return runner_main("doca_dma", add_cases, finish);
}
