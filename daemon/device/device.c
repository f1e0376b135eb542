/* Registry of devices, and the sessions' handles; see device.h. */
#include "daemon/device/device.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/base/daemon.h"
#include "daemon/config/config.h"
#include "daemon/device/functions.h"
#include "daemon/peer/peer.h"
#include "daemon/session/persist.h"
#include "daemon/session/session.h"
#include "util/log.h"
#include "util/str.h"

int registry_init(struct registry *registry, struct topology *topology)
{
	struct device *devices = calloc(TOPOLOGY_MAX_DEVICES, sizeof(*devices));
	struct representor *reps = calloc(TOPOLOGY_MAX_REPS, sizeof(*reps));

	if (!devices || !reps) {
		free(devices);
		free(reps);
		return -ENOMEM;
	}
	for (size_t i = 0; i < topology->n_devices; i++)
		devices[i] = (struct device){.id = (uint32_t)i + 1, .spec = &topology->devices[i]};
	for (size_t i = 0; i < topology->n_reps; i++)
		reps[i] = (struct representor){.id = (uint32_t)i + 1,
					       .spec = &topology->reps[i],
					       .parent = &devices[topology->reps[i].parent],
					       .present = topology->reps[i].always};
	*registry = (struct registry){.topology = topology,
				      .devices = devices,
				      .n_devices = topology->n_devices,
				      .reps = reps,
				      .n_reps = topology->n_reps};
	return 0;
}

struct device_spec *registry_spec(struct registry *registry, const struct device *device)
{
	return &registry->topology->devices[device->id - 1];
}

struct rep_spec *registry_rep_spec(struct registry *registry, const struct representor *rep)
{
	return &registry->topology->reps[rep->id - 1];
}

struct device *registry_add_device(struct registry *registry, const struct device_spec *spec)
{
	struct topology *topology = registry->topology;
	size_t i = registry->n_devices;

	if (i == TOPOLOGY_MAX_DEVICES)
		return NULL;
	topology->devices[i] = *spec;
	topology->n_devices = ++registry->n_devices;
	registry->devices[i] = (struct device){.id = (uint32_t)i + 1,
					       .spec = &topology->devices[i]};
	return &registry->devices[i];
}

struct device *registry_add_lost_device(struct registry *registry, const char *name)
{
	struct device_spec spec = {.is_found = true, .caps = registry->topology->caps};
	struct device *device;

	if (!registry->topology->discover)
		return NULL;
	str_copy(spec.name, sizeof(spec.name), name);
	device = registry_add_device(registry, &spec);
	if (device)
		device->is_gone = true;
	return device;
}

struct representor *registry_add_rep(struct registry *registry, const struct rep_spec *spec)
{
	struct topology *topology = registry->topology;
	size_t i = registry->n_reps;

	if (i == TOPOLOGY_MAX_REPS)
		return NULL;
	topology->reps[i] = *spec;
	topology->n_reps = ++registry->n_reps;
	registry->reps[i] = (struct representor){.id = (uint32_t)i + 1,
						 .spec = &topology->reps[i],
						 .parent = &registry->devices[spec->parent],
						 .is_seen = true};
	return &registry->reps[i];
}

struct representor *registry_add_lost_rep(struct registry *registry, const char *name,
					  const char *parent)
{
	struct rep_spec spec = {.is_found = true};
	struct representor *rep = NULL;
	const struct device *device;

	if (!registry->topology->discover)
		return NULL;
	device = registry_find_device(registry, parent);
	/* The representor is useless until it returns, and then its parent is known. */
	if (!*parent && registry->n_devices)
		device = &registry->devices[0];
	else if (!device && *parent)
		device = registry_add_lost_device(registry, parent);
	if (!device)
		return NULL;
	str_copy(spec.name, sizeof(spec.name), name);
	spec.parent = device->id - 1;
	rep = registry_add_rep(registry, &spec);
	if (rep)
		rep->is_gone = true;
	return rep;
}

void registry_deinit(struct registry *registry)
{
	free(registry->devices);
	free(registry->reps);
	topology_free(registry->topology);
	*registry = (struct registry){.topology = NULL};
}

struct device *registry_find_device(const struct registry *registry, const char *name)
{
	for (size_t i = 0; i < registry->n_devices; i++)
		if (strcmp(registry->devices[i].spec->name, name) == 0)
			return &registry->devices[i];
	return NULL;
}

struct representor *registry_find_rep(const struct registry *registry, const char *name)
{
	for (size_t i = 0; i < registry->n_reps; i++)
		if (strcmp(registry->reps[i].spec->name, name) == 0)
			return &registry->reps[i];
	return NULL;
}

/*
 * Functions behind the interfaces of one card are identified by their MAC address, functions of a
 * file by their PCI address.
 */
static bool rep_fits(const struct representor *rep, const struct peer *peer)
{
	if (rep->spec->is_found && rep->spec->has_mac)
		return peer_find_mac(peer, rep->spec->mac) != NULL;
	return peer_has_function(peer, rep->spec->pci_addr);
}

static void rep_log_conflict(const struct representor *rep, struct peer *other)
{
	if (other->logged_conflict)
		return;
	other->logged_conflict = true;
	log_warning("peer %s says that it has the function of representor %s, which peer %s "
		    "announced before: that one keeps it",
		    other->name, rep->spec->name, rep->owner->name);
}

/* True if the peer's link has ended. The event loop may process that end late. */
static bool peer_is_over(const struct peer *peer)
{
	return peer->state != PEER_LINKED || carrier_has_ended(peer->carrier);
}

/* Keeps the first peer that announced the function, even if others announce the same function. */
static void rep_find_owner(struct daemon *daemon, struct representor *rep)
{
	if (rep->owner && (rep->owner->state != PEER_LINKED || !rep_fits(rep, rep->owner)))
		rep->owner = NULL;
	for (struct peer *peer = peer_next_linked(daemon, NULL); peer;
	     peer = peer_next_linked(daemon, peer)) {
		if (peer == rep->owner || !rep_fits(rep, peer))
			continue;
		if (rep->owner && !peer_is_over(rep->owner))
			rep_log_conflict(rep, peer);
		else
			rep->owner = peer;
	}
}

/*
 * If devlink does not know the function of another machine, takes it from that machine's daemon;
 * both have the same MAC address.
 */
static void rep_find_function(struct daemon *daemon, const struct representor *rep)
{
	struct rep_spec *spec = registry_rep_spec(daemon->registry, rep);
	const struct peer_function *function = NULL;

	if (rep->owner && spec->has_mac)
		function = peer_find_mac(rep->owner, spec->mac);
	if (!function)
		return;
	memcpy(spec->pci_addr, function->pci_addr, sizeof(spec->pci_addr));
	str_copy(spec->vuid, sizeof(spec->vuid), function->vuid);
	spec->vhca_id = function->vhca_id;
}

/* Marks all handles of the device or representor as gone. */
static void handles_set_gone(struct daemon *daemon, const struct device *device,
			     const struct representor *rep)
{
	struct session *session;
	struct handle *handle;

	list_for_each(session, &daemon->sessions->list, link)
	{
		bool is_changed = false;

		list_for_each(handle, &session->objects[SESSION_HANDLES], in_session.link)
		{
			if (!(device && handle->device == device) && !(rep && handle->rep == rep))
				continue;
			handle->is_gone = true;
			if (handle->has_slot)
				session_slot_kill(session, handle->slot);
			is_changed = is_changed || handle->has_slot;
		}
		/* The client may be asleep and wait for nothing else. */
		if (is_changed)
			session_notify_revocation(session);
	}
}

bool device_set_present(struct daemon *daemon, struct device *device, bool present)
{
	if (device->is_gone == !present)
		return false;
	device->is_gone = !present;
	if (present) {
		log_info("device %s is back", device->spec->name);
		return true;
	}
	log_warning("device %s was taken away: open handles %u are dead", device->spec->name,
		    device->n_handles);
	handles_set_gone(daemon, device, NULL);
	daemon->device_hooks->end_users(daemon);
	return true;
}

bool rep_set_gone(struct daemon *daemon, struct representor *rep, bool gone)
{
	if (rep->is_gone == gone)
		return false;
	rep->is_gone = gone;
	log_info("representor %s %s", rep->spec->name, gone ? "was taken away" : "is back");
	if (gone) {
		handles_set_gone(daemon, NULL, rep);
		daemon->device_hooks->end_users(daemon);
	}
	return true;
}

bool handle_refuse_gone(struct session *session, uint64_t request_id, const struct handle *handle)
{
	if (!handle->is_gone)
		return false;
	session_refuse(session, request_id, CODE_NOT_FOUND,
		       "%s '%s' was taken away from the machine since it was opened: close it, and "
		       "open it again when it is back",
		       handle->device ? "device" : "representor",
		       handle->device ? handle->device->spec->name : handle->rep->spec->name);
	return true;
}

void registry_update_presence(struct daemon *daemon)
{
	for (size_t i = 0; i < daemon->registry->n_reps; i++) {
		struct representor *rep = &daemon->registry->reps[i];
		bool present;

		rep_find_owner(daemon, rep);
		if (rep->spec->is_found)
			rep_find_function(daemon, rep);
		present = rep->spec->is_found ? !rep->is_gone : rep->spec->always || rep->owner;
		if (present != rep->present)
			log_debug("representor %s of %s is %s", rep->spec->name,
				  rep->spec->pci_addr, present ? "present" : "absent");
		if (present != rep->present) {
			rep->present = present;
			events_emit(&daemon->events, OBJECT_REPRESENTOR, OBJECT_CHANGED, rep);
		}
	}
}

void registry_forget_peer(struct peer *peer)
{
	struct daemon *daemon = peer->daemon;

	for (size_t i = 0; i < daemon->registry->n_reps; i++)
		if (daemon->registry->reps[i].owner == peer)
			daemon->registry->reps[i].owner = NULL;
	for (size_t i = 0; i < daemon->registry->n_devices; i++)
		if (daemon->registry->devices[i].dpu == peer)
			daemon->registry->devices[i].dpu = NULL;
	peer->logged_conflict = false;
	registry_update_presence(daemon);
}

bool device_claim(struct device *device, struct peer *peer)
{
	if (!device->dpu || (device->dpu != peer && peer_is_over(device->dpu)))
		device->dpu = peer;
	if (device->dpu == peer)
		return true;
	if (!peer->logged_conflict)
		log_warning("peer %s says that it represents device %s, which peer %s does: that "
			    "one keeps it",
			    peer->name, device->spec->name, device->dpu->name);
	peer->logged_conflict = true;
	return false;
}

bool device_has_rep_of(const struct daemon *daemon, const struct device *device,
		       const char *pci_addr, const struct peer *peer)
{
	for (size_t i = 0; i < daemon->registry->n_reps; i++) {
		const struct representor *rep = &daemon->registry->reps[i];

		if (rep->parent == device && rep->present && rep->owner == peer &&
		    strcmp(rep->spec->pci_addr, pci_addr) == 0)
			return true;
	}
	return false;
}

static struct handle *handle_find(const struct session *session, uint64_t id)
{
	struct idmap_node *node = idmap_find(&session->handles, id);

	return node ? container_of(node, struct handle, node) : NULL;
}

struct device *handle_find_device(const struct session *session, uint64_t id,
				  struct handle **handle_out)
{
	struct handle *handle = handle_find(session, id);

	if (!handle || !handle->device)
		return NULL;
	*handle_out = handle;
	return handle->device;
}

struct representor *handle_find_rep(const struct session *session, uint64_t id,
				    struct handle **handle_out)
{
	struct handle *handle = handle_find(session, id);

	if (!handle || !handle->rep)
		return NULL;
	*handle_out = handle;
	return handle->rep;
}

/* True if the device comes from the machine, not from the file alone. */
static bool handle_can_go(const struct handle *handle)
{
	return handle->device ? handle->device->spec->is_bound || handle->device->spec->is_found
			      : handle->rep->spec->is_found;
}

bool handle_is_absent(const struct handle *handle)
{
	bool is_gone = handle->device ? handle->device->is_gone : handle->rep->is_gone;

	return handle->is_gone && (is_gone || !handle_can_go(handle));
}

/*
 * Allocates a liveness slot for a handle that can go away. A restored handle gets its earlier slot
 * or none, because other slots may belong to objects that are restored later.
 */
static int handle_acquire_slot(struct handle *handle, const struct handle_slot *saved, bool is_new)
{
	struct session *session = handle->session;
	bool can_go = handle_can_go(handle);
	int r = 0;

	if (saved) {
		r = session_slot_resume(session, saved->slot);
		handle->slot = saved->slot;
		handle->generation = saved->generation;
	} else if (can_go && is_new) {
		r = session_slot_allocate(session, &handle->slot, &handle->generation);
	}
	handle->has_slot = r == 0 && (saved || (can_go && is_new));
	/* The device may have been removed before or during the restart. */
	if (!is_new)
		handle->is_gone =
			(handle->device ? handle->device->is_gone : handle->rep->is_gone) ||
			(handle->has_slot &&
			 (!can_go || atomic_load(&session->liveness->words[handle->slot]) !=
					     handle->generation));
	if (handle->is_gone && handle->has_slot) {
		session_slot_kill(session, handle->slot);
		session_notify_revocation(session);
	}
	return r;
}

static void handle_object_free(struct session_object *object)
{
	handle_free(container_of(object, struct handle, in_session));
}

static const struct session_object_ops handle_object_ops = {
	.free = handle_object_free,
	.save = handle_object_save,
	.forget = handle_object_forget,
};

static int handle_make(struct session *session, uint64_t id, struct device *device,
		       struct representor *rep, const struct handle_slot *saved_slot, bool is_new,
		       struct handle **handle_out)
{
	/*
	 * malloc() instead of calloc(): opening and closing may be all that a client does, and
	 * calloc() takes longer.
	 */
	struct handle *handle = malloc(sizeof(*handle));
	int r;

	if (!handle)
		return -ENOMEM;
	*handle = (struct handle){.session = session, .device = device, .rep = rep};
	r = session_charge(session, &handle->charge, CHARGE_HANDLES, 1);
	if (r == 0)
		r = idmap_add(&session->handles, &handle->node, id);
	if (r == 0) {
		r = handle_acquire_slot(handle, saved_slot, is_new);
		if (r < 0)
			idmap_remove(&session->handles, &handle->node);
	}
	if (r < 0) {
		charge_release(&handle->charge);
		free(handle);
		return r;
	}
	session_add_object(session, SESSION_HANDLES, &handle->in_session, &handle_object_ops);
	session->n_handles++;
	if (device)
		device->n_handles++;
	if (rep)
		rep->n_handles++;
	*handle_out = handle;
	return 0;
}

/* Returns 0, -EDQUOT, -EEXIST or -ENOMEM. */
int handle_resume(struct session *session, uint64_t id, struct device *device,
		  struct representor *rep, const struct handle_slot *saved_slot,
		  struct handle **handle_out)
{
	return handle_make(session, id, device, rep, saved_slot, false, handle_out);
}

/* Returns 0, -EDQUOT or -ENOMEM. */
static int handle_new(struct session *session, uint64_t request_id, struct device *device,
		      struct representor *rep, struct handle **handle_out)
{
	int r;

	persist_session_ids(session);
	r = handle_make(session, ++session->next_handle, device, rep, NULL, true, handle_out);
	if (r < 0)
		return r;
	(*handle_out)->request_id = request_id;
	persist_handle(*handle_out);
	return 0;
}

struct handle *handle_free(struct handle *handle)
{
	persist_drop(handle->session->daemon, &handle->persisted);
	if (handle->device)
		handle->device->n_handles--;
	if (handle->rep)
		handle->rep->n_handles--;
	if (handle->has_slot)
		session_slot_release(handle->session, handle->slot);
	idmap_remove(&handle->session->handles, &handle->node);
	list_remove(&handle->in_session.link);
	handle->session->n_handles--;
	charge_release(&handle->charge);
	free(handle);
	return NULL;
}

/* Returns false after sending a refusal if the policy denies this client the device. */
static bool device_may_open(struct session *session, uint64_t request_id,
			    const struct device *device, const struct representor *rep)
{
	const struct policy_rule *rule = policy_find(&session->daemon->config->policy,
						     device->spec->name);

	if (acl_allows(&rule->acl, session->uid, session->gid, session->groups, session->n_groups))
		return true;
	session_refuse(session, request_id, CODE_NOT_PERMITTED,
		       "%s%s%sdevice '%s' may not be opened by uid %u, gid %u: key '%s' of section "
		       "[policy] names neither the user nor a group of it; the administrator can "
		       "add it and load the daemon's configuration again",
		       rep ? "representor '" : "", rep ? rep->spec->name : "",
		       rep ? "': its parent " : "", device->spec->name, session->uid, session->gid,
		       rule->device);
	return false;
}

static void device_reply_handle(struct session *session, uint64_t id, const struct handle *handle)
{
	Dococore__HandleReply reply = DOCOCORE__HANDLE_REPLY__INIT;
	Dococore__Packet packet = DOCOCORE__PACKET__INIT;

	reply.handle = handle->node.id;
	reply.has_slot = handle->has_slot;
	reply.slot = handle->slot;
	reply.generation = handle->generation;
	packet.id = id;
	packet.body_case = DOCOCORE__PACKET__BODY_HANDLE_REPLY;
	packet.handle_reply = &reply;
	session_reply(session, &packet, NULL, 0);
}

bool handle_open_again(struct session *session, const Dococore__Packet *packet)
{
	struct handle *handle;

	list_for_each(handle, &session->objects[SESSION_HANDLES], in_session.link)
	{
		if (handle->request_id != packet->id)
			continue;
		device_reply_handle(session, packet->id, handle);
		return true;
	}
	return false;
}

int device_on_open(struct session *session, const Dococore__Packet *packet, struct fdset *fds)
{
	const Dococore__DeviceOpen *ask = packet->device_open;
	struct registry *registry = session->daemon->registry;
	struct device *device = NULL;
	struct handle *handle;
	int r;

	(void)fds;
	if (ask->device_id && ask->device_id <= registry->n_devices)
		device = &registry->devices[ask->device_id - 1];
	else if (!ask->device_id)
		device = registry_find_device(registry, ask->name);
	if (!device || (*ask->name && strcmp(ask->name, device->spec->name) != 0))
		return session_refuse(
			session, packet->id, CODE_NOT_FOUND,
			"device '%s' (id %u) is not in the topology of side %s: list the "
			"devices again",
			ask->name, ask->device_id, side_name(session->daemon->config->side));
	if (device->is_gone)
		return session_refuse(
			session, packet->id, CODE_NOT_FOUND,
			"device '%s' was taken away from the machine: open it when it is back",
			device->spec->name);
	if (!device_may_open(session, packet->id, device, NULL))
		return 0;
	r = handle_new(session, packet->id, device, NULL, &handle);
	if (r < 0)
		return session_refuse_errno(session, packet->id, r, "a device handle");
	device_reply_handle(session, packet->id, handle);
	return 0;
}

int device_on_rep_open(struct session *session, const Dococore__Packet *packet, struct fdset *fds)
{
	const Dococore__RepOpen *ask = packet->rep_open;
	struct registry *registry = session->daemon->registry;
	struct representor *rep = NULL;
	struct handle *handle;
	int r;

	(void)fds;
	/*
	 * A client that reconnects opens by name alone; the representor's host side may not be
	 * linked again yet.
	 */
	if (ask->rep_id && ask->rep_id <= registry->n_reps &&
	    registry->reps[ask->rep_id - 1].present)
		rep = &registry->reps[ask->rep_id - 1];
	else if (!ask->rep_id)
		rep = registry_find_rep(registry, ask->name);
	if (!rep || rep->is_gone || (*ask->name && strcmp(ask->name, rep->spec->name) != 0))
		return session_refuse(
			session, packet->id, CODE_NOT_FOUND,
			"representor '%s' (id %u) is not there: is the daemon of the side "
			"that has its function running and linked?",
			ask->name, ask->rep_id);
	if (!device_may_open(session, packet->id, rep->parent, rep))
		return 0;
	r = handle_new(session, packet->id, NULL, rep, &handle);
	if (r < 0)
		return session_refuse_errno(session, packet->id, r, "a representor handle");
	device_reply_handle(session, packet->id, handle);
	return 0;
}

int device_on_close(struct session *session, const Dococore__Packet *packet, struct fdset *fds)
{
	struct handle *handle = handle_find(session, packet->handle_close->handle);

	(void)fds;
	if (!handle)
		return session_refuse(
			session, packet->id, CODE_NOT_FOUND,
			"handle %llu is not open: it was closed before or belongs to another "
			"connection",
			(unsigned long long)packet->handle_close->handle);
	if (handle->n_users)
		return session_refuse(
			session, packet->id, CODE_IN_USE,
			"%s '%s' is in use by %u %s made with it (exports, imports, servers, "
			"channels): end them first",
			handle->device ? "device" : "representor",
			handle->device ? handle->device->spec->name : handle->rep->spec->name,
			handle->n_users, plural(handle->n_users, "object", "objects"));
	handle_free(handle);
	session_reply_ok(session, packet->id);
	return 0;
}
