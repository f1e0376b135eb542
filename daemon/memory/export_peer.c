/*
 * Exports and the daemons that import them for their clients: which exports a peer may import, and
 * the grants; see export.h.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "daemon/base/daemon.h"
#include "daemon/device/device.h"
#include "daemon/config/config.h"
#include "daemon/topology/topology.h"
#include "daemon/memory/export.h"
#include "daemon/memory/export_sync.h"
#include "daemon/peer/peer.h"
#include "daemon/session/session.h"
#include "util/clock.h"
#include "util/str.h"

/*
 * Time in which clients whose sessions were not persisted across a daemon restart register their
 * exports again.
 */
#define EXPORT_RETURN_NS (15 * NS_PER_SEC)

struct grant *grant_free(struct grant *grant)
{
	idmap_remove(&grant->peer->grant_map, &grant->node);
	list_remove(&grant->export_link);
	list_remove(&grant->peer_link);
	grant->export->n_grants--;
	free(grant->choice);
	free(grant);
	return NULL;
}

struct grant *grant_end(struct grant *grant)
{
	struct export *export = grant->export;

	export_sync_wake(export);
	grant_free(grant);
	events_emit(&export->daemon->events, OBJECT_EXPORT, OBJECT_CHANGED, export);
	return NULL;
}

void grants_end(struct peer *peer)
{
	while (!list_is_empty(&peer->grants))
		grant_end(list_entry(peer->grants.next, struct grant, peer_link));
}

struct grant *grant_find(const struct peer *peer, uint64_t import_id)
{
	struct idmap_node *node = idmap_find(&peer->grant_map, import_id);

	return node ? container_of(node, struct grant, node) : NULL;
}

uid_t export_importer_uid(const struct export *export, const struct peer *peer, uid_t stated)
{
	/* Importers behind TLS get no descriptors; what is shown of them needs no trust. */
	bool is_trusted = peer->is_tls || peer->uid == 0 || peer->uid == geteuid() ||
			  peer->uid == export->session->uid;

	return is_trusted ? stated : peer->uid;
}

/* Returns 0, -EEXIST (the peer used the id twice), -ENOSPC or -ENOMEM. */
static int grant_new(struct export *export, struct peer *peer, const Dococore__PeerImport *ask,
		     struct grant **grant_out)
{
	struct grant *grant = NULL;
	int r;

	if (export->n_grants == EXPORT_MAX_GRANTS)
		return -ENOSPC;
	grant = calloc(1, sizeof(*grant));
	if (!grant)
		return -ENOMEM;
	r = idmap_add(&peer->grant_map, &grant->node, ask->import_id);
	if (r < 0) {
		free(grant);
		return r;
	}
	grant->export = export;
	grant->peer = peer;
	grant->import_id = ask->import_id;
	grant->importer_pid = (pid_t)ask->importer_pid;
	grant->importer_uid = ask->importer_uid;
	grant->knows_files = ask->knows_files;
	list_append(&export->grants, &grant->export_link);
	list_append(&peer->grants, &grant->peer_link);
	export->n_grants++;
	*grant_out = grant;
	return 0;
}

void grant_notify_gone(struct grant *grant)
{
	Dococore__PeerImportGone gone = DOCOCORE__PEER_IMPORT_GONE__INIT;
	Dococore__Packet packet = DOCOCORE__PACKET__INIT;

	gone.import_id = grant->import_id;
	gone.by_exporter = true;
	packet.body_case = DOCOCORE__PACKET__BODY_PEER_IMPORT_GONE;
	packet.peer_import_gone = &gone;
	/* If the peer is not linked, the importer's library still sees the liveness word. */
	(void)peer_send(grant->peer, &packet, NULL, 0);
}

/*
 * True if one of the two devices is the parent of the other's representor. Representors are on the
 * DPU side.
 */
static bool export_is_represented(const struct export *export, const Dococore__PeerImport *ask,
				  struct peer *peer)
{
	if (export->daemon->config->side == SIDE_DPU)
		return device_has_rep_of(export->daemon, export->device, ask->importer_pci_addr,
					 peer);
	for (size_t i = 0; i < ask->n_parent_of; i++)
		if (strcmp(ask->parent_of[i], export->device->spec->pci_addr) == 0)
			return device_claim(export->device, peer);
	return false;
}

static void export_peer_reply(const struct export *export, struct peer *peer,
			      const Dococore__Packet *request,
			      const struct export_importer *importer, const struct export_fds *fds)
{
	Dococore__ExportKind kind = request->peer_import->kind;
	Dococore__PeerImportReply reply = DOCOCORE__PEER_IMPORT_REPLY__INIT;
	Dococore__Packet packet = DOCOCORE__PACKET__INIT;

	reply.kind = kind;
	reply.addr = export->addr;
	reply.len = export->len;
	reply.permissions = export_permissions(export, kind);
	if (kind == DOCOCORE__EXPORT_KIND__PCI)
		reply.pass_on = (ProtobufCBinaryData){EXPORT_SECRET_LEN, export->pass_on};
	reply.memory = export_memory_for(export, importer);
	reply.memfd_offset = export->memfd_offset;
	reply.slot = export->slot;
	reply.generation = export->generation;
	reply.liveness_len = SESSION_LIVENESS_LEN;
	reply.exporter_pid = (uint32_t) export->session->pid;
	reply.exporter_uid = export->session->uid;
	reply.exporter_device = (char *)export->device->spec->name;
	reply.is_remote = !peer_passes_fds(peer);
	reply.knows_transport = !reply.is_remote && export_kind_has_transport(export->kind);
	reply.endpoint_id = export->daemon->export_hooks->endpoint_serving(
		export->session, export->handle, reply.is_remote);
	reply.relays = peer_relays_copies(peer) && export->daemon->export_hooks->endpoint_relays(
							   export->session, export->handle);
	packet.id = request->id;
	packet.body_case = DOCOCORE__PACKET__BODY_PEER_IMPORT_REPLY;
	packet.peer_import_reply = &reply;
	(void)peer_send(peer, &packet, fds->fds, fds->n_fds);
}

static int export_refuse_peer(const struct export *export, struct peer *peer,
			      const Dococore__Packet *packet)
{
	const struct device_spec *spec = export->device->spec;

	if (export->daemon->config->side == SIDE_DPU)
		return peer_fail_refused(
			peer, packet->id, CODE_NOT_PERMITTED,
			"the export belongs to device '%s', which has no representor of "
			"the importer's function %.12s: import it with a device that has "
			"one there",
			spec->name, packet->peer_import->importer_pci_addr);
	return peer_fail_refused(
		peer, packet->id, CODE_NOT_PERMITTED,
		"the export belongs to device '%s' (%s), which has no representor under "
		"the importer's device: import it with the device that has",
		spec->name, spec->pci_addr);
}

static enum code export_unknown_code(const struct daemon *daemon)
{
	if (daemon->resumed_mono_ns && clock_now_ns() - daemon->resumed_mono_ns < EXPORT_RETURN_NS)
		return CODE_AGAIN;
	return CODE_NOT_PERMITTED;
}

int export_on_peer_import(struct peer *peer, const Dococore__Packet *packet, struct fdset *fds)
{
	const Dococore__PeerImport *ask = packet->peer_import;
	struct export_claim claim = {
		.kind = ask->kind, .export_id = ask->export_id, .secret = ask->secret.data};
	struct export *export = export_find_claimed(peer->daemon, &claim);
	struct export_fds out = {.n_fds = 0, .passing = -1};
	struct export_importer importer;
	struct grant *grant = NULL;
	const char *busy;
	int r;

	(void)fds;
	if (!export)
		return peer_fail_refused(peer, packet->id, export_unknown_code(peer->daemon), "%s",
					 export_unknown_text);
	if (export_kind_is_pci(ask->kind) && !export_is_represented(export, ask, peer))
		return export_refuse_peer(export, peer, packet);
	/* A queue pair consists of its descriptors only. */
	if (!peer_passes_fds(peer) && export->kind == DOCOCORE__EXPORT_KIND__RDMA_QP)
		return peer_fail_refused(
			peer, packet->id, CODE_NOT_SUPPORTED,
			"the queue pair is of a process behind a tls: link, which passes "
			"no descriptors: give the devices of both ends an ibdev, or link "
			"daemons of one machine with 'address = unix:...'");
	/*
	 * Queued packets hold descriptors of this process for as long as the peer does not receive
	 * them.
	 */
	if (peer_passes_fds(peer) && peer_is_congested(peer))
		return peer_fail_refused(
			peer, packet->id, CODE_AGAIN,
			"the importer's daemon does not take what it was sent before: "
			"import again");
	busy = export_busy_reason(export, peer->daemon_id, (pid_t)ask->importer_pid);
	if (busy)
		return peer_fail_refused(peer, packet->id, CODE_IN_USE, "%s", busy);
	importer = (struct export_importer){
		.uid = export_importer_uid(export, peer, ask->importer_uid),
		.knows_files = ask->knows_files,
	};
	r = peer_passes_fds(peer) ? export_get_fds(export, &importer, &out) : 0;
	if (r == 0) {
		r = grant_new(export, peer, ask, &grant);
		if (r < 0)
			export_fds_deinit(&out);
	}
	if (r == -EEXIST)
		return -EPROTO;
	if (r < 0)
		return peer_fail_refused(
			peer, packet->id,
			r == -ENOMEM || r == -ENOSPC ? CODE_NO_MEMORY : CODE_OPERATING_SYSTEM,
			"the exporter's daemon could not hand the export over: %s", strerror(-r));
	export_sync_enter(export, peer->daemon_id, (pid_t)ask->importer_pid);
	export_acquire(export, peer->daemon_id, (pid_t)ask->importer_pid);
	events_emit(&export->daemon->events, OBJECT_EXPORT, OBJECT_CHANGED, export);
	export_peer_reply(export, peer, packet, &importer, &out);
	export_fds_deinit(&out);
	return 0;
}

void transport_choice_set(struct transport_choice *choice, const Dococore__ImportTransport *report)
{
	snprintf(choice->transport, sizeof(choice->transport), "%s", report->transport);
	str_make_printable(choice->transport);
	choice->n_rejected = MIN(report->n_rejected, (size_t)EXPORT_MAX_REJECTED);
	for (size_t i = 0; i < choice->n_rejected; i++) {
		snprintf(choice->rejected[i], sizeof(choice->rejected[i]), "%s",
			 report->rejected[i]);
		str_make_printable(choice->rejected[i]);
	}
}

bool transport_choice_equal(const struct transport_choice *one,
			    const struct transport_choice *other)
{
	if (strcmp(one->transport, other->transport) != 0 || one->n_rejected != other->n_rejected)
		return false;
	for (size_t i = 0; i < one->n_rejected; i++)
		if (strcmp(one->rejected[i], other->rejected[i]) != 0)
			return false;
	return true;
}

int export_on_peer_transport(struct peer *peer, const Dococore__Packet *packet, struct fdset *fds)
{
	const Dococore__ImportTransport *report = packet->import_transport;
	struct grant *grant = grant_find(peer, report->import_id);

	(void)fds;
	/* The import may have ended while this message was in transit. */
	if (!grant)
		return 0;
	if (!grant->choice)
		grant->choice = calloc(1, sizeof(*grant->choice));
	if (grant->choice)
		transport_choice_set(grant->choice, report);
	events_emit(&peer->daemon->events, OBJECT_EXPORT, OBJECT_CHANGED, grant->export);
	return 0;
}
