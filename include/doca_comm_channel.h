/*
 * Comm channel: messages between a service on the DPU and its clients on the host. It exists from
 * 1.3 to 2.8; later versions have doca_comch.h. Both use the same protocol, so that an endpoint of
 * this interface and a program of that one can be peers.
 *
 * Configure an endpoint with a device, and a service also with a representor of the host function
 * that its clients use. Then the service listens under a name, or a client connects to that name.
 * Messages arrive whole and in order per peer. doca_comm_channel_ep_sendto() copies the message;
 * doca_comm_channel_ep_recvfrom() copies it out.
 *
 * Waiting: up to 1.3 sendto and recvfrom wait, unless the endpoint or the call says otherwise. From
 * 1.5 on they never wait and return DOCA_ERROR_AGAIN. A program that wants to sleep arms an event
 * channel, waits until it is readable, and tries again. Arming takes earlier events into account,
 * so that none is missed between the attempt and the wait. A wake-up does not promise success:
 * other event channels of the endpoint may wake up together with the armed one.
 *
 * A call without a "States:" line is allowed in every state.
 *
 * Errors that the doc blocks do not repeat:
 *
 * - DOCA_ERROR_INVALID_VALUE: a pointer argument is NULL, and its description does not allow that.
 * - DOCA_ERROR_BAD_STATE: the object was created by a call of another generation; see doca_api.h.
 *
 * Threads: one thread at a time per endpoint and its peers. Capability queries may be called from
 * any thread.
 *
 * Reference: DOCA Comm Channel guide.
 *
 * Example: send a request to a service and wait for the answer by polling. The client has
 * connected: doca_comm_channel_ep_connect() returned `service`, and
 * doca_comm_channel_peer_addr_update_info() no longer returns DOCA_ERROR_CONNECTION_INPROGRESS but
 * DOCA_SUCCESS.
 *
 *     doca_error_t ask(struct doca_comm_channel_ep_t *ep, struct doca_comm_channel_addr_t *service,
 *                      void *answer, size_t *len)
 *     {
 *         const size_t max_len = *len;
 *         doca_error_t result;
 *
 *         result = doca_comm_channel_ep_sendto(ep, "hello", 5, DOCA_CC_MSG_FLAG_NONE, service);
 *         if (result != DOCA_SUCCESS)
 *             return result;
 *         do {
 *             *len = max_len;
 *             result = doca_comm_channel_ep_recvfrom(ep, answer, len, DOCA_CC_MSG_FLAG_NONE,
 *                                                    &service);
 *         } while (result == DOCA_ERROR_AGAIN);
 *         return result;
 *     }
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

struct doca_comm_channel_ep_t;   /* endpoint: a service or a client */
struct doca_comm_channel_addr_t; /* peer of an endpoint */
struct doca_dev;
struct doca_dev_rep;
struct doca_devinfo;

/*
 * How to send or receive; a set of bits. From 1.5 on no flags exist. DONTWAIT: do not wait,
 * whatever the endpoint's setting. MORE: other messages follow; has no effect.
 */
enum doca_comm_channel_msg_flags {
	DOCA_CC_MSG_FLAG_NONE = 0,
#if DOCA_API_BETWEEN(103, 104)
	DOCA_CC_MSG_FLAG_DONTWAIT = 1,
	DOCA_CC_MSG_FLAG_MORE = 2
#endif
};

/* File descriptor for poll, select and epoll. The endpoint owns it: neither read nor close it. */
#if DOCA_USE_VERSION < 105
typedef int doca_event_channel_t;
#else
typedef doca_event_handle_t doca_event_channel_t;
#endif

#if DOCA_API_BETWEEN(103, 104)

/* Size of a service's name in bytes, including the terminating NUL; a device may allow less. */
#define SERVICE_NAME_MAX 128

/* NONBLOCK: sendto and recvfrom of the endpoint do not wait, nor does connect. */
enum doca_comm_channel_init_flags { DOCA_COMM_CHANNEL_INIT_FLAG_NONBLOCK = 1 };

/* Settings of an endpoint. */
struct doca_comm_channel_init_attr {
	uint32_t cookie;  /* user data; never interpreted */
	uint32_t flags;   /* set of enum doca_comm_channel_init_flags */
	uint32_t maxmsgs; /* largest number of waiting messages per peer; raised to 8,
			   * rounded up to a power of two; 0 means 64 */
	uint32_t msgsize; /* largest message in bytes; 0 means 4080 */
};

/* Information about a peer. */
struct doca_comm_channel_peer_addr_info {
	uint16_t vport;    /* number of the function that carries the messages */
	uint32_t msgsize;  /* largest message to it in bytes */
	uint32_t maxmsgs;  /* largest number of messages that it has not received yet */
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
 * @return DOCA_SUCCESS
 * In 1.3 only.
 */
DOCA_STABLE doca_error_t doca_comm_channel_peer_addr_user_data_get(
	struct doca_comm_channel_addr_t *peer_addr, uint64_t *user_data);

/**
 * Sets the user data of a peer.
 * @param peer_addr peer; only read during the call
 * @param user_context any value; the library never interprets it
 * States: from the peer's first appearance until disconnect.
 * @return DOCA_SUCCESS
 * In 1.3 only.
 */
DOCA_STABLE doca_error_t doca_comm_channel_peer_addr_user_data_set(
	struct doca_comm_channel_addr_t *peer_addr, uint64_t user_context);

/**
 * Returns the file descriptor to wait on after a call that does not wait has returned
 * DOCA_ERROR_AGAIN. Each such call arms it. It becomes readable for messages, for room after a
 * sendto that met a full queue, and for peers that connect or disconnect.
 * @param local_ep endpoint; only read during the call
 * States: after listen or connect.
 * @return a descriptor, owned by the endpoint, readable when it is time to try again; -1 if there
 *   is none: the endpoint is NULL, was created by a later version, neither listens nor is
 *   connected, or no file descriptor is free; dococ_last_error() says which
 * In 1.3 only.
 */
DOCA_STABLE doca_event_channel_t
doca_comm_channel_ep_event_channel_get(struct doca_comm_channel_ep_t *local_ep);

/**
 * Gets the current information about a peer.
 * @param peer_addr peer; only read during the call
 * @param info receives the value
 * States: from the peer's first appearance until disconnect.
 * @return DOCA_SUCCESS
 * In 1.3 only.
 */
DOCA_STABLE doca_error_t doca_comm_channel_peer_addr_info_get(
	struct doca_comm_channel_addr_t *peer_addr, struct doca_comm_channel_peer_addr_info *info);

#endif /* up to 1.3 */

#if DOCA_API_BETWEEN(105, 208)

/**
 * Gets the length of the longest service name.
 * @param max_service_name_len receives the number of bytes, including the terminating NUL
 * @return DOCA_SUCCESS
 * Since 1.5, until 2.8.
 */
DOCA_STABLE doca_error_t doca_comm_channel_get_max_service_name_len(uint32_t *max_service_name_len);

/**
 * Gets the largest message size that can be set for an endpoint.
 * @param devinfo device to query
 * @param max_message_size receives the number of bytes
 * @return DOCA_SUCCESS
 * Since 1.5, until 2.8.
 */
DOCA_STABLE doca_error_t doca_comm_channel_get_max_message_size(struct doca_devinfo *devinfo,
								uint32_t *max_message_size);

/**
 * Gets the largest send queue that can be set for an endpoint.
 * @param devinfo device to query
 * @param max_send_queue_size receives the number of messages
 * @return DOCA_SUCCESS
 * Since 1.5, until 2.8.
 */
DOCA_STABLE doca_error_t doca_comm_channel_get_max_send_queue_size(struct doca_devinfo *devinfo,
								   uint32_t *max_send_queue_size);

/**
 * Gets the largest receive queue that can be set for an endpoint.
 * @param devinfo device to query
 * @param max_recv_queue_size receives the number of messages
 * @return DOCA_SUCCESS
 * Since 1.5, until 2.8.
 */
DOCA_STABLE doca_error_t doca_comm_channel_get_max_recv_queue_size(struct doca_devinfo *devinfo,
								   uint32_t *max_recv_queue_size);

/**
 * Gets the largest number of clients of one service.
 * @param devinfo device to query
 * @param max_num_connections receives the number
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_NOT_SUPPORTED: the device does not support services; they run on the DPU.
 * Since 1.5, until 2.8.
 */
DOCA_STABLE doca_error_t doca_comm_channel_get_service_max_num_connections(
	struct doca_devinfo *devinfo, uint32_t *max_num_connections);

/**
 * Gets the device that was set.
 * @param ep endpoint; only read during the call
 * @param device receives the value; owned by the program
 * States: a device was set.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: no device was set.
 * Since 1.5, until 2.8.
 */
DOCA_STABLE doca_error_t doca_comm_channel_ep_get_device(struct doca_comm_channel_ep_t *ep,
							 struct doca_dev **device);

/**
 * Gets the representor that was set.
 * @param ep endpoint; only read during the call
 * @param device_rep receives the value; owned by the program
 * States: a representor was set.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: no representor was set.
 * Since 1.5, until 2.8.
 */
DOCA_STABLE doca_error_t doca_comm_channel_ep_get_device_rep(struct doca_comm_channel_ep_t *ep,
							     struct doca_dev_rep **device_rep);

/**
 * Gets the size of the endpoint's largest message. The largest message to a peer is the smaller of
 * both ends' sizes.
 * @param ep endpoint; only read during the call
 * @param max_msg_size receives the number of bytes
 * @return DOCA_SUCCESS
 * Since 1.5, until 2.8.
 */
DOCA_STABLE doca_error_t doca_comm_channel_ep_get_max_msg_size(struct doca_comm_channel_ep_t *ep,
							       uint16_t *max_msg_size);

/**
 * Gets the size of the send queue, see doca_comm_channel_ep_set_send_queue_size.
 * @param ep endpoint; only read during the call
 * @param send_queue_size receives the number of messages
 * @return DOCA_SUCCESS
 * Since 1.5, until 2.8.
 */
DOCA_STABLE doca_error_t doca_comm_channel_ep_get_send_queue_size(struct doca_comm_channel_ep_t *ep,
								  uint16_t *send_queue_size);

/**
 * Gets the size of the receive queue, see doca_comm_channel_ep_set_recv_queue_size.
 * @param ep endpoint; only read during the call
 * @param recv_queue_size receives the number of messages
 * @return DOCA_SUCCESS
 * Since 1.5, until 2.8.
 */
DOCA_STABLE doca_error_t doca_comm_channel_ep_get_recv_queue_size(struct doca_comm_channel_ep_t *ep,
								  uint16_t *recv_queue_size);

/**
 * Sets the device that carries the messages.
 * @param ep endpoint
 * @param device open device; owned by the program; must stay open until the endpoint is destroyed
 * States: before listen and connect.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_BAD_STATE: the endpoint listens or is connected, or was created by a call of 1.3.
 * Since 1.5, until 2.8.
 */
DOCA_STABLE doca_error_t doca_comm_channel_ep_set_device(struct doca_comm_channel_ep_t *ep,
							 struct doca_dev *device);

/**
 * Sets the representor of the host function that a service's clients use.
 * @param ep endpoint
 * @param device_rep open representor; owned by the program; must stay open until the endpoint is
 *   destroyed
 * States: before listen and connect.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_BAD_STATE: the endpoint listens or is connected, or was created by a call of 1.3.
 * Since 1.5, until 2.8.
 */
DOCA_STABLE doca_error_t doca_comm_channel_ep_set_device_rep(struct doca_comm_channel_ep_t *ep,
							     struct doca_dev_rep *device_rep);

/**
 * Sets the size of the largest message. The default is 4080 bytes.
 * @param ep endpoint
 * @param max_msg_size bytes
 * States: before listen and connect.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: the size is 0, or it exceeds the maximum of the device. If the device
 *   is set later, listen and connect report that.
 * - DOCA_ERROR_BAD_STATE: the endpoint listens or is connected, or was created by a call of 1.3.
 * Since 1.5, until 2.8.
 */
DOCA_STABLE doca_error_t doca_comm_channel_ep_set_max_msg_size(struct doca_comm_channel_ep_t *ep,
							       uint16_t max_msg_size);

/**
 * Sets the size of the send queue. The size is raised to 8 and rounded up to a power of two; read
 * it back. In this implementation a message goes directly into the peer's receive queue, whose size
 * determines when sendto returns DOCA_ERROR_AGAIN.
 * @param ep endpoint
 * @param send_queue_size number of messages, up to 32768
 * States: before listen and connect.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: the size exceeds 32768 or the maximum of the device. If the device is
 *   set later, listen and connect report that.
 * - DOCA_ERROR_BAD_STATE: the endpoint listens or is connected, or was created by a call of 1.3.
 * Since 1.5, until 2.8.
 */
DOCA_STABLE doca_error_t doca_comm_channel_ep_set_send_queue_size(struct doca_comm_channel_ep_t *ep,
								  uint16_t send_queue_size);

/**
 * Sets the size of the receive queue: the number of messages of one peer that wait for recvfrom.
 * The size is raised to 8 and rounded up to a power of two; read it back.
 * @param ep endpoint
 * @param recv_queue_size number of messages, up to 32768
 * States: before listen and connect.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: the size exceeds 32768 or the maximum of the device. If the device is
 *   set later, listen and connect report that.
 * - DOCA_ERROR_BAD_STATE: the endpoint listens or is connected, or was created by a call of 1.3.
 * Since 1.5, until 2.8.
 */
DOCA_STABLE doca_error_t doca_comm_channel_ep_set_recv_queue_size(struct doca_comm_channel_ep_t *ep,
								  uint16_t recv_queue_size);

/**
 * Gets the file descriptors to wait on after sendto or recvfrom has returned DOCA_ERROR_AGAIN. Each
 * becomes readable after it was armed. They stay the same until the endpoint is destroyed.
 * @param local_ep endpoint
 * @param send_event_channel receives the descriptor for sendto, owned by the endpoint; may be NULL
 * @param recv_event_channel receives the descriptor for recvfrom, owned by the endpoint; may be
 *   NULL
 * States: after listen or connect.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: both output pointers are NULL.
 * - DOCA_ERROR_BAD_STATE: the endpoint neither listens nor is connected, or was created by a call
 *   of 1.3.
 * - DOCA_ERROR_NOT_FOUND: no file descriptor is free; close some or raise RLIMIT_NOFILE.
 * Since 1.5, until 2.8.
 */
DOCA_STABLE doca_error_t doca_comm_channel_ep_get_event_channel(
	struct doca_comm_channel_ep_t *local_ep, doca_event_channel_t *send_event_channel,
	doca_event_channel_t *recv_event_channel);

/**
 * Gets the file descriptor to wait on for clients of a service that connect and disconnect. Every
 * call of doca_comm_channel_ep_update_service_state_info() arms it for later changes.
 * @param local_ep endpoint of a service
 * @param service_event_channel receives the descriptor, owned by the endpoint
 * States: after listen.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_BAD_STATE: the endpoint neither listens nor is connected, was created by a call of
 *   1.3, or no file descriptor is free.
 * - DOCA_ERROR_NOT_SUPPORTED: the endpoint is a client.
 * Since 1.5, until 2.8.
 */
DOCA_STABLE doca_error_t doca_comm_channel_ep_get_service_event_channel(
	struct doca_comm_channel_ep_t *local_ep, doca_event_channel_t *service_event_channel);

/**
 * Arms the send event channel for one wake-up. It becomes readable when there is room for the
 * message for which sendto last returned DOCA_ERROR_AGAIN, or when the peer is gone; immediately if
 * this is so already, or if no sendto waits.
 * @param local_ep endpoint
 * States: after listen or connect.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: the endpoint was created by a call of 1.3, neither listens nor is
 *   connected, or no file descriptor is free.
 * Since 1.5, until 2.8.
 */
DOCA_STABLE doca_error_t
doca_comm_channel_ep_event_handle_arm_send(struct doca_comm_channel_ep_t *local_ep);

/**
 * Arms the receive event channel for one wake-up. It becomes readable when recvfrom has work (a
 * message, a client to accept, a peer that disconnected); immediately if it has already.
 * @param local_ep endpoint
 * States: after listen or connect.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: the endpoint was created by a call of 1.3, neither listens nor is
 *   connected, or no file descriptor is free.
 * Since 1.5, until 2.8.
 */
DOCA_STABLE doca_error_t
doca_comm_channel_ep_event_handle_arm_recv(struct doca_comm_channel_ep_t *local_ep);

/**
 * Gets the user data of a peer.
 * @param peer_addr peer; only read during the call
 * @param user_data receives the value; 0 if none was set
 * States: from the peer's first appearance until disconnect.
 * @return DOCA_SUCCESS
 * Since 1.5, until 2.8.
 */
DOCA_STABLE doca_error_t doca_comm_channel_peer_addr_get_user_data(
	struct doca_comm_channel_addr_t *peer_addr, uint64_t *user_data);

/**
 * Sets the user data of a peer.
 * @param peer_addr peer; only read during the call
 * @param user_context any value; the library never interprets it
 * States: from the peer's first appearance until disconnect.
 * @return DOCA_SUCCESS
 * Since 1.5, until 2.8.
 */
DOCA_STABLE doca_error_t doca_comm_channel_peer_addr_set_user_data(
	struct doca_comm_channel_addr_t *peer_addr, uint64_t user_context);

/**
 * Gets the state of the connection with a peer as the return code, and updates the counters that
 * the getters below return.
 * @param peer_addr peer
 * States: from the peer's first appearance until disconnect.
 * @return DOCA_SUCCESS if the connection is established, or
 * - DOCA_ERROR_CONNECTION_INPROGRESS: the service has not accepted the client yet; call again.
 * - DOCA_ERROR_CONNECTION_ABORTED: the peer disconnected, broke the connection, or did not accept;
 *   disconnect it.
 * Since 1.5, until 2.8.
 */
DOCA_STABLE doca_error_t
doca_comm_channel_peer_addr_update_info(struct doca_comm_channel_addr_t *peer_addr);

/**
 * Gets the number of messages sent to a peer, as of the last
 * doca_comm_channel_peer_addr_update_info().
 * @param peer_addr peer; only read during the call
 * @param send_messages receives the number
 * States: from the peer's first appearance until disconnect.
 * @return DOCA_SUCCESS
 * Since 1.5, until 2.8.
 */
DOCA_STABLE doca_error_t doca_comm_channel_peer_addr_get_send_messages(
	const struct doca_comm_channel_addr_t *peer_addr, uint64_t *send_messages);

/**
 * Gets the number of bytes sent to a peer, as of the last
 * doca_comm_channel_peer_addr_update_info().
 * @param peer_addr peer; only read during the call
 * @param send_bytes receives the number
 * States: from the peer's first appearance until disconnect.
 * @return DOCA_SUCCESS
 * Since 1.5, until 2.8.
 */
DOCA_STABLE doca_error_t doca_comm_channel_peer_addr_get_send_bytes(
	const struct doca_comm_channel_addr_t *peer_addr, uint64_t *send_bytes);

/**
 * Gets the number of messages received from a peer, as of the last
 * doca_comm_channel_peer_addr_update_info().
 * @param peer_addr peer; only read during the call
 * @param recv_messages receives the number
 * States: from the peer's first appearance until disconnect.
 * @return DOCA_SUCCESS
 * Since 1.5, until 2.8.
 */
DOCA_STABLE doca_error_t doca_comm_channel_peer_addr_get_recv_messages(
	const struct doca_comm_channel_addr_t *peer_addr, uint64_t *recv_messages);

/**
 * Gets the number of bytes received from a peer, as of the last
 * doca_comm_channel_peer_addr_update_info().
 * @param peer_addr peer; only read during the call
 * @param recv_bytes receives the number
 * States: from the peer's first appearance until disconnect.
 * @return DOCA_SUCCESS
 * Since 1.5, until 2.8.
 */
DOCA_STABLE doca_error_t doca_comm_channel_peer_addr_get_recv_bytes(
	const struct doca_comm_channel_addr_t *peer_addr, uint64_t *recv_bytes);

/**
 * Gets the number of messages that were sent to a peer and that the peer had not received, as of
 * the last doca_comm_channel_peer_addr_update_info(). A peer reports received messages in groups,
 * so the number may be slightly too high while it is busy.
 * @param peer_addr peer; only read during the call
 * @param send_in_flight_messages receives the number
 * States: from the peer's first appearance until disconnect.
 * @return DOCA_SUCCESS
 * Since 1.5, until 2.8.
 */
DOCA_STABLE doca_error_t doca_comm_channel_peer_addr_get_send_in_flight_messages(
	const struct doca_comm_channel_addr_t *peer_addr, uint64_t *send_in_flight_messages);

/**
 * Updates the results of the two getters below, and arms the service event channel for later
 * changes. It accepts no client; recvfrom does. Peer lists from earlier calls become invalid.
 * @param local_ep endpoint of a service
 * States: after listen.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_NOT_SUPPORTED: the endpoint does not listen.
 * - DOCA_ERROR_DRIVER: out of memory or file descriptors.
 * - DOCA_ERROR_CONNECTION_RESET: the service ended because its daemon violated the protocol;
 *   destroy it.
 * Since 1.5, until 2.8.
 */
DOCA_STABLE doca_error_t
doca_comm_channel_ep_update_service_state_info(struct doca_comm_channel_ep_t *local_ep);

/**
 * Gets the accepted and not disconnected peers of a service, as of the last
 * doca_comm_channel_ep_update_service_state_info().
 * @param local_ep endpoint of a service; only read during the call
 * @param peer_addr_array receives the array; owned by the endpoint, valid until the next update or
 *   disconnect
 * @param peer_addr_array_len receives the number of elements
 * States: after listen.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_NOT_SUPPORTED: the endpoint does not listen.
 * Since 1.5, until 2.8.
 */
DOCA_STABLE doca_error_t doca_comm_channel_ep_get_peer_addr_list(
	const struct doca_comm_channel_ep_t *local_ep,
	struct doca_comm_channel_addr_t ***peer_addr_array, uint32_t *peer_addr_array_len);

/**
 * Gets the number of clients that wait for recvfrom to accept them, as of the last
 * doca_comm_channel_ep_update_service_state_info().
 * @param local_ep endpoint of a service; only read during the call
 * @param pending_connections receives the number
 * States: after listen.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_NOT_SUPPORTED: the endpoint does not listen.
 * Since 1.5, until 2.8.
 */
DOCA_STABLE doca_error_t doca_comm_channel_ep_get_pending_connections(
	const struct doca_comm_channel_ep_t *local_ep, uint32_t *pending_connections);

#endif /* from 1.5 on */

#if DOCA_USE_VERSION < 105
/**
 * Creates an endpoint. It has no device yet: listen and connect open the first suitable device of
 * the machine, and listen its first representor; the endpoint closes them.
 * @param attr settings; only read during the call
 * @param ep receives the endpoint; release it with doca_comm_channel_ep_destroy
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: flags has unknown bits, or maxmsgs is more than 32768. Listen and
 *   connect report a value that exceeds the maximum of the device.
 * - DOCA_ERROR_NO_MEMORY: out of memory.
 * - DOCA_ERROR_INITIALIZATION: no file descriptor is free.
 * In 1.3 only.
 */
DOCA_STABLE doca_error_t doca_comm_channel_ep_create(struct doca_comm_channel_init_attr *attr,
						     struct doca_comm_channel_ep_t **ep)
	DOCA_BIND(doca_comm_channel_ep_create, 1_3);
#else
/**
 * Creates an endpoint without a device.
 * @param ep receives the endpoint; release it with doca_comm_channel_ep_destroy
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_NO_MEMORY: out of memory.
 * - DOCA_ERROR_INITIALIZATION: no file descriptor is free.
 * Since 1.5, until 2.8.
 */
DOCA_STABLE doca_error_t doca_comm_channel_ep_create(struct doca_comm_channel_ep_t **ep)
	DOCA_BIND(doca_comm_channel_ep_create, 1_5);
#endif

/**
 * Starts to serve clients under a name. recvfrom accepts the clients.
 * @param local_ep endpoint
 * @param name name of the service, unique for the representor; copied
 * States: neither listening nor connected.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: the name is empty or too long; a size exceeds the maximum of the
 *   device; or the representor belongs to another device.
 * - DOCA_ERROR_BAD_STATE: no device or no representor was set (up to 1.3: there is none).
 * - DOCA_ERROR_NOT_SUPPORTED: the device does not support services; they run on the DPU.
 * - DOCA_ERROR_NOT_PERMITTED: the endpoint listens or is connected already, or another service has
 *   this name.
 * - DOCA_ERROR_NO_MEMORY: out of memory.
 * - DOCA_ERROR_DRIVER: the daemon does not answer; dococ_last_error() names it.
 * - DOCA_ERROR_INITIALIZATION: the daemon refused the request; dococ_last_error() says why.
 * Since 1.3, until 2.8.
 */
DOCA_STABLE doca_error_t doca_comm_channel_ep_listen(struct doca_comm_channel_ep_t *local_ep,
						     const char *name);

/**
 * Connects to a listening service. From 1.5 on, and up to 1.3 with NONBLOCK, the call returns when
 * the service is known to exist. The service's next recvfrom accepts the client; until
 * doca_comm_channel_peer_addr_update_info() reports that, sendto and recvfrom return
 * DOCA_ERROR_AGAIN. Up to 1.3 without NONBLOCK, the call waits until the service has accepted the
 * client.
 * @param local_ep endpoint
 * @param name name of the service
 * @param peer_addr receives the peer; owned by the endpoint, valid until disconnect
 * States: neither listening nor connected.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: the name is empty or too long; or a size exceeds the maximum of the
 *   device.
 * - DOCA_ERROR_BAD_STATE: no device was set (up to 1.3: there is none).
 * - DOCA_ERROR_NOT_SUPPORTED: the device does not support clients; they run on the host.
 * - DOCA_ERROR_NOT_PERMITTED: the endpoint listens or is connected already; disconnect first.
 * - DOCA_ERROR_AGAIN: only up to 1.3: a signal arrived while the call waited for the service to
 *   accept; the endpoint is not connected, call again.
 * - DOCA_ERROR_CONNECTION_ABORTED: no service of this name listens for the device, or the service
 *   accepts no more clients; dococ_last_error() says which. Try again later.
 * - DOCA_ERROR_NO_MEMORY: out of memory.
 * - DOCA_ERROR_DRIVER: the daemon does not answer; dococ_last_error() names it.
 * - DOCA_ERROR_INITIALIZATION: the daemon refused the request; dococ_last_error() says why.
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
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: the message is empty or too long, or a flag is unknown.
 * - DOCA_ERROR_NOT_CONNECTED: the peer does not exist or was disconnected.
 * - DOCA_ERROR_AGAIN: the peer's receive queue is full, or the service has not accepted the client
 *   yet; send again, possibly after waiting. A call that waits: a signal arrived, and nothing was
 *   sent.
 * - DOCA_ERROR_CONNECTION_RESET: the peer disconnected or broke the connection; disconnect it.
 * - DOCA_ERROR_INITIALIZATION: the call had to wait, which failed.
 * Since 1.3, until 2.8.
 */
DOCA_STABLE doca_error_t doca_comm_channel_ep_sendto(struct doca_comm_channel_ep_t *local_ep,
						     const void *msg, size_t len, int flags,
						     struct doca_comm_channel_addr_t *peer_addr);

/**
 * Receives one message of any peer. For a service, the call also accepts clients. It does not
 * report a client that disconnected regularly; sendto and doca_comm_channel_peer_addr_update_info()
 * do.
 * @param local_ep endpoint
 * @param msg receives the message
 * @param len in: size of msg in bytes; out: size of the message
 * @param flags from 1.5 on DOCA_CC_MSG_FLAG_NONE; before, a set of enum doca_comm_channel_msg_flags
 * @param peer_addr receives the peer that sent it; owned by the endpoint, valid until disconnect
 * States: listening or connected.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: a flag is unknown, or the message is longer than *len. In the last
 *   case the message remains the next one: call again with more room.
 * - DOCA_ERROR_NOT_CONNECTED: the endpoint neither listens nor is connected.
 * - DOCA_ERROR_AGAIN: there is no message. A call that waits: a signal arrived first.
 * - DOCA_ERROR_CONNECTION_RESET: the peer has ended, and all its messages were received; disconnect
 *   it. A service gets this once for each client that broke the connection (its process ended), and
 *   peer_addr receives the client.
 * - DOCA_ERROR_INITIALIZATION: the call had to wait, which failed.
 * Since 1.3, until 2.8.
 */
DOCA_STABLE doca_error_t doca_comm_channel_ep_recvfrom(struct doca_comm_channel_ep_t *local_ep,
						       void *msg, size_t *len, int flags,
						       struct doca_comm_channel_addr_t **peer_addr);

/**
 * Ends the connection with a peer, or releases a peer that disconnected. Sent messages are still
 * delivered to it; its messages that were not received are lost. A client may then connect again.
 * @param local_ep endpoint
 * @param peer_addr peer; invalid after the call
 * States: the peer belongs to the endpoint.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_NOT_CONNECTED: the endpoint has no such peer, or belongs to the process that forked
 *   this one.
 * Since 1.3, until 2.8.
 */
DOCA_STABLE doca_error_t doca_comm_channel_ep_disconnect(
	struct doca_comm_channel_ep_t *local_ep, struct doca_comm_channel_addr_t *peer_addr);

/**
 * Ends all connections and destroys the endpoint, its peers and event channels.
 * @param local_ep endpoint; invalid after the call
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_NOT_CONNECTED: local_ep is NULL; or it listens or is connected and belongs to the
 *   process that forked this one, which continues to use it.
 * Since 1.3, until 2.8.
 */
DOCA_STABLE doca_error_t doca_comm_channel_ep_destroy(struct doca_comm_channel_ep_t *local_ep);

/* Calls of other versions. */
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
