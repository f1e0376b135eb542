/*
 * The interface as a program of DOCA 2.2 sees it: every function, callback type, value and public
 * structure is there and is what it was. Decided when this file compiles; that it links shows that
 * the library has every function.
 */
#include <stddef.h>
#include <stdint.h>

#include <doca_argp.h>
#include <doca_buf.h>
#include <doca_buf_array.h>
#include <doca_buf_inventory.h>
#include <doca_bufpool.h>
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
#include <doca_sha.h>
#include <doca_sync_event.h>
#include <doca_types.h>
#include <doca_version.h>

#include "tests/abi/generation.h"

/* doca_argp.h */
IS(DOCA_ARGP_TYPE_UNKNOWN, 0);
IS(DOCA_ARGP_TYPE_STRING, 1);
IS(DOCA_ARGP_TYPE_INT, 2);
IS(DOCA_ARGP_TYPE_BOOLEAN, 3);
IS(DOCA_ARGP_TYPE_JSON_OBJ, 4);
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
SAME_TYPE(callback_func, doca_error_t (*)(void *, void *));
SAME_TYPE(dpdk_callback, doca_error_t (*)(int argc, char **argv));
SAME_TYPE(validation_callback, doca_error_t (*)(void *));
SAME(doca_argp_register_version_callback, doca_error_t (*)(callback_func callback));
SAME(doca_argp_register_validation_callback, doca_error_t (*)(validation_callback callback));
SAME(doca_argp_set_dpdk_program, void (*)(dpdk_callback callback));
SAME(doca_argp_set_grpc_program, void (*)(void));
SAME(doca_argp_param_set_callback, void (*)(struct doca_argp_param *param, callback_func callback));
SAME(doca_argp_get_grpc_addr, doca_error_t (*)(const char **address));

/* doca_buf.h */
SAME(doca_buf_get_len, doca_error_t (*)(const struct doca_buf *buf, size_t *len));
SAME(doca_buf_get_head, doca_error_t (*)(const struct doca_buf *buf, void **head));
SAME(doca_buf_get_data_len, doca_error_t (*)(const struct doca_buf *buf, size_t *data_len));
SAME(doca_buf_get_data, doca_error_t (*)(const struct doca_buf *buf, void **data));
SAME(doca_buf_set_data, doca_error_t (*)(struct doca_buf *buf, void *data, size_t data_len));
SAME(doca_buf_reset_data_len, doca_error_t (*)(struct doca_buf *buf));
SAME(doca_buf_is_in_list, doca_error_t (*)(const struct doca_buf *buf, uint8_t *is_in_list));
IS(DOCA_BUF_EXTENSION_NONE, 0);
SAME(doca_buf_refcount_add, doca_error_t (*)(struct doca_buf *buf, uint16_t *refcount));
SAME(doca_buf_refcount_rm, doca_error_t (*)(struct doca_buf *buf, uint16_t *refcount));
SAME(doca_buf_get_refcount, doca_error_t (*)(struct doca_buf *buf, uint16_t *refcount));
SAME(doca_buf_list_next, doca_error_t (*)(struct doca_buf *buf, struct doca_buf **next_buf));
SAME(doca_buf_list_last, doca_error_t (*)(struct doca_buf *buf, struct doca_buf **last_buf));
SAME(doca_buf_list_is_last, doca_error_t (*)(const struct doca_buf *buf, bool *is_last));
SAME(doca_buf_list_is_first, doca_error_t (*)(const struct doca_buf *buf, bool *is_first));
SAME(doca_buf_list_num_elements,
     doca_error_t (*)(const struct doca_buf *buf, uint32_t *num_elements));
SAME(doca_buf_list_chain, doca_error_t (*)(struct doca_buf *list1, struct doca_buf *list2));
SAME(doca_buf_list_unchain, doca_error_t (*)(struct doca_buf *list1, struct doca_buf *list2));

/* doca_buf_array.h */
SAME(doca_buf_arr_set_target_gpu,
     doca_error_t (*)(struct doca_buf_arr *buf_arr, struct doca_gpu *gpu_handler));
SAME(doca_buf_arr_start, doca_error_t (*)(struct doca_buf_arr *buf_arr));
SAME(doca_buf_arr_stop, doca_error_t (*)(struct doca_buf_arr *buf_arr));
SAME(doca_buf_arr_destroy, doca_error_t (*)(struct doca_buf_arr *buf_arr));
SAME(doca_buf_arr_get_gpu_handle,
     doca_error_t (*)(const struct doca_buf_arr *buf_arr, struct doca_gpu_buf_arr **gpu_buf_arr));
SAME(doca_buf_arr_create, doca_error_t (*)(struct doca_mmap *mmap, struct doca_buf_arr **buf_arr));
SAME(doca_buf_arr_set_params, doca_error_t (*)(struct doca_buf_arr *buf_arr, size_t size,
					       uint32_t num_elem, uint32_t start_offset));

/* doca_buf_inventory.h */
SAME(doca_buf_inventory_destroy, doca_error_t (*)(struct doca_buf_inventory *inventory));
SAME(doca_buf_inventory_start, doca_error_t (*)(struct doca_buf_inventory *inventory));
SAME(doca_buf_inventory_stop, doca_error_t (*)(struct doca_buf_inventory *inventory));
SAME(doca_buf_inventory_buf_dup,
     doca_error_t (*)(struct doca_buf_inventory *inventory, const struct doca_buf *src_buf,
		      struct doca_buf **dst_buf));
SAME(doca_buf_inventory_create,
     doca_error_t (*)(const union doca_data *user_data, size_t num_elements, uint32_t extensions,
		      struct doca_buf_inventory **buf_inventory));
SAME(doca_buf_inventory_buf_by_args,
     doca_error_t (*)(struct doca_buf_inventory *inventory, struct doca_mmap *mmap, void *addr,
		      size_t len, void *data, size_t data_len, struct doca_buf **buf));
SAME(doca_buf_inventory_buf_by_addr,
     doca_error_t (*)(struct doca_buf_inventory *inventory, struct doca_mmap *mmap, void *addr,
		      size_t len, struct doca_buf **buf));
SAME(doca_buf_inventory_buf_by_data,
     doca_error_t (*)(struct doca_buf_inventory *inventory, struct doca_mmap *mmap, void *data,
		      size_t data_len, struct doca_buf **buf));
SAME(doca_buf_inventory_get_num_elements,
     doca_error_t (*)(struct doca_buf_inventory *inventory, uint32_t *num_of_elements));
SAME(doca_buf_inventory_get_num_free_elements,
     doca_error_t (*)(struct doca_buf_inventory *inventory, uint32_t *num_of_free_elements));
SAME(doca_buf_inventory_get_user_data,
     doca_error_t (*)(struct doca_buf_inventory *inventory, union doca_data *user_data));

/* doca_bufpool.h */
SAME(doca_bufpool_create,
     doca_error_t (*)(const union doca_data *user_data, size_t num_elements, uint32_t extensions,
		      size_t element_size, size_t element_alignment, const struct doca_mmap *mmap,
		      struct doca_bufpool **bufpool));
SAME(doca_bufpool_destroy, doca_error_t (*)(struct doca_bufpool *bufpool));
SAME(doca_bufpool_start, doca_error_t (*)(struct doca_bufpool *bufpool));
SAME(doca_bufpool_stop, doca_error_t (*)(struct doca_bufpool *bufpool));
SAME(doca_bufpool_buf_alloc, doca_error_t (*)(struct doca_bufpool *bufpool, struct doca_buf **buf));
SAME(doca_bufpool_get_num_elements,
     doca_error_t (*)(const struct doca_bufpool *bufpool, uint32_t *num_of_elements));
SAME(doca_bufpool_get_num_free_elements,
     doca_error_t (*)(const struct doca_bufpool *bufpool, uint32_t *num_of_free_elements));
SAME(doca_bufpool_get_user_data,
     doca_error_t (*)(const struct doca_bufpool *bufpool, union doca_data *user_data));

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
SAME(doca_ctx_start, doca_error_t (*)(struct doca_ctx *ctx));
SAME(doca_ctx_stop, doca_error_t (*)(struct doca_ctx *ctx));
SAME(doca_ctx_set_datapath_on_gpu,
     doca_error_t (*)(struct doca_ctx *ctx, struct doca_gpu *gpu_dev));
IS(DOCA_ACTION_NONE, 0);
IS(DOCA_ACTION_DMA_FIRST, 65536);
IS(DOCA_ACTION_DEVEMU_FIRST, 131072);
IS(DOCA_ACTION_DEVEMU_PCI_FIRST, 196608);
IS(DOCA_ACTION_VIRTIO_FS_FIRST, 262144);
IS(DOCA_ACTION_VBLK_FIRST, 327680);
IS(DOCA_ACTION_REGEX_FIRST, 393216);
IS(DOCA_ACTION_NVME_FIRST, 458752);
IS(DOCA_ACTION_APPSHIELD_FIRST, 524288);
IS(DOCA_ACTION_SHA_FIRST, 589824);
IS(DOCA_ACTION_COMPRESS_FIRST, 655360);
IS(DOCA_ACTION_IPSEC_FIRST, 720896);
IS(DOCA_ACTION_RMAX_FIRST, 786432);
IS(DOCA_ACTION_RDMA_FIRST, 851968);
IS(DOCA_ACTION_GRAPH_FIRST, 917504);
IS(DOCA_ACTION_SYNC_EVENT_FIRST, 983040);
IS(DOCA_ACTION_DPI_FIRST, 1048576);
IS(DOCA_ACTION_EC_FIRST, 1114112);
IS(DOCA_ACTION_NVRD_TRANSPORT_FIRST, 1179648);
IS(DOCA_JOB_FLAGS_NONE, 0);
FIELD(struct doca_job, type, int);
FIELD(struct doca_job, flags, int);
FIELD(struct doca_job, ctx, struct doca_ctx *);
FIELD(struct doca_job, user_data, union doca_data);
FIELD(struct doca_event, type, int);
FIELD(struct doca_event, user_data, union doca_data);
FIELD(struct doca_event, result, union doca_data);
SAME(doca_workq_create, doca_error_t (*)(uint32_t depth, struct doca_workq **workq));
SAME(doca_workq_destroy, doca_error_t (*)(struct doca_workq *workq));
SAME(doca_workq_submit, doca_error_t (*)(struct doca_workq *workq, struct doca_job const *job));
SAME(doca_workq_event_handle_arm, doca_error_t (*)(struct doca_workq *workq));
SAME(doca_workq_event_handle_clear,
     doca_error_t (*)(struct doca_workq *workq, doca_event_handle_t handle));
IS(DOCA_WORKQ_RETRIEVE_FLAGS_NONE, 0);
SAME(doca_workq_progress_retrieve,
     doca_error_t (*)(struct doca_workq *workq, struct doca_event *ev, int flags));
SAME(doca_ctx_get_max_num_ctx, doca_error_t (*)(uint32_t *max_num_ctx));
SAME(doca_workq_get_depth, doca_error_t (*)(const struct doca_workq *workq, uint32_t *depth));
SAME(doca_workq_get_event_driven_enable,
     doca_error_t (*)(struct doca_workq *workq, uint8_t *enabled));
SAME(doca_workq_get_event_handle,
     doca_error_t (*)(struct doca_workq *workq, doca_event_handle_t *handle));
SAME(doca_workq_set_event_driven_enable,
     doca_error_t (*)(struct doca_workq *workq, uint8_t enable));
SAME(doca_workq_set_event_handle,
     doca_error_t (*)(struct doca_workq *workq, doca_event_handle_t event_handle,
		      uintptr_t completion_key));
SAME(doca_ctx_dev_add, doca_error_t (*)(struct doca_ctx *ctx, struct doca_dev *dev));
SAME(doca_ctx_dev_rm, doca_error_t (*)(struct doca_ctx *ctx, struct doca_dev *dev));
SAME(doca_ctx_workq_add, doca_error_t (*)(struct doca_ctx *ctx, struct doca_workq *workq));
SAME(doca_ctx_workq_rm, doca_error_t (*)(struct doca_ctx *ctx, struct doca_workq *workq));
SAME(doca_ctx_get_event_driven_supported,
     doca_error_t (*)(struct doca_ctx *ctx, uint8_t *event_supported));
IS(DOCA_ACTION_SDK_RANGE, 16);

/* doca_dev.h */
SAME(doca_dev_open, doca_error_t (*)(struct doca_devinfo *devinfo, struct doca_dev **dev));
SAME(doca_dev_close, doca_error_t (*)(struct doca_dev *dev));
SAME(doca_dev_rep_open,
     doca_error_t (*)(struct doca_devinfo_rep *devinfo, struct doca_dev_rep **dev_rep));
SAME(doca_dev_rep_close, doca_error_t (*)(struct doca_dev_rep *dev));
SAME(doca_dev_as_devinfo, struct doca_devinfo *(*)(const struct doca_dev *dev));
SAME(doca_dev_rep_as_devinfo, struct doca_devinfo_rep *(*)(struct doca_dev_rep *dev_rep));
SAME(doca_devinfo_get_pci_addr_str,
     doca_error_t (*)(const struct doca_devinfo *devinfo, char *pci_addr_str));
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
SAME(doca_devinfo_rep_get_vuid,
     doca_error_t (*)(const struct doca_devinfo_rep *devinfo_rep, char *rep_vuid, uint32_t size));
SAME(doca_devinfo_rep_get_pci_addr_str,
     doca_error_t (*)(const struct doca_devinfo_rep *devinfo_rep, char *pci_addr_str));
SAME(doca_devinfo_rep_get_pci_func_type,
     doca_error_t (*)(const struct doca_devinfo_rep *devinfo_rep,
		      enum doca_pci_func_type *pci_func_type));
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
IS(DOCA_DEV_REP_FILTER_ALL, 0);
IS(DOCA_DEV_REP_FILTER_NET, 2);
IS(DOCA_DEV_REP_FILTER_EMULATED, 4);
SAME(doca_devinfo_list_create,
     doca_error_t (*)(struct doca_devinfo ***dev_list, uint32_t *nb_devs));
SAME(doca_devinfo_list_destroy, doca_error_t (*)(struct doca_devinfo **dev_list));
SAME(doca_devinfo_rep_list_create,
     doca_error_t (*)(struct doca_dev *dev, int filter, struct doca_devinfo_rep ***dev_list_rep,
		      uint32_t *nb_devs_rep));
SAME(doca_devinfo_rep_list_destroy, doca_error_t (*)(struct doca_devinfo_rep **dev_list_rep));
SAME(doca_devinfo_get_is_pci_addr_equal,
     doca_error_t (*)(const struct doca_devinfo *devinfo, const char *pci_addr_str,
		      uint8_t *is_equal));
SAME(doca_devinfo_get_is_hotplug_manager_supported,
     doca_error_t (*)(const struct doca_devinfo *devinfo, uint8_t *is_hotplug_manager));
SAME(doca_devinfo_get_is_mmap_export_dpu_supported,
     doca_error_t (*)(const struct doca_devinfo *devinfo, uint8_t *mmap_export));
SAME(doca_devinfo_get_is_mmap_from_export_dpu_supported,
     doca_error_t (*)(const struct doca_devinfo *devinfo, uint8_t *from_export));
SAME(doca_devinfo_rep_get_is_list_all_supported,
     doca_error_t (*)(const struct doca_devinfo *devinfo, uint8_t *all_supported));
SAME(doca_devinfo_rep_get_is_list_net_supported,
     doca_error_t (*)(const struct doca_devinfo *devinfo, uint8_t *net_supported));
SAME(doca_devinfo_rep_get_is_list_emulated_supported,
     doca_error_t (*)(const struct doca_devinfo *devinfo, uint8_t *emulated_supported));
SAME(doca_devinfo_rep_get_is_pci_addr_equal,
     doca_error_t (*)(const struct doca_devinfo_rep *devinfo_rep, const char *pci_addr_str,
		      uint8_t *is_equal));

/* doca_dma.h */
SAME(doca_dma_destroy, doca_error_t (*)(struct doca_dma *dma));
SAME(doca_dma_as_ctx, struct doca_ctx *(*)(struct doca_dma *dma));
IS(DOCA_DMA_JOB_MEMCPY, 65537);
FIELD(struct doca_dma_job_memcpy, base, struct doca_job);
FIELD(struct doca_dma_job_memcpy, dst_buff, struct doca_buf *);
FIELD(struct doca_dma_job_memcpy, src_buff, struct doca_buf const *);
FIELD(struct doca_dma_memcpy_result, result, doca_error_t);
SAME(doca_dma_create, doca_error_t (*)(struct doca_dma **dma));
SAME(doca_dma_job_get_supported,
     doca_error_t (*)(struct doca_devinfo *devinfo, enum doca_dma_job_types job_type));
SAME(doca_dma_get_max_list_buf_num_elem,
     doca_error_t (*)(const struct doca_devinfo *devinfo, uint32_t *max_list_num_elem));
SAME(doca_dma_get_max_buf_size,
     doca_error_t (*)(const struct doca_devinfo *devinfo, uint64_t *buf_size));

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
SAME_TYPE(doca_error_t, enum doca_error);
SAME(doca_get_error_name, const char *(*)(doca_error_t error));
SAME(doca_get_error_string, const char *(*)(doca_error_t error));

/* doca_graph.h */
SAME(doca_graph_destroy, doca_error_t (*)(struct doca_graph *graph));
SAME(doca_graph_add_dependency,
     doca_error_t (*)(struct doca_graph *graph, struct doca_graph_node *from,
		      struct doca_graph_node *to));
SAME(doca_graph_start, doca_error_t (*)(struct doca_graph *graph));
SAME(doca_graph_stop, doca_error_t (*)(struct doca_graph *graph));
SAME(doca_graph_instance_create,
     doca_error_t (*)(const struct doca_graph *graph, struct doca_graph_instance **graph_instance));
SAME(doca_graph_instance_destroy, doca_error_t (*)(struct doca_graph_instance *graph_instance));
IS(DOCA_GRAPH_JOB, 917505);
SAME(doca_graph_create, doca_error_t (*)(struct doca_graph **graph));
SAME(doca_graph_ctx_node_create,
     doca_error_t (*)(struct doca_graph *graph, int job_type, const struct doca_ctx *ctx,
		      struct doca_graph_node **node));
SAME_TYPE(doca_graph_user_node_cb_t, doca_error_t (*)(void *cookie, struct doca_event *ev));
SAME(doca_graph_user_node_create,
     doca_error_t (*)(struct doca_graph *graph, doca_graph_user_node_cb_t cb,
		      struct doca_graph_node **node));
SAME(doca_graph_sub_graph_node_create,
     doca_error_t (*)(struct doca_graph *graph, struct doca_graph *sub_graph,
		      struct doca_graph_node **node));
SAME(doca_graph_workq_add, doca_error_t (*)(struct doca_graph *graph, struct doca_workq *workq));
SAME(doca_graph_workq_rm, doca_error_t (*)(struct doca_graph *graph, struct doca_workq *workq));
SAME(doca_graph_instance_set_ctx_node_data,
     doca_error_t (*)(struct doca_graph_instance *graph_instance, struct doca_graph_node *node,
		      struct doca_job *job, struct doca_event *ev));
SAME(doca_graph_instance_set_user_node_data,
     doca_error_t (*)(struct doca_graph_instance *graph_instance, struct doca_graph_node *node,
		      void *cookie, struct doca_event *ev));
SAME(doca_graph_instance_set_sub_graph_node_data,
     doca_error_t (*)(struct doca_graph_instance *graph_instance, struct doca_graph_node *node,
		      struct doca_graph_instance *sub_graph_instance, struct doca_event *ev));
SAME(doca_workq_graph_submit,
     doca_error_t (*)(struct doca_workq *workq, struct doca_graph_instance *graph_instance,
		      union doca_data user_data));
SAME(doca_graph_instance_get_num_failed_nodes,
     doca_error_t (*)(const struct doca_graph_instance *graph_instance,
		      uint32_t *num_failed_nodes));
SAME(doca_graph_instance_get_failed_nodes,
     doca_error_t (*)(const struct doca_graph_instance *graph_instance,
		      const struct doca_graph_node **failed_nodes, uint32_t *num_failed_nodes));
IS(DOCA_GRAPH_INSTANCE_NODE_STATE_NOT_STARTED, 0);
IS(DOCA_GRAPH_INSTANCE_NODE_STATE_STARTED, 1);
IS(DOCA_GRAPH_INSTANCE_NODE_STATE_COMPLETED, 2);
IS(DOCA_GRAPH_INSTANCE_NODE_STATE_ERROR, 3);
SAME(doca_graph_instance_node_get_state,
     doca_error_t (*)(const struct doca_graph_instance *graph_instance,
		      const struct doca_graph_node *node,
		      enum doca_graph_instance_node_state *state));
SAME(doca_graph_instance_node_get_result,
     doca_error_t (*)(const struct doca_graph_instance *graph_instance,
		      const struct doca_graph_node *node, union doca_data *result));

/* doca_log.h */
IS(DOCA_LOG_LEVEL_CRIT, 20);
IS(DOCA_LOG_LEVEL_ERROR, 30);
IS(DOCA_LOG_LEVEL_WARNING, 40);
IS(DOCA_LOG_LEVEL_INFO, 50);
IS(DOCA_LOG_LEVEL_DEBUG, 60);
SAME_TYPE(log_flush_callback, void (*)(char *buf));
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

/* doca_mmap.h */
SAME(doca_mmap_destroy, doca_error_t (*)(struct doca_mmap *mmap));
SAME(doca_mmap_start, doca_error_t (*)(struct doca_mmap *mmap));
SAME(doca_mmap_stop, doca_error_t (*)(struct doca_mmap *mmap));
SAME_TYPE(doca_mmap_memrange_free_cb_t, void(void *addr, size_t len, void *cookie));
SAME(doca_mmap_export_rdma, doca_error_t (*)(struct doca_mmap *mmap, const struct doca_dev *dev,
					     const void **export_desc, size_t *export_desc_len));
SAME(doca_mmap_create_from_export,
     doca_error_t (*)(const union doca_data *user_data, const void *export_desc,
		      size_t export_desc_len, struct doca_dev *dev, struct doca_mmap **mmap));
SAME(doca_mmap_set_memrange, doca_error_t (*)(struct doca_mmap *mmap, void *addr, size_t len));
SAME(doca_mmap_get_memrange,
     doca_error_t (*)(const struct doca_mmap *mmap, void **addr, size_t *len));
SAME(doca_mmap_set_free_cb,
     doca_error_t (*)(struct doca_mmap *mmap, doca_mmap_memrange_free_cb_t *free_cb, void *opaque));
SAME(doca_mmap_set_max_num_devices,
     doca_error_t (*)(struct doca_mmap *mmap, uint32_t max_num_devices));
SAME(doca_mmap_set_permissions, doca_error_t (*)(struct doca_mmap *mmap, uint32_t access_mask));
SAME(doca_mmap_create, doca_error_t (*)(const union doca_data *user_data, struct doca_mmap **mmap));
SAME(doca_mmap_dev_add, doca_error_t (*)(struct doca_mmap *mmap, struct doca_dev *dev));
SAME(doca_mmap_dev_rm, doca_error_t (*)(struct doca_mmap *mmap, struct doca_dev *dev));
SAME(doca_mmap_export_dpu, doca_error_t (*)(struct doca_mmap *mmap, const struct doca_dev *dev,
					    const void **export_desc, size_t *export_desc_len));
SAME(doca_mmap_set_dmabuf_memrange,
     doca_error_t (*)(struct doca_mmap *mmap, int dmabuf_fd, size_t offset, size_t len));
SAME(doca_mmap_get_user_data, doca_error_t (*)(struct doca_mmap *mmap, union doca_data *user_data));
SAME(doca_mmap_get_max_num_devices,
     doca_error_t (*)(struct doca_mmap *mmap, uint32_t *max_num_devices));
SAME(doca_mmap_get_num_bufs, doca_error_t (*)(struct doca_mmap *mmap, uint32_t *num_bufs));
SAME(doca_mmap_get_exported, doca_error_t (*)(struct doca_mmap *mmap, uint8_t *exported));
SAME(doca_mmap_get_from_export, doca_error_t (*)(struct doca_mmap *mmap, uint8_t *from_export));

/* doca_sha.h */
SAME(doca_sha_destroy, doca_error_t (*)(struct doca_sha *sha));
SAME(doca_sha_as_ctx, struct doca_ctx *(*)(struct doca_sha *sha));
IS(DOCA_SHA_JOB_SHA1, 589825);
IS(DOCA_SHA_JOB_SHA256, 589826);
IS(DOCA_SHA_JOB_SHA512, 589827);
IS(DOCA_SHA_JOB_SHA1_PARTIAL, 589828);
IS(DOCA_SHA_JOB_SHA256_PARTIAL, 589829);
IS(DOCA_SHA_JOB_SHA512_PARTIAL, 589830);
IS(DOCA_SHA_JOB_FLAGS_NONE, 0);
IS(DOCA_SHA_JOB_FLAGS_SHA_PARTIAL_FINAL, 1);
FIELD(struct doca_sha_job, base, struct doca_job);
FIELD(struct doca_sha_job, req_buf, struct doca_buf *);
FIELD(struct doca_sha_job, resp_buf, struct doca_buf *);
FIELD(struct doca_sha_job, flags, uint64_t);
FIELD(struct doca_sha_partial_job, sha_job, struct doca_sha_job);
FIELD(struct doca_sha_partial_job, session, struct doca_sha_partial_session *);
SAME(doca_sha_create, doca_error_t (*)(struct doca_sha **ctx));
SAME(doca_sha_job_get_supported,
     doca_error_t (*)(const struct doca_devinfo *devinfo, enum doca_sha_job_type job_type));
SAME(doca_sha_get_max_list_buf_num_elem,
     doca_error_t (*)(const struct doca_devinfo *devinfo, uint32_t *max_list_num_elem));
SAME(doca_sha_get_max_src_buffer_size,
     doca_error_t (*)(const struct doca_devinfo *devinfo, uint64_t *max_buffer_size));
SAME(doca_sha_get_min_dst_buffer_size,
     doca_error_t (*)(const struct doca_devinfo *devinfo, enum doca_sha_job_type job_type,
		      uint32_t *min_buffer_size));
SAME(doca_sha_get_hardware_supported, doca_error_t (*)(const struct doca_devinfo *devinfo));
SAME(doca_sha_partial_session_create,
     doca_error_t (*)(struct doca_sha *ctx, struct doca_workq *workq,
		      struct doca_sha_partial_session **session));
SAME(doca_sha_partial_session_destroy,
     doca_error_t (*)(struct doca_sha *ctx, struct doca_workq *workq,
		      struct doca_sha_partial_session *session));
SAME(doca_sha_partial_session_copy,
     doca_error_t (*)(struct doca_sha *ctx, struct doca_workq *workq,
		      const struct doca_sha_partial_session *from_session,
		      struct doca_sha_partial_session *to_session));
IS(DOCA_SHA1_BYTE_COUNT, 20);
IS(DOCA_SHA256_BYTE_COUNT, 32);
IS(DOCA_SHA512_BYTE_COUNT, 64);

/* doca_sync_event.h */
SAME_TYPE(doca_dpa_dev_sync_event_t, uint64_t);
SAME_TYPE(doca_gpu_dev_sync_event_t, uint64_t);
SAME(doca_sync_event_create, doca_error_t (*)(struct doca_sync_event **event));
SAME(doca_sync_event_create_from_export,
     doca_error_t (*)(struct doca_dev *dev, const uint8_t *data, size_t sz,
		      struct doca_sync_event **event));
SAME(doca_sync_event_destroy, doca_error_t (*)(struct doca_sync_event *event));
SAME(doca_sync_event_set_addr, doca_error_t (*)(struct doca_sync_event *event, uint64_t *addr));
SAME(doca_sync_event_start, doca_error_t (*)(struct doca_sync_event *event));
SAME(doca_sync_event_stop, doca_error_t (*)(struct doca_sync_event *event));
SAME(doca_sync_event_as_ctx, struct doca_ctx *(*)(struct doca_sync_event *event));
SAME(doca_sync_event_get, doca_error_t (*)(struct doca_sync_event *event, uint64_t *value));
SAME(doca_sync_event_update_add,
     doca_error_t (*)(struct doca_sync_event *event, uint64_t value, uint64_t *fetched));
SAME(doca_sync_event_update_set, doca_error_t (*)(struct doca_sync_event *event, uint64_t value));
SAME(doca_sync_event_wait_gt,
     doca_error_t (*)(struct doca_sync_event *event, uint64_t value, uint64_t mask));
SAME(doca_sync_event_wait_gt_yield,
     doca_error_t (*)(struct doca_sync_event *event, uint64_t value, uint64_t mask));
SAME(doca_sync_event_get_create_from_export_supported,
     doca_error_t (*)(const struct doca_devinfo *devinfo));
SAME(doca_sync_event_publisher_add_location_cpu,
     doca_error_t (*)(struct doca_sync_event *event, struct doca_dev *dev));
SAME(doca_sync_event_publisher_add_location_dpa,
     doca_error_t (*)(struct doca_sync_event *event, struct doca_dpa *dpa));
SAME(doca_sync_event_publisher_add_location_gpu,
     doca_error_t (*)(struct doca_sync_event *event, struct doca_gpu *gpu));
SAME(doca_sync_event_publisher_add_location_dpu, doca_error_t (*)(struct doca_sync_event *event));
SAME(doca_sync_event_subscriber_add_location_cpu,
     doca_error_t (*)(struct doca_sync_event *event, struct doca_dev *dev));
SAME(doca_sync_event_subscriber_add_location_dpa,
     doca_error_t (*)(struct doca_sync_event *event, struct doca_dpa *dpa));
SAME(doca_sync_event_subscriber_add_location_gpu,
     doca_error_t (*)(struct doca_sync_event *event, struct doca_gpu *gpu));
SAME(doca_sync_event_subscriber_add_location_dpu, doca_error_t (*)(struct doca_sync_event *event));
IS(DOCA_SYNC_EVENT_JOB_WAIT_GT, 983041);
IS(DOCA_SYNC_EVENT_JOB_GET, 983042);
IS(DOCA_SYNC_EVENT_JOB_UPDATE_SET, 983043);
IS(DOCA_SYNC_EVENT_JOB_UPDATE_ADD, 983044);
FIELD(struct doca_sync_event_result, result, doca_error_t);
SAME(doca_sync_event_job_get_supported,
     doca_error_t (*)(struct doca_devinfo *devinfo, enum doca_sync_event_job_types type));
FIELD(struct doca_sync_event_job_wait, base, struct doca_job);
FIELD(struct doca_sync_event_job_wait, value, uint64_t);
FIELD(struct doca_sync_event_job_wait, mask, uint64_t);
FIELD(struct doca_sync_event_job_get, base, struct doca_job);
FIELD(struct doca_sync_event_job_get, value, uint64_t *);
FIELD(struct doca_sync_event_job_update_set, base, struct doca_job);
FIELD(struct doca_sync_event_job_update_set, value, uint64_t);
FIELD(struct doca_sync_event_job_update_add, base, struct doca_job);
FIELD(struct doca_sync_event_job_update_add, value, uint64_t);
FIELD(struct doca_sync_event_job_update_add, fetched, uint64_t *);
SAME(doca_sync_event_export_to_dpu,
     doca_error_t (*)(struct doca_sync_event *event, struct doca_dev *dev, const uint8_t **data,
		      size_t *sz));
SAME(doca_sync_event_get_export_to_dpu_supported,
     doca_error_t (*)(const struct doca_devinfo *devinfo));
SAME(doca_sync_event_export_to_dpa,
     doca_error_t (*)(struct doca_sync_event *event, struct doca_dpa *dpa,
		      doca_dpa_dev_sync_event_t *dpa_dev_se_handle));
SAME(doca_sync_event_get_export_to_dpa_supported,
     doca_error_t (*)(const struct doca_devinfo *devinfo));
SAME(doca_sync_event_export_to_gpu,
     doca_error_t (*)(struct doca_sync_event *event, struct doca_gpu *gpu,
		      doca_gpu_dev_sync_event_t **gpu_dev_se));
SAME(doca_sync_event_get_export_to_gpu_supported,
     doca_error_t (*)(const struct doca_devinfo *devinfo));
FIELD(struct doca_sync_event_remote, data, uint64_t[2]);
SAME_TYPE(doca_sync_event_remote_t, struct doca_sync_event_remote);
SAME(doca_sync_event_export_remote,
     doca_error_t (*)(struct doca_sync_event *event, doca_sync_event_remote_t *handle));

/* doca_types.h */
SAME_TYPE(doca_event_handle_t, int);
SAME_TYPE(doca_notification_handle_t, doca_event_handle_t);
FIELD(union doca_data, ptr, void *);
FIELD(union doca_data, u64, uint64_t);
IS(DOCA_MTU_SIZE_256_BYTES, 0);
IS(DOCA_MTU_SIZE_512_BYTES, 1);
IS(DOCA_MTU_SIZE_1K_BYTES, 2);
IS(DOCA_MTU_SIZE_2K_BYTES, 3);
IS(DOCA_MTU_SIZE_4K_BYTES, 4);
IS(DOCA_MTU_SIZE_RAW_ETHERNET, 5);
IS(doca_event_invalid_handle, -1);
IS(DOCA_GID_BYTE_LENGTH, 16);
IS(DOCA_ACCESS_LOCAL_READ_ONLY, 0);
IS(DOCA_ACCESS_LOCAL_READ_WRITE, 1);
IS(DOCA_ACCESS_RDMA_READ, 2);
IS(DOCA_ACCESS_RDMA_WRITE, 4);
IS(DOCA_ACCESS_RDMA_ATOMIC, 8);
IS(DOCA_ACCESS_DPU_READ_ONLY, 16);
IS(DOCA_ACCESS_DPU_READ_WRITE, 32);
IS(DOCA_PCI_FUNC_PF, 0);
IS(DOCA_PCI_FUNC_VF, 1);
IS(DOCA_PCI_FUNC_SF, 2);
IS(DOCA_GPU_MEM_GPU, 0);
IS(DOCA_GPU_MEM_GPU_CPU, 1);
IS(DOCA_GPU_MEM_CPU, 2);
IS(DOCA_GPU_MEM_CPU_GPU, 3);
IS(DOCA_ETH_WAIT_ON_TIME_NONE, 0);
IS(DOCA_ETH_WAIT_ON_TIME_NATIVE, 1);
IS(DOCA_ETH_WAIT_ON_TIME_DPDK, 2);

/* doca_version.h */
SAME(doca_version, const char *(*)(void));
SAME(doca_version_runtime, const char *(*)(void));
IS(DOCA_VER_MAJOR, 2);
IS(DOCA_VER_MINOR, 2);
IS(DOCA_VER_PATCH, 80);

/* Not called: what the addresses bind to is looked at from outside. */
const void *const bound[] = {
	ADDRESS(doca_argp_destroy),
	ADDRESS(doca_argp_get_grpc_addr),
	ADDRESS(doca_argp_get_log_level),
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
	ADDRESS(doca_buf_arr_get_gpu_handle),
	ADDRESS(doca_buf_arr_set_params),
	ADDRESS(doca_buf_arr_set_target_gpu),
	ADDRESS(doca_buf_arr_start),
	ADDRESS(doca_buf_arr_stop),
	ADDRESS(doca_buf_get_data),
	ADDRESS(doca_buf_get_data_len),
	ADDRESS(doca_buf_get_head),
	ADDRESS(doca_buf_get_len),
	ADDRESS(doca_buf_get_refcount),
	ADDRESS(doca_buf_inventory_buf_by_addr),
	ADDRESS(doca_buf_inventory_buf_by_args),
	ADDRESS(doca_buf_inventory_buf_by_data),
	ADDRESS(doca_buf_inventory_buf_dup),
	ADDRESS(doca_buf_inventory_create),
	ADDRESS(doca_buf_inventory_destroy),
	ADDRESS(doca_buf_inventory_get_num_elements),
	ADDRESS(doca_buf_inventory_get_num_free_elements),
	ADDRESS(doca_buf_inventory_get_user_data),
	ADDRESS(doca_buf_inventory_start),
	ADDRESS(doca_buf_inventory_stop),
	ADDRESS(doca_buf_is_in_list),
	ADDRESS(doca_buf_list_chain),
	ADDRESS(doca_buf_list_is_first),
	ADDRESS(doca_buf_list_is_last),
	ADDRESS(doca_buf_list_last),
	ADDRESS(doca_buf_list_next),
	ADDRESS(doca_buf_list_num_elements),
	ADDRESS(doca_buf_list_unchain),
	ADDRESS(doca_buf_refcount_add),
	ADDRESS(doca_buf_refcount_rm),
	ADDRESS(doca_buf_reset_data_len),
	ADDRESS(doca_buf_set_data),
	ADDRESS(doca_bufpool_buf_alloc),
	ADDRESS(doca_bufpool_create),
	ADDRESS(doca_bufpool_destroy),
	ADDRESS(doca_bufpool_get_num_elements),
	ADDRESS(doca_bufpool_get_num_free_elements),
	ADDRESS(doca_bufpool_get_user_data),
	ADDRESS(doca_bufpool_start),
	ADDRESS(doca_bufpool_stop),
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
	ADDRESS(doca_ctx_dev_add),
	ADDRESS(doca_ctx_dev_rm),
	ADDRESS(doca_ctx_get_event_driven_supported),
	ADDRESS(doca_ctx_get_max_num_ctx),
	ADDRESS(doca_ctx_set_datapath_on_gpu),
	ADDRESS(doca_ctx_start),
	ADDRESS(doca_ctx_stop),
	ADDRESS(doca_ctx_workq_add),
	ADDRESS(doca_ctx_workq_rm),
	ADDRESS(doca_dev_as_devinfo),
	ADDRESS(doca_dev_close),
	ADDRESS(doca_dev_open),
	ADDRESS(doca_dev_rep_as_devinfo),
	ADDRESS(doca_dev_rep_close),
	ADDRESS(doca_dev_rep_open),
	ADDRESS(doca_devinfo_get_ibdev_name),
	ADDRESS(doca_devinfo_get_iface_name),
	ADDRESS(doca_devinfo_get_ipv4_addr),
	ADDRESS(doca_devinfo_get_ipv6_addr),
	ADDRESS(doca_devinfo_get_is_hotplug_manager_supported),
	ADDRESS(doca_devinfo_get_is_mmap_export_dpu_supported),
	ADDRESS(doca_devinfo_get_is_mmap_from_export_dpu_supported),
	ADDRESS(doca_devinfo_get_is_pci_addr_equal),
	ADDRESS(doca_devinfo_get_lid),
	ADDRESS(doca_devinfo_get_mac_addr),
	ADDRESS(doca_devinfo_get_pci_addr_str),
	ADDRESS(doca_devinfo_list_create),
	ADDRESS(doca_devinfo_list_destroy),
	ADDRESS(doca_devinfo_rep_get_is_list_all_supported),
	ADDRESS(doca_devinfo_rep_get_is_list_emulated_supported),
	ADDRESS(doca_devinfo_rep_get_is_list_net_supported),
	ADDRESS(doca_devinfo_rep_get_is_pci_addr_equal),
	ADDRESS(doca_devinfo_rep_get_pci_addr_str),
	ADDRESS(doca_devinfo_rep_get_pci_func_type),
	ADDRESS(doca_devinfo_rep_get_vuid),
	ADDRESS(doca_devinfo_rep_list_create),
	ADDRESS(doca_devinfo_rep_list_destroy),
	ADDRESS(doca_dma_as_ctx),
	ADDRESS(doca_dma_create),
	ADDRESS(doca_dma_destroy),
	ADDRESS(doca_dma_get_max_buf_size),
	ADDRESS(doca_dma_get_max_list_buf_num_elem),
	ADDRESS(doca_dma_job_get_supported),
	ADDRESS(doca_get_error_name),
	ADDRESS(doca_get_error_string),
	ADDRESS(doca_graph_add_dependency),
	ADDRESS(doca_graph_create),
	ADDRESS(doca_graph_ctx_node_create),
	ADDRESS(doca_graph_destroy),
	ADDRESS(doca_graph_instance_create),
	ADDRESS(doca_graph_instance_destroy),
	ADDRESS(doca_graph_instance_get_failed_nodes),
	ADDRESS(doca_graph_instance_get_num_failed_nodes),
	ADDRESS(doca_graph_instance_node_get_result),
	ADDRESS(doca_graph_instance_node_get_state),
	ADDRESS(doca_graph_instance_set_ctx_node_data),
	ADDRESS(doca_graph_instance_set_sub_graph_node_data),
	ADDRESS(doca_graph_instance_set_user_node_data),
	ADDRESS(doca_graph_start),
	ADDRESS(doca_graph_stop),
	ADDRESS(doca_graph_sub_graph_node_create),
	ADDRESS(doca_graph_user_node_create),
	ADDRESS(doca_graph_workq_add),
	ADDRESS(doca_graph_workq_rm),
	ADDRESS(doca_log),
	ADDRESS(doca_log_backend_level_set),
	ADDRESS(doca_log_backend_set_lower_level_immutable),
	ADDRESS(doca_log_backend_set_upper_level_immutable),
	ADDRESS(doca_log_backend_set_upper_level_limit),
	ADDRESS(doca_log_create_buffer_backend),
	ADDRESS(doca_log_create_fd_backend),
	ADDRESS(doca_log_create_file_backend),
	ADDRESS(doca_log_create_standard_backend),
	ADDRESS(doca_log_create_syslog_backend),
	ADDRESS(doca_log_developer),
	ADDRESS(doca_log_get_bucket_time),
	ADDRESS(doca_log_get_quantity),
	ADDRESS(doca_log_global_level_get),
	ADDRESS(doca_log_global_level_set),
	ADDRESS(doca_log_global_set_upper_level_limit),
	ADDRESS(doca_log_rate_bucket_register),
	ADDRESS(doca_log_rate_limit),
	ADDRESS(doca_log_set_bucket_time),
	ADDRESS(doca_log_set_quantity),
	ADDRESS(doca_log_source_destroy),
	ADDRESS(doca_log_source_register),
	ADDRESS(doca_mmap_create),
	ADDRESS(doca_mmap_create_from_export),
	ADDRESS(doca_mmap_destroy),
	ADDRESS(doca_mmap_dev_add),
	ADDRESS(doca_mmap_dev_rm),
	ADDRESS(doca_mmap_export_dpu),
	ADDRESS(doca_mmap_export_rdma),
	ADDRESS(doca_mmap_get_exported),
	ADDRESS(doca_mmap_get_from_export),
	ADDRESS(doca_mmap_get_max_num_devices),
	ADDRESS(doca_mmap_get_memrange),
	ADDRESS(doca_mmap_get_num_bufs),
	ADDRESS(doca_mmap_get_user_data),
	ADDRESS(doca_mmap_set_dmabuf_memrange),
	ADDRESS(doca_mmap_set_free_cb),
	ADDRESS(doca_mmap_set_max_num_devices),
	ADDRESS(doca_mmap_set_memrange),
	ADDRESS(doca_mmap_set_permissions),
	ADDRESS(doca_mmap_start),
	ADDRESS(doca_mmap_stop),
	ADDRESS(doca_sha_as_ctx),
	ADDRESS(doca_sha_create),
	ADDRESS(doca_sha_destroy),
	ADDRESS(doca_sha_get_hardware_supported),
	ADDRESS(doca_sha_get_max_list_buf_num_elem),
	ADDRESS(doca_sha_get_max_src_buffer_size),
	ADDRESS(doca_sha_get_min_dst_buffer_size),
	ADDRESS(doca_sha_job_get_supported),
	ADDRESS(doca_sha_partial_session_copy),
	ADDRESS(doca_sha_partial_session_create),
	ADDRESS(doca_sha_partial_session_destroy),
	ADDRESS(doca_sync_event_as_ctx),
	ADDRESS(doca_sync_event_create),
	ADDRESS(doca_sync_event_create_from_export),
	ADDRESS(doca_sync_event_destroy),
	ADDRESS(doca_sync_event_export_remote),
	ADDRESS(doca_sync_event_export_to_dpa),
	ADDRESS(doca_sync_event_export_to_dpu),
	ADDRESS(doca_sync_event_export_to_gpu),
	ADDRESS(doca_sync_event_get),
	ADDRESS(doca_sync_event_get_create_from_export_supported),
	ADDRESS(doca_sync_event_get_export_to_dpa_supported),
	ADDRESS(doca_sync_event_get_export_to_dpu_supported),
	ADDRESS(doca_sync_event_get_export_to_gpu_supported),
	ADDRESS(doca_sync_event_job_get_supported),
	ADDRESS(doca_sync_event_publisher_add_location_cpu),
	ADDRESS(doca_sync_event_publisher_add_location_dpa),
	ADDRESS(doca_sync_event_publisher_add_location_dpu),
	ADDRESS(doca_sync_event_publisher_add_location_gpu),
	ADDRESS(doca_sync_event_set_addr),
	ADDRESS(doca_sync_event_start),
	ADDRESS(doca_sync_event_stop),
	ADDRESS(doca_sync_event_subscriber_add_location_cpu),
	ADDRESS(doca_sync_event_subscriber_add_location_dpa),
	ADDRESS(doca_sync_event_subscriber_add_location_dpu),
	ADDRESS(doca_sync_event_subscriber_add_location_gpu),
	ADDRESS(doca_sync_event_update_add),
	ADDRESS(doca_sync_event_update_set),
	ADDRESS(doca_sync_event_wait_gt),
	ADDRESS(doca_sync_event_wait_gt_yield),
	ADDRESS(doca_version),
	ADDRESS(doca_version_runtime),
	ADDRESS(doca_workq_create),
	ADDRESS(doca_workq_destroy),
	ADDRESS(doca_workq_event_handle_arm),
	ADDRESS(doca_workq_event_handle_clear),
	ADDRESS(doca_workq_get_depth),
	ADDRESS(doca_workq_get_event_driven_enable),
	ADDRESS(doca_workq_get_event_handle),
	ADDRESS(doca_workq_graph_submit),
	ADDRESS(doca_workq_progress_retrieve),
	ADDRESS(doca_workq_set_event_driven_enable),
	ADDRESS(doca_workq_set_event_handle),
	ADDRESS(doca_workq_submit),
};

int main(void)
{
	return bound_is_complete(bound, sizeof(bound) / sizeof(bound[0])) ? 0 : 1;
}
