/*
 * SHA engine: declarations that its files share. sha.c has the object and its start,
 * client/sha/task.c the public functions of tasks, client/sha/run.c their execution,
 * client/sha/caps.c the capabilities.
 *
 * A hash task computes its digest completely while it runs, unless it is held
 * (client/staging/staging.h). A partial hash has the state of the message in its task. Nothing is
 * allocated per task. Threads: those of the progress engine; a long task may run on the thread of
 * its context.
 */
#ifndef CLIENT_SHA_SHA_H
#define CLIENT_SHA_SHA_H

#include <doca_sha.h>

#include "client/memory/buf.h"
#include "client/sha/digest.h"
#include "client/staging/staging.h"

struct sha_task {
	struct doca_task task;
	const struct doca_buf *src;
	struct doca_buf *dst;
	uint8_t algorithm; /* below SHA_N_ALGORITHMS */
	/* For a partial hash: */
	bool is_final;
	bool has_result;
	bool is_begun; /* the digest contains the segments so far */
};
STAGED_TASK_ASSERT(sha_task);

struct sha_partial_task {
	struct sha_task base;
	union sha_digest digest;
};
_Static_assert(sizeof(struct sha_partial_task) <= STAGING_TASK_MAX, "it can be held");

struct sha_scratch;

struct doca_sha {
	union {
		struct doca_ctx ctx;
		struct staged_ctx staged;
	};
	struct task_pool hash_pool, partial_pool;
	uint64_t max_src_size;
	uint32_t max_list_len;
	/* Bitmaps of the device's capabilities; 0 for an object without a device, which has no
	 * tasks. */
	uint32_t algorithms, partial_algorithms;
	/* No task can be held: its work queue has the state of the messages. */
	bool is_for_jobs;
	/* For memory that is not mapped in this process; allocated at start. */
	struct sha_scratch *scratch;
};

static inline struct doca_sha *sha_of(const struct doca_ctx *ctx)
{
	return container_of(ctx, struct doca_sha, ctx);
}

/* Returns whether the algorithm is in a capability bitmap. */
static inline bool sha_has(uint32_t bitmap, enum doca_sha_algorithm algorithm)
{
	return (unsigned)algorithm < SHA_N_ALGORITHMS && (bitmap >> (unsigned)algorithm & 1) != 0;
}

/* Creates an object without tasks. Returns NULL if there is no memory. dev is NULL for a legacy
 * context, whose work-queue contexts have objects of their own. */
struct doca_sha *sha_new(struct doca_dev *dev);
/* Returns IN_USE with an error sentence unless the context is idle. */
doca_error_t sha_delete(struct doca_sha *sha);

/* Capability queries; for the first, the result code is the answer. `algorithm` may be invalid. */
doca_error_t sha_cap_has(const struct doca_devinfo *devinfo, bool is_partial,
			 enum doca_sha_algorithm algorithm);
doca_error_t sha_cap_max_list_len(const struct doca_devinfo *devinfo, uint32_t *len_out);
doca_error_t sha_cap_max_src_len(const struct doca_devinfo *devinfo, uint64_t *len_out);
doca_error_t sha_cap_min_dst_len(const struct doca_devinfo *devinfo,
				 enum doca_sha_algorithm algorithm, uint32_t *len_out);
/* Marks the next segment as the last. */
doca_error_t sha_partial_set_final(struct sha_task *task);

/* The operations of held tasks and of the two pools, in client/sha/run.c. */
extern const struct staging_ops sha_staging_ops;
doca_error_t sha_hash_execute(struct doca_task *task);
doca_error_t sha_hash_validate(const struct doca_task *task);
doca_error_t sha_partial_execute(struct doca_task *task);
doca_error_t sha_partial_validate(const struct doca_task *task);

/* Returns NULL if there is no memory. */
struct sha_scratch *sha_scratch_new(void);
void sha_scratch_delete(struct sha_scratch *scratch);

#endif
