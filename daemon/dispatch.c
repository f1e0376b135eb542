/* Routes from messages to handlers; see dispatch.h. */
#include "daemon/dispatch.h"

#include "daemon/comch/channel.h"
#include "daemon/comch/consumer.h"
#include "daemon/comch/service.h"
#include "daemon/daemon.h"
#include "daemon/memory/memory.h"
#include "daemon/device/device.h"
#include "daemon/device/functions.h"
#include "daemon/memory/export.h"
#include "daemon/memory/import.h"
#include "daemon/peer/peer.h"
#include "daemon/peer/relay.h"
#include "daemon/rdma/rdma.h"
#include "daemon/rdma/stream.h"
#include "daemon/resume/resume.h"
#include "daemon/session/counters.h"
#include "daemon/session/session.h"
#include "util/util.h"

static const struct session_route session_routes[] = {
	[DOCOCORE__PACKET__BODY_HELLO] = {.fn = session_on_hello, .before_hello = true},
	[DOCOCORE__PACKET__BODY_COUNTERS_SHARE] = {.fn = counters_on_share, .is_notice = true},
	[DOCOCORE__PACKET__BODY_DEVICE_LIST] = {.fn = device_on_list},
	[DOCOCORE__PACKET__BODY_REP_LIST] = {.fn = device_on_rep_list},
	[DOCOCORE__PACKET__BODY_DEVICE_OPEN] = {.fn = device_on_open},
	[DOCOCORE__PACKET__BODY_REP_OPEN] = {.fn = device_on_rep_open},
	[DOCOCORE__PACKET__BODY_HANDLE_CLOSE] = {.fn = device_on_close},
	[DOCOCORE__PACKET__BODY_EXPORT_CREATE] = {.fn = export_on_create},
	[DOCOCORE__PACKET__BODY_EXPORT_DESTROY] = {.fn = export_on_destroy},
	[DOCOCORE__PACKET__BODY_IMPORT_CREATE] = {.fn = import_on_create},
	[DOCOCORE__PACKET__BODY_IMPORT_DESTROY] = {.fn = import_on_destroy},
	[DOCOCORE__PACKET__BODY_IMPORT_TRANSPORT] = {.fn = import_on_transport, .is_notice = true},
	[DOCOCORE__PACKET__BODY_SERVER_CREATE] = {.fn = service_on_create},
	[DOCOCORE__PACKET__BODY_SERVER_DESTROY] = {.fn = service_on_destroy},
	[DOCOCORE__PACKET__BODY_CHANNEL_CONNECT] = {.fn = channel_on_connect},
	[DOCOCORE__PACKET__BODY_CHANNEL_FETCH] = {.fn = channel_on_fetch},
	[DOCOCORE__PACKET__BODY_CHANNEL_CLOSE] = {.fn = channel_on_close},
	[DOCOCORE__PACKET__BODY_CONSUMER_CREATE] = {.fn = consumer_on_create},
	[DOCOCORE__PACKET__BODY_CONSUMER_DESTROY] = {.fn = consumer_on_destroy},
	[DOCOCORE__PACKET__BODY_CONSUMER_FETCH] = {.fn = consumer_on_fetch},
	[DOCOCORE__PACKET__BODY_RDMA_OPEN] = {.fn = rdma_on_open},
	[DOCOCORE__PACKET__BODY_RDMA_CLOSE] = {.fn = rdma_on_close},
	[DOCOCORE__PACKET__BODY_RDMA_LISTEN] = {.fn = rdma_on_listen},
	[DOCOCORE__PACKET__BODY_RDMA_CONNECT] = {.fn = rdma_on_connect},
	[DOCOCORE__PACKET__BODY_RDMA_FETCH] = {.fn = rdma_on_fetch},
	[DOCOCORE__PACKET__BODY_RDMA_ANSWER] = {.fn = rdma_on_answer},
};

/* Channels and calls have rings that are relayed alike. */
static int on_peer_data(struct peer *peer, const Dococore__Packet *packet, struct fdset *fds)
{
	return packet->peer_channel_data->is_call
		       ? rdma_stream_receive(peer, packet->peer_channel_data)
		       : channel_on_peer_data(peer, packet, fds);
}

static int on_peer_credit(struct peer *peer, const Dococore__Packet *packet, struct fdset *fds)
{
	return packet->peer_channel_credit->is_call
		       ? rdma_stream_credit(peer, packet->peer_channel_credit)
		       : channel_on_peer_credit(peer, packet, fds);
}

static const peer_handler_fn peer_routes[] = {
	[DOCOCORE__PACKET__BODY_PEER_HELLO] = peer_on_hello,
	[DOCOCORE__PACKET__BODY_PEER_FUNCTIONS] = peer_on_functions,
	[DOCOCORE__PACKET__BODY_PEER_PING] = peer_on_ping,
	[DOCOCORE__PACKET__BODY_PEER_PONG] = peer_on_pong,
	[DOCOCORE__PACKET__BODY_PEER_IMPORT] = export_on_peer_import,
	[DOCOCORE__PACKET__BODY_IMPORT_TRANSPORT] = export_on_peer_transport,
	[DOCOCORE__PACKET__BODY_PEER_IMPORT_GONE] = import_on_peer_gone,
	[DOCOCORE__PACKET__BODY_PEER_CONNECT] = channel_on_peer_connect,
	[DOCOCORE__PACKET__BODY_PEER_CHANNEL_READY] = channel_on_peer_ready,
	[DOCOCORE__PACKET__BODY_PEER_CHANNEL_CLOSE] = channel_on_peer_close,
	[DOCOCORE__PACKET__BODY_PEER_CHANNEL_DATA] = on_peer_data,
	[DOCOCORE__PACKET__BODY_PEER_CHANNEL_CREDIT] = on_peer_credit,
	[DOCOCORE__PACKET__BODY_PEER_CHANNEL_RECEIVED] = channel_on_peer_received,
	[DOCOCORE__PACKET__BODY_PEER_CONSUMER_RECEIVED] = consumer_on_peer_received,
	[DOCOCORE__PACKET__BODY_PEER_ENDS] = channel_on_peer_ends,
	[DOCOCORE__PACKET__BODY_PEER_CONSUMER_NEW] = consumer_on_peer_new,
	[DOCOCORE__PACKET__BODY_PEER_CONSUMER_GONE] = consumer_on_peer_gone,
	[DOCOCORE__PACKET__BODY_PEER_RDMA_CONNECT] = rdma_on_peer_connect,
	[DOCOCORE__PACKET__BODY_PEER_RDMA_ANSWER] = rdma_on_peer_answer,
};

static const struct session_route *dispatch_session(const Dococore__Packet *packet)
{
	size_t i = (size_t)packet->body_case;

	return i < ARRAY_LEN(session_routes) && session_routes[i].fn ? &session_routes[i] : NULL;
}

static peer_handler_fn dispatch_peer(const Dococore__Packet *packet)
{
	size_t i = (size_t)packet->body_case;

	return i < ARRAY_LEN(peer_routes) ? peer_routes[i] : NULL;
}

static bool repeat_requests(struct daemon *daemon, bool was_on, bool is_over)
{
	if (was_on)
		imports_ask_again(daemon);
	return channels_ask_again(daemon, is_over);
}

static uint64_t *revoked_exports(const struct daemon *daemon, size_t *n_out)
{
	*n_out = daemon->memory->revoked.n;
	return daemon->memory->revoked.ids;
}

static const struct session_hooks session_hooks = {
	.route = dispatch_session,
	.answer_again = resume_answer_again,
	.ask_again = repeat_requests,
	.revoked_exports = revoked_exports,
};

static void imports_on_writable(struct peer *peer)
{
	imports_renew_rest(peer);
	imports_report_choices(peer);
}

/* A relay belongs to a channel or a call: it must outlast the first and not the second. */
static const struct peer_listener peer_listeners[] = {
	{.greeted = peer_send_functions, .lost = registry_forget_peer},
	{.linked = import_peer_linked,
	 .ready = imports_renew,
	 .writable = imports_on_writable,
	 .lost = import_peer_lost},
	{.writable = rdma_link_writable, .lost = rdma_peer_lost},
	{.writable = relay_link_writable, .lost = relay_link_lost},
	{.linked = channel_peer_linked, .greeted = channel_send_ends, .lost = channel_peer_lost},
	{.lost = grants_end},
};

static const struct peer_hooks peer_hooks = {
	.route = dispatch_peer,
	.listeners = peer_listeners,
	.n_listeners = ARRAY_LEN(peer_listeners),
};

static void device_end_users(struct daemon *daemon)
{
	exports_end_gone(daemon);
	channels_end_gone(daemon);
	services_notify_gone(daemon);
	rdma_notify_removed(daemon);
}

static const struct device_hooks device_hooks = {
	.end_users = device_end_users,
};

static const struct export_hooks export_hooks = {
	.endpoint_serving = rdma_endpoint_serving,
	.endpoint_relays = rdma_endpoint_relays,
	.revoked = rdma_notify_revoked,
};

void dispatch_init(struct daemon *daemon)
{
	daemon->session_hooks = &session_hooks;
	daemon->peer_hooks = &peer_hooks;
	daemon->device_hooks = &device_hooks;
	daemon->export_hooks = &export_hooks;
}
