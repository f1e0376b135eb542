/*
 * The channel between dma_host and dma_dpu, a directory that both see: the host puts the export
 * descriptors and an offer there, the DPU program puts a note when it is done. A file appears
 * whole, by rename, and the waiting side sleeps in inotify. The data itself never goes this way.
 * Each function prints its own error and returns 0 or -1.
 */
#ifndef EXAMPLES_DMA_CHANNEL_H
#define EXAMPLES_DMA_CHANNEL_H

#include <stddef.h>
#include <stdint.h>

#define CHANNEL_DATA_DESC   "data.desc"
#define CHANNEL_ANSWER_DESC "answer.desc"
#define CHANNEL_OFFER       "offer"
#define CHANNEL_DONE        "done"

enum { SHA256_HEX_LEN = 65, CHANNEL_DESC_LEN = 1024 };

/* Where the host's memory lies, in the host program's addresses, and what should be in it. */
struct channel_offer {
	uint64_t data_addr;
	uint64_t data_len;
	uint64_t answer_addr;
	char sha256[SHA256_HEX_LEN];
};

/* What the DPU program writes into the host's memory by DMA; is_ready last, on its own. */
struct channel_answer {
	char sha256[SHA256_HEX_LEN];
	char text[255];
	uint64_t is_ready;
};

/* Puts a file into the directory so that it is there completely or not at all. */
int channel_put(const char *dir, const char *name, const void *data, size_t len);
/* Reads a file of at most cap bytes. */
int channel_get(const char *dir, const char *name, void *data, size_t cap, size_t *len_out);
/* Waits until the file is there. */
int channel_wait(const char *dir, const char *name, int timeout_s);
/* Removes all files of the channel. */
void channel_clear(const char *dir);

int channel_offer_put(const char *dir, const struct channel_offer *offer);
int channel_offer_get(const char *dir, struct channel_offer *offer_out);

int sha256_hex(const void *data, size_t len, char hex_out[SHA256_HEX_LEN]);

#endif
