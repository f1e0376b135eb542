/* See tests/conformance/v2_2/bridge.h. Compiled for 2.2. */
#include "tests/conformance/v2_2/bridge.h"

#include <doca_buf.h>
#include <doca_buf_inventory.h>
#include <doca_dev.h>
#include <doca_mmap.h>
#include <doca_rdma_bridge.h>

#include "tests/conformance/cover.h"

static void check_buf(struct doca_buf *buf, struct doca_dev *dev, void (*make_keys)(doca_error_t))
{
	uint32_t key = 0;

	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_buf_get_mkey(NULL, dev, &key));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_buf_get_mkey(buf, NULL, &key));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_buf_get_mkey(buf, dev, NULL));
	make_keys(DOCA_ERROR_NOT_SUPPORTED);
	RETURNS(DOCA_ERROR_NOT_SUPPORTED, doca_buf_get_mkey(buf, dev, &key));
	ck_assert_uint_eq(key, 0);
	make_keys(DOCA_SUCCESS);
	PASSES(doca_buf_get_mkey(buf, dev, &key));
	ck_assert_uint_ne(key, 0);
}

void bridge_2_2_names(struct doca_dev *bare, struct ibv_pd *pd, void (*make_keys)(doca_error_t))
{
	static char memory[64];
	struct doca_buf_inventory *inventory;
	struct doca_mmap *mmap;
	struct doca_buf *buf;
	struct doca_dev *dev;
	struct ibv_pd *same;

	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_dev_open_from_pd(NULL, &dev));
	PASSES(doca_dev_open_from_pd(pd, &dev));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_dev_get_pd(NULL, &same));
	make_keys(DOCA_ERROR_NOT_SUPPORTED);
	RETURNS(DOCA_ERROR_BAD_STATE, doca_dev_get_pd(bare, &same));
	PASSES(doca_dev_get_pd(dev, &same));
	ck_assert_ptr_eq(same, pd);
	OK(doca_mmap_create(NULL, &mmap));
	OK(doca_mmap_set_memrange(mmap, memory, sizeof(memory)));
	OK(doca_mmap_dev_add(mmap, dev));
	OK(doca_mmap_start(mmap));
	OK(doca_buf_inventory_create(NULL, 1, DOCA_BUF_EXTENSION_NONE, &inventory));
	OK(doca_buf_inventory_start(inventory));
	OK(doca_buf_inventory_buf_by_addr(inventory, mmap, memory, sizeof(memory), &buf));
	check_buf(buf, dev, make_keys);
	OK(doca_buf_refcount_rm(buf, NULL));
	OK(doca_buf_inventory_destroy(inventory));
	OK(doca_mmap_destroy(mmap));
	OK(doca_dev_close(dev));
}

void bridge_2_2_permit(struct doca_dev *dev, uint32_t number,
		       void (*use)(struct doca_buf *buf, struct doca_dev *dev, uint32_t number))
{
	static char memory[64];
	struct doca_buf_inventory *inventory;
	struct doca_mmap *mmap;
	struct doca_buf *buf;

	ck_assert(number == DOCA_ACCESS_RDMA_READ || number == DOCA_ACCESS_RDMA_WRITE);
	OK(doca_mmap_create(NULL, &mmap));
	OK(doca_mmap_set_memrange(mmap, memory, sizeof(memory)));
	OK(doca_mmap_set_permissions(mmap, number));
	OK(doca_mmap_dev_add(mmap, dev));
	OK(doca_mmap_start(mmap));
	OK(doca_buf_inventory_create(NULL, 1, DOCA_BUF_EXTENSION_NONE, &inventory));
	OK(doca_buf_inventory_start(inventory));
	OK(doca_buf_inventory_buf_by_addr(inventory, mmap, memory, sizeof(memory), &buf));
	use(buf, dev, number);
	OK(doca_buf_refcount_rm(buf, NULL));
	OK(doca_buf_inventory_destroy(inventory));
	OK(doca_mmap_destroy(mmap));
}
