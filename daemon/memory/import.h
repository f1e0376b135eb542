/*
 * Imports by this side's clients, of an export of the same side or of a peer. A pending import
 * waits for the peer's answer. The client is answered exactly once.
 */
#ifndef DAEMON_MEMORY_IMPORT_H
#define DAEMON_MEMORY_IMPORT_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "daemon/base/account.h"
#include "daemon/base/idmap.h"
#include "daemon/device/device.h"
#include "daemon/memory/export.h"
#include "daemon/peer/peer.h"
#include "daemon/session/object.h"
#include "daemon/store/persist.h"
#include "proto/frame.h"
#include "util/list.h"

enum import_state {
	IMPORT_PENDING,
	IMPORT_ALIVE,
	IMPORT_GONE, /* the export has ended; the client has not destroyed the import yet */
};

struct import {
	struct daemon *daemon;
	struct session *session;
	struct list link; /* daemon->memory->imports */
	struct session_object in_session;
	struct idmap_node node; /* daemon->memory->import_map; node.id is the import id */
	struct handle *handle;
	struct device *device;
	enum import_state state;
	Dococore__ExportKind kind;
	enum side exporter_side;
	uint64_t export_id;
	/*
	 * EXPORT_SECRET_LEN bytes. Overwritten when the client is answered, except for a remote
	 * import.
	 */
	uint8_t *secret;
	/*
	 * The descriptor names the daemon that issued it. A daemon over TLS is asked only if it is
	 * that one.
	 */
	bool names_daemon;
	bool needs_daemons; /* if not set, an RDMA device may reach the memory without daemons */
	bool knows_files;   /* see ImportCreate; not kept across a restart */
	uint8_t exporter_daemon[PEER_DAEMON_ID_LEN];
	uint64_t addr, len;
	uint32_t permissions;
	Dococore__MemoryKind memory;
	pid_t exporter_pid;
	uid_t exporter_uid;
	char exporter_device[64];
	bool same_process;
	/*
	 * The exporter is on another machine: no descriptors came, and a word of the importer's own
	 * liveness page replaces the exporter's.
	 */
	bool is_remote;
	uint32_t slot, generation;
	/*
	 * Whether the exporter's daemon has a grant for a remote import. A grant is lost with its
	 * link; the daemon is asked again over the next one.
	 */
	enum import_grant {
		GRANT_HELD,
		GRANT_LOST,
		GRANT_ASKED,
	} grant;
	bool is_renewal_due;  /* not asked over this link yet */
	bool ends_if_unknown; /* a call waits for the answer */
	struct peer_request renewal;
	/*
	 * Rendezvous endpoint at the exporter's daemon, through which RDMA devices reach the
	 * export; 0: none.
	 */
	uint64_t endpoint_id;
	uint64_t created_at_ns; /* CLOCK_REALTIME */

	struct transport_choice choice;
	bool is_choice_reported; /* the exporter's daemon knows the choice, over this link */
	bool is_choice_due;      /* its report was postponed because the peer was congested */
	/* The default transport applies unless the client reports another one. */
	bool knows_transport;

	struct export *export; /* an export of this side, or NULL */
	struct list export_link;
	/* The peer that has the export; NULL for this side or while not linked. */
	struct peer *peer;
	uint8_t peer_daemon_id[PEER_DAEMON_ID_LEN];
	uint64_t request_id; /* id of the client's request */
	bool is_waiting;     /* for a link to be established (again) */
	bool asks_remote;    /* all peers that pass descriptors have been asked */
	bool was_silent;     /* a peer did not answer in time */
	bool was_congested;  /* a peer was congested and was not asked */
	struct loop_source *limit;
	uint64_t limit_ns; /* time limit of the peer that was asked last */
	uint64_t until_ns; /* CLOCK_MONOTONIC: deadline for all peers; 0: none was asked yet */
	struct peer_request request;
	struct persisted persisted;
	struct charge charge;
};

/* The saved state of an import of an earlier daemon instance. */
struct import_saved {
	uint64_t id, handle;
	uint32_t state, kind;
	enum side exporter_side;
	uint64_t export_id;
	uint8_t secret[EXPORT_SECRET_LEN];
	uint64_t addr, len;
	uint32_t permissions, memory;
	pid_t exporter_pid;
	uid_t exporter_uid;
	const char *exporter_device;
	uint8_t peer_daemon_id[PEER_DAEMON_ID_LEN];
	const uint8_t *exporter_daemon; /* NULL: the descriptor names no daemon */
	bool needs_daemons;
	uint64_t created_at_ns, request_id;
	bool same_process;
	bool is_remote;
	uint32_t slot, generation;
	uint64_t endpoint_id;
};

/* Restores an import; exports must be restored first. Returns 0 or -errno. */
int import_resume(struct session *session, const struct import_saved *saved,
		  struct import **import_out);
/* See resume_answer_again(). */
bool import_create_again(struct session *session, const Dococore__Packet *packet);
/* Repeats the requests whose answers were lost with a link, to the peers that are linked now. */
void imports_ask_again(struct daemon *daemon);
/*
 * The peer has reported its functions: renews grants for imports that were lost with an earlier
 * link, as far as this link has room.
 */
void imports_renew(struct peer *peer);
/* Renews the remaining grants when the peer's send queue has drained. */
void imports_renew_rest(struct peer *peer);
void imports_report_choices(struct peer *peer);
/*
 * Call before a request that refers to the import goes to its peer. Renews the grant, if the export
 * still exists. is_relay: only the daemons can reach the export, so the import ends if its export
 * does not exist.
 */
void import_renew_for_call(struct import *import, bool is_relay);
/* Frees the import and notifies the exporter's side. Returns NULL. */
struct import *import_free(struct import *import);
/* Writes the record, or rewrites it after a change. */
void persist_import(struct import *import);
/* Members of session_object_ops for imports. */
void import_object_save(struct session_object *object);
void import_object_forget(struct session_object *object);
/* Marks that the export has ended. Called by export_free() and for PeerImportGone. */
void import_mark_gone(struct import *import);
/* The link was lost or established. Imports continue; which reports can be sent changes. */
void import_peer_lost(struct peer *peer);
void import_peer_linked(struct peer *peer);
const char *import_state_name(enum import_state state);
/* Returns NULL if the session has no such import or its export has ended. */
struct import *import_find_alive(const struct session *session, uint64_t id);

int import_on_create(struct session *session, const Dococore__Packet *packet, struct fdset *fds);
int import_on_destroy(struct session *session, const Dococore__Packet *packet, struct fdset *fds);
int import_on_transport(struct session *session, const Dococore__Packet *packet, struct fdset *fds);
int import_on_peer_gone(struct peer *peer, const Dococore__Packet *packet, struct fdset *fds);

#endif
