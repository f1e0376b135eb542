/*
 * SHA engine: what its files share. sha.c has the object and its start, client/sha/task.c the tasks
 * as the application sees them, client/sha/run.c what they do, client/sha/caps.c the capabilities.
 *
 * A hash task makes its digest from begin to end while it runs; a partial hash carries the message
 * so far in its task. Nothing is made per task, so nothing is taken from the heap.
 * Threads: those of the progress engine.
 */
#ifndef CLIENT_SHA_SHA_H
#define CLIENT_SHA_SHA_H

#include <doca_sha.h>

#include "client/memory/buf.h"
#include "client/progress/ctx.h"
#include "client/sha/digest.h"

struct sha_task {
	struct doca_task task;
	const struct doca_buf *src;
	struct doca_buf *dst;
	uint8_t algorithm; /* below SHA_N_ALGORITHMS */
	/* Of a partial hash: */
	bool is_final;
	bool has_result;
	bool is_begun; /* the digest has the message so far */
};

struct sha_partial_task {
	struct sha_task base;
	union sha_digest digest;
};

struct sha_scratch;

struct doca_sha {
	struct doca_ctx ctx;
	struct task_pool hash_pool, partial_pool;
	uint64_t max_src_size;
	uint32_t max_list_len;
	/* Bitmaps of the device; none of an object without one, which has no tasks. */
	uint32_t algorithms, partial_algorithms;
	struct sha_scratch *scratch; /* for memory that is not mapped here, made at start */
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

/*
 * An object, without tasks; NULL without memory. dev is NULL for the front of work queues, whose
 * lanes have objects of their own.
 */
struct doca_sha *sha_new(struct doca_dev *dev);
/* IN_USE, with a sentence, unless the context is idle. */
doca_error_t sha_delete(struct doca_sha *sha);

/* Capabilities; the code is the answer to the first. `algorithm` may be none. */
doca_error_t sha_cap_has(const struct doca_devinfo *devinfo, bool is_partial,
			 enum doca_sha_algorithm algorithm);
doca_error_t sha_cap_max_list_len(const struct doca_devinfo *devinfo, uint32_t *len_out);
doca_error_t sha_cap_max_src_len(const struct doca_devinfo *devinfo, uint64_t *len_out);
doca_error_t sha_cap_min_dst_len(const struct doca_devinfo *devinfo,
				 enum doca_sha_algorithm algorithm, uint32_t *len_out);
/* The next segment is the last. */
doca_error_t sha_partial_set_final(struct sha_task *task);

/* Hooks of the two pools, in client/sha/run.c. */
doca_error_t sha_hash_execute(struct doca_task *task);
doca_error_t sha_hash_validate(const struct doca_task *task);
doca_error_t sha_partial_execute(struct doca_task *task);
doca_error_t sha_partial_validate(const struct doca_task *task);

/* NULL when there is no memory. */
struct sha_scratch *sha_scratch_new(void);
void sha_scratch_delete(struct sha_scratch *scratch);

#endif
