/* comch servers; see service.h. */
#include "daemon/comch/service.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/comch/channel.h"
#include "daemon/base/daemon.h"
#include "daemon/comch/comch.h"
#include "daemon/registry.pb-c.h"
#include "daemon/session/persist.h"
#include "daemon/session/session.h"
#include "util/clock.h"
#include "util/fd.h"
#include "util/log.h"
#include "util/memfd.h"
#include "util/str.h"

struct service *service_free(struct service *service, uint32_t code)
{
	struct daemon *daemon = service->daemon;

	while (!list_is_empty(&service->channels))
		channel_free(list_entry(service->channels.next, struct channel, service_link),
			     code);
	if (service->node.id) {
		events_emit(&daemon->events, OBJECT_SERVICE, OBJECT_REMOVED, service);
		idmap_remove(&daemon->comch->service_map, &service->node);
		list_remove(&service->link);
		list_remove(&service->in_session.link);
		daemon->comch->n_services--;
		service->session->n_services--;
		service->device_handle->n_users--;
		service->rep_handle->n_users--;
		events_emit_totals(&daemon->events);
	}
	persist_drop(daemon, &service->persisted);
	event_out_deinit(&service->events);
	charge_release(&service->charge);
	free(service);
	return NULL;
}

/*
 * True if the service's device or representor was removed from the machine since; it may be back.
 */
static bool service_lost_device(const struct service *service)
{
	return service->device_handle->is_gone || service->rep_handle->is_gone;
}

bool service_is_absent(const struct service *service)
{
	return handle_is_absent(service->device_handle) || handle_is_absent(service->rep_handle);
}

void services_notify_gone(struct daemon *daemon)
{
	struct service *service;
	int r;

	list_for_each(service, &daemon->comch->services, link)
	{
		struct event event = {.type = EVENT_SERVER_GONE, .id = service->node.id};

		if (service->notified_gone || !service_lost_device(service))
			continue;
		service->notified_gone = true;
		/* An earlier daemon instance may have pushed the event. */
		r = event_out_has(&service->events, &event)
			    ? 0
			    : event_out_push(&service->events, &event);
		if (r < 0)
			session_kill(service->session,
				     "server '%s' cannot be notified of its end: %s", service->name,
				     strerror(-r));
	}
}

/*
 * True if an active service has the name. Does not count a service whose program has ended but is
 * not processed yet, because the event loop processes its end in no fixed order with the next
 * program's request. Does not count a service whose device was removed, either.
 */
static bool service_is_present(struct daemon *daemon, const char *name,
			       const struct representor *rep)
{
	struct service *service;

	list_for_each(service, &daemon->comch->services, link)
	{
		if (service->rep == rep && !service_lost_device(service) &&
		    strcmp(service->name, name) == 0 && !session_has_left(service->session))
			return true;
	}
	return false;
}

/*
 * True if a should be preferred. A service that lost its device is used again when the device
 * returns, unless another one has taken its place. Of two services of an earlier daemon instance,
 * the program of the first has ended.
 */
static bool service_is_better(const struct service *a, const struct service *b)
{
	if (service_lost_device(a) != service_lost_device(b))
		return service_lost_device(b);
	return a->node.id > b->node.id;
}

struct service *service_find(struct daemon *daemon, const char *name, const char *pci_addr,
			     const struct peer *peer)
{
	struct service *service, *found = NULL;

	list_for_each(service, &daemon->comch->services, link)
	{
		if (!service->rep->present || service_is_absent(service) ||
		    service->rep->owner != peer ||
		    strcmp(service->rep->spec->pci_addr, pci_addr) != 0 ||
		    strcmp(service->name, name) != 0 || session_has_left(service->session))
			continue;
		if (!found || service_is_better(service, found))
			found = service;
	}
	return found;
}

/* Returns 0, or 1 after sending a refusal. */
static int service_check(struct session *session, const Dococore__Packet *packet,
			 const struct device *device, const struct representor *rep)
{
	const Dococore__ServerCreate *ask = packet->server_create;
	const struct caps *caps = &device->spec->caps;

	if (!caps->comch_server)
		session_refuse(
			session, packet->id, CODE_NOT_SUPPORTED,
			"device '%s' has no comch servers: they run on devices of the DPU side",
			device->spec->name);
	else if (rep->parent != device)
		session_refuse(session, packet->id, CODE_INVALID_VALUE,
			       "representor '%s' belongs to device '%s', not to '%s': open the "
			       "device that "
			       "it belongs to",
			       rep->spec->name, rep->parent->spec->name, device->spec->name);
	else if (!*ask->name || strlen(ask->name) >= caps->comch_max_name_len)
		session_refuse(session, packet->id, CODE_INVALID_VALUE,
			       "a server's name on device '%s' has 1 to %u bytes",
			       device->spec->name, caps->comch_max_name_len - 1);
	else if (ask->max_msg_size == 0 || ask->max_msg_size > caps->comch_max_msg_size)
		session_refuse(
			session, packet->id, CODE_INVALID_VALUE,
			"server '%.64s': a message size of %u bytes is not allowed; device '%s' "
			"allows 1 to %u",
			ask->name, ask->max_msg_size, device->spec->name, caps->comch_max_msg_size);
	else if (ask->recv_queue_size == 0 || ask->recv_queue_size > caps->comch_max_recv_queue)
		session_refuse(session, packet->id, CODE_INVALID_VALUE,
			       "server '%.64s': a receive queue of %u messages is not allowed; "
			       "device '%s' "
			       "allows 1 to %u",
			       ask->name, ask->recv_queue_size, device->spec->name,
			       caps->comch_max_recv_queue);
	else if (service_is_present(session->daemon, ask->name, rep))
		session_refuse(
			session, packet->id, CODE_ALREADY_EXIST,
			"a server '%.64s' for representor '%s' is running already: stop it or "
			"choose another name",
			ask->name, rep->spec->name);
	else
		return 0;
	return 1;
}

static void service_object_free(struct session_object *object)
{
	service_free(container_of(object, struct service, in_session), CODE_CONNECTION_RESET);
}

static const struct session_object_ops service_object_ops = {
	.free = service_object_free,
	.save = service_object_save,
	.forget = service_object_forget,
};

/* Registers the service, whose event ring exists. id: 0 for a new id. */
static int service_register(struct service *service, uint64_t id)
{
	struct session *session = service->session;
	struct daemon *daemon = service->daemon;
	int r;

	r = session_charge(session, &service->charge, CHARGE_SERVERS, 1);
	if (r == 0)
		r = session_charge(session, &service->charge, CHARGE_FDS, 2);
	if (r == 0)
		r = session_charge(session, &service->charge, CHARGE_BYTES,
				   sizeof(struct event_ring));
	if (r == 0 && !id)
		r = event_out_init(&service->events, daemon->loop);
	persist_ids(daemon);
	if (r == 0)
		r = idmap_add(&daemon->comch->service_map, &service->node,
			      id ? id : ++daemon->next_service_id);
	if (r < 0)
		return r;
	event_out_set_owner(&service->events, session, REGISTRY__RECORD_TYPE__SERVICE,
			    service->node.id);
	list_append(&daemon->comch->services, &service->link);
	session_add_object(session, SESSION_SERVICES, &service->in_session, &service_object_ops);
	daemon->comch->n_services++;
	session->n_services++;
	service->device_handle->n_users++;
	service->rep_handle->n_users++;
	return 0;
}

static void service_reply(const struct service *service, uint64_t request_id)
{
	Dococore__ServerReply reply = DOCOCORE__SERVER_REPLY__INIT;
	Dococore__Packet packet = DOCOCORE__PACKET__INIT;
	int fds[2] = {service->events.writer.memfd, service->events.writer.eventfd};

	reply.server_id = service->node.id;
	reply.event_ring_len = ALIGN_UP(sizeof(struct event_ring), memfd_page_size());
	packet.id = request_id;
	packet.body_case = DOCOCORE__PACKET__BODY_SERVER_REPLY;
	packet.server_reply = &reply;
	session_reply(service->session, &packet, fds, 2);
}

static struct service *service_alloc(struct session *session, struct handle *device_handle,
				     struct handle *rep_handle, const char *name)
{
	struct service *service = calloc(1, sizeof(*service));

	if (!service)
		return NULL;
	service->daemon = session->daemon;
	service->session = session;
	service->device_handle = device_handle;
	service->rep_handle = rep_handle;
	service->device = device_handle->device;
	service->rep = rep_handle->rep;
	str_copy(service->name, sizeof(service->name), name);
	service->events = (struct event_out)EVENT_OUT_INIT;
	list_init(&service->channels);
	return service;
}

int service_resume(struct session *session, const struct service_saved *saved, int memfd,
		   int eventfd, struct service **service_out)
{
	struct handle *device_handle, *rep_handle;
	struct service *service = NULL;
	int r;

	if (handle_find_device(session, saved->device_handle, &device_handle) &&
	    handle_find_rep(session, saved->rep_handle, &rep_handle))
		service = service_alloc(session, device_handle, rep_handle, saved->name);
	if (!service) {
		fd_close(&memfd);
		fd_close(&eventfd);
		return -ENOENT;
	}
	service->max_msg_size = saved->max_msg_size;
	service->has_remote_rings = saved->has_remote_rings;
	service->recv_queue_size = saved->recv_queue_size;
	service->created_at_ns = saved->created_at_ns;
	service->request_id = saved->request_id;
	r = event_out_resume(&service->events, session->daemon->loop, memfd, eventfd);
	if (r == 0)
		r = service_register(service, saved->id);
	if (r < 0) {
		service_free(service, CODE_SUCCESS);
		return r;
	}
	*service_out = service;
	return 0;
}

bool service_create_again(struct session *session, const Dococore__Packet *packet)
{
	const struct service *service;

	list_for_each(service, &session->objects[SESSION_SERVICES], in_session.link)
	{
		if (service->request_id != packet->id)
			continue;
		service_reply(service, packet->id);
		return true;
	}
	return false;
}

int service_on_create(struct session *session, const Dococore__Packet *packet, struct fdset *fds)
{
	const Dococore__ServerCreate *ask = packet->server_create;
	struct handle *device_handle, *rep_handle;
	struct device *device = handle_find_device(session, ask->device, &device_handle);
	struct representor *rep = handle_find_rep(session, ask->rep, &rep_handle);
	struct service *service;
	int r;

	(void)fds;
	if (!device || !rep)
		return session_refuse(session, packet->id, CODE_NOT_FOUND,
				      "handle %llu is no open %s of this connection",
				      (unsigned long long)(device ? ask->rep : ask->device),
				      device ? "representor" : "device");
	if (handle_refuse_gone(session, packet->id, device_handle) ||
	    handle_refuse_gone(session, packet->id, rep_handle) ||
	    service_check(session, packet, device, rep) > 0)
		return 0;
	service = service_alloc(session, device_handle, rep_handle, ask->name);
	if (!service)
		return session_refuse_errno(session, packet->id, -ENOMEM, "a comch server");
	service->max_msg_size = ask->max_msg_size;
	service->has_remote_rings = ask->remote_rings;
	service->recv_queue_size = ask->recv_queue_size;
	service->created_at_ns = clock_wall_ns();
	service->request_id = packet->id;
	r = service_register(service, 0);
	if (r < 0) {
		service_free(service, CODE_SUCCESS);
		return session_refuse_errno(session, packet->id, r, "a comch server");
	}
	log_debug("client %llu (%s) serves '%s' for %s", (unsigned long long)session->id,
		  session->program, service->name, rep->spec->name);
	persist_service(service);
	service_reply(service, packet->id);
	events_emit(&session->daemon->events, OBJECT_SERVICE, OBJECT_ADDED, service);
	events_emit_totals(&session->daemon->events);
	return 0;
}

int service_on_destroy(struct session *session, const Dococore__Packet *packet, struct fdset *fds)
{
	struct idmap_node *node = idmap_find(&session->daemon->comch->service_map,
					     packet->server_destroy->server_id);
	struct service *service = node ? container_of(node, struct service, node) : NULL;

	(void)fds;
	if (service && service->session == session)
		service_free(service, CODE_SUCCESS);
	session_reply_ok(session, packet->id);
	return 0;
}
