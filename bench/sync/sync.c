/*
 * sync: sync events between two processes on two sides. poll: one way from
 * doca_sync_event_update_set() to a polling wait, compared with an atomic word. yield and epoll:
 * round trips of two processes that sleep while they wait, in doca_sync_event_wait_eq_yield() and
 * in epoll with a wait task in flight, compared with a futex and with eventfds in epoll. add:
 * doca_sync_event_update_add() compared with an atomic addition, without another process.
 */
#include <stdlib.h>

#include "bench/base/measure.h"
#include "bench/base/peer.h"
#include "bench/base/report.h"
#include "bench/sync/end.h"

struct sync_case {
	struct bench *bench;
	struct sync_end *end;
	enum sync_wait_mode mode;
	uint64_t values[N_SYNC_WAIT_MODES]; /* present values of the counters */
	_Atomic uint64_t *raw;
};

/* Operations per round trip: two if the figure is for one direction. */
static uint64_t ops_per_round(enum sync_wait_mode mode)
{
	return mode == SYNC_POLL ? 2 : 1;
}

static uint64_t *counter_of(struct sync_case *c)
{
	/* Two modes share the event for calls. */
	return &c->values[c->mode == SYNC_EPOLL ? SYNC_EPOLL : SYNC_POLL];
}

static void engage(struct sync_case *c, bool is_raw, uint64_t n)
{
	struct peer_msg msg = {.op = PEER_SYNC_RUN,
			       .n = n / ops_per_round(c->mode),
			       .kind = c->mode,
			       .depth = is_raw,
			       .addr = *counter_of(c)};

	peer_engage(c->bench->peer, &msg);
}

static void ours_begin(void *arg, uint64_t n)
{
	engage(arg, false, n);
}

static void ours_run(void *arg, uint64_t n)
{
	struct sync_case *c = arg;
	uint64_t *value = counter_of(c);

	n /= ops_per_round(c->mode);
	sync_end_run(c->end, c->mode, true, *value, n);
	*value += 2 * n;
}

static void raw_begin(void *arg, uint64_t n)
{
	struct sync_case *c = arg;

	atomic_store(&c->bench->peer->shared->ball, 0);
	atomic_store(&c->bench->peer->shared->word, 0);
	engage(c, true, n);
}

static void raw_run(void *arg, uint64_t n)
{
	struct sync_case *c = arg;

	sync_end_run_raw(c->end, c->mode, true, n / ops_per_round(c->mode));
}

static void wait_done(void *arg)
{
	struct sync_case *c = arg;

	peer_wait_done(c->bench->peer);
}

static void mode_measure(struct sync_case *c, enum sync_wait_mode mode)
{
	static const struct {
		const char *variant, *reference;
	} names[N_SYNC_WAIT_MODES] = {
		[SYNC_POLL] = {"poll", "atomic word"},
		[SYNC_YIELD] = {"yield asleep", "futex"},
		[SYNC_EPOLL] = {"epoll", "eventfd + epoll"},
	};
	struct measure_plan plan = report_plan(c->bench, ops_per_round(mode), 1);
	struct work ours = {.run = ours_run, .begin = ours_begin, .end = wait_done, .args = {c}};
	struct work raw = {.run = raw_run, .begin = raw_begin, .end = wait_done, .args = {c}};
	struct report_row row = {.test = "sync",
				 .variant = names[mode].variant,
				 .transport = "shm",
				 .depth = 1,
				 .n_threads = 1,
				 .reference = names[mode].reference};

	if (mode == SYNC_YIELD)
		ours.pause_ns = raw.pause_ns = 2 * SYNC_PAUSE_NS;
	c->mode = mode;
	plan.peer = c->bench->peer;
	report_measure(c->bench->report, &row, &plan, &ours, &raw);
}

static void add_run(void *arg, uint64_t n)
{
	struct sync_case *c = arg;

	sync_end_add(c->end, n);
}

static void raw_add_run(void *arg, uint64_t n)
{
	struct sync_case *c = arg;
	uint64_t fetched;

	for (; n > 0; n--) {
		fetched = atomic_fetch_add(c->raw, 1);
		MEASURE_ESCAPE(fetched);
	}
}

static void add_measure(struct sync_case *c)
{
	struct measure_plan plan = report_plan(c->bench, 1, 1);
	struct work ours = {.run = add_run, .args = {c}}, raw = {.run = raw_add_run, .args = {c}};
	struct report_row row = {.test = "sync",
				 .variant = "add",
				 .transport = "shm",
				 .depth = 1,
				 .n_threads = 1,
				 .reference = "atomic add"};

	report_measure(c->bench->report, &row, &plan, &ours, &raw);
}

static struct sync_end *open_both(struct bench *bench)
{
	struct sync_end *end = sync_end_new(bench->side, bench->peer->shared, bench->peer->bells);

	for (uint32_t with_tasks = 0; with_tasks < 2; with_tasks++) {
		struct peer_msg msg = {.op = PEER_SYNC_OPEN, .kind = with_tasks};

		msg.payload_len = (uint32_t)sync_end_export(end, with_tasks, msg.payload,
							    sizeof(msg.payload));
		peer_call(bench->peer, &msg);
	}
	return end;
}

void bench_sync(struct bench *bench)
{
	struct sync_case c = {.bench = bench, .end = open_both(bench)};
	struct peer_msg msg = {.op = PEER_SYNC_CLOSE};

	c.raw = bench_alloc(1, sizeof(*c.raw));
	for (enum sync_wait_mode mode = 0; mode < N_SYNC_WAIT_MODES; mode++)
		mode_measure(&c, mode);
	add_measure(&c);
	peer_call(bench->peer, &msg);
	sync_end_delete(c.end);
	free((void *)c.raw);
}
