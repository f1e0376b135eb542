/*
 * Signatures of the DMA, log, argument parser and channel headers, and of our own: each function
 * and callback type has exactly the type that the SDK gives it. Decided when this file compiles;
 * needs no library.
 */
#include <doca_dma.h>
#include <doca_log.h>
#include <doca_argp.h>
#include <doca_comch.h>
#include <doca_comch_consumer.h>
#include <doca_comch_producer.h>
#include <dococ.h>

#define SAME(name, ...)                                                              \
	_Static_assert(__builtin_types_compatible_p(__typeof__(&name), __VA_ARGS__), \
		       "type of " #name)
#define SAME_TYPE(name, ...) \
	_Static_assert(__builtin_types_compatible_p(name, __VA_ARGS__), "type of " #name)

/* doca_dma.h */
SAME_TYPE(doca_dma_task_memcpy_completion_cb_t,
	  void (*)(struct doca_dma_task_memcpy *task, union doca_data task_user_data,
		   union doca_data ctx_user_data));
SAME(doca_dma_create, doca_error_t (*)(struct doca_dev *dev, struct doca_dma **dma));
SAME(doca_dma_destroy, doca_error_t (*)(struct doca_dma *dma));
SAME(doca_dma_cap_task_memcpy_is_supported, doca_error_t (*)(const struct doca_devinfo *devinfo));
SAME(doca_dma_as_ctx, struct doca_ctx *(*)(struct doca_dma *dma));
SAME(doca_dma_cap_get_max_num_tasks,
     doca_error_t (*)(struct doca_dma *dma, uint32_t *max_num_tasks));
SAME(doca_dma_cap_task_memcpy_get_max_buf_list_len,
     doca_error_t (*)(const struct doca_devinfo *devinfo, uint32_t *max_buf_list_len));
SAME(doca_dma_cap_task_memcpy_get_max_buf_size,
     doca_error_t (*)(const struct doca_devinfo *devinfo, uint64_t *buf_size));
SAME(doca_dma_task_memcpy_set_conf,
     doca_error_t (*)(struct doca_dma *dma, doca_dma_task_memcpy_completion_cb_t task_completion_cb,
		      doca_dma_task_memcpy_completion_cb_t task_error_cb,
		      uint32_t num_memcpy_tasks));
SAME(doca_dma_task_memcpy_alloc_init,
     doca_error_t (*)(struct doca_dma *dma, const struct doca_buf *src, struct doca_buf *dst,
		      union doca_data user_data, struct doca_dma_task_memcpy **task));
SAME(doca_dma_task_memcpy_as_task, struct doca_task *(*)(struct doca_dma_task_memcpy *task));
SAME(doca_dma_task_memcpy_set_src,
     void (*)(struct doca_dma_task_memcpy *task, const struct doca_buf *src));
SAME(doca_dma_task_memcpy_get_src,
     const struct doca_buf *(*)(const struct doca_dma_task_memcpy *task));
SAME(doca_dma_task_memcpy_set_dst,
     void (*)(struct doca_dma_task_memcpy *task, struct doca_buf *dst));
SAME(doca_dma_task_memcpy_get_dst, struct doca_buf *(*)(const struct doca_dma_task_memcpy *task));
SAME(doca_dma_get_gpu_handle,
     doca_error_t (*)(struct doca_dma *dma, struct doca_gpu_dma **gpu_dma));
SAME(doca_dma_set_ordered_completions, doca_error_t (*)(struct doca_dma *dma, uint8_t enable));

/* doca_log.h */
SAME_TYPE(log_flush_callback, void (*)(char *buf));
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
SAME(doca_log_backend_create_with_buf,
     doca_error_t (*)(char *buf, size_t capacity, log_flush_callback handler,
		      struct doca_log_backend **backend));
SAME(doca_log_backend_create_with_syslog,
     doca_error_t (*)(const char *name, struct doca_log_backend **backend));
SAME(doca_log_backend_set_sdk_level,
     doca_error_t (*)(struct doca_log_backend *backend, uint32_t level));
SAME(doca_log_backend_create_with_file_sdk,
     doca_error_t (*)(FILE *fptr, struct doca_log_backend **backend));
SAME(doca_log_backend_create_with_fd_sdk,
     doca_error_t (*)(int fd, struct doca_log_backend **backend));
SAME(doca_log_backend_create_with_buf_sdk,
     doca_error_t (*)(char *buf, size_t capacity, log_flush_callback handler,
		      struct doca_log_backend **backend));
SAME(doca_log_backend_create_with_syslog_sdk,
     doca_error_t (*)(const char *name, struct doca_log_backend **backend));
SAME(doca_log_level_set_global_sdk_limit, doca_error_t (*)(uint32_t level));
SAME(doca_log_level_get_global_sdk_limit, uint32_t (*)(void));
SAME(doca_log_backend_create_standard, doca_error_t (*)(void));
SAME(doca_log, doca_error_t (*)(uint32_t level, int source, const char *fname, int line,
				const char *func, const char *format, ...));

/* doca_argp.h */
SAME_TYPE(doca_argp_param_cb_t, doca_error_t (*)(void *, void *));
SAME_TYPE(doca_argp_cmd_cb_t, doca_error_t (*)(void *));
SAME_TYPE(doca_argp_dpdk_cb_t, doca_error_t (*)(int argc, char **argv));
SAME_TYPE(doca_argp_validation_cb_t, doca_error_t (*)(void *));
SAME_TYPE(doca_argp_logger_cb_t,
	  doca_error_t (*)(enum doca_log_level level, const char *format, va_list args));
SAME_TYPE(doca_argp_dev_open_cb_t,
	  doca_error_t (*)(struct doca_devinfo *devinfo, void *usr_ctx, struct doca_dev **dev));
SAME(doca_argp_usage, void (*)(void));
SAME(doca_argp_init, doca_error_t (*)(const char *program_name, void *program_config));
SAME(doca_argp_register_param, doca_error_t (*)(struct doca_argp_param *input_param));
SAME(doca_argp_register_cmd, doca_error_t (*)(struct doca_argp_cmd *input_cmd));
SAME(doca_argp_register_version_callback, doca_error_t (*)(doca_argp_param_cb_t callback));
SAME(doca_argp_register_validation_callback, doca_error_t (*)(doca_argp_validation_cb_t callback));
SAME(doca_argp_register_logger_callback, doca_error_t (*)(doca_argp_logger_cb_t callback));
SAME(doca_argp_disable_logger_callback, doca_error_t (*)(void));
SAME(doca_argp_start, doca_error_t (*)(int argc, char **argv));
SAME(doca_argp_destroy, doca_error_t (*)(void));
SAME(doca_argp_set_dpdk_program, void (*)(doca_argp_dpdk_cb_t callback));
SAME(doca_argp_param_create, doca_error_t (*)(struct doca_argp_param **param));
SAME(doca_argp_param_set_short_name, void (*)(struct doca_argp_param *param, const char *name));
SAME(doca_argp_param_set_long_name, void (*)(struct doca_argp_param *param, const char *name));
SAME(doca_argp_param_set_arguments, void (*)(struct doca_argp_param *param, const char *arguments));
SAME(doca_argp_param_set_description,
     void (*)(struct doca_argp_param *param, const char *description));
SAME(doca_argp_param_set_callback,
     void (*)(struct doca_argp_param *param, doca_argp_param_cb_t callback));
SAME(doca_argp_param_set_type, void (*)(struct doca_argp_param *param, enum doca_argp_type type));
SAME(doca_argp_param_set_mandatory, void (*)(struct doca_argp_param *param));
SAME(doca_argp_param_set_cli_only, void (*)(struct doca_argp_param *param));
SAME(doca_argp_param_set_multiplicity, void (*)(struct doca_argp_param *param));
SAME(doca_argp_param_set_singular, void (*)(struct doca_argp_param *param));
SAME(doca_argp_param_set_inherited, void (*)(struct doca_argp_param *param));
SAME(doca_argp_param_set_hidden, void (*)(struct doca_argp_param *param));
SAME(doca_argp_param_destroy, doca_error_t (*)(struct doca_argp_param *param));
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
SAME(doca_argp_get_log_level, doca_error_t (*)(int *log_level));
SAME(doca_argp_get_sdk_log_level, doca_error_t (*)(int *log_level));
SAME(doca_argp_register_dev_open_callback,
     doca_error_t (*)(doca_argp_dev_open_cb_t callback, void *usr_ctx));
SAME(doca_argp_disable_pedantic_config_parsing, doca_error_t (*)(void));

/* doca_comch.h */
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

/* doca_comch_consumer.h */
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

/* doca_comch_producer.h */
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

/* dococ.h */
SAME(dococ_last_error, const char *(*)(void));
SAME(dococ_mem_alloc, doca_error_t (*)(size_t len, void **addr_out, int *memfd_out));
SAME(dococ_mem_free, doca_error_t (*)(void *addr));
SAME(dococ_mmap_get_transport, const char *(*)(const struct doca_mmap *mmap));
SAME(dococ_mmap_get_transport_rejections, const char *(*)(const struct doca_mmap *mmap));

int main(void)
{
	return 0;
}
