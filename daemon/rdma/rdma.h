/*
 * RDMA connections by address. An agent stands for an RDMA port of a client: it has an event ring
 * and listens on port numbers of its device's addresses. A call is one end of a connection that is
 * being made: the caller's, or that of who is called; the two are of one daemon, or of two that are
 * linked. What the daemons carry are the details of both queue pairs. A call ends when it is
 * answered; nothing of it stays.
 *
 * Calls may also go to an export, by an import of it: to the agent by which its process serves what
 * it exports. They stay, so that each end learns when the other is no more: an RDMA device does not
 * tell that to one that only answers. Where no RDMA device is, such a call has a stream instead of
 * queue pairs (daemon/rdma/stream.h).
 */
#ifndef DAEMON_RDMA_RDMA_H
#define DAEMON_RDMA_RDMA_H

#include <stdbool.h>
#include <stdint.h>

#include "daemon/base/account.h"
#include "daemon/base/idmap.h"
#include "daemon/device/device.h"
#include "daemon/peer/link.h"
#include "daemon/session/event_out.h"
#include "daemon/store/persist.h"
#include "proto/frame.h"
#include "proto/gid.h"
#include "util/blob.h"
#include "util/list.h"

/* Calls that wait for an agent's answer. */
#define RDMA_MAX_WAITING 128u
/* Streams of one importing process to an agent: half of what that serves at a time. */
#define RDMA_MAX_STREAMS_EACH 32u
/* The same of queue pairs: half of what a library serves. */
#define RDMA_MAX_PAIRS_EACH 128u

struct daemon;
struct session;

struct rdma_agent {
	bool serves_exports; /* of its session and device */
	bool relays;         /* also by streams (daemon/rdma/stream.h) */
	bool streams_only;   /* it has no queue pairs, or may not have */
	struct daemon *daemon;
	struct session *session;
	struct list link;         /* daemon->rdma_agents */
	struct list session_link; /* session->rdma_agents */
	struct idmap_node node;   /* daemon->rdma_agent_map; node.id is the agent id */
	struct handle *handle;
	struct device *device;
	struct event_out events;
	struct list listeners; /* struct rdma_listener, link */
	struct list calls;     /* struct rdma_call, agent_link */
	unsigned n_waiting;    /* calls to it */
	bool told_gone;        /* who listens was, that the device was taken away */
	struct charge charge;
	uint64_t request_id; /* that made it */
	uint64_t past_seq;   /* of the record that it was resumed from, or 0 */
	struct kept kept;
};

/* One that an earlier instance had. */
struct rdma_agent_past {
	uint64_t id, handle, request_id;
	uint64_t seq; /* of its record: the later was written last */
	const uint32_t *ports;
	size_t n_ports;
	bool serves_exports, relays, streams_only;
};

struct rdma_call_past {
	uint64_t id;
	bool is_caller, is_answered;
	bool keeps_pair; /* to an export, with queue pairs */
	bool is_relay;   /* to an export, with a stream */
	uint32_t port_number;
};

struct rdma_listener {
	struct list link; /* agent->listeners */
	uint32_t port_number;
	struct charge charge;
};

struct rdma_call {
	struct rdma_agent *agent;
	struct list link;       /* daemon->rdma_calls */
	struct list agent_link; /* agent->calls */
	struct idmap_node node; /* daemon->rdma_call_map; node.id is the call id */
	bool is_caller;
	bool is_answered;          /* accepted; the caller's end: to be fetched */
	uint64_t import_id;        /* of the caller's daemon: one to an export, which stays; or 0 */
	uint8_t details[BLOB_LEN]; /* of the other end, or the caller's own until it is answered */
	size_t details_len;
	uint8_t source[GID_LEN];
	uint8_t address[GID_LEN];
	uint32_t port_number, source_port;
	/* The other end: of this daemon, or of a peer's, or gone. */
	struct rdma_call *other;
	struct peer *peer;
	uint64_t peer_call_id; /* 0: not known yet */
	/* By address: a congested peer was not asked, which has got room since; all others were,
	 * and nobody listens there. */
	bool has_passed_by, has_room, is_waiting;
	/* Not queue pairs are connected, but a stream (daemon/rdma/stream.h). */
	bool is_relay;
	pid_t importer_pid;  /* of who is called by an import: the caller's */
	bool is_pci;         /* of who is called: to an export for PCI */
	struct relay *relay; /* from the answer on */
	bool is_handed_over; /* the client has its rings */
	struct peer_request request;
	struct charge charge;
	struct kept kept;
};

/* The id of the agent that serves the session's exports on the open device, or 0: for an importer
 * of another machine, or of this one, where nothing is relayed. Whether it does so by streams as
 * well.
 */
uint64_t rdma_agent_serving(const struct session *session, const struct handle *handle,
			    bool is_distant);
bool rdma_agent_relays(const struct session *session, const struct handle *handle);
/* An operator revoked it: who serves it takes it from its RDMA device. */
void rdma_tell_revoked(const struct session *session, const struct handle *handle,
		       uint64_t export_id);
/* Who listens on a device that was taken away may be asleep. */
void rdma_wake_gone(struct daemon *daemon);
/* Takes both descriptors, also when it fails. 0 or -errno. */
int rdma_agent_resume(struct session *session, const struct rdma_agent_past *past, int memfd,
		      int eventfd, struct rdma_agent **agent_out);
/* A call that an earlier instance had: it is over, and its client hears of that. Not the caller of
 * queue pairs that are connected, who needs it no more. */
void rdma_call_resume(struct rdma_agent *agent, const struct rdma_call_past *past);
/* See resume_answer_again(). */
bool rdma_open_again(struct session *session, const Dococore__Packet *packet);
bool rdma_listen_again(struct session *session, const Dococore__Packet *packet);
/* Its calls end. Returns NULL. */
struct rdma_agent *rdma_agent_free(struct rdma_agent *agent);
/* The link is not congested any more: calls that wait for that are placed. */
void rdma_link_room(struct peer *peer);
/* The link is lost: calls over it end. */
void rdma_peer_lost(struct daemon *daemon, struct peer *peer);

int rdma_on_open(struct session *session, const Dococore__Packet *packet, struct fdset *fds);
int rdma_on_close(struct session *session, const Dococore__Packet *packet, struct fdset *fds);
int rdma_on_listen(struct session *session, const Dococore__Packet *packet, struct fdset *fds);
int rdma_on_connect(struct session *session, const Dococore__Packet *packet, struct fdset *fds);
int rdma_on_fetch(struct session *session, const Dococore__Packet *packet, struct fdset *fds);
int rdma_on_answer(struct session *session, const Dococore__Packet *packet, struct fdset *fds);
int rdma_on_peer_connect(struct peer *peer, const Dococore__Packet *packet, struct fdset *fds);
int rdma_on_peer_answer(struct peer *peer, const Dococore__Packet *packet, struct fdset *fds);

#endif
