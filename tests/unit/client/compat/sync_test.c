/*
 * Jobs of sync events on their work-queue contexts: contexts of other work queues that use the
 * counter of one event, and must see what happens to it. Creates no threads.
 */
#define DOCA_API_LIBRARY

#include <poll.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <doca_sync_event.h>
#include <dococ/sync_event_workq.h>

#include "client/compat/workq/jobs.h"
#include "client/sync_event/sync_event.h"
#include "tests/unit/client/compat/fixture.h"

static struct doca_sync_event *event;
static struct doca_workq *workq;
static struct doca_ctx *ctx;
static doca_event_handle_t handle;

static void setup(void)
{
	unit_info.caps.sync_event = true;
	ck_ok(compat_sync_event_create(&event));
	ck_ok(doca_sync_event_publisher_add_location_cpu(event, &unit_dev));
	ck_ok(doca_sync_event_subscriber_add_location_dpu(event));
	ctx = doca_sync_event_as_ctx(event);
	ck_ok(compat_ctx_start(ctx));
	workq = queue_new(4, API_2_2);
	ck_ok(doca_workq_set_event_driven_enable(workq, 1));
	ck_ok(doca_workq_get_event_handle(workq, &handle));
}

static void teardown(void)
{
	ck_ok(doca_ctx_workq_rm(ctx, workq));
	ck_ok(doca_workq_destroy(workq));
	ck_ok(compat_ctx_stop(ctx));
	ck_ok(doca_sync_event_destroy(event));
	ck_assert_uint_eq(unit_dev.n_users, 0);
}

static void submit_wait(struct doca_sync_event_job_wait *job)
{
	*job = (struct doca_sync_event_job_wait){
		.base = {.type = DOCA_SYNC_EVENT_JOB_WAIT_GT, .ctx = ctx},
		.value = 4,
		.mask = UINT64_MAX,
	};
	ck_ok(doca_workq_submit(workq, &job->base));
}

static void await(doca_error_t wanted, doca_error_t status)
{
	struct doca_event got;
	doca_error_t result;

	while ((result = doca_workq_progress_retrieve(workq, &got, 0)) == DOCA_ERROR_AGAIN)
		continue;
	ck_assert_int_eq(result, wanted);
	ck_assert_int_eq(got.type, DOCA_SYNC_EVENT_JOB_WAIT_GT);
	ck_assert_uint_eq(got.result.u64, status);
}

static void await_readable(void)
{
	struct pollfd pollfd = {.fd = handle, .events = POLLIN};

	ck_assert_msg(poll(&pollfd, 1, 30000) == 1, "a wake-up was lost");
}

/*
 * Whether a sleeper checks at intervals depends on the event's present state, not on its state when
 * the context was created.
 */
START_TEST(a_work_queue_sees_that_an_event_becomes_shared)
{
	struct doca_sync_event_job_wait job;
	const struct doca_sync_event *over;
	struct doca_event got;

	ck_ok(doca_ctx_workq_add(ctx, workq));
	over = container_of(workq_ctx_find(workq, ctx)->core, struct doca_sync_event, ctx);
	submit_wait(&job);
	ck_ok(doca_workq_event_handle_arm(workq));
	ck_assert(!over->is_timed);
	/* Like a second export of the event. */
	atomic_store(&event->cell.is_in_shared_use, true);
	sync_cell_wake_all(&event->cell);
	await_readable();
	ck_ok(doca_workq_event_handle_clear(workq, handle));
	ck_fails(doca_workq_progress_retrieve(workq, &got, 0), DOCA_ERROR_AGAIN);
	ck_ok(doca_workq_event_handle_arm(workq));
	ck_assert(over->is_timed);
	sync_cell_set(&event->cell, 5);
	await_readable();
	ck_ok(doca_workq_event_handle_clear(workq, handle));
	await(DOCA_SUCCESS, DOCA_SUCCESS);
}
END_TEST

/* The liveness word is never cleared, because its daemon died first. */
START_TEST(a_workq_ctx_sees_its_exporter_end)
{
	struct doca_sync_event_job_wait job;
	int ends[2], pidfd;
	pid_t pid;

	ck_assert_int_eq(pipe(ends), 0);
	pid = fork();
	if (pid == 0) {
		char byte;

		close(ends[1]);
		_exit(read(ends[0], &byte, 1) != 0);
	}
	pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
	ck_assert_int_ge(pidfd, 0);
	event->cell.pidfd = pidfd;
	ck_ok(doca_ctx_workq_add(ctx, workq));
	submit_wait(&job);
	ck_ok(doca_workq_event_handle_arm(workq));
	close(ends[1]);
	await_readable();
	ck_ok(doca_workq_event_handle_clear(workq, handle));
	/* Checks the process, which progress alone does not. */
	ck_ok(doca_workq_event_handle_arm(workq));
	await_readable();
	ck_ok(doca_workq_event_handle_clear(workq, handle));
	await(DOCA_ERROR_IO_FAILED, DOCA_ERROR_CONNECTION_RESET);
	ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
	close(ends[0]);
	event->cell.pidfd = -1;
	close(pidfd);
}
END_TEST

/* Otherwise it would never see that end. */
START_TEST(no_workq_ctx_opens_without_descriptors)
{
	event->cell.pidfd = 1 << 20; /* an unused descriptor number */
	ck_assert_int_ne(doca_ctx_workq_add(ctx, workq), DOCA_SUCCESS);
	event->cell.pidfd = -1;
	ck_ok(doca_ctx_workq_add(ctx, workq));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("compat/sync");
	TCase *tcase = unit_case(suite, "sync", 2 * UNIT_TIMEOUT);

	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_test(tcase, a_work_queue_sees_that_an_event_becomes_shared);
	tcase_add_test(tcase, a_workq_ctx_sees_its_exporter_end);
	tcase_add_test(tcase, no_workq_ctx_opens_without_descriptors);
	return unit_run(suite);
}
