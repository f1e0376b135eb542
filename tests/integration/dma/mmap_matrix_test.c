/*
 * Exports between generations: a host program of any version exports memory that a DPU program of
 * any version imports, reads and writes, with maps and buffers of its version; and the reverse,
 * which the default profile permits. Both are separate processes in a lab. Also a program with
 * parts of every version, whose maps and buffers are combined in copies.
 */
#include <stdio.h>
#include <string.h>

#include "tests/integration/dma/mmap_end.h"
#include "tests/lib/lab.h"
#include "tests/lib/runner.h"
#include "tests/lib/use.h"

#define LEN (4u * 4096u)

static const struct mmap_end *const ends[] = {&mmap_end_1_3, &mmap_end_1_5, &mmap_end_2_2,
					      &mmap_end_3_3};

static struct lab lab;

struct cell {
	const struct mmap_end *exporter, *importer; /* importer NULL: all in one program */
	bool is_read_only;
	bool is_back; /* the DPU exports */
};

static struct doca_dev *cell_dev(const struct cell *cell, bool is_exporter)
{
	return use_dev(is_exporter == cell->is_back ? USE_DPU_P0 : USE_HOST_PF0);
}

struct handover {
	struct mmap_end_desc desc;
	uint8_t *addr;
};

static uint8_t memory[LEN];

/*
 * The exporting program: memory with seed 1, and with seed 2 after the other program has written.
 */
static void exporter_main(int sock, void *arg)
{
	const struct cell *cell = arg;
	struct doca_dev *dev = cell_dev(cell, true);
	struct handover out = {.addr = memory};
	struct doca_mmap *mmap;

	use_fill(memory, LEN, 1);
	mmap = cell->exporter->export(dev, memory, LEN, cell->is_read_only, &out.desc);
	lab_send(sock, &out, sizeof(out));
	lab_wait(sock);
	ck_assert(use_is_filled(memory, LEN, cell->is_read_only ? 1 : 2));
	cell->exporter->end(mmap);
	OK(doca_dev_close(dev));
}

/* The map of a version, from which its buffers are made. */
struct part {
	const struct mmap_end *end;
	struct doca_buf_inventory *inventory;
	struct doca_mmap *remote, *local;
};

/* One copy between buffers made with the functions of one or two versions. */
static doca_error_t copy(struct use_dma *use, const struct part *by, struct doca_mmap *from,
			 void *src, const struct part *with, struct doca_mmap *to, void *dst,
			 size_t len)
{
	struct doca_buf *src_buf = by->end->buf(by->inventory, from, src, len);
	struct doca_buf *dst_buf = with->end->buf(with->inventory, to, dst, len);
	unsigned n = use->n_ok + use->n_failed;

	/* 1.3 has no function for it; jobs of that version contain the length. */
	OK(doca_buf_set_data(src_buf, src, len));
	OK(doca_task_submit(use_task(use, src_buf, dst_buf)));
	use_dma_await(use, n + 1);
	by->end->buf_end(src_buf);
	with->end->buf_end(dst_buf);
	return use->status;
}

static struct part part_open(const struct mmap_end *end, struct doca_dev *dev,
			     const struct mmap_end_desc *desc)
{
	return (struct part){
		.end = end,
		.inventory = end->inventory(),
		.remote = end->import(dev, desc),
		.local = end->make(dev, memory, LEN),
	};
}

static void part_close(const struct part *part)
{
	OK(doca_buf_inventory_destroy(part->inventory));
	part->end->end(part->local);
	part->end->end(part->remote);
}

/*
 * The importing program: reads and writes everything in two halves, because its own map may consist
 * of two chunks.
 */
static void importer_main(int sock, void *arg)
{
	const struct cell *cell = arg;
	struct doca_dev *dev = cell_dev(cell, false);
	doca_error_t writes = cell->is_read_only ? DOCA_ERROR_NOT_PERMITTED : DOCA_SUCCESS;
	struct handover in;
	struct use_dma use;
	struct part part;

	lab_recv(sock, &in, sizeof(in));
	use_dma_open(&use, dev, 4);
	part = part_open(cell->importer, dev, &in.desc);
	for (size_t at = 0; at < LEN; at += LEN / 2)
		ck_assert_int_eq(copy(&use, &part, part.remote, in.addr + at, &part, part.local,
				      memory + at, LEN / 2),
				 DOCA_SUCCESS);
	ck_assert(use_is_filled(memory, LEN, 1));
	use_fill(memory, LEN, 2);
	for (size_t at = 0; at < (cell->is_read_only ? LEN / 2 : LEN); at += LEN / 2)
		ck_assert_int_eq(copy(&use, &part, part.local, memory + at, &part, part.remote,
				      in.addr + at, LEN / 2),
				 writes);
	use_dma_close(&use);
	part_close(&part);
	OK(doca_dev_close(dev));
}

/* Parts of all versions: what one reads into the memory of another, that one writes back. */
static void importer_of_all(int sock, void *arg)
{
	struct doca_dev *dev = use_dev(USE_DPU_P0);
	struct part parts[ARRAY_LEN(ends)];
	static uint8_t expected[LEN];
	struct handover in;
	struct use_dma use;

	(void)arg;
	use_fill(expected, LEN, 1);
	lab_recv(sock, &in, sizeof(in));
	use_dma_open(&use, dev, 4);
	for (size_t i = 0; i < ARRAY_LEN(ends); i++)
		parts[i] = part_open(ends[i], dev, &in.desc);
	for (size_t i = 0; i < ARRAY_LEN(ends); i++) {
		for (size_t k = 0; k < ARRAY_LEN(ends); k++) {
			size_t at = (i + k) % 2 * (LEN / 2);

			memset(memory, 0, LEN);
			EXPECT(DOCA_SUCCESS, copy(&use, &parts[i], parts[i].remote, in.addr + at,
						  &parts[k], parts[k].local, memory + at, LEN / 2));
			ck_assert_mem_eq(memory + at, expected + at, LEN / 2);
			EXPECT(DOCA_SUCCESS,
			       copy(&use, &parts[k], parts[k].local, memory + at, &parts[i],
				    parts[i].remote, in.addr + at, LEN / 2));
		}
	}
	use_fill(memory, LEN, 2);
	for (size_t at = 0, i = 0; at < LEN; at += LEN / 2, i++)
		EXPECT(DOCA_SUCCESS,
		       copy(&use, &parts[i], parts[i].local, memory + at, &parts[i + 2],
			    parts[i + 2].remote, in.addr + at, LEN / 2));
	use_dma_close(&use);
	for (size_t i = 0; i < ARRAY_LEN(ends); i++)
		part_close(&parts[i]);
	OK(doca_dev_close(dev));
}

static void run(const struct cell *cell)
{
	enum lab_side from = cell->is_back ? LAB_DPU : LAB_HOST;
	enum lab_side to = cell->is_back ? LAB_HOST : LAB_DPU;
	struct lab_child exporter = lab_fork(&lab, from, exporter_main, (void *)cell);
	struct lab_child importer = lab_fork(
		&lab, to, cell->importer == NULL ? importer_of_all : importer_main, (void *)cell);
	struct handover handover;

	lab_recv(exporter.sock, &handover, sizeof(handover));
	lab_send(importer.sock, &handover, sizeof(handover));
	lab_join(&importer);
	lab_signal(exporter.sock);
	lab_join(&exporter);
	lab_await(&lab, from, LAB_EXPORTS, 0, 5000);
	lab_await(&lab, to, LAB_IMPORTS, 0, 5000);
}

static void run_all(struct cell *cell)
{
	for (size_t i = 0; i < ARRAY_LEN(ends); i++) {
		cell->importer = ends[i];
		cell->is_read_only = false;
		run(cell);
		if (cell->exporter->has_access) {
			cell->is_read_only = true;
			run(cell);
		}
	}
	printf("%s of %s with 1.3, 1.5, 2.2, 3.3 on the other side: read and written%s\n",
	       cell->is_back ? "DPU" : "host", cell->exporter->version,
	       cell->exporter->has_access ? ", and read only" : "");
	fflush(stdout);
}

START_TEST(test_host)
{
	struct cell cell = {.exporter = ends[_i]};

	run_all(&cell);
}
END_TEST

START_TEST(test_dpu)
{
	struct cell cell = {.exporter = ends[_i], .is_back = true};

	run_all(&cell);
}
END_TEST

START_TEST(test_all_in_one)
{
	struct cell cell = {.exporter = ends[_i]};

	run(&cell);
}
END_TEST

/* --- imports that are passed on --- */

/* A DPU program between both ends: it imports over PCI and exports that to RDMA peers. */
static void passer_main(int sock, void *arg)
{
	const struct mmap_end *passer = arg;
	struct doca_dev *dev = use_dev(USE_DPU_P0);
	struct handover handover;
	struct doca_mmap *import;

	lab_recv(sock, &handover, sizeof(handover));
	import = passer->import(dev, &handover.desc);
	memset(&handover.desc, 0, sizeof(handover.desc));
	passer->pass_on(import, dev, &handover.desc);
	lab_send(sock, &handover, sizeof(handover));
	lab_wait(sock);
	passer->end(import);
	OK(doca_dev_close(dev));
}

static void run_passed_on(const struct cell *cell, const struct mmap_end *passed_by)
{
	struct lab_child exporter = lab_fork(&lab, LAB_HOST, exporter_main, (void *)cell);
	struct lab_child passer = lab_fork(&lab, LAB_DPU, passer_main, (void *)passed_by);
	struct lab_child importer = lab_fork(&lab, LAB_DPU, importer_main, (void *)cell);
	struct handover handover;

	lab_recv(exporter.sock, &handover, sizeof(handover));
	lab_send(passer.sock, &handover, sizeof(handover));
	lab_recv(passer.sock, &handover, sizeof(handover));
	lab_send(importer.sock, &handover, sizeof(handover));
	lab_join(&importer);
	lab_signal(passer.sock);
	lab_join(&passer);
	lab_signal(exporter.sock);
	lab_join(&exporter);
}

static const struct mmap_end *const passers[] = {&mmap_end_2_2, &mmap_end_3_3};

/* From any version, by one that supports it, to any version. */
START_TEST(test_passed_on)
{
	struct cell cell = {.exporter = ends[_i]};

	for (size_t k = 0; k < ARRAY_LEN(passers); k++) {
		for (size_t i = 0; i < ARRAY_LEN(ends); i++) {
			cell.importer = ends[i];
			cell.is_read_only = cell.exporter->has_access && i % 2 == 1;
			run_passed_on(&cell, passers[k]);
		}
	}
}
END_TEST

/* --- profiles that forbid exports --- */

static void export_refused_main(int sock, void *arg)
{
	struct doca_dev *dev = use_dev(USE_DPU_P0);
	struct doca_mmap *mmap = use_mmap(dev, memory, LEN, DOCA_ACCESS_FLAG_PCI_READ_WRITE);
	const void *desc;
	size_t len;

	(void)sock;
	(void)arg;
	EXPECT(DOCA_ERROR_NOT_SUPPORTED, doca_mmap_export_pci(mmap, dev, &desc, &len));
	ck_assert_ptr_nonnull(
		strstr(dococ_last_error(), "key export_pci of the device in the topology"));
	use_mmap_end(mmap);
	OK(doca_dev_close(dev));
}

static void import_refused_main(int sock, void *arg)
{
	struct doca_dev *dev = use_dev(USE_HOST_PF0);
	struct doca_mmap *import;
	struct handover in;

	(void)arg;
	lab_recv(sock, &in, sizeof(in));
	EXPECT(DOCA_ERROR_NOT_SUPPORTED,
	       doca_mmap_create_from_export(NULL, in.desc.bytes, in.desc.len, dev, &import));
	ck_assert_ptr_nonnull(
		strstr(dococ_last_error(), "key import_pci of the device in the topology"));
	OK(doca_dev_close(dev));
}

/*
 * On a card memory can be exported to the DPU only. The sentence names the key that permits the
 * other direction.
 */
START_TEST(test_card)
{
	static const struct lab_options card = {.config = "[daemon]\nprofile = bf3\n"};
	struct cell cell = {.exporter = &mmap_end_3_3};
	struct lab_child exporter, importer;
	struct handover out;

	lab_stop(&lab);
	lab_start(&lab, &card);
	importer = lab_fork(&lab, LAB_DPU, export_refused_main, NULL);
	lab_join(&importer);
	exporter = lab_fork(&lab, LAB_HOST, exporter_main, &cell);
	importer = lab_fork(&lab, LAB_HOST, import_refused_main, NULL);
	lab_recv(exporter.sock, &out, sizeof(out));
	lab_send(importer.sock, &out, sizeof(out));
	lab_join(&importer);
	lab_kill(&exporter);
}
END_TEST

/* --- numbers of access --- */

/* The rights of a number, as the importer has them. */
struct number {
	struct doca_mmap *(*export)(struct doca_dev *dev, void *addr, size_t len, uint32_t number,
				    struct mmap_end_desc *desc_out);
	const struct mmap_end *end;
	uint32_t number;
	doca_error_t reads, writes;
};

static const struct number numbers[] = {
	/*
	 * REMOTE_READ has the value of RDMA_WRITE; REMOTE_WRITE, which is not granted without it,
	 * that of RDMA_READ.
	 */
	{mmap_end_number_1_3, &mmap_end_1_3, 4, DOCA_SUCCESS, DOCA_ERROR_NOT_PERMITTED},
	{mmap_end_number_2_2, &mmap_end_2_2, 4, DOCA_ERROR_NOT_PERMITTED, DOCA_SUCCESS},
	{mmap_end_number_1_3, &mmap_end_1_3, 2, DOCA_SUCCESS, DOCA_SUCCESS},
	{mmap_end_number_2_2, &mmap_end_2_2, 2, DOCA_SUCCESS, DOCA_ERROR_NOT_PERMITTED},
};

static void number_host(int sock, void *arg)
{
	const struct number *number = arg;
	struct doca_dev *dev = use_dev(USE_HOST_PF0);
	struct handover out = {.addr = memory};
	struct doca_mmap *mmap;

	use_fill(memory, LEN, 1);
	mmap = number->export(dev, memory, LEN, number->number, &out.desc);
	lab_send(sock, &out, sizeof(out));
	lab_wait(sock);
	ck_assert(use_is_filled(memory, LEN, number->writes == DOCA_SUCCESS ? 2 : 1));
	number->end->end(mmap);
	OK(doca_dev_close(dev));
}

/* Copies everything in one direction. A context whose task fails must be started again. */
static doca_error_t number_copy(struct doca_dev *dev, const struct part *part, uint8_t *remote,
				bool writes)
{
	doca_error_t result = DOCA_SUCCESS;

	for (size_t at = 0; at < LEN && result == DOCA_SUCCESS; at += LEN / 2) {
		struct use_dma use;

		use_dma_open(&use, dev, 1);
		result = writes ? copy(&use, part, part->local, memory + at, part, part->remote,
				       remote + at, LEN / 2)
				: copy(&use, part, part->remote, remote + at, part, part->local,
				       memory + at, LEN / 2);
		use_dma_close(&use);
	}
	return result;
}

static void number_dpu(int sock, void *arg)
{
	const struct number *number = arg;
	struct doca_dev *dev = use_dev(USE_DPU_P0);
	struct handover in;
	struct part part;

	lab_recv(sock, &in, sizeof(in));
	part = part_open(&mmap_end_1_5, dev, &in.desc);
	EXPECT(number->reads, number_copy(dev, &part, in.addr, false));
	ck_assert(use_is_filled(memory, LEN, 1) == (number->reads == DOCA_SUCCESS));
	use_fill(memory, LEN, 2);
	EXPECT(number->writes, number_copy(dev, &part, in.addr, true));
	part_close(&part);
	OK(doca_dev_close(dev));
}

START_TEST(test_number)
{
	struct lab_child exporter, importer;
	struct handover handover;

	exporter = lab_fork(&lab, LAB_HOST, number_host, (void *)&numbers[_i]);
	importer = lab_fork(&lab, LAB_DPU, number_dpu, (void *)&numbers[_i]);
	lab_recv(exporter.sock, &handover, sizeof(handover));
	lab_send(importer.sock, &handover, sizeof(handover));
	lab_join(&importer);
	lab_signal(exporter.sock);
	lab_join(&exporter);
}
END_TEST

static void setup(void)
{
	lab_setup(&lab, NULL);
}

static void teardown(void)
{
	lab_teardown(&lab);
}

static void add_cases(Suite *suite)
{
	TCase *cases = tcase_create("matrix");

	tcase_add_checked_fixture(cases, setup, teardown);
	tcase_set_timeout(cases, RUNNER_TEST_S);
	suite_add_tcase(suite, cases);
	tcase_add_loop_test(cases, test_host, 0, (int)ARRAY_LEN(ends));
	tcase_add_loop_test(cases, test_dpu, 0, (int)ARRAY_LEN(ends));
	tcase_add_loop_test(cases, test_passed_on, 0, (int)ARRAY_LEN(ends));
	tcase_add_test(cases, test_card);
	tcase_add_loop_test(cases, test_number, 0, (int)ARRAY_LEN(numbers));
	tcase_add_loop_test(cases, test_all_in_one, 0, (int)ARRAY_LEN(ends));
}

int main(void)
{
	lab_require();
	return runner_main("exports between generations", add_cases, NULL);
}
