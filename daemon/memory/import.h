/*
 * Imports made by this side's clients: of an export of the same side, or of a peer's. A pending one
 * waits for the peer's answer; the client is answered exactly once.
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
#include "daemon/peer/link.h"
#include "daemon/store/persist.h"
#include "proto/frame.h"
#include "util/list.h"

enum import_state {
	IMPORT_PENDING,
	IMPORT_ALIVE,
	IMPORT_GONE, /* the export ended; the client has not given it up yet */
};

struct import {
	struct daemon *daemon;
	struct session *session;
	struct list link;         /* daemon->imports */
	struct list session_link; /* session->imports */
	struct idmap_node node;   /* daemon->import_map; node.id is the import id */
	struct handle *handle;
	struct device *device;
	enum import_state state;
	Dococore__ExportKind kind;
	enum side exporter_side;
	uint64_t export_id;
	uint8_t secret[EXPORT_SECRET_LEN]; /* cleared when it is answered, if not is_distant */
	/* The daemon that the descriptor is of; one over TLS is asked only if it is that one. */
	bool names_daemon;
	bool needs_daemons; /* else the memory may be reached without them */
	uint8_t exporter_daemon[PEER_DAEMON_ID_LEN];
	uint64_t addr, len;
	uint32_t permissions;
	Dococore__MemoryKind memory;
	pid_t exporter_pid;
	uid_t exporter_uid;
	char exporter_device[64];
	bool same_process;
	/* Of another machine: no descriptors came, and a word of the importer's own liveness page
	 * stands for that of the exporter. */
	bool is_distant;
	uint32_t slot, generation;
	/* The exporter's daemon knows of a distant import for as long as the link holds, and is
	 * asked again over the next one. */
	enum import_grant {
		GRANT_HELD,
		GRANT_LOST,
		GRANT_ASKED,
	} grant;
	bool is_renewal_due;  /* not asked over this link yet */
	bool ends_if_unknown; /* somebody waits for the answer */
	struct peer_request renewal;
	uint64_t agent_id;      /* of its daemon: lets RDMA devices at the export; 0: none */
	uint64_t created_at_ns; /* CLOCK_REALTIME */

	struct transport_choice choice;
	bool is_choice_told;  /* to the exporter's daemon, over this link */
	bool is_choice_due;   /* it was too busy */
	bool knows_transport; /* it is the expected one unless the client tells otherwise */

	struct export *export; /* of this side, or NULL */
	struct list export_link;
	struct peer *peer; /* that has the export; NULL when of this side or no longer linked */
	uint8_t peer_daemon_id[PEER_DAEMON_ID_LEN];
	uint64_t request_id; /* of the client's request */
	bool is_waiting;     /* for a link to come (back) */
	bool asks_distant;   /* all peers that pass descriptors were asked */
	bool was_silent;     /* a peer that was asked */
	bool was_congested;  /* a peer that was not asked for that */
	struct loop_source *limit;
	uint64_t limit_ns; /* how long the peer that was asked last has */
	uint64_t until_ns; /* CLOCK_MONOTONIC: all are asked by then; 0: none was yet */
	struct peer_request request;
	struct kept kept;
	struct charge charge;
};

/* One that an earlier instance made. */
struct import_past {
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
	const uint8_t *exporter_daemon; /* NULL: the descriptor names none */
	bool needs_daemons;
	uint64_t created_at_ns, request_id;
	bool same_process;
	bool is_distant;
	uint32_t slot, generation;
	uint64_t agent_id;
};

/* Exports come first. 0 or -errno. */
int import_resume(struct session *session, const struct import_past *past,
		  struct import **import_out);
/* See resume_answer_again(). */
bool import_create_again(struct session *session, const Dococore__Packet *packet);
/* Those whose answer a broken link has lost: of whoever is linked now. */
void imports_ask_again(struct daemon *daemon);
/* The peer has told its functions: what is imported from it over a link that broke, as much as
 * there is room for on this one. */
void imports_renew(struct daemon *daemon, struct peer *peer);
/* Little waits to be sent to it any more. */
void imports_renew_rest(struct peer *peer);
void imports_tell_choices(struct peer *peer);
/* Before a call by the import goes to its peer, which then knows of it if the export is there
 * still. is_relay: nothing but the daemons reaches it, so if it is not, the import is gone. */
void import_renew_for_call(struct import *import, bool is_relay);
/* Tells the exporter's side. Returns NULL. */
struct import *import_free(struct import *import);
/* The export ended: called by export_free() and for PeerImportGone. */
void import_mark_gone(struct import *import);
/* The link is lost or back: imports go on, what can be told changes. */
void import_peer_lost(struct daemon *daemon, struct peer *peer);
void import_peer_linked(struct daemon *daemon, struct peer *peer);
const char *import_state_name(enum import_state state);
/* NULL: it is none of the session's, or its export has ended. */
struct import *import_find_alive(const struct session *session, uint64_t id);

int import_on_create(struct session *session, const Dococore__Packet *packet, struct fdset *fds);
int import_on_destroy(struct session *session, const Dococore__Packet *packet, struct fdset *fds);
int import_on_transport(struct session *session, const Dococore__Packet *packet, struct fdset *fds);
int import_on_peer_gone(struct peer *peer, const Dococore__Packet *packet, struct fdset *fds);

#endif
