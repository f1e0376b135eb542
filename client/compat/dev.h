/* Devices of earlier generations: implementations of the functions that are bound to one version
 * (client/compat/abi). No type here depends on the version that a file is compiled for. */
#ifndef CLIENT_COMPAT_DEV_H
#define CLIENT_COMPAT_DEV_H

#include <stdint.h>

#include <doca_error.h>

struct doca_dev;
struct doca_devinfo;
struct doca_devinfo_rep;

doca_error_t compat_dev_as_devinfo(struct doca_dev *dev, struct doca_devinfo **devinfo);
/* Returns OPERATING_SYSTEM for an interface without an address, as versions up to 2.5 do. */
doca_error_t compat_devinfo_get_ipv4(const struct doca_devinfo *devinfo, uint8_t *ipv4_addr,
				     uint32_t size);
/* Returns the rate in bits per second. */
doca_error_t compat_devinfo_get_rate(const struct doca_devinfo *devinfo, double *rate_out);
/* Representor lists with the filters of 2.0 to 2.2, and with those of 1.5, which have a bit for
 * each kind of emulated device. */
doca_error_t compat_rep_list(struct doca_dev *dev, int filter, struct doca_devinfo_rep ***list_out,
			     uint32_t *n_out);
doca_error_t compat_rep_list_by_kind(struct doca_dev *dev, int filter,
				     struct doca_devinfo_rep ***list_out, uint32_t *n_out);

#endif
