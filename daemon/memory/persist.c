/*
 * Records of exports and imports, and the hooks by which a session saves, drops and frees these
 * objects; see daemon/session/object.h. daemon/resume/resume.c reads the records.
 */
#include "daemon/base/daemon.h"
#include "daemon/topology/topology.h"
#include "daemon/peer/peer.h"
#include "daemon/store/persist.h"
#include "daemon/memory/export.h"
#include "daemon/memory/import.h"
#include "daemon/session/persist.h"
#include "daemon/session/session.h"
#include "daemon/store/record.h"

void persist_export(struct export *export)
{
	struct session *session = export->session;
	Registry__Export record = REGISTRY__EXPORT__INIT;
	const int fds[] = {export->memfd, export->words_fd, export->event_fd};
	int r;

	if (!persist_is_active(session))
		return;
	r = persist_fds(&export->persisted, fds, ARRAY_LEN(fds), &record.n_fds, &record.fds);
	record.session = session->id;
	record.handle = export->handle->node.id;
	record.kind = (uint32_t) export->kind;
	record.addr = export->addr;
	record.len = export->len;
	record.permissions = export->permissions;
	record.memory = (uint32_t) export->memory;
	record.memfd_offset = export->memfd_offset;
	record.memory_reason = export->memory_reason;
	record.same_user = export->same_user;
	record.slot = export->slot;
	record.generation = export->generation;
	record.was_imported = export->was_imported;
	record.is_crowd = export->is_shared;
	record.importer_pid = (uint32_t) export->importer_pid;
	if (export->was_imported)
		record.importer_daemon = (ProtobufCBinaryData){sizeof(export->importer_daemon),
							       export->importer_daemon};
	record.secret = (ProtobufCBinaryData){EXPORT_SECRET_LEN, export->secret};
	if (export->kind == DOCOCORE__EXPORT_KIND__PCI)
		record.pass_on = (ProtobufCBinaryData){EXPORT_SECRET_LEN, export->pass_on};
	record.created_at_ns = export->created_at_ns;
	record.request_id = export->request_id;
	if (r == 0)
		r = persist_put(session->daemon, &export->persisted, REGISTRY__RECORD_TYPE__EXPORT,
				export->node.id, &record.base);
	persist_check(session, r);
}

void export_object_save(struct session_object *object)
{
	struct export *export = container_of(object, struct export, in_session);

	persist_export(export);
}

void export_object_forget(struct session_object *object)
{
	struct export *export = container_of(object, struct export, in_session);

	persist_drop(export->session->daemon, &export->persisted);
}

void persist_import(struct import *import)
{
	struct session *session = import->session;
	Registry__Import record = REGISTRY__IMPORT__INIT;

	if (!persist_is_active(session))
		return;
	record.session = session->id;
	record.handle = import->handle->node.id;
	record.state = (uint32_t)import->state;
	record.kind = (uint32_t)import->kind;
	record.exporter_side = (char *)side_name(import->exporter_side);
	record.export_id = import->export_id;
	if (import->state == IMPORT_PENDING || import->is_remote)
		record.secret = (ProtobufCBinaryData){EXPORT_SECRET_LEN, import->secret};
	if (import->state == IMPORT_PENDING && import->names_daemon)
		record.exporter_daemon = (ProtobufCBinaryData){PEER_DAEMON_ID_LEN,
							       import->exporter_daemon};
	record.needs_daemons = import->needs_daemons;
	record.addr = import->addr;
	record.len = import->len;
	record.permissions = import->permissions;
	record.memory = (uint32_t)import->memory;
	record.exporter_pid = (uint32_t)import->exporter_pid;
	record.exporter_uid = import->exporter_uid;
	record.exporter_device = import->exporter_device;
	record.peer_daemon_id = (ProtobufCBinaryData){PEER_DAEMON_ID_LEN, import->peer_daemon_id};
	record.created_at_ns = import->created_at_ns;
	record.request_id = import->request_id;
	record.same_process = import->same_process;
	record.is_remote = import->is_remote;
	record.slot = import->slot;
	record.generation = import->generation;
	record.endpoint_id = import->endpoint_id;
	persist_check(session,
		      persist_put(session->daemon, &import->persisted,
				  REGISTRY__RECORD_TYPE__IMPORT, import->node.id, &record.base));
}

void import_object_save(struct session_object *object)
{
	struct import *import = container_of(object, struct import, in_session);

	persist_import(import);
}

void import_object_forget(struct session_object *object)
{
	struct import *import = container_of(object, struct import, in_session);

	persist_drop(import->session->daemon, &import->persisted);
}
