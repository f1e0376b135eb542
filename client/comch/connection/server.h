/* The struct of a comch server, for client/comch/connection/server.c (life and polling) and
 * client/comch/connection/server_api.c. */
#ifndef CLIENT_COMCH_CONNECTION_SERVER_H
#define CLIENT_COMCH_CONNECTION_SERVER_H

#include "client/comch/comch.h"

#define COMCH_SERVER_BUCKETS 64u /* hash buckets for channel ids; a power of two */

struct doca_comch_server {
	struct comch base;
	struct list down;    /* ended connections whose disconnect callback is due */
	struct list active;  /* connections that each poll polls */
	struct list idle;    /* connections that are polled in rotation */
	struct list *cursor; /* the next one of `idle` to poll; &idle at the end */
	uint32_t n_active, n_idle;
	uint32_t n_polls; /* counts polls, to tell when an idle connection is due */
	/* Its device or representor was removed: it stops when its connections have ended. */
	bool device_removed;
	struct doca_dev_rep *rep;
	doca_comch_event_connection_status_changed_cb_t connect_cb;
	doca_comch_event_connection_status_changed_cb_t disconnect_cb;
	struct doca_comch_event_connection_status_changed status_event;
	struct list free; /* reused for later clients */
	struct list buckets[COMCH_SERVER_BUCKETS];
};

_Static_assert(offsetof(struct doca_comch_server, base.ctx) == 0, "casts between the three");

extern const struct ctx_ops comch_server_ops;

/* Creates a server. The arguments must not be NULL. Records an error sentence on failure. */
doca_error_t comch_server_new(struct doca_dev *dev, struct doca_dev_rep *rep, const char *name,
			      struct doca_comch_server **server_out);
/* Returns IN_USE unless idle. */
doca_error_t comch_server_free(struct doca_comch_server *server);
void comch_server_init(struct doca_comch_server *server);
/* Ends a connection from this side; progress calls its disconnect callback. */
void comch_server_drop(struct doca_comch_server *server, struct doca_comch_connection *conn);
/* Frees the memory of ended connections. The server is idle. */
void comch_server_free_connections(struct doca_comch_server *server);

#endif
