/*
 * Sync event: a 64-bit counter that many set, add to and wait for. The counter has a cache line of
 * its own; beside it, elsewhere, are the words by which waiters sleep (struct sync_words). The data
 * path works on a `cell` (client/memory/sync_cell.h), which points at both, wherever they lie:
 * memory of this process, two memfds that importers share, or the user's own memory for the
 * counter.
 *
 * sync_event.c: objects, configuration, life cycle; sync_wait.c: the synchronous calls, waiting;
 * sync_task.c and sync_task_api.c: the context and its tasks; sync_export.c: exports and imports;
 * sync_far.c: imports that are reached by requests, whose cell has no more than the liveness word.
 *
 * Threads: an event belongs to one thread at a time. Cells of one counter may be used by as many
 * threads and processes as there are events on it.
 *
 * Whatever the words say was perhaps written by a hostile process. It can cost wake-ups too many,
 * one each millisecond, or a late one: of a _yield wait by 200 ms, of a program that sleeps in
 * epoll by a second. The latter has a timer set while it sleeps, but only once three processes or
 * more take part: of two, the other is the one that is waited for, and nothing need run. An
 * exporter is trusted with its own event: it can set the counter as it likes, end the event, and
 * say that there is no crowd.
 */
#ifndef CLIENT_SYNC_EVENT_SYNC_EVENT_H
#define CLIENT_SYNC_EVENT_SYNC_EVENT_H

#include <stdatomic.h>
#include <time.h>

#include <doca_sync_event.h>

#include "client/memory/sync_cell.h"
#include "client/progress/ctx.h"
#include "client/rma/provider.h"

/* --- imports --- */

doca_error_t sync_import_open(const char *what, struct doca_dev *dev, const uint8_t *data,
			      size_t len, Dococore__ExportKind kind,
			      struct sync_import *import_out);
void sync_import_close(struct sync_import *import);

/* --- event --- */

enum sync_place { SYNC_NOWHERE, SYNC_CPU, SYNC_REMOTE_PCI, SYNC_REMOTE_NET };

struct sync_location {
	enum sync_place place;
	struct doca_dev *dev; /* of SYNC_CPU, held */
};

enum sync_state {
	SYNC_NEW,
	SYNC_STARTED,     /* doca_sync_event_start */
	SYNC_STARTED_CTX, /* doca_ctx_start */
	SYNC_OVER,        /* stopped, for good */
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
	uint64_t value; /* to set, to add, to wait for */
	uint64_t mask;
	uint64_t *where; /* the result of get and add */
	struct list node;
	enum rdma_op op;     /* of one that is far */
	enum sync_cond cond; /* of a wait; in a graph the pool's address does not tell */
};

#define SYNC_CAN_READ   1u
#define SYNC_CAN_WRITE  2u
#define SYNC_CAN_VANISH 4u /* an import: look at its liveness word */

struct doca_sync_event {
	struct sync_cell cell;
	uint32_t can; /* SYNC_CAN_*, of synchronous calls, now */
	/* Tasks. */
	uint64_t seen;     /* counter at the last walk over held waits */
	uint32_t n_idle;   /* polls that found nothing */
	bool is_walk_due;  /* a wait came that was not looked at with `seen` */
	struct list held;  /* waits that are not fulfilled */
	struct list ready; /* that are, or failed */
	struct doca_ctx ctx;
	struct task_pool pools[SYNC_N_TASK_KINDS];
	int bell;    /* the eventfd, under a number of our own, in the engine's epoll */
	int timerfd; /* has a sleeper look again: memory of the user, a crowd; -1: none */
	bool is_timed;
	struct sync_far *far; /* NULL: the cell is the counter */
	/* Cold. */
	enum sync_state state;
	struct sync_location publisher, subscriber;
	uint64_t *user;       /* the user's counter, or NULL */
	int user_fd;          /* the memfd behind it, as far as known at set_doca_buf */
	uint64_t user_offset; /* of the counter in it */
	uint32_t user_permissions;
	bool has_buf;
	bool is_imported;
	const struct doca_sync_event *of; /* whose counter this is a context over, or NULL */
	struct sync_memory memory;
	struct sync_import import;
	struct list exports;
};

struct sync_export {
	struct export base;
	struct doca_sync_event *event;
	/* The event's, by a mapping of our own, for a counter in the user's memory. */
	struct sync_cell served;
	void *served_map;
	struct list node; /* event->exports */
};

/*
 * Events, without and with what they are imported from, and their end. api: version that the
 * program is written for (client/base/generation.h); what else it needs is attached to the context.
 */
doca_error_t sync_event_make(struct doca_sync_event **event_out);
doca_error_t sync_event_import(struct doca_dev *dev, const uint8_t *data, size_t sz,
			       struct doca_sync_event **event_out);
/* IN_USE, with a sentence, unless the context is idle. */
doca_error_t sync_event_delete(struct doca_sync_event *event);
/*
 * Another context over the counter of an event that is started as a context, for another progress
 * engine; NULL without memory. `of` must stay started until it is destroyed.
 */
struct doca_sync_event *sync_event_over(const struct doca_sync_event *of);
/* BAD_STATE unless a program of version api made the event. */
doca_error_t sync_event_check_api(const struct doca_sync_event *event, uint16_t api,
				  const char *call);
/* place SYNC_CPU has a device. */
doca_error_t sync_event_locate(struct doca_sync_event *event, bool is_publisher,
			       enum sync_place place, struct doca_dev *dev, uint16_t api);
/* Arguments are there. */
doca_error_t sync_event_export(struct doca_sync_event *event, struct doca_dev *dev,
			       Dococore__ExportKind kind, const uint8_t **data_out, size_t *sz_out);

/* Capabilities by what they are called in sentences; the answer is the code. */
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
/* NOT_SUPPORTED, once the arguments are there: no DPA, no GPU. */
doca_error_t sync_unsupported(bool has_arguments, const char *what);
/* The same of an event, which must be of that version. */
doca_error_t sync_unsupported_of(const struct doca_sync_event *event, uint16_t api,
				 bool has_arguments, const char *what);

/* Tasks of a kind. */
doca_error_t sync_pool_conf(struct doca_sync_event *event, enum sync_task_kind kind,
			    doca_task_completion_cb_t ok_cb, doca_task_completion_cb_t err_cb,
			    uint32_t n_tasks);
doca_error_t sync_pool_alloc(struct doca_sync_event *event, enum sync_task_kind kind,
			     const struct sync_task *init, union doca_data user_data,
			     void *task_out);

void sync_exports_close(struct doca_sync_event *event);
/* Both kinds of start: configuration is complete, memory is there. */
doca_error_t sync_event_open(struct doca_sync_event *event, const char *what, bool is_watched);
void sync_event_close(struct doca_sync_event *event);

/* A device of the event, or NULL while it has none. */
const struct doca_dev *sync_event_dev(const struct doca_sync_event *event);
/* The sentence for an importer that may only read the counter. */
extern const char sync_is_read_only[];
/* The checks of a task, with a sentence. */
doca_error_t sync_task_check(const struct doca_task *task, bool writes, bool needs_where);
doca_error_t sync_pools_check(const struct doca_sync_event *event, const struct doca_dev *dev);
/* Has a sleeper wake and look; 0: not any more. Opening: 0 or -errno. */
int sync_timer_open(struct doca_sync_event *event);
void sync_timer_set(struct doca_sync_event *event, uint64_t ns);
void sync_timer_close(struct doca_sync_event *event);
void sync_ctx_init(struct doca_sync_event *event);
doca_error_t sync_ctx_deinit(struct doca_sync_event *event);

#endif
