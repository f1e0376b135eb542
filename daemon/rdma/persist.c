/*
 * Records of rendezvous endpoints and calls, and the hooks by which a session saves, drops and
 * frees these objects; see daemon/session/object.h. daemon/resume/comch.c reads the records.
 */
#include <errno.h>
#include <stdlib.h>

#include "daemon/base/daemon.h"
#include "daemon/store/persist.h"
#include "daemon/rdma/rdma.h"
#include "daemon/session/event_out.h"
#include "daemon/session/persist.h"
#include "daemon/session/session.h"
#include "daemon/store/record.h"
#include "util/util.h"

void persist_endpoint(struct rdma_endpoint *endpoint)
{
	struct session *session = endpoint->session;
	const int fds[] = {endpoint->events.writer.memfd, endpoint->events.writer.eventfd};
	Registry__Endpoint record = REGISTRY__ENDPOINT__INIT;
	struct rdma_listener *listener;
	uint32_t *ports;
	int r;

	if (!persist_is_active(session))
		return;
	list_for_each(listener, &endpoint->listeners, link) record.n_ports++;
	ports = calloc(record.n_ports + 1, sizeof(*ports));
	if (!ports) {
		persist_check(session, -ENOMEM);
		return;
	}
	record.ports = ports;
	record.n_ports = 0;
	list_for_each(listener, &endpoint->listeners, link)
		ports[record.n_ports++] = listener->port_number;
	r = persist_fds(&endpoint->persisted, fds, ARRAY_LEN(fds), &record.n_fds, &record.fds);
	record.session = session->id;
	record.handle = endpoint->handle->node.id;
	record.request_id = endpoint->request_id;
	record.serves_exports = endpoint->serves_exports;
	record.relays = endpoint->relays;
	record.streams_only = endpoint->streams_only;
	if (r == 0)
		r = persist_put(session->daemon, &endpoint->persisted,
				REGISTRY__RECORD_TYPE__ENDPOINT, endpoint->node.id, &record.base);
	free(ports);
	persist_check(session, r);
}

void persist_call(struct rdma_call *call)
{
	struct session *session = call->endpoint->session;
	Registry__Call record = REGISTRY__CALL__INIT;

	if (!persist_is_active(session))
		return;
	record.session = session->id;
	record.endpoint = call->endpoint->node.id;
	record.is_caller = call->is_caller;
	record.port = call->port_number;
	record.keeps_pair = call->import_id && !call->is_relay;
	record.is_answered = call->is_answered;
	record.is_relay = call->is_relay;
	persist_check(session,
		      persist_put(session->daemon, &call->persisted, REGISTRY__RECORD_TYPE__CALL,
				  call->node.id, &record.base));
}

void rdma_endpoint_object_save(struct session_object *object)
{
	struct rdma_endpoint *endpoint = container_of(object, struct rdma_endpoint, in_session);
	struct rdma_call *call;

	persist_endpoint(endpoint);
	persist_events(&endpoint->events);
	list_for_each(call, &endpoint->calls, endpoint_link) persist_call(call);
}

void rdma_endpoint_object_forget(struct session_object *object)
{
	struct rdma_endpoint *endpoint = container_of(object, struct rdma_endpoint, in_session);
	struct daemon *daemon = endpoint->daemon;
	struct rdma_call *call;

	persist_drop(daemon, &endpoint->persisted);
	persist_drop_events(&endpoint->events);
	list_for_each(call, &endpoint->calls, endpoint_link) persist_drop(daemon, &call->persisted);
}
