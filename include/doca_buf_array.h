/*
 * Buffer array: elements of equal size in a memory map, for a program that runs on a GPU or a
 * data-path accelerator (DPA). There is no array for the CPU: use an inventory or a pool there.
 *
 * Use it in this order: create it, set the parameters (both calls changed in 2.7), set the target,
 * start it, pass the handle of the array to the program on the target, stop it, destroy it. This
 * runtime has neither a GPU nor a DPA: an array can be created and configured, and its parameters
 * are checked, but it cannot be started.
 *
 * A call without a "States:" line is allowed in every state.
 *
 * Errors that the doc blocks do not repeat:
 *
 * - DOCA_ERROR_INVALID_VALUE: a pointer argument is NULL, and its description does not allow that.
 *
 * Threads: one thread at a time per array.
 *
 * Reference: DOCA Core guide, buffer array.
 *
 * Example: 16 elements of 4 KiB each, for a program on a GPU.
 *
 *     doca_error_t start_array(struct doca_mmap *map, struct doca_gpu *gpu,
 *                              struct doca_buf_arr **array)
 *     {
 *         doca_error_t result = doca_buf_arr_create(16, array);
 *
 *         if (result != DOCA_SUCCESS)
 *             return result;
 *         if ((result = doca_buf_arr_set_params(*array, map, 4096, 0)) != DOCA_SUCCESS ||
 *             (result = doca_buf_arr_set_target_gpu(*array, gpu)) != DOCA_SUCCESS ||
 *             (result = doca_buf_arr_start(*array)) != DOCA_SUCCESS)
 *             doca_buf_arr_destroy(*array);
 *         return result;
 *     }
 */
#ifndef DOCA_BUF_ARRAY_H_
#define DOCA_BUF_ARRAY_H_

#include <stddef.h>
#include <stdint.h>

#include <doca_compat.h>
#include <doca_error.h>
#include <doca_types.h>

#include <doca_buf.h>
#include <doca_dev.h>
#include <doca_mmap.h>

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
 * Selects a GPU as the target of an array.
 * @param buf_arr array
 * @param gpu_handler GPU
 * States: not started.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_BAD_STATE: the array is started.
 * - DOCA_ERROR_NOT_SUPPORTED: this runtime has no GPU data path; keep the buffers on the CPU.
 * Since 2.0.
 */
DOCA_STABLE doca_error_t doca_buf_arr_set_target_gpu(struct doca_buf_arr *buf_arr,
						     struct doca_gpu *gpu_handler);

#if DOCA_USE_VERSION >= DOCA_MAKE_VERSION(2, 5)
/**
 * Selects a data-path accelerator as the target of an array.
 * @param buf_arr array
 * @param dpa_handler accelerator
 * States: not started.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_BAD_STATE: the array is started.
 * - DOCA_ERROR_NOT_SUPPORTED: this runtime has no DPA; keep the buffers on the CPU.
 * Since 2.5.
 */
DOCA_STABLE doca_error_t doca_buf_arr_set_target_dpa(struct doca_buf_arr *buf_arr,
						     struct doca_dpa *dpa_handler);
#endif

#if DOCA_USE_VERSION >= DOCA_MAKE_VERSION(2, 7)
/* Handle of an array for code on a data-path accelerator. */
typedef uint64_t doca_dpa_dev_buf_arr_t;

/**
 * Creates an array, without parameters and target.
 * @param num_elem number of elements, at least 1
 * @param buf_arr receives the array; release it with doca_buf_arr_destroy
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: num_elem is 0.
 * - DOCA_ERROR_NO_MEMORY: out of memory; free some and repeat.
 * Since 2.7.
 */
DOCA_STABLE doca_error_t doca_buf_arr_create(size_t num_elem, struct doca_buf_arr **buf_arr)
	DOCA_BIND(doca_buf_arr_create, 2_7);

/**
 * Sets the position and size of the elements. A second call replaces the first.
 * @param buf_arr array
 * @param mmap map that contains the elements; owned by the program, must outlive the array's use
 * @param elem_size size of an element in bytes, at least 1
 * @param start_offset bytes from the map's start to the first element
 * States: not started.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: elem_size is 0.
 * - DOCA_ERROR_BAD_STATE: the array is started, or was created for 2.6 or earlier.
 * Since 2.7.
 */
DOCA_STABLE doca_error_t doca_buf_arr_set_params(struct doca_buf_arr *buf_arr,
						 struct doca_mmap *mmap, size_t elem_size,
						 uint64_t start_offset)
	DOCA_BIND(doca_buf_arr_set_params, 2_7);

/**
 * Gets the array in the form that a program on the data-path accelerator uses.
 * @param buf_arr array
 * @param dpa_buf_arr receives the handle, valid until stop
 * States: started, for a DPA.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_BAD_STATE: the array is not started; in this runtime it never is.
 * Since 2.7.
 */
DOCA_STABLE doca_error_t doca_buf_arr_get_dpa_handle(const struct doca_buf_arr *buf_arr,
						     doca_dpa_dev_buf_arr_t *dpa_buf_arr)
	DOCA_BIND(doca_buf_arr_get_dpa_handle, 2_7);
#else
/**
 * Creates an array, without parameters and target.
 * @param mmap map that contains the elements; owned by the program, must outlive the array's use
 * @param buf_arr receives the array; release it with doca_buf_arr_destroy
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_NO_MEMORY: out of memory; free some and repeat.
 * Since 2.0, until 2.6.
 */
DOCA_STABLE doca_error_t doca_buf_arr_create(struct doca_mmap *mmap, struct doca_buf_arr **buf_arr)
	DOCA_BIND(doca_buf_arr_create, 2_0);

/**
 * Sets the position and size of the elements. A second call replaces the first.
 * @param buf_arr array
 * @param size size of an element in bytes, at least 1
 * @param num_elem number of elements, at least 1
 * @param start_offset bytes from the map's start to the first element
 * States: not started.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: size or num_elem is 0.
 * - DOCA_ERROR_BAD_STATE: the array is started, or was created for 2.7 or later.
 * Since 2.0, until 2.6.
 */
DOCA_STABLE doca_error_t doca_buf_arr_set_params(struct doca_buf_arr *buf_arr, size_t size,
						 uint32_t num_elem, uint32_t start_offset)
	DOCA_BIND(doca_buf_arr_set_params, 2_0);
#endif

#if DOCA_USE_VERSION >= DOCA_MAKE_VERSION(2, 5) && DOCA_USE_VERSION < DOCA_MAKE_VERSION(2, 7)
struct doca_dpa_dev_buf_arr; /* array for code on a data-path accelerator */

/**
 * Gets the array in the form that a program on the data-path accelerator uses.
 * @param buf_arr array
 * @param dpa_buf_arr receives the handle, valid until stop
 * States: started, for a DPA.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_BAD_STATE: the array is not started; in this runtime it never is.
 * Since 2.5, until 2.6.
 */
DOCA_STABLE doca_error_t doca_buf_arr_get_dpa_handle(const struct doca_buf_arr *buf_arr,
						     struct doca_dpa_dev_buf_arr **dpa_buf_arr)
	DOCA_BIND(doca_buf_arr_get_dpa_handle, 2_5);
#endif

/**
 * Makes an array usable by its target.
 * @param buf_arr array
 * States: not started, with parameters and target; the map is started.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_NO_MEMORY: the elements do not fit in the map; use a larger map, or fewer or smaller
 *   elements.
 * - DOCA_ERROR_BAD_STATE: the array is started, or has no parameters or no target; from 2.7 on also
 *   if its map is not started or is destroyed. In this runtime no array has a target, so the call
 *   always fails.
 * - DOCA_ERROR_NOT_PERMITTED: up to 2.6, the map is not started or is destroyed.
 * Since 2.0.
 */
DOCA_STABLE doca_error_t doca_buf_arr_start(struct doca_buf_arr *buf_arr);

/**
 * Ends the use of an array. Has no effect on an array that is not started.
 * @param buf_arr array
 * @return DOCA_SUCCESS
 * Since 2.0.
 */
DOCA_STABLE doca_error_t doca_buf_arr_stop(struct doca_buf_arr *buf_arr);

/**
 * Destroys an array. Stops it first if it is started.
 * @param buf_arr array
 * @return DOCA_SUCCESS
 * Since 2.0.
 */
DOCA_STABLE doca_error_t doca_buf_arr_destroy(struct doca_buf_arr *buf_arr);

/**
 * Gets the array in the form that a program on the GPU uses.
 * @param buf_arr array
 * @param gpu_buf_arr receives the handle, valid until stop
 * States: started, for a GPU.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_BAD_STATE: the array is not started; in this runtime it never is.
 * Since 2.0.
 */
DOCA_STABLE doca_error_t doca_buf_arr_get_gpu_handle(const struct doca_buf_arr *buf_arr,
						     struct doca_gpu_buf_arr **gpu_buf_arr);

#ifdef __cplusplus
}
#endif

#endif
