/*
 * Configuration of one daemon: built-in defaults, then the file, checked as a whole. A struct
 * config is constant once it is loaded; a reload loads a second one and daemon.c compares and
 * swaps.
 */
#ifndef DAEMON_CONFIG_CONFIG_H
#define DAEMON_CONFIG_CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "daemon/base/account.h"
#include "daemon/base/acl.h"
#include "daemon/base/ini_file.h"
#include "daemon/topology/policy.h"
#include "daemon/topology/profile.h"
#include "daemon/topology/topology.h"
#include "util/log.h"

#define CONFIG_MAX_PEERS       16
#define CONFIG_PATH_LEN        108 /* as in sockaddr_un */
#define CONFIG_MAX_FDS         10000000u
#define CONFIG_HOST_LEN        254
#define CONFIG_FILE_LEN        256
#define CONFIG_FINGERPRINT_LEN 32 /* SHA-256 of a certificate */

enum config_system_bus { SYSTEM_BUS_AUTO, SYSTEM_BUS_YES, SYSTEM_BUS_NO };

/* A daemon of the other side. One without an address connects to us, over TLS. */
struct config_peer {
	char name[64];
	char path[CONFIG_PATH_LEN]; /* unix: the peer's listening socket; else "" */
	char host[CONFIG_HOST_LEN]; /* tls: a name or a numeric address, without brackets; else ""
				     */
	uint16_t port;
	char subject[CONFIG_HOST_LEN]; /* tls: a name in the peer's certificate */
	bool has_fingerprint;
	uint8_t fingerprint[CONFIG_FINGERPRINT_LEN];
	bool is_default; /* no file names it */
};

/* Section [tls]. */
struct config_tls {
	char listen_host[64]; /* numeric; "" when this side does not listen */
	uint16_t listen_port;
	char certificate[CONFIG_FILE_LEN], key[CONFIG_FILE_LEN], ca[CONFIG_FILE_LEN];
	uint64_t timeout_ns;   /* a peer that is silent for so long is lost */
	uint64_t handshake_ns; /* each step until a peer is linked takes at most that long */
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
	struct config_tls tls;
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
/* NULL: there is none of that name. */
const struct config_peer *config_find_peer(const struct config *config, const char *name);
/* All keys are the same. */
bool config_peer_equal(const struct config_peer *a, const struct config_peer *b);
/* We connect to it; else it connects to us. */
bool config_peer_is_ours(const struct config_peer *peer);
/* True if it listens for or knows a peer over TLS, so that there is a certificate. */
bool config_uses_tls(const struct config *config);

#endif
