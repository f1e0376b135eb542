/*
 * Functions that the three programs in the style of DOCA 1.3 share: a device, and a copier on it
 * (DMA context, work queue, inventory). Every function prints what failed. One thread.
 */
#ifndef OLD_COPIER_H
#define OLD_COPIER_H

#include <stdbool.h>
#include <stddef.h>

#include <doca_buf.h>
#include <doca_buf_inventory.h>
#include <doca_ctx.h>
#include <doca_dev.h>
#include <doca_dma.h>
#include <doca_mmap.h>

struct copier {
	struct doca_dev *dev;
	struct doca_buf_inventory *inventory;
	struct doca_dma *dma;
	struct doca_ctx *ctx;
	struct doca_workq *workq;
};

/* Returns true if the call succeeded; otherwise prints what failed. */
bool succeeded(doca_error_t result, const char *what);

/* Opens the first device. */
bool copier_open(struct copier *copier);
void copier_close(struct copier *copier);

/*
 * Creates and starts a map with the copier's device and room for n_chunks chunks. Returns NULL on
 * failure.
 */
struct doca_mmap *map_open(struct copier *copier, const char *name, uint32_t n_chunks);
/* Adds memory to the map. Copies may read and write anywhere inside it. */
bool map_add(struct doca_mmap *mmap, char *memory, size_t size);

/* Copies size bytes and waits. Source and destination must each lie in one chunk of their map. */
bool copier_copy(struct copier *copier, struct doca_mmap *to_map, char *to,
		 struct doca_mmap *from_map, char *from, size_t size);

#endif
