/*
 * Memory maps, buffers and inventories as programs of 1.5 use them: like in 1.3, but with typed
 * getters and setters, lists that need an extension, and a data window that is checked. Runs on the
 * host side of a lab.
 */
#include <stdlib.h>
#include <string.h>

#include <doca_buf.h>
#include <doca_buf_inventory.h>
#include <doca_dev.h>
#include <doca_mmap.h>

#include "tests/conformance/other_memory.h"
#include "tests/lib/expect.h"
#include "tests/lib/lab.h"
#include "tests/lib/runner.h"

_Static_assert(DOCA_USE_VERSION == 105, "compiled for 1.5");

#define PAGE 4096u

static struct lab lab;
static struct doca_dev *dev;
static struct doca_mmap *mmap_;
static char memory[4 * PAGE];

static void setup(void)
{
	union doca_data data = {.u64 = 21};

	lab_setup_client(&lab, NULL, LAB_HOST);
	dev = use_dev(USE_HOST_PF0);
	OK(doca_mmap_create(&data, &mmap_));
}

static void teardown(void)
{
	OK(doca_mmap_destroy(mmap_));
	OK(doca_dev_close(dev));
	lab_teardown(&lab);
}

static void start(uint32_t n_chunks)
{
	OK(doca_mmap_set_max_num_chunks(mmap_, n_chunks));
	OK(doca_mmap_start(mmap_));
	OK(doca_mmap_dev_add(mmap_, dev));
	for (uint32_t i = 0; i < n_chunks; i++)
		OK(doca_mmap_populate(mmap_, memory + i * PAGE, PAGE, PAGE, NULL, NULL));
}

static struct doca_buf_inventory *inventory_new(uint32_t extensions)
{
	struct doca_buf_inventory *inventory;

	OK(doca_buf_inventory_create(NULL, 4, extensions, &inventory));
	OK(doca_buf_inventory_start(inventory));
	return inventory;
}

START_TEST(test_configuration)
{
	union doca_data data = {.u64 = 0};
	uint32_t n = 0;
	uint8_t flag = 2;

	EXPECT(DOCA_ERROR_INVALID_VALUE, doca_mmap_create(NULL, NULL));
	OK(doca_mmap_get_user_data(mmap_, &data));
	ck_assert_uint_eq(data.u64, 21);
	OK(doca_mmap_get_max_num_chunks(mmap_, &n));
	ck_assert_uint_eq(n, 1);
	OK(doca_mmap_get_max_num_devices(mmap_, &n));
	ck_assert_uint_eq(n, 1);
	EXPECT(DOCA_ERROR_INVALID_VALUE, doca_mmap_set_max_num_chunks(mmap_, 0));
	EXPECT(DOCA_ERROR_INVALID_VALUE, doca_mmap_set_max_num_chunks(NULL, 1));
	EXPECT(DOCA_ERROR_INVALID_VALUE, doca_mmap_get_max_num_chunks(mmap_, NULL));
	EXPECT(DOCA_ERROR_INVALID_VALUE, doca_mmap_set_max_num_devices(mmap_, 0));
	OK(doca_mmap_set_max_num_devices(mmap_, 3));
	EXPECT(DOCA_ERROR_NOT_PERMITTED, doca_mmap_dev_add(mmap_, dev));
	EXPECT(DOCA_ERROR_NOT_PERMITTED, doca_mmap_populate(mmap_, memory, PAGE, PAGE, NULL, NULL));
	start(2);
	OK(doca_mmap_get_max_num_chunks(mmap_, &n));
	ck_assert_uint_eq(n, 2);
	EXPECT(DOCA_ERROR_NO_MEMORY,
	       doca_mmap_populate(mmap_, memory + 2 * PAGE, PAGE, PAGE, NULL, NULL));
	EXPECT(DOCA_ERROR_NOT_PERMITTED,
	       doca_mmap_populate(mmap_, memory + PAGE - 1, 1, PAGE, NULL, NULL));
	OK(doca_mmap_stop(mmap_));
	EXPECT(DOCA_ERROR_NOT_PERMITTED, doca_mmap_set_max_num_chunks(mmap_, 3));
	EXPECT(DOCA_ERROR_NOT_PERMITTED, doca_mmap_set_max_num_devices(mmap_, 4));
	OK(doca_mmap_get_exported(mmap_, &flag));
	ck_assert_uint_eq(flag, 0);
	OK(doca_mmap_get_from_export(mmap_, &flag));
	ck_assert_uint_eq(flag, 0);
}
END_TEST

START_TEST(test_export)
{
	void *desc, *again;
	uint8_t flag = 0;
	size_t len;

	start(1);
	OK(doca_mmap_export(mmap_, dev, &desc, &len));
	/* No longer a text; the caller owns it. */
	ck_assert_uint_le(len, 256);
	ck_assert_int_ne(*(char *)desc, '{');
	OK(doca_mmap_export(mmap_, dev, &again, &len));
	ck_assert_ptr_ne(desc, again);
	OK(doca_mmap_get_exported(mmap_, &flag));
	ck_assert_uint_eq(flag, 1);
	EXPECT(DOCA_ERROR_NOT_PERMITTED,
	       doca_mmap_populate(mmap_, memory + PAGE, PAGE, PAGE, NULL, NULL));
	EXPECT(DOCA_ERROR_NOT_PERMITTED, doca_mmap_dev_rm(mmap_, dev));
	OK(doca_mmap_destroy(mmap_));
	lab_await(&lab, LAB_HOST, LAB_EXPORTS, 0, 2000);
	free(desc);
	free(again);
	OK(doca_mmap_create(NULL, &mmap_));
}
END_TEST

START_TEST(test_data)
{
	struct doca_buf_inventory *inventory = inventory_new(DOCA_BUF_EXTENSION_NONE);
	struct doca_buf *buf;
	uint32_t n, lkey;
	uint16_t refs = 0;
	void *addr;
	size_t len;

	start(2);
	OK(doca_buf_inventory_buf_by_addr(inventory, mmap_, memory + PAGE, 100, &buf));
	OK(doca_buf_get_head(buf, &addr));
	ck_assert_ptr_eq(addr, memory + PAGE);
	OK(doca_buf_get_len(buf, &len));
	ck_assert_uint_eq(len, 100);
	OK(doca_buf_get_data(buf, &addr));
	ck_assert_ptr_eq(addr, memory + PAGE);
	OK(doca_buf_get_data_len(buf, &len));
	ck_assert_uint_eq(len, 0);
	OK(doca_buf_set_data(buf, memory + PAGE + 10, 90));
	OK(doca_buf_set_data(buf, memory + PAGE + 100, 0));
	/* Windows outside of the region are refused, and the window stays as it was set. */
	EXPECT(DOCA_ERROR_INVALID_VALUE, doca_buf_set_data(buf, memory + PAGE - 1, 1));
	EXPECT(DOCA_ERROR_INVALID_VALUE, doca_buf_set_data(buf, memory + PAGE, 101));
	EXPECT(DOCA_ERROR_INVALID_VALUE, doca_buf_set_data(buf, memory + PAGE + 101, 0));
	EXPECT(DOCA_ERROR_INVALID_VALUE, doca_buf_set_data(buf, memory + PAGE + 1, SIZE_MAX));
	OK(doca_buf_get_data(buf, &addr));
	ck_assert_ptr_eq(addr, memory + PAGE + 100);
	OK(doca_buf_get_refcount(buf, &refs));
	ck_assert_uint_eq(refs, 1);
	EXPECT(DOCA_ERROR_NOT_SUPPORTED, doca_buf_refcount_add(buf, &refs));
	EXPECT(DOCA_ERROR_INVALID_VALUE, doca_buf_get_lkey(NULL, dev, 0, &lkey));
	EXPECT(DOCA_ERROR_INVALID_VALUE, doca_buf_get_lkey(buf, NULL, 0, &lkey));
	EXPECT(DOCA_ERROR_INVALID_VALUE, doca_buf_get_lkey(buf, dev, 0, NULL));
	EXPECT(DOCA_ERROR_INVALID_VALUE, doca_buf_get_lkey(buf, dev, 16, &lkey));
	EXPECT(DOCA_ERROR_NOT_SUPPORTED,
	       doca_buf_get_lkey(buf, dev, DOCA_ACCESS_LOCAL_WRITE, &lkey));
	OK(doca_mmap_get_num_bufs(mmap_, &n));
	ck_assert_uint_eq(n, 1);
	EXPECT(DOCA_ERROR_NOT_PERMITTED, doca_mmap_stop(mmap_));
	OK(doca_buf_refcount_rm(buf, &refs));
	ck_assert_uint_eq(refs, 1);
	OK(doca_buf_inventory_stop(inventory));
	OK(doca_buf_inventory_destroy(inventory));
}
END_TEST

/* Bindings of 1.5 call the general form, which finds the chunk that contains the region. */
START_TEST(test_windows)
{
	struct doca_buf_inventory *inventory = inventory_new(DOCA_BUF_EXTENSION_NONE);
	char *chunk = memory + PAGE;
	struct doca_buf *buf = NULL, *whole = NULL;
	void *addr;
	size_t len;

	EXPECT(DOCA_ERROR_BAD_STATE,
	       doca_buf_inventory_buf_by_args(inventory, mmap_, chunk, 100, chunk, 1, &buf));
	start(2);
	EXPECT(DOCA_ERROR_INVALID_VALUE,
	       doca_buf_inventory_buf_by_args(NULL, mmap_, chunk, 100, chunk, 1, &buf));
	EXPECT(DOCA_ERROR_INVALID_VALUE,
	       doca_buf_inventory_buf_by_args(inventory, NULL, chunk, 100, chunk, 1, &buf));
	EXPECT(DOCA_ERROR_INVALID_VALUE,
	       doca_buf_inventory_buf_by_args(inventory, mmap_, chunk, 100, chunk, 1, NULL));
	/* A window outside of the region, and a region in two chunks. */
	EXPECT(DOCA_ERROR_INVALID_VALUE,
	       doca_buf_inventory_buf_by_args(inventory, mmap_, chunk, 100, chunk + 99, 2, &buf));
	EXPECT(DOCA_ERROR_INVALID_VALUE,
	       doca_buf_inventory_buf_by_args(inventory, mmap_, memory + 1, PAGE, memory + 1, 0,
					      &buf));
	EXPECT(DOCA_ERROR_INVALID_VALUE,
	       doca_buf_inventory_buf_by_data(inventory, mmap_, chunk, PAGE + 1, &buf));
	OK(doca_buf_inventory_buf_by_args(inventory, mmap_, chunk, 100, chunk + 10, 20, &buf));
	OK(doca_buf_get_head(buf, &addr));
	ck_assert_ptr_eq(addr, chunk);
	OK(doca_buf_get_len(buf, &len));
	ck_assert_uint_eq(len, 100);
	OK(doca_buf_get_data(buf, &addr));
	ck_assert_ptr_eq(addr, chunk + 10);
	OK(doca_buf_get_data_len(buf, &len));
	ck_assert_uint_eq(len, 20);
	OK(doca_buf_inventory_buf_by_data(inventory, mmap_, chunk, PAGE, &whole));
	OK(doca_buf_get_data(whole, &addr));
	ck_assert_ptr_eq(addr, chunk);
	OK(doca_buf_get_data_len(whole, &len));
	ck_assert_uint_eq(len, PAGE);
	OK(doca_buf_refcount_rm(buf, NULL));
	OK(doca_buf_refcount_rm(whole, NULL));
	OK(doca_buf_inventory_destroy(inventory));
}
END_TEST

START_TEST(test_lists)
{
	struct doca_buf_inventory *plain = inventory_new(DOCA_BUF_EXTENSION_NONE);
	struct doca_buf_inventory *lists = inventory_new(DOCA_BUF_EXTENSION_LINKED_LIST);
	struct doca_buf *single, *first, *second, *found;
	union doca_data data = {.u64 = 1};
	uint32_t n;
	bool flag;

	start(2);
	OK(doca_buf_inventory_buf_by_addr(plain, mmap_, memory, 100, &single));
	OK(doca_buf_inventory_buf_by_addr(lists, mmap_, memory, 100, &first));
	/* The elements of a list may be in different chunks. */
	OK(doca_buf_inventory_buf_by_addr(lists, mmap_, memory + PAGE, 100, &second));
	EXPECT(DOCA_ERROR_NOT_PERMITTED, doca_buf_list_chain(single, first));
	EXPECT(DOCA_ERROR_NOT_PERMITTED, doca_buf_list_chain(first, single));
	EXPECT(DOCA_ERROR_NOT_PERMITTED, doca_buf_list_unchain(single, first));
	EXPECT(DOCA_ERROR_NOT_PERMITTED, doca_buf_list_next(single, &found));
	EXPECT(DOCA_ERROR_NOT_PERMITTED, doca_buf_list_last(single, &found));
	EXPECT(DOCA_ERROR_NOT_PERMITTED, doca_buf_list_is_first(single, &flag));
	EXPECT(DOCA_ERROR_NOT_PERMITTED, doca_buf_list_is_last(single, &flag));
	EXPECT(DOCA_ERROR_NOT_PERMITTED, doca_buf_list_num_elements(single, &n));
	OK(doca_buf_list_chain(first, second));
	OK(doca_buf_list_num_elements(first, &n));
	ck_assert_uint_eq(n, 2);
	OK(doca_buf_list_last(first, &found));
	ck_assert_ptr_eq(found, second);
	OK(doca_buf_list_is_first(second, &flag));
	ck_assert(!flag);
	OK(doca_buf_list_unchain(first, second));
	OK(doca_buf_list_next(first, &found));
	ck_assert_ptr_eq(found, NULL);
	OK(doca_buf_list_chain(first, second));
	OK(doca_mmap_get_num_bufs(mmap_, &n));
	ck_assert_uint_eq(n, 3);
	OK(doca_buf_refcount_rm(first, NULL));
	OK(doca_buf_refcount_rm(single, NULL));
	OK(doca_mmap_get_num_bufs(mmap_, &n));
	ck_assert_uint_eq(n, 0);
	OK(doca_buf_inventory_destroy(plain));
	OK(doca_buf_inventory_destroy(lists));
	EXPECT(DOCA_ERROR_INVALID_VALUE, doca_buf_inventory_create(NULL, 1, 2, &lists));
	OK(doca_buf_inventory_create(&data, 7, 0, &lists));
	data.u64 = 0;
	OK(doca_buf_inventory_get_user_data(lists, &data));
	ck_assert_uint_eq(data.u64, 1);
	OK(doca_buf_inventory_get_num_elements(lists, &n));
	ck_assert_uint_eq(n, 7);
	OK(doca_buf_inventory_destroy(lists));
}
END_TEST

START_TEST(test_other_generations)
{
	struct doca_mmap *newer = other_mmap(dev, memory, PAGE, false);
	struct doca_buf_inventory *own = inventory_new(0), *inventory = other_inventory();
	uint32_t n;

	EXPECT(DOCA_ERROR_BAD_STATE, doca_mmap_start(newer));
	EXPECT(DOCA_ERROR_BAD_STATE, doca_mmap_set_max_num_chunks(newer, 1));
	EXPECT(DOCA_ERROR_BAD_STATE, doca_mmap_get_max_num_chunks(newer, &n));
	other_refuses_mmap(mmap_, dev, "1.5", true);
	start(1);
	other_refuses_buf(inventory, mmap_, memory, "1.5");
	other_refuses_pieces(mmap_, "1.5");
	other_refuses_inventory(own, "1.5");
	other_mmap_end(newer);
	OK(doca_buf_inventory_destroy(own));
	OK(doca_buf_inventory_destroy(inventory));
}
END_TEST

static void add_cases(Suite *suite)
{
	TCase *cases = tcase_create("memory");

	tcase_add_checked_fixture(cases, setup, teardown);
	tcase_set_timeout(cases, RUNNER_TEST_S);
	suite_add_tcase(suite, cases);
	tcase_add_test(cases, test_configuration);
	tcase_add_test(cases, test_export);
	tcase_add_test(cases, test_data);
	tcase_add_test(cases, test_windows);
	tcase_add_test(cases, test_lists);
	tcase_add_test(cases, test_other_generations);
}

int main(void)
{
	lab_require();
	return runner_main("memory of 1.5", add_cases, NULL);
}
