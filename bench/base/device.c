/* See bench/base/device.h. */
#include "bench/base/device.h"

#include <sys/mman.h>

#include <dococ.h>

struct doca_dev *device_open(device_cap_t cap, const char *what)
{
	doca_error_t result = DOCA_ERROR_NOT_FOUND;
	struct doca_devinfo **list;
	struct doca_dev *dev;
	uint32_t n, n_able = 0, i;

	bench_check(doca_devinfo_create_list(&list, &n), "list the devices");
	for (i = 0; i < n && result != DOCA_SUCCESS; i++) {
		if (cap(list[i]) != DOCA_SUCCESS)
			continue;
		n_able++;
		result = doca_dev_open(list[i], &dev);
	}
	doca_devinfo_destroy_list(list);
	if (n_able == 0)
		bench_die("%s: side %s has no device for that, of %u devices: see doca-admin "
			  "devices --side %s",
			  what, bench_our_side(), n, bench_our_side());
	bench_check(result, what);
	return dev;
}

struct doca_dev_rep *device_rep_open(struct doca_dev *dev)
{
	doca_error_t result = DOCA_ERROR_NOT_FOUND;
	struct doca_devinfo_rep **list;
	struct doca_dev_rep *rep;
	uint32_t n;

	bench_check(doca_devinfo_rep_create_list(dev, DOCA_DEVINFO_REP_FILTER_NET, &list, &n),
		    "list the representors");
	if (n > 0)
		result = doca_dev_rep_open(list[0], &rep);
	doca_devinfo_rep_destroy_list(list);
	if (n == 0)
		bench_die("open a representor: side %s has none that is present under the device "
			  "that serves: see doca-admin representors --side %s",
			  bench_our_side(), bench_our_side());
	bench_check(result, "open a representor");
	return rep;
}

void *device_memory_new(enum bench_transport transport, size_t len)
{
	uint8_t *memory;
	void *addr;
	size_t i;

	if (transport == TRANSPORT_SHM) {
		MUST(dococ_mem_alloc(len, &addr, NULL));
	} else {
		addr = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (addr == MAP_FAILED)
			bench_die("no memory for %zu bytes", len);
	}
	memory = addr;
	for (i = 0; i < len; i++)
		memory[i] = device_pattern(i);
	return addr;
}

struct doca_mmap *device_map_new(struct doca_dev *dev, void *addr, size_t len, uint32_t rights)
{
	struct doca_mmap *map;

	MUST(doca_mmap_create(&map));
	MUST(doca_mmap_set_memrange(map, addr, len));
	MUST(doca_mmap_set_permissions(map, rights));
	MUST(doca_mmap_add_dev(map, dev));
	MUST(doca_mmap_start(map));
	return map;
}

struct doca_buf *device_buf_new(struct doca_buf_inventory *inventory, struct doca_mmap *map,
				uint64_t addr, size_t len, bool has_data)
{
	void *p = (void *)(uintptr_t)addr;
	struct doca_buf *buf;

	if (has_data)
		MUST(doca_buf_inventory_buf_get_by_data(inventory, map, p, len, &buf));
	else
		MUST(doca_buf_inventory_buf_get_by_addr(inventory, map, p, len, &buf));
	return buf;
}

struct doca_buf_inventory *device_inventory_new(size_t n)
{
	struct doca_buf_inventory *inventory;

	MUST(doca_buf_inventory_create(n, &inventory));
	MUST(doca_buf_inventory_start(inventory));
	return inventory;
}

void device_ctx_start(struct doca_ctx *ctx, struct doca_pe *pe, void *user_data)
{
	doca_error_t result;

	MUST(doca_pe_connect_ctx(pe, ctx));
	MUST(doca_ctx_set_user_data(ctx, (union doca_data){.ptr = user_data}));
	result = doca_ctx_start(ctx);
	if (result != DOCA_ERROR_IN_PROGRESS)
		bench_check(result, "start a context");
}
