/* Lists of a daemon of the pair, as its private bus tells them and sd-bus prints them. */
#ifndef TESTS_UNIT_BUS_DUMP_H
#define TESTS_UNIT_BUS_DUMP_H

#include "tests/unit/daemon_pair.h"

/* The first page, to be freed. */
char *bus_dump(const struct daemon_pair *pair, enum side side, const char *method);
/* What follows the key for the n-th time, from 0 on; NULL: it does not come so often. */
const char *bus_dump_value(const char *text, const char *key, unsigned n);

#endif
