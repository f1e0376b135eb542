/* Threads for long tasks; see client/staging/thread.h. */
#include "client/staging/thread.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "client/base/error.h"
#include "client/progress/pe.h"
#include "util/fd.h"

/* The thread sleeps on `state` while it is FREE or DONE. The engine's thread changes it from there,
 * the thread from WORKING to DONE. */
enum { THREAD_FREE, THREAD_WORKING, THREAD_DONE, THREAD_ENDING };

struct staging_thread {
	_Atomic uint32_t state;
	_Atomic bool is_armed; /* the engine's user may be asleep */
	int event_fd;
	pthread_t thread;
	doca_error_t (*run)(void *arg);
	void *arg;
	/* The result of the last call is valid while the state is DONE. */
	doca_error_t result;
	struct saved_error sentence;
};

static void work(struct staging_thread *thread)
{
	thread->result = thread->run(thread->arg);
	if (thread->result != DOCA_SUCCESS)
		error_save(&thread->sentence);
	/* Sequentially consistent, as are the two accesses of staging_thread_arm(): either this
	 * thread sees that the engine is armed, or the engine sees that the work is done. */
	atomic_store(&thread->state, THREAD_DONE);
	if (atomic_load(&thread->is_armed))
		fd_eventfd_ring(thread->event_fd);
}

static void *thread_main(void *arg)
{
	struct staging_thread *thread = arg;
	uint32_t state;

	while ((state = atomic_load(&thread->state)) != THREAD_ENDING) {
		if (state == THREAD_WORKING)
			work(thread);
		else
			syscall(SYS_futex, &thread->state, FUTEX_WAIT_PRIVATE, state, NULL, NULL,
				0);
	}
	return NULL;
}

static void thread_set(struct staging_thread *thread, uint32_t state)
{
	int saved = errno;

	atomic_store(&thread->state, state);
	syscall(SYS_futex, &thread->state, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
	errno = saved;
}

static int thread_create(struct staging_thread *thread)
{
	sigset_t all, before;
	int r;

	/* Blocks all signals on this thread: they are for the application's threads. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	r = -pthread_create(&thread->thread, NULL, thread_main, thread);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return r;
}

doca_error_t staging_thread_start(struct doca_pe *pe, doca_error_t (*run)(void *arg), void *arg,
				  struct staging_thread **thread_out)
{
	struct staging_thread *thread = calloc(1, sizeof(*thread));
	int r;

	if (thread == NULL)
		return error_set(DOCA_ERROR_INITIALIZATION, "ctx start: out of memory");
	thread->run = run;
	thread->arg = arg;
	thread->event_fd = fd_eventfd();
	r = thread->event_fd < 0 ? thread->event_fd : pe_add_eventfd(pe, thread->event_fd);
	if (r == 0)
		r = thread_create(thread);
	if (r < 0) {
		fd_close(&thread->event_fd);
		free(thread);
		return error_set(
			DOCA_ERROR_INITIALIZATION,
			"ctx start: cannot start a thread for long tasks (error %d); raise "
			"RLIMIT_NPROC or RLIMIT_NOFILE, or unset DOCOCORED_THREAD_BYTES",
			-r);
	}
	*thread_out = thread;
	return DOCA_SUCCESS;
}

struct staging_thread *staging_thread_end(struct staging_thread *thread, struct doca_pe *pe)
{
	if (thread == NULL)
		return NULL;
	thread_set(thread, THREAD_ENDING);
	pthread_join(thread->thread, NULL);
	pe_remove_eventfd(pe, thread->event_fd);
	fd_close(&thread->event_fd);
	free(thread);
	return NULL;
}

void staging_thread_run(struct staging_thread *thread)
{
	thread_set(thread, THREAD_WORKING);
}

bool staging_thread_is_done(struct staging_thread *thread, doca_error_t *result_out)
{
	if (atomic_load_explicit(&thread->state, memory_order_acquire) != THREAD_DONE)
		return false;
	*result_out = thread->result;
	if (thread->result != DOCA_SUCCESS)
		error_restore(&thread->sentence);
	/* No wake-up: the thread sleeps in either state. */
	atomic_store_explicit(&thread->state, THREAD_FREE, memory_order_relaxed);
	return true;
}

bool staging_thread_arm(struct staging_thread *thread)
{
	atomic_store(&thread->is_armed, true);
	return atomic_load(&thread->state) == THREAD_DONE;
}

void staging_thread_disarm(struct staging_thread *thread)
{
	atomic_store_explicit(&thread->is_armed, false, memory_order_relaxed);
}
