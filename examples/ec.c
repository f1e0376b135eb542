/*
 * Redundancy of a file, and its recovery from what is left after a loss: the file is cut into data
 * blocks, redundancy blocks are made of them, the blocks with the given numbers are overwritten
 * with zeros, and what is recovered is written to another file. Shows how a coding matrix and a
 * recovery matrix belong together, and which blocks a recovery reads. One thread.
 *
 *   ec --file PATH --output PATH [--data N] [--redundancy N] [--lose 0,3,...] [--pci-addr ADDRESS]
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <doca_buf.h>
#include <doca_buf_inventory.h>
#include <doca_ctx.h>
#include <doca_erasure_coding.h>
#include <doca_mmap.h>

#include "common.h"

enum { MAX_BLOCKS = 160, BLOCK_UNIT = 64, TIMEOUT_S = 60 };

struct options {
	char pci[EXAMPLE_TEXT_LEN];
	char file[EXAMPLE_TEXT_LEN];
	char output[EXAMPLE_TEXT_LEN];
	char lose[EXAMPLE_TEXT_LEN];
	int data;
	int redundancy;
};

struct coder {
	size_t n_data, n_rdnc, block_len, file_len;
	uint32_t lost[MAX_BLOCKS];
	size_t n_lost;
	/* The data blocks, the redundancy blocks, the blocks that are left, the recovered ones. */
	uint8_t *memory;
	size_t memory_len;
	struct doca_dev *dev;
	struct doca_mmap *mmap;
	struct doca_buf_inventory *inventory;
	struct doca_pe *pe;
	struct doca_ec *ec;
	struct doca_ec_matrix *coding, *recovery;
	bool is_done;
	doca_error_t result;
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

static doca_error_t set_lose(void *value, void *config)
{
	return example_text_copy(((struct options *)config)->lose, value);
}

static doca_error_t set_data(void *value, void *config)
{
	return example_number_copy(&((struct options *)config)->data, value, 1, 128);
}

static doca_error_t set_redundancy(void *value, void *config)
{
	return example_number_copy(&((struct options *)config)->redundancy, value, 1, 32);
}

static const struct example_param params[] = {
	{"p", "pci-addr", "<address>", "device to use", DOCA_ARGP_TYPE_STRING, set_pci, false},
	{"f", "file", "<path>", "file to protect", DOCA_ARGP_TYPE_STRING, set_file, true},
	{"o", "output", "<path>", "recovered file", DOCA_ARGP_TYPE_STRING, set_output, true},
	{"t", "data", "<n>", "data blocks", DOCA_ARGP_TYPE_INT, set_data, false},
	{"r", "redundancy", "<n>", "redundancy blocks", DOCA_ARGP_TYPE_INT, set_redundancy, false},
	{"x", "lose", "<n,n,...>", "blocks to lose", DOCA_ARGP_TYPE_STRING, set_lose, false},
};

static bool dev_can_recover(const struct doca_devinfo *info)
{
	return doca_ec_cap_task_create_is_supported(info) == DOCA_SUCCESS &&
	       doca_ec_cap_task_recover_is_supported(info) == DOCA_SUCCESS;
}

static uint8_t *block_at(const struct coder *c, size_t i)
{
	return c->memory + i * c->block_len;
}

/* --- memory --- */

/* Returns the length of a file, or -1 if it has none, as a pipe. The next read is at the start. */
static long file_length(FILE *file)
{
	long len = fseek(file, 0, SEEK_END) == 0 ? ftell(file) : -1;

	return len >= 0 && fseek(file, 0, SEEK_SET) == 0 ? len : -1;
}

static doca_error_t file_read(struct coder *c, const char *path)
{
	size_t unit = c->n_data * BLOCK_UNIT, n_blocks = 2 * (c->n_data + c->n_rdnc);
	FILE *file = fopen(path, "rb");
	long len;
	bool ok;

	if (file == NULL)
		return DOCA_ERROR_NOT_FOUND;
	len = file_length(file);
	if (len < 0) {
		fprintf(stderr, "%s has no length; it must be a regular file\n", path);
		fclose(file);
		return DOCA_ERROR_INVALID_VALUE;
	}
	c->file_len = (size_t)len;
	/* Every block has the same size, a multiple of 64 bytes; the last ones end with zeros. */
	c->block_len = (c->file_len + unit - 1) / unit * BLOCK_UNIT;
	if (c->block_len == 0)
		c->block_len = BLOCK_UNIT;
	/* calloc() refuses a product that overflows. */
	c->memory = calloc(n_blocks, c->block_len);
	c->memory_len = n_blocks * c->block_len;
	ok = c->memory != NULL && fread(c->memory, 1, c->file_len, file) == c->file_len;
	fclose(file);
	return ok ? DOCA_SUCCESS : DOCA_ERROR_IO_FAILED;
}

static doca_error_t file_write(const struct coder *c, const char *path)
{
	FILE *file = fopen(path, "wb");
	bool ok = file != NULL && fwrite(c->memory, 1, c->file_len, file) == c->file_len;

	if (file != NULL && fclose(file) != 0)
		ok = false;
	return ok ? DOCA_SUCCESS : DOCA_ERROR_IO_FAILED;
}

static doca_error_t memory_prepare(struct coder *c)
{
	doca_error_t result = doca_mmap_create(&c->mmap);

	if (result == DOCA_SUCCESS)
		result = doca_mmap_set_memrange(c->mmap, c->memory, c->memory_len);
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
	return result;
}

/* --- tasks --- */

static void finish(struct coder *c, struct doca_task *task)
{
	c->result = doca_task_get_status(task);
	c->is_done = true;
	doca_task_free(task);
}

static void create_done(struct doca_ec_task_create *task, union doca_data task_user_data,
			union doca_data ctx_user_data)
{
	(void)task_user_data;
	finish(ctx_user_data.ptr, doca_ec_task_create_as_task(task));
}

static void recover_done(struct doca_ec_task_recover *task, union doca_data task_user_data,
			 union doca_data ctx_user_data)
{
	(void)task_user_data;
	finish(ctx_user_data.ptr, doca_ec_task_recover_as_task(task));
}

static doca_error_t ec_prepare(struct coder *c)
{
	union doca_data user_data = {.ptr = c};
	struct doca_ctx *ctx;
	doca_error_t result;

	result = doca_pe_create(&c->pe);
	if (result == DOCA_SUCCESS)
		result = doca_ec_create(c->dev, &c->ec);
	if (result != DOCA_SUCCESS)
		return result;
	ctx = doca_ec_as_ctx(c->ec);
	result = doca_pe_connect_ctx(c->pe, ctx);
	if (result == DOCA_SUCCESS)
		result = doca_ec_task_create_set_conf(c->ec, create_done, create_done, 1);
	if (result == DOCA_SUCCESS)
		result = doca_ec_task_recover_set_conf(c->ec, recover_done, recover_done, 1);
	if (result == DOCA_SUCCESS)
		result = doca_ctx_set_user_data(ctx, user_data);
	if (result == DOCA_SUCCESS)
		result = doca_ctx_start(ctx);
	if (result == DOCA_SUCCESS)
		result = doca_ec_matrix_create(c->ec, DOCA_EC_MATRIX_TYPE_CAUCHY, c->n_data,
					       c->n_rdnc, &c->coding);
	return result;
}

static bool is_done(void *arg)
{
	return ((const struct coder *)arg)->is_done;
}

/* Waits for the end of a submitted task. Frees the task if it was not submitted. */
static doca_error_t task_run(struct coder *c, struct doca_task *task)
{
	doca_error_t result;

	c->is_done = false;
	result = doca_task_submit(task);
	if (result != DOCA_SUCCESS) {
		doca_task_free(task);
		return result;
	}
	result = example_pe_run(c->pe, is_done, c, TIMEOUT_S);
	return result != DOCA_SUCCESS ? result : c->result;
}

/* Runs one task: from n_in blocks at `from` to n_out blocks at `to`. */
static doca_error_t blocks_run(struct coder *c, bool recovers, size_t from, size_t n_in, size_t to,
			       size_t n_out)
{
	union doca_data none = {.u64 = 0};
	struct doca_buf *src = NULL, *dst = NULL;
	struct doca_ec_task_create *create;
	struct doca_ec_task_recover *recover;
	doca_error_t result;

	result = doca_buf_inventory_buf_get_by_data(c->inventory, c->mmap, block_at(c, from),
						    n_in * c->block_len, &src);
	if (result == DOCA_SUCCESS)
		result = doca_buf_inventory_buf_get_by_addr(c->inventory, c->mmap, block_at(c, to),
							    n_out * c->block_len, &dst);
	if (result == DOCA_SUCCESS && recovers) {
		result = doca_ec_task_recover_allocate_init(c->ec, c->recovery, src, dst, none,
							    &recover);
		if (result == DOCA_SUCCESS)
			result = task_run(c, doca_ec_task_recover_as_task(recover));
	} else if (result == DOCA_SUCCESS) {
		result = doca_ec_task_create_allocate_init(c->ec, c->coding, src, dst, none,
							   &create);
		if (result == DOCA_SUCCESS)
			result = task_run(c, doca_ec_task_create_as_task(create));
	}
	if (dst != NULL)
		doca_buf_dec_refcount(dst, NULL);
	if (src != NULL)
		doca_buf_dec_refcount(src, NULL);
	return result;
}

static bool is_lost(const struct coder *c, size_t block)
{
	for (size_t i = 0; i < c->n_lost; i++)
		if (c->lost[i] == block)
			return true;
	return false;
}

/* A recovery reads the first blocks that are left, as many as there are data blocks. It makes the
 * lost ones, in the order in which the matrix was asked for them. */
static doca_error_t recover(struct coder *c)
{
	size_t n = c->n_data + c->n_rdnc, left = n, made = n + c->n_data;
	doca_error_t result;

	result = doca_ec_matrix_create_recover(c->ec, c->coding, c->lost, c->n_lost, &c->recovery);
	if (result != DOCA_SUCCESS)
		return result;
	for (size_t i = 0; i < c->n_lost; i++)
		memset(block_at(c, c->lost[i]), 0, c->block_len);
	for (size_t i = 0; i < n && left < made; i++)
		if (!is_lost(c, i))
			memcpy(block_at(c, left++), block_at(c, i), c->block_len);
	result = blocks_run(c, true, n, c->n_data, made, c->n_lost);
	for (size_t i = 0; i < c->n_lost && result == DOCA_SUCCESS; i++)
		memcpy(block_at(c, c->lost[i]), block_at(c, made + i), c->block_len);
	return result;
}

/* --- start and end --- */

/* Reads the numbers of the blocks to lose. */
static bool lost_read(struct coder *c, const char *text)
{
	char *end;

	for (; *text != '\0'; text = *end == ',' ? end + 1 : end) {
		c->lost[c->n_lost] = (uint32_t)strtoul(text, &end, 10);
		if (end == text || ++c->n_lost == MAX_BLOCKS)
			return false;
	}
	return true;
}

/* Destroys everything that exists, in the reverse order of creation. */
static void coder_close(struct coder *c)
{
	if (c->recovery != NULL)
		doca_ec_matrix_destroy(c->recovery);
	if (c->coding != NULL)
		doca_ec_matrix_destroy(c->coding);
	if (c->ec != NULL) {
		doca_ctx_stop(doca_ec_as_ctx(c->ec));
		/* After a failure the context is stopping already: let it finish. */
		while (doca_pe_progress(c->pe) != 0)
			;
		doca_ec_destroy(c->ec);
	}
	if (c->pe != NULL)
		doca_pe_destroy(c->pe);
	if (c->inventory != NULL)
		doca_buf_inventory_destroy(c->inventory);
	if (c->mmap != NULL)
		doca_mmap_destroy(c->mmap);
	if (c->dev != NULL)
		doca_dev_close(c->dev);
	free(c->memory);
}

int main(int argc, char **argv)
{
	struct options options = {.data = 12, .redundancy = 4, .lose = "0,3,5,11"};
	struct coder c = {.dev = NULL};
	doca_error_t result;

	result = example_params_read("ec", &options, params, sizeof(params) / sizeof(params[0]),
				     argc, argv);
	if (result != DOCA_SUCCESS)
		return EXIT_FAILURE;
	c.n_data = (size_t)options.data;
	c.n_rdnc = (size_t)options.redundancy;
	if (!lost_read(&c, options.lose)) {
		fprintf(stderr, "the blocks to lose are numbers, with commas between them\n");
		return EXIT_FAILURE;
	}
	result = file_read(&c, options.file);
	if (result == DOCA_SUCCESS)
		result = example_dev_open(options.pci, dev_can_recover, &c.dev);
	if (result == DOCA_SUCCESS)
		result = memory_prepare(&c);
	if (result == DOCA_SUCCESS)
		result = ec_prepare(&c);
	if (result == DOCA_SUCCESS)
		result = blocks_run(&c, false, 0, c.n_data, c.n_data, c.n_rdnc);
	if (result == DOCA_SUCCESS)
		result = recover(&c);
	if (result == DOCA_SUCCESS)
		result = file_write(&c, options.output);
	if (result == DOCA_SUCCESS)
		printf("OK recovered %zu of %zu blocks\n", c.n_lost, c.n_data + c.n_rdnc);
	else
		example_failed("recover the file", result);
	coder_close(&c);
	return result == DOCA_SUCCESS ? EXIT_SUCCESS : EXIT_FAILURE;
}
