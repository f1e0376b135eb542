/*
 * Rules of the guides about memory that devices do not enforce, in every version: violations are
 * accepted by default and refused with DOCOCORED_STRICT=1. Threads: see memory_rules.h.
 */
#include <stdlib.h>

#include <doca_dev.h>

#include "tests/conformance/memory_rules.h"
#include "tests/lib/expect.h"
#include "tests/lib/lab.h"
#include "tests/lib/runner.h"

static struct memory_rules (*const all[])(void) = {
	memory_rules_103, memory_rules_105, memory_rules_200, memory_rules_202,
	memory_rules_205, memory_rules_206, memory_rules_207, memory_rules_303,
};

static struct lab lab;
static struct doca_dev *dev;

static void setup(void)
{
	static const struct lab_options options = {.only = {true, false}};

	lab_setup_client(&lab, &options, LAB_HOST);
	dev = use_dev(USE_HOST_PF0);
}

static void teardown(void)
{
	OK(doca_dev_close(dev));
	lab_teardown(&lab);
}

static void run(const struct memory_rules *rules, bool is_strict)
{
	rules->inventory_starts_late(dev, is_strict);
	if (rules->map_starts_late != NULL)
		rules->map_starts_late(dev, is_strict);
	if (rules->user_data_comes_early != NULL)
		rules->user_data_comes_early();
}

START_TEST(test_accepted)
{
	struct memory_rules rules = all[_i]();

	run(&rules, false);
}
END_TEST

START_TEST(test_strict)
{
	struct memory_rules rules = all[_i]();

	setenv("DOCOCORED_STRICT", "1", 1);
	run(&rules, true);
}
END_TEST

START_TEST(test_threads)
{
	all[_i]().threads_share_a_map(dev);
}
END_TEST

START_TEST(test_order)
{
	all[_i]().order_is_wrong(dev);
}
END_TEST

static void add_cases(Suite *suite)
{
	TCase *tcase = tcase_create("versions");

	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_set_timeout(tcase, RUNNER_TEST_S);
	suite_add_tcase(suite, tcase);
	tcase_add_loop_test(tcase, test_accepted, 0, ARRAY_LEN(all));
	tcase_add_loop_test(tcase, test_strict, 0, ARRAY_LEN(all));
	tcase_add_loop_test(tcase, test_threads, 0, ARRAY_LEN(all));
	tcase_add_loop_test(tcase, test_order, 0, ARRAY_LEN(all));
}

int main(void)
{
	lab_require();
	return runner_main("memory rules", add_cases, NULL);
}
