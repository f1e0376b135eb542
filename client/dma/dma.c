/*
 * DMA: memcpy tasks. A task is executed when doca_pe_progress() takes it from the queue.
 * Between memory that is mapped in this process, it is a memmove(). Memory of another process is
 * accessed with as few system calls as possible: queued tasks for the same peer and direction are
 * executed in the same call.
 *
 * Overlap of source and destination: each pair of segments is copied as if through a temporary
 * buffer, in list order. A failed copy stops the context, as an error of a hardware queue does.
 * Threads: those of the progress engine.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <doca_dma.h>

#include "client/base/error.h"
#include "client/dma/dma.h"
#include "client/dma/post.h"
#include "client/dma/remote.h"
#include "client/memory/buf_check.h"
#include "util/str.h"

enum dma_fault {
	DMA_VALID = 0,
	DMA_NO_SRC,
	DMA_NO_DST,
	DMA_SRC_RIGHT,
	DMA_DST_RIGHT,
	DMA_SRC_STOPPED,
	DMA_DST_STOPPED,
	DMA_SRC_WINDOW,
	DMA_DST_WINDOW,
	DMA_SRC_DEV,
	DMA_DST_DEV,
	DMA_SRC_DEAD,
	DMA_DST_DEAD,
	DMA_EMPTY,
	DMA_NO_ROOM,
	DMA_NO_ROOM_JOB,
	DMA_NO_ROOM_OVERWRITING,
	DMA_TOO_BIG,
	DMA_LIST_LONG,
	DMA_SAME_LIST,
	DMA_SHARED_BUF,
};

static const struct {
	doca_error_t code;
	const char *text;
} dma_faults[] = {
	[DMA_NO_SRC] = {DOCA_ERROR_INVALID_VALUE, "the source buffer is NULL"},
	[DMA_NO_DST] = {DOCA_ERROR_INVALID_VALUE, "the destination buffer is NULL"},
	[DMA_SRC_RIGHT] = {DOCA_ERROR_NOT_PERMITTED,
			   "the source's mmap does not permit reading; its owner, or for an import "
			   "the exporter, sets that with doca_mmap_set_permissions"},
	[DMA_DST_RIGHT] = {DOCA_ERROR_NOT_PERMITTED,
			   "the destination's mmap does not permit writing; its owner, or for an "
			   "import the exporter, sets that with doca_mmap_set_permissions"},
	[DMA_SRC_STOPPED] = {DOCA_ERROR_BAD_STATE,
			     "the source's mmap is not started; call doca_mmap_start before"},
	[DMA_DST_STOPPED] = {DOCA_ERROR_BAD_STATE,
			     "the destination's mmap is not started; call doca_mmap_start before"},
	[DMA_SRC_WINDOW] = {DOCA_ERROR_INVALID_VALUE,
			    "the source's data section exceeds its buffer"},
	[DMA_DST_WINDOW] = {DOCA_ERROR_INVALID_VALUE,
			    "the destination's data section exceeds its buffer"},
	[DMA_SRC_DEV] = {DOCA_ERROR_INVALID_VALUE,
			 "the source's mmap does not have the context's device; use "
			 "doca_mmap_add_dev"},
	[DMA_DST_DEV] = {DOCA_ERROR_INVALID_VALUE,
			 "the destination's mmap does not have the context's device; use "
			 "doca_mmap_add_dev"},
	[DMA_SRC_DEAD] = {DOCA_ERROR_IO_FAILED,
			  "the exporter of the source stopped its mmap or ended"},
	[DMA_DST_DEAD] = {DOCA_ERROR_IO_FAILED,
			  "the exporter of the destination stopped its mmap or ended"},
	[DMA_EMPTY] = {DOCA_ERROR_INVALID_VALUE, "the source has no data; set its data length"},
	/* dma_explain() chooses one of the three and adds the numbers of bytes. */
	[DMA_NO_ROOM] = {DOCA_ERROR_INVALID_VALUE,
			 "the data does not fit behind the destination's data; "
			 "doca_buf_reset_data_len makes room in a used buffer"},
	[DMA_NO_ROOM_JOB] =
		{DOCA_ERROR_INVALID_VALUE,
		 "the data does not fit behind the destination's data; doca_buf_reset_data_len "
		 "makes room in a used buffer; up to 2.1 copies overwrote that data: if the "
		 "program was written for such a version, build it with 'doca-admin env --api 2.0' "
		 "or -DDOCA_USE_VERSION=200"},
	[DMA_NO_ROOM_OVERWRITING] =
		{DOCA_ERROR_INVALID_VALUE,
		 "the data does not fit into the destination from the start of its data section"},
	[DMA_TOO_BIG] = {DOCA_ERROR_INVALID_VALUE, "more bytes than the device copies in a task; "
						   "see doca_dma_cap_task_memcpy_get_max_buf_size"},
	[DMA_LIST_LONG] = {DOCA_ERROR_INVALID_VALUE,
			   "more buffers in a list than the device allows; see "
			   "doca_dma_cap_task_memcpy_get_max_buf_list_len"},
	[DMA_SAME_LIST] = {DOCA_ERROR_INVALID_VALUE,
			   "the source and the destination are the same list"},
	[DMA_SHARED_BUF] = {DOCA_ERROR_INVALID_VALUE,
			    "a buffer with data is in the source and in the destination, whose "
			    "data the copy overwrites"},
};

/* All checks of a copy, off the fast path. */
static enum dma_fault dma_check(const struct doca_dma *dma, const struct doca_buf *src,
				const struct doca_buf *dst)
{
	const struct doca_buf *pos;
	size_t n = 0, room = 0;
	uint32_t n_src = 0, n_dst = 0;

	if (src == NULL || dst == NULL)
		return src == NULL ? DMA_NO_SRC : DMA_NO_DST;
	BUF_FOR_EACH(pos, src)
	{
		if (!pos->mmap->readable)
			return mmap_is_usable(pos->mmap) ? DMA_SRC_RIGHT : DMA_SRC_STOPPED;
		if (!buf_window_is_inside(pos))
			return DMA_SRC_WINDOW;
		if (!mmap_has_dev(pos->mmap, dma->ctx.dev))
			return DMA_SRC_DEV;
		if (!mmap_is_alive(pos->mmap))
			return DMA_SRC_DEAD;
		/* The total of long lists of large buffers may overflow a size_t. */
		if (__builtin_add_overflow(n, pos->data_len, &n))
			return DMA_TOO_BIG;
		n_src++;
	}
	BUF_FOR_EACH(pos, dst)
	{
		if (!pos->mmap->writable)
			return mmap_is_usable(pos->mmap) ? DMA_DST_RIGHT : DMA_DST_STOPPED;
		if (!buf_window_is_inside(pos))
			return DMA_DST_WINDOW;
		if (!mmap_has_dev(pos->mmap, dma->ctx.dev))
			return DMA_DST_DEV;
		if (!mmap_is_alive(pos->mmap))
			return DMA_DST_DEAD;
		if (__builtin_add_overflow(room, buf_tail_room(pos), &room))
			room = SIZE_MAX;
		n_dst++;
	}
	if (n == 0)
		return DMA_EMPTY;
	if (n > room)
		return DMA_NO_ROOM;
	if (n > dma->max_buf_size)
		return DMA_TOO_BIG;
	if (n_src > dma->max_list_len || n_dst > dma->max_list_len)
		return DMA_LIST_LONG;
	return DMA_VALID;
}

/* Returns the fault for a destination without room; it depends on what copies do to existing
 * data. */
static enum dma_fault dma_no_room(const struct dma_task *t)
{
	if (dma_task_overwrites(t))
		return DMA_NO_ROOM_OVERWRITING;
	return dma_of(t->task.ctx)->is_for_jobs ? DMA_NO_ROOM_JOB : DMA_NO_ROOM;
}

/* Records the error sentence of a fault. `instead` replaces INVALID_VALUE in the caller's
 * contract. */
static doca_error_t dma_explain(enum dma_fault fault, const struct dma_task *t,
				doca_error_t instead)
{
	doca_error_t code = dma_faults[fault].code;
	const struct doca_buf *pos;
	size_t n = 0, room = 0;

	code = code == DOCA_ERROR_INVALID_VALUE ? instead : code;
	if (fault != DMA_NO_ROOM)
		return error_set(code, "dma memcpy: %s", dma_faults[fault].text);
	BUF_FOR_EACH(pos, t->src)
	n += pos->data_len;
	BUF_FOR_EACH(pos, t->dst)
	room += buf_tail_room(pos);
	return error_set(code, "dma memcpy: %s (%zu bytes, room for %zu)",
			 dma_faults[dma_no_room(t)].text, n, room);
}

bool dma_task_is_valid(const struct dma_task *t)
{
	return dma_check(dma_of(t->task.ctx), t->src, t->dst) == DMA_VALID;
}

static doca_error_t dma_validate(const struct doca_task *task)
{
	const struct dma_task *t = (const struct dma_task *)(const void *)task;
	enum dma_fault fault = dma_check(dma_of(task->ctx), t->src, t->dst);

	if (fault == DMA_VALID)
		return DOCA_SUCCESS;
	dma_explain(fault, t, DOCA_ERROR_INVALID_VALUE);
	/* The contract of try_submit has one code for an invalid task. */
	return DOCA_ERROR_INVALID_VALUE;
}

/*
 * Copies between lists that are mapped in this process; the caller has checked the lengths. Source
 * and destination may share buffers, so the destination's data length grows only after the whole
 * copy. Otherwise a source would grow with it.
 */
static void dma_copy_mapped(const struct doca_buf *src, const struct doca_buf *dst)
{
	uint8_t *to = dst->data + dst->data_len + dst->mmap->delta;
	size_t room = buf_tail_room(dst);

	for (; src != NULL; src = src->next) {
		const uint8_t *from = src->data + src->mmap->delta;
		size_t left = src->data_len;

		while (left > 0) {
			size_t n = MIN(left, room);

			if (n == 0) {
				dst = dst->next;
				to = dst->data + dst->data_len + dst->mmap->delta;
				room = buf_tail_room(dst);
				continue;
			}
			memmove(to, from, n);
			from += n;
			to += n;
			left -= n;
			room -= n;
		}
	}
}

/* Returns whether the buffer is valid and its memory is accessed by posted requests. */
static inline bool buf_is_posted(const struct doca_buf *buf, const struct doca_dev *dev)
{
	return buf->mmap->is_posted && buf->mmap->dev == dev && buf_window_is_inside(buf) &&
	       mmap_is_alive(buf->mmap);
}

/* Returns whether the fast path of posted copies applies: one buffer on each side, and everything
 * that dma_check() checks is valid. */
static inline bool is_fast_posted(const struct doca_dma *dma, const struct doca_buf *src,
				  const struct doca_buf *dst)
{
	const struct doca_dev *dev = dma->ctx.dev;

	if (src == NULL || dst == NULL || src->next != NULL || dst->next != NULL ||
	    src->data_len - 1 >= dma->max_buf_size || src->data_len > buf_tail_room(dst))
		return false;
	if (src->mmap->is_posted)
		return buf_is_posted(src, dev) && src->mmap->readable &&
		       buf_is_simple(dst, dev, MMAP_FAST_DST);
	return buf_is_simple(src, dev, MMAP_FAST_SRC) && buf_is_posted(dst, dev) &&
	       dst->mmap->writable;
}

__attribute__((noinline)) doca_error_t dma_execute_general(struct doca_task *task)
{
	struct dma_task *t = (struct dma_task *)(void *)task;
	struct doca_dma *dma = dma_of(task->ctx);
	const struct doca_buf *pos;
	enum dma_fault fault;
	bool src_mapped = true, dst_mapped = true, is_posted = false;

	/* The destination's data and room depend on whether the earlier copy succeeds. */
	if (unlikely(dma->post != NULL) && dma_post_claims(dma->post, t->dst))
		return dma_post_behind(dma, t);
	if (is_fast_posted(dma, t->src, t->dst))
		return dma_post_fast(dma, t);
	fault = dma_check(dma, t->src, t->dst);
	/* A queue reports an invalid operation as a failed one. */
	if (fault != DMA_VALID)
		return dma_explain(fault, t, DOCA_ERROR_IO_FAILED);
	BUF_FOR_EACH(pos, t->src)
	{
		src_mapped &= pos->mmap->direct;
		is_posted |= pos->mmap->is_posted;
	}
	BUF_FOR_EACH(pos, t->dst)
	{
		dst_mapped &= pos->mmap->direct;
		is_posted |= pos->mmap->is_posted;
	}
	if (src_mapped && dst_mapped) {
		dma_copy_mapped(t->src, t->dst);
		dma_task_copied(t);
		return DOCA_SUCCESS;
	}
	if (is_posted)
		return dma_post_execute(dma, t);
	return dma_remote_execute(dma->remote, t);
}

/* Copies of at least this length evict what the next task needs from the first-level cache. */
#define DMA_PREFETCH_MIN 1024u

/* The next task may be of any engine; pools reserve room for these two words. */
static inline void dma_prefetch_next(const struct doca_task *task)
{
	const struct dma_task *next = (const struct dma_task *)(void *)task->ctx->pe->head;

	if (next != NULL) {
		__builtin_prefetch(next->src);
		__builtin_prefetch(next->dst);
	}
}

static inline __attribute__((always_inline)) doca_error_t dma_execute_one(struct doca_task *task)
{
	struct dma_task *t = (struct dma_task *)(void *)task;
	const struct doca_buf *src = t->src;
	struct doca_buf *dst = t->dst;
	const struct doca_dev *dev = task->ctx->dev;
	const struct doca_mmap *from, *to;
	uint8_t *to_data;
	size_t n, rest;

	if (unlikely(src == NULL))
		goto general;
	if (unlikely(dst == NULL))
		goto general;
	if (unlikely(src->next != NULL || dst->next != NULL))
		goto general;
	/* The fast path: from one mapped buffer to another, both of the context's device. */
	from = src->mmap;
	to = dst->mmap;
	if (unlikely(!(from->fast & MMAP_FAST_SRC) || !(to->fast & MMAP_FAST_DST) ||
		     from->dev != dev || to->dev != dev))
		goto general;
	if (unlikely((from->fast | to->fast) & MMAP_FAST_IMPORT) &&
	    unlikely(!mmap_is_alive(from) || !mmap_is_alive(to)))
		goto general;
	/* The data sections are checked again, because doca_buf_set_data() does not check them. */
	n = src->data_len;
	rest = (size_t)(src->data - src->head);
	if (unlikely(rest > src->len))
		goto general;
	if (unlikely(n > src->len - rest))
		goto general;
	if (unlikely(n - 1 >= dma_of(task->ctx)->fast_max))
		goto general;
	rest = (size_t)(dst->data - dst->head);
	if (unlikely(rest > dst->len))
		goto general;
	rest = dst->len - rest;
	if (unlikely(dst->data_len > rest))
		goto general;
	if (unlikely(n > rest - dst->data_len))
		goto general;
	if (n >= DMA_PREFETCH_MIN)
		dma_prefetch_next(task);
	/* The task is counted before the copy, because a mapped copy cannot fail and no value is
	 * then needed after the call. */
	to_data = dst->data + dst->data_len + to->delta;
	dst->data_len += n;
	ctx_count_bytes(task->ctx, n);
	memmove(to_data, src->data + from->delta, n);
	return DOCA_SUCCESS;
general:
	return dma_execute_general(task);
}

static doca_error_t dma_execute(struct doca_task *task)
{
	return dma_execute_one(task);
}

/* Executes a task after all posted copies, which may take long. */
static doca_error_t dma_execute_ordered(struct doca_task *task)
{
	struct doca_dma *dma = dma_of(task->ctx);

	if (dma->post != NULL && !dma_post_is_idle(dma->post))
		return dma_post_behind(dma, (struct dma_task *)(void *)task);
	return dma_execute_one(task);
}

/* Source and destination are the same buffer: clearing the destination's length would clear the
 * source's, so the destination is a temporary view. */
static __attribute__((noinline)) doca_error_t dma_execute_onto_itself(struct doca_task *task)
{
	struct dma_task *t = (struct dma_task *)(void *)task;
	struct doca_buf *dst = t->dst, view;
	doca_error_t result;

	if (dst == NULL)
		return dma_explain(DMA_NO_SRC, t, DOCA_ERROR_IO_FAILED);
	if (dst->next != NULL)
		return dma_explain(DMA_SAME_LIST, t, DOCA_ERROR_IO_FAILED);
	if (dst->mmap->is_posted)
		return error_set(DOCA_ERROR_IO_FAILED, "dma memcpy: memory that an RDMA device "
						       "accesses cannot be copied onto itself");
	view = *dst;
	view.data_len = 0;
	t->dst = &view;
	result = dma_execute_general(task);
	t->dst = dst;
	return result;
}

static bool lists_share_data(const struct doca_buf *src, struct doca_buf *dst)
{
	const struct doca_buf *from;
	struct doca_buf *to;
	bool share = false;

	BUF_FOR_EACH(to, dst) buf_set_state(to, to->state | BUF_MARKED);
	BUF_FOR_EACH(from, src) share |= from->state & BUF_MARKED && from->data_len > 0;
	BUF_FOR_EACH(to, dst) buf_set_state(to, to->state & ~BUF_MARKED);
	return share;
}

static __attribute__((noinline)) doca_error_t dma_execute_overwriting_list(struct doca_task *task)
{
	const struct dma_task *t = (const struct dma_task *)(const void *)task;
	struct doca_buf *pos;

	if (lists_share_data(t->src, t->dst))
		return dma_explain(DMA_SHARED_BUF, t, DOCA_ERROR_IO_FAILED);
	BUF_FOR_EACH(pos, t->dst) pos->data_len = 0;
	return dma_execute_general(task);
}

/* Before 2.2, existing data of the destination is overwritten. */
static doca_error_t dma_execute_overwriting(struct doca_task *task)
{
	const struct dma_task *t = (const struct dma_task *)(const void *)task;

	if (unlikely(t->src == t->dst))
		return dma_execute_onto_itself(task);
	if (unlikely(t->dst == NULL || t->dst->state & BUF_CHAINED))
		return dma_execute_overwriting_list(task);
	t->dst->data_len = 0;
	return dma_execute_one(task);
}

void dma_set_overwriting(struct doca_dma *dma)
{
	dma->pool.execute = dma_execute_overwriting;
}

bool dma_task_overwrites(const struct dma_task *t)
{
	return t->task.pool->execute == dma_execute_overwriting;
}

doca_error_t dma_execute_after_posted(struct doca_task *task)
{
	return dma_task_overwrites((const struct dma_task *)(const void *)task)
		       ? dma_execute_overwriting(task)
		       : dma_execute_general(task);
}

static doca_error_t dma_start(struct doca_ctx *ctx)
{
	struct doca_dma *dma = dma_of(ctx);

	if (dma->pool.ok_cb == NULL)
		return error_set(
			DOCA_ERROR_INITIALIZATION,
			"dma start: no memcpy tasks; call doca_dma_task_memcpy_set_conf first");
	if (dma->is_ordered && dma->pool.execute == dma_execute)
		dma->pool.execute = dma_execute_ordered;
	else if (!dma->is_ordered && dma->pool.execute == dma_execute_ordered)
		dma->pool.execute = dma_execute;
	if (dma->remote == NULL)
		dma->remote = dma_remote_new();
	if (dma->remote == NULL)
		return error_set(DOCA_ERROR_INITIALIZATION, "dma start: out of memory");
	return DOCA_SUCCESS;
}

static void dma_stop(struct doca_ctx *ctx)
{
	if (dma_of(ctx)->post != NULL)
		dma_post_stop(dma_of(ctx)->post);
}

static bool dma_stopped(const struct doca_ctx *ctx)
{
	const struct dma_post *post = dma_of(ctx)->post;

	return post == NULL || dma_post_is_idle(post);
}

static void dma_release(struct doca_ctx *ctx)
{
	dma_post_close(dma_of(ctx));
}

/* Only a context with posted copies is polled. */
static const struct ctx_ops dma_ops = {
	.name = "dma",
	.counted_as = COUNTERS_DMA,
	.start = dma_start,
	.stop = dma_stop,
	.stopped = dma_stopped,
	.release = dma_release,
	.poll = dma_post_poll,
	.arm = dma_post_arm,
	.disarm = dma_post_disarm,
};

static doca_error_t dma_devinfo_check(const struct doca_devinfo *devinfo, const void *out,
				      const char *what)
{
	if (devinfo != NULL && out != NULL)
		return DOCA_SUCCESS;
	return error_set(DOCA_ERROR_INVALID_VALUE, "dma capability %s: %s is NULL", what,
			 devinfo == NULL ? "devinfo" : "the result");
}

doca_error_t doca_dma_cap_task_memcpy_is_supported(const struct doca_devinfo *devinfo)
{
	if (devinfo == NULL)
		return error_set(DOCA_ERROR_INVALID_VALUE,
				 "dma capability memcpy: devinfo is NULL");
	if (!devinfo->caps.dma)
		return error_note(DOCA_ERROR_NOT_SUPPORTED,
				  "dma capability memcpy: %s does not support it; key dma of the "
				  "device in the topology allows it",
				  devinfo->name);
	return DOCA_SUCCESS;
}

doca_error_t doca_dma_cap_task_memcpy_get_max_buf_list_len(const struct doca_devinfo *devinfo,
							   uint32_t *max_buf_list_len)
{
	if (dma_devinfo_check(devinfo, max_buf_list_len, "list length") != DOCA_SUCCESS)
		return DOCA_ERROR_INVALID_VALUE;
	*max_buf_list_len = devinfo->caps.dma_max_list_len;
	return DOCA_SUCCESS;
}

doca_error_t doca_dma_cap_task_memcpy_get_max_buf_size(const struct doca_devinfo *devinfo,
						       uint64_t *buf_size)
{
	if (dma_devinfo_check(devinfo, buf_size, "buffer size") != DOCA_SUCCESS)
		return DOCA_ERROR_INVALID_VALUE;
	*buf_size = dev_report_size(devinfo->caps.dma_max_buf_size);
	return DOCA_SUCCESS;
}

doca_error_t doca_dma_cap_get_max_num_tasks(struct doca_dma *dma, uint32_t *max_num_tasks)
{
	if (dma == NULL || max_num_tasks == NULL)
		return error_set(DOCA_ERROR_INVALID_VALUE, "dma capability tasks: %s is NULL",
				 dma == NULL ? "dma" : "the result");
	if (dma->ctx.legacy != NULL)
		return api_refuse("dma capability tasks", "DMA object", dma->ctx.legacy->api);
	*max_num_tasks = dma->ctx.dev->info->caps.dma_max_tasks;
	return DOCA_SUCCESS;
}

doca_error_t dma_new(struct doca_dev *dev, struct doca_dma **dma_out)
{
	struct doca_dma *dma;

	if (dev != NULL && !dev->info->caps.dma)
		return error_set(DOCA_ERROR_INITIALIZATION,
				 "dma create: %s does not support it; key dma of the device in the "
				 "topology allows it; ask "
				 "doca_dma_cap_task_memcpy_is_supported first",
				 dev->info->name);
	if (posix_memalign((void **)&dma, 64, sizeof(*dma)) != 0)
		return error_set(DOCA_ERROR_NO_MEMORY, "dma create: out of memory");
	memset(dma, 0, sizeof(*dma));
	ctx_init(&dma->ctx, &dma_ops, dev);
	dma->pool.execute = dma_execute;
	dma->pool.validate = dma_validate;
	dma->pool.fails_ctx = true;
	if (dev != NULL) {
		dma->max_buf_size = dma->fast_max = dev->info->caps.dma_max_buf_size;
		dma->max_list_len = dev->info->caps.dma_max_list_len;
	}
	*dma_out = dma;
	return DOCA_SUCCESS;
}

doca_error_t doca_dma_create(struct doca_dev *dev, struct doca_dma **dma_out)
{
	if (dev == NULL || dma_out == NULL)
		return error_set(DOCA_ERROR_INVALID_VALUE, "dma create: %s is NULL",
				 dev == NULL ? "dev" : "the result");
	return dma_new(dev, dma_out);
}
API_PLAIN(doca_dma_create, 2_5);

static void dma_free(struct doca_dma *dma)
{
	task_pool_deinit(&dma->pool);
	dma_remote_delete(dma->remote);
	free(dma);
}

void dma_delete(struct doca_dma *dma)
{
	ctx_deinit(&dma->ctx);
	dma_free(dma);
}

doca_error_t doca_dma_destroy(struct doca_dma *dma)
{
	doca_error_t result;

	if (dma == NULL)
		return error_set(DOCA_ERROR_INVALID_VALUE, "dma destroy: dma is NULL");
	result = ctx_deinit(&dma->ctx);
	if (result == DOCA_SUCCESS)
		dma_free(dma);
	return result;
}

struct doca_ctx *doca_dma_as_ctx(struct doca_dma *dma)
{
	return dma == NULL ? NULL : &dma->ctx;
}

doca_error_t dma_conf(struct doca_dma *dma, doca_task_completion_cb_t ok_cb,
		      doca_task_completion_cb_t err_cb, uint32_t n_tasks, size_t stride)
{
	if (task_pool_init(&dma->pool, &dma->ctx, n_tasks, stride) < 0)
		return error_set(DOCA_ERROR_NO_MEMORY, "dma: out of memory for %u %s", n_tasks,
				 plural(n_tasks, "copy", "copies"));
	dma->pool.ok_cb = ok_cb;
	dma->pool.err_cb = err_cb;
	return DOCA_SUCCESS;
}

doca_error_t doca_dma_task_memcpy_set_conf(struct doca_dma *dma,
					   doca_dma_task_memcpy_completion_cb_t task_completion_cb,
					   doca_dma_task_memcpy_completion_cb_t task_error_cb,
					   uint32_t num_memcpy_tasks)
{
	doca_error_t result;

	if (dma == NULL || task_completion_cb == NULL || task_error_cb == NULL ||
	    num_memcpy_tasks == 0)
		return error_set(DOCA_ERROR_INVALID_VALUE, "dma memcpy set conf: %s",
				 dma == NULL                  ? "dma is NULL"
				 : task_completion_cb == NULL ? "the completion callback is NULL"
				 : task_error_cb == NULL      ? "the error callback is NULL"
							      : "0 tasks; ask for at least 1");
	if (dma->ctx.legacy != NULL)
		return api_refuse("dma memcpy set conf", "DMA object", dma->ctx.legacy->api);
	result = ctx_check_idle(&dma->ctx, DOCA_ERROR_BAD_STATE, "dma memcpy set conf");
	if (result != DOCA_SUCCESS)
		return result;
	if (num_memcpy_tasks > dma->ctx.dev->info->caps.dma_max_tasks)
		return error_set(DOCA_ERROR_INVALID_VALUE,
				 "dma memcpy set conf: %u %s, %s allows %u", num_memcpy_tasks,
				 plural(num_memcpy_tasks, "task", "tasks"),
				 dma->ctx.dev->info->name, dma->ctx.dev->info->caps.dma_max_tasks);
	/* The cast is safe: a task of this pool begins with its doca_task. */
	return dma_conf(dma, (doca_task_completion_cb_t)task_completion_cb,
			(doca_task_completion_cb_t)task_error_cb, num_memcpy_tasks,
			sizeof(struct dma_task));
}

doca_error_t doca_dma_task_memcpy_alloc_init(struct doca_dma *dma, const struct doca_buf *src,
					     struct doca_buf *dst, union doca_data user_data,
					     struct doca_dma_task_memcpy **task_out)
{
	struct dma_task *t;

	if (unlikely(dma == NULL || task_out == NULL))
		return error_set(DOCA_ERROR_INVALID_VALUE, "dma memcpy alloc: %s is NULL",
				 dma == NULL ? "dma" : "the result");
	t = (struct dma_task *)(void *)task_pool_get(&dma->pool, user_data);
	if (unlikely(t == NULL)) {
		if (dma->ctx.legacy != NULL)
			return api_refuse("dma memcpy alloc", "DMA object", dma->ctx.legacy->api);
		if (dma->ctx.state != DOCA_CTX_STATE_RUNNING)
			return ctx_not_running(&dma->ctx, "dma memcpy alloc");
		return error_note(DOCA_ERROR_NO_MEMORY,
				  "dma memcpy alloc: all %u %s in use; free some or configure more",
				  dma->pool.n_tasks,
				  plural(dma->pool.n_tasks, "task is", "tasks are"));
	}
	t->src = src;
	t->dst = dst;
	*task_out = (struct doca_dma_task_memcpy *)t;
	return DOCA_SUCCESS;
}

struct doca_task *doca_dma_task_memcpy_as_task(struct doca_dma_task_memcpy *task)
{
	return task == NULL ? NULL : &((struct dma_task *)task)->task;
}

void doca_dma_task_memcpy_set_src(struct doca_dma_task_memcpy *task, const struct doca_buf *src)
{
	((struct dma_task *)task)->src = src;
}

const struct doca_buf *doca_dma_task_memcpy_get_src(const struct doca_dma_task_memcpy *task)
{
	return ((const struct dma_task *)task)->src;
}

void doca_dma_task_memcpy_set_dst(struct doca_dma_task_memcpy *task, struct doca_buf *dst)
{
	((struct dma_task *)task)->dst = dst;
}

struct doca_buf *doca_dma_task_memcpy_get_dst(const struct doca_dma_task_memcpy *task)
{
	return ((const struct dma_task *)task)->dst;
}

doca_error_t doca_dma_get_gpu_handle(struct doca_dma *dma, struct doca_gpu_dma **gpu_dma)
{
	if (dma == NULL || gpu_dma == NULL)
		return error_set(DOCA_ERROR_INVALID_VALUE, "dma gpu handle: %s is NULL",
				 dma == NULL ? "dma" : "the result");
	if (dma->ctx.legacy != NULL)
		return api_refuse("dma gpu handle", "DMA object", dma->ctx.legacy->api);
	return error_set(DOCA_ERROR_NOT_SUPPORTED,
			 "dma gpu handle: this runtime has no GPU data path");
}

doca_error_t doca_dma_set_ordered_completions(struct doca_dma *dma, uint8_t enable)
{
	doca_error_t result;

	if (dma == NULL || enable > 1)
		return error_set(DOCA_ERROR_INVALID_VALUE, "dma ordered completions: %s",
				 dma == NULL ? "dma is NULL" : "enable is 0 or 1");
	if (dma->ctx.legacy != NULL)
		return api_refuse("dma ordered completions", "DMA object", dma->ctx.legacy->api);
	result = ctx_check_idle(&dma->ctx, DOCA_ERROR_BAD_STATE, "dma ordered completions");
	/* Without posted copies, completions are in order in any case. */
	if (result == DOCA_SUCCESS)
		dma->is_ordered = enable == 1;
	return result;
}
