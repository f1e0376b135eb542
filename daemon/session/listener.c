/* Listening sockets; see listener.h. */
#include "daemon/session/listener.h"

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "daemon/base/journal.h"
#include "util/clock.h"
#include "util/fd.h"
#include "util/log.h"
#include "util/str.h"

#ifndef SO_PASSRIGHTS
#define SO_PASSRIGHTS 83
#endif

#define LISTENER_BURST       16
#define LISTENER_PAUSE_NS    (100 * NS_PER_MS)
#define LISTENER_TCP_BACKLOG 64

struct listener {
	int fd;
	int lock_fd;
	bool bound;
	bool paused;
	char path[sizeof(((struct sockaddr_un *)0)->sun_path)];
	char lock_path[sizeof(((struct sockaddr_un *)0)->sun_path) + 8];
	struct loop_source *io;
	struct loop_source *resume;
	listener_fn fn;
	void *user;
};

/* Returns 1 if the path still names the open lock file, 0 if not, or -errno. */
static int listener_lock_is_current(int fd, const char *path)
{
	struct stat ours, there;

	if (fstat(fd, &ours) < 0)
		return -errno;
	if (stat(path, &there) < 0)
		return errno == ENOENT ? 0 : -errno;
	return ours.st_dev == there.st_dev && ours.st_ino == there.st_ino;
}

/*
 * Takes the lock. The holder removes the lock file at its end, so the opened file may have been
 * removed before this process got the lock. Then the lock guards nothing, and this function starts
 * over.
 */
static int listener_lock(struct listener *listener)
{
	for (;;) {
		CLEANUP_FD int fd = open(listener->lock_path,
					 O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
		int r;

		if (fd < 0) {
			log_error("lock file %s cannot be made: %m", listener->lock_path);
			return -errno;
		}
		if (flock(fd, LOCK_EX | LOCK_NB) < 0) {
			if (errno != EWOULDBLOCK) {
				log_error("lock file %s cannot be locked: %m", listener->lock_path);
				return -errno;
			}
			log_error("socket %s is served by another daemon already (it holds %s): "
				  "stop that one "
				  "or choose another --runtime-dir",
				  listener->path, listener->lock_path);
			return -EADDRINUSE;
		}
		r = listener_lock_is_current(fd, listener->lock_path);
		if (r < 0) {
			log_error("lock file %s cannot be looked up: %s", listener->lock_path,
				  strerror(-r));
			return r;
		}
		if (r > 0) {
			listener->lock_fd = fd_steal(&fd);
			return 0;
		}
	}
}

/* Removes a stale socket. This process holds the lock, so an existing socket has no owner. */
static int listener_remove_stale(const struct listener *listener)
{
	struct stat st;

	if (lstat(listener->path, &st) < 0) {
		if (errno == ENOENT)
			return 0;
		log_error("socket %s cannot be looked up: %m", listener->path);
		return -errno;
	}
	if (!S_ISSOCK(st.st_mode)) {
		log_error("%s exists and is no socket: remove it or choose another --runtime-dir",
			  listener->path);
		return -EEXIST;
	}
	if (unlink(listener->path) < 0) {
		log_error("stale socket %s cannot be removed: %m", listener->path);
		return -errno;
	}
	log_info("removed stale socket %s", listener->path);
	return 0;
}

static int listener_bind(struct listener *listener, int type, mode_t mode)
{
	struct sockaddr_un addr = {.sun_family = AF_UNIX};
	int r, off = 0;
	mode_t old_mask;

	r = listener_remove_stale(listener);
	if (r < 0)
		return r;
	memcpy(addr.sun_path, listener->path, sizeof(addr.sun_path));
	listener->fd = socket(AF_UNIX, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (listener->fd < 0) {
		log_error("socket %s cannot be made: %m", listener->path);
		return -errno;
	}
	/*
	 * Refuses descriptors (Linux 6.16 and later; accepted sockets inherit the option): D-Bus
	 * clients need not send any, and closing one may block on its sender.
	 */
	if (type == SOCK_STREAM)
		(void)setsockopt(listener->fd, SOL_SOCKET, SO_PASSRIGHTS, &off, sizeof(off));
	/* Sets umask so that the socket never exists with wider permissions. */
	old_mask = umask(0777 & ~mode);
	r = bind(listener->fd, (const struct sockaddr *)&addr, sizeof(addr)) < 0 ? -errno : 0;
	umask(old_mask);
	if (r < 0) {
		log_error("socket %s cannot be made: %s", listener->path, strerror(-r));
		return r;
	}
	listener->bound = true;
	if (listen(listener->fd, SOMAXCONN) < 0) {
		r = -errno;
		log_error("socket %s does not listen: %m", listener->path);
	}
	return r;
}

static void listener_pause(struct listener *listener, int error)
{
	struct journal_subject before =
		journal_enter(&(struct journal_subject){.group = "clients"});

	if (!listener->paused)
		log_warning("socket %s: they must wait: %s", listener->path, strerror(error));
	journal_leave(&before);
	listener->paused = true;
	loop_fd_set(listener->io, 0);
	loop_timer_set(listener->resume, LISTENER_PAUSE_NS);
}

static void listener_resume(struct listener *listener)
{
	struct journal_subject before =
		journal_enter(&(struct journal_subject){.group = "clients"});

	if (listener->paused)
		log_info("socket %s: they are served again", listener->path);
	listener->paused = false;
	journal_leave(&before);
}

static void listener_on_resume(void *user)
{
	struct listener *listener = user;

	if (loop_fd_set(listener->io, LOOP_READ) < 0)
		loop_timer_set(listener->resume, LISTENER_PAUSE_NS);
}

static void listener_on_io(void *user, unsigned events)
{
	struct listener *listener = user;

	(void)events;
	for (int i = 0; i < LISTENER_BURST; i++) {
		int fd = accept4(listener->fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);

		if (fd < 0) {
			if (errno != EAGAIN && errno != EINTR && errno != ECONNABORTED)
				listener_pause(listener, errno);
			return;
		}
		listener_resume(listener);
		listener->fn(listener->user, fd);
	}
}

/* 0 or -errno, logged. */
static int listener_watch(struct listener *listener, struct loop *loop)
{
	listener->resume = loop_timer_new(loop, listener_on_resume, listener);
	listener->io = loop_fd_new(loop, listener->fd, LOOP_READ, listener_on_io, listener);
	if (listener->resume && listener->io)
		return 0;
	log_error("socket %s cannot be watched", listener->path);
	return -ENOMEM;
}

int listener_new(struct loop *loop, const char *path, int type, mode_t mode, listener_fn fn,
		 void *user, struct listener **listener_out)
{
	struct listener *listener = calloc(1, sizeof(*listener));
	int r;

	if (!listener)
		return -ENOMEM;
	listener->fd = listener->lock_fd = -1;
	listener->fn = fn;
	listener->user = user;
	r = str_copy(listener->path, sizeof(listener->path), path);
	if (r < 0)
		log_error("socket path %s is longer than %zu bytes", path,
			  sizeof(listener->path) - 1);
	snprintf(listener->lock_path, sizeof(listener->lock_path), "%s.lock", listener->path);
	if (r == 0)
		r = listener_lock(listener);
	if (r == 0)
		r = listener_bind(listener, type, mode);
	if (r == 0)
		r = listener_watch(listener, loop);
	if (r < 0) {
		listener_free(listener);
		return r;
	}
	*listener_out = listener;
	return 0;
}

int listener_adopt(struct loop *loop, int fd, listener_fn fn, void *user,
		   struct listener **listener_out)
{
	struct listener *listener = calloc(1, sizeof(*listener));
	struct sockaddr_un addr = {.sun_family = AF_UNIX};
	socklen_t len = sizeof(addr);
	int r = 0;

	if (!listener) {
		fd_close(&fd);
		return -ENOMEM;
	}
	listener->fd = fd;
	listener->lock_fd = -1;
	listener->fn = fn;
	listener->user = user;
	if (getsockname(fd, (struct sockaddr *)&addr, &len) < 0 || fd_set_nonblocking(fd) < 0)
		r = -errno;
	if (r == 0 && (len <= offsetof(struct sockaddr_un, sun_path) || addr.sun_path[0] != '/'))
		r = -EINVAL;
	if (r == 0) {
		len -= (socklen_t)offsetof(struct sockaddr_un, sun_path);
		memcpy(listener->path, addr.sun_path, len);
		listener->path[MIN(len, sizeof(listener->path) - 1)] = '\0';
	}
	if (r < 0)
		log_error("the listening socket of the service manager is of no use: %s",
			  strerror(-r));
	else
		r = listener_watch(listener, loop);
	if (r < 0) {
		listener_free(listener);
		return r;
	}
	*listener_out = listener;
	return 0;
}

static int listener_bind_tcp(struct listener *listener, const struct addrinfo *at)
{
	int on = 1, off = 0;

	listener->fd = socket(at->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	/* A restarted daemon need not wait for the old one's connections to leave TIME_WAIT. */
	if (listener->fd < 0 ||
	    setsockopt(listener->fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) < 0)
		return -errno;
	if (at->ai_family == AF_INET6)
		(void)setsockopt(listener->fd, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof(off));
	if (bind(listener->fd, at->ai_addr, at->ai_addrlen) < 0 ||
	    listen(listener->fd, LISTENER_TCP_BACKLOG) < 0)
		return -errno;
	return 0;
}

int listener_new_tcp(struct loop *loop, const char *host, uint16_t port, listener_fn fn, void *user,
		     struct listener **listener_out)
{
	struct addrinfo hints = {.ai_socktype = SOCK_STREAM,
				 .ai_flags = AI_NUMERICHOST | AI_NUMERICSERV | AI_PASSIVE};
	struct listener *listener = calloc(1, sizeof(*listener));
	struct addrinfo *at = NULL;
	char service[8];
	int r;

	if (!listener)
		return -ENOMEM;
	listener->fd = listener->lock_fd = -1;
	listener->fn = fn;
	listener->user = user;
	snprintf(service, sizeof(service), "%u", port);
	snprintf(listener->path, sizeof(listener->path),
		 strchr(host, ':') ? "tls:[%.60s]:%s" : "tls:%.60s:%s", host, service);
	r = getaddrinfo(host, service, &hints, &at) == 0 ? listener_bind_tcp(listener, at)
							 : -EADDRNOTAVAIL;
	if (at)
		freeaddrinfo(at);
	if (r < 0)
		log_error("%s does not listen: %s", listener->path, strerror(-r));
	if (r == 0)
		r = listener_watch(listener, loop);
	if (r < 0) {
		listener_free(listener);
		return r;
	}
	*listener_out = listener;
	return 0;
}

struct listener *listener_free(struct listener *listener)
{
	if (!listener)
		return NULL;
	loop_source_free(listener->io);
	loop_source_free(listener->resume);
	fd_close(&listener->fd);
	if (listener->bound)
		unlink(listener->path);
	if (listener->lock_fd >= 0)
		unlink(listener->lock_path);
	fd_close(&listener->lock_fd);
	free(listener);
	return NULL;
}

const char *listener_path(const struct listener *listener)
{
	return listener->path;
}
