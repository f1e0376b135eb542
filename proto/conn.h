/*
 * One end of a SOCK_SEQPACKET connection: packets, their descriptors and a bounded send queue. It
 * has no callbacks and no event loop: the owner polls conn_fd() for reading, and also for writing
 * while conn_wants_write() is true. Single-threaded; the owner locks.
 */
#ifndef PROTO_CONN_H
#define PROTO_CONN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "proto/frame.h"
#include "util/fdset.h"

struct conn;
struct packet_arena;

struct conn_creds {
	pid_t pid; /* 0 if the peer's pid namespace is not visible to this process */
	uid_t uid;
	gid_t gid;
};

/*
 * Takes ownership of fd, which becomes non-blocking, on success. queue_max: limit of queued bytes,
 * where each packet counts about 100 bytes of bookkeeping. Returns NULL and sets errno on failure.
 */
struct conn *conn_new(int fd, size_t queue_max);
/* Accepts NULL. Returns NULL. */
struct conn *conn_free(struct conn *conn);
int conn_fd(const struct conn *conn);
/* Like conn_free(), but returns the socket, which the caller owns and closes. */
int conn_free_keep_fd(struct conn *conn);
/*
 * For owners that must not wait for the peer. If the close of a received descriptor may block (see
 * fd_closes_at_once()), the connection passes it to fn and stores -1 in its place. fn owns the
 * descriptor and must not use the connection.
 */
void conn_set_unexpected_fd_fn(struct conn *conn, void (*fn)(void *user, int fd), void *user);
/*
 * Ends the connection for every process that holds the socket. Receives and drops what the peer has
 * sent; descriptors are handled as conn_set_unexpected_fd_fn() describes, whereas conn_free() alone
 * would close them. Returns false if more is left than one call drops.
 */
bool conn_shut_down(struct conn *conn);
/*
 * Like conn_shut_down(), but receives no descriptors. Returns false if a packet carries some: it
 * and all later packets stay in the socket, whose last close may then block.
 */
bool conn_shut_down_without_fds(struct conn *conn);
/* Reads the peer's credentials from the kernel. Returns 0 or -errno. */
int conn_get_creds(const struct conn *conn, struct conn_creds *creds_out);
/*
 * Opens a pidfd of the peer with SO_PEERPIDFD, or else with pidfd_open() of the peer's pid. Returns
 * the descriptor or -errno.
 */
int conn_get_pidfd(const struct conn *conn);

/*
 * Reads one packet. Returns:
 * - 1: *packet_out is the packet (free with dococore__packet__free_unpacked(p, NULL)), and its
 *   descriptors were added to fds, which should be empty.
 * - 0: there is no packet now.
 * - -ECONNRESET: the peer is gone (an empty packet counts as the end).
 * - -EPROTO: the packet broke a rule (size, encoding, descriptor count, field lengths).
 * - -EMFILE, -ENOMEM: this process is out of descriptors or memory, and the packet was lost.
 * - other -errno: receiving failed.
 * On failure the packet's descriptors are closed, conn_error() returns the reason, and the
 * connection can no longer be used.
 */
int conn_recv(struct conn *conn, Dococore__Packet **packet_out, struct fdset *fds);
/*
 * For callers that may block. conn_set_timeout() makes the socket blocking and sets the receive
 * timeout; returns 0 or -errno. conn_recv_wait() is conn_recv() that waits. It returns 0 if the
 * timeout expired or a signal came, so check the clock.
 */
int conn_set_timeout(struct conn *conn, uint64_t timeout_ns);
int conn_recv_wait(struct conn *conn, Dococore__Packet **packet_out, struct fdset *fds);
const char *conn_error(const struct conn *conn);
/*
 * Like conn_recv(). If arena (proto/packet.h) is not NULL, unpacks into it; free the packet with
 * packet_free_in(). peek: the packet stays in the socket until conn_consume(), so that a process
 * that inherits the socket finds it there. Call conn_consume() before the next receive.
 */
int conn_recv_in(struct conn *conn, bool peek, struct packet_arena *arena,
		 Dococore__Packet **packet_out, struct fdset *fds);
/*
 * Removes the peeked packet. Returns false and sets errno if the packet is still in the socket: the
 * next receive would return it again.
 */
bool conn_consume(struct conn *conn);

/*
 * Sends or queues one packet. Descriptors of a queued packet are duplicated; the caller keeps its
 * own. Returns 0, or:
 * - -ENOBUFS: the queue is full, nothing was queued.
 * - -EMSGSIZE: the packet is too long.
 * - -EPIPE: the peer is gone.
 * - -EINVAL: the message must carry another number of descriptors.
 */
int conn_send(struct conn *conn, const Dococore__Packet *packet, const int *fds, size_t n_fds);
bool conn_wants_write(const struct conn *conn);
/* Queued bytes, including bookkeeping. */
size_t conn_queue_len(const struct conn *conn);
/*
 * True if the last send failed for a shortage of the system (memory, descriptors in flight) and not
 * because the socket is full. poll() would report the socket writable at once, so call conn_flush()
 * from a timer instead of polling.
 */
bool conn_is_starved(const struct conn *conn);
/*
 * Sends queued packets until the socket accepts no more. Returns 0, or -errno if the connection is
 * broken.
 */
int conn_flush(struct conn *conn);
/* True if the peer has not received everything that was sent, as far as the kernel counts it. */
bool conn_has_unread(const struct conn *conn);
/* Descriptors that this process holds for packets in the send queue. */
size_t conn_n_queued_fds(const struct conn *conn);

/*
 * Decides when packets may be sent. The connection calls may_send before each packet; if it returns
 * false, the packet stays queued as in a shortage (see conn_is_starved()). It calls sent after each
 * sent packet that carried descriptors. Neither callback may use the connection.
 */
struct conn_gate {
	bool (*may_send)(void *user, size_t n_fds);
	void (*sent)(void *user, size_t n_fds);
	void *user;
};

void conn_set_gate(struct conn *conn, const struct conn_gate *gate);

#endif
