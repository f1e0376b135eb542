/*
 * Jobs of sync events in 2.2 with wrong flags or a wrong context: each is refused with its code,
 * changes nothing and causes no event. Also tests which contexts can be waited for. Runs on the
 * host side of a lab.
 */
#include <string.h>

#include <doca_ctx.h>
#include <doca_dev.h>
#include <doca_sha.h>
#include <doca_sync_event.h>

#include "tests/conformance/other_jobs.h"
#include "tests/lib/expect.h"
#include "tests/lib/lab.h"
#include "tests/lib/runner.h"

_Static_assert(DOCA_USE_VERSION == 202, "compiled for 2.2");

#define DEPTH 4u

static struct lab lab;
static struct doca_dev *dev;
static struct doca_workq *workq;
static struct other_jobs others;

static void setup(void)
{
	lab_start(&lab, NULL);
	lab_use(&lab, LAB_HOST);
	leaks_allow_fds(1);
	dev = use_dev(USE_HOST_PF0);
	OK(doca_workq_create(DEPTH, &workq));
	others = other_jobs_open(dev);
}

static void teardown(void)
{
	other_jobs_close(&others);
	OK(doca_workq_destroy(workq));
	use_dev_end(dev);
	lab_stop(&lab);
}

static struct doca_sync_event *event_new(void)
{
	struct doca_sync_event *event;

	OK(doca_sync_event_create(&event));
	OK(doca_sync_event_publisher_add_location_cpu(event, dev));
	OK(doca_sync_event_subscriber_add_location_cpu(event, dev));
	return event;
}

static struct doca_sha *sha_new(void)
{
	struct doca_sha *sha;

	OK(doca_sha_create(&sha));
	OK(doca_ctx_dev_add(doca_sha_as_ctx(sha), dev));
	return sha;
}

static void open_on_queue(struct doca_ctx *ctx)
{
	OK(doca_ctx_start(ctx));
	OK(doca_ctx_workq_add(ctx, workq));
}

static void close_on_queue(struct doca_ctx *ctx)
{
	OK(doca_ctx_workq_rm(ctx, workq));
	OK(doca_ctx_stop(ctx));
}

static void run(const struct doca_job *job)
{
	struct doca_event event;
	doca_error_t result;

	OK(doca_workq_submit(workq, job));
	do
		result = doca_workq_progress_retrieve(workq, &event, 0);
	while (result == DOCA_ERROR_AGAIN);
	OK(result);
	ck_assert_int_eq(event.type, job->type);
	ck_assert_uint_eq(event.result.u64, DOCA_SUCCESS);
}

/* Checks that the job is refused, the counter does not change and there is no event. */
static void sync_job_is_refused(doca_error_t code, const struct doca_job *job)
{
	struct doca_event got, before;

	memset(&before, 0xa5, sizeof(before));
	got = before;
	EXPECT(code, doca_workq_submit(workq, job));
	EXPECT(DOCA_ERROR_AGAIN, doca_workq_progress_retrieve(workq, &got, 0));
	ck_assert_mem_eq(&got, &before, sizeof(got));
}

START_TEST(test_sync_flags_and_contexts)
{
	struct doca_sync_event *event = event_new(), *other_event = event_new();
	struct doca_ctx *ctx = doca_sync_event_as_ctx(event);
	struct doca_sha *sha = sha_new();
	uint64_t value = 0, fetched = 0;
	struct doca_sync_event_job_wait wait = {
		.base = {.type = DOCA_SYNC_EVENT_JOB_WAIT_GT, .ctx = ctx}, .mask = UINT64_MAX};
	struct doca_sync_event_job_get get = {.base = {.type = DOCA_SYNC_EVENT_JOB_GET, .ctx = ctx},
					      .value = &value};
	struct doca_sync_event_job_update_set set = {
		.base = {.type = DOCA_SYNC_EVENT_JOB_UPDATE_SET, .ctx = ctx}, .value = 7};
	struct doca_sync_event_job_update_add add = {
		.base = {.type = DOCA_SYNC_EVENT_JOB_UPDATE_ADD, .ctx = ctx},
		.value = 7,
		.fetched = &fetched};
	struct doca_job *jobs[] = {&wait.base, &get.base, &set.base, &add.base};

	open_on_queue(doca_sha_as_ctx(sha));
	open_on_queue(ctx);
	for (size_t i = 0; i < ARRAY_LEN(jobs); i++) {
		jobs[i]->flags = 1;
		sync_job_is_refused(DOCA_ERROR_INVALID_VALUE, jobs[i]);
		jobs[i]->flags = DOCA_JOB_FLAGS_NONE;
		/*
		 * Contexts: of the queue but of another kind; without a queue; NULL; of another
		 * generation.
		 */
		jobs[i]->ctx = doca_sha_as_ctx(sha);
		sync_job_is_refused(DOCA_ERROR_INVALID_VALUE, jobs[i]);
		jobs[i]->ctx = doca_sync_event_as_ctx(other_event);
		sync_job_is_refused(DOCA_ERROR_BAD_STATE, jobs[i]);
		jobs[i]->ctx = NULL;
		sync_job_is_refused(DOCA_ERROR_NOT_FOUND, jobs[i]);
		jobs[i]->ctx = doca_sync_event_as_ctx(others.event);
		sync_job_is_refused(DOCA_ERROR_BAD_STATE, jobs[i]);
	}
	OK(doca_ctx_start(doca_sync_event_as_ctx(other_event)));
	for (size_t i = 0; i < ARRAY_LEN(jobs); i++) {
		jobs[i]->ctx = doca_sync_event_as_ctx(other_event);
		sync_job_is_refused(DOCA_ERROR_NOT_FOUND, jobs[i]);
		jobs[i]->ctx = ctx;
	}
	/* After correction, the jobs show that nothing was changed. */
	value = fetched = 1;
	run(&get.base);
	ck_assert_uint_eq(value, 0);
	run(&add.base);
	ck_assert_uint_eq(fetched, 0);
	run(&wait.base);
	run(&set.base);
	OK(doca_ctx_stop(doca_sync_event_as_ctx(other_event)));
	close_on_queue(ctx);
	close_on_queue(doca_sha_as_ctx(sha));
	OK(doca_ctx_dev_rm(doca_sha_as_ctx(sha), dev));
	OK(doca_sha_destroy(sha));
	OK(doca_sync_event_destroy(other_event));
	OK(doca_sync_event_destroy(event));
}
END_TEST

/* Checks what a context reports, and that a queue for waiting accepts it. */
static void can_be_waited_for(struct doca_ctx *ctx)
{
	struct doca_workq *waiting;
	uint8_t is_supported = 0;

	EXPECT(DOCA_ERROR_INVALID_VALUE, doca_ctx_get_event_driven_supported(ctx, NULL));
	OK(doca_ctx_get_event_driven_supported(ctx, &is_supported));
	ck_assert_uint_eq(is_supported, 1);
	OK(doca_workq_create(DEPTH, &waiting));
	OK(doca_workq_set_event_driven_enable(waiting, 1));
	OK(doca_ctx_start(ctx));
	OK(doca_ctx_workq_add(ctx, waiting));
	OK(doca_ctx_workq_rm(ctx, waiting));
	OK(doca_ctx_stop(ctx));
	OK(doca_workq_destroy(waiting));
}

START_TEST(test_event_driven_contexts)
{
	struct doca_sync_event *event = event_new();
	struct doca_sha *sha = sha_new();
	uint8_t is_supported = 0xa5;

	can_be_waited_for(doca_sha_as_ctx(sha));
	can_be_waited_for(doca_sync_event_as_ctx(event));
	EXPECT(DOCA_ERROR_INVALID_VALUE, doca_ctx_get_event_driven_supported(NULL, &is_supported));
	EXPECT(DOCA_ERROR_BAD_STATE, doca_ctx_get_event_driven_supported(
					     doca_sync_event_as_ctx(others.event), &is_supported));
	ck_assert_uint_eq(is_supported, 0xa5);
	OK(doca_ctx_dev_rm(doca_sha_as_ctx(sha), dev));
	OK(doca_sha_destroy(sha));
	OK(doca_sync_event_destroy(event));
}
END_TEST

static void add_cases(Suite *suite)
{
	TCase *tcase = runner_case(suite, "sync jobs");

	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_test(tcase, test_sync_flags_and_contexts);
	tcase_add_test(tcase, test_event_driven_contexts);
}

int main(void)
{
	lab_require();
	return runner_main("2.2 sync jobs", add_cases, NULL);
}
