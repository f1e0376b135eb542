/* What the rooms use to write records of their objects. */
#ifndef DAEMON_STORE_RECORD_H
#define DAEMON_STORE_RECORD_H

#include "daemon/registry.pb-c.h"
#include "daemon/store/persist.h"

/* Returns 0, -ENOSPC or -EMSGSIZE. */
int keep_put(struct daemon *daemon, struct kept *kept, Registry__RecordType type, uint64_t id,
	     const ProtobufCMessage *message);
/*
 * Stores an object's descriptors, once per object; skips -1. n_keys_out and keys_out are for its
 * record; they belong to kept. Returns 0 or -errno.
 */
int keep_fds(struct kept *kept, const int *fds, size_t n_fds, size_t *n_keys_out,
	     uint32_t **keys_out);
/*
 * Stores descriptors that change with the state of their object. New ones (fds[i] >= 0) are stored
 * before the record that names them is written; keep_old_fds() removes obsolete ones after that.
 * keys_out: keys of all present descriptors. Returns 0 or -errno.
 */
int keep_new_fds(struct kept *kept, const int *fds, size_t n, uint32_t *keys_out,
		 size_t *n_keys_out);
void keep_old_fds(struct kept *kept, const int *fds, size_t n);

#endif
