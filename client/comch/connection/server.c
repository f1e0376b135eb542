/*
 * Comch server: its life, its clients, and the polling of their connections.
 *
 * A connection with a recent message is active and is polled every time. One that was quiet for
 * long is idle: the server polls one of those at intervals, in rotation, and makes it active again
 * if something is found. The cost of a poll thus depends on the number of busy clients, not of
 * connected ones. While there are few connections, all stay active.
 *
 * Before the user sleeps, idle connections are armed once and stay armed: the first ones in `idle`
 * are armed, the last ones not yet. An armed connection need not be polled, because the progress
 * engine reports when its doorbell was rung.
 *
 * Ending a connection puts it into `down`. Progress calls the disconnect callback from there, one
 * per poll, and never within the call that ended the connection. The callbacks for the peer's
 * consumers that the program knows come first. A connection that the program itself ended is freed
 * without a callback. Stopping ends all connections.
 */
#include "client/comch/connection/server.h"

#include <stdlib.h>

#include "util/fd.h"

/*
 * The number of polls without a message after which a connection becomes idle. Finding a message on
 * an idle connection takes up to a whole rotation. While some clients keep the server waiting, the
 * connections of the others see no message, either. If those became idle too early, their next
 * messages would be found late. Therefore several rotations must pass. A connection whose client
 * has never sent a message becomes idle sooner.
 */
#define QUIET_POLLS     4096u
#define QUIET_ROTATIONS 64u
#define N_ALWAYS_ACTIVE 4u /* with fewer connections, making one idle saves nothing */
#define IDLE_INTERVAL   8u /* one idle connection is polled in every 8th poll */

static struct doca_comch_server *server_of(const struct doca_ctx *ctx)
{
	return (struct doca_comch_server *)(uintptr_t)ctx;
}

/* --- connections and their lists --- */

static struct list *server_bucket(struct doca_comch_server *server, uint64_t channel_id)
{
	return &server->buckets[channel_id & (COMCH_SERVER_BUCKETS - 1)];
}

static struct doca_comch_connection *server_find(struct doca_comch_server *server,
						 uint64_t channel_id)
{
	struct doca_comch_connection *conn;

	list_for_each(conn, server_bucket(server, channel_id), hash_node)
	{
		if (conn->channel_id == channel_id)
			return conn;
	}
	return NULL;
}

/* Forgets a channel that the daemon no longer has a part in. */
static void server_forget_channel_id(struct doca_comch_connection *conn)
{
	list_remove(&conn->hash_node);
	conn->channel_id = 0;
}

/* Removes a connection from the list that it is in. */
static void server_list_remove(struct doca_comch_server *server, struct doca_comch_connection *conn)
{
	if (list_is_empty(&conn->node))
		return;
	if (server->cursor == &conn->node)
		server->cursor = conn->node.next;
	if (conn->idle)
		server->n_idle--;
	else if (conn->state != COMCH_FREE)
		server->n_active--;
	conn->idle = false;
	list_remove(&conn->node);
}

static void server_make_active(struct doca_comch_server *server, struct doca_comch_connection *conn)
{
	server_list_remove(server, conn);
	comch_connection_disarm(conn);
	list_append(&server->active, &conn->node);
	server->n_active++;
}

static void server_make_idle(struct doca_comch_server *server, struct doca_comch_connection *conn)
{
	server_list_remove(server, conn);
	comch_connection_disarm(conn);
	conn->idle = true;
	server->n_idle++;
	list_append(&server->idle, &conn->node);
}

/* Called when the doorbell was rung or a send met a full ring: the connection must be polled. */
static void server_activate(struct doca_comch_connection *conn)
{
	if (conn->idle)
		server_make_active((struct doca_comch_server *)(uintptr_t)conn->comch, conn);
}

static struct doca_comch_connection *server_new_connection(struct doca_comch_server *server)
{
	struct doca_comch_connection *conn;

	if (!list_is_empty(&server->free)) {
		conn = list_entry(server->free.next, struct doca_comch_connection, node);
		list_remove(&conn->node);
		return conn;
	}
	/* Connections are aligned to cache lines, so that no two share a line. */
	conn = aligned_alloc(SHM_CACHE_LINE, ALIGN_UP(sizeof(*conn), (size_t)SHM_CACHE_LINE));
	if (conn == NULL)
		return NULL;
	*conn = (struct doca_comch_connection){.state = COMCH_FREE};
	comch_connection_init(conn, &server->base);
	return conn;
}

static void server_free_connection(struct doca_comch_server *server,
				   struct doca_comch_connection *conn)
{
	list_remove(&conn->hash_node);
	comch_connection_close(conn);
	list_append(&server->free, &conn->node);
}

void comch_server_free_connections(struct doca_comch_server *server)
{
	struct doca_comch_connection *conn, *tmp;

	list_for_each_safe(conn, tmp, &server->free, node)
	{
		list_remove(&conn->node);
		free(conn);
	}
}

void comch_server_drop(struct doca_comch_server *server, struct doca_comch_connection *conn)
{
	/* After a reconnect, the number could be another channel's. */
	if (server->base.events.status != COMCH_EVENTS_CURRENT)
		server_forget_channel_id(conn);
	comch_connection_hang_up(conn);
	list_remove(&conn->hash_node);
	server_list_remove(server, conn);
	list_append(&server->down, &conn->node);
}

/* --- starting and stopping --- */

static void server_unregister_locked(uint64_t id, void (*send_locked)(struct rpc_request *request))
{
	Dococore__ServerDestroy body = DOCOCORE__SERVER_DESTROY__INIT;
	struct rpc_request request = {.packet = DOCOCORE__PACKET__INIT};

	body.server_id = id;
	request.packet.body_case = DOCOCORE__PACKET__BODY_SERVER_DESTROY;
	request.packet.server_destroy = &body;
	send_locked(&request);
}

static doca_error_t server_register_locked(struct comch *comch, struct event_reader *reader_out,
					   uint64_t *id_out)
{
	struct doca_comch_server *server = server_of(&comch->ctx);
	Dococore__ServerCreate body = DOCOCORE__SERVER_CREATE__INIT;
	struct rpc_request request = {.packet = DOCOCORE__PACKET__INIT};
	CLEANUP_REPLY struct rpc_reply answer = RPC_REPLY_INIT;
	doca_error_t result;

	result = dev_get_handle_locked(comch->ctx.dev, &body.device);
	if (result != DOCA_SUCCESS)
		return result;
	request.connection = rpc_connection_locked();
	/* A representor that could not be restored may be available now. */
	if (server->rep->handle == 0)
		server->rep->item.on_reconnect(&server->rep->item);
	body.rep = server->rep->handle;
	body.name = comch->name;
	body.max_msg_size = comch->max_msg_size;
	body.recv_queue_size = comch->recv_queue_size;
	body.remote_rings = comch_remote_ring_is_supported(comch);
	request.packet.body_case = DOCOCORE__PACKET__BODY_SERVER_CREATE;
	request.packet.server_create = &body;
	result = rpc_call_locked(&request, DOCOCORE__PACKET__BODY_SERVER_REPLY, &answer);
	if (result != DOCA_SUCCESS)
		return result;
	result = comch_events_adopt_ring(&answer, answer.packet->server_reply->event_ring_len,
					 reader_out);
	/* On failure, the server exists at the daemon, and its name is in use. */
	if (result == DOCA_SUCCESS)
		*id_out = answer.packet->server_reply->server_id;
	else
		server_unregister_locked(answer.packet->server_reply->server_id,
					 rpc_call_void_locked);
	return result;
}

static void server_on_reconnect(struct session_item *item)
{
	comch_events_renew_locked(container_of(item, struct comch, item));
}

/* A server's program may never call the daemon, so a polling or sleeping owner searches for the
 * next one. */
static void server_on_disconnect(struct session_item *item)
{
	comch_events_disconnect_locked(container_of(item, struct comch, item));
}

void comch_server_init(struct doca_comch_server *server)
{
	size_t i;

	server->base.register_locked = server_register_locked;
	server->base.unregister_locked = server_unregister_locked;
	server->base.activate = server_activate;
	server->base.item.on_reconnect = server_on_reconnect;
	server->base.item.on_disconnect = server_on_disconnect;
	server->status_event.server = server;
	list_init(&server->down);
	list_init(&server->active);
	list_init(&server->idle);
	list_init(&server->free);
	server->cursor = &server->idle;
	for (i = 0; i < COMCH_SERVER_BUCKETS; i++)
		list_init(&server->buckets[i]);
}

static doca_error_t server_start(struct doca_ctx *ctx)
{
	struct comch *base = &server_of(ctx)->base;
	doca_error_t result = comch_make_copy(base);

	if (result == DOCA_SUCCESS)
		result = comch_events_open(base);
	server_of(ctx)->device_removed = false;
	if (result == DOCA_SUCCESS)
		ctx_set_polled(ctx, true);
	return result;
}

static void server_drop_all(struct doca_comch_server *server, struct list *from)
{
	struct doca_comch_connection *conn, *tmp;

	list_for_each_safe(conn, tmp, from, node)
	{
		/* Unregistering the server closes all its channels at the daemon. */
		server_forget_channel_id(conn);
		comch_server_drop(server, conn);
	}
}

static void server_stop(struct doca_ctx *ctx)
{
	struct doca_comch_server *server = server_of(ctx);

	comch_remote_rings_drain(&server->base);
	server_drop_all(server, &server->active);
	server_drop_all(server, &server->idle);
	comch_events_unregister(&server->base);
}

static bool server_stopped(const struct doca_ctx *ctx)
{
	const struct doca_comch_server *server = server_of(ctx);

	return list_is_empty(&server->down);
}

static void server_release(struct doca_ctx *ctx)
{
	struct doca_comch_server *server = server_of(ctx);

	ctx_set_polled(ctx, false);
	comch_remote_rings_close(&server->base);
	comch_events_close(&server->base);
	comch_server_free_connections(server);
}

/* --- events --- */

/* A new daemon knows none of the channels; they continue without it. */
static void server_renewed(struct doca_comch_server *server)
{
	struct doca_comch_connection *conn, *tmp;
	size_t i;

	for (i = 0; i < COMCH_SERVER_BUCKETS; i++) {
		list_for_each_safe(conn, tmp, &server->buckets[i], hash_node)
			server_forget_channel_id(conn);
	}
}

static void server_connect(struct doca_comch_server *server, const struct comch_fetch *fetch,
			   doca_error_t result, struct rpc_reply *answer)
{
	struct doca_ctx *ctx = &server->base.ctx;
	struct doca_comch_connection *conn;
	struct doca_pe *pe = ctx->pe;

	conn = server_new_connection(server);
	if (conn == NULL) {
		comch_channel_notify_closed(fetch->channel_id, fetch->daemon_id);
		error_set(DOCA_ERROR_NO_MEMORY, "comch server \"%s\": no memory for another client",
			  server->base.name);
		return;
	}
	result = comch_connection_open(conn, fetch, result, answer);
	if (result == DOCA_SUCCESS) {
		list_append(server_bucket(server, conn->channel_id), &conn->hash_node);
		server_make_active(server, conn);
		if (server->connect_cb != NULL)
			server->connect_cb(&server->status_event, conn, 1);
		return;
	}
	if (server->connect_cb != NULL)
		server->connect_cb(&server->status_event, conn, 0);
	if (pe->polling != ctx)
		return;
	if (server->base.events.status != COMCH_EVENTS_CURRENT)
		conn->channel_id = 0;
	comch_connection_hang_up(conn);
	server_free_connection(server, conn);
}

/* Returns true when the fetch has ended. */
static bool server_fetch(struct doca_comch_server *server)
{
	CLEANUP_REPLY struct rpc_reply answer = RPC_REPLY_INIT;
	struct comch_fetch fetch;
	doca_error_t result = comch_fetch_advance(&server->base, &fetch, &answer);

	if (result == DOCA_ERROR_IN_PROGRESS)
		return false;
	if (fetch.link != NULL)
		comch_connection_consumer_fetched(&fetch, result, &answer);
	else
		server_connect(server, &fetch, result, &answer);
	return true;
}

static void server_channel_closed(struct doca_comch_server *server, const struct event *event)
{
	struct doca_comch_connection *conn = server_find(server, event->id);

	if (conn == NULL)
		return;
	server_forget_channel_id(conn);
	comch_connection_peer_left(conn, (doca_error_t)event->code);
	if (conn->idle)
		server_make_active(server, conn);
}

static void server_consumer(struct doca_comch_server *server, const struct event *event)
{
	struct doca_comch_connection *conn = server_find(server, event->id);

	if (conn != NULL)
		comch_connection_consumer_event(conn, event);
}

/* Stops the server when the program has received all messages of its clients and knows that they
 * are gone. */
static void server_stop_if_removed(struct doca_comch_server *server)
{
	struct doca_ctx *ctx = &server->base.ctx;

	if (!server->device_removed || server->n_active + server->n_idle != 0 ||
	    !list_is_empty(&server->down) || ctx->state != DOCA_CTX_STATE_RUNNING)
		return;
	error_set(DOCA_ERROR_CONNECTION_ABORTED,
		  "comch server \"%s\": its device %s or representor %s was removed from the "
		  "machine; the server stops: open them again when they are back",
		  server->base.name, ctx->dev->info->name, server->rep->info->name);
	ctx_fail(ctx);
}

static void server_end_all(struct doca_comch_server *server, struct list *from)
{
	struct doca_comch_connection *conn, *tmp;

	list_for_each_safe(conn, tmp, from, node)
	{
		comch_connection_peer_left(conn, DOCA_ERROR_CONNECTION_ABORTED);
		if (conn->idle)
			server_make_active(server, conn);
	}
}

/* The daemon has ended the connections that it knows; end the others. */
static void server_device_removed(struct doca_comch_server *server)
{
	server->device_removed = true;
	server_end_all(server, &server->active);
	server_end_all(server, &server->idle);
	server_stop_if_removed(server);
}

/* Calls one callback: for a consumer that ended with its connection, or after those, disconnect.
 * Returns true if no callback is left and the connection can be freed. */
static bool server_report_disconnected(struct doca_comch_server *server,
				       struct doca_comch_connection *conn)
{
	struct doca_ctx *ctx = &server->base.ctx;
	const struct doca_pe *pe = ctx->pe;

	if (conn->is_dropped)
		return true;
	if (comch_connection_expire(conn))
		return false;
	/* The connection remains in `down` during the callback, so that the context cannot become
	 * idle. */
	if (server->disconnect_cb != NULL)
		server->disconnect_cb(&server->status_event, conn, 1);
	return pe->polling == ctx;
}

static void server_disconnected(struct doca_comch_server *server)
{
	struct doca_ctx *ctx = &server->base.ctx;
	struct doca_comch_connection *conn;

	conn = list_entry(server->down.next, struct doca_comch_connection, node);
	if (!server_report_disconnected(server, conn))
		return;
	list_remove(&conn->node);
	server_free_connection(server, conn);
	if (ctx->state == DOCA_CTX_STATE_STOPPING && list_is_empty(&server->down))
		ctx_request_transition(ctx);
	server_stop_if_removed(server);
}

/* Returns true if the registration with the daemon has changed. */
static bool server_check_registration(struct doca_comch_server *server)
{
	if (comch_events_swap(&server->base)) {
		server_renewed(server);
		return true;
	}
	if (server->base.events.status == COMCH_EVENTS_LOST && comch_events_retry(&server->base)) {
		if (server->base.events.status == COMCH_EVENTS_CURRENT)
			server_renewed(server);
		return true;
	}
	return false;
}

/* Handles one thing other than a message. */
static uint8_t server_handle_event(struct doca_comch_server *server)
{
	struct doca_ctx *ctx = &server->base.ctx;
	struct event event;
	int r;

	if (!list_is_empty(&server->down)) {
		server_disconnected(server);
		return 1;
	}
	if (ctx->state != DOCA_CTX_STATE_RUNNING)
		return 0;
	/* The fetch comes first: what a lost daemon gave must be handled before its channels are
	 * forgotten. */
	if (comch_events_is_fetching(&server->base))
		return server_fetch(server);
	if (server_check_registration(server))
		return 1;
	if (server->base.events.status == COMCH_EVENTS_RENEWED)
		return 0;
	r = event_reader_pop(&server->base.events.reader, &event);
	if (r < 0) {
		error_set(
			DOCA_ERROR_UNEXPECTED,
			"comch server \"%s\": the daemon's event ring is broken; the server stops",
			server->base.name);
		ctx_fail(ctx);
	} else if (r > 0 && event.type == EVENT_CHANNEL_NEW) {
		/* A client that comes too late is notified by its daemon. */
		if (!server->device_removed)
			comch_fetch_channel(&server->base, event.id);
	} else if (r > 0 && event.type == EVENT_CHANNEL_CLOSED) {
		server_channel_closed(server, &event);
	} else if (r > 0 &&
		   (event.type == EVENT_CONSUMER_NEW || event.type == EVENT_CONSUMER_GONE)) {
		server_consumer(server, &event);
	} else if (r > 0 && event.type == EVENT_SERVER_GONE) {
		server_device_removed(server);
	}
	return r != 0;
}

/* --- polling --- */

/*
 * Polls one idle connection in every IDLE_INTERVAL polls and makes it active if it has something.
 * Such a poll reads pages of the connection that were not used for long. They are prefetched some
 * polls ahead: first the connection, then what it points to.
 */
static void server_rotate(struct doca_comch_server *server)
{
	uint32_t step = ++server->n_polls % IDLE_INTERVAL;
	struct doca_comch_connection *conn;

	if (likely(step != 0 && step != IDLE_INTERVAL / 2 && step != IDLE_INTERVAL - 1))
		return;
	if (server->cursor == &server->idle)
		server->cursor = server->idle.next;
	conn = list_entry(server->cursor, struct doca_comch_connection, node);
	if (step == IDLE_INTERVAL / 2) {
		__builtin_prefetch(&conn->rx);
		__builtin_prefetch(&conn->state);
		return;
	}
	if (step == IDLE_INTERVAL - 1) {
		ring_consumer_prefetch(&conn->rx);
		return;
	}
	server->cursor = conn->node.next;
	__builtin_prefetch(server->cursor);
	if (unlikely(++conn->n_empty % COMCH_PEER_CHECK_IDLE == 0))
		comch_connection_check_peer(conn);
	if (comch_connection_has_input(conn)) {
		conn->n_empty = COMCH_CLOSE_CHECK - 1;
		server_make_active(server, conn);
	}
}

/* Handles the result of a poll that found something. */
static uint8_t server_polled(struct doca_comch_server *server, struct doca_comch_connection *conn,
			     int r)
{
	if (likely(r == COMCH_POLL_MESSAGE)) {
		/* The next poll begins with the other connections. */
		if (server->n_active > 1 && conn->state == COMCH_UP) {
			list_remove(&conn->node);
			list_append(&server->active, &conn->node);
		}
	} else if (r == COMCH_POLL_END) {
		if (conn->end_code != DOCA_SUCCESS && conn->state == COMCH_DRAINING)
			sdk_info("comch server \"%s\": the connection to a client broke: %s",
				 server->base.name, doca_error_get_descr(conn->end_code));
		comch_server_drop(server, conn);
	}
	return 1;
}

static uint8_t server_poll(struct doca_ctx *ctx)
{
	struct doca_comch_server *server = server_of(ctx);
	struct doca_comch_connection *conn, *tmp;
	uint32_t quiet = QUIET_POLLS + server->n_idle * QUIET_ROTATIONS * IDLE_INTERVAL;

	comch_events_count(&server->base);
	if (unlikely(comch_events_pending(&server->base.events) || !list_is_empty(&server->down)) &&
	    server_handle_event(server))
		return 1;
	if (unlikely(server->base.remote_rings != NULL))
		comch_remote_rings_poll(&server->base);
	if (unlikely(!list_is_empty(&server->idle)))
		server_rotate(server);
	list_for_each_safe(conn, tmp, &server->active, node)
	{
		int r = comch_connection_poll(conn);

		if (r != COMCH_POLL_NOTHING)
			return server_polled(server, conn, r);
		if (unlikely(conn->n_empty > QUIET_POLLS) && server->n_active > N_ALWAYS_ACTIVE &&
		    (conn->n_empty > quiet || conn->rx.n_msgs == 0))
			server_make_idle(server, conn);
	}
	return 0;
}

/* In `idle`, the armed connections come first. */
static bool server_needs_arm(const struct doca_comch_server *server, const struct list *node)
{
	return node != &server->idle &&
	       !list_entry(node, struct doca_comch_connection, node)->armed;
}

/* Arms the connections behind `armed`. Those that have something leave the list. */
static bool server_arm_idle(struct doca_comch_server *server, struct list *armed, bool fenced)
{
	struct list *node = server->idle.prev, *prev;
	bool pending = false;

	for (; node != armed; node = prev) {
		struct doca_comch_connection *conn;

		conn = list_entry(node, struct doca_comch_connection, node);
		prev = node->prev;
		if (comch_connection_arm_end(conn, fenced)) {
			server_make_active(server, conn);
			pending = true;
		}
	}
	return pending;
}

static bool server_arm(struct doca_ctx *ctx)
{
	struct doca_comch_server *server = server_of(ctx);
	struct doca_comch_connection *conn;
	bool pending, fenced;
	struct list *node;

	if (!list_is_empty(&server->down))
		return true;
	if (ctx->state != DOCA_CTX_STATE_RUNNING)
		return false;
	if (event_reader_pending(&server->base.events.reader) &&
	    !comch_events_is_fetching(&server->base))
		return true;
	list_for_each(conn, &server->active, node)
	{
		if (comch_connection_has_input(conn))
			return true;
	}
	pending = comch_events_arm(&server->base);
	pending |= comch_remote_rings_arm(&server->base);
	list_for_each(conn, &server->active, node) comch_connection_arm_begin(conn);
	for (node = server->idle.prev; server_needs_arm(server, node); node = node->prev)
		comch_connection_arm_begin(list_entry(node, struct doca_comch_connection, node));
	fenced = ring_arm_fence();
	list_for_each(conn, &server->active, node)
		pending |= comch_connection_arm_end(conn, fenced);
	return server_arm_idle(server, node, fenced) || pending;
}

/* Idle connections stay armed: at worst each rings once without need. */
static void server_disarm(struct doca_ctx *ctx)
{
	struct doca_comch_server *server = server_of(ctx);
	struct doca_comch_connection *conn;

	event_reader_disarm(&server->base.events.reader);
	comch_remote_rings_disarm(&server->base);
	list_for_each(conn, &server->active, node) comch_connection_disarm(conn);
}

const struct ctx_ops comch_server_ops = {
	.name = "comch server",
	.counted_as = COUNTERS_COMCH_SERVER,
	.start = server_start,
	.stop = server_stop,
	.stopped = server_stopped,
	.release = server_release,
	.poll = server_poll,
	.arm = server_arm,
	.disarm = server_disarm,
};
