/*
 * Links to the daemons of the other side, over whatever carries them (carrier.h). A peer that we
 * connect to is configured and tried again for ever; one that connected to us lives as long as its
 * connection. A peer is linked once both sent PeerHello. Requests to a peer are embedded in the
 * object that waits for the answer and end with it.
 */
#ifndef DAEMON_PEER_LINK_H
#define DAEMON_PEER_LINK_H

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
	PEER_WAITING,    /* for the other daemon to be there */
	PEER_CONNECTING, /* TLS only: until each knows who the other is */
	PEER_GREETING,
	PEER_LINKED,
	PEER_EXPECTED, /* configured to connect to us: listed while no other peer is it */
};

/* Whether a peer over TLS is still there; see daemon/peer/alive.c. */
struct peer_alive {
	struct loop_source *timer;
	uint64_t due_ns;   /* when the timer was to fire */
	uint64_t heard_ns; /* CLOCK_MONOTONIC, as all here */
	uint64_t ping, ping_ns;
	uint64_t rtt_ns; /* of the last ping that was answered, or 0 */
};

#define PEER_NETWORK_LEN 96

/* What was logged about links that did not come about, so that it is logged once. */
struct peer_told {
	char lines[32][320];
	unsigned next;
	/* Whoever connects over TLS may choose how often, and from which of its addresses. */
	struct peer_stranger {
		char network[PEER_NETWORK_LEN]; /* "" when free */
		char reason[160];
		uint64_t told_ns; /* CLOCK_MONOTONIC; 0: never */
		unsigned n_more;  /* times since */
	} strangers[128], crowd;
};

/*
 * Which daemons a certificate has been: a daemon_id names whose exports and channels are meant, and
 * whoever has said one first, with its certificate or as its uid, is the only one who may say it.
 */
#define PEER_MAX_IDENTITIES 32
#define PEER_MAX_PAST_IDS   8

struct peer_identity {
	char who[80]; /* "tls NAME" or "unix UID"; "" when free */
	uint8_t ids[PEER_MAX_PAST_IDS][PEER_DAEMON_ID_LEN];
	unsigned n;    /* that it has said; the last PEER_MAX_PAST_IDS are here */
	uint64_t used; /* the least is forgotten first */
};

struct peer_identities {
	struct peer_identity all[PEER_MAX_IDENTITIES];
	uint64_t n_uses;
};

struct peer {
	struct daemon *daemon;
	struct list link; /* daemon->peers */
	uint64_t id;      /* for operators */
	char name[64];
	bool is_tls;
	bool is_default;                /* no file names it: its absence is nothing to report */
	bool is_ours;                   /* we connect to it; else it connected to us */
	bool is_told;                   /* to who watches peers: it has said who it is */
	char path[CONFIG_PATH_LEN];     /* unix: where we connect to, else "" */
	char network[PEER_NETWORK_LEN]; /* of one that connected to us over TLS; "" else */
	char address[280]; /* "unix:/path" or "tls:HOST:PORT"; that of a connection to us is
			    * numeric */
	char subject[256]; /* tls: of its certificate, once that was accepted */
	enum peer_state state;
	enum side side; /* of the other daemon, once linked */
	pid_t pid;
	uid_t uid;
	gid_t gid;
	uint8_t daemon_id[PEER_DAEMON_ID_LEN];
	char version[32];
	uint64_t linked_at_ns; /* CLOCK_REALTIME */
	unsigned n_links;      /* how often it was linked */
	bool same_kernel;      /* it says so */
	bool told_rival;       /* of this link: it is not the only one with a function of its */
	bool knows_ends;       /* of channels, see PeerEnds */
	bool has_said_ends;    /* over this link */
	bool relays_copies;    /* see daemon/rdma/stream.h */
	bool has_renewals;     /* there was no room yet to ask for all imports again */
	bool has_choices;      /* nor to tell how all of them go */
	bool has_calls;        /* nor to ask for who listens on addresses */
	bool far_consumers;    /* see consumer.h */
	bool pages_functions;  /* see PeerFunctions */
	bool told_left_out; /* of this link: it takes one packet of functions, and there are more */
	struct peer_function *functions, *coming; /* all that it has told; a list's first part */
	size_t n_functions, n_coming;

	struct carrier *carrier;
	struct loop_source *retry;
	struct loop_source *reaper;
	uint64_t backoff_ns;
	uint64_t linked_mono_ns;
	struct peer_alive alive;
	char reason[240]; /* why the link is down, or was the last time */
	uint64_t next_request_id;
	struct list requests;          /* struct peer_request, link */
	struct list grants;            /* struct grant, peer_link */
	struct idmap grant_map;        /* by the peer's import id */
	struct relay_link *relay_link; /* what relay.c has of it; NULL at first */
};

/* reply is NULL when the link broke before the answer; the request is out of all lists by then. */
typedef void (*peer_reply_fn)(struct peer_request *request, const Dococore__Packet *reply,
			      struct fdset *fds);

struct peer_request {
	struct list link;
	struct peer *peer; /* NULL when no answer is awaited */
	uint64_t id;
	peer_reply_fn fn;
};

void peer_request_init(struct peer_request *request, peer_reply_fn fn);
/* The answer, should it come, is dropped. May be called twice. */
void peer_request_cancel(struct peer_request *request);
/* Sends and awaits. 0 or -ENOTCONN. */
int peer_ask(struct peer *peer, struct peer_request *request, Dococore__Packet *packet,
	     const int *fds, size_t n_fds);
/* A notice or an answer. 0 or -ENOTCONN. */
int peer_send(struct peer *peer, Dococore__Packet *packet, const int *fds, size_t n_fds);
/* True while so much waits for a slow peer that nothing that clients can repeat at will should be
 * added: what passes the limit of a link breaks it, and copies of descriptors cost this process
 * some. */
bool peer_is_congested(const struct peer *peer);
/* Answers with Error and returns 0. */
int peer_refuse(struct peer *peer, uint64_t id, enum code code, const char *fmt, ...)
	PRINTF_LIKE(4, 5);

/* False over TLS: nothing that needs descriptors can be asked for or handed over. */
bool peer_passes_fds(const struct peer *peer);

/* A configured peer: starts connecting. 0 or -errno. */
int peer_new(struct daemon *daemon, const struct config_peer *config, struct peer **peer_out);
/* A configured peer that connects to us: what operators see of it while it does not. 0 or -ENOMEM.
 */
int peer_expect(struct daemon *daemon, const struct config_peer *config);
/* Of one that is expected: another peer is it now. */
bool peer_is_there(const struct peer *expected);
/* A connection that came in; takes fd, also when it fails. 0, -EPERM (its uid may not), -errno. */
int peer_accept(struct daemon *daemon, int fd);
/* The same over TLS. 0 or -errno. */
int peer_accept_tls(struct daemon *daemon, int fd);
/* After a reload: a peer over TLS whose certificate would not be accepted any more, or over a Unix
 * socket whose user may not be one any more, is let go. False: it was. */
bool peer_judge(struct peer *peer);
/* The link is unusable from now on; what leans on it ends in the loop's next step. */
void peer_break(struct peer *peer, const char *fmt, ...) PRINTF_LIKE(2, 3);
/* Breaks the link, if any, and frees. Returns NULL. */
struct peer *peer_free(struct peer *peer);
/* First linked peer after the given one (NULL: from the start), or NULL. */
struct peer *peer_next_linked(struct daemon *daemon, struct peer *after);
bool peer_has_function(const struct peer *peer, const char *pci_addr);
/* The function that has the address, or NULL. */
const struct peer_function *peer_find_mac(const struct peer *peer, const uint8_t mac[6]);
/* Tells all linked peers which functions this side has now. */
void peers_send_functions(struct daemon *daemon);
const char *peer_state_name(enum peer_state state);

int peer_on_hello(struct peer *peer, const Dococore__Packet *packet, struct fdset *fds);
int peer_on_functions(struct peer *peer, const Dococore__Packet *packet, struct fdset *fds);
int peer_on_ping(struct peer *peer, const Dococore__Packet *packet, struct fdset *fds);
int peer_on_pong(struct peer *peer, const Dococore__Packet *packet, struct fdset *fds);

/* One that was expected is linked, or is not any more: the reason is kept for operators. */
void peer_expected_note(struct peer *peer);

/* True if the daemon_id that the peer says is its own as far as anybody knows, and remembers that;
 * false: whose it is. */
bool peer_identity_take(struct peer *peer, const char **whose_out);
/* What a [peer] that is configured anew has been is forgotten. */
void peer_identity_forget(struct daemon *daemon, const char *peer_name);
/* The same of one over a Unix socket, which is known by its uid. */
void peer_identity_forget_unix(const struct peer *peer);

/* For daemon/peer/link.c. */
void peer_send_functions(struct peer *peer);
/* Who watches peers sees who is expected, or who has come: this one has said who it is, or is to be
 * forgotten. */
void peer_expected_tell(struct peer *peer, bool has_come);
/* A newcomer over TLS: when there are too many like it, one of them is let go. */
void peer_limit_half_open(struct peer *newcomer);
/* Where it comes from, as far as one owner may have many addresses. */
void peer_find_network(struct peer *peer);
void peer_alive_start(struct peer *peer);
void peer_alive_stop(struct peer *peer);
/* A peer that tries again and again is logged once per reason. */
void peer_tell_refused(struct peer *peer);
/* It is linked: what goes wrong from here on is news again. */
void peer_forget_told(struct peer *peer);

#endif
