/*
 * A peer that is not a daemon: it has a certificate of the lab, links to the DPU's daemon over TLS,
 * and sends the packets that a test chooses. Every wait has a deadline. Creates no threads.
 */
#ifndef TESTS_LIB_UNAUTHORISED_PEER_H
#define TESTS_LIB_UNAUTHORISED_PEER_H

#include <openssl/ssl.h>

#include "proto/packet_stream.h"
#include "tests/lib/tls_lab.h"

struct unauthorised_peer {
	int fd;
	SSL_CTX *ctx;
	SSL *ssl;
	struct packet_stream in;
	uint8_t data[4096]; /* received bytes that are not parsed yet */
	size_t n, at;
};

/* Opens a TCP connection to the lab's DPU and sends nothing. */
int unauthorised_peer_dial(const struct tls_lab *tls);
/* Connects and performs the handshake with the lab's certificate NAME.pem. */
void unauthorised_peer_connect(struct unauthorised_peer *s, const struct tls_lab *tls,
			       const char *certificate);
/*
 * For the reverse direction: listens on a port to which the DPU's daemon links, and performs the
 * handshake after the daemon has connected.
 */
int unauthorised_peer_listen(const struct tls_lab *tls, uint16_t port);
void unauthorised_peer_accept(struct unauthorised_peer *s, int listener, const struct tls_lab *tls,
			      const char *certificate);
void unauthorised_peer_send(struct unauthorised_peer *s, const Dococore__Packet *packet);
/* Sends PeerHello as a host whose daemon_id has the byte `id` 16 times. */
void unauthorised_peer_hello(struct unauthorised_peer *s, uint8_t id);
/* Sends PeerFunctions with one function. */
void unauthorised_peer_has_function(struct unauthorised_peer *s, const char *pci_addr);
/* Send PeerChannelData and PeerChannelCredit for a channel or a call. */
void unauthorised_peer_sends(struct unauthorised_peer *s, bool is_call, uint64_t id,
			     const void *data, size_t len);
void unauthorised_peer_credits(struct unauthorised_peer *s, bool is_call, uint64_t id,
			       uint64_t n_msgs);
/*
 * Returns the next packet, which the caller frees with dococore__packet__free_unpacked(), or NULL
 * if the daemon ended the connection.
 */
Dococore__Packet *unauthorised_peer_read(struct unauthorised_peer *s);
/*
 * Reads the packets that the daemon sent before it received this call's ping. Returns true if one
 * of this kind was among them.
 */
bool unauthorised_peer_was_notified(struct unauthorised_peer *s, Dococore__Packet__BodyCase what);
/* Waits for a packet of this kind. */
Dococore__Packet *unauthorised_peer_await(struct unauthorised_peer *s,
					  Dococore__Packet__BodyCase what);
void unauthorised_peer_await_end(struct unauthorised_peer *s);
void unauthorised_peer_close(struct unauthorised_peer *s);

#endif
