/*
 * The descriptors that came with a packet. They belong to the set until somebody takes them; what
 * nobody took is closed by fdset_deinit, so that no handler can leak one.
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

/* Closes what is left. May be called twice. */
void fdset_deinit(struct fdset *set);
/* Adds, taking ownership; a full set closes fd and returns -ENOSPC. */
int fdset_add(struct fdset *set, int fd);
/* Takes descriptor i out; -1 if there is none or it was taken before. The caller owns it. */
int fdset_take(struct fdset *set, size_t i);
#define CLEANUP_FDSET CLEANUP(fdset_deinit)

#endif
