/*
 * Libraries for the accelerators of cards, row by row; see tests/abi/interface_test.c.
 */
/* doca_compress.h */
#if IN(202, 999)
SAME(doca_compress_destroy, doca_error_t (*)(struct doca_compress *compress));
SAME(doca_compress_as_ctx, struct doca_ctx *(*)(struct doca_compress *compress));
#endif
#if IN(202, 204)
IS(DOCA_COMPRESS_DEFLATE_JOB, 655361);
IS(DOCA_DECOMPRESS_DEFLATE_JOB, 655362);
IS(DOCA_DECOMPRESS_LZ4_JOB, 655363);
FIELD(struct doca_compress_deflate_job, base, struct doca_job);
FIELD(struct doca_compress_deflate_job, dst_buff, struct doca_buf *);
FIELD(struct doca_compress_deflate_job, src_buff, struct doca_buf const *);
FIELD(struct doca_compress_deflate_job, output_chksum, uint64_t *);
FIELD(struct doca_compress_lz4_job, base, struct doca_job);
FIELD(struct doca_compress_lz4_job, dst_buff, struct doca_buf *);
FIELD(struct doca_compress_lz4_job, src_buff, struct doca_buf const *);
FIELD(struct doca_compress_lz4_job, output_chksum, uint64_t *);
SAME(doca_compress_create, doca_error_t (*)(struct doca_compress **compress));
SAME(doca_compress_job_get_supported,
     doca_error_t (*)(struct doca_devinfo *devinfo, enum doca_compress_job_types job_type));
SAME(doca_compress_get_max_buf_size,
     doca_error_t (*)(const struct doca_devinfo *devinfo, enum doca_compress_job_types job_type,
		      uint64_t *max_buffer_size));
SAME(doca_compress_get_max_list_buf_num_elem,
     doca_error_t (*)(const struct doca_devinfo *devinfo, uint32_t *max_list_num_elem));
#endif
#if IN(205, 999)
SAME(doca_compress_create, doca_error_t (*)(struct doca_dev *dev, struct doca_compress **compress));
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
#endif
#if IN(206, 999)
SAME(doca_compress_cap_get_max_num_tasks,
     doca_error_t (*)(struct doca_compress *compress, uint32_t *max_num_tasks));
#endif
#if IN(205, 205)
SAME(doca_compress_get_max_num_tasks,
     doca_error_t (*)(struct doca_compress *compress, uint32_t *max_num_tasks));
#endif
#if IN(205, 208)
SAME_TYPE(doca_compress_task_decompress_lz4_completion_cb_t,
	  void (*)(struct doca_compress_task_decompress_lz4 *task, union doca_data task_user_data,
		   union doca_data ctx_user_data));
SAME(doca_compress_cap_task_decompress_lz4_is_supported,
     doca_error_t (*)(const struct doca_devinfo *devinfo));
SAME(doca_compress_cap_task_decompress_lz4_get_max_buf_size,
     doca_error_t (*)(const struct doca_devinfo *devinfo, uint64_t *max_buffer_size));
SAME(doca_compress_cap_task_decompress_lz4_get_max_buf_list_len,
     doca_error_t (*)(const struct doca_devinfo *devinfo, uint32_t *max_buf_list_len));
SAME(doca_compress_task_decompress_lz4_set_conf,
     doca_error_t (*)(struct doca_compress *compress,
		      doca_compress_task_decompress_lz4_completion_cb_t task_completion_cb,
		      doca_compress_task_decompress_lz4_completion_cb_t task_error_cb,
		      uint32_t num_tasks));
SAME(doca_compress_task_decompress_lz4_alloc_init,
     doca_error_t (*)(struct doca_compress *compress, struct doca_buf const *src_buff,
		      struct doca_buf *dst_buff, union doca_data user_data,
		      struct doca_compress_task_decompress_lz4 **task));
SAME(doca_compress_task_decompress_lz4_as_task,
     struct doca_task *(*)(struct doca_compress_task_decompress_lz4 *task));
SAME(doca_compress_task_decompress_lz4_set_src,
     void (*)(struct doca_compress_task_decompress_lz4 *task, struct doca_buf const *src_buff));
SAME(doca_compress_task_decompress_lz4_get_src,
     struct doca_buf const *(*)(const struct doca_compress_task_decompress_lz4 *task));
SAME(doca_compress_task_decompress_lz4_set_dst,
     void (*)(struct doca_compress_task_decompress_lz4 *task, struct doca_buf *dst_buff));
SAME(doca_compress_task_decompress_lz4_get_dst,
     struct doca_buf *(*)(const struct doca_compress_task_decompress_lz4 *task));
SAME(doca_compress_task_decompress_lz4_get_crc_cs,
     uint32_t (*)(const struct doca_compress_task_decompress_lz4 *task));
SAME(doca_compress_task_decompress_lz4_get_adler_cs,
     uint32_t (*)(const struct doca_compress_task_decompress_lz4 *task));
#endif
#if IN(207, 999)
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

#if IN(202, 204)
/* doca_erasure_coding.h */
SAME(doca_ec_create, doca_error_t (*)(struct doca_ec **ec));
SAME(doca_ec_destroy, doca_error_t (*)(struct doca_ec *ec));
SAME(doca_ec_as_ctx, struct doca_ctx *(*)(struct doca_ec *ec));
SAME(doca_ec_job_get_supported,
     doca_error_t (*)(struct doca_devinfo *devinfo, enum doca_ec_job_types job_type));
SAME(doca_ec_get_max_buffer_size,
     doca_error_t (*)(const struct doca_devinfo *devinfo, enum doca_ec_job_types job_type,
		      uint32_t *max_buffer_size));
SAME(doca_ec_get_max_list_buf_num_elem,
     doca_error_t (*)(const struct doca_devinfo *devinfo, uint32_t *max_list_num_elem));
SAME(doca_ec_matrix_create,
     doca_error_t (*)(struct doca_ec *ctx, enum doca_ec_matrix_types type, size_t data_block_count,
		      size_t rdnc_block_count, struct doca_matrix **matrix));
SAME(doca_ec_matrix_from_raw,
     doca_error_t (*)(struct doca_ec *ctx, uint8_t *data, size_t data_block_count,
		      size_t rdnc_block_count, struct doca_matrix **matrix));
SAME(doca_ec_update_matrix_create,
     doca_error_t (*)(const struct doca_matrix *coding_matrix, struct doca_ec *ctx,
		      uint32_t update_indices[], size_t n_updates, struct doca_matrix **matrix));
SAME(doca_ec_recover_matrix_create,
     doca_error_t (*)(const struct doca_matrix *coding_matrix, struct doca_ec *ctx,
		      uint32_t missing_indices[], size_t n_missing, struct doca_matrix **matrix));
SAME(doca_ec_matrix_destroy, doca_error_t (*)(struct doca_matrix *matrix));
FIELD(struct doca_ec_job, base, struct doca_job);
FIELD(struct doca_ec_job, coding_matrix, struct doca_matrix *);
FIELD(struct doca_ec_job, src_buff, struct doca_buf const *);
FIELD(struct doca_ec_job, dst_buff, struct doca_buf *);
FIELD(struct doca_ec_job_create, base, struct doca_job);
FIELD(struct doca_ec_job_create, create_matrix, struct doca_matrix *);
FIELD(struct doca_ec_job_create, src_original_data_buff, struct doca_buf const *);
FIELD(struct doca_ec_job_create, dst_rdnc_buff, struct doca_buf *);
FIELD(struct doca_ec_job_update, base, struct doca_job);
FIELD(struct doca_ec_job_update, update_matrix, struct doca_matrix *);
FIELD(struct doca_ec_job_update, src_data_rdnc_buff, struct doca_buf const *);
FIELD(struct doca_ec_job_update, dst_updated_rdnc_buff, struct doca_buf *);
FIELD(struct doca_ec_job_recover, base, struct doca_job);
FIELD(struct doca_ec_job_recover, recover_matrix, struct doca_matrix *);
FIELD(struct doca_ec_job_recover, src_remaining_data_buff, struct doca_buf const *);
FIELD(struct doca_ec_job_recover, dst_recovered_data_buff, struct doca_buf *);
IS(DOCA_EC_JOB_GALOIS_MUL, 1114113);
IS(DOCA_EC_JOB_RECOVER, 1114116);
IS(DOCA_CODING_MATRIX_CAUCHY, 1);
IS(DOCA_CODING_MATRIX_VANDERMONDE, 2);
#endif

#if IN(205, 999)
/* doca_erasure_coding.h */
SAME_TYPE(doca_ec_task_galois_mul_completion_cb_t,
	  void (*)(struct doca_ec_task_galois_mul *task, union doca_data task_user_data,
		   union doca_data ctx_user_data));
SAME(doca_ec_cap_task_galois_mul_is_supported,
     doca_error_t (*)(const struct doca_devinfo *devinfo));
SAME(doca_ec_task_galois_mul_set_conf,
     doca_error_t (*)(struct doca_ec *ec,
		      doca_ec_task_galois_mul_completion_cb_t successful_task_completion_cb,
		      doca_ec_task_galois_mul_completion_cb_t error_task_completion_cb,
		      uint32_t num_tasks));
SAME(doca_ec_task_galois_mul_allocate_init,
     doca_error_t (*)(struct doca_ec *ec, const struct doca_ec_matrix *coding_matrix,
		      const struct doca_buf *src_buf, struct doca_buf *dst_buf,
		      union doca_data user_data, struct doca_ec_task_galois_mul **task));
SAME(doca_ec_task_galois_mul_as_task, struct doca_task *(*)(struct doca_ec_task_galois_mul *task));
SAME(doca_ec_task_galois_mul_set_coding_matrix,
     void (*)(struct doca_ec_task_galois_mul *task, const struct doca_ec_matrix *coding_matrix));
SAME(doca_ec_task_galois_mul_get_coding_matrix,
     const struct doca_ec_matrix *(*)(const struct doca_ec_task_galois_mul *task));
SAME(doca_ec_task_galois_mul_set_src_buf,
     void (*)(struct doca_ec_task_galois_mul *task, const struct doca_buf *src_buf));
SAME(doca_ec_task_galois_mul_get_src_buf,
     const struct doca_buf *(*)(const struct doca_ec_task_galois_mul *task));
SAME(doca_ec_task_galois_mul_set_dst_buf,
     void (*)(struct doca_ec_task_galois_mul *task, struct doca_buf *dst_buf));
SAME(doca_ec_task_galois_mul_get_dst_buf,
     struct doca_buf *(*)(const struct doca_ec_task_galois_mul *task));
SAME_TYPE(doca_ec_task_create_completion_cb_t,
	  void (*)(struct doca_ec_task_create *task, union doca_data task_user_data,
		   union doca_data ctx_user_data));
SAME(doca_ec_cap_task_create_is_supported, doca_error_t (*)(const struct doca_devinfo *devinfo));
SAME(doca_ec_task_create_set_conf,
     doca_error_t (*)(struct doca_ec *ec,
		      doca_ec_task_create_completion_cb_t successful_task_completion_cb,
		      doca_ec_task_create_completion_cb_t error_task_completion_cb,
		      uint32_t num_tasks));
SAME(doca_ec_task_create_allocate_init,
     doca_error_t (*)(struct doca_ec *ec, const struct doca_ec_matrix *coding_matrix,
		      const struct doca_buf *original_data_blocks, struct doca_buf *rdnc_blocks,
		      union doca_data user_data, struct doca_ec_task_create **task));
SAME(doca_ec_task_create_as_task, struct doca_task *(*)(struct doca_ec_task_create *task));
SAME(doca_ec_task_create_set_coding_matrix,
     void (*)(struct doca_ec_task_create *task, const struct doca_ec_matrix *coding_matrix));
SAME(doca_ec_task_create_get_coding_matrix,
     const struct doca_ec_matrix *(*)(const struct doca_ec_task_create *task));
SAME(doca_ec_task_create_set_original_data_blocks,
     void (*)(struct doca_ec_task_create *task, const struct doca_buf *original_data_blocks));
SAME(doca_ec_task_create_get_original_data_blocks,
     const struct doca_buf *(*)(const struct doca_ec_task_create *task));
SAME(doca_ec_task_create_set_rdnc_blocks,
     void (*)(struct doca_ec_task_create *task, struct doca_buf *rdnc_blocks));
SAME(doca_ec_task_create_get_rdnc_blocks,
     struct doca_buf *(*)(const struct doca_ec_task_create *task));
SAME_TYPE(doca_ec_task_update_completion_cb_t,
	  void (*)(struct doca_ec_task_update *task, union doca_data task_user_data,
		   union doca_data ctx_user_data));
SAME(doca_ec_cap_task_update_is_supported, doca_error_t (*)(const struct doca_devinfo *devinfo));
SAME(doca_ec_task_update_set_conf,
     doca_error_t (*)(struct doca_ec *ec,
		      doca_ec_task_update_completion_cb_t successful_task_completion_cb,
		      doca_ec_task_update_completion_cb_t error_task_completion_cb,
		      uint32_t num_tasks));
SAME(doca_ec_task_update_allocate_init,
     doca_error_t (*)(struct doca_ec *ec, const struct doca_ec_matrix *update_matrix,
		      const struct doca_buf *original_updated_and_rdnc_blocks,
		      struct doca_buf *updated_rdnc_blocks, union doca_data user_data,
		      struct doca_ec_task_update **task));
SAME(doca_ec_task_update_as_task, struct doca_task *(*)(struct doca_ec_task_update *task));
SAME(doca_ec_task_update_set_update_matrix,
     void (*)(struct doca_ec_task_update *task, const struct doca_ec_matrix *update_matrix));
SAME(doca_ec_task_update_get_update_matrix,
     const struct doca_ec_matrix *(*)(const struct doca_ec_task_update *task));
SAME(doca_ec_task_update_set_original_updated_and_rdnc_blocks,
     void (*)(struct doca_ec_task_update *task,
	      const struct doca_buf *original_updated_and_rdnc_blocks));
SAME(doca_ec_task_update_get_original_updated_and_rdnc_blocks,
     const struct doca_buf *(*)(const struct doca_ec_task_update *task));
SAME(doca_ec_task_update_set_updated_rdnc_blocks,
     void (*)(struct doca_ec_task_update *task, struct doca_buf *updated_rdnc_blocks));
SAME(doca_ec_task_update_get_updated_rdnc_blocks,
     struct doca_buf *(*)(const struct doca_ec_task_update *task));
SAME_TYPE(doca_ec_task_recover_completion_cb_t,
	  void (*)(struct doca_ec_task_recover *task, union doca_data task_user_data,
		   union doca_data ctx_user_data));
SAME(doca_ec_cap_task_recover_is_supported, doca_error_t (*)(const struct doca_devinfo *devinfo));
SAME(doca_ec_task_recover_set_conf,
     doca_error_t (*)(struct doca_ec *ec,
		      doca_ec_task_recover_completion_cb_t successful_task_completion_cb,
		      doca_ec_task_recover_completion_cb_t error_task_completion_cb,
		      uint32_t num_tasks));
SAME(doca_ec_task_recover_allocate_init,
     doca_error_t (*)(struct doca_ec *ec, const struct doca_ec_matrix *recover_matrix,
		      const struct doca_buf *available_blocks,
		      struct doca_buf *recovered_data_blocks, union doca_data user_data,
		      struct doca_ec_task_recover **task));
SAME(doca_ec_task_recover_as_task, struct doca_task *(*)(struct doca_ec_task_recover *task));
SAME(doca_ec_task_recover_set_recover_matrix,
     void (*)(struct doca_ec_task_recover *task, const struct doca_ec_matrix *recover_matrix));
SAME(doca_ec_task_recover_get_recover_matrix,
     const struct doca_ec_matrix *(*)(const struct doca_ec_task_recover *task));
SAME(doca_ec_task_recover_set_available_blocks,
     void (*)(struct doca_ec_task_recover *task, const struct doca_buf *available_blocks));
SAME(doca_ec_task_recover_get_available_blocks,
     const struct doca_buf *(*)(const struct doca_ec_task_recover *task));
SAME(doca_ec_task_recover_set_recovered_data_blocks,
     void (*)(struct doca_ec_task_recover *task, struct doca_buf *recovered_data_blocks));
SAME(doca_ec_task_recover_get_recovered_data,
     struct doca_buf *(*)(const struct doca_ec_task_recover *task));
SAME(doca_ec_create, doca_error_t (*)(struct doca_dev *dev, struct doca_ec **ec));
SAME(doca_ec_destroy, doca_error_t (*)(struct doca_ec *ec));
SAME(doca_ec_as_ctx, struct doca_ctx *(*)(struct doca_ec *ec));
SAME(doca_ec_cap_get_max_block_size,
     doca_error_t (*)(const struct doca_devinfo *devinfo, uint64_t *max_block_size));
SAME(doca_ec_cap_get_max_buf_list_len,
     doca_error_t (*)(const struct doca_devinfo *devinfo, uint32_t *max_buf_list_len));
IS(DOCA_EC_MATRIX_TYPE_CAUCHY, 1);
IS(DOCA_EC_MATRIX_TYPE_VANDERMONDE, 2);
SAME(doca_ec_matrix_create,
     doca_error_t (*)(struct doca_ec *ec, enum doca_ec_matrix_type type, size_t data_block_count,
		      size_t rdnc_block_count, struct doca_ec_matrix **matrix));
SAME(doca_ec_matrix_create_from_raw,
     doca_error_t (*)(struct doca_ec *ec, uint8_t *data, size_t data_block_count,
		      size_t rdnc_block_count, struct doca_ec_matrix **matrix));
SAME(doca_ec_matrix_create_update,
     doca_error_t (*)(struct doca_ec *ec, const struct doca_ec_matrix *coding_matrix,
		      uint32_t update_indices[], size_t n_updates, struct doca_ec_matrix **matrix));
SAME(doca_ec_matrix_create_recover,
     doca_error_t (*)(struct doca_ec *ec, const struct doca_ec_matrix *coding_matrix,
		      uint32_t missing_indices[], size_t n_missing,
		      struct doca_ec_matrix **matrix));
SAME(doca_ec_matrix_destroy, doca_error_t (*)(struct doca_ec_matrix *matrix));
#endif
