/*
 * One daemon: the objects of one side and how they are wired. Owns everything. The lists are open
 * to views (D-Bus, tests) for reading; all of it is single-threaded in the daemon's loop, so a view
 * that runs in a loop callback sees a consistent state and may not keep pointers past it.
 */
#ifndef DAEMON_DAEMON_H
#define DAEMON_DAEMON_H

#include <stdbool.h>
#include <stdint.h>

#include "daemon/base/account.h"
#include "daemon/base/idmap.h"
#include "daemon/base/loop.h"
#include "daemon/config/config.h"
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

struct daemon_options {
	enum side side;
	const char *config_file;      /* NULL: built-in defaults */
	const char *topology_file;    /* NULL: as the configuration says */
	const char *default_topology; /* if that says nothing; NULL: TOPOLOGY_DEMO */
	const char *runtime_dir; /* NULL: $XDG_RUNTIME_DIR/dococored, or /run/dococored for root */
	const char *sysfs;       /* NULL: /sys */
	const struct machine *machine; /* NULL: the kernel's netlink; lives as long as the daemon */
	bool has_log_level;            /* wins over the configuration */
	enum log_level log_level;
	size_t fd_store; /* descriptors that the service manager keeps for us; 0: none */
};

struct daemon {
	struct daemon_options options;
	struct loop *loop;
	struct closer *closer;
	struct in_flights *in_flights;
	struct trim *trim;
	struct config *config;
	struct registry registry; /* devices and representors */
	struct hotplug *hotplug;  /* keeps it as the machine is */
	struct accounts accounts;
	uint64_t max_fds; /* that clients may cost together */
	uint8_t daemon_id[16];
	char runtime_dir[CONFIG_PATH_LEN];
	char socket_path[CONFIG_PATH_LEN]; /* of clients */
	uint64_t started_at_ns;            /* CLOCK_REALTIME */
	uint64_t resumed_mono_ns; /* CLOCK_MONOTONIC: went on as an earlier instance; 0: did not */
	bool stopping;            /* clients live on: nothing is said to be gone */
	bool status_due;
	char reload_error[512]; /* why the last reload was refused; "": it was not */
	struct peer_told told;
	struct peer_identities identities;
	struct tls *tls; /* NULL without peers over TLS */

	struct listener *clients;
	struct listener *peer_listener, *tls_listener;
	struct bus *bus; /* of operators */
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
	uint64_t n_clients_ended; /* channels of which the client was here */
	struct idmap export_map, import_map, service_map, channel_map, rdma_agent_map,
		rdma_call_map;
	uint64_t next_session_id, next_import_id, next_service_id, next_channel_id, next_record_id;
	uint64_t next_rdma_id;
	uint64_t last_export_order, last_peer_id;
	struct export_revoked revoked;

	struct ledger *ledger; /* NULL: nothing is kept over a restart */
	bool is_ledger_owed;   /* the manager has not got it yet */
	bool is_keep_again_set, is_keep_room;
	struct loop_source *keep_again; /* while there is what the manager had no room for */
	uint64_t keep_delay_ns;
	uint64_t keep_tried; /* id of the session at which the last try ended */
	struct kept kept;
	struct {
		uint64_t session, import, service, channel, record, rdma;
	} kept_ids;      /* written down as given */
	bool is_holding; /* see hold.h */
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

/* Where the sockets of a daemon with these options are. 0 or -errno, logged. */
int daemon_find_runtime_dir(const struct daemon_options *options, char *dir_out, size_t dir_len);
/* Reads the files and builds the objects; nothing listens yet. 0 or -errno, the reason is logged.
 */
int daemon_new(const struct daemon_options *options, struct daemon **daemon_out);
/* Opens the sockets, starts the peer links. 0 or -errno, logged. */
int daemon_start(struct daemon *daemon);
/* Runs until SIGTERM or SIGINT. 0 or -errno. */
int daemon_run(struct daemon *daemon);
/* Closes every session and link, removes the sockets. NULL is fine. Returns NULL. */
struct daemon *daemon_free(struct daemon *daemon);
/* Loads the configuration again; a wrong one is refused and changes nothing. 0 or -EINVAL. */
int daemon_reload(struct daemon *daemon);
/* Something that the status line counts has changed. */
void daemon_changed(struct daemon *daemon);
/* How much there is of what, for people: "1 client, 2 exports, ...". */
struct daemon_counts {
	char text[120];
};
struct daemon_counts daemon_counts(const struct daemon *daemon);
/* CLOCK_REALTIME. */
uint64_t daemon_wall_clock_ns(void);

#endif
