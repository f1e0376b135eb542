/*
 * Memory objects of the current generation, for tests of earlier ones: what their calls must
 * refuse, and what refuses theirs. No type here depends on the version that a test is compiled for.
 * Every function fails the running test when a step does not succeed. Threads: none.
 */
#ifndef TESTS_CONFORMANCE_OTHER_MEMORY_H
#define TESTS_CONFORMANCE_OTHER_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

struct doca_buf;
struct doca_buf_arr;
struct doca_buf_inventory;
struct doca_dev;
struct doca_mmap;

/* A map of the current generation: with a range and a device, started or not. */
struct doca_mmap *other_mmap(struct doca_dev *dev, void *addr, size_t len, bool is_started);
void other_mmap_end(struct doca_mmap *mmap);
struct doca_buf_inventory *other_inventory(void);
struct doca_buf_arr *other_array(void);
/* Calls of the current generation refuse a map of an earlier one, with a sentence that names the
 * version. If it has chunks, also those calls that go for maps of 2.0 to 2.2. */
void other_refuses_mmap(struct doca_mmap *mmap, struct doca_dev *dev, const char *version,
			bool has_chunks);
/* No buffer by calls of the current generation, of an earlier map or from an earlier inventory. */
void other_refuses_buf(struct doca_buf_inventory *inventory, struct doca_mmap *mmap, void *addr,
		       const char *version);
/* Nor pools of an earlier map, nor arrays of one with chunks. */
void other_refuses_pool(struct doca_mmap *mmap, const char *version);
void other_refuses_pieces(struct doca_mmap *mmap, const char *version);
void other_refuses_inventory(struct doca_buf_inventory *inventory, const char *version);
void other_refuses_array(struct doca_buf_arr *array, struct doca_mmap *mmap, const char *version);

#endif
