/* RDMA connections by address; see rdma.h. */
#include "daemon/rdma.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/daemon.h"
#include "daemon/export.h"
#include "daemon/import.h"
#include "daemon/rdma_stream.h"
#include "daemon/registry.pb-c.h"
#include "daemon/relay.h"
#include "daemon/session.h"
#include "util/fd.h"
#include "util/log.h"
#include "util/memfd.h"

#define PORT_MAX 65535u

/* --- calls --- */

static void agent_push(struct rdma_agent *agent, const struct event *event)
{
	int r = event_out_push(&agent->events, event);

	if (r == -EPROTO)
		session_kill(agent->session, "it broke its event ring");
	else if (r < 0)
		session_kill(agent->session, "it reads no events: more than %u wait",
			     EVENT_OUT_MAX_QUEUED);
}

void rdma_call_push(struct rdma_call *call, enum event_type type, uint32_t code)
{
	agent_push(call->agent, &(struct event){.type = (uint32_t)type,
						.code = code,
						.id = call->node.id,
						.arg = call->port_number});
}

static struct rdma_call *call_free(struct rdma_call *call)
{
	struct daemon *daemon = call->agent->daemon;

	peer_request_cancel(&call->request);
	if (call->other)
		call->other->other = NULL;
	if (!call->is_caller && !call->is_answered)
		call->agent->n_waiting--;
	call->relay = relay_free(call->relay);
	keep_drop(daemon, &call->kept);
	idmap_remove(&daemon->rdma_call_map, &call->node);
	list_remove(&call->link);
	list_remove(&call->agent_link);
	charge_release(&call->charge);
	explicit_bzero(call->details, sizeof(call->details));
	free(call);
	return NULL;
}

/* Who makes it writes it down (keep_call) when it says what it is. 0, -EDQUOT, -ENOMEM. */
static int call_new(struct rdma_agent *agent, bool is_caller, struct rdma_call **call_out)
{
	struct daemon *daemon = agent->daemon;
	struct rdma_call *call = calloc(1, sizeof(*call));
	int r;

	if (!call)
		return -ENOMEM;
	keep_ids(daemon);
	r = charge_add(&call->charge, agent->session->account, CHARGE_CHANNELS, 1);
	if (r == 0)
		r = idmap_add(&daemon->rdma_call_map, &call->node, ++daemon->next_rdma_id);
	if (r < 0) {
		charge_release(&call->charge);
		free(call);
		return r;
	}
	call->agent = agent;
	call->is_caller = is_caller;
	list_append(&daemon->rdma_calls, &call->link);
	list_append(&agent->calls, &call->agent_link);
	if (!is_caller)
		agent->n_waiting++;
	*call_out = call;
	return 0;
}

struct rdma_call *rdma_call_find(struct daemon *daemon, uint64_t id)
{
	struct idmap_node *node = idmap_find(&daemon->rdma_call_map, id);

	return node ? container_of(node, struct rdma_call, node) : NULL;
}

static struct rdma_call *call_find_of(struct session *session, uint64_t id)
{
	struct rdma_call *call = rdma_call_find(session->daemon, id);

	return call && call->agent->session == session ? call : NULL;
}

/* The caller learns that it is over; its call ends. */
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

/* True if who is called has not heard of it: there was no room for the event yet. */
static bool call_take_back(const struct rdma_call *call)
{
	const struct event event = {
		.type = EVENT_RDMA_REQUESTED, .id = call->node.id, .arg = call->port_number};

	return !call->is_caller && !call->is_answered &&
	       event_out_cancel(&call->agent->events, &event);
}

/* What the other end said has come here. details NULL: it is over, with a code. */
static void call_on_answer(struct rdma_call *call, uint32_t code,
			   const ProtobufCBinaryData *details)
{
	if (!call->is_caller || call->is_answered) {
		if (!call_take_back(call))
			rdma_call_push(call, EVENT_RDMA_GONE,
				       code ? code : CODE_CONNECTION_ABORTED);
		call_free(call);
		return;
	}
	if (code != CODE_SUCCESS || !details) {
		call_fail(call, code);
		return;
	}
	/* Who was called has nothing more to say, but when it ends. */
	if (!call->import_id) {
		call->peer = NULL;
		call->other = NULL;
	}
	call_set_details(call, details);
	call->is_answered = true;
	rdma_call_push(call, EVENT_RDMA_ANSWERED, CODE_SUCCESS);
}

static void call_tell_peer(const struct rdma_call *call, uint32_t code,
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

/* This end says so to the other, and its call ends. */
void rdma_call_end(struct rdma_call *call, uint32_t code, const ProtobufCBinaryData *details)
{
	struct rdma_call *other = call->other;

	if (other) {
		call->other = other->other = NULL;
		call_on_answer(other, code, details);
	} else if (call->peer) {
		call_tell_peer(call, code, details);
	}
	call_free(call);
}

/* A call to an export is accepted, and stays. */
static void call_accept(struct rdma_call *call, const ProtobufCBinaryData *details)
{
	call->is_answered = true;
	call->agent->n_waiting--;
	if (call->other)
		call_on_answer(call->other, CODE_SUCCESS, details);
	else if (call->peer)
		call_tell_peer(call, CODE_SUCCESS, details);
}

/* --- agents --- */

static struct rdma_listener *number_find(const struct rdma_agent *agent, uint32_t port_number)
{
	struct rdma_listener *listener;

	list_for_each(listener, &agent->listeners, link)
	{
		if (listener->port_number == port_number)
			return listener;
	}
	return NULL;
}

static void number_free(struct rdma_listener *listener)
{
	list_remove(&listener->link);
	charge_release(&listener->charge);
	free(listener);
}

struct rdma_agent *rdma_agent_free(struct rdma_agent *agent)
{
	while (!list_is_empty(&agent->calls))
		rdma_call_end(list_entry(agent->calls.next, struct rdma_call, agent_link),
			      CODE_CONNECTION_ABORTED, NULL);
	while (!list_is_empty(&agent->listeners))
		number_free(list_entry(agent->listeners.next, struct rdma_listener, link));
	if (agent->node.id) {
		idmap_remove(&agent->daemon->rdma_agent_map, &agent->node);
		list_remove(&agent->link);
		list_remove(&agent->session_link);
		agent->handle->n_users--;
	}
	keep_drop(agent->daemon, &agent->kept);
	event_out_deinit(&agent->events);
	charge_release(&agent->charge);
	free(agent);
	return NULL;
}

static struct rdma_agent *agent_find(struct session *session, uint64_t id)
{
	struct idmap_node *node = idmap_find(&session->daemon->rdma_agent_map, id);
	struct rdma_agent *agent = node ? container_of(node, struct rdma_agent, node) : NULL;

	return agent && agent->session == session ? agent : NULL;
}

static struct rdma_agent *agent_find_serving(const struct session *session,
					     const struct device *device)
{
	struct rdma_agent *agent;

	list_for_each(agent, &session->rdma_agents, session_link)
	{
		if (!session->dying && agent->serves_exports && agent->device == device)
			return agent;
	}
	return NULL;
}

uint64_t rdma_agent_serving(const struct session *session, const struct device *device,
			    bool is_distant)
{
	const struct rdma_agent *agent = agent_find_serving(session, device);

	return agent && (is_distant || !agent->streams_only) ? agent->node.id : 0;
}

bool rdma_agent_relays(const struct session *session, const struct device *device)
{
	const struct rdma_agent *agent = agent_find_serving(session, device);

	return agent && agent->relays;
}

void rdma_tell_revoked(const struct session *session, const struct device *device,
		       uint64_t export_id)
{
	struct rdma_agent *agent = agent_find_serving(session, device);

	if (agent)
		agent_push(agent, &(struct event){.type = EVENT_EXPORT_REVOKED, .id = export_id});
}

static bool device_has_address(const struct device_spec *spec, const uint8_t address[GID_LEN])
{
	uint8_t gid[GID_LEN];

	gid_of_mac(spec->has_mac ? spec->mac : NULL, spec->vhca_id, gid);
	if (memcmp(gid, address, GID_LEN) == 0)
		return true;
	gid_of_ipv4(spec->ipv4, gid);
	if (spec->has_ipv4 && memcmp(gid, address, GID_LEN) == 0)
		return true;
	return spec->has_ipv6 && memcmp(spec->ipv6, address, GID_LEN) == 0;
}

static struct rdma_agent *agent_find_listening(struct daemon *daemon,
					       const uint8_t address[GID_LEN], uint32_t port_number)
{
	struct rdma_agent *agent;

	list_for_each(agent, &daemon->rdma_agents, link)
	{
		if (!agent->session->dying && number_find(agent, port_number) &&
		    device_has_address(agent->device->spec, address))
			return agent;
	}
	return NULL;
}

/* id 0: a new one, which gets its events here. */
static int agent_register(struct rdma_agent *agent, uint64_t id)
{
	struct session *session = agent->session;
	struct daemon *daemon = agent->daemon;
	int r;

	r = charge_add(&agent->charge, session->account, CHARGE_SERVERS, 1);
	if (r == 0)
		r = charge_add(&agent->charge, session->account, CHARGE_FDS, 2);
	if (r == 0)
		r = charge_add(&agent->charge, session->account, CHARGE_BYTES,
			       sizeof(struct event_ring));
	if (r == 0 && !id)
		r = event_out_init(&agent->events, daemon->loop);
	keep_ids(daemon);
	if (r == 0)
		r = idmap_add(&daemon->rdma_agent_map, &agent->node,
			      id ? id : ++daemon->next_rdma_id);
	if (r < 0)
		return r;
	event_out_own(&agent->events, session, REGISTRY__RECORD_TYPE__AGENT, agent->node.id);
	list_append(&daemon->rdma_agents, &agent->link);
	list_append(&session->rdma_agents, &agent->session_link);
	agent->handle->n_users++;
	return 0;
}

static struct rdma_agent *agent_alloc(struct session *session, struct handle *handle)
{
	struct rdma_agent *agent = calloc(1, sizeof(*agent));

	if (!agent)
		return NULL;
	agent->daemon = session->daemon;
	agent->session = session;
	agent->handle = handle;
	agent->device = handle->device;
	agent->events = (struct event_out)EVENT_OUT_INIT;
	list_init(&agent->listeners);
	list_init(&agent->calls);
	return agent;
}

static void agent_reply_open(const struct rdma_agent *agent, uint64_t request_id)
{
	Dococore__RdmaOpenReply reply = DOCOCORE__RDMA_OPEN_REPLY__INIT;
	Dococore__Packet answer = DOCOCORE__PACKET__INIT;

	reply.agent_id = agent->node.id;
	reply.event_ring_len = ALIGN_UP(sizeof(struct event_ring), memfd_page_size());
	answer.id = request_id;
	answer.body_case = DOCOCORE__PACKET__BODY_RDMA_OPEN_REPLY;
	answer.rdma_open_reply = &reply;
	session_reply(agent->session, &answer,
		      (int[]){agent->events.writer.memfd, agent->events.writer.eventfd}, 2);
}

bool rdma_open_again(struct session *session, const Dococore__Packet *packet)
{
	const struct rdma_agent *agent;

	list_for_each(agent, &session->rdma_agents, session_link)
	{
		if (agent->request_id != packet->id)
			continue;
		agent_reply_open(agent, packet->id);
		return true;
	}
	return false;
}

int rdma_on_open(struct session *session, const Dococore__Packet *packet, struct fdset *fds)
{
	struct handle *handle;
	struct device *device = handle_find_device(session, packet->rdma_open->device, &handle);
	struct rdma_agent *agent;
	int r;

	(void)fds;
	if (!device)
		return session_refuse(session, packet->id, CODE_NOT_FOUND,
				      "handle %llu is no open device of this connection",
				      (unsigned long long)packet->rdma_open->device);
	if (!device->spec->caps.rdma && !packet->rdma_open->relays)
		return session_refuse(session, packet->id, CODE_NOT_SUPPORTED,
				      "device '%s' has no RDMA: see its key rdma in the topology",
				      device->spec->name);
	if (packet->rdma_open->serves_exports && agent_find_serving(session, device))
		return session_refuse(session, packet->id, CODE_ALREADY_EXIST,
				      "an RDMA port of this connection serves the exports on "
				      "device '%s' already",
				      device->spec->name);
	agent = agent_alloc(session, handle);
	if (!agent)
		return session_refuse_errno(session, packet->id, -ENOMEM, "an RDMA port");
	agent->serves_exports = packet->rdma_open->serves_exports;
	agent->relays = packet->rdma_open->relays;
	agent->streams_only = packet->rdma_open->streams_only || !device->spec->caps.rdma;
	agent->request_id = packet->id;
	r = agent_register(agent, 0);
	if (r < 0) {
		rdma_agent_free(agent);
		return session_refuse_errno(session, packet->id, r, "an RDMA port");
	}
	keep_agent(agent);
	agent_reply_open(agent, packet->id);
	return 0;
}

int rdma_on_close(struct session *session, const Dococore__Packet *packet, struct fdset *fds)
{
	struct rdma_agent *agent = agent_find(session, packet->rdma_close->agent_id);

	(void)fds;
	if (agent)
		rdma_agent_free(agent);
	session_reply_ok(session, packet->id);
	return 0;
}

/* Somebody, in whatever process, has this number of the device already. */
static bool port_is_taken(const struct rdma_agent *agent, uint32_t port_number)
{
	const struct rdma_agent *other;

	list_for_each(other, &agent->daemon->rdma_agents, link)
	{
		/* One that dies gives its numbers back, if not at once. */
		if (!other->session->dying && other->device == agent->device &&
		    number_find(other, port_number))
			return true;
	}
	return false;
}

static int number_new(struct rdma_agent *agent, uint32_t port_number)
{
	struct rdma_listener *listener = calloc(1, sizeof(*listener));
	int r;

	if (!listener)
		return -ENOMEM;
	r = charge_add(&listener->charge, agent->session->account, CHARGE_SERVERS, 1);
	if (r < 0) {
		free(listener);
		return r;
	}
	listener->port_number = port_number;
	list_append(&agent->listeners, &listener->link);
	return 0;
}

static void number_stop(struct rdma_agent *agent, uint32_t port_number)
{
	struct rdma_listener *listener = number_find(agent, port_number);
	struct rdma_call *call, *tmp;

	if (!listener)
		return;
	list_for_each_safe(call, tmp, &agent->calls, agent_link)
	{
		if (call->is_caller || call->port_number != port_number)
			continue;
		if (!call_take_back(call))
			rdma_call_push(call, EVENT_RDMA_GONE, CODE_CONNECTION_ABORTED);
		rdma_call_end(call, CODE_CONNECTION_ABORTED, NULL);
	}
	number_free(listener);
}

static int refuse_no_agent(struct session *session, uint64_t id, uint64_t agent_id)
{
	return session_refuse(session, id, CODE_NOT_FOUND,
			      "%llu is no RDMA port of this connection",
			      (unsigned long long)agent_id);
}

static int refuse_streams_only(struct session *session, uint64_t id, const struct rdma_agent *agent)
{
	return session_refuse(session, id, CODE_NOT_SUPPORTED,
			      "the port has no queue pairs, only streams by import: device '%s' "
			      "has no RDMA device, or its key rdma in the topology denies it",
			      agent->device->spec->name);
}

int rdma_on_listen(struct session *session, const Dococore__Packet *packet, struct fdset *fds)
{
	const Dococore__RdmaListen *ask = packet->rdma_listen;
	struct rdma_agent *agent = agent_find(session, ask->agent_id);
	int r;

	(void)fds;
	if (!agent)
		return refuse_no_agent(session, packet->id, ask->agent_id);
	if (ask->stop) {
		number_stop(agent, ask->port_number);
		keep_agent(agent);
		session_reply_ok(session, packet->id);
		return 0;
	}
	if (agent->streams_only)
		return refuse_streams_only(session, packet->id, agent);
	if (ask->port_number == 0 || ask->port_number > PORT_MAX)
		return session_refuse(session, packet->id, CODE_INVALID_VALUE,
				      "port number %u is not in 1 to %u", ask->port_number,
				      PORT_MAX);
	if (port_is_taken(agent, ask->port_number))
		return session_refuse(session, packet->id, CODE_ALREADY_EXIST,
				      "somebody listens on port %u of device '%s' already: choose "
				      "another number, or stop that",
				      ask->port_number, agent->device->spec->name);
	r = number_new(agent, ask->port_number);
	if (r < 0)
		return session_refuse_errno(session, packet->id, r, "an RDMA listener");
	keep_agent(agent);
	session_reply_ok(session, packet->id);
	return 0;
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

/* Asks the next linked peer. 0, or -ENOTCONN: none is left. */
static int call_ask_next(struct rdma_call *call)
{
	Dococore__PeerRdmaConnect ask = DOCOCORE__PEER_RDMA_CONNECT__INIT;
	Dococore__Packet packet = DOCOCORE__PACKET__INIT;

	call_to_message(call, &ask);
	packet.body_case = DOCOCORE__PACKET__BODY_PEER_RDMA_CONNECT;
	packet.peer_rdma_connect = &ask;
	/* Without descriptors there is nothing to be had of a queue pair over there. */
	while ((call->peer = peer_next_linked(call->agent->daemon, call->peer)))
		if (peer_passes_fds(call->peer) &&
		    peer_ask(call->peer, &call->request, &packet, NULL, 0) == 0)
			return 0;
	return -ENOTCONN;
}

static void call_on_reply(struct peer_request *request, const Dococore__Packet *answer,
			  struct fdset *fds)
{
	struct rdma_call *call = container_of(request, struct rdma_call, request);

	(void)fds;
	if (answer && answer->body_case == DOCOCORE__PACKET__BODY_PEER_RDMA_CONNECT_REPLY) {
		call->peer_call_id = answer->peer_rdma_connect_reply->peer_call_id;
		return;
	}
	/* This peer has nobody who listens there, another may. */
	if (answer && answer->body_case == DOCOCORE__PACKET__BODY_ERROR && !call->import_id &&
	    answer->error->code == CODE_NOT_FOUND && call_ask_next(call) == 0)
		return;
	call_fail(call, CODE_CONNECTION_ABORTED);
}

/* Somebody listens. 0, or why not, and nothing has happened. */
static int call_arrive(struct rdma_agent *agent, const Dococore__PeerRdmaConnect *ask,
		       struct rdma_call **call_out)
{
	struct rdma_call *call;
	int r;

	/* Callers that hang up again must not fill the queue: who reads too few events gets no
	 * more of them, but for those that end what is there. */
	if (agent->n_waiting >= RDMA_MAX_WAITING || agent->events.n_queued)
		return -EBUSY;
	r = call_new(agent, false, &call);
	if (r < 0)
		return r;
	call_set_details(call, &ask->details);
	memcpy(call->source, ask->source.data, GID_LEN);
	memcpy(call->address, ask->address.data, GID_LEN);
	call->port_number = ask->port_number;
	call->import_id = ask->import_id;
	call->is_relay = ask->relay;
	call->source_port = 49152u + (uint32_t)(ask->call_id % 16384u);
	peer_request_init(&call->request, call_on_reply);
	keep_call(call);
	*call_out = call;
	return 0;
}

/* To an agent of this daemon. */
static void call_connect(struct rdma_call *call, struct rdma_agent *agent)
{
	Dococore__PeerRdmaConnect ask = DOCOCORE__PEER_RDMA_CONNECT__INIT;
	struct rdma_call *other;

	call_to_message(call, &ask);
	if (call_arrive(agent, &ask, &other) < 0) {
		call_fail(call, CODE_CONNECTION_ABORTED);
		return;
	}
	call->other = other;
	other->other = call;
	rdma_call_push(other, EVENT_RDMA_REQUESTED, CODE_SUCCESS);
}

static void call_place(struct rdma_call *call)
{
	struct rdma_agent *agent;

	agent = agent_find_listening(call->agent->daemon, call->address, call->port_number);
	if (agent)
		call_connect(call, agent);
	else if (call_ask_next(call) < 0)
		call_fail(call, CODE_CONNECTION_ABORTED);
}

/* To who serves the export behind an import. */
static void call_place_by_import(struct rdma_call *call, struct import *import)
{
	Dococore__PeerRdmaConnect ask = DOCOCORE__PEER_RDMA_CONNECT__INIT;
	Dococore__Packet packet = DOCOCORE__PACKET__INIT;
	struct rdma_agent *agent;

	if (import->export) {
		agent = agent_find_serving(import->export->session, import->export->device);
		if (agent && !agent->streams_only)
			call_connect(call, agent);
		else
			call_fail(call, CODE_CONNECTION_ABORTED);
		return;
	}
	import_renew_for_call(import, call->is_relay);
	call_to_message(call, &ask);
	packet.body_case = DOCOCORE__PACKET__BODY_PEER_RDMA_CONNECT;
	packet.peer_rdma_connect = &ask;
	call->peer = import->peer;
	if (!call->peer || peer_ask(call->peer, &call->request, &packet, NULL, 0) < 0) {
		call->peer = NULL;
		call_fail(call, CODE_CONNECTION_ABORTED);
	}
}

int rdma_on_connect(struct session *session, const Dococore__Packet *packet, struct fdset *fds)
{
	const Dococore__RdmaConnect *ask = packet->rdma_connect;
	struct rdma_agent *agent = agent_find(session, ask->agent_id);
	Dococore__RdmaConnectReply reply = DOCOCORE__RDMA_CONNECT_REPLY__INIT;
	Dococore__Packet answer = DOCOCORE__PACKET__INIT;
	struct import *import = NULL;
	struct rdma_call *call;
	int r;

	(void)fds;
	if (!agent)
		return refuse_no_agent(session, packet->id, ask->agent_id);
	if (agent->streams_only && !(ask->import_id && ask->relay))
		return refuse_streams_only(session, packet->id, agent);
	if (ask->import_id) {
		import = import_find_alive(session, ask->import_id);
		if (!import)
			return session_refuse(session, packet->id, CODE_NOT_FOUND,
					      "%llu is no import of this connection whose export "
					      "is alive",
					      (unsigned long long)ask->import_id);
		if (ask->relay && !rdma_stream_may_pass(import->peer))
			return session_refuse(session, packet->id, CODE_NOT_SUPPORTED,
					      "the export is not relayed: its daemon is not linked "
					      "over tls:, or is of an earlier version");
	} else if (ask->port_number == 0 || ask->port_number > PORT_MAX) {
		return session_refuse(session, packet->id, CODE_INVALID_VALUE,
				      "port number %u is not in 1 to %u", ask->port_number,
				      PORT_MAX);
	} else if (!device_has_address(agent->device->spec, ask->source.data)) {
		/* Who is called relies on it. */
		return session_refuse(session, packet->id, CODE_INVALID_VALUE,
				      "the caller's address is none of device '%s': has it got "
				      "others since it was opened?",
				      agent->device->spec->name);
	}
	if (ask->import_id)
		keep_give_up(session, "it reaches memory of another machine");
	r = call_new(agent, true, &call);
	if (r < 0)
		return session_refuse_errno(session, packet->id, r, "an RDMA connection");
	call_set_details(call, &ask->details);
	call->import_id = ask->import_id;
	call->is_relay = ask->import_id && ask->relay;
	memcpy(call->source, ask->source.data, GID_LEN);
	memcpy(call->address, ask->address.data, GID_LEN);
	call->port_number = ask->port_number;
	peer_request_init(&call->request, call_on_reply);
	keep_call(call);
	reply.call_id = call->node.id;
	answer.id = packet->id;
	answer.body_case = DOCOCORE__PACKET__BODY_RDMA_CONNECT_REPLY;
	answer.rdma_connect_reply = &reply;
	session_reply(session, &answer, NULL, 0);
	/* What follows may end it, and this request must not make another. */
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
		return session_refuse(session, packet->id, CODE_INVALID_VALUE,
				      "call %llu: who is called accepts, with details; anything "
				      "else has a code and none",
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

/* Who is called, or NULL. */
static struct rdma_agent *agent_find_called(struct peer *peer, const Dococore__PeerRdmaConnect *ask)
{
	const struct grant *grant;
	struct rdma_agent *agent;

	if (ask->import_id) {
		grant = grant_find(peer, ask->import_id);
		agent = grant ? agent_find_serving(grant->export->session, grant->export->device)
			      : NULL;
		return agent && (ask->relay ? agent->relays : !agent->streams_only) ? agent : NULL;
	}
	/* Without descriptors there is nothing to be had of a queue pair there. */
	if (!peer_passes_fds(peer))
		return NULL;
	return agent_find_listening(peer->daemon, ask->address.data, ask->port_number);
}

/* One importer must not have all the streams that the agent serves. */
static bool has_room_for(const struct rdma_agent *agent, const struct peer *peer, pid_t importer)
{
	const struct rdma_call *call;
	unsigned n = 0;

	list_for_each(call, &agent->calls, agent_link) n += call->is_relay && !call->is_caller &&
							    call->peer == peer &&
							    call->importer_pid == importer;
	return n < RDMA_MAX_STREAMS_EACH;
}

int rdma_on_peer_connect(struct peer *peer, const Dococore__Packet *packet, struct fdset *fds)
{
	const Dococore__PeerRdmaConnect *ask = packet->peer_rdma_connect;
	struct rdma_agent *agent = agent_find_called(peer, ask);
	const struct grant *grant;
	Dococore__PeerRdmaConnectReply reply = DOCOCORE__PEER_RDMA_CONNECT_REPLY__INIT;
	Dococore__Packet answer = DOCOCORE__PACKET__INIT;
	struct rdma_call *call;
	int r;

	(void)fds;
	/* It knows that there is none of that by address, nor where descriptors pass. */
	if (ask->relay && (!ask->import_id || !rdma_stream_may_pass(peer)))
		return -EPROTO;
	if (!agent && ask->import_id)
		return peer_refuse(
			peer, packet->id, CODE_NOT_FOUND,
			"the export has ended, or its process does not serve it that way");
	if (!agent)
		return peer_refuse(peer, packet->id, CODE_NOT_FOUND,
				   "nobody listens on that address and port %u", ask->port_number);
	grant = ask->import_id ? grant_find(peer, ask->import_id) : NULL;
	r = ask->relay && !has_room_for(agent, peer, grant->importer_pid) ? -EBUSY : 0;
	if (r == 0)
		r = call_arrive(agent, ask, &call);
	if (r < 0)
		return peer_refuse(peer, packet->id, CODE_FULL,
				   "who listens on port %u can take no more calls: %s",
				   ask->port_number, strerror(-r));
	call->peer = peer;
	call->peer_call_id = ask->call_id;
	call->importer_pid = grant ? grant->importer_pid : 0;
	call->is_pci = grant && export_kind_is_pci(grant->export->kind);
	reply.peer_call_id = call->node.id;
	answer.id = packet->id;
	answer.body_case = DOCOCORE__PACKET__BODY_PEER_RDMA_CONNECT_REPLY;
	answer.peer_rdma_connect_reply = &reply;
	(void)peer_send(peer, &answer, NULL, 0);
	rdma_call_push(call, EVENT_RDMA_REQUESTED, CODE_SUCCESS);
	return 0;
}

/* A caller's daemon that hangs up before it learned our id names its own. */
static struct rdma_call *call_find_for_peer(struct peer *peer, uint64_t id, uint64_t sender_id)
{
	struct rdma_call *call = id ? rdma_call_find(peer->daemon, id) : NULL;

	if (id)
		return call && call->peer == peer ? call : NULL;
	list_for_each(call, &peer->daemon->rdma_calls, link)
	{
		if (call->peer == peer && !call->is_caller && call->peer_call_id == sender_id)
			return call;
	}
	return NULL;
}

/* Accepted: this end has a stream as well, or neither. */
static int call_on_stream(struct rdma_call *call, const ProtobufCBinaryData *details)
{
	/* Only a caller is answered, by who has said its own id. */
	if (!call->is_caller || !call->peer_call_id)
		return -EPROTO;
	if (rdma_stream_start(call) < 0) {
		call_tell_peer(call, CODE_NO_MEMORY, NULL);
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

	/* One that is still on its way was never told to anybody there. */
	if (!call || (call->is_caller && call->is_answered && (accepts || !call->import_id)))
		return 0;
	if (!accepts || !call->import_id)
		call->peer = NULL;
	/* What it would answer is known by now. */
	if (accepts && call->import_id && answer->sender_call_id)
		call->peer_call_id = answer->sender_call_id;
	peer_request_cancel(&call->request);
	if (accepts && call->is_relay)
		return call_on_stream(call, &answer->details);
	call_on_answer(call, answer->code, accepts ? &answer->details : NULL);
	return 0;
}

/* --- over restarts --- */

int rdma_agent_resume(struct session *session, const struct rdma_agent_past *past, int memfd,
		      int eventfd, struct rdma_agent **agent_out)
{
	struct rdma_agent *agent = NULL;
	struct handle *handle;
	int r;

	if (handle_find_device(session, past->handle, &handle))
		agent = agent_alloc(session, handle);
	if (!agent) {
		fd_close(&memfd);
		fd_close(&eventfd);
		return -ENOENT;
	}
	agent->request_id = past->request_id;
	agent->serves_exports = past->serves_exports;
	agent->relays = past->relays;
	agent->streams_only = past->streams_only || !agent->device->spec->caps.rdma;
	r = event_out_resume(&agent->events, session->daemon->loop, memfd, eventfd);
	if (r == 0)
		r = agent_register(agent, past->id);
	for (size_t i = 0; i < past->n_ports && r == 0; i++)
		r = port_is_taken(agent, past->ports[i]) ? -EEXIST
							 : number_new(agent, past->ports[i]);
	if (r < 0) {
		rdma_agent_free(agent);
		return r;
	}
	*agent_out = agent;
	return 0;
}

void rdma_call_resume(struct rdma_agent *agent, uint64_t id, bool is_caller, bool keeps_pair,
		      uint32_t port_number)
{
	enum code code = keeps_pair ? CODE_NOT_CONNECTED : CODE_CONNECTION_ABORTED;
	struct rdma_call call = {
		.agent = agent, .node.id = id, .is_caller = is_caller, .port_number = port_number};
	struct event event = {.id = id, .arg = port_number};

	event.type = is_caller ? EVENT_RDMA_ANSWERED : EVENT_RDMA_GONE;
	if (!event_out_has(&agent->events, &event))
		rdma_call_push(&call, (enum event_type)event.type, code);
}

/* A listener has no id: it is there, or the request is new. */
bool rdma_listen_again(struct session *session, const Dococore__Packet *packet)
{
	const Dococore__RdmaListen *ask = packet->rdma_listen;
	const struct rdma_agent *agent = agent_find(session, ask->agent_id);

	if (!agent || ask->stop || !number_find(agent, ask->port_number))
		return false;
	session_reply_ok(session, packet->id);
	return true;
}

void rdma_peer_lost(struct daemon *daemon, struct peer *peer)
{
	struct rdma_call *call, *tmp;

	list_for_each_safe(call, tmp, &daemon->rdma_calls, link)
	{
		if (call->peer != peer)
			continue;
		call->peer = NULL;
		/* The queue pairs need no daemons; that the other end is there is not known any
		 * more. A stream is gone. */
		if (call->is_relay)
			call_on_answer(call, CODE_CONNECTION_ABORTED, NULL);
		else if (call->is_answered && call->is_caller)
			call_free(call);
		else
			call_on_answer(call,
				       call->is_answered ? CODE_NOT_CONNECTED
							 : CODE_CONNECTION_ABORTED,
				       NULL);
	}
}
