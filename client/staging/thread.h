/*
 * A thread that runs one long task of its context at a time, so that the progress engine goes on
 * with other contexts. The engine's thread gives it a function and learns by polling, or by an
 * eventfd that wakes the engine, that the function has returned. Between the two, everything that
 * the function uses belongs to the thread. Threads: that of the progress engine, and this one.
 */
#ifndef CLIENT_STAGING_THREAD_H
#define CLIENT_STAGING_THREAD_H

#include <stdbool.h>

#include <doca_error.h>

struct doca_pe;
struct staging_thread;

/* Starts the thread, with all signals blocked. Returns INITIALIZATION with an error sentence. */
doca_error_t staging_thread_start(struct doca_pe *pe, doca_error_t (*run)(void *arg), void *arg,
				  struct staging_thread **thread_out);
/* Ends the thread and joins it; it must not be running the function. Accepts NULL. Returns NULL. */
struct staging_thread *staging_thread_end(struct staging_thread *thread, struct doca_pe *pe);
/* Makes the thread call run(arg) once. It must not be running it already. */
void staging_thread_run(struct staging_thread *thread);
/* Returns whether the call has returned. Then *result_out has its result, and if that is an error,
 * its sentence is recorded for the calling thread. */
bool staging_thread_is_done(struct staging_thread *thread, doca_error_t *result_out);
/* Arms like `arm` of struct ctx_ops. Returns true if the call has returned already. */
bool staging_thread_arm(struct staging_thread *thread);
void staging_thread_disarm(struct staging_thread *thread);

#endif
