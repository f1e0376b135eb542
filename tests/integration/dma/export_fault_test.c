/*
 * Exports with invalid input and faults: revoked, killed, unmapped, damaged, forged, imported by
 * the wrong process. Each time a clear error, no hang, no object left in the daemons, and no other
 * process affected.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/lib/exporter.h"
#include "tests/lib/runner.h"
#include "tests/lib/use.h"
#include "util/export_descriptor.h"

#define LEN 20000u

static struct lab lab;
static struct doca_dev *dev;
static struct use_dma use;
static struct exporter exporter;
static struct doca_mmap *remote, *local;
static uint8_t mine[LEN];

static const enum exporter_memory memories[] = {MEMORY_MMAP, MEMORY_MEMFD};

/* Starts an exporter of the host; this process is a client of the DPU with an import. */
static void set_up_with(enum exporter_memory memory)
{
	struct exporter_options options = {
		.memory = memory, .len = LEN, .permissions = DOCA_ACCESS_FLAG_PCI_READ_WRITE};

	exporter_start(&exporter, &lab, &options);
	dev = use_dev(USE_DPU_P0);
	use_dma_open(&use, dev, 64);
	local = use_mmap(dev, mine, sizeof(mine), DOCA_ACCESS_FLAG_LOCAL_READ_WRITE);
	OK(doca_mmap_create_from_export(NULL, exporter.exported.desc, exporter.exported.desc_len,
					dev, &remote));
}

static void setup(void)
{
	lab_setup_client(&lab, NULL, LAB_DPU);
}

static void teardown(void)
{
	if (remote != NULL)
		use_mmap_end(remote);
	if (local != NULL) {
		use_mmap_end(local);
		use_dma_close(&use);
		OK(doca_dev_close(dev));
	}
	if (exporter.child.pid != 0)
		exporter_end(&exporter);
	/* All objects are released, and both sides notice it within a second. */
	lab_await(&lab, LAB_HOST, LAB_EXPORTS, 0, 1000);
	lab_await(&lab, LAB_DPU, LAB_IMPORTS, 0, 1000);
	lab_teardown(&lab);
}

static doca_error_t read_remote(void)
{
	return use_copy(&use, remote, exporter.exported.addr, local, mine, LEN);
}

static doca_error_t write_remote(void)
{
	return use_copy(&use, local, mine, remote, exporter.exported.addr, LEN);
}

static doca_error_t try_import(const struct exported *from, size_t len)
{
	struct doca_mmap *got;
	doca_error_t result = doca_mmap_create_from_export(NULL, from->desc, len, dev, &got);

	if (result == DOCA_SUCCESS)
		use_mmap_end(got);
	return result;
}

/* The exporter calls doca_mmap_stop() while tasks are queued: none of them succeeds afterwards. */
START_TEST(test_revoked)
{
	struct doca_buf *src[8], *dst[8];
	struct exported old;

	set_up_with(memories[_i]);
	EXPECT(DOCA_SUCCESS, read_remote());
	for (int i = 0; i < 8; i++) {
		src[i] = use_src(&use, remote, exporter.exported.addr + i * 64, 64);
		dst[i] = use_dst(&use, local, mine + i * 64, 64);
		OK(doca_task_submit(use_task(&use, src[i], dst[i])));
	}
	exporter_stop_map(&exporter);
	use_fill(mine, LEN, 9);
	use_dma_await(&use, 1 + 8);
	ck_assert_uint_eq(use.n_failed, 8);
	ck_assert(use_is_filled(mine, LEN, 9));
	use_ctx_await(use.pe, use.ctx, DOCA_CTX_STATE_IDLE);
	OK(doca_ctx_start(use.ctx));
	for (int i = 0; i < 8; i++) {
		use_buf_end(src[i]);
		use_buf_end(dst[i]);
	}
	EXPECT(DOCA_ERROR_IO_FAILED, read_remote());
	EXPECT(DOCA_ERROR_IO_FAILED, write_remote());
	ck_assert(exporter_is_filled(&exporter, 0, LEN, 1));
	/* The descriptor is invalid for ever: a new export has another one. */
	old = exporter.exported;
	EXPECT(DOCA_ERROR_NOT_PERMITTED, try_import(&old, old.desc_len));
	exporter_export_again(&exporter);
	EXPECT(DOCA_ERROR_NOT_PERMITTED, try_import(&old, old.desc_len));
	EXPECT(DOCA_SUCCESS, try_import(&exporter.exported, exporter.exported.desc_len));
	EXPECT(DOCA_ERROR_IO_FAILED, read_remote());
}
END_TEST

START_TEST(test_exporter_killed)
{
	struct doca_buf *src, *dst;

	set_up_with(memories[_i]);
	EXPECT(DOCA_SUCCESS, read_remote());
	src = use_src(&use, remote, exporter.exported.addr, 100);
	dst = use_dst(&use, local, mine, 100);
	OK(doca_task_submit(use_task(&use, src, dst)));
	lab_await(&lab, LAB_HOST, LAB_EXPORTS, 1, 1000);
	lab_kill(&exporter.child);
	lab_await(&lab, LAB_HOST, LAB_EXPORTS, 0, 1000);
	lab_await(&lab, LAB_HOST, LAB_CLIENTS, 0, 1000);
	use_dma_await(&use, 2);
	EXPECT(DOCA_ERROR_IO_FAILED, use.status);
	use_ctx_await(use.pe, use.ctx, DOCA_CTX_STATE_IDLE);
	OK(doca_ctx_start(use.ctx));
	use_buf_end(src);
	use_buf_end(dst);
	EXPECT(DOCA_ERROR_IO_FAILED, read_remote());
	EXPECT(DOCA_ERROR_IO_FAILED, write_remote());
	EXPECT(DOCA_ERROR_NOT_PERMITTED,
	       try_import(&exporter.exported, exporter.exported.desc_len));
}
END_TEST

/* Killed in the middle of many copies, repeatedly: they always end, without a crash. */
START_TEST(test_exporter_killed_while_copying)
{
	for (int round = 0; round < 5; round++) {
		unsigned n = 0;

		set_up_with(memories[_i]);
		while (read_remote() == DOCA_SUCCESS) {
			if (++n == 20)
				kill(exporter.child.pid, SIGKILL);
		}
		ck_assert_uint_ge(n, 20);
		ck_assert_int_eq(use.status, DOCA_ERROR_IO_FAILED);
		lab_kill(&exporter.child);
		use_mmap_end(remote);
		use_mmap_end(local);
		remote = local = NULL;
		use_dma_close(&use);
		OK(doca_dev_close(dev));
	}
}
END_TEST

static void idle_importer(int sock, void *arg)
{
	const struct exported *from = arg;
	struct doca_mmap *got;

	dev = use_dev(USE_DPU_P0);
	OK(doca_mmap_create_from_export(NULL, from->desc, from->desc_len, dev, &got));
	lab_signal(sock);
	lab_wait(sock);
}

START_TEST(test_importer_killed)
{
	struct exporter_options options = {
		.memory = memories[_i], .len = LEN, .permissions = DOCA_ACCESS_FLAG_PCI_READ_WRITE};
	struct lab_child importer;

	exporter_start(&exporter, &lab, &options);
	importer = lab_fork(&lab, LAB_DPU, idle_importer, &exporter.exported);
	lab_wait(importer.sock);
	lab_await(&lab, LAB_DPU, LAB_IMPORTS, 1, 1000);
	lab_kill(&importer);
	lab_await(&lab, LAB_DPU, LAB_IMPORTS, 0, 1000);
	lab_await(&lab, LAB_DPU, LAB_CLIENTS, 0, 1000);
	/* The exporter continues. */
	ck_assert(exporter_is_filled(&exporter, 0, LEN, 1));
	lab_await(&lab, LAB_HOST, LAB_EXPORTS, 1, 1000);
}
END_TEST

/* Only the removed range fails. */
START_TEST(test_unmapped)
{
	uint8_t *base;

	set_up_with(MEMORY_MMAP);
	base = exporter.exported.addr;
	exporter_unmap(&exporter, 8192, 4096);
	use_fill(mine, LEN, 7);
	EXPECT(DOCA_ERROR_IO_FAILED, use_copy(&use, remote, base + 8192, local, mine, 64));
	EXPECT(DOCA_ERROR_IO_FAILED, use_copy(&use, local, mine, remote, base + 8192, 64));
	EXPECT(DOCA_ERROR_IO_FAILED, use_copy(&use, remote, base + 12287, local, mine, 2));
	EXPECT(DOCA_SUCCESS, use_copy(&use, remote, base, local, mine, 8192));
	ck_assert(use_is_filled(mine, 8192, 1));
	EXPECT(DOCA_SUCCESS, use_copy(&use, remote, base + 12288, local, mine, LEN - 12288));
}
END_TEST

/*
 * A file that another process may truncate is not mapped: an access beyond its end would kill the
 * importer.
 */
START_TEST(test_file_is_cut)
{
	uint8_t *base;

	setenv("DOCOCORED_ADOPT", "always", 1);
	set_up_with(_i == 0 ? MEMORY_FILE : MEMORY_TMPFS);
	ck_assert_str_eq(dococ_mmap_get_transport(remote), _i == 0 ? "pvm" : "file");
	base = exporter.exported.addr;
	ck_assert(exporter_truncate(&exporter, 4096));
	use_fill(mine, LEN, 7);
	EXPECT(DOCA_ERROR_IO_FAILED, use_copy(&use, remote, base + 8192, local, mine, 64));
	EXPECT(DOCA_ERROR_IO_FAILED, use_copy(&use, local, mine, remote, base + 8192, 64));
	EXPECT(DOCA_ERROR_IO_FAILED, use_copy(&use, remote, base + 4095, local, mine, 2));
	EXPECT(DOCA_SUCCESS, use_copy(&use, remote, base, local, mine, 4096));
	ck_assert(use_is_filled(mine, 4096, 1));
}
END_TEST

START_TEST(test_mapped_memfd_cannot_be_cut)
{
	setenv("DOCOCORED_ADOPT", "always", 1);
	set_up_with(MEMORY_MAPPED);
	ck_assert_str_eq(dococ_mmap_get_transport(remote), "shm");
	ck_assert(!exporter_truncate(&exporter, 4096));
	EXPECT(DOCA_SUCCESS, use_copy(&use, remote, exporter.exported.addr, local, mine, LEN));
	ck_assert(use_is_filled(mine, LEN, 1));
}
END_TEST

/* In a batch only the task with the bad range fails first; tasks behind it are flushed. */
START_TEST(test_unmapped_in_a_batch)
{
	struct doca_buf *src[4], *dst[4];
	static const size_t at[4] = {0, 64, 8192, 128};

	set_up_with(MEMORY_MMAP);
	exporter_unmap(&exporter, 8192, 4096);
	for (int i = 0; i < 4; i++) {
		src[i] = use_src(&use, remote, exporter.exported.addr + at[i], 64);
		dst[i] = use_dst(&use, local, mine + i * 64, 64);
		OK(doca_task_submit(use_task(&use, src[i], dst[i])));
	}
	use_dma_await(&use, 4);
	ck_assert_uint_eq(use.n_ok, 2);
	ck_assert_uint_eq(use.n_failed, 2);
	EXPECT(DOCA_ERROR_SHUTDOWN, use.status);
	ck_assert(use_is_filled(mine, 128, 1));
	for (int i = 0; i < 4; i++) {
		size_t len;

		OK(doca_buf_get_data_len(dst[i], &len));
		ck_assert_uint_eq(len, i < 2 ? 64 : 0);
		use_buf_end(src[i]);
		use_buf_end(dst[i]);
	}
	use_ctx_await(use.pe, use.ctx, DOCA_CTX_STATE_IDLE);
}
END_TEST

START_TEST(test_damaged_descriptors)
{
	struct exported bad;

	set_up_with(MEMORY_MEMFD);
	for (size_t len = 0; len < exporter.exported.desc_len; len++)
		EXPECT(DOCA_ERROR_INVALID_VALUE, try_import(&exporter.exported, len));
	for (size_t i = 0; i < exporter.exported.desc_len; i++) {
		for (int bit = 0; bit < 8; bit += 3) {
			bad = exporter.exported;
			bad.desc[i] ^= (uint8_t)(1 << bit);
			EXPECT(DOCA_ERROR_INVALID_VALUE, try_import(&bad, bad.desc_len));
		}
	}
	memset(&bad.desc, 0, sizeof(bad.desc));
	EXPECT(DOCA_ERROR_INVALID_VALUE, try_import(&bad, sizeof(bad.desc)));
	memset(&bad.desc, 0xff, sizeof(bad.desc));
	EXPECT(DOCA_ERROR_INVALID_VALUE, try_import(&bad, sizeof(bad.desc)));
	/* Programs read the descriptor into a larger buffer and pass the whole buffer. */
	EXPECT(DOCA_SUCCESS, try_import(&exporter.exported, sizeof(exporter.exported.desc)));
	EXPECT(DOCA_SUCCESS, read_remote());
}
END_TEST

/* A valid checksum proves nothing. */
START_TEST(test_forged_descriptors)
{
	struct exported forged;
	struct export_descriptor real, descriptor;
	struct doca_mmap *got;
	void *addr;
	size_t len;

	set_up_with(MEMORY_MMAP);
	ck_assert_int_eq(
		export_descriptor_decode(exporter.exported.desc, exporter.exported.desc_len, &real),
		EXPORT_DESCRIPTOR_OK);
	forged = exporter.exported;
	for (size_t i = 0; i < sizeof(real.secret); i++) {
		descriptor = real;
		descriptor.secret[i] ^= 1;
		export_descriptor_encode(&descriptor, forged.desc);
		EXPECT(DOCA_ERROR_NOT_PERMITTED, try_import(&forged, forged.desc_len));
	}
	for (uint64_t id = 0; id < 5; id++) {
		if (id == real.export_id)
			continue;
		descriptor = real;
		descriptor.export_id = id;
		export_descriptor_encode(&descriptor, forged.desc);
		EXPECT(DOCA_ERROR_NOT_PERMITTED, try_import(&forged, forged.desc_len));
	}
	descriptor = real;
	descriptor.side = 1;
	export_descriptor_encode(&descriptor, forged.desc);
	EXPECT(DOCA_ERROR_NOT_PERMITTED, try_import(&forged, forged.desc_len));
	descriptor = real;
	descriptor.kind = 1;
	export_descriptor_encode(&descriptor, forged.desc);
	EXPECT(DOCA_ERROR_NOT_PERMITTED, try_import(&forged, forged.desc_len));
	/* Range and rights come from the exporter, not from the descriptor. */
	descriptor = real;
	descriptor.addr -= 4096;
	descriptor.len += 8192;
	descriptor.permissions |= 0xff;
	export_descriptor_encode(&descriptor, forged.desc);
	OK(doca_mmap_create_from_export(NULL, forged.desc, forged.desc_len, dev, &got));
	OK(doca_mmap_get_memrange(got, &addr, &len));
	ck_assert_ptr_eq(addr, exporter.exported.addr);
	ck_assert_uint_eq(len, LEN);
	use_mmap_end(got);
}
END_TEST

/* On the host, where it was exported, and on the DPU with a device of the other port. */
static void wrong_importer(int sock, void *arg)
{
	const struct exported *from = arg;
	struct doca_mmap *got;

	(void)sock;
	dev = use_dev(strcmp(getenv("DOCA_SIDE"), "host") == 0 ? USE_HOST_PF0 : USE_DPU_P1);
	EXPECT(DOCA_ERROR_NOT_PERMITTED,
	       doca_mmap_create_from_export(NULL, from->desc, from->desc_len, dev, &got));
	OK(doca_dev_close(dev));
}

START_TEST(test_wrong_importers)
{
	struct lab_child child;

	set_up_with(MEMORY_MEMFD);
	child = lab_fork(&lab, LAB_HOST, wrong_importer, &exporter.exported);
	lab_join(&child);
	child = lab_fork(&lab, LAB_DPU, wrong_importer, &exporter.exported);
	lab_join(&child);
	EXPECT(DOCA_SUCCESS, read_remote());
}
END_TEST

/* Outside the exported range. */
START_TEST(test_outside)
{
	struct doca_buf *buf;

	set_up_with(memories[_i]);
	EXPECT(DOCA_ERROR_INVALID_VALUE,
	       doca_buf_inventory_buf_get_by_data(use.inventory, remote,
						  exporter.exported.addr + LEN - 10, 11, &buf));
	EXPECT(DOCA_ERROR_INVALID_VALUE,
	       doca_buf_inventory_buf_get_by_data(use.inventory, remote, exporter.exported.addr - 1,
						  2, &buf));
	buf = use_src(&use, remote, exporter.exported.addr, 64);
	/* Moving the window of a valid buffer does not give access either. */
	OK(doca_buf_set_data(buf, exporter.exported.addr + LEN, 64));
	struct doca_buf *dst = use_dst(&use, local, mine, 64);
	OK(doca_task_submit(use_task(&use, buf, dst)));
	use_dma_await(&use, 1);
	EXPECT(DOCA_ERROR_IO_FAILED, use.status);
	use_ctx_await(use.pe, use.ctx, DOCA_CTX_STATE_IDLE);
	use_buf_end(buf);
	use_buf_end(dst);
}
END_TEST

/* The same for memory that is accessed by requests to an RDMA device. */
static void setup_posted(void)
{
	setup();
	setenv("DOCOCORED_TRANSPORT", "verbs", 1);
}

static TCase *add_case(Suite *suite, const char *name, void (*begin)(void))
{
	TCase *tcase = tcase_create(name);

	tcase_add_checked_fixture(tcase, begin, teardown);
	tcase_set_timeout(tcase, RUNNER_TEST_S);
	suite_add_tcase(suite, tcase);
	tcase_add_loop_test(tcase, test_revoked, 0, 2);
	tcase_add_loop_test(tcase, test_exporter_killed_while_copying, 0, 2);
	tcase_add_loop_test(tcase, test_importer_killed, 0, 2);
	tcase_add_loop_test(tcase, test_outside, 0, 2);
	return tcase;
}

static void add_cases(Suite *suite)
{
	TCase *tcase = add_case(suite, "export faults", setup);

	tcase_add_loop_test(tcase, test_exporter_killed, 0, 2);
	tcase_add_test(tcase, test_unmapped);
	tcase_add_loop_test(tcase, test_file_is_cut, 0, 2);
	tcase_add_test(tcase, test_mapped_memfd_cannot_be_cut);
	tcase_add_test(tcase, test_unmapped_in_a_batch);
	tcase_add_test(tcase, test_damaged_descriptors);
	tcase_add_test(tcase, test_forged_descriptors);
	tcase_add_test(tcase, test_wrong_importers);
	add_case(suite, "posted", setup_posted);
}

int main(void)
{
	lab_require();
	return runner_main("export_fault", add_cases, NULL);
}
