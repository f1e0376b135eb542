/*
 * All of a producer's paths to consumers of other machines: the first message opens a path, the
 * progress engine polls it, and it ends with its target; see client/comch/remote/paths.h.
 * client/comch/remote/path.h describes how a message is transferred. Threads: those of the
 * producer's progress engine.
 */
#include "client/comch/remote/path.h"

#include <stdlib.h>

#include "client/rma/requester.h"
#include "util/clock.h"
#include "util/fd.h"

/* The time that a producer which stops waits for messages in progress. */
#define STOP_WAIT_NS (2 * NS_PER_SEC)

/* --- opening and closing --- */

static struct doca_comch_producer *producer_of(const struct doca_ctx *ctx)
{
	return container_of(ctx, struct doca_comch_producer, ctx);
}

static doca_error_t paths_open(struct doca_comch_producer *producer)
{
	struct comch_remote_paths *paths = calloc(1, sizeof(*paths));
	int r = -ENOMEM;

	if (paths != NULL) {
		paths->timer_fd = -1;
		paths->doorbell_fd = r = fd_eventfd();
		if (r >= 0)
			r = pe_add_eventfd(producer->ctx.pe, paths->doorbell_fd);
	}
	if (r < 0) {
		if (paths != NULL)
			fd_close(&paths->doorbell_fd);
		free(paths);
		return error_set(error_from_errno(r),
				 "comch producer send: cannot watch the connection for its end "
				 "(error %d)",
				 -r);
	}
	list_init(&paths->all);
	paths->ready_tail = &paths->ready;
	producer->paths = paths;
	comch_link_set_doorbell(&producer->member, paths->doorbell_fd);
	ctx_set_polled(&producer->ctx, true);
	return DOCA_SUCCESS;
}

void comch_remote_paths_close(struct doca_comch_producer *producer)
{
	struct comch_remote_paths *paths = producer->paths;

	if (paths == NULL)
		return;
	ctx_set_polled(&producer->ctx, false);
	comch_link_set_doorbell(&producer->member, -1);
	while (!list_is_empty(&paths->all))
		comch_remote_path_close(
			list_entry(paths->all.next, struct comch_remote_path, node));
	pe_remove_eventfd(producer->ctx.pe, paths->doorbell_fd);
	fd_close(&paths->doorbell_fd);
	pe_close_timer(producer->ctx.pe, &paths->timer_fd);
	free(paths);
	producer->paths = NULL;
}

static struct comch_remote_path *path_find(const struct doca_comch_producer *producer,
					   const struct comch_peer_consumer *to)
{
	struct comch_remote_path *path;

	list_for_each(path, &producer->paths->all, node)
	{
		if (path->to == to && !path->is_closing)
			return path;
	}
	return NULL;
}

doca_error_t comch_remote_path_get(struct doca_comch_producer *producer,
				   struct comch_peer_consumer *to,
				   struct comch_remote_path **path_out)
{
	doca_error_t result = DOCA_SUCCESS;

	if (producer->paths == NULL)
		result = paths_open(producer);
	if (result != DOCA_SUCCESS)
		return result;
	*path_out = path_find(producer, to);
	return *path_out != NULL ? DOCA_SUCCESS : comch_remote_path_open(producer, to, path_out);
}

void comch_remote_path_close_when_idle(struct doca_comch_producer *producer,
				       const struct comch_peer_consumer *to)
{
	struct comch_remote_path *path = producer->paths != NULL ? path_find(producer, to) : NULL;

	if (path != NULL)
		path->is_closing = true;
}

/* --- progress --- */

static bool path_is_idle(const struct comch_remote_path *path)
{
	return path->first == path->last && path->n_out == 0;
}

/* Ends a path that is not used any more: cancels its credit reads and closes it. */
static void path_retire(struct comch_remote_path *path)
{
	if (path->first == path->last)
		comch_remote_path_disconnect(path);
	if (path_is_idle(path))
		comch_remote_path_close(path);
}

static void paths_work(struct doca_comch_producer *producer)
{
	struct comch_remote_paths *paths = producer->paths;
	bool stops = producer->ctx.state == DOCA_CTX_STATE_STOPPING;
	bool time_is_over = stops && clock_now_ns() >= paths->give_up_ns;
	struct comch_remote_path *path, *tmp;

	list_for_each_safe(path, tmp, &paths->all, node)
	{
		if (time_is_over)
			comch_remote_path_break(path);
		comch_remote_path_poll(path);
		if (stops || path->is_closing || comch_peer_consumer_has_ended(path->to))
			path_retire(path);
	}
}

uint8_t comch_remote_paths_poll(struct doca_ctx *ctx)
{
	struct doca_comch_producer *producer = producer_of(ctx);
	struct comch_remote_paths *paths = producer->paths;
	struct doca_task *task;

	paths_work(producer);
	task = paths->ready;
	if (task == NULL)
		return 0;
	paths->ready = task->next;
	if (paths->ready == NULL)
		paths->ready_tail = &paths->ready;
	task_finish(task, task->status);
	return 1;
}

/* Returns true if there is something to do now. */
static bool path_arm(struct comch_remote_path *path)
{
	if (!path_is_broken(path) && comch_link_ended(path->producer->member.link) != 0)
		return true;
	return requester_arm(path->requester);
}

bool comch_remote_paths_arm(struct doca_ctx *ctx)
{
	struct doca_comch_producer *producer = producer_of(ctx);
	struct comch_remote_paths *paths = producer->paths;
	struct comch_remote_path *path;
	bool time_is_over = false;

	if (paths == NULL)
		return false;
	if (paths->ready != NULL)
		return true;
	list_for_each(path, &paths->all, node)
	{
		if (path_arm(path))
			return true;
		time_is_over |= ctx->state == DOCA_CTX_STATE_STOPPING && !path_is_broken(path);
	}
	/* Messages in progress may still arrive until then. */
	return time_is_over && !pe_set_timer(ctx->pe, &paths->timer_fd, paths->give_up_ns);
}

void comch_remote_paths_disarm(struct doca_ctx *ctx)
{
	const struct comch_remote_paths *paths = producer_of(ctx)->paths;
	struct comch_remote_path *path;

	if (paths == NULL)
		return;
	list_for_each(path, &paths->all, node) requester_disarm(path->requester);
}

void comch_remote_paths_stop(struct doca_ctx *ctx)
{
	struct doca_comch_producer *producer = producer_of(ctx);

	if (producer->paths == NULL)
		return;
	producer->paths->give_up_ns = clock_now_ns() + STOP_WAIT_NS;
	paths_work(producer);
}

bool comch_remote_paths_are_idle(const struct doca_ctx *ctx)
{
	const struct comch_remote_paths *paths = producer_of(ctx)->paths;

	return paths == NULL || (list_is_empty(&paths->all) && paths->ready == NULL);
}
