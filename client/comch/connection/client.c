/*
 * Comch client: one connection to a named server on the other side. Start sends the request to the
 * daemon and returns. The daemon's answer is an event: READY changes the context to running, FAILED
 * back to idle. A server may accept a client and end the connection at once, as one does that
 * serves a single client. The context then becomes running all the same and stops afterwards,
 * because public programs wait for running only. When the server leaves, its earlier messages are
 * delivered, the expired callback runs for its consumers that the program knows, and the context
 * stops by itself. The callback also runs for them if the program stops the context.
 */
#include <stdlib.h>

#include "client/comch/connection/client.h"
#include "util/fd.h"

static struct comch *client_base(const struct doca_comch_client *client)
{
	return (struct comch *)(uintptr_t)client;
}

static struct doca_comch_client *client_of(const struct doca_ctx *ctx)
{
	return (struct doca_comch_client *)(uintptr_t)ctx;
}

static void client_unregister_locked(uint64_t id, void (*send_locked)(struct rpc_request *request))
{
	Dococore__ChannelClose body = DOCOCORE__CHANNEL_CLOSE__INIT;
	struct rpc_request request = {.packet = DOCOCORE__PACKET__INIT};

	body.channel_id = id;
	request.packet.body_case = DOCOCORE__PACKET__BODY_CHANNEL_CLOSE;
	request.packet.channel_close = &body;
	send_locked(&request);
}

static doca_error_t client_register_locked(struct comch *comch, struct event_reader *reader_out,
					   uint64_t *id_out)
{
	Dococore__ChannelConnect body = DOCOCORE__CHANNEL_CONNECT__INIT;
	struct rpc_request request = {.packet = DOCOCORE__PACKET__INIT};
	CLEANUP_REPLY struct rpc_reply answer = RPC_REPLY_INIT;
	doca_error_t result;

	result = dev_get_handle_locked(comch->ctx.dev, &body.device);
	if (result != DOCA_SUCCESS)
		return result;
	body.name = comch->name;
	body.max_msg_size = comch->max_msg_size;
	body.recv_queue_size = comch->recv_queue_size;
	body.remote_rings = comch_remote_ring_is_supported(comch);
	body.wants_arrived = client_of(&comch->ctx)->reports_arrival;
	request.packet.body_case = DOCOCORE__PACKET__BODY_CHANNEL_CONNECT;
	request.packet.channel_connect = &body;
	result = rpc_call_locked(&request, DOCOCORE__PACKET__BODY_CHANNEL_CONNECT_REPLY, &answer);
	if (result != DOCA_SUCCESS)
		return result;
	result = comch_events_adopt_ring(
		&answer, answer.packet->channel_connect_reply->event_ring_len, reader_out);
	/* On failure, the channel exists at the daemon and must be closed. */
	if (result == DOCA_SUCCESS)
		*id_out = answer.packet->channel_connect_reply->channel_id;
	else
		client_unregister_locked(answer.packet->channel_connect_reply->channel_id,
					 rpc_call_void_locked);
	return result;
}

/* An established channel needs no daemon. A pending request is sent to the new daemon. */
static void client_on_reconnect(struct session_item *item)
{
	struct comch *comch = container_of(item, struct comch, item);

	if (comch->register_locked != NULL)
		comch_events_renew_locked(comch);
	else
		comch->events.id = 0;
}

static doca_error_t client_start(struct doca_ctx *ctx)
{
	struct doca_comch_client *client = client_of(ctx);
	doca_error_t result;

	client->base.register_locked = client_register_locked;
	client->service_exists = false;
	result = comch_make_copy(&client->base);
	if (result == DOCA_SUCCESS)
		result = comch_events_open(&client->base);
	if (result != DOCA_SUCCESS)
		return result;
	client->conn.state = COMCH_CONNECTING;
	ctx_set_polled(ctx, true);
	return DOCA_ERROR_IN_PROGRESS;
}

static void client_stop(struct doca_ctx *ctx)
{
	struct doca_comch_client *client = client_of(ctx);

	/* The end of the channel is reported once, by the unregistration, whether it is established
	 * or not. */
	client->conn.channel_id = 0;
	if (client->conn.state != COMCH_FREE)
		comch_connection_hang_up(&client->conn);
	comch_events_unregister(&client->base);
}

static bool client_stopped(const struct doca_ctx *ctx)
{
	const struct doca_comch_client *client = client_of(ctx);

	return !comch_connection_must_expire(&client->conn);
}

static void client_release(struct doca_ctx *ctx)
{
	struct doca_comch_client *client = client_of(ctx);

	ctx_set_polled(ctx, false);
	comch_connection_close(&client->conn);
	comch_remote_rings_close(&client->base);
	comch_events_close(&client->base);
}

static void client_ready(struct doca_comch_client *client, const struct comch_fetch *fetch,
			 doca_error_t result, struct rpc_reply *answer)
{
	/* For endpoints of the comm channel, the connect itself fails. */
	bool has_ended = result == DOCA_ERROR_NOT_FOUND && !client->reports_arrival;

	result = comch_connection_open(&client->conn, fetch, result, answer);
	if (has_ended)
		result = comch_connection_open_ended(&client->conn);
	if (result == DOCA_SUCCESS) {
		ctx_started(&client->base.ctx);
	} else if (client->base.events.status == COMCH_EVENTS_RENEWED) {
		/* A new daemon has received the request, so the client waits again. */
		comch_connection_close(&client->conn);
		client->conn.state = COMCH_CONNECTING;
	} else {
		ctx_fail(&client->base.ctx);
	}
}

/* Returns true when the fetch has ended. */
static bool client_fetch(struct doca_comch_client *client)
{
	CLEANUP_REPLY struct rpc_reply answer = RPC_REPLY_INIT;
	struct comch_fetch fetch;
	doca_error_t result = comch_fetch_advance(&client->base, &fetch, &answer);

	if (result == DOCA_ERROR_IN_PROGRESS)
		return false;
	if (fetch.link != NULL)
		comch_connection_consumer_fetched(&fetch, result, &answer);
	else
		client_ready(client, &fetch, result, &answer);
	return true;
}

static void client_failed(struct doca_comch_client *client, uint32_t code)
{
	const char *hint =
		code == DOCA_ERROR_NOT_FOUND
			? "start a server of that name for this device's representor first"
			: "see the daemon's log for the reason";

	client->conn.end_code = (doca_error_t)code;
	error_set((doca_error_t)code, "comch client \"%s\": not connected on %s: %s; %s",
		  client->base.name, client->base.ctx.dev->info->name,
		  doca_error_get_descr((doca_error_t)code), hint);
	ctx_fail(&client->base.ctx);
}

static void client_closed(struct doca_comch_client *client, uint32_t code)
{
	client->conn.channel_id = 0;
	if (client->base.ctx.state == DOCA_CTX_STATE_STARTING)
		client_failed(client, code == 0 ? DOCA_ERROR_CONNECTION_ABORTED : code);
	else
		comch_connection_peer_left(&client->conn, (doca_error_t)code);
}

/* Handles one event. */
static uint8_t client_handle_event(struct doca_comch_client *client)
{
	struct comch *comch = &client->base;
	struct event event;
	int r;

	if (comch->ctx.state == DOCA_CTX_STATE_STOPPING)
		return 0;
	if (comch_events_is_fetching(comch))
		return client_fetch(client);
	if (comch_events_swap(comch))
		return 1;
	if (comch->events.status == COMCH_EVENTS_RENEWED)
		return 0;
	if (comch->events.status == COMCH_EVENTS_LOST) {
		error_set(DOCA_ERROR_NOT_CONNECTED,
			  "comch client \"%s\": the daemon was restarted and refused to connect it",
			  comch->name);
		ctx_fail(&comch->ctx);
		return 1;
	}
	r = event_reader_pop(&comch->events.reader, &event);
	if (r == 0)
		return 0;
	if (r < 0) {
		error_set(
			DOCA_ERROR_UNEXPECTED,
			"comch client \"%s\": the daemon's event ring is broken; the client stops",
			comch->name);
		ctx_fail(&comch->ctx);
		return 1;
	}
	if (event.id != comch->events.id)
		return 1;
	if (event.type == EVENT_CHANNEL_READY && client->conn.state == COMCH_CONNECTING)
		comch_fetch_channel(comch, event.id);
	else if (event.type == EVENT_CHANNEL_FAILED && client->conn.state == COMCH_CONNECTING)
		client_failed(client, event.code);
	else if (event.type == EVENT_CHANNEL_CLOSED)
		client_closed(client, event.code);
	else if (event.type == EVENT_CHANNEL_ARRIVED)
		client->service_exists = true;
	else if (event.type == EVENT_CONSUMER_NEW || event.type == EVENT_CONSUMER_GONE)
		comch_connection_consumer_event(&client->conn, &event);
	return 1;
}

/* Runs the expired callback for one of the server's consumers that the program knows; called once
 * per poll. */
static uint8_t client_poll_stopping(struct doca_comch_client *client)
{
	struct doca_ctx *ctx = &client->base.ctx;
	struct doca_pe *pe = ctx->pe;

	if (!comch_connection_expire(&client->conn))
		return 0;
	if (pe->polling == ctx && client_stopped(ctx))
		ctx_request_transition(ctx);
	return 1;
}

static uint8_t client_poll(struct doca_ctx *ctx)
{
	struct doca_comch_client *client = client_of(ctx);
	int r;

	if (unlikely(comch_events_pending(&client->base.events)) && client_handle_event(client))
		return 1;
	if (unlikely(ctx->state == DOCA_CTX_STATE_STOPPING))
		return client_poll_stopping(client);
	if (unlikely(ctx->state != DOCA_CTX_STATE_RUNNING))
		return 0;
	if (unlikely(client->base.remote_rings != NULL))
		comch_remote_rings_poll(&client->base);
	r = comch_connection_poll(&client->conn);
	if (unlikely(r == COMCH_POLL_END)) {
		if (comch_connection_expire(&client->conn))
			return 1;
		if (client->conn.end_code == DOCA_SUCCESS)
			sdk_info("comch client \"%s\": the server closed the connection",
				 client->base.name);
		else if (client->conn.state == COMCH_DRAINING)
			error_set(DOCA_ERROR_CONNECTION_RESET,
				  "comch client \"%s\": the connection to the server broke (%s); "
				  "the client stops",
				  client->base.name, doca_error_get_descr(client->conn.end_code));
		ctx_fail(ctx);
	}
	return r != COMCH_POLL_NOTHING;
}

static bool client_arm(struct doca_ctx *ctx)
{
	struct doca_comch_client *client = client_of(ctx);
	bool pending;

	if (ctx->state == DOCA_CTX_STATE_STOPPING)
		return comch_connection_must_expire(&client->conn);
	if (event_reader_pending(&client->base.events.reader) &&
	    !comch_events_is_fetching(&client->base))
		return true;
	pending = comch_events_arm(&client->base);
	if (ctx->state == DOCA_CTX_STATE_RUNNING) {
		pending |= comch_remote_rings_arm(&client->base);
		pending |= comch_connection_arm(&client->conn);
	}
	return pending;
}

static void client_disarm(struct doca_ctx *ctx)
{
	struct doca_comch_client *client = client_of(ctx);

	event_reader_disarm(&client->base.events.reader);
	comch_remote_rings_disarm(&client->base);
	comch_connection_disarm(&client->conn);
}

static const struct ctx_ops client_ops = {
	.name = "comch client",
	.counted_as = COUNTERS_COMCH_CLIENT,
	.start = client_start,
	.stop = client_stop,
	.stopped = client_stopped,
	.release = client_release,
	.poll = client_poll,
	.arm = client_arm,
	.disarm = client_disarm,
};

doca_error_t comch_client_new(struct doca_dev *dev, const char *name,
			      struct doca_comch_client **client_out)
{
	struct doca_comch_client *client;
	doca_error_t result;

	client = calloc(1, sizeof(*client));
	if (client == NULL)
		return error_set(DOCA_ERROR_NO_MEMORY, "comch client create: out of memory");
	result = comch_init(&client->base, &client_ops, dev, name, false);
	if (result != DOCA_SUCCESS) {
		free(client);
		return result;
	}
	client->base.unregister_locked = client_unregister_locked;
	client->base.item.on_reconnect = client_on_reconnect;
	comch_connection_init(&client->conn, &client->base);
	*client_out = client;
	return DOCA_SUCCESS;
}

doca_error_t comch_client_free(struct doca_comch_client *client)
{
	doca_error_t result = comch_deinit(&client->base);

	if (result == DOCA_SUCCESS)
		free(client);
	return result;
}

doca_error_t doca_comch_client_create(struct doca_dev *dev, const char *name,
				      struct doca_comch_client **comch_client)
{
	if (dev == NULL || name == NULL || comch_client == NULL)
		return error_set(DOCA_ERROR_INVALID_VALUE, "comch client create: %s is NULL",
				 dev == NULL    ? "dev"
				 : name == NULL ? "name"
						: "the place for the client");
	return comch_client_new(dev, name, comch_client);
}

doca_error_t doca_comch_client_destroy(struct doca_comch_client *comch_client)
{
	if (comch_client == NULL)
		return error_set(DOCA_ERROR_INVALID_VALUE, "comch client destroy: client is NULL");
	return comch_client_free(comch_client);
}

doca_error_t doca_comch_client_set_max_msg_size(struct doca_comch_client *comch_client,
						uint32_t size)
{
	return comch_set_msg_size(client_base(comch_client), size, "comch client max message size");
}

doca_error_t doca_comch_client_get_max_msg_size(const struct doca_comch_client *comch_client,
						uint32_t *size)
{
	return comch_get_msg_size(client_base(comch_client), size, "comch client max message size");
}

doca_error_t doca_comch_client_set_recv_queue_size(struct doca_comch_client *comch_client,
						   uint32_t size)
{
	return comch_set_recv_queue(client_base(comch_client), size,
				    "comch client receive queue size");
}

doca_error_t doca_comch_client_get_recv_queue_size(const struct doca_comch_client *comch_client,
						   uint32_t *size)
{
	return comch_get_recv_queue(client_base(comch_client), size,
				    "comch client receive queue size");
}

doca_error_t doca_comch_client_get_device(const struct doca_comch_client *comch_client,
					  struct doca_dev **dev)
{
	return comch_get_dev(client_base(comch_client), dev, "comch client device");
}

struct doca_ctx *doca_comch_client_as_ctx(struct doca_comch_client *comch_client)
{
	return comch_client == NULL ? NULL : &comch_client->base.ctx;
}

doca_error_t doca_comch_client_get_connection(const struct doca_comch_client *comch_client,
					      struct doca_comch_connection **connection)
{
	enum doca_ctx_states state;

	if (comch_client == NULL || connection == NULL)
		return error_set(DOCA_ERROR_INVALID_VALUE, "comch client connection: %s is NULL",
				 comch_client == NULL ? "client" : "the result");
	state = comch_client->base.ctx.state;
	if (state != DOCA_CTX_STATE_RUNNING && state != DOCA_CTX_STATE_STOPPING)
		return error_set(
			DOCA_ERROR_BAD_STATE,
			"comch client connection: \"%s\" is not connected; progress until the "
			"context runs",
			comch_client->base.name);
	*connection = (struct doca_comch_connection *)(uintptr_t)&comch_client->conn;
	return DOCA_SUCCESS;
}

struct doca_comch_client *doca_comch_client_get_client_ctx(
	const struct doca_comch_connection *connection)
{
	if (connection == NULL || connection->comch->is_server)
		return NULL;
	return container_of(connection->comch, struct doca_comch_client, base);
}

doca_error_t doca_comch_client_task_send_set_conf(
	struct doca_comch_client *comch_client,
	doca_comch_task_send_completion_cb_t task_completion_cb,
	doca_comch_task_send_completion_cb_t task_error_cb, uint32_t num_send_tasks)
{
	return comch_send_set_conf(client_base(comch_client), task_completion_cb, task_error_cb,
				   num_send_tasks, "comch client send conf");
}

doca_error_t doca_comch_client_task_send_alloc_init(struct doca_comch_client *comch_client,
						    struct doca_comch_connection *peer,
						    const void *msg, uint32_t len,
						    struct doca_comch_task_send **task)
{
	return comch_send_alloc(client_base(comch_client), peer, msg, len, task,
				"comch client send");
}

doca_error_t doca_comch_client_event_msg_recv_register(struct doca_comch_client *comch_client,
						       doca_comch_event_msg_recv_cb_t recv_event_cb)
{
	return comch_set_recv_cb(client_base(comch_client), recv_event_cb,
				 "comch client receive event");
}

doca_error_t doca_comch_client_event_consumer_register(
	struct doca_comch_client *comch_client,
	doca_comch_event_consumer_cb_t new_consumer_event_cb,
	doca_comch_event_consumer_cb_t expired_consumer_event_cb)
{
	return comch_set_consumer_cbs(client_base(comch_client), new_consumer_event_cb,
				      expired_consumer_event_cb, "comch client consumer event");
}
