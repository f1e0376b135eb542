/*
 * Ids of exports. Every importer of an export knows its id and secret, and may belong to another
 * user. With both, a client registers the export again after a restart of the daemon. Therefore the
 * id is computed from the secret and the owner's uid: the daemon can verify that a client restores
 * its own export without a list of earlier exports. A revoked export cannot be restored.
 */
#ifndef DAEMON_MEMORY_EXPORT_ID_H
#define DAEMON_MEMORY_EXPORT_ID_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define EXPORT_SECRET_LEN 16

/* Number of revoked exports that are remembered. */
#define EXPORT_MAX_REVOKED 256u

struct export_revoked {
	uint64_t ids[EXPORT_MAX_REVOKED]; /* oldest first */
	size_t n;
};

/*
 * Computes the id of an export from its secret and user. Every version of the daemon computes the
 * same id. Returns 0 or -EIO.
 */
int export_id_of(const uint8_t secret[EXPORT_SECRET_LEN], uid_t uid, uint64_t *id_out);
/* Generates a secret with its id, and a second secret. Returns 0, -EIO or another -errno. */
int export_id_make(uid_t uid, uint8_t secret_out[EXPORT_SECRET_LEN],
		   uint8_t other_out[EXPORT_SECRET_LEN], uint64_t *id_out);

/* Adds an id. If the list is full, drops the oldest. */
void export_revoked_add(struct export_revoked *revoked, uint64_t id);
bool export_revoked_has(const struct export_revoked *revoked, uint64_t id);

#endif
