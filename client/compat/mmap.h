/*
 * Memory maps of earlier generations: implementations of the functions that are bound to one
 * version (client/compat/abi). No type here depends on the version that a file is compiled for.
 *
 * A memory map of 1.3 to 1.5 has the devices, the limits and the state, but no range. Each of its
 * chunks is a memory map of one range with the same devices and rights, and buffers point to
 * chunks. The data path is thus unaware of chunks: only taking a buffer searches for the chunk, in
 * a sorted array.
 */
#ifndef CLIENT_COMPAT_MMAP_H
#define CLIENT_COMPAT_MMAP_H

#include <stddef.h>
#include <stdint.h>

#include <doca_error.h>
#include <doca_types.h>

struct doca_dev;
struct doca_mmap;

/* Creates a memory map with chunks, of version 1.3 or 1.5; name and user_data may be NULL. */
doca_error_t compat_mmap_create_chunked(uint16_t api, const char *name,
					const union doca_data *user_data,
					struct doca_mmap **mmap_out);
/* Creates a memory map of one range, of version 2.0. */
doca_error_t compat_mmap_create_ranged(const union doca_data *user_data,
				       struct doca_mmap **mmap_out);
/* Creates an import, of version 1.3 or 1.5. */
doca_error_t compat_mmap_import(uint16_t api, const char *name, const union doca_data *user_data,
				const void *desc, size_t desc_len, struct doca_dev *dev,
				struct doca_mmap **mmap_out);
/* --- memory maps with chunks --- */
doca_error_t compat_mmap_start(struct doca_mmap *mmap);
doca_error_t compat_mmap_dev_add_started(struct doca_mmap *mmap, struct doca_dev *dev);
doca_error_t compat_mmap_dev_rm_started(struct doca_mmap *mmap, struct doca_dev *dev);
/* --- memory maps of one range, of 2.0 --- */
doca_error_t compat_mmap_dev_add(struct doca_mmap *mmap, struct doca_dev *dev);
doca_error_t compat_mmap_dev_rm(struct doca_mmap *mmap, struct doca_dev *dev);
doca_error_t compat_mmap_set_dmabuf(struct doca_mmap *mmap, int fd, size_t offset, size_t len);

/* Returns the chunk for an address: the last one that begins at or before it. For an import,
 * returns the import. If there is none, returns NULL and *result_out with an error sentence. */
struct doca_mmap *compat_mmap_find(struct doca_mmap *mmap, const void *addr,
				   doca_error_t *result_out);

#endif
