/* Imports, for operators; see daemon/dbus/imports.h. */
#include "daemon/dbus/noun.h"

#include "daemon/base/daemon.h"
#include "daemon/dbus/imports.h"
#include "daemon/memory/import.h"
#include "daemon/memory/memory.h"
#include "daemon/session/session.h"
#include "daemon/topology/topology.h"
#include "proto/transport_default.h"
#include "util/descriptor.h"

static const struct list *import_list(const struct daemon *daemon)
{
	return &daemon->memory->imports;
}

static const struct idmap *import_map(const struct daemon *daemon)
{
	return &daemon->memory->import_map;
}

const char *bus_memory_name(Dococore__MemoryKind memory)
{
	return memory == DOCOCORE__MEMORY_KIND__MEMFD  ? "memfd"
	       : memory == DOCOCORE__MEMORY_KIND__FILE ? "file"
						       : "private";
}

void bus_fill_permissions(struct record *rec, uint32_t permissions)
{
	const char *name;
	unsigned at = 0;

	if (!record_open_value(rec, "permissions", "as"))
		return;
	while ((name = descriptor_permission_next(permissions, &at)) != NULL)
		record_item(rec, name);
	record_close_value(rec);
}

void bus_fill_memory(struct record *rec, uint64_t addr, uint64_t len, uint32_t permissions,
		     Dococore__ExportKind kind, Dococore__MemoryKind memory)
{
	record_number(rec, "addr", addr);
	record_number(rec, "len", len);
	bus_fill_permissions(rec, permissions);
	record_text(rec, "kind", export_kind_name(kind));
	record_text(rec, "memory", bus_memory_name(memory));
}

/* rejected: n texts, each in an array of this size. */
static void transport_fill(struct record *rec, const char *transport, const char *rejected,
			   size_t size, size_t n)
{
	record_text(rec, "transport", transport);
	if (!record_open_value(rec, "rejected", "as"))
		return;
	for (size_t i = 0; i < n; i++)
		record_item(rec, rejected + i * size);
	record_close_value(rec);
}

void bus_fill_choice(struct record *rec, const struct transport_choice *choice)
{
	static const struct transport_choice none;

	choice = choice ? choice : &none;
	transport_fill(rec, choice->transport, choice->rejected[0], sizeof(choice->rejected[0]),
		       choice->n_rejected);
}

/* Adds the default transport of an importer that has reported none. */
void bus_fill_expected(struct record *rec, bool same_process, Dococore__MemoryKind memory,
		       pid_t exporter_pid)
{
	struct transport_default expected;

	transport_default_explain(same_process, memory == DOCOCORE__MEMORY_KIND__MEMFD,
				  (int)exporter_pid, &expected);
	transport_fill(rec, expected.name, expected.rejected[0], sizeof(expected.rejected[0]),
		       expected.n_rejected);
}

void bus_fill_import_choice(struct record *rec, const struct import *import)
{
	if (*import->choice.transport || !import->knows_transport)
		bus_fill_choice(rec, &import->choice);
	else
		bus_fill_expected(rec, import->same_process, import->memory, import->exporter_pid);
}

static void import_fill(struct record *rec, const void *object)
{
	const struct import *import = object;
	record_begin(rec);
	record_number(rec, "id", import->node.id);
	bus_fill_owner(rec, import->session);
	record_text(rec, "device", import->device->spec->name);
	record_text(rec, "state", import_state_name(import->state));
	record_text(rec, "exporter_side", side_name(import->exporter_side));
	record_number(rec, "export_id", import->export_id);
	record_number(rec, "exporter_pid", (uint64_t)import->exporter_pid);
	record_number(rec, "exporter_uid", import->exporter_uid);
	record_text(rec, "exporter_device", import->exporter_device);
	bus_fill_memory(rec, import->addr, import->len, import->permissions, import->kind,
			import->memory);
	record_bool(rec, "same_process", import->same_process);
	record_number(rec, "created_at_ns", import->created_at_ns);
	if (record_wants(rec, 2))
		bus_fill_import_choice(rec, import);
	record_end(rec);
}

static const sd_bus_vtable import_vtable[] = {
	SD_BUS_VTABLE_START(0),      FIXED("Id", "t"),          OWNER_FACTS,
	FIXED("Device", "s"),        FACT("State", "s"),        FIXED("ExporterSide", "s"),
	FIXED("ExportId", "t"),      FACT("ExporterPid", "t"),  FACT("ExporterUid", "t"),
	FACT("ExporterDevice", "s"), FACT("Addr", "t"),         FACT("Len", "t"),
	FACT("Permissions", "as"),   FIXED("Kind", "s"),        FACT("Memory", "s"),
	FACT("SameProcess", "b"),    FIXED("CreatedAtNs", "t"), FACT("Transport", "s"),
	FACT("Rejected", "as"),      SD_BUS_VTABLE_END,
};

const struct bus_noun bus_import = {
	.name = "import",
	.folder = "imports",
	.interface = "org.dococore.Import",
	.vtable = import_vtable,
	.list_of = import_list,
	.link = offsetof(struct import, link),
	.order = offsetof(struct import, node.id),
	.map_of = import_map,
	.node = offsetof(struct import, node),
	.fill = import_fill,
};
