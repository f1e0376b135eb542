/* Decoding of descriptors for operators; see daemon/dbus/decode.h. */
#include "daemon/dbus/decode.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>

#include "daemon/base/daemon.h"
#include "daemon/device/device.h"
#include "daemon/config/config.h"
#include "daemon/topology/topology.h"
#include "daemon/dbus/imports.h"
#include "daemon/memory/export.h"
#include "daemon/peer/peer.h"
#include "daemon/session/session.h"
#include "util/descriptor.h"
#include "util/str.h"

/* True if the device's capabilities allow it to import this kind. */
static bool device_can_import(const struct device *device, Dococore__ExportKind kind)
{
	const struct caps *caps = &device->spec->caps;

	switch (kind) {
	case DOCOCORE__EXPORT_KIND__PCI:
		return caps->import_pci;
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

static bool peer_is_linked(const struct daemon *daemon, enum side side)
{
	const struct peer *peer;

	list_for_each(peer, &daemon->peers->list,
		      link) if (peer->state == PEER_LINKED && peer->side == side) return true;
	return false;
}

/* Returns the reason why no device of this side can import it, or NULL. */
static const char *import_obstacle(const struct daemon *daemon,
				   const struct export_descriptor *export_descriptor,
				   const struct export *export)
{
	enum side own = daemon->config->side;
	enum side side = export_descriptor->side ? SIDE_DPU : SIDE_HOST;
	Dococore__ExportKind kind = (Dococore__ExportKind)export_descriptor->kind;
	const char *busy;

	if (side == own && !export)
		return export_unknown_text;
	if (side == own && export_kind_is_pci(kind))
		return "it was exported for PCI on this same side: only the other side can import "
		       "it";
	busy = export ? export_busy_reason(export, daemon->daemon_id, 0) : NULL;
	if (busy)
		return busy;
	if (side != own && !peer_is_linked(daemon, side))
		return "no daemon of the exporter's side is linked to this one";
	for (size_t i = 0; i < daemon->registry->n_devices; i++)
		if (device_can_import(&daemon->registry->devices[i], kind))
			return NULL;
	return "no device of this side imports this kind";
}

static void import_fill(struct record *rec, const struct daemon *daemon,
			const struct export_descriptor *export_descriptor,
			const struct export *export)
{
	const char *obstacle = import_obstacle(daemon, export_descriptor, export);
	Dococore__ExportKind kind = (Dococore__ExportKind)export_descriptor->kind;
	bool pci = export_kind_is_pci(kind), is_none = obstacle != NULL;

	record_text(rec, "importable", obstacle ? "no" : pci ? "perhaps" : "yes");
	if (!obstacle && pci)
		obstacle = "with the device that has a representor of the exporter's function, or "
			   "is that function's parent";
	record_text(rec, "importable_why", obstacle ? obstacle : "");
	record_open_value(rec, "import_devices", "as");
	for (size_t i = 0; i < daemon->registry->n_devices; i++)
		if (!is_none && device_can_import(&daemon->registry->devices[i], kind))
			record_item(rec, daemon->registry->devices[i].spec->name);
	record_close_value(rec);
}

/* Adds facts that only the daemon of the export knows. */
static void owner_fill(struct record *rec, const struct export *export)
{
	bus_fill_owner(rec, export->session);
	record_text(rec, "device", export->device->spec->name);
	record_text(rec, "device_pci_addr", export->device->spec->pci_addr);
	record_text(rec, "memory", bus_memory_name(export->memory));
	record_number(rec, "n_importers", export->n_grants + export->n_imports);
	record_number(rec, "created_at_ns", export->created_at_ns);
}

static void export_descriptor_fill(struct record *rec, struct daemon *daemon,
				   const struct export_descriptor *export_descriptor)
{
	Dococore__ExportKind kind = (Dococore__ExportKind)export_descriptor->kind;
	struct export_claim claim = {.kind = kind,
				     .export_id = export_descriptor->export_id,
				     .secret = export_descriptor->secret};
	enum side side = export_descriptor->side ? SIDE_DPU : SIDE_HOST;
	bool own = side == daemon->config->side;
	struct export *export = own ? export_find_claimed(daemon, &claim) : NULL;
	char id[2 * sizeof(export_descriptor->daemon_id) + 1];

	str_hex(export_descriptor->daemon_id, sizeof(export_descriptor->daemon_id), id);
	record_text(rec, "kind", export_kind_name(kind));
	record_text(rec, "side", side_name(side));
	record_text(rec, "daemon_id", id);
	record_number(rec, "id", export_descriptor->export_id);
	record_number(rec, "addr", export_descriptor->addr);
	record_number(rec, "len", export_descriptor->len);
	bus_fill_permissions(rec, export_descriptor->permissions);
	record_text(rec, "alive", !own ? "unknown" : export ? "yes" : "no");
	record_text(rec, "alive_why",
		    !own     ? "the daemon of the exporter's side knows"
		    : export ? ""
			     : export_unknown_text);
	if (export)
		owner_fill(rec, export);
	import_fill(rec, daemon, export_descriptor, export);
}

/*
 * No daemon knows the queue pairs of RDMA devices, so only the descriptor's own fields are
 * available.
 */
static void qp_fill(struct record *rec, const struct daemon *daemon,
		    const struct conn_params_qp *qp)
{
	char gid[INET6_ADDRSTRLEN];
	bool any = false;

	record_number(rec, "qp_number", qp->number);
	record_text(rec, "gid", inet_ntop(AF_INET6, qp->gid, gid, sizeof(gid)));
	record_number(rec, "lid", qp->lid);
	record_number(rec, "path_mtu", qp->mtu);
	record_text(rec, "alive", "unknown");
	record_text(rec, "alive_why", "only the RDMA device that has the GID knows");
	record_open_value(rec, "import_devices", "as");
	for (size_t i = 0; i < daemon->registry->n_devices; i++) {
		const struct device_spec *spec = daemon->registry->devices[i].spec;

		if (!spec->is_bound || !spec->caps.rdma)
			continue;
		record_item(rec, spec->name);
		any = true;
	}
	record_close_value(rec);
	record_text(rec, "importable", any ? "perhaps" : "no");
	record_text(rec, "importable_why",
		    any ? "with a device whose network reaches the GID"
			: "no device of this side is bound to an RDMA device");
}

void bus_decode_fill(struct record *rec, struct daemon *daemon, const void *data, size_t len)
{
	struct descriptor descriptor;
	const char *wrong = descriptor_parse(data, len, &descriptor);

	record_begin(rec);
	record_bool(rec, "valid", !wrong);
	if (!wrong) {
		record_text(rec, "type", descriptor_type_name(&descriptor));
		if (*descriptor.provider)
			record_text(rec, "provider", descriptor.provider);
		if (descriptor.has_export)
			export_descriptor_fill(rec, daemon, &descriptor.export_descriptor);
		if (descriptor.has_qp)
			qp_fill(rec, daemon, &descriptor.qp);
		descriptor_wipe(&descriptor);
	}
	record_text(rec, "error", wrong ? wrong : "");
	record_end(rec);
}
