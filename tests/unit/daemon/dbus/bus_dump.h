/* Lists of a daemon of the pair, read over its private D-Bus socket and formatted by sd-bus. */
#ifndef TESTS_UNIT_DAEMON_DBUS_BUS_DUMP_H
#define TESTS_UNIT_DAEMON_DBUS_BUS_DUMP_H

#include "tests/unit/daemon/pair.h"

#define BUS_MANAGER "org.dococore.Manager"

/*
 * Returns the answer of a method; the arguments are those of sd_bus_call_method(). The caller frees
 * it.
 */
char *bus_dump_call(const struct daemon_pair *pair, enum side side, const char *interface,
		    const char *method, const char *types, ...);
/* Returns the first page of a list; the caller frees it. */
char *bus_dump(const struct daemon_pair *pair, enum side side, const char *method);
/* Calls a method without arguments. Waits at most 20 s for the reply. Returns 0 or -errno. */
int bus_operate(const struct daemon_pair *pair, enum side side, const char *path,
		const char *interface, const char *method);
/* Revokes an export over D-Bus. */
int bus_revoke(const struct daemon_pair *pair, enum side side, uint64_t export_id);
/* Returns the text after the n-th occurrence of the key, counted from 0, or NULL. */
const char *bus_dump_value(const char *text, const char *key, unsigned n);

#endif
