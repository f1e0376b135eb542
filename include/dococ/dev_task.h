/*
 * Lists and capabilities of devices and representors, from 2.5 on. Included by doca_dev.h.
 *
 * The program owns a list until it destroys it. Capabilities are part of the list: querying one
 * sends no request.
 *
 * Threads: any number of threads may call the functions of this header at the same time.
 */
#ifndef DOCA_DEV_TASK_H_
#define DOCA_DEV_TASK_H_

#include <doca_dev.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Kinds of representors in a list; a set of bits. NET are network functions, EMULATED are emulated
 * devices.
 */
enum doca_devinfo_rep_filter {
	DOCA_DEVINFO_REP_FILTER_ALL = 0,
	DOCA_DEVINFO_REP_FILTER_NET = 2,
	DOCA_DEVINFO_REP_FILTER_EMULATED = 4
};

#if DOCA_API_BETWEEN(205, 303)
/**
 * Lists the devices of this side that this process may open.
 * @param dev_list receives an array of nb_devs elements; release it with doca_devinfo_destroy_list
 * @param nb_devs receives the number of elements; the list may be empty
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_NO_MEMORY: out of memory.
 * - DOCA_ERROR_NOT_FOUND: the devices of this side cannot be read: no daemon of this side answers;
 *   start one (dococ_last_error() says where the library looked for it), then repeat.
 * - DOCA_ERROR_TIME_OUT: the daemon is stopped or overloaded; repeat later.
 * Since 2.5.
 */
DOCA_STABLE doca_error_t doca_devinfo_create_list(struct doca_devinfo ***dev_list,
						  uint32_t *nb_devs);

/**
 * Destroys a device list, which invalidates its elements; devices opened from it stay open.
 * @param dev_list list of doca_devinfo_create_list, its elements unchanged
 * @return DOCA_SUCCESS
 * Since 2.5.
 */
DOCA_STABLE doca_error_t doca_devinfo_destroy_list(struct doca_devinfo **dev_list);

/**
 * Lists the current representors of a device; representors exist on the DPU only.
 * @param dev open device; need not stay open once the list exists
 * @param filter set of enum doca_devinfo_rep_filter; ALL for every kind
 * @param dev_list_rep receives an array of nb_devs_rep elements; release it with
 *   doca_devinfo_rep_destroy_list
 * @param nb_devs_rep receives the number of elements; the list may be empty
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: filter has an unknown bit.
 * - DOCA_ERROR_NO_MEMORY: out of memory.
 * - DOCA_ERROR_NOT_SUPPORTED: this device has no representors, such as on a host, or none that
 *   match the filter; see doca_devinfo_rep_cap_is_filter_*_supported.
 * - DOCA_ERROR_NOT_CONNECTED: no daemon of this side answers; start one, then repeat.
 * - DOCA_ERROR_TIME_OUT: the daemon is stopped or overloaded; repeat later.
 * Since 2.5.
 */
DOCA_STABLE doca_error_t doca_devinfo_rep_create_list(struct doca_dev *dev, int filter,
						      struct doca_devinfo_rep ***dev_list_rep,
						      uint32_t *nb_devs_rep);

/**
 * Destroys a representor list, which invalidates its elements; open representors stay open.
 * @param dev_list_rep list of doca_devinfo_rep_create_list, its elements unchanged
 * @return DOCA_SUCCESS
 * Since 2.5.
 */
DOCA_STABLE doca_error_t doca_devinfo_rep_destroy_list(struct doca_devinfo_rep **dev_list_rep);

#endif

#if DOCA_USE_VERSION >= DOCA_MAKE_VERSION(2, 7)
/**
 * Gets the current rate of a device's port.
 * @param devinfo device to query
 * @param active_rate receives the rate in bits per second
 * @return DOCA_SUCCESS
 * Since 2.7.
 */
DOCA_STABLE doca_error_t doca_devinfo_get_active_rate(const struct doca_devinfo *devinfo,
						      uint64_t *active_rate)
	DOCA_BIND(doca_devinfo_get_active_rate, 2_7);
#elif DOCA_USE_VERSION >= DOCA_MAKE_VERSION(2, 6)
/**
 * Gets the current rate of a device's port.
 * @param devinfo device to query
 * @param active_rate receives the rate in bits per second
 * @return DOCA_SUCCESS
 * In 2.6 only in this form.
 */
DOCA_STABLE doca_error_t doca_devinfo_get_active_rate(const struct doca_devinfo *devinfo,
						      double *active_rate)
	DOCA_BIND(doca_devinfo_get_active_rate, 2_6);
#endif

#if DOCA_API_BETWEEN(205, 303)
/**
 * Requests that the device reclaims at once the resources that were freed recently. Not supported.
 * @param dev open device
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_NOT_SUPPORTED: always, if dev is not NULL: devices of this runtime reclaim resources
 *   at once anyway.
 * Since 2.7.
 */
DOCA_STABLE doca_error_t doca_dev_accelerate_resource_reclaim(struct doca_dev *dev);

/**
 * Compares an address with the PCI address of a device.
 * @param devinfo device to query
 * @param pci_addr_str "0000:03:00.0" or the short form "03:00.0", digits in hexadecimal,
 *   NUL-terminated
 * @param is_equal receives 1 if they are equal, else 0
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: the text is not a PCI address.
 * Since 2.5.
 */
DOCA_STABLE doca_error_t doca_devinfo_is_equal_pci_addr(const struct doca_devinfo *devinfo,
							const char *pci_addr_str,
							uint8_t *is_equal);

/**
 * Gets whether this device may plug emulated devices into the host.
 * @param devinfo device to query
 * @param is_hotplug_manager receives 1 or 0
 * @return DOCA_SUCCESS
 * Since 2.5.
 */
DOCA_STABLE doca_error_t doca_devinfo_cap_is_hotplug_manager_supported(
	const struct doca_devinfo *devinfo, uint8_t *is_hotplug_manager);

/**
 * Gets whether the device can delay notifications in order to send fewer of them.
 * @param devinfo device to query
 * @param is_notification_moderation_supported receives 1 or 0
 * @return DOCA_SUCCESS
 * Since 2.7.
 */
DOCA_STABLE doca_error_t doca_devinfo_cap_is_notification_moderation_supported(
	const struct doca_devinfo *devinfo, uint8_t *is_notification_moderation_supported);

/**
 * Gets whether representors of this device can be listed with filter ALL.
 * @param devinfo device to query
 * @param filter_all_supported receives 1 or 0
 * @return DOCA_SUCCESS
 * Since 2.5.
 */
DOCA_STABLE doca_error_t doca_devinfo_rep_cap_is_filter_all_supported(
	const struct doca_devinfo *devinfo, uint8_t *filter_all_supported);

/**
 * Gets whether representors of this device can be listed with filter NET.
 * @param devinfo device to query
 * @param filter_net_supported receives 1 or 0
 * @return DOCA_SUCCESS
 * Since 2.5.
 */
DOCA_STABLE doca_error_t doca_devinfo_rep_cap_is_filter_net_supported(
	const struct doca_devinfo *devinfo, uint8_t *filter_net_supported);

/**
 * Gets whether representors of this device can be listed with filter EMULATED.
 * @param devinfo device to query
 * @param filter_emulated_supported receives 1 or 0
 * @return DOCA_SUCCESS
 * Since 2.5.
 */
DOCA_STABLE doca_error_t doca_devinfo_rep_cap_is_filter_emulated_supported(
	const struct doca_devinfo *devinfo, uint8_t *filter_emulated_supported);

/**
 * Gets whether this device supports doca_dev_accelerate_resource_reclaim(). No device does.
 * @param devinfo device to query
 * @param is_accelerate_resource_reclaim receives 0
 * @return DOCA_SUCCESS
 * Since 2.7.
 */
DOCA_STABLE doca_error_t doca_devinfo_cap_is_accelerate_resource_reclaim_supported(
	const struct doca_devinfo *devinfo, uint8_t *is_accelerate_resource_reclaim);

/**
 * Gets whether the represented device was plugged in by hotplug.
 * @param devinfo_rep entry of a list that still exists, or description of an open representor; only
 *   read during the call
 * @param is_hotplug receives 1 or 0
 * @return DOCA_SUCCESS
 * Since 2.5.
 */
DOCA_STABLE doca_error_t doca_devinfo_rep_get_is_hotplug(const struct doca_devinfo_rep *devinfo_rep,
							 uint8_t *is_hotplug);

/**
 * Gets the name of a representor's network interface on this side.
 * @param devinfo_rep entry of a list that still exists, or description of an open representor; only
 *   read during the call
 * @param iface_name receives the name, NUL-terminated
 * @param size size of iface_name in bytes, at least DOCA_DEVINFO_IFACE_NAME_SIZE
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: size is too small.
 * - DOCA_ERROR_OPERATING_SYSTEM: the representor has no network interface.
 * Since 2.7.
 */
DOCA_STABLE doca_error_t doca_devinfo_rep_get_iface_name(const struct doca_devinfo_rep *devinfo_rep,
							 char *iface_name, uint32_t size);

/**
 * Compares an address with the PCI address of the represented function, as the host sees it.
 * @param devinfo_rep entry of a list that still exists, or description of an open representor; only
 *   read during the call
 * @param pci_addr_str "0000:0b:00.0" or the short form "0b:00.0", digits in hexadecimal,
 *   NUL-terminated
 * @param is_equal receives 1 if they are equal, else 0
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: the text is not a PCI address.
 * Since 2.5.
 */
DOCA_STABLE doca_error_t doca_devinfo_rep_is_equal_pci_addr(
	const struct doca_devinfo_rep *devinfo_rep, const char *pci_addr_str, uint8_t *is_equal);

/**
 * Gets the number that the hardware assigned to the function (VHCA id).
 * @param devinfo device to query
 * @param vhca_id receives the number
 * @return DOCA_SUCCESS
 * Since 3.0.
 */
DOCA_STABLE doca_error_t doca_devinfo_get_vhca_id(const struct doca_devinfo *devinfo,
						  uint16_t *vhca_id);

/**
 * Gets the number that the hardware assigned to the represented function (VHCA id).
 * @param devinfo_rep entry of a list that still exists, or description of an open representor; only
 *   read during the call
 * @param vhca_id receives the number
 * @return DOCA_SUCCESS
 * Since 3.0.
 */
DOCA_STABLE doca_error_t doca_devinfo_rep_get_vhca_id(const struct doca_devinfo_rep *devinfo_rep,
						      uint16_t *vhca_id);

/**
 * Gets the function type of a device.
 * @param devinfo device to query
 * @param pci_func_type receives PF, VF or SF
 * @return DOCA_SUCCESS
 * Since 3.1.
 */
DOCA_STABLE doca_error_t doca_devinfo_get_pci_func_type(const struct doca_devinfo *devinfo,
							enum doca_pci_func_type *pci_func_type);

/**
 * Gets the index of a scalable function among those of its parent.
 * @param devinfo device to query
 * @param sf_index receives the index
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_NOT_SUPPORTED: the device is not a scalable function; see
 *   doca_devinfo_get_pci_func_type().
 * Since 3.1.
 */
DOCA_STABLE doca_error_t doca_devinfo_get_sf_index(const struct doca_devinfo *devinfo,
						   uint32_t *sf_index);
#endif

/* Names up to 2.2. */
#if !DOCA_API_BETWEEN(103, 204)
DOCA_ELSEWHERE(doca_devinfo_list_create, "until 2.2; from 2.5 on it is doca_devinfo_create_list");
DOCA_ELSEWHERE(doca_devinfo_list_destroy, "until 2.2; from 2.5 on it is doca_devinfo_destroy_list");
DOCA_ELSEWHERE(doca_devinfo_rep_list_create,
	       "until 2.2; from 2.5 on it is doca_devinfo_rep_create_list");
DOCA_ELSEWHERE(doca_devinfo_property_get,
	       "until 1.4; then each property has a call of its own, doca_devinfo_get_*");
#endif

#ifdef __cplusplus
}
#endif

#endif
