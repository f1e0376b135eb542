/*
 * Legacy contexts: contexts of the generations of work queues. See client/compat/workq/workq.h.
 * Threads: any. Each call takes the context's lock; a queue that is passed in belongs to the
 * caller's thread.
 */
#include "client/compat/workq/functions.h"

#include <stdlib.h>
#include <string.h>

#include "client/base/error.h"
#include "client/compat/workq/workq.h"

struct legacy_dev {
	struct list node;
	struct doca_dev *dev;
};

static struct legacy_ctx *legacy_ctx_of_base(struct ctx_legacy *legacy)
{
	return container_of(legacy, struct legacy_ctx, legacy);
}

static bool legacy_is_started(const struct legacy_ctx *legacy_ctx)
{
	return legacy_ctx->ctx->state != DOCA_CTX_STATE_IDLE;
}

static void legacy_notify_dev(struct legacy_ctx *legacy_ctx)
{
	if (legacy_ctx->engine->dev_changed != NULL)
		legacy_ctx->engine->dev_changed(legacy_ctx);
}

static void legacy_dev_delete(struct legacy_dev *entry)
{
	list_remove(&entry->node);
	dev_release(entry->dev);
	free(entry);
}

static doca_error_t legacy_destroy(struct doca_ctx *ctx)
{
	struct legacy_ctx *legacy_ctx = legacy_ctx_of_base(ctx->legacy);

	if (legacy_is_started(legacy_ctx))
		return error_set(DOCA_ERROR_IN_USE,
				 "%s destroy: the context is started; call doca_ctx_stop first",
				 legacy_ctx->engine->name);
	while (!list_is_empty(&legacy_ctx->devs))
		legacy_dev_delete(list_entry(legacy_ctx->devs.next, struct legacy_dev, node));
	pthread_mutex_destroy(&legacy_ctx->lock);
	ctx->legacy = NULL;
	free(legacy_ctx);
	return DOCA_SUCCESS;
}

doca_error_t legacy_ctx_attach(struct doca_ctx *ctx, const struct workq_engine *engine,
			       uint16_t api)
{
	struct legacy_ctx *legacy_ctx = calloc(1, sizeof(*legacy_ctx));

	if (legacy_ctx == NULL)
		return error_set(DOCA_ERROR_NO_MEMORY, "%s create: out of memory", engine->name);
	legacy_ctx->legacy.api = api;
	legacy_ctx->legacy.destroy = legacy_destroy;
	legacy_ctx->engine = engine;
	legacy_ctx->ctx = ctx;
	list_init(&legacy_ctx->devs);
	list_init(&legacy_ctx->workq_ctxs);
	pthread_mutex_init(&legacy_ctx->lock, NULL);
	ctx->legacy = &legacy_ctx->legacy;
	return DOCA_SUCCESS;
}

bool legacy_ctx_is_started(struct legacy_ctx *legacy_ctx)
{
	bool is_started;

	pthread_mutex_lock(&legacy_ctx->lock);
	is_started = legacy_is_started(legacy_ctx);
	pthread_mutex_unlock(&legacy_ctx->lock);
	return is_started;
}

struct legacy_ctx *legacy_ctx_of(struct doca_ctx *ctx, const char *call)
{
	if (ctx->legacy != NULL)
		return legacy_ctx_of_base(ctx->legacy);
	api_refuse(call, "context", API_TASK);
	return NULL;
}

struct doca_dev *legacy_ctx_dev(const struct legacy_ctx *legacy_ctx)
{
	if (list_is_empty(&legacy_ctx->devs))
		return NULL;
	return list_entry(legacy_ctx->devs.next, struct legacy_dev, node)->dev;
}

static struct legacy_dev *legacy_dev_find(const struct legacy_ctx *legacy_ctx,
					  const struct doca_dev *dev)
{
	struct legacy_dev *entry;

	list_for_each(entry, &legacy_ctx->devs, node)
	{
		if (entry->dev == dev)
			return entry;
	}
	return NULL;
}

static doca_error_t legacy_check_stopped(const struct legacy_ctx *legacy_ctx, const char *call)
{
	if (!legacy_is_started(legacy_ctx))
		return DOCA_SUCCESS;
	return error_set(DOCA_ERROR_BAD_STATE,
			 "%s: the %s context is started; devices change while it is stopped", call,
			 legacy_ctx->engine->name);
}

static doca_error_t legacy_dev_add_locked(struct legacy_ctx *legacy_ctx, struct doca_dev *dev)
{
	struct legacy_dev *entry;
	doca_error_t result = legacy_check_stopped(legacy_ctx, "ctx dev add");

	if (result != DOCA_SUCCESS)
		return result;
	if (legacy_dev_find(legacy_ctx, dev) != NULL)
		return error_set(DOCA_ERROR_IN_USE,
				 "ctx dev add: the %s context has device %s already",
				 legacy_ctx->engine->name, dev->info->name);
	if (legacy_ctx->engine->check_dev != NULL) {
		result = legacy_ctx->engine->check_dev(dev->info);
		if (result != DOCA_SUCCESS)
			return result;
	}
	entry = calloc(1, sizeof(*entry));
	if (entry == NULL)
		return error_set(DOCA_ERROR_NO_MEMORY, "ctx dev add: out of memory");
	entry->dev = dev;
	dev_hold(dev);
	list_append(&legacy_ctx->devs, &entry->node);
	if (legacy_ctx_dev(legacy_ctx) == dev)
		legacy_notify_dev(legacy_ctx);
	return DOCA_SUCCESS;
}

doca_error_t legacy_ctx_dev_add(struct legacy_ctx *legacy_ctx, struct doca_dev *dev)
{
	doca_error_t result;

	pthread_mutex_lock(&legacy_ctx->lock);
	result = legacy_dev_add_locked(legacy_ctx, dev);
	pthread_mutex_unlock(&legacy_ctx->lock);
	return result;
}

/* Checks both arguments of a call. Returns the legacy context, or NULL and *result with an error
 * sentence. */
static struct legacy_ctx *legacy_check_pair(struct doca_ctx *ctx, const void *other,
					    const char *call, const char *what,
					    doca_error_t *result)
{
	if (ctx == NULL || other == NULL) {
		*result = error_set(DOCA_ERROR_INVALID_VALUE, "%s: %s is NULL", call,
				    ctx == NULL ? "ctx" : what);
		return NULL;
	}
	*result = DOCA_ERROR_BAD_STATE;
	return legacy_ctx_of(ctx, call);
}

doca_error_t doca_ctx_dev_add(struct doca_ctx *ctx, struct doca_dev *dev)
{
	struct legacy_ctx *legacy_ctx;
	doca_error_t result;

	legacy_ctx = legacy_check_pair(ctx, dev, "ctx dev add", "dev", &result);
	return legacy_ctx == NULL ? result : legacy_ctx_dev_add(legacy_ctx, dev);
}

static doca_error_t legacy_dev_rm_locked(struct legacy_ctx *legacy_ctx, struct doca_dev *dev)
{
	bool is_first = legacy_ctx_dev(legacy_ctx) == dev;
	struct legacy_dev *entry;
	doca_error_t result = legacy_check_stopped(legacy_ctx, "ctx dev rm");

	if (result != DOCA_SUCCESS)
		return result;
	entry = legacy_dev_find(legacy_ctx, dev);
	if (entry == NULL)
		return error_set(DOCA_ERROR_NOT_FOUND,
				 "ctx dev rm: the %s context does not have that device",
				 legacy_ctx->engine->name);
	legacy_dev_delete(entry);
	if (is_first)
		legacy_notify_dev(legacy_ctx);
	return DOCA_SUCCESS;
}

doca_error_t doca_ctx_dev_rm(struct doca_ctx *ctx, struct doca_dev *dev)
{
	struct legacy_ctx *legacy_ctx;
	doca_error_t result;

	legacy_ctx = legacy_check_pair(ctx, dev, "ctx dev rm", "dev", &result);
	if (legacy_ctx == NULL)
		return result;
	pthread_mutex_lock(&legacy_ctx->lock);
	result = legacy_dev_rm_locked(legacy_ctx, dev);
	pthread_mutex_unlock(&legacy_ctx->lock);
	return result;
}

static doca_error_t legacy_start_locked(struct legacy_ctx *legacy_ctx)
{
	doca_error_t result;

	if (legacy_is_started(legacy_ctx))
		return error_set(DOCA_ERROR_BAD_STATE,
				 "ctx start: the %s context is started already",
				 legacy_ctx->engine->name);
	if (list_is_empty(&legacy_ctx->devs) && !legacy_ctx->engine->needs_no_dev)
		return error_set(DOCA_ERROR_INVALID_VALUE,
				 "ctx start: the %s context has no device; call doca_ctx_dev_add "
				 "first",
				 legacy_ctx->engine->name);
	if (legacy_ctx->engine->start != NULL) {
		result = legacy_ctx->engine->start(legacy_ctx);
		if (result != DOCA_SUCCESS)
			return result;
	}
	legacy_ctx->ctx->state = DOCA_CTX_STATE_RUNNING;
	return DOCA_SUCCESS;
}

doca_error_t compat_ctx_start(struct doca_ctx *ctx)
{
	struct legacy_ctx *legacy_ctx;
	doca_error_t result;

	legacy_ctx = legacy_check_pair(ctx, ctx, "ctx start", "ctx", &result);
	if (legacy_ctx == NULL)
		return result;
	pthread_mutex_lock(&legacy_ctx->lock);
	result = legacy_start_locked(legacy_ctx);
	pthread_mutex_unlock(&legacy_ctx->lock);
	return result;
}

static doca_error_t legacy_stop_locked(struct legacy_ctx *legacy_ctx)
{
	if (!list_is_empty(&legacy_ctx->workq_ctxs))
		return error_set(DOCA_ERROR_NOT_PERMITTED,
				 "ctx stop: work queues are added to the %s context; retrieve "
				 "their events and call doca_ctx_workq_rm first",
				 legacy_ctx->engine->name);
	if (legacy_is_started(legacy_ctx) && legacy_ctx->engine->stop != NULL)
		legacy_ctx->engine->stop(legacy_ctx);
	legacy_ctx->ctx->state = DOCA_CTX_STATE_IDLE;
	return DOCA_SUCCESS;
}

doca_error_t compat_ctx_stop(struct doca_ctx *ctx)
{
	struct legacy_ctx *legacy_ctx;
	doca_error_t result;

	legacy_ctx = legacy_check_pair(ctx, ctx, "ctx stop", "ctx", &result);
	if (legacy_ctx == NULL)
		return result;
	pthread_mutex_lock(&legacy_ctx->lock);
	result = legacy_stop_locked(legacy_ctx);
	pthread_mutex_unlock(&legacy_ctx->lock);
	return result;
}

/* --- work queues of a context --- */

static void workq_ctx_delete(struct workq_ctx *workq_ctx)
{
	list_remove(&workq_ctx->legacy_node);
	workq_ctx->engine->close(workq_ctx);
	free(workq_ctx);
}

static doca_error_t workq_ctx_start(struct workq_ctx *workq_ctx)
{
	doca_error_t result;

	if (workq_ctx->engine->is_kept)
		return DOCA_SUCCESS;
	ctx_connect(workq_ctx->core, workq_ctx->workq->pe);
	result = ctx_start(workq_ctx->core);
	if (result != DOCA_ERROR_IN_PROGRESS)
		return result;
	ctx_stop(workq_ctx->core);
	return error_set(DOCA_ERROR_UNEXPECTED,
			 "ctx workq add: the %s context did not start at once",
			 workq_ctx->engine->name);
}

static doca_error_t workq_ctx_stop(struct workq_ctx *workq_ctx)
{
	return workq_ctx->engine->is_kept ? DOCA_SUCCESS : ctx_stop(workq_ctx->core);
}

/* Creates a started work-queue context that no job finds yet. */
static doca_error_t workq_ctx_new(struct legacy_ctx *legacy_ctx, struct doca_workq *workq,
				  struct workq_ctx **workq_ctx_out)
{
	struct workq_ctx *workq_ctx;
	doca_error_t result;

	/* Aligned like the queue, because both belong to one thread. */
	if (posix_memalign((void **)&workq_ctx, 64, sizeof(*workq_ctx)) != 0)
		return error_set(DOCA_ERROR_NO_MEMORY, "ctx workq add: out of memory");
	memset(workq_ctx, 0, sizeof(*workq_ctx));
	workq_ctx->engine = legacy_ctx->engine;
	workq_ctx->first_type = legacy_ctx->engine->first_type;
	workq_ctx->n_types =
		(uint32_t)(legacy_ctx->engine->last_type - legacy_ctx->engine->first_type) + 1;
	workq_ctx->submit = legacy_ctx->engine->submit;
	workq_ctx->legacy_ctx = legacy_ctx;
	workq_ctx->ctx = legacy_ctx->ctx;
	workq_ctx->workq = workq;
	result = workq_ctx->engine->open(legacy_ctx, workq_ctx, workq->depth, &workq_ctx->core);
	if (result != DOCA_SUCCESS) {
		free(workq_ctx);
		return result;
	}
	list_append(&legacy_ctx->workq_ctxs, &workq_ctx->legacy_node);
	result = workq_ctx_start(workq_ctx);
	if (result == DOCA_SUCCESS)
		*workq_ctx_out = workq_ctx;
	else
		workq_ctx_delete(workq_ctx);
	return result;
}

static doca_error_t workq_ctx_add(struct legacy_ctx *legacy_ctx, struct doca_workq *workq)
{
	struct workq_ctx *workq_ctx;
	doca_error_t result = workq_ctx_new(legacy_ctx, workq, &workq_ctx);

	if (result != DOCA_SUCCESS)
		return result;
	result = workq_ctx_insert(workq, workq_ctx);
	if (result == DOCA_SUCCESS)
		return DOCA_SUCCESS;
	workq_ctx_stop(workq_ctx);
	workq_ctx_delete(workq_ctx);
	return result;
}

static doca_error_t legacy_check_started(const struct legacy_ctx *legacy_ctx, const char *call)
{
	if (legacy_is_started(legacy_ctx))
		return DOCA_SUCCESS;
	return error_set(DOCA_ERROR_BAD_STATE,
			 "%s: the %s context is stopped; call doca_ctx_start first", call,
			 legacy_ctx->engine->name);
}

static doca_error_t legacy_check_waitable(const struct legacy_ctx *legacy_ctx,
					  const struct doca_workq *workq, const char *call)
{
	if (!workq->is_event_driven || legacy_ctx->engine->is_event_driven)
		return DOCA_SUCCESS;
	return error_set(DOCA_ERROR_NOT_SUPPORTED,
			 "%s: the work queue is event-driven and a %s context is not; ask "
			 "doca_ctx_get_event_driven_supported first",
			 call, legacy_ctx->engine->name);
}

static doca_error_t legacy_workq_add_locked(struct legacy_ctx *legacy_ctx, struct doca_workq *workq)
{
	doca_error_t result = legacy_check_started(legacy_ctx, "ctx workq add");

	if (result != DOCA_SUCCESS)
		return result;
	if (workq_ctx_find(workq, legacy_ctx->ctx) != NULL)
		return error_set(DOCA_ERROR_IN_USE,
				 "ctx workq add: the work queue is added to the %s context already",
				 legacy_ctx->engine->name);
	result = legacy_check_waitable(legacy_ctx, workq, "ctx workq add");
	return result == DOCA_SUCCESS ? workq_ctx_add(legacy_ctx, workq) : result;
}

doca_error_t doca_ctx_workq_add(struct doca_ctx *ctx, struct doca_workq *workq)
{
	struct legacy_ctx *legacy_ctx;
	doca_error_t result;

	legacy_ctx = legacy_check_pair(ctx, workq, "ctx workq add", "workq", &result);
	if (legacy_ctx == NULL)
		return result;
	pthread_mutex_lock(&legacy_ctx->lock);
	result = legacy_workq_add_locked(legacy_ctx, workq);
	pthread_mutex_unlock(&legacy_ctx->lock);
	return result;
}

static doca_error_t legacy_workq_rm_locked(struct legacy_ctx *legacy_ctx, struct doca_workq *workq)
{
	struct workq_ctx *workq_ctx;
	doca_error_t result = legacy_check_started(legacy_ctx, "ctx workq rm");

	if (result != DOCA_SUCCESS)
		return result;
	workq_ctx = workq_ctx_find(workq, legacy_ctx->ctx);
	if (workq_ctx == NULL)
		return error_set(DOCA_ERROR_NOT_FOUND,
				 "ctx workq rm: the work queue is not added to the %s context",
				 legacy_ctx->engine->name);
	if (ctx_n_inflight(workq_ctx->core) != 0 || workq_ctx->core->n_allocated != 0) {
		if (legacy_ctx->engine->end_waiting != NULL)
			legacy_ctx->engine->end_waiting(workq_ctx);
		return error_set(DOCA_ERROR_IN_USE,
				 "ctx workq rm: jobs of the %s context are in flight on the work "
				 "queue; retrieve their events first",
				 legacy_ctx->engine->name);
	}
	if (workq->pe->flags & PE_IN_PROGRESS)
		return error_set(DOCA_ERROR_NOT_PERMITTED,
				 "ctx workq rm: called from a callback of the work queue; do it "
				 "when doca_workq_progress_retrieve has returned");
	result = workq_ctx_stop(workq_ctx);
	if (result == DOCA_ERROR_IN_PROGRESS)
		return error_set(DOCA_ERROR_IN_USE,
				 "ctx workq rm: the %s context is still stopping; retrieve events, "
				 "and call again",
				 legacy_ctx->engine->name);
	if (result != DOCA_SUCCESS)
		return result;
	workq_ctx_remove(workq_ctx);
	workq_ctx_delete(workq_ctx);
	return DOCA_SUCCESS;
}

doca_error_t doca_ctx_workq_rm(struct doca_ctx *ctx, struct doca_workq *workq)
{
	struct legacy_ctx *legacy_ctx;
	doca_error_t result;

	legacy_ctx = legacy_check_pair(ctx, workq, "ctx workq rm", "workq", &result);
	if (legacy_ctx == NULL)
		return result;
	pthread_mutex_lock(&legacy_ctx->lock);
	result = legacy_workq_rm_locked(legacy_ctx, workq);
	pthread_mutex_unlock(&legacy_ctx->lock);
	return result;
}

/* --- work-queue contexts other than those of jobs --- */

doca_error_t workq_ctx_open(struct doca_ctx *ctx, struct doca_workq *workq, const char *call,
			    struct workq_ctx **workq_ctx_out)
{
	struct legacy_ctx *legacy_ctx = legacy_ctx_of(ctx, call);
	doca_error_t result;

	if (legacy_ctx == NULL)
		return DOCA_ERROR_BAD_STATE;
	pthread_mutex_lock(&legacy_ctx->lock);
	result = legacy_check_started(legacy_ctx, call);
	if (result == DOCA_SUCCESS)
		result = legacy_check_waitable(legacy_ctx, workq, call);
	if (result == DOCA_SUCCESS)
		result = workq_ctx_new(legacy_ctx, workq, workq_ctx_out);
	pthread_mutex_unlock(&legacy_ctx->lock);
	return result;
}

void workq_ctx_close(struct workq_ctx *workq_ctx)
{
	struct legacy_ctx *legacy_ctx = workq_ctx->legacy_ctx;

	pthread_mutex_lock(&legacy_ctx->lock);
	workq_ctx_stop(workq_ctx);
	workq_ctx_delete(workq_ctx);
	pthread_mutex_unlock(&legacy_ctx->lock);
}

/* --- capabilities of contexts --- */

doca_error_t doca_ctx_get_event_driven_supported(struct doca_ctx *ctx, uint8_t *event_supported)
{
	struct legacy_ctx *legacy_ctx;
	doca_error_t result;

	legacy_ctx = legacy_check_pair(ctx, event_supported, "ctx event-driven", "the result",
				       &result);
	if (legacy_ctx == NULL)
		return result;
	*event_supported = legacy_ctx->engine->is_event_driven;
	return DOCA_SUCCESS;
}

doca_error_t doca_ctx_get_max_num_ctx(uint32_t *max_num_ctx)
{
	if (max_num_ctx == NULL)
		return error_set(DOCA_ERROR_INVALID_VALUE, "ctx max num: the result is NULL");
	*max_num_ctx = WORKQ_MAX_CTXS;
	return DOCA_SUCCESS;
}
