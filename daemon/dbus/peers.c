/* Other daemons, for operators. */
#include "daemon/dbus/noun.h"

#include "daemon/base/daemon.h"
#include "daemon/peer/peer.h"
#include "daemon/topology/topology.h"
#include "util/str.h"

static const struct list *peer_list(const struct daemon *daemon)
{
	return &daemon->peers->list;
}

/* Unauthenticated peers are hidden, and no signal reports that they have ended. */
static bool peer_is_hidden(const void *object)
{
	const struct peer *peer = object;

	return !peer->is_announced || (peer->state == PEER_EXPECTED && peer_is_connected(peer));
}

static void peer_fill(struct record *rec, const void *object)
{
	const struct peer *peer = object;
	bool linked = peer->state == PEER_LINKED;
	char id[2 * PEER_DAEMON_ID_LEN + 1];

	str_hex(peer->daemon_id, PEER_DAEMON_ID_LEN, id);
	record_begin(rec);
	record_number(rec, "id", peer->id);
	record_text(rec, "name", peer->name);
	record_text(rec, "path", peer->path);
	record_text(rec, "kind", peer->is_tls ? "tls" : "unix");
	record_text(rec, "address", peer->address);
	record_text(rec, "subject", peer->subject);
	record_text(rec, "state", peer_state_name(peer->state));
	record_text(rec, "reason", peer->reason);
	record_bool(rec, "connected", linked);
	record_bool(rec, "same_kernel", linked && peer->same_kernel);
	record_number(rec, "rtt_ns", peer->alive.rtt_ns);
	record_text(rec, "side", linked ? side_name(peer->side) : "");
	record_number(rec, "pid", linked ? (uint64_t)peer->pid : 0);
	record_number(rec, "uid", linked ? peer->uid : 0);
	record_text(rec, "daemon_id", linked ? id : "");
	record_text(rec, "version", linked ? peer->version : "");
	record_number(rec, "linked_at_ns", linked ? peer->linked_at_ns : 0);
	record_number(rec, "n_links", peer->n_links);
	record_number(rec, "n_functions", peer->n_functions);
	record_end(rec);
}

static const sd_bus_vtable peer_vtable[] = {
	SD_BUS_VTABLE_START(0), FIXED("Id", "t"),        FACT("Name", "s"),
	FIXED("Path", "s"),     FIXED("Kind", "s"),      FIXED("Address", "s"),
	FACT("Subject", "s"),   FACT("State", "s"),      FACT("Reason", "s"),
	FACT("Connected", "b"), FACT("SameKernel", "b"), FACT("RttNs", "t"),
	FACT("Side", "s"),      FACT("Pid", "t"),        FACT("Uid", "t"),
	FACT("DaemonId", "s"),  FACT("Version", "s"),    FACT("LinkedAtNs", "t"),
	FACT("NLinks", "t"),    FACT("NFunctions", "t"), SD_BUS_VTABLE_END,
};

const struct bus_noun bus_peer = {
	.name = "peer",
	.folder = "peers",
	.interface = "org.dococore.Peer",
	.vtable = peer_vtable,
	.list_of = peer_list,
	.link = offsetof(struct peer, link),
	.hides = peer_is_hidden,
	.order = offsetof(struct peer, id),
	.fill = peer_fill,
};
