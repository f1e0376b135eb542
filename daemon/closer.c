/*
 * One thread, while there is something to close. It holds the lock only to take the next
 * descriptor: whom it waits for keeps nobody else from the queue.
 */
#include "daemon/closer.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/thread.h"
#include "util/fd.h"
#include "util/list.h"
#include "util/log.h"

struct closing {
	struct list link;
	uid_t uid;
	int fd;
};

struct closer {
	pthread_mutex_t lock;
	struct list queue; /* struct closing, link; the first is what the thread is at */
	bool is_running;
	bool is_left; /* the thread frees it */
};

struct closer *closer_new(void)
{
	struct closer *closer = calloc(1, sizeof(*closer));

	if (!closer)
		return NULL;
	pthread_mutex_init(&closer->lock, NULL);
	list_init(&closer->queue);
	return closer;
}

static void closer_destroy(struct closer *closer)
{
	pthread_mutex_destroy(&closer->lock);
	free(closer);
}

static void *closer_run(void *arg)
{
	struct closer *closer = arg;
	struct closing *closing;
	bool is_left;

	pthread_mutex_lock(&closer->lock);
	while (!list_is_empty(&closer->queue)) {
		closing = list_entry(closer->queue.next, struct closing, link);
		pthread_mutex_unlock(&closer->lock);
		fd_close(&closing->fd);
		pthread_mutex_lock(&closer->lock);
		list_remove(&closing->link);
		free(closing);
	}
	closer->is_running = false;
	is_left = closer->is_left;
	pthread_mutex_unlock(&closer->lock);
	if (is_left)
		closer_destroy(closer);
	return NULL;
}

void closer_give(struct closer *closer, uid_t uid, int fd)
{
	struct closing *closing = malloc(sizeof(*closing));
	int r = 0;

	if (!closing) {
		log_warning("no memory to close a descriptor of uid %u: it stays open", uid);
		return;
	}
	closing->uid = uid;
	closing->fd = fd;
	pthread_mutex_lock(&closer->lock);
	list_append(&closer->queue, &closing->link);
	if (!closer->is_running) {
		r = thread_start(closer_run, closer);
		closer->is_running = r == 0;
	}
	pthread_mutex_unlock(&closer->lock);
	/* They wait for the next one. */
	if (r < 0)
		log_warning("no thread to close descriptors of uid %u: %s", uid, strerror(-r));
}

unsigned closer_n_of(struct closer *closer, uid_t uid)
{
	struct closing *closing;
	unsigned n = 0;

	pthread_mutex_lock(&closer->lock);
	list_for_each(closing, &closer->queue, link) n += closing->uid == uid;
	pthread_mutex_unlock(&closer->lock);
	return n;
}

struct closer *closer_free(struct closer *closer)
{
	struct closing *closing, *next;
	bool is_running;

	if (!closer)
		return NULL;
	pthread_mutex_lock(&closer->lock);
	is_running = closer->is_running;
	closer->is_left = true;
	pthread_mutex_unlock(&closer->lock);
	if (is_running)
		return NULL;
	/* No thread could be had for them: the end of the process closes them. */
	list_for_each_safe(closing, next, &closer->queue, link) free(closing);
	closer_destroy(closer);
	return NULL;
}
