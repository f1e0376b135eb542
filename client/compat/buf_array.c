/* Buffer arrays of 2.0 to 2.6. Threads: one at a time per array. */
#include "client/memory/buf_array.h"

#include "client/base/error.h"
#include "client/compat/buf.h"
#include "client/memory/mmap.h"

doca_error_t compat_buf_array_create(struct doca_mmap *mmap, struct doca_buf_arr **array_out)
{
	doca_error_t result;

	if (mmap == NULL || array_out == NULL)
		return error_set(DOCA_ERROR_INVALID_VALUE, "buf array create: %s is NULL",
				 mmap == NULL ? "mmap" : "the result");
	/* Memory maps before 2.0 have chunks, which arrays do not support. */
	if (mmap->api != API_TASK && mmap->api < API_2_0)
		return api_refuse("buf array create", "mmap", mmap->api);
	result = buf_array_new(API_2_0, array_out);
	if (result == DOCA_SUCCESS)
		mmap_user_add(&(*array_out)->memory, mmap);
	return result;
}

doca_error_t compat_buf_array_set_params(struct doca_buf_arr *array, size_t element_size,
					 uint32_t n_elements, uint32_t start_offset)
{
	if (array == NULL || element_size == 0 || n_elements == 0)
		return error_set(DOCA_ERROR_INVALID_VALUE, "buf array set parameters: %s",
				 array == NULL       ? "the array is NULL"
				 : element_size == 0 ? "elements of 0 bytes; ask for at least 1"
						     : "0 elements; ask for at least 1");
	if (array->api == API_TASK)
		return api_refuse("buf array set parameters", "array", DOCA_MAKE_VERSION(2, 7));
	array->element_size = element_size;
	array->n_elements = n_elements;
	array->start_offset = start_offset;
	return DOCA_SUCCESS;
}

doca_error_t compat_buf_array_dpa_handle(const struct doca_buf_arr *array, const void *out)
{
	if (array != NULL && out != NULL && array->api == API_TASK)
		return api_refuse("buf array DPA handle", "array", DOCA_MAKE_VERSION(2, 7));
	return buf_array_no_handle(array, out, "DPA handle");
}
