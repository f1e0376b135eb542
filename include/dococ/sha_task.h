/*
 * SHA, from 2.5 on. Included by doca_sha.h, whose comment has the rules for states, errors and
 * threads.
 *
 * Use an object in this order: create it on a device, configure hash tasks, partial-hash tasks or
 * both, connect doca_sha_as_ctx() to an engine, start it, allocate and submit tasks. The work is
 * done during progress.
 *
 * A hash task digests the data sections of its source list as one message. It appends the digest to
 * its destination, whose data length grows by 20, 32 or 64 bytes.
 *
 * A partial-hash task digests a message that arrives in segments:
 *
 * - set the first segment and submit the task;
 * - when it has completed, set the next segment with doca_sha_task_partial_hash_set_src(), and
 *   submit it again;
 * - before submitting the last segment, call doca_sha_task_partial_hash_set_is_final_buf(). Only
 *   then is the digest written to the destination;
 * - doca_sha_task_partial_hash_reset() prepares the task for another message.
 *
 * The size of each segment except the last is a multiple of the result of
 * doca_sha_cap_get_partial_hash_block_size(). A message or a last segment may be empty, but a real
 * card may refuse that.
 *
 * A failed task stops the context, like an error of a hardware queue: free the tasks, progress
 * until the context is IDLE, and start it again.
 *
 * Status of a failed task, from doca_task_get_status():
 *
 * - DOCA_ERROR_IO_FAILED: the transfer failed, the exporter stopped its map or ended, or an
 *   argument is wrong. doca_task_try_submit() reports wrong arguments before the submission.
 * - DOCA_ERROR_NOT_PERMITTED: a memory map does not permit the access, or the kernel does not
 *   permit access to the exporter's memory.
 * - DOCA_ERROR_BAD_STATE: a memory map is not started.
 * - DOCA_ERROR_UNEXPECTED: libcrypto failed.
 * - DOCA_ERROR_SHUTDOWN: the context was stopped.
 */
#ifndef DOCA_SHA_TASK_H_
#define DOCA_SHA_TASK_H_

#include <doca_sha.h>

#if DOCA_API_WORKQ
#error "dococ/sha_task.h is there from 2.5 on: set DOCA_USE_VERSION to that, or include doca_sha.h"
#endif

#ifdef __cplusplus
extern "C" {
#endif

struct doca_sha_task_hash;         /* one digest of one message */
struct doca_sha_task_partial_hash; /* one message in segments */
struct doca_task;

/* Algorithms. The sizes of digest and block in bytes are 20 and 64 for SHA1, 32 and 64 for SHA256,
 * 64 and 128 for SHA512. */
enum doca_sha_algorithm {
	DOCA_SHA_ALGORITHM_SHA1 = 0,
	DOCA_SHA_ALGORITHM_SHA256 = 1,
	DOCA_SHA_ALGORITHM_SHA512 = 2
};

/**
 * Creates a SHA object on a device.
 * @param dev open device; must stay open until the object is destroyed
 * @param sha receives the object; release it with doca_sha_destroy
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_NO_MEMORY: out of memory.
 * - DOCA_ERROR_NOT_SUPPORTED: the device does not support SHA; see
 *   doca_sha_cap_task_hash_get_supported().
 * Since 2.5.
 */
DOCA_STABLE doca_error_t doca_sha_create(struct doca_dev *dev, struct doca_sha **sha)
	DOCA_BIND(doca_sha_create, 2_5);

/**
 * Checks whether a device supports hash tasks of an algorithm. The return code is the answer.
 * @param devinfo device to query
 * @param algorithm algorithm
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: the algorithm does not exist.
 * - DOCA_ERROR_NOT_SUPPORTED: the device does not support it.
 * Since 2.5.
 */
DOCA_STABLE doca_error_t doca_sha_cap_task_hash_get_supported(struct doca_devinfo const *devinfo,
							      enum doca_sha_algorithm algorithm);

/**
 * Checks whether a device supports partial-hash tasks of an algorithm. The return code is the
 * answer.
 * @param devinfo device to query
 * @param algorithm algorithm
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: the algorithm does not exist.
 * - DOCA_ERROR_NOT_SUPPORTED: the device does not support it.
 * Since 2.5.
 */
DOCA_STABLE doca_error_t doca_sha_cap_task_partial_hash_get_supported(
	struct doca_devinfo const *devinfo, enum doca_sha_algorithm algorithm);

/**
 * Gets the largest number of elements in the buffer list of a task, source or destination.
 * @param devinfo device to query
 * @param max_list_buf_num_elem receives the number of elements; 1 if lists are not supported
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_NOT_SUPPORTED: the device does not support SHA.
 * Since 2.5.
 */
DOCA_STABLE doca_error_t doca_sha_cap_get_max_list_buf_num_elem(struct doca_devinfo const *devinfo,
								uint32_t *max_list_buf_num_elem);

/**
 * Gets the size of the largest source of one submission, all elements of a list together.
 * @param devinfo device to query
 * @param max_src_buf_size receives the number of bytes
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_NOT_SUPPORTED: the device does not support SHA.
 * Since 2.6.
 */
DOCA_STABLE doca_error_t doca_sha_cap_get_max_src_buf_size(struct doca_devinfo const *devinfo,
							   uint64_t *max_src_buf_size);

/**
 * Gets the room that a destination must have behind its data: the size of the digest.
 * @param devinfo device to query
 * @param algorithm algorithm
 * @param min_dst_buf_size receives the number of bytes: 20, 32 or 64
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: the algorithm does not exist.
 * - DOCA_ERROR_NOT_SUPPORTED: the device does not support a task of this algorithm.
 * Since 2.6.
 */
DOCA_STABLE doca_error_t doca_sha_cap_get_min_dst_buf_size(struct doca_devinfo const *devinfo,
							   enum doca_sha_algorithm algorithm,
							   uint32_t *min_dst_buf_size);

/**
 * Gets the block size of a partial hash: the size of each segment except the last is a multiple of
 * it.
 * @param devinfo device to query
 * @param algorithm algorithm
 * @param partial_block_size receives the number of bytes: 64, 64 or 128
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: the algorithm does not exist.
 * - DOCA_ERROR_NOT_SUPPORTED: the device does not support partial-hash tasks of this algorithm.
 * Since 2.5.
 */
DOCA_STABLE doca_error_t doca_sha_cap_get_partial_hash_block_size(
	struct doca_devinfo const *devinfo, enum doca_sha_algorithm algorithm,
	uint32_t *partial_block_size);

/**
 * Gets the largest number of tasks of one kind that an object can have.
 * @param sha SHA object
 * @param max_num_tasks receives the number, of which the set_conf calls take the logarithm
 * @return DOCA_SUCCESS
 * Since 2.7.
 */
DOCA_STABLE doca_error_t doca_sha_cap_get_max_num_tasks(struct doca_sha *sha,
							uint32_t *max_num_tasks);

/*
 * Called when a hash task has completed, with the user data of the task and of the context. Runs
 * inside doca_pe_progress().
 */
typedef void (*doca_sha_task_hash_completion_cb_t)(struct doca_sha_task_hash *task,
						   union doca_data task_user_data,
						   union doca_data ctx_user_data);

/**
 * Configures the hash tasks of an object: their callbacks and their number. Without this call none
 * can be allocated.
 * @param sha SHA object
 * @param task_completion_cb called for each task that succeeded
 * @param task_error_cb called for each task that failed, with a status of the list at the top
 * @param log_num_tasks logarithm to base 2 of the number of tasks, for example 0 for 1 task and 5
 *   for 32 tasks
 * States: IDLE.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: the number exceeds the result of doca_sha_cap_get_max_num_tasks().
 * - DOCA_ERROR_NO_MEMORY: out of memory for that many tasks.
 * Since 2.5.
 */
DOCA_STABLE doca_error_t doca_sha_task_hash_set_conf(
	struct doca_sha *sha, doca_sha_task_hash_completion_cb_t task_completion_cb,
	doca_sha_task_hash_completion_cb_t task_error_cb, uint8_t log_num_tasks);

/**
 * Allocates a hash task from the pool and sets its arguments.
 * @param sha SHA object
 * @param algorithm algorithm
 * @param src_buf head of a buffer list, or a single buffer, to digest; owned by the library from
 *   submission until the task completes
 * @param dst_buf head of a buffer list, or a single buffer, to append the digest to; owned by the
 *   library from submission until the task completes
 * @param user_data user data for the callback
 * @param task receives the task; release it with doca_task_free
 * States: RUNNING. Allocates no memory.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: the device does not support the algorithm.
 * - DOCA_ERROR_NO_MEMORY: all tasks are allocated; free some, or configure more.
 * Since 2.5.
 */
DOCA_STABLE doca_error_t doca_sha_task_hash_alloc_init(
	struct doca_sha *sha, enum doca_sha_algorithm algorithm, struct doca_buf const *src_buf,
	struct doca_buf *dst_buf, union doca_data user_data, struct doca_sha_task_hash **task);

/**
 * Sets the source of a hash task.
 * @param task hash task
 * @param src_buf head of a buffer list, or a single buffer; owned by the library from submission
 *   until the task completes
 * States: not submitted.
 * @return DOCA_SUCCESS
 * Since 2.5.
 */
DOCA_STABLE doca_error_t doca_sha_task_hash_set_src(struct doca_sha_task_hash *task,
						    struct doca_buf const *src_buf);

/**
 * Returns the source of a hash task.
 * @param task hash task; must not be NULL
 * @return the buffer as it was set
 * Since 2.5.
 */
DOCA_STABLE struct doca_buf const *doca_sha_task_hash_get_src(
	struct doca_sha_task_hash const *task);

/**
 * Sets the destination of a hash task.
 * @param task hash task
 * @param dst_buf head of a buffer list, or a single buffer; owned by the library from submission
 *   until the task completes
 * States: not submitted.
 * @return DOCA_SUCCESS
 * Since 2.5.
 */
DOCA_STABLE doca_error_t doca_sha_task_hash_set_dst(struct doca_sha_task_hash *task,
						    struct doca_buf *dst_buf);

/**
 * Returns the destination of a hash task.
 * @param task hash task; must not be NULL
 * @return the buffer as it was set
 * Since 2.5.
 */
DOCA_STABLE struct doca_buf const *doca_sha_task_hash_get_dst(
	struct doca_sha_task_hash const *task);

/**
 * Sets the algorithm of a hash task.
 * @param task hash task
 * @param algorithm algorithm
 * States: not submitted.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: the device does not support the algorithm.
 * Since 2.5.
 */
DOCA_STABLE doca_error_t doca_sha_task_hash_set_algorithm(struct doca_sha_task_hash *task,
							  enum doca_sha_algorithm algorithm);

/**
 * Returns the algorithm of a hash task.
 * @param task hash task; must not be NULL
 * @return the algorithm as it was set
 * Since 2.5.
 */
DOCA_STABLE enum doca_sha_algorithm doca_sha_task_hash_get_algorithm(
	struct doca_sha_task_hash const *task);

/**
 * Returns a hash task as a general task, for submission.
 * @param task hash task
 * @return the same task; NULL if task is NULL
 * Since 2.5.
 */
DOCA_STABLE struct doca_task *doca_sha_task_hash_as_task(struct doca_sha_task_hash *task);

/*
 * Called when a segment has completed, with the user data of the task and of the context. Runs
 * inside doca_pe_progress(). The callback may set the next segment and submit the task again.
 */
typedef void (*doca_sha_task_partial_hash_completion_cb_t)(struct doca_sha_task_partial_hash *task,
							   union doca_data task_user_data,
							   union doca_data ctx_user_data);

/**
 * Configures the partial-hash tasks of an object: their callbacks and their number. Without this
 * call none can be allocated.
 * @param sha SHA object
 * @param task_completion_cb called for each segment that succeeded
 * @param task_error_cb called for each segment that failed, with a status of the list at the top
 * @param log_num_tasks logarithm to base 2 of the number of tasks, for example 0 for 1 task and 5
 *   for 32 tasks
 * States: IDLE.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: the number exceeds the result of doca_sha_cap_get_max_num_tasks().
 * - DOCA_ERROR_NO_MEMORY: out of memory for that many tasks.
 * Since 2.5.
 */
DOCA_STABLE doca_error_t doca_sha_task_partial_hash_set_conf(
	struct doca_sha *sha, doca_sha_task_partial_hash_completion_cb_t task_completion_cb,
	doca_sha_task_partial_hash_completion_cb_t task_error_cb, uint8_t log_num_tasks);

/**
 * Allocates a partial-hash task from the pool and sets its arguments. It begins a new message.
 * @param sha SHA object
 * @param algorithm algorithm
 * @param src_buf head of a buffer list, or a single buffer: the first segment; owned by the library
 *   from submission until the task completes
 * @param dst_buf head of a buffer list, or a single buffer, to append the digest to after the last
 *   segment; owned by the library from the first submission until the last segment completes
 * @param user_data user data for the callback
 * @param task receives the task; release it with doca_task_free
 * States: RUNNING. Allocates no memory.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: the device does not support the algorithm.
 * - DOCA_ERROR_NO_MEMORY: all tasks are allocated; free some, or configure more.
 * Since 2.5.
 */
DOCA_STABLE doca_error_t doca_sha_task_partial_hash_alloc_init(
	struct doca_sha *sha, enum doca_sha_algorithm algorithm, struct doca_buf const *src_buf,
	struct doca_buf *dst_buf, union doca_data user_data,
	struct doca_sha_task_partial_hash **task);

/**
 * Discards the segments so far: the next submission is the first segment of a new message. Also
 * clears the mark of the last segment. Source, destination and algorithm are unchanged.
 * @param task partial-hash task
 * States: not submitted.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: the task is submitted; wait for its completion.
 * Since 2.5.
 */
DOCA_STABLE doca_error_t doca_sha_task_partial_hash_reset(struct doca_sha_task_partial_hash *task);

/**
 * Sets the next segment of a partial hash.
 * @param task partial-hash task
 * @param src_buf head of a buffer list, or a single buffer; owned by the library from submission
 *   until the task completes
 * States: not submitted.
 * @return DOCA_SUCCESS
 * Since 2.5.
 */
DOCA_STABLE doca_error_t doca_sha_task_partial_hash_set_src(struct doca_sha_task_partial_hash *task,
							    struct doca_buf const *src_buf);

/**
 * Returns the segment that a partial hash digests next, or has digested last.
 * @param task partial-hash task; must not be NULL
 * @return the buffer as it was set
 * Since 2.5.
 */
DOCA_STABLE struct doca_buf const *doca_sha_task_partial_hash_get_src(
	struct doca_sha_task_partial_hash const *task);

/**
 * Sets the destination of a partial hash.
 * @param task partial-hash task
 * @param dst_buf head of a buffer list, or a single buffer; owned by the library from the first
 *   submission until the last segment completes
 * States: not submitted; no segment of the message was submitted.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_BAD_STATE: a message has begun or is complete; reset the task first.
 * Since 2.5.
 */
DOCA_STABLE doca_error_t doca_sha_task_partial_hash_set_dst(struct doca_sha_task_partial_hash *task,
							    struct doca_buf *dst_buf);

/**
 * Returns the destination of a partial hash.
 * @param task partial-hash task; must not be NULL
 * @return the buffer as it was set
 * Since 2.5.
 */
DOCA_STABLE struct doca_buf const *doca_sha_task_partial_hash_get_dst(
	struct doca_sha_task_partial_hash const *task);

/**
 * Sets the algorithm of a partial hash.
 * @param task partial-hash task
 * @param algorithm algorithm
 * States: not submitted; no segment of the message was submitted.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: the device does not support the algorithm.
 * - DOCA_ERROR_BAD_STATE: a message has begun or is complete; reset the task first.
 * Since 2.5.
 */
DOCA_STABLE doca_error_t doca_sha_task_partial_hash_set_algorithm(
	struct doca_sha_task_partial_hash *task, enum doca_sha_algorithm algorithm);

/**
 * Returns the algorithm of a partial hash.
 * @param task partial-hash task; must not be NULL
 * @return the algorithm as it was set
 * Since 2.5.
 */
DOCA_STABLE enum doca_sha_algorithm doca_sha_task_partial_hash_get_algorithm(
	struct doca_sha_task_partial_hash const *task);

/**
 * Marks the next submitted segment as the last one of the message. It may have any length.
 * @param task partial-hash task
 * States: not submitted, and the message is not complete.
 * @return DOCA_SUCCESS, also if the segment is marked already, or
 * - DOCA_ERROR_BAD_STATE: the task is submitted, or its message is complete; reset it first.
 * Since 2.6.
 */
DOCA_STABLE doca_error_t
doca_sha_task_partial_hash_set_is_final_buf(struct doca_sha_task_partial_hash *task);

/**
 * Returns whether the segment is marked as the last one.
 * @param task partial-hash task; must not be NULL
 * @return 1 if it is marked, else 0
 * Since 2.5.
 */
DOCA_STABLE uint8_t
doca_sha_task_partial_hash_get_is_final(struct doca_sha_task_partial_hash const *task);

/**
 * Returns whether the digest is in the destination.
 * @param task partial-hash task; must not be NULL
 * @return 1 if the last segment completed and the task was not reset since, else 0
 * Since 2.5.
 */
DOCA_STABLE uint8_t
doca_sha_task_partial_hash_get_has_result(struct doca_sha_task_partial_hash const *task);

/**
 * Returns a partial-hash task as a general task, for submission.
 * @param task partial-hash task
 * @return the same task; NULL if task is NULL
 * Since 2.5.
 */
DOCA_STABLE struct doca_task *doca_sha_task_partial_hash_as_task(
	struct doca_sha_task_partial_hash *task);

#if DOCA_API_BETWEEN(205, 205)
/**
 * The name of doca_sha_cap_get_max_src_buf_size() in 2.5.
 * @param devinfo device to query
 * @param max_buffer_size receives the number of bytes
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_NOT_SUPPORTED: the device does not support SHA.
 * In 2.5 only.
 */
DOCA_STABLE doca_error_t doca_sha_cap_get_max_src_buffer_size(struct doca_devinfo const *devinfo,
							      uint64_t *max_buffer_size);

/**
 * The name of doca_sha_cap_get_min_dst_buf_size() in 2.5.
 * @param devinfo device to query
 * @param task_type algorithm
 * @param min_buffer_size receives the number of bytes: 20, 32 or 64
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: the algorithm does not exist.
 * - DOCA_ERROR_NOT_SUPPORTED: the device does not support a task of this algorithm.
 * In 2.5 only.
 */
DOCA_STABLE doca_error_t doca_sha_cap_get_min_dst_buffer_size(struct doca_devinfo const *devinfo,
							      enum doca_sha_algorithm task_type,
							      uint32_t *min_buffer_size);

/**
 * The name of doca_sha_task_partial_hash_set_is_final_buf() in 2.5.
 * @param task partial-hash task
 * States: not submitted, and the message is not complete.
 * @return DOCA_SUCCESS, also if the segment is marked already, or
 * - DOCA_ERROR_BAD_STATE: the task is submitted, or its message is complete; reset it first.
 * In 2.5 only.
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
