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
struct look {
	_Atomic int n_owners;
	struct sysfs sysfs; /* has its own descriptor */
	struct machine machine;
	int done_fd; /* a descriptor of its own, too */
	_Atomic bool is_done;
	int r;
	struct discovery found;
};

struct looker {
	struct sysfs sysfs;
	struct machine machine;
	void (*fn)(void *user, int error, struct discovery *discovery);
	void *user;
	int done_fd;
	struct loop_source *done;
	struct look *look; /* NULL: no scan is running */
	bool again;
};

static void look_unref(struct look *look)
{
	if (atomic_fetch_sub(&look->n_owners, 1) > 1)
		return;
	discovery_deinit(&look->found);
	sysfs_close(&look->sysfs);
	fd_close(&look->done_fd);
	free(look);
}

static void *look_run(void *arg)
{
	struct look *look = arg;
	const uint64_t one = 1;

	look->r = discover(&look->sysfs, &look->machine, &look->found);
	atomic_store(&look->is_done, true);
	/* The counter of an eventfd cannot overflow by scans. */
	if (write(look->done_fd, &one, sizeof(one)) < 0)
		look->r = -errno;
	look_unref(look);
	return NULL;
}

static void looker_on_done(void *user, unsigned events)
{
	struct looker *looker = user;
	struct look *look = looker->look;
	struct discovery found;
	int r, again = 0;

	(void)events;
	fd_eventfd_clear(looker->done_fd);
	if (!look || !atomic_load(&look->is_done))
		return;
	looker->look = NULL;
	r = look->r;
	found = look->found;
	look->found = (struct discovery){.truncated = false};
	look_unref(look);
	if (looker->again)
		again = looker_look(looker);
	if (r == 0)
		looker->fn(looker->user, 0, &found);
	else
		discovery_deinit(&found);
	/* If another scan follows, it sees every change. */
	if (again < 0 || (r < 0 && !looker->look))
		looker->fn(looker->user, again < 0 ? again : r, NULL);
}

int looker_look(struct looker *looker)
{
	struct look *look;
	int r;

	looker->again = looker->look != NULL;
	if (looker->look)
		return 0;
	look = calloc(1, sizeof(*look));
	if (!look)
		return -ENOMEM;
	atomic_store(&look->n_owners, 2);
	look->machine = looker->machine;
	look->sysfs.fd = fd_dup(looker->sysfs.fd);
	look->done_fd = fd_dup(looker->done_fd);
	r = look->sysfs.fd < 0  ? look->sysfs.fd
	    : look->done_fd < 0 ? look->done_fd
				: thread_start(look_run, look);
	if (r < 0) {
		atomic_store(&look->n_owners, 1);
		look_unref(look);
		return r;
	}
	looker->look = look;
	return 0;
}

struct looker *looker_new(struct loop *loop, const struct sysfs *sysfs,
			  const struct machine *machine,
			  void (*fn)(void *user, int error, struct discovery *discovery),
			  void *user)
{
	struct looker *looker = calloc(1, sizeof(*looker));

	if (!looker)
		return NULL;
	*looker = (struct looker){.sysfs = *sysfs, .machine = *machine, .fn = fn, .user = user};
	looker->done_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (looker->done_fd >= 0)
		looker->done = loop_fd_new(loop, looker->done_fd, LOOP_READ, looker_on_done,
					   looker);
	return looker->done ? looker : looker_free(looker);
}

struct looker *looker_free(struct looker *looker)
{
	if (!looker)
		return NULL;
	if (looker->look)
		look_unref(looker->look);
	loop_source_free(looker->done);
	fd_close(&looker->done_fd);
	free(looker);
	return NULL;
}
