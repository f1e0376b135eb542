/* Execution of compression tasks: which memory the codec works on. */
#include <doca_compress.h>

#include "client/compress/compress.h"
#include "tests/unit/client/dma/fixture.h"

#define LEN 4096u

static uint8_t memory[2 * LEN];
static struct doca_pe *pe;
static struct doca_compress *compress_object;
static struct doca_ctx *ctx;
static struct doca_mmap *mmap;
static struct doca_buf_inventory *inventory;
static unsigned n_ok;
static const union doca_data no_data;

static void compressed(struct doca_compress_task_compress_deflate *task, union doca_data user_data,
		       union doca_data ctx_user_data)
{
	(void)user_data;
	(void)ctx_user_data;
	ck_ok(doca_task_get_status(doca_compress_task_compress_deflate_as_task(task)));
	n_ok++;
	doca_task_free(doca_compress_task_compress_deflate_as_task(task));
}

static void setup(void)
{
	unit_info.caps.compress_tasks = 15;
	unit_info.caps.compress_max_buf_size = LEN;
	unit_info.caps.compress_max_list_len = 4;
	unit_info.caps.compress_max_tasks = 16;
	unit_info.caps.export_pci = true;
	ck_ok(doca_pe_create(&pe));
	ck_ok(doca_compress_create(&unit_dev, &compress_object));
	ctx = doca_compress_as_ctx(compress_object);
	ck_ok(doca_compress_task_compress_deflate_set_conf(compress_object, compressed, compressed,
							   1));
	ck_ok(doca_pe_connect_ctx(pe, ctx));
	ck_ok(doca_ctx_start(ctx));
	mmap = unit_mmap(memory, sizeof(memory),
			 DOCA_ACCESS_FLAG_LOCAL_READ_WRITE | DOCA_ACCESS_FLAG_PCI_READ_WRITE);
	inventory = unit_inventory(8);
	memset(memory, 'x', LEN);
}

static void teardown(void)
{
	ck_ok(doca_ctx_stop(ctx));
	ck_ok(doca_compress_destroy(compress_object));
	ck_ok(doca_buf_inventory_destroy(inventory));
	ck_ok(doca_mmap_destroy(mmap));
	ck_ok(doca_pe_destroy(pe));
	export_has_shared_memory = false;
}

/* Compresses the first half of the memory into the second one. Returns whether the codec has read a
 * copy of the source. */
static bool reads_a_copy(void)
{
	struct doca_buf *src = unit_buf(inventory, mmap, memory, LEN, 0, LEN);
	struct doca_buf *dst = unit_buf(inventory, mmap, memory + LEN, LEN, 0, 0);
	struct doca_compress_task_compress_deflate *task;
	unsigned n = n_ok;

	memset(compress_object->bounce.src, 0, LEN);
	ck_ok(doca_compress_task_compress_deflate_alloc_init(compress_object, src, dst, no_data,
							     &task));
	ck_ok(doca_task_submit(doca_compress_task_compress_deflate_as_task(task)));
	unit_progress(pe);
	ck_assert_uint_eq(n_ok, n + 1);
	unit_put(src);
	unit_put(dst);
	return memcmp(compress_object->bounce.src, memory, LEN) == 0;
}

/* An importer may keep its mapping after the export has ended, so the end of an export does not
 * make the memory private again. There is no daemon, so that the export fails; the flag must be set
 * before the daemon knows the memory. */
START_TEST(exported_sources_are_copied)
{
	const void *desc;
	size_t len;

	ck_assert(!reads_a_copy());
	ck_assert(doca_mmap_export_pci(mmap, &unit_dev, &desc, &len) != DOCA_SUCCESS);
	ck_assert(reads_a_copy());
	ck_ok(doca_mmap_stop(mmap));
	ck_ok(doca_mmap_start(mmap));
	ck_assert(reads_a_copy());
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("client/compress/run");
	TCase *tcase = unit_case(suite, "run", UNIT_TIMEOUT_LONG);

	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_test(tcase, exported_sources_are_copied);
	return unit_run(suite);
}
