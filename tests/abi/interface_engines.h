/*
 * Libraries whose engine no device here has, row by row; see tests/abi/interface_test.c.
 */
#if IN(209, 999)
/* doca_compress.h */
SAME(doca_compress_create, doca_error_t (*)(struct doca_dev *dev, struct doca_compress **compress));
SAME(doca_compress_destroy, doca_error_t (*)(struct doca_compress *compress));
SAME(doca_compress_as_ctx, struct doca_ctx *(*)(struct doca_compress *compress));
SAME(doca_compress_cap_get_max_num_tasks,
     doca_error_t (*)(struct doca_compress *compress, uint32_t *max_num_tasks));
SAME_TYPE(doca_compress_task_compress_deflate_completion_cb_t,
	  void (*)(struct doca_compress_task_compress_deflate *task, union doca_data task_user_data,
		   union doca_data ctx_user_data));
SAME(doca_compress_cap_task_compress_deflate_is_supported,
     doca_error_t (*)(const struct doca_devinfo *devinfo));
SAME(doca_compress_cap_task_compress_deflate_get_max_buf_size,
     doca_error_t (*)(const struct doca_devinfo *devinfo, uint64_t *max_buffer_size));
SAME(doca_compress_cap_task_compress_deflate_get_max_buf_list_len,
     doca_error_t (*)(const struct doca_devinfo *devinfo, uint32_t *max_buf_list_len));
SAME(doca_compress_task_compress_deflate_set_conf,
     doca_error_t (*)(struct doca_compress *compress,
		      doca_compress_task_compress_deflate_completion_cb_t task_completion_cb,
		      doca_compress_task_compress_deflate_completion_cb_t task_error_cb,
		      uint32_t num_tasks));
SAME(doca_compress_task_compress_deflate_alloc_init,
     doca_error_t (*)(struct doca_compress *compress, struct doca_buf const *src_buff,
		      struct doca_buf *dst_buff, union doca_data user_data,
		      struct doca_compress_task_compress_deflate **task));
SAME(doca_compress_task_compress_deflate_as_task,
     struct doca_task *(*)(struct doca_compress_task_compress_deflate *task));
SAME(doca_compress_task_compress_deflate_set_src,
     void (*)(struct doca_compress_task_compress_deflate *task, struct doca_buf const *src_buff));
SAME(doca_compress_task_compress_deflate_get_src,
     struct doca_buf const *(*)(const struct doca_compress_task_compress_deflate *task));
SAME(doca_compress_task_compress_deflate_set_dst,
     void (*)(struct doca_compress_task_compress_deflate *task, struct doca_buf *dst_buff));
SAME(doca_compress_task_compress_deflate_get_dst,
     struct doca_buf *(*)(const struct doca_compress_task_compress_deflate *task));
SAME(doca_compress_task_compress_deflate_get_crc_cs,
     uint32_t (*)(const struct doca_compress_task_compress_deflate *task));
SAME(doca_compress_task_compress_deflate_get_adler_cs,
     uint32_t (*)(const struct doca_compress_task_compress_deflate *task));
SAME_TYPE(doca_compress_task_decompress_deflate_completion_cb_t,
	  void (*)(struct doca_compress_task_decompress_deflate *task,
		   union doca_data task_user_data, union doca_data ctx_user_data));
SAME(doca_compress_cap_task_decompress_deflate_is_supported,
     doca_error_t (*)(const struct doca_devinfo *devinfo));
SAME(doca_compress_cap_task_decompress_deflate_get_max_buf_size,
     doca_error_t (*)(const struct doca_devinfo *devinfo, uint64_t *max_buffer_size));
SAME(doca_compress_cap_task_decompress_deflate_get_max_buf_list_len,
     doca_error_t (*)(const struct doca_devinfo *devinfo, uint32_t *max_buf_list_len));
SAME(doca_compress_task_decompress_deflate_set_conf,
     doca_error_t (*)(struct doca_compress *compress,
		      doca_compress_task_decompress_deflate_completion_cb_t task_completion_cb,
		      doca_compress_task_decompress_deflate_completion_cb_t task_error_cb,
		      uint32_t num_tasks));
SAME(doca_compress_task_decompress_deflate_alloc_init,
     doca_error_t (*)(struct doca_compress *compress, struct doca_buf const *src_buff,
		      struct doca_buf *dst_buff, union doca_data user_data,
		      struct doca_compress_task_decompress_deflate **task));
SAME(doca_compress_task_decompress_deflate_as_task,
     struct doca_task *(*)(struct doca_compress_task_decompress_deflate *task));
SAME(doca_compress_task_decompress_deflate_set_src,
     void (*)(struct doca_compress_task_decompress_deflate *task, struct doca_buf const *src_buff));
SAME(doca_compress_task_decompress_deflate_get_src,
     struct doca_buf const *(*)(const struct doca_compress_task_decompress_deflate *task));
SAME(doca_compress_task_decompress_deflate_set_dst,
     void (*)(struct doca_compress_task_decompress_deflate *task, struct doca_buf *dst_buff));
SAME(doca_compress_task_decompress_deflate_get_dst,
     struct doca_buf *(*)(const struct doca_compress_task_decompress_deflate *task));
SAME(doca_compress_task_decompress_deflate_get_crc_cs,
     uint32_t (*)(const struct doca_compress_task_decompress_deflate *task));
SAME(doca_compress_task_decompress_deflate_get_adler_cs,
     uint32_t (*)(const struct doca_compress_task_decompress_deflate *task));
SAME_TYPE(doca_compress_task_decompress_lz4_stream_completion_cb_t,
	  void (*)(struct doca_compress_task_decompress_lz4_stream *task,
		   union doca_data task_user_data, union doca_data ctx_user_data));
SAME(doca_compress_cap_task_decompress_lz4_stream_is_supported,
     doca_error_t (*)(const struct doca_devinfo *devinfo));
SAME(doca_compress_cap_task_decompress_lz4_stream_get_max_buf_size,
     doca_error_t (*)(const struct doca_devinfo *devinfo, uint64_t *max_buffer_size));
SAME(doca_compress_cap_task_decompress_lz4_stream_get_max_buf_list_len,
     doca_error_t (*)(const struct doca_devinfo *devinfo, uint32_t *max_buf_list_len));
SAME(doca_compress_task_decompress_lz4_stream_set_conf,
     doca_error_t (*)(struct doca_compress *compress,
		      doca_compress_task_decompress_lz4_stream_completion_cb_t task_completion_cb,
		      doca_compress_task_decompress_lz4_stream_completion_cb_t task_error_cb,
		      uint32_t num_tasks));
SAME(doca_compress_task_decompress_lz4_stream_alloc_init,
     doca_error_t (*)(struct doca_compress *compress, uint8_t has_block_checksum,
		      uint8_t are_blocks_independent, struct doca_buf const *src_buff,
		      struct doca_buf *dst_buff, union doca_data user_data,
		      struct doca_compress_task_decompress_lz4_stream **task));
SAME(doca_compress_task_decompress_lz4_stream_as_task,
     struct doca_task *(*)(struct doca_compress_task_decompress_lz4_stream *task));
SAME(doca_compress_task_decompress_lz4_stream_set_has_block_checksum,
     void (*)(struct doca_compress_task_decompress_lz4_stream *task, uint8_t has_block_checksum));
SAME(doca_compress_task_decompress_lz4_stream_get_has_block_checksum,
     uint8_t (*)(const struct doca_compress_task_decompress_lz4_stream *task));
SAME(doca_compress_task_decompress_lz4_stream_set_are_blocks_independent,
     void (*)(struct doca_compress_task_decompress_lz4_stream *task,
	      uint8_t are_blocks_independent));
SAME(doca_compress_task_decompress_lz4_stream_get_are_blocks_independent,
     uint8_t (*)(const struct doca_compress_task_decompress_lz4_stream *task));
SAME(doca_compress_task_decompress_lz4_stream_set_src,
     void (*)(struct doca_compress_task_decompress_lz4_stream *task,
	      struct doca_buf const *src_buff));
SAME(doca_compress_task_decompress_lz4_stream_get_src,
     struct doca_buf const *(*)(const struct doca_compress_task_decompress_lz4_stream *task));
SAME(doca_compress_task_decompress_lz4_stream_set_dst,
     void (*)(struct doca_compress_task_decompress_lz4_stream *task, struct doca_buf *dst_buff));
SAME(doca_compress_task_decompress_lz4_stream_get_dst,
     struct doca_buf *(*)(const struct doca_compress_task_decompress_lz4_stream *task));
SAME(doca_compress_task_decompress_lz4_stream_get_crc_cs,
     uint32_t (*)(const struct doca_compress_task_decompress_lz4_stream *task));
SAME(doca_compress_task_decompress_lz4_stream_get_xxh_cs,
     uint32_t (*)(const struct doca_compress_task_decompress_lz4_stream *task));
SAME_TYPE(doca_compress_task_decompress_lz4_block_completion_cb_t,
	  void (*)(struct doca_compress_task_decompress_lz4_block *task,
		   union doca_data task_user_data, union doca_data ctx_user_data));
SAME(doca_compress_cap_task_decompress_lz4_block_is_supported,
     doca_error_t (*)(const struct doca_devinfo *devinfo));
SAME(doca_compress_cap_task_decompress_lz4_block_get_max_buf_size,
     doca_error_t (*)(const struct doca_devinfo *devinfo, uint64_t *max_buffer_size));
SAME(doca_compress_cap_task_decompress_lz4_block_get_max_buf_list_len,
     doca_error_t (*)(const struct doca_devinfo *devinfo, uint32_t *max_buf_list_len));
SAME(doca_compress_task_decompress_lz4_block_set_conf,
     doca_error_t (*)(struct doca_compress *compress,
		      doca_compress_task_decompress_lz4_block_completion_cb_t task_completion_cb,
		      doca_compress_task_decompress_lz4_block_completion_cb_t task_error_cb,
		      uint32_t num_tasks));
SAME(doca_compress_task_decompress_lz4_block_alloc_init,
     doca_error_t (*)(struct doca_compress *compress, struct doca_buf const *src_buff,
		      struct doca_buf *dst_buff, union doca_data user_data,
		      struct doca_compress_task_decompress_lz4_block **task));
SAME(doca_compress_task_decompress_lz4_block_as_task,
     struct doca_task *(*)(struct doca_compress_task_decompress_lz4_block *task));
SAME(doca_compress_task_decompress_lz4_block_set_src,
     void (*)(struct doca_compress_task_decompress_lz4_block *task,
	      struct doca_buf const *src_buff));
SAME(doca_compress_task_decompress_lz4_block_get_src,
     struct doca_buf const *(*)(const struct doca_compress_task_decompress_lz4_block *task));
SAME(doca_compress_task_decompress_lz4_block_set_dst,
     void (*)(struct doca_compress_task_decompress_lz4_block *task, struct doca_buf *dst_buff));
SAME(doca_compress_task_decompress_lz4_block_get_dst,
     struct doca_buf *(*)(const struct doca_compress_task_decompress_lz4_block *task));
SAME(doca_compress_task_decompress_lz4_block_get_crc_cs,
     uint32_t (*)(const struct doca_compress_task_decompress_lz4_block *task));
SAME(doca_compress_task_decompress_lz4_block_get_xxh_cs,
     uint32_t (*)(const struct doca_compress_task_decompress_lz4_block *task));
#endif
