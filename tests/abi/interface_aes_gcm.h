/*
 * doca_aes_gcm.h, row by row; see tests/abi/interface_test.c.
 */
#if IN(205, 999)
SAME(doca_aes_gcm_create, doca_error_t (*)(struct doca_dev *dev, struct doca_aes_gcm **aes_gcm));
SAME(doca_aes_gcm_destroy, doca_error_t (*)(struct doca_aes_gcm *aes_gcm));
SAME(doca_aes_gcm_as_ctx, struct doca_ctx *(*)(struct doca_aes_gcm *aes_gcm));
SAME(doca_aes_gcm_cap_get_max_num_tasks,
     doca_error_t (*)(struct doca_aes_gcm *aes_gcm, uint32_t *max_num_tasks));
IS(DOCA_AES_GCM_KEY_128, 1);
IS(DOCA_AES_GCM_KEY_256, 2);
SAME(doca_aes_gcm_key_create,
     doca_error_t (*)(struct doca_aes_gcm *aes_gcm, const void *raw_key,
		      enum doca_aes_gcm_key_type raw_key_type, struct doca_aes_gcm_key **key));
SAME(doca_aes_gcm_key_destroy, doca_error_t (*)(struct doca_aes_gcm_key *key));
SAME_TYPE(doca_aes_gcm_task_encrypt_completion_cb_t,
	  void (*)(struct doca_aes_gcm_task_encrypt *task, union doca_data task_user_data,
		   union doca_data ctx_user_data));
SAME(doca_aes_gcm_cap_task_encrypt_is_supported,
     doca_error_t (*)(const struct doca_devinfo *devinfo));
SAME(doca_aes_gcm_cap_task_encrypt_is_tag_96_supported,
     doca_error_t (*)(const struct doca_devinfo *devinfo));
SAME(doca_aes_gcm_cap_task_encrypt_is_tag_128_supported,
     doca_error_t (*)(const struct doca_devinfo *devinfo));
SAME(doca_aes_gcm_cap_task_encrypt_is_key_type_supported,
     doca_error_t (*)(const struct doca_devinfo *devinfo, enum doca_aes_gcm_key_type key_type));
SAME(doca_aes_gcm_cap_task_encrypt_get_max_buf_size,
     doca_error_t (*)(const struct doca_devinfo *devinfo, uint64_t *max_buffer_size));
SAME(doca_aes_gcm_cap_task_encrypt_get_max_list_buf_num_elem,
     doca_error_t (*)(const struct doca_devinfo *devinfo, uint32_t *max_list_num_elem));
SAME(doca_aes_gcm_task_encrypt_set_conf,
     doca_error_t (*)(struct doca_aes_gcm *aes_gcm,
		      doca_aes_gcm_task_encrypt_completion_cb_t task_completion_cb,
		      doca_aes_gcm_task_encrypt_completion_cb_t task_error_cb, uint32_t num_tasks));
SAME(doca_aes_gcm_task_encrypt_alloc_init,
     doca_error_t (*)(struct doca_aes_gcm *aes_gcm, struct doca_buf const *src_buff,
		      struct doca_buf *dst_buff, struct doca_aes_gcm_key *key, const uint8_t *iv,
		      uint32_t iv_length, uint32_t tag_size, uint32_t aad_size,
		      union doca_data user_data, struct doca_aes_gcm_task_encrypt **task));
SAME(doca_aes_gcm_task_encrypt_as_task,
     struct doca_task *(*)(struct doca_aes_gcm_task_encrypt *task));
SAME(doca_aes_gcm_task_encrypt_set_src,
     void (*)(struct doca_aes_gcm_task_encrypt *task, struct doca_buf const *src_buff));
SAME(doca_aes_gcm_task_encrypt_get_src,
     struct doca_buf const *(*)(const struct doca_aes_gcm_task_encrypt *task));
SAME(doca_aes_gcm_task_encrypt_set_dst,
     void (*)(struct doca_aes_gcm_task_encrypt *task, struct doca_buf *dst_buff));
SAME(doca_aes_gcm_task_encrypt_get_dst,
     struct doca_buf *(*)(const struct doca_aes_gcm_task_encrypt *task));
SAME(doca_aes_gcm_task_encrypt_set_key,
     void (*)(struct doca_aes_gcm_task_encrypt *task, struct doca_aes_gcm_key *key));
SAME(doca_aes_gcm_task_encrypt_get_key,
     struct doca_aes_gcm_key *(*)(const struct doca_aes_gcm_task_encrypt *task));
SAME(doca_aes_gcm_task_encrypt_set_iv,
     void (*)(struct doca_aes_gcm_task_encrypt *task, const uint8_t *iv, uint32_t iv_length));
SAME(doca_aes_gcm_task_encrypt_get_iv,
     const uint8_t *(*)(const struct doca_aes_gcm_task_encrypt *task, uint32_t *iv_length));
SAME(doca_aes_gcm_task_encrypt_set_tag_size,
     void (*)(struct doca_aes_gcm_task_encrypt *task, uint32_t tag_size));
SAME(doca_aes_gcm_task_encrypt_get_tag_size,
     uint32_t (*)(const struct doca_aes_gcm_task_encrypt *task));
SAME(doca_aes_gcm_task_encrypt_set_aad_size,
     void (*)(struct doca_aes_gcm_task_encrypt *task, uint32_t aad_size));
SAME(doca_aes_gcm_task_encrypt_get_aad_size,
     uint32_t (*)(const struct doca_aes_gcm_task_encrypt *task));
SAME_TYPE(doca_aes_gcm_task_decrypt_completion_cb_t,
	  void (*)(struct doca_aes_gcm_task_decrypt *task, union doca_data task_user_data,
		   union doca_data ctx_user_data));
SAME(doca_aes_gcm_cap_task_decrypt_is_supported,
     doca_error_t (*)(const struct doca_devinfo *devinfo));
SAME(doca_aes_gcm_cap_task_decrypt_is_tag_96_supported,
     doca_error_t (*)(const struct doca_devinfo *devinfo));
SAME(doca_aes_gcm_cap_task_decrypt_is_tag_128_supported,
     doca_error_t (*)(const struct doca_devinfo *devinfo));
SAME(doca_aes_gcm_cap_task_decrypt_is_key_type_supported,
     doca_error_t (*)(const struct doca_devinfo *devinfo, enum doca_aes_gcm_key_type key_type));
SAME(doca_aes_gcm_cap_task_decrypt_get_max_buf_size,
     doca_error_t (*)(const struct doca_devinfo *devinfo, uint64_t *max_buffer_size));
SAME(doca_aes_gcm_cap_task_decrypt_get_max_list_buf_num_elem,
     doca_error_t (*)(const struct doca_devinfo *devinfo, uint32_t *max_list_num_elem));
SAME(doca_aes_gcm_task_decrypt_set_conf,
     doca_error_t (*)(struct doca_aes_gcm *aes_gcm,
		      doca_aes_gcm_task_decrypt_completion_cb_t task_completion_cb,
		      doca_aes_gcm_task_decrypt_completion_cb_t task_error_cb, uint32_t num_tasks));
SAME(doca_aes_gcm_task_decrypt_alloc_init,
     doca_error_t (*)(struct doca_aes_gcm *aes_gcm, struct doca_buf const *src_buff,
		      struct doca_buf *dst_buff, struct doca_aes_gcm_key *key, const uint8_t *iv,
		      uint32_t iv_length, uint32_t tag_size, uint32_t aad_size,
		      union doca_data user_data, struct doca_aes_gcm_task_decrypt **task));
SAME(doca_aes_gcm_task_decrypt_as_task,
     struct doca_task *(*)(struct doca_aes_gcm_task_decrypt *task));
SAME(doca_aes_gcm_task_decrypt_set_src,
     void (*)(struct doca_aes_gcm_task_decrypt *task, struct doca_buf const *src_buff));
SAME(doca_aes_gcm_task_decrypt_get_src,
     struct doca_buf const *(*)(const struct doca_aes_gcm_task_decrypt *task));
SAME(doca_aes_gcm_task_decrypt_set_dst,
     void (*)(struct doca_aes_gcm_task_decrypt *task, struct doca_buf *dst_buff));
SAME(doca_aes_gcm_task_decrypt_get_dst,
     struct doca_buf *(*)(const struct doca_aes_gcm_task_decrypt *task));
SAME(doca_aes_gcm_task_decrypt_set_key,
     void (*)(struct doca_aes_gcm_task_decrypt *task, struct doca_aes_gcm_key *key));
SAME(doca_aes_gcm_task_decrypt_get_key,
     struct doca_aes_gcm_key *(*)(const struct doca_aes_gcm_task_decrypt *task));
SAME(doca_aes_gcm_task_decrypt_set_iv,
     void (*)(struct doca_aes_gcm_task_decrypt *task, const uint8_t *iv, uint32_t iv_length));
SAME(doca_aes_gcm_task_decrypt_get_iv,
     const uint8_t *(*)(const struct doca_aes_gcm_task_decrypt *task, uint32_t *iv_length));
SAME(doca_aes_gcm_task_decrypt_set_tag_size,
     void (*)(struct doca_aes_gcm_task_decrypt *task, uint32_t tag_size));
SAME(doca_aes_gcm_task_decrypt_get_tag_size,
     uint32_t (*)(const struct doca_aes_gcm_task_decrypt *task));
SAME(doca_aes_gcm_task_decrypt_set_aad_size,
     void (*)(struct doca_aes_gcm_task_decrypt *task, uint32_t aad_size));
SAME(doca_aes_gcm_task_decrypt_get_aad_size,
     uint32_t (*)(const struct doca_aes_gcm_task_decrypt *task));
#endif
#if IN(205, 205)
SAME(doca_aes_gcm_cap_task_encrypt_get_max_iv_length,
     doca_error_t (*)(const struct doca_devinfo *devinfo, uint32_t *max_iv_length));
SAME(doca_aes_gcm_cap_task_decrypt_get_max_iv_length,
     doca_error_t (*)(const struct doca_devinfo *devinfo, uint32_t *max_iv_length));
#endif
#if IN(206, 999)
SAME(doca_aes_gcm_cap_task_encrypt_get_max_iv_len,
     doca_error_t (*)(const struct doca_devinfo *devinfo, uint32_t *max_iv_len));
SAME(doca_aes_gcm_cap_task_decrypt_get_max_iv_len,
     doca_error_t (*)(const struct doca_devinfo *devinfo, uint32_t *max_iv_len));
#endif
