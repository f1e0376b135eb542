/*
 * The descriptors that came with a packet. They belong to the set until a handler takes them.
 * fdset_deinit() closes the others, so that no handler can leak a descriptor.
 */
#ifndef UTIL_FDSET_H
#define UTIL_FDSET_H

#include <stddef.h>

#include "util/util.h"

#define FDSET_MAX 8

struct fdset {
	int fds[FDSET_MAX];
	size_t n_fds;
};

#define FDSET_INIT         \
	{                  \
		.n_fds = 0 \
	}

/* Closes the remaining descriptors. Idempotent. */
void fdset_deinit(struct fdset *set);
/* Adds fd and owns it. If the set is full, closes fd and returns -ENOSPC. */
int fdset_add(struct fdset *set, int fd);
/* Transfers descriptor i to the caller. Returns -1 if there is none or it was taken before. */
int fdset_steal(struct fdset *set, size_t i);
#define CLEANUP_FDSET CLEANUP(fdset_deinit)

#endif
