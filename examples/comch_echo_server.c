/*
 * Echo server for the DPU side. Listens under a name behind one representor, sends every message
 * back to the client that it came from, and ends after the given number of clients have
 * disconnected. Sleeps while there is nothing to do. One thread.
 *
 *   comch_echo_server [--name NAME] [--clients N] [--timeout SECONDS] [--pci-addr ADDRESS]
 *                     [--rep-pci ADDRESS]
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>

#include <doca_comch.h>
#include <doca_ctx.h>

#include "common.h"

enum { N_SEND_TASKS = 64 };

struct options {
	char name[EXAMPLE_TEXT_LEN];
	char pci[EXAMPLE_TEXT_LEN];
	char rep_pci[EXAMPLE_TEXT_LEN];
	int n_clients;
	int timeout_s;
};

/* An echo to be sent. It is a copy, because the received bytes are valid only in the callback. */
struct echo {
	TAILQ_ENTRY(echo) link;
	struct doca_comch_connection *connection;
	uint32_t len;
	uint8_t bytes[];
};

struct server {
	struct doca_dev *dev;
	struct doca_dev_rep *rep;
	struct doca_pe *pe;
	struct doca_comch_server *comch;
	TAILQ_HEAD(, echo) waiting; /* for a free task or room in the channel */
	int n_clients_left, n_connected;
	uint64_t n_echoed;
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

static doca_error_t set_rep_pci(void *value, void *config)
{
	return example_text_copy(((struct options *)config)->rep_pci, value);
}

static doca_error_t set_clients(void *value, void *config)
{
	return example_number_copy(&((struct options *)config)->n_clients, value, 1, 1 << 20);
}

static doca_error_t set_timeout(void *value, void *config)
{
	return example_number_copy(&((struct options *)config)->timeout_s, value, 1, 86400);
}

static const struct example_param params[] = {
	{"n", "name", "<name>", "name of the service", DOCA_ARGP_TYPE_STRING, set_name, false},
	{"p", "pci-addr", "<address>", "device to use", DOCA_ARGP_TYPE_STRING, set_pci, false},
	{"r", "rep-pci", "<address>", "representor of the clients' device", DOCA_ARGP_TYPE_STRING,
	 set_rep_pci, false},
	{"c", "clients", "<count>", "clients to serve", DOCA_ARGP_TYPE_INT, set_clients, false},
	{"t", "timeout", "<seconds>", "how long all may take", DOCA_ARGP_TYPE_INT, set_timeout,
	 false},
};

static bool dev_can_serve(const struct doca_devinfo *info)
{
	return doca_comch_cap_server_is_supported(info) == DOCA_SUCCESS;
}

static struct server *server_of(struct doca_comch_connection *connection)
{
	union doca_data user_data = {.ptr = NULL};

	doca_ctx_get_user_data(
		doca_comch_server_as_ctx(doca_comch_server_get_server_ctx(connection)), &user_data);
	return user_data.ptr;
}

/*
 * True if the client disconnected or broke a rule. Its connection ends; other clients are
 * unaffected.
 */
static bool is_lost(doca_error_t result)
{
	return result == DOCA_ERROR_CONNECTION_RESET || result == DOCA_ERROR_NOT_CONNECTED;
}

static void echo_drop(struct server *s, struct echo *e)
{
	TAILQ_REMOVE(&s->waiting, e, link);
	free(e);
}

/* Sends waiting echoes in order, until the channel accepts no more. */
static void echoes_send(struct server *s)
{
	struct doca_comch_task_send *task;
	union doca_data user_data;
	doca_error_t result;
	struct echo *e;

	while ((e = TAILQ_FIRST(&s->waiting)) != NULL) {
		result = doca_comch_server_task_send_alloc_init(s->comch, e->connection, e->bytes,
								e->len, &task);
		if (result == DOCA_ERROR_NO_MEMORY)
			/*
			 * All tasks are in flight; the next completion calls this function again.
			 */
			return;
		if (is_lost(result)) {
			echo_drop(s, e);
			continue;
		}
		if (result != DOCA_SUCCESS) {
			s->result = result;
			return;
		}
		user_data.ptr = e;
		doca_task_set_user_data(doca_comch_task_send_as_task(task), user_data);
		result = doca_task_submit(doca_comch_task_send_as_task(task));
		if (result != DOCA_SUCCESS) {
			doca_task_free(doca_comch_task_send_as_task(task));
			if (is_lost(result)) {
				echo_drop(s, e);
				continue;
			}
			if (result != DOCA_ERROR_AGAIN)
				s->result = result;
			return;
		}
		TAILQ_REMOVE(&s->waiting, e, link);
	}
}

static void on_sent(struct doca_comch_task_send *task, union doca_data task_user_data,
		    union doca_data ctx_user_data)
{
	struct server *s = ctx_user_data.ptr;

	s->n_echoed++;
	free(task_user_data.ptr);
	doca_task_free(doca_comch_task_send_as_task(task));
	echoes_send(s);
}

/* The client disconnected before its echo was sent. The server carries on. */
static void on_not_sent(struct doca_comch_task_send *task, union doca_data task_user_data,
			union doca_data ctx_user_data)
{
	free(task_user_data.ptr);
	doca_task_free(doca_comch_task_send_as_task(task));
	echoes_send(ctx_user_data.ptr);
}

static void on_message(struct doca_comch_event_msg_recv *event, uint8_t *bytes, uint32_t len,
		       struct doca_comch_connection *connection)
{
	struct server *s = server_of(connection);
	struct echo *e = malloc(sizeof(*e) + len);

	(void)event;
	if (e == NULL) {
		s->result = DOCA_ERROR_NO_MEMORY;
		return;
	}
	e->connection = connection;
	e->len = len;
	memcpy(e->bytes, bytes, len);
	TAILQ_INSERT_TAIL(&s->waiting, e, link);
	echoes_send(s);
}

static void on_connect(struct doca_comch_event_connection_status_changed *event,
		       struct doca_comch_connection *connection, uint8_t is_successful)
{
	(void)event;
	if (is_successful)
		server_of(connection)->n_connected++;
}

static void on_disconnect(struct doca_comch_event_connection_status_changed *event,
			  struct doca_comch_connection *connection, uint8_t is_successful)
{
	struct server *s = server_of(connection);
	struct echo *e, *next;

	(void)event;
	(void)is_successful;
	/* Drops the echoes that still wait for this client. */
	for (e = TAILQ_FIRST(&s->waiting); e != NULL; e = next) {
		next = TAILQ_NEXT(e, link);
		if (e->connection == connection)
			echo_drop(s, e);
	}
	s->n_connected--;
	s->n_clients_left--;
}

static bool is_served(void *arg)
{
	struct server *s = arg;

	/*
	 * The engine wakes up when the channel has room, but that calls no callback of this
	 * program.
	 */
	echoes_send(s);
	return s->result != DOCA_SUCCESS || (s->n_clients_left <= 0 && s->n_connected == 0);
}

static bool is_idle(void *arg)
{
	struct server *s = arg;
	enum doca_ctx_states state;

	return doca_ctx_get_state(doca_comch_server_as_ctx(s->comch), &state) != DOCA_SUCCESS ||
	       state == DOCA_CTX_STATE_IDLE;
}

static doca_error_t server_open(struct server *s, const struct options *o)
{
	union doca_data user_data = {.ptr = s};
	doca_error_t result;
	uint32_t max_len;

	result = doca_pe_create(&s->pe);
	if (result == DOCA_SUCCESS)
		result = doca_comch_server_create(s->dev, s->rep, o->name, &s->comch);
	if (result == DOCA_SUCCESS)
		result = doca_pe_connect_ctx(s->pe, doca_comch_server_as_ctx(s->comch));
	if (result == DOCA_SUCCESS)
		result = doca_comch_cap_get_max_msg_size(doca_dev_as_devinfo(s->dev), &max_len);
	if (result == DOCA_SUCCESS)
		result = doca_comch_server_set_max_msg_size(s->comch, max_len);
	if (result == DOCA_SUCCESS)
		result = doca_comch_server_task_send_set_conf(s->comch, on_sent, on_not_sent,
							      N_SEND_TASKS);
	if (result == DOCA_SUCCESS)
		result = doca_comch_server_event_msg_recv_register(s->comch, on_message);
	if (result == DOCA_SUCCESS)
		result = doca_comch_server_event_connection_status_changed_register(
			s->comch, on_connect, on_disconnect);
	if (result == DOCA_SUCCESS)
		result = doca_ctx_set_user_data(doca_comch_server_as_ctx(s->comch), user_data);
	if (result == DOCA_SUCCESS)
		result = doca_ctx_start(doca_comch_server_as_ctx(s->comch));
	if (result != DOCA_SUCCESS)
		return example_failed("start the server", result);
	printf("serving %s\n", o->name);
	fflush(stdout);
	return DOCA_SUCCESS;
}

static void server_close(struct server *s)
{
	if (s->comch != NULL) {
		if (doca_ctx_stop(doca_comch_server_as_ctx(s->comch)) == DOCA_ERROR_IN_PROGRESS)
			example_pe_run(s->pe, is_idle, s, 5);
		doca_comch_server_destroy(s->comch);
	}
	if (s->pe != NULL)
		doca_pe_destroy(s->pe);
	if (s->rep != NULL)
		doca_dev_rep_close(s->rep);
	doca_dev_close(s->dev);
}

int main(int argc, char **argv)
{
	struct options o = {.name = "echo", .n_clients = 1, .timeout_s = 60};
	struct server s = {.dev = NULL};
	doca_error_t result;

	TAILQ_INIT(&s.waiting);
	result = example_params_read("comch_echo_server", &o, params,
				     sizeof(params) / sizeof(params[0]), argc, argv);
	if (result != DOCA_SUCCESS || example_dev_open(o.pci, dev_can_serve, &s.dev) != 0)
		return EXIT_FAILURE;
	s.n_clients_left = o.n_clients;
	result = example_rep_open(s.dev, o.rep_pci, &s.rep);
	if (result == DOCA_SUCCESS)
		result = server_open(&s, &o);
	if (result == DOCA_SUCCESS)
		result = example_pe_run(s.pe, is_served, &s, o.timeout_s);
	if (result == DOCA_SUCCESS && s.result != DOCA_SUCCESS)
		result = example_failed("echo", s.result);
	server_close(&s);
	if (result == DOCA_SUCCESS)
		printf("OK %llu messages echoed\n", (unsigned long long)s.n_echoed);
	return result == DOCA_SUCCESS ? EXIT_SUCCESS : EXIT_FAILURE;
}
