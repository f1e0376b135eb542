/* RDMA of 2.5 and 2.6: the calls that name no connection. Threads: those of the progress engine. */
#include <doca_rdma.h>

#include "client/compat/rdma/rdma.h"

doca_error_t doca_rdma_create(struct doca_dev *dev, struct doca_rdma **rdma)
{
	return rdma_former_create(dev, rdma);
}

doca_error_t doca_rdma_get_dpa_handle(struct doca_rdma *rdma, struct doca_dpa_dev_rdma **dpa_rdma)
{
	return rdma_former_dpa_handle(rdma, dpa_rdma);
}

doca_error_t doca_rdma_task_send_allocate_init(struct doca_rdma *rdma,
					       const struct doca_buf *src_buf,
					       union doca_data user_data,
					       struct doca_rdma_task_send **task)
{
	const struct rdma_former_task about = {.src = src_buf};

	return rdma_former_alloc(rdma, RDMA_TASK_SEND, &about, user_data, task);
}

doca_error_t doca_rdma_task_send_imm_allocate_init(struct doca_rdma *rdma,
						   const struct doca_buf *src_buf,
						   doca_be32_t immediate_data,
						   union doca_data user_data,
						   struct doca_rdma_task_send_imm **task)
{
	const struct rdma_former_task about = {.src = src_buf, .imm = immediate_data};

	return rdma_former_alloc(rdma, RDMA_TASK_SEND_IMM, &about, user_data, task);
}

doca_error_t doca_rdma_task_read_allocate_init(struct doca_rdma *rdma,
					       const struct doca_buf *src_buf,
					       struct doca_buf *dst_buf, union doca_data user_data,
					       struct doca_rdma_task_read **task)
{
	const struct rdma_former_task about = {.src = src_buf, .dst = dst_buf};

	return rdma_former_alloc(rdma, RDMA_TASK_READ, &about, user_data, task);
}

doca_error_t doca_rdma_task_write_allocate_init(struct doca_rdma *rdma,
						const struct doca_buf *src_buf,
						struct doca_buf *dst_buf, union doca_data user_data,
						struct doca_rdma_task_write **task)
{
	const struct rdma_former_task about = {.src = src_buf, .dst = dst_buf};

	return rdma_former_alloc(rdma, RDMA_TASK_WRITE, &about, user_data, task);
}

doca_error_t doca_rdma_task_write_imm_allocate_init(struct doca_rdma *rdma,
						    const struct doca_buf *src_buf,
						    struct doca_buf *dst_buf,
						    doca_be32_t immediate_data,
						    union doca_data user_data,
						    struct doca_rdma_task_write_imm **task)
{
	const struct rdma_former_task about = {
		.src = src_buf, .dst = dst_buf, .imm = immediate_data};

	return rdma_former_alloc(rdma, RDMA_TASK_WRITE_IMM, &about, user_data, task);
}

doca_error_t doca_rdma_task_atomic_cmp_swp_allocate_init(
	struct doca_rdma *rdma, struct doca_buf *dst_buf, struct doca_buf *result_buf,
	uint64_t cmp_data, uint64_t swap_data, union doca_data user_data,
	struct doca_rdma_task_atomic_cmp_swp **task)
{
	const struct rdma_former_task about = {
		.dst = dst_buf, .result = result_buf, .compare = cmp_data, .value = swap_data};

	return rdma_former_alloc(rdma, RDMA_TASK_CMP_SWP, &about, user_data, task);
}

doca_error_t doca_rdma_task_atomic_fetch_add_allocate_init(
	struct doca_rdma *rdma, struct doca_buf *dst_buf, struct doca_buf *result_buf,
	uint64_t add_data, union doca_data user_data, struct doca_rdma_task_atomic_fetch_add **task)
{
	const struct rdma_former_task about = {
		.dst = dst_buf, .result = result_buf, .value = add_data};

	return rdma_former_alloc(rdma, RDMA_TASK_FETCH_ADD, &about, user_data, task);
}

doca_error_t doca_rdma_task_remote_net_sync_event_get_allocate_init(
	struct doca_rdma *rdma, const struct doca_sync_event_remote_net *event,
	struct doca_buf *dst_buf, union doca_data user_data,
	struct doca_rdma_task_remote_net_sync_event_get **task)
{
	const struct rdma_former_task about = {
		.event = (struct doca_sync_event_remote_net *)(uintptr_t)event, .dst = dst_buf};

	return rdma_former_alloc(rdma, RDMA_TASK_EVENT_GET, &about, user_data, task);
}

doca_error_t doca_rdma_task_remote_net_sync_event_notify_set_allocate_init(
	struct doca_rdma *rdma, struct doca_sync_event_remote_net *event,
	const struct doca_buf *src_buf, union doca_data user_data,
	struct doca_rdma_task_remote_net_sync_event_notify_set **task)
{
	const struct rdma_former_task about = {.event = event, .src = src_buf};

	return rdma_former_alloc(rdma, RDMA_TASK_EVENT_SET, &about, user_data, task);
}

doca_error_t doca_rdma_task_remote_net_sync_event_notify_add_allocate_init(
	struct doca_rdma *rdma, struct doca_sync_event_remote_net *event,
	struct doca_buf *result_buf, uint64_t add_data, union doca_data user_data,
	struct doca_rdma_task_remote_net_sync_event_notify_add **task)
{
	const struct rdma_former_task about = {
		.event = event, .result = result_buf, .value = add_data};

	return rdma_former_alloc(rdma, RDMA_TASK_EVENT_ADD, &about, user_data, task);
}

uint32_t doca_rdma_task_receive_get_result_length(const struct doca_rdma_task_receive *task)
{
	return rdma_former_result_len(task);
}

uint32_t doca_rdma_task_read_get_result_length(const struct doca_rdma_task_read *task)
{
	return rdma_former_result_len(task);
}

uint32_t doca_rdma_task_remote_net_sync_event_get_get_result_length(
	const struct doca_rdma_task_remote_net_sync_event_get *task)
{
	return rdma_former_result_len(task);
}
