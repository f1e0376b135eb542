/*
 * Programs of different generations share sync events: each generation as the exporter and as the
 * importer, from the host and from the DPU, to a publisher and to a subscriber, which both may
 * change them; with synchronous calls, and with jobs or tasks that are polled or waited for; in
 * separate processes of the two sides. All 64 bits of the counter are used. When the exporter ends,
 * the importer gets an error. With OVER_TLS the daemons relay, and each generation imports only
 * from the previous one.
 */
#include <stdio.h>

#include "tests/integration/sync/handover.h"
#include "tests/lib/expect.h"
#include "tests/lib/runner.h"
#include "tests/lib/same_or_other_machine.h"

#define N_TURNS 10u
#define N_HINTS 2u /* number of changes by the subscriber */
/* High enough that a 32-bit sum, or a limit, would be detected. */
#define BASE (UINT64_C(0xfedcba98) << 32 | 0xffffff00u)

static const struct handover_role *const roles[] = {&handover_200, &handover_202, &handover_205,
						    &handover_206, &handover_303};
#define N_ROLES ((int)ARRAY_LEN(roles))

struct cell {
	const struct handover_role *exporter, *importer;
	enum handover_mode mode;
	enum lab_side side; /* the exporter's */
};

static struct lab lab;

static void setup(void)
{
	leaks_setup();
	machines_start(&lab);
}

/* Checks that no object of the programs is left. */
static void teardown(void)
{
	static const enum lab_count counts[] = {LAB_CLIENTS, LAB_EXPORTS, LAB_IMPORTS};

	for (int side = 0; side < LAB_N_SIDES; side++) {
		for (size_t i = 0; i < ARRAY_LEN(counts); i++)
			lab_await(&lab, (enum lab_side)side, counts[i], 0, 10000);
	}
	machines_stop(&lab);
	leaks_teardown();
}

static const char *address(const struct cell *cell, bool is_exporter)
{
	return (cell->side == LAB_HOST) == is_exporter ? USE_HOST_PF0 : USE_DPU_P0;
}

/* One end of a cell: two events of the exporter. */
struct pair {
	const struct handover_role *role;
	void *event; /* the importer is its publisher */
	void *news;  /* the importer is its subscriber, and changes it at the end */
};

/* The exporter takes the even turns. */
static void export_turns(const struct pair *pair)
{
	const struct handover_role *role = pair->role;

	for (uint64_t turn = 0; turn < N_TURNS; turn++) {
		if (turn % 2 == 0)
			ck_assert_uint_eq(role->add(pair->event, 1), BASE + turn);
		else
			OK(role->await(pair->event, BASE + turn));
	}
	ck_assert_uint_eq(role->get(pair->event), BASE + N_TURNS);
	for (uint64_t n = 1; n <= N_TURNS; n++) {
		role->set(pair->news, BASE + n);
		OK(role->await(pair->event, BASE + N_TURNS + n - 1));
	}
	for (uint64_t n = 0; n < N_HINTS; n++)
		OK(role->await(pair->news, BASE + N_TURNS + n));
}

static void import_turns(const struct pair *pair)
{
	const struct handover_role *role = pair->role;

	for (uint64_t turn = 0; turn < N_TURNS; turn++) {
		if (turn % 2 == 0)
			OK(role->await(pair->event, BASE + turn));
		else if (turn == 1)
			role->set(pair->event, BASE + turn + 1);
		else
			ck_assert_uint_eq(role->add(pair->event, 1), BASE + turn);
	}
	ck_assert_uint_eq(role->get(pair->event), BASE + N_TURNS);
	for (uint64_t n = 1; n <= N_TURNS; n++) {
		OK(role->await(pair->news, BASE + n - 1));
		ck_assert_uint_eq(role->add(pair->event, 1), BASE + N_TURNS + n - 1);
	}
	ck_assert_uint_eq(role->get(pair->news), BASE + N_TURNS);
	/* Being declared as the subscriber is only a hint: it publishes as well. */
	role->set(pair->news, BASE + N_TURNS + 1);
	ck_assert_uint_eq(role->add(pair->news, 1), BASE + N_TURNS + 1);
}

static void export_run(int sock, void *arg)
{
	const struct cell *cell = arg;
	struct handover_desc descs[2] = {0};
	struct pair pair = {.role = cell->exporter};

	pair.event = pair.role->export(address(cell, true), cell->mode, false, &descs[0]);
	pair.news = pair.role->export(address(cell, true), cell->mode, true, &descs[1]);
	ck_assert_uint_eq(pair.role->get(pair.event), 0);
	pair.role->set(pair.event, BASE);
	pair.role->set(pair.news, BASE);
	lab_send(sock, descs, sizeof(descs));
	export_turns(&pair);
	lab_wait(sock);
	pair.role->close(pair.event);
	pair.role->close(pair.news);
}

static void import_run(int sock, void *arg)
{
	const struct cell *cell = arg;
	struct pair pair = {.role = cell->importer};
	struct handover_desc descs[2];

	lab_recv(sock, descs, sizeof(descs));
	pair.event = pair.role->import(address(cell, false), cell->mode, &descs[0]);
	pair.news = pair.role->import(address(cell, false), cell->mode, &descs[1]);
	import_turns(&pair);
	lab_signal(sock);
	EXPECT(DOCA_ERROR_CONNECTION_RESET, pair.role->await(pair.event, BASE + 2 * N_TURNS));
	EXPECT(DOCA_ERROR_CONNECTION_RESET, pair.role->await(pair.news, BASE + N_TURNS + N_HINTS));
	pair.role->close(pair.event);
	pair.role->close(pair.news);
}

static void hand_over(struct cell *cell)
{
	enum lab_side other = cell->side == LAB_HOST ? LAB_DPU : LAB_HOST;
	struct lab_child exporting = lab_fork(&lab, cell->side, export_run, cell);
	struct lab_child importing = lab_fork(&lab, other, import_run, cell);
	struct handover_desc descs[2];

	lab_recv(exporting.sock, descs, sizeof(descs));
	lab_send(importing.sock, descs, sizeof(descs));
	lab_wait(importing.sock);
	lab_signal(exporting.sock);
	lab_join(&exporting);
	lab_join(&importing);
}

static void hand_over_in_all_modes(struct cell cell)
{
	static const char *const names[] = {"polling calls", "sleeping calls",
					    "polled jobs or tasks", "jobs or tasks and sleep"};

	for (int mode = 0; mode < HANDOVER_N_MODES; mode++) {
		cell.mode = (enum handover_mode)mode;
		hand_over(&cell);
		printf("%s of %d exports, %d imports, %s: %u turns\n",
		       cell.side == LAB_HOST ? "host" : "DPU", cell.exporter->version,
		       cell.importer->version, names[mode], 2 * N_TURNS);
	}
}

START_TEST(all_pairs_of_versions)
{
	struct cell cell = {.exporter = roles[_i / N_ROLES], .importer = roles[_i % N_ROLES]};

	for (int side = 0; side < LAB_N_SIDES; side++) {
		cell.side = (enum lab_side)side;
		hand_over_in_all_modes(cell);
	}
}
END_TEST

START_TEST(each_version_with_the_next)
{
	struct cell cell = {.exporter = roles[_i],
			    .importer = roles[(_i + 1) % N_ROLES],
			    .side = (enum lab_side)(_i % LAB_N_SIDES)};

	hand_over_in_all_modes(cell);
}
END_TEST

static void add_cases(Suite *suite)
{
	TCase *tcase = tcase_create("hand-over");

	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_set_timeout(tcase, RUNNER_TEST_S);
	suite_add_tcase(suite, tcase);
	if (IS_REMOTE)
		tcase_add_loop_test(tcase, each_version_with_the_next, 0, N_ROLES);
	else
		tcase_add_loop_test(tcase, all_pairs_of_versions, 0, N_ROLES * N_ROLES);
}

int main(void)
{
	lab_require();
	return runner_main(MACHINES_NAME("handover"), add_cases, NULL);
}
