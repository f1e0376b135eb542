/*
 * Digest of a file by a partial-hash task, which processes one segment of the file after the other.
 * The output is that of sha1sum, sha256sum and sha512sum. Shows how a task is submitted again from
 * its callback, how the last segment is marked, and how a program sleeps while there is nothing to
 * do. One thread.
 *
 *   sha --file PATH [--algorithm 1|256|512] [--segment BYTES] [--pci-addr ADDRESS]
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <doca_buf.h>
#include <doca_buf_inventory.h>
#include <doca_ctx.h>
#include <doca_mmap.h>
#include <doca_sha.h>

#include "common.h"

enum { DIGEST_MAX_LEN = 64, TIMEOUT_S = 60 };

struct options {
	char pci[EXAMPLE_TEXT_LEN];
	char file[EXAMPLE_TEXT_LEN];
	int algorithm;
	int segment;
};

struct hasher {
	enum doca_sha_algorithm algorithm;
	FILE *file;
	struct doca_dev *dev;
	struct doca_mmap *mmap;
	struct doca_buf_inventory *inventory;
	struct doca_pe *pe;
	struct doca_sha *sha;
	struct doca_buf *src, *dst;
	uint8_t *memory; /* a segment, followed by the digest */
	size_t segment_len;
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

static doca_error_t set_algorithm(void *value, void *config)
{
	return example_number_copy(&((struct options *)config)->algorithm, value, 1, 512);
}

static doca_error_t set_segment(void *value, void *config)
{
	return example_number_copy(&((struct options *)config)->segment, value, 1, 1 << 30);
}

static const struct example_param params[] = {
	{"p", "pci-addr", "<address>", "device to use", DOCA_ARGP_TYPE_STRING, set_pci, false},
	{"f", "file", "<path>", "file to digest", DOCA_ARGP_TYPE_STRING, set_file, true},
	{"a", "algorithm", "<1|256|512>", "which SHA", DOCA_ARGP_TYPE_INT, set_algorithm, false},
	{"s", "segment", "<bytes>", "bytes of a segment", DOCA_ARGP_TYPE_INT, set_segment, false},
};

/*
 * A global, because example_dev_open() passes nothing but the device description to its callback.
 */
static enum doca_sha_algorithm wanted;

static bool dev_can_hash(const struct doca_devinfo *info)
{
	return doca_sha_cap_task_partial_hash_get_supported(info, wanted) == DOCA_SUCCESS;
}

/* Reads the next segment and submits the task for it. */
static doca_error_t segment_submit(struct hasher *h, struct doca_sha_task_partial_hash *task)
{
	size_t len = fread(h->memory, 1, h->segment_len, h->file);
	bool is_last = len < h->segment_len;
	doca_error_t result;
	int next;

	if (!is_last) {
		next = getc(h->file);
		is_last = next == EOF;
		if (!is_last)
			ungetc(next, h->file);
	}
	if (ferror(h->file))
		return DOCA_ERROR_IO_FAILED;
	result = doca_buf_set_data(h->src, h->memory, len);
	if (result == DOCA_SUCCESS)
		result = doca_sha_task_partial_hash_set_src(task, h->src);
	if (result == DOCA_SUCCESS && is_last)
		result = doca_sha_task_partial_hash_set_is_final_buf(task);
	if (result == DOCA_SUCCESS)
		result = doca_task_submit(doca_sha_task_partial_hash_as_task(task));
	return result;
}

static void finish(struct hasher *h, struct doca_sha_task_partial_hash *task, doca_error_t result)
{
	h->result = result;
	h->is_done = true;
	doca_task_free(doca_sha_task_partial_hash_as_task(task));
}

static void on_success(struct doca_sha_task_partial_hash *task, union doca_data task_user_data,
		       union doca_data ctx_user_data)
{
	struct hasher *h = ctx_user_data.ptr;
	doca_error_t result;

	(void)task_user_data;
	if (doca_sha_task_partial_hash_get_has_result(task)) {
		finish(h, task, DOCA_SUCCESS);
		return;
	}
	result = segment_submit(h, task);
	if (result != DOCA_SUCCESS)
		finish(h, task, result);
}

static void on_error(struct doca_sha_task_partial_hash *task, union doca_data task_user_data,
		     union doca_data ctx_user_data)
{
	(void)task_user_data;
	finish(ctx_user_data.ptr, task,
	       doca_task_get_status(doca_sha_task_partial_hash_as_task(task)));
}

/* Chooses the segment length. Every segment except the last must be a whole number of blocks. */
static doca_error_t segment_len_choose(struct hasher *h, size_t wish)
{
	const struct doca_devinfo *info = doca_dev_as_devinfo(h->dev);
	uint32_t block_len;
	uint64_t max_len;
	doca_error_t result;

	result = doca_sha_cap_get_partial_hash_block_size(info, h->algorithm, &block_len);
	if (result == DOCA_SUCCESS)
		result = doca_sha_cap_get_max_src_buf_size(info, &max_len);
	if (result != DOCA_SUCCESS)
		return result;
	if (wish > max_len)
		wish = (size_t)max_len;
	h->segment_len = wish < block_len ? block_len : wish / block_len * block_len;
	return DOCA_SUCCESS;
}

static doca_error_t memory_prepare(struct hasher *h)
{
	size_t len = h->segment_len + DIGEST_MAX_LEN;
	doca_error_t result;

	h->memory = malloc(len);
	if (h->memory == NULL)
		return DOCA_ERROR_NO_MEMORY;
	result = doca_mmap_create(&h->mmap);
	if (result == DOCA_SUCCESS)
		result = doca_mmap_set_memrange(h->mmap, h->memory, len);
	if (result == DOCA_SUCCESS)
		result = doca_mmap_set_permissions(h->mmap, DOCA_ACCESS_FLAG_LOCAL_READ_WRITE);
	if (result == DOCA_SUCCESS)
		result = doca_mmap_add_dev(h->mmap, h->dev);
	if (result == DOCA_SUCCESS)
		result = doca_mmap_start(h->mmap);
	if (result == DOCA_SUCCESS)
		result = doca_buf_inventory_create(2, &h->inventory);
	if (result == DOCA_SUCCESS)
		result = doca_buf_inventory_start(h->inventory);
	if (result == DOCA_SUCCESS)
		result = doca_buf_inventory_buf_get_by_addr(h->inventory, h->mmap, h->memory,
							    h->segment_len, &h->src);
	if (result == DOCA_SUCCESS)
		result = doca_buf_inventory_buf_get_by_addr(
			h->inventory, h->mmap, h->memory + h->segment_len, DIGEST_MAX_LEN, &h->dst);
	return result;
}

static doca_error_t sha_prepare(struct hasher *h)
{
	union doca_data user_data = {.ptr = h};
	struct doca_ctx *ctx;
	doca_error_t result;

	result = doca_pe_create(&h->pe);
	if (result == DOCA_SUCCESS)
		result = doca_sha_create(h->dev, &h->sha);
	if (result != DOCA_SUCCESS)
		return result;
	ctx = doca_sha_as_ctx(h->sha);
	result = doca_pe_connect_ctx(h->pe, ctx);
	/* The number of tasks is a logarithm: 0 is one task. */
	if (result == DOCA_SUCCESS)
		result = doca_sha_task_partial_hash_set_conf(h->sha, on_success, on_error, 0);
	if (result == DOCA_SUCCESS)
		result = doca_ctx_set_user_data(ctx, user_data);
	if (result == DOCA_SUCCESS)
		result = doca_ctx_start(ctx);
	return result;
}

static bool is_done(void *arg)
{
	return ((const struct hasher *)arg)->is_done;
}

static doca_error_t hash_run(struct hasher *h)
{
	union doca_data none = {.u64 = 0};
	struct doca_sha_task_partial_hash *task;
	doca_error_t result;

	result = doca_sha_task_partial_hash_alloc_init(h->sha, h->algorithm, h->src, h->dst, none,
						       &task);
	if (result != DOCA_SUCCESS)
		return result;
	result = segment_submit(h, task);
	if (result != DOCA_SUCCESS) {
		doca_task_free(doca_sha_task_partial_hash_as_task(task));
		return result;
	}
	result = example_pe_run(h->pe, is_done, h, TIMEOUT_S);
	return result != DOCA_SUCCESS ? result : h->result;
}

static doca_error_t digest_print(const struct hasher *h, const char *name)
{
	const uint8_t *digest;
	size_t len, i;
	doca_error_t result;

	result = doca_buf_get_data(h->dst, (void **)&digest);
	if (result == DOCA_SUCCESS)
		result = doca_buf_get_data_len(h->dst, &len);
	if (result != DOCA_SUCCESS)
		return result;
	for (i = 0; i < len; i++)
		printf("%02x", digest[i]);
	printf("  %s\n", name);
	return DOCA_SUCCESS;
}

/* Destroys everything that exists, in the reverse order of creation. */
static void hasher_close(struct hasher *h)
{
	if (h->sha != NULL) {
		doca_ctx_stop(doca_sha_as_ctx(h->sha));
		/* After a failure the context is stopping already: let it finish. */
		while (doca_pe_progress(h->pe) != 0)
			;
		doca_sha_destroy(h->sha);
	}
	if (h->pe != NULL)
		doca_pe_destroy(h->pe);
	if (h->src != NULL)
		doca_buf_dec_refcount(h->src, NULL);
	if (h->dst != NULL)
		doca_buf_dec_refcount(h->dst, NULL);
	if (h->inventory != NULL)
		doca_buf_inventory_destroy(h->inventory);
	if (h->mmap != NULL)
		doca_mmap_destroy(h->mmap);
	if (h->dev != NULL)
		doca_dev_close(h->dev);
	if (h->file != NULL)
		fclose(h->file);
	free(h->memory);
}

int main(int argc, char **argv)
{
	struct options options = {.algorithm = 256, .segment = 1 << 20};
	struct hasher h = {.dev = NULL};
	doca_error_t result;

	result = example_params_read("sha", &options, params, sizeof(params) / sizeof(params[0]),
				     argc, argv);
	if (result != DOCA_SUCCESS)
		return EXIT_FAILURE;
	if (options.algorithm != 1 && options.algorithm != 256 && options.algorithm != 512) {
		fprintf(stderr, "the algorithm is 1, 256 or 512\n");
		return EXIT_FAILURE;
	}
	h.algorithm = options.algorithm == 1     ? DOCA_SHA_ALGORITHM_SHA1
		      : options.algorithm == 256 ? DOCA_SHA_ALGORITHM_SHA256
						 : DOCA_SHA_ALGORITHM_SHA512;
	wanted = h.algorithm;
	h.file = fopen(options.file, "rb");
	if (h.file == NULL) {
		perror(options.file);
		return EXIT_FAILURE;
	}
	result = example_dev_open(options.pci, dev_can_hash, &h.dev);
	if (result != DOCA_SUCCESS) {
		hasher_close(&h);
		return EXIT_FAILURE;
	}
	result = segment_len_choose(&h, (size_t)options.segment);
	if (result == DOCA_SUCCESS)
		result = memory_prepare(&h);
	if (result == DOCA_SUCCESS)
		result = sha_prepare(&h);
	if (result == DOCA_SUCCESS)
		result = hash_run(&h);
	if (result == DOCA_SUCCESS)
		result = digest_print(&h, options.file);
	if (result != DOCA_SUCCESS)
		example_failed("digest the file", result);
	hasher_close(&h);
	return result == DOCA_SUCCESS ? EXIT_SUCCESS : EXIT_FAILURE;
}
