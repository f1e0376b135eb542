/*
 * Copies by jobs on work queues, as programs of 1.3, of 1.5, of 2.0 and of 2.2 write them. This
 * file is compiled once for each (jobs_1_3_test, ...). It copies within a process and from memory
 * that another process exported on the other side; it waits by polling and, from 1.5 on, on the
 * queue's handle. strace and counters show that a job makes no system call, allocates no memory and
 * takes no lock.
 */
#include <doca_buf.h>
#include <doca_buf_inventory.h>
#include <doca_ctx.h>
#include <doca_dev.h>
#include <doca_dma.h>
#include <doca_mmap.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/lib/allocount.h"
#include "tests/lib/expect.h"
#include "tests/lib/hot.h"
#include "tests/lib/lab.h"
#include "tests/lib/runner.h"
#include "tests/lib/traced.h"

#define IS_1_3 (DOCA_USE_VERSION < DOCA_MAKE_VERSION(1, 5))
#define IS_1_5 \
	(DOCA_USE_VERSION >= DOCA_MAKE_VERSION(1, 5) && DOCA_USE_VERSION < DOCA_MAKE_VERSION(2, 0))

#define LEN             4096u
#define PIECE           64u
#define DEPTH           16u
#define N_HOT           6400u /* rounds of DEPTH */
#define IS_EVENT_DRIVEN true

struct export_descriptor {
	size_t len;
	uint64_t addr;
	uint8_t bytes[512];
};

static struct lab lab;

/* --- differences between the versions --- */

#if IS_1_3 || IS_1_5
static struct doca_mmap *map_new(struct doca_dev *dev, void *addr, size_t len)
{
	struct doca_mmap *mmap;

#if IS_1_3
	OK(doca_mmap_create("map", &mmap));
#else
	OK(doca_mmap_create(NULL, &mmap));
#endif
	OK(doca_mmap_start(mmap));
	OK(doca_mmap_dev_add(mmap, dev));
	OK(doca_mmap_populate(mmap, addr, len, 4096, NULL, NULL));
	return mmap;
}
#else
static struct doca_mmap *map_new(struct doca_dev *dev, void *addr, size_t len)
{
	struct doca_mmap *mmap;

	OK(doca_mmap_create(NULL, &mmap));
	OK(doca_mmap_set_memrange(mmap, addr, len));
	OK(doca_mmap_set_permissions(mmap,
				     DOCA_ACCESS_LOCAL_READ_WRITE | DOCA_ACCESS_DPU_READ_ONLY));
	OK(doca_mmap_dev_add(mmap, dev));
	OK(doca_mmap_start(mmap));
	return mmap;
}
#endif

static void map_export(struct doca_mmap *mmap, struct doca_dev *dev,
		       struct export_descriptor *descriptor)
{
#if IS_1_3
	uint8_t *desc;
#elif IS_1_5
	void *desc;
#else
	const void *desc;
#endif

#if IS_1_3 || IS_1_5
	OK(doca_mmap_export(mmap, dev, &desc, &descriptor->len));
#else
	OK(doca_mmap_export_dpu(mmap, dev, &desc, &descriptor->len));
#endif
	ck_assert_uint_le(descriptor->len, sizeof(descriptor->bytes));
	memcpy(descriptor->bytes, desc, descriptor->len);
#if IS_1_3 || IS_1_5
	free(desc);
#endif
}

static struct doca_mmap *map_import(struct doca_dev *dev,
				    const struct export_descriptor *descriptor)
{
	struct doca_mmap *mmap;

#if IS_1_3
	OK(doca_mmap_create_from_export("import", descriptor->bytes, descriptor->len, dev, &mmap));
#else
	OK(doca_mmap_create_from_export(NULL, descriptor->bytes, descriptor->len, dev, &mmap));
#endif
	return mmap;
}

static struct doca_buf_inventory *inventory_new(size_t n)
{
	struct doca_buf_inventory *inventory;

#if IS_1_3
	OK(doca_buf_inventory_create("bufs", n, DOCA_BUF_EXTENSION_NONE, &inventory));
#else
	OK(doca_buf_inventory_create(NULL, n, DOCA_BUF_EXTENSION_NONE, &inventory));
#endif
	OK(doca_buf_inventory_start(inventory));
	return inventory;
}

/* From 1.5 on, a buffer's data section defines what is read from it. */
static void buf_fill(struct doca_buf *buf, void *addr, size_t len)
{
#if IS_1_3
	(void)buf;
	(void)addr;
	(void)len;
#else
	OK(doca_buf_set_data(buf, addr, len));
#endif
}

static void job_set_len(struct doca_dma_job_memcpy *job, size_t len)
{
#if IS_1_3
	job->num_bytes_to_copy = len;
#else
	(void)job;
	(void)len;
#endif
}

/* From 2.2 on, output is appended to existing data, so a reused buffer is emptied. */
static void buf_reuse(struct doca_buf *buf)
{
#if DOCA_USE_VERSION < DOCA_MAKE_VERSION(2, 2)
	(void)buf;
#else
	OK(doca_buf_reset_data_len(buf));
#endif
}

/* --- a program --- */

struct program {
	struct doca_dev *dev;
	struct doca_dma *dma;
	struct doca_ctx *ctx;
	struct doca_workq *workq;
	struct doca_buf_inventory *inventory;
	bool waits;
};

static void program_open(struct program *p, const char *pci_addr, bool waits)
{
	p->dev = use_dev(pci_addr);
	p->waits = waits;
	OK(doca_dma_create(&p->dma));
	p->ctx = doca_dma_as_ctx(p->dma);
	OK(doca_ctx_dev_add(p->ctx, p->dev));
	OK(doca_ctx_start(p->ctx));
	OK(doca_workq_create(DEPTH, &p->workq));
#if !IS_1_3
	if (waits)
		OK(doca_workq_set_event_driven_enable(p->workq, 1));
#endif
	OK(doca_ctx_workq_add(p->ctx, p->workq));
	p->inventory = inventory_new(2 * DEPTH);
}

static void program_close(struct program *p)
{
	OK(doca_buf_inventory_destroy(p->inventory));
	OK(doca_ctx_workq_rm(p->ctx, p->workq));
	OK(doca_workq_destroy(p->workq));
	OK(doca_ctx_stop(p->ctx));
	OK(doca_ctx_dev_rm(p->ctx, p->dev));
	OK(doca_dma_destroy(p->dma));
	OK(doca_dev_close(p->dev));
}

static struct doca_buf *buf_new(struct program *p, struct doca_mmap *mmap, void *addr, size_t len)
{
	struct doca_buf *buf;

	OK(doca_buf_inventory_buf_by_addr(p->inventory, mmap, addr, len, &buf));
	return buf;
}

static void wait_for_event(struct program *p)
{
#if !IS_1_3
	struct pollfd pfd = {.events = POLLIN};

	if (!p->waits)
		return;
	OK(doca_workq_get_event_handle(p->workq, &pfd.fd));
	OK(doca_workq_event_handle_arm(p->workq));
	ck_assert_int_eq(poll(&pfd, 1, (int)runner_timeout_ms(10000)), 1);
	OK(doca_workq_event_handle_clear(p->workq, pfd.fd));
#else
	(void)p;
#endif
}

static doca_error_t event_get(struct program *p, struct doca_event *event)
{
	doca_error_t result;

	for (;;) {
		result = doca_workq_progress_retrieve(p->workq, event,
						      DOCA_WORKQ_RETRIEVE_FLAGS_NONE);
		if (result != DOCA_ERROR_AGAIN)
			return result;
		wait_for_event(p);
	}
}

/* DEPTH pieces of LEN bytes each, from and to; all jobs of a round complete before the next. */
struct pieces {
	struct doca_buf *src[DEPTH], *dst[DEPTH];
	struct doca_dma_job_memcpy jobs[DEPTH];
};

static void pieces_open(struct program *p, struct pieces *pieces, struct doca_mmap *src,
			uint8_t *from, struct doca_mmap *dst, uint8_t *to)
{
	for (unsigned i = 0; i < DEPTH; i++) {
		size_t at = (size_t)i * PIECE;
		struct doca_dma_job_memcpy *job = &pieces->jobs[i];

		pieces->src[i] = buf_new(p, src, (void *)(from + at), PIECE);
		buf_fill(pieces->src[i], from + at, PIECE);
		pieces->dst[i] = buf_new(p, dst, (void *)(to + at), PIECE);
		memset(job, 0, sizeof(*job));
		job->base.type = DOCA_DMA_JOB_MEMCPY;
		job->base.flags = DOCA_JOB_FLAGS_NONE;
		job->base.ctx = p->ctx;
		job->base.user_data.u64 = i;
		job->src_buff = pieces->src[i];
		job->dst_buff = pieces->dst[i];
		job_set_len(job, PIECE);
	}
}

static void pieces_copy(struct program *p, struct pieces *pieces)
{
	struct doca_event event;

	for (unsigned i = 0; i < DEPTH; i++) {
		buf_reuse(pieces->dst[i]);
		OK(doca_workq_submit(p->workq, &pieces->jobs[i].base));
	}
	for (unsigned i = 0; i < DEPTH; i++) {
		OK(event_get(p, &event));
		if (event.type != DOCA_DMA_JOB_MEMCPY || event.user_data.u64 != i ||
		    event.result.u64 != DOCA_SUCCESS)
			ck_abort_msg("event %u is wrong", i);
	}
}

static void pieces_close(struct pieces *pieces)
{
	uint16_t count;

	for (unsigned i = 0; i < DEPTH; i++) {
		OK(doca_buf_refcount_rm(pieces->src[i], &count));
		OK(doca_buf_refcount_rm(pieces->dst[i], NULL));
		ck_assert_uint_eq(count, 1);
	}
}

/* --- within a process --- */

static uint8_t from[LEN] __attribute__((aligned(4096))), to[LEN] __attribute__((aligned(4096)));

static void copy_local(bool waits)
{
	struct doca_mmap *src, *dst;
	struct pieces pieces;
	struct program p;

	lab_use(&lab, LAB_DPU);
	program_open(&p, USE_DPU_P0, waits);
	src = map_new(p.dev, from, LEN);
	dst = map_new(p.dev, to, LEN);
	pieces_open(&p, &pieces, src, from, dst, to);
	for (uint32_t round = 1; round < 4; round++) {
		use_fill(from, LEN, round);
		pieces_copy(&p, &pieces);
		ck_assert_mem_eq(to, from, DEPTH * PIECE);
	}
	pieces_close(&pieces);
	OK(doca_mmap_destroy(src));
	OK(doca_mmap_destroy(dst));
	program_close(&p);
	leaks_allow_fds(1);
}

START_TEST(polling)
{
	copy_local(!IS_EVENT_DRIVEN);
}
END_TEST

START_TEST(waiting)
{
	copy_local(IS_EVENT_DRIVEN);
}
END_TEST

START_TEST(a_job_that_fails_has_an_event)
{
	struct doca_event event;
	struct doca_mmap *src, *dst;
	struct pieces pieces;
	struct program p;

	lab_use(&lab, LAB_DPU);
	program_open(&p, USE_DPU_P0, !IS_EVENT_DRIVEN);
	/* A map of another device. */
	dst = map_new(p.dev, to, LEN);
	{
		struct doca_dev *other = use_dev(USE_DPU_P1);

		src = map_new(other, from, LEN);
		pieces_open(&p, &pieces, src, from, dst, to);
		OK(doca_workq_submit(p.workq, &pieces.jobs[3].base));
		EXPECT(DOCA_ERROR_IO_FAILED, event_get(&p, &event));
		ck_assert_uint_eq(event.user_data.u64, 3);
		ck_assert_uint_eq(event.result.u64, DOCA_ERROR_IO_FAILED);
		EXPECT(DOCA_ERROR_AGAIN, doca_workq_progress_retrieve(p.workq, &event, 0));
		pieces_close(&pieces);
		OK(doca_mmap_destroy(src));
		OK(doca_dev_close(other));
	}
	/* The context continues. */
	src = map_new(p.dev, from, LEN);
	use_fill(from, LEN, 9);
	pieces_open(&p, &pieces, src, from, dst, to);
	pieces_copy(&p, &pieces);
	ck_assert_mem_eq(to, from, DEPTH * PIECE);
	pieces_close(&pieces);
	OK(doca_mmap_destroy(src));
	OK(doca_mmap_destroy(dst));
	program_close(&p);
	leaks_allow_fds(1);
}
END_TEST

/* --- from the other side --- */

static void host_run(int sock, void *arg)
{
	struct doca_dev *dev = use_dev(USE_HOST_PF0);
	struct doca_mmap *mmap;
	struct export_descriptor descriptor = {.addr = (uintptr_t)from};

	(void)arg;
	use_fill(from, LEN, 77);
	mmap = map_new(dev, from, LEN);
	map_export(mmap, dev, &descriptor);
	lab_send(sock, &descriptor, sizeof(descriptor));
	lab_wait(sock);
	OK(doca_mmap_destroy(mmap));
	OK(doca_dev_close(dev));
	leaks_allow_fds(1);
}

static void dpu_run(int sock, void *arg)
{
	struct export_descriptor descriptor;
	struct doca_mmap *src, *dst;
	struct pieces pieces;
	struct program p;

	lab_recv(sock, &descriptor, sizeof(descriptor));
	program_open(&p, USE_DPU_P0, arg != NULL);
	src = map_import(p.dev, &descriptor);
	dst = map_new(p.dev, to, LEN);
	pieces_open(&p, &pieces, src, (uint8_t *)(uintptr_t)descriptor.addr, dst, to);
	for (int round = 0; round < 3; round++) {
		memset(to, 0, LEN);
		pieces_copy(&p, &pieces);
		ck_assert(use_is_filled(to, DEPTH * PIECE, 77));
	}
	pieces_close(&pieces);
	OK(doca_mmap_destroy(src));
	OK(doca_mmap_destroy(dst));
	program_close(&p);
	leaks_allow_fds(1);
}

static void copy_remote(void *arg)
{
	struct lab_child host = lab_fork(&lab, LAB_HOST, host_run, NULL);
	struct lab_child dpu = lab_fork(&lab, LAB_DPU, dpu_run, arg);
	struct export_descriptor descriptor;

	lab_recv(host.sock, &descriptor, sizeof(descriptor));
	lab_send(dpu.sock, &descriptor, sizeof(descriptor));
	lab_join(&dpu);
	lab_signal(host.sock);
	lab_join(&host);
}

START_TEST(polling_for_the_other_side_s)
{
	copy_remote(NULL);
}
END_TEST

START_TEST(waiting_for_the_other_side_s)
{
	copy_remote(&lab);
}
END_TEST

/* --- without system calls and allocations --- */

static void run_hot(void)
{
	struct doca_mmap *src, *dst;
	struct pieces pieces;
	struct doca_event event;
	struct program p;

	use_fill(from, LEN, 5);
	program_open(&p, USE_DPU_P0, !IS_EVENT_DRIVEN);
	src = map_new(p.dev, from, LEN);
	dst = map_new(p.dev, to, LEN);
	pieces_open(&p, &pieces, src, from, dst, to);
	pieces_copy(&p, &pieces);
	hot_begin();
	for (unsigned i = 0; i < N_HOT; i++)
		pieces_copy(&p, &pieces);
	for (unsigned i = 0; i < N_HOT; i++)
		EXPECT(DOCA_ERROR_AGAIN, doca_workq_progress_retrieve(p.workq, &event, 0));
	hot_end();
	ck_assert_mem_eq(to, from, DEPTH * PIECE);
	pieces_close(&pieces);
	OK(doca_mmap_destroy(src));
	OK(doca_mmap_destroy(dst));
	program_close(&p);
}

START_TEST(a_job_costs_neither_calls_nor_memory)
{
	pid_t pid = traced_start(&lab, LAB_DPU, "hot", "");

	traced_reap(pid, "hot");
	ck_assert_uint_eq(traced_count(&lab, "hot", NULL), 0);
}
END_TEST

static void setup(void)
{
	lab_start(&lab, NULL);
}

static void teardown(void)
{
	lab_stop(&lab);
}

static void add_cases(Suite *suite)
{
	TCase *tcase = runner_case(suite, "jobs");

	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_test(tcase, polling);
	tcase_add_test(tcase, polling_for_the_other_side_s);
	if (!IS_1_3) {
		tcase_add_test(tcase, waiting);
		tcase_add_test(tcase, waiting_for_the_other_side_s);
	}
	tcase_add_test(tcase, a_job_that_fails_has_an_event);
	/* A sanitizer makes system calls itself. */
	if (allocount_works && traced_is_possible())
		tcase_add_test(tcase, a_job_costs_neither_calls_nor_memory);
}

int main(int argc, char **argv)
{
	struct traced traced;

	if (traced_parse(argc, argv, &traced))
		return traced_main(run_hot);
	lab_require();
	return runner_main("jobs", add_cases, NULL);
}
