/* Imports; see import.h. */
#include "daemon/import.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/bus.h"
#include "daemon/daemon.h"
#include "daemon/export_sync.h"
#include "daemon/hold.h"
#include "daemon/rdma.h"
#include "daemon/rdma_stream.h"
#include "daemon/session.h"
#include "util/clock.h"
#include "util/log.h"
#include "util/str.h"

/* Less than clients wait for an answer. */
#define IMPORT_ANSWER_NS (2 * NS_PER_SEC)

static bool import_ask_next(struct import *import);

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

static void import_tell_given_up(const struct import *import)
{
	Dococore__PeerImportGone gone = DOCOCORE__PEER_IMPORT_GONE__INIT;
	Dococore__Packet packet = DOCOCORE__PACKET__INIT;

	gone.import_id = import->node.id;
	packet.body_case = DOCOCORE__PACKET__BODY_PEER_IMPORT_GONE;
	packet.peer_import_gone = &gone;
	(void)peer_send(import->peer, &packet, NULL, 0);
}

/* The exporter's operator wants to know it, too. */
static void import_tell_choice(struct import *import)
{
	Dococore__ImportTransport notice = DOCOCORE__IMPORT_TRANSPORT__INIT;
	Dococore__Packet packet = DOCOCORE__PACKET__INIT;
	char *rejected[EXPORT_MAX_REJECTED];

	if (import->state != IMPORT_ALIVE || !import->peer)
		return;
	/* A client may choose anew as fast as it likes: the last choice is told when there is room.
	 */
	import->is_choice_due = peer_is_congested(import->peer);
	import->peer->has_choices |= import->is_choice_due;
	if (import->is_choice_due)
		return;
	for (size_t i = 0; i < import->choice.n_rejected; i++)
		rejected[i] = import->choice.rejected[i];
	notice.import_id = import->node.id;
	notice.transport = import->choice.transport;
	notice.n_rejected = import->choice.n_rejected;
	notice.rejected = rejected;
	packet.body_case = DOCOCORE__PACKET__BODY_IMPORT_TRANSPORT;
	packet.import_transport = &notice;
	import->is_choice_told = peer_send(import->peer, &packet, NULL, 0) == 0;
}

void imports_tell_choices(struct peer *peer)
{
	struct import *import, *tmp;

	if (!peer->has_choices || peer_is_congested(peer))
		return;
	peer->has_choices = false;
	list_for_each_safe(import, tmp, &peer->daemon->imports, link)
	{
		if (import->peer == peer && import->is_choice_due)
			import_tell_choice(import);
	}
}

struct import *import_free(struct import *import)
{
	struct daemon *daemon = import->daemon;

	peer_request_cancel(&import->request);
	peer_request_cancel(&import->renewal);
	loop_source_free(import->limit);
	if (import->peer && import->state != IMPORT_GONE)
		import_tell_given_up(import);
	if (import->export) {
		export_sync_wake(import->export);
		export_give_back(import->export);
	}
	import_detach(import);
	if (import->is_distant)
		session_slot_release(import->session, import->slot);
	bus_tell(daemon, BUS_IMPORT, BUS_REMOVED, import);
	idmap_remove(&daemon->import_map, &import->node);
	list_remove(&import->link);
	list_remove(&import->session_link);
	daemon->n_imports--;
	import->session->n_imports--;
	import->handle->n_users--;
	keep_drop(daemon, &import->kept);
	charge_release(&import->charge);
	explicit_bzero(import->secret, sizeof(import->secret));
	free(import);
	daemon_changed(daemon);
	return NULL;
}

void import_mark_gone(struct import *import)
{
	peer_request_cancel(&import->renewal);
	explicit_bzero(import->secret, sizeof(import->secret));
	import_detach(import);
	import->state = IMPORT_GONE;
	if (import->is_distant)
		session_slot_kill(import->session, import->slot);
	bus_tell(import->daemon, BUS_IMPORT, BUS_CHANGED, import);
	keep_import(import);
	log_debug("import %llu of client %llu has lost its export",
		  (unsigned long long)import->node.id, (unsigned long long)import->session->id);
}

void import_peer_lost(struct daemon *daemon, struct peer *peer)
{
	struct import *import;

	list_for_each(import, &daemon->imports, link)
	{
		if (import->peer != peer)
			continue;
		import->peer = NULL;
		import->is_choice_told = import->is_choice_due = false;
		import->grant = import->is_distant ? GRANT_LOST : GRANT_HELD;
	}
}

/* True if it waits for a link to that daemon, or has one that is about to go. */
static bool import_wants_link(const struct import *import, const struct peer *peer)
{
	return (!import->peer || import->peer->state != PEER_LINKED) && !import->export &&
	       import->state == IMPORT_ALIVE &&
	       memcmp(import->peer_daemon_id, peer->daemon_id, PEER_DAEMON_ID_LEN) == 0;
}

void import_peer_linked(struct daemon *daemon, struct peer *peer)
{
	struct import *import;

	list_for_each(import, &daemon->imports, link)
	{
		if (!import_wants_link(import, peer))
			continue;
		/* What the other link granted went with it, and its loss will not be told of this
		 * import any more. */
		if (import->peer && import->is_distant) {
			peer_request_cancel(&import->renewal);
			import->ends_if_unknown = false;
			import->grant = GRANT_LOST;
		}
		import->peer = peer;
		import->is_choice_told = import->is_choice_due = false;
	}
}

static void import_on_answer(struct peer_request *request, const Dococore__Packet *answer,
			     struct fdset *fds);
static void import_on_renewed(struct peer_request *request, const Dococore__Packet *answer,
			      struct fdset *fds);

/* id: 0 for a new one. 0, -EDQUOT, -EEXIST, -ENOMEM. */
static int import_make(struct session *session, struct handle *handle, uint64_t id,
		       struct import **import_out)
{
	struct daemon *daemon = session->daemon;
	struct import *import = calloc(1, sizeof(*import));
	int r;

	if (!import)
		return -ENOMEM;
	keep_ids(daemon);
	r = charge_add(&import->charge, session->account, CHARGE_IMPORTS, 1);
	if (r == 0)
		r = idmap_add(&daemon->import_map, &import->node,
			      id ? id : ++daemon->next_import_id);
	if (r < 0) {
		charge_release(&import->charge);
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
	list_append(&daemon->imports, &import->link);
	list_append(&session->imports, &import->session_link);
	daemon->n_imports++;
	session->n_imports++;
	handle->n_users++;
	daemon_changed(daemon);
	*import_out = import;
	return 0;
}

/* NULL: the descriptor names no daemon. */
static void import_set_exporter(struct import *import, const uint8_t *daemon_id)
{
	import->names_daemon = daemon_id != NULL;
	if (daemon_id)
		memcpy(import->exporter_daemon, daemon_id, PEER_DAEMON_ID_LEN);
}

static void import_take_exporter(struct import *import, const Dococore__ImportCreate *ask)
{
	import_set_exporter(import, ask->exporter_daemon.len == PEER_DAEMON_ID_LEN
					    ? ask->exporter_daemon.data
					    : NULL);
	import->needs_daemons = ask->needs_daemons || ask->kind != DOCOCORE__EXPORT_KIND__RDMA;
}

/* 0, -EDQUOT, -ENOMEM. */
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
	import_take_exporter(import, ask);
	import->created_at_ns = daemon_wall_clock_ns();
	import->request_id = packet->id;
	bus_tell(import->daemon, BUS_IMPORT, BUS_ADDED, import);
	*import_out = import;
	return 0;
}

/* Side by side with the export, if it is of this side and there. */
static void import_attach(struct import *import, struct export *export)
{
	import->export = export;
	list_append(&export->imports, &import->export_link);
	export->n_imports++;
}

static struct export *import_find_export(const struct import *import)
{
	struct idmap_node *node = idmap_find(&import->daemon->export_map, import->export_id);

	return node ? container_of(node, struct export, node) : NULL;
}

static void import_resume_state(struct import *import)
{
	struct export *export = NULL;

	if (import->state == IMPORT_PENDING) {
		import->is_waiting = true;
		return;
	}
	if (import->state != IMPORT_ALIVE || import->exporter_side != import->daemon->options.side)
		return;
	export = import_find_export(import);
	if (export)
		import_attach(import, export);
	else
		import->state = IMPORT_GONE;
}

/* The exporter's daemon is asked for it over the next link. 0 or -errno. */
static int import_resume_word(struct import *import, const struct import_past *past)
{
	int r = past->exporter_side == import->daemon->options.side
			? -EPROTO
			: session_slot_resume(import->session, past->slot);

	if (r < 0)
		return r;
	import->is_distant = true;
	import->slot = past->slot;
	import->generation = past->generation;
	import->agent_id = past->agent_id;
	import->grant = GRANT_LOST;
	return 0;
}

int import_resume(struct session *session, const struct import_past *past,
		  struct import **import_out)
{
	struct import *import;
	struct handle *handle;
	int r;

	if (!handle_find_device(session, past->handle, &handle))
		return -ENOENT;
	if (past->state > IMPORT_GONE)
		return -EPROTO;
	r = import_make(session, handle, past->id, &import);
	if (r < 0)
		return r;
	import->state = (enum import_state)past->state;
	import->kind = (Dococore__ExportKind)past->kind;
	import->exporter_side = past->exporter_side;
	import->export_id = past->export_id;
	memcpy(import->secret, past->secret, EXPORT_SECRET_LEN);
	import->addr = past->addr;
	import->len = past->len;
	import->permissions = past->permissions;
	import->memory = (Dococore__MemoryKind)past->memory;
	import->exporter_pid = past->exporter_pid;
	import->exporter_uid = past->exporter_uid;
	import->same_process = past->same_process;
	snprintf(import->exporter_device, sizeof(import->exporter_device), "%s",
		 past->exporter_device);
	memcpy(import->peer_daemon_id, past->peer_daemon_id, PEER_DAEMON_ID_LEN);
	import_set_exporter(import, past->exporter_daemon);
	import->needs_daemons = past->needs_daemons;
	import->created_at_ns = past->created_at_ns;
	import->request_id = past->request_id;
	if (past->is_distant)
		r = import_resume_word(import, past);
	if (r < 0) {
		import_free(import);
		return r;
	}
	import_resume_state(import);
	*import_out = import;
	return 0;
}

/* Refuses the client's request and frees the import. */
static void import_fail(struct import *import, enum code code, const char *text)
{
	struct session *session = import->session;
	uint64_t request_id = import->request_id;

	/* The exporter's side has nothing of it. */
	import->peer = NULL;
	import_free(import);
	session_refuse(session, request_id, code, "%s", text);
}

/* True if the descriptor is of a daemon that is neither this one nor linked with it. */
static bool import_is_foreign(const struct import *import)
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

/* Nobody knows the export. */
static void import_fail_unknown(struct import *import, enum code code, const char *text)
{
	if (import_is_foreign(import))
		import_fail(import, CODE_NOT_FOUND,
			    "the descriptor is of a daemon that is not linked with this one: it "
			    "can be imported by a device that reaches the exporter's over an RDMA "
			    "network, or once the daemons are linked");
	else
		import_fail(import, code, text);
}

/* One page of PCI addresses is the whole list: a topology has at most 256 representors. */
static size_t import_list_parent_of(const struct import *import, char *out[TOPOLOGY_MAX_REPS])
{
	const struct registry *registry = &import->daemon->registry;
	size_t n = 0;

	for (size_t i = 0; i < registry->n_reps && n < TOPOLOGY_MAX_REPS; i++)
		if (registry->reps[i].parent == import->device && registry->reps[i].present)
			out[n++] = (char *)registry->reps[i].spec->pci_addr;
	return n;
}

/*
 * The secret opens the export for whoever has it. A daemon of this machine could read it out of the
 * exporter all the same; one of another machine gets it if the descriptor says that it made it.
 */
static bool import_may_ask(const struct import *import, const struct peer *peer)
{
	if (peer_passes_fds(peer))
		return !import->asks_distant;
	return import->asks_distant && import->names_daemon &&
	       memcmp(import->exporter_daemon, peer->daemon_id, PEER_DAEMON_ID_LEN) == 0;
}

static struct peer *import_next_peer(struct import *import)
{
	struct peer *peer = import->peer;

	for (;;) {
		while ((peer = peer_next_linked(import->daemon, peer)))
			/* Until it has told its functions, what is represented is not known. */
			if (peer->functions && import_may_ask(import, peer))
				return peer;
		if (import->asks_distant)
			return NULL;
		import->asks_distant = true;
	}
}

static void import_on_limit(void *user)
{
	struct import *import = user;
	struct peer *peer = import->request.peer;

	if (!peer)
		return;
	log_warning("peer %s does not answer about an import within %llu ms", peer->name,
		    (unsigned long long)(IMPORT_ANSWER_NS / NS_PER_MS));
	peer_request_cancel(&import->request);
	import->peer = peer;
	/* Should it answer after all, what it granted is given back. */
	import_tell_given_up(import);
	if (!import_ask_next(import))
		import_fail(import, CODE_TIME_OUT,
			    "the exporter's daemon did not answer in time: its log, or the network "
			    "between the daemons, may say why; import again");
}

/* For one answer; without a timer it is awaited as long as the link holds. */
static void import_set_limit(struct import *import)
{
	if (!import->limit)
		import->limit = loop_timer_new(import->daemon->loop, import_on_limit, import);
	if (import->limit)
		(void)loop_timer_set(import->limit, IMPORT_ANSWER_NS);
}

/* 0 or -errno. */
static int import_ask(struct import *import, struct peer_request *request)
{
	char *parent_of[TOPOLOGY_MAX_REPS];
	Dococore__PeerImport ask = DOCOCORE__PEER_IMPORT__INIT;
	Dococore__Packet packet = DOCOCORE__PACKET__INIT;

	ask.kind = import->kind;
	ask.export_id = import->export_id;
	ask.secret = (ProtobufCBinaryData){EXPORT_SECRET_LEN, import->secret};
	ask.n_parent_of = import_list_parent_of(import, parent_of);
	ask.parent_of = parent_of;
	ask.import_id = import->node.id;
	ask.importer_pid = (uint32_t)import->session->pid;
	ask.importer_uid = import->session->uid;
	ask.importer_pci_addr = (char *)import->device->spec->pci_addr;
	packet.body_case = DOCOCORE__PACKET__BODY_PEER_IMPORT;
	packet.peer_import = &ask;
	return peer_ask(import->peer, request, &packet, NULL, 0);
}

/* Asks the next linked peer after the one asked last. False: there is none left. If the next is too
 * busy the import has failed. */
static bool import_ask_next(struct import *import)
{
	while ((import->peer = import_next_peer(import))) {
		if (peer_is_congested(import->peer)) {
			import_fail(import, CODE_AGAIN,
				    "the other side's daemon is too busy to be asked for the "
				    "export: import again");
			return true;
		}
		if (import_ask(import, &import->request) == 0) {
			import_set_limit(import);
			return true;
		}
	}
	return false;
}

static void import_renew(struct import *import)
{
	/* Until it has told its functions, what is represented is not known. */
	if (import->grant == GRANT_LOST && import->state == IMPORT_ALIVE && import->peer &&
	    import->peer->functions && import_ask(import, &import->renewal) == 0)
		import->grant = GRANT_ASKED;
}

void imports_renew(struct daemon *daemon, struct peer *peer)
{
	struct import *import;

	list_for_each(import, &daemon->imports, link)
	{
		if (import->peer == peer)
			import->is_renewal_due = import->grant == GRANT_LOST;
	}
	peer->has_renewals = true;
	imports_renew_rest(peer);
}

void imports_renew_rest(struct peer *peer)
{
	struct import *import, *tmp;

	if (!peer->has_renewals)
		return;
	/* What cannot be sent breaks the link, and that is told when nobody is here any more. */
	list_for_each_safe(import, tmp, &peer->daemon->imports, link)
	{
		if (import->peer != peer || !import->is_renewal_due)
			continue;
		if (peer_is_congested(peer))
			return;
		/* One that is refused waits for a call, not before the others. */
		import->is_renewal_due = false;
		import_renew(import);
	}
	peer->has_renewals = false;
}

void import_renew_for_call(struct import *import, bool is_relay)
{
	import_renew(import);
	import->ends_if_unknown |= is_relay && import->grant == GRANT_ASKED;
}

/* Of a daemon that was started again the exporter may not be a client again yet: the next call asks
 * again. */
static bool import_is_unknown(const Dococore__Error *error)
{
	return error->code != CODE_AGAIN && strcmp(error->text, export_unknown_text) == 0;
}

static void import_on_renewed(struct peer_request *request, const Dococore__Packet *answer,
			      struct fdset *fds)
{
	struct import *import = container_of(request, struct import, renewal);
	bool ends = import->ends_if_unknown;
	const Dococore__PeerImportReply *from;

	(void)fds;
	import->grant = GRANT_LOST;
	import->ends_if_unknown = false;
	if (!answer)
		return;
	if (answer->body_case == DOCOCORE__PACKET__BODY_ERROR) {
		log_debug("import %llu of client %llu is not granted again: %s",
			  (unsigned long long)import->node.id,
			  (unsigned long long)import->session->id, answer->error->text);
		if (ends && import_is_unknown(answer->error))
			import_mark_gone(import);
		return;
	}
	import->grant = GRANT_HELD;
	from = answer->body_case == DOCOCORE__PACKET__BODY_PEER_IMPORT_REPLY
		       ? answer->peer_import_reply
		       : NULL;
	/* Another memory than the client has imported. */
	if (!from || !from->distant || from->kind != import->kind || from->addr != import->addr ||
	    from->len != import->len || from->permissions != import->permissions) {
		import_tell_given_up(import);
		import_mark_gone(import);
	}
}

static void import_reply(struct import *import, Dococore__ImportReply *reply, const int *fds,
			 size_t n_fds)
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
	/* The record of one of the other side says pending until the answer is out: an instance
	 * that finds it so asks and answers again. */
	if (import->export) {
		import->state = IMPORT_ALIVE;
		keep_import(import);
	}
	session_reply(import->session, &packet, fds, n_fds);
	bus_tell(import->daemon, BUS_IMPORT, BUS_CHANGED, import);
	if (import->state == IMPORT_ALIVE)
		return;
	import->state = IMPORT_ALIVE;
	if (!import->is_distant)
		explicit_bzero(import->secret, sizeof(import->secret));
	keep_import(import);
}

static void import_on_error(struct import *import, const Dococore__Error *error)
{
	/* This peer does not have it, another may. */
	if (strcmp(error->text, export_unknown_text) == 0) {
		if (!import_ask_next(import))
			import_fail_unknown(import, CODE_NOT_PERMITTED, export_unknown_text);
		return;
	}
	import_fail(import, (enum code)error->code, error->text);
}

static void import_ask_again(struct import *import)
{
	import->is_waiting = false;
	import->asks_distant = false;
	import->peer = NULL;
	if (!import_ask_next(import))
		import_fail(import, CODE_NOT_CONNECTED,
			    "the link to the exporter's daemon broke before it answered: import "
			    "again once the daemons are linked");
}

/* 0 or -errno. */
static int import_set_distant(struct import *import, const Dococore__PeerImportReply *from,
			      Dococore__ImportReply *reply)
{
	struct session *session = import->session;
	int r = 0;

	/* Else an earlier instance has taken it, and may have said so. */
	if (!import->is_distant)
		r = session_slot_take(session, &import->slot, &import->generation);
	if (r < 0)
		return r;
	import->is_distant = true;
	import->grant = GRANT_HELD;
	import->agent_id = from->agent_id;
	/* The word is its own whatever happens to this instance before the client is answered. */
	keep_import(import);
	reply->generation = import->generation;
	reply->distant = true;
	reply->same_kernel = import->peer->same_kernel;
	reply->agent_id = from->agent_id;
	reply->relays = from->relays && rdma_stream_may_pass(import->peer);
	reply->slot = import->slot;
	reply->liveness_len = SESSION_LIVENESS_LEN;
	return 0;
}

/* It was of another machine when it was asked for the first time. */
static void import_give_up_word(struct import *import)
{
	session_slot_release(import->session, import->slot);
	import->is_distant = false;
	import->grant = GRANT_HELD;
}

static void import_on_answer(struct peer_request *request, const Dococore__Packet *answer,
			     struct fdset *fds)
{
	struct import *import = container_of(request, struct import, request);
	Dococore__ImportReply reply = DOCOCORE__IMPORT_REPLY__INIT;
	const Dococore__PeerImportReply *from;

	if (import->limit)
		loop_timer_cancel(import->limit);
	if (!answer) {
		import->peer = NULL;
		import->is_waiting = true;
		/* With another peer linked, or none expected back, nobody has it asked anew. */
		if (!import->daemon->stopping && !hold_is_on(import->daemon))
			import_ask_again(import);
		return;
	}
	if (answer->body_case == DOCOCORE__PACKET__BODY_ERROR) {
		import_on_error(import, answer->error);
		return;
	}
	/* Kinds differ in the descriptors that come along. */
	if (answer->body_case != DOCOCORE__PACKET__BODY_PEER_IMPORT_REPLY ||
	    export_kind_n_fds(answer->peer_import_reply->kind) != export_kind_n_fds(import->kind)) {
		import_fail(import, CODE_OPERATING_SYSTEM,
			    "the exporter's daemon answered with another message: is it of this "
			    "version?");
		return;
	}
	from = answer->peer_import_reply;
	memcpy(import->peer_daemon_id, import->peer->daemon_id, PEER_DAEMON_ID_LEN);
	snprintf(import->exporter_device, sizeof(import->exporter_device), "%s",
		 from->exporter_device);
	str_make_printable(import->exporter_device);
	reply.addr = from->addr;
	reply.len = from->len;
	reply.permissions = from->permissions;
	reply.memory = from->memory;
	reply.memfd_offset = from->memfd_offset;
	reply.slot = from->slot;
	reply.generation = from->generation;
	reply.liveness_len = from->liveness_len;
	reply.exporter_pid = from->exporter_pid;
	reply.exporter_uid = from->exporter_uid;
	reply.agent_id = import->agent_id = from->agent_id;
	reply.knows_transport = from->knows_transport && !from->distant;
	if (!from->distant && import->is_distant)
		import_give_up_word(import);
	if (from->distant && import_set_distant(import, from, &reply) < 0) {
		import_tell_given_up(import);
		import_fail(import, CODE_NO_MEMORY,
			    "this connection has as many exports and imports as it may have");
		return;
	}
	import_reply(import, &reply, fds->fds, fds->n_fds);
}

void imports_ask_again(struct daemon *daemon)
{
	struct import *import, *tmp;

	list_for_each_safe(import, tmp, &daemon->imports, link)
	{
		if (import->is_waiting)
			import_ask_again(import);
	}
}

static void import_local(struct import *import)
{
	struct export_claim claim = {
		.kind = import->kind, .export_id = import->export_id, .secret = import->secret};
	struct export *export = export_find_claimed(import->daemon, &claim);
	const char *taken;
	Dococore__ImportReply reply = DOCOCORE__IMPORT_REPLY__INIT;
	struct export_fds fds;
	int r;

	if (!export) {
		import_fail_unknown(import, CODE_NOT_PERMITTED, export_unknown_text);
		return;
	}
	taken = export_taken(export, import->daemon->daemon_id, import->session->pid);
	if (!import->export && taken) {
		import_fail(import, CODE_IN_USE, taken);
		return;
	}
	r = export_get_fds(export, &fds);
	if (r < 0) {
		struct session *session = import->session;
		uint64_t request_id = import->request_id;

		import_free(import);
		session_refuse_errno(session, request_id, r, "an import");
		return;
	}
	export_sync_enter(export, import->daemon->daemon_id, import->session->pid);
	export_take(export, import->daemon->daemon_id, import->session->pid);
	if (!import->export)
		import_attach(import, export);
	str_copy(import->exporter_device, sizeof(import->exporter_device),
		 export->device->spec->name);
	reply.addr = export->addr;
	reply.len = export->len;
	reply.permissions = export->permissions;
	reply.memory = export->memory;
	reply.memfd_offset = export->memfd_offset;
	reply.slot = export->slot;
	reply.generation = export->generation;
	reply.liveness_len = SESSION_LIVENESS_LEN;
	reply.exporter_pid = (uint32_t) export->session->pid;
	reply.exporter_uid = export->session->uid;
	reply.same_process = export->session == import->session;
	reply.agent_id = import->agent_id = rdma_agent_serving(export->session, export->device,
							       false);
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

/* 0, or the refusal was sent and 1. */
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
			       "that is done "
			       "on the DPU, with the device whose representors include the "
			       "exporter's function",
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

	list_for_each(import, &session->imports, session_link)
	{
		if (import->request_id != packet->id)
			continue;
		/* One of this side was answered, or was about to be; for any other the answer comes
		 * when the other side has given it. */
		if (import->exporter_side == session->daemon->config->side) {
			memcpy(import->secret, packet->import_create->secret.data,
			       EXPORT_SECRET_LEN);
			import_local(import);
		} else if (import->state != IMPORT_PENDING) {
			/* The grant of before, should there be one, has its id. */
			if (import->peer && import->state == IMPORT_ALIVE)
				import_tell_given_up(import);
			peer_request_cancel(&import->renewal);
			import->peer = NULL;
			import->state = IMPORT_PENDING;
			memcpy(import->secret, packet->import_create->secret.data,
			       EXPORT_SECRET_LEN);
			import_take_exporter(import, packet->import_create);
			import->is_waiting = true;
			if (!session->daemon->stopping && !hold_is_on(session->daemon))
				import_ask_again(import);
		}
		return true;
	}
	return false;
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
	r = import_new(session, handle, packet, exporter_side, &import);
	if (r < 0)
		return session_refuse_errno(session, packet->id, r, "an import");
	if (exporter_side == session->daemon->config->side) {
		import_local(import);
		return 0;
	}
	keep_import(import);
	if (import_ask_next(import))
		return 0;
	/* The link broke just now. */
	import->is_waiting = hold_is_on(import->daemon);
	if (!import->is_waiting && peer_next_linked(import->daemon, NULL))
		/* None that may be asked: it is of another daemon, or of one that was started anew.
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

static struct import *import_find(struct daemon *daemon, uint64_t id)
{
	struct idmap_node *node = idmap_find(&daemon->import_map, id);

	return node ? container_of(node, struct import, node) : NULL;
}

struct import *import_find_alive(const struct session *session, uint64_t id)
{
	struct import *import = import_find(session->daemon, id);

	return import && import->session == session && import->state == IMPORT_ALIVE ? import
										     : NULL;
}

int import_on_destroy(struct session *session, const Dococore__Packet *packet, struct fdset *fds)
{
	struct import *import = import_find(session->daemon, packet->import_destroy->import_id);

	(void)fds;
	if (import && import->session == session && import->state != IMPORT_PENDING)
		import_free(import);
	session_reply_ok(session, packet->id);
	return 0;
}

int import_on_transport(struct session *session, const Dococore__Packet *packet, struct fdset *fds)
{
	const Dococore__ImportTransport *say = packet->import_transport;
	struct import *import = import_find(session->daemon, say->import_id);
	struct transport_choice choice = {.n_rejected = 0};

	(void)fds;
	if (!import || import->session != session)
		return 0;
	transport_choice_set(&choice, say);
	if (transport_choice_equal(&choice, &import->choice) &&
	    (import->is_choice_told || import->is_choice_due || !import->peer))
		return 0;
	import->choice = choice;
	bus_tell(import->daemon, BUS_IMPORT, BUS_CHANGED, import);
	import_tell_choice(import);
	log_debug("import %llu of client %llu goes through %s", (unsigned long long)import->node.id,
		  (unsigned long long)session->id, import->choice.transport);
	return 0;
}

int import_on_peer_gone(struct peer *peer, const Dococore__Packet *packet, struct fdset *fds)
{
	const Dococore__PeerImportGone *gone = packet->peer_import_gone;

	(void)fds;
	if (gone->by_exporter) {
		struct import *import = import_find(peer->daemon, gone->import_id);

		if (import && import->peer == peer && import->state == IMPORT_ALIVE)
			import_mark_gone(import);
	} else {
		struct grant *grant = grant_find(peer, gone->import_id);

		if (grant) {
			export_give_back(grant->export);
			grant_end(grant);
		}
	}
	return 0;
}
