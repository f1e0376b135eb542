/*
 * Who an operator is, and what that one may do: look (configuration key admin_read) or change
 * things (admin_change, which includes looking). The daemon's own uid and root may do both. Who
 * somebody is comes from the kernel, or from the bus daemon that asked the kernel.
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
};

/* Log lines until journal_leave() are about the caller. Returns the scope before. */
struct journal_subject bus_caller_enter_journal(const struct bus_caller *caller);
/* The process at the other end of a connected socket. 0 or -errno. */
int bus_caller_of_socket(int fd, struct bus_caller *caller_out);
bool bus_may_look(const struct daemon *daemon, const struct bus_caller *caller);
bool bus_may_change(const struct daemon *daemon, const struct bus_caller *caller);
/* The sentence for one who may not. */
void bus_auth_refusal(const struct daemon *daemon, const struct bus_caller *caller, bool change,
		      char *text, size_t text_len);

#endif
