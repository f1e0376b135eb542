/*
 * A TLS connection over a socket: libevent's bufferevent with OpenSSL, behind an interface that
 * knows neither of their callbacks. Bytes wait here in both directions; how many is bounded for
 * what is received, and for what is sent the owner looks. Callbacks come from the loop, never from
 * inside a call, and none after loop_tls_free(). Single-threaded.
 */
#ifndef DAEMON_BASE_LOOP_TLS_H
#define DAEMON_BASE_LOOP_TLS_H

#include <openssl/ssl.h>
#include <stdbool.h>
#include <stddef.h>

#include "daemon/base/loop.h"

struct loop_tls;

struct loop_tls_fns {
	void (*on_open)(void *user);  /* the handshake is done */
	void (*on_bytes)(void *user); /* there is something to read */
	void (*on_room)(void *user);  /* little waits to be sent any more */
	/* Ended or broken, once, why is in loop_tls_error() and loop_tls_errno(). What was
	 * received before can be read. */
	void (*on_end)(void *user);
};

/* fd is a connected, non-blocking socket. Takes fd and ssl, also when it fails. NULL and errno on
 * failure. */
struct loop_tls *loop_tls_new(struct loop *loop, int fd, SSL *ssl, bool accepts,
			      const struct loop_tls_fns *fns, void *user);
/* The socket is closed in a later step of the loop. NULL is fine. Returns NULL. */
struct loop_tls *loop_tls_free(struct loop_tls *tls);
/* Neither reads nor writes nor calls back any more. */
void loop_tls_stop(struct loop_tls *tls);
/* Bytes read, 0 when there are none now. */
size_t loop_tls_read(struct loop_tls *tls, void *buf, size_t len);
/* Queues all of it. 0 or -ENOMEM. */
int loop_tls_write(struct loop_tls *tls, const void *data, size_t len);
/* Bytes that wait to be sent. */
size_t loop_tls_queue_len(const struct loop_tls *tls);
int loop_tls_fd(const struct loop_tls *tls);
SSL *loop_tls_ssl(const struct loop_tls *tls);
/* OpenSSL's error code, the first one, or 0. */
unsigned long loop_tls_error(const struct loop_tls *tls);
/* 0: the other end closed it. */
int loop_tls_errno(const struct loop_tls *tls);

#endif
