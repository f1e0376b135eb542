/*
 * This daemon's TLS context for other machines: its certificate and key, its trust anchors, and the
 * verification of the other end's certificate. TLS 1.3 only, certificates on both ends, no tickets,
 * no resumption. It is loaded as a whole and never changed: a reload creates another one.
 * Single-threaded.
 */
#ifndef DAEMON_PEER_TLS_H
#define DAEMON_PEER_TLS_H

#include <openssl/ssl.h>
#include <stdbool.h>
#include <stddef.h>

#include "daemon/config/config.h"

struct tls;

/* Verification state of one connection; must live until tls_end(). */
struct tls_check {
	/* The configuration at the time when the certificate arrives. */
	const struct config *const *config;
	char only[64]; /* the only [peer] that is allowed; "": any of them */
	/* The [peer] section and the subject of the accepted certificate. */
	char name[64];
	char subject[256];
	char refusal[240]; /* why a certificate was refused; else "" */
	/*
	 * The rule for which the connection ended, if the full sentence contains unverified text
	 * from the other end; otherwise "".
	 */
	char rule[96];
};

/* Reads the files. Returns 0, or -EINVAL or -ENOMEM and a sentence in *error. */
int tls_new(const struct config_tls *config, struct tls **tls_out, struct ini_error *error);
/* Frees the context; existing connections continue. Accepts NULL. Returns NULL. */
struct tls *tls_free(struct tls *tls);
/* Creates the SSL object of one connection. Returns NULL if memory is short. */
SSL *tls_begin(struct tls *tls, bool accepts, struct tls_check *check);
/*
 * Detaches the verification state from the SSL object, which then accepts no certificate any more.
 */
void tls_end(SSL *ssl);
/*
 * Verifies the certificate of an established connection again, with this context and the current
 * configuration. Returns the reason for a refusal, or NULL.
 */
const char *tls_recheck(const struct tls *tls, SSL *ssl, struct tls_check *check);
/* Returns the reason why a finished handshake does not satisfy this daemon's rules, or NULL. */
const char *tls_find_error(const SSL *ssl);
/*
 * Writes a clause that says why a connection ended. error: OpenSSL's error or 0; error_number:
 * errno or 0.
 */
void tls_explain(struct tls_check *check, unsigned long error, int error_number, char *text,
		 size_t text_len);

#endif
