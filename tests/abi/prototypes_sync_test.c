/*
 * Signatures of the sync event header: each function and callback type has exactly the type that
 * the SDK gives it. Decided when this file compiles; needs no library.
 */
#include <doca_sync_event.h>

#define SAME(name, ...)                                                              \
	_Static_assert(__builtin_types_compatible_p(__typeof__(&name), __VA_ARGS__), \
		       "type of " #name)
#define SAME_TYPE(name, ...) \
	_Static_assert(__builtin_types_compatible_p(name, __VA_ARGS__), "type of " #name)

SAME_TYPE(doca_dpa_dev_sync_event_t, uint64_t);
SAME_TYPE(doca_dpa_dev_sync_event_remote_net_t, uint64_t);
SAME_TYPE(doca_gpu_dev_sync_event_t, uint64_t);
SAME_TYPE(doca_gpu_dev_sync_event_remote_net_t, uint64_t);
SAME_TYPE(doca_sync_event_task_get_completion_cb_t,
	  void (*)(struct doca_sync_event_task_get *task, union doca_data task_user_data,
		   union doca_data ctx_user_data));
SAME_TYPE(doca_sync_event_task_notify_set_completion_cb_t,
	  void (*)(struct doca_sync_event_task_notify_set *task, union doca_data task_user_data,
		   union doca_data ctx_user_data));
SAME_TYPE(doca_sync_event_task_notify_add_completion_cb_t,
	  void (*)(struct doca_sync_event_task_notify_add *task, union doca_data task_user_data,
		   union doca_data ctx_user_data));
SAME_TYPE(doca_sync_event_task_wait_eq_completion_cb_t,
	  void (*)(struct doca_sync_event_task_wait_eq *task, union doca_data task_user_data,
		   union doca_data ctx_user_data));
SAME_TYPE(doca_sync_event_task_wait_neq_completion_cb_t,
	  void (*)(struct doca_sync_event_task_wait_neq *task, union doca_data task_user_data,
		   union doca_data ctx_user_data));
SAME(doca_sync_event_create, doca_error_t (*)(struct doca_sync_event **event));
SAME(doca_sync_event_create_from_export,
     doca_error_t (*)(struct doca_dev *dev, const uint8_t *data, size_t sz,
		      struct doca_sync_event **event));
SAME(doca_sync_event_cap_is_create_from_export_supported,
     doca_error_t (*)(const struct doca_devinfo *devinfo));
SAME(doca_sync_event_remote_net_create_from_export,
     doca_error_t (*)(struct doca_dev *dev, const uint8_t *data, size_t sz,
		      struct doca_sync_event_remote_net **event));
SAME(doca_sync_event_cap_remote_net_is_create_from_export_supported,
     doca_error_t (*)(const struct doca_devinfo *devinfo));
SAME(doca_sync_event_destroy, doca_error_t (*)(struct doca_sync_event *event));
SAME(doca_sync_event_remote_net_destroy,
     doca_error_t (*)(struct doca_sync_event_remote_net *event));
SAME(doca_sync_event_add_publisher_location_cpu,
     doca_error_t (*)(struct doca_sync_event *event, struct doca_dev *dev));
SAME(doca_sync_event_add_publisher_location_dpa,
     doca_error_t (*)(struct doca_sync_event *event, struct doca_dpa *dpa));
SAME(doca_sync_event_add_publisher_location_gpu,
     doca_error_t (*)(struct doca_sync_event *event, struct doca_gpu *gpu));
SAME(doca_sync_event_add_publisher_location_remote_pci,
     doca_error_t (*)(struct doca_sync_event *event));
SAME(doca_sync_event_add_publisher_location_remote_net,
     doca_error_t (*)(struct doca_sync_event *event));
SAME(doca_sync_event_add_subscriber_location_cpu,
     doca_error_t (*)(struct doca_sync_event *event, struct doca_dev *dev));
SAME(doca_sync_event_add_subscriber_location_dpa,
     doca_error_t (*)(struct doca_sync_event *event, struct doca_dpa *dpa));
SAME(doca_sync_event_add_subscriber_location_gpu,
     doca_error_t (*)(struct doca_sync_event *event, struct doca_gpu *gpu));
SAME(doca_sync_event_add_subscriber_location_remote_pci,
     doca_error_t (*)(struct doca_sync_event *event));
SAME(doca_sync_event_set_addr, doca_error_t (*)(struct doca_sync_event *event, uint64_t *addr));
SAME(doca_sync_event_set_doca_buf,
     doca_error_t (*)(struct doca_sync_event *event, struct doca_buf *buf));
SAME(doca_sync_event_start, doca_error_t (*)(struct doca_sync_event *event));
SAME(doca_sync_event_stop, doca_error_t (*)(struct doca_sync_event *event));
SAME(doca_sync_event_as_ctx, struct doca_ctx *(*)(struct doca_sync_event *event));
SAME(doca_sync_event_cap_task_get_is_supported,
     doca_error_t (*)(const struct doca_devinfo *devinfo));
SAME(doca_sync_event_task_get_set_conf,
     doca_error_t (*)(struct doca_sync_event *event,
		      doca_sync_event_task_get_completion_cb_t completion_cb,
		      doca_sync_event_task_get_completion_cb_t error_cb, uint32_t num_tasks));
SAME(doca_sync_event_task_get_alloc_init,
     doca_error_t (*)(struct doca_sync_event *event, uint64_t *ret_val_ptr,
		      union doca_data user_data, struct doca_sync_event_task_get **task));
SAME(doca_sync_event_task_get_as_doca_task,
     struct doca_task *(*)(struct doca_sync_event_task_get *task));
SAME(doca_sync_event_task_get_set_ret_val_ptr,
     void (*)(struct doca_sync_event_task_get *task, uint64_t *ret_val_ptr));
SAME(doca_sync_event_task_get_get_ret_val_ptr,
     uint64_t *(*)(const struct doca_sync_event_task_get *task));
SAME(doca_sync_event_cap_task_notify_set_is_supported,
     doca_error_t (*)(const struct doca_devinfo *devinfo));
SAME(doca_sync_event_task_notify_set_set_conf,
     doca_error_t (*)(struct doca_sync_event *event,
		      doca_sync_event_task_notify_set_completion_cb_t completion_cb,
		      doca_sync_event_task_notify_set_completion_cb_t error_cb,
		      uint32_t num_tasks));
SAME(doca_sync_event_task_notify_set_alloc_init,
     doca_error_t (*)(struct doca_sync_event *event, uint64_t set_val, union doca_data user_data,
		      struct doca_sync_event_task_notify_set **task));
SAME(doca_sync_event_task_notify_set_as_doca_task,
     struct doca_task *(*)(struct doca_sync_event_task_notify_set *task));
SAME(doca_sync_event_task_notify_set_set_set_val,
     void (*)(struct doca_sync_event_task_notify_set *task, uint64_t set_val));
SAME(doca_sync_event_task_notify_set_get_set_val,
     uint64_t (*)(const struct doca_sync_event_task_notify_set *task));
SAME(doca_sync_event_cap_task_notify_add_is_supported,
     doca_error_t (*)(const struct doca_devinfo *devinfo));
SAME(doca_sync_event_task_notify_add_set_conf,
     doca_error_t (*)(struct doca_sync_event *event,
		      doca_sync_event_task_notify_add_completion_cb_t completion_cb,
		      doca_sync_event_task_notify_add_completion_cb_t error_cb,
		      uint32_t num_tasks));
SAME(doca_sync_event_task_notify_add_alloc_init,
     doca_error_t (*)(struct doca_sync_event *event, uint64_t inc_val, uint64_t *fetched_val_ptr,
		      union doca_data user_data, struct doca_sync_event_task_notify_add **task));
SAME(doca_sync_event_task_notify_add_as_doca_task,
     struct doca_task *(*)(struct doca_sync_event_task_notify_add *task));
SAME(doca_sync_event_task_notify_add_set_inc_val,
     void (*)(struct doca_sync_event_task_notify_add *task, uint64_t inc_val));
SAME(doca_sync_event_task_notify_add_get_inc_val,
     uint64_t (*)(const struct doca_sync_event_task_notify_add *task));
SAME(doca_sync_event_task_notify_add_set_fetched_val_ptr,
     void (*)(struct doca_sync_event_task_notify_add *task, uint64_t *fetched_val_ptr));
SAME(doca_sync_event_task_notify_add_get_fetched_val_ptr,
     uint64_t *(*)(const struct doca_sync_event_task_notify_add *task));
SAME(doca_sync_event_cap_task_wait_eq_is_supported,
     doca_error_t (*)(const struct doca_devinfo *devinfo));
SAME(doca_sync_event_task_wait_eq_set_conf,
     doca_error_t (*)(struct doca_sync_event *event,
		      doca_sync_event_task_wait_eq_completion_cb_t completion_cb,
		      doca_sync_event_task_wait_eq_completion_cb_t error_cb, uint32_t num_tasks));
SAME(doca_sync_event_task_wait_eq_alloc_init,
     doca_error_t (*)(struct doca_sync_event *event, uint64_t wait_val, uint64_t mask,
		      union doca_data user_data, struct doca_sync_event_task_wait_eq **task));
SAME(doca_sync_event_task_wait_eq_as_doca_task,
     struct doca_task *(*)(struct doca_sync_event_task_wait_eq *task));
SAME(doca_sync_event_task_wait_eq_set_wait_val,
     void (*)(struct doca_sync_event_task_wait_eq *task, uint64_t wait_val));
SAME(doca_sync_event_task_wait_eq_get_wait_val,
     uint64_t (*)(const struct doca_sync_event_task_wait_eq *task));
SAME(doca_sync_event_task_wait_eq_set_mask,
     void (*)(struct doca_sync_event_task_wait_eq *task, uint64_t mask));
SAME(doca_sync_event_task_wait_eq_get_mask,
     uint64_t (*)(const struct doca_sync_event_task_wait_eq *task));
SAME(doca_sync_event_cap_task_wait_neq_is_supported,
     doca_error_t (*)(const struct doca_devinfo *devinfo));
SAME(doca_sync_event_task_wait_neq_set_conf,
     doca_error_t (*)(struct doca_sync_event *event,
		      doca_sync_event_task_wait_neq_completion_cb_t completion_cb,
		      doca_sync_event_task_wait_neq_completion_cb_t error_cb, uint32_t num_tasks));
SAME(doca_sync_event_task_wait_neq_alloc_init,
     doca_error_t (*)(struct doca_sync_event *event, uint64_t wait_val, uint64_t mask,
		      union doca_data user_data, struct doca_sync_event_task_wait_neq **task));
SAME(doca_sync_event_task_wait_neq_as_doca_task,
     struct doca_task *(*)(struct doca_sync_event_task_wait_neq *task));
SAME(doca_sync_event_task_wait_neq_set_wait_val,
     void (*)(struct doca_sync_event_task_wait_neq *task, uint64_t wait_val));
SAME(doca_sync_event_task_wait_neq_get_wait_val,
     uint64_t (*)(const struct doca_sync_event_task_wait_neq *task));
SAME(doca_sync_event_task_wait_neq_set_mask,
     void (*)(struct doca_sync_event_task_wait_neq *task, uint64_t mask));
SAME(doca_sync_event_task_wait_neq_get_mask,
     uint64_t (*)(const struct doca_sync_event_task_wait_neq *task));
SAME(doca_sync_event_export_to_remote_pci,
     doca_error_t (*)(struct doca_sync_event *event, struct doca_dev *dev, const uint8_t **data,
		      size_t *sz));
SAME(doca_sync_event_cap_is_export_to_remote_pci_supported,
     doca_error_t (*)(const struct doca_devinfo *devinfo));
SAME(doca_sync_event_get_dpa_handle,
     doca_error_t (*)(struct doca_sync_event *event, struct doca_dpa *dpa,
		      doca_dpa_dev_sync_event_t *dpa_dev_se_handle));
SAME(doca_sync_event_cap_is_export_to_dpa_supported,
     doca_error_t (*)(const struct doca_devinfo *devinfo));
SAME(doca_sync_event_get_gpu_handle,
     doca_error_t (*)(struct doca_sync_event *event, struct doca_gpu *gpu,
		      doca_gpu_dev_sync_event_t **gpu_dev_se));
SAME(doca_sync_event_cap_is_export_to_gpu_supported,
     doca_error_t (*)(const struct doca_devinfo *devinfo));
SAME(doca_sync_event_export_to_remote_net,
     doca_error_t (*)(struct doca_sync_event *event, const uint8_t **data, size_t *sz));
SAME(doca_sync_event_cap_is_export_to_remote_net_supported,
     doca_error_t (*)(const struct doca_devinfo *devinfo));
SAME(doca_sync_event_remote_net_get_dpa_handle,
     doca_error_t (*)(struct doca_sync_event_remote_net *event, struct doca_dpa *dpa,
		      doca_dpa_dev_sync_event_remote_net_t *dpa_remote_event));
SAME(doca_sync_event_cap_remote_net_is_export_to_dpa_supported,
     doca_error_t (*)(const struct doca_devinfo *devinfo));
SAME(doca_sync_event_remote_net_get_gpu_handle,
     doca_error_t (*)(struct doca_sync_event_remote_net *event, struct doca_gpu *gpu,
		      doca_gpu_dev_sync_event_remote_net_t *gpu_remote_event));
SAME(doca_sync_event_cap_remote_net_is_export_to_gpu_supported,
     doca_error_t (*)(const struct doca_devinfo *devinfo));
SAME(doca_sync_event_get, doca_error_t (*)(struct doca_sync_event *event, uint64_t *value));
SAME(doca_sync_event_update_add,
     doca_error_t (*)(struct doca_sync_event *event, uint64_t value, uint64_t *fetched));
SAME(doca_sync_event_update_set, doca_error_t (*)(struct doca_sync_event *event, uint64_t value));
SAME(doca_sync_event_wait_gt,
     doca_error_t (*)(struct doca_sync_event *event, uint64_t value, uint64_t mask));
SAME(doca_sync_event_wait_gt_yield,
     doca_error_t (*)(struct doca_sync_event *event, uint64_t value, uint64_t mask));
SAME(doca_sync_event_wait_eq,
     doca_error_t (*)(struct doca_sync_event *event, uint64_t value, uint64_t mask));
SAME(doca_sync_event_wait_eq_yield,
     doca_error_t (*)(struct doca_sync_event *event, uint64_t value, uint64_t mask));
SAME(doca_sync_event_wait_neq,
     doca_error_t (*)(struct doca_sync_event *event, uint64_t value, uint64_t mask));
SAME(doca_sync_event_wait_neq_yield,
     doca_error_t (*)(struct doca_sync_event *event, uint64_t value, uint64_t mask));

int main(void)
{
	return 0;
}
