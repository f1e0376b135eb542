/*
 * One end of a comch connection, as its side's daemon sees it: the server's end on the DPU side,
 * the client's on the host side, tied by the ids of both. The daemons broker: the server's daemon
 * makes the memory when the server accepts, both ends get descriptors, and from then on the daemon
 * only tells an end that the other one closed or died. Over a link that passes no descriptors the
 * daemons carry the messages (relay.h).
 */
#ifndef DAEMON_COMCH_CHANNEL_H
#define DAEMON_COMCH_CHANNEL_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "daemon/base/account.h"
#include "daemon/base/idmap.h"
#include "daemon/device/device.h"
#include "daemon/peer/link.h"
#include "daemon/session/event_out.h"
#include "daemon/store/persist.h"
#include "proto/frame.h"
#include "util/list.h"

struct daemon;
struct relay;
struct service;
struct session;

enum channel_state {
	CHANNEL_CONNECTING, /* client's end: the other side was asked */
	CHANNEL_READY,      /* client's end: accepted, not fetched yet */
	CHANNEL_ARRIVED,    /* server's end: to be told to the server, or it was, not fetched yet */
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
	bool mirrors;            /* the libraries do, see ChannelReply: as far as is known */
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
	uint64_t created_at_ns;  /* CLOCK_REALTIME */
	uint32_t counters_place; /* where they were found last; 0: nowhere yet */

	struct peer *peer; /* NULL while not linked */
	uint8_t peer_daemon_id[PEER_DAEMON_ID_LEN];
	uint64_t peer_channel_id; /* 0 until known */
	struct peer_request request;
	uint64_t n_ended_before; /* client's end: daemon->n_clients_ended when it was asked for */
	struct event_out events; /* client's end; the server's is its service's */
	/* Memory, the bell that this end waits on, the other one: of a client's end while READY; of
	 * a server's from the accept until the other daemon has them. */
	int fds[3];
	struct relay *relay;   /* NULL where the ends share memory */
	int peer_pidfd;        /* until this end has its descriptors; -1: unknown */
	struct list consumers; /* struct consumer, link: this end's client takes messages there */
	struct list peer_consumers; /* the other end's client does */
	unsigned n_consumers, n_peer_consumers;
	struct charge charge;

	/* For the next instance of the daemon, see keep.h; and for a link that breaks. */
	uint64_t request_id; /* client's end: that made it */
	uint64_t fetch_id;   /* of the request that fetched it */
	uint32_t told;       /* bit n: event n was pushed */
	bool is_waiting;     /* client's end: for a link, to ask (again) */
	bool was_asked;      /* client's end: some peer may know it already */
	bool has_ended;      /* only the event of it is to be pushed, with this code */
	bool is_listed;      /* by the other daemon, since the link came back */
	uint32_t end_code;
	struct kept kept;
};

/* A channel's end that an earlier instance had, of a client that is not resumed: it may live on
 * for all that is known, so that the other end is not told that it is gone. */
struct dim_end {
	struct list link; /* daemon->dim_ends */
	uint64_t id;
	uint8_t peer_daemon_id[PEER_DAEMON_ID_LEN];
	uint64_t peer_channel_id;
	bool is_listed;
	struct kept kept;
};

/* An end that an earlier instance had. */
struct channel_past {
	uint64_t id, handle, service;
	uint32_t state;
	bool is_server, tell_arrived, mirrors, has_ended;
	const char *name;
	uint32_t max_msg_size, recv_queue_size, peer_recv_queue_size, ring_len;
	pid_t peer_pid;
	uid_t peer_uid;
	uint8_t peer_daemon_id[PEER_DAEMON_ID_LEN];
	uint64_t peer_channel_id, created_at_ns, request_id, fetch_id;
	uint32_t told, end_code;
	/* -1: none. A client's event ring and its bell; memory and bells; the other end's pidfd. */
	int ring_fds[2], fds[3], peer_pidfd;
};

/* Takes the descriptors, also when it fails. Services come first. 0 or -errno. */
int channel_resume(struct session *session, const struct channel_past *past,
		   struct channel **channel_out);
/* All objects are there: what was not told is. */
void channels_resume_done(struct daemon *daemon);
/* See resume_answer_again(). */
bool channel_connect_again(struct session *session, const Dococore__Packet *packet);
bool channel_fetch_again(struct session *session, const Dococore__Packet *packet);
/* Takes kept. 0 or -ENOMEM. */
int dim_end_new(struct daemon *daemon, uint64_t id, const uint8_t *peer_daemon_id,
		uint64_t peer_channel_id, const struct kept *kept);
/* Its session is not resumed: only that it was there stays known. */
void channel_become_dim(struct channel *channel);
void dim_ends_free(struct daemon *daemon);
/* Those whose question a broken link has lost: of whoever is linked now. What a peer had that is
 * not back yet waits for it until the time is over; true if there is such a one. */
bool channels_ask_again(struct daemon *daemon, bool is_over);
/* What there is, for the other daemon to compare. */
void channel_send_ends(struct peer *peer);

/* Ends this end; the other one is told the code. Returns NULL. */
struct channel *channel_free(struct channel *channel, uint32_t code);
/* By the administrator's hand: both ends are told. 0 or -ENOENT. */
int channel_disconnect(struct daemon *daemon, uint64_t id);
/* Those whose device or representor was taken away from the machine: both ends are told. */
void channels_end_gone(struct daemon *daemon);
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
int channel_on_peer_taken(struct peer *peer, const Dococore__Packet *packet, struct fdset *fds);
int channel_on_peer_ends(struct peer *peer, const Dococore__Packet *packet, struct fdset *fds);
int channel_on_peer_close(struct peer *peer, const Dococore__Packet *packet, struct fdset *fds);

#endif
