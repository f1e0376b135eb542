/*
 * Objects that clients create: handles, exports, imports, comch servers, channels, RDMA ports. The
 * room that owns such an object embeds a session_object in it and adds that to the client's
 * session. So the session ends and persists its objects without knowing their types.
 */
#ifndef DAEMON_SESSION_OBJECT_H
#define DAEMON_SESSION_OBJECT_H

#include "util/list.h"

struct session_object;

struct session_object_ops {
	/* The session ends: frees the object. */
	void (*free)(struct session_object *object);
	/* Writes the records of the object and of its parts. */
	void (*save)(struct session_object *object);
	/* Drops these records: the session is not to be resumed. */
	void (*forget)(struct session_object *object);
	/* Writes the record that session_defer_save() has postponed. NULL: the object postpones
	 * none. */
	void (*save_deferred)(struct session_object *object);
};

struct session_object {
	struct list link; /* session->objects[kind] */
	const struct session_object_ops *ops;
};

/* In the order in which they end: each kind before what it is made with. They are persisted in the
 * reverse order. */
enum session_kind {
	SESSION_CHANNELS,
	SESSION_SERVICES,
	SESSION_RDMA_ENDPOINTS,
	SESSION_IMPORTS,
	SESSION_EXPORTS,
	SESSION_HANDLES,
	SESSION_N_KINDS,
};

#endif
