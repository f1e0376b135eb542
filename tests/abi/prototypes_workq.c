/*
 * Contexts, work queues, jobs and DMA up to 2.2, compiled for each of these versions by
 * prototypes_workq.sh: signatures, layouts and values, and in the object file the symbols that the
 * names of several forms are bound to.
 */
#include <doca_ctx.h>
#include <doca_dma.h>

#define SAME(name, ...)                                                              \
	_Static_assert(__builtin_types_compatible_p(__typeof__(&name), __VA_ARGS__), \
		       "type of " #name)
#define IS(expression, value) _Static_assert((expression) == (value), #expression)

/* One form or another of these names exists in other versions too. */
SAME(doca_ctx_start, doca_error_t (*)(struct doca_ctx *ctx));
SAME(doca_ctx_stop, doca_error_t (*)(struct doca_ctx *ctx));
SAME(doca_workq_create, doca_error_t (*)(uint32_t depth, struct doca_workq **workq));
SAME(doca_dma_create, doca_error_t (*)(struct doca_dma **dma));
SAME(doca_dma_destroy, doca_error_t (*)(struct doca_dma *dma));
SAME(doca_dma_as_ctx, struct doca_ctx *(*)(struct doca_dma *dma));

SAME(doca_workq_destroy, doca_error_t (*)(struct doca_workq *workq));
SAME(doca_workq_submit, doca_error_t (*)(struct doca_workq *workq, struct doca_job const *job));
SAME(doca_workq_progress_retrieve,
     doca_error_t (*)(struct doca_workq *workq, struct doca_event *ev, int flags));
SAME(doca_ctx_dev_add, doca_error_t (*)(struct doca_ctx *ctx, struct doca_dev *dev));
SAME(doca_ctx_dev_rm, doca_error_t (*)(struct doca_ctx *ctx, struct doca_dev *dev));
SAME(doca_ctx_workq_add, doca_error_t (*)(struct doca_ctx *ctx, struct doca_workq *workq));
SAME(doca_ctx_workq_rm, doca_error_t (*)(struct doca_ctx *ctx, struct doca_workq *workq));

#if DOCA_USE_VERSION < DOCA_MAKE_VERSION(1, 5)
SAME(doca_workq_property_set,
     doca_error_t (*)(struct doca_workq *workq, enum doca_workq_property property,
		      const uint8_t *value, uint32_t size));
SAME(doca_workq_property_get,
     doca_error_t (*)(const struct doca_workq *workq, enum doca_workq_property property,
		      uint8_t *value, uint32_t size));
SAME(doca_dma_devinfo_caps_get, doca_error_t (*)(struct doca_devinfo *devinfo, uint32_t *caps));
#else
SAME(doca_workq_get_depth, doca_error_t (*)(const struct doca_workq *workq, uint32_t *depth));
SAME(doca_workq_set_event_driven_enable,
     doca_error_t (*)(struct doca_workq *workq, uint8_t enable));
SAME(doca_workq_get_event_driven_enable,
     doca_error_t (*)(struct doca_workq *workq, uint8_t *enabled));
SAME(doca_workq_get_event_handle,
     doca_error_t (*)(struct doca_workq *workq, doca_event_handle_t *handle));
SAME(doca_workq_event_handle_arm, doca_error_t (*)(struct doca_workq *workq));
SAME(doca_workq_event_handle_clear,
     doca_error_t (*)(struct doca_workq *workq, doca_event_handle_t handle));
SAME(doca_ctx_get_event_driven_supported,
     doca_error_t (*)(struct doca_ctx *ctx, uint8_t *event_supported));
SAME(doca_ctx_get_max_num_ctx, doca_error_t (*)(uint32_t *max_num_ctx));
SAME(doca_dma_job_get_supported,
     doca_error_t (*)(struct doca_devinfo *devinfo, enum doca_dma_job_types job_type));
SAME(doca_dma_get_max_list_buf_num_elem,
     doca_error_t (*)(const struct doca_devinfo *devinfo, uint32_t *max_list_num_elem));
SAME(doca_dma_get_max_buf_size,
     doca_error_t (*)(const struct doca_devinfo *devinfo, uint64_t *buf_size));
#endif
#if DOCA_USE_VERSION >= DOCA_MAKE_VERSION(1, 5) && DOCA_USE_VERSION < DOCA_MAKE_VERSION(2, 0)
SAME(doca_workq_set_depth, doca_error_t (*)(struct doca_workq *workq, uint32_t depth));
#endif
#if DOCA_USE_VERSION < DOCA_MAKE_VERSION(2, 0)
IS(DOCA_DMA_CAP_NONE, 0);
IS(DOCA_DMA_CAP_HW_OFFLOAD, 1);
IS(DOCA_ACTION_DEVEMU_BLOCK_FIRST, 196608);
#else
SAME(doca_workq_set_event_handle,
     doca_error_t (*)(struct doca_workq *workq, doca_event_handle_t event_handle,
		      uintptr_t completion_key));
IS(DOCA_ACTION_RDMA_FIRST, 851968);
IS(DOCA_ACTION_GRAPH_FIRST, 917504);
IS(DOCA_ACTION_SYNC_EVENT_FIRST, 983040);
IS(DOCA_ACTION_NVRD_TRANSPORT_FIRST, 1179648);
#endif

IS(DOCA_ACTION_SDK_RANGE, 16);
IS(DOCA_ACTION_NONE, 0);
IS(DOCA_ACTION_DMA_FIRST, 65536);
IS(DOCA_ACTION_SHA_FIRST, 589824);
IS(DOCA_ACTION_RMAX_FIRST, 786432);
IS(DOCA_DMA_JOB_MEMCPY, 65537);
IS(DOCA_JOB_FLAGS_NONE, 0);
IS(DOCA_WORKQ_RETRIEVE_FLAGS_NONE, 0);

/* Whoever was compiled for one version shares these with the library. */
IS(sizeof(struct doca_job), 24);
IS(offsetof(struct doca_job, flags), 4);
IS(offsetof(struct doca_job, ctx), 8);
IS(offsetof(struct doca_job, user_data), 16);
IS(sizeof(struct doca_event), 24);
IS(offsetof(struct doca_event, user_data), 8);
IS(offsetof(struct doca_event, result), 16);
IS(offsetof(struct doca_dma_job_memcpy, base), 0);
IS(offsetof(struct doca_dma_job_memcpy, dst_buff), 24);
IS(offsetof(struct doca_dma_job_memcpy, src_buff), 32);
#if DOCA_USE_VERSION < DOCA_MAKE_VERSION(1, 5)
IS(offsetof(struct doca_dma_job_memcpy, num_bytes_to_copy), 40);
#else
IS(sizeof(struct doca_dma_job_memcpy), 40);
#endif
IS(offsetof(struct doca_dma_memcpy_result, result), 0);

extern void *const bound[];
void *const bound[] = {
	(void *)doca_ctx_start,
	(void *)doca_ctx_stop,
	(void *)doca_workq_create,
	(void *)doca_dma_create,
};
