/* Scans in a thread; see discovery_thread.h. */
#include "daemon/topology/discovery_thread.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "daemon/base/thread.h"
#include "util/fd.h"

/* One scan. The thread and the loop's object share it; the last owner frees it. */
struct scan {
	_Atomic int n_owners;
	struct sysfs sysfs; /* has its own descriptor */
	struct machine machine;
	int done_fd; /* a descriptor of its own, too */
	_Atomic bool is_done;
	int r;
	struct discovery found;
};

struct discovery_thread {
	struct sysfs sysfs;
	struct machine machine;
	void (*fn)(void *user, int error, struct discovery *discovery);
	void *user;
	int done_fd;
	struct loop_source *done;
	struct scan *scan; /* NULL: no scan is running */
	bool again;
};

static void scan_unref(struct scan *scan)
{
	if (atomic_fetch_sub(&scan->n_owners, 1) > 1)
		return;
	discovery_deinit(&scan->found);
	sysfs_close(&scan->sysfs);
	fd_close(&scan->done_fd);
	free(scan);
}

static void *scan_run(void *arg)
{
	struct scan *scan = arg;
	const uint64_t one = 1;

	scan->r = discover(&scan->sysfs, &scan->machine, &scan->found);
	atomic_store(&scan->is_done, true);
	/* The counter of an eventfd cannot overflow by scans. */
	if (write(scan->done_fd, &one, sizeof(one)) < 0)
		scan->r = -errno;
	scan_unref(scan);
	return NULL;
}

static void discovery_thread_on_done(void *user, unsigned events)
{
	struct discovery_thread *thread = user;
	struct scan *scan = thread->scan;
	struct discovery found;
	int r, again = 0;

	(void)events;
	fd_eventfd_clear(thread->done_fd);
	if (!scan || !atomic_load(&scan->is_done))
		return;
	thread->scan = NULL;
	r = scan->r;
	found = scan->found;
	scan->found = (struct discovery){.truncated = false};
	scan_unref(scan);
	if (thread->again)
		again = discovery_thread_scan(thread);
	if (r == 0)
		thread->fn(thread->user, 0, &found);
	else
		discovery_deinit(&found);
	/* If another scan follows, it sees every change. */
	if (again < 0 || (r < 0 && !thread->scan))
		thread->fn(thread->user, again < 0 ? again : r, NULL);
}

int discovery_thread_scan(struct discovery_thread *thread)
{
	struct scan *scan;
	int r;

	thread->again = thread->scan != NULL;
	if (thread->scan)
		return 0;
	scan = calloc(1, sizeof(*scan));
	if (!scan)
		return -ENOMEM;
	atomic_store(&scan->n_owners, 2);
	scan->machine = thread->machine;
	scan->sysfs.fd = fd_dup(thread->sysfs.fd);
	scan->done_fd = fd_dup(thread->done_fd);
	r = scan->sysfs.fd < 0  ? scan->sysfs.fd
	    : scan->done_fd < 0 ? scan->done_fd
				: thread_start(scan_run, scan);
	if (r < 0) {
		atomic_store(&scan->n_owners, 1);
		scan_unref(scan);
		return r;
	}
	thread->scan = scan;
	return 0;
}

struct discovery_thread *discovery_thread_new(
	struct loop *loop, const struct sysfs *sysfs, const struct machine *machine,
	void (*fn)(void *user, int error, struct discovery *discovery), void *user)
{
	struct discovery_thread *thread = calloc(1, sizeof(*thread));

	if (!thread)
		return NULL;
	*thread = (struct discovery_thread){
		.sysfs = *sysfs, .machine = *machine, .fn = fn, .user = user};
	thread->done_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (thread->done_fd >= 0)
		thread->done = loop_fd_new(loop, thread->done_fd, LOOP_READ,
					   discovery_thread_on_done, thread);
	return thread->done ? thread : discovery_thread_free(thread);
}

struct discovery_thread *discovery_thread_free(struct discovery_thread *thread)
{
	if (!thread)
		return NULL;
	if (thread->scan)
		scan_unref(thread->scan);
	loop_source_free(thread->done);
	fd_close(&thread->done_fd);
	free(thread);
	return NULL;
}
