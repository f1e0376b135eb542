/*
 * Detects whether a peer over TLS is still there. A machine that was switched off sends nothing.
 * Therefore each daemon sends a ping every quarter of timeout_ms, and a link on which nothing was
 * received for timeout_ms is lost. Between daemons of one machine the kernel reports the end of a
 * connection, so no pings are sent.
 */
#include <errno.h>

#include "daemon/base/daemon.h"
#include "daemon/config/config.h"
#include "daemon/base/loop.h"
#include "daemon/peer/peer.h"
#include "util/clock.h"
#include "util/util.h"

static uint64_t alive_timeout(const struct peer *peer)
{
	return peer->daemon->config->tls.timeout_ns;
}

static void alive_set_timer(struct peer *peer, uint64_t now_ns)
{
	struct peer_alive *alive = &peer->alive;
	uint64_t timeout_ns = alive_timeout(peer), silent_ns = now_ns - alive->received_ns;
	uint64_t delay_ns = timeout_ns > silent_ns ? timeout_ns - silent_ns : 0;

	delay_ns = MIN(delay_ns, timeout_ns / 4);
	alive->due_ns = now_ns + delay_ns;
	loop_timer_set(alive->timer, delay_ns);
}

static void alive_ping(struct peer *peer, uint64_t now_ns)
{
	Dococore__PeerPing ping = DOCOCORE__PEER_PING__INIT;
	Dococore__Packet packet = DOCOCORE__PACKET__INIT;

	ping.number = ++peer->alive.ping;
	peer->alive.ping_ns = now_ns;
	packet.body_case = DOCOCORE__PACKET__BODY_PEER_PING;
	packet.peer_ping = &ping;
	(void)peer_send(peer, &packet, NULL, 0);
}

static void alive_on_timer(void *user)
{
	struct peer *peer = user;
	uint64_t now_ns = clock_now_ns(), timeout_ns = alive_timeout(peer);
	struct peer_alive *alive = &peer->alive;

	if (peer->state != PEER_LINKED)
		return;
	/*
	 * If the timer is late, this process did not run, and packets of the peer may be waiting
	 * unread.
	 */
	if (now_ns > alive->due_ns + timeout_ns / 4)
		alive->received_ns = MAX(alive->received_ns, now_ns - timeout_ns / 2);
	if (now_ns - alive->received_ns >= timeout_ns) {
		peer_break(peer,
			   "nothing was received from it for %llu ms (key timeout_ms of section "
			   "[tls])",
			   (unsigned long long)(timeout_ns / NS_PER_MS));
		return;
	}
	alive_ping(peer, now_ns);
	if (peer->state == PEER_LINKED)
		alive_set_timer(peer, now_ns);
}

void peer_alive_start(struct peer *peer)
{
	uint64_t now_ns = clock_now_ns();

	peer->alive.received_ns = now_ns;
	peer->alive.rtt_ns = 0;
	if (!peer->is_tls)
		return;
	if (!peer->alive.timer)
		peer->alive.timer = loop_timer_new(peer->daemon->loop, alive_on_timer, peer);
	if (!peer->alive.timer) {
		peer_break(peer, "no memory for its timer");
		return;
	}
	alive_ping(peer, now_ns);
	if (peer->state == PEER_LINKED)
		alive_set_timer(peer, now_ns);
}

void peer_alive_stop(struct peer *peer)
{
	peer->alive.timer = loop_source_free(peer->alive.timer);
	peer->alive.rtt_ns = 0;
}

int peer_on_ping(struct peer *peer, const Dococore__Packet *packet, struct fdset *fds)
{
	Dococore__PeerPong pong = DOCOCORE__PEER_PONG__INIT;
	Dococore__Packet answer = DOCOCORE__PACKET__INIT;

	(void)fds;
	pong.number = packet->peer_ping->number;
	answer.body_case = DOCOCORE__PACKET__BODY_PEER_PONG;
	answer.peer_pong = &pong;
	(void)peer_send(peer, &answer, NULL, 0);
	return 0;
}

int peer_on_pong(struct peer *peer, const Dococore__Packet *packet, struct fdset *fds)
{
	(void)fds;
	if (peer->alive.timer && packet->peer_pong->number == peer->alive.ping)
		peer->alive.rtt_ns = MAX(clock_now_ns() - peer->alive.ping_ns, 1u);
	return 0;
}
