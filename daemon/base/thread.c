/* Detached threads; see thread.h. */
#include "daemon/base/thread.h"

#include <pthread.h>
#include <signal.h>

int thread_start(void *(*fn)(void *arg), void *arg)
{
	pthread_attr_t attr;
	sigset_t all, before;
	pthread_t thread;
	int r = pthread_attr_init(&attr);

	if (r != 0)
		return -r;
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	/* Signals are delivered to the event loop's thread only. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	r = pthread_create(&thread, &attr, fn, arg);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	pthread_attr_destroy(&attr);
	return -r;
}
