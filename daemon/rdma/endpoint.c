/* The rendezvous endpoints of clients, and the port numbers that they listen on; see rdma.h. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/base/daemon.h"
#include "daemon/rdma/rdma.h"
#include "daemon/device/device.h"
#include "daemon/store/persist.h"
#include "daemon/rdma/rdma_internal.h"
#include "daemon/rdma/stream.h"
#include "daemon/registry.pb-c.h"
#include "daemon/session/persist.h"
#include "daemon/session/session.h"
#include "util/fd.h"
#include "util/memfd.h"

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
	while (!list_is_empty(&agent->calls)) {
		struct rdma_call *call = list_entry(agent->calls.next, struct rdma_call,
						    agent_link);

		/*
		 * Queue pairs work without a daemon. The next daemon instance, or the loss of this
		 * process, decides what becomes of the calls.
		 */
		if (agent->daemon->stopping && call->other)
			call->other = call->other->other = NULL;
		rdma_call_end(call, CODE_CONNECTION_ABORTED, NULL);
	}
	while (!list_is_empty(&agent->listeners))
		number_free(list_entry(agent->listeners.next, struct rdma_listener, link));
	if (agent->node.id) {
		idmap_remove(&agent->daemon->rdma->agent_map, &agent->node);
		list_remove(&agent->link);
		list_remove(&agent->in_session.link);
		agent->handle->n_users--;
	}
	persist_drop(agent->daemon, &agent->persisted);
	event_out_deinit(&agent->events);
	charge_release(&agent->charge);
	free(agent);
	return NULL;
}

struct rdma_agent *rdma_agent_find(struct session *session, uint64_t id)
{
	struct idmap_node *node = idmap_find(&session->daemon->rdma->agent_map, id);
	struct rdma_agent *agent = node ? container_of(node, struct rdma_agent, node) : NULL;

	return agent && agent->session == session ? agent : NULL;
}

struct rdma_agent *rdma_agent_find_serving(const struct session *session,
					   const struct handle *handle)
{
	struct rdma_agent *agent;

	list_for_each(agent, &session->objects[SESSION_RDMA_AGENTS], in_session.link)
	{
		if (!session_is_ending(session) && agent->serves_exports && agent->handle == handle)
			return agent;
	}
	return NULL;
}

uint64_t rdma_agent_serving(const struct session *session, const struct handle *handle,
			    bool is_remote)
{
	const struct rdma_agent *agent = rdma_agent_find_serving(session, handle);

	return agent && (is_remote || !agent->streams_only) ? agent->node.id : 0;
}

bool rdma_agent_relays(const struct session *session, const struct handle *handle)
{
	const struct rdma_agent *agent = rdma_agent_find_serving(session, handle);

	return agent && agent->relays;
}

void rdma_notify_revoked(const struct session *session, const struct handle *handle,
			 uint64_t export_id)
{
	struct rdma_agent *agent = rdma_agent_find_serving(session, handle);

	if (agent)
		rdma_agent_push(agent,
				&(struct event){.type = EVENT_EXPORT_REVOKED, .id = export_id});
}

void rdma_wake_gone(struct daemon *daemon)
{
	struct rdma_agent *agent;

	list_for_each(agent, &daemon->rdma->agents, link)
	{
		if (agent->notified_gone || !agent->handle->is_gone ||
		    list_is_empty(&agent->listeners))
			continue;
		/*
		 * Pushed once: a client that reads no events must not be dropped for what other
		 * clients' devices do.
		 */
		agent->notified_gone = true;
		rdma_agent_push(agent, &(struct event){.type = EVENT_RDMA_GONE});
	}
}

bool rdma_device_has_address(const struct device_spec *spec, const uint8_t address[GID_LEN])
{
	uint8_t gid[GID_LEN];

	gid_of_mac(spec->has_mac ? spec->mac : NULL, spec->vhca_id, gid);
	if (memcmp(gid, address, GID_LEN) == 0)
		return true;
	gid_of_ipv4(spec->has_ipv4 ? spec->ipv4 : NULL, spec->vhca_id, gid);
	if (memcmp(gid, address, GID_LEN) == 0)
		return true;
	return spec->has_ipv6 && memcmp(spec->ipv6, address, GID_LEN) == 0;
}

struct rdma_agent *rdma_agent_find_listening(struct daemon *daemon, const uint8_t address[GID_LEN],
					     uint32_t port_number)
{
	struct rdma_agent *agent;

	list_for_each(agent, &daemon->rdma->agents, link)
	{
		if (!agent->handle->is_gone && number_find(agent, port_number) &&
		    rdma_device_has_address(agent->device->spec, address) &&
		    !session_has_left(agent->session))
			return agent;
	}
	return NULL;
}

static void rdma_agent_object_free(struct session_object *object)
{
	rdma_agent_free(container_of(object, struct rdma_agent, in_session));
}

static const struct session_object_ops rdma_agent_object_ops = {
	.free = rdma_agent_object_free,
	.save = rdma_agent_object_save,
	.forget = rdma_agent_object_forget,
};

/* id: 0 for a new endpoint, which gets its event ring here. */
static int agent_register(struct rdma_agent *agent, uint64_t id)
{
	struct session *session = agent->session;
	struct daemon *daemon = agent->daemon;
	int r;

	r = session_charge(session, &agent->charge, CHARGE_SERVERS, 1);
	if (r == 0)
		r = session_charge(session, &agent->charge, CHARGE_FDS, 2);
	if (r == 0)
		r = session_charge(session, &agent->charge, CHARGE_BYTES,
				   sizeof(struct event_ring));
	if (r == 0 && !id)
		r = event_out_init(&agent->events, daemon->loop);
	persist_ids(daemon);
	if (r == 0)
		r = idmap_add(&daemon->rdma->agent_map, &agent->node,
			      id ? id : ++daemon->next_rdma_id);
	if (r < 0)
		return r;
	event_out_set_owner(&agent->events, session, REGISTRY__RECORD_TYPE__AGENT, agent->node.id);
	list_append(&daemon->rdma->agents, &agent->link);
	session_add_object(session, SESSION_RDMA_AGENTS, &agent->in_session,
			   &rdma_agent_object_ops);
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

	list_for_each(agent, &session->objects[SESSION_RDMA_AGENTS], in_session.link)
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
	if (packet->rdma_open->serves_exports && rdma_agent_find_serving(session, handle))
		return session_refuse(session, packet->id, CODE_ALREADY_EXIST,
				      "an RDMA port of this connection serves the exports on "
				      "this open device '%s' already",
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
	persist_endpoint(agent);
	agent_reply_open(agent, packet->id);
	return 0;
}

int rdma_on_close(struct session *session, const Dococore__Packet *packet, struct fdset *fds)
{
	struct rdma_agent *agent = rdma_agent_find(session, packet->rdma_close->agent_id);

	(void)fds;
	if (agent)
		rdma_agent_free(agent);
	session_reply_ok(session, packet->id);
	return 0;
}

/* True if an endpoint of any process listens on this port number of the device. */
static bool port_is_in_use(const struct rdma_agent *agent, uint32_t port_number)
{
	const struct rdma_agent *other;

	list_for_each(other, &agent->daemon->rdma->agents, link)
	{
		/*
		 * An endpoint whose program has ended releases its numbers, if not at once. An
		 * endpoint whose device was removed cannot be reached.
		 */
		if (other->device == agent->device && !other->handle->is_gone &&
		    number_find(other, port_number) && !session_has_left(other->session))
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
	r = session_charge(agent->session, &listener->charge, CHARGE_SERVERS, 1);
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
		if (!rdma_call_cancel_event(call))
			rdma_call_push(call, EVENT_RDMA_GONE, CODE_CONNECTION_ABORTED);
		rdma_call_end(call, CODE_CONNECTION_ABORTED, NULL);
	}
	number_free(listener);
}

int rdma_refuse_no_agent(struct session *session, uint64_t id, uint64_t agent_id)
{
	return session_refuse(session, id, CODE_NOT_FOUND,
			      "%llu is no RDMA port of this connection",
			      (unsigned long long)agent_id);
}

int rdma_refuse_streams_only(struct session *session, uint64_t id, const struct rdma_agent *agent)
{
	return session_refuse(session, id, CODE_NOT_SUPPORTED,
			      "the port has no queue pairs, only streams by import: device '%s' "
			      "has no RDMA device, or its key rdma in the topology denies it",
			      agent->device->spec->name);
}

int rdma_on_listen(struct session *session, const Dococore__Packet *packet, struct fdset *fds)
{
	const Dococore__RdmaListen *ask = packet->rdma_listen;
	struct rdma_agent *agent = rdma_agent_find(session, ask->agent_id);
	int r;

	(void)fds;
	if (!agent)
		return rdma_refuse_no_agent(session, packet->id, ask->agent_id);
	if (ask->stop) {
		number_stop(agent, ask->port_number);
		persist_endpoint(agent);
		session_reply_ok(session, packet->id);
		return 0;
	}
	if (agent->streams_only)
		return rdma_refuse_streams_only(session, packet->id, agent);
	if (ask->port_number == 0 || ask->port_number > RDMA_PORT_MAX)
		return session_refuse(session, packet->id, CODE_INVALID_VALUE,
				      "port number %u is not in 1 to %u", ask->port_number,
				      RDMA_PORT_MAX);
	if (handle_refuse_gone(session, packet->id, agent->handle))
		return 0;
	if (port_is_in_use(agent, ask->port_number))
		return session_refuse(session, packet->id, CODE_ALREADY_EXIST,
				      "somebody listens on port %u of device '%s' already: choose "
				      "another number, or stop that",
				      ask->port_number, agent->device->spec->name);
	r = number_new(agent, ask->port_number);
	if (r < 0)
		return session_refuse_errno(session, packet->id, r, "an RDMA listener");
	persist_endpoint(agent);
	session_reply_ok(session, packet->id);
	return 0;
}

/* A listener has no id: either it exists, or the request is new. */
bool rdma_listen_again(struct session *session, const Dococore__Packet *packet)
{
	const Dococore__RdmaListen *ask = packet->rdma_listen;
	const struct rdma_agent *agent = rdma_agent_find(session, ask->agent_id);

	if (!agent || ask->stop || !number_find(agent, ask->port_number))
		return false;
	session_reply_ok(session, packet->id);
	return true;
}

/* --- over restarts --- */

/*
 * Decides which of two restored endpoints owns a port number. Both may have had it: the second got
 * it when the program of the first had ended or was about to be dropped, and the earlier daemon
 * instance was killed before it removed the first one's record.
 */
static bool number_is_of(const struct rdma_agent *agent, const struct rdma_agent *other)
{
	bool ends = !agent->session->is_persisted || session_has_left(agent->session);
	bool other_ends = !other->session->is_persisted || session_has_left(other->session);

	return ends == other_ends ? agent->record_seq > other->record_seq : other_ends;
}

/* Returns 0, or -errno, also if another endpoint keeps the number. */
static int number_resume(struct rdma_agent *agent, uint32_t port_number)
{
	struct rdma_agent *other;

	list_for_each(other, &agent->daemon->rdma->agents, link)
	{
		struct rdma_listener *theirs = number_find(other, port_number);

		if (other == agent || other->device != agent->device || !theirs ||
		    other->handle->is_gone || agent->handle->is_gone)
			continue;
		if (!number_is_of(agent, other))
			return 0;
		number_free(theirs);
	}
	return number_find(agent, port_number) ? 0 : number_new(agent, port_number);
}

int rdma_agent_resume(struct session *session, const struct rdma_endpoint_saved *saved, int memfd,
		      int eventfd, struct rdma_agent **agent_out)
{
	struct rdma_agent *agent = NULL;
	struct handle *handle;
	int r;

	if (handle_find_device(session, saved->handle, &handle))
		agent = agent_alloc(session, handle);
	if (!agent) {
		fd_close(&memfd);
		fd_close(&eventfd);
		return -ENOENT;
	}
	agent->request_id = saved->request_id;
	agent->record_seq = saved->seq;
	agent->serves_exports = saved->serves_exports;
	agent->relays = saved->relays;
	agent->streams_only = saved->streams_only || !agent->device->spec->caps.rdma;
	r = event_out_resume(&agent->events, session->daemon->loop, memfd, eventfd);
	if (r == 0)
		r = agent_register(agent, saved->id);
	for (size_t i = 0; i < saved->n_ports && r == 0; i++)
		r = number_resume(agent, saved->ports[i]);
	if (r < 0) {
		rdma_agent_free(agent);
		return r;
	}
	*agent_out = agent;
	return 0;
}
