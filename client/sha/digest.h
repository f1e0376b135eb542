/*
 * A digest that is being made: its whole state, as a plain value that lives in a task or on the
 * stack and needs no end.
 *
 * These are libcrypto's functions below EVP. They use the processor's instructions as EVP does,
 * through which libcrypto 3.0 takes memory from the heap for every message, however well its
 * context was prepared. A configured provider (FIPS) is not asked. Threads: any, one per digest.
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

/* The same algorithm from begin to end. False only if libcrypto refuses. */
bool sha_digest_begin(union sha_digest *digest, enum doca_sha_algorithm algorithm);
bool sha_digest_add(union sha_digest *digest, enum doca_sha_algorithm algorithm, const void *bytes,
		    size_t n);
/* Writes digest_len bytes. */
bool sha_digest_end(union sha_digest *digest, enum doca_sha_algorithm algorithm, uint8_t *out);

#endif
