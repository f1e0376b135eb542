/*
 * What the unit tests share: the runner, a count of open descriptors, repeatable random numbers.
 * One Check program per module; Check forks each test, so a test may exhaust or break its process.
 */
#ifndef TESTS_UNIT_UNIT_H
#define TESTS_UNIT_UNIT_H

#include <dirent.h>
#include <stdint.h>
#include <stdlib.h>

#include "tests/lib/assert.h"
#include "util/util.h"

/* Seconds; a test that hangs fails. They are no measure: a busy machine may need a multiple of what
 * an idle one does. */
#define UNIT_TIMEOUT      30
#define UNIT_TIMEOUT_LONG 120
/* A sanitizer slows everything down; tests that run long do less with it. */
#ifdef DOCO_SANITIZED
#define UNIT_SLOWER 2
#define UNIT_N(n)   ((n) / 8)
#else
#define UNIT_SLOWER 1
#define UNIT_N(n)   (n)
#endif

/* What one thread does alone is nothing that the thread sanitizer looks for. */
#ifdef __SANITIZE_THREAD__
#define UNIT_ALONE(n) ((n) / 8)
#else
#define UNIT_ALONE(n) (n)
#endif

static inline size_t unit_n_fds(void)
{
	DIR *dir = opendir("/proc/self/fd");
	size_t n = 0;

	ck_assert_ptr_nonnull(dir);
	for (struct dirent *entry; (entry = readdir(dir));)
		n += entry->d_name[0] != '.';
	closedir(dir);
	return n - 1; /* the directory itself */
}

/* xorshift64*; the state must not be 0. */
static inline uint64_t unit_random(uint64_t *state)
{
	*state ^= *state >> 12;
	*state ^= *state << 25;
	*state ^= *state >> 27;
	return *state * 2685821657736338717ull;
}

static inline TCase *unit_case(Suite *suite, const char *name, double timeout)
{
	TCase *tcase = tcase_create(name);

	tcase_set_timeout(tcase, timeout * UNIT_SLOWER);
	suite_add_tcase(suite, tcase);
	return tcase;
}

static inline int unit_run(Suite *suite)
{
	SRunner *runner = srunner_create(suite);
	int n_failed;

	srunner_run_all(runner, CK_ENV);
	n_failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return n_failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

#endif
