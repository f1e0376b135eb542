/*
 * Sync event: a 64-bit counter that many processes and threads set, add to and wait for. The
 * counter has a cache line of its own. The words on which waiters sleep are elsewhere (struct
 * sync_words). The data path uses a `cell` (client/memory/sync_cell.h), which points to both. They
 * lie in memory of this process, in two memfds shared with importers, or, for the counter, in the
 * user's memory.
 *
 * sync_event.c has objects, configuration and life cycle; sync_wait.c the synchronous calls and
 * waiting; sync_task.c and sync_task_api.c the context and its tasks; sync_export.c exports;
 * sync_import.c imports; sync_remote.c imports that are accessed by requests, whose cell has only
 * the liveness word.
 *
 * Threads: an event belongs to one thread at a time. As many threads and processes may use cells of
 * one counter as have events on it.
 *
 * A hostile process may have written the words. It can cause spurious wake-ups, at most one per
 * millisecond, or delay a wake-up: that of a _yield wait by 200 ms, that of a program that sleeps
 * in epoll by one second. Such a program has a timer set while it sleeps, but only once three or
 * more processes take part: of two processes, the other is the one that is waited for, so no timer
 * is needed. An exporter is trusted with its own event: it can set the counter to any value, end
 * the event, and deny that further processes take part.
 */
#ifndef CLIENT_SYNC_EVENT_SYNC_EVENT_H
#define CLIENT_SYNC_EVENT_SYNC_EVENT_H

#include <stdatomic.h>
#include <time.h>

#include <doca_sync_event.h>

#include "client/memory/sync_cell.h"
#include "client/progress/task.h"
#include "client/rma/provider.h"

/* --- imports --- */

doca_error_t sync_import_open(const char *what, struct doca_dev *dev, const uint8_t *data,
			      size_t len, Dococore__ExportKind kind,
			      struct sync_import *import_out);
void sync_import_close(struct sync_import *import);

/* --- event --- */

enum sync_place { SYNC_PLACE_UNSET, SYNC_CPU, SYNC_REMOTE_PCI, SYNC_REMOTE_NET };

struct sync_location {
	enum sync_place place;
	struct doca_dev *dev; /* for SYNC_CPU; a reference is held */
};

enum sync_state {
	SYNC_IDLE,
	SYNC_STARTED,     /* started by doca_sync_event_start() */
	SYNC_STARTED_CTX, /* started by doca_ctx_start() */
	SYNC_STOPPED,     /* stopped permanently */
};

enum sync_task_kind {
	SYNC_TASK_GET,
	SYNC_TASK_SET,
	SYNC_TASK_ADD,
	SYNC_TASK_EQ,
	SYNC_TASK_NEQ,
	SYNC_TASK_GT
};
#define SYNC_N_TASK_KINDS 6

struct sync_task {
	struct doca_task task;
	uint64_t value; /* the value to set, to add, or to wait for */
	uint64_t mask;
	uint64_t *result_at; /* where get and add store their result */
	struct list node;
	enum rdma_op op;     /* for an event that is accessed by requests */
	enum sync_cond cond; /* for a wait; in a graph it cannot be derived from the pool */
};

#define SYNC_CAN_READ  1u
#define SYNC_CAN_WRITE 2u
#define SYNC_CAN_END   4u /* an import: check its liveness word */

struct doca_sync_event {
	struct sync_cell cell;
	uint32_t can; /* SYNC_CAN_* bits for synchronous calls at present */
	/* For tasks. */
	uint64_t seen;         /* the counter's value at the last check of held waits */
	uint32_t n_idle;       /* polls that found nothing */
	bool must_check_waits; /* a wait was submitted that was not checked against `seen` */
	struct list held;      /* waits whose condition is not met */
	struct list ready;     /* waits whose condition is met or that failed */
	struct doca_ctx ctx;
	struct task_pool pools[SYNC_N_TASK_KINDS];
	int doorbell; /* a duplicate of the eventfd, in the engine's epoll set */
	/* Wakes a sleeper that must check the counter itself: memory of the user, or three or more
	 * processes; -1: none. */
	int timerfd;
	bool is_timed;
	struct sync_remote *remote; /* NULL: the counter is accessed directly */
	/* Members off the data path. */
	enum sync_state state;
	struct sync_location publisher, subscriber;
	uint64_t *user;       /* the user's counter; may be NULL */
	int user_fd;          /* the memfd of that memory, if it was known at set_doca_buf */
	uint64_t user_offset; /* the counter's offset in it */
	uint32_t user_permissions;
	bool has_buf;
	bool is_imported;
	/* The event over whose counter this is another context; may be NULL. */
	const struct doca_sync_event *counter_owner;
	struct sync_memory memory;
	struct sync_import import;
	struct list exports;
};

struct sync_export {
	struct export base;
	struct doca_sync_event *event;
	/* The event's cell. For a counter in the user's memory it uses a mapping made by the
	 * library. */
	struct sync_cell served;
	void *served_map;
	struct list node; /* in event->exports */
};

/* Create an event, alone or from an export. More that a version needs is attached to the
 * context. */
doca_error_t sync_event_alloc(struct doca_sync_event **event_out);
doca_error_t sync_event_import(struct doca_dev *dev, const uint8_t *data, size_t sz,
			       struct doca_sync_event **event_out);
/* Returns IN_USE with an error sentence unless the context is idle. */
doca_error_t sync_event_delete(struct doca_sync_event *event);
/*
 * Creates another context over the counter of an event that is started as a context, for another
 * progress engine. Returns NULL if there is no memory. `counter_owner` must remain started until
 * the new one is destroyed.
 */
struct doca_sync_event *sync_event_share_counter(const struct doca_sync_event *counter_owner);
/* Returns BAD_STATE unless a program of version `api` created the event. */
doca_error_t sync_event_check_api(const struct doca_sync_event *event, uint16_t api,
				  const char *call);
/* Sets a location; SYNC_CPU requires a device. */
doca_error_t sync_event_locate(struct doca_sync_event *event, bool is_publisher,
			       enum sync_place place, struct doca_dev *dev, uint16_t api);
/* Exports the event; the arguments must not be NULL. */
doca_error_t sync_event_export(struct doca_sync_event *event, struct doca_dev *dev,
			       Dococore__ExportKind kind, const uint8_t **data_out, size_t *sz_out);

/* Checks a capability; `what` names it in error sentences. The result is the public call's code. */
enum sync_ability {
	SYNC_HAS_TASKS,
	SYNC_IMPORTS_PCI,
	SYNC_IMPORTS_NET,
	SYNC_EXPORTS_PCI,
	SYNC_EXPORTS_NET,
	SYNC_HAS_PROCESSORS, /* DPA or GPU */
};
doca_error_t sync_cap(const struct doca_devinfo *devinfo, enum sync_ability ability,
		      const char *what);
/* Returns NOT_SUPPORTED, or INVALID_VALUE if arguments are missing: this runtime has no DPA and no
 * GPU. */
doca_error_t sync_unsupported(bool has_arguments, const char *what);
/* Like sync_unsupported(), for a call on an event, which must be of that version. */
doca_error_t sync_unsupported_of(const struct doca_sync_event *event, uint16_t api,
				 bool has_arguments, const char *what);

/* Configure and allocate the tasks of a kind. */
doca_error_t sync_pool_conf(struct doca_sync_event *event, enum sync_task_kind kind,
			    doca_task_completion_cb_t ok_cb, doca_task_completion_cb_t err_cb,
			    uint32_t n_tasks);
doca_error_t sync_pool_alloc(struct doca_sync_event *event, enum sync_task_kind kind,
			     const struct sync_task *init, union doca_data user_data,
			     void *task_out);

void sync_exports_close(struct doca_sync_event *event);
/* The common part of both kinds of start: checks that the configuration is complete, and allocates
 * memory. */
doca_error_t sync_event_open(struct doca_sync_event *event, const char *what, bool is_watched);
void sync_event_close(struct doca_sync_event *event);

/* Returns a device of the event, or NULL while it has none. */
const struct doca_dev *sync_event_dev(const struct doca_sync_event *event);
/* The error sentence for an importer that may only read the counter. */
extern const char sync_is_read_only[];
/* Check a task and the configured tasks. They record an error sentence on failure. */
doca_error_t sync_task_check(const struct doca_task *task, bool writes, bool needs_result);
doca_error_t sync_pools_check(const struct doca_sync_event *event, const struct doca_dev *dev);
/* A timer that wakes a sleeper after `ns`; 0 disables it. Opening returns 0 or -errno. */
int sync_timer_open(struct doca_sync_event *event);
void sync_timer_set(struct doca_sync_event *event, uint64_t ns);
void sync_timer_close(struct doca_sync_event *event);
void sync_ctx_init(struct doca_sync_event *event);
doca_error_t sync_ctx_deinit(struct doca_sync_event *event);

#endif
