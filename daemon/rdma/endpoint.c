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

static struct rdma_listener *number_find(const struct rdma_endpoint *endpoint, uint32_t port_number)
{
	struct rdma_listener *listener;

	list_for_each(listener, &endpoint->listeners, link)
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

struct rdma_endpoint *rdma_endpoint_free(struct rdma_endpoint *endpoint)
{
	while (!list_is_empty(&endpoint->calls)) {
		struct rdma_call *call = list_entry(endpoint->calls.next, struct rdma_call,
						    endpoint_link);

		/*
		 * Queue pairs work without a daemon. The next daemon instance, or the loss of this
		 * process, decides what becomes of the calls.
		 */
		if (endpoint->daemon->stopping && call->other)
			call->other = call->other->other = NULL;
		rdma_call_end(call, CODE_CONNECTION_ABORTED, NULL);
	}
	while (!list_is_empty(&endpoint->listeners))
		number_free(list_entry(endpoint->listeners.next, struct rdma_listener, link));
	if (endpoint->node.id) {
		idmap_remove(&endpoint->daemon->rdma->endpoint_map, &endpoint->node);
		list_remove(&endpoint->link);
		list_remove(&endpoint->in_session.link);
		endpoint->handle->n_users--;
	}
	persist_drop(endpoint->daemon, &endpoint->persisted);
	event_out_deinit(&endpoint->events);
	charge_release(&endpoint->charge);
	free(endpoint);
	return NULL;
}

struct rdma_endpoint *rdma_endpoint_find(struct session *session, uint64_t id)
{
	struct idmap_node *node = idmap_find(&session->daemon->rdma->endpoint_map, id);
	struct rdma_endpoint *endpoint = node ? container_of(node, struct rdma_endpoint, node)
					      : NULL;

	return endpoint && endpoint->session == session ? endpoint : NULL;
}

struct rdma_endpoint *rdma_endpoint_find_serving(const struct session *session,
						 const struct handle *handle)
{
	struct rdma_endpoint *endpoint;

	list_for_each(endpoint, &session->objects[SESSION_RDMA_ENDPOINTS], in_session.link)
	{
		if (!session_is_ending(session) && endpoint->serves_exports &&
		    endpoint->handle == handle)
			return endpoint;
	}
	return NULL;
}

uint64_t rdma_endpoint_serving(const struct session *session, const struct handle *handle,
			       bool is_remote)
{
	const struct rdma_endpoint *endpoint = rdma_endpoint_find_serving(session, handle);

	return endpoint && (is_remote || !endpoint->streams_only) ? endpoint->node.id : 0;
}

bool rdma_endpoint_relays(const struct session *session, const struct handle *handle)
{
	const struct rdma_endpoint *endpoint = rdma_endpoint_find_serving(session, handle);

	return endpoint && endpoint->relays;
}

void rdma_notify_revoked(const struct session *session, const struct handle *handle,
			 uint64_t export_id)
{
	struct rdma_endpoint *endpoint = rdma_endpoint_find_serving(session, handle);

	if (endpoint)
		rdma_endpoint_push(endpoint,
				   &(struct event){.type = EVENT_EXPORT_REVOKED, .id = export_id});
}

void rdma_notify_removed(struct daemon *daemon)
{
	struct rdma_endpoint *endpoint;

	list_for_each(endpoint, &daemon->rdma->endpoints, link)
	{
		if (endpoint->notified_gone || !endpoint->handle->is_gone ||
		    list_is_empty(&endpoint->listeners))
			continue;
		/*
		 * Pushed once: a client that reads no events must not be dropped for what other
		 * clients' devices do.
		 */
		endpoint->notified_gone = true;
		rdma_endpoint_push(endpoint, &(struct event){.type = EVENT_RDMA_GONE});
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

struct rdma_endpoint *rdma_endpoint_find_listening(struct daemon *daemon,
						   const uint8_t address[GID_LEN],
						   uint32_t port_number)
{
	struct rdma_endpoint *endpoint;

	list_for_each(endpoint, &daemon->rdma->endpoints, link)
	{
		if (!endpoint->handle->is_gone && number_find(endpoint, port_number) &&
		    rdma_device_has_address(endpoint->device->spec, address) &&
		    !session_has_left(endpoint->session))
			return endpoint;
	}
	return NULL;
}

static void rdma_endpoint_object_free(struct session_object *object)
{
	rdma_endpoint_free(container_of(object, struct rdma_endpoint, in_session));
}

static const struct session_object_ops rdma_endpoint_object_ops = {
	.free = rdma_endpoint_object_free,
	.save = rdma_endpoint_object_save,
	.forget = rdma_endpoint_object_forget,
};

/* id: 0 for a new endpoint, which gets its event ring here. */
static int endpoint_register(struct rdma_endpoint *endpoint, uint64_t id)
{
	struct session *session = endpoint->session;
	struct daemon *daemon = endpoint->daemon;
	int r;

	r = session_charge(session, &endpoint->charge, CHARGE_SERVERS, 1);
	if (r == 0)
		r = session_charge(session, &endpoint->charge, CHARGE_FDS, 2);
	if (r == 0)
		r = session_charge(session, &endpoint->charge, CHARGE_BYTES,
				   sizeof(struct event_ring));
	if (r == 0 && !id)
		r = event_out_init(&endpoint->events, daemon->loop);
	persist_ids(daemon);
	if (r == 0)
		r = idmap_add(&daemon->rdma->endpoint_map, &endpoint->node,
			      id ? id : ++daemon->next_rdma_id);
	if (r < 0)
		return r;
	event_out_set_owner(&endpoint->events, session, REGISTRY__RECORD_TYPE__ENDPOINT,
			    endpoint->node.id);
	list_append(&daemon->rdma->endpoints, &endpoint->link);
	session_add_object(session, SESSION_RDMA_ENDPOINTS, &endpoint->in_session,
			   &rdma_endpoint_object_ops);
	endpoint->handle->n_users++;
	return 0;
}

static struct rdma_endpoint *endpoint_alloc(struct session *session, struct handle *handle)
{
	struct rdma_endpoint *endpoint = calloc(1, sizeof(*endpoint));

	if (!endpoint)
		return NULL;
	endpoint->daemon = session->daemon;
	endpoint->session = session;
	endpoint->handle = handle;
	endpoint->device = handle->device;
	endpoint->events = (struct event_out)EVENT_OUT_INIT;
	list_init(&endpoint->listeners);
	list_init(&endpoint->calls);
	return endpoint;
}

static void endpoint_reply_open(const struct rdma_endpoint *endpoint, uint64_t request_id)
{
	Dococore__RdmaOpenReply reply = DOCOCORE__RDMA_OPEN_REPLY__INIT;
	Dococore__Packet answer = DOCOCORE__PACKET__INIT;

	reply.endpoint_id = endpoint->node.id;
	reply.event_ring_len = ALIGN_UP(sizeof(struct event_ring), memfd_page_size());
	answer.id = request_id;
	answer.body_case = DOCOCORE__PACKET__BODY_RDMA_OPEN_REPLY;
	answer.rdma_open_reply = &reply;
	session_reply(endpoint->session, &answer,
		      (int[]){endpoint->events.writer.memfd, endpoint->events.writer.eventfd}, 2);
}

bool rdma_open_again(struct session *session, const Dococore__Packet *packet)
{
	const struct rdma_endpoint *endpoint;

	list_for_each(endpoint, &session->objects[SESSION_RDMA_ENDPOINTS], in_session.link)
	{
		if (endpoint->request_id != packet->id)
			continue;
		endpoint_reply_open(endpoint, packet->id);
		return true;
	}
	return false;
}

int rdma_on_open(struct session *session, const Dococore__Packet *packet, struct fdset *fds)
{
	struct handle *handle;
	struct device *device = handle_find_device(session, packet->rdma_open->device, &handle);
	struct rdma_endpoint *endpoint;
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
	if (packet->rdma_open->serves_exports && rdma_endpoint_find_serving(session, handle))
		return session_refuse(session, packet->id, CODE_ALREADY_EXIST,
				      "an RDMA port of this connection serves the exports on "
				      "this open device '%s' already",
				      device->spec->name);
	endpoint = endpoint_alloc(session, handle);
	if (!endpoint)
		return session_refuse_errno(session, packet->id, -ENOMEM, "an RDMA port");
	endpoint->serves_exports = packet->rdma_open->serves_exports;
	endpoint->relays = packet->rdma_open->relays;
	endpoint->streams_only = packet->rdma_open->streams_only || !device->spec->caps.rdma;
	endpoint->request_id = packet->id;
	r = endpoint_register(endpoint, 0);
	if (r < 0) {
		rdma_endpoint_free(endpoint);
		return session_refuse_errno(session, packet->id, r, "an RDMA port");
	}
	persist_endpoint(endpoint);
	endpoint_reply_open(endpoint, packet->id);
	return 0;
}

int rdma_on_close(struct session *session, const Dococore__Packet *packet, struct fdset *fds)
{
	struct rdma_endpoint *endpoint = rdma_endpoint_find(session,
							    packet->rdma_close->endpoint_id);

	(void)fds;
	if (endpoint)
		rdma_endpoint_free(endpoint);
	session_reply_ok(session, packet->id);
	return 0;
}

/* True if an endpoint of any process listens on this port number of the device. */
static bool port_is_in_use(const struct rdma_endpoint *endpoint, uint32_t port_number)
{
	const struct rdma_endpoint *other;

	list_for_each(other, &endpoint->daemon->rdma->endpoints, link)
	{
		/*
		 * An endpoint whose program has ended releases its numbers, if not at once. An
		 * endpoint whose device was removed cannot be reached.
		 */
		if (other->device == endpoint->device && !other->handle->is_gone &&
		    number_find(other, port_number) && !session_has_left(other->session))
			return true;
	}
	return false;
}

static int number_new(struct rdma_endpoint *endpoint, uint32_t port_number)
{
	struct rdma_listener *listener = calloc(1, sizeof(*listener));
	int r;

	if (!listener)
		return -ENOMEM;
	r = session_charge(endpoint->session, &listener->charge, CHARGE_SERVERS, 1);
	if (r < 0) {
		free(listener);
		return r;
	}
	listener->port_number = port_number;
	list_append(&endpoint->listeners, &listener->link);
	return 0;
}

static void number_stop(struct rdma_endpoint *endpoint, uint32_t port_number)
{
	struct rdma_listener *listener = number_find(endpoint, port_number);
	struct rdma_call *call, *tmp;

	if (!listener)
		return;
	list_for_each_safe(call, tmp, &endpoint->calls, endpoint_link)
	{
		if (call->is_caller || call->port_number != port_number)
			continue;
		if (!rdma_call_cancel_event(call))
			rdma_call_push(call, EVENT_RDMA_GONE, CODE_CONNECTION_ABORTED);
		rdma_call_end(call, CODE_CONNECTION_ABORTED, NULL);
	}
	number_free(listener);
}

int rdma_refuse_no_endpoint(struct session *session, uint64_t id, uint64_t endpoint_id)
{
	return session_refuse(session, id, CODE_NOT_FOUND,
			      "%llu is no RDMA port of this connection",
			      (unsigned long long)endpoint_id);
}

int rdma_refuse_streams_only(struct session *session, uint64_t id,
			     const struct rdma_endpoint *endpoint)
{
	return session_refuse(session, id, CODE_NOT_SUPPORTED,
			      "the port has no queue pairs, only streams by import: device '%s' "
			      "has no RDMA device, or its key rdma in the topology denies it",
			      endpoint->device->spec->name);
}

int rdma_on_listen(struct session *session, const Dococore__Packet *packet, struct fdset *fds)
{
	const Dococore__RdmaListen *ask = packet->rdma_listen;
	struct rdma_endpoint *endpoint = rdma_endpoint_find(session, ask->endpoint_id);
	int r;

	(void)fds;
	if (!endpoint)
		return rdma_refuse_no_endpoint(session, packet->id, ask->endpoint_id);
	if (ask->stop) {
		number_stop(endpoint, ask->port_number);
		persist_endpoint(endpoint);
		session_reply_ok(session, packet->id);
		return 0;
	}
	if (endpoint->streams_only)
		return rdma_refuse_streams_only(session, packet->id, endpoint);
	if (ask->port_number == 0 || ask->port_number > RDMA_PORT_MAX)
		return session_refuse(session, packet->id, CODE_INVALID_VALUE,
				      "port number %u is not in 1 to %u", ask->port_number,
				      RDMA_PORT_MAX);
	if (handle_refuse_gone(session, packet->id, endpoint->handle))
		return 0;
	if (port_is_in_use(endpoint, ask->port_number))
		return session_refuse(session, packet->id, CODE_ALREADY_EXIST,
				      "somebody listens on port %u of device '%s' already: choose "
				      "another number, or stop that",
				      ask->port_number, endpoint->device->spec->name);
	r = number_new(endpoint, ask->port_number);
	if (r < 0)
		return session_refuse_errno(session, packet->id, r, "an RDMA listener");
	persist_endpoint(endpoint);
	session_reply_ok(session, packet->id);
	return 0;
}

/* A listener has no id: either it exists, or the request is new. */
bool rdma_listen_again(struct session *session, const Dococore__Packet *packet)
{
	const Dococore__RdmaListen *ask = packet->rdma_listen;
	const struct rdma_endpoint *endpoint = rdma_endpoint_find(session, ask->endpoint_id);

	if (!endpoint || ask->stop || !number_find(endpoint, ask->port_number))
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
static bool number_is_of(const struct rdma_endpoint *endpoint, const struct rdma_endpoint *other)
{
	bool ends = !endpoint->session->is_persisted || session_has_left(endpoint->session);
	bool other_ends = !other->session->is_persisted || session_has_left(other->session);

	return ends == other_ends ? endpoint->record_seq > other->record_seq : other_ends;
}

/* Returns 0, or -errno, also if another endpoint keeps the number. */
static int number_resume(struct rdma_endpoint *endpoint, uint32_t port_number)
{
	struct rdma_endpoint *other;

	list_for_each(other, &endpoint->daemon->rdma->endpoints, link)
	{
		struct rdma_listener *theirs = number_find(other, port_number);

		if (other == endpoint || other->device != endpoint->device || !theirs ||
		    other->handle->is_gone || endpoint->handle->is_gone)
			continue;
		if (!number_is_of(endpoint, other))
			return 0;
		number_free(theirs);
	}
	return number_find(endpoint, port_number) ? 0 : number_new(endpoint, port_number);
}

int rdma_endpoint_resume(struct session *session, const struct rdma_endpoint_saved *saved,
			 int memfd, int eventfd, struct rdma_endpoint **endpoint_out)
{
	struct rdma_endpoint *endpoint = NULL;
	struct handle *handle;
	int r;

	if (handle_find_device(session, saved->handle, &handle))
		endpoint = endpoint_alloc(session, handle);
	if (!endpoint) {
		fd_close(&memfd);
		fd_close(&eventfd);
		return -ENOENT;
	}
	endpoint->request_id = saved->request_id;
	endpoint->record_seq = saved->seq;
	endpoint->serves_exports = saved->serves_exports;
	endpoint->relays = saved->relays;
	endpoint->streams_only = saved->streams_only || !endpoint->device->spec->caps.rdma;
	r = event_out_resume(&endpoint->events, session->daemon->loop, memfd, eventfd);
	if (r == 0)
		r = endpoint_register(endpoint, saved->id);
	for (size_t i = 0; i < saved->n_ports && r == 0; i++)
		r = number_resume(endpoint, saved->ports[i]);
	if (r < 0) {
		rdma_endpoint_free(endpoint);
		return r;
	}
	*endpoint_out = endpoint;
	return 0;
}
