/*
 * Memory objects of the current generation, for tests of earlier ones: objects that the earlier
 * calls must refuse, and calls that must refuse the earlier objects. No type here depends on the
 * version for which a test is compiled. Every function fails the running test when a step does not
 * succeed. Creates no threads.
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

/* Makes a map of the current generation, with a range and a device, started or not. */
struct doca_mmap *other_mmap(struct doca_dev *dev, void *addr, size_t len, bool is_started);
void other_mmap_end(struct doca_mmap *mmap);
struct doca_buf_inventory *other_inventory(void);
struct doca_buf_arr *other_array(void);
/*
 * Checks that calls of the current generation refuse a map of an earlier one, with a sentence that
 * names the version. If the map has chunks, also checks the calls that accept maps of 2.0 to 2.2.
 */
void other_refuses_mmap(struct doca_mmap *mmap, struct doca_dev *dev, const char *version,
			bool has_chunks);
/*
 * Checks that calls of the current generation return no buffer of an earlier map or from an earlier
 * inventory.
 */
void other_refuses_buf(struct doca_buf_inventory *inventory, struct doca_mmap *mmap, void *addr,
		       const char *version);
/* Checks that they create no pool of an earlier map, and no array of a map with chunks. */
void other_refuses_pool(struct doca_mmap *mmap, const char *version);
void other_refuses_pieces(struct doca_mmap *mmap, const char *version);
void other_refuses_inventory(struct doca_buf_inventory *inventory, const char *version);
void other_refuses_array(struct doca_buf_arr *array, struct doca_mmap *mmap, const char *version);

#endif
