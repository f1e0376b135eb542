/* Reference counts of device records; lists of them are made in devlist.c. */
#ifndef CLIENT_CORE_DEVLIST_H
#define CLIENT_CORE_DEVLIST_H

#include "client/core/dev.h"

struct doca_devinfo *devinfo_ref(struct doca_devinfo *info);
void devinfo_unref(struct doca_devinfo *info);
struct doca_devinfo_rep *devinfo_rep_ref(struct doca_devinfo_rep *info);
void devinfo_rep_unref(struct doca_devinfo_rep *info);

#endif
