/* Imports; see import.h. */
#include "daemon/memory/import.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/base/daemon.h"
#include "daemon/memory/memory.h"
#include "daemon/config/config.h"
#include "daemon/config/arguments.h"
#include "daemon/topology/topology.h"
#include "daemon/base/loop.h"
#include "daemon/memory/export_sync.h"
#include "daemon/memory/import_internal.h"
#include "daemon/session/grace_period.h"
#include "daemon/session/persist.h"
#include "daemon/session/session.h"
#include "util/clock.h"
#include "util/log.h"
#include "util/secret.h"
#include "util/str.h"

static const char *const import_states[] = {
	[IMPORT_PENDING] = "pending", [IMPORT_ALIVE] = "alive", [IMPORT_GONE] = "gone"};

const char *import_state_name(enum import_state state)
{
	return import_states[state];
}

static void import_detach(struct import *import)
{
	list_remove(&import->export_link);
	if (import->export)
		import->export->n_imports--;
	import->export = NULL;
}

struct import *import_free(struct import *import)
{
	struct daemon *daemon = import->daemon;

	peer_request_cancel(&import->request);
	peer_request_cancel(&import->renewal);
	loop_source_free(import->limit);
	if (import->peer && import->state != IMPORT_GONE)
		import_release_grant(import);
	if (import->export) {
		export_sync_wake(import->export);
		export_release(import->export);
	}
	import_detach(import);
	if (import->is_remote)
		session_slot_release(import->session, import->slot);
	events_emit(&daemon->events, OBJECT_IMPORT, OBJECT_REMOVED, import);
	idmap_remove(&daemon->memory->import_map, &import->node);
	list_remove(&import->link);
	list_remove(&import->in_session.link);
	daemon->memory->n_imports--;
	import->session->n_imports--;
	import->handle->n_users--;
	persist_drop(daemon, &import->persisted);
	charge_release(&import->charge);
	secret_free(import->secret);
	free(import);
	events_emit_totals(&daemon->events);
	return NULL;
}

void import_mark_gone(struct import *import)
{
	peer_request_cancel(&import->renewal);
	explicit_bzero(import->secret, EXPORT_SECRET_LEN);
	import_detach(import);
	import->state = IMPORT_GONE;
	/* The importer's library may have passed it on by an RDMA key. */
	if (import->kind == DOCOCORE__EXPORT_KIND__PCI)
		session_notify_revocation(import->session);
	if (import->is_remote)
		session_slot_kill(import->session, import->slot);
	events_emit(&import->daemon->events, OBJECT_IMPORT, OBJECT_CHANGED, import);
	persist_import(import);
	log_debug("import %llu of client %llu has lost its export",
		  (unsigned long long)import->node.id, (unsigned long long)import->session->id);
}

static void import_object_free(struct session_object *object)
{
	import_free(container_of(object, struct import, in_session));
}

static const struct session_object_ops import_object_ops = {
	.free = import_object_free,
	.save = import_object_save,
	.forget = import_object_forget,
};

/* id: 0 for a new id. Returns 0, -EDQUOT, -EEXIST or -ENOMEM. */
static int import_make(struct session *session, struct handle *handle, uint64_t id,
		       struct import **import_out)
{
	struct daemon *daemon = session->daemon;
	struct import *import = calloc(1, sizeof(*import));
	int r;

	if (!import)
		return -ENOMEM;
	persist_ids(daemon);
	import->secret = secret_alloc(EXPORT_SECRET_LEN);
	r = import->secret ? session_charge(session, &import->charge, CHARGE_IMPORTS, 1) : -ENOMEM;
	if (r == 0)
		r = idmap_add(&daemon->memory->import_map, &import->node,
			      id ? id : ++daemon->next_import_id);
	if (r < 0) {
		charge_release(&import->charge);
		secret_free(import->secret);
		free(import);
		return r;
	}
	import->daemon = daemon;
	import->session = session;
	import->handle = handle;
	import->device = handle->device;
	list_init(&import->export_link);
	peer_request_init(&import->request, import_on_answer);
	peer_request_init(&import->renewal, import_on_renewed);
	list_append(&daemon->memory->imports, &import->link);
	session_add_object(session, SESSION_IMPORTS, &import->in_session, &import_object_ops);
	daemon->memory->n_imports++;
	session->n_imports++;
	handle->n_users++;
	events_emit_totals(&daemon->events);
	*import_out = import;
	return 0;
}

/* daemon_id: NULL if the descriptor names no daemon. */
static void import_set_exporter(struct import *import, const uint8_t *daemon_id)
{
	import->names_daemon = daemon_id != NULL;
	if (daemon_id)
		memcpy(import->exporter_daemon, daemon_id, PEER_DAEMON_ID_LEN);
}

static void import_parse_exporter(struct import *import, const Dococore__ImportCreate *ask)
{
	import_set_exporter(import, ask->exporter_daemon.len == PEER_DAEMON_ID_LEN
					    ? ask->exporter_daemon.data
					    : NULL);
	import->knows_files = ask->knows_files;
	import->needs_daemons = ask->needs_daemons || ask->kind != DOCOCORE__EXPORT_KIND__RDMA;
}

/* Returns 0, -EDQUOT or -ENOMEM. */
static int import_new(struct session *session, struct handle *handle,
		      const Dococore__Packet *packet, enum side exporter_side,
		      struct import **import_out)
{
	const Dococore__ImportCreate *ask = packet->import_create;
	struct import *import;
	int r = import_make(session, handle, 0, &import);

	if (r < 0)
		return r;
	import->kind = ask->kind;
	import->exporter_side = exporter_side;
	import->export_id = ask->export_id;
	memcpy(import->secret, ask->secret.data, EXPORT_SECRET_LEN);
	import_parse_exporter(import, ask);
	import->created_at_ns = clock_wall_ns();
	import->request_id = packet->id;
	events_emit(&import->daemon->events, OBJECT_IMPORT, OBJECT_ADDED, import);
	*import_out = import;
	return 0;
}

/* Attaches the import to its export, if the export belongs to this side and exists. */
static void import_attach(struct import *import, struct export *export)
{
	import->export = export;
	list_append(&export->imports, &import->export_link);
	export->n_imports++;
}

static struct export *import_find_export(const struct import *import)
{
	struct idmap_node *node = idmap_find(&import->daemon->memory->export_map,
					     import->export_id);

	return node ? container_of(node, struct export, node) : NULL;
}

static void import_resume_state(struct import *import)
{
	struct export *export = NULL;

	if (import->state == IMPORT_PENDING) {
		import->is_waiting = true;
		return;
	}
	if (import->state != IMPORT_ALIVE || import->exporter_side != import->daemon->options->side)
		return;
	export = import_find_export(import);
	if (export)
		import_attach(import, export);
	else
		import->state = IMPORT_GONE;
}

/*
 * Restores a remote import's liveness word. The exporter's daemon is asked for the import over the
 * next link. Returns 0 or -errno.
 */
static int import_resume_slot(struct import *import, const struct import_saved *saved)
{
	int r = saved->exporter_side == import->daemon->options->side
			? -EPROTO
			: session_slot_resume(import->session, saved->slot);

	if (r < 0)
		return r;
	import->is_remote = true;
	import->slot = saved->slot;
	import->generation = saved->generation;
	import->endpoint_id = saved->endpoint_id;
	import->grant = GRANT_LOST;
	return 0;
}

int import_resume(struct session *session, const struct import_saved *saved,
		  struct import **import_out)
{
	struct import *import;
	struct handle *handle;
	int r;

	if (!handle_find_device(session, saved->handle, &handle))
		return -ENOENT;
	if (saved->state > IMPORT_GONE)
		return -EPROTO;
	r = import_make(session, handle, saved->id, &import);
	if (r < 0)
		return r;
	import->state = (enum import_state)saved->state;
	import->kind = (Dococore__ExportKind)saved->kind;
	import->exporter_side = saved->exporter_side;
	import->export_id = saved->export_id;
	memcpy(import->secret, saved->secret, EXPORT_SECRET_LEN);
	import->addr = saved->addr;
	import->len = saved->len;
	import->permissions = saved->permissions;
	import->memory = (Dococore__MemoryKind)saved->memory;
	import->exporter_pid = saved->exporter_pid;
	import->exporter_uid = saved->exporter_uid;
	import->same_process = saved->same_process;
	snprintf(import->exporter_device, sizeof(import->exporter_device), "%s",
		 saved->exporter_device);
	memcpy(import->peer_daemon_id, saved->peer_daemon_id, PEER_DAEMON_ID_LEN);
	import_set_exporter(import, saved->exporter_daemon);
	import->needs_daemons = saved->needs_daemons;
	import->created_at_ns = saved->created_at_ns;
	import->request_id = saved->request_id;
	if (saved->is_remote)
		r = import_resume_slot(import, saved);
	if (r < 0) {
		import_free(import);
		return r;
	}
	import_resume_state(import);
	*import_out = import;
	return 0;
}

void import_fail(struct import *import, enum code code, const char *text)
{
	struct session *session = import->session;
	uint64_t request_id = import->request_id;

	/* The exporter's side has no grant for this import. */
	import->peer = NULL;
	import_free(import);
	session_refuse(session, request_id, code, "%s", text);
}

/* True if the descriptor names a daemon that is neither this one nor linked with it. */
static bool import_names_unlinked_daemon(const struct import *import)
{
	struct peer *peer = NULL;

	if (!import->names_daemon || import->needs_daemons ||
	    memcmp(import->exporter_daemon, import->daemon->daemon_id, PEER_DAEMON_ID_LEN) == 0)
		return false;
	while ((peer = peer_next_linked(import->daemon, peer)))
		if (memcmp(import->exporter_daemon, peer->daemon_id, PEER_DAEMON_ID_LEN) == 0)
			return false;
	return true;
}

void import_fail_unknown(struct import *import, enum code code, const char *text)
{
	if (import_names_unlinked_daemon(import))
		import_fail(import, CODE_NOT_FOUND,
			    "the descriptor is of a daemon that is not linked with this one: it "
			    "can be imported by a device that reaches the exporter's over an RDMA "
			    "network, or once the daemons are linked");
	else
		import_fail(import, code, text);
}

void import_reply(struct import *import, Dococore__ImportReply *reply, const int *fds, size_t n_fds)
{
	Dococore__Packet packet = DOCOCORE__PACKET__INIT;

	reply->kind = import->kind;
	import->addr = reply->addr;
	import->len = reply->len;
	import->permissions = reply->permissions;
	import->memory = reply->memory;
	import->exporter_pid = (pid_t)reply->exporter_pid;
	import->exporter_uid = reply->exporter_uid;
	import->same_process = reply->same_process;
	import->knows_transport = reply->knows_transport;
	reply->import_id = import->node.id;
	packet.id = import->request_id;
	packet.body_case = DOCOCORE__PACKET__BODY_IMPORT_REPLY;
	packet.import_reply = reply;
	/*
	 * The record of an import from the other side says "pending" until the answer is sent. A
	 * daemon instance that finds it so asks and answers again.
	 */
	if (import->export) {
		import->state = IMPORT_ALIVE;
		persist_import(import);
	}
	session_reply(import->session, &packet, fds, n_fds);
	events_emit(&import->daemon->events, OBJECT_IMPORT, OBJECT_CHANGED, import);
	if (import->state == IMPORT_ALIVE)
		return;
	import->state = IMPORT_ALIVE;
	if (!import->is_remote)
		explicit_bzero(import->secret, EXPORT_SECRET_LEN);
	persist_import(import);
}

static void import_local(struct import *import)
{
	struct export_claim claim = {
		.kind = import->kind, .export_id = import->export_id, .secret = import->secret};
	struct export *export = export_find_claimed(import->daemon, &claim);
	const struct export_importer importer = {.uid = import->session->uid,
						 .knows_files = import->knows_files};
	const char *busy;
	Dococore__ImportReply reply = DOCOCORE__IMPORT_REPLY__INIT;
	struct export_fds fds;
	int r;

	if (!export) {
		import_fail_unknown(import, CODE_NOT_PERMITTED, export_unknown_text);
		return;
	}
	busy = export_busy_reason(export, import->daemon->daemon_id, import->session->pid);
	if (!import->export && busy) {
		import_fail(import, CODE_IN_USE, busy);
		return;
	}
	r = export_get_fds(export, &importer, &fds);
	if (r < 0) {
		struct session *session = import->session;
		uint64_t request_id = import->request_id;

		import_free(import);
		session_refuse_errno(session, request_id, r, "an import");
		return;
	}
	export_sync_enter(export, import->daemon->daemon_id, import->session->pid);
	export_acquire(export, import->daemon->daemon_id, import->session->pid);
	if (!import->export)
		import_attach(import, export);
	str_copy(import->exporter_device, sizeof(import->exporter_device),
		 export->device->spec->name);
	reply.addr = export->addr;
	reply.len = export->len;
	reply.permissions = export_permissions(export, import->kind);
	reply.memory = export_memory_for(export, &importer);
	reply.memfd_offset = export->memfd_offset;
	reply.slot = export->slot;
	reply.generation = export->generation;
	reply.liveness_len = SESSION_LIVENESS_LEN;
	reply.exporter_pid = (uint32_t) export->session->pid;
	reply.exporter_uid = export->session->uid;
	reply.same_process = export->session == import->session;
	reply.endpoint_id = import->endpoint_id = export->daemon->export_hooks->endpoint_serving(
		export->session, export->handle, false);
	reply.knows_transport = export_kind_has_transport(export->kind);
	import_reply(import, &reply, fds.fds, fds.n_fds);
	export_fds_deinit(&fds);
}

static bool import_is_supported(const struct caps *caps, Dococore__ExportKind kind)
{
	switch (kind) {
	case DOCOCORE__EXPORT_KIND__SYNC_PCI:
		return caps->sync_import_pci;
	case DOCOCORE__EXPORT_KIND__SYNC_NET:
		return caps->sync_import_net;
	case DOCOCORE__EXPORT_KIND__RDMA_QP:
		return caps->rdma;
	default:
		return true;
	}
}

/* Returns 0, or 1 after sending a refusal. */
static int import_check(struct session *session, const Dococore__Packet *packet,
			const struct device *device, enum side exporter_side)
{
	const Dococore__ImportCreate *ask = packet->import_create;
	const struct caps *caps = &device->spec->caps;

	if (!import_is_supported(caps, ask->kind))
		session_refuse(session, packet->id, CODE_NOT_SUPPORTED,
			       "device '%s' does not import what was exported as %s: ask its "
			       "capabilities, and use a device that does",
			       device->spec->name, export_kind_name(ask->kind));
	else if (ask->kind == DOCOCORE__EXPORT_KIND__PCI && !caps->import_pci)
		session_refuse(session, packet->id, CODE_NOT_PERMITTED,
			       "device '%s' of side %s cannot import what was exported for PCI: "
			       "import it with another device, or give this one 'import_pci = yes' "
			       "in the topology",
			       device->spec->name, side_name(session->daemon->config->side));
	else if (export_kind_is_pci(ask->kind) && exporter_side == session->daemon->config->side)
		session_refuse(session, packet->id, CODE_NOT_PERMITTED,
			       "the descriptor was exported for PCI on this same side (%s): import "
			       "it on the "
			       "other side, or export it for %s",
			       side_name(exporter_side),
			       export_kind_is_sync(ask->kind) ? "the network" : "RDMA");
	else
		return 0;
	return 1;
}

bool import_create_again(struct session *session, const Dococore__Packet *packet)
{
	struct import *import;

	list_for_each(import, &session->objects[SESSION_IMPORTS], in_session.link)
	{
		if (import->request_id != packet->id)
			continue;
		/*
		 * An import of this side was answered or was about to be. Any other is answered
		 * when the other side has replied.
		 */
		if (import->exporter_side == session->daemon->config->side) {
			memcpy(import->secret, packet->import_create->secret.data,
			       EXPORT_SECRET_LEN);
			import->knows_files = packet->import_create->knows_files;
			import_local(import);
		} else if (import->state != IMPORT_PENDING) {
			/* The earlier grant, if there is one, has its id. */
			if (import->peer && import->state == IMPORT_ALIVE)
				import_release_grant(import);
			peer_request_cancel(&import->renewal);
			import->peer = NULL;
			import->state = IMPORT_PENDING;
			memcpy(import->secret, packet->import_create->secret.data,
			       EXPORT_SECRET_LEN);
			import_parse_exporter(import, packet->import_create);
			import->is_waiting = true;
			if (!session->daemon->stopping && !grace_period_is_active(session->daemon))
				import_ask_again(import);
		}
		return true;
	}
	return false;
}

/*
 * True if a peer was linked just now and has not reported its functions. It cannot be asked yet,
 * and may have the export.
 */
static bool import_awaits_functions(struct daemon *daemon)
{
	struct peer *peer = NULL;

	while ((peer = peer_next_linked(daemon, peer)))
		if (!peer->functions)
			return true;
	return false;
}

/*
 * Ends imports of the queue pair whose session has ended. A queue pair can have one import at a
 * time, and the event loop may process the end of its importer after this request.
 */
static void imports_end_left(struct daemon *daemon, const Dococore__ImportCreate *ask)
{
	struct import *import, *tmp;

	if (ask->kind != DOCOCORE__EXPORT_KIND__RDMA_QP)
		return;
	list_for_each_safe(import, tmp, &daemon->memory->imports, link)
	{
		if (import->kind == ask->kind && import->export_id == ask->export_id &&
		    session_has_left(import->session))
			import_free(import);
	}
}

int import_on_create(struct session *session, const Dococore__Packet *packet, struct fdset *fds)
{
	const Dococore__ImportCreate *ask = packet->import_create;
	struct handle *handle;
	struct device *device = handle_find_device(session, ask->device, &handle);
	struct import *import;
	enum side exporter_side;
	int r;

	(void)fds;
	if (!device)
		return session_refuse(session, packet->id, CODE_NOT_FOUND,
				      "handle %llu is no open device of this connection",
				      (unsigned long long)ask->device);
	if (handle_refuse_gone(session, packet->id, handle))
		return 0;
	if (side_parse(ask->exporter_side, &exporter_side) < 0)
		return session_refuse(session, packet->id, CODE_INVALID_VALUE,
				      "the exporter's side '%.20s' is neither host nor dpu",
				      ask->exporter_side);
	if (import_check(session, packet, device, exporter_side) > 0)
		return 0;
	imports_end_left(session->daemon, ask);
	r = import_new(session, handle, packet, exporter_side, &import);
	if (r < 0)
		return session_refuse_errno(session, packet->id, r, "an import");
	if (exporter_side == session->daemon->config->side) {
		import_local(import);
		return 0;
	}
	persist_import(import);
	if (import_ask_next(import))
		return 0;
	/* The link has just been lost. */
	import->is_waiting = grace_period_is_active(import->daemon);
	if (!import->is_waiting && peer_next_linked(import->daemon, NULL) &&
	    !import_awaits_functions(import->daemon))
		/*
		 * No linked peer may be asked: the export is of another daemon, or of a daemon that
		 * has restarted.
		 */
		import_fail_unknown(import, CODE_NOT_PERMITTED, export_unknown_text);
	else if (!import->is_waiting)
		import_fail_unknown(
			import, CODE_NOT_CONNECTED,
			"no daemon of the exporter's side is linked: start dococored there, or "
			"wait until "
			"the log says that it is linked");
	return 0;
}

struct import *import_find(struct daemon *daemon, uint64_t id)
{
	struct idmap_node *node = idmap_find(&daemon->memory->import_map, id);

	return node ? container_of(node, struct import, node) : NULL;
}

struct import *import_find_alive(const struct session *session, uint64_t id)
{
	struct import *import = import_find(session->daemon, id);

	return import && import->session == session && import->state == IMPORT_ALIVE ? import
										     : NULL;
}

/*
 * Ends an import. A client that knows the id of a pending one has the reply of an earlier daemon
 * instance, which this instance was about to repeat.
 */
static void import_end(struct session *session, struct import *import)
{
	uint64_t request_id = import->request_id;
	bool is_pending = import->state == IMPORT_PENDING;

	import_free(import);
	if (is_pending)
		session_refuse(session, request_id, CODE_NOT_FOUND,
			       "the import was ended before it was answered");
}

int import_on_destroy(struct session *session, const Dococore__Packet *packet, struct fdset *fds)
{
	struct import *import = import_find(session->daemon, packet->import_destroy->import_id);

	(void)fds;
	if (import && import->session == session)
		import_end(session, import);
	session_reply_ok(session, packet->id);
	return 0;
}

int import_on_transport(struct session *session, const Dococore__Packet *packet, struct fdset *fds)
{
	const Dococore__ImportTransport *report = packet->import_transport;
	struct import *import = import_find(session->daemon, report->import_id);
	struct transport_choice choice = {.n_rejected = 0};

	(void)fds;
	if (!import || import->session != session)
		return 0;
	transport_choice_set(&choice, report);
	if (transport_choice_equal(&choice, &import->choice) &&
	    (import->is_choice_reported || import->is_choice_due || !import->peer))
		return 0;
	import->choice = choice;
	events_emit(&import->daemon->events, OBJECT_IMPORT, OBJECT_CHANGED, import);
	import_report_choice(import);
	log_debug("import %llu of client %llu goes through %s", (unsigned long long)import->node.id,
		  (unsigned long long)session->id, import->choice.transport);
	return 0;
}
