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

/*
 * Which representors a list shall hold; a set of bits. NET are network functions, EMULATED
 * emulated devices.
 */
enum doca_devinfo_rep_filter {
	DOCA_DEVINFO_REP_FILTER_ALL = 0,
	DOCA_DEVINFO_REP_FILTER_NET = 2,
	DOCA_DEVINFO_REP_FILTER_EMULATED = 4
};

/**
 * Lists the devices of this side that this process may open.
 * @param dev_list receives an array of nb_devs elements; give it back with
 *   doca_devinfo_destroy_list
 * @param nb_devs receives the number of elements; the list may be empty
 * Threads: any thread.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_NO_MEMORY: no memory for the list.
 * - DOCA_ERROR_NOT_FOUND: the devices of this side cannot be read.
 * - DOCA_ERROR_NOT_CONNECTED: no daemon of this side answers; start one (dococ_last_error() says
 *   where it was looked for), then repeat.
 * - DOCA_ERROR_TIME_OUT: the daemon is stopped or overloaded; repeat later.
 * Since 2.5. Source: DOCA Core guide, device discovery.
 */
DOCA_STABLE doca_error_t doca_devinfo_create_list(struct doca_devinfo ***dev_list,
						  uint32_t *nb_devs);

/**
 * Gives a device list back. Its elements are invalid from then on; devices opened from it stay
 * open.
 * @param dev_list list of doca_devinfo_create_list, its elements unchanged
 * Threads: any thread.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: dev_list is NULL.
 * - DOCA_ERROR_IN_USE: an element is still needed; close what depends on it first.
 * Since 2.5. Source: DOCA Core guide, device discovery.
 */
DOCA_STABLE doca_error_t doca_devinfo_destroy_list(struct doca_devinfo **dev_list);

/**
 * Lists the representors that a device has, at this moment; they exist on the DPU only.
 * @param dev open device; not needed any more once the list exists
 * @param filter set of enum doca_devinfo_rep_filter; ALL for every kind
 * @param dev_list_rep receives an array of nb_devs_rep elements; give it back with
 *   doca_devinfo_rep_destroy_list
 * @param nb_devs_rep receives the number of elements; the list may be empty
 * Threads: any thread.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL or filter has an unknown bit.
 * - DOCA_ERROR_NO_MEMORY: no memory for the list.
 * - DOCA_ERROR_DRIVER: the daemon could not say; dococ_last_error() has the reason, repeat when it
 *   is back.
 * - DOCA_ERROR_NOT_SUPPORTED: this device has no representors, as on a host, or none of this
 *   filter; ask doca_devinfo_rep_cap_is_filter_*_supported first.
 * - DOCA_ERROR_NOT_CONNECTED: no daemon of this side answers; start one, then repeat.
 * - DOCA_ERROR_TIME_OUT: the daemon is stopped or overloaded; repeat later.
 * Since 2.5. Source: DOCA Core guide, device discovery.
 */
DOCA_STABLE doca_error_t doca_devinfo_rep_create_list(struct doca_dev *dev, int filter,
						      struct doca_devinfo_rep ***dev_list_rep,
						      uint32_t *nb_devs_rep);

/**
 * Gives a representor list back. Its elements are invalid from then on; open representors stay
 * open.
 * @param dev_list_rep list of doca_devinfo_rep_create_list, its elements unchanged
 * Threads: any thread.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: dev_list_rep is NULL.
 * - DOCA_ERROR_IN_USE: an element is still needed; close what depends on it first.
 * Since 2.5. Source: DOCA Core guide, device discovery.
 */
DOCA_STABLE doca_error_t doca_devinfo_rep_destroy_list(struct doca_devinfo_rep **dev_list_rep);

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
 * Since 2.5. Source: DOCA Core guide, device discovery.
 */
DOCA_STABLE doca_error_t doca_dev_open(struct doca_devinfo *devinfo, struct doca_dev **dev);

/**
 * Drops one reference to a device; the last one closes it.
 * @param dev open device; invalid after the last close; NULL is accepted and does nothing
 * Threads: any thread.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_IN_USE: memory maps, contexts or representors still use it; destroy those first.
 * Since 2.5. Source: DOCA Core guide, device discovery.
 */
DOCA_STABLE doca_error_t doca_dev_close(struct doca_dev *dev);

/**
 * Asks the device to take back, at once, resources that were freed lately.
 * @param dev open device
 * Threads: any thread.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_DRIVER: the device refused; nothing is lost, it reclaims later by itself.
 * - DOCA_ERROR_AGAIN: more is left to reclaim; call again.
 * - DOCA_ERROR_NOT_SUPPORTED: the device does not do it; see
 *   doca_devinfo_cap_is_accelerate_resource_reclaim_supported.
 * Since 2.7. Source: DOCA Core guide, device discovery.
 */
DOCA_STABLE doca_error_t doca_dev_accelerate_resource_reclaim(struct doca_dev *dev);

/**
 * Opens a representor.
 * @param devinfo element of a representor list that lives
 * @param dev_rep receives the representor; it outlives the list; one doca_dev_rep_close per
 *   successful open
 * Threads: any thread.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_NO_MEMORY: no memory for the representor.
 * Since 2.5. Source: DOCA Core guide, device discovery.
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
 * Since 2.5. Source: DOCA Core guide, device discovery.
 */
DOCA_STABLE doca_error_t doca_dev_rep_close(struct doca_dev_rep *dev);

#if DOCA_USE_VERSION >= DOCA_MAKE_VERSION(1, 5)
/**
 * Description of an open device, for capability queries.
 * @param dev open device
 * Threads: any thread.
 * @return the description, owned by the device and valid until its last close; NULL if dev is NULL
 * Since 2.5. Source: DOCA Core guide, device discovery.
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

/**
 * Description of an open representor.
 * @param dev_rep open representor
 * Threads: any thread.
 * @return the description, owned by the representor and valid until its last close; NULL if
 *   dev_rep is NULL
 * Since 2.5. Source: DOCA Core guide, device discovery.
 */
DOCA_STABLE struct doca_devinfo_rep *doca_dev_rep_as_devinfo(struct doca_dev_rep *dev_rep);

/**
 * PCI address of a device as text, domain included: "0000:03:00.0".
 * @param devinfo description from a list that lives, or of an open device; borrowed for the call
 * @param pci_addr_str receives the text; DOCA_DEVINFO_PCI_ADDR_SIZE bytes
 * Threads: any thread.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_OPERATING_SYSTEM: the address cannot be read.
 * Since 2.5. Source: DOCA Core guide, device discovery.
 */
DOCA_STABLE doca_error_t doca_devinfo_get_pci_addr_str(const struct doca_devinfo *devinfo,
						       char *pci_addr_str);

/**
 * Does a device have this PCI address?
 * @param devinfo description from a list that lives, or of an open device; borrowed for the call
 * @param pci_addr_str "0000:03:00.0" or the short form "03:00.0", digits in hexadecimal,
 *   NUL-terminated
 * @param is_equal receives 1 if the address is this one, else 0
 * Threads: any thread.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL or the text is no PCI address.
 * - DOCA_ERROR_OPERATING_SYSTEM: the system's look-up failed; dococ_last_error() names the call.
 * Since 2.5. Source: DOCA Core guide, device discovery.
 */
DOCA_STABLE doca_error_t doca_devinfo_is_equal_pci_addr(const struct doca_devinfo *devinfo,
							const char *pci_addr_str,
							uint8_t *is_equal);

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
 * Since 2.5. Source: DOCA Core guide, device discovery.
 */
DOCA_STABLE doca_error_t doca_devinfo_get_ipv4_addr(const struct doca_devinfo *devinfo,
						    uint8_t *ipv4_addr, uint32_t size);

/**
 * IPv6 address of a device's interface, in network byte order.
 * @param devinfo description from a list that lives, or of an open device; borrowed for the call
 * @param ipv6_addr receives the bytes
 * @param size bytes at ipv6_addr, at least DOCA_DEVINFO_IPV6_ADDR_SIZE
 * Threads: any thread.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL or size is too small.
 * - DOCA_ERROR_OPERATING_SYSTEM: the interface has none or cannot be read.
 * Since 2.5. Source: DOCA Core guide, device discovery.
 */
DOCA_STABLE doca_error_t doca_devinfo_get_ipv6_addr(const struct doca_devinfo *devinfo,
						    uint8_t *ipv6_addr, uint32_t size);

/**
 * MAC address of a device.
 * @param devinfo description from a list that lives, or of an open device; borrowed for the call
 * @param mac_addr receives the bytes, as they go over the wire
 * @param size bytes at mac_addr, at least DOCA_DEVINFO_MAC_ADDR_SIZE
 * Threads: any thread.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL or size is too small.
 * - DOCA_ERROR_NOT_SUPPORTED: the device has no Ethernet port.
 * Since 2.5. Source: DOCA Core guide, device discovery.
 */
DOCA_STABLE doca_error_t doca_devinfo_get_mac_addr(const struct doca_devinfo *devinfo,
						   uint8_t *mac_addr, uint32_t size);

/**
 * Name of a device's network interface.
 * @param devinfo description from a list that lives, or of an open device; borrowed for the call
 * @param iface_name receives the name, NUL-terminated
 * @param size bytes at iface_name, at least DOCA_DEVINFO_IFACE_NAME_SIZE
 * Threads: any thread.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL or size is too small.
 * - DOCA_ERROR_OPERATING_SYSTEM: the device has no interface or it cannot be read.
 * Since 2.5. Source: DOCA Core guide, device discovery.
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
 * Since 2.5. Source: DOCA Core guide, device discovery.
 */
DOCA_STABLE doca_error_t doca_devinfo_get_ibdev_name(const struct doca_devinfo *devinfo,
						     char *ibdev_name, uint32_t size);

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
 * Since 2.5. Source: DOCA Core guide, device discovery.
 */
DOCA_STABLE doca_error_t doca_devinfo_get_lid(const struct doca_devinfo *devinfo, uint16_t *lid);

/**
 * Rate of a device's port at this moment.
 * @param devinfo description from a list that lives, or of an open device; borrowed for the call
 * @param active_rate receives the rate in bits per second
 * Threads: any thread.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_DRIVER: the daemon could not say; dococ_last_error() has the reason, repeat when it
 *   is back.
 * Since 2.7. Source: DOCA Core guide, device discovery.
 */
DOCA_STABLE doca_error_t doca_devinfo_get_active_rate(const struct doca_devinfo *devinfo,
						      uint64_t *active_rate);

/**
 * May this device plug emulated devices into the host?
 * @param devinfo description from a list that lives, or of an open device; borrowed for the call
 * @param is_hotplug_manager receives 1 or 0
 * Threads: any thread.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_DRIVER: the daemon could not say; dococ_last_error() has the reason, repeat when it
 *   is back.
 * Since 2.5. Source: DOCA Core guide, device discovery.
 */
DOCA_STABLE doca_error_t doca_devinfo_cap_is_hotplug_manager_supported(
	const struct doca_devinfo *devinfo, uint8_t *is_hotplug_manager);

/**
 * Can the device hold notifications back, to give fewer of them?
 * @param devinfo description from a list that lives, or of an open device; borrowed for the call
 * @param is_notification_moderation_supported receives 1 or 0
 * Threads: any thread.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_DRIVER: the daemon could not say; dococ_last_error() has the reason, repeat when it
 *   is back.
 * Since 2.7. Source: DOCA Core guide, device discovery.
 */
DOCA_STABLE doca_error_t doca_devinfo_cap_is_notification_moderation_supported(
	const struct doca_devinfo *devinfo, uint8_t *is_notification_moderation_supported);

/**
 * Can representors of this device be listed with filter ALL?
 * @param devinfo description from a list that lives, or of an open device; borrowed for the call
 * @param filter_all_supported receives 1 or 0
 * Threads: any thread.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_NOT_SUPPORTED: the device knows nothing of representors; take it as 0.
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_DRIVER: the daemon could not say; dococ_last_error() has the reason, repeat when it
 *   is back.
 * Since 2.5. Source: DOCA Core guide, device discovery.
 */
DOCA_STABLE doca_error_t doca_devinfo_rep_cap_is_filter_all_supported(
	const struct doca_devinfo *devinfo, uint8_t *filter_all_supported);

/**
 * Can representors of this device be listed with filter NET?
 * @param devinfo description from a list that lives, or of an open device; borrowed for the call
 * @param filter_net_supported receives 1 or 0
 * Threads: any thread.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_NOT_SUPPORTED: the device knows nothing of representors; take it as 0.
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_DRIVER: the daemon could not say; dococ_last_error() has the reason, repeat when it
 *   is back.
 * Since 2.5. Source: DOCA Core guide, device discovery.
 */
DOCA_STABLE doca_error_t doca_devinfo_rep_cap_is_filter_net_supported(
	const struct doca_devinfo *devinfo, uint8_t *filter_net_supported);

/**
 * Can representors of this device be listed with filter EMULATED?
 * @param devinfo description from a list that lives, or of an open device; borrowed for the call
 * @param filter_emulated_supported receives 1 or 0
 * Threads: any thread.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_NOT_SUPPORTED: the device knows nothing of representors; take it as 0.
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_DRIVER: the daemon could not say; dococ_last_error() has the reason, repeat when it
 *   is back.
 * Since 2.5. Source: DOCA Core guide, device discovery.
 */
DOCA_STABLE doca_error_t doca_devinfo_rep_cap_is_filter_emulated_supported(
	const struct doca_devinfo *devinfo, uint8_t *filter_emulated_supported);

/**
 * Does doca_dev_accelerate_resource_reclaim work on this device?
 * @param devinfo description from a list that lives, or of an open device; borrowed for the call
 * @param is_accelerate_resource_reclaim receives 1 or 0
 * Threads: any thread.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_DRIVER: the daemon could not say; dococ_last_error() has the reason, repeat when it
 *   is back.
 * Since 2.7. Source: DOCA Core guide, device discovery.
 */
DOCA_STABLE doca_error_t doca_devinfo_cap_is_accelerate_resource_reclaim_supported(
	const struct doca_devinfo *devinfo, uint8_t *is_accelerate_resource_reclaim);

/**
 * Unique name of the represented function, which the host side knows it by too.
 * @param devinfo_rep description from a list that lives, or of an open representor; borrowed for
 *   the call
 * @param rep_vuid receives the name, NUL-terminated
 * @param size bytes at rep_vuid, at least DOCA_DEVINFO_REP_VUID_SIZE
 * Threads: any thread.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL or size is too small.
 * Since 2.5. Source: DOCA Core guide, device discovery.
 */
DOCA_STABLE doca_error_t doca_devinfo_rep_get_vuid(const struct doca_devinfo_rep *devinfo_rep,
						   char *rep_vuid, uint32_t size);

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
 * Since 2.5. Source: DOCA Core guide, device discovery.
 */
DOCA_STABLE doca_error_t
doca_devinfo_rep_get_pci_addr_str(const struct doca_devinfo_rep *devinfo_rep, char *pci_addr_str);

/**
 * Kind of the represented function.
 * @param devinfo_rep description from a list that lives, or of an open representor; borrowed for
 *   the call
 * @param pci_func_type receives PF, VF or SF
 * Threads: any thread.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * Since 2.5. Source: DOCA Core guide, device discovery.
 */
DOCA_STABLE doca_error_t doca_devinfo_rep_get_pci_func_type(
	const struct doca_devinfo_rep *devinfo_rep, enum doca_pci_func_type *pci_func_type);

/**
 * Was the represented device plugged in by hotplug?
 * @param devinfo_rep description from a list that lives, or of an open representor; borrowed for
 *   the call
 * @param is_hotplug receives 1 or 0
 * Threads: any thread.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * Since 2.5. Source: DOCA Core guide, device discovery.
 */
DOCA_STABLE doca_error_t doca_devinfo_rep_get_is_hotplug(const struct doca_devinfo_rep *devinfo_rep,
							 uint8_t *is_hotplug);

/**
 * Name of a representor's network interface on this side.
 * @param devinfo_rep description from a list that lives, or of an open representor; borrowed for
 *   the call
 * @param iface_name receives the name, NUL-terminated
 * @param size bytes at iface_name, at least DOCA_DEVINFO_IFACE_NAME_SIZE
 * Threads: any thread.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL or size is too small.
 * - DOCA_ERROR_OPERATING_SYSTEM: the representor has no interface or it cannot be read.
 * Since 2.7. Source: DOCA Core guide, device discovery.
 */
DOCA_STABLE doca_error_t doca_devinfo_rep_get_iface_name(const struct doca_devinfo_rep *devinfo_rep,
							 char *iface_name, uint32_t size);

/**
 * Does the represented function have this PCI address, as the host sees it?
 * @param devinfo_rep description from a list that lives, or of an open representor; borrowed for
 *   the call
 * @param pci_addr_str "0000:0b:00.0" or the short form "0b:00.0", digits in hexadecimal,
 *   NUL-terminated
 * @param is_equal receives 1 if the address is this one, else 0
 * Threads: any thread.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL or the text is no PCI address.
 * - DOCA_ERROR_NO_MEMORY: no memory to ask.
 * - DOCA_ERROR_UNEXPECTED: the daemon's answer makes no sense; report it.
 * Since 2.5. Source: DOCA Core guide, device discovery.
 */
DOCA_STABLE doca_error_t doca_devinfo_rep_is_equal_pci_addr(
	const struct doca_devinfo_rep *devinfo_rep, const char *pci_addr_str, uint8_t *is_equal);

/**
 * Number that the hardware gives to the function.
 * @param devinfo description from a list that lives, or of an open device; borrowed for the call
 * @param vhca_id receives the number
 * Threads: any thread.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_DRIVER: the daemon could not say; dococ_last_error() has the reason, repeat when it
 *   is back.
 * Since 3.0. Source: DOCA Core guide, device discovery.
 */
DOCA_STABLE doca_error_t doca_devinfo_get_vhca_id(const struct doca_devinfo *devinfo,
						  uint16_t *vhca_id);

/**
 * Number that the hardware gives to the represented function.
 * @param devinfo_rep description from a list that lives, or of an open representor; borrowed for
 *   the call
 * @param vhca_id receives the number
 * Threads: any thread.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * Since 3.0. Source: DOCA Core guide, device discovery.
 */
DOCA_STABLE doca_error_t doca_devinfo_rep_get_vhca_id(const struct doca_devinfo_rep *devinfo_rep,
						      uint16_t *vhca_id);

/**
 * Kind of function that a device is.
 * @param devinfo description from a list that lives, or of an open device; borrowed for the call
 * @param pci_func_type receives PF, VF or SF
 * Threads: any thread.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_DRIVER: the daemon could not say; dococ_last_error() has the reason, repeat when it
 *   is back.
 * Since 3.1. Source: DOCA Core guide, device discovery.
 */
DOCA_STABLE doca_error_t doca_devinfo_get_pci_func_type(const struct doca_devinfo *devinfo,
							enum doca_pci_func_type *pci_func_type);

/**
 * Number of a scalable function at its parent.
 * @param devinfo description from a list that lives, or of an open device; borrowed for the call
 * @param sf_index receives the number
 * Threads: any thread.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_NOT_SUPPORTED: the device is no scalable function; ask
 *   doca_devinfo_get_pci_func_type first.
 * - DOCA_ERROR_DRIVER: the daemon could not say; dococ_last_error() has the reason, repeat when it
 *   is back.
 * Since 3.1. Source: DOCA Core guide, device discovery.
 */
DOCA_STABLE doca_error_t doca_devinfo_get_sf_index(const struct doca_devinfo *devinfo,
						   uint32_t *sf_index);

#ifdef __cplusplus
}
#endif

#endif
