/*
 * A peer that is no daemon: it has a certificate of the lab, links to the DPU's daemon over TLS and
 * says what a test wants it to say. Every wait has a deadline. Threads: none.
 */
#ifndef TESTS_LIB_UNAUTHORISED_PEER_H
#define TESTS_LIB_UNAUTHORISED_PEER_H

#include <openssl/ssl.h>

#include "proto/stream.h"
#include "tests/lib/tls_lab.h"

struct stranger {
	int fd;
	SSL_CTX *ctx;
	SSL *ssl;
	struct stream_in in;
	uint8_t data[4096]; /* received, not yet looked at */
	size_t n, at;
};

/* A TCP connection to the lab's DPU, nothing said. */
int stranger_dial(const struct tls_lab *tls);
/* Up to the end of the handshake, with the certificate NAME.pem of the lab. */
void stranger_connect(struct stranger *s, const struct tls_lab *tls, const char *certificate);
/* The other way round: a port that the DPU's daemon is to link to, and the handshake after it has
 * connected. */
int stranger_listen(const struct tls_lab *tls, uint16_t port);
void stranger_accept(struct stranger *s, int listener, const struct tls_lab *tls,
		     const char *certificate);
void stranger_say(struct stranger *s, const Dococore__Packet *packet);
/* PeerHello of a host whose daemon_id is sixteen times id. */
void stranger_hello(struct stranger *s, uint8_t id);
/* PeerFunctions with one function. */
void stranger_has_function(struct stranger *s, const char *pci_addr);
/* PeerChannelData and -Credit, of a channel or of a call. */
void stranger_sends(struct stranger *s, bool is_call, uint64_t id, const void *data, size_t len);
void stranger_credits(struct stranger *s, bool is_call, uint64_t id, uint64_t n_msgs);
/* The next packet, dococore__packet__free_unpacked() is the caller's; NULL: the daemon ended it. */
Dococore__Packet *stranger_read(struct stranger *s);
/* Reads what the daemon sent before it saw this; true if one of this sort was among it. */
bool stranger_was_told(struct stranger *s, Dococore__Packet__BodyCase what);
/* Awaits one of this sort. */
Dococore__Packet *stranger_await(struct stranger *s, Dococore__Packet__BodyCase what);
void stranger_await_end(struct stranger *s);
void stranger_close(struct stranger *s);

#endif
