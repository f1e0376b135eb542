/* Requests and notices about imports to the exporter's daemon, and its answers. */
#include <stdio.h>
#include <string.h>

#include "daemon/base/daemon.h"
#include "daemon/memory/memory.h"
#include "daemon/device/device.h"
#include "daemon/base/loop.h"
#include "daemon/peer/peer.h"
#include "daemon/base/journal.h"
#include "daemon/memory/export.h"
#include "daemon/memory/import.h"
#include "daemon/memory/import_internal.h"
#include "daemon/session/grace_period.h"
#include "daemon/session/session.h"
#include "util/clock.h"
#include "util/log.h"
#include "util/str.h"

/*
 * Time limits for one peer and for all peers that are asked in turn. Both are shorter than the time
 * that clients wait.
 */
#define IMPORT_ANSWER_NS (2 * NS_PER_SEC)
#define IMPORT_ALL_NS    (4 * NS_PER_SEC)

void import_release_grant(const struct import *import)
{
	Dococore__PeerImportGone gone = DOCOCORE__PEER_IMPORT_GONE__INIT;
	Dococore__Packet packet = DOCOCORE__PACKET__INIT;

	gone.import_id = import->node.id;
	packet.body_case = DOCOCORE__PACKET__BODY_PEER_IMPORT_GONE;
	packet.peer_import_gone = &gone;
	(void)peer_send(import->peer, &packet, NULL, 0);
}

void import_report_choice(struct import *import)
{
	Dococore__ImportTransport notice = DOCOCORE__IMPORT_TRANSPORT__INIT;
	Dococore__Packet packet = DOCOCORE__PACKET__INIT;
	char *rejected[EXPORT_MAX_REJECTED];

	if (import->state != IMPORT_ALIVE || !import->peer)
		return;
	/*
	 * A client may change its choice at any rate. Only the last choice is reported, when there
	 * is room.
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
	import->is_choice_reported = peer_send(import->peer, &packet, NULL, 0) == 0;
}

void imports_report_choices(struct peer *peer)
{
	struct import *import, *tmp;

	if (!peer->has_choices || peer_is_congested(peer))
		return;
	peer->has_choices = false;
	list_for_each_safe(import, tmp, &peer->daemon->memory->imports, link)
	{
		if (import->peer == peer && import->is_choice_due)
			import_report_choice(import);
	}
}

void import_peer_lost(struct peer *peer)
{
	struct import *import;

	list_for_each(import, &peer->daemon->memory->imports, link)
	{
		if (import->peer != peer)
			continue;
		import->peer = NULL;
		import->is_choice_reported = import->is_choice_due = false;
		import->grant = import->is_remote ? GRANT_LOST : GRANT_HELD;
	}
}

/* True if the import waits for a link to that daemon, or has a link that is about to end. */
static bool import_wants_link(const struct import *import, const struct peer *peer)
{
	return (!import->peer || import->peer->state != PEER_LINKED) && !import->export &&
	       import->state == IMPORT_ALIVE &&
	       memcmp(import->peer_daemon_id, peer->daemon_id, PEER_DAEMON_ID_LEN) == 0;
}

void import_peer_linked(struct peer *peer)
{
	struct import *import;

	list_for_each(import, &peer->daemon->memory->imports, link)
	{
		if (!import_wants_link(import, peer))
			continue;
		/*
		 * The grant of the other link ended with it, and the loss of that link will not be
		 * reported for this import any more.
		 */
		if (import->peer && import->is_remote) {
			peer_request_cancel(&import->renewal);
			import->ends_if_unknown = false;
			import->grant = GRANT_LOST;
		}
		import->peer = peer;
		import->is_choice_reported = import->is_choice_due = false;
	}
}

/*
 * Lists the PCI addresses of the parent's representors. One page is the whole list, because a
 * topology has at most 256 representors.
 */
static size_t import_list_parent_of(const struct import *import, char *out[TOPOLOGY_MAX_REPS])
{
	const struct registry *registry = import->daemon->registry;
	size_t n = 0;

	for (size_t i = 0; i < registry->n_reps && n < TOPOLOGY_MAX_REPS; i++)
		if (registry->reps[i].parent == import->device && registry->reps[i].present)
			out[n++] = (char *)registry->reps[i].spec->pci_addr;
	return n;
}

/*
 * The secret grants access to every process that knows it. A daemon of this machine could read it
 * from the exporter's memory anyway. A daemon of another machine receives it only if the descriptor
 * names that daemon as its origin.
 */
static bool import_may_ask(const struct import *import, const struct peer *peer, bool is_remote)
{
	/* Until the peer has reported its functions, the represented devices are unknown. */
	if (!peer->functions || peer_passes_fds(peer) == is_remote)
		return false;
	return !is_remote ||
	       (import->names_daemon &&
		memcmp(import->exporter_daemon, peer->daemon_id, PEER_DAEMON_ID_LEN) == 0);
}

static struct peer *import_next_peer(struct import *import)
{
	struct peer *peer = import->peer;

	for (;;) {
		while ((peer = peer_next_linked(import->daemon, peer)))
			if (import_may_ask(import, peer, import->asks_remote))
				return peer;
		if (import->asks_remote)
			return NULL;
		import->asks_remote = true;
	}
}

/* Number of peers that may still be asked after this one. */
static unsigned import_n_next(const struct import *import)
{
	struct peer *peer = import->peer;
	unsigned n = 0;

	while ((peer = peer_next_linked(import->daemon, peer)))
		n += import_may_ask(import, peer, import->asks_remote);
	while (!import->asks_remote && (peer = peer_next_linked(import->daemon, peer)))
		n += import_may_ask(import, peer, true);
	return n;
}

static void import_fail_silent(struct import *import)
{
	import_fail(import, CODE_TIME_OUT,
		    "the exporter's daemon did not answer in time: its log, or the network "
		    "between the daemons, may say why; import again");
}

static void import_on_limit(void *user)
{
	struct import *import = user;
	struct peer *peer = import->request.peer;
	struct journal_subject before;

	if (!peer)
		return;
	before = journal_enter(&(struct journal_subject){.peer = peer->name});
	log_warning("peer %s does not answer about an import within %llu ms", peer->name,
		    (unsigned long long)(import->limit_ns / NS_PER_MS));
	journal_leave(&before);
	peer_request_cancel(&import->request);
	import->peer = peer;
	import->was_silent = true;
	/* If the peer answers after all, it must drop the grant. */
	import_release_grant(import);
	if (!import_ask_next(import))
		import_fail_silent(import);
}

/*
 * Limits the wait for one answer, so that all peers can be asked in time. Without a timer the
 * daemon waits as long as the link lasts.
 */
static void import_set_limit(struct import *import)
{
	uint64_t now_ns = clock_now_ns();
	uint64_t left_ns = import->until_ns > now_ns ? import->until_ns - now_ns : 0;

	import->limit_ns = MIN(left_ns / (1 + import_n_next(import)), IMPORT_ANSWER_NS);
	if (!import->limit)
		import->limit = loop_timer_new(import->daemon->loop, import_on_limit, import);
	if (import->limit)
		(void)loop_timer_set(import->limit, import->limit_ns);
}

/* Returns 0 or -errno. */
static int import_send(struct import *import, struct peer_request *request)
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
	ask.knows_files = import->knows_files;
	ask.importer_pci_addr = (char *)import->device->spec->pci_addr;
	packet.body_case = DOCOCORE__PACKET__BODY_PEER_IMPORT;
	packet.peer_import = &ask;
	return peer_ask(import->peer, request, &packet, NULL, 0);
}

bool import_ask_next(struct import *import)
{
	if (!import->until_ns)
		import->until_ns = clock_now_ns() + IMPORT_ALL_NS;
	while ((import->peer = import_next_peer(import))) {
		/* Another peer may have the export and be idle. */
		if (peer_is_congested(import->peer)) {
			import->was_congested = true;
		} else if (import_send(import, &import->request) == 0) {
			import_set_limit(import);
			return true;
		}
	}
	if (!import->was_congested)
		return false;
	import_fail(import, CODE_AGAIN,
		    "the other side's daemon is too busy to be asked for the export: import again");
	return true;
}

static void import_on_error(struct import *import, const Dococore__Error *error)
{
	/* This peer does not have the export; another may. */
	if (strcmp(error->text, export_unknown_text) == 0) {
		if (import_ask_next(import))
			return;
		/* A peer that did not answer may have it. */
		if (import->was_silent)
			import_fail_silent(import);
		else
			import_fail_unknown(import, CODE_NOT_PERMITTED, export_unknown_text);
		return;
	}
	import_fail(import, (enum code)error->code, error->text);
}

void import_ask_again(struct import *import)
{
	import->is_waiting = false;
	import->asks_remote = import->was_silent = import->was_congested = false;
	/* The import has waited for the link, so its time starts now. */
	import->until_ns = clock_now_ns() + IMPORT_ANSWER_NS;
	import->peer = NULL;
	if (!import_ask_next(import))
		import_fail(import, CODE_NOT_CONNECTED,
			    "the link to the exporter's daemon broke before it answered: import "
			    "again once the daemons are linked");
}

void imports_ask_again(struct daemon *daemon)
{
	struct import *import, *tmp;

	list_for_each_safe(import, tmp, &daemon->memory->imports, link)
	{
		if (import->is_waiting)
			import_ask_again(import);
	}
}

/* Returns 0 or -errno. */
static int import_set_remote(struct import *import, const Dococore__PeerImportReply *from,
			     Dococore__ImportReply *reply)
{
	struct session *session = import->session;
	int r = 0;

	/* Otherwise an earlier daemon instance has allocated the slot and may have reported it. */
	if (!import->is_remote)
		r = session_slot_allocate(session, &import->slot, &import->generation);
	if (r < 0)
		return r;
	import->is_remote = true;
	import->grant = GRANT_HELD;
	import->endpoint_id = from->endpoint_id;
	/*
	 * Persists the import first: the slot must stay allocated even if this daemon instance ends
	 * before the client is answered.
	 */
	persist_import(import);
	reply->generation = import->generation;
	reply->is_remote = true;
	reply->same_kernel = import->peer->same_kernel;
	reply->endpoint_id = from->endpoint_id;
	reply->relays = from->relays && peer_relays_copies(import->peer);
	reply->slot = import->slot;
	reply->liveness_len = SESSION_LIVENESS_LEN;
	return 0;
}

/* Releases the liveness word: the export was on another machine when it was first asked for. */
static void import_release_slot(struct import *import)
{
	session_slot_release(import->session, import->slot);
	import->is_remote = false;
	import->grant = GRANT_HELD;
}

void import_on_answer(struct peer_request *request, const Dococore__Packet *answer,
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
		/*
		 * If another peer is linked, or none is expected back, no other event would repeat
		 * the request.
		 */
		if (!import->daemon->stopping && !grace_period_is_active(import->daemon))
			import_ask_again(import);
		return;
	}
	if (answer->body_case == DOCOCORE__PACKET__BODY_ERROR) {
		import_on_error(import, answer->error);
		return;
	}
	/* Kinds differ in the descriptors that come with the reply. */
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
	reply.pass_on = from->pass_on;
	reply.memory = from->memory;
	reply.memfd_offset = from->memfd_offset;
	reply.slot = from->slot;
	reply.generation = from->generation;
	reply.liveness_len = from->liveness_len;
	reply.exporter_pid = from->exporter_pid;
	reply.exporter_uid = from->exporter_uid;
	reply.endpoint_id = import->endpoint_id = from->endpoint_id;
	reply.knows_transport = from->knows_transport && !from->is_remote;
	if (!from->is_remote && import->is_remote)
		import_release_slot(import);
	if (from->is_remote && import_set_remote(import, from, &reply) < 0) {
		import_release_grant(import);
		import_fail(import, CODE_NO_MEMORY,
			    "this connection has as many exports and imports as it may have");
		return;
	}
	import_reply(import, &reply, fds->fds, fds->n_fds);
}

static void import_renew(struct import *import)
{
	/* Until the peer has reported its functions, the represented devices are unknown. */
	if (import->grant == GRANT_LOST && import->state == IMPORT_ALIVE && import->peer &&
	    import->peer->functions && import_send(import, &import->renewal) == 0)
		import->grant = GRANT_ASKED;
}

void imports_renew(struct peer *peer)
{
	struct import *import;

	list_for_each(import, &peer->daemon->memory->imports, link)
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
	/* A failed send breaks the link. That is processed later, outside this loop. */
	list_for_each_safe(import, tmp, &peer->daemon->memory->imports, link)
	{
		if (import->peer != peer || !import->is_renewal_due)
			continue;
		if (peer_is_congested(peer))
			return;
		/*
		 * A refused renewal waits for the next call that needs it, not in front of the
		 * others.
		 */
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

/*
 * True if the export does not exist. After a restart of the exporter's daemon, the exporter may not
 * have reconnected yet; the next call asks again.
 */
static bool import_is_unknown(const Dococore__Error *error)
{
	return error->code != CODE_AGAIN && strcmp(error->text, export_unknown_text) == 0;
}

void import_on_renewed(struct peer_request *request, const Dococore__Packet *answer,
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
	/* The export has other memory than the client imported. */
	if (!from || !from->is_remote || from->kind != import->kind || from->addr != import->addr ||
	    from->len != import->len || from->permissions != import->permissions) {
		import_release_grant(import);
		import_mark_gone(import);
	}
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
			export_release(grant->export);
			grant_end(grant);
		}
	}
	return 0;
}
