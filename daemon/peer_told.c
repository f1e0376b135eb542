/*
 * What the log is told of peers that are not linked: one that tries again and again is news once
 * per reason, until it was linked. See peer_link.h.
 */
#include <stdio.h>
#include <string.h>

#include "daemon/carrier_tls.h"
#include "daemon/daemon.h"
#include "daemon/peer_link.h"
#include "util/log.h"
#include "util/str.h"

/* Who it is, for the eyes that read the log, as far as that is known. */
static const char *peer_who(const struct peer *peer)
{
	if (peer->is_ours)
		return peer->name;
	return peer->is_tls ? carrier_tls_host(peer->carrier) : "unix";
}

/* True the first time. What others said in between does not make it new. */
static bool peer_tell_once(struct peer *peer)
{
	struct peer_told *told = &peer->daemon->told;
	char line[sizeof(told->lines[0])];

	snprintf(line, sizeof(line), "%s %s", peer_who(peer), peer->reason);
	for (size_t i = 0; i < ARRAY_LEN(told->lines); i++)
		if (strcmp(told->lines[i], line) == 0)
			return false;
	str_copy(told->lines[told->next++ % ARRAY_LEN(told->lines)], sizeof(line), line);
	return true;
}

void peer_forget_told(struct peer *peer)
{
	struct peer_told *told = &peer->daemon->told;
	const char *who = peer_who(peer);
	size_t len = strlen(who);

	for (size_t i = 0; i < ARRAY_LEN(told->lines); i++)
		if (strncmp(told->lines[i], who, len) == 0 && told->lines[i][len] == ' ')
			told->lines[i][0] = '\0';
}

void peer_tell_refused(struct peer *peer)
{
	if (!peer_tell_once(peer))
		return;
	if (peer->is_ours && (!peer->carrier || !peer->carrier->reached))
		log_info("waiting for %s at %s: %s", peer->name, peer->address, peer->reason);
	else if (peer->is_tls)
		log_warning("no link to %s (%s): %s", peer->name, peer->address, peer->reason);
	else
		log_warning("no link to %s (pid %d, uid %u): %s", peer->name, peer->pid, peer->uid,
			    peer->reason);
}
