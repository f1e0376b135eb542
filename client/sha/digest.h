/*
 * A digest in progress: its whole state is a plain value in a task or on the stack, and needs no
 * cleanup.
 *
 * These are libcrypto's functions below EVP, which use the same processor instructions. Through
 * EVP, libcrypto 3.0 allocates memory for every message, even with a prepared context. A configured
 * provider (FIPS) is not used. Threads: any, one per digest.
 */
#ifndef CLIENT_SHA_DIGEST_H
#define CLIENT_SHA_DIGEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <openssl/sha.h>

#include <doca_sha.h>

#define SHA_N_ALGORITHMS   3u
#define SHA_MAX_DIGEST_LEN 64u

struct sha_algorithm {
	const char *name;
	uint32_t digest_len; /* bytes */
	uint32_t block_len;
};
extern const struct sha_algorithm sha_algorithms[SHA_N_ALGORITHMS];

union sha_digest {
	SHA_CTX sha1;
	SHA256_CTX sha256;
	SHA512_CTX sha512;
};

/* Operations on one digest, all with the same algorithm. They return false only if libcrypto
 * refuses. */
bool sha_digest_begin(union sha_digest *digest, enum doca_sha_algorithm algorithm);
bool sha_digest_add(union sha_digest *digest, enum doca_sha_algorithm algorithm, const void *bytes,
		    size_t n);
/* Writes digest_len bytes. */
bool sha_digest_end(union sha_digest *digest, enum doca_sha_algorithm algorithm, uint8_t *out);

#endif
