/*
 * Execution of erasure coding tasks; see client/erasure_coding/ec.h: the checks, and the product of
 * the matrix with the blocks.
 *
 * The data of a source is a sequence of blocks, and so is the result, whatever the elements of the
 * lists are. If source and destination are single buffers that are mapped in this process, ISA-L
 * runs once over whole blocks. Otherwise it runs over the longest part of the blocks that is
 * contiguous in each of them; parts in memory of another process go through the scratch memory,
 * with as many pieces per call as fit. Threads: those of the progress engine.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "client/base/error.h"
#include "client/erasure_coding/ec.h"
#include "client/memory/buf_check.h"

#define SCRATCH_LEN    (512u << 10)
#define SCRATCH_PIECES 128u
/* The widest matrix updates all data blocks of a code: old data, new data and redundancy. */
#define MAX_IN  (2 * CODE_MAX_BLOCKS)
#define MAX_OUT CODE_MAX_BLOCKS

/* The position in a block: `at` bytes behind the data of a source, or behind the end of the data of
 * a destination. */
struct cursor {
	const struct doca_buf *buf;
	size_t at;
};

struct ec_scratch {
	/* The current part's addresses in this process, sources first. */
	uint8_t *parts[MAX_IN + MAX_OUT];
	struct cursor cursors[MAX_IN + MAX_OUT];
	struct iovec ours[SCRATCH_PIECES], theirs[SCRATCH_PIECES];
	uint8_t bytes[SCRATCH_LEN] __attribute__((aligned(64)));
};

struct ec_scratch *ec_scratch_new(void)
{
	struct ec_scratch *scratch;

	if (posix_memalign((void **)&scratch, 64, sizeof(*scratch)) != 0)
		return NULL;
	memset(scratch, 0, sizeof(*scratch));
	return scratch;
}

void ec_scratch_delete(struct ec_scratch *scratch)
{
	free(scratch);
}

/* --- checks --- */

struct ec_fault {
	doca_error_t code;
	const char *text;
	bool has_sizes; /* the sentence ends with the sizes and the matrix */
};

static const struct ec_fault src_faults[] = {
	[BUF_NONE] = {DOCA_ERROR_INVALID_VALUE, "the source buffer is NULL", false},
	[BUF_NOT_PERMITTED] = {DOCA_ERROR_NOT_PERMITTED, "the source's mmap gives no right to read",
			       false},
	[BUF_STOPPED] = {DOCA_ERROR_BAD_STATE,
			 "the source's mmap is not started; call doca_mmap_start before", false},
	[BUF_OUT_OF_RANGE] = {DOCA_ERROR_INVALID_VALUE,
			      "the source's data section leaves its buffer", false},
	[BUF_DEV] = {DOCA_ERROR_INVALID_VALUE,
		     "the source's mmap does not have the context's device; use doca_mmap_add_dev",
		     false},
	[BUF_REVOKED] = {DOCA_ERROR_IO_FAILED,
			 "the exporter of the source stopped its mmap or ended", false},
	[BUF_OVERFLOW] = {DOCA_ERROR_INVALID_VALUE, "the source has more data than can be counted",
			  false},
};

static const struct ec_fault dst_faults[] = {
	[BUF_NONE] = {DOCA_ERROR_INVALID_VALUE, "the destination buffer is NULL", false},
	[BUF_NOT_PERMITTED] = {DOCA_ERROR_NOT_PERMITTED,
			       "the destination's mmap gives no right to write; see "
			       "doca_mmap_set_permissions",
			       false},
	[BUF_STOPPED] = {DOCA_ERROR_BAD_STATE,
			 "the destination's mmap is not started; call doca_mmap_start before",
			 false},
	[BUF_OUT_OF_RANGE] = {DOCA_ERROR_INVALID_VALUE,
			      "the destination's data section leaves its buffer", false},
	[BUF_DEV] = {DOCA_ERROR_INVALID_VALUE,
		     "the destination's mmap does not have the context's device; use "
		     "doca_mmap_add_dev",
		     false},
	[BUF_REVOKED] = {DOCA_ERROR_IO_FAILED,
			 "the exporter of the destination stopped its mmap or ended", false},
	[BUF_OVERFLOW] = {DOCA_ERROR_INVALID_VALUE,
			  "the destination has more data than can be counted", false},
};

static const struct ec_fault fault_list = {
	DOCA_ERROR_INVALID_VALUE,
	"more buffers in a list than the device takes; ask doca_ec_cap_get_max_buf_list_len",
	false};
static const struct ec_fault fault_matrix = {
	DOCA_ERROR_INVALID_VALUE,
	"the matrix was destroyed or belongs to another object; set another one before the "
	"submission",
	false};
static const struct ec_fault fault_kind = {
	DOCA_ERROR_INVALID_VALUE,
	"the matrix is not for this kind of task; doca_ec_matrix_create_recover and "
	"doca_ec_matrix_create_update derive others from a coding matrix",
	false};
static const struct ec_fault fault_blocks = {
	DOCA_ERROR_INVALID_VALUE,
	"the source is not one block per column of the matrix, each a multiple of 64 bytes", true};
static const struct ec_fault fault_size = {
	DOCA_ERROR_INVALID_VALUE,
	"a block is larger than the device takes; ask doca_ec_cap_get_max_block_size", true};
static const struct ec_fault fault_room = {
	DOCA_ERROR_INVALID_VALUE,
	"the result does not fit behind the destination's data; doca_buf_reset_data_len makes room "
	"in a used buffer",
	true};

/* The facts about a valid task that its execution needs. */
struct plan {
	size_t block_len;
	size_t src_len, dst_room;
	bool is_simple; /* two single buffers that are mapped in this process */
	bool is_mapped; /* all buffers are mapped in this process */
};

static inline const struct ec_fault *sizes_check(const struct doca_ec *ec,
						 const struct doca_ec_matrix *m, struct plan *plan)
{
	size_t len = plan->src_len / m->n_in;

	plan->block_len = len;
	if (unlikely(len == 0 || len % EC_BLOCK_UNIT != 0 || len * m->n_in != plan->src_len))
		return &fault_blocks;
	if (unlikely(len > ec->max_block_size))
		return &fault_size;
	if (unlikely((uint64_t)len * m->n_out > plan->dst_room))
		return &fault_room;
	return NULL;
}

/* Returns NULL if the task is valid; *plan then says what the task does. */
static inline const struct ec_fault *ec_check(const struct ec_task *t, struct plan *plan)
{
	const struct doca_ec *ec = ec_of(t->task.ctx);
	const struct doca_dev *dev = t->task.ctx->dev;
	const struct doca_ec_matrix *m = t->matrix;
	struct buf_sum src, dst;
	enum buf_fault fault;

	if (unlikely(m == NULL))
		return &fault_matrix;
	if (unlikely(!ec_matrix_suits(m, (enum ec_kind)t->kind)))
		return &fault_kind;
	plan->is_simple = buf_is_simple(t->src, dev, MMAP_FAST_SRC) &&
			  buf_is_simple(t->dst, dev, MMAP_FAST_DST);
	plan->is_mapped = true;
	if (likely(plan->is_simple)) {
		plan->src_len = t->src->data_len;
		plan->dst_room = buf_tail_room(t->dst);
		return sizes_check(ec, m, plan);
	}
	fault = buf_check(t->src, dev, BUF_READ, &src);
	if (unlikely(fault != BUF_VALID))
		return &src_faults[fault];
	fault = buf_check(t->dst, dev, BUF_WRITE, &dst);
	if (unlikely(fault != BUF_VALID))
		return &dst_faults[fault];
	if (unlikely(src.n > ec->max_list_len || dst.n > ec->max_list_len))
		return &fault_list;
	plan->is_mapped = src.mapped && dst.mapped;
	plan->src_len = src.data_len;
	plan->dst_room = dst.room;
	return sizes_check(ec, m, plan);
}

static __attribute__((noinline)) doca_error_t explain(const struct ec_task *t,
						      const struct ec_fault *fault,
						      const struct plan *plan, doca_error_t code)
{
	const char *kind = ec_kind_names[t->kind];

	if (!fault->has_sizes)
		return error_set(code, "ec %s: %s", kind, fault->text);
	return error_set(code,
			 "ec %s: %s (the source has %zu bytes, the destination room for %zu; the "
			 "matrix makes %u blocks of %u)",
			 kind, fault->text, plan->src_len, plan->dst_room, t->matrix->n_out,
			 t->matrix->n_in);
}

/* A valid task's time follows what it reads or what it writes, whichever is longer. */
static struct staging_need need_of(const struct ec_task *t, const struct plan *plan)
{
	size_t dst_len = plan->block_len * t->matrix->n_out;

	return (struct staging_need){.src_len = plan->src_len,
				     .dst_len = dst_len,
				     .work_len = MAX(plan->src_len, dst_len)};
}

doca_error_t ec_validate(const struct doca_task *task)
{
	const struct ec_task *t = (const struct ec_task *)(const void *)task;
	struct plan plan;
	const struct ec_fault *fault = ec_check(t, &plan);
	struct staging_need need;
	const char *excess;

	/* The contract of try_submit has one code for an invalid task. */
	if (fault != NULL)
		return explain(t, fault, &plan, DOCA_ERROR_INVALID_VALUE);
	need = need_of(t, &plan);
	excess = staging_exceeds((const struct staged_task *)(const void *)t, &need);
	return excess == NULL ? DOCA_SUCCESS
			      : error_set(DOCA_ERROR_INVALID_VALUE, "ec %s: %s",
					  ec_kind_names[t->kind], excess);
}

/* --- pieces in memory of other processes --- */

static __attribute__((noinline)) doca_error_t transfer_failed(ssize_t r)
{
	if (r == -ESRCH)
		return error_set(DOCA_ERROR_IO_FAILED,
				 "ec: the process that exported the memory has ended");
	if (r == -EFAULT)
		return error_set(DOCA_ERROR_IO_FAILED, "ec: part of the range is not mapped (any "
						       "more) in the process that owns it");
	if (r == -EPERM)
		return error_set(DOCA_ERROR_NOT_PERMITTED,
				 "ec: the kernel refuses access to the exporter's memory");
	return error_set(DOCA_ERROR_IO_FAILED, "ec: the transfer failed: %s", strerror((int)-r));
}

/* Pieces of one region that are still to be moved. */
struct pieces {
	struct ec_scratch *scratch;
	struct transport_region *region;
	size_t n;
	bool is_write;
};

static void pieces_skip(struct iovec *iov, size_t n)
{
	iov->iov_base = (uint8_t *)iov->iov_base + n;
	iov->iov_len -= n;
}

/* Moves all pieces or returns a negative errno: after a call that stopped early, the next call
 * returns the reason. */
static ssize_t pieces_flush(struct pieces *p)
{
	struct iovec *ours = p->scratch->ours, *theirs = p->scratch->theirs;
	size_t n = p->n;

	while (n > 0) {
		ssize_t r = p->is_write ? p->region->ops->writev(p->region, ours, n, theirs, n)
					: p->region->ops->readv(p->region, ours, n, theirs, n);
		size_t done;

		if (r <= 0)
			return r < 0 ? r : -EIO;
		for (done = (size_t)r; n > 0 && done >= ours->iov_len; n--, ours++, theirs++)
			done -= ours->iov_len;
		if (n > 0) {
			pieces_skip(ours, done);
			pieces_skip(theirs, done);
		}
	}
	p->n = 0;
	return 0;
}

static ssize_t pieces_add(struct pieces *p, struct transport_region *region, uint8_t *ours,
			  uint8_t *theirs, size_t len)
{
	if (p->n == SCRATCH_PIECES || (p->n > 0 && p->region != region)) {
		ssize_t r = pieces_flush(p);

		if (r < 0)
			return r;
	}
	p->region = region;
	p->scratch->ours[p->n] = (struct iovec){.iov_base = ours, .iov_len = len};
	p->scratch->theirs[p->n++] = (struct iovec){.iov_base = theirs, .iov_len = len};
	return 0;
}

/* --- lists --- */

/* One task over lists. The destinations' cursors follow those of the sources. */
struct walk {
	struct ec_scratch *scratch;
	size_t n_in, n;  /* sources; all blocks */
	size_t slot_len; /* scratch memory per block */
};

static bool walk_is_dst(const struct walk *w, size_t i)
{
	return i >= w->n_in;
}

static size_t span_of(const struct doca_buf *buf, bool is_dst)
{
	return is_dst ? buf_tail_room(buf) : buf->data_len;
}

/* Moves a cursor at the end of its buffer to the next one that has bytes. */
static void cursor_settle(struct cursor *cursor, bool is_dst)
{
	while (cursor->at >= span_of(cursor->buf, is_dst)) {
		cursor->at -= span_of(cursor->buf, is_dst);
		cursor->buf = cursor->buf->next;
	}
}

/* Sets the cursors of n blocks to their beginnings. The list was checked to hold them. */
static void cursors_set(struct cursor *cursors, size_t n, size_t block_len,
			const struct doca_buf *list, bool is_dst)
{
	struct cursor pos = {list, 0};

	for (size_t i = 0; i < n; i++, pos.at += block_len) {
		cursor_settle(&pos, is_dst);
		cursors[i] = pos;
	}
}

static uint8_t *cursor_address(const struct cursor *cursor, bool is_dst)
{
	const struct doca_buf *buf = cursor->buf;

	return buf->data + (is_dst ? buf->data_len : 0) + cursor->at + buf->mmap->delta;
}

/* Returns the length of the part that is contiguous in every block, at most `left`. */
static size_t part_len(const struct walk *w, size_t left)
{
	for (size_t i = 0; i < w->n; i++) {
		struct cursor *cursor = &w->scratch->cursors[i];

		cursor_settle(cursor, walk_is_dst(w, i));
		left = MIN(left, span_of(cursor->buf, walk_is_dst(w, i)) - cursor->at);
		if (!cursor->buf->mmap->direct)
			left = MIN(left, w->slot_len);
	}
	return left;
}

/* Sets the addresses of the parts, and reads the sources that are not mapped here. */
static ssize_t parts_read(const struct walk *w, size_t len)
{
	struct pieces p = {.scratch = w->scratch, .is_write = false};

	for (size_t i = 0; i < w->n; i++) {
		const struct cursor *cursor = &w->scratch->cursors[i];
		uint8_t *at = cursor_address(cursor, walk_is_dst(w, i));
		ssize_t r;

		w->scratch->parts[i] = at;
		if (cursor->buf->mmap->direct)
			continue;
		w->scratch->parts[i] = w->scratch->bytes + i * w->slot_len;
		if (walk_is_dst(w, i))
			continue;
		r = pieces_add(&p, &cursor->buf->mmap->region, w->scratch->parts[i], at, len);
		if (r < 0)
			return r;
	}
	return pieces_flush(&p);
}

/* Writes the destinations that are not mapped here, and advances all cursors. */
static ssize_t parts_write(const struct walk *w, size_t len)
{
	struct pieces p = {.scratch = w->scratch, .is_write = true};

	for (size_t i = w->n_in; i < w->n; i++) {
		const struct cursor *cursor = &w->scratch->cursors[i];
		ssize_t r;

		if (cursor->buf->mmap->direct)
			continue;
		r = pieces_add(&p, &cursor->buf->mmap->region, w->scratch->parts[i],
			       cursor_address(cursor, true), len);
		if (r < 0)
			return r;
	}
	for (size_t i = 0; i < w->n; i++)
		w->scratch->cursors[i].at += len;
	return pieces_flush(&p);
}

/* The lengths grow only when the whole result is stored. */
static void lengths_grow(struct doca_buf *dst, size_t len)
{
	for (; len > 0; dst = dst->next) {
		size_t n = MIN(len, buf_tail_room(dst));

		dst->data_len += n;
		len -= n;
	}
}

static __attribute__((noinline)) doca_error_t run_lists(const struct ec_task *t,
							const struct plan *plan)
{
	const struct doca_ec_matrix *m = t->matrix;
	struct ec_scratch *scratch = ec_of(t->task.ctx)->scratch;
	const size_t n = (size_t)m->n_in + m->n_out;
	const struct walk w = {scratch, m->n_in, n,
			       SCRATCH_LEN / n / EC_BLOCK_UNIT * EC_BLOCK_UNIT};
	size_t done = 0;

	cursors_set(scratch->cursors, m->n_in, plan->block_len, t->src, false);
	cursors_set(scratch->cursors + m->n_in, m->n_out, plan->block_len, t->dst, true);
	while (done < plan->block_len) {
		size_t len = part_len(&w, plan->block_len - done);
		ssize_t r = parts_read(&w, len);

		if (r < 0)
			return transfer_failed(r);
		code_apply(len, m->n_in, m->n_out, m->tables, scratch->parts,
			   scratch->parts + m->n_in);
		r = parts_write(&w, len);
		if (r < 0)
			return transfer_failed(r);
		done += len;
	}
	lengths_grow(t->dst, plan->block_len * m->n_out);
	return DOCA_SUCCESS;
}

/* --- single buffers --- */

static inline void run_simple(const struct ec_task *t, const struct plan *plan)
{
	const struct doca_ec_matrix *m = t->matrix;
	uint8_t **parts = ec_of(t->task.ctx)->scratch->parts;
	uint8_t *in = t->src->data + t->src->mmap->delta;
	uint8_t *out = t->dst->data + t->dst->data_len + t->dst->mmap->delta;

	for (size_t i = 0; i < m->n_in; i++)
		parts[i] = in + i * plan->block_len;
	for (size_t i = 0; i < m->n_out; i++)
		parts[m->n_in + i] = out + i * plan->block_len;
	code_apply(plan->block_len, m->n_in, m->n_out, m->tables, parts, parts + m->n_in);
	t->dst->data_len += plan->block_len * m->n_out;
}

/* A queue reports an invalid operation as a failed one. */
static doca_error_t fail(const struct ec_task *t, const struct ec_fault *fault,
			 const struct plan *plan)
{
	return explain(t, fault, plan,
		       fault->code == DOCA_ERROR_INVALID_VALUE ? DOCA_ERROR_IO_FAILED
							       : fault->code);
}

static inline doca_error_t run_checked(const struct ec_task *t, const struct plan *plan)
{
	if (unlikely(!plan->is_simple))
		return run_lists(t, plan);
	run_simple(t, plan);
	return DOCA_SUCCESS;
}

doca_error_t ec_execute(struct doca_task *task)
{
	const struct ec_task *t = (const struct ec_task *)(const void *)task;
	const struct staged_ctx *staged = &ec_of(task->ctx)->staged;
	const struct ec_fault *fault;
	struct plan plan;
	doca_error_t result;

	if (unlikely(staging_is_busy(staged)))
		return staging_hold(task);
	fault = ec_check(t, &plan);
	if (unlikely(fault != NULL))
		return fail(t, fault, &plan);
	if (unlikely(staging_must_hold(staged, (const struct staged_task *)(const void *)t,
				       plan.is_mapped, need_of(t, &plan).work_len)))
		return staging_hold(task);
	result = run_checked(t, &plan);
	if (likely(result == DOCA_SUCCESS))
		ctx_count_bytes(task->ctx, plan.src_len);
	return result;
}

/* --- held tasks --- */

static doca_error_t held_check(struct doca_task *task, struct staging_need *need_out)
{
	const struct ec_task *t = (const struct ec_task *)(const void *)task;
	struct plan plan;
	const struct ec_fault *fault = ec_check(t, &plan);

	if (fault != NULL)
		return fail(t, fault, &plan);
	*need_out = need_of(t, &plan);
	return DOCA_SUCCESS;
}

static doca_error_t held_run(struct doca_task *task)
{
	const struct ec_task *t = (const struct ec_task *)(const void *)task;
	struct plan plan;
	const struct ec_fault *fault = ec_check(t, &plan);

	/* The exporter may have ended meanwhile. */
	return fault != NULL ? fail(t, fault, &plan) : run_checked(t, &plan);
}

const struct staging_ops ec_staging_ops = {.check = held_check, .run = held_run};
