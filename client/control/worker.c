/* Implements work items; see client/control/worker.h. */
#include "client/control/worker.h"

#include <pthread.h>
#include <signal.h>

#include "client/control/rpc.h"
#include "client/control/session.h"
#include "util/clock.h"
#include "util/fd.h"

/* Lock order: the session's lock, then this one, which is never held across a blocking call. */
static struct {
	pthread_mutex_t lock;
	pthread_cond_t is_done; /* signalled when the last item has run */
	struct list waiting;
	struct work_item *current;
	bool has_thread;
	int wake_fd; /* valid while the thread exists; otherwise -1 */
	unsigned n_awaiting;
	uint64_t until_ns; /* the time from which the items no longer wait for a daemon */
} work_queue = {
	.lock = PTHREAD_MUTEX_INITIALIZER,
	.is_done = PTHREAD_COND_INITIALIZER,
	.waiting = LIST_INIT(work_queue.waiting),
	.wake_fd = -1,
};

/* Resets the state in a forked child. The thread and its work items are the parent's. */
static void work_in_child(void)
{
	/* If no other thread held the lock at the fork, it is fine as it is. */
	bool is_free = pthread_mutex_trylock(&work_queue.lock) == 0;

	if (!is_free)
		pthread_mutex_init(&work_queue.lock, NULL);
	if (work_queue.n_awaiting > 0)
		pthread_cond_init(&work_queue.is_done, NULL);
	list_init(&work_queue.waiting);
	work_queue.current = NULL;
	work_queue.has_thread = false;
	work_queue.n_awaiting = 0;
	fd_close(&work_queue.wake_fd);
	if (is_free)
		pthread_mutex_unlock(&work_queue.lock);
}

static void watch_forks(void)
{
	(void)pthread_atfork(NULL, NULL, work_in_child);
}

/* --- on the worker thread --- */

static bool current_is_over(void)
{
	bool is_over;

	pthread_mutex_lock(&work_queue.lock);
	is_over = atomic_load(&work_queue.current->is_cancelled) ||
		  (work_queue.n_awaiting > 0 && clock_now_ns() >= work_queue.until_ns);
	pthread_mutex_unlock(&work_queue.lock);
	return is_over;
}

static void run_first(void)
{
	struct work_item *work = list_entry(work_queue.waiting.next, struct work_item, node);
	struct env_snapshot env;

	list_remove(&work->node);
	work_queue.current = work;
	pthread_mutex_unlock(&work_queue.lock);
	/* The item may be freed once it has run, so its environment is copied first. */
	env = work->env;
	env_use_snapshot(&env);
	work->run(work);
	env_use_snapshot(NULL);
	pthread_mutex_lock(&work_queue.lock);
	work_queue.current = NULL;
}

static void *work_main(void *arg)
{
	const struct rpc_wait_policy policy = {.wake_fd = work_queue.wake_fd,
					       .is_over = current_is_over};

	session_on_own_thread();
	(void)rpc_set_wait_policy(&policy);
	pthread_mutex_lock(&work_queue.lock);
	while (!list_is_empty(&work_queue.waiting))
		run_first();
	work_queue.has_thread = false;
	fd_close(&work_queue.wake_fd);
	pthread_cond_broadcast(&work_queue.is_done);
	pthread_mutex_unlock(&work_queue.lock);
	return arg;
}

static bool start_locked(void)
{
	sigset_t all, before;
	pthread_t thread;
	int r;

	if (work_queue.has_thread)
		return true;
	work_queue.wake_fd = fd_eventfd();
	if (work_queue.wake_fd < 0)
		return false;
	/* Blocks all signals on this thread: they are for the application's threads. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	r = pthread_create(&thread, NULL, work_main, NULL);
	if (r == 0)
		(void)pthread_detach(thread);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	work_queue.has_thread = r == 0;
	if (r != 0)
		fd_close(&work_queue.wake_fd);
	return r == 0;
}

/* --- on the submitting threads --- */

bool work_submit(struct work_item *work)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	bool is_running;

	pthread_once(&once, watch_forks);
	env_snapshot_take(&work->env);
	pthread_mutex_lock(&work_queue.lock);
	is_running = start_locked();
	if (is_running)
		list_append(&work_queue.waiting, &work->node);
	pthread_mutex_unlock(&work_queue.lock);
	return is_running;
}

void work_run_or_submit(struct work_item *work)
{
	if (!work_submit(work))
		work->run(work);
}

void work_cancel(struct work_item *work)
{
	pthread_mutex_lock(&work_queue.lock);
	atomic_store(&work->is_cancelled, true);
	if (work_queue.current == work)
		fd_eventfd_ring(work_queue.wake_fd);
	pthread_mutex_unlock(&work_queue.lock);
}

void work_await_all(void)
{
	pthread_mutex_lock(&work_queue.lock);
	work_queue.until_ns = clock_now_ns() + RPC_TIMEOUT_NS;
	work_queue.n_awaiting++;
	while (work_queue.has_thread)
		pthread_cond_wait(&work_queue.is_done, &work_queue.lock);
	work_queue.n_awaiting--;
	pthread_mutex_unlock(&work_queue.lock);
}
