/* Comm channel endpoints: listen, connect, disconnect, and peers that come and go. See
 * client/compat/comm_channel/channel.h. */
#include <stdlib.h>
#include <string.h>

#include "client/compat/comm_channel/channel.h"
#include "client/device/devlist.h"
#include "util/clock.h"

/* If the other side's daemon does not answer within this time, connect returns without its
 * answer. */
#define CONNECT_NS (5 * NS_PER_SEC)
/* A longer wait checks the daemon at this interval. */
#define CHECK_MS 1000
/* SERVICE_NAME_MAX of 1.3. Later versions have the device's limit only. */
#define NAME_MAX_1_3 128u

/* --- devices of 1.3 --- */

static doca_error_t find_rep(struct doca_comm_channel_ep_t *ep)
{
	struct doca_devinfo_rep **reps;
	doca_error_t result;
	uint32_t n;

	result = devlist_rep_create(ep->dev, DOCA_DEVINFO_REP_FILTER_NET, &reps, &n);
	if (result != DOCA_SUCCESS)
		return result;
	result = n == 0 ? error_set(DOCA_ERROR_BAD_STATE,
				    "comm channel listen: device %s has no representor",
				    ep->dev->info->name)
			: dev_rep_open(reps[0], &ep->rep);
	devlist_rep_destroy(reps);
	return result;
}

static struct doca_devinfo *find_devinfo(struct doca_devinfo **list, uint32_t n, bool is_service)
{
	uint32_t i;

	for (i = 0; i < n; i++) {
		if (is_service ? list[i]->caps.comch_server : list[i]->caps.comch_client)
			return list[i];
	}
	return NULL;
}

doca_error_t channel_find_device(struct doca_comm_channel_ep_t *ep, bool is_service)
{
	struct doca_devinfo **list, *found;
	doca_error_t result;
	uint32_t n;

	result = devlist_create(&list, &n);
	if (result != DOCA_SUCCESS)
		return result == DOCA_ERROR_NO_MEMORY ? result : DOCA_ERROR_DRIVER;
	found = find_devinfo(list, n, is_service);
	if (found == NULL)
		result = error_set(DOCA_ERROR_NOT_SUPPORTED,
				   is_service ? "comm channel listen: no device has services; they "
						"run on the DPU side"
					      : "comm channel connect: no device has clients; they "
						"run on the host side");
	else
		result = dev_open(found, NULL, &ep->dev);
	devlist_destroy(list);
	if (result != DOCA_SUCCESS)
		return result;
	ep->owns_dev = true;
	if (is_service)
		result = find_rep(ep);
	if (result != DOCA_SUCCESS)
		channel_release_device(ep);
	return result;
}

void channel_release_device(struct doca_comm_channel_ep_t *ep)
{
	if (ep->owns_dev) {
		if (ep->rep != NULL)
			dev_rep_close(ep->rep);
		dev_close(ep->dev);
	} else {
		if (ep->rep != NULL)
			atomic_fetch_sub(&ep->rep->n_users, 1);
		if (ep->dev != NULL)
			dev_release(ep->dev);
	}
	ep->owns_dev = false;
	ep->rep = NULL;
	ep->dev = NULL;
}

/* --- peers that come and go --- */

static struct doca_comm_channel_ep_t *ep_of(const struct comch *comch)
{
	return comch->ctx.user_data.ptr;
}

static void service_connected(struct doca_comch_event_connection_status_changed *event,
			      struct doca_comch_connection *conn, uint8_t is_success)
{
	struct doca_comm_channel_ep_t *ep = ep_of(conn->comch);
	struct doca_comm_channel_addr_t *peer;

	(void)event;
	ep->n_changes++;
	if (!is_success)
		return;
	peer = calloc(1, sizeof(*peer));
	if (peer == NULL) {
		error_set(DOCA_ERROR_NO_MEMORY,
			  "comm channel \"%s\": no memory for another peer; it is disconnected",
			  conn->comch->name);
		comch_server_drop(ep->server, conn);
		return;
	}
	channel_peer_init(peer, ep);
	channel_peer_up(peer, conn);
	conn->user_data.ptr = peer;
	list_append(&ep->peers, &peer->node);
	ep->n_peers++;
}

static void service_disconnected(struct doca_comch_event_connection_status_changed *event,
				 struct doca_comch_connection *conn, uint8_t is_success)
{
	struct doca_comm_channel_ep_t *ep = ep_of(conn->comch);
	struct doca_comm_channel_addr_t *peer = conn->user_data.ptr;

	(void)event;
	(void)is_success;
	ep->n_changes++;
	/* NULL: the program disconnected the peer. */
	if (peer == NULL)
		return;
	channel_peer_down(peer, conn->end_code);
	if (conn->end_code != DOCA_SUCCESS) {
		peer->must_report_end = true;
		ep->n_unreported_ends++;
	}
}

static void client_changed(const union doca_data user_data, struct doca_ctx *ctx,
			   enum doca_ctx_states prev, enum doca_ctx_states next)
{
	struct doca_comm_channel_ep_t *ep = user_data.ptr;

	(void)ctx;
	(void)prev;
	if (next == DOCA_CTX_STATE_RUNNING)
		channel_peer_up(&ep->peer, &ep->client->conn);
	else if (next == DOCA_CTX_STATE_STOPPING && ep->peer.ep != NULL)
		channel_peer_down(&ep->peer, ep->client->conn.end_code);
}

/* --- listen and connect --- */

static doca_error_t begin_check(const struct doca_comm_channel_ep_t *ep, const char *name,
				const char *call)
{
	if (ep == NULL || name == NULL)
		return error_set(DOCA_ERROR_INVALID_VALUE, "%s: %s is NULL", call,
				 ep == NULL ? "the endpoint" : "name");
	if (ep->role != CHANNEL_NONE)
		return error_set(DOCA_ERROR_NOT_PERMITTED, "%s: the endpoint %s already", call,
				 ep->role == CHANNEL_SERVICE ? "listens" : "is connected");
	/* The device's limit is checked for every version. */
	if (ep->api == API_1_3 && strnlen(name, NAME_MAX_1_3) == NAME_MAX_1_3)
		return error_set(DOCA_ERROR_INVALID_VALUE,
				 "%s: the name has more than %u bytes; shorten it to "
				 "SERVICE_NAME_MAX with its NUL",
				 call, NAME_MAX_1_3 - 1);
	return DOCA_SUCCESS;
}

static doca_error_t begin_device(struct doca_comm_channel_ep_t *ep, bool is_service,
				 const char *call)
{
	if (ep->api == API_1_3 && ep->dev == NULL)
		return channel_find_device(ep, is_service);
	if (ep->dev == NULL)
		return error_set(DOCA_ERROR_BAD_STATE, "%s: no device was set; set one first",
				 call);
	if (is_service && ep->rep == NULL)
		return error_set(DOCA_ERROR_BAD_STATE,
				 "%s: no representor was set; set that of the host function that "
				 "clients come from",
				 call);
	if (is_service ? ep->dev->info->caps.comch_server : ep->dev->info->caps.comch_client)
		return DOCA_SUCCESS;
	return error_set(DOCA_ERROR_NOT_SUPPORTED,
			 "%s: device %s does not support it, %s; key %s of the device in the "
			 "topology allows it",
			 call, ep->dev->info->name,
			 is_service ? "services run on the DPU side"
				    : "clients run on the host side",
			 is_service ? "comch_server" : "comch_client");
}

/* Translates results of comch and the daemon to the documented codes. */
static doca_error_t begin_code(doca_error_t result)
{
	switch (result) {
	case DOCA_SUCCESS:
	case DOCA_ERROR_INVALID_VALUE:
	case DOCA_ERROR_NO_MEMORY:
	case DOCA_ERROR_NOT_SUPPORTED:
	case DOCA_ERROR_DRIVER:
		return result;
	case DOCA_ERROR_ALREADY_EXIST:
	case DOCA_ERROR_NOT_PERMITTED:
		return DOCA_ERROR_NOT_PERMITTED;
	case DOCA_ERROR_NOT_CONNECTED:
	case DOCA_ERROR_TIME_OUT:
		return DOCA_ERROR_DRIVER;
	default:
		return DOCA_ERROR_INITIALIZATION;
	}
}

static doca_error_t begin_start(struct doca_comm_channel_ep_t *ep, struct comch *comch,
				const char *call)
{
	const union doca_data user_data = {.ptr = ep};
	doca_error_t result;

	comch->recv_cb = channel_on_message;
	comch->has_own_copy = true;
	comch->ctx.user_data = user_data;
	result = comch_set_recv_queue(comch, ep->recv_queue, call);
	if (result == DOCA_SUCCESS && ep->max_msg != 0)
		result = comch_set_msg_size(comch, ep->max_msg, call);
	if (result != DOCA_SUCCESS)
		return result;
	ctx_connect(&comch->ctx, ep->pe);
	return ctx_start(&comch->ctx);
}

static void begin_undo(struct doca_comm_channel_ep_t *ep)
{
	channel_end(ep);
	if (ep->owns_dev)
		channel_release_device(ep);
}

doca_error_t doca_comm_channel_ep_listen(struct doca_comm_channel_ep_t *local_ep, const char *name)
{
	const char *call = "comm channel listen";
	doca_error_t result = begin_check(local_ep, name, call);

	if (result == DOCA_SUCCESS)
		result = begin_device(local_ep, true, call);
	if (result != DOCA_SUCCESS)
		return result;
	result = comch_server_new(local_ep->dev, local_ep->rep, name, &local_ep->server);
	if (result == DOCA_SUCCESS) {
		local_ep->comch = &local_ep->server->base;
		local_ep->comch->disables_remote_rings = true;
		local_ep->role = CHANNEL_SERVICE;
		local_ep->server->connect_cb = service_connected;
		local_ep->server->disconnect_cb = service_disconnected;
		result = begin_start(local_ep, local_ep->comch, call);
	}
	if (result == DOCA_SUCCESS)
		return DOCA_SUCCESS;
	begin_undo(local_ep);
	return begin_code(result);
}

/* Connects to a restarted daemon, which receives the request again. Fails if there is no daemon to
 * wait for. */
static doca_error_t connect_to_daemon(void)
{
	doca_error_t result;

	rpc_lock();
	result = session_ensure_locked();
	rpc_unlock();
	return begin_code(result);
}

void channel_check_daemon(struct doca_comm_channel_ep_t *ep)
{
	uint64_t now;

	if (ep->role != CHANNEL_SERVICE && !ep->peer.is_connecting)
		return;
	now = clock_now_ns();
	if (now < ep->check_ns)
		return;
	ep->check_ns = now + CHECK_MS * NS_PER_MS;
	if (pe_is_own_process(ep->pe))
		(void)connect_to_daemon();
}

void channel_check_daemon_when_idle(struct doca_comm_channel_ep_t *ep)
{
	/* The clock is read once per 8 calls. */
	const uint32_t n_calls = 8;

	ep->n_empty++;
	if (likely(ep->n_empty % n_calls != 0))
		return;
	if (ep->n_empty == n_calls)
		ep->check_ns = clock_now_ns() + CHECK_MS * NS_PER_MS;
	else
		channel_check_daemon(ep);
}

/* The documented code for any reason that prevents a connection. */
static doca_error_t await_code(doca_error_t result)
{
	(void)result;
	return DOCA_ERROR_CONNECTION_ABORTED;
}

/* Waits until the service is known to exist or, for a blocking connect, until it accepts. */
static doca_error_t connect_await(struct doca_comm_channel_ep_t *ep)
{
	uint64_t deadline = clock_now_ns() + CONNECT_NS;

	for (;;) {
		doca_error_t result;

		error_show_as(await_code);
		channel_progress(ep);
		error_show_as(NULL);
		if (!ep->peer.is_connecting)
			break;
		if (!ep->waits && (ep->client->service_exists || clock_now_ns() >= deadline))
			return DOCA_SUCCESS;
		result = channel_sleep(ep, CHANNEL_WAIT_RECV,
				       ep->waits ? CHECK_MS : clock_poll_timeout(deadline));
		if (result == DOCA_SUCCESS && ep->waits)
			result = connect_to_daemon();
		else if (result == DOCA_ERROR_AGAIN && !ep->waits)
			continue;
		if (result != DOCA_SUCCESS)
			return result;
	}
	return ep->peer.conn != NULL ? DOCA_SUCCESS : DOCA_ERROR_CONNECTION_ABORTED;
}

static doca_error_t connect_start(struct doca_comm_channel_ep_t *ep, const char *name,
				  const char *call)
{
	doca_error_t result;

	result = comch_client_new(ep->dev, name, &ep->client);
	if (result != DOCA_SUCCESS)
		return begin_code(result);
	ep->comch = &ep->client->base;
	ep->comch->disables_remote_rings = true;
	ep->role = CHANNEL_CLIENT;
	ep->client->reports_arrival = true;
	ep->comch->ctx.state_cb = client_changed;
	channel_peer_init(&ep->peer, ep);
	ep->peer.is_connecting = true;
	result = begin_start(ep, ep->comch, call);
	return result == DOCA_ERROR_IN_PROGRESS ? connect_await(ep) : begin_code(result);
}

doca_error_t doca_comm_channel_ep_connect(struct doca_comm_channel_ep_t *local_ep, const char *name,
					  struct doca_comm_channel_addr_t **peer_addr)
{
	const char *call = "comm channel connect";
	doca_error_t result;

	if (peer_addr == NULL)
		return error_set(DOCA_ERROR_INVALID_VALUE, "%s: the place for the peer is NULL",
				 call);
	result = begin_check(local_ep, name, call);
	if (result == DOCA_SUCCESS)
		result = begin_device(local_ep, false, call);
	if (result != DOCA_SUCCESS)
		return result;
	result = connect_start(local_ep, name, call);
	if (result != DOCA_SUCCESS) {
		begin_undo(local_ep);
		return result;
	}
	*peer_addr = &local_ep->peer;
	return DOCA_SUCCESS;
}

/* --- disconnecting --- */

static void stop(struct doca_comm_channel_ep_t *ep)
{
	struct doca_ctx *ctx = &ep->comch->ctx;

	ctx_stop(ctx);
	/* Progress does the rest of the work. */
	while (ctx->state != DOCA_CTX_STATE_IDLE)
		pe_progress(ep->pe);
}

static void peer_free(struct doca_comm_channel_ep_t *ep, struct doca_comm_channel_addr_t *peer)
{
	if (peer->must_report_end)
		ep->n_unreported_ends--;
	list_remove(&peer->node);
	ep->n_peers--;
	free(peer);
}

static void client_end(struct doca_comm_channel_ep_t *ep)
{
	ep->peer.ep = NULL;
	ep->peer.conn = NULL;
	stop(ep);
	comch_client_free(ep->client);
	ep->client = NULL;
}

static void service_end(struct doca_comm_channel_ep_t *ep)
{
	struct doca_comm_channel_addr_t *peer, *tmp;

	stop(ep);
	list_for_each_safe(peer, tmp, &ep->peers, node) peer_free(ep, peer);
	ep->list_len = 0;
	comch_server_free(ep->server);
	ep->server = NULL;
}

void channel_end(struct doca_comm_channel_ep_t *ep)
{
	if (ep->role == CHANNEL_CLIENT)
		client_end(ep);
	else if (ep->role == CHANNEL_SERVICE)
		service_end(ep);
	ep->role = CHANNEL_NONE;
	ep->comch = NULL;
}

static struct doca_comm_channel_addr_t *service_find(struct doca_comm_channel_ep_t *ep,
						     const struct doca_comm_channel_addr_t *addr)
{
	struct doca_comm_channel_addr_t *peer;

	list_for_each(peer, &ep->peers, node)
	{
		if (peer == addr)
			return peer;
	}
	return NULL;
}

static void service_drop(struct doca_comm_channel_ep_t *ep, struct doca_comm_channel_addr_t *peer)
{
	struct doca_comch_connection *conn = peer->conn;

	if (conn != NULL) {
		conn->user_data.ptr = NULL;
		if (conn->state == COMCH_UP || conn->state == COMCH_DRAINING)
			comch_server_drop(ep->server, conn);
	}
	peer_free(ep, peer);
	ep->list_len = 0;
	channel_progress(ep);
}

doca_error_t channel_check_process(const struct doca_comm_channel_ep_t *ep, const char *call)
{
	if (ep->role == CHANNEL_NONE || pe_is_own_process(ep->pe))
		return DOCA_SUCCESS;
	return error_set(DOCA_ERROR_NOT_CONNECTED,
			 "%s: the endpoint belongs to the process that forked this one and "
			 "continues there; create one in this process",
			 call);
}

doca_error_t doca_comm_channel_ep_disconnect(struct doca_comm_channel_ep_t *local_ep,
					     struct doca_comm_channel_addr_t *peer_addr)
{
	struct doca_comm_channel_addr_t *peer = NULL;
	doca_error_t result;

	if (local_ep == NULL || peer_addr == NULL)
		return error_set(DOCA_ERROR_INVALID_VALUE, "comm channel disconnect: %s is NULL",
				 local_ep == NULL ? "the endpoint" : "the peer");
	result = channel_check_process(local_ep, "comm channel disconnect");
	if (result != DOCA_SUCCESS)
		return result;
	if (local_ep->role == CHANNEL_SERVICE)
		peer = service_find(local_ep, peer_addr);
	else if (local_ep->role == CHANNEL_CLIENT && peer_addr == &local_ep->peer)
		peer = peer_addr;
	if (peer == NULL)
		return error_set(DOCA_ERROR_NOT_CONNECTED,
				 "comm channel disconnect: the endpoint does not have this peer, "
				 "or no longer has it");
	if (local_ep->role == CHANNEL_SERVICE)
		service_drop(local_ep, peer);
	else
		channel_end(local_ep);
	return DOCA_SUCCESS;
}
