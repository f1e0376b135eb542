/*
 * A mount namespace of the test's own, in which it is root: also of a user namespace, unless it is
 * root anyway. The processes that it starts from there on share it. Test programs only.
 */
#ifndef TESTS_UNIT_MOUNTS_H
#define TESTS_UNIT_MOUNTS_H

#include <stdbool.h>

/* False: it is forbidden here. Call it before there are threads. */
bool mounts_enter(void);
/* Tries it in another process. */
bool mounts_are_possible(void);

#endif
