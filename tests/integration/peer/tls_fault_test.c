/*
 * The TLS link with unauthorised peers and faults: invalid certificates of every kind, old TLS
 * versions, garbage, silent connections, an authenticated peer that breaks the protocol, and one
 * that is frozen. The daemon refuses each of them, logs it once, and keeps no descriptor and no
 * memory. The authorised peer is linked afterwards.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "proto/packet_stream.h"
#include "tests/lib/exporter.h"
#include "tests/lib/pki.h"
#include "tests/lib/runner.h"
#include "tests/lib/tls_lab.h"
#include "tests/lib/use.h"
#include "util/clock.h"
#include "util/fd.h"

#define ALPN   \
	"\x0d" \
	"dococore-peer"

static struct tls_lab tls;
static struct lab dpu, host;
static size_t n_fds;

static void setup_with(const char *keys)
{
	signal(SIGPIPE, SIG_IGN);
	leaks_setup();
	tls_lab_make(&tls, keys);
	tls_lab_start(&tls, &dpu, false, true);
	n_fds = lab_daemon_n_fds(&dpu, LAB_DPU);
}

static void setup(void)
{
	setup_with("timeout_ms = 60000\n");
}

/* Handshakes have a short limit, but this process must have been scheduled meanwhile. */
static void setup_short_handshake(void)
{
	setup_with("timeout_ms = 60000\nhandshake_ms = 2000\n");
}

/* Requests meanwhile must wait longer than a changed timeout takes to apply. */
static void setup_short_timeout(void)
{
	setup_with("timeout_ms = 3000\n");
}

static void await_fds(void)
{
	uint64_t deadline = clock_now_ns() + runner_timeout_ms(10000) * NS_PER_MS;

	/* At its start the daemon may have had one more descriptor for a moment. */
	while (lab_daemon_n_fds(&dpu, LAB_DPU) > n_fds) {
		ck_assert_msg(clock_now_ns() < deadline, "the daemon has %zu descriptors, not %zu",
			      lab_daemon_n_fds(&dpu, LAB_DPU), n_fds);
		poll(NULL, 0, 10);
	}
}

/*
 * The daemon's private memory. A daemon built with a sanitizer keeps freed memory, and reports
 * leaks itself at its end.
 */
static size_t data_len(void)
{
#ifndef DOCO_SANITIZED
	char path[64], line[128];
	unsigned long len = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)dpu.daemons[LAB_DPU].pid);
	file = fopen(path, "re");
	ck_assert_ptr_nonnull(file);
	while (len == 0 && fgets(line, sizeof(line), file))
		(void)sscanf(line, "VmData: %lu kB", &len);
	fclose(file);
	ck_assert_uint_ne(len, 0);
	return len * 1024;
#else
	return 0;
#endif
}

/* The valid peer is still accepted. */
static void teardown(void)
{
	await_fds();
	if (host.daemons[LAB_HOST].pid == 0)
		tls_lab_start(&tls, &host, true, false);
	lab_await(&dpu, LAB_DPU, LAB_PEERS, 1, 10000);
	lab_stop(&host);
	lab_stop(&dpu);
	tls_lab_remove(&tls);
	leaks_teardown();
}

/* --- unauthorised peers --- */

struct unauthorised_peer {
	int fd;
	SSL_CTX *ctx;
	SSL *ssl;
};

static int dial(void)
{
	struct sockaddr_in addr = {.sin_family = AF_INET, .sin_port = htons(TLS_LAB_PORT)};
	struct timeval limit = {.tv_sec = runner_timeout_ms(10000) / 1000};
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	ck_assert_int_ge(fd, 0);
	addr.sin_addr.s_addr = inet_addr(tls.address);
	ck_assert_int_eq(connect(fd, (const struct sockaddr *)&addr, sizeof(addr)), 0);
	ck_assert_int_eq(setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit)), 0);
	return fd;
}

/*
 * The behaviour of an unauthorised peer: its certificate, if any, its TLS versions and its
 * application protocol.
 */
struct disguise {
	const char *certificate;
	int max_version;
	const char *alpn;
	const char *log; /* the daemon's log text about it */
};

static void unauthorised_peer_begin(struct unauthorised_peer *s, const struct disguise *as)
{
	char path[256];

	s->fd = dial();
	s->ctx = SSL_CTX_new(TLS_client_method());
	ck_assert_ptr_nonnull(s->ctx);
	SSL_CTX_set_security_level(s->ctx, 0);
	if (as->max_version)
		SSL_CTX_set_max_proto_version(s->ctx, as->max_version);
	if (as->certificate) {
		snprintf(path, sizeof(path), "%s/%s.pem", tls.dir, as->certificate);
		ck_assert_int_eq(SSL_CTX_use_certificate_chain_file(s->ctx, path), 1);
		snprintf(path, sizeof(path), "%s/%s.key", tls.dir, as->certificate);
		ck_assert_int_eq(SSL_CTX_use_PrivateKey_file(s->ctx, path, SSL_FILETYPE_PEM), 1);
	}
	if (as->alpn)
		ck_assert_int_eq(SSL_CTX_set_alpn_protos(s->ctx, (const unsigned char *)as->alpn,
							 (unsigned)strlen(as->alpn)),
				 0);
	s->ssl = SSL_new(s->ctx);
	ck_assert_ptr_nonnull(s->ssl);
	ck_assert_int_eq(SSL_set_fd(s->ssl, s->fd), 1);
}

static void unauthorised_peer_end(struct unauthorised_peer *s)
{
	SSL_free(s->ssl);
	SSL_CTX_free(s->ctx);
	fd_close(&s->fd);
	ERR_clear_error();
}

/* Reads until the daemon ends the connection; a timeout is a failure. */
static void unauthorised_peer_await_end(struct unauthorised_peer *s)
{
	char byte;
	int r;

	errno = 0;
	while ((r = SSL_read(s->ssl, &byte, 1)) == 1)
		continue;
	ck_assert_msg(errno != EAGAIN, "the daemon did not end the connection");
}

/*
 * The handshake fails, or the daemon ends an apparently successful connection before it sends a
 * packet.
 */
static void expect_refused(const struct disguise *as)
{
	struct unauthorised_peer s;
	char byte;

	unauthorised_peer_begin(&s, as);
	errno = 0;
	if (SSL_connect(s.ssl) == 1)
		ck_assert_int_le(SSL_read(s.ssl, &byte, 1), 0);
	ck_assert_msg(errno != EAGAIN, "the daemon did not end the connection");
	unauthorised_peer_end(&s);
	tls_lab_await_log(&dpu, LAB_DPU, as->log);
}

static const struct disguise disguises[] = {
	{NULL, 0, ALPN, "peer did not return a certificate"},
	{"foreign", 0, ALPN, "'CN=host' is refused: unable to get local issuer certificate"},
	{"forged", 0, ALPN, "'CN=host' is refused: certificate signature failure"},
	{"self", 0, ALPN, "'CN=host' is refused: self-signed certificate"},
	{"expired", 0, ALPN, "'CN=host' is refused: certificate has expired"},
	{"other", 0, ALPN, "'CN=somebody' is not that of any [peer NAME]"},
	{"prefix", 0, ALPN, "'CN=host.example' is not that of any [peer NAME]"},
	{"star", 0, ALPN, "'CN=*' is not that of any [peer NAME]"},
	{"host", TLS1_2_VERSION, ALPN, "unsupported protocol"},
	{"host", TLS1_1_VERSION, ALPN, "unsupported protocol"},
	{"host", 0, NULL, "not as a dococored (ALPN dococore-peer)"},
	{"host", 0, "\x02h2", "no application protocol"},
};

static void make_certificates(void)
{
	pki_make(tls.dir, "ca2", &(struct pki_options){.subject = "other authority"});
	pki_make(tls.dir, "ca3", &(struct pki_options){.subject = "authority"});
	pki_make(tls.dir, "forged", &(struct pki_options){.ca = "ca3", .subject = "host"});
	pki_make(tls.dir, "foreign", &(struct pki_options){.ca = "ca2", .subject = "host"});
	pki_make(tls.dir, "self", &(struct pki_options){.subject = "host"});
	pki_make(tls.dir, "expired",
		 &(struct pki_options){.ca = "ca", .subject = "host", .is_expired = true});
	pki_make(tls.dir, "other", &(struct pki_options){.ca = "ca", .subject = "somebody"});
	pki_make(tls.dir, "prefix", &(struct pki_options){.ca = "ca", .subject = "host.example"});
	pki_make(tls.dir, "star", &(struct pki_options){.ca = "ca", .subject = "*", .dns = "*"});
}

/* All in turn, repeatedly: each reason is logged once, not each time. */
START_TEST(unauthorised_peers_are_shut_out)
{
	size_t len = 0;

	make_certificates();
	for (int round = 0; round < 3; round++) {
		for (size_t i = 0; i < ARRAY_LEN(disguises); i++) {
			for (int again = 0; again < 3; again++)
				expect_refused(&disguises[i]);
			await_fds();
		}
		if (round == 0)
			len = data_len();
	}
	/* A connection takes more than 10 KiB, and there were 72 since. */
	ck_assert_uint_le(data_len(), len + 256 * 1024);
	for (size_t i = 0; i < ARRAY_LEN(disguises); i++)
		ck_assert_uint_eq(tls_lab_count_log(&dpu, LAB_DPU, disguises[i].log), 1);
	/* Two have the same reason. */
	ck_assert_uint_eq(tls_lab_count_log(&dpu, LAB_DPU, "no link to"), ARRAY_LEN(disguises) - 1);
}
END_TEST

/* Each peer has another name in its certificate, and the same reason for the refusal. */
START_TEST(many_names)
{
	enum { N = 24 };
	struct disguise disguise = {NULL, 0, ALPN, "is refused: self-signed certificate"};
	char names[N][16];

	for (int i = 0; i < N; i++) {
		snprintf(names[i], sizeof(names[i]), "name%d", i);
		pki_make(tls.dir, names[i], &(struct pki_options){.subject = names[i]});
	}
	for (int i = 0; i < N; i++) {
		disguise.certificate = names[i];
		expect_refused(&disguise);
	}
	await_fds();
	ck_assert_uint_eq(tls_lab_count_log(&dpu, LAB_DPU, "no link to"), 1);
}
END_TEST

static FILE *admin(const char *command)
{
	const char *build = getenv("top_builddir");
	char text[512];
	FILE *out;

	snprintf(text, sizeof(text), "%s/doca-admin %s --dir %s --side dpu 2>&1",
		 build ? build : ".", command, dpu.dir);
	out = popen(text, "re");
	ck_assert_ptr_nonnull(out);
	return out;
}

/*
 * Unauthorised peers are not listed while connected either, because their end would not be
 * reported.
 */
START_TEST(unauthorised_peers_are_not_listed)
{
	uint64_t deadline_ns = clock_now_ns() + runner_timeout_ms(10000) * NS_PER_MS;
	int fd = dial();
	unsigned n = 0;
	char text[512];
	FILE *peers;

	while (lab_daemon_n_fds(&dpu, LAB_DPU) <= n_fds) {
		ck_assert_uint_lt(clock_now_ns(), deadline_ns);
		poll(NULL, 0, 10);
	}
	peers = admin("peers");
	for (; fgets(text, sizeof(text), peers); n++)
		ck_assert_msg(strstr(text, "a daemon") == NULL, "%s", text);
	ck_assert_int_eq(pclose(peers), 0);
	/* A header, and the expected peer. */
	ck_assert_uint_ge(n, 2);
	fd_close(&fd);
	await_fds();
}
END_TEST

/* An operator that watches peers gets no event of unauthenticated ones. */
START_TEST(unauthorised_peers_are_no_peers)
{
	FILE *monitor = admin("monitor");
	char text[512];

	/* The command reports that it is watching. */
	ck_assert_ptr_nonnull(fgets(text, sizeof(text), monitor));
	for (int i = 0; i < 3; i++)
		expect_refused(&disguises[0]);
	n_fds += 1; /* of the watching command */
	await_fds();
	n_fds -= 1;
	lab_stop_daemon(&dpu, LAB_DPU);
	while (fgets(text, sizeof(text), monitor))
		ck_assert_msg(strstr(text, " peer ") == NULL, "%s", text);
	pclose(monitor);
	lab_start_daemon(&dpu, LAB_DPU);
}
END_TEST

static void send_raw(const void *data, size_t len)
{
	int fd = dial();
	char byte;
	ssize_t n;

	ck_assert_int_eq(send(fd, data, len, MSG_NOSIGNAL), (ssize_t)len);
	errno = 0;
	while ((n = recv(fd, &byte, 1, 0)) > 0)
		continue;
	ck_assert_msg(n == 0 || errno == ECONNRESET, "the daemon did not end the connection: %s",
		      strerror(errno));
	fd_close(&fd);
}

START_TEST(garbage)
{
	static const uint8_t hello[] = {22, 3, 1, 0, 5, 1, 0, 0, 1, 0};
	uint8_t zeros[4096] = {0};

	for (int i = 0; i < 3; i++) {
		send_raw("GET / HTTP/1.1\r\nHost: dpu\r\n\r\n", 29);
		send_raw(zeros, sizeof(zeros));
		send_raw(hello, sizeof(hello));
		send_raw("\x16\x03\x01\xff\xff", 5);
	}
	tls_lab_await_log(&dpu, LAB_DPU, "http request");
	ck_assert_uint_eq(tls_lab_count_log(&dpu, LAB_DPU, "http request"), 1);
	ck_assert_uint_le(tls_lab_count_log(&dpu, LAB_DPU, "no link to"), 4);
}
END_TEST

/*
 * Silence, and one byte at intervals: ended in time, and few connections from one address at once.
 */
START_TEST(silent_connections_time_out)
{
	int fds[12];
	char byte;

	for (size_t i = 0; i < ARRAY_LEN(fds); i++) {
		fds[i] = dial();
		if (i % 2)
			ck_assert_int_ge(send(fds[i], "\x16", 1, MSG_NOSIGNAL), -1);
	}
	for (size_t i = 0; i < ARRAY_LEN(fds); i++) {
		ssize_t n = recv(fds[i], &byte, 1, 0);

		ck_assert(n == 0 || (n < 0 && errno != EAGAIN));
		fd_close(&fds[i]);
	}
	tls_lab_await_log(&dpu, LAB_DPU, "handshake was not done in time");
	tls_lab_await_log(&dpu, LAB_DPU, "more than 8 connections of this address");
	ck_assert_uint_eq(tls_lab_count_log(&dpu, LAB_DPU, "no link to"), 2);
}
END_TEST

/* --- an authenticated peer that misbehaves --- */

static const struct disguise as_host = {"host", 0, ALPN, NULL};

static void unauthorised_peer_send(struct unauthorised_peer *s, const Dococore__Packet *packet)
{
	uint8_t data[PACKET_STREAM_HEADER_LEN + 1024];
	size_t len = dococore__packet__pack(packet, data + PACKET_STREAM_HEADER_LEN);

	packet_stream_put_header(data, len);
	ck_assert_int_eq(SSL_write(s->ssl, data, (int)(PACKET_STREAM_HEADER_LEN + len)),
			 (int)(PACKET_STREAM_HEADER_LEN + len));
}

static void unauthorised_peer_hello(struct unauthorised_peer *s, uint32_t protocol, uint32_t min,
				    const char *side)
{
	Dococore__PeerHello hello = DOCOCORE__PEER_HELLO__INIT;
	Dococore__Packet packet = DOCOCORE__PACKET__INIT;
	uint8_t id[16] = {42};

	hello.protocol = protocol;
	hello.protocol_min = min;
	hello.side = (char *)side;
	hello.daemon_id = (ProtobufCBinaryData){sizeof(id), id};
	packet.body_case = DOCOCORE__PACKET__BODY_PEER_HELLO;
	packet.peer_hello = &hello;
	unauthorised_peer_send(s, &packet);
}

enum violation {
	TOO_LONG,
	EMPTY,
	NO_MESSAGE,
	NOT_HELLO,
	NEWER,
	SAME_SIDE,
	CLIENTS_MESSAGE,
	NEEDS_FDS,
	N_MISDEEDS,
};

static const char *const misdeed_logs[] = {
	[TOO_LONG] = "a packet's length is not 1 to 65536 bytes",
	[EMPTY] = "a packet's length is not 1 to 65536 bytes",
	[NO_MESSAGE] = "packet is not a valid message",
	[NOT_HELLO] = "PeerPing out of order",
	[NEWER] = "it speaks protocol 3",
	[SAME_SIDE] = "it is of side 'dpu'",
	[CLIENTS_MESSAGE] = "Ok is not for peers",
	[NEEDS_FDS] = "packet carries a wrong number of descriptors",
};

static void break_rule(struct unauthorised_peer *s, enum violation violation)
{
	Dococore__PeerChannelReady ready = DOCOCORE__PEER_CHANNEL_READY__INIT;
	Dococore__PeerPing ping = DOCOCORE__PEER_PING__INIT;
	Dococore__Ok ok = DOCOCORE__OK__INIT;
	Dococore__Packet packet = DOCOCORE__PACKET__INIT;

	switch (violation) {
	case TOO_LONG:
		ck_assert_int_eq(SSL_write(s->ssl, "\0\1\0\1", 4), 4);
		break;
	case EMPTY:
		ck_assert_int_eq(SSL_write(s->ssl, "\0\0\0\0", 4), 4);
		break;
	case NO_MESSAGE:
		ck_assert_int_eq(SSL_write(s->ssl, "\0\0\0\2\xff\xff", 6), 6);
		break;
	case NOT_HELLO:
		packet.body_case = DOCOCORE__PACKET__BODY_PEER_PING;
		packet.peer_ping = &ping;
		unauthorised_peer_send(s, &packet);
		break;
	case NEWER:
		unauthorised_peer_hello(s, 3, 2, "host");
		break;
	case SAME_SIDE:
		unauthorised_peer_hello(s, 1, 0, "dpu");
		break;
	case CLIENTS_MESSAGE:
		unauthorised_peer_hello(s, 3, 1, "host");
		packet.body_case = DOCOCORE__PACKET__BODY_OK;
		packet.ok = &ok;
		unauthorised_peer_send(s, &packet);
		break;
	case NEEDS_FDS:
		unauthorised_peer_hello(s, 1, 1, "host");
		packet.body_case = DOCOCORE__PACKET__BODY_PEER_CHANNEL_READY;
		packet.peer_channel_ready = &ready;
		unauthorised_peer_send(s, &packet);
		break;
	default:
		break;
	}
}

START_TEST(peers_that_misbehave)
{
	for (int i = 0; i < 3; i++) {
		struct unauthorised_peer s;

		unauthorised_peer_begin(&s, &as_host);
		ck_assert_int_eq(SSL_connect(s.ssl), 1);
		break_rule(&s, (enum violation)_i);
		unauthorised_peer_await_end(&s);
		unauthorised_peer_end(&s);
	}
	tls_lab_await_log(&dpu, LAB_DPU, misdeed_logs[_i]);
	/* If it was linked before, each is a lost link. */
	if (_i != CLIENTS_MESSAGE && _i != NEEDS_FDS)
		ck_assert_uint_eq(tls_lab_count_log(&dpu, LAB_DPU, misdeed_logs[_i]), 1);
}
END_TEST

/* All silent peers connect at once, because each one is kept for the handshake timeout. */
START_TEST(peers_that_say_nothing)
{
	struct unauthorised_peer peers[3];

	for (size_t i = 0; i < ARRAY_LEN(peers); i++) {
		unauthorised_peer_begin(&peers[i], &as_host);
		ck_assert_int_eq(SSL_connect(peers[i].ssl), 1);
	}
	for (size_t i = 0; i < ARRAY_LEN(peers); i++) {
		unauthorised_peer_await_end(&peers[i]);
		unauthorised_peer_end(&peers[i]);
	}
	tls_lab_await_log(&dpu, LAB_DPU, "it did not say hello");
	ck_assert_uint_eq(tls_lab_count_log(&dpu, LAB_DPU, "it did not say hello"), 1);
}
END_TEST

/*
 * A peer that sends requests without end and reads no answers: the data queued for it is bounded,
 * and then it is disconnected.
 */
START_TEST(greedy_peer)
{
	Dococore__PeerPing ping = DOCOCORE__PEER_PING__INIT;
	Dococore__Packet packet = DOCOCORE__PACKET__INIT;
	uint8_t data[16000];
	struct unauthorised_peer s;
	size_t len = 0;

	packet.body_case = DOCOCORE__PACKET__BODY_PEER_PING;
	packet.peer_ping = &ping;
	/* Ten bytes of number each, the maximum. */
	ping.number = UINT64_MAX;
	while (len + 64 < sizeof(data)) {
		size_t n = dococore__packet__pack(&packet, data + len + PACKET_STREAM_HEADER_LEN);

		packet_stream_put_header(data + len, n);
		len += PACKET_STREAM_HEADER_LEN + n;
	}
	unauthorised_peer_begin(&s, &as_host);
	ck_assert_int_eq(SSL_connect(s.ssl), 1);
	unauthorised_peer_hello(&s, 1, 1, "host");
	while (SSL_write(s.ssl, data, (int)len) == (int)len)
		continue;
	unauthorised_peer_end(&s);
	tls_lab_await_log(&dpu, LAB_DPU, "it does not take what it is sent");
}
END_TEST

/* --- the other direction --- */

static void expect_no_link(const char *at_host, const char *at_dpu)
{
	tls_lab_start(&tls, &host, true, false);
	tls_lab_await_log(&host, LAB_HOST, at_host);
	if (at_dpu)
		tls_lab_await_log(&dpu, LAB_DPU, at_dpu);
	/* The host's daemon keeps trying, without further log lines. */
	for (int i = 0; i < 100; i++)
		poll(NULL, 0, 10);
	ck_assert_uint_eq(tls_lab_count_log(&host, LAB_HOST, at_host), 1);
	lab_await(&host, LAB_HOST, LAB_PEERS, 0, 1000);
	lab_stop(&host);
	tls_lab_configure_host(&tls, "host", "dpu", "");
}

START_TEST(the_listener_is_another)
{
	tls_lab_configure_host(&tls, "host", "other-dpu", "");
	expect_no_link("is not that of [peer dpu]", "it refuses this daemon");
}
END_TEST

START_TEST(own_certificate_expired)
{
	make_certificates();
	tls_lab_configure_host(&tls, "expired", "dpu", "");
	expect_no_link("it refuses this daemon", "certificate has expired");
}
END_TEST

START_TEST(no_listener)
{
	lab_stop(&dpu);
	tls_lab_start(&tls, &host, true, false);
	tls_lab_await_log(&host, LAB_HOST, "does not answer: Connection refused");
	tls_lab_start(&tls, &dpu, false, true);
	lab_await(&host, LAB_HOST, LAB_PEERS, 1, 20000);
	ck_assert_uint_eq(tls_lab_count_log(&host, LAB_HOST, "waiting for dpu"), 1);
	lab_stop(&host);
	lab_await(&dpu, LAB_DPU, LAB_PEERS, 0, 2000);
	n_fds = lab_daemon_n_fds(&dpu, LAB_DPU);
}
END_TEST

/* --- silence of a linked peer --- */

static void dpu_import_main(int sock, void *arg)
{
	struct exported *exported = arg;
	struct doca_dev *dev = use_dev(USE_DPU_P0);
	struct doca_mmap *remote;

	lab_signal(sock);
	/* The importer's daemon no longer gets an answer. */
	EXPECT(DOCA_ERROR_NOT_CONNECTED,
	       doca_mmap_create_from_export(NULL, exported->desc, exported->desc_len, dev,
					    &remote));
	OK(doca_dev_close(dev));
}

/* Like a machine that was switched off: waiting requests get an error, and the link comes back. */
START_TEST(frozen_peer)
{
	struct exporter_options options = {
		.memory = MEMORY_MMAP, .len = 4096, .permissions = DOCA_ACCESS_FLAG_PCI_READ_WRITE};
	struct exporter exporter;
	struct lab_child client;

	tls_lab_start(&tls, &host, true, false);
	lab_await(&dpu, LAB_DPU, LAB_PEERS, 1, 10000);
	exporter_start(&exporter, &host, &options);
	lab_freeze(host.daemons[LAB_HOST].pid);
	client = lab_fork(&dpu, LAB_DPU, dpu_import_main, &exporter.exported);
	lab_wait(client.sock);
	tls_lab_set_timeout(&tls, &dpu, LAB_DPU, 200);
	lab_join(&client);
	lab_await(&dpu, LAB_DPU, LAB_PEERS, 0, 5000);
	ck_assert(lab_log_has(&dpu, LAB_DPU, "nothing was received from it for 200 ms"));
	tls_lab_set_timeout(&tls, &dpu, LAB_DPU, 60000);
	lab_thaw(host.daemons[LAB_HOST].pid);
	lab_await(&dpu, LAB_DPU, LAB_PEERS, 1, 20000);
	exporter_end(&exporter);
	lab_stop(&host);
	lab_await(&dpu, LAB_DPU, LAB_PEERS, 0, 2000);
}
END_TEST

static void add_cases(Suite *suite)
{
	TCase *tcase = runner_case(suite, "unauthorised peers");

	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_test(tcase, unauthorised_peers_are_shut_out);
	tcase_add_test(tcase, many_names);
	tcase_add_test(tcase, unauthorised_peers_are_no_peers);
	tcase_add_test(tcase, unauthorised_peers_are_not_listed);
	tcase_add_test(tcase, garbage);
	tcase_add_loop_test(tcase, peers_that_misbehave, 0, N_MISDEEDS);
	tcase_add_test(tcase, greedy_peer);
	tcase_add_test(tcase, the_listener_is_another);
	tcase_add_test(tcase, own_certificate_expired);
	tcase_add_test(tcase, no_listener);

	tcase = runner_case(suite, "silence");
	tcase_add_checked_fixture(tcase, setup_short_handshake, teardown);
	tcase_add_test(tcase, silent_connections_time_out);
	tcase_add_test(tcase, peers_that_say_nothing);

	tcase = runner_case(suite, "frozen");
	tcase_add_checked_fixture(tcase, setup_short_timeout, teardown);
	tcase_add_test(tcase, frozen_peer);
}

int main(void)
{
	lab_require();
	return runner_main("tls-fault", add_cases, NULL);
}
