/*
 * RDMA connections by address. A rendezvous endpoint is the address of a client's queue pairs: it
 * has an event ring, and listens on port numbers of its device's addresses. A call is one end of a
 * connection that is being established: the caller's or the callee's. Both may belong to one daemon
 * or to two linked daemons. The daemons carry the details of both queue pairs. A call by address
 * ends when it is answered, and leaves no state.
 *
 * A call may also go to an export, through an import of it: to the endpoint by which the exporter's
 * process serves its exports. Such a call stays, so that each end is notified when the other is
 * gone: an RDMA device does not report that to an end that only responds. Without an RDMA device
 * such a call has a stream instead of queue pairs (daemon/rdma/stream.h).
 */
#ifndef DAEMON_RDMA_RDMA_H
#define DAEMON_RDMA_RDMA_H

#include <stdbool.h>
#include <stdint.h>

#include "daemon/base/account.h"
#include "daemon/base/idmap.h"
#include "daemon/device/device.h"
#include "daemon/peer/peer.h"
#include "daemon/session/event_out.h"
#include "daemon/session/object.h"
#include "daemon/store/persist.h"
#include "proto/frame.h"
#include "proto/gid.h"
#include "util/export_descriptor.h"
#include "util/list.h"

/* Limit of unanswered calls at one endpoint. */
#define RDMA_MAX_WAITING 128u
/*
 * Limit of streams from one importing process to an endpoint: half of what the endpoint serves at a
 * time.
 */
#define RDMA_MAX_STREAMS_EACH 32u
/* Limit of queue pairs from one importing process: half of what a library serves. */
#define RDMA_MAX_PAIRS_EACH 128u

struct daemon;
struct session;

/* The daemon's rendezvous endpoints and calls. */
struct rdma {
	struct list endpoints; /* struct rdma_endpoint, link */
	struct list calls;     /* struct rdma_call, link */
	struct idmap endpoint_map, call_map;
};

struct rdma_endpoint {
	bool serves_exports; /* serves the exports of its session and device */
	bool relays;         /* also serves them by streams (daemon/rdma/stream.h) */
	bool streams_only;   /* has no queue pairs, or may not have any */
	struct daemon *daemon;
	struct session *session;
	struct list link; /* daemon->rdma->endpoints */
	struct session_object in_session;
	struct idmap_node node; /* daemon->rdma->endpoint_map; node.id is the endpoint id */
	struct handle *handle;
	struct device *device;
	struct event_out events;
	struct list listeners; /* struct rdma_listener, link */
	struct list calls;     /* struct rdma_call, endpoint_link */
	unsigned n_waiting;    /* unanswered calls to it */
	bool notified_gone;    /* the client was notified that the device was removed */
	struct charge charge;
	uint64_t request_id; /* the request that created it */
	uint64_t record_seq; /* sequence number of the record that it was resumed from, or 0 */
	struct persisted persisted;
};

/* The saved state of an endpoint of an earlier daemon instance. */
struct rdma_endpoint_saved {
	uint64_t id, handle, request_id;
	uint64_t seq; /* sequence number of its record: a higher one was written later */
	const uint32_t *ports;
	size_t n_ports;
	bool serves_exports, relays, streams_only;
};

struct rdma_call_saved {
	uint64_t id;
	bool is_caller, is_answered;
	bool keeps_pair; /* to an export, with queue pairs */
	bool is_relay;   /* to an export, with a stream */
	uint32_t port_number;
};

struct rdma_listener {
	struct list link; /* endpoint->listeners */
	uint32_t port_number;
	struct charge charge;
};

struct rdma_call {
	struct rdma_endpoint *endpoint;
	struct list link;          /* daemon->rdma->calls */
	struct list endpoint_link; /* endpoint->calls */
	struct idmap_node node;    /* daemon->rdma->call_map; node.id is the call id */
	bool is_caller;
	bool is_answered; /* accepted; at the caller's end: ready to be fetched */
	/* At the caller's daemon: the import, for a call to an export, which stays; else 0. */
	uint64_t import_id;
	/* The other end's details; the caller's record has its own until the call is answered. */
	uint8_t details[EXPORT_DESCRIPTOR_LEN];
	size_t details_len;
	uint8_t source[GID_LEN];
	uint8_t address[GID_LEN];
	uint32_t port_number, source_port;
	/* The other end: of this daemon, of a peer, or gone. */
	struct rdma_call *other;
	struct peer *peer;
	uint64_t peer_call_id; /* 0: not known yet */
	/*
	 * For calls by address. has_passed_by: a congested peer was skipped; all other peers were
	 * asked and have no listener. peer_is_writable: that peer can be sent to again.
	 */
	bool has_passed_by, peer_is_writable, is_waiting;
	/* Connects a stream (daemon/rdma/stream.h) instead of queue pairs. */
	bool is_relay;
	pid_t importer_pid;  /* at the callee, for a call by an import: the caller's process */
	bool is_pci;         /* at the callee: the export is a PCI export */
	struct relay *relay; /* from the answer on */
	bool is_handed_over; /* the client has the descriptors of its rings */
	struct peer_request request;
	struct charge charge;
	struct persisted persisted;
};

/*
 * Returns the id of the endpoint that serves the session's exports on the open device, or 0.
 * is_remote: the importer is on another machine; one of this machine needs no relay.
 * rdma_endpoint_relays() returns whether the endpoint also serves streams.
 */
uint64_t rdma_endpoint_serving(const struct session *session, const struct handle *handle,
			       bool is_remote);
bool rdma_endpoint_relays(const struct session *session, const struct handle *handle);
/*
 * Notifies the serving client that an operator revoked the export, so that it invalidates the
 * export at its RDMA device.
 */
void rdma_notify_revoked(const struct session *session, const struct handle *handle,
			 uint64_t export_id);
/* Notifies clients that listen on a removed device, which may be asleep. */
void rdma_notify_removed(struct daemon *daemon);
/*
 * Restores an endpoint. Takes ownership of both descriptors, also on failure. Returns 0 or -errno.
 */
int rdma_endpoint_resume(struct session *session, const struct rdma_endpoint_saved *saved,
			 int memfd, int eventfd, struct rdma_endpoint **endpoint_out);
/*
 * Ends a call of an earlier daemon instance and notifies its client. Does not notify the caller of
 * queue pairs that are connected, because it no longer needs the call.
 */
void rdma_call_resume(struct rdma_endpoint *endpoint, const struct rdma_call_saved *saved);
/* See resume_answer_again(). */
bool rdma_open_again(struct session *session, const Dococore__Packet *packet);
bool rdma_listen_again(struct session *session, const Dococore__Packet *packet);
/* Ends the endpoint's calls and frees it. Returns NULL. */
struct rdma_endpoint *rdma_endpoint_free(struct rdma_endpoint *endpoint);
/* Writes the record, or rewrites it after a change. */
void persist_endpoint(struct rdma_endpoint *endpoint);
void persist_call(struct rdma_call *call);
/* Members of session_object_ops for endpoints. */
void rdma_endpoint_object_save(struct session_object *object);
void rdma_endpoint_object_forget(struct session_object *object);
/* The link is not congested any more: places the calls that wait for that. */
void rdma_link_writable(struct peer *peer);
/* The link is lost: ends the calls over it. */
void rdma_peer_lost(struct peer *peer);

int rdma_on_open(struct session *session, const Dococore__Packet *packet, struct fdset *fds);
int rdma_on_close(struct session *session, const Dococore__Packet *packet, struct fdset *fds);
int rdma_on_listen(struct session *session, const Dococore__Packet *packet, struct fdset *fds);
int rdma_on_connect(struct session *session, const Dococore__Packet *packet, struct fdset *fds);
int rdma_on_fetch(struct session *session, const Dococore__Packet *packet, struct fdset *fds);
int rdma_on_answer(struct session *session, const Dococore__Packet *packet, struct fdset *fds);
int rdma_on_peer_connect(struct peer *peer, const Dococore__Packet *packet, struct fdset *fds);
int rdma_on_peer_answer(struct peer *peer, const Dococore__Packet *packet, struct fdset *fds);

#endif
