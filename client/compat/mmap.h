/*
 * Memory maps of earlier generations: what the functions bound to one version (client/compat/vX_Y)
 * are made of. No type here depends on the version that a file is compiled for.
 *
 * A map of 1.3 to 1.5 is a front: it has the devices, the limits and the state. Each chunk is a map
 * of one range behind it, with the front's devices and rights, and buffers point to those. So the
 * data path knows nothing of chunks: only taking a buffer looks for the chunk, in a sorted array.
 */
#ifndef CLIENT_COMPAT_MMAP_H
#define CLIENT_COMPAT_MMAP_H

#include <stddef.h>
#include <stdint.h>

#include <doca_error.h>
#include <doca_types.h>

struct doca_dev;
struct doca_mmap;

/* A map with chunks, of version 1.3 or 1.5; name and user_data may be NULL. */
doca_error_t compat_mmap_create_chunked(uint16_t api, const char *name,
					const union doca_data *user_data,
					struct doca_mmap **mmap_out);
/* A map of one range, of 2.0. */
doca_error_t compat_mmap_create_ranged(const union doca_data *user_data,
				       struct doca_mmap **mmap_out);
/* An import, of version 1.3 or 1.5. */
doca_error_t compat_mmap_import(uint16_t api, const char *name, const union doca_data *user_data,
				const void *desc, size_t desc_len, struct doca_dev *dev,
				struct doca_mmap **mmap_out);
/* Of maps with chunks. */
doca_error_t compat_mmap_start(struct doca_mmap *mmap);
doca_error_t compat_mmap_dev_add_started(struct doca_mmap *mmap, struct doca_dev *dev);
doca_error_t compat_mmap_dev_rm_started(struct doca_mmap *mmap, struct doca_dev *dev);
/* Of maps of one range, of 2.0. */
doca_error_t compat_mmap_dev_add(struct doca_mmap *mmap, struct doca_dev *dev);
doca_error_t compat_mmap_dev_rm(struct doca_mmap *mmap, struct doca_dev *dev);
doca_error_t compat_mmap_set_dmabuf(struct doca_mmap *mmap, int fd, size_t offset, size_t len);

/*
 * The map of one range behind a map with chunks that has the address: of the last chunk that begins
 * at or before it. An import is its own. NULL with a sentence and *result_out if there is none.
 */
struct doca_mmap *compat_mmap_find(struct doca_mmap *mmap, const void *addr,
				   doca_error_t *result_out);

#endif
