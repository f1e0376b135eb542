/*
 * Buffer: a view of a part of a memory map. It consists of a region (head, len) and a data window
 * inside the region. If the buffer is a source, the data window is read. If it is a destination,
 * results are appended to the data in the window, which grows; doca_buf_reset_data_len() makes the
 * buffer empty again. (Up to 2.0 the data that is there is ignored: results are written at the
 * window's start.)
 *
 * Buffers may be chained to lists; the head represents the list.
 *
 * States: the program must own the buffer. The library owns a buffer from the submission of its
 * task or job until the completion.
 *
 * Threads: one thread at a time per buffer, list and inventory.
 *
 * Calls without an error list do not check their pointers for NULL.
 *
 * Reference: DOCA Core guide, buffers.
 *
 * Example: print the data of a buffer, and release the buffer.
 *
 *     #include <stdio.h>
 *
 *     void print_and_release(struct doca_buf *buf)
 *     {
 *         void *data = NULL;
 *         size_t len = 0;
 *
 *         if (doca_buf_get_data(buf, &data) == DOCA_SUCCESS &&
 *             doca_buf_get_data_len(buf, &len) == DOCA_SUCCESS)
 *             fwrite(data, 1, len, stdout);
 *         doca_buf_dec_refcount(buf, NULL);
 *     }
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

struct doca_buf; /* buffer, or head of a list of buffers */

#if DOCA_USE_VERSION >= DOCA_MAKE_VERSION(2, 0)
/**
 * Gets the length of a buffer's region.
 * @param buf buffer; must not be NULL
 * @param len receives the number of bytes from head to the end of the region
 * @return DOCA_SUCCESS; the arguments are not checked
 * Since 2.0.
 */
DOCA_STABLE doca_error_t doca_buf_get_len(const struct doca_buf *buf, size_t *len);

/**
 * Gets the start of a buffer's region.
 * @param buf buffer; must not be NULL
 * @param head receives the address; for an imported map it is one of the exporter's
 * @return DOCA_SUCCESS; the arguments are not checked
 * Since 2.0.
 */
DOCA_STABLE doca_error_t doca_buf_get_head(const struct doca_buf *buf, void **head);

/**
 * Gets the length of a buffer's data window.
 * @param buf buffer; must not be NULL
 * @param data_len receives the number of bytes
 * @return DOCA_SUCCESS; the arguments are not checked
 * Since 2.0.
 */
DOCA_STABLE doca_error_t doca_buf_get_data_len(const struct doca_buf *buf, size_t *data_len);

/**
 * Gets the start of a buffer's data window.
 * @param buf buffer; must not be NULL
 * @param data receives the address; for an imported map it is one of the exporter's
 * @return DOCA_SUCCESS; the arguments are not checked
 * Since 2.0.
 */
DOCA_STABLE doca_error_t doca_buf_get_data(const struct doca_buf *buf, void **data);

/**
 * Sets the data window of a buffer.
 * @param buf buffer; must not be NULL
 * @param data start of the window, inside the region
 * @param data_len length of the window in bytes; the window must end inside the region
 * @return DOCA_SUCCESS; a window outside the region is undefined behaviour
 * Since 2.0; 1.5 checks the window.
 */
DOCA_STABLE doca_error_t doca_buf_set_data(struct doca_buf *buf, void *data, size_t data_len)
	DOCA_BIND(doca_buf_set_data, 2_0);

/**
 * Makes the data window empty, so that the next result is written at its start.
 * @param buf buffer; must not be NULL
 * @return DOCA_SUCCESS; the arguments are not checked
 * Since 2.0.
 */
DOCA_STABLE doca_error_t doca_buf_reset_data_len(struct doca_buf *buf);

/**
 * Gets whether the buffer is chained to another one.
 * @param buf buffer; must not be NULL
 * @param is_in_list receives 1 or 0; 0 for a single buffer
 * @return DOCA_SUCCESS; the arguments are not checked
 * Since 2.0.
 */
DOCA_STABLE doca_error_t doca_buf_is_in_list(const struct doca_buf *buf, uint8_t *is_in_list);
#endif

#ifdef __cplusplus
}
#endif

#if DOCA_API_WORKQ
#include <dococ/buf_workq.h>
#else
#include <dococ/buf_task.h>
#endif

#endif
