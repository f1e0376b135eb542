/*
 * A TLS connection over a socket: libevent's bufferevent with OpenSSL, behind an interface that
 * exposes neither library's callbacks. Bytes are buffered in both directions. The receive buffer is
 * limited here; the owner limits what it sends. Callbacks run on the event loop, never inside a
 * call, and never after loop_tls_free(). Single-threaded.
 */
#ifndef DAEMON_BASE_LOOP_TLS_H
#define DAEMON_BASE_LOOP_TLS_H

#include <openssl/ssl.h>
#include <stdbool.h>
#include <stddef.h>

#include "daemon/base/loop.h"

struct loop_tls;

struct loop_tls_fns {
	void (*on_open)(void *user);     /* the handshake is complete */
	void (*on_bytes)(void *user);    /* bytes can be read */
	void (*on_writable)(void *user); /* the send queue has drained */
	/*
	 * The connection ended or failed; called once. loop_tls_error() and loop_tls_errno() return
	 * the reason. Bytes received before can still be read.
	 */
	void (*on_end)(void *user);
};

/*
 * fd is a connected, non-blocking socket. Takes ownership of fd and ssl, also on failure. Returns
 * NULL and sets errno on failure.
 */
struct loop_tls *loop_tls_new(struct loop *loop, int fd, SSL *ssl, bool accepts,
			      const struct loop_tls_fns *fns, void *user);
/* The socket is closed in a later iteration of the event loop. Accepts NULL. Returns NULL. */
struct loop_tls *loop_tls_free(struct loop_tls *tls);
/* Stops reading, writing and callbacks. */
void loop_tls_stop(struct loop_tls *tls);
/*
 * Returns the number of bytes read, or 0 if there are none now. They are overwritten where they
 * were received.
 */
size_t loop_tls_read(struct loop_tls *tls, void *buf, size_t len);
/* Queues all bytes. Returns 0 or -ENOMEM. */
int loop_tls_write(struct loop_tls *tls, const void *data, size_t len);
/* Like loop_tls_write(); the queue's copy is in memory that core dumps leave out. */
int loop_tls_write_secret(struct loop_tls *tls, const void *data, size_t len);
/* Number of bytes in the send queue. */
size_t loop_tls_queue_len(const struct loop_tls *tls);
int loop_tls_fd(const struct loop_tls *tls);
SSL *loop_tls_ssl(const struct loop_tls *tls);
/* Returns OpenSSL's first error code, or 0. */
unsigned long loop_tls_error(const struct loop_tls *tls);
/* Returns errno of the failure; 0: the other end closed the connection. */
int loop_tls_errno(const struct loop_tls *tls);

#endif
