/*
 * Binds each daemon_id to the peer that used it first; see struct peer_identities in
 * daemon/peer/peer.h.
 */
#include <stdio.h>
#include <string.h>

#include "daemon/base/daemon.h"
#include "daemon/peer/peer.h"
#include "util/util.h"

static void identity_name(const struct peer *peer, char *name, size_t len)
{
	if (peer->is_tls)
		snprintf(name, len, "tls %s", peer->name);
	else
		snprintf(name, len, "unix %u", (unsigned)peer->uid);
}

static bool identity_has(const struct peer_identity *identity, const uint8_t *id)
{
	for (size_t i = 0; i < MIN(identity->n, (unsigned)PEER_MAX_STORED_IDS); i++)
		if (memcmp(identity->ids[i], id, PEER_DAEMON_ID_LEN) == 0)
			return true;
	return false;
}

static struct peer_identity *identity_find(struct peer_identities *identities, const char *name)
{
	for (size_t i = 0; i < ARRAY_LEN(identities->all); i++)
		if (strcmp(identities->all[i].name, name) == 0)
			return &identities->all[i];
	return NULL;
}

/*
 * There are more places than [peer] sections, so only local users can cause an identity to be
 * forgotten.
 */
static struct peer_identity *identity_new(struct peer_identities *identities, const char *name)
{
	struct peer_identity *oldest = &identities->all[0];

	for (size_t i = 1; i < ARRAY_LEN(identities->all); i++)
		if (identities->all[i].used < oldest->used)
			oldest = &identities->all[i];
	*oldest = (struct peer_identity){.n = 0};
	snprintf(oldest->name, sizeof(oldest->name), "%s", name);
	return oldest;
}

bool peer_identity_claim(struct peer *peer, const char **owner_out)
{
	struct peer_identities *identities = &peer->daemon->peers->identities;
	struct peer_identity *identity;
	char name[sizeof(identity->name)];

	if (memcmp(peer->daemon_id, peer->daemon->daemon_id, PEER_DAEMON_ID_LEN) == 0) {
		*owner_out = "this daemon itself";
		return false;
	}
	identity_name(peer, name, sizeof(name));
	for (size_t i = 0; i < ARRAY_LEN(identities->all); i++) {
		const struct peer_identity *other = &identities->all[i];

		if (*other->name && strcmp(other->name, name) != 0 &&
		    identity_has(other, peer->daemon_id)) {
			*owner_out = other->name;
			return false;
		}
	}
	identity = identity_find(identities, name);
	if (!identity)
		identity = identity_new(identities, name);
	identity->used = ++identities->n_uses;
	if (!identity_has(identity, peer->daemon_id))
		memcpy(identity->ids[identity->n++ % PEER_MAX_STORED_IDS], peer->daemon_id,
		       PEER_DAEMON_ID_LEN);
	return true;
}

static void identity_forget(struct daemon *daemon, const char *name)
{
	struct peer_identity *identity = identity_find(&daemon->peers->identities, name);

	if (identity)
		*identity = (struct peer_identity){.n = 0};
}

void peer_identity_forget(struct daemon *daemon, const char *peer_name)
{
	char name[sizeof(daemon->peers->identities.all[0].name)];

	snprintf(name, sizeof(name), "tls %s", peer_name);
	identity_forget(daemon, name);
}

void peer_identity_forget_unix(const struct peer *peer)
{
	char name[sizeof(peer->daemon->peers->identities.all[0].name)];

	/* A peer that was never linked has sent no daemon_id, and its uid is not known. */
	if (peer->is_tls || !peer->n_links)
		return;
	identity_name(peer, name, sizeof(name));
	identity_forget(peer->daemon, name);
}
