/*
 * doca_compress.h: capabilities, configuration, the four kinds of task with each documented code,
 * lists, checksums, corrupt and too long data, graphs, limits of profiles, devices without it, no
 * allocation on the data path. zlib, liblz4 and libxxhash are the oracles.
 */
#include <endian.h>
#include <lz4.h>
#include <string.h>
#include <xxhash.h>
#include <zlib.h>

#include <doca_compress.h>

#define LEN               (128u << 10)
#define ENGINE_MEMORY_LEN (4 * LEN)
#include "tests/conformance/v3/engine.h"
#include "tests/lib/hot.h"
#include "util/util.h"

#define N_TASKS 8u

#define KIND_ROWS(kind, cs)                                                                       \
	{"doca_compress_cap_task_" #kind "_is_supported", "INVALID_VALUE NOT_SUPPORTED"},         \
		{"doca_compress_cap_task_" #kind "_get_max_buf_size",                             \
		 "INVALID_VALUE NOT_SUPPORTED"},                                                  \
		{"doca_compress_cap_task_" #kind "_get_max_buf_list_len",                         \
		 "INVALID_VALUE NOT_SUPPORTED"},                                                  \
		{"doca_compress_task_" #kind "_set_conf",                                         \
		 "INVALID_VALUE BAD_STATE NOT_SUPPORTED"},                                        \
		{"doca_compress_task_" #kind "_alloc_init", "INVALID_VALUE NO_MEMORY BAD_STATE"}, \
		{"doca_compress_task_" #kind "_as_task", ""},                                     \
		{"doca_compress_task_" #kind "_set_src", ""},                                     \
		{"doca_compress_task_" #kind "_get_src", ""},                                     \
		{"doca_compress_task_" #kind "_set_dst", ""},                                     \
		{"doca_compress_task_" #kind "_get_dst", ""},                                     \
		{"doca_compress_task_" #kind "_get_crc_cs", ""},                                  \
	{                                                                                         \
		"doca_compress_task_" #kind "_get_" #cs "_cs", ""                                 \
	}

static const struct documented documented_doca_compress[] = {
	{"doca_compress_create", "INVALID_VALUE NO_MEMORY NOT_SUPPORTED"},
	{"doca_compress_destroy", "INVALID_VALUE IN_USE"},
	{"doca_compress_as_ctx", ""},
	{"doca_compress_cap_get_max_num_tasks", "INVALID_VALUE"},
	KIND_ROWS(compress_deflate, adler),
	KIND_ROWS(decompress_deflate, adler),
	KIND_ROWS(decompress_lz4_stream, xxh),
	KIND_ROWS(decompress_lz4_block, xxh),
	{"doca_compress_task_decompress_lz4_stream_set_has_block_checksum", ""},
	{"doca_compress_task_decompress_lz4_stream_get_has_block_checksum", ""},
	{"doca_compress_task_decompress_lz4_stream_set_are_blocks_independent", ""},
	{"doca_compress_task_decompress_lz4_stream_get_are_blocks_independent", ""},
	{NULL, NULL},
};
static const struct unreachable unreachable[] = {{NULL}};

static struct doca_compress *engine;
static uint8_t *const scratch = memory + 2 * LEN;

/* RETURNS() with the call's macros expanded. */
#define RETURNS_X(code, call) RETURNS(code, call)

#define ALLOC_compress_deflate(c, src, dst, task) \
	doca_compress_task_compress_deflate_alloc_init(c, src, dst, no_data, task)
#define ALLOC_decompress_deflate(c, src, dst, task) \
	doca_compress_task_decompress_deflate_alloc_init(c, src, dst, no_data, task)
#define ALLOC_decompress_lz4_stream(c, src, dst, task) \
	doca_compress_task_decompress_lz4_stream_alloc_init(c, 0, 1, src, dst, no_data, task)
#define ALLOC_decompress_lz4_block(c, src, dst, task) \
	doca_compress_task_decompress_lz4_block_alloc_init(c, src, dst, no_data, task)

/* The callbacks of a kind of task, and the functions that do the same for every kind. */
#define KIND(kind, cs)                                                                            \
	CALLBACKS(kind, doca_compress_task_##kind)                                                \
	static struct doca_task *kind##_new(struct doca_buf *src, struct doca_buf *dst)           \
	{                                                                                         \
		struct doca_compress_task_##kind *task;                                           \
                                                                                                  \
		OK(ALLOC_##kind(engine, src, dst, &task));                                        \
		return doca_compress_task_##kind##_as_task(task);                                 \
	}                                                                                         \
	static void kind##_configure(struct doca_compress *c, uint32_t n)                         \
	{                                                                                         \
		RETURNS(DOCA_SUCCESS,                                                             \
			doca_compress_task_##kind##_set_conf(c, kind##_ok, kind##_failed, n));    \
	}                                                                                         \
	static void kind##_is_absent(const struct doca_devinfo *info)                             \
	{                                                                                         \
		uint64_t size;                                                                    \
		uint32_t n;                                                                       \
                                                                                                  \
		RETURNS(DOCA_ERROR_NOT_SUPPORTED,                                                 \
			doca_compress_cap_task_##kind##_is_supported(info));                      \
		RETURNS(DOCA_ERROR_NOT_SUPPORTED,                                                 \
			doca_compress_cap_task_##kind##_get_max_buf_size(info, &size));           \
		RETURNS(DOCA_ERROR_NOT_SUPPORTED,                                                 \
			doca_compress_cap_task_##kind##_get_max_buf_list_len(info, &n));          \
	}                                                                                         \
	static void kind##_has_limits(const struct doca_devinfo *info, uint64_t size, uint32_t n) \
	{                                                                                         \
		uint64_t got_size;                                                                \
		uint32_t got_n;                                                                   \
                                                                                                  \
		RETURNS(DOCA_SUCCESS, doca_compress_cap_task_##kind##_is_supported(info));        \
		RETURNS(DOCA_SUCCESS,                                                             \
			doca_compress_cap_task_##kind##_get_max_buf_size(info, &got_size));       \
		RETURNS(DOCA_SUCCESS,                                                             \
			doca_compress_cap_task_##kind##_get_max_buf_list_len(info, &got_n));      \
		ck_assert(got_size == size && got_n == n);                                        \
		RETURNS(DOCA_ERROR_INVALID_VALUE,                                                 \
			doca_compress_cap_task_##kind##_is_supported(NULL));                      \
		RETURNS(DOCA_ERROR_INVALID_VALUE,                                                 \
			doca_compress_cap_task_##kind##_get_max_buf_size(NULL, &got_size));       \
		RETURNS(DOCA_ERROR_INVALID_VALUE,                                                 \
			doca_compress_cap_task_##kind##_get_max_buf_size(info, NULL));            \
		RETURNS(DOCA_ERROR_INVALID_VALUE,                                                 \
			doca_compress_cap_task_##kind##_get_max_buf_list_len(NULL, &got_n));      \
		RETURNS(DOCA_ERROR_INVALID_VALUE,                                                 \
			doca_compress_cap_task_##kind##_get_max_buf_list_len(info, NULL));        \
	}                                                                                         \
	/* Configures the kind in an idle object, with every invalid argument first. */           \
	static void kind##_conf_calls(struct doca_compress *c, uint32_t max)                      \
	{                                                                                         \
		struct doca_compress *none = NULL;                                                \
                                                                                                  \
		RETURNS(DOCA_ERROR_INVALID_VALUE,                                                 \
			doca_compress_task_##kind##_set_conf(none, kind##_ok, kind##_failed, 1)); \
		RETURNS(DOCA_ERROR_INVALID_VALUE,                                                 \
			doca_compress_task_##kind##_set_conf(c, NULL, kind##_failed, 1));         \
		RETURNS(DOCA_ERROR_INVALID_VALUE,                                                 \
			doca_compress_task_##kind##_set_conf(c, kind##_ok, NULL, 1));             \
		RETURNS(DOCA_ERROR_INVALID_VALUE,                                                 \
			doca_compress_task_##kind##_set_conf(c, kind##_ok, kind##_failed, 0));    \
		RETURNS(DOCA_ERROR_INVALID_VALUE, doca_compress_task_##kind##_set_conf(           \
							  c, kind##_ok, kind##_failed, max + 1)); \
		kind##_configure(c, 1);                                                           \
	}                                                                                         \
	/* Allocates all tasks of the running object, changes one and runs it. */                 \
	static void kind##_task_calls(struct doca_buf *src, struct doca_buf *dst,                 \
				      struct doca_buf *other, const uint8_t *plain, size_t n)     \
	{                                                                                         \
		struct doca_compress_task_##kind *tasks[N_TASKS], *one, *none = NULL;             \
		struct doca_compress *no_compress = NULL;                                         \
		struct doca_buf *no_buf = NULL;                                                   \
		uint32_t xxh = htobe32(XXH32(plain, n, 0));                                       \
		uint32_t adler = (uint32_t)adler32(1, plain, (uInt)n);                            \
		bool is_lz4 = strcmp(#cs, "xxh") == 0;                                            \
                                                                                                  \
		keeps_tasks = true;                                                               \
		RETURNS_X(DOCA_ERROR_INVALID_VALUE, ALLOC_##kind(no_compress, src, dst, &one));   \
		RETURNS_X(DOCA_ERROR_INVALID_VALUE, ALLOC_##kind(engine, no_buf, dst, &one));     \
		RETURNS_X(DOCA_ERROR_INVALID_VALUE, ALLOC_##kind(engine, src, no_buf, &one));     \
		RETURNS_X(DOCA_ERROR_INVALID_VALUE, ALLOC_##kind(engine, src, dst, NULL));        \
		for (unsigned i = 0; i < N_TASKS; i++)                                            \
			RETURNS_X(DOCA_SUCCESS, ALLOC_##kind(engine, other, other, &tasks[i]));   \
		RETURNS_X(DOCA_ERROR_NO_MEMORY, ALLOC_##kind(engine, src, dst, &one));            \
		one = tasks[0];                                                                   \
		CALLED(doca_compress_task_##kind##_set_src(none, src));                           \
		CALLED(doca_compress_task_##kind##_set_src(one, NULL));                           \
		CALLED(doca_compress_task_##kind##_set_dst(none, dst));                           \
		CALLED(doca_compress_task_##kind##_set_dst(one, NULL));                           \
		ck_assert_ptr_eq(CALLED(doca_compress_task_##kind##_get_src(one)), other);        \
		ck_assert_ptr_eq(CALLED(doca_compress_task_##kind##_get_dst(one)), other);        \
		CALLED(doca_compress_task_##kind##_set_src(one, src));                            \
		CALLED(doca_compress_task_##kind##_set_dst(one, dst));                            \
		ck_assert_ptr_eq(doca_compress_task_##kind##_get_src(one), src);                  \
		ck_assert_ptr_eq(doca_compress_task_##kind##_get_dst(one), dst);                  \
		ck_assert_ptr_null(CALLED(doca_compress_task_##kind##_as_task(none)));            \
		OK(run(doca_compress_task_##kind##_as_task(one)));                                \
		ck_assert_uint_eq(CALLED(doca_compress_task_##kind##_get_crc_cs(one)),            \
				  (uint32_t)crc32(0, plain, (uInt)n));                            \
		ck_assert_uint_eq(CALLED(doca_compress_task_##kind##_get_##cs##_cs(one)),         \
				  is_lz4 ? xxh : adler);                                          \
		for (unsigned i = 0; i < N_TASKS; i++)                                            \
			doca_task_free(doca_compress_task_##kind##_as_task(tasks[i]));            \
		keeps_tasks = false;                                                              \
	}                                                                                         \
	static void kind##_outside_states(struct doca_compress *idle, struct doca_buf *buf)       \
	{                                                                                         \
		struct doca_compress_task_##kind *task;                                           \
                                                                                                  \
		RETURNS_X(DOCA_ERROR_BAD_STATE, ALLOC_##kind(idle, buf, buf, &task));             \
		RETURNS(DOCA_ERROR_BAD_STATE, doca_compress_task_##kind##_set_conf(               \
						      engine, kind##_ok, kind##_failed, 1));      \
	}                                                                                         \
	static void kind##_not_configured(struct doca_compress *c, struct doca_buf *buf)          \
	{                                                                                         \
		struct doca_compress_task_##kind *task;                                           \
                                                                                                  \
		RETURNS_X(DOCA_ERROR_NO_MEMORY, ALLOC_##kind(c, buf, buf, &task));                \
	}                                                                                         \
	static void kind##_refused(struct doca_compress *c)                                       \
	{                                                                                         \
		RETURNS(DOCA_ERROR_NOT_SUPPORTED,                                                 \
			doca_compress_task_##kind##_set_conf(c, kind##_ok, kind##_failed, 1));    \
	}

KIND(compress_deflate, adler)
KIND(decompress_deflate, adler)
KIND(decompress_lz4_stream, xxh)
KIND(decompress_lz4_block, xxh)

static void compress_open(void)
{
	OK(doca_compress_create(dev, &engine));
	ctx = doca_compress_as_ctx(engine);
	OK(doca_pe_connect_ctx(pe, ctx));
}

static void setup(void)
{
	engine_setup(NULL, NULL);
	compress_open();
	compress_deflate_configure(engine, N_TASKS);
	decompress_deflate_configure(engine, N_TASKS);
	decompress_lz4_stream_configure(engine, N_TASKS);
	decompress_lz4_block_configure(engine, N_TASKS);
	EXPECT(DOCA_SUCCESS, doca_ctx_start(ctx));
}

static void setup_bf2(void)
{
	engine_setup("[daemon]\nprofile = bf2\n", NULL);
	compress_open();
	compress_deflate_configure(engine, N_TASKS);
	EXPECT(DOCA_SUCCESS, doca_ctx_start(ctx));
}

static void setup_bf3(void)
{
	engine_setup("[daemon]\nprofile = bf3\n", NULL);
}

static void setup_without(void)
{
	engine_setup(NULL, "[topology]\nside = host\n[device pf0]\npci = 0b:00.0\ncompress = 0\n");
}

static void teardown(void)
{
	if (engine != NULL) {
		EXPECT(DOCA_SUCCESS, doca_ctx_stop(ctx));
		OK(doca_compress_destroy(engine));
	}
	engine_teardown();
}

static struct doca_buf *src_buf(const uint8_t *at, size_t len)
{
	return data_buf((size_t)(at - memory), len);
}

static struct doca_buf *dst_buf(size_t len)
{
	return room_buf(LEN, len);
}

/* Text that compresses to a third or so. */
static void fill_text(uint8_t *text, size_t n)
{
	static const char *const words[] = {"alpha ", "beta ", "gamma ", "delta\n", "epsilon, "};
	uint64_t seed = 5;
	size_t at = 0;

	while (at < n) {
		const char *word;
		size_t len;

		seed = seed * 6364136223846793005u + 1442695040888963407u;
		word = words[seed >> 33 & 3];
		len = MIN(strlen(word), n - at);
		memcpy(text + at, word, len);
		at += len;
		if (at < n)
			text[at++] = (uint8_t)(seed >> 40);
	}
}

/* The oracle's raw DEFLATE stream. Returns its length. */
static size_t oracle_deflate(const uint8_t *plain, size_t n, uint8_t *out, size_t room, int level)
{
	z_stream z = {.next_in = (Bytef *)plain,
		      .avail_in = (uInt)n,
		      .next_out = out,
		      .avail_out = (uInt)room};

	ck_assert_int_eq(deflateInit2(&z, level, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY),
			 Z_OK);
	ck_assert_int_eq(deflate(&z, Z_FINISH), Z_STREAM_END);
	deflateEnd(&z);
	return z.total_out;
}

static size_t oracle_inflate(const uint8_t *in, size_t n, uint8_t *out, size_t room)
{
	z_stream z = {.next_in = (Bytef *)in,
		      .avail_in = (uInt)n,
		      .next_out = out,
		      .avail_out = (uInt)room};

	ck_assert_int_eq(inflateInit2(&z, -MAX_WBITS), Z_OK);
	ck_assert_int_eq(inflate(&z, Z_FINISH), Z_STREAM_END);
	inflateEnd(&z);
	ck_assert_uint_eq(z.avail_in, 0);
	return z.total_out;
}

static void put_le32(uint8_t *to, uint32_t value)
{
	value = htole32(value);
	memcpy(to, &value, sizeof(value));
}

/* The oracle's stream of blocks. Returns its length. */
static size_t oracle_lz4_stream(const uint8_t *plain, size_t n, uint8_t *out, bool has_checksum,
				bool is_independent)
{
	const size_t block_len = 20000;
	LZ4_stream_t state;
	size_t at = 0;

	LZ4_initStream(&state, sizeof(state));
	for (size_t from = 0; from < n; from += block_len) {
		size_t len = MIN(block_len, n - from);
		int got = is_independent
				  ? LZ4_compress_default((const char *)plain + from,
							 (char *)out + at + 4, (int)len, 40000)
				  : LZ4_compress_fast_continue(&state, (const char *)plain + from,
							       (char *)out + at + 4, (int)len,
							       40000, 1);

		ck_assert_int_gt(got, 0);
		/* The third block is stored. */
		if (from == 2 * block_len) {
			memcpy(out + at + 4, plain + from, len);
			got = (int)len;
			put_le32(out + at, (uint32_t)got | 0x80000000u);
		} else {
			put_le32(out + at, (uint32_t)got);
		}
		at += 4 + (size_t)got;
		if (has_checksum) {
			put_le32(out + at, XXH32(out + at - (size_t)got, (size_t)got, 0));
			at += 4;
		}
	}
	return at;
}

START_TEST(test_capabilities)
{
	struct doca_devinfo *info = doca_dev_as_devinfo(dev);
	uint32_t n;

	/* The unlimited profile reports the size of cards, as programs allocate it. */
	compress_deflate_has_limits(info, 2u << 20, 65536);
	decompress_deflate_has_limits(info, 2u << 20, 65536);
	decompress_lz4_stream_has_limits(info, 2u << 20, 65536);
	decompress_lz4_block_has_limits(info, 2u << 20, 65536);
	PASSES(doca_compress_cap_get_max_num_tasks(engine, &n));
	ck_assert_uint_ge(n, 65536);
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_compress_cap_get_max_num_tasks(NULL, &n));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_compress_cap_get_max_num_tasks(engine, NULL));
}
END_TEST

START_TEST(test_configuration)
{
	struct doca_buf *buf = src_buf(memory, 8);
	struct doca_compress *other, *none = NULL;
	struct doca_ctx *other_ctx;
	uint32_t max;

	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_compress_create(NULL, &other));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_compress_create(dev, NULL));
	if (allocount_works)
		RUNS_OUT(0, doca_compress_create(dev, &other));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_compress_destroy(none));
	ck_assert_ptr_null(CALLED(doca_compress_as_ctx(none)));
	PASSES(doca_compress_create(dev, &other));
	other_ctx = CALLED(doca_compress_as_ctx(other));
	OK(doca_compress_cap_get_max_num_tasks(other, &max));
	/* No kind of task is configured. */
	OK(doca_pe_connect_ctx(pe, other_ctx));
	EXPECT(DOCA_ERROR_INITIALIZATION, doca_ctx_start(other_ctx));
	compress_deflate_conf_calls(other, max);
	decompress_deflate_conf_calls(other, max);
	decompress_lz4_stream_conf_calls(other, max);
	decompress_lz4_block_conf_calls(other, max);
	compress_deflate_outside_states(other, buf);
	decompress_deflate_outside_states(other, buf);
	decompress_lz4_stream_outside_states(other, buf);
	decompress_lz4_block_outside_states(other, buf);
	OK(doca_ctx_start(other_ctx));
	RETURNS(DOCA_ERROR_IN_USE, doca_compress_destroy(other));
	OK(doca_ctx_stop(other_ctx));
	/* It can be started again. */
	OK(doca_ctx_start(other_ctx));
	OK(doca_ctx_stop(other_ctx));
	PASSES(doca_compress_destroy(other));
	/* One configured kind is enough; tasks of the others cannot be allocated. */
	OK(doca_compress_create(dev, &other));
	OK(doca_pe_connect_ctx(pe, doca_compress_as_ctx(other)));
	decompress_deflate_configure(other, 1);
	OK(doca_ctx_start(doca_compress_as_ctx(other)));
	compress_deflate_not_configured(other, buf);
	decompress_lz4_stream_not_configured(other, buf);
	decompress_lz4_block_not_configured(other, buf);
	OK(doca_ctx_stop(doca_compress_as_ctx(other)));
	OK(doca_compress_destroy(other));
	OK(doca_compress_create(dev, &other));
	OK(doca_pe_connect_ctx(pe, doca_compress_as_ctx(other)));
	compress_deflate_configure(other, 1);
	OK(doca_ctx_start(doca_compress_as_ctx(other)));
	decompress_deflate_not_configured(other, buf);
	OK(doca_ctx_stop(doca_compress_as_ctx(other)));
	OK(doca_compress_destroy(other));
	use_buf_end(buf);
}
END_TEST

START_TEST(test_compress_tasks)
{
	struct doca_buf *src = src_buf(memory, 100000), *dst = dst_buf(LEN), *other;

	fill_text(memory, LEN);
	other = src_buf(memory, 1);
	OK(doca_buf_set_data(dst, memory + LEN, 7));
	compress_deflate_task_calls(src, dst, other, memory, 100000);
	/* The output is appended. */
	ck_assert_uint_lt(data_len(dst), 60000);
	ck_assert_uint_eq(oracle_inflate(memory + LEN + 7, data_len(dst) - 7, scratch, LEN),
			  100000);
	ck_assert_int_eq(memcmp(scratch, memory, 100000), 0);
	use_buf_end(src);
	use_buf_end(dst);
	use_buf_end(other);
}
END_TEST

START_TEST(test_decompress_tasks)
{
	struct doca_buf *dst = dst_buf(LEN), *src, *other = src_buf(memory, 1);
	size_t n;

	fill_text(scratch, LEN);
	n = oracle_deflate(scratch, LEN, memory, LEN, 9);
	src = src_buf(memory, n);
	decompress_deflate_task_calls(src, dst, other, scratch, LEN);
	ck_assert_uint_eq(data_len(dst), LEN);
	ck_assert_int_eq(memcmp(scratch, memory + LEN, LEN), 0);
	use_buf_end(src);
	use_buf_end(dst);
	use_buf_end(other);
}
END_TEST

START_TEST(test_lz4_block_tasks)
{
	struct doca_buf *dst = dst_buf(LEN), *src, *other = src_buf(memory, 1);
	int n;

	fill_text(scratch, LEN);
	n = LZ4_compress_default((const char *)scratch, (char *)memory, LEN, LEN);
	ck_assert_int_gt(n, 0);
	src = src_buf(memory, (size_t)n);
	decompress_lz4_block_task_calls(src, dst, other, scratch, LEN);
	ck_assert_uint_eq(data_len(dst), LEN);
	ck_assert_int_eq(memcmp(scratch, memory + LEN, LEN), 0);
	use_buf_end(src);
	use_buf_end(dst);
	use_buf_end(other);
}
END_TEST

START_TEST(test_lz4_stream_tasks)
{
	struct doca_compress_task_decompress_lz4_stream *task, *none = NULL;
	struct doca_buf *dst = dst_buf(LEN), *src, *other = src_buf(memory, 1);

	fill_text(scratch, LEN);
	src = src_buf(memory, LEN);
	OK(doca_buf_set_data_len(src, oracle_lz4_stream(scratch, LEN, memory, false, true)));
	decompress_lz4_stream_task_calls(src, dst, other, scratch, LEN);
	ck_assert_int_eq(memcmp(scratch, memory + LEN, LEN), 0);
	keeps_tasks = true;
	OK(ALLOC_decompress_lz4_stream(engine, src, dst, &task));
	CALLED(doca_compress_task_decompress_lz4_stream_set_has_block_checksum(none, 1));
	CALLED(doca_compress_task_decompress_lz4_stream_set_are_blocks_independent(none, 1));
	for (uint8_t i = 0; i < 4; i++) {
		uint8_t has_checksum = i & 1, is_independent = i >> 1;

		OK(doca_buf_set_data(
			src, memory,
			oracle_lz4_stream(scratch, LEN, memory, has_checksum, is_independent)));
		OK(doca_buf_reset_data_len(dst));
		memset(memory + LEN, 0, LEN);
		CALLED(doca_compress_task_decompress_lz4_stream_set_has_block_checksum(
			task, has_checksum));
		CALLED(doca_compress_task_decompress_lz4_stream_set_are_blocks_independent(
			task, is_independent));
		ck_assert_uint_eq(
			CALLED(doca_compress_task_decompress_lz4_stream_get_has_block_checksum(
				task)),
			has_checksum);
		ck_assert_uint_eq(
			CALLED(doca_compress_task_decompress_lz4_stream_get_are_blocks_independent(
				task)),
			is_independent);
		OK(run(doca_compress_task_decompress_lz4_stream_as_task(task)));
		ck_assert_uint_eq(data_len(dst), LEN);
		ck_assert_int_eq(memcmp(scratch, memory + LEN, LEN), 0);
	}
	doca_task_free(doca_compress_task_decompress_lz4_stream_as_task(task));
	use_buf_end(src);
	use_buf_end(dst);
	use_buf_end(other);
}
END_TEST

/* Sources and destinations in many pieces of odd lengths. */
START_TEST(test_lists)
{
	struct doca_buf *src = src_buf(memory, 1), *dst = dst_buf(1), *whole;
	size_t at = 1, n, left;

	fill_text(memory, LEN);
	for (unsigned i = 1; at < 100000; i++) {
		n = MIN(i * 37 % 5000, 100000 - at);
		OK(doca_buf_chain_list(src, src_buf(memory + at, n)));
		at += n;
	}
	for (unsigned i = 1; i < 100; i++) {
		struct doca_buf *piece;

		OK(doca_buf_inventory_buf_get_by_addr(inventory, mmap, memory + LEN + i * 1000,
						      i * 31 % 1000, &piece));
		OK(doca_buf_chain_list(dst, piece));
	}
	EXPECT(DOCA_SUCCESS, run(compress_deflate_new(src, dst)));
	/* Collects the pieces that have data. */
	n = 0;
	for (struct doca_buf *pos = dst; pos != NULL;) {
		void *data;

		OK(doca_buf_get_data(pos, &data));
		memcpy(scratch + n, data, data_len(pos));
		n += data_len(pos);
		OK(doca_buf_get_next_in_list(pos, &pos));
	}
	left = oracle_inflate(scratch, n, scratch + LEN, LEN);
	ck_assert_uint_eq(left, 100000);
	ck_assert_int_eq(memcmp(scratch + LEN, memory, 100000), 0);
	use_buf_end(dst);
	/* And back from a list into one buffer. */
	dst = dst_buf(LEN);
	n = oracle_deflate(memory, LEN, scratch, LEN, 1);
	whole = src_buf(scratch, 100);
	OK(doca_buf_chain_list(whole, src_buf(scratch + 100, n - 100)));
	EXPECT(DOCA_SUCCESS, run(decompress_deflate_new(whole, dst)));
	ck_assert_uint_eq(data_len(dst), LEN);
	ck_assert_int_eq(memcmp(memory, memory + LEN, LEN), 0);
	use_buf_end(whole);
	use_buf_end(src);
	use_buf_end(dst);
}
END_TEST

static void fails_with(struct doca_task *task, const char *text)
{
	enum doca_ctx_states state;

	EXPECT(DOCA_ERROR_IO_FAILED, run(task));
	OK(doca_ctx_get_state(ctx, &state));
	ck_assert_int_eq(state, DOCA_CTX_STATE_RUNNING);
	ck_assert_msg(strstr(dococ_last_error(), text) != NULL, "%s", dococ_last_error());
}

/* A destination of exactly the output's size is enough; with one byte less the task fails, and
 * other tasks go on. */
START_TEST(test_room)
{
	struct doca_buf *src = src_buf(memory, LEN), *dst = dst_buf(LEN), *full = dst_buf(16);
	size_t n;

	fill_text(memory, LEN);
	EXPECT(DOCA_SUCCESS, run(compress_deflate_new(src, dst)));
	n = data_len(dst);
	use_buf_end(dst);
	dst = dst_buf(n);
	EXPECT(DOCA_SUCCESS, run(compress_deflate_new(src, dst)));
	ck_assert_uint_eq(data_len(dst), n);
	use_buf_end(dst);
	dst = dst_buf(n - 1);
	fails_with(compress_deflate_new(src, dst), "longer than the room");
	ck_assert_uint_eq(data_len(dst), 0);
	OK(doca_buf_set_data(full, memory + LEN, 16));
	fails_with(compress_deflate_new(src, full), "room of 0 bytes");
	use_buf_end(dst);
	use_buf_end(full);

	n = oracle_deflate(memory, LEN, scratch, LEN, 6);
	use_buf_end(src);
	src = src_buf(scratch, n);
	dst = dst_buf(LEN - 1);
	fails_with(decompress_deflate_new(src, dst), "longer than the room of 131071 bytes");
	use_buf_end(src);
	n = (size_t)LZ4_compress_default((const char *)memory, (char *)scratch, LEN, LEN);
	src = src_buf(scratch, n);
	fails_with(decompress_lz4_block_new(src, dst), "longer than the room of 131071 bytes");
	use_buf_end(src);
	src = src_buf(scratch, oracle_lz4_stream(memory, LEN, scratch, false, true));
	fails_with(decompress_lz4_stream_new(src, dst), "longer than the room of 131071 bytes");
	ck_assert_uint_eq(data_len(dst), 0);
	use_buf_end(src);
	use_buf_end(dst);
}
END_TEST

/* Corrupt data has another sentence than a destination that is too small. */
START_TEST(test_corrupt)
{
	struct doca_buf *src = src_buf(memory, LEN), *dst = dst_buf(LEN);
	size_t n;

	fill_text(scratch, LEN);
	n = oracle_deflate(scratch, LEN, memory, LEN, 6);
	OK(doca_buf_set_data_len(src, n / 2));
	fails_with(decompress_deflate_new(src, dst), "ends in the middle of a block at byte");
	OK(doca_buf_set_data_len(src, 0));
	fails_with(decompress_deflate_new(src, dst), "ends in the middle of a block at byte 0");
	memory[0] = 7; /* a final block of the reserved type */
	OK(doca_buf_set_data_len(src, n));
	fails_with(decompress_deflate_new(src, dst), "corrupt: invalid block type at byte");
	n = (size_t)LZ4_compress_default((const char *)scratch, (char *)memory, LEN, LEN);
	OK(doca_buf_set_data_len(src, n - 1));
	fails_with(decompress_lz4_block_new(src, dst), "corrupt: the block ends in the middle");
	/* No literals, and a match before the begin of the output. */
	memcpy(memory, "\x00\x01\x00\x00\x00\x00", 6);
	OK(doca_buf_set_data_len(src, 6));
	fails_with(decompress_lz4_block_new(src, dst),
		   "refers to data before the output at byte 1");
	n = oracle_lz4_stream(scratch, LEN, memory, true, true);
	memory[9] ^= 1;
	OK(doca_buf_set_data_len(src, n));
	{
		struct doca_compress_task_decompress_lz4_stream *task;

		OK(doca_compress_task_decompress_lz4_stream_alloc_init(engine, 1, 1, src, dst,
								       no_data, &task));
		fails_with(doca_compress_task_decompress_lz4_stream_as_task(task),
			   "the checksum of the block is wrong at byte 0");
	}
	memset(memory, 0, 4);
	fails_with(decompress_lz4_stream_new(src, dst), "end mark");
	OK(doca_buf_set_data_len(src, 3));
	fails_with(decompress_lz4_stream_new(src, dst), "ends in the size of a block at byte 0");
	ck_assert_uint_eq(data_len(dst), 0);
	use_buf_end(src);
	use_buf_end(dst);
}
END_TEST

/* Invalid buffers: try_submit refuses, and a queued task stops the context. */
START_TEST(test_invalid_buffers)
{
	struct doca_mmap *other = use_mmap(dev, scratch, LEN, DOCA_ACCESS_FLAG_LOCAL_READ_ONLY);
	struct doca_buf *src = src_buf(memory, 10), *dst, *read_only;
	struct doca_task *task;

	OK(doca_buf_inventory_buf_get_by_addr(inventory, other, scratch, LEN, &read_only));
	task = compress_deflate_new(src, read_only);
	EXPECT(DOCA_ERROR_INVALID_VALUE, doca_task_try_submit(task));
	EXPECT(DOCA_ERROR_NOT_PERMITTED, run(task));
	ck_assert_msg(strstr(dococ_last_error(), "no right to write") != NULL, "%s",
		      dococ_last_error());
	/* The destination overlaps the source. */
	OK(doca_buf_inventory_buf_get_by_addr(inventory, mmap, memory + 5, LEN, &dst));
	EXPECT(DOCA_SUCCESS, run(compress_deflate_new(src, dst)));
	use_buf_end(dst);
	use_buf_end(src);
	use_buf_end(read_only);
	use_mmap_end(other);
}
END_TEST

/* Tasks of all kinds, also with lists, allocate no memory and take no lock. */
START_TEST(test_no_allocation)
{
	unsigned n = allocount_works ? 20000 : 500;
	size_t n_deflate, n_block, n_stream;
	uint8_t *deflated = scratch, *block = scratch + 8192, *stream = scratch + 16384;

	fill_text(memory, 4096);
	n_deflate = oracle_deflate(memory, 4096, deflated, 8192, 6);
	n_block = (size_t)LZ4_compress_default((const char *)memory, (char *)block, 4096, 8192);
	n_stream = oracle_lz4_stream(memory, 4096, stream, false, true);
	hot_begin();
	for (unsigned i = 0; i < n; i++) {
		struct doca_buf *src = NULL, *dst = dst_buf(i % 8 < 4 ? 8192 : 100);
		struct doca_task *task = NULL;
		doca_error_t result = DOCA_SUCCESS;

		switch (i % 4) {
		case 0:
			src = src_buf(memory, 4096);
			task = compress_deflate_new(src, dst);
			break;
		case 1:
			src = src_buf(deflated, n_deflate);
			task = decompress_deflate_new(src, dst);
			break;
		case 2:
			src = src_buf(block, n_block);
			task = decompress_lz4_block_new(src, dst);
			break;
		case 3:
			src = src_buf(stream, n_stream);
			task = decompress_lz4_stream_new(src, dst);
			break;
		}
		if (i % 8 >= 4) {
			struct doca_buf *more;

			result |= doca_buf_inventory_buf_get_by_addr(
				inventory, mmap, memory + LEN + 5000, 8192, &more);
			result |= doca_buf_chain_list(dst, more);
		}
		result |= doca_task_submit(task);
		while (doca_pe_progress(pe) == 0)
			continue;
		result |= doca_buf_dec_refcount(src, NULL);
		result |= doca_buf_dec_refcount(dst, NULL);
		if (result != DOCA_SUCCESS)
			ck_abort_msg("task %u: %s", i, dococ_last_error());
	}
	hot_end();
	ck_assert_uint_eq(n_ok, n);
}
END_TEST

/* --- graphs --- */

/* Two nodes: what the first compresses, the second decompresses. */
START_TEST(test_graph)
{
	struct doca_buf *src = src_buf(memory, 50000), *packed = dst_buf(LEN), *back;
	struct doca_graph_node *pack, *unpack;
	struct doca_graph_instance *instance;
	struct doca_task *tasks[2];
	struct doca_graph *graph;

	fill_text(memory, LEN);
	OK(doca_buf_inventory_buf_get_by_addr(inventory, mmap, scratch, LEN, &back));
	OK(doca_graph_create(pe, &graph));
	OK(doca_graph_node_create_from_ctx(graph, ctx, &pack));
	OK(doca_graph_node_create_from_ctx(graph, ctx, &unpack));
	OK(doca_graph_add_dependency(graph, pack, unpack));
	OK(doca_graph_set_conf(graph, instance_ok, instance_failed, 1));
	OK(doca_graph_start(graph));
	OK(doca_graph_instance_create(graph, &instance));
	tasks[0] = compress_deflate_new(src, packed);
	tasks[1] = decompress_deflate_new(packed, back);
	OK(doca_graph_instance_set_ctx_node_data(instance, pack, tasks[0]));
	OK(doca_graph_instance_set_ctx_node_data(instance, unpack, tasks[1]));
	OK(doca_graph_instance_submit(instance));
	instances_await(1);
	ck_assert_uint_eq(n_instances, 1);
	ck_assert_uint_eq(data_len(back), 50000);
	ck_assert_int_eq(memcmp(scratch, memory, 50000), 0);
	OK(doca_graph_instance_destroy(instance));
	OK(doca_graph_stop(graph));
	OK(doca_graph_destroy(graph));
	doca_task_free(tasks[0]);
	doca_task_free(tasks[1]);
	use_buf_end(src);
	use_buf_end(packed);
	use_buf_end(back);
}
END_TEST

/* --- profiles --- */

START_TEST(test_bf2_limits)
{
	struct doca_devinfo *info = doca_dev_as_devinfo(dev);
	struct doca_buf *src = src_buf(memory, 1), *dst = dst_buf(LEN);
	struct doca_compress *other;
	struct doca_task *task;

	compress_deflate_has_limits(info, 128u << 20, 128);
	decompress_deflate_has_limits(info, 128u << 20, 128);
	decompress_lz4_stream_is_absent(info);
	decompress_lz4_block_is_absent(info);
	OK(doca_compress_create(dev, &other));
	decompress_lz4_stream_refused(other);
	decompress_lz4_block_refused(other);
	decompress_deflate_conf_calls(other, 65536);
	OK(doca_compress_destroy(other));
	for (unsigned i = 1; i < 128; i++)
		OK(doca_buf_chain_list(src, src_buf(memory + i, 1)));
	EXPECT(DOCA_SUCCESS, run(compress_deflate_new(src, dst)));
	OK(doca_buf_chain_list(src, src_buf(memory + 128, 1)));
	task = compress_deflate_new(src, dst);
	EXPECT(DOCA_ERROR_INVALID_VALUE, doca_task_try_submit(task));
	EXPECT(DOCA_ERROR_IO_FAILED, run(task));
	use_buf_end(src);
	use_buf_end(dst);
}
END_TEST

/* A BlueField-3 only decompresses. */
START_TEST(test_bf3_limits)
{
	struct doca_devinfo *info = doca_dev_as_devinfo(dev);
	struct doca_compress *other;

	compress_deflate_is_absent(info);
	decompress_deflate_has_limits(info, 2u << 20, 128);
	decompress_lz4_stream_has_limits(info, 2u << 20, 128);
	decompress_lz4_block_has_limits(info, 2u << 20, 128);
	PASSES(doca_compress_create(dev, &other));
	compress_deflate_refused(other);
	OK(doca_compress_destroy(other));
}
END_TEST

START_TEST(test_without)
{
	struct doca_devinfo *info = doca_dev_as_devinfo(dev);
	struct doca_compress *other;

	RETURNS(DOCA_ERROR_NOT_SUPPORTED, doca_compress_create(dev, &other));
	compress_deflate_is_absent(info);
	decompress_deflate_is_absent(info);
	decompress_lz4_stream_is_absent(info);
	decompress_lz4_block_is_absent(info);
}
END_TEST

/* A device that only compresses. */
static void setup_some(void)
{
	engine_setup(NULL, "[topology]\nside = host\n[device pf0]\npci = 0b:00.0\ncompress = 1\n");
}

START_TEST(test_some)
{
	struct doca_compress *other;

	OK(doca_compress_create(dev, &other));
	compress_deflate_configure(other, 1);
	decompress_deflate_refused(other);
	OK(doca_compress_destroy(other));
}
END_TEST

static bool finish(void)
{
	return cover_report("doca_compress", documented_doca_compress, unreachable);
}

static void add_cases(Suite *suite)
{
	TCase *tcase = engine_case(suite, "compress", setup, teardown);

	tcase_add_test(tcase, test_capabilities);
	tcase_add_test(tcase, test_configuration);
	tcase_add_test(tcase, test_compress_tasks);
	tcase_add_test(tcase, test_decompress_tasks);
	tcase_add_test(tcase, test_lz4_block_tasks);
	tcase_add_test(tcase, test_lz4_stream_tasks);
	tcase_add_test(tcase, test_lists);
	tcase_add_test(tcase, test_room);
	tcase_add_test(tcase, test_corrupt);
	tcase_add_test(tcase, test_invalid_buffers);
	tcase_add_test(tcase, test_no_allocation);
	tcase_add_test(tcase, test_graph);
	tcase_add_test(engine_case(suite, "bf2", setup_bf2, teardown), test_bf2_limits);
	tcase_add_test(engine_case(suite, "bf3", setup_bf3, teardown), test_bf3_limits);
	tcase_add_test(engine_case(suite, "without", setup_without, teardown), test_without);
	tcase_add_test(engine_case(suite, "some", setup_some, teardown), test_some);
}

int main(void)
{
	lab_require();
	cover_init();
	return runner_main("doca_compress", add_cases, finish);
}
