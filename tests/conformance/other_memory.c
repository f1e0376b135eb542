/* See tests/conformance/other_memory.h. */
#include "tests/conformance/other_memory.h"

#include <string.h>

#include <doca_buf_array.h>
#include <doca_buf_pool.h>

#include "tests/lib/use.h"

struct doca_mmap *other_mmap(struct doca_dev *dev, void *addr, size_t len, bool is_started)
{
	struct doca_mmap *mmap;

	if (is_started)
		return use_mmap(dev, addr, len, DOCA_ACCESS_FLAG_PCI_READ_WRITE);
	OK(doca_mmap_create(&mmap));
	OK(doca_mmap_set_memrange(mmap, addr, len));
	OK(doca_mmap_add_dev(mmap, dev));
	return mmap;
}

void other_mmap_end(struct doca_mmap *mmap)
{
	use_mmap_end(mmap);
}

struct doca_buf_inventory *other_inventory(void)
{
	struct doca_buf_inventory *inventory;

	OK(doca_buf_inventory_create(4, &inventory));
	OK(doca_buf_inventory_start(inventory));
	return inventory;
}

struct doca_buf_arr *other_array(void)
{
	struct doca_buf_arr *array;

	OK(doca_buf_arr_create(4, &array));
	return array;
}

static void refused(const char *version, doca_error_t got, const char *call, int line)
{
	use_expect(DOCA_ERROR_BAD_STATE, got, call, __FILE__, line);
	ck_assert_msg(strstr(dococ_last_error(), version) != NULL, "%s: %s", call,
		      dococ_last_error());
}

#define REFUSED(version, call) refused(version, call, #call, __LINE__)

void other_refuses_mmap(struct doca_mmap *mmap, struct doca_dev *dev, const char *version,
			bool has_chunks)
{
	static char memory[64];
	const void *desc;
	size_t len;

	REFUSED(version, doca_mmap_add_dev(mmap, dev));
	REFUSED(version, doca_mmap_rm_dev(mmap, dev));
	REFUSED(version, doca_mmap_export_pci(mmap, dev, &desc, &len));
	REFUSED(version, doca_mmap_set_dmabuf_memrange(mmap, 0, memory, 0, sizeof(memory)));
	REFUSED(version, doca_mmap_set_user_data(mmap, (union doca_data){.u64 = 1}));
	REFUSED(version, doca_mmap_enable_thread_safety(mmap));
	if (!has_chunks)
		return;
	REFUSED(version, doca_mmap_start(mmap));
	REFUSED(version, doca_mmap_set_memrange(mmap, memory, sizeof(memory)));
	REFUSED(version, doca_mmap_set_permissions(mmap, 0));
	REFUSED(version, doca_mmap_set_free_cb(mmap, NULL, NULL));
	REFUSED(version, doca_mmap_export_rdma(mmap, dev, &desc, &len));
}

void other_refuses_buf(struct doca_buf_inventory *inventory, struct doca_mmap *mmap, void *addr,
		       const char *version)
{
	struct doca_buf *buf;

	REFUSED(version, doca_buf_inventory_buf_get_by_addr(inventory, mmap, addr, 1, &buf));
}

void other_refuses_pool(struct doca_mmap *mmap, const char *version)
{
	struct doca_buf_pool *pool;

	REFUSED(version, doca_buf_pool_create(1, 1, mmap, &pool));
}

void other_refuses_pieces(struct doca_mmap *mmap, const char *version)
{
	struct doca_buf_arr *array = other_array();

	other_refuses_pool(mmap, version);
	REFUSED(version, doca_buf_arr_set_params(array, mmap, 1, 0));
	OK(doca_buf_arr_destroy(array));
}

void other_refuses_inventory(struct doca_buf_inventory *inventory, const char *version)
{
	REFUSED(version, doca_buf_inventory_set_user_data(inventory, (union doca_data){.u64 = 1}));
	REFUSED(version, doca_buf_inventory_expand(inventory, 1));
}

void other_refuses_array(struct doca_buf_arr *array, struct doca_mmap *mmap, const char *version)
{
	REFUSED(version, doca_buf_arr_set_params(array, mmap, 8, 0));
}
