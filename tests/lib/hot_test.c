/*
 * Tests the counters of locks and memory that other tests rely on. Each lock call is counted for
 * the thread that makes it, and behaves as in libc; locks and allocations of the shared library are
 * counted, too. A counter that sees nothing would let every other test pass.
 */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <time.h>

#include <dococ.h>

#include "tests/lib/allocount.h"
#include "tests/lib/expect.h"
#include "tests/lib/lockcount.h"
#include "tests/lib/runner.h"

/* Number of locks that the call takes; the call must return 0. */
#define LOCKS(call) (n_before = lockcount_n(), n_failed += (call) != 0, lockcount_n() - n_before)

static unsigned n_failed;
static uint64_t n_before;
static struct timespec long_ago;

START_TEST(test_mutex)
{
	pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

	ck_assert_uint_eq(LOCKS(pthread_mutex_lock(&mutex)), 1);
	ck_assert_uint_eq(LOCKS(pthread_mutex_trylock(&mutex) != EBUSY), 1);
	ck_assert_uint_eq(LOCKS(pthread_mutex_timedlock(&mutex, &long_ago) != ETIMEDOUT), 1);
	ck_assert_uint_eq(
		LOCKS(pthread_mutex_clocklock(&mutex, CLOCK_MONOTONIC, &long_ago) != ETIMEDOUT), 1);
	ck_assert_uint_eq(LOCKS(pthread_mutex_unlock(&mutex)), 0);
	ck_assert_uint_eq(LOCKS(pthread_mutex_trylock(&mutex)), 1);
	ck_assert_int_eq(pthread_mutex_unlock(&mutex), 0);
	ck_assert_uint_eq(n_failed, 0);
}
END_TEST

START_TEST(test_other_locks)
{
	pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
	pthread_spinlock_t spin;
	sem_t sem;

	ck_assert_uint_eq(LOCKS(pthread_rwlock_rdlock(&rwlock)), 1);
	ck_assert_uint_eq(LOCKS(pthread_rwlock_tryrdlock(&rwlock)), 1);
	ck_assert_int_ne(pthread_rwlock_trywrlock(&rwlock), 0);
	ck_assert_int_eq(pthread_rwlock_unlock(&rwlock), 0);
	ck_assert_int_eq(pthread_rwlock_unlock(&rwlock), 0);
	ck_assert_uint_eq(LOCKS(pthread_rwlock_wrlock(&rwlock)), 1);
	ck_assert_int_eq(pthread_rwlock_unlock(&rwlock), 0);
	ck_assert_uint_eq(LOCKS(pthread_rwlock_trywrlock(&rwlock)), 1);
	ck_assert_int_eq(pthread_rwlock_unlock(&rwlock), 0);
	ck_assert_int_eq(pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE), 0);
	ck_assert_uint_eq(LOCKS(pthread_spin_lock(&spin)), 1);
	ck_assert_int_ne(pthread_spin_trylock(&spin), 0);
	ck_assert_int_eq(pthread_spin_unlock(&spin), 0);
	ck_assert_uint_eq(LOCKS(pthread_spin_trylock(&spin)), 1);
	ck_assert_int_eq(sem_init(&sem, 0, 3), 0);
	ck_assert_uint_eq(LOCKS(sem_wait(&sem)), 1);
	ck_assert_uint_eq(LOCKS(sem_trywait(&sem)), 1);
	ck_assert_uint_eq(LOCKS(sem_timedwait(&sem, &long_ago)), 1);
	ck_assert_int_ne(sem_trywait(&sem), 0);
	ck_assert_uint_eq(n_failed, 0);
}
END_TEST

struct hand_over {
	pthread_mutex_t mutex;
	pthread_cond_t cond;
	bool is_given;
};

static void *give_main(void *arg)
{
	struct hand_over *hand_over = arg;

	pthread_mutex_lock(&hand_over->mutex);
	hand_over->is_given = true;
	pthread_cond_signal(&hand_over->cond);
	pthread_mutex_unlock(&hand_over->mutex);
	return NULL;
}

START_TEST(test_condition)
{
	struct hand_over hand_over = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, false};
	pthread_t thread;

	ck_assert_int_eq(pthread_mutex_lock(&hand_over.mutex), 0);
	ck_assert_int_eq(pthread_create(&thread, NULL, give_main, &hand_over), 0);
	while (!hand_over.is_given)
		ck_assert_uint_eq(LOCKS(pthread_cond_wait(&hand_over.cond, &hand_over.mutex)), 1);
	/* Locks of the other thread are counted for that thread. */
	ck_assert_uint_eq(LOCKS(pthread_join(thread, NULL)), 0);
	ck_assert_uint_eq(LOCKS(pthread_cond_timedwait(&hand_over.cond, &hand_over.mutex,
						       &long_ago) != ETIMEDOUT),
			  1);
	ck_assert_uint_eq(LOCKS(pthread_cond_clockwait(&hand_over.cond, &hand_over.mutex,
						       CLOCK_MONOTONIC, &long_ago) != ETIMEDOUT),
			  1);
	ck_assert_uint_eq(LOCKS(pthread_cond_signal(&hand_over.cond)), 1);
	ck_assert_uint_eq(LOCKS(pthread_cond_broadcast(&hand_over.cond)), 1);
	ck_assert_int_eq(pthread_mutex_unlock(&hand_over.mutex), 0);
	ck_assert_uint_eq(n_failed, 0);
}
END_TEST

START_TEST(test_library)
{
	uint64_t n_allocations = allocount_n(), n_polls = lockcount_n_polls();
	void *memory;

	ck_assert_uint_ge(LOCKS(dococ_mem_alloc(4096, &memory, NULL)), 1);
	ck_assert_uint_gt(allocount_n(), n_allocations);
	ck_assert_uint_ge(LOCKS(dococ_mem_free(memory)), 1);
	ck_assert_int_eq(poll(NULL, 0, 0), 0);
	ck_assert_uint_eq(lockcount_n_polls(), n_polls + 1);
	ck_assert_uint_eq(n_failed, 0);
}
END_TEST

static void add_cases(Suite *suite)
{
	TCase *tcase = runner_case(suite, "counters");

	tcase_add_test(tcase, test_mutex);
	tcase_add_test(tcase, test_other_locks);
	tcase_add_test(tcase, test_condition);
	tcase_add_test(tcase, test_library);
}

int main(void)
{
	return runner_main("hot", add_cases, NULL);
}
