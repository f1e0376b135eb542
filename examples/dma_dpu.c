/*
 * DPU side of a copy between two sides. Waits for the offer of dma_host, imports the host's memory
 * and copies its bytes by DMA, with several tasks in flight. Then writes their SHA-256 and a text
 * into the host's memory, also by DMA. One thread, polled.
 *
 *   dma_dpu --dir DIR [--chunk BYTES] [--timeout SECONDS] [--pci-addr ADDRESS]
 *
 * A note in the directory tells the host that this program has finished, successfully or not. The
 * answer itself is in the host's memory.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <doca_dma.h>
#include <doca_mmap.h>
#include <dococ.h>

#include "common.h"
#include "dma_channel.h"
#include "dma_copier.h"

struct options {
	char dir[EXAMPLE_TEXT_LEN];
	char pci[EXAMPLE_TEXT_LEN];
	int chunk;
	int timeout_s;
};

struct dpu {
	struct doca_dev *dev;
	struct doca_mmap *data_mmap, *answer_mmap; /* the host's memory */
	struct doca_mmap *local_mmap;
	struct copier *copier;
	struct channel_offer offer;
	char *local; /* the copy, followed by the answer before it is sent */
	struct channel_answer *answer;
};

static doca_error_t set_dir(void *value, void *config)
{
	return example_text_copy(((struct options *)config)->dir, value);
}

static doca_error_t set_pci(void *value, void *config)
{
	return example_text_copy(((struct options *)config)->pci, value);
}

static doca_error_t set_chunk(void *value, void *config)
{
	return example_number_copy(&((struct options *)config)->chunk, value, 1, 1 << 30);
}

static doca_error_t set_timeout(void *value, void *config)
{
	return example_number_copy(&((struct options *)config)->timeout_s, value, 1, 3600);
}

static const struct example_param params[] = {
	{"d", "dir", "<path>", "directory shared with dma_host", DOCA_ARGP_TYPE_STRING, set_dir,
	 true},
	{"p", "pci-addr", "<address>", "device to use", DOCA_ARGP_TYPE_STRING, set_pci, false},
	{"c", "chunk", "<bytes>", "most bytes of one task", DOCA_ARGP_TYPE_INT, set_chunk, false},
	{"t", "timeout", "<seconds>", "how long to wait for the offer and the copy",
	 DOCA_ARGP_TYPE_INT, set_timeout, false},
};

static bool dev_can_import_and_copy(const struct doca_devinfo *info)
{
	uint8_t can = 0;

	return doca_mmap_cap_is_create_from_export_pci_supported(info, &can) == DOCA_SUCCESS &&
	       can && doca_dma_cap_task_memcpy_is_supported(info) == DOCA_SUCCESS;
}

static doca_error_t memory_import(struct dpu *d, const char *dir, const char *name,
				  struct doca_mmap **mmap_out)
{
	char desc[CHANNEL_DESC_LEN];
	doca_error_t result;
	size_t desc_len;

	if (channel_get(dir, name, desc, sizeof(desc), &desc_len) != 0)
		return DOCA_ERROR_IO_FAILED;
	result = doca_mmap_create_from_export(NULL, desc, desc_len, d->dev, mmap_out);
	if (result != DOCA_SUCCESS)
		return example_failed("import the host's memory", result);
	return DOCA_SUCCESS;
}

static doca_error_t local_prepare(struct dpu *d)
{
	size_t answer_at = (d->offer.data_len + 63) / 64 * 64;
	size_t len = answer_at + sizeof(*d->answer);
	doca_error_t result;

	if (d->offer.data_len == 0 || len < d->offer.data_len)
		return example_failed("length in the offer", DOCA_ERROR_INVALID_VALUE);
	d->local = malloc(len);
	if (d->local == NULL)
		return example_failed("allocate", DOCA_ERROR_NO_MEMORY);
	/* Touches all pages now, so that the time of the copy does not include page faults. */
	memset(d->local, 0, len);
	d->answer = (struct channel_answer *)(void *)(d->local + answer_at);

	result = doca_mmap_create(&d->local_mmap);
	if (result == DOCA_SUCCESS)
		result = doca_mmap_set_memrange(d->local_mmap, d->local, len);
	if (result == DOCA_SUCCESS)
		result = doca_mmap_set_permissions(d->local_mmap,
						   DOCA_ACCESS_FLAG_LOCAL_READ_WRITE);
	if (result == DOCA_SUCCESS)
		result = doca_mmap_add_dev(d->local_mmap, d->dev);
	if (result == DOCA_SUCCESS)
		result = doca_mmap_start(d->local_mmap);
	if (result != DOCA_SUCCESS)
		return example_failed("prepare local memory", result);
	return DOCA_SUCCESS;
}

static doca_error_t data_copy(struct dpu *d, const struct options *o)
{
	struct copier_job job = {
		.src_mmap = d->data_mmap,
		.src = (char *)(uintptr_t)d->offer.data_addr,
		.dst_mmap = d->local_mmap,
		.dst = d->local,
		.len = d->offer.data_len,
	};
	uint64_t start_ns, time_ns;
	doca_error_t result;
	size_t n_tasks;

	start_ns = example_now_ns();
	result = copier_run(d->copier, &job, o->timeout_s, &n_tasks);
	time_ns = example_now_ns() - start_ns;
	if (result != DOCA_SUCCESS)
		return example_failed("copy the host's bytes", result);
	printf("copied bytes %zu tasks %zu transport %s time_us %.1f gb_per_s %.3f\n", job.len,
	       n_tasks, dococ_mmap_get_transport(d->data_mmap), (double)time_ns / 1e3,
	       (double)job.len / (double)(time_ns > 0 ? time_ns : 1));
	return DOCA_SUCCESS;
}

static doca_error_t answer_send(struct dpu *d, const struct options *o)
{
	char *remote = (char *)(uintptr_t)d->offer.answer_addr;
	struct copier_job job = {
		.src_mmap = d->local_mmap,
		.src = (char *)d->answer,
		.dst_mmap = d->answer_mmap,
		.dst = remote,
		.len = offsetof(struct channel_answer, is_ready),
	};
	doca_error_t result;
	size_t n_tasks;

	snprintf(d->answer->text, sizeof(d->answer->text),
		 "the DPU side has your %zu bytes, and wrote this into your memory",
		 (size_t)d->offer.data_len);
	result = copier_run(d->copier, &job, o->timeout_s, &n_tasks);
	if (result == DOCA_SUCCESS) {
		/*
		 * Tasks are not ordered, so is_ready is copied after all other bytes have arrived.
		 */
		d->answer->is_ready = 1;
		job.src += offsetof(struct channel_answer, is_ready);
		job.dst += offsetof(struct channel_answer, is_ready);
		job.len = sizeof(d->answer->is_ready);
		result = copier_run(d->copier, &job, o->timeout_s, &n_tasks);
	}
	if (result != DOCA_SUCCESS)
		return example_failed("write the answer", result);
	return DOCA_SUCCESS;
}

static doca_error_t offer_serve(struct dpu *d, const struct options *o)
{
	doca_error_t result;

	if (channel_offer_get(o->dir, &d->offer) != 0)
		return DOCA_ERROR_IO_FAILED;
	result = memory_import(d, o->dir, CHANNEL_DATA_DESC, &d->data_mmap);
	if (result == DOCA_SUCCESS)
		result = memory_import(d, o->dir, CHANNEL_ANSWER_DESC, &d->answer_mmap);
	if (result == DOCA_SUCCESS)
		result = local_prepare(d);
	if (result == DOCA_SUCCESS) {
		result = copier_new(d->dev, (size_t)o->chunk, &d->copier);
		if (result != DOCA_SUCCESS)
			return example_failed("prepare DMA", result);
		result = data_copy(d, o);
	}
	if (result != DOCA_SUCCESS)
		return result;
	if (sha256_hex(d->local, d->offer.data_len, d->answer->sha256) != 0 ||
	    strcmp(d->answer->sha256, d->offer.sha256) != 0) {
		fprintf(stderr, "SHA-256 of the copy is not that of the offer\n");
		return DOCA_ERROR_UNEXPECTED;
	}
	result = answer_send(d, o);
	if (result == DOCA_SUCCESS)
		printf("OK sha256 %s\n", d->answer->sha256);
	return result;
}

static void dpu_close(struct dpu *d)
{
	copier_free(d->copier);
	if (d->local_mmap != NULL)
		doca_mmap_destroy(d->local_mmap);
	if (d->answer_mmap != NULL)
		doca_mmap_destroy(d->answer_mmap);
	if (d->data_mmap != NULL)
		doca_mmap_destroy(d->data_mmap);
	if (d->dev != NULL)
		doca_dev_close(d->dev);
	free(d->local);
}

int main(int argc, char **argv)
{
	struct options o = {.chunk = 1 << 20, .timeout_s = 30};
	struct dpu d = {.dev = NULL};
	doca_error_t result;
	const char *note;

	result = example_params_read("dma_dpu", &o, params, sizeof(params) / sizeof(params[0]),
				     argc, argv);
	if (result != DOCA_SUCCESS)
		return EXIT_FAILURE;
	if (channel_wait(o.dir, CHANNEL_OFFER, o.timeout_s) != 0)
		return EXIT_FAILURE;
	result = example_dev_open(o.pci, dev_can_import_and_copy, &d.dev);
	if (result == DOCA_SUCCESS)
		result = offer_serve(&d, &o);
	/* The imports end before the host learns of it and frees its memory. */
	dpu_close(&d);
	note = result == DOCA_SUCCESS ? "done\n" : "failed\n";
	if (channel_put(o.dir, CHANNEL_DONE, note, strlen(note)) != 0)
		result = DOCA_ERROR_IO_FAILED;
	return result == DOCA_SUCCESS ? EXIT_SUCCESS : EXIT_FAILURE;
}
