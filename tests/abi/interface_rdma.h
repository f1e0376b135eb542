/*
 * The public interface, row by row: RDMA.
 */

/* doca_rdma.h */
#if IN(200, 204)
IS(DOCA_RDMA_STATE_RESET, 0);
IS(DOCA_RDMA_STATE_INIT, 1);
IS(DOCA_RDMA_STATE_CONNECTED, 2);
IS(DOCA_RDMA_STATE_ERROR, 3);
IS(DOCA_RDMA_TRANSPORT_RC, 0);
IS(DOCA_RDMA_TRANSPORT_DC, 1);
IS(DOCA_RDMA_JOB_RECV, 851969);
IS(DOCA_RDMA_JOB_SEND, 851970);
IS(DOCA_RDMA_JOB_SEND_IMM, 851971);
IS(DOCA_RDMA_JOB_READ, 851972);
IS(DOCA_RDMA_JOB_WRITE, 851973);
IS(DOCA_RDMA_JOB_WRITE_IMM, 851974);
IS(DOCA_RDMA_JOB_ATOMIC_CMP_SWP, 851975);
IS(DOCA_RDMA_JOB_ATOMIC_FETCH_ADD, 851976);
FIELD(struct doca_rdma_job_recv, base, struct doca_job);
FIELD(struct doca_rdma_job_recv, dst_buff, struct doca_buf *);
FIELD(struct doca_rdma_job_send, base, struct doca_job);
FIELD(struct doca_rdma_job_send, src_buff, struct doca_buf const *);
FIELD(struct doca_rdma_job_send, immediate_data, doca_be32_t);
FIELD(struct doca_rdma_job_send, rdma_peer_addr, struct doca_rdma_addr const *);
FIELD(struct doca_rdma_job_read_write, base, struct doca_job);
FIELD(struct doca_rdma_job_read_write, dst_buff, struct doca_buf *);
FIELD(struct doca_rdma_job_read_write, src_buff, struct doca_buf const *);
FIELD(struct doca_rdma_job_read_write, immediate_data, doca_be32_t);
FIELD(struct doca_rdma_job_read_write, rdma_peer_addr, struct doca_rdma_addr const *);
FIELD(struct doca_rdma_job_atomic, base, struct doca_job);
FIELD(struct doca_rdma_job_atomic, cmp_or_add_dest_buff, struct doca_buf *);
FIELD(struct doca_rdma_job_atomic, result_buff, struct doca_buf *);
FIELD(struct doca_rdma_job_atomic, swap_or_add_data, uint64_t);
FIELD(struct doca_rdma_job_atomic, cmp_data, uint64_t);
FIELD(struct doca_rdma_job_atomic, rdma_peer_addr, struct doca_rdma_addr const *);
IS(DOCA_RDMA_OPCODE_RECV_SEND, 0);
IS(DOCA_RDMA_OPCODE_RECV_SEND_WITH_IMM, 1);
IS(DOCA_RDMA_OPCODE_RECV_WRITE_WITH_IMM, 2);
FIELD(struct doca_rdma_result, result, doca_error_t);
FIELD(struct doca_rdma_result, opcode, enum doca_rdma_opcode_t);
FIELD(struct doca_rdma_result, length, uint32_t);
FIELD(struct doca_rdma_result, rdma_peer_addr, struct doca_rdma_addr *);
FIELD(struct doca_rdma_result, immediate_data, doca_be32_t);
SAME(doca_rdma_create, doca_error_t (*)(struct doca_rdma **rdma));
SAME(doca_rdma_job_get_supported,
     doca_error_t (*)(const struct doca_devinfo *devinfo, enum doca_rdma_job_types job_type));
SAME(doca_rdma_get_max_recv_queue_size,
     doca_error_t (*)(const struct doca_devinfo *devinfo, uint32_t *max_recv_queue_size));
SAME(doca_rdma_get_max_send_queue_size,
     doca_error_t (*)(const struct doca_devinfo *devinfo, uint32_t *max_send_queue_size));
SAME(doca_rdma_get_max_message_size,
     doca_error_t (*)(const struct doca_devinfo *devinfo, uint32_t *max_message_size));
SAME(doca_rdma_get_max_buf_chain_len,
     doca_error_t (*)(const struct doca_devinfo *devinfo, enum doca_rdma_job_types job_type,
		      enum doca_rdma_transport_type transport_type, uint32_t *max_buf_chain_len));
SAME(doca_rdma_get_gid_table_size,
     doca_error_t (*)(struct doca_devinfo *devinfo, uint32_t *gid_table_size));
SAME(doca_rdma_get_gid, doca_error_t (*)(struct doca_devinfo *devinfo, uint32_t start_index,
					 uint32_t num_entries, struct doca_rdma_gid *gid_array));
SAME(doca_rdma_get_transport_type_supported,
     doca_error_t (*)(const struct doca_devinfo *devinfo,
		      enum doca_rdma_transport_type transport_type));
SAME(doca_rdma_set_recv_buf_chain_len,
     doca_error_t (*)(struct doca_rdma *rdma, uint32_t recv_buf_chain_len));
SAME(doca_rdma_get_recv_buf_chain_len,
     doca_error_t (*)(const struct doca_rdma *rdma, uint32_t *recv_buf_chain_len));
SAME(doca_rdma_get_state,
     doca_error_t (*)(const struct doca_rdma *rdma, enum doca_rdma_state *state));
#endif
#if IN(200, 205)
SAME(doca_rdma_set_grh_enabled, doca_error_t (*)(struct doca_rdma *rdma, bool grh_enabled));
SAME(doca_rdma_get_grh_enabled, doca_error_t (*)(const struct doca_rdma *rdma, bool *grh_enabled));
#endif
#if IN(200, 208)
SAME(doca_rdma_export,
     doca_error_t (*)(const struct doca_rdma *rdma, const void **local_rdma_conn_details,
		      size_t *local_rdma_conn_details_size));
SAME(doca_rdma_connect,
     doca_error_t (*)(struct doca_rdma *rdma, const void *remote_rdma_conn_details,
		      size_t remote_rdma_conn_details_size));
#endif
#if IN(200, 999)
FIELD(struct doca_rdma_gid, raw, uint8_t[DOCA_GID_BYTE_LENGTH]);
SAME(doca_rdma_destroy, doca_error_t (*)(struct doca_rdma *rdma));
SAME(doca_rdma_as_ctx, struct doca_ctx *(*)(struct doca_rdma *rdma));
SAME(doca_rdma_set_send_queue_size,
     doca_error_t (*)(struct doca_rdma *rdma, uint32_t send_queue_size));
SAME(doca_rdma_set_recv_queue_size,
     doca_error_t (*)(struct doca_rdma *rdma, uint32_t recv_queue_size));
SAME(doca_rdma_set_transport_type,
     doca_error_t (*)(struct doca_rdma *rdma, enum doca_rdma_transport_type transport_type));
SAME(doca_rdma_set_mtu, doca_error_t (*)(struct doca_rdma *rdma, enum doca_mtu_size mtu));
SAME(doca_rdma_set_permissions, doca_error_t (*)(struct doca_rdma *rdma, uint32_t permissions));
SAME(doca_rdma_set_gid_index, doca_error_t (*)(struct doca_rdma *rdma, uint32_t gid_index));
SAME(doca_rdma_set_sl, doca_error_t (*)(struct doca_rdma *rdma, uint32_t sl));
SAME(doca_rdma_get_send_queue_size,
     doca_error_t (*)(const struct doca_rdma *rdma, uint32_t *send_queue_size));
SAME(doca_rdma_get_recv_queue_size,
     doca_error_t (*)(const struct doca_rdma *rdma, uint32_t *recv_queue_size));
SAME(doca_rdma_get_transport_type,
     doca_error_t (*)(const struct doca_rdma *rdma, enum doca_rdma_transport_type *transport_type));
SAME(doca_rdma_get_mtu, doca_error_t (*)(const struct doca_rdma *rdma, enum doca_mtu_size *mtu));
SAME(doca_rdma_get_permissions, doca_error_t (*)(struct doca_rdma *rdma, uint32_t *permissions));
SAME(doca_rdma_get_gid_index, doca_error_t (*)(const struct doca_rdma *rdma, uint32_t *gid_index));
SAME(doca_rdma_get_sl, doca_error_t (*)(const struct doca_rdma *rdma, uint32_t *sl));
#endif
#if IN(206, 206)
IS(DOCA_RDMA_SRQ_TYPE_LINKED_LIST, 0);
IS(DOCA_RDMA_SRQ_TYPE_CYCLIC, 1);
SAME(doca_rdma_create_with_srq,
     doca_error_t (*)(struct doca_dev *dev, struct doca_rdma_srq *rdma_srq,
		      struct doca_rdma **rdma));
SAME(doca_rdma_srq_create, doca_error_t (*)(struct doca_dev *dev, struct doca_rdma_srq **rdma_srq));
SAME(doca_rdma_srq_destroy, doca_error_t (*)(struct doca_rdma_srq *rdma_srq));
SAME(doca_rdma_srq_as_ctx, struct doca_ctx *(*)(struct doca_rdma_srq *rdma_srq_ctx));
SAME(doca_rdma_srq_cap_get_max_shared_recv_queue_size,
     doca_error_t (*)(const struct doca_devinfo *devinfo, uint32_t *max_shared_recv_queue_size));
SAME(doca_rdma_srq_cap_task_receive_get_max_dst_buf_list_len,
     doca_error_t (*)(const struct doca_devinfo *devinfo, uint32_t *max_buf_list_len));
SAME(doca_rdma_srq_set_shared_recv_queue_size,
     doca_error_t (*)(struct doca_rdma_srq *rdma_srq, uint32_t shared_recv_queue_size));
SAME(doca_rdma_srq_task_receive_set_dst_buf_list_len,
     doca_error_t (*)(struct doca_rdma_srq *rdma_srq, uint32_t buf_list_len));
SAME(doca_rdma_srq_set_type,
     doca_error_t (*)(struct doca_rdma_srq *rdma_srq, enum doca_rdma_srq_type srq_type));
SAME(doca_rdma_srq_get_type,
     doca_error_t (*)(struct doca_rdma_srq *rdma_srq, enum doca_rdma_srq_type *srq_type));
SAME(doca_rdma_srq_task_receive_get_dst_buf_list_len,
     doca_error_t (*)(const struct doca_rdma_srq *rdma_srq, uint32_t *buf_list_len));
SAME(doca_rdma_srq_get_shared_recv_queue_size,
     doca_error_t (*)(const struct doca_rdma_srq *rdma_srq, uint32_t *shared_recv_queue_size));
SAME(doca_rdma_srq_get_dpa_handle, doca_error_t (*)(const struct doca_rdma_srq *rdma_srq,
						    struct doca_dpa_dev_rdma_srq **dpa_rdma_srq));
#endif
#if IN(205, 205)
SAME(doca_rdma_task_receive_get_result_length,
     uint32_t (*)(const struct doca_rdma_task_receive *task));
SAME(doca_rdma_task_read_get_result_length, uint32_t (*)(const struct doca_rdma_task_read *task));
SAME(doca_rdma_task_remote_net_sync_event_get_get_result_length,
     uint32_t (*)(const struct doca_rdma_task_remote_net_sync_event_get *task));
#endif
#if IN(205, 206)
SAME(doca_rdma_cap_get_gid_table_size,
     doca_error_t (*)(struct doca_devinfo *devinfo, uint32_t *gid_table_size));
SAME(doca_rdma_cap_get_gid,
     doca_error_t (*)(struct doca_devinfo *devinfo, uint32_t start_index, uint32_t num_entries,
		      struct doca_rdma_gid *gid_array));
SAME(doca_rdma_get_dpa_handle,
     doca_error_t (*)(struct doca_rdma *rdma, struct doca_dpa_dev_rdma **dpa_rdma));
#endif
#if IN(205, 208)
SAME(doca_rdma_task_send_allocate_init,
     doca_error_t (*)(struct doca_rdma *rdma, const struct doca_buf *src_buf,
		      union doca_data user_data, struct doca_rdma_task_send **task));
SAME(doca_rdma_task_send_imm_allocate_init,
     doca_error_t (*)(struct doca_rdma *rdma, const struct doca_buf *src_buf,
		      doca_be32_t immediate_data, union doca_data user_data,
		      struct doca_rdma_task_send_imm **task));
SAME(doca_rdma_task_read_allocate_init,
     doca_error_t (*)(struct doca_rdma *rdma, const struct doca_buf *src_buf,
		      struct doca_buf *dst_buf, union doca_data user_data,
		      struct doca_rdma_task_read **task));
SAME(doca_rdma_task_write_allocate_init,
     doca_error_t (*)(struct doca_rdma *rdma, const struct doca_buf *src_buf,
		      struct doca_buf *dst_buf, union doca_data user_data,
		      struct doca_rdma_task_write **task));
SAME(doca_rdma_task_write_imm_allocate_init,
     doca_error_t (*)(struct doca_rdma *rdma, const struct doca_buf *src_buf,
		      struct doca_buf *dst_buf, doca_be32_t immediate_data,
		      union doca_data user_data, struct doca_rdma_task_write_imm **task));
SAME(doca_rdma_task_atomic_cmp_swp_allocate_init,
     doca_error_t (*)(struct doca_rdma *rdma, struct doca_buf *dst_buf, struct doca_buf *result_buf,
		      uint64_t cmp_data, uint64_t swap_data, union doca_data user_data,
		      struct doca_rdma_task_atomic_cmp_swp **task));
SAME(doca_rdma_task_atomic_fetch_add_allocate_init,
     doca_error_t (*)(struct doca_rdma *rdma, struct doca_buf *dst_buf, struct doca_buf *result_buf,
		      uint64_t add_data, union doca_data user_data,
		      struct doca_rdma_task_atomic_fetch_add **task));
SAME(doca_rdma_task_remote_net_sync_event_get_allocate_init,
     doca_error_t (*)(struct doca_rdma *rdma, const struct doca_sync_event_remote_net *event,
		      struct doca_buf *dst_buf, union doca_data user_data,
		      struct doca_rdma_task_remote_net_sync_event_get **task));
SAME(doca_rdma_task_remote_net_sync_event_notify_set_allocate_init,
     doca_error_t (*)(struct doca_rdma *rdma, struct doca_sync_event_remote_net *event,
		      const struct doca_buf *src_buf, union doca_data user_data,
		      struct doca_rdma_task_remote_net_sync_event_notify_set **task));
SAME(doca_rdma_task_remote_net_sync_event_notify_add_allocate_init,
     doca_error_t (*)(struct doca_rdma *rdma, struct doca_sync_event_remote_net *event,
		      struct doca_buf *result_buf, uint64_t add_data, union doca_data user_data,
		      struct doca_rdma_task_remote_net_sync_event_notify_add **task));
#endif
#if IN(205, 999)
IS(DOCA_RDMA_TRANSPORT_TYPE_RC, 0);
IS(DOCA_RDMA_TRANSPORT_TYPE_DC, 1);
SAME(doca_rdma_create, doca_error_t (*)(struct doca_dev *dev, struct doca_rdma **rdma));
SAME(doca_rdma_cap_get_max_recv_queue_size,
     doca_error_t (*)(const struct doca_devinfo *devinfo, uint32_t *max_recv_queue_size));
SAME(doca_rdma_cap_get_max_send_queue_size,
     doca_error_t (*)(const struct doca_devinfo *devinfo, uint32_t *max_send_queue_size));
SAME(doca_rdma_cap_get_max_send_buf_list_len,
     doca_error_t (*)(const struct doca_devinfo *devinfo, uint32_t *max_send_buf_list_len));
SAME(doca_rdma_cap_get_max_message_size,
     doca_error_t (*)(const struct doca_devinfo *devinfo, uint32_t *max_message_size));
SAME(doca_rdma_cap_transport_type_is_supported,
     doca_error_t (*)(const struct doca_devinfo *devinfo,
		      enum doca_rdma_transport_type transport_type));
SAME(doca_rdma_set_max_send_buf_list_len,
     doca_error_t (*)(struct doca_rdma *rdma, uint32_t max_send_buf_list_len));
SAME(doca_rdma_get_max_send_buf_list_len,
     doca_error_t (*)(const struct doca_rdma *rdma, uint32_t *max_send_buf_list_len));
IS(DOCA_RDMA_OPCODE_RECV_SEND, 0);
IS(DOCA_RDMA_OPCODE_RECV_SEND_WITH_IMM, 1);
IS(DOCA_RDMA_OPCODE_RECV_WRITE_WITH_IMM, 2);
SAME_TYPE(doca_rdma_task_receive_completion_cb_t,
	  void (*)(struct doca_rdma_task_receive *task, union doca_data task_user_data,
		   union doca_data ctx_user_data));
SAME(doca_rdma_cap_task_receive_is_supported, doca_error_t (*)(const struct doca_devinfo *devinfo));
SAME(doca_rdma_cap_task_receive_get_max_dst_buf_list_len,
     doca_error_t (*)(const struct doca_devinfo *devinfo,
		      enum doca_rdma_transport_type transport_type, uint32_t *max_buf_list_len));
SAME(doca_rdma_task_receive_set_conf,
     doca_error_t (*)(struct doca_rdma *rdma,
		      doca_rdma_task_receive_completion_cb_t successful_task_completion_cb,
		      doca_rdma_task_receive_completion_cb_t error_task_completion_cb,
		      uint32_t num_tasks));
SAME(doca_rdma_task_receive_set_dst_buf_list_len,
     doca_error_t (*)(struct doca_rdma *rdma, uint32_t buf_list_len));
SAME(doca_rdma_task_receive_get_dst_buf_list_len,
     doca_error_t (*)(const struct doca_rdma *rdma, uint32_t *buf_list_len));
SAME(doca_rdma_task_receive_allocate_init,
     doca_error_t (*)(struct doca_rdma *rdma, struct doca_buf *dst_buf, union doca_data user_data,
		      struct doca_rdma_task_receive **task));
SAME(doca_rdma_task_receive_as_task, struct doca_task *(*)(struct doca_rdma_task_receive *task));
SAME(doca_rdma_task_receive_set_dst_buf,
     void (*)(struct doca_rdma_task_receive *task, struct doca_buf *dst_buf));
SAME(doca_rdma_task_receive_get_dst_buf,
     struct doca_buf *(*)(const struct doca_rdma_task_receive *task));
SAME(doca_rdma_task_receive_get_result_opcode,
     enum doca_rdma_opcode (*)(const struct doca_rdma_task_receive *task));
SAME(doca_rdma_task_receive_get_result_immediate_data,
     doca_be32_t (*)(const struct doca_rdma_task_receive *task));
SAME_TYPE(doca_rdma_task_send_completion_cb_t,
	  void (*)(struct doca_rdma_task_send *task, union doca_data task_user_data,
		   union doca_data ctx_user_data));
SAME(doca_rdma_cap_task_send_is_supported, doca_error_t (*)(const struct doca_devinfo *devinfo));
SAME(doca_rdma_task_send_set_conf,
     doca_error_t (*)(struct doca_rdma *rdma,
		      doca_rdma_task_send_completion_cb_t successful_task_completion_cb,
		      doca_rdma_task_send_completion_cb_t error_task_completion_cb,
		      uint32_t num_tasks));
SAME(doca_rdma_task_send_as_task, struct doca_task *(*)(struct doca_rdma_task_send *task));
SAME(doca_rdma_task_send_set_src_buf,
     void (*)(struct doca_rdma_task_send *task, const struct doca_buf *src_buf));
SAME(doca_rdma_task_send_get_src_buf,
     const struct doca_buf *(*)(const struct doca_rdma_task_send *task));
SAME_TYPE(doca_rdma_task_send_imm_completion_cb_t,
	  void (*)(struct doca_rdma_task_send_imm *task, union doca_data task_user_data,
		   union doca_data ctx_user_data));
SAME(doca_rdma_cap_task_send_imm_is_supported,
     doca_error_t (*)(const struct doca_devinfo *devinfo));
SAME(doca_rdma_task_send_imm_set_conf,
     doca_error_t (*)(struct doca_rdma *rdma,
		      doca_rdma_task_send_imm_completion_cb_t successful_task_completion_cb,
		      doca_rdma_task_send_imm_completion_cb_t error_task_completion_cb,
		      uint32_t num_tasks));
SAME(doca_rdma_task_send_imm_as_task, struct doca_task *(*)(struct doca_rdma_task_send_imm *task));
SAME(doca_rdma_task_send_imm_set_src_buf,
     void (*)(struct doca_rdma_task_send_imm *task, const struct doca_buf *src_buf));
SAME(doca_rdma_task_send_imm_get_src_buf,
     const struct doca_buf *(*)(const struct doca_rdma_task_send_imm *task));
SAME(doca_rdma_task_send_imm_set_immediate_data,
     void (*)(struct doca_rdma_task_send_imm *task, doca_be32_t immediate_data));
SAME(doca_rdma_task_send_imm_get_immediate_data,
     doca_be32_t (*)(const struct doca_rdma_task_send_imm *task));
SAME_TYPE(doca_rdma_task_read_completion_cb_t,
	  void (*)(struct doca_rdma_task_read *task, union doca_data task_user_data,
		   union doca_data ctx_user_data));
SAME(doca_rdma_cap_task_read_is_supported, doca_error_t (*)(const struct doca_devinfo *devinfo));
SAME(doca_rdma_task_read_set_conf,
     doca_error_t (*)(struct doca_rdma *rdma,
		      doca_rdma_task_read_completion_cb_t successful_task_completion_cb,
		      doca_rdma_task_read_completion_cb_t error_task_completion_cb,
		      uint32_t num_tasks));
SAME(doca_rdma_task_read_as_task, struct doca_task *(*)(struct doca_rdma_task_read *task));
SAME(doca_rdma_task_read_set_src_buf,
     void (*)(struct doca_rdma_task_read *task, const struct doca_buf *src_buf));
SAME(doca_rdma_task_read_get_src_buf,
     const struct doca_buf *(*)(const struct doca_rdma_task_read *task));
SAME(doca_rdma_task_read_set_dst_buf,
     void (*)(struct doca_rdma_task_read *task, struct doca_buf *dst_buf));
SAME(doca_rdma_task_read_get_dst_buf, struct doca_buf *(*)(const struct doca_rdma_task_read *task));
SAME_TYPE(doca_rdma_task_write_completion_cb_t,
	  void (*)(struct doca_rdma_task_write *task, union doca_data task_user_data,
		   union doca_data ctx_user_data));
SAME(doca_rdma_cap_task_write_is_supported, doca_error_t (*)(const struct doca_devinfo *devinfo));
SAME(doca_rdma_task_write_set_conf,
     doca_error_t (*)(struct doca_rdma *rdma,
		      doca_rdma_task_write_completion_cb_t successful_task_completion_cb,
		      doca_rdma_task_write_completion_cb_t error_task_completion_cb,
		      uint32_t num_tasks));
SAME(doca_rdma_task_write_as_task, struct doca_task *(*)(struct doca_rdma_task_write *task));
SAME(doca_rdma_task_write_set_src_buf,
     void (*)(struct doca_rdma_task_write *task, const struct doca_buf *src_buf));
SAME(doca_rdma_task_write_get_src_buf,
     const struct doca_buf *(*)(const struct doca_rdma_task_write *task));
SAME(doca_rdma_task_write_set_dst_buf,
     void (*)(struct doca_rdma_task_write *task, struct doca_buf *dst_buf));
SAME(doca_rdma_task_write_get_dst_buf,
     struct doca_buf *(*)(const struct doca_rdma_task_write *task));
SAME_TYPE(doca_rdma_task_write_imm_completion_cb_t,
	  void (*)(struct doca_rdma_task_write_imm *task, union doca_data task_user_data,
		   union doca_data ctx_user_data));
SAME(doca_rdma_cap_task_write_imm_is_supported,
     doca_error_t (*)(const struct doca_devinfo *devinfo));
SAME(doca_rdma_task_write_imm_set_conf,
     doca_error_t (*)(struct doca_rdma *rdma,
		      doca_rdma_task_write_imm_completion_cb_t successful_task_completion_cb,
		      doca_rdma_task_write_imm_completion_cb_t error_task_completion_cb,
		      uint32_t num_tasks));
SAME(doca_rdma_task_write_imm_as_task,
     struct doca_task *(*)(struct doca_rdma_task_write_imm *task));
SAME(doca_rdma_task_write_imm_set_src_buf,
     void (*)(struct doca_rdma_task_write_imm *task, const struct doca_buf *src_buf));
SAME(doca_rdma_task_write_imm_get_src_buf,
     const struct doca_buf *(*)(const struct doca_rdma_task_write_imm *task));
SAME(doca_rdma_task_write_imm_set_dst_buf,
     void (*)(struct doca_rdma_task_write_imm *task, struct doca_buf *dst_buf));
SAME(doca_rdma_task_write_imm_get_dst_buf,
     struct doca_buf *(*)(const struct doca_rdma_task_write_imm *task));
SAME(doca_rdma_task_write_imm_set_immediate_data,
     void (*)(struct doca_rdma_task_write_imm *task, doca_be32_t immediate_data));
SAME(doca_rdma_task_write_imm_get_immediate_data,
     doca_be32_t (*)(const struct doca_rdma_task_write_imm *task));
SAME_TYPE(doca_rdma_task_atomic_cmp_swp_completion_cb_t,
	  void (*)(struct doca_rdma_task_atomic_cmp_swp *task, union doca_data task_user_data,
		   union doca_data ctx_user_data));
SAME(doca_rdma_cap_task_atomic_cmp_swp_is_supported,
     doca_error_t (*)(const struct doca_devinfo *devinfo));
SAME(doca_rdma_task_atomic_cmp_swp_set_conf,
     doca_error_t (*)(struct doca_rdma *rdma,
		      doca_rdma_task_atomic_cmp_swp_completion_cb_t successful_task_completion_cb,
		      doca_rdma_task_atomic_cmp_swp_completion_cb_t error_task_completion_cb,
		      uint32_t num_tasks));
SAME(doca_rdma_task_atomic_cmp_swp_as_task,
     struct doca_task *(*)(struct doca_rdma_task_atomic_cmp_swp *task));
SAME(doca_rdma_task_atomic_cmp_swp_set_dst_buf,
     void (*)(struct doca_rdma_task_atomic_cmp_swp *task, struct doca_buf *dst_buf));
SAME(doca_rdma_task_atomic_cmp_swp_get_dst_buf,
     struct doca_buf *(*)(const struct doca_rdma_task_atomic_cmp_swp *task));
SAME(doca_rdma_task_atomic_cmp_swp_set_result_buf,
     void (*)(struct doca_rdma_task_atomic_cmp_swp *task, struct doca_buf *result_buf));
SAME(doca_rdma_task_atomic_cmp_swp_get_result_buf,
     struct doca_buf *(*)(const struct doca_rdma_task_atomic_cmp_swp *task));
SAME(doca_rdma_task_atomic_cmp_swp_set_cmp_data,
     void (*)(struct doca_rdma_task_atomic_cmp_swp *task, uint64_t cmp_data));
SAME(doca_rdma_task_atomic_cmp_swp_get_cmp_data,
     uint64_t (*)(const struct doca_rdma_task_atomic_cmp_swp *task));
SAME(doca_rdma_task_atomic_cmp_swp_set_swap_data,
     void (*)(struct doca_rdma_task_atomic_cmp_swp *task, uint64_t swap_data));
SAME(doca_rdma_task_atomic_cmp_swp_get_swap_data,
     uint64_t (*)(const struct doca_rdma_task_atomic_cmp_swp *task));
SAME_TYPE(doca_rdma_task_atomic_fetch_add_completion_cb_t,
	  void (*)(struct doca_rdma_task_atomic_fetch_add *task, union doca_data task_user_data,
		   union doca_data ctx_user_data));
SAME(doca_rdma_cap_task_atomic_fetch_add_is_supported,
     doca_error_t (*)(const struct doca_devinfo *devinfo));
SAME(doca_rdma_task_atomic_fetch_add_set_conf,
     doca_error_t (*)(struct doca_rdma *rdma,
		      doca_rdma_task_atomic_fetch_add_completion_cb_t successful_task_completion_cb,
		      doca_rdma_task_atomic_fetch_add_completion_cb_t error_task_completion_cb,
		      uint32_t num_tasks));
SAME(doca_rdma_task_atomic_fetch_add_as_task,
     struct doca_task *(*)(struct doca_rdma_task_atomic_fetch_add *task));
SAME(doca_rdma_task_atomic_fetch_add_set_dst_buf,
     void (*)(struct doca_rdma_task_atomic_fetch_add *task, struct doca_buf *dst_buf));
SAME(doca_rdma_task_atomic_fetch_add_get_dst_buf,
     struct doca_buf *(*)(const struct doca_rdma_task_atomic_fetch_add *task));
SAME(doca_rdma_task_atomic_fetch_add_set_result_buf,
     void (*)(struct doca_rdma_task_atomic_fetch_add *task, struct doca_buf *result_buf));
SAME(doca_rdma_task_atomic_fetch_add_get_result_buf,
     struct doca_buf *(*)(const struct doca_rdma_task_atomic_fetch_add *task));
SAME(doca_rdma_task_atomic_fetch_add_set_add_data,
     void (*)(struct doca_rdma_task_atomic_fetch_add *task, uint64_t add_data));
SAME(doca_rdma_task_atomic_fetch_add_get_add_data,
     uint64_t (*)(const struct doca_rdma_task_atomic_fetch_add *task));
SAME_TYPE(doca_rdma_task_remote_net_sync_event_get_completion_cb_t,
	  void (*)(struct doca_rdma_task_remote_net_sync_event_get *task,
		   union doca_data task_user_data, union doca_data ctx_user_data));
SAME(doca_rdma_cap_task_remote_net_sync_event_get_is_supported,
     doca_error_t (*)(const struct doca_devinfo *devinfo));
SAME(doca_rdma_task_remote_net_sync_event_get_set_conf,
     doca_error_t (*)(
	     struct doca_rdma *rdma,
	     doca_rdma_task_remote_net_sync_event_get_completion_cb_t successful_task_completion_cb,
	     doca_rdma_task_remote_net_sync_event_get_completion_cb_t error_task_completion_cb,
	     uint32_t num_tasks));
SAME(doca_rdma_task_remote_net_sync_event_get_as_task,
     struct doca_task *(*)(struct doca_rdma_task_remote_net_sync_event_get *task));
SAME(doca_rdma_task_remote_net_sync_event_get_set_sync_event,
     void (*)(struct doca_rdma_task_remote_net_sync_event_get *task,
	      const struct doca_sync_event_remote_net *event));
SAME(doca_rdma_task_remote_net_sync_event_get_get_sync_event,
     const struct doca_sync_event_remote_net
	     *(*)(const struct doca_rdma_task_remote_net_sync_event_get *task));
SAME(doca_rdma_task_remote_net_sync_event_get_set_dst_buf,
     void (*)(struct doca_rdma_task_remote_net_sync_event_get *task, struct doca_buf *dst_buf));
SAME(doca_rdma_task_remote_net_sync_event_get_get_dst_buf,
     struct doca_buf *(*)(const struct doca_rdma_task_remote_net_sync_event_get *task));
SAME_TYPE(doca_rdma_task_remote_net_sync_event_notify_set_completion_cb_t,
	  void (*)(struct doca_rdma_task_remote_net_sync_event_notify_set *task,
		   union doca_data task_user_data, union doca_data ctx_user_data));
SAME(doca_rdma_cap_task_remote_net_sync_event_notify_set_is_supported,
     doca_error_t (*)(const struct doca_devinfo *devinfo));
SAME(doca_rdma_task_remote_net_sync_event_notify_set_set_conf,
     doca_error_t (*)(struct doca_rdma *rdma,
		      doca_rdma_task_remote_net_sync_event_notify_set_completion_cb_t
			      successful_task_completion_cb,
		      doca_rdma_task_remote_net_sync_event_notify_set_completion_cb_t
			      error_task_completion_cb,
		      uint32_t num_tasks));
SAME(doca_rdma_task_remote_net_sync_event_notify_set_as_task,
     struct doca_task *(*)(struct doca_rdma_task_remote_net_sync_event_notify_set *task));
SAME(doca_rdma_task_remote_net_sync_event_notify_set_set_sync_event,
     void (*)(struct doca_rdma_task_remote_net_sync_event_notify_set *task,
	      struct doca_sync_event_remote_net *event));
SAME(doca_rdma_task_remote_net_sync_event_notify_set_get_sync_event,
     struct doca_sync_event_remote_net
	     *(*)(const struct doca_rdma_task_remote_net_sync_event_notify_set *task));
SAME(doca_rdma_task_remote_net_sync_event_notify_set_set_src_buf,
     void (*)(struct doca_rdma_task_remote_net_sync_event_notify_set *task,
	      const struct doca_buf *src_buf));
SAME(doca_rdma_task_remote_net_sync_event_notify_set_get_src_buf,
     const struct doca_buf
	     *(*)(const struct doca_rdma_task_remote_net_sync_event_notify_set *task));
SAME_TYPE(doca_rdma_task_remote_net_sync_event_notify_add_completion_cb_t,
	  void (*)(struct doca_rdma_task_remote_net_sync_event_notify_add *task,
		   union doca_data task_user_data, union doca_data ctx_user_data));
SAME(doca_rdma_cap_task_remote_net_sync_event_notify_add_is_supported,
     doca_error_t (*)(const struct doca_devinfo *devinfo));
SAME(doca_rdma_task_remote_net_sync_event_notify_add_set_conf,
     doca_error_t (*)(struct doca_rdma *rdma,
		      doca_rdma_task_remote_net_sync_event_notify_add_completion_cb_t
			      successful_task_completion_cb,
		      doca_rdma_task_remote_net_sync_event_notify_add_completion_cb_t
			      error_task_completion_cb,
		      uint32_t num_tasks));
SAME(doca_rdma_task_remote_net_sync_event_notify_add_as_task,
     struct doca_task *(*)(struct doca_rdma_task_remote_net_sync_event_notify_add *task));
SAME(doca_rdma_task_remote_net_sync_event_notify_add_set_sync_event,
     void (*)(struct doca_rdma_task_remote_net_sync_event_notify_add *task,
	      struct doca_sync_event_remote_net *event));
SAME(doca_rdma_task_remote_net_sync_event_notify_add_get_sync_event,
     struct doca_sync_event_remote_net
	     *(*)(const struct doca_rdma_task_remote_net_sync_event_notify_add *task));
SAME(doca_rdma_task_remote_net_sync_event_notify_add_set_result_buf,
     void (*)(struct doca_rdma_task_remote_net_sync_event_notify_add *task,
	      struct doca_buf *result_buf));
SAME(doca_rdma_task_remote_net_sync_event_notify_add_get_result_buf,
     struct doca_buf *(*)(const struct doca_rdma_task_remote_net_sync_event_notify_add *task));
SAME(doca_rdma_task_remote_net_sync_event_notify_add_set_add_data,
     void (*)(struct doca_rdma_task_remote_net_sync_event_notify_add *task, uint64_t add_data));
SAME(doca_rdma_task_remote_net_sync_event_notify_add_get_add_data,
     uint64_t (*)(const struct doca_rdma_task_remote_net_sync_event_notify_add *task));
#endif
#if IN(206, 999)
SAME(doca_rdma_set_grh_enabled, doca_error_t (*)(struct doca_rdma *rdma, uint8_t grh_enabled));
SAME(doca_rdma_get_grh_enabled,
     doca_error_t (*)(const struct doca_rdma *rdma, uint8_t *grh_enabled));
SAME(doca_rdma_task_receive_get_result_len,
     uint32_t (*)(const struct doca_rdma_task_receive *task));
SAME(doca_rdma_task_read_get_result_len, uint32_t (*)(const struct doca_rdma_task_read *task));
SAME(doca_rdma_task_remote_net_sync_event_get_get_result_len,
     uint32_t (*)(const struct doca_rdma_task_remote_net_sync_event_get *task));
#endif
#if IN(207, 299)
SAME(doca_rdma_bridge_accept,
     doca_error_t (*)(struct doca_rdma *rdma, struct rdma_cm_id *cm_id, void *private_data,
		      uint8_t private_data_len, struct doca_rdma_connection **rdma_connection));
#endif
#if IN(207, 999)
IS(DOCA_RDMA_ADDR_TYPE_IPv4, 0);
IS(DOCA_RDMA_ADDR_TYPE_IPv6, 1);
IS(DOCA_RDMA_ADDR_TYPE_GID, 2);
SAME_TYPE(doca_dpa_dev_rdma_t, uint64_t);
SAME(doca_rdma_addr_create,
     doca_error_t (*)(enum doca_rdma_addr_type addr_type, const char *address, uint16_t port,
		      struct doca_rdma_addr **addr));
SAME(doca_rdma_addr_destroy, doca_error_t (*)(struct doca_rdma_addr *addr));
SAME(doca_rdma_start_listen_to_port, doca_error_t (*)(struct doca_rdma *rdma, uint16_t port));
SAME(doca_rdma_stop_listen_to_port, doca_error_t (*)(struct doca_rdma *rdma, uint16_t port));
SAME(doca_rdma_connection_reject, doca_error_t (*)(struct doca_rdma_connection *rdma_connection));
SAME(doca_rdma_connect_to_addr,
     doca_error_t (*)(struct doca_rdma *rdma, struct doca_rdma_addr *addr,
		      union doca_data connection_user_data));
SAME(doca_rdma_connection_disconnect,
     doca_error_t (*)(struct doca_rdma_connection *rdma_connection));
SAME(doca_rdma_bridge_established,
     doca_error_t (*)(struct doca_rdma *rdma, struct doca_rdma_connection *rdma_connection));
SAME(doca_rdma_cap_get_gid_table_size,
     doca_error_t (*)(const struct doca_devinfo *devinfo, uint32_t *gid_table_size));
SAME(doca_rdma_cap_get_gid,
     doca_error_t (*)(const struct doca_devinfo *devinfo, uint32_t start_index,
		      uint32_t num_entries, struct doca_rdma_gid *gid_array));
SAME(doca_rdma_set_connection_request_timeout,
     doca_error_t (*)(struct doca_rdma *rdma, uint16_t timeout));
SAME(doca_rdma_connection_set_user_data,
     doca_error_t (*)(struct doca_rdma_connection *rdma_connection,
		      union doca_data connection_user_data));
SAME(doca_rdma_set_rnr_retry_count,
     doca_error_t (*)(struct doca_rdma *rdma, uint8_t rnr_retry_count));
SAME(doca_rdma_get_dpa_handle,
     doca_error_t (*)(struct doca_rdma *rdma, doca_dpa_dev_rdma_t *dpa_rdma));
SAME(doca_rdma_get_gpu_handle,
     doca_error_t (*)(struct doca_rdma *rdma, struct doca_gpu_dev_rdma **gpu_rdma));
SAME(doca_rdma_get_connection_request_timeout,
     doca_error_t (*)(const struct doca_rdma *rdma, uint16_t *timeout));
SAME(doca_rdma_connection_get_addr,
     doca_error_t (*)(const struct doca_rdma_connection *rdma_connection,
		      struct doca_rdma_addr **addr));
SAME(doca_rdma_addr_get_params,
     doca_error_t (*)(struct doca_rdma_addr *addr, enum doca_rdma_addr_type *addr_type,
		      const char **address, uint16_t *port));
SAME(doca_rdma_connection_get_user_data,
     doca_error_t (*)(const struct doca_rdma_connection *rdma_connection,
		      union doca_data *connection_user_data));
SAME(doca_rdma_connection_get_id,
     doca_error_t (*)(const struct doca_rdma_connection *rdma_connection, uint32_t *connection_id));
SAME(doca_rdma_get_rnr_retry_count,
     doca_error_t (*)(const struct doca_rdma *rdma, uint8_t *rnr_retry_count));
SAME_TYPE(doca_rdma_connection_request_cb_t,
	  void (*)(struct doca_rdma_connection *rdma_connection, union doca_data ctx_user_data));
SAME_TYPE(doca_rdma_connection_established_cb_t,
	  void (*)(struct doca_rdma_connection *rdma_connection,
		   union doca_data connection_user_data, union doca_data ctx_user_data));
SAME_TYPE(doca_rdma_connection_failure_cb_t,
	  void (*)(struct doca_rdma_connection *rdma_connection,
		   union doca_data connection_user_data, union doca_data ctx_user_data));
SAME_TYPE(doca_rdma_connection_disconnection_cb_t,
	  void (*)(struct doca_rdma_connection *rdma_connection,
		   union doca_data connection_user_data, union doca_data ctx_user_data));
SAME(doca_rdma_set_connection_state_callbacks,
     doca_error_t (*)(struct doca_rdma *rdma,
		      doca_rdma_connection_request_cb_t doca_rdma_connect_request_cb,
		      doca_rdma_connection_established_cb_t doca_rdma_connect_established_cb,
		      doca_rdma_connection_failure_cb_t doca_rdma_connect_failure_cb,
		      doca_rdma_connection_disconnection_cb_t doca_rdma_disconnect_cb));
SAME(doca_rdma_dpa_completion_attach,
     doca_error_t (*)(struct doca_rdma *rdma, struct doca_dpa_completion *dpa_comp));
#endif
#if IN(207, 208)
SAME(doca_rdma_connection_accept, doca_error_t (*)(struct doca_rdma_connection *rdma_connection));
#endif
#if IN(209, 999)
SAME(doca_rdma_export,
     doca_error_t (*)(struct doca_rdma *rdma, const void **local_rdma_conn_details,
		      size_t *local_rdma_conn_details_size,
		      struct doca_rdma_connection **rdma_connection));
SAME(doca_rdma_connect,
     doca_error_t (*)(struct doca_rdma *rdma, const void *remote_rdma_conn_details,
		      size_t remote_rdma_conn_details_size,
		      struct doca_rdma_connection *rdma_connection));
SAME(doca_rdma_connection_accept, doca_error_t (*)(struct doca_rdma_connection *rdma_connection,
						   void *private_data, uint8_t private_data_len));
SAME(doca_rdma_set_max_num_connections,
     doca_error_t (*)(struct doca_rdma *rdma, uint16_t max_num_connections));
SAME(doca_rdma_get_max_num_connections,
     doca_error_t (*)(struct doca_rdma *rdma, uint16_t *max_num_connections));
SAME(doca_rdma_task_receive_get_result_rdma_connection,
     const struct doca_rdma_connection *(*)(const struct doca_rdma_task_receive *task));
SAME(doca_rdma_task_send_allocate_init,
     doca_error_t (*)(struct doca_rdma *rdma, struct doca_rdma_connection *rdma_connection,
		      const struct doca_buf *src_buf, union doca_data user_data,
		      struct doca_rdma_task_send **task));
SAME(doca_rdma_task_send_set_rdma_connection,
     void (*)(struct doca_rdma_task_send *task, struct doca_rdma_connection *rdma_connection));
SAME(doca_rdma_task_send_get_rdma_connection,
     const struct doca_rdma_connection *(*)(const struct doca_rdma_task_send *task));
SAME(doca_rdma_task_send_imm_allocate_init,
     doca_error_t (*)(struct doca_rdma *rdma, struct doca_rdma_connection *rdma_connection,
		      const struct doca_buf *src_buf, doca_be32_t immediate_data,
		      union doca_data user_data, struct doca_rdma_task_send_imm **task));
SAME(doca_rdma_task_send_imm_set_rdma_connection,
     void (*)(struct doca_rdma_task_send_imm *task, struct doca_rdma_connection *rdma_connection));
SAME(doca_rdma_task_send_imm_get_rdma_connection,
     const struct doca_rdma_connection *(*)(const struct doca_rdma_task_send_imm *task));
SAME(doca_rdma_task_read_allocate_init,
     doca_error_t (*)(struct doca_rdma *rdma, struct doca_rdma_connection *rdma_connection,
		      const struct doca_buf *src_buf, struct doca_buf *dst_buf,
		      union doca_data user_data, struct doca_rdma_task_read **task));
SAME(doca_rdma_task_read_set_rdma_connection,
     void (*)(struct doca_rdma_task_read *task, struct doca_rdma_connection *rdma_connection));
SAME(doca_rdma_task_read_get_rdma_connection,
     const struct doca_rdma_connection *(*)(const struct doca_rdma_task_read *task));
SAME(doca_rdma_task_write_allocate_init,
     doca_error_t (*)(struct doca_rdma *rdma, struct doca_rdma_connection *rdma_connection,
		      const struct doca_buf *src_buf, struct doca_buf *dst_buf,
		      union doca_data user_data, struct doca_rdma_task_write **task));
SAME(doca_rdma_task_write_set_rdma_connection,
     void (*)(struct doca_rdma_task_write *task, struct doca_rdma_connection *rdma_connection));
SAME(doca_rdma_task_write_get_rdma_connection,
     const struct doca_rdma_connection *(*)(const struct doca_rdma_task_write *task));
SAME(doca_rdma_task_write_imm_allocate_init,
     doca_error_t (*)(struct doca_rdma *rdma, struct doca_rdma_connection *rdma_connection,
		      const struct doca_buf *src_buf, struct doca_buf *dst_buf,
		      doca_be32_t immediate_data, union doca_data user_data,
		      struct doca_rdma_task_write_imm **task));
SAME(doca_rdma_task_write_imm_set_rdma_connection,
     void (*)(struct doca_rdma_task_write_imm *task, struct doca_rdma_connection *rdma_connection));
SAME(doca_rdma_task_write_imm_get_rdma_connection,
     const struct doca_rdma_connection *(*)(const struct doca_rdma_task_write_imm *task));
SAME(doca_rdma_task_atomic_cmp_swp_allocate_init,
     doca_error_t (*)(struct doca_rdma *rdma, struct doca_rdma_connection *rdma_connection,
		      struct doca_buf *dst_buf, struct doca_buf *result_buf, uint64_t cmp_data,
		      uint64_t swap_data, union doca_data user_data,
		      struct doca_rdma_task_atomic_cmp_swp **task));
SAME(doca_rdma_task_atomic_cmp_swp_set_rdma_connection,
     void (*)(struct doca_rdma_task_atomic_cmp_swp *task,
	      struct doca_rdma_connection *rdma_connection));
SAME(doca_rdma_task_atomic_cmp_swp_get_rdma_connection,
     const struct doca_rdma_connection *(*)(const struct doca_rdma_task_atomic_cmp_swp *task));
SAME(doca_rdma_task_atomic_fetch_add_allocate_init,
     doca_error_t (*)(struct doca_rdma *rdma, struct doca_rdma_connection *rdma_connection,
		      struct doca_buf *dst_buf, struct doca_buf *result_buf, uint64_t add_data,
		      union doca_data user_data, struct doca_rdma_task_atomic_fetch_add **task));
SAME(doca_rdma_task_atomic_fetch_add_set_rdma_connection,
     void (*)(struct doca_rdma_task_atomic_fetch_add *task,
	      struct doca_rdma_connection *rdma_connection));
SAME(doca_rdma_task_atomic_fetch_add_get_rdma_connection,
     const struct doca_rdma_connection *(*)(const struct doca_rdma_task_atomic_fetch_add *task));
SAME(doca_rdma_task_remote_net_sync_event_get_allocate_init,
     doca_error_t (*)(struct doca_rdma *rdma, struct doca_rdma_connection *rdma_connection,
		      const struct doca_sync_event_remote_net *event, struct doca_buf *dst_buf,
		      union doca_data user_data,
		      struct doca_rdma_task_remote_net_sync_event_get **task));
SAME(doca_rdma_task_remote_net_sync_event_get_set_rdma_connection,
     void (*)(struct doca_rdma_task_remote_net_sync_event_get *task,
	      struct doca_rdma_connection *rdma_connection));
SAME(doca_rdma_task_remote_net_sync_event_get_get_rdma_connection,
     const struct doca_rdma_connection
	     *(*)(const struct doca_rdma_task_remote_net_sync_event_get *task));
SAME(doca_rdma_task_remote_net_sync_event_notify_set_allocate_init,
     doca_error_t (*)(struct doca_rdma *rdma, struct doca_rdma_connection *rdma_connection,
		      struct doca_sync_event_remote_net *event, const struct doca_buf *src_buf,
		      union doca_data user_data,
		      struct doca_rdma_task_remote_net_sync_event_notify_set **task));
SAME(doca_rdma_task_remote_net_sync_event_notify_set_set_rdma_connection,
     void (*)(struct doca_rdma_task_remote_net_sync_event_notify_set *task,
	      struct doca_rdma_connection *rdma_connection));
SAME(doca_rdma_task_remote_net_sync_event_notify_set_get_rdma_connection,
     const struct doca_rdma_connection
	     *(*)(const struct doca_rdma_task_remote_net_sync_event_notify_set *task));
SAME(doca_rdma_task_remote_net_sync_event_notify_add_allocate_init,
     doca_error_t (*)(struct doca_rdma *rdma, struct doca_rdma_connection *rdma_connection,
		      struct doca_sync_event_remote_net *event, struct doca_buf *result_buf,
		      uint64_t add_data, union doca_data user_data,
		      struct doca_rdma_task_remote_net_sync_event_notify_add **task));
SAME(doca_rdma_task_remote_net_sync_event_notify_add_set_rdma_connection,
     void (*)(struct doca_rdma_task_remote_net_sync_event_notify_add *task,
	      struct doca_rdma_connection *rdma_connection));
SAME(doca_rdma_task_remote_net_sync_event_notify_add_get_rdma_connection,
     const struct doca_rdma_connection
	     *(*)(const struct doca_rdma_task_remote_net_sync_event_notify_add *task));
#endif
#if IN(300, 999)
SAME(doca_rdma_bridge_prepare_connection,
     doca_error_t (*)(struct doca_rdma *rdma, struct rdma_cm_id *cm_id,
		      struct doca_rdma_connection **rdma_connection));
SAME(doca_rdma_bridge_accept,
     doca_error_t (*)(struct doca_rdma *rdma, void *private_data, uint8_t private_data_len,
		      struct doca_rdma_connection *rdma_connection));
#endif

/* doca_rdma_bridge.h */
#if IN(200, 204)
SAME(doca_dev_get_pd, doca_error_t (*)(const struct doca_dev *dev, struct ibv_pd **pd));
SAME(doca_dev_open_from_pd, doca_error_t (*)(struct ibv_pd *pd, struct doca_dev **dev));
SAME(doca_buf_get_mkey,
     doca_error_t (*)(const struct doca_buf *buf, struct doca_dev *dev, uint32_t *mkey));
#endif
#if IN(205, 999)
SAME(doca_rdma_bridge_get_dev_pd, doca_error_t (*)(const struct doca_dev *dev, struct ibv_pd **pd));
SAME(doca_rdma_bridge_open_dev_from_pd, doca_error_t (*)(struct ibv_pd *pd, struct doca_dev **dev));
SAME(doca_rdma_bridge_get_buf_mkey,
     doca_error_t (*)(const struct doca_buf *buf, struct doca_dev *dev, uint32_t *mkey));
#endif
#if IN(207, 999)
SAME(doca_rdma_bridge_get_mmap_mkey_from_pd,
     doca_error_t (*)(const struct doca_mmap *mmap, struct ibv_pd *pd, uint32_t *mkey));
#endif
