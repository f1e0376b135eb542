/*
 * Lists and capabilities of devices and representors: from 2.5; included by doca_dev.h.
 *
 * A list belongs to the program until it is given back. Capabilities come with the list; asking for
 * one costs nothing.
 *
 * Threads: all calls of this header may be made from any thread at the same time.
 */
#ifndef DOCA_DEV_TASK_H_
#define DOCA_DEV_TASK_H_

#include <doca_dev.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Which representors a list shall hold; a set of bits. NET are network functions, EMULATED
 * emulated devices.
 */
enum doca_devinfo_rep_filter {
	DOCA_DEVINFO_REP_FILTER_ALL = 0,
	DOCA_DEVINFO_REP_FILTER_NET = 2,
	DOCA_DEVINFO_REP_FILTER_EMULATED = 4
};

#if DOCA_API_BETWEEN(205, 303)
/**
 * Lists the devices of this side that this process may open.
 * @param dev_list receives an array of nb_devs elements; give it back with
 *   doca_devinfo_destroy_list
 * @param nb_devs receives the number of elements; the list may be empty
 * Threads: any thread.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_NO_MEMORY: no memory for the list.
 * - DOCA_ERROR_NOT_FOUND: the devices of this side cannot be read: no daemon of this side answers;
 *   start one (dococ_last_error() says where it was looked for), then repeat.
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

#endif

#if DOCA_USE_VERSION >= DOCA_MAKE_VERSION(2, 7)
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
						      uint64_t *active_rate)
	DOCA_BIND(doca_devinfo_get_active_rate, 2_7);
#elif DOCA_USE_VERSION >= DOCA_MAKE_VERSION(2, 6)
/**
 * Rate of a device's port at this moment.
 * @param devinfo description from a list that lives, or of an open device; borrowed for the call
 * @param active_rate receives the rate in bits per second
 * Threads: any thread.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_DRIVER: the daemon could not say; dococ_last_error() has the reason, repeat when it
 *   is back.
 * Since 2.6, until 2.6 in this form. Source: DOCA Core guide, device discovery.
 */
DOCA_STABLE doca_error_t doca_devinfo_get_active_rate(const struct doca_devinfo *devinfo,
						      double *active_rate)
	DOCA_BIND(doca_devinfo_get_active_rate, 2_6);
#endif

#if DOCA_API_BETWEEN(205, 303)
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
