/*
 * Limits of what peers leave unread. A connection to a peer over a Unix socket costs a descriptor,
 * and each packet in its send queue costs those that the packet carries. The users whose daemons
 * link with this one share a number of descriptors: one user may hold as many as are left, so a
 * greedy user leaves half of them to others, a second one leaves half of the rest, and a peer that
 * receives what it is sent is served.
 */
#include "daemon/base/daemon.h"
#include "daemon/peer/carrier.h"
#include "daemon/peer/peer.h"
#include "util/util.h"

#define PEER_QUEUE_MAX (4u << 20)
/* Each user may hold this many even if others hold everything: a few connections and packets. */
#define PEER_USER_MIN_FDS (2u * FDSET_MAX)

static size_t peer_n_fds(const struct peer *peer)
{
	if (!peer->carrier || !peer_passes_fds(peer))
		return 0;
	return 1 + carrier_n_queued_fds(peer->carrier);
}

bool peer_exceeds_share(const struct peer *peer)
{
	const struct peers *peers = peer->daemon->peers;
	size_t n_user = 0, n_all = 0, n_left;
	const struct peer *other;

	list_for_each(other, &peers->list, link)
	{
		size_t n = peer_n_fds(other);

		n_all += n;
		n_user += other->uid == peer->uid ? n : 0;
	}
	n_left = peers->max_fds - MIN(n_all, peers->max_fds);
	return n_user > MAX(n_left, PEER_USER_MIN_FDS);
}

bool peer_is_congested(const struct peer *peer)
{
	size_t len = peer->state == PEER_LINKED ? carrier_queue_len(peer->carrier) : 0;

	/* Called for each import; the queue of most peers is empty. */
	if (len == 0)
		return false;
	return len > PEER_QUEUE_MAX || (peer_passes_fds(peer) && peer_exceeds_share(peer));
}
