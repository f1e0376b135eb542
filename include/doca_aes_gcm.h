/*
 * AES-GCM: authenticated encryption of buffers of this process, or of a memory map imported from
 * the other side.
 *
 * Use an object in this order: create it on a device, configure encrypt tasks, decrypt tasks or
 * both, connect doca_aes_gcm_as_ctx() to an engine, start it, create keys, allocate and submit
 * tasks. The work is done during progress. Destroy the keys before the object.
 *
 * Layout of the messages, where a list counts as one sequence of bytes:
 *
 * - plain: aad_size bytes of additional authenticated data (AAD), then the plaintext;
 * - sealed: the same AAD, the ciphertext, then tag_size bytes of tag.
 *
 * An encrypt task reads a plain message and appends the sealed one to its destination; a decrypt
 * task does the reverse. Either AAD, plaintext or both may be empty; a card may refuse that. The
 * result may have the address of the source; it must not overlap it otherwise.
 *
 * Never encrypt two messages with the same key and the same IV.
 *
 * A decrypt task whose tag does not match fails with DOCA_ERROR_IO_FAILED, and the data length of
 * its destination stays the same. What it has written is overwritten with zeros, also if source and
 * destination are the same memory. Until a decrypt task has completed, its destination may contain
 * plaintext that is not authenticated: do not read it.
 *
 * Other processes do not see such plaintext in a destination that they can read. If they can change
 * the source, too, a message of more than 64 KiB needs memory of its length until it is
 * authenticated. Memory counts as such if it is imported, and all memory does once this process has
 * exported any, and while a task runs on the thread of its context, see below.
 *
 * Memory of another machine, imported over a tls: link, goes through memory of the context: the
 * source is read there, and the result is written from there. A task whose source or result is on
 * another machine and longer than that memory fails with DOCA_ERROR_IO_FAILED. It has 4 MiB for
 * sources and 4 MiB for results unless DOCOCORED_BOUNCE_BYTES says otherwise; see dococlient(7).
 * A refused message writes nothing to the other machine. The task completes when its result is
 * written. Later tasks of the context wait for it.
 *
 * With DOCOCORED_THREAD_BYTES, long tasks run on a thread of their context instead of during
 * progress. Tasks of a context complete in the order of their submission in any case, except those
 * that a stop ends with DOCA_ERROR_SHUTDOWN.
 *
 * A failed task does not stop the context, so a forged message does not stop others.
 *
 * The library does not keep the raw key: the caller may overwrite it when doca_aes_gcm_key_create()
 * has returned. The expanded key is overwritten by doca_aes_gcm_key_destroy().
 *
 * A call without a "States:" line is allowed in every state.
 *
 * Status of a failed task, from doca_task_get_status():
 *
 * - DOCA_ERROR_IO_FAILED: the tag does not match, the transfer failed, the exporter stopped its map
 *   or ended, or an argument is wrong. doca_task_try_submit() reports wrong arguments before the
 *   submission.
 * - DOCA_ERROR_NOT_PERMITTED: a memory map does not permit the access, or the kernel does not
 *   permit access to the exporter's memory.
 * - DOCA_ERROR_BAD_STATE: a memory map is not started.
 * - DOCA_ERROR_UNEXPECTED: libcrypto failed.
 * - DOCA_ERROR_SHUTDOWN: the context was stopped.
 *
 * Errors that the doc blocks do not repeat:
 *
 * - DOCA_ERROR_INVALID_VALUE: a pointer argument is NULL, and its description does not allow that.
 * - DOCA_ERROR_BAD_STATE: the context is not in the state of the "States:" line.
 *
 * The functions that get or set a property of a task do not check the task for NULL.
 *
 * Threads: one thread at a time per object with its keys and its engine. Capability queries of a
 * device may be called from any thread.
 *
 * Example: submit the encryption of a message with a tag of 16 bytes. Start the object like the one
 * of doca_dma.h, with doca_aes_gcm_task_encrypt_set_conf().
 *
 *     #include <doca_pe.h>
 *
 *     doca_error_t submit_encryption(struct doca_aes_gcm *aes_gcm, struct doca_aes_gcm_key *key,
 *                                    const uint8_t iv[12], const struct doca_buf *plain,
 *                                    struct doca_buf *sealed, union doca_data user_data)
 *     {
 *         struct doca_aes_gcm_task_encrypt *task;
 *         doca_error_t result = doca_aes_gcm_task_encrypt_alloc_init(
 *             aes_gcm, plain, sealed, key, iv, 12, 16, 0, user_data, &task);
 *
 *         if (result != DOCA_SUCCESS)
 *             return result;
 *         result = doca_task_submit(doca_aes_gcm_task_encrypt_as_task(task));
 *         if (result != DOCA_SUCCESS)
 *             doca_task_free(doca_aes_gcm_task_encrypt_as_task(task));
 *         return result;
 *     }
 */
#ifndef DOCA_AES_GCM_H_
#define DOCA_AES_GCM_H_

#include <inttypes.h>

#include <doca_compat.h>
#include <doca_error.h>
#include <doca_types.h>

#include <doca_buf.h>
#include <doca_ctx.h>
#include <doca_dev.h>
#include <doca_pe.h>

#if DOCA_USE_VERSION < DOCA_MAKE_VERSION(2, 5)
#error "doca_aes_gcm.h is there from 2.5 on: set DOCA_USE_VERSION to that or later"
#endif

#ifdef __cplusplus
extern "C" {
#endif

struct doca_aes_gcm;              /* AES-GCM library object */
struct doca_aes_gcm_key;          /* key of an object */
struct doca_aes_gcm_task_encrypt; /* encryption of one message */
struct doca_aes_gcm_task_decrypt; /* decryption of one message */
struct doca_buf;
struct doca_ctx;
struct doca_dev;
struct doca_devinfo;
struct doca_task;

/* Types of keys: of 16 and of 32 bytes. */
enum doca_aes_gcm_key_type { DOCA_AES_GCM_KEY_128 = 1, DOCA_AES_GCM_KEY_256 = 2 };

/**
 * Creates an AES-GCM object on a device.
 * @param dev open device; must stay open until the object is destroyed
 * @param aes_gcm receives the object; release it with doca_aes_gcm_destroy
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_NO_MEMORY: out of memory.
 * - DOCA_ERROR_NOT_SUPPORTED: the device does not support AES-GCM; see
 *   doca_aes_gcm_cap_task_encrypt_is_supported().
 * Since 2.5.
 */
DOCA_STABLE doca_error_t doca_aes_gcm_create(struct doca_dev *dev, struct doca_aes_gcm **aes_gcm);

/**
 * Destroys an AES-GCM object and its context.
 * @param aes_gcm AES-GCM object
 * States: IDLE.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_IN_USE: the context is not IDLE: stop it and progress until it is. Or the object has
 *   keys: destroy them first.
 * Since 2.5.
 */
DOCA_STABLE doca_error_t doca_aes_gcm_destroy(struct doca_aes_gcm *aes_gcm);

/**
 * Returns the context of an AES-GCM object.
 * @param aes_gcm AES-GCM object
 * @return the context, owned by the object; NULL if aes_gcm is NULL
 * Since 2.5.
 */
DOCA_STABLE struct doca_ctx *doca_aes_gcm_as_ctx(struct doca_aes_gcm *aes_gcm);

/**
 * Gets the largest number of tasks of one kind that an object can have.
 * @param aes_gcm AES-GCM object
 * @param max_num_tasks receives the number
 * @return DOCA_SUCCESS
 * Since 2.5.
 */
DOCA_STABLE doca_error_t doca_aes_gcm_cap_get_max_num_tasks(struct doca_aes_gcm *aes_gcm,
							    uint32_t *max_num_tasks);

/**
 * Creates a key for the tasks of an object.
 * @param aes_gcm AES-GCM object
 * @param raw_key bytes of the key: 16 or 32; read only during the call
 * @param raw_key_type type of the key
 * @param key receives the key; release it with doca_aes_gcm_key_destroy
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: the type does not exist.
 * - DOCA_ERROR_NOT_SUPPORTED: the device does not support the type.
 * - DOCA_ERROR_NO_MEMORY: out of memory.
 * - DOCA_ERROR_DRIVER: libcrypto refused the key.
 * Since 2.5.
 */
DOCA_STABLE doca_error_t doca_aes_gcm_key_create(struct doca_aes_gcm *aes_gcm, const void *raw_key,
						 enum doca_aes_gcm_key_type raw_key_type,
						 struct doca_aes_gcm_key **key);

/**
 * Destroys a key and overwrites it. Tasks that have it must get another one before they are
 * submitted.
 * @param key key
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_IN_USE: submitted tasks have the key; progress until they have completed.
 * Since 2.5.
 */
DOCA_STABLE doca_error_t doca_aes_gcm_key_destroy(struct doca_aes_gcm_key *key);

/**
 * Returns whether a device supports encrypt tasks.
 * @param devinfo device to query
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_NOT_SUPPORTED: the device does not support AES-GCM.
 * Since 2.5.
 */
DOCA_STABLE doca_error_t
doca_aes_gcm_cap_task_encrypt_is_supported(const struct doca_devinfo *devinfo);

/**
 * Gets the largest size of the initialization vector (IV) of an encrypt task.
 * @param devinfo device to query
 * @param max_iv_len receives the number of bytes
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_NOT_SUPPORTED: the device does not support AES-GCM.
 * Since 2.6.
 */
DOCA_STABLE doca_error_t doca_aes_gcm_cap_task_encrypt_get_max_iv_len(
	const struct doca_devinfo *devinfo, uint32_t *max_iv_len);

#if DOCA_API_BETWEEN(205, 205)
/**
 * Like doca_aes_gcm_cap_task_encrypt_get_max_iv_len(), by its name of 2.5.
 * @param devinfo device to query
 * @param max_iv_length receives the number of bytes
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_NOT_SUPPORTED: the device does not support AES-GCM.
 * In 2.5 only.
 */
DOCA_STABLE doca_error_t doca_aes_gcm_cap_task_encrypt_get_max_iv_length(
	const struct doca_devinfo *devinfo, uint32_t *max_iv_length);
#endif

/**
 * Returns whether an encrypt task can have a tag of 12 bytes.
 * @param devinfo device to query
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_NOT_SUPPORTED: the device does not support such tags.
 * Since 2.5.
 */
DOCA_STABLE doca_error_t
doca_aes_gcm_cap_task_encrypt_is_tag_96_supported(const struct doca_devinfo *devinfo);

/**
 * Returns whether an encrypt task can have a tag of 16 bytes.
 * @param devinfo device to query
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_NOT_SUPPORTED: the device does not support such tags.
 * Since 2.5.
 */
DOCA_STABLE doca_error_t
doca_aes_gcm_cap_task_encrypt_is_tag_128_supported(const struct doca_devinfo *devinfo);

/**
 * Returns whether an encrypt task can have a key of a type.
 * @param devinfo device to query
 * @param key_type type of the key
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: the type does not exist.
 * - DOCA_ERROR_NOT_SUPPORTED: the device does not support such keys.
 * Since 2.5.
 */
DOCA_STABLE doca_error_t doca_aes_gcm_cap_task_encrypt_is_key_type_supported(
	const struct doca_devinfo *devinfo, enum doca_aes_gcm_key_type key_type);

/**
 * Gets the size of the largest source of an encrypt task, all elements of a list together.
 * @param devinfo device to query
 * @param max_buffer_size receives the number of bytes; 2 MiB if the limit is 1 GiB or more, because
 *   programs allocate buffers of the size
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_NOT_SUPPORTED: the device does not support AES-GCM.
 * Since 2.5.
 */
DOCA_STABLE doca_error_t doca_aes_gcm_cap_task_encrypt_get_max_buf_size(
	const struct doca_devinfo *devinfo, uint64_t *max_buffer_size);

/**
 * Gets the largest number of elements in the buffer list of an encrypt task, source or destination.
 * @param devinfo device to query
 * @param max_list_num_elem receives the number of elements; 1 if lists are not supported
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_NOT_SUPPORTED: the device does not support AES-GCM.
 * Since 2.5.
 */
DOCA_STABLE doca_error_t doca_aes_gcm_cap_task_encrypt_get_max_list_buf_num_elem(
	const struct doca_devinfo *devinfo, uint32_t *max_list_num_elem);

/*
 * Called when an encrypt task has completed, with the user data of the task and of the context.
 * Runs inside doca_pe_progress().
 */
typedef void (*doca_aes_gcm_task_encrypt_completion_cb_t)(struct doca_aes_gcm_task_encrypt *task,
							  union doca_data task_user_data,
							  union doca_data ctx_user_data);

/**
 * Configures the encrypt tasks of an object: their callbacks and their number. Without this call
 * none can be allocated.
 * @param aes_gcm AES-GCM object
 * @param task_completion_cb called for each task that succeeded
 * @param task_error_cb called for each task that failed, with a status of the list at the top
 * @param num_tasks number of tasks
 * States: IDLE.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: the number is 0 or exceeds the result of
 *   doca_aes_gcm_cap_get_max_num_tasks().
 * - DOCA_ERROR_NO_MEMORY: out of memory for that many tasks.
 * Since 2.5.
 */
DOCA_STABLE doca_error_t doca_aes_gcm_task_encrypt_set_conf(
	struct doca_aes_gcm *aes_gcm, doca_aes_gcm_task_encrypt_completion_cb_t task_completion_cb,
	doca_aes_gcm_task_encrypt_completion_cb_t task_error_cb, uint32_t num_tasks);

/**
 * Allocates an encrypt task from the pool and sets its arguments.
 * @param aes_gcm AES-GCM object
 * @param src_buff head of a buffer list, or a single buffer, with the plain message; owned by the
 *   library from submission until the task completes
 * @param dst_buff head of a buffer list, or a single buffer, to append the sealed message to; owned
 *   by the library from submission until the task completes. It needs room for the
 *   data length of the source plus tag_size.
 * @param key key of the object; must not be destroyed until the task has completed
 * @param iv initialization vector; it is copied
 * @param iv_length size of the IV in bytes, at least 1
 * @param tag_size size of the tag in bytes: 12 or 16
 * @param aad_size size of the AAD in bytes
 * @param user_data user data for the callback
 * @param task receives the task; release it with doca_task_free
 * States: RUNNING. Allocates no memory.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: the key is of another object, or the device does not support the size
 *   of the IV or of the tag.
 * - DOCA_ERROR_NO_MEMORY: all tasks are allocated; free some, or configure more.
 * Since 2.5.
 */
DOCA_STABLE doca_error_t doca_aes_gcm_task_encrypt_alloc_init(
	struct doca_aes_gcm *aes_gcm, struct doca_buf const *src_buff, struct doca_buf *dst_buff,
	struct doca_aes_gcm_key *key, const uint8_t *iv, uint32_t iv_length, uint32_t tag_size,
	uint32_t aad_size, union doca_data user_data, struct doca_aes_gcm_task_encrypt **task);

/**
 * Returns an encrypt task as a general task, for submission.
 * @param task encrypt task
 * @return the same task; NULL if task is NULL
 * Since 2.5.
 */
DOCA_STABLE struct doca_task *doca_aes_gcm_task_encrypt_as_task(
	struct doca_aes_gcm_task_encrypt *task);

/**
 * Sets the source of an encrypt task.
 * @param task encrypt task
 * @param src_buff head of a buffer list, or a single buffer; owned by the library from submission
 *   until the task completes
 * States: not submitted.
 * Since 2.5.
 */
DOCA_STABLE void doca_aes_gcm_task_encrypt_set_src(struct doca_aes_gcm_task_encrypt *task,
						   struct doca_buf const *src_buff);

/**
 * Returns the source of an encrypt task.
 * @param task encrypt task
 * @return the buffer that was set
 * Since 2.5.
 */
DOCA_STABLE struct doca_buf const *doca_aes_gcm_task_encrypt_get_src(
	const struct doca_aes_gcm_task_encrypt *task);

/**
 * Sets the destination of an encrypt task.
 * @param task encrypt task
 * @param dst_buff head of a buffer list, or a single buffer; owned by the library from submission
 *   until the task completes
 * States: not submitted.
 * Since 2.5.
 */
DOCA_STABLE void doca_aes_gcm_task_encrypt_set_dst(struct doca_aes_gcm_task_encrypt *task,
						   struct doca_buf *dst_buff);

/**
 * Returns the destination of an encrypt task.
 * @param task encrypt task
 * @return the buffer that was set
 * Since 2.5.
 */
DOCA_STABLE struct doca_buf *doca_aes_gcm_task_encrypt_get_dst(
	const struct doca_aes_gcm_task_encrypt *task);

/**
 * Sets the key of an encrypt task.
 * @param task encrypt task
 * @param key key of the task's object, which must not be destroyed until the task has completed;
 *   a task does not keep a key of another object: it is refused, or fails
 * States: not submitted. A submitted task keeps its key.
 * Since 2.5.
 */
DOCA_STABLE void doca_aes_gcm_task_encrypt_set_key(struct doca_aes_gcm_task_encrypt *task,
						   struct doca_aes_gcm_key *key);

/**
 * Returns the key of an encrypt task.
 * @param task encrypt task
 * @return the key that was set; NULL if it was destroyed
 * Since 2.5.
 */
DOCA_STABLE struct doca_aes_gcm_key *doca_aes_gcm_task_encrypt_get_key(
	const struct doca_aes_gcm_task_encrypt *task);

/**
 * Sets the initialization vector of an encrypt task.
 * @param task encrypt task
 * @param iv bytes of the IV; they are copied
 * @param iv_length size in bytes; a size that the device does not support is reported at submission
 * States: not submitted.
 * Since 2.5.
 */
DOCA_STABLE void doca_aes_gcm_task_encrypt_set_iv(struct doca_aes_gcm_task_encrypt *task,
						  const uint8_t *iv, uint32_t iv_length);

/**
 * Returns the initialization vector of an encrypt task.
 * @param task encrypt task
 * @param iv_length receives the size in bytes; must not be NULL
 * @return bytes of the IV, owned by the task
 * Since 2.5.
 */
DOCA_STABLE const uint8_t *doca_aes_gcm_task_encrypt_get_iv(
	const struct doca_aes_gcm_task_encrypt *task, uint32_t *iv_length);

/**
 * Sets the size of the tag of an encrypt task.
 * @param task encrypt task
 * @param tag_size size in bytes: 12 or 16; another size is reported at submission
 * States: not submitted.
 * Since 2.5.
 */
DOCA_STABLE void doca_aes_gcm_task_encrypt_set_tag_size(struct doca_aes_gcm_task_encrypt *task,
							uint32_t tag_size);

/**
 * Returns the size of the tag of an encrypt task.
 * @param task encrypt task
 * @return the size in bytes
 * Since 2.5.
 */
DOCA_STABLE uint32_t
doca_aes_gcm_task_encrypt_get_tag_size(const struct doca_aes_gcm_task_encrypt *task);

/**
 * Sets the size of the AAD of an encrypt task.
 * @param task encrypt task
 * @param aad_size size in bytes
 * States: not submitted.
 * Since 2.5.
 */
DOCA_STABLE void doca_aes_gcm_task_encrypt_set_aad_size(struct doca_aes_gcm_task_encrypt *task,
							uint32_t aad_size);

/**
 * Returns the size of the AAD of an encrypt task.
 * @param task encrypt task
 * @return the size in bytes
 * Since 2.5.
 */
DOCA_STABLE uint32_t
doca_aes_gcm_task_encrypt_get_aad_size(const struct doca_aes_gcm_task_encrypt *task);

/**
 * Returns whether a device supports decrypt tasks.
 * @param devinfo device to query
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_NOT_SUPPORTED: the device does not support AES-GCM.
 * Since 2.5.
 */
DOCA_STABLE doca_error_t
doca_aes_gcm_cap_task_decrypt_is_supported(const struct doca_devinfo *devinfo);

/**
 * Gets the largest size of the initialization vector (IV) of a decrypt task.
 * @param devinfo device to query
 * @param max_iv_len receives the number of bytes
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_NOT_SUPPORTED: the device does not support AES-GCM.
 * Since 2.6.
 */
DOCA_STABLE doca_error_t doca_aes_gcm_cap_task_decrypt_get_max_iv_len(
	const struct doca_devinfo *devinfo, uint32_t *max_iv_len);

#if DOCA_API_BETWEEN(205, 205)
/**
 * Like doca_aes_gcm_cap_task_decrypt_get_max_iv_len(), by its name of 2.5.
 * @param devinfo device to query
 * @param max_iv_length receives the number of bytes
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_NOT_SUPPORTED: the device does not support AES-GCM.
 * In 2.5 only.
 */
DOCA_STABLE doca_error_t doca_aes_gcm_cap_task_decrypt_get_max_iv_length(
	const struct doca_devinfo *devinfo, uint32_t *max_iv_length);
#endif

/**
 * Returns whether a decrypt task can have a tag of 12 bytes.
 * @param devinfo device to query
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_NOT_SUPPORTED: the device does not support such tags.
 * Since 2.5.
 */
DOCA_STABLE doca_error_t
doca_aes_gcm_cap_task_decrypt_is_tag_96_supported(const struct doca_devinfo *devinfo);

/**
 * Returns whether a decrypt task can have a tag of 16 bytes.
 * @param devinfo device to query
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_NOT_SUPPORTED: the device does not support such tags.
 * Since 2.5.
 */
DOCA_STABLE doca_error_t
doca_aes_gcm_cap_task_decrypt_is_tag_128_supported(const struct doca_devinfo *devinfo);

/**
 * Returns whether a decrypt task can have a key of a type.
 * @param devinfo device to query
 * @param key_type type of the key
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: the type does not exist.
 * - DOCA_ERROR_NOT_SUPPORTED: the device does not support such keys.
 * Since 2.5.
 */
DOCA_STABLE doca_error_t doca_aes_gcm_cap_task_decrypt_is_key_type_supported(
	const struct doca_devinfo *devinfo, enum doca_aes_gcm_key_type key_type);

/**
 * Gets the size of the largest source of a decrypt task, all elements of a list together.
 * @param devinfo device to query
 * @param max_buffer_size receives the number of bytes; 2 MiB if the limit is 1 GiB or more, because
 *   programs allocate buffers of the size
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_NOT_SUPPORTED: the device does not support AES-GCM.
 * Since 2.5.
 */
DOCA_STABLE doca_error_t doca_aes_gcm_cap_task_decrypt_get_max_buf_size(
	const struct doca_devinfo *devinfo, uint64_t *max_buffer_size);

/**
 * Gets the largest number of elements in the buffer list of a decrypt task, source or destination.
 * @param devinfo device to query
 * @param max_list_num_elem receives the number of elements; 1 if lists are not supported
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_NOT_SUPPORTED: the device does not support AES-GCM.
 * Since 2.5.
 */
DOCA_STABLE doca_error_t doca_aes_gcm_cap_task_decrypt_get_max_list_buf_num_elem(
	const struct doca_devinfo *devinfo, uint32_t *max_list_num_elem);

/*
 * Called when a decrypt task has completed, with the user data of the task and of the context. Runs
 * inside doca_pe_progress().
 */
typedef void (*doca_aes_gcm_task_decrypt_completion_cb_t)(struct doca_aes_gcm_task_decrypt *task,
							  union doca_data task_user_data,
							  union doca_data ctx_user_data);

/**
 * Configures the decrypt tasks of an object: their callbacks and their number. Without this call
 * none can be allocated.
 * @param aes_gcm AES-GCM object
 * @param task_completion_cb called for each task that succeeded
 * @param task_error_cb called for each task that failed, with a status of the list at the top
 * @param num_tasks number of tasks
 * States: IDLE.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: the number is 0 or exceeds the result of
 *   doca_aes_gcm_cap_get_max_num_tasks().
 * - DOCA_ERROR_NO_MEMORY: out of memory for that many tasks.
 * Since 2.5.
 */
DOCA_STABLE doca_error_t doca_aes_gcm_task_decrypt_set_conf(
	struct doca_aes_gcm *aes_gcm, doca_aes_gcm_task_decrypt_completion_cb_t task_completion_cb,
	doca_aes_gcm_task_decrypt_completion_cb_t task_error_cb, uint32_t num_tasks);

/**
 * Allocates a decrypt task from the pool and sets its arguments.
 * @param aes_gcm AES-GCM object
 * @param src_buff head of a buffer list, or a single buffer, with the sealed message; owned by the
 *   library from submission until the task completes
 * @param dst_buff head of a buffer list, or a single buffer, to append the plain message to; owned
 *   by the library from submission until the task completes. It needs room for the
 *   data length of the source minus tag_size.
 * @param key key of the object; must not be destroyed until the task has completed
 * @param iv initialization vector; it is copied
 * @param iv_length size of the IV in bytes, at least 1
 * @param tag_size size of the tag in bytes: 12 or 16
 * @param aad_size size of the AAD in bytes
 * @param user_data user data for the callback
 * @param task receives the task; release it with doca_task_free
 * States: RUNNING. Allocates no memory.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: the key is of another object, or the device does not support the size
 *   of the IV or of the tag.
 * - DOCA_ERROR_NO_MEMORY: all tasks are allocated; free some, or configure more.
 * Since 2.5.
 */
DOCA_STABLE doca_error_t doca_aes_gcm_task_decrypt_alloc_init(
	struct doca_aes_gcm *aes_gcm, struct doca_buf const *src_buff, struct doca_buf *dst_buff,
	struct doca_aes_gcm_key *key, const uint8_t *iv, uint32_t iv_length, uint32_t tag_size,
	uint32_t aad_size, union doca_data user_data, struct doca_aes_gcm_task_decrypt **task);

/**
 * Returns a decrypt task as a general task, for submission.
 * @param task decrypt task
 * @return the same task; NULL if task is NULL
 * Since 2.5.
 */
DOCA_STABLE struct doca_task *doca_aes_gcm_task_decrypt_as_task(
	struct doca_aes_gcm_task_decrypt *task);

/**
 * Sets the source of a decrypt task.
 * @param task decrypt task
 * @param src_buff head of a buffer list, or a single buffer; owned by the library from submission
 *   until the task completes
 * States: not submitted.
 * Since 2.5.
 */
DOCA_STABLE void doca_aes_gcm_task_decrypt_set_src(struct doca_aes_gcm_task_decrypt *task,
						   struct doca_buf const *src_buff);

/**
 * Returns the source of a decrypt task.
 * @param task decrypt task
 * @return the buffer that was set
 * Since 2.5.
 */
DOCA_STABLE struct doca_buf const *doca_aes_gcm_task_decrypt_get_src(
	const struct doca_aes_gcm_task_decrypt *task);

/**
 * Sets the destination of a decrypt task.
 * @param task decrypt task
 * @param dst_buff head of a buffer list, or a single buffer; owned by the library from submission
 *   until the task completes
 * States: not submitted.
 * Since 2.5.
 */
DOCA_STABLE void doca_aes_gcm_task_decrypt_set_dst(struct doca_aes_gcm_task_decrypt *task,
						   struct doca_buf *dst_buff);

/**
 * Returns the destination of a decrypt task.
 * @param task decrypt task
 * @return the buffer that was set
 * Since 2.5.
 */
DOCA_STABLE struct doca_buf *doca_aes_gcm_task_decrypt_get_dst(
	const struct doca_aes_gcm_task_decrypt *task);

/**
 * Sets the key of a decrypt task.
 * @param task decrypt task
 * @param key key of the task's object, which must not be destroyed until the task has completed;
 *   a task does not keep a key of another object: it is refused, or fails
 * States: not submitted. A submitted task keeps its key.
 * Since 2.5.
 */
DOCA_STABLE void doca_aes_gcm_task_decrypt_set_key(struct doca_aes_gcm_task_decrypt *task,
						   struct doca_aes_gcm_key *key);

/**
 * Returns the key of a decrypt task.
 * @param task decrypt task
 * @return the key that was set; NULL if it was destroyed
 * Since 2.5.
 */
DOCA_STABLE struct doca_aes_gcm_key *doca_aes_gcm_task_decrypt_get_key(
	const struct doca_aes_gcm_task_decrypt *task);

/**
 * Sets the initialization vector of a decrypt task.
 * @param task decrypt task
 * @param iv bytes of the IV; they are copied
 * @param iv_length size in bytes; a size that the device does not support is reported at submission
 * States: not submitted.
 * Since 2.5.
 */
DOCA_STABLE void doca_aes_gcm_task_decrypt_set_iv(struct doca_aes_gcm_task_decrypt *task,
						  const uint8_t *iv, uint32_t iv_length);

/**
 * Returns the initialization vector of a decrypt task.
 * @param task decrypt task
 * @param iv_length receives the size in bytes; must not be NULL
 * @return bytes of the IV, owned by the task
 * Since 2.5.
 */
DOCA_STABLE const uint8_t *doca_aes_gcm_task_decrypt_get_iv(
	const struct doca_aes_gcm_task_decrypt *task, uint32_t *iv_length);

/**
 * Sets the size of the tag of a decrypt task.
 * @param task decrypt task
 * @param tag_size size in bytes: 12 or 16; another size is reported at submission
 * States: not submitted.
 * Since 2.5.
 */
DOCA_STABLE void doca_aes_gcm_task_decrypt_set_tag_size(struct doca_aes_gcm_task_decrypt *task,
							uint32_t tag_size);

/**
 * Returns the size of the tag of a decrypt task.
 * @param task decrypt task
 * @return the size in bytes
 * Since 2.5.
 */
DOCA_STABLE uint32_t
doca_aes_gcm_task_decrypt_get_tag_size(const struct doca_aes_gcm_task_decrypt *task);

/**
 * Sets the size of the AAD of a decrypt task.
 * @param task decrypt task
 * @param aad_size size in bytes
 * States: not submitted.
 * Since 2.5.
 */
DOCA_STABLE void doca_aes_gcm_task_decrypt_set_aad_size(struct doca_aes_gcm_task_decrypt *task,
							uint32_t aad_size);

/**
 * Returns the size of the AAD of a decrypt task.
 * @param task decrypt task
 * @return the size in bytes
 * Since 2.5.
 */
DOCA_STABLE uint32_t
doca_aes_gcm_task_decrypt_get_aad_size(const struct doca_aes_gcm_task_decrypt *task);

#ifdef __cplusplus
}
#endif

#endif
