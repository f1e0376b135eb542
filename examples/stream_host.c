/*
 * Streams numbered messages to stream_dpu over the data path of comch. A client connects and learns
 * the consumer of the other side, and a producer sends to it, several messages at a time. If the
 * consumer has posted no receive, the program submits again later. One thread.
 *
 *   stream_host [--name NAME] [--messages N] [--size BYTES] [--timeout SECONDS]
 *               [--pci-addr ADDRESS]
 */
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

#include <doca_buf.h>
#include <doca_buf_inventory.h>
#include <doca_comch.h>
#include <doca_comch_producer.h>
#include <doca_ctx.h>
#include <doca_mmap.h>

#include "common.h"

enum { N_TASKS = 16, MAX_SIZE = 16 << 20 };

struct options {
	char name[EXAMPLE_TEXT_LEN];
	char pci[EXAMPLE_TEXT_LEN];
	int n_messages;
	int size;
	int timeout_s;
};

struct host {
	struct doca_dev *dev;
	struct doca_pe *pe;
	struct doca_comch_client *client;
	struct doca_comch_connection *connection;
	struct doca_comch_producer *producer;
	struct doca_mmap *mmap;
	struct doca_buf_inventory *inventory;
	uint8_t *bytes; /* one place for each message in flight */
	struct doca_comch_producer_task_send *idle[N_TASKS];
	uint32_t size, consumer_id; /* 0: none yet, or it has left */
	int n_idle, n_tasks, n_submitted, n_sent;
	bool had_consumer;
	uint64_t deadline_ns;
	doca_error_t result;
};

static doca_error_t set_name(void *value, void *config)
{
	return example_text_copy(((struct options *)config)->name, value);
}

static doca_error_t set_pci(void *value, void *config)
{
	return example_text_copy(((struct options *)config)->pci, value);
}

static doca_error_t set_messages(void *value, void *config)
{
	return example_number_copy(&((struct options *)config)->n_messages, value, 1, 1000000000);
}

static doca_error_t set_size(void *value, void *config)
{
	return example_number_copy(&((struct options *)config)->size, value, 1, MAX_SIZE);
}

static doca_error_t set_timeout(void *value, void *config)
{
	return example_number_copy(&((struct options *)config)->timeout_s, value, 1, 86400);
}

static const struct example_param params[] = {
	{"n", "name", "<name>", "name of the service", DOCA_ARGP_TYPE_STRING, set_name, false},
	{"p", "pci-addr", "<address>", "device to use", DOCA_ARGP_TYPE_STRING, set_pci, false},
	{"m", "messages", "<count>", "messages to send", DOCA_ARGP_TYPE_INT, set_messages, false},
	{"s", "size", "<bytes>", "bytes of a message", DOCA_ARGP_TYPE_INT, set_size, false},
	{"t", "timeout", "<seconds>", "how long all may take", DOCA_ARGP_TYPE_INT, set_timeout,
	 false},
};

static bool dev_can_produce(const struct doca_devinfo *info)
{
	return doca_comch_cap_client_is_supported(info) == DOCA_SUCCESS &&
	       doca_comch_producer_cap_is_supported(info) == DOCA_SUCCESS;
}

static struct host *host_of(struct doca_comch_connection *connection)
{
	union doca_data user_data = {.ptr = NULL};

	doca_ctx_get_user_data(
		doca_comch_client_as_ctx(doca_comch_client_get_client_ctx(connection)), &user_data);
	return user_data.ptr;
}

static void on_consumer(struct doca_comch_event_consumer *event,
			struct doca_comch_connection *connection, uint32_t id)
{
	struct host *h = host_of(connection);

	(void)event;
	h->connection = connection;
	h->consumer_id = id;
	h->had_consumer = true;
}

static void on_consumer_left(struct doca_comch_event_consumer *event,
			     struct doca_comch_connection *connection, uint32_t id)
{
	struct host *h = host_of(connection);

	(void)event;
	if (id == h->consumer_id)
		h->consumer_id = 0;
}

static void on_sent(struct doca_comch_producer_task_send *task, union doca_data task_user_data,
		    union doca_data ctx_user_data)
{
	struct host *h = ctx_user_data.ptr;

	(void)task_user_data;
	h->n_sent++;
	h->idle[h->n_idle++] = task;
}

static void on_not_sent(struct doca_comch_producer_task_send *task, union doca_data task_user_data,
			union doca_data ctx_user_data)
{
	struct host *h = ctx_user_data.ptr;

	(void)task_user_data;
	h->result = doca_task_get_status(doca_comch_producer_task_send_as_task(task));
	h->idle[h->n_idle++] = task;
}

/* Progresses until the condition holds, something has failed or the deadline has passed. */
static doca_error_t host_await(struct host *h, bool (*is_there)(const struct host *),
			       const char *what)
{
	enum doca_ctx_states state;

	while (h->result == DOCA_SUCCESS && !is_there(h)) {
		if (doca_pe_progress(h->pe))
			continue;
		if (doca_ctx_get_state(doca_comch_client_as_ctx(h->client), &state) !=
			    DOCA_SUCCESS ||
		    state == DOCA_CTX_STATE_IDLE)
			return example_failed(what, DOCA_ERROR_NOT_CONNECTED);
		if (example_now_ns() > h->deadline_ns)
			return example_failed(what, DOCA_ERROR_TIME_OUT);
		sched_yield();
	}
	return h->result;
}

static bool has_consumer(const struct host *h)
{
	return h->consumer_id != 0;
}

static bool has_lost_consumer(const struct host *h)
{
	return h->had_consumer && h->consumer_id == 0;
}

static bool has_sent_all(const struct host *h)
{
	return h->n_sent == h->n_submitted;
}

static doca_error_t client_open(struct host *h, const struct options *o)
{
	union doca_data user_data = {.ptr = h};
	doca_error_t result;

	result = doca_pe_create(&h->pe);
	if (result == DOCA_SUCCESS)
		result = doca_comch_client_create(h->dev, o->name, &h->client);
	if (result == DOCA_SUCCESS)
		result = doca_pe_connect_ctx(h->pe, doca_comch_client_as_ctx(h->client));
	if (result == DOCA_SUCCESS)
		result = doca_ctx_set_user_data(doca_comch_client_as_ctx(h->client), user_data);
	if (result == DOCA_SUCCESS)
		result = doca_comch_client_event_consumer_register(h->client, on_consumer,
								   on_consumer_left);
	if (result == DOCA_SUCCESS)
		result = doca_ctx_start(doca_comch_client_as_ctx(h->client));
	if (result != DOCA_SUCCESS && result != DOCA_ERROR_IN_PROGRESS)
		return example_failed("start the client", result);
	return host_await(h, has_consumer, "wait for the consumer");
}

static doca_error_t memory_open(struct host *h)
{
	doca_error_t result = DOCA_ERROR_NO_MEMORY;

	h->bytes = malloc((size_t)N_TASKS * h->size);
	if (h->bytes != NULL)
		result = doca_mmap_create(&h->mmap);
	if (result == DOCA_SUCCESS)
		result = doca_mmap_set_memrange(h->mmap, h->bytes, (size_t)N_TASKS * h->size);
	if (result == DOCA_SUCCESS)
		result = doca_mmap_add_dev(h->mmap, h->dev);
	if (result == DOCA_SUCCESS)
		result = doca_mmap_start(h->mmap);
	if (result == DOCA_SUCCESS)
		result = doca_buf_inventory_create(N_TASKS, &h->inventory);
	if (result == DOCA_SUCCESS)
		result = doca_buf_inventory_start(h->inventory);
	return result == DOCA_SUCCESS ? result : example_failed("prepare the memory", result);
}

static doca_error_t producer_open(struct host *h)
{
	union doca_data user_data = {.ptr = h};
	doca_error_t result;

	result = doca_comch_producer_create(h->connection, &h->producer);
	if (result == DOCA_SUCCESS)
		result = doca_pe_connect_ctx(h->pe, doca_comch_producer_as_ctx(h->producer));
	if (result == DOCA_SUCCESS)
		result = doca_ctx_set_user_data(doca_comch_producer_as_ctx(h->producer), user_data);
	if (result == DOCA_SUCCESS)
		result = doca_comch_producer_task_send_set_conf(h->producer, on_sent, on_not_sent,
								N_TASKS);
	if (result == DOCA_SUCCESS)
		result = doca_ctx_start(doca_comch_producer_as_ctx(h->producer));
	while (result == DOCA_SUCCESS && h->n_tasks < N_TASKS) {
		struct doca_buf *buf;

		result = doca_buf_inventory_buf_get_by_data(h->inventory, h->mmap,
							    h->bytes + (size_t)h->n_tasks * h->size,
							    h->size, &buf);
		if (result != DOCA_SUCCESS)
			break;
		result = doca_comch_producer_task_send_alloc_init(
			h->producer, buf, NULL, 0, h->consumer_id, &h->idle[h->n_tasks]);
		if (result == DOCA_SUCCESS)
			h->n_idle = ++h->n_tasks;
		else
			doca_buf_dec_refcount(buf, NULL);
	}
	return result == DOCA_SUCCESS ? result : example_failed("start the producer", result);
}

/* Sends message i. Its bytes are computed from i, which is also the immediate data. */
static doca_error_t message_send(struct host *h, struct doca_comch_producer_task_send *task, int i)
{
	uint8_t number[4] = {(uint8_t)i, (uint8_t)(i >> 8), (uint8_t)(i >> 16), (uint8_t)(i >> 24)};
	void *bytes;
	uint32_t at;

	doca_buf_get_data(doca_comch_producer_task_send_get_buf(task), &bytes);
	for (at = 0; at < h->size; at++)
		((uint8_t *)bytes)[at] = (uint8_t)(at + (uint32_t)i * 37);
	doca_comch_producer_task_send_set_imm_data(task, number, sizeof(number));
	return doca_task_submit(doca_comch_producer_task_send_as_task(task));
}

static doca_error_t stream(struct host *h, int n_messages)
{
	doca_error_t result;

	while (h->n_submitted < n_messages && h->result == DOCA_SUCCESS) {
		if (h->n_idle == 0) {
			doca_pe_progress(h->pe);
			continue;
		}
		result = message_send(h, h->idle[h->n_idle - 1], h->n_submitted);
		if (result == DOCA_SUCCESS) {
			h->n_idle--;
			h->n_submitted++;
			continue;
		}
		if (result != DOCA_ERROR_AGAIN)
			return example_failed("send", result);
		/*
		 * The consumer has no posted receive, and its posting of one raises no event here:
		 * try again.
		 */
		if (example_now_ns() > h->deadline_ns)
			return example_failed("send", DOCA_ERROR_TIME_OUT);
		if (!doca_pe_progress(h->pe))
			sched_yield();
	}
	return host_await(h, has_sent_all, "wait for the last message");
}

static void host_close(struct host *h)
{
	enum doca_ctx_states state;

	while (h->n_idle > 0) {
		struct doca_comch_producer_task_send *task = h->idle[--h->n_idle];

		doca_buf_dec_refcount(
			(struct doca_buf *)(uintptr_t)doca_comch_producer_task_send_get_buf(task),
			NULL);
		doca_task_free(doca_comch_producer_task_send_as_task(task));
	}
	/* The producer is destroyed before the connection that it uses. */
	if (h->producer != NULL) {
		doca_ctx_stop(doca_comch_producer_as_ctx(h->producer));
		doca_comch_producer_destroy(h->producer);
	}
	if (h->client != NULL) {
		doca_ctx_stop(doca_comch_client_as_ctx(h->client));
		while (doca_ctx_get_state(doca_comch_client_as_ctx(h->client), &state) ==
			       DOCA_SUCCESS &&
		       state != DOCA_CTX_STATE_IDLE)
			doca_pe_progress(h->pe);
		doca_comch_client_destroy(h->client);
	}
	if (h->inventory != NULL)
		doca_buf_inventory_destroy(h->inventory);
	if (h->mmap != NULL)
		doca_mmap_destroy(h->mmap);
	if (h->pe != NULL)
		doca_pe_destroy(h->pe);
	doca_dev_close(h->dev);
	free(h->bytes);
}

int main(int argc, char **argv)
{
	struct options o = {.name = "stream", .n_messages = 10000, .size = 64, .timeout_s = 30};
	struct host h = {.dev = NULL};
	doca_error_t result;

	result = example_params_read("stream_host", &o, params, sizeof(params) / sizeof(params[0]),
				     argc, argv);
	if (result != DOCA_SUCCESS || example_dev_open(o.pci, dev_can_produce, &h.dev) != 0)
		return EXIT_FAILURE;
	h.size = (uint32_t)o.size;
	h.deadline_ns = example_now_ns() + (uint64_t)o.timeout_s * 1000000000;
	result = client_open(&h, &o);
	if (result == DOCA_SUCCESS)
		result = memory_open(&h);
	if (result == DOCA_SUCCESS)
		result = producer_open(&h);
	if (result == DOCA_SUCCESS)
		result = stream(&h, o.n_messages);
	/* The receiver stops its consumer when it has seen everything. */
	if (result == DOCA_SUCCESS)
		result = host_await(&h, has_lost_consumer, "wait for the receiver");
	host_close(&h);
	if (result == DOCA_SUCCESS)
		printf("OK %d messages of %u bytes sent\n", h.n_sent, h.size);
	return result == DOCA_SUCCESS ? EXIT_SUCCESS : EXIT_FAILURE;
}
