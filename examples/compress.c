/*
 * Compresses a file into the format of gzip, one piece after the other. Each piece is a member of
 * its own: a header, the DEFLATE stream that a task makes behind it in the same buffer, and a
 * trailer with the checksum that the task has computed. `gzip -d` decompresses the result. Shows
 * how a destination's data section leaves room for a header, and how a checksum is read. One
 * thread.
 *
 *   compress --file PATH --output PATH [--piece BYTES] [--pci-addr ADDRESS]
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <doca_buf.h>
#include <doca_buf_inventory.h>
#include <doca_compress.h>
#include <doca_ctx.h>
#include <doca_mmap.h>

#include "common.h"

/*
 * Data that cannot be compressed makes a stream that is longer than the data: by five bytes for
 * each block, which has 5000 bytes or more. There is room for a byte more in 512, and for a short
 * piece.
 */
enum { HEADER_LEN = 10, TRAILER_LEN = 8, SPARE_PART = 512, SPARE_MIN = 64, TIMEOUT_S = 60 };

struct options {
	char pci[EXAMPLE_TEXT_LEN];
	char file[EXAMPLE_TEXT_LEN];
	char output[EXAMPLE_TEXT_LEN];
	int piece;
};

struct compressor {
	FILE *in, *out;
	struct doca_dev *dev;
	struct doca_mmap *mmap;
	struct doca_buf_inventory *inventory;
	struct doca_pe *pe;
	struct doca_compress *compress;
	struct doca_buf *src, *dst;
	uint8_t *memory; /* a piece, followed by a member */
	size_t piece_len, member_len;
	bool is_done;
	doca_error_t result;
	uint32_t crc;
};

static doca_error_t set_pci(void *value, void *config)
{
	return example_text_copy(((struct options *)config)->pci, value);
}

static doca_error_t set_file(void *value, void *config)
{
	return example_text_copy(((struct options *)config)->file, value);
}

static doca_error_t set_output(void *value, void *config)
{
	return example_text_copy(((struct options *)config)->output, value);
}

static doca_error_t set_piece(void *value, void *config)
{
	return example_number_copy(&((struct options *)config)->piece, value, 1, 1 << 30);
}

static const struct example_param params[] = {
	{"p", "pci-addr", "<address>", "device to use", DOCA_ARGP_TYPE_STRING, set_pci, false},
	{"f", "file", "<path>", "file to compress", DOCA_ARGP_TYPE_STRING, set_file, true},
	{"o", "output", "<path>", "file to write", DOCA_ARGP_TYPE_STRING, set_output, true},
	{"s", "piece", "<bytes>", "bytes of a piece", DOCA_ARGP_TYPE_INT, set_piece, false},
};

static bool dev_can_compress(const struct doca_devinfo *info)
{
	return doca_compress_cap_task_compress_deflate_is_supported(info) == DOCA_SUCCESS;
}

static void on_success(struct doca_compress_task_compress_deflate *task,
		       union doca_data task_user_data, union doca_data ctx_user_data)
{
	struct compressor *c = ctx_user_data.ptr;

	(void)task_user_data;
	c->crc = doca_compress_task_compress_deflate_get_crc_cs(task);
	c->result = DOCA_SUCCESS;
	c->is_done = true;
}

static void on_error(struct doca_compress_task_compress_deflate *task,
		     union doca_data task_user_data, union doca_data ctx_user_data)
{
	struct compressor *c = ctx_user_data.ptr;

	(void)task_user_data;
	c->result = doca_task_get_status(doca_compress_task_compress_deflate_as_task(task));
	c->is_done = true;
}

static bool is_done(void *arg)
{
	return ((const struct compressor *)arg)->is_done;
}

static void put_le32(uint8_t *to, uint32_t value)
{
	for (unsigned i = 0; i < 4; i++)
		to[i] = (uint8_t)(value >> 8 * i);
}

/* Writes the member whose DEFLATE stream the task has made. */
static doca_error_t member_write(struct compressor *c, size_t len)
{
	static const uint8_t header[HEADER_LEN] = {0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 4, 255};
	uint8_t *member = c->memory + c->piece_len;
	size_t stream_len;
	doca_error_t result = doca_buf_get_data_len(c->dst, &stream_len);

	if (result != DOCA_SUCCESS)
		return result;
	memcpy(member, header, HEADER_LEN);
	put_le32(member + HEADER_LEN + stream_len, c->crc);
	put_le32(member + HEADER_LEN + stream_len + 4, (uint32_t)len);
	len = HEADER_LEN + stream_len + TRAILER_LEN;
	return fwrite(member, 1, len, c->out) == len ? DOCA_SUCCESS : DOCA_ERROR_IO_FAILED;
}

static doca_error_t piece_compress(struct compressor *c,
				   struct doca_compress_task_compress_deflate *task, size_t len)
{
	doca_error_t result = doca_buf_set_data(c->src, c->memory, len);

	/* The stream is appended to the data section: it begins behind the header. */
	if (result == DOCA_SUCCESS)
		result = doca_buf_set_data(c->dst, c->memory + c->piece_len + HEADER_LEN, 0);
	if (result != DOCA_SUCCESS)
		return result;
	c->is_done = false;
	result = doca_task_submit(doca_compress_task_compress_deflate_as_task(task));
	if (result == DOCA_SUCCESS)
		result = example_pe_run(c->pe, is_done, c, TIMEOUT_S);
	if (result == DOCA_SUCCESS)
		result = c->result;
	return result == DOCA_SUCCESS ? member_write(c, len) : result;
}

static doca_error_t file_compress(struct compressor *c)
{
	union doca_data none = {.u64 = 0};
	struct doca_compress_task_compress_deflate *task;
	bool is_first = true;
	doca_error_t result;
	size_t len;

	result = doca_compress_task_compress_deflate_alloc_init(c->compress, c->src, c->dst, none,
								&task);
	if (result != DOCA_SUCCESS)
		return result;
	/* An empty file has one empty member. */
	while (result == DOCA_SUCCESS &&
	       ((len = fread(c->memory, 1, c->piece_len, c->in)) > 0 || is_first)) {
		result = piece_compress(c, task, len);
		is_first = false;
	}
	if (result == DOCA_SUCCESS && ferror(c->in))
		result = DOCA_ERROR_IO_FAILED;
	doca_task_free(doca_compress_task_compress_deflate_as_task(task));
	return result;
}

static doca_error_t memory_prepare(struct compressor *c, size_t wish)
{
	uint64_t max_len, max_piece;
	size_t len;
	doca_error_t result;

	result = doca_compress_cap_task_compress_deflate_get_max_buf_size(
		doca_dev_as_devinfo(c->dev), &max_len);
	if (result != DOCA_SUCCESS)
		return result;
	/* The limit holds for the stream, too. */
	if (max_len <= 2 * SPARE_MIN)
		return DOCA_ERROR_NOT_SUPPORTED;
	max_piece = (max_len - SPARE_MIN) - (max_len - SPARE_MIN) / SPARE_PART;
	c->piece_len = wish < max_piece ? wish : (size_t)max_piece;
	c->member_len = HEADER_LEN + c->piece_len + c->piece_len / SPARE_PART + SPARE_MIN +
			TRAILER_LEN;
	len = c->piece_len + c->member_len;
	c->memory = malloc(len);
	if (c->memory == NULL)
		return DOCA_ERROR_NO_MEMORY;
	result = doca_mmap_create(&c->mmap);
	if (result == DOCA_SUCCESS)
		result = doca_mmap_set_memrange(c->mmap, c->memory, len);
	if (result == DOCA_SUCCESS)
		result = doca_mmap_set_permissions(c->mmap, DOCA_ACCESS_FLAG_LOCAL_READ_WRITE);
	if (result == DOCA_SUCCESS)
		result = doca_mmap_add_dev(c->mmap, c->dev);
	if (result == DOCA_SUCCESS)
		result = doca_mmap_start(c->mmap);
	if (result == DOCA_SUCCESS)
		result = doca_buf_inventory_create(2, &c->inventory);
	if (result == DOCA_SUCCESS)
		result = doca_buf_inventory_start(c->inventory);
	if (result == DOCA_SUCCESS)
		result = doca_buf_inventory_buf_get_by_addr(c->inventory, c->mmap, c->memory,
							    c->piece_len, &c->src);
	/* The trailer is not part of the buffer, so the task leaves room for it. */
	if (result == DOCA_SUCCESS)
		result = doca_buf_inventory_buf_get_by_addr(c->inventory, c->mmap,
							    c->memory + c->piece_len,
							    c->member_len - TRAILER_LEN, &c->dst);
	return result;
}

static doca_error_t compress_prepare(struct compressor *c)
{
	union doca_data user_data = {.ptr = c};
	struct doca_ctx *ctx;
	doca_error_t result;

	result = doca_pe_create(&c->pe);
	if (result == DOCA_SUCCESS)
		result = doca_compress_create(c->dev, &c->compress);
	if (result != DOCA_SUCCESS)
		return result;
	ctx = doca_compress_as_ctx(c->compress);
	result = doca_pe_connect_ctx(c->pe, ctx);
	if (result == DOCA_SUCCESS)
		result = doca_compress_task_compress_deflate_set_conf(c->compress, on_success,
								      on_error, 1);
	if (result == DOCA_SUCCESS)
		result = doca_ctx_set_user_data(ctx, user_data);
	if (result == DOCA_SUCCESS)
		result = doca_ctx_start(ctx);
	return result;
}

/* Destroys everything that exists, in the reverse order of creation. */
static void compressor_close(struct compressor *c)
{
	if (c->compress != NULL) {
		doca_ctx_stop(doca_compress_as_ctx(c->compress));
		/* After a failure the context is stopping already: let it finish. */
		while (doca_pe_progress(c->pe) != 0)
			;
		doca_compress_destroy(c->compress);
	}
	if (c->pe != NULL)
		doca_pe_destroy(c->pe);
	if (c->src != NULL)
		doca_buf_dec_refcount(c->src, NULL);
	if (c->dst != NULL)
		doca_buf_dec_refcount(c->dst, NULL);
	if (c->inventory != NULL)
		doca_buf_inventory_destroy(c->inventory);
	if (c->mmap != NULL)
		doca_mmap_destroy(c->mmap);
	if (c->dev != NULL)
		doca_dev_close(c->dev);
	if (c->in != NULL)
		fclose(c->in);
	free(c->memory);
}

static bool files_open(struct compressor *c, const struct options *options)
{
	c->in = fopen(options->file, "rb");
	if (c->in == NULL) {
		perror(options->file);
		return false;
	}
	c->out = fopen(options->output, "wb");
	if (c->out == NULL)
		perror(options->output);
	return c->out != NULL;
}

int main(int argc, char **argv)
{
	struct options options = {.piece = 1 << 20};
	struct compressor c = {.dev = NULL};
	doca_error_t result;

	result = example_params_read("compress", &options, params,
				     sizeof(params) / sizeof(params[0]), argc, argv);
	if (result != DOCA_SUCCESS)
		return EXIT_FAILURE;
	if (!files_open(&c, &options) ||
	    example_dev_open(options.pci, dev_can_compress, &c.dev) != DOCA_SUCCESS) {
		if (c.out != NULL)
			fclose(c.out);
		compressor_close(&c);
		return EXIT_FAILURE;
	}
	result = memory_prepare(&c, (size_t)options.piece);
	if (result == DOCA_SUCCESS)
		result = compress_prepare(&c);
	if (result == DOCA_SUCCESS)
		result = file_compress(&c);
	if (fclose(c.out) != 0 && result == DOCA_SUCCESS)
		result = DOCA_ERROR_IO_FAILED;
	if (result != DOCA_SUCCESS)
		example_failed("compress the file", result);
	compressor_close(&c);
	return result == DOCA_SUCCESS ? EXIT_SUCCESS : EXIT_FAILURE;
}
