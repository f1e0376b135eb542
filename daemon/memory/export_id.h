/*
 * Ids of exports. Whoever has imported an export knows its id and secret, and may be of another
 * user; with both a client makes the export again after a restart of the daemon. So an id is made
 * from the secret and the owner's uid, and what a client brings must be its own: no list of what
 * there was is needed for that. What an operator has revoked is not made again.
 */
#ifndef DAEMON_MEMORY_EXPORT_ID_H
#define DAEMON_MEMORY_EXPORT_ID_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define EXPORT_SECRET_LEN 16

/* The last that were revoked. */
#define EXPORT_MAX_REVOKED 256u

struct export_revoked {
	uint64_t ids[EXPORT_MAX_REVOKED]; /* the oldest first */
	size_t n;
};

/* The id that an export of the secret and the user has, at each daemon of every version. 0 or -EIO.
 */
int export_id_of(const uint8_t secret[EXPORT_SECRET_LEN], uid_t uid, uint64_t *id_out);
/* A new secret and its id, and another secret. 0, -EIO, -errno. */
int export_id_make(uid_t uid, uint8_t secret_out[EXPORT_SECRET_LEN],
		   uint8_t other_out[EXPORT_SECRET_LEN], uint64_t *id_out);

/* The oldest is forgotten. */
void export_revoked_add(struct export_revoked *revoked, uint64_t id);
bool export_revoked_has(const struct export_revoked *revoked, uint64_t id);

#endif
