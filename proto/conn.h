/*
 * One end of a SOCK_SEQPACKET connection: packets and their descriptors, a bounded send queue. No
 * callbacks, no loop: the owner polls conn_fd() for reading, and for writing while
 * conn_wants_write(). Single-threaded; the owner locks.
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
struct packet_room;

struct conn_creds {
	pid_t pid; /* 0 when the peer lives in a pid namespace that we cannot see */
	uid_t uid;
	gid_t gid;
};

/*
 * Takes fd (made non-blocking) on success. queue_max: bytes that may wait, each packet with some
 * 100 bytes of bookkeeping. NULL and errno on failure.
 */
struct conn *conn_new(int fd, size_t queue_max);
/* NULL is fine. Returns NULL. */
struct conn *conn_free(struct conn *conn);
int conn_fd(const struct conn *conn);
/* As conn_free(), but the caller gets the socket and closes it. */
int conn_free_keep_fd(struct conn *conn);
/*
 * For who must not wait for the peer: what comes is given to fn if to close it may wait (see
 * fd_closes_at_once), and -1 stands in its place. fn owns it, and may not use the connection.
 */
void conn_set_stranger_fn(struct conn *conn, void (*fn)(void *user, int fd), void *user);
/* Ends the connection for all who have it. What the peer had sent is taken and thrown away, its
 * descriptors as above; conn_free alone would close those. False: there is more than is taken at
 * once. */
bool conn_shut_down(struct conn *conn);
/* The same for one whose descriptors are not to be taken. False: there are some, and they and what
 * follows are left in the socket, whose last close may wait then. */
bool conn_shut_down_bare(struct conn *conn);
/* Credentials of the peer from the kernel. 0 or -errno. */
int conn_get_creds(const struct conn *conn, struct conn_creds *creds_out);
/* A pidfd of the peer: SO_PEERPIDFD, or pidfd_open of the peer's pid. Descriptor or -errno. */
int conn_get_pidfd(const struct conn *conn);

/*
 * Reads one packet. 1: *packet_out (free with dococore__packet__free_unpacked(p, NULL)) and its
 * descriptors, added to fds, which should be empty; 0: nothing there now; -ECONNRESET: the peer is
 * gone (an empty packet counts as the end); -EPROTO: the packet broke a rule (size, encoding,
 * descriptor count, field lengths); -EMFILE, -ENOMEM: this process is out of descriptors or memory
 * and the packet was lost; other -errno: receiving failed. After an error its descriptors are
 * closed and the reason is in conn_error(); the connection is of no more use.
 */
int conn_recv(struct conn *conn, Dococore__Packet **packet_out, struct fdset *fds);
/*
 * For who has nothing else to do: the socket is made blocking, and conn_recv_wait is conn_recv that
 * waits. 0 means that the patience ended or that a signal came: look at the clock.
 * conn_set_patience: 0 or -errno.
 */
int conn_set_patience(struct conn *conn, uint64_t patience_ns);
int conn_recv_wait(struct conn *conn, Dococore__Packet **packet_out, struct fdset *fds);
const char *conn_error(const struct conn *conn);
/*
 * As conn_recv, into a room (proto/packet.h) if it is not NULL; to be freed with packet_free_in().
 * peek: the packet stays in the socket until conn_consume(), so that a process that inherits the
 * socket finds it there. Call conn_consume() before the next.
 */
int conn_recv_in(struct conn *conn, bool peek, struct packet_room *room,
		 Dococore__Packet **packet_out, struct fdset *fds);
void conn_consume(struct conn *conn);

/*
 * Sends or queues one packet. The descriptors are duplicated if they must wait; the caller keeps
 * its own. 0; -ENOBUFS: the queue is full, nothing was taken; -EMSGSIZE: packet too long; -EPIPE:
 * peer gone; -EINVAL: not the number of descriptors that the message carries.
 */
int conn_send(struct conn *conn, const Dococore__Packet *packet, const int *fds, size_t n_fds);
bool conn_wants_write(const struct conn *conn);
/* Bytes that wait, with their bookkeeping. */
size_t conn_queue_len(const struct conn *conn);
/*
 * True if the last attempt met a shortage of the system (memory, descriptors in flight) and not a
 * full socket: poll would say writable at once, so call conn_flush from a timer instead of polling.
 */
bool conn_is_starved(const struct conn *conn);
/* Writes what the socket takes. 0, or -errno when the connection is broken. */
int conn_flush(struct conn *conn);
/* True if the peer has not received all that was sent, as far as the kernel counts it. */
bool conn_has_unread(const struct conn *conn);
/* Descriptors that this process holds for packets in the send queue. */
size_t conn_n_queued_fds(const struct conn *conn);

/*
 * Decides when packets go out. may_send is asked before each packet; if it returns false, the
 * packet waits as in a shortage (see conn_is_starved()). sent is called after each packet with
 * descriptors that went out. Neither may use the connection.
 */
struct conn_gate {
	bool (*may_send)(void *user, size_t n_fds);
	void (*sent)(void *user, size_t n_fds);
	void *user;
};

void conn_set_gate(struct conn *conn, const struct conn_gate *gate);

#endif
