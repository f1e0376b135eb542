/*
 * Work queues: jobs and events over the progress engine and tasks.
 *
 * A context of these generations is a front: it keeps devices and state, and is never connected to
 * a progress engine. Adding a work queue to it opens a *lane*: a core context of the same library
 * object kind, connected to the work queue's own progress engine and started, with one task per job
 * that the queue may have in flight. Submitting a job takes a task of the lane, fills it from the
 * job and submits it; the task's callback ends the job with workq_complete, which puts the event
 * into the queue's ring, and frees the task. Nothing is allocated between adding a queue and
 * removing it.
 *
 * A failed job must end nothing else, because nobody could be told: pools of lanes do not have
 * fails_ctx.
 *
 * Threads: front calls lock the front; a lane belongs to the thread of its work queue.
 */
#ifndef CLIENT_COMPAT_WORKQ_WORKQ_H
#define CLIENT_COMPAT_WORKQ_WORKQ_H

#include <pthread.h>

#include <doca_ctx.h>
#include <doca_ctx_workq.h>

#include "client/progress/ctx.h"

/* Contexts that one work queue can be added to. */
#define WORKQ_MAX_CTXS 512u

struct workq_front;
struct workq_lane;

/* What a library (dma, sha, ...) adds to fronts and lanes. */
struct workq_engine {
	const char *name; /* "dma" */
	int first_type;   /* job types first_type <= type <= last_type are its own */
	int last_type;
	bool is_event_driven;
	bool needs_no_dev; /* its contexts start without a device */
	/*
	 * Its core context lives as long as the front is started: open gives it running and
	 * connected to the queue, close takes it away.
	 */
	bool is_kept;
	/* May the device be added; SUCCESS, or NOT_SUPPORTED with a sentence. NULL: any. */
	doca_error_t (*check_dev)(const struct doca_devinfo *devinfo);
	/* The first device of the front is another one, or none. NULL: nobody wants to know. */
	void (*dev_changed)(struct workq_front *front);
	/*
	 * The front, which has a device if it needs one, starts; SUCCESS, or its refusal with a
	 * sentence. And it stops, having no lanes. Both under the front's lock, both may be NULL.
	 */
	doca_error_t (*start)(struct workq_front *front);
	void (*stop)(struct workq_front *front);
	/*
	 * Makes and configures what serves one work queue, with n_tasks tasks; *core receives its
	 * context, which the caller connects and starts. lane->state is the engine's own.
	 */
	doca_error_t (*open)(struct workq_front *front, struct workq_lane *lane, uint32_t n_tasks,
			     struct doca_ctx **core);
	/* The core context is idle, or kept; destroys it and lane->state. */
	void (*close)(struct workq_lane *lane);
	/*
	 * The queue is about to leave with jobs in flight, which is refused: those that wait for
	 * others, and perhaps for ever, may be ended, so that a later try succeeds. NULL: there are
	 * none.
	 */
	void (*leave)(struct workq_lane *lane);
	/*
	 * A job of its own, checked for context, type, flags and room in the queue. SUCCESS:
	 * exactly one workq_complete will follow, perhaps from within. Else the job was not taken.
	 */
	doca_error_t (*submit)(struct workq_lane *lane, const struct doca_job *job);
	/*
	 * For graphs: a task of the lane, filled from a checked job, that is not submitted and
	 * whose callbacks will not be those of the lane; and what the event of it says, once, when
	 * it completed or was refused: type, user data, result. NULL: no job of this library can
	 * be a node.
	 */
	doca_error_t (*prepare)(struct workq_lane *lane, const struct doca_job *job,
				struct doca_task **task_out);
	void (*report)(const struct doca_task *task, struct doca_event *event_out);
};

struct workq_lane {
	const struct doca_ctx *ctx; /* of the front: what jobs name */
	/* Of the engine, near at hand. */
	int first_type;
	uint32_t n_types;
	doca_error_t (*submit)(struct workq_lane *lane, const struct doca_job *job);
	const struct workq_engine *engine;
	struct doca_workq *workq;
	void *state; /* the engine's own, between open and close */
	struct workq_front *front;
	struct doca_ctx *core;
	struct list front_node;
	struct list workq_node;
};
_Static_assert(offsetof(struct workq_lane, front_node) <= 64, "what jobs need is one cache line");

/* Attached to a core library object; ctx->legacy points to it. Its ctx is IDLE, or RUNNING. */
struct workq_front {
	struct ctx_legacy legacy;
	const struct workq_engine *engine;
	struct doca_ctx *ctx; /* of the object that the program has */
	struct list devs;
	struct list lanes;
	pthread_mutex_t lock;
};

struct workq_slot {
	struct doca_event event;
	doca_error_t status;
	bool has_record; /* in workq->records, at the same index */
};

struct doca_workq {
	struct workq_lane *recent; /* of the last job, or one that is nobody's */
	uint32_t n_jobs;           /* submitted, event not retrieved */
	uint32_t depth;
	struct doca_pe *pe;
	struct doca_event *out; /* while progress_retrieve waits for one: where the next goes */
	doca_error_t status;    /* of the event that went there */
	uint32_t head, tail, mask;
	struct workq_slot *ring; /* events that came when nobody waited for one */
	/*
	 * Of jobs whose result is a record that the event's result.ptr of the program gets: room
	 * for one per slot of the ring. NULL: no such context was added yet.
	 */
	uint8_t *records;
	uint16_t api;
	bool is_event_driven;
	struct workq_lane **table; /* lanes by context, open addressing, at least half empty */
	uint32_t table_mask;
	uint32_t n_lanes;
	struct list lanes;
};
_Static_assert(offsetof(struct doca_workq, records) <= 64,
	       "what jobs and their events need is one cache line");

/*
 * Turns the context of a new core library object, made without a device, into a front of version
 * api. NO_MEMORY with a sentence. It is given back when the object is destroyed (ctx_deinit).
 */
doca_error_t workq_front_attach(struct doca_ctx *ctx, const struct workq_engine *engine,
				uint16_t api);
/* Is the context started? For who does not hold its lock. */
bool workq_front_is_started(struct workq_front *front);
/* The front of a context, or NULL with BAD_STATE and a sentence recorded for `call`. */
struct workq_front *workq_front_of(struct doca_ctx *ctx, const char *call);
/* As doca_ctx_dev_add, for objects that get their device otherwise. */
doca_error_t workq_front_dev_add(struct workq_front *front, struct doca_dev *dev);
/* First device of a front; NULL if it has none. */
struct doca_dev *workq_front_dev(const struct workq_front *front);
/* Records of results have that many bytes. Room for them; NO_MEMORY with a sentence. */
#define WORKQ_RECORD_LEN 32u
doca_error_t workq_make_records(struct doca_workq *workq);
/* The lane of a context on a work queue; NULL if the queue is not added to it. */
struct workq_lane *workq_lane_find(struct doca_workq *workq, const struct doca_ctx *ctx);
/*
 * A lane beside that of the context's jobs, which no job finds and which keeps the context started:
 * for graphs. Idle when it is closed. Errors come with a sentence that begins with `call`.
 */
doca_error_t workq_lane_open(struct doca_ctx *ctx, struct doca_workq *workq, const char *call,
			     struct workq_lane **lane_out);
void workq_lane_close(struct workq_lane *lane);
/* Adds to and takes from the lanes of a queue. NO_MEMORY with a sentence. */
doca_error_t workq_lane_insert(struct doca_workq *workq, struct workq_lane *lane);
void workq_lane_remove(struct workq_lane *lane);
/* SUCCESS if an engine may look into the job; else the answer of doca_workq_submit. */
doca_error_t workq_check_job(const struct workq_lane *lane, const struct doca_job *job);

/* Does the queue's data path follow the rule before 2.2, by which output overwrites? */
static inline bool workq_overwrites(const struct doca_workq *workq)
{
	return workq->api < API_2_2;
}

/* Progress engine of a queue, for what hangs on it besides contexts (graphs). */
static inline struct doca_pe *workq_pe(const struct doca_workq *workq)
{
	return workq->pe;
}

/* Is there room for one more job? Who takes it without a lane (graphs) counts it in n_jobs. */
static inline bool workq_has_room(const struct doca_workq *workq)
{
	return workq->n_jobs < workq->depth;
}

/*
 * Ends a job: its event is with the caller of progress_retrieve, or in the queue's ring, when this
 * returns. With status other than SUCCESS progress_retrieve answers IO_FAILED. Called once for each
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

/* The same, with a record of WORKQ_RECORD_LEN bytes for where the program's event points to. */
void workq_post_record(struct doca_workq *workq, int type, union doca_data user_data,
		       const void *record, doca_error_t status);

static inline void workq_complete(struct workq_lane *lane, int type, union doca_data user_data,
				  union doca_data result, doca_error_t status)
{
	workq_post(lane->workq, type, user_data, result, status);
}

#endif
