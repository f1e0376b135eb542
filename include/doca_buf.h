/*
 * Buffer: a view of a piece of a memory map, made of a region (head, len) and a data window inside
 * it.
 *
 * As a source, the data window is read. As a destination, results are written behind the data that
 * is there and the window grows by them; doca_buf_reset_data_len makes the buffer empty again. (Up
 * to 2.0 the data that is there does not count: results are written at the window's start.)
 * Buffers may be chained to lists; the head stands for the list. A buffer given to a submitted task
 * or job belongs to the library until that completes.
 *
 * Threads: one thread at a time per buffer, list and inventory. Calls here do not check their
 * pointers for NULL where no error is listed.
 */
#ifndef DOCA_BUF_H_
#define DOCA_BUF_H_

#include <stddef.h>
#include <stdint.h>

#include <doca_compat.h>
#include <doca_error.h>

#ifdef __cplusplus
extern "C" {
#endif

struct doca_buf; /* buffer, or the head of a list of them */

#if DOCA_USE_VERSION >= DOCA_MAKE_VERSION(2, 0)
/**
 * Length of a buffer's region.
 * @param buf buffer; pointer not checked for NULL
 * @param len receives the bytes from head to the end of the region
 * States: the buffer is the program's, not given to a submitted task.
 * Threads: one at a time per buffer and its list.
 * @return DOCA_SUCCESS; the arguments are not checked
 * Since 2.0. Source: DOCA Core guide, buffers.
 */
DOCA_STABLE doca_error_t doca_buf_get_len(const struct doca_buf *buf, size_t *len);

/**
 * Start of a buffer's region.
 * @param buf buffer; pointer not checked for NULL
 * @param head receives the address; for an imported map, one of the exporter
 * States: the buffer is the program's, not given to a submitted task.
 * Threads: one at a time per buffer and its list.
 * @return DOCA_SUCCESS; the arguments are not checked
 * Since 2.0. Source: DOCA Core guide, buffers.
 */
DOCA_STABLE doca_error_t doca_buf_get_head(const struct doca_buf *buf, void **head);

/**
 * Length of a buffer's data window.
 * @param buf buffer; pointer not checked for NULL
 * @param data_len receives the bytes
 * States: the buffer is the program's, not given to a submitted task.
 * Threads: one at a time per buffer and its list.
 * @return DOCA_SUCCESS; the arguments are not checked
 * Since 2.0. Source: DOCA Core guide, buffers.
 */
DOCA_STABLE doca_error_t doca_buf_get_data_len(const struct doca_buf *buf, size_t *data_len);

/**
 * Start of a buffer's data window.
 * @param buf buffer; pointer not checked for NULL
 * @param data receives the address; for an imported map, one of the exporter
 * States: the buffer is the program's, not given to a submitted task.
 * Threads: one at a time per buffer and its list.
 * @return DOCA_SUCCESS; the arguments are not checked
 * Since 2.0. Source: DOCA Core guide, buffers.
 */
DOCA_STABLE doca_error_t doca_buf_get_data(const struct doca_buf *buf, void **data);

/**
 * Sets the data window of a buffer.
 * @param buf buffer; pointer not checked for NULL
 * @param data start, inside the region
 * @param data_len bytes; the window must end inside the region
 * States: the buffer is the program's, not given to a submitted task.
 * Threads: one at a time per buffer and its list.
 * @return DOCA_SUCCESS; a window outside the region is undefined behaviour
 * Since 2.0; 1.5 checks the window. Source: DOCA Core guide, buffers.
 */
DOCA_STABLE doca_error_t doca_buf_set_data(struct doca_buf *buf, void *data, size_t data_len)
	DOCA_BIND(doca_buf_set_data, 2_0);

/**
 * Makes the data window empty, so that the next result is written at its start.
 * @param buf buffer; pointer not checked for NULL
 * States: the buffer is the program's, not given to a submitted task.
 * Threads: one at a time per buffer and its list.
 * @return DOCA_SUCCESS; the arguments are not checked
 * Since 2.0. Source: DOCA Core guide, buffers.
 */
DOCA_STABLE doca_error_t doca_buf_reset_data_len(struct doca_buf *buf);

/**
 * Is the buffer chained to another one?
 * @param buf buffer; pointer not checked for NULL
 * @param is_in_list receives 1 or 0; 0 for a single buffer
 * States: the buffer is the program's, not given to a submitted task.
 * Threads: one at a time per buffer and its list.
 * @return DOCA_SUCCESS; the arguments are not checked
 * Since 2.0. Source: DOCA Core guide, buffers.
 */
DOCA_STABLE doca_error_t doca_buf_is_in_list(const struct doca_buf *buf, uint8_t *is_in_list);
#endif

#ifdef __cplusplus
}
#endif

#if DOCA_API_WORKQ
#include <doca_buf_workq.h>
#else
#include <doca_buf_task.h>
#endif

#endif
