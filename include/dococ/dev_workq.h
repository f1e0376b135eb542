/*
 * Lists, properties and capabilities of devices and representors, up to 2.2. Included by
 * doca_dev.h.
 *
 * In 1.3 properties are read by number, and representors are called remote devices. From 1.5 on
 * each property has a call of its own. The program owns a list until it destroys it. Capabilities
 * are part of the list: querying one sends no request. Opening a device again returns the same
 * instance, and each open needs a close, as in later versions.
 *
 * Threads: any number of threads may call the functions of this header at the same time.
 */
#ifndef DOCA_DEV_WORKQ_H_
#define DOCA_DEV_WORKQ_H_

#include <doca_dev.h>

#ifdef __cplusplus
extern "C" {
#endif

#if DOCA_API_BETWEEN(103, 204)
/**
 * Lists the devices of this side that this process may open.
 * @param dev_list receives an array of nb_devs elements; release it with doca_devinfo_list_destroy
 * @param nb_devs receives the number of elements; the list may be empty
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_NO_MEMORY: out of memory.
 * - DOCA_ERROR_NOT_FOUND: the devices of this side cannot be read; start the daemon of this side
 *   (dococ_last_error() says where the library looked for it), then repeat.
 * - DOCA_ERROR_TIME_OUT: the daemon is stopped or overloaded; repeat later.
 * Since 1.3, until 2.2; replaced by doca_devinfo_create_list. The guide of 1.3 omits nb_devs, but
 * the programs of that time pass it.
 */
DOCA_STABLE doca_error_t doca_devinfo_list_create(struct doca_devinfo ***dev_list,
						  uint32_t *nb_devs);

/**
 * Destroys a device list, which invalidates its elements; devices opened from it stay open.
 * @param dev_list list of doca_devinfo_list_create, its elements unchanged
 * @return DOCA_SUCCESS
 * Since 1.3, until 2.2; replaced by doca_devinfo_destroy_list.
 */
DOCA_STABLE doca_error_t doca_devinfo_list_destroy(struct doca_devinfo **dev_list);
#endif

/* --- properties and remote devices, 1.3 and 1.4 --- */

#if DOCA_API_BETWEEN(103, 104)
struct doca_devinfo_remote; /* description of a remote device: a representor */
struct doca_dev_remote;     /* open remote device */

/*
 * Properties of a device, with the type of the value in parentheses. The size of the type is the
 * smallest one that doca_devinfo_property_get() accepts. The SDK's numbers are not public; this
 * project chose these.
 */
enum doca_devinfo_property {
	DOCA_DEVINFO_PROPERTY_VUID = 0,       /* unique name (char[128]) */
	DOCA_DEVINFO_PROPERTY_PCI_ADDR = 1,   /* PCI address (struct doca_pci_bdf) */
	DOCA_DEVINFO_PROPERTY_IPV4_ADDR = 2,  /* network byte order (uint8_t[4]) */
	DOCA_DEVINFO_PROPERTY_IPV6_ADDR = 3,  /* network byte order (uint8_t[16]) */
	DOCA_DEVINFO_PROPERTY_IFACE_NAME = 4, /* network interface (char[256]) */
	DOCA_DEVINFO_PROPERTY_IBDEV_NAME = 5  /* RDMA device (char[64]) */
};

/* Properties of a remote device, described as those of a device. */
enum doca_devinfo_remote_property {
	DOCA_DEVINFO_REMOTE_PROPERTY_VUID = 0 /* unique name (char[128]) */
};

/* Kinds of remote devices in a list. NET are network functions. */
enum doca_dev_remote_filter { DOCA_DEV_REMOTE_FILTER_ALL = 0, DOCA_DEV_REMOTE_FILTER_NET = 2 };

/**
 * Gets a property of a device.
 * @param devinfo device to query
 * @param property property
 * @param value receives the value; bytes beyond the value are unchanged, except that texts are
 *   padded with NUL
 * @param size size of value in bytes, at least those of the property's type
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: the property does not exist, or size is too small.
 * - DOCA_ERROR_OPERATING_SYSTEM: the device has no interface, or the interface has no such address.
 * Since 1.3, until 1.4.
 */
DOCA_STABLE doca_error_t doca_devinfo_property_get(const struct doca_devinfo *devinfo,
						   enum doca_devinfo_property property,
						   uint8_t *value, uint32_t size);

/**
 * Lists the current remote devices (representors) of a device; they exist on the DPU only.
 * @param dev open device; need not stay open once the list exists
 * @param filter ALL or NET
 * @param dev_list_remote receives an array of nb_devs_remote elements; release it with
 *   doca_devinfo_remote_list_destroy
 * @param nb_devs_remote receives the number of elements; the list may be empty
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: filter has an unknown bit.
 * - DOCA_ERROR_NO_MEMORY: out of memory.
 * - DOCA_ERROR_NOT_SUPPORTED: this device has no remote devices, such as on a host, or none that
 *   match the filter.
 * - DOCA_ERROR_NOT_CONNECTED: no daemon of this side answers; start one, then repeat.
 * - DOCA_ERROR_TIME_OUT: the daemon is stopped or overloaded; repeat later.
 * Since 1.3, until 1.4; replaced by doca_devinfo_rep_list_create. The guide omits filter and
 * nb_devs_remote, but the programs of that time pass them.
 */
DOCA_STABLE doca_error_t doca_devinfo_remote_list_create(
	struct doca_dev *dev, enum doca_dev_remote_filter filter,
	struct doca_devinfo_remote ***dev_list_remote, uint32_t *nb_devs_remote);

/**
 * Destroys a remote device list, which invalidates its elements; open remote devices stay open.
 * @param dev_list_remote list of doca_devinfo_remote_list_create, its elements unchanged
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_IN_USE: an element is still needed; close what depends on it first.
 * Since 1.3, until 1.4.
 */
DOCA_STABLE doca_error_t
doca_devinfo_remote_list_destroy(struct doca_devinfo_remote **dev_list_remote);

/**
 * Gets a property of a remote device.
 * @param devinfo_remote entry of a list that still exists, or description of an open remote device;
 *   only read during the call
 * @param property property
 * @param value receives the value; bytes beyond the value are unchanged, except that texts are
 *   padded with NUL
 * @param size size of value in bytes, at least those of the property's type
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: the property does not exist, or size is too small.
 * Since 1.3, until 1.4.
 */
DOCA_STABLE doca_error_t doca_devinfo_remote_property_get(
	const struct doca_devinfo_remote *devinfo_remote,
	enum doca_devinfo_remote_property property, uint8_t *value, uint32_t size);

/**
 * Opens a remote device.
 * @param devinfo_remote element of a list that still exists
 * @param dev_remote receives the remote device; it outlives the list
 * @return DOCA_SUCCESS, or
 * - Any error of doca_dev_rep_open(), as doca_dev.h lists them for later versions.
 * Since 1.3, until 1.4.
 */
DOCA_STABLE doca_error_t doca_dev_remote_open(struct doca_devinfo_remote *devinfo_remote,
					      struct doca_dev_remote **dev_remote);

/**
 * Closes a remote device.
 * @param dev_remote open remote device; invalid from then on
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_IN_USE: another object still uses it; destroy that object first.
 * Since 1.3, until 1.4.
 */
DOCA_STABLE doca_error_t doca_dev_remote_close(struct doca_dev_remote *dev_remote);

/**
 * Gets the description of an open remote device.
 * @param dev_remote open remote device
 * @param devinfo_remote receives the description, owned by the remote device and valid until it is
 *   closed
 * @return DOCA_SUCCESS
 * Since 1.3, until 1.4.
 */
DOCA_STABLE doca_error_t doca_dev_remote_as_devinfo(struct doca_dev_remote *dev_remote,
						    struct doca_devinfo_remote **devinfo_remote);
#else
DOCA_ELSEWHERE(doca_devinfo_property_get,
	       "until 1.4; then each property has a call of its own, doca_devinfo_get_*");
DOCA_ELSEWHERE(doca_devinfo_remote_list_create,
	       "until 1.4; then representors: doca_devinfo_rep_list_create, from 2.5 on "
	       "doca_devinfo_rep_create_list");
#endif

/* --- from 1.5 --- */

/*
 * Kinds of representors in a list; a set of bits. NET are network functions. The others are
 * emulated devices: in 1.5 there is one bit per kind, from 2.0 on one bit for all kinds. The value
 * 4 therefore has two meanings.
 */
enum doca_dev_rep_filter {
	DOCA_DEV_REP_FILTER_ALL = 0,
	DOCA_DEV_REP_FILTER_NET = 2,
#if DOCA_API_BETWEEN(105, 105)
	DOCA_DEV_REP_FILTER_VIRTIO_FS = 4,
	DOCA_DEV_REP_FILTER_VIRTIO_NET = 8,
	DOCA_DEV_REP_FILTER_VIRTIO_BLK = 16,
	DOCA_DEV_REP_FILTER_NVME = 32,
#endif
#if DOCA_API_BETWEEN(200, 204)
	DOCA_DEV_REP_FILTER_EMULATED = 4,
#endif
};

#if DOCA_API_WORKQ && DOCA_USE_VERSION >= DOCA_MAKE_VERSION(2, 0)
/**
 * Lists the current representors of a device; representors exist on the DPU only.
 * @param dev open device; need not stay open once the list exists
 * @param filter set of enum doca_dev_rep_filter; ALL for every kind
 * @param dev_list_rep receives an array of nb_devs_rep elements; release it with
 *   doca_devinfo_rep_list_destroy
 * @param nb_devs_rep receives the number of elements; the list may be empty
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: filter has an unknown bit.
 * - DOCA_ERROR_NO_MEMORY: out of memory.
 * - DOCA_ERROR_NOT_SUPPORTED: this device has no representors, such as on a host, or none that
 *   match the filter; see doca_devinfo_rep_get_is_list_*_supported.
 * - DOCA_ERROR_NOT_CONNECTED: no daemon of this side answers; start one, then repeat.
 * - DOCA_ERROR_TIME_OUT: the daemon is stopped or overloaded; repeat later.
 * Since 2.0, until 2.2 in this form.
 */
DOCA_STABLE doca_error_t doca_devinfo_rep_list_create(struct doca_dev *dev, int filter,
						      struct doca_devinfo_rep ***dev_list_rep,
						      uint32_t *nb_devs_rep)
	DOCA_BIND(doca_devinfo_rep_list_create, 2_0);
#elif DOCA_API_WORKQ && DOCA_USE_VERSION >= DOCA_MAKE_VERSION(1, 5)
/**
 * Lists the current representors of a device; representors exist on the DPU only. Emulated devices
 * are not listed by their kind: their filters return DOCA_ERROR_NOT_SUPPORTED.
 * @param dev open device; need not stay open once the list exists
 * @param filter set of enum doca_dev_rep_filter; ALL for every kind
 * @param dev_list_rep receives an array of nb_devs_rep elements; release it with
 *   doca_devinfo_rep_list_destroy
 * @param nb_devs_rep receives the number of elements; the list may be empty
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: filter has an unknown bit.
 * - DOCA_ERROR_NO_MEMORY: out of memory.
 * - DOCA_ERROR_NOT_SUPPORTED: this device has no representors, such as on a host, or none that
 *   match the filter; see doca_devinfo_rep_get_is_list_*_supported.
 * - DOCA_ERROR_NOT_CONNECTED: no daemon of this side answers; start one, then repeat.
 * - DOCA_ERROR_TIME_OUT: the daemon is stopped or overloaded; repeat later.
 * In 1.5 only in this form.
 */
DOCA_STABLE doca_error_t doca_devinfo_rep_list_create(struct doca_dev *dev, int filter,
						      struct doca_devinfo_rep ***dev_list_rep,
						      uint32_t *nb_devs_rep)
	DOCA_BIND(doca_devinfo_rep_list_create, 1_5);
#endif

#if DOCA_API_BETWEEN(105, 204)
/**
 * Destroys a representor list, which invalidates its elements; open representors stay open.
 * @param dev_list_rep list of doca_devinfo_rep_list_create, its elements unchanged
 * @return DOCA_SUCCESS
 * Since 1.5, until 2.2.
 */
DOCA_STABLE doca_error_t doca_devinfo_rep_list_destroy(struct doca_devinfo_rep **dev_list_rep);

/**
 * Gets whether this device may plug emulated devices into the host.
 * @param devinfo device to query
 * @param is_hotplug_manager receives 1 or 0
 * @return DOCA_SUCCESS
 * Since 1.5, until 2.2.
 */
DOCA_STABLE doca_error_t doca_devinfo_get_is_hotplug_manager_supported(
	const struct doca_devinfo *devinfo, uint8_t *is_hotplug_manager);

/**
 * Gets whether representors of this device can be listed with filter ALL.
 * @param devinfo device to query
 * @param all_supported receives 1 or 0
 * @return DOCA_SUCCESS
 * Since 1.5, until 2.2.
 */
DOCA_STABLE doca_error_t doca_devinfo_rep_get_is_list_all_supported(
	const struct doca_devinfo *devinfo, uint8_t *all_supported);

/**
 * Gets whether representors of this device can be listed with filter NET.
 * @param devinfo device to query
 * @param net_supported receives 1 or 0
 * @return DOCA_SUCCESS
 * Since 1.5, until 2.2.
 */
DOCA_STABLE doca_error_t doca_devinfo_rep_get_is_list_net_supported(
	const struct doca_devinfo *devinfo, uint8_t *net_supported);
#endif

/* --- 1.5 only --- */

#if DOCA_API_BETWEEN(105, 105)
/**
 * Gets the PCI address of a device, without its domain.
 * @param devinfo device to query
 * @param pci_addr receives the address
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_OPERATING_SYSTEM: the function has no PCI address.
 * In 1.5 only.
 */
DOCA_STABLE doca_error_t doca_devinfo_get_pci_addr(const struct doca_devinfo *devinfo,
						   struct doca_pci_bdf *pci_addr);

/**
 * Gets the PCI address of the represented function as the host sees it, without its domain.
 * @param devinfo_rep entry of a list that still exists, or description of an open representor; only
 *   read during the call
 * @param pci_addr receives the address
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_OPERATING_SYSTEM: the function has no PCI address.
 * In 1.5 only.
 */
DOCA_STABLE doca_error_t doca_devinfo_rep_get_pci_addr(const struct doca_devinfo_rep *devinfo_rep,
						       struct doca_pci_bdf *pci_addr);

/**
 * Gets whether a memory map can be exported for the other side with this device.
 * @param devinfo device to query
 * @param mmap_export receives 1 or 0
 * @return DOCA_SUCCESS
 * In 1.5 only.
 */
DOCA_STABLE doca_error_t
doca_devinfo_get_is_mmap_export_supported(const struct doca_devinfo *devinfo, uint8_t *mmap_export);

/**
 * Gets whether a memory map can be created from the other side's export with this device.
 * @param devinfo device to query
 * @param from_export receives 1 or 0
 * @return DOCA_SUCCESS
 * In 1.5 only.
 */
DOCA_STABLE doca_error_t doca_devinfo_get_is_mmap_from_export_supported(
	const struct doca_devinfo *devinfo, uint8_t *from_export);

/**
 * Gets whether representors of this device can be listed with filter VIRTIO_FS. In this
 * implementation the result is always 0.
 * @param devinfo device to query
 * @param virtio_fs_supported receives 1 or 0
 * @return DOCA_SUCCESS
 * In 1.5 only.
 */
DOCA_STABLE doca_error_t doca_devinfo_rep_get_is_list_virtio_fs_supported(
	const struct doca_devinfo *devinfo, uint8_t *virtio_fs_supported);

/**
 * Gets whether representors of this device can be listed with filter VIRTIO_NET. In this
 * implementation the result is always 0.
 * @param devinfo device to query
 * @param virtio_net_supported receives 1 or 0
 * @return DOCA_SUCCESS
 * In 1.5 only.
 */
DOCA_STABLE doca_error_t doca_devinfo_rep_get_is_list_virtio_net_supported(
	const struct doca_devinfo *devinfo, uint8_t *virtio_net_supported);

/**
 * Gets whether representors of this device can be listed with filter VIRTIO_BLK. In this
 * implementation the result is always 0.
 * @param devinfo device to query
 * @param virtio_blk_supported receives 1 or 0
 * @return DOCA_SUCCESS
 * In 1.5 only.
 */
DOCA_STABLE doca_error_t doca_devinfo_rep_get_is_list_virtio_blk_supported(
	const struct doca_devinfo *devinfo, uint8_t *virtio_blk_supported);

/**
 * Gets whether representors of this device can be listed with filter NVME. In this implementation
 * the result is always 0.
 * @param devinfo device to query
 * @param nvme_supported receives 1 or 0
 * @return DOCA_SUCCESS
 * In 1.5 only.
 */
DOCA_STABLE doca_error_t doca_devinfo_rep_get_is_list_nvme_supported(
	const struct doca_devinfo *devinfo, uint8_t *nvme_supported);
#endif

/* --- from 2.0 --- */

#if DOCA_API_BETWEEN(200, 204)
/**
 * Compares an address with the PCI address of a device.
 * @param devinfo device to query
 * @param pci_addr_str "0000:0b:00.0" or the short form "0b:00.0", digits in hexadecimal,
 *   NUL-terminated
 * @param is_equal receives 1 if they are equal, else 0
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: the text is not a PCI address.
 * Since 2.0, until 2.2.
 */
DOCA_STABLE doca_error_t doca_devinfo_get_is_pci_addr_equal(const struct doca_devinfo *devinfo,
							    const char *pci_addr_str,
							    uint8_t *is_equal);

/**
 * Compares an address with the PCI address of the represented function, as the host sees it.
 * @param devinfo_rep entry of a list that still exists, or description of an open representor; only
 *   read during the call
 * @param pci_addr_str "0000:0b:00.0" or the short form "0b:00.0", digits in hexadecimal,
 *   NUL-terminated
 * @param is_equal receives 1 if they are equal, else 0
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: the text is not a PCI address.
 * Since 2.0, until 2.2.
 */
DOCA_STABLE doca_error_t doca_devinfo_rep_get_is_pci_addr_equal(
	const struct doca_devinfo_rep *devinfo_rep, const char *pci_addr_str, uint8_t *is_equal);

/**
 * Gets whether a memory map can be exported for the other side with this device.
 * @param devinfo device to query
 * @param mmap_export receives 1 or 0
 * @return DOCA_SUCCESS
 * Since 2.0, until 2.2.
 */
DOCA_STABLE doca_error_t doca_devinfo_get_is_mmap_export_dpu_supported(
	const struct doca_devinfo *devinfo, uint8_t *mmap_export);

/**
 * Gets whether a memory map can be created from the other side's export with this device.
 * @param devinfo device to query
 * @param from_export receives 1 or 0
 * @return DOCA_SUCCESS
 * Since 2.0, until 2.2.
 */
DOCA_STABLE doca_error_t doca_devinfo_get_is_mmap_from_export_dpu_supported(
	const struct doca_devinfo *devinfo, uint8_t *from_export);

/**
 * Gets whether representors of this device can be listed with filter EMULATED.
 * @param devinfo device to query
 * @param emulated_supported receives 1 or 0
 * @return DOCA_SUCCESS
 * Since 2.0, until 2.2.
 */
DOCA_STABLE doca_error_t doca_devinfo_rep_get_is_list_emulated_supported(
	const struct doca_devinfo *devinfo, uint8_t *emulated_supported);
#endif

/* Names from 2.5. */
#if !DOCA_API_BETWEEN(205, 303)
DOCA_ELSEWHERE(doca_devinfo_create_list, "since 2.5; up to 2.2 it is doca_devinfo_list_create");
DOCA_ELSEWHERE(doca_devinfo_destroy_list, "since 2.5; up to 2.2 it is doca_devinfo_list_destroy");
DOCA_ELSEWHERE(doca_devinfo_rep_create_list,
	       "since 2.5; up to 2.2 it is doca_devinfo_rep_list_create");
DOCA_ELSEWHERE(doca_devinfo_is_equal_pci_addr,
	       "since 2.5; up to 2.2 it is doca_devinfo_get_is_pci_addr_equal");
#endif

#ifdef __cplusplus
}
#endif

#endif
