/*
 * Host side of a copy between two sides. Exports a file's bytes for reading and one page for an
 * answer, then waits. The DPU program (dma_dpu) copies the bytes by DMA and writes the answer into
 * this program's memory; this program takes no part in either copy. Both ends compare SHA-256. One
 * thread.
 *
 *   dma_host --file FILE --dir DIR [--memory malloc|shm|map] [--timeout SECONDS] [--pci-addr A]
 *
 * --memory says where the file's bytes are: in memory from malloc(); in memory from this runtime
 * that importers can map (shm; this applies to the answer, too); or in the page cache (map).
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <doca_mmap.h>
#include <dococ.h>

#include "common.h"
#include "dma_channel.h"

struct options {
	char file[EXAMPLE_TEXT_LEN];
	char dir[EXAMPLE_TEXT_LEN];
	char pci[EXAMPLE_TEXT_LEN];
	char memory[EXAMPLE_TEXT_LEN];
	int timeout_s;
};

struct host {
	struct doca_dev *dev;
	struct doca_mmap *data_mmap, *answer_mmap;
	char *data;
	size_t data_len;
	struct channel_answer *answer;
};

static doca_error_t set_file(void *value, void *config)
{
	return example_text_copy(((struct options *)config)->file, value);
}

static doca_error_t set_dir(void *value, void *config)
{
	return example_text_copy(((struct options *)config)->dir, value);
}

static doca_error_t set_pci(void *value, void *config)
{
	return example_text_copy(((struct options *)config)->pci, value);
}

static doca_error_t set_memory(void *value, void *config)
{
	if (strcmp(value, "malloc") != 0 && strcmp(value, "shm") != 0 &&
	    strcmp(value, "map") != 0) {
		fprintf(stderr, "memory is malloc, shm or map, not %s\n", (char *)value);
		return DOCA_ERROR_INVALID_VALUE;
	}
	return example_text_copy(((struct options *)config)->memory, value);
}

static doca_error_t set_timeout(void *value, void *config)
{
	return example_number_copy(&((struct options *)config)->timeout_s, value, 1, 3600);
}

static const struct example_param params[] = {
	{"f", "file", "<path>", "file to export", DOCA_ARGP_TYPE_STRING, set_file, true},
	{"d", "dir", "<path>", "directory shared with dma_dpu", DOCA_ARGP_TYPE_STRING, set_dir,
	 true},
	{"p", "pci-addr", "<address>", "device to use", DOCA_ARGP_TYPE_STRING, set_pci, false},
	{"m", "memory", "<kind>", "malloc, shm or map", DOCA_ARGP_TYPE_STRING, set_memory, false},
	{"t", "timeout", "<seconds>", "how long to wait for the answer", DOCA_ARGP_TYPE_INT,
	 set_timeout, false},
};

static bool dev_can_export(const struct doca_devinfo *info)
{
	uint8_t can = 0;

	return doca_mmap_cap_is_export_pci_supported(info, &can) == DOCA_SUCCESS && can;
}

static void *memory_new(const struct options *o, size_t len)
{
	void *memory = NULL;

	if (strcmp(o->memory, "shm") != 0)
		return malloc(len);
	return dococ_mem_alloc(len, &memory, NULL) == DOCA_SUCCESS ? memory : NULL;
}

static void memory_free(const struct options *o, void *memory)
{
	if (memory == NULL)
		return;
	if (strcmp(o->memory, "shm") == 0)
		dococ_mem_free(memory);
	else
		free(memory);
}

/*
 * Loads the file's bytes into memory of the kind that the options name. Nothing writes to them
 * afterwards.
 */
static int data_load(struct host *h, const struct options *o)
{
	struct stat st;
	void *memory = NULL;
	char *map;
	int fd;

	fd = open(o->file, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &st) != 0 || !S_ISREG(st.st_mode) || st.st_size == 0) {
		fprintf(stderr, "%s: not a readable file with bytes in it\n", o->file);
		if (fd >= 0)
			close(fd);
		return -1;
	}
	map = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_SHARED, fd, 0);
	close(fd);
	if (map == MAP_FAILED) {
		perror(o->file);
		return -1;
	}
	h->data_len = (size_t)st.st_size;
	if (strcmp(o->memory, "map") == 0) {
		h->data = map;
		return 0;
	}
	memory = memory_new(o, h->data_len);
	if (memory != NULL)
		memcpy(memory, map, h->data_len);
	else
		fprintf(stderr, "no memory for %zu bytes\n", h->data_len);
	munmap(map, h->data_len);
	h->data = memory;
	return memory != NULL ? 0 : -1;
}

static void data_unload(struct host *h, const struct options *o)
{
	if (h->data == NULL)
		return;
	if (strcmp(o->memory, "map") == 0)
		munmap(h->data, h->data_len);
	else
		memory_free(o, h->data);
}

/*
 * Creates a map of the memory, exports it with these rights and puts the descriptor in the channel.
 */
static doca_error_t memory_export(struct host *h, void *addr, size_t len, uint32_t rights,
				  const char *dir, const char *name, struct doca_mmap **mmap_out)
{
	struct doca_mmap *mmap;
	doca_error_t result;
	const void *desc;
	size_t desc_len;

	result = doca_mmap_create(&mmap);
	if (result != DOCA_SUCCESS)
		return example_failed("create a memory map", result);
	result = doca_mmap_set_memrange(mmap, addr, len);
	if (result == DOCA_SUCCESS)
		result = doca_mmap_set_permissions(mmap, rights);
	if (result == DOCA_SUCCESS)
		result = doca_mmap_add_dev(mmap, h->dev);
	if (result == DOCA_SUCCESS)
		result = doca_mmap_start(mmap);
	if (result == DOCA_SUCCESS)
		result = doca_mmap_export_pci(mmap, h->dev, &desc, &desc_len);
	if (result != DOCA_SUCCESS) {
		doca_mmap_destroy(mmap);
		return example_failed("export memory", result);
	}
	*mmap_out = mmap;
	return channel_put(dir, name, desc, desc_len) == 0 ? DOCA_SUCCESS : DOCA_ERROR_IO_FAILED;
}

static doca_error_t offer_make(struct host *h, const struct options *o)
{
	struct channel_offer offer = {
		.data_addr = (uintptr_t)h->data,
		.data_len = h->data_len,
		.answer_addr = (uintptr_t)h->answer,
	};
	doca_error_t result;

	result = memory_export(h, h->data, h->data_len, DOCA_ACCESS_FLAG_PCI_READ_ONLY, o->dir,
			       CHANNEL_DATA_DESC, &h->data_mmap);
	if (result == DOCA_SUCCESS)
		result = memory_export(h, h->answer, sizeof(*h->answer),
				       DOCA_ACCESS_FLAG_LOCAL_READ_WRITE |
					       DOCA_ACCESS_FLAG_PCI_READ_WRITE,
				       o->dir, CHANNEL_ANSWER_DESC, &h->answer_mmap);
	if (result != DOCA_SUCCESS)
		return result;
	/* The offer comes last: a program that sees it finds the descriptors. */
	if (sha256_hex(h->data, h->data_len, offer.sha256) != 0 ||
	    channel_offer_put(o->dir, &offer) != 0)
		return DOCA_ERROR_IO_FAILED;
	printf("offered %zu bytes of %s, memory %s\n", h->data_len, o->file, o->memory);
	fflush(stdout);
	return DOCA_SUCCESS;
}

static doca_error_t answer_check(struct host *h)
{
	char sha256[SHA256_HEX_LEN];

	if (__atomic_load_n(&h->answer->is_ready, __ATOMIC_ACQUIRE) != 1) {
		fprintf(stderr, "no answer came: see what dma_dpu says\n");
		return DOCA_ERROR_IO_FAILED;
	}
	if (sha256_hex(h->data, h->data_len, sha256) != 0)
		return DOCA_ERROR_UNEXPECTED;
	if (strncmp(h->answer->sha256, sha256, sizeof(sha256)) != 0) {
		fprintf(stderr, "SHA-256 of the answer is not that of the file\n");
		return DOCA_ERROR_UNEXPECTED;
	}
	printf("answer: %.*s\nOK sha256 %s\n", (int)sizeof(h->answer->text), h->answer->text,
	       sha256);
	return DOCA_SUCCESS;
}

int main(int argc, char **argv)
{
	struct options o = {.memory = "malloc", .timeout_s = 30};
	struct host h = {.dev = NULL};
	doca_error_t result;

	result = example_params_read("dma_host", &o, params, sizeof(params) / sizeof(params[0]),
				     argc, argv);
	if (result != DOCA_SUCCESS)
		return EXIT_FAILURE;
	channel_clear(o.dir);
	result = example_dev_open(o.pci, dev_can_export, &h.dev);
	if (result != DOCA_SUCCESS)
		return EXIT_FAILURE;
	h.answer = memory_new(&o, sizeof(*h.answer));
	if (h.answer != NULL)
		memset(h.answer, 0, sizeof(*h.answer));
	if (h.answer == NULL || data_load(&h, &o) != 0)
		result = DOCA_ERROR_NO_MEMORY;
	if (result == DOCA_SUCCESS)
		result = offer_make(&h, &o);
	if (result == DOCA_SUCCESS && channel_wait(o.dir, CHANNEL_DONE, o.timeout_s) != 0)
		result = DOCA_ERROR_TIME_OUT;
	if (result == DOCA_SUCCESS)
		result = answer_check(&h);

	/* Destroying a map ends its export: after that no other process can access this memory. */
	channel_clear(o.dir);
	if (h.answer_mmap != NULL)
		doca_mmap_destroy(h.answer_mmap);
	if (h.data_mmap != NULL)
		doca_mmap_destroy(h.data_mmap);
	data_unload(&h, &o);
	memory_free(&o, h.answer);
	doca_dev_close(h.dev);
	return result == DOCA_SUCCESS ? EXIT_SUCCESS : EXIT_FAILURE;
}
