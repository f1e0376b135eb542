/*
 * RDMA: messages between the two ends of a connection, and one-sided operations on the memory and
 * the sync events of the peer. The peer's program takes no part in a one-sided operation.
 *
 * From 2.5 on operations are tasks: see dococ/rdma_task.h. Up to 2.2 they are jobs of a work queue,
 * and much else differs: see dococ/rdma_workq.h.
 *
 * From 2.9 on an object has as many connections as it was configured for, and calls name the
 * connection. Before, an object has one connection, which export, connect and tasks do not name:
 * see dococ/rdma_former.h. A connection is made in one of two ways:
 *
 * - by details: each end calls doca_rdma_export(), sends the description to the other end, and
 *   calls doca_rdma_connect();
 * - by address, from 2.7 on: one end listens, the other connects, and the first one accepts.
 *
 * Receives belong to the object: a message from any connection is received by the oldest receive.
 * Tasks of one connection take effect in the order in which they were submitted. If one of them
 * fails at the peer, the connection is broken: all later tasks of the connection fail, too. Other
 * connections are not affected.
 *
 * Local memory is a buffer of a started memory map that has the object's device. Memory of the peer
 * is a buffer of a memory map that doca_mmap_create_from_export() created from the result of the
 * peer's doca_mmap_export_rdma(). The exporter's permissions and bounds apply to every operation.
 * Received and read bytes are appended to the data of the destination.
 *
 * A call without a "States:" line is allowed in every state.
 *
 * Status of a failed task, from doca_task_get_status():
 *
 * - DOCA_ERROR_CONNECTION_RESET: the connection broke or ended.
 * - DOCA_ERROR_CONNECTION_ABORTED: the connection was never made.
 * - DOCA_ERROR_NOT_PERMITTED, DOCA_ERROR_IO_FAILED: the peer refused the operation.
 * - DOCA_ERROR_SHUTDOWN: the context was stopped.
 *
 * The submission of a task whose arguments are wrong returns DOCA_ERROR_INVALID_VALUE, and
 * DOCA_ERROR_NOT_CONNECTED if its connection was not made yet. The program keeps the task.
 *
 * Errors that the doc blocks do not repeat:
 *
 * - DOCA_ERROR_INVALID_VALUE: a pointer argument is NULL, and its description does not allow that.
 * - DOCA_ERROR_BAD_STATE: the context is not in the state of the "States:" line, unless another
 *   code of the doc block applies.
 *
 * Threads: an object, its connections and its tasks may be used by one thread at a time, the thread
 * of their progress engine. Capability queries and address creation may be called from any thread.
 *
 * Reference: DOCA RDMA guide.
 *
 * Example: send a buffer over a connection. Before the start, the program configured the send tasks
 * with doca_rdma_task_send_set_conf() and connected the context to an engine, as the example of
 * doca_dma.h does. After the start, it made the connection: it called doca_rdma_export(), exchanged
 * the descriptions with the peer, and called doca_rdma_connect().
 *
 *     #include <doca_pe.h>
 *
 *     doca_error_t send_buffer(struct doca_rdma *rdma, struct doca_rdma_connection *connection,
 *                              const struct doca_buf *data, union doca_data user_data)
 *     {
 *         struct doca_rdma_task_send *task;
 *         doca_error_t result = doca_rdma_task_send_allocate_init(rdma, connection, data,
 *                                                                 user_data, &task);
 *
 *         if (result != DOCA_SUCCESS)
 *             return result;
 *         if ((result = doca_task_submit(doca_rdma_task_send_as_task(task))) != DOCA_SUCCESS)
 *             doca_task_free(doca_rdma_task_send_as_task(task));
 *         return result;
 *     }
 */
#ifndef DOCA_RDMA_H_
#define DOCA_RDMA_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <doca_compat.h>
#include <doca_error.h>
#include <doca_types.h>

/* The current interface uses identifiers of librdmacm. A build without librdmacm compiles, too. */
#if DOCA_USE_VERSION >= DOCA_MAKE_VERSION(2, 7) && __has_include(<rdma/rdma_cma.h>)
#include <rdma/rdma_cma.h>
#endif

#include <doca_buf.h>
#include <doca_ctx.h>
#include <doca_dev.h>

#if !DOCA_API_WORKQ
#include <doca_pe.h>
#include <doca_sync_event.h>
#endif

#if DOCA_USE_VERSION < DOCA_MAKE_VERSION(2, 0)
#error "doca_rdma.h is there from 2.0 on: set DOCA_USE_VERSION to that or later"
#endif

#ifdef __cplusplus
extern "C" {
#endif

struct doca_buf;
struct doca_ctx;
struct doca_dev;
struct doca_devinfo;
struct doca_rdma;      /* RDMA library object */
struct doca_rdma_addr; /* address of a peer; up to 2.2 of a connection-less transport */
struct doca_task;

/* Transports: reliable connection (RC) and dynamically connected (DC). */
#if DOCA_API_WORKQ
enum doca_rdma_transport_type { DOCA_RDMA_TRANSPORT_RC = 0, DOCA_RDMA_TRANSPORT_DC = 1 };
#else
enum doca_rdma_transport_type { DOCA_RDMA_TRANSPORT_TYPE_RC = 0, DOCA_RDMA_TRANSPORT_TYPE_DC = 1 };
#endif

/* Global identifier (GID) of a port. */
struct doca_rdma_gid {
	uint8_t raw[DOCA_GID_BYTE_LENGTH];
};

/**
 * Destroys an RDMA object, its context and all its connections.
 * @param rdma RDMA object
 * States: IDLE.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_BAD_STATE: the context is not IDLE; stop it and progress until it is.
 * Since 2.0.
 */
DOCA_STABLE doca_error_t doca_rdma_destroy(struct doca_rdma *rdma);

/**
 * Returns the context of an RDMA object.
 * @param rdma RDMA object
 * @return the context, owned by the object; NULL if rdma is NULL
 * Since 2.0.
 */
DOCA_STABLE struct doca_ctx *doca_rdma_as_ctx(struct doca_rdma *rdma);

/**
 * Sets how many tasks of one connection, not counting receives, may be in flight at a time.
 * @param rdma RDMA object
 * @param send_queue_size number of tasks; the default is 256, or the device's maximum if that is
 *   less
 * States: IDLE.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: the size is 0.
 * - DOCA_ERROR_NOT_SUPPORTED: more than the device's maximum; see
 *   doca_rdma_cap_get_max_send_queue_size().
 * - DOCA_ERROR_BAD_STATE: the context is not IDLE; stop it first. Up to 2.2 also if the context has
 *   no device.
 * Since 2.0.
 */
DOCA_STABLE doca_error_t doca_rdma_set_send_queue_size(struct doca_rdma *rdma,
						       uint32_t send_queue_size);

/**
 * Sets how many receives may be posted at a time. All connections share them.
 * @param rdma RDMA object
 * @param recv_queue_size number of receives; the default is 256, or the device's maximum if that is
 *   less
 * States: IDLE.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: the size is 0.
 * - DOCA_ERROR_NOT_SUPPORTED: more than the device's maximum; see
 *   doca_rdma_cap_get_max_recv_queue_size().
 * - DOCA_ERROR_BAD_STATE: the context is not IDLE; stop it first. Up to 2.2 also if the context has
 *   no device.
 * Since 2.0.
 */
DOCA_STABLE doca_error_t doca_rdma_set_recv_queue_size(struct doca_rdma *rdma,
						       uint32_t recv_queue_size);

/**
 * Sets the transport of the connections. Both ends must use the same one.
 * @param rdma RDMA object
 * @param transport_type transport; the default is RC
 * States: IDLE.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: the type is unknown.
 * - DOCA_ERROR_NOT_SUPPORTED: the device does not support the transport. No device of this runtime
 *   supports DC.
 * - DOCA_ERROR_BAD_STATE: the context is not IDLE; stop it first. Up to 2.2 also if the context has
 *   no device.
 * Since 2.0.
 */
DOCA_STABLE doca_error_t doca_rdma_set_transport_type(struct doca_rdma *rdma,
						      enum doca_rdma_transport_type transport_type);

/**
 * Sets the largest packet size of connections that are made by details; the smaller value of both
 * ends is used. Connections by address use the packet size of their path.
 * @param rdma RDMA object
 * @param mtu size; the default is 1 KiB
 * States: IDLE.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: the size is unknown.
 * - DOCA_ERROR_NOT_SUPPORTED: the device does not support packets of that size.
 * - DOCA_ERROR_BAD_STATE: the context is not IDLE; stop it first. Up to 2.2 also if the context has
 *   no device.
 * Since 2.0.
 */
DOCA_STABLE doca_error_t doca_rdma_set_mtu(struct doca_rdma *rdma, enum doca_mtu_size mtu);

/**
 * Sets the operations that peers may at most perform, through the connections, on memory of this
 * process. The memory map that is exported to a peer must permit them, too.
 * @param rdma RDMA object
 * @param permissions bits of enum doca_access_flag: LOCAL_READ_WRITE, RDMA_READ, RDMA_WRITE,
 *   RDMA_ATOMIC; the default is LOCAL_READ_ONLY, which permits nothing
 * States: IDLE.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: other bits are set.
 * - DOCA_ERROR_BAD_STATE: the context is not IDLE; stop it first. Up to 2.2 also if the context has
 *   no device.
 * Since 2.0.
 */
DOCA_STABLE doca_error_t doca_rdma_set_permissions(struct doca_rdma *rdma, uint32_t permissions);

/**
 * Sets the address of the local port that connections use. A connection to an address begins at the
 * address of this entry if an entry was set and both addresses are of the same kind, IPv4 or IPv6.
 * Otherwise the system's routes select the local address. A listening object is reachable at all
 * addresses of the device.
 * @param rdma RDMA object
 * @param gid_index entry of the device's GID table, 0 to 255; the default is 0. A device without a
 *   card has the usual entries, each for RoCE v1 and then for v2: 0 and 1 are link-local, 2 and 3
 *   have the IPv4 address, 4 and 5 the IPv6 address if there is one.
 * States: IDLE.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: the table has no such entry; see doca_rdma_cap_get_gid_table_size().
 * - DOCA_ERROR_BAD_STATE: the context is not IDLE; stop it first. Up to 2.2 also if the context has
 *   no device.
 * Since 2.0.
 */
DOCA_STABLE doca_error_t doca_rdma_set_gid_index(struct doca_rdma *rdma, uint32_t gid_index);

/**
 * Sets the service level of packets of connections that are made by details. Connections by address
 * use the service level of their path.
 * @param rdma RDMA object
 * @param sl service level, 0 to 15; the default is 0
 * States: IDLE.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: the level is greater than 15.
 * - DOCA_ERROR_BAD_STATE: the context is not IDLE; stop it first. Up to 2.2 also if the context has
 *   no device.
 * Since 2.0.
 */
DOCA_STABLE doca_error_t doca_rdma_set_sl(struct doca_rdma *rdma, uint32_t sl);

/**
 * Gets how many tasks of one connection may be in flight.
 * @param rdma RDMA object
 * @param send_queue_size receives the number
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_BAD_STATE: up to 2.2 only: the context has no device.
 * Since 2.0.
 */
DOCA_STABLE doca_error_t doca_rdma_get_send_queue_size(const struct doca_rdma *rdma,
						       uint32_t *send_queue_size);

/**
 * Gets how many receives may be posted.
 * @param rdma RDMA object
 * @param recv_queue_size receives the number
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_BAD_STATE: up to 2.2 only: the context has no device.
 * Since 2.0.
 */
DOCA_STABLE doca_error_t doca_rdma_get_recv_queue_size(const struct doca_rdma *rdma,
						       uint32_t *recv_queue_size);

/**
 * Gets the transport of the connections.
 * @param rdma RDMA object
 * @param transport_type receives the transport
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_BAD_STATE: up to 2.2 only: the context has no device.
 * Since 2.0.
 */
DOCA_STABLE doca_error_t doca_rdma_get_transport_type(
	const struct doca_rdma *rdma, enum doca_rdma_transport_type *transport_type);

/**
 * Gets the largest packet size.
 * @param rdma RDMA object
 * @param mtu receives the size
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_BAD_STATE: up to 2.2 only: the context has no device.
 * Since 2.0.
 */
DOCA_STABLE doca_error_t doca_rdma_get_mtu(const struct doca_rdma *rdma, enum doca_mtu_size *mtu);

/**
 * Gets the operations that peers may at most perform.
 * @param rdma RDMA object
 * @param permissions receives bits of enum doca_access_flag
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_BAD_STATE: up to 2.2 only: the context has no device.
 * Since 2.0.
 */
DOCA_STABLE doca_error_t doca_rdma_get_permissions(struct doca_rdma *rdma, uint32_t *permissions);

/**
 * Gets the entry of the GID table that connections use.
 * @param rdma RDMA object
 * @param gid_index receives the index
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_BAD_STATE: up to 2.2 only: the context has no device.
 * Since 2.0.
 */
DOCA_STABLE doca_error_t doca_rdma_get_gid_index(const struct doca_rdma *rdma, uint32_t *gid_index);

/**
 * Gets the service level of packets.
 * @param rdma RDMA object
 * @param sl receives the level
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_BAD_STATE: up to 2.2 only: the context has no device.
 * Since 2.0.
 */
DOCA_STABLE doca_error_t doca_rdma_get_sl(const struct doca_rdma *rdma, uint32_t *sl);

#ifdef __cplusplus
}
#endif

#if DOCA_API_WORKQ
#include <dococ/rdma_workq.h>
#else
#include <dococ/rdma_task.h>
#endif

#endif
