/* Devices, as called by programs of 2.0 to 2.2. */
#include <doca_dev.h>

#include "client/base/generation.h"
#include "client/compat/dev.h"

doca_error_t doca_devinfo_rep_list_create(struct doca_dev *dev, int filter,
					  struct doca_devinfo_rep ***dev_list_rep,
					  uint32_t *nb_devs_rep)
{
	return compat_rep_list(dev, filter, dev_list_rep, nb_devs_rep);
}
API_PLAIN(doca_devinfo_rep_list_create, 2_0);
