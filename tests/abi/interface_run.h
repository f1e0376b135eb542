/*
 * The public interface, row by row: contexts, engines, graphs, DMA, digests, sync events; layouts.
 * Each row appears once, with the versions that have it; tests/abi/interface_test.c explains the
 * rows.
 */

/* doca_ctx.h */
SAME(doca_ctx_start, doca_error_t (*)(struct doca_ctx *ctx));
SAME(doca_ctx_stop, doca_error_t (*)(struct doca_ctx *ctx));
#if IN(103, 204)
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
IS(DOCA_ACTION_NONE, 0);
IS(DOCA_ACTION_DMA_FIRST, 65536);
IS(DOCA_ACTION_SHA_FIRST, 589824);
IS(DOCA_ACTION_RMAX_FIRST, 786432);
#endif
#if IN(103, 104)
SAME(doca_workq_property_set,
     doca_error_t (*)(struct doca_workq *workq, enum doca_workq_property property,
		      const uint8_t *value, uint32_t size));
SAME(doca_workq_property_get,
     doca_error_t (*)(const struct doca_workq *workq, enum doca_workq_property property,
		      uint8_t *value, uint32_t size));
#endif
#if IN(105, 204)
IS(DOCA_ACTION_DEVEMU_FIRST, 131072);
IS(DOCA_ACTION_VBLK_FIRST, 327680);
IS(DOCA_ACTION_REGEX_FIRST, 393216);
IS(DOCA_ACTION_NVME_FIRST, 458752);
IS(DOCA_ACTION_APPSHIELD_FIRST, 524288);
IS(DOCA_ACTION_COMPRESS_FIRST, 655360);
IS(DOCA_ACTION_IPSEC_FIRST, 720896);
SAME(doca_workq_event_handle_arm, doca_error_t (*)(struct doca_workq *workq));
SAME(doca_workq_event_handle_clear,
     doca_error_t (*)(struct doca_workq *workq, doca_event_handle_t handle));
SAME(doca_ctx_get_max_num_ctx, doca_error_t (*)(uint32_t *max_num_ctx));
SAME(doca_workq_get_depth, doca_error_t (*)(const struct doca_workq *workq, uint32_t *depth));
SAME(doca_workq_get_event_driven_enable,
     doca_error_t (*)(struct doca_workq *workq, uint8_t *enabled));
SAME(doca_workq_get_event_handle,
     doca_error_t (*)(struct doca_workq *workq, doca_event_handle_t *handle));
SAME(doca_workq_set_event_driven_enable,
     doca_error_t (*)(struct doca_workq *workq, uint8_t enable));
SAME(doca_ctx_get_event_driven_supported,
     doca_error_t (*)(struct doca_ctx *ctx, uint8_t *event_supported));
#endif
#if IN(105, 199)
SAME(doca_workq_set_depth, doca_error_t (*)(struct doca_workq *workq, uint32_t depth));
IS(DOCA_ACTION_VIRTIO_FIRST, 262144);
#endif
#if IN(103, 199)
IS(DOCA_ACTION_DEVEMU_BLOCK_FIRST, 196608);
#endif
#if IN(200, 999)
SAME(doca_ctx_set_datapath_on_gpu,
     doca_error_t (*)(struct doca_ctx *ctx, struct doca_gpu *gpu_dev));
#endif
#if IN(200, 204)
IS(DOCA_ACTION_DEVEMU_PCI_FIRST, 196608);
IS(DOCA_ACTION_VIRTIO_FS_FIRST, 262144);
IS(DOCA_ACTION_RDMA_FIRST, 851968);
IS(DOCA_ACTION_GRAPH_FIRST, 917504);
IS(DOCA_ACTION_SYNC_EVENT_FIRST, 983040);
IS(DOCA_ACTION_DPI_FIRST, 1048576);
IS(DOCA_ACTION_EC_FIRST, 1114112);
IS(DOCA_ACTION_NVRD_TRANSPORT_FIRST, 1179648);
SAME(doca_workq_set_event_handle,
     doca_error_t (*)(struct doca_workq *workq, doca_event_handle_t event_handle,
		      uintptr_t completion_key));
#endif
#if IN(205, 999)
IS(DOCA_CTX_STATE_IDLE, 0);
IS(DOCA_CTX_STATE_STARTING, 1);
IS(DOCA_CTX_STATE_RUNNING, 2);
IS(DOCA_CTX_STATE_STOPPING, 3);
SAME_TYPE(doca_ctx_state_changed_callback_t,
	  void (*)(const union doca_data user_data, struct doca_ctx *ctx,
		   enum doca_ctx_states prev_state, enum doca_ctx_states next_state));
SAME(doca_ctx_get_num_inflight_tasks,
     doca_error_t (*)(const struct doca_ctx *ctx, size_t *num_inflight_tasks));
SAME(doca_ctx_set_user_data, doca_error_t (*)(struct doca_ctx *ctx, union doca_data user_data));
SAME(doca_ctx_get_user_data,
     doca_error_t (*)(const struct doca_ctx *ctx, union doca_data *user_data));
SAME(doca_ctx_set_state_changed_cb,
     doca_error_t (*)(struct doca_ctx *ctx, doca_ctx_state_changed_callback_t cb));
SAME(doca_ctx_get_state, doca_error_t (*)(const struct doca_ctx *ctx, enum doca_ctx_states *state));
SAME(doca_ctx_set_datapath_on_dpa,
     doca_error_t (*)(struct doca_ctx *ctx, struct doca_dpa *dpa_dev));
#endif
#if IN(207, 999)
SAME(doca_ctx_flush_tasks, void (*)(struct doca_ctx *ctx));
SAME(doca_ctx_set_completion_vector, doca_error_t (*)(struct doca_ctx *ctx, uint32_t comp_vector));
SAME(doca_ctx_cap_get_num_completion_vectors,
     doca_error_t (*)(const struct doca_devinfo *devinfo, uint32_t *num_comp_vectors));
#endif

/* doca_pe.h */
#if IN(205, 999)
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
#endif
#if IN(207, 999)
SAME(doca_task_submit_ex, doca_error_t (*)(struct doca_task *task, uint32_t flags));
SAME(doca_task_batch_submit, doca_error_t (*)(struct doca_task_batch *task_batch));
SAME(doca_task_batch_try_submit, doca_error_t (*)(struct doca_task_batch *task_batch));
SAME(doca_task_batch_free, void (*)(struct doca_task_batch *task_batch));
SAME(doca_task_batch_get_status, doca_error_t (*)(const struct doca_task_batch *task_batch));
SAME(doca_task_batch_set_user_data,
     void (*)(struct doca_task_batch *task_batch, union doca_data user_data));
SAME(doca_task_batch_get_user_data, union doca_data (*)(const struct doca_task_batch *task_batch));
SAME(doca_task_batch_get_ctx, struct doca_ctx *(*)(const struct doca_task_batch *task_batch));
SAME(doca_task_batch_get_ctx_user_data,
     union doca_data (*)(const struct doca_task_batch *task_batch));
SAME(doca_task_batch_get_tasks_num, uint16_t (*)(struct doca_task_batch *task_batch));
SAME(doca_pe_set_event_mode,
     doca_error_t (*)(struct doca_pe *pe, enum doca_pe_event_mode event_mode));
IS(DOCA_TASK_BATCH_MAX_TASKS_NUMBER_16, 0);
IS(DOCA_TASK_BATCH_MAX_TASKS_NUMBER_32, 1);
IS(DOCA_TASK_BATCH_MAX_TASKS_NUMBER_64, 2);
IS(DOCA_TASK_BATCH_MAX_TASKS_NUMBER_128, 3);
IS(DOCA_EVENT_BATCH_EVENTS_NUMBER_1, 0);
IS(DOCA_EVENT_BATCH_EVENTS_NUMBER_2, 1);
IS(DOCA_EVENT_BATCH_EVENTS_NUMBER_4, 2);
IS(DOCA_EVENT_BATCH_EVENTS_NUMBER_8, 3);
IS(DOCA_EVENT_BATCH_EVENTS_NUMBER_16, 4);
IS(DOCA_EVENT_BATCH_EVENTS_NUMBER_32, 5);
IS(DOCA_EVENT_BATCH_EVENTS_NUMBER_64, 6);
IS(DOCA_EVENT_BATCH_EVENTS_NUMBER_128, 7);
IS(DOCA_TASK_SUBMIT_FLAG_NONE, 0);
IS(DOCA_TASK_SUBMIT_FLAG_FLUSH, 1);
IS(DOCA_TASK_SUBMIT_FLAG_OPTIMIZE_REPORTS, 2);
IS(DOCA_PE_EVENT_MODE_PROGRESS_SELECTIVE, 0);
IS(DOCA_PE_EVENT_MODE_PROGRESS_ALL, 1);
#endif

/* doca_graph.h */
#if IN(200, 999)
SAME(doca_graph_destroy, doca_error_t (*)(struct doca_graph *graph));
SAME(doca_graph_add_dependency,
     doca_error_t (*)(struct doca_graph *graph, struct doca_graph_node *from,
		      struct doca_graph_node *to));
SAME(doca_graph_start, doca_error_t (*)(struct doca_graph *graph));
SAME(doca_graph_stop, doca_error_t (*)(struct doca_graph *graph));
SAME(doca_graph_instance_create,
     doca_error_t (*)(const struct doca_graph *graph, struct doca_graph_instance **graph_instance));
SAME(doca_graph_instance_destroy, doca_error_t (*)(struct doca_graph_instance *graph_instance));
#endif
#if IN(200, 204)
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
#endif
#if IN(205, 999)
SAME_TYPE(doca_graph_completion_cb_t,
	  void (*)(struct doca_graph_instance *instance, union doca_data instance_user_data,
		   union doca_data graph_user_data));
SAME(doca_graph_create, doca_error_t (*)(struct doca_pe *pe, struct doca_graph **graph));
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
#endif

/* doca_dma.h */
SAME(doca_dma_destroy, doca_error_t (*)(struct doca_dma *dma));
SAME(doca_dma_as_ctx, struct doca_ctx *(*)(struct doca_dma *dma));
#if IN(103, 204)
IS(DOCA_DMA_JOB_MEMCPY, 65537);
FIELD(struct doca_dma_job_memcpy, base, struct doca_job);
FIELD(struct doca_dma_job_memcpy, dst_buff, struct doca_buf *);
FIELD(struct doca_dma_job_memcpy, src_buff, struct doca_buf const *);
FIELD(struct doca_dma_memcpy_result, result, doca_error_t);
SAME(doca_dma_create, doca_error_t (*)(struct doca_dma **dma));
#endif
#if IN(103, 104)
SAME(doca_dma_devinfo_caps_get, doca_error_t (*)(struct doca_devinfo *devinfo, uint32_t *caps));
#endif
#if IN(103, 199)
IS(DOCA_DMA_CAP_NONE, 0);
IS(DOCA_DMA_CAP_HW_OFFLOAD, 1);
#endif
#if IN(105, 204)
SAME(doca_dma_job_get_supported,
     doca_error_t (*)(struct doca_devinfo *devinfo, enum doca_dma_job_types job_type));
SAME(doca_dma_get_max_list_buf_num_elem,
     doca_error_t (*)(const struct doca_devinfo *devinfo, uint32_t *max_list_num_elem));
SAME(doca_dma_get_max_buf_size,
     doca_error_t (*)(const struct doca_devinfo *devinfo, uint64_t *buf_size));
#endif
#if IN(205, 999)
SAME_TYPE(doca_dma_task_memcpy_completion_cb_t,
	  void (*)(struct doca_dma_task_memcpy *task, union doca_data task_user_data,
		   union doca_data ctx_user_data));
SAME(doca_dma_create, doca_error_t (*)(struct doca_dev *dev, struct doca_dma **dma));
SAME(doca_dma_cap_task_memcpy_is_supported, doca_error_t (*)(const struct doca_devinfo *devinfo));
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
#endif
#if IN(207, 999)
SAME(doca_dma_get_gpu_handle,
     doca_error_t (*)(struct doca_dma *dma, struct doca_gpu_dma **gpu_dma));
SAME(doca_dma_set_ordered_completions, doca_error_t (*)(struct doca_dma *dma, uint8_t enable));
#endif

/* doca_sha.h */
#if IN(200, 999)
SAME(doca_sha_destroy, doca_error_t (*)(struct doca_sha *sha));
SAME(doca_sha_as_ctx, struct doca_ctx *(*)(struct doca_sha *sha));
#endif
#if IN(200, 204)
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
#endif
#if IN(205, 999)
SAME(doca_sha_create, doca_error_t (*)(struct doca_dev *dev, struct doca_sha **sha));
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
#endif
#if IN(205, 205)
SAME(doca_sha_cap_get_max_src_buffer_size,
     doca_error_t (*)(struct doca_devinfo const *devinfo, uint64_t *max_buffer_size));
SAME(doca_sha_cap_get_min_dst_buffer_size,
     doca_error_t (*)(struct doca_devinfo const *devinfo, enum doca_sha_algorithm task_type,
		      uint32_t *min_buffer_size));
SAME(doca_sha_task_partial_hash_set_is_final_buffer,
     doca_error_t (*)(struct doca_sha_task_partial_hash *task));
#endif
#if IN(206, 999)
SAME(doca_sha_cap_get_max_src_buf_size,
     doca_error_t (*)(struct doca_devinfo const *devinfo, uint64_t *max_src_buf_size));
SAME(doca_sha_cap_get_min_dst_buf_size,
     doca_error_t (*)(struct doca_devinfo const *devinfo, enum doca_sha_algorithm algorithm,
		      uint32_t *min_dst_buf_size));
SAME(doca_sha_task_partial_hash_set_is_final_buf,
     doca_error_t (*)(struct doca_sha_task_partial_hash *task));
#endif
#if IN(207, 999)
SAME(doca_sha_cap_get_max_num_tasks,
     doca_error_t (*)(struct doca_sha *sha, uint32_t *max_num_tasks));
#endif

/* doca_sync_event.h */
#if IN(200, 999)
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
#endif
#if IN(200, 204)
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
SAME(doca_sync_event_get_export_to_dpu_supported,
     doca_error_t (*)(const struct doca_devinfo *devinfo));
SAME(doca_sync_event_get_export_to_dpa_supported,
     doca_error_t (*)(const struct doca_devinfo *devinfo));
SAME(doca_sync_event_get_export_to_gpu_supported,
     doca_error_t (*)(const struct doca_devinfo *devinfo));
FIELD(struct doca_sync_event_remote, data, uint64_t[2]);
SAME_TYPE(doca_sync_event_remote_t, struct doca_sync_event_remote);
SAME(doca_sync_event_export_remote,
     doca_error_t (*)(struct doca_sync_event *event, doca_sync_event_remote_t *handle));
#endif
#if IN(200, 206)
SAME(doca_sync_event_export_to_dpu,
     doca_error_t (*)(struct doca_sync_event *event, struct doca_dev *dev, const uint8_t **data,
		      size_t *sz));
SAME(doca_sync_event_export_to_dpa,
     doca_error_t (*)(struct doca_sync_event *event, struct doca_dpa *dpa,
		      doca_dpa_dev_sync_event_t *dpa_dev_se_handle));
SAME(doca_sync_event_export_to_gpu,
     doca_error_t (*)(struct doca_sync_event *event, struct doca_gpu *gpu,
		      doca_gpu_dev_sync_event_t **gpu_dev_se));
#endif
#if IN(205, 999)
SAME_TYPE(doca_dpa_dev_sync_event_remote_net_t, uint64_t);
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
SAME(doca_sync_event_cap_is_create_from_export_supported,
     doca_error_t (*)(const struct doca_devinfo *devinfo));
SAME(doca_sync_event_remote_net_create_from_export,
     doca_error_t (*)(struct doca_dev *dev, const uint8_t *data, size_t sz,
		      struct doca_sync_event_remote_net **event));
SAME(doca_sync_event_cap_remote_net_is_create_from_export_supported,
     doca_error_t (*)(const struct doca_devinfo *devinfo));
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
#endif
#if IN(205, 206)
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
#endif
#if IN(207, 999)
SAME_TYPE(doca_sync_event_task_wait_eq_completion_cb_t,
	  void (*)(struct doca_sync_event_task_wait_eq *task, union doca_data task_user_data,
		   union doca_data ctx_user_data));
SAME_TYPE(doca_sync_event_task_wait_neq_completion_cb_t,
	  void (*)(struct doca_sync_event_task_wait_neq *task, union doca_data task_user_data,
		   union doca_data ctx_user_data));
SAME(doca_sync_event_add_publisher_location_remote_pci,
     doca_error_t (*)(struct doca_sync_event *event));
SAME(doca_sync_event_add_subscriber_location_remote_pci,
     doca_error_t (*)(struct doca_sync_event *event));
SAME(doca_sync_event_set_doca_buf,
     doca_error_t (*)(struct doca_sync_event *event, struct doca_buf *buf));
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
SAME(doca_sync_event_get_gpu_handle,
     doca_error_t (*)(struct doca_sync_event *event, struct doca_gpu *gpu,
		      doca_gpu_dev_sync_event_t **gpu_dev_se));
SAME(doca_sync_event_remote_net_get_dpa_handle,
     doca_error_t (*)(struct doca_sync_event_remote_net *event, struct doca_dpa *dpa,
		      doca_dpa_dev_sync_event_remote_net_t *dpa_remote_event));
SAME(doca_sync_event_remote_net_get_gpu_handle,
     doca_error_t (*)(struct doca_sync_event_remote_net *event, struct doca_gpu *gpu,
		      doca_gpu_dev_sync_event_remote_net_t *gpu_remote_event));
SAME(doca_sync_event_wait_eq,
     doca_error_t (*)(struct doca_sync_event *event, uint64_t value, uint64_t mask));
SAME(doca_sync_event_wait_eq_yield,
     doca_error_t (*)(struct doca_sync_event *event, uint64_t value, uint64_t mask));
SAME(doca_sync_event_wait_neq,
     doca_error_t (*)(struct doca_sync_event *event, uint64_t value, uint64_t mask));
SAME(doca_sync_event_wait_neq_yield,
     doca_error_t (*)(struct doca_sync_event *event, uint64_t value, uint64_t mask));
#endif

/* sizes and layout of what programs hold themselves */
#if IN(207, 999)
SIZE(doca_error_t, 4);
SIZE(enum doca_ctx_states, 4);
SIZE(enum doca_argp_type, 4);
SIZE(doca_event_handle_t, 4);
SIZE(doca_notification_handle_t, 4);
SIZE(doca_dpa_dev_mmap_t, 4);
SIZE(doca_be16_t, 2);
SIZE(doca_be32_t, 4);
SIZE(doca_be64_t, 8);
SIZE(union doca_data, 8);
SIZE(struct doca_gather_list, 2 * sizeof(void *) + 8);
IS(offsetof(struct doca_gather_list, addr), 0);
IS(offsetof(struct doca_gather_list, len), 8);
IS(offsetof(struct doca_gather_list, next), 16);
SIZE(struct doca_argp_device_ctx, 2 * sizeof(void *));
IS(offsetof(struct doca_argp_device_ctx, dev), 0);
IS(offsetof(struct doca_argp_device_ctx, devargs), sizeof(void *));
SIZE(struct doca_argp_device_rep_ctx, 3 * sizeof(void *));
IS(offsetof(struct doca_argp_device_rep_ctx, dev_ctx), 0);
IS(offsetof(struct doca_argp_device_rep_ctx, dev_rep), 2 * sizeof(void *));
#endif
#if IN(103, 204)
SIZE(struct doca_job, 24);
IS(offsetof(struct doca_job, flags), 4);
IS(offsetof(struct doca_job, ctx), 8);
IS(offsetof(struct doca_job, user_data), 16);
SIZE(struct doca_event, 24);
IS(offsetof(struct doca_event, user_data), 8);
IS(offsetof(struct doca_event, result), 16);
IS(offsetof(struct doca_dma_job_memcpy, base), 0);
IS(offsetof(struct doca_dma_job_memcpy, dst_buff), 24);
IS(offsetof(struct doca_dma_job_memcpy, src_buff), 32);
IS(offsetof(struct doca_dma_memcpy_result, result), 0);
#endif
#if IN(103, 104)
IS(offsetof(struct doca_dma_job_memcpy, num_bytes_to_copy), 40);
#endif
#if IN(105, 204)
SIZE(struct doca_dma_job_memcpy, 40);
#endif
#if IN(200, 204)
IS(offsetof(struct doca_sha_job, base), 0);
IS(offsetof(struct doca_sha_partial_job, sha_job), 0);
IS(offsetof(struct doca_sync_event_job_wait, base), 0);
IS(offsetof(struct doca_sync_event_job_get, base), 0);
IS(offsetof(struct doca_sync_event_job_update_set, base), 0);
IS(offsetof(struct doca_sync_event_job_update_add, base), 0);
SIZE(doca_sync_event_remote_t, 16);
#endif
