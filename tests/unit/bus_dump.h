/* Lists of a daemon of the pair, as its private bus tells them and sd-bus prints them. */
#ifndef TESTS_UNIT_BUS_DUMP_H
#define TESTS_UNIT_BUS_DUMP_H

#include "tests/unit/daemon_pair.h"

#define BUS_MANAGER "org.dococore.Manager"

/* What a method answers, its arguments as sd_bus_call_method() takes them; to be freed. */
char *bus_dump_call(const struct daemon_pair *pair, enum side side, const char *interface,
		    const char *method, const char *types, ...);
/* The first page of a list, to be freed. */
char *bus_dump(const struct daemon_pair *pair, enum side side, const char *method);
/* Calls a method without arguments. 0 or -errno; waits for its answer for 20 s. */
int bus_operate(const struct daemon_pair *pair, enum side side, const char *path,
		const char *interface, const char *method);
/* The same for an export. */
int bus_revoke(const struct daemon_pair *pair, enum side side, uint64_t export_id);
/* What follows the key for the n-th time, from 0 on; NULL: it does not come so often. */
const char *bus_dump_value(const char *text, const char *key, unsigned n);

#endif
