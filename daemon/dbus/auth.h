/*
 * Identity and rights of operators. Configuration key admin_read lists the users that may read;
 * admin_change lists those that may also change things. The daemon's own uid and root may do both.
 * The kernel provides the identity, or the bus daemon, which has it from the kernel.
 */
#ifndef DAEMON_DBUS_AUTH_H
#define DAEMON_DBUS_AUTH_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "daemon/base/journal.h"

#define BUS_MAX_GROUPS 64

struct daemon;

struct bus_caller {
	pid_t pid;
	uid_t uid;
	gid_t gid;
	gid_t groups[BUS_MAX_GROUPS];
	size_t n_groups;
	bool lacks_groups; /* gid and groups are not known */
};

/* Marks log lines until journal_leave() as being about the caller. Returns the previous scope. */
struct journal_subject bus_caller_enter_journal(const struct bus_caller *caller);
/* Identifies the process at the other end of a connected socket. Returns 0 or -errno. */
int bus_caller_of_socket(int fd, struct bus_caller *caller_out);
bool bus_may_read(const struct daemon *daemon, const struct bus_caller *caller);
/* Returns whether the caller has lost read access, and logs that: it gets no more signals. */
bool bus_has_lost_access(const struct daemon *daemon, const struct bus_caller *caller,
			 const char *bus);
/*
 * Returns whether the caller's rights may depend on its groups: neither its uid nor a list without
 * groups decides.
 */
bool bus_needs_groups(const struct daemon *daemon, const struct bus_caller *caller);
bool bus_may_change(const struct daemon *daemon, const struct bus_caller *caller);
/* Writes the sentence that refuses access. */
void bus_auth_refusal(const struct daemon *daemon, const struct bus_caller *caller, bool change,
		      char *text, size_t text_len);

#endif
