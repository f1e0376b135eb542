/*
 * Bridge to rdma-core, for programs that use libibverbs or librdmacm and DOCA on the same device.
 *
 * The program opens a device from a protection domain that it allocated, or it gets the protection
 * domain of a device that was opened from a list. Everything that DOCA registers and creates for
 * that device belongs to this protection domain, so that keys and queue pairs of both libraries
 * work together: the key of a buffer can be used in a scatter list of ibv_post_send() and, if the
 * memory map has RDMA permissions, in a request of a peer.
 *
 * A protection domain of the program:
 *
 * - The program keeps ownership of it and of its verbs context. DOCA neither closes nor changes
 *   them. They must outlive the device.
 * - The program reads the asynchronous events of the verbs context (ibv_get_async_event()). Some of
 *   them belong to queue pairs that the program did not create; it must not touch their qp_context.
 *
 * A protection domain of a device:
 *
 * - It is destroyed when the device is closed for the last time.
 * - DOCA owns its verbs context, and reads and acknowledges the context's events, including those
 *   of queue pairs that the program created there, whose qp_context DOCA does not touch. The
 *   program must not call ibv_get_async_event() for this context: it would take events that DOCA
 *   waits for, and might wait in vain.
 * - The program learns of broken queue pairs from their completions. A program that needs the
 *   events opens the RDMA device itself, and opens the DOCA device with
 *   doca_rdma_bridge_open_dev_from_pd().
 *
 * A device has a protection domain if the topology binds it to an RDMA device of the machine (key
 * ibdev). Other devices use the runtime's software RDMA device, which rdma-core does not know.
 *
 * Connections with an identifier of librdmacm are in doca_rdma.h: see doca_rdma_bridge_accept(). Up
 * to 2.2 the calls of this header have other names.
 *
 * Errors that the doc blocks do not repeat:
 *
 * - DOCA_ERROR_INVALID_VALUE: a pointer argument is NULL, and its description does not allow that.
 *
 * Threads: any thread may call these functions. A buffer is used by one thread at a time.
 *
 * Example: describe a buffer for ibv_post_send(). The device was opened with
 * doca_rdma_bridge_open_dev_from_pd() from the protection domain of the queue pair.
 *
 *     #include <infiniband/verbs.h>
 *     #include <doca_buf.h>
 *
 *     int fill_sge(struct doca_buf *buf, struct doca_dev *dev, struct ibv_sge *sge)
 *     {
 *         void *data = NULL;
 *         size_t len = 0;
 *
 *         if (doca_buf_get_data(buf, &data) != DOCA_SUCCESS ||
 *             doca_buf_get_data_len(buf, &len) != DOCA_SUCCESS ||
 *             doca_rdma_bridge_get_buf_mkey(buf, dev, &sge->lkey) != DOCA_SUCCESS)
 *             return -1;
 *         sge->addr = (uintptr_t)data;
 *         sge->length = (uint32_t)len;
 *         return 0;
 *     }
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
struct ibv_pd; /* protection domain of libibverbs */

#if DOCA_API_BETWEEN(205, 999)
/**
 * Gets the protection domain that a device uses.
 * @param dev open device
 * @param pd receives the protection domain from which the device was opened, or else one that
 *   exists until the device is closed. The program must not deallocate the latter, and must destroy
 *   everything that it created on it before it closes the device.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_BAD_STATE: the device is bound to no RDMA device, or that RDMA device cannot be
 *   opened.
 * Since 2.5.
 */
DOCA_STABLE doca_error_t doca_rdma_bridge_get_dev_pd(const struct doca_dev *dev,
						     struct ibv_pd **pd);

/**
 * Opens the device that is bound to the RDMA device of a protection domain. Opening it again from
 * the same protection domain returns the same device; close it once for each open. It can be used
 * like any other device, but its doca_devinfo cannot be opened.
 * @param pd protection domain; owned by the program, must outlive the device
 * @param dev receives the device; release it with doca_dev_close
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: there is no RDMA device behind pd.
 * - DOCA_ERROR_NOT_FOUND: no device of this side is bound to that RDMA device (key ibdev of the
 *   topology), or no daemon answers.
 * - DOCA_ERROR_NOT_SUPPORTED: the library was built without rdma-core.
 * - DOCA_ERROR_NO_MEMORY: out of memory.
 * - others, as doca_dev_open.
 * Since 2.5.
 */
DOCA_STABLE doca_error_t doca_rdma_bridge_open_dev_from_pd(struct ibv_pd *pd,
							   struct doca_dev **dev);

/**
 * Gets the key by which an RDMA device addresses the memory of a buffer, in host byte order. The
 * key is valid in this process and, if the memory map has RDMA permissions, for peers. The key of
 * an imported memory map is the exporter's, for requests to the exporter's addresses. The first
 * call registers the memory, which stays registered until the memory map stops.
 * @param buf buffer of a started memory map that has the device, or was imported with it
 * @param dev device
 * @param mkey receives the key
 * Threads: any; one thread at a time per buffer.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: the memory map is not started or does not have the device.
 * - DOCA_ERROR_NOT_SUPPORTED: the device is bound to no RDMA device; the RDMA device cannot
 *   register the memory; or the memory map is imported and its exporter provided no key.
 *   dococ_last_error() says why.
 * Since 2.5.
 */
DOCA_STABLE doca_error_t doca_rdma_bridge_get_buf_mkey(const struct doca_buf *buf,
						       struct doca_dev *dev, uint32_t *mkey);
#endif

#if DOCA_API_BETWEEN(207, 999)
/**
 * Gets the key of a whole memory map for one of its devices, which the protection domain selects.
 * @param mmap started or imported memory map
 * @param pd protection domain from which one of the map's devices was opened, or that
 *   doca_rdma_bridge_get_dev_pd() returned for it
 * @param mkey receives the key, see doca_rdma_bridge_get_buf_mkey
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: the memory map is not started.
 * - DOCA_ERROR_NOT_FOUND: no device of the memory map belongs to that protection domain.
 * - DOCA_ERROR_OPERATING_SYSTEM: the memory cannot be registered, or is imported and its exporter
 *   provided no key; dococ_last_error() says why.
 * Since 2.7.
 */
DOCA_STABLE doca_error_t doca_rdma_bridge_get_mmap_mkey_from_pd(const struct doca_mmap *mmap,
								struct ibv_pd *pd, uint32_t *mkey);
#endif

#if DOCA_API_BETWEEN(200, 204)
/**
 * Gets the protection domain that a device uses. From 2.5 on: doca_rdma_bridge_get_dev_pd().
 * @param dev open device
 * @param pd receives the protection domain from which the device was opened, or else one that
 *   exists until the device is closed. The program must not deallocate the latter, and must destroy
 *   everything that it created on it before it closes the device.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_BAD_STATE: the device is bound to no RDMA device, or that RDMA device cannot be
 *   opened.
 * Since 2.0, until 2.2.
 */
DOCA_STABLE doca_error_t doca_dev_get_pd(const struct doca_dev *dev, struct ibv_pd **pd);

/**
 * Opens the device that is bound to the RDMA device of a protection domain. From 2.5 on
 * doca_rdma_bridge_open_dev_from_pd.
 * @param pd protection domain; owned by the program, must outlive the device
 * @param dev receives the device; release it with doca_dev_close
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: there is no RDMA device behind pd.
 * - DOCA_ERROR_NOT_FOUND: no device of this side is bound to that RDMA device, or there is no
 *   daemon.
 * - DOCA_ERROR_NOT_SUPPORTED: the library was built without rdma-core.
 * - DOCA_ERROR_NO_MEMORY: out of memory.
 * - others, as doca_dev_open.
 * Since 2.0, until 2.2.
 */
DOCA_STABLE doca_error_t doca_dev_open_from_pd(struct ibv_pd *pd, struct doca_dev **dev);

/**
 * Gets the key by which an RDMA device addresses the memory of a buffer, in host byte order. From
 * 2.5 on: doca_rdma_bridge_get_buf_mkey().
 * @param buf buffer of a started memory map that has the device
 * @param dev device
 * @param mkey receives the key, which is valid in this process and, if the memory map has RDMA
 *   permissions, for peers
 * Threads: any; one thread at a time per buffer.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: the memory map is not started or does not have the device.
 * - DOCA_ERROR_NOT_SUPPORTED: the device is bound to no RDMA device, or the RDMA device cannot
 *   register the memory.
 * Since 2.0, until 2.2.
 */
DOCA_STABLE doca_error_t doca_buf_get_mkey(const struct doca_buf *buf, struct doca_dev *dev,
					   uint32_t *mkey);
#endif

#ifdef __cplusplus
}
#endif

#endif
