/* Event rings with a queue behind them; see event_out.h. */
#include "daemon/event_out.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/bell.h"
#include "util/clock.h"
#include "util/util.h"

/* The client does not say when it has made room, so the daemon looks again, less and less often. */
#define EVENT_OUT_DELAY_MIN (5 * NS_PER_MS)
#define EVENT_OUT_DELAY_MAX (200 * NS_PER_MS)

static bool event_is_limited(const struct event *event)
{
	return event->type != EVENT_CONSUMER_NEW && event->type != EVENT_CONSUMER_GONE;
}

static void event_out_on_retry(void *user)
{
	struct event_out *out = user;

	while (out->n_queued) {
		const struct event *event = &out->queue[out->first];
		int r = event_writer_push(&out->writer, event);

		if (r == -ENOSPC) {
			loop_timer_set(out->retry, out->delay_ns);
			out->delay_ns = MIN(out->delay_ns * 2, EVENT_OUT_DELAY_MAX);
			return;
		}
		/* A broken ring is its client's loss; the next push says so. */
		if (r < 0)
			out->n_queued = 1;
		out->n_limited -= event_is_limited(event);
		out->first++;
		out->n_queued--;
		out->delay_ns = EVENT_OUT_DELAY_MIN;
	}
	out->first = 0;
	out->n_limited = 0;
}

int event_out_init(struct event_out *out, struct loop *loop)
{
	int r;

	*out = (struct event_out)EVENT_OUT_INIT;
	out->writer.ring_bell = bell_ring;
	r = event_writer_init(&out->writer);
	if (r < 0)
		return r;
	out->retry = loop_timer_new(loop, event_out_on_retry, out);
	if (!out->retry) {
		event_out_deinit(out);
		return -ENOMEM;
	}
	return 0;
}

void event_out_deinit(struct event_out *out)
{
	out->retry = loop_source_free(out->retry);
	free(out->queue);
	out->queue = NULL;
	out->n_queued = out->n_allocated = out->first = out->n_limited = 0;
	if (out->writer.ring)
		event_writer_deinit(&out->writer);
}

static int event_out_make_room(struct event_out *out)
{
	struct event *queue;
	size_t n;

	if (out->first + out->n_queued < out->n_allocated)
		return 0;
	if (out->first) {
		memmove(out->queue, out->queue + out->first, out->n_queued * sizeof(*out->queue));
		out->first = 0;
		return 0;
	}
	n = out->n_allocated ? out->n_allocated * 2 : 64;
	queue = realloc(out->queue, n * sizeof(*queue));
	if (!queue)
		return -ENOMEM;
	out->queue = queue;
	out->n_allocated = n;
	return 0;
}

int event_out_push(struct event_out *out, const struct event *event)
{
	int r;

	if (!out->writer.ring)
		return 0;
	if (out->n_queued == 0) {
		r = event_writer_push(&out->writer, event);
		if (r != -ENOSPC)
			return r;
		out->delay_ns = EVENT_OUT_DELAY_MIN;
	}
	if (event_is_limited(event) && out->n_limited == EVENT_OUT_MAX_QUEUED)
		return -ENOBUFS;
	r = event_out_make_room(out);
	if (r < 0)
		return r;
	out->queue[out->first + out->n_queued++] = *event;
	out->n_limited += event_is_limited(event);
	return loop_timer_set(out->retry, out->delay_ns);
}

bool event_out_cancel(struct event_out *out, const struct event *event)
{
	for (size_t i = out->n_queued; i > 0; i--) {
		struct event *at = &out->queue[out->first + i - 1];

		if (at->type != event->type || at->id != event->id || at->arg != event->arg)
			continue;
		memmove(at, at + 1, (out->n_queued - i) * sizeof(*at));
		out->n_queued--;
		out->n_limited -= event_is_limited(event);
		return true;
	}
	return false;
}
