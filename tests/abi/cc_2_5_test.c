/*
 * Signatures and values of doca_cc.h and its consumers and producers as 2.5 has them. Decided when
 * this file compiles; what it binds to is looked up when it runs.
 */
#include <doca_cc.h>
#include <doca_cc_consumer.h>
#include <doca_cc_producer.h>

#include "tests/abi/generation.h"

SAME(doca_cc_connection_set_user_data,
     doca_error_t (*)(struct doca_cc_connection *connection, union doca_data user_data));
SAME(doca_cc_connection_get_user_data,
     union doca_data (*)(const struct doca_cc_connection *connection));
SAME(doca_cc_server_get_server_ctx,
     struct doca_cc_server *(*)(const struct doca_cc_connection *connection));
SAME(doca_cc_client_get_client_ctx,
     struct doca_cc_client *(*)(const struct doca_cc_connection *connection));
SAME(doca_cc_cap_get_max_name_len,
     doca_error_t (*)(const struct doca_devinfo *devinfo, uint32_t *max_name_len));
SAME(doca_cc_cap_get_max_msg_size,
     doca_error_t (*)(const struct doca_devinfo *devinfo, size_t *size));
SAME(doca_cc_cap_get_max_recv_queue_size,
     doca_error_t (*)(const struct doca_devinfo *devinfo, size_t *size));
SAME(doca_cc_cap_get_max_clients,
     doca_error_t (*)(const struct doca_devinfo *devinfo, size_t *num_clients));
SAME(doca_cc_server_create, doca_error_t (*)(struct doca_dev *dev, struct doca_dev_rep *repr,
					     const char *name, struct doca_cc_server **cc_server));
SAME(doca_cc_server_destroy, doca_error_t (*)(struct doca_cc_server *cc_server));
SAME(doca_cc_cap_server_is_supported, doca_error_t (*)(const struct doca_devinfo *devinfo));
SAME(doca_cc_server_set_max_msg_size,
     doca_error_t (*)(struct doca_cc_server *cc_server, size_t size));
SAME(doca_cc_server_get_max_msg_size,
     doca_error_t (*)(const struct doca_cc_server *cc_server, size_t *size));
SAME(doca_cc_server_set_recv_queue_size,
     doca_error_t (*)(struct doca_cc_server *cc_server, size_t size));
SAME(doca_cc_server_get_recv_queue_size,
     doca_error_t (*)(const struct doca_cc_server *cc_server, size_t *size));
SAME(doca_cc_server_get_device,
     doca_error_t (*)(const struct doca_cc_server *cc_server, struct doca_dev **dev));
SAME(doca_cc_server_get_device_repr,
     doca_error_t (*)(const struct doca_cc_server *cc_server, struct doca_dev_rep **repr));
SAME(doca_cc_server_as_ctx, struct doca_ctx *(*)(struct doca_cc_server *cc_server));
SAME(doca_cc_client_create,
     doca_error_t (*)(struct doca_dev *dev, const char *name, struct doca_cc_client **cc_client));
SAME(doca_cc_client_destroy, doca_error_t (*)(struct doca_cc_client *cc_client));
SAME(doca_cc_cap_client_is_supported, doca_error_t (*)(const struct doca_devinfo *devinfo));
SAME(doca_cc_client_set_max_msg_size,
     doca_error_t (*)(struct doca_cc_client *cc_client, size_t size));
SAME(doca_cc_client_get_max_msg_size,
     doca_error_t (*)(const struct doca_cc_client *cc_client, size_t *size));
SAME(doca_cc_client_set_recv_queue_size,
     doca_error_t (*)(struct doca_cc_client *cc_client, size_t size));
SAME(doca_cc_client_get_recv_queue_size,
     doca_error_t (*)(const struct doca_cc_client *cc_client, size_t *size));
SAME(doca_cc_client_get_device,
     doca_error_t (*)(const struct doca_cc_client *cc_client, struct doca_dev **dev));
SAME(doca_cc_client_as_ctx, struct doca_ctx *(*)(struct doca_cc_client *cc_client));
SAME(doca_cc_client_get_connection, doca_error_t (*)(const struct doca_cc_client *cc_client,
						     struct doca_cc_connection **connection));
SAME_TYPE(doca_cc_send_task_comp_handler,
	  void (*)(struct doca_cc_send_task *task, union doca_data task_user_data,
		   union doca_data ctx_user_data));
SAME(doca_cc_cap_get_max_send_tasks,
     doca_error_t (*)(const struct doca_devinfo *devinfo, size_t *max_send_tasks));
SAME(doca_cc_server_send_task_set_conf,
     doca_error_t (*)(struct doca_cc_server *cc_server,
		      doca_cc_send_task_comp_handler task_completion_cb,
		      doca_cc_send_task_comp_handler task_error_cb, uint8_t log_num_tasks));
SAME(doca_cc_client_send_task_set_conf,
     doca_error_t (*)(struct doca_cc_client *cc_client,
		      doca_cc_send_task_comp_handler task_completion_cb,
		      doca_cc_send_task_comp_handler task_error_cb, uint8_t log_num_tasks));
SAME(doca_cc_server_send_task_alloc_init,
     doca_error_t (*)(struct doca_cc_server *cc_server, struct doca_cc_connection *peer,
		      const void *msg, size_t len, struct doca_cc_send_task **task));
SAME(doca_cc_client_send_task_alloc_init,
     doca_error_t (*)(struct doca_cc_client *cc_client, struct doca_cc_connection *peer,
		      const void *msg, size_t len, struct doca_cc_send_task **task));
SAME(doca_cc_send_task_as_task, struct doca_task *(*)(struct doca_cc_send_task *task));
SAME_TYPE(doca_cc_event_msg_recv_cb_t,
	  void (*)(struct doca_cc_event_msg_recv *event, uint8_t *recv_buffer, size_t msg_len,
		   struct doca_cc_connection *cc_connection));
SAME(doca_cc_server_event_msg_recv_register,
     doca_error_t (*)(struct doca_cc_server *cc_server, doca_cc_event_msg_recv_cb_t recv_event_cb));
SAME(doca_cc_client_event_msg_recv_register,
     doca_error_t (*)(struct doca_cc_client *cc_client, doca_cc_event_msg_recv_cb_t recv_event_cb));
SAME_TYPE(doca_cc_event_connection_status_changed_cb_t,
	  void (*)(struct doca_cc_event_connection_status_changed *event,
		   struct doca_cc_connection *cc_connection, bool change_successful));
SAME(doca_cc_server_event_connection_register,
     doca_error_t (*)(struct doca_cc_server *cc_server,
		      doca_cc_event_connection_status_changed_cb_t connect_event_cb,
		      doca_cc_event_connection_status_changed_cb_t disconnect_event_cb));
IS(DOCA_CC_COUNTER_SENT_MESSAGES, 1);
IS(DOCA_CC_COUNTER_SENT_BYTES, 2);
IS(DOCA_CC_COUNTER_RECV_MESSAGES, 3);
IS(DOCA_CC_COUNTER_RECV_BYTES, 4);
SAME(doca_cc_connection_update_info, doca_error_t (*)(struct doca_cc_connection *cc_connection));
SAME(doca_cc_connection_get_counter,
     doca_error_t (*)(const struct doca_cc_connection *cc_connection,
		      enum doca_cc_counter counter_type, uint64_t *counter_value));
SAME_TYPE(doca_cc_event_consumer_cb_t,
	  void (*)(struct doca_cc_event_consumer *event, struct doca_cc_connection *cc_connection,
		   uint32_t id));
SAME(doca_cc_server_event_consumer_register,
     doca_error_t (*)(struct doca_cc_server *cc_server,
		      doca_cc_event_consumer_cb_t new_consumer_event_cb,
		      doca_cc_event_consumer_cb_t expired_consumer_event_cb));
SAME(doca_cc_client_event_consumer_register,
     doca_error_t (*)(struct doca_cc_client *cc_client,
		      doca_cc_event_consumer_cb_t new_consumer_event_cb,
		      doca_cc_event_consumer_cb_t expired_consumer_event_cb));
SAME(doca_cc_consumer_create,
     doca_error_t (*)(struct doca_cc_connection *cc_connection, struct doca_mmap *buf_mmap,
		      struct doca_cc_consumer **consumer));
SAME(doca_cc_consumer_destroy, doca_error_t (*)(struct doca_cc_consumer *consumer));
SAME(doca_cc_cap_is_consumer_supported, doca_error_t (*)(const struct doca_devinfo *devinfo));
SAME(doca_cc_consumer_get_id,
     doca_error_t (*)(const struct doca_cc_consumer *consumer, uint32_t *id));
SAME(doca_cc_consumer_cap_get_max_log_num_tasks,
     doca_error_t (*)(const struct doca_devinfo *devinfo, size_t *max_log_num_tasks));
SAME(doca_cc_consumer_cap_get_max_buf_size,
     doca_error_t (*)(const struct doca_devinfo *devinfo, size_t *max_buf_size));
SAME(doca_cc_consumer_as_ctx, struct doca_ctx *(*)(struct doca_cc_consumer *consumer));
SAME_TYPE(doca_cc_consumer_post_recv_task_comp_handler,
	  void (*)(struct doca_cc_consumer_post_recv_task *task, union doca_data task_user_data,
		   union doca_data ctx_user_data));
SAME(doca_cc_consumer_post_recv_task_set_conf,
     doca_error_t (*)(struct doca_cc_consumer *consumer,
		      doca_cc_consumer_post_recv_task_comp_handler task_completion_cb,
		      doca_cc_consumer_post_recv_task_comp_handler task_error_cb,
		      size_t log_num_tasks));
SAME(doca_cc_consumer_post_recv_task_alloc_init,
     doca_error_t (*)(struct doca_cc_consumer *consumer, struct doca_buf *buf,
		      struct doca_cc_consumer_post_recv_task **task));
SAME(doca_cc_consumer_post_recv_task_get_buf,
     struct doca_buf *(*)(struct doca_cc_consumer_post_recv_task *task));
SAME(doca_cc_consumer_post_recv_task_set_buf,
     void (*)(struct doca_cc_consumer_post_recv_task *task, struct doca_buf *buf));
SAME(doca_cc_consumer_post_recv_task_as_task,
     struct doca_task *(*)(struct doca_cc_consumer_post_recv_task *task));
SAME(doca_cc_producer_create, doca_error_t (*)(struct doca_cc_connection *cc_connection,
					       struct doca_cc_producer **producer));
SAME(doca_cc_producer_destroy, doca_error_t (*)(struct doca_cc_producer *producer));
SAME(doca_cc_cap_is_producer_supported, doca_error_t (*)(const struct doca_devinfo *devinfo));
SAME(doca_cc_producer_cap_get_max_log_num_tasks,
     doca_error_t (*)(const struct doca_devinfo *devinfo, size_t *max_log_num_tasks));
SAME(doca_cc_producer_cap_get_max_buf_size,
     doca_error_t (*)(const struct doca_devinfo *devinfo, size_t *max_buf_size));
SAME(doca_cc_producer_as_ctx, struct doca_ctx *(*)(struct doca_cc_producer *producer));
SAME_TYPE(doca_cc_producer_send_task_comp_handler,
	  void (*)(struct doca_cc_producer_send_task *task, union doca_data task_user_data,
		   union doca_data ctx_user_data));
SAME(doca_cc_producer_send_task_set_conf,
     doca_error_t (*)(struct doca_cc_producer *producer,
		      doca_cc_producer_send_task_comp_handler task_completion_cb,
		      doca_cc_producer_send_task_comp_handler task_error_cb, size_t log_num_tasks));
SAME(doca_cc_producer_send_task_alloc_init,
     doca_error_t (*)(struct doca_cc_producer *producer, struct doca_buf *buf, int consumer_id,
		      struct doca_cc_producer_send_task **task));
SAME(doca_cc_producer_send_task_get_buf,
     struct doca_buf *(*)(struct doca_cc_producer_send_task *task));
SAME(doca_cc_producer_send_task_set_buf,
     void (*)(struct doca_cc_producer_send_task *task, struct doca_buf *buf));
SAME(doca_cc_producer_send_task_get_consumer_id, int (*)(struct doca_cc_producer_send_task *task));
SAME(doca_cc_producer_send_task_set_consumer_id,
     void (*)(struct doca_cc_producer_send_task *task, const int consumer_id));
SAME(doca_cc_producer_send_task_as_task,
     struct doca_task *(*)(struct doca_cc_producer_send_task *task));

static const void *const bound[] = {
	ADDRESS(doca_cc_connection_set_user_data),
	ADDRESS(doca_cc_connection_get_user_data),
	ADDRESS(doca_cc_server_get_server_ctx),
	ADDRESS(doca_cc_client_get_client_ctx),
	ADDRESS(doca_cc_cap_get_max_name_len),
	ADDRESS(doca_cc_cap_get_max_msg_size),
	ADDRESS(doca_cc_cap_get_max_recv_queue_size),
	ADDRESS(doca_cc_cap_get_max_clients),
	ADDRESS(doca_cc_server_create),
	ADDRESS(doca_cc_server_destroy),
	ADDRESS(doca_cc_cap_server_is_supported),
	ADDRESS(doca_cc_server_set_max_msg_size),
	ADDRESS(doca_cc_server_get_max_msg_size),
	ADDRESS(doca_cc_server_set_recv_queue_size),
	ADDRESS(doca_cc_server_get_recv_queue_size),
	ADDRESS(doca_cc_server_get_device),
	ADDRESS(doca_cc_server_get_device_repr),
	ADDRESS(doca_cc_server_as_ctx),
	ADDRESS(doca_cc_client_create),
	ADDRESS(doca_cc_client_destroy),
	ADDRESS(doca_cc_cap_client_is_supported),
	ADDRESS(doca_cc_client_set_max_msg_size),
	ADDRESS(doca_cc_client_get_max_msg_size),
	ADDRESS(doca_cc_client_set_recv_queue_size),
	ADDRESS(doca_cc_client_get_recv_queue_size),
	ADDRESS(doca_cc_client_get_device),
	ADDRESS(doca_cc_client_as_ctx),
	ADDRESS(doca_cc_client_get_connection),
	ADDRESS(doca_cc_cap_get_max_send_tasks),
	ADDRESS(doca_cc_server_send_task_set_conf),
	ADDRESS(doca_cc_client_send_task_set_conf),
	ADDRESS(doca_cc_server_send_task_alloc_init),
	ADDRESS(doca_cc_client_send_task_alloc_init),
	ADDRESS(doca_cc_send_task_as_task),
	ADDRESS(doca_cc_server_event_msg_recv_register),
	ADDRESS(doca_cc_client_event_msg_recv_register),
	ADDRESS(doca_cc_server_event_connection_register),
	ADDRESS(doca_cc_connection_update_info),
	ADDRESS(doca_cc_connection_get_counter),
	ADDRESS(doca_cc_server_event_consumer_register),
	ADDRESS(doca_cc_client_event_consumer_register),
	ADDRESS(doca_cc_consumer_create),
	ADDRESS(doca_cc_consumer_destroy),
	ADDRESS(doca_cc_cap_is_consumer_supported),
	ADDRESS(doca_cc_consumer_get_id),
	ADDRESS(doca_cc_consumer_cap_get_max_log_num_tasks),
	ADDRESS(doca_cc_consumer_cap_get_max_buf_size),
	ADDRESS(doca_cc_consumer_as_ctx),
	ADDRESS(doca_cc_consumer_post_recv_task_set_conf),
	ADDRESS(doca_cc_consumer_post_recv_task_alloc_init),
	ADDRESS(doca_cc_consumer_post_recv_task_get_buf),
	ADDRESS(doca_cc_consumer_post_recv_task_set_buf),
	ADDRESS(doca_cc_consumer_post_recv_task_as_task),
	ADDRESS(doca_cc_producer_create),
	ADDRESS(doca_cc_producer_destroy),
	ADDRESS(doca_cc_cap_is_producer_supported),
	ADDRESS(doca_cc_producer_cap_get_max_log_num_tasks),
	ADDRESS(doca_cc_producer_cap_get_max_buf_size),
	ADDRESS(doca_cc_producer_as_ctx),
	ADDRESS(doca_cc_producer_send_task_set_conf),
	ADDRESS(doca_cc_producer_send_task_alloc_init),
	ADDRESS(doca_cc_producer_send_task_get_buf),
	ADDRESS(doca_cc_producer_send_task_set_buf),
	ADDRESS(doca_cc_producer_send_task_get_consumer_id),
	ADDRESS(doca_cc_producer_send_task_set_consumer_id),
	ADDRESS(doca_cc_producer_send_task_as_task),
};

int main(void)
{
	return bound_is_complete(bound, sizeof(bound) / sizeof(bound[0])) ? 0 : 1;
}
