/* Work queues; see client/compat/workq/workq.h. Threads: one at a time per queue. */
#include "client/compat/workq/workq.h"

#include <stdlib.h>
#include <string.h>

#include "client/base/error.h"
#include "client/base/program_api.h"
#include "client/compat/workq/dma.h"
#include "client/compat/workq/functions.h"
#include "client/progress/progress.h"
#include "util/str.h"

/* The initial value of `recent`: no job names this context. */
static const struct doca_ctx no_ctx;
static struct workq_ctx no_workq_ctx = {.ctx = &no_ctx};

static doca_error_t workq_check_depth(uint32_t depth, const char *call)
{
	if (depth != 0)
		return DOCA_SUCCESS;
	return error_set(DOCA_ERROR_INVALID_VALUE, "%s: the depth is 0; ask for at least 1 job",
			 call);
}

/* Returns whether the queue is added to contexts or to graphs of them. */
static bool workq_is_added(const struct doca_workq *workq)
{
	return !list_is_empty(&workq->pe->ctxs);
}

/* Replaces the ring by one with room for `depth` events. On failure the old ring remains. */
static doca_error_t workq_resize(struct doca_workq *workq, uint32_t depth, const char *call)
{
	struct workq_slot *ring;
	size_t n = 1;

	while (n < depth)
		n *= 2;
	ring = calloc(n, sizeof(*ring));
	if (ring == NULL)
		return error_set(DOCA_ERROR_NO_MEMORY, "%s: out of memory for %u %s", call, depth,
				 plural(depth, "job", "jobs"));
	free(workq->ring);
	free(workq->records);
	workq->records = NULL;
	workq->ring = ring;
	workq->mask = (uint32_t)(n - 1);
	workq->head = workq->tail = 0;
	workq->depth = depth;
	return DOCA_SUCCESS;
}

doca_error_t compat_workq_create(uint32_t depth, uint16_t api, struct doca_workq **workq_out)
{
	struct doca_workq *workq;
	doca_error_t result;

	program_api_note(api, api == API_1_5 ? API_2_2 - 1 : api);
	if (workq_out == NULL)
		return error_set(DOCA_ERROR_INVALID_VALUE, "workq create: workq is NULL");
	result = workq_check_depth(depth, "workq create");
	if (result != DOCA_SUCCESS)
		return result;
	/* Aligned to cache lines, because each thread has its own queue. */
	if (posix_memalign((void **)&workq, 64, sizeof(*workq)) != 0)
		return error_set(DOCA_ERROR_NO_MEMORY, "workq create: out of memory");
	memset(workq, 0, sizeof(*workq));
	list_init(&workq->workq_ctxs);
	workq->recent = &no_workq_ctx;
	workq->api = api;
	result = workq_resize(workq, depth, "workq create");
	if (result == DOCA_SUCCESS)
		result = pe_new(&workq->pe);
	if (result != DOCA_SUCCESS) {
		free(workq->ring);
		free(workq);
		return result;
	}
	*workq_out = workq;
	return DOCA_SUCCESS;
}

doca_error_t doca_workq_create(uint32_t depth, struct doca_workq **workq)
{
	return compat_workq_create(depth, API_2_2, workq);
}
API_PLAIN(doca_workq_create, 2_2);

doca_error_t doca_workq_destroy(struct doca_workq *workq)
{
	doca_error_t result;

	if (workq == NULL)
		return error_set(DOCA_ERROR_INVALID_VALUE, "workq destroy: workq is NULL");
	if (workq->n_workq_ctxs != 0)
		return error_set(DOCA_ERROR_IN_USE,
				 "workq destroy: the queue is added to %u %s; call "
				 "doca_ctx_workq_rm for each first",
				 workq->n_workq_ctxs,
				 plural(workq->n_workq_ctxs, "context", "contexts"));
	if (workq_is_added(workq))
		return error_set(DOCA_ERROR_IN_USE,
				 "workq destroy: the queue is added to a graph; call "
				 "doca_graph_workq_rm first");
	result = pe_delete(workq->pe);
	if (result != DOCA_SUCCESS)
		return result;
	free(workq->table);
	free(workq->records);
	free(workq->ring);
	free(workq);
	return DOCA_SUCCESS;
}

/* --- work-queue contexts by context --- */

static uint32_t table_hash(const struct doca_ctx *ctx)
{
	return (uint32_t)(((uintptr_t)ctx * UINT64_C(0x9e3779b97f4a7c15)) >> 32);
}

static void table_put(struct doca_workq *workq, struct workq_ctx *workq_ctx)
{
	uint32_t at = table_hash(workq_ctx->ctx);

	while (workq->table[at & workq->table_mask] != NULL)
		at++;
	workq->table[at & workq->table_mask] = workq_ctx;
}

static void table_fill(struct doca_workq *workq)
{
	struct workq_ctx *workq_ctx;

	list_for_each(workq_ctx, &workq->workq_ctxs, workq_node) table_put(workq, workq_ctx);
}

struct workq_ctx *workq_ctx_find(struct doca_workq *workq, const struct doca_ctx *ctx)
{
	uint32_t at = table_hash(ctx);

	if (workq->n_workq_ctxs == 0)
		return NULL;
	for (;; at++) {
		struct workq_ctx *workq_ctx = workq->table[at & workq->table_mask];

		if (workq_ctx == NULL || workq_ctx->ctx == ctx)
			return workq_ctx;
	}
}

static doca_error_t table_grow(struct doca_workq *workq)
{
	size_t n = workq->table == NULL ? 4 : 2 * ((size_t)workq->table_mask + 1);
	struct workq_ctx **table = calloc(n, sizeof(struct workq_ctx *));

	if (table == NULL)
		return error_set(DOCA_ERROR_NO_MEMORY, "ctx workq add: out of memory");
	free(workq->table);
	workq->table = table;
	workq->table_mask = (uint32_t)(n - 1);
	table_fill(workq);
	return DOCA_SUCCESS;
}

doca_error_t workq_ctx_insert(struct doca_workq *workq, struct workq_ctx *workq_ctx)
{
	doca_error_t result;

	if (workq->n_workq_ctxs == WORKQ_MAX_CTXS)
		return error_set(
			DOCA_ERROR_NO_MEMORY,
			"ctx workq add: the work queue has %u contexts, the most that it can "
			"have; use another queue",
			WORKQ_MAX_CTXS);
	if (workq->table == NULL || 2 * (workq->n_workq_ctxs + 1) > workq->table_mask + 1) {
		result = table_grow(workq);
		if (result != DOCA_SUCCESS)
			return result;
	}
	workq->n_workq_ctxs++;
	list_append(&workq->workq_ctxs, &workq_ctx->workq_node);
	table_put(workq, workq_ctx);
	return DOCA_SUCCESS;
}

void workq_ctx_remove(struct workq_ctx *workq_ctx)
{
	struct doca_workq *workq = workq_ctx->workq;

	workq->n_workq_ctxs--;
	list_remove(&workq_ctx->workq_node);
	memset(workq->table, 0, ((size_t)workq->table_mask + 1) * sizeof(struct workq_ctx *));
	table_fill(workq);
	if (workq->recent == workq_ctx)
		workq->recent = &no_workq_ctx;
}

/* --- jobs and events --- */

doca_error_t workq_check_job(const struct workq_ctx *workq_ctx, const struct doca_job *job)
{
	const struct workq_engine *engine = workq_ctx->engine;

	if (job->type < engine->first_type || job->type > engine->last_type)
		return error_set(DOCA_ERROR_INVALID_VALUE,
				 "workq submit: the %s context has no jobs of type %d",
				 engine->name, job->type);
	if (job->flags != DOCA_JOB_FLAGS_NONE)
		return error_set(DOCA_ERROR_INVALID_VALUE,
				 "workq submit: the job's flags are %d; there are none, set them "
				 "to 0",
				 job->flags);
	return DOCA_SUCCESS;
}

/* Explains why there is no work-queue context for the job. A context whose queue is added is always
 * started. */
static doca_error_t workq_explain_unknown_ctx(struct doca_ctx *ctx)
{
	struct legacy_ctx *legacy_ctx;

	if (ctx == NULL)
		return error_set(DOCA_ERROR_NOT_FOUND, "workq submit: the job's ctx is NULL");
	legacy_ctx = legacy_ctx_of(ctx, "workq submit");
	if (legacy_ctx == NULL)
		return DOCA_ERROR_BAD_STATE;
	if (!legacy_ctx_is_started(legacy_ctx))
		return error_set(DOCA_ERROR_BAD_STATE,
				 "workq submit: the %s context is stopped; call doca_ctx_start and "
				 "doca_ctx_workq_add first",
				 ctx->ops->name);
	return error_set(DOCA_ERROR_NOT_FOUND,
			 "workq submit: the work queue is not added to the %s context; call "
			 "doca_ctx_workq_add first",
			 ctx->ops->name);
}

static __attribute__((noinline)) doca_error_t workq_switch(struct doca_workq *workq,
							   const struct doca_job *job)
{
	struct workq_ctx *workq_ctx = workq_ctx_find(workq, job->ctx);

	if (workq_ctx == NULL)
		return workq_explain_unknown_ctx(job->ctx);
	workq->recent = workq_ctx;
	return DOCA_SUCCESS;
}

/* Returns the work-queue context of a valid job that there is room for. */
static inline __attribute__((always_inline)) doca_error_t workq_admit(
	struct doca_workq *workq, const struct doca_job *job, struct workq_ctx **workq_ctx_out)
{
	struct workq_ctx *workq_ctx;
	doca_error_t result;

	if (unlikely(workq == NULL || job == NULL))
		return error_set(DOCA_ERROR_INVALID_VALUE, "workq submit: %s is NULL",
				 workq == NULL ? "workq" : "job");
	if (unlikely(workq->recent->ctx != job->ctx)) {
		result = workq_switch(workq, job);
		if (result != DOCA_SUCCESS)
			return result;
	}
	workq_ctx = workq->recent;
	if (unlikely((uint32_t)job->type - (uint32_t)workq_ctx->first_type >= workq_ctx->n_types ||
		     job->flags != DOCA_JOB_FLAGS_NONE))
		return workq_check_job(workq_ctx, job);
	if (unlikely(!workq_has_room(workq)))
		return error_hint(DOCA_ERROR_NO_MEMORY,
				  "workq submit: the jobs in flight have reached the queue's "
				  "depth; retrieve events first");
	*workq_ctx_out = workq_ctx;
	return DOCA_SUCCESS;
}

doca_error_t doca_workq_submit(struct doca_workq *workq, struct doca_job const *job)
{
	struct workq_ctx *workq_ctx = NULL;
	doca_error_t result = workq_admit(workq, job, &workq_ctx);

	if (unlikely(result != DOCA_SUCCESS))
		return result;
	result = likely(job->type == DOCA_DMA_JOB_MEMCPY) ? dma_job_submit(workq_ctx, job)
							  : workq_ctx->submit(workq_ctx, job);
	if (likely(result == DOCA_SUCCESS))
		workq->n_jobs++;
	return result;
}
API_PLAIN(doca_workq_submit, 1_5);

/* Submits a job of 1.3, which contains its length. Queues from 2.2 on have no room for that in
 * their tasks. */
doca_error_t compat_workq_submit_1_3(struct doca_workq *workq, const struct doca_job *job)
{
	struct workq_ctx *workq_ctx = NULL;
	doca_error_t result = workq_admit(workq, job, &workq_ctx);

	if (result != DOCA_SUCCESS)
		return result;
	if (!workq_overwrites(workq))
		return api_refuse("workq submit", "work queue", workq->api);
	result = job->type == DOCA_DMA_JOB_MEMCPY ? dma_job_submit_1_3(workq_ctx, job)
						  : workq_ctx->submit(workq_ctx, job);
	if (result == DOCA_SUCCESS)
		workq->n_jobs++;
	return result;
}

doca_error_t workq_make_records(struct doca_workq *workq)
{
	if (workq->records == NULL)
		workq->records = calloc((size_t)workq->mask + 1, WORKQ_RECORD_LEN);
	if (workq->records == NULL)
		return error_set(DOCA_ERROR_NO_MEMORY, "ctx workq add: out of memory for results");
	return DOCA_SUCCESS;
}

/* Programs that want no record pass NULL. */
static void record_release(const struct doca_event *event, const void *record)
{
	if (event->result.ptr != NULL)
		memcpy(event->result.ptr, record, WORKQ_RECORD_LEN);
}

void workq_post_record(struct doca_workq *workq, int type, union doca_data user_data,
		       const void *record, doca_error_t status)
{
	struct doca_event *event = workq->out;

	if (likely(event != NULL)) {
		workq->out = NULL;
		workq->status = status;
		record_release(event, record);
	} else {
		uint32_t at = workq->tail++ & workq->mask;

		workq->ring[at].status = status;
		workq->ring[at].has_record = true;
		memcpy(workq->records + (size_t)at * WORKQ_RECORD_LEN, record, WORKQ_RECORD_LEN);
		event = &workq->ring[at].event;
	}
	event->type = type;
	event->user_data = user_data;
}

static doca_error_t workq_explain_retrieve(const struct doca_workq *workq,
					   const struct doca_event *ev)
{
	return error_set(DOCA_ERROR_INVALID_VALUE, "workq progress retrieve: %s",
			 workq == NULL ? "workq is NULL"
			 : ev == NULL  ? "ev is NULL"
				       : "there are no flags; pass 0");
}

static __attribute__((noinline)) doca_error_t workq_dequeue_event(struct doca_workq *workq,
								  struct doca_event *ev)
{
	uint32_t at = workq->head++ & workq->mask;
	const struct workq_slot *slot = &workq->ring[at];

	workq->n_jobs--;
	if (slot->has_record) {
		ev->type = slot->event.type;
		ev->user_data = slot->event.user_data;
		record_release(ev, workq->records + (size_t)at * WORKQ_RECORD_LEN);
	} else {
		*ev = slot->event;
	}
	return slot->status == DOCA_SUCCESS ? DOCA_SUCCESS : DOCA_ERROR_IO_FAILED;
}

doca_error_t doca_workq_progress_retrieve(struct doca_workq *workq, struct doca_event *ev,
					  int flags)
{
	if (unlikely(workq == NULL || ev == NULL || flags != DOCA_WORKQ_RETRIEVE_FLAGS_NONE))
		return workq_explain_retrieve(workq, ev);
	if (unlikely(workq->head != workq->tail))
		return workq_dequeue_event(workq, ev);
	/* A call from a callback would take the event that the outer call waits for. */
	if (unlikely(workq->pe->flags & PE_IN_PROGRESS))
		return error_note(DOCA_ERROR_AGAIN,
				  "workq progress retrieve: called from a callback of the same "
				  "work queue; return first");
	workq->out = ev;
	pe_progress_by(workq->pe, pe_run_queue);
	if (unlikely(workq->out != NULL)) {
		workq->out = NULL;
		return error_hint(DOCA_ERROR_AGAIN,
				  "workq progress retrieve: no event now; call again, or arm the "
				  "queue and wait");
	}
	workq->n_jobs--;
	return likely(workq->status == DOCA_SUCCESS) ? DOCA_SUCCESS : DOCA_ERROR_IO_FAILED;
}

/* --- properties --- */

static doca_error_t workq_set_depth(struct doca_workq *workq, uint32_t depth, const char *call)
{
	doca_error_t result = workq_check_depth(depth, call);

	if (result != DOCA_SUCCESS)
		return result;
	if (workq_is_added(workq) || workq->n_jobs != 0)
		return error_set(DOCA_ERROR_BAD_STATE,
				 "%s: the queue is added to a context or graph, or has events; set "
				 "its depth before",
				 call);
	return workq_resize(workq, depth, call);
}

doca_error_t doca_workq_set_depth(struct doca_workq *workq, uint32_t depth)
{
	if (workq == NULL)
		return error_set(DOCA_ERROR_INVALID_VALUE, "workq set depth: workq is NULL");
	return workq_set_depth(workq, depth, "workq set depth");
}

doca_error_t doca_workq_get_depth(const struct doca_workq *workq, uint32_t *depth)
{
	if (workq == NULL || depth == NULL)
		return error_set(DOCA_ERROR_INVALID_VALUE, "workq depth: %s is NULL",
				 workq == NULL ? "workq" : "the result");
	*depth = workq->depth;
	return DOCA_SUCCESS;
}

static doca_error_t workq_check_property(const struct doca_workq *workq,
					 enum doca_workq_property property, const uint8_t *value,
					 uint32_t size)
{
	if (workq == NULL || value == NULL)
		return error_set(DOCA_ERROR_INVALID_VALUE, "workq property: %s is NULL",
				 workq == NULL ? "workq" : "value");
	if (property != DOCA_WORKQ_PROPERTY_DEPTH)
		return error_set(DOCA_ERROR_INVALID_VALUE,
				 "workq property: there is no property %d", (int)property);
	if (size != sizeof(workq->depth))
		return error_set(DOCA_ERROR_INVALID_VALUE,
				 "workq property: the depth has 4 bytes, not %u", size);
	return DOCA_SUCCESS;
}

doca_error_t doca_workq_property_set(struct doca_workq *workq, enum doca_workq_property property,
				     const uint8_t *value, uint32_t size)
{
	doca_error_t result = workq_check_property(workq, property, value, size);
	uint32_t depth;

	if (result != DOCA_SUCCESS)
		return result;
	memcpy(&depth, value, sizeof(depth));
	return workq_set_depth(workq, depth, "workq property set");
}

doca_error_t doca_workq_property_get(const struct doca_workq *workq,
				     enum doca_workq_property property, uint8_t *value,
				     uint32_t size)
{
	doca_error_t result = workq_check_property(workq, property, value, size);

	if (result == DOCA_SUCCESS)
		memcpy(value, &workq->depth, sizeof(workq->depth));
	return result;
}

/* --- waiting --- */

doca_error_t doca_workq_set_event_driven_enable(struct doca_workq *workq, uint8_t enable)
{
	if (workq == NULL || enable > 1)
		return error_set(DOCA_ERROR_INVALID_VALUE, "workq event-driven: %s",
				 workq == NULL ? "workq is NULL" : "enable is 0 or 1");
	if (workq_is_added(workq))
		return error_set(DOCA_ERROR_BAD_STATE, "workq event-driven: the queue is added to "
						       "a context or graph; call this earlier");
	workq->is_event_driven = enable;
	return DOCA_SUCCESS;
}

doca_error_t doca_workq_get_event_driven_enable(struct doca_workq *workq, uint8_t *enabled)
{
	if (workq == NULL || enabled == NULL)
		return error_set(DOCA_ERROR_INVALID_VALUE, "workq event-driven: %s is NULL",
				 workq == NULL ? "workq" : "the result");
	*enabled = workq->is_event_driven;
	return DOCA_SUCCESS;
}

static doca_error_t workq_check_waitable(const struct doca_workq *workq, const char *call)
{
	if (workq == NULL)
		return error_set(DOCA_ERROR_INVALID_VALUE, "%s: workq is NULL", call);
	if (!workq->is_event_driven)
		return error_set(DOCA_ERROR_BAD_STATE,
				 "%s: the queue is not event-driven; call "
				 "doca_workq_set_event_driven_enable before it is added to a "
				 "context",
				 call);
	return DOCA_SUCCESS;
}

doca_error_t doca_workq_get_event_handle(struct doca_workq *workq, doca_event_handle_t *handle)
{
	doca_error_t result;

	if (handle == NULL)
		return error_set(DOCA_ERROR_INVALID_VALUE, "workq event handle: handle is NULL");
	result = workq_check_waitable(workq, "workq event handle");
	if (result == DOCA_SUCCESS)
		*handle = workq->pe->epoll_fd;
	return result;
}

doca_error_t doca_workq_set_event_handle(struct doca_workq *workq, doca_event_handle_t event_handle,
					 uintptr_t completion_key)
{
	(void)event_handle;
	(void)completion_key;
	if (workq == NULL)
		return error_set(DOCA_ERROR_INVALID_VALUE, "workq set event handle: workq is NULL");
	return error_set(DOCA_ERROR_NOT_SUPPORTED,
			 "workq set event handle: that is for completion ports of Windows; wait on "
			 "doca_workq_get_event_handle");
}

doca_error_t doca_workq_event_handle_arm(struct doca_workq *workq)
{
	doca_error_t result = workq_check_waitable(workq, "workq event handle arm");

	if (result == DOCA_SUCCESS)
		result = pe_request_notification(workq->pe);
	if (result == DOCA_SUCCESS && workq->head != workq->tail)
		pe_wake(workq->pe);
	return result;
}

doca_error_t doca_workq_event_handle_clear(struct doca_workq *workq, doca_event_handle_t handle)
{
	doca_error_t result = workq_check_waitable(workq, "workq event handle clear");

	(void)handle;
	return result == DOCA_SUCCESS ? pe_clear_notification(workq->pe) : result;
}
