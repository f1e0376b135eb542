/*
 * The codecs of doca_compress.h on contiguous memory: DEFLATE by libdeflate, and by ISA-L where
 * that is there and faster; LZ4 by liblz4; and their checksums. A codec has the states that the
 * libraries need. They are allocated once, so that no call allocates.
 *
 * The input must not change during a call: the libraries read some bytes twice, and a change could
 * make them write beyond the output. Input and output must not overlap. Threads: one per codec.
 */
#ifndef CLIENT_COMPRESS_CODEC_H
#define CLIENT_COMPRESS_CODEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* No input and no output is longer. */
#define CODEC_MAX_LEN (UINT64_C(1) << 30)

enum codec_result {
	CODEC_OK,
	CODEC_NO_ROOM, /* the output is longer than its room */
	CODEC_CORRUPT, /* the input does not follow the format */
};

/* Describes what is wrong with a corrupt input. */
struct codec_fault {
	const char *what; /* a clause with a literal's lifetime */
	size_t at;        /* offset in the input */
};

struct codec_in {
	const uint8_t *bytes;
	size_t n;
};

struct codec_out {
	uint8_t *bytes;
	size_t room;
	size_t n; /* set on success */
};

struct codec_lz4_flags {
	bool has_block_checksum;
	bool are_blocks_independent;
};

struct codec;

/* Returns whether this build has the libraries. Without them codec_new() returns NULL. */
bool codec_is_built(void);
/* Returns NULL if memory is short. */
struct codec *codec_new(void);
void codec_delete(struct codec *codec);

/* Output is complete only with CODEC_OK; otherwise its bytes are undefined. `fault_out` is set only
 * with CODEC_CORRUPT. */

/* Needs up to this many bytes more room than the output has. */
#define CODEC_DEFLATE_SLACK 16u
enum codec_result codec_deflate(struct codec *codec, struct codec_in in, struct codec_out *out);
/* Ends with the first final block; later bytes are ignored. */
enum codec_result codec_inflate(struct codec *codec, struct codec_in in, struct codec_out *out,
				struct codec_fault *fault_out);
enum codec_result codec_lz4_block(struct codec_in in, struct codec_out *out,
				  struct codec_fault *fault_out);
/* The blocks of an LZ4 frame without its header, end mark and content checksum. */
enum codec_result codec_lz4_stream(struct codec_in in, struct codec_lz4_flags flags,
				   struct codec_out *out, struct codec_fault *fault_out);

uint32_t codec_crc32(const uint8_t *bytes, size_t n);
uint32_t codec_adler32(const uint8_t *bytes, size_t n);
/* XXH32 with seed 0. */
uint32_t codec_xxh32(const uint8_t *bytes, size_t n);

#endif
