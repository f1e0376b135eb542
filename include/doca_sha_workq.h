/*
 * SHA, up to 2.2; included by doca_sha.h.
 *
 * Create an object, add a device to its context (doca_sha_as_ctx), start it, add a work queue, and
 * submit jobs. Each job completes with an event whose type is that of the job and whose result.u64
 * is a doca_error_t; a job that fails stops nothing.
 *
 * A job of the types SHA1, SHA256 and SHA512 digests the data sections of its source list as one
 * message and appends the digest to its destination, whose data length grows by 20, 32 or 64 bytes.
 * In programs written for 2.0 or 2.1 it replaces what data the destination had.
 *
 * A message that comes in segments has a session, and a job of a _PARTIAL type for each segment, in
 * their order; they may be submitted one behind the other. Each segment but the last is a multiple
 * of 64 bytes, 128 for SHA-512. The job of the last one has DOCA_SHA_JOB_FLAGS_SHA_PARTIAL_FINAL;
 * only then does the digest get into the destination, and the session is ready for another message.
 * It is so, too, after a job that failed.
 *
 * A message, and a last segment, may be empty here. A card may refuse that.
 *
 * Threads: sessions and jobs belong to the thread of their work queue.
 */
#ifndef DOCA_SHA_WORKQ_H_
#define DOCA_SHA_WORKQ_H_

#include <doca_ctx.h>
#include <doca_ctx_workq.h>
#include <doca_sha.h>

#if !DOCA_API_WORKQ && !defined(DOCA_API_LIBRARY)
#error "doca_sha_workq.h is there up to 2.2: set DOCA_USE_VERSION to that, or include doca_sha.h"
#endif

#ifdef __cplusplus
extern "C" {
#endif

struct doca_sha_partial_session; /* a message in segments */

/* Bytes of a digest. */
#define DOCA_SHA1_BYTE_COUNT   20
#define DOCA_SHA256_BYTE_COUNT 32
#define DOCA_SHA512_BYTE_COUNT 64

enum doca_sha_job_type {
	DOCA_SHA_JOB_SHA1 = DOCA_ACTION_SHA_FIRST + 1,
	DOCA_SHA_JOB_SHA256 = DOCA_ACTION_SHA_FIRST + 2,
	DOCA_SHA_JOB_SHA512 = DOCA_ACTION_SHA_FIRST + 3,
	DOCA_SHA_JOB_SHA1_PARTIAL = DOCA_ACTION_SHA_FIRST + 4,
	DOCA_SHA_JOB_SHA256_PARTIAL = DOCA_ACTION_SHA_FIRST + 5,
	DOCA_SHA_JOB_SHA512_PARTIAL = DOCA_ACTION_SHA_FIRST + 6,
};

enum doca_sha_job_flags {
	DOCA_SHA_JOB_FLAGS_NONE = 0,
	DOCA_SHA_JOB_FLAGS_SHA_PARTIAL_FINAL = 1, /* of a _PARTIAL job: the last segment */
};

/* One digest of one message. */
struct doca_sha_job {
	struct doca_job base;
	struct doca_buf *req_buf;  /* head of a list, or a single buffer, to digest */
	struct doca_buf *resp_buf; /* head of a list, or a single buffer, for the digest */
	uint64_t flags;            /* enum doca_sha_job_flags */
};

/* One segment of a message. */
struct doca_sha_partial_job {
	struct doca_sha_job sha_job;
	struct doca_sha_partial_session *session; /* of the context and work queue it runs on */
};

#if DOCA_API_WORKQ
/**
 * Makes a SHA object.
 * @param ctx receives the object; give it back with doca_sha_destroy
 * Threads: any.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: ctx is NULL.
 * - DOCA_ERROR_NO_MEMORY: no memory.
 * - DOCA_ERROR_NOT_SUPPORTED: not given here: doca_ctx_dev_add refuses a device without SHA.
 * Since 2.0, until 2.2. Source: DOCA SHA guide.
 */
DOCA_STABLE doca_error_t doca_sha_create(struct doca_sha **ctx) DOCA_BIND(doca_sha_create, 2_0);
#endif

/**
 * Does a device have jobs of a type? The return code is the answer.
 * @param devinfo description of the device; borrowed for the call
 * @param job_type of the job
 * Threads: any.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: devinfo is NULL, or there is no such type.
 * - DOCA_ERROR_NOT_SUPPORTED: no, it has not.
 * Since 2.0, until 2.2; then doca_sha_cap_task_hash_get_supported and
 * doca_sha_cap_task_partial_hash_get_supported. Source: DOCA SHA guide.
 */
DOCA_STABLE doca_error_t doca_sha_job_get_supported(const struct doca_devinfo *devinfo,
						    enum doca_sha_job_type job_type);

/**
 * Longest buffer list that a job takes, as source or as destination.
 * @param devinfo description of the device; borrowed for the call
 * @param max_list_num_elem receives the number of elements; 1 means no lists
 * Threads: any.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_NOT_SUPPORTED: the device has no SHA.
 * Since 2.0, until 2.2; then doca_sha_cap_get_max_list_buf_num_elem. Source: DOCA SHA guide.
 */
DOCA_STABLE doca_error_t doca_sha_get_max_list_buf_num_elem(const struct doca_devinfo *devinfo,
							    uint32_t *max_list_num_elem);

/**
 * Longest source of one job, all elements of a list together.
 * @param devinfo description of the device; borrowed for the call
 * @param max_buffer_size receives the bytes
 * Threads: any.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_NOT_SUPPORTED: the device has no SHA.
 * Since 2.0, until 2.2; then doca_sha_cap_get_max_src_buf_size. Source: DOCA SHA guide.
 */
DOCA_STABLE doca_error_t doca_sha_get_max_src_buffer_size(const struct doca_devinfo *devinfo,
							  uint64_t *max_buffer_size);

/**
 * Room that a destination must have: the length of the digest.
 * @param devinfo description of the device; borrowed for the call
 * @param job_type of the job
 * @param min_buffer_size receives the bytes: 20, 32 or 64
 * Threads: any.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL, or there is no such type.
 * - DOCA_ERROR_NOT_SUPPORTED: the device has no job of this type.
 * Since 2.0, until 2.2; then doca_sha_cap_get_min_dst_buf_size. Source: DOCA SHA guide.
 */
DOCA_STABLE doca_error_t doca_sha_get_min_dst_buffer_size(const struct doca_devinfo *devinfo,
							  enum doca_sha_job_type job_type,
							  uint32_t *min_buffer_size);

/**
 * Does a device compute digests in hardware? The return code is the answer.
 * @param devinfo description of the device; borrowed for the call
 * Threads: any.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: devinfo is NULL.
 * - DOCA_ERROR_NOT_SUPPORTED: always: the processor computes them here.
 * Since 2.0, until 2.2. Source: DOCA SHA guide.
 */
DOCA_STABLE doca_error_t doca_sha_get_hardware_supported(const struct doca_devinfo *devinfo);

/**
 * Makes a session for messages that come in segments.
 * @param ctx SHA object
 * @param workq work queue that was added to the object's context
 * @param session receives the session; give it back with doca_sha_partial_session_destroy before
 *   the work queue is removed
 * States: started.
 * Threads: that of the work queue.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL, or the work queue is not added to the context.
 * - DOCA_ERROR_NO_MEMORY: no memory.
 * - DOCA_ERROR_BAD_STATE: the object was made for 2.5 or later.
 * Since 2.0, until 2.2. Source: DOCA SHA guide.
 */
DOCA_STABLE doca_error_t doca_sha_partial_session_create(struct doca_sha *ctx,
							 struct doca_workq *workq,
							 struct doca_sha_partial_session **session);

/**
 * Frees a session. Sessions that are left when the work queue is removed from the context are freed
 * with it, and destroying them later gives INVALID_VALUE.
 * @param ctx SHA object
 * @param workq work queue that the session was made for
 * @param session session
 * States: no job of the session is in flight.
 * Threads: that of the work queue.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL, there is no such session of these two, or a job
 *   of it is in flight; retrieve its event first.
 * - DOCA_ERROR_BAD_STATE: the object was made for 2.5 or later.
 * Since 2.0, until 2.2. Source: DOCA SHA guide.
 */
DOCA_STABLE doca_error_t doca_sha_partial_session_destroy(struct doca_sha *ctx,
							  struct doca_workq *workq,
							  struct doca_sha_partial_session *session);

/**
 * Gives a session the message so far of another, whose segments thus need not be digested again.
 * @param ctx SHA object
 * @param workq work queue that both were made for
 * @param from_session session whose message is copied
 * @param to_session session that receives it; what it had is gone
 * States: no job of the two is in flight.
 * Threads: that of the work queue.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL, or there is no such session of these two.
 * - DOCA_ERROR_UNEXPECTED: a job of one of them is in flight; retrieve its event first.
 * - DOCA_ERROR_BAD_STATE: the object was made for 2.5 or later.
 * Since 2.0, until 2.2. Source: DOCA SHA guide.
 */
DOCA_STABLE doca_error_t
doca_sha_partial_session_copy(struct doca_sha *ctx, struct doca_workq *workq,
			      const struct doca_sha_partial_session *from_session,
			      struct doca_sha_partial_session *to_session);

DOCA_ELSEWHERE(doca_sha_task_hash_set_conf, "from 2.5 on: submit a struct doca_sha_job");
DOCA_ELSEWHERE(doca_sha_cap_task_hash_get_supported, "from 2.5 on: use doca_sha_job_get_supported");

#ifdef __cplusplus
}
#endif

#endif
