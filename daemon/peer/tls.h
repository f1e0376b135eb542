/*
 * This daemon's side of TLS to other machines: its certificate and key, whom it trusts, and the
 * judgement about the certificate that the other end shows. TLS 1.3 and nothing else, certificates
 * from both ends, no tickets, no resumption. Loaded as a whole and never changed: a reload makes
 * another one. Single-threaded.
 */
#ifndef DAEMON_PEER_TLS_H
#define DAEMON_PEER_TLS_H

#include <openssl/ssl.h>
#include <stdbool.h>
#include <stddef.h>

#include "daemon/config/config.h"

struct tls;

/* The judgement about one connection; lives until tls_end(). */
struct tls_check {
	const struct config *const *config; /* as it is when the certificate comes */
	char only[64];                      /* the one [peer] that it may be; "": any of them */
	/* Of the certificate that was accepted: which [peer] it is, and its subject. */
	char name[64];
	char subject[256];
	char refusal[240]; /* why one was not; "" else */
	/* What the connection ended for, as far as its sentence has more than that, which nobody
	 * vouches for; "" else. */
	char rule[96];
};

/* Reads the files. 0, or -EINVAL, -ENOMEM and a sentence in *error. */
int tls_new(const struct config_tls *config, struct tls **tls_out, struct ini_error *error);
/* What was begun with it goes on. NULL is fine. Returns NULL. */
struct tls *tls_free(struct tls *tls);
/* For one connection. NULL when there is no memory. */
SSL *tls_begin(struct tls *tls, bool accepts, struct tls_check *check);
/* The SSL goes on without anybody to judge: it accepts nobody any more. */
void tls_end(SSL *ssl);
/* Judges the certificate of an established connection anew, with other files and the configuration
 * of now. Why it is refused, or NULL. */
const char *tls_judge(const struct tls *tls, SSL *ssl, struct tls_check *check);
/* Why a finished handshake is none of ours, or NULL. */
const char *tls_wrong(const SSL *ssl);
/* Why a connection ended, as a clause: OpenSSL's error or 0, and errno or 0. */
void tls_explain(struct tls_check *check, unsigned long error, int error_number, char *text,
		 size_t text_len);

#endif
