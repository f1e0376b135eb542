/* Finds the daemon's socket; see client/control/find_daemon.h. */
#include "client/control/find_daemon.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "client/base/env.h"
#include "client/base/error.h"
#include "client/control/session.h"
#include "util/fd.h"
#include "util/str.h"

/*
 * The environment variables as they were when an application thread last searched for a daemon. The
 * buffers are longer than any socket address, so a value that is truncated here is refused as too
 * long anyway.
 */
static struct {
	bool has_socket, has_side;
	char socket[256], runtime[256], side[32];
} env;

static int try_socket(const char *path, uint64_t timeout_ns, int *fd_out)
{
	const struct timeval timeout = {.tv_sec = (time_t)(timeout_ns / NS_PER_SEC),
					.tv_usec = (suseconds_t)(timeout_ns % NS_PER_SEC / 1000)};
	struct sockaddr_un addr = {.sun_family = AF_UNIX};
	CLEANUP_FD int fd = -1;

	if (str_copy(addr.sun_path, sizeof(addr.sun_path), path) < 0)
		return -ENAMETOOLONG;
	fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -errno;
	/* The send timeout bounds connect(): a stopped daemon, or one with a full backlog, would
	 * block it. */
	if (setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &timeout, sizeof(timeout)) < 0 ||
	    connect(fd, (struct sockaddr *)&addr, sizeof(addr)) < 0)
		return -errno;
	*fd_out = fd_steal(&fd);
	return 0;
}

static _Thread_local bool is_own_thread;

void session_on_own_thread(void)
{
	is_own_thread = true;
}

static bool copy_variable(const char *name, char *to, size_t len)
{
	const char *text = env_variable(name);

	snprintf(to, len, "%s", text != NULL ? text : "");
	return text != NULL;
}

/* Called on application threads only. The application may change its environment while a library
 * thread runs, and getenv() on that thread would race with it. */
void session_snapshot_environment(void)
{
	const time_t any = 0;
	struct tm tm;

	if (is_own_thread)
		return;
	/* The first conversion to local time reads TZ from the environment. Log lines contain local
	 * times, so the conversion is made here once. */
	(void)localtime_r(&any, &tm);
	env.has_socket = copy_variable("DOCOCORED_SOCKET", env.socket, sizeof(env.socket));
	env.has_side = copy_variable("DOCA_SIDE", env.side, sizeof(env.side));
	copy_variable("XDG_RUNTIME_DIR", env.runtime, sizeof(env.runtime));
}

/* Searches in this order: the explicit path, the user's runtime directory, the system's
 * directory. */
doca_error_t session_find_daemon(uint64_t timeout_ns, int *fd_out)
{
	static const char *const sides[] = {"host", "dpu"};
	const char *explicit_path = env.has_socket ? env.socket : NULL;
	const char *runtime = env.runtime;
	const char *side = env.has_side ? env.side : NULL;
	char tried[400] = "", path[108];
	size_t n_found = 0;
	CLEANUP_FD int found = -1;
	bool denied = false;
	int r;

	if (side != NULL && strcmp(side, "host") != 0 && strcmp(side, "dpu") != 0)
		return error_set(DOCA_ERROR_INVALID_VALUE,
				 "DOCA_SIDE is '%s'; it must be host or dpu", side);
	if (explicit_path != NULL) {
		r = try_socket(explicit_path, timeout_ns, fd_out);
		if (r == 0)
			return DOCA_SUCCESS;
		if (r == -EACCES)
			return error_set(
				DOCA_ERROR_NOT_PERMITTED,
				"this user (uid %u) may not connect to %s "
				"(DOCOCORED_SOCKET): a daemon of the system serves members of "
				"group doca ('usermod -aG doca USER', then log in again), a "
				"lab who started it",
				(unsigned)geteuid(), explicit_path);
		return error_set(DOCA_ERROR_NOT_CONNECTED,
				 "no daemon answers on %s (DOCOCORED_SOCKET): %s; start one with "
				 "'dococored --side host|dpu' or 'doca-admin lab up'",
				 explicit_path, strerror(-r));
	}
	for (size_t d = 0; d < 2; d++) {
		if (d == 0 && runtime[0] == '\0')
			continue;
		for (size_t s = 0; s < ARRAY_LEN(sides); s++) {
			int fd = -1;
			size_t used = strlen(tried);

			if (side != NULL && strcmp(side, sides[s]) != 0)
				continue;
			if (snprintf(path, sizeof(path), "%s/dococored/%s.sock",
				     d == 0 ? runtime : "/run", sides[s]) >= (int)sizeof(path))
				continue;
			r = try_socket(path, timeout_ns, &fd);
			if (r == 0) {
				n_found++;
				fd_close(&found);
				found = fd;
				continue;
			}
			denied |= r == -EACCES;
			snprintf(tried + used, sizeof(tried) - used, "%s%s (%s)", used ? ", " : "",
				 path, strerror(-r));
		}
		if (n_found > 0)
			break;
	}
	if (n_found == 1) {
		*fd_out = fd_steal(&found);
		return DOCA_SUCCESS;
	}
	if (n_found > 1)
		return error_set(
			DOCA_ERROR_NOT_CONNECTED,
			"a host and a dpu daemon run here; say which side with DOCA_SIDE=host or "
			"DOCA_SIDE=dpu");
	if (denied)
		return error_set(DOCA_ERROR_NOT_CONNECTED,
				 "this user (uid %u) may not connect; tried %s; a daemon of the "
				 "system serves members of group doca ('usermod -aG doca USER', "
				 "then log in again)",
				 (unsigned)geteuid(), tried);
	return error_set(DOCA_ERROR_NOT_CONNECTED,
			 "no daemon found; tried %s; start one with 'dococored --side host|dpu', "
			 "or both sides with 'doca-admin lab up' and then this program by "
			 "'doca-admin lab exec'",
			 tried);
}
