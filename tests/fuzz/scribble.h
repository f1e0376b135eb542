/*
 * A second thread that alternately writes two values to one word of shared memory, so that the word
 * changes between two loads of the code under test. The thread writes only while a target enables
 * it, because inputs that it takes part in do not run the same way twice. Include it in one file of
 * a target.
 */
#ifndef TESTS_FUZZ_SCRIBBLE_H
#define TESTS_FUZZ_SCRIBBLE_H

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <unistd.h>

#include "tests/fuzz/fuzz.h"

/*
 * Payloads are not atomic variables. ThreadSanitizer would report the concurrent change, which is
 * the peer's fault.
 */
#ifdef __SANITIZE_THREAD__
#define SCRIBBLE_RESTS true
#else
#define SCRIBBLE_RESTS false
#endif

static struct {
	_Atomic(_Atomic uint64_t *) word; /* NULL: the thread rests */
	_Atomic uint64_t value, flip;
	_Atomic uint32_t n_rounds;
} scribble;

static void *scribble_run(void *unused)
{
	for (;;) {
		_Atomic uint64_t *word = atomic_load(&scribble.word);
		uint64_t value = atomic_load(&scribble.value);

		if (word == NULL) {
			usleep(100);
		} else {
			atomic_store(word, value);
			atomic_store(word, value ^ atomic_load(&scribble.flip));
		}
		atomic_fetch_add(&scribble.n_rounds, 1);
	}
	return unused;
}

/* Begins, or goes on with another word. */
static inline void scribble_begin(void *word, uint64_t value, uint64_t flip)
{
	static bool is_started;
	pthread_t thread;

	if (SCRIBBLE_RESTS)
		return;
	if (!is_started)
		FUZZ_CHECK(pthread_create(&thread, NULL, scribble_run, NULL) == 0);
	is_started = true;
	atomic_store(&scribble.value, value);
	atomic_store(&scribble.flip, flip);
	atomic_store(&scribble.word, (_Atomic uint64_t *)word);
}

/* Nothing is written any more when it returns. */
static inline void scribble_end(void)
{
	uint32_t n;

	if (atomic_exchange(&scribble.word, NULL) == NULL)
		return;
	/* The round that is running may still store. */
	n = atomic_load(&scribble.n_rounds);
	while (atomic_load(&scribble.n_rounds) - n < 2)
		sched_yield();
}

#endif
