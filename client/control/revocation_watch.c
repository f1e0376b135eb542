/* Watches the liveness page; see client/control/revocation_watch.h. */
#include "client/control/revocation_watch.h"

#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "client/control/deferred.h"
#include "client/control/session.h"

/*
 * The thread sleeps on a word that each news changes: the last one of the session's page, which the
 * daemon changes as well, or one of ours without a session. Locks are taken in this order: life,
 * the session's, the one of what the thread looks at.
 */
static struct {
	pthread_mutex_t life; /* of the thread */
	/* That were started; the thread is there while there are any. */
	_Atomic uint32_t n_watches;
	pthread_mutex_t lock; /* of what follows */
	struct list watches;
	/* That the thread sleeps on, with a reference of its own. It stays until the next thread
	 * takes another: to give it back takes the session's lock, which no end waits for. */
	struct session_page *page;
	_Atomic uint32_t alone;
	bool is_ending;
	pthread_t thread;
	/* By the thread whose call keeps it from looking, once that is done. */
	struct session_errand knock;
	_Atomic bool is_knocking; /* it is left, and not done */
} watcher = {
	.life = PTHREAD_MUTEX_INITIALIZER,
	.lock = PTHREAD_MUTEX_INITIALIZER,
	.watches = LIST_INIT(watcher.watches),
};

/* A forked child has a copy of its parent's watches, and no thread. */
static void watcher_in_child(void)
{
	pthread_mutex_init(&watcher.life, NULL);
	pthread_mutex_init(&watcher.lock, NULL);
	list_init(&watcher.watches);
	watcher.n_watches = 0;
	watcher.page = NULL;
	atomic_store(&watcher.is_knocking, false);
}

static void watch_forks(void)
{
	(void)pthread_atfork(NULL, NULL, watcher_in_child);
}

static _Atomic uint32_t *news_word(void)
{
	return watcher.page != NULL ? session_page_news(watcher.page) : &watcher.alone;
}

/* The lock is held, so the thread does not change what it sleeps on. */
static void wake_locked(void)
{
	_Atomic uint32_t *word = news_word();

	atomic_fetch_add(word, 1);
	syscall(SYS_futex, word, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

/* Both locks are held. */
static void look_locked(void)
{
	struct news_watch *watch, *tmp;

	list_for_each_safe(watch, tmp, &watcher.watches, node)
	{
		if (watch->look_locked(watch))
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

static void knock_run(struct session_errand *errand)
{
	(void)errand;
	/* First: from there on it may be left again. */
	atomic_store(&watcher.is_knocking, false);
	pthread_mutex_lock(&watcher.lock);
	wake_locked();
	pthread_mutex_unlock(&watcher.lock);
}

static void knock(void)
{
	if (atomic_exchange(&watcher.is_knocking, true))
		return;
	watcher.knock.run_locked = knock_run;
	session_leave_errand(&watcher.knock);
}

/* The session's lock is held. What the word says from then on is news. */
static uint32_t watch_look_locked(void)
{
	uint32_t seen;

	pthread_mutex_lock(&watcher.lock);
	if (watcher.page != NULL)
		session_page_unref_locked(watcher.page);
	watcher.page = session_page_ref_locked();
	seen = atomic_load(news_word());
	if (!watcher.is_ending)
		look_locked();
	pthread_mutex_unlock(&watcher.lock);
	return seen;
}

static void *watch_main(void *arg)
{
	while (!is_ending()) {
		/* Nobody else changes which one it is. */
		uint32_t seen = atomic_load(news_word());

		/* Who ends it does not wait for a daemon that another thread has a call at. */
		if (session_try_lock()) {
			seen = watch_look_locked();
			session_unlock();
		} else {
			knock();
		}
		if (!is_ending())
			syscall(SYS_futex, news_word(), FUTEX_WAIT, seen, NULL, NULL, 0);
	}
	return arg;
}

static int thread_start(void)
{
	sigset_t all, before;
	int r;

	watcher.is_ending = false;
	/* Signals are the program's. */
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

int news_watch_start(struct news_watch *watch)
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
		/* It may have come before anybody looked. */
		wake_locked();
		pthread_mutex_unlock(&watcher.lock);
	}
	pthread_mutex_unlock(&watcher.life);
	return r;
}

void news_watch_stop(struct news_watch *watch)
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

void news_watch_moved_locked(void)
{
	/* The first that starts looks itself; and before, nobody takes care of forks. */
	if (atomic_load(&watcher.n_watches) == 0)
		return;
	pthread_mutex_lock(&watcher.lock);
	wake_locked();
	pthread_mutex_unlock(&watcher.lock);
}
