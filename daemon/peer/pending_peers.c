/*
 * Places for incoming TLS connections that are not authenticated yet, and for peers that are
 * configured to connect and have not; see daemon/peer/peer.h.
 */
#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>

#include "daemon/base/daemon.h"
#include "daemon/peer/carrier_tls.h"
#include "daemon/peer/peer.h"
#include "util/str.h"

#define PEER_MAX_HALF_OPEN   32u
#define PEER_MAX_PER_ADDRESS 8u

/*
 * The owner of an IPv6 address has a network of 2^64 addresses, so the network is the /64 prefix.
 */
void peer_find_network(struct peer *peer)
{
	char host[PEER_NETWORK_LEN], prefix[INET6_ADDRSTRLEN];
	struct in6_addr addr;
	char *scope;

	str_copy(peer->network, sizeof(peer->network), carrier_tls_host(peer->carrier));
	str_copy(host, sizeof(host), peer->network);
	/* for example "fe80::1%eth0" */
	scope = host + strcspn(host, "%");
	if (*scope)
		*scope++ = '\0';
	if (inet_pton(AF_INET6, host, &addr) != 1 || IN6_IS_ADDR_V4MAPPED(&addr))
		return;
	memset(&addr.s6_addr[8], 0, 8);
	inet_ntop(AF_INET6, &addr, prefix, sizeof(prefix));
	snprintf(peer->network, sizeof(peer->network), *scope ? "%s/64%%%.20s" : "%s/64%s", prefix,
		 scope);
}

static bool peer_is_half_open(const struct peer *peer)
{
	return peer->is_tls && !peer->is_ours && peer->carrier && peer->state != PEER_WAITING &&
	       peer->state != PEER_LINKED;
}

/* Number of unauthenticated connections from the same network. */
static unsigned peer_count_same_network(const struct peer *peer)
{
	const struct peer *other;
	unsigned n = 0;

	list_for_each(other, &peer->daemon->peers->list, link)
		n += peer_is_half_open(other) && strcmp(other->network, peer->network) == 0;
	return n;
}

/*
 * Drops the oldest connection of the network that has the most, so that a host that fills all
 * places cannot keep out a newcomer from another network.
 */
void peer_limit_half_open(struct peer *newcomer)
{
	unsigned n = 0, n_most = 0, n_same = peer_count_same_network(newcomer);
	struct peer *peer, *victim = NULL;

	list_for_each(peer, &newcomer->daemon->peers->list, link)
	{
		unsigned n_same_network;

		if (!peer_is_half_open(peer))
			continue;
		n++;
		n_same_network = peer_count_same_network(peer);
		if (peer == newcomer || n_same_network <= n_most)
			continue;
		n_most = n_same_network;
		victim = peer;
	}
	if (n <= PEER_MAX_HALF_OPEN && n_same <= PEER_MAX_PER_ADDRESS)
		return;
	if (!victim)
		return;
	if (n_same > PEER_MAX_PER_ADDRESS)
		peer_break(victim,
			   "more than %u connections of this %s have not identified themselves",
			   PEER_MAX_PER_ADDRESS,
			   strchr(newcomer->network, '/') ? "network" : "address");
	else
		peer_break(victim, "more than %u connections have not identified themselves",
			   PEER_MAX_HALF_OPEN);
}

/* True if the peer has proved by its certificate that it is one of those expected. */
static bool peer_is_expected_one(const struct peer *peer)
{
	return peer->is_tls && !peer->is_ours && peer->state != PEER_EXPECTED &&
	       peer->state != PEER_CONNECTING;
}

bool peer_is_connected(const struct peer *expected)
{
	const struct peer *peer;

	list_for_each(peer, &expected->daemon->peers->list, link)
	{
		if (peer_is_expected_one(peer) && strcmp(peer->name, expected->name) == 0)
			return true;
	}
	return false;
}

void peer_expected_announce(struct peer *peer, bool is_connected)
{
	struct peer *other, *expected = NULL;

	if (!peer->is_tls || peer->is_ours)
		return;
	list_for_each(other, &peer->daemon->peers->list, link)
	{
		if (other == peer || strcmp(other->name, peer->name) != 0)
			continue;
		if (other->state == PEER_EXPECTED)
			expected = other;
		else if (peer_is_expected_one(other))
			return;
	}
	if (expected)
		events_emit(&peer->daemon->events, OBJECT_PEER,
			    is_connected ? OBJECT_REMOVED : OBJECT_ADDED, expected);
}

void peer_expected_set_reason(struct peer *peer)
{
	struct peer *expected;

	if (!peer_is_expected_one(peer))
		return;
	list_for_each(expected, &peer->daemon->peers->list, link)
	{
		if (expected->state != PEER_EXPECTED || strcmp(expected->name, peer->name) != 0)
			continue;
		expected->n_links += peer->state == PEER_LINKED && !*peer->reason;
		if (*peer->reason)
			str_copy(expected->reason, sizeof(expected->reason), peer->reason);
	}
}
