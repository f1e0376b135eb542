/*
 * Certificate authorities and certificates for tests, made on the spot: each is NAME.pem with its
 * key NAME.key (mode 0600) in a directory. Every function fails the running test when a step does
 * not succeed. Threads: none.
 */
#ifndef TESTS_LIB_PKI_H
#define TESTS_LIB_PKI_H

#include <stdbool.h>

struct pki_options {
	const char *ca;      /* who signs it; NULL: it is an authority and signs itself */
	const char *subject; /* common name */
	const char *dns;     /* alternative name, or NULL */
	bool is_expired;
};

void pki_make(const char *dir, const char *name, const struct pki_options *options);
/* Adds to the authority's file a list of revoked certificates, with this one. */
void pki_revoke(const char *dir, const char *ca, const char *name);
/* "sha256:" and the digest, static storage. */
const char *pki_fingerprint(const char *dir, const char *name);

#endif
