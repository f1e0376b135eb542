/*
 * Buffer, from 2.5 on. Included by doca_buf.h, whose comment has the rules for states, errors and
 * threads.
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
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: buf is NULL.
 * - DOCA_ERROR_NOT_PERMITTED: the buffer is inside a list: pass the head of the list; or the buffer
 *   is already released.
 * - DOCA_ERROR_TOO_BIG: the count is already 65535.
 * Since 2.5.
 */
DOCA_STABLE doca_error_t doca_buf_inc_refcount(struct doca_buf *buf, uint16_t *refcount);

/**
 * Releases a reference. Releasing the last one returns the buffer, or the whole list of which it is
 * the head, to its inventory or pool.
 * @param buf buffer
 * @param refcount receives the count before the call; may be NULL
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: buf is NULL.
 * - DOCA_ERROR_NOT_PERMITTED: the buffer is inside a list; release the head, or unchain the buffer
 *   first.
 * - DOCA_ERROR_BAD_STATE: the buffer is already released.
 * Since 2.5.
 */
DOCA_STABLE doca_error_t doca_buf_dec_refcount(struct doca_buf *buf, uint16_t *refcount);

/**
 * Gets the reference count of a buffer.
 * @param buf buffer; must not be NULL
 * @param refcount receives the count
 * @return DOCA_SUCCESS; the arguments are not checked
 * Since 2.5.
 */
DOCA_STABLE doca_error_t doca_buf_get_refcount(const struct doca_buf *buf, uint16_t *refcount);

/**
 * Sets the length of the data window. The start of the window is unchanged.
 * @param buf buffer; must not be NULL
 * @param data_len length of the window in bytes; the window must end inside the region
 * @return DOCA_SUCCESS; a window outside the region is undefined behaviour
 * Since 2.7.
 */
DOCA_STABLE doca_error_t doca_buf_set_data_len(struct doca_buf *buf, size_t data_len);

/**
 * Gets the element after a buffer in its list.
 * @param buf buffer; must not be NULL
 * @param next_buf receives the element, or NULL at the end; owned by the list
 * @return DOCA_SUCCESS; the arguments are not checked
 * Since 2.5.
 */
DOCA_STABLE doca_error_t doca_buf_get_next_in_list(struct doca_buf *buf,
						   struct doca_buf **next_buf);

/**
 * Gets the last element of a buffer's list; the buffer itself if it is in no list.
 * @param buf buffer; must not be NULL
 * @param last_buf receives the element; owned by the list
 * @return DOCA_SUCCESS, or DOCA_ERROR_INVALID_VALUE if an argument is NULL.
 * Since 2.5.
 */
DOCA_STABLE doca_error_t doca_buf_get_last_in_list(struct doca_buf *buf,
						   struct doca_buf **last_buf);

/**
 * Gets whether the buffer is the last of its list. A single buffer counts as one.
 * @param buf buffer; must not be NULL
 * @param is_last receives 1 or 0
 * @return DOCA_SUCCESS; the arguments are not checked
 * Since 2.5.
 */
DOCA_STABLE doca_error_t doca_buf_is_last_in_list(const struct doca_buf *buf, uint8_t *is_last);

/**
 * Gets whether the buffer is the head of its list. A single buffer counts as one.
 * @param buf buffer; must not be NULL
 * @param is_first receives 1 or 0
 * @return DOCA_SUCCESS; the arguments are not checked
 * Since 2.5.
 */
DOCA_STABLE doca_error_t doca_buf_is_first_in_list(const struct doca_buf *buf, uint8_t *is_first);

/**
 * Gets the number of elements of a list.
 * @param buf head of the list, or a single buffer
 * @param num_elements receives the number
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_NOT_PERMITTED: buf is inside a list; pass its head.
 * Since 2.5.
 */
DOCA_STABLE doca_error_t doca_buf_get_list_len(const struct doca_buf *buf, uint32_t *num_elements);

/**
 * Appends list2 to list1. The head of list1 then represents both, and list2's elements have one
 * reference each.
 * @param list1 head of a list, or a single buffer
 * @param list2 head of another list, or a single buffer, with one reference; belongs to list1
 *   afterwards
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_NOT_PERMITTED: one of them is not a head, they are the same list, or list2 has more
 *   than one reference.
 * Since 2.5.
 */
DOCA_STABLE doca_error_t doca_buf_chain_list(struct doca_buf *list1, struct doca_buf *list2);

/**
 * Like doca_buf_chain_list(), for a caller that knows the tail of list1, so that the list is not
 * searched.
 * @param list1_head head of a list, or a single buffer
 * @param list1_tail last element of the same list; not checked
 * @param list2 head of another list, or a single buffer, with one reference; belongs to list1
 *   afterwards
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_NOT_PERMITTED: list1_head or list2 is not a head, they are the same list, or list2
 *   has more than one reference.
 * Since 2.7.
 */
DOCA_STABLE doca_error_t doca_buf_chain_list_tail(struct doca_buf *list1_head,
						  struct doca_buf *list1_tail,
						  struct doca_buf *list2);

/**
 * Splits a list in front of list2, which becomes the head of a list with one reference.
 * @param list1 head of the list
 * @param list2 an element behind it; head of a separate list afterwards, owned by the program
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: list2 is not behind list1 in its list.
 * Since 2.5.
 */
DOCA_STABLE doca_error_t doca_buf_unchain_list(struct doca_buf *list1, struct doca_buf *list2);

/* Calls of earlier versions. */
DOCA_ELSEWHERE(doca_buf_refcount_rm, "up to 2.2; from 2.5 on call doca_buf_dec_refcount");
DOCA_ELSEWHERE(doca_buf_list_chain, "up to 2.2; from 2.5 on call doca_buf_chain_list");
DOCA_ELSEWHERE(doca_buf_list_next, "up to 2.2; from 2.5 on call doca_buf_get_next_in_list");

#ifdef __cplusplus
}
#endif

#endif
