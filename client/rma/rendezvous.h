/*
 * Rendezvous endpoint: the daemon's representation of an RDMA domain. It has an event ring, and
 * calls that connect the queue pairs of two processes for Core objects. A call goes to the process
 * that serves the export behind an import (see RdmaConnect in proto/dococore.proto), and lasts
 * until either end hangs up or exits. Threads: one at a time per endpoint; when the session
 * reconnects, another thread sets a flag.
 */
#ifndef CLIENT_RMA_RENDEZVOUS_H
#define CLIENT_RMA_RENDEZVOUS_H

#include <stdatomic.h>

#include "client/control/rpc.h"
#include "client/control/session.h"
#include "client/rma/provider.h"
#include "proto/event_ring.h"
#include "util/export_descriptor.h"

struct doca_dev;

struct rendezvous {
	struct session_item item;
	bool is_open;
	bool awaits_dev;      /* being opened: the device must be opened first */
	_Atomic bool is_lost; /* its daemon is gone, and with it the endpoint */
	uint64_t id;
	uint8_t daemon_id[16];
	unsigned connection; /* the connection that it was opened over */
	struct event_reader events;
};

/* The connection parameters of a queue pair, in its provider's format. */
struct rdma_params {
	uint8_t bytes[EXPORT_DESCRIPTOR_LEN];
	size_t len;
	bool is_relay; /* the parameters of a relayed stream instead */
	bool is_pci;   /* see struct relay_link */
};

/*
 * Opens the endpoint. serves_exports: for serving exports, rather than for the calls of requesters
 * and domains. relays: also for relayed streams, for which the device needs no RDMA. streams_only:
 * there are no queue pairs.
 */
doca_error_t rendezvous_open(struct rendezvous *rendezvous, struct doca_dev *dev,
			     bool serves_exports, bool relays, bool streams_only);
/* Idempotent. Does not wait for the daemon. */
void rendezvous_close(struct rendezvous *rendezvous);
void rendezvous_close_locked(struct rendezvous *rendezvous);
/* Returns true if the endpoint's daemon was replaced. Asks the session; is_lost has the same result
 * with a delay. */
bool rendezvous_is_replaced(const struct rendezvous *rendezvous);
/* Like rendezvous_is_replaced(), but also returns true if the endpoint's connection is closed, so
 * that no daemon can resume it. */
bool rendezvous_is_orphan(const struct rendezvous *rendezvous);
/*
 * Sends a request that names the endpoint or one of its calls. If the daemon was replaced, nothing
 * is sent, because the new daemon may use the same numbers for other objects, and
 * CONNECTION_ABORTED is returned.
 */
doca_error_t rendezvous_request(const struct rendezvous *rendezvous, struct rpc_request *request,
				Dococore__Packet__BodyCase expected, struct rpc_reply *answer_out);
/* Like the function above, as a one-way request whose reply is Ok. */
void rendezvous_notify(const struct rendezvous *rendezvous, struct rpc_request *request);
/* Fetches the data of a call, after EVENT_RDMA_REQUESTED or after EVENT_RDMA_ANSWERED with code 0.
 * The answer is an rdma_call. */
doca_error_t rendezvous_fetch(const struct rendezvous *rendezvous, uint64_t call_id,
			      struct rpc_reply *answer_out);
doca_error_t rendezvous_fetch_params(const struct rendezvous *rendezvous, uint64_t call_id,
				     struct rdma_params *params_out);
/* Extracts the connection parameters from that answer. */
doca_error_t rdma_params_parse(const struct rpc_reply *answer, struct rdma_params *params_out);

/*
 * Variants for callers that must not wait for a daemon. A request that was begun ends after
 * `on_done` is called (see client/control/rpc.h), or is cancelled. IN_PROGRESS means that there
 * is no reply yet. These functions never reconnect;
 * they return NOT_CONNECTED. An endpoint opened this way is for requesters.
 */
struct rdma_waiter {
	void (*on_done)(void *user);
	void *user;
};

/* Sends a request that names the endpoint or one of its calls. */
doca_error_t rendezvous_begin(const struct rendezvous *rendezvous, struct rpc_request *request,
			      const struct rpc_options *options, struct rpc_pending **pending_out);
doca_error_t rendezvous_open_begin(struct rendezvous *rendezvous, const struct doca_dev *dev,
				   bool relays, const struct rdma_waiter *waiter,
				   struct rpc_pending **pending_out);
/* If this returns SUCCESS and the endpoint is not open, the daemon did not have the device, which
 * is now open; begin again. */
doca_error_t rendezvous_open_end(struct rendezvous *rendezvous, struct doca_dev *dev,
				 struct rpc_pending **pending);
/* Calls the exporter of an import. Returns CONNECTION_RESET if the import belongs to another daemon
 * than the endpoint. The answer arrives as EVENT_RDMA_ANSWERED. */
doca_error_t rendezvous_call_begin(const struct rendezvous *rendezvous, uint64_t import_id,
				   const uint8_t import_daemon[16],
				   const struct rdma_params *details,
				   const struct rdma_waiter *waiter,
				   struct rpc_pending **pending_out);
doca_error_t rendezvous_call_end(struct rpc_pending **pending, uint64_t *call_id_out);
doca_error_t rendezvous_fetch_begin(const struct rendezvous *rendezvous, uint64_t call_id,
				    const struct rdma_waiter *waiter,
				    struct rpc_pending **pending_out);
/* Returns NOT_FOUND if the call has ended since. */
doca_error_t rendezvous_fetch_end(struct rpc_pending **pending, struct rpc_reply *answer_out);

doca_error_t rendezvous_accept(const struct rendezvous *rendezvous, uint64_t call_id,
			       const uint8_t *details, size_t len);
/* Ends a call, in any state. Does not block; the request precedes a later close of the endpoint. */
void rendezvous_hang_up(const struct rendezvous *rendezvous, uint64_t call_id);
/* Rejects a call; `code` becomes the code of the caller's EVENT_RDMA_ANSWERED. */
void rendezvous_refuse(const struct rendezvous *rendezvous, uint64_t call_id, doca_error_t code);

/* Returns the provider that serves the device, with its limits, or NULL. */
const struct rdma_provider *rdma_provider_find(const struct doca_devinfo *info,
					       struct rdma_limits *limits_out);
/*
 * Returns the index of the GID that queue pairs of Core objects use. This is DOCOCORED_GID_INDEX if
 * set; otherwise the GID of an IPv4 address; otherwise that of an IPv6 address that is not
 * link-local; otherwise 0.
 */
uint32_t rdma_provider_choose_gid(const struct rdma_provider *ops, const struct doca_devinfo *info,
				  const struct rdma_limits *limits);
/* Returns the connection parameters of a queue pair, if they fit into a call. */
doca_error_t rdma_qp_get_params(struct rdma_qp *qp, struct rdma_params *params_out);

#endif
