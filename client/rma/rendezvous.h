/*
 * What stands for an RDMA port at the daemon: an event ring, and calls by which the queue pairs of
 * two processes are connected for Core objects. A call goes to who serves the export behind an
 * import (see RdmaConnect in proto/dococore.proto), and stays until either end hangs up or is gone.
 * Threads: one at a time per agent; a restored session sets a flag from another.
 */
#ifndef CLIENT_RMA_RENDEZVOUS_H
#define CLIENT_RMA_RENDEZVOUS_H

#include <stdatomic.h>

#include "client/control/pending.h"
#include "client/control/session.h"
#include "client/rma/provider.h"
#include "proto/event_ring.h"
#include "util/blob.h"

struct doca_dev;

struct rdma_agent {
	struct session_item item;
	bool is_open;
	bool awaits_dev;      /* while it is opened: the device is to be opened first */
	_Atomic bool is_lost; /* that daemon is no more, and what it knew */
	uint64_t id;
	uint8_t daemon_id[16];
	unsigned connection; /* by which it was opened */
	struct event_reader events;
};

/* Of a queue pair, as its provider has them. */
struct rdma_details {
	uint8_t bytes[BLOB_LEN];
	size_t len;
	bool is_relay; /* of none, but of a stream that the daemons relay */
	bool is_pci;   /* see struct relay_link */
};

/* What it is for: calls of requesters and ports, or serving exports; `relays`: by relay as well,
 * for which the device needs no RDMA; `streams_only`: there are no queue pairs. */
doca_error_t rdma_agent_open(struct rdma_agent *agent, struct doca_dev *dev, bool serves_exports,
			     bool relays, bool streams_only);
/* May be called twice. Does not wait for the daemon, but for another thread's call to it. */
void rdma_agent_close(struct rdma_agent *agent);
void rdma_agent_close_locked(struct rdma_agent *agent);
/* Asks the session whether the daemon is still that one; is_lost says the same, but later. */
bool rdma_agent_has_gone(const struct rdma_agent *agent);
/* The same, or no daemon can take it up again: the connection that it was kept by is closed. */
bool rdma_agent_is_orphan(const struct rdma_agent *agent);
/*
 * A request that names the agent, or a call of it. Another daemon counts anew, and what it gave out
 * by the same numbers may be somebody else's: CONNECTION_ABORTED then, and nothing is sent.
 */
doca_error_t rdma_agent_ask(const struct rdma_agent *agent, struct session_request *request,
			    Dococore__Packet__BodyCase expected, struct session_answer *answer_out);
/* The same, of a request whose answer is Ok and that nobody waits for. */
void rdma_agent_tell(const struct rdma_agent *agent, struct session_request *request);
/* By an import, which that daemon gave; CONNECTION_RESET if the agent is at another. The answer is
 * EVENT_RDMA_ANSWERED. */
doca_error_t rdma_agent_call(const struct rdma_agent *agent, uint64_t import_id,
			     const uint8_t import_daemon[16], const struct rdma_details *details,
			     uint64_t *call_id_out);
/* After EVENT_RDMA_REQUESTED and EVENT_RDMA_ANSWERED with code 0; the answer is an rdma_call. */
doca_error_t rdma_agent_fetch(const struct rdma_agent *agent, uint64_t call_id,
			      struct session_answer *answer_out);
doca_error_t rdma_agent_fetch_details(const struct rdma_agent *agent, uint64_t call_id,
				      struct rdma_details *details_out);
/* Of that answer. */
doca_error_t rdma_details_take(const struct session_answer *answer,
			       struct rdma_details *details_out);

/*
 * The same for who must not wait for a daemon that is away: what is begun ends once `came` is
 * called (see client/control/pending.h), or is given up. IN_PROGRESS: not yet, or another thread
 * has the session; try again. Nothing connects anew: NOT_CONNECTED. What is opened so is for
 * requesters.
 */
struct rdma_waiter {
	void (*came)(void *user);
	void *user;
};

doca_error_t rdma_agent_open_begin(struct rdma_agent *agent, const struct doca_dev *dev,
				   bool relays, const struct rdma_waiter *waiter,
				   struct session_later **later_out);
/* SUCCESS, and it is not open: the device is now, which the daemon did not have; begin again. */
doca_error_t rdma_agent_open_end(struct rdma_agent *agent, struct doca_dev *dev,
				 struct session_later **later);
doca_error_t rdma_agent_call_begin(const struct rdma_agent *agent, uint64_t import_id,
				   const uint8_t import_daemon[16],
				   const struct rdma_details *details,
				   const struct rdma_waiter *waiter,
				   struct session_later **later_out);
doca_error_t rdma_agent_call_end(struct session_later **later, uint64_t *call_id_out);
doca_error_t rdma_agent_fetch_begin(const struct rdma_agent *agent, uint64_t call_id,
				    const struct rdma_waiter *waiter,
				    struct session_later **later_out);
/* NOT_FOUND: the call has ended since. */
doca_error_t rdma_agent_fetch_end(struct session_later **later, struct session_answer *answer_out);

doca_error_t rdma_agent_accept(const struct rdma_agent *agent, uint64_t call_id,
			       const uint8_t *details, size_t len);
/* Also of calls that stand. Waits for nobody: before an agent that is closed later. */
void rdma_agent_hang_up(const struct rdma_agent *agent, uint64_t call_id);
/* With the code that the caller's EVENT_RDMA_ANSWERED has then. */
void rdma_agent_refuse(const struct rdma_agent *agent, uint64_t call_id, doca_error_t code);

/* Who serves the device, with its limits, or NULL. */
const struct rdma_port_ops *rdma_port_find(const struct doca_devinfo *info,
					   struct rdma_limits *limits_out);
/* The GID by which queue pairs of Core objects are reached: DOCOCORED_GID_INDEX, else that of an
 * IPv4 address, else of an IPv6 address that is no link's own, else 0. */
uint32_t rdma_port_choose_gid(const struct rdma_port_ops *ops, const struct doca_devinfo *info,
			      const struct rdma_limits *limits);
/* Its details, in the room that a call has. */
doca_error_t rdma_qp_get_details(struct rdma_qp *qp, struct rdma_details *details_out);

#endif
