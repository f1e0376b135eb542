/*
 * The channel between dma_host and dma_dpu: a directory that both programs see. The host program
 * puts the export descriptors and an offer there; the DPU program puts a note there when it has
 * finished. A file is renamed into place, so it is complete when it appears. The waiting side
 * sleeps in inotify. The copied data itself does not use this channel.
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

/*
 * Location of the host's memory, as addresses of the host program, and the digest of its contents.
 */
struct channel_offer {
	uint64_t data_addr;
	uint64_t data_len;
	uint64_t answer_addr;
	char sha256[SHA256_HEX_LEN];
};

/*
 * Result that the DPU program writes into the host's memory by DMA; is_ready last, by a separate
 * copy.
 */
struct channel_answer {
	char sha256[SHA256_HEX_LEN];
	char text[255];
	uint64_t is_ready;
};

/* Writes a file to the directory atomically. */
int channel_put(const char *dir, const char *name, const void *data, size_t len);
/* Reads a file of at most cap bytes. */
int channel_get(const char *dir, const char *name, void *data, size_t cap, size_t *len_out);
/* Waits until the file exists. */
int channel_wait(const char *dir, const char *name, int timeout_s);
/* Removes all files of the channel. */
void channel_clear(const char *dir);

int channel_offer_put(const char *dir, const struct channel_offer *offer);
int channel_offer_get(const char *dir, struct channel_offer *offer_out);

int sha256_hex(const void *data, size_t len, char hex_out[SHA256_HEX_LEN]);

#endif
