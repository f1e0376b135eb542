/*
 * Exports between generations: a host program of any version exports memory that a DPU program of
 * any version imports, reads and writes, with maps and buffers made in the way of its version. Both
 * are processes of their own, in a lab.
 */
#include <stdio.h>
#include <string.h>

#include "tests/integration/mmap_end.h"
#include "tests/lib/lab.h"
#include "tests/lib/runner.h"
#include "tests/lib/use.h"

#define LEN (4u * 4096u)

static const struct mmap_end *const ends[] = {&mmap_end_1_3, &mmap_end_1_5, &mmap_end_2_2,
					      &mmap_end_3_3};

static struct lab lab;

struct cell {
	const struct mmap_end *host, *dpu;
	bool is_read_only;
};

struct handover {
	struct mmap_end_desc desc;
	uint8_t *addr;
};

static uint8_t memory[LEN];

/* The host program: memory of seed 1, of seed 2 when the other one was there. */
static void host(int sock, void *arg)
{
	const struct cell *cell = arg;
	struct doca_dev *dev = use_dev(USE_HOST_PF0);
	struct handover out = {.addr = memory};
	struct doca_mmap *mmap;

	use_fill(memory, LEN, 1);
	mmap = cell->host->export(dev, memory, LEN, cell->is_read_only, &out.desc);
	lab_send(sock, &out, sizeof(out));
	lab_wait(sock);
	ck_assert(use_is_filled(memory, LEN, cell->is_read_only ? 1 : 2));
	cell->host->end(mmap);
	OK(doca_dev_close(dev));
}

/* One copy between buffers that were made in the way of a version. */
static doca_error_t copy(struct use_dma *use, const struct mmap_end *end,
			 struct doca_buf_inventory *inventory, struct doca_mmap *from, void *src,
			 struct doca_mmap *to, void *dst, size_t len)
{
	struct doca_buf *src_buf = end->buf(inventory, from, src, len);
	struct doca_buf *dst_buf = end->buf(inventory, to, dst, len);
	unsigned n = use->n_ok + use->n_failed;

	/* 1.3 has no call for it; jobs of that version say the length. */
	OK(doca_buf_set_data(src_buf, src, len));
	OK(doca_task_submit(use_task(use, src_buf, dst_buf)));
	use_dma_await(use, n + 1);
	end->buf_end(src_buf);
	end->buf_end(dst_buf);
	return use->status;
}

/* The DPU program: reads all, writes all, in two halves, as its own map may be of two chunks. */
static void dpu(int sock, void *arg)
{
	const struct cell *cell = arg;
	const struct mmap_end *end = cell->dpu;
	struct doca_dev *dev = use_dev(USE_DPU_P0);
	doca_error_t writes = cell->is_read_only ? DOCA_ERROR_NOT_PERMITTED : DOCA_SUCCESS;
	struct doca_buf_inventory *inventory = end->inventory();
	struct doca_mmap *remote, *local;
	struct handover in;
	struct use_dma use;

	lab_recv(sock, &in, sizeof(in));
	use_dma_open(&use, dev, 4);
	remote = end->import(dev, &in.desc);
	local = end->make(dev, memory, LEN);
	for (size_t at = 0; at < LEN; at += LEN / 2)
		ck_assert_int_eq(copy(&use, end, inventory, remote, in.addr + at, local,
				      memory + at, LEN / 2),
				 DOCA_SUCCESS);
	ck_assert(use_is_filled(memory, LEN, 1));
	use_fill(memory, LEN, 2);
	for (size_t at = 0; at < (cell->is_read_only ? LEN / 2 : LEN); at += LEN / 2)
		ck_assert_int_eq(copy(&use, end, inventory, local, memory + at, remote,
				      in.addr + at, LEN / 2),
				 writes);
	use_dma_close(&use);
	OK(doca_buf_inventory_destroy(inventory));
	end->end(local);
	end->end(remote);
	OK(doca_dev_close(dev));
}

static void run(const struct cell *cell)
{
	struct lab_child exporter = lab_fork(&lab, LAB_HOST, host, (void *)cell);
	struct lab_child importer = lab_fork(&lab, LAB_DPU, dpu, (void *)cell);
	struct handover handover;

	lab_recv(exporter.sock, &handover, sizeof(handover));
	lab_send(importer.sock, &handover, sizeof(handover));
	lab_join(&importer);
	lab_signal(exporter.sock);
	lab_join(&exporter);
	lab_await(&lab, LAB_HOST, LAB_EXPORTS, 0, 5000);
	lab_await(&lab, LAB_DPU, LAB_IMPORTS, 0, 5000);
}

START_TEST(test_host)
{
	struct cell cell = {.host = ends[_i]};

	for (size_t i = 0; i < ARRAY_LEN(ends); i++) {
		cell.dpu = ends[i];
		cell.is_read_only = false;
		run(&cell);
		if (cell.host->has_access) {
			cell.is_read_only = true;
			run(&cell);
		}
	}
	printf("host %s with 1.3, 1.5, 2.2, 3.3 on the DPU: read and written%s\n",
	       cell.host->version, cell.host->has_access ? ", and read only" : "");
	fflush(stdout);
}
END_TEST

static void setup(void)
{
	leaks_setup();
	lab_start(&lab, NULL);
}

static void teardown(void)
{
	lab_stop(&lab);
	leaks_teardown();
}

static void add_cases(Suite *suite)
{
	TCase *cases = tcase_create("matrix");

	tcase_add_checked_fixture(cases, setup, teardown);
	tcase_set_timeout(cases, RUNNER_TEST_S);
	suite_add_tcase(suite, cases);
	tcase_add_loop_test(cases, test_host, 0, (int)ARRAY_LEN(ends));
}

int main(void)
{
	lab_require();
	return runner_main("exports between generations", add_cases, NULL);
}
