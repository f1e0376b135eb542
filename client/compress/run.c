/*
 * Execution of compression tasks; see client/compress/compress.h: the checks, the codec, storing
 * the output. A codec works in place on a source and on a destination that is one buffer mapped in
 * this process. Anything else is copied through the bounce memory.
 *
 * A source that another process may write is copied, too: codecs require that their input does not
 * change. Threads: those of the progress engine.
 */
#include <endian.h>
#include <errno.h>
#include <string.h>

#include "client/base/error.h"
#include "client/compress/compress.h"
#include "client/memory/buf_check.h"
#include "client/memory/buf_copy.h"

/* --- checks --- */

struct compress_fault {
	doca_error_t code;
	const char *text;
};

static const struct compress_fault src_faults[] = {
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
			  "doca_compress_cap_task_*_get_max_buf_size"},
};

static const struct compress_fault dst_faults[] = {
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

static const struct compress_fault fault_list = {
	DOCA_ERROR_INVALID_VALUE, "more buffers in a list than the device takes; ask "
				  "doca_compress_cap_task_*_get_max_buf_list_len"};

/* Returns NULL if the task is valid; then the sums describe its lists. */
static inline const struct compress_fault *compress_check(const struct compress_task *t,
							  struct buf_sum *src_out,
							  struct buf_sum *dst_out)
{
	const struct doca_compress *compress = compress_of(t->task.ctx);
	const struct doca_dev *dev = t->task.ctx->dev;
	enum buf_fault fault;

	if (likely(buf_is_simple(t->src, dev, MMAP_FAST_SRC) &&
		   buf_is_simple(t->dst, dev, MMAP_FAST_DST)) &&
	    likely(t->src->data_len <= compress->max_buf_size)) {
		*src_out = (struct buf_sum){.data_len = t->src->data_len, .n = 1, .mapped = true};
		*dst_out = (struct buf_sum){.room = buf_tail_room(t->dst), .n = 1, .mapped = true};
		return NULL;
	}
	fault = buf_check(t->src, dev, BUF_READ, src_out);
	if (unlikely(fault != BUF_VALID))
		return &src_faults[fault];
	fault = buf_check(t->dst, dev, BUF_WRITE, dst_out);
	if (unlikely(fault != BUF_VALID))
		return &dst_faults[fault];
	if (unlikely(src_out->data_len > compress->max_buf_size))
		return &src_faults[BUF_OVERFLOW];
	if (unlikely(src_out->n > compress->max_list_len || dst_out->n > compress->max_list_len))
		return &fault_list;
	return NULL;
}

/* Returns NULL, or how the task exceeds what a held task can have. The length of the result is not
 * known. */
static const char *compress_exceeds(const struct compress_task *t, const struct buf_sum *src)
{
	const struct staging_need need = {.src_len = src->data_len};

	return staging_exceeds((const struct staged_task *)(const void *)t, &need);
}

doca_error_t compress_validate(const struct doca_task *task)
{
	const struct compress_task *t = (const struct compress_task *)(const void *)task;
	struct buf_sum src, dst;
	const struct compress_fault *fault = compress_check(t, &src, &dst);
	const char *text = fault != NULL ? fault->text : compress_exceeds(t, &src);

	if (text == NULL)
		return DOCA_SUCCESS;
	/* The contract of try_submit has one code for an invalid task. */
	return error_set(DOCA_ERROR_INVALID_VALUE, "%s: %s",
			 compress_kind_name((enum compress_kind)t->kind), text);
}

/* --- failures --- */

/* Marks a task that fails for another reason than its data. The execution may be on another thread
 * than the context's. */
static __attribute__((noinline)) doca_error_t stop_by(struct compress_task *t, doca_error_t code)
{
	t->has_failed = true;
	return code;
}

/* Called on the context's thread after each task that may be marked. */
static void stop_if_failed(struct doca_task *task)
{
	struct compress_task *t = (struct compress_task *)(void *)task;

	if (t->has_failed && compress_of(task->ctx)->stops_on_failure)
		ctx_fail(task->ctx);
	t->has_failed = false;
}

static void transfer_has_failed(struct doca_task *task)
{
	((struct compress_task *)(void *)task)->has_failed = true;
	stop_if_failed(task);
}

/* A queue reports an invalid operation as a failed one. */
static __attribute__((noinline)) doca_error_t invalid(struct compress_task *t,
						      const struct compress_fault *fault)
{
	return stop_by(t, error_set(fault->code == DOCA_ERROR_INVALID_VALUE ? DOCA_ERROR_IO_FAILED
									    : fault->code,
				    "%s: %s", compress_kind_name((enum compress_kind)t->kind),
				    fault->text));
}

static __attribute__((noinline)) doca_error_t transfer_failed(struct compress_task *t, int r)
{
	const char *name = compress_kind_name((enum compress_kind)t->kind);

	if (r == -ESRCH)
		return stop_by(t, error_set(DOCA_ERROR_IO_FAILED,
					    "%s: the process that exported the memory has ended",
					    name));
	if (r == -EFAULT)
		return stop_by(t, error_set(DOCA_ERROR_IO_FAILED,
					    "%s: part of the range is not mapped (any more) in the "
					    "process that owns it",
					    name));
	if (r == -EPERM)
		return stop_by(t, error_set(DOCA_ERROR_NOT_PERMITTED,
					    "%s: the kernel refuses access to the exporter's "
					    "memory",
					    name));
	return stop_by(t, error_set(DOCA_ERROR_IO_FAILED, "%s: the transfer failed: %s", name,
				    strerror(-r)));
}

static __attribute__((noinline)) doca_error_t no_memory(struct compress_task *t, size_t n)
{
	return stop_by(t,
		       error_set(DOCA_ERROR_IO_FAILED,
				 "%s: no address space for %zu bytes of data that is copied; raise "
				 "RLIMIT_AS, or use a single buffer of this process",
				 compress_kind_name((enum compress_kind)t->kind), n));
}

static __attribute__((noinline)) doca_error_t no_room(const struct compress_task *t, size_t room,
						      bool is_limit)
{
	const char *name = compress_kind_name((enum compress_kind)t->kind);

	if (staging_is_bounce(t->dst) && t->dst->len == room)
		return error_set(
			DOCA_ERROR_IO_FAILED,
			"%s: the output is longer than the room of %zu bytes behind the "
			"destination's data, or than the bounce memory for destinations on "
			"another machine; make room, or set DOCOCORED_BOUNCE_BYTES before "
			"the start",
			name, room);
	if (is_limit)
		return error_set(DOCA_ERROR_IO_FAILED,
				 "%s: the output is longer than the %zu bytes that the device "
				 "allows; ask doca_compress_cap_task_*_get_max_buf_size",
				 name, room);
	return error_set(DOCA_ERROR_IO_FAILED,
			 "%s: the output is longer than the room of %zu bytes behind the "
			 "destination's data; doca_buf_reset_data_len makes room in a used buffer",
			 name, room);
}

static __attribute__((noinline)) doca_error_t corrupt(const struct compress_task *t,
						      const struct codec_fault *fault)
{
	return error_set(DOCA_ERROR_IO_FAILED, "%s: the source is corrupt: %s at byte %zu",
			 compress_kind_name((enum compress_kind)t->kind), fault->what, fault->at);
}

/* --- execution --- */

static bool overlaps(const struct codec_in *in, const struct codec_out *out)
{
	return in->bytes < out->bytes + out->room && out->bytes < in->bytes + in->n;
}

/* Compresses. The codec may need more room than the output has, so the bounce memory is used if it
 * finds too little. */
static enum codec_result deflate(struct doca_compress *compress, struct codec_in in,
				 struct codec_out *out)
{
	size_t room = out->room;

	if (out->bytes != compress->out.bytes) {
		if (likely(codec_deflate(compress->codec, in, out) == CODEC_OK))
			return CODEC_OK;
		/* Without memory, the result is that of the room that there is. */
		if (!bounce_reserve(&compress->out, room + CODEC_DEFLATE_SLACK))
			return CODEC_NO_ROOM;
		out->bytes = compress->out.bytes;
	}
	out->room += CODEC_DEFLATE_SLACK;
	if (codec_deflate(compress->codec, in, out) != CODEC_OK || out->n > room)
		return CODEC_NO_ROOM;
	return CODEC_OK;
}

static enum codec_result run_codec(const struct compress_task *t, struct codec_in in,
				   struct codec_out *out, struct codec_fault *fault)
{
	struct doca_compress *compress = compress_of(t->task.ctx);
	struct codec_lz4_flags flags = {t->has_block_checksum != 0, t->are_blocks_independent != 0};

	switch ((enum compress_kind)t->kind) {
	case COMPRESS_DEFLATE:
		return deflate(compress, in, out);
	case DECOMPRESS_DEFLATE:
		return codec_inflate(compress->codec, in, out, fault);
	case DECOMPRESS_LZ4_STREAM:
		return codec_lz4_stream(in, flags, out, fault);
	case DECOMPRESS_LZ4_BLOCK:
	case DECOMPRESS_LZ4:
	case COMPRESS_N_KINDS:
	default:
		return codec_lz4_block(in, out, fault);
	}
}

/* Computes the checksums that the getters of the task's kind return. */
static void set_checksums(struct compress_task *t, const uint8_t *bytes, size_t n)
{
	t->crc = codec_crc32(bytes, n);
	if (t->kind != DECOMPRESS_LZ4_STREAM && t->kind != DECOMPRESS_LZ4_BLOCK)
		t->adler = codec_adler32(bytes, n);
	else
		/* An LZ4 frame ends with this checksum, the least significant byte first.
		 * Programs reverse these four bytes before they compare them. */
		t->xxh = htobe32(codec_xxh32(bytes, n));
}

static doca_error_t store(struct compress_task *t, const struct codec_out *out)
{
	int r;

	if (likely(out->bytes != compress_of(t->task.ctx)->out.bytes)) {
		t->dst->data_len += out->n;
		return DOCA_SUCCESS;
	}
	r = buf_copy_append(t->dst, out->bytes, out->n);
	return likely(r == 0) ? DOCA_SUCCESS : transfer_failed(t, r);
}

/* Runs the codec and stores its output. */
static doca_error_t run_task(struct compress_task *t, const struct codec_in *in,
			     struct codec_out *out, const struct buf_sum *dst)
{
	const struct doca_compress *compress = compress_of(t->task.ctx);
	struct codec_fault fault = {0};

	switch (run_codec(t, *in, out, &fault)) {
	case CODEC_OK:
		break;
	case CODEC_NO_ROOM:
		return no_room(t, MIN(dst->room, compress->max_buf_size),
			       dst->room > compress->max_buf_size);
	case CODEC_CORRUPT:
	default:
		return corrupt(t, &fault);
	}
	if (t->kind == COMPRESS_DEFLATE)
		set_checksums(t, in->bytes, in->n);
	else
		set_checksums(t, out->bytes, out->n);
	return store(t, out);
}

/* Returns where the codec writes, or NULL if memory is short. */
static uint8_t *output_at(const struct compress_task *t, const struct buf_sum *dst, size_t room)
{
	struct doca_compress *compress = compress_of(t->task.ctx);

	if (likely(dst->mapped && dst->n == 1))
		return t->dst->data + t->dst->data_len + t->dst->mmap->delta;
	return bounce_reserve(&compress->out, room + CODEC_DEFLATE_SLACK) ? compress->out.bytes
									  : NULL;
}

/* Runs a task whose source must be copied. */
static __attribute__((noinline)) doca_error_t run_copied(struct compress_task *t, size_t n,
							 struct codec_out *out,
							 const struct buf_sum *dst)
{
	struct doca_compress *compress = compress_of(t->task.ctx);
	doca_error_t result;
	int r;

	if (!bounce_reserve(&compress->in, n))
		return no_memory(t, n);
	r = buf_copy_from(t->src, compress->in.bytes);
	result = r != 0 ? transfer_failed(t, r)
			: run_task(t, &(struct codec_in){compress->in.bytes, n}, out, dst);
	bounce_trim(&compress->in, n);
	return result;
}

/* Executes a task that was found valid. */
static doca_error_t compress_run_checked(struct compress_task *t, const struct buf_sum *src,
					 const struct buf_sum *dst)
{
	const struct doca_compress *compress = compress_of(t->task.ctx);
	struct codec_in in = {t->src->data + t->src->mmap->delta, src->data_len};
	struct codec_out out = {.room = MIN(dst->room, compress->max_buf_size)};
	doca_error_t result;

	out.bytes = output_at(t, dst, out.room);
	if (unlikely(out.bytes == NULL))
		return no_memory(t, out.room);
	if (unlikely(!src->mapped || src->n != 1 || mmap_may_be_shared(t->src->mmap) ||
		     overlaps(&in, &out)))
		result = run_copied(t, in.n, &out, dst);
	else
		result = run_task(t, &in, &out, dst);
	/* Otherwise a small source that decompresses to a lot would keep that much memory until the
	 * stop. */
	if (out.bytes == compress->out.bytes)
		bounce_trim(&compress->out, result == DOCA_SUCCESS ? out.n : out.room);
	return result;
}

/* The time that a task takes follows the longer side of it. The output of a decompression is at
 * most as long as the room for it. */
static inline size_t work_len(const struct compress_task *t, const struct buf_sum *src,
			      const struct buf_sum *dst)
{
	size_t max = compress_of(t->task.ctx)->max_buf_size;

	return t->kind == COMPRESS_DEFLATE ? src->data_len
					   : MAX(src->data_len, MIN(dst->room, max));
}

doca_error_t compress_execute(struct doca_task *task)
{
	struct compress_task *t = (struct compress_task *)(void *)task;
	const struct staged_ctx *staged = &compress_of(task->ctx)->staged;
	const struct compress_fault *fault;
	struct buf_sum src, dst;
	doca_error_t result;

	if (unlikely(staging_is_busy(staged)))
		return staging_hold(task);
	fault = compress_check(t, &src, &dst);
	if (unlikely(fault != NULL))
		result = invalid(t, fault);
	else if (unlikely(staging_must_hold(staged, (const struct staged_task *)(const void *)t,
					    src.mapped && dst.mapped, work_len(t, &src, &dst))))
		return staging_hold(task);
	else
		result = compress_run_checked(t, &src, &dst);
	if (likely(result == DOCA_SUCCESS))
		ctx_count_bytes(task->ctx, src.data_len);
	else
		stop_if_failed(task);
	return result;
}

/* --- held tasks --- */

static doca_error_t held_check(struct doca_task *task, struct staging_need *need_out)
{
	struct compress_task *t = (struct compress_task *)(void *)task;
	struct buf_sum src, dst;
	const struct compress_fault *fault = compress_check(t, &src, &dst);
	doca_error_t result;

	if (fault != NULL) {
		result = invalid(t, fault);
		stop_if_failed(task);
		return result;
	}
	*need_out = (struct staging_need){.src_len = src.data_len,
					  .work_len = work_len(t, &src, &dst)};
	return DOCA_SUCCESS;
}

static doca_error_t held_run(struct doca_task *task)
{
	struct compress_task *t = (struct compress_task *)(void *)task;
	struct buf_sum src, dst;
	const struct compress_fault *fault = compress_check(t, &src, &dst);

	/* The exporter may have ended meanwhile. */
	return fault != NULL ? invalid(t, fault) : compress_run_checked(t, &src, &dst);
}

const struct staging_ops compress_staging_ops = {
	.check = held_check,
	.run = held_run,
	.on_failed = transfer_has_failed,
	.on_run = stop_if_failed,
};
