/*
 * Compression: declarations that its files share. client/compress/compress.c has the object and its
 * start, client/compress/task.c the public functions of tasks, client/compress/run.c their
 * execution, client/compress/caps.c the capabilities, client/compress/codec.h the codecs.
 *
 * A task runs completely while it executes, unless it is held (client/staging/staging.h). Nothing
 * is allocated per task: the states of the codecs and the memory for sources and destinations that
 * are not one mapped buffer are reserved at start. Threads: those of the progress engine; a long
 * task may run on the thread of its context.
 */
#ifndef CLIENT_COMPRESS_COMPRESS_H
#define CLIENT_COMPRESS_COMPRESS_H

#include <doca_compress.h>

#include "client/compress/codec.h"
#include "client/memory/buf.h"
#include "client/staging/staging.h"
#include "util/bounce.h"

/* Kinds of tasks; bit n of a device's capability is kind n, except that the last one has no bit of
 * its own. */
enum compress_kind {
	COMPRESS_DEFLATE = 0,
	DECOMPRESS_DEFLATE = 1,
	DECOMPRESS_LZ4_STREAM = 2,
	DECOMPRESS_LZ4_BLOCK = 3,
	/* The same task with the checksums of DEFLATE, for programs up to 2.8. */
	DECOMPRESS_LZ4 = 4,
	COMPRESS_N_KINDS
};

struct compress_task {
	struct doca_task task;
	const struct doca_buf *src;
	struct doca_buf *dst;
	uint8_t kind; /* enum compress_kind */
	/* True if the execution failed for a reason other than the data. */
	bool has_failed;
	/* For a stream of LZ4 blocks, as the program set them: */
	uint8_t has_block_checksum, are_blocks_independent;
	/* Checksums of the uncompressed data, set when the task has succeeded. */
	uint32_t crc;
	uint32_t adler; /* set by the kinds of DEFLATE and by DECOMPRESS_LZ4 */
	/* Set by the kinds of LZ4 streams and blocks; its first byte in memory is the most
	 * significant one. */
	uint32_t xxh;
};
STAGED_TASK_ASSERT(compress_task);

struct doca_compress {
	union {
		struct doca_ctx ctx;
		struct staged_ctx staged;
	};
	struct task_pool pools[COMPRESS_N_KINDS];
	uint64_t max_buf_size;
	uint32_t max_list_len;
	/* A bitmap of kinds; 0 for an object without a device, which has no tasks. */
	uint32_t kinds;
	/* A task that fails for another reason than its data stops the context. */
	bool stops_on_failure;
	/* From the start to the stop: */
	struct codec *codec;
	/* For data that the codec cannot use in place: sources, results. Longer data than has been
	 * there so far makes them longer. */
	struct bounce in, out;
};

static inline struct doca_compress *compress_of(const struct doca_ctx *ctx)
{
	return container_of(ctx, struct doca_compress, ctx);
}

/* Returns whether a kind is in a bitmap of kinds. */
static inline bool compress_has(uint32_t kinds, enum compress_kind kind)
{
	return (kinds >> (unsigned)kind & 1) != 0;
}

/* Returns the name of a kind of tasks for messages: "compress deflate". */
const char *compress_kind_name(enum compress_kind kind);
/* Creates an object without tasks. Returns NULL if memory is short. dev is NULL for a legacy
 * context, whose work-queue contexts have objects of their own. */
struct doca_compress *compress_new(struct doca_dev *dev);
/* Returns IN_USE with an error sentence unless the context is idle. */
doca_error_t compress_delete(struct doca_compress *compress);

/* Capability queries; for the first, the result code is the answer. */
doca_error_t compress_cap_has(const struct doca_devinfo *devinfo, enum compress_kind kind);
doca_error_t compress_cap_max_buf_size(const struct doca_devinfo *devinfo, enum compress_kind kind,
				       uint64_t *size_out);
doca_error_t compress_cap_max_list_len(const struct doca_devinfo *devinfo, enum compress_kind kind,
				       uint32_t *len_out);
/* The kinds that a device has in this build, as a bitmap. */
uint32_t compress_kinds_of(const struct doca_devinfo *devinfo);

/* Configures the tasks of a kind; the callbacks take a task of the kind. */
doca_error_t compress_set_conf(struct doca_compress *compress, enum compress_kind kind,
			       doca_task_completion_cb_t ok_cb, doca_task_completion_cb_t err_cb,
			       uint32_t n_tasks);

/* Implement the public functions of a kind of tasks. */
doca_error_t compress_task_alloc(struct doca_compress *compress, enum compress_kind kind,
				 const struct doca_buf *src, struct doca_buf *dst,
				 union doca_data user_data, struct compress_task **task_out);
void compress_task_set_src(struct compress_task *task, enum compress_kind kind,
			   const struct doca_buf *src);
void compress_task_set_dst(struct compress_task *task, enum compress_kind kind,
			   struct doca_buf *dst);
doca_error_t compress_max_tasks(struct doca_compress *compress, uint32_t *n_out);

/* The operations of the pools and of held tasks, in client/compress/run.c. */
extern const struct staging_ops compress_staging_ops;
doca_error_t compress_execute(struct doca_task *task);
doca_error_t compress_validate(const struct doca_task *task);

#endif
