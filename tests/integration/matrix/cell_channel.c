/*
 * A service on the DPU that sends back what it gets, and a client on the host. Up to 2.6 by a comm
 * channel, from 2.7 on by comch.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <doca_ctx.h>
#if DOCA_USE_VERSION < 207
#include <doca_comm_channel.h>
#else
#include <doca_comch.h>
#include <doca_pe.h>
#endif

#include "tests/integration/matrix/cell.h"

#define ROUNDS   100
#define MAX_MSG  1000
#define NAME_LEN 64

/* Message i: its length, and what is in it. */
static size_t message(uint8_t *out, unsigned i)
{
	size_t len = 1 + i * 97u % MAX_MSG;

	memset(out, (int)(i * 31 + 1), len);
	return len;
}

/* One end of a connection. */
struct end {
	struct doca_dev *dev;
#if DOCA_USE_VERSION < 207
	struct doca_comm_channel_ep_t *ep;
	struct doca_comm_channel_addr_t *peer;
#else
	struct doca_pe *pe;
	struct doca_ctx *ctx;
	struct doca_comch_server *server;
	struct doca_comch_client *client;
	struct doca_comch_connection *connection;
	uint8_t got[MAX_MSG];
	size_t got_len;
	int n_connected;
#endif
#if DOCA_USE_VERSION < 105
	struct doca_dev_remote *rep;
#else
	struct doca_dev_rep *rep;
#endif
};

#if DOCA_USE_VERSION < 207
static void end_open(struct end *end, bool is_dpu)
{
	memset(end, 0, sizeof(*end));
#if DOCA_USE_VERSION < 105
	struct doca_comm_channel_init_attr attr = {.maxmsgs = 16, .msgsize = MAX_MSG};

	(void)is_dpu; /* the endpoint finds its device itself */
	CELL_OK(doca_comm_channel_ep_create(&attr, &end->ep));
#else
	end->dev = cell_dev_open(is_dpu);
	CELL_OK(doca_comm_channel_ep_create(&end->ep));
	CELL_OK(doca_comm_channel_ep_set_device(end->ep, end->dev));
	CELL_OK(doca_comm_channel_ep_set_max_msg_size(end->ep, MAX_MSG));
	CELL_OK(doca_comm_channel_ep_set_send_queue_size(end->ep, 16));
	CELL_OK(doca_comm_channel_ep_set_recv_queue_size(end->ep, 16));
	if (is_dpu) {
		end->rep = cell_rep_open(end->dev);
		CELL_OK(doca_comm_channel_ep_set_device_rep(end->ep, end->rep));
	}
#endif
}

static void end_listen(struct end *end, const char *name)
{
	CELL_OK(doca_comm_channel_ep_listen(end->ep, name));
}

static void end_connect(struct end *end, const char *name)
{
	CELL_OK(doca_comm_channel_ep_connect(end->ep, name, &end->peer));
#if DOCA_USE_VERSION >= 105
	doca_error_t result;

	do
		result = doca_comm_channel_peer_addr_update_info(end->peer);
	while (result == DOCA_ERROR_CONNECTION_INPROGRESS);
	CELL_OK(result);
#endif
}

static void end_send(struct end *end, const uint8_t *data, size_t len)
{
	doca_error_t result;

	do
		result = doca_comm_channel_ep_sendto(end->ep, data, len, 0, end->peer);
	while (result == DOCA_ERROR_AGAIN);
	CELL_OK(result);
}

static size_t end_recv(struct end *end, uint8_t *data)
{
	doca_error_t result;
	size_t len;

	do {
		len = MAX_MSG;
		result = doca_comm_channel_ep_recvfrom(end->ep, data, &len, 0, &end->peer);
	} while (result == DOCA_ERROR_AGAIN);
	CELL_OK(result);
	return len;
}

static void end_close(struct end *end, bool is_dpu)
{
	if (!is_dpu)
		CELL_OK(doca_comm_channel_ep_disconnect(end->ep, end->peer));
	CELL_OK(doca_comm_channel_ep_destroy(end->ep));
#if DOCA_USE_VERSION >= 105
	if (end->rep != NULL)
		CELL_OK(doca_dev_rep_close(end->rep));
	CELL_OK(doca_dev_close(end->dev));
#endif
}
#else
static void sent(struct doca_comch_task_send *task, union doca_data task_data,
		 union doca_data ctx_data)
{
	(void)task_data;
	(void)ctx_data;
	doca_task_free(doca_comch_task_send_as_task(task));
}

static void not_sent(struct doca_comch_task_send *task, union doca_data task_data,
		     union doca_data ctx_data)
{
	(void)task_data;
	(void)ctx_data;
	CELL_OK(doca_task_get_status(doca_comch_task_send_as_task(task)));
}

/* The context's data is the end. */
static struct end *end_of(struct doca_comch_connection *connection)
{
	union doca_data data = {.ptr = NULL};
	struct doca_comch_server *server = doca_comch_server_get_server_ctx(connection);

	CELL_OK(doca_ctx_get_user_data(
		server != NULL
			? doca_comch_server_as_ctx(server)
			: doca_comch_client_as_ctx(doca_comch_client_get_client_ctx(connection)),
		&data));
	return data.ptr;
}

static void received(struct doca_comch_event_msg_recv *event, uint8_t *data, uint32_t len,
		     struct doca_comch_connection *connection)
{
	struct end *end = end_of(connection);

	(void)event;
	CELL_EXPECT(len <= MAX_MSG && end->got_len == 0);
	memcpy(end->got, data, len);
	end->got_len = len;
	end->connection = connection;
}

static void connected(struct doca_comch_event_connection_status_changed *event,
		      struct doca_comch_connection *connection, uint8_t ok)
{
	(void)event;
	CELL_EXPECT(ok);
	end_of(connection)->n_connected++;
}

static void disconnected(struct doca_comch_event_connection_status_changed *event,
			 struct doca_comch_connection *connection, uint8_t ok)
{
	(void)event;
	(void)ok;
	end_of(connection)->n_connected--;
}

static void end_open(struct end *end, bool is_dpu)
{
	memset(end, 0, sizeof(*end));
	end->dev = cell_dev_open(is_dpu);
	CELL_OK(doca_pe_create(&end->pe));
	if (is_dpu)
		end->rep = cell_rep_open(end->dev);
}

static void end_start(struct end *end)
{
	union doca_data data = {.ptr = end};
	doca_error_t result;

	CELL_OK(doca_ctx_set_user_data(end->ctx, data));
	CELL_OK(doca_pe_connect_ctx(end->pe, end->ctx));
	result = doca_ctx_start(end->ctx);
	CELL_EXPECT(result == DOCA_SUCCESS || result == DOCA_ERROR_IN_PROGRESS);
}

static void end_listen(struct end *end, const char *name)
{
	CELL_OK(doca_comch_server_create(end->dev, end->rep, name, &end->server));
	end->ctx = doca_comch_server_as_ctx(end->server);
	CELL_OK(doca_comch_server_set_max_msg_size(end->server, MAX_MSG));
	CELL_OK(doca_comch_server_task_send_set_conf(end->server, sent, not_sent, 16));
	CELL_OK(doca_comch_server_event_msg_recv_register(end->server, received));
	CELL_OK(doca_comch_server_event_connection_status_changed_register(end->server, connected,
									   disconnected));
	end_start(end);
}

static void end_connect(struct end *end, const char *name)
{
	enum doca_ctx_states state;

	CELL_OK(doca_comch_client_create(end->dev, name, &end->client));
	end->ctx = doca_comch_client_as_ctx(end->client);
	CELL_OK(doca_comch_client_set_max_msg_size(end->client, MAX_MSG));
	CELL_OK(doca_comch_client_task_send_set_conf(end->client, sent, not_sent, 16));
	CELL_OK(doca_comch_client_event_msg_recv_register(end->client, received));
	end_start(end);
	do {
		(void)doca_pe_progress(end->pe);
		CELL_OK(doca_ctx_get_state(end->ctx, &state));
		CELL_EXPECT(state == DOCA_CTX_STATE_STARTING || state == DOCA_CTX_STATE_RUNNING);
	} while (state != DOCA_CTX_STATE_RUNNING);
	CELL_OK(doca_comch_client_get_connection(end->client, &end->connection));
}

static void end_send(struct end *end, const uint8_t *data, size_t len)
{
	struct doca_comch_task_send *task;
	doca_error_t result;

	do {
		if (end->server != NULL)
			result = doca_comch_server_task_send_alloc_init(
				end->server, end->connection, data, (uint32_t)len, &task);
		else
			result = doca_comch_client_task_send_alloc_init(
				end->client, end->connection, data, (uint32_t)len, &task);
		(void)doca_pe_progress(end->pe);
	} while (result == DOCA_ERROR_NO_MEMORY);
	CELL_OK(result);
	do {
		result = doca_task_submit(doca_comch_task_send_as_task(task));
		(void)doca_pe_progress(end->pe);
	} while (result == DOCA_ERROR_AGAIN);
	CELL_OK(result);
}

static size_t end_recv(struct end *end, uint8_t *data)
{
	size_t len;

	while (end->got_len == 0)
		(void)doca_pe_progress(end->pe);
	len = end->got_len;
	memcpy(data, end->got, len);
	end->got_len = 0;
	return len;
}

static void end_close(struct end *end, bool is_dpu)
{
	enum doca_ctx_states state;
	doca_error_t result;

	/* A server stops when its client has left. */
	while (is_dpu && end->n_connected > 0)
		(void)doca_pe_progress(end->pe);
	result = doca_ctx_stop(end->ctx);
	CELL_EXPECT(result == DOCA_SUCCESS || result == DOCA_ERROR_IN_PROGRESS);
	do {
		(void)doca_pe_progress(end->pe);
		CELL_OK(doca_ctx_get_state(end->ctx, &state));
	} while (state != DOCA_CTX_STATE_IDLE);
	if (is_dpu)
		CELL_OK(doca_comch_server_destroy(end->server));
	else
		CELL_OK(doca_comch_client_destroy(end->client));
	CELL_OK(doca_pe_destroy(end->pe));
	if (end->rep != NULL)
		CELL_OK(doca_dev_rep_close(end->rep));
	CELL_OK(doca_dev_close(end->dev));
}
#endif

void cell_channel_host(int sock)
{
	uint8_t out[MAX_MSG], in[MAX_MSG];
	char name[NAME_LEN];
	struct end end;

	end_open(&end, false);
	CELL_EXPECT(cell_recv(sock, name, sizeof(name)) == sizeof(name));
	end_connect(&end, name);
	for (unsigned i = 0; i < ROUNDS; i++) {
		size_t len = message(out, i);

		end_send(&end, out, len);
		CELL_EXPECT(end_recv(&end, in) == len && memcmp(in, out, len) == 0);
	}
	end_close(&end, false);
	cell_send(sock, "d", 1);
}

void cell_channel_dpu(int sock)
{
	uint8_t data[MAX_MSG], expected[MAX_MSG];
	char name[NAME_LEN] = "", done;
	struct end end;

	snprintf(name, sizeof(name), "cell %d", (int)getpid());
	end_open(&end, true);
	end_listen(&end, name);
	cell_send(sock, name, sizeof(name));
	for (unsigned i = 0; i < ROUNDS; i++) {
		size_t len = end_recv(&end, data);

		CELL_EXPECT(len == message(expected, i) && memcmp(data, expected, len) == 0);
		end_send(&end, data, len);
	}
	/* The last answer may be on its way until the client has said that it is there. */
#if DOCA_USE_VERSION < 207
	CELL_EXPECT(cell_recv(sock, &done, sizeof(done)) == 1);
	end_close(&end, true);
#else
	end_close(&end, true);
	CELL_EXPECT(cell_recv(sock, &done, sizeof(done)) == 1);
#endif
}
