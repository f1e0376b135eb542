/*
 * RDMA of 2.5 and 2.6, whose objects have one connection and no name for it; included by
 * doca_rdma.h.
 *
 * The functions that set and get what a task holds do not check the task for NULL.
 *
 * Threads: as doca_rdma.h says.
 */
#ifndef DOCA_RDMA_FORMER_H_
#define DOCA_RDMA_FORMER_H_

#include <doca_rdma.h>

#if !DOCA_API_BETWEEN(205, 206)
#error "doca_rdma_former.h is for programs of 2.5 and 2.6: include doca_rdma.h"
#endif

#ifdef __cplusplus
extern "C" {
#endif

struct doca_dpa_dev_rdma; /* handle for code on a DPA */
struct doca_sync_event_remote_net;
struct doca_rdma_task_receive;
struct doca_rdma_task_send;
struct doca_rdma_task_send_imm;
struct doca_rdma_task_read;
struct doca_rdma_task_write;
struct doca_rdma_task_write_imm;
struct doca_rdma_task_atomic_cmp_swp;
struct doca_rdma_task_atomic_fetch_add;
struct doca_rdma_task_remote_net_sync_event_get;
struct doca_rdma_task_remote_net_sync_event_notify_set;
struct doca_rdma_task_remote_net_sync_event_notify_add;

/**
 * Makes an RDMA object on a device. Configure it, connect its context to a progress engine and
 * start it. The start gives IN_PROGRESS: while the context is STARTING, export, hand the details to
 * the other end, connect with its details, and progress; the context is RUNNING when the connection
 * stands.
 * @param dev open device; held until destroy
 * @param rdma receives the object; give it back with doca_rdma_destroy
 * Threads: one at a time per object.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_NO_MEMORY: no memory.
 * - DOCA_ERROR_INITIALIZATION: the device has no RDMA; the sentence says what would help.
 * Since 2.5, until 2.6. Source: DOCA RDMA guide.
 */
DOCA_STABLE doca_error_t doca_rdma_create(struct doca_dev *dev, struct doca_rdma **rdma)
	DOCA_BIND(doca_rdma_create, 2_5);

/**
 * Describes the connection for the other end, which calls doca_rdma_connect with it. Asked again,
 * the same description is the answer.
 * @param rdma RDMA object
 * @param local_rdma_conn_details receives the description, at most 256 bytes; owned by the object
 *   until its context is IDLE
 * @param local_rdma_conn_details_size receives its bytes
 * States: STARTING, RUNNING. Threads: those of the progress engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_BAD_STATE: the context was not started, or the device could not make a connection.
 * Since 2.0, until 2.6. Source: DOCA RDMA guide.
 */
DOCA_STABLE doca_error_t doca_rdma_export(const struct doca_rdma *rdma,
					  const void **local_rdma_conn_details,
					  size_t *local_rdma_conn_details_size)
	DOCA_BIND(doca_rdma_export, 2_0);

/**
 * Connects with the other end. The context is RUNNING when the connection stands; if it cannot be
 * made, the context stops.
 * @param rdma RDMA object
 * @param remote_rdma_conn_details description from the other end; borrowed for the call
 * @param remote_rdma_conn_details_size bytes of it; more than there were is fine
 * States: STARTING. Threads: those of the progress engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL, or the description is damaged or of another kind
 *   of device.
 * - DOCA_ERROR_BAD_STATE: the context is not STARTING, or doca_rdma_export was not called before.
 * - DOCA_ERROR_CONNECTION_ABORTED: the other end is not there, or the device could not connect; the
 *   sentence says why.
 * - DOCA_ERROR_NOT_SUPPORTED: not given here.
 * Since 2.0, until 2.6. Source: DOCA RDMA guide.
 */
DOCA_STABLE doca_error_t doca_rdma_connect(struct doca_rdma *rdma,
					   const void *remote_rdma_conn_details,
					   size_t remote_rdma_conn_details_size)
	DOCA_BIND(doca_rdma_connect, 2_0);

/**
 * Entries of the device's GID table.
 * @param devinfo description of the device; borrowed for the call
 * @param gid_table_size receives the number
 * Threads: any.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_DRIVER: the device has no RDMA, or could not be asked; the sentence says which.
 * Since 2.5. Source: DOCA RDMA guide.
 */
DOCA_STABLE doca_error_t doca_rdma_cap_get_gid_table_size(struct doca_devinfo *devinfo,
							  uint32_t *gid_table_size);

/**
 * Entries of the device's GID table, from one on.
 * @param devinfo description of the device; borrowed for the call
 * @param start_index first entry
 * @param num_entries how many
 * @param gid_array receives them; room for num_entries
 * Threads: any.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL, num_entries is 0, or the table ends before; ask
 *   for its size.
 * - DOCA_ERROR_DRIVER: the device has no RDMA, or could not be asked; the sentence says which.
 * Since 2.5. Source: DOCA RDMA guide.
 */
DOCA_STABLE doca_error_t doca_rdma_cap_get_gid(struct doca_devinfo *devinfo, uint32_t start_index,
					       uint32_t num_entries,
					       struct doca_rdma_gid *gid_array);

/**
 * Would give code on a DPA its handle of the object.
 * @param rdma RDMA object
 * @param dpa_rdma not written
 * States: any. Threads: those of the progress engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_BAD_STATE: otherwise: no context of this runtime has its data path on a DPA.
 * Since 2.5, until 2.6. Source: DOCA RDMA guide.
 */
DOCA_STABLE doca_error_t doca_rdma_get_dpa_handle(struct doca_rdma *rdma,
						  struct doca_dpa_dev_rdma **dpa_rdma)
	DOCA_BIND(doca_rdma_get_dpa_handle, 2_5);

/**
 * Takes a task from the pool that sends a message, which takes a receive at the other end.
 * @param rdma RDMA object
 * @param src_buf buffer of this process, or list of them, whose data is sent; borrowed until the
 *   task completes; NULL: a message of no bytes
 * @param user_data word for the callback
 * @param task receives the task; give it back with doca_task_free
 * States: RUNNING. No allocation. Threads: those of the progress engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an object or the place for the task is NULL.
 * - DOCA_ERROR_NO_MEMORY: all tasks are taken; free some, or configure more with
 *   doca_rdma_task_send_set_conf.
 * - DOCA_ERROR_BAD_STATE: the context is not RUNNING; the connection stands once it is.
 * Since 2.5, until 2.6. Source: DOCA RDMA guide.
 */
DOCA_STABLE doca_error_t doca_rdma_task_send_allocate_init(struct doca_rdma *rdma,
							   const struct doca_buf *src_buf,
							   union doca_data user_data,
							   struct doca_rdma_task_send **task)
	DOCA_BIND(doca_rdma_task_send_allocate_init, 2_5);

/**
 * Takes a task from the pool that sends a message with four bytes beside it, which the receive at
 * the other end gets.
 * @param rdma RDMA object
 * @param src_buf buffer of this process, or list of them, whose data is sent; borrowed until the
 *   task completes; NULL: a message of no bytes
 * @param immediate_data the four bytes; not interpreted
 * @param user_data word for the callback
 * @param task receives the task; give it back with doca_task_free
 * States: RUNNING. No allocation. Threads: those of the progress engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an object or the place for the task is NULL.
 * - DOCA_ERROR_NO_MEMORY: all tasks are taken; free some, or configure more with
 *   doca_rdma_task_send_imm_set_conf.
 * - DOCA_ERROR_BAD_STATE: the context is not RUNNING; the connection stands once it is.
 * Since 2.5, until 2.6. Source: DOCA RDMA guide.
 */
DOCA_STABLE doca_error_t doca_rdma_task_send_imm_allocate_init(
	struct doca_rdma *rdma, const struct doca_buf *src_buf, doca_be32_t immediate_data,
	union doca_data user_data, struct doca_rdma_task_send_imm **task)
	DOCA_BIND(doca_rdma_task_send_imm_allocate_init, 2_5);

/**
 * Takes a task from the pool that reads from memory of the other end, which takes no part in it.
 * @param rdma RDMA object
 * @param src_buf single buffer of a mmap that was made of an RDMA export of the other end; its data
 *   is read
 * @param dst_buf buffer of this process, or list of them, behind whose data the bytes go; borrowed
 *   until the task completes
 * @param user_data word for the callback
 * @param task receives the task; give it back with doca_task_free
 * States: RUNNING. No allocation. Threads: those of the progress engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an object or the place for the task is NULL.
 * - DOCA_ERROR_NO_MEMORY: all tasks are taken; free some, or configure more with
 *   doca_rdma_task_read_set_conf.
 * - DOCA_ERROR_BAD_STATE: the context is not RUNNING; the connection stands once it is.
 * Since 2.5, until 2.6. Source: DOCA RDMA guide.
 */
DOCA_STABLE doca_error_t doca_rdma_task_read_allocate_init(struct doca_rdma *rdma,
							   const struct doca_buf *src_buf,
							   struct doca_buf *dst_buf,
							   union doca_data user_data,
							   struct doca_rdma_task_read **task)
	DOCA_BIND(doca_rdma_task_read_allocate_init, 2_5);

/**
 * Takes a task from the pool that writes to memory of the other end, which takes no part in it.
 * @param rdma RDMA object
 * @param src_buf buffer of this process, or list of them, whose data is written; borrowed until the
 *   task completes; NULL: no bytes
 * @param dst_buf single buffer of a mmap that was made of an RDMA export of the other end; the
 *   bytes go behind its data, which grows by them. May be NULL if there are no bytes
 * @param user_data word for the callback
 * @param task receives the task; give it back with doca_task_free
 * States: RUNNING. No allocation. Threads: those of the progress engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an object or the place for the task is NULL.
 * - DOCA_ERROR_NO_MEMORY: all tasks are taken; free some, or configure more with
 *   doca_rdma_task_write_set_conf.
 * - DOCA_ERROR_BAD_STATE: the context is not RUNNING; the connection stands once it is.
 * Since 2.5, until 2.6. Source: DOCA RDMA guide.
 */
DOCA_STABLE doca_error_t doca_rdma_task_write_allocate_init(struct doca_rdma *rdma,
							    const struct doca_buf *src_buf,
							    struct doca_buf *dst_buf,
							    union doca_data user_data,
							    struct doca_rdma_task_write **task)
	DOCA_BIND(doca_rdma_task_write_allocate_init, 2_5);

/**
 * Takes a task from the pool that writes to memory of the other end and then completes a receive
 * there, which gets four bytes.
 * @param rdma RDMA object
 * @param src_buf buffer of this process, or list of them, whose data is written; borrowed until the
 *   task completes; NULL: no bytes
 * @param dst_buf single buffer of a mmap that was made of an RDMA export of the other end; the
 *   bytes go behind its data, which grows by them. May be NULL if there are no bytes
 * @param immediate_data the four bytes; not interpreted
 * @param user_data word for the callback
 * @param task receives the task; give it back with doca_task_free
 * States: RUNNING. No allocation. Threads: those of the progress engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an object or the place for the task is NULL.
 * - DOCA_ERROR_NO_MEMORY: all tasks are taken; free some, or configure more with
 *   doca_rdma_task_write_imm_set_conf.
 * - DOCA_ERROR_BAD_STATE: the context is not RUNNING; the connection stands once it is.
 * Since 2.5, until 2.6. Source: DOCA RDMA guide.
 */
DOCA_STABLE doca_error_t doca_rdma_task_write_imm_allocate_init(
	struct doca_rdma *rdma, const struct doca_buf *src_buf, struct doca_buf *dst_buf,
	doca_be32_t immediate_data, union doca_data user_data,
	struct doca_rdma_task_write_imm **task)
	DOCA_BIND(doca_rdma_task_write_imm_allocate_init, 2_5);

/**
 * Takes a task from the pool that compares 8 bytes of the other end with a value and, if they are
 * the same, sets them to another, in one step.
 * @param rdma RDMA object
 * @param dst_buf single buffer of a mmap that was made of an RDMA export of the other end; its data
 *   begins with the 8 bytes, at a multiple of 8
 * @param result_buf buffer of this process behind whose data the value before goes, 8 bytes;
 *   borrowed until the task completes
 * @param cmp_data value to compare with
 * @param swap_data value to set
 * @param user_data word for the callback
 * @param task receives the task; give it back with doca_task_free
 * States: RUNNING. No allocation. Threads: those of the progress engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an object or the place for the task is NULL.
 * - DOCA_ERROR_NO_MEMORY: all tasks are taken; free some, or configure more with
 *   doca_rdma_task_atomic_cmp_swp_set_conf.
 * - DOCA_ERROR_BAD_STATE: the context is not RUNNING; the connection stands once it is.
 * Since 2.5, until 2.6. Source: DOCA RDMA guide.
 */
DOCA_STABLE doca_error_t doca_rdma_task_atomic_cmp_swp_allocate_init(
	struct doca_rdma *rdma, struct doca_buf *dst_buf, struct doca_buf *result_buf,
	uint64_t cmp_data, uint64_t swap_data, union doca_data user_data,
	struct doca_rdma_task_atomic_cmp_swp **task)
	DOCA_BIND(doca_rdma_task_atomic_cmp_swp_allocate_init, 2_5);

/**
 * Takes a task from the pool that adds to 8 bytes of the other end in one step, and wraps at 2^64.
 * @param rdma RDMA object
 * @param dst_buf single buffer of a mmap that was made of an RDMA export of the other end; its data
 *   begins with the 8 bytes, at a multiple of 8
 * @param result_buf buffer of this process behind whose data the value before goes, 8 bytes;
 *   borrowed until the task completes
 * @param add_data value to add
 * @param user_data word for the callback
 * @param task receives the task; give it back with doca_task_free
 * States: RUNNING. No allocation. Threads: those of the progress engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an object or the place for the task is NULL.
 * - DOCA_ERROR_NO_MEMORY: all tasks are taken; free some, or configure more with
 *   doca_rdma_task_atomic_fetch_add_set_conf.
 * - DOCA_ERROR_BAD_STATE: the context is not RUNNING; the connection stands once it is.
 * Since 2.5, until 2.6. Source: DOCA RDMA guide.
 */
DOCA_STABLE doca_error_t doca_rdma_task_atomic_fetch_add_allocate_init(
	struct doca_rdma *rdma, struct doca_buf *dst_buf, struct doca_buf *result_buf,
	uint64_t add_data, union doca_data user_data, struct doca_rdma_task_atomic_fetch_add **task)
	DOCA_BIND(doca_rdma_task_atomic_fetch_add_allocate_init, 2_5);

/**
 * Takes a task from the pool that reads the counter of a sync event of the other end.
 * @param rdma RDMA object
 * @param event handle of a sync event that was exported for the network, made with the device of
 *   the object; borrowed until the task completes
 * @param dst_buf buffer of this process behind whose data the counter goes, 8 bytes; borrowed until
 *   the task completes
 * @param user_data word for the callback
 * @param task receives the task; give it back with doca_task_free
 * States: RUNNING. No allocation. Threads: those of the progress engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an object or the place for the task is NULL.
 * - DOCA_ERROR_NO_MEMORY: all tasks are taken; free some, or configure more with
 *   doca_rdma_task_remote_net_sync_event_get_set_conf.
 * - DOCA_ERROR_BAD_STATE: the context is not RUNNING; the connection stands once it is.
 * Since 2.5, until 2.6. Source: DOCA RDMA guide.
 */
DOCA_STABLE doca_error_t doca_rdma_task_remote_net_sync_event_get_allocate_init(
	struct doca_rdma *rdma, const struct doca_sync_event_remote_net *event,
	struct doca_buf *dst_buf, union doca_data user_data,
	struct doca_rdma_task_remote_net_sync_event_get **task)
	DOCA_BIND(doca_rdma_task_remote_net_sync_event_get_allocate_init, 2_5);

/**
 * Takes a task from the pool that sets the counter of a sync event of the other end and wakes who
 * waits for it.
 * @param rdma RDMA object
 * @param event handle of a sync event that was exported for the network, made with the device of
 *   the object; borrowed until the task completes
 * @param src_buf buffer of this process whose data is the value, 8 bytes; borrowed until the task
 *   completes
 * @param user_data word for the callback
 * @param task receives the task; give it back with doca_task_free
 * States: RUNNING. No allocation. Threads: those of the progress engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an object or the place for the task is NULL.
 * - DOCA_ERROR_NO_MEMORY: all tasks are taken; free some, or configure more with
 *   doca_rdma_task_remote_net_sync_event_notify_set_set_conf.
 * - DOCA_ERROR_BAD_STATE: the context is not RUNNING; the connection stands once it is.
 * Since 2.5, until 2.6. Source: DOCA RDMA guide.
 */
DOCA_STABLE doca_error_t doca_rdma_task_remote_net_sync_event_notify_set_allocate_init(
	struct doca_rdma *rdma, struct doca_sync_event_remote_net *event,
	const struct doca_buf *src_buf, union doca_data user_data,
	struct doca_rdma_task_remote_net_sync_event_notify_set **task)
	DOCA_BIND(doca_rdma_task_remote_net_sync_event_notify_set_allocate_init, 2_5);

/**
 * Takes a task from the pool that adds to the counter of a sync event of the other end in one step,
 * and wakes who waits for it.
 * @param rdma RDMA object
 * @param event handle of a sync event that was exported for the network, made with the device of
 *   the object; borrowed until the task completes
 * @param result_buf buffer of this process behind whose data the value before goes, 8 bytes;
 *   borrowed until the task completes
 * @param add_data value to add
 * @param user_data word for the callback
 * @param task receives the task; give it back with doca_task_free
 * States: RUNNING. No allocation. Threads: those of the progress engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an object or the place for the task is NULL.
 * - DOCA_ERROR_NO_MEMORY: all tasks are taken; free some, or configure more with
 *   doca_rdma_task_remote_net_sync_event_notify_add_set_conf.
 * - DOCA_ERROR_BAD_STATE: the context is not RUNNING; the connection stands once it is.
 * Since 2.5, until 2.6. Source: DOCA RDMA guide.
 */
DOCA_STABLE doca_error_t doca_rdma_task_remote_net_sync_event_notify_add_allocate_init(
	struct doca_rdma *rdma, struct doca_sync_event_remote_net *event,
	struct doca_buf *result_buf, uint64_t add_data, union doca_data user_data,
	struct doca_rdma_task_remote_net_sync_event_notify_add **task)
	DOCA_BIND(doca_rdma_task_remote_net_sync_event_notify_add_allocate_init, 2_5);

#if DOCA_API_BETWEEN(205, 205)
/**
 * Says whether packets of connections that are made by details carry a global routing header. On
 * Ethernet they always do; those by address have one if the path needs it.
 * @param rdma RDMA object
 * @param grh_enabled true unless set
 * States: IDLE. Threads: those of the progress engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: rdma is NULL.
 * - DOCA_ERROR_NOT_SUPPORTED: not given here.
 * - DOCA_ERROR_BAD_STATE: the context is not IDLE; stop it first.
 * Since 2.0, until 2.5. Source: DOCA RDMA guide.
 */
DOCA_STABLE doca_error_t doca_rdma_set_grh_enabled(struct doca_rdma *rdma, bool grh_enabled)
	DOCA_BIND(doca_rdma_set_grh_enabled, 2_0);

/**
 * Whether packets carry a global routing header.
 * @param rdma RDMA object
 * @param grh_enabled receives the answer
 * States: any. Threads: those of the progress engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * Since 2.0, until 2.5. Source: DOCA RDMA guide.
 */
DOCA_STABLE doca_error_t doca_rdma_get_grh_enabled(const struct doca_rdma *rdma, bool *grh_enabled)
	DOCA_BIND(doca_rdma_get_grh_enabled, 2_0);

/**
 * Bytes that came.
 * @param task task
 * States: completed with success. Threads: those of the progress engine.
 * @return the bytes
 * Since 2.5, until 2.5. Source: DOCA RDMA guide.
 */
DOCA_STABLE uint32_t
doca_rdma_task_receive_get_result_length(const struct doca_rdma_task_receive *task);

/**
 * Bytes that were read.
 * @param task task
 * States: completed with success. Threads: those of the progress engine.
 * @return the bytes
 * Since 2.5, until 2.5. Source: DOCA RDMA guide.
 */
DOCA_STABLE uint32_t doca_rdma_task_read_get_result_length(const struct doca_rdma_task_read *task);

/**
 * Bytes that were read.
 * @param task task
 * States: completed with success. Threads: those of the progress engine.
 * @return the bytes
 * Since 2.5, until 2.5. Source: DOCA RDMA guide.
 */
DOCA_STABLE uint32_t doca_rdma_task_remote_net_sync_event_get_get_result_length(
	const struct doca_rdma_task_remote_net_sync_event_get *task);
#endif

#ifdef __cplusplus
}
#endif

#if DOCA_API_BETWEEN(206, 206)
#include <doca_rdma_srq_former.h>
#endif

#endif
