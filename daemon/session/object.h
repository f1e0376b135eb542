/*
 * Objects that clients create: handles, exports, imports, comch servers, channels, rendezvous
 * endpoints. The room that owns such an object embeds a session_object in it and adds that to the
 * client's session. Therefore the session can end and persist its objects without knowing their
 * types.
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
	/*
	 * Writes the record that session_defer_save() postponed. NULL if the object postpones none.
	 */
	void (*save_deferred)(struct session_object *object);
};

struct session_object {
	struct list link; /* session->objects[kind] */
	const struct session_object_ops *ops;
};

/*
 * The kinds in the order in which they are freed: each kind before the kinds that it refers to.
 * They are persisted in the reverse order.
 */
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
