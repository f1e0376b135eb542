/*
 * Erasure coding of memory that another process exported, mapped and accessed by system calls: as
 * source, as destination and as both; and after the export has ended.
 */
#include <string.h>

#include <doca_erasure_coding.h>

#include "tests/integration/dma/import_kinds.h"
#include "tests/lib/use.h"

#define LEN    (1u << 20)
#define N_DATA 6u
#define N_RDNC 3u
/* Larger than the part that goes through the library's own memory at a time. */
#define BLOCK (96u << 10)

static struct lab lab;
static struct doca_dev *dev;
static struct doca_pe *pe;
static struct doca_ec *ec;
static struct doca_ec_matrix *coding;
static struct doca_mmap *local, *remote;
static struct doca_buf_inventory *inventory;
static struct exporter exporter;
/* The exporter's memory as it was, behind it the results. */
static uint8_t content[2 * LEN];
static unsigned n_completed;
static doca_error_t status;
static const union doca_data no_data;

static void completed(struct doca_task *task)
{
	status = doca_task_get_status(task);
	n_completed++;
	doca_task_free(task);
}

static void create_done(struct doca_ec_task_create *task, union doca_data data,
			union doca_data ctx_data)
{
	(void)data;
	(void)ctx_data;
	completed(doca_ec_task_create_as_task(task));
}

static void recover_done(struct doca_ec_task_recover *task, union doca_data data,
			 union doca_data ctx_data)
{
	(void)data;
	(void)ctx_data;
	completed(doca_ec_task_recover_as_task(task));
}

static void setup(void)
{
	kinds_setup(&lab);
}

/* Makes this process a client of the DPU, with an exporter of the host. */
static void importer_open(unsigned number)
{
	struct exporter_options options = {.memory = kinds[number].memory,
					   .len = LEN,
					   .permissions = DOCA_ACCESS_FLAG_PCI_READ_WRITE};

	kind_choose(number);
	exporter_start(&exporter, &lab, &options);
	use_fill(content, LEN, 1);
	dev = use_dev(USE_DPU_P0);
	OK(doca_pe_create(&pe));
	OK(doca_ec_create(dev, &ec));
	OK(doca_ec_task_create_set_conf(ec, create_done, create_done, 1));
	OK(doca_ec_task_recover_set_conf(ec, recover_done, recover_done, 1));
	OK(doca_pe_connect_ctx(pe, doca_ec_as_ctx(ec)));
	OK(doca_ctx_start(doca_ec_as_ctx(ec)));
	OK(doca_ec_matrix_create(ec, DOCA_EC_MATRIX_TYPE_CAUCHY, N_DATA, N_RDNC, &coding));
	OK(doca_buf_inventory_create(64, &inventory));
	OK(doca_buf_inventory_start(inventory));
	local = use_mmap(dev, content, sizeof(content), DOCA_ACCESS_FLAG_LOCAL_READ_WRITE);
	OK(doca_mmap_create_from_export(NULL, exporter.exported.desc, exporter.exported.desc_len,
					dev, &remote));
	ck_assert_str_eq(dococ_mmap_get_transport(remote), kind->transport);
}

static void importer_close(void)
{
	use_ctx_await(pe, doca_ec_as_ctx(ec), DOCA_CTX_STATE_IDLE);
	OK(doca_ec_matrix_destroy(coding));
	OK(doca_ec_destroy(ec));
	OK(doca_pe_destroy(pe));
	OK(doca_buf_inventory_destroy(inventory));
	use_mmap_end(local);
	use_mmap_end(remote);
	OK(doca_dev_close(dev));
	kinds_teardown(&lab);
}

static struct doca_buf *remote_buf(size_t at, size_t len, bool is_src)
{
	uint8_t *addr = exporter.exported.addr + at;
	struct doca_buf *buf;

	if (is_src)
		OK(doca_buf_inventory_buf_get_by_data(inventory, remote, addr, len, &buf));
	else
		OK(doca_buf_inventory_buf_get_by_addr(inventory, remote, addr, len, &buf));
	return buf;
}

static struct doca_buf *local_buf(size_t at, size_t len, bool is_src)
{
	struct doca_buf *buf;

	if (is_src)
		OK(doca_buf_inventory_buf_get_by_data(inventory, local, content + at, len, &buf));
	else
		OK(doca_buf_inventory_buf_get_by_addr(inventory, local, content + at, len, &buf));
	return buf;
}

static doca_error_t run(struct doca_task *task)
{
	unsigned n = n_completed;

	OK(doca_task_submit(task));
	while (n_completed == n)
		kind_progress(pe);
	return status;
}

/* Releases both buffers. */
static doca_error_t create(struct doca_buf *src, struct doca_buf *dst)
{
	struct doca_ec_task_create *task;
	doca_error_t result;

	OK(doca_ec_task_create_allocate_init(ec, coding, src, dst, no_data, &task));
	result = run(doca_ec_task_create_as_task(task));
	use_buf_end(src);
	use_buf_end(dst);
	return result;
}

START_TEST(test_imported)
{
	const size_t at = 77, rdnc_at = at + N_DATA * BLOCK;
	uint32_t lost[] = {0, 1, 2};
	struct doca_ec_task_recover *task;
	struct doca_ec_matrix *recovery;
	struct doca_buf *src, *dst;

	importer_open((unsigned)_i);
	/* The redundancy of the copy in this process is what all others must equal. */
	EXPECT(DOCA_SUCCESS,
	       create(local_buf(at, N_DATA * BLOCK, true), local_buf(LEN, N_RDNC * BLOCK, false)));
	EXPECT(DOCA_SUCCESS, create(remote_buf(at, N_DATA * BLOCK, true),
				    local_buf(LEN + N_RDNC * BLOCK, N_RDNC * BLOCK, false)));
	ck_assert_mem_eq(content + LEN + N_RDNC * BLOCK, content + LEN, N_RDNC * BLOCK);
	/* Their memory into their memory, from a list with odd boundaries. */
	src = remote_buf(at, BLOCK + 1, true);
	OK(doca_buf_chain_list(src, local_buf(at + BLOCK + 1, 2 * BLOCK, true)));
	OK(doca_buf_chain_list(src, remote_buf(at + 3 * BLOCK + 1, 3 * BLOCK - 1, true)));
	EXPECT(DOCA_SUCCESS, create(src, remote_buf(rdnc_at, N_RDNC * BLOCK, false)));
	/* The first blocks get lost: those that are left lie in one piece in their memory. */
	OK(doca_ec_matrix_create_recover(ec, coding, lost, 3, &recovery));
	src = remote_buf(at + 3 * BLOCK, N_DATA * BLOCK, true);
	dst = local_buf(LEN, N_RDNC * BLOCK, false);
	OK(doca_ec_task_recover_allocate_init(ec, recovery, src, dst, no_data, &task));
	EXPECT(DOCA_SUCCESS, run(doca_ec_task_recover_as_task(task)));
	ck_assert_mem_eq(content + LEN, content + at, N_RDNC * BLOCK);
	use_buf_end(src);
	use_buf_end(dst);
	OK(doca_ec_matrix_destroy(recovery));
	OK(doca_ctx_stop(doca_ec_as_ctx(ec)));
	exporter_end(&exporter);
	importer_close();
}
END_TEST

/* The export has ended, or the whole process: an error, and the context stops. */
START_TEST(test_ended)
{
	bool is_killed = _i >= N_KINDS;

	importer_open((unsigned)(_i % N_KINDS));
	EXPECT(DOCA_SUCCESS,
	       create(remote_buf(0, N_DATA * BLOCK, true), local_buf(LEN, N_RDNC * BLOCK, false)));
	if (is_killed) {
		kinds_kill(&lab, &exporter);
	} else {
		exporter_stop_map(&exporter);
	}
	EXPECT(DOCA_ERROR_IO_FAILED,
	       create(remote_buf(0, N_DATA * BLOCK, true), local_buf(LEN, N_RDNC * BLOCK, false)));
	if (!is_killed)
		exporter_end(&exporter);
	importer_close();
}
END_TEST

static void add_cases(Suite *suite)
{
	TCase *tcase = tcase_create("ec import");

	tcase_add_checked_fixture(tcase, setup, NULL);
	tcase_set_timeout(tcase, RUNNER_TEST_S);
	suite_add_tcase(suite, tcase);
	tcase_add_loop_test(tcase, test_imported, 0, N_KINDS);
	tcase_add_loop_test(tcase, test_ended, 0, 2 * N_KINDS);
}

int main(void)
{
	lab_require();
	return runner_main(MACHINES_NAME("ec import"), add_cases, NULL);
}
