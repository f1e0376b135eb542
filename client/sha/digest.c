/* Digests; see client/sha/digest.h. */
#define OPENSSL_SUPPRESS_DEPRECATED
#include "client/sha/digest.h"

const struct sha_algorithm sha_algorithms[SHA_N_ALGORITHMS] = {
	[DOCA_SHA_ALGORITHM_SHA1] = {"SHA-1", SHA_DIGEST_LENGTH, SHA_CBLOCK},
	[DOCA_SHA_ALGORITHM_SHA256] = {"SHA-256", SHA256_DIGEST_LENGTH, SHA256_CBLOCK},
	[DOCA_SHA_ALGORITHM_SHA512] = {"SHA-512", SHA512_DIGEST_LENGTH, SHA512_CBLOCK},
};
_Static_assert(SHA512_DIGEST_LENGTH == SHA_MAX_DIGEST_LEN, "the longest digest");

bool sha_digest_begin(union sha_digest *digest, enum doca_sha_algorithm algorithm)
{
	switch (algorithm) {
	case DOCA_SHA_ALGORITHM_SHA1:
		return SHA1_Init(&digest->sha1) == 1;
	case DOCA_SHA_ALGORITHM_SHA256:
		return SHA256_Init(&digest->sha256) == 1;
	case DOCA_SHA_ALGORITHM_SHA512:
		return SHA512_Init(&digest->sha512) == 1;
	}
	return false;
}

bool sha_digest_add(union sha_digest *digest, enum doca_sha_algorithm algorithm, const void *bytes,
		    size_t n)
{
	switch (algorithm) {
	case DOCA_SHA_ALGORITHM_SHA1:
		return SHA1_Update(&digest->sha1, bytes, n) == 1;
	case DOCA_SHA_ALGORITHM_SHA256:
		return SHA256_Update(&digest->sha256, bytes, n) == 1;
	case DOCA_SHA_ALGORITHM_SHA512:
		return SHA512_Update(&digest->sha512, bytes, n) == 1;
	}
	return false;
}

bool sha_digest_end(union sha_digest *digest, enum doca_sha_algorithm algorithm, uint8_t *out)
{
	switch (algorithm) {
	case DOCA_SHA_ALGORITHM_SHA1:
		return SHA1_Final(out, &digest->sha1) == 1;
	case DOCA_SHA_ALGORITHM_SHA256:
		return SHA256_Final(out, &digest->sha256) == 1;
	case DOCA_SHA_ALGORITHM_SHA512:
		return SHA512_Final(out, &digest->sha512) == 1;
	}
	return false;
}
