/*
 * Owner of received descriptors. A slot whose descriptor was taken holds -1, so that the indexes of
 * the others, which the protocol refers to, do not change. A set belongs to the stack frame that
 * receives.
 */
#include <errno.h>

#include "util/fd.h"
#include "util/fdset.h"

void fdset_deinit(struct fdset *set)
{
	for (size_t i = 0; i < set->n_fds; i++)
		fd_close(&set->fds[i]);
	set->n_fds = 0;
}

int fdset_add(struct fdset *set, int fd)
{
	if (set->n_fds >= FDSET_MAX) {
		fd_close(&fd);
		return -ENOSPC;
	}
	set->fds[set->n_fds++] = fd;
	return 0;
}

int fdset_steal(struct fdset *set, size_t i)
{
	return i < set->n_fds ? fd_steal(&set->fds[i]) : -1;
}
