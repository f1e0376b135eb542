/*
 * The event loop: descriptors, timers, signals and deferred calls. A thin cover over libevent, and
 * the only place that knows it. A source belongs to whoever made it and may be freed at any time,
 * also in its own callback. Single-threaded.
 */
#ifndef DAEMON_BASE_LOOP_H
#define DAEMON_BASE_LOOP_H

#include <stdbool.h>
#include <stdint.h>

enum loop_events {
	LOOP_READ = 1,
	LOOP_WRITE = 2,
	LOOP_EDGE = 4, /* once for each time that it becomes so: for what nobody reads */
};

struct loop;
struct loop_source;

typedef void (*loop_fd_fn)(void *user, unsigned events);
typedef void (*loop_fn)(void *user);

/* NULL and errno on failure. */
struct loop *loop_new(void);
/* All sources must be gone. NULL is fine. Returns NULL. */
struct loop *loop_free(struct loop *loop);
/* Runs until loop_stop(). 0 or -errno. */
int loop_run(struct loop *loop);
/* One round: waits for something to happen and handles it. For tests. */
int loop_run_once(struct loop *loop);
void loop_stop(struct loop *loop);

/* Each returns NULL and errno on failure. Descriptors are not owned. */
struct loop_source *loop_fd_new(struct loop *loop, int fd, unsigned events, loop_fd_fn fn,
				void *user);
/* Changes what is waited for; 0 pauses. */
int loop_fd_set(struct loop_source *source, unsigned events);
/* Not running until it is set. */
struct loop_source *loop_timer_new(struct loop *loop, loop_fn fn, void *user);
/* Fires once, delay_ns from now; set again replaces. */
int loop_timer_set(struct loop_source *source, uint64_t delay_ns);
void loop_timer_cancel(struct loop_source *source);
struct loop_source *loop_signal_new(struct loop *loop, int signo, loop_fn fn, void *user);
/* Runs fn in a later step of the loop, once for however many loop_deferred_set() before that. */
struct loop_source *loop_deferred_new(struct loop *loop, loop_fn fn, void *user);
void loop_deferred_set(struct loop_source *source);
/* NULL is fine. Returns NULL. */
struct loop_source *loop_source_free(struct loop_source *source);

#endif
