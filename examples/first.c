/* "first host" offers a text; "first dpu" copies it, and writes an answer into host memory. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <doca_buf.h>
#include <doca_buf_inventory.h>
#include <doca_ctx.h>
#include <doca_dev.h>
#include <doca_dma.h>
#include <doca_mmap.h>
#include <doca_pe.h>
#include <dococ.h>

#define LEN      64
#define CHECK(x) check(#x, x)

static void check(const char *call, doca_error_t result)
{
	if (result == DOCA_SUCCESS)
		return;
	fprintf(stderr, "%s\n  %s\n", call, dococ_last_error());
	exit(1);
}

static struct doca_dev *open_first_device(void)
{
	struct doca_devinfo **list;
	struct doca_dev *dev;
	uint32_t n_devs;

	CHECK(doca_devinfo_create_list(&list, &n_devs));
	if (n_devs == 0)
		exit(1);
	CHECK(doca_dev_open(list[0], &dev));
	CHECK(doca_devinfo_destroy_list(list));
	return dev;
}

static struct doca_mmap *map(struct doca_dev *dev, void *memory, uint32_t permissions)
{
	struct doca_mmap *mmap;

	CHECK(doca_mmap_create(&mmap));
	CHECK(doca_mmap_set_memrange(mmap, memory, LEN));
	CHECK(doca_mmap_set_permissions(mmap, permissions));
	CHECK(doca_mmap_add_dev(mmap, dev));
	CHECK(doca_mmap_start(mmap));
	return mmap;
}

static void host(struct doca_dev *dev)
{
	static volatile char text[LEN] = "Hello, DPU!";
	struct doca_mmap *mmap = map(dev, (void *)text, DOCA_ACCESS_FLAG_PCI_READ_WRITE);
	const void *export;
	size_t len;
	FILE *file;

	CHECK(doca_mmap_export_pci(mmap, dev, &export, &len));
	file = fopen("export.new", "wb");
	if (file == NULL || fwrite(export, len, 1, file) != 1 || fclose(file) != 0 ||
	    rename("export.new", "export") != 0)
		exit(1);
	while (text[0] == 'H') /* until the DPU side has written the answer */
		usleep(1000);
	printf("host memory now holds: %s\n", (const char *)text);
	remove("export");
}

static void done(struct doca_dma_task_memcpy *task, union doca_data is_done, union doca_data unused)
{
	(void)unused;
	check("copy", doca_task_get_status(doca_dma_task_memcpy_as_task(task)));
	*(int *)is_done.ptr = 1;
}

static void copy(struct doca_dma *dma, struct doca_pe *pe, struct doca_buf *from,
		 struct doca_buf *to)
{
	int is_done = 0;
	union doca_data user_data = {.ptr = &is_done};
	struct doca_dma_task_memcpy *task;

	CHECK(doca_dma_task_memcpy_alloc_init(dma, from, to, user_data, &task));
	CHECK(doca_task_submit(doca_dma_task_memcpy_as_task(task)));
	while (!is_done)
		doca_pe_progress(pe);
	doca_task_free(doca_dma_task_memcpy_as_task(task));
}

static void dpu(struct doca_dev *dev)
{
	static char text[LEN], export[512];
	struct doca_mmap *own = map(dev, text, DOCA_ACCESS_FLAG_LOCAL_READ_WRITE), *hosts;
	struct doca_buf_inventory *inventory;
	struct doca_buf *from, *to;
	struct doca_dma *dma;
	struct doca_pe *pe;
	void *address;
	size_t len;
	FILE *file;

	while ((file = fopen("export", "rb")) == NULL) /* until the host side has written it */
		usleep(1000);
	len = fread(export, 1, sizeof(export), file);
	CHECK(doca_mmap_create_from_export(NULL, export, len, dev, &hosts));
	CHECK(doca_mmap_get_memrange(hosts, &address, &len));
	CHECK(doca_buf_inventory_create(4, &inventory));
	CHECK(doca_buf_inventory_start(inventory));
	CHECK(doca_pe_create(&pe));
	CHECK(doca_dma_create(dev, &dma));
	CHECK(doca_dma_task_memcpy_set_conf(dma, done, done, 1));
	CHECK(doca_pe_connect_ctx(pe, doca_dma_as_ctx(dma)));
	CHECK(doca_ctx_start(doca_dma_as_ctx(dma)));

	CHECK(doca_buf_inventory_buf_get_by_data(inventory, hosts, address, LEN, &from));
	CHECK(doca_buf_inventory_buf_get_by_addr(inventory, own, text, LEN, &to));
	copy(dma, pe, from, to);
	printf("copied from the host: %s\n", text);

	strcpy(text, "Good morning, host!");
	CHECK(doca_buf_inventory_buf_get_by_data(inventory, own, text, LEN, &from));
	CHECK(doca_buf_inventory_buf_get_by_addr(inventory, hosts, address, LEN, &to));
	copy(dma, pe, from, to);
}

int main(int argc, char **argv)
{
	struct doca_dev *dev = open_first_device();

	if (argc > 1 && strcmp(argv[1], "host") == 0)
		host(dev);
	else
		dpu(dev);
	return 0; /* the end of the process releases everything */
}
