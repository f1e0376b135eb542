/*
 * A million changes of a sync event between two polling processes. strace shows that neither makes
 * a system call between its marks (writes to descriptor -1), and counters that neither allocates
 * memory or takes a lock. The program runs itself under strace, once for each side. Then the same
 * with tasks on a progress engine.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/integration/sync/end.h"
#include "tests/lib/hot.h"
#include "tests/lib/runner.h"
#include "tests/lib/traced.h"

#define N_ROUNDS traced_n(250000) /* each changes the counter four times */

static struct lab lab;

/* --- the traced program: one side --- */

static struct {
	bool is_exporter, with_tasks;
	char dir[128];
} traced_as;

/* Odd values are set by the importer, even ones by the exporter. */
static void run_calls(struct doca_sync_event *event)
{
	uint64_t value, last = traced_as.is_exporter ? 0 : 1;
	doca_error_t result = DOCA_SUCCESS;

	for (uint64_t n = 0; n < N_ROUNDS; n++, last += 4) {
		if (!traced_as.is_exporter)
			result |= doca_sync_event_wait_eq(event, last, UINT64_MAX);
		result |= doca_sync_event_update_add(event, 1, &value);
		if (traced_as.is_exporter)
			result |= doca_sync_event_wait_gt(event, last + 1, UINT64_MAX);
		else
			result |= doca_sync_event_wait_neq(event, last + 1, UINT64_MAX);
		result |= doca_sync_event_get(event, &value);
		result |= doca_sync_event_update_set(event, value + 1);
		if (traced_as.is_exporter)
			result |= doca_sync_event_wait_eq(event, last + 4, UINT64_MAX);
		if (result != DOCA_SUCCESS)
			break;
	}
	OK(result);
}

static void run_tasks(struct sync_end *end)
{
	uint64_t last = traced_as.is_exporter ? 0 : 1;
	unsigned n_done = end->n_ok;

	for (uint64_t n = 0; n < N_ROUNDS / 5; n++, last += 2) {
		if (!traced_as.is_exporter) {
			sync_end_submit(end, true, last, UINT64_MAX);
			sync_end_await(end, ++n_done, false);
		}
		sync_end_add(end, 1);
		sync_end_await(end, ++n_done, false);
		if (traced_as.is_exporter) {
			sync_end_submit(end, true, last + 2, UINT64_MAX);
			sync_end_await(end, ++n_done, false);
		}
	}
}

static void run_side(void)
{
	struct sync_spec spec = {.side = traced_as.is_exporter ? LAB_HOST : LAB_DPU,
				 .with_tasks = traced_as.with_tasks};
	struct sync_desc desc;
	struct sync_end end;

	if (traced_as.is_exporter) {
		sync_end_export(&end, &spec, &desc);
		traced_put(traced_as.dir, &desc, sizeof(desc));
	} else {
		traced_get(traced_as.dir, &desc, sizeof(desc));
		sync_end_import(&end, &spec, &desc);
	}
	hot_begin();
	if (traced_as.with_tasks)
		run_tasks(&end);
	else
		run_calls(end.event);
	hot_end();
	ck_assert_uint_eq(end.n_failed, 0);
	/*
	 * The exporter has seen the importer's last change, so it may exit; the importer has seen
	 * everything.
	 */
	sync_end_close(&end);
}

/* --- the test --- */

static void setup(void)
{
	lab_setup(&lab, NULL);
}

static void teardown(void)
{
	lab_teardown(&lab);
}

START_TEST(test_polling)
{
	const char *how = _i == 1 ? "tasks" : "calls";
	pid_t exporter = traced_start(&lab, LAB_HOST, "exporter", how);
	pid_t importer = traced_start(&lab, LAB_DPU, "importer", how);

	traced_reap(importer, "importer");
	traced_reap(exporter, "exporter");
	ck_assert_uint_eq(traced_count(&lab, "exporter", TRACED_POLL), 0);
	ck_assert_uint_eq(traced_count(&lab, "importer", TRACED_POLL), 0);
}
END_TEST

static void add_cases(Suite *suite)
{
	TCase *tcase = tcase_create("a million changes");

	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_set_timeout(tcase, 3 * RUNNER_TEST_S);
	suite_add_tcase(suite, tcase);
	tcase_add_loop_test(tcase, test_polling, 0, 2);
}

int main(int argc, char **argv)
{
	struct traced traced;

	if (traced_parse(argc, argv, &traced)) {
		traced_as.is_exporter = strcmp(traced.name, "exporter") == 0;
		traced_as.with_tasks = strcmp(traced.how, "tasks") == 0;
		snprintf(traced_as.dir, sizeof(traced_as.dir), "%s", traced.dir);
		return traced_main(run_side);
	}
	lab_require();
	if (!traced_is_possible())
		return RUNNER_SKIPPED;
	return runner_main("sync_hot", add_cases, NULL);
}
