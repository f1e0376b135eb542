/*
 * Links to the daemons of the other side, over any carrier (carrier.h). A peer that this daemon
 * connects to is configured, and the daemon retries for ever. A peer that connected to this daemon
 * lives as long as its connection. A peer is linked once both have sent PeerHello. A request to a
 * peer is embedded in the object that waits for the answer, and ends with that object.
 */
#ifndef DAEMON_PEER_PEER_H
#define DAEMON_PEER_PEER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "daemon/base/code.h"
#include "daemon/base/idmap.h"
#include "daemon/base/loop.h"
#include "daemon/config/config.h"
#include "daemon/peer/carrier.h"
#include "proto/frame.h"
#include "util/fdset.h"
#include "util/list.h"

#define PEER_DAEMON_ID_LEN 16

struct daemon;
struct peer;
struct peer_request;
struct relay_link;

struct peer_function {
	char pci_addr[13];
	char vuid[128];
	char name[64];
	char iface[64];
	uint32_t func_type;
	uint32_t vhca_id;
	uint8_t mac[6];
	bool has_mac;
};

enum peer_state {
	PEER_WAITING,    /* waits until the other daemon can be reached */
	PEER_CONNECTING, /* TLS only: until both ends are authenticated */
	PEER_GREETING,
	PEER_LINKED,
	/*
	 * Configured to connect to this daemon; listed while no connected peer is the one expected.
	 */
	PEER_EXPECTED,
};

/* Liveness check of a peer over TLS; see daemon/peer/alive.c. */
struct peer_alive {
	struct loop_source *timer;
	uint64_t due_ns;      /* time for which the timer was set */
	uint64_t received_ns; /* last receipt; CLOCK_MONOTONIC, like all times here */
	uint64_t ping, ping_ns;
	uint64_t rtt_ns; /* round-trip time of the last answered ping, or 0 */
};

#define PEER_NETWORK_LEN 96

/* Failures of links that were already logged, so that each is logged once. */
struct peer_log {
	char lines[32][320];
	unsigned next;
	/*
	 * Any host may connect over TLS, at any rate and from many addresses. So its failures are
	 * counted per network and reason.
	 */
	struct peer_failures {
		char network[PEER_NETWORK_LEN]; /* "" when free */
		char reason[160];
		uint64_t logged_ns; /* when it was last logged, CLOCK_MONOTONIC; 0: never */
		unsigned n_more;    /* number of times since */
	} failures[128], other_failures;
};

/*
 * The daemon_ids that each certificate or uid has used. A daemon_id decides whose exports and
 * channels a message refers to. Only the peer that used an id first, identified by its certificate
 * or uid, may use it.
 */
#define PEER_MAX_IDENTITIES 32
#define PEER_MAX_STORED_IDS 8

struct peer_identity {
	char name[80]; /* "tls NAME" or "unix UID"; "" when free */
	uint8_t ids[PEER_MAX_STORED_IDS][PEER_DAEMON_ID_LEN];
	/* Number of ids that it has used; the last PEER_MAX_STORED_IDS are stored here. */
	unsigned n;
	uint64_t used; /* sequence number of its last use; the lowest is dropped first */
};

struct peer_identities {
	struct peer_identity all[PEER_MAX_IDENTITIES];
	uint64_t n_uses;
};

/* The daemon's peers. */
struct peers {
	struct list list; /* struct peer, link */
	size_t max_fds;   /* that connections over Unix sockets and their send queues may hold */
	uint64_t last_id;
	struct tls *tls; /* NULL if there are no peers over TLS */
	struct peer_log log;
	struct peer_identities identities;
};

struct peer {
	struct daemon *daemon;
	struct list link; /* daemon->peers->list */
	uint64_t id;      /* shown to operators */
	char name[64];
	bool is_tls;
	/* Not named in a configuration file, so its absence is not reported. */
	bool is_default;
	/* This daemon connects to it; otherwise it connected to this daemon. */
	bool is_ours;
	bool is_announced;              /* announced to D-Bus watchers: it is authenticated */
	char path[CONFIG_PATH_LEN];     /* unix: the path that this daemon connects to, else "" */
	char network[PEER_NETWORK_LEN]; /* the network of a peer that connected over TLS; else "" */
	char address[280]; /* "unix:/path" or "tls:HOST:PORT"; numeric for an incoming connection */
	char subject[256]; /* tls: subject of its certificate, once accepted */
	enum peer_state state;
	enum side side; /* of the other daemon, valid once linked */
	pid_t pid;
	uid_t uid;
	gid_t gid;
	uint8_t daemon_id[PEER_DAEMON_ID_LEN];
	char version[32];
	uint64_t linked_at_ns; /* CLOCK_REALTIME */
	unsigned n_links;      /* number of times that it was linked */
	bool same_kernel;      /* the peer reports the same boot id */
	bool logged_conflict;  /* logged for this link: another peer has one of its functions */
	bool knows_ends;       /* it supports PeerEnds for channels */
	bool has_listed_ends;  /* it has sent PeerEnds over this link */
	bool relays_copies;    /* see daemon/rdma/stream.h */
	bool has_renewals;     /* there was no room yet to renew all imports */
	bool has_choices;      /* there was no room yet to report all transport choices */
	bool has_calls;        /* there was no room yet to place all calls by address */
	bool remote_consumers; /* it supports remote consumers, see consumer.h */
	bool pages_functions;  /* see PeerFunctions */
	/* Logged for this link: it accepts one packet of functions, and there are more. */
	bool logged_left_out;
	/* The complete list; and the first part of a list that is being received. */
	struct peer_function *functions, *incoming;
	size_t n_functions, n_incoming;

	struct carrier *carrier;
	struct loop_source *retry;
	struct loop_source *reaper;
	uint64_t backoff_ns;
	uint64_t linked_mono_ns;
	struct peer_alive alive;
	char reason[240]; /* why the link is down, or was down last */
	uint64_t next_request_id;
	struct list requests;          /* struct peer_request, link */
	struct list grants;            /* struct grant, peer_link */
	struct idmap grant_map;        /* by the peer's import id */
	struct relay_link *relay_link; /* state of relay.c for this link; NULL until used */
};

/* Like session_handler_fn, for packets of peers. */
typedef int (*peer_handler_fn)(struct peer *peer, const Dococore__Packet *packet,
			       struct fdset *fds);

/* A room that has objects which depend on links. Callbacks that are NULL are not called. */
struct peer_listener {
	/* The link is up. Clients and operators have not been notified yet. */
	void (*linked)(struct peer *peer);
	/* Clients and operators have been notified. The room sends its first messages here. */
	void (*greeted)(struct peer *peer);
	/* The peer has listed its functions, and requests that waited for that were handled. */
	void (*ready)(struct peer *peer);
	/* Fewer bytes wait to be sent. */
	void (*writable)(struct peer *peer);
	/* The link is gone. */
	void (*lost)(struct peer *peer);
};

/* Functions of higher rooms that peer links call. One table for all peers; see dispatch.h. */
struct peer_hooks {
	/* The handler of a packet. NULL: no peer may send it unasked. */
	peer_handler_fn (*route)(const Dococore__Packet *packet);
	/*
	 * linked, greeted, ready and writable are called in the order of this array, lost in the
	 * reverse order.
	 */
	const struct peer_listener *listeners;
	size_t n_listeners;
};

/*
 * reply is NULL if the link was lost before the answer. The request has been removed from all lists
 * before this is called.
 */
typedef void (*peer_reply_fn)(struct peer_request *request, const Dococore__Packet *reply,
			      struct fdset *fds);

struct peer_request {
	struct list link;
	struct peer *peer; /* NULL if no answer is awaited */
	uint64_t id;
	peer_reply_fn fn;
};

void peer_request_init(struct peer_request *request, peer_reply_fn fn);
/* Drops the answer if it comes later. Idempotent. */
void peer_request_cancel(struct peer_request *request);
/* Sends a request and awaits the answer. Returns 0 or -ENOTCONN. */
int peer_ask(struct peer *peer, struct peer_request *request, Dococore__Packet *packet,
	     const int *fds, size_t n_fds);
/* Sends a notice or an answer. Returns 0 or -ENOTCONN. */
int peer_send(struct peer *peer, Dococore__Packet *packet, const int *fds, size_t n_fds);
/*
 * True while so many bytes or descriptors are queued for a slow peer that no message should be
 * added that clients can repeat at will: exceeding the link's limit of bytes breaks the link, and
 * queued packets hold duplicated descriptors.
 */
bool peer_is_congested(const struct peer *peer);
/*
 * True if the daemons of the peer's user, which are connected over Unix sockets, hold more
 * descriptors of this process than are left for those of other users.
 */
bool peer_exceeds_share(const struct peer *peer);
/* Answers with Error. Returns 0. */
int peer_fail_refused(struct peer *peer, uint64_t id, enum code code, const char *fmt, ...)
	PRINTF_LIKE(4, 5);

/* False over TLS: no request may need or return descriptors. */
bool peer_passes_fds(const struct peer *peer);

/*
 * True if the link relays streams between importers and exporters; see daemon/rdma/stream.h. False
 * for NULL.
 */
bool peer_relays_copies(const struct peer *peer);
/* Creates a configured peer and starts connecting. Returns 0 or -errno. */
int peer_new(struct daemon *daemon, const struct config_peer *config, struct peer **peer_out);
/*
 * Creates the entry that operators see for a configured peer that connects to this daemon, while it
 * is not connected. Returns 0 or -ENOMEM.
 */
int peer_expect(struct daemon *daemon, const struct config_peer *config);
/* True if a connected peer is the expected one. */
bool peer_is_connected(const struct peer *expected);
/*
 * Accepts an incoming connection. Takes ownership of fd, also on failure. Returns 0, -EPERM (the
 * uid is not allowed) or another -errno.
 */
int peer_accept(struct daemon *daemon, int fd);
/* Like peer_accept(), over TLS. Returns 0 or -errno. */
int peer_accept_tls(struct daemon *daemon, int fd);
/*
 * Call after a reload. Disconnects a peer over TLS whose certificate is no longer accepted, or a
 * peer over a Unix socket whose user is no longer allowed. Returns false if it was disconnected.
 */
bool peer_recheck(struct peer *peer);
/*
 * Makes the link unusable at once. Objects that depend on it end in the event loop's next
 * iteration.
 */
void peer_break(struct peer *peer, const char *fmt, ...) PRINTF_LIKE(2, 3);
/* Breaks the link, if any, and frees the peer. Returns NULL. */
struct peer *peer_free(struct peer *peer);
/* Returns the first linked peer after the given one (NULL: from the start), or NULL. */
struct peer *peer_next_linked(struct daemon *daemon, struct peer *after);
const char *peer_state_name(enum peer_state state);

int peer_on_hello(struct peer *peer, const Dococore__Packet *packet, struct fdset *fds);
int peer_on_ping(struct peer *peer, const Dococore__Packet *packet, struct fdset *fds);
int peer_on_pong(struct peer *peer, const Dococore__Packet *packet, struct fdset *fds);

/* An expected peer was linked, or is no longer linked: stores the reason for operators. */
void peer_expected_set_reason(struct peer *peer);

/*
 * Returns true and records the daemon_id if no other peer has used it. Otherwise returns false and
 * the peer to which it belongs.
 */
bool peer_identity_claim(struct peer *peer, const char **owner_out);
/* Forgets the ids of a [peer] whose configuration has changed. */
void peer_identity_forget(struct daemon *daemon, const char *peer_name);
/* Like peer_identity_forget(), for a peer over a Unix socket, which is identified by its uid. */
void peer_identity_forget_unix(const struct peer *peer);

/* Used by daemon/peer/peer.c. */
/*
 * Announces to D-Bus watchers that an expected peer has come (it is authenticated), or that this
 * one is expected again.
 */
void peer_expected_announce(struct peer *peer, bool is_connected);
/*
 * Limits connections over TLS that are not authenticated yet: if there are too many like the
 * newcomer, drops one of them.
 */
void peer_limit_half_open(struct peer *newcomer);
/* Determines the network of the peer: the prefix within which one owner may have many addresses. */
void peer_find_network(struct peer *peer);
void peer_alive_start(struct peer *peer);
void peer_alive_stop(struct peer *peer);
/* These call all listeners. */
void peer_call_linked(struct peer *peer);
void peer_call_greeted(struct peer *peer);
void peer_call_ready(struct peer *peer);
void peer_call_writable(void *peer);
void peer_call_lost(struct peer *peer);
/* Logs a failure of the link, once per reason. */
void peer_log_refused(struct peer *peer);
/* Call when the peer is linked: later failures are logged again. */
void peer_log_forget(struct peer *peer);

#endif
