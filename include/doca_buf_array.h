/*
 * Array: equal pieces of a memory map for a program that runs on a GPU or a data-path accelerator
 * (DPA). There is no array for the CPU; inventories and pools serve there.
 *
 * Order: create, set the parameters (the forms of both changed with 2.7), set the target, start,
 * hand the target's handle to the program there, stop, destroy. This runtime has neither GPU nor
 * DPA: an array can be made and described and its parameters are checked, but it never starts.
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

#if DOCA_USE_VERSION < DOCA_MAKE_VERSION(2, 7)
#include <doca_buf.h>
#include <doca_dev.h>
#include <doca_mmap.h>
#endif

#if DOCA_USE_VERSION < DOCA_MAKE_VERSION(2, 0)
#error "doca_buf_array.h is there from 2.0 on: set DOCA_USE_VERSION to that or later"
#endif

#ifdef __cplusplus
extern "C" {
#endif

struct doca_buf_arr;     /* array */
struct doca_gpu_buf_arr; /* array as the GPU sees it */
struct doca_dpa;
struct doca_gpu;
struct doca_mmap;

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
 * Since 2.0. Source: DOCA Core guide, buffer array.
 */
DOCA_STABLE doca_error_t doca_buf_arr_set_target_gpu(struct doca_buf_arr *buf_arr,
						     struct doca_gpu *gpu_handler);

#if DOCA_USE_VERSION >= DOCA_MAKE_VERSION(2, 5)
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
#endif

#if DOCA_USE_VERSION >= DOCA_MAKE_VERSION(2, 7)
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
DOCA_STABLE doca_error_t doca_buf_arr_create(size_t num_elem, struct doca_buf_arr **buf_arr)
	DOCA_BIND(doca_buf_arr_create, 2_7);

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
 * - DOCA_ERROR_BAD_STATE: the array is started, or was made for 2.6 or earlier.
 * Since 2.7. Source: DOCA Core guide, buffer array.
 */
DOCA_STABLE doca_error_t doca_buf_arr_set_params(struct doca_buf_arr *buf_arr,
						 struct doca_mmap *mmap, size_t elem_size,
						 uint64_t start_offset)
	DOCA_BIND(doca_buf_arr_set_params, 2_7);

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
						     doca_dpa_dev_buf_arr_t *dpa_buf_arr)
	DOCA_BIND(doca_buf_arr_get_dpa_handle, 2_7);
#else
/**
 * Makes an array, without parameters and target.
 * @param mmap map that the elements are in; stays the caller's, must outlive the array's use
 * @param buf_arr receives the array; give it back with doca_buf_arr_destroy
 * Threads: one at a time per array.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_NO_MEMORY: no memory; free some and repeat.
 * Since 2.0, until 2.6. Source: DOCA Core guide, buffer array.
 */
DOCA_STABLE doca_error_t doca_buf_arr_create(struct doca_mmap *mmap, struct doca_buf_arr **buf_arr)
	DOCA_BIND(doca_buf_arr_create, 2_0);

/**
 * Says how the elements lie. A second call replaces the first.
 * @param buf_arr array
 * @param size bytes of an element, at least 1
 * @param num_elem number of elements, at least 1
 * @param start_offset bytes from the map's start to the first element
 * Threads: one at a time per array.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: buf_arr is NULL, or size or num_elem is 0.
 * - DOCA_ERROR_BAD_STATE: the array is started, or was made for 2.7 or later.
 * Since 2.0, until 2.6. Source: DOCA Core guide, buffer array.
 */
DOCA_STABLE doca_error_t doca_buf_arr_set_params(struct doca_buf_arr *buf_arr, size_t size,
						 uint32_t num_elem, uint32_t start_offset)
	DOCA_BIND(doca_buf_arr_set_params, 2_0);
#endif

#if DOCA_USE_VERSION >= DOCA_MAKE_VERSION(2, 5) && DOCA_USE_VERSION < DOCA_MAKE_VERSION(2, 7)
struct doca_dpa_dev_buf_arr; /* array as the data-path accelerator sees it */

/**
 * The array as a program on the data-path accelerator takes it.
 * @param buf_arr array
 * @param dpa_buf_arr receives the handle, valid until stop
 * Threads: one at a time per array.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_BAD_STATE: the array is not started; here it never is.
 * Since 2.5, until 2.6. Source: DOCA Core guide, buffer array.
 */
DOCA_STABLE doca_error_t doca_buf_arr_get_dpa_handle(const struct doca_buf_arr *buf_arr,
						     struct doca_dpa_dev_buf_arr **dpa_buf_arr)
	DOCA_BIND(doca_buf_arr_get_dpa_handle, 2_5);
#endif

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
 *   not started or destroyed. Here no array has a target, so start does not succeed.
 * - DOCA_ERROR_NOT_PERMITTED: the map is not started or destroyed, up to 2.6.
 * Since 2.0. Source: DOCA Core guide, buffer array.
 */
DOCA_STABLE doca_error_t doca_buf_arr_start(struct doca_buf_arr *buf_arr);

/**
 * Ends the use of an array. One that is not started stays as it is.
 * @param buf_arr array
 * States: any.
 * Threads: one at a time per array.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: buf_arr is NULL.
 * Since 2.0. Source: DOCA Core guide, buffer array.
 */
DOCA_STABLE doca_error_t doca_buf_arr_stop(struct doca_buf_arr *buf_arr);

/**
 * Stops an array if need be and frees it.
 * @param buf_arr array
 * States: any.
 * Threads: one at a time per array.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: buf_arr is NULL.
 * Since 2.0. Source: DOCA Core guide, buffer array.
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
 * Since 2.0. Source: DOCA Core guide, buffer array.
 */
DOCA_STABLE doca_error_t doca_buf_arr_get_gpu_handle(const struct doca_buf_arr *buf_arr,
						     struct doca_gpu_buf_arr **gpu_buf_arr);

#ifdef __cplusplus
}
#endif

#endif
