/*
 * The interface as a program of DOCA 2.5 sees it: every function, callback type, value and public
 * structure is there and is what it was. Decided when this file compiles; that it links shows that
 * the library has every function.
 */
#include <stddef.h>
#include <stdint.h>

#include <doca_argp.h>
#include <doca_buf.h>
#include <doca_buf_array.h>
#include <doca_buf_inventory.h>
#include <doca_buf_pool.h>
#include <doca_build_config.h>
#include <doca_comm_channel.h>
#include <doca_compat.h>
#include <doca_config.h>
#include <doca_ctx.h>
#include <doca_dev.h>
#include <doca_dma.h>
#include <doca_error.h>
#include <doca_graph.h>
#include <doca_log.h>
#include <doca_mmap.h>
#include <doca_pe.h>
#include <doca_sha.h>
#include <doca_sync_event.h>
#include <doca_types.h>
#include <doca_version.h>

#include "tests/abi/generation.h"

/* doca_argp.h */
SAME_TYPE(doca_argp_param_cb_t, doca_error_t (*)(void *, void *));
SAME_TYPE(doca_argp_dpdk_cb_t, doca_error_t (*)(int argc, char **argv));
SAME_TYPE(doca_argp_validation_cb_t, doca_error_t (*)(void *));
IS(DOCA_ARGP_TYPE_UNKNOWN, 0);
IS(DOCA_ARGP_TYPE_STRING, 1);
IS(DOCA_ARGP_TYPE_INT, 2);
IS(DOCA_ARGP_TYPE_BOOLEAN, 3);
IS(DOCA_ARGP_TYPE_JSON_OBJ, 4);
SAME(doca_argp_usage, void (*)(void));
SAME(doca_argp_init, doca_error_t (*)(const char *program_name, void *program_config));
SAME(doca_argp_register_param, doca_error_t (*)(struct doca_argp_param *input_param));
SAME(doca_argp_register_version_callback, doca_error_t (*)(doca_argp_param_cb_t callback));
SAME(doca_argp_register_validation_callback, doca_error_t (*)(doca_argp_validation_cb_t callback));
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
SAME(doca_argp_param_destroy, doca_error_t (*)(struct doca_argp_param *param));
SAME(doca_argp_get_log_level, doca_error_t (*)(int *log_level));
SAME(doca_argp_get_sdk_log_level, doca_error_t (*)(int *log_level));
SAME(doca_argp_set_grpc_program, void (*)(void));
SAME(doca_argp_get_grpc_addr, doca_error_t (*)(const char **address));

/* doca_buf.h */
SAME(doca_buf_inc_refcount, doca_error_t (*)(struct doca_buf *buf, uint16_t *refcount));
SAME(doca_buf_dec_refcount, doca_error_t (*)(struct doca_buf *buf, uint16_t *refcount));
SAME(doca_buf_get_refcount, doca_error_t (*)(const struct doca_buf *buf, uint16_t *refcount));
SAME(doca_buf_get_len, doca_error_t (*)(const struct doca_buf *buf, size_t *len));
SAME(doca_buf_get_head, doca_error_t (*)(const struct doca_buf *buf, void **head));
SAME(doca_buf_get_data_len, doca_error_t (*)(const struct doca_buf *buf, size_t *data_len));
SAME(doca_buf_get_data, doca_error_t (*)(const struct doca_buf *buf, void **data));
SAME(doca_buf_set_data, doca_error_t (*)(struct doca_buf *buf, void *data, size_t data_len));
SAME(doca_buf_reset_data_len, doca_error_t (*)(struct doca_buf *buf));
SAME(doca_buf_get_next_in_list, doca_error_t (*)(struct doca_buf *buf, struct doca_buf **next_buf));
SAME(doca_buf_get_last_in_list, doca_error_t (*)(struct doca_buf *buf, struct doca_buf **last_buf));
SAME(doca_buf_is_last_in_list, doca_error_t (*)(const struct doca_buf *buf, uint8_t *is_last));
SAME(doca_buf_is_first_in_list, doca_error_t (*)(const struct doca_buf *buf, uint8_t *is_first));
SAME(doca_buf_is_in_list, doca_error_t (*)(const struct doca_buf *buf, uint8_t *is_in_list));
SAME(doca_buf_get_list_len, doca_error_t (*)(const struct doca_buf *buf, uint32_t *num_elements));
SAME(doca_buf_chain_list, doca_error_t (*)(struct doca_buf *list1, struct doca_buf *list2));
SAME(doca_buf_unchain_list, doca_error_t (*)(struct doca_buf *list1, struct doca_buf *list2));

/* doca_buf_array.h */
SAME(doca_buf_arr_set_target_gpu,
     doca_error_t (*)(struct doca_buf_arr *buf_arr, struct doca_gpu *gpu_handler));
SAME(doca_buf_arr_set_target_dpa,
     doca_error_t (*)(struct doca_buf_arr *buf_arr, struct doca_dpa *dpa_handler));
SAME(doca_buf_arr_start, doca_error_t (*)(struct doca_buf_arr *buf_arr));
SAME(doca_buf_arr_stop, doca_error_t (*)(struct doca_buf_arr *buf_arr));
SAME(doca_buf_arr_destroy, doca_error_t (*)(struct doca_buf_arr *buf_arr));
SAME(doca_buf_arr_get_gpu_handle,
     doca_error_t (*)(const struct doca_buf_arr *buf_arr, struct doca_gpu_buf_arr **gpu_buf_arr));
SAME(doca_buf_arr_create, doca_error_t (*)(struct doca_mmap *mmap, struct doca_buf_arr **buf_arr));
SAME(doca_buf_arr_set_params, doca_error_t (*)(struct doca_buf_arr *buf_arr, size_t size,
					       uint32_t num_elem, uint32_t start_offset));
SAME(doca_buf_arr_get_dpa_handle, doca_error_t (*)(const struct doca_buf_arr *buf_arr,
						   struct doca_dpa_dev_buf_arr **dpa_buf_arr));

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

/* doca_comm_channel.h */
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

/* doca_ctx.h */
IS(DOCA_CTX_STATE_IDLE, 0);
IS(DOCA_CTX_STATE_STARTING, 1);
IS(DOCA_CTX_STATE_RUNNING, 2);
IS(DOCA_CTX_STATE_STOPPING, 3);
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
SAME(doca_ctx_set_datapath_on_dpa,
     doca_error_t (*)(struct doca_ctx *ctx, struct doca_dpa *dpa_dev));

/* doca_dev.h */
IS(DOCA_DEVINFO_REP_FILTER_ALL, 0);
IS(DOCA_DEVINFO_REP_FILTER_NET, 2);
IS(DOCA_DEVINFO_REP_FILTER_EMULATED, 4);
SAME(doca_devinfo_create_list,
     doca_error_t (*)(struct doca_devinfo ***dev_list, uint32_t *nb_devs));
SAME(doca_devinfo_destroy_list, doca_error_t (*)(struct doca_devinfo **dev_list));
SAME(doca_devinfo_rep_create_list,
     doca_error_t (*)(struct doca_dev *dev, int filter, struct doca_devinfo_rep ***dev_list_rep,
		      uint32_t *nb_devs_rep));
SAME(doca_devinfo_rep_destroy_list, doca_error_t (*)(struct doca_devinfo_rep **dev_list_rep));
SAME(doca_dev_open, doca_error_t (*)(struct doca_devinfo *devinfo, struct doca_dev **dev));
SAME(doca_dev_close, doca_error_t (*)(struct doca_dev *dev));
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
SAME(doca_devinfo_cap_is_hotplug_manager_supported,
     doca_error_t (*)(const struct doca_devinfo *devinfo, uint8_t *is_hotplug_manager));
SAME(doca_devinfo_rep_cap_is_filter_all_supported,
     doca_error_t (*)(const struct doca_devinfo *devinfo, uint8_t *filter_all_supported));
SAME(doca_devinfo_rep_cap_is_filter_net_supported,
     doca_error_t (*)(const struct doca_devinfo *devinfo, uint8_t *filter_net_supported));
SAME(doca_devinfo_rep_cap_is_filter_emulated_supported,
     doca_error_t (*)(const struct doca_devinfo *devinfo, uint8_t *filter_emulated_supported));
SAME(doca_devinfo_rep_get_vuid,
     doca_error_t (*)(const struct doca_devinfo_rep *devinfo_rep, char *rep_vuid, uint32_t size));
SAME(doca_devinfo_rep_get_pci_addr_str,
     doca_error_t (*)(const struct doca_devinfo_rep *devinfo_rep, char *pci_addr_str));
SAME(doca_devinfo_rep_get_pci_func_type,
     doca_error_t (*)(const struct doca_devinfo_rep *devinfo_rep,
		      enum doca_pci_func_type *pci_func_type));
SAME(doca_devinfo_rep_get_is_hotplug,
     doca_error_t (*)(const struct doca_devinfo_rep *devinfo_rep, uint8_t *is_hotplug));
SAME(doca_devinfo_rep_is_equal_pci_addr,
     doca_error_t (*)(const struct doca_devinfo_rep *devinfo_rep, const char *pci_addr_str,
		      uint8_t *is_equal));
IS(DOCA_DEVINFO_VUID_SIZE, 128);
IS(DOCA_DEVINFO_IPV4_ADDR_SIZE, 4);
IS(DOCA_DEVINFO_IPV6_ADDR_SIZE, 16);
IS(DOCA_DEVINFO_MAC_ADDR_SIZE, 6);
IS(DOCA_DEVINFO_IFACE_NAME_SIZE, 256);
IS(DOCA_DEVINFO_IBDEV_NAME_SIZE, 64);
IS(DOCA_DEVINFO_PCI_ADDR_SIZE, 13);
IS(DOCA_DEVINFO_PCI_BDF_SIZE, 8);
IS(DOCA_DEVINFO_REP_VUID_SIZE, 128);
IS(DOCA_DEVINFO_REP_PCI_ADDR_SIZE, 13);
IS(DOCA_DEVINFO_REP_PCI_BDF_SIZE, 8);

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

/* doca_error.h */
IS(DOCA_SUCCESS, 0);
IS(DOCA_ERROR_UNKNOWN, 1);
IS(DOCA_ERROR_NOT_PERMITTED, 2);
IS(DOCA_ERROR_IN_USE, 3);
IS(DOCA_ERROR_NOT_SUPPORTED, 4);
IS(DOCA_ERROR_AGAIN, 5);
IS(DOCA_ERROR_INVALID_VALUE, 6);
IS(DOCA_ERROR_NO_MEMORY, 7);
IS(DOCA_ERROR_INITIALIZATION, 8);
IS(DOCA_ERROR_TIME_OUT, 9);
IS(DOCA_ERROR_SHUTDOWN, 10);
IS(DOCA_ERROR_CONNECTION_RESET, 11);
IS(DOCA_ERROR_CONNECTION_ABORTED, 12);
IS(DOCA_ERROR_CONNECTION_INPROGRESS, 13);
IS(DOCA_ERROR_NOT_CONNECTED, 14);
IS(DOCA_ERROR_NO_LOCK, 15);
IS(DOCA_ERROR_NOT_FOUND, 16);
IS(DOCA_ERROR_IO_FAILED, 17);
IS(DOCA_ERROR_BAD_STATE, 18);
IS(DOCA_ERROR_UNSUPPORTED_VERSION, 19);
IS(DOCA_ERROR_OPERATING_SYSTEM, 20);
IS(DOCA_ERROR_DRIVER, 21);
IS(DOCA_ERROR_UNEXPECTED, 22);
IS(DOCA_ERROR_ALREADY_EXIST, 23);
IS(DOCA_ERROR_FULL, 24);
IS(DOCA_ERROR_EMPTY, 25);
IS(DOCA_ERROR_IN_PROGRESS, 26);
IS(DOCA_ERROR_TOO_BIG, 27);
SAME_TYPE(doca_error_t, enum doca_error);
SAME(doca_error_get_name, const char *(*)(doca_error_t error));
SAME(doca_error_get_descr, const char *(*)(doca_error_t error));

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

/* doca_log.h */
IS(DOCA_LOG_LEVEL_DISABLE, 10);
IS(DOCA_LOG_LEVEL_CRIT, 20);
IS(DOCA_LOG_LEVEL_ERROR, 30);
IS(DOCA_LOG_LEVEL_WARNING, 40);
IS(DOCA_LOG_LEVEL_INFO, 50);
IS(DOCA_LOG_LEVEL_DEBUG, 60);
IS(DOCA_LOG_LEVEL_TRACE, 70);
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
SAME(doca_log_backend_create_with_buffer,
     doca_error_t (*)(char *buffer, size_t capacity, log_flush_callback handler,
		      struct doca_log_backend **backend));
SAME(doca_log_backend_create_with_buffer_sdk,
     doca_error_t (*)(char *buffer, size_t capacity, log_flush_callback handler,
		      struct doca_log_backend **backend));

/* doca_mmap.h */
SAME(doca_mmap_create, doca_error_t (*)(struct doca_mmap **mmap));
SAME(doca_mmap_destroy, doca_error_t (*)(struct doca_mmap *mmap));
SAME(doca_mmap_start, doca_error_t (*)(struct doca_mmap *mmap));
SAME(doca_mmap_stop, doca_error_t (*)(struct doca_mmap *mmap));
SAME(doca_mmap_add_dev, doca_error_t (*)(struct doca_mmap *mmap, struct doca_dev *dev));
SAME(doca_mmap_rm_dev, doca_error_t (*)(struct doca_mmap *mmap, struct doca_dev *dev));
SAME_TYPE(doca_mmap_memrange_free_cb_t, void(void *addr, size_t len, void *cookie));
SAME(doca_mmap_export_pci, doca_error_t (*)(struct doca_mmap *mmap, const struct doca_dev *dev,
					    const void **export_desc, size_t *export_desc_len));
SAME(doca_mmap_export_rdma, doca_error_t (*)(struct doca_mmap *mmap, const struct doca_dev *dev,
					     const void **export_desc, size_t *export_desc_len));
SAME(doca_mmap_create_from_export,
     doca_error_t (*)(const union doca_data *user_data, const void *export_desc,
		      size_t export_desc_len, struct doca_dev *dev, struct doca_mmap **mmap));
SAME(doca_mmap_set_memrange, doca_error_t (*)(struct doca_mmap *mmap, void *addr, size_t len));
SAME(doca_mmap_set_dmabuf_memrange, doca_error_t (*)(struct doca_mmap *mmap, int dmabuf_fd,
						     void *addr, size_t dmabuf_offset, size_t len));
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
SAME(doca_task_try_submit, doca_error_t (*)(struct doca_task *task));
SAME(doca_task_free, void (*)(struct doca_task *task));
SAME(doca_task_get_status, doca_error_t (*)(const struct doca_task *task));
SAME(doca_task_set_user_data, void (*)(struct doca_task *task, union doca_data user_data));
SAME(doca_task_get_user_data, union doca_data (*)(const struct doca_task *task));
SAME(doca_task_get_ctx, struct doca_ctx *(*)(const struct doca_task *task));
SAME(doca_pe_connect_ctx, doca_error_t (*)(struct doca_pe *pe, struct doca_ctx *ctx));

/* doca_sha.h */
SAME(doca_sha_create, doca_error_t (*)(struct doca_dev *dev, struct doca_sha **sha));
SAME(doca_sha_destroy, doca_error_t (*)(struct doca_sha *sha));
SAME(doca_sha_as_ctx, struct doca_ctx *(*)(struct doca_sha *sha));
IS(DOCA_SHA_ALGORITHM_SHA1, 0);
IS(DOCA_SHA_ALGORITHM_SHA256, 1);
IS(DOCA_SHA_ALGORITHM_SHA512, 2);
SAME(doca_sha_cap_task_hash_get_supported,
     doca_error_t (*)(struct doca_devinfo const *devinfo, enum doca_sha_algorithm algorithm));
SAME(doca_sha_cap_task_partial_hash_get_supported,
     doca_error_t (*)(struct doca_devinfo const *devinfo, enum doca_sha_algorithm algorithm));
SAME(doca_sha_cap_get_max_list_buf_num_elem,
     doca_error_t (*)(struct doca_devinfo const *devinfo, uint32_t *max_list_buf_num_elem));
SAME(doca_sha_cap_get_partial_hash_block_size,
     doca_error_t (*)(struct doca_devinfo const *devinfo, enum doca_sha_algorithm algorithm,
		      uint32_t *partial_block_size));
SAME_TYPE(doca_sha_task_hash_completion_cb_t,
	  void (*)(struct doca_sha_task_hash *task, union doca_data task_user_data,
		   union doca_data ctx_user_data));
SAME(doca_sha_task_hash_set_conf,
     doca_error_t (*)(struct doca_sha *sha, doca_sha_task_hash_completion_cb_t task_completion_cb,
		      doca_sha_task_hash_completion_cb_t task_error_cb, uint8_t log_num_tasks));
SAME(doca_sha_task_hash_alloc_init,
     doca_error_t (*)(struct doca_sha *sha, enum doca_sha_algorithm algorithm,
		      struct doca_buf const *src_buf, struct doca_buf *dst_buf,
		      union doca_data user_data, struct doca_sha_task_hash **task));
SAME(doca_sha_task_hash_set_src,
     doca_error_t (*)(struct doca_sha_task_hash *task, struct doca_buf const *src_buf));
SAME(doca_sha_task_hash_get_src, struct doca_buf const *(*)(struct doca_sha_task_hash const *task));
SAME(doca_sha_task_hash_set_dst,
     doca_error_t (*)(struct doca_sha_task_hash *task, struct doca_buf *dst_buf));
SAME(doca_sha_task_hash_get_dst, struct doca_buf const *(*)(struct doca_sha_task_hash const *task));
SAME(doca_sha_task_hash_set_algorithm,
     doca_error_t (*)(struct doca_sha_task_hash *task, enum doca_sha_algorithm algorithm));
SAME(doca_sha_task_hash_get_algorithm,
     enum doca_sha_algorithm (*)(struct doca_sha_task_hash const *task));
SAME(doca_sha_task_hash_as_task, struct doca_task *(*)(struct doca_sha_task_hash *task));
SAME_TYPE(doca_sha_task_partial_hash_completion_cb_t,
	  void (*)(struct doca_sha_task_partial_hash *task, union doca_data task_user_data,
		   union doca_data ctx_user_data));
SAME(doca_sha_task_partial_hash_set_conf,
     doca_error_t (*)(struct doca_sha *sha,
		      doca_sha_task_partial_hash_completion_cb_t task_completion_cb,
		      doca_sha_task_partial_hash_completion_cb_t task_error_cb,
		      uint8_t log_num_tasks));
SAME(doca_sha_task_partial_hash_alloc_init,
     doca_error_t (*)(struct doca_sha *sha, enum doca_sha_algorithm algorithm,
		      struct doca_buf const *src_buf, struct doca_buf *dst_buf,
		      union doca_data user_data, struct doca_sha_task_partial_hash **task));
SAME(doca_sha_task_partial_hash_reset, doca_error_t (*)(struct doca_sha_task_partial_hash *task));
SAME(doca_sha_task_partial_hash_set_src,
     doca_error_t (*)(struct doca_sha_task_partial_hash *task, struct doca_buf const *src_buf));
SAME(doca_sha_task_partial_hash_get_src,
     struct doca_buf const *(*)(struct doca_sha_task_partial_hash const *task));
SAME(doca_sha_task_partial_hash_set_dst,
     doca_error_t (*)(struct doca_sha_task_partial_hash *task, struct doca_buf *dst_buf));
SAME(doca_sha_task_partial_hash_get_dst,
     struct doca_buf const *(*)(struct doca_sha_task_partial_hash const *task));
SAME(doca_sha_task_partial_hash_set_algorithm,
     doca_error_t (*)(struct doca_sha_task_partial_hash *task, enum doca_sha_algorithm algorithm));
SAME(doca_sha_task_partial_hash_get_algorithm,
     enum doca_sha_algorithm (*)(struct doca_sha_task_partial_hash const *task));
SAME(doca_sha_task_partial_hash_get_is_final,
     uint8_t (*)(struct doca_sha_task_partial_hash const *task));
SAME(doca_sha_task_partial_hash_get_has_result,
     uint8_t (*)(struct doca_sha_task_partial_hash const *task));
SAME(doca_sha_task_partial_hash_as_task,
     struct doca_task *(*)(struct doca_sha_task_partial_hash *task));
SAME(doca_sha_cap_get_max_src_buffer_size,
     doca_error_t (*)(struct doca_devinfo const *devinfo, uint64_t *max_buffer_size));
SAME(doca_sha_cap_get_min_dst_buffer_size,
     doca_error_t (*)(struct doca_devinfo const *devinfo, enum doca_sha_algorithm task_type,
		      uint32_t *min_buffer_size));
SAME(doca_sha_task_partial_hash_set_is_final_buffer,
     doca_error_t (*)(struct doca_sha_task_partial_hash *task));

/* doca_sync_event.h */
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
SAME(doca_sync_event_add_publisher_location_remote_net,
     doca_error_t (*)(struct doca_sync_event *event));
SAME(doca_sync_event_add_subscriber_location_cpu,
     doca_error_t (*)(struct doca_sync_event *event, struct doca_dev *dev));
SAME(doca_sync_event_add_subscriber_location_dpa,
     doca_error_t (*)(struct doca_sync_event *event, struct doca_dpa *dpa));
SAME(doca_sync_event_add_subscriber_location_gpu,
     doca_error_t (*)(struct doca_sync_event *event, struct doca_gpu *gpu));
SAME(doca_sync_event_set_addr, doca_error_t (*)(struct doca_sync_event *event, uint64_t *addr));
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
SAME(doca_sync_event_cap_is_export_to_dpa_supported,
     doca_error_t (*)(const struct doca_devinfo *devinfo));
SAME(doca_sync_event_cap_is_export_to_gpu_supported,
     doca_error_t (*)(const struct doca_devinfo *devinfo));
SAME(doca_sync_event_export_to_remote_net,
     doca_error_t (*)(struct doca_sync_event *event, const uint8_t **data, size_t *sz));
SAME(doca_sync_event_cap_is_export_to_remote_net_supported,
     doca_error_t (*)(const struct doca_devinfo *devinfo));
SAME(doca_sync_event_cap_remote_net_is_export_to_dpa_supported,
     doca_error_t (*)(const struct doca_devinfo *devinfo));
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
SAME(doca_sync_event_export_to_dpu,
     doca_error_t (*)(struct doca_sync_event *event, struct doca_dev *dev, const uint8_t **data,
		      size_t *sz));
SAME(doca_sync_event_export_to_dpa,
     doca_error_t (*)(struct doca_sync_event *event, struct doca_dpa *dpa,
		      doca_dpa_dev_sync_event_t *dpa_dev_se_handle));
SAME(doca_sync_event_export_to_gpu,
     doca_error_t (*)(struct doca_sync_event *event, struct doca_gpu *gpu,
		      doca_gpu_dev_sync_event_t **gpu_dev_se));
SAME_TYPE(doca_sync_event_task_wait_gt_completion_cb_t,
	  void (*)(struct doca_sync_event_task_wait_gt *task, union doca_data task_user_data,
		   union doca_data ctx_user_data));
SAME(doca_sync_event_add_publisher_location_dpu, doca_error_t (*)(struct doca_sync_event *event));
SAME(doca_sync_event_add_subscriber_location_dpu, doca_error_t (*)(struct doca_sync_event *event));
SAME(doca_sync_event_cap_task_wait_gt_is_supported,
     doca_error_t (*)(const struct doca_devinfo *devinfo));
SAME(doca_sync_event_task_wait_gt_set_conf,
     doca_error_t (*)(struct doca_sync_event *event,
		      doca_sync_event_task_wait_gt_completion_cb_t completion_cb,
		      doca_sync_event_task_wait_gt_completion_cb_t error_cb, uint32_t num_tasks));
SAME(doca_sync_event_task_wait_gt_alloc_init,
     doca_error_t (*)(struct doca_sync_event *event, uint64_t wait_val, uint64_t mask,
		      union doca_data user_data, struct doca_sync_event_task_wait_gt **task));
SAME(doca_sync_event_task_wait_gt_as_doca_task,
     struct doca_task *(*)(struct doca_sync_event_task_wait_gt *task));
SAME(doca_sync_event_task_wait_gt_set_wait_val,
     void (*)(struct doca_sync_event_task_wait_gt *task, uint64_t wait_val));
SAME(doca_sync_event_task_wait_gt_get_wait_val,
     uint64_t (*)(const struct doca_sync_event_task_wait_gt *task));
SAME(doca_sync_event_task_wait_gt_set_mask,
     void (*)(struct doca_sync_event_task_wait_gt *task, uint64_t mask));
SAME(doca_sync_event_task_wait_gt_get_mask,
     uint64_t (*)(const struct doca_sync_event_task_wait_gt *task));
SAME(doca_sync_event_cap_is_export_to_dpu_supported,
     doca_error_t (*)(const struct doca_devinfo *devinfo));
SAME(doca_sync_event_remote_net_export_to_dpa,
     doca_error_t (*)(struct doca_sync_event_remote_net *event, struct doca_dpa *dpa,
		      doca_dpa_dev_sync_event_remote_net_t *dpa_remote_event));
SAME(doca_sync_event_remote_net_export_to_gpu,
     doca_error_t (*)(struct doca_sync_event_remote_net *event, struct doca_gpu *gpu,
		      doca_gpu_dev_sync_event_remote_net_t *gpu_remote_event));

/* doca_types.h */
SAME_TYPE(doca_event_handle_t, int);
SAME_TYPE(doca_notification_handle_t, doca_event_handle_t);
FIELD(union doca_data, ptr, void *);
FIELD(union doca_data, u64, uint64_t);
FIELD(struct doca_gather_list, addr, void *);
FIELD(struct doca_gather_list, len, uint64_t);
FIELD(struct doca_gather_list, next, struct doca_gather_list *);
IS(DOCA_ACCESS_FLAG_LOCAL_READ_ONLY, 0);
IS(DOCA_ACCESS_FLAG_LOCAL_READ_WRITE, 1);
IS(DOCA_ACCESS_FLAG_RDMA_READ, 2);
IS(DOCA_ACCESS_FLAG_RDMA_WRITE, 4);
IS(DOCA_ACCESS_FLAG_RDMA_ATOMIC, 8);
IS(DOCA_ACCESS_FLAG_PCI_READ_ONLY, 16);
IS(DOCA_ACCESS_FLAG_PCI_READ_WRITE, 32);
IS(DOCA_ACCESS_FLAG_PCI_RELAXED_ORDERING, 64);
IS(DOCA_PCI_FUNC_TYPE_PF, 0);
IS(DOCA_PCI_FUNC_TYPE_VF, 1);
IS(DOCA_PCI_FUNC_TYPE_SF, 2);
IS(DOCA_GPU_MEM_TYPE_GPU, 0);
IS(DOCA_GPU_MEM_TYPE_GPU_CPU, 1);
IS(DOCA_GPU_MEM_TYPE_CPU_GPU, 2);
IS(DOCA_ETH_WAIT_ON_TIME_TYPE_NONE, 0);
IS(DOCA_ETH_WAIT_ON_TIME_TYPE_NATIVE, 1);
IS(DOCA_ETH_WAIT_ON_TIME_TYPE_DPDK, 2);
IS(DOCA_MTU_SIZE_256_BYTES, 0);
IS(DOCA_MTU_SIZE_512_BYTES, 1);
IS(DOCA_MTU_SIZE_1K_BYTES, 2);
IS(DOCA_MTU_SIZE_2K_BYTES, 3);
IS(DOCA_MTU_SIZE_4K_BYTES, 4);
IS(DOCA_MTU_SIZE_RAW_ETHERNET, 5);
IS(doca_event_invalid_handle, -1);
IS(DOCA_GID_BYTE_LENGTH, 16);

/* doca_version.h */
SAME(doca_version, const char *(*)(void));
SAME(doca_version_runtime, const char *(*)(void));
IS(DOCA_VER_MAJOR, 2);
IS(DOCA_VER_MINOR, 5);
IS(DOCA_VER_PATCH, 108);

/* Not called: what the addresses bind to is looked at from outside. */
const void *const bound[] = {
	ADDRESS(doca_argp_destroy),
	ADDRESS(doca_argp_get_grpc_addr),
	ADDRESS(doca_argp_get_log_level),
	ADDRESS(doca_argp_get_sdk_log_level),
	ADDRESS(doca_argp_init),
	ADDRESS(doca_argp_param_create),
	ADDRESS(doca_argp_param_destroy),
	ADDRESS(doca_argp_param_set_arguments),
	ADDRESS(doca_argp_param_set_callback),
	ADDRESS(doca_argp_param_set_cli_only),
	ADDRESS(doca_argp_param_set_description),
	ADDRESS(doca_argp_param_set_long_name),
	ADDRESS(doca_argp_param_set_mandatory),
	ADDRESS(doca_argp_param_set_multiplicity),
	ADDRESS(doca_argp_param_set_short_name),
	ADDRESS(doca_argp_param_set_type),
	ADDRESS(doca_argp_register_param),
	ADDRESS(doca_argp_register_validation_callback),
	ADDRESS(doca_argp_register_version_callback),
	ADDRESS(doca_argp_set_dpdk_program),
	ADDRESS(doca_argp_set_grpc_program),
	ADDRESS(doca_argp_start),
	ADDRESS(doca_argp_usage),
	ADDRESS(doca_buf_arr_create),
	ADDRESS(doca_buf_arr_destroy),
	ADDRESS(doca_buf_arr_get_dpa_handle),
	ADDRESS(doca_buf_arr_get_gpu_handle),
	ADDRESS(doca_buf_arr_set_params),
	ADDRESS(doca_buf_arr_set_target_dpa),
	ADDRESS(doca_buf_arr_set_target_gpu),
	ADDRESS(doca_buf_arr_start),
	ADDRESS(doca_buf_arr_stop),
	ADDRESS(doca_buf_chain_list),
	ADDRESS(doca_buf_dec_refcount),
	ADDRESS(doca_buf_get_data),
	ADDRESS(doca_buf_get_data_len),
	ADDRESS(doca_buf_get_head),
	ADDRESS(doca_buf_get_last_in_list),
	ADDRESS(doca_buf_get_len),
	ADDRESS(doca_buf_get_list_len),
	ADDRESS(doca_buf_get_next_in_list),
	ADDRESS(doca_buf_get_refcount),
	ADDRESS(doca_buf_inc_refcount),
	ADDRESS(doca_buf_inventory_buf_dup),
	ADDRESS(doca_buf_inventory_buf_get_by_addr),
	ADDRESS(doca_buf_inventory_buf_get_by_args),
	ADDRESS(doca_buf_inventory_buf_get_by_data),
	ADDRESS(doca_buf_inventory_create),
	ADDRESS(doca_buf_inventory_destroy),
	ADDRESS(doca_buf_inventory_get_num_elements),
	ADDRESS(doca_buf_inventory_get_num_free_elements),
	ADDRESS(doca_buf_inventory_get_user_data),
	ADDRESS(doca_buf_inventory_set_user_data),
	ADDRESS(doca_buf_inventory_start),
	ADDRESS(doca_buf_inventory_stop),
	ADDRESS(doca_buf_is_first_in_list),
	ADDRESS(doca_buf_is_in_list),
	ADDRESS(doca_buf_is_last_in_list),
	ADDRESS(doca_buf_pool_buf_alloc),
	ADDRESS(doca_buf_pool_create),
	ADDRESS(doca_buf_pool_destroy),
	ADDRESS(doca_buf_pool_get_element_alignment),
	ADDRESS(doca_buf_pool_get_num_elements),
	ADDRESS(doca_buf_pool_get_num_free_elements),
	ADDRESS(doca_buf_pool_get_user_data),
	ADDRESS(doca_buf_pool_set_element_alignment),
	ADDRESS(doca_buf_pool_set_user_data),
	ADDRESS(doca_buf_pool_start),
	ADDRESS(doca_buf_pool_stop),
	ADDRESS(doca_buf_reset_data_len),
	ADDRESS(doca_buf_set_data),
	ADDRESS(doca_buf_unchain_list),
	ADDRESS(doca_comm_channel_ep_connect),
	ADDRESS(doca_comm_channel_ep_create),
	ADDRESS(doca_comm_channel_ep_destroy),
	ADDRESS(doca_comm_channel_ep_disconnect),
	ADDRESS(doca_comm_channel_ep_event_handle_arm_recv),
	ADDRESS(doca_comm_channel_ep_event_handle_arm_send),
	ADDRESS(doca_comm_channel_ep_get_device),
	ADDRESS(doca_comm_channel_ep_get_device_rep),
	ADDRESS(doca_comm_channel_ep_get_event_channel),
	ADDRESS(doca_comm_channel_ep_get_max_msg_size),
	ADDRESS(doca_comm_channel_ep_get_peer_addr_list),
	ADDRESS(doca_comm_channel_ep_get_pending_connections),
	ADDRESS(doca_comm_channel_ep_get_recv_queue_size),
	ADDRESS(doca_comm_channel_ep_get_send_queue_size),
	ADDRESS(doca_comm_channel_ep_get_service_event_channel),
	ADDRESS(doca_comm_channel_ep_listen),
	ADDRESS(doca_comm_channel_ep_recvfrom),
	ADDRESS(doca_comm_channel_ep_sendto),
	ADDRESS(doca_comm_channel_ep_set_device),
	ADDRESS(doca_comm_channel_ep_set_device_rep),
	ADDRESS(doca_comm_channel_ep_set_max_msg_size),
	ADDRESS(doca_comm_channel_ep_set_recv_queue_size),
	ADDRESS(doca_comm_channel_ep_set_send_queue_size),
	ADDRESS(doca_comm_channel_ep_update_service_state_info),
	ADDRESS(doca_comm_channel_get_max_message_size),
	ADDRESS(doca_comm_channel_get_max_recv_queue_size),
	ADDRESS(doca_comm_channel_get_max_send_queue_size),
	ADDRESS(doca_comm_channel_get_max_service_name_len),
	ADDRESS(doca_comm_channel_get_service_max_num_connections),
	ADDRESS(doca_comm_channel_peer_addr_get_recv_bytes),
	ADDRESS(doca_comm_channel_peer_addr_get_recv_messages),
	ADDRESS(doca_comm_channel_peer_addr_get_send_bytes),
	ADDRESS(doca_comm_channel_peer_addr_get_send_in_flight_messages),
	ADDRESS(doca_comm_channel_peer_addr_get_send_messages),
	ADDRESS(doca_comm_channel_peer_addr_get_user_data),
	ADDRESS(doca_comm_channel_peer_addr_set_user_data),
	ADDRESS(doca_comm_channel_peer_addr_update_info),
	ADDRESS(doca_ctx_get_num_inflight_tasks),
	ADDRESS(doca_ctx_get_state),
	ADDRESS(doca_ctx_get_user_data),
	ADDRESS(doca_ctx_set_datapath_on_dpa),
	ADDRESS(doca_ctx_set_datapath_on_gpu),
	ADDRESS(doca_ctx_set_state_changed_cb),
	ADDRESS(doca_ctx_set_user_data),
	ADDRESS(doca_ctx_start),
	ADDRESS(doca_ctx_stop),
	ADDRESS(doca_dev_as_devinfo),
	ADDRESS(doca_dev_close),
	ADDRESS(doca_dev_open),
	ADDRESS(doca_dev_rep_as_devinfo),
	ADDRESS(doca_dev_rep_close),
	ADDRESS(doca_dev_rep_open),
	ADDRESS(doca_devinfo_cap_is_hotplug_manager_supported),
	ADDRESS(doca_devinfo_create_list),
	ADDRESS(doca_devinfo_destroy_list),
	ADDRESS(doca_devinfo_get_ibdev_name),
	ADDRESS(doca_devinfo_get_iface_name),
	ADDRESS(doca_devinfo_get_ipv4_addr),
	ADDRESS(doca_devinfo_get_ipv6_addr),
	ADDRESS(doca_devinfo_get_lid),
	ADDRESS(doca_devinfo_get_mac_addr),
	ADDRESS(doca_devinfo_get_pci_addr_str),
	ADDRESS(doca_devinfo_is_equal_pci_addr),
	ADDRESS(doca_devinfo_rep_cap_is_filter_all_supported),
	ADDRESS(doca_devinfo_rep_cap_is_filter_emulated_supported),
	ADDRESS(doca_devinfo_rep_cap_is_filter_net_supported),
	ADDRESS(doca_devinfo_rep_create_list),
	ADDRESS(doca_devinfo_rep_destroy_list),
	ADDRESS(doca_devinfo_rep_get_is_hotplug),
	ADDRESS(doca_devinfo_rep_get_pci_addr_str),
	ADDRESS(doca_devinfo_rep_get_pci_func_type),
	ADDRESS(doca_devinfo_rep_get_vuid),
	ADDRESS(doca_devinfo_rep_is_equal_pci_addr),
	ADDRESS(doca_dma_as_ctx),
	ADDRESS(doca_dma_cap_get_max_num_tasks),
	ADDRESS(doca_dma_cap_task_memcpy_get_max_buf_list_len),
	ADDRESS(doca_dma_cap_task_memcpy_get_max_buf_size),
	ADDRESS(doca_dma_cap_task_memcpy_is_supported),
	ADDRESS(doca_dma_create),
	ADDRESS(doca_dma_destroy),
	ADDRESS(doca_dma_task_memcpy_alloc_init),
	ADDRESS(doca_dma_task_memcpy_as_task),
	ADDRESS(doca_dma_task_memcpy_get_dst),
	ADDRESS(doca_dma_task_memcpy_get_src),
	ADDRESS(doca_dma_task_memcpy_set_conf),
	ADDRESS(doca_dma_task_memcpy_set_dst),
	ADDRESS(doca_dma_task_memcpy_set_src),
	ADDRESS(doca_error_get_descr),
	ADDRESS(doca_error_get_name),
	ADDRESS(doca_graph_add_dependency),
	ADDRESS(doca_graph_create),
	ADDRESS(doca_graph_destroy),
	ADDRESS(doca_graph_get_user_data),
	ADDRESS(doca_graph_instance_create),
	ADDRESS(doca_graph_instance_destroy),
	ADDRESS(doca_graph_instance_get_user_data),
	ADDRESS(doca_graph_instance_set_ctx_node_data),
	ADDRESS(doca_graph_instance_set_sub_graph_node_data),
	ADDRESS(doca_graph_instance_set_user_data),
	ADDRESS(doca_graph_instance_set_user_node_data),
	ADDRESS(doca_graph_instance_submit),
	ADDRESS(doca_graph_node_create_from_ctx),
	ADDRESS(doca_graph_node_create_from_graph),
	ADDRESS(doca_graph_node_create_from_user),
	ADDRESS(doca_graph_set_conf),
	ADDRESS(doca_graph_set_user_data),
	ADDRESS(doca_graph_start),
	ADDRESS(doca_graph_stop),
	ADDRESS(doca_log),
	ADDRESS(doca_log_backend_create_standard),
	ADDRESS(doca_log_backend_create_with_buffer),
	ADDRESS(doca_log_backend_create_with_buffer_sdk),
	ADDRESS(doca_log_backend_create_with_fd),
	ADDRESS(doca_log_backend_create_with_fd_sdk),
	ADDRESS(doca_log_backend_create_with_file),
	ADDRESS(doca_log_backend_create_with_file_sdk),
	ADDRESS(doca_log_backend_create_with_syslog),
	ADDRESS(doca_log_backend_create_with_syslog_sdk),
	ADDRESS(doca_log_backend_set_level_lower_limit),
	ADDRESS(doca_log_backend_set_level_lower_limit_strict),
	ADDRESS(doca_log_backend_set_level_upper_limit),
	ADDRESS(doca_log_backend_set_level_upper_limit_strict),
	ADDRESS(doca_log_backend_set_sdk_level),
	ADDRESS(doca_log_level_get_global_lower_limit),
	ADDRESS(doca_log_level_get_global_sdk_limit),
	ADDRESS(doca_log_level_get_global_upper_limit),
	ADDRESS(doca_log_level_set_global_lower_limit),
	ADDRESS(doca_log_level_set_global_sdk_limit),
	ADDRESS(doca_log_level_set_global_upper_limit),
	ADDRESS(doca_log_register_source),
	ADDRESS(doca_log_unregister_source),
	ADDRESS(doca_mmap_add_dev),
	ADDRESS(doca_mmap_cap_is_create_from_export_pci_supported),
	ADDRESS(doca_mmap_cap_is_export_pci_supported),
	ADDRESS(doca_mmap_create),
	ADDRESS(doca_mmap_create_from_export),
	ADDRESS(doca_mmap_destroy),
	ADDRESS(doca_mmap_export_pci),
	ADDRESS(doca_mmap_export_rdma),
	ADDRESS(doca_mmap_get_exported),
	ADDRESS(doca_mmap_get_from_export),
	ADDRESS(doca_mmap_get_max_num_devices),
	ADDRESS(doca_mmap_get_memrange),
	ADDRESS(doca_mmap_get_num_bufs),
	ADDRESS(doca_mmap_get_user_data),
	ADDRESS(doca_mmap_rm_dev),
	ADDRESS(doca_mmap_set_dmabuf_memrange),
	ADDRESS(doca_mmap_set_free_cb),
	ADDRESS(doca_mmap_set_max_num_devices),
	ADDRESS(doca_mmap_set_memrange),
	ADDRESS(doca_mmap_set_permissions),
	ADDRESS(doca_mmap_set_user_data),
	ADDRESS(doca_mmap_start),
	ADDRESS(doca_mmap_stop),
	ADDRESS(doca_pe_clear_notification),
	ADDRESS(doca_pe_connect_ctx),
	ADDRESS(doca_pe_create),
	ADDRESS(doca_pe_destroy),
	ADDRESS(doca_pe_get_notification_handle),
	ADDRESS(doca_pe_get_num_inflight_tasks),
	ADDRESS(doca_pe_progress),
	ADDRESS(doca_pe_request_notification),
	ADDRESS(doca_sha_as_ctx),
	ADDRESS(doca_sha_cap_get_max_list_buf_num_elem),
	ADDRESS(doca_sha_cap_get_max_src_buffer_size),
	ADDRESS(doca_sha_cap_get_min_dst_buffer_size),
	ADDRESS(doca_sha_cap_get_partial_hash_block_size),
	ADDRESS(doca_sha_cap_task_hash_get_supported),
	ADDRESS(doca_sha_cap_task_partial_hash_get_supported),
	ADDRESS(doca_sha_create),
	ADDRESS(doca_sha_destroy),
	ADDRESS(doca_sha_task_hash_alloc_init),
	ADDRESS(doca_sha_task_hash_as_task),
	ADDRESS(doca_sha_task_hash_get_algorithm),
	ADDRESS(doca_sha_task_hash_get_dst),
	ADDRESS(doca_sha_task_hash_get_src),
	ADDRESS(doca_sha_task_hash_set_algorithm),
	ADDRESS(doca_sha_task_hash_set_conf),
	ADDRESS(doca_sha_task_hash_set_dst),
	ADDRESS(doca_sha_task_hash_set_src),
	ADDRESS(doca_sha_task_partial_hash_alloc_init),
	ADDRESS(doca_sha_task_partial_hash_as_task),
	ADDRESS(doca_sha_task_partial_hash_get_algorithm),
	ADDRESS(doca_sha_task_partial_hash_get_dst),
	ADDRESS(doca_sha_task_partial_hash_get_has_result),
	ADDRESS(doca_sha_task_partial_hash_get_is_final),
	ADDRESS(doca_sha_task_partial_hash_get_src),
	ADDRESS(doca_sha_task_partial_hash_reset),
	ADDRESS(doca_sha_task_partial_hash_set_algorithm),
	ADDRESS(doca_sha_task_partial_hash_set_conf),
	ADDRESS(doca_sha_task_partial_hash_set_dst),
	ADDRESS(doca_sha_task_partial_hash_set_is_final_buffer),
	ADDRESS(doca_sha_task_partial_hash_set_src),
	ADDRESS(doca_sync_event_add_publisher_location_cpu),
	ADDRESS(doca_sync_event_add_publisher_location_dpa),
	ADDRESS(doca_sync_event_add_publisher_location_dpu),
	ADDRESS(doca_sync_event_add_publisher_location_gpu),
	ADDRESS(doca_sync_event_add_publisher_location_remote_net),
	ADDRESS(doca_sync_event_add_subscriber_location_cpu),
	ADDRESS(doca_sync_event_add_subscriber_location_dpa),
	ADDRESS(doca_sync_event_add_subscriber_location_dpu),
	ADDRESS(doca_sync_event_add_subscriber_location_gpu),
	ADDRESS(doca_sync_event_as_ctx),
	ADDRESS(doca_sync_event_cap_is_create_from_export_supported),
	ADDRESS(doca_sync_event_cap_is_export_to_dpa_supported),
	ADDRESS(doca_sync_event_cap_is_export_to_dpu_supported),
	ADDRESS(doca_sync_event_cap_is_export_to_gpu_supported),
	ADDRESS(doca_sync_event_cap_is_export_to_remote_net_supported),
	ADDRESS(doca_sync_event_cap_remote_net_is_create_from_export_supported),
	ADDRESS(doca_sync_event_cap_remote_net_is_export_to_dpa_supported),
	ADDRESS(doca_sync_event_cap_remote_net_is_export_to_gpu_supported),
	ADDRESS(doca_sync_event_cap_task_get_is_supported),
	ADDRESS(doca_sync_event_cap_task_notify_add_is_supported),
	ADDRESS(doca_sync_event_cap_task_notify_set_is_supported),
	ADDRESS(doca_sync_event_cap_task_wait_gt_is_supported),
	ADDRESS(doca_sync_event_create),
	ADDRESS(doca_sync_event_create_from_export),
	ADDRESS(doca_sync_event_destroy),
	ADDRESS(doca_sync_event_export_to_dpa),
	ADDRESS(doca_sync_event_export_to_dpu),
	ADDRESS(doca_sync_event_export_to_gpu),
	ADDRESS(doca_sync_event_export_to_remote_net),
	ADDRESS(doca_sync_event_get),
	ADDRESS(doca_sync_event_remote_net_create_from_export),
	ADDRESS(doca_sync_event_remote_net_destroy),
	ADDRESS(doca_sync_event_remote_net_export_to_dpa),
	ADDRESS(doca_sync_event_remote_net_export_to_gpu),
	ADDRESS(doca_sync_event_set_addr),
	ADDRESS(doca_sync_event_start),
	ADDRESS(doca_sync_event_stop),
	ADDRESS(doca_sync_event_task_get_alloc_init),
	ADDRESS(doca_sync_event_task_get_as_doca_task),
	ADDRESS(doca_sync_event_task_get_get_ret_val_ptr),
	ADDRESS(doca_sync_event_task_get_set_conf),
	ADDRESS(doca_sync_event_task_get_set_ret_val_ptr),
	ADDRESS(doca_sync_event_task_notify_add_alloc_init),
	ADDRESS(doca_sync_event_task_notify_add_as_doca_task),
	ADDRESS(doca_sync_event_task_notify_add_get_fetched_val_ptr),
	ADDRESS(doca_sync_event_task_notify_add_get_inc_val),
	ADDRESS(doca_sync_event_task_notify_add_set_conf),
	ADDRESS(doca_sync_event_task_notify_add_set_fetched_val_ptr),
	ADDRESS(doca_sync_event_task_notify_add_set_inc_val),
	ADDRESS(doca_sync_event_task_notify_set_alloc_init),
	ADDRESS(doca_sync_event_task_notify_set_as_doca_task),
	ADDRESS(doca_sync_event_task_notify_set_get_set_val),
	ADDRESS(doca_sync_event_task_notify_set_set_conf),
	ADDRESS(doca_sync_event_task_notify_set_set_set_val),
	ADDRESS(doca_sync_event_task_wait_gt_alloc_init),
	ADDRESS(doca_sync_event_task_wait_gt_as_doca_task),
	ADDRESS(doca_sync_event_task_wait_gt_get_mask),
	ADDRESS(doca_sync_event_task_wait_gt_get_wait_val),
	ADDRESS(doca_sync_event_task_wait_gt_set_conf),
	ADDRESS(doca_sync_event_task_wait_gt_set_mask),
	ADDRESS(doca_sync_event_task_wait_gt_set_wait_val),
	ADDRESS(doca_sync_event_update_add),
	ADDRESS(doca_sync_event_update_set),
	ADDRESS(doca_sync_event_wait_gt),
	ADDRESS(doca_sync_event_wait_gt_yield),
	ADDRESS(doca_task_free),
	ADDRESS(doca_task_get_ctx),
	ADDRESS(doca_task_get_status),
	ADDRESS(doca_task_get_user_data),
	ADDRESS(doca_task_set_user_data),
	ADDRESS(doca_task_submit),
	ADDRESS(doca_task_try_submit),
	ADDRESS(doca_version),
	ADDRESS(doca_version_runtime),
};

int main(void)
{
	return bound_is_complete(bound, sizeof(bound) / sizeof(bound[0])) ? 0 : 1;
}
