/* Creation of comm channel endpoints for client/compat/abi/v1_3. No type here depends on the
 * version that a file is compiled for. */
#ifndef CLIENT_COMPAT_COMM_CHANNEL_CHANNEL_1_3_H
#define CLIENT_COMPAT_COMM_CHANNEL_CHANNEL_1_3_H

#include <stdint.h>

#include <doca_error.h>

struct doca_comm_channel_ep_t;

/* The arguments are those of the attributes. */
doca_error_t channel_create_1_3(uint32_t flags, uint32_t n_msgs, uint32_t max_msg,
				struct doca_comm_channel_ep_t **ep_out);

#endif
