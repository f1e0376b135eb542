/*
 * What every program of tests/lib users shares: a guarded run of a Check suite, and the count of
 * descriptors and children around each test.
 *
 * runner_main forks: the child runs the suite, the parent guards it. It has a deadline for the
 * whole program, a scratch directory that is removed at the end, and it adopts every orphan, so
 * that a process that outlives its test is found, killed and reported as a failure. What failed
 * tests left in the scratch directory (logs of daemons) is printed. Check forks each test into a
 * process group of its own, kills that group after the test and enforces the test's deadline.
 *
 * Threads: none. Owner of the scratch directory: the guarding parent.
 */
#ifndef TESTS_LIB_RUNNER_H
#define TESTS_LIB_RUNNER_H

#include <stdbool.h>
#include <stddef.h>

#include "tests/lib/assert.h"
#include "util/util.h"

/* Seconds; a test that hangs is killed and fails. No measure: on a machine that has ten times as
 * much to do as it has processors, a test takes ten times as long. */
#define RUNNER_TEST_S 100
/* Less than the limits of build-aux/deadline.sh, so that daemons' logs are shown. */
#ifdef DOCO_SANITIZED
#define RUNNER_PROGRAM_S 570
#else
#define RUNNER_PROGRAM_S 280
#endif
/* For automake: not run, with a reason on the last line. */
#define RUNNER_SKIPPED 77

struct leaks {
	size_t n_fds;
	size_t n_children;
};

/* Returns the program's exit code. `finish`, if not NULL, runs after the suite in the same process
 * and returns false to fail the program. */
int runner_main(const char *name, void (*add_cases)(Suite *suite), bool (*finish)(void));
/* Another deadline for the program, for runs by hand. Call it before runner_main(). */
void runner_set_limit(unsigned seconds);
/* A case whose tests are checked for leaked descriptors and children. */
TCase *runner_case(Suite *suite, const char *name);
/* The scratch directory, short enough for socket paths. */
const char *runner_dir(void);
/* Removes a directory tree below the scratch directory. */
void runner_remove_tree(const char *path);
/* How long to wait for what should take at most so many milliseconds: much longer, since a machine
 * may be slow and busy, and longer still with a sanitizer. */
unsigned runner_patience_ms(unsigned ms);

/* How many times longer than usual things take here, 1 or more: a run of all tests has two
 * processes for each processor. */
double runner_busyness(void);

void leaks_count(struct leaks *leaks_out);
/* One clause about what is there now and was not before; NULL when nothing is. Static storage. */
const char *leaks_find(const struct leaks *before);
/* The setup and teardown of runner_case. */
void leaks_setup(void);
void leaks_teardown(void);
/* What the test keeps on purpose until its process ends (the library's session). */
void leaks_allow_fds(size_t n);

#endif
