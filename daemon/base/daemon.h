/*
 * What the rooms of one daemon share: the loop, the lists of objects, and a pointer to what each
 * room has for itself, which only that room and higher ones can follow. The lists are open to views
 * (D-Bus, tests) for reading; all of it is single-threaded in the daemon's loop, so a view that
 * runs in a loop callback sees a consistent state and may not keep pointers past it. daemon.c makes
 * it.
 */
#ifndef DAEMON_BASE_DAEMON_H
#define DAEMON_BASE_DAEMON_H

#include <stdbool.h>
#include <stdint.h>

#include "daemon/base/account.h"
#include "daemon/base/events.h"
#include "daemon/base/idmap.h"
#include "util/list.h"

#define DAEMON_PATH_LEN 108 /* as in sockaddr_un */

struct bus;
struct closer;
struct config;
struct daemon_options;
struct device_hooks;
struct export_hooks;
struct export_revoked;
struct in_flights;
struct ledger;
struct loop;
struct loop_source;
struct peer_hooks;
struct peer_identities;
struct peer_told;
struct persistence;
struct registry;
struct session_hooks;
struct tls;
struct trim;

struct daemon {
	const struct daemon_options *options;
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
	struct registry *registry; /* devices and representors */
	struct accounts accounts;
	uint64_t max_fds; /* that clients may cost together */
	uint8_t daemon_id[16];
	char runtime_dir[DAEMON_PATH_LEN];
	char socket_path[DAEMON_PATH_LEN]; /* of clients */
	uint64_t started_at_ns;            /* CLOCK_REALTIME */
	uint64_t resumed_mono_ns; /* CLOCK_MONOTONIC: went on as an earlier instance; 0: did not */
	bool stopping;            /* clients live on: nothing is said to be gone */
	char reload_error[512];   /* why the last reload was refused; "": it was not */
	struct peer_told *told;
	struct peer_identities *identities;
	struct tls *tls; /* NULL without peers over TLS */

	struct bus *bus; /* of operators */

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
	uint64_t n_clients_ended; /* channels of which the client was here */
	struct idmap export_map, import_map, service_map, channel_map, rdma_agent_map,
		rdma_call_map;
	uint64_t next_session_id, next_import_id, next_service_id, next_channel_id, next_record_id;
	uint64_t next_rdma_id;
	uint64_t last_export_order, last_peer_id;
	struct export_revoked *revoked;

	struct ledger *ledger; /* NULL: nothing is kept over a restart */
	struct persistence *persistence;
	bool is_holding; /* see grace_period.h */
	uint64_t hold_began_ns, hold_spent_ns;
	struct loop_source *hold_over;
	struct loop_source *strays_over; /* see channels_watch_strays() */
};

/*
 * An id that was drawn or is a digest, or the first of a row: 16 digits, and below 2^53 for as long
 * as a daemon counts. Readers of JSON (jq, JavaScript) keep no more of a number.
 */
static inline uint64_t daemon_id_of(uint64_t random)
{
	return UINT64_C(1) << 51 | random >> 13;
}

#endif
