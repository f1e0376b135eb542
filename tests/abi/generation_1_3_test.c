/*
 * The interface as a program of DOCA 1.3 sees it: every function, callback type, value and public
 * structure is there and is what it was. Decided when this file compiles; that it links shows that
 * the library has every function.
 */
#include <stddef.h>
#include <stdint.h>

#include <doca_buf.h>
#include <doca_buf_inventory.h>
#include <doca_comm_channel.h>
#include <doca_ctx.h>
#include <doca_dev.h>
#include <doca_dma.h>
#include <doca_error.h>
#include <doca_mmap.h>
#include <doca_types.h>
#include <doca_version.h>

#include "tests/abi/generation.h"

/* doca_buf.h */
IS(DOCA_BUF_EXTENSION_NONE, 0);
SAME(doca_buf_refcount_rm, doca_error_t (*)(struct doca_buf *buf, uint16_t *refcount));
SAME(doca_buf_head_get, doca_error_t (*)(struct doca_buf *buf, uint8_t **head));
SAME(doca_buf_len_get, doca_error_t (*)(struct doca_buf *buf, size_t *len));
SAME(doca_buf_refcount_get, doca_error_t (*)(struct doca_buf *buf, uint16_t *refcount));

/* doca_buf_inventory.h */
SAME(doca_buf_inventory_destroy, doca_error_t (*)(struct doca_buf_inventory *inventory));
SAME(doca_buf_inventory_start, doca_error_t (*)(struct doca_buf_inventory *inventory));
SAME(doca_buf_inventory_stop, doca_error_t (*)(struct doca_buf_inventory *inventory));
SAME(doca_buf_inventory_buf_dup,
     doca_error_t (*)(struct doca_buf_inventory *inventory, const struct doca_buf *src_buf,
		      struct doca_buf **dst_buf));
SAME(doca_buf_inventory_create,
     doca_error_t (*)(const char *name, size_t num_elements, uint32_t extensions,
		      struct doca_buf_inventory **buf_inventory));
SAME(doca_buf_inventory_property_set, doca_error_t (*)(struct doca_buf_inventory *inventory,
						       enum doca_buf_inventory_property property,
						       const uint8_t *value, uint32_t size));
SAME(doca_buf_inventory_property_get, doca_error_t (*)(struct doca_buf_inventory *inventory,
						       enum doca_buf_inventory_property property,
						       const uint8_t *value, uint32_t size));
SAME(doca_buf_inventory_buf_by_addr,
     doca_error_t (*)(struct doca_buf_inventory *inventory, struct doca_mmap *mmap, char *addr,
		      size_t len, struct doca_buf **buf));

/* doca_comm_channel.h */
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

/* doca_ctx.h */
SAME(doca_ctx_start, doca_error_t (*)(struct doca_ctx *ctx));
SAME(doca_ctx_stop, doca_error_t (*)(struct doca_ctx *ctx));
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
IS(DOCA_WORKQ_RETRIEVE_FLAGS_NONE, 0);
SAME(doca_workq_progress_retrieve,
     doca_error_t (*)(struct doca_workq *workq, struct doca_event *ev, int flags));
SAME(doca_ctx_dev_add, doca_error_t (*)(struct doca_ctx *ctx, struct doca_dev *dev));
SAME(doca_ctx_dev_rm, doca_error_t (*)(struct doca_ctx *ctx, struct doca_dev *dev));
SAME(doca_ctx_workq_add, doca_error_t (*)(struct doca_ctx *ctx, struct doca_workq *workq));
SAME(doca_ctx_workq_rm, doca_error_t (*)(struct doca_ctx *ctx, struct doca_workq *workq));
IS(DOCA_ACTION_SDK_RANGE, 16);
SAME(doca_workq_property_set,
     doca_error_t (*)(struct doca_workq *workq, enum doca_workq_property property,
		      const uint8_t *value, uint32_t size));
SAME(doca_workq_property_get,
     doca_error_t (*)(const struct doca_workq *workq, enum doca_workq_property property,
		      uint8_t *value, uint32_t size));

/* doca_dev.h */
SAME(doca_dev_open, doca_error_t (*)(struct doca_devinfo *devinfo, struct doca_dev **dev));
SAME(doca_dev_close, doca_error_t (*)(struct doca_dev *dev));
SAME(doca_devinfo_list_create,
     doca_error_t (*)(struct doca_devinfo ***dev_list, uint32_t *nb_devs));
SAME(doca_devinfo_list_destroy, doca_error_t (*)(struct doca_devinfo **dev_list));
SAME(doca_devinfo_remote_list_create,
     doca_error_t (*)(struct doca_dev *dev, enum doca_dev_remote_filter filter,
		      struct doca_devinfo_remote ***dev_list_remote, uint32_t *nb_devs_remote));
SAME(doca_devinfo_property_get,
     doca_error_t (*)(const struct doca_devinfo *devinfo, enum doca_devinfo_property property,
		      uint8_t *value, uint32_t size));
SAME(doca_dev_as_devinfo, doca_error_t (*)(struct doca_dev *dev, struct doca_devinfo **devinfo));
SAME(doca_devinfo_remote_list_destroy,
     doca_error_t (*)(struct doca_devinfo_remote **devinfo_remote_list));
SAME(doca_devinfo_remote_property_get,
     doca_error_t (*)(const struct doca_devinfo_remote *devinfo_remote,
		      enum doca_devinfo_remote_property property, uint8_t *value, uint32_t size));
SAME(doca_dev_remote_open, doca_error_t (*)(struct doca_devinfo_remote *devinfo_remote,
					    struct doca_dev_remote **dev_remote));
SAME(doca_dev_remote_close, doca_error_t (*)(struct doca_dev_remote *dev_remote));
SAME(doca_dev_remote_as_devinfo, doca_error_t (*)(struct doca_dev_remote *dev_remote,
						  struct doca_devinfo_remote **devinfo_remote));
THERE(DOCA_DEVINFO_PROPERTY_VUID);
THERE(DOCA_DEVINFO_PROPERTY_PCI_ADDR);
THERE(DOCA_DEVINFO_PROPERTY_IPV4_ADDR);
THERE(DOCA_DEVINFO_PROPERTY_IPV6_ADDR);
THERE(DOCA_DEVINFO_PROPERTY_IFACE_NAME);
THERE(DOCA_DEVINFO_PROPERTY_IBDEV_NAME);
THERE(DOCA_DEVINFO_REMOTE_PROPERTY_VUID);
IS(DOCA_DEV_REMOTE_FILTER_ALL, 0);
IS(DOCA_DEV_REMOTE_FILTER_NET, 2);

/* doca_dma.h */
SAME(doca_dma_destroy, doca_error_t (*)(struct doca_dma *dma));
SAME(doca_dma_as_ctx, struct doca_ctx *(*)(struct doca_dma *dma));
IS(DOCA_DMA_JOB_MEMCPY, 65537);
FIELD(struct doca_dma_job_memcpy, base, struct doca_job);
FIELD(struct doca_dma_job_memcpy, dst_buff, struct doca_buf *);
FIELD(struct doca_dma_job_memcpy, src_buff, struct doca_buf const *);
FIELD(struct doca_dma_memcpy_result, result, doca_error_t);
SAME(doca_dma_create, doca_error_t (*)(struct doca_dma **dma));
SAME(doca_dma_devinfo_caps_get, doca_error_t (*)(struct doca_devinfo *devinfo, uint32_t *caps));
IS(DOCA_DMA_CAP_NONE, 0);
IS(DOCA_DMA_CAP_HW_OFFLOAD, 1);

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
SAME(doca_get_error_name, const char *(*)(doca_error_t error));
SAME(doca_get_error_string, const char *(*)(doca_error_t error));

/* doca_mmap.h */
SAME(doca_mmap_destroy, doca_error_t (*)(struct doca_mmap *mmap));
SAME(doca_mmap_start, doca_error_t (*)(struct doca_mmap *mmap));
SAME(doca_mmap_stop, doca_error_t (*)(struct doca_mmap *mmap));
SAME(doca_mmap_dev_add, doca_error_t (*)(struct doca_mmap *mmap, struct doca_dev *dev));
SAME(doca_mmap_dev_rm, doca_error_t (*)(struct doca_mmap *mmap, struct doca_dev *dev));
SAME(doca_mmap_create, doca_error_t (*)(const char *name, struct doca_mmap **mmap));
SAME(doca_mmap_property_set,
     doca_error_t (*)(struct doca_mmap *mmap, enum doca_mmap_property property,
		      const uint8_t *value, uint32_t size));
SAME(doca_mmap_property_get,
     doca_error_t (*)(struct doca_mmap *mmap, enum doca_mmap_property property,
		      const uint8_t *value, uint32_t size));
SAME(doca_mmap_populate,
     doca_error_t (*)(struct doca_mmap *mmap, char *addr, size_t len, size_t pg_sz,
		      doca_mmap_memrange_free_cb_t *free_cb, void *opaque));
SAME(doca_mmap_export, doca_error_t (*)(struct doca_mmap *mmap, const struct doca_dev *dev,
					uint8_t **export_desc, size_t *export_desc_len));
SAME(doca_mmap_create_from_export,
     doca_error_t (*)(const char *name, const uint8_t *export_desc, size_t export_desc_len,
		      struct doca_dev *dev, struct doca_mmap **mmap));
SAME_TYPE(doca_mmap_memrange_free_cb_t, void(void *addr, size_t len, void *opaque));
THERE(DOCA_MMAP_MAX_NUM_CHUNKS);
THERE(DOCA_MMAP_ACCESS);
IS(DOCA_MMAP_ACCESS_LOCAL_READ, 0);
IS(DOCA_MMAP_ACCESS_LOCAL_WRITE, 1);
IS(DOCA_MMAP_ACCESS_REMOTE_WRITE, 2);
IS(DOCA_MMAP_ACCESS_REMOTE_READ, 4);
IS(DOCA_MMAP_ACCESS_REMOTE_ATOMIC, 8);

/* doca_types.h */
FIELD(union doca_data, ptr, void *);
FIELD(union doca_data, u64, uint64_t);

/* doca_version.h */
SAME(doca_version, const char *(*)(void));
SAME(doca_version_runtime, const char *(*)(void));

/* Not called: what the addresses bind to is looked at from outside. */
const void *const bound[] = {
	ADDRESS(doca_buf_head_get),
	ADDRESS(doca_buf_inventory_buf_by_addr),
	ADDRESS(doca_buf_inventory_buf_dup),
	ADDRESS(doca_buf_inventory_create),
	ADDRESS(doca_buf_inventory_destroy),
	ADDRESS(doca_buf_inventory_property_get),
	ADDRESS(doca_buf_inventory_property_set),
	ADDRESS(doca_buf_inventory_start),
	ADDRESS(doca_buf_inventory_stop),
	ADDRESS(doca_buf_len_get),
	ADDRESS(doca_buf_refcount_get),
	ADDRESS(doca_buf_refcount_rm),
	ADDRESS(doca_comm_channel_ep_connect),
	ADDRESS(doca_comm_channel_ep_create),
	ADDRESS(doca_comm_channel_ep_destroy),
	ADDRESS(doca_comm_channel_ep_disconnect),
	ADDRESS(doca_comm_channel_ep_event_channel_get),
	ADDRESS(doca_comm_channel_ep_listen),
	ADDRESS(doca_comm_channel_ep_recvfrom),
	ADDRESS(doca_comm_channel_ep_sendto),
	ADDRESS(doca_comm_channel_peer_addr_info_get),
	ADDRESS(doca_comm_channel_peer_addr_user_data_get),
	ADDRESS(doca_comm_channel_peer_addr_user_data_set),
	ADDRESS(doca_ctx_dev_add),
	ADDRESS(doca_ctx_dev_rm),
	ADDRESS(doca_ctx_start),
	ADDRESS(doca_ctx_stop),
	ADDRESS(doca_ctx_workq_add),
	ADDRESS(doca_ctx_workq_rm),
	ADDRESS(doca_dev_as_devinfo),
	ADDRESS(doca_dev_close),
	ADDRESS(doca_dev_open),
	ADDRESS(doca_dev_remote_as_devinfo),
	ADDRESS(doca_dev_remote_close),
	ADDRESS(doca_dev_remote_open),
	ADDRESS(doca_devinfo_list_create),
	ADDRESS(doca_devinfo_list_destroy),
	ADDRESS(doca_devinfo_property_get),
	ADDRESS(doca_devinfo_remote_list_create),
	ADDRESS(doca_devinfo_remote_list_destroy),
	ADDRESS(doca_devinfo_remote_property_get),
	ADDRESS(doca_dma_as_ctx),
	ADDRESS(doca_dma_create),
	ADDRESS(doca_dma_destroy),
	ADDRESS(doca_dma_devinfo_caps_get),
	ADDRESS(doca_get_error_name),
	ADDRESS(doca_get_error_string),
	ADDRESS(doca_mmap_create),
	ADDRESS(doca_mmap_create_from_export),
	ADDRESS(doca_mmap_destroy),
	ADDRESS(doca_mmap_dev_add),
	ADDRESS(doca_mmap_dev_rm),
	ADDRESS(doca_mmap_export),
	ADDRESS(doca_mmap_populate),
	ADDRESS(doca_mmap_property_get),
	ADDRESS(doca_mmap_property_set),
	ADDRESS(doca_mmap_start),
	ADDRESS(doca_mmap_stop),
	ADDRESS(doca_version),
	ADDRESS(doca_version_runtime),
	ADDRESS(doca_workq_create),
	ADDRESS(doca_workq_destroy),
	ADDRESS(doca_workq_progress_retrieve),
	ADDRESS(doca_workq_property_get),
	ADDRESS(doca_workq_property_set),
	ADDRESS(doca_workq_submit),
};

int main(void)
{
	return bound_is_complete(bound, sizeof(bound) / sizeof(bound[0])) ? 0 : 1;
}
