/*
 * doca_buf.h and doca_buf_inventory.h: windows, reference counts, lists, inventories. The map needs
 * a device, so one daemon runs.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/conformance/cover.h"
#include "tests/lib/lab.h"
#include "tests/lib/runner.h"

#define N_BUFS 16u

static struct lab lab;
static struct doca_dev *dev;
static struct doca_mmap *mmap_;
static struct doca_buf_inventory *inventory;
static char memory[4096];

static void setup(void)
{
	static const struct lab_options options = {.only = {true, false}};

	lab_setup_client(&lab, &options, LAB_HOST);
	dev = use_dev(USE_HOST_PF0);
	mmap_ = use_mmap(dev, memory, sizeof(memory), DOCA_ACCESS_FLAG_LOCAL_READ_WRITE);
	PASSES(doca_buf_inventory_create(N_BUFS, &inventory));
	PASSES(doca_buf_inventory_start(inventory));
}

static void teardown(void)
{
	uint32_t n;

	/* Every test returned its buffers. */
	PASSES(doca_buf_inventory_get_num_free_elements(inventory, &n));
	ck_assert_uint_ge(n, N_BUFS);
	PASSES(doca_mmap_get_num_bufs(mmap_, &n));
	ck_assert_uint_eq(n, 0);
	PASSES(doca_buf_inventory_stop(inventory));
	PASSES(doca_buf_inventory_destroy(inventory));
	use_mmap_end(mmap_);
	OK(doca_dev_close(dev));
	lab_teardown(&lab);
}

static struct doca_buf *buf_get(size_t at, size_t len)
{
	struct doca_buf *buf;

	PASSES(doca_buf_inventory_buf_get_by_addr(inventory, mmap_, memory + at, len, &buf));
	return buf;
}

static void check_window(struct doca_buf *buf, size_t head, size_t len, size_t data,
			 size_t data_len)
{
	size_t n;
	void *at;

	PASSES(doca_buf_get_head(buf, &at));
	ck_assert_ptr_eq(at, memory + head);
	PASSES(doca_buf_get_len(buf, &n));
	ck_assert_uint_eq(n, len);
	PASSES(doca_buf_get_data(buf, &at));
	ck_assert_ptr_eq(at, memory + data);
	PASSES(doca_buf_get_data_len(buf, &n));
	ck_assert_uint_eq(n, data_len);
}

static void check_list(struct doca_buf *buf, bool in_list, bool first, bool last)
{
	uint8_t flag;

	PASSES(doca_buf_is_in_list(buf, &flag));
	ck_assert_uint_eq(flag, in_list);
	PASSES(doca_buf_is_first_in_list(buf, &flag));
	ck_assert_uint_eq(flag, first);
	PASSES(doca_buf_is_last_in_list(buf, &flag));
	ck_assert_uint_eq(flag, last);
}

static void buf_release(struct doca_buf *buf)
{
	PASSES(doca_buf_dec_refcount(buf, NULL));
}

START_TEST(test_windows)
{
	struct doca_buf *buf = buf_get(100, 50);

	check_window(buf, 100, 50, 100, 0);
	PASSES(doca_buf_set_data(buf, memory + 110, 20));
	check_window(buf, 100, 50, 110, 20);
	PASSES(doca_buf_set_data_len(buf, 5));
	check_window(buf, 100, 50, 110, 5);
	PASSES(doca_buf_reset_data_len(buf));
	check_window(buf, 100, 50, 110, 0);
	buf_release(buf);
	PASSES(doca_buf_inventory_buf_get_by_data(inventory, mmap_, memory + 7, 9, &buf));
	check_window(buf, 7, 9, 7, 9);
	PASSES(doca_buf_inventory_buf_reuse_by_addr(buf, memory + 1000, 24));
	check_window(buf, 1000, 24, 1000, 0);
	PASSES(doca_buf_inventory_buf_reuse_by_data(buf, memory + 2000, 3));
	check_window(buf, 2000, 3, 2000, 3);
	buf_release(buf);
	PASSES(doca_buf_inventory_buf_get_by_args(inventory, mmap_, memory, 4096, memory + 4000, 96,
						  &buf));
	check_window(buf, 0, 4096, 4000, 96);
	buf_release(buf);
}
END_TEST

START_TEST(test_outside_the_map)
{
	struct doca_buf *buf;

	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_buf_inventory_buf_get_by_args(
						  inventory, mmap_, (void *)((uintptr_t)memory - 1),
						  2, (void *)((uintptr_t)memory - 1), 0, &buf));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_buf_inventory_buf_get_by_args(
						  inventory, mmap_, memory, 4097, memory, 0, &buf));
	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_buf_inventory_buf_get_by_args(inventory, mmap_, memory + 4096, 1,
						   memory + 4096, 0, &buf));
	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_buf_inventory_buf_get_by_args(inventory, mmap_, memory + 1, SIZE_MAX,
						   memory + 1, 0, &buf));
	/* A data window must be inside the region. */
	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_buf_inventory_buf_get_by_args(inventory, mmap_, memory, 10, memory + 5, 6,
						   &buf));
	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_buf_inventory_buf_get_by_args(inventory, mmap_, memory + 5, 10, memory + 4, 1,
						   &buf));
	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_buf_inventory_buf_get_by_args(NULL, mmap_, memory, 1, memory, 0, &buf));
	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_buf_inventory_buf_get_by_args(inventory, NULL, memory, 1, memory, 0, &buf));
	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_buf_inventory_buf_get_by_args(inventory, mmap_, memory, 1, memory, 0, NULL));
}
END_TEST

START_TEST(test_exhausted)
{
	struct doca_buf *bufs[N_BUFS], *one;
	uint32_t n;

	PASSES(doca_buf_inventory_get_num_elements(inventory, &n));
	ck_assert_uint_eq(n, N_BUFS);
	for (uint32_t i = 0; i < N_BUFS; i++)
		bufs[i] = buf_get(i, 1);
	PASSES(doca_buf_inventory_get_num_free_elements(inventory, &n));
	ck_assert_uint_eq(n, 0);
	RETURNS(DOCA_ERROR_NO_MEMORY,
		doca_buf_inventory_buf_get_by_addr(inventory, mmap_, memory, 1, &one));
	RETURNS(DOCA_ERROR_NO_MEMORY,
		doca_buf_inventory_buf_get_by_data(inventory, mmap_, memory, 1, &one));
	RETURNS(DOCA_ERROR_NO_MEMORY,
		doca_buf_inventory_buf_get_by_args(inventory, mmap_, memory, 1, memory, 1, &one));
	RETURNS(DOCA_ERROR_NO_MEMORY, doca_buf_inventory_buf_dup(inventory, bufs[0], &one));
	RETURNS(DOCA_ERROR_IN_USE, doca_buf_inventory_destroy(inventory));
	PASSES(doca_buf_inventory_expand(inventory, 1));
	one = buf_get(0, 1);
	buf_release(one);
	for (uint32_t i = 0; i < N_BUFS; i++)
		buf_release(bufs[i]);
}
END_TEST

START_TEST(test_refcounts)
{
	struct doca_buf *buf = buf_get(0, 1);
	uint16_t refs = 9;

	PASSES(doca_buf_get_refcount(buf, &refs));
	ck_assert_uint_eq(refs, 1);
	/* The call returns the previous count. */
	PASSES(doca_buf_inc_refcount(buf, &refs));
	ck_assert_uint_eq(refs, 1);
	for (uint32_t i = 2; i < 65535; i++) {
		OK(doca_buf_inc_refcount(buf, &refs));
		ck_assert_uint_eq(refs, i);
	}
	PASSES(doca_buf_get_refcount(buf, &refs));
	ck_assert_uint_eq(refs, 65535);
	RETURNS(DOCA_ERROR_TOO_BIG, doca_buf_inc_refcount(buf, &refs));
	for (uint32_t i = 65535; i > 0; i--) {
		OK(doca_buf_dec_refcount(buf, &refs));
		ck_assert_uint_eq(refs, i);
	}
	RETURNS(DOCA_ERROR_BAD_STATE, doca_buf_dec_refcount(buf, &refs));
}
END_TEST

START_TEST(test_lists)
{
	struct doca_buf *a = buf_get(0, 1), *b = buf_get(1, 1), *c = buf_get(2, 1),
			*d = buf_get(3, 1), *at;
	uint16_t refs;
	uint32_t n;

	check_list(a, false, true, true);
	PASSES(doca_buf_get_list_len(a, &n));
	ck_assert_uint_eq(n, 1);
	PASSES(doca_buf_chain_list(a, b));
	PASSES(doca_buf_chain_list(c, d));
	/* Two lists become one. */
	PASSES(doca_buf_chain_list(a, c));
	check_list(a, true, true, false);
	check_list(b, true, false, false);
	check_list(d, true, false, true);
	PASSES(doca_buf_get_list_len(a, &n));
	ck_assert_uint_eq(n, 4);
	PASSES(doca_buf_get_next_in_list(a, &at));
	ck_assert_ptr_eq(at, b);
	PASSES(doca_buf_get_next_in_list(d, &at));
	ck_assert_ptr_null(at);
	PASSES(doca_buf_get_last_in_list(a, &at));
	ck_assert_ptr_eq(at, d);
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_buf_get_last_in_list(NULL, &at));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_buf_get_list_len(NULL, &n));
	RETURNS(DOCA_ERROR_NOT_PERMITTED, doca_buf_get_list_len(b, &n));
	/* Only the head has a reference count. */
	RETURNS(DOCA_ERROR_NOT_PERMITTED, doca_buf_inc_refcount(b, &refs));
	RETURNS(DOCA_ERROR_NOT_PERMITTED, doca_buf_dec_refcount(d, &refs));
	RETURNS(DOCA_ERROR_NOT_PERMITTED, doca_buf_inventory_buf_dup(inventory, b, &at));

	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_buf_unchain_list(c, b));
	PASSES(doca_buf_unchain_list(a, c));
	check_list(b, true, false, true);
	check_list(c, true, true, false);
	PASSES(doca_buf_get_refcount(c, &refs));
	ck_assert_uint_eq(refs, 1);
	PASSES(doca_buf_unchain_list(c, d));
	check_list(c, false, true, true);
	check_list(d, false, true, true);

	/* Programs chain and release buffers that they never received. */
	EXPECT(DOCA_ERROR_INVALID_VALUE, doca_buf_chain_list(a, NULL));
	EXPECT(DOCA_ERROR_INVALID_VALUE, doca_buf_chain_list(NULL, c));
	EXPECT(DOCA_ERROR_INVALID_VALUE, doca_buf_chain_list_tail(a, NULL, c));
	EXPECT(DOCA_ERROR_INVALID_VALUE, doca_buf_chain_list_tail(a, b, NULL));
	EXPECT(DOCA_ERROR_INVALID_VALUE, doca_buf_inc_refcount(NULL, &refs));
	EXPECT(DOCA_ERROR_INVALID_VALUE, doca_buf_dec_refcount(NULL, &refs));
	ck_assert_str_eq(dococ_last_error(), "buf dec refcount: buf is NULL");
	/* A shared list cannot be chained to another one. */
	PASSES(doca_buf_inc_refcount(c, NULL));
	RETURNS(DOCA_ERROR_NOT_PERMITTED, doca_buf_chain_list(a, c));
	RETURNS(DOCA_ERROR_NOT_PERMITTED, doca_buf_chain_list_tail(a, b, c));
	PASSES(doca_buf_dec_refcount(c, NULL));
	RETURNS(DOCA_ERROR_NOT_PERMITTED, doca_buf_chain_list(b, c));
	PASSES(doca_buf_chain_list_tail(a, b, c));
	PASSES(doca_buf_get_list_len(a, &n));
	ck_assert_uint_eq(n, 3);
	/* The head may be shared; the last reference releases the whole list. */
	PASSES(doca_buf_inc_refcount(a, NULL));
	buf_release(a);
	PASSES(doca_buf_get_list_len(a, &n));
	ck_assert_uint_eq(n, 3);
	buf_release(a);
	buf_release(d);
}
END_TEST

START_TEST(test_dup)
{
	struct doca_buf_inventory *other;
	struct doca_buf *a = buf_get(10, 20), *b = buf_get(40, 20), *copy, *next;
	uint32_t n;

	PASSES(doca_buf_inventory_create(4, &other));
	PASSES(doca_buf_inventory_start(other));
	PASSES(doca_buf_inventory_stop(other));
	RETURNS(DOCA_ERROR_BAD_STATE, doca_buf_inventory_buf_dup(other, a, &copy));
	PASSES(doca_buf_inventory_start(other));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_buf_inventory_buf_dup(other, NULL, &copy));
	PASSES(doca_buf_set_data(a, memory + 12, 5));
	PASSES(doca_buf_chain_list(a, b));
	PASSES(doca_buf_inc_refcount(a, NULL));
	PASSES(doca_buf_inventory_buf_dup(other, a, &copy));
	PASSES(doca_buf_get_list_len(copy, &n));
	ck_assert_uint_eq(n, 2);
	check_window(copy, 10, 20, 12, 5);
	PASSES(doca_buf_get_next_in_list(copy, &next));
	ck_assert_ptr_ne(next, b);
	check_window(next, 40, 20, 40, 0);
	use_buf_end(copy);
	buf_release(a);
	buf_release(a);
	PASSES(doca_buf_inventory_destroy(other));
}
END_TEST

START_TEST(test_inventory_states)
{
	struct doca_buf_inventory *other;
	union doca_data data = {.u64 = 3};
	struct doca_buf *buf;
	uint32_t n;

	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_buf_inventory_create(0, &other));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_buf_inventory_create(1, NULL));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_buf_inventory_start(NULL));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_buf_inventory_stop(NULL));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_buf_inventory_destroy(NULL));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_buf_inventory_set_user_data(NULL, data));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_buf_inventory_get_user_data(inventory, NULL));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_buf_inventory_get_num_elements(NULL, &n));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_buf_inventory_get_num_free_elements(NULL, &n));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_buf_inventory_expand(NULL, 1));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_buf_inventory_expand(inventory, 0));
	PASSES(doca_buf_inventory_create(2, &other));
	PASSES(doca_buf_inventory_set_user_data(other, data));
	PASSES(doca_buf_inventory_start(other));
	PASSES(doca_buf_inventory_start(other));
	PASSES(doca_buf_inventory_set_user_data(other, data));
	data.u64 = 0;
	PASSES(doca_buf_inventory_get_user_data(other, &data));
	ck_assert_uint_eq(data.u64, 3);
	PASSES(doca_buf_inventory_expand(other, 100));
	PASSES(doca_buf_inventory_get_num_elements(other, &n));
	ck_assert_uint_eq(n, 102);
	/* A stopped inventory gives out no buffers, but still accepts released ones. */
	PASSES(doca_buf_inventory_buf_get_by_addr(other, mmap_, memory, 1, &buf));
	PASSES(doca_buf_inventory_stop(other));
	use_buf_end(buf);
	RETURNS(DOCA_ERROR_BAD_STATE,
		doca_buf_inventory_buf_get_by_addr(other, mmap_, memory, 1, &buf));
	RETURNS(DOCA_ERROR_BAD_STATE, doca_buf_inventory_expand(other, 1));
	PASSES(doca_buf_inventory_start(other));
	PASSES(doca_buf_inventory_get_num_free_elements(other, &n));
	ck_assert_uint_eq(n, 102);
	/* A map that is not started. */
	OK(doca_mmap_stop(mmap_));
	RETURNS(DOCA_ERROR_BAD_STATE,
		doca_buf_inventory_buf_get_by_addr(other, mmap_, memory, 1, &buf));
	OK(doca_mmap_start(mmap_));
	PASSES(doca_buf_inventory_destroy(other));
	if (allocount_works)
		RUNS_OUT(0, doca_buf_inventory_create(1, &other));
	if (allocount_works)
		RUNS_OUT(1, doca_buf_inventory_create(1, &other));
}
END_TEST

static const struct unreachable unreachable[] = {
	{"doca_buf_inventory_set_user_data", "BAD_STATE", "devices take it before the start, too"},
	{NULL},
};

static bool finish(void)
{
	bool buf_ok = cover_report("doca_buf", documented_doca_buf, unreachable);

	return cover_report("doca_buf_inventory", documented_doca_buf_inventory, unreachable) &&
	       buf_ok;
}

static void add_cases(Suite *suite)
{
	TCase *tcase = tcase_create("buf");

	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_set_timeout(tcase, RUNNER_TEST_S);
	suite_add_tcase(suite, tcase);
	tcase_add_test(tcase, test_windows);
	tcase_add_test(tcase, test_outside_the_map);
	tcase_add_test(tcase, test_exhausted);
	tcase_add_test(tcase, test_refcounts);
	tcase_add_test(tcase, test_lists);
	tcase_add_test(tcase, test_dup);
	tcase_add_test(tcase, test_inventory_states);
}

int main(void)
{
	lab_require();
	cover_init();
	return runner_main("doca_buf", add_cases, finish);
}
