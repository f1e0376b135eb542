/*
 * View of the daemon's objects for operators: iteration, and the facts by which lists are filtered
 * and which signals carry. Runs in the daemon's event loop; keeps no state.
 */
#include "daemon/dbus/view.h"

#include <string.h>

#include "daemon/comch/channel.h"
#include "daemon/comch/service.h"
#include "daemon/base/daemon.h"
#include "daemon/memory/memory.h"
#include "daemon/comch/comch.h"
#include "daemon/device/device.h"
#include "daemon/dbus/properties.h"
#include "daemon/memory/export.h"
#include "daemon/memory/import.h"
#include "daemon/peer/peer.h"
#include "daemon/session/counters.h"
#include "daemon/session/session.h"
#include "util/str.h"

static void device_facts(const void *object, struct bus_facts *facts)
{
	const struct device *device = object;

	facts->id = facts->order = device->id;
	facts->name = facts->device = device->spec->name;
}

static void rep_facts(const void *object, struct bus_facts *facts)
{
	const struct representor *rep = object;

	facts->id = facts->order = rep->id;
	facts->name = rep->spec->name;
	facts->device = rep->parent->spec->name;
}

static void owner_facts(const struct session *session, struct bus_facts *facts)
{
	facts->has_owner = true;
	facts->pid = (uint64_t)session->pid;
	facts->uid = session->uid;
	facts->name = session->program;
}

static void client_facts(const void *object, struct bus_facts *facts)
{
	const struct session *session = object;

	facts->id = facts->order = session->id;
	owner_facts(session, facts);
}

static void export_facts(const void *object, struct bus_facts *facts)
{
	const struct export *export = object;

	facts->id = export->node.id;
	facts->order = export->order;
	facts->device = export->device->spec->name;
	owner_facts(export->session, facts);
}

static void import_facts(const void *object, struct bus_facts *facts)
{
	const struct import *import = object;

	facts->id = facts->order = import->node.id;
	facts->device = import->device->spec->name;
	owner_facts(import->session, facts);
}

static void service_facts(const void *object, struct bus_facts *facts)
{
	const struct service *service = object;

	facts->id = facts->order = service->node.id;
	facts->device = service->device->spec->name;
	owner_facts(service->session, facts);
	facts->name = service->name;
}

static void channel_facts(const void *object, struct bus_facts *facts)
{
	const struct channel *channel = object;

	facts->id = facts->order = channel->node.id;
	facts->device = channel->device->spec->name;
	owner_facts(channel->session, facts);
	facts->name = channel->name;
}

static void peer_facts(const void *object, struct bus_facts *facts)
{
	const struct peer *peer = object;

	facts->id = facts->order = peer->id;
	facts->name = peer->name;
	facts->has_owner = peer->state == PEER_LINKED;
	facts->pid = (uint64_t)peer->pid;
	facts->uid = peer->uid;
}

static void account_facts(const void *object, struct bus_facts *facts)
{
	const struct account *account = object;

	facts->id = account->uid;
	facts->order = account->order;
	facts->has_owner = true;
	facts->uid = account->uid;
}

static void counters_facts(const void *object, struct bus_facts *facts)
{
	struct counters_object *at = (struct counters_object *)(uintptr_t)object;

	facts->id = facts->order = counters_id(at->session, at->slot);
	owner_facts(at->session, facts);
	facts->device = counters_device(at);
}

static const void *counters_next_place(const struct daemon *daemon, const void *at)
{
	return counters_next(daemon, (struct counters_object *)(uintptr_t)at);
}

static const void *device_next(const struct daemon *daemon, const void *at)
{
	const struct device *device = at;
	size_t i = device ? device->id : 0;

	return i < daemon->registry->n_devices ? &daemon->registry->devices[i] : NULL;
}

static const void *rep_next(const struct daemon *daemon, const void *at)
{
	const struct representor *rep = at;
	size_t i = rep ? rep->id : 0;

	return i < daemon->registry->n_reps ? &daemon->registry->reps[i] : NULL;
}

/* Returns the node after at, or NULL at the end of the list. */
static struct list *node_next(const struct list *head, const struct list *at)
{
	struct list *next = at ? at->next : head->next;

	return next == head ? NULL : next;
}

/* Returns the node before at, or NULL at the beginning of the list. */
static struct list *node_previous(const struct list *head, const struct list *at)
{
	return at->prev == head ? NULL : at->prev;
}

static const void *client_next(const struct daemon *daemon, const void *at)
{
	const struct session *session = at;
	struct list *node = node_next(&daemon->sessions->list, session ? &session->link : NULL);

	return node ? list_entry(node, struct session, link) : NULL;
}

static const void *export_next(const struct daemon *daemon, const void *at)
{
	const struct export *export = at;
	struct list *node = node_next(&daemon->memory->exports, export ? &export->link : NULL);

	return node ? list_entry(node, struct export, link) : NULL;
}

static const void *event_next(const struct daemon *daemon, const void *at)
{
	const struct export *export = export_next(daemon, at);

	while (export && !export_kind_is_sync(export->kind))
		export = export_next(daemon, export);
	return export;
}

static const void *import_next(const struct daemon *daemon, const void *at)
{
	const struct import *import = at;
	struct list *node = node_next(&daemon->memory->imports, import ? &import->link : NULL);

	return node ? list_entry(node, struct import, link) : NULL;
}

static const void *service_next(const struct daemon *daemon, const void *at)
{
	const struct service *service = at;
	struct list *node = node_next(&daemon->comch->services, service ? &service->link : NULL);

	return node ? list_entry(node, struct service, link) : NULL;
}

static const void *channel_next(const struct daemon *daemon, const void *at)
{
	const struct channel *channel = at;
	struct list *node = node_next(&daemon->comch->channels, channel ? &channel->link : NULL);

	return node ? list_entry(node, struct channel, link) : NULL;
}

static const void *peer_next(const struct daemon *daemon, const void *at)
{
	const struct peer *peer = at;
	const struct list *node = peer ? &peer->link : NULL;

	while ((node = node_next(&daemon->peers->list, node)) != NULL) {
		peer = list_entry(node, struct peer, link);
		/* Unauthenticated peers are hidden; no signal reports their end either. */
		if (peer->is_announced &&
		    (peer->state != PEER_EXPECTED || !peer_is_connected(peer)))
			return peer;
	}
	return NULL;
}

static const void *account_next(const struct daemon *daemon, const void *at)
{
	const struct account *account = at;
	struct list *node = node_next(&daemon->accounts.list, account ? &account->link : NULL);

	return node ? list_entry(node, struct account, link) : NULL;
}

static const void *client_previous(const struct daemon *daemon, const void *at)
{
	const struct session *session = at;
	struct list *node = node_previous(&daemon->sessions->list, &session->link);

	return node ? list_entry(node, struct session, link) : NULL;
}

static const void *export_previous(const struct daemon *daemon, const void *at)
{
	const struct export *export = at;
	struct list *node = node_previous(&daemon->memory->exports, &export->link);

	return node ? list_entry(node, struct export, link) : NULL;
}

static const void *import_previous(const struct daemon *daemon, const void *at)
{
	const struct import *import = at;
	struct list *node = node_previous(&daemon->memory->imports, &import->link);

	return node ? list_entry(node, struct import, link) : NULL;
}

static const void *service_previous(const struct daemon *daemon, const void *at)
{
	const struct service *service = at;
	struct list *node = node_previous(&daemon->comch->services, &service->link);

	return node ? list_entry(node, struct service, link) : NULL;
}

static const void *channel_previous(const struct daemon *daemon, const void *at)
{
	const struct channel *channel = at;
	struct list *node = node_previous(&daemon->comch->channels, &channel->link);

	return node ? list_entry(node, struct channel, link) : NULL;
}

static const void *peer_previous(const struct daemon *daemon, const void *at)
{
	const struct peer *peer = at;
	struct list *node = node_previous(&daemon->peers->list, &peer->link);

	return node ? list_entry(node, struct peer, link) : NULL;
}

#define INTERFACE(name) "org.dococore." name

const struct bus_noun bus_nouns[OBJECT_N_KINDS] = {
	[OBJECT_DEVICE] = {"device", "devices", INTERFACE("Device"), "ListDevices", "GetDevice",
			   device_next, NULL, bus_fill_device, device_facts},
	[OBJECT_REPRESENTOR] = {"representor", "representors", INTERFACE("Representor"),
				"ListRepresentors", "GetRepresentor", rep_next, NULL, bus_fill_rep,
				rep_facts},
	[OBJECT_CLIENT] = {"client", "clients", INTERFACE("Client"), "ListClients", "GetClient",
			   client_next, client_previous, bus_fill_client, client_facts},
	[OBJECT_EXPORT] = {"export", "exports", INTERFACE("Export"), "ListExports", "GetExport",
			   export_next, export_previous, bus_fill_export, export_facts},
	[OBJECT_EVENT] = {"event", "events", INTERFACE("SyncEvent"), "ListEvents", "GetEvent",
			  event_next, export_previous, bus_fill_event, export_facts},
	[OBJECT_IMPORT] = {"import", "imports", INTERFACE("Import"), "ListImports", "GetImport",
			   import_next, import_previous, bus_fill_import, import_facts},
	[OBJECT_SERVICE] = {"service", "services", INTERFACE("Service"), "ListServices",
			    "GetService", service_next, service_previous, bus_fill_service,
			    service_facts},
	[OBJECT_CHANNEL] = {"channel", "channels", INTERFACE("Channel"), "ListChannels",
			    "GetChannel", channel_next, channel_previous, bus_fill_channel,
			    channel_facts},
	[OBJECT_PEER] = {"peer", "peers", INTERFACE("Peer"), "ListPeers", "GetPeer", peer_next,
			 peer_previous, bus_fill_peer, peer_facts},
	[OBJECT_ACCOUNT] = {"account", "accounts", INTERFACE("Account"), "ListAccounts",
			    "GetAccount", account_next, NULL, bus_fill_account, account_facts},
	[OBJECT_COUNTERS] = {"counters", "counters", INTERFACE("Counters"), "ListCounters",
			     "GetCounters", counters_next_place, NULL, bus_fill_counters,
			     counters_facts},
};

const void *bus_view_find(const struct daemon *daemon, enum object_kind kind, uint64_t id)
{
	const struct idmap_node *node;
	const struct export *export;
	struct bus_facts facts = {.name = "", .device = ""};

	switch (kind) {
	case OBJECT_EXPORT:
	case OBJECT_EVENT:
		node = idmap_find(&daemon->memory->export_map, id);
		export = node ? container_of(node, const struct export, node) : NULL;
		return export && (kind == OBJECT_EXPORT || export_kind_is_sync(export->kind))
			       ? export
			       : NULL;
	case OBJECT_IMPORT:
		node = idmap_find(&daemon->memory->import_map, id);
		return node ? container_of(node, const struct import, node) : NULL;
	case OBJECT_SERVICE:
		node = idmap_find(&daemon->comch->service_map, id);
		return node ? container_of(node, const struct service, node) : NULL;
	case OBJECT_CHANNEL:
		node = idmap_find(&daemon->comch->channel_map, id);
		return node ? container_of(node, const struct channel, node) : NULL;
	case OBJECT_COUNTERS:
		return counters_find(daemon, id);
	default:
		break;
	}
	for (const void *at = bus_nouns[kind].next(daemon, NULL); at;
	     at = bus_nouns[kind].next(daemon, at)) {
		bus_nouns[kind].facts(at, &facts);
		if (facts.id == id)
			return at;
	}
	return NULL;
}

bool bus_view_is_of_device(enum object_kind kind, const void *object, const char *device)
{
	struct bus_facts facts = {.name = "", .device = ""};
	const struct session *session = object;
	const struct handle *handle;

	if (kind != OBJECT_CLIENT) {
		bus_nouns[kind].facts(object, &facts);
		return strcmp(facts.device, device) == 0;
	}
	list_for_each(handle, &session->objects[SESSION_HANDLES], in_session.link)
	{
		const char *name = handle->device ? handle->device->spec->name
						  : handle->rep->spec->name;

		if (strcmp(name, device) == 0)
			return true;
	}
	return false;
}
