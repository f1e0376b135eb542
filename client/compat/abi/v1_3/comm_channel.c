/* Creation of comm channel endpoints, as called by programs of 1.3. */
#include <doca_comm_channel.h>

#include "client/base/error.h"
#include "client/compat/comm_channel/channel_1_3.h"

doca_error_t doca_comm_channel_ep_create(struct doca_comm_channel_init_attr *attr,
					 struct doca_comm_channel_ep_t **ep)
{
	if (attr == NULL || ep == NULL)
		return error_set(DOCA_ERROR_INVALID_VALUE, "comm channel create: %s is NULL",
				 attr == NULL ? "attr" : "the place for the endpoint");
	return channel_create_1_3(attr->flags, attr->maxmsgs, attr->msgsize, ep);
}
