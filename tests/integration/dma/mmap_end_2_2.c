/* Maps of 2.2, see tests/integration/dma/mmap_end.h. */
#include "tests/integration/dma/mmap_end.h"

#include <string.h>

#include <doca_buf.h>
#include <doca_buf_inventory.h>
#include <doca_dev.h>
#include <doca_mmap.h>

#include "tests/lib/expect.h"

_Static_assert(DOCA_USE_VERSION == 202, "compiled for 2.2");

static struct doca_mmap *start(struct doca_dev *dev, void *addr, size_t len, uint32_t permissions)
{
	struct doca_mmap *mmap;

	OK(doca_mmap_create(NULL, &mmap));
	OK(doca_mmap_set_memrange(mmap, addr, len));
	OK(doca_mmap_set_permissions(mmap, permissions));
	OK(doca_mmap_dev_add(mmap, dev));
	OK(doca_mmap_start(mmap));
	return mmap;
}

static struct doca_mmap *make(struct doca_dev *dev, void *addr, size_t len)
{
	return start(dev, addr, len, DOCA_ACCESS_LOCAL_READ_WRITE);
}

static struct doca_mmap *export(struct doca_dev *dev, void *addr, size_t len, bool is_read_only,
				struct mmap_end_desc *desc_out)
{
	struct doca_mmap *mmap = start(dev, addr, len,
				       is_read_only ? DOCA_ACCESS_DPU_READ_ONLY
						    : DOCA_ACCESS_DPU_READ_WRITE);
	const void *desc;

	OK(doca_mmap_export_dpu(mmap, dev, &desc, &desc_out->len));
	memcpy(desc_out->bytes, desc, desc_out->len);
	return mmap;
}

struct doca_mmap *mmap_end_number_2_2(struct doca_dev *dev, void *addr, size_t len, uint32_t number,
				      struct mmap_end_desc *desc_out)
{
	struct doca_mmap *mmap = start(dev, addr, len, number);
	const void *desc;

	OK(doca_mmap_export_rdma(mmap, dev, &desc, &desc_out->len));
	memcpy(desc_out->bytes, desc, desc_out->len);
	return mmap;
}

static struct doca_mmap *import(struct doca_dev *dev, const struct mmap_end_desc *desc)
{
	struct doca_mmap *mmap;

	OK(doca_mmap_create_from_export(NULL, desc->bytes, desc->len, dev, &mmap));
	return mmap;
}

static void end(struct doca_mmap *mmap)
{
	OK(doca_mmap_destroy(mmap));
}

static struct doca_buf_inventory *inventory(void)
{
	struct doca_buf_inventory *made;

	OK(doca_buf_inventory_create(NULL, 4, DOCA_BUF_EXTENSION_NONE, &made));
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

static void pass_on(struct doca_mmap *import, struct doca_dev *dev, struct mmap_end_desc *desc_out)
{
	const void *desc;

	OK(doca_mmap_export_rdma(import, dev, &desc, &desc_out->len));
	memcpy(desc_out->bytes, desc, desc_out->len);
}

const struct mmap_end mmap_end_2_2 = {
	"2.2", true, make, export, import, end, inventory, buf, buf_end, pass_on,
};
