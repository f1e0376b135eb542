/* Messages to the service manager (sd_notify protocol); see notify.h. */
#include "daemon/base/notify.h"

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <systemd/sd-daemon.h>

#include "util/clock.h"
#include "util/fd.h"

/* Reads the manager's address. Returns 0, -ENOTCONN or -EINVAL. */
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

/*
 * One socket for all messages: each client costs several descriptors, and each descriptor a
 * message.
 */
static struct {
	int fd;
	unsigned wait_ms; /* current send timeout of the socket */
	struct sockaddr_un addr;
	socklen_t addr_len;
} manager = {.fd = -1};

void notify_close(void)
{
	fd_close(&manager.fd);
}

/* Returns 0; -ENOTCONN or -EINVAL, see notify_address(); or another -errno. */
static int notify_open(void)
{
	struct sockaddr_un addr;
	CLEANUP_FD int fd = -1;
	socklen_t len;
	int r = notify_address(&addr, &len);

	if (r < 0)
		return r;
	if (manager.fd >= 0 && len == manager.addr_len && memcmp(&addr, &manager.addr, len) == 0)
		return 0;
	notify_close();
	fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0 || connect(fd, (const struct sockaddr *)&addr, len) < 0)
		return -errno;
	manager.addr = addr;
	manager.addr_len = len;
	manager.wait_ms = 0;
	manager.fd = fd_steal(&fd);
	return 0;
}

/* Blocks for at most wait_ms; 0: does not block. */
static int notify_sendmsg(const struct msghdr *msg, unsigned wait_ms)
{
	const struct timeval timeout = {.tv_sec = wait_ms / 1000, .tv_usec = wait_ms % 1000 * 1000};
	ssize_t n;

	if (wait_ms && wait_ms != manager.wait_ms) {
		if (setsockopt(manager.fd, SOL_SOCKET, SO_SNDTIMEO, &timeout, sizeof(timeout)) < 0)
			return -errno;
		manager.wait_ms = wait_ms;
	}
	/* A signal that asks the daemon to stop must not lose a client's descriptors. */
	do {
		n = sendmsg(manager.fd, msg, MSG_NOSIGNAL | (wait_ms ? 0 : MSG_DONTWAIT));
	} while (n < 0 && errno == EINTR);
	return n < 0 ? -errno : 0;
}

/*
 * sd_notify() itself would block until the manager's socket has room, and all clients of the daemon
 * with it.
 */
static int notify_send(const char *text, int carried, unsigned wait_ms)
{
	union {
		char buf[CMSG_SPACE(sizeof(int))];
		struct cmsghdr align;
	} control = {0};
	struct iovec iov = {.iov_base = (void *)text, .iov_len = strlen(text)};
	struct msghdr msg = {.msg_iov = &iov, .msg_iovlen = 1};
	int r;

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
	r = notify_open();
	if (r == 0)
		r = notify_sendmsg(&msg, wait_ms);
	if (r != -ECONNREFUSED && r != -ENOTCONN && r != -ECONNRESET)
		return r;
	if (manager.fd < 0)
		return r;
	/* The manager has created a new socket under that name. */
	notify_close();
	r = notify_open();
	return r == 0 ? notify_sendmsg(&msg, wait_ms) : r;
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

/*
 * Messages that the manager has not read yet, in the order in which they must be sent: it counts a
 * reload from RELOADING=1 to the following READY=1, and none before the first READY=1.
 */
static struct {
	bool ready_before;
	uint64_t reloading_us; /* 0: no */
	bool ready_after;
} pending;

int notify_flush(void)
{
	char text[80];

	if (pending.ready_before && notify_try("READY=1") == -EAGAIN)
		return -EAGAIN;
	pending.ready_before = false;
	if (pending.reloading_us) {
		snprintf(text, sizeof(text), "RELOADING=1\nMONOTONIC_USEC=%llu",
			 (unsigned long long)pending.reloading_us);
		if (notify_try(text) == -EAGAIN)
			return -EAGAIN;
		pending.reloading_us = 0;
	}
	if (pending.ready_after && notify_try("READY=1") == -EAGAIN)
		return -EAGAIN;
	pending.ready_after = false;
	return 0;
}

void notify_ready(void)
{
	*(pending.reloading_us ? &pending.ready_after : &pending.ready_before) = true;
	(void)notify_flush();
}

void notify_reloading(void)
{
	/* An earlier reload that was never reported becomes part of this one. */
	pending.reloading_us = clock_now_ns() / 1000;
	pending.ready_after = false;
	(void)notify_flush();
}

void notify_watchdog(void)
{
	notify_try("WATCHDOG=1");
}

void notify_stopping(void)
{
	notify_try("STOPPING=1");
}

int notify_status(const char *fmt, ...)
{
	char text[256] = "STATUS=";
	size_t len = strlen(text);
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text + len, sizeof(text) - len, fmt, ap);
	va_end(ap);
	return notify_flush() == 0 ? notify_try(text) : -EAGAIN;
}
