/* Implements deferred calls; see client/control/deferred.h. */
#include "client/control/deferred.h"

#include <pthread.h>
#include <stdatomic.h>

#include "client/control/session.h"

static pthread_mutex_t deferred_lock = PTHREAD_MUTEX_INITIALIZER;
static struct list deferred_calls = LIST_INIT(deferred_calls);
/*
 * The number of queued calls. It is raised before the submitter tries the session's lock, and the
 * lock's holder reads it after the unlock. At least one of the two threads therefore sees the
 * other.
 */
static _Atomic unsigned n_deferred;

void session_defer(struct session_deferred *deferred)
{
	pthread_mutex_lock(&deferred_lock);
	list_append(&deferred_calls, &deferred->node);
	atomic_fetch_add(&n_deferred, 1);
	pthread_mutex_unlock(&deferred_lock);
	if (session_try_lock())
		session_unlock();
}

bool session_has_deferred(void)
{
	return atomic_load(&n_deferred) != 0;
}

static struct session_deferred *deferred_dequeue(void)
{
	struct session_deferred *deferred = NULL;

	pthread_mutex_lock(&deferred_lock);
	if (!list_is_empty(&deferred_calls)) {
		deferred = list_entry(deferred_calls.next, struct session_deferred, node);
		list_remove(&deferred->node);
		atomic_fetch_sub(&n_deferred, 1);
	}
	pthread_mutex_unlock(&deferred_lock);
	return deferred;
}

void session_deferred_run_locked(void)
{
	struct session_deferred *deferred;

	while ((deferred = deferred_dequeue()) != NULL)
		deferred->run_locked(deferred);
}

void session_deferred_forget(void)
{
	pthread_mutex_init(&deferred_lock, NULL);
	list_init(&deferred_calls);
	atomic_store(&n_deferred, 0);
}
