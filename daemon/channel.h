/*
 * One end of a comch connection, as its side's daemon sees it: the server's end on the DPU side,
 * the client's on the host side, tied by the ids of both. The daemons broker: the server's daemon
 * makes the memory when the server accepts, both ends get descriptors, and from then on the daemon
 * only tells an end that the other one closed or died. Over a link that passes no descriptors the
 * daemons carry the messages (relay.h).
 */
#ifndef DAEMON_CHANNEL_H
#define DAEMON_CHANNEL_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "daemon/account.h"
#include "daemon/device.h"
#include "daemon/event_out.h"
#include "daemon/idmap.h"
#include "daemon/peer_link.h"
#include "proto/frame.h"
#include "util/list.h"

struct daemon;
struct relay;
struct service;
struct session;

enum channel_state {
	CHANNEL_CONNECTING,  /* client's end: the other side was asked */
	CHANNEL_READY,       /* client's end: accepted, not fetched yet */
	CHANNEL_ARRIVED,     /* server's end: told to the server, not fetched yet */
	CHANNEL_ESTABLISHED, /* this end has its descriptors */
};

struct channel {
	struct daemon *daemon;
	struct session *session;
	struct list link;         /* daemon->channels */
	struct list session_link; /* session->channels */
	struct idmap_node node;   /* daemon->channel_map; node.id is the channel id */
	enum channel_state state;
	bool is_server;
	bool tell_arrived;       /* client's end: it wants that event */
	char name[256];          /* of the service */
	struct device *device;   /* of this end */
	struct handle *handle;   /* client's end */
	struct service *service; /* server's end */
	struct list service_link;
	uint32_t max_msg_size; /* bytes; the smaller of both once known */
	uint32_t recv_queue_size, peer_recv_queue_size;
	uint32_t ring_len; /* bytes of one ring, 0 until accepted */
	pid_t peer_pid;
	uid_t peer_uid;
	uint64_t created_at_ns; /* CLOCK_REALTIME */

	struct peer *peer; /* NULL while not linked */
	uint8_t peer_daemon_id[PEER_DAEMON_ID_LEN];
	uint64_t peer_channel_id; /* 0 until known */
	struct peer_request request;
	struct peer *last_asked;
	struct event_out events; /* client's end; the server's is its service's */
	int fds[3];              /* client's end, while READY */
	struct relay *relay;     /* NULL where the ends share memory */
	int peer_pidfd;          /* until this end has its descriptors; -1: unknown */
	struct list consumers;   /* struct consumer, link: this end's client takes messages there */
	struct list peer_consumers; /* the other end's client does */
	unsigned n_consumers, n_peer_consumers;
	struct charge charge;
};

/* Ends this end; the other one is told the code. Returns NULL. */
struct channel *channel_free(struct channel *channel, uint32_t code);
/* By the administrator's hand: both ends are told. 0 or -ENOENT. */
int channel_disconnect(struct daemon *daemon, uint64_t id);
void channel_peer_lost(struct daemon *daemon, struct peer *peer);
void channel_peer_linked(struct daemon *daemon, struct peer *peer);
const char *channel_state_name(enum channel_state state);
/* How messages go: "shm" or "relay". */
const char *channel_transport_name(const struct channel *channel);

int channel_on_connect(struct session *session, const Dococore__Packet *packet, struct fdset *fds);
int channel_on_fetch(struct session *session, const Dococore__Packet *packet, struct fdset *fds);
int channel_on_close(struct session *session, const Dococore__Packet *packet, struct fdset *fds);
int channel_on_peer_connect(struct peer *peer, const Dococore__Packet *packet, struct fdset *fds);
int channel_on_peer_ready(struct peer *peer, const Dococore__Packet *packet, struct fdset *fds);
int channel_on_peer_data(struct peer *peer, const Dococore__Packet *packet, struct fdset *fds);
int channel_on_peer_credit(struct peer *peer, const Dococore__Packet *packet, struct fdset *fds);
int channel_on_peer_close(struct peer *peer, const Dococore__Packet *packet, struct fdset *fds);

#endif
