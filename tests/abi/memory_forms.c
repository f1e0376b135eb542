/*
 * Names of the memory headers that have a form of their own in some versions: their types, decided
 * when this compiles, and their addresses, whose symbols tests/abi/memory_forms.sh looks up.
 */
#include <doca_buf.h>
#include <doca_buf_inventory.h>
#include <doca_mmap.h>
#if DOCA_USE_VERSION >= 200
#include <doca_buf_array.h>
#endif
#if DOCA_USE_VERSION >= 200 && DOCA_USE_VERSION < 205
#include <doca_bufpool.h>
#endif

#define SAME(name, ...)                                                              \
	_Static_assert(__builtin_types_compatible_p(__typeof__(&name), __VA_ARGS__), \
		       "type of " #name)
#define IS(name, value) _Static_assert((name) == (value), #name " is not " #value)

extern void *addresses[];
void *addresses[] = {
	(void *)doca_mmap_create,
	(void *)doca_mmap_create_from_export,
	(void *)doca_mmap_start,
	(void *)doca_buf_inventory_create,
#if DOCA_USE_VERSION >= 105
	(void *)doca_buf_set_data,
#endif
#if DOCA_USE_VERSION < 205
	(void *)doca_mmap_dev_add,
	(void *)doca_mmap_dev_rm,
#endif
#if DOCA_USE_VERSION >= 200
	(void *)doca_mmap_set_dmabuf_memrange,
	(void *)doca_buf_arr_create,
	(void *)doca_buf_arr_set_params,
#endif
#if DOCA_USE_VERSION >= 205
	(void *)doca_buf_arr_get_dpa_handle,
#endif
};

SAME(doca_mmap_start, doca_error_t (*)(struct doca_mmap *mmap));

/* --- 1.3 --- */
#if DOCA_USE_VERSION < 105
SAME(doca_mmap_create, doca_error_t (*)(const char *name, struct doca_mmap **mmap));
SAME(doca_mmap_create_from_export,
     doca_error_t (*)(const char *name, const uint8_t *export_desc, size_t export_desc_len,
		      struct doca_dev *dev, struct doca_mmap **mmap));
SAME(doca_mmap_populate,
     doca_error_t (*)(struct doca_mmap *mmap, char *addr, size_t len, size_t pg_sz,
		      doca_mmap_memrange_free_cb_t *free_cb, void *opaque));
SAME(doca_mmap_export, doca_error_t (*)(struct doca_mmap *mmap, const struct doca_dev *dev,
					uint8_t **export_desc, size_t *export_desc_len));
SAME(doca_mmap_property_set,
     doca_error_t (*)(struct doca_mmap *mmap, enum doca_mmap_property property,
		      const uint8_t *value, uint32_t size));
SAME(doca_mmap_property_get,
     doca_error_t (*)(struct doca_mmap *mmap, enum doca_mmap_property property,
		      const uint8_t *value, uint32_t size));
SAME(doca_buf_head_get, doca_error_t (*)(struct doca_buf *buf, uint8_t **head));
SAME(doca_buf_len_get, doca_error_t (*)(struct doca_buf *buf, size_t *len));
SAME(doca_buf_refcount_get, doca_error_t (*)(struct doca_buf *buf, uint16_t *refcount));
SAME(doca_buf_inventory_create,
     doca_error_t (*)(const char *name, size_t num_elements, uint32_t extensions,
		      struct doca_buf_inventory **inventory));
SAME(doca_buf_inventory_buf_by_addr,
     doca_error_t (*)(struct doca_buf_inventory *inventory, struct doca_mmap *mmap, char *addr,
		      size_t len, struct doca_buf **buf));
SAME(doca_buf_inventory_property_get, doca_error_t (*)(struct doca_buf_inventory *inventory,
						       enum doca_buf_inventory_property property,
						       const uint8_t *value, uint32_t size));
IS(DOCA_MMAP_ACCESS_LOCAL_READ, 0);
IS(DOCA_MMAP_ACCESS_LOCAL_WRITE, 1);
IS(DOCA_MMAP_ACCESS_REMOTE_WRITE, 2);
IS(DOCA_MMAP_ACCESS_REMOTE_READ, 4);
IS(DOCA_MMAP_ACCESS_REMOTE_ATOMIC, 8);
IS(DOCA_BUF_EXTENSION_LINKED_LIST, 1);
#endif

/* --- 1.5 --- */
#if DOCA_USE_VERSION >= 105 && DOCA_USE_VERSION < 200
SAME(doca_mmap_populate,
     doca_error_t (*)(struct doca_mmap *mmap, void *addr, size_t len, size_t pg_sz,
		      doca_mmap_memrange_free_cb_t *free_cb, void *opaque));
SAME(doca_mmap_export, doca_error_t (*)(struct doca_mmap *mmap, const struct doca_dev *dev,
					void **export_desc, size_t *export_desc_len));
SAME(doca_mmap_get_max_num_chunks,
     doca_error_t (*)(struct doca_mmap *mmap, uint32_t *max_num_chunks));
SAME(doca_mmap_set_max_num_chunks,
     doca_error_t (*)(struct doca_mmap *mmap, uint32_t max_num_chunks));
SAME(doca_buf_get_lkey, doca_error_t (*)(const struct doca_buf *buf, struct doca_dev *dev,
					 uint32_t doca_access_flags, uint32_t *lkey));
SAME(doca_buf_get_head, doca_error_t (*)(struct doca_buf *buf, void **head));
SAME(doca_buf_get_len, doca_error_t (*)(struct doca_buf *buf, size_t *len));
SAME(doca_buf_get_data, doca_error_t (*)(struct doca_buf *buf, void **data));
SAME(doca_buf_get_data_len, doca_error_t (*)(struct doca_buf *buf, size_t *data_len));
SAME(doca_buf_inventory_buf_by_addr,
     doca_error_t (*)(struct doca_buf_inventory *inventory, struct doca_mmap *mmap, void *addr,
		      size_t len, struct doca_buf **buf));
IS(DOCA_BUF_EXTENSION_LINKED_LIST, 1);
#endif

/* --- 1.5 to 2.2 --- */
#if DOCA_USE_VERSION >= 105 && DOCA_USE_VERSION < 205
SAME(doca_mmap_create, doca_error_t (*)(const union doca_data *user_data, struct doca_mmap **mmap));
SAME(doca_mmap_get_user_data, doca_error_t (*)(struct doca_mmap *mmap, union doca_data *user_data));
SAME(doca_mmap_get_num_bufs, doca_error_t (*)(struct doca_mmap *mmap, uint32_t *num_bufs));
SAME(doca_buf_inventory_create,
     doca_error_t (*)(const union doca_data *user_data, size_t num_elements, uint32_t extensions,
		      struct doca_buf_inventory **buf_inventory));
SAME(doca_buf_refcount_add, doca_error_t (*)(struct doca_buf *buf, uint16_t *refcount));
SAME(doca_buf_get_refcount, doca_error_t (*)(struct doca_buf *buf, uint16_t *refcount));
SAME(doca_buf_list_next, doca_error_t (*)(struct doca_buf *buf, struct doca_buf **next_buf));
SAME(doca_buf_list_last, doca_error_t (*)(struct doca_buf *buf, struct doca_buf **last_buf));
SAME(doca_buf_list_is_last, doca_error_t (*)(const struct doca_buf *buf, bool *is_last));
SAME(doca_buf_list_is_first, doca_error_t (*)(const struct doca_buf *buf, bool *is_first));
SAME(doca_buf_list_num_elements,
     doca_error_t (*)(const struct doca_buf *buf, uint32_t *num_elements));
SAME(doca_buf_list_chain, doca_error_t (*)(struct doca_buf *list1, struct doca_buf *list2));
SAME(doca_buf_list_unchain, doca_error_t (*)(struct doca_buf *list1, struct doca_buf *list2));
#endif

/* --- up to 2.2 --- */
#if DOCA_USE_VERSION < 205
SAME(doca_mmap_dev_add, doca_error_t (*)(struct doca_mmap *mmap, struct doca_dev *dev));
SAME(doca_mmap_dev_rm, doca_error_t (*)(struct doca_mmap *mmap, struct doca_dev *dev));
SAME(doca_buf_refcount_rm, doca_error_t (*)(struct doca_buf *buf, uint16_t *refcount));
IS(DOCA_BUF_EXTENSION_NONE, 0);
#endif

/* --- 2.0 to 2.2 --- */
#if DOCA_USE_VERSION >= 200 && DOCA_USE_VERSION < 205
SAME(doca_mmap_export_dpu, doca_error_t (*)(struct doca_mmap *mmap, const struct doca_dev *dev,
					    const void **export_desc, size_t *export_desc_len));
SAME(doca_mmap_set_dmabuf_memrange,
     doca_error_t (*)(struct doca_mmap *mmap, int dmabuf_fd, size_t offset, size_t len));
SAME(doca_buf_inventory_buf_by_args,
     doca_error_t (*)(struct doca_buf_inventory *inventory, struct doca_mmap *mmap, void *addr,
		      size_t len, void *data, size_t data_len, struct doca_buf **buf));
SAME(doca_buf_inventory_buf_by_addr,
     doca_error_t (*)(struct doca_buf_inventory *inventory, struct doca_mmap *mmap, void *addr,
		      size_t len, struct doca_buf **buf));
SAME(doca_buf_inventory_buf_by_data,
     doca_error_t (*)(struct doca_buf_inventory *inventory, struct doca_mmap *mmap, void *data,
		      size_t data_len, struct doca_buf **buf));
SAME(doca_bufpool_create,
     doca_error_t (*)(const union doca_data *user_data, size_t num_elements, uint32_t extensions,
		      size_t element_size, size_t element_alignment, const struct doca_mmap *mmap,
		      struct doca_bufpool **bufpool));
SAME(doca_bufpool_buf_alloc, doca_error_t (*)(struct doca_bufpool *bufpool, struct doca_buf **buf));
#endif

/* --- 1.5 and later --- */
#if DOCA_USE_VERSION >= 105
SAME(doca_mmap_create_from_export,
     doca_error_t (*)(const union doca_data *user_data, const void *export_desc,
		      size_t export_desc_len, struct doca_dev *dev, struct doca_mmap **mmap));
SAME(doca_buf_set_data, doca_error_t (*)(struct doca_buf *buf, void *data, size_t data_len));
#endif

/* --- arrays --- */
#if DOCA_USE_VERSION >= 200 && DOCA_USE_VERSION < 207
SAME(doca_buf_arr_create, doca_error_t (*)(struct doca_mmap *mmap, struct doca_buf_arr **buf_arr));
SAME(doca_buf_arr_set_params, doca_error_t (*)(struct doca_buf_arr *buf_arr, size_t size,
					       uint32_t num_elem, uint32_t start_offset));
#endif
#if DOCA_USE_VERSION >= 205 && DOCA_USE_VERSION < 207
SAME(doca_buf_arr_get_dpa_handle, doca_error_t (*)(const struct doca_buf_arr *buf_arr,
						   struct doca_dpa_dev_buf_arr **dpa_buf_arr));
#endif
#if DOCA_USE_VERSION >= 207
SAME(doca_buf_arr_create, doca_error_t (*)(size_t num_elem, struct doca_buf_arr **buf_arr));
SAME(doca_buf_arr_get_dpa_handle,
     doca_error_t (*)(const struct doca_buf_arr *buf_arr, doca_dpa_dev_buf_arr_t *dpa_buf_arr));
#endif
