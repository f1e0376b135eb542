/* TLS connections; see loop_tls.h. */
#include "daemon/base/loop_tls.h"

#include <errno.h>
#include <event2/buffer.h>
#include <event2/bufferevent.h>
#include <event2/bufferevent_ssl.h>
#include <event2/event.h>
#include <openssl/err.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "daemon/base/loop_internal.h"
#include "util/secret.h"
#include "util/util.h"

/* Limit of received bytes that are not consumed; reading stops above it. */
#define TLS_INPUT_MAX (128u << 10)
/* When the send queue falls below this many bytes, on_writable is called. */
#define TLS_OUTPUT_LOW (64u << 10)

struct loop_tls {
	struct bufferevent *bev;
	const struct loop_tls_fns *fns;
	void *user;
	bool ended;
	unsigned long error;
	int error_number;
};

static void tls_on_read(struct bufferevent *bev, void *user)
{
	struct loop_tls *tls = user;

	(void)bev;
	tls->fns->on_bytes(tls->user);
}

static void tls_on_write(struct bufferevent *bev, void *user)
{
	struct loop_tls *tls = user;

	(void)bev;
	tls->fns->on_writable(tls->user);
}

static void tls_on_event(struct bufferevent *bev, short what, void *user)
{
	struct loop_tls *tls = user;
	unsigned long error;
	int error_number = EVUTIL_SOCKET_ERROR();

	if (what & BEV_EVENT_CONNECTED) {
		tls->fns->on_open(tls->user);
		return;
	}
	if (!(what & (BEV_EVENT_EOF | BEV_EVENT_ERROR)) || tls->ended)
		return;
	tls->ended = true;
	/*
	 * The last error returned is the first that happened, and so the cause. Some entries are
	 * results of SSL_get_error(), which belong to no library and are skipped.
	 */
	while ((error = bufferevent_get_openssl_error(bev)))
		if (ERR_GET_LIB(error) != 0)
			tls->error = error;
	tls->error_number = what & BEV_EVENT_EOF || tls->error ? 0 : error_number;
	tls->fns->on_end(tls->user);
}

struct loop_tls *loop_tls_new(struct loop *loop, int fd, SSL *ssl, bool accepts,
			      const struct loop_tls_fns *fns, void *user)
{
	struct loop_tls *tls = calloc(1, sizeof(*tls));

	/* From here on ssl belongs to the bufferevent, even if that cannot be created. */
	if (!tls)
		SSL_free(ssl);
	else
		tls->bev = bufferevent_openssl_socket_new(
			loop->base, fd, ssl,
			accepts ? BUFFEREVENT_SSL_ACCEPTING : BUFFEREVENT_SSL_CONNECTING,
			BEV_OPT_CLOSE_ON_FREE | BEV_OPT_DEFER_CALLBACKS);
	if (!tls || !tls->bev) {
		free(tls);
		close(fd);
		errno = ENOMEM;
		return NULL;
	}
	tls->fns = fns;
	tls->user = user;
	bufferevent_setcb(tls->bev, tls_on_read, tls_on_write, tls_on_event, tls);
	bufferevent_setwatermark(tls->bev, EV_READ, 0, TLS_INPUT_MAX);
	bufferevent_setwatermark(tls->bev, EV_WRITE, TLS_OUTPUT_LOW, 0);
	bufferevent_enable(tls->bev, EV_READ | EV_WRITE);
	return tls;
}

void loop_tls_stop(struct loop_tls *tls)
{
	bufferevent_setcb(tls->bev, NULL, NULL, NULL, NULL);
	bufferevent_disable(tls->bev, EV_READ | EV_WRITE);
}

struct loop_tls *loop_tls_free(struct loop_tls *tls)
{
	if (!tls)
		return NULL;
	loop_tls_stop(tls);
	/*
	 * Sends close_notify, by which the other end distinguishes an orderly end from a lost
	 * connection.
	 */
	if (!tls->ended && SSL_is_init_finished(loop_tls_ssl(tls))) {
		(void)SSL_shutdown(loop_tls_ssl(tls));
		ERR_clear_error();
	}
	bufferevent_free(tls->bev);
	free(tls);
	return NULL;
}

size_t loop_tls_read(struct loop_tls *tls, void *buf, size_t len)
{
	struct evbuffer *input = bufferevent_get_input(tls->bev);
	struct evbuffer_iovec part;
	size_t n = 0;

	while (n < len && evbuffer_peek(input, (ev_ssize_t)(len - n), NULL, &part, 1) > 0 &&
	       part.iov_len > 0) {
		size_t part_len = MIN(part.iov_len, len - n);

		memcpy((uint8_t *)buf + n, part.iov_base, part_len);
		explicit_bzero(part.iov_base, part_len);
		evbuffer_drain(input, part_len);
		n += part_len;
	}
	return n;
}

int loop_tls_write(struct loop_tls *tls, const void *data, size_t len)
{
	return bufferevent_write(tls->bev, data, len) < 0 ? -ENOMEM : 0;
}

static void tls_on_sent(const void *data, size_t len, void *user)
{
	(void)data, (void)len;
	secret_free(user);
}

int loop_tls_write_secret(struct loop_tls *tls, const void *data, size_t len)
{
	void *copy = secret_alloc(len);

	if (!copy)
		return -ENOMEM;
	memcpy(copy, data, len);
	if (evbuffer_add_reference(bufferevent_get_output(tls->bev), copy, len, tls_on_sent, copy) <
	    0) {
		secret_free(copy);
		return -ENOMEM;
	}
	return 0;
}

size_t loop_tls_queue_len(const struct loop_tls *tls)
{
	return evbuffer_get_length(bufferevent_get_output(tls->bev));
}

int loop_tls_fd(const struct loop_tls *tls)
{
	return (int)bufferevent_getfd(tls->bev);
}

SSL *loop_tls_ssl(const struct loop_tls *tls)
{
	return bufferevent_openssl_get_ssl(tls->bev);
}

unsigned long loop_tls_error(const struct loop_tls *tls)
{
	return tls->error;
}

int loop_tls_errno(const struct loop_tls *tls)
{
	return tls->error_number;
}
