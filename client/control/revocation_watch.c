/* Watches the liveness page for revocations; see client/control/revocation_watch.h. */
#include "client/control/revocation_watch.h"

#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "client/control/session.h"

/*
 * The thread sleeps on a futex word that changes with each event. With a session this is the last
 * word of the session's page, which the daemon changes too; without a session it is `alone`. Lock
 * order: `life`, the session's lock, `lock`.
 */
static struct {
	pthread_mutex_t life; /* serialises starting and ending the thread */
	/* The number of started watches. The thread exists while this is not zero. */
	_Atomic uint32_t n_watches;
	pthread_mutex_t lock; /* protects the members below */
	struct list watches;
	/*
	 * The page whose word the thread sleeps on, with a reference. The page is kept until the
	 * next thread replaces it.
	 */
	struct session_page *page;
	_Atomic uint32_t alone;
	bool is_ending;
	pthread_t thread;
} watcher = {
	.life = PTHREAD_MUTEX_INITIALIZER,
	.lock = PTHREAD_MUTEX_INITIALIZER,
	.watches = LIST_INIT(watcher.watches),
};

/* Resets the state in a forked child, which has a copy of its parent's watches but no thread. */
static void watcher_in_child(void)
{
	pthread_mutex_init(&watcher.life, NULL);
	pthread_mutex_init(&watcher.lock, NULL);
	list_init(&watcher.watches);
	watcher.n_watches = 0;
	watcher.page = NULL;
}

static void watch_forks(void)
{
	(void)pthread_atfork(NULL, NULL, watcher_in_child);
}

static _Atomic uint32_t *revocation_word(void)
{
	return watcher.page != NULL ? session_page_revocation_word(watcher.page) : &watcher.alone;
}

/* Changes and wakes the futex word. `lock` is held, so the thread does not switch to another word
 * meanwhile. */
static void wake_locked(void)
{
	_Atomic uint32_t *word = revocation_word();

	atomic_fetch_add(word, 1);
	syscall(SYS_futex, word, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

/* Polls every watch and removes those that are finished. The session's lock and `lock` are held. */
static void check_locked(void)
{
	struct revocation_watch *watch, *tmp;

	list_for_each_safe(watch, tmp, &watcher.watches, node)
	{
		if (watch->check_locked(watch))
			list_remove(&watch->node);
	}
}

static bool is_ending(void)
{
	bool ends;

	pthread_mutex_lock(&watcher.lock);
	ends = watcher.is_ending;
	pthread_mutex_unlock(&watcher.lock);
	return ends;
}

/* Polls the watches, and returns the word's value as of before. Any later change of the word means
 * another event. The session's lock is held. */
static uint32_t watch_check_locked(void)
{
	uint32_t seen;

	pthread_mutex_lock(&watcher.lock);
	if (watcher.page != NULL)
		session_page_unref_locked(watcher.page);
	watcher.page = session_page_ref_locked();
	seen = atomic_load(revocation_word());
	if (!watcher.is_ending)
		check_locked();
	pthread_mutex_unlock(&watcher.lock);
	return seen;
}

static void *watch_main(void *arg)
{
	while (!is_ending()) {
		uint32_t seen;

		rpc_lock();
		seen = watch_check_locked();
		rpc_unlock();
		/* Only this thread changes which word is used, so no lock is needed. */
		if (!is_ending())
			syscall(SYS_futex, revocation_word(), FUTEX_WAIT, seen, NULL, NULL, 0);
	}
	return arg;
}

static int thread_start(void)
{
	sigset_t all, before;
	int r;

	watcher.is_ending = false;
	/* Blocks all signals on this thread: they are for the application's threads. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	r = -pthread_create(&watcher.thread, NULL, watch_main, NULL);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return r;
}

static void thread_end(void)
{
	pthread_mutex_lock(&watcher.lock);
	watcher.is_ending = true;
	wake_locked();
	pthread_mutex_unlock(&watcher.lock);
	pthread_join(watcher.thread, NULL);
}

int revocation_watch_start(struct revocation_watch *watch)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	int r = 0;

	pthread_once(&once, watch_forks);
	list_init(&watch->node);
	pthread_mutex_lock(&watcher.life);
	if (watcher.n_watches == 0)
		r = thread_start();
	if (r == 0) {
		watcher.n_watches++;
		watch->pid = getpid();
		pthread_mutex_lock(&watcher.lock);
		list_append(&watcher.watches, &watch->node);
		/* The event may have occurred before the watch was in the list. */
		wake_locked();
		pthread_mutex_unlock(&watcher.lock);
	}
	pthread_mutex_unlock(&watcher.life);
	return r;
}

void revocation_watch_stop(struct revocation_watch *watch)
{
	if (watch->pid != getpid())
		return;
	watch->pid = 0;
	pthread_mutex_lock(&watcher.life);
	pthread_mutex_lock(&watcher.lock);
	list_remove(&watch->node);
	pthread_mutex_unlock(&watcher.lock);
	if (--watcher.n_watches == 0)
		thread_end();
	pthread_mutex_unlock(&watcher.life);
}

void revocation_watch_renew_locked(void)
{
	/* The first watch that starts polls anyway. Before that, the fork handler is not installed
	 * either. */
	if (atomic_load(&watcher.n_watches) == 0)
		return;
	pthread_mutex_lock(&watcher.lock);
	wake_locked();
	pthread_mutex_unlock(&watcher.lock);
}
