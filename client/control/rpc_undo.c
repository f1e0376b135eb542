/*
 * How a call that was given up is undone: for each kind of request that leaves something behind at
 * the daemon, the request that removes it. It is sent when the reply arrives, which brings the id;
 * or at once, if the program chose the id, because it may use the same id in its next request. All
 * other kinds of request need nothing. Threads: the lock is held.
 */
#include "client/control/rpc_internal.h"

#include "util/util.h"

/* The bodies of the requests that undo others. */
union undo_body {
	Dococore__HandleClose handle;
	Dococore__ExportDestroy export;
	Dococore__ImportDestroy import;
	Dococore__ServerDestroy server;
	Dococore__ChannelClose channel;
	Dococore__ConsumerDestroy consumer;
	Dococore__RdmaClose endpoint;
	Dococore__RdmaListen listener;
	Dococore__RdmaAnswer call;
};

static void undo_handle(const struct rpc_pending *pending, union undo_body *body,
			Dococore__Packet *packet)
{
	dococore__handle_close__init(&body->handle);
	body->handle.handle = pending->reply.packet->handle_reply->handle;
	packet->body_case = DOCOCORE__PACKET__BODY_HANDLE_CLOSE;
	packet->handle_close = &body->handle;
}

static void undo_export(const struct rpc_pending *pending, union undo_body *body,
			Dococore__Packet *packet)
{
	dococore__export_destroy__init(&body->export);
	body->export.export_id = pending->reply.packet->export_reply->export_id;
	packet->body_case = DOCOCORE__PACKET__BODY_EXPORT_DESTROY;
	packet->export_destroy = &body->export;
}

static void undo_import(const struct rpc_pending *pending, union undo_body *body,
			Dococore__Packet *packet)
{
	dococore__import_destroy__init(&body->import);
	body->import.import_id = pending->reply.packet->import_reply->import_id;
	packet->body_case = DOCOCORE__PACKET__BODY_IMPORT_DESTROY;
	packet->import_destroy = &body->import;
}

static void undo_server(const struct rpc_pending *pending, union undo_body *body,
			Dococore__Packet *packet)
{
	dococore__server_destroy__init(&body->server);
	body->server.server_id = pending->reply.packet->server_reply->server_id;
	packet->body_case = DOCOCORE__PACKET__BODY_SERVER_DESTROY;
	packet->server_destroy = &body->server;
}

static void undo_channel(const struct rpc_pending *pending, union undo_body *body,
			 Dococore__Packet *packet)
{
	dococore__channel_close__init(&body->channel);
	body->channel.channel_id = pending->reply.packet->channel_connect_reply->channel_id;
	packet->body_case = DOCOCORE__PACKET__BODY_CHANNEL_CLOSE;
	packet->channel_close = &body->channel;
}

static void undo_consumer(const struct rpc_pending *pending, union undo_body *body,
			  Dococore__Packet *packet)
{
	dococore__consumer_destroy__init(&body->consumer);
	body->consumer.channel_id = pending->undo[0];
	body->consumer.consumer_id = (uint32_t)pending->undo[1];
	packet->body_case = DOCOCORE__PACKET__BODY_CONSUMER_DESTROY;
	packet->consumer_destroy = &body->consumer;
}

static void undo_endpoint(const struct rpc_pending *pending, union undo_body *body,
			  Dococore__Packet *packet)
{
	dococore__rdma_close__init(&body->endpoint);
	body->endpoint.endpoint_id = pending->reply.packet->rdma_open_reply->endpoint_id;
	packet->body_case = DOCOCORE__PACKET__BODY_RDMA_CLOSE;
	packet->rdma_close = &body->endpoint;
}

static void undo_listener(const struct rpc_pending *pending, union undo_body *body,
			  Dococore__Packet *packet)
{
	dococore__rdma_listen__init(&body->listener);
	body->listener.endpoint_id = pending->undo[0];
	body->listener.port_number = (uint32_t)pending->undo[1];
	body->listener.stop = true;
	packet->body_case = DOCOCORE__PACKET__BODY_RDMA_LISTEN;
	packet->rdma_listen = &body->listener;
}

static void undo_call(const struct rpc_pending *pending, union undo_body *body,
		      Dococore__Packet *packet)
{
	dococore__rdma_answer__init(&body->call);
	body->call.call_id = pending->reply.packet->rdma_connect_reply->call_id;
	body->call.code = DOCA_ERROR_CONNECTION_ABORTED;
	packet->body_case = DOCOCORE__PACKET__BODY_RDMA_ANSWER;
	packet->rdma_answer = &body->call;
}

static const struct undo_row {
	Dococore__Packet__BodyCase request, reply; /* reply OK: the request has all ids */
	void (*fill)(const struct rpc_pending *pending, union undo_body *body,
		     Dococore__Packet *packet);
} undo[] = {
	{DOCOCORE__PACKET__BODY_DEVICE_OPEN, DOCOCORE__PACKET__BODY_HANDLE_REPLY, undo_handle},
	{DOCOCORE__PACKET__BODY_REP_OPEN, DOCOCORE__PACKET__BODY_HANDLE_REPLY, undo_handle},
	{DOCOCORE__PACKET__BODY_EXPORT_CREATE, DOCOCORE__PACKET__BODY_EXPORT_REPLY, undo_export},
	{DOCOCORE__PACKET__BODY_IMPORT_CREATE, DOCOCORE__PACKET__BODY_IMPORT_REPLY, undo_import},
	{DOCOCORE__PACKET__BODY_SERVER_CREATE, DOCOCORE__PACKET__BODY_SERVER_REPLY, undo_server},
	{DOCOCORE__PACKET__BODY_CHANNEL_CONNECT, DOCOCORE__PACKET__BODY_CHANNEL_CONNECT_REPLY,
	 undo_channel},
	{DOCOCORE__PACKET__BODY_CONSUMER_CREATE, DOCOCORE__PACKET__BODY_OK, undo_consumer},
	{DOCOCORE__PACKET__BODY_RDMA_OPEN, DOCOCORE__PACKET__BODY_RDMA_OPEN_REPLY, undo_endpoint},
	{DOCOCORE__PACKET__BODY_RDMA_LISTEN, DOCOCORE__PACKET__BODY_OK, undo_listener},
	{DOCOCORE__PACKET__BODY_RDMA_CONNECT, DOCOCORE__PACKET__BODY_RDMA_CONNECT_REPLY, undo_call},
};

void rpc_undo_prepare(struct rpc_pending *pending, const Dococore__Packet *request)
{
	if (request->body_case == DOCOCORE__PACKET__BODY_CONSUMER_CREATE) {
		pending->undo[0] = request->consumer_create->channel_id;
		pending->undo[1] = request->consumer_create->consumer->id;
	} else if (request->body_case == DOCOCORE__PACKET__BODY_RDMA_LISTEN) {
		pending->undo[0] = request->rdma_listen->endpoint_id;
		pending->undo[1] = request->rdma_listen->port_number;
	}
}

static const struct undo_row *undo_find(const struct rpc_pending *pending)
{
	for (size_t i = 0; i < ARRAY_LEN(undo); i++) {
		if (undo[i].request == pending->request)
			return &undo[i];
	}
	return NULL;
}

static void undo_send(struct rpc_pending *pending, const struct undo_row *row)
{
	struct rpc_request request = {.packet = DOCOCORE__PACKET__INIT};
	union undo_body body;

	row->fill(pending, &body, &request.packet);
	/* There is no room if the daemon does not read. Then the reply is the next chance. */
	pending->is_undone = rpc_send_locked(&request) >= 0;
}

void rpc_undo_locked(struct rpc_pending *pending)
{
	const struct undo_row *row = undo_find(pending);

	if (row != NULL && !pending->is_undone && row->reply == pending->reply.packet->body_case)
		undo_send(pending, row);
}

void rpc_undo_early_locked(struct rpc_pending *pending)
{
	const struct undo_row *row = undo_find(pending);

	if (row != NULL && row->reply == DOCOCORE__PACKET__BODY_OK)
		undo_send(pending, row);
}
