/*
 * A program that only ever sleeps in epoll on a progress engine's handle: what tests of
 * event-driven use share. A wake-up that got lost ends the test with a sentence. Threads: none.
 */
#ifndef TESTS_LIB_SLEEPER_H
#define TESTS_LIB_SLEEPER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include <doca_pe.h>

/* The three ways to wait that the contract knows. */
enum sleeper_way {
	SLEEPER_SELECTIVE,     /* progress what has events; clearing is a must */
	SLEEPER_ALL,           /* progress all, and clear */
	SLEEPER_ALL_NOT_CLEAR, /* progress all, never clear */
	SLEEPER_N_WAYS,
};

struct sleeper {
	struct doca_pe *pe;
	int epoll_fd; /* the application's own: the handle, and `also` */
	int also_fd;  /* -1: none */
	bool clears;
	uint64_t n_sleeps; /* that ended by the handle */
};

/* also_fd: something else of the application's that wakes it, or -1. Sets the engine's mode. */
void sleeper_open(struct sleeper *sleeper, struct doca_pe *pe, enum sleeper_way way, int also_fd);
void sleeper_close(struct sleeper *sleeper);
/* Progresses until there is nothing more. */
void sleeper_progress(struct sleeper *sleeper);
/* Arms. Call sleeper_progress before, and sleeper_sleep afterwards. */
void sleeper_arm(struct sleeper *sleeper);
/* Sleeps until the handle is ready, and clears; true if also_fd is ready as well or instead. */
bool sleeper_sleep(struct sleeper *sleeper);
/* The same, for the handle alone: something must be under way. */
void sleeper_sleep_for_pe(struct sleeper *sleeper);
/* Arms, sleeps, progresses until there is nothing more: look then whether what you wait for is
 * there. True as sleeper_sleep. */
bool sleeper_turn(struct sleeper *sleeper);

/* Events for one test: DOCO_HAMMER_EVENTS, or `usual`; a tenth with a sanitizer, and fewer on a
 * machine that has much else to do. Children are told: each that asks may get another answer. */
uint64_t sleeper_n_events(uint64_t usual);
/* Repeatable numbers. */
uint32_t sleeper_random(uint32_t *seed);
/* None, a few or many nanoseconds, awake or asleep. */
void sleeper_pause(uint32_t *seed);

/*
 * Waits until the process is blocked for a whole window: all of its threads in state S, and no
 * processor time and no switch in between. Fails after the deadline. With a sanitizer the main
 * thread alone is looked at.
 */
void sleeper_await_idle(pid_t pid);
/* The same for a moment: it has come to where it sleeps. What may wake it later is not looked at.
 */
void sleeper_await_asleep(pid_t pid);

#endif
