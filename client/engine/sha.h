/*
 * SHA engine: what its files share. sha.c has the object and its start, sha_task.c the tasks as the
 * application sees them, sha_run.c what they do, sha_caps.c the capabilities.
 *
 * Digests are made by libcrypto, in contexts that are prepared at start: a hash task uses the one
 * of its algorithm for as long as it runs, a partial hash has its own ones, which keep the message
 * so far. Starting a prepared context again takes nothing from the heap and looks nothing up.
 * Threads: those of the progress engine.
 */
#ifndef CLIENT_ENGINE_SHA_H
#define CLIENT_ENGINE_SHA_H

#include <openssl/evp.h>

#include <doca_sha.h>

#include "client/core/buf.h"
#include "client/core/ctx.h"

#define SHA_N_ALGORITHMS   3u
#define SHA_MAX_DIGEST_LEN 64u

struct sha_algorithm {
	const char *name; /* libcrypto's */
	uint32_t digest_len;
	uint32_t block_len;
};
extern const struct sha_algorithm sha_algorithms[SHA_N_ALGORITHMS];

struct sha_task {
	struct doca_task task;
	const struct doca_buf *src;
	struct doca_buf *dst;
	uint8_t algorithm; /* below SHA_N_ALGORITHMS */
	/* Of a partial hash: */
	bool is_final;
	bool has_result;
	bool is_begun; /* its digest context has the message so far */
};

struct sha_partial_task {
	struct sha_task base;
	EVP_MD_CTX *digests[SHA_N_ALGORITHMS]; /* NULL for what the device does not have */
};

struct sha_scratch;

struct doca_sha {
	struct doca_ctx ctx;
	struct task_pool hash_pool, partial_pool;
	uint64_t max_src_size;
	uint32_t max_list_len;
	EVP_MD *mds[SHA_N_ALGORITHMS];
	EVP_MD_CTX *digests[SHA_N_ALGORITHMS]; /* of hash tasks */
	struct sha_scratch *scratch;           /* for memory that is not mapped here */
};

static inline struct doca_sha *sha_of(const struct doca_ctx *ctx)
{
	return container_of(ctx, struct doca_sha, ctx);
}

/* The device has the algorithm in this bitmap of its capabilities. */
static inline bool sha_has(uint32_t bitmap, enum doca_sha_algorithm algorithm)
{
	return (unsigned)algorithm < SHA_N_ALGORITHMS && (bitmap >> (unsigned)algorithm & 1) != 0;
}

/* Hooks of the two pools, in sha_run.c. */
doca_error_t sha_hash_execute(struct doca_task *task);
doca_error_t sha_hash_validate(const struct doca_task *task);
doca_error_t sha_partial_execute(struct doca_task *task);
doca_error_t sha_partial_validate(const struct doca_task *task);

/* NULL when there is no memory. */
struct sha_scratch *sha_scratch_new(void);
void sha_scratch_delete(struct sha_scratch *scratch);

/* Digest contexts of all partial tasks, in sha.c. Before the pool goes. */
void sha_partial_digests_delete(struct doca_sha *sha);

#endif
