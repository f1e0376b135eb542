/* RDMA connections by address; see rdma.h. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/peer/relay.h"
#include "daemon/base/daemon.h"
#include "daemon/memory/export.h"
#include "daemon/memory/import.h"
#include "daemon/rdma/rdma_internal.h"
#include "daemon/rdma/stream.h"
#include "daemon/session/grace_period.h"
#include "daemon/session/persist.h"
#include "daemon/session/session.h"

/* --- calls --- */

void rdma_endpoint_push(struct rdma_endpoint *endpoint, const struct event *event)
{
	int r = event_out_push(&endpoint->events, event);

	if (r == -EPROTO)
		session_kill(endpoint->session, "it broke its event ring");
	else if (r < 0)
		session_kill(endpoint->session, "it reads no events: more than %u wait",
			     EVENT_OUT_MAX_QUEUED);
}

void rdma_call_push(struct rdma_call *call, enum event_type type, uint32_t code)
{
	rdma_endpoint_push(call->endpoint, &(struct event){.type = (uint32_t)type,
							   .code = code,
							   .id = call->node.id,
							   .arg = call->port_number});
}

static struct rdma_call *call_free(struct rdma_call *call)
{
	struct daemon *daemon = call->endpoint->daemon;

	peer_request_cancel(&call->request);
	if (call->other)
		call->other->other = NULL;
	if (!call->is_caller && !call->is_answered)
		call->endpoint->n_waiting--;
	/*
	 * A client that lives on sees the hang-up. A client that waits for an answer gets no other
	 * notification.
	 */
	if (call->relay)
		relay_hang_up(call->relay);
	call->relay = relay_free(call->relay);
	persist_drop(daemon, &call->persisted);
	idmap_remove(&daemon->rdma->call_map, &call->node);
	list_remove(&call->link);
	list_remove(&call->endpoint_link);
	charge_release(&call->charge);
	explicit_bzero(call->details, sizeof(call->details));
	free(call);
	return NULL;
}

/*
 * The caller persists the call (persist_call) when it has filled it in. Returns 0, -EDQUOT or
 * -ENOMEM.
 */
static int call_new(struct rdma_endpoint *endpoint, bool is_caller, struct rdma_call **call_out)
{
	struct daemon *daemon = endpoint->daemon;
	struct rdma_call *call = calloc(1, sizeof(*call));
	int r;

	if (!call)
		return -ENOMEM;
	persist_ids(daemon);
	r = charge_add(&call->charge, endpoint->session->account, CHARGE_CHANNELS, 1);
	if (r == 0)
		r = idmap_add(&daemon->rdma->call_map, &call->node, ++daemon->next_rdma_id);
	if (r < 0) {
		charge_release(&call->charge);
		free(call);
		return r;
	}
	call->endpoint = endpoint;
	call->is_caller = is_caller;
	list_append(&daemon->rdma->calls, &call->link);
	list_append(&endpoint->calls, &call->endpoint_link);
	if (!is_caller)
		endpoint->n_waiting++;
	*call_out = call;
	return 0;
}

struct rdma_call *rdma_call_find(struct daemon *daemon, uint64_t id)
{
	struct idmap_node *node = idmap_find(&daemon->rdma->call_map, id);

	return node ? container_of(node, struct rdma_call, node) : NULL;
}

static struct rdma_call *call_find_of(struct session *session, uint64_t id)
{
	struct rdma_call *call = rdma_call_find(session->daemon, id);

	return call && call->endpoint->session == session ? call : NULL;
}

/* Notifies the caller that its call has failed. The call ends. */
static void call_fail(struct rdma_call *call, uint32_t code)
{
	rdma_call_push(call, EVENT_RDMA_ANSWERED, code ? code : CODE_CONNECTION_ABORTED);
	call_free(call);
}

static void call_set_details(struct rdma_call *call, const ProtobufCBinaryData *details)
{
	memset(call->details, 0, sizeof(call->details));
	memcpy(call->details, details->data, details->len);
	call->details_len = details->len;
}

bool rdma_call_cancel_event(const struct rdma_call *call)
{
	const struct event event = {
		.type = EVENT_RDMA_REQUESTED, .id = call->node.id, .arg = call->port_number};

	return !call->is_caller && !call->is_answered &&
	       event_out_cancel(&call->endpoint->events, &event);
}

/* Handles the other end's message. details NULL: the call is over, with a code. */
static void call_on_answer(struct rdma_call *call, uint32_t code,
			   const ProtobufCBinaryData *details)
{
	if (!call->is_caller || call->is_answered) {
		if (!rdma_call_cancel_event(call))
			rdma_call_push(call, EVENT_RDMA_GONE,
				       code ? code : CODE_CONNECTION_ABORTED);
		call_free(call);
		return;
	}
	if (code != CODE_SUCCESS || !details) {
		call_fail(call, code);
		return;
	}
	/* A callee of a call by address sends nothing more, except when it ends. */
	if (!call->import_id) {
		call->peer = NULL;
		call->other = NULL;
	}
	call_set_details(call, details);
	call->is_answered = true;
	if (call->import_id)
		persist_call(call);
	rdma_call_push(call, EVENT_RDMA_ANSWERED, CODE_SUCCESS);
}

static void call_notify_peer(const struct rdma_call *call, uint32_t code,
			     const ProtobufCBinaryData *details)
{
	Dococore__PeerRdmaAnswer answer = DOCOCORE__PEER_RDMA_ANSWER__INIT;
	Dococore__Packet packet = DOCOCORE__PACKET__INIT;

	answer.call_id = call->peer_call_id;
	answer.sender_call_id = call->node.id;
	answer.code = code;
	if (details)
		answer.details = *details;
	packet.body_case = DOCOCORE__PACKET__BODY_PEER_RDMA_ANSWER;
	packet.peer_rdma_answer = &answer;
	(void)peer_send(call->peer, &packet, NULL, 0);
}

/* Notifies the other end and ends the call. */
void rdma_call_end(struct rdma_call *call, uint32_t code, const ProtobufCBinaryData *details)
{
	struct rdma_call *other = call->other;

	if (other) {
		call->other = other->other = NULL;
		call_on_answer(other, code, details);
	} else if (call->peer) {
		/* Sends the replies of executed requests first. */
		if (call->relay && !call->is_caller)
			relay_flush(call->relay);
		call_notify_peer(call, code, details);
	}
	call_free(call);
}

/* Accepts a call to an export. It stays until one end closes. */
static void call_accept(struct rdma_call *call, const ProtobufCBinaryData *details)
{
	call->is_answered = true;
	call->endpoint->n_waiting--;
	if (call->other)
		call_on_answer(call->other, CODE_SUCCESS, details);
	else if (call->peer)
		call_notify_peer(call, CODE_SUCCESS, details);
}

/* --- calling --- */

static void call_to_message(struct rdma_call *call, Dococore__PeerRdmaConnect *ask)
{
	ask->call_id = call->node.id;
	ask->address = (ProtobufCBinaryData){GID_LEN, call->address};
	ask->port_number = call->port_number;
	ask->details = (ProtobufCBinaryData){call->details_len, call->details};
	ask->import_id = call->import_id;
	ask->relay = call->is_relay;
	ask->source = (ProtobufCBinaryData){GID_LEN, call->source};
}

/*
 * Asks the next linked peer, or waits until a congested peer has room. Returns 0, or -ENOTCONN if
 * no peer is left.
 */
static int call_ask_next(struct rdma_call *call)
{
	Dococore__PeerRdmaConnect ask = DOCOCORE__PEER_RDMA_CONNECT__INIT;
	Dococore__Packet packet = DOCOCORE__PACKET__INIT;

	call_to_message(call, &ask);
	packet.body_case = DOCOCORE__PACKET__BODY_PEER_RDMA_CONNECT;
	packet.peer_rdma_connect = &ask;
	/* Skips peers that pass no descriptors: queue pairs over there cannot be reached. */
	do {
		if (!call->peer)
			call->is_waiting = call->has_passed_by = call->peer_is_writable = false;
		while ((call->peer = peer_next_linked(call->endpoint->daemon, call->peer))) {
			if (!peer_passes_fds(call->peer))
				continue;
			if (peer_is_congested(call->peer))
				call->has_passed_by = call->peer->has_calls = true;
			else if (peer_ask(call->peer, &call->request, &packet, NULL, 0) == 0)
				return 0;
		}
	} while (call->peer_is_writable);
	/*
	 * Waits until there is room (rdma_link_writable()), or the caller hangs up at its time
	 * limit.
	 */
	call->is_waiting = call->has_passed_by;
	return call->is_waiting ? 0 : -ENOTCONN;
}

static void call_on_reply(struct peer_request *request, const Dococore__Packet *answer,
			  struct fdset *fds)
{
	struct rdma_call *call = container_of(request, struct rdma_call, request);
	const Dococore__Error *error = answer && answer->body_case == DOCOCORE__PACKET__BODY_ERROR
					       ? answer->error
					       : NULL;

	(void)fds;
	if (answer && answer->body_case == DOCOCORE__PACKET__BODY_PEER_RDMA_CONNECT_REPLY) {
		call->peer_call_id = answer->peer_rdma_connect_reply->peer_call_id;
		return;
	}
	/* This peer has no listener at the address; another may have one. */
	if (error && !call->import_id && error->code == CODE_NOT_FOUND && call_ask_next(call) == 0)
		return;
	/* The link was lost. A caller of an export may try again. */
	if (!answer && call->import_id) {
		call_fail(call, CODE_AGAIN);
		return;
	}
	/* A call by address has one code for every callee that does not answer. */
	call_fail(call, error && call->import_id && error->code == CODE_FULL
				? CODE_FULL
				: CODE_CONNECTION_ABORTED);
}

/* Limits how many streams or queue pairs of the endpoint one importing process may have. */
static bool has_room_for(const struct rdma_endpoint *endpoint, bool is_relay,
			 const struct peer *peer, pid_t importer)
{
	const struct rdma_call *call;
	unsigned n = 0;

	list_for_each(call, &endpoint->calls, endpoint_link)
		n += call->import_id && call->is_relay == is_relay && !call->is_caller &&
		     call->peer == peer && call->importer_pid == importer;
	return n < (is_relay ? RDMA_MAX_STREAMS_EACH : RDMA_MAX_PAIRS_EACH);
}

/*
 * Delivers a call to an endpoint that listens, or that serves an export imported by a process of
 * the peer or, if peer is NULL, of this side. Returns 0, or -errno without any effect.
 */
static int call_arrive(struct rdma_endpoint *endpoint, const Dococore__PeerRdmaConnect *ask,
		       const struct peer *peer, pid_t importer, struct rdma_call **call_out)
{
	struct rdma_call *call;
	int r;

	if (ask->import_id && !has_room_for(endpoint, ask->relay, peer, importer))
		return -EBUSY;
	/*
	 * Callers that hang up again must not fill the queue. A client that reads too few events
	 * gets no new ones, except those that end existing calls.
	 */
	if (endpoint->n_waiting >= RDMA_MAX_WAITING || endpoint->events.n_queued)
		return -EBUSY;
	r = call_new(endpoint, false, &call);
	if (r < 0)
		return r;
	call_set_details(call, &ask->details);
	memcpy(call->source, ask->source.data, GID_LEN);
	memcpy(call->address, ask->address.data, GID_LEN);
	call->port_number = ask->port_number;
	call->import_id = ask->import_id;
	call->importer_pid = importer;
	call->is_relay = ask->relay;
	call->source_port = 49152u + (uint32_t)(ask->call_id % 16384u);
	peer_request_init(&call->request, call_on_reply);
	persist_call(call);
	*call_out = call;
	return 0;
}

/* Connects the call to an endpoint of this daemon. */
static void call_connect(struct rdma_call *call, struct rdma_endpoint *endpoint)
{
	Dococore__PeerRdmaConnect ask = DOCOCORE__PEER_RDMA_CONNECT__INIT;
	struct rdma_call *other;

	/* The call has been placed, so room at a peer does not matter to it any more. */
	call->is_waiting = call->has_passed_by = call->peer_is_writable = false;
	call_to_message(call, &ask);
	if (call_arrive(endpoint, &ask, NULL, call->endpoint->session->pid, &other) < 0) {
		call_fail(call, call->import_id ? CODE_FULL : CODE_CONNECTION_ABORTED);
		return;
	}
	call->other = other;
	other->other = call;
	rdma_call_push(other, EVENT_RDMA_REQUESTED, CODE_SUCCESS);
}

static void call_place(struct rdma_call *call)
{
	struct rdma_endpoint *endpoint;

	endpoint = rdma_endpoint_find_listening(call->endpoint->daemon, call->address,
						call->port_number);
	if (endpoint)
		call_connect(call, endpoint);
	else if (call_ask_next(call) < 0)
		call_fail(call, CODE_CONNECTION_ABORTED);
}

void rdma_link_writable(struct peer *peer)
{
	struct rdma_call *call, *tmp;

	if (!peer->has_calls || peer_is_congested(peer))
		return;
	peer->has_calls = false;
	/* Asks all peers again, because the peers that were skipped are not recorded. */
	list_for_each_safe(call, tmp, &peer->daemon->rdma->calls, link)
	{
		if (call->is_waiting)
			call_place(call);
		else if (call->has_passed_by)
			call->peer_is_writable = true;
	}
}

/* Places the call at the endpoint that serves the import's export. */
static void call_place_by_import(struct rdma_call *call, struct import *import)
{
	Dococore__PeerRdmaConnect ask = DOCOCORE__PEER_RDMA_CONNECT__INIT;
	Dococore__Packet packet = DOCOCORE__PACKET__INIT;
	struct rdma_endpoint *endpoint;

	if (import->export) {
		endpoint = rdma_endpoint_find_serving(import->export->session,
						      import->export->handle);
		if (endpoint && !endpoint->streams_only)
			call_connect(call, endpoint);
		else
			call_fail(call, CODE_CONNECTION_ABORTED);
		return;
	}
	/* The caller tries again, at growing intervals. */
	if (import->peer && peer_is_congested(import->peer)) {
		call_fail(call, CODE_AGAIN);
		return;
	}
	import_renew_for_call(import, call->is_relay);
	/*
	 * The other side's daemon does not know the import before it is linked and has been asked.
	 */
	if (!import->peer || !import->peer->functions) {
		call_fail(call,
			  grace_period_is_active(import->daemon) ? CODE_AGAIN : CODE_NOT_CONNECTED);
		return;
	}
	call_to_message(call, &ask);
	packet.body_case = DOCOCORE__PACKET__BODY_PEER_RDMA_CONNECT;
	packet.peer_rdma_connect = &ask;
	call->peer = import->peer;
	if (peer_ask(call->peer, &call->request, &packet, NULL, 0) < 0) {
		call->peer = NULL;
		call_fail(call, CODE_CONNECTION_ABORTED);
	}
}

int rdma_on_connect(struct session *session, const Dococore__Packet *packet, struct fdset *fds)
{
	const Dococore__RdmaConnect *ask = packet->rdma_connect;
	struct rdma_endpoint *endpoint = rdma_endpoint_find(session, ask->endpoint_id);
	Dococore__RdmaConnectReply reply = DOCOCORE__RDMA_CONNECT_REPLY__INIT;
	Dococore__Packet answer = DOCOCORE__PACKET__INIT;
	struct import *import = NULL;
	struct rdma_call *call;
	int r;

	(void)fds;
	if (!endpoint)
		return rdma_refuse_no_endpoint(session, packet->id, ask->endpoint_id);
	if (endpoint->streams_only && !(ask->import_id && ask->relay))
		return rdma_refuse_streams_only(session, packet->id, endpoint);
	if (ask->import_id) {
		import = import_find_alive(session, ask->import_id);
		if (!import)
			return session_refuse(session, packet->id, CODE_NOT_FOUND,
					      "%llu is no import of this connection whose export "
					      "is alive",
					      (unsigned long long)ask->import_id);
		if (ask->relay &&
		    (import->export || (import->peer && !peer_relays_copies(import->peer))))
			return session_refuse(session, packet->id, CODE_NOT_SUPPORTED,
					      "the export is not relayed: its daemon is not linked "
					      "over tls:, or is of an earlier version");
	} else if (ask->port_number == 0 || ask->port_number > RDMA_PORT_MAX) {
		return session_refuse(session, packet->id, CODE_INVALID_VALUE,
				      "port number %u is not in 1 to %u", ask->port_number,
				      RDMA_PORT_MAX);
	} else if (!rdma_device_has_address(endpoint->device->spec, ask->source.data)) {
		/* The callee relies on the address. */
		return session_refuse(session, packet->id, CODE_INVALID_VALUE,
				      "the caller's address is none of device '%s': has it got "
				      "others since it was opened?",
				      endpoint->device->spec->name);
	}
	r = call_new(endpoint, true, &call);
	if (r == -EDQUOT && session_end_left(session))
		r = call_new(endpoint, true, &call);
	if (r < 0)
		return session_refuse_errno(session, packet->id, r, "an RDMA connection");
	call_set_details(call, &ask->details);
	call->import_id = ask->import_id;
	call->is_relay = ask->import_id && ask->relay;
	memcpy(call->source, ask->source.data, GID_LEN);
	memcpy(call->address, ask->address.data, GID_LEN);
	call->port_number = ask->port_number;
	peer_request_init(&call->request, call_on_reply);
	persist_call(call);
	reply.call_id = call->node.id;
	answer.id = packet->id;
	answer.body_case = DOCOCORE__PACKET__BODY_RDMA_CONNECT_REPLY;
	answer.rdma_connect_reply = &reply;
	session_reply(session, &answer, NULL, 0);
	/* The next step may end the call, and this request must not create another. */
	session_consume(session);
	if (import)
		call_place_by_import(call, import);
	else
		call_place(call);
	return 0;
}

static int refuse_no_call(struct session *session, uint64_t id, uint64_t call_id)
{
	return session_refuse(session, id, CODE_NOT_FOUND,
			      "call %llu is gone: the other end gave up or ended",
			      (unsigned long long)call_id);
}

int rdma_on_fetch(struct session *session, const Dococore__Packet *packet, struct fdset *fds)
{
	struct rdma_call *call = call_find_of(session, packet->rdma_fetch->call_id);
	Dococore__RdmaCall reply = DOCOCORE__RDMA_CALL__INIT;
	Dococore__Packet answer = DOCOCORE__PACKET__INIT;

	(void)fds;
	if (!call)
		return refuse_no_call(session, packet->id, packet->rdma_fetch->call_id);
	if (call->is_caller && !call->is_answered)
		return session_refuse(session, packet->id, CODE_BAD_STATE,
				      "call %llu is not answered yet: wait for its event",
				      (unsigned long long)call->node.id);
	reply.call_id = call->node.id;
	reply.details = (ProtobufCBinaryData){call->details_len, call->details};
	reply.source = (ProtobufCBinaryData){GID_LEN, call->source};
	reply.source_port = call->source_port;
	reply.relay = call->is_relay;
	reply.pci = call->is_pci;
	answer.id = packet->id;
	answer.body_case = DOCOCORE__PACKET__BODY_RDMA_CALL;
	answer.rdma_call = &reply;
	if (call->relay && !call->is_handed_over)
		rdma_stream_hand_over(call, &answer);
	else
		session_reply(session, &answer, NULL, 0);
	if (call->is_caller && !call->import_id)
		call_free(call);
	return 0;
}

int rdma_on_answer(struct session *session, const Dococore__Packet *packet, struct fdset *fds)
{
	const Dococore__RdmaAnswer *ask = packet->rdma_answer;
	struct rdma_call *call = call_find_of(session, ask->call_id);
	bool accepts = ask->code == CODE_SUCCESS;
	int r;

	(void)fds;
	if (!call)
		return refuse_no_call(session, packet->id, ask->call_id);
	if (accepts != (ask->details.len > 0) ||
	    (accepts && (call->is_caller || call->is_answered)))
		return session_refuse(
			session, packet->id, CODE_INVALID_VALUE,
			"call %llu: the callee accepts, with details; any other answer "
			"has a code and no details",
			(unsigned long long)ask->call_id);
	r = accepts && call->is_relay ? rdma_stream_start(call) : 0;
	if (r < 0)
		return session_refuse_errno(session, packet->id, r, "a relayed stream");
	if (accepts && call->import_id)
		call_accept(call, &ask->details);
	else
		rdma_call_end(call, ask->code, accepts ? &ask->details : NULL);
	session_reply_ok(session, packet->id);
	return 0;
}

/* --- peers --- */

/* Returns the called endpoint, or NULL. */
static struct rdma_endpoint *endpoint_find_called(struct peer *peer,
						  const Dococore__PeerRdmaConnect *ask)
{
	const struct grant *grant;
	struct rdma_endpoint *endpoint;

	if (ask->import_id) {
		grant = grant_find(peer, ask->import_id);
		endpoint = grant ? rdma_endpoint_find_serving(grant->export->session,
							      grant->export->handle)
				 : NULL;
		return endpoint && (ask->relay ? endpoint->relays : !endpoint->streams_only)
			       ? endpoint
			       : NULL;
	}
	/* Queue pairs cannot be reached over a link that passes no descriptors. */
	if (!peer_passes_fds(peer))
		return NULL;
	return rdma_endpoint_find_listening(peer->daemon, ask->address.data, ask->port_number);
}

int rdma_on_peer_connect(struct peer *peer, const Dococore__Packet *packet, struct fdset *fds)
{
	const Dococore__PeerRdmaConnect *ask = packet->peer_rdma_connect;
	struct rdma_endpoint *endpoint = endpoint_find_called(peer, ask);
	const struct grant *grant;
	Dococore__PeerRdmaConnectReply reply = DOCOCORE__PEER_RDMA_CONNECT_REPLY__INIT;
	Dococore__Packet answer = DOCOCORE__PACKET__INIT;
	struct rdma_call *call;
	int r;

	(void)fds;
	/*
	 * The peer knows that calls by address, and calls over a link that passes descriptors, have
	 * no streams.
	 */
	if (ask->relay && (!ask->import_id || !peer_relays_copies(peer)))
		return -EPROTO;
	if (!endpoint && ask->import_id)
		return peer_fail_refused(
			peer, packet->id, CODE_NOT_FOUND,
			"the export has ended, or its process does not serve it that way");
	if (!endpoint)
		return peer_fail_refused(peer, packet->id, CODE_NOT_FOUND,
					 "nobody listens on that address and port %u",
					 ask->port_number);
	grant = ask->import_id ? grant_find(peer, ask->import_id) : NULL;
	r = call_arrive(endpoint, ask, peer, grant ? grant->importer_pid : 0, &call);
	if (r < 0)
		return peer_fail_refused(
			peer, packet->id, CODE_FULL,
			"the endpoint that listens on port %u can take no more calls: %s",
			ask->port_number, strerror(-r));
	call->peer = peer;
	call->peer_call_id = ask->call_id;
	call->is_pci = grant && export_kind_is_pci(grant->export->kind);
	reply.peer_call_id = call->node.id;
	answer.id = packet->id;
	answer.body_case = DOCOCORE__PACKET__BODY_PEER_RDMA_CONNECT_REPLY;
	answer.peer_rdma_connect_reply = &reply;
	(void)peer_send(peer, &answer, NULL, 0);
	rdma_call_push(call, EVENT_RDMA_REQUESTED, CODE_SUCCESS);
	return 0;
}

/*
 * Finds the call by the caller's daemon's id, for a daemon that hangs up before it learned this
 * side's id.
 */
static struct rdma_call *call_find_for_peer(struct peer *peer, uint64_t id, uint64_t sender_id)
{
	struct rdma_call *call = id ? rdma_call_find(peer->daemon, id) : NULL;

	if (id)
		return call && call->peer == peer ? call : NULL;
	list_for_each(call, &peer->daemon->rdma->calls, link)
	{
		if (call->peer == peer && !call->is_caller && call->peer_call_id == sender_id)
			return call;
	}
	return NULL;
}

/* Handles an accepted call: either both ends have a stream, or neither has. */
static int call_on_stream(struct rdma_call *call, const ProtobufCBinaryData *details)
{
	/* Only a caller is answered, and only by a peer that has sent its own call id. */
	if (!call->is_caller || !call->peer_call_id)
		return -EPROTO;
	if (rdma_stream_start(call) < 0) {
		call_notify_peer(call, CODE_NO_MEMORY, NULL);
		call_fail(call, CODE_NO_MEMORY);
		return 0;
	}
	call_on_answer(call, CODE_SUCCESS, details);
	return 0;
}

int rdma_on_peer_answer(struct peer *peer, const Dococore__Packet *packet, struct fdset *fds)
{
	const Dococore__PeerRdmaAnswer *answer = packet->peer_rdma_answer;
	struct rdma_call *call = call_find_for_peer(peer, answer->call_id, answer->sender_call_id);

	(void)fds;
	bool accepts = answer->code == CODE_SUCCESS && answer->details.len > 0;

	/* A call that is still waiting to be placed is unknown to every peer. */
	if (!call || (call->is_caller && call->is_answered && (accepts || !call->import_id)))
		return 0;
	if (!accepts || !call->import_id)
		call->peer = NULL;
	/* The answer to the request would contain only this id. */
	if (accepts && call->import_id && answer->sender_call_id)
		call->peer_call_id = answer->sender_call_id;
	peer_request_cancel(&call->request);
	if (accepts && call->is_relay)
		return call_on_stream(call, &answer->details);
	call_on_answer(call, answer->code, accepts ? &answer->details : NULL);
	return 0;
}

/* --- over restarts --- */

/* Returns the code with which a saved call ends. A caller of an export may try again. */
static enum code saved_call_code(const struct rdma_call_saved *saved, bool waits)
{
	if (saved->is_caller && (saved->is_relay || (saved->keeps_pair && waits)))
		return CODE_AGAIN;
	return saved->keeps_pair && !waits ? CODE_NOT_CONNECTED : CODE_CONNECTION_ABORTED;
}

void rdma_call_resume(struct rdma_endpoint *endpoint, const struct rdma_call_saved *saved)
{
	bool waits = saved->is_caller && !saved->is_answered;
	enum code code = saved_call_code(saved, waits);
	struct rdma_call call = {.endpoint = endpoint,
				 .node.id = saved->id,
				 .is_caller = saved->is_caller,
				 .port_number = saved->port_number};
	struct event event = {.id = saved->id, .arg = saved->port_number};

	if (saved->is_caller && saved->is_answered && saved->keeps_pair)
		return;
	event.type = waits ? EVENT_RDMA_ANSWERED : EVENT_RDMA_GONE;
	if (!event_out_has(&endpoint->events, &event))
		rdma_call_push(&call, (enum event_type)event.type, code);
}

void rdma_peer_lost(struct peer *peer)
{
	struct daemon *daemon = peer->daemon;
	struct rdma_call *call, *tmp;

	list_for_each_safe(call, tmp, &daemon->rdma->calls, link)
	{
		if (call->peer != peer)
			continue;
		call->peer = NULL;
		/* The next daemon instance decides what becomes of the call. */
		if (daemon->stopping)
			continue;
		/*
		 * Queue pairs work without daemons, but it is no longer known whether the other end
		 * exists. A stream is lost; its caller may open another one over the next link,
		 * like a caller of an export that has no answer yet.
		 */
		if (call->is_relay || (call->import_id && !call->is_answered))
			call_on_answer(call, call->is_caller ? CODE_AGAIN : CODE_CONNECTION_ABORTED,
				       NULL);
		else if (call->is_answered && call->is_caller)
			call_free(call);
		else
			call_on_answer(call,
				       call->is_answered ? CODE_NOT_CONNECTED
							 : CODE_CONNECTION_ABORTED,
				       NULL);
	}
	if (!daemon->stopping)
		rdma_link_writable(peer);
}
