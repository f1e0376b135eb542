/*
 * The edges of RFC 1951: streams that are written bit by bit, of stored blocks of every extreme
 * length, fixed codes, and codes of their own that are minimal, incomplete or too many. Each stream
 * is decoded and compared with zlib, and each of its beginnings must be refused. The decoder is
 * more lenient than zlib: it accepts some codes that the RFC reserves.
 */
#include <stdlib.h>
#include <string.h>

#include <zlib.h>

#include "client/compress/codec.h"
#include "tests/unit/unit.h"

#define MAX_LEN 400000u

static struct codec *codec;
static uint8_t stream[MAX_LEN], output[MAX_LEN], wanted[MAX_LEN];
static size_t n_bits;

static void stream_begin(void)
{
	memset(stream, 0, sizeof(stream));
	n_bits = 0;
}

static void setup(void)
{
	codec = codec_new();
	ck_assert_ptr_nonnull(codec);
	stream_begin();
}

static void teardown(void)
{
	codec_delete(codec);
}

/* --- writing streams --- */

/* Appends bits, the lowest first, as all numbers but codes are written. */
static void put(uint64_t value, unsigned n)
{
	for (unsigned i = 0; i < n; i++, n_bits++)
		stream[n_bits / 8] |= (uint8_t)((value >> i & 1) << n_bits % 8);
}

/* Appends a code, the highest bit first. */
static void put_code(unsigned code, unsigned n)
{
	while (n-- > 0)
		put(code >> n & 1, 1);
}

static void put_head(bool is_final, unsigned type)
{
	put(is_final, 1);
	put(type, 2);
}

static void put_stored(bool is_final, const uint8_t *bytes, size_t n)
{
	put_head(is_final, 0);
	n_bits = (n_bits + 7) / 8 * 8;
	put((unsigned)n, 16);
	put(~(unsigned)n & 0xffff, 16);
	if (n > 0)
		memcpy(stream + n_bits / 8, bytes, n);
	n_bits += n * 8;
}

/* Appends a literal or the symbol of a length, in fixed codes. */
static void put_fixed(unsigned symbol)
{
	if (symbol < 144)
		put_code(0x30 + symbol, 8);
	else if (symbol < 256)
		put_code(0x190 + symbol - 144, 9);
	else if (symbol < 280)
		put_code(symbol - 256, 7);
	else
		put_code(0xc0 + symbol - 280, 8);
}

/* The lengths of the codes of a block with codes of its own. */
struct lengths {
	uint8_t literal[288], distance[32];
	unsigned n_literal, n_distance;
};

/* Appends the head of a block with codes of its own. The lengths 0 to 15 are coded by four bits
 * each, except that 0 has no code if it does not occur. */
static void put_dynamic(const struct lengths *l)
{
	static const uint8_t order[19] = {16, 17, 18, 0, 8,  7, 9,  6, 10, 5,
					  11, 4,  12, 3, 13, 2, 14, 1, 15};

	put_head(true, 2);
	put(l->n_literal - 257, 5);
	put(l->n_distance - 1, 5);
	put(19 - 4, 4);
	for (unsigned i = 0; i < 19; i++)
		put(order[i] < 16 ? 4 : 0, 3);
	for (unsigned i = 0; i < l->n_literal; i++)
		put_code(l->literal[i], 4);
	for (unsigned i = 0; i < l->n_distance; i++)
		put_code(l->distance[i], 4);
}

/* --- comparing --- */

/* Decodes the first n bytes by zlib. Returns whether they are a stream, as long as `wanted`. */
static bool zlib_decode(size_t n, size_t *len_out)
{
	z_stream z = {
		.next_in = stream, .avail_in = (uInt)n, .next_out = wanted, .avail_out = MAX_LEN};
	int result;

	ck_assert_int_eq(inflateInit2(&z, -MAX_WBITS), Z_OK);
	result = inflate(&z, Z_FINISH);
	*len_out = z.total_out;
	inflateEnd(&z);
	return result == Z_STREAM_END;
}

static enum codec_result decode(size_t n, size_t room, size_t *len_out, struct codec_fault *fault)
{
	/* Exactly these bytes, so that a sanitizer detects a read or a write beyond them. */
	uint8_t *in = malloc(n + (n == 0)), *to = malloc(room + (room == 0));
	struct codec_out out = {.bytes = to, .room = room};
	enum codec_result result;

	memcpy(in, stream, n);
	*fault = (struct codec_fault){NULL, 0};
	result = codec_inflate(codec, (struct codec_in){in, n}, &out, fault);
	if (result == CODEC_OK)
		memcpy(output, to, out.n);
	*len_out = out.n;
	free(in);
	free(to);
	return result;
}

/* The stream has this output, in exactly that much room and in more; none of its beginnings is
 * complete, wherever it is cut. */
static void check_valid(const uint8_t *text, size_t n)
{
	size_t len, n_bytes = (n_bits + 7) / 8, step = 1 + n_bytes / 3000;
	struct codec_fault fault;

	ck_assert(zlib_decode(n_bytes, &len));
	ck_assert_uint_eq(len, n);
	ck_assert_int_eq(memcmp(wanted, text, n), 0);
	for (size_t more = 0; more < 2; more++) {
		ck_assert_int_eq(decode(n_bytes, n + more * 100, &len, &fault), CODEC_OK);
		ck_assert_uint_eq(len, n);
		ck_assert_int_eq(memcmp(output, text, n), 0);
	}
	if (n > 0)
		ck_assert_int_eq(decode(n_bytes, n - 1, &len, &fault), CODEC_NO_ROOM);
	for (size_t cut = 0; cut < n_bytes; cut += cut < 64 || n_bytes - cut < 64 ? 1 : step) {
		ck_assert_int_eq(decode(cut, n + 100, &len, &fault), CODEC_CORRUPT);
		ck_assert_uint_le(fault.at, cut);
	}
}

/* The stream is not valid, and the fault says so. */
static void check_corrupt(const char *what)
{
	size_t len, n_bytes = (n_bits + 7) / 8;
	struct codec_fault fault;

	ck_assert(!zlib_decode(n_bytes, &len));
	ck_assert_int_eq(decode(n_bytes, 1000, &len, &fault), CODEC_CORRUPT);
	ck_assert_msg(strstr(fault.what, what) != NULL, "%s", fault.what);
	ck_assert_uint_le(fault.at, n_bytes);
}

/* The stream is not valid, but the decoder may take it for another one. It must do so each time. */
static void check_reserved(const char *what)
{
	size_t len, again_len, n_bytes = (n_bits + 7) / 8;
	struct codec_fault fault;
	enum codec_result result;

	ck_assert(!zlib_decode(n_bytes, &len));
	result = decode(n_bytes, 1000, &len, &fault);
	ck_assert(result == CODEC_OK || strstr(fault.what, what) != NULL);
	ck_assert(result != CODEC_OK || len <= 1000);
	ck_assert_int_eq(decode(n_bytes, 1000, &again_len, &fault), result);
	ck_assert(result != CODEC_OK || again_len == len);
}

/* --- stored blocks --- */

START_TEST(stored_blocks)
{
	static const size_t lens[] = {0, 1, 2, 65534, 65535};
	static uint8_t text[3 * 65535];

	for (size_t i = 0; i < sizeof(text); i++)
		text[i] = (uint8_t)(i * 31 + i / 256);
	for (size_t i = 0; i < ARRAY_LEN(lens); i++) {
		stream_begin();
		put_stored(true, text, lens[i]);
		check_valid(text, lens[i]);
	}
	/* The longest, an empty, a short one and the longest again, then an end without data. */
	stream_begin();
	put_stored(false, text, 65535);
	put_stored(false, NULL, 0);
	put_stored(false, text + 65535, 7);
	put_stored(false, text + 65542, 65535);
	put_stored(true, NULL, 0);
	check_valid(text, 2 * 65535 + 7);
}
END_TEST

/* The bits between the head of a stored block and its lengths may be anything. */
START_TEST(padding_is_ignored)
{
	put_head(true, 0);
	put(31, 5);
	put(1, 16);
	put(0xfffe, 16);
	put('x', 8);
	check_valid((const uint8_t *)"x", 1);
}
END_TEST

START_TEST(wrong_stored_lengths)
{
	put_head(true, 0);
	put(0, 5);
	put(5, 16);
	put(5, 16);
	check_corrupt("stored block lengths");
}
END_TEST

/* --- fixed codes --- */

START_TEST(empty_blocks)
{
	for (unsigned n = 0; n < 40; n++) {
		put_head(false, 1);
		put_fixed(256);
	}
	put_head(true, 1);
	put_fixed(256);
	check_valid((const uint8_t *)"", 0);
}
END_TEST

START_TEST(all_literals)
{
	uint8_t text[256];

	put_head(true, 1);
	for (unsigned i = 0; i < 256; i++) {
		text[i] = (uint8_t)i;
		put_fixed(i);
	}
	put_fixed(256);
	check_valid(text, sizeof(text));
}
END_TEST

/* The longest matches, at the greatest and at the shortest distance. */
START_TEST(extreme_matches)
{
	static uint8_t text[32768 + 2 * 258 + 258];

	for (size_t i = 0; i < 32768; i++)
		text[i] = (uint8_t)(i * 131 + i / 997);
	put_stored(false, text, 32768);
	put_head(true, 1);
	/* Length 258 at distance 32768: symbol 285; distance symbol 29 with all extra bits. */
	put_fixed(285);
	put_code(29, 5);
	put(8191, 13);
	memcpy(text + 32768, text, 258);
	/* Length 257: symbol 284 with the extra bits 30. */
	put_fixed(284);
	put(30, 5);
	put_code(29, 5);
	put(8191, 13);
	memcpy(text + 32768 + 258, text + 258, 257);
	/* Distance 1. */
	put_fixed(285);
	put_code(0, 5);
	memset(text + 32768 + 515, text[32768 + 514], 258);
	put_fixed(256);
	check_valid(text, 32768 + 515 + 258);
}
END_TEST

START_TEST(too_far)
{
	put_stored(false, (const uint8_t *)"abcd", 4);
	put_head(true, 1);
	put_fixed(257);
	put_code(4, 5);
	put(0, 1); /* distance 5 */
	put_fixed(256);
	check_corrupt("too far back");
}
END_TEST

/* The fixed codes have symbols that stand for nothing. */
START_TEST(symbols_without_meaning)
{
	put_head(true, 1);
	put_fixed('x');
	if (_i < 2) {
		put_fixed(286 + (unsigned)_i);
		put(0, 16);
		check_reserved("invalid literal/length code");
	} else {
		put_fixed(257);
		put_code(30 + (unsigned)_i - 2, 5);
		put(0, 16);
		check_corrupt("invalid distance code");
	}
}
END_TEST

START_TEST(reserved_type)
{
	put_head(true, 3);
	put(0, 16);
	check_corrupt("block type");
}
END_TEST

/* --- codes of their own --- */

/* The literals a and b, the length 3 and the end, each by two bits. */
static struct lengths four_symbols(void)
{
	struct lengths l = {.n_literal = 258, .n_distance = 1};

	l.literal['a'] = l.literal['b'] = l.literal[256] = l.literal[257] = 2;
	return l;
}

enum { CODE_A, CODE_B, CODE_END, CODE_3 };

/* A single distance is coded by one bit, as the RFC says. */
START_TEST(one_distance)
{
	struct lengths l = four_symbols();

	l.n_distance = 2;
	l.distance[1] = 1; /* distance 2 */
	put_dynamic(&l);
	put_code(CODE_A, 2);
	put_code(CODE_B, 2);
	put_code(CODE_3, 2);
	put_code(0, 1);
	put_code(CODE_END, 2);
	check_valid((const uint8_t *)"ababa", 5);
}
END_TEST

/* The other value of that bit is no code. */
START_TEST(unused_half_of_one_distance)
{
	struct lengths l = four_symbols();

	l.n_distance = 2;
	l.distance[1] = 1;
	put_dynamic(&l);
	put_code(CODE_A, 2);
	put_code(CODE_B, 2);
	put_code(CODE_3, 2);
	put_code(1, 1);
	put_code(CODE_END, 2);
	check_reserved("invalid distance code");
}
END_TEST

/* A block of literals alone may have no distances: one of no bits. */
START_TEST(no_distance)
{
	struct lengths l = four_symbols();

	put_dynamic(&l);
	put_code(CODE_B, 2);
	put_code(CODE_A, 2);
	put_code(CODE_END, 2);
	check_valid((const uint8_t *)"ba", 2);
}
END_TEST

/* A block whose only symbol is its end. */
START_TEST(only_the_end)
{
	struct lengths l = {.n_literal = 257, .n_distance = 1};

	l.literal[256] = 1;
	put_dynamic(&l);
	put_code(0, 1);
	check_valid((const uint8_t *)"", 0);
}
END_TEST

/* Codes of 15 bits, the longest. */
START_TEST(longest_codes)
{
	struct lengths l = {.n_literal = 257, .n_distance = 1};
	uint8_t text[15];

	for (unsigned i = 0; i < 14; i++)
		l.literal['a' + i] = (uint8_t)(i + 1);
	l.literal['a' + 14] = l.literal[256] = 15;
	put_dynamic(&l);
	for (unsigned i = 0; i < 15; i++) {
		text[i] = (uint8_t)('a' + i);
		put_code((1u << (i + 1)) - 2, i + 1);
	}
	put_code(0x7fff, 15);
	check_valid(text, sizeof(text));
}
END_TEST

/* More than 285 literals and lengths, or more than 30 distances, are described. */
START_TEST(too_many_symbols)
{
	struct lengths l = four_symbols();

	if (_i == 0)
		l.n_literal = 287;
	else
		l.n_distance = 31;
	put_dynamic(&l);
	put_code(CODE_END, 2);
	check_reserved("too many length or distance symbols");
}
END_TEST

/* Lengths that leave codes unused, or need more than there are. */
START_TEST(wrong_sets_of_lengths)
{
	struct lengths l = four_symbols();

	if (_i == 0)
		l.literal['b'] = 3; /* incomplete */
	else if (_i == 1)
		l.literal['c'] = 2; /* too many */
	else if (_i == 2)
		l.n_distance = 3, l.distance[0] = l.distance[1] = 2; /* incomplete */
	else
		l.n_distance = 3, l.distance[0] = l.distance[1] = l.distance[2] = 1;
	put_dynamic(&l);
	put_code(CODE_END, 2);
	put(0, 32);
	check_corrupt(_i < 2 ? "invalid literal/lengths set" : "invalid distances set");
}
END_TEST

/* Without a code for its end, a block does not end. */
START_TEST(no_end)
{
	struct lengths l = {.n_literal = 257, .n_distance = 1};

	l.literal['a'] = l.literal['b'] = 1;
	put_dynamic(&l);
	put(0, 64);
	check_corrupt("missing end-of-block");
}
END_TEST

/* The lengths of the code by which the lengths are coded: of none, one and too many symbols. */
START_TEST(lengths_of_lengths)
{
	static const struct {
		uint8_t n_set, len;
		const char *what;
	} rows[] = {
		{0, 0, "missing end-of-block"},
		{1, 1, "invalid code lengths set"},
		{3, 1, "invalid code lengths set"},
	};

	put_head(true, 2);
	put(0, 5);
	put(0, 5);
	put(19 - 4, 4);
	for (unsigned i = 0; i < 19; i++)
		put(i >= 3 && i < 3u + rows[_i].n_set ? rows[_i].len : 0, 3);
	for (unsigned i = 0; i < 300; i++)
		put(0, 1);
	check_corrupt(rows[_i].what);
}
END_TEST

/* A repetition without a length before it, and one beyond the last length. */
START_TEST(wrong_repetitions)
{
	put_head(true, 2);
	put(0, 5);
	put(0, 5);
	put(19 - 4, 4);
	/* Codes of one bit: 16 has 0 and 18 has 1; or 18 and 17. */
	put(_i == 0 ? 1 : 0, 3);
	put(_i == 0 ? 0 : 1, 3);
	put(1, 3);
	for (unsigned i = 3; i < 19; i++)
		put(0, 3);
	if (_i == 0) {
		put_code(0, 1);
		put(0, 2);
	} else {
		put_code(1, 1);
		put(127, 7); /* 138 zeros */
		put_code(1, 1);
		put(127, 7);
	}
	put(0, 64);
	check_corrupt("invalid bit length repeat");
}
END_TEST

/* --- random streams --- */

/* Streams of every kind of block with one bit changed: the results are those of zlib, except that a
 * decoder may accept what zlib refuses to build codes for. */
START_TEST(changed_bits)
{
	struct lengths l = four_symbols();
	uint64_t state = 88172645463325252ull;
	static uint8_t whole[MAX_LEN];
	size_t n, n_bytes, len, z_len;
	struct codec_fault fault;

	put_stored(false, (const uint8_t *)"some text, stored", 17);
	put_head(false, 1);
	for (const char *at = "some text, fixed"; *at != '\0'; at++)
		put_fixed((uint8_t)*at);
	put_fixed(265);
	put(1, 1);
	put_code(7, 5);
	put(3, 2);
	put_fixed(256);
	l.n_distance = 2;
	l.distance[1] = 1;
	put_dynamic(&l);
	put_code(CODE_A, 2);
	put_code(CODE_B, 2);
	put_code(CODE_3, 2);
	put_code(0, 1);
	put_code(CODE_END, 2);
	n_bytes = (n_bits + 7) / 8;
	memcpy(whole, stream, n_bytes);
	n = UNIT_ALONE(20000);
	for (size_t i = 0; i < n_bits + n; i++) {
		bool is_valid;
		enum codec_result result;

		memcpy(stream, whole, n_bytes);
		for (size_t k = 0; k < (i < n_bits ? 1 : 1 + i % 3); k++) {
			size_t bit = i < n_bits ? i : unit_random(&state) % n_bits;

			stream[bit / 8] ^= (uint8_t)(1u << bit % 8);
		}
		is_valid = zlib_decode(n_bytes, &z_len);
		result = decode(n_bytes, 4000, &len, &fault);
		ck_assert(!is_valid || z_len > 4000 || result == CODEC_OK);
		if (is_valid && result == CODEC_OK) {
			ck_assert_uint_eq(len, z_len);
			ck_assert_int_eq(memcmp(output, wanted, len), 0);
		}
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("client/compress deflate");
	TCase *tcase = unit_case(suite, "deflate", UNIT_TIMEOUT_LONG);

	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_test(tcase, stored_blocks);
	tcase_add_test(tcase, padding_is_ignored);
	tcase_add_test(tcase, wrong_stored_lengths);
	tcase_add_test(tcase, empty_blocks);
	tcase_add_test(tcase, all_literals);
	tcase_add_test(tcase, extreme_matches);
	tcase_add_test(tcase, too_far);
	tcase_add_loop_test(tcase, symbols_without_meaning, 0, 4);
	tcase_add_test(tcase, reserved_type);
	tcase_add_test(tcase, one_distance);
	tcase_add_test(tcase, unused_half_of_one_distance);
	tcase_add_test(tcase, no_distance);
	tcase_add_test(tcase, only_the_end);
	tcase_add_test(tcase, longest_codes);
	tcase_add_loop_test(tcase, too_many_symbols, 0, 2);
	tcase_add_loop_test(tcase, wrong_sets_of_lengths, 0, 4);
	tcase_add_test(tcase, no_end);
	tcase_add_loop_test(tcase, lengths_of_lengths, 0, 3);
	tcase_add_loop_test(tcase, wrong_repetitions, 0, 2);
	tcase_add_test(tcase, changed_bits);
	return unit_run(suite);
}
