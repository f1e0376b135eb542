/*
 * SHA, from 2.5 on; included by doca_sha.h.
 *
 * Order: create on a device, configure hash tasks, partial-hash tasks or both, connect
 * doca_sha_as_ctx to an engine, start it, allocate and submit tasks. Work is done during progress.
 *
 * A hash task digests the data sections of its source list as one message and appends the digest to
 * its destination, whose data length grows by 20, 32 or 64 bytes.
 *
 * A partial-hash task digests a message that comes in segments: give it the first segment, submit
 * it, and when it has completed give it the next one with doca_sha_task_partial_hash_set_src and
 * submit it again. Each segment but the last is a multiple of
 * doca_sha_cap_get_partial_hash_block_size bytes. Before the last one is submitted,
 * doca_sha_task_partial_hash_set_is_final_buf says that it is the last; only then does the digest
 * get into the destination. doca_sha_task_partial_hash_reset makes the task ready for another
 * message.
 *
 * A message, and a last segment, may be empty here. A card may refuse that.
 *
 * A task that fails stops the context, as an error does to a hardware queue: free the tasks,
 * progress until it is IDLE, start it again. doca_task_try_submit finds beforehand what is wrong
 * with a task.
 *
 * Threads: as for the engine it is connected to.
 */
#ifndef DOCA_SHA_TASK_H_
#define DOCA_SHA_TASK_H_

#include <doca_sha.h>

#if DOCA_API_WORKQ
#error "doca_sha_task.h is there from 2.5 on: set DOCA_USE_VERSION to that, or include doca_sha.h"
#endif

#ifdef __cplusplus
extern "C" {
#endif

struct doca_sha_task_hash;         /* one digest of one message */
struct doca_sha_task_partial_hash; /* one message in segments */
struct doca_task;

/* Which digest. Its bytes, and those of a block: 20 and 64, 32 and 64, 64 and 128. */
enum doca_sha_algorithm {
	DOCA_SHA_ALGORITHM_SHA1 = 0,
	DOCA_SHA_ALGORITHM_SHA256 = 1,
	DOCA_SHA_ALGORITHM_SHA512 = 2
};

/**
 * Makes a SHA object on a device.
 * @param dev open device; must stay open until destroy
 * @param sha receives the object; give it back with doca_sha_destroy
 * Threads: one at a time per object and its engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_NO_MEMORY: no memory.
 * - DOCA_ERROR_NOT_SUPPORTED: the device has no SHA; ask doca_sha_cap_task_hash_get_supported
 *   first.
 * Since 2.5. Source: DOCA SHA guide.
 */
DOCA_STABLE doca_error_t doca_sha_create(struct doca_dev *dev, struct doca_sha **sha)
	DOCA_BIND(doca_sha_create, 2_5);

/**
 * Does a device have hash tasks of an algorithm? The return code is the answer.
 * @param devinfo description of the device; borrowed for the call
 * @param algorithm which digest
 * Threads: any.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: devinfo is NULL, or there is no such algorithm.
 * - DOCA_ERROR_NOT_SUPPORTED: no, it has not.
 * Since 2.5. Source: DOCA SHA guide.
 */
DOCA_STABLE doca_error_t doca_sha_cap_task_hash_get_supported(struct doca_devinfo const *devinfo,
							      enum doca_sha_algorithm algorithm);

/**
 * Does a device have partial-hash tasks of an algorithm? The return code is the answer.
 * @param devinfo description of the device; borrowed for the call
 * @param algorithm which digest
 * Threads: any.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: devinfo is NULL, or there is no such algorithm.
 * - DOCA_ERROR_NOT_SUPPORTED: no, it has not.
 * Since 2.5. Source: DOCA SHA guide.
 */
DOCA_STABLE doca_error_t doca_sha_cap_task_partial_hash_get_supported(
	struct doca_devinfo const *devinfo, enum doca_sha_algorithm algorithm);

/**
 * Longest buffer list that a task takes, as source or as destination.
 * @param devinfo description of the device; borrowed for the call
 * @param max_list_buf_num_elem receives the number of elements; 1 means no lists
 * Threads: any.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_NOT_SUPPORTED: the device has no SHA.
 * Since 2.5. Source: DOCA SHA guide.
 */
DOCA_STABLE doca_error_t doca_sha_cap_get_max_list_buf_num_elem(struct doca_devinfo const *devinfo,
								uint32_t *max_list_buf_num_elem);

/**
 * Longest source of one submission, all elements of a list together.
 * @param devinfo description of the device; borrowed for the call
 * @param max_src_buf_size receives the bytes
 * Threads: any.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_NOT_SUPPORTED: the device has no SHA.
 * Since 2.6. Source: DOCA SHA guide.
 */
DOCA_STABLE doca_error_t doca_sha_cap_get_max_src_buf_size(struct doca_devinfo const *devinfo,
							   uint64_t *max_src_buf_size);

/**
 * Room that a destination must have behind its data: the length of the digest.
 * @param devinfo description of the device; borrowed for the call
 * @param algorithm which digest
 * @param min_dst_buf_size receives the bytes: 20, 32 or 64
 * Threads: any.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL, or there is no such algorithm.
 * - DOCA_ERROR_NOT_SUPPORTED: the device has no task of this algorithm.
 * Since 2.6. Source: DOCA SHA guide.
 */
DOCA_STABLE doca_error_t doca_sha_cap_get_min_dst_buf_size(struct doca_devinfo const *devinfo,
							   enum doca_sha_algorithm algorithm,
							   uint32_t *min_dst_buf_size);

/**
 * Unit of the segments of a partial hash: each but the last is a multiple of it.
 * @param devinfo description of the device; borrowed for the call
 * @param algorithm which digest
 * @param partial_block_size receives the bytes: 64, 64 or 128
 * Threads: any.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL, or there is no such algorithm.
 * - DOCA_ERROR_NOT_SUPPORTED: the device has no partial-hash tasks of this algorithm.
 * Since 2.5. Source: DOCA SHA guide.
 */
DOCA_STABLE doca_error_t doca_sha_cap_get_partial_hash_block_size(
	struct doca_devinfo const *devinfo, enum doca_sha_algorithm algorithm,
	uint32_t *partial_block_size);

/**
 * Most tasks of a kind that an object can have.
 * @param sha SHA object
 * @param max_num_tasks receives the number; the setters take its logarithm
 * States: any.
 * Threads: one at a time per object and its engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * Since 2.7. Source: DOCA SHA guide.
 */
DOCA_STABLE doca_error_t doca_sha_cap_get_max_num_tasks(struct doca_sha *sha,
							uint32_t *max_num_tasks);

/*
 * Told of a finished hash task, with the data of the task and of the context. Runs inside
 * doca_pe_progress.
 */
typedef void (*doca_sha_task_hash_completion_cb_t)(struct doca_sha_task_hash *task,
						   union doca_data task_user_data,
						   union doca_data ctx_user_data);

/**
 * Sets up the hash tasks of an object: callbacks and how many there are. Without it none can be
 * allocated.
 * @param sha SHA object
 * @param task_completion_cb called for each task that succeeded
 * @param task_error_cb called for each task that failed; doca_task_get_status gives NOT_PERMITTED,
 *   IO_FAILED, UNEXPECTED or, after a stop, SHUTDOWN
 * @param log_num_tasks logarithm to base 2 of the number of tasks: 0 is one task, 5 are 32
 * States: IDLE.
 * Threads: one at a time per object and its engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL, or that many are more than
 *   doca_sha_cap_get_max_num_tasks.
 * - DOCA_ERROR_BAD_STATE: the context is not IDLE.
 * - DOCA_ERROR_NO_MEMORY: no memory for that many tasks.
 * Since 2.5. Source: DOCA SHA guide.
 */
DOCA_STABLE doca_error_t doca_sha_task_hash_set_conf(
	struct doca_sha *sha, doca_sha_task_hash_completion_cb_t task_completion_cb,
	doca_sha_task_hash_completion_cb_t task_error_cb, uint8_t log_num_tasks);

/**
 * Takes a hash task from the pool and fills it.
 * @param sha SHA object
 * @param algorithm which digest
 * @param src_buf head of a buffer list, or a single buffer, to digest; borrowed until the task
 *   completes
 * @param dst_buf head of a buffer list, or a single buffer, to append the digest to; borrowed until
 *   the task completes
 * @param user_data word for the callback
 * @param task receives the task; give it back with doca_task_free
 * States: RUNNING. No allocation.
 * Threads: one at a time per object and its engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL, or the device does not have the algorithm.
 * - DOCA_ERROR_NO_MEMORY: all tasks are taken; free some, or configure more.
 * - DOCA_ERROR_BAD_STATE: the context is not RUNNING.
 * Since 2.5. Source: DOCA SHA guide.
 */
DOCA_STABLE doca_error_t doca_sha_task_hash_alloc_init(
	struct doca_sha *sha, enum doca_sha_algorithm algorithm, struct doca_buf const *src_buf,
	struct doca_buf *dst_buf, union doca_data user_data, struct doca_sha_task_hash **task);

/**
 * Sets what a hash task digests.
 * @param task hash task
 * @param src_buf head of a buffer list, or a single buffer; borrowed until the task completes
 * States: not submitted.
 * Threads: one at a time per object and its engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * Since 2.5. Source: DOCA SHA guide.
 */
DOCA_STABLE doca_error_t doca_sha_task_hash_set_src(struct doca_sha_task_hash *task,
						    struct doca_buf const *src_buf);

/**
 * What a hash task digests.
 * @param task hash task; pointer not checked for NULL
 * States: any.
 * Threads: one at a time per object and its engine.
 * @return the buffer as it was set
 * Since 2.5. Source: DOCA SHA guide.
 */
DOCA_STABLE struct doca_buf const *doca_sha_task_hash_get_src(
	struct doca_sha_task_hash const *task);

/**
 * Sets what a hash task appends the digest to.
 * @param task hash task
 * @param dst_buf head of a buffer list, or a single buffer; borrowed until the task completes
 * States: not submitted.
 * Threads: one at a time per object and its engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * Since 2.5. Source: DOCA SHA guide.
 */
DOCA_STABLE doca_error_t doca_sha_task_hash_set_dst(struct doca_sha_task_hash *task,
						    struct doca_buf *dst_buf);

/**
 * What a hash task appends the digest to.
 * @param task hash task; pointer not checked for NULL
 * States: any.
 * Threads: one at a time per object and its engine.
 * @return the buffer as it was set
 * Since 2.5. Source: DOCA SHA guide.
 */
DOCA_STABLE struct doca_buf const *doca_sha_task_hash_get_dst(
	struct doca_sha_task_hash const *task);

/**
 * Sets which digest a hash task makes.
 * @param task hash task
 * @param algorithm which digest
 * States: not submitted.
 * Threads: one at a time per object and its engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: task is NULL, or the device does not have the algorithm.
 * Since 2.5. Source: DOCA SHA guide.
 */
DOCA_STABLE doca_error_t doca_sha_task_hash_set_algorithm(struct doca_sha_task_hash *task,
							  enum doca_sha_algorithm algorithm);

/**
 * Which digest a hash task makes.
 * @param task hash task; pointer not checked for NULL
 * States: any.
 * Threads: one at a time per object and its engine.
 * @return the algorithm as it was set
 * Since 2.5. Source: DOCA SHA guide.
 */
DOCA_STABLE enum doca_sha_algorithm doca_sha_task_hash_get_algorithm(
	struct doca_sha_task_hash const *task);

/**
 * The general form of a hash task, for submission.
 * @param task hash task
 * States: any.
 * Threads: one at a time per object and its engine.
 * @return the same task; NULL if task is NULL
 * Since 2.5. Source: DOCA SHA guide.
 */
DOCA_STABLE struct doca_task *doca_sha_task_hash_as_task(struct doca_sha_task_hash *task);

/*
 * Told of a segment that is done, with the data of the task and of the context. Runs inside
 * doca_pe_progress; may set the next segment and submit the task again.
 */
typedef void (*doca_sha_task_partial_hash_completion_cb_t)(struct doca_sha_task_partial_hash *task,
							   union doca_data task_user_data,
							   union doca_data ctx_user_data);

/**
 * Sets up the partial-hash tasks of an object: callbacks and how many there are. Without it none
 * can be allocated.
 * @param sha SHA object
 * @param task_completion_cb called for each segment that succeeded
 * @param task_error_cb called for each segment that failed; doca_task_get_status gives
 *   NOT_PERMITTED, IO_FAILED, UNEXPECTED or, after a stop, SHUTDOWN
 * @param log_num_tasks logarithm to base 2 of the number of tasks: 0 is one task, 5 are 32
 * States: IDLE.
 * Threads: one at a time per object and its engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL, or that many are more than
 *   doca_sha_cap_get_max_num_tasks.
 * - DOCA_ERROR_BAD_STATE: the context is not IDLE.
 * - DOCA_ERROR_NO_MEMORY: no memory for that many tasks.
 * Since 2.5. Source: DOCA SHA guide.
 */
DOCA_STABLE doca_error_t doca_sha_task_partial_hash_set_conf(
	struct doca_sha *sha, doca_sha_task_partial_hash_completion_cb_t task_completion_cb,
	doca_sha_task_partial_hash_completion_cb_t task_error_cb, uint8_t log_num_tasks);

/**
 * Takes a partial-hash task from the pool and fills it. It begins a new message.
 * @param sha SHA object
 * @param algorithm which digest
 * @param src_buf head of a buffer list, or a single buffer: the first segment; borrowed until the
 *   task completes
 * @param dst_buf head of a buffer list, or a single buffer, to append the digest to after the last
 *   segment; borrowed until that one completes
 * @param user_data word for the callback
 * @param task receives the task; give it back with doca_task_free
 * States: RUNNING. No allocation.
 * Threads: one at a time per object and its engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL, or the device does not have the algorithm.
 * - DOCA_ERROR_NO_MEMORY: all tasks are taken; free some, or configure more.
 * - DOCA_ERROR_BAD_STATE: the context is not RUNNING.
 * Since 2.5. Source: DOCA SHA guide.
 */
DOCA_STABLE doca_error_t doca_sha_task_partial_hash_alloc_init(
	struct doca_sha *sha, enum doca_sha_algorithm algorithm, struct doca_buf const *src_buf,
	struct doca_buf *dst_buf, union doca_data user_data,
	struct doca_sha_task_partial_hash **task);

/**
 * Forgets the segments so far: the next submission is the first of a new message. Also takes the
 * mark of the last segment away. Source, destination and algorithm stay.
 * @param task partial-hash task
 * States: not submitted.
 * Threads: one at a time per object and its engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: task is NULL, or submitted; wait for its completion.
 * Since 2.5. Source: DOCA SHA guide.
 */
DOCA_STABLE doca_error_t doca_sha_task_partial_hash_reset(struct doca_sha_task_partial_hash *task);

/**
 * Sets the next segment of a partial hash.
 * @param task partial-hash task
 * @param src_buf head of a buffer list, or a single buffer; borrowed until the task completes
 * States: not submitted.
 * Threads: one at a time per object and its engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * Since 2.5. Source: DOCA SHA guide.
 */
DOCA_STABLE doca_error_t doca_sha_task_partial_hash_set_src(struct doca_sha_task_partial_hash *task,
							    struct doca_buf const *src_buf);

/**
 * Which segment a partial hash digests next, or did last.
 * @param task partial-hash task; pointer not checked for NULL
 * States: any.
 * Threads: one at a time per object and its engine.
 * @return the buffer as it was set
 * Since 2.5. Source: DOCA SHA guide.
 */
DOCA_STABLE struct doca_buf const *doca_sha_task_partial_hash_get_src(
	struct doca_sha_task_partial_hash const *task);

/**
 * Sets what a partial hash appends the digest to.
 * @param task partial-hash task
 * @param dst_buf head of a buffer list, or a single buffer; borrowed until the last segment
 *   completes
 * States: not submitted, and no segment of the message was.
 * Threads: one at a time per object and its engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_BAD_STATE: a message is under way or complete; reset the task first.
 * Since 2.5. Source: DOCA SHA guide.
 */
DOCA_STABLE doca_error_t doca_sha_task_partial_hash_set_dst(struct doca_sha_task_partial_hash *task,
							    struct doca_buf *dst_buf);

/**
 * What a partial hash appends the digest to.
 * @param task partial-hash task; pointer not checked for NULL
 * States: any.
 * Threads: one at a time per object and its engine.
 * @return the buffer as it was set
 * Since 2.5. Source: DOCA SHA guide.
 */
DOCA_STABLE struct doca_buf const *doca_sha_task_partial_hash_get_dst(
	struct doca_sha_task_partial_hash const *task);

/**
 * Sets which digest a partial hash makes.
 * @param task partial-hash task
 * @param algorithm which digest
 * States: not submitted, and no segment of the message was.
 * Threads: one at a time per object and its engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: task is NULL, or the device does not have the algorithm.
 * - DOCA_ERROR_BAD_STATE: a message is under way or complete; reset the task first.
 * Since 2.5. Source: DOCA SHA guide.
 */
DOCA_STABLE doca_error_t doca_sha_task_partial_hash_set_algorithm(
	struct doca_sha_task_partial_hash *task, enum doca_sha_algorithm algorithm);

/**
 * Which digest a partial hash makes.
 * @param task partial-hash task; pointer not checked for NULL
 * States: any.
 * Threads: one at a time per object and its engine.
 * @return the algorithm as it was set
 * Since 2.5. Source: DOCA SHA guide.
 */
DOCA_STABLE enum doca_sha_algorithm doca_sha_task_partial_hash_get_algorithm(
	struct doca_sha_task_partial_hash const *task);

/**
 * Says that the segment that is submitted next is the last of the message. It may have any length.
 * @param task partial-hash task
 * States: not submitted, and the message is not complete.
 * Threads: one at a time per object and its engine.
 * @return DOCA_SUCCESS, also when it was said before, or
 * - DOCA_ERROR_INVALID_VALUE: task is NULL.
 * - DOCA_ERROR_BAD_STATE: the task is submitted, or its message is complete; reset it first.
 * Since 2.6. Source: DOCA SHA guide.
 */
DOCA_STABLE doca_error_t
doca_sha_task_partial_hash_set_is_final_buf(struct doca_sha_task_partial_hash *task);

/**
 * Is the segment marked as the last one?
 * @param task partial-hash task; pointer not checked for NULL
 * States: any.
 * Threads: one at a time per object and its engine.
 * @return 1 for yes, 0 for no
 * Since 2.5. Source: DOCA SHA guide.
 */
DOCA_STABLE uint8_t
doca_sha_task_partial_hash_get_is_final(struct doca_sha_task_partial_hash const *task);

/**
 * Is the digest in the destination?
 * @param task partial-hash task; pointer not checked for NULL
 * States: any.
 * Threads: one at a time per object and its engine.
 * @return 1 for yes: the last segment completed and the task was not reset since; 0 for no
 * Since 2.5. Source: DOCA SHA guide.
 */
DOCA_STABLE uint8_t
doca_sha_task_partial_hash_get_has_result(struct doca_sha_task_partial_hash const *task);

/**
 * The general form of a partial-hash task, for submission.
 * @param task partial-hash task
 * States: any.
 * Threads: one at a time per object and its engine.
 * @return the same task; NULL if task is NULL
 * Since 2.5. Source: DOCA SHA guide.
 */
DOCA_STABLE struct doca_task *doca_sha_task_partial_hash_as_task(
	struct doca_sha_task_partial_hash *task);

#if DOCA_API_BETWEEN(205, 205)
/**
 * As doca_sha_cap_get_max_src_buf_size, by the name that 2.5 has for it.
 * @param devinfo description of the device; borrowed for the call
 * @param max_buffer_size receives the bytes
 * Threads: any.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_NOT_SUPPORTED: the device has no SHA.
 * Since 2.5, until 2.5. Source: DOCA SHA guide.
 */
DOCA_STABLE doca_error_t doca_sha_cap_get_max_src_buffer_size(struct doca_devinfo const *devinfo,
							      uint64_t *max_buffer_size);

/**
 * As doca_sha_cap_get_min_dst_buf_size, by the name that 2.5 has for it.
 * @param devinfo description of the device; borrowed for the call
 * @param task_type which digest
 * @param min_buffer_size receives the bytes: 20, 32 or 64
 * Threads: any.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL, or there is no such algorithm.
 * - DOCA_ERROR_NOT_SUPPORTED: the device has no task of this algorithm.
 * Since 2.5, until 2.5. Source: DOCA SHA guide.
 */
DOCA_STABLE doca_error_t doca_sha_cap_get_min_dst_buffer_size(struct doca_devinfo const *devinfo,
							      enum doca_sha_algorithm task_type,
							      uint32_t *min_buffer_size);

/**
 * As doca_sha_task_partial_hash_set_is_final_buf, by the name that 2.5 has for it.
 * @param task partial-hash task
 * States: not submitted, and the message is not complete.
 * Threads: one at a time per object and its engine.
 * @return DOCA_SUCCESS, also when it was said before, or
 * - DOCA_ERROR_INVALID_VALUE: task is NULL.
 * - DOCA_ERROR_BAD_STATE: the task is submitted, or its message is complete; reset it first.
 * Since 2.5, until 2.5. Source: DOCA SHA guide.
 */
DOCA_STABLE doca_error_t
doca_sha_task_partial_hash_set_is_final_buffer(struct doca_sha_task_partial_hash *task);
#endif

DOCA_ELSEWHERE(doca_sha_job_get_supported, "up to 2.2: use doca_sha_cap_task_hash_get_supported");
DOCA_ELSEWHERE(doca_sha_partial_session_create,
	       "up to 2.2: use doca_sha_task_partial_hash_alloc_init");

#ifdef __cplusplus
}
#endif

#endif
