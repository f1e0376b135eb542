/*
 * Rights to change the counter of a sync event of another process. The locations are hints: an
 * importer that was declared as the subscriber may set and add as well, unless the exporter runs
 * with DOCOCORED_STRICT=1, or the counter's map permits only reading, which the export states. It
 * can always wait. With OVER_TLS the daemons relay.
 */
#include <stdlib.h>
#include <string.h>

#include <doca_mmap.h>
#include <dococ.h>

#include "tests/integration/sync/end.h"
#include "tests/lib/runner.h"
#include "tests/lib/same_or_other_machine.h"

enum { BY_DEFAULT, STRICT, MAP_WRITABLE, MAP_READ_ONLY, N_CASES };

static struct lab lab;

static void setup(void)
{
	leaks_setup();
	machines_start(&lab);
	leaks_allow_fds(1);
}

static void teardown(void)
{
	for (enum lab_side side = LAB_HOST; side < LAB_N_SIDES; side++) {
		lab_await(&lab, side, LAB_EXPORTS, 0, 5000);
		lab_await(&lab, side, LAB_IMPORTS, 0, 5000);
	}
	machines_stop(&lab);
	leaks_teardown();
}

struct cell {
	int number;
	enum lab_side side; /* the exporter's */
};

static void exporter_main(int sock, void *arg)
{
	const struct cell *cell = arg;
	struct sync_spec spec = {.side = cell->side, .to_subscriber = true};
	struct sync_desc desc;
	struct sync_end end;
	void *memory;

	OK(dococ_mem_alloc(4096, &memory, NULL));
	if (cell->number == STRICT)
		setenv("DOCOCORED_STRICT", "1", 1);
	if (cell->number >= MAP_WRITABLE) {
		spec.addr = memory;
		spec.is_in_buf = true;
	}
	if (cell->number == MAP_READ_ONLY)
		spec.buf_permissions = DOCA_ACCESS_FLAG_PCI_READ_ONLY;
	sync_end_export(&end, &spec, &desc);
	ck_assert_int_eq(strstr(dococ_last_error(), "not change it") != NULL,
			 cell->number == MAP_READ_ONLY);
	lab_send(sock, &desc, sizeof(desc));
	lab_wait(sock);
	OK(doca_sync_event_update_set(end.event, 5));
	if (cell->number == STRICT || cell->number == MAP_READ_ONLY)
		lab_wait(sock);
	else
		OK(doca_sync_event_wait_eq_yield(end.event, 8, SYNC_ALL));
	sync_end_close(&end);
	OK(dococ_mem_free(memory));
}

static void must_not_change(struct sync_end *end, const char *why)
{
	uint64_t value = 0;

	EXPECT(DOCA_ERROR_NOT_PERMITTED, doca_sync_event_update_set(end->event, 1));
	ck_assert_ptr_nonnull(strstr(dococ_last_error(), why));
	EXPECT(DOCA_ERROR_NOT_PERMITTED, doca_sync_event_update_add(end->event, 1, &value));
}

static void change_by_tasks(const struct cell *cell, const struct sync_desc *desc, bool may_change)
{
	struct sync_spec mine = {.side = cell->side == LAB_HOST ? LAB_DPU : LAB_HOST,
				 .with_tasks = true};
	struct sync_end end;

	sync_end_import(&end, &mine, desc);
	sync_end_add(&end, 1);
	sync_end_await(&end, 1, true);
	if (may_change) {
		ck_assert_uint_eq(end.n_ok, 1);
		ck_assert_uint_eq(end.fetched, 7);
	} else {
		ck_assert_uint_eq(end.n_failed, 1);
		ck_assert_int_eq(end.status, DOCA_ERROR_NOT_PERMITTED);
	}
	sync_end_close(&end);
}

static void import_and_change(struct cell *cell)
{
	bool may_change = cell->number == BY_DEFAULT || cell->number == MAP_WRITABLE;
	struct lab_child child = lab_fork(&lab, cell->side, exporter_main, cell);
	struct sync_spec mine = {.side = cell->side == LAB_HOST ? LAB_DPU : LAB_HOST};
	struct sync_desc desc;
	struct sync_end end;
	uint64_t value = 0;

	lab_recv(child.sock, &desc, sizeof(desc));
	lab_use(&lab, mine.side);
	sync_end_import(&end, &mine, &desc);
	if (!may_change)
		must_not_change(&end, "DOCOCORED_STRICT=1");
	lab_signal(child.sock);
	OK(doca_sync_event_wait_eq_yield(end.event, 5, SYNC_ALL));
	if (may_change) {
		OK(doca_sync_event_update_set(end.event, 6));
		OK(doca_sync_event_update_add(end.event, 1, &value));
		ck_assert_uint_eq(value, 6);
	}
	change_by_tasks(cell, &desc, may_change);
	sync_end_close(&end);
	if (!may_change)
		lab_signal(child.sock);
	lab_join(&child);
}

START_TEST(subscriber)
{
	struct cell cell = {.number = _i / LAB_N_SIDES, .side = (enum lab_side)(_i % LAB_N_SIDES)};

	import_and_change(&cell);
}
END_TEST

static void add_cases(Suite *suite)
{
	TCase *tcase = tcase_create("rights");

	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_set_timeout(tcase, RUNNER_TEST_S);
	suite_add_tcase(suite, tcase);
	tcase_add_loop_test(tcase, subscriber, 0, N_CASES * LAB_N_SIDES);
}

int main(void)
{
	lab_require();
	return runner_main(MACHINES_NAME("sync_right"), add_cases, NULL);
}
