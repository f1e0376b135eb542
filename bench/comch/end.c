/* See bench/comch/end.h. */
#include "bench/comch/end.h"

#include <stdio.h>
#include <stdlib.h>

#include <doca_comch.h>
#include <doca_ctx.h>

#include "bench/base/device.h"
#include "util/clock.h"

#define NAME_LEN      64
#define STOP_LIMIT_NS (5 * NS_PER_SEC)

struct comch_link {
	struct doca_comch_server *server;
	struct doca_comch_client *client;
	struct doca_comch_connection *connection; /* NULL: not connected yet */
	struct doca_ctx *ctx;
};

struct comch_end {
	struct comch_end_spec spec;
	struct doca_pe *pe;
	bool owns_pe;
	struct doca_dev *dev;
	struct doca_dev_rep *rep;
	struct comch_link *links;
	uint8_t *message;
	struct doca_comch_task_send **tasks; /* free[0..n_free) */
	uint32_t n_free, depth;
	uint32_t consumer; /* the peer's latest one */
	bool is_ending;
};

/* The only variables of the callbacks; a process has one end. */
static struct {
	struct comch_end *end;
	uint64_t n_received;
	uint64_t n_answers; /* number of following messages to answer at once */
	uint64_t sum;       /* sum of first and last bytes, so that each message is read */
} traffic;

static void task_submit(struct comch_end *end)
{
	doca_error_t result;

	if (end->n_free == 0)
		bench_die("comch: an answer came before the completion of what it answers");
	result = doca_task_submit(doca_comch_task_send_as_task(end->tasks[end->n_free - 1]));
	if (result != DOCA_SUCCESS)
		bench_check(result, "send a message");
	end->n_free--;
}

static void on_message(struct doca_comch_event_msg_recv *event, uint8_t *bytes, uint32_t len,
		       struct doca_comch_connection *connection)
{
	(void)event;
	(void)connection;
	traffic.sum += bytes[0] + (uint64_t)bytes[len - 1];
	traffic.n_received++;
	if (traffic.n_answers > 0) {
		traffic.n_answers--;
		task_submit(traffic.end);
	}
}

static void on_sent(struct doca_comch_task_send *task, union doca_data task_data,
		    union doca_data ctx_data)
{
	struct comch_end *end = ctx_data.ptr;

	(void)task_data;
	end->tasks[end->n_free++] = task;
}

static void on_not_sent(struct doca_comch_task_send *task, union doca_data task_data,
			union doca_data ctx_data)
{
	(void)task_data;
	(void)ctx_data;
	bench_check(doca_task_get_status(doca_comch_task_send_as_task(task)), "send a message");
}

static void on_state(const union doca_data data, struct doca_ctx *ctx, enum doca_ctx_states prev,
		     enum doca_ctx_states next)
{
	const struct comch_end *end = data.ptr;

	(void)ctx;
	(void)prev;
	if (!end->is_ending && (next == DOCA_CTX_STATE_STOPPING || next == DOCA_CTX_STATE_IDLE))
		bench_check(DOCA_ERROR_NOT_CONNECTED, "comch: the connection ended");
}

static struct comch_link *link_of_server(struct doca_comch_connection *connection)
{
	struct doca_comch_server *server = doca_comch_server_get_server_ctx(connection);
	struct comch_end *end = traffic.end;
	size_t i;

	for (i = 0; i < end->spec.n_links; i++) {
		if (end->links[i].server == server)
			return &end->links[i];
	}
	bench_die("comch: an unknown server was connected to");
}

static void on_connect(struct doca_comch_event_connection_status_changed *event,
		       struct doca_comch_connection *connection, uint8_t is_successful)
{
	(void)event;
	if (is_successful)
		link_of_server(connection)->connection = connection;
}

static void on_disconnect(struct doca_comch_event_connection_status_changed *event,
			  struct doca_comch_connection *connection, uint8_t is_successful)
{
	(void)event;
	(void)is_successful;
	link_of_server(connection)->connection = NULL;
	traffic.end->is_ending = true;
}

static void on_consumer(struct doca_comch_event_consumer *event,
			struct doca_comch_connection *connection, uint32_t id)
{
	(void)event;
	(void)connection;
	traffic.end->consumer = id;
}

static void on_consumer_left(struct doca_comch_event_consumer *event,
			     struct doca_comch_connection *connection, uint32_t id)
{
	(void)event;
	(void)connection;
	if (traffic.end->consumer == id)
		traffic.end->consumer = 0;
}

static void server_create(struct comch_end *end, struct comch_link *link, const char *name)
{
	const struct comch_end_spec *s = &end->spec;
	struct doca_comch_server *server;

	bench_check(doca_comch_server_create(end->dev, end->rep, name, &link->server),
		    "create a comch server");
	server = link->server;
	link->ctx = doca_comch_server_as_ctx(server);
	bench_check(doca_comch_server_set_max_msg_size(server, s->max_msg), "set the message size");
	bench_check(doca_comch_server_set_recv_queue_size(server, s->queue),
		    "set the receive queue");
	bench_check(doca_comch_server_task_send_set_conf(server, on_sent, on_not_sent, s->n_tasks),
		    "configure the send tasks");
	bench_check(doca_comch_server_event_msg_recv_register(server, on_message),
		    "register for messages");
	bench_check(
		doca_comch_server_event_consumer_register(server, on_consumer, on_consumer_left),
		"register for consumers");
	bench_check(doca_comch_server_event_connection_status_changed_register(server, on_connect,
									       on_disconnect),
		    "register for connections");
}

static void client_create(struct comch_end *end, struct comch_link *link, const char *name)
{
	const struct comch_end_spec *s = &end->spec;
	struct doca_comch_client *client;

	bench_check(doca_comch_client_create(end->dev, name, &link->client),
		    "create a comch client");
	client = link->client;
	link->ctx = doca_comch_client_as_ctx(client);
	bench_check(doca_comch_client_set_max_msg_size(client, s->max_msg), "set the message size");
	bench_check(doca_comch_client_set_recv_queue_size(client, s->queue),
		    "set the receive queue");
	bench_check(doca_comch_client_task_send_set_conf(client, on_sent, on_not_sent, s->n_tasks),
		    "configure the send tasks");
	bench_check(doca_comch_client_event_msg_recv_register(client, on_message),
		    "register for messages");
	bench_check(
		doca_comch_client_event_consumer_register(client, on_consumer, on_consumer_left),
		"register for consumers");
}

static void link_start(struct comch_end *end, size_t i)
{
	union doca_data data = {.ptr = end};
	struct comch_link *link = &end->links[i];
	char name[NAME_LEN];
	doca_error_t result;

	snprintf(name, sizeof(name), "bench-%d-%zu", end->spec.id, i);
	if (end->spec.side == SIDE_DPU)
		server_create(end, link, name);
	else
		client_create(end, link, name);
	bench_check(doca_pe_connect_ctx(end->pe, link->ctx), "connect to the progress engine");
	bench_check(doca_ctx_set_user_data(link->ctx, data), "set the user data");
	bench_check(doca_ctx_set_state_changed_cb(link->ctx, on_state), "watch the state");
	result = doca_ctx_start(link->ctx);
	if (result != DOCA_ERROR_IN_PROGRESS)
		bench_check(result, "start a comch context");
}

struct comch_end *comch_end_new(const struct comch_end_spec *spec, struct doca_pe *pe)
{
	struct comch_end *end = bench_alloc(1, sizeof(*end));
	size_t i;

	end->spec = *spec;
	end->links = bench_alloc(spec->n_links, sizeof(*end->links));
	end->tasks = bench_alloc(spec->n_tasks, sizeof(struct doca_comch_task_send *));
	end->message = bench_alloc(1, spec->max_msg);
	end->owns_pe = pe == NULL;
	end->pe = pe;
	if (pe == NULL)
		bench_check(doca_pe_create(&end->pe), "create a progress engine");
	if (spec->side == SIDE_DPU) {
		end->dev = device_open(doca_comch_cap_server_is_supported,
				       "open a device for comch servers");
		end->rep = device_rep_open(end->dev);
	} else {
		end->dev = device_open(doca_comch_cap_client_is_supported,
				       "open a device for comch clients");
	}
	traffic.end = end;
	for (i = 0; i < spec->n_links; i++)
		link_start(end, i);
	return end;
}

bool comch_end_connect(struct comch_end *end)
{
	enum doca_ctx_states state;
	bool all = true;
	size_t i;

	doca_pe_progress(end->pe);
	for (i = 0; i < end->spec.n_links; i++) {
		struct comch_link *link = &end->links[i];

		if (link->client != NULL && link->connection == NULL &&
		    doca_ctx_get_state(link->ctx, &state) == DOCA_SUCCESS &&
		    state == DOCA_CTX_STATE_RUNNING)
			bench_check(
				doca_comch_client_get_connection(link->client, &link->connection),
				"get the connection");
		all &= link->connection != NULL;
	}
	return all;
}

struct doca_pe *comch_end_pe(const struct comch_end *end)
{
	return end->pe;
}

struct doca_dev *comch_end_dev(const struct comch_end *end)
{
	return end->dev;
}

struct doca_comch_connection *comch_end_connection(const struct comch_end *end)
{
	return end->links[0].connection;
}

uint32_t comch_end_consumer(const struct comch_end *end)
{
	return end->consumer;
}

void comch_end_forget_consumer(struct comch_end *end)
{
	end->consumer = 0;
}

static void tasks_free(struct comch_end *end)
{
	uint32_t i;

	for (i = 0; i < end->n_free; i++)
		doca_task_free(doca_comch_task_send_as_task(end->tasks[i]));
	end->n_free = end->depth = 0;
}

static void link_stop(struct comch_end *end, const struct comch_link *link)
{
	uint64_t deadline_ns = clock_now_ns() + STOP_LIMIT_NS;
	enum doca_ctx_states state;
	doca_error_t result = doca_ctx_stop(link->ctx);

	if (result != DOCA_ERROR_IN_PROGRESS)
		bench_check(result, "stop a comch context");
	while (doca_ctx_get_state(link->ctx, &state) == DOCA_SUCCESS &&
	       state != DOCA_CTX_STATE_IDLE) {
		doca_pe_progress(end->pe);
		if (clock_now_ns() > deadline_ns)
			bench_die("comch: a context does not stop");
	}
}

void comch_end_delete(struct comch_end *end)
{
	size_t i;

	end->is_ending = true;
	tasks_free(end);
	for (i = 0; i < end->spec.n_links; i++) {
		struct comch_link *link = &end->links[i];

		link_stop(end, link);
		bench_check(link->server != NULL ? doca_comch_server_destroy(link->server)
						 : doca_comch_client_destroy(link->client),
			    "destroy a comch context");
	}
	if (end->owns_pe)
		doca_pe_destroy(end->pe);
	if (end->rep != NULL)
		doca_dev_rep_close(end->rep);
	doca_dev_close(end->dev);
	traffic.end = NULL;
	free(end->links);
	free(end->tasks);
	free(end->message);
	free(end);
}

void comch_end_set_message(struct comch_end *end, uint32_t size, uint32_t depth)
{
	const struct comch_link *link = &end->links[0];
	doca_error_t result;
	uint32_t i;

	tasks_free(end);
	for (i = 0; i < depth; i++) {
		struct doca_comch_task_send *task;

		if (link->server != NULL)
			result = doca_comch_server_task_send_alloc_init(
				link->server, link->connection, end->message, size, &task);
		else
			result = doca_comch_client_task_send_alloc_init(
				link->client, link->connection, end->message, size, &task);
		bench_check(result, "allocate a send task");
		end->tasks[end->n_free++] = task;
	}
	end->depth = depth;
}

static void completions_wait(struct comch_end *end)
{
	while (end->n_free < end->depth)
		doca_pe_progress(end->pe);
}

void comch_end_ping(struct comch_end *end, uint64_t n)
{
	traffic.n_received = 0;
	traffic.n_answers = n - 1;
	task_submit(end);
	while (traffic.n_received < n)
		doca_pe_progress(end->pe);
	completions_wait(end);
}

void comch_end_echo(struct comch_end *end, uint64_t n)
{
	traffic.n_received = 0;
	traffic.n_answers = n;
	while (traffic.n_received < n)
		doca_pe_progress(end->pe);
	completions_wait(end);
}

void comch_end_source(struct comch_end *end, uint64_t n)
{
	while (n > 0) {
		while (n > 0 && end->n_free > 0) {
			struct doca_comch_task_send *task = end->tasks[end->n_free - 1];
			doca_error_t result = doca_task_submit(doca_comch_task_send_as_task(task));

			if (result == DOCA_ERROR_AGAIN)
				break;
			if (result != DOCA_SUCCESS)
				bench_check(result, "send a message");
			end->n_free--;
			n--;
		}
		doca_pe_progress(end->pe);
	}
	completions_wait(end);
}

void comch_end_sink(struct comch_end *end, uint64_t n)
{
	traffic.n_received = 0;
	traffic.n_answers = 0;
	while (traffic.n_received < n)
		doca_pe_progress(end->pe);
}
