/*
 * Work queues: jobs and events, implemented with the progress engine and tasks.
 *
 * A context of these generations is a *legacy context*: it has devices and a state, and is never
 * connected to a progress engine. Adding a work queue to it opens a *work-queue context*: an
 * internal context of the same kind, started and connected to the work queue's own progress engine,
 * with one task per job that the queue may have in flight. Submitting a job takes a task, fills it
 * from the job and submits it. The task's callback ends the job with workq_complete(), which puts
 * the event into the queue's ring, and frees the task. Nothing is allocated between adding a queue
 * and removing it.
 *
 * A failed job must not stop the context, because that could not be reported; therefore the task
 * pools do not have fails_ctx set.
 *
 * Threads: calls on a legacy context take its lock; a work-queue context belongs to the thread of
 * its work queue.
 */
#ifndef CLIENT_COMPAT_WORKQ_WORKQ_H
#define CLIENT_COMPAT_WORKQ_WORKQ_H

#include <pthread.h>

#include <doca_ctx.h>
#include <dococ/ctx_workq.h>

#include "client/progress/ctx.h"

/* The most contexts that one work queue can be added to. */
#define WORKQ_MAX_CTXS 512u

struct legacy_ctx;
struct workq_ctx;

/* The functions of a library (dma, sha, ...) for legacy contexts and work-queue contexts. */
struct workq_engine {
	const char *name; /* "dma" */
	int first_type;   /* the library's job types: first_type <= type <= last_type */
	int last_type;
	bool is_event_driven;
	bool needs_no_dev; /* its contexts start without a device */
	/* The internal context exists as long as the legacy context is started: open returns it
	 * running and connected to the queue, and close removes it. */
	bool is_kept;
	/* Checks whether the device may be added. Returns SUCCESS, or NOT_SUPPORTED with an error
	 * sentence. NULL: any device may. */
	doca_error_t (*check_dev)(const struct doca_devinfo *devinfo);
	/* Called when the first device of the legacy context has changed. May be NULL. */
	void (*dev_changed)(struct legacy_ctx *legacy_ctx);
	/*
	 * Called when the legacy context starts, with a device if it needs one, and when it stops,
	 * without work-queue contexts. A refusal to start comes with an error sentence. Both run
	 * with the context's lock held, and both may be NULL.
	 */
	doca_error_t (*start)(struct legacy_ctx *legacy_ctx);
	void (*stop)(struct legacy_ctx *legacy_ctx);
	/*
	 * Creates and configures what serves one work queue, with n_tasks tasks. *core receives its
	 * context, which the caller connects and starts. The member `state` belongs to the library.
	 */
	doca_error_t (*open)(struct legacy_ctx *legacy_ctx, struct workq_ctx *workq_ctx,
			     uint32_t n_tasks, struct doca_ctx **core);
	/* Destroys the internal context, which is idle or kept, and the member `state`. */
	void (*close)(struct workq_ctx *workq_ctx);
	/*
	 * Called when the removal of a queue is refused because jobs are in flight. Jobs that wait
	 * for others, perhaps forever, may be ended, so that a later removal succeeds. NULL: there
	 * are no such jobs.
	 */
	void (*end_waiting)(struct workq_ctx *workq_ctx);
	/*
	 * Submits a job whose context, type, flags and room in the queue were checked. On SUCCESS
	 * exactly one workq_complete() follows, perhaps before this returns. Otherwise the job was
	 * not accepted.
	 */
	doca_error_t (*submit)(struct workq_ctx *workq_ctx, const struct doca_job *job);
	/*
	 * For graphs. `prepare` fills a task from a checked job, without submitting it; the caller
	 * replaces the task's callbacks. `report` returns type, user data and result of its event,
	 * called once when the task has completed or was refused. NULL: jobs of this library cannot
	 * be nodes.
	 */
	doca_error_t (*prepare)(struct workq_ctx *workq_ctx, const struct doca_job *job,
				struct doca_task **task_out);
	void (*report)(const struct doca_task *task, struct doca_event *event_out);
};

struct workq_ctx {
	const struct doca_ctx *ctx; /* the context that jobs name */
	/* Copies of the engine's members, for fast access. */
	int first_type;
	uint32_t n_types;
	doca_error_t (*submit)(struct workq_ctx *workq_ctx, const struct doca_job *job);
	const struct workq_engine *engine;
	struct doca_workq *workq;
	void *state; /* the library's, between open and close */
	struct legacy_ctx *legacy_ctx;
	struct doca_ctx *core;
	struct list legacy_node;
	struct list workq_node;
};
_Static_assert(offsetof(struct workq_ctx, legacy_node) <= 64, "what jobs need is one cache line");

/* Attached to a library object; ctx->legacy points to it. Its context is IDLE or RUNNING. */
struct legacy_ctx {
	struct ctx_legacy legacy;
	const struct workq_engine *engine;
	struct doca_ctx *ctx; /* the context of the program's object */
	struct list devs;
	struct list workq_ctxs;
	pthread_mutex_t lock;
};

struct workq_slot {
	struct doca_event event;
	doca_error_t status;
	bool has_record; /* the record is in workq->records, at the same index */
};

struct doca_workq {
	struct workq_ctx *recent; /* the one of the last job; initially one that no job finds */
	uint32_t n_jobs;          /* jobs submitted whose events were not retrieved */
	uint32_t depth;
	struct doca_pe *pe;
	/* the place where progress_retrieve wants the next event; NULL: it does not wait */
	struct doca_event *out;
	doca_error_t status; /* the status of the event that was stored there */
	uint32_t head, tail, mask;
	struct workq_slot *ring; /* events that occurred while nothing waited for one */
	/* For jobs whose result is a record that is copied to the result.ptr of the program's
	 * event: one record per slot of the ring. NULL: no such context was added yet. */
	uint8_t *records;
	uint16_t api;
	bool is_event_driven;
	/* work-queue contexts by context, open addressing, at least half empty. */
	struct workq_ctx **table;
	uint32_t table_mask;
	uint32_t n_workq_ctxs;
	struct list workq_ctxs;
};
_Static_assert(offsetof(struct doca_workq, records) <= 64,
	       "what jobs and their events need is one cache line");

/*
 * Turns the context of a new library object, created without a device, into a legacy context of
 * version api. Returns NO_MEMORY with an error sentence. Destroying the object frees it
 * (ctx_deinit).
 */
doca_error_t legacy_ctx_attach(struct doca_ctx *ctx, const struct workq_engine *engine,
			       uint16_t api);
/* Returns whether the context is started, for callers that do not hold its lock. */
bool legacy_ctx_is_started(struct legacy_ctx *legacy_ctx);
/* Returns the legacy context of a context. Otherwise returns NULL and records an error sentence for
 * `call`; the code is BAD_STATE. */
struct legacy_ctx *legacy_ctx_of(struct doca_ctx *ctx, const char *call);
/* Like doca_ctx_dev_add(), for objects that receive their device by another call. */
doca_error_t legacy_ctx_dev_add(struct legacy_ctx *legacy_ctx, struct doca_dev *dev);
/* Returns the first device of a legacy context, or NULL if it has none. */
struct doca_dev *legacy_ctx_dev(const struct legacy_ctx *legacy_ctx);
/* The length of a result's record. The function allocates the records; it returns NO_MEMORY with an
 * error sentence. */
#define WORKQ_RECORD_LEN 32u
doca_error_t workq_make_records(struct doca_workq *workq);
/* Returns the work-queue context of a context, or NULL if the queue is not added to it. */
struct workq_ctx *workq_ctx_find(struct doca_workq *workq, const struct doca_ctx *ctx);
/*
 * Opens an additional work-queue context, for graphs. No job finds it, and it keeps the context
 * started. It must be idle when it is closed. Errors come with a sentence that begins with `call`.
 */
doca_error_t workq_ctx_open(struct doca_ctx *ctx, struct doca_workq *workq, const char *call,
			    struct workq_ctx **workq_ctx_out);
void workq_ctx_close(struct workq_ctx *workq_ctx);
/* Add a work-queue context to a queue and remove it. Adding returns NO_MEMORY with an error
 * sentence. */
doca_error_t workq_ctx_insert(struct doca_workq *workq, struct workq_ctx *workq_ctx);
void workq_ctx_remove(struct workq_ctx *workq_ctx);
/* Returns SUCCESS if a library may read the job; otherwise the result of doca_workq_submit(). */
doca_error_t workq_check_job(const struct workq_ctx *workq_ctx, const struct doca_job *job);

/* Returns whether the queue follows the rule before 2.2, by which output overwrites existing
 * data. */
static inline bool workq_overwrites(const struct doca_workq *workq)
{
	return workq->api < API_2_2;
}

/* Returns the queue's progress engine, for users other than contexts (graphs). */
static inline struct doca_pe *workq_pe(const struct doca_workq *workq)
{
	return workq->pe;
}

/* Returns whether there is room for one more job. A caller that adds a job without a work-queue
 * context (graphs) counts it in n_jobs. */
static inline bool workq_has_room(const struct doca_workq *workq)
{
	return workq->n_jobs < workq->depth;
}

/*
 * Ends a job. When this returns, its event is with the caller of progress_retrieve or in the
 * queue's ring. If status is not SUCCESS, progress_retrieve returns IO_FAILED. Called once for each
 * job that was counted.
 */
static inline void workq_post(struct doca_workq *workq, int type, union doca_data user_data,
			      union doca_data result, doca_error_t status)
{
	struct doca_event *event = workq->out;

	if (likely(event != NULL)) {
		workq->out = NULL;
		workq->status = status;
	} else {
		struct workq_slot *slot = &workq->ring[workq->tail++ & workq->mask];

		slot->status = status;
		slot->has_record = false;
		event = &slot->event;
	}
	event->type = type;
	event->user_data = user_data;
	event->result = result;
}

/* Like workq_post(), with a record of WORKQ_RECORD_LEN bytes that is copied to the place the
 * program's event points to. */
void workq_post_record(struct doca_workq *workq, int type, union doca_data user_data,
		       const void *record, doca_error_t status);

static inline void workq_complete(struct workq_ctx *workq_ctx, int type, union doca_data user_data,
				  union doca_data result, doca_error_t status)
{
	workq_post(workq_ctx->workq, type, user_data, result, status);
}

#endif
