/*
 * Codecs: streams of RFC 1951 and of the LZ4 block format at their edges, each cut at every byte
 * and with every byte changed, and random input. The output ends at a page without access, so a
 * write beyond its room ends the test. zlib and liblz4 are the oracles.
 */
#include <lz4.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <zlib.h>

#include "client/compress/codec.h"
#include "tests/unit/unit.h"
#include "util/util.h"

#define MAX_LEN (64u << 10)

static struct codec *codec;
static uint8_t *end; /* of MAX_LEN writable bytes */
static uint8_t plain[MAX_LEN], packed[MAX_LEN], changed[MAX_LEN];
static uint64_t seed;

static unsigned random_below(unsigned n)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return (unsigned)(seed >> 33) % n;
}

static void setup(void)
{
	uint8_t *map = mmap(NULL, 2 * MAX_LEN, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			    -1, 0);

	ck_assert(map != MAP_FAILED);
	end = map + MAX_LEN;
	ck_assert_int_eq(mprotect(end, MAX_LEN, PROT_NONE), 0);
	codec = codec_new();
	ck_assert_ptr_nonnull(codec);
	seed = 1;
	for (size_t i = 0; i < MAX_LEN; i++)
		plain[i] = (uint8_t)(random_below(8) == 0 ? random_below(256) : i / 64);
}

static void teardown(void)
{
	codec_delete(codec);
	munmap(end - MAX_LEN, 2 * MAX_LEN);
}

typedef enum codec_result (*decode_fn)(struct codec_in in, struct codec_out *out,
				       struct codec_fault *fault);

static enum codec_result inflate_in(struct codec_in in, struct codec_out *out,
				    struct codec_fault *fault)
{
	return codec_inflate(codec, in, out, fault);
}

static enum codec_result stream_in(struct codec_in in, struct codec_out *out,
				   struct codec_fault *fault)
{
	return codec_lz4_stream(in, (struct codec_lz4_flags){true, false}, out, fault);
}

static const decode_fn decoders[] = {inflate_in, codec_lz4_block, stream_in};

/* Decodes with the output's room right before the page without access. */
static enum codec_result decode(decode_fn fn, const uint8_t *bytes, size_t n, size_t room,
				struct codec_out *out, struct codec_fault *fault)
{
	enum codec_result result;

	*out = (struct codec_out){.bytes = end - room, .room = room};
	*fault = (struct codec_fault){.what = NULL};
	result = fn((struct codec_in){bytes, n}, out, fault);
	ck_assert(result != CODEC_OK || out->n <= room);
	ck_assert((result == CODEC_CORRUPT) == (fault->what != NULL));
	ck_assert(result != CODEC_CORRUPT || fault->at <= n);
	return result;
}

static void put_le32(uint8_t *to, size_t value)
{
	for (unsigned i = 0; i < 4; i++)
		to[i] = (uint8_t)(value >> 8 * i);
}

/* Encodes n bytes of `plain` for a decoder. Returns the length in `packed`. */
static size_t encode(size_t decoder, size_t n)
{
	z_stream z = {
		.next_in = plain, .avail_in = (uInt)n, .next_out = packed, .avail_out = MAX_LEN};
	int got;

	if (decoder == 0) {
		ck_assert_int_eq(deflateInit2(&z, (int)(n % 10), Z_DEFLATED, -MAX_WBITS, 9,
					      n % 3 == 0 ? Z_FIXED : Z_DEFAULT_STRATEGY),
				 Z_OK);
		ck_assert_int_eq(deflate(&z, Z_FINISH), Z_STREAM_END);
		deflateEnd(&z);
		return z.total_out;
	}
	got = LZ4_compress_default((const char *)plain, (char *)packed + 4 * (decoder == 2), (int)n,
				   MAX_LEN - 8);
	ck_assert_int_gt(got, 0);
	if (decoder == 1)
		return (size_t)got;
	put_le32(packed, (size_t)got);
	put_le32(packed + 4 + got, codec_xxh32(packed + 4, (size_t)got));
	return (size_t)got + 8;
}

START_TEST(round_trips)
{
	struct codec_fault fault;
	struct codec_out out;

	for (size_t n = 0; n < 3000; n = n < 70 ? n + 1 : n + 97) {
		size_t len = encode((size_t)_i, n);

		ck_assert_int_eq(decode(decoders[_i], packed, len, n, &out, &fault), CODEC_OK);
		ck_assert_uint_eq(out.n, n);
		ck_assert_int_eq(memcmp(out.bytes, plain, n), 0);
		if (n > 0)
			ck_assert_int_eq(decode(decoders[_i], packed, len, n - 1, &out, &fault),
					 CODEC_NO_ROOM);
		/* Cut anywhere, it is corrupt: no prefix of it is complete, except that an LZ4
		 * block may end behind any literals. */
		for (size_t k = 0; k < len; k++) {
			enum codec_result result = decode(decoders[_i], packed, k, n, &out, &fault);

			ck_assert_msg(result == CODEC_CORRUPT || _i == 1 || (_i == 2 && k == 0),
				      "%zu of %zu", k, len);
		}
	}
}
END_TEST

START_TEST(deflate_round_trips)
{
	struct codec_fault fault;
	struct codec_out out;
	uint8_t *to = changed;

	for (size_t n = 0; n <= MAX_LEN / 2; n = n < 70 ? n + 1 : n * 2) {
		struct codec_out made = {.bytes = to, .room = MAX_LEN};

		ck_assert_int_eq(codec_deflate(codec, (struct codec_in){plain, n}, &made),
				 CODEC_OK);
		ck_assert_int_eq(decode(inflate_in, to, made.n, n, &out, &fault), CODEC_OK);
		ck_assert_uint_eq(out.n, n);
		ck_assert_int_eq(memcmp(out.bytes, plain, n), 0);
		/* Never writes beyond the room, whatever that is. */
		for (size_t room = 0; room < made.n + CODEC_DEFLATE_SLACK;
		     room += 1 + made.n / 100) {
			struct codec_out less = {.bytes = end - room, .room = room};

			ck_assert(codec_deflate(codec, (struct codec_in){plain, n}, &less) !=
					  CODEC_OK ||
				  less.n == made.n);
		}
		made.room = made.n + CODEC_DEFLATE_SLACK;
		made.bytes = end - made.room;
		ck_assert_int_eq(codec_deflate(codec, (struct codec_in){plain, n}, &made),
				 CODEC_OK);
	}
}
END_TEST

/* Valid data with changed bytes, and random bytes. */
START_TEST(hostile)
{
	struct codec_fault fault;
	struct codec_out out;

	for (unsigned i = 0; i < 20000; i++) {
		size_t n = random_below(2000), len = encode((size_t)_i, n);

		memcpy(changed, packed, len);
		if (i % 4 == 0)
			for (size_t k = 0; k < len; k++)
				changed[k] = (uint8_t)random_below(256);
		else
			for (unsigned k = 0; k <= random_below(3); k++)
				changed[random_below((unsigned)len)] = (uint8_t)random_below(256);
		decode(decoders[_i], changed,
		       random_below(8) == 0 ? random_below((unsigned)len) : len,
		       random_below(2) == 0 ? n : random_below(4000), &out, &fault);
	}
}
END_TEST

/* Much output from little input stops at the room. */
START_TEST(bombs)
{
	struct codec_fault fault;
	struct codec_out out;
	size_t len;

	memset(plain, 0, MAX_LEN);
	len = encode((size_t)_i, MAX_LEN);
	ck_assert_uint_lt(len, MAX_LEN / 100);
	for (size_t room = 0; room < 2000; room += 7)
		ck_assert_int_eq(decode(decoders[_i], packed, len, room, &out, &fault),
				 CODEC_NO_ROOM);
}
END_TEST

static const struct {
	const char *bytes;
	size_t n;
	enum codec_result result;
	const char *text; /* the output, or part of the fault */
	size_t at;
} streams[] = {
	{"\x03\x00", 2, CODEC_OK, "", 0},
	{"\x01\x00\x00\xff\xff", 5, CODEC_OK, "", 0},
	{"\x00\x00\x00\xff\xff\x01\x00\x00\xff\xff", 10, CODEC_OK, "", 0},
	{"\x01\x05\x00\xfa\xffhello", 10, CODEC_OK, "hello", 0},
	{"\xcb\x48\xcd\xc9\xc9\x07\x00", 7, CODEC_OK, "hello", 0},
	/* Bytes behind the final block. */
	{"\xcb\x48\xcd\xc9\xc9\x07\x00garbage", 14, CODEC_OK, "hello", 0},
	{"\x01\x05\x00\xfa\xffhell", 9, CODEC_CORRUPT, "middle of a block", 9},
	{"\x01\x05\x00\xfb\xffhello", 10, CODEC_CORRUPT, "stored block lengths", 5},
	{"\x07", 1, CODEC_CORRUPT, "block type", 1},
	/* A match of length 3 at distance 1 without any data before it. */
	{"\x03\x02\x00", 3, CODEC_CORRUPT, "distance too far back", 2},
};

START_TEST(deflate_edges)
{
	struct codec_fault fault;
	struct codec_out out;

	ck_assert_int_eq(decode(inflate_in, (const uint8_t *)streams[_i].bytes, streams[_i].n, 100,
				&out, &fault),
			 streams[_i].result);
	if (streams[_i].result == CODEC_OK) {
		ck_assert_uint_eq(out.n, strlen(streams[_i].text));
		ck_assert_int_eq(memcmp(out.bytes, streams[_i].text, out.n), 0);
	} else {
		ck_assert_msg(strstr(fault.what, streams[_i].text) != NULL, "%s", fault.what);
		ck_assert_uint_le(fault.at, streams[_i].n);
		ck_assert_uint_ge(fault.at + 1, streams[_i].at);
	}
}
END_TEST

static const struct {
	const char *bytes;
	size_t n;
	enum codec_result result;
	const char *text;
	size_t at;
} blocks[] = {
	{"\x00", 1, CODEC_OK, "", 0},
	{"\x50hello", 6, CODEC_OK, "hello", 0},
	/* A match of 9 at offset 1 between literals. */
	{"\x15"
	 "a\x01\x00\x50hello",
	 10, CODEC_OK, "aaaaaaaaaahello", 0},
	{"", 0, CODEC_CORRUPT, "middle of a sequence", 0},
	{"\x50hell", 5, CODEC_CORRUPT, "middle of a sequence", 0},
	{"\xf0", 1, CODEC_CORRUPT, "middle of a sequence", 0},
	{"\x15"
	 "a\x01",
	 3, CODEC_CORRUPT, "middle of a sequence", 0},
	{"\x15"
	 "a\x02\x00\x50hello",
	 10, CODEC_CORRUPT, "before the output", 2},
};

START_TEST(lz4_edges)
{
	struct codec_fault fault;
	struct codec_out out;

	ck_assert_int_eq(decode(codec_lz4_block, (const uint8_t *)blocks[_i].bytes, blocks[_i].n,
				100, &out, &fault),
			 blocks[_i].result);
	if (blocks[_i].result == CODEC_OK) {
		ck_assert_uint_eq(out.n, strlen(blocks[_i].text));
		ck_assert_int_eq(memcmp(out.bytes, blocks[_i].text, out.n), 0);
	} else {
		ck_assert_msg(strstr(fault.what, blocks[_i].text) != NULL, "%s", fault.what);
		ck_assert_uint_eq(fault.at, blocks[_i].at);
	}
}
END_TEST

/* The checksums' published check values, and those of nothing. */
START_TEST(checksums)
{
	const uint8_t digits[] = "123456789";

	ck_assert_uint_eq(codec_crc32(digits, 9), 0xcbf43926);
	ck_assert_uint_eq(codec_adler32(digits, 9), 0x091e01de);
	ck_assert_uint_eq(codec_xxh32(digits, 9), 0x937bad67);
	ck_assert_uint_eq(codec_crc32(digits, 0), 0);
	ck_assert_uint_eq(codec_adler32(digits, 0), 1);
	ck_assert_uint_eq(codec_xxh32(digits, 0), 0x02cc5d05);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("client/compress codec");
	TCase *tcase = unit_case(suite, "codec", UNIT_TIMEOUT_LONG);

	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_loop_test(tcase, round_trips, 0, ARRAY_LEN(decoders));
	tcase_add_test(tcase, deflate_round_trips);
	tcase_add_loop_test(tcase, hostile, 0, ARRAY_LEN(decoders));
	tcase_add_loop_test(tcase, bombs, 0, ARRAY_LEN(decoders));
	tcase_add_loop_test(tcase, deflate_edges, 0, ARRAY_LEN(streams));
	tcase_add_loop_test(tcase, lz4_edges, 0, ARRAY_LEN(blocks));
	tcase_add_test(tcase, checksums);
	return unit_run(suite);
}
