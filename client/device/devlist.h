/* Reference counts of device records, and lists that hold a reference to each. */
#ifndef CLIENT_DEVICE_DEVLIST_H
#define CLIENT_DEVICE_DEVLIST_H

#include "client/device/dev.h"

struct doca_devinfo *devinfo_ref(struct doca_devinfo *info);
void devinfo_unref(struct doca_devinfo *info);
struct doca_devinfo_rep *devinfo_rep_ref(struct doca_devinfo_rep *info);
void devinfo_rep_unref(struct doca_devinfo_rep *info);

/* Implement the lists of every generation, as <doca_dev.h> describes them. */
doca_error_t devlist_create(struct doca_devinfo ***dev_list, uint32_t *nb_devs);
doca_error_t devlist_destroy(struct doca_devinfo **dev_list);
/* filter: a value of enum doca_devinfo_rep_filter. */
doca_error_t devlist_rep_create(struct doca_dev *dev, int filter,
				struct doca_devinfo_rep ***dev_list_rep, uint32_t *nb_devs_rep);
doca_error_t devlist_rep_destroy(struct doca_devinfo_rep **dev_list_rep);

#endif
