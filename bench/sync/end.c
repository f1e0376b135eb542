/* See bench/sync/end.h. */
#include "bench/sync/end.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <doca_ctx.h>
#include <doca_pe.h>
#include <doca_sync_event.h>

#include "bench/base/device.h"
#include "bench/base/peer.h"
#include "util/clock.h"

struct sync_end {
	struct peer_shared *shared;
	struct doca_dev *dev;
	struct doca_sync_event *calls, *tasks;
	struct doca_pe *pe;
	struct doca_ctx *ctx;
	struct doca_sync_event_task_notify_set *set;
	struct doca_sync_event_task_wait_eq *wait;
	int handle; /* of the engine */
	unsigned n_done;
	int my_bell, other_bell;
	int epoll_fd; /* watches my_bell */
};

/* --- events --- */

static void on_set(struct doca_sync_event_task_notify_set *task, union doca_data task_data,
		   union doca_data ctx_data)
{
	struct sync_end *end = ctx_data.ptr;

	(void)task;
	(void)task_data;
	end->n_done++;
}

static void on_set_failed(struct doca_sync_event_task_notify_set *task, union doca_data task_data,
			  union doca_data ctx_data)
{
	(void)task_data;
	(void)ctx_data;
	bench_check(doca_task_get_status(doca_sync_event_task_notify_set_as_doca_task(task)),
		    "set the sync event");
}

static void on_wait(struct doca_sync_event_task_wait_eq *task, union doca_data task_data,
		    union doca_data ctx_data)
{
	struct sync_end *end = ctx_data.ptr;

	(void)task;
	(void)task_data;
	end->n_done++;
}

static void on_wait_failed(struct doca_sync_event_task_wait_eq *task, union doca_data task_data,
			   union doca_data ctx_data)
{
	(void)task_data;
	(void)ctx_data;
	bench_check(doca_task_get_status(doca_sync_event_task_wait_eq_as_doca_task(task)),
		    "wait for the sync event");
}

static void tasks_start(struct sync_end *end)
{
	union doca_data nothing = {.u64 = 0}, self = {.ptr = end};
	doca_notification_handle_t handle;

	end->ctx = doca_sync_event_as_ctx(end->tasks);
	bench_check(doca_pe_create(&end->pe), "create a progress engine");
	bench_check(doca_pe_connect_ctx(end->pe, end->ctx), "connect the sync event");
	bench_check(doca_sync_event_task_notify_set_set_conf(end->tasks, on_set, on_set_failed, 1),
		    "configure tasks");
	bench_check(doca_sync_event_task_wait_eq_set_conf(end->tasks, on_wait, on_wait_failed, 1),
		    "configure tasks");
	bench_check(doca_ctx_set_user_data(end->ctx, self), "configure the sync event");
	bench_check(doca_ctx_start(end->ctx), "start the sync event");
	bench_check(doca_sync_event_task_notify_set_alloc_init(end->tasks, 0, nothing, &end->set),
		    "allocate a task");
	bench_check(doca_sync_event_task_wait_eq_alloc_init(end->tasks, 0, UINT64_MAX, nothing,
							    &end->wait),
		    "allocate a task");
	bench_check(doca_pe_get_notification_handle(end->pe, &handle), "get the engine's handle");
	end->handle = handle;
}

static void event_start(struct sync_end *end, bool with_tasks, struct doca_sync_event *event)
{
	if (with_tasks) {
		end->tasks = event;
		tasks_start(end);
		return;
	}
	end->calls = event;
	bench_check(doca_sync_event_start(event), "start the sync event");
}

size_t sync_end_export(struct sync_end *end, bool with_tasks, uint8_t *payload, size_t room)
{
	struct doca_sync_event *event;
	const uint8_t *data;
	size_t len;

	bench_check(doca_sync_event_create(&event), "create a sync event");
	bench_check(doca_sync_event_add_publisher_location_remote_pci(event), "add a publisher");
	bench_check(doca_sync_event_add_subscriber_location_cpu(event, end->dev),
		    "add a subscriber");
	event_start(end, with_tasks, event);
	bench_check(doca_sync_event_export_to_remote_pci(event, end->dev, &data, &len),
		    "export the sync event");
	if (len > room)
		bench_die("the export descriptor has %zu bytes", len);
	memcpy(payload, data, len);
	return len;
}

void sync_end_import(struct sync_end *end, bool with_tasks, const uint8_t *payload, size_t len)
{
	struct doca_sync_event *event;

	bench_check(doca_sync_event_create_from_export(end->dev, payload, len, &event),
		    "import the sync event");
	event_start(end, with_tasks, event);
}

struct sync_end *sync_end_new(enum bench_side side, struct peer_shared *shared, const int bells[2])
{
	struct sync_end *end = bench_alloc(1, sizeof(*end));
	struct epoll_event watch = {.events = EPOLLIN};

	(void)side;
	end->shared = shared;
	end->my_bell = bells[0];
	end->other_bell = bells[1];
	end->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	if (end->epoll_fd < 0 || epoll_ctl(end->epoll_fd, EPOLL_CTL_ADD, bells[0], &watch) != 0)
		bench_die("cannot make an epoll: %m");
	end->dev = device_open(doca_sync_event_cap_is_export_to_remote_pci_supported,
			       "open a device with sync events");
	return end;
}

void sync_end_delete(struct sync_end *end)
{
	if (end->tasks != NULL) {
		doca_task_free(doca_sync_event_task_notify_set_as_doca_task(end->set));
		doca_task_free(doca_sync_event_task_wait_eq_as_doca_task(end->wait));
		bench_check(doca_ctx_stop(end->ctx), "stop the sync event");
		bench_check(doca_sync_event_destroy(end->tasks), "destroy the sync event");
		bench_check(doca_pe_destroy(end->pe), "destroy the progress engine");
	}
	if (end->calls != NULL)
		bench_check(doca_sync_event_destroy(end->calls), "destroy the sync event");
	doca_dev_close(end->dev);
	close(end->epoll_fd);
	free(end);
}

/* --- library --- */

static void poll_run(struct sync_end *end, bool leads, uint64_t value, uint64_t n)
{
	doca_error_t result = DOCA_SUCCESS;

	for (; n > 0; n--, value += 2) {
		if (leads) {
			result |= doca_sync_event_update_set(end->calls, value + 1);
			result |= doca_sync_event_wait_eq(end->calls, value + 2, UINT64_MAX);
		} else {
			result |= doca_sync_event_wait_eq(end->calls, value + 1, UINT64_MAX);
			result |= doca_sync_event_update_set(end->calls, value + 2);
		}
	}
	bench_check(result, "count rounds");
}

static void pause_spinning(void)
{
	uint64_t end_ns = clock_now_ns() + SYNC_PAUSE_NS;

	while (clock_now_ns() < end_ns)
		continue;
}

static void yield_run(struct sync_end *end, bool leads, uint64_t value, uint64_t n)
{
	doca_error_t result = DOCA_SUCCESS;

	for (; n > 0; n--, value += 2) {
		if (leads) {
			pause_spinning();
			result |= doca_sync_event_update_set(end->calls, value + 1);
			result |= doca_sync_event_wait_eq_yield(end->calls, value + 2, UINT64_MAX);
		} else {
			result |= doca_sync_event_wait_eq_yield(end->calls, value + 1, UINT64_MAX);
			pause_spinning();
			result |= doca_sync_event_update_set(end->calls, value + 2);
		}
	}
	bench_check(result, "count rounds");
}

static void task_run(struct sync_end *end, struct doca_task *task)
{
	unsigned n = end->n_done;
	struct epoll_event event;

	bench_check(doca_task_submit(task), "submit a task");
	for (;;) {
		while (doca_pe_progress(end->pe))
			continue;
		if (end->n_done != n)
			return;
		doca_pe_request_notification(end->pe);
		while (epoll_wait(end->handle, &event, 1, -1) < 0 && errno == EINTR)
			continue;
		doca_pe_clear_notification(end->pe, 0);
	}
}

static void set_run(struct sync_end *end, uint64_t value)
{
	doca_sync_event_task_notify_set_set_set_val(end->set, value);
	task_run(end, doca_sync_event_task_notify_set_as_doca_task(end->set));
}

static void wait_run(struct sync_end *end, uint64_t value)
{
	doca_sync_event_task_wait_eq_set_wait_val(end->wait, value);
	task_run(end, doca_sync_event_task_wait_eq_as_doca_task(end->wait));
}

static void epoll_run(struct sync_end *end, bool leads, uint64_t value, uint64_t n)
{
	for (; n > 0; n--, value += 2) {
		if (leads) {
			set_run(end, value + 1);
			wait_run(end, value + 2);
		} else {
			wait_run(end, value + 1);
			set_run(end, value + 2);
		}
	}
}

void sync_end_run(struct sync_end *end, enum sync_wait_mode mode, bool leads, uint64_t base,
		  uint64_t n)
{
	static void (*const runs[N_SYNC_WAIT_MODES])(struct sync_end *, bool, uint64_t,
						     uint64_t) = {
		[SYNC_POLL] = poll_run, [SYNC_YIELD] = yield_run, [SYNC_EPOLL] = epoll_run};

	runs[mode](end, leads, base, n);
}

void sync_end_add(struct sync_end *end, uint64_t n)
{
	doca_error_t result = DOCA_SUCCESS;
	uint64_t fetched;

	for (; n > 0; n--)
		result |= doca_sync_event_update_add(end->calls, 1, &fetched);
	bench_check(result, "add to the sync event");
}

uint64_t sync_end_value(struct sync_end *end)
{
	uint64_t value;

	bench_check(doca_sync_event_get(end->calls, &value), "read the sync event");
	return value;
}

/* --- raw --- */

static void poll_raw(struct sync_end *end, bool leads, uint32_t value, uint64_t n)
{
	_Atomic uint64_t *ball = &end->shared->ball;
	uint64_t mine = value + (leads ? 1 : 2), theirs = value + (leads ? 2 : 1);

	for (; n > 0; n--, mine += 2, theirs += 2) {
		if (leads)
			atomic_store_explicit(ball, mine, memory_order_release);
		while (atomic_load_explicit(ball, memory_order_acquire) != theirs)
			continue;
		if (!leads)
			atomic_store_explicit(ball, mine, memory_order_release);
	}
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

static void yield_raw(struct sync_end *end, bool leads, uint32_t value, uint64_t n)
{
	_Atomic uint32_t *word = &end->shared->word;

	for (; n > 0; n--, value += 2) {
		if (leads) {
			pause_spinning();
			word_set(word, value + 1);
			word_wait(word, value + 2);
		} else {
			word_wait(word, value + 1);
			pause_spinning();
			word_set(word, value + 2);
		}
	}
}

static void bell_ring(int fd)
{
	uint64_t one = 1;

	if (write(fd, &one, sizeof(one)) != (ssize_t)sizeof(one))
		bench_die("cannot write an eventfd: %m");
}

static void bell_wait(const struct sync_end *end)
{
	struct epoll_event event;
	uint64_t count;

	while (epoll_wait(end->epoll_fd, &event, 1, -1) < 0 && errno == EINTR)
		continue;
	if (read(end->my_bell, &count, sizeof(count)) != (ssize_t)sizeof(count))
		bench_die("cannot read an eventfd: %m");
}

static void epoll_raw(struct sync_end *end, bool leads, uint32_t value, uint64_t n)
{
	(void)value;
	for (; n > 0; n--) {
		if (leads)
			bell_ring(end->other_bell);
		bell_wait(end);
		if (!leads)
			bell_ring(end->other_bell);
	}
}

void sync_end_run_raw(struct sync_end *end, enum sync_wait_mode mode, bool leads, uint64_t n)
{
	static void (*const runs[N_SYNC_WAIT_MODES])(struct sync_end *, bool, uint32_t,
						     uint64_t) = {
		[SYNC_POLL] = poll_raw, [SYNC_YIELD] = yield_raw, [SYNC_EPOLL] = epoll_raw};

	runs[mode](end, leads, 0, n);
}
