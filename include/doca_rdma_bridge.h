/*
 * Bridge to rdma-core: for programs that use libibverbs or librdmacm and DOCA at once, on one
 * device.
 *
 * A device is opened from a protection domain that the program allocated, or a protection domain is
 * taken from a device that was opened from a list. Whatever DOCA registers and makes for that
 * device is of that protection domain, so keys and queue pairs of both worlds work together: the
 * key of a buffer goes into a scatter list of ibv_post_send, and into a request of a peer where the
 * memory map has RDMA rights.
 *
 * A protection domain of the program, and its context, stay the program's: they are neither closed
 * nor changed here, and outlive the device. What such a context tells (ibv_get_async_event) is told
 * to the program, which finds queue pairs among it that it did not make, and leaves their
 * qp_context alone. A protection domain of a device goes when the device is closed for the last
 * time.
 *
 * The context behind a protection domain that was taken from a device is DOCA's, and so is what it
 * tells: DOCA reads and acknowledges that, also what is told of queue pairs that the program made
 * there, whose qp_context it leaves alone. So a program does not call ibv_get_async_event for that
 * context: it would take away what DOCA waits for, and it may find nothing. It learns of broken
 * queue pairs from their completions; one that needs the events opens the RDMA device itself, and
 * the device from that with doca_rdma_bridge_open_dev_from_pd.
 *
 * There is a protection domain where the topology binds a device to an RDMA device of the machine
 * (ibdev). Devices without one are reached by the runtime's software RDMA device, which rdma-core
 * does not know.
 *
 * Connections by an identifier of librdmacm are in doca_rdma.h: doca_rdma_bridge_accept and what is
 * with it. Up to 2.2 the calls have other names.
 *
 * Threads: any; a buffer is used by one at a time.
 */
#ifndef DOCA_RDMA_BRIDGE_H_
#define DOCA_RDMA_BRIDGE_H_

#include <stdint.h>

#include <doca_compat.h>
#include <doca_error.h>
#include <doca_types.h>

#if __has_include(<infiniband/verbs.h>)
#include <infiniband/verbs.h>
#endif

#if DOCA_USE_VERSION < DOCA_MAKE_VERSION(2, 0)
#error "doca_rdma_bridge.h is there from 2.0 on: set DOCA_USE_VERSION to that or later"
#endif

#ifdef __cplusplus
extern "C" {
#endif

struct doca_buf;
struct doca_dev;
struct doca_mmap;
struct ibv_pd; /* of libibverbs */

#if DOCA_API_BETWEEN(205, 999)
/**
 * Tells the protection domain that a device is used by.
 * @param dev open device
 * @param pd receives it: that which the device was opened from, or else one that stays until the
 *   device is closed and is not the caller's to free; what is made on it is freed before that
 * Threads: any.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: dev or pd is NULL.
 * - DOCA_ERROR_BAD_STATE: the device is bound to no RDMA device, or that cannot be opened.
 * Since 2.5. Source: DOCA RDMA guide.
 */
DOCA_STABLE doca_error_t doca_rdma_bridge_get_dev_pd(const struct doca_dev *dev,
						     struct ibv_pd **pd);

/**
 * Opens the device that is bound to the RDMA device of a protection domain. Opened again from the
 * same protection domain it is the same, with one close for each open. It can be used as any other;
 * its doca_devinfo cannot be opened.
 * @param pd protection domain; stays the caller's, and outlives the device
 * @param dev receives the device; give it back with doca_dev_close
 * Threads: any.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: pd or dev is NULL, or there is no RDMA device behind pd.
 * - DOCA_ERROR_NOT_FOUND: no device of this side is bound to that RDMA device: see the topology's
 *   key ibdev; or there is no daemon.
 * - DOCA_ERROR_NOT_SUPPORTED: the library was built without rdma-core.
 * - DOCA_ERROR_NO_MEMORY: no memory.
 * - others, as doca_dev_open.
 * Since 2.5. Source: DOCA RDMA guide.
 */
DOCA_STABLE doca_error_t doca_rdma_bridge_open_dev_from_pd(struct ibv_pd *pd,
							   struct doca_dev **dev);

/**
 * Tells the key by which an RDMA device knows the memory of a buffer, in host byte order. It is
 * good for this process, and where the memory map has RDMA rights also for peers, with those; of an
 * imported memory map it is the exporter's, for requests to the exporter's addresses. The memory
 * is registered the first time, and until the memory map stops.
 * @param buf buffer of a started memory map that has the device, or was imported with it
 * @param dev the device
 * @param mkey receives the key
 * Threads: any; a buffer is used by one at a time.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL, or the memory map is not started or has not the
 *   device.
 * - DOCA_ERROR_NOT_SUPPORTED: the device is bound to no RDMA device, or that does not register the
 *   memory, or the memory map is imported and its exporter gave no key: dococ_last_error says why.
 * Since 2.5. Source: DOCA RDMA guide.
 */
DOCA_STABLE doca_error_t doca_rdma_bridge_get_buf_mkey(const struct doca_buf *buf,
						       struct doca_dev *dev, uint32_t *mkey);
#endif

#if DOCA_API_BETWEEN(207, 999)
/**
 * Tells the key of a whole memory map for one of its devices, which is named by its protection
 * domain.
 * @param mmap started or imported memory map
 * @param pd protection domain that one of its devices was opened from, or was asked for with
 *   doca_rdma_bridge_get_dev_pd
 * @param mkey receives the key, see doca_rdma_bridge_get_buf_mkey
 * Threads: any.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL, or the memory map is not started.
 * - DOCA_ERROR_NOT_FOUND: no device of the memory map is of that protection domain.
 * - DOCA_ERROR_OPERATING_SYSTEM: the memory cannot be registered, or is imported and its exporter
 *   gave no key: dococ_last_error says why.
 * Since 2.7. Source: DOCA RDMA guide.
 */
DOCA_STABLE doca_error_t doca_rdma_bridge_get_mmap_mkey_from_pd(const struct doca_mmap *mmap,
								struct ibv_pd *pd, uint32_t *mkey);
#endif

#if DOCA_API_BETWEEN(200, 204)
/**
 * Tells the protection domain that a device is used by. From 2.5 on doca_rdma_bridge_get_dev_pd.
 * @param dev open device
 * @param pd receives it: that which the device was opened from, or else one that stays until the
 *   device is closed and is not the caller's to free; what is made on it is freed before that
 * Threads: any.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: dev or pd is NULL.
 * - DOCA_ERROR_BAD_STATE: the device is bound to no RDMA device, or that cannot be opened.
 * Since 2.0, until 2.2. Source: DOCA RDMA guide.
 */
DOCA_STABLE doca_error_t doca_dev_get_pd(const struct doca_dev *dev, struct ibv_pd **pd);

/**
 * Opens the device that is bound to the RDMA device of a protection domain. From 2.5 on
 * doca_rdma_bridge_open_dev_from_pd.
 * @param pd protection domain; stays the caller's, and outlives the device
 * @param dev receives the device; give it back with doca_dev_close
 * Threads: any.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: pd or dev is NULL, or there is no RDMA device behind pd.
 * - DOCA_ERROR_NOT_FOUND: no device of this side is bound to that RDMA device, or there is no
 *   daemon.
 * - DOCA_ERROR_NOT_SUPPORTED: the library was built without rdma-core.
 * - DOCA_ERROR_NO_MEMORY: no memory.
 * - others, as doca_dev_open.
 * Since 2.0, until 2.2. Source: DOCA RDMA guide.
 */
DOCA_STABLE doca_error_t doca_dev_open_from_pd(struct ibv_pd *pd, struct doca_dev **dev);

/**
 * Tells the key by which an RDMA device knows the memory of a buffer, in host byte order. From 2.5
 * on doca_rdma_bridge_get_buf_mkey.
 * @param buf buffer of a started memory map that has the device
 * @param dev the device
 * @param mkey receives the key: good for this process, and where the memory map has RDMA rights
 *   also for peers
 * Threads: any; a buffer is used by one at a time.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL, or the memory map is not started or has not the
 *   device.
 * - DOCA_ERROR_NOT_SUPPORTED: the device is bound to no RDMA device, or that does not register the
 *   memory.
 * Since 2.0, until 2.2. Source: DOCA RDMA guide.
 */
DOCA_STABLE doca_error_t doca_buf_get_mkey(const struct doca_buf *buf, struct doca_dev *dev,
					   uint32_t *mkey);
#endif

#ifdef __cplusplus
}
#endif

#endif
