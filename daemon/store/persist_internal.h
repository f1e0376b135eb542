/* What keep.c and daemon/store/persist_comch.c share. */
#ifndef DAEMON_STORE_PERSIST_INTERNAL_H
#define DAEMON_STORE_PERSIST_INTERNAL_H

#include "daemon/registry.pb-c.h"
#include "daemon/store/persist.h"

/* Is what this session has written down? */
bool keep_wants(const struct session *session);
/* 0, -ENOSPC, -EMSGSIZE. */
int keep_put(struct daemon *daemon, struct kept *kept, Registry__RecordType type, uint64_t id,
	     const ProtobufCMessage *message);
/* Puts descriptors into the store, once for an object; -1 are left out. What its record says of
 * them: n_keys_out and keys_out, which stay kept's. 0 or -errno. */
int keep_fds(struct kept *kept, const int *fds, size_t n_fds, size_t *n_keys_out,
	     uint32_t **keys_out);
/* r of the above: gives the session up if there is no room. */
void keep_check(struct session *session, int r);
/* Writes down all of those that a session has. */
void keep_comch(struct session *session);
/* All that hangs on the session's services, channels and RDMA ports; it is given up. */
void keep_drop_comch(struct session *session);

#endif
