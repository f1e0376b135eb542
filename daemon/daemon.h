/*
 * One daemon: the objects of one side, and how they are connected. Owns everything. Views (D-Bus,
 * tests) may read the lists. All of it is single-threaded in the daemon's event loop, so a view
 * that runs in a callback sees a consistent state, and must not keep pointers beyond the callback.
 */
#ifndef DAEMON_DAEMON_H
#define DAEMON_DAEMON_H

#include <stdbool.h>
#include <stdint.h>

#include "daemon/base/account.h"
#include "daemon/base/events.h"
#include "daemon/base/idmap.h"
#include "daemon/base/loop.h"
#include "daemon/config/config.h"
#include "daemon/config/options.h"
#include "daemon/device/device.h"
#include "daemon/memory/export_id.h"
#include "daemon/peer/link.h"
#include "daemon/session/server.h"
#include "daemon/store/persist.h"
#include "util/list.h"

struct bus;
struct tls;
struct ledger;
struct hotplug;
struct machine;
struct watchdog;

struct daemon {
	struct daemon_options options;
	const struct session_hooks *session_hooks;
	const struct peer_hooks *peer_hooks;
	const struct device_hooks *device_hooks;
	const struct export_hooks *export_hooks;
	int (*reload)(struct daemon *daemon); /* daemon_reload() */
	struct loop *loop;
	struct events events; /* of all objects below */
	struct closer *closer;
	struct in_flights *in_flights;
	struct trim *trim;
	struct config *config;
	struct registry registry; /* devices and representors */
	struct hotplug *hotplug;  /* updates the registry from the machine */
	struct accounts accounts;
	uint64_t max_fds; /* limit of descriptors for all clients together */
	uint8_t daemon_id[16];
	char runtime_dir[CONFIG_PATH_LEN];
	char socket_path[CONFIG_PATH_LEN]; /* of clients */
	uint64_t started_at_ns;            /* CLOCK_REALTIME */
	/* CLOCK_MONOTONIC: when it resumed an earlier instance; 0: it did not. */
	uint64_t resumed_mono_ns;
	bool stopping; /* clients outlive the daemon: no object is reported as gone */
	bool status_due;
	struct events_subscriber status_subscriber;
	char reload_error[512]; /* why the last reload was refused; "": it was not */
	struct peer_told told;
	struct peer_identities identities;
	struct tls *tls; /* NULL if there are no peers over TLS */

	struct listener *clients;
	struct listener *peer_listener, *tls_listener;
	struct bus *bus; /* for operators */
	struct watchdog *watchdog;
	struct loop_source *on_term, *on_int, *on_hup, *status;

	struct list sessions;    /* struct session, link */
	struct list exports;     /* struct export, link */
	struct list imports;     /* struct import, link */
	struct list services;    /* struct service, link */
	struct list channels;    /* struct channel, link */
	struct list rdma_agents; /* struct rdma_agent, link */
	struct list rdma_calls;  /* struct rdma_call, link */
	struct list dim_ends;    /* struct dim_end, link */
	struct list peers;       /* struct peer, link */
	unsigned n_sessions, n_exports, n_imports, n_services, n_channels;
	uint64_t n_clients_ended; /* number of ended channels whose client was on this side */
	struct idmap export_map, import_map, service_map, channel_map, rdma_agent_map,
		rdma_call_map;
	uint64_t next_session_id, next_import_id, next_service_id, next_channel_id, next_record_id;
	uint64_t next_rdma_id;
	uint64_t last_export_order, last_peer_id;
	struct export_revoked revoked;

	struct ledger *ledger; /* NULL: nothing is persisted across restarts */
	bool is_ledger_owed;   /* the manager does not have it yet */
	bool is_keep_again_set, is_keep_room;
	struct loop_source *keep_again; /* active while something could not be persisted */
	uint64_t keep_delay_ns;
	uint64_t keep_tried; /* id of the session at which the last attempt ended */
	struct kept kept;
	struct {
		uint64_t session, import, service, channel, record, rdma;
	} kept_ids;      /* ids that are recorded as used */
	bool is_holding; /* see grace_period.h */
	uint64_t hold_began_ns, hold_spent_ns;
	struct loop_source *hold_over;
	struct loop_source *strays_over; /* see channels_watch_strays() */
};

/*
 * Converts a random number or digest to an id, or to the first id of a sequence. It has 16 digits
 * and stays below 2^53, because readers of JSON (jq, JavaScript) represent integers exactly up to
 * that.
 */
static inline uint64_t daemon_id_of(uint64_t random)
{
	return UINT64_C(1) << 51 | random >> 13;
}

/* Reads the files and creates the objects; no socket is opened yet. Returns 0 or -errno, logged. */
int daemon_new(const struct daemon_options *options, struct daemon **daemon_out);
/* Opens the sockets and starts the peer links. Returns 0 or -errno, logged. */
int daemon_start(struct daemon *daemon);
/* Runs until SIGTERM or SIGINT. Returns 0 or -errno. */
int daemon_run(struct daemon *daemon);
/* Closes every session and link and removes the sockets. Accepts NULL. Returns NULL. */
struct daemon *daemon_free(struct daemon *daemon);
/*
 * Reloads the configuration; an invalid one is refused and changes nothing. Returns 0 or -EINVAL.
 */
int daemon_reload(struct daemon *daemon);

#endif
