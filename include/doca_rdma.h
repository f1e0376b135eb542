/*
 * RDMA: messages between two ends of a connection, and operations on the memory and the sync events
 * of the other end, in which that end takes no part.
 *
 * From 2.5 on operations are tasks (doca_rdma_task.h); up to 2.2 they are jobs of a work queue, and
 * much else differs: see doca_rdma_workq.h.
 *
 * From 2.7 on an object has connections, as many as it was configured for. They are made by
 * exchanging descriptions (doca_rdma_export, doca_rdma_connect) or by address (listen, accept,
 * connect). Receives belong to the object: a message from any connection takes the oldest. Tasks of
 * one connection take effect in the order in which they were submitted. When one of them fails at
 * the other end, its connection is broken: the tasks behind it fail, too, and all that are
 * submitted later; other connections go on. In 2.5 and 2.6 an object has one connection.
 *
 * Memory of this process is given as buffers of started mmaps that have the device of the object.
 * Memory of the other end is a buffer of a mmap made by doca_mmap_create_from_export of what
 * doca_mmap_export_rdma gave there; what the exporter allows, and its bounds, hold for every
 * operation. As everywhere, what is received or read goes behind the data of the destination.
 *
 * Threads: an object, its connections and its tasks belong to the thread of its progress engine.
 */
#ifndef DOCA_RDMA_H_
#define DOCA_RDMA_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <doca_compat.h>
#include <doca_error.h>
#include <doca_types.h>

/* The current interface hands out identifiers of librdmacm; a build without it compiles as well. */
#if DOCA_USE_VERSION >= DOCA_MAKE_VERSION(2, 7) && __has_include(<rdma/rdma_cma.h>)
#include <rdma/rdma_cma.h>
#endif

#if DOCA_USE_VERSION < DOCA_MAKE_VERSION(2, 7)
#include <doca_buf.h>
#include <doca_ctx.h>
#include <doca_dev.h>
#endif

#if !DOCA_API_WORKQ && DOCA_USE_VERSION < DOCA_MAKE_VERSION(2, 7)
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
struct doca_rdma_addr; /* address of an end; up to 2.2 of a connection-less transport */
struct doca_task;

/* Reliable connection; dynamically connected. */
#if DOCA_API_WORKQ
enum doca_rdma_transport_type { DOCA_RDMA_TRANSPORT_RC = 0, DOCA_RDMA_TRANSPORT_DC = 1 };
#else
enum doca_rdma_transport_type { DOCA_RDMA_TRANSPORT_TYPE_RC = 0, DOCA_RDMA_TRANSPORT_TYPE_DC = 1 };
#endif

/* Global identifier of a port. */
struct doca_rdma_gid {
	uint8_t raw[DOCA_GID_BYTE_LENGTH];
};

/**
 * Frees an RDMA object with its context and all its connections.
 * @param rdma RDMA object
 * States: IDLE. Threads: those of the progress engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: rdma is NULL.
 * - DOCA_ERROR_BAD_STATE: the context is not IDLE; stop it and progress until it is.
 * Since 2.0. Source: DOCA RDMA guide.
 */
DOCA_STABLE doca_error_t doca_rdma_destroy(struct doca_rdma *rdma);

/**
 * Context of an RDMA object.
 * @param rdma RDMA object
 * States: any. Threads: those of the progress engine.
 * @return the context, owned by the object; NULL if rdma is NULL
 * Since 2.0. Source: DOCA RDMA guide.
 */
DOCA_STABLE struct doca_ctx *doca_rdma_as_ctx(struct doca_rdma *rdma);

/**
 * Says how many tasks of one connection, receives apart, may be in flight at a time.
 * @param rdma RDMA object
 * @param send_queue_size tasks; 256, or what the device has if that is less, unless set
 * States: IDLE. Threads: those of the progress engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: rdma is NULL, or the size is 0.
 * - DOCA_ERROR_NOT_SUPPORTED: more than the device has; ask doca_rdma_cap_get_max_send_queue_size.
 * - DOCA_ERROR_BAD_STATE: the context is not IDLE; stop it first. Up to 2.2: or it has no device.
 * Since 2.0. Source: DOCA RDMA guide.
 */
DOCA_STABLE doca_error_t doca_rdma_set_send_queue_size(struct doca_rdma *rdma,
						       uint32_t send_queue_size);

/**
 * Says how many receives may be posted at a time. All connections draw from them.
 * @param rdma RDMA object
 * @param recv_queue_size receives; 256, or what the device has if that is less, unless set
 * States: IDLE. Threads: those of the progress engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: rdma is NULL, or the size is 0.
 * - DOCA_ERROR_NOT_SUPPORTED: more than the device has; ask doca_rdma_cap_get_max_recv_queue_size.
 * - DOCA_ERROR_BAD_STATE: the context is not IDLE; stop it first. Up to 2.2: or it has no device.
 * Since 2.0. Source: DOCA RDMA guide.
 */
DOCA_STABLE doca_error_t doca_rdma_set_recv_queue_size(struct doca_rdma *rdma,
						       uint32_t recv_queue_size);

/**
 * Chooses how connections carry data. Both ends must agree.
 * @param rdma RDMA object
 * @param transport_type RC unless set
 * States: IDLE. Threads: those of the progress engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: rdma is NULL, or the type is unknown.
 * - DOCA_ERROR_NOT_SUPPORTED: the device has no such transport; DC is on no device of this runtime
 *   yet.
 * - DOCA_ERROR_BAD_STATE: the context is not IDLE; stop it first. Up to 2.2: or it has no device.
 * Since 2.0. Source: DOCA RDMA guide.
 */
DOCA_STABLE doca_error_t doca_rdma_set_transport_type(struct doca_rdma *rdma,
						      enum doca_rdma_transport_type transport_type);

/**
 * Sets the most bytes of one packet of connections that are made by details; the smaller of both
 * ends is used. Those by address have packets of the size that the path has.
 * @param rdma RDMA object
 * @param mtu size; 1 KiB unless set
 * States: IDLE. Threads: those of the progress engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: rdma is NULL, or the size is unknown.
 * - DOCA_ERROR_NOT_SUPPORTED: the device has no packets of that size.
 * - DOCA_ERROR_UNEXPECTED: not given here.
 * - DOCA_ERROR_BAD_STATE: the context is not IDLE; stop it first. Up to 2.2: or it has no device.
 * Since 2.0. Source: DOCA RDMA guide.
 */
DOCA_STABLE doca_error_t doca_rdma_set_mtu(struct doca_rdma *rdma, enum doca_mtu_size mtu);

/**
 * Says what peers may do to memory of this process through the connections, at most. The mmap that
 * is exported to a peer must allow it too.
 * @param rdma RDMA object
 * @param permissions bits of enum doca_access_flag: LOCAL_READ_WRITE, RDMA_READ, RDMA_WRITE,
 *   RDMA_ATOMIC; LOCAL_READ_ONLY, that is nothing, unless set
 * States: IDLE. Threads: those of the progress engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: rdma is NULL, or there are other bits.
 * - DOCA_ERROR_BAD_STATE: the context is not IDLE; stop it first. Up to 2.2: or it has no device.
 * Since 2.0. Source: DOCA RDMA guide.
 */
DOCA_STABLE doca_error_t doca_rdma_set_permissions(struct doca_rdma *rdma, uint32_t permissions);

/**
 * Chooses the address of the port that connections use. One that is made by address begins at the
 * address of that entry if an entry was set and the destination is an address of the same kind,
 * IPv4 or IPv6; else where the system's routes begin. Who listens is reached by all of its.
 * @param rdma RDMA object
 * @param gid_index entry of the device's GID table, 0 to 255; 0 unless set. A device without a card
 *   has the usual entries, each for RoCE v1 and then v2: 0 and 1 are link-local, 2 and 3 of the
 * IPv4 address, 4 and 5 of the IPv6 address if there is one States: IDLE. Threads: those of the
 * progress engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: rdma is NULL, or the table has no such entry; ask for its size.
 * - DOCA_ERROR_BAD_STATE: the context is not IDLE; stop it first. Up to 2.2: or it has no device.
 * Since 2.0. Source: DOCA RDMA guide.
 */
DOCA_STABLE doca_error_t doca_rdma_set_gid_index(struct doca_rdma *rdma, uint32_t gid_index);

/**
 * Sets the service level of packets of connections that are made by details. Those by address have
 * the one that the path has.
 * @param rdma RDMA object
 * @param sl 0 to 15; 0 unless set
 * States: IDLE. Threads: those of the progress engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: rdma is NULL, or the level is greater than 15.
 * - DOCA_ERROR_BAD_STATE: the context is not IDLE; stop it first. Up to 2.2: or it has no device.
 * Since 2.0. Source: DOCA RDMA guide.
 */
DOCA_STABLE doca_error_t doca_rdma_set_sl(struct doca_rdma *rdma, uint32_t sl);

/**
 * Tasks of one connection that may be in flight.
 * @param rdma RDMA object
 * @param send_queue_size receives the number
 * States: any. Threads: those of the progress engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_BAD_STATE: up to 2.2, the context has no device.
 * Since 2.0. Source: DOCA RDMA guide.
 */
DOCA_STABLE doca_error_t doca_rdma_get_send_queue_size(const struct doca_rdma *rdma,
						       uint32_t *send_queue_size);

/**
 * Receives that may be posted.
 * @param rdma RDMA object
 * @param recv_queue_size receives the number
 * States: any. Threads: those of the progress engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_NOT_SUPPORTED: not given here.
 * - DOCA_ERROR_BAD_STATE: up to 2.2, the context has no device.
 * Since 2.0. Source: DOCA RDMA guide.
 */
DOCA_STABLE doca_error_t doca_rdma_get_recv_queue_size(const struct doca_rdma *rdma,
						       uint32_t *recv_queue_size);

/**
 * Transport of the connections.
 * @param rdma RDMA object
 * @param transport_type receives it
 * States: any. Threads: those of the progress engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_BAD_STATE: up to 2.2, the context has no device.
 * Since 2.0. Source: DOCA RDMA guide.
 */
DOCA_STABLE doca_error_t doca_rdma_get_transport_type(
	const struct doca_rdma *rdma, enum doca_rdma_transport_type *transport_type);

/**
 * Most bytes of one packet.
 * @param rdma RDMA object
 * @param mtu receives the size
 * States: any. Threads: those of the progress engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_BAD_STATE: up to 2.2, the context has no device.
 * Since 2.0. Source: DOCA RDMA guide.
 */
DOCA_STABLE doca_error_t doca_rdma_get_mtu(const struct doca_rdma *rdma, enum doca_mtu_size *mtu);

/**
 * What peers may do, at most.
 * @param rdma RDMA object
 * @param permissions receives bits of enum doca_access_flag
 * States: any. Threads: those of the progress engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_BAD_STATE: up to 2.2, the context has no device.
 * Since 2.0. Source: DOCA RDMA guide.
 */
DOCA_STABLE doca_error_t doca_rdma_get_permissions(struct doca_rdma *rdma, uint32_t *permissions);

/**
 * Entry of the GID table that connections use.
 * @param rdma RDMA object
 * @param gid_index receives the index
 * States: any. Threads: those of the progress engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_BAD_STATE: up to 2.2, the context has no device.
 * Since 2.0. Source: DOCA RDMA guide.
 */
DOCA_STABLE doca_error_t doca_rdma_get_gid_index(const struct doca_rdma *rdma, uint32_t *gid_index);

/**
 * Service level of packets.
 * @param rdma RDMA object
 * @param sl receives the level
 * States: any. Threads: those of the progress engine.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_BAD_STATE: up to 2.2, the context has no device.
 * Since 2.0. Source: DOCA RDMA guide.
 */
DOCA_STABLE doca_error_t doca_rdma_get_sl(const struct doca_rdma *rdma, uint32_t *sl);

#ifdef __cplusplus
}
#endif

#if DOCA_API_WORKQ
#include <doca_rdma_workq.h>
#else
#include <doca_rdma_task.h>
#endif

#endif
