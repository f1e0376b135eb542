/* Maps of 1.5, see tests/integration/dma/mmap_end.h. */
#include "tests/integration/dma/mmap_end.h"

#include <stdlib.h>
#include <string.h>

#include <doca_buf.h>
#include <doca_buf_inventory.h>
#include <doca_dev.h>
#include <doca_mmap.h>

#include "tests/lib/expect.h"

_Static_assert(DOCA_USE_VERSION == 105, "compiled for 1.5");

static struct doca_mmap *make(struct doca_dev *dev, void *addr, size_t len)
{
	struct doca_mmap *mmap;

	OK(doca_mmap_create(NULL, &mmap));
	OK(doca_mmap_set_max_num_chunks(mmap, 2));
	OK(doca_mmap_start(mmap));
	OK(doca_mmap_dev_add(mmap, dev));
	OK(doca_mmap_populate(mmap, addr, len / 2, 4096, NULL, NULL));
	OK(doca_mmap_populate(mmap, (char *)addr + len / 2, len / 2, 4096, NULL, NULL));
	return mmap;
}

static struct doca_mmap *export(struct doca_dev *dev, void *addr, size_t len, bool is_read_only,
				struct mmap_end_desc *desc_out)
{
	struct doca_mmap *mmap;
	void *desc;

	/* 1.5 has no function for read-only exports. */
	ck_assert(!is_read_only);
	OK(doca_mmap_create(NULL, &mmap));
	OK(doca_mmap_start(mmap));
	OK(doca_mmap_populate(mmap, addr, len, 4096, NULL, NULL));
	OK(doca_mmap_dev_add(mmap, dev));
	OK(doca_mmap_export(mmap, dev, &desc, &desc_out->len));
	ck_assert_uint_le(desc_out->len, sizeof(desc_out->bytes));
	memcpy(desc_out->bytes, desc, desc_out->len);
	free(desc);
	return mmap;
}

static struct doca_mmap *import(struct doca_dev *dev, const struct mmap_end_desc *desc)
{
	union doca_data data = {.u64 = 15};
	struct doca_mmap *mmap;
	uint8_t flag = 0;

	OK(doca_mmap_create_from_export(&data, desc->bytes, desc->len, dev, &mmap));
	data.u64 = 0;
	OK(doca_mmap_get_user_data(mmap, &data));
	ck_assert_uint_eq(data.u64, 15);
	OK(doca_mmap_get_from_export(mmap, &flag));
	ck_assert_uint_eq(flag, 1);
	EXPECT(DOCA_ERROR_NOT_PERMITTED, doca_mmap_set_max_num_chunks(mmap, 2));
	return mmap;
}

static void end(struct doca_mmap *mmap)
{
	OK(doca_mmap_destroy(mmap));
}

static struct doca_buf_inventory *inventory(void)
{
	struct doca_buf_inventory *made;

	OK(doca_buf_inventory_create(NULL, 4, DOCA_BUF_EXTENSION_LINKED_LIST, &made));
	OK(doca_buf_inventory_start(made));
	return made;
}

static struct doca_buf *buf(struct doca_buf_inventory *from, struct doca_mmap *mmap, void *addr,
			    size_t len)
{
	struct doca_buf *made;

	OK(doca_buf_inventory_buf_by_addr(from, mmap, addr, len, &made));
	return made;
}

static void buf_end(struct doca_buf *made)
{
	OK(doca_buf_refcount_rm(made, NULL));
}

const struct mmap_end mmap_end_1_5 = {
	"1.5", false, make, export, import, end, inventory, buf, buf_end,
};
