/* See bench/comch/end.h. */
#include "bench/comch/end.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "bench/base/measure.h"
#include "bench/base/peer.h"

#define CONNECT_LIMIT_S 60u

/* The only variable of the callbacks. Only one set of links makes progress at a time. */
static struct comch *current;

/* --- callbacks --- */

static void task_submit(struct comch *c)
{
	if (c->n_free == 0)
		bench_die("comch: an answer came before the completion of what it answers");
	bench_check(doca_task_submit(doca_comch_task_send_as_task(c->tasks[c->n_free - 1])),
		    "send a message");
	c->n_free--;
}

static void shared_answer(struct comch *c, struct doca_comch_connection *connection)
{
	struct doca_comch_task_send *task;

	MUST(doca_comch_server_task_send_alloc_init(c->links[0].server, connection, c->message,
						    c->spec.len, &task));
	bench_check(doca_task_submit(doca_comch_task_send_as_task(task)), "send a message");
}

static void on_message(struct doca_comch_event_msg_recv *event, uint8_t *bytes, uint32_t len,
		       struct doca_comch_connection *connection)
{
	struct comch *c = current;

	(void)event;
	c->sum += bytes[0] + (uint64_t)bytes[len - 1];
	c->n_received++;
	if (c->n_answers == 0)
		return;
	c->n_answers--;
	if (unlikely(c->spec.is_shared)) {
		shared_answer(c, connection);
		return;
	}
	laps_mark(c->bench->laps);
	task_submit(c);
}

static void on_sent(struct doca_comch_task_send *task, union doca_data task_data,
		    union doca_data ctx_data)
{
	struct comch *c = ctx_data.ptr;

	(void)task_data;
	c->tasks[c->n_free++] = task;
}

static void on_answered(struct doca_comch_task_send *task, union doca_data task_data,
			union doca_data ctx_data)
{
	struct comch *c = ctx_data.ptr;

	(void)task_data;
	c->n_sent++;
	doca_task_free(doca_comch_task_send_as_task(task));
}

static void on_asked(struct doca_comch_task_send *task, union doca_data task_data,
		     union doca_data ctx_data)
{
	struct comch *c = ctx_data.ptr;

	(void)task, (void)task_data;
	c->n_sent++;
}

static void on_not_sent(struct doca_comch_task_send *task, union doca_data task_data,
			union doca_data ctx_data)
{
	(void)task_data, (void)ctx_data;
	bench_check(doca_task_get_status(doca_comch_task_send_as_task(task)), "send a message");
}

static void on_state(const union doca_data data, struct doca_ctx *ctx, enum doca_ctx_states prev,
		     enum doca_ctx_states next)
{
	(void)data, (void)ctx, (void)prev;
	if (next == DOCA_CTX_STATE_STOPPING || next == DOCA_CTX_STATE_IDLE)
		bench_check(DOCA_ERROR_NOT_CONNECTED, "comch: the connection ended");
}

static void on_connect(struct doca_comch_event_connection_status_changed *event,
		       struct doca_comch_connection *connection, uint8_t is_successful)
{
	struct doca_comch_server *server = doca_comch_server_get_server_ctx(connection);
	struct comch *c = current;
	size_t i;

	(void)event;
	if (!is_successful)
		return;
	for (i = 0; i < c->n_links && c->links[i].server != server; i++)
		;
	if (i == c->n_links)
		bench_die("comch: an unknown server was connected to");
	c->links[i].connection = connection;
	c->n_connected++;
}

/* The measuring process ends first, which is no failure of this one. */
static void on_disconnect(struct doca_comch_event_connection_status_changed *event,
			  struct doca_comch_connection *connection, uint8_t is_successful)
{
	(void)event, (void)connection, (void)is_successful;
	_exit(0);
}

static void on_consumer(struct doca_comch_event_consumer *event,
			struct doca_comch_connection *connection, uint32_t id)
{
	(void)event, (void)connection;
	current->consumer = id;
}

static void on_consumer_left(struct doca_comch_event_consumer *event,
			     struct doca_comch_connection *connection, uint32_t id)
{
	(void)event, (void)connection;
	if (current->consumer == id)
		current->consumer = 0;
}

/* --- opening --- */

static void server_open(struct comch *c, struct comch_link *link, const char *name)
{
	const struct comch_spec *s = &c->spec;
	doca_comch_task_send_completion_cb_t sent = s->is_shared ? on_answered : on_sent;

	MUST(doca_comch_server_create(c->dev, c->rep, name, &link->server));
	link->ctx = doca_comch_server_as_ctx(link->server);
	MUST(doca_comch_server_set_max_msg_size(link->server, s->max_msg));
	MUST(doca_comch_server_set_recv_queue_size(link->server, s->queue));
	MUST(doca_comch_server_task_send_set_conf(link->server, sent, on_not_sent, s->n_tasks));
	MUST(doca_comch_server_event_msg_recv_register(link->server, on_message));
	MUST(doca_comch_server_event_consumer_register(link->server, on_consumer,
						       on_consumer_left));
	MUST(doca_comch_server_event_connection_status_changed_register(link->server, on_connect,
									on_disconnect));
}

static void client_open(struct comch *c, struct comch_link *link, const char *name)
{
	const struct comch_spec *s = &c->spec;
	doca_comch_task_send_completion_cb_t sent = s->is_shared ? on_asked : on_sent;
	uint32_t n_tasks = s->is_shared ? 1 : s->n_tasks;

	MUST(doca_comch_client_create(c->dev, name, &link->client));
	link->ctx = doca_comch_client_as_ctx(link->client);
	MUST(doca_comch_client_set_max_msg_size(link->client, s->max_msg));
	MUST(doca_comch_client_set_recv_queue_size(link->client, s->queue));
	MUST(doca_comch_client_task_send_set_conf(link->client, sent, on_not_sent, n_tasks));
	MUST(doca_comch_client_event_msg_recv_register(link->client, on_message));
	MUST(doca_comch_client_event_consumer_register(link->client, on_consumer,
						       on_consumer_left));
	MUST(doca_ctx_set_state_changed_cb(link->ctx, on_state));
}

/* id: of this run; part of the services' names. */
static void links_open(struct comch *c, int id)
{
	bool is_server = c->bench->side == SIDE_DPU;
	char name[64];
	size_t i;

	for (i = 0; i < c->n_links; i++) {
		struct comch_link *link = &c->links[i];
		bool is_active = !c->spec.is_shared || i < COMCH_ACTIVE;

		snprintf(name, sizeof(name), "bench-%d-%zu-%zu", id, c->spec.n_clients,
			 i % c->spec.n_servers);
		if (is_server)
			server_open(c, link, name);
		else
			client_open(c, link, name);
		device_ctx_start(link->ctx, is_active ? c->pe : c->idle_pe, c);
	}
}

static bool connect_poll(struct bench *b)
{
	struct comch *c = current;
	enum doca_ctx_states state;

	doca_pe_progress(c->pe);
	doca_pe_progress(c->idle_pe);
	/* A client's connection is looked for in order, a server's is reported by its callback. */
	while (b->side == SIDE_HOST && c->n_connected < c->n_links) {
		struct comch_link *link = &c->links[c->n_connected];

		MUST(doca_ctx_get_state(link->ctx, &state));
		if (state != DOCA_CTX_STATE_RUNNING)
			return false;
		MUST(doca_comch_client_get_connection(link->client, &link->connection));
		c->n_connected++;
	}
	return c->n_connected == c->spec.n_clients;
}

static void tasks_make(struct comch *c)
{
	uint32_t n = c->spec.is_shared ? COMCH_ACTIVE : c->spec.n_tasks, i;

	c->tasks = bench_alloc(n, sizeof(struct doca_comch_task_send *));
	if (c->spec.is_shared && c->links[0].server != NULL)
		return;
	for (i = 0; i < n; i++) {
		const struct comch_link *link = &c->links[c->spec.is_shared ? i : 0];

		if (link->server != NULL)
			MUST(doca_comch_server_task_send_alloc_init(link->server, link->connection,
								    c->message, c->spec.len,
								    &c->tasks[i]));
		else
			MUST(doca_comch_client_task_send_alloc_init(link->client, link->connection,
								    c->message, c->spec.len,
								    &c->tasks[i]));
	}
	c->n_free = c->n_tasks = n;
}

void comch_choose_path(const struct bench *b)
{
	bool is_relayed = strcmp(b->row->transport, "relay") == 0;

	if (setenv("DOCOCORED_MIRROR", is_relayed ? "0" : "1", 1) != 0 ||
	    setenv("DOCOCORED_TRANSPORT", b->row->transport, 1) != 0)
		bench_die("no memory");
}

static void descriptors_raise(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
		limit.rlim_cur = limit.rlim_max;
		setrlimit(RLIMIT_NOFILE, &limit);
	}
}

struct comch *comch_open(struct bench *b, const struct comch_spec *spec)
{
	struct comch *c = bench_alloc(1, sizeof(*c));
	int mine = getpid(), other;

	descriptors_raise();
	current = c;
	c->spec = *spec;
	c->spec.len = spec->len > 0 ? spec->len : spec->max_msg;
	c->bench = b;
	c->n_links = b->side == SIDE_DPU ? spec->n_servers : spec->n_clients;
	c->links = bench_alloc(c->n_links, sizeof(*c->links));
	c->message = bench_alloc(1, spec->max_msg);
	c->pe = spec->pe;
	if (b->is_peer || c->pe == NULL)
		MUST(doca_pe_create(&c->pe));
	MUST(doca_pe_create(&c->idle_pe));
	peer_swap(b, &mine, sizeof(mine), &other, sizeof(other));
	/* A client finds only a server that exists already. */
	if (b->side == SIDE_DPU) {
		c->dev = device_open(doca_comch_cap_server_is_supported,
				     "open a device for comch servers");
		c->rep = device_rep_open(c->dev);
		links_open(c, b->is_peer ? mine : other);
		peer_swap(b, &mine, sizeof(mine), &other, sizeof(other));
	} else {
		c->dev = device_open(doca_comch_cap_client_is_supported,
				     "open a device for comch clients");
		peer_swap(b, &mine, sizeof(mine), &other, sizeof(other));
		links_open(c, b->is_peer ? mine : other);
	}
	peer_meet(b, connect_poll, CONNECT_LIMIT_S, "not all connections are there");
	tasks_make(c);
	return c;
}

/* --- loops --- */

static void completions_wait(struct comch *c)
{
	while (c->n_free < c->n_tasks)
		doca_pe_progress(c->pe);
}

void comch_ping(struct comch *c, uint64_t n)
{
	c->n_received = 0;
	c->n_answers = n - 1;
	laps_mark(c->bench->laps);
	task_submit(c);
	while (c->n_received < n)
		doca_pe_progress(c->pe);
	laps_mark(c->bench->laps);
	completions_wait(c);
}

void comch_echo(struct comch *c, uint64_t n)
{
	c->n_received = 0;
	c->n_answers = n;
	while (c->n_received < n)
		doca_pe_progress(c->pe);
	completions_wait(c);
}

void comch_source(struct comch *c, uint64_t n)
{
	while (n > 0) {
		while (n > 0 && c->n_free > 0) {
			struct doca_comch_task_send *task = c->tasks[c->n_free - 1];
			doca_error_t result = doca_task_submit(doca_comch_task_send_as_task(task));

			if (result == DOCA_ERROR_AGAIN)
				break;
			bench_check(result, "send a message");
			c->n_free--;
			n--;
		}
		doca_pe_progress(c->pe);
	}
	completions_wait(c);
}

void comch_sink(struct comch *c, uint64_t n)
{
	c->n_received = 0;
	c->n_answers = 0;
	while (c->n_received < n)
		doca_pe_progress(c->pe);
}

void comch_shared_ping(struct comch *c, uint64_t n)
{
	uint64_t i;

	current = c;
	c->n_received = c->n_sent = c->n_answers = 0;
	for (i = 0; i < n; i++) {
		struct doca_comch_task_send *task = c->tasks[i % COMCH_ACTIVE];

		laps_mark(c->bench->laps);
		bench_check(doca_task_submit(doca_comch_task_send_as_task(task)), "send a message");
		while (c->n_received <= i || c->n_sent <= i)
			doca_pe_progress(c->pe);
	}
	laps_mark(c->bench->laps);
}

void comch_shared_echo(struct comch *c, uint64_t n)
{
	current = c;
	c->n_received = c->n_sent = 0;
	c->n_answers = n;
	while (c->n_received < n || c->n_sent < n)
		doca_pe_progress(c->pe);
}

void comch_idle(struct comch *c, uint64_t n)
{
	current = c;
	for (; n > 0; n--)
		doca_pe_progress(c->pe);
}
