/*
 * Copies through the kernel, see client/dma/remote.h. A plan consists of two lists of segments,
 * local ones and the peer's, with the same total length. Tasks are added to it while they use the
 * same peer process and direction and are small. Then one readv() or writev() moves all of them.
 * The rest of an incomplete call is copied task by task, so that a bad range fails only its own
 * task. Threads: those of the progress engine.
 */
#include "client/dma/remote.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "client/base/error.h"
#include "client/dma/post.h"

/* The kernel's limit of segments per call. */
#define SEGMENTS_MAX    1024u
#define BATCH_TASKS_MAX 128u
/* A larger task makes a call worthwhile by itself. */
#define BATCH_BYTES_MAX (64u << 10)
#define BOUNCE_LEN      (256u << 10)
/* A gap up to this length is copied too: the kernel looks up pages for each segment of the peer,
 * which costs more than copying some bytes. */
#define GAP_MAX 256u
/* One call moves at most 2 GiB less a page, and stops there without an error. */
#define CALL_BYTES_MAX (1u << 30)

struct plan {
	struct transport_region *region;
	const struct transport_region *last; /* contains the last segment of the peer */
	bool write;                          /* to the peer */
	size_t n_local, n_remote, n_bytes;   /* the bytes of the call, including bridged gaps */
};

struct dma_remote {
	struct iovec local[SEGMENTS_MAX];
	struct iovec remote[SEGMENTS_MAX];
	struct dma_task *batch[BATCH_TASKS_MAX];
	/* The bytes that the call has moved when this task is complete. */
	size_t batch_ends[BATCH_TASKS_MAX];
	/* For copies from peer to peer. Allocated at the start, so that nothing is allocated
	 * later. */
	uint8_t bounce[BOUNCE_LEN];
	uint8_t bin[GAP_MAX];
};

struct dma_remote *dma_remote_new(void)
{
	return calloc(1, sizeof(struct dma_remote));
}

void dma_remote_delete(struct dma_remote *remote)
{
	free(remote);
}

/* Classifies the list. Returns 1 and the region if all segments are in one unmapped region, 0 if
 * all are mapped in this process, or -1 if they are mixed. */
static int list_region(const struct doca_buf *list, struct transport_region **region_out)
{
	const struct doca_buf *pos;
	struct transport_region *region = NULL;
	bool direct = false;

	BUF_FOR_EACH(pos, list)
	{
		if (pos->mmap->direct) {
			direct = true;
		} else if (region == NULL || region == &pos->mmap->region) {
			region = &pos->mmap->region;
		} else {
			return -1;
		}
	}
	if (region != NULL && direct)
		return -1;
	*region_out = region;
	return region != NULL;
}

static bool same_peer(const struct transport_region *a, const struct transport_region *b)
{
	return a->ops == b->ops && a->pid == b->pid;
}

size_t dma_src_len(const struct dma_task *t)
{
	const struct doca_buf *pos;
	size_t n = 0;

	BUF_FOR_EACH(pos, t->src) n += pos->data_len;
	return n;
}

/* Adds a local segment. Returns false if there is no room. */
static bool add_local(struct dma_remote *remote, struct plan *plan, void *base, size_t len)
{
	if (plan->n_local == SEGMENTS_MAX)
		return false;
	remote->local[plan->n_local++] = (struct iovec){.iov_base = base, .iov_len = len};
	return true;
}

static struct iovec *last_remote(struct dma_remote *remote, const struct plan *plan)
{
	return plan->n_remote > 0 ? &remote->remote[plan->n_remote - 1] : NULL;
}

/* Adds a segment of the peer, or extends the last one if it continues there. */
static bool add_remote(struct dma_remote *remote, struct plan *plan, uint8_t *base, size_t len)
{
	struct iovec *last = last_remote(remote, plan);

	if (last != NULL && (uint8_t *)last->iov_base + last->iov_len == base) {
		last->iov_len += len;
		return true;
	}
	if (plan->n_remote == SEGMENTS_MAX)
		return false;
	remote->remote[plan->n_remote++] = (struct iovec){.iov_base = base, .iov_len = len};
	return true;
}

/* Extends the last segment to a neighbour in the same export; the bytes between them are read into
 * a scratch area. If a gap cannot be bridged, that is no error. */
static void bridge_gap(struct dma_remote *remote, struct plan *plan,
		       const struct transport_region *region, const uint8_t *base)
{
	struct iovec *last = last_remote(remote, plan);
	size_t gap;

	if (last == NULL || plan->write || plan->last != region)
		return;
	gap = (uintptr_t)base - (uintptr_t)last->iov_base - last->iov_len;
	if (gap == 0 || gap > GAP_MAX || !add_local(remote, plan, remote->bin, gap))
		return;
	last->iov_len += gap;
	plan->n_bytes += gap;
}

static bool add_segments(struct dma_remote *remote, struct plan *plan, const struct dma_task *t,
			 size_t n_bytes)
{
	bool read = !plan->write;
	const struct doca_buf *pos;
	size_t left = n_bytes;

	BUF_FOR_EACH(pos, t->src)
	{
		uint8_t *base = pos->data + pos->mmap->delta;

		if (pos->data_len > 0 && !(read ? add_remote(remote, plan, base, pos->data_len)
						: add_local(remote, plan, base, pos->data_len)))
			return false;
	}
	for (pos = t->dst; left > 0; pos = pos->next) {
		size_t n = MIN(left, buf_tail_room(pos));
		uint8_t *base = pos->data + pos->data_len + pos->mmap->delta;

		if (n > 0 &&
		    !(read ? add_local(remote, plan, base, n) : add_remote(remote, plan, base, n)))
			return false;
		left -= n;
	}
	plan->n_bytes += n_bytes;
	return true;
}

/* Adds a task's segments. Returns false if the task does not fit the plan or needs another path. */
static bool plan_add(struct dma_remote *remote, struct plan *plan, const struct dma_task *t)
{
	struct transport_region *src_region = NULL, *dst_region = NULL, *region;
	int from = list_region(t->src, &src_region), to = list_region(t->dst, &dst_region);
	bool write = to == 1;
	size_t n_bytes = dma_src_len(t), last_len = 0;
	struct plan before = *plan;

	if (from < 0 || to < 0 || from + to != 1)
		return false;
	region = write ? dst_region : src_region;
	/* A posted copy is executed separately. */
	if (region->ops->is_posted)
		return false;
	/* Both sides may be the same memory; see copy_piece(). */
	if (region->is_self)
		return false;
	if (plan->region != NULL && (plan->write != write || !same_peer(plan->region, region) ||
				     plan->n_bytes + n_bytes + GAP_MAX > BATCH_BYTES_MAX))
		return false;
	if (plan->n_remote > 0)
		last_len = remote->remote[plan->n_remote - 1].iov_len;
	plan->write = write;
	if (t->src->data_len > 0)
		bridge_gap(remote, plan, region, t->src->data);
	if (!add_segments(remote, plan, t, n_bytes)) {
		*plan = before;
		if (plan->n_remote > 0)
			remote->remote[plan->n_remote - 1].iov_len = last_len;
		return false;
	}
	if (plan->region == NULL)
		plan->region = region;
	plan->last = region;
	return true;
}

/* Increases the destination's data length by n bytes. */
static void dst_advance(struct doca_buf *dst, size_t n)
{
	/* The room was checked, but a copy of another context may have used some of it
	 * meanwhile. */
	for (; n > 0 && dst != NULL; dst = dst->next) {
		size_t room = buf_tail_room(dst), part = MIN(n, room);

		dst->data_len += part;
		n -= part;
	}
}

void dma_task_copied(const struct dma_task *t)
{
	size_t len = dma_src_len(t);

	dst_advance(t->dst, len);
	ctx_count_bytes(t->task.ctx, len);
}

static doca_error_t error_of_errno(ssize_t r)
{
	if (r == -ESRCH)
		return error_set(DOCA_ERROR_IO_FAILED,
				 "dma memcpy: the process that exported the memory has ended");
	if (r == -EFAULT)
		return error_set(DOCA_ERROR_IO_FAILED, "dma memcpy: part of the range is not "
						       "mapped (any more) in the process that "
						       "owns it");
	if (r == -EPERM)
		return error_set(DOCA_ERROR_NOT_PERMITTED,
				 "dma memcpy: the kernel refuses access to the exporter's memory");
	return error_set(DOCA_ERROR_IO_FAILED, "dma memcpy: the transfer failed: %s",
			 strerror((int)-r));
}

static ssize_t plan_run(struct dma_remote *remote, const struct plan *plan)
{
	struct transport_region *region = plan->region;

	return (plan->write ? region->ops->writev : region->ops->readv)(
		region, remote->local, plan->n_local, remote->remote, plan->n_remote);
}

/* Moves all n bytes or returns an error: after a call that stopped early, the next call returns the
 * reason. */
static ssize_t transfer_all(struct transport_region *region, bool write, uint8_t *mine,
			    uint8_t *theirs, size_t n)
{
	size_t done = 0;

	while (done < n) {
		size_t part = MIN(n - done, (size_t)CALL_BYTES_MAX);
		struct iovec ours = {.iov_base = mine + done, .iov_len = part};
		struct iovec peers = {.iov_base = theirs + done, .iov_len = part};
		ssize_t r = (write ? region->ops->writev : region->ops->readv)(region, &ours, 1,
									       &peers, 1);

		if (r <= 0)
			return r < 0 ? r : -EIO;
		done += (size_t)r;
	}
	return 0;
}

/* Copies from peer to peer through the bounce buffer. */
static ssize_t copy_bounced(struct dma_remote *remote, struct transport_region *src, uint8_t *from,
			    struct transport_region *dst, uint8_t *to, size_t n)
{
	/* Copies in the direction that does not overwrite data before it is read, like
	 * memmove(). */
	bool backwards = same_peer(src, dst) && to > from && to < from + n;
	size_t done = 0;

	while (done < n) {
		size_t part = MIN(n - done, (size_t)BOUNCE_LEN);
		size_t at = backwards ? n - done - part : done;
		ssize_t r = transfer_all(src, false, remote->bounce, from + at, part);

		if (r == 0)
			r = transfer_all(dst, true, remote->bounce, to + at, part);
		if (r < 0)
			return r;
		done += part;
	}
	return 0;
}

/* Copies n bytes where each side may be local or a peer's. */
static ssize_t copy_piece(struct dma_remote *remote, const struct doca_buf *src, uint8_t *from,
			  const struct doca_buf *dst, uint8_t *to, size_t n)
{
	if (!src->mmap->direct && !dst->mmap->direct)
		return copy_bounced(remote, &src->mmap->region, from, &dst->mmap->region, to, n);
	/* The user forced the kernel path within this process. The kernel copies forwards only, so
	 * overlapping data goes through the bounce buffer. */
	if (!dst->mmap->direct && dst->mmap->region.is_self)
		return copy_bounced(remote, &dst->mmap->region, from + src->mmap->delta,
				    &dst->mmap->region, to, n);
	if (!src->mmap->direct && src->mmap->region.is_self)
		return copy_bounced(remote, &src->mmap->region, from, &src->mmap->region,
				    to + dst->mmap->delta, n);
	if (!dst->mmap->direct)
		return transfer_all(&dst->mmap->region, true, from + src->mmap->delta, to, n);
	if (!src->mmap->direct)
		return transfer_all(&src->mmap->region, false, to + dst->mmap->delta, from, n);
	memmove(to + dst->mmap->delta, from + src->mmap->delta, n);
	return 0;
}

/* Copies any mixture, pair of segments by pair of segments. */
static doca_error_t copy_pieces(struct dma_remote *remote, const struct dma_task *t)
{
	const struct doca_buf *src = t->src, *dst = t->dst;
	size_t src_at = 0, dst_at = 0;

	while (src != NULL) {
		size_t n = MIN(src->data_len - src_at, buf_tail_room(dst) - dst_at);
		ssize_t r = copy_piece(remote, src, src->data + src_at, dst,
				       dst->data + dst->data_len + dst_at, n);

		if (r < 0)
			return error_of_errno(r);
		src_at += n;
		dst_at += n;
		if (src_at == src->data_len) {
			src = src->next;
			src_at = 0;
		}
		if (dst_at == buf_tail_room(dst) && dst->next != NULL) {
			dst = dst->next;
			dst_at = 0;
		}
	}
	return DOCA_SUCCESS;
}

static doca_error_t run_one(struct dma_remote *remote, struct dma_task *t)
{
	struct plan plan = {0};
	doca_error_t result;

	if (plan_add(remote, &plan, t)) {
		ssize_t r = plan.n_bytes > CALL_BYTES_MAX ? 0 : plan_run(remote, &plan);

		/* A copy that exceeds one call, or was cut short, is repeated piece by piece, which
		 * finds the piece that fails and the reason. */
		result = r == (ssize_t)plan.n_bytes ? DOCA_SUCCESS
			 : r >= 0                   ? copy_pieces(remote, t)
						    : error_of_errno(r);
	} else {
		result = copy_pieces(remote, t);
	}
	if (result == DOCA_SUCCESS)
		dma_task_copied(t);
	return result;
}

/* Returns whether the task would complete before posted copies of its ordered context. */
static bool is_behind_posted(const struct doca_task *task)
{
	const struct doca_dma *dma = dma_of(task->ctx);

	return dma->is_ordered && dma->post != NULL && !dma_post_is_idle(dma->post);
}

/* Returns whether a queued task may be executed with the current one: it is of this engine, valid
 * and not executed yet. */
static bool may_join(const struct doca_task *next, const struct dma_task *first)
{
	const struct dma_task *other = (const struct dma_task *)(const void *)next;

	return next->pool->execute == first->task.pool->execute && !(next->done & TASK_DONE) &&
	       next->ctx->state == DOCA_CTX_STATE_RUNNING && !is_behind_posted(next) &&
	       other->dst != NULL && (dma_task_overwrites(other) || dma_task_is_valid(other)) &&
	       !buf_is_claimed(other->dst);
}

/* Adds a queued task to the plan. Where copies overwrite, the destination's existing data is
 * ignored; a task whose destination list has data is executed separately. */
static bool plan_join(struct dma_remote *remote, struct plan *plan, struct dma_task *other)
{
	size_t used = other->dst->data_len;
	const struct doca_buf *pos;

	if (!dma_task_overwrites(other))
		return plan_add(remote, plan, other);
	BUF_FOR_EACH(pos, other->dst->next)
	{
		if (pos->data_len > 0)
			return false;
	}
	other->dst->data_len = 0;
	if (dma_task_is_valid(other) && plan_add(remote, plan, other))
		return true;
	other->dst->data_len = used;
	return false;
}

doca_error_t dma_remote_execute(struct dma_remote *remote, struct dma_task *t)
{
	struct doca_task *next = t->task.ctx->pe->head;
	struct plan plan = {0};
	size_t n_batch = 0, moved = 0;
	ssize_t r;

	/* Tasks that join are executed with this one, before other tasks queued between them. A
	 * destination that a posted copy of another context has claimed stays claimed. */
	if (is_behind_posted(&t->task) || buf_is_claimed(t->dst) || !plan_add(remote, &plan, t))
		return run_one(remote, t);
	buf_claim(t->dst, 1);
	while (plan.n_bytes <= BATCH_BYTES_MAX && next != NULL && n_batch < BATCH_TASKS_MAX) {
		struct dma_task *other = (struct dma_task *)(void *)next;

		if (!may_join(next, t) || !plan_join(remote, &plan, other))
			break;
		buf_claim(other->dst, 1);
		remote->batch_ends[n_batch] = plan.n_bytes;
		remote->batch[n_batch++] = other;
		next = next->next;
	}
	buf_claim(t->dst, 0);
	for (size_t i = 0; i < n_batch; i++)
		buf_claim(remote->batch[i]->dst, 0);
	if (n_batch == 0)
		return run_one(remote, t);
	r = plan_run(remote, &plan);
	moved = r < 0 ? 0 : (size_t)r;
	if (moved < dma_src_len(t))
		return run_one(remote, t);
	dma_task_copied(t);
	for (size_t i = 0; i < n_batch && moved >= remote->batch_ends[i]; i++) {
		struct dma_task *other = remote->batch[i];

		/* Tasks that the call did not reach stay queued and are executed later. */
		dma_task_copied(other);
		other->task.status = DOCA_SUCCESS;
		other->task.done |= TASK_DONE;
	}
	return DOCA_SUCCESS;
}
