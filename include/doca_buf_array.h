/*
 * Array: equal pieces of a memory map for a program that runs on a GPU or a data-path accelerator
 * (DPA). There is no array for the CPU; inventories and pools serve there.
 *
 * Order: create, set the parameters, set the target, start, hand the target's handle to the program
 * there, stop, destroy. This runtime has neither GPU nor DPA: an array can be made and described
 * and its parameters are checked, but it never starts.
 *
 * Threads: one thread at a time per array.
 */
#ifndef DOCA_BUF_ARRAY_H_
#define DOCA_BUF_ARRAY_H_

#include <stddef.h>
#include <stdint.h>

#include <doca_compat.h>
#include <doca_error.h>
#include <doca_types.h>

#ifdef __cplusplus
extern "C" {
#endif

struct doca_buf_arr;     /* array */
struct doca_gpu_buf_arr; /* array as the GPU sees it */
struct doca_dpa;
struct doca_gpu;
struct doca_mmap;

/* Handle of an array inside a data-path accelerator. */
typedef uint64_t doca_dpa_dev_buf_arr_t;

/**
 * Makes an array, without parameters and target.
 * @param num_elem number of elements, at least 1
 * @param buf_arr receives the array; give it back with doca_buf_arr_destroy
 * Threads: one at a time per array.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: buf_arr is NULL or num_elem is 0.
 * - DOCA_ERROR_NO_MEMORY: no memory; free some and repeat.
 * Since 2.7. Source: DOCA Core guide, buffer array.
 */
DOCA_STABLE doca_error_t doca_buf_arr_create(size_t num_elem, struct doca_buf_arr **buf_arr);

/**
 * Makes the array one for a GPU.
 * @param buf_arr array
 * @param gpu_handler GPU
 * States: not started.
 * Threads: one at a time per array.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_BAD_STATE: the array is started.
 * - DOCA_ERROR_NOT_SUPPORTED: this runtime has no GPU data path; keep the buffers on the CPU.
 * Since 2.5. Source: DOCA Core guide, buffer array.
 */
DOCA_STABLE doca_error_t doca_buf_arr_set_target_gpu(struct doca_buf_arr *buf_arr,
						     struct doca_gpu *gpu_handler);

/**
 * Makes the array one for a data-path accelerator.
 * @param buf_arr array
 * @param dpa_handler accelerator
 * States: not started.
 * Threads: one at a time per array.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_BAD_STATE: the array is started.
 * - DOCA_ERROR_NOT_SUPPORTED: this runtime has no DPA; keep the buffers on the CPU.
 * Since 2.5. Source: DOCA Core guide, buffer array.
 */
DOCA_STABLE doca_error_t doca_buf_arr_set_target_dpa(struct doca_buf_arr *buf_arr,
						     struct doca_dpa *dpa_handler);

/**
 * Says where the elements lie. A second call replaces the first.
 * @param buf_arr array
 * @param mmap map that the elements are in; stays the caller's, must outlive the array's use
 * @param elem_size bytes of an element, at least 1
 * @param start_offset bytes from the map's start to the first element
 * States: not started.
 * Threads: one at a time per array.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: buf_arr or mmap is NULL, or elem_size is 0.
 * - DOCA_ERROR_BAD_STATE: the array is started.
 * Since 2.7. Source: DOCA Core guide, buffer array.
 */
DOCA_STABLE doca_error_t doca_buf_arr_set_params(struct doca_buf_arr *buf_arr,
						 struct doca_mmap *mmap, size_t elem_size,
						 uint64_t start_offset);

/**
 * Makes the array usable by its target.
 * @param buf_arr array
 * States: not started, with parameters and target; the map is started.
 * Threads: one at a time per array.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: buf_arr is NULL.
 * - DOCA_ERROR_NO_MEMORY: the elements do not fit the map; use a larger one, or fewer or smaller
 *   elements.
 * - DOCA_ERROR_BAD_STATE: the array is started, or has no parameters or no target, or its map is
 *   not started. Here no array has a target, so start does not succeed.
 * Since 2.5. Source: DOCA Core guide, buffer array.
 */
DOCA_STABLE doca_error_t doca_buf_arr_start(struct doca_buf_arr *buf_arr);

/**
 * Ends the use of an array. One that is not started stays as it is.
 * @param buf_arr array
 * States: any.
 * Threads: one at a time per array.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: buf_arr is NULL.
 * Since 2.5. Source: DOCA Core guide, buffer array.
 */
DOCA_STABLE doca_error_t doca_buf_arr_stop(struct doca_buf_arr *buf_arr);

/**
 * Stops an array if need be and frees it.
 * @param buf_arr array
 * States: any.
 * Threads: one at a time per array.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: buf_arr is NULL.
 * Since 2.5. Source: DOCA Core guide, buffer array.
 */
DOCA_STABLE doca_error_t doca_buf_arr_destroy(struct doca_buf_arr *buf_arr);

/**
 * The array as a program on the GPU takes it.
 * @param buf_arr array
 * @param gpu_buf_arr receives the handle, valid until stop
 * States: started, for a GPU.
 * Threads: one at a time per array.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_BAD_STATE: the array is not started; here it never is.
 * Since 2.5. Source: DOCA Core guide, buffer array.
 */
DOCA_STABLE doca_error_t doca_buf_arr_get_gpu_handle(const struct doca_buf_arr *buf_arr,
						     struct doca_gpu_buf_arr **gpu_buf_arr);

/**
 * The array as a program on the data-path accelerator takes it.
 * @param buf_arr array
 * @param dpa_buf_arr receives the handle, valid until stop
 * States: started, for a DPA.
 * Threads: one at a time per array.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_BAD_STATE: the array is not started; here it never is.
 * Since 2.7. Source: DOCA Core guide, buffer array.
 */
DOCA_STABLE doca_error_t doca_buf_arr_get_dpa_handle(const struct doca_buf_arr *buf_arr,
						     doca_dpa_dev_buf_arr_t *dpa_buf_arr);

#ifdef __cplusplus
}
#endif

#endif
