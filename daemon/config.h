/*
 * Configuration of one daemon: built-in defaults, then the file, checked as a whole. A struct
 * config is constant once it is loaded; a reload loads a second one and daemon.c compares and
 * swaps.
 */
#ifndef DAEMON_CONFIG_H
#define DAEMON_CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "daemon/account.h"
#include "daemon/ini_file.h"
#include "daemon/policy.h"
#include "daemon/profile.h"
#include "daemon/topology.h"
#include "daemon/who.h"
#include "util/log.h"

#define CONFIG_MAX_PEERS 16
#define CONFIG_PATH_LEN  108 /* as in sockaddr_un */
#define CONFIG_MAX_FDS   10000000u

enum config_system_bus { SYSTEM_BUS_AUTO, SYSTEM_BUS_YES, SYSTEM_BUS_NO };

struct config_peer {
	char name[64];
	char path[CONFIG_PATH_LEN]; /* of the peer's listening socket */
};

struct config {
	char file[4096]; /* "" when there is none */
	enum side side;
	const struct profile *profile;
	char topology[4096]; /* "" for the built-in one */
	enum log_level log_level;
	mode_t socket_mode;
	char peer_listen[CONFIG_PATH_LEN];   /* "" when this side does not listen for peers */
	struct who peer_allow;               /* besides our own uid and root */
	struct who admin_read, admin_change; /* besides our own uid and root */
	enum config_system_bus system_bus;
	uint64_t client_queue_len; /* bytes that may wait for a client */
	uint64_t client_stall_ns;  /* a client that does not read is dropped after this */
	struct limits limits;
	struct config_peer peers[CONFIG_MAX_PEERS];
	size_t n_peers;
	struct policy policy;
};

/*
 * path may be NULL: defaults only. runtime_dir places the default peer socket. All mistakes are
 * added to *error. 0, or -errno; with -EINVAL there may be a configuration all the same, so that
 * the files it names can be checked too. Free with config_free.
 */
int config_read(const char *path, enum side side, const char *runtime_dir,
		struct config **config_out, struct ini_error *error);
/* The same, without a configuration unless it is right. */
int config_load(const char *path, enum side side, const char *runtime_dir,
		struct config **config_out, struct ini_error *error);
/* NULL is fine. Returns NULL. */
struct config *config_free(struct config *config);
#endif
