/* Watches exports; see client/core/export_watch.h. */
#include "client/core/export_watch.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

/*
 * The thread sleeps on a word that each news changes: the last one of the session's page, which the
 * daemon changes as well, or one of ours without a session. Locks are taken in this order: life,
 * the session's, the one of what the thread looks at.
 */
static struct {
	pthread_mutex_t life; /* of the thread */
	uint32_t n_watches;   /* that were started; the thread is there while there are any */
	pthread_mutex_t lock; /* of what follows */
	struct list watches;
	struct session_page *page; /* that the thread sleeps on, with a reference of its own */
	_Atomic uint32_t alone;
	bool is_ending;
	pid_t pid; /* whose watches they are */
	pthread_t thread;
} watcher = {
	.life = PTHREAD_MUTEX_INITIALIZER,
	.lock = PTHREAD_MUTEX_INITIALIZER,
	.watches = LIST_INIT(watcher.watches),
};

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
	struct export_watch *watch, *tmp;

	list_for_each_safe(watch, tmp, &watcher.watches, node)
	{
		if (!export_is_revoked_locked(watch->export))
			continue;
		list_remove(&watch->node);
		watch->on_revoked(watch);
	}
}

static void *watch_main(void *arg)
{
	bool is_ending;

	do {
		_Atomic uint32_t *word;
		uint32_t seen;

		session_lock();
		pthread_mutex_lock(&watcher.lock);
		if (watcher.page != NULL)
			session_page_unref_locked(watcher.page);
		watcher.page = session_page_ref_locked();
		word = news_word();
		seen = atomic_load(word);
		look_locked();
		is_ending = watcher.is_ending;
		pthread_mutex_unlock(&watcher.lock);
		session_unlock();
		if (!is_ending)
			syscall(SYS_futex, word, FUTEX_WAIT, seen, NULL, NULL, 0);
	} while (!is_ending);
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
	session_lock();
	if (watcher.page != NULL)
		session_page_unref_locked(watcher.page);
	watcher.page = NULL;
	session_unlock();
}

/* A forked child has a copy of its parent's watches, and no thread. */
static void check_fork(void)
{
	if (watcher.pid == getpid())
		return;
	pthread_mutex_init(&watcher.life, NULL);
	pthread_mutex_init(&watcher.lock, NULL);
	list_init(&watcher.watches);
	watcher.n_watches = 0;
	watcher.page = NULL;
	watcher.pid = getpid();
}

int export_watch_start(struct export_watch *watch)
{
	int r = 0;

	session_lock();
	check_fork();
	session_unlock();
	list_init(&watch->node);
	pthread_mutex_lock(&watcher.life);
	if (watcher.n_watches == 0)
		r = thread_start();
	if (r == 0) {
		watcher.n_watches++;
		watch->pid = getpid();
		pthread_mutex_lock(&watcher.lock);
		list_append(&watcher.watches, &watch->node);
		/* It may have been revoked before anybody looked. */
		wake_locked();
		pthread_mutex_unlock(&watcher.lock);
	}
	pthread_mutex_unlock(&watcher.life);
	return r;
}

void export_watch_stop(struct export_watch *watch)
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

void export_watch_moved_locked(void)
{
	if (watcher.pid != getpid())
		return;
	pthread_mutex_lock(&watcher.lock);
	wake_locked();
	pthread_mutex_unlock(&watcher.lock);
}
