/*
 * Packets over a SOCK_SEQPACKET socket. A packet is sent at once if the send queue is empty and the
 * socket accepts it; otherwise a packed copy with duplicated descriptors joins the queue. A
 * received packet is returned only if its size, encoding, fields and number of descriptors are
 * valid; the descriptors of any other packet are closed here. Owned by a session or protected by
 * the library's session lock.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/sockios.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include "proto/conn.h"
#include "proto/packet.h"
#include "util/clock.h"
#include "util/fd.h"
#include "util/list.h"

#ifndef SO_PEERPIDFD
#define SO_PEERPIDFD 77
#endif

struct conn_queued {
	struct list link;
	int fds[FDSET_MAX];
	size_t n_fds;
	size_t len;
	uint8_t data[];
};

struct conn {
	int fd;
	bool starved;
	bool has_fds; /* of the packet that was peeked at */
	void (*unexpected_fd_fn)(void *user, int fd);
	void *unexpected_fd_user;
	struct conn_gate gate;
	size_t queue_max;
	size_t queue_len; /* bytes of the queued packets, including bookkeeping */
	size_t n_queued_fds;
	struct list queue;
	const char *error;
	uint8_t buf[FRAME_PACKET_MAX];
};

struct conn *conn_new(int fd, size_t queue_max)
{
	struct conn *conn;
	int r;

	conn = malloc(sizeof(*conn));
	if (!conn) {
		errno = ENOMEM;
		return NULL;
	}
	r = fd_set_nonblocking(fd);
	if (r < 0) {
		free(conn);
		errno = -r;
		return NULL;
	}
	conn->fd = fd;
	conn->starved = conn->has_fds = false;
	conn->unexpected_fd_fn = NULL;
	conn->gate = (struct conn_gate){.may_send = NULL};
	conn->queue_max = queue_max;
	conn->queue_len = conn->n_queued_fds = 0;
	list_init(&conn->queue);
	conn->error = "";
	return conn;
}

static void conn_queued_free(struct conn *conn, struct conn_queued *item)
{
	list_remove(&item->link);
	conn->queue_len -= sizeof(*item) + item->len;
	conn->n_queued_fds -= item->n_fds;
	for (size_t i = 0; i < item->n_fds; i++)
		fd_close(&item->fds[i]);
	explicit_bzero(item->data, item->len);
	free(item);
}

struct conn *conn_free(struct conn *conn)
{
	struct conn_queued *item, *tmp;

	if (!conn)
		return NULL;
	list_for_each_safe(item, tmp, &conn->queue, link) conn_queued_free(conn, item);
	fd_close(&conn->fd);
	free(conn);
	return NULL;
}

int conn_free_keep_fd(struct conn *conn)
{
	int fd = fd_steal(&conn->fd);

	conn_free(conn);
	return fd;
}

int conn_fd(const struct conn *conn)
{
	return conn->fd;
}

const char *conn_error(const struct conn *conn)
{
	return conn->error;
}

int conn_get_creds(const struct conn *conn, struct conn_creds *creds_out)
{
	struct ucred cred;
	socklen_t len = sizeof(cred);

	if (getsockopt(conn->fd, SOL_SOCKET, SO_PEERCRED, &cred, &len) < 0)
		return -errno;
	creds_out->pid = cred.pid;
	creds_out->uid = cred.uid;
	creds_out->gid = cred.gid;
	return 0;
}

int conn_get_pidfd(const struct conn *conn)
{
	struct conn_creds creds;
	int pidfd = -1;
	socklen_t len = sizeof(pidfd);
	int r;

	if (getsockopt(conn->fd, SOL_SOCKET, SO_PEERPIDFD, &pidfd, &len) == 0)
		return pidfd;
	if (errno != ENOPROTOOPT) /* Linux before 6.5 */
		return -errno;
	r = conn_get_creds(conn, &creds);
	if (r < 0)
		return r;
	return creds.pid > 0 ? fd_pidfd_open(creds.pid) : -ESRCH;
}

/* Kernel limit of descriptors per packet (SCM_MAX_FD). */
#define CONN_FDS_MAX 253
/* Limit of packets that one shutdown discards. */
#define CONN_DISCARD_MAX 64

union conn_control {
	struct cmsghdr align;
	char buf[CMSG_SPACE(CONN_FDS_MAX * sizeof(int)) + CMSG_SPACE(sizeof(struct ucred))];
};

void conn_set_unexpected_fd_fn(struct conn *conn, void (*fn)(void *user, int fd), void *user)
{
	conn->unexpected_fd_fn = fn;
	conn->unexpected_fd_user = user;
}

/* Moves received descriptors into the set. Returns false if the set has too little room. */
static bool conn_collect_fds(struct conn *conn, struct msghdr *msg, struct fdset *fds)
{
	bool fit = true;
	size_t n;
	int fd;

	for (struct cmsghdr *cmsg = CMSG_FIRSTHDR(msg); cmsg; cmsg = CMSG_NXTHDR(msg, cmsg)) {
		if (cmsg->cmsg_level != SOL_SOCKET || cmsg->cmsg_type != SCM_RIGHTS)
			continue;
		n = (cmsg->cmsg_len - CMSG_LEN(0)) / sizeof(int);
		for (size_t i = 0; i < n; i++) {
			memcpy(&fd, CMSG_DATA(cmsg) + i * sizeof(int), sizeof(fd));
			conn->has_fds = true;
			if (conn->unexpected_fd_fn && !fd_closes_at_once(fd)) {
				conn->unexpected_fd_fn(conn->unexpected_fd_user, fd);
				fd = -1;
			}
			fit = fdset_add(fds, fd) == 0 && fit;
		}
	}
	return fit;
}

/*
 * Receives and drops the next packet with its descriptors. Returns false at the end of the stream.
 */
static bool conn_discard(struct conn *conn)
{
	CLEANUP_FDSET struct fdset got = FDSET_INIT;
	union conn_control control;
	char first;
	struct iovec iov = {.iov_base = &first, .iov_len = sizeof(first)};
	struct msghdr msg = {.msg_iov = &iov,
			     .msg_iovlen = 1,
			     .msg_control = control.buf,
			     .msg_controllen = sizeof(control.buf)};
	ssize_t n;

	do {
		n = recvmsg(conn->fd, &msg, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
	} while (n < 0 && errno == EINTR);
	if (n >= 0)
		conn_collect_fds(conn, &msg, &got);
	/* End of stream carries nothing, not even credentials. */
	return n > 0 || (n == 0 && msg.msg_controllen > 0);
}

/*
 * True if the next packet carries descriptors. Does not receive or duplicate them: the control
 * buffer has room for the credentials only.
 */
static bool conn_has_unread_fds(struct conn *conn)
{
	union {
		char buf[CMSG_SPACE(sizeof(struct ucred))];
		struct cmsghdr align;
	} control;
	char first;
	struct iovec iov = {.iov_base = &first, .iov_len = sizeof(first)};
	struct msghdr msg = {.msg_iov = &iov,
			     .msg_iovlen = 1,
			     .msg_control = control.buf,
			     .msg_controllen = sizeof(control.buf)};
	ssize_t n;

	do {
		n = recvmsg(conn->fd, &msg, MSG_DONTWAIT | MSG_PEEK | MSG_CMSG_CLOEXEC);
	} while (n < 0 && errno == EINTR);
	return n >= 0 && msg.msg_flags & MSG_CTRUNC;
}

bool conn_shut_down_without_fds(struct conn *conn)
{
	int on = 1;

	(void)shutdown(conn->fd, SHUT_RDWR);
	if (setsockopt(conn->fd, SOL_SOCKET, SO_PASSCRED, &on, sizeof(on)) < 0)
		return false;
	for (int i = 0; i < CONN_DISCARD_MAX; i++) {
		if (conn_has_unread_fds(conn))
			return false;
		if (!conn_discard(conn))
			return true;
	}
	return false;
}

bool conn_shut_down(struct conn *conn)
{
	int on = 1;

	(void)shutdown(conn->fd, SHUT_RDWR);
	if (!conn->unexpected_fd_fn ||
	    setsockopt(conn->fd, SOL_SOCKET, SO_PASSCRED, &on, sizeof(on)) < 0)
		return true;
	for (int i = 0; i < CONN_DISCARD_MAX; i++) {
		if (!conn_discard(conn))
			return true;
	}
	return false;
}

static int conn_refuse(struct conn *conn, int r, const char *error)
{
	conn->error = error;
	return r;
}

/* Validates the packet that recvmsg() put into buf. */
static int conn_accept_packet(struct conn *conn, size_t len, int flags, const struct fdset *fds,
			      struct packet_arena *arena, Dococore__Packet **packet_out)
{
	int r;

	if (flags & MSG_TRUNC)
		return conn_refuse(conn, -EPROTO, "packet is longer than 65536 bytes");
	if (flags & MSG_CTRUNC)
		return conn_refuse(conn, -EMFILE, "no room for the packet's descriptors here");
	r = packet_unpack(conn->buf, len, fds->n_fds, arena, packet_out, &conn->error);
	if (r < 0 || frame_secret(*packet_out))
		explicit_bzero(conn->buf, len);
	return r < 0 ? r : 1;
}

/* wait: block until a packet or a signal comes, or the receive timeout expires. */
static int conn_receive(struct conn *conn, int flags, bool wait, struct packet_arena *arena,
			Dococore__Packet **packet_out, struct fdset *fds)
{
	CLEANUP_FDSET struct fdset got = FDSET_INIT;
	union conn_control control;
	struct iovec iov = {.iov_base = conn->buf, .iov_len = sizeof(conn->buf)};
	struct msghdr msg = {.msg_iov = &iov,
			     .msg_iovlen = 1,
			     .msg_control = control.buf,
			     .msg_controllen = sizeof(control.buf)};
	Dococore__Packet *packet;
	bool fit;
	ssize_t n;
	int r;

	conn->has_fds = false;
	flags |= MSG_CMSG_CLOEXEC | (wait ? 0 : MSG_DONTWAIT);
	do {
		n = recvmsg(conn->fd, &msg, flags);
	} while (n < 0 && errno == EINTR && !wait);
	if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR))
		return 0;
	if (n < 0 && errno != ECONNRESET && errno != EPIPE && errno != ENOTCONN)
		return conn_refuse(conn, -errno, "receiving failed");
	if (n < 0)
		return conn_refuse(conn, -ECONNRESET, "peer is gone");
	fit = conn_collect_fds(conn, &msg, &got);
	/* End of stream looks like an empty packet, which the protocol forbids. */
	if (n == 0 && got.n_fds == 0 && !(msg.msg_flags & MSG_CTRUNC))
		return conn_refuse(conn, -ECONNRESET, "peer is gone");
	if (!fit || got.n_fds + fds->n_fds > FDSET_MAX)
		return conn_refuse(conn, -EPROTO, "packet carries too many descriptors");
	r = conn_accept_packet(conn, (size_t)n, msg.msg_flags, &got, arena, &packet);
	if (r < 0)
		return r;
	for (size_t i = 0; i < got.n_fds; i++)
		fdset_add(fds, fdset_steal(&got, i));
	*packet_out = packet;
	return 1;
}

int conn_recv(struct conn *conn, Dococore__Packet **packet_out, struct fdset *fds)
{
	return conn_receive(conn, 0, false, NULL, packet_out, fds);
}

int conn_set_timeout(struct conn *conn, uint64_t timeout_ns)
{
	struct timeval tv = {.tv_sec = (time_t)(timeout_ns / NS_PER_SEC),
			     .tv_usec = (suseconds_t)(timeout_ns % NS_PER_SEC / 1000)};
	int flags = fcntl(conn->fd, F_GETFL);

	/* All other calls pass MSG_DONTWAIT explicitly. */
	if (setsockopt(conn->fd, SOL_SOCKET, SO_RCVTIMEO, &tv, sizeof(tv)) < 0 || flags < 0 ||
	    fcntl(conn->fd, F_SETFL, flags & ~O_NONBLOCK) < 0)
		return -errno;
	return 0;
}

int conn_recv_wait(struct conn *conn, Dococore__Packet **packet_out, struct fdset *fds)
{
	return conn_receive(conn, 0, true, NULL, packet_out, fds);
}

int conn_recv_in(struct conn *conn, bool peek, struct packet_arena *arena,
		 Dococore__Packet **packet_out, struct fdset *fds)
{
	return conn_receive(conn, peek ? MSG_PEEK : 0, false, arena, packet_out, fds);
}

bool conn_consume(struct conn *conn)
{
	char first;
	ssize_t n;

	/*
	 * Receives the descriptors once more and closes them like any others: if the kernel dropped
	 * them, this process would wait for the close.
	 */
	if (conn->has_fds)
		return conn_discard(conn);
	do {
		n = recv(conn->fd, &first, sizeof(first), MSG_DONTWAIT);
	} while (n < 0 && errno == EINTR);
	return n > 0;
}

/*
 * Returns 1 if sent, 0 if the socket accepts nothing now, or -EMSGSIZE, -EPIPE or another -errno.
 */
static int conn_write(struct conn *conn, const void *data, size_t len, const int *fds, size_t n_fds)
{
	union {
		struct cmsghdr align;
		char buf[CMSG_SPACE(FDSET_MAX * sizeof(int))];
	} control;
	struct iovec iov = {.iov_base = (void *)data, .iov_len = len};
	struct msghdr msg = {.msg_iov = &iov, .msg_iovlen = 1};
	ssize_t n;

	if (n_fds) {
		struct cmsghdr *cmsg;

		memset(&control, 0, sizeof(control));
		msg.msg_control = control.buf;
		msg.msg_controllen = CMSG_SPACE(n_fds * sizeof(int));
		cmsg = CMSG_FIRSTHDR(&msg);
		cmsg->cmsg_level = SOL_SOCKET;
		cmsg->cmsg_type = SCM_RIGHTS;
		cmsg->cmsg_len = CMSG_LEN(n_fds * sizeof(int));
		memcpy(CMSG_DATA(cmsg), fds, n_fds * sizeof(int));
	}
	do {
		if (n_fds)
			n = sendmsg(conn->fd, &msg, MSG_NOSIGNAL | MSG_DONTWAIT);
		else /* Without control data the kernel has less to copy. */
			n = send(conn->fd, data, len, MSG_NOSIGNAL | MSG_DONTWAIT);
	} while (n < 0 && errno == EINTR);
	if (n >= 0)
		return 1;
	switch (errno) {
	case EAGAIN:
		return 0;
	case ENOBUFS:
	case ENOMEM:
	case ETOOMANYREFS:
		/*
		 * A shortage of memory or of descriptors in flight is not this peer's fault and is
		 * temporary.
		 */
		conn->starved = true;
		return 0;
	case ECONNRESET:
	case ENOTCONN:
		return -EPIPE;
	default:
		return -errno;
	}
}

/* Like conn_write(), but returns 0 if the gate holds the packet back. */
static int conn_transmit(struct conn *conn, const void *data, size_t len, const int *fds,
			 size_t n_fds)
{
	const struct conn_gate *gate = &conn->gate;
	int r;

	if (gate->may_send && !gate->may_send(gate->user, n_fds)) {
		conn->starved = true;
		return 0;
	}
	r = conn_write(conn, data, len, fds, n_fds);
	if (gate->sent && n_fds > 0 && r == 1)
		gate->sent(gate->user, n_fds);
	return r;
}

static int conn_enqueue(struct conn *conn, const void *data, size_t len, const int *fds,
			size_t n_fds)
{
	struct conn_queued *item;

	if (conn->queue_len + sizeof(*item) + len > conn->queue_max)
		return -ENOBUFS;
	item = malloc(sizeof(*item) + len);
	if (!item)
		return -ENOBUFS;
	list_append(&conn->queue, &item->link);
	conn->queue_len += sizeof(*item) + len;
	item->len = len;
	memcpy(item->data, data, len);
	for (item->n_fds = 0; item->n_fds < n_fds; item->n_fds++) {
		int fd = fd_dup(fds[item->n_fds]);

		if (fd < 0) {
			conn_queued_free(conn, item);
			return fd == -EBADF ? -EBADF : -ENOBUFS;
		}
		item->fds[item->n_fds] = fd;
		conn->n_queued_fds++;
	}
	return 0;
}

int conn_send(struct conn *conn, const Dococore__Packet *packet, const int *fds, size_t n_fds)
{
	uint8_t data[4096];
	uint8_t *packed = data, *heap = NULL;
	struct packet_size size;
	size_t len;
	int r;

	if (n_fds > FDSET_MAX || !frame_fds_allowed(packet, n_fds))
		return -EINVAL;
	size = packet_measure(packet);
	len = size.len;
	if (len > FRAME_PACKET_MAX)
		return -EMSGSIZE;
	if (len > sizeof(data)) {
		packed = heap = malloc(len);
		if (!packed)
			return -ENOBUFS;
	}
	packet_pack(packet, size, packed);
	/*
	 * Queued packets go first. A broken connection is reported by this flush as well as by a
	 * send.
	 */
	r = conn_flush(conn);
	if (r == 0 && list_is_empty(&conn->queue))
		r = conn_transmit(conn, packed, len, fds, n_fds);
	if (r == 0)
		r = conn_enqueue(conn, packed, len, fds, n_fds);
	if (frame_secret(packet))
		explicit_bzero(packed, len);
	free(heap);
	return r < 0 ? r : 0;
}

bool conn_wants_write(const struct conn *conn)
{
	return !list_is_empty(&conn->queue);
}

size_t conn_queue_len(const struct conn *conn)
{
	return conn->queue_len;
}

bool conn_is_starved(const struct conn *conn)
{
	return conn->starved && conn_wants_write(conn);
}

int conn_flush(struct conn *conn)
{
	struct conn_queued *item, *tmp;
	int r;

	conn->starved = false;
	list_for_each_safe(item, tmp, &conn->queue, link)
	{
		r = conn_transmit(conn, item->data, item->len, item->fds, item->n_fds);
		if (r <= 0)
			return r;
		conn_queued_free(conn, item);
	}
	return 0;
}

bool conn_has_unread(const struct conn *conn)
{
	int n_bytes = 0;

	/* The kernel counts the memory of this end's packets until the peer has received them. */
	return ioctl(conn->fd, SIOCOUTQ, &n_bytes) == 0 && n_bytes > 0;
}

size_t conn_n_queued_fds(const struct conn *conn)
{
	return conn->n_queued_fds;
}

void conn_set_gate(struct conn *conn, const struct conn_gate *gate)
{
	conn->gate = *gate;
}
