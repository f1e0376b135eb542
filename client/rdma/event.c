/* RDMA: the public functions of tasks for sync events of the other end. client/rdma/run.c has their
 * implementation. Threads: those of the progress engine. */
#include "client/rdma/rdma.h"

/* --- sync event get --- */

doca_error_t doca_rdma_task_remote_net_sync_event_get_set_conf(
	struct doca_rdma *rdma,
	doca_rdma_task_remote_net_sync_event_get_completion_cb_t successful_task_completion_cb,
	doca_rdma_task_remote_net_sync_event_get_completion_cb_t error_task_completion_cb,
	uint32_t num_tasks)
{
	return rdma_kind_conf(rdma, RDMA_TASK_EVENT_GET,
			      (doca_task_completion_cb_t)successful_task_completion_cb,
			      (doca_task_completion_cb_t)error_task_completion_cb, num_tasks);
}

doca_error_t doca_rdma_task_remote_net_sync_event_get_allocate_init(
	struct doca_rdma *rdma, struct doca_rdma_connection *rdma_connection,
	const struct doca_sync_event_remote_net *event, struct doca_buf *dst_buf,
	union doca_data user_data, struct doca_rdma_task_remote_net_sync_event_get **task)
{
	struct rdma_task *t = rdma_task_allocate(rdma, RDMA_TASK_EVENT_GET, rdma_connection,
						 user_data, task);

	if (unlikely(t == NULL))
		return rdma_no_task(rdma, RDMA_TASK_EVENT_GET, rdma_connection, task);
	t->event = (struct doca_sync_event_remote_net *)(uintptr_t)event;
	t->dst = dst_buf;
	*task = (struct doca_rdma_task_remote_net_sync_event_get *)t;
	return DOCA_SUCCESS;
}
API_PLAIN(doca_rdma_task_remote_net_sync_event_get_allocate_init, 2_9);

struct doca_task *doca_rdma_task_remote_net_sync_event_get_as_task(
	struct doca_rdma_task_remote_net_sync_event_get *task)
{
	return task == NULL ? NULL : &((struct rdma_task *)task)->task;
}

void doca_rdma_task_remote_net_sync_event_get_set_sync_event(
	struct doca_rdma_task_remote_net_sync_event_get *task,
	const struct doca_sync_event_remote_net *event)
{
	((struct rdma_task *)task)->event = (struct doca_sync_event_remote_net *)(uintptr_t)event;
}

const struct doca_sync_event_remote_net *doca_rdma_task_remote_net_sync_event_get_get_sync_event(
	const struct doca_rdma_task_remote_net_sync_event_get *task)
{
	return ((const struct rdma_task *)task)->event;
}

void doca_rdma_task_remote_net_sync_event_get_set_dst_buf(
	struct doca_rdma_task_remote_net_sync_event_get *task, struct doca_buf *dst_buf)
{
	((struct rdma_task *)task)->dst = dst_buf;
}

struct doca_buf *doca_rdma_task_remote_net_sync_event_get_get_dst_buf(
	const struct doca_rdma_task_remote_net_sync_event_get *task)
{
	return ((const struct rdma_task *)task)->dst;
}

uint32_t doca_rdma_task_remote_net_sync_event_get_get_result_len(
	const struct doca_rdma_task_remote_net_sync_event_get *task)
{
	return ((const struct rdma_task *)task)->len;
}

void doca_rdma_task_remote_net_sync_event_get_set_rdma_connection(
	struct doca_rdma_task_remote_net_sync_event_get *task,
	struct doca_rdma_connection *rdma_connection)
{
	((struct rdma_task *)task)->connection = rdma_connection;
}

const struct doca_rdma_connection *doca_rdma_task_remote_net_sync_event_get_get_rdma_connection(
	const struct doca_rdma_task_remote_net_sync_event_get *task)
{
	return ((const struct rdma_task *)task)->connection;
}

/* --- sync event notify set --- */

doca_error_t doca_rdma_task_remote_net_sync_event_notify_set_set_conf(
	struct doca_rdma *rdma,
	doca_rdma_task_remote_net_sync_event_notify_set_completion_cb_t
		successful_task_completion_cb,
	doca_rdma_task_remote_net_sync_event_notify_set_completion_cb_t error_task_completion_cb,
	uint32_t num_tasks)
{
	return rdma_kind_conf(rdma, RDMA_TASK_EVENT_SET,
			      (doca_task_completion_cb_t)successful_task_completion_cb,
			      (doca_task_completion_cb_t)error_task_completion_cb, num_tasks);
}

doca_error_t doca_rdma_task_remote_net_sync_event_notify_set_allocate_init(
	struct doca_rdma *rdma, struct doca_rdma_connection *rdma_connection,
	struct doca_sync_event_remote_net *event, const struct doca_buf *src_buf,
	union doca_data user_data, struct doca_rdma_task_remote_net_sync_event_notify_set **task)
{
	struct rdma_task *t = rdma_task_allocate(rdma, RDMA_TASK_EVENT_SET, rdma_connection,
						 user_data, task);

	if (unlikely(t == NULL))
		return rdma_no_task(rdma, RDMA_TASK_EVENT_SET, rdma_connection, task);
	t->event = event;
	t->src = src_buf;
	*task = (struct doca_rdma_task_remote_net_sync_event_notify_set *)t;
	return DOCA_SUCCESS;
}
API_PLAIN(doca_rdma_task_remote_net_sync_event_notify_set_allocate_init, 2_9);

struct doca_task *doca_rdma_task_remote_net_sync_event_notify_set_as_task(
	struct doca_rdma_task_remote_net_sync_event_notify_set *task)
{
	return task == NULL ? NULL : &((struct rdma_task *)task)->task;
}

void doca_rdma_task_remote_net_sync_event_notify_set_set_sync_event(
	struct doca_rdma_task_remote_net_sync_event_notify_set *task,
	struct doca_sync_event_remote_net *event)
{
	((struct rdma_task *)task)->event = event;
}

struct doca_sync_event_remote_net *doca_rdma_task_remote_net_sync_event_notify_set_get_sync_event(
	const struct doca_rdma_task_remote_net_sync_event_notify_set *task)
{
	return ((const struct rdma_task *)task)->event;
}

void doca_rdma_task_remote_net_sync_event_notify_set_set_src_buf(
	struct doca_rdma_task_remote_net_sync_event_notify_set *task,
	const struct doca_buf *src_buf)
{
	((struct rdma_task *)task)->src = src_buf;
}

const struct doca_buf *doca_rdma_task_remote_net_sync_event_notify_set_get_src_buf(
	const struct doca_rdma_task_remote_net_sync_event_notify_set *task)
{
	return ((const struct rdma_task *)task)->src;
}

void doca_rdma_task_remote_net_sync_event_notify_set_set_rdma_connection(
	struct doca_rdma_task_remote_net_sync_event_notify_set *task,
	struct doca_rdma_connection *rdma_connection)
{
	((struct rdma_task *)task)->connection = rdma_connection;
}

const struct doca_rdma_connection *
doca_rdma_task_remote_net_sync_event_notify_set_get_rdma_connection(
	const struct doca_rdma_task_remote_net_sync_event_notify_set *task)
{
	return ((const struct rdma_task *)task)->connection;
}

/* --- sync event notify add --- */

doca_error_t doca_rdma_task_remote_net_sync_event_notify_add_set_conf(
	struct doca_rdma *rdma,
	doca_rdma_task_remote_net_sync_event_notify_add_completion_cb_t
		successful_task_completion_cb,
	doca_rdma_task_remote_net_sync_event_notify_add_completion_cb_t error_task_completion_cb,
	uint32_t num_tasks)
{
	return rdma_kind_conf(rdma, RDMA_TASK_EVENT_ADD,
			      (doca_task_completion_cb_t)successful_task_completion_cb,
			      (doca_task_completion_cb_t)error_task_completion_cb, num_tasks);
}

doca_error_t doca_rdma_task_remote_net_sync_event_notify_add_allocate_init(
	struct doca_rdma *rdma, struct doca_rdma_connection *rdma_connection,
	struct doca_sync_event_remote_net *event, struct doca_buf *result_buf, uint64_t add_data,
	union doca_data user_data, struct doca_rdma_task_remote_net_sync_event_notify_add **task)
{
	struct rdma_task *t = rdma_task_allocate(rdma, RDMA_TASK_EVENT_ADD, rdma_connection,
						 user_data, task);

	if (unlikely(t == NULL))
		return rdma_no_task(rdma, RDMA_TASK_EVENT_ADD, rdma_connection, task);
	t->event = event;
	t->result = result_buf;
	t->wr.value = add_data;
	*task = (struct doca_rdma_task_remote_net_sync_event_notify_add *)t;
	return DOCA_SUCCESS;
}
API_PLAIN(doca_rdma_task_remote_net_sync_event_notify_add_allocate_init, 2_9);

struct doca_task *doca_rdma_task_remote_net_sync_event_notify_add_as_task(
	struct doca_rdma_task_remote_net_sync_event_notify_add *task)
{
	return task == NULL ? NULL : &((struct rdma_task *)task)->task;
}

void doca_rdma_task_remote_net_sync_event_notify_add_set_sync_event(
	struct doca_rdma_task_remote_net_sync_event_notify_add *task,
	struct doca_sync_event_remote_net *event)
{
	((struct rdma_task *)task)->event = event;
}

struct doca_sync_event_remote_net *doca_rdma_task_remote_net_sync_event_notify_add_get_sync_event(
	const struct doca_rdma_task_remote_net_sync_event_notify_add *task)
{
	return ((const struct rdma_task *)task)->event;
}

void doca_rdma_task_remote_net_sync_event_notify_add_set_result_buf(
	struct doca_rdma_task_remote_net_sync_event_notify_add *task, struct doca_buf *result_buf)
{
	((struct rdma_task *)task)->result = result_buf;
}

struct doca_buf *doca_rdma_task_remote_net_sync_event_notify_add_get_result_buf(
	const struct doca_rdma_task_remote_net_sync_event_notify_add *task)
{
	return ((const struct rdma_task *)task)->result;
}

void doca_rdma_task_remote_net_sync_event_notify_add_set_add_data(
	struct doca_rdma_task_remote_net_sync_event_notify_add *task, uint64_t add_data)
{
	((struct rdma_task *)task)->wr.value = add_data;
}

uint64_t doca_rdma_task_remote_net_sync_event_notify_add_get_add_data(
	const struct doca_rdma_task_remote_net_sync_event_notify_add *task)
{
	return ((const struct rdma_task *)task)->wr.value;
}

void doca_rdma_task_remote_net_sync_event_notify_add_set_rdma_connection(
	struct doca_rdma_task_remote_net_sync_event_notify_add *task,
	struct doca_rdma_connection *rdma_connection)
{
	((struct rdma_task *)task)->connection = rdma_connection;
}

const struct doca_rdma_connection *
doca_rdma_task_remote_net_sync_event_notify_add_get_rdma_connection(
	const struct doca_rdma_task_remote_net_sync_event_notify_add *task)
{
	return ((const struct rdma_task *)task)->connection;
}
