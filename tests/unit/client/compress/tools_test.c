/*
 * Compressed data of the commands gzip and lz4, at several levels and with every option that
 * changes the format of blocks, is decoded; and what is encoded is read by gzip. The data are text,
 * noise, zeros and nothing.
 */
#include <string.h>

#include "client/compress/codec.h"
#include "tests/unit/command.h"

#define PLAIN_LEN  200000u
#define PACKED_LEN 300000u

static struct codec *codec;
static uint8_t plain[PLAIN_LEN], packed[PACKED_LEN], output[PACKED_LEN];
static size_t n_plain;

/* The kinds of data. */
enum { TEXT, NOISE, ZEROS, NOTHING, ONE, N_KINDS };

static void setup(void)
{
	codec = codec_new();
	ck_assert_ptr_nonnull(codec);
}

static void teardown(void)
{
	codec_delete(codec);
}

static void plain_fill(int kind)
{
	static const char *const words[] = {"zero ", "one ", "two ", "three ", "four ", "five\n"};
	uint64_t state = 88172645463325252ull;
	size_t at = 0;

	n_plain = kind == NOTHING ? 0 : kind == ONE ? 1 : PLAIN_LEN;
	memset(plain, 0, sizeof(plain));
	while (at < n_plain && kind == TEXT) {
		const char *word = words[unit_random(&state) % ARRAY_LEN(words)];
		size_t len = MIN(strlen(word), n_plain - at);

		memcpy(plain + at, word, len);
		at += len;
	}
	for (; at < n_plain && kind == NOISE; at++)
		plain[at] = (uint8_t)unit_random(&state);
}

static void check_plain(const struct codec_out *out)
{
	ck_assert_uint_eq(out->n, n_plain);
	ck_assert_int_eq(memcmp(out->bytes, plain, n_plain), 0);
}

/* --- gzip --- */

#define GZIP_HEAD 10u /* without a name */
#define GZIP_TAIL 8u

static uint32_t le32_of(const uint8_t *bytes)
{
	return bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 |
	       (uint32_t)bytes[3] << 24;
}

static void le32_put(uint8_t *to, uint32_t value)
{
	for (unsigned i = 0; i < 4; i++)
		to[i] = (uint8_t)(value >> 8 * i);
}

START_TEST(gzip_to_us)
{
	static const int levels[] = {1, 6, 9};

	for (int kind = 0; kind < N_KINDS; kind++) {
		struct codec_out out = {.bytes = output, .room = PLAIN_LEN};
		struct codec_fault fault;
		size_t n;

		plain_fill(kind);
		n = command_run(packed, PACKED_LEN, "gzip -n -%d <%s", levels[_i],
				command_file(plain, n_plain));
		ck_assert_uint_ge(n, GZIP_HEAD + GZIP_TAIL);
		ck_assert_uint_eq(packed[3], 0); /* no optional fields */
		ck_assert_int_eq(codec_inflate(codec,
					       (struct codec_in){packed + GZIP_HEAD,
								 n - GZIP_HEAD - GZIP_TAIL},
					       &out, &fault),
				 CODEC_OK);
		check_plain(&out);
		ck_assert_uint_eq(le32_of(packed + n - GZIP_TAIL), codec_crc32(plain, n_plain));
	}
}
END_TEST

START_TEST(us_to_gzip)
{
	static const uint8_t head[GZIP_HEAD] = {0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255};

	for (int kind = 0; kind < N_KINDS; kind++) {
		struct codec_out out = {.bytes = packed + GZIP_HEAD,
					.room = PACKED_LEN - GZIP_HEAD - GZIP_TAIL};
		size_t n;

		plain_fill(kind);
		memcpy(packed, head, sizeof(head));
		ck_assert_int_eq(codec_deflate(codec, (struct codec_in){plain, n_plain}, &out),
				 CODEC_OK);
		le32_put(out.bytes + out.n, codec_crc32(plain, n_plain));
		le32_put(out.bytes + out.n + 4, (uint32_t)n_plain);
		n = command_run(output, PACKED_LEN, "gzip -dc <%s",
				command_file(packed, GZIP_HEAD + out.n + GZIP_TAIL));
		ck_assert_uint_eq(n, n_plain);
		ck_assert_int_eq(memcmp(output, plain, n), 0);
	}
}
END_TEST

/* --- lz4 --- */

/* Bits of the first byte of a frame's descriptor. */
enum {
	LZ4_HAS_DICTIONARY = 1,
	LZ4_HAS_CONTENT_CHECKSUM = 4,
	LZ4_HAS_CONTENT_SIZE = 8,
	LZ4_HAS_BLOCK_CHECKSUM = 16,
	LZ4_ARE_INDEPENDENT = 32,
};

/* Decodes the blocks of a frame of n bytes. Returns the descriptor's first byte. */
static uint8_t frame_decode(const uint8_t *frame, size_t n, struct codec_out *out)
{
	uint8_t bits = frame[4];
	size_t head = 7 + ((bits & LZ4_HAS_CONTENT_SIZE) != 0 ? 8 : 0);
	size_t tail = 4 + ((bits & LZ4_HAS_CONTENT_CHECKSUM) != 0 ? 4 : 0);
	struct codec_lz4_flags flags = {(bits & LZ4_HAS_BLOCK_CHECKSUM) != 0,
					(bits & LZ4_ARE_INDEPENDENT) != 0};
	struct codec_fault fault = {NULL, 0};
	enum codec_result result;

	ck_assert_uint_ge(n, head + tail);
	ck_assert_uint_eq(le32_of(frame), 0x184d2204);
	ck_assert_uint_eq(bits & LZ4_HAS_DICTIONARY, 0);
	result = codec_lz4_stream((struct codec_in){frame + head, n - head - tail}, flags, out,
				  &fault);
	ck_assert_msg(result == CODEC_OK, "%d: %s at %zu of %zu", (int)result,
		      fault.what == NULL ? "-" : fault.what, fault.at, n);
	if ((bits & LZ4_HAS_CONTENT_CHECKSUM) != 0)
		ck_assert_uint_eq(le32_of(frame + n - 4), codec_xxh32(plain, n_plain));
	return bits;
}

static const struct {
	const char *options;
	uint8_t bits_set, bits_clear;
} lz4_rows[] = {
	{"-1 -B4", LZ4_ARE_INDEPENDENT, LZ4_HAS_BLOCK_CHECKSUM},
	{"-1 -B4 -BD", 0, LZ4_ARE_INDEPENDENT | LZ4_HAS_BLOCK_CHECKSUM},
	{"-1 -B4 -BD -BX", LZ4_HAS_BLOCK_CHECKSUM, LZ4_ARE_INDEPENDENT},
	{"-1 -B7 -BX", LZ4_HAS_BLOCK_CHECKSUM, 0},
	{"-9 -B4 -BD --no-frame-crc", 0, LZ4_HAS_CONTENT_CHECKSUM},
	{"-12 -B5 -BD", 0, 0},
	{"--fast=9 -B4", 0, 0},
};

START_TEST(lz4_to_us)
{
	for (int kind = 0; kind < N_KINDS; kind++) {
		struct codec_out out = {.bytes = output, .room = PLAIN_LEN};
		uint8_t bits;
		size_t n;

		plain_fill(kind);
		n = command_run(packed, PACKED_LEN, "lz4 -q -c %s <%s", lz4_rows[_i].options,
				command_file(plain, n_plain));
		bits = frame_decode(packed, n, &out);
		check_plain(&out);
		ck_assert_uint_eq(bits & lz4_rows[_i].bits_set, lz4_rows[_i].bits_set);
		/* A single block is always independent. */
		if (n_plain == PLAIN_LEN)
			ck_assert_uint_eq(bits & lz4_rows[_i].bits_clear, 0);
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("client/compress tools");
	TCase *tcase = unit_case(suite, "tools", UNIT_TIMEOUT);

	if (!command_exists("gzip") || !command_exists("lz4")) {
		printf("no gzip or no lz4: install the packages of these names\n");
		return 77;
	}
	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_loop_test(tcase, gzip_to_us, 0, 3);
	tcase_add_test(tcase, us_to_gzip);
	tcase_add_loop_test(tcase, lz4_to_us, 0, ARRAY_LEN(lz4_rows));
	return unit_run(suite);
}
