/*
 * Signatures of the core headers: each function and callback type has exactly the type that the SDK
 * gives it. Decided when this file compiles; needs no library.
 */
#include <doca_types.h>
#include <doca_error.h>
#include <doca_version.h>
#include <doca_dev.h>
#include <doca_mmap.h>
#include <doca_buf.h>
#include <doca_buf_array.h>
#include <doca_buf_inventory.h>
#include <doca_buf_pool.h>
#include <doca_ctx.h>
#include <doca_pe.h>
#include <doca_graph.h>

#define SAME(name, ...)                                                              \
	_Static_assert(__builtin_types_compatible_p(__typeof__(&name), __VA_ARGS__), \
		       "type of " #name)
#define SAME_TYPE(name, ...) \
	_Static_assert(__builtin_types_compatible_p(name, __VA_ARGS__), "type of " #name)

/* doca_types.h */
SAME_TYPE(doca_event_handle_t, int);
SAME_TYPE(doca_notification_handle_t, doca_event_handle_t);
SAME_TYPE(doca_be16_t, __be16);
SAME_TYPE(doca_be32_t, __be32);
SAME_TYPE(doca_be64_t, __be64);

/* doca_error.h */
SAME_TYPE(doca_error_t, enum doca_error);
SAME(doca_error_get_name, const char *(*)(doca_error_t error));
SAME(doca_error_get_descr, const char *(*)(doca_error_t error));

/* doca_version.h */
SAME(doca_version, const char *(*)(void));
SAME(doca_version_runtime, const char *(*)(void));

/* doca_dev.h */
SAME(doca_devinfo_create_list,
     doca_error_t (*)(struct doca_devinfo ***dev_list, uint32_t *nb_devs));
SAME(doca_devinfo_destroy_list, doca_error_t (*)(struct doca_devinfo **dev_list));
SAME(doca_devinfo_rep_create_list,
     doca_error_t (*)(struct doca_dev *dev, int filter, struct doca_devinfo_rep ***dev_list_rep,
		      uint32_t *nb_devs_rep));
SAME(doca_devinfo_rep_destroy_list, doca_error_t (*)(struct doca_devinfo_rep **dev_list_rep));
SAME(doca_dev_open, doca_error_t (*)(struct doca_devinfo *devinfo, struct doca_dev **dev));
SAME(doca_dev_close, doca_error_t (*)(struct doca_dev *dev));
SAME(doca_dev_accelerate_resource_reclaim, doca_error_t (*)(struct doca_dev *dev));
SAME(doca_dev_rep_open,
     doca_error_t (*)(struct doca_devinfo_rep *devinfo, struct doca_dev_rep **dev_rep));
SAME(doca_dev_rep_close, doca_error_t (*)(struct doca_dev_rep *dev));
SAME(doca_dev_as_devinfo, struct doca_devinfo *(*)(const struct doca_dev *dev));
SAME(doca_dev_rep_as_devinfo, struct doca_devinfo_rep *(*)(struct doca_dev_rep *dev_rep));
SAME(doca_devinfo_get_pci_addr_str,
     doca_error_t (*)(const struct doca_devinfo *devinfo, char *pci_addr_str));
SAME(doca_devinfo_is_equal_pci_addr, doca_error_t (*)(const struct doca_devinfo *devinfo,
						      const char *pci_addr_str, uint8_t *is_equal));
SAME(doca_devinfo_get_ipv4_addr,
     doca_error_t (*)(const struct doca_devinfo *devinfo, uint8_t *ipv4_addr, uint32_t size));
SAME(doca_devinfo_get_ipv6_addr,
     doca_error_t (*)(const struct doca_devinfo *devinfo, uint8_t *ipv6_addr, uint32_t size));
SAME(doca_devinfo_get_mac_addr,
     doca_error_t (*)(const struct doca_devinfo *devinfo, uint8_t *mac_addr, uint32_t size));
SAME(doca_devinfo_get_iface_name,
     doca_error_t (*)(const struct doca_devinfo *devinfo, char *iface_name, uint32_t size));
SAME(doca_devinfo_get_ibdev_name,
     doca_error_t (*)(const struct doca_devinfo *devinfo, char *ibdev_name, uint32_t size));
SAME(doca_devinfo_get_lid, doca_error_t (*)(const struct doca_devinfo *devinfo, uint16_t *lid));
SAME(doca_devinfo_get_active_rate,
     doca_error_t (*)(const struct doca_devinfo *devinfo, uint64_t *active_rate));
SAME(doca_devinfo_cap_is_hotplug_manager_supported,
     doca_error_t (*)(const struct doca_devinfo *devinfo, uint8_t *is_hotplug_manager));
SAME(doca_devinfo_cap_is_notification_moderation_supported,
     doca_error_t (*)(const struct doca_devinfo *devinfo,
		      uint8_t *is_notification_moderation_supported));
SAME(doca_devinfo_rep_cap_is_filter_all_supported,
     doca_error_t (*)(const struct doca_devinfo *devinfo, uint8_t *filter_all_supported));
SAME(doca_devinfo_rep_cap_is_filter_net_supported,
     doca_error_t (*)(const struct doca_devinfo *devinfo, uint8_t *filter_net_supported));
SAME(doca_devinfo_rep_cap_is_filter_emulated_supported,
     doca_error_t (*)(const struct doca_devinfo *devinfo, uint8_t *filter_emulated_supported));
SAME(doca_devinfo_cap_is_accelerate_resource_reclaim_supported,
     doca_error_t (*)(const struct doca_devinfo *devinfo, uint8_t *is_accelerate_resource_reclaim));
SAME(doca_devinfo_rep_get_vuid,
     doca_error_t (*)(const struct doca_devinfo_rep *devinfo_rep, char *rep_vuid, uint32_t size));
SAME(doca_devinfo_rep_get_pci_addr_str,
     doca_error_t (*)(const struct doca_devinfo_rep *devinfo_rep, char *pci_addr_str));
SAME(doca_devinfo_rep_get_pci_func_type,
     doca_error_t (*)(const struct doca_devinfo_rep *devinfo_rep,
		      enum doca_pci_func_type *pci_func_type));
SAME(doca_devinfo_rep_get_is_hotplug,
     doca_error_t (*)(const struct doca_devinfo_rep *devinfo_rep, uint8_t *is_hotplug));
SAME(doca_devinfo_rep_get_iface_name,
     doca_error_t (*)(const struct doca_devinfo_rep *devinfo_rep, char *iface_name, uint32_t size));
SAME(doca_devinfo_rep_is_equal_pci_addr,
     doca_error_t (*)(const struct doca_devinfo_rep *devinfo_rep, const char *pci_addr_str,
		      uint8_t *is_equal));
SAME(doca_devinfo_get_vhca_id,
     doca_error_t (*)(const struct doca_devinfo *devinfo, uint16_t *vhca_id));
SAME(doca_devinfo_rep_get_vhca_id,
     doca_error_t (*)(const struct doca_devinfo_rep *devinfo_rep, uint16_t *vhca_id));
SAME(doca_devinfo_get_pci_func_type,
     doca_error_t (*)(const struct doca_devinfo *devinfo, enum doca_pci_func_type *pci_func_type));
SAME(doca_devinfo_get_sf_index,
     doca_error_t (*)(const struct doca_devinfo *devinfo, uint32_t *sf_index));

/* doca_mmap.h */
SAME_TYPE(doca_dpa_dev_mmap_t, uint32_t);
SAME_TYPE(doca_mmap_memrange_free_cb_t *, void (*)(void *addr, size_t len, void *cookie));
SAME(doca_mmap_create, doca_error_t (*)(struct doca_mmap **mmap));
SAME(doca_mmap_destroy, doca_error_t (*)(struct doca_mmap *mmap));
SAME(doca_mmap_start, doca_error_t (*)(struct doca_mmap *mmap));
SAME(doca_mmap_stop, doca_error_t (*)(struct doca_mmap *mmap));
SAME(doca_mmap_add_dev, doca_error_t (*)(struct doca_mmap *mmap, struct doca_dev *dev));
SAME(doca_mmap_rm_dev, doca_error_t (*)(struct doca_mmap *mmap, struct doca_dev *dev));
SAME(doca_mmap_export_pci, doca_error_t (*)(struct doca_mmap *mmap, const struct doca_dev *dev,
					    const void **export_desc, size_t *export_desc_len));
SAME(doca_mmap_export_rdma, doca_error_t (*)(struct doca_mmap *mmap, const struct doca_dev *dev,
					     const void **export_desc, size_t *export_desc_len));
SAME(doca_mmap_dev_get_dpa_handle,
     doca_error_t (*)(struct doca_mmap *mmap, const struct doca_dev *dev,
		      doca_dpa_dev_mmap_t *dpa_mmap_handle));
SAME(doca_mmap_create_from_export,
     doca_error_t (*)(const union doca_data *user_data, const void *export_desc,
		      size_t export_desc_len, struct doca_dev *dev, struct doca_mmap **mmap));
SAME(doca_mmap_set_memrange, doca_error_t (*)(struct doca_mmap *mmap, void *addr, size_t len));
SAME(doca_mmap_set_dmabuf_memrange, doca_error_t (*)(struct doca_mmap *mmap, int dmabuf_fd,
						     void *addr, size_t dmabuf_offset, size_t len));
SAME(doca_mmap_set_dpa_memrange,
     doca_error_t (*)(struct doca_mmap *mmap, struct doca_dpa *dpa, uint64_t dpa_addr, size_t len));
SAME(doca_mmap_get_memrange,
     doca_error_t (*)(const struct doca_mmap *mmap, void **addr, size_t *len));
SAME(doca_mmap_set_free_cb,
     doca_error_t (*)(struct doca_mmap *mmap, doca_mmap_memrange_free_cb_t *free_cb, void *opaque));
SAME(doca_mmap_get_user_data,
     doca_error_t (*)(const struct doca_mmap *mmap, union doca_data *user_data));
SAME(doca_mmap_get_max_num_devices,
     doca_error_t (*)(const struct doca_mmap *mmap, uint32_t *max_num_devices));
SAME(doca_mmap_get_num_bufs, doca_error_t (*)(const struct doca_mmap *mmap, uint32_t *num_bufs));
SAME(doca_mmap_get_exported, doca_error_t (*)(const struct doca_mmap *mmap, uint8_t *exported));
SAME(doca_mmap_get_from_export,
     doca_error_t (*)(const struct doca_mmap *mmap, uint8_t *from_export));
SAME(doca_mmap_set_max_num_devices,
     doca_error_t (*)(struct doca_mmap *mmap, uint32_t max_num_devices));
SAME(doca_mmap_set_permissions, doca_error_t (*)(struct doca_mmap *mmap, uint32_t access_mask));
SAME(doca_mmap_set_user_data, doca_error_t (*)(struct doca_mmap *mmap, union doca_data user_data));
SAME(doca_mmap_cap_is_export_pci_supported,
     doca_error_t (*)(const struct doca_devinfo *devinfo, uint8_t *mmap_export));
SAME(doca_mmap_cap_is_create_from_export_pci_supported,
     doca_error_t (*)(const struct doca_devinfo *devinfo, uint8_t *from_export));
SAME(doca_mmap_enable_thread_safety, doca_error_t (*)(struct doca_mmap *mmap));
SAME(doca_mmap_get_mkey,
     doca_error_t (*)(struct doca_mmap *mmap, struct doca_dev *dev, uint32_t *mkey));

/* doca_buf.h */
SAME(doca_buf_inc_refcount, doca_error_t (*)(struct doca_buf *buf, uint16_t *refcount));
SAME(doca_buf_dec_refcount, doca_error_t (*)(struct doca_buf *buf, uint16_t *refcount));
SAME(doca_buf_get_refcount, doca_error_t (*)(const struct doca_buf *buf, uint16_t *refcount));
SAME(doca_buf_get_len, doca_error_t (*)(const struct doca_buf *buf, size_t *len));
SAME(doca_buf_get_head, doca_error_t (*)(const struct doca_buf *buf, void **head));
SAME(doca_buf_get_data_len, doca_error_t (*)(const struct doca_buf *buf, size_t *data_len));
SAME(doca_buf_get_data, doca_error_t (*)(const struct doca_buf *buf, void **data));
SAME(doca_buf_set_data, doca_error_t (*)(struct doca_buf *buf, void *data, size_t data_len));
SAME(doca_buf_set_data_len, doca_error_t (*)(struct doca_buf *buf, size_t data_len));
SAME(doca_buf_reset_data_len, doca_error_t (*)(struct doca_buf *buf));
SAME(doca_buf_get_next_in_list, doca_error_t (*)(struct doca_buf *buf, struct doca_buf **next_buf));
SAME(doca_buf_get_last_in_list, doca_error_t (*)(struct doca_buf *buf, struct doca_buf **last_buf));
SAME(doca_buf_is_last_in_list, doca_error_t (*)(const struct doca_buf *buf, uint8_t *is_last));
SAME(doca_buf_is_first_in_list, doca_error_t (*)(const struct doca_buf *buf, uint8_t *is_first));
SAME(doca_buf_is_in_list, doca_error_t (*)(const struct doca_buf *buf, uint8_t *is_in_list));
SAME(doca_buf_get_list_len, doca_error_t (*)(const struct doca_buf *buf, uint32_t *num_elements));
SAME(doca_buf_chain_list, doca_error_t (*)(struct doca_buf *list1, struct doca_buf *list2));
SAME(doca_buf_chain_list_tail,
     doca_error_t (*)(struct doca_buf *list1_head, struct doca_buf *list1_tail,
		      struct doca_buf *list2));
SAME(doca_buf_unchain_list, doca_error_t (*)(struct doca_buf *list1, struct doca_buf *list2));

/* doca_buf_array.h */
SAME_TYPE(doca_dpa_dev_buf_arr_t, uint64_t);
SAME(doca_buf_arr_create, doca_error_t (*)(size_t num_elem, struct doca_buf_arr **buf_arr));
SAME(doca_buf_arr_set_target_gpu,
     doca_error_t (*)(struct doca_buf_arr *buf_arr, struct doca_gpu *gpu_handler));
SAME(doca_buf_arr_set_target_dpa,
     doca_error_t (*)(struct doca_buf_arr *buf_arr, struct doca_dpa *dpa_handler));
SAME(doca_buf_arr_set_params, doca_error_t (*)(struct doca_buf_arr *buf_arr, struct doca_mmap *mmap,
					       size_t elem_size, uint64_t start_offset));
SAME(doca_buf_arr_start, doca_error_t (*)(struct doca_buf_arr *buf_arr));
SAME(doca_buf_arr_stop, doca_error_t (*)(struct doca_buf_arr *buf_arr));
SAME(doca_buf_arr_destroy, doca_error_t (*)(struct doca_buf_arr *buf_arr));
SAME(doca_buf_arr_get_gpu_handle,
     doca_error_t (*)(const struct doca_buf_arr *buf_arr, struct doca_gpu_buf_arr **gpu_buf_arr));
SAME(doca_buf_arr_get_dpa_handle,
     doca_error_t (*)(const struct doca_buf_arr *buf_arr, doca_dpa_dev_buf_arr_t *dpa_buf_arr));

/* doca_buf_pool.h */
SAME(doca_buf_pool_create,
     doca_error_t (*)(size_t num_elements, size_t element_size, const struct doca_mmap *mmap,
		      struct doca_buf_pool **buf_pool));
SAME(doca_buf_pool_destroy, doca_error_t (*)(struct doca_buf_pool *buf_pool));
SAME(doca_buf_pool_start, doca_error_t (*)(struct doca_buf_pool *buf_pool));
SAME(doca_buf_pool_stop, doca_error_t (*)(struct doca_buf_pool *buf_pool));
SAME(doca_buf_pool_buf_alloc,
     doca_error_t (*)(struct doca_buf_pool *buf_pool, struct doca_buf **buf));
SAME(doca_buf_pool_set_user_data,
     doca_error_t (*)(struct doca_buf_pool *buf_pool, union doca_data user_data));
SAME(doca_buf_pool_set_element_alignment,
     doca_error_t (*)(struct doca_buf_pool *buf_pool, size_t element_alignment));
SAME(doca_buf_pool_get_num_elements,
     doca_error_t (*)(const struct doca_buf_pool *buf_pool, uint32_t *num_of_elements));
SAME(doca_buf_pool_get_num_free_elements,
     doca_error_t (*)(const struct doca_buf_pool *buf_pool, uint32_t *num_of_free_elements));
SAME(doca_buf_pool_get_user_data,
     doca_error_t (*)(const struct doca_buf_pool *buf_pool, union doca_data *user_data));
SAME(doca_buf_pool_get_element_alignment,
     doca_error_t (*)(const struct doca_buf_pool *buf_pool, size_t *element_alignment));

/* doca_buf_inventory.h */
SAME(doca_buf_inventory_create,
     doca_error_t (*)(size_t num_elements, struct doca_buf_inventory **inventory));
SAME(doca_buf_inventory_destroy, doca_error_t (*)(struct doca_buf_inventory *inventory));
SAME(doca_buf_inventory_start, doca_error_t (*)(struct doca_buf_inventory *inventory));
SAME(doca_buf_inventory_stop, doca_error_t (*)(struct doca_buf_inventory *inventory));
SAME(doca_buf_inventory_buf_get_by_args,
     doca_error_t (*)(struct doca_buf_inventory *inventory, struct doca_mmap *mmap, void *addr,
		      size_t len, void *data, size_t data_len, struct doca_buf **buf));
SAME(doca_buf_inventory_buf_get_by_addr,
     doca_error_t (*)(struct doca_buf_inventory *inventory, struct doca_mmap *mmap, void *addr,
		      size_t len, struct doca_buf **buf));
SAME(doca_buf_inventory_buf_get_by_data,
     doca_error_t (*)(struct doca_buf_inventory *inventory, struct doca_mmap *mmap, void *data,
		      size_t data_len, struct doca_buf **buf));
SAME(doca_buf_inventory_buf_dup,
     doca_error_t (*)(struct doca_buf_inventory *inventory, const struct doca_buf *src_buf,
		      struct doca_buf **dst_buf));
SAME(doca_buf_inventory_set_user_data,
     doca_error_t (*)(struct doca_buf_inventory *inventory, union doca_data user_data));
SAME(doca_buf_inventory_get_num_elements,
     doca_error_t (*)(const struct doca_buf_inventory *inventory, uint32_t *num_of_elements));
SAME(doca_buf_inventory_get_num_free_elements,
     doca_error_t (*)(const struct doca_buf_inventory *inventory, uint32_t *num_of_free_elements));
SAME(doca_buf_inventory_get_user_data,
     doca_error_t (*)(const struct doca_buf_inventory *inventory, union doca_data *user_data));
SAME(doca_buf_inventory_expand,
     doca_error_t (*)(struct doca_buf_inventory *inventory, uint32_t num_elements));
SAME(doca_buf_inventory_buf_reuse_by_addr,
     doca_error_t (*)(struct doca_buf *buf, void *addr, size_t len));
SAME(doca_buf_inventory_buf_reuse_by_data,
     doca_error_t (*)(struct doca_buf *buf, void *data, size_t data_len));

/* doca_ctx.h */
SAME_TYPE(doca_ctx_state_changed_callback_t,
	  void (*)(const union doca_data user_data, struct doca_ctx *ctx,
		   enum doca_ctx_states prev_state, enum doca_ctx_states next_state));
SAME(doca_ctx_start, doca_error_t (*)(struct doca_ctx *ctx));
SAME(doca_ctx_stop, doca_error_t (*)(struct doca_ctx *ctx));
SAME(doca_ctx_get_num_inflight_tasks,
     doca_error_t (*)(const struct doca_ctx *ctx, size_t *num_inflight_tasks));
SAME(doca_ctx_set_datapath_on_gpu,
     doca_error_t (*)(struct doca_ctx *ctx, struct doca_gpu *gpu_dev));
SAME(doca_ctx_set_user_data, doca_error_t (*)(struct doca_ctx *ctx, union doca_data user_data));
SAME(doca_ctx_get_user_data,
     doca_error_t (*)(const struct doca_ctx *ctx, union doca_data *user_data));
SAME(doca_ctx_set_state_changed_cb,
     doca_error_t (*)(struct doca_ctx *ctx, doca_ctx_state_changed_callback_t cb));
SAME(doca_ctx_get_state, doca_error_t (*)(const struct doca_ctx *ctx, enum doca_ctx_states *state));
SAME(doca_ctx_flush_tasks, void (*)(struct doca_ctx *ctx));
SAME(doca_ctx_set_datapath_on_dpa,
     doca_error_t (*)(struct doca_ctx *ctx, struct doca_dpa *dpa_dev));
SAME(doca_ctx_set_completion_vector, doca_error_t (*)(struct doca_ctx *ctx, uint32_t comp_vector));
SAME(doca_ctx_cap_get_num_completion_vectors,
     doca_error_t (*)(const struct doca_devinfo *devinfo, uint32_t *num_comp_vectors));

/* doca_pe.h */
SAME_TYPE(doca_task_completion_cb_t,
	  void (*)(struct doca_task *task, union doca_data task_user_data,
		   union doca_data ctx_user_data));
SAME(doca_pe_create, doca_error_t (*)(struct doca_pe **pe));
SAME(doca_pe_destroy, doca_error_t (*)(struct doca_pe *pe));
SAME(doca_pe_progress, uint8_t (*)(struct doca_pe *pe));
SAME(doca_pe_get_notification_handle,
     doca_error_t (*)(const struct doca_pe *pe, doca_notification_handle_t *handle));
SAME(doca_pe_clear_notification,
     doca_error_t (*)(struct doca_pe *pe, doca_notification_handle_t handle));
SAME(doca_pe_request_notification, doca_error_t (*)(struct doca_pe *pe));
SAME(doca_pe_get_num_inflight_tasks,
     doca_error_t (*)(const struct doca_pe *pe, size_t *num_inflight_tasks));
SAME(doca_task_submit, doca_error_t (*)(struct doca_task *task));
SAME(doca_task_submit_ex, doca_error_t (*)(struct doca_task *task, uint32_t flags));
SAME(doca_task_batch_submit, doca_error_t (*)(struct doca_task_batch *task_batch));
SAME(doca_task_try_submit, doca_error_t (*)(struct doca_task *task));
SAME(doca_task_batch_try_submit, doca_error_t (*)(struct doca_task_batch *task_batch));
SAME(doca_task_free, void (*)(struct doca_task *task));
SAME(doca_task_batch_free, void (*)(struct doca_task_batch *task_batch));
SAME(doca_task_get_status, doca_error_t (*)(const struct doca_task *task));
SAME(doca_task_batch_get_status, doca_error_t (*)(const struct doca_task_batch *task_batch));
SAME(doca_task_set_user_data, void (*)(struct doca_task *task, union doca_data user_data));
SAME(doca_task_batch_set_user_data,
     void (*)(struct doca_task_batch *task_batch, union doca_data user_data));
SAME(doca_task_get_user_data, union doca_data (*)(const struct doca_task *task));
SAME(doca_task_batch_get_user_data, union doca_data (*)(const struct doca_task_batch *task_batch));
SAME(doca_task_get_ctx, struct doca_ctx *(*)(const struct doca_task *task));
SAME(doca_task_batch_get_ctx, struct doca_ctx *(*)(const struct doca_task_batch *task_batch));
SAME(doca_task_batch_get_ctx_user_data,
     union doca_data (*)(const struct doca_task_batch *task_batch));
SAME(doca_task_batch_get_tasks_num, uint16_t (*)(struct doca_task_batch *task_batch));
SAME(doca_pe_connect_ctx, doca_error_t (*)(struct doca_pe *pe, struct doca_ctx *ctx));
SAME(doca_pe_set_event_mode,
     doca_error_t (*)(struct doca_pe *pe, enum doca_pe_event_mode event_mode));

/* doca_graph.h */
SAME_TYPE(doca_graph_completion_cb_t,
	  void (*)(struct doca_graph_instance *instance, union doca_data instance_user_data,
		   union doca_data graph_user_data));
SAME(doca_graph_create, doca_error_t (*)(struct doca_pe *pe, struct doca_graph **graph));
SAME(doca_graph_destroy, doca_error_t (*)(struct doca_graph *graph));
SAME(doca_graph_set_conf,
     doca_error_t (*)(struct doca_graph *graph, doca_graph_completion_cb_t graph_completion_cb,
		      doca_graph_completion_cb_t graph_error_cb, uint32_t num_instances));
SAME(doca_graph_set_user_data,
     doca_error_t (*)(struct doca_graph *graph, union doca_data user_data));
SAME(doca_graph_get_user_data,
     doca_error_t (*)(const struct doca_graph *graph, union doca_data *user_data));
SAME(doca_graph_node_create_from_ctx,
     doca_error_t (*)(struct doca_graph *graph, const struct doca_ctx *ctx,
		      struct doca_graph_node **node));
SAME_TYPE(doca_graph_user_node_cb_t, doca_error_t (*)(void *cookie));
SAME(doca_graph_node_create_from_user,
     doca_error_t (*)(struct doca_graph *graph, doca_graph_user_node_cb_t cb,
		      struct doca_graph_node **node));
SAME(doca_graph_node_create_from_graph,
     doca_error_t (*)(struct doca_graph *graph, struct doca_graph *sub_graph,
		      struct doca_graph_node **node));
SAME(doca_graph_add_dependency,
     doca_error_t (*)(struct doca_graph *graph, struct doca_graph_node *from,
		      struct doca_graph_node *to));
SAME(doca_graph_start, doca_error_t (*)(struct doca_graph *graph));
SAME(doca_graph_stop, doca_error_t (*)(struct doca_graph *graph));
SAME(doca_graph_instance_create,
     doca_error_t (*)(const struct doca_graph *graph, struct doca_graph_instance **graph_instance));
SAME(doca_graph_instance_destroy, doca_error_t (*)(struct doca_graph_instance *graph_instance));
SAME(doca_graph_instance_set_user_data,
     doca_error_t (*)(struct doca_graph_instance *graph_instance, union doca_data user_data));
SAME(doca_graph_instance_get_user_data,
     doca_error_t (*)(const struct doca_graph_instance *graph_instance,
		      union doca_data *user_data));
SAME(doca_graph_instance_set_ctx_node_data,
     doca_error_t (*)(struct doca_graph_instance *graph_instance, struct doca_graph_node *node,
		      struct doca_task *task));
SAME(doca_graph_instance_set_user_node_data,
     doca_error_t (*)(struct doca_graph_instance *graph_instance, struct doca_graph_node *node,
		      void *cookie));
SAME(doca_graph_instance_set_sub_graph_node_data,
     doca_error_t (*)(struct doca_graph_instance *graph_instance, struct doca_graph_node *node,
		      struct doca_graph_instance *sub_graph_instance));
SAME(doca_graph_instance_submit, doca_error_t (*)(struct doca_graph_instance *graph_instance));

int main(void)
{
	return 0;
}
