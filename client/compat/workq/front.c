/*
 * Legacy contexts: contexts of the generations of work queues. See client/compat/workq/workq.h.
 * Threads: any. Each call takes the context's lock; a queue that is passed in belongs to the
 * caller's thread.
 */
#include "client/compat/workq/front.h"

#include <stdlib.h>
#include <string.h>

#include "client/base/error.h"
#include "client/compat/workq/workq.h"

struct front_dev {
	struct list node;
	struct doca_dev *dev;
};

static struct workq_front *front_of_legacy(struct ctx_legacy *legacy)
{
	return container_of(legacy, struct workq_front, legacy);
}

static bool front_is_started(const struct workq_front *front)
{
	return front->ctx->state != DOCA_CTX_STATE_IDLE;
}

static void front_tell_dev(struct workq_front *front)
{
	if (front->engine->dev_changed != NULL)
		front->engine->dev_changed(front);
}

static void front_dev_delete(struct front_dev *entry)
{
	list_remove(&entry->node);
	dev_release(entry->dev);
	free(entry);
}

static doca_error_t front_destroy(struct doca_ctx *ctx)
{
	struct workq_front *front = front_of_legacy(ctx->legacy);

	if (front_is_started(front))
		return error_set(DOCA_ERROR_IN_USE,
				 "%s destroy: the context is started; call doca_ctx_stop first",
				 front->engine->name);
	while (!list_is_empty(&front->devs))
		front_dev_delete(list_entry(front->devs.next, struct front_dev, node));
	pthread_mutex_destroy(&front->lock);
	ctx->legacy = NULL;
	free(front);
	return DOCA_SUCCESS;
}

doca_error_t workq_front_attach(struct doca_ctx *ctx, const struct workq_engine *engine,
				uint16_t api)
{
	struct workq_front *front = calloc(1, sizeof(*front));

	if (front == NULL)
		return error_set(DOCA_ERROR_NO_MEMORY, "%s create: out of memory", engine->name);
	front->legacy.api = api;
	front->legacy.destroy = front_destroy;
	front->engine = engine;
	front->ctx = ctx;
	list_init(&front->devs);
	list_init(&front->lanes);
	pthread_mutex_init(&front->lock, NULL);
	ctx->legacy = &front->legacy;
	return DOCA_SUCCESS;
}

bool workq_front_is_started(struct workq_front *front)
{
	bool is_started;

	pthread_mutex_lock(&front->lock);
	is_started = front_is_started(front);
	pthread_mutex_unlock(&front->lock);
	return is_started;
}

struct workq_front *workq_front_of(struct doca_ctx *ctx, const char *call)
{
	if (ctx->legacy != NULL)
		return front_of_legacy(ctx->legacy);
	api_refuse(call, "context", API_TASK);
	return NULL;
}

struct doca_dev *workq_front_dev(const struct workq_front *front)
{
	if (list_is_empty(&front->devs))
		return NULL;
	return list_entry(front->devs.next, struct front_dev, node)->dev;
}

static struct front_dev *front_dev_find(const struct workq_front *front, const struct doca_dev *dev)
{
	struct front_dev *entry;

	list_for_each(entry, &front->devs, node)
	{
		if (entry->dev == dev)
			return entry;
	}
	return NULL;
}

static doca_error_t front_check_stopped(const struct workq_front *front, const char *call)
{
	if (!front_is_started(front))
		return DOCA_SUCCESS;
	return error_set(DOCA_ERROR_BAD_STATE,
			 "%s: the %s context is started; devices change while it is stopped", call,
			 front->engine->name);
}

static doca_error_t front_dev_add_locked(struct workq_front *front, struct doca_dev *dev)
{
	struct front_dev *entry;
	doca_error_t result = front_check_stopped(front, "ctx dev add");

	if (result != DOCA_SUCCESS)
		return result;
	if (front_dev_find(front, dev) != NULL)
		return error_set(DOCA_ERROR_IN_USE,
				 "ctx dev add: the %s context has device %s already",
				 front->engine->name, dev->info->name);
	if (front->engine->check_dev != NULL) {
		result = front->engine->check_dev(dev->info);
		if (result != DOCA_SUCCESS)
			return result;
	}
	entry = calloc(1, sizeof(*entry));
	if (entry == NULL)
		return error_set(DOCA_ERROR_NO_MEMORY, "ctx dev add: out of memory");
	entry->dev = dev;
	dev_hold(dev);
	list_append(&front->devs, &entry->node);
	if (workq_front_dev(front) == dev)
		front_tell_dev(front);
	return DOCA_SUCCESS;
}

doca_error_t workq_front_dev_add(struct workq_front *front, struct doca_dev *dev)
{
	doca_error_t result;

	pthread_mutex_lock(&front->lock);
	result = front_dev_add_locked(front, dev);
	pthread_mutex_unlock(&front->lock);
	return result;
}

/* Checks both arguments of a call. Returns the legacy context, or NULL and *result with an error
 * sentence. */
static struct workq_front *front_check_pair(struct doca_ctx *ctx, const void *other,
					    const char *call, const char *what,
					    doca_error_t *result)
{
	if (ctx == NULL || other == NULL) {
		*result = error_set(DOCA_ERROR_INVALID_VALUE, "%s: %s is NULL", call,
				    ctx == NULL ? "ctx" : what);
		return NULL;
	}
	*result = DOCA_ERROR_BAD_STATE;
	return workq_front_of(ctx, call);
}

doca_error_t doca_ctx_dev_add(struct doca_ctx *ctx, struct doca_dev *dev)
{
	struct workq_front *front;
	doca_error_t result;

	front = front_check_pair(ctx, dev, "ctx dev add", "dev", &result);
	return front == NULL ? result : workq_front_dev_add(front, dev);
}

static doca_error_t front_dev_rm_locked(struct workq_front *front, struct doca_dev *dev)
{
	bool is_first = workq_front_dev(front) == dev;
	struct front_dev *entry;
	doca_error_t result = front_check_stopped(front, "ctx dev rm");

	if (result != DOCA_SUCCESS)
		return result;
	entry = front_dev_find(front, dev);
	if (entry == NULL)
		return error_set(DOCA_ERROR_NOT_FOUND,
				 "ctx dev rm: the %s context does not have that device",
				 front->engine->name);
	front_dev_delete(entry);
	if (is_first)
		front_tell_dev(front);
	return DOCA_SUCCESS;
}

doca_error_t doca_ctx_dev_rm(struct doca_ctx *ctx, struct doca_dev *dev)
{
	struct workq_front *front;
	doca_error_t result;

	front = front_check_pair(ctx, dev, "ctx dev rm", "dev", &result);
	if (front == NULL)
		return result;
	pthread_mutex_lock(&front->lock);
	result = front_dev_rm_locked(front, dev);
	pthread_mutex_unlock(&front->lock);
	return result;
}

static doca_error_t front_start_locked(struct workq_front *front)
{
	doca_error_t result;

	if (front_is_started(front))
		return error_set(DOCA_ERROR_BAD_STATE,
				 "ctx start: the %s context is started already",
				 front->engine->name);
	if (list_is_empty(&front->devs) && !front->engine->needs_no_dev)
		return error_set(DOCA_ERROR_INVALID_VALUE,
				 "ctx start: the %s context has no device; call doca_ctx_dev_add "
				 "first",
				 front->engine->name);
	if (front->engine->start != NULL) {
		result = front->engine->start(front);
		if (result != DOCA_SUCCESS)
			return result;
	}
	front->ctx->state = DOCA_CTX_STATE_RUNNING;
	return DOCA_SUCCESS;
}

doca_error_t compat_ctx_start(struct doca_ctx *ctx)
{
	struct workq_front *front;
	doca_error_t result;

	front = front_check_pair(ctx, ctx, "ctx start", "ctx", &result);
	if (front == NULL)
		return result;
	pthread_mutex_lock(&front->lock);
	result = front_start_locked(front);
	pthread_mutex_unlock(&front->lock);
	return result;
}

static doca_error_t front_stop_locked(struct workq_front *front)
{
	if (!list_is_empty(&front->lanes))
		return error_set(DOCA_ERROR_NOT_PERMITTED,
				 "ctx stop: work queues are added to the %s context; retrieve "
				 "their events and call doca_ctx_workq_rm first",
				 front->engine->name);
	if (front_is_started(front) && front->engine->stop != NULL)
		front->engine->stop(front);
	front->ctx->state = DOCA_CTX_STATE_IDLE;
	return DOCA_SUCCESS;
}

doca_error_t compat_ctx_stop(struct doca_ctx *ctx)
{
	struct workq_front *front;
	doca_error_t result;

	front = front_check_pair(ctx, ctx, "ctx stop", "ctx", &result);
	if (front == NULL)
		return result;
	pthread_mutex_lock(&front->lock);
	result = front_stop_locked(front);
	pthread_mutex_unlock(&front->lock);
	return result;
}

/* --- work queues of a context --- */

static void lane_delete(struct workq_lane *lane)
{
	list_remove(&lane->front_node);
	lane->engine->close(lane);
	free(lane);
}

static doca_error_t lane_start(struct workq_lane *lane)
{
	doca_error_t result;

	if (lane->engine->is_kept)
		return DOCA_SUCCESS;
	ctx_connect(lane->core, lane->workq->pe);
	result = ctx_start(lane->core);
	if (result != DOCA_ERROR_IN_PROGRESS)
		return result;
	ctx_stop(lane->core);
	return error_set(DOCA_ERROR_UNEXPECTED,
			 "ctx workq add: the %s context did not start at once", lane->engine->name);
}

static doca_error_t lane_stop(struct workq_lane *lane)
{
	return lane->engine->is_kept ? DOCA_SUCCESS : ctx_stop(lane->core);
}

/* Creates a started work-queue context that no job finds yet. */
static doca_error_t lane_new(struct workq_front *front, struct doca_workq *workq,
			     struct workq_lane **lane_out)
{
	struct workq_lane *lane;
	doca_error_t result;

	/* Aligned like the queue, because both belong to one thread. */
	if (posix_memalign((void **)&lane, 64, sizeof(*lane)) != 0)
		return error_set(DOCA_ERROR_NO_MEMORY, "ctx workq add: out of memory");
	memset(lane, 0, sizeof(*lane));
	lane->engine = front->engine;
	lane->first_type = front->engine->first_type;
	lane->n_types = (uint32_t)(front->engine->last_type - front->engine->first_type) + 1;
	lane->submit = front->engine->submit;
	lane->front = front;
	lane->ctx = front->ctx;
	lane->workq = workq;
	result = lane->engine->open(front, lane, workq->depth, &lane->core);
	if (result != DOCA_SUCCESS) {
		free(lane);
		return result;
	}
	list_append(&front->lanes, &lane->front_node);
	result = lane_start(lane);
	if (result == DOCA_SUCCESS)
		*lane_out = lane;
	else
		lane_delete(lane);
	return result;
}

static doca_error_t lane_add(struct workq_front *front, struct doca_workq *workq)
{
	struct workq_lane *lane;
	doca_error_t result = lane_new(front, workq, &lane);

	if (result != DOCA_SUCCESS)
		return result;
	result = workq_lane_insert(workq, lane);
	if (result == DOCA_SUCCESS)
		return DOCA_SUCCESS;
	lane_stop(lane);
	lane_delete(lane);
	return result;
}

static doca_error_t front_check_started(const struct workq_front *front, const char *call)
{
	if (front_is_started(front))
		return DOCA_SUCCESS;
	return error_set(DOCA_ERROR_BAD_STATE,
			 "%s: the %s context is stopped; call doca_ctx_start first", call,
			 front->engine->name);
}

static doca_error_t front_check_waitable(const struct workq_front *front,
					 const struct doca_workq *workq, const char *call)
{
	if (!workq->is_event_driven || front->engine->is_event_driven)
		return DOCA_SUCCESS;
	return error_set(DOCA_ERROR_NOT_SUPPORTED,
			 "%s: the work queue is event-driven and a %s context is not; ask "
			 "doca_ctx_get_event_driven_supported first",
			 call, front->engine->name);
}

static doca_error_t front_workq_add_locked(struct workq_front *front, struct doca_workq *workq)
{
	doca_error_t result = front_check_started(front, "ctx workq add");

	if (result != DOCA_SUCCESS)
		return result;
	if (workq_lane_find(workq, front->ctx) != NULL)
		return error_set(DOCA_ERROR_IN_USE,
				 "ctx workq add: the work queue is added to the %s context already",
				 front->engine->name);
	result = front_check_waitable(front, workq, "ctx workq add");
	return result == DOCA_SUCCESS ? lane_add(front, workq) : result;
}

doca_error_t doca_ctx_workq_add(struct doca_ctx *ctx, struct doca_workq *workq)
{
	struct workq_front *front;
	doca_error_t result;

	front = front_check_pair(ctx, workq, "ctx workq add", "workq", &result);
	if (front == NULL)
		return result;
	pthread_mutex_lock(&front->lock);
	result = front_workq_add_locked(front, workq);
	pthread_mutex_unlock(&front->lock);
	return result;
}

static doca_error_t front_workq_rm_locked(struct workq_front *front, struct doca_workq *workq)
{
	struct workq_lane *lane;
	doca_error_t result = front_check_started(front, "ctx workq rm");

	if (result != DOCA_SUCCESS)
		return result;
	lane = workq_lane_find(workq, front->ctx);
	if (lane == NULL)
		return error_set(DOCA_ERROR_NOT_FOUND,
				 "ctx workq rm: the work queue is not added to the %s context",
				 front->engine->name);
	if (ctx_n_inflight(lane->core) != 0 || lane->core->n_allocated != 0) {
		if (front->engine->leave != NULL)
			front->engine->leave(lane);
		return error_set(DOCA_ERROR_IN_USE,
				 "ctx workq rm: jobs of the %s context are in flight on the work "
				 "queue; retrieve their events first",
				 front->engine->name);
	}
	if (workq->pe->flags & PE_IN_PROGRESS)
		return error_set(DOCA_ERROR_NOT_PERMITTED,
				 "ctx workq rm: called from a callback of the work queue; do it "
				 "when doca_workq_progress_retrieve has returned");
	result = lane_stop(lane);
	if (result == DOCA_ERROR_IN_PROGRESS)
		return error_set(DOCA_ERROR_IN_USE,
				 "ctx workq rm: the %s context is being left; retrieve, and call "
				 "again",
				 front->engine->name);
	if (result != DOCA_SUCCESS)
		return result;
	workq_lane_remove(lane);
	lane_delete(lane);
	return DOCA_SUCCESS;
}

doca_error_t doca_ctx_workq_rm(struct doca_ctx *ctx, struct doca_workq *workq)
{
	struct workq_front *front;
	doca_error_t result;

	front = front_check_pair(ctx, workq, "ctx workq rm", "workq", &result);
	if (front == NULL)
		return result;
	pthread_mutex_lock(&front->lock);
	result = front_workq_rm_locked(front, workq);
	pthread_mutex_unlock(&front->lock);
	return result;
}

/* --- work-queue contexts other than those of jobs --- */

doca_error_t workq_lane_open(struct doca_ctx *ctx, struct doca_workq *workq, const char *call,
			     struct workq_lane **lane_out)
{
	struct workq_front *front = workq_front_of(ctx, call);
	doca_error_t result;

	if (front == NULL)
		return DOCA_ERROR_BAD_STATE;
	pthread_mutex_lock(&front->lock);
	result = front_check_started(front, call);
	if (result == DOCA_SUCCESS)
		result = front_check_waitable(front, workq, call);
	if (result == DOCA_SUCCESS)
		result = lane_new(front, workq, lane_out);
	pthread_mutex_unlock(&front->lock);
	return result;
}

void workq_lane_close(struct workq_lane *lane)
{
	struct workq_front *front = lane->front;

	pthread_mutex_lock(&front->lock);
	lane_stop(lane);
	lane_delete(lane);
	pthread_mutex_unlock(&front->lock);
}

/* --- capabilities of contexts --- */

doca_error_t doca_ctx_get_event_driven_supported(struct doca_ctx *ctx, uint8_t *event_supported)
{
	struct workq_front *front;
	doca_error_t result;

	front = front_check_pair(ctx, event_supported, "ctx event-driven", "the result", &result);
	if (front == NULL)
		return result;
	*event_supported = front->engine->is_event_driven;
	return DOCA_SUCCESS;
}

doca_error_t doca_ctx_get_max_num_ctx(uint32_t *max_num_ctx)
{
	if (max_num_ctx == NULL)
		return error_set(DOCA_ERROR_INVALID_VALUE, "ctx max num: the result is NULL");
	*max_num_ctx = WORKQ_MAX_CTXS;
	return DOCA_SUCCESS;
}
