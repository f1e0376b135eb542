/* See bench/comch/fast_end.h. */
#include "bench/comch/fast_end.h"

#include <stdlib.h>

#include <doca_buf.h>
#include <doca_buf_inventory.h>
#include <doca_comch_consumer.h>
#include <doca_comch_producer.h>
#include <doca_ctx.h>

#include "bench/base/device.h"
#include "util/clock.h"

#define STOP_LIMIT_NS (5 * NS_PER_SEC)

struct fast_end {
	struct fast_end_spec spec;
	struct comch_end *end;
	struct doca_pe *pe;
	struct doca_mmap *recv_map, *send_map;
	struct doca_buf_inventory *inventory;
	void *recv_memory, *send_memory;
	struct doca_comch_consumer *consumer;
	struct doca_comch_producer *producer;
	struct doca_comch_producer_task_send **tasks; /* free[0..n_free) */
	uint32_t n_free;
	bool is_posted;
	uint64_t n_received;
	uint64_t n_answers; /* number of following messages to answer at once */
	uint64_t sum;       /* sum of first and last bytes, so that each message is read */
};

static bool task_submit(struct fast_end *fast)
{
	doca_error_t result;

	if (fast->n_free == 0)
		bench_die("comch: an answer came before the completion of what it answers");
	result = doca_task_submit(
		doca_comch_producer_task_send_as_task(fast->tasks[fast->n_free - 1]));
	if (result == DOCA_ERROR_AGAIN)
		return false;
	if (result != DOCA_SUCCESS)
		bench_check(result, "send by a producer");
	fast->n_free--;
	return true;
}

static void on_received(struct doca_comch_consumer_task_post_recv *task, union doca_data task_data,
			union doca_data ctx_data)
{
	struct doca_buf *buf = doca_comch_consumer_task_post_recv_get_buf(task);
	struct fast_end *fast = ctx_data.ptr;
	const uint8_t *bytes = task_data.ptr;

	fast->sum += bytes[0] + (uint64_t)bytes[fast->spec.size - 1];
	fast->n_received++;
	if (fast->n_answers > 0) {
		fast->n_answers--;
		if (!task_submit(fast))
			bench_die("comch: no receive was posted for an answer");
	}
	doca_buf_reset_data_len(buf);
	bench_check(doca_task_submit(doca_comch_consumer_task_post_recv_as_task(task)),
		    "post a receive");
}

static void on_flushed(struct doca_comch_consumer_task_post_recv *task, union doca_data task_data,
		       union doca_data ctx_data)
{
	(void)task_data;
	(void)ctx_data;
	doca_buf_dec_refcount(doca_comch_consumer_task_post_recv_get_buf(task), NULL);
	doca_task_free(doca_comch_consumer_task_post_recv_as_task(task));
}

static void on_sent(struct doca_comch_producer_task_send *task, union doca_data task_data,
		    union doca_data ctx_data)
{
	struct fast_end *fast = ctx_data.ptr;

	(void)task_data;
	fast->tasks[fast->n_free++] = task;
}

static void memory_open(struct fast_end *fast)
{
	const struct fast_end_spec *s = &fast->spec;
	size_t len = (size_t)s->n_receives * s->size;
	struct doca_dev *dev = comch_end_dev(fast->end);

	fast->recv_memory = device_memory_new(s->kind, len);
	fast->recv_map = device_map_new(dev, fast->recv_memory, len);
	fast->send_memory = device_memory_new(TRANSPORT_LOCAL, s->size);
	fast->send_map = device_map_new(dev, fast->send_memory, s->size);
	bench_check(doca_buf_inventory_create(s->n_receives + s->n_tasks, &fast->inventory),
		    "create an inventory");
	bench_check(doca_buf_inventory_start(fast->inventory), "start an inventory");
}

static void consumer_open(struct fast_end *fast, struct doca_comch_connection *connection)
{
	union doca_data data = {.ptr = fast};
	struct doca_ctx *ctx;
	doca_error_t result;

	bench_check(doca_comch_consumer_create(connection, fast->recv_map, &fast->consumer),
		    "create a consumer");
	ctx = doca_comch_consumer_as_ctx(fast->consumer);
	bench_check(doca_comch_consumer_task_post_recv_set_conf(fast->consumer, on_received,
								on_flushed, fast->spec.n_receives),
		    "configure the receives");
	bench_check(doca_pe_connect_ctx(fast->pe, ctx), "connect to the progress engine");
	bench_check(doca_ctx_set_user_data(ctx, data), "set the user data");
	result = doca_ctx_start(ctx);
	if (result != DOCA_ERROR_IN_PROGRESS)
		bench_check(result, "start a consumer");
}

static void producer_open(struct fast_end *fast, struct doca_comch_connection *connection)
{
	union doca_data data = {.ptr = fast};
	struct doca_ctx *ctx;

	bench_check(doca_comch_producer_create(connection, &fast->producer), "create a producer");
	ctx = doca_comch_producer_as_ctx(fast->producer);
	bench_check(doca_comch_producer_task_send_set_conf(fast->producer, on_sent, on_sent,
							   fast->spec.n_tasks),
		    "configure the send tasks");
	bench_check(doca_pe_connect_ctx(fast->pe, ctx), "connect to the progress engine");
	bench_check(doca_ctx_set_user_data(ctx, data), "set the user data");
	bench_check(doca_ctx_start(ctx), "start a producer");
}

struct fast_end *fast_end_new(struct comch_end *end, const struct fast_end_spec *spec)
{
	struct fast_end *fast = bench_alloc(1, sizeof(*fast));

	fast->spec = *spec;
	fast->end = end;
	bench_check(doca_pe_create(&fast->pe), "create a progress engine");
	fast->tasks = bench_alloc(spec->n_tasks, sizeof(struct doca_comch_producer_task_send *));
	comch_end_forget_consumer(end);
	memory_open(fast);
	consumer_open(fast, comch_end_connection(end));
	producer_open(fast, comch_end_connection(end));
	return fast;
}

static void receives_post(struct fast_end *fast)
{
	struct doca_comch_consumer_task_post_recv *task;
	struct doca_buf *buf;
	uint32_t i;

	for (i = 0; i < fast->spec.n_receives; i++) {
		union doca_data data = {.ptr = (uint8_t *)fast->recv_memory +
					       (size_t)i * fast->spec.size};

		bench_check(doca_buf_inventory_buf_get_by_addr(fast->inventory, fast->recv_map,
							       data.ptr, fast->spec.size, &buf),
			    "get a buffer");
		bench_check(
			doca_comch_consumer_task_post_recv_alloc_init(fast->consumer, buf, &task),
			"allocate a receive");
		doca_task_set_user_data(doca_comch_consumer_task_post_recv_as_task(task), data);
		bench_check(doca_task_submit(doca_comch_consumer_task_post_recv_as_task(task)),
			    "post a receive");
	}
	fast->is_posted = true;
}

static void tasks_make(struct fast_end *fast)
{
	struct doca_comch_producer_task_send *task;
	struct doca_buf *buf;

	while (fast->n_free < fast->spec.n_tasks) {
		bench_check(doca_buf_inventory_buf_get_by_data(fast->inventory, fast->send_map,
							       fast->send_memory, fast->spec.size,
							       &buf),
			    "get a buffer");
		bench_check(doca_comch_producer_task_send_alloc_init(fast->producer, buf, NULL, 0,
								     comch_end_consumer(fast->end),
								     &task),
			    "allocate a send task");
		fast->tasks[fast->n_free++] = task;
	}
}

bool fast_end_ready(struct fast_end *fast)
{
	enum doca_ctx_states state;

	doca_pe_progress(fast->pe);
	doca_pe_progress(comch_end_pe(fast->end));
	if (!fast->is_posted &&
	    doca_ctx_get_state(doca_comch_consumer_as_ctx(fast->consumer), &state) ==
		    DOCA_SUCCESS &&
	    state == DOCA_CTX_STATE_RUNNING)
		receives_post(fast);
	if (fast->n_free == 0 && comch_end_consumer(fast->end) != 0)
		tasks_make(fast);
	return fast->is_posted && fast->n_free != 0;
}

void *fast_end_memory(const struct fast_end *fast)
{
	return fast->recv_memory;
}

static void stop(struct fast_end *fast, struct doca_ctx *ctx)
{
	uint64_t deadline_ns = clock_now_ns() + STOP_LIMIT_NS;
	enum doca_ctx_states state;
	doca_error_t result = doca_ctx_stop(ctx);

	if (result != DOCA_ERROR_IN_PROGRESS)
		bench_check(result, "stop a context");
	while (doca_ctx_get_state(ctx, &state) == DOCA_SUCCESS && state != DOCA_CTX_STATE_IDLE) {
		doca_pe_progress(fast->pe);
		if (clock_now_ns() > deadline_ns)
			bench_die("comch: a consumer or producer does not stop");
	}
}

void fast_end_delete(struct fast_end *fast)
{
	const struct fast_end_spec *s = &fast->spec;

	while (fast->n_free > 0) {
		struct doca_comch_producer_task_send *task = fast->tasks[--fast->n_free];

		doca_buf_dec_refcount(
			(struct doca_buf *)(uintptr_t)doca_comch_producer_task_send_get_buf(task),
			NULL);
		doca_task_free(doca_comch_producer_task_send_as_task(task));
	}
	stop(fast, doca_comch_producer_as_ctx(fast->producer));
	bench_check(doca_comch_producer_destroy(fast->producer), "destroy a producer");
	stop(fast, doca_comch_consumer_as_ctx(fast->consumer));
	bench_check(doca_comch_consumer_destroy(fast->consumer), "destroy a consumer");
	bench_check(doca_pe_destroy(fast->pe), "destroy a progress engine");
	bench_check(doca_buf_inventory_destroy(fast->inventory), "destroy an inventory");
	bench_check(doca_mmap_destroy(fast->recv_map), "destroy a map");
	bench_check(doca_mmap_destroy(fast->send_map), "destroy a map");
	device_memory_free(s->kind, fast->recv_memory, (size_t)s->n_receives * s->size);
	device_memory_free(TRANSPORT_LOCAL, fast->send_memory, s->size);
	free(fast->tasks);
	free(fast);
}

static void completions_wait(struct fast_end *fast)
{
	while (fast->n_free < fast->spec.n_tasks)
		doca_pe_progress(fast->pe);
}

void fast_end_ping(struct fast_end *fast, uint64_t n)
{
	fast->n_received = 0;
	fast->n_answers = n - 1;
	while (!task_submit(fast))
		;
	while (fast->n_received < n)
		doca_pe_progress(fast->pe);
	completions_wait(fast);
}

void fast_end_echo(struct fast_end *fast, uint64_t n)
{
	fast->n_received = 0;
	fast->n_answers = n;
	while (fast->n_received < n)
		doca_pe_progress(fast->pe);
	completions_wait(fast);
}

void fast_end_source(struct fast_end *fast, uint64_t n)
{
	while (n > 0) {
		while (n > 0 && fast->n_free > 0 && task_submit(fast))
			n--;
		doca_pe_progress(fast->pe);
	}
	completions_wait(fast);
}

void fast_end_sink(struct fast_end *fast, uint64_t n)
{
	fast->n_received = 0;
	fast->n_answers = 0;
	while (fast->n_received < n)
		doca_pe_progress(fast->pe);
}
