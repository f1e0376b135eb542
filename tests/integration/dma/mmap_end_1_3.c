/* Maps of 1.3, see tests/integration/dma/mmap_end.h. */
#include "tests/integration/dma/mmap_end.h"

#include <stdlib.h>
#include <string.h>

#include <doca_buf.h>
#include <doca_buf_inventory.h>
#include <doca_dev.h>
#include <doca_mmap.h>

#include "tests/lib/expect.h"

_Static_assert(DOCA_USE_VERSION == 103, "compiled for 1.3");

static void set(struct doca_mmap *mmap, enum doca_mmap_property property, uint32_t value)
{
	OK(doca_mmap_property_set(mmap, property, (uint8_t *)&value, sizeof(value)));
}

static struct doca_mmap *make(struct doca_dev *dev, void *addr, size_t len)
{
	struct doca_mmap *mmap;

	OK(doca_mmap_create("local", &mmap));
	set(mmap, DOCA_MMAP_MAX_NUM_CHUNKS, 2);
	OK(doca_mmap_start(mmap));
	OK(doca_mmap_populate(mmap, (char *)addr + len / 2, len / 2, 4096, NULL, NULL));
	OK(doca_mmap_dev_add(mmap, dev));
	OK(doca_mmap_populate(mmap, addr, len / 2, 4096, NULL, NULL));
	return mmap;
}

static struct doca_mmap *export_as(struct doca_dev *dev, void *addr, size_t len,
				   const uint32_t *access, struct mmap_end_desc *desc_out)
{
	struct doca_mmap *mmap;
	uint8_t *desc;

	OK(doca_mmap_create("exported", &mmap));
	if (access != NULL)
		set(mmap, DOCA_MMAP_ACCESS, *access);
	OK(doca_mmap_start(mmap));
	OK(doca_mmap_dev_add(mmap, dev));
	OK(doca_mmap_populate(mmap, addr, len, 4096, NULL, NULL));
	OK(doca_mmap_export(mmap, dev, &desc, &desc_out->len));
	ck_assert_uint_le(desc_out->len, sizeof(desc_out->bytes));
	memcpy(desc_out->bytes, desc, desc_out->len);
	free(desc);
	return mmap;
}

static struct doca_mmap *export(struct doca_dev *dev, void *addr, size_t len, bool is_read_only,
				struct mmap_end_desc *desc_out)
{
	const uint32_t access = DOCA_MMAP_ACCESS_REMOTE_READ;

	return export_as(dev, addr, len, is_read_only ? &access : NULL, desc_out);
}

struct doca_mmap *mmap_end_number_1_3(struct doca_dev *dev, void *addr, size_t len, uint32_t number,
				      struct mmap_end_desc *desc_out)
{
	return export_as(dev, addr, len, &number, desc_out);
}

static struct doca_mmap *import(struct doca_dev *dev, const struct mmap_end_desc *desc)
{
	struct doca_mmap *mmap;
	uint8_t flag = 0;

	OK(doca_mmap_create_from_export("imported", desc->bytes, desc->len, dev, &mmap));
	OK(doca_mmap_property_get(mmap, DOCA_MMAP_FROM_EXPORT, &flag, sizeof(flag)));
	ck_assert_uint_eq(flag, 1);
	EXPECT(DOCA_ERROR_NOT_PERMITTED, doca_mmap_start(mmap));
	EXPECT(DOCA_ERROR_NOT_PERMITTED, doca_mmap_dev_add(mmap, dev));
	EXPECT(DOCA_ERROR_NOT_PERMITTED, doca_mmap_dev_rm(mmap, dev));
	EXPECT(DOCA_ERROR_NOT_PERMITTED,
	       doca_mmap_populate(mmap, (char *)&flag, 1, 4096, NULL, NULL));
	EXPECT(DOCA_ERROR_NOT_PERMITTED,
	       doca_mmap_property_set(mmap, DOCA_MMAP_ACCESS, (uint8_t *)&(uint32_t){1}, 4));
	return mmap;
}

static void end(struct doca_mmap *mmap)
{
	OK(doca_mmap_destroy(mmap));
}

static struct doca_buf_inventory *inventory(void)
{
	struct doca_buf_inventory *made;

	OK(doca_buf_inventory_create("buffers", 4, DOCA_BUF_EXTENSION_NONE, &made));
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

const struct mmap_end mmap_end_1_3 = {
	"1.3", true, make, export, import, end, inventory, buf, buf_end,
};
