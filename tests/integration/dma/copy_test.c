/*
 * Copies between two processes of two sides, in both directions, checked by their contents at the
 * other end: every kind of memory, every transport, forced and chosen, sizes from 1 byte to 64 MiB,
 * odd addresses, lists, several importers, rights.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/lib/allocount.h"
#include "tests/lib/exporter.h"
#include "tests/lib/hot.h"
#include "tests/lib/runner.h"
#include "tests/lib/use.h"

#define MIB (1u << 20)

static struct lab lab;
static struct doca_dev *dev;
static struct use_dma use;

/* Makes this process a client of the DPU. */
static void setup(void)
{
	lab_setup_client(&lab, NULL, LAB_DPU);
}

static void teardown(void)
{
	lab_teardown(&lab);
}

static void importer_open(void)
{
	dev = use_dev(USE_DPU_P0);
	use_dma_open(&use, dev, 64);
}

static void importer_close(void)
{
	use_dma_close(&use);
	OK(doca_dev_close(dev));
}

static struct doca_mmap *import(const struct exported *from)
{
	struct doca_mmap *mmap;

	OK(doca_mmap_create_from_export(NULL, from->desc, from->desc_len, dev, &mmap));
	return mmap;
}

/* Copies [at, at + len) of the exporter there and back, with local memory of another alignment. */
static void copy_round_trip(struct exporter *exporter, struct doca_mmap *remote, size_t at,
			    size_t len)
{
	uint32_t seed = (uint32_t)(len * 3 + at);
	size_t skew = (at * 7 + 3) % 61;
	uint8_t *room = malloc(len + skew + 1), *mine = room + skew;
	struct doca_mmap *local = use_mmap(dev, mine, len + 1, DOCA_ACCESS_FLAG_LOCAL_READ_WRITE);
	uint8_t *theirs = exporter->exported.addr + at;

	mine[len] = 0x5a;
	exporter_fill(exporter, at, len, seed);
	EXPECT(DOCA_SUCCESS, use_copy(&use, remote, theirs, local, mine, len));
	ck_assert(use_is_filled(mine, len, seed));
	ck_assert_uint_eq(mine[len], 0x5a);
	use_fill(mine, len, seed + 1);
	EXPECT(DOCA_SUCCESS, use_copy(&use, local, mine, remote, theirs, len));
	ck_assert(exporter_is_filled(exporter, at, len, seed + 1));
	use_mmap_end(local);
	free(room);
}

/* Checking each byte takes long with a sanitizer. */
#ifdef DOCO_SANITIZED
#define LARGE (8 * MIB)
#else
#define LARGE (64 * MIB)
#endif

struct kind {
	const char *name;
	enum exporter_memory memory;
	size_t len, skew;
	const char *transport; /* the chosen transport */
};

static const struct kind kinds[] = {
	{"malloc", MEMORY_MALLOC, LARGE, 13, "pvm"},
	{"stack", MEMORY_STACK, EXPORTER_STACK_LEN - 64, 7, "pvm"},
	{"static", MEMORY_STATIC, MIB, 0, "pvm"},
	{"file", MEMORY_FILE, MIB, 4095, "pvm"},
	{"huge pages", MEMORY_HUGE, 2 * MIB, 0, "pvm"},
	{"huge pages, odd", MEMORY_HUGE, 4 * MIB - 100, 33, "pvm"},
	{"memfd", MEMORY_MEMFD, LARGE, 0, "shm"},
	{"memfd, odd", MEMORY_MEMFD, MIB, 4097, "shm"},
	{"mapped memfd", MEMORY_MAPPED, LARGE, 0, "shm"},
	{"mapped memfd, odd", MEMORY_MAPPED, MIB, 4095, "shm"},
	{"dococ", MEMORY_DOCOC, 4 * MIB, 0, "shm"},
	{"dococ, odd", MEMORY_DOCOC, MIB, 33, "shm"},
	{"tmpfs", MEMORY_TMPFS, LARGE, 0, "file"},
	{"tmpfs, odd", MEMORY_TMPFS, MIB, 4095, "file"},
};

static void check_kind(const struct kind *kind, const char *forced)
{
	static const size_t sizes[] = {1, 2, 63, 64, 4095, 4097, 65536, 1000003, LARGE};
	struct exporter_options options = {.memory = kind->memory,
					   .len = kind->len,
					   .skew = kind->skew,
					   .permissions = DOCA_ACCESS_FLAG_PCI_READ_WRITE};
	struct exporter exporter;
	struct doca_mmap *remote;
	void *addr;
	size_t len;

	if (kind->memory == MEMORY_MAPPED || kind->memory == MEMORY_TMPFS)
		setenv("DOCOCORED_ADOPT", "always", 1);
	/* Also affects the exporter, because an RDMA device may have to access its memory. */
	if (forced != NULL)
		setenv("DOCOCORED_TRANSPORT", forced, 1);
	exporter_start(&exporter, &lab, &options);
	importer_open();
	remote = import(&exporter.exported);
	ck_assert_str_eq(dococ_mmap_get_transport(remote),
			 forced == NULL ? kind->transport : forced);
	OK(doca_mmap_get_memrange(remote, &addr, &len));
	ck_assert_ptr_eq(addr, exporter.exported.addr);
	ck_assert_uint_eq(len, kind->len);
	for (size_t i = 0; i < ARRAY_LEN(sizes) && sizes[i] <= kind->len; i++) {
		/* Large sizes are tested only once per kind. */
		if (sizes[i] > 4 * MIB && forced != NULL)
			continue;
		copy_round_trip(&exporter, remote, 0, sizes[i]);
		if (sizes[i] < kind->len)
			copy_round_trip(&exporter, remote, kind->len - sizes[i], sizes[i]);
		if (sizes[i] + 17 <= kind->len)
			copy_round_trip(&exporter, remote, 17, sizes[i]);
	}
	use_mmap_end(remote);
	importer_close();
	exporter_end(&exporter);
}

START_TEST(test_kind)
{
	check_kind(&kinds[_i], NULL);
}
END_TEST

/* Private memory is moved into a memfd while it is exported, with the pages at its ends. */
static const struct kind adopted[] = {
	{"malloc", MEMORY_MALLOC, LARGE, 13, "shm"},
	{"static", MEMORY_STATIC, MIB - 100, 33, "shm"},
	{"mmap", MEMORY_MMAP, MIB, 0, "shm"},
	{"stack", MEMORY_STACK, EXPORTER_STACK_LEN - 64, 7, "pvm"},
};

START_TEST(test_adopted)
{
	setenv("DOCOCORED_ADOPT", "always", 1);
	check_kind(&adopted[_i], NULL);
	unsetenv("DOCOCORED_ADOPT");
}
END_TEST

/* The pages return to the program when the map stops, and can be exported again. */
START_TEST(test_adopted_again)
{
	struct exporter_options options = {
		.memory = MEMORY_MALLOC, .len = MIB, .permissions = DOCA_ACCESS_FLAG_PCI_READ_ONLY};
	struct doca_mmap *remote;
	struct exporter exporter;

	setenv("DOCOCORED_ADOPT", "always", 1);
	exporter_start(&exporter, &lab, &options);
	importer_open();
	for (unsigned i = 0; i < 3; i++) {
		remote = import(&exporter.exported);
		ck_assert_str_eq(dococ_mmap_get_transport(remote), "shm");
		use_mmap_end(remote);
		exporter_fill(&exporter, 0, MIB, i);
		exporter_stop_map(&exporter);
		ck_assert(exporter_is_filled(&exporter, 0, MIB, i));
		exporter_export_again(&exporter);
	}
	importer_close();
	exporter_end(&exporter);
	unsetenv("DOCOCORED_ADOPT");
}
END_TEST

/* Memory that can be mapped is also accessible by the other transport. */
START_TEST(test_forced_pvm)
{
	check_kind(&kinds[5], "pvm");
}
END_TEST

START_TEST(test_forced_shm)
{
	check_kind(&kinds[6], "shm");
}
END_TEST

/* Uses requests to an RDMA device; this machine provides its own if there is no other. */
START_TEST(test_posted)
{
	check_kind(&kinds[_i], "verbs");
}
END_TEST

static const void *order[8];
static unsigned n_order;

static void on_copied(struct doca_dma_task_memcpy *task, union doca_data task_user_data,
		      union doca_data ctx_user_data)
{
	order[n_order++ % ARRAY_LEN(order)] = doca_dma_task_memcpy_as_task(task);
	use_dma_ok_cb(task, task_user_data, ctx_user_data);
}

/* Copies that need no request wait for those that do, if the context is configured so. */
START_TEST(test_posted_in_order)
{
	struct exporter_options options = {.memory = MEMORY_MALLOC,
					   .len = MIB,
					   .permissions = DOCA_ACCESS_FLAG_PCI_READ_WRITE};
	static uint8_t mine[2 * MIB];
	struct doca_buf *src[6], *dst[6];
	struct doca_mmap *remote, *local;
	struct exporter exporter;
	const void *tasks[6];

	setenv("DOCOCORED_TRANSPORT", "verbs", 1);
	exporter_start(&exporter, &lab, &options);
	dev = use_dev(USE_DPU_P0);
	use_dma_open(&use, dev, 64);
	OK(doca_ctx_stop(use.ctx));
	OK(doca_dma_set_ordered_completions(use.dma, 1));
	OK(doca_dma_task_memcpy_set_conf(use.dma, on_copied, use_dma_err_cb, 64));
	OK(doca_ctx_start(use.ctx));
	use.keep_tasks = true;
	remote = import(&exporter.exported);
	local = use_mmap(dev, mine, sizeof(mine), DOCA_ACCESS_FLAG_LOCAL_READ_WRITE);
	use_fill(mine + MIB, 6 * 64, 5);
	for (unsigned i = 0; i < 6; i++) {
		bool posted = i % 2 == 0;
		uint8_t *from = posted ? exporter.exported.addr + i * 1000 : mine + MIB + i * 64;
		struct doca_task *task;

		src[i] = use_src(&use, posted ? remote : local, from, posted ? 500000 : 64);
		dst[i] = use_dst(&use, local, mine + i * 64 + (posted ? 0 : MIB + 4096),
				 posted ? 500000 : 64);
		task = use_task(&use, src[i], dst[i]);
		tasks[i] = task;
		OK(doca_task_submit(task));
	}
	use_dma_await(&use, 6);
	ck_assert_uint_eq(use.n_ok, 6);
	for (unsigned i = 0; i < 6; i++) {
		ck_assert_msg(order[i] == tasks[i], "copy %u came at another's place", i);
		doca_task_free((struct doca_task *)(uintptr_t)tasks[i]);
		use_buf_end(src[i]);
		use_buf_end(dst[i]);
	}
	use_mmap_end(remote);
	use_mmap_end(local);
	importer_close();
	exporter_end(&exporter);
}
END_TEST

START_TEST(test_forced_is_refused)
{
	struct exporter_options options = {.memory = MEMORY_MALLOC,
					   .len = 100,
					   .permissions = DOCA_ACCESS_FLAG_PCI_READ_WRITE};
	struct doca_mmap *remote;
	struct exporter exporter;

	exporter_start(&exporter, &lab, &options);
	importer_open();
	setenv("DOCOCORED_TRANSPORT", "shm", 1);
	EXPECT(DOCA_ERROR_NOT_SUPPORTED,
	       doca_mmap_create_from_export(NULL, exporter.exported.desc,
					    exporter.exported.desc_len, dev, &remote));
	setenv("DOCOCORED_TRANSPORT", "local", 1);
	EXPECT(DOCA_ERROR_NOT_SUPPORTED,
	       doca_mmap_create_from_export(NULL, exporter.exported.desc,
					    exporter.exported.desc_len, dev, &remote));
	setenv("DOCOCORED_TRANSPORT", "pigeon", 1);
	EXPECT(DOCA_ERROR_INVALID_VALUE,
	       doca_mmap_create_from_export(NULL, exporter.exported.desc,
					    exporter.exported.desc_len, dev, &remote));
	unsetenv("DOCOCORED_TRANSPORT");
	remote = import(&exporter.exported);
	/* Reasons against the preferred transports. */
	ck_assert_ptr_nonnull(strstr(dococ_mmap_get_transport_rejections(remote), "local: "));
	ck_assert_ptr_nonnull(strstr(dococ_mmap_get_transport_rejections(remote), "shm: "));
	use_mmap_end(remote);
	importer_close();
	exporter_end(&exporter);
}
END_TEST

/* One process on one side: an export for RDMA, imported by its exporter. */
START_TEST(test_local)
{
	static uint8_t memory[8192], other[8192];
	struct doca_mmap *exported, *imported, *local;
	const void *desc;
	size_t len;

	if (_i == 1)
		setenv("DOCOCORED_TRANSPORT", "local", 1);
	importer_open();
	exported = use_mmap(dev, memory, sizeof(memory),
			    DOCA_ACCESS_FLAG_RDMA_READ | DOCA_ACCESS_FLAG_RDMA_WRITE);
	local = use_mmap(dev, other, sizeof(other), DOCA_ACCESS_FLAG_LOCAL_READ_WRITE);
	OK(doca_mmap_export_rdma(exported, dev, &desc, &len));
	OK(doca_mmap_create_from_export(NULL, desc, len, dev, &imported));
	ck_assert_str_eq(dococ_mmap_get_transport(imported), "local");
	use_fill(memory, 8192, 4);
	EXPECT(DOCA_SUCCESS, use_copy(&use, imported, memory + 1, local, other, 8000));
	ck_assert_mem_eq(other, memory + 1, 8000);
	/* Revocation works here, too. */
	OK(doca_mmap_stop(exported));
	EXPECT(DOCA_ERROR_IO_FAILED, use_copy(&use, imported, memory, local, other, 10));
	use_mmap_end(imported);
	use_mmap_end(exported);
	use_mmap_end(local);
	importer_close();
}
END_TEST

/* Through the kernel into this process itself: source and destination may overlap. */
START_TEST(test_overlap_in_one_process)
{
	enum { LEN = 1 << 20 };
	static const struct {
		size_t from, to, len;
	} cases[] = {
		{0, 1, 8000},    {1, 0, 8000},    {0, 4096, 600000},  {4096, 0, 600000},
		{100, 100, 900}, {0, 63, 300000}, {7, 70000, 900000}, {70000, 7, 900000},
	};
	uint8_t *memory = malloc(LEN), *shadow = malloc(LEN);
	struct doca_mmap *exported, *imported;
	const void *desc;
	size_t len;

	ck_assert(memory != NULL && shadow != NULL);
	setenv("DOCOCORED_TRANSPORT", "pvm", 1);
	importer_open();
	exported = use_mmap(dev, memory, LEN,
			    DOCA_ACCESS_FLAG_LOCAL_READ_WRITE | DOCA_ACCESS_FLAG_RDMA_READ |
				    DOCA_ACCESS_FLAG_RDMA_WRITE);
	OK(doca_mmap_export_rdma(exported, dev, &desc, &len));
	OK(doca_mmap_create_from_export(NULL, desc, len, dev, &imported));
	ck_assert_str_eq(dococ_mmap_get_transport(imported), "pvm");
	for (size_t i = 0; i < 2 * ARRAY_LEN(cases); i++) {
		size_t from = cases[i / 2].from, to = cases[i / 2].to;

		use_fill(memory, LEN, (uint32_t)i);
		memcpy(shadow, memory, LEN);
		memmove(shadow + to, shadow + from, cases[i / 2].len);
		/* The import as source, or as destination. */
		EXPECT(DOCA_SUCCESS,
		       use_copy(&use, i % 2 == 0 ? imported : exported, memory + from,
				i % 2 == 0 ? exported : imported, memory + to, cases[i / 2].len));
		ck_assert_msg(memcmp(memory, shadow, LEN) == 0, "case %zu", i);
	}
	use_mmap_end(imported);
	use_mmap_end(exported);
	importer_close();
	free(shadow);
	free(memory);
}
END_TEST

/* Lists on both ends, also from one remote map to another. */
static void check_lists(const struct exporter_options *a, const struct exporter_options *b)
{
	struct exporter from, to;
	struct doca_mmap *src_map, *dst_map;

	exporter_start(&from, &lab, a);
	exporter_start(&to, &lab, b);
	importer_open();
	src_map = import(&from.exported);
	dst_map = import(&to.exported);
	for (unsigned n = 1; n < 6; n++) {
		size_t len = 30000, part = len / n, at = 0;
		struct doca_buf *src = NULL, *dst = NULL, *buf;

		exporter_fill(&from, 0, len, n);
		exporter_fill(&to, 0, len, 99);
		for (unsigned i = 0; i < n; i++, at += part) {
			buf = use_src(&use, src_map, from.exported.addr + at,
				      i + 1 == n ? len - at : part);
			if (src == NULL)
				src = buf;
			else
				OK(doca_buf_chain_list(src, buf));
		}
		dst = use_dst(&use, dst_map, to.exported.addr, 12345);
		buf = use_dst(&use, dst_map, to.exported.addr + 12345, len - 12345);
		OK(doca_buf_chain_list(dst, buf));
		OK(doca_task_submit(use_task(&use, src, dst)));
		use_dma_await(&use, n);
		EXPECT(DOCA_SUCCESS, use.status);
		ck_assert(exporter_is_filled(&to, 0, len, n));
		use_buf_end(src);
		use_buf_end(dst);
	}
	use_mmap_end(src_map);
	use_mmap_end(dst_map);
	importer_close();
	exporter_end(&from);
	exporter_end(&to);
}

START_TEST(test_lists)
{
	struct exporter_options a = {.memory = _i & 1 ? MEMORY_MALLOC : MEMORY_DOCOC,
				     .len = 30000,
				     .permissions = DOCA_ACCESS_FLAG_PCI_READ_ONLY};
	struct exporter_options b = {.memory = _i & 2 ? MEMORY_STATIC : MEMORY_MEMFD,
				     .len = 30000,
				     .permissions = DOCA_ACCESS_FLAG_PCI_READ_WRITE};

	check_lists(&a, &b);
}
END_TEST

/* Many small tasks at once: they are batched, and each gets its own completion. */
START_TEST(test_batches)
{
	struct exporter_options options = {.memory = _i == 0 ? MEMORY_MALLOC : MEMORY_MEMFD,
					   .len = 64 * 64,
					   .permissions = DOCA_ACCESS_FLAG_PCI_READ_WRITE};
	uint8_t mine[64 * 64];
	struct doca_buf *src[64], *dst[64];
	struct doca_mmap *remote, *local;
	struct exporter exporter;

	exporter_start(&exporter, &lab, &options);
	importer_open();
	remote = import(&exporter.exported);
	local = use_mmap(dev, mine, sizeof(mine), DOCA_ACCESS_FLAG_LOCAL_READ_WRITE);
	memset(mine, 0, sizeof(mine));
	for (int i = 0; i < 64; i++) {
		src[i] = use_src(&use, remote, exporter.exported.addr + i * 64, 64);
		dst[i] = use_dst(&use, local, mine + i * 64, 64);
		OK(doca_task_submit(use_task(&use, src[i], dst[i])));
	}
	use_dma_await(&use, 64);
	ck_assert_uint_eq(use.n_ok, 64);
	ck_assert(use_is_filled(mine, sizeof(mine), 1));
	use_fill(mine, sizeof(mine), 2);
	for (int i = 0; i < 64; i++) {
		OK(doca_buf_reset_data_len(src[i]));
		OK(doca_task_submit(use_task(&use, dst[i], src[i])));
	}
	use_dma_await(&use, 128);
	ck_assert_uint_eq(use.n_ok, 128);
	ck_assert(exporter_is_filled(&exporter, 0, 64 * 64, 2));
	for (int i = 0; i < 64; i++) {
		use_buf_end(src[i]);
		use_buf_end(dst[i]);
	}
	use_mmap_end(remote);
	use_mmap_end(local);
	importer_close();
	exporter_end(&exporter);
}
END_TEST

static void other_importer(int sock, void *arg)
{
	struct exporter *exporter = arg;
	uint8_t mine[1000];
	struct doca_mmap *remote, *local;

	importer_open();
	remote = import(&exporter->exported);
	local = use_mmap(dev, mine, sizeof(mine), DOCA_ACCESS_FLAG_LOCAL_READ_WRITE);
	EXPECT(DOCA_SUCCESS,
	       use_copy(&use, remote, exporter->exported.addr, local, mine, sizeof(mine)));
	ck_assert(use_is_filled(mine, sizeof(mine), 1));
	lab_signal(sock);
	lab_wait(sock);
	use_mmap_end(remote);
	use_mmap_end(local);
	importer_close();
}

START_TEST(test_several_importers)
{
	struct exporter_options options = {.memory = _i == 0 ? MEMORY_MALLOC : MEMORY_DOCOC,
					   .len = 1000,
					   .permissions = DOCA_ACCESS_FLAG_PCI_READ_ONLY};
	struct lab_child importers[5];
	struct exporter exporter;

	exporter_start(&exporter, &lab, &options);
	for (size_t i = 0; i < ARRAY_LEN(importers); i++)
		importers[i] = lab_fork(&lab, LAB_DPU, other_importer, &exporter);
	for (size_t i = 0; i < ARRAY_LEN(importers); i++)
		lab_wait(importers[i].sock);
	lab_await(&lab, LAB_DPU, LAB_IMPORTS, ARRAY_LEN(importers), 2000);
	for (size_t i = 0; i < ARRAY_LEN(importers); i++) {
		lab_signal(importers[i].sock);
		lab_join(&importers[i]);
	}
	lab_await(&lab, LAB_DPU, LAB_IMPORTS, 0, 2000);
	exporter_end(&exporter);
	lab_await(&lab, LAB_HOST, LAB_EXPORTS, 0, 2000);
}
END_TEST

START_TEST(test_read_only)
{
	struct exporter_options options = {.memory = _i == 0 ? MEMORY_MALLOC : MEMORY_DOCOC,
					   .len = 5000,
					   .permissions = DOCA_ACCESS_FLAG_PCI_READ_ONLY};
	uint8_t mine[100] = {1, 2, 3};
	struct doca_mmap *remote, *local;
	struct exporter exporter;

	exporter_start(&exporter, &lab, &options);
	importer_open();
	remote = import(&exporter.exported);
	local = use_mmap(dev, mine, sizeof(mine), DOCA_ACCESS_FLAG_LOCAL_READ_WRITE);
	EXPECT(DOCA_ERROR_NOT_PERMITTED,
	       use_copy(&use, local, mine, remote, exporter.exported.addr, sizeof(mine)));
	ck_assert(exporter_is_filled(&exporter, 0, 5000, 1));
	EXPECT(DOCA_SUCCESS,
	       use_copy(&use, remote, exporter.exported.addr, local, mine, sizeof(mine)));
	ck_assert(use_is_filled(mine, sizeof(mine), 1));
	use_mmap_end(remote);
	use_mmap_end(local);
	importer_close();
	exporter_end(&exporter);
}
END_TEST

/* No allocation and no lock, with any transport. */
START_TEST(test_no_allocation)
{
	struct exporter_options options = {.memory = _i == 0 ? MEMORY_MALLOC : MEMORY_MEMFD,
					   .len = 4096,
					   .permissions = DOCA_ACCESS_FLAG_PCI_READ_WRITE};
	struct doca_mmap *remote, *local;
	struct exporter exporter;
	uint8_t mine[4096];

	exporter_start(&exporter, &lab, &options);
	importer_open();
	remote = import(&exporter.exported);
	local = use_mmap(dev, mine, sizeof(mine), DOCA_ACCESS_FLAG_LOCAL_READ_WRITE);
	hot_begin();
	for (unsigned i = 0; i < 2000; i++) {
		struct doca_buf *src[32], *dst[32];

		for (unsigned j = 0; j < 32; j++) {
			src[j] = use_src(&use, remote, exporter.exported.addr + j * 64, 64);
			dst[j] = use_dst(&use, local, mine + j * 64, 64);
			OK(doca_task_submit(use_task(&use, src[j], dst[j])));
		}
		while (doca_pe_progress(use.pe))
			continue;
		for (unsigned j = 0; j < 32; j++) {
			OK(doca_buf_dec_refcount(src[j], NULL));
			OK(doca_buf_dec_refcount(dst[j], NULL));
		}
	}
	hot_end();
	ck_assert_uint_eq(use.n_ok, 2000 * 32);
	use_mmap_end(remote);
	use_mmap_end(local);
	importer_close();
	exporter_end(&exporter);
}
END_TEST

static void add_cases(Suite *suite)
{
	TCase *tcase = tcase_create("copy");

	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_set_timeout(tcase, RUNNER_TEST_S);
	suite_add_tcase(suite, tcase);
	tcase_add_loop_test(tcase, test_kind, 0, ARRAY_LEN(kinds));
	tcase_add_loop_test(tcase, test_adopted, 0, ARRAY_LEN(adopted));
	tcase_add_test(tcase, test_adopted_again);
	tcase_add_test(tcase, test_forced_pvm);
	tcase_add_test(tcase, test_forced_shm);
	tcase_add_loop_test(tcase, test_posted, 0, ARRAY_LEN(kinds));
	tcase_add_test(tcase, test_posted_in_order);
	tcase_add_test(tcase, test_forced_is_refused);
	tcase_add_loop_test(tcase, test_local, 0, 2);
	tcase_add_test(tcase, test_overlap_in_one_process);
	tcase_add_loop_test(tcase, test_lists, 0, 4);
	tcase_add_loop_test(tcase, test_batches, 0, 2);
	tcase_add_loop_test(tcase, test_several_importers, 0, 2);
	tcase_add_loop_test(tcase, test_read_only, 0, 2);
	tcase_add_loop_test(tcase, test_no_allocation, 0, 2);
}

int main(void)
{
	lab_require();
	return runner_main("copy", add_cases, NULL);
}
