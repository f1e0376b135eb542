/* Comch client: its parts, for client/comch/connection/client.c and for endpoints of the comm
 * channel. */
#ifndef CLIENT_COMCH_CONNECTION_CLIENT_H
#define CLIENT_COMCH_CONNECTION_CLIENT_H

#include "client/comch/comch.h"

struct doca_comch_client {
	struct comch base;
	struct doca_comch_connection conn;
	bool wants_arrived; /* set before start: asks to be told when the server is known to exist
			     */
	bool has_arrived;   /* it does */
};

_Static_assert(offsetof(struct doca_comch_client, base.ctx) == 0, "casts between the three");

/* Arguments are not NULL. SUCCESS, or a code with its sentence. */
doca_error_t comch_client_new(struct doca_dev *dev, const char *name,
			      struct doca_comch_client **client_out);
/* IN_USE unless idle. */
doca_error_t comch_client_free(struct doca_comch_client *client);

#endif
