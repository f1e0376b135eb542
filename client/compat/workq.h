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
 * Threads: front calls lock the front; a lane belongs to the thread of its work queue.
 */
#ifndef CLIENT_COMPAT_WORKQ_H
#define CLIENT_COMPAT_WORKQ_H

#include <pthread.h>

#include <doca_ctx.h>
#include <doca_ctx_workq.h>

#include "client/core/ctx.h"

struct workq_front;
struct workq_lane;

/* What a library (dma, sha, ...) adds to fronts and lanes. */
struct workq_engine {
	const char *name; /* "dma" */
	int first_type;   /* job types first_type <= type <= last_type are its own */
	int last_type;
	bool is_event_driven;
	/* May the device be added; SUCCESS, or NOT_SUPPORTED with a sentence. NULL: any. */
	doca_error_t (*check_dev)(const struct doca_devinfo *devinfo);
	/*
	 * Makes and configures what serves one work queue, with n_tasks tasks; *core receives its
	 * context, which the caller connects and starts. lane->state is the engine's own.
	 */
	doca_error_t (*open)(struct workq_front *front, struct workq_lane *lane, uint32_t n_tasks,
			     struct doca_ctx **core);
	/* The core context is idle; destroys it and lane->state. */
	void (*close)(struct workq_lane *lane);
	/*
	 * A job of its own, checked for context, flags and room in the queue. SUCCESS: exactly one
	 * workq_complete will follow, perhaps from within. Else the job was not taken.
	 */
	doca_error_t (*submit)(struct workq_lane *lane, const struct doca_job *job);
};

struct workq_lane {
	const struct workq_engine *engine;
	struct workq_front *front;
	struct doca_workq *workq;
	struct doca_ctx *core;
	void *state;     /* the engine's own, between open and close */
	uint32_t n_jobs; /* submitted, event not retrieved */
	struct list front_node;
	struct list workq_node;
};

/* Attached to a core library object; ctx->legacy points to it. */
struct workq_front {
	struct ctx_legacy legacy;
	const struct workq_engine *engine;
	struct doca_ctx *ctx; /* of the object that the program has */
	struct list devs;
	struct list lanes;
	bool is_started;
	pthread_mutex_t lock;
};

/*
 * Turns the context of a new core library object, made without a device, into a front of version
 * api. NO_MEMORY with a sentence. It is given back when the object is destroyed (ctx_deinit).
 */
doca_error_t workq_front_attach(struct doca_ctx *ctx, const struct workq_engine *engine,
				uint16_t api);
/* The front of a context, or NULL with BAD_STATE and a sentence recorded for `call`. */
struct workq_front *workq_front_of(struct doca_ctx *ctx, const char *call);
/* First device of a started front. */
struct doca_dev *workq_front_dev(const struct workq_front *front);
/* The lane of a context on a work queue; NULL if the queue is not added to it. */
struct workq_lane *workq_lane_find(struct doca_workq *workq, const struct doca_ctx *ctx);
/* Does the queue's data path follow the rule before 2.2, by which output overwrites? */
bool workq_overwrites(const struct doca_workq *workq);
/* Progress engine of a queue, for what hangs on it besides contexts (graphs). */
struct doca_pe *workq_pe(struct doca_workq *workq);

/*
 * Ends a job: its event is in the queue's ring when this returns. With status other than SUCCESS
 * progress_retrieve answers IO_FAILED. Called once for each job that submit took.
 */
void workq_complete(struct workq_lane *lane, int type, union doca_data user_data,
		    union doca_data result, doca_error_t status);

#endif
