/* The struct of a comch client, for client/comch/connection/client.c and for endpoints of the comm
 * channel. */
#ifndef CLIENT_COMCH_CONNECTION_CLIENT_H
#define CLIENT_COMCH_CONNECTION_CLIENT_H

#include "client/comch/comch.h"

struct doca_comch_client {
	struct comch base;
	struct doca_comch_connection conn;
	bool reports_arrival; /* set before start: the server's existence is to be reported */
	bool service_exists;  /* the server exists */
};

_Static_assert(offsetof(struct doca_comch_client, base.ctx) == 0, "casts between the three");

/* Creates a client. The arguments must not be NULL. Records an error sentence on failure. */
doca_error_t comch_client_new(struct doca_dev *dev, const char *name,
			      struct doca_comch_client **client_out);
/* Returns IN_USE unless idle. */
doca_error_t comch_client_free(struct doca_comch_client *client);

#endif
