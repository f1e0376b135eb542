/*
 * Log messages about peers that are not linked. A peer that retries for ever is logged once per
 * reason until it was linked. Failures of unauthenticated hosts that connect over TLS are counted
 * by reason, and logged again with the count after a while. See daemon/peer/peer.h.
 */
#include <stdio.h>
#include <string.h>

#include "daemon/base/daemon.h"
#include "daemon/peer/carrier_tls.h"
#include "daemon/peer/peer.h"
#include "util/clock.h"
#include "util/log.h"
#include "util/str.h"

/*
 * Number of reasons that are logged per network and period. The last place means that there are
 * more reasons.
 */
#define FAILURES_MAX_REASONS 16u
#define FAILURES_PERIOD_NS   (600 * NS_PER_SEC)
/* Stands for all further reasons. */
#define FAILURES_OTHERS "others"

/* Returns a name of the peer for the log, as far as it is known. */
static const char *peer_log_name(const struct peer *peer)
{
	if (peer->is_ours)
		return peer->name;
	return peer->is_tls ? carrier_tls_host(peer->carrier) : "unix";
}

/* True for an incoming TLS connection until its certificate is accepted: any host may connect. */
static bool peer_is_unauthenticated(const struct peer *peer)
{
	return peer->is_tls && !peer->is_ours && !peer->is_announced;
}

static bool failures_is_expired(const struct peer_failures *failures, uint64_t now_ns)
{
	return now_ns - failures->logged_ns >= FAILURES_PERIOD_NS;
}

static struct peer_failures *failures_find(struct peer_log *log, const char *network,
					   const char *reason)
{
	for (size_t i = 0; i < ARRAY_LEN(log->failures); i++)
		if (strcmp(log->failures[i].network, network) == 0 &&
		    strcmp(log->failures[i].reason, reason) == 0)
			return &log->failures[i];
	return NULL;
}

static unsigned failures_n_reasons(const struct peer_log *log, const char *network, uint64_t now_ns)
{
	unsigned n = 0;

	for (size_t i = 0; i < ARRAY_LEN(log->failures); i++)
		n += strcmp(log->failures[i].network, network) == 0 &&
		     !failures_is_expired(&log->failures[i], now_ns);
	return n;
}

/* Returns NULL if all places belong to other networks and reasons that were logged recently. */
static struct peer_failures *failures_place(struct peer_log *log, const char *network,
					    const char *reason, uint64_t now_ns)
{
	struct peer_failures *place = &log->failures[0];

	for (size_t i = 0; i < ARRAY_LEN(log->failures); i++)
		if (log->failures[i].logged_ns < place->logged_ns)
			place = &log->failures[i];
	if (*place->network && !failures_is_expired(place, now_ns))
		return NULL;
	*place = (struct peer_failures){.n_more = 0};
	str_copy(place->network, sizeof(place->network), network);
	str_copy(place->reason, sizeof(place->reason), reason);
	return place;
}

/*
 * Returns false if the failure is only counted; otherwise *n_more_out is the number since it was
 * last logged.
 */
static bool failures_count(struct peer_failures *failures, uint64_t now_ns, unsigned *n_more_out)
{
	if (failures->logged_ns && !failures_is_expired(failures, now_ns)) {
		failures->n_more++;
		return false;
	}
	*n_more_out = failures->n_more;
	failures->logged_ns = now_ns;
	failures->n_more = 0;
	return true;
}

/* Returns true if the failure is to be logged. */
static bool failures_log(struct peer *peer, unsigned *n_more_out)
{
	struct peer_log *log = &peer->daemon->peers->log;
	uint64_t now_ns = clock_now_ns();
	struct peer_failures *failures;
	const char *rule = carrier_tls_rule(peer->carrier);
	char reason[sizeof(failures->reason)];
	bool is_other;

	/* The sentence may contain names that the other end has chosen. */
	str_copy(reason, sizeof(reason), *rule ? rule : peer->reason);
	failures = failures_find(log, peer->network, reason);
	is_other = !failures &&
		   failures_n_reasons(log, peer->network, now_ns) >= FAILURES_MAX_REASONS - 1;
	if (is_other) {
		str_copy(reason, sizeof(reason), FAILURES_OTHERS);
		failures = failures_find(log, peer->network, reason);
	}
	if (!failures)
		failures = failures_place(log, peer->network, reason, now_ns);
	if (!failures) {
		if (failures_count(&log->other_failures, now_ns, n_more_out))
			log_warning("connections of many addresses do not become links: those of "
				    "others are not logged for a while");
		return false;
	}
	if (!failures_count(failures, now_ns, n_more_out))
		return false;
	if (is_other)
		log_warning("connections of %s end for %u reasons and more: others are not logged "
			    "for a while",
			    peer->network, FAILURES_MAX_REASONS - 1);
	return !is_other;
}

/* Returns true the first time. Failures of other peers in between do not make it new. */
static bool peer_log_once(struct peer *peer, unsigned *n_more_out)
{
	struct peer_log *log = &peer->daemon->peers->log;
	char line[sizeof(log->lines[0])];

	if (peer_is_unauthenticated(peer))
		return failures_log(peer, n_more_out);
	snprintf(line, sizeof(line), "%s %s", peer_log_name(peer), peer->reason);
	for (size_t i = 0; i < ARRAY_LEN(log->lines); i++)
		if (strcmp(log->lines[i], line) == 0)
			return false;
	str_copy(log->lines[log->next++ % ARRAY_LEN(log->lines)], sizeof(line), line);
	return true;
}

void peer_log_forget(struct peer *peer)
{
	struct peer_log *log = &peer->daemon->peers->log;
	const char *name = peer_log_name(peer);
	size_t len = strlen(name);

	for (size_t i = 0; i < ARRAY_LEN(log->lines); i++)
		if (strncmp(log->lines[i], name, len) == 0 && log->lines[i][len] == ' ')
			log->lines[i][0] = '\0';
	for (size_t i = 0; *peer->network && i < ARRAY_LEN(log->failures); i++)
		if (strcmp(log->failures[i].network, peer->network) == 0)
			log->failures[i] = (struct peer_failures){.n_more = 0};
}

void peer_log_refused(struct peer *peer)
{
	unsigned n_more = 0;
	char more[64] = "";

	if (!peer_log_once(peer, &n_more))
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
