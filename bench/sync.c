/*
 * sync: sync events between two processes on two sides. poll: one way from
 * doca_sync_event_update_set() to a polling wait, compared with an atomic word. yield and epoll:
 * round trips of two processes that sleep while they wait, in doca_sync_event_wait_eq_yield() and
 * in epoll with a wait task in flight, compared with a futex and with eventfds in epoll. add:
 * doca_sync_event_update_add() compared with an atomic addition, without another process.
 *
 * Both processes run the same loop: the measuring process leads, the other one follows.
 */
#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <doca_sync_event.h>

#include "bench/base/device.h"
#include "bench/base/measure.h"
#include "bench/base/peer.h"

/*
 * In a yielding wait, a side waits this long before each of its changes, so that the other side is
 * asleep; this time is not counted. A waiter that yields is awake for the first microseconds.
 */
#define PAUSE_NS 60000u

/* The event is driven by tasks; otherwise by calls. */
#define WITH_TASKS 1u

struct sync {
	struct doca_sync_event *event;
	uint64_t value; /* the event's, at the beginning of a loop */
	struct doca_pe *pe;
	struct doca_sync_event_task_notify_set *set;
	struct doca_sync_event_task_wait_eq *wait;
	doca_notification_handle_t handle; /* of the engine */
	unsigned n_done;
	int epoll_fd; /* watches this process's doorbell */
	_Alignas(128) _Atomic uint64_t raw;
};

/* --- opening --- */

static void on_set(struct doca_sync_event_task_notify_set *task, union doca_data task_data,
		   union doca_data ctx_data)
{
	struct sync *s = ctx_data.ptr;

	(void)task_data;
	MUST(doca_task_get_status(doca_sync_event_task_notify_set_as_doca_task(task)));
	s->n_done++;
}

static void on_wait(struct doca_sync_event_task_wait_eq *task, union doca_data task_data,
		    union doca_data ctx_data)
{
	struct sync *s = ctx_data.ptr;

	(void)task_data;
	MUST(doca_task_get_status(doca_sync_event_task_wait_eq_as_doca_task(task)));
	s->n_done++;
}

static void event_start(struct bench *b)
{
	union doca_data none = {.u64 = 0};
	struct sync *s = b->state;

	if (b->row->kind != WITH_TASKS) {
		MUST(doca_sync_event_start(s->event));
		return;
	}
	MUST(doca_pe_create(&s->pe));
	MUST(doca_sync_event_task_notify_set_set_conf(s->event, on_set, on_set, 1));
	MUST(doca_sync_event_task_wait_eq_set_conf(s->event, on_wait, on_wait, 1));
	device_ctx_start(doca_sync_event_as_ctx(s->event), s->pe, s);
	MUST(doca_sync_event_task_notify_set_alloc_init(s->event, 0, none, &s->set));
	MUST(doca_sync_event_task_wait_eq_alloc_init(s->event, 0, UINT64_MAX, none, &s->wait));
	MUST(doca_pe_get_notification_handle(s->pe, &s->handle));
}

static void event_export(struct bench *b, struct doca_dev *dev)
{
	struct sync *s = b->state;
	const uint8_t *bytes;
	size_t len;

	MUST(doca_sync_event_create(&s->event));
	MUST(doca_sync_event_add_publisher_location_remote_pci(s->event));
	MUST(doca_sync_event_add_subscriber_location_cpu(s->event, dev));
	event_start(b);
	MUST(doca_sync_event_export_to_remote_pci(s->event, dev, &bytes, &len));
	peer_put(b, bytes, len);
	peer_get(b, &s->value, sizeof(s->value));
}

static void event_import(struct bench *b, struct doca_dev *dev)
{
	struct sync *s = b->state;
	uint8_t bytes[PEER_PAYLOAD_MAX];
	size_t len = peer_get(b, bytes, sizeof(bytes));

	MUST(doca_sync_event_create_from_export(dev, bytes, len, &s->event));
	event_start(b);
	peer_put(b, &s->value, sizeof(s->value));
}

static const char *sync_setup(struct bench *b)
{
	struct sync *s = b->state = bench_alloc(1, sizeof(*s));
	struct epoll_event watch = {.events = EPOLLIN};
	struct doca_dev *dev = device_open(doca_sync_event_cap_is_export_to_remote_pci_supported,
					   "open a device with sync events");

	s->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	if (s->epoll_fd < 0 ||
	    epoll_ctl(s->epoll_fd, EPOLL_CTL_ADD, b->peer->eventfds[0], &watch) != 0)
		bench_die("cannot make an epoll: %m");
	if (b->is_peer)
		event_import(b, dev);
	else
		event_export(b, dev);
	return NULL;
}

/* --- polling: an operation is one way --- */

static void poll_run(struct bench *b, uint64_t n)
{
	struct sync *s = b->state;
	doca_error_t result = DOCA_SUCCESS;
	uint64_t value = s->value;

	for (n /= 2; n > 0; n--, value += 2) {
		if (!b->is_peer) {
			laps_mark(b->laps);
			result |= doca_sync_event_update_set(s->event, value + 1);
			result |= doca_sync_event_wait_eq(s->event, value + 2, UINT64_MAX);
		} else {
			result |= doca_sync_event_wait_eq(s->event, value + 1, UINT64_MAX);
			result |= doca_sync_event_update_set(s->event, value + 2);
		}
	}
	laps_mark(b->laps);
	s->value = value;
	bench_check(result, "count rounds");
}

/* The raw words are 0 at the beginning of a loop. */
static void poll_raw(struct bench *b, uint64_t n)
{
	_Atomic uint64_t *ball = &b->peer->shared->ball;
	bool leads = !b->is_peer;
	uint64_t mine = leads ? 1 : 2, theirs = leads ? 2 : 1;

	for (n /= 2; n > 0; n--, mine += 2, theirs += 2) {
		if (leads)
			atomic_store_explicit(ball, mine, memory_order_release);
		while (atomic_load_explicit(ball, memory_order_acquire) != theirs)
			continue;
		if (!leads)
			atomic_store_explicit(ball, mine, memory_order_release);
	}
}

/* --- yielding: an operation is a round trip --- */

/* Waits until the other side is asleep. */
static void pause_spinning(void)
{
	uint64_t end_ns = clock_now_ns() + PAUSE_NS;

	while (clock_now_ns() < end_ns)
		continue;
}

/*
 * The leader's pause before a round. The follower's pause is part of the round and as long, so it
 * counts twice.
 */
static uint64_t pause_aside(struct bench *b)
{
	uint64_t start_ticks = measure_ticks(), ticks;

	pause_spinning();
	ticks = measure_ticks() - start_ticks;
	b->aside_ticks += 2 * ticks;
	return ticks;
}

static void yield_run(struct bench *b, uint64_t n)
{
	struct sync *s = b->state;
	doca_error_t result = DOCA_SUCCESS;
	uint64_t value = s->value, pause_ticks, start_ticks;

	for (; n > 0; n--, value += 2) {
		if (!b->is_peer) {
			pause_ticks = pause_aside(b);
			start_ticks = measure_ticks();
			result |= doca_sync_event_update_set(s->event, value + 1);
			result |= doca_sync_event_wait_eq_yield(s->event, value + 2, UINT64_MAX);
			laps_add(b->laps, measure_ticks() - start_ticks - pause_ticks);
		} else {
			result |= doca_sync_event_wait_eq_yield(s->event, value + 1, UINT64_MAX);
			pause_spinning();
			result |= doca_sync_event_update_set(s->event, value + 2);
		}
	}
	s->value = value;
	bench_check(result, "count rounds");
}

static void word_set(_Atomic uint32_t *word, uint32_t value)
{
	atomic_store_explicit(word, value, memory_order_release);
	syscall(SYS_futex, word, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

static void word_wait(_Atomic uint32_t *word, uint32_t value)
{
	uint32_t seen;

	while ((seen = atomic_load_explicit(word, memory_order_acquire)) != value)
		syscall(SYS_futex, word, FUTEX_WAIT, seen, NULL, NULL, 0);
}

static void yield_raw(struct bench *b, uint64_t n)
{
	_Atomic uint32_t *word = &b->peer->shared->word;
	uint32_t value = 0;

	for (; n > 0; n--, value += 2) {
		if (!b->is_peer) {
			pause_aside(b);
			word_set(word, value + 1);
			word_wait(word, value + 2);
		} else {
			word_wait(word, value + 1);
			pause_spinning();
			word_set(word, value + 2);
		}
	}
}

/* --- epoll: an operation is a round trip --- */

static void task_run(struct sync *s, struct doca_task *task)
{
	unsigned n = s->n_done;
	struct epoll_event event;

	bench_check(doca_task_submit(task), "submit a task");
	for (;;) {
		while (doca_pe_progress(s->pe))
			continue;
		if (s->n_done != n)
			return;
		doca_pe_request_notification(s->pe);
		while (epoll_wait(s->handle, &event, 1, -1) < 0 && errno == EINTR)
			continue;
		doca_pe_clear_notification(s->pe, 0);
	}
}

static void set_run(struct sync *s, uint64_t value)
{
	doca_sync_event_task_notify_set_set_set_val(s->set, value);
	task_run(s, doca_sync_event_task_notify_set_as_doca_task(s->set));
}

static void wait_run(struct sync *s, uint64_t value)
{
	doca_sync_event_task_wait_eq_set_wait_val(s->wait, value);
	task_run(s, doca_sync_event_task_wait_eq_as_doca_task(s->wait));
}

static void epoll_run(struct bench *b, uint64_t n)
{
	struct sync *s = b->state;

	for (; n > 0; n--, s->value += 2) {
		if (!b->is_peer) {
			laps_mark(b->laps);
			set_run(s, s->value + 1);
			wait_run(s, s->value + 2);
		} else {
			wait_run(s, s->value + 1);
			set_run(s, s->value + 2);
		}
	}
	laps_mark(b->laps);
}

static void eventfd_ring(int fd)
{
	uint64_t one = 1;

	if (write(fd, &one, sizeof(one)) != (ssize_t)sizeof(one))
		bench_die("cannot write an eventfd: %m");
}

static void epoll_raw(struct bench *b, uint64_t n)
{
	const struct sync *s = b->state;
	struct epoll_event event;
	uint64_t count;

	for (; n > 0; n--) {
		if (!b->is_peer)
			eventfd_ring(b->peer->eventfds[1]);
		while (epoll_wait(s->epoll_fd, &event, 1, -1) < 0 && errno == EINTR)
			continue;
		if (read(b->peer->eventfds[0], &count, sizeof(count)) != (ssize_t)sizeof(count))
			bench_die("cannot read an eventfd: %m");
		if (b->is_peer)
			eventfd_ring(b->peer->eventfds[1]);
	}
}

/* --- additions --- */

static void add_run(struct bench *b, uint64_t n)
{
	struct sync *s = b->state;
	doca_error_t result = DOCA_SUCCESS;
	uint64_t fetched;

	for (; n > 0; n--)
		result |= doca_sync_event_update_add(s->event, 1, &fetched);
	bench_check(result, "add to the sync event");
}

static void add_raw(struct bench *b, uint64_t n)
{
	struct sync *s = b->state;
	uint64_t fetched;

	for (; n > 0; n--) {
		fetched = atomic_fetch_add(&s->raw, 1);
		MEASURE_ESCAPE(fetched);
	}
}

#define SYNC(name, other, most)                                                  \
	.test = "sync", .variant = name, .transport = "shm", .reference = other, \
	.points = {{0, 1, most}}, .setup = sync_setup, .flags = ROW_PEER

static const struct bench_row rows[] = {
	{SYNC("poll", "atomic word", 1.10) | ROW_NEAR | ROW_LAPS, .multiple = 2, .ops_of_lap = 2,
	 .run = poll_run, .serve = poll_run, .reference_run = poll_raw,
	 .reference_serve = poll_raw},
	{SYNC("yield asleep", "futex", 1.15) | ROW_NEAR | ROW_LAPS, .multiple = 1, .run = yield_run,
	 .serve = yield_run, .reference_run = yield_raw, .reference_serve = yield_raw},
	{SYNC("epoll", "eventfd + epoll", 1.15) | ROW_NEAR | ROW_LAPS, .multiple = 1,
	 .kind = WITH_TASKS, .run = epoll_run, .serve = epoll_run, .reference_run = epoll_raw,
	 .reference_serve = epoll_raw},
	{SYNC("add", "atomic add", 1.2), .multiple = 1, .run = add_run, .reference_run = add_raw},
};

BENCH_TABLE(bench_sync, rows);
