/*
 * Comm channel endpoints: comch servers and clients (client/comch/comch.h) behind calls that send,
 * receive and wait directly, without tasks and without callbacks of the program.
 *
 * An endpoint has its own progress engine; every call that checks for news progresses it. A message
 * that arrives while recvfrom asks for one is copied into the program's buffer. A message that
 * arrives at another time, or does not fit, is refused and remains in its ring.
 *
 * A peer is an object of its own, because the program keeps it longer than the connection exists;
 * disconnect frees it. A client's peer is part of its endpoint.
 *
 * Waiting (client/compat/comm_channel/event.c): the engine's handle becomes readable when a
 * doorbell behind it was rung, by the daemon or by a connection, for a message or for room. Each
 * event channel is an epoll descriptor with that handle and an eventfd of its own. Arming one event
 * channel clears all doorbells, which would lose the wake-ups of the others. Everything that is
 * armed is therefore armed again. If something has arrived by then, the own eventfd of the event
 * channel that waits for it is rung.
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
#define CHANNEL_MAX_QUEUE 32768u /* the largest power of two that the interface can represent */

enum channel_role {
	CHANNEL_NONE = 0, /* neither listens nor connected */
	CHANNEL_SERVICE = 1,
	CHANNEL_CLIENT = 2,
};

/* The events that can be waited for. */
enum channel_wait {
	CHANNEL_WAIT_SEND = 0,
	CHANNEL_WAIT_RECV = 1,
	CHANNEL_WAIT_SERVICE = 2,
	CHANNEL_N_WAITS,
};

struct doca_comm_channel_addr_t {
	/* Members that each message uses. */
	struct doca_comm_channel_ep_t *ep;  /* NULL: it was disconnected */
	struct doca_comch_connection *conn; /* NULL: not connected yet, or not any more */
	/* Members off the message path. */
	struct list node; /* for a service: in ep->peers */
	uint64_t user_data;
	/* How the connection ended: SUCCESS if the peer closed it in order. */
	doca_error_t end_code;
	bool is_connecting;
	/* The connection ended with an error that recvfrom has not reported yet. */
	bool must_report_end;
	uint32_t awaited_room_len; /* the length of a message that met a full queue; 0: none did */
	uint32_t n_full;           /* the number of times that a full queue was met */
	uint32_t max_msg, queue_size;
	struct comch_counters at_end; /* the counters when the connection ended */
	struct comch_counters reported;
	uint64_t n_in_flight; /* the value when `reported` was taken */
};

struct doca_comm_channel_ep_t {
	struct comch *comch; /* the base of `server` or `client`; NULL: neither */
	struct doca_pe *pe;
	enum channel_role role;
	uint16_t api;
	bool waits;      /* sendto, recvfrom and connect block unless their flags forbid it */
	bool is_refused; /* a message was refused since this was cleared */
	/* The recvfrom in progress; `recv_buf` is set to NULL when a message was received. */
	void *recv_buf;
	size_t recv_buf_len;
	uint32_t recv_len;
	struct doca_comch_connection *recv_conn;
	uint32_t n_empty; /* consecutive receives that found nothing */
	/* Members off the message path. */
	uint64_t check_ns; /* the time of the next check of the daemon */
	struct doca_dev *dev;
	struct doca_dev_rep *rep;
	bool owns_dev;                            /* this endpoint found and opened the device */
	uint32_t max_msg, send_queue, recv_queue; /* 0: not set */
	struct doca_comch_server *server;
	struct doca_comch_client *client;
	struct doca_comm_channel_addr_t peer; /* for a client */
	struct list peers;                    /* for a service */
	uint32_t n_peers, n_unreported_ends;
	/* Event channels. */
	int wait_fds[CHANNEL_N_WAITS], own_fds[CHANNEL_N_WAITS]; /* -1: never requested */
	bool armed[CHANNEL_N_WAITS];
	/* The service's state as last shown to the program. */
	uint64_t n_changes, reported_changes; /* changes of peers since the service listens */
	struct doca_comm_channel_addr_t **list;
	uint32_t list_len, n_pending;
	/* The position in the event ring up to which events of clients that left have woken the
	 * program, and the ring. */
	uint32_t n_reported_events;
	const struct event_ring *reported_ring;
};

/* --- channel.c --- */

struct channel_attr {
	uint16_t api;
	bool waits;
	uint32_t max_msg, n_msgs; /* 0: default */
};

doca_error_t channel_new(const struct channel_attr *attr, struct doca_comm_channel_ep_t **ep_out);
/* Rounds a size as the queue sizes are rounded. */
uint32_t channel_queue_size(uint32_t asked);
/* Check that the endpoint is of 1.3, or of a later version. Otherwise they return BAD_STATE with an
 * error sentence. */
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

/* Ends the service or the connection. Afterwards the endpoint neither listens nor is connected. */
void channel_end(struct doca_comm_channel_ep_t *ep);
/* Returns NOT_CONNECTED with an error sentence in a forked child: it cannot end the service or
 * connection of its parent. */
doca_error_t channel_check_process(const struct doca_comm_channel_ep_t *ep, const char *call);
/*
 * Called when a service, or a client that waits to be accepted, found nothing: checks at most once
 * per second whether the daemon is still there. A restarted daemon learns of the endpoint by this.
 * May be called at any time; the next progress sees the result.
 */
void channel_check_daemon(struct doca_comm_channel_ep_t *ep);
/* Like the function above, for a polling caller: does nothing until a second has passed without a
 * message. */
void channel_check_daemon_when_idle(struct doca_comm_channel_ep_t *ep);
/* Opens the first device that supports the role, and its first representor. */
doca_error_t channel_find_device(struct doca_comm_channel_ep_t *ep, bool is_service);
void channel_release_device(struct doca_comm_channel_ep_t *ep);

/* --- client/compat/comm_channel/message.c --- */

/* Handles everything new except messages. */
void channel_progress(struct doca_comm_channel_ep_t *ep);
/* The server's or client's message callback. */
void channel_on_message(struct doca_comch_event_msg_recv *event, uint8_t *bytes, uint32_t len,
			struct doca_comch_connection *conn);

/* Returns CONNECTION_RESET with an error sentence that says why a service has ended by itself. */
doca_error_t channel_service_ended(const struct doca_comm_channel_ep_t *ep, const char *call);

/* --- client/compat/comm_channel/event.c --- */

/* Arms one event, and again everything that was armed. Returns true if the event is there already.
 * The caller progresses when it wakes. */
bool channel_arm(struct doca_comm_channel_ep_t *ep, enum channel_wait what);
/* Sleeps until the event may have occurred, at most timeout_ms milliseconds; -1 means without
 * limit. Returns SUCCESS; or, with an error sentence, AGAIN after a signal, or INITIALIZATION. */
doca_error_t channel_sleep(struct doca_comm_channel_ep_t *ep, enum channel_wait what,
			   int timeout_ms);
/* Creates the descriptors of an event channel. Returns 0 or -errno. */
int channel_open_wait(struct doca_comm_channel_ep_t *ep, enum channel_wait what);
void channel_close_waits(struct doca_comm_channel_ep_t *ep);
/* Counts the clients that the daemon announced and that have not been accepted. */
uint32_t channel_count_pending(const struct doca_comm_channel_ep_t *ep);
/* Returns whether the daemon has reported the removal of the service's device in an event that was
 * not handled yet. */
bool channel_is_end_unread(const struct doca_comm_channel_ep_t *ep);

/* --- peer.c --- */

void channel_peer_init(struct doca_comm_channel_addr_t *peer, struct doca_comm_channel_ep_t *ep);
/* Called when the connection is established. */
void channel_peer_up(struct doca_comm_channel_addr_t *peer, struct doca_comch_connection *conn);
/* Called when the connection has ended; conn still exists. */
void channel_peer_down(struct doca_comm_channel_addr_t *peer, doca_error_t code);
/* Updates the peer's figures. */
void channel_peer_refresh(struct doca_comm_channel_addr_t *peer);

#endif
