/*
 * Buffer, up to 2.2. Included by doca_buf.h, whose comment has the rules for states, errors and
 * threads.
 *
 * Up to 1.5, lists need an inventory that was created with DOCA_BUF_EXTENSION_LINKED_LIST; from 2.0
 * on, any buffer may be chained. A buffer has one reference.
 */
#ifndef DOCA_BUF_WORKQ_H_
#define DOCA_BUF_WORKQ_H_

#include <stdbool.h>

#include <doca_buf.h>

#ifdef __cplusplus
extern "C" {
#endif

struct doca_dev;

/* Additional capabilities of the buffers of an inventory or pool; a set of bits. */
enum doca_buf_extension {
	DOCA_BUF_EXTENSION_NONE = 0,
#if DOCA_API_BETWEEN(103, 199)
	DOCA_BUF_EXTENSION_LINKED_LIST = 1
#endif
};

#if DOCA_API_BETWEEN(103, 204)
/**
 * Releases the reference. The buffer, or the whole list of which it is the head, returns to its
 * inventory or pool.
 * @param buf buffer
 * @param refcount receives the count before the call; may be NULL
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: buf is NULL.
 * - DOCA_ERROR_NOT_PERMITTED: the buffer is inside a list; release the head, or unchain the buffer
 *   first.
 * - DOCA_ERROR_BAD_STATE: the buffer is already released.
 * Since 1.3, until 2.2.
 */
DOCA_STABLE doca_error_t doca_buf_refcount_rm(struct doca_buf *buf, uint16_t *refcount);
#endif

#if DOCA_API_BETWEEN(103, 104)
/**
 * Gets the start of a buffer's region.
 * @param buf buffer; must not be NULL
 * @param head receives the address; for an imported map it is one of the exporter's
 * @return DOCA_SUCCESS; the arguments are not checked
 * Since 1.3, until 1.4.
 */
DOCA_STABLE doca_error_t doca_buf_head_get(struct doca_buf *buf, uint8_t **head);

/**
 * Gets the length of a buffer's region.
 * @param buf buffer; must not be NULL
 * @param len receives the number of bytes
 * @return DOCA_SUCCESS; the arguments are not checked
 * Since 1.3, until 1.4.
 */
DOCA_STABLE doca_error_t doca_buf_len_get(struct doca_buf *buf, size_t *len);

/**
 * Gets the reference count of a buffer.
 * @param buf buffer; must not be NULL
 * @param refcount receives the count
 * @return DOCA_SUCCESS; the arguments are not checked
 * Since 1.3, until 1.4.
 */
DOCA_STABLE doca_error_t doca_buf_refcount_get(struct doca_buf *buf, uint16_t *refcount);
#endif

#if DOCA_USE_VERSION >= DOCA_MAKE_VERSION(1, 5) && DOCA_USE_VERSION < DOCA_MAKE_VERSION(2, 0)
/**
 * Gets the start of a buffer's region.
 * @param buf buffer; must not be NULL
 * @param head receives the address; for an imported map it is one of the exporter's
 * @return DOCA_SUCCESS; the arguments are not checked
 * Since 1.5.
 */
DOCA_STABLE doca_error_t doca_buf_get_head(struct doca_buf *buf, void **head);

/**
 * Gets the length of a buffer's region.
 * @param buf buffer; must not be NULL
 * @param len receives the number of bytes
 * @return DOCA_SUCCESS; the arguments are not checked
 * Since 1.5.
 */
DOCA_STABLE doca_error_t doca_buf_get_len(struct doca_buf *buf, size_t *len);

/**
 * Gets the start of a buffer's data window.
 * @param buf buffer; must not be NULL
 * @param data receives the address; for an imported map it is one of the exporter's
 * @return DOCA_SUCCESS; the arguments are not checked
 * Since 1.5.
 */
DOCA_STABLE doca_error_t doca_buf_get_data(struct doca_buf *buf, void **data);

/**
 * Gets the length of a buffer's data window.
 * @param buf buffer; must not be NULL
 * @param data_len receives the number of bytes
 * @return DOCA_SUCCESS; the arguments are not checked
 * Since 1.5.
 */
DOCA_STABLE doca_error_t doca_buf_get_data_len(struct doca_buf *buf, size_t *data_len);

/**
 * Sets the data window of a buffer.
 * @param buf buffer; must not be NULL
 * @param data start of the window, inside the region
 * @param data_len length of the window in bytes; the window must end inside the region
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: the window is outside the region.
 * Since 1.5; not checked from 2.0 on.
 */
DOCA_STABLE doca_error_t doca_buf_set_data(struct doca_buf *buf, void *data, size_t data_len)
	DOCA_BIND(doca_buf_set_data, 1_5);
#endif

#if DOCA_API_BETWEEN(105, 199)
/**
 * Gets the key by which an RDMA device addresses the memory of a buffer.
 * @param buf buffer
 * @param dev device of the buffer's map
 * @param doca_access_flags set of enum doca_access_flags that the key must permit
 * @param lkey receives the key
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL, a flag is unknown or not permitted by the map,
 *   or the device is not one of the map's.
 * - DOCA_ERROR_NOT_SUPPORTED: the device is bound to no usable RDMA device, or that device cannot
 *   register the memory.
 * In 1.5 only.
 */
DOCA_STABLE doca_error_t doca_buf_get_lkey(const struct doca_buf *buf, struct doca_dev *dev,
					   uint32_t doca_access_flags, uint32_t *lkey);
#endif

#if DOCA_API_WORKQ && DOCA_USE_VERSION >= DOCA_MAKE_VERSION(1, 5)
/**
 * Gets the reference count of a buffer.
 * @param buf buffer; must not be NULL
 * @param refcount receives the count
 * @return DOCA_SUCCESS; the arguments are not checked
 * Since 1.5.
 */
DOCA_STABLE doca_error_t doca_buf_get_refcount(struct doca_buf *buf, uint16_t *refcount);
#endif

#if DOCA_API_BETWEEN(105, 204)
/**
 * Adds a reference. Not supported: a buffer of these versions always has one reference.
 * @param buf buffer
 * @param refcount not written
 * @return DOCA_ERROR_NOT_SUPPORTED, always.
 * Since 1.5, until 2.2.
 */
DOCA_STABLE doca_error_t doca_buf_refcount_add(struct doca_buf *buf, uint16_t *refcount);

/**
 * Gets the element after a buffer in its list.
 * @param buf buffer; must not be NULL
 * @param next_buf receives the element, or NULL at the end; owned by the list
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_NOT_PERMITTED: in 1.5, the inventory was created without
 *   DOCA_BUF_EXTENSION_LINKED_LIST.
 * Since 1.5, until 2.2.
 */
DOCA_STABLE doca_error_t doca_buf_list_next(struct doca_buf *buf, struct doca_buf **next_buf);

/**
 * Gets the last element of a buffer's list; the buffer itself if it is in no list.
 * @param buf buffer
 * @param last_buf receives the element; owned by the list
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_NOT_PERMITTED: in 1.5, the inventory was created without
 *   DOCA_BUF_EXTENSION_LINKED_LIST.
 * Since 1.5, until 2.2.
 */
DOCA_STABLE doca_error_t doca_buf_list_last(struct doca_buf *buf, struct doca_buf **last_buf);

/**
 * Gets whether the buffer is the last of its list. A single buffer counts as one.
 * @param buf buffer; must not be NULL
 * @param is_last receives the value
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_NOT_PERMITTED: in 1.5, the inventory was created without
 *   DOCA_BUF_EXTENSION_LINKED_LIST.
 * Since 1.5, until 2.2.
 */
DOCA_STABLE doca_error_t doca_buf_list_is_last(const struct doca_buf *buf, bool *is_last);

/**
 * Gets whether the buffer is the head of its list. A single buffer counts as one.
 * @param buf buffer; must not be NULL
 * @param is_first receives the value
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_NOT_PERMITTED: in 1.5, the inventory was created without
 *   DOCA_BUF_EXTENSION_LINKED_LIST.
 * Since 1.5, until 2.2.
 */
DOCA_STABLE doca_error_t doca_buf_list_is_first(const struct doca_buf *buf, bool *is_first);

/**
 * Gets the number of elements of a list.
 * @param buf head of the list, or a single buffer
 * @param num_elements receives the number
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_NOT_PERMITTED: buf is inside a list; pass its head.
 * - DOCA_ERROR_NOT_PERMITTED: in 1.5, the inventory was created without
 *   DOCA_BUF_EXTENSION_LINKED_LIST.
 * Since 1.5, until 2.2.
 */
DOCA_STABLE doca_error_t doca_buf_list_num_elements(const struct doca_buf *buf,
						    uint32_t *num_elements);

/**
 * Appends list2 to list1, whose head then represents both.
 * @param list1 head of a list, or a single buffer
 * @param list2 head of another list, or a single buffer; belongs to list1 afterwards
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_NOT_PERMITTED: one of them is not a head, or they are the same list.
 * - DOCA_ERROR_NOT_PERMITTED: in 1.5, the inventory was created without
 *   DOCA_BUF_EXTENSION_LINKED_LIST.
 * Since 1.5, until 2.2.
 */
DOCA_STABLE doca_error_t doca_buf_list_chain(struct doca_buf *list1, struct doca_buf *list2);

/**
 * Splits a list in front of list2, which becomes the head of a list.
 * @param list1 head of the list
 * @param list2 an element behind it; head of a separate list afterwards, owned by the program
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: list2 is not behind list1 in its list.
 * - DOCA_ERROR_NOT_PERMITTED: in 1.5, the inventory was created without
 *   DOCA_BUF_EXTENSION_LINKED_LIST.
 * Since 1.5, until 2.2.
 */
DOCA_STABLE doca_error_t doca_buf_list_unchain(struct doca_buf *list1, struct doca_buf *list2);
#endif

/* Calls of later versions. */
DOCA_ELSEWHERE(doca_buf_dec_refcount, "from 2.5 on; up to 2.2 call doca_buf_refcount_rm");
DOCA_ELSEWHERE(doca_buf_chain_list, "from 2.5 on; up to 2.2 call doca_buf_list_chain");
#if DOCA_USE_VERSION < DOCA_MAKE_VERSION(1, 5)
DOCA_ELSEWHERE(doca_buf_set_data, "since 1.5; up to 1.4 a job says num_bytes_to_copy");
#endif

#ifdef __cplusplus
}
#endif

#endif
