/* Implements work items; see client/control/worker.h. */
#include "client/control/worker.h"

#include <pthread.h>
#include <signal.h>

#include "client/control/blocking_call.h"
#include "client/control/find_daemon.h"
#include "util/clock.h"
#include "util/fd.h"

/* Lock order: the session's lock, then this one, which is never held across a blocking call. */
static struct {
	pthread_mutex_t lock;
	pthread_cond_t is_done; /* signalled when the last item has run */
	struct list waiting;
	struct chore *current;
	/* the thread has left its loop and no longer accesses this struct */
	bool has_thread, is_over;
	pthread_t thread;
	int wake_fd; /* valid while the thread exists; otherwise -1 */
	unsigned n_awaiting;
	uint64_t until_ns; /* the time from which the items no longer wait for a daemon */
} chores = {
	.lock = PTHREAD_MUTEX_INITIALIZER,
	.is_done = PTHREAD_COND_INITIALIZER,
	.waiting = LIST_INIT(chores.waiting),
	.wake_fd = -1,
};

/* Resets the state in a forked child. The thread and its work items are the parent's. */
static void chores_in_child(void)
{
	pthread_mutex_init(&chores.lock, NULL);
	pthread_cond_init(&chores.is_done, NULL);
	list_init(&chores.waiting);
	chores.current = NULL;
	chores.has_thread = chores.is_over = false;
	chores.n_awaiting = 0;
	fd_close(&chores.wake_fd);
}

static void watch_forks(void)
{
	(void)pthread_atfork(NULL, NULL, chores_in_child);
}

/* --- on the worker thread --- */

static bool current_is_over(void)
{
	bool is_over;

	pthread_mutex_lock(&chores.lock);
	is_over = atomic_load(&chores.current->is_dropped) ||
		  (chores.n_awaiting > 0 && clock_now_ns() >= chores.until_ns);
	pthread_mutex_unlock(&chores.lock);
	return is_over;
}

static void run_first(void)
{
	struct chore *chore = list_entry(chores.waiting.next, struct chore, node);
	struct env_copy env;

	list_remove(&chore->node);
	chores.current = chore;
	pthread_mutex_unlock(&chores.lock);
	/* The item may be freed once it has run, so its environment is copied first. */
	env = chore->env;
	env_go_by(&env);
	chore->run(chore);
	env_go_by(NULL);
	pthread_mutex_lock(&chores.lock);
	chores.current = NULL;
}

static void *chores_main(void *arg)
{
	const struct session_patience patience = {.wake_fd = chores.wake_fd,
						  .is_over = current_is_over};

	session_on_own_thread();
	session_set_patience(&patience);
	pthread_mutex_lock(&chores.lock);
	while (!list_is_empty(&chores.waiting))
		run_first();
	chores.is_over = true;
	pthread_cond_broadcast(&chores.is_done);
	pthread_mutex_unlock(&chores.lock);
	return arg;
}

/* Joins the thread if it has left its loop; this returns almost immediately. */
static void join_locked(void)
{
	if (!chores.has_thread || !chores.is_over)
		return;
	(void)pthread_join(chores.thread, NULL);
	chores.has_thread = false;
	fd_close(&chores.wake_fd);
}

static bool start_locked(void)
{
	sigset_t all, before;
	int r;

	join_locked();
	if (chores.has_thread)
		return true;
	chores.wake_fd = fd_eventfd();
	if (chores.wake_fd < 0)
		return false;
	chores.is_over = false;
	/* Blocks all signals on this thread: they are for the application's threads. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	r = pthread_create(&chores.thread, NULL, chores_main, NULL);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	chores.has_thread = r == 0;
	if (r != 0)
		fd_close(&chores.wake_fd);
	return r == 0;
}

/* --- on the submitting threads --- */

bool chore_leave(struct chore *chore)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	bool is_taken;

	pthread_once(&once, watch_forks);
	env_take(&chore->env);
	pthread_mutex_lock(&chores.lock);
	is_taken = start_locked();
	if (is_taken)
		list_append(&chores.waiting, &chore->node);
	pthread_mutex_unlock(&chores.lock);
	return is_taken;
}

void chore_leave_surely(struct chore *chore)
{
	if (!chore_leave(chore))
		chore->run(chore);
}

void chore_drop(struct chore *chore)
{
	pthread_mutex_lock(&chores.lock);
	atomic_store(&chore->is_dropped, true);
	if (chores.current == chore)
		fd_eventfd_ring(chores.wake_fd);
	pthread_mutex_unlock(&chores.lock);
}

void chores_await(void)
{
	pthread_mutex_lock(&chores.lock);
	chores.until_ns = clock_now_ns() + SESSION_CALL_NS;
	chores.n_awaiting++;
	while (chores.has_thread && !chores.is_over)
		pthread_cond_wait(&chores.is_done, &chores.lock);
	join_locked();
	chores.n_awaiting--;
	pthread_mutex_unlock(&chores.lock);
}
