/*
 * Threads that close descriptors; see deferred_close.h. A thread holds the lock only to take the
 * next descriptor; while it is blocked in close(), the event loop can add others.
 */
#include "daemon/base/deferred_close.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "daemon/base/journal.h"
#include "daemon/base/thread.h"
#include "util/fd.h"
#include "util/list.h"
#include "util/log.h"

/* Time after which a thread without work ends. */
#define DEFERRED_CLOSE_IDLE_S 2

struct closing_user {
	struct list link; /* in queue->users only while n > 0 */
	uid_t uid;
	unsigned n;
};

struct closing {
	struct list link;
	struct closing_user *user;
	int fd;
};

struct queue {
	struct list closings; /* struct closing, link; the thread is closing the first one */
	struct list users;    /* struct closing_user, link */
	_Atomic unsigned n;
	bool has_thread;
	pthread_cond_t more;
	struct deferred_close *deferred_close;
};

struct deferred_close {
	pthread_mutex_t lock;
	struct queue queues[DEFERRED_CLOSE_UNEXPECTED + 1];
	unsigned n_threads;
	bool is_freed; /* the last thread frees the object */
};

/* The instance to which fd_close() passes descriptors. */
static _Atomic(struct deferred_close *) deferred_close_instance;

static bool deferred_close_on_close(int fd)
{
	struct deferred_close *deferred_close = deferred_close_instance;
	struct stat st;

	/* The pages are charged to the user that created the memory. */
	if (!deferred_close || fstat(fd, &st) < 0)
		return false;
	deferred_close_add(deferred_close, DEFERRED_CLOSE_MEMORY, st.st_uid, fd);
	return true;
}

struct deferred_close *deferred_close_new(void)
{
	struct deferred_close *deferred_close = calloc(1, sizeof(*deferred_close));
	pthread_condattr_t attr;

	if (!deferred_close)
		return NULL;
	pthread_mutex_init(&deferred_close->lock, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	for (size_t i = 0; i < ARRAY_LEN(deferred_close->queues); i++) {
		struct queue *queue = &deferred_close->queues[i];

		list_init(&queue->closings);
		list_init(&queue->users);
		pthread_cond_init(&queue->more, &attr);
		queue->deferred_close = deferred_close;
	}
	pthread_condattr_destroy(&attr);
	deferred_close_instance = deferred_close;
	fd_set_close_fn(deferred_close_on_close);
	return deferred_close;
}

static void deferred_close_destroy(struct deferred_close *deferred_close)
{
	for (size_t i = 0; i < ARRAY_LEN(deferred_close->queues); i++)
		pthread_cond_destroy(&deferred_close->queues[i].more);
	pthread_mutex_destroy(&deferred_close->lock);
	free(deferred_close);
}

static void closing_free(struct queue *queue, struct closing *closing)
{
	list_remove(&closing->link);
	queue->n--;
	if (--closing->user->n == 0) {
		list_remove(&closing->user->link);
		free(closing->user);
	}
	free(closing);
}

/* Returns false if no descriptor came for a while, or none will come. Called with the lock held. */
static bool queue_await(struct queue *queue)
{
	struct deferred_close *deferred_close = queue->deferred_close;
	struct timespec until;

	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_sec += DEFERRED_CLOSE_IDLE_S;
	while (list_is_empty(&queue->closings) && !deferred_close->is_freed)
		if (pthread_cond_timedwait(&queue->more, &deferred_close->lock, &until) ==
		    ETIMEDOUT)
			break;
	return !list_is_empty(&queue->closings);
}

static void *queue_run(void *arg)
{
	struct queue *queue = arg;
	struct deferred_close *deferred_close = queue->deferred_close;
	struct closing *closing;
	bool is_last;

	pthread_mutex_lock(&deferred_close->lock);
	while (queue_await(queue)) {
		closing = list_entry(queue->closings.next, struct closing, link);
		pthread_mutex_unlock(&deferred_close->lock);
		/* Not fd_close(), which would call deferred_close_add() again. */
		close(closing->fd);
		pthread_mutex_lock(&deferred_close->lock);
		closing_free(queue, closing);
	}
	queue->has_thread = false;
	is_last = --deferred_close->n_threads == 0 && deferred_close->is_freed;
	pthread_mutex_unlock(&deferred_close->lock);
	if (is_last)
		deferred_close_destroy(deferred_close);
	return NULL;
}

/* Called with the lock held. */
static struct closing_user *queue_find_user(struct queue *queue, uid_t uid)
{
	struct closing_user *user;

	list_for_each(user, &queue->users, link)
	{
		if (user->uid == uid)
			return user;
	}
	return NULL;
}

static struct closing *closing_new(struct queue *queue, uid_t uid, int fd)
{
	struct closing *closing = malloc(sizeof(*closing));
	struct closing_user *user = queue_find_user(queue, uid);

	if (closing && !user) {
		user = malloc(sizeof(*user));
		if (user) {
			*user = (struct closing_user){.uid = uid};
			list_append(&queue->users, &user->link);
		}
	}
	if (!closing || !user) {
		free(closing);
		return NULL;
	}
	user->n++;
	*closing = (struct closing){.user = user, .fd = fd};
	list_append(&queue->closings, &closing->link);
	queue->n++;
	return closing;
}

/* Returns 0 or -errno. Called with the lock held. */
static int queue_wake(struct queue *queue)
{
	int r = 0;

	if (queue->has_thread)
		pthread_cond_signal(&queue->more);
	else
		r = thread_start(queue_run, queue);
	if (r == 0 && !queue->has_thread) {
		queue->has_thread = true;
		queue->deferred_close->n_threads++;
	}
	return r;
}

static void deferred_close_log(uid_t uid, int r)
{
	struct journal_subject before =
		journal_enter(&(struct journal_subject){.has_uid = true, .uid = uid});

	log_warning("no thread to close a descriptor of this user: %s", strerror(-r));
	journal_leave(&before);
}

void deferred_close_add(struct deferred_close *deferred_close, enum deferred_close_queue which,
			uid_t uid, int fd)
{
	struct queue *queue = &deferred_close->queues[which];
	struct closing *closing;
	int r;

	pthread_mutex_lock(&deferred_close->lock);
	closing = closing_new(queue, uid, fd);
	r = closing ? queue_wake(queue) : -ENOMEM;
	/*
	 * If no thread can be created, memory is closed here: this takes time but ends. Unknown
	 * descriptors wait until the next attempt.
	 */
	if (r < 0 && which == DEFERRED_CLOSE_MEMORY) {
		if (closing)
			closing_free(queue, closing);
		close(fd);
	}
	pthread_mutex_unlock(&deferred_close->lock);
	if (r < 0)
		deferred_close_log(uid, r);
}

unsigned deferred_close_n_pending(struct deferred_close *deferred_close,
				  enum deferred_close_queue which, uid_t uid)
{
	struct queue *queue = &deferred_close->queues[which];
	struct closing_user *user;
	unsigned n;

	if (queue->n == 0)
		return 0;
	pthread_mutex_lock(&deferred_close->lock);
	user = queue_find_user(queue, uid);
	n = user ? user->n : 0;
	pthread_mutex_unlock(&deferred_close->lock);
	return n;
}

struct deferred_close *deferred_close_free(struct deferred_close *deferred_close)
{
	struct closing *closing, *next;
	bool has_threads;

	if (!deferred_close)
		return NULL;
	fd_set_close_fn(NULL);
	deferred_close_instance = NULL;
	pthread_mutex_lock(&deferred_close->lock);
	has_threads = deferred_close->n_threads > 0;
	deferred_close->is_freed = true;
	for (size_t i = 0; i < ARRAY_LEN(deferred_close->queues); i++) {
		struct queue *queue = &deferred_close->queues[i];

		pthread_cond_signal(&queue->more);
		/* No thread could be created for these; they are closed when the process ends. */
		if (!queue->has_thread)
			list_for_each_safe(closing, next, &queue->closings, link)
				closing_free(queue, closing);
	}
	pthread_mutex_unlock(&deferred_close->lock);
	if (!has_threads)
		deferred_close_destroy(deferred_close);
	return NULL;
}
