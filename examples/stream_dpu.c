/*
 * Receives what stream_host sends over the data path of comch, and checks it. A server accepts the
 * client, a consumer on its connection posts receives, and each message arrives in the buffer of
 * one of them. Sleeps while nothing comes. One thread.
 *
 *   stream_dpu [--name NAME] [--messages N] [--size BYTES] [--memory malloc|shm]
 *              [--timeout SECONDS] [--pci-addr ADDRESS] [--rep-pci ADDRESS]
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <doca_buf.h>
#include <doca_buf_inventory.h>
#include <doca_comch.h>
#include <doca_comch_consumer.h>
#include <doca_ctx.h>
#include <doca_mmap.h>
#include <dococ.h>

#include "common.h"

enum { N_RECEIVES = 32, MAX_SIZE = 16 << 20 };

struct options {
	char name[EXAMPLE_TEXT_LEN];
	char pci[EXAMPLE_TEXT_LEN];
	char rep_pci[EXAMPLE_TEXT_LEN];
	char memory[EXAMPLE_TEXT_LEN];
	int n_messages;
	int size;
	int timeout_s;
};

struct dpu {
	struct doca_dev *dev;
	struct doca_dev_rep *rep;
	struct doca_pe *pe;
	struct doca_comch_server *server;
	struct doca_comch_consumer *consumer;
	struct doca_mmap *mmap;
	struct doca_buf_inventory *inventory;
	uint8_t *bytes;
	bool is_shared; /* the sender can write to the memory without a system call */
	uint32_t size;
	int n_wanted, n_received, n_posted;
	bool is_connected, has_left;
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

static doca_error_t set_memory(void *value, void *config)
{
	if (strcmp(value, "malloc") != 0 && strcmp(value, "shm") != 0)
		return DOCA_ERROR_INVALID_VALUE;
	return example_text_copy(((struct options *)config)->memory, value);
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
	{"r", "rep-pci", "<address>", "representor of the sender's device", DOCA_ARGP_TYPE_STRING,
	 set_rep_pci, false},
	{"y", "memory", "<kind>", "malloc or shm", DOCA_ARGP_TYPE_STRING, set_memory, false},
	{"m", "messages", "<count>", "messages to receive", DOCA_ARGP_TYPE_INT, set_messages,
	 false},
	{"s", "size", "<bytes>", "bytes of a message", DOCA_ARGP_TYPE_INT, set_size, false},
	{"t", "timeout", "<seconds>", "how long all may take", DOCA_ARGP_TYPE_INT, set_timeout,
	 false},
};

static bool dev_can_consume(const struct doca_devinfo *info)
{
	return doca_comch_cap_server_is_supported(info) == DOCA_SUCCESS &&
	       doca_comch_consumer_cap_is_supported(info) == DOCA_SUCCESS;
}

static struct dpu *dpu_of(struct doca_comch_connection *connection)
{
	union doca_data user_data = {.ptr = NULL};

	doca_ctx_get_user_data(
		doca_comch_server_as_ctx(doca_comch_server_get_server_ctx(connection)), &user_data);
	return user_data.ptr;
}

/* --- the consumer --- */

static bool message_is_right(const struct dpu *d, const struct doca_buf *buf,
			     const struct doca_comch_consumer_task_post_recv *task)
{
	const uint8_t *number = doca_comch_consumer_task_post_recv_get_imm_data(task);
	uint32_t i = (uint32_t)d->n_received, at;
	const uint8_t *bytes;
	size_t len;
	void *data;

	if (doca_comch_consumer_task_post_recv_get_imm_data_len(task) != 4 ||
	    (number[0] | (uint32_t)number[1] << 8 | (uint32_t)number[2] << 16 |
	     (uint32_t)number[3] << 24) != i)
		return false;
	if (doca_buf_get_data(buf, &data) != DOCA_SUCCESS ||
	    doca_buf_get_data_len(buf, &len) != DOCA_SUCCESS || len != d->size)
		return false;
	bytes = data;
	for (at = 0; at < len; at++) {
		if (bytes[at] != (uint8_t)(at + i * 37))
			return false;
	}
	return true;
}

static void receive_end(struct dpu *d, struct doca_comch_consumer_task_post_recv *task)
{
	doca_buf_dec_refcount(doca_comch_consumer_task_post_recv_get_buf(task), NULL);
	doca_task_free(doca_comch_consumer_task_post_recv_as_task(task));
	d->n_posted--;
}

static void on_received(struct doca_comch_consumer_task_post_recv *task,
			union doca_data task_user_data, union doca_data ctx_user_data)
{
	struct doca_buf *buf = doca_comch_consumer_task_post_recv_get_buf(task);
	struct dpu *d = ctx_user_data.ptr;

	(void)task_user_data;
	if (!message_is_right(d, buf, task)) {
		fprintf(stderr, "message %d is not what was sent\n", d->n_received);
		d->result = DOCA_ERROR_UNEXPECTED;
	}
	d->n_received++;
	if (d->n_received < d->n_wanted && d->result == DOCA_SUCCESS) {
		/*
		 * Resets the data length, so that the next message starts at the beginning of the
		 * buffer.
		 */
		doca_buf_reset_data_len(buf);
		d->result = doca_task_submit(doca_comch_consumer_task_post_recv_as_task(task));
		if (d->result == DOCA_SUCCESS)
			return;
	}
	receive_end(d, task);
	/* The remaining receives complete through on_not_received(). */
	doca_ctx_stop(doca_comch_consumer_as_ctx(d->consumer));
}

/* The consumer was stopped, or the sender disconnected. */
static void on_not_received(struct doca_comch_consumer_task_post_recv *task,
			    union doca_data task_user_data, union doca_data ctx_user_data)
{
	(void)task_user_data;
	receive_end(ctx_user_data.ptr, task);
}

static doca_error_t receives_post(struct dpu *d)
{
	struct doca_comch_consumer_task_post_recv *task;
	doca_error_t result = DOCA_SUCCESS;
	struct doca_buf *buf;

	while (result == DOCA_SUCCESS && d->n_posted < N_RECEIVES) {
		result = doca_buf_inventory_buf_get_by_addr(
			d->inventory, d->mmap, d->bytes + (size_t)d->n_posted * d->size, d->size,
			&buf);
		if (result != DOCA_SUCCESS)
			break;
		result = doca_comch_consumer_task_post_recv_alloc_init(d->consumer, buf, &task);
		if (result == DOCA_SUCCESS)
			result = doca_task_submit(doca_comch_consumer_task_post_recv_as_task(task));
		d->n_posted += result == DOCA_SUCCESS;
	}
	return result;
}

static void on_consumer_state(const union doca_data user_data, struct doca_ctx *ctx,
			      enum doca_ctx_states prev, enum doca_ctx_states next)
{
	struct dpu *d = user_data.ptr;

	(void)ctx;
	(void)prev;
	if (next == DOCA_CTX_STATE_RUNNING)
		d->result = receives_post(d);
	else if (next == DOCA_CTX_STATE_IDLE && d->n_received < d->n_wanted &&
		 d->result == DOCA_SUCCESS)
		d->result = DOCA_ERROR_CONNECTION_ABORTED;
}

static doca_error_t consumer_open(struct dpu *d, struct doca_comch_connection *connection)
{
	union doca_data user_data = {.ptr = d};
	struct doca_ctx *ctx;
	doca_error_t result;

	result = doca_comch_consumer_create(connection, d->mmap, &d->consumer);
	if (result != DOCA_SUCCESS)
		return result;
	ctx = doca_comch_consumer_as_ctx(d->consumer);
	result = doca_pe_connect_ctx(d->pe, ctx);
	if (result == DOCA_SUCCESS)
		result = doca_ctx_set_user_data(ctx, user_data);
	if (result == DOCA_SUCCESS)
		result = doca_ctx_set_state_changed_cb(ctx, on_consumer_state);
	if (result == DOCA_SUCCESS)
		result = doca_comch_consumer_set_imm_data_len(d->consumer, 4);
	if (result == DOCA_SUCCESS)
		result = doca_comch_consumer_task_post_recv_set_conf(d->consumer, on_received,
								     on_not_received, N_RECEIVES);
	if (result == DOCA_SUCCESS)
		result = doca_ctx_start(ctx);
	return result == DOCA_ERROR_IN_PROGRESS ? DOCA_SUCCESS : result;
}

/* --- the server --- */

static void on_connect(struct doca_comch_event_connection_status_changed *event,
		       struct doca_comch_connection *connection, uint8_t is_successful)
{
	struct dpu *d = dpu_of(connection);

	(void)event;
	if (!is_successful || d->is_connected)
		return;
	d->is_connected = true;
	/* The client learns of the consumer as soon as it is connected itself. */
	d->result = consumer_open(d, connection);
}

static void on_disconnect(struct doca_comch_event_connection_status_changed *event,
			  struct doca_comch_connection *connection, uint8_t is_successful)
{
	(void)event;
	(void)is_successful;
	dpu_of(connection)->has_left = true;
}

/* The server requires both callbacks. It sends nothing, so it ignores consumers of the client. */
static void on_client_consumer(struct doca_comch_event_consumer *event,
			       struct doca_comch_connection *connection, uint32_t id)
{
	(void)event;
	(void)connection;
	(void)id;
}

static doca_error_t server_open(struct dpu *d, const struct options *o)
{
	union doca_data user_data = {.ptr = d};
	struct doca_ctx *ctx;
	doca_error_t result;

	result = doca_comch_server_create(d->dev, d->rep, o->name, &d->server);
	if (result != DOCA_SUCCESS)
		return example_failed("create the server", result);
	ctx = doca_comch_server_as_ctx(d->server);
	result = doca_pe_connect_ctx(d->pe, ctx);
	if (result == DOCA_SUCCESS)
		result = doca_ctx_set_user_data(ctx, user_data);
	if (result == DOCA_SUCCESS)
		result = doca_comch_server_event_connection_status_changed_register(
			d->server, on_connect, on_disconnect);
	if (result == DOCA_SUCCESS)
		result = doca_comch_server_event_consumer_register(d->server, on_client_consumer,
								   on_client_consumer);
	if (result == DOCA_SUCCESS)
		result = doca_ctx_start(ctx);
	return result == DOCA_SUCCESS ? result : example_failed("start the server", result);
}

static doca_error_t memory_open(struct dpu *d)
{
	size_t len = (size_t)N_RECEIVES * d->size;
	doca_error_t result = DOCA_SUCCESS;
	void *bytes = NULL;

	if (d->is_shared)
		result = dococ_mem_alloc(len, &bytes, NULL);
	else
		bytes = malloc(len);
	d->bytes = bytes;
	if (bytes == NULL)
		result = DOCA_ERROR_NO_MEMORY;
	if (result == DOCA_SUCCESS)
		result = doca_mmap_create(&d->mmap);
	if (result == DOCA_SUCCESS)
		result = doca_mmap_set_memrange(d->mmap, bytes, len);
	if (result == DOCA_SUCCESS)
		result = doca_mmap_set_permissions(d->mmap, DOCA_ACCESS_FLAG_PCI_READ_WRITE);
	if (result == DOCA_SUCCESS)
		result = doca_mmap_add_dev(d->mmap, d->dev);
	if (result == DOCA_SUCCESS)
		result = doca_mmap_start(d->mmap);
	if (result == DOCA_SUCCESS)
		result = doca_buf_inventory_create(N_RECEIVES, &d->inventory);
	if (result == DOCA_SUCCESS)
		result = doca_buf_inventory_start(d->inventory);
	return result == DOCA_SUCCESS ? result : example_failed("prepare the memory", result);
}

static bool is_idle(struct doca_ctx *ctx)
{
	enum doca_ctx_states state;

	return doca_ctx_get_state(ctx, &state) != DOCA_SUCCESS || state == DOCA_CTX_STATE_IDLE;
}

static bool is_consumer_idle(void *arg)
{
	return is_idle(doca_comch_consumer_as_ctx(((struct dpu *)arg)->consumer));
}

static bool is_server_idle(void *arg)
{
	return is_idle(doca_comch_server_as_ctx(((struct dpu *)arg)->server));
}

static bool is_done(void *arg)
{
	const struct dpu *d = arg;

	return d->result != DOCA_SUCCESS || (d->has_left && is_consumer_idle(arg));
}

static void dpu_close(struct dpu *d)
{
	/* The consumer is destroyed before the server, which owns its connection. */
	if (d->consumer != NULL) {
		doca_ctx_stop(doca_comch_consumer_as_ctx(d->consumer));
		example_pe_run(d->pe, is_consumer_idle, d, 5);
		doca_comch_consumer_destroy(d->consumer);
	}
	if (d->server != NULL) {
		doca_ctx_stop(doca_comch_server_as_ctx(d->server));
		example_pe_run(d->pe, is_server_idle, d, 5);
		doca_comch_server_destroy(d->server);
	}
	if (d->inventory != NULL)
		doca_buf_inventory_destroy(d->inventory);
	if (d->mmap != NULL)
		doca_mmap_destroy(d->mmap);
	if (d->is_shared && d->bytes != NULL)
		dococ_mem_free(d->bytes);
	else
		free(d->bytes);
	if (d->pe != NULL)
		doca_pe_destroy(d->pe);
	if (d->rep != NULL)
		doca_dev_rep_close(d->rep);
	doca_dev_close(d->dev);
}

int main(int argc, char **argv)
{
	struct options o = {.name = "stream", .n_messages = 10000, .size = 64, .timeout_s = 60};
	struct dpu d = {.dev = NULL};
	doca_error_t result;

	result = example_params_read("stream_dpu", &o, params, sizeof(params) / sizeof(params[0]),
				     argc, argv);
	if (result != DOCA_SUCCESS || example_dev_open(o.pci, dev_can_consume, &d.dev) != 0)
		return EXIT_FAILURE;
	d.size = (uint32_t)o.size;
	d.n_wanted = o.n_messages;
	d.is_shared = strcmp(o.memory, "shm") == 0;
	result = example_rep_open(d.dev, o.rep_pci, &d.rep);
	if (result == DOCA_SUCCESS)
		result = doca_pe_create(&d.pe);
	if (result == DOCA_SUCCESS)
		result = memory_open(&d);
	if (result == DOCA_SUCCESS)
		result = server_open(&d, &o);
	if (result == DOCA_SUCCESS)
		result = example_pe_run(d.pe, is_done, &d, o.timeout_s);
	if (result == DOCA_SUCCESS && d.result != DOCA_SUCCESS)
		result = example_failed("receive", d.result);
	dpu_close(&d);
	if (result == DOCA_SUCCESS)
		printf("OK %d messages of %u bytes received\n", d.n_received, d.size);
	return result == DOCA_SUCCESS ? EXIT_SUCCESS : EXIT_FAILURE;
}
