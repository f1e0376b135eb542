/* Packets over TLS; see carrier_tls.h. */
#include "daemon/peer/carrier_tls.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "daemon/base/loop_name.h"
#include "daemon/base/loop_tls.h"
#include "proto/packet.h"
#include "proto/packet_stream.h"
#include "util/fd.h"
#include "util/secret.h"
#include "util/str.h"
#include "util/util.h"

/*
 * Limit of bytes that a peer leaves unread. Messages over TLS are short, because no descriptors
 * pass.
 */
#define TLS_QUEUE_LEN (16u << 20)

struct carrier_tls {
	struct carrier base;
	struct loop *loop;
	SSL *ssl; /* until the stream takes it over */
	struct tls_check check;
	uint64_t step_ns;
	struct loop_source *limit; /* time limit of the current step */
	struct loop_name *name;
	struct loop_address addresses[LOOP_NAME_MAX];
	size_t n_addresses, next_address;
	int fd; /* during connection only */
	struct loop_source *connecting;
	struct loop_tls *stream;
	bool open;
	char host[64], address[80];
	struct packet_stream in;
	/* Packets contain secrets of exports, so this object is in memory that is not dumped. */
	uint8_t received[16384];
	uint8_t sent[PACKET_STREAM_HEADER_LEN + FRAME_PACKET_MAX];
};

static struct carrier_tls *tls_of(const struct carrier *carrier)
{
	return container_of(carrier, struct carrier_tls, base);
}

const char *carrier_tls_host(const struct carrier *carrier)
{
	return tls_of(carrier)->host;
}

const char *carrier_tls_address(const struct carrier *carrier)
{
	return tls_of(carrier)->address;
}

const char *carrier_tls_name(const struct carrier *carrier)
{
	return tls_of(carrier)->check.name;
}

const char *carrier_tls_subject(const struct carrier *carrier)
{
	return tls_of(carrier)->check.subject;
}

const char *carrier_tls_rule(const struct carrier *carrier)
{
	return tls_of(carrier)->check.rule;
}

const char *carrier_tls_recheck(struct carrier *base, const struct tls *tls)
{
	struct carrier_tls *carrier = tls_of(base);

	if (!carrier->open)
		return NULL;
	return tls_recheck(tls, loop_tls_ssl(carrier->stream), &carrier->check);
}

static void tls_set_address(struct carrier_tls *carrier, const struct loop_address *address)
{
	char service[8] = "";

	if (getnameinfo((const struct sockaddr *)&address->addr, address->len, carrier->host,
			sizeof(carrier->host), service, sizeof(service),
			NI_NUMERICHOST | NI_NUMERICSERV) != 0)
		str_copy(carrier->host, sizeof(carrier->host), "?");
	snprintf(carrier->address, sizeof(carrier->address),
		 strchr(carrier->host, ':') ? "[%s]:%s" : "%s:%s", carrier->host, service);
}

/* --- open --- */

static void tls_receive(struct carrier_tls *carrier)
{
	const uint8_t *data = carrier->received;
	size_t n;

	while (!carrier->base.stopped && (n = loop_tls_read(carrier->stream, carrier->received,
							    sizeof(carrier->received))) > 0) {
		for (size_t at = 0; at < n && !carrier->base.stopped;) {
			CLEANUP_FDSET struct fdset none = FDSET_INIT;
			Dococore__Packet *packet;
			size_t used;
			int r = packet_stream_feed(&carrier->in, data + at, n - at, &used, &packet);

			at += used;
			if (r < 0)
				carrier_break(&carrier->base, "%s", carrier->in.error);
			if (r <= 0)
				break;
			carrier->base.owner->on_packet(carrier->base.user, packet, &none);
			packet_free(packet);
		}
	}
}

static void tls_on_bytes(void *user)
{
	struct carrier_tls *carrier = user;

	if (carrier->open)
		tls_receive(carrier);
}

static void tls_on_writable(void *user)
{
	struct carrier_tls *carrier = user;

	if (carrier->open && !carrier->base.stopped && carrier->base.owner->on_writable)
		carrier->base.owner->on_writable(carrier->base.user);
}

static void tls_on_open(void *user)
{
	struct carrier_tls *carrier = user;
	const char *wrong = tls_find_error(loop_tls_ssl(carrier->stream));

	if (carrier->base.stopped || carrier->open)
		return;
	if (wrong) {
		carrier_break(&carrier->base, "%s", wrong);
		return;
	}
	loop_timer_cancel(carrier->limit);
	carrier->open = true;
	carrier->base.owner->on_open(carrier->base.user);
	/* Reads data that arrived with the end of the handshake. */
	tls_receive(carrier);
}

static void tls_on_end(void *user)
{
	struct carrier_tls *carrier = user;
	char text[240];

	if (carrier->open)
		tls_receive(carrier);
	tls_explain(&carrier->check, loop_tls_error(carrier->stream),
		    loop_tls_errno(carrier->stream), text, sizeof(text));
	carrier_break(&carrier->base, "%s", text);
}

static const struct loop_tls_fns tls_fns = {
	.on_open = tls_on_open,
	.on_bytes = tls_on_bytes,
	.on_writable = tls_on_writable,
	.on_end = tls_on_end,
};

/*
 * Starts the handshake on a connected socket. Takes ownership of fd, also on failure. Returns 0 or
 * -errno.
 */
static int tls_shake_hands(struct carrier_tls *carrier, int fd, bool accepts)
{
	SSL *ssl = carrier->ssl;
	int on = 1;

	/* Packets are small and each has a waiting process, so Nagle's algorithm is disabled. */
	(void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	carrier->ssl = NULL;
	carrier->base.reached = true;
	carrier->stream = loop_tls_new(carrier->loop, fd, ssl, accepts, &tls_fns, carrier);
	if (!carrier->stream)
		return -errno;
	return loop_timer_set(carrier->limit, carrier->step_ns);
}

/* --- connecting --- */

static void tls_try_next(struct carrier_tls *carrier, const char *why);

static void tls_on_connected(void *user, unsigned events)
{
	struct carrier_tls *carrier = user;
	socklen_t len = sizeof(int);
	int error = 0;

	(void)events;
	carrier->connecting = loop_source_free(carrier->connecting);
	if (getsockopt(carrier->fd, SOL_SOCKET, SO_ERROR, &error, &len) < 0)
		error = errno;
	if (error)
		tls_try_next(carrier, strerror(error));
	else if (tls_shake_hands(carrier, fd_steal(&carrier->fd), false) < 0)
		carrier_break(&carrier->base, "no memory for a TLS connection");
}

/* Starts one connection attempt. Returns 0, or -errno if it could not be started. */
static int tls_try(struct carrier_tls *carrier, const struct loop_address *address)
{
	CLEANUP_FD int fd = socket(address->addr.ss_family,
				   SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	tls_set_address(carrier, address);
	if (fd < 0)
		return -errno;
	if (connect(fd, (const struct sockaddr *)&address->addr, address->len) < 0 &&
	    errno != EINPROGRESS)
		return -errno;
	carrier->connecting = loop_fd_new(carrier->loop, fd, LOOP_WRITE, tls_on_connected, carrier);
	if (!carrier->connecting)
		return -ENOMEM;
	carrier->fd = fd_steal(&fd);
	return loop_timer_set(carrier->limit, carrier->step_ns);
}

/* Tries the next address. why: the reason why the previous one failed. */
static void tls_try_next(struct carrier_tls *carrier, const char *why)
{
	carrier->connecting = loop_source_free(carrier->connecting);
	fd_close(&carrier->fd);
	while (carrier->next_address < carrier->n_addresses) {
		int r = tls_try(carrier, &carrier->addresses[carrier->next_address++]);

		if (r == 0)
			return;
		why = strerror(-r);
		carrier->connecting = loop_source_free(carrier->connecting);
		fd_close(&carrier->fd);
	}
	carrier_break(&carrier->base, "%s does not answer: %s", carrier->address, why);
}

static void tls_on_name(void *user, const struct loop_address *addresses, size_t n,
			const char *error)
{
	struct carrier_tls *carrier = user;

	if (n > 0)
		memcpy(carrier->addresses, addresses, n * sizeof(*addresses));
	carrier->n_addresses = n;
	carrier->name = loop_name_free(carrier->name);
	if (error)
		carrier_break(&carrier->base, "the name of the machine is not found: %s", error);
	else
		tls_try_next(carrier, "");
}

static void tls_on_limit(void *user)
{
	struct carrier_tls *carrier = user;

	if (carrier->name)
		carrier_break(&carrier->base, "no answer about the name of the machine in time");
	else if (!carrier->stream)
		tls_try_next(carrier, "no answer in time");
	else
		carrier_break(&carrier->base, "the TLS handshake was not done in time");
}

/* --- the carrier --- */

static int tls_send(struct carrier *base, const Dococore__Packet *packet, const int *fds,
		    size_t n_fds)
{
	struct carrier_tls *carrier = tls_of(base);
	struct packet_size size;
	size_t len;
	int r;

	(void)fds, (void)n_fds;
	if (!carrier->open || base->stopped)
		return -EPIPE;
	if (!frame_fds_allowed(packet, 0))
		return -EINVAL;
	size = packet_measure(packet);
	len = size.len;
	if (len > FRAME_PACKET_MAX)
		return -EMSGSIZE;
	if (loop_tls_queue_len(carrier->stream) + len > TLS_QUEUE_LEN)
		return -ENOBUFS;
	packet_stream_put_header(carrier->sent, len);
	packet_pack(packet, size, carrier->sent + PACKET_STREAM_HEADER_LEN);
	if (frame_secret(packet))
		r = loop_tls_write_secret(carrier->stream, carrier->sent,
					  PACKET_STREAM_HEADER_LEN + len);
	else
		r = loop_tls_write(carrier->stream, carrier->sent, PACKET_STREAM_HEADER_LEN + len);
	return r < 0 ? -ENOBUFS : 0;
}

static size_t tls_queue_len(const struct carrier *base)
{
	const struct carrier_tls *carrier = tls_of(base);

	return carrier->stream ? loop_tls_queue_len(carrier->stream) : 0;
}

static bool tls_has_ended(const struct carrier *base)
{
	const struct carrier_tls *carrier = tls_of(base);
	struct pollfd p = {.events = POLLRDHUP};

	if (!carrier->stream)
		return false;
	p.fd = loop_tls_fd(carrier->stream);
	return poll(&p, 1, 0) == 1;
}

static void tls_stop(struct carrier *base)
{
	struct carrier_tls *carrier = tls_of(base);

	loop_timer_cancel(carrier->limit);
	carrier->name = loop_name_free(carrier->name);
	carrier->connecting = loop_source_free(carrier->connecting);
	if (carrier->stream)
		loop_tls_stop(carrier->stream);
}

static void tls_carrier_free(struct carrier *base)
{
	struct carrier_tls *carrier = tls_of(base);

	loop_name_free(carrier->name);
	loop_source_free(carrier->limit);
	loop_source_free(carrier->connecting);
	fd_close(&carrier->fd);
	if (carrier->stream)
		tls_end(loop_tls_ssl(carrier->stream));
	loop_tls_free(carrier->stream);
	SSL_free(carrier->ssl);
	secret_free(carrier);
}

static const struct carrier_ops tls_ops = {
	.name = "tls",
	.passes_fds = false,
	.send = tls_send,
	.queue_len = tls_queue_len,
	.has_ended = tls_has_ended,
	.stop = tls_stop,
	.free = tls_carrier_free,
};

static struct carrier_tls *tls_carrier_new(const struct carrier_tls_options *options, bool accepts)
{
	struct carrier_tls *carrier = secret_alloc(sizeof(*carrier));

	if (!carrier)
		return NULL;
	carrier->base =
		(struct carrier){.ops = &tls_ops, .owner = options->owner, .user = options->user};
	carrier->loop = options->loop;
	carrier->step_ns = options->step_ns;
	carrier->check.config = options->config;
	carrier->fd = -1;
	packet_stream_init(&carrier->in);
	carrier->ssl = tls_begin(options->tls, accepts, &carrier->check);
	carrier->limit = loop_timer_new(options->loop, tls_on_limit, carrier);
	if (carrier->ssl && carrier->limit)
		return carrier;
	tls_carrier_free(&carrier->base);
	return NULL;
}

int carrier_tls_connect(const struct carrier_tls_options *options, const struct config_peer *peer,
			struct carrier **carrier_out)
{
	struct carrier_tls *carrier = tls_carrier_new(options, false);

	if (!carrier)
		return -ENOMEM;
	str_copy(carrier->check.only, sizeof(carrier->check.only), peer->name);
	carrier->name = loop_name_new(options->loop, peer->host, peer->port, tls_on_name, carrier);
	if (!carrier->name || loop_timer_set(carrier->limit, options->step_ns) < 0) {
		tls_carrier_free(&carrier->base);
		return -ENOMEM;
	}
	*carrier_out = &carrier->base;
	return 0;
}

int carrier_tls_accept(const struct carrier_tls_options *options, int fd,
		       struct carrier **carrier_out)
{
	struct carrier_tls *carrier = tls_carrier_new(options, true);
	struct loop_address from = {.len = sizeof(from.addr)};
	int r;

	if (!carrier) {
		fd_close(&fd);
		return -ENOMEM;
	}
	if (getpeername(fd, (struct sockaddr *)&from.addr, &from.len) < 0) {
		r = -errno;
		fd_close(&fd);
		tls_carrier_free(&carrier->base);
		return r;
	}
	tls_set_address(carrier, &from);
	r = tls_shake_hands(carrier, fd, true);
	if (r < 0) {
		tls_carrier_free(&carrier->base);
		return r;
	}
	*carrier_out = &carrier->base;
	return 0;
}
