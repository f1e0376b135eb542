/*
 * Compressed data from another process: DEFLATE streams, LZ4 blocks and streams of LZ4 blocks. The
 * first byte of an input selects the decoder, the next two the room of the output. A decoder reads
 * and writes only the memory that it is given, which is allocated to the byte for the sanitizers,
 * and gives the same result each time. What it decodes from DEFLATE compresses to the same data.
 */
#include <string.h>

#include "client/compress/codec.h"
#include "tests/fuzz/fuzz.h"

#define HEAD_LEN 3u

static struct codec *codec;

static enum codec_result decode(uint8_t how, struct codec_in in, struct codec_out *out,
				struct codec_fault *fault)
{
	const struct codec_lz4_flags flags = {(how & 4) != 0, (how & 8) != 0};

	switch (how & 3) {
	case 0:
	case 1:
		return codec_inflate(codec, in, out, fault);
	case 2:
		return codec_lz4_block(in, out, fault);
	default:
		return codec_lz4_stream(in, flags, out, fault);
	}
}

static void check_deflate(struct codec_in plain)
{
	struct codec_out packed = {.room = plain.n + plain.n / 8 + 1000}, again;
	struct codec_fault fault;

	packed.bytes = malloc(packed.room);
	again = (struct codec_out){.bytes = malloc(plain.n + 1), .room = plain.n};
	FUZZ_CHECK(packed.bytes != NULL && again.bytes != NULL);
	FUZZ_CHECK(codec_deflate(codec, plain, &packed) == CODEC_OK);
	FUZZ_CHECK(codec_inflate(codec, (struct codec_in){packed.bytes, packed.n}, &again,
				 &fault) == CODEC_OK);
	FUZZ_CHECK(again.n == plain.n && memcmp(again.bytes, plain.bytes, plain.n) == 0);
	free(packed.bytes);
	free(again.bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct codec_out out = {0}, again = {0};
	struct codec_fault fault = {0};
	enum codec_result result;
	struct codec_in in;
	uint8_t *copy;

	if (len < HEAD_LEN)
		return 0;
	if (codec == NULL)
		codec = codec_new();
	FUZZ_CHECK(codec != NULL);
	in.n = len - HEAD_LEN;
	in.bytes = copy = malloc(in.n + (in.n == 0));
	out.room = again.room = data[1] | (size_t)data[2] << 8;
	out.bytes = malloc(out.room + (out.room == 0));
	again.bytes = malloc(out.room + (out.room == 0));
	FUZZ_CHECK(copy != NULL && out.bytes != NULL && again.bytes != NULL);
	memcpy(copy, data + HEAD_LEN, in.n);
	memset(out.bytes, 0, out.room);
	memset(again.bytes, 0, again.room);
	result = decode(data[0], in, &out, &fault);
	FUZZ_CHECK(result != CODEC_CORRUPT || (fault.what != NULL && fault.at <= in.n));
	FUZZ_CHECK(result != CODEC_OK || out.n <= out.room);
	FUZZ_CHECK(decode(data[0], in, &again, &fault) == result);
	FUZZ_CHECK(result != CODEC_OK ||
		   (again.n == out.n && memcmp(again.bytes, out.bytes, out.n) == 0));
	if (result == CODEC_OK && (data[0] & 3) < 2)
		check_deflate((struct codec_in){out.bytes, out.n});
	free(copy);
	free(out.bytes);
	free(again.bytes);
	return 0;
}

static const struct {
	uint8_t how;
	const char *bytes;
	size_t n;
} seeds[] = {
	{0, "\x03\x00", 2},
	{0, "\x01\x05\x00\xfa\xffhello", 10},
	{0, "\xcb\x48\xcd\xc9\xc9\x07\x00", 7},
	{0, "\x4b\x4c\x1c\x05\xa3\x60\x14\x0c\x77\x00\x00", 11},
	{2, "\x50hello", 6},
	{2,
	 "\x1f"
	 "a\x01\x00\xff\x40\x50hello",
	 12},
	{3, "\x06\x00\x00\x00\x50hello\x05\x00\x00\x80world", 19},
	{7,
	 "\x01\x00\x00\x80"
	 "a\x1c\x74\x0d\x55",
	 9},
};

size_t fuzz_seed(unsigned i, uint8_t *out, size_t out_len)
{
	if (i >= sizeof(seeds) / sizeof(seeds[0]) || out_len < HEAD_LEN + seeds[i].n)
		return 0;
	out[0] = seeds[i].how;
	out[1] = 0;
	out[2] = 8;
	memcpy(out + HEAD_LEN, seeds[i].bytes, seeds[i].n);
	return HEAD_LEN + seeds[i].n;
}
