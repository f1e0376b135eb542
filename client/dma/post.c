/*
 * Posted copies, see client/dma/post.h. Tasks wait in order of submission. Some of them are active,
 * each with a cursor that shows how far its requests were posted. When all requests of a copy have
 * been returned, the copy ends, with the first failure if there was one.
 *
 * A copy from one buffer to another is posted as soon as it is taken from the engine's queue,
 * unless others wait. It does not wait for the next poll, but first handles everything that the
 * poll would.
 *
 * In an ordered context, copies end in order of submission, and a copy that needs no request waits
 * until those before it have ended. In any context, a copy also waits if its destination is that of
 * a posted copy, because the place where it appends depends on whether that copy succeeds. Threads:
 * those of the progress engine.
 */
#include "client/dma/post.h"

#include <stdlib.h>

#include "client/dma/post_internal.h"
#include "client/dma/remote.h"

/* --- opening and closing --- */

static doca_error_t post_open(struct doca_dma *dma)
{
	struct dma_post *post = calloc(1, sizeof(*post));

	if (post == NULL)
		return error_set(DOCA_ERROR_NO_MEMORY, "dma memcpy: out of memory");
	post->is_ordered = dma->is_ordered;
	post->waiting_tail = &post->waiting;
	post->active_tail = &post->active;
	for (size_t i = 0; i < POST_COPIES; i++) {
		post->copies[i].next = post->free_copies;
		post->free_copies = &post->copies[i];
	}
	for (size_t i = 0; i < POST_WRS; i++) {
		post->wrs[i].wr = (struct rdma_wr){.sges = post->wrs[i].sges, .is_copy = true};
		post->wrs[i].next = post->free_wrs;
		post->free_wrs = &post->wrs[i];
	}
	dma->post = post;
	ctx_set_polled(&dma->ctx, true);
	return DOCA_SUCCESS;
}

void dma_post_close(struct doca_dma *dma)
{
	struct dma_post *post = dma->post;

	if (post == NULL)
		return;
	ctx_set_polled(&dma->ctx, false);
	post_close_paths(post);
	free(post);
	dma->post = NULL;
}

/* --- copies --- */

static bool list_is(const struct doca_buf *list, bool is_posted)
{
	const struct doca_buf *pos;

	BUF_FOR_EACH(pos, list)
	{
		if (is_posted ? !pos->mmap->is_posted : !pos->mmap->direct)
			return false;
	}
	return true;
}

/* Returns whether one side is accessed by requests only, and the other is mapped in this
 * process. */
static bool is_postable(const struct dma_task *t)
{
	bool is_write = t->dst->mmap->is_posted;

	return list_is(t->src, !is_write) && list_is(t->dst, is_write);
}

static doca_error_t refuse_mixed(void)
{
	return error_set(DOCA_ERROR_NOT_SUPPORTED,
			 "dma memcpy: memory that an RDMA device or the daemons' relay accesses "
			 "can be copied only from and to memory of this process, and a list must "
			 "not mix the two; copy in two steps");
}

/* Makes a copy active. */
static inline struct post_copy *copy_activate(struct dma_post *post, struct dma_task *t)
{
	struct post_copy *copy = post->free_copies;

	post->free_copies = copy->next;
	*copy = (struct post_copy){.t = t, .src = t->src, .dst = t->dst};
	buf_claim(t->dst, 1);
	*post->active_tail = copy;
	post->active_tail = &copy->next;
	post->n_active++;
	dma_of(t->task.ctx)->fast_max = 0;
	return copy;
}

static void copy_begin(struct dma_post *post, struct dma_task *t)
{
	struct post_copy *copy = copy_activate(post, t);
	struct doca_buf *pos;
	doca_error_t result;

	if (dma_task_overwrites(t)) {
		BUF_FOR_EACH(pos, t->dst) pos->data_len = 0;
	}
	/* Checked again: memory may have changed while the task waited, and a task that waits for
	 * others was not checked before. */
	if (!dma_task_is_valid(t)) {
		post_copy_fail(
			post, copy,
			error_set(DOCA_ERROR_IO_FAILED,
				  "dma memcpy: source or destination is invalid, or changed while "
				  "the task waited for an earlier one, or the exporter has ended"));
	} else if (!is_postable(t)) {
		post_copy_fail(post, copy, refuse_mixed());
	} else if ((result = post_open_paths(dma_of(t->task.ctx), t)) != DOCA_SUCCESS) {
		post_copy_fail(post, copy, result);
	} else {
		copy->is_write = t->dst->mmap->is_posted;
		copy->left = dma_src_len(t);
	}
}

static void copy_remove(struct dma_post *post, struct post_copy *copy)
{
	struct post_copy **at = &post->active;

	while (*at != copy)
		at = &(*at)->next;
	*at = copy->next;
	if (*at == NULL)
		post->active_tail = at;
	if (--post->n_active == 0)
		dma_of(copy->t->task.ctx)->fast_max = dma_of(copy->t->task.ctx)->max_buf_size;
	copy->t = NULL;
	copy->next = post->free_copies;
	post->free_copies = copy;
}

/* Completes the task. This calls the application, and the context may be freed then. */
static void copy_end(struct dma_post *post, struct post_copy *copy)
{
	struct dma_task *t = copy->t;
	doca_error_t status = copy->status;

	buf_claim(t->dst, 0);
	if (status == DOCA_SUCCESS)
		dma_task_copied(t);
	else if (post->is_ended && status == DOCA_ERROR_CONNECTION_RESET)
		status = DOCA_ERROR_SHUTDOWN;
	else if (status != DOCA_ERROR_SHUTDOWN)
		error_note(status, "%s", post->sentences[copy - post->copies]);
	copy_remove(post, copy);
	post->must_pump = true;
	task_finish(&t->task, status);
}

static struct doca_task *waiting_dequeue(struct dma_post *post)
{
	struct doca_task *task = post->waiting;

	if (task == NULL)
		return NULL;
	post->waiting = task->next;
	if (post->waiting == NULL)
		post->waiting_tail = &post->waiting;
	return task;
}

/* Ends one waiting task because the context stops. Returns true if there was one. */
static bool waiting_end(struct dma_post *post)
{
	struct doca_task *task = waiting_dequeue(post);

	if (task == NULL)
		return false;
	post->must_pump = true;
	task_finish(task, DOCA_ERROR_SHUTDOWN);
	return true;
}

static bool has_posted(const struct doca_buf *list)
{
	while (list != NULL && !list->mmap->is_posted)
		list = list->next;
	return list != NULL;
}

static bool needs_requests(const struct dma_task *t)
{
	return has_posted(t->src) || has_posted(t->dst);
}

/* Executes the first waiting task if it needs no request and nothing precedes it. Returns true if
 * it has ended. */
static bool waiting_copy(struct dma_post *post)
{
	struct dma_task *t = (struct dma_task *)(void *)post->waiting;

	if (t == NULL || post->n_active > 0 || post->is_ended || needs_requests(t))
		return false;
	waiting_dequeue(post);
	post->must_pump = true;
	task_finish(&t->task, dma_execute_after_posted(&t->task));
	return true;
}

static void waiting_begin(struct dma_post *post)
{
	while (post->waiting != NULL && post->free_copies != NULL) {
		struct dma_task *t = (struct dma_task *)(void *)post->waiting;

		if (!needs_requests(t))
			return;
		if (buf_is_claimed(t->dst)) {
			/* A copy of another context has claimed it; its end is not reported
			 * here. */
			post->must_pump |= post->n_active == 0;
			return;
		}
		waiting_dequeue(post);
		copy_begin(post, t);
	}
}

static bool may_end(const struct dma_post *post, const struct post_copy *copy)
{
	return copy->left == 0 && copy->n_out == 0 && (!post->is_ordered || copy == post->active);
}

/* Posts as much as possible. Returns a copy that has completed, or NULL. */
static struct post_copy *post_pump(struct dma_post *post)
{
	struct post_copy *copy;
	bool has_unposted = false;

	post->must_pump = false;
	post->has_unposted = true;
	if (!post->is_ended)
		waiting_begin(post);
	for (copy = post->active; copy != NULL; copy = copy->next) {
		if (post->is_ended && copy->left > 0)
			post_copy_fail(post, copy, DOCA_ERROR_SHUTDOWN);
		while (copy->left > 0 && post_copy_step(post, copy) == STEP_CONTINUE)
			continue;
		if (may_end(post, copy))
			return copy;
		has_unposted |= copy->left > 0;
	}
	post->has_unposted = has_unposted;
	return NULL;
}

bool dma_post_claims(const struct dma_post *post, const struct doca_buf *dst)
{
	return post->n_active > 0 && buf_is_claimed(dst);
}

doca_error_t dma_post_behind(struct doca_dma *dma, struct dma_task *t)
{
	t->task.next = NULL;
	*dma->post->waiting_tail = &t->task;
	dma->post->waiting_tail = &t->task.next;
	dma->post->must_pump = true;
	return DOCA_ERROR_IN_PROGRESS;
}

/* Handles all events and completions so far, so that nothing is posted to a peer that is lost. No
 * copy ends here, because that calls the application. */
static void post_drain_events(struct dma_post *post)
{
	for (size_t i = 0; i < N_PATHS; i++) {
		struct requester *requester = post->requesters[i];
		struct rdma_wr *wr;

		if (requester == NULL)
			continue;
		while (unlikely((wr = requester->ops->poll(requester->domain)) != NULL))
			post_request_completed(post, wr);
		post->must_pump |= requester_poll(requester);
	}
}

/* Returns whether the copy can be posted at once: nothing waits before it and nothing must be
 * opened. */
static inline bool may_begin(const struct dma_post *post, const struct dma_task *t)
{
	const struct doca_mmap *remote = (t->src->mmap->is_posted ? t->src : t->dst)->mmap;

	return post != NULL && post->waiting == NULL && !post->has_unposted &&
	       post->free_copies != NULL && !t->dst->claimed &&
	       post_requester(post, remote) != NULL;
}

/* Ends a copy of which nothing was posted, within the call that accepted it. An error sentence is
 * recorded already. */
static doca_error_t copy_refuse(struct dma_post *post, struct post_copy *copy)
{
	doca_error_t status = copy->status;

	buf_claim(copy->t->dst, 0);
	copy_remove(post, copy);
	return status;
}

doca_error_t dma_post_fast(struct doca_dma *dma, struct dma_task *t)
{
	struct dma_post *post = dma->post;
	struct post_copy *copy;

	if (unlikely(!may_begin(post, t)))
		return dma_post_execute(dma, t);
	post_drain_events(post);
	copy = copy_activate(post, t);
	copy->is_write = t->dst->mmap->is_posted;
	copy->left = t->src->data_len;
	post_copy_whole(post, copy);
	if (unlikely(copy->status != DOCA_SUCCESS))
		return copy_refuse(post, copy);
	/* The next poll posts the rest. */
	post->has_unposted = copy->left > 0;
	post->must_pump |= copy->n_out == 0;
	return DOCA_ERROR_IN_PROGRESS;
}

doca_error_t dma_post_execute(struct doca_dma *dma, struct dma_task *t)
{
	doca_error_t result;

	if (!is_postable(t))
		return refuse_mixed();
	if (dma->post == NULL) {
		result = post_open(dma);
		if (result != DOCA_SUCCESS)
			return result;
	}
	return dma_post_behind(dma, t);
}

/* --- polling --- */

/* Returns a copy that has completed, or NULL if there are no more completions. */
static struct post_copy *path_poll(struct dma_post *post, struct requester *requester)
{
	struct post_copy *copy;
	struct rdma_wr *wr;

	while ((wr = requester->ops->poll(requester->domain)) != NULL) {
		copy = post_request_completed(post, wr);
		if (may_end(post, copy))
			return copy;
	}
	post->must_pump |= requester_poll(requester);
	return NULL;
}

uint8_t dma_post_poll(struct doca_ctx *ctx)
{
	struct dma_post *post = dma_of(ctx)->post;
	struct post_copy *copy = NULL;

	for (size_t i = 0; i < N_PATHS && copy == NULL; i++)
		copy = post->requesters[i] != NULL ? path_poll(post, post->requesters[i]) : NULL;
	if (copy == NULL && !post->must_pump)
		return 0;
	if (copy == NULL)
		copy = post_pump(post);
	if (copy != NULL) {
		copy_end(post, copy);
		return 1;
	}
	return post->is_ended ? waiting_end(post) : waiting_copy(post);
}

bool dma_post_arm(struct doca_ctx *ctx)
{
	struct dma_post *post = dma_of(ctx)->post;
	bool pending = post->must_pump;

	for (size_t i = 0; i < N_PATHS && !pending; i++)
		pending = post->requesters[i] != NULL && requester_arm(post->requesters[i]);
	return pending;
}

void dma_post_disarm(struct doca_ctx *ctx)
{
	struct dma_post *post = dma_of(ctx)->post;

	for (size_t i = 0; i < N_PATHS; i++) {
		if (post->requesters[i] != NULL)
			requester_disarm(post->requesters[i]);
	}
}

void dma_post_stop(struct dma_post *post)
{
	post->is_ended = post->must_pump = true;
	for (size_t i = 0; i < N_PATHS; i++) {
		if (post->requesters[i] != NULL)
			requester_disconnect(post->requesters[i]);
	}
}

bool dma_post_is_idle(const struct dma_post *post)
{
	return post->n_active == 0 && post->waiting == NULL;
}
