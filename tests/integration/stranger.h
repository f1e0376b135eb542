/*
 * A peer that is not a daemon: it has a certificate of the lab, links to the DPU's daemon over TLS,
 * and sends what a test wants. Every wait has a deadline. Creates no threads.
 */
#ifndef TESTS_INTEGRATION_STRANGER_H
#define TESTS_INTEGRATION_STRANGER_H

#include <openssl/ssl.h>

#include "proto/stream.h"
#include "tests/integration/tls_lab.h"

struct stranger {
	int fd;
	SSL_CTX *ctx;
	SSL *ssl;
	struct stream_in in;
	uint8_t data[4096]; /* received bytes that were not parsed yet */
	size_t n, at;
};

/* Opens a TCP connection to the lab's DPU and sends nothing. */
int stranger_dial(const struct tls_lab *tls);
/* Connects up to the end of the handshake, with the lab's certificate NAME.pem. */
void stranger_connect(struct stranger *s, const struct tls_lab *tls, const char *certificate);
/* The reverse: a port to which the DPU's daemon connects, and the handshake after that. */
int stranger_listen(const struct tls_lab *tls, uint16_t port);
void stranger_accept(struct stranger *s, int listener, const struct tls_lab *tls,
		     const char *certificate);
void stranger_say(struct stranger *s, const Dococore__Packet *packet);
/* Sends PeerHello of a host whose daemon_id consists of sixteen bytes id. */
void stranger_hello(struct stranger *s, uint8_t id);
/* Sends PeerFunctions with one function. */
void stranger_has_function(struct stranger *s, const char *pci_addr);
/* Send PeerChannelData and PeerChannelCredit, of a channel or of a call. */
void stranger_sends(struct stranger *s, bool is_call, uint64_t id, const void *data, size_t len);
void stranger_credits(struct stranger *s, bool is_call, uint64_t id, uint64_t n_msgs);
/*
 * Returns the next packet, which the caller frees with dococore__packet__free_unpacked(). NULL: the
 * daemon has ended the connection.
 */
Dococore__Packet *stranger_read(struct stranger *s);
/*
 * Reads the daemon's packets up to the answer of a probe. Returns true if one of this kind was
 * among them.
 */
bool stranger_was_told(struct stranger *s, Dococore__Packet__BodyCase what);
/* Waits for a packet of this kind. */
Dococore__Packet *stranger_await(struct stranger *s, Dococore__Packet__BodyCase what);
void stranger_await_end(struct stranger *s);
void stranger_close(struct stranger *s);

#endif
