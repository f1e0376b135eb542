/*
 * Signatures of the SHA and memory advice headers: each function and callback type has exactly the
 * type that the SDK gives it. Decided when this file compiles; needs no library.
 */
#include <doca_mmap_advise.h>
#include <doca_sha.h>

#define SAME(name, ...)                                                              \
	_Static_assert(__builtin_types_compatible_p(__typeof__(&name), __VA_ARGS__), \
		       "type of " #name)
#define SAME_TYPE(name, ...) \
	_Static_assert(__builtin_types_compatible_p(name, __VA_ARGS__), "type of " #name)

/* doca_sha.h */
SAME(doca_sha_create, doca_error_t (*)(struct doca_dev *dev, struct doca_sha **sha));
SAME(doca_sha_destroy, doca_error_t (*)(struct doca_sha *sha));
SAME(doca_sha_as_ctx, struct doca_ctx *(*)(struct doca_sha *sha));
SAME(doca_sha_cap_task_hash_get_supported,
     doca_error_t (*)(struct doca_devinfo const *devinfo, enum doca_sha_algorithm algorithm));
SAME(doca_sha_cap_task_partial_hash_get_supported,
     doca_error_t (*)(struct doca_devinfo const *devinfo, enum doca_sha_algorithm algorithm));
SAME(doca_sha_cap_get_max_list_buf_num_elem,
     doca_error_t (*)(struct doca_devinfo const *devinfo, uint32_t *max_list_buf_num_elem));
SAME(doca_sha_cap_get_max_src_buf_size,
     doca_error_t (*)(struct doca_devinfo const *devinfo, uint64_t *max_src_buf_size));
SAME(doca_sha_cap_get_min_dst_buf_size,
     doca_error_t (*)(struct doca_devinfo const *devinfo, enum doca_sha_algorithm algorithm,
		      uint32_t *min_dst_buf_size));
SAME(doca_sha_cap_get_partial_hash_block_size,
     doca_error_t (*)(struct doca_devinfo const *devinfo, enum doca_sha_algorithm algorithm,
		      uint32_t *partial_block_size));
SAME(doca_sha_cap_get_max_num_tasks,
     doca_error_t (*)(struct doca_sha *sha, uint32_t *max_num_tasks));
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
SAME(doca_sha_task_partial_hash_set_is_final_buf,
     doca_error_t (*)(struct doca_sha_task_partial_hash *task));
SAME(doca_sha_task_partial_hash_get_is_final,
     uint8_t (*)(struct doca_sha_task_partial_hash const *task));
SAME(doca_sha_task_partial_hash_get_has_result,
     uint8_t (*)(struct doca_sha_task_partial_hash const *task));
SAME(doca_sha_task_partial_hash_as_task,
     struct doca_task *(*)(struct doca_sha_task_partial_hash *task));

/* doca_mmap_advise.h */
SAME_TYPE(doca_mmap_advise_task_invalidate_cache_completion_cb_t,
	  void (*)(struct doca_mmap_advise_task_invalidate_cache *task,
		   union doca_data task_user_data, union doca_data ctx_user_data));
SAME(doca_mmap_advise_create,
     doca_error_t (*)(struct doca_dev *dev, struct doca_mmap_advise **mmap_advise));
SAME(doca_mmap_advise_destroy, doca_error_t (*)(struct doca_mmap_advise *mmap_advise));
SAME(doca_mmap_advise_as_ctx, struct doca_ctx *(*)(struct doca_mmap_advise *mmap_advise));
SAME(doca_mmap_advise_cap_task_cache_invalidate_is_supported,
     doca_error_t (*)(const struct doca_devinfo *devinfo));
SAME(doca_mmap_advise_task_cache_invalidate_get_max_buf_size,
     doca_error_t (*)(const struct doca_devinfo *devinfo, uint64_t *buf_size));
SAME(doca_mmap_advise_task_invalidate_cache_set_conf,
     doca_error_t (*)(struct doca_mmap_advise *mmap_advise,
		      doca_mmap_advise_task_invalidate_cache_completion_cb_t completion_cb,
		      doca_mmap_advise_task_invalidate_cache_completion_cb_t error_cb,
		      uint32_t num_tasks));
SAME(doca_mmap_advise_task_invalidate_cache_alloc_init,
     doca_error_t (*)(struct doca_mmap_advise *mmap_advise, struct doca_buf *buf,
		      union doca_data user_data,
		      struct doca_mmap_advise_task_invalidate_cache **task));
SAME(doca_mmap_advise_task_invalidate_cache_as_doca_task,
     struct doca_task *(*)(struct doca_mmap_advise_task_invalidate_cache *task));
SAME(doca_mmap_advise_task_invalidate_cache_set_buf,
     void (*)(struct doca_mmap_advise_task_invalidate_cache *task, struct doca_buf *buf));
SAME(doca_mmap_advise_task_invalidate_cache_get_buf,
     struct doca_buf *(*)(const struct doca_mmap_advise_task_invalidate_cache *task));

int main(void)
{
	return 0;
}
