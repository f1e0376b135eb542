/*
 * RDMA: the public functions of receives and messages. A task begins with its struct doca_task, to
 * which the typed callbacks' pointer refers too. client/rdma/run.c has the implementation of tasks.
 * Threads: those of the progress engine.
 */
#include "client/rdma/rdma.h"

/* --- receive --- */

doca_error_t doca_rdma_task_receive_set_conf(
	struct doca_rdma *rdma,
	doca_rdma_task_receive_completion_cb_t successful_task_completion_cb,
	doca_rdma_task_receive_completion_cb_t error_task_completion_cb, uint32_t num_tasks)
{
	return rdma_kind_conf(rdma, RDMA_TASK_RECEIVE,
			      (doca_task_completion_cb_t)successful_task_completion_cb,
			      (doca_task_completion_cb_t)error_task_completion_cb, num_tasks);
}

doca_error_t doca_rdma_task_receive_allocate_init(struct doca_rdma *rdma, struct doca_buf *dst_buf,
						  union doca_data user_data,
						  struct doca_rdma_task_receive **task)
{
	struct rdma_task *t = rdma_task_allocate(rdma, RDMA_TASK_RECEIVE, NULL, user_data, task);

	if (unlikely(t == NULL))
		return rdma_no_task(rdma, RDMA_TASK_RECEIVE, NULL, task);
	t->dst = dst_buf;
	*task = (struct doca_rdma_task_receive *)t;
	return DOCA_SUCCESS;
}

struct doca_task *doca_rdma_task_receive_as_task(struct doca_rdma_task_receive *task)
{
	return task == NULL ? NULL : &((struct rdma_task *)task)->task;
}

void doca_rdma_task_receive_set_dst_buf(struct doca_rdma_task_receive *task,
					struct doca_buf *dst_buf)
{
	((struct rdma_task *)task)->dst = dst_buf;
}

struct doca_buf *doca_rdma_task_receive_get_dst_buf(const struct doca_rdma_task_receive *task)
{
	return ((const struct rdma_task *)task)->dst;
}

enum doca_rdma_opcode doca_rdma_task_receive_get_result_opcode(
	const struct doca_rdma_task_receive *task)
{
	switch (((const struct rdma_task *)task)->wr.received_as) {
	case RDMA_SEND_IMM:
		return DOCA_RDMA_OPCODE_RECV_SEND_WITH_IMM;
	case RDMA_WRITE_IMM:
		return DOCA_RDMA_OPCODE_RECV_WRITE_WITH_IMM;
	default:
		return DOCA_RDMA_OPCODE_RECV_SEND;
	}
}

uint32_t doca_rdma_task_receive_get_result_len(const struct doca_rdma_task_receive *task)
{
	return ((const struct rdma_task *)task)->len;
}

doca_be32_t doca_rdma_task_receive_get_result_immediate_data(
	const struct doca_rdma_task_receive *task)
{
	return ((const struct rdma_task *)task)->wr.imm;
}

const struct doca_rdma_connection *doca_rdma_task_receive_get_result_rdma_connection(
	const struct doca_rdma_task_receive *task)
{
	return ((const struct rdma_task *)task)->from;
}

/* --- send --- */

doca_error_t doca_rdma_task_send_set_conf(
	struct doca_rdma *rdma, doca_rdma_task_send_completion_cb_t successful_task_completion_cb,
	doca_rdma_task_send_completion_cb_t error_task_completion_cb, uint32_t num_tasks)
{
	return rdma_kind_conf(rdma, RDMA_TASK_SEND,
			      (doca_task_completion_cb_t)successful_task_completion_cb,
			      (doca_task_completion_cb_t)error_task_completion_cb, num_tasks);
}

doca_error_t doca_rdma_task_send_allocate_init(struct doca_rdma *rdma,
					       struct doca_rdma_connection *rdma_connection,
					       const struct doca_buf *src_buf,
					       union doca_data user_data,
					       struct doca_rdma_task_send **task)
{
	struct rdma_task *t = rdma_task_allocate(rdma, RDMA_TASK_SEND, rdma_connection, user_data,
						 task);

	if (unlikely(t == NULL))
		return rdma_no_task(rdma, RDMA_TASK_SEND, rdma_connection, task);
	t->src = src_buf;
	*task = (struct doca_rdma_task_send *)t;
	return DOCA_SUCCESS;
}
API_PLAIN(doca_rdma_task_send_allocate_init, 2_9);

struct doca_task *doca_rdma_task_send_as_task(struct doca_rdma_task_send *task)
{
	return task == NULL ? NULL : &((struct rdma_task *)task)->task;
}

void doca_rdma_task_send_set_src_buf(struct doca_rdma_task_send *task,
				     const struct doca_buf *src_buf)
{
	((struct rdma_task *)task)->src = src_buf;
}

const struct doca_buf *doca_rdma_task_send_get_src_buf(const struct doca_rdma_task_send *task)
{
	return ((const struct rdma_task *)task)->src;
}

void doca_rdma_task_send_set_rdma_connection(struct doca_rdma_task_send *task,
					     struct doca_rdma_connection *rdma_connection)
{
	((struct rdma_task *)task)->connection = rdma_connection;
}

const struct doca_rdma_connection *doca_rdma_task_send_get_rdma_connection(
	const struct doca_rdma_task_send *task)
{
	return ((const struct rdma_task *)task)->connection;
}

/* --- send imm --- */

doca_error_t doca_rdma_task_send_imm_set_conf(
	struct doca_rdma *rdma,
	doca_rdma_task_send_imm_completion_cb_t successful_task_completion_cb,
	doca_rdma_task_send_imm_completion_cb_t error_task_completion_cb, uint32_t num_tasks)
{
	return rdma_kind_conf(rdma, RDMA_TASK_SEND_IMM,
			      (doca_task_completion_cb_t)successful_task_completion_cb,
			      (doca_task_completion_cb_t)error_task_completion_cb, num_tasks);
}

doca_error_t doca_rdma_task_send_imm_allocate_init(struct doca_rdma *rdma,
						   struct doca_rdma_connection *rdma_connection,
						   const struct doca_buf *src_buf,
						   doca_be32_t immediate_data,
						   union doca_data user_data,
						   struct doca_rdma_task_send_imm **task)
{
	struct rdma_task *t = rdma_task_allocate(rdma, RDMA_TASK_SEND_IMM, rdma_connection,
						 user_data, task);

	if (unlikely(t == NULL))
		return rdma_no_task(rdma, RDMA_TASK_SEND_IMM, rdma_connection, task);
	t->src = src_buf;
	t->imm = immediate_data;
	*task = (struct doca_rdma_task_send_imm *)t;
	return DOCA_SUCCESS;
}
API_PLAIN(doca_rdma_task_send_imm_allocate_init, 2_9);

struct doca_task *doca_rdma_task_send_imm_as_task(struct doca_rdma_task_send_imm *task)
{
	return task == NULL ? NULL : &((struct rdma_task *)task)->task;
}

void doca_rdma_task_send_imm_set_src_buf(struct doca_rdma_task_send_imm *task,
					 const struct doca_buf *src_buf)
{
	((struct rdma_task *)task)->src = src_buf;
}

const struct doca_buf *doca_rdma_task_send_imm_get_src_buf(
	const struct doca_rdma_task_send_imm *task)
{
	return ((const struct rdma_task *)task)->src;
}

void doca_rdma_task_send_imm_set_immediate_data(struct doca_rdma_task_send_imm *task,
						doca_be32_t immediate_data)
{
	((struct rdma_task *)task)->imm = immediate_data;
}

doca_be32_t doca_rdma_task_send_imm_get_immediate_data(const struct doca_rdma_task_send_imm *task)
{
	return ((const struct rdma_task *)task)->imm;
}

void doca_rdma_task_send_imm_set_rdma_connection(struct doca_rdma_task_send_imm *task,
						 struct doca_rdma_connection *rdma_connection)
{
	((struct rdma_task *)task)->connection = rdma_connection;
}

const struct doca_rdma_connection *doca_rdma_task_send_imm_get_rdma_connection(
	const struct doca_rdma_task_send_imm *task)
{
	return ((const struct rdma_task *)task)->connection;
}
