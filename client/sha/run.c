/*
 * Execution of SHA tasks; see client/sha/sha.h: the checks, hashing the message, storing the
 * digest. Memory that is mapped in this process is read in place. Memory of another process is
 * copied into the scratch memory, with as many pieces per call as fit. Threads: those of the
 * progress engine.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "client/base/error.h"
#include "client/memory/buf_check.h"
#include "client/sha/sha.h"

#define SCRATCH_LEN    (128u << 10)
#define SCRATCH_PIECES 128u

struct sha_scratch {
	struct iovec pieces[SCRATCH_PIECES]; /* pieces in the peer's memory */
	uint8_t bytes[SCRATCH_LEN];
};

struct sha_scratch *sha_scratch_new(void)
{
	return calloc(1, sizeof(struct sha_scratch));
}

void sha_scratch_delete(struct sha_scratch *scratch)
{
	free(scratch);
}

/* --- checks --- */

struct sha_fault {
	doca_error_t code;
	const char *text;
};

static const struct sha_fault src_faults[] = {
	[BUF_NONE] = {DOCA_ERROR_INVALID_VALUE, "the source buffer is NULL"},
	[BUF_NOT_PERMITTED] = {DOCA_ERROR_NOT_PERMITTED,
			       "the source's mmap gives no right to read"},
	[BUF_STOPPED] = {DOCA_ERROR_BAD_STATE,
			 "the source's mmap is not started; call doca_mmap_start before"},
	[BUF_OUT_OF_RANGE] = {DOCA_ERROR_INVALID_VALUE,
			      "the source's data section leaves its buffer"},
	[BUF_DEV] = {DOCA_ERROR_INVALID_VALUE,
		     "the source's mmap does not have the context's device; use doca_mmap_add_dev"},
	[BUF_REVOKED] = {DOCA_ERROR_IO_FAILED,
			 "the exporter of the source stopped its mmap or ended"},
	[BUF_OVERFLOW] = {DOCA_ERROR_INVALID_VALUE,
			  "the source is longer than the device takes; ask "
			  "doca_sha_cap_get_max_src_buf_size"},
};

static const struct sha_fault dst_faults[] = {
	[BUF_NONE] = {DOCA_ERROR_INVALID_VALUE, "the destination buffer is NULL"},
	[BUF_NOT_PERMITTED] = {DOCA_ERROR_NOT_PERMITTED,
			       "the destination's mmap gives no right to write; see "
			       "doca_mmap_set_permissions"},
	[BUF_STOPPED] = {DOCA_ERROR_BAD_STATE,
			 "the destination's mmap is not started; call doca_mmap_start before"},
	[BUF_OUT_OF_RANGE] = {DOCA_ERROR_INVALID_VALUE,
			      "the destination's data section leaves its buffer"},
	[BUF_DEV] = {DOCA_ERROR_INVALID_VALUE,
		     "the destination's mmap does not have the context's device; use "
		     "doca_mmap_add_dev"},
	[BUF_REVOKED] = {DOCA_ERROR_IO_FAILED,
			 "the exporter of the destination stopped its mmap or ended"},
	[BUF_OVERFLOW] = {DOCA_ERROR_INVALID_VALUE,
			  "the destination has more data than can be counted"},
};

static const struct sha_fault fault_list = {
	DOCA_ERROR_INVALID_VALUE,
	"more buffers in a list than the device takes; ask doca_sha_cap_get_max_list_buf_num_elem"};
static const struct sha_fault fault_room = {
	DOCA_ERROR_INVALID_VALUE,
	"the digest does not fit behind the destination's data; ask "
	"doca_sha_cap_get_min_dst_buf_size; doca_buf_reset_data_len makes room in a used buffer"};
static const struct sha_fault fault_complete = {
	DOCA_ERROR_INVALID_VALUE,
	"the message is complete; call doca_sha_task_partial_hash_reset before the next one"};
static const struct sha_fault fault_unit = {
	DOCA_ERROR_INVALID_VALUE,
	"a segment that is not the last must be a multiple of the block; ask "
	"doca_sha_cap_get_partial_hash_block_size, or call "
	"doca_sha_task_partial_hash_set_is_final_buf for the last one"};

/* Returns NULL if the task is valid; then *src_out has the source's length and whether all of it is
 * mapped in this process. */
static inline const struct sha_fault *sha_check(const struct sha_task *t, struct buf_sum *src_out)
{
	const struct doca_sha *sha = sha_of(t->task.ctx);
	const struct doca_dev *dev = t->task.ctx->dev;
	enum buf_fault fault;
	struct buf_sum dst;

	if (likely(buf_is_simple(t->src, dev, MMAP_FAST_SRC) &&
		   buf_is_simple(t->dst, dev, MMAP_FAST_DST)) &&
	    likely(t->src->data_len <= sha->max_src_size &&
		   buf_tail_room(t->dst) >= sha_algorithms[t->algorithm].digest_len)) {
		src_out->data_len = t->src->data_len;
		src_out->mapped = true;
		return NULL;
	}
	fault = buf_check(t->src, dev, BUF_READ, src_out);
	if (unlikely(fault != BUF_VALID))
		return &src_faults[fault];
	fault = buf_check(t->dst, dev, BUF_WRITE, &dst);
	if (unlikely(fault != BUF_VALID))
		return &dst_faults[fault];
	if (unlikely(src_out->data_len > sha->max_src_size))
		return &src_faults[BUF_OVERFLOW];
	if (unlikely(src_out->n > sha->max_list_len || dst.n > sha->max_list_len))
		return &fault_list;
	if (unlikely(dst.room < sha_algorithms[t->algorithm].digest_len))
		return &fault_room;
	return NULL;
}

static const struct sha_fault *partial_check(const struct sha_task *t, struct buf_sum *src_out)
{
	const struct sha_fault *fault;

	if (unlikely(t->has_result))
		return &fault_complete;
	fault = sha_check(t, src_out);
	if (unlikely(fault != NULL))
		return fault;
	if (unlikely(!t->is_final &&
		     src_out->data_len % sha_algorithms[t->algorithm].block_len != 0))
		return &fault_unit;
	return NULL;
}

/* Returns what a valid task needs. A segment that is not the last needs no room, but the room that
 * was checked is accepted too. */
static struct staging_need need_of(const struct sha_task *t, const struct buf_sum *src)
{
	return (struct staging_need){.src_len = src->data_len,
				     .dst_len = sha_algorithms[t->algorithm].digest_len,
				     .work_len = src->data_len};
}

static doca_error_t refuse(const struct sha_task *t, const struct sha_fault *fault,
			   const struct buf_sum *src, const char *what)
{
	struct staging_need need;
	const char *text;

	if (fault != NULL) {
		text = fault->text;
	} else {
		need = need_of(t, src);
		text = staging_exceeds((const struct staged_task *)(const void *)t, &need);
	}
	if (text == NULL)
		return DOCA_SUCCESS;
	/* The contract of try_submit has one code for an invalid task. */
	return error_set(DOCA_ERROR_INVALID_VALUE, "%s: %s", what, text);
}

/* A queue reports an invalid operation as a failed one. */
static __attribute__((noinline)) doca_error_t fail(const struct sha_fault *fault, const char *what)
{
	return error_set(fault->code == DOCA_ERROR_INVALID_VALUE ? DOCA_ERROR_IO_FAILED
								 : fault->code,
			 "%s: %s", what, fault->text);
}

doca_error_t sha_hash_validate(const struct doca_task *task)
{
	const struct sha_task *t = (const struct sha_task *)(const void *)task;
	struct buf_sum src;

	return refuse(t, sha_check(t, &src), &src, "sha hash");
}

doca_error_t sha_partial_validate(const struct doca_task *task)
{
	const struct sha_task *t = (const struct sha_task *)(const void *)task;
	struct buf_sum src;

	return refuse(t, partial_check(t, &src), &src, "sha partial hash");
}

/* --- message --- */

static __attribute__((noinline)) doca_error_t digest_failed(void)
{
	return error_set(DOCA_ERROR_UNEXPECTED, "sha: libcrypto refused to make a digest");
}

static __attribute__((noinline)) doca_error_t transfer_failed(ssize_t r)
{
	if (r == -ESRCH)
		return error_set(DOCA_ERROR_IO_FAILED,
				 "sha: the process that exported the memory has ended");
	if (r == -EFAULT)
		return error_set(DOCA_ERROR_IO_FAILED, "sha: part of the range is not mapped (any "
						       "more) in the process that owns it");
	if (r == -EPERM)
		return error_set(DOCA_ERROR_NOT_PERMITTED,
				 "sha: the kernel refuses access to the exporter's memory");
	return error_set(DOCA_ERROR_IO_FAILED, "sha: the transfer failed: %s", strerror((int)-r));
}

/* The digest of a task of either kind. */
struct digesting {
	union sha_digest *digest;
	enum doca_sha_algorithm algorithm;
};

static doca_error_t feed(const struct digesting *m, const void *bytes, size_t n)
{
	if (n == 0 || likely(sha_digest_add(m->digest, m->algorithm, bytes, n)))
		return DOCA_SUCCESS;
	return digest_failed();
}

static doca_error_t feed_mapped(const struct digesting *m, const struct doca_buf *src)
{
	const struct doca_buf *pos;

	BUF_FOR_EACH(pos, src)
	{
		doca_error_t result = feed(m, pos->data + pos->mmap->delta, pos->data_len);

		if (unlikely(result != DOCA_SUCCESS))
			return result;
	}
	return DOCA_SUCCESS;
}

/* Pieces of one region that are still to be read, in the order of the message. */
struct gather {
	struct sha_scratch *scratch;
	const struct digesting *digesting;
	struct transport_region *region;
	size_t n, len;
};

/* Reads all pieces or returns an error: after a call that stopped early, the next call returns the
 * reason. */
static ssize_t gather_read(struct gather *g)
{
	struct iovec *piece = g->scratch->pieces, *end = piece + g->n;
	size_t done = 0;

	while (done < g->len) {
		struct iovec ours = {.iov_base = g->scratch->bytes + done,
				     .iov_len = g->len - done};
		ssize_t r = g->region->ops->readv(g->region, &ours, 1, piece,
						  (size_t)(end - piece));
		size_t n;

		if (r <= 0)
			return r < 0 ? r : -EIO;
		n = MIN((size_t)r, g->len - done);
		done += n;
		for (; piece < end && n >= piece->iov_len; piece++)
			n -= piece->iov_len;
		if (piece < end) {
			piece->iov_base = (uint8_t *)piece->iov_base + n;
			piece->iov_len -= n;
		}
	}
	return 0;
}

static doca_error_t gather_flush(struct gather *g)
{
	size_t n = g->len;
	ssize_t r;

	if (n == 0)
		return DOCA_SUCCESS;
	r = gather_read(g);
	if (r < 0)
		return transfer_failed(r);
	g->n = g->len = 0;
	return feed(g->digesting, g->scratch->bytes, n);
}

static doca_error_t gather_add(struct gather *g, const struct doca_buf *buf)
{
	size_t at = 0;

	while (at < buf->data_len) {
		size_t n = MIN(buf->data_len - at, SCRATCH_LEN - g->len);

		if (n == 0 || g->n == SCRATCH_PIECES || g->region != &buf->mmap->region) {
			doca_error_t result = gather_flush(g);

			if (result != DOCA_SUCCESS)
				return result;
			g->region = &buf->mmap->region;
			continue;
		}
		g->scratch->pieces[g->n++] =
			(struct iovec){.iov_base = buf->data + at + buf->mmap->delta, .iov_len = n};
		g->len += n;
		at += n;
	}
	return DOCA_SUCCESS;
}

static __attribute__((noinline)) doca_error_t feed_remote(struct sha_scratch *scratch,
							  const struct digesting *m,
							  const struct doca_buf *src)
{
	struct gather g = {.scratch = scratch, .digesting = m};
	const struct doca_buf *pos;
	doca_error_t result;

	BUF_FOR_EACH(pos, src)
	{
		if (!pos->mmap->direct) {
			result = gather_add(&g, pos);
		} else {
			result = gather_flush(&g);
			if (result == DOCA_SUCCESS)
				result = feed(m, pos->data + pos->mmap->delta, pos->data_len);
		}
		if (result != DOCA_SUCCESS)
			return result;
	}
	return gather_flush(&g);
}

/* --- digest --- */

static ssize_t put_piece(const struct doca_buf *dst, uint8_t *bytes, size_t n)
{
	struct transport_region *region = &dst->mmap->region;
	uint8_t *to = dst->data + dst->data_len + dst->mmap->delta;
	size_t done = 0;

	if (dst->mmap->direct) {
		memcpy(to, bytes, n);
		return 0;
	}
	while (done < n) {
		struct iovec ours = {.iov_base = bytes + done, .iov_len = n - done};
		struct iovec theirs = {.iov_base = to + done, .iov_len = n - done};
		ssize_t r = region->ops->writev(region, &ours, 1, &theirs, 1);

		if (r <= 0)
			return r < 0 ? r : -EIO;
		done += MIN((size_t)r, n - done);
	}
	return 0;
}

/* Stores the digest into a list, at the end of each buffer's data. The lengths grow only when all
 * of it is stored. */
static __attribute__((noinline)) doca_error_t finish_pieces(const struct digesting *m,
							    struct doca_buf *dst, size_t len)
{
	uint8_t bytes[SHA_MAX_DIGEST_LEN];
	struct doca_buf *pos;
	size_t at = 0;

	if (!sha_digest_end(m->digest, m->algorithm, bytes))
		return digest_failed();
	for (pos = dst; at < len; pos = pos->next) {
		size_t n = MIN(len - at, buf_tail_room(pos));
		ssize_t r = put_piece(pos, bytes + at, n);

		if (r < 0)
			return transfer_failed(r);
		at += n;
	}
	for (pos = dst; len > 0; pos = pos->next) {
		size_t n = MIN(len, buf_tail_room(pos));

		pos->data_len += n;
		len -= n;
	}
	return DOCA_SUCCESS;
}

static doca_error_t finish(const struct digesting *m, struct doca_buf *dst)
{
	size_t len = sha_algorithms[m->algorithm].digest_len;

	if (unlikely(!dst->mmap->direct || buf_tail_room(dst) < len))
		return finish_pieces(m, dst, len);
	if (unlikely(!sha_digest_end(m->digest, m->algorithm,
				     dst->data + dst->data_len + dst->mmap->delta)))
		return digest_failed();
	dst->data_len += len;
	return DOCA_SUCCESS;
}

static doca_error_t hash_run(const struct sha_task *t, const struct buf_sum *src)
{
	union sha_digest digest;
	struct digesting m = {&digest, (enum doca_sha_algorithm)t->algorithm};
	doca_error_t result;

	if (unlikely(!sha_digest_begin(&digest, m.algorithm)))
		return digest_failed();
	result = likely(src->mapped) ? feed_mapped(&m, t->src)
				     : feed_remote(sha_of(t->task.ctx)->scratch, &m, t->src);
	return likely(result == DOCA_SUCCESS) ? finish(&m, t->dst) : result;
}

static doca_error_t partial_run(struct sha_partial_task *pt, const struct buf_sum *src)
{
	struct sha_task *t = &pt->base;
	struct digesting m = {&pt->digest, (enum doca_sha_algorithm)t->algorithm};
	doca_error_t result;

	if (!t->is_begun && unlikely(!sha_digest_begin(&pt->digest, m.algorithm)))
		return digest_failed();
	/* A segment that fails in the middle need not be undone: the context stops, and the task
	 * must be freed and is initialised when it is allocated again. */
	t->is_begun = true;
	result = likely(src->mapped) ? feed_mapped(&m, t->src)
				     : feed_remote(sha_of(t->task.ctx)->scratch, &m, t->src);
	if (result == DOCA_SUCCESS && t->is_final) {
		result = finish(&m, t->dst);
		t->has_result = result == DOCA_SUCCESS;
	}
	return result;
}

/* Returns whether a valid task must be held. */
static inline bool must_hold(const struct sha_task *t, const struct buf_sum *src)
{
	return staging_must_hold(
		&sha_of(t->task.ctx)->staged, (const struct staged_task *)(const void *)t,
		src->mapped && t->dst->mmap->direct && t->dst->next == NULL, src->data_len);
}

doca_error_t sha_hash_execute(struct doca_task *task)
{
	const struct sha_task *t = (const struct sha_task *)(const void *)task;
	const struct sha_fault *fault;
	struct buf_sum src;
	doca_error_t result;

	if (unlikely(staging_is_busy(&sha_of(task->ctx)->staged)))
		return staging_hold(task);
	fault = sha_check(t, &src);
	if (unlikely(fault != NULL))
		return fail(fault, "sha hash");
	if (unlikely(must_hold(t, &src)))
		return staging_hold(task);
	result = hash_run(t, &src);
	if (likely(result == DOCA_SUCCESS))
		ctx_count_bytes(task->ctx, src.data_len);
	return result;
}

doca_error_t sha_partial_execute(struct doca_task *task)
{
	struct sha_partial_task *pt = (struct sha_partial_task *)(void *)task;
	const struct sha_fault *fault;
	struct buf_sum src;
	doca_error_t result;

	if (unlikely(staging_is_busy(&sha_of(task->ctx)->staged)))
		return staging_hold(task);
	fault = partial_check(&pt->base, &src);
	if (unlikely(fault != NULL))
		return fail(fault, "sha partial hash");
	if (unlikely(must_hold(&pt->base, &src)))
		return staging_hold(task);
	result = partial_run(pt, &src);
	if (likely(result == DOCA_SUCCESS))
		ctx_count_bytes(task->ctx, src.data_len);
	return result;
}

/* --- held tasks --- */

static bool is_partial(const struct doca_task *task)
{
	return task->pool->self == &sha_of(task->ctx)->partial_pool;
}

static doca_error_t held_check_src(const struct doca_task *task, struct buf_sum *src_out)
{
	const struct sha_task *t = (const struct sha_task *)(const void *)task;
	bool partial = is_partial(task);
	const struct sha_fault *fault = partial ? partial_check(t, src_out) : sha_check(t, src_out);

	return fault == NULL ? DOCA_SUCCESS
			     : fail(fault, partial ? "sha partial hash" : "sha hash");
}

static doca_error_t held_check(struct doca_task *task, struct staging_need *need_out)
{
	struct buf_sum src;
	doca_error_t result = held_check_src(task, &src);

	if (result == DOCA_SUCCESS)
		*need_out = need_of((const struct sha_task *)(const void *)task, &src);
	return result;
}

static doca_error_t held_run(struct doca_task *task)
{
	struct buf_sum src;
	doca_error_t result = held_check_src(task, &src);

	/* The exporter may have ended meanwhile. */
	if (result != DOCA_SUCCESS)
		return result;
	return is_partial(task) ? partial_run((struct sha_partial_task *)(void *)task, &src)
				: hash_run((const struct sha_task *)(const void *)task, &src);
}

const struct staging_ops sha_staging_ops = {.check = held_check, .run = held_run};
