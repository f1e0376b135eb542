/*
 * What the log is told of peers that are not linked: one that tries again and again is news once
 * per reason, until it was linked. See peer_link.h.
 */
#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>

#include "daemon/carrier_tls.h"
#include "daemon/daemon.h"
#include "daemon/peer_link.h"
#include "util/clock.h"
#include "util/log.h"
#include "util/str.h"

/* Lines about connections of one address in that time. */
#define STRANGER_LINES     16u
#define STRANGER_WINDOW_NS (600 * NS_PER_SEC)

/* Who it is, for the eyes that read the log, as far as that is known. */
static const char *peer_who(const struct peer *peer)
{
	if (peer->is_ours)
		return peer->name;
	return peer->is_tls ? carrier_tls_host(peer->carrier) : "unix";
}

/* Over TLS anybody may connect: until its certificate is accepted. */
static bool peer_is_stranger(const struct peer *peer)
{
	return peer->is_tls && !peer->is_ours && !peer->is_told;
}

/* Who has an address of IPv6 has a network of them. */
static void stranger_name(const struct peer *peer, char *host, size_t len)
{
	struct in6_addr addr;

	str_copy(host, len, peer_who(peer));
	if (inet_pton(AF_INET6, host, &addr) != 1 || IN6_IS_ADDR_V4MAPPED(&addr))
		return;
	memset(&addr.s6_addr[8], 0, 8);
	inet_ntop(AF_INET6, &addr, host, (socklen_t)len);
}

static bool is_over(uint64_t since_ns, uint64_t now_ns)
{
	return now_ns - since_ns >= STRANGER_WINDOW_NS;
}

/* What was told of it in this window, or a place for it; NULL: all are others'. */
static struct peer_stranger *stranger_find(struct peer_told *told, const char *host,
					   uint64_t now_ns)
{
	struct peer_stranger *place = NULL;

	for (size_t i = 0; i < ARRAY_LEN(told->strangers); i++) {
		struct peer_stranger *at = &told->strangers[i];

		if (strcmp(at->host, host) == 0 && !is_over(at->since_ns, now_ns))
			return at;
		if (!*at->host || is_over(at->since_ns, now_ns))
			place = at;
	}
	if (!place)
		return NULL;
	*place = (struct peer_stranger){.since_ns = now_ns};
	str_copy(place->host, sizeof(place->host), host);
	return place;
}

/* False if it is one too many. */
static bool stranger_may_be_told(struct peer *peer)
{
	struct peer_told *told = &peer->daemon->told;
	uint64_t now_ns = clock_now_ns();
	struct peer_stranger *stranger;
	char host[sizeof(stranger->host)];

	stranger_name(peer, host, sizeof(host));
	stranger = stranger_find(told, host, now_ns);
	if (stranger && ++stranger->n == STRANGER_LINES)
		log_warning("connections of %s end for %u reasons and more: others are not logged "
			    "for a while",
			    host, STRANGER_LINES - 1);
	if (stranger)
		return stranger->n < STRANGER_LINES;
	if (!told->crowd_ns || is_over(told->crowd_ns, now_ns)) {
		log_warning("connections of %zu addresses and more do not become links: those of "
			    "others are not logged for a while",
			    ARRAY_LEN(told->strangers));
		told->crowd_ns = now_ns;
	}
	return false;
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
	if (peer_is_stranger(peer) && !stranger_may_be_told(peer))
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
