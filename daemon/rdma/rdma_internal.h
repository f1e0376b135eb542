/* Functions that rdma.c (calls) and daemon/rdma/endpoint.c (endpoints) share. */
#ifndef DAEMON_RDMA_RDMA_INTERNAL_H
#define DAEMON_RDMA_RDMA_INTERNAL_H

#include "daemon/rdma/rdma.h"

#define RDMA_PORT_MAX 65535u

/* Returns NULL if the session has no endpoint with this id. */
struct rdma_endpoint *rdma_endpoint_find(struct session *session, uint64_t id);
/* Returns the endpoint that serves the session's exports on the open device, or NULL. */
struct rdma_endpoint *rdma_endpoint_find_serving(const struct session *session,
						 const struct handle *handle);
/* Returns the endpoint that listens there, or NULL. */
struct rdma_endpoint *rdma_endpoint_find_listening(struct daemon *daemon,
						   const uint8_t address[GID_LEN],
						   uint32_t port_number);
bool rdma_device_has_address(const struct device_spec *spec, const uint8_t address[GID_LEN]);
/*
 * Pushes an event. If the session's ring is invalid or the client reads no events, the session
 * ends.
 */
void rdma_endpoint_push(struct rdma_endpoint *endpoint, const struct event *event);
/* Like session_refuse(). */
int rdma_refuse_no_endpoint(struct session *session, uint64_t id, uint64_t endpoint_id);
int rdma_refuse_streams_only(struct session *session, uint64_t id,
			     const struct rdma_endpoint *endpoint);
/*
 * Cancels the event of a call that the callee has not seen, because there was no room for it yet.
 * Returns true if it was cancelled.
 */
bool rdma_call_cancel_event(const struct rdma_call *call);

#endif
