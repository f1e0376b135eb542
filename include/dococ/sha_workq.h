/*
 * SHA, up to 2.2. Included by doca_sha.h.
 *
 * Use an object in this order: create it, add a device to its context (doca_sha_as_ctx()), start
 * it, add a work queue, and submit jobs. The event of a job has the job's type, and its result.u64
 * is a doca_error_t. A failed job stops neither the context nor other jobs.
 *
 * A job of the types SHA1, SHA256 and SHA512 digests the data sections of its source list as one
 * message. It appends the digest to its destination, whose data length grows by 20, 32 or 64 bytes.
 * In programs written for 2.0 or 2.1, the digest replaces the destination's data.
 *
 * A message that arrives in segments has a session, and one job of a _PARTIAL type per segment, in
 * order. The jobs may be submitted without waiting for each other. The size of each segment except
 * the last is a multiple of 64 bytes, 128 for SHA-512. The job of the last one has the flag
 * DOCA_SHA_JOB_FLAGS_SHA_PARTIAL_FINAL. Only then is the digest written to the destination.
 * Afterwards, and also after a failed job, the session is ready for another message.
 *
 * A message or a last segment may be empty, but a real card may refuse that.
 *
 * A call without a "States:" line is allowed in every state.
 *
 * Threads: sessions and jobs are used by the thread of their work queue. Other calls may be made
 * from any thread.
 *
 * Reference: DOCA SHA guide.
 */
#ifndef DOCA_SHA_WORKQ_H_
#define DOCA_SHA_WORKQ_H_

#include <doca_ctx.h>
#include <dococ/ctx_workq.h>
#include <doca_sha.h>

#if !DOCA_API_WORKQ && !defined(DOCA_API_LIBRARY)
#error "dococ/sha_workq.h is there up to 2.2: set DOCA_USE_VERSION to that, or include doca_sha.h"
#endif

#ifdef __cplusplus
extern "C" {
#endif

struct doca_sha_partial_session; /* a message in segments */

/* Sizes of the digests in bytes. */
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
	DOCA_SHA_JOB_FLAGS_SHA_PARTIAL_FINAL = 1, /* _PARTIAL jobs: the last segment */
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
	struct doca_sha_partial_session *session; /* of the same context and work queue */
};

#if DOCA_API_WORKQ
/**
 * Creates a SHA object.
 * @param ctx receives the object; release it with doca_sha_destroy
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_NO_MEMORY: out of memory.
 * Since 2.0, until 2.2.
 */
DOCA_STABLE doca_error_t doca_sha_create(struct doca_sha **ctx) DOCA_BIND(doca_sha_create, 2_0);
#endif

/**
 * Checks whether a device supports a type of job. The return code is the answer.
 * @param devinfo device to query
 * @param job_type type of the job
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: the type does not exist.
 * - DOCA_ERROR_NOT_SUPPORTED: the device does not support it.
 * Since 2.0, until 2.2; replaced by doca_sha_cap_task_hash_get_supported and
 * doca_sha_cap_task_partial_hash_get_supported.
 */
DOCA_STABLE doca_error_t doca_sha_job_get_supported(const struct doca_devinfo *devinfo,
						    enum doca_sha_job_type job_type);

/**
 * Gets the largest number of elements in the buffer list of a job, source or destination.
 * @param devinfo device to query
 * @param max_list_num_elem receives the number of elements; 1 if lists are not supported
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_NOT_SUPPORTED: the device does not support SHA.
 * Since 2.0, until 2.2; replaced by doca_sha_cap_get_max_list_buf_num_elem.
 */
DOCA_STABLE doca_error_t doca_sha_get_max_list_buf_num_elem(const struct doca_devinfo *devinfo,
							    uint32_t *max_list_num_elem);

/**
 * Gets the size of the largest source of one job, all elements of a list together.
 * @param devinfo device to query
 * @param max_buffer_size receives the number of bytes
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_NOT_SUPPORTED: the device does not support SHA.
 * Since 2.0, until 2.2; replaced by doca_sha_cap_get_max_src_buf_size.
 */
DOCA_STABLE doca_error_t doca_sha_get_max_src_buffer_size(const struct doca_devinfo *devinfo,
							  uint64_t *max_buffer_size);

/**
 * Gets the room in bytes that a destination must have for the digest.
 * @param devinfo device to query
 * @param job_type type of the job
 * @param min_buffer_size receives the number of bytes: 20, 32 or 64
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: the type does not exist.
 * - DOCA_ERROR_NOT_SUPPORTED: the device does not support a job of this type.
 * Since 2.0, until 2.2; replaced by doca_sha_cap_get_min_dst_buf_size.
 */
DOCA_STABLE doca_error_t doca_sha_get_min_dst_buffer_size(const struct doca_devinfo *devinfo,
							  enum doca_sha_job_type job_type,
							  uint32_t *min_buffer_size);

/**
 * Checks whether a device computes digests in hardware. The return code is the answer.
 * @param devinfo device to query
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_NOT_SUPPORTED: always: the processor computes them.
 * Since 2.0, until 2.2.
 */
DOCA_STABLE doca_error_t doca_sha_get_hardware_supported(const struct doca_devinfo *devinfo);

/**
 * Creates a session for messages that arrive in segments.
 * @param ctx SHA object
 * @param workq work queue that was added to the object's context
 * @param session receives the session; release it with doca_sha_partial_session_destroy before the
 *   work queue is removed
 * States: started.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: the work queue is not added to the context.
 * - DOCA_ERROR_NO_MEMORY: out of memory.
 * Since 2.0, until 2.2.
 */
DOCA_STABLE doca_error_t doca_sha_partial_session_create(struct doca_sha *ctx,
							 struct doca_workq *workq,
							 struct doca_sha_partial_session **session);

/**
 * Destroys a session. Removing the work queue from the context destroys the sessions that still
 * exist; destroying them later returns DOCA_ERROR_INVALID_VALUE.
 * @param ctx SHA object
 * @param workq work queue for which the session was created
 * @param session session
 * States: no job of the session is in flight.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: the session does not belong to ctx and workq, or a job of it is in
 *   flight; retrieve its event first.
 * Since 2.0, until 2.2.
 */
DOCA_STABLE doca_error_t doca_sha_partial_session_destroy(struct doca_sha *ctx,
							  struct doca_workq *workq,
							  struct doca_sha_partial_session *session);

/**
 * Copies the state of a session, so that segments which two messages have in common need not be
 * digested again.
 * @param ctx SHA object
 * @param workq work queue for which both sessions were created
 * @param from_session session whose state is copied
 * @param to_session session that receives the state; its previous state is lost
 * States: no job of either session is in flight.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: a session does not belong to ctx and workq.
 * - DOCA_ERROR_UNEXPECTED: a job of one of them is in flight; retrieve its event first.
 * Since 2.0, until 2.2.
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
