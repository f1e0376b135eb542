/* sd_notify; see notify.h. */
#include "daemon/notify.h"

#include <errno.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <systemd/sd-daemon.h>
#include <time.h>

#include "util/clock.h"
#include "util/fd.h"

void notify_ready(void)
{
	sd_notify(0, "READY=1");
}

/* sd_notify waits for room in the manager's socket, and with it all clients of the daemon would. */
static int notify_try(const char *text)
{
	const char *path = getenv("NOTIFY_SOCKET");
	struct sockaddr_un addr = {.sun_family = AF_UNIX};
	CLEANUP_FD int fd = -1;
	size_t len;

	if (path == NULL)
		return 0;
	len = strlen(path);
	if ((*path != '/' && *path != '@') || len >= sizeof(addr.sun_path))
		return sd_notify(0, text) < 0 ? -EINVAL : 0;
	memcpy(addr.sun_path, path, len);
	if (*path == '@')
		addr.sun_path[0] = '\0';
	fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return -errno;
	if (sendto(fd, text, strlen(text), MSG_NOSIGNAL, (const struct sockaddr *)&addr,
		   (socklen_t)(offsetof(struct sockaddr_un, sun_path) + len)) < 0)
		return -errno;
	return 0;
}

void notify_watchdog(void)
{
	notify_try("WATCHDOG=1");
}

void notify_stopping(void)
{
	notify_try("STOPPING=1");
}

void notify_reloading(void)
{
	sd_notifyf(0, "RELOADING=1\nMONOTONIC_USEC=%llu",
		   (unsigned long long)(clock_now_ns() / 1000));
}

int notify_status(const char *fmt, ...)
{
	char text[256] = "STATUS=";
	size_t len = strlen(text);
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text + len, sizeof(text) - len, fmt, ap);
	va_end(ap);
	return notify_try(text);
}
