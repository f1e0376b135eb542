/*
 * Comm channel: messages between a service on the DPU and its clients on the host. From 1.3 to 2.8;
 * afterwards doca_comch.h, which speaks the same on the wire, so that an endpoint of this interface
 * and a program of that one are peers of each other.
 *
 * An endpoint is configured with a device, the service also with a representor of the host function
 * that its clients come from; then the service listens under a name, or a client connects to it.
 * Messages arrive whole and in order per peer. sendto copies the message, recvfrom copies it out.
 *
 * Waiting. Up to 1.3 sendto and recvfrom wait, unless the endpoint or the call says otherwise. From
 * 1.5 on they never wait: they give DOCA_ERROR_AGAIN, and a program that wants to sleep arms an
 * event channel, waits until it is readable, and tries again. Arming tells of what has happened
 * already, too, so nothing is missed between the try and the wait. A wake promises nothing: others
 * of the endpoint's event channels may wake along with the one that was meant.
 *
 * Threads: one at a time per endpoint, with its peers.
 */
#ifndef DOCA_COMM_CHANNEL_H_
#define DOCA_COMM_CHANNEL_H_

#include <stddef.h>
#include <stdint.h>

#include <doca_compat.h>
#include <doca_dev.h>
#include <doca_error.h>
#include <doca_types.h>

#if !DOCA_API_BETWEEN(103, 208)
#error "doca_comm_channel.h is there up to 2.8: set DOCA_USE_VERSION to that or earlier, or use doca_comch.h"
#endif

#ifdef __cplusplus
extern "C" {
#endif

struct doca_comm_channel_ep_t;   /* endpoint: a service, or a client of one */
struct doca_comm_channel_addr_t; /* peer of an endpoint */
struct doca_dev;
struct doca_dev_rep;
struct doca_devinfo;

/*
 * How to send or receive; a set of bits. From 1.5 on there is none to choose. DONTWAIT: do not
 * wait, whatever the endpoint says. MORE: other messages follow; it changes nothing here.
 */
enum doca_comm_channel_msg_flags {
	DOCA_CC_MSG_FLAG_NONE = 0,
#if DOCA_API_BETWEEN(103, 104)
	DOCA_CC_MSG_FLAG_DONTWAIT = 1,
	DOCA_CC_MSG_FLAG_MORE = 2
#endif
};

/* What poll, select and epoll can wait on. The endpoint's: neither read nor close it. */
#if DOCA_USE_VERSION < 105
typedef int doca_event_channel_t;
#else
typedef doca_event_handle_t doca_event_channel_t;
#endif

#if DOCA_API_BETWEEN(103, 104)

/* Bytes of a service's name, terminating NUL included; a device may allow less. */
#define SERVICE_NAME_MAX 128

/* NONBLOCK: sendto and recvfrom of the endpoint do not wait, nor does connect. */
enum doca_comm_channel_init_flags { DOCA_COMM_CHANNEL_INIT_FLAG_NONBLOCK = 1 };

/* How to make an endpoint. */
struct doca_comm_channel_init_attr {
	uint32_t cookie;  /* the program's own; not interpreted */
	uint32_t flags;   /* set of enum doca_comm_channel_init_flags */
	uint32_t maxmsgs; /* messages of a peer that wait to be received, at most; raised to 8 and
			   * rounded up to a power of two; 0: 64 */
	uint32_t msgsize; /* bytes of the longest message; 0: 4080 */
};

/* What is known of a peer. */
struct doca_comm_channel_peer_addr_info {
	uint16_t vport;    /* number of the function that the messages pass through */
	uint32_t msgsize;  /* bytes of the longest message to it */
	uint32_t maxmsgs;  /* messages to it that it has not received yet, at most */
	uint32_t curmsgs;  /* the same, at present */
	uint64_t rx_msgs;  /* messages received from it */
	uint64_t tx_msgs;  /* messages sent to it */
	uint64_t rx_bytes; /* bytes of the former */
	uint64_t tx_bytes; /* bytes of the latter */
};

/**
 * Gets the user data of a peer.
 * @param peer_addr peer; only read during the call
 * @param user_data receives the value; 0 if none was set
 * States: from the peer's first appearance until disconnect.
 * Threads: one at a time per endpoint.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_BAD_STATE: the endpoint was created by a call of a later version.
 * In 1.3 only.
 */
DOCA_STABLE doca_error_t doca_comm_channel_peer_addr_user_data_get(
	struct doca_comm_channel_addr_t *peer_addr, uint64_t *user_data);

/**
 * Sets the user data of a peer.
 * @param peer_addr peer; only read during the call
 * @param user_context any value; the library never interprets it
 * States: from the peer's first appearance until disconnect.
 * Threads: one at a time per endpoint.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: peer_addr is NULL.
 * - DOCA_ERROR_BAD_STATE: the endpoint was created by a call of a later version.
 * In 1.3 only.
 */
DOCA_STABLE doca_error_t doca_comm_channel_peer_addr_user_data_set(
	struct doca_comm_channel_addr_t *peer_addr, uint64_t user_context);

/**
 * What to wait on when a call that does not wait gave DOCA_ERROR_AGAIN. It arms itself with each
 * such call, and wakes for messages, for room after a sendto that met a full queue, and for peers
 * that come or go.
 * @param local_ep endpoint; only read during the call
 * States: after listen or connect.
 * Threads: one at a time per endpoint.
 * @return a descriptor, the endpoint's, readable when it is time to try again; -1 if there is none:
 *   the endpoint is NULL, of a later version, or neither listens nor connected, or the system has
 *   no descriptor left; dococ_last_error() says which
 * In 1.3 only.
 */
DOCA_STABLE doca_event_channel_t
doca_comm_channel_ep_event_channel_get(struct doca_comm_channel_ep_t *local_ep);

/**
 * What is known of a peer, at present.
 * @param peer_addr peer; only read during the call
 * @param info receives the value
 * States: from the peer's first appearance until disconnect.
 * Threads: one at a time per endpoint.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_BAD_STATE: the endpoint was created by a call of a later version.
 * In 1.3 only.
 */
DOCA_STABLE doca_error_t doca_comm_channel_peer_addr_info_get(
	struct doca_comm_channel_addr_t *peer_addr, struct doca_comm_channel_peer_addr_info *info);

#endif /* up to 1.3 */

#if DOCA_API_BETWEEN(105, 208)

/**
 * Gets the longest name of a service.
 * @param max_service_name_len receives the number of bytes, terminating NUL included
 * Threads: any.
 * @return DOCA_SUCCESS, or DOCA_ERROR_INVALID_VALUE if max_service_name_len is NULL.
 * Since 1.5, until 2.8.
 */
DOCA_STABLE doca_error_t doca_comm_channel_get_max_service_name_len(uint32_t *max_service_name_len);

/**
 * Gets the largest message size that can be set for an endpoint.
 * @param devinfo device to query; only read during the call
 * @param max_message_size receives the number of bytes
 * Threads: any.
 * @return DOCA_SUCCESS, or DOCA_ERROR_INVALID_VALUE if an argument is NULL.
 * Since 1.5, until 2.8.
 */
DOCA_STABLE doca_error_t doca_comm_channel_get_max_message_size(struct doca_devinfo *devinfo,
								uint32_t *max_message_size);

/**
 * Gets the largest send queue that can be set for an endpoint.
 * @param devinfo device to query; only read during the call
 * @param max_send_queue_size receives the messages
 * Threads: any.
 * @return DOCA_SUCCESS, or DOCA_ERROR_INVALID_VALUE if an argument is NULL.
 * Since 1.5, until 2.8.
 */
DOCA_STABLE doca_error_t doca_comm_channel_get_max_send_queue_size(struct doca_devinfo *devinfo,
								   uint32_t *max_send_queue_size);

/**
 * Gets the largest receive queue that can be set for an endpoint.
 * @param devinfo device to query; only read during the call
 * @param max_recv_queue_size receives the messages
 * Threads: any.
 * @return DOCA_SUCCESS, or DOCA_ERROR_INVALID_VALUE if an argument is NULL.
 * Since 1.5, until 2.8.
 */
DOCA_STABLE doca_error_t doca_comm_channel_get_max_recv_queue_size(struct doca_devinfo *devinfo,
								   uint32_t *max_recv_queue_size);

/**
 * Gets the largest number of clients of one service.
 * @param devinfo device to query; only read during the call
 * @param max_num_connections receives the number
 * Threads: any.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_NOT_SUPPORTED: the device has no services; they run on the DPU side.
 * Since 1.5, until 2.8.
 */
DOCA_STABLE doca_error_t doca_comm_channel_get_service_max_num_connections(
	struct doca_devinfo *devinfo, uint32_t *max_num_connections);

/**
 * Gets the device that was set.
 * @param ep endpoint; only read during the call
 * @param device receives the value; owned by the program
 * States: a device was set.
 * Threads: one at a time per endpoint.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL, or no device was set.
 * - DOCA_ERROR_BAD_STATE: the endpoint was created by a call of 1.3.
 * Since 1.5, until 2.8.
 */
DOCA_STABLE doca_error_t doca_comm_channel_ep_get_device(struct doca_comm_channel_ep_t *ep,
							 struct doca_dev **device);

/**
 * Gets the representor that was set.
 * @param ep endpoint; only read during the call
 * @param device_rep receives the value; owned by the program
 * States: a representor was set.
 * Threads: one at a time per endpoint.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL, or no representor was set.
 * - DOCA_ERROR_BAD_STATE: the endpoint was created by a call of 1.3.
 * Since 1.5, until 2.8.
 */
DOCA_STABLE doca_error_t doca_comm_channel_ep_get_device_rep(struct doca_comm_channel_ep_t *ep,
							     struct doca_dev_rep **device_rep);

/**
 * Gets the longest message of the endpoint. What it can send to a peer is the smaller one of both
 * ends'.
 * @param ep endpoint; only read during the call
 * @param max_msg_size receives the number of bytes
 * Threads: one at a time per endpoint.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_BAD_STATE: the endpoint was created by a call of 1.3.
 * Since 1.5, until 2.8.
 */
DOCA_STABLE doca_error_t doca_comm_channel_ep_get_max_msg_size(struct doca_comm_channel_ep_t *ep,
							       uint16_t *max_msg_size);

/**
 * Gets the size of the send queue, see doca_comm_channel_ep_set_send_queue_size.
 * @param ep endpoint; only read during the call
 * @param send_queue_size receives the messages
 * Threads: one at a time per endpoint.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_BAD_STATE: the endpoint was created by a call of 1.3.
 * Since 1.5, until 2.8.
 */
DOCA_STABLE doca_error_t doca_comm_channel_ep_get_send_queue_size(struct doca_comm_channel_ep_t *ep,
								  uint16_t *send_queue_size);

/**
 * Gets the size of the receive queue, see doca_comm_channel_ep_set_recv_queue_size.
 * @param ep endpoint; only read during the call
 * @param recv_queue_size receives the messages
 * Threads: one at a time per endpoint.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_BAD_STATE: the endpoint was created by a call of 1.3.
 * Since 1.5, until 2.8.
 */
DOCA_STABLE doca_error_t doca_comm_channel_ep_get_recv_queue_size(struct doca_comm_channel_ep_t *ep,
								  uint16_t *recv_queue_size);

/**
 * Sets the device that messages pass through.
 * @param ep endpoint
 * @param device open device; owned by the program, and not closed before the endpoint is destroyed
 * States: before listen and connect.
 * Threads: one at a time per endpoint.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_BAD_STATE: the endpoint listens or is connected, or was made by a call of 1.3.
 * Since 1.5, until 2.8.
 */
DOCA_STABLE doca_error_t doca_comm_channel_ep_set_device(struct doca_comm_channel_ep_t *ep,
							 struct doca_dev *device);

/**
 * Sets the representor of the host function that a service's clients come from.
 * @param ep endpoint
 * @param device_rep open representor; owned by the program, and not closed before the endpoint is
 *   destroyed
 * States: before listen and connect.
 * Threads: one at a time per endpoint.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_BAD_STATE: the endpoint listens or is connected, or was made by a call of 1.3.
 * Since 1.5, until 2.8.
 */
DOCA_STABLE doca_error_t doca_comm_channel_ep_set_device_rep(struct doca_comm_channel_ep_t *ep,
							     struct doca_dev_rep *device_rep);

/**
 * Sets the longest message; 4080 bytes if it is not called.
 * @param ep endpoint
 * @param max_msg_size bytes
 * States: before listen and connect.
 * Threads: one at a time per endpoint.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: ep is NULL, the size is 0, or more than the device that was set
 *   allows. If the device is set later, listen and connect say so.
 * - DOCA_ERROR_BAD_STATE: the endpoint listens or is connected, or was made by a call of 1.3.
 * Since 1.5, until 2.8.
 */
DOCA_STABLE doca_error_t doca_comm_channel_ep_set_max_msg_size(struct doca_comm_channel_ep_t *ep,
							       uint16_t max_msg_size);

/**
 * Sets the size of the send queue. It is raised to 8 and rounded up to a power of two: read it
 * back. Here a message goes right into the peer's receive queue, whose size decides when sendto
 * gives DOCA_ERROR_AGAIN.
 * @param ep endpoint
 * @param send_queue_size messages, up to 32768
 * States: before listen and connect.
 * Threads: one at a time per endpoint.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: ep is NULL, or the size is more than 32768 or the device that was set
 *   allows. If the device is set later, listen and connect say so.
 * - DOCA_ERROR_BAD_STATE: the endpoint listens or is connected, or was made by a call of 1.3.
 * Since 1.5, until 2.8.
 */
DOCA_STABLE doca_error_t doca_comm_channel_ep_set_send_queue_size(struct doca_comm_channel_ep_t *ep,
								  uint16_t send_queue_size);

/**
 * Sets the size of the receive queue: messages of one peer that wait for recvfrom. It is raised to
 * 8 and rounded up to a power of two: read it back.
 * @param ep endpoint
 * @param recv_queue_size messages, up to 32768
 * States: before listen and connect.
 * Threads: one at a time per endpoint.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: ep is NULL, or the size is more than 32768 or the device that was set
 *   allows. If the device is set later, listen and connect say so.
 * - DOCA_ERROR_BAD_STATE: the endpoint listens or is connected, or was made by a call of 1.3.
 * Since 1.5, until 2.8.
 */
DOCA_STABLE doca_error_t doca_comm_channel_ep_set_recv_queue_size(struct doca_comm_channel_ep_t *ep,
								  uint16_t recv_queue_size);

/**
 * What to wait on when sendto or recvfrom gave DOCA_ERROR_AGAIN: each becomes readable after it was
 * armed.
 * @param local_ep endpoint
 * @param send_event_channel receives the one for sendto, the endpoint's; may be NULL
 * @param recv_event_channel receives the one for recvfrom, the endpoint's; may be NULL
 * States: after listen or connect. They stay the same until the endpoint is destroyed.
 * Threads: one at a time per endpoint.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: local_ep is NULL, or both of the others are.
 * - DOCA_ERROR_BAD_STATE: the endpoint neither listens nor connected, or was made by a call of 1.3.
 * - DOCA_ERROR_NOT_FOUND: the system has no descriptors left; close some or raise RLIMIT_NOFILE.
 * Since 1.5, until 2.8.
 */
DOCA_STABLE doca_error_t doca_comm_channel_ep_get_event_channel(
	struct doca_comm_channel_ep_t *local_ep, doca_event_channel_t *send_event_channel,
	doca_event_channel_t *recv_event_channel);

/**
 * What to wait on for clients of a service that come and go. Every
 * doca_comm_channel_ep_update_service_state_info arms it for what changes afterwards.
 * @param local_ep endpoint of a service
 * @param service_event_channel receives the value; the endpoint's
 * States: after listen.
 * Threads: one at a time per endpoint.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_BAD_STATE: the endpoint neither listens nor connected, was made by a call of 1.3, or
 *   the system has no descriptors left.
 * - DOCA_ERROR_NOT_SUPPORTED: the endpoint is a client's.
 * Since 1.5, until 2.8.
 */
DOCA_STABLE doca_error_t doca_comm_channel_ep_get_service_event_channel(
	struct doca_comm_channel_ep_t *local_ep, doca_event_channel_t *service_event_channel);

/**
 * Arms the send event channel: it becomes readable when there is room for what sendto last gave
 * DOCA_ERROR_AGAIN for, or the peer is gone; at once if that is so already, or no sendto waits for
 * anything. One arming gives one wake.
 * @param local_ep endpoint
 * States: after listen or connect.
 * Threads: one at a time per endpoint.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: local_ep is NULL, was made by a call of 1.3, neither listens nor
 *   connected, or the system has no descriptors left.
 * Since 1.5, until 2.8.
 */
DOCA_STABLE doca_error_t
doca_comm_channel_ep_event_handle_arm_send(struct doca_comm_channel_ep_t *local_ep);

/**
 * Arms the receive event channel: it becomes readable when recvfrom has something to do (a message,
 * a client to accept, a peer that left); at once if it has already. One arming gives one wake.
 * @param local_ep endpoint
 * States: after listen or connect.
 * Threads: one at a time per endpoint.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: local_ep is NULL, was made by a call of 1.3, neither listens nor
 *   connected, or the system has no descriptors left.
 * Since 1.5, until 2.8.
 */
DOCA_STABLE doca_error_t
doca_comm_channel_ep_event_handle_arm_recv(struct doca_comm_channel_ep_t *local_ep);

/**
 * Gets the user data of a peer.
 * @param peer_addr peer; only read during the call
 * @param user_data receives the value; 0 if none was set
 * States: from the peer's first appearance until disconnect.
 * Threads: one at a time per endpoint.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_BAD_STATE: the endpoint was created by a call of 1.3.
 * Since 1.5, until 2.8.
 */
DOCA_STABLE doca_error_t doca_comm_channel_peer_addr_get_user_data(
	struct doca_comm_channel_addr_t *peer_addr, uint64_t *user_data);

/**
 * Sets the user data of a peer.
 * @param peer_addr peer; only read during the call
 * @param user_context any value; the library never interprets it
 * States: from the peer's first appearance until disconnect.
 * Threads: one at a time per endpoint.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: peer_addr is NULL.
 * - DOCA_ERROR_BAD_STATE: the endpoint was created by a call of 1.3.
 * Since 1.5, until 2.8.
 */
DOCA_STABLE doca_error_t doca_comm_channel_peer_addr_set_user_data(
	struct doca_comm_channel_addr_t *peer_addr, uint64_t user_context);

/**
 * Sets how the connection with a peer stands, and takes the figures that the getters below give.
 * @param peer_addr peer
 * States: from the peer's first appearance until disconnect.
 * Threads: one at a time per endpoint.
 * @return DOCA_SUCCESS: the connection stands; or
 * - DOCA_ERROR_INVALID_VALUE: peer_addr is NULL.
 * - DOCA_ERROR_BAD_STATE: the endpoint was created by a call of 1.3.
 * - DOCA_ERROR_CONNECTION_INPROGRESS: the service has not accepted the client yet; call again.
 * - DOCA_ERROR_CONNECTION_ABORTED: the peer left, broke off, or did not accept; disconnect it.
 * Since 1.5, until 2.8.
 */
DOCA_STABLE doca_error_t
doca_comm_channel_peer_addr_update_info(struct doca_comm_channel_addr_t *peer_addr);

/**
 * Gets the messages sent to a peer, when doca_comm_channel_peer_addr_update_info was called last.
 * @param peer_addr peer; only read during the call
 * @param send_messages receives the number
 * States: from the peer's first appearance until disconnect.
 * Threads: one at a time per endpoint.
 * @return DOCA_SUCCESS, or DOCA_ERROR_INVALID_VALUE if an argument is NULL.
 * Since 1.5, until 2.8.
 */
DOCA_STABLE doca_error_t doca_comm_channel_peer_addr_get_send_messages(
	const struct doca_comm_channel_addr_t *peer_addr, uint64_t *send_messages);

/**
 * Gets the bytes sent to a peer, when doca_comm_channel_peer_addr_update_info was called last.
 * @param peer_addr peer; only read during the call
 * @param send_bytes receives the number
 * States: from the peer's first appearance until disconnect.
 * Threads: one at a time per endpoint.
 * @return DOCA_SUCCESS, or DOCA_ERROR_INVALID_VALUE if an argument is NULL.
 * Since 1.5, until 2.8.
 */
DOCA_STABLE doca_error_t doca_comm_channel_peer_addr_get_send_bytes(
	const struct doca_comm_channel_addr_t *peer_addr, uint64_t *send_bytes);

/**
 * Gets the messages received from a peer, when doca_comm_channel_peer_addr_update_info was called
 * last.
 * @param peer_addr peer; only read during the call
 * @param recv_messages receives the number
 * States: from the peer's first appearance until disconnect.
 * Threads: one at a time per endpoint.
 * @return DOCA_SUCCESS, or DOCA_ERROR_INVALID_VALUE if an argument is NULL.
 * Since 1.5, until 2.8.
 */
DOCA_STABLE doca_error_t doca_comm_channel_peer_addr_get_recv_messages(
	const struct doca_comm_channel_addr_t *peer_addr, uint64_t *recv_messages);

/**
 * Gets the bytes received from a peer, when doca_comm_channel_peer_addr_update_info was called
 * last.
 * @param peer_addr peer; only read during the call
 * @param recv_bytes receives the number
 * States: from the peer's first appearance until disconnect.
 * Threads: one at a time per endpoint.
 * @return DOCA_SUCCESS, or DOCA_ERROR_INVALID_VALUE if an argument is NULL.
 * Since 1.5, until 2.8.
 */
DOCA_STABLE doca_error_t doca_comm_channel_peer_addr_get_recv_bytes(
	const struct doca_comm_channel_addr_t *peer_addr, uint64_t *recv_bytes);

/**
 * Gets the messages sent to a peer that it had not received yet, when
 * doca_comm_channel_peer_addr_update_info was called last. A peer gives word of what it received in
 * groups, so the figure may be a little high while it is busy.
 * @param peer_addr peer; only read during the call
 * @param send_in_flight_messages receives the number
 * States: from the peer's first appearance until disconnect.
 * Threads: one at a time per endpoint.
 * @return DOCA_SUCCESS, or DOCA_ERROR_INVALID_VALUE if an argument is NULL.
 * Since 1.5, until 2.8.
 */
DOCA_STABLE doca_error_t doca_comm_channel_peer_addr_get_send_in_flight_messages(
	const struct doca_comm_channel_addr_t *peer_addr, uint64_t *send_in_flight_messages);

/**
 * Takes what the two getters below give, and arms the service event channel for what changes
 * afterwards. It accepts nobody: recvfrom does. Peer lists that were handed out become invalid.
 * @param local_ep endpoint of a service
 * States: after listen.
 * Threads: one at a time per endpoint.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: local_ep is NULL.
 * - DOCA_ERROR_NOT_SUPPORTED: the endpoint does not listen.
 * - DOCA_ERROR_BAD_STATE: the endpoint was created by a call of 1.3.
 * - DOCA_ERROR_DRIVER: out of memory or descriptors.
 * - DOCA_ERROR_CONNECTION_RESET: the service ended, because its daemon broke a rule; destroy it.
 * Since 1.5, until 2.8.
 */
DOCA_STABLE doca_error_t
doca_comm_channel_ep_update_service_state_info(struct doca_comm_channel_ep_t *local_ep);

/**
 * Gets the peers of a service that were accepted and not disconnected, when
 * doca_comm_channel_ep_update_service_state_info was called last.
 * @param local_ep endpoint of a service; only read during the call
 * @param peer_addr_array receives the array; the endpoint's, until the next update or disconnect
 * @param peer_addr_array_len receives the number of elements
 * States: after listen.
 * Threads: one at a time per endpoint.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_NOT_SUPPORTED: the endpoint does not listen.
 * - DOCA_ERROR_BAD_STATE: the endpoint was created by a call of 1.3.
 * Since 1.5, until 2.8.
 */
DOCA_STABLE doca_error_t doca_comm_channel_ep_get_peer_addr_list(
	const struct doca_comm_channel_ep_t *local_ep,
	struct doca_comm_channel_addr_t ***peer_addr_array, uint32_t *peer_addr_array_len);

/**
 * Gets the clients that wait to be accepted by recvfrom, when
 * doca_comm_channel_ep_update_service_state_info was called last.
 * @param local_ep endpoint of a service; only read during the call
 * @param pending_connections receives the number
 * States: after listen.
 * Threads: one at a time per endpoint.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_NOT_SUPPORTED: the endpoint does not listen.
 * - DOCA_ERROR_BAD_STATE: the endpoint was created by a call of 1.3.
 * Since 1.5, until 2.8.
 */
DOCA_STABLE doca_error_t doca_comm_channel_ep_get_pending_connections(
	const struct doca_comm_channel_ep_t *local_ep, uint32_t *pending_connections);

#endif /* from 1.5 on */

#if DOCA_USE_VERSION < 105
/**
 * Creates an endpoint. It has no device: listen and connect take the first device of the machine
 * that can, and listen the first representor of it; the endpoint closes them again.
 * @param attr how; only read during the call
 * @param ep receives the endpoint; release it with doca_comm_channel_ep_destroy
 * Threads: any.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL, flags has unknown bits, or maxmsgs is more than
 *   32768. What is more than the device allows, listen and connect say.
 * - DOCA_ERROR_NO_MEMORY: out of memory.
 * - DOCA_ERROR_INITIALIZATION: the system has no descriptors left.
 * In 1.3 only.
 */
DOCA_STABLE doca_error_t doca_comm_channel_ep_create(struct doca_comm_channel_init_attr *attr,
						     struct doca_comm_channel_ep_t **ep)
	DOCA_BIND(doca_comm_channel_ep_create, 1_3);
#else
/**
 * Creates an endpoint without a device.
 * @param ep receives the endpoint; release it with doca_comm_channel_ep_destroy
 * Threads: any.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: ep is NULL.
 * - DOCA_ERROR_NO_MEMORY: out of memory.
 * - DOCA_ERROR_INITIALIZATION: the system has no descriptors left.
 * Since 1.5, until 2.8.
 */
DOCA_STABLE doca_error_t doca_comm_channel_ep_create(struct doca_comm_channel_ep_t **ep)
	DOCA_BIND(doca_comm_channel_ep_create, 1_5);
#endif

/**
 * Begins to serve clients under a name. They are accepted by recvfrom.
 * @param local_ep endpoint
 * @param name name of the service, unique for the representor; copied
 * States: neither listening nor connected.
 * Threads: one at a time per endpoint.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL; the name is empty or too long; a size is more
 *   than the device allows; the representor is another device's.
 * - DOCA_ERROR_BAD_STATE: no device or no representor was set (up to 1.3: there is none).
 * - DOCA_ERROR_NOT_SUPPORTED: the device has no services; they run on the DPU side.
 * - DOCA_ERROR_NOT_PERMITTED: the endpoint listens or is connected already, or another service has
 *   this name.
 * - DOCA_ERROR_NO_MEMORY: out of memory.
 * - DOCA_ERROR_DRIVER: the daemon cannot be reached; dococ_last_error() names it.
 * - DOCA_ERROR_INITIALIZATION: the daemon refused; dococ_last_error() says why.
 * Since 1.3, until 2.8.
 */
DOCA_STABLE doca_error_t doca_comm_channel_ep_listen(struct doca_comm_channel_ep_t *local_ep,
						     const char *name);

/**
 * Connects to a service that listens. From 1.5 on, and with NONBLOCK before, it returns when the
 * service is known to be there; the service's next recvfrom accepts.
 * doca_comm_channel_peer_addr_update_info tells when that was done, and until then sendto and
 * recvfrom give DOCA_ERROR_AGAIN. Else it waits until the service has accepted.
 * @param local_ep endpoint
 * @param name name of the service
 * @param peer_addr receives the peer; the endpoint's, until disconnect
 * States: neither listening nor connected.
 * Threads: one at a time per endpoint.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL; the name is empty or too long; a size is more
 *   than the device allows.
 * - DOCA_ERROR_BAD_STATE: no device was set (up to 1.3: there is none).
 * - DOCA_ERROR_NOT_SUPPORTED: the device has no clients; they run on the host side.
 * - DOCA_ERROR_NOT_PERMITTED: the endpoint listens or is connected already; disconnect first.
 * - DOCA_ERROR_AGAIN: it waited for the service to accept, and a signal came (up to 1.3); it is not
 *   connected, call again.
 * - DOCA_ERROR_CONNECTION_ABORTED: no service of this name listens for the device, or it takes no
 *   more clients; dococ_last_error() says which. Try again when it does.
 * - DOCA_ERROR_NO_MEMORY: out of memory.
 * - DOCA_ERROR_DRIVER: the daemon cannot be reached; dococ_last_error() names it.
 * - DOCA_ERROR_INITIALIZATION: the daemon refused; dococ_last_error() says why.
 * Since 1.3, until 2.8.
 */
DOCA_STABLE doca_error_t doca_comm_channel_ep_connect(struct doca_comm_channel_ep_t *local_ep,
						      const char *name,
						      struct doca_comm_channel_addr_t **peer_addr);

/**
 * Sends one message, which is copied.
 * @param local_ep endpoint
 * @param msg message; only read during the call
 * @param len bytes; from 1 to the smaller of the maxima of both ends
 * @param flags from 1.5 on DOCA_CC_MSG_FLAG_NONE; before, a set of enum doca_comm_channel_msg_flags
 * @param peer_addr peer to send to, from connect or recvfrom
 * States: connected, or listening and the peer not disconnected.
 * Threads: one at a time per endpoint.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: local_ep or msg is NULL, the message is empty or too long, or flags
 *   are not known.
 * - DOCA_ERROR_NOT_CONNECTED: there is no such peer, or it was disconnected.
 * - DOCA_ERROR_AGAIN: the peer's receive queue is full, or the service has not accepted yet; send
 *   again, after a wait if you like. Of a call that waits: a signal came, and nothing was sent.
 * - DOCA_ERROR_CONNECTION_RESET: the peer left or broke off; disconnect it.
 * - DOCA_ERROR_INITIALIZATION: it had to wait, and the system does not let it.
 * Since 1.3, until 2.8.
 */
DOCA_STABLE doca_error_t doca_comm_channel_ep_sendto(struct doca_comm_channel_ep_t *local_ep,
						     const void *msg, size_t len, int flags,
						     struct doca_comm_channel_addr_t *peer_addr);

/**
 * Receives one message, of any peer. A service accepts clients here, too. A client that leaves in
 * good order is not told of; sendto and doca_comm_channel_peer_addr_update_info do.
 * @param local_ep endpoint
 * @param msg receives the message
 * @param len bytes that msg has room for; receives the bytes of the message
 * @param flags from 1.5 on DOCA_CC_MSG_FLAG_NONE; before, a set of enum doca_comm_channel_msg_flags
 * @param peer_addr receives the peer that sent it; the endpoint's, until disconnect
 * States: listening or connected.
 * Threads: one at a time per endpoint.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL, flags are not known, or the message is longer
 *   than *len: it stays the next one to be received; come again with more room.
 * - DOCA_ERROR_NOT_CONNECTED: the endpoint neither listens nor connected.
 * - DOCA_ERROR_AGAIN: there is no message; of a call that waits: a signal came before one.
 * - DOCA_ERROR_CONNECTION_RESET: the peer is gone, and every message it sent was received. On a
 *   service this is said once for each client that broke off (its process ended), and peer_addr
 *   receives it. Disconnect it.
 * - DOCA_ERROR_INITIALIZATION: it had to wait, and the system does not let it.
 * Since 1.3, until 2.8.
 */
DOCA_STABLE doca_error_t doca_comm_channel_ep_recvfrom(struct doca_comm_channel_ep_t *local_ep,
						       void *msg, size_t *len, int flags,
						       struct doca_comm_channel_addr_t **peer_addr);

/**
 * Ends the connection with a peer, or forgets one that left. What was sent is still delivered to
 * it; what it sent and nobody received is gone. A client may then connect again.
 * @param local_ep endpoint
 * @param peer_addr peer; not to be used any more
 * States: the peer is one of the endpoint.
 * Threads: one at a time per endpoint.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_NOT_CONNECTED: the endpoint has no such peer, or belongs to the process that forked
 *   this one.
 * Since 1.3, until 2.8.
 */
DOCA_STABLE doca_error_t doca_comm_channel_ep_disconnect(
	struct doca_comm_channel_ep_t *local_ep, struct doca_comm_channel_addr_t *peer_addr);

/**
 * Ends all connections and frees the endpoint, its peers and event channels.
 * @param local_ep endpoint; not to be used any more
 * Threads: one at a time per endpoint.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_NOT_CONNECTED: local_ep is NULL; or it listens or is connected, and belongs to the
 *   process that forked this one, which goes on with it.
 * Since 1.3, until 2.8.
 */
DOCA_STABLE doca_error_t doca_comm_channel_ep_destroy(struct doca_comm_channel_ep_t *local_ep);

/* Of other versions. */
#if DOCA_USE_VERSION < 105
DOCA_ELSEWHERE(doca_comm_channel_ep_set_device,
	       "from 1.5 on; before, an endpoint finds its device by itself: see "
	       "doca_comm_channel_ep_create");
DOCA_ELSEWHERE(doca_comm_channel_ep_get_event_channel,
	       "from 1.5 on; before, call doca_comm_channel_ep_event_channel_get");
#elif !DOCA_API_BETWEEN(103, 104)
DOCA_ELSEWHERE(doca_comm_channel_ep_event_channel_get,
	       "up to 1.3; from 1.5 on call doca_comm_channel_ep_get_event_channel, and arm it");
DOCA_ELSEWHERE(doca_comm_channel_peer_addr_user_data_get,
	       "up to 1.3; from 1.5 on call doca_comm_channel_peer_addr_get_user_data");
#endif

#ifdef __cplusplus
}
#endif

#endif
