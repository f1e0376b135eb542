/*
 * One end of a comch connection, as the daemon of its side sees it: the server's end on the DPU
 * side, the client's on the host side. Each knows the id of the other. The daemons act as brokers:
 * the server's daemon creates the memory when the server accepts, and both ends receive
 * descriptors. From then on the daemons only report to an end that the other end closed or died.
 * Over a link that passes no descriptors the daemons also carry the messages (relay.h).
 */
#ifndef DAEMON_COMCH_CHANNEL_H
#define DAEMON_COMCH_CHANNEL_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "daemon/base/account.h"
#include "daemon/base/idmap.h"
#include "daemon/device/device.h"
#include "daemon/peer/peer.h"
#include "daemon/session/event_out.h"
#include "daemon/session/object.h"
#include "daemon/store/persist.h"
#include "proto/frame.h"
#include "util/list.h"

struct daemon;
struct counters_object;
struct relay;
struct service;
struct session;

/* The life cycle of an end; channel_state.c has the permitted transitions. */
enum channel_state {
	CHANNEL_ASKING,       /* client's end: peers are asked for the service */
	CHANNEL_WAITING,      /* client's end: waits for a link, to ask again */
	CHANNEL_ASKING_AGAIN, /* client's end: asked again; a peer may know it already */
	CHANNEL_READY,        /* client's end: accepted, not fetched yet */
	CHANNEL_ARRIVED,      /* server's end: offered to the server, not fetched yet */
	CHANNEL_ESTABLISHED,  /* this end has its descriptors */
	/* The final states: only the event with end_code remains to be pushed. */
	CHANNEL_FAILED, /* client's end: was never accepted */
	CHANNEL_CLOSED,
	CHANNEL_N_STATES,
};

/* The states as records in the ledger number them. */
enum channel_record_state {
	CHANNEL_RECORD_CONNECTING,
	CHANNEL_RECORD_READY,
	CHANNEL_RECORD_ARRIVED,
	CHANNEL_RECORD_ESTABLISHED,
};

struct channel {
	struct daemon *daemon;
	struct session *session;
	struct list link; /* daemon->comch->channels */
	struct session_object in_session;
	struct idmap_node node; /* daemon->comch->channel_map; node.id is the channel id */
	enum channel_state state;
	bool is_server;
	bool wants_arrived; /* client's end: its client wants EVENT_CHANNEL_ARRIVED */
	/* Both libraries support remote rings, as far as is known (see ChannelReply). */
	bool has_remote_rings;
	char name[256];          /* of the service */
	struct device *device;   /* of this end */
	struct handle *handle;   /* client's end */
	struct service *service; /* server's end */
	struct list service_link;
	uint32_t max_msg_size; /* bytes; the smaller of both ends' limits once known */
	uint32_t recv_queue_size, peer_recv_queue_size;
	uint32_t ring_len; /* bytes of one ring, 0 until accepted */
	pid_t peer_pid;
	uid_t peer_uid;
	uint64_t created_at_ns; /* CLOCK_REALTIME */
	uint32_t counters_slot; /* last known place of its counters; 0: unknown */

	struct peer *peer; /* NULL while not linked */
	uint8_t peer_daemon_id[PEER_DAEMON_ID_LEN];
	uint64_t peer_channel_id; /* 0 until known */
	struct peer_request request;
	/* Client's end: daemon->comch->n_clients_ended at the time when the peers were asked. */
	uint64_t n_ended_before;
	struct event_out events; /* used by the client's end; the server's end uses its service's */
	/*
	 * Memory, this end's eventfd, the other end's eventfd. A client's end has them while READY;
	 * a server's end from the accept until the other daemon has them.
	 */
	int fds[3];
	struct relay *relay;        /* NULL if the ends share memory */
	int peer_pidfd;             /* held until this end has its descriptors; -1: unknown */
	struct list consumers;      /* struct consumer, link: consumers of this end's client */
	struct list peer_consumers; /* consumers of the other end's client */
	unsigned n_consumers, n_peer_consumers;
	struct charge charge;

	/*
	 * State that a restart of the daemon (daemon/session/persist.h) or a break of the link
	 * needs.
	 */
	uint64_t request_id;    /* client's end: the request that created it */
	uint64_t fetch_id;      /* the request that fetched it */
	uint32_t pushed_events; /* bit n: event n was pushed */
	bool is_listed;         /* the other daemon has listed it since the link came back */
	uint32_t end_code;      /* of the final event, in the final states */
	struct persisted persisted;
};

/*
 * A channel's end from an earlier daemon instance whose client is not resumed. The client may still
 * live, so the other end is not notified that it is gone.
 */
struct unresolved_end {
	struct list link; /* daemon->comch->unresolved_ends */
	uint64_t id;
	uint8_t peer_daemon_id[PEER_DAEMON_ID_LEN];
	uint64_t peer_channel_id;
	bool is_listed;
	struct persisted persisted;
};

/* The saved state of a channel's end. */
struct channel_saved {
	uint64_t id, handle, service;
	uint32_t state; /* enum channel_record_state */
	bool is_server, wants_arrived, has_remote_rings, has_ended;
	const char *name;
	uint32_t max_msg_size, recv_queue_size, peer_recv_queue_size, ring_len;
	pid_t peer_pid;
	uid_t peer_uid;
	uint8_t peer_daemon_id[PEER_DAEMON_ID_LEN];
	uint64_t peer_channel_id, created_at_ns, request_id, fetch_id;
	uint32_t pushed_events, end_code;
	/*
	 * Descriptors, or -1: the client's event ring and its eventfd; memory and both eventfds;
	 * the other end's pidfd.
	 */
	int ring_fds[2], fds[3], peer_pidfd;
};

/*
 * Restores an end; services must be restored first. Takes ownership of the descriptors, also on
 * failure. Returns 0 or -errno.
 */
int channel_resume(struct session *session, const struct channel_saved *saved,
		   struct channel **channel_out);
/* Call when all objects are restored: pushes the events that are due. */
void channels_resume_done(struct daemon *daemon);
/* See resume_answer_again(). */
bool channel_connect_again(struct session *session, const Dococore__Packet *packet);
bool channel_fetch_again(struct session *session, const Dococore__Packet *packet);
/* Takes ownership of `persisted`. Returns 0 or -ENOMEM. */
int unresolved_end_new(struct daemon *daemon, uint64_t id, const uint8_t *peer_daemon_id,
		       uint64_t peer_channel_id, const struct persisted *persisted);
/* Call if the session is not resumed: reduces the end to a record that it existed. */
void channel_become_unresolved(struct channel *channel);
void unresolved_ends_free(struct daemon *daemon);
/*
 * Repeats the requests whose answers were lost with a link, to the peers that are linked now. An
 * end whose peer is not back yet waits for it until is_over; returns true if there is such an end.
 */
bool channels_ask_again(struct daemon *daemon, bool is_over);
/* Sends the list of channel ends that this daemon has, for the other daemon to compare. */
void channel_send_ends(struct peer *peer);

/* Ends this end and sends the code to the other end. Returns NULL. */
struct channel *channel_free(struct channel *channel, uint32_t code);
/* Writes the record, or rewrites it after a change. */
void persist_channel(struct channel *channel);
/* Returns the counters of the channel, or NULL if there are none. */
struct counters_object *counters_find_channel(const struct channel *channel);
/* Members of session_object_ops for channels. */
void channel_object_save(struct session_object *object);
void channel_object_forget(struct session_object *object);
/* Records only that the end exists: its session is not resumed. */
void persist_unresolved_end(struct daemon *daemon, struct unresolved_end *end);
/* Disconnects for an administrator: both ends are notified. Returns 0 or -ENOENT. */
int channel_disconnect(struct daemon *daemon, uint64_t id);
/*
 * Ends the channels whose device or representor was removed from the machine; both ends are
 * notified.
 */
void channels_end_gone(struct daemon *daemon);
void channel_peer_lost(struct peer *peer);
void channel_peer_linked(struct peer *peer);
/* Returns the name that operators see. */
const char *channel_state_name(enum channel_state state);
/* True in the states before the service has accepted the client. */
bool channel_is_connecting(const struct channel *channel);
/* True in the final states. */
bool channel_has_ended(const struct channel *channel);
/* Returns how messages are carried: "shm" or "relay". */
const char *channel_transport_name(const struct channel *channel);

int channel_on_connect(struct session *session, const Dococore__Packet *packet, struct fdset *fds);
int channel_on_fetch(struct session *session, const Dococore__Packet *packet, struct fdset *fds);
int channel_on_close(struct session *session, const Dococore__Packet *packet, struct fdset *fds);
int channel_on_peer_connect(struct peer *peer, const Dococore__Packet *packet, struct fdset *fds);
int channel_on_peer_ready(struct peer *peer, const Dococore__Packet *packet, struct fdset *fds);
int channel_on_peer_data(struct peer *peer, const Dococore__Packet *packet, struct fdset *fds);
int channel_on_peer_credit(struct peer *peer, const Dococore__Packet *packet, struct fdset *fds);
int channel_on_peer_received(struct peer *peer, const Dococore__Packet *packet, struct fdset *fds);
int channel_on_peer_ends(struct peer *peer, const Dococore__Packet *packet, struct fdset *fds);
int channel_on_peer_close(struct peer *peer, const Dococore__Packet *packet, struct fdset *fds);

#endif
