/* Devices, as called by programs of 1.5; the IPv4 address, as called by programs up to 2.5. */
#include <doca_dev.h>

#include "client/compat/dev.h"

doca_error_t doca_devinfo_get_ipv4_addr(const struct doca_devinfo *devinfo, uint8_t *ipv4_addr,
					uint32_t size)
{
	return compat_devinfo_get_ipv4(devinfo, ipv4_addr, size);
}

doca_error_t doca_devinfo_rep_list_create(struct doca_dev *dev, int filter,
					  struct doca_devinfo_rep ***dev_list_rep,
					  uint32_t *nb_devs_rep)
{
	return compat_rep_list_by_kind(dev, filter, dev_list_rep, nb_devs_rep);
}
