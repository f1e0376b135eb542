/*
 * Client of comch_echo_server, for the host side. Sends messages, several at a time, and checks
 * that each comes back unchanged and in order. Sleeps while there is nothing to do. One thread.
 *
 *   comch_echo_client [--name NAME] [--messages N] [--size BYTES] [--timeout SECONDS]
 *                     [--pci-addr ADDRESS]
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <doca_comch.h>
#include <doca_ctx.h>

#include "common.h"

enum { N_IN_FLIGHT = 8, MAX_SIZE = 1 << 20 };

struct options {
	char name[EXAMPLE_TEXT_LEN];
	char pci[EXAMPLE_TEXT_LEN];
	int n_messages;
	int size;
	int timeout_s;
};

struct client {
	struct doca_dev *dev;
	struct doca_pe *pe;
	struct doca_comch_client *comch;
	struct doca_comch_connection *connection;
	uint8_t *messages[N_IN_FLIGHT]; /* message i is in slot i % N_IN_FLIGHT */
	bool is_sending[N_IN_FLIGHT];   /* the bytes must stay valid until the task completes */
	uint8_t *expected;
	uint32_t size;
	int n_to_send, n_sent, n_received, n_tasks;
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

static bool dev_can_connect(const struct doca_devinfo *info)
{
	return doca_comch_cap_client_is_supported(info) == DOCA_SUCCESS;
}

/* Fills a message so that it differs from its neighbours in every byte. */
static void message_fill(uint8_t *bytes, uint32_t len, int number)
{
	uint32_t i;

	for (i = 0; i < len; i++)
		bytes[i] = (uint8_t)(i + (uint32_t)number * 37);
}

static void messages_send(struct client *c)
{
	struct doca_comch_task_send *task;
	doca_error_t result;
	union doca_data user_data;
	int slot;

	while (c->result == DOCA_SUCCESS && c->n_sent < c->n_to_send &&
	       c->n_sent - c->n_received < N_IN_FLIGHT) {
		slot = c->n_sent % N_IN_FLIGHT;
		if (c->is_sending[slot])
			return; /* the echo came before the completion */
		message_fill(c->messages[slot], c->size, c->n_sent);
		result = doca_comch_client_task_send_alloc_init(c->comch, c->connection,
								c->messages[slot], c->size, &task);
		if (result == DOCA_SUCCESS) {
			user_data.ptr = &c->is_sending[slot];
			doca_task_set_user_data(doca_comch_task_send_as_task(task), user_data);
			result = doca_task_submit(doca_comch_task_send_as_task(task));
			if (result != DOCA_SUCCESS)
				doca_task_free(doca_comch_task_send_as_task(task));
		}
		if (result == DOCA_ERROR_AGAIN)
			return; /* the channel is full; is_done() tries again */
		if (result != DOCA_SUCCESS) {
			c->result = result;
			return;
		}
		c->is_sending[slot] = true;
		c->n_sent++;
		c->n_tasks++;
	}
}

static void on_sent(struct doca_comch_task_send *task, union doca_data task_user_data,
		    union doca_data ctx_user_data)
{
	struct client *c = ctx_user_data.ptr;

	*(bool *)task_user_data.ptr = false;
	doca_task_free(doca_comch_task_send_as_task(task));
	c->n_tasks--;
	messages_send(c);
}

static void on_not_sent(struct doca_comch_task_send *task, union doca_data task_user_data,
			union doca_data ctx_user_data)
{
	struct client *c = ctx_user_data.ptr;

	(void)task_user_data;
	c->result = doca_task_get_status(doca_comch_task_send_as_task(task));
	doca_task_free(doca_comch_task_send_as_task(task));
	c->n_tasks--;
}

static void on_message(struct doca_comch_event_msg_recv *event, uint8_t *bytes, uint32_t len,
		       struct doca_comch_connection *connection)
{
	struct doca_comch_client *comch = doca_comch_client_get_client_ctx(connection);
	union doca_data user_data = {.ptr = NULL};
	struct client *c;

	(void)event;
	doca_ctx_get_user_data(doca_comch_client_as_ctx(comch), &user_data);
	c = user_data.ptr;
	message_fill(c->expected, c->size, c->n_received);
	if (len != c->size || memcmp(bytes, c->expected, len) != 0) {
		fprintf(stderr, "echo %d is not what was sent\n", c->n_received);
		c->result = DOCA_ERROR_UNEXPECTED;
		return;
	}
	c->n_received++;
	messages_send(c);
}

static void on_state(const union doca_data user_data, struct doca_ctx *ctx,
		     enum doca_ctx_states prev, enum doca_ctx_states next)
{
	struct client *c = user_data.ptr;

	(void)ctx;
	(void)prev;
	if (next == DOCA_CTX_STATE_RUNNING) {
		c->result = doca_comch_client_get_connection(c->comch, &c->connection);
		messages_send(c);
	} else if (next != DOCA_CTX_STATE_STARTING && c->n_received < c->n_to_send &&
		   c->result == DOCA_SUCCESS) {
		/* The server is gone, or there never was one. */
		c->result = DOCA_ERROR_NOT_CONNECTED;
	}
}

static bool is_done(void *arg)
{
	struct client *c = arg;

	/*
	 * The engine wakes up when the channel has room, but that calls no callback of this
	 * program.
	 */
	if (c->connection != NULL)
		messages_send(c);
	return c->result != DOCA_SUCCESS || (c->n_received == c->n_to_send && c->n_tasks == 0);
}

static bool is_idle(void *arg)
{
	struct client *c = arg;
	enum doca_ctx_states state;

	return doca_ctx_get_state(doca_comch_client_as_ctx(c->comch), &state) != DOCA_SUCCESS ||
	       state == DOCA_CTX_STATE_IDLE;
}

static doca_error_t client_open(struct client *c, const struct options *o)
{
	union doca_data user_data = {.ptr = c};
	doca_error_t result;
	int i;

	for (i = 0; i < N_IN_FLIGHT; i++) {
		c->messages[i] = malloc(c->size);
		if (c->messages[i] == NULL)
			return example_failed("allocate", DOCA_ERROR_NO_MEMORY);
	}
	c->expected = malloc(c->size);
	if (c->expected == NULL)
		return example_failed("allocate", DOCA_ERROR_NO_MEMORY);
	result = doca_pe_create(&c->pe);
	if (result == DOCA_SUCCESS)
		result = doca_comch_client_create(c->dev, o->name, &c->comch);
	if (result == DOCA_SUCCESS)
		result = doca_pe_connect_ctx(c->pe, doca_comch_client_as_ctx(c->comch));
	if (result == DOCA_SUCCESS)
		result = doca_comch_client_set_max_msg_size(c->comch, c->size);
	if (result == DOCA_SUCCESS)
		result = doca_comch_client_task_send_set_conf(c->comch, on_sent, on_not_sent,
							      N_IN_FLIGHT);
	if (result == DOCA_SUCCESS)
		result = doca_comch_client_event_msg_recv_register(c->comch, on_message);
	if (result == DOCA_SUCCESS)
		result = doca_ctx_set_user_data(doca_comch_client_as_ctx(c->comch), user_data);
	if (result == DOCA_SUCCESS)
		result = doca_ctx_set_state_changed_cb(doca_comch_client_as_ctx(c->comch),
						       on_state);
	if (result == DOCA_SUCCESS)
		result = doca_ctx_start(doca_comch_client_as_ctx(c->comch));
	/* The connection is established while the engine makes progress. */
	if (result != DOCA_SUCCESS && result != DOCA_ERROR_IN_PROGRESS)
		return example_failed("start the client", result);
	return DOCA_SUCCESS;
}

static void client_close(struct client *c)
{
	int i;

	if (c->comch != NULL) {
		if (doca_ctx_stop(doca_comch_client_as_ctx(c->comch)) == DOCA_ERROR_IN_PROGRESS)
			example_pe_run(c->pe, is_idle, c, 5);
		doca_comch_client_destroy(c->comch);
	}
	if (c->pe != NULL)
		doca_pe_destroy(c->pe);
	doca_dev_close(c->dev);
	free(c->expected);
	for (i = 0; i < N_IN_FLIGHT; i++)
		free(c->messages[i]);
}

int main(int argc, char **argv)
{
	struct options o = {.name = "echo", .n_messages = 1000, .size = 64, .timeout_s = 30};
	struct client c = {.dev = NULL};
	doca_error_t result;

	result = example_params_read("comch_echo_client", &o, params,
				     sizeof(params) / sizeof(params[0]), argc, argv);
	if (result != DOCA_SUCCESS || example_dev_open(o.pci, dev_can_connect, &c.dev) != 0)
		return EXIT_FAILURE;
	c.size = (uint32_t)o.size;
	c.n_to_send = o.n_messages;
	result = client_open(&c, &o);
	if (result == DOCA_SUCCESS)
		result = example_pe_run(c.pe, is_done, &c, o.timeout_s);
	if (result == DOCA_SUCCESS && c.result != DOCA_SUCCESS)
		result = example_failed("echo", c.result);
	if (result == DOCA_SUCCESS)
		printf("OK %d messages of %u bytes came back\n", c.n_received, c.size);
	client_close(&c);
	return result == DOCA_SUCCESS ? EXIT_SUCCESS : EXIT_FAILURE;
}
