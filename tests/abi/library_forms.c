/*
 * SHA, sync events and graphs, compiled by library_forms.sh for each version that has them:
 * signatures, values and layouts, and in the object file the symbols that the names of several
 * forms are bound to.
 */
#include <doca_graph.h>
#include <doca_sha.h>
#include <doca_sync_event.h>

#define SAME(name, ...)                                                              \
	_Static_assert(__builtin_types_compatible_p(__typeof__(&name), __VA_ARGS__), \
		       "type of " #name)
#define IS(expression, value) _Static_assert((int)(expression) == (value), #expression)

/* In all of them, though the object may be of another kind. */
SAME(doca_graph_destroy, doca_error_t (*)(struct doca_graph *graph));
SAME(doca_graph_add_dependency,
     doca_error_t (*)(struct doca_graph *graph, struct doca_graph_node *from,
		      struct doca_graph_node *to));
SAME(doca_graph_start, doca_error_t (*)(struct doca_graph *graph));
SAME(doca_graph_stop, doca_error_t (*)(struct doca_graph *graph));
SAME(doca_graph_instance_create,
     doca_error_t (*)(const struct doca_graph *graph, struct doca_graph_instance **graph_instance));
SAME(doca_graph_instance_destroy, doca_error_t (*)(struct doca_graph_instance *graph_instance));
SAME(doca_sha_destroy, doca_error_t (*)(struct doca_sha *sha));
SAME(doca_sha_as_ctx, struct doca_ctx *(*)(struct doca_sha *sha));
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

#if DOCA_USE_VERSION <= 206
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

#if DOCA_USE_VERSION == 205 || DOCA_USE_VERSION == 206
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

#if DOCA_USE_VERSION == 205
SAME(doca_sha_cap_get_max_src_buffer_size,
     doca_error_t (*)(struct doca_devinfo const *devinfo, uint64_t *max_buffer_size));
SAME(doca_sha_cap_get_min_dst_buffer_size,
     doca_error_t (*)(struct doca_devinfo const *devinfo, enum doca_sha_algorithm task_type,
		      uint32_t *min_buffer_size));
SAME(doca_sha_task_partial_hash_set_is_final_buffer,
     doca_error_t (*)(struct doca_sha_task_partial_hash *task));
#endif

#if DOCA_API_WORKQ
SAME(doca_graph_create, doca_error_t (*)(struct doca_graph **graph));
SAME(doca_graph_ctx_node_create,
     doca_error_t (*)(struct doca_graph *graph, int job_type, const struct doca_ctx *ctx,
		      struct doca_graph_node **node));
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
SAME(doca_graph_instance_node_get_state,
     doca_error_t (*)(const struct doca_graph_instance *graph_instance,
		      const struct doca_graph_node *node,
		      enum doca_graph_instance_node_state *state));
SAME(doca_graph_instance_node_get_result,
     doca_error_t (*)(const struct doca_graph_instance *graph_instance,
		      const struct doca_graph_node *node, union doca_data *result));
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
SAME(doca_sync_event_job_get_supported,
     doca_error_t (*)(struct doca_devinfo *devinfo, enum doca_sync_event_job_types type));
SAME(doca_sync_event_get_export_to_dpu_supported,
     doca_error_t (*)(const struct doca_devinfo *devinfo));
SAME(doca_sync_event_get_export_to_dpa_supported,
     doca_error_t (*)(const struct doca_devinfo *devinfo));
SAME(doca_sync_event_get_export_to_gpu_supported,
     doca_error_t (*)(const struct doca_devinfo *devinfo));
SAME(doca_sync_event_export_remote,
     doca_error_t (*)(struct doca_sync_event *event, doca_sync_event_remote_t *handle));

IS(DOCA_GRAPH_JOB, 917505);
IS(DOCA_GRAPH_INSTANCE_NODE_STATE_NOT_STARTED, 0);
IS(DOCA_GRAPH_INSTANCE_NODE_STATE_STARTED, 1);
IS(DOCA_GRAPH_INSTANCE_NODE_STATE_COMPLETED, 2);
IS(DOCA_GRAPH_INSTANCE_NODE_STATE_ERROR, 3);
IS(DOCA_SHA_JOB_SHA1, 589825);
IS(DOCA_SHA_JOB_SHA256, 589826);
IS(DOCA_SHA_JOB_SHA512, 589827);
IS(DOCA_SHA_JOB_SHA1_PARTIAL, 589828);
IS(DOCA_SHA_JOB_SHA256_PARTIAL, 589829);
IS(DOCA_SHA_JOB_SHA512_PARTIAL, 589830);
IS(DOCA_SHA_JOB_FLAGS_NONE, 0);
IS(DOCA_SHA_JOB_FLAGS_SHA_PARTIAL_FINAL, 1);
IS(DOCA_SHA1_BYTE_COUNT, 20);
IS(DOCA_SHA256_BYTE_COUNT, 32);
IS(DOCA_SHA512_BYTE_COUNT, 64);
IS(DOCA_SYNC_EVENT_JOB_WAIT_GT, 983041);
IS(DOCA_SYNC_EVENT_JOB_GET, 983042);
IS(DOCA_SYNC_EVENT_JOB_UPDATE_SET, 983043);
IS(DOCA_SYNC_EVENT_JOB_UPDATE_ADD, 983044);

_Static_assert(__builtin_types_compatible_p(__typeof__(((struct doca_sha_job *)0)->base),
					    struct doca_job),
	       "type of base");
_Static_assert(__builtin_types_compatible_p(__typeof__(((struct doca_sha_job *)0)->req_buf),
					    struct doca_buf *),
	       "type of req_buf");
_Static_assert(__builtin_types_compatible_p(__typeof__(((struct doca_sha_job *)0)->resp_buf),
					    struct doca_buf *),
	       "type of resp_buf");
_Static_assert(__builtin_types_compatible_p(__typeof__(((struct doca_sha_job *)0)->flags),
					    uint64_t),
	       "type of flags");
_Static_assert(__builtin_types_compatible_p(__typeof__(((struct doca_sha_partial_job *)0)->sha_job),
					    struct doca_sha_job),
	       "type of sha_job");
_Static_assert(__builtin_types_compatible_p(__typeof__(((struct doca_sha_partial_job *)0)->session),
					    struct doca_sha_partial_session *),
	       "type of session");
_Static_assert(__builtin_types_compatible_p(
		       __typeof__(((struct doca_sync_event_result *)0)->result), doca_error_t),
	       "type of result");
_Static_assert(__builtin_types_compatible_p(
		       __typeof__(((struct doca_sync_event_job_wait *)0)->base), struct doca_job),
	       "type of base");
_Static_assert(__builtin_types_compatible_p(
		       __typeof__(((struct doca_sync_event_job_wait *)0)->value), uint64_t),
	       "type of value");
_Static_assert(__builtin_types_compatible_p(
		       __typeof__(((struct doca_sync_event_job_wait *)0)->mask), uint64_t),
	       "type of mask");
_Static_assert(__builtin_types_compatible_p(__typeof__(((struct doca_sync_event_job_get *)0)->base),
					    struct doca_job),
	       "type of base");
_Static_assert(__builtin_types_compatible_p(
		       __typeof__(((struct doca_sync_event_job_get *)0)->value), uint64_t *),
	       "type of value");
_Static_assert(
	__builtin_types_compatible_p(__typeof__(((struct doca_sync_event_job_update_set *)0)->base),
				     struct doca_job),
	"type of base");
_Static_assert(__builtin_types_compatible_p(
		       __typeof__(((struct doca_sync_event_job_update_set *)0)->value), uint64_t),
	       "type of value");
_Static_assert(
	__builtin_types_compatible_p(__typeof__(((struct doca_sync_event_job_update_add *)0)->base),
				     struct doca_job),
	"type of base");
_Static_assert(__builtin_types_compatible_p(
		       __typeof__(((struct doca_sync_event_job_update_add *)0)->value), uint64_t),
	       "type of value");
_Static_assert(__builtin_types_compatible_p(
		       __typeof__(((struct doca_sync_event_job_update_add *)0)->fetched),
		       uint64_t *),
	       "type of fetched");
_Static_assert(__builtin_types_compatible_p(__typeof__(((struct doca_sync_event_remote *)0)->data),
					    uint64_t[2]),
	       "type of data");
/* What programs cast a job to has the job first. */
IS(__builtin_offsetof(struct doca_sha_job, base), 0);
IS(__builtin_offsetof(struct doca_sha_partial_job, sha_job), 0);
IS(__builtin_offsetof(struct doca_sync_event_job_wait, base), 0);
IS(__builtin_offsetof(struct doca_sync_event_job_get, base), 0);
IS(__builtin_offsetof(struct doca_sync_event_job_update_set, base), 0);
IS(__builtin_offsetof(struct doca_sync_event_job_update_add, base), 0);
IS(sizeof(doca_sync_event_remote_t), 16);
#else
SAME(doca_graph_create, doca_error_t (*)(struct doca_pe *pe, struct doca_graph **graph));
SAME(doca_graph_instance_set_ctx_node_data,
     doca_error_t (*)(struct doca_graph_instance *graph_instance, struct doca_graph_node *node,
		      struct doca_task *task));
SAME(doca_graph_instance_set_user_node_data,
     doca_error_t (*)(struct doca_graph_instance *graph_instance, struct doca_graph_node *node,
		      void *cookie));
SAME(doca_graph_instance_set_sub_graph_node_data,
     doca_error_t (*)(struct doca_graph_instance *graph_instance, struct doca_graph_node *node,
		      struct doca_graph_instance *sub_graph_instance));
SAME(doca_sha_create, doca_error_t (*)(struct doca_dev *dev, struct doca_sha **sha));
#endif

/* Those with several forms. */
extern const void *const forms[];
const void *const forms[] = {
	(const void *)doca_graph_create,
	(const void *)doca_graph_destroy,
	(const void *)doca_graph_instance_create,
	(const void *)doca_graph_instance_destroy,
	(const void *)doca_graph_instance_set_ctx_node_data,
	(const void *)doca_graph_instance_set_sub_graph_node_data,
	(const void *)doca_graph_instance_set_user_node_data,
	(const void *)doca_graph_start,
	(const void *)doca_graph_stop,
	(const void *)doca_sha_create,
	(const void *)doca_sync_event_create,
	(const void *)doca_sync_event_create_from_export,
};
