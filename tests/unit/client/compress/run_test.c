/* Execution of compression tasks: which memory the codec works on, and what of it stays. */
#include <sys/mman.h>
#include <unistd.h>

#include <doca_compress.h>

#include "client/compress/compress.h"
#include "tests/unit/client/dma/fixture.h"

#define LEN  4096u
#define LONG (12u << 20)

static uint8_t memory[2 * LONG];
static struct doca_pe *pe;
static struct doca_compress *compress_object;
static struct doca_ctx *ctx;
static struct doca_mmap *map;
static struct doca_buf_inventory *inventory;
static unsigned n_ok, n_failed;
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

static void decompressed(struct doca_compress_task_decompress_deflate *task,
			 union doca_data user_data, union doca_data ctx_user_data)
{
	struct doca_task *base = doca_compress_task_decompress_deflate_as_task(task);

	(void)user_data;
	(void)ctx_user_data;
	n_ok += doca_task_get_status(base) == DOCA_SUCCESS;
	n_failed += doca_task_get_status(base) != DOCA_SUCCESS;
	doca_task_free(base);
}

static void setup(void)
{
	unit_info.caps.compress_tasks = 15;
	unit_info.caps.compress_max_buf_size = LONG;
	unit_info.caps.compress_max_list_len = 4;
	unit_info.caps.compress_max_tasks = 16;
	unit_info.caps.export_pci = true;
	ck_ok(doca_pe_create(&pe));
	ck_ok(doca_compress_create(&unit_dev, &compress_object));
	ctx = doca_compress_as_ctx(compress_object);
	ck_ok(doca_compress_task_compress_deflate_set_conf(compress_object, compressed, compressed,
							   1));
	ck_ok(doca_compress_task_decompress_deflate_set_conf(compress_object, decompressed,
							     decompressed, 1));
	ck_ok(doca_pe_connect_ctx(pe, ctx));
	ck_ok(doca_ctx_start(ctx));
	map = unit_mmap(memory, sizeof(memory),
			DOCA_ACCESS_FLAG_LOCAL_READ_WRITE | DOCA_ACCESS_FLAG_PCI_READ_WRITE);
	inventory = unit_inventory(8);
	memset(memory, 'x', LEN);
}

static void teardown(void)
{
	ck_ok(doca_ctx_stop(ctx));
	ck_ok(doca_compress_destroy(compress_object));
	ck_ok(doca_buf_inventory_destroy(inventory));
	ck_ok(doca_mmap_destroy(map));
	ck_ok(doca_pe_destroy(pe));
	export_has_shared_memory = false;
}

static void compress_run(struct doca_buf *src, struct doca_buf *dst)
{
	struct doca_compress_task_compress_deflate *task;
	unsigned n = n_ok;

	ck_ok(doca_compress_task_compress_deflate_alloc_init(compress_object, src, dst, no_data,
							     &task));
	ck_ok(doca_task_submit(doca_compress_task_compress_deflate_as_task(task)));
	unit_progress(pe);
	ck_assert_uint_eq(n_ok, n + 1);
}

static void decompress_run(struct doca_buf *src, struct doca_buf *dst)
{
	struct doca_compress_task_decompress_deflate *task;

	ck_ok(doca_compress_task_decompress_deflate_alloc_init(compress_object, src, dst, no_data,
							       &task));
	ck_ok(doca_task_submit(doca_compress_task_decompress_deflate_as_task(task)));
	unit_progress(pe);
}

/* Compresses a source. Returns whether the codec has read a copy of it. */
static bool reads_a_copy(void)
{
	struct doca_buf *src = unit_buf(inventory, map, memory, LEN, 0, LEN);
	struct doca_buf *dst = unit_buf(inventory, map, memory + LEN, LEN, 0, 0);

	memset(compress_object->in.bytes, 0, LEN);
	compress_run(src, dst);
	unit_put(src);
	unit_put(dst);
	return memcmp(compress_object->in.bytes, memory, LEN) == 0;
}

/* An importer may keep its mapping after the export has ended, so the end of an export does not
 * make the memory private again. There is no daemon, so that the export fails; the flag must be set
 * before the daemon knows the memory. */
START_TEST(exported_sources_are_copied)
{
	const void *desc;
	size_t len;

	ck_assert(!reads_a_copy());
	ck_assert(doca_mmap_export_pci(map, &unit_dev, &desc, &len) != DOCA_SUCCESS);
	ck_assert(reads_a_copy());
	ck_ok(doca_mmap_stop(map));
	ck_ok(doca_mmap_start(map));
	ck_assert(reads_a_copy());
}
END_TEST

static size_t n_resident_in(const struct bounce *bounce)
{
	static unsigned char pages[1u << 16];
	size_t page = (size_t)sysconf(_SC_PAGESIZE), sum = 0;

	ck_assert_uint_le(bounce->len / page, sizeof(pages));
	ck_assert_int_eq(mincore(bounce->bytes, bounce->len, pages), 0);
	for (size_t i = 0; i < bounce->len / page; i++)
		sum += (pages[i] & 1) * page;
	return sum;
}

static size_t n_resident(void)
{
	return n_resident_in(&compress_object->in) + n_resident_in(&compress_object->out);
}

/* A list is copied through the bounce memory, whose pages must not stay. */
START_TEST(long_data_gives_its_memory_back)
{
	struct doca_buf *src, *packed, *dst;

	src = unit_chain(unit_buf(inventory, map, memory, LONG - 1, 0, LONG - 1),
			 unit_buf(inventory, map, memory + LONG - 1, 1, 0, 1));
	packed = unit_buf(inventory, map, memory + LONG, LONG, 0, 0);
	compress_run(src, packed);
	ck_assert_uint_le(n_resident(), 5u << 20);
	dst = unit_chain(unit_buf(inventory, map, memory, LONG - 1, 0, 0),
			 unit_buf(inventory, map, memory + LONG - 1, 1, 0, 0));
	decompress_run(packed, dst);
	ck_assert_uint_eq(n_failed, 0);
	ck_assert_uint_eq(unit_data_len(dst), LONG);
	ck_assert_uint_le(n_resident(), 9u << 20);
	unit_put(dst);
	/* The output does not fit. */
	dst = unit_chain(unit_buf(inventory, map, memory, LONG - 2, 0, 0),
			 unit_buf(inventory, map, memory + LONG - 1, 1, 0, 0));
	decompress_run(packed, dst);
	ck_assert_uint_eq(n_failed, 1);
	ck_assert_uint_le(n_resident(), 9u << 20);
	unit_put(src);
	unit_put(packed);
	unit_put(dst);
}
END_TEST

/* The limit of the device is not reserved, only what the tasks need. */
START_TEST(address_space_grows_with_the_data)
{
	struct doca_buf *src, *dst;

	ck_assert_uint_le(compress_object->in.len + compress_object->out.len, 9u << 20);
	src = unit_chain(unit_buf(inventory, map, memory, LONG - 1, 0, LONG - 1),
			 unit_buf(inventory, map, memory + LONG - 1, 1, 0, 1));
	dst = unit_buf(inventory, map, memory + LONG, LONG, 0, 0);
	compress_run(src, dst);
	ck_assert_uint_ge(compress_object->in.len, LONG);
	ck_assert_uint_le(compress_object->out.len, 5u << 20);
	unit_put(src);
	unit_put(dst);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("client/compress/run");
	TCase *tcase = unit_case(suite, "run", UNIT_TIMEOUT_LONG);

	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_test(tcase, exported_sources_are_copied);
	tcase_add_test(tcase, long_data_gives_its_memory_back);
	tcase_add_test(tcase, address_space_grows_with_the_data);
	return unit_run(suite);
}
