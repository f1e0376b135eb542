/*
 * Programs of different generations share a sync event: each generation as the exporter and as the
 * importer, from the host and from the DPU, with synchronous calls, and with jobs or tasks that are
 * polled or waited for, in separate processes of the two sides. All 64 bits of the counter count.
 * When the exporter ends the importer is told.
 */
#include <stdio.h>

#include "tests/integration/baton.h"
#include "tests/lib/expect.h"
#include "tests/lib/lab.h"
#include "tests/lib/runner.h"

#define N_TURNS 30u
/* So high that a sum of 32 bits, or a limit, would show. */
#define BASE (UINT64_C(0xfedcba98) << 32 | 0xffffff00u)

static const struct baton_role *const roles[] = {&baton_2_0, &baton_2_2, &baton_2_5, &baton_2_6,
						 &baton_3_3};
#define N_ROLES ((int)ARRAY_LEN(roles))

struct cell {
	const struct baton_role *exporter, *importer;
	enum baton_mode mode;
	enum lab_side side; /* of the exporter */
};

static struct lab lab;

static void setup(void)
{
	leaks_setup();
	lab_start(&lab, NULL);
}

static void teardown(void)
{
	lab_stop(&lab);
	leaks_teardown();
}

static const char *address(const struct cell *cell, bool is_exporter)
{
	return (cell->side == LAB_HOST) == is_exporter ? USE_HOST_PF0 : USE_DPU_P0;
}

/* Even turns are the exporter's. */
static void export_run(int sock, void *arg)
{
	const struct cell *cell = arg;
	const struct baton_role *role = cell->exporter;
	struct baton_desc desc = {0};
	void *end = role->export(address(cell, true), cell->mode, &desc);

	ck_assert_uint_eq(role->get(end), 0);
	role->set(end, BASE);
	lab_send(sock, &desc, sizeof(desc));
	for (uint64_t turn = 0; turn < N_TURNS; turn++) {
		if (turn % 2 == 0)
			ck_assert_uint_eq(role->add(end, 1), BASE + turn);
		else
			OK(role->await(end, BASE + turn));
	}
	ck_assert_uint_eq(role->get(end), BASE + N_TURNS);
	lab_wait(sock);
	role->close(end);
}

static void import_run(int sock, void *arg)
{
	const struct cell *cell = arg;
	const struct baton_role *role = cell->importer;
	struct baton_desc desc;
	void *end;

	lab_recv(sock, &desc, sizeof(desc));
	end = role->import(address(cell, false), cell->mode, &desc);
	for (uint64_t turn = 0; turn < N_TURNS; turn++) {
		if (turn % 2 == 0)
			OK(role->await(end, BASE + turn));
		else
			ck_assert_uint_eq(role->add(end, 1), BASE + turn);
	}
	ck_assert_uint_eq(role->get(end), BASE + N_TURNS);
	lab_signal(sock);
	EXPECT(DOCA_ERROR_CONNECTION_RESET, role->await(end, BASE + N_TURNS));
	role->close(end);
}

static void hand_over(struct cell *cell)
{
	enum lab_side other = cell->side == LAB_HOST ? LAB_DPU : LAB_HOST;
	struct lab_child exporting = lab_fork(&lab, cell->side, export_run, cell);
	struct lab_child importing = lab_fork(&lab, other, import_run, cell);
	struct baton_desc desc;

	lab_recv(exporting.sock, &desc, sizeof(desc));
	lab_send(importing.sock, &desc, sizeof(desc));
	lab_wait(importing.sock);
	lab_signal(exporting.sock);
	lab_join(&exporting);
	lab_join(&importing);
	lab_await(&lab, cell->side, LAB_EXPORTS, 0, 10000);
	lab_await(&lab, other, LAB_IMPORTS, 0, 10000);
}

START_TEST(each_with_each)
{
	static const char *const names[] = {"polling calls", "sleeping calls",
					    "polled jobs or tasks", "jobs or tasks and sleep"};
	struct cell cell = {.exporter = roles[_i / N_ROLES], .importer = roles[_i % N_ROLES]};

	for (int mode = 0; mode < BATON_N_MODES; mode++) {
		for (int side = 0; side < LAB_N_SIDES; side++) {
			cell.mode = (enum baton_mode)mode;
			cell.side = (enum lab_side)side;
			hand_over(&cell);
			printf("%s of %s exports, %s imports, %s: %u turns\n",
			       side == LAB_HOST ? "host" : "DPU", cell.exporter->name,
			       cell.importer->name, names[mode], N_TURNS);
		}
	}
}
END_TEST

static void add_cases(Suite *suite)
{
	TCase *tcase = tcase_create("baton");

	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_set_timeout(tcase, RUNNER_TEST_S);
	suite_add_tcase(suite, tcase);
	tcase_add_loop_test(tcase, each_with_each, 0, N_ROLES * N_ROLES);
}

int main(void)
{
	lab_require();
	return runner_main("baton", add_cases, NULL);
}
