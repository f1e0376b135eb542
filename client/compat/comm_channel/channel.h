/*
 * Comm channel endpoints: comch servers and clients (client/comch/comch.h) behind calls that send,
 * receive and wait at once, without tasks and callbacks of the program's.
 *
 * An endpoint has a progress engine of its own, which every call that looks for something new
 * progresses. A message that comes while recvfrom asks for one is copied into the program's buffer;
 * one that comes at another time, or does not fit, is refused and stays in its ring.
 *
 * A peer is an object of its own, since the program keeps it longer than the connection stands: it
 * goes with disconnect. A client's lies in its endpoint.
 *
 * Waiting (client/compat/comm_channel/event.c). The engine's handle becomes readable when one of
 * the bells behind it rang: of the daemon, or of a connection, for a message or for room. Each
 * event channel is an epoll descriptor with that handle and an eventfd of its own. Arming one takes
 * all bells back, which would rob the others of their wake, so everything that is armed is armed
 * anew; and what has come by then rings the own eventfd of the one that waits for it.
 *
 * Threads: one at a time per endpoint.
 */
#ifndef CLIENT_COMPAT_COMM_CHANNEL_CHANNEL_H
#define CLIENT_COMPAT_COMM_CHANNEL_CHANNEL_H

#include <doca_comm_channel.h>
#include <doca_pe.h>

#include "client/base/generation.h"
#include "client/comch/connection/client.h"
#include "client/comch/connection/server.h"

#define CHANNEL_MIN_QUEUE 8u
#define CHANNEL_MAX_QUEUE 32768u /* the largest power of two that the interface can name */

enum channel_role {
	CHANNEL_NONE = 0, /* neither listens nor connected */
	CHANNEL_SERVICE = 1,
	CHANNEL_CLIENT = 2,
};

/* What can be waited for. */
enum channel_wait {
	CHANNEL_WAIT_SEND = 0,
	CHANNEL_WAIT_RECV = 1,
	CHANNEL_WAIT_SERVICE = 2,
	CHANNEL_N_WAITS,
};

struct doca_comm_channel_addr_t {
	/* Each message touches these. */
	struct doca_comm_channel_ep_t *ep;  /* NULL: disconnected */
	struct doca_comch_connection *conn; /* NULL: does not stand yet, or any more */
	/* Cold. */
	struct list node; /* of a service: ep->peers */
	uint64_t user_data;
	doca_error_t end_code; /* conn was lost: SUCCESS if the peer closed in good order */
	bool is_connecting;
	bool is_untold;    /* it broke off, and recvfrom has not said so */
	uint32_t want_len; /* a message of this length met a full queue; 0: none did */
	uint32_t n_full;   /* times that a full queue was met */
	uint32_t max_msg, queue_size;
	struct comch_counters last; /* when conn was lost */
	struct comch_counters shown;
	uint64_t n_in_flight; /* when shown was taken */
};

struct doca_comm_channel_ep_t {
	struct comch *comch; /* of server or client; NULL: neither */
	struct doca_pe *pe;
	enum channel_role role;
	uint16_t api;
	bool waits;   /* sendto, recvfrom and connect do, unless told otherwise */
	bool refused; /* a message was, since this was cleared */
	/* recvfrom that is under way; into is NULLed when a message was taken. */
	void *into;
	size_t room;
	uint32_t got_len;
	struct doca_comch_connection *got_conn;
	uint32_t n_empty; /* receives in a row that found nothing */
	/* Cold. */
	uint64_t look_ns; /* when to look at the daemon again */
	struct doca_dev *dev;
	struct doca_dev_rep *rep;
	bool owns_dev;                            /* found and opened by itself */
	uint32_t max_msg, send_queue, recv_queue; /* 0: not set */
	struct doca_comch_server *server;
	struct doca_comch_client *client;
	struct doca_comm_channel_addr_t peer; /* client */
	struct list peers;                    /* service */
	uint32_t n_peers, n_untold;
	/* Event channels. */
	int wait_fds[CHANNEL_N_WAITS], own_fds[CHANNEL_N_WAITS]; /* -1: never asked for */
	bool armed[CHANNEL_N_WAITS];
	/* Service state as last shown. */
	uint64_t n_changes, shown_changes; /* of peers, since the service listens */
	struct doca_comm_channel_addr_t **list;
	uint32_t list_len, n_pending;
	/* Position up to which events of clients that left have woken somebody, and whose ring. */
	uint32_t n_said;
	const struct event_ring *said_ring;
};

/* --- channel.c --- */

struct channel_attr {
	uint16_t api;
	bool waits;
	uint32_t max_msg, n_msgs; /* 0: default */
};

doca_error_t channel_new(const struct channel_attr *attr, struct doca_comm_channel_ep_t **ep_out);
/* Rounded as the queue sizes are. */
uint32_t channel_queue_size(uint32_t asked);
/* SUCCESS, or BAD_STATE with a sentence: the endpoint is of 1.3, or of later versions. */
static inline doca_error_t channel_check_1_3(const struct doca_comm_channel_ep_t *ep,
					     const char *call)
{
	return ep->api == API_1_3 ? DOCA_SUCCESS : api_refuse(call, "endpoint", ep->api);
}

static inline doca_error_t channel_check_1_5(const struct doca_comm_channel_ep_t *ep,
					     const char *call)
{
	return ep->api != API_1_3 ? DOCA_SUCCESS : api_refuse(call, "endpoint", ep->api);
}

/* --- client/compat/comm_channel/connect.c --- */

/* Whatever it was, it neither listens nor is connected afterwards. */
void channel_end(struct doca_comm_channel_ep_t *ep);
/* SUCCESS, or NOT_CONNECTED with a sentence: this is a child of the process that listens, or is
 * connected, and could not end that for it. */
doca_error_t channel_check_process(const struct doca_comm_channel_ep_t *ep, const char *call);
/*
 * A service, or a client that waits to be accepted, found nothing: looks once a second whether the
 * daemon that is to tell it is still there. One that was started anew is told of the endpoint by
 * this. May be called in vain; what it finds is seen by the next progress.
 */
void channel_look(struct doca_comm_channel_ep_t *ep);
/* The same for who polls: not before a second has passed without a message. */
void channel_look_after_silence(struct doca_comm_channel_ep_t *ep);
/* Opens the first device that can, and its first representor. */
doca_error_t channel_find_device(struct doca_comm_channel_ep_t *ep, bool is_service);
void channel_release_device(struct doca_comm_channel_ep_t *ep);

/* --- client/compat/comm_channel/message.c --- */

/* Learns what is new, short of messages. */
void channel_attend(struct doca_comm_channel_ep_t *ep);
/* The server's or client's message callback. */
void channel_on_message(struct doca_comch_event_msg_recv *event, uint8_t *bytes, uint32_t len,
			struct doca_comch_connection *conn);

/* CONNECTION_RESET, with a sentence about why a service has ended by itself. */
doca_error_t channel_service_ended(const struct doca_comm_channel_ep_t *ep, const char *call);

/* --- client/compat/comm_channel/event.c --- */

/*
 * Arms for one thing, and again for all that was armed. True: it is there already, and nothing need
 * be waited for. The caller progresses when it wakes.
 */
bool channel_arm(struct doca_comm_channel_ep_t *ep, enum channel_wait what);
/* Sleeps until something may have come, for at most so many milliseconds; -1: no limit. SUCCESS, or
 * with a sentence AGAIN: a signal came, or INITIALIZATION. */
doca_error_t channel_sleep(struct doca_comm_channel_ep_t *ep, enum channel_wait what,
			   int timeout_ms);
/* Makes the descriptors of an event channel. 0 or -errno. */
int channel_open_wait(struct doca_comm_channel_ep_t *ep, enum channel_wait what);
void channel_close_waits(struct doca_comm_channel_ep_t *ep);
/* Clients that the daemon announced and nobody accepted. */
uint32_t channel_count_pending(const struct doca_comm_channel_ep_t *ep);
/* The daemon says that what the service serves was taken away, and nobody has read it yet. */
bool channel_is_end_unread(const struct doca_comm_channel_ep_t *ep);

/* --- channel_peer.c --- */

void channel_peer_init(struct doca_comm_channel_addr_t *peer, struct doca_comm_channel_ep_t *ep);
/* The connection stands. */
void channel_peer_up(struct doca_comm_channel_addr_t *peer, struct doca_comch_connection *conn);
/* It does not any more; conn is still there. */
void channel_peer_down(struct doca_comm_channel_addr_t *peer, doca_error_t code);
/* Takes the figures of now. */
void channel_peer_refresh(struct doca_comm_channel_addr_t *peer);

#endif
