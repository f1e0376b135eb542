/* The sections [peer NAME] and [tls] of the configuration; see config.h. */
#ifndef DAEMON_CONFIG_CONFIG_PEER_H
#define DAEMON_CONFIG_CONFIG_PEER_H

#include "daemon/config/config.h"

/* "unix:/path" to the path. 0 or -EINVAL. */
int config_parse_unix(const char *text, char path[CONFIG_PATH_LEN]);
/* A key of a [peer]; seen as in value.h. 0 or -EINVAL. */
int config_peer_entry(struct config_peer *peer, uint64_t *seen, const struct ini_position *at,
		      const char *key, const char *value);
/* The section is complete. 0 or -EINVAL. */
int config_peer_check(const struct config_peer *peer, uint64_t seen, const struct ini_position *at);
/* A key of [tls]. 0 or -EINVAL. */
int config_tls_entry(struct config_tls *tls, uint64_t *seen, const struct ini_position *at,
		     const char *key, const char *value);
void config_tls_set_defaults(struct config_tls *tls);
/* What [tls] and the peers need of each other. 0 or -EINVAL. */
int config_tls_check(const struct config *config, const struct ini_position *at);

#endif
