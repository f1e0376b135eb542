/*
 * SHA, sync events and graphs as programs of 2.0 to 2.2 use them: every result code that 2.2.0
 * documents is provoked, or listed with the reason why not. Runs on the host side of a lab; a
 * process of the DPU imports what it exports.
 */
#include <poll.h>
#include <string.h>

#include <doca_dma.h>
#include <doca_graph.h>
#include <doca_sha.h>
#include <doca_sync_event.h>

#include "tests/conformance/other_jobs.h"
#include "tests/conformance/v2_2/jobs.h"

/* Stand-ins for objects that cannot be created here; never dereferenced. */
static char nothing;
static struct doca_dpa *const dpa = (void *)&nothing;
static struct doca_gpu *const gpu = (void *)&nothing;

/* --- SHA --- */

/* The digest of "abc". */
static const uint8_t abc_sha256[DOCA_SHA256_BYTE_COUNT] = {
	0xba, 0x78, 0x16, 0xbf, 0x8f, 0x01, 0xcf, 0xea, 0x41, 0x41, 0x40,
	0xde, 0x5d, 0xae, 0x22, 0x23, 0xb0, 0x03, 0x61, 0xa3, 0x96, 0x17,
	0x7a, 0x9c, 0xb4, 0x10, 0xff, 0x61, 0xf2, 0x00, 0x15, 0xad};

START_TEST(test_sha)
{
	struct doca_sha_partial_session *session, *other, *none = NULL;
	struct doca_buf *src = source(0, 3), *dst = destination(64, 64),
			*out = destination(128, 64);
	struct doca_sha_partial_job job;
	struct doca_event event;
	uint64_t size;
	uint32_t n;
	struct doca_sha *sha;

	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_sha_create(NULL));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_sha_destroy(NULL));
	if (allocount_works)
		RUNS_OUT(0, doca_sha_create(&sha));
	PASSES(doca_sha_create(&sha));
	ck_assert_ptr_nonnull(CALLED(doca_sha_as_ctx(sha)));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_sha_partial_session_create(sha, workq, &session));
	ctx_open(doca_sha_as_ctx(sha));
	RETURNS(DOCA_ERROR_IN_USE, doca_sha_destroy(sha));
	if (allocount_works)
		RUNS_OUT(0, doca_sha_partial_session_create(sha, workq, &session));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_sha_partial_session_create(NULL, workq, &session));
	PASSES(doca_sha_partial_session_create(sha, workq, &session));
	PASSES(doca_sha_partial_session_create(sha, workq, &other));
	memcpy(memory, "abc", 3);
	job = (struct doca_sha_partial_job){
		.sha_job = {.base = {.type = DOCA_SHA_JOB_SHA256_PARTIAL,
				     .ctx = doca_sha_as_ctx(sha),
				     .user_data = {.ptr = &job}},
			    .req_buf = src,
			    .resp_buf = dst,
			    .flags = DOCA_SHA_JOB_FLAGS_SHA_PARTIAL_FINAL},
		.session = session};
	OK(doca_workq_submit(workq, &job.sha_job.base));
	RETURNS(DOCA_ERROR_UNEXPECTED, doca_sha_partial_session_copy(sha, workq, session, other));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_sha_partial_session_destroy(sha, workq, session));
	OK(await(&event));
	ck_assert_int_eq(event.type, DOCA_SHA_JOB_SHA256_PARTIAL);
	ck_assert_ptr_eq(event.user_data.ptr, &job);
	ck_assert_mem_eq(memory + 64, abc_sha256, sizeof(abc_sha256));
	PASSES(doca_sha_partial_session_copy(sha, workq, session, other));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_sha_partial_session_copy(sha, workq, none, other));
	job.sha_job.base.type = DOCA_SHA_JOB_SHA256;
	job.sha_job.flags = DOCA_SHA_JOB_FLAGS_NONE;
	job.sha_job.resp_buf = out;
	OK(doca_workq_submit(workq, &job.sha_job.base));
	OK(await(&event));
	ck_assert_mem_eq(memory + 128, abc_sha256, sizeof(abc_sha256));
	PASSES(doca_sha_partial_session_destroy(sha, workq, session));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_sha_partial_session_destroy(sha, workq, none));
	ctx_close(doca_sha_as_ctx(sha));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_sha_partial_session_destroy(sha, workq, other));
	PASSES(doca_sha_destroy(sha));
	PASSES(doca_sha_job_get_supported(info, DOCA_SHA_JOB_SHA512_PARTIAL));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_sha_job_get_supported(NULL, DOCA_SHA_JOB_SHA1));
	EXPECT(DOCA_ERROR_INVALID_VALUE,
	       doca_sha_job_get_supported(info, (enum doca_sha_job_type)7));
	PASSES(doca_sha_get_max_list_buf_num_elem(info, &n));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_sha_get_max_list_buf_num_elem(info, NULL));
	PASSES(doca_sha_get_max_src_buffer_size(info, &size));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_sha_get_max_src_buffer_size(NULL, &size));
	PASSES(doca_sha_get_min_dst_buffer_size(info, DOCA_SHA_JOB_SHA512_PARTIAL, &n));
	ck_assert_uint_eq(n, DOCA_SHA512_BYTE_COUNT);
	PASSES(doca_sha_get_min_dst_buffer_size(info, DOCA_SHA_JOB_SHA1, &n));
	ck_assert_uint_eq(n, DOCA_SHA1_BYTE_COUNT);
	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_sha_get_min_dst_buffer_size(info, (enum doca_sha_job_type)1, &n));
	RETURNS(DOCA_ERROR_NOT_SUPPORTED, doca_sha_get_hardware_supported(info));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_sha_get_hardware_supported(NULL));
	buf_release(src);
	buf_release(dst);
	buf_release(out);
}
END_TEST

/* --- sync events --- */

struct desc {
	size_t len;
	uint8_t bytes[256];
};

/* The importing process, on the DPU. */
static void importer(int sock, void *arg)
{
	struct doca_sync_event *event;
	struct doca_dev *dpu;
	struct desc desc;
	const uint8_t *data;
	uint64_t value;
	size_t len;

	(void)arg;
	lab_recv(sock, &desc, sizeof(desc));
	dpu = use_dev(USE_DPU_P0);
	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_sync_event_create_from_export(NULL, desc.bytes, desc.len, &event));
	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_sync_event_create_from_export(dpu, desc.bytes, desc.len, NULL));
	if (allocount_works)
		RUNS_OUT(0, doca_sync_event_create_from_export(dpu, desc.bytes, desc.len, &event));
	PASSES(doca_sync_event_create_from_export(dpu, desc.bytes, desc.len, &event));
	RETURNS(DOCA_ERROR_NOT_SUPPORTED, doca_sync_event_set_addr(event, &value));
	EXPECT(DOCA_ERROR_NOT_PERMITTED, doca_sync_event_publisher_add_location_cpu(event, dpu));
	PASSES(doca_sync_event_start(event));
	PASSES(doca_sync_event_wait_gt(event, 10, UINT64_MAX));
	PASSES(doca_sync_event_update_add(event, 1, &value));
	ck_assert_uint_eq(value, 11);
	RETURNS(DOCA_ERROR_NOT_SUPPORTED, doca_sync_event_export_to_dpu(event, dpu, &data, &len));
	PASSES(doca_sync_event_stop(event));
	PASSES(doca_sync_event_destroy(event));
	OK(doca_dev_close(dpu));
}

static struct doca_sync_event *event_new(bool is_exported)
{
	struct doca_sync_event *event;

	PASSES(doca_sync_event_create(&event));
	if (is_exported)
		PASSES(doca_sync_event_publisher_add_location_dpu(event));
	else
		PASSES(doca_sync_event_publisher_add_location_cpu(event, dev));
	PASSES(doca_sync_event_subscriber_add_location_cpu(event, dev));
	return event;
}

START_TEST(test_sync_export)
{
	struct lab_child child = lab_fork(&lab, LAB_DPU, importer, NULL);
	struct doca_sync_event *event = event_new(true), *none = NULL;
	doca_dpa_dev_sync_event_t dpa_handle;
	doca_gpu_dev_sync_event_t *gpu_handle;
	doca_sync_event_remote_t remote;
	struct desc desc;
	const uint8_t *data;
	uint64_t value;

	EXPECT(DOCA_ERROR_BAD_STATE, doca_sync_event_export_to_dpu(event, dev, &data, &desc.len));
	PASSES(doca_sync_event_start(event));
	PASSES(doca_sync_event_update_set(event, 11));
	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_sync_event_export_to_dpu(none, dev, &data, &desc.len));
	if (allocount_works)
		RUNS_OUT(0, doca_sync_event_export_to_dpu(event, dev, &data, &desc.len));
	PASSES(doca_sync_event_export_to_dpu(event, dev, &data, &desc.len));
	ck_assert_uint_le(desc.len, sizeof(desc.bytes));
	memcpy(desc.bytes, data, desc.len);
	lab_send(child.sock, &desc, sizeof(desc));
	PASSES(doca_sync_event_wait_gt_yield(event, 11, UINT64_MAX));
	lab_join(&child);
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_sync_event_export_to_dpa(event, NULL, &dpa_handle));
	RETURNS(DOCA_ERROR_NOT_SUPPORTED, doca_sync_event_export_to_dpa(event, dpa, &dpa_handle));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_sync_event_export_to_gpu(event, gpu, NULL));
	RETURNS(DOCA_ERROR_NOT_SUPPORTED, doca_sync_event_export_to_gpu(event, gpu, &gpu_handle));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_sync_event_export_remote(none, &remote));
	RETURNS(DOCA_ERROR_NOT_SUPPORTED, doca_sync_event_export_remote(event, &remote));
	PASSES(doca_sync_event_get(event, &value));
	ck_assert_uint_eq(value, 12);
	PASSES(doca_sync_event_destroy(event));
}
END_TEST

START_TEST(test_sync_null)
{
	struct doca_sync_event *none = NULL, *event;
	uint64_t value;

	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_sync_event_create(NULL));
	if (allocount_works)
		RUNS_OUT(0, doca_sync_event_create(&event));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_sync_event_destroy(none));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_sync_event_start(none));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_sync_event_stop(none));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_sync_event_get(none, &value));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_sync_event_update_set(none, 1));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_sync_event_update_add(none, 1, &value));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_sync_event_wait_gt(none, 1, 1));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_sync_event_wait_gt_yield(none, 1, 1));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_sync_event_set_addr(none, &value));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_sync_event_publisher_add_location_cpu(none, dev));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_sync_event_publisher_add_location_dpu(none));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_sync_event_publisher_add_location_dpa(none, dpa));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_sync_event_publisher_add_location_gpu(none, gpu));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_sync_event_subscriber_add_location_cpu(none, dev));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_sync_event_subscriber_add_location_dpu(none));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_sync_event_subscriber_add_location_dpa(none, dpa));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_sync_event_subscriber_add_location_gpu(none, gpu));
	event = event_new(false);
	EXPECT(DOCA_ERROR_NOT_SUPPORTED, doca_sync_event_publisher_add_location_dpa(event, dpa));
	EXPECT(DOCA_ERROR_NOT_SUPPORTED, doca_sync_event_publisher_add_location_gpu(event, gpu));
	EXPECT(DOCA_ERROR_NOT_SUPPORTED, doca_sync_event_subscriber_add_location_dpa(event, dpa));
	EXPECT(DOCA_ERROR_NOT_SUPPORTED, doca_sync_event_subscriber_add_location_gpu(event, gpu));
	PASSES(doca_sync_event_set_addr(event, (uint64_t *)(void *)memory));
	PASSES(doca_sync_event_start(event));
	RETURNS(DOCA_ERROR_BAD_STATE, doca_sync_event_set_addr(event, &value));
	PASSES(doca_sync_event_destroy(event));
	PASSES(doca_sync_event_get_create_from_export_supported(info));
	PASSES(doca_sync_event_get_export_to_dpu_supported(info));
	PASSES(doca_sync_event_job_get_supported(info, DOCA_SYNC_EVENT_JOB_WAIT_GT));
	RETURNS(DOCA_ERROR_NOT_SUPPORTED, doca_sync_event_get_export_to_dpa_supported(info));
	RETURNS(DOCA_ERROR_NOT_SUPPORTED, doca_sync_event_get_export_to_gpu_supported(info));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_sync_event_get_create_from_export_supported(NULL));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_sync_event_get_export_to_dpu_supported(NULL));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_sync_event_get_export_to_dpa_supported(NULL));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_sync_event_get_export_to_gpu_supported(NULL));
	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_sync_event_job_get_supported(info, (enum doca_sync_event_job_types)1));
}
END_TEST

/*
 * Two queues use one event; a wait is in flight beside other jobs; a refused job changes nothing.
 */
START_TEST(test_sync_jobs)
{
	struct doca_sync_event *event = event_new(false);
	struct doca_ctx *ctx = doca_sync_event_as_ctx(event);
	struct doca_sync_event_job_wait wait = {
		.base = {.type = DOCA_SYNC_EVENT_JOB_WAIT_GT, .ctx = ctx},
		.value = UINT64_C(1) << 40,
		.mask = UINT64_MAX << 8};
	struct doca_sync_event_job_update_set set = {
		.base = {.type = DOCA_SYNC_EVENT_JOB_UPDATE_SET, .ctx = ctx},
		.value = (UINT64_C(1) << 40) + 255};
	struct doca_sync_event_job_get get = {
		.base = {.type = DOCA_SYNC_EVENT_JOB_GET, .ctx = ctx}};
	struct doca_sync_event_job_update_add add = {
		.base = {.type = DOCA_SYNC_EVENT_JOB_UPDATE_ADD, .ctx = ctx}, .value = 1};
	struct doca_event got, before;
	struct doca_workq *other;
	uint64_t value;

	OK(doca_ctx_start(ctx));
	EXPECT(DOCA_ERROR_BAD_STATE, doca_sync_event_get(event, &value));
	OK(doca_ctx_workq_add(ctx, workq));
	OK(doca_workq_create(1, &other));
	OK(doca_ctx_workq_add(ctx, other));
	memset(&before, 0xa5, sizeof(before));
	got = before;
	EXPECT(DOCA_ERROR_INVALID_VALUE, doca_workq_submit(workq, &get.base));
	EXPECT(DOCA_ERROR_INVALID_VALUE, doca_workq_submit(workq, &add.base));
	set.base.type = DOCA_SYNC_EVENT_JOB_UPDATE_ADD + 1;
	EXPECT(DOCA_ERROR_INVALID_VALUE, doca_workq_submit(workq, &set.base));
	set.base.type = DOCA_SYNC_EVENT_JOB_UPDATE_SET;
	OK(doca_workq_submit(workq, &wait.base));
	OK(doca_workq_submit(other, &set.base));
	EXPECT(DOCA_ERROR_AGAIN, doca_workq_progress_retrieve(workq, &got, 0));
	OK(doca_workq_progress_retrieve(other, &got, 0));
	ck_assert_int_eq(got.type, DOCA_SYNC_EVENT_JOB_UPDATE_SET);
	/* The mask removes the 255, so the value is equal, and not greater. */
	for (unsigned i = 0; i < 100; i++) {
		got = before;
		EXPECT(DOCA_ERROR_AGAIN, doca_workq_progress_retrieve(workq, &got, 0));
		ck_assert_mem_eq(&got, &before, sizeof(got));
	}
	EXPECT(DOCA_ERROR_IN_USE, doca_ctx_workq_rm(ctx, workq));
	add.fetched = &value;
	OK(doca_workq_submit(other, &add.base));
	OK(doca_workq_progress_retrieve(other, &got, 0));
	ck_assert_uint_eq(value, set.value);
	OK(await(&got));
	ck_assert_int_eq(got.type, DOCA_SYNC_EVENT_JOB_WAIT_GT);
	OK(doca_ctx_workq_rm(ctx, other));
	OK(doca_workq_destroy(other));
	EXPECT(DOCA_ERROR_NOT_PERMITTED, doca_ctx_stop(ctx));
	ctx_close(ctx);
	PASSES(doca_sync_event_destroy(event));
}
END_TEST

/* --- graphs --- */

#define N_INSTANCES 3u
#define LEN         1024u

static struct doca_sha *sha;
static struct doca_dma *dma;

struct step {
	struct doca_sha_job sha_job;
	struct doca_dma_job_memcpy dma_job;
	struct doca_event sha_event, dma_event, user_event;
	struct doca_graph_instance *instance;
	uint8_t *to;
	unsigned n_calls;
};

static doca_error_t user_result;

static doca_error_t both_are_done(void *cookie, struct doca_event *event)
{
	struct step *step = cookie;

	ck_assert_ptr_eq(event, &step->user_event);
	ck_assert_ptr_eq(step->dma_event.user_data.ptr, &step->dma_job);
	ck_assert_int_eq(step->dma_event.type, DOCA_DMA_JOB_MEMCPY);
	ck_assert_uint_eq(step->dma_event.result.u64, DOCA_SUCCESS);
	ck_assert_int_eq(step->sha_event.type, DOCA_SHA_JOB_SHA256);
	ck_assert_uint_eq(step->sha_event.result.u64, DOCA_SUCCESS);
	ck_assert_mem_eq(step->to, memory, LEN);
	step->n_calls++;
	return user_result;
}

static doca_error_t empty_user_node(void *cookie, struct doca_event *event)
{
	(void)cookie;
	(void)event;
	return DOCA_SUCCESS;
}

static void contexts_open(void)
{
	OK(doca_sha_create(&sha));
	OK(doca_dma_create(&dma));
	ctx_open(doca_sha_as_ctx(sha));
	ctx_open(doca_dma_as_ctx(dma));
}

static void contexts_close(void)
{
	ctx_close(doca_sha_as_ctx(sha));
	ctx_close(doca_dma_as_ctx(dma));
	OK(doca_sha_destroy(sha));
	OK(doca_dma_destroy(dma));
}

static void step_make(struct step *step, unsigned n)
{
	step->to = memory + (size_t)LEN * (n + 1);
	step->sha_job = (struct doca_sha_job){
		.base = {.type = DOCA_SHA_JOB_SHA256, .ctx = doca_sha_as_ctx(sha)},
		.req_buf = source(0, LEN),
		.resp_buf = destination(LEN * 7 + n * 64, 32)};
	step->dma_job =
		(struct doca_dma_job_memcpy){.base = {.type = DOCA_DMA_JOB_MEMCPY,
						      .ctx = doca_dma_as_ctx(dma),
						      .user_data = {.ptr = &step->dma_job}},
					     .src_buff = step->sha_job.req_buf,
					     .dst_buff = destination((size_t)LEN * (n + 1), LEN)};
}

static void step_free(struct step *step)
{
	buf_release(step->sha_job.req_buf);
	buf_release(step->sha_job.resp_buf);
	buf_release(step->dma_job.dst_buff);
}

static void step_reset(struct step *step)
{
	OK(doca_buf_reset_data_len(step->sha_job.resp_buf));
	OK(doca_buf_reset_data_len(step->dma_job.dst_buff));
	memset(step->to, 0, LEN);
}

struct three {
	struct doca_graph *graph;
	struct doca_graph_node *sha, *dma, *user;
};

static struct three graph_new(void)
{
	struct three t;

	PASSES(doca_graph_create(&t.graph));
	PASSES(doca_graph_ctx_node_create(t.graph, DOCA_SHA_JOB_SHA256, doca_sha_as_ctx(sha),
					  &t.sha));
	PASSES(doca_graph_ctx_node_create(t.graph, DOCA_DMA_JOB_MEMCPY, doca_dma_as_ctx(dma),
					  &t.dma));
	PASSES(doca_graph_user_node_create(t.graph, both_are_done, &t.user));
	PASSES(doca_graph_add_dependency(t.graph, t.dma, t.user));
	PASSES(doca_graph_add_dependency(t.graph, t.sha, t.user));
	return t;
}

static void instance_fill(const struct three *t, struct step *step)
{
	PASSES(doca_graph_instance_create(t->graph, &step->instance));
	PASSES(doca_graph_instance_set_ctx_node_data(step->instance, t->sha, &step->sha_job.base,
						     &step->sha_event));
	PASSES(doca_graph_instance_set_ctx_node_data(step->instance, t->dma, &step->dma_job.base,
						     &step->dma_event));
	PASSES(doca_graph_instance_set_user_node_data(step->instance, t->user, step,
						      &step->user_event));
}

static void graph_delete(struct doca_graph *graph)
{
	PASSES(doca_graph_workq_rm(graph, workq));
	PASSES(doca_graph_stop(graph));
	PASSES(doca_graph_destroy(graph));
}

/* The guide's example: a copy and a digest of one buffer, then a check of both. */
START_TEST(test_graph)
{
	struct step steps[N_INSTANCES] = {0};
	struct doca_event event;
	struct three t;

	contexts_open();
	t = graph_new();
	PASSES(doca_graph_start(t.graph));
	PASSES(doca_graph_workq_add(t.graph, workq));
	use_fill(memory, LEN, 5);
	for (unsigned i = 0; i < N_INSTANCES; i++) {
		step_make(&steps[i], i);
		instance_fill(&t, &steps[i]);
	}
	for (unsigned round = 0; round < 20; round++) {
		user_result = round % 2 == 0 ? DOCA_SUCCESS : DOCA_ERROR_DRIVER;
		for (unsigned i = 0; i < N_INSTANCES; i++) {
			step_reset(&steps[i]);
			PASSES(doca_workq_graph_submit(workq, steps[i].instance,
						       (union doca_data){.ptr = &steps[i]}));
		}
		for (unsigned i = 0; i < N_INSTANCES; i++) {
			OK(await(&event));
			ck_assert_int_eq(event.type, DOCA_GRAPH_JOB);
			ck_assert_uint_eq(event.result.u64, user_result);
			ck_assert_uint_eq(((struct step *)event.user_data.ptr)->n_calls, round + 1);
		}
	}
	for (unsigned i = 0; i < N_INSTANCES; i++) {
		PASSES(doca_graph_instance_destroy(steps[i].instance));
		step_free(&steps[i]);
	}
	graph_delete(t.graph);
	contexts_close();
}
END_TEST

static void configuration_is_checked(struct three *t)
{
	struct doca_ctx *ctx = doca_sha_as_ctx(sha);
	struct doca_graph *none = NULL, *empty;
	struct doca_graph_node *node;

	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_graph_create(NULL));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_graph_destroy(none));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_graph_start(none));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_graph_stop(none));
	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_graph_ctx_node_create(t->graph, DOCA_DMA_JOB_MEMCPY, ctx, &node));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_graph_user_node_create(t->graph, NULL, &node));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_graph_sub_graph_node_create(t->graph, none, &node));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_graph_add_dependency(t->graph, t->sha, NULL));
	RETURNS(DOCA_ERROR_NOT_PERMITTED, doca_graph_add_dependency(t->graph, t->user, t->sha));
	RETURNS(DOCA_ERROR_NOT_PERMITTED,
		doca_graph_sub_graph_node_create(t->graph, t->graph, &node));
	PASSES(doca_graph_create(&empty));
	RETURNS(DOCA_ERROR_BAD_STATE, doca_graph_start(empty));
	RETURNS(DOCA_ERROR_BAD_STATE, doca_graph_stop(empty));
	RETURNS(DOCA_ERROR_BAD_STATE, doca_graph_sub_graph_node_create(t->graph, empty, &node));
	PASSES(doca_graph_user_node_create(empty, empty_user_node, &node));
	EXPECT(DOCA_ERROR_BAD_STATE, doca_graph_start(empty));
	PASSES(doca_graph_destroy(empty));
	RETURNS(DOCA_ERROR_BAD_STATE, doca_graph_workq_add(t->graph, workq));
	RETURNS(DOCA_ERROR_BAD_STATE, doca_graph_workq_rm(t->graph, workq));
	if (!allocount_works)
		return;
	RUNS_OUT(0, doca_graph_create(&empty));
	RUNS_OUT(0, doca_graph_ctx_node_create(t->graph, DOCA_SHA_JOB_SHA1, ctx, &node));
	RUNS_OUT(0, doca_graph_user_node_create(t->graph, empty_user_node, &node));
	PASSES(doca_graph_user_node_create(t->graph, empty_user_node, &node));
	RUNS_OUT(0, doca_graph_add_dependency(t->graph, node, t->dma));
	RUNS_OUT(0, doca_graph_start(t->graph));
}

static void started_is_checked(struct three *t, struct doca_graph *outer)
{
	struct doca_graph_instance *instance;
	struct doca_graph_node *node;

	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_graph_instance_create(t->graph, NULL));
	RETURNS(DOCA_ERROR_BAD_STATE, doca_graph_instance_create(outer, &instance));
	RETURNS(DOCA_ERROR_NOT_PERMITTED, doca_graph_destroy(t->graph));
	RETURNS(DOCA_ERROR_BAD_STATE,
		doca_graph_user_node_create(t->graph, empty_user_node, &node));
	RETURNS(DOCA_ERROR_BAD_STATE, doca_graph_ctx_node_create(t->graph, DOCA_SHA_JOB_SHA1,
								 doca_sha_as_ctx(sha), &node));
	RETURNS(DOCA_ERROR_BAD_STATE, doca_graph_add_dependency(t->graph, t->sha, t->dma));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_graph_workq_add(t->graph, NULL));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_graph_workq_rm(t->graph, workq));
	if (allocount_works) {
		RUNS_OUT(0, doca_graph_workq_add(t->graph, workq));
		RUNS_OUT(0, doca_graph_instance_create(t->graph, &instance));
		RUNS_OUT(0, doca_graph_sub_graph_node_create(outer, t->graph, &node));
	}
	PASSES(doca_graph_workq_add(t->graph, workq));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_graph_workq_add(t->graph, workq));
	RETURNS(DOCA_ERROR_NOT_PERMITTED, doca_graph_stop(t->graph));
	EXPECT(DOCA_ERROR_NOT_PERMITTED, doca_ctx_stop(doca_sha_as_ctx(sha)));
}

static void data_is_checked(struct three *t, struct step *step, struct doca_graph_node *other_node,
			    struct doca_graph_node *sub, struct doca_graph_instance *of_outer)
{
	struct doca_graph_instance *instance = step->instance, *none = NULL;
	enum doca_graph_instance_node_state state;
	const struct doca_graph_node *failed[1];
	struct doca_job *job = &step->sha_job.base;
	struct doca_job wrong = *job;
	union doca_data data;
	uint32_t n = 1;

	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_graph_instance_set_ctx_node_data(instance, t->sha, NULL, NULL));
	RETURNS(DOCA_ERROR_NOT_PERMITTED,
		doca_graph_instance_set_ctx_node_data(instance, t->user, job, NULL));
	RETURNS(DOCA_ERROR_NOT_PERMITTED,
		doca_graph_instance_set_ctx_node_data(instance, other_node, job, NULL));
	RETURNS(DOCA_ERROR_NOT_PERMITTED,
		doca_graph_instance_set_ctx_node_data(instance, t->dma, job, NULL));
	wrong.type = DOCA_SHA_JOB_SHA1;
	RETURNS(DOCA_ERROR_NOT_PERMITTED,
		doca_graph_instance_set_ctx_node_data(instance, t->sha, &wrong, NULL));
	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_graph_instance_set_user_node_data(instance, NULL, NULL, NULL));
	RETURNS(DOCA_ERROR_NOT_PERMITTED,
		doca_graph_instance_set_user_node_data(instance, t->sha, NULL, NULL));
	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_graph_instance_set_sub_graph_node_data(of_outer, sub, NULL, NULL));
	RETURNS(DOCA_ERROR_NOT_PERMITTED,
		doca_graph_instance_set_sub_graph_node_data(of_outer, sub, of_outer, NULL));
	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_workq_graph_submit(workq, of_outer, (union doca_data){.u64 = 0}));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_graph_instance_destroy(none));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_graph_instance_get_num_failed_nodes(instance, NULL));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_graph_instance_get_failed_nodes(instance, NULL, &n));
	PASSES(doca_graph_instance_get_failed_nodes(instance, failed, &n));
	ck_assert_uint_eq(n, 0);
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_graph_instance_node_get_state(none, t->sha, &state));
	RETURNS(DOCA_ERROR_NOT_PERMITTED,
		doca_graph_instance_node_get_state(instance, other_node, &state));
	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_graph_instance_node_get_result(instance, t->sha, NULL));
	RETURNS(DOCA_ERROR_NOT_PERMITTED,
		doca_graph_instance_node_get_result(instance, other_node, &data));
	RETURNS(DOCA_ERROR_BAD_STATE, doca_graph_instance_node_get_result(instance, t->sha, &data));
}

static void flight_is_checked(struct three *t, struct step *step, struct doca_graph_node *sub,
			      struct doca_graph_instance *of_outer)
{
	struct doca_sha_job jobs[DEPTH];
	struct doca_event event;
	unsigned n = 0;

	step_reset(step);
	user_result = DOCA_SUCCESS;
	PASSES(doca_workq_graph_submit(workq, of_outer, (union doca_data){.u64 = 9}));
	RETURNS(DOCA_ERROR_IN_USE,
		doca_workq_graph_submit(workq, of_outer, (union doca_data){.u64 = 0}));
	RETURNS(DOCA_ERROR_NOT_PERMITTED, doca_graph_instance_destroy(of_outer));
	RETURNS(DOCA_ERROR_NOT_PERMITTED, doca_graph_instance_destroy(step->instance));
	RETURNS(DOCA_ERROR_BAD_STATE,
		doca_graph_instance_set_sub_graph_node_data(of_outer, sub, step->instance, NULL));
	RETURNS(DOCA_ERROR_BAD_STATE, doca_graph_instance_set_ctx_node_data(
					      step->instance, t->sha, &step->sha_job.base, NULL));
	RETURNS(DOCA_ERROR_BAD_STATE,
		doca_graph_instance_set_user_node_data(step->instance, t->user, NULL, NULL));
	/* An instance counts as one job of the queue's depth. */
	for (unsigned i = 0; i < DEPTH; i++) {
		jobs[i] = (struct doca_sha_job){
			.base = {.type = DOCA_SHA_JOB_SHA1, .ctx = doca_sha_as_ctx(sha)},
			.req_buf = source(0, 8),
			.resp_buf = destination(LEN * 7 + 512 + i * 64, 20)};
		EXPECT(i + 1 < DEPTH ? DOCA_SUCCESS : DOCA_ERROR_NO_MEMORY,
		       doca_workq_submit(workq, &jobs[i].base));
	}
	for (unsigned i = 0; i < DEPTH; i++) {
		OK(await(&event));
		n += event.type == DOCA_GRAPH_JOB && event.user_data.u64 == 9;
	}
	ck_assert_uint_eq(n, 1);
	for (unsigned i = 0; i < DEPTH; i++) {
		buf_release(jobs[i].req_buf);
		buf_release(jobs[i].resp_buf);
	}
}

START_TEST(test_graph_codes)
{
	struct doca_graph_node *other_node, *sub, *failing;
	struct doca_graph_instance *of_outer;
	struct step step = {0};
	struct doca_event sub_event, event;
	struct doca_sha_job job;
	struct doca_graph *outer;
	uint32_t n;
	struct three t;

	contexts_open();
	t = graph_new();
	configuration_is_checked(&t);
	PASSES(doca_graph_create(&outer));
	PASSES(doca_graph_start(t.graph));
	PASSES(doca_graph_start(t.graph));
	started_is_checked(&t, outer);
	PASSES(doca_graph_user_node_create(outer, empty_user_node, &other_node));
	PASSES(doca_graph_sub_graph_node_create(outer, t.graph, &sub));
	PASSES(doca_graph_start(outer));
	PASSES(doca_graph_workq_add(outer, workq));
	PASSES(doca_graph_instance_create(outer, &of_outer));
	use_fill(memory, LEN, 6);
	step_make(&step, 0);
	instance_fill(&t, &step);
	data_is_checked(&t, &step, other_node, sub, of_outer);
	PASSES(doca_graph_instance_set_sub_graph_node_data(of_outer, sub, step.instance,
							   &sub_event));
	flight_is_checked(&t, &step, sub, of_outer);
	ck_assert_int_eq(sub_event.type, DOCA_GRAPH_JOB);
	ck_assert_uint_eq(sub_event.result.u64, DOCA_SUCCESS);
	/* A refused job fails its node: the digest does not fit. */
	job = step.sha_job;
	job.resp_buf = destination(LEN * 7, 31);
	PASSES(doca_graph_instance_set_ctx_node_data(step.instance, t.sha, &job.base,
						     &step.sha_event));
	step_reset(&step);
	PASSES(doca_workq_graph_submit(workq, of_outer, (union doca_data){.u64 = 0}));
	RETURNS(DOCA_ERROR_IN_USE, doca_graph_workq_rm(outer, workq));
	OK(await(&event));
	ck_assert_uint_eq(event.result.u64, DOCA_ERROR_IO_FAILED);
	ck_assert_uint_eq(sub_event.result.u64, DOCA_ERROR_IO_FAILED);
	ck_assert_uint_eq(step.sha_event.result.u64, DOCA_ERROR_IO_FAILED);
	PASSES(doca_graph_instance_get_num_failed_nodes(step.instance, &n));
	ck_assert_uint_eq(n, 1);
	PASSES(doca_graph_instance_get_failed_nodes(step.instance,
						    (const struct doca_graph_node **)&failing, &n));
	ck_assert_ptr_eq(failing, t.sha);
	buf_release(job.resp_buf);
	PASSES(doca_graph_instance_destroy(of_outer));
	PASSES(doca_graph_instance_destroy(step.instance));
	step_free(&step);
	graph_delete(outer);
	graph_delete(t.graph);
	contexts_close();
}
END_TEST

START_TEST(test_graph_depth)
{
	struct step steps[DEPTH + 1] = {0};
	struct doca_event event;
	struct three t;

	contexts_open();
	t = graph_new();
	PASSES(doca_graph_start(t.graph));
	PASSES(doca_graph_workq_add(t.graph, workq));
	use_fill(memory, LEN, 7);
	user_result = DOCA_SUCCESS;
	for (unsigned i = 0; i <= DEPTH; i++) {
		step_make(&steps[i], i);
		instance_fill(&t, &steps[i]);
	}
	for (unsigned i = 0; i < DEPTH; i++)
		PASSES(doca_workq_graph_submit(workq, steps[i].instance,
					       (union doca_data){.u64 = 0}));
	RETURNS(DOCA_ERROR_NO_MEMORY,
		doca_workq_graph_submit(workq, steps[DEPTH].instance, (union doca_data){.u64 = 0}));
	for (unsigned i = 0; i < DEPTH; i++)
		OK(await(&event));
	for (unsigned i = 0; i <= DEPTH; i++) {
		PASSES(doca_graph_instance_destroy(steps[i].instance));
		step_free(&steps[i]);
	}
	graph_delete(t.graph);
	contexts_close();
}
END_TEST

/* Two segments of a message as nodes, with the queue's session, which may end while they run. */
START_TEST(test_graph_of_segments)
{
	struct doca_buf *src[2], *dst = destination(LEN, 64);
	struct doca_sha_partial_session *session;
	struct doca_sha_partial_job jobs[2];
	struct doca_graph_instance *instance;
	struct doca_graph_node *nodes[2];
	struct doca_graph *graph;
	struct doca_event event;
	uint8_t wanted[DOCA_SHA256_BYTE_COUNT];
	struct doca_sha_job whole;

	contexts_open();
	OK(doca_sha_partial_session_create(sha, workq, &session));
	OK(doca_graph_create(&graph));
	use_fill(memory, 100, 8);
	for (unsigned i = 0; i < 2; i++) {
		src[i] = source((size_t)64 * i, i == 0 ? 64 : 36);
		jobs[i] = (struct doca_sha_partial_job){
			.sha_job = {.base = {.type = DOCA_SHA_JOB_SHA256_PARTIAL,
					     .ctx = doca_sha_as_ctx(sha)},
				    .req_buf = src[i],
				    .resp_buf = dst,
				    .flags = i == 0 ? DOCA_SHA_JOB_FLAGS_NONE
						    : DOCA_SHA_JOB_FLAGS_SHA_PARTIAL_FINAL},
			.session = session};
		OK(doca_graph_ctx_node_create(graph, DOCA_SHA_JOB_SHA256_PARTIAL,
					      doca_sha_as_ctx(sha), &nodes[i]));
	}
	OK(doca_graph_add_dependency(graph, nodes[0], nodes[1]));
	OK(doca_graph_start(graph));
	OK(doca_graph_workq_add(graph, workq));
	OK(doca_graph_instance_create(graph, &instance));
	for (unsigned i = 0; i < 2; i++)
		OK(doca_graph_instance_set_ctx_node_data(instance, nodes[i], &jobs[i].sha_job.base,
							 NULL));
	OK(doca_workq_graph_submit(workq, instance, (union doca_data){.u64 = 0}));
	OK(await(&event));
	ck_assert_uint_eq(event.result.u64, DOCA_SUCCESS);
	memcpy(wanted, memory + LEN, sizeof(wanted));
	whole = jobs[0].sha_job;
	whole.base.type = DOCA_SHA_JOB_SHA256;
	buf_release(src[0]);
	src[0] = whole.req_buf = source(0, 100);
	OK(doca_workq_submit(workq, &whole.base));
	OK(await(&event));
	ck_assert_mem_eq(memory + LEN + sizeof(wanted), wanted, sizeof(wanted));
	/* The first node is in flight; the session has ended when the second one begins. */
	OK(doca_buf_reset_data_len(dst));
	buf_release(src[0]);
	jobs[0].sha_job.req_buf = src[0] = source(0, 64);
	OK(doca_workq_graph_submit(workq, instance, (union doca_data){.u64 = 0}));
	OK(doca_ctx_workq_rm(doca_sha_as_ctx(sha), workq));
	OK(await(&event));
	ck_assert_uint_eq(event.result.u64, DOCA_ERROR_INVALID_VALUE);
	OK(doca_ctx_workq_add(doca_sha_as_ctx(sha), workq));
	OK(doca_graph_instance_destroy(instance));
	graph_delete(graph);
	buf_release(src[0]);
	buf_release(src[1]);
	buf_release(dst);
	contexts_close();
}
END_TEST

/* Other nodes fulfil a wait. The program sleeps on the queue, and also uses the event directly. */
START_TEST(test_graph_of_events)
{
	struct doca_sync_event *event = event_new(false);
	struct doca_ctx *ctx = doca_sync_event_as_ctx(event);
	uint64_t value = 0;
	struct doca_sync_event_job_wait wait = {
		.base = {.type = DOCA_SYNC_EVENT_JOB_WAIT_GT, .ctx = ctx}, .mask = UINT64_MAX};
	struct doca_sync_event_job_update_set set = {
		.base = {.type = DOCA_SYNC_EVENT_JOB_UPDATE_SET, .ctx = ctx}, .value = 7};
	struct doca_sync_event_job_get get = {.base = {.type = DOCA_SYNC_EVENT_JOB_GET, .ctx = ctx},
					      .value = &value};
	struct doca_job *jobs[] = {&wait.base, &get.base, &set.base};
	struct doca_graph_node *nodes[ARRAY_LEN(jobs)];
	struct doca_event events[ARRAY_LEN(jobs)], got;
	struct pollfd pfd = {.events = POLLIN};
	struct doca_graph_instance *instance;
	struct doca_graph *graph;
	doca_error_t result;

	OK(doca_ctx_start(ctx));
	OK(doca_workq_set_event_driven_enable(workq, 1));
	OK(doca_workq_get_event_handle(workq, &pfd.fd));
	OK(doca_ctx_workq_add(ctx, workq));
	OK(doca_graph_create(&graph));
	for (size_t i = 0; i < ARRAY_LEN(jobs); i++)
		OK(doca_graph_ctx_node_create(graph, jobs[i]->type, ctx, &nodes[i]));
	OK(doca_graph_add_dependency(graph, nodes[0], nodes[1]));
	OK(doca_graph_start(graph));
	OK(doca_graph_workq_add(graph, workq));
	OK(doca_graph_instance_create(graph, &instance));
	for (size_t i = 0; i < ARRAY_LEN(jobs); i++)
		OK(doca_graph_instance_set_ctx_node_data(instance, nodes[i], jobs[i], &events[i]));
	OK(doca_workq_graph_submit(workq, instance, (union doca_data){.u64 = 3}));
	while ((result = doca_workq_progress_retrieve(workq, &got, 0)) == DOCA_ERROR_AGAIN) {
		OK(doca_workq_event_handle_arm(workq));
		ck_assert_int_eq(poll(&pfd, 1, -1), 1);
		OK(doca_workq_event_handle_clear(workq, pfd.fd));
	}
	OK(result);
	ck_assert_int_eq(got.type, DOCA_GRAPH_JOB);
	ck_assert_uint_eq(got.result.u64, DOCA_SUCCESS);
	ck_assert_uint_eq(value, 7);
	for (size_t i = 0; i < ARRAY_LEN(jobs); i++)
		ck_assert_int_eq(events[i].type, jobs[i]->type);
	OK(doca_graph_instance_destroy(instance));
	graph_delete(graph);
	ctx_close(ctx);
	OK(doca_sync_event_destroy(event));
}
END_TEST

/* --- objects of another generation --- */

START_TEST(test_other_generations)
{
	struct other_jobs other = other_jobs_open(dev);
	struct doca_sync_event *event = event_new(false);
	struct doca_sha_partial_session *session;
	struct doca_graph_instance *instance;
	struct doca_graph_node *node;
	struct step step = {0};
	union doca_data data;
	uint32_t n;
	struct three t;

	contexts_open();
	EXPECT(DOCA_ERROR_BAD_STATE, doca_sha_partial_session_create(other.sha, workq, &session));
	EXPECT(DOCA_ERROR_BAD_STATE, doca_ctx_start(doca_sha_as_ctx(other.sha)));
	other_refuses_sha(sha);
	EXPECT(DOCA_ERROR_BAD_STATE, doca_sync_event_publisher_add_location_cpu(other.event, dev));
	EXPECT(DOCA_ERROR_BAD_STATE, doca_sync_event_subscriber_add_location_dpu(other.event));
	EXPECT(DOCA_ERROR_BAD_STATE, doca_ctx_start(doca_sync_event_as_ctx(other.event)));
	other_refuses_event(event, dev);
	t = graph_new();
	EXPECT(DOCA_ERROR_BAD_STATE, doca_graph_ctx_node_create(t.graph, DOCA_SHA_JOB_SHA1,
								doca_sha_as_ctx(other.sha), &node));
	EXPECT(DOCA_ERROR_BAD_STATE, doca_graph_sub_graph_node_create(t.graph, other.graph, &node));
	PASSES(doca_graph_start(t.graph));
	step_make(&step, 0);
	instance_fill(&t, &step);
	other_refuses_graph(t.graph, t.user, step.instance, doca_sha_as_ctx(sha));
	EXPECT(DOCA_ERROR_BAD_STATE, doca_graph_destroy(other.graph));
	EXPECT(DOCA_ERROR_BAD_STATE, doca_graph_start(other.graph));
	EXPECT(DOCA_ERROR_BAD_STATE, doca_graph_stop(other.graph));
	EXPECT(DOCA_ERROR_BAD_STATE, doca_graph_workq_add(other.graph, workq));
	EXPECT(DOCA_ERROR_BAD_STATE, doca_graph_workq_rm(other.graph, workq));
	EXPECT(DOCA_ERROR_BAD_STATE, doca_graph_instance_create(other.graph, &instance));
	EXPECT(DOCA_ERROR_BAD_STATE, doca_graph_instance_destroy(other.instance));
	EXPECT(DOCA_ERROR_BAD_STATE, doca_graph_instance_set_ctx_node_data(
					     other.instance, other.node, &step.sha_job.base, NULL));
	EXPECT(DOCA_ERROR_BAD_STATE,
	       doca_workq_graph_submit(workq, other.instance, (union doca_data){.u64 = 0}));
	EXPECT(DOCA_ERROR_BAD_STATE, doca_graph_instance_get_num_failed_nodes(other.instance, &n));
	EXPECT(DOCA_ERROR_BAD_STATE,
	       doca_graph_instance_node_get_result(other.instance, other.node, &data));
	PASSES(doca_graph_instance_destroy(step.instance));
	step_free(&step);
	PASSES(doca_graph_stop(t.graph));
	PASSES(doca_graph_destroy(t.graph));
	PASSES(doca_sync_event_destroy(event));
	contexts_close();
	other_jobs_close(&other);
}
END_TEST

/* --- devices without the capability --- */

static void setup_no_capabilities(void)
{
	setup_with("[topology]\nside = host\n"
		   "[device pf0]\npci = 0b:00.0\nsha = 0\nsha_partial = 0\nsync_event = no\n"
		   "sync_import_pci = no\nsync_export_pci = no\n"
		   "[device pf1]\npci = 0b:00.1\nsync_export_pci = no\n"
		   "[device pf2]\npci = 0b:00.2\nsync_import_pci = no\n");
}

START_TEST(test_poor_devices)
{
	struct doca_dev *some = use_dev(USE_HOST_PF1), *third = use_dev("0b:00.2");
	struct doca_sync_event *event, *other;
	struct doca_sha *poor;
	const uint8_t *data;
	uint64_t size;
	size_t len;
	uint32_t n;

	RETURNS(DOCA_ERROR_NOT_SUPPORTED, doca_sha_job_get_supported(info, DOCA_SHA_JOB_SHA1));
	RETURNS(DOCA_ERROR_NOT_SUPPORTED, doca_sha_get_max_list_buf_num_elem(info, &n));
	RETURNS(DOCA_ERROR_NOT_SUPPORTED, doca_sha_get_max_src_buffer_size(info, &size));
	RETURNS(DOCA_ERROR_NOT_SUPPORTED,
		doca_sha_get_min_dst_buffer_size(info, DOCA_SHA_JOB_SHA1, &n));
	PASSES(doca_sha_create(&poor));
	EXPECT(DOCA_ERROR_NOT_SUPPORTED, doca_ctx_dev_add(doca_sha_as_ctx(poor), dev));
	PASSES(doca_sha_destroy(poor));
	RETURNS(DOCA_ERROR_NOT_SUPPORTED,
		doca_sync_event_job_get_supported(info, DOCA_SYNC_EVENT_JOB_GET));
	RETURNS(DOCA_ERROR_NOT_SUPPORTED, doca_sync_event_get_create_from_export_supported(info));
	RETURNS(DOCA_ERROR_NOT_SUPPORTED, doca_sync_event_get_export_to_dpu_supported(info));
	PASSES(doca_sync_event_create(&event));
	PASSES(doca_sync_event_publisher_add_location_dpu(event));
	PASSES(doca_sync_event_subscriber_add_location_cpu(event, third));
	PASSES(doca_sync_event_start(event));
	RETURNS(DOCA_ERROR_NOT_SUPPORTED, doca_sync_event_export_to_dpu(event, some, &data, &len));
	PASSES(doca_sync_event_export_to_dpu(event, third, &data, &len));
	RETURNS(DOCA_ERROR_NOT_SUPPORTED,
		doca_sync_event_create_from_export(third, data, len, &other));
	PASSES(doca_sync_event_destroy(event));
	OK(doca_dev_close(some));
	OK(doca_dev_close(third));
}
END_TEST

/* --- the codes that 2.2.0 documents --- */

static const struct documented documented_graph[] = {
	{"doca_graph_add_dependency", "INVALID_VALUE BAD_STATE NO_MEMORY NOT_PERMITTED"},
	{"doca_graph_create", "INVALID_VALUE NO_MEMORY"},
	{"doca_graph_ctx_node_create", "INVALID_VALUE BAD_STATE NO_MEMORY"},
	{"doca_graph_destroy", "INVALID_VALUE NOT_PERMITTED"},
	{"doca_graph_instance_create", "INVALID_VALUE BAD_STATE NO_MEMORY"},
	{"doca_graph_instance_destroy", "INVALID_VALUE NOT_PERMITTED"},
	{"doca_graph_instance_get_failed_nodes", "INVALID_VALUE"},
	{"doca_graph_instance_get_num_failed_nodes", "INVALID_VALUE"},
	{"doca_graph_instance_node_get_result", "INVALID_VALUE NOT_PERMITTED BAD_STATE"},
	{"doca_graph_instance_node_get_state", "INVALID_VALUE NOT_PERMITTED"},
	{"doca_graph_instance_set_ctx_node_data", "INVALID_VALUE BAD_STATE NOT_PERMITTED"},
	{"doca_graph_instance_set_sub_graph_node_data", "INVALID_VALUE BAD_STATE NOT_PERMITTED"},
	{"doca_graph_instance_set_user_node_data", "INVALID_VALUE BAD_STATE NOT_PERMITTED"},
	{"doca_graph_start", "INVALID_VALUE BAD_STATE NO_MEMORY"},
	{"doca_graph_stop", "INVALID_VALUE NOT_PERMITTED BAD_STATE"},
	{"doca_graph_sub_graph_node_create", "INVALID_VALUE BAD_STATE NO_MEMORY NOT_PERMITTED"},
	{"doca_graph_user_node_create", "INVALID_VALUE BAD_STATE NO_MEMORY"},
	{"doca_graph_workq_add", "INVALID_VALUE BAD_STATE NO_MEMORY"},
	{"doca_graph_workq_rm", "INVALID_VALUE IN_USE BAD_STATE"},
	{"doca_workq_graph_submit", "INVALID_VALUE IN_USE NO_MEMORY"},
	{NULL, NULL},
};

static const struct documented documented_sha[] = {
	{"doca_sha_as_ctx", ""},
	{"doca_sha_create", "INVALID_VALUE NO_MEMORY NOT_SUPPORTED"},
	{"doca_sha_destroy", "INVALID_VALUE IN_USE"},
	{"doca_sha_get_hardware_supported", "INVALID_VALUE NOT_SUPPORTED"},
	{"doca_sha_get_max_list_buf_num_elem", "INVALID_VALUE NOT_SUPPORTED"},
	{"doca_sha_get_max_src_buffer_size", "INVALID_VALUE NOT_SUPPORTED"},
	{"doca_sha_get_min_dst_buffer_size", "INVALID_VALUE NOT_SUPPORTED"},
	{"doca_sha_job_get_supported", "INVALID_VALUE NOT_SUPPORTED"},
	{"doca_sha_partial_session_copy", "INVALID_VALUE UNEXPECTED"},
	{"doca_sha_partial_session_create", "INVALID_VALUE NO_MEMORY"},
	{"doca_sha_partial_session_destroy", "INVALID_VALUE"},
	{NULL, NULL},
};

static const struct documented documented_sync_event[] = {
	{"doca_sync_event_create", "INVALID_VALUE NO_MEMORY"},
	{"doca_sync_event_create_from_export", "INVALID_VALUE NOT_SUPPORTED NO_MEMORY"},
	{"doca_sync_event_destroy", "INVALID_VALUE"},
	{"doca_sync_event_export_remote", "INVALID_VALUE"},
	{"doca_sync_event_export_to_dpa", "INVALID_VALUE NOT_SUPPORTED NO_MEMORY"},
	{"doca_sync_event_export_to_dpu", "INVALID_VALUE NOT_SUPPORTED NO_MEMORY"},
	{"doca_sync_event_export_to_gpu", "INVALID_VALUE NOT_SUPPORTED NO_MEMORY"},
	{"doca_sync_event_get", "INVALID_VALUE"},
	{"doca_sync_event_get_create_from_export_supported", "INVALID_VALUE NOT_SUPPORTED"},
	{"doca_sync_event_get_export_to_dpa_supported", "INVALID_VALUE NOT_SUPPORTED"},
	{"doca_sync_event_get_export_to_dpu_supported", "INVALID_VALUE NOT_SUPPORTED"},
	{"doca_sync_event_get_export_to_gpu_supported", "INVALID_VALUE NOT_SUPPORTED"},
	{"doca_sync_event_job_get_supported", "INVALID_VALUE NOT_SUPPORTED"},
	{"doca_sync_event_publisher_add_location_cpu", "INVALID_VALUE"},
	{"doca_sync_event_publisher_add_location_dpa", "INVALID_VALUE"},
	{"doca_sync_event_publisher_add_location_dpu", "INVALID_VALUE"},
	{"doca_sync_event_publisher_add_location_gpu", "INVALID_VALUE"},
	{"doca_sync_event_set_addr", "INVALID_VALUE BAD_STATE NOT_SUPPORTED"},
	{"doca_sync_event_start", "INVALID_VALUE"},
	{"doca_sync_event_stop", "INVALID_VALUE"},
	{"doca_sync_event_subscriber_add_location_cpu", "INVALID_VALUE"},
	{"doca_sync_event_subscriber_add_location_dpa", "INVALID_VALUE"},
	{"doca_sync_event_subscriber_add_location_dpu", "INVALID_VALUE"},
	{"doca_sync_event_subscriber_add_location_gpu", "INVALID_VALUE"},
	{"doca_sync_event_update_add", "INVALID_VALUE"},
	{"doca_sync_event_update_set", "INVALID_VALUE"},
	{"doca_sync_event_wait_gt", "INVALID_VALUE"},
	{"doca_sync_event_wait_gt_yield", "INVALID_VALUE"},
	{NULL, NULL},
};

static const struct unreachable unreachable_sha[] = {
	{"doca_sha_create", "NOT_SUPPORTED", "the device is given later, by doca_ctx_dev_add"},
	{NULL},
};
static const struct unreachable unreachable_sync_event[] = {
	{"doca_sync_event_export_to_dpa", "NO_MEMORY", "there is no DPA"},
	{"doca_sync_event_export_to_gpu", "NO_MEMORY", "there is no GPU"},
	{NULL},
};
static const struct unreachable unreachable_none[] = {{NULL}};

static bool finish(void)
{
	bool ok = cover_report("2.2 doca_sha", documented_sha, unreachable_sha);

	ok &= cover_report("2.2 doca_sync_event", documented_sync_event, unreachable_sync_event);
	return cover_report("2.2 doca_graph", documented_graph, unreachable_none) && ok;
}

static void add_cases(Suite *suite)
{
	TCase *cases = tcase_create("jobs"), *poor = tcase_create("poor devices");

	tcase_add_checked_fixture(cases, setup, teardown);
	tcase_set_timeout(cases, RUNNER_TEST_S);
	suite_add_tcase(suite, cases);
	tcase_add_test(cases, test_sha);
	tcase_add_test(cases, test_sync_null);
	tcase_add_test(cases, test_sync_export);
	tcase_add_test(cases, test_sync_jobs);
	tcase_add_test(cases, test_graph);
	tcase_add_test(cases, test_graph_codes);
	tcase_add_test(cases, test_graph_depth);
	tcase_add_test(cases, test_graph_of_segments);
	tcase_add_test(cases, test_graph_of_events);
	tcase_add_test(cases, test_other_generations);
	tcase_add_checked_fixture(poor, setup_no_capabilities, teardown);
	tcase_set_timeout(poor, RUNNER_TEST_S);
	suite_add_tcase(suite, poor);
	tcase_add_test(poor, test_poor_devices);
}

int main(void)
{
	lab_require();
	cover_init();
	return runner_main("libraries of 2.2", add_cases, finish);
}
