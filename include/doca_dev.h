/*
 * Devices and representors.
 *
 * A list of devinfo describes what this side of the bus has; opening an element gives a device. On
 * the DPU a device may have representors: stand-ins for functions that the host sees. All of it
 * comes from the daemon of this side, which decides what this process may see. List elements live
 * until the list is destroyed; open devices outlive it.
 *
 * A call that asks the daemon may also give UNSUPPORTED_VERSION (daemon and library do not fit
 * together: upgrade the older) and UNEXPECTED (an answer that makes no sense: report it).
 *
 * Lists, capabilities and what depends on them are in doca_dev_task.h from 2.5 on, and in
 * doca_dev_workq.h up to 2.2. Devices, representors and their descriptions go to calls of every
 * version.
 *
 * Threads: all calls of this header may be made from any thread at the same time.
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

/* Bytes that the getters below need, terminating NUL of strings included. */
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
 * Opens a device. If this process has it open, the same instance is returned and counted once
 * more.
 * @param devinfo element of a device list that lives
 * @param dev receives the device; it outlives the list; one doca_dev_close per successful open
 * Threads: any thread.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_NO_MEMORY: no memory for the device.
 * - DOCA_ERROR_NOT_CONNECTED: the device cannot be opened: it is gone, policy forbids it or the
 *   daemon is away.
 * - DOCA_ERROR_INITIALIZATION: too many open devices; close some.
 * - DOCA_ERROR_NOT_SUPPORTED: devinfo belongs to a device that came from an RDMA protection
 *   domain.
 * Since 1.3. Source: DOCA Core guide, device discovery.
 */
DOCA_STABLE doca_error_t doca_dev_open(struct doca_devinfo *devinfo, struct doca_dev **dev);

/**
 * Drops one reference to a device; the last one closes it.
 * @param dev open device; invalid after the last close; NULL is accepted and does nothing
 * Threads: any thread.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_IN_USE: memory maps, contexts or representors still use it; destroy those first.
 * Since 1.3. Source: DOCA Core guide, device discovery.
 */
DOCA_STABLE doca_error_t doca_dev_close(struct doca_dev *dev);

#if DOCA_USE_VERSION >= DOCA_MAKE_VERSION(1, 5)
/**
 * Description of an open device, for capability queries.
 * @param dev open device
 * Threads: any thread.
 * @return the description, owned by the device and valid until its last close; NULL if dev is NULL
 * Since 1.5. Source: DOCA Core guide, device discovery.
 */
DOCA_STABLE struct doca_devinfo *doca_dev_as_devinfo(const struct doca_dev *dev)
	DOCA_BIND(doca_dev_as_devinfo, 1_5);
#else
/**
 * Description of an open device, as the list had it.
 * @param dev open device
 * @param devinfo receives the description; it belongs to the device and is valid until it is closed
 * States: dev is open.
 * Threads: any thread.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * Since 1.3, until 1.4. Source: DOCA Core guide 1.3, device.
 */
DOCA_STABLE doca_error_t doca_dev_as_devinfo(struct doca_dev *dev, struct doca_devinfo **devinfo)
	DOCA_BIND(doca_dev_as_devinfo, 1_3);
#endif

#if DOCA_API_BETWEEN(105, 303)
/**
 * Opens a representor.
 * @param devinfo element of a representor list that lives
 * @param dev_rep receives the representor; it outlives the list; one doca_dev_rep_close per
 *   successful open
 * Threads: any thread.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_NO_MEMORY: no memory for the representor.
 * Since 1.5. Source: DOCA Core guide, device discovery.
 */
DOCA_STABLE doca_error_t doca_dev_rep_open(struct doca_devinfo_rep *devinfo,
					   struct doca_dev_rep **dev_rep);

/**
 * Drops one reference to a representor; the last one closes it.
 * @param dev open representor; invalid after the last close
 * Threads: any thread.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_IN_USE: a channel server still uses it; destroy that first.
 * Since 1.5. Source: DOCA Core guide, device discovery.
 */
DOCA_STABLE doca_error_t doca_dev_rep_close(struct doca_dev_rep *dev);

/**
 * Description of an open representor.
 * @param dev_rep open representor
 * Threads: any thread.
 * @return the description, owned by the representor and valid until its last close; NULL if
 *   dev_rep is NULL
 * Since 1.5. Source: DOCA Core guide, device discovery.
 */
DOCA_STABLE struct doca_devinfo_rep *doca_dev_rep_as_devinfo(struct doca_dev_rep *dev_rep);

/**
 * IPv6 address of a device's interface, in network byte order.
 * @param devinfo description from a list that lives, or of an open device; borrowed for the call
 * @param ipv6_addr receives the bytes
 * @param size bytes at ipv6_addr, at least DOCA_DEVINFO_IPV6_ADDR_SIZE
 * Threads: any thread.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL or size is too small.
 * - DOCA_ERROR_OPERATING_SYSTEM: the interface has none or cannot be read.
 * Since 1.5. Source: DOCA Core guide, device discovery.
 */
DOCA_STABLE doca_error_t doca_devinfo_get_ipv6_addr(const struct doca_devinfo *devinfo,
						    uint8_t *ipv6_addr, uint32_t size);

/**
 * Name of a device's network interface.
 * @param devinfo description from a list that lives, or of an open device; borrowed for the call
 * @param iface_name receives the name, NUL-terminated
 * @param size bytes at iface_name, at least DOCA_DEVINFO_IFACE_NAME_SIZE
 * Threads: any thread.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL or size is too small.
 * - DOCA_ERROR_OPERATING_SYSTEM: the device has no interface or it cannot be read.
 * Since 1.5. Source: DOCA Core guide, device discovery.
 */
DOCA_STABLE doca_error_t doca_devinfo_get_iface_name(const struct doca_devinfo *devinfo,
						     char *iface_name, uint32_t size);

/**
 * Name of a device's RDMA device, such as "mlx5_0".
 * @param devinfo description from a list that lives, or of an open device; borrowed for the call
 * @param ibdev_name receives the name, NUL-terminated
 * @param size bytes at ibdev_name, at least DOCA_DEVINFO_IBDEV_NAME_SIZE
 * Threads: any thread.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL or size is too small.
 * Since 1.5. Source: DOCA Core guide, device discovery.
 */
DOCA_STABLE doca_error_t doca_devinfo_get_ibdev_name(const struct doca_devinfo *devinfo,
						     char *ibdev_name, uint32_t size);

/**
 * Unique name of the represented function, which the host side knows it by too.
 * @param devinfo_rep description from a list that lives, or of an open representor; borrowed for
 *   the call
 * @param rep_vuid receives the name, NUL-terminated
 * @param size bytes at rep_vuid, at least DOCA_DEVINFO_REP_VUID_SIZE
 * Threads: any thread.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL or size is too small.
 * Since 1.5. Source: DOCA Core guide, device discovery.
 */
DOCA_STABLE doca_error_t doca_devinfo_rep_get_vuid(const struct doca_devinfo_rep *devinfo_rep,
						   char *rep_vuid, uint32_t size);

/**
 * Kind of the represented function.
 * @param devinfo_rep description from a list that lives, or of an open representor; borrowed for
 *   the call
 * @param pci_func_type receives PF, VF or SF
 * Threads: any thread.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * Since 1.5. Source: DOCA Core guide, device discovery.
 */
DOCA_STABLE doca_error_t doca_devinfo_rep_get_pci_func_type(
	const struct doca_devinfo_rep *devinfo_rep, enum doca_pci_func_type *pci_func_type);
#endif

#if DOCA_USE_VERSION >= DOCA_MAKE_VERSION(2, 6)
/**
 * IPv4 address of a device's interface, in network byte order.
 * @param devinfo description from a list that lives, or of an open device; borrowed for the call
 * @param ipv4_addr receives the bytes
 * @param size bytes at ipv4_addr, at least DOCA_DEVINFO_IPV4_ADDR_SIZE
 * Threads: any thread.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL or size is too small.
 * - DOCA_ERROR_NOT_FOUND: the interface has no such address.
 * - DOCA_ERROR_OPERATING_SYSTEM: the system's look-up failed; dococ_last_error() names the call.
 * Since 2.6 in this form. Source: DOCA Core guide, device discovery.
 */
DOCA_STABLE doca_error_t doca_devinfo_get_ipv4_addr(const struct doca_devinfo *devinfo,
						    uint8_t *ipv4_addr, uint32_t size)
	DOCA_BIND(doca_devinfo_get_ipv4_addr, 2_6);
#elif DOCA_USE_VERSION >= DOCA_MAKE_VERSION(1, 5)
/**
 * IPv4 address of a device's interface, in network byte order.
 * @param devinfo description from a list that lives, or of an open device; borrowed for the call
 * @param ipv4_addr receives the bytes
 * @param size bytes at ipv4_addr, at least DOCA_DEVINFO_IPV4_ADDR_SIZE
 * Threads: any thread.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL or size is too small.
 * - DOCA_ERROR_OPERATING_SYSTEM: the interface has no such address or cannot be read.
 * Since 1.5, until 2.5 in this form. Source: DOCA Core guide, device discovery.
 */
DOCA_STABLE doca_error_t doca_devinfo_get_ipv4_addr(const struct doca_devinfo *devinfo,
						    uint8_t *ipv4_addr, uint32_t size)
	DOCA_BIND(doca_devinfo_get_ipv4_addr, 1_5);
#endif

#if DOCA_API_BETWEEN(200, 303)
/**
 * PCI address of a device as text, domain included: "0000:03:00.0".
 * @param devinfo description from a list that lives, or of an open device; borrowed for the call
 * @param pci_addr_str receives the text; DOCA_DEVINFO_PCI_ADDR_SIZE bytes
 * Threads: any thread.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_OPERATING_SYSTEM: the address cannot be read.
 * Since 2.0. Source: DOCA Core guide, device discovery.
 */
DOCA_STABLE doca_error_t doca_devinfo_get_pci_addr_str(const struct doca_devinfo *devinfo,
						       char *pci_addr_str);

/**
 * MAC address of a device.
 * @param devinfo description from a list that lives, or of an open device; borrowed for the call
 * @param mac_addr receives the bytes, as they go over the wire
 * @param size bytes at mac_addr, at least DOCA_DEVINFO_MAC_ADDR_SIZE
 * Threads: any thread.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL or size is too small.
 * - DOCA_ERROR_NOT_SUPPORTED: the device has no Ethernet port.
 * Since 2.0. Source: DOCA Core guide, device discovery.
 */
DOCA_STABLE doca_error_t doca_devinfo_get_mac_addr(const struct doca_devinfo *devinfo,
						   uint8_t *mac_addr, uint32_t size);

/**
 * Local identifier of an InfiniBand port.
 * @param devinfo description from a list that lives, or of an open device; borrowed for the call
 * @param lid receives the identifier, in the machine's byte order
 * Threads: any thread.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_DRIVER: the daemon could not say; dococ_last_error() has the reason, repeat when it
 *   is back.
 * - DOCA_ERROR_NOT_SUPPORTED: the port is not InfiniBand.
 * Since 2.0. Source: DOCA Core guide, device discovery.
 */
DOCA_STABLE doca_error_t doca_devinfo_get_lid(const struct doca_devinfo *devinfo, uint16_t *lid);

/**
 * PCI address of the represented function as the host sees it, domain included.
 * @param devinfo_rep description from a list that lives, or of an open representor; borrowed for
 *   the call
 * @param pci_addr_str receives the text; DOCA_DEVINFO_REP_PCI_ADDR_SIZE bytes
 * Threads: any thread.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_NO_MEMORY: no memory to ask.
 * - DOCA_ERROR_UNEXPECTED: the daemon's answer makes no sense; report it.
 * Since 2.0. Source: DOCA Core guide, device discovery.
 */
DOCA_STABLE doca_error_t
doca_devinfo_rep_get_pci_addr_str(const struct doca_devinfo_rep *devinfo_rep, char *pci_addr_str);
#endif

#ifdef __cplusplus
}
#endif

#if DOCA_API_WORKQ
#include <doca_dev_workq.h>
#else
#include <doca_dev_task.h>
#endif

#endif
