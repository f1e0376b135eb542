/*
 * Infrastructure of the unit tests: the runner, a count of open descriptors, reproducible random
 * numbers. One Check program per module; Check forks each test, so a test may exhaust or break its
 * process.
 */
#ifndef TESTS_UNIT_UNIT_H
#define TESTS_UNIT_UNIT_H

#include <dirent.h>
#include <ftw.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "tests/lib/assert.h"
#include "util/util.h"

/*
 * Seconds after which a hanging test fails. These are no performance limits: a busy machine may
 * need a large multiple of an idle one's time, in particular for round trips between processes.
 * Less than the limits of build-aux/deadline.sh.
 */
#define UNIT_TIMEOUT      100
#define UNIT_TIMEOUT_LONG 200
/* A sanitizer slows everything down; long tests do less with it. */
#ifdef DOCO_SANITIZED
#define UNIT_SLOWER 2
#define UNIT_N(n)   ((n) / 8)
#else
#define UNIT_SLOWER 1
#define UNIT_N(n)   (n)
#endif

/* The thread sanitizer finds nothing in single-threaded work, so that is reduced. */
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
	return n - 1; /* without the descriptor of the directory itself */
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

/*
 * A directory or an empty file for the test, in its program's directory, which is removed with all
 * contents; a failing test removes nothing.
 */
#define UNIT_DIR "UNIT_DIR"

static inline void unit_temp_name(char *path, size_t len, const char *name)
{
	const char *parent = getenv(UNIT_DIR);
	int n = snprintf(path, len, "%s/%s-XXXXXX", parent ? parent : "/tmp", name);

	ck_assert_int_lt(n, (int)len);
}

static inline void unit_mkdtemp(char *path, size_t len, const char *name)
{
	unit_temp_name(path, len, name);
	ck_assert_ptr_nonnull(mkdtemp(path));
}

static inline int unit_mkstemp(char *path, size_t len, const char *name)
{
	int fd;

	unit_temp_name(path, len, name);
	fd = mkstemp(path);
	ck_assert_int_ge(fd, 0);
	return fd;
}

static inline int unit_remove_one(const char *path, const struct stat *st, int type,
				  struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

static inline void unit_remove_tree(const char *path)
{
	nftw(path, unit_remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

static inline int unit_run(Suite *suite)
{
	SRunner *runner = srunner_create(suite);
	char dir[] = "/tmp/doco-unit-XXXXXX";
	int n_failed;

	/* Some tests act as another user for a while, which must be able to find its files. */
	if (mkdtemp(dir) == NULL || chmod(dir, 0711) < 0 || setenv(UNIT_DIR, dir, 1) < 0) {
		printf("%s: %m\n", dir);
		return EXIT_FAILURE;
	}
	srunner_run_all(runner, CK_ENV);
	n_failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	unit_remove_tree(dir);
	return n_failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

#endif
