/*
 * Buffer array: its struct, for the calls of 2.2 to 2.6, which say where the elements lie in
 * another order.
 */
#ifndef CLIENT_MEMORY_BUF_ARRAY_H
#define CLIENT_MEMORY_BUF_ARRAY_H

#include <doca_buf_array.h>

#include "client/base/generation.h"
#include "client/memory/mmap.h"

struct doca_buf_arr {
	uint16_t api; /* version that made it; from 2.7 on API_TASK */
	size_t n_elements;
	struct mmap_user memory; /* never active; the mmap NULL: destroyed, or no parameters */
	size_t element_size;     /* 0: no parameters */
	uint64_t start_offset;
};

/* Of a version; without parameters. */
doca_error_t buf_array_new(uint16_t api, struct doca_buf_arr **array_out);
/* It never starts, so there is never a handle: INVALID_VALUE or BAD_STATE with a sentence. */
doca_error_t buf_array_no_handle(const struct doca_buf_arr *array, const void *out,
				 const char *what);

#endif
