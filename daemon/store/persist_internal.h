/* Functions that persist.c and daemon/store/persist_comch.c share. */
#ifndef DAEMON_STORE_PERSIST_INTERNAL_H
#define DAEMON_STORE_PERSIST_INTERNAL_H

#include "daemon/registry.pb-c.h"
#include "daemon/store/persist.h"

/* True if this session's objects are persisted. */
bool keep_wants(const struct session *session);
/* Returns 0, -ENOSPC or -EMSGSIZE. */
int keep_put(struct daemon *daemon, struct kept *kept, Registry__RecordType type, uint64_t id,
	     const ProtobufCMessage *message);
/*
 * Stores an object's descriptors, once per object; skips -1. n_keys_out and keys_out are for its
 * record; they belong to kept. Returns 0 or -errno.
 */
int keep_fds(struct kept *kept, const int *fds, size_t n_fds, size_t *n_keys_out,
	     uint32_t **keys_out);
/* Evaluates the result of the functions above: stops persisting the session if there is no room. */
void keep_check(struct session *session, int r);
/* Persists all comch and RDMA objects of a session. */
void keep_comch(struct session *session);
/* Removes the records of all the session's services, channels and rendezvous endpoints. */
void keep_drop_comch(struct session *session);

#endif
