/*
 * RDMA: the implementation of tasks. Submission checks the buffers, writes the task's work request
 * and list of pieces, and posts it; progress receives the completion. There is no allocation, no
 * lock and no system call here.
 *
 * Bounds and rights of local memory are checked here. Those of the other end's memory are checked
 * by the provider or by the exporter. A task that can never be posted is refused at once and
 * remains the application's. Threads: those of the progress engine.
 */
#include <string.h>

#include "client/memory/buf_check.h"
#include "client/memory/sync_cell.h"
#include "client/rdma/rdma.h"
#include "util/str.h"

const char *const rdma_kind_names[RDMA_N_KINDS] = {
	[RDMA_TASK_RECEIVE] = "receive",
	[RDMA_TASK_SEND] = "send",
	[RDMA_TASK_SEND_IMM] = "send with immediate",
	[RDMA_TASK_READ] = "read",
	[RDMA_TASK_WRITE] = "write",
	[RDMA_TASK_WRITE_IMM] = "write with immediate",
	[RDMA_TASK_CMP_SWP] = "compare and swap",
	[RDMA_TASK_FETCH_ADD] = "fetch and add",
	[RDMA_TASK_EVENT_GET] = "sync event get",
	[RDMA_TASK_EVENT_SET] = "sync event set",
	[RDMA_TASK_EVENT_ADD] = "sync event add",
};

enum rdma_fault {
	FAULT_NONE = 0,
	/* Faults of local buffers. */
	FAULT_NO_LOCAL,
	FAULT_IMPORT,
	FAULT_RIGHT,
	FAULT_WINDOW,
	FAULT_DEV,
	FAULT_STOPPED,
	FAULT_LIST_LONG,
	FAULT_NO_SPACE,
	FAULT_NOT_8,
	FAULT_NO_8,
	FAULT_TOO_BIG,
	/* Faults of buffers of the other end. */
	FAULT_NO_REMOTE,
	FAULT_REMOTE_LIST,
	FAULT_REMOTE_LOCAL,
	FAULT_REMOTE_WINDOW,
	FAULT_REMOTE_DEV,
	FAULT_REMOTE_SPACE,
	FAULT_REMOTE_8,
	FAULT_NO_EVENT,
	FAULT_EVENT_DEV,
	FAULT_CONNECTION,
};

static const char *const fault_texts[] = {
	[FAULT_NO_LOCAL] = "the local buffer is NULL",
	[FAULT_IMPORT] = "the local buffer's mmap was created from an export; local buffers lie in "
			 "memory of this process",
	[FAULT_RIGHT] =
		"the local buffer's mmap does not permit writing; see doca_mmap_set_permissions",
	[FAULT_WINDOW] = "the local buffer's data section exceeds the buffer",
	[FAULT_DEV] = "the local buffer's mmap does not have the object's device; use "
		      "doca_mmap_add_dev",
	[FAULT_STOPPED] = "the local buffer's mmap is not started",
	[FAULT_LIST_LONG] = "more local buffers than were configured; see "
			    "doca_rdma_set_max_send_buf_list_len and "
			    "doca_rdma_task_receive_set_dst_buf_list_len",
	[FAULT_NO_SPACE] = "the bytes to read do not fit behind the destination's data; "
			   "doca_buf_reset_data_len makes room in a used buffer",
	[FAULT_NOT_8] = "the local buffer is a list or has no room for 8 bytes behind its data",
	[FAULT_NO_8] = "the local buffer is a list or its data is not 8 bytes",
	[FAULT_TOO_BIG] = "more bytes than one task moves; see doca_rdma_cap_get_max_message_size",
	[FAULT_NO_REMOTE] = "the other end's buffer is NULL",
	[FAULT_REMOTE_LIST] = "the other end's buffer is a list; it must be a single one",
	[FAULT_REMOTE_LOCAL] = "the other end's buffer is memory of this process; create its mmap "
			       "from an export of the other end",
	[FAULT_REMOTE_WINDOW] = "the data section of the other end's buffer exceeds the buffer",
	[FAULT_REMOTE_DEV] = "the other end's mmap was not created with the object's device",
	[FAULT_REMOTE_SPACE] = "the bytes to write do not fit behind the data of the other end's "
			       "buffer; doca_buf_reset_data_len makes room",
	[FAULT_REMOTE_8] = "the data of the other end's buffer does not begin with 8 bytes at a "
			   "multiple of 8",
	[FAULT_NO_EVENT] = "the sync event is NULL",
	[FAULT_EVENT_DEV] = "the sync event was not created with the object's device",
	[FAULT_CONNECTION] = "the connection is NULL or belongs to another object",
};

static __attribute__((noinline)) doca_error_t rdma_refuse(const struct rdma_task *t,
							  enum rdma_fault fault)
{
	return error_set(DOCA_ERROR_INVALID_VALUE, "rdma %s: %s", rdma_kind_names[t->kind],
			 fault_texts[fault]);
}

/* --- local buffers --- */

/* The pieces of a task. sges is NULL if the buffers are only checked. */
struct rdma_list {
	struct rdma_sge *sges;
	uint32_t n, max;
	size_t len;
};

/* Returns whether the fast path can take a buffer of this process's memory; see the function of the
 * same purpose in client/memory/buf_check.h. */
static inline bool buf_is_simple_local(const struct doca_buf *buf, const struct doca_dev *dev,
				       uint32_t fast)
{
	return likely(buf != NULL) && likely(buf->next == NULL) &&
	       likely((buf->mmap->fast & (fast | MMAP_FAST_IMPORT)) == fast) &&
	       likely(buf->mmap->dev == dev) && likely(buf_window_is_inside(buf));
}

static inline void list_add(struct rdma_list *list, const struct doca_buf *buf, uint8_t *at,
			    size_t len)
{
	if (list->sges != NULL)
		list->sges[list->n] = (struct rdma_sge){
			.addr = at + buf->mmap->delta, .len = len, .mmap = buf->mmap};
	list->n++;
	list->len += len;
}

static __attribute__((noinline)) enum rdma_fault local_check(const struct doca_buf *buf,
							     const struct doca_dev *dev,
							     enum buf_use use, uint32_t max)
{
	const struct doca_buf *pos;
	struct buf_sum sum;

	BUF_FOR_EACH(pos, buf)
	{
		if (pos->mmap->from_export)
			return FAULT_IMPORT;
		if (!pos->mmap->started)
			return FAULT_STOPPED;
	}
	switch (buf_check(buf, dev, use, &sum)) {
	case BUF_VALID:
		return sum.n > max ? FAULT_LIST_LONG : FAULT_NONE;
	case BUF_NONE:
		return FAULT_NO_LOCAL;
	case BUF_NOT_PERMITTED:
		return FAULT_RIGHT;
	case BUF_STOPPED:
		return FAULT_STOPPED;
	case BUF_OUT_OF_RANGE:
		return FAULT_WINDOW;
	case BUF_DEV:
		return FAULT_DEV;
	case BUF_REVOKED:
		return FAULT_IMPORT;
	case BUF_OVERFLOW:
		return FAULT_TOO_BIG;
	}
	return FAULT_WINDOW;
}

static enum rdma_fault gather_many(struct rdma_list *list, const struct doca_buf *buf,
				   const struct doca_dev *dev, enum buf_use use, size_t limit)
{
	enum rdma_fault fault = local_check(buf, dev, use, list->max);
	const struct doca_buf *pos;

	if (fault != FAULT_NONE)
		return fault;
	BUF_FOR_EACH(pos, buf)
	{
		size_t len = use == BUF_READ ? pos->data_len : buf_tail_room(pos);

		len = MIN(len, limit - list->len);
		if (len > 0)
			list_add(list, pos, use == BUF_READ ? pos->data : pos->data + pos->data_len,
				 len);
	}
	return FAULT_NONE;
}

/* Adds the data of a list of buffers. */
static inline enum rdma_fault gather_data(struct rdma_list *list, const struct doca_buf *buf,
					  const struct doca_dev *dev)
{
	if (unlikely(!buf_is_simple_local(buf, dev, MMAP_FAST_SRC)))
		return gather_many(list, buf, dev, BUF_READ, SIZE_MAX);
	if (likely(buf->data_len > 0))
		list_add(list, buf, buf->data, buf->data_len);
	return FAULT_NONE;
}

/* Adds the room behind the data, at most `limit` bytes. */
static inline enum rdma_fault gather_space(struct rdma_list *list, const struct doca_buf *buf,
					   const struct doca_dev *dev, size_t limit)
{
	size_t room;

	if (unlikely(!buf_is_simple_local(buf, dev, MMAP_FAST_DST)))
		return gather_many(list, buf, dev, BUF_WRITE, limit);
	room = MIN(buf_tail_room(buf), limit);
	if (likely(room > 0))
		list_add(list, buf, buf->data + buf->data_len, room);
	return FAULT_NONE;
}

/* Adds exactly 8 bytes in one piece. */
static enum rdma_fault gather_u64(struct rdma_list *list, const struct doca_buf *buf,
				  const struct doca_dev *dev, enum buf_use use)
{
	enum rdma_fault fault;

	if (buf == NULL)
		return FAULT_NO_LOCAL;
	if (buf->next != NULL)
		return use == BUF_READ ? FAULT_NO_8 : FAULT_NOT_8;
	fault = use == BUF_READ ? gather_data(list, buf, dev) : gather_space(list, buf, dev, 8);
	if (fault == FAULT_NONE && list->len != 8)
		fault = use == BUF_READ ? FAULT_NO_8 : FAULT_NOT_8;
	return fault;
}

/* --- memory of the other end --- */

static inline enum rdma_fault remote_check(const struct doca_buf *buf, const struct doca_dev *dev)
{
	if (unlikely(buf == NULL))
		return FAULT_NO_REMOTE;
	if (unlikely(buf->next != NULL))
		return FAULT_REMOTE_LIST;
	if (unlikely(!buf->mmap->from_export))
		return FAULT_REMOTE_LOCAL;
	if (unlikely(!buf_window_is_inside(buf)))
		return FAULT_REMOTE_WINDOW;
	if (unlikely(buf->mmap->dev != dev && !mmap_has_dev(buf->mmap, dev)))
		return FAULT_REMOTE_DEV;
	return FAULT_NONE;
}

static inline void remote_set(struct rdma_wr *wr, const struct doca_buf *buf, const uint8_t *at)
{
	wr->remote_addr = (uintptr_t)at;
	wr->remote_mmap = buf->mmap;
	wr->remote_event = NULL;
}

static enum rdma_fault remote_event_set(struct rdma_wr *wr, const struct rdma_task *t,
					const struct doca_dev *dev)
{
	if (t->event == NULL)
		return FAULT_NO_EVENT;
	if (t->event->import.dev != dev)
		return FAULT_EVENT_DEV;
	wr->remote_addr = 0;
	wr->remote_mmap = NULL;
	wr->remote_event = &t->event->import;
	return FAULT_NONE;
}

/* --- kinds --- */

static inline enum rdma_fault prepare_send(const struct rdma_task *t, struct rdma_list *list)
{
	/* A message may have no bytes. */
	return t->src == NULL ? FAULT_NONE : gather_data(list, t->src, t->task.ctx->dev);
}

static inline enum rdma_fault prepare_read(const struct rdma_task *t, struct rdma_wr *wr,
					   struct rdma_list *list)
{
	enum rdma_fault fault = remote_check(t->src, t->task.ctx->dev);

	if (unlikely(fault != FAULT_NONE))
		return fault;
	remote_set(wr, t->src, t->src->data);
	fault = gather_space(list, t->dst, t->task.ctx->dev, t->src->data_len);
	if (likely(fault == FAULT_NONE) && unlikely(list->len < t->src->data_len))
		fault = FAULT_NO_SPACE;
	return fault;
}

static inline enum rdma_fault prepare_write(const struct rdma_task *t, struct rdma_wr *wr,
					    struct rdma_list *list)
{
	enum rdma_fault fault = prepare_send(t, list);

	if (unlikely(fault != FAULT_NONE))
		return fault;
	if (unlikely(t->dst == NULL && list->len == 0)) {
		wr->remote_addr = 0;
		wr->remote_mmap = NULL;
		wr->remote_event = NULL;
		return FAULT_NONE;
	}
	fault = remote_check(t->dst, t->task.ctx->dev);
	if (unlikely(fault != FAULT_NONE))
		return fault;
	if (unlikely(list->len > buf_tail_room(t->dst)))
		return FAULT_REMOTE_SPACE;
	remote_set(wr, t->dst, t->dst->data + t->dst->data_len);
	return FAULT_NONE;
}

static enum rdma_fault prepare_atomic(const struct rdma_task *t, struct rdma_wr *wr,
				      struct rdma_list *list)
{
	enum rdma_fault fault = remote_check(t->dst, t->task.ctx->dev);

	if (fault != FAULT_NONE)
		return fault;
	if (t->dst->len - (size_t)(t->dst->data - t->dst->head) < 8 ||
	    (uintptr_t)t->dst->data % 8 != 0)
		return FAULT_REMOTE_8;
	remote_set(wr, t->dst, t->dst->data);
	return gather_u64(list, t->result, t->task.ctx->dev, BUF_WRITE);
}

static enum rdma_fault prepare_event(const struct rdma_task *t, struct rdma_wr *wr,
				     struct rdma_list *list)
{
	const struct doca_dev *dev = t->task.ctx->dev;
	enum rdma_fault fault = remote_event_set(wr, t, dev);

	if (fault != FAULT_NONE)
		return fault;
	if (t->kind == RDMA_TASK_EVENT_SET)
		return gather_u64(list, t->src, dev, BUF_READ);
	return gather_u64(list, t->kind == RDMA_TASK_EVENT_GET ? t->dst : t->result, dev,
			  BUF_WRITE);
}

static inline __attribute__((always_inline)) enum rdma_fault rdma_prepare(const struct rdma_task *t,
									  struct rdma_wr *wr,
									  struct rdma_list *list)
{
	enum rdma_fault fault = FAULT_NONE;

	switch (t->kind) {
	case RDMA_TASK_RECEIVE:
		if (t->dst != NULL)
			fault = gather_space(list, t->dst, t->task.ctx->dev,
					     rdma_of(t->task.ctx)->max_message);
		return fault;
	case RDMA_TASK_SEND:
	case RDMA_TASK_SEND_IMM:
		fault = prepare_send(t, list);
		break;
	case RDMA_TASK_READ:
		fault = prepare_read(t, wr, list);
		break;
	case RDMA_TASK_WRITE:
	case RDMA_TASK_WRITE_IMM:
		fault = prepare_write(t, wr, list);
		break;
	case RDMA_TASK_CMP_SWP:
	case RDMA_TASK_FETCH_ADD:
		fault = prepare_atomic(t, wr, list);
		break;
	case RDMA_TASK_EVENT_GET:
	case RDMA_TASK_EVENT_SET:
	case RDMA_TASK_EVENT_ADD:
		fault = prepare_event(t, wr, list);
		break;
	}
	if (likely(fault == FAULT_NONE) && unlikely(list->len > rdma_of(t->task.ctx)->max_message))
		fault = FAULT_TOO_BIG;
	return fault;
}

static struct doca_buf *rdma_written_buf(const struct rdma_task *t)
{
	switch (t->kind) {
	case RDMA_TASK_CMP_SWP:
	case RDMA_TASK_FETCH_ADD:
	case RDMA_TASK_EVENT_ADD:
		return t->result;
	case RDMA_TASK_SEND:
	case RDMA_TASK_SEND_IMM:
	case RDMA_TASK_EVENT_SET:
		return NULL;
	default:
		return t->dst;
	}
}

static inline uint32_t rdma_max_list(const struct rdma_task *t)
{
	const struct rdma_conf *conf = &rdma_of(t->task.ctx)->conf;

	return t->kind == RDMA_TASK_RECEIVE ? conf->max_recv_sges : conf->max_send_sges;
}

static __attribute__((noinline)) enum rdma_fault rdma_ready_any(struct rdma_task *t)
{
	struct rdma_list list = {.sges = t->sges, .max = rdma_max_list(t)};
	enum rdma_fault fault = rdma_prepare(t, &t->wr, &list);

	t->wr.n_sges = list.n;
	t->wr.imm = t->imm;
	t->len = (uint32_t)list.len;
	t->written = rdma_written_buf(t);
	return fault;
}

/* Prepares a task with one piece. */
static inline enum rdma_fault rdma_ready_piece(struct rdma_task *t, const struct doca_buf *buf,
					       uint8_t *at, size_t len)
{
	t->sges[0] =
		(struct rdma_sge){.addr = at + buf->mmap->delta, .len = len, .mmap = buf->mmap};
	t->wr.n_sges = 1;
	t->len = (uint32_t)len;
	return FAULT_NONE;
}

/* The fast path of receives and messages, with one buffer; inlined because their latency matters
 * most. */
static inline enum rdma_fault rdma_ready_receive(struct rdma_task *t)
{
	struct doca_buf *buf = t->dst;
	size_t room;

	if (unlikely(!buf_is_simple_local(buf, t->task.ctx->dev, MMAP_FAST_DST)))
		return rdma_ready_any(t);
	room = buf_tail_room(buf);
	/* No message is longer. */
	if (unlikely(room - 1 >= rdma_of(t->task.ctx)->max_message))
		return rdma_ready_any(t);
	t->written = buf;
	return rdma_ready_piece(t, buf, buf->data + buf->data_len, room);
}

/* The fast path of remote_check(); if false, the buffer may still be valid. */
static inline bool remote_is_simple(const struct doca_buf *buf, const struct doca_dev *dev)
{
	return likely(buf != NULL) && likely(buf->next == NULL) && likely(buf->mmap->from_export) &&
	       likely(buf->mmap->dev == dev) && likely(buf_window_is_inside(buf));
}

static inline enum rdma_fault rdma_ready_send(struct rdma_task *t, const struct doca_rdma *rdma)
{
	const struct doca_buf *buf = t->src;

	if (unlikely(!buf_is_simple_local(buf, rdma->ctx.dev, MMAP_FAST_SRC)) ||
	    unlikely(buf->data_len - 1 >= rdma->max_message))
		return rdma_ready_any(t);
	t->wr.imm = t->imm;
	t->written = NULL;
	return rdma_ready_piece(t, buf, buf->data, buf->data_len);
}

static inline enum rdma_fault rdma_ready_write(struct rdma_task *t, const struct doca_rdma *rdma)
{
	const struct doca_buf *buf = t->src;
	struct doca_buf *to = t->dst;

	if (unlikely(!buf_is_simple_local(buf, rdma->ctx.dev, MMAP_FAST_SRC)) ||
	    unlikely(!remote_is_simple(to, rdma->ctx.dev)) ||
	    unlikely(buf->data_len - 1 >= rdma->max_message) ||
	    unlikely(buf->data_len > buf_tail_room(to)))
		return rdma_ready_any(t);
	remote_set(&t->wr, to, to->data + to->data_len);
	t->wr.imm = t->imm;
	t->written = to;
	return rdma_ready_piece(t, buf, buf->data, buf->data_len);
}

static inline enum rdma_fault rdma_ready_read(struct rdma_task *t, const struct doca_rdma *rdma)
{
	const struct doca_buf *from = t->src;
	struct doca_buf *buf = t->dst;

	if (unlikely(!remote_is_simple(from, rdma->ctx.dev)) ||
	    unlikely(!buf_is_simple_local(buf, rdma->ctx.dev, MMAP_FAST_DST)) ||
	    unlikely(from->data_len - 1 >= rdma->max_message) ||
	    unlikely(from->data_len > buf_tail_room(buf)))
		return rdma_ready_any(t);
	remote_set(&t->wr, from, from->data);
	t->written = buf;
	return rdma_ready_piece(t, buf, buf->data + buf->data_len, from->data_len);
}

static inline enum rdma_fault rdma_ready_atomic(struct rdma_task *t, const struct doca_rdma *rdma)
{
	const struct doca_buf *to = t->dst;
	struct doca_buf *buf = t->result;

	if (unlikely(!remote_is_simple(to, rdma->ctx.dev)) ||
	    unlikely(!buf_is_simple_local(buf, rdma->ctx.dev, MMAP_FAST_DST)) ||
	    unlikely(to->len - (size_t)(to->data - to->head) < 8) ||
	    unlikely((uintptr_t)to->data % 8 != 0) || unlikely(buf_tail_room(buf) < 8) ||
	    unlikely(rdma->max_message < 8))
		return rdma_ready_any(t);
	remote_set(&t->wr, to, to->data);
	t->written = buf;
	return rdma_ready_piece(t, buf, buf->data + buf->data_len, 8);
}

static inline enum rdma_fault rdma_ready(struct rdma_task *t, const struct doca_rdma *rdma)
{
	switch (t->kind) {
	case RDMA_TASK_SEND:
	case RDMA_TASK_SEND_IMM:
		return rdma_ready_send(t, rdma);
	case RDMA_TASK_WRITE:
	case RDMA_TASK_WRITE_IMM:
		return rdma_ready_write(t, rdma);
	case RDMA_TASK_READ:
		return rdma_ready_read(t, rdma);
	case RDMA_TASK_CMP_SWP:
	case RDMA_TASK_FETCH_ADD:
		return rdma_ready_atomic(t, rdma);
	default:
		return rdma_ready_any(t);
	}
}

doca_error_t rdma_validate(const struct doca_task *task)
{
	const struct rdma_task *t = rdma_task_of(task);
	struct rdma_list list = {.max = rdma_max_list(t)};
	struct rdma_wr wr;
	enum rdma_fault fault = rdma_prepare(t, &wr, &list);

	if (fault == FAULT_NONE && t->kind != RDMA_TASK_RECEIVE &&
	    (t->connection == NULL || t->connection->rdma != rdma_of(task->ctx)))
		fault = FAULT_CONNECTION;
	return fault == FAULT_NONE ? DOCA_SUCCESS : rdma_refuse(t, fault);
}

/* --- submission --- */

static __attribute__((noinline)) doca_error_t rdma_queue_is_full(const struct rdma_task *t,
								 doca_error_t result)
{
	if (result != DOCA_ERROR_AGAIN)
		return result;
	ctx_count_wait(t->task.ctx);
	return error_hint(DOCA_ERROR_AGAIN,
			  t->kind == RDMA_TASK_RECEIVE
				  ? "rdma submit: the receive queue is full; progress, then submit "
				    "again"
				  : "rdma submit: the connection's queue is full; progress, then "
				    "submit again");
}

doca_error_t rdma_submit_receive(struct doca_task *task, uint32_t flags)
{
	struct doca_rdma *rdma = rdma_of(task->ctx);
	struct rdma_task *t = rdma_task_of(task);
	enum rdma_fault fault = rdma_ready_receive(t);
	doca_error_t result;

	(void)flags;
	if (unlikely(fault != FAULT_NONE))
		return rdma_refuse(t, fault);
	t->wr.qp = NULL;
	result = rdma->ops->post_recv(rdma->domain, &t->wr);
	if (unlikely(result != DOCA_SUCCESS))
		return rdma_queue_is_full(t, result);
	task_hold(task);
	rdma_wake(rdma);
	return DOCA_SUCCESS;
}

/* Submits to a connection that is not established, or that other tasks wait for. */
static __attribute__((noinline)) doca_error_t rdma_submit_unposted(struct rdma_task *t)
{
	struct doca_rdma_connection *conn = t->connection;

	switch (conn->state) {
	case CONN_CONNECTING:
	case CONN_ACCEPTED:
	case CONN_ESTABLISHED:
		if (conn->n_waiting + conn->n_posted >= conn->rdma->conf.send_queue)
			return rdma_queue_is_full(t, DOCA_ERROR_AGAIN);
		task_hold(&t->task);
		rdma_conn_wait(conn, &t->task);
		return DOCA_SUCCESS;
	case CONN_OVER:
		task_hold(&t->task);
		task_release(&t->task, DOCA_ERROR_CONNECTION_RESET);
		return DOCA_SUCCESS;
	default:
		return error_set(DOCA_ERROR_NOT_CONNECTED,
				 "rdma %s: the connection is not connected; %s",
				 rdma_kind_names[t->kind],
				 conn->state == CONN_EXPORTED ? "call doca_rdma_connect first"
							      : "make one and use that");
	}
}

doca_error_t rdma_submit(struct doca_task *task, uint32_t flags)
{
	struct doca_rdma *rdma = rdma_of(task->ctx);
	struct rdma_task *t = rdma_task_of(task);
	struct doca_rdma_connection *conn = t->connection;
	enum rdma_fault fault;
	doca_error_t result;

	(void)flags;
	if (unlikely(conn == NULL || conn->rdma != rdma))
		return rdma_refuse(t, FAULT_CONNECTION);
	fault = rdma_ready(t, rdma);
	if (unlikely(fault != FAULT_NONE))
		return rdma_refuse(t, fault);
	if (unlikely(conn->state != CONN_ESTABLISHED || conn->waiting != NULL))
		return rdma_submit_unposted(t);
	t->wr.qp = conn->qp;
	result = rdma->ops->post(conn->qp, &t->wr);
	if (unlikely(result != DOCA_SUCCESS))
		return rdma_queue_is_full(t, result);
	conn->n_posted++;
	task_hold(task);
	rdma_wake(rdma);
	return DOCA_SUCCESS;
}

doca_error_t rdma_execute(struct doca_task *task)
{
	return error_set(DOCA_ERROR_UNEXPECTED, "rdma: task %p was queued, not posted",
			 (void *)task);
}

/* --- completion --- */

/* In list order, at the end of each buffer's data, as the pieces were gathered. */
static inline void bufs_append_len(struct doca_buf *buf, size_t len)
{
	for (; unlikely(buf != NULL && buf->next != NULL); buf = buf->next) {
		size_t n = MIN(len, buf_tail_room(buf));

		buf->data_len += n;
		len -= n;
	}
	if (likely(buf != NULL))
		buf->data_len += len;
}

static __attribute__((noinline)) doca_error_t rdma_failed(const struct doca_rdma *rdma,
							  const struct rdma_wr *wr)
{
	/* A flush by a stop is no error of the other end. */
	if (wr->status == DOCA_ERROR_CONNECTION_RESET && rdma->ctx.state == DOCA_CTX_STATE_STOPPING)
		return DOCA_ERROR_SHUTDOWN;
	return wr->status;
}

static inline void receive_complete(struct rdma_task *t)
{
	const struct rdma_wr *wr = &t->wr;

	t->len = wr->len;
	t->from = wr->qp == NULL ? NULL : wr->qp->owner;
	if (wr->received_as != RDMA_WRITE_IMM)
		bufs_append_len(t->dst, wr->len);
}

void rdma_finish(struct doca_rdma *rdma, struct rdma_wr *wr)
{
	struct rdma_task *t = container_of(wr, struct rdma_task, wr);
	doca_error_t status = wr->status;

	if (t->kind == RDMA_TASK_RECEIVE) {
		if (likely(status == DOCA_SUCCESS)) {
			receive_complete(t);
			counters_add(&rdma->ctx.line->received, 1);
			counters_add(&rdma->ctx.line->received_bytes, t->len);
		}
	} else {
		/* The connection exists as long as it has requests. */
		struct doca_rdma_connection *conn = wr->qp->owner;

		conn->n_posted--;
		if (likely(status == DOCA_SUCCESS)) {
			ctx_count_bytes(&rdma->ctx, t->len);
			if (t->written != NULL)
				bufs_append_len(t->written, t->len);
		}
		if (unlikely(conn->waiting != NULL || conn->state == CONN_ENDING))
			rdma_conn_changed(conn);
	}
	if (unlikely(status != DOCA_SUCCESS))
		status = rdma_failed(rdma, wr);
	task_finish(&t->task, status);
}

doca_error_t rdma_no_task(const struct doca_rdma *rdma, enum rdma_kind kind,
			  const struct doca_rdma_connection *conn, const void *task_out)
{
	const char *name = rdma_kind_names[kind];

	/* For a form with one connection, `conn` is the object's own; otherwise a call of another
	 * version was used. */
	if (rdma != NULL && (rdma->form == RDMA_FORM_JOBS ||
			     (conn != NULL && conn->rdma != rdma && rdma->form != RDMA_FORM_CONNS)))
		return rdma_check_form(rdma, RDMA_FORM_CONNS, "rdma task alloc");
	if (rdma == NULL || task_out == NULL || (kind != RDMA_TASK_RECEIVE && conn == NULL))
		return error_set(DOCA_ERROR_INVALID_VALUE, "rdma %s alloc: %s is NULL", name,
				 rdma == NULL       ? "rdma"
				 : task_out == NULL ? "the place for the task"
						    : "the connection");
	if (kind != RDMA_TASK_RECEIVE && conn->rdma != rdma)
		return error_set(DOCA_ERROR_INVALID_VALUE,
				 "rdma %s alloc: the connection belongs to another object", name);
	if (rdma->ctx.state != DOCA_CTX_STATE_RUNNING)
		return error_set(DOCA_ERROR_BAD_STATE,
				 "rdma %s alloc: the context is not running; start it first", name);
	if (rdma->n_tasks[kind] == 0)
		return error_set(DOCA_ERROR_NO_MEMORY,
				 "rdma %s alloc: no such tasks were configured; see the kind's "
				 "set_conf",
				 name);
	return error_note(DOCA_ERROR_NO_MEMORY,
			  "rdma %s alloc: all %u %s in use; free some or configure more", name,
			  rdma->n_tasks[kind], plural(rdma->n_tasks[kind], "task is", "tasks are"));
}
