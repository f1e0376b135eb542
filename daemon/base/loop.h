/*
 * The event loop: descriptors, timers, signals and deferred calls. A thin layer over libevent, and
 * the only module that uses it. A source belongs to its creator and may be freed at any time, also
 * in its own callback. Single-threaded.
 */
#ifndef DAEMON_BASE_LOOP_H
#define DAEMON_BASE_LOOP_H

#include <stdbool.h>
#include <stdint.h>

enum loop_events {
	LOOP_READ = 1,
	LOOP_WRITE = 2,
	LOOP_EDGE = 4, /* edge-triggered: for descriptors that are never read */
};

struct loop;
struct loop_source;

typedef void (*loop_fd_fn)(void *user, unsigned events);
typedef void (*loop_fn)(void *user);

/* Returns NULL and sets errno on failure. */
struct loop *loop_new(void);
/* All sources must have been freed. Accepts NULL. Returns NULL. */
struct loop *loop_free(struct loop *loop);
/* Runs until loop_stop(). Returns 0, or logs and returns -errno if it can no longer wait. */
int loop_run(struct loop *loop);
/* Waits for events and handles them once. For tests. */
int loop_run_once(struct loop *loop);
void loop_stop(struct loop *loop);

/* Each constructor returns NULL and sets errno on failure. Descriptors stay the caller's. */
struct loop_source *loop_fd_new(struct loop *loop, int fd, unsigned events, loop_fd_fn fn,
				void *user);
/* Changes the watched events; 0 pauses. */
int loop_fd_set(struct loop_source *source, unsigned events);
/* Creates a timer that is not running. */
struct loop_source *loop_timer_new(struct loop *loop, loop_fn fn, void *user);
/* Starts the timer: it fires once, after delay_ns. Restarts a running timer. */
int loop_timer_set(struct loop_source *source, uint64_t delay_ns);
void loop_timer_cancel(struct loop_source *source);
/*
 * The signal stays blocked in this thread, and in threads that it creates later, even after the
 * source is freed.
 */
struct loop_source *loop_signal_new(struct loop *loop, int signo, loop_fn fn, void *user);
/*
 * Creates a deferred call: fn runs in a later iteration, once for any number of loop_deferred_set()
 * before that.
 */
struct loop_source *loop_deferred_new(struct loop *loop, loop_fn fn, void *user);
void loop_deferred_set(struct loop_source *source);
/* Accepts NULL. Returns NULL. */
struct loop_source *loop_source_free(struct loop_source *source);

#endif
