/* What rdma.c, the calls, and daemon/rdma/endpoint.c, what they go to, have in common. */
#ifndef DAEMON_RDMA_RDMA_INTERNAL_H
#define DAEMON_RDMA_RDMA_INTERNAL_H

#include "daemon/rdma/rdma.h"

#define RDMA_PORT_MAX 65535u

/* NULL: the session has none of this id. */
struct rdma_agent *rdma_agent_find(struct session *session, uint64_t id);
/* The one that serves the session's exports on the open device, or NULL. */
struct rdma_agent *rdma_agent_find_serving(const struct session *session,
					   const struct handle *handle);
/* Whoever listens there, or NULL. */
struct rdma_agent *rdma_agent_find_listening(struct daemon *daemon, const uint8_t address[GID_LEN],
					     uint32_t port_number);
bool rdma_device_has_address(const struct device_spec *spec, const uint8_t address[GID_LEN]);
/* A session that breaks its ring, or reads no events, ends. */
void rdma_agent_push(struct rdma_agent *agent, const struct event *event);
/* As session_refuse(). */
int rdma_refuse_no_agent(struct session *session, uint64_t id, uint64_t agent_id);
int rdma_refuse_streams_only(struct session *session, uint64_t id, const struct rdma_agent *agent);
/* True if who is called has not heard of it: there was no room for the event yet. */
bool rdma_call_take_back(const struct rdma_call *call);

#endif
