/*
 * Devices of earlier generations: what the functions bound to one version (client/compat/vX_Y) are
 * made of. No type here depends on the version that a file is compiled for.
 */
#ifndef CLIENT_COMPAT_DEV_H
#define CLIENT_COMPAT_DEV_H

#include <doca_error.h>

struct doca_dev;
struct doca_devinfo;

doca_error_t compat_dev_as_devinfo(struct doca_dev *dev, struct doca_devinfo **devinfo);

#endif
