/*
 * Buffer, from 2.5 on; included by doca_buf.h.
 *
 * Threads: one thread at a time per buffer, list and inventory.
 */
#ifndef DOCA_BUF_TASK_H_
#define DOCA_BUF_TASK_H_

#include <doca_buf.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Adds a reference. A new buffer has one.
 * @param buf buffer
 * @param refcount receives the count before the call
 * States: the buffer is the program's, not given to a submitted task.
 * Threads: one at a time per buffer and its list.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: buf is NULL.
 * - DOCA_ERROR_NOT_PERMITTED: the buffer is inside a list, count the head; or it was given back
 *   already.
 * - DOCA_ERROR_TOO_BIG: the count is 65535 already.
 * Since 2.5. Source: DOCA Core guide, buffers.
 */
DOCA_STABLE doca_error_t doca_buf_inc_refcount(struct doca_buf *buf, uint16_t *refcount);

/**
 * Drops a reference; the last one gives the buffer, or the whole list behind it, back to its
 * inventory.
 * @param buf buffer
 * @param refcount receives the count before the call; may be NULL
 * States: the buffer is the program's, not given to a submitted task.
 * Threads: one at a time per buffer and its list.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: buf is NULL.
 * - DOCA_ERROR_NOT_PERMITTED: the buffer is inside a list; drop the head, or unchain it first.
 * - DOCA_ERROR_BAD_STATE: the buffer was given back already.
 * Since 2.5. Source: DOCA Core guide, buffers.
 */
DOCA_STABLE doca_error_t doca_buf_dec_refcount(struct doca_buf *buf, uint16_t *refcount);

/**
 * Reference count of a buffer.
 * @param buf buffer; pointer not checked for NULL
 * @param refcount receives the count
 * States: the buffer is the program's, not given to a submitted task.
 * Threads: one at a time per buffer and its list.
 * @return DOCA_SUCCESS; the arguments are not checked
 * Since 2.5. Source: DOCA Core guide, buffers.
 */
DOCA_STABLE doca_error_t doca_buf_get_refcount(const struct doca_buf *buf, uint16_t *refcount);

/**
 * Sets the length of the data window and leaves its start.
 * @param buf buffer; pointer not checked for NULL
 * @param data_len bytes; the window must end inside the region
 * States: the buffer is the program's, not given to a submitted task.
 * Threads: one at a time per buffer and its list.
 * @return DOCA_SUCCESS; a window outside the region is undefined behaviour
 * Since 2.7. Source: DOCA Core guide, buffers.
 */
DOCA_STABLE doca_error_t doca_buf_set_data_len(struct doca_buf *buf, size_t data_len);

/**
 * The element behind a buffer in its list.
 * @param buf buffer; pointer not checked for NULL
 * @param next_buf receives it, or NULL at the end; owned by the list
 * States: the buffer is the program's, not given to a submitted task.
 * Threads: one at a time per buffer and its list.
 * @return DOCA_SUCCESS; the arguments are not checked
 * Since 2.5. Source: DOCA Core guide, buffers.
 */
DOCA_STABLE doca_error_t doca_buf_get_next_in_list(struct doca_buf *buf,
						   struct doca_buf **next_buf);

/**
 * The last element of a buffer's list; the buffer itself if it is in none.
 * @param buf buffer; pointer not checked for NULL
 * @param last_buf receives it; owned by the list
 * States: the buffer is the program's, not given to a submitted task.
 * Threads: one at a time per buffer and its list.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * Since 2.5. Source: DOCA Core guide, buffers.
 */
DOCA_STABLE doca_error_t doca_buf_get_last_in_list(struct doca_buf *buf,
						   struct doca_buf **last_buf);

/**
 * Is the buffer the last of its list? A single buffer is.
 * @param buf buffer; pointer not checked for NULL
 * @param is_last receives 1 or 0
 * States: the buffer is the program's, not given to a submitted task.
 * Threads: one at a time per buffer and its list.
 * @return DOCA_SUCCESS; the arguments are not checked
 * Since 2.5. Source: DOCA Core guide, buffers.
 */
DOCA_STABLE doca_error_t doca_buf_is_last_in_list(const struct doca_buf *buf, uint8_t *is_last);

/**
 * Is the buffer the head of its list? A single buffer is.
 * @param buf buffer; pointer not checked for NULL
 * @param is_first receives 1 or 0
 * States: the buffer is the program's, not given to a submitted task.
 * Threads: one at a time per buffer and its list.
 * @return DOCA_SUCCESS; the arguments are not checked
 * Since 2.5. Source: DOCA Core guide, buffers.
 */
DOCA_STABLE doca_error_t doca_buf_is_first_in_list(const struct doca_buf *buf, uint8_t *is_first);

/**
 * Number of elements of a list.
 * @param buf head of the list, or a single buffer
 * @param num_elements receives the number
 * States: the buffer is the program's, not given to a submitted task.
 * Threads: one at a time per buffer and its list.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_NOT_PERMITTED: buf is inside a list; ask the head.
 * Since 2.5. Source: DOCA Core guide, buffers.
 */
DOCA_STABLE doca_error_t doca_buf_get_list_len(const struct doca_buf *buf, uint32_t *num_elements);

/**
 * Appends list2 to list1. list1's head stands for both from then on, and list2's elements have one
 * reference each.
 * @param list1 head of a list, or a single buffer
 * @param list2 head of another list, or a single buffer, with one reference; belongs to list1
 *   afterwards
 * States: the buffer is the program's, not given to a submitted task.
 * Threads: one at a time per buffer and its list.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_NOT_PERMITTED: one of them is no head, they are the same list, or list2 has more
 *   than one reference.
 * Since 2.5. Source: DOCA Core guide, buffers.
 */
DOCA_STABLE doca_error_t doca_buf_chain_list(struct doca_buf *list1, struct doca_buf *list2);

/**
 * The same as doca_buf_chain_list for a caller who knows list1's tail: no walk through the list.
 * @param list1_head head of a list, or a single buffer
 * @param list1_tail last element of the same list; not looked for
 * @param list2 head of another list, or a single buffer, with one reference; belongs to list1
 *   afterwards
 * States: the buffer is the program's, not given to a submitted task.
 * Threads: one at a time per buffer and its list.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_NOT_PERMITTED: list1_head or list2 is no head, they are the same list, or list2 has
 *   more than one reference.
 * Since 2.7. Source: DOCA Core guide, buffers.
 */
DOCA_STABLE doca_error_t doca_buf_chain_list_tail(struct doca_buf *list1_head,
						  struct doca_buf *list1_tail,
						  struct doca_buf *list2);

/**
 * Cuts a list in two in front of list2, which is then a head with one reference.
 * @param list1 head of the list
 * @param list2 an element behind it; the program's own list afterwards
 * States: the buffer is the program's, not given to a submitted task.
 * Threads: one at a time per buffer and its list.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: list2 is not behind list1 in its list.
 * Since 2.5. Source: DOCA Core guide, buffers.
 */
DOCA_STABLE doca_error_t doca_buf_unchain_list(struct doca_buf *list1, struct doca_buf *list2);

/* Of earlier versions. */
DOCA_ELSEWHERE(doca_buf_refcount_rm, "up to 2.2; from 2.5 on call doca_buf_dec_refcount");
DOCA_ELSEWHERE(doca_buf_list_chain, "up to 2.2; from 2.5 on call doca_buf_chain_list");
DOCA_ELSEWHERE(doca_buf_list_next, "up to 2.2; from 2.5 on call doca_buf_get_next_in_list");

#ifdef __cplusplus
}
#endif

#endif
