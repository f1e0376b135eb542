/*
 * Enters a mount namespace of the test's own, as root of a user namespace if the test is not root
 * already. Processes that the test starts afterwards share it. Test programs only.
 */
#ifndef TESTS_UNIT_MOUNTS_H
#define TESTS_UNIT_MOUNTS_H

#include <stdbool.h>

/* Returns false if the system forbids it. Call it before the process has threads. */
bool mounts_enter(void);
/* Tries mounts_enter() in another process. */
bool mounts_are_possible(void);

#endif
