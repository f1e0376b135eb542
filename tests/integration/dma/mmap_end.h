/*
 * One end of an export with the functions of one generation of the interface: maps that export and
 * import, and their buffers. Each generation is compiled for its version (mmap_end_X_Y.c). Every
 * function fails the running test if a step fails. Creates no threads.
 */
#ifndef TESTS_INTEGRATION_DMA_MMAP_END_H
#define TESTS_INTEGRATION_DMA_MMAP_END_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct doca_buf;
struct doca_buf_inventory;
struct doca_dev;
struct doca_mmap;

#define MMAP_END_DESC_MAX 512u

struct mmap_end_desc {
	uint8_t bytes[MMAP_END_DESC_MAX];
	size_t len;
};

struct mmap_end {
	const char *version;
	bool has_access; /* read-only exports are possible */
	/*
	 * Creates a started map with one device. The memory may consist of two chunks, its halves.
	 */
	struct doca_mmap *(*make)(struct doca_dev *dev, void *addr, size_t len);
	struct doca_mmap *(*export)(struct doca_dev *dev, void *addr, size_t len, bool is_read_only,
				    struct mmap_end_desc *desc_out);
	struct doca_mmap *(*import)(struct doca_dev *dev, const struct mmap_end_desc *desc);
	void (*end)(struct doca_mmap *mmap);
	struct doca_buf_inventory *(*inventory)(void);
	struct doca_buf *(*buf)(struct doca_buf_inventory *inventory, struct doca_mmap *mmap,
				void *addr, size_t len);
	void (*buf_end)(struct doca_buf *buf);
	/* Exports a PCI import to RDMA peers. NULL: the version has no such function. */
	void (*pass_on)(struct doca_mmap *import, struct doca_dev *dev,
			struct mmap_end_desc *desc_out);
};

/* Exports a map with this number as its access, or as its RDMA permissions. */
struct doca_mmap *mmap_end_number_1_3(struct doca_dev *dev, void *addr, size_t len, uint32_t number,
				      struct mmap_end_desc *desc_out);
struct doca_mmap *mmap_end_number_2_2(struct doca_dev *dev, void *addr, size_t len, uint32_t number,
				      struct mmap_end_desc *desc_out);

extern const struct mmap_end mmap_end_1_3, mmap_end_1_5, mmap_end_2_2, mmap_end_3_3;

#endif
