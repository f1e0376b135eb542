/*
 * Configuration of one daemon: built-in defaults, overridden by the file, validated as a whole. A
 * struct config is constant once loaded; a reload loads a second one, and daemon.c compares and
 * swaps them.
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
#define CONFIG_PATH_LEN        108 /* size of sun_path in sockaddr_un */
#define CONFIG_MAX_FDS         10000000u
#define CONFIG_HOST_LEN        254
#define CONFIG_FILE_LEN        256
#define CONFIG_FINGERPRINT_LEN 32 /* SHA-256 of a certificate */

enum config_system_bus { SYSTEM_BUS_AUTO, SYSTEM_BUS_YES, SYSTEM_BUS_NO };
/* Values of HelloReply.ptracer. */
enum config_ptracer { PTRACER_OFF = 1, PTRACER_IMPORTER, PTRACER_ANY };

/* A daemon of the other side. A peer without an address connects to this daemon over TLS. */
struct config_peer {
	char name[64];
	char path[CONFIG_PATH_LEN]; /* unix: the peer's listening socket; else "" */
	/* tls: a name, or a numeric address without brackets; otherwise "" */
	char host[CONFIG_HOST_LEN];
	uint16_t port;
	char subject[CONFIG_HOST_LEN]; /* tls: a name in the peer's certificate */
	bool has_fingerprint;
	uint8_t fingerprint[CONFIG_FINGERPRINT_LEN];
	bool is_default; /* not named in a file */
};

/* Section [tls]. */
struct config_tls {
	char listen_host[64]; /* numeric; "" if this side does not listen */
	uint16_t listen_port;
	char certificate[CONFIG_FILE_LEN], key[CONFIG_FILE_LEN], ca[CONFIG_FILE_LEN];
	uint64_t timeout_ns;   /* a peer that is silent this long is lost */
	uint64_t handshake_ns; /* time limit of each step until a peer is linked */
};

struct config {
	char file[4096]; /* "" if there is none */
	enum side side;
	const struct profile *profile;
	char topology[4096]; /* "" for the built-in topology */
	enum log_level log_level;
	mode_t socket_mode;
	char peer_listen[CONFIG_PATH_LEN];   /* "" if this side does not listen for peers */
	struct acl peer_allow;               /* besides this daemon's own uid and root */
	struct acl admin_read, admin_change; /* besides this daemon's own uid and root */
	enum config_system_bus system_bus;
	enum config_ptracer ptracer; /* for programs that do not set DOCOCORED_PTRACER */
	uint64_t client_queue_len;   /* bytes that may be queued for a client */
	uint64_t client_stall_ns;    /* a client that reads nothing for this long is dropped */
	struct limits limits;
	struct config_peer peers[CONFIG_MAX_PEERS];
	size_t n_peers;
	struct config_tls tls;
	struct policy policy;
};

/*
 * Reads the configuration. path may be NULL: defaults only. runtime_dir locates the default peer
 * socket. Adds all mistakes to *error. Returns 0 or -errno; -EINVAL may come with a configuration,
 * so that the files that it names can be validated, too. Free with config_free().
 */
int config_read(const char *path, enum side side, const char *runtime_dir,
		struct config **config_out, struct ini_error *error);
/* Like config_read(), but returns a configuration only if it is valid. */
int config_load(const char *path, enum side side, const char *runtime_dir,
		struct config **config_out, struct ini_error *error);
/* Accepts NULL. Returns NULL. */
struct config *config_free(struct config *config);
/* Returns NULL if there is no peer of that name. */
const struct config_peer *config_find_peer(const struct config *config, const char *name);
/* True if all keys are equal. */
bool config_peer_equal(const struct config_peer *a, const struct config_peer *b);
/* True if this daemon connects to the peer; otherwise the peer connects to this daemon. */
bool config_peer_is_ours(const struct config_peer *peer);
/* True if this daemon listens for, or has, a peer over TLS, and so has a certificate. */
bool config_uses_tls(const struct config *config);

#endif
