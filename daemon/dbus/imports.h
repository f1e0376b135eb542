/* The facts that exports and imports have in common. */
#ifndef DAEMON_DBUS_IMPORTS_H
#define DAEMON_DBUS_IMPORTS_H

#include "daemon/dbus/noun.h"
#include "daemon/memory/export.h"

struct import;

const char *bus_memory_name(Dococore__MemoryKind memory);
/* Adds the bits of doca_access_flag as words, under the key "permissions". */
void bus_fill_permissions(struct record *rec, uint32_t permissions);
/* Adds addr, len, permissions, kind and memory. */
void bus_fill_memory(struct record *rec, uint64_t addr, uint64_t len, uint32_t permissions,
		     Dococore__ExportKind kind, Dococore__MemoryKind memory);
/* Add transport and rejected: those reported, or the default of an importer without a report. */
void bus_fill_choice(struct record *rec, const struct transport_choice *choice);
void bus_fill_expected(struct record *rec, bool same_process, Dococore__MemoryKind memory,
		       pid_t exporter_pid);
void bus_fill_import_choice(struct record *rec, const struct import *import);

#endif
