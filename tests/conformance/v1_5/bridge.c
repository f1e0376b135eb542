/* See tests/conformance/v1_5/bridge.h. Compiled for 1.5. */
#include "tests/conformance/v1_5/bridge.h"

#include <string.h>

#include <doca_buf.h>
#include <doca_buf_inventory.h>
#include <doca_dev.h>
#include <doca_mmap.h>
#include <dococ.h>

#include "tests/conformance/cover.h"

static void check_buf(struct doca_buf *buf, struct doca_dev *dev, uint32_t wanted,
		      void (*make_keys)(doca_error_t))
{
	const uint32_t write = DOCA_ACCESS_LOCAL_WRITE;
	uint32_t key = 0;

	make_keys(DOCA_SUCCESS);
	EXPECT(DOCA_ERROR_INVALID_VALUE, doca_buf_get_lkey(NULL, dev, write, &key));
	EXPECT(DOCA_ERROR_INVALID_VALUE, doca_buf_get_lkey(buf, NULL, write, &key));
	EXPECT(DOCA_ERROR_INVALID_VALUE, doca_buf_get_lkey(buf, dev, write, NULL));
	EXPECT(DOCA_ERROR_INVALID_VALUE, doca_buf_get_lkey(buf, dev, 16, &key));
	/* A key does not permit more than the mmap. */
	EXPECT(DOCA_ERROR_INVALID_VALUE,
	       doca_buf_get_lkey(buf, dev, DOCA_ACCESS_REMOTE_ATOMIC, &key));
	ck_assert_ptr_nonnull(strstr(dococ_last_error(), "does not permit"));
	make_keys(DOCA_ERROR_NOT_SUPPORTED);
	EXPECT(DOCA_ERROR_NOT_SUPPORTED, doca_buf_get_lkey(buf, dev, write, &key));
	ck_assert_ptr_nonnull(strstr(dococ_last_error(), "bound to no RDMA device"));
	ck_assert_uint_eq(key, 0);
	make_keys(DOCA_SUCCESS);
	OK(doca_buf_get_lkey(buf, dev, write, &key));
	ck_assert_uint_eq(key, wanted);
	OK(doca_buf_get_lkey(buf, dev, write | DOCA_ACCESS_REMOTE_WRITE | DOCA_ACCESS_REMOTE_READ,
			     &key));
}

void bridge_1_5_buf_key(struct doca_dev *dev, uint32_t wanted, void (*make_keys)(doca_error_t))
{
	static char memory[64];
	struct doca_buf_inventory *inventory;
	struct doca_mmap *mmap;
	struct doca_buf *buf;

	OK(doca_mmap_create(NULL, &mmap));
	OK(doca_mmap_start(mmap));
	OK(doca_mmap_dev_add(mmap, dev));
	OK(doca_mmap_populate(mmap, memory, sizeof(memory), 4096, NULL, NULL));
	OK(doca_buf_inventory_create(NULL, 1, DOCA_BUF_EXTENSION_NONE, &inventory));
	OK(doca_buf_inventory_start(inventory));
	OK(doca_buf_inventory_buf_by_addr(inventory, mmap, memory, sizeof(memory), &buf));
	check_buf(buf, dev, wanted, make_keys);
	OK(doca_buf_refcount_rm(buf, NULL));
	OK(doca_buf_inventory_destroy(inventory));
	OK(doca_mmap_destroy(mmap));
}

void bridge_1_5_bits(struct doca_buf *buf, struct doca_dev *dev, uint32_t number)
{
	/* Numbers of 2.2. */
	uint32_t same_right = number == 2 ? DOCA_ACCESS_REMOTE_READ : DOCA_ACCESS_REMOTE_WRITE;
	uint32_t other_right = number == 2 ? DOCA_ACCESS_REMOTE_WRITE : DOCA_ACCESS_REMOTE_READ;
	uint32_t key = 0;

	ck_assert_uint_eq(other_right, number);
	EXPECT(DOCA_ERROR_INVALID_VALUE, doca_buf_get_lkey(buf, dev, other_right, &key));
	ck_assert_ptr_nonnull(strstr(dococ_last_error(), "does not permit"));
	EXPECT(DOCA_ERROR_INVALID_VALUE,
	       doca_buf_get_lkey(buf, dev, other_right | same_right, &key));
	ck_assert_uint_eq(key, 0);
	OK(doca_buf_get_lkey(buf, dev, same_right, &key));
	ck_assert_uint_ne(key, 0);
}
