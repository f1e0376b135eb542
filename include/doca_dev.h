/*
 * Devices and representors. A list of doca_devinfo describes the devices of this side of the bus;
 * opening an element returns a device. On the DPU a device may have representors, which represent
 * functions that the host sees. All of this comes from the daemon of this side, which decides what
 * the process may see. List elements are valid until the list is destroyed. Open devices stay
 * valid.
 *
 * A call only reads the doca_devinfo that is passed to it. The doca_devinfo is an entry of a list
 * that still exists, or belongs to an open device.
 *
 * Creating a list, opening and closing send requests to the daemon; all other calls send none. A
 * call that sends one may also return DOCA_ERROR_UNSUPPORTED_VERSION (daemon and library are of
 * incompatible versions: upgrade the older one) and DOCA_ERROR_UNEXPECTED (invalid answer: report
 * it).
 *
 * Lists, capabilities and what depends on them are in dococ/dev_task.h from 2.5 on, and in
 * dococ/dev_workq.h up to 2.2. Devices, representors and their descriptions can be passed to calls
 * of every version.
 *
 * Errors that the doc blocks do not repeat:
 *
 * - DOCA_ERROR_INVALID_VALUE: a pointer argument is NULL, and its description does not allow that.
 *
 * Threads: any number of threads may call the functions of this header at the same time.
 *
 * Reference: DOCA Core guide, device discovery.
 *
 * Example: open the first device that can copy by DMA.
 *
 *     #include <doca_dma.h>
 *
 *     struct doca_dev *open_dma_device(void)
 *     {
 *         struct doca_devinfo **list;
 *         struct doca_dev *dev = NULL;
 *         uint32_t n_devs, i;
 *
 *         if (doca_devinfo_create_list(&list, &n_devs) != DOCA_SUCCESS)
 *             return NULL;
 *         for (i = 0; i < n_devs && !dev; i++)
 *             if (doca_dma_cap_task_memcpy_is_supported(list[i]) == DOCA_SUCCESS)
 *                 doca_dev_open(list[i], &dev);
 *         doca_devinfo_destroy_list(list);
 *         return dev;
 *     }
 */
#ifndef DOCA_DEV_H_
#define DOCA_DEV_H_

#include <stdint.h>

#include <doca_compat.h>
#include <doca_error.h>
#include <doca_types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Buffer sizes in bytes that the getters below require, including the terminating NUL of strings.
 */
#define DOCA_DEVINFO_VUID_SIZE         128
#define DOCA_DEVINFO_IPV4_ADDR_SIZE    4
#define DOCA_DEVINFO_IPV6_ADDR_SIZE    16
#define DOCA_DEVINFO_MAC_ADDR_SIZE     6
#define DOCA_DEVINFO_IFACE_NAME_SIZE   256
#define DOCA_DEVINFO_IBDEV_NAME_SIZE   64
#define DOCA_DEVINFO_PCI_ADDR_SIZE     13 /* "0000:03:00.0" */
#define DOCA_DEVINFO_PCI_BDF_SIZE      8  /* "03:00.0" */
#define DOCA_DEVINFO_REP_VUID_SIZE     128
#define DOCA_DEVINFO_REP_PCI_ADDR_SIZE 13
#define DOCA_DEVINFO_REP_PCI_BDF_SIZE  8

struct doca_devinfo;     /* description of a device */
struct doca_devinfo_rep; /* description of a representor */
struct doca_dev;         /* open device */
struct doca_dev_rep;     /* open representor */

/**
 * Opens a device. If the process has already opened it, the call returns the same instance and adds
 * a reference.
 * @param devinfo element of a device list that still exists
 * @param dev receives the device, which outlives the list; call doca_dev_close() once per
 *   successful open
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_NO_MEMORY: out of memory, or this user has reached a limit of the daemon.
 * - DOCA_ERROR_NOT_FOUND: the device was removed from the machine or from the topology; create a
 *   new list.
 * - DOCA_ERROR_NOT_PERMITTED: the daemon's policy forbids it.
 * - DOCA_ERROR_NOT_CONNECTED: no daemon of this side answers; start one, then repeat.
 * - DOCA_ERROR_TIME_OUT: the daemon is stopped or overloaded; repeat later.
 * - DOCA_ERROR_NOT_SUPPORTED: devinfo belongs to a device that was opened from an RDMA protection
 *   domain.
 * Since 1.3.
 */
DOCA_STABLE doca_error_t doca_dev_open(struct doca_devinfo *devinfo, struct doca_dev **dev);

/**
 * Releases a reference to a device. Releasing the last one closes the device.
 * @param dev open device; invalid after the last close; NULL is accepted and does nothing
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_IN_USE: memory maps, contexts or representors still use it; destroy those first.
 * Since 1.3.
 */
DOCA_STABLE doca_error_t doca_dev_close(struct doca_dev *dev);

#if DOCA_USE_VERSION >= DOCA_MAKE_VERSION(1, 5)
/**
 * Returns the description of an open device, for capability queries.
 * @param dev open device
 * @return the description, owned by the device and valid until its last close; NULL if dev is NULL
 * Since 1.5.
 */
DOCA_STABLE struct doca_devinfo *doca_dev_as_devinfo(const struct doca_dev *dev)
	DOCA_BIND(doca_dev_as_devinfo, 1_5);
#else
/**
 * Gets the description of an open device, as the list had it.
 * @param dev open device
 * @param devinfo receives the description; owned by the device and valid until it is closed
 * States: dev is open.
 * @return DOCA_SUCCESS
 * Since 1.3, until 1.4.
 */
DOCA_STABLE doca_error_t doca_dev_as_devinfo(struct doca_dev *dev, struct doca_devinfo **devinfo)
	DOCA_BIND(doca_dev_as_devinfo, 1_3);
#endif

#if DOCA_API_BETWEEN(105, 303)
/**
 * Opens a representor.
 * @param devinfo element of a representor list that still exists
 * @param dev_rep receives the representor, which outlives the list; call doca_dev_rep_close() once
 *   per successful open
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_NO_MEMORY: out of memory, or this user has reached a limit of the daemon.
 * - DOCA_ERROR_NOT_FOUND: the representor is gone, or the daemon of its function's side is not
 *   linked; create a new list.
 * - DOCA_ERROR_NOT_PERMITTED: the daemon's policy forbids it.
 * - DOCA_ERROR_NOT_CONNECTED: no daemon of this side answers; start one, then repeat.
 * - DOCA_ERROR_TIME_OUT: the daemon is stopped or overloaded; repeat later.
 * Since 1.5.
 */
DOCA_STABLE doca_error_t doca_dev_rep_open(struct doca_devinfo_rep *devinfo,
					   struct doca_dev_rep **dev_rep);

/**
 * Releases a reference to a representor. Releasing the last one closes the representor.
 * @param dev open representor; invalid after the last close
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_IN_USE: a channel server still uses it; destroy it first.
 * Since 1.5.
 */
DOCA_STABLE doca_error_t doca_dev_rep_close(struct doca_dev_rep *dev);

/**
 * Returns the description of an open representor.
 * @param dev_rep open representor
 * @return the description, owned by the representor and valid until its last close; NULL if dev_rep
 *   is NULL
 * Since 1.5.
 */
DOCA_STABLE struct doca_devinfo_rep *doca_dev_rep_as_devinfo(struct doca_dev_rep *dev_rep);

/**
 * Gets the IPv6 address of a device's interface, in network byte order.
 * @param devinfo device to query
 * @param ipv6_addr receives the address bytes
 * @param size size of ipv6_addr in bytes, at least DOCA_DEVINFO_IPV6_ADDR_SIZE
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: size is too small.
 * - DOCA_ERROR_OPERATING_SYSTEM: the interface has no such address.
 * Since 1.5.
 */
DOCA_STABLE doca_error_t doca_devinfo_get_ipv6_addr(const struct doca_devinfo *devinfo,
						    uint8_t *ipv6_addr, uint32_t size);

/**
 * Gets the name of a device's network interface.
 * @param devinfo device to query
 * @param iface_name receives the name, NUL-terminated
 * @param size size of iface_name in bytes, at least DOCA_DEVINFO_IFACE_NAME_SIZE
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: size is too small.
 * - DOCA_ERROR_OPERATING_SYSTEM: the device has no network interface.
 * Since 1.5.
 */
DOCA_STABLE doca_error_t doca_devinfo_get_iface_name(const struct doca_devinfo *devinfo,
						     char *iface_name, uint32_t size);

/**
 * Gets the name of a device's RDMA device, such as "mlx5_0".
 * @param devinfo device to query
 * @param ibdev_name receives the name, NUL-terminated
 * @param size size of ibdev_name in bytes, at least DOCA_DEVINFO_IBDEV_NAME_SIZE
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: size is too small.
 * Since 1.5.
 */
DOCA_STABLE doca_error_t doca_devinfo_get_ibdev_name(const struct doca_devinfo *devinfo,
						     char *ibdev_name, uint32_t size);

/**
 * Gets the unique name of the represented function, which the host side uses, too.
 * @param devinfo_rep entry of a list that still exists, or of an open representor; only read during
 *   the call
 * @param rep_vuid receives the name, NUL-terminated
 * @param size size of rep_vuid in bytes, at least DOCA_DEVINFO_REP_VUID_SIZE
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: size is too small.
 * Since 1.5.
 */
DOCA_STABLE doca_error_t doca_devinfo_rep_get_vuid(const struct doca_devinfo_rep *devinfo_rep,
						   char *rep_vuid, uint32_t size);

/**
 * Gets the function type of the represented function.
 * @param devinfo_rep entry of a list that still exists, or of an open representor; only read during
 *   the call
 * @param pci_func_type receives PF, VF or SF
 * @return DOCA_SUCCESS
 * Since 1.5.
 */
DOCA_STABLE doca_error_t doca_devinfo_rep_get_pci_func_type(
	const struct doca_devinfo_rep *devinfo_rep, enum doca_pci_func_type *pci_func_type);
#endif

#if DOCA_USE_VERSION >= DOCA_MAKE_VERSION(2, 6)
/**
 * Gets the IPv4 address of a device's interface, in network byte order.
 * @param devinfo device to query
 * @param ipv4_addr receives the address bytes
 * @param size size of ipv4_addr in bytes, at least DOCA_DEVINFO_IPV4_ADDR_SIZE
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: size is too small.
 * - DOCA_ERROR_NOT_FOUND: the interface has no such address.
 * Since 2.6 in this form.
 */
DOCA_STABLE doca_error_t doca_devinfo_get_ipv4_addr(const struct doca_devinfo *devinfo,
						    uint8_t *ipv4_addr, uint32_t size)
	DOCA_BIND(doca_devinfo_get_ipv4_addr, 2_6);
#elif DOCA_USE_VERSION >= DOCA_MAKE_VERSION(1, 5)
/**
 * Gets the IPv4 address of a device's interface, in network byte order.
 * @param devinfo device to query
 * @param ipv4_addr receives the address bytes
 * @param size size of ipv4_addr in bytes, at least DOCA_DEVINFO_IPV4_ADDR_SIZE
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: size is too small.
 * - DOCA_ERROR_OPERATING_SYSTEM: the interface has no such address.
 * Since 1.5, until 2.5 in this form.
 */
DOCA_STABLE doca_error_t doca_devinfo_get_ipv4_addr(const struct doca_devinfo *devinfo,
						    uint8_t *ipv4_addr, uint32_t size)
	DOCA_BIND(doca_devinfo_get_ipv4_addr, 1_5);
#endif

#if DOCA_API_BETWEEN(200, 303)
/**
 * Gets the PCI address of a device as text, domain included: "0000:03:00.0".
 * @param devinfo device to query
 * @param pci_addr_str receives the text; DOCA_DEVINFO_PCI_ADDR_SIZE bytes
 * @return DOCA_SUCCESS
 * Since 2.0.
 */
DOCA_STABLE doca_error_t doca_devinfo_get_pci_addr_str(const struct doca_devinfo *devinfo,
						       char *pci_addr_str);

/**
 * Gets the MAC address of a device.
 * @param devinfo device to query
 * @param mac_addr receives the address bytes, in the order of transmission
 * @param size size of mac_addr in bytes, at least DOCA_DEVINFO_MAC_ADDR_SIZE
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: size is too small.
 * - DOCA_ERROR_NOT_SUPPORTED: the device has no Ethernet port.
 * Since 2.0.
 */
DOCA_STABLE doca_error_t doca_devinfo_get_mac_addr(const struct doca_devinfo *devinfo,
						   uint8_t *mac_addr, uint32_t size);

/**
 * Gets the local identifier of an InfiniBand port.
 * @param devinfo device to query
 * @param lid receives the identifier, in the machine's byte order
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_NOT_SUPPORTED: the port is not InfiniBand.
 * Since 2.0.
 */
DOCA_STABLE doca_error_t doca_devinfo_get_lid(const struct doca_devinfo *devinfo, uint16_t *lid);

/**
 * Gets the PCI address of the represented function as the host sees it, domain included.
 * @param devinfo_rep entry of a list that still exists, or of an open representor; only read during
 *   the call
 * @param pci_addr_str receives the text; DOCA_DEVINFO_REP_PCI_ADDR_SIZE bytes
 * @return DOCA_SUCCESS
 * Since 2.0.
 */
DOCA_STABLE doca_error_t
doca_devinfo_rep_get_pci_addr_str(const struct doca_devinfo_rep *devinfo_rep, char *pci_addr_str);
#endif

#ifdef __cplusplus
}
#endif

#if DOCA_API_WORKQ
#include <dococ/dev_workq.h>
#else
#include <dococ/dev_task.h>
#endif

#endif
