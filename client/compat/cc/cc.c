/*
 * Servers and clients of 2.5 and 2.6: comch objects under their earlier names.
 * client/compat/abi/v2_5/cc.c has the calls whose types differ in 2.5. Threads: as in
 * client/comch/comch.h.
 */
#include <doca_cc.h>
#include <doca_comch.h>

#include "client/compat/cc/cc.h"

#include "client/base/generation.h"
#include "client/base/program_api.h"
#include "client/comch/comch.h"

uint32_t cc_u32(size_t value)
{
	/* The largest value exceeds every device's limit, so it is refused with the right error
	 * sentence. */
	return value > UINT32_MAX ? UINT32_MAX : (uint32_t)value;
}

uint32_t cc_n_tasks(size_t log_num_tasks)
{
	return log_num_tasks > 31 ? UINT32_MAX : 1u << log_num_tasks;
}

doca_error_t cc_get_size(const struct doca_devinfo *devinfo, size_t *size_out, cc_get_cap_t get)
{
	doca_error_t result;
	uint32_t size;

	result = get(devinfo, size_out == NULL ? NULL : &size);
	if (result == DOCA_SUCCESS)
		*size_out = size;
	return result;
}

doca_error_t cc_get_log(const struct doca_devinfo *devinfo, size_t *log_out, cc_get_cap_t get)
{
	doca_error_t result = cc_get_size(devinfo, log_out, get);

	if (result == DOCA_SUCCESS)
		*log_out = *log_out == 0 ? 0 : 63 - (size_t)__builtin_clzll(*log_out);
	return result;
}

/* Passes the length as a size_t: the upper half of a register that contains a 32-bit value is
 * undefined. */
static void cc_received(struct doca_comch_event_msg_recv *event, uint8_t *recv_buffer,
			uint32_t msg_len, struct doca_comch_connection *connection)
{
	cc_recv_cb_t recv_cb = (cc_recv_cb_t)event->comch->recv_cb_2_5;

	recv_cb(event, recv_buffer, msg_len, connection);
}

doca_error_t cc_set_recv_cb(void *object, void (*recv_cb)(void), const char *call)
{
	struct comch *comch = object;
	doca_error_t result;

	result = comch_set_recv_cb(comch, recv_cb == NULL ? NULL : cc_received, call);
	if (result == DOCA_SUCCESS)
		comch->recv_cb_2_5 = recv_cb;
	return result;
}

doca_error_t doca_cc_connection_set_user_data(struct doca_cc_connection *connection,
					      union doca_data user_data)
{
	return doca_comch_connection_set_user_data((struct doca_comch_connection *)connection,
						   user_data);
}

union doca_data doca_cc_connection_get_user_data(const struct doca_cc_connection *connection)
{
	return doca_comch_connection_get_user_data(
		(const struct doca_comch_connection *)connection);
}

struct doca_cc_server *doca_cc_server_get_server_ctx(const struct doca_cc_connection *connection)
{
	return (struct doca_cc_server *)doca_comch_server_get_server_ctx(
		(const struct doca_comch_connection *)connection);
}

struct doca_cc_client *doca_cc_client_get_client_ctx(const struct doca_cc_connection *connection)
{
	return (struct doca_cc_client *)doca_comch_client_get_client_ctx(
		(const struct doca_comch_connection *)connection);
}

doca_error_t doca_cc_cap_get_max_name_len(const struct doca_devinfo *devinfo,
					  uint32_t *max_name_len)
{
	return doca_comch_cap_get_max_name_len(devinfo, max_name_len);
}

doca_error_t doca_cc_server_create(struct doca_dev *dev, struct doca_dev_rep *repr,
				   const char *name, struct doca_cc_server **cc_server)
{
	program_api_note(DOCA_MAKE_VERSION(2, 5), DOCA_MAKE_VERSION(2, 6));
	program_api_note_channel(WORDING_CC);
	return doca_comch_server_create(dev, repr, name, (struct doca_comch_server **)cc_server);
}

doca_error_t doca_cc_server_destroy(struct doca_cc_server *cc_server)
{
	return doca_comch_server_destroy((struct doca_comch_server *)cc_server);
}

doca_error_t doca_cc_cap_server_is_supported(const struct doca_devinfo *devinfo)
{
	return doca_comch_cap_server_is_supported(devinfo);
}

doca_error_t doca_cc_server_get_device(const struct doca_cc_server *cc_server,
				       struct doca_dev **dev)
{
	return doca_comch_server_get_device((const struct doca_comch_server *)cc_server, dev);
}

doca_error_t doca_cc_server_get_device_repr(const struct doca_cc_server *cc_server,
					    struct doca_dev_rep **repr)
{
	return doca_comch_server_get_device_rep((const struct doca_comch_server *)cc_server, repr);
}

struct doca_ctx *doca_cc_server_as_ctx(struct doca_cc_server *cc_server)
{
	return doca_comch_server_as_ctx((struct doca_comch_server *)cc_server);
}

doca_error_t doca_cc_client_create(struct doca_dev *dev, const char *name,
				   struct doca_cc_client **cc_client)
{
	program_api_note(DOCA_MAKE_VERSION(2, 5), DOCA_MAKE_VERSION(2, 6));
	program_api_note_channel(WORDING_CC);
	return doca_comch_client_create(dev, name, (struct doca_comch_client **)cc_client);
}

doca_error_t doca_cc_client_destroy(struct doca_cc_client *cc_client)
{
	return doca_comch_client_destroy((struct doca_comch_client *)cc_client);
}

doca_error_t doca_cc_cap_client_is_supported(const struct doca_devinfo *devinfo)
{
	return doca_comch_cap_client_is_supported(devinfo);
}

doca_error_t doca_cc_client_get_device(const struct doca_cc_client *cc_client,
				       struct doca_dev **dev)
{
	return doca_comch_client_get_device((const struct doca_comch_client *)cc_client, dev);
}

struct doca_ctx *doca_cc_client_as_ctx(struct doca_cc_client *cc_client)
{
	return doca_comch_client_as_ctx((struct doca_comch_client *)cc_client);
}

doca_error_t doca_cc_client_get_connection(const struct doca_cc_client *cc_client,
					   struct doca_cc_connection **connection)
{
	return doca_comch_client_get_connection((const struct doca_comch_client *)cc_client,
						(struct doca_comch_connection **)connection);
}

doca_error_t doca_cc_server_send_task_set_conf(struct doca_cc_server *cc_server,
					       doca_cc_send_task_comp_handler task_completion_cb,
					       doca_cc_send_task_comp_handler task_error_cb,
					       uint8_t log_num_tasks)
{
	return doca_comch_server_task_send_set_conf(
		(struct doca_comch_server *)cc_server,
		(doca_comch_task_send_completion_cb_t)(void (*)(void))task_completion_cb,
		(doca_comch_task_send_completion_cb_t)(void (*)(void))task_error_cb,
		cc_n_tasks(log_num_tasks));
}

doca_error_t doca_cc_client_send_task_set_conf(struct doca_cc_client *cc_client,
					       doca_cc_send_task_comp_handler task_completion_cb,
					       doca_cc_send_task_comp_handler task_error_cb,
					       uint8_t log_num_tasks)
{
	return doca_comch_client_task_send_set_conf(
		(struct doca_comch_client *)cc_client,
		(doca_comch_task_send_completion_cb_t)(void (*)(void))task_completion_cb,
		(doca_comch_task_send_completion_cb_t)(void (*)(void))task_error_cb,
		cc_n_tasks(log_num_tasks));
}

doca_error_t doca_cc_server_send_task_alloc_init(struct doca_cc_server *cc_server,
						 struct doca_cc_connection *peer, const void *msg,
						 size_t len, struct doca_cc_send_task **task)
{
	return doca_comch_server_task_send_alloc_init(
		(struct doca_comch_server *)cc_server, (struct doca_comch_connection *)peer, msg,
		cc_u32(len), (struct doca_comch_task_send **)task);
}

doca_error_t doca_cc_client_send_task_alloc_init(struct doca_cc_client *cc_client,
						 struct doca_cc_connection *peer, const void *msg,
						 size_t len, struct doca_cc_send_task **task)
{
	return doca_comch_client_task_send_alloc_init(
		(struct doca_comch_client *)cc_client, (struct doca_comch_connection *)peer, msg,
		cc_u32(len), (struct doca_comch_task_send **)task);
}

struct doca_task *doca_cc_send_task_as_task(struct doca_cc_send_task *task)
{
	return doca_comch_task_send_as_task((struct doca_comch_task_send *)task);
}

doca_error_t doca_cc_server_event_msg_recv_register(struct doca_cc_server *cc_server,
						    doca_cc_event_msg_recv_cb_t recv_event_cb)
{
	return doca_comch_server_event_msg_recv_register(
		(struct doca_comch_server *)cc_server,
		(doca_comch_event_msg_recv_cb_t)(void (*)(void))recv_event_cb);
}
API_PLAIN(doca_cc_server_event_msg_recv_register, 2_6);

doca_error_t doca_cc_client_event_msg_recv_register(struct doca_cc_client *cc_client,
						    doca_cc_event_msg_recv_cb_t recv_event_cb)
{
	return doca_comch_client_event_msg_recv_register(
		(struct doca_comch_client *)cc_client,
		(doca_comch_event_msg_recv_cb_t)(void (*)(void))recv_event_cb);
}
API_PLAIN(doca_cc_client_event_msg_recv_register, 2_6);

doca_error_t doca_cc_server_event_connection_register(
	struct doca_cc_server *cc_server,
	doca_cc_event_connection_status_changed_cb_t connect_event_cb,
	doca_cc_event_connection_status_changed_cb_t disconnect_event_cb)
{
	return doca_comch_server_event_connection_status_changed_register(
		(struct doca_comch_server *)cc_server,
		(doca_comch_event_connection_status_changed_cb_t)(void (*)(void))connect_event_cb,
		(doca_comch_event_connection_status_changed_cb_t)(void (*)(
			void))disconnect_event_cb);
}

doca_error_t doca_cc_connection_update_info(struct doca_cc_connection *cc_connection)
{
	return doca_comch_connection_update_info((struct doca_comch_connection *)cc_connection);
}

doca_error_t doca_cc_connection_get_counter(const struct doca_cc_connection *cc_connection,
					    enum doca_cc_counter counter_type,
					    uint64_t *counter_value)
{
	return doca_comch_connection_get_counter(
		(const struct doca_comch_connection *)cc_connection,
		(enum doca_comch_counter)counter_type, counter_value);
}

doca_error_t doca_cc_server_event_consumer_register(
	struct doca_cc_server *cc_server, doca_cc_event_consumer_cb_t new_consumer_event_cb,
	doca_cc_event_consumer_cb_t expired_consumer_event_cb)
{
	return doca_comch_server_event_consumer_register(
		(struct doca_comch_server *)cc_server,
		(doca_comch_event_consumer_cb_t)(void (*)(void))new_consumer_event_cb,
		(doca_comch_event_consumer_cb_t)(void (*)(void))expired_consumer_event_cb);
}

doca_error_t doca_cc_client_event_consumer_register(
	struct doca_cc_client *cc_client, doca_cc_event_consumer_cb_t new_consumer_event_cb,
	doca_cc_event_consumer_cb_t expired_consumer_event_cb)
{
	return doca_comch_client_event_consumer_register(
		(struct doca_comch_client *)cc_client,
		(doca_comch_event_consumer_cb_t)(void (*)(void))new_consumer_event_cb,
		(doca_comch_event_consumer_cb_t)(void (*)(void))expired_consumer_event_cb);
}

doca_error_t doca_cc_cap_get_max_msg_size(const struct doca_devinfo *devinfo, uint32_t *size)
{
	return doca_comch_cap_get_max_msg_size(devinfo, size);
}
API_PLAIN(doca_cc_cap_get_max_msg_size, 2_6);

doca_error_t doca_cc_cap_get_max_recv_queue_size(const struct doca_devinfo *devinfo, uint32_t *size)
{
	return doca_comch_cap_get_max_recv_queue_size(devinfo, size);
}
API_PLAIN(doca_cc_cap_get_max_recv_queue_size, 2_6);

doca_error_t doca_cc_cap_get_max_clients(const struct doca_devinfo *devinfo, uint32_t *num_clients)
{
	return doca_comch_cap_get_max_clients(devinfo, num_clients);
}
API_PLAIN(doca_cc_cap_get_max_clients, 2_6);

doca_error_t doca_cc_server_set_max_msg_size(struct doca_cc_server *cc_server, uint32_t size)
{
	return doca_comch_server_set_max_msg_size((struct doca_comch_server *)cc_server, size);
}
API_PLAIN(doca_cc_server_set_max_msg_size, 2_6);

doca_error_t doca_cc_server_get_max_msg_size(const struct doca_cc_server *cc_server, uint32_t *size)
{
	return doca_comch_server_get_max_msg_size((const struct doca_comch_server *)cc_server,
						  size);
}
API_PLAIN(doca_cc_server_get_max_msg_size, 2_6);

doca_error_t doca_cc_server_set_recv_queue_size(struct doca_cc_server *cc_server, uint32_t size)
{
	return doca_comch_server_set_recv_queue_size((struct doca_comch_server *)cc_server, size);
}
API_PLAIN(doca_cc_server_set_recv_queue_size, 2_6);

doca_error_t doca_cc_server_get_recv_queue_size(const struct doca_cc_server *cc_server,
						uint32_t *size)
{
	return doca_comch_server_get_recv_queue_size((const struct doca_comch_server *)cc_server,
						     size);
}
API_PLAIN(doca_cc_server_get_recv_queue_size, 2_6);

doca_error_t doca_cc_client_set_max_msg_size(struct doca_cc_client *cc_client, uint32_t size)
{
	return doca_comch_client_set_max_msg_size((struct doca_comch_client *)cc_client, size);
}
API_PLAIN(doca_cc_client_set_max_msg_size, 2_6);

doca_error_t doca_cc_client_get_max_msg_size(const struct doca_cc_client *cc_client, uint32_t *size)
{
	return doca_comch_client_get_max_msg_size((const struct doca_comch_client *)cc_client,
						  size);
}
API_PLAIN(doca_cc_client_get_max_msg_size, 2_6);

doca_error_t doca_cc_client_set_recv_queue_size(struct doca_cc_client *cc_client, uint32_t size)
{
	return doca_comch_client_set_recv_queue_size((struct doca_comch_client *)cc_client, size);
}
API_PLAIN(doca_cc_client_set_recv_queue_size, 2_6);

doca_error_t doca_cc_client_get_recv_queue_size(const struct doca_cc_client *cc_client,
						uint32_t *size)
{
	return doca_comch_client_get_recv_queue_size((const struct doca_comch_client *)cc_client,
						     size);
}
API_PLAIN(doca_cc_client_get_recv_queue_size, 2_6);

doca_error_t doca_cc_cap_get_max_send_tasks(const struct doca_devinfo *devinfo,
					    uint32_t *max_send_tasks)
{
	return doca_comch_cap_get_max_send_tasks(devinfo, max_send_tasks);
}
API_PLAIN(doca_cc_cap_get_max_send_tasks, 2_6);

doca_error_t doca_cc_server_task_send_set_conf(struct doca_cc_server *cc_server,
					       doca_cc_task_send_completion_cb_t task_completion_cb,
					       doca_cc_task_send_completion_cb_t task_error_cb,
					       uint32_t num_send_tasks)
{
	return doca_comch_server_task_send_set_conf(
		(struct doca_comch_server *)cc_server,
		(doca_comch_task_send_completion_cb_t)(void (*)(void))task_completion_cb,
		(doca_comch_task_send_completion_cb_t)(void (*)(void))task_error_cb,
		num_send_tasks);
}

doca_error_t doca_cc_client_task_send_set_conf(struct doca_cc_client *cc_client,
					       doca_cc_task_send_completion_cb_t task_completion_cb,
					       doca_cc_task_send_completion_cb_t task_error_cb,
					       uint32_t num_send_tasks)
{
	return doca_comch_client_task_send_set_conf(
		(struct doca_comch_client *)cc_client,
		(doca_comch_task_send_completion_cb_t)(void (*)(void))task_completion_cb,
		(doca_comch_task_send_completion_cb_t)(void (*)(void))task_error_cb,
		num_send_tasks);
}

doca_error_t doca_cc_server_task_send_alloc_init(struct doca_cc_server *cc_server,
						 struct doca_cc_connection *peer, const void *msg,
						 uint32_t len, struct doca_cc_task_send **task)
{
	return doca_comch_server_task_send_alloc_init((struct doca_comch_server *)cc_server,
						      (struct doca_comch_connection *)peer, msg,
						      len, (struct doca_comch_task_send **)task);
}

doca_error_t doca_cc_client_task_send_alloc_init(struct doca_cc_client *cc_client,
						 struct doca_cc_connection *peer, const void *msg,
						 uint32_t len, struct doca_cc_task_send **task)
{
	return doca_comch_client_task_send_alloc_init((struct doca_comch_client *)cc_client,
						      (struct doca_comch_connection *)peer, msg,
						      len, (struct doca_comch_task_send **)task);
}

struct doca_task *doca_cc_task_send_as_task(struct doca_cc_task_send *task)
{
	return doca_comch_task_send_as_task((struct doca_comch_task_send *)task);
}

/* The function's name from 2.7 to 2.9. */
doca_error_t doca_comch_server_get_device_repr(const struct doca_comch_server *comch_server,
					       struct doca_dev_rep **rep)
{
	return doca_comch_server_get_device_rep(comch_server, rep);
}
