/*
 * Buffers, inventories and arrays of earlier generations: implementations of the functions that are
 * bound to one version (client/compat/abi). No type here depends on the version that a file is
 * compiled for.
 */
#ifndef CLIENT_COMPAT_BUF_H
#define CLIENT_COMPAT_BUF_H

#include <stddef.h>
#include <stdint.h>

#include <doca_error.h>
#include <doca_types.h>

struct doca_buf;
struct doca_buf_arr;
struct doca_buf_inventory;
struct doca_mmap;

/* For 1.5: the window must lie in the buffer's region. */
doca_error_t compat_buf_set_data(struct doca_buf *buf, void *data, size_t data_len);
/* name and user_data may be NULL. */
doca_error_t compat_inventory_create(uint16_t api, const char *name,
				     const union doca_data *user_data, size_t n_elements,
				     uint32_t extensions,
				     struct doca_buf_inventory **inventory_out);
/* For 2.0 to 2.6. */
doca_error_t compat_buf_array_create(struct doca_mmap *mmap, struct doca_buf_arr **array_out);
doca_error_t compat_buf_array_set_params(struct doca_buf_arr *array, size_t element_size,
					 uint32_t n_elements, uint32_t start_offset);
doca_error_t compat_buf_array_dpa_handle(const struct doca_buf_arr *array, const void *out);

#endif
