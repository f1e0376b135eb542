/*
 * Records of objects in the ledger, and their descriptors in the fd store. The rooms that own the
 * objects write the records (store/record.h). Without a store nothing here does anything.
 */
#ifndef DAEMON_STORE_PERSIST_H
#define DAEMON_STORE_PERSIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct daemon;

#define PERSISTED_MAX_FDS 6

/* The location of an object's record and descriptors. */
struct persisted {
	uint32_t cell;
	uint32_t fds[PERSISTED_MAX_FDS]; /* keys of the fd store; 0: no descriptor at this index */
	uint8_t n_fds;
};

bool persist_is_enabled(const struct daemon *daemon);
/* Removes record and descriptors. */
void persist_drop(struct daemon *daemon, struct persisted *persisted);

#endif
