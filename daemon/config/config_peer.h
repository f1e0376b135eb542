/* The sections [peer NAME] and [tls] of the configuration; see config.h. */
#ifndef DAEMON_CONFIG_CONFIG_PEER_H
#define DAEMON_CONFIG_CONFIG_PEER_H

#include "daemon/config/config.h"

/* Returns the path of "unix:/path". Returns 0 or -EINVAL. */
int config_parse_unix(const char *text, char path[CONFIG_PATH_LEN]);
/* Sets a key of a [peer]; seen: see schema.h. Returns 0 or -EINVAL. */
int config_peer_entry(struct config_peer *peer, uint64_t *seen, const struct ini_position *at,
		      const char *key, const char *value);
/* Checks a complete section. Returns 0 or -EINVAL. */
int config_peer_check(const struct config_peer *peer, uint64_t seen, const struct ini_position *at);
/* Sets a key of [tls]. Returns 0 or -EINVAL. */
int config_tls_entry(struct config_tls *tls, uint64_t *seen, const struct ini_position *at,
		     const char *key, const char *value);
void config_tls_set_defaults(struct config_tls *tls);
/* Checks [tls] and the peers against each other. Returns 0 or -EINVAL. */
int config_tls_check(const struct config *config, const struct ini_position *at);

#endif
