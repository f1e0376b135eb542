/*
 * The interface as a program of DOCA 1.5 sees it: every function, callback type, value and public
 * structure is there and is what it was. Decided when this file compiles; that it links shows that
 * the library has every function.
 */
#include <stddef.h>
#include <stdint.h>

#include <doca_buf.h>
#include <doca_buf_inventory.h>
#include <doca_compat.h>
#include <doca_ctx.h>
#include <doca_dev.h>
#include <doca_dma.h>
#include <doca_error.h>
#include <doca_mmap.h>
#include <doca_types.h>
#include <doca_version.h>

#include "tests/abi/generation.h"

/* doca_buf.h */
SAME(doca_buf_set_data, doca_error_t (*)(struct doca_buf *buf, void *data, size_t data_len));
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
IS(DOCA_BUF_EXTENSION_LINKED_LIST, 1);
SAME(doca_buf_get_len, doca_error_t (*)(struct doca_buf *buf, size_t *len));
SAME(doca_buf_get_lkey, doca_error_t (*)(const struct doca_buf *buf, struct doca_dev *dev,
					 uint32_t doca_access_flags, uint32_t *lkey));
SAME(doca_buf_get_head, doca_error_t (*)(struct doca_buf *buf, void **head));
SAME(doca_buf_get_data_len, doca_error_t (*)(struct doca_buf *buf, size_t *data_len));
SAME(doca_buf_get_data, doca_error_t (*)(struct doca_buf *buf, void **data));

/* doca_buf_inventory.h */
SAME(doca_buf_inventory_destroy, doca_error_t (*)(struct doca_buf_inventory *inventory));
SAME(doca_buf_inventory_start, doca_error_t (*)(struct doca_buf_inventory *inventory));
SAME(doca_buf_inventory_stop, doca_error_t (*)(struct doca_buf_inventory *inventory));
SAME(doca_buf_inventory_create,
     doca_error_t (*)(const union doca_data *user_data, size_t num_elements, uint32_t extensions,
		      struct doca_buf_inventory **buf_inventory));
SAME(doca_buf_inventory_buf_by_addr,
     doca_error_t (*)(struct doca_buf_inventory *inventory, struct doca_mmap *mmap, void *addr,
		      size_t len, struct doca_buf **buf));

/* doca_ctx.h */
SAME(doca_ctx_start, doca_error_t (*)(struct doca_ctx *ctx));
SAME(doca_ctx_stop, doca_error_t (*)(struct doca_ctx *ctx));
IS(DOCA_ACTION_NONE, 0);
IS(DOCA_ACTION_DMA_FIRST, 65536);
IS(DOCA_ACTION_DEVEMU_FIRST, 131072);
IS(DOCA_ACTION_VBLK_FIRST, 327680);
IS(DOCA_ACTION_REGEX_FIRST, 393216);
IS(DOCA_ACTION_NVME_FIRST, 458752);
IS(DOCA_ACTION_APPSHIELD_FIRST, 524288);
IS(DOCA_ACTION_SHA_FIRST, 589824);
IS(DOCA_ACTION_COMPRESS_FIRST, 655360);
IS(DOCA_ACTION_IPSEC_FIRST, 720896);
IS(DOCA_ACTION_RMAX_FIRST, 786432);
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
SAME(doca_ctx_dev_add, doca_error_t (*)(struct doca_ctx *ctx, struct doca_dev *dev));
SAME(doca_ctx_dev_rm, doca_error_t (*)(struct doca_ctx *ctx, struct doca_dev *dev));
SAME(doca_ctx_workq_add, doca_error_t (*)(struct doca_ctx *ctx, struct doca_workq *workq));
SAME(doca_ctx_workq_rm, doca_error_t (*)(struct doca_ctx *ctx, struct doca_workq *workq));
SAME(doca_ctx_get_event_driven_supported,
     doca_error_t (*)(struct doca_ctx *ctx, uint8_t *event_supported));
IS(DOCA_ACTION_SDK_RANGE, 16);
SAME(doca_workq_set_depth, doca_error_t (*)(struct doca_workq *workq, uint32_t depth));
IS(DOCA_ACTION_DEVEMU_BLOCK_FIRST, 196608);
IS(DOCA_ACTION_VIRTIO_FIRST, 262144);

/* doca_dev.h */
SAME(doca_dev_open, doca_error_t (*)(struct doca_devinfo *devinfo, struct doca_dev **dev));
SAME(doca_dev_close, doca_error_t (*)(struct doca_dev *dev));
SAME(doca_dev_rep_open,
     doca_error_t (*)(struct doca_devinfo_rep *devinfo, struct doca_dev_rep **dev_rep));
SAME(doca_dev_rep_close, doca_error_t (*)(struct doca_dev_rep *dev));
SAME(doca_dev_as_devinfo, struct doca_devinfo *(*)(const struct doca_dev *dev));
SAME(doca_dev_rep_as_devinfo, struct doca_devinfo_rep *(*)(struct doca_dev_rep *dev_rep));
SAME(doca_devinfo_get_ipv4_addr,
     doca_error_t (*)(const struct doca_devinfo *devinfo, uint8_t *ipv4_addr, uint32_t size));
SAME(doca_devinfo_get_ipv6_addr,
     doca_error_t (*)(const struct doca_devinfo *devinfo, uint8_t *ipv6_addr, uint32_t size));
SAME(doca_devinfo_get_iface_name,
     doca_error_t (*)(const struct doca_devinfo *devinfo, char *iface_name, uint32_t size));
SAME(doca_devinfo_get_ibdev_name,
     doca_error_t (*)(const struct doca_devinfo *devinfo, char *ibdev_name, uint32_t size));
SAME(doca_devinfo_rep_get_vuid,
     doca_error_t (*)(const struct doca_devinfo_rep *devinfo_rep, char *rep_vuid, uint32_t size));
SAME(doca_devinfo_rep_get_pci_func_type,
     doca_error_t (*)(const struct doca_devinfo_rep *devinfo_rep,
		      enum doca_pci_func_type *pci_func_type));
IS(DOCA_DEVINFO_VUID_SIZE, 128);
IS(DOCA_DEVINFO_IPV4_ADDR_SIZE, 4);
IS(DOCA_DEVINFO_IPV6_ADDR_SIZE, 16);
IS(DOCA_DEVINFO_IFACE_NAME_SIZE, 256);
IS(DOCA_DEVINFO_IBDEV_NAME_SIZE, 64);
IS(DOCA_DEVINFO_REP_VUID_SIZE, 128);
IS(DOCA_DEV_REP_FILTER_ALL, 0);
IS(DOCA_DEV_REP_FILTER_NET, 2);
SAME(doca_devinfo_list_create,
     doca_error_t (*)(struct doca_devinfo ***dev_list, uint32_t *nb_devs));
SAME(doca_devinfo_list_destroy, doca_error_t (*)(struct doca_devinfo **dev_list));
SAME(doca_devinfo_rep_list_create,
     doca_error_t (*)(struct doca_dev *dev, int filter, struct doca_devinfo_rep ***dev_list_rep,
		      uint32_t *nb_devs_rep));
SAME(doca_devinfo_rep_list_destroy, doca_error_t (*)(struct doca_devinfo_rep **dev_list_rep));
SAME(doca_devinfo_get_is_hotplug_manager_supported,
     doca_error_t (*)(const struct doca_devinfo *devinfo, uint8_t *is_hotplug_manager));
SAME(doca_devinfo_rep_get_is_list_all_supported,
     doca_error_t (*)(const struct doca_devinfo *devinfo, uint8_t *all_supported));
SAME(doca_devinfo_rep_get_is_list_net_supported,
     doca_error_t (*)(const struct doca_devinfo *devinfo, uint8_t *net_supported));
SAME(doca_devinfo_get_pci_addr,
     doca_error_t (*)(const struct doca_devinfo *devinfo, struct doca_pci_bdf *pci_addr));
SAME(doca_devinfo_get_is_mmap_export_supported,
     doca_error_t (*)(const struct doca_devinfo *devinfo, uint8_t *mmap_export));
SAME(doca_devinfo_get_is_mmap_from_export_supported,
     doca_error_t (*)(const struct doca_devinfo *devinfo, uint8_t *from_export));
SAME(doca_devinfo_rep_get_is_list_virtio_fs_supported,
     doca_error_t (*)(const struct doca_devinfo *devinfo, uint8_t *virtio_fs_supported));
SAME(doca_devinfo_rep_get_is_list_virtio_net_supported,
     doca_error_t (*)(const struct doca_devinfo *devinfo, uint8_t *virtio_net_supported));
SAME(doca_devinfo_rep_get_is_list_virtio_blk_supported,
     doca_error_t (*)(const struct doca_devinfo *devinfo, uint8_t *virtio_blk_supported));
SAME(doca_devinfo_rep_get_is_list_nvme_supported,
     doca_error_t (*)(const struct doca_devinfo *devinfo, uint8_t *nvme_supported));
SAME(doca_devinfo_rep_get_pci_addr,
     doca_error_t (*)(const struct doca_devinfo_rep *devinfo_rep, struct doca_pci_bdf *pci_addr));
IS(DOCA_DEV_REP_FILTER_VIRTIO_FS, 4);
IS(DOCA_DEV_REP_FILTER_VIRTIO_NET, 8);
IS(DOCA_DEV_REP_FILTER_VIRTIO_BLK, 16);
IS(DOCA_DEV_REP_FILTER_NVME, 32);

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
IS(DOCA_ERROR_UNSUPPORTED_VERSION, 19);
IS(DOCA_ERROR_OPERATING_SYSTEM, 20);
IS(DOCA_ERROR_DRIVER, 21);
IS(DOCA_ERROR_UNEXPECTED, 22);
SAME(doca_get_error_name, const char *(*)(doca_error_t error));
SAME(doca_get_error_string, const char *(*)(doca_error_t error));

/* doca_mmap.h */
SAME(doca_mmap_destroy, doca_error_t (*)(struct doca_mmap *mmap));
SAME(doca_mmap_start, doca_error_t (*)(struct doca_mmap *mmap));
SAME(doca_mmap_stop, doca_error_t (*)(struct doca_mmap *mmap));
SAME(doca_mmap_create_from_export,
     doca_error_t (*)(const union doca_data *user_data, const void *export_desc,
		      size_t export_desc_len, struct doca_dev *dev, struct doca_mmap **mmap));
SAME(doca_mmap_set_max_num_devices,
     doca_error_t (*)(struct doca_mmap *mmap, uint32_t max_num_devices));
SAME(doca_mmap_create, doca_error_t (*)(const union doca_data *user_data, struct doca_mmap **mmap));
SAME(doca_mmap_dev_add, doca_error_t (*)(struct doca_mmap *mmap, struct doca_dev *dev));
SAME(doca_mmap_dev_rm, doca_error_t (*)(struct doca_mmap *mmap, struct doca_dev *dev));
SAME(doca_mmap_get_user_data, doca_error_t (*)(struct doca_mmap *mmap, union doca_data *user_data));
SAME(doca_mmap_get_max_num_devices,
     doca_error_t (*)(struct doca_mmap *mmap, uint32_t *max_num_devices));
SAME(doca_mmap_get_num_bufs, doca_error_t (*)(struct doca_mmap *mmap, uint32_t *num_bufs));
SAME(doca_mmap_get_exported, doca_error_t (*)(struct doca_mmap *mmap, uint8_t *exported));
SAME(doca_mmap_get_from_export, doca_error_t (*)(struct doca_mmap *mmap, uint8_t *from_export));
SAME_TYPE(doca_mmap_memrange_free_cb_t, void(void *addr, size_t len, void *opaque));
SAME(doca_mmap_populate,
     doca_error_t (*)(struct doca_mmap *mmap, void *addr, size_t len, size_t pg_sz,
		      doca_mmap_memrange_free_cb_t *free_cb, void *opaque));
SAME(doca_mmap_export, doca_error_t (*)(struct doca_mmap *mmap, const struct doca_dev *dev,
					void **export_desc, size_t *export_desc_len));
SAME(doca_mmap_get_max_num_chunks,
     doca_error_t (*)(struct doca_mmap *mmap, uint32_t *max_num_chunks));
SAME(doca_mmap_set_max_num_chunks,
     doca_error_t (*)(struct doca_mmap *mmap, uint32_t max_num_chunks));

/* doca_types.h */
SAME_TYPE(doca_event_handle_t, int);
FIELD(union doca_data, ptr, void *);
FIELD(union doca_data, u64, uint64_t);
IS(DOCA_PCI_FUNC_PF, 0);
IS(DOCA_PCI_FUNC_VF, 1);
IS(DOCA_PCI_FUNC_SF, 2);
IS(DOCA_ACCESS_LOCAL_READ, 0);
IS(DOCA_ACCESS_LOCAL_WRITE, 1);
IS(DOCA_ACCESS_REMOTE_WRITE, 2);
IS(DOCA_ACCESS_REMOTE_READ, 4);
IS(DOCA_ACCESS_REMOTE_ATOMIC, 8);
IS(PCI_FUNCTION_MAX_VALUE, 8);
IS(PCI_DEVICE_MAX_VALUE, 32);
IS(PCI_BUS_MAX_VALUE, 256);

/* doca_version.h */
SAME(doca_version, const char *(*)(void));
SAME(doca_version_runtime, const char *(*)(void));
IS(DOCA_VER_MINOR, 5);
IS(DOCA_VER_MAJOR, 1);
IS(DOCA_VER_PATCH, 55);

/* Not called: what the addresses bind to is looked at from outside. */
const void *const bound[] = {
	ADDRESS(doca_buf_get_data),
	ADDRESS(doca_buf_get_data_len),
	ADDRESS(doca_buf_get_head),
	ADDRESS(doca_buf_get_len),
	ADDRESS(doca_buf_get_lkey),
	ADDRESS(doca_buf_get_refcount),
	ADDRESS(doca_buf_inventory_buf_by_addr),
	ADDRESS(doca_buf_inventory_create),
	ADDRESS(doca_buf_inventory_destroy),
	ADDRESS(doca_buf_inventory_start),
	ADDRESS(doca_buf_inventory_stop),
	ADDRESS(doca_buf_list_chain),
	ADDRESS(doca_buf_list_is_first),
	ADDRESS(doca_buf_list_is_last),
	ADDRESS(doca_buf_list_last),
	ADDRESS(doca_buf_list_next),
	ADDRESS(doca_buf_list_num_elements),
	ADDRESS(doca_buf_list_unchain),
	ADDRESS(doca_buf_refcount_add),
	ADDRESS(doca_buf_refcount_rm),
	ADDRESS(doca_buf_set_data),
	ADDRESS(doca_ctx_dev_add),
	ADDRESS(doca_ctx_dev_rm),
	ADDRESS(doca_ctx_get_event_driven_supported),
	ADDRESS(doca_ctx_get_max_num_ctx),
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
	ADDRESS(doca_devinfo_get_is_mmap_export_supported),
	ADDRESS(doca_devinfo_get_is_mmap_from_export_supported),
	ADDRESS(doca_devinfo_get_pci_addr),
	ADDRESS(doca_devinfo_list_create),
	ADDRESS(doca_devinfo_list_destroy),
	ADDRESS(doca_devinfo_rep_get_is_list_all_supported),
	ADDRESS(doca_devinfo_rep_get_is_list_net_supported),
	ADDRESS(doca_devinfo_rep_get_is_list_nvme_supported),
	ADDRESS(doca_devinfo_rep_get_is_list_virtio_blk_supported),
	ADDRESS(doca_devinfo_rep_get_is_list_virtio_fs_supported),
	ADDRESS(doca_devinfo_rep_get_is_list_virtio_net_supported),
	ADDRESS(doca_devinfo_rep_get_pci_addr),
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
	ADDRESS(doca_mmap_create),
	ADDRESS(doca_mmap_create_from_export),
	ADDRESS(doca_mmap_destroy),
	ADDRESS(doca_mmap_dev_add),
	ADDRESS(doca_mmap_dev_rm),
	ADDRESS(doca_mmap_export),
	ADDRESS(doca_mmap_get_exported),
	ADDRESS(doca_mmap_get_from_export),
	ADDRESS(doca_mmap_get_max_num_chunks),
	ADDRESS(doca_mmap_get_max_num_devices),
	ADDRESS(doca_mmap_get_num_bufs),
	ADDRESS(doca_mmap_get_user_data),
	ADDRESS(doca_mmap_populate),
	ADDRESS(doca_mmap_set_max_num_chunks),
	ADDRESS(doca_mmap_set_max_num_devices),
	ADDRESS(doca_mmap_start),
	ADDRESS(doca_mmap_stop),
	ADDRESS(doca_version),
	ADDRESS(doca_version_runtime),
	ADDRESS(doca_workq_create),
	ADDRESS(doca_workq_destroy),
	ADDRESS(doca_workq_event_handle_arm),
	ADDRESS(doca_workq_event_handle_clear),
	ADDRESS(doca_workq_get_depth),
	ADDRESS(doca_workq_get_event_driven_enable),
	ADDRESS(doca_workq_get_event_handle),
	ADDRESS(doca_workq_progress_retrieve),
	ADDRESS(doca_workq_set_depth),
	ADDRESS(doca_workq_set_event_driven_enable),
	ADDRESS(doca_workq_submit),
};

int main(void)
{
	return bound_is_complete(bound, sizeof(bound) / sizeof(bound[0])) ? 0 : 1;
}
