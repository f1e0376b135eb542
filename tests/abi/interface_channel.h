/*
 * The public interface, row by row: channels of every kind, log, arguments. Each row appears once,
 * with the versions that have it; tests/abi/interface_test.c explains the rows.
 */

/* doca_comm_channel.h */
#if IN(103, 104) || IN(200, 208)
SAME(doca_comm_channel_ep_listen,
     doca_error_t (*)(struct doca_comm_channel_ep_t *local_ep, const char *name));
SAME(doca_comm_channel_ep_connect,
     doca_error_t (*)(struct doca_comm_channel_ep_t *local_ep, const char *name,
		      struct doca_comm_channel_addr_t **peer_addr));
SAME(doca_comm_channel_ep_sendto,
     doca_error_t (*)(struct doca_comm_channel_ep_t *local_ep, const void *msg, size_t len,
		      int flags, struct doca_comm_channel_addr_t *peer_addr));
SAME(doca_comm_channel_ep_recvfrom,
     doca_error_t (*)(struct doca_comm_channel_ep_t *local_ep, void *msg, size_t *len, int flags,
		      struct doca_comm_channel_addr_t **peer_addr));
SAME(doca_comm_channel_ep_disconnect, doca_error_t (*)(struct doca_comm_channel_ep_t *local_ep,
						       struct doca_comm_channel_addr_t *peer_addr));
SAME(doca_comm_channel_ep_destroy, doca_error_t (*)(struct doca_comm_channel_ep_t *local_ep));
#endif
#if IN(103, 104)
SAME(doca_comm_channel_ep_create, doca_error_t (*)(struct doca_comm_channel_init_attr *attr,
						   struct doca_comm_channel_ep_t **ep));
SAME(doca_comm_channel_peer_addr_user_data_get,
     doca_error_t (*)(struct doca_comm_channel_addr_t *peer_addr, uint64_t *user_data));
SAME(doca_comm_channel_peer_addr_user_data_set,
     doca_error_t (*)(struct doca_comm_channel_addr_t *peer_addr, uint64_t user_context));
SAME(doca_comm_channel_ep_event_channel_get,
     doca_event_channel_t (*)(struct doca_comm_channel_ep_t *local_ep));
SAME(doca_comm_channel_peer_addr_info_get,
     doca_error_t (*)(struct doca_comm_channel_addr_t *peer_addr,
		      struct doca_comm_channel_peer_addr_info *info));
FIELD(struct doca_comm_channel_init_attr, cookie, uint32_t);
FIELD(struct doca_comm_channel_init_attr, flags, uint32_t);
FIELD(struct doca_comm_channel_init_attr, maxmsgs, uint32_t);
FIELD(struct doca_comm_channel_init_attr, msgsize, uint32_t);
SAME_TYPE(doca_event_channel_t, int);
IS(DOCA_COMM_CHANNEL_INIT_FLAG_NONBLOCK, 1);
IS(DOCA_CC_MSG_FLAG_DONTWAIT, 1);
IS(DOCA_CC_MSG_FLAG_MORE, 2);
IS(SERVICE_NAME_MAX, 128);
FIELD(struct doca_comm_channel_peer_addr_info, vport, uint16_t);
FIELD(struct doca_comm_channel_peer_addr_info, msgsize, uint32_t);
FIELD(struct doca_comm_channel_peer_addr_info, maxmsgs, uint32_t);
FIELD(struct doca_comm_channel_peer_addr_info, curmsgs, uint32_t);
FIELD(struct doca_comm_channel_peer_addr_info, rx_msgs, uint64_t);
FIELD(struct doca_comm_channel_peer_addr_info, tx_msgs, uint64_t);
FIELD(struct doca_comm_channel_peer_addr_info, rx_bytes, uint64_t);
FIELD(struct doca_comm_channel_peer_addr_info, tx_bytes, uint64_t);
#endif
#if IN(200, 208)
IS(DOCA_CC_MSG_FLAG_NONE, 0);
SAME(doca_comm_channel_get_max_service_name_len, doca_error_t (*)(uint32_t *max_service_name_len));
SAME(doca_comm_channel_get_max_message_size,
     doca_error_t (*)(struct doca_devinfo *devinfo, uint32_t *max_message_size));
SAME(doca_comm_channel_get_max_send_queue_size,
     doca_error_t (*)(struct doca_devinfo *devinfo, uint32_t *max_send_queue_size));
SAME(doca_comm_channel_get_max_recv_queue_size,
     doca_error_t (*)(struct doca_devinfo *devinfo, uint32_t *max_recv_queue_size));
SAME(doca_comm_channel_get_service_max_num_connections,
     doca_error_t (*)(struct doca_devinfo *devinfo, uint32_t *max_num_connections));
SAME(doca_comm_channel_ep_create, doca_error_t (*)(struct doca_comm_channel_ep_t **ep));
SAME(doca_comm_channel_ep_get_device,
     doca_error_t (*)(struct doca_comm_channel_ep_t *ep, struct doca_dev **device));
SAME(doca_comm_channel_ep_get_device_rep,
     doca_error_t (*)(struct doca_comm_channel_ep_t *ep, struct doca_dev_rep **device_rep));
SAME(doca_comm_channel_ep_get_max_msg_size,
     doca_error_t (*)(struct doca_comm_channel_ep_t *ep, uint16_t *max_msg_size));
SAME(doca_comm_channel_ep_get_send_queue_size,
     doca_error_t (*)(struct doca_comm_channel_ep_t *ep, uint16_t *send_queue_size));
SAME(doca_comm_channel_ep_get_recv_queue_size,
     doca_error_t (*)(struct doca_comm_channel_ep_t *ep, uint16_t *recv_queue_size));
SAME(doca_comm_channel_ep_set_device,
     doca_error_t (*)(struct doca_comm_channel_ep_t *ep, struct doca_dev *device));
SAME(doca_comm_channel_ep_set_device_rep,
     doca_error_t (*)(struct doca_comm_channel_ep_t *ep, struct doca_dev_rep *device_rep));
SAME(doca_comm_channel_ep_set_max_msg_size,
     doca_error_t (*)(struct doca_comm_channel_ep_t *ep, uint16_t max_msg_size));
SAME(doca_comm_channel_ep_set_send_queue_size,
     doca_error_t (*)(struct doca_comm_channel_ep_t *ep, uint16_t send_queue_size));
SAME(doca_comm_channel_ep_set_recv_queue_size,
     doca_error_t (*)(struct doca_comm_channel_ep_t *ep, uint16_t recv_queue_size));
SAME_TYPE(doca_event_channel_t, doca_event_handle_t);
SAME(doca_comm_channel_ep_get_event_channel,
     doca_error_t (*)(struct doca_comm_channel_ep_t *local_ep,
		      doca_event_channel_t *send_event_channel,
		      doca_event_channel_t *recv_event_channel));
SAME(doca_comm_channel_ep_get_service_event_channel,
     doca_error_t (*)(struct doca_comm_channel_ep_t *local_ep,
		      doca_event_channel_t *service_event_channel));
SAME(doca_comm_channel_ep_event_handle_arm_send,
     doca_error_t (*)(struct doca_comm_channel_ep_t *local_ep));
SAME(doca_comm_channel_ep_event_handle_arm_recv,
     doca_error_t (*)(struct doca_comm_channel_ep_t *local_ep));
SAME(doca_comm_channel_peer_addr_get_user_data,
     doca_error_t (*)(struct doca_comm_channel_addr_t *peer_addr, uint64_t *user_data));
SAME(doca_comm_channel_peer_addr_set_user_data,
     doca_error_t (*)(struct doca_comm_channel_addr_t *peer_addr, uint64_t user_context));
SAME(doca_comm_channel_peer_addr_update_info,
     doca_error_t (*)(struct doca_comm_channel_addr_t *peer_addr));
SAME(doca_comm_channel_peer_addr_get_send_messages,
     doca_error_t (*)(const struct doca_comm_channel_addr_t *peer_addr, uint64_t *send_messages));
SAME(doca_comm_channel_peer_addr_get_send_bytes,
     doca_error_t (*)(const struct doca_comm_channel_addr_t *peer_addr, uint64_t *send_bytes));
SAME(doca_comm_channel_peer_addr_get_recv_messages,
     doca_error_t (*)(const struct doca_comm_channel_addr_t *peer_addr, uint64_t *recv_messages));
SAME(doca_comm_channel_peer_addr_get_recv_bytes,
     doca_error_t (*)(const struct doca_comm_channel_addr_t *peer_addr, uint64_t *recv_bytes));
SAME(doca_comm_channel_peer_addr_get_send_in_flight_messages,
     doca_error_t (*)(const struct doca_comm_channel_addr_t *peer_addr,
		      uint64_t *send_in_flight_messages));
SAME(doca_comm_channel_ep_update_service_state_info,
     doca_error_t (*)(struct doca_comm_channel_ep_t *local_ep));
SAME(doca_comm_channel_ep_get_peer_addr_list,
     doca_error_t (*)(const struct doca_comm_channel_ep_t *local_ep,
		      struct doca_comm_channel_addr_t ***peer_addr_array,
		      uint32_t *peer_addr_array_len));
SAME(doca_comm_channel_ep_get_pending_connections,
     doca_error_t (*)(const struct doca_comm_channel_ep_t *local_ep,
		      uint32_t *pending_connections));
#endif

/* doca_cc.h */
#if IN(205, 206)
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
SAME(doca_cc_server_create, doca_error_t (*)(struct doca_dev *dev, struct doca_dev_rep *repr,
					     const char *name, struct doca_cc_server **cc_server));
SAME(doca_cc_server_destroy, doca_error_t (*)(struct doca_cc_server *cc_server));
SAME(doca_cc_cap_server_is_supported, doca_error_t (*)(const struct doca_devinfo *devinfo));
SAME(doca_cc_server_get_device,
     doca_error_t (*)(const struct doca_cc_server *cc_server, struct doca_dev **dev));
SAME(doca_cc_server_get_device_repr,
     doca_error_t (*)(const struct doca_cc_server *cc_server, struct doca_dev_rep **repr));
SAME(doca_cc_server_as_ctx, struct doca_ctx *(*)(struct doca_cc_server *cc_server));
SAME(doca_cc_client_create,
     doca_error_t (*)(struct doca_dev *dev, const char *name, struct doca_cc_client **cc_client));
SAME(doca_cc_client_destroy, doca_error_t (*)(struct doca_cc_client *cc_client));
SAME(doca_cc_cap_client_is_supported, doca_error_t (*)(const struct doca_devinfo *devinfo));
SAME(doca_cc_client_get_device,
     doca_error_t (*)(const struct doca_cc_client *cc_client, struct doca_dev **dev));
SAME(doca_cc_client_as_ctx, struct doca_ctx *(*)(struct doca_cc_client *cc_client));
SAME(doca_cc_client_get_connection, doca_error_t (*)(const struct doca_cc_client *cc_client,
						     struct doca_cc_connection **connection));
SAME(doca_cc_server_event_msg_recv_register,
     doca_error_t (*)(struct doca_cc_server *cc_server, doca_cc_event_msg_recv_cb_t recv_event_cb));
SAME(doca_cc_client_event_msg_recv_register,
     doca_error_t (*)(struct doca_cc_client *cc_client, doca_cc_event_msg_recv_cb_t recv_event_cb));
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
#endif
#if IN(205, 205)
SAME(doca_cc_cap_get_max_msg_size,
     doca_error_t (*)(const struct doca_devinfo *devinfo, size_t *size));
SAME(doca_cc_cap_get_max_recv_queue_size,
     doca_error_t (*)(const struct doca_devinfo *devinfo, size_t *size));
SAME(doca_cc_cap_get_max_clients,
     doca_error_t (*)(const struct doca_devinfo *devinfo, size_t *num_clients));
SAME(doca_cc_server_set_max_msg_size,
     doca_error_t (*)(struct doca_cc_server *cc_server, size_t size));
SAME(doca_cc_server_get_max_msg_size,
     doca_error_t (*)(const struct doca_cc_server *cc_server, size_t *size));
SAME(doca_cc_server_set_recv_queue_size,
     doca_error_t (*)(struct doca_cc_server *cc_server, size_t size));
SAME(doca_cc_server_get_recv_queue_size,
     doca_error_t (*)(const struct doca_cc_server *cc_server, size_t *size));
SAME(doca_cc_client_set_max_msg_size,
     doca_error_t (*)(struct doca_cc_client *cc_client, size_t size));
SAME(doca_cc_client_get_max_msg_size,
     doca_error_t (*)(const struct doca_cc_client *cc_client, size_t *size));
SAME(doca_cc_client_set_recv_queue_size,
     doca_error_t (*)(struct doca_cc_client *cc_client, size_t size));
SAME(doca_cc_client_get_recv_queue_size,
     doca_error_t (*)(const struct doca_cc_client *cc_client, size_t *size));
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
SAME_TYPE(doca_cc_event_connection_status_changed_cb_t,
	  void (*)(struct doca_cc_event_connection_status_changed *event,
		   struct doca_cc_connection *cc_connection, bool change_successful));
#endif
#if IN(206, 206)
SAME(doca_cc_cap_get_max_msg_size,
     doca_error_t (*)(const struct doca_devinfo *devinfo, uint32_t *size));
SAME(doca_cc_cap_get_max_recv_queue_size,
     doca_error_t (*)(const struct doca_devinfo *devinfo, uint32_t *size));
SAME(doca_cc_cap_get_max_clients,
     doca_error_t (*)(const struct doca_devinfo *devinfo, uint32_t *num_clients));
SAME(doca_cc_server_set_max_msg_size,
     doca_error_t (*)(struct doca_cc_server *cc_server, uint32_t size));
SAME(doca_cc_server_get_max_msg_size,
     doca_error_t (*)(const struct doca_cc_server *cc_server, uint32_t *size));
SAME(doca_cc_server_set_recv_queue_size,
     doca_error_t (*)(struct doca_cc_server *cc_server, uint32_t size));
SAME(doca_cc_server_get_recv_queue_size,
     doca_error_t (*)(const struct doca_cc_server *cc_server, uint32_t *size));
SAME(doca_cc_client_set_max_msg_size,
     doca_error_t (*)(struct doca_cc_client *cc_client, uint32_t size));
SAME(doca_cc_client_get_max_msg_size,
     doca_error_t (*)(const struct doca_cc_client *cc_client, uint32_t *size));
SAME(doca_cc_client_set_recv_queue_size,
     doca_error_t (*)(struct doca_cc_client *cc_client, uint32_t size));
SAME(doca_cc_client_get_recv_queue_size,
     doca_error_t (*)(const struct doca_cc_client *cc_client, uint32_t *size));
SAME_TYPE(doca_cc_task_send_completion_cb_t,
	  void (*)(struct doca_cc_task_send *task, union doca_data task_user_data,
		   union doca_data ctx_user_data));
SAME(doca_cc_cap_get_max_send_tasks,
     doca_error_t (*)(const struct doca_devinfo *devinfo, uint32_t *max_send_tasks));
SAME(doca_cc_server_task_send_set_conf,
     doca_error_t (*)(struct doca_cc_server *cc_server,
		      doca_cc_task_send_completion_cb_t task_completion_cb,
		      doca_cc_task_send_completion_cb_t task_error_cb, uint32_t num_send_tasks));
SAME(doca_cc_client_task_send_set_conf,
     doca_error_t (*)(struct doca_cc_client *cc_client,
		      doca_cc_task_send_completion_cb_t task_completion_cb,
		      doca_cc_task_send_completion_cb_t task_error_cb, uint32_t num_send_tasks));
SAME(doca_cc_server_task_send_alloc_init,
     doca_error_t (*)(struct doca_cc_server *cc_server, struct doca_cc_connection *peer,
		      const void *msg, uint32_t len, struct doca_cc_task_send **task));
SAME(doca_cc_client_task_send_alloc_init,
     doca_error_t (*)(struct doca_cc_client *cc_client, struct doca_cc_connection *peer,
		      const void *msg, uint32_t len, struct doca_cc_task_send **task));
SAME(doca_cc_task_send_as_task, struct doca_task *(*)(struct doca_cc_task_send *task));
SAME_TYPE(doca_cc_event_msg_recv_cb_t,
	  void (*)(struct doca_cc_event_msg_recv *event, uint8_t *recv_buffer, uint32_t msg_len,
		   struct doca_cc_connection *cc_connection));
SAME_TYPE(doca_cc_event_connection_status_changed_cb_t,
	  void (*)(struct doca_cc_event_connection_status_changed *event,
		   struct doca_cc_connection *cc_connection, uint8_t change_successful));
#endif

/* doca_cc_consumer.h */
#if IN(205, 206)
SAME(doca_cc_consumer_create,
     doca_error_t (*)(struct doca_cc_connection *cc_connection, struct doca_mmap *buf_mmap,
		      struct doca_cc_consumer **consumer));
SAME(doca_cc_consumer_destroy, doca_error_t (*)(struct doca_cc_consumer *consumer));
SAME(doca_cc_consumer_get_id,
     doca_error_t (*)(const struct doca_cc_consumer *consumer, uint32_t *id));
SAME(doca_cc_consumer_as_ctx, struct doca_ctx *(*)(struct doca_cc_consumer *consumer));
#endif
#if IN(205, 205)
SAME(doca_cc_cap_is_consumer_supported, doca_error_t (*)(const struct doca_devinfo *devinfo));
SAME(doca_cc_consumer_cap_get_max_log_num_tasks,
     doca_error_t (*)(const struct doca_devinfo *devinfo, size_t *max_log_num_tasks));
SAME(doca_cc_consumer_cap_get_max_buf_size,
     doca_error_t (*)(const struct doca_devinfo *devinfo, size_t *max_buf_size));
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
SAME(doca_cc_producer_send_task_get_consumer_id, int (*)(struct doca_cc_producer_send_task *task));
SAME(doca_cc_producer_send_task_set_consumer_id,
     void (*)(struct doca_cc_producer_send_task *task, const int consumer_id));
#endif
#if IN(206, 206)
SAME(doca_cc_consumer_cap_is_supported, doca_error_t (*)(const struct doca_devinfo *devinfo));
SAME(doca_cc_consumer_cap_get_max_num_tasks,
     doca_error_t (*)(const struct doca_devinfo *devinfo, uint32_t *max_num_tasks));
SAME(doca_cc_consumer_cap_get_max_buf_size,
     doca_error_t (*)(const struct doca_devinfo *devinfo, uint32_t *max_buf_size));
SAME(doca_cc_consumer_cap_get_max_consumers,
     doca_error_t (*)(const struct doca_devinfo *devinfo, uint32_t *max_consumers));
SAME_TYPE(doca_cc_consumer_task_post_recv_completion_cb_t,
	  void (*)(struct doca_cc_consumer_task_post_recv *task, union doca_data task_user_data,
		   union doca_data ctx_user_data));
SAME(doca_cc_consumer_task_post_recv_set_conf,
     doca_error_t (*)(struct doca_cc_consumer *consumer,
		      doca_cc_consumer_task_post_recv_completion_cb_t task_completion_cb,
		      doca_cc_consumer_task_post_recv_completion_cb_t task_error_cb,
		      uint32_t num_post_recv_tasks));
SAME(doca_cc_consumer_task_post_recv_alloc_init,
     doca_error_t (*)(struct doca_cc_consumer *consumer, struct doca_buf *buf,
		      struct doca_cc_consumer_task_post_recv **task));
SAME(doca_cc_consumer_task_post_recv_get_buf,
     struct doca_buf *(*)(struct doca_cc_consumer_task_post_recv *task));
SAME(doca_cc_consumer_task_post_recv_set_buf,
     void (*)(struct doca_cc_consumer_task_post_recv *task, struct doca_buf *buf));
SAME(doca_cc_consumer_task_post_recv_get_producer_id,
     uint32_t (*)(struct doca_cc_consumer_task_post_recv *task));
SAME(doca_cc_consumer_task_post_recv_as_task,
     struct doca_task *(*)(struct doca_cc_consumer_task_post_recv *task));
SAME(doca_cc_producer_task_send_get_consumer_id,
     uint32_t (*)(struct doca_cc_producer_task_send *task));
SAME(doca_cc_producer_task_send_set_consumer_id,
     void (*)(struct doca_cc_producer_task_send *task, const uint32_t consumer_id));
#endif

/* doca_cc_producer.h */
#if IN(205, 206)
SAME(doca_cc_producer_create, doca_error_t (*)(struct doca_cc_connection *cc_connection,
					       struct doca_cc_producer **producer));
SAME(doca_cc_producer_destroy, doca_error_t (*)(struct doca_cc_producer *producer));
SAME(doca_cc_producer_as_ctx, struct doca_ctx *(*)(struct doca_cc_producer *producer));
#endif
#if IN(205, 205)
SAME(doca_cc_cap_is_producer_supported, doca_error_t (*)(const struct doca_devinfo *devinfo));
SAME(doca_cc_producer_cap_get_max_log_num_tasks,
     doca_error_t (*)(const struct doca_devinfo *devinfo, size_t *max_log_num_tasks));
SAME(doca_cc_producer_cap_get_max_buf_size,
     doca_error_t (*)(const struct doca_devinfo *devinfo, size_t *max_buf_size));
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
SAME(doca_cc_producer_send_task_as_task,
     struct doca_task *(*)(struct doca_cc_producer_send_task *task));
#endif
#if IN(206, 206)
SAME(doca_cc_producer_cap_is_supported, doca_error_t (*)(const struct doca_devinfo *devinfo));
SAME(doca_cc_producer_get_id,
     doca_error_t (*)(const struct doca_cc_producer *producer, uint32_t *id));
SAME(doca_cc_producer_cap_get_max_num_tasks,
     doca_error_t (*)(const struct doca_devinfo *devinfo, uint32_t *max_num_tasks));
SAME(doca_cc_producer_cap_get_max_buf_size,
     doca_error_t (*)(const struct doca_devinfo *devinfo, uint32_t *max_buf_size));
SAME(doca_cc_producer_cap_get_max_producers,
     doca_error_t (*)(const struct doca_devinfo *devinfo, uint32_t *max_producers));
SAME_TYPE(doca_cc_producer_task_send_completion_cb_t,
	  void (*)(struct doca_cc_producer_task_send *task, union doca_data task_user_data,
		   union doca_data ctx_user_data));
SAME(doca_cc_producer_task_send_set_conf,
     doca_error_t (*)(struct doca_cc_producer *producer,
		      doca_cc_producer_task_send_completion_cb_t task_completion_cb,
		      doca_cc_producer_task_send_completion_cb_t task_error_cb,
		      uint32_t num_send_tasks));
SAME(doca_cc_producer_task_send_alloc_init,
     doca_error_t (*)(struct doca_cc_producer *producer, struct doca_buf *buf, uint32_t consumer_id,
		      struct doca_cc_producer_task_send **task));
SAME(doca_cc_producer_task_send_get_buf,
     struct doca_buf *(*)(struct doca_cc_producer_task_send *task));
SAME(doca_cc_producer_task_send_set_buf,
     void (*)(struct doca_cc_producer_task_send *task, struct doca_buf *buf));
SAME(doca_cc_producer_task_send_as_task,
     struct doca_task *(*)(struct doca_cc_producer_task_send *task));
#endif

/* doca_comch.h */
#if IN(207, 999)
SAME_TYPE(doca_comch_task_send_completion_cb_t,
	  void (*)(struct doca_comch_task_send *task, union doca_data task_user_data,
		   union doca_data ctx_user_data));
SAME_TYPE(doca_comch_event_msg_recv_cb_t,
	  void (*)(struct doca_comch_event_msg_recv *event, uint8_t *recv_buffer, uint32_t msg_len,
		   struct doca_comch_connection *comch_connection));
SAME_TYPE(doca_comch_event_connection_status_changed_cb_t,
	  void (*)(struct doca_comch_event_connection_status_changed *event,
		   struct doca_comch_connection *comch_connection, uint8_t change_successful));
SAME_TYPE(doca_comch_event_consumer_cb_t,
	  void (*)(struct doca_comch_event_consumer *event,
		   struct doca_comch_connection *comch_connection, uint32_t id));
SAME(doca_comch_connection_set_user_data,
     doca_error_t (*)(struct doca_comch_connection *connection, union doca_data user_data));
SAME(doca_comch_connection_get_user_data,
     union doca_data (*)(const struct doca_comch_connection *connection));
SAME(doca_comch_server_get_server_ctx,
     struct doca_comch_server *(*)(const struct doca_comch_connection *connection));
SAME(doca_comch_client_get_client_ctx,
     struct doca_comch_client *(*)(const struct doca_comch_connection *connection));
SAME(doca_comch_cap_get_max_name_len,
     doca_error_t (*)(const struct doca_devinfo *devinfo, uint32_t *max_name_len));
SAME(doca_comch_cap_get_max_msg_size,
     doca_error_t (*)(const struct doca_devinfo *devinfo, uint32_t *size));
SAME(doca_comch_cap_get_max_recv_queue_size,
     doca_error_t (*)(const struct doca_devinfo *devinfo, uint32_t *size));
SAME(doca_comch_cap_get_max_clients,
     doca_error_t (*)(const struct doca_devinfo *devinfo, uint32_t *num_clients));
SAME(doca_comch_server_create,
     doca_error_t (*)(struct doca_dev *dev, struct doca_dev_rep *repr, const char *name,
		      struct doca_comch_server **comch_server));
SAME(doca_comch_server_destroy, doca_error_t (*)(struct doca_comch_server *comch_server));
SAME(doca_comch_cap_server_is_supported, doca_error_t (*)(const struct doca_devinfo *devinfo));
SAME(doca_comch_server_set_max_msg_size,
     doca_error_t (*)(struct doca_comch_server *comch_server, uint32_t size));
SAME(doca_comch_server_get_max_msg_size,
     doca_error_t (*)(const struct doca_comch_server *comch_server, uint32_t *size));
SAME(doca_comch_server_set_recv_queue_size,
     doca_error_t (*)(struct doca_comch_server *comch_server, uint32_t size));
SAME(doca_comch_server_get_recv_queue_size,
     doca_error_t (*)(const struct doca_comch_server *comch_server, uint32_t *size));
SAME(doca_comch_server_get_device,
     doca_error_t (*)(const struct doca_comch_server *comch_server, struct doca_dev **dev));
SAME(doca_comch_server_get_device_rep,
     doca_error_t (*)(const struct doca_comch_server *comch_server, struct doca_dev_rep **rep));
SAME(doca_comch_server_as_ctx, struct doca_ctx *(*)(struct doca_comch_server *comch_server));
SAME(doca_comch_server_disconnect, doca_error_t (*)(struct doca_comch_server *comch_server,
						    struct doca_comch_connection *connection));
SAME(doca_comch_client_create, doca_error_t (*)(struct doca_dev *dev, const char *name,
						struct doca_comch_client **comch_client));
SAME(doca_comch_client_destroy, doca_error_t (*)(struct doca_comch_client *comch_client));
SAME(doca_comch_cap_client_is_supported, doca_error_t (*)(const struct doca_devinfo *devinfo));
SAME(doca_comch_client_set_max_msg_size,
     doca_error_t (*)(struct doca_comch_client *comch_client, uint32_t size));
SAME(doca_comch_client_get_max_msg_size,
     doca_error_t (*)(const struct doca_comch_client *comch_client, uint32_t *size));
SAME(doca_comch_client_set_recv_queue_size,
     doca_error_t (*)(struct doca_comch_client *comch_client, uint32_t size));
SAME(doca_comch_client_get_recv_queue_size,
     doca_error_t (*)(const struct doca_comch_client *comch_client, uint32_t *size));
SAME(doca_comch_client_get_device,
     doca_error_t (*)(const struct doca_comch_client *comch_client, struct doca_dev **dev));
SAME(doca_comch_client_as_ctx, struct doca_ctx *(*)(struct doca_comch_client *comch_client));
SAME(doca_comch_client_get_connection,
     doca_error_t (*)(const struct doca_comch_client *comch_client,
		      struct doca_comch_connection **connection));
SAME(doca_comch_cap_get_max_send_tasks,
     doca_error_t (*)(const struct doca_devinfo *devinfo, uint32_t *max_send_tasks));
SAME(doca_comch_server_task_send_set_conf,
     doca_error_t (*)(struct doca_comch_server *comch_server,
		      doca_comch_task_send_completion_cb_t task_completion_cb,
		      doca_comch_task_send_completion_cb_t task_error_cb, uint32_t num_send_tasks));
SAME(doca_comch_client_task_send_set_conf,
     doca_error_t (*)(struct doca_comch_client *comch_client,
		      doca_comch_task_send_completion_cb_t task_completion_cb,
		      doca_comch_task_send_completion_cb_t task_error_cb, uint32_t num_send_tasks));
SAME(doca_comch_server_task_send_alloc_init,
     doca_error_t (*)(struct doca_comch_server *comch_server, struct doca_comch_connection *peer,
		      const void *msg, uint32_t len, struct doca_comch_task_send **task));
SAME(doca_comch_client_task_send_alloc_init,
     doca_error_t (*)(struct doca_comch_client *comch_client, struct doca_comch_connection *peer,
		      const void *msg, uint32_t len, struct doca_comch_task_send **task));
SAME(doca_comch_task_send_as_task, struct doca_task *(*)(struct doca_comch_task_send *task));
SAME(doca_comch_server_event_msg_recv_register,
     doca_error_t (*)(struct doca_comch_server *comch_server,
		      doca_comch_event_msg_recv_cb_t recv_event_cb));
SAME(doca_comch_client_event_msg_recv_register,
     doca_error_t (*)(struct doca_comch_client *comch_client,
		      doca_comch_event_msg_recv_cb_t recv_event_cb));
SAME(doca_comch_server_event_connection_status_changed_register,
     doca_error_t (*)(struct doca_comch_server *comch_server,
		      doca_comch_event_connection_status_changed_cb_t connect_event_cb,
		      doca_comch_event_connection_status_changed_cb_t disconnect_event_cb));
SAME(doca_comch_connection_update_info,
     doca_error_t (*)(struct doca_comch_connection *comch_connection));
SAME(doca_comch_connection_get_counter,
     doca_error_t (*)(const struct doca_comch_connection *comch_connection,
		      enum doca_comch_counter counter_type, uint64_t *counter_value));
SAME(doca_comch_server_event_consumer_register,
     doca_error_t (*)(struct doca_comch_server *comch_server,
		      doca_comch_event_consumer_cb_t new_consumer_event_cb,
		      doca_comch_event_consumer_cb_t expired_consumer_event_cb));
SAME(doca_comch_client_event_consumer_register,
     doca_error_t (*)(struct doca_comch_client *comch_client,
		      doca_comch_event_consumer_cb_t new_consumer_event_cb,
		      doca_comch_event_consumer_cb_t expired_consumer_event_cb));
IS(DOCA_COMCH_COUNTER_SENT_MESSAGES, 1);
IS(DOCA_COMCH_COUNTER_SENT_BYTES, 2);
IS(DOCA_COMCH_COUNTER_RECV_MESSAGES, 3);
IS(DOCA_COMCH_COUNTER_RECV_BYTES, 4);
#endif
#if IN(207, 209)
SAME(doca_comch_server_get_device_repr,
     doca_error_t (*)(const struct doca_comch_server *comch_server, struct doca_dev_rep **rep));
#endif

/* doca_comch_consumer.h */
#if IN(207, 999)
SAME_TYPE(doca_dpa_dev_comch_consumer_completion_t, uint64_t);
SAME_TYPE(doca_dpa_dev_comch_consumer_t, uint64_t);
SAME(doca_comch_consumer_create,
     doca_error_t (*)(struct doca_comch_connection *comch_connection, struct doca_mmap *buf_mmap,
		      struct doca_comch_consumer **consumer));
SAME(doca_comch_consumer_destroy, doca_error_t (*)(struct doca_comch_consumer *consumer));
SAME(doca_comch_consumer_cap_is_supported, doca_error_t (*)(const struct doca_devinfo *devinfo));
SAME(doca_comch_consumer_get_id,
     doca_error_t (*)(const struct doca_comch_consumer *consumer, uint32_t *id));
SAME(doca_comch_consumer_cap_get_max_num_tasks,
     doca_error_t (*)(const struct doca_devinfo *devinfo, uint32_t *max_num_tasks));
SAME(doca_comch_consumer_cap_get_max_buf_size,
     doca_error_t (*)(const struct doca_devinfo *devinfo, uint32_t *max_buf_size));
SAME(doca_comch_consumer_cap_get_max_buf_list_len,
     doca_error_t (*)(const struct doca_devinfo *devinfo, uint32_t *max_buf_list_len));
SAME(doca_comch_consumer_cap_get_max_consumers,
     doca_error_t (*)(const struct doca_devinfo *devinfo, uint32_t *max_consumers));
SAME(doca_comch_consumer_cap_get_max_imm_data_len,
     doca_error_t (*)(const struct doca_devinfo *devinfo, uint32_t *max_imm_data_len));
SAME(doca_comch_consumer_get_imm_data_len,
     doca_error_t (*)(const struct doca_comch_consumer *consumer, uint32_t *imm_data_len));
SAME(doca_comch_consumer_set_imm_data_len,
     doca_error_t (*)(struct doca_comch_consumer *consumer, uint32_t imm_data_len));
SAME(doca_comch_consumer_as_ctx, struct doca_ctx *(*)(struct doca_comch_consumer *consumer));
SAME(doca_comch_consumer_completion_create,
     doca_error_t (*)(struct doca_comch_consumer_completion **consumer_comp));
SAME(doca_comch_consumer_completion_set_dpa_thread,
     doca_error_t (*)(struct doca_comch_consumer_completion *consumer_comp,
		      struct doca_dpa_thread *dpa_thread));
SAME(doca_comch_consumer_completion_destroy,
     doca_error_t (*)(struct doca_comch_consumer_completion *consumer_comp));
SAME(doca_comch_consumer_completion_start,
     doca_error_t (*)(struct doca_comch_consumer_completion *consumer_comp));
SAME(doca_comch_consumer_completion_stop,
     doca_error_t (*)(struct doca_comch_consumer_completion *consumer_comp));
SAME(doca_comch_consumer_completion_get_dpa_handle,
     doca_error_t (*)(struct doca_comch_consumer_completion *consumer_comp,
		      doca_dpa_dev_comch_consumer_completion_t *consumer_comp_handle));
SAME(doca_comch_consumer_completion_set_max_num_consumers,
     doca_error_t (*)(struct doca_comch_consumer_completion *consumer_comp,
		      uint32_t max_num_consumers));
SAME(doca_comch_consumer_completion_get_max_num_consumers,
     doca_error_t (*)(const struct doca_comch_consumer_completion *consumer_comp,
		      uint32_t *max_num_consumers));
SAME(doca_comch_consumer_completion_set_max_num_recv,
     doca_error_t (*)(struct doca_comch_consumer_completion *consumer_comp, uint32_t max_num_recv));
SAME(doca_comch_consumer_completion_get_max_num_recv,
     doca_error_t (*)(const struct doca_comch_consumer_completion *consumer_comp,
		      uint32_t *max_num_recv));
SAME(doca_comch_consumer_completion_set_imm_data_len,
     doca_error_t (*)(struct doca_comch_consumer_completion *consumer_comp, uint32_t imm_data_len));
SAME(doca_comch_consumer_completion_get_imm_data_len,
     doca_error_t (*)(const struct doca_comch_consumer_completion *consumer_comp,
		      uint32_t *imm_data_len));
SAME(doca_comch_consumer_set_dev_max_num_recv,
     doca_error_t (*)(struct doca_comch_consumer *consumer, uint32_t dev_num_recv));
SAME(doca_comch_consumer_set_completion,
     doca_error_t (*)(struct doca_comch_consumer *consumer,
		      struct doca_comch_consumer_completion *consumer_comp, uint32_t user_data));
SAME(doca_comch_consumer_get_dpa_handle,
     doca_error_t (*)(struct doca_comch_consumer *consumer,
		      doca_dpa_dev_comch_consumer_t *dpa_consumer));
SAME_TYPE(doca_comch_consumer_task_post_recv_completion_cb_t,
	  void (*)(struct doca_comch_consumer_task_post_recv *task, union doca_data task_user_data,
		   union doca_data ctx_user_data));
SAME(doca_comch_consumer_task_post_recv_set_conf,
     doca_error_t (*)(struct doca_comch_consumer *consumer,
		      doca_comch_consumer_task_post_recv_completion_cb_t task_completion_cb,
		      doca_comch_consumer_task_post_recv_completion_cb_t task_error_cb,
		      uint32_t num_post_recv_tasks));
SAME(doca_comch_consumer_task_post_recv_alloc_init,
     doca_error_t (*)(struct doca_comch_consumer *consumer, struct doca_buf *buf,
		      struct doca_comch_consumer_task_post_recv **task));
SAME(doca_comch_consumer_task_post_recv_get_buf,
     struct doca_buf *(*)(const struct doca_comch_consumer_task_post_recv *task));
SAME(doca_comch_consumer_task_post_recv_set_buf,
     void (*)(struct doca_comch_consumer_task_post_recv *task, struct doca_buf *buf));
SAME(doca_comch_consumer_task_post_recv_get_producer_id,
     uint32_t (*)(const struct doca_comch_consumer_task_post_recv *task));
SAME(doca_comch_consumer_task_post_recv_get_imm_data,
     const uint8_t *(*)(const struct doca_comch_consumer_task_post_recv *task));
SAME(doca_comch_consumer_task_post_recv_get_imm_data_len,
     uint32_t (*)(const struct doca_comch_consumer_task_post_recv *task));
SAME(doca_comch_consumer_task_post_recv_as_task,
     struct doca_task *(*)(struct doca_comch_consumer_task_post_recv *task));
SAME(doca_comch_consumer_get_gpu_handle,
     doca_error_t (*)(struct doca_comch_consumer *consumer,
		      struct doca_comch_gpu_consumer **gpu_consumer));
#endif

/* doca_comch_producer.h */
#if IN(207, 999)
SAME_TYPE(doca_dpa_dev_comch_producer_t, uint64_t);
SAME(doca_comch_producer_create, doca_error_t (*)(struct doca_comch_connection *comch_connection,
						  struct doca_comch_producer **producer));
SAME(doca_comch_producer_destroy, doca_error_t (*)(struct doca_comch_producer *producer));
SAME(doca_comch_producer_cap_is_supported, doca_error_t (*)(const struct doca_devinfo *devinfo));
SAME(doca_comch_producer_get_id,
     doca_error_t (*)(const struct doca_comch_producer *producer, uint32_t *id));
SAME(doca_comch_producer_cap_get_max_num_tasks,
     doca_error_t (*)(const struct doca_devinfo *devinfo, uint32_t *max_num_tasks));
SAME(doca_comch_producer_cap_get_max_buf_size,
     doca_error_t (*)(const struct doca_devinfo *devinfo, uint32_t *max_buf_size));
SAME(doca_comch_producer_cap_get_max_buf_list_len,
     doca_error_t (*)(const struct doca_devinfo *devinfo, uint32_t *max_buf_list_len));
SAME(doca_comch_producer_cap_get_max_producers,
     doca_error_t (*)(const struct doca_devinfo *devinfo, uint32_t *max_producers));
SAME(doca_comch_producer_as_ctx, struct doca_ctx *(*)(struct doca_comch_producer *producer));
SAME(doca_comch_producer_set_dev_max_num_send,
     doca_error_t (*)(struct doca_comch_producer *producer, uint32_t dev_num_send));
SAME(doca_comch_producer_dpa_completion_attach,
     doca_error_t (*)(struct doca_comch_producer *producer, struct doca_dpa_completion *dpa_comp));
SAME(doca_comch_producer_get_dpa_handle,
     doca_error_t (*)(struct doca_comch_producer *producer,
		      doca_dpa_dev_comch_producer_t *dpa_producer));
SAME_TYPE(doca_comch_producer_task_send_completion_cb_t,
	  void (*)(struct doca_comch_producer_task_send *task, union doca_data task_user_data,
		   union doca_data ctx_user_data));
SAME(doca_comch_producer_task_send_set_conf,
     doca_error_t (*)(struct doca_comch_producer *producer,
		      doca_comch_producer_task_send_completion_cb_t task_completion_cb,
		      doca_comch_producer_task_send_completion_cb_t task_error_cb,
		      uint32_t num_send_tasks));
SAME(doca_comch_producer_task_send_alloc_init,
     doca_error_t (*)(struct doca_comch_producer *producer, const struct doca_buf *buf,
		      uint8_t *imm_data, uint32_t imm_data_len, uint32_t consumer_id,
		      struct doca_comch_producer_task_send **task));
SAME(doca_comch_producer_task_send_get_buf,
     const struct doca_buf *(*)(const struct doca_comch_producer_task_send *task));
SAME(doca_comch_producer_task_send_set_buf,
     void (*)(struct doca_comch_producer_task_send *task, const struct doca_buf *buf));
SAME(doca_comch_producer_task_send_get_consumer_id,
     uint32_t (*)(const struct doca_comch_producer_task_send *task));
SAME(doca_comch_producer_task_send_set_consumer_id,
     void (*)(struct doca_comch_producer_task_send *task, const uint32_t consumer_id));
SAME(doca_comch_producer_task_send_get_imm_data,
     uint8_t *(*)(const struct doca_comch_producer_task_send *task));
SAME(doca_comch_producer_task_send_get_imm_data_len,
     uint32_t (*)(const struct doca_comch_producer_task_send *task));
SAME(doca_comch_producer_task_send_set_imm_data,
     void (*)(struct doca_comch_producer_task_send *task, uint8_t *imm_data,
	      uint32_t imm_data_len));
SAME(doca_comch_producer_task_send_as_task,
     struct doca_task *(*)(struct doca_comch_producer_task_send *task));
SAME(doca_comch_producer_get_gpu_handle,
     doca_error_t (*)(struct doca_comch_producer *producer,
		      struct doca_comch_gpu_producer **gpu_producer));
#endif

/* doca_log.h */
#if IN(200, 999)
IS(DOCA_LOG_LEVEL_CRIT, 20);
IS(DOCA_LOG_LEVEL_ERROR, 30);
IS(DOCA_LOG_LEVEL_WARNING, 40);
IS(DOCA_LOG_LEVEL_INFO, 50);
IS(DOCA_LOG_LEVEL_DEBUG, 60);
SAME_TYPE(log_flush_callback, void (*)(char *buf));
#endif
#if IN(103, 204)
SAME(doca_log_get_bucket_time, uint16_t (*)(void));
SAME(doca_log_set_bucket_time, void (*)(uint16_t bucket_time));
SAME(doca_log_get_quantity, uint16_t (*)(void));
SAME(doca_log_set_quantity, void (*)(uint16_t quantity));
SAME(doca_log_backend_level_set,
     doca_error_t (*)(struct doca_logger_backend *logger, uint32_t level));
SAME(doca_log_backend_set_upper_level_limit,
     doca_error_t (*)(struct doca_logger_backend *logger, uint32_t upper_level_limit));
SAME(doca_log_backend_set_lower_level_immutable,
     doca_error_t (*)(struct doca_logger_backend *logger));
SAME(doca_log_backend_set_upper_level_immutable,
     doca_error_t (*)(struct doca_logger_backend *logger));
SAME(doca_log_global_level_set, doca_error_t (*)(uint32_t level));
SAME(doca_log_global_set_upper_level_limit, doca_error_t (*)(uint32_t upper_level_limit));
SAME(doca_log_global_level_get, uint32_t (*)(void));
SAME(doca_log_source_register, doca_error_t (*)(const char *source_name, int *source));
SAME(doca_log_source_destroy, doca_error_t (*)(int source));
SAME(doca_log_rate_bucket_register, doca_error_t (*)(int source, int *bucket));
SAME(doca_log_create_file_backend,
     doca_error_t (*)(FILE *fptr, struct doca_logger_backend **backend));
SAME(doca_log_create_fd_backend, doca_error_t (*)(int fd, struct doca_logger_backend **backend));
SAME(doca_log_create_buffer_backend,
     doca_error_t (*)(char *buffer, size_t capacity, log_flush_callback handler,
		      struct doca_logger_backend **backend));
SAME(doca_log_create_syslog_backend,
     doca_error_t (*)(const char *name, struct doca_logger_backend **backend));
SAME(doca_log_create_standard_backend, doca_error_t (*)(void));
SAME(doca_log, doca_error_t (*)(uint32_t level, int source, int line, const char *format, ...));
SAME(doca_log_developer,
     doca_error_t (*)(uint32_t level, int source, int line, const char *format, ...));
SAME(doca_log_rate_limit,
     doca_error_t (*)(uint32_t level, int source, int line, int bucket, const char *format, ...));
#endif
#if IN(205, 999)
IS(DOCA_LOG_LEVEL_DISABLE, 10);
IS(DOCA_LOG_LEVEL_TRACE, 70);
SAME(doca_log_backend_set_level_lower_limit,
     doca_error_t (*)(struct doca_log_backend *backend, uint32_t level));
SAME(doca_log_backend_set_level_upper_limit,
     doca_error_t (*)(struct doca_log_backend *backend, uint32_t upper_limit));
SAME(doca_log_backend_set_level_lower_limit_strict,
     doca_error_t (*)(struct doca_log_backend *backend));
SAME(doca_log_backend_set_level_upper_limit_strict,
     doca_error_t (*)(struct doca_log_backend *backend));
SAME(doca_log_level_set_global_lower_limit, doca_error_t (*)(uint32_t level));
SAME(doca_log_level_set_global_upper_limit, doca_error_t (*)(uint32_t upper_limit));
SAME(doca_log_level_get_global_lower_limit, uint32_t (*)(void));
SAME(doca_log_level_get_global_upper_limit, uint32_t (*)(void));
SAME(doca_log_register_source, doca_error_t (*)(const char *source_name, int *source));
SAME(doca_log_unregister_source, doca_error_t (*)(int source));
SAME(doca_log_backend_create_with_file,
     doca_error_t (*)(FILE *fptr, struct doca_log_backend **backend));
SAME(doca_log_backend_create_with_fd, doca_error_t (*)(int fd, struct doca_log_backend **backend));
SAME(doca_log_backend_create_with_syslog,
     doca_error_t (*)(const char *name, struct doca_log_backend **backend));
SAME(doca_log_backend_set_sdk_level,
     doca_error_t (*)(struct doca_log_backend *backend, uint32_t level));
SAME(doca_log_backend_create_with_file_sdk,
     doca_error_t (*)(FILE *fptr, struct doca_log_backend **backend));
SAME(doca_log_backend_create_with_fd_sdk,
     doca_error_t (*)(int fd, struct doca_log_backend **backend));
SAME(doca_log_backend_create_with_syslog_sdk,
     doca_error_t (*)(const char *name, struct doca_log_backend **backend));
SAME(doca_log_level_set_global_sdk_limit, doca_error_t (*)(uint32_t level));
SAME(doca_log_level_get_global_sdk_limit, uint32_t (*)(void));
SAME(doca_log_backend_create_standard, doca_error_t (*)(void));
SAME(doca_log, doca_error_t (*)(uint32_t level, int source, const char *fname, int line,
				const char *func, const char *format, ...));
#endif
#if IN(205, 205)
SAME(doca_log_backend_create_with_buffer,
     doca_error_t (*)(char *buffer, size_t capacity, log_flush_callback handler,
		      struct doca_log_backend **backend));
SAME(doca_log_backend_create_with_buffer_sdk,
     doca_error_t (*)(char *buffer, size_t capacity, log_flush_callback handler,
		      struct doca_log_backend **backend));
#endif
#if IN(206, 999)
SAME(doca_log_backend_create_with_buf,
     doca_error_t (*)(char *buf, size_t capacity, log_flush_callback handler,
		      struct doca_log_backend **backend));
SAME(doca_log_backend_create_with_buf_sdk,
     doca_error_t (*)(char *buf, size_t capacity, log_flush_callback handler,
		      struct doca_log_backend **backend));
#endif

/* doca_argp.h */
#if IN(200, 999)
IS(DOCA_ARGP_TYPE_UNKNOWN, 0);
IS(DOCA_ARGP_TYPE_STRING, 1);
IS(DOCA_ARGP_TYPE_INT, 2);
IS(DOCA_ARGP_TYPE_BOOLEAN, 3);
#endif
#if IN(103, 300)
IS(DOCA_ARGP_TYPE_JSON_OBJ, 4);
#endif
SAME(doca_argp_usage, void (*)(void));
SAME(doca_argp_init, doca_error_t (*)(const char *program_name, void *program_config));
SAME(doca_argp_register_param, doca_error_t (*)(struct doca_argp_param *input_param));
SAME(doca_argp_start, doca_error_t (*)(int argc, char **argv));
SAME(doca_argp_destroy, doca_error_t (*)(void));
SAME(doca_argp_param_create, doca_error_t (*)(struct doca_argp_param **param));
SAME(doca_argp_param_set_short_name, void (*)(struct doca_argp_param *param, const char *name));
SAME(doca_argp_param_set_long_name, void (*)(struct doca_argp_param *param, const char *name));
SAME(doca_argp_param_set_arguments, void (*)(struct doca_argp_param *param, const char *arguments));
SAME(doca_argp_param_set_description,
     void (*)(struct doca_argp_param *param, const char *description));
SAME(doca_argp_param_set_type, void (*)(struct doca_argp_param *param, enum doca_argp_type type));
SAME(doca_argp_param_set_mandatory, void (*)(struct doca_argp_param *param));
SAME(doca_argp_param_set_cli_only, void (*)(struct doca_argp_param *param));
SAME(doca_argp_param_set_multiplicity, void (*)(struct doca_argp_param *param));
SAME(doca_argp_param_destroy, doca_error_t (*)(struct doca_argp_param *param));
SAME(doca_argp_get_log_level, doca_error_t (*)(int *log_level));
#if IN(200, 204)
SAME_TYPE(callback_func, doca_error_t (*)(void *, void *));
SAME_TYPE(dpdk_callback, doca_error_t (*)(int argc, char **argv));
SAME_TYPE(validation_callback, doca_error_t (*)(void *));
#endif
#if IN(103, 204)
SAME(doca_argp_register_version_callback, doca_error_t (*)(callback_func callback));
SAME(doca_argp_register_validation_callback, doca_error_t (*)(validation_callback callback));
SAME(doca_argp_set_dpdk_program, void (*)(dpdk_callback callback));
SAME(doca_argp_param_set_callback, void (*)(struct doca_argp_param *param, callback_func callback));
#endif
#if IN(103, 206)
SAME(doca_argp_set_grpc_program, void (*)(void));
SAME(doca_argp_get_grpc_addr, doca_error_t (*)(const char **address));
#endif
#if IN(205, 999)
SAME_TYPE(doca_argp_param_cb_t, doca_error_t (*)(void *, void *));
SAME_TYPE(doca_argp_dpdk_cb_t, doca_error_t (*)(int argc, char **argv));
SAME_TYPE(doca_argp_validation_cb_t, doca_error_t (*)(void *));
SAME(doca_argp_register_version_callback, doca_error_t (*)(doca_argp_param_cb_t callback));
SAME(doca_argp_register_validation_callback, doca_error_t (*)(doca_argp_validation_cb_t callback));
SAME(doca_argp_set_dpdk_program, void (*)(doca_argp_dpdk_cb_t callback));
SAME(doca_argp_param_set_callback,
     void (*)(struct doca_argp_param *param, doca_argp_param_cb_t callback));
SAME(doca_argp_get_sdk_log_level, doca_error_t (*)(int *log_level));
#endif
#if IN(207, 999)
SAME_TYPE(doca_argp_cmd_cb_t, doca_error_t (*)(void *));
SAME_TYPE(doca_argp_logger_cb_t,
	  doca_error_t (*)(enum doca_log_level level, const char *format, va_list args));
SAME_TYPE(doca_argp_dev_open_cb_t,
	  doca_error_t (*)(struct doca_devinfo *devinfo, void *usr_ctx, struct doca_dev **dev));
SAME(doca_argp_register_cmd, doca_error_t (*)(struct doca_argp_cmd *input_cmd));
SAME(doca_argp_register_logger_callback, doca_error_t (*)(doca_argp_logger_cb_t callback));
SAME(doca_argp_disable_logger_callback, doca_error_t (*)(void));
SAME(doca_argp_param_set_singular, void (*)(struct doca_argp_param *param));
SAME(doca_argp_param_set_inherited, void (*)(struct doca_argp_param *param));
SAME(doca_argp_param_set_hidden, void (*)(struct doca_argp_param *param));
SAME(doca_argp_cmd_create, doca_error_t (*)(struct doca_argp_cmd **cmd));
SAME(doca_argp_cmd_set_name, void (*)(struct doca_argp_cmd *cmd, const char *name));
SAME(doca_argp_cmd_set_description, void (*)(struct doca_argp_cmd *cmd, const char *description));
SAME(doca_argp_cmd_set_callback, void (*)(struct doca_argp_cmd *cmd, doca_argp_cmd_cb_t callback));
SAME(doca_argp_cmd_set_hidden, void (*)(struct doca_argp_cmd *cmd));
SAME(doca_argp_cmd_register_param,
     doca_error_t (*)(struct doca_argp_cmd *cmd, struct doca_argp_param *input_param));
SAME(doca_argp_cmd_register_cmd,
     doca_error_t (*)(struct doca_argp_cmd *cmd, struct doca_argp_cmd *input_cmd));
SAME(doca_argp_cmd_destroy, doca_error_t (*)(struct doca_argp_cmd *cmd));
SAME(doca_argp_register_dev_open_callback,
     doca_error_t (*)(doca_argp_dev_open_cb_t callback, void *usr_ctx));
SAME(doca_argp_disable_pedantic_config_parsing, doca_error_t (*)(void));
#endif
#if IN(301, 999)
IS(DOCA_ARGP_TYPE_DEVICE, 4);
IS(DOCA_ARGP_TYPE_DEVICE_REP, 5);
IS(DOCA_ARGP_TYPE_DOUBLE, 6);
#endif

/* dococ.h */
#if IN(207, 999)
SAME(dococ_last_error, const char *(*)(void));
SAME(dococ_mem_alloc, doca_error_t (*)(size_t len, void **addr_out, int *memfd_out));
SAME(dococ_mem_free, doca_error_t (*)(void *addr));
SAME(dococ_mmap_get_transport, const char *(*)(const struct doca_mmap *mmap));
SAME(dococ_mmap_get_transport_rejections, const char *(*)(const struct doca_mmap *mmap));
#endif
