/*
 * Jobs on polled work queues. strace shows that they make no system call between the program's
 * marks, and counters that they allocate no memory and take no lock. Digests, complete and in
 * segments, and graphs of copies and digests, in one process; a sync event that two processes
 * change and wait for. This file is compiled for 2.0 and for 2.2. Copies are in jobs_test.c.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <doca_buf.h>
#include <doca_buf_inventory.h>
#include <doca_ctx.h>
#include <doca_dev.h>
#include <doca_dma.h>
#include <doca_graph.h>
#include <doca_mmap.h>
#include <doca_sha.h>

#include "tests/integration/sync/handover.h"
#include "tests/lib/expect.h"
#include "tests/lib/hot.h"
#include "tests/lib/runner.h"
#include "tests/lib/traced.h"

#define N_TURNS  (2 * traced_n(25000)) /* of the hand-over */
#define N_ROUNDS 5000u                 /* of DEPTH digests of each type, and of as many segments */
#define DEPTH    8u
#define LEN      1024u /* bytes of a message or segment */
#define N_GRAPHS 3000u /* rounds of DEPTH instances */
#define N_COPIES 3u    /* per instance: more than the queue accepts at once */

static struct lab lab;
static struct traced traced_as;

/* --- a sync event --- */

static void run_sync(void)
{
	const struct handover_role *role = &VERSIONED(handover_);
	bool is_exporter = strcmp(traced_as.name, "exporter") == 0;
	struct handover_desc desc = {0};
	doca_error_t result = DOCA_SUCCESS;
	bool in_order = true;
	void *end;

	if (is_exporter) {
		end = role->export(USE_HOST_PF0, HANDOVER_POLLS, false, &desc);
		traced_put(traced_as.dir, &desc, sizeof(desc));
	} else {
		traced_get(traced_as.dir, &desc, sizeof(desc));
		end = role->import(USE_DPU_P0, HANDOVER_POLLS, &desc);
	}
	hot_begin();
	for (uint64_t turn = 0; turn < N_TURNS && in_order && result == DOCA_SUCCESS; turn++) {
		if ((turn % 2 == 0) != is_exporter)
			result = role->await(end, turn);
		else if (turn % 8 < 2)
			role->set(end, role->get(end) + 1);
		else
			in_order = role->add(end, 1) == turn;
	}
	hot_end();
	OK(result);
	ck_assert(in_order);
	/* The process with the last turn may exit: the other one has seen everything. */
	if (is_exporter)
		OK(role->await(end, N_TURNS));
	else
		ck_assert_uint_eq(role->add(end, 1), N_TURNS);
	role->close(end);
}

START_TEST(sync_jobs)
{
	pid_t exporter = traced_start(&lab, LAB_HOST, "exporter", "");
	pid_t importer = traced_start(&lab, LAB_DPU, "importer", "");

	traced_reap(importer, "importer");
	traced_reap(exporter, "exporter");
	ck_assert_uint_eq(traced_count(&lab, "exporter", TRACED_POLL), 0);
	ck_assert_uint_eq(traced_count(&lab, "importer", TRACED_POLL), 0);
}
END_TEST

/* --- digests --- */

static const struct {
	int type, partial_type;
	uint32_t len;
} kinds[] = {
	{DOCA_SHA_JOB_SHA1, DOCA_SHA_JOB_SHA1_PARTIAL, DOCA_SHA1_BYTE_COUNT},
	{DOCA_SHA_JOB_SHA256, DOCA_SHA_JOB_SHA256_PARTIAL, DOCA_SHA256_BYTE_COUNT},
	{DOCA_SHA_JOB_SHA512, DOCA_SHA_JOB_SHA512_PARTIAL, DOCA_SHA512_BYTE_COUNT},
};

static struct {
	struct doca_dev *dev;
	struct doca_mmap *mmap;
	struct doca_buf_inventory *inventory;
	struct doca_sha *sha;
	struct doca_ctx *ctx;
	struct doca_workq *workq;
	struct doca_buf *src, *dst[DEPTH];
	struct doca_sha_partial_session *sessions[ARRAY_LEN(kinds)];
	uint8_t memory[8192];
} program;

#define DIGESTS (program.memory + 4096)

static void program_open(void)
{
	program.dev = use_dev(USE_DPU_P0);
	use_fill(program.memory, LEN, 3);
	OK(doca_mmap_create(NULL, &program.mmap));
	OK(doca_mmap_set_memrange(program.mmap, program.memory, sizeof(program.memory)));
	OK(doca_mmap_set_permissions(program.mmap, DOCA_ACCESS_LOCAL_READ_WRITE));
	OK(doca_mmap_dev_add(program.mmap, program.dev));
	OK(doca_mmap_start(program.mmap));
	OK(doca_buf_inventory_create(NULL, 1 + DEPTH, DOCA_BUF_EXTENSION_NONE, &program.inventory));
	OK(doca_buf_inventory_start(program.inventory));
	OK(doca_buf_inventory_buf_by_data(program.inventory, program.mmap, program.memory, LEN,
					  &program.src));
	for (unsigned i = 0; i < DEPTH; i++)
		OK(doca_buf_inventory_buf_by_addr(program.inventory, program.mmap, DIGESTS + i * 64,
						  64, &program.dst[i]));
	OK(doca_sha_create(&program.sha));
	program.ctx = doca_sha_as_ctx(program.sha);
	OK(doca_ctx_dev_add(program.ctx, program.dev));
	OK(doca_ctx_start(program.ctx));
	OK(doca_workq_create(DEPTH, &program.workq));
	OK(doca_ctx_workq_add(program.ctx, program.workq));
	for (size_t i = 0; i < ARRAY_LEN(kinds); i++)
		OK(doca_sha_partial_session_create(program.sha, program.workq,
						   &program.sessions[i]));
}

static void program_close(void)
{
	for (size_t i = 0; i < ARRAY_LEN(kinds); i++)
		OK(doca_sha_partial_session_destroy(program.sha, program.workq,
						    program.sessions[i]));
	OK(doca_ctx_workq_rm(program.ctx, program.workq));
	OK(doca_workq_destroy(program.workq));
	OK(doca_ctx_stop(program.ctx));
	OK(doca_ctx_dev_rm(program.ctx, program.dev));
	OK(doca_sha_destroy(program.sha));
	OK(doca_buf_refcount_rm(program.src, NULL));
	for (unsigned i = 0; i < DEPTH; i++)
		OK(doca_buf_refcount_rm(program.dst[i], NULL));
	OK(doca_buf_inventory_destroy(program.inventory));
	OK(doca_mmap_destroy(program.mmap));
	use_dev_end(program.dev);
}

static void await(int type, unsigned n)
{
	struct doca_event event;
	doca_error_t result;

	do
		result = doca_workq_progress_retrieve(program.workq, &event, 0);
	while (result == DOCA_ERROR_AGAIN);
	if (result != DOCA_SUCCESS || event.type != type || event.user_data.u64 != n)
		ck_abort_msg("event %u of type %d is wrong", n, type);
}

/* Complete messages, DEPTH at once. */
static void digest(size_t kind)
{
	struct doca_sha_job job = {
		.base = {.type = kinds[kind].type, .ctx = program.ctx},
		.req_buf = program.src,
	};

	for (unsigned i = 0; i < DEPTH; i++) {
		OK(doca_buf_reset_data_len(program.dst[i]));
		job.base.user_data.u64 = i;
		job.resp_buf = program.dst[i];
		OK(doca_workq_submit(program.workq, &job.base));
	}
	for (unsigned i = 0; i < DEPTH; i++)
		await(kinds[kind].type, i);
}

/* One message of DEPTH segments. */
static void digest_segments(size_t kind)
{
	struct doca_sha_partial_job job = {
		.sha_job = {.base = {.type = kinds[kind].partial_type, .ctx = program.ctx},
			    .req_buf = program.src,
			    .resp_buf = program.dst[0]},
		.session = program.sessions[kind],
	};

	OK(doca_buf_reset_data_len(program.dst[0]));
	for (unsigned i = 0; i < DEPTH; i++) {
		job.sha_job.base.user_data.u64 = i;
		job.sha_job.flags = i + 1 == DEPTH ? DOCA_SHA_JOB_FLAGS_SHA_PARTIAL_FINAL
						   : DOCA_SHA_JOB_FLAGS_NONE;
		OK(doca_workq_submit(program.workq, &job.sha_job.base));
		await(kinds[kind].partial_type, i);
	}
}

static void run_sha(void)
{
	uint8_t whole[ARRAY_LEN(kinds)][64], parts[ARRAY_LEN(kinds)][64];
	bool all_equal = true;

	program_open();
	for (size_t i = 0; i < ARRAY_LEN(kinds); i++) {
		digest(i);
		memcpy(whole[i], DIGESTS, kinds[i].len);
		digest_segments(i);
		memcpy(parts[i], DIGESTS, kinds[i].len);
		ck_assert_mem_ne(whole[i], parts[i], kinds[i].len);
	}
	hot_begin();
	for (unsigned n = 0; n < N_ROUNDS; n++) {
		size_t i = n % ARRAY_LEN(kinds);

		digest(i);
		all_equal &= memcmp(DIGESTS, whole[i], kinds[i].len) == 0;
		all_equal &= memcmp(DIGESTS + (DEPTH - 1) * 64, whole[i], kinds[i].len) == 0;
		digest_segments(i);
		all_equal &= memcmp(DIGESTS, parts[i], kinds[i].len) == 0;
	}
	hot_end();
	ck_assert(all_equal);
	program_close();
}

START_TEST(sha_jobs)
{
	pid_t pid = traced_start(&lab, LAB_DPU, "sha", "");

	traced_reap(pid, "sha");
	ck_assert_uint_eq(traced_count(&lab, "sha", NULL), 0);
}
END_TEST

/* --- graphs --- */

/* One instance: parallel copies in an instance of their own, a digest of the last one, a check. */
struct step {
	struct doca_graph_instance *instance, *copies;
	struct doca_dma_job_memcpy copy_jobs[N_COPIES];
	struct doca_sha_job digest_job;
	struct doca_event copy_events[N_COPIES], copied, digested, seen;
	struct doca_buf *to[N_COPIES], *out;
	unsigned n_seen;
};

static struct {
	struct doca_dma *dma;
	struct doca_ctx *ctx;
	struct doca_buf_inventory *inventory;
	struct doca_graph *copies, *whole;
	struct doca_graph_node *copy[N_COPIES], *copied, *digest, *look;
	struct step steps[DEPTH];
	unsigned n_wrong;
} graphs;

static doca_error_t on_digested(void *cookie, struct doca_event *event)
{
	struct step *step = cookie;

	(void)event;
	step->n_seen++;
	graphs.n_wrong += step->digested.type != DOCA_SHA_JOB_SHA256 ||
			  step->copied.result.u64 != DOCA_SUCCESS;
	for (unsigned i = 0; i < N_COPIES; i++)
		graphs.n_wrong += step->copy_events[i].result.u64 != DOCA_SUCCESS;
	return DOCA_SUCCESS;
}

static void graphs_make(void)
{
	OK(doca_graph_create(&graphs.copies));
	for (unsigned i = 0; i < N_COPIES; i++)
		OK(doca_graph_ctx_node_create(graphs.copies, DOCA_DMA_JOB_MEMCPY, graphs.ctx,
					      &graphs.copy[i]));
	OK(doca_graph_start(graphs.copies));
	OK(doca_graph_create(&graphs.whole));
	OK(doca_graph_sub_graph_node_create(graphs.whole, graphs.copies, &graphs.copied));
	OK(doca_graph_ctx_node_create(graphs.whole, DOCA_SHA_JOB_SHA256, program.ctx,
				      &graphs.digest));
	OK(doca_graph_user_node_create(graphs.whole, on_digested, &graphs.look));
	OK(doca_graph_add_dependency(graphs.whole, graphs.copied, graphs.digest));
	OK(doca_graph_add_dependency(graphs.whole, graphs.digest, graphs.look));
	OK(doca_graph_start(graphs.whole));
	OK(doca_graph_workq_add(graphs.whole, program.workq));
}

/* All copy to one place, which the digests read: the bytes are always the same. */
static void step_make(struct step *step)
{
	OK(doca_graph_instance_create(graphs.copies, &step->copies));
	for (unsigned i = 0; i < N_COPIES; i++) {
		OK(doca_buf_inventory_buf_by_addr(graphs.inventory, program.mmap,
						  program.memory + 2048, LEN, &step->to[i]));
		step->copy_jobs[i] = (struct doca_dma_job_memcpy){
			.base = {.type = DOCA_DMA_JOB_MEMCPY, .ctx = graphs.ctx},
			.src_buff = program.src,
			.dst_buff = step->to[i],
		};
		OK(doca_graph_instance_set_ctx_node_data(step->copies, graphs.copy[i],
							 &step->copy_jobs[i].base,
							 &step->copy_events[i]));
	}
	OK(doca_buf_inventory_buf_by_addr(graphs.inventory, program.mmap, DIGESTS, 64, &step->out));
	step->digest_job = (struct doca_sha_job){
		.base = {.type = DOCA_SHA_JOB_SHA256, .ctx = program.ctx},
		.req_buf = step->to[N_COPIES - 1],
		.resp_buf = step->out,
	};
	OK(doca_graph_instance_create(graphs.whole, &step->instance));
	OK(doca_graph_instance_set_sub_graph_node_data(step->instance, graphs.copied, step->copies,
						       &step->copied));
	OK(doca_graph_instance_set_ctx_node_data(step->instance, graphs.digest,
						 &step->digest_job.base, &step->digested));
	OK(doca_graph_instance_set_user_node_data(step->instance, graphs.look, step, &step->seen));
}

static void graphs_open(void)
{
	program_open();
	OK(doca_dma_create(&graphs.dma));
	graphs.ctx = doca_dma_as_ctx(graphs.dma);
	OK(doca_ctx_dev_add(graphs.ctx, program.dev));
	OK(doca_ctx_start(graphs.ctx));
	OK(doca_ctx_workq_add(graphs.ctx, program.workq));
	OK(doca_buf_inventory_create(NULL, DEPTH * (N_COPIES + 1), DOCA_BUF_EXTENSION_NONE,
				     &graphs.inventory));
	OK(doca_buf_inventory_start(graphs.inventory));
	graphs_make();
	for (unsigned i = 0; i < DEPTH; i++)
		step_make(&graphs.steps[i]);
}

static void graphs_close(void)
{
	for (unsigned i = 0; i < DEPTH; i++) {
		struct step *step = &graphs.steps[i];

		OK(doca_graph_instance_destroy(step->instance));
		OK(doca_graph_instance_destroy(step->copies));
		for (unsigned k = 0; k < N_COPIES; k++)
			OK(doca_buf_refcount_rm(step->to[k], NULL));
		OK(doca_buf_refcount_rm(step->out, NULL));
	}
	OK(doca_graph_workq_rm(graphs.whole, program.workq));
	OK(doca_graph_stop(graphs.whole));
	OK(doca_graph_destroy(graphs.whole));
	OK(doca_graph_stop(graphs.copies));
	OK(doca_graph_destroy(graphs.copies));
	OK(doca_buf_inventory_destroy(graphs.inventory));
	OK(doca_ctx_workq_rm(graphs.ctx, program.workq));
	OK(doca_ctx_stop(graphs.ctx));
	OK(doca_ctx_dev_rm(graphs.ctx, program.dev));
	OK(doca_dma_destroy(graphs.dma));
	program_close();
}

/* DEPTH instances at once; they complete in any order. */
static void graphs_round(void)
{
	struct doca_event event;
	doca_error_t result;

	for (unsigned i = 0; i < DEPTH; i++) {
		struct step *step = &graphs.steps[i];

		for (unsigned k = 0; k < N_COPIES; k++)
			OK(doca_buf_reset_data_len(step->to[k]));
		OK(doca_buf_reset_data_len(step->out));
		OK(doca_workq_graph_submit(program.workq, step->instance,
					   (union doca_data){.u64 = i}));
	}
	for (unsigned i = 0; i < DEPTH; i++) {
		do
			result = doca_workq_progress_retrieve(program.workq, &event, 0);
		while (result == DOCA_ERROR_AGAIN);
		graphs.n_wrong += result != DOCA_SUCCESS || event.type != DOCA_GRAPH_JOB ||
				  event.result.u64 != DOCA_SUCCESS;
	}
}

static void run_graphs(void)
{
	uint8_t whole[DOCA_SHA256_BYTE_COUNT];
	bool all_equal = true;

	graphs_open();
	digest(1);
	memcpy(whole, DIGESTS, sizeof(whole));
	memset(DIGESTS, 0, sizeof(whole));
	graphs_round();
	hot_begin();
	for (unsigned n = 0; n < N_GRAPHS; n++) {
		graphs_round();
		all_equal &= memcmp(DIGESTS, whole, sizeof(whole)) == 0;
	}
	hot_end();
	ck_assert(all_equal);
	ck_assert_uint_eq(graphs.n_wrong, 0);
	for (unsigned i = 0; i < DEPTH; i++)
		ck_assert_uint_eq(graphs.steps[i].n_seen, N_GRAPHS + 1);
	graphs_close();
}

START_TEST(graph_jobs)
{
	pid_t pid = traced_start(&lab, LAB_DPU, "graphs", "");

	traced_reap(pid, "graphs");
	ck_assert_uint_eq(traced_count(&lab, "graphs", NULL), 0);
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
	TCase *tcase = runner_case(suite, "jobs without system calls");

	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_test(tcase, sync_jobs);
	tcase_add_test(tcase, sha_jobs);
	tcase_add_test(tcase, graph_jobs);
}

int main(int argc, char **argv)
{
	if (traced_parse(argc, argv, &traced_as))
		return traced_main(strcmp(traced_as.name, "sha") == 0      ? run_sha
				   : strcmp(traced_as.name, "graphs") == 0 ? run_graphs
									   : run_sync);
	lab_require();
	if (!traced_is_possible())
		return RUNNER_SKIPPED;
	return runner_main("jobs_hot", add_cases, NULL);
}
