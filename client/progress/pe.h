/*
 * Progress engine: the queue of submitted tasks, the contexts that are polled, and the descriptors
 * that wake a program that sleeps on the notification handle. Each doca_pe_progress() takes one
 * task from the queue, lets its pool execute it, and calls the application back. Threads: a
 * progress engine and everything connected to it belong to one thread at a time.
 */
#ifndef CLIENT_PROGRESS_PE_H
#define CLIENT_PROGRESS_PE_H

#include <doca_pe.h>
#include <sys/types.h>

#include "client/base/counters.h"
#include "client/control/rpc_watch.h"
#include "util/list.h"

/* Flags of a progress engine. If all are zero, as is usual, only the queue must be checked, which
 * one test decides. */
#define PE_IN_PROGRESS 1u /* a callback may be running */
#define PE_ATTENTION   2u /* transitions is not empty */
#define PE_POLLERS     4u /* pollers is not empty */
#define PE_FOREIGN     8u /* a copy in a forked child: nothing is executed */
/* The upper bits count progress calls that found something, without an additional store. */
#define PE_FLAGS    0xffu
#define PE_BUSY_ONE 0x100u
/* If all of these bits are zero, the counter is published (PUBLISH), or the pollers are called
 * (POLL). */
#define PE_BUSY_PUBLISH 0x3f00u
#define PE_BUSY_POLL    0x0700u

struct doca_pe {
	struct doca_task *head; /* the queue of submitted tasks */
	struct doca_task **tail;
	bool armed;     /* the user may be asleep: a submission must ring */
	bool rung;      /* event_fd was rung and has not been cleared since */
	bool cleared;   /* the handle was cleared since the last request */
	bool listening; /* the last request armed the pollers */
	uint64_t flags; /* PE_* bits and the counter */
	struct counters_line *line;
	struct list pollers;
	struct list transitions;
	struct list ctxs;
	enum doca_pe_event_mode event_mode;
	int epoll_fd; /* the notification handle */
	int event_fd;
	pid_t pid; /* the process that created it */
	/* The context whose poll hook runs; set to NULL if it is destroyed meanwhile. */
	struct doca_ctx *polling;
	struct counters counters;
	struct list node;         /* in the list of the process's engines */
	struct rpc_watch session; /* wakes the user for all contexts that wait for the daemon */
};

/* Publishes the number of progress calls that found something. */
static inline void pe_count_busy(const struct doca_pe *pe)
{
	counters_set(&pe->line->busy, pe->flags / PE_BUSY_ONE);
}

/* Create and delete a progress engine. Errors come with an error sentence. Deleting an engine that
 * is in use is refused. */
doca_error_t pe_new(struct doca_pe **pe_out);
doca_error_t pe_delete(struct doca_pe *pe);
/* Returns NOT_CONNECTED with an error sentence that names `what` in a forked child's copy. Makes no
 * system call. */
doca_error_t pe_check_process(const struct doca_pe *pe, const char *what);
/* The public functions of these names, for calls within the library. */
uint8_t pe_progress(struct doca_pe *pe);
doca_error_t pe_request_notification(struct doca_pe *pe);
doca_error_t pe_clear_notification(struct doca_pe *pe);

/* Adds a descriptor that wakes the PE's user: an eventfd that is read when it becomes readable.
 * Returns 0 or -errno. */
int pe_add_eventfd(struct doca_pe *pe, int fd);
/*
 * Like pe_add_eventfd(), for a descriptor that other processes share or that stays readable. It
 * wakes the PE once per event and is never read: a process that shares the descriptor could remove
 * O_NONBLOCK, and then a read could block.
 */
int pe_add_shared_fd(struct doca_pe *pe, int fd);
/* Like pe_add_eventfd(), with a callback that identifies the descriptor. `on_ring` is called within
 * a request or a clear, when the doorbell was cleared. It must not add or remove any. */
struct pe_doorbell {
	int fd;
	void (*on_ring)(struct pe_doorbell *doorbell);
};
int pe_add_doorbell(struct doca_pe *pe, struct pe_doorbell *doorbell);
/* Called when a doorbell of another process is adopted: prepares asynchronous I/O, with which
 * ringing never blocks. */
void pe_prepare_doorbells(void);
void pe_remove_eventfd(struct doca_pe *pe, int fd);
/* Sets a timer that wakes a sleeping user, in CLOCK_MONOTONIC time. The timer is created when it is
 * first set; -1 means that there is none yet. Returns false if it cannot be created. */
bool pe_set_timer(struct doca_pe *pe, int *timer_fd, uint64_t at_ns);
/* Idempotent. */
void pe_close_timer(struct doca_pe *pe, int *timer_fd);
void pe_wake(struct doca_pe *pe);
/* Returns false in a forked child. It has a copy, but the epoll set and all shared memory belong to
 * its parent, which continues to use them. */
bool pe_is_own_process(const struct doca_pe *pe);
/* Clears every doorbell; whatever was armed must be armed again. Returns SUCCESS or
 * OPERATING_SYSTEM. */
doca_error_t pe_clear_events(struct doca_pe *pe);
/* Called after a change of `pollers` or `transitions`. */
void pe_update_flags(struct doca_pe *pe);

#endif
