/* Event rings with a queue behind them; see event_out.h. */
#include "daemon/session/event_out.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/base/client_doorbell.h"
#include "daemon/session/persist.h"
#include "util/clock.h"
#include "util/fd.h"
#include "util/util.h"

/* The client does not signal when it has made room, so the daemon retries at growing intervals. */
#define EVENT_OUT_DELAY_MIN (5 * NS_PER_MS)
#define EVENT_OUT_DELAY_MAX (200 * NS_PER_MS)

static bool event_is_limited(const struct event *event)
{
	return event->type != EVENT_CONSUMER_NEW && event->type != EVENT_CONSUMER_GONE &&
	       event->type != EVENT_CHANNEL_CLOSED && event->type != EVENT_SERVER_GONE;
}

bool event_out_is_full(const struct event_out *out)
{
	return out->n_limited >= EVENT_OUT_MAX_QUEUED;
}

bool event_out_has_many(const struct event_out *out)
{
	return out->n_queued >= EVENT_OUT_MANY;
}

/* Removes the records of the queued events after the first n. */
static void event_out_forget(struct event_out *out, size_t n)
{
	for (size_t i = n; i < out->n_queued; i++)
		persist_event_done(out, &out->queue[out->first + i]);
}

static void event_out_on_retry(void *user)
{
	struct event_out *out = user;

	while (out->n_queued) {
		struct event_queued *queued = &out->queue[out->first];
		const struct event *event = &queued->event;
		int r = out->queue_is_doubtful && event_writer_has(&out->writer, event)
				? 0
				: event_writer_push(&out->writer, event);

		if (r == -ENOSPC) {
			loop_timer_set(out->retry, out->delay_ns);
			out->delay_ns = MIN(out->delay_ns * 2, EVENT_OUT_DELAY_MAX);
			return;
		}
		out->queue_is_doubtful = false;
		persist_event_done(out, queued);
		/* An invalid ring is its client's loss. The next push reports it. */
		if (r < 0) {
			event_out_forget(out, 1);
			out->n_queued = 1;
		}
		out->n_limited -= event_is_limited(event);
		out->first++;
		out->n_queued--;
		out->delay_ns = EVENT_OUT_DELAY_MIN;
	}
	out->first = 0;
	out->n_limited = 0;
}

static int event_out_start(struct event_out *out, struct loop *loop)
{
	out->retry = loop_timer_new(loop, event_out_on_retry, out);
	if (!out->retry) {
		event_out_deinit(out);
		return -ENOMEM;
	}
	return 0;
}

int event_out_init(struct event_out *out, struct loop *loop)
{
	int r;

	*out = (struct event_out)EVENT_OUT_INIT;
	out->writer.ring_doorbell = client_doorbell_ring;
	r = event_writer_init(&out->writer);
	return r < 0 ? r : event_out_start(out, loop);
}

int event_out_resume(struct event_out *out, struct loop *loop, int memfd, int eventfd)
{
	int r;

	*out = (struct event_out)EVENT_OUT_INIT;
	out->writer.ring_doorbell = client_doorbell_ring;
	r = event_writer_resume(&out->writer, memfd, eventfd);
	if (r == 0)
		return event_out_start(out, loop);
	fd_close(&memfd);
	fd_close(&eventfd);
	return r;
}

void event_out_set_owner(struct event_out *out, struct session *session, uint32_t owner,
			 uint64_t owner_id)
{
	out->session = session;
	out->owner = owner;
	out->owner_id = owner_id;
}

void event_out_deinit(struct event_out *out)
{
	event_out_forget(out, 0);
	out->retry = loop_source_free(out->retry);
	free(out->queue);
	out->queue = NULL;
	out->n_queued = out->n_allocated = out->first = out->n_limited = 0;
	if (out->writer.ring)
		event_writer_deinit(&out->writer);
}

static int event_out_make_room(struct event_out *out)
{
	struct event_queued *queue;
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
	if (event_is_limited(event) && event_out_is_full(out))
		return -ENOBUFS;
	r = event_out_make_room(out);
	if (r < 0)
		return r;
	out->queue[out->first + out->n_queued] = (struct event_queued){.event = *event};
	persist_event(out, &out->queue[out->first + out->n_queued]);
	out->n_queued++;
	out->n_limited += event_is_limited(event);
	return loop_timer_set(out->retry, out->delay_ns);
}

int event_out_restore(struct event_out *out, const struct event *event, uint32_t cell)
{
	int r = event_out_make_room(out);

	if (r < 0)
		return r;
	/* The first event may have been pushed without its record having been removed. */
	if (out->n_queued == 0)
		out->queue_is_doubtful = true;
	out->queue[out->first + out->n_queued++] = (struct event_queued){*event, cell};
	out->n_limited += event_is_limited(event);
	out->delay_ns = EVENT_OUT_DELAY_MIN;
	return loop_timer_set(out->retry, out->delay_ns);
}

static bool event_is_same(const struct event *one, const struct event *other)
{
	return one->type == other->type && one->id == other->id && one->arg == other->arg;
}

bool event_out_has(const struct event_out *out, const struct event *event)
{
	if (!out->writer.ring)
		return false;
	for (size_t i = 0; i < out->n_queued; i++)
		if (event_is_same(&out->queue[out->first + i].event, event))
			return true;
	return event_writer_has(&out->writer, event);
}

bool event_out_cancel(struct event_out *out, const struct event *event)
{
	for (size_t i = out->n_queued; i > 0; i--) {
		struct event_queued *at = &out->queue[out->first + i - 1];

		if (!event_is_same(&at->event, event))
			continue;
		/* The event stays for the next retry, which finds it in the ring. */
		if (i == 1 && out->queue_is_doubtful && event_writer_has(&out->writer, event))
			return false;
		persist_event_done(out, at);
		memmove(at, at + 1, (out->n_queued - i) * sizeof(*at));
		out->n_queued--;
		out->n_limited -= event_is_limited(event);
		return true;
	}
	return false;
}
