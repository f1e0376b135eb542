/* Work queues: legacy contexts, jobs, events, waiting, and what each function refuses. */
#define DOCA_API_LIBRARY

#include <poll.h>

#include "client/base/error.h"
#include "tests/unit/client/compat/fixture.h"

#define LEN 4096u

static uint8_t from[LEN], to[LEN];
static struct doca_mmap *map_from, *map_to;
static struct doca_buf_inventory *inventory;
static struct doca_dma *dma;
static struct doca_ctx *ctx;
static struct doca_workq *workq;
static size_t n_fds;

static void setup(void)
{
	uint64_t seed = 7;

	n_fds = unit_n_fds();
	for (size_t i = 0; i < LEN; i++)
		from[i] = (uint8_t)unit_random(&seed);
	map_from = unit_mmap(from, LEN, DOCA_ACCESS_FLAG_LOCAL_READ_ONLY);
	map_to = unit_mmap(to, LEN, DOCA_ACCESS_FLAG_LOCAL_READ_WRITE);
	inventory = unit_inventory(256);
	ctx = legacy_new(&dma);
	workq = queue_new(4, API_2_2);
	ck_ok(doca_ctx_workq_add(ctx, workq));
}

static void teardown(void)
{
	ck_ok(doca_ctx_workq_rm(ctx, workq));
	ck_ok(doca_workq_destroy(workq));
	legacy_delete(dma);
	ck_ok(doca_buf_inventory_destroy(inventory));
	ck_ok(doca_mmap_destroy(map_from));
	ck_ok(doca_mmap_destroy(map_to));
	ck_assert_uint_eq(unit_dev.n_users, 0);
	ck_assert_uint_eq(unit_n_fds(), n_fds);
}

static struct doca_buf *source(size_t at, size_t len)
{
	struct doca_buf *buf;

	ck_ok(doca_buf_inventory_buf_get_by_data(inventory, map_from, from + at, len, &buf));
	return buf;
}

static struct doca_buf *destination(size_t at, size_t len, size_t used)
{
	struct doca_buf *buf;

	ck_ok(doca_buf_inventory_buf_get_by_args(inventory, map_to, to + at, len, to + at, used,
						 &buf));
	return buf;
}

static void put(struct doca_buf *buf)
{
	ck_ok(doca_buf_dec_refcount(buf, NULL));
}

START_TEST(a_job_copies_and_reports_an_event)
{
	struct doca_buf *src = source(0, 100), *dst = destination(0, LEN, 10);
	struct doca_dma_job_memcpy job = copy_job(ctx, src, dst, 77);
	struct doca_event event;

	ck_ok(doca_workq_submit(workq, &job.base));
	retrieve(workq, DOCA_SUCCESS, &event);
	ck_assert_uint_eq(event.user_data.u64, 77);
	ck_assert_uint_eq(event.result.u64, DOCA_SUCCESS);
	ck_assert_mem_eq(to + 10, from, 100);
	ck_assert_uint_eq(dst->data_len, 110);
	put(src);
	put(dst);
}
END_TEST

START_TEST(the_depth_counts_until_the_event_was_retrieved)
{
	struct doca_buf *src = source(0, 8), *dst = destination(0, LEN, 0);
	struct doca_dma_job_memcpy job = copy_job(ctx, src, dst, 0);
	struct doca_event event;

	for (uint64_t i = 0; i < 4; i++) {
		job.base.user_data.u64 = i;
		ck_ok(doca_workq_submit(workq, &job.base));
	}
	ck_fails(doca_workq_submit(workq, &job.base), DOCA_ERROR_NO_MEMORY);
	ck_says("retrieve");
	/* Jobs that are done but not retrieved count, too. */
	pe_progress(workq->pe);
	ck_fails(doca_workq_submit(workq, &job.base), DOCA_ERROR_NO_MEMORY);
	for (uint64_t i = 0; i < 4; i++) {
		retrieve(workq, DOCA_SUCCESS, &event);
		ck_assert_uint_eq(event.user_data.u64, i);
		ck_ok(doca_workq_submit(workq, &job.base));
		ck_fails(doca_workq_submit(workq, &job.base), DOCA_ERROR_NO_MEMORY);
	}
	for (uint64_t i = 0; i < 4; i++)
		retrieve(workq, DOCA_SUCCESS, &event);
	ck_fails(doca_workq_progress_retrieve(workq, &event, 0), DOCA_ERROR_AGAIN);
	ck_assert_uint_eq(workq->n_jobs, 0);
	put(src);
	put(dst);
}
END_TEST

START_TEST(invalid_jobs_are_refused)
{
	struct doca_buf *src = source(0, 8), *dst = destination(0, LEN, 0);
	struct doca_dma_job_memcpy good = copy_job(ctx, src, dst, 0), job;
	struct doca_dma *stopped, *strange, *current;
	struct doca_event event;

	ck_fails(doca_workq_submit(NULL, &good.base), DOCA_ERROR_INVALID_VALUE);
	ck_fails(doca_workq_submit(workq, NULL), DOCA_ERROR_INVALID_VALUE);
	for (int i = 0; i < 5; i++) {
		static const int types[] = {0, DOCA_DMA_JOB_MEMCPY - 1, DOCA_DMA_JOB_MEMCPY + 1,
					    INT32_MIN, INT32_MAX};

		job = good;
		job.base.type = types[i];
		ck_fails(doca_workq_submit(workq, &job.base), DOCA_ERROR_INVALID_VALUE);
		ck_says("type");
	}
	job = good;
	job.base.flags = 1;
	ck_fails(doca_workq_submit(workq, &job.base), DOCA_ERROR_INVALID_VALUE);
	ck_says("flags");
	job = good;
	job.src_buff = NULL;
	ck_fails(doca_workq_submit(workq, &job.base), DOCA_ERROR_INVALID_VALUE);
	ck_says("src_buff");
	job = good;
	job.dst_buff = NULL;
	ck_fails(doca_workq_submit(workq, &job.base), DOCA_ERROR_INVALID_VALUE);
	ck_says("dst_buff");
	job = good;
	job.base.ctx = NULL;
	ck_fails(doca_workq_submit(workq, &job.base), DOCA_ERROR_NOT_FOUND);
	job.base.ctx = legacy_new(&strange);
	ck_fails(doca_workq_submit(workq, &job.base), DOCA_ERROR_NOT_FOUND);
	ck_says("doca_ctx_workq_add");
	ck_ok(compat_dma_create(&stopped));
	job.base.ctx = doca_dma_as_ctx(stopped);
	ck_fails(doca_workq_submit(workq, &job.base), DOCA_ERROR_BAD_STATE);
	ck_says("stopped");
	ck_ok(doca_dma_create(&unit_dev, &current));
	job.base.ctx = doca_dma_as_ctx(current);
	ck_fails(doca_workq_submit(workq, &job.base), DOCA_ERROR_BAD_STATE);
	ck_says("2.5");
	ck_fails(doca_workq_progress_retrieve(workq, &event, 0), DOCA_ERROR_AGAIN);
	ck_assert_uint_eq(workq->n_jobs, 0);
	/* A valid job is still accepted. */
	ck_ok(doca_workq_submit(workq, &good.base));
	retrieve(workq, DOCA_SUCCESS, &event);
	ck_ok(doca_dma_destroy(current));
	ck_ok(doca_dma_destroy(stopped));
	legacy_delete(strange);
	put(src);
	put(dst);
}
END_TEST

START_TEST(a_failed_job_ends_nothing_else)
{
	struct doca_buf *src = source(0, 8), *small = destination(0, 4, 0);
	struct doca_buf *dst = destination(8, LEN - 8, 0), *locked;
	struct doca_dma_job_memcpy bad = copy_job(ctx, src, small, 1);
	struct doca_dma_job_memcpy good = copy_job(ctx, src, dst, 2), forbidden;
	struct doca_workq *other = queue_new(1, API_2_2);
	struct doca_dma_memcpy_result result;
	struct doca_event event;

	ck_ok(doca_buf_inventory_buf_get_by_addr(inventory, map_from, from, LEN, &locked));
	forbidden = copy_job(ctx, src, locked, 3);
	ck_ok(doca_ctx_workq_add(ctx, other));
	for (int round = 0; round < 3; round++) {
		ck_ok(doca_workq_submit(workq, &bad.base));
		ck_ok(doca_workq_submit(workq, &good.base));
		ck_ok(doca_workq_submit(workq, &forbidden.base));
		ck_ok(doca_workq_submit(workq, &good.base));
		ck_ok(doca_workq_submit(other, &good.base));
		retrieve(workq, DOCA_ERROR_IO_FAILED, &event);
		ck_assert_uint_eq(event.user_data.u64, 1);
		ck_assert_uint_eq(event.result.u64, DOCA_ERROR_IO_FAILED);
		memcpy(&result, &event.result, sizeof(result));
		ck_assert_int_eq(result.result, DOCA_ERROR_IO_FAILED);
		retrieve(other, DOCA_SUCCESS, &event);
		retrieve(workq, DOCA_SUCCESS, &event);
		ck_assert_uint_eq(event.user_data.u64, 2);
		ck_assert_uint_eq(event.result.u64, DOCA_SUCCESS);
		retrieve(workq, DOCA_ERROR_IO_FAILED, &event);
		ck_assert_uint_eq(event.user_data.u64, 3);
		ck_assert_uint_eq(event.result.u64, DOCA_ERROR_NOT_PERMITTED);
		retrieve(workq, DOCA_SUCCESS, &event);
	}
	ck_assert_uint_eq(dst->data_len, 9 * 8);
	ck_ok(doca_ctx_workq_rm(ctx, other));
	ck_ok(doca_workq_destroy(other));
	put(src);
	put(small);
	put(dst);
	put(locked);
}
END_TEST

START_TEST(a_wrong_retrieve_leaves_the_event)
{
	struct doca_buf *src = source(0, 8), *dst = destination(0, LEN, 0);
	struct doca_dma_job_memcpy job = copy_job(ctx, src, dst, 5);
	struct doca_event event, before;

	memset(&event, 0x5a, sizeof(event));
	before = event;
	ck_fails(doca_workq_progress_retrieve(workq, &event, 0), DOCA_ERROR_AGAIN);
	ck_assert_mem_eq(&event, &before, sizeof(event));
	ck_ok(doca_workq_submit(workq, &job.base));
	ck_fails(doca_workq_progress_retrieve(NULL, &event, 0), DOCA_ERROR_INVALID_VALUE);
	ck_fails(doca_workq_progress_retrieve(workq, NULL, 0), DOCA_ERROR_INVALID_VALUE);
	ck_fails(doca_workq_progress_retrieve(workq, &event, 1), DOCA_ERROR_INVALID_VALUE);
	ck_assert_mem_eq(&event, &before, sizeof(event));
	retrieve(workq, DOCA_SUCCESS, &event);
	ck_assert_uint_eq(event.user_data.u64, 5);
	put(src);
	put(dst);
}
END_TEST

static struct doca_workq *nested_workq;
static doca_error_t nested_result;

static void retrieve_nested(struct toy *toy, struct doca_task *task)
{
	struct doca_event event;

	(void)toy;
	nested_result = doca_workq_progress_retrieve(nested_workq, &event, 0);
	ck_fails(doca_ctx_workq_rm(ctx, nested_workq), DOCA_ERROR_NOT_PERMITTED);
	doca_task_free(task);
}

START_TEST(callbacks_neither_retrieve_nor_remove)
{
	struct toy *toy = toy_new(workq_pe(workq), 1);
	struct doca_buf *src = source(0, 8), *dst = destination(0, LEN, 0);
	struct doca_dma_job_memcpy job = copy_job(ctx, src, dst, 5);
	struct doca_event event;

	nested_workq = workq;
	toy->on_task = retrieve_nested;
	ck_ok(doca_ctx_start(&toy->ctx));
	ck_ok(doca_task_submit(toy_task(toy, 1)));
	ck_fails(doca_workq_progress_retrieve(workq, &event, 0), DOCA_ERROR_AGAIN);
	ck_assert_uint_eq(toy->n_ok, 1);
	ck_assert_int_eq(nested_result, DOCA_ERROR_AGAIN);
	ck_ok(doca_workq_submit(workq, &job.base));
	retrieve(workq, DOCA_SUCCESS, &event);
	ck_ok(doca_ctx_stop(&toy->ctx));
	toy_delete(toy);
	put(src);
	put(dst);
}
END_TEST

START_TEST(contexts_keep_their_rules)
{
	struct doca_dma *other;
	struct doca_ctx *its;

	ck_fails(compat_dma_create(NULL), DOCA_ERROR_INVALID_VALUE);
	ck_ok(compat_dma_create(&other));
	its = doca_dma_as_ctx(other);
	ck_fails(doca_ctx_dev_add(NULL, &unit_dev), DOCA_ERROR_INVALID_VALUE);
	ck_fails(doca_ctx_dev_add(its, NULL), DOCA_ERROR_INVALID_VALUE);
	ck_fails(doca_ctx_dev_rm(NULL, &unit_dev), DOCA_ERROR_INVALID_VALUE);
	ck_fails(doca_ctx_dev_rm(its, NULL), DOCA_ERROR_INVALID_VALUE);
	ck_fails(compat_ctx_start(NULL), DOCA_ERROR_INVALID_VALUE);
	ck_fails(compat_ctx_stop(NULL), DOCA_ERROR_INVALID_VALUE);
	ck_fails(compat_ctx_start(its), DOCA_ERROR_INVALID_VALUE);
	ck_says("doca_ctx_dev_add");
	ck_fails(doca_ctx_dev_rm(its, &unit_dev), DOCA_ERROR_NOT_FOUND);
	unit_info.caps.dma = false;
	ck_fails(doca_ctx_dev_add(its, &unit_dev), DOCA_ERROR_NOT_SUPPORTED);
	unit_info.caps.dma = true;
	ck_ok(doca_ctx_dev_add(its, &unit_dev));
	ck_fails(doca_ctx_dev_add(its, &unit_dev), DOCA_ERROR_IN_USE);
	ck_ok(doca_ctx_dev_add(its, &unit_dev_other));
	ck_assert_uint_eq(unit_dev_other.n_users, 1);
	ck_ok(compat_ctx_stop(its));
	for (int i = 0; i < 2; i++) {
		ck_ok(compat_ctx_start(its));
		ck_fails(compat_ctx_start(its), DOCA_ERROR_BAD_STATE);
		ck_fails(doca_ctx_dev_add(its, &unit_dev), DOCA_ERROR_BAD_STATE);
		ck_fails(doca_ctx_dev_rm(its, &unit_dev), DOCA_ERROR_BAD_STATE);
		ck_fails(doca_ctx_set_datapath_on_gpu(its, (struct doca_gpu *)its),
			 DOCA_ERROR_BAD_STATE);
		ck_fails(doca_dma_destroy(other), DOCA_ERROR_IN_USE);
		ck_ok(compat_ctx_stop(its));
		ck_ok(compat_ctx_stop(its));
	}
	ck_ok(doca_ctx_dev_rm(its, &unit_dev));
	ck_fails(doca_ctx_dev_rm(its, &unit_dev), DOCA_ERROR_NOT_FOUND);
	/* A queue that was not removed ends with the object. */
	ck_ok(doca_dma_destroy(other));
	ck_assert_uint_eq(unit_dev_other.n_users, 0);
}
END_TEST

START_TEST(queues_keep_their_rules)
{
	struct doca_workq *other;
	struct doca_dma *stopped;
	struct doca_buf *src = source(0, 8), *dst = destination(0, LEN, 0);
	struct doca_dma_job_memcpy job = copy_job(ctx, src, dst, 5);
	struct doca_event event;
	uint32_t n = 0;

	ck_fails(compat_workq_create(0, API_2_2, &other), DOCA_ERROR_INVALID_VALUE);
	ck_fails(doca_workq_create(1, NULL), DOCA_ERROR_INVALID_VALUE);
	ck_fails(doca_workq_destroy(NULL), DOCA_ERROR_INVALID_VALUE);
	ck_fails(doca_ctx_workq_add(NULL, workq), DOCA_ERROR_INVALID_VALUE);
	ck_fails(doca_ctx_workq_add(ctx, NULL), DOCA_ERROR_INVALID_VALUE);
	ck_fails(doca_ctx_workq_rm(NULL, workq), DOCA_ERROR_INVALID_VALUE);
	ck_fails(doca_ctx_workq_rm(ctx, NULL), DOCA_ERROR_INVALID_VALUE);
	ck_fails(doca_ctx_workq_add(ctx, workq), DOCA_ERROR_IN_USE);
	ck_fails(doca_workq_destroy(workq), DOCA_ERROR_IN_USE);
	ck_fails(compat_ctx_stop(ctx), DOCA_ERROR_NOT_PERMITTED);
	ck_says("doca_ctx_workq_rm");
	ck_ok(doca_workq_create(unit_info.caps.dma_max_tasks + 1, &other));
	ck_fails(doca_ctx_workq_rm(ctx, other), DOCA_ERROR_NOT_FOUND);
	ck_fails(doca_ctx_workq_add(ctx, other), DOCA_ERROR_NO_MEMORY);
	ck_says("depth");
	ck_ok(compat_dma_create(&stopped));
	ck_fails(doca_ctx_workq_add(doca_dma_as_ctx(stopped), other), DOCA_ERROR_BAD_STATE);
	ck_fails(doca_ctx_workq_rm(doca_dma_as_ctx(stopped), other), DOCA_ERROR_BAD_STATE);
	ck_ok(doca_dma_destroy(stopped));
	ck_ok(doca_workq_destroy(other));
	ck_ok(doca_workq_submit(workq, &job.base));
	/* With a job in flight, whose event can be retrieved afterwards. */
	ck_fails(doca_ctx_workq_rm(ctx, workq), DOCA_ERROR_IN_USE);
	ck_fails(doca_workq_destroy(workq), DOCA_ERROR_IN_USE);
	ck_fails(compat_ctx_stop(ctx), DOCA_ERROR_NOT_PERMITTED);
	ck_fails(doca_dma_destroy(dma), DOCA_ERROR_IN_USE);
	retrieve(workq, DOCA_SUCCESS, &event);
	ck_fails(doca_ctx_get_max_num_ctx(NULL), DOCA_ERROR_INVALID_VALUE);
	ck_ok(doca_ctx_get_max_num_ctx(&n));
	ck_assert_uint_eq(n, WORKQ_MAX_CTXS);
	put(src);
	put(dst);
}
END_TEST

START_TEST(the_depth_is_a_property)
{
	struct doca_workq *other = queue_new(3, API_1_3);
	uint32_t depth = 0;
	uint8_t bytes[4];

	ck_ok(doca_workq_get_depth(other, &depth));
	ck_assert_uint_eq(depth, 3);
	ck_ok(doca_workq_set_depth(other, 100));
	ck_ok(doca_workq_property_get(other, DOCA_WORKQ_PROPERTY_DEPTH, bytes, 4));
	memcpy(&depth, bytes, 4);
	ck_assert_uint_eq(depth, 100);
	depth = 2;
	memcpy(bytes, &depth, 4);
	ck_ok(doca_workq_property_set(other, DOCA_WORKQ_PROPERTY_DEPTH, bytes, 4));
	ck_ok(doca_workq_get_depth(other, &depth));
	ck_assert_uint_eq(depth, 2);
	ck_fails(doca_workq_get_depth(NULL, &depth), DOCA_ERROR_INVALID_VALUE);
	ck_fails(doca_workq_get_depth(other, NULL), DOCA_ERROR_INVALID_VALUE);
	ck_fails(doca_workq_set_depth(NULL, 1), DOCA_ERROR_INVALID_VALUE);
	ck_fails(doca_workq_set_depth(other, 0), DOCA_ERROR_INVALID_VALUE);
	ck_fails(doca_workq_set_depth(workq, 8), DOCA_ERROR_BAD_STATE);
	ck_fails(doca_workq_property_set(workq, DOCA_WORKQ_PROPERTY_DEPTH, bytes, 4),
		 DOCA_ERROR_BAD_STATE);
	ck_fails(doca_workq_property_set(NULL, DOCA_WORKQ_PROPERTY_DEPTH, bytes, 4),
		 DOCA_ERROR_INVALID_VALUE);
	ck_fails(doca_workq_property_set(other, DOCA_WORKQ_PROPERTY_DEPTH, NULL, 4),
		 DOCA_ERROR_INVALID_VALUE);
	ck_fails(doca_workq_property_set(other, DOCA_WORKQ_PROPERTY_DEPTH, bytes, 8),
		 DOCA_ERROR_INVALID_VALUE);
	ck_fails(doca_workq_property_set(other, (enum doca_workq_property)1, bytes, 4),
		 DOCA_ERROR_INVALID_VALUE);
	ck_fails(doca_workq_property_get(other, DOCA_WORKQ_PROPERTY_DEPTH, NULL, 4),
		 DOCA_ERROR_INVALID_VALUE);
	ck_fails(doca_workq_property_get(other, DOCA_WORKQ_PROPERTY_DEPTH, bytes, 2),
		 DOCA_ERROR_INVALID_VALUE);
	memset(bytes, 0, 4);
	ck_fails(doca_workq_property_set(other, DOCA_WORKQ_PROPERTY_DEPTH, bytes, 4),
		 DOCA_ERROR_INVALID_VALUE);
	ck_ok(doca_workq_destroy(other));
}
END_TEST

static bool is_readable(int fd)
{
	struct pollfd pfd = {.fd = fd, .events = POLLIN};

	return poll(&pfd, 1, 0) == 1;
}

START_TEST(a_queue_can_be_waited_on)
{
	struct doca_workq *other = queue_new(2, API_2_2);
	struct doca_buf *src = source(0, 8), *dst = destination(0, LEN, 0);
	struct doca_dma_job_memcpy job = copy_job(ctx, src, dst, 5);
	struct doca_event event;
	uint8_t is_on = 7;
	int fd = -1;

	ck_ok(doca_workq_get_event_driven_enable(other, &is_on));
	ck_assert_uint_eq(is_on, 0);
	ck_fails(doca_workq_get_event_handle(other, &fd), DOCA_ERROR_BAD_STATE);
	ck_fails(doca_workq_event_handle_arm(other), DOCA_ERROR_BAD_STATE);
	ck_fails(doca_workq_event_handle_clear(other, 0), DOCA_ERROR_BAD_STATE);
	ck_fails(doca_workq_set_event_driven_enable(other, 2), DOCA_ERROR_INVALID_VALUE);
	ck_fails(doca_workq_set_event_driven_enable(NULL, 1), DOCA_ERROR_INVALID_VALUE);
	ck_ok(doca_workq_set_event_driven_enable(other, 1));
	ck_ok(doca_workq_get_event_driven_enable(other, &is_on));
	ck_assert_uint_eq(is_on, 1);
	ck_ok(doca_ctx_get_event_driven_supported(ctx, &is_on));
	ck_assert_uint_eq(is_on, 1);
	ck_ok(doca_ctx_workq_add(ctx, other));
	ck_fails(doca_workq_set_event_driven_enable(other, 0), DOCA_ERROR_BAD_STATE);
	ck_ok(doca_workq_get_event_handle(other, &fd));
	ck_assert(!is_readable(fd));
	for (int i = 0; i < 3; i++) {
		/* A job after arming wakes the program. */
		ck_ok(doca_workq_event_handle_arm(other));
		ck_assert(!is_readable(fd));
		ck_ok(doca_workq_submit(other, &job.base));
		ck_assert(is_readable(fd));
		ck_ok(doca_workq_event_handle_clear(other, fd));
		ck_assert(!is_readable(fd));
		/* Arming with a job in flight wakes it, too. */
		ck_ok(doca_workq_event_handle_arm(other));
		ck_assert(is_readable(fd));
		ck_ok(doca_workq_event_handle_clear(other, fd));
		retrieve(other, DOCA_SUCCESS, &event);
		/* The same with an event that was not waited for. */
		ck_ok(doca_workq_submit(other, &job.base));
		pe_progress(other->pe);
		ck_ok(doca_workq_event_handle_arm(other));
		ck_assert(is_readable(fd));
		ck_ok(doca_workq_event_handle_clear(other, fd));
		retrieve(other, DOCA_SUCCESS, &event);
		ck_assert(!is_readable(fd));
	}
	ck_fails(doca_workq_get_event_handle(other, NULL), DOCA_ERROR_INVALID_VALUE);
	ck_fails(doca_workq_get_event_handle(NULL, &fd), DOCA_ERROR_INVALID_VALUE);
	ck_fails(doca_workq_event_handle_arm(NULL), DOCA_ERROR_INVALID_VALUE);
	ck_fails(doca_workq_event_handle_clear(NULL, fd), DOCA_ERROR_INVALID_VALUE);
	ck_fails(doca_workq_get_event_driven_enable(NULL, &is_on), DOCA_ERROR_INVALID_VALUE);
	ck_fails(doca_workq_get_event_driven_enable(other, NULL), DOCA_ERROR_INVALID_VALUE);
	ck_fails(doca_ctx_get_event_driven_supported(NULL, &is_on), DOCA_ERROR_INVALID_VALUE);
	ck_fails(doca_ctx_get_event_driven_supported(ctx, NULL), DOCA_ERROR_INVALID_VALUE);
	ck_fails(doca_workq_set_event_handle(other, fd, 0), DOCA_ERROR_NOT_SUPPORTED);
	ck_fails(doca_workq_set_event_handle(NULL, fd, 0), DOCA_ERROR_INVALID_VALUE);
	ck_ok(doca_ctx_workq_rm(ctx, other));
	ck_ok(doca_workq_destroy(other));
	put(src);
	put(dst);
}
END_TEST

START_TEST(an_engine_that_polls_refuses_a_queue_that_waits)
{
	static const struct workq_engine poller = {.name = "poller"};
	struct toy *toy = toy_new(NULL, 0);
	struct doca_workq *other = queue_new(2, API_2_2);
	uint8_t is_on = 7;

	ck_ok(legacy_ctx_attach(&toy->ctx, &poller, API_2_0));
	ck_ok(doca_ctx_dev_add(&toy->ctx, &unit_dev_other));
	ck_ok(compat_ctx_start(&toy->ctx));
	ck_ok(doca_ctx_get_event_driven_supported(&toy->ctx, &is_on));
	ck_assert_uint_eq(is_on, 0);
	ck_ok(doca_workq_set_event_driven_enable(other, 1));
	ck_fails(doca_ctx_workq_add(&toy->ctx, other), DOCA_ERROR_NOT_SUPPORTED);
	ck_ok(compat_ctx_stop(&toy->ctx));
	ck_ok(doca_workq_destroy(other));
	toy_delete(toy);
}
END_TEST

START_TEST(generations_refuse_each_other)
{
	struct doca_dma_task_memcpy *task;
	struct doca_dma *current;
	struct doca_ctx *its;
	struct doca_pe *pe;
	union doca_data data = {.u64 = 0};
	enum doca_ctx_states state;
	uint8_t is_on;
	uint32_t n32;
	size_t n;

	ck_ok(doca_pe_create(&pe));
	ck_ok(doca_dma_create(&unit_dev, &current));
	its = doca_dma_as_ctx(current);
	ck_fails(doca_ctx_dev_add(its, &unit_dev), DOCA_ERROR_BAD_STATE);
	ck_says("2.5");
	ck_fails(doca_ctx_dev_rm(its, &unit_dev), DOCA_ERROR_BAD_STATE);
	ck_fails(compat_ctx_start(its), DOCA_ERROR_BAD_STATE);
	ck_fails(compat_ctx_stop(its), DOCA_ERROR_BAD_STATE);
	ck_fails(doca_ctx_workq_add(its, workq), DOCA_ERROR_BAD_STATE);
	ck_fails(doca_ctx_workq_rm(its, workq), DOCA_ERROR_BAD_STATE);
	ck_fails(doca_ctx_get_event_driven_supported(its, &is_on), DOCA_ERROR_BAD_STATE);
	ck_ok(doca_dma_destroy(current));

	ck_fails(doca_pe_connect_ctx(pe, ctx), DOCA_ERROR_BAD_STATE);
	ck_says("1.3");
	ck_fails(doca_ctx_start(ctx), DOCA_ERROR_BAD_STATE);
	ck_fails(doca_ctx_stop(ctx), DOCA_ERROR_BAD_STATE);
	ck_fails(doca_ctx_get_num_inflight_tasks(ctx, &n), DOCA_ERROR_BAD_STATE);
	ck_fails(doca_ctx_set_user_data(ctx, data), DOCA_ERROR_BAD_STATE);
	ck_fails(doca_ctx_get_user_data(ctx, &data), DOCA_ERROR_BAD_STATE);
	ck_fails(doca_ctx_get_state(ctx, &state), DOCA_ERROR_BAD_STATE);
	ck_fails(doca_ctx_set_state_changed_cb(ctx, toy_state), DOCA_ERROR_BAD_STATE);
	ck_fails(doca_ctx_set_completion_vector(ctx, 0), DOCA_ERROR_BAD_STATE);
	ck_fails(doca_ctx_set_datapath_on_dpa(ctx, (struct doca_dpa *)ctx), DOCA_ERROR_BAD_STATE);
	ck_fails(doca_dma_cap_get_max_num_tasks(dma, &n32), DOCA_ERROR_BAD_STATE);
	ck_fails(doca_dma_task_memcpy_set_conf(dma, (doca_dma_task_memcpy_completion_cb_t)toy_ok,
					       (doca_dma_task_memcpy_completion_cb_t)toy_ok, 1),
		 DOCA_ERROR_BAD_STATE);
	ck_fails(doca_dma_task_memcpy_alloc_init(dma, NULL, NULL, data, &task),
		 DOCA_ERROR_BAD_STATE);
	ck_fails(doca_dma_set_ordered_completions(dma, 1), DOCA_ERROR_BAD_STATE);
	ck_fails(doca_dma_get_gpu_handle(dma, (struct doca_gpu_dma **)&task), DOCA_ERROR_BAD_STATE);
	ck_ok(doca_pe_destroy(pe));
}
END_TEST

START_TEST(capabilities_are_the_device_s)
{
	uint32_t n = 0, caps = 7;
	uint64_t size = 0;

	ck_ok(doca_dma_job_get_supported(&unit_info, DOCA_DMA_JOB_MEMCPY));
	ck_ok(doca_dma_devinfo_caps_get(&unit_info, &caps));
	ck_assert_uint_eq(caps, DOCA_DMA_CAP_HW_OFFLOAD);
	ck_ok(doca_dma_get_max_list_buf_num_elem(&unit_info, &n));
	ck_assert_uint_eq(n, unit_info.caps.dma_max_list_len);
	unit_info.caps.dma_max_buf_size = 64u << 20;
	ck_ok(doca_dma_get_max_buf_size(&unit_info, &size));
	ck_assert_uint_eq(size, 64u << 20);
	unit_info.caps.dma_max_buf_size = INT64_MAX;
	ck_ok(doca_dma_get_max_buf_size(&unit_info, &size));
	ck_assert_uint_eq(size, 2u << 20);
	ck_fails(doca_dma_job_get_supported(NULL, DOCA_DMA_JOB_MEMCPY), DOCA_ERROR_INVALID_VALUE);
	ck_fails(doca_dma_job_get_supported(&unit_info, (enum doca_dma_job_types)0),
		 DOCA_ERROR_INVALID_VALUE);
	ck_fails(doca_dma_devinfo_caps_get(NULL, &caps), DOCA_ERROR_INVALID_VALUE);
	ck_fails(doca_dma_devinfo_caps_get(&unit_info, NULL), DOCA_ERROR_INVALID_VALUE);
	ck_fails(doca_dma_get_max_list_buf_num_elem(NULL, &n), DOCA_ERROR_INVALID_VALUE);
	ck_fails(doca_dma_get_max_list_buf_num_elem(&unit_info, NULL), DOCA_ERROR_INVALID_VALUE);
	ck_fails(doca_dma_get_max_buf_size(NULL, &size), DOCA_ERROR_INVALID_VALUE);
	ck_fails(doca_dma_get_max_buf_size(&unit_info, NULL), DOCA_ERROR_INVALID_VALUE);
	unit_info.caps.dma = false;
	ck_fails(doca_dma_job_get_supported(&unit_info, DOCA_DMA_JOB_MEMCPY),
		 DOCA_ERROR_NOT_SUPPORTED);
	ck_ok(doca_dma_devinfo_caps_get(&unit_info, &caps));
	ck_assert_uint_eq(caps, DOCA_DMA_CAP_NONE);
	unit_info.caps.dma = true;
}
END_TEST

START_TEST(jobs_become_tasks_of_graphs)
{
	struct doca_buf *src = source(0, 8), *dst = destination(0, LEN, 0);
	struct doca_dma_job_memcpy job = copy_job(ctx, src, dst, 5);
	struct workq_ctx *workq_ctx = workq_ctx_find(workq, ctx);
	struct doca_task *tasks[5] = {0};
	struct doca_event event;

	for (int i = 0; i < 4; i++)
		ck_ok(workq_ctx->engine->prepare(workq_ctx, &job.base, &tasks[i]));
	ck_fails(workq_ctx->engine->prepare(workq_ctx, &job.base, &tasks[4]), DOCA_ERROR_NO_MEMORY);
	/* A queue whose tasks are used by a graph is not full, but has no free task. */
	ck_fails(doca_workq_submit(workq, &job.base), DOCA_ERROR_NO_MEMORY);
	ck_fails(doca_ctx_workq_rm(ctx, workq), DOCA_ERROR_IN_USE);
	tasks[0]->status = DOCA_ERROR_IO_FAILED;
	workq_ctx->engine->report(tasks[0], &event);
	ck_assert_int_eq(event.type, DOCA_DMA_JOB_MEMCPY);
	ck_assert_uint_eq(event.user_data.u64, 5);
	ck_assert_uint_eq(event.result.u64, DOCA_ERROR_IO_FAILED);
	for (int i = 0; i < 4; i++)
		task_put(tasks[i]);
	job.src_buff = NULL;
	ck_fails(workq_ctx->engine->prepare(workq_ctx, &job.base, &tasks[0]),
		 DOCA_ERROR_INVALID_VALUE);
	put(src);
	put(dst);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("compat/workq");
	TCase *tcase = unit_case(suite, "dma", UNIT_TIMEOUT);

	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_test(tcase, a_job_copies_and_reports_an_event);
	tcase_add_test(tcase, the_depth_counts_until_the_event_was_retrieved);
	tcase_add_test(tcase, invalid_jobs_are_refused);
	tcase_add_test(tcase, a_failed_job_ends_nothing_else);
	tcase_add_test(tcase, a_wrong_retrieve_leaves_the_event);
	tcase_add_test(tcase, callbacks_neither_retrieve_nor_remove);
	tcase_add_test(tcase, contexts_keep_their_rules);
	tcase_add_test(tcase, queues_keep_their_rules);
	tcase_add_test(tcase, the_depth_is_a_property);
	tcase_add_test(tcase, a_queue_can_be_waited_on);
	tcase_add_test(tcase, an_engine_that_polls_refuses_a_queue_that_waits);
	tcase_add_test(tcase, generations_refuse_each_other);
	tcase_add_test(tcase, capabilities_are_the_device_s);
	tcase_add_test(tcase, jobs_become_tasks_of_graphs);
	return unit_run(suite);
}
