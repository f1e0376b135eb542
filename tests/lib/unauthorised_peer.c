/* A peer that is not a daemon; see unauthorised_peer.h. */
#include "tests/lib/unauthorised_peer.h"

#include <arpa/inet.h>
#include <errno.h>
#include <openssl/err.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/lib/assert.h"
#include "tests/lib/runner.h"
#include "util/fd.h"

#define ALPN   \
	"\x0d" \
	"dococore-peer"

static void limit_waits(int fd)
{
	struct timeval limit = {.tv_sec = runner_timeout_ms(10000) / 1000};

	ck_assert_int_eq(setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit)), 0);
}

int unauthorised_peer_dial(const struct tls_lab *tls)
{
	struct sockaddr_in addr = {.sin_family = AF_INET, .sin_port = htons(TLS_LAB_PORT)};
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	ck_assert_int_ge(fd, 0);
	addr.sin_addr.s_addr = inet_addr(tls->address);
	ck_assert_int_eq(connect(fd, (const struct sockaddr *)&addr, sizeof(addr)), 0);
	limit_waits(fd);
	return fd;
}

int unauthorised_peer_listen(const struct tls_lab *tls, uint16_t port)
{
	struct sockaddr_in addr = {.sin_family = AF_INET, .sin_port = htons(port)};
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), on = 1;

	ck_assert_int_ge(fd, 0);
	addr.sin_addr.s_addr = inet_addr(tls->address);
	ck_assert_int_eq(setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)), 0);
	ck_assert_int_eq(bind(fd, (const struct sockaddr *)&addr, sizeof(addr)), 0);
	ck_assert_int_eq(listen(fd, 4), 0);
	limit_waits(fd);
	return fd;
}

static void unauthorised_peer_begin(struct unauthorised_peer *s, const SSL_METHOD *method, int fd,
				    const struct tls_lab *tls, const char *certificate)
{
	char path[256];

	memset(s, 0, sizeof(*s));
	packet_stream_init(&s->in);
	s->fd = fd;
	s->ctx = SSL_CTX_new(method);
	ck_assert_ptr_nonnull(s->ctx);
	snprintf(path, sizeof(path), "%s/%s.pem", tls->dir, certificate);
	ck_assert_int_eq(SSL_CTX_use_certificate_chain_file(s->ctx, path), 1);
	snprintf(path, sizeof(path), "%s/%s.key", tls->dir, certificate);
	ck_assert_int_eq(SSL_CTX_use_PrivateKey_file(s->ctx, path, SSL_FILETYPE_PEM), 1);
}

static void unauthorised_peer_open(struct unauthorised_peer *s)
{
	s->ssl = SSL_new(s->ctx);
	ck_assert_ptr_nonnull(s->ssl);
	ck_assert_int_eq(SSL_set_fd(s->ssl, s->fd), 1);
}

static int select_alpn(SSL *ssl, const unsigned char **out, unsigned char *out_len,
		       const unsigned char *in, unsigned in_len, void *user)
{
	(void)ssl, (void)user;
	ck_assert_int_eq(SSL_select_next_proto((unsigned char **)(uintptr_t)out, out_len,
					       (const unsigned char *)ALPN, sizeof(ALPN) - 1, in,
					       in_len),
			 OPENSSL_NPN_NEGOTIATED);
	return SSL_TLSEXT_ERR_OK;
}

void unauthorised_peer_accept(struct unauthorised_peer *s, int listener, const struct tls_lab *tls,
			      const char *certificate)
{
	int fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC);

	ck_assert_int_ge(fd, 0);
	limit_waits(fd);
	unauthorised_peer_begin(s, TLS_server_method(), fd, tls, certificate);
	SSL_CTX_set_alpn_select_cb(s->ctx, select_alpn, NULL);
	unauthorised_peer_open(s);
	ck_assert_int_eq(SSL_accept(s->ssl), 1);
}

void unauthorised_peer_connect(struct unauthorised_peer *s, const struct tls_lab *tls,
			       const char *certificate)
{
	unauthorised_peer_begin(s, TLS_client_method(), unauthorised_peer_dial(tls), tls,
				certificate);
	ck_assert_int_eq(
		SSL_CTX_set_alpn_protos(s->ctx, (const unsigned char *)ALPN, sizeof(ALPN) - 1), 0);
	unauthorised_peer_open(s);
	ck_assert_int_eq(SSL_connect(s->ssl), 1);
}

void unauthorised_peer_send(struct unauthorised_peer *s, const Dococore__Packet *packet)
{
	uint8_t data[PACKET_STREAM_HEADER_LEN + 1024];
	size_t len = dococore__packet__pack(packet, data + PACKET_STREAM_HEADER_LEN);

	packet_stream_put_header(data, len);
	ck_assert_int_eq(SSL_write(s->ssl, data, (int)(PACKET_STREAM_HEADER_LEN + len)),
			 (int)(PACKET_STREAM_HEADER_LEN + len));
}

void unauthorised_peer_sends(struct unauthorised_peer *s, bool is_call, uint64_t id,
			     const void *data, size_t len)
{
	Dococore__PeerChannelData notice = DOCOCORE__PEER_CHANNEL_DATA__INIT;
	Dococore__Packet packet = DOCOCORE__PACKET__INIT;

	notice.channel_id = id;
	notice.is_call = is_call;
	notice.data = (ProtobufCBinaryData){len, (uint8_t *)(uintptr_t)data};
	packet.body_case = DOCOCORE__PACKET__BODY_PEER_CHANNEL_DATA;
	packet.peer_channel_data = &notice;
	unauthorised_peer_send(s, &packet);
}

void unauthorised_peer_credits(struct unauthorised_peer *s, bool is_call, uint64_t id,
			       uint64_t n_msgs)
{
	Dococore__PeerChannelCredit notice = DOCOCORE__PEER_CHANNEL_CREDIT__INIT;
	Dococore__Packet packet = DOCOCORE__PACKET__INIT;

	notice.channel_id = id;
	notice.is_call = is_call;
	notice.n_msgs = n_msgs;
	packet.body_case = DOCOCORE__PACKET__BODY_PEER_CHANNEL_CREDIT;
	packet.peer_channel_credit = &notice;
	unauthorised_peer_send(s, &packet);
}

void unauthorised_peer_hello(struct unauthorised_peer *s, uint8_t id)
{
	Dococore__PeerHello hello = DOCOCORE__PEER_HELLO__INIT;
	Dococore__Packet packet = DOCOCORE__PACKET__INIT;
	uint8_t daemon_id[16];

	memset(daemon_id, id, sizeof(daemon_id));
	hello.protocol = hello.protocol_min = FRAME_PROTOCOL;
	hello.side = (char *)"host";
	hello.daemon_id = (ProtobufCBinaryData){sizeof(daemon_id), daemon_id};
	packet.body_case = DOCOCORE__PACKET__BODY_PEER_HELLO;
	packet.peer_hello = &hello;
	unauthorised_peer_send(s, &packet);
}

void unauthorised_peer_has_function(struct unauthorised_peer *s, const char *pci_addr)
{
	Dococore__PeerFunctions list = DOCOCORE__PEER_FUNCTIONS__INIT;
	Dococore__PeerFunction function = DOCOCORE__PEER_FUNCTION__INIT, *pointer = &function;
	Dococore__Packet packet = DOCOCORE__PACKET__INIT;

	function.pci_addr = (char *)pci_addr;
	list.functions = &pointer;
	list.n_functions = 1;
	packet.body_case = DOCOCORE__PACKET__BODY_PEER_FUNCTIONS;
	packet.peer_functions = &list;
	unauthorised_peer_send(s, &packet);
}

Dococore__Packet *unauthorised_peer_read(struct unauthorised_peer *s)
{
	Dococore__Packet *packet;
	size_t used;
	int r;

	for (;;) {
		r = packet_stream_feed(&s->in, s->data + s->at, s->n - s->at, &used, &packet);
		s->at += used;
		ck_assert_int_ge(r, 0);
		if (r == 1)
			return packet;
		errno = 0;
		r = SSL_read(s->ssl, s->data, sizeof(s->data));
		ck_assert_msg(errno != EAGAIN, "the daemon says nothing");
		if (r <= 0)
			return NULL;
		s->at = 0;
		s->n = (size_t)r;
	}
}

bool unauthorised_peer_was_notified(struct unauthorised_peer *s, Dococore__Packet__BodyCase what)
{
	Dococore__PeerPing ping = DOCOCORE__PEER_PING__INIT;
	Dococore__Packet packet = DOCOCORE__PACKET__INIT, *got;
	bool was_notified = false, done = false;

	ping.number = 4711;
	packet.body_case = DOCOCORE__PACKET__BODY_PEER_PING;
	packet.peer_ping = &ping;
	unauthorised_peer_send(s, &packet);
	while (!done) {
		got = unauthorised_peer_read(s);
		ck_assert_ptr_nonnull(got);
		was_notified |= got->body_case == what;
		done = got->body_case == DOCOCORE__PACKET__BODY_PEER_PONG;
		dococore__packet__free_unpacked(got, NULL);
	}
	return was_notified;
}

Dococore__Packet *unauthorised_peer_await(struct unauthorised_peer *s,
					  Dococore__Packet__BodyCase what)
{
	Dococore__Packet *got;

	while ((got = unauthorised_peer_read(s)) != NULL && got->body_case != what)
		dococore__packet__free_unpacked(got, NULL);
	ck_assert_msg(got != NULL, "the daemon ended the connection");
	return got;
}

void unauthorised_peer_await_end(struct unauthorised_peer *s)
{
	Dococore__Packet *got;

	while ((got = unauthorised_peer_read(s)) != NULL)
		dococore__packet__free_unpacked(got, NULL);
}

void unauthorised_peer_close(struct unauthorised_peer *s)
{
	SSL_free(s->ssl);
	SSL_CTX_free(s->ctx);
	fd_close(&s->fd);
	ERR_clear_error();
}
