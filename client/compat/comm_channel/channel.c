/* Comm channel endpoints: creation, configuration, destruction. See
 * client/compat/comm_channel/channel.h. */
#include "client/compat/comm_channel/channel.h"

#include <stdlib.h>

#include "client/base/program_api.h"
#include "client/compat/comm_channel/channel_1_3.h"
#include "util/str.h"

uint32_t channel_queue_size(uint32_t asked)
{
	uint32_t size = CHANNEL_MIN_QUEUE;

	while (size < asked)
		size *= 2;
	return size;
}

doca_error_t channel_new(const struct channel_attr *attr, struct doca_comm_channel_ep_t **ep_out)
{
	struct doca_comm_channel_ep_t *ep = calloc(1, sizeof(*ep));
	doca_error_t result;
	size_t i;

	program_api_note(attr->api, attr->api == API_1_3 ? API_1_3 : DOCA_MAKE_VERSION(2, 6));
	program_api_note_channel(WORDING_COMM_CHANNEL);
	if (ep == NULL)
		return error_set(DOCA_ERROR_NO_MEMORY, "comm channel create: out of memory");
	result = pe_new(&ep->pe);
	if (result != DOCA_SUCCESS) {
		free(ep);
		return result == DOCA_ERROR_NO_MEMORY ? result : DOCA_ERROR_INITIALIZATION;
	}
	ep->api = attr->api;
	ep->waits = attr->waits;
	ep->max_msg = attr->max_msg;
	ep->send_queue = ep->recv_queue = attr->n_msgs == 0 ? COMCH_DEFAULT_RECV_QUEUE
							    : channel_queue_size(attr->n_msgs);
	list_init(&ep->peers);
	list_init(&ep->peer.node);
	for (i = 0; i < CHANNEL_N_WAITS; i++)
		ep->wait_fds[i] = ep->own_fds[i] = -1;
	*ep_out = ep;
	return DOCA_SUCCESS;
}

doca_error_t doca_comm_channel_ep_create(struct doca_comm_channel_ep_t **ep)
{
	const struct channel_attr attr = {.api = API_1_5};

	if (ep == NULL)
		return error_set(DOCA_ERROR_INVALID_VALUE,
				 "comm channel create: ep is NULL; pass a place for it");
	return channel_new(&attr, ep);
}
API_PLAIN(doca_comm_channel_ep_create, 1_5);

doca_error_t channel_create_1_3(uint32_t flags, uint32_t n_msgs, uint32_t max_msg,
				struct doca_comm_channel_ep_t **ep_out)
{
	const struct channel_attr attr = {
		.api = API_1_3,
		.waits = !(flags & DOCA_COMM_CHANNEL_INIT_FLAG_NONBLOCK),
		.max_msg = max_msg,
		.n_msgs = n_msgs,
	};

	if ((flags & ~(uint32_t)DOCA_COMM_CHANNEL_INIT_FLAG_NONBLOCK) != 0)
		return error_set(DOCA_ERROR_INVALID_VALUE,
				 "comm channel create: flags %#x has unknown bits", flags);
	if (n_msgs > CHANNEL_MAX_QUEUE)
		return error_set(DOCA_ERROR_INVALID_VALUE,
				 "comm channel create: %u %s; the maximum is %u", n_msgs,
				 plural(n_msgs, "message", "messages"), CHANNEL_MAX_QUEUE);
	return channel_new(&attr, ep_out);
}

doca_error_t doca_comm_channel_ep_destroy(struct doca_comm_channel_ep_t *local_ep)
{
	doca_error_t result;

	/* The contract has only this code here. */
	if (local_ep == NULL)
		return error_set(DOCA_ERROR_NOT_CONNECTED,
				 "comm channel destroy: the endpoint is NULL");
	result = channel_check_process(local_ep, "comm channel destroy");
	if (result != DOCA_SUCCESS)
		return result;
	channel_end(local_ep);
	channel_close_waits(local_ep);
	pe_delete(local_ep->pe);
	channel_release_device(local_ep);
	free(local_ep->list);
	free(local_ep);
	return DOCA_SUCCESS;
}

/* --- getters and setters --- */

static doca_error_t get_check(const struct doca_comm_channel_ep_t *ep, const void *out,
			      const char *call)
{
	if (ep == NULL || out == NULL)
		return error_set(DOCA_ERROR_INVALID_VALUE, "%s: %s is NULL", call,
				 ep == NULL ? "the endpoint" : "the result");
	return channel_check_1_5(ep, call);
}

static doca_error_t set_check(const struct doca_comm_channel_ep_t *ep, const char *call)
{
	doca_error_t result;

	if (ep == NULL)
		return error_set(DOCA_ERROR_INVALID_VALUE, "%s: the endpoint is NULL", call);
	result = channel_check_1_5(ep, call);
	if (result != DOCA_SUCCESS)
		return result;
	if (ep->role != CHANNEL_NONE)
		return error_set(DOCA_ERROR_BAD_STATE, "%s: the endpoint %s; set this before", call,
				 ep->role == CHANNEL_SERVICE ? "listens" : "is connected");
	return DOCA_SUCCESS;
}

doca_error_t doca_comm_channel_ep_get_device(struct doca_comm_channel_ep_t *ep,
					     struct doca_dev **device)
{
	doca_error_t result = get_check(ep, device, "comm channel device");

	if (result != DOCA_SUCCESS)
		return result;
	if (ep->dev == NULL)
		return error_set(DOCA_ERROR_INVALID_VALUE,
				 "comm channel device: none was set; set one first");
	*device = ep->dev;
	return DOCA_SUCCESS;
}

doca_error_t doca_comm_channel_ep_get_device_rep(struct doca_comm_channel_ep_t *ep,
						 struct doca_dev_rep **device_rep)
{
	doca_error_t result = get_check(ep, device_rep, "comm channel representor");

	if (result != DOCA_SUCCESS)
		return result;
	if (ep->rep == NULL)
		return error_set(DOCA_ERROR_INVALID_VALUE,
				 "comm channel representor: none was set; set one first");
	*device_rep = ep->rep;
	return DOCA_SUCCESS;
}

static uint32_t ep_max_msg(const struct doca_comm_channel_ep_t *ep)
{
	return ep->max_msg == 0 ? COMCH_DEFAULT_MSG_SIZE : ep->max_msg;
}

doca_error_t doca_comm_channel_ep_get_max_msg_size(struct doca_comm_channel_ep_t *ep,
						   uint16_t *max_msg_size)
{
	doca_error_t result = get_check(ep, max_msg_size, "comm channel max message size");

	if (result == DOCA_SUCCESS)
		*max_msg_size = (uint16_t)ep_max_msg(ep);
	return result;
}

doca_error_t doca_comm_channel_ep_get_send_queue_size(struct doca_comm_channel_ep_t *ep,
						      uint16_t *send_queue_size)
{
	doca_error_t result = get_check(ep, send_queue_size, "comm channel send queue size");

	if (result == DOCA_SUCCESS)
		*send_queue_size = (uint16_t)ep->send_queue;
	return result;
}

doca_error_t doca_comm_channel_ep_get_recv_queue_size(struct doca_comm_channel_ep_t *ep,
						      uint16_t *recv_queue_size)
{
	doca_error_t result = get_check(ep, recv_queue_size, "comm channel receive queue size");

	if (result == DOCA_SUCCESS)
		*recv_queue_size = (uint16_t)ep->recv_queue;
	return result;
}

doca_error_t doca_comm_channel_ep_set_device(struct doca_comm_channel_ep_t *ep,
					     struct doca_dev *device)
{
	doca_error_t result = set_check(ep, "comm channel set device");

	if (result != DOCA_SUCCESS)
		return result;
	if (device == NULL)
		return error_set(DOCA_ERROR_INVALID_VALUE,
				 "comm channel set device: device is NULL");
	dev_hold(device);
	if (ep->dev != NULL)
		dev_release(ep->dev);
	ep->dev = device;
	return DOCA_SUCCESS;
}

doca_error_t doca_comm_channel_ep_set_device_rep(struct doca_comm_channel_ep_t *ep,
						 struct doca_dev_rep *device_rep)
{
	doca_error_t result = set_check(ep, "comm channel set representor");

	if (result != DOCA_SUCCESS)
		return result;
	if (device_rep == NULL)
		return error_set(DOCA_ERROR_INVALID_VALUE,
				 "comm channel set representor: device_rep is NULL");
	atomic_fetch_add(&device_rep->n_users, 1);
	if (ep->rep != NULL)
		atomic_fetch_sub(&ep->rep->n_users, 1);
	ep->rep = device_rep;
	return DOCA_SUCCESS;
}

static doca_error_t set_limited(const struct doca_comm_channel_ep_t *ep, uint32_t *field,
				uint32_t value, uint32_t max, const char *call)
{
	if (ep->dev == NULL || value <= max) {
		*field = value;
		return DOCA_SUCCESS;
	}
	return error_set(DOCA_ERROR_INVALID_VALUE, "%s: %u; device %s allows up to %u", call, value,
			 ep->dev->info->name, max);
}

doca_error_t doca_comm_channel_ep_set_max_msg_size(struct doca_comm_channel_ep_t *ep,
						   uint16_t max_msg_size)
{
	const char *call = "comm channel set max message size";
	doca_error_t result = set_check(ep, call);

	if (result != DOCA_SUCCESS)
		return result;
	if (max_msg_size == 0)
		return error_set(DOCA_ERROR_INVALID_VALUE, "%s: 0; a message has at least one byte",
				 call);
	return set_limited(ep, &ep->max_msg, max_msg_size,
			   ep->dev == NULL ? 0 : ep->dev->info->caps.comch_max_msg_size, call);
}

static doca_error_t set_queue(struct doca_comm_channel_ep_t *ep, uint32_t *field, uint16_t size,
			      uint32_t max, const char *call)
{
	if (size > CHANNEL_MAX_QUEUE)
		return error_set(DOCA_ERROR_INVALID_VALUE, "%s: %u %s; the maximum is %u", call,
				 size, plural(size, "message", "messages"), CHANNEL_MAX_QUEUE);
	return set_limited(ep, field, channel_queue_size(size), max, call);
}

doca_error_t doca_comm_channel_ep_set_send_queue_size(struct doca_comm_channel_ep_t *ep,
						      uint16_t send_queue_size)
{
	const char *call = "comm channel set send queue size";
	doca_error_t result = set_check(ep, call);

	if (result != DOCA_SUCCESS)
		return result;
	return set_queue(ep, &ep->send_queue, send_queue_size,
			 ep->dev == NULL ? 0 : ep->dev->info->caps.comch_max_send_tasks, call);
}

doca_error_t doca_comm_channel_ep_set_recv_queue_size(struct doca_comm_channel_ep_t *ep,
						      uint16_t recv_queue_size)
{
	const char *call = "comm channel set receive queue size";
	doca_error_t result = set_check(ep, call);

	if (result != DOCA_SUCCESS)
		return result;
	return set_queue(ep, &ep->recv_queue, recv_queue_size,
			 ep->dev == NULL ? 0 : ep->dev->info->caps.comch_max_recv_queue, call);
}

/* --- capabilities --- */

/* The call names no device, so this is the limit in the profiles of all cards. */
#define CHANNEL_MAX_NAME 120u

doca_error_t doca_comm_channel_get_max_service_name_len(uint32_t *max_service_name_len)
{
	if (max_service_name_len == NULL)
		return error_set(DOCA_ERROR_INVALID_VALUE,
				 "comm channel max service name length: the result is NULL");
	*max_service_name_len = CHANNEL_MAX_NAME;
	return DOCA_SUCCESS;
}

static doca_error_t caps_check(const struct doca_devinfo *devinfo, const uint32_t *out,
			       const char *call)
{
	if (devinfo == NULL || out == NULL)
		return error_set(DOCA_ERROR_INVALID_VALUE, "%s: %s is NULL", call,
				 devinfo == NULL ? "devinfo" : "the result");
	return DOCA_SUCCESS;
}

doca_error_t doca_comm_channel_get_max_message_size(struct doca_devinfo *devinfo,
						    uint32_t *max_message_size)
{
	doca_error_t result = caps_check(devinfo, max_message_size,
					 "comm channel max message size");

	if (result == DOCA_SUCCESS)
		*max_message_size = MIN(devinfo->caps.comch_max_msg_size, (uint32_t)UINT16_MAX);
	return result;
}

/* Returns the largest power of two that both the device and the interface allow. */
static uint32_t caps_queue_size(uint32_t max)
{
	uint32_t size = CHANNEL_MAX_QUEUE;

	while (size > max)
		size /= 2;
	return size;
}

doca_error_t doca_comm_channel_get_max_send_queue_size(struct doca_devinfo *devinfo,
						       uint32_t *max_send_queue_size)
{
	doca_error_t result = caps_check(devinfo, max_send_queue_size,
					 "comm channel max send queue size");

	if (result == DOCA_SUCCESS)
		*max_send_queue_size = caps_queue_size(devinfo->caps.comch_max_send_tasks);
	return result;
}

doca_error_t doca_comm_channel_get_max_recv_queue_size(struct doca_devinfo *devinfo,
						       uint32_t *max_recv_queue_size)
{
	doca_error_t result = caps_check(devinfo, max_recv_queue_size,
					 "comm channel max receive queue size");

	if (result == DOCA_SUCCESS)
		*max_recv_queue_size = caps_queue_size(devinfo->caps.comch_max_recv_queue);
	return result;
}

doca_error_t doca_comm_channel_get_service_max_num_connections(struct doca_devinfo *devinfo,
							       uint32_t *max_num_connections)
{
	doca_error_t result = caps_check(devinfo, max_num_connections,
					 "comm channel max connections");

	if (result != DOCA_SUCCESS)
		return result;
	if (!devinfo->caps.comch_server)
		return error_note(DOCA_ERROR_NOT_SUPPORTED,
				  "comm channel max connections: device %s has no services; they "
				  "run on the DPU side",
				  devinfo->name);
	*max_num_connections = devinfo->caps.comch_max_clients;
	return DOCA_SUCCESS;
}
