/* Exports of memory and of sync events, for operators. */
#include "daemon/dbus/noun.h"

#include <inttypes.h>
#include <unistd.h>

#include "daemon/base/daemon.h"
#include "daemon/config/arguments.h"
#include "daemon/dbus/imports.h"
#include "daemon/memory/export.h"
#include "daemon/memory/import.h"
#include "daemon/memory/memory.h"
#include "daemon/peer/peer.h"
#include "daemon/session/session.h"
#include "daemon/topology/topology.h"
#include "proto/shm_layout.h"
#include "util/log.h"

static const struct list *export_list(const struct daemon *daemon)
{
	return &daemon->memory->exports;
}

static const struct idmap *export_map(const struct daemon *daemon)
{
	return &daemon->memory->export_map;
}

static void grant_choice_fill(struct record *rec, const struct grant *grant)
{
	const struct export *export = grant->export;
	const struct export_importer importer = {
		.uid = export_importer_uid(export, grant->peer, grant->importer_uid),
		.knows_files = grant->knows_files,
	};

	if (grant->choice || !peer_passes_fds(grant->peer) ||
	    !export_kind_has_transport(export->kind))
		bus_fill_choice(rec, grant->choice);
	else
		bus_fill_expected(rec, false, export_memory_for(export, &importer),
				  export->session->pid);
}

static void importer_begin(struct record *rec, enum side side, uint64_t import_id, pid_t pid,
			   uid_t uid)
{
	record_begin(rec);
	record_text(rec, "side", side_name(side));
	record_number(rec, "import_id", import_id);
	record_number(rec, "pid", (uint64_t)pid);
	record_number(rec, "uid", uid);
}

/* Adds the present importers. */
static void importers_fill(struct record *rec, const struct export *export)
{
	const struct import *import;
	const struct grant *grant;

	if (!record_open_value(rec, "importers", "aa{sv}"))
		return;
	list_for_each(import, &export->imports, export_link)
	{
		importer_begin(rec, export->daemon->options->side, import->node.id,
			       import->session->pid, import->session->uid);
		bus_fill_import_choice(rec, import);
		record_end(rec);
	}
	list_for_each(grant, &export->grants, export_link)
	{
		importer_begin(rec, grant->peer->side, grant->import_id, grant->importer_pid,
			       grant->importer_uid);
		grant_choice_fill(rec, grant);
		record_end(rec);
	}
	record_close_value(rec);
}

static void export_facts_fill(struct record *rec, const struct export *export)
{
	record_number(rec, "id", export->node.id);
	bus_fill_owner(rec, export->session);
	record_text(rec, "device", export->device->spec->name);
	bus_fill_memory(rec, export->addr, export->len, export->permissions, export->kind,
			export->memory);
	record_text(rec, "memory_reason", export->memory_reason);
	record_number(rec, "created_at_ns", export->created_at_ns);
	importers_fill(rec, export);
	record_number(rec, "n_importers", export->n_grants + export->n_imports);
}

static void export_fill(struct record *rec, const void *object)
{
	record_begin(rec);
	export_facts_fill(rec, object);
	record_end(rec);
}

static int on_revoke(sd_bus_message *m, void *user, sd_bus_error *error)
{
	const struct bus_target *target = user;
	const struct export *export = target->object;

	(void)error;
	log_info("pid %d: revoke export %" PRIu64, (int)target->tree->caller->pid, export->node.id);
	export_revoke(target->tree->daemon, export->node.id);
	return bus_noun_done(m);
}

/* A macro, because a sync event is an export with more facts. */
#define EXPORT_FACTS                                                                         \
	FIXED("Id", "t"), OWNER_FACTS, FIXED("Device", "s"), FIXED("Addr", "t"),             \
		FIXED("Len", "t"), FIXED("Permissions", "as"), FIXED("Kind", "s"),           \
		FIXED("Memory", "s"), FIXED("MemoryReason", "s"), FIXED("CreatedAtNs", "t"), \
		FACT("Importers", "aa{sv}"), FACT("NImporters", "t")

static const sd_bus_vtable export_vtable[] = {
	SD_BUS_VTABLE_START(0),
	EXPORT_FACTS,
	METHOD("Revoke", on_revoke),
	SD_BUS_VTABLE_END,
};

const struct bus_noun bus_export = {
	.name = "export",
	.folder = "exports",
	.interface = "org.dococore.Export",
	.vtable = export_vtable,
	.list_of = export_list,
	.link = offsetof(struct export, link),
	.order = offsetof(struct export, order),
	.map_of = export_map,
	.node = offsetof(struct export, node),
	.fill = export_fill,
};

static bool export_is_no_event(const void *object)
{
	return !export_kind_is_sync(((const struct export *)object)->kind);
}

/* Adds counter and sleepers of a sync event, as the clients last wrote them. */
static void sync_state_fill(struct record *rec, const struct export *export)
{
	uint64_t value = 0;
	uint32_t sleepers = 0;

	if (export->memfd < 0 || pread(export->memfd, &value, sizeof(value),
				       (off_t) export->memfd_offset) != sizeof(value))
		value = 0;
	if (export->words_fd < 0 ||
	    pread(export->words_fd, &sleepers, sizeof(sleepers),
		  offsetof(struct sync_words, sleepers)) != sizeof(sleepers))
		sleepers = 0;
	record_number(rec, "value", value);
	record_bool(rec, "awaited", sleepers != 0);
}

static void event_fill(struct record *rec, const void *object)
{
	const struct export *export = object;

	record_begin(rec);
	export_facts_fill(rec, export);
	if (record_wants(rec, 2))
		sync_state_fill(rec, export);
	record_end(rec);
}

static const sd_bus_vtable event_vtable[] = {
	SD_BUS_VTABLE_START(0),      EXPORT_FACTS,      FACT("Value", "t"), FACT("Awaited", "b"),
	METHOD("Revoke", on_revoke), SD_BUS_VTABLE_END,
};

const struct bus_noun bus_event = {
	.name = "event",
	.folder = "events",
	.interface = "org.dococore.SyncEvent",
	.vtable = event_vtable,
	.list_of = export_list,
	.link = offsetof(struct export, link),
	.hides = export_is_no_event,
	.order = offsetof(struct export, order),
	.map_of = export_map,
	.node = offsetof(struct export, node),
	.fill = event_fill,
};
