/*
 * State that the rooms of one daemon share: the loop, the lists of objects, and a pointer to what
 * each room has for itself, which only that room and higher ones can follow. The lists are open to
 * views (D-Bus, tests) for reading; all of it is single-threaded in the daemon's loop, so a view
 * that runs in a loop callback sees a consistent state and may not keep pointers past it. daemon.c
 * makes it.
 */
#ifndef DAEMON_BASE_DAEMON_H
#define DAEMON_BASE_DAEMON_H

#include <stdbool.h>
#include <stdint.h>

#include "daemon/base/account.h"
#include "daemon/base/events.h"
#include "daemon/base/idmap.h"

#define DAEMON_PATH_LEN 108 /* as in sockaddr_un */

struct bus;
struct deferred_close;
struct comch;
struct config;
struct daemon_options;
struct device_hooks;
struct export_hooks;
struct in_flights;
struct ledger;
struct loop;
struct memory;
struct peer_hooks;
struct peers;
struct persistence;
struct rdma;
struct registry;
struct session_hooks;
struct sessions;
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
	struct deferred_close *deferred_close;
	struct in_flights *in_flights;
	struct trim *trim;
	struct config *config;

	/* The rooms. */
	struct sessions *sessions;
	struct peers *peers;
	struct registry *registry; /* devices and representors */
	struct memory *memory;
	struct comch *comch;
	struct rdma *rdma;

	struct accounts accounts;
	uint64_t max_fds; /* limit of descriptors for all clients together */
	uint8_t daemon_id[16];
	char runtime_dir[DAEMON_PATH_LEN];
	char socket_path[DAEMON_PATH_LEN]; /* of clients */
	uint64_t started_at_ns;            /* CLOCK_REALTIME */
	uint64_t resumed_mono_ns;
	bool stopping;          /* clients outlive the daemon: no object is reported as gone */
	char reload_error[512]; /* why the last reload was refused; "": it was not */

	struct bus *bus; /* for operators */

	uint64_t next_session_id, next_import_id, next_service_id, next_channel_id, next_record_id;
	uint64_t next_rdma_id;

	struct ledger *ledger; /* NULL: nothing is persisted across restarts */
	struct persistence *persistence;
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

#endif
