/*
 * compress: tasks that compress and decompress data of one size with depth tasks in flight,
 * compared with the codec's library and the same checksums on the same memory. The library of
 * DEFLATE is the faster one of ISA-L and libdeflate. Memory is hot while it fits the caches. The
 * data is text that DEFLATE compresses to about a third.
 */
#include <string.h>

#include <libdeflate.h>
#include <lz4.h>
#include <xxhash.h>
#ifdef HAVE_ISAL
#include <isa-l/igzip_lib.h>
#endif

#include <doca_compress.h>

#include "bench/base/device.h"
#include "bench/base/measure.h"

/* Total of all sources, which stay in the second-level cache unless one source is larger. */
#define HOT_BYTES (256u << 10)

enum kind { DEFLATE, INFLATE, LZ4 };

#ifdef HAVE_ISAL
/* ISA-L is faster for sources of this length and more. */
#define ISAL_MIN_LEN (16u << 10)

struct isal_state {
	struct isal_zstream stream;
	_Alignas(64) uint8_t level_buf[ISAL_DEF_LVL1_DEFAULT];
};
#endif

struct compress_set {
	enum kind kind;
	size_t size, depth, n_sources, stride, src_len, room;
	uint8_t *plain, *sources, *outputs;
	struct doca_buf **srcs, **dsts; /* depth of each */
	struct doca_task **tasks;       /* depth */
	struct doca_pe *pe;
	uint64_t n_done, n_failed;
	uint32_t checksums; /* keeps the reference's checksums from being optimised away */
	struct libdeflate_compressor *compressor;
	struct libdeflate_decompressor *decompressor;
#ifdef HAVE_ISAL
	struct isal_state *isal;
#endif
};

/* --- tasks --- */

static void on_done(struct doca_task *task, union doca_data ctx_data)
{
	struct compress_set *s = ctx_data.ptr;

	(void)task;
	s->n_done++;
}

static void on_failed(struct doca_task *task)
{
	bench_check(doca_task_get_status(task), "compression task");
}

#define KIND(name)                                                                                 \
	static void name##_done(struct doca_compress_task_##name *task, union doca_data task_data, \
				union doca_data ctx_data)                                          \
	{                                                                                          \
		(void)task_data;                                                                   \
		on_done(doca_compress_task_##name##_as_task(task), ctx_data);                      \
	}                                                                                          \
	static void name##_failed(struct doca_compress_task_##name *task,                          \
				  union doca_data task_data, union doca_data ctx_data)             \
	{                                                                                          \
		(void)task_data, (void)ctx_data;                                                   \
		on_failed(doca_compress_task_##name##_as_task(task));                              \
	}                                                                                          \
	static void name##_conf(struct doca_compress *compress, size_t n)                          \
	{                                                                                          \
		MUST(doca_compress_task_##name##_set_conf(compress, name##_done, name##_failed,    \
							  (uint32_t)n));                           \
	}                                                                                          \
	static void name##_task(struct doca_compress *compress, struct doca_buf *src,              \
				struct doca_buf *dst, struct doca_task **task_out)                 \
	{                                                                                          \
		union doca_data none = {.u64 = 0};                                                 \
		struct doca_compress_task_##name *task;                                            \
                                                                                                   \
		MUST(doca_compress_task_##name##_alloc_init(compress, src, dst, none, &task));     \
		*task_out = doca_compress_task_##name##_as_task(task);                             \
	}

KIND(compress_deflate)
KIND(decompress_deflate)
KIND(decompress_lz4_block)

static void (*const confs[])(struct doca_compress *, size_t) = {
	compress_deflate_conf, decompress_deflate_conf, decompress_lz4_block_conf};
static void (*const makers[])(struct doca_compress *, struct doca_buf *, struct doca_buf *,
			      struct doca_task **) = {
	compress_deflate_task, decompress_deflate_task, decompress_lz4_block_task};

static void compress_run(struct bench *b, uint64_t n)
{
	struct compress_set *s = b->state;
	size_t depth = s->depth, i;
	uint64_t target = s->n_done;

	for (; n > 0; n -= depth) {
		target += depth;
		laps_mark(b->laps);
		for (i = 0; i < depth; i++) {
			doca_buf_reset_data_len(s->dsts[i]);
			s->n_failed += doca_task_submit(s->tasks[i]) != DOCA_SUCCESS;
		}
		while (s->n_done < target)
			doca_pe_progress(s->pe);
	}
	laps_mark(b->laps);
	if (s->n_failed > 0)
		bench_die("compress: %llu tasks failed", (unsigned long long)s->n_failed);
}

/* --- reference --- */

#ifdef HAVE_ISAL
static size_t isal_deflate_raw(struct isal_state *state, const uint8_t *src, size_t n, uint8_t *out,
			       size_t room)
{
	struct isal_zstream *z = &state->stream;

	isal_deflate_stateless_init(z);
	z->level = 1;
	z->level_buf = state->level_buf;
	z->level_buf_size = sizeof(state->level_buf);
	z->end_of_stream = 1;
	z->next_in = (uint8_t *)src;
	z->avail_in = (uint32_t)n;
	z->next_out = out;
	z->avail_out = (uint32_t)room;
	return isal_deflate_stateless(z) == COMP_OK ? z->total_out : 0;
}
#endif

static size_t raw_deflate(const struct compress_set *s, const uint8_t *src, uint8_t *out)
{
#ifdef HAVE_ISAL
	if (s->src_len >= ISAL_MIN_LEN)
		return isal_deflate_raw(s->isal, src, s->src_len, out, s->room);
#endif
	return libdeflate_deflate_compress(s->compressor, src, s->src_len, out, s->room);
}

static size_t raw_one(struct compress_set *s, size_t i)
{
	const uint8_t *src = s->sources + i % s->n_sources * s->stride;
	uint8_t *out = s->outputs + i * s->room;
	size_t len = 0;
	int r;

	switch (s->kind) {
	case DEFLATE:
		len = raw_deflate(s, src, out);
		s->checksums += libdeflate_crc32(0, src, s->src_len) +
				libdeflate_adler32(1, src, s->src_len);
		break;
	case INFLATE:
		if (libdeflate_deflate_decompress(s->decompressor, src, s->src_len, out, s->room,
						  &len) != LIBDEFLATE_SUCCESS)
			return 0;
		s->checksums += libdeflate_crc32(0, out, len) + libdeflate_adler32(1, out, len);
		break;
	case LZ4:
		r = LZ4_decompress_safe((const char *)src, (char *)out, (int)s->src_len,
					(int)s->room);
		len = r > 0 ? (size_t)r : 0;
		s->checksums += libdeflate_crc32(0, out, len) + XXH32(out, len, 0);
		break;
	}
	return len;
}

static void raw_run(struct bench *b, uint64_t n)
{
	struct compress_set *s = b->state;
	size_t depth = s->depth, i;

	for (; n > 0; n -= depth)
		for (i = 0; i < depth; i++)
			if (raw_one(s, i) == 0)
				bench_die("compress: the codec's library failed");
}

/* --- setup --- */

static void text_fill(uint8_t *text, size_t n)
{
	static const char words[] = "the quick brown fox jumps over the lazy dog, then sleeps ";
	uint64_t seed = 1;
	size_t at = 0;

	while (at < n) {
		size_t len;

		seed = seed * 6364136223846793005u + 1442695040888963407u;
		len = MIN(1 + (seed >> 40) % 12, n - at);
		memcpy(text + at, words + (seed >> 33) % (sizeof(words) - 13), len);
		at += len;
	}
}

/* Makes one source, of which all others are copies. */
static void sources_make(struct compress_set *s)
{
	size_t room = s->size + s->size / 4 + 4096, i;

	s->plain = bench_alloc(s->size, 1);
	text_fill(s->plain, s->size);
	s->compressor = libdeflate_alloc_compressor(1);
	s->decompressor = libdeflate_alloc_decompressor();
	if (s->compressor == NULL || s->decompressor == NULL)
		bench_die("compress: out of memory");
#ifdef HAVE_ISAL
	if (posix_memalign((void **)&s->isal, 64, sizeof(*s->isal)) != 0)
		bench_die("compress: out of memory");
#endif
	s->stride = ALIGN_UP(room, (size_t)64);
	s->n_sources = MAX(MIN(s->depth, HOT_BYTES / s->stride), (size_t)1);
	s->room = s->stride;
	s->sources = device_memory_new(TRANSPORT_LOCAL,
				       ALIGN_UP(s->n_sources * s->stride, (size_t)4096));
	s->outputs = device_memory_new(TRANSPORT_LOCAL, ALIGN_UP(s->depth * s->room, (size_t)4096));
	for (i = 0; i < s->n_sources; i++) {
		uint8_t *src = s->sources + i * s->stride;

		if (s->kind == DEFLATE) {
			memcpy(src, s->plain, s->size);
			s->src_len = s->size;
		} else if (s->kind == INFLATE) {
			s->src_len = libdeflate_deflate_compress(s->compressor, s->plain, s->size,
								 src, room);
		} else {
			s->src_len = (size_t)LZ4_compress_default(
				(const char *)s->plain, (char *)src, (int)s->size, (int)room);
		}
	}
}

static void tasks_make(struct compress_set *s, struct doca_dev *dev)
{
	struct doca_buf_inventory *inventory = device_inventory_new(2 * s->depth);
	struct doca_mmap *src_map, *dst_map;
	struct doca_compress *compress;
	size_t i;

	src_map = device_map_new(dev, s->sources, ALIGN_UP(s->n_sources * s->stride, (size_t)4096),
				 DEVICE_RIGHTS);
	dst_map = device_map_new(dev, s->outputs, ALIGN_UP(s->depth * s->room, (size_t)4096),
				 DEVICE_RIGHTS);
	s->srcs = bench_alloc(s->depth, sizeof(struct doca_buf *));
	s->dsts = bench_alloc(s->depth, sizeof(struct doca_buf *));
	s->tasks = bench_alloc(s->depth, sizeof(struct doca_task *));
	MUST(doca_pe_create(&s->pe));
	MUST(doca_compress_create(dev, &compress));
	confs[s->kind](compress, s->depth);
	device_ctx_start(doca_compress_as_ctx(compress), s->pe, s);
	for (i = 0; i < s->depth; i++) {
		const uint8_t *src = s->sources + i % s->n_sources * s->stride;

		s->srcs[i] = device_buf_new(inventory, src_map, (uintptr_t)src, s->src_len, true);
		s->dsts[i] = device_buf_new(inventory, dst_map, (uintptr_t)s->outputs + i * s->room,
					    s->room, false);
		makers[s->kind](compress, s->srcs[i], s->dsts[i], &s->tasks[i]);
	}
}

/* Checks that both methods make the same output. */
static void outputs_verify(struct bench *b)
{
	struct compress_set *s = b->state;
	uint8_t *ours = bench_alloc(s->room, 1);
	size_t len;

	compress_run(b, s->depth);
	memcpy(ours, s->outputs, s->room);
	MUST(doca_buf_get_data_len(s->dsts[0], &len));
	if (raw_one(s, 0) != len || memcmp(ours, s->outputs, len) != 0 ||
	    (s->kind != DEFLATE && (len != s->size || memcmp(ours, s->plain, len) != 0)))
		bench_die("compress: an output differs from the codec's library");
}

static doca_error_t can_all(const struct doca_devinfo *info)
{
	doca_error_t result = doca_compress_cap_task_compress_deflate_is_supported(info);

	if (result == DOCA_SUCCESS)
		result = doca_compress_cap_task_decompress_deflate_is_supported(info);
	if (result == DOCA_SUCCESS)
		result = doca_compress_cap_task_decompress_lz4_block_is_supported(info);
	return result;
}

static const char *compress_setup(struct bench *b)
{
	struct doca_dev *dev = device_open(can_all, "open a device with compression");
	struct compress_set *s = b->state = bench_alloc(1, sizeof(*s));

	s->kind = (enum kind)b->row->kind;
	s->size = b->size;
	s->depth = b->depth;
	sources_make(s);
	tasks_make(s, dev);
	outputs_verify(b);
	return NULL;
}

#define COMPRESS(name, kind_)                                                                 \
	.test = "compress", .variant = name, .transport = "local", .kind = kind_,             \
	.max_size = 64u << 20, .setup = compress_setup,                                       \
	.flags = ROW_BYTES | ROW_SIZES | ROW_DEPTHS | ROW_THREADS | ROW_LAPS | ROW_DEPTH_ONE, \
	.run = compress_run, .reference_run = raw_run

static const struct bench_row rows[] = {
	{COMPRESS("deflate", DEFLATE), .reference = "raw codec",
	 .points = {{4096, 32, 1.08}, {65536, 32, 1.03}, {1u << 20, 8, 1.03}}},
	{COMPRESS("inflate", INFLATE), .reference = "libdeflate",
	 .points = {{4096, 32, 1.08}, {65536, 32, 1.03}, {1u << 20, 8, 1.03}}},
	{COMPRESS("lz4 block", LZ4), .reference = "liblz4",
	 .points = {{4096, 32, 1.08}, {65536, 32, 1.03}, {1u << 20, 8, 1.03}}},
};

BENCH_TABLE(bench_compress, rows);
