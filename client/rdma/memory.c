/* RDMA: the public functions of tasks for memory of the other end. client/rdma/run.c has their
 * implementation. Threads: those of the progress engine. */
#include "client/rdma/rdma.h"

/* --- read --- */

doca_error_t doca_rdma_task_read_set_conf(
	struct doca_rdma *rdma, doca_rdma_task_read_completion_cb_t successful_task_completion_cb,
	doca_rdma_task_read_completion_cb_t error_task_completion_cb, uint32_t num_tasks)
{
	return rdma_kind_conf(rdma, RDMA_TASK_READ,
			      (doca_task_completion_cb_t)successful_task_completion_cb,
			      (doca_task_completion_cb_t)error_task_completion_cb, num_tasks);
}

doca_error_t doca_rdma_task_read_allocate_init(struct doca_rdma *rdma,
					       struct doca_rdma_connection *rdma_connection,
					       const struct doca_buf *src_buf,
					       struct doca_buf *dst_buf, union doca_data user_data,
					       struct doca_rdma_task_read **task)
{
	struct rdma_task *t = rdma_task_allocate(rdma, RDMA_TASK_READ, rdma_connection, user_data,
						 task);

	if (unlikely(t == NULL))
		return rdma_no_task(rdma, RDMA_TASK_READ, rdma_connection, task);
	t->src = src_buf;
	t->dst = dst_buf;
	*task = (struct doca_rdma_task_read *)t;
	return DOCA_SUCCESS;
}
API_PLAIN(doca_rdma_task_read_allocate_init, 2_9);

struct doca_task *doca_rdma_task_read_as_task(struct doca_rdma_task_read *task)
{
	return task == NULL ? NULL : &((struct rdma_task *)task)->task;
}

void doca_rdma_task_read_set_src_buf(struct doca_rdma_task_read *task,
				     const struct doca_buf *src_buf)
{
	((struct rdma_task *)task)->src = src_buf;
}

const struct doca_buf *doca_rdma_task_read_get_src_buf(const struct doca_rdma_task_read *task)
{
	return ((const struct rdma_task *)task)->src;
}

void doca_rdma_task_read_set_dst_buf(struct doca_rdma_task_read *task, struct doca_buf *dst_buf)
{
	((struct rdma_task *)task)->dst = dst_buf;
}

struct doca_buf *doca_rdma_task_read_get_dst_buf(const struct doca_rdma_task_read *task)
{
	return ((const struct rdma_task *)task)->dst;
}

uint32_t doca_rdma_task_read_get_result_len(const struct doca_rdma_task_read *task)
{
	return ((const struct rdma_task *)task)->len;
}

void doca_rdma_task_read_set_rdma_connection(struct doca_rdma_task_read *task,
					     struct doca_rdma_connection *rdma_connection)
{
	((struct rdma_task *)task)->connection = rdma_connection;
}

const struct doca_rdma_connection *doca_rdma_task_read_get_rdma_connection(
	const struct doca_rdma_task_read *task)
{
	return ((const struct rdma_task *)task)->connection;
}

/* --- write --- */

doca_error_t doca_rdma_task_write_set_conf(
	struct doca_rdma *rdma, doca_rdma_task_write_completion_cb_t successful_task_completion_cb,
	doca_rdma_task_write_completion_cb_t error_task_completion_cb, uint32_t num_tasks)
{
	return rdma_kind_conf(rdma, RDMA_TASK_WRITE,
			      (doca_task_completion_cb_t)successful_task_completion_cb,
			      (doca_task_completion_cb_t)error_task_completion_cb, num_tasks);
}

doca_error_t doca_rdma_task_write_allocate_init(struct doca_rdma *rdma,
						struct doca_rdma_connection *rdma_connection,
						const struct doca_buf *src_buf,
						struct doca_buf *dst_buf, union doca_data user_data,
						struct doca_rdma_task_write **task)
{
	struct rdma_task *t = rdma_task_allocate(rdma, RDMA_TASK_WRITE, rdma_connection, user_data,
						 task);

	if (unlikely(t == NULL))
		return rdma_no_task(rdma, RDMA_TASK_WRITE, rdma_connection, task);
	t->src = src_buf;
	t->dst = dst_buf;
	*task = (struct doca_rdma_task_write *)t;
	return DOCA_SUCCESS;
}
API_PLAIN(doca_rdma_task_write_allocate_init, 2_9);

struct doca_task *doca_rdma_task_write_as_task(struct doca_rdma_task_write *task)
{
	return task == NULL ? NULL : &((struct rdma_task *)task)->task;
}

void doca_rdma_task_write_set_src_buf(struct doca_rdma_task_write *task,
				      const struct doca_buf *src_buf)
{
	((struct rdma_task *)task)->src = src_buf;
}

const struct doca_buf *doca_rdma_task_write_get_src_buf(const struct doca_rdma_task_write *task)
{
	return ((const struct rdma_task *)task)->src;
}

void doca_rdma_task_write_set_dst_buf(struct doca_rdma_task_write *task, struct doca_buf *dst_buf)
{
	((struct rdma_task *)task)->dst = dst_buf;
}

struct doca_buf *doca_rdma_task_write_get_dst_buf(const struct doca_rdma_task_write *task)
{
	return ((const struct rdma_task *)task)->dst;
}

void doca_rdma_task_write_set_rdma_connection(struct doca_rdma_task_write *task,
					      struct doca_rdma_connection *rdma_connection)
{
	((struct rdma_task *)task)->connection = rdma_connection;
}

const struct doca_rdma_connection *doca_rdma_task_write_get_rdma_connection(
	const struct doca_rdma_task_write *task)
{
	return ((const struct rdma_task *)task)->connection;
}

/* --- write imm --- */

doca_error_t doca_rdma_task_write_imm_set_conf(
	struct doca_rdma *rdma,
	doca_rdma_task_write_imm_completion_cb_t successful_task_completion_cb,
	doca_rdma_task_write_imm_completion_cb_t error_task_completion_cb, uint32_t num_tasks)
{
	return rdma_kind_conf(rdma, RDMA_TASK_WRITE_IMM,
			      (doca_task_completion_cb_t)successful_task_completion_cb,
			      (doca_task_completion_cb_t)error_task_completion_cb, num_tasks);
}

doca_error_t doca_rdma_task_write_imm_allocate_init(
	struct doca_rdma *rdma, struct doca_rdma_connection *rdma_connection,
	const struct doca_buf *src_buf, struct doca_buf *dst_buf, doca_be32_t immediate_data,
	union doca_data user_data, struct doca_rdma_task_write_imm **task)
{
	struct rdma_task *t = rdma_task_allocate(rdma, RDMA_TASK_WRITE_IMM, rdma_connection,
						 user_data, task);

	if (unlikely(t == NULL))
		return rdma_no_task(rdma, RDMA_TASK_WRITE_IMM, rdma_connection, task);
	t->src = src_buf;
	t->dst = dst_buf;
	t->imm = immediate_data;
	*task = (struct doca_rdma_task_write_imm *)t;
	return DOCA_SUCCESS;
}
API_PLAIN(doca_rdma_task_write_imm_allocate_init, 2_9);

struct doca_task *doca_rdma_task_write_imm_as_task(struct doca_rdma_task_write_imm *task)
{
	return task == NULL ? NULL : &((struct rdma_task *)task)->task;
}

void doca_rdma_task_write_imm_set_src_buf(struct doca_rdma_task_write_imm *task,
					  const struct doca_buf *src_buf)
{
	((struct rdma_task *)task)->src = src_buf;
}

const struct doca_buf *doca_rdma_task_write_imm_get_src_buf(
	const struct doca_rdma_task_write_imm *task)
{
	return ((const struct rdma_task *)task)->src;
}

void doca_rdma_task_write_imm_set_dst_buf(struct doca_rdma_task_write_imm *task,
					  struct doca_buf *dst_buf)
{
	((struct rdma_task *)task)->dst = dst_buf;
}

struct doca_buf *doca_rdma_task_write_imm_get_dst_buf(const struct doca_rdma_task_write_imm *task)
{
	return ((const struct rdma_task *)task)->dst;
}

void doca_rdma_task_write_imm_set_immediate_data(struct doca_rdma_task_write_imm *task,
						 doca_be32_t immediate_data)
{
	((struct rdma_task *)task)->imm = immediate_data;
}

doca_be32_t doca_rdma_task_write_imm_get_immediate_data(const struct doca_rdma_task_write_imm *task)
{
	return ((const struct rdma_task *)task)->imm;
}

void doca_rdma_task_write_imm_set_rdma_connection(struct doca_rdma_task_write_imm *task,
						  struct doca_rdma_connection *rdma_connection)
{
	((struct rdma_task *)task)->connection = rdma_connection;
}

const struct doca_rdma_connection *doca_rdma_task_write_imm_get_rdma_connection(
	const struct doca_rdma_task_write_imm *task)
{
	return ((const struct rdma_task *)task)->connection;
}

/* --- atomic cmp swp --- */

doca_error_t doca_rdma_task_atomic_cmp_swp_set_conf(
	struct doca_rdma *rdma,
	doca_rdma_task_atomic_cmp_swp_completion_cb_t successful_task_completion_cb,
	doca_rdma_task_atomic_cmp_swp_completion_cb_t error_task_completion_cb, uint32_t num_tasks)
{
	return rdma_kind_conf(rdma, RDMA_TASK_CMP_SWP,
			      (doca_task_completion_cb_t)successful_task_completion_cb,
			      (doca_task_completion_cb_t)error_task_completion_cb, num_tasks);
}

doca_error_t doca_rdma_task_atomic_cmp_swp_allocate_init(
	struct doca_rdma *rdma, struct doca_rdma_connection *rdma_connection,
	struct doca_buf *dst_buf, struct doca_buf *result_buf, uint64_t cmp_data,
	uint64_t swap_data, union doca_data user_data, struct doca_rdma_task_atomic_cmp_swp **task)
{
	struct rdma_task *t = rdma_task_allocate(rdma, RDMA_TASK_CMP_SWP, rdma_connection,
						 user_data, task);

	if (unlikely(t == NULL))
		return rdma_no_task(rdma, RDMA_TASK_CMP_SWP, rdma_connection, task);
	t->dst = dst_buf;
	t->result = result_buf;
	t->wr.compare = cmp_data;
	t->wr.value = swap_data;
	*task = (struct doca_rdma_task_atomic_cmp_swp *)t;
	return DOCA_SUCCESS;
}
API_PLAIN(doca_rdma_task_atomic_cmp_swp_allocate_init, 2_9);

struct doca_task *doca_rdma_task_atomic_cmp_swp_as_task(struct doca_rdma_task_atomic_cmp_swp *task)
{
	return task == NULL ? NULL : &((struct rdma_task *)task)->task;
}

void doca_rdma_task_atomic_cmp_swp_set_dst_buf(struct doca_rdma_task_atomic_cmp_swp *task,
					       struct doca_buf *dst_buf)
{
	((struct rdma_task *)task)->dst = dst_buf;
}

struct doca_buf *doca_rdma_task_atomic_cmp_swp_get_dst_buf(
	const struct doca_rdma_task_atomic_cmp_swp *task)
{
	return ((const struct rdma_task *)task)->dst;
}

void doca_rdma_task_atomic_cmp_swp_set_result_buf(struct doca_rdma_task_atomic_cmp_swp *task,
						  struct doca_buf *result_buf)
{
	((struct rdma_task *)task)->result = result_buf;
}

struct doca_buf *doca_rdma_task_atomic_cmp_swp_get_result_buf(
	const struct doca_rdma_task_atomic_cmp_swp *task)
{
	return ((const struct rdma_task *)task)->result;
}

void doca_rdma_task_atomic_cmp_swp_set_cmp_data(struct doca_rdma_task_atomic_cmp_swp *task,
						uint64_t cmp_data)
{
	((struct rdma_task *)task)->wr.compare = cmp_data;
}

uint64_t doca_rdma_task_atomic_cmp_swp_get_cmp_data(
	const struct doca_rdma_task_atomic_cmp_swp *task)
{
	return ((const struct rdma_task *)task)->wr.compare;
}

void doca_rdma_task_atomic_cmp_swp_set_swap_data(struct doca_rdma_task_atomic_cmp_swp *task,
						 uint64_t swap_data)
{
	((struct rdma_task *)task)->wr.value = swap_data;
}

uint64_t doca_rdma_task_atomic_cmp_swp_get_swap_data(
	const struct doca_rdma_task_atomic_cmp_swp *task)
{
	return ((const struct rdma_task *)task)->wr.value;
}

void doca_rdma_task_atomic_cmp_swp_set_rdma_connection(struct doca_rdma_task_atomic_cmp_swp *task,
						       struct doca_rdma_connection *rdma_connection)
{
	((struct rdma_task *)task)->connection = rdma_connection;
}

const struct doca_rdma_connection *doca_rdma_task_atomic_cmp_swp_get_rdma_connection(
	const struct doca_rdma_task_atomic_cmp_swp *task)
{
	return ((const struct rdma_task *)task)->connection;
}

/* --- atomic fetch add --- */

doca_error_t doca_rdma_task_atomic_fetch_add_set_conf(
	struct doca_rdma *rdma,
	doca_rdma_task_atomic_fetch_add_completion_cb_t successful_task_completion_cb,
	doca_rdma_task_atomic_fetch_add_completion_cb_t error_task_completion_cb,
	uint32_t num_tasks)
{
	return rdma_kind_conf(rdma, RDMA_TASK_FETCH_ADD,
			      (doca_task_completion_cb_t)successful_task_completion_cb,
			      (doca_task_completion_cb_t)error_task_completion_cb, num_tasks);
}

doca_error_t doca_rdma_task_atomic_fetch_add_allocate_init(
	struct doca_rdma *rdma, struct doca_rdma_connection *rdma_connection,
	struct doca_buf *dst_buf, struct doca_buf *result_buf, uint64_t add_data,
	union doca_data user_data, struct doca_rdma_task_atomic_fetch_add **task)
{
	struct rdma_task *t = rdma_task_allocate(rdma, RDMA_TASK_FETCH_ADD, rdma_connection,
						 user_data, task);

	if (unlikely(t == NULL))
		return rdma_no_task(rdma, RDMA_TASK_FETCH_ADD, rdma_connection, task);
	t->dst = dst_buf;
	t->result = result_buf;
	t->wr.value = add_data;
	*task = (struct doca_rdma_task_atomic_fetch_add *)t;
	return DOCA_SUCCESS;
}
API_PLAIN(doca_rdma_task_atomic_fetch_add_allocate_init, 2_9);

struct doca_task *doca_rdma_task_atomic_fetch_add_as_task(
	struct doca_rdma_task_atomic_fetch_add *task)
{
	return task == NULL ? NULL : &((struct rdma_task *)task)->task;
}

void doca_rdma_task_atomic_fetch_add_set_dst_buf(struct doca_rdma_task_atomic_fetch_add *task,
						 struct doca_buf *dst_buf)
{
	((struct rdma_task *)task)->dst = dst_buf;
}

struct doca_buf *doca_rdma_task_atomic_fetch_add_get_dst_buf(
	const struct doca_rdma_task_atomic_fetch_add *task)
{
	return ((const struct rdma_task *)task)->dst;
}

void doca_rdma_task_atomic_fetch_add_set_result_buf(struct doca_rdma_task_atomic_fetch_add *task,
						    struct doca_buf *result_buf)
{
	((struct rdma_task *)task)->result = result_buf;
}

struct doca_buf *doca_rdma_task_atomic_fetch_add_get_result_buf(
	const struct doca_rdma_task_atomic_fetch_add *task)
{
	return ((const struct rdma_task *)task)->result;
}

void doca_rdma_task_atomic_fetch_add_set_add_data(struct doca_rdma_task_atomic_fetch_add *task,
						  uint64_t add_data)
{
	((struct rdma_task *)task)->wr.value = add_data;
}

uint64_t doca_rdma_task_atomic_fetch_add_get_add_data(
	const struct doca_rdma_task_atomic_fetch_add *task)
{
	return ((const struct rdma_task *)task)->wr.value;
}

void doca_rdma_task_atomic_fetch_add_set_rdma_connection(
	struct doca_rdma_task_atomic_fetch_add *task, struct doca_rdma_connection *rdma_connection)
{
	((struct rdma_task *)task)->connection = rdma_connection;
}

const struct doca_rdma_connection *doca_rdma_task_atomic_fetch_add_get_rdma_connection(
	const struct doca_rdma_task_atomic_fetch_add *task)
{
	return ((const struct rdma_task *)task)->connection;
}
