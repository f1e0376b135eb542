/* Buffer array: equal pieces of a memory map for a GPU or a data-path accelerator. This runtime has
 * neither, so an array can be configured and checked but not used. Threads: one at a time. */
#include "client/memory/buf_array.h"

#include <stdlib.h>

#include "client/base/error.h"
#include "client/memory/mmap.h"
#include "util/str.h"

static doca_error_t array_check(const struct doca_buf_arr *array, const char *what)
{
	if (likely(array != NULL))
		return DOCA_SUCCESS;
	return error_set(DOCA_ERROR_INVALID_VALUE, "buf array %s: the array is NULL", what);
}

doca_error_t buf_array_new(uint16_t api, struct doca_buf_arr **array_out)
{
	struct doca_buf_arr *array = calloc(1, sizeof(*array));

	if (array == NULL)
		return error_set(DOCA_ERROR_NO_MEMORY, "buf array create: out of memory");
	array->api = api;
	list_init(&array->memory.node);
	*array_out = array;
	return DOCA_SUCCESS;
}

doca_error_t doca_buf_arr_create(size_t num_elem, struct doca_buf_arr **array_out)
{
	doca_error_t result;

	if (array_out == NULL || num_elem == 0)
		return error_set(DOCA_ERROR_INVALID_VALUE, "buf array create: %s",
				 array_out == NULL ? "the result is NULL"
						   : "0 elements; ask for at least 1");
	result = buf_array_new(API_TASK, array_out);
	if (result == DOCA_SUCCESS)
		(*array_out)->n_elements = num_elem;
	return result;
}
API_PLAIN(doca_buf_arr_create, 2_7);

doca_error_t doca_buf_arr_set_target_gpu(struct doca_buf_arr *array, struct doca_gpu *gpu)
{
	doca_error_t result = array_check(array, "set target GPU");

	if (result != DOCA_SUCCESS)
		return result;
	if (gpu == NULL)
		return error_set(DOCA_ERROR_INVALID_VALUE,
				 "buf array set target GPU: the GPU is NULL");
	return error_set(DOCA_ERROR_NOT_SUPPORTED,
			 "buf array set target GPU: this runtime has no GPU data path; use an "
			 "inventory or a pool on the CPU");
}

doca_error_t doca_buf_arr_set_target_dpa(struct doca_buf_arr *array, struct doca_dpa *dpa)
{
	doca_error_t result = array_check(array, "set target DPA");

	if (result != DOCA_SUCCESS)
		return result;
	if (dpa == NULL)
		return error_set(DOCA_ERROR_INVALID_VALUE,
				 "buf array set target DPA: the DPA is NULL");
	return error_set(DOCA_ERROR_NOT_SUPPORTED,
			 "buf array set target DPA: this runtime has no DPA; use an inventory or a "
			 "pool on the CPU");
}

doca_error_t doca_buf_arr_set_params(struct doca_buf_arr *array, struct doca_mmap *mmap,
				     size_t elem_size, uint64_t start_offset)
{
	doca_error_t result = array_check(array, "set parameters");

	if (result != DOCA_SUCCESS)
		return result;
	if (mmap == NULL || elem_size == 0)
		return error_set(DOCA_ERROR_INVALID_VALUE, "buf array set parameters: %s",
				 mmap == NULL ? "mmap is NULL"
					      : "elements of 0 bytes; ask for at least 1");
	if (array->api != API_TASK)
		return api_refuse("buf array set parameters", "array", array->api);
	if (mmap->api != API_TASK)
		return api_refuse("buf array set parameters", "mmap", mmap->api);
	mmap_user_remove(&array->memory);
	mmap_user_add(&array->memory, mmap);
	array->element_size = elem_size;
	array->start_offset = start_offset;
	return DOCA_SUCCESS;
}
API_PLAIN(doca_buf_arr_set_params, 2_7);

doca_error_t doca_buf_arr_start(struct doca_buf_arr *array)
{
	doca_error_t result = array_check(array, "start");
	const struct doca_mmap *mmap;
	size_t all;

	if (result != DOCA_SUCCESS)
		return result;
	if (array->element_size == 0)
		return error_set(
			DOCA_ERROR_BAD_STATE,
			"buf array start: no parameters; call doca_buf_arr_set_params first");
	mmap = array->memory.mmap;
	if (mmap != NULL && mmap->legacy != NULL && !mmap->from_export)
		return api_refuse("buf array start", "mmap", mmap->api);
	if (mmap == NULL || mmap->base == UINTPTR_MAX)
		return error_set(array->api == API_TASK ? DOCA_ERROR_BAD_STATE
							: DOCA_ERROR_NOT_PERMITTED,
				 "buf array start: the mmap %s",
				 mmap == NULL ? "was destroyed; make the array of another one"
					      : "is not started; call doca_mmap_start first");
	if (__builtin_mul_overflow(array->n_elements, array->element_size, &all) ||
	    __builtin_add_overflow(all, array->start_offset, &all) || all > mmap->span)
		return error_set(
			DOCA_ERROR_NO_MEMORY,
			"buf array start: %zu %s of %zu bytes from offset %llu %s not fit the "
			"mmap's %zu bytes",
			array->n_elements, plural(array->n_elements, "element", "elements"),
			array->element_size, (unsigned long long)array->start_offset,
			plural(array->n_elements, "does", "do"), mmap->span);
	return error_set(DOCA_ERROR_BAD_STATE,
			 "buf array start: no target; arrays are for GPUs and DPAs, which this "
			 "runtime does not have");
}

doca_error_t doca_buf_arr_stop(struct doca_buf_arr *array)
{
	return array_check(array, "stop");
}

doca_error_t doca_buf_arr_destroy(struct doca_buf_arr *array)
{
	doca_error_t result = array_check(array, "destroy");

	if (result != DOCA_SUCCESS)
		return result;
	mmap_user_remove(&array->memory);
	free(array);
	return DOCA_SUCCESS;
}

doca_error_t buf_array_no_handle(const struct doca_buf_arr *array, const void *out,
				 const char *what)
{
	doca_error_t result = array_check(array, what);

	if (result != DOCA_SUCCESS)
		return result;
	if (out == NULL)
		return error_set(DOCA_ERROR_INVALID_VALUE, "buf array %s: the result is NULL",
				 what);
	return error_set(DOCA_ERROR_BAD_STATE,
			 "buf array %s: the array is not started, and cannot be: this runtime has "
			 "neither GPU nor DPA",
			 what);
}

doca_error_t doca_buf_arr_get_gpu_handle(const struct doca_buf_arr *array,
					 struct doca_gpu_buf_arr **handle_out)
{
	return buf_array_no_handle(array, handle_out, "GPU handle");
}

doca_error_t doca_buf_arr_get_dpa_handle(const struct doca_buf_arr *array,
					 doca_dpa_dev_buf_arr_t *handle_out)
{
	if (array != NULL && handle_out != NULL && array->api != API_TASK)
		return api_refuse("buf array DPA handle", "array", array->api);
	return buf_array_no_handle(array, handle_out, "DPA handle");
}
API_PLAIN(doca_buf_arr_get_dpa_handle, 2_7);
