/* Rings eventfds of others and cannot be made to wait; see doorbell.h. */
#include "util/doorbell.h"

#include <errno.h>
#include <linux/aio_abi.h>
#include <poll.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "util/fd.h"
#include "util/util.h"

/* Completions that may lie about uncollected; what fs.aio-max-nr is charged with. */
#define DOORBELL_EVENTS 16u
/* More threads ring at once than there is room for, or memory is short: both pass at once. */
#define DOORBELL_TRIES 1000

/* No context has these ids: they are addresses of pages. */
#define DOORBELL_NONE    0ul
#define DOORBELL_REFUSED 1ul

static _Atomic unsigned long doorbell_context = DOORBELL_NONE;

/* 1: it was taken, and is done when this returns; else -errno. */
static int doorbell_submit(aio_context_t context, int fd)
{
	char nothing;
	/*
	 * Any read will do. One of less than 8 bytes of the eventfd itself fails without a look at
	 * the counter, and needs no other file.
	 */
	struct iocb read = {
		.aio_lio_opcode = IOCB_CMD_PREAD,
		.aio_fildes = (uint32_t)fd,
		.aio_buf = (uintptr_t)&nothing,
		.aio_nbytes = 0,
		.aio_flags = IOCB_FLAG_RESFD,
		.aio_resfd = (uint32_t)fd,
	};
	struct iocb *reads[] = {&read};
	long r = syscall(SYS_io_submit, context, 1L, reads);

	return r < 0 ? -errno : (int)r;
}

/* Makes room for further ones. False: there is no such context. */
static bool doorbell_collect(aio_context_t context)
{
	struct io_event events[4 * DOORBELL_EVENTS];
	struct timespec now = {0};
	long r = syscall(SYS_io_getevents, context, 0L, (long)ARRAY_LEN(events), events, &now);

	return r >= 0 || errno != EINVAL;
}

/* Puts a new context in the place of one that is not, or no longer, there. 0 or -errno. */
static int doorbell_replace(unsigned long old)
{
	aio_context_t context = 0;
	int r = syscall(SYS_io_setup, DOORBELL_EVENTS, &context) < 0 ? -errno : 0;

	/* Another thread may have been quicker. */
	if (!atomic_compare_exchange_strong(&doorbell_context, &old,
					    r < 0 ? DOORBELL_REFUSED : context)) {
		if (r == 0)
			syscall(SYS_io_destroy, context);
		return old == DOORBELL_REFUSED ? -EAGAIN : 0;
	}
	return r;
}

int doorbell_open(void)
{
	unsigned long context = atomic_load(&doorbell_context);
	int saved = errno, r = 0;

	if (context == DOORBELL_NONE || context == DOORBELL_REFUSED)
		r = doorbell_replace(context);
	errno = saved;
	return r;
}

static bool doorbell_try(int fd)
{
	for (int i = 0; i < DOORBELL_TRIES; i++) {
		unsigned long context = atomic_load(&doorbell_context);
		int r;

		if (context == DOORBELL_REFUSED)
			return false;
		if (context == DOORBELL_NONE) {
			doorbell_replace(context);
			continue;
		}
		r = doorbell_submit(context, fd);
		if (r == 1)
			return true;
		if (r == -EAGAIN) {
			if (i > 0)
				sched_yield();
			doorbell_collect(context);
		} else if (r == -EINVAL) {
			/* The descriptor or its kernel does not do, or the context is a parent's:
			 * its pages are here, it is not. */
			if (doorbell_collect(context))
				return false;
			doorbell_replace(context);
		} else {
			return false;
		}
	}
	return false;
}

bool doorbell_signal(int fd)
{
	int saved = errno;
	bool rang = doorbell_try(fd);

	errno = saved;
	return rang;
}

void doorbell_ring(int fd)
{
	if (!doorbell_signal(fd))
		fd_eventfd_ring(fd);
}

/* One that counts reads by one may need two: the kernel can fill it further than a write. */
static void doorbell_make_room(int fd)
{
	struct pollfd room = {.fd = fd, .events = POLLOUT};

	for (int i = 0; i < 2 && poll(&room, 1, 0) == 0; i++)
		fd_eventfd_clear(fd);
}

void doorbell_ring_edge(int fd)
{
	int saved = errno;

	if (!doorbell_try(fd)) {
		doorbell_make_room(fd);
		fd_eventfd_ring(fd);
	}
	errno = saved;
}
