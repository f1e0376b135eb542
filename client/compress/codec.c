/* Codecs; see client/compress/codec.h. */
#include "client/compress/codec.h"

#ifdef HAVE_COMPRESS
#include <endian.h>
#include <stdlib.h>
#include <string.h>

#include <libdeflate.h>
#include <lz4.h>
#include <xxhash.h>
#include <zlib.h>
#ifdef HAVE_ISAL
#include <isa-l/igzip_lib.h>
#endif

#include "util/util.h"

/* The fastest level: the engines of cards also compress for throughput rather than for size. */
#define LEVEL 1

/* More than zlib's inflate allocates: its state and a window of 32 KiB. */
#define ARENA_LEN (128u << 10)

/* LZ4 blocks refer back at most this far. */
#define LZ4_REACH (64u << 10)

/* From this length on ISA-L compresses faster than libdeflate: 64 KiB of text in about half the
 * time, into a stream that is 2 to 9 % longer. */
#define ISAL_MIN_LEN (16u << 10)

struct codec {
#ifdef HAVE_ISAL
	struct isal_zstream stream;
	_Alignas(64) uint8_t level_buf[ISAL_DEF_LVL1_DEFAULT];
#endif
	struct libdeflate_compressor *compressor;
	struct libdeflate_decompressor *decompressor;
	/* Finds out where a corrupt stream breaks, which libdeflate does not say. */
	z_stream finder;
	size_t arena_used;
	_Alignas(64) uint8_t arena[ARENA_LEN];
};

bool codec_is_built(void)
{
	return true;
}

static voidpf arena_alloc(voidpf opaque, uInt n, uInt size)
{
	struct codec *codec = opaque;
	size_t len;
	void *result;

	if (__builtin_mul_overflow((size_t)n, (size_t)size, &len) ||
	    len > sizeof(codec->arena) - codec->arena_used)
		return NULL;
	result = codec->arena + codec->arena_used;
	codec->arena_used = MIN(sizeof(codec->arena),
				codec->arena_used + ALIGN_UP(len, (size_t)64));
	return result;
}

static void arena_free(voidpf opaque, voidpf address)
{
	(void)opaque;
	(void)address;
}

struct codec *codec_new(void)
{
	struct codec *codec;

	if (posix_memalign((void **)&codec, 64, sizeof(*codec)) != 0)
		return NULL;
	memset(codec, 0, sizeof(*codec));
	codec->finder.zalloc = arena_alloc;
	codec->finder.zfree = arena_free;
	codec->finder.opaque = codec;
	codec->compressor = libdeflate_alloc_compressor(LEVEL);
	codec->decompressor = libdeflate_alloc_decompressor();
	if (codec->compressor == NULL || codec->decompressor == NULL ||
	    inflateInit2(&codec->finder, -MAX_WBITS) != Z_OK) {
		codec_delete(codec);
		return NULL;
	}
	return codec;
}

void codec_delete(struct codec *codec)
{
	if (codec == NULL)
		return;
	libdeflate_free_compressor(codec->compressor);
	libdeflate_free_decompressor(codec->decompressor);
	/* The arena contains all that zlib allocated. */
	free(codec);
}

static enum codec_result corrupt(struct codec_fault *fault_out, size_t at, const char *what)
{
	*fault_out = (struct codec_fault){what, at};
	return CODEC_CORRUPT;
}

/* --- DEFLATE --- */

#ifdef HAVE_ISAL
static enum codec_result isal_compress(struct codec *codec, struct codec_in in,
				       struct codec_out *out)
{
	struct isal_zstream *z = &codec->stream;

	isal_deflate_stateless_init(z);
	z->level = LEVEL;
	z->level_buf = codec->level_buf;
	z->level_buf_size = sizeof(codec->level_buf);
	z->end_of_stream = 1;
	/* The cast is safe: ISA-L only reads the input. */
	z->next_in = (uint8_t *)in.bytes;
	z->avail_in = (uint32_t)in.n;
	z->next_out = out->bytes;
	z->avail_out = (uint32_t)MIN(out->room, (size_t)UINT32_MAX);
	if (isal_deflate_stateless(z) != COMP_OK)
		return CODEC_NO_ROOM;
	out->n = z->total_out;
	return CODEC_OK;
}
#endif

/* The length of the input alone decides which library is used, so that the stream does not depend
 * on the room. */
enum codec_result codec_deflate(struct codec *codec, struct codec_in in, struct codec_out *out)
{
#ifdef HAVE_ISAL
	if (in.n >= ISAL_MIN_LEN)
		return isal_compress(codec, in, out);
#endif
	out->n = libdeflate_deflate_compress(codec->compressor, in.bytes, in.n, out->bytes,
					     out->room);
	return out->n != 0 ? CODEC_OK : CODEC_NO_ROOM;
}

/* Decodes a second time what libdeflate could not decode, to find out whether and where the stream
 * is corrupt. libdeflate reads zeros behind the end of the input, so it may report too little room
 * for a stream that is cut off.
 */
static enum codec_result inflate_find(struct codec *codec, struct codec_in in,
				      struct codec_out *out, struct codec_fault *fault_out)
{
	z_stream *z = &codec->finder;
	Bytef beyond;
	int result;

	inflateReset(z);
	z->next_in = (Bytef *)in.bytes;
	z->avail_in = (uInt)in.n;
	z->next_out = out->bytes;
	z->avail_out = (uInt)out->room;
	result = inflate(z, Z_FINISH);
	if (z->avail_out == 0 && (result == Z_BUF_ERROR || result == Z_OK)) {
		z->next_out = &beyond;
		z->avail_out = 1;
		result = inflate(z, Z_FINISH);
		if (z->avail_out == 0)
			return CODEC_NO_ROOM;
	}
	if (result == Z_STREAM_END) {
		out->n = z->total_out;
		return CODEC_OK;
	}
	return corrupt(fault_out, z->total_in,
		       result == Z_DATA_ERROR && z->msg != NULL
			       ? z->msg
			       : "the stream ends in the middle of a block");
}

enum codec_result codec_inflate(struct codec *codec, struct codec_in in, struct codec_out *out,
				struct codec_fault *fault_out)
{
	if (likely(libdeflate_deflate_decompress(codec->decompressor, in.bytes, in.n, out->bytes,
						 out->room, &out->n) == LIBDEFLATE_SUCCESS))
		return CODEC_OK;
	return inflate_find(codec, in, out, fault_out);
}

/* --- LZ4 --- */

/* Adds the bytes that extend a length of 15. Returns false if the block ends among them. */
static bool lz4_extend(struct codec_in in, size_t *at, size_t *len)
{
	uint8_t byte;

	do {
		if (*at == in.n)
			return false;
		byte = in.bytes[(*at)++];
		*len += byte;
	} while (byte == 255);
	return true;
}

/* Finds out why a block could not be decoded: whether its output is longer than `room`, or where it
 * breaks. It may refer to `reach` bytes before its output. */
static enum codec_result lz4_find(struct codec_in in, size_t room, size_t reach,
				  struct codec_fault *fault_out)
{
	static const char cut[] = "the block ends in the middle of a sequence";
	size_t at = 0, n = 0;

	while (at < in.n) {
		size_t begin = at;
		uint8_t token = in.bytes[at++];
		size_t literals = token >> 4, match = token & 15, offset;

		if (literals == 15 && !lz4_extend(in, &at, &literals))
			return corrupt(fault_out, begin, cut);
		if (literals > in.n - at)
			return corrupt(fault_out, begin, cut);
		at += literals;
		n += literals;
		if (n > room)
			return CODEC_NO_ROOM;
		if (at == in.n)
			return corrupt(fault_out, begin,
				       "the last literals of the block are fewer than 5");
		if (in.n - at < 2)
			return corrupt(fault_out, begin, cut);
		offset = in.bytes[at] | (size_t)in.bytes[at + 1] << 8;
		if (offset == 0 || offset > n + reach)
			return corrupt(fault_out, at, "a match refers to data before the output");
		at += 2;
		if (match == 15 && !lz4_extend(in, &at, &match))
			return corrupt(fault_out, begin, cut);
		n += match + 4;
		if (n > room)
			return CODEC_NO_ROOM;
	}
	return corrupt(fault_out, in.n, cut);
}

/* Appends a block to the first `done` bytes of the output, which it may refer to up to `reach`. */
static enum codec_result lz4_append(struct codec_in in, struct codec_out *out, size_t done,
				    size_t reach, struct codec_fault *fault_out)
{
	char *to = (char *)out->bytes + done;
	int r = LZ4_decompress_safe_usingDict((const char *)in.bytes, to, (int)in.n,
					      (int)(out->room - done), to - reach, (int)reach);

	if (unlikely(r < 0))
		return lz4_find(in, out->room - done, reach, fault_out);
	out->n = done + (size_t)r;
	return CODEC_OK;
}

enum codec_result codec_lz4_block(struct codec_in in, struct codec_out *out,
				  struct codec_fault *fault_out)
{
	return lz4_append(in, out, 0, 0, fault_out);
}

static uint32_t le32(const uint8_t *bytes)
{
	uint32_t value;

	memcpy(&value, bytes, sizeof(value));
	return le32toh(value);
}

static enum codec_result stored_append(struct codec_in in, struct codec_out *out, size_t done)
{
	if (in.n > out->room - done)
		return CODEC_NO_ROOM;
	memcpy(out->bytes + done, in.bytes, in.n);
	out->n = done + in.n;
	return CODEC_OK;
}

/* The highest bit of a block's size word. */
#define LZ4_IS_STORED 0x80000000u

enum codec_result codec_lz4_stream(struct codec_in in, struct codec_lz4_flags flags,
				   struct codec_out *out, struct codec_fault *fault_out)
{
	size_t checksum_len = flags.has_block_checksum ? 4 : 0;
	size_t at = 0;

	out->n = 0;
	while (at < in.n) {
		size_t done = out->n, left = in.n - at, len;
		struct codec_in block;
		enum codec_result result;
		uint32_t word;

		if (left < 4)
			return corrupt(fault_out, at, "the stream ends in the size of a block");
		word = le32(in.bytes + at);
		len = word & ~LZ4_IS_STORED;
		if (word == 0)
			return corrupt(fault_out, at,
				       "a block has no size; pass the blocks without the frame's "
				       "header, end mark and content checksum");
		if (len > left - 4 || checksum_len > left - 4 - len)
			return corrupt(fault_out, at, "the stream ends in the middle of a block");
		block = (struct codec_in){in.bytes + at + 4, len};
		if (checksum_len != 0 && XXH32(block.bytes, len, 0) != le32(block.bytes + len))
			return corrupt(fault_out, at, "the checksum of the block is wrong");
		if ((word & LZ4_IS_STORED) != 0)
			result = stored_append(block, out, done);
		else
			result = lz4_append(
				block, out, done,
				flags.are_blocks_independent ? 0 : MIN(done, (size_t)LZ4_REACH),
				fault_out);
		if (result == CODEC_CORRUPT)
			fault_out->at += at + 4;
		if (result != CODEC_OK)
			return result;
		at += 4 + len + checksum_len;
	}
	return CODEC_OK;
}

/* --- checksums --- */

uint32_t codec_crc32(const uint8_t *bytes, size_t n)
{
	return libdeflate_crc32(0, bytes, n);
}

uint32_t codec_adler32(const uint8_t *bytes, size_t n)
{
	return libdeflate_adler32(1, bytes, n);
}

uint32_t codec_xxh32(const uint8_t *bytes, size_t n)
{
	return XXH32(bytes, n, 0);
}

#else /* HAVE_COMPRESS */

bool codec_is_built(void)
{
	return false;
}

struct codec *codec_new(void)
{
	return NULL;
}

void codec_delete(struct codec *codec)
{
	(void)codec;
}

/* No context starts without a codec, so the other functions are not called. */

static enum codec_result absent(struct codec_fault *fault_out)
{
	*fault_out = (struct codec_fault){"the library was built without codecs", 0};
	return CODEC_CORRUPT;
}

enum codec_result codec_deflate(struct codec *codec, struct codec_in in, struct codec_out *out)
{
	(void)codec, (void)in, (void)out;
	return CODEC_NO_ROOM;
}

enum codec_result codec_inflate(struct codec *codec, struct codec_in in, struct codec_out *out,
				struct codec_fault *fault_out)
{
	(void)codec, (void)in, (void)out;
	return absent(fault_out);
}

enum codec_result codec_lz4_block(struct codec_in in, struct codec_out *out,
				  struct codec_fault *fault_out)
{
	(void)in, (void)out;
	return absent(fault_out);
}

enum codec_result codec_lz4_stream(struct codec_in in, struct codec_lz4_flags flags,
				   struct codec_out *out, struct codec_fault *fault_out)
{
	(void)in, (void)flags, (void)out;
	return absent(fault_out);
}

uint32_t codec_crc32(const uint8_t *bytes, size_t n)
{
	(void)bytes, (void)n;
	return 0;
}

uint32_t codec_adler32(const uint8_t *bytes, size_t n)
{
	(void)bytes, (void)n;
	return 0;
}

uint32_t codec_xxh32(const uint8_t *bytes, size_t n)
{
	(void)bytes, (void)n;
	return 0;
}

#endif
