/*
 * Certificate authorities and certificates for tests, generated at run time: each is NAME.pem with
 * its key NAME.key (mode 0600) in a directory. Every function fails the running test if a step
 * fails. Creates no threads.
 */
#ifndef TESTS_LIB_PKI_H
#define TESTS_LIB_PKI_H

#include <stdbool.h>

struct pki_options {
	const char *ca;      /* the authority that signs it; NULL: a self-signed authority */
	const char *subject; /* common name */
	const char *dns;     /* alternative name, or NULL */
	bool is_expired;
};

void pki_make(const char *dir, const char *name, const struct pki_options *options);
/* Adds a revocation list with this certificate to the authority's file. */
void pki_revoke(const char *dir, const char *ca, const char *name);
/* Returns "sha256:" and the digest, in static storage. */
const char *pki_fingerprint(const char *dir, const char *name);

#endif
