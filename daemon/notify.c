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

/* The manager's address. 0, -ENOTCONN, -EINVAL. */
static int notify_address(struct sockaddr_un *addr_out, socklen_t *len_out)
{
	const char *path = getenv("NOTIFY_SOCKET");
	size_t len;

	if (path == NULL)
		return -ENOTCONN;
	len = strlen(path);
	if ((*path != '/' && *path != '@') || len >= sizeof(addr_out->sun_path))
		return -EINVAL;
	*addr_out = (struct sockaddr_un){.sun_family = AF_UNIX};
	memcpy(addr_out->sun_path, path, len);
	if (*path == '@')
		addr_out->sun_path[0] = '\0';
	*len_out = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + len);
	return 0;
}

/* sd_notify waits for room in the manager's socket, and with it all clients of the daemon would. */
static int notify_send(const char *text, int carried, unsigned wait_ms)
{
	union {
		char buf[CMSG_SPACE(sizeof(int))];
		struct cmsghdr align;
	} control = {0};
	const struct timeval patience = {.tv_sec = wait_ms / 1000,
					 .tv_usec = wait_ms % 1000 * 1000};
	struct iovec iov = {.iov_base = (void *)text, .iov_len = strlen(text)};
	struct msghdr msg = {.msg_iov = &iov, .msg_iovlen = 1};
	struct sockaddr_un addr;
	CLEANUP_FD int fd = -1;
	int r = notify_address(&addr, &msg.msg_namelen);
	ssize_t n;

	if (r < 0)
		return r;
	fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | (wait_ms ? 0 : SOCK_NONBLOCK), 0);
	if (fd < 0)
		return -errno;
	if (wait_ms && setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience)) < 0)
		return -errno;
	msg.msg_name = &addr;
	if (carried >= 0) {
		struct cmsghdr *c;

		msg.msg_control = control.buf;
		msg.msg_controllen = sizeof(control.buf);
		c = CMSG_FIRSTHDR(&msg);
		c->cmsg_level = SOL_SOCKET;
		c->cmsg_type = SCM_RIGHTS;
		c->cmsg_len = CMSG_LEN(sizeof(int));
		memcpy(CMSG_DATA(c), &carried, sizeof(int));
	}
	/* A signal to stop must not cost a client its place. */
	do {
		n = sendmsg(fd, &msg, MSG_NOSIGNAL);
	} while (n < 0 && errno == EINTR);
	return n < 0 ? -errno : 0;
}

static int notify_try(const char *text)
{
	int r = notify_send(text, -1, 0);

	if (r == -EINVAL)
		return sd_notify(0, text) < 0 ? -EINVAL : 0;
	return r == -ENOTCONN ? 0 : r;
}

int notify_fd(const char *text, int fd, unsigned wait_ms)
{
	return notify_send(text, fd, wait_ms);
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
