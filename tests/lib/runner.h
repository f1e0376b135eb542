/*
 * Infrastructure of all test programs: a guarded run of a Check suite, and a count of descriptors
 * and children around each test.
 *
 * runner_main() forks: the child runs the suite, the parent guards it. The guard enforces a
 * deadline for the whole program, owns a scratch directory that it removes at the end, and adopts
 * every orphan, so that a process that outlives its test is found, killed and reported as a
 * failure. It prints what failed tests left in the scratch directory (logs of daemons). Check forks
 * each test into its own process group, kills that group after the test, and enforces the test's
 * deadline.
 *
 * Creates no threads. Owner of the scratch directory: the guarding parent.
 */
#ifndef TESTS_LIB_RUNNER_H
#define TESTS_LIB_RUNNER_H

#include <stdbool.h>
#include <stddef.h>

#include "tests/lib/assert.h"
#include "util/util.h"

/*
 * Seconds after which a hanging test is killed and fails. Not a performance limit: on a machine
 * with ten times more work than processors, a test takes ten times as long.
 */
#define RUNNER_TEST_S 100
/* Less than the limits of build-aux/deadline.sh, so that the daemons' logs are printed. */
#ifdef DOCO_SANITIZED
#define RUNNER_PROGRAM_S 570
#else
#define RUNNER_PROGRAM_S 280
#endif
/* Exit code for automake: not run, with a reason in the last line. */
#define RUNNER_SKIPPED 77

struct leaks {
	size_t n_fds;
	size_t n_children;
};

/*
 * Returns the program's exit code. `finish`, if not NULL, runs after the suite in the same process
 * and returns false to fail the program.
 */
int runner_main(const char *name, void (*add_cases)(Suite *suite), bool (*finish)(void));
/* Sets another deadline for the program, for runs by hand. Call it before runner_main(). */
void runner_set_limit(unsigned seconds);
/* Adds a case whose tests are checked for leaked descriptors and children. */
TCase *runner_case(Suite *suite, const char *name);
/* Returns the scratch directory, whose path is short enough for sockets. */
const char *runner_dir(void);
/* Removes a directory tree below the scratch directory. */
void runner_remove_tree(const char *path);
/*
 * Returns the time to wait for something that normally takes at most `ms`. It is much longer, since
 * a machine may be slow and busy, and longer still with a sanitizer.
 */
unsigned runner_timeout_ms(unsigned ms);

/*
 * Returns how many times longer than usual things take on this machine, 1 or more: a run of all
 * tests has two processes per processor.
 */
double runner_busyness(void);

void leaks_count(struct leaks *leaks_out);
/*
 * Returns one clause about descriptors or children that exist now and did not before, or NULL.
 * Static storage.
 */
const char *leaks_find(const struct leaks *before);
/* Setup and teardown of runner_case(). */
void leaks_setup(void);
void leaks_teardown(void);
/* Allows n descriptors that the test keeps until its process ends (the library's session). */
void leaks_allow_fds(size_t n);

#endif
