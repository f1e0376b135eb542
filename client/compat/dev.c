/* Devices of earlier generations: lists, properties, capabilities, and the remote devices of 1.3,
 * which are representors under another name. Threads: any, as in client/device/dev.h. */
#include "client/compat/dev.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <doca_dev.h>
#include <dococ/dev_workq.h>

#include "client/base/error.h"
#include "client/base/generation.h"
#include "client/base/program_api.h"
#include "client/device/dev.h"
#include "client/device/devlist.h"
#include "util/str.h"

doca_error_t compat_dev_as_devinfo(struct doca_dev *dev, struct doca_devinfo **devinfo)
{
	if (dev == NULL || devinfo == NULL)
		return error_set(DOCA_ERROR_INVALID_VALUE, "dev as devinfo: %s is NULL",
				 dev == NULL ? "dev" : "the result");
	*devinfo = dev->info;
	return DOCA_SUCCESS;
}

/* --- lists --------------------------------------------------------------------------------- */

doca_error_t doca_devinfo_list_create(struct doca_devinfo ***dev_list, uint32_t *nb_devs)
{
	program_api_note(API_1_3, API_2_2);
	return devlist_create(dev_list, nb_devs);
}

doca_error_t doca_devinfo_list_destroy(struct doca_devinfo **dev_list)
{
	return devlist_destroy(dev_list);
}

/* The numbers of NET and EMULATED are the same as in the current version. */
_Static_assert((int)DOCA_DEV_REP_FILTER_NET == (int)DOCA_DEVINFO_REP_FILTER_NET, "NET");
_Static_assert((int)DOCA_DEV_REP_FILTER_EMULATED == (int)DOCA_DEVINFO_REP_FILTER_EMULATED,
	       "EMULATED");

doca_error_t compat_rep_list(struct doca_dev *dev, int filter, struct doca_devinfo_rep ***list_out,
			     uint32_t *n_out)
{
	return devlist_rep_create(dev, filter, list_out, n_out);
}

doca_error_t compat_rep_list_by_kind(struct doca_dev *dev, int filter,
				     struct doca_devinfo_rep ***list_out, uint32_t *n_out)
{
	const int kinds = DOCA_DEV_REP_FILTER_VIRTIO_FS | DOCA_DEV_REP_FILTER_VIRTIO_NET |
			  DOCA_DEV_REP_FILTER_VIRTIO_BLK | DOCA_DEV_REP_FILTER_NVME;

	if ((filter & ~(DOCA_DEV_REP_FILTER_NET | kinds)) != 0)
		return error_set(DOCA_ERROR_INVALID_VALUE,
				 "representor list: filter %#x has unknown bits", (unsigned)filter);
	if ((filter & kinds) != 0 && dev != NULL && list_out != NULL && n_out != NULL)
		return error_set(DOCA_ERROR_NOT_SUPPORTED,
				 "representor list: %s does not distinguish kinds of emulated "
				 "devices, filter %#x; use ALL or NET",
				 dev->info->name, (unsigned)filter);
	/* One of the kinds has the number that EMULATED has now, so the kinds' bits are removed. */
	return devlist_rep_create(dev, filter & ~kinds, list_out, n_out);
}

doca_error_t doca_devinfo_rep_list_destroy(struct doca_devinfo_rep **dev_list_rep)
{
	return devlist_rep_destroy(dev_list_rep);
}

/* --- addresses ----------------------------------------------------------------------------- */

static doca_error_t bdf_parse(const char *text, const char *name, struct doca_pci_bdf *bdf_out)
{
	char normal[DOCA_DEVINFO_PCI_ADDR_SIZE];
	unsigned bus, device, function;

	/* The daemon sends full addresses; any other text cannot be converted to 16 bits. */
	if (str_pci_normalize(text, normal) != 0 ||
	    sscanf(normal + strlen("0000:"), "%2x:%2x.%1x", &bus, &device, &function) != 3)
		return error_set(DOCA_ERROR_OPERATING_SYSTEM, "pci address: %s has none", name);
	bdf_out->bus = (uint16_t)(bus & (PCI_BUS_MAX_VALUE - 1));
	bdf_out->device = (uint16_t)(device & (PCI_DEVICE_MAX_VALUE - 1));
	bdf_out->function = (uint16_t)(function & (PCI_FUNCTION_MAX_VALUE - 1));
	return DOCA_SUCCESS;
}

doca_error_t doca_devinfo_get_pci_addr(const struct doca_devinfo *devinfo,
				       struct doca_pci_bdf *pci_addr)
{
	if (!devinfo_ok(devinfo, pci_addr, "device pci address"))
		return DOCA_ERROR_INVALID_VALUE;
	return bdf_parse(devinfo->pci_addr, devinfo->name, pci_addr);
}

doca_error_t doca_devinfo_rep_get_pci_addr(const struct doca_devinfo_rep *devinfo_rep,
					   struct doca_pci_bdf *pci_addr)
{
	if (!devinfo_ok(devinfo_rep, pci_addr, "representor pci address"))
		return DOCA_ERROR_INVALID_VALUE;
	return bdf_parse(devinfo_rep->pci_addr, devinfo_rep->name, pci_addr);
}

doca_error_t doca_devinfo_get_is_pci_addr_equal(const struct doca_devinfo *devinfo,
						const char *pci_addr_str, uint8_t *is_equal)
{
	return devinfo_compare_pci_addr(devinfo, pci_addr_str, is_equal);
}

doca_error_t doca_devinfo_rep_get_is_pci_addr_equal(const struct doca_devinfo_rep *devinfo_rep,
						    const char *pci_addr_str, uint8_t *is_equal)
{
	return devinfo_rep_compare_pci_addr(devinfo_rep, pci_addr_str, is_equal);
}

doca_error_t compat_devinfo_get_ipv4(const struct doca_devinfo *devinfo, uint8_t *ipv4_addr,
				     uint32_t size)
{
	return devinfo_get_ipv4(devinfo, ipv4_addr, size, DOCA_ERROR_OPERATING_SYSTEM);
}

doca_error_t compat_devinfo_get_rate(const struct doca_devinfo *devinfo, double *rate_out)
{
	uint64_t rate = 0;
	doca_error_t result = devinfo_get_active_rate(devinfo, rate_out, &rate);

	if (result == DOCA_SUCCESS)
		*rate_out = (double)rate;
	return result;
}

/* --- capabilities -------------------------------------------------------------------------- */

#define CAP(field) offsetof(struct dev_caps, field)

/* field: offset of a bool in the capabilities */
static doca_error_t cap_get(const struct doca_devinfo *devinfo, uint8_t *out, const char *what,
			    size_t field)
{
	if (!devinfo_ok(devinfo, out, what))
		return DOCA_ERROR_INVALID_VALUE;
	*out = *(const bool *)((const char *)&devinfo->caps + field);
	return DOCA_SUCCESS;
}

doca_error_t doca_devinfo_get_is_hotplug_manager_supported(const struct doca_devinfo *devinfo,
							   uint8_t *out)
{
	return cap_get(devinfo, out, "device hotplug manager", CAP(hotplug_manager));
}

doca_error_t doca_devinfo_get_is_mmap_export_supported(const struct doca_devinfo *devinfo,
						       uint8_t *out)
{
	return cap_get(devinfo, out, "device mmap export", CAP(export_pci));
}

doca_error_t doca_devinfo_get_is_mmap_from_export_supported(const struct doca_devinfo *devinfo,
							    uint8_t *out)
{
	return cap_get(devinfo, out, "device mmap from export", CAP(import_pci));
}

doca_error_t doca_devinfo_get_is_mmap_export_dpu_supported(const struct doca_devinfo *devinfo,
							   uint8_t *out)
{
	return cap_get(devinfo, out, "device mmap export", CAP(export_pci));
}

doca_error_t doca_devinfo_get_is_mmap_from_export_dpu_supported(const struct doca_devinfo *devinfo,
								uint8_t *out)
{
	return cap_get(devinfo, out, "device mmap from export", CAP(import_pci));
}

doca_error_t doca_devinfo_rep_get_is_list_all_supported(const struct doca_devinfo *devinfo,
							uint8_t *out)
{
	return cap_get(devinfo, out, "representor filter all", CAP(rep_filter_all));
}

doca_error_t doca_devinfo_rep_get_is_list_net_supported(const struct doca_devinfo *devinfo,
							uint8_t *out)
{
	return cap_get(devinfo, out, "representor filter net", CAP(rep_filter_net));
}

doca_error_t doca_devinfo_rep_get_is_list_emulated_supported(const struct doca_devinfo *devinfo,
							     uint8_t *out)
{
	return cap_get(devinfo, out, "representor filter emulated", CAP(rep_filter_emulated));
}

/* Kinds of emulated devices are not distinguished. */
static doca_error_t kind_get(const struct doca_devinfo *devinfo, uint8_t *out, const char *what)
{
	if (!devinfo_ok(devinfo, out, what))
		return DOCA_ERROR_INVALID_VALUE;
	*out = 0;
	return DOCA_SUCCESS;
}

doca_error_t doca_devinfo_rep_get_is_list_virtio_fs_supported(const struct doca_devinfo *devinfo,
							      uint8_t *out)
{
	return kind_get(devinfo, out, "representor filter virtio-fs");
}

doca_error_t doca_devinfo_rep_get_is_list_virtio_net_supported(const struct doca_devinfo *devinfo,
							       uint8_t *out)
{
	return kind_get(devinfo, out, "representor filter virtio-net");
}

doca_error_t doca_devinfo_rep_get_is_list_virtio_blk_supported(const struct doca_devinfo *devinfo,
							       uint8_t *out)
{
	return kind_get(devinfo, out, "representor filter virtio-blk");
}

doca_error_t doca_devinfo_rep_get_is_list_nvme_supported(const struct doca_devinfo *devinfo,
							 uint8_t *out)
{
	return kind_get(devinfo, out, "representor filter nvme");
}

/* --- properties and remote devices of 1.3 -------------------------------------------------- */

doca_error_t doca_devinfo_property_get(const struct doca_devinfo *devinfo,
				       enum doca_devinfo_property property, uint8_t *value,
				       uint32_t size)
{
	struct doca_pci_bdf bdf;
	doca_error_t result;

	if (!devinfo_ok(devinfo, value, "device property"))
		return DOCA_ERROR_INVALID_VALUE;
	switch (property) {
	case DOCA_DEVINFO_PROPERTY_VUID:
		return devinfo_get_string(devinfo->vuid, (char *)value, size,
					  DOCA_DEVINFO_VUID_SIZE, "device property vuid");
	case DOCA_DEVINFO_PROPERTY_PCI_ADDR:
		result = bdf_parse(devinfo->pci_addr, devinfo->name, &bdf);
		if (result != DOCA_SUCCESS)
			return result;
		return devinfo_get_bytes((const uint8_t *)&bdf, true, value, size, sizeof(bdf),
					 DOCA_ERROR_OPERATING_SYSTEM, "device property pci address",
					 devinfo->name);
	case DOCA_DEVINFO_PROPERTY_IPV4_ADDR:
		return compat_devinfo_get_ipv4(devinfo, value, size);
	case DOCA_DEVINFO_PROPERTY_IPV6_ADDR:
		return devinfo_get_bytes(devinfo->ipv6, devinfo->has_ipv6, value, size,
					 DOCA_DEVINFO_IPV6_ADDR_SIZE, DOCA_ERROR_OPERATING_SYSTEM,
					 "device property ipv6 address", devinfo->name);
	case DOCA_DEVINFO_PROPERTY_IFACE_NAME:
		return devinfo_get_iface_name(devinfo, (char *)value, size);
	case DOCA_DEVINFO_PROPERTY_IBDEV_NAME:
		return devinfo_get_string(devinfo->ibdev, (char *)value, size,
					  DOCA_DEVINFO_IBDEV_NAME_SIZE,
					  "device property ib device name");
	default:
		return error_set(DOCA_ERROR_INVALID_VALUE,
				 "device property: there is no property %d", (int)property);
	}
}

/* The remote types are never defined: a program of 1.3 holds pointers to the current types. */
static struct doca_devinfo_rep *remote_info(const struct doca_devinfo_remote *devinfo_remote)
{
	return (struct doca_devinfo_rep *)(uintptr_t)devinfo_remote;
}

doca_error_t doca_devinfo_remote_list_create(struct doca_dev *dev,
					     enum doca_dev_remote_filter filter,
					     struct doca_devinfo_remote ***dev_list_remote,
					     uint32_t *nb_devs_remote)
{
	if ((int)filter != DOCA_DEV_REMOTE_FILTER_ALL && (int)filter != DOCA_DEV_REMOTE_FILTER_NET)
		return error_set(DOCA_ERROR_INVALID_VALUE,
				 "remote device list: filter %#x has unknown bits",
				 (unsigned)filter);
	return devlist_rep_create(dev, (int)filter, (struct doca_devinfo_rep ***)dev_list_remote,
				  nb_devs_remote);
}

doca_error_t doca_devinfo_remote_list_destroy(struct doca_devinfo_remote **dev_list_remote)
{
	return devlist_rep_destroy((struct doca_devinfo_rep **)dev_list_remote);
}

doca_error_t doca_devinfo_remote_property_get(const struct doca_devinfo_remote *devinfo_remote,
					      enum doca_devinfo_remote_property property,
					      uint8_t *value, uint32_t size)
{
	if (!devinfo_ok(devinfo_remote, value, "remote device property"))
		return DOCA_ERROR_INVALID_VALUE;
	if ((int)property != DOCA_DEVINFO_REMOTE_PROPERTY_VUID)
		return error_set(DOCA_ERROR_INVALID_VALUE,
				 "remote device property: there is no property %d", (int)property);
	return devinfo_get_string(remote_info(devinfo_remote)->vuid, (char *)value, size,
				  DOCA_DEVINFO_REP_VUID_SIZE, "remote device property vuid");
}

doca_error_t doca_dev_remote_open(struct doca_devinfo_remote *devinfo_remote,
				  struct doca_dev_remote **dev_remote)
{
	return dev_rep_open(remote_info(devinfo_remote), (struct doca_dev_rep **)dev_remote);
}

doca_error_t doca_dev_remote_close(struct doca_dev_remote *dev_remote)
{
	return dev_rep_close((struct doca_dev_rep *)dev_remote);
}

doca_error_t doca_dev_remote_as_devinfo(struct doca_dev_remote *dev_remote,
					struct doca_devinfo_remote **devinfo_remote)
{
	if (dev_remote == NULL || devinfo_remote == NULL)
		return error_set(DOCA_ERROR_INVALID_VALUE, "remote device as devinfo: %s is NULL",
				 dev_remote == NULL ? "dev_remote" : "the result");
	*devinfo_remote = (struct doca_devinfo_remote *)((struct doca_dev_rep *)dev_remote)->info;
	return DOCA_SUCCESS;
}
