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

static doca_error_t fars_open(struct doca_comch_producer *producer)
{
	struct comch_fars *fars = calloc(1, sizeof(*fars));
	int r = -ENOMEM;

	if (fars != NULL) {
		fars->timer_fd = -1;
		fars->bell_fd = r = fd_eventfd();
		if (r >= 0)
			r = pe_add_eventfd(producer->ctx.pe, fars->bell_fd);
	}
	if (r < 0) {
		if (fars != NULL)
			fd_close(&fars->bell_fd);
		free(fars);
		return error_set(error_from_errno(r),
				 "comch producer send: no means to hear of the connection's end "
				 "(error %d)",
				 -r);
	}
	list_init(&fars->all);
	fars->ready_tail = &fars->ready;
	producer->fars = fars;
	comch_link_set_bell(&producer->member, fars->bell_fd);
	ctx_set_polled(&producer->ctx, true);
	return DOCA_SUCCESS;
}

void comch_fars_close(struct doca_comch_producer *producer)
{
	struct comch_fars *fars = producer->fars;

	if (fars == NULL)
		return;
	ctx_set_polled(&producer->ctx, false);
	comch_link_set_bell(&producer->member, -1);
	while (!list_is_empty(&fars->all))
		comch_far_close(list_entry(fars->all.next, struct comch_far, node));
	pe_remove_eventfd(producer->ctx.pe, fars->bell_fd);
	fd_close(&fars->bell_fd);
	pe_close_timer(producer->ctx.pe, &fars->timer_fd);
	free(fars);
	producer->fars = NULL;
}

static struct comch_far *far_find(const struct doca_comch_producer *producer,
				  const struct comch_remote *to)
{
	struct comch_far *far;

	list_for_each(far, &producer->fars->all, node)
	{
		if (far->to == to && !far->is_let_go)
			return far;
	}
	return NULL;
}

doca_error_t comch_far_get(struct doca_comch_producer *producer, struct comch_remote *to,
			   struct comch_far **far_out)
{
	doca_error_t result = DOCA_SUCCESS;

	if (producer->fars == NULL)
		result = fars_open(producer);
	if (result != DOCA_SUCCESS)
		return result;
	*far_out = far_find(producer, to);
	return *far_out != NULL ? DOCA_SUCCESS : comch_far_open(producer, to, far_out);
}

void comch_far_let_go(struct doca_comch_producer *producer, const struct comch_remote *to)
{
	struct comch_far *far = producer->fars != NULL ? far_find(producer, to) : NULL;

	if (far != NULL)
		far->is_let_go = true;
}

/* --- progress --- */

static bool far_is_idle(const struct comch_far *far)
{
	return far->first == far->last && far->n_out == 0;
}

/* Ends a path that is not used any more: cancels its credit reads and closes it. */
static void far_retire(struct comch_far *far)
{
	if (far->first == far->last)
		comch_far_cut(far);
	if (far_is_idle(far))
		comch_far_close(far);
}

static void fars_work(struct doca_comch_producer *producer)
{
	struct comch_fars *fars = producer->fars;
	bool stops = producer->ctx.state == DOCA_CTX_STATE_STOPPING;
	bool gives_up = stops && clock_now_ns() >= fars->give_up_ns;
	struct comch_far *far, *tmp;

	list_for_each_safe(far, tmp, &fars->all, node)
	{
		if (gives_up)
			comch_far_break(far);
		comch_far_work(far);
		if (stops || far->is_let_go || comch_remote_gone(far->to))
			far_retire(far);
	}
}

uint8_t comch_fars_poll(struct doca_ctx *ctx)
{
	struct doca_comch_producer *producer = producer_of(ctx);
	struct comch_fars *fars = producer->fars;
	struct doca_task *task;

	fars_work(producer);
	task = fars->ready;
	if (task == NULL)
		return 0;
	fars->ready = task->next;
	if (fars->ready == NULL)
		fars->ready_tail = &fars->ready;
	task_finish(task, task->status);
	return 1;
}

/* Returns true if there is something to do now. */
static bool far_arm(struct comch_far *far)
{
	if (!far->is_broken && comch_link_ended(far->producer->member.link) != 0)
		return true;
	return requester_arm(far->requester);
}

bool comch_fars_arm(struct doca_ctx *ctx)
{
	struct doca_comch_producer *producer = producer_of(ctx);
	struct comch_fars *fars = producer->fars;
	struct comch_far *far;
	bool gives_up = false;

	if (fars == NULL)
		return false;
	if (fars->ready != NULL)
		return true;
	list_for_each(far, &fars->all, node)
	{
		if (far_arm(far))
			return true;
		gives_up |= ctx->state == DOCA_CTX_STATE_STOPPING && !far->is_broken;
	}
	/* Messages in progress may still arrive until then. */
	return gives_up && !pe_set_timer(ctx->pe, &fars->timer_fd, fars->give_up_ns);
}

void comch_fars_disarm(struct doca_ctx *ctx)
{
	const struct comch_fars *fars = producer_of(ctx)->fars;
	struct comch_far *far;

	if (fars == NULL)
		return;
	list_for_each(far, &fars->all, node) requester_disarm(far->requester);
}

void comch_fars_stop(struct doca_ctx *ctx)
{
	struct doca_comch_producer *producer = producer_of(ctx);

	if (producer->fars == NULL)
		return;
	producer->fars->give_up_ns = clock_now_ns() + STOP_WAIT_NS;
	fars_work(producer);
}

bool comch_fars_are_idle(const struct doca_ctx *ctx)
{
	const struct comch_fars *fars = producer_of(ctx)->fars;

	return fars == NULL || (list_is_empty(&fars->all) && fars->ready == NULL);
}
