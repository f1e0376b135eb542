/* Implements deferred calls; see client/control/deferred.h. */
#include "client/control/deferred.h"

#include <pthread.h>
#include <stdatomic.h>

#include "client/control/session.h"

static pthread_mutex_t errands_lock = PTHREAD_MUTEX_INITIALIZER;
static struct list errands = LIST_INIT(errands);
/*
 * The number of queued calls. It is raised before the submitter tries the session's lock, and the
 * lock's holder reads it after the unlock. At least one of the two threads therefore sees the
 * other.
 */
static _Atomic unsigned n_errands;

void session_leave_errand(struct session_errand *errand)
{
	pthread_mutex_lock(&errands_lock);
	list_append(&errands, &errand->node);
	atomic_fetch_add(&n_errands, 1);
	pthread_mutex_unlock(&errands_lock);
	if (session_try_lock())
		session_unlock();
}

bool session_has_errands(void)
{
	return atomic_load(&n_errands) != 0;
}

static struct session_errand *errand_take(void)
{
	struct session_errand *errand = NULL;

	pthread_mutex_lock(&errands_lock);
	if (!list_is_empty(&errands)) {
		errand = list_entry(errands.next, struct session_errand, node);
		list_remove(&errand->node);
		atomic_fetch_sub(&n_errands, 1);
	}
	pthread_mutex_unlock(&errands_lock);
	return errand;
}

void session_errands_run_locked(void)
{
	struct session_errand *errand;

	while ((errand = errand_take()) != NULL)
		errand->run_locked(errand);
}

void session_errands_forget(void)
{
	pthread_mutex_init(&errands_lock, NULL);
	list_init(&errands);
	atomic_store(&n_errands, 0);
}
