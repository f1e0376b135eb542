/* What the rooms use to write records of their objects. */
#ifndef DAEMON_STORE_RECORD_H
#define DAEMON_STORE_RECORD_H

#include "daemon/registry.pb-c.h"
#include "daemon/store/persist.h"

/* 0, -ENOSPC, -EMSGSIZE. */
int keep_put(struct daemon *daemon, struct kept *kept, Registry__RecordType type, uint64_t id,
	     const ProtobufCMessage *message);
/* Puts descriptors into the store, once for an object; -1 are left out. What its record says of
 * them: n_keys_out and keys_out, which stay kept's. 0 or -errno. */
int keep_fds(struct kept *kept, const int *fds, size_t n_fds, size_t *n_keys_out,
	     uint32_t **keys_out);
/*
 * Descriptors that come and go with the state of their object. Those that are new (fds[i] >= 0) go
 * into the store before the record that names them is written; those that are gone leave it after
 * (keep_old_fds). keys_out: of all that are there. 0 or -errno.
 */
int keep_new_fds(struct kept *kept, const int *fds, size_t n, uint32_t *keys_out,
		 size_t *n_keys_out);
void keep_old_fds(struct kept *kept, const int *fds, size_t n);

#endif
