/* Queries of one device or representor: addresses, names, capabilities. They use the record from
 * the list; nothing here calls the daemon. Threads: any; records never change. */
#include <string.h>

#include "client/base/error.h"
#include "client/base/generation.h"
#include "client/device/dev.h"
#include "util/str.h"

/* --- one device --- */

bool devinfo_ok(const void *info, const void *out, const char *what)
{
	if (likely(info != NULL && out != NULL))
		return true;
	error_set(DOCA_ERROR_INVALID_VALUE, "%s: %s is NULL", what,
		  info == NULL ? "devinfo" : "the result");
	return false;
}

doca_error_t devinfo_get_string(const char *value, char *out, uint32_t size, uint32_t need,
				const char *what)
{
	size_t len = strlen(value) + 1;

	if (size < need)
		return error_set(DOCA_ERROR_INVALID_VALUE,
				 "%s: the buffer has %u bytes, %u are needed", what, size, need);
	/* Programs compare the whole field, in a buffer that may contain a longer name from
	 * before. */
	memset(out, 0, need);
	memcpy(out, value, MIN(len, (size_t)need - 1));
	return DOCA_SUCCESS;
}

doca_error_t devinfo_get_bytes(const uint8_t *value, bool has, uint8_t *out, uint32_t size,
			       uint32_t need, doca_error_t none, const char *what, const char *name)
{
	if (size < need)
		return error_set(DOCA_ERROR_INVALID_VALUE,
				 "%s: the buffer has %u bytes, %u are needed", what, size, need);
	if (!has)
		return error_set(none, "%s: %s has none in its topology", what, name);
	memcpy(out, value, need);
	return DOCA_SUCCESS;
}

doca_error_t doca_devinfo_get_pci_addr_str(const struct doca_devinfo *devinfo, char *out)
{
	if (!devinfo_ok(devinfo, out, "device pci address"))
		return DOCA_ERROR_INVALID_VALUE;
	memcpy(out, devinfo->pci_addr, DOCA_DEVINFO_PCI_ADDR_SIZE);
	return DOCA_SUCCESS;
}

static doca_error_t pci_is_equal(const char *have, const char *asked, uint8_t *is_equal,
				 const char *what)
{
	char normal[DOCA_DEVINFO_PCI_ADDR_SIZE];

	if (str_pci_normalize(asked, normal) != 0)
		return error_set(
			DOCA_ERROR_INVALID_VALUE,
			"%s: '%.32s' is no PCI address; write it as 0000:03:00.0 or 03:00.0", what,
			asked);
	*is_equal = strcmp(normal, have) == 0;
	return DOCA_SUCCESS;
}

doca_error_t devinfo_compare_pci_addr(const struct doca_devinfo *devinfo, const char *pci_addr_str,
				      uint8_t *is_equal)
{
	if (!devinfo_ok(devinfo, is_equal, "device pci address comparison"))
		return DOCA_ERROR_INVALID_VALUE;
	if (!devinfo_ok(devinfo, pci_addr_str, "device pci address comparison"))
		return DOCA_ERROR_INVALID_VALUE;
	return pci_is_equal(devinfo->pci_addr, pci_addr_str, is_equal,
			    "device pci address comparison");
}

doca_error_t doca_devinfo_is_equal_pci_addr(const struct doca_devinfo *devinfo,
					    const char *pci_addr_str, uint8_t *is_equal)
{
	return devinfo_compare_pci_addr(devinfo, pci_addr_str, is_equal);
}

doca_error_t devinfo_get_ipv4(const struct doca_devinfo *devinfo, uint8_t *out, uint32_t size,
			      doca_error_t none)
{
	if (!devinfo_ok(devinfo, out, "device ipv4 address"))
		return DOCA_ERROR_INVALID_VALUE;
	return devinfo_get_bytes(devinfo->ipv4, devinfo->has_ipv4, out, size,
				 DOCA_DEVINFO_IPV4_ADDR_SIZE, none, "device ipv4 address",
				 devinfo->name);
}

doca_error_t doca_devinfo_get_ipv4_addr(const struct doca_devinfo *devinfo, uint8_t *out,
					uint32_t size)
{
	return devinfo_get_ipv4(devinfo, out, size, DOCA_ERROR_NOT_FOUND);
}
API_PLAIN(doca_devinfo_get_ipv4_addr, 2_6);

doca_error_t doca_devinfo_get_ipv6_addr(const struct doca_devinfo *devinfo, uint8_t *out,
					uint32_t size)
{
	if (!devinfo_ok(devinfo, out, "device ipv6 address"))
		return DOCA_ERROR_INVALID_VALUE;
	return devinfo_get_bytes(devinfo->ipv6, devinfo->has_ipv6, out, size,
				 DOCA_DEVINFO_IPV6_ADDR_SIZE, DOCA_ERROR_OPERATING_SYSTEM,
				 "device ipv6 address", devinfo->name);
}

doca_error_t doca_devinfo_get_mac_addr(const struct doca_devinfo *devinfo, uint8_t *out,
				       uint32_t size)
{
	if (!devinfo_ok(devinfo, out, "device mac address"))
		return DOCA_ERROR_INVALID_VALUE;
	return devinfo_get_bytes(devinfo->mac, devinfo->has_mac, out, size,
				 DOCA_DEVINFO_MAC_ADDR_SIZE, DOCA_ERROR_NOT_SUPPORTED,
				 "device mac address", devinfo->name);
}

doca_error_t devinfo_get_iface_name(const struct doca_devinfo *devinfo, char *out, uint32_t size)
{
	if (!devinfo_ok(devinfo, out, "device interface name"))
		return DOCA_ERROR_INVALID_VALUE;
	if (devinfo->iface[0] == '\0' && size >= DOCA_DEVINFO_IFACE_NAME_SIZE)
		return error_set(DOCA_ERROR_OPERATING_SYSTEM,
				 "device interface name: %s has no network interface",
				 devinfo->name);
	return devinfo_get_string(devinfo->iface, out, size, DOCA_DEVINFO_IFACE_NAME_SIZE,
				  "device interface name");
}

doca_error_t doca_devinfo_get_iface_name(const struct doca_devinfo *devinfo, char *out,
					 uint32_t size)
{
	return devinfo_get_iface_name(devinfo, out, size);
}

doca_error_t doca_devinfo_get_ibdev_name(const struct doca_devinfo *devinfo, char *out,
					 uint32_t size)
{
	if (!devinfo_ok(devinfo, out, "device ib device name"))
		return DOCA_ERROR_INVALID_VALUE;
	return devinfo_get_string(devinfo->ibdev, out, size, DOCA_DEVINFO_IBDEV_NAME_SIZE,
				  "device ib device name");
}

doca_error_t doca_devinfo_get_lid(const struct doca_devinfo *devinfo, uint16_t *lid)
{
	if (!devinfo_ok(devinfo, lid, "device lid"))
		return DOCA_ERROR_INVALID_VALUE;
	if (!devinfo->has_lid)
		return error_set(DOCA_ERROR_NOT_SUPPORTED,
				 "device lid: the port of %s is Ethernet and has none",
				 devinfo->name);
	*lid = devinfo->lid;
	return DOCA_SUCCESS;
}

doca_error_t devinfo_get_active_rate(const struct doca_devinfo *devinfo, const void *out,
				     uint64_t *rate_out)
{
	if (!devinfo_ok(devinfo, out, "device active rate"))
		return DOCA_ERROR_INVALID_VALUE;
	*rate_out = devinfo->active_rate;
	return DOCA_SUCCESS;
}

doca_error_t doca_devinfo_get_active_rate(const struct doca_devinfo *devinfo, uint64_t *rate)
{
	return devinfo_get_active_rate(devinfo, rate, rate);
}
API_PLAIN(doca_devinfo_get_active_rate, 2_7);

doca_error_t doca_devinfo_get_vhca_id(const struct doca_devinfo *devinfo, uint16_t *vhca_id)
{
	if (!devinfo_ok(devinfo, vhca_id, "device vhca id"))
		return DOCA_ERROR_INVALID_VALUE;
	*vhca_id = devinfo->vhca_id;
	return DOCA_SUCCESS;
}

doca_error_t doca_devinfo_get_pci_func_type(const struct doca_devinfo *devinfo,
					    enum doca_pci_func_type *type)
{
	if (!devinfo_ok(devinfo, type, "device function type"))
		return DOCA_ERROR_INVALID_VALUE;
	*type = (enum doca_pci_func_type)devinfo->func_type;
	return DOCA_SUCCESS;
}

doca_error_t doca_devinfo_get_sf_index(const struct doca_devinfo *devinfo, uint32_t *sf_index)
{
	if (!devinfo_ok(devinfo, sf_index, "device sf index"))
		return DOCA_ERROR_INVALID_VALUE;
	if (devinfo->func_type != DOCA_PCI_FUNC_TYPE_SF)
		return error_set(DOCA_ERROR_NOT_SUPPORTED,
				 "device sf index: %s is not a scalable function", devinfo->name);
	*sf_index = devinfo->sf_index;
	return DOCA_SUCCESS;
}

doca_error_t doca_devinfo_cap_is_hotplug_manager_supported(const struct doca_devinfo *devinfo,
							   uint8_t *out)
{
	if (!devinfo_ok(devinfo, out, "device hotplug manager"))
		return DOCA_ERROR_INVALID_VALUE;
	*out = devinfo->caps.hotplug_manager;
	return DOCA_SUCCESS;
}

doca_error_t doca_devinfo_cap_is_notification_moderation_supported(
	const struct doca_devinfo *devinfo, uint8_t *out)
{
	if (!devinfo_ok(devinfo, out, "device notification moderation"))
		return DOCA_ERROR_INVALID_VALUE;
	*out = devinfo->caps.notification_moderation;
	return DOCA_SUCCESS;
}

doca_error_t doca_devinfo_cap_is_accelerate_resource_reclaim_supported(
	const struct doca_devinfo *devinfo, uint8_t *out)
{
	if (!devinfo_ok(devinfo, out, "device resource reclaim"))
		return DOCA_ERROR_INVALID_VALUE;
	*out = 0;
	return DOCA_SUCCESS;
}

doca_error_t doca_devinfo_rep_cap_is_filter_all_supported(const struct doca_devinfo *devinfo,
							  uint8_t *out)
{
	if (!devinfo_ok(devinfo, out, "representor filter all"))
		return DOCA_ERROR_INVALID_VALUE;
	*out = devinfo->caps.rep_filter_all;
	return DOCA_SUCCESS;
}

doca_error_t doca_devinfo_rep_cap_is_filter_net_supported(const struct doca_devinfo *devinfo,
							  uint8_t *out)
{
	if (!devinfo_ok(devinfo, out, "representor filter net"))
		return DOCA_ERROR_INVALID_VALUE;
	*out = devinfo->caps.rep_filter_net;
	return DOCA_SUCCESS;
}

doca_error_t doca_devinfo_rep_cap_is_filter_emulated_supported(const struct doca_devinfo *devinfo,
							       uint8_t *out)
{
	if (!devinfo_ok(devinfo, out, "representor filter emulated"))
		return DOCA_ERROR_INVALID_VALUE;
	*out = devinfo->caps.rep_filter_emulated;
	return DOCA_SUCCESS;
}

/* --- one representor --- */

doca_error_t doca_devinfo_rep_get_vuid(const struct doca_devinfo_rep *rep, char *out, uint32_t size)
{
	if (!devinfo_ok(rep, out, "representor vuid"))
		return DOCA_ERROR_INVALID_VALUE;
	return devinfo_get_string(rep->vuid, out, size, DOCA_DEVINFO_REP_VUID_SIZE,
				  "representor vuid");
}

doca_error_t doca_devinfo_rep_get_pci_addr_str(const struct doca_devinfo_rep *rep, char *out)
{
	if (!devinfo_ok(rep, out, "representor pci address"))
		return DOCA_ERROR_INVALID_VALUE;
	memcpy(out, rep->pci_addr, DOCA_DEVINFO_REP_PCI_ADDR_SIZE);
	return DOCA_SUCCESS;
}

doca_error_t doca_devinfo_rep_get_pci_func_type(const struct doca_devinfo_rep *rep,
						enum doca_pci_func_type *type)
{
	if (!devinfo_ok(rep, type, "representor function type"))
		return DOCA_ERROR_INVALID_VALUE;
	*type = (enum doca_pci_func_type)rep->func_type;
	return DOCA_SUCCESS;
}

doca_error_t doca_devinfo_rep_get_is_hotplug(const struct doca_devinfo_rep *rep, uint8_t *out)
{
	if (!devinfo_ok(rep, out, "representor hotplug"))
		return DOCA_ERROR_INVALID_VALUE;
	*out = rep->is_hotplug;
	return DOCA_SUCCESS;
}

doca_error_t doca_devinfo_rep_get_iface_name(const struct doca_devinfo_rep *rep, char *out,
					     uint32_t size)
{
	if (!devinfo_ok(rep, out, "representor interface name"))
		return DOCA_ERROR_INVALID_VALUE;
	if (rep->iface[0] == '\0' && size >= DOCA_DEVINFO_IFACE_NAME_SIZE)
		return error_set(DOCA_ERROR_OPERATING_SYSTEM,
				 "representor interface name: %s has no network interface",
				 rep->name);
	return devinfo_get_string(rep->iface, out, size, DOCA_DEVINFO_IFACE_NAME_SIZE,
				  "representor interface name");
}

doca_error_t devinfo_rep_compare_pci_addr(const struct doca_devinfo_rep *rep,
					  const char *pci_addr_str, uint8_t *is_equal)
{
	if (!devinfo_ok(rep, is_equal, "representor pci address comparison"))
		return DOCA_ERROR_INVALID_VALUE;
	if (!devinfo_ok(rep, pci_addr_str, "representor pci address comparison"))
		return DOCA_ERROR_INVALID_VALUE;
	return pci_is_equal(rep->pci_addr, pci_addr_str, is_equal,
			    "representor pci address comparison");
}

doca_error_t doca_devinfo_rep_is_equal_pci_addr(const struct doca_devinfo_rep *rep,
						const char *pci_addr_str, uint8_t *is_equal)
{
	return devinfo_rep_compare_pci_addr(rep, pci_addr_str, is_equal);
}

doca_error_t doca_devinfo_rep_get_vhca_id(const struct doca_devinfo_rep *rep, uint16_t *vhca_id)
{
	if (!devinfo_ok(rep, vhca_id, "representor vhca id"))
		return DOCA_ERROR_INVALID_VALUE;
	*vhca_id = rep->vhca_id;
	return DOCA_SUCCESS;
}
