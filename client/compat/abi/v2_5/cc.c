/* Servers, clients, consumers and producers, as called by programs of 2.5, where 2.6 has other
 * types. Threads: as in doca_cc.h. */
#include <doca_cc.h>
#include <doca_cc_consumer.h>
#include <doca_cc_producer.h>

#include "client/compat/cc/cc.h"
#include "client/compat/cc/cc_2_6.h"

doca_error_t doca_cc_cap_get_max_msg_size(const struct doca_devinfo *devinfo, size_t *size)
{
	return cc_get_size(devinfo, size, cc_cap_get_max_msg_size_2_6);
}

doca_error_t doca_cc_cap_get_max_recv_queue_size(const struct doca_devinfo *devinfo, size_t *size)
{
	return cc_get_size(devinfo, size, cc_cap_get_max_recv_queue_size_2_6);
}

doca_error_t doca_cc_cap_get_max_clients(const struct doca_devinfo *devinfo, size_t *num_clients)
{
	return cc_get_size(devinfo, num_clients, cc_cap_get_max_clients_2_6);
}

doca_error_t doca_cc_server_set_max_msg_size(struct doca_cc_server *cc_server, size_t size)
{
	return cc_server_set_max_msg_size_2_6(cc_server, cc_u32(size));
}

doca_error_t doca_cc_server_get_max_msg_size(const struct doca_cc_server *cc_server, size_t *size)
{
	doca_error_t result;
	uint32_t value;

	result = cc_server_get_max_msg_size_2_6(cc_server, size == NULL ? NULL : &value);
	if (result == DOCA_SUCCESS)
		*size = value;
	return result;
}

doca_error_t doca_cc_server_set_recv_queue_size(struct doca_cc_server *cc_server, size_t size)
{
	return cc_server_set_recv_queue_size_2_6(cc_server, cc_u32(size));
}

doca_error_t doca_cc_server_get_recv_queue_size(const struct doca_cc_server *cc_server,
						size_t *size)
{
	doca_error_t result;
	uint32_t value;

	result = cc_server_get_recv_queue_size_2_6(cc_server, size == NULL ? NULL : &value);
	if (result == DOCA_SUCCESS)
		*size = value;
	return result;
}

doca_error_t doca_cc_client_set_max_msg_size(struct doca_cc_client *cc_client, size_t size)
{
	return cc_client_set_max_msg_size_2_6(cc_client, cc_u32(size));
}

doca_error_t doca_cc_client_get_max_msg_size(const struct doca_cc_client *cc_client, size_t *size)
{
	doca_error_t result;
	uint32_t value;

	result = cc_client_get_max_msg_size_2_6(cc_client, size == NULL ? NULL : &value);
	if (result == DOCA_SUCCESS)
		*size = value;
	return result;
}

doca_error_t doca_cc_client_set_recv_queue_size(struct doca_cc_client *cc_client, size_t size)
{
	return cc_client_set_recv_queue_size_2_6(cc_client, cc_u32(size));
}

doca_error_t doca_cc_client_get_recv_queue_size(const struct doca_cc_client *cc_client,
						size_t *size)
{
	doca_error_t result;
	uint32_t value;

	result = cc_client_get_recv_queue_size_2_6(cc_client, size == NULL ? NULL : &value);
	if (result == DOCA_SUCCESS)
		*size = value;
	return result;
}

doca_error_t doca_cc_cap_get_max_send_tasks(const struct doca_devinfo *devinfo,
					    size_t *max_send_tasks)
{
	return cc_get_size(devinfo, max_send_tasks, cc_cap_get_max_send_tasks_2_6);
}

doca_error_t doca_cc_server_event_msg_recv_register(struct doca_cc_server *cc_server,
						    doca_cc_event_msg_recv_cb_t recv_event_cb)
{
	return cc_set_recv_cb(cc_server, (void (*)(void))recv_event_cb, "cc server receive event");
}

doca_error_t doca_cc_client_event_msg_recv_register(struct doca_cc_client *cc_client,
						    doca_cc_event_msg_recv_cb_t recv_event_cb)
{
	return cc_set_recv_cb(cc_client, (void (*)(void))recv_event_cb, "cc client receive event");
}

doca_error_t doca_cc_consumer_cap_get_max_buf_size(const struct doca_devinfo *devinfo,
						   size_t *max_buf_size)
{
	return cc_get_size(devinfo, max_buf_size, cc_consumer_cap_get_max_buf_size_2_6);
}

doca_error_t doca_cc_producer_cap_get_max_buf_size(const struct doca_devinfo *devinfo,
						   size_t *max_buf_size)
{
	return cc_get_size(devinfo, max_buf_size, cc_producer_cap_get_max_buf_size_2_6);
}
