/* Maps of the current generation, see tests/integration/dma/mmap_end.h. */
#include "tests/integration/dma/mmap_end.h"

#include <string.h>

#include "tests/lib/use.h"

static struct doca_mmap *make(struct doca_dev *dev, void *addr, size_t len)
{
	return use_mmap(dev, addr, len, DOCA_ACCESS_FLAG_LOCAL_READ_WRITE);
}

static struct doca_mmap *export(struct doca_dev *dev, void *addr, size_t len, bool is_read_only,
				struct mmap_end_desc *desc_out)
{
	struct doca_mmap *mmap = use_mmap(dev, addr, len,
					  is_read_only ? DOCA_ACCESS_FLAG_PCI_READ_ONLY
						       : DOCA_ACCESS_FLAG_PCI_READ_WRITE);
	const void *desc;

	OK(doca_mmap_export_pci(mmap, dev, &desc, &desc_out->len));
	memcpy(desc_out->bytes, desc, desc_out->len);
	return mmap;
}

static struct doca_mmap *import(struct doca_dev *dev, const struct mmap_end_desc *desc)
{
	struct doca_mmap *mmap;

	OK(doca_mmap_create_from_export(NULL, desc->bytes, desc->len, dev, &mmap));
	return mmap;
}

static struct doca_buf_inventory *inventory(void)
{
	struct doca_buf_inventory *made;

	OK(doca_buf_inventory_create(4, &made));
	OK(doca_buf_inventory_start(made));
	return made;
}

static struct doca_buf *buf(struct doca_buf_inventory *from, struct doca_mmap *mmap, void *addr,
			    size_t len)
{
	struct doca_buf *made;

	OK(doca_buf_inventory_buf_get_by_addr(from, mmap, addr, len, &made));
	return made;
}

static void pass_on(struct doca_mmap *import, struct doca_dev *dev, struct mmap_end_desc *desc_out)
{
	const void *desc;

	OK(doca_mmap_export_rdma(import, dev, &desc, &desc_out->len));
	memcpy(desc_out->bytes, desc, desc_out->len);
}

const struct mmap_end mmap_end_3_3 = {
	"3.3", true, make, export, import, use_mmap_end, inventory, buf, use_buf_end, pass_on,
};
