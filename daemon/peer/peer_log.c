/*
 * Log messages about peers that are not linked. A peer that retries for ever is logged once per
 * reason until it was linked. Failures of unauthenticated hosts that connect over TLS are counted
 * by reason, and logged again with the count after a while. See daemon/peer/link.h.
 */
#include <stdio.h>
#include <string.h>

#include "daemon/base/daemon.h"
#include "daemon/peer/carrier_tls.h"
#include "daemon/peer/link.h"
#include "util/clock.h"
#include "util/log.h"
#include "util/str.h"

/*
 * Number of reasons that are logged per network and period. The last place means that there are
 * more reasons.
 */
#define STRANGER_REASONS  16u
#define STRANGER_AGAIN_NS (600 * NS_PER_SEC)
/* Stands for all further reasons. */
#define STRANGER_OTHERS "others"

/* Returns a name of the peer for the log, as far as it is known. */
static const char *peer_who(const struct peer *peer)
{
	if (peer->is_ours)
		return peer->name;
	return peer->is_tls ? carrier_tls_host(peer->carrier) : "unix";
}

/* True for an incoming TLS connection until its certificate is accepted: any host may connect. */
static bool peer_is_stranger(const struct peer *peer)
{
	return peer->is_tls && !peer->is_ours && !peer->is_told;
}

static bool is_over(const struct peer_stranger *stranger, uint64_t now_ns)
{
	return now_ns - stranger->told_ns >= STRANGER_AGAIN_NS;
}

static struct peer_stranger *stranger_find(struct peer_told *told, const char *network,
					   const char *reason)
{
	for (size_t i = 0; i < ARRAY_LEN(told->strangers); i++)
		if (strcmp(told->strangers[i].network, network) == 0 &&
		    strcmp(told->strangers[i].reason, reason) == 0)
			return &told->strangers[i];
	return NULL;
}

static unsigned stranger_n_reasons(const struct peer_told *told, const char *network,
				   uint64_t now_ns)
{
	unsigned n = 0;

	for (size_t i = 0; i < ARRAY_LEN(told->strangers); i++)
		n += strcmp(told->strangers[i].network, network) == 0 &&
		     !is_over(&told->strangers[i], now_ns);
	return n;
}

/* Returns NULL if all places belong to other networks and reasons that were logged recently. */
static struct peer_stranger *stranger_place(struct peer_told *told, const char *network,
					    const char *reason, uint64_t now_ns)
{
	struct peer_stranger *place = &told->strangers[0];

	for (size_t i = 0; i < ARRAY_LEN(told->strangers); i++)
		if (told->strangers[i].told_ns < place->told_ns)
			place = &told->strangers[i];
	if (*place->network && !is_over(place, now_ns))
		return NULL;
	*place = (struct peer_stranger){.n_more = 0};
	str_copy(place->network, sizeof(place->network), network);
	str_copy(place->reason, sizeof(place->reason), reason);
	return place;
}

/*
 * Returns false if the failure is only counted; otherwise *n_more_out is the number since it was
 * last logged.
 */
static bool stranger_is_news(struct peer_stranger *stranger, uint64_t now_ns, unsigned *n_more_out)
{
	if (stranger->told_ns && !is_over(stranger, now_ns)) {
		stranger->n_more++;
		return false;
	}
	*n_more_out = stranger->n_more;
	stranger->told_ns = now_ns;
	stranger->n_more = 0;
	return true;
}

/* Returns true if the failure is to be logged. */
static bool stranger_tell(struct peer *peer, unsigned *n_more_out)
{
	struct peer_told *told = &peer->daemon->peers->told;
	uint64_t now_ns = clock_now_ns();
	struct peer_stranger *stranger;
	const char *rule = carrier_tls_rule(peer->carrier);
	char reason[sizeof(stranger->reason)];
	bool is_other;

	/* The sentence may contain names that the other end has chosen. */
	str_copy(reason, sizeof(reason), *rule ? rule : peer->reason);
	stranger = stranger_find(told, peer->network, reason);
	is_other = !stranger &&
		   stranger_n_reasons(told, peer->network, now_ns) >= STRANGER_REASONS - 1;
	if (is_other) {
		str_copy(reason, sizeof(reason), STRANGER_OTHERS);
		stranger = stranger_find(told, peer->network, reason);
	}
	if (!stranger)
		stranger = stranger_place(told, peer->network, reason, now_ns);
	if (!stranger) {
		if (stranger_is_news(&told->crowd, now_ns, n_more_out))
			log_warning("connections of many addresses do not become links: those of "
				    "others are not logged for a while");
		return false;
	}
	if (!stranger_is_news(stranger, now_ns, n_more_out))
		return false;
	if (is_other)
		log_warning("connections of %s end for %u reasons and more: others are not logged "
			    "for a while",
			    peer->network, STRANGER_REASONS - 1);
	return !is_other;
}

/* Returns true the first time. Failures of other peers in between do not make it new. */
static bool peer_tell_once(struct peer *peer, unsigned *n_more_out)
{
	struct peer_told *told = &peer->daemon->peers->told;
	char line[sizeof(told->lines[0])];

	if (peer_is_stranger(peer))
		return stranger_tell(peer, n_more_out);
	snprintf(line, sizeof(line), "%s %s", peer_who(peer), peer->reason);
	for (size_t i = 0; i < ARRAY_LEN(told->lines); i++)
		if (strcmp(told->lines[i], line) == 0)
			return false;
	str_copy(told->lines[told->next++ % ARRAY_LEN(told->lines)], sizeof(line), line);
	return true;
}

void peer_forget_told(struct peer *peer)
{
	struct peer_told *told = &peer->daemon->peers->told;
	const char *who = peer_who(peer);
	size_t len = strlen(who);

	for (size_t i = 0; i < ARRAY_LEN(told->lines); i++)
		if (strncmp(told->lines[i], who, len) == 0 && told->lines[i][len] == ' ')
			told->lines[i][0] = '\0';
	for (size_t i = 0; *peer->network && i < ARRAY_LEN(told->strangers); i++)
		if (strcmp(told->strangers[i].network, peer->network) == 0)
			told->strangers[i] = (struct peer_stranger){.n_more = 0};
}

void peer_tell_refused(struct peer *peer)
{
	unsigned n_more = 0;
	char more[64] = "";

	if (!peer_tell_once(peer, &n_more))
		return;
	if (n_more)
		snprintf(more, sizeof(more), "; %u more since that was logged last", n_more);
	if (peer->is_default && (!peer->carrier || !peer->carrier->reached))
		log_debug("no peer at %s, which no file names: %s", peer->address, peer->reason);
	else if (peer->is_ours && (!peer->carrier || !peer->carrier->reached))
		log_info("waiting for %s at %s: %s", peer->name, peer->address, peer->reason);
	else if (peer->is_tls)
		log_warning("no link to %s (%s): %s%s", peer->name, peer->address, peer->reason,
			    more);
	else
		log_warning("no link to %s (pid %d, uid %u): %s", peer->name, peer->pid, peer->uid,
			    peer->reason);
}
