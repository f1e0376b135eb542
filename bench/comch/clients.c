/* See bench/comch/clients.h. */
#include "bench/comch/clients.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

#include <doca_comch.h>
#include <doca_ctx.h>
#include <doca_pe.h>

#include "bench/base/device.h"
#include "util/clock.h"

#define STOP_LIMIT_NS (10 * NS_PER_SEC)
#define QUEUE         16u
#define N_TASKS       16u
#define SETTLE_POLLS  200000u

struct client {
	struct doca_comch_client *client;
	struct doca_ctx *ctx;
	struct doca_comch_task_send *task; /* of a client that sends messages */
};

struct clients {
	size_t n_clients, n_up;
	struct doca_pe *pe, *silent_pe;
	struct doca_dev *dev;
	struct doca_dev_rep *rep;
	struct doca_comch_server *server;
	struct doca_ctx *ctx;
	struct client *clients;
	uint64_t n_received, n_sent;
	uint8_t message[CLIENTS_MSG_LEN];
};

/* Used by the callbacks. Only one group makes progress at a time. */
static struct clients *current;

static void on_answered(struct doca_comch_task_send *task, union doca_data task_data,
			union doca_data ctx_data)
{
	(void)task_data;
	(void)ctx_data;
	current->n_sent++;
	doca_task_free(doca_comch_task_send_as_task(task));
}

static void on_asked(struct doca_comch_task_send *task, union doca_data task_data,
		     union doca_data ctx_data)
{
	(void)task;
	(void)task_data;
	(void)ctx_data;
	current->n_sent++;
}

static void on_question(struct doca_comch_event_msg_recv *event, uint8_t *bytes, uint32_t len,
			struct doca_comch_connection *connection)
{
	struct doca_comch_task_send *task;

	(void)event;
	(void)bytes;
	(void)len;
	current->n_received++;
	bench_check(doca_comch_server_task_send_alloc_init(
			    current->server, connection, current->message, CLIENTS_MSG_LEN, &task),
		    "allocate a send task");
	bench_check(doca_task_submit(doca_comch_task_send_as_task(task)), "send a message");
}

static void on_answer(struct doca_comch_event_msg_recv *event, uint8_t *bytes, uint32_t len,
		      struct doca_comch_connection *connection)
{
	(void)event;
	(void)bytes;
	(void)len;
	(void)connection;
	current->n_received++;
}

static void on_connect(struct doca_comch_event_connection_status_changed *event,
		       struct doca_comch_connection *connection, uint8_t is_successful)
{
	(void)event;
	(void)connection;
	current->n_up += is_successful;
}

static void on_disconnect(struct doca_comch_event_connection_status_changed *event,
			  struct doca_comch_connection *connection, uint8_t is_successful)
{
	(void)event;
	(void)connection;
	(void)is_successful;
	current->n_up--;
}

static void descriptors_raise(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
		limit.rlim_cur = limit.rlim_max;
		setrlimit(RLIMIT_NOFILE, &limit);
	}
}

static void server_open(struct clients *group, const char *name)
{
	struct doca_comch_server *server;

	group->dev = device_open(doca_comch_cap_server_is_supported,
				 "open a device for comch servers");
	group->rep = device_rep_open(group->dev);
	bench_check(doca_comch_server_create(group->dev, group->rep, name, &group->server),
		    "create a comch server");
	server = group->server;
	group->ctx = doca_comch_server_as_ctx(server);
	bench_check(doca_comch_server_set_max_msg_size(server, CLIENTS_MSG_LEN), "set the size");
	bench_check(doca_comch_server_set_recv_queue_size(server, QUEUE), "set the queue");
	bench_check(doca_comch_server_task_send_set_conf(server, on_answered, on_answered, N_TASKS),
		    "configure the send tasks");
	bench_check(doca_comch_server_event_msg_recv_register(server, on_question),
		    "register for messages");
	bench_check(doca_comch_server_event_connection_status_changed_register(server, on_connect,
									       on_disconnect),
		    "register for connections");
	bench_check(doca_pe_connect_ctx(group->pe, group->ctx), "connect to the engine");
	bench_check(doca_ctx_start(group->ctx), "start the server");
}

static void client_open(struct clients *group, size_t i, const char *name)
{
	struct client *c = &group->clients[i];
	doca_error_t result;

	bench_check(doca_comch_client_create(group->dev, name, &c->client),
		    "create a comch client");
	c->ctx = doca_comch_client_as_ctx(c->client);
	bench_check(doca_comch_client_set_max_msg_size(c->client, CLIENTS_MSG_LEN), "set the size");
	bench_check(doca_comch_client_set_recv_queue_size(c->client, QUEUE), "set the queue");
	bench_check(doca_comch_client_task_send_set_conf(c->client, on_asked, on_asked, 1),
		    "configure the send tasks");
	bench_check(doca_comch_client_event_msg_recv_register(c->client, on_answer),
		    "register for messages");
	bench_check(doca_pe_connect_ctx(i < CLIENTS_ACTIVE ? group->pe : group->silent_pe, c->ctx),
		    "connect to the engine");
	result = doca_ctx_start(c->ctx);
	if (result != DOCA_ERROR_IN_PROGRESS)
		bench_check(result, "start a client");
}

struct clients *clients_new(enum bench_side side, int id, size_t n_clients)
{
	struct clients *group = bench_alloc(1, sizeof(*group));
	char name[64];
	size_t i;

	descriptors_raise();
	current = group;
	group->n_clients = n_clients;
	snprintf(name, sizeof(name), "crowd-%d-%zu", id, n_clients);
	bench_check(doca_pe_create(&group->pe), "create a progress engine");
	bench_check(doca_pe_create(&group->silent_pe), "create a progress engine");
	if (side == SIDE_DPU) {
		server_open(group, name);
		return group;
	}
	group->dev = device_open(doca_comch_cap_client_is_supported,
				 "open a device for comch clients");
	group->clients = bench_alloc(n_clients, sizeof(*group->clients));
	for (i = 0; i < n_clients; i++)
		client_open(group, i, name);
	return group;
}

static void client_prepare(struct clients *group, struct client *c)
{
	struct doca_comch_connection *connection;

	bench_check(doca_comch_client_get_connection(c->client, &connection), "get the connection");
	bench_check(doca_comch_client_task_send_alloc_init(c->client, connection, group->message,
							   CLIENTS_MSG_LEN, &c->task),
		    "allocate a send task");
}

bool clients_connect(struct clients *group)
{
	enum doca_ctx_states state;

	current = group;
	doca_pe_progress(group->pe);
	doca_pe_progress(group->silent_pe);
	if (group->server != NULL)
		return group->n_up == group->n_clients;
	/* Connects in order: a context that is not running yet is checked again. */
	while (group->n_up < group->n_clients) {
		struct client *c = &group->clients[group->n_up];

		bench_check(doca_ctx_get_state(c->ctx, &state), "ask for the state");
		if (state != DOCA_CTX_STATE_RUNNING)
			return false;
		if (group->n_up < CLIENTS_ACTIVE)
			client_prepare(group, c);
		group->n_up++;
	}
	return true;
}

static void ctx_stop(struct clients *group, struct doca_ctx *ctx)
{
	uint64_t deadline_ns = clock_now_ns() + STOP_LIMIT_NS;
	enum doca_ctx_states state;
	doca_error_t result = doca_ctx_stop(ctx);

	if (result != DOCA_ERROR_IN_PROGRESS)
		bench_check(result, "stop a comch context");
	while (doca_ctx_get_state(ctx, &state) == DOCA_SUCCESS && state != DOCA_CTX_STATE_IDLE) {
		doca_pe_progress(group->pe);
		doca_pe_progress(group->silent_pe);
		if (clock_now_ns() > deadline_ns)
			bench_die("comch: a context does not stop");
	}
}

void clients_delete(struct clients *group)
{
	size_t i;

	current = group;
	for (i = 0; group->clients != NULL && i < group->n_clients; i++) {
		struct client *c = &group->clients[i];

		if (c->task != NULL)
			doca_task_free(doca_comch_task_send_as_task(c->task));
		ctx_stop(group, c->ctx);
		bench_check(doca_comch_client_destroy(c->client), "destroy a client");
	}
	if (group->server != NULL) {
		ctx_stop(group, group->ctx);
		bench_check(doca_comch_server_destroy(group->server), "destroy the server");
		doca_dev_rep_close(group->rep);
	}
	doca_dev_close(group->dev);
	doca_pe_destroy(group->pe);
	doca_pe_destroy(group->silent_pe);
	free(group->clients);
	free(group);
}

void clients_run(struct clients *group, uint64_t n)
{
	uint64_t i;

	current = group;
	group->n_received = group->n_sent = 0;
	for (i = 0; group->clients != NULL && i < n; i++) {
		struct doca_comch_task_send *task = group->clients[i % CLIENTS_ACTIVE].task;

		bench_check(doca_task_submit(doca_comch_task_send_as_task(task)), "send a message");
		while (group->n_received <= i || group->n_sent <= i)
			doca_pe_progress(group->pe);
	}
	while (group->n_received < n || group->n_sent < n)
		doca_pe_progress(group->pe);
}

void clients_idle(struct clients *group, uint64_t n)
{
	current = group;
	for (; n > 0; n--)
		doca_pe_progress(group->pe);
}

void clients_await_idle(struct clients *group)
{
	clients_idle(group, SETTLE_POLLS);
}
