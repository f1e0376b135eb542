/* Counted locks, see tests/lib/lockcount.h. */
#include "tests/lib/lockcount.h"

#include <dlfcn.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <stddef.h>

#ifdef DOCO_SANITIZED
const bool lockcount_works = false;

uint64_t lockcount_n(void)
{
	return 0;
}

uint64_t lockcount_n_polls(void)
{
	return 0;
}
#else
const bool lockcount_works = true;

enum call {
	MUTEX_LOCK,
	MUTEX_TRYLOCK,
	MUTEX_TIMEDLOCK,
	MUTEX_CLOCKLOCK,
	RWLOCK_RDLOCK,
	RWLOCK_TRYRDLOCK,
	RWLOCK_WRLOCK,
	RWLOCK_TRYWRLOCK,
	SPIN_LOCK,
	SPIN_TRYLOCK,
	SEM_WAIT,
	SEM_TRYWAIT,
	SEM_TIMEDWAIT,
	COND_WAIT,
	COND_TIMEDWAIT,
	COND_CLOCKWAIT,
	COND_SIGNAL,
	COND_BROADCAST,
	POLL,
	N_CALLS,
};

static const char *const names[N_CALLS] = {
	[MUTEX_LOCK] = "pthread_mutex_lock",
	[MUTEX_TRYLOCK] = "pthread_mutex_trylock",
	[MUTEX_TIMEDLOCK] = "pthread_mutex_timedlock",
	[MUTEX_CLOCKLOCK] = "pthread_mutex_clocklock",
	[RWLOCK_RDLOCK] = "pthread_rwlock_rdlock",
	[RWLOCK_TRYRDLOCK] = "pthread_rwlock_tryrdlock",
	[RWLOCK_WRLOCK] = "pthread_rwlock_wrlock",
	[RWLOCK_TRYWRLOCK] = "pthread_rwlock_trywrlock",
	[SPIN_LOCK] = "pthread_spin_lock",
	[SPIN_TRYLOCK] = "pthread_spin_trylock",
	[SEM_WAIT] = "sem_wait",
	[SEM_TRYWAIT] = "sem_trywait",
	[SEM_TIMEDWAIT] = "sem_timedwait",
	[COND_WAIT] = "pthread_cond_wait",
	[COND_TIMEDWAIT] = "pthread_cond_timedwait",
	[COND_CLOCKWAIT] = "pthread_cond_clockwait",
	[COND_SIGNAL] = "pthread_cond_signal",
	[COND_BROADCAST] = "pthread_cond_broadcast",
	[POLL] = "poll",
};

static void *libc_calls[N_CALLS];
static _Thread_local uint64_t n_locks, n_polls;

uint64_t lockcount_n(void)
{
	return n_locks;
}

uint64_t lockcount_n_polls(void)
{
	return n_polls;
}

/*
 * Libraries lock before this constructor has run, but have no threads then. The lookup uses a
 * handle, because RTLD_NEXT may find the oldest version of the condition variable functions.
 */
__attribute__((constructor)) static void find_calls(void)
{
	void *libc = dlopen("libc.so.6", RTLD_LAZY | RTLD_NOLOAD);

	for (int i = 0; i < N_CALLS; i++) {
		libc_calls[i] = libc == NULL ? NULL : dlsym(libc, names[i]);
		if (libc_calls[i] == NULL)
			libc_calls[i] = dlsym(RTLD_NEXT, names[i]);
	}
}

static void *count(enum call call)
{
	++*(call == POLL ? &n_polls : &n_locks);
	if (libc_calls[call] == NULL)
		find_calls();
	return libc_calls[call];
}

/*
 * The functions must be visible to the shared libraries, even if the build hides symbols by
 * default.
 */
#pragma GCC visibility push(default)
int pthread_mutex_lock(pthread_mutex_t *mutex)
{
	return ((int (*)(pthread_mutex_t *))count(MUTEX_LOCK))(mutex);
}

int pthread_mutex_trylock(pthread_mutex_t *mutex)
{
	return ((int (*)(pthread_mutex_t *))count(MUTEX_TRYLOCK))(mutex);
}

int pthread_mutex_timedlock(pthread_mutex_t *mutex, const struct timespec *until)
{
	return ((int (*)(pthread_mutex_t *, const struct timespec *))count(MUTEX_TIMEDLOCK))(mutex,
											     until);
}

int pthread_mutex_clocklock(pthread_mutex_t *mutex, clockid_t clock, const struct timespec *until)
{
	return ((int (*)(pthread_mutex_t *, clockid_t, const struct timespec *))count(
		MUTEX_CLOCKLOCK))(mutex, clock, until);
}

int pthread_rwlock_rdlock(pthread_rwlock_t *lock)
{
	return ((int (*)(pthread_rwlock_t *))count(RWLOCK_RDLOCK))(lock);
}

int pthread_rwlock_tryrdlock(pthread_rwlock_t *lock)
{
	return ((int (*)(pthread_rwlock_t *))count(RWLOCK_TRYRDLOCK))(lock);
}

int pthread_rwlock_wrlock(pthread_rwlock_t *lock)
{
	return ((int (*)(pthread_rwlock_t *))count(RWLOCK_WRLOCK))(lock);
}

int pthread_rwlock_trywrlock(pthread_rwlock_t *lock)
{
	return ((int (*)(pthread_rwlock_t *))count(RWLOCK_TRYWRLOCK))(lock);
}

int pthread_spin_lock(pthread_spinlock_t *lock)
{
	return ((int (*)(pthread_spinlock_t *))count(SPIN_LOCK))(lock);
}

int pthread_spin_trylock(pthread_spinlock_t *lock)
{
	return ((int (*)(pthread_spinlock_t *))count(SPIN_TRYLOCK))(lock);
}

int sem_wait(sem_t *sem)
{
	return ((int (*)(sem_t *))count(SEM_WAIT))(sem);
}

int sem_trywait(sem_t *sem)
{
	return ((int (*)(sem_t *))count(SEM_TRYWAIT))(sem);
}

int sem_timedwait(sem_t *sem, const struct timespec *until)
{
	return ((int (*)(sem_t *, const struct timespec *))count(SEM_TIMEDWAIT))(sem, until);
}

int pthread_cond_wait(pthread_cond_t *cond, pthread_mutex_t *mutex)
{
	return ((int (*)(pthread_cond_t *, pthread_mutex_t *))count(COND_WAIT))(cond, mutex);
}

int pthread_cond_timedwait(pthread_cond_t *cond, pthread_mutex_t *mutex,
			   const struct timespec *until)
{
	return ((int (*)(pthread_cond_t *, pthread_mutex_t *, const struct timespec *))count(
		COND_TIMEDWAIT))(cond, mutex, until);
}

int pthread_cond_clockwait(pthread_cond_t *cond, pthread_mutex_t *mutex, clockid_t clock,
			   const struct timespec *until)
{
	return ((int (*)(pthread_cond_t *, pthread_mutex_t *, clockid_t,
			 const struct timespec *))count(COND_CLOCKWAIT))(cond, mutex, clock, until);
}

int pthread_cond_signal(pthread_cond_t *cond)
{
	return ((int (*)(pthread_cond_t *))count(COND_SIGNAL))(cond);
}

int pthread_cond_broadcast(pthread_cond_t *cond)
{
	return ((int (*)(pthread_cond_t *))count(COND_BROADCAST))(cond);
}

int poll(struct pollfd *fds, nfds_t n_fds, int timeout_ms)
{
	return ((int (*)(struct pollfd *, nfds_t, int))count(POLL))(fds, n_fds, timeout_ms);
}
#pragma GCC visibility pop
#endif
