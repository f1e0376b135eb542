/* Functions by which the rooms write records of their objects. */
#ifndef DAEMON_STORE_RECORD_H
#define DAEMON_STORE_RECORD_H

#include "daemon/registry.pb-c.h"
#include "daemon/store/persist.h"

/* Returns 0, -ENOSPC or -EMSGSIZE. */
int persist_put(struct daemon *daemon, struct persisted *persisted, Registry__RecordType type,
		uint64_t id, const ProtobufCMessage *message);
/*
 * Stores an object's descriptors, once per object; skips -1. n_keys_out and keys_out are for its
 * record; they belong to `persisted`. Returns 0 or -errno.
 */
int persist_fds(struct persisted *persisted, const int *fds, size_t n_fds, size_t *n_keys_out,
		uint32_t **keys_out);
/*
 * Stores descriptors that change with the state of their object. New ones (fds[i] >= 0) are stored
 * before the record that names them is written; persist_drop_old_fds() removes obsolete ones after
 * that. keys_out: keys of all present descriptors. Returns 0 or -errno.
 */
int persist_new_fds(struct persisted *persisted, const int *fds, size_t n, uint32_t *keys_out,
		    size_t *n_keys_out);
void persist_drop_old_fds(struct persisted *persisted, const int *fds, size_t n);

#endif
