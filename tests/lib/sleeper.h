/*
 * A program that only sleeps in epoll on a progress engine's handle, for tests of event-driven use.
 * A lost wake-up ends the test with a sentence. Creates no threads.
 */
#ifndef TESTS_LIB_SLEEPER_H
#define TESTS_LIB_SLEEPER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include <doca_pe.h>

/* The three permitted ways to wait. */
enum sleeper_method {
	SLEEPER_SELECTIVE,     /* progress engines with events only; clearing is mandatory */
	SLEEPER_ALL,           /* progress everything, and clear */
	SLEEPER_ALL_NOT_CLEAR, /* progress everything, never clear */
	SLEEPER_N_METHODS,
};

struct sleeper {
	struct doca_pe *pe;
	int epoll_fd; /* contains the handle and also_fd */
	int also_fd;  /* -1: none */
	bool clears;
	uint64_t n_sleeps; /* number of sleeps that the handle ended */
};

/* also_fd: another descriptor that wakes the program, or -1. Sets the engine's mode. */
void sleeper_open(struct sleeper *sleeper, struct doca_pe *pe, enum sleeper_method way,
		  int also_fd);
void sleeper_close(struct sleeper *sleeper);
/* Progresses until there is no more work. */
void sleeper_progress(struct sleeper *sleeper);
/* Arms. Call sleeper_progress() before, and sleeper_sleep() afterwards. */
void sleeper_arm(struct sleeper *sleeper);
/*
 * Sleeps until the handle is ready, and clears it. Returns true if also_fd is ready as well or
 * instead.
 */
bool sleeper_sleep(struct sleeper *sleeper);
/* Like sleeper_sleep(), without also_fd: something must be in flight. */
void sleeper_sleep_for_pe(struct sleeper *sleeper);
/*
 * Arms, sleeps, and progresses until there is no more work. Afterwards check the awaited condition.
 * Returns like sleeper_sleep().
 */
bool sleeper_step(struct sleeper *sleeper);

/*
 * Returns the number of events for one test: DOCO_HAMMER_EVENTS or `usual`; a tenth with a
 * sanitizer, and fewer on a busy machine. Pass the number to children, because each call may return
 * another one.
 */
uint64_t sleeper_n_events(uint64_t usual);
/* Returns reproducible pseudo-random numbers. */
uint32_t sleeper_random(uint32_t *seed);
/* Waits for no, few or many nanoseconds, spinning or sleeping. */
void sleeper_pause(uint32_t *seed);

/*
 * Waits until the process was blocked for a whole window: all its threads in state S, no processor
 * time and no context switch. Fails after the deadline. With a sanitizer only the main thread is
 * checked.
 */
void sleeper_await_idle(pid_t pid);
/*
 * Like sleeper_await_idle(), for one moment: the process has reached the call in which it sleeps.
 * It may wake up later.
 */
void sleeper_await_asleep(pid_t pid);

#endif
