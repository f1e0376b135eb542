/* Signals eventfds that other processes share, without ever blocking; see doorbell.h. */
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

/* Completions that may wait uncollected. This number is charged to fs.aio-max-nr. */
#define DOORBELL_EVENTS 16u
/*
 * Tries if more threads signal at once than the context has room for, or if memory is short. Both
 * conditions are short-lived.
 */
#define DOORBELL_TRIES 1000

/* Values that no context id can have, because ids are page addresses. */
#define DOORBELL_NONE    0ul
#define DOORBELL_REFUSED 1ul

static _Atomic unsigned long doorbell_context = DOORBELL_NONE;

/* Returns 1 if the kernel accepted the request, which is complete on return, else -errno. */
static int doorbell_submit(aio_context_t context, int fd)
{
	char nothing;
	/*
	 * Any read request signals the eventfd. A read of less than 8 bytes of the eventfd itself
	 * fails before the kernel looks at the counter, and needs no other file.
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

/*
 * Collects completions, which makes room for further requests. Returns false if the context does
 * not exist.
 */
static bool doorbell_collect(aio_context_t context)
{
	struct io_event events[4 * DOORBELL_EVENTS];
	struct timespec now = {0};
	long r = syscall(SYS_io_getevents, context, 0L, (long)ARRAY_LEN(events), events, &now);

	return r >= 0 || errno != EINVAL;
}

/*
 * Replaces the context id `old`, whose context does not exist in this process. Returns 0 or -errno.
 */
static int doorbell_replace(unsigned long old)
{
	aio_context_t context = 0;
	int r = syscall(SYS_io_setup, DOORBELL_EVENTS, &context) < 0 ? -errno : 0;

	/* Another thread may have replaced it first. */
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
			/*
			 * Either the kernel cannot signal this descriptor, or the context belongs
			 * to the parent process: fork() copies its pages but not the context.
			 */
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

/*
 * Makes room in a full eventfd. A counter that decrements by one per read may need two reads,
 * because the kernel can count higher than write() can.
 */
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
