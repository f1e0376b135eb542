/* Buffer array: the struct, shared with the calls of generations 2.2 to 2.6, which take the
 * elements' parameters in another order. */
#ifndef CLIENT_MEMORY_BUF_ARRAY_H
#define CLIENT_MEMORY_BUF_ARRAY_H

#include <doca_buf_array.h>

#include "client/base/generation.h"
#include "client/memory/mmap.h"

struct doca_buf_arr {
	uint16_t api; /* the generation that created it; API_TASK from 2.7 on */
	size_t n_elements;
	/* never active; its mmap is NULL if it was destroyed or no parameters are set */
	struct mmap_user memory;
	size_t element_size; /* 0: no parameters are set */
	uint64_t start_offset;
};

/* Creates an array of the given generation, without parameters. */
doca_error_t buf_array_new(uint16_t api, struct doca_buf_arr **array_out);
/* Returns INVALID_VALUE or BAD_STATE with an error sentence. An array never starts, so it never has
 * a handle. */
doca_error_t buf_array_no_handle(const struct doca_buf_arr *array, const void *out,
				 const char *what);

#endif
