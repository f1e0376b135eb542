/*
 * Memory maps, buffers, inventories, pools and arrays as programs of 2.0 to 2.2 use them: every
 * result code that 2.2.0 documents is provoked, or listed with the reason why not. Runs on the host
 * side of a lab.
 */
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <doca_buf.h>
#include <doca_buf_array.h>
#include <doca_buf_inventory.h>
#include <doca_bufpool.h>
#include <doca_dev.h>
#include <doca_mmap.h>

#include "tests/conformance/cover.h"
#include "tests/conformance/other_memory.h"
#include "tests/lib/lab.h"
#include "tests/lib/runner.h"
#include "util/fd.h"
#include "util/memfd.h"

_Static_assert(DOCA_USE_VERSION == 202, "compiled for 2.2");

#define BYTES 8192u

static struct lab lab;
static struct doca_dev *dev;
static struct doca_mmap *mmap_;
static char memory[BYTES];

static void setup_with(const struct lab_options *options)
{
	lab_setup_client(&lab, options, LAB_HOST);
	dev = use_dev(USE_HOST_PF0);
	PASSES(doca_mmap_create(NULL, &mmap_));
}

static void setup(void)
{
	setup_with(NULL);
}

/* Like a card, where only memory for the DPU goes over PCI. */
static void setup_card(void)
{
	static const struct lab_options options = {.config = "[daemon]\nprofile = bf2\n"};

	setup_with(&options);
}

static void teardown(void)
{
	PASSES(doca_mmap_destroy(mmap_));
	OK(doca_dev_close(dev));
	lab_teardown(&lab);
}

static void start(uint32_t permissions)
{
	PASSES(doca_mmap_set_memrange(mmap_, memory, BYTES));
	PASSES(doca_mmap_set_permissions(mmap_, permissions));
	PASSES(doca_mmap_dev_add(mmap_, dev));
	PASSES(doca_mmap_start(mmap_));
}

static struct doca_buf_inventory *inventory_new(size_t n)
{
	struct doca_buf_inventory *inventory;

	PASSES(doca_buf_inventory_create(NULL, n, DOCA_BUF_EXTENSION_NONE, &inventory));
	PASSES(doca_buf_inventory_start(inventory));
	return inventory;
}

START_TEST(test_null)
{
	struct doca_mmap *none = NULL;
	union doca_data data;
	const void *desc;
	size_t len;
	void *addr;
	uint32_t n;
	uint8_t flag;

	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_mmap_create(NULL, NULL));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_mmap_destroy(none));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_mmap_start(none));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_mmap_stop(none));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_mmap_dev_add(none, dev));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_mmap_dev_add(mmap_, NULL));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_mmap_dev_rm(mmap_, NULL));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_mmap_export_dpu(none, dev, &desc, &len));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_mmap_export_rdma(mmap_, NULL, &desc, &len));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_mmap_create_from_export(NULL, NULL, 80, dev, &none));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_mmap_set_memrange(none, memory, 1));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_mmap_set_memrange(mmap_, memory, 0));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_mmap_set_dmabuf_memrange(mmap_, -1, 0, 4096));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_mmap_set_dmabuf_memrange(mmap_, 0, 0, 0));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_mmap_set_free_cb(none, NULL, NULL));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_mmap_set_max_num_devices(mmap_, 0));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_mmap_set_permissions(mmap_, 1u << 9));
	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_mmap_set_permissions(mmap_,
					  DOCA_ACCESS_DPU_READ_ONLY | DOCA_ACCESS_DPU_READ_WRITE));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_mmap_get_memrange(none, &addr, &len));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_mmap_get_user_data(none, &data));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_mmap_get_max_num_devices(mmap_, NULL));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_mmap_get_num_bufs(none, &n));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_mmap_get_exported(none, &flag));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_mmap_get_from_export(mmap_, NULL));
}
END_TEST

START_TEST(test_mmap)
{
	struct doca_dev *other = use_dev(USE_HOST_PF1);
	union doca_data data = {.u64 = 99};
	const void *desc, *again;
	uint32_t n;
	uint8_t flag;
	size_t len;
	void *addr;

	PASSES(doca_mmap_destroy(mmap_));
	PASSES(doca_mmap_create(&data, &mmap_));
	data.u64 = 0;
	PASSES(doca_mmap_get_user_data(mmap_, &data));
	ck_assert_uint_eq(data.u64, 99);
	/* A call of earlier versions that programs of this version still use. */
	OK(doca_mmap_set_max_num_chunks(mmap_, 4));
	EXPECT(DOCA_ERROR_INVALID_VALUE, doca_mmap_set_max_num_chunks(mmap_, 0));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_mmap_start(mmap_));
	RETURNS(DOCA_ERROR_BAD_STATE, doca_mmap_get_memrange(mmap_, &addr, &len));
	PASSES(doca_mmap_dev_add(mmap_, dev));
	RETURNS(DOCA_ERROR_IN_USE, doca_mmap_dev_add(mmap_, dev));
	RETURNS(DOCA_ERROR_NO_MEMORY, doca_mmap_dev_add(mmap_, other));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_mmap_dev_rm(mmap_, other));
	PASSES(doca_mmap_set_max_num_devices(mmap_, 2));
	PASSES(doca_mmap_get_max_num_devices(mmap_, &n));
	ck_assert_uint_eq(n, 2);
	PASSES(doca_mmap_dev_rm(mmap_, dev));
	PASSES(doca_mmap_set_free_cb(mmap_, NULL, NULL));
	RETURNS(DOCA_ERROR_NOT_PERMITTED, doca_mmap_export_dpu(mmap_, dev, &desc, &len));
	RETURNS(DOCA_ERROR_NOT_PERMITTED, doca_mmap_export_rdma(mmap_, dev, &desc, &len));
	start(DOCA_ACCESS_DPU_READ_WRITE | DOCA_ACCESS_RDMA_READ);
	RETURNS(DOCA_ERROR_NOT_PERMITTED, doca_mmap_dev_add(mmap_, other));
	RETURNS(DOCA_ERROR_NOT_PERMITTED, doca_mmap_dev_rm(mmap_, dev));
	RETURNS(DOCA_ERROR_NOT_PERMITTED, doca_mmap_set_max_num_devices(mmap_, 3));
	EXPECT(DOCA_ERROR_NOT_PERMITTED, doca_mmap_set_max_num_chunks(mmap_, 3));
	RETURNS(DOCA_ERROR_BAD_STATE, doca_mmap_set_memrange(mmap_, memory, 1));
	RETURNS(DOCA_ERROR_BAD_STATE, doca_mmap_set_dmabuf_memrange(mmap_, 0, 0, 1));
	RETURNS(DOCA_ERROR_BAD_STATE, doca_mmap_set_free_cb(mmap_, NULL, NULL));
	RETURNS(DOCA_ERROR_BAD_STATE, doca_mmap_set_permissions(mmap_, 0));
	PASSES(doca_mmap_get_memrange(mmap_, &addr, &len));
	ck_assert_ptr_eq(addr, memory);
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_mmap_export_dpu(mmap_, other, &desc, &len));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_mmap_export_rdma(mmap_, other, &desc, &len));
	if (allocount_works) {
		RUNS_OUT(0, doca_mmap_export_dpu(mmap_, dev, &desc, &len));
		RUNS_OUT(0, doca_mmap_export_rdma(mmap_, dev, &desc, &len));
	}
	PASSES(doca_mmap_get_exported(mmap_, &flag));
	ck_assert_uint_eq(flag, 0);
	PASSES(doca_mmap_export_dpu(mmap_, dev, &desc, &len));
	/* The map owns the descriptor. */
	PASSES(doca_mmap_export_dpu(mmap_, dev, &again, &len));
	ck_assert_ptr_eq(desc, again);
	PASSES(doca_mmap_export_rdma(mmap_, dev, &desc, &len));
	PASSES(doca_mmap_get_exported(mmap_, &flag));
	ck_assert_uint_eq(flag, 1);
	PASSES(doca_mmap_get_from_export(mmap_, &flag));
	ck_assert_uint_eq(flag, 0);
	RETURNS(DOCA_ERROR_NOT_PERMITTED, doca_mmap_start(mmap_));
	PASSES(doca_mmap_stop(mmap_));
	RETURNS(DOCA_ERROR_NOT_PERMITTED, doca_mmap_set_memrange(mmap_, memory, 1));
	RETURNS(DOCA_ERROR_NOT_PERMITTED, doca_mmap_set_dmabuf_memrange(mmap_, 0, 0, 1));
	OK(doca_dev_close(other));
}
END_TEST

START_TEST(test_no_memory)
{
	struct doca_buf_inventory *inventory;
	struct doca_bufpool *pool;
	struct doca_buf_arr *array;
	struct doca_mmap *none;

	if (!allocount_works)
		return;
	RUNS_OUT(0, doca_mmap_create(NULL, &none));
	RUNS_OUT(0, doca_buf_inventory_create(NULL, 4, 0, &inventory));
	RUNS_OUT(1, doca_buf_inventory_create(NULL, 4, 0, &inventory));
	start(DOCA_ACCESS_LOCAL_READ_WRITE);
	RUNS_OUT(0, doca_bufpool_create(NULL, 4, 0, 8, 1, mmap_, &pool));
	RUNS_OUT(1, doca_bufpool_create(NULL, 4, 0, 8, 1, mmap_, &pool));
	RUNS_OUT(0, doca_buf_arr_create(mmap_, &array));
}
END_TEST

START_TEST(test_dmabuf)
{
	CLEANUP_FD int memfd = memfd_create_sealable("test", 3 * 4096);
	CLEANUP_FD int file = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	uint8_t *mine = mmap(NULL, 3 * 4096, PROT_READ | PROT_WRITE, MAP_SHARED, memfd, 0);
	const void *desc;
	void *addr;
	size_t len;

	ck_assert_ptr_ne(mine, MAP_FAILED);
	RETURNS(DOCA_ERROR_NOT_SUPPORTED, doca_mmap_set_dmabuf_memrange(mmap_, file, 0, 4096));
	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_mmap_set_dmabuf_memrange(mmap_, memfd, 4096, 3 * 4096));
	/*
	 * The library chooses the address of the mapping, which is the same memory at any offset.
	 */
	PASSES(doca_mmap_set_dmabuf_memrange(mmap_, memfd, 4096 + 100, 5000));
	PASSES(doca_mmap_get_memrange(mmap_, &addr, &len));
	ck_assert_uint_eq(len, 5000);
	ck_assert_ptr_ne(addr, mine + 4096 + 100);
	mine[4096 + 100] = 7;
	mine[4096 + 100 + 4999] = 8;
	ck_assert_uint_eq(((uint8_t *)addr)[0], 7);
	ck_assert_uint_eq(((uint8_t *)addr)[4999], 8);
	PASSES(doca_mmap_set_permissions(mmap_, DOCA_ACCESS_DPU_READ_ONLY));
	PASSES(doca_mmap_dev_add(mmap_, dev));
	PASSES(doca_mmap_start(mmap_));
	PASSES(doca_mmap_export_dpu(mmap_, dev, &desc, &len));
	ck_assert_int_eq(munmap(mine, 3 * 4096), 0);
}
END_TEST

START_TEST(test_buffers)
{
	struct doca_buf_inventory *inventory = inventory_new(3);
	struct doca_buf *buf, *second, *third, *found;
	void *data;
	size_t len;
	uint16_t refs = 0;
	uint32_t n;
	bool flag;
	uint8_t in_list;

	start(DOCA_ACCESS_LOCAL_READ_WRITE);
	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_buf_inventory_buf_by_addr(inventory, NULL, memory, 1, &buf));
	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_buf_inventory_buf_by_data(inventory, mmap_, memory, BYTES + 1, &buf));
	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_buf_inventory_buf_by_args(inventory, mmap_, memory, 10, memory, 11, &buf));
	PASSES(doca_buf_inventory_buf_by_addr(inventory, mmap_, memory, 100, &buf));
	PASSES(doca_buf_get_data(buf, &data));
	ck_assert_ptr_eq(data, memory);
	PASSES(doca_buf_get_data_len(buf, &len));
	ck_assert_uint_eq(len, 0);
	PASSES(doca_buf_inventory_buf_by_data(inventory, mmap_, memory + 8, 100, &second));
	PASSES(doca_buf_get_data_len(second, &len));
	ck_assert_uint_eq(len, 100);
	PASSES(doca_buf_inventory_buf_by_args(inventory, mmap_, memory, 64, memory + 4, 16,
					      &third));
	PASSES(doca_buf_get_head(third, &data));
	ck_assert_ptr_eq(data, memory);
	PASSES(doca_buf_get_len(third, &len));
	ck_assert_uint_eq(len, 64);
	RETURNS(DOCA_ERROR_NO_MEMORY,
		doca_buf_inventory_buf_by_addr(inventory, mmap_, memory, 1, &found));
	RETURNS(DOCA_ERROR_NO_MEMORY,
		doca_buf_inventory_buf_by_data(inventory, mmap_, memory, 1, &found));
	RETURNS(DOCA_ERROR_NO_MEMORY,
		doca_buf_inventory_buf_by_args(inventory, mmap_, memory, 1, memory, 1, &found));
	RETURNS(DOCA_ERROR_NO_MEMORY, doca_buf_inventory_buf_dup(inventory, buf, &found));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_buf_inventory_buf_dup(inventory, NULL, &found));
	/* From 2.0 on, the data window is not checked. */
	PASSES(doca_buf_set_data(third, memory, 1000));
	PASSES(doca_buf_reset_data_len(third));
	/* Lists need no extension. */
	PASSES(doca_buf_list_is_first(buf, &flag));
	ck_assert(flag);
	PASSES(doca_buf_is_in_list(buf, &in_list));
	ck_assert_uint_eq(in_list, 0);
	PASSES(doca_buf_list_chain(buf, second));
	PASSES(doca_buf_list_chain(buf, third));
	PASSES(doca_buf_list_num_elements(buf, &n));
	ck_assert_uint_eq(n, 3);
	PASSES(doca_buf_list_next(buf, &found));
	ck_assert_ptr_eq(found, second);
	PASSES(doca_buf_list_last(buf, &found));
	ck_assert_ptr_eq(found, third);
	PASSES(doca_buf_list_is_last(third, &flag));
	ck_assert(flag);
	PASSES(doca_buf_list_is_last(buf, &flag));
	ck_assert(!flag);
	PASSES(doca_buf_list_is_first(third, &flag));
	ck_assert(!flag);
	PASSES(doca_buf_is_in_list(third, &in_list));
	ck_assert_uint_eq(in_list, 1);
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_buf_list_last(NULL, &found));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_buf_list_num_elements(buf, NULL));
	RETURNS(DOCA_ERROR_NOT_PERMITTED, doca_buf_list_num_elements(second, &n));
	RETURNS(DOCA_ERROR_NOT_PERMITTED, doca_buf_refcount_rm(second, NULL));
	RETURNS(DOCA_ERROR_NOT_PERMITTED, doca_buf_inventory_buf_dup(inventory, second, &found));
	EXPECT(DOCA_ERROR_NOT_PERMITTED, doca_buf_list_chain(second, third));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_buf_list_unchain(third, second));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_buf_list_unchain(NULL, second));
	PASSES(doca_buf_list_unchain(buf, third));
	PASSES(doca_buf_get_refcount(third, &refs));
	ck_assert_uint_eq(refs, 1);
	RETURNS(DOCA_ERROR_NOT_SUPPORTED, doca_buf_refcount_add(third, &refs));
	PASSES(doca_buf_refcount_rm(third, &refs));
	ck_assert_uint_eq(refs, 1);
	/* The buffers keep the inventory and the map in use. */
	PASSES(doca_mmap_get_num_bufs(mmap_, &n));
	ck_assert_uint_eq(n, 2);
	RETURNS(DOCA_ERROR_NOT_PERMITTED, doca_mmap_stop(mmap_));
	RETURNS(DOCA_ERROR_NOT_PERMITTED, doca_mmap_destroy(mmap_));
	RETURNS(DOCA_ERROR_NOT_PERMITTED, doca_buf_inventory_destroy(inventory));
	/* Releases the whole list. */
	PASSES(doca_buf_refcount_rm(buf, NULL));
	PASSES(doca_buf_inventory_buf_by_addr(inventory, mmap_, memory, 100, &buf));
	PASSES(doca_buf_inventory_buf_dup(inventory, buf, &found));
	PASSES(doca_buf_refcount_rm(buf, NULL));
	PASSES(doca_buf_refcount_rm(found, NULL));
	PASSES(doca_buf_inventory_stop(inventory));
	PASSES(doca_buf_inventory_destroy(inventory));
}
END_TEST

START_TEST(test_inventory)
{
	struct doca_buf_inventory *inventory, *none = NULL;
	union doca_data data = {.u64 = 3};
	uint32_t n;

	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_buf_inventory_create(NULL, 0, 0, &inventory));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_buf_inventory_create(NULL, 1, 0, NULL));
	/* The extension of 1.5 no longer exists. */
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_buf_inventory_create(NULL, 1, 1, &inventory));
	PASSES(doca_buf_inventory_create(&data, 5, DOCA_BUF_EXTENSION_NONE, &inventory));
	data.u64 = 0;
	PASSES(doca_buf_inventory_get_user_data(inventory, &data));
	ck_assert_uint_eq(data.u64, 3);
	PASSES(doca_buf_inventory_get_num_elements(inventory, &n));
	ck_assert_uint_eq(n, 5);
	PASSES(doca_buf_inventory_get_num_free_elements(inventory, &n));
	ck_assert_uint_eq(n, 5);
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_buf_inventory_get_user_data(none, &data));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_buf_inventory_get_num_elements(none, &n));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_buf_inventory_get_num_free_elements(none, &n));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_buf_inventory_start(none));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_buf_inventory_stop(none));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_buf_inventory_destroy(none));
	PASSES(doca_buf_inventory_destroy(inventory));
}
END_TEST

START_TEST(test_pool)
{
	struct doca_bufpool *pool, *none = NULL;
	struct doca_buf *buf, *second;
	union doca_data data = {.u64 = 12};
	uint32_t n;
	void *head;

	RETURNS(DOCA_ERROR_BAD_STATE, doca_bufpool_create(NULL, 2, 0, 64, 64, mmap_, &pool));
	start(DOCA_ACCESS_LOCAL_READ_WRITE);
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_bufpool_create(NULL, 2, 0, 64, 64, NULL, &pool));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_bufpool_create(NULL, 2, 0, 64, 64, mmap_, NULL));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_bufpool_create(NULL, 0, 0, 64, 64, mmap_, &pool));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_bufpool_create(NULL, 2, 0, 0, 64, mmap_, &pool));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_bufpool_create(NULL, 2, 1, 64, 64, mmap_, &pool));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_bufpool_create(NULL, 2, 0, 64, 3, mmap_, &pool));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_bufpool_create(NULL, 2, 0, BYTES, 1, mmap_, &pool));
	PASSES(doca_bufpool_create(&data, 2, DOCA_BUF_EXTENSION_NONE, 100, 64, mmap_, &pool));
	data.u64 = 0;
	PASSES(doca_bufpool_get_user_data(pool, &data));
	ck_assert_uint_eq(data.u64, 12);
	RETURNS(DOCA_ERROR_BAD_STATE, doca_bufpool_buf_alloc(pool, &buf));
	OK(doca_mmap_stop(mmap_));
	RETURNS(DOCA_ERROR_BAD_STATE, doca_bufpool_start(pool));
	OK(doca_mmap_start(mmap_));
	PASSES(doca_bufpool_start(pool));
	PASSES(doca_bufpool_buf_alloc(pool, &buf));
	PASSES(doca_bufpool_buf_alloc(pool, &second));
	PASSES(doca_buf_get_head(second, &head));
	ck_assert_uint_eq((uintptr_t)head % 64, 0);
	RETURNS(DOCA_ERROR_NO_MEMORY, doca_bufpool_buf_alloc(pool, &buf));
	PASSES(doca_bufpool_get_num_elements(pool, &n));
	ck_assert_uint_eq(n, 2);
	PASSES(doca_bufpool_get_num_free_elements(pool, &n));
	ck_assert_uint_eq(n, 0);
	EXPECT(DOCA_ERROR_IN_USE, doca_bufpool_stop(pool));
	RETURNS(DOCA_ERROR_IN_USE, doca_bufpool_destroy(pool));
	PASSES(doca_buf_refcount_rm(buf, NULL));
	PASSES(doca_buf_refcount_rm(second, NULL));
	PASSES(doca_bufpool_stop(pool));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_bufpool_buf_alloc(none, &buf));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_bufpool_destroy(none));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_bufpool_start(none));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_bufpool_stop(none));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_bufpool_get_num_elements(none, &n));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_bufpool_get_num_free_elements(none, &n));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_bufpool_get_user_data(none, &data));
	PASSES(doca_bufpool_destroy(pool));
}
END_TEST

START_TEST(test_array)
{
	struct doca_gpu *gpu = (struct doca_gpu *)memory;
	struct doca_buf_arr *array, *none = NULL;
	struct doca_mmap *other;
	struct doca_gpu_buf_arr *handle;

	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_buf_arr_create(NULL, &array));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_buf_arr_create(mmap_, NULL));
	PASSES(doca_buf_arr_create(mmap_, &array));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_buf_arr_set_params(array, 0, 1, 0));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_buf_arr_set_params(array, 64, 0, 0));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_buf_arr_set_params(none, 64, 1, 0));
	RETURNS(DOCA_ERROR_BAD_STATE, doca_buf_arr_start(array));
	PASSES(doca_buf_arr_set_params(array, BYTES / 4, 4, 1));
	RETURNS(DOCA_ERROR_NOT_PERMITTED, doca_buf_arr_start(array));
	start(DOCA_ACCESS_LOCAL_READ_WRITE);
	/* One byte too long. */
	RETURNS(DOCA_ERROR_NO_MEMORY, doca_buf_arr_start(array));
	PASSES(doca_buf_arr_set_params(array, BYTES / 4, 4, 0));
	RETURNS(DOCA_ERROR_BAD_STATE, doca_buf_arr_start(array));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_buf_arr_start(none));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_buf_arr_stop(none));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_buf_arr_destroy(none));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_buf_arr_set_target_gpu(array, NULL));
	EXPECT(DOCA_ERROR_NOT_SUPPORTED, doca_buf_arr_set_target_gpu(array, gpu));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_buf_arr_get_gpu_handle(none, &handle));
	RETURNS(DOCA_ERROR_BAD_STATE, doca_buf_arr_get_gpu_handle(array, &handle));
	PASSES(doca_buf_arr_stop(array));
	PASSES(doca_buf_arr_destroy(array));
	OK(doca_mmap_create(NULL, &other));
	PASSES(doca_buf_arr_create(other, &array));
	PASSES(doca_buf_arr_set_params(array, 64, 1, 0));
	OK(doca_mmap_destroy(other));
	RETURNS(DOCA_ERROR_NOT_PERMITTED, doca_buf_arr_start(array));
	PASSES(doca_buf_arr_destroy(array));
}
END_TEST

START_TEST(test_other_generations)
{
	struct doca_mmap *newer = other_mmap(dev, memory, BYTES, false);
	struct doca_buf_inventory *own = inventory_new(1), *inventory = other_inventory();
	struct doca_buf_arr *newer_array = other_array(), *array;
	struct doca_bufpool *pool;
	struct doca_buf *buf;
	const void *desc;
	size_t len;

	EXPECT(DOCA_ERROR_BAD_STATE, doca_mmap_dev_add(newer, dev));
	EXPECT(DOCA_ERROR_BAD_STATE, doca_mmap_dev_rm(newer, dev));
	EXPECT(DOCA_ERROR_BAD_STATE, doca_mmap_set_dmabuf_memrange(newer, 0, 0, 1));
	EXPECT(DOCA_ERROR_BAD_STATE, doca_mmap_set_max_num_chunks(newer, 1));
	EXPECT(DOCA_ERROR_BAD_STATE, doca_mmap_export_dpu(newer, dev, &desc, &len));
	EXPECT(DOCA_ERROR_BAD_STATE, doca_buf_arr_set_params(newer_array, 8, 1, 0));
	OK(doca_buf_arr_create(mmap_, &array));
	other_refuses_mmap(mmap_, dev, "2.0", false);
	other_refuses_inventory(own, "2.0");
	OK(doca_mmap_set_memrange(mmap_, memory, BYTES));
	OK(doca_mmap_dev_add(mmap_, dev));
	OK(doca_mmap_start(mmap_));
	OK(doca_mmap_start(newer));
	other_refuses_buf(inventory, mmap_, memory, "2.0");
	other_refuses_buf(own, newer, memory, "2.0");
	other_refuses_pool(mmap_, "2.0");
	EXPECT(DOCA_ERROR_BAD_STATE, doca_buf_inventory_buf_by_addr(own, newer, memory, 1, &buf));
	EXPECT(DOCA_ERROR_BAD_STATE,
	       doca_buf_inventory_buf_by_addr(inventory, mmap_, memory, 1, &buf));
	EXPECT(DOCA_ERROR_BAD_STATE,
	       doca_bufpool_create(NULL, 1, DOCA_BUF_EXTENSION_NONE, 1, 1, newer, &pool));
	OK(doca_mmap_stop(mmap_));
	other_refuses_array(array, mmap_, "2.0");
	other_mmap_end(newer);
	OK(doca_buf_arr_destroy(newer_array));
	OK(doca_buf_arr_destroy(array));
	OK(doca_buf_inventory_destroy(own));
	OK(doca_buf_inventory_destroy(inventory));
}
END_TEST

struct handover {
	char desc[256];
	size_t len;
};

static void importer(int sock, void *arg)
{
	const struct handover *in = arg;
	struct doca_dev *device = use_dev(USE_DPU_P0), *other = use_dev(USE_DPU_P1);
	struct doca_mmap *import, *own;
	union doca_data data = {.u64 = 5};
	const void *desc;
	size_t len;
	void *addr;
	uint8_t flag;

	(void)sock;
	if (allocount_works)
		RUNS_OUT(0, doca_mmap_create_from_export(NULL, in->desc, in->len, device, &import));
	RETURNS(DOCA_ERROR_NOT_PERMITTED,
		doca_mmap_create_from_export(NULL, in->desc, in->len, other, &import));
	PASSES(doca_mmap_create_from_export(&data, in->desc, in->len, device, &import));
	PASSES(doca_mmap_get_from_export(import, &flag));
	ck_assert_uint_eq(flag, 1);
	PASSES(doca_mmap_get_memrange(import, &addr, &len));
	ck_assert_ptr_eq(addr, memory);
	RETURNS(DOCA_ERROR_NOT_PERMITTED, doca_mmap_start(import));
	PASSES(doca_mmap_stop(import));
	RETURNS(DOCA_ERROR_NOT_PERMITTED, doca_mmap_start(import));
	PASSES(doca_mmap_stop(import));
	RETURNS(DOCA_ERROR_NOT_PERMITTED, doca_mmap_dev_add(import, device));
	RETURNS(DOCA_ERROR_NOT_PERMITTED, doca_mmap_dev_rm(import, device));
	RETURNS(DOCA_ERROR_NOT_PERMITTED, doca_mmap_export_dpu(import, device, &desc, &len));
	PASSES(doca_mmap_destroy(import));
	/* In this profile the DPU's devices cannot export, and the host's cannot import. */
	PASSES(doca_mmap_create(NULL, &own));
	PASSES(doca_mmap_set_memrange(own, memory, BYTES));
	PASSES(doca_mmap_set_permissions(own, DOCA_ACCESS_DPU_READ_ONLY));
	PASSES(doca_mmap_dev_add(own, device));
	PASSES(doca_mmap_start(own));
	RETURNS(DOCA_ERROR_NOT_SUPPORTED, doca_mmap_export_dpu(own, device, &desc, &len));
	PASSES(doca_mmap_destroy(own));
	OK(doca_dev_close(device));
	OK(doca_dev_close(other));
}

START_TEST(test_import)
{
	struct handover in;
	struct doca_mmap *import;
	struct lab_child child;
	const void *desc;

	start(DOCA_ACCESS_DPU_READ_ONLY);
	PASSES(doca_mmap_export_dpu(mmap_, dev, &desc, &in.len));
	memcpy(in.desc, desc, in.len);
	RETURNS(DOCA_ERROR_NOT_SUPPORTED,
		doca_mmap_create_from_export(NULL, in.desc, in.len, dev, &import));
	child = lab_fork(&lab, LAB_DPU, importer, &in);
	lab_join(&child);
}
END_TEST

START_TEST(test_no_rdma)
{
	const void *desc;
	size_t len;

	start(DOCA_ACCESS_RDMA_READ);
	RETURNS(DOCA_ERROR_NOT_SUPPORTED, doca_mmap_export_rdma(mmap_, dev, &desc, &len));
}
END_TEST

static void setup_no_rdma(void)
{
	static const struct lab_options options = {
		.only = {true, false},
		.topology =
			"[topology]\nside = host\n[device pf0]\npci = 0b:00.0\nexport_rdma = no\n",
	};

	setup_with(&options);
}

static const struct documented documented_mmap[] = {
	{"doca_mmap_create", "INVALID_VALUE NO_MEMORY"},
	{"doca_mmap_create_from_export",
	 "INVALID_VALUE NO_MEMORY NOT_SUPPORTED NOT_PERMITTED DRIVER"},
	{"doca_mmap_destroy", "INVALID_VALUE NOT_PERMITTED"},
	{"doca_mmap_dev_add", "INVALID_VALUE NOT_PERMITTED NO_MEMORY IN_USE NOT_SUPPORTED"},
	{"doca_mmap_dev_rm", "INVALID_VALUE NOT_PERMITTED"},
	{"doca_mmap_export_dpu", "INVALID_VALUE NOT_PERMITTED NO_MEMORY NOT_SUPPORTED DRIVER"},
	{"doca_mmap_export_rdma", "INVALID_VALUE NOT_PERMITTED NO_MEMORY NOT_SUPPORTED DRIVER"},
	{"doca_mmap_get_exported", "INVALID_VALUE"},
	{"doca_mmap_get_from_export", "INVALID_VALUE"},
	{"doca_mmap_get_max_num_devices", "INVALID_VALUE"},
	{"doca_mmap_get_memrange", "INVALID_VALUE BAD_STATE"},
	{"doca_mmap_get_num_bufs", "INVALID_VALUE"},
	{"doca_mmap_get_user_data", "INVALID_VALUE"},
	{"doca_mmap_set_dmabuf_memrange", "NOT_SUPPORTED INVALID_VALUE BAD_STATE NOT_PERMITTED"},
	{"doca_mmap_set_free_cb", "INVALID_VALUE BAD_STATE"},
	{"doca_mmap_set_max_num_devices", "INVALID_VALUE NOT_PERMITTED"},
	{"doca_mmap_set_memrange", "INVALID_VALUE BAD_STATE NOT_PERMITTED"},
	{"doca_mmap_set_permissions", "INVALID_VALUE BAD_STATE"},
	{"doca_mmap_start", "INVALID_VALUE NO_MEMORY NOT_PERMITTED"},
	{"doca_mmap_stop", "INVALID_VALUE NOT_PERMITTED"},
	{NULL, NULL},
};

static const struct documented documented_buf[] = {
	{"doca_buf_list_last", "INVALID_VALUE"},
	{"doca_buf_list_num_elements", "INVALID_VALUE NOT_PERMITTED"},
	{"doca_buf_list_unchain", "INVALID_VALUE"},
	{"doca_buf_refcount_add", "NOT_SUPPORTED"},
	{"doca_buf_refcount_rm", "NOT_PERMITTED"},
	{NULL, NULL},
};

static const struct documented documented_buf_inventory[] = {
	{"doca_buf_inventory_buf_by_addr", "INVALID_VALUE NO_MEMORY"},
	{"doca_buf_inventory_buf_by_args", "INVALID_VALUE NO_MEMORY"},
	{"doca_buf_inventory_buf_by_data", "INVALID_VALUE NO_MEMORY"},
	{"doca_buf_inventory_buf_dup", "INVALID_VALUE NOT_PERMITTED NO_MEMORY"},
	{"doca_buf_inventory_create", "INVALID_VALUE NO_MEMORY"},
	{"doca_buf_inventory_destroy", "INVALID_VALUE NOT_PERMITTED"},
	{"doca_buf_inventory_get_num_elements", "INVALID_VALUE"},
	{"doca_buf_inventory_get_num_free_elements", "INVALID_VALUE"},
	{"doca_buf_inventory_get_user_data", "INVALID_VALUE"},
	{"doca_buf_inventory_start", "INVALID_VALUE"},
	{"doca_buf_inventory_stop", "INVALID_VALUE"},
	{NULL, NULL},
};

static const struct documented documented_bufpool[] = {
	{"doca_bufpool_buf_alloc", "INVALID_VALUE BAD_STATE NO_MEMORY"},
	{"doca_bufpool_create", "INVALID_VALUE NO_MEMORY BAD_STATE"},
	{"doca_bufpool_destroy", "INVALID_VALUE IN_USE"},
	{"doca_bufpool_get_num_elements", "INVALID_VALUE"},
	{"doca_bufpool_get_num_free_elements", "INVALID_VALUE"},
	{"doca_bufpool_get_user_data", "INVALID_VALUE"},
	{"doca_bufpool_start", "INVALID_VALUE BAD_STATE"},
	{"doca_bufpool_stop", "INVALID_VALUE"},
	{NULL, NULL},
};

static const struct documented documented_buf_array[] = {
	{"doca_buf_arr_create", "INVALID_VALUE NO_MEMORY"},
	{"doca_buf_arr_destroy", "INVALID_VALUE"},
	{"doca_buf_arr_get_gpu_handle", "INVALID_VALUE BAD_STATE"},
	{"doca_buf_arr_set_params", "INVALID_VALUE BAD_STATE"},
	{"doca_buf_arr_set_target_gpu", "INVALID_VALUE BAD_STATE"},
	{"doca_buf_arr_start", "INVALID_VALUE BAD_STATE NOT_PERMITTED NO_MEMORY"},
	{"doca_buf_arr_stop", "INVALID_VALUE"},
	{NULL, NULL},
};

static const struct unreachable unreachable_mmap[] = {
	{"*", "DRIVER", "no driver is asked"},
	{"doca_mmap_dev_add", "NOT_SUPPORTED", "devices of protection domains can be added"},
	{"doca_mmap_start", "NO_MEMORY", "start takes none"},
	{NULL},
};
static const struct unreachable unreachable_array[] = {
	{"doca_buf_arr_set_params", "BAD_STATE", "no array of this version is ever started"},
	{"doca_buf_arr_set_target_gpu", "BAD_STATE", "no array is ever started"},
	{NULL},
};
static const struct unreachable unreachable_none[] = {{NULL}};

static bool finish(void)
{
	bool ok = cover_report("2.2 doca_mmap", documented_mmap, unreachable_mmap);

	ok &= cover_report("2.2 doca_buf", documented_buf, unreachable_none);
	ok &= cover_report("2.2 doca_buf_inventory", documented_buf_inventory, unreachable_none);
	ok &= cover_report("2.2 doca_bufpool", documented_bufpool, unreachable_none);
	return cover_report("2.2 doca_buf_array", documented_buf_array, unreachable_array) && ok;
}

static void add_cases(Suite *suite)
{
	TCase *cases = tcase_create("memory"), *no_rdma = tcase_create("no rdma");
	TCase *card = tcase_create("card");

	tcase_add_checked_fixture(cases, setup, teardown);
	tcase_set_timeout(cases, RUNNER_TEST_S);
	suite_add_tcase(suite, cases);
	tcase_add_test(cases, test_null);
	tcase_add_test(cases, test_mmap);
	tcase_add_test(cases, test_no_memory);
	tcase_add_test(cases, test_dmabuf);
	tcase_add_test(cases, test_buffers);
	tcase_add_test(cases, test_inventory);
	tcase_add_test(cases, test_pool);
	tcase_add_test(cases, test_array);
	tcase_add_test(cases, test_other_generations);
	tcase_add_checked_fixture(card, setup_card, teardown);
	tcase_set_timeout(card, RUNNER_TEST_S);
	suite_add_tcase(suite, card);
	tcase_add_test(card, test_import);
	tcase_add_checked_fixture(no_rdma, setup_no_rdma, teardown);
	tcase_set_timeout(no_rdma, RUNNER_TEST_S);
	suite_add_tcase(suite, no_rdma);
	tcase_add_test(no_rdma, test_no_rdma);
}

int main(void)
{
	lab_require();
	cover_init();
	return runner_main("memory of 2.2", add_cases, finish);
}
