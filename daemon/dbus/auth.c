/* Access rights of operators; see daemon/dbus/auth.h. */
#include "daemon/dbus/auth.h"

#include <errno.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

#include "daemon/base/daemon.h"
#include "daemon/config/config.h"
#include "daemon/config/arguments.h"
#include "daemon/topology/topology.h"
#include "util/log.h"

struct journal_subject bus_caller_enter_journal(const struct bus_caller *caller)
{
	return journal_enter(
		&(struct journal_subject){.has_uid = true, .pid = caller->pid, .uid = caller->uid});
}

int bus_caller_of_socket(int fd, struct bus_caller *caller_out)
{
	struct bus_caller caller = {0};
	struct ucred cred;
	socklen_t len = sizeof(cred);

	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &cred, &len) < 0)
		return -errno;
	caller.pid = cred.pid;
	caller.uid = cred.uid;
	caller.gid = cred.gid;
	len = sizeof(caller.groups);
	/* If the caller has more groups than fit, none of them counts. That can only deny
	 * access. */
	if (getsockopt(fd, SOL_SOCKET, SO_PEERGROUPS, caller.groups, &len) == 0)
		caller.n_groups = len / sizeof(gid_t);
	*caller_out = caller;
	return 0;
}

static bool bus_is_owner_or_root(const struct bus_caller *caller)
{
	return caller->uid == 0 || caller->uid == geteuid();
}

bool bus_may_change(const struct daemon *daemon, const struct bus_caller *caller)
{
	return bus_is_owner_or_root(caller) ||
	       acl_allows(&daemon->config->admin_change, caller->uid, caller->gid, caller->groups,
			  caller->n_groups);
}

bool bus_may_read(const struct daemon *daemon, const struct bus_caller *caller)
{
	return bus_may_change(daemon, caller) ||
	       acl_allows(&daemon->config->admin_read, caller->uid, caller->gid, caller->groups,
			  caller->n_groups);
}

bool bus_needs_groups(const struct daemon *daemon, const struct bus_caller *caller)
{
	const struct config *config = daemon->config;

	return caller->lacks_groups && !bus_may_change(daemon, caller) &&
	       (config->admin_read.n_gids > 0 || config->admin_change.n_gids > 0);
}

bool bus_has_lost_access(const struct daemon *daemon, const struct bus_caller *caller,
			 const char *bus)
{
	struct journal_subject before;

	if (bus_may_read(daemon, caller))
		return false;
	before = bus_caller_enter_journal(caller);
	log_info("%s client pid %d may not read any more, dropped", bus, (int)caller->pid);
	journal_leave(&before);
	return true;
}

void bus_auth_refusal(const struct daemon *daemon, const struct bus_caller *caller, bool change,
		      char *text, size_t text_len)
{
	snprintf(text, text_len,
		 "uid %u may not %s the %s daemon: that is for root, uid %u and whom key %s of "
		 "section [daemon] names (default: members of group %s)",
		 (unsigned)caller->uid, change ? "change anything at" : "look at",
		 side_name(daemon->options->side), (unsigned)geteuid(),
		 change ? "admin_change" : "admin_read", change ? "doca-admin" : "doca");
}
