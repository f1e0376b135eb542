/*
 * Buffer, up to 2.2; included by doca_buf.h.
 *
 * Up to 1.5 lists need an inventory that was made for them, with DOCA_BUF_EXTENSION_LINKED_LIST;
 * from 2.0 on any buffer may be chained. Buffers have one reference.
 *
 * Threads: one thread at a time per buffer, list and inventory.
 */
#ifndef DOCA_BUF_WORKQ_H_
#define DOCA_BUF_WORKQ_H_

#include <stdbool.h>

#include <doca_buf.h>

#ifdef __cplusplus
extern "C" {
#endif

struct doca_dev;

/* What the buffers of an inventory or pool shall be able to do besides; a set of bits. */
enum doca_buf_extension {
	DOCA_BUF_EXTENSION_NONE = 0,
#if DOCA_API_BETWEEN(103, 199)
	DOCA_BUF_EXTENSION_LINKED_LIST = 1
#endif
};

#if DOCA_API_BETWEEN(103, 204)
/**
 * Drops the reference; the buffer, or the whole list behind it, goes back to its inventory or pool.
 * @param buf buffer
 * @param refcount receives the count before the call; may be NULL
 * States: the buffer is the program's, not given to a submitted job.
 * Threads: one at a time per buffer and its list.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: buf is NULL.
 * - DOCA_ERROR_NOT_PERMITTED: the buffer is inside a list; drop the head, or unchain it first.
 * - DOCA_ERROR_BAD_STATE: the buffer was given back already.
 * Since 1.3, until 2.2. Source: DOCA Core guide, buffers.
 */
DOCA_STABLE doca_error_t doca_buf_refcount_rm(struct doca_buf *buf, uint16_t *refcount);
#endif

#if DOCA_API_BETWEEN(103, 104)
/**
 * Start of a buffer's region.
 * @param buf buffer; pointer not checked for NULL
 * @param head receives the address; for an imported map, one of the exporter
 * States: the buffer is the program's, not given to a submitted job.
 * Threads: one at a time per buffer and its list.
 * @return DOCA_SUCCESS; the arguments are not checked
 * Since 1.3, until 1.4. Source: DOCA Core guide, buffers.
 */
DOCA_STABLE doca_error_t doca_buf_head_get(struct doca_buf *buf, uint8_t **head);

/**
 * Length of a buffer's region.
 * @param buf buffer; pointer not checked for NULL
 * @param len receives the bytes
 * States: the buffer is the program's, not given to a submitted job.
 * Threads: one at a time per buffer and its list.
 * @return DOCA_SUCCESS; the arguments are not checked
 * Since 1.3, until 1.4. Source: DOCA Core guide, buffers.
 */
DOCA_STABLE doca_error_t doca_buf_len_get(struct doca_buf *buf, size_t *len);

/**
 * Reference count of a buffer.
 * @param buf buffer; pointer not checked for NULL
 * @param refcount receives the count
 * States: the buffer is the program's, not given to a submitted job.
 * Threads: one at a time per buffer and its list.
 * @return DOCA_SUCCESS; the arguments are not checked
 * Since 1.3, until 1.4. Source: DOCA Core guide, buffers.
 */
DOCA_STABLE doca_error_t doca_buf_refcount_get(struct doca_buf *buf, uint16_t *refcount);
#endif

#if DOCA_USE_VERSION >= DOCA_MAKE_VERSION(1, 5) && DOCA_USE_VERSION < DOCA_MAKE_VERSION(2, 0)
/**
 * Start of a buffer's region.
 * @param buf buffer; pointer not checked for NULL
 * @param head receives the address; for an imported map, one of the exporter
 * States: the buffer is the program's, not given to a submitted job.
 * Threads: one at a time per buffer and its list.
 * @return DOCA_SUCCESS; the arguments are not checked
 * Since 1.5. Source: DOCA Core guide, buffers.
 */
DOCA_STABLE doca_error_t doca_buf_get_head(struct doca_buf *buf, void **head);

/**
 * Length of a buffer's region.
 * @param buf buffer; pointer not checked for NULL
 * @param len receives the bytes
 * States: the buffer is the program's, not given to a submitted job.
 * Threads: one at a time per buffer and its list.
 * @return DOCA_SUCCESS; the arguments are not checked
 * Since 1.5. Source: DOCA Core guide, buffers.
 */
DOCA_STABLE doca_error_t doca_buf_get_len(struct doca_buf *buf, size_t *len);

/**
 * Start of a buffer's data window.
 * @param buf buffer; pointer not checked for NULL
 * @param data receives the address; for an imported map, one of the exporter
 * States: the buffer is the program's, not given to a submitted job.
 * Threads: one at a time per buffer and its list.
 * @return DOCA_SUCCESS; the arguments are not checked
 * Since 1.5. Source: DOCA Core guide, buffers.
 */
DOCA_STABLE doca_error_t doca_buf_get_data(struct doca_buf *buf, void **data);

/**
 * Length of a buffer's data window.
 * @param buf buffer; pointer not checked for NULL
 * @param data_len receives the bytes
 * States: the buffer is the program's, not given to a submitted job.
 * Threads: one at a time per buffer and its list.
 * @return DOCA_SUCCESS; the arguments are not checked
 * Since 1.5. Source: DOCA Core guide, buffers.
 */
DOCA_STABLE doca_error_t doca_buf_get_data_len(struct doca_buf *buf, size_t *data_len);

/**
 * Sets the data window of a buffer.
 * @param buf buffer; pointer not checked for NULL
 * @param data start, inside the region
 * @param data_len bytes; the window must end inside the region
 * States: the buffer is the program's, not given to a submitted job.
 * Threads: one at a time per buffer and its list.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: the window is outside the region.
 * Since 1.5; not checked from 2.0 on. Source: DOCA Core guide, buffers.
 */
DOCA_STABLE doca_error_t doca_buf_set_data(struct doca_buf *buf, void *data, size_t data_len)
	DOCA_BIND(doca_buf_set_data, 1_5);
#endif

#if DOCA_API_BETWEEN(105, 199)
/**
 * Key by which an RDMA device knows the memory of a buffer.
 * @param buf buffer
 * @param dev device of the buffer's map
 * @param doca_access_flags set of enum doca_access_flags that the key shall give
 * @param lkey receives the key
 * States: the buffer is the program's, not given to a submitted job.
 * Threads: one at a time per buffer and its list.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL, a flag is unknown or not permitted by the map,
 * or the device is not one of the map's.
 * - DOCA_ERROR_NOT_SUPPORTED: the device is bound to no RDMA device that can be used here, or that
 *   device did not take the memory.
 * Since 1.5, until 1.5. Source: DOCA Core guide, buffers.
 */
DOCA_STABLE doca_error_t doca_buf_get_lkey(const struct doca_buf *buf, struct doca_dev *dev,
					   uint32_t doca_access_flags, uint32_t *lkey);
#endif

#if DOCA_API_WORKQ && DOCA_USE_VERSION >= DOCA_MAKE_VERSION(1, 5)
/**
 * Reference count of a buffer.
 * @param buf buffer; pointer not checked for NULL
 * @param refcount receives the count
 * States: the buffer is the program's, not given to a submitted job.
 * Threads: one at a time per buffer and its list.
 * @return DOCA_SUCCESS; the arguments are not checked
 * Since 1.5. Source: DOCA Core guide, buffers.
 */
DOCA_STABLE doca_error_t doca_buf_get_refcount(struct doca_buf *buf, uint16_t *refcount);
#endif

#if DOCA_API_BETWEEN(105, 204)
/**
 * Was to add a reference. A buffer of these versions has one.
 * @param buf buffer
 * @param refcount not written
 * States: the buffer is the program's, not given to a submitted job.
 * Threads: one at a time per buffer and its list.
 * @return DOCA_ERROR_NOT_SUPPORTED: always.
 * Since 1.5, until 2.2. Source: DOCA Core guide, buffers.
 */
DOCA_STABLE doca_error_t doca_buf_refcount_add(struct doca_buf *buf, uint16_t *refcount);

/**
 * The element behind a buffer in its list.
 * @param buf buffer; pointer not checked for NULL
 * @param next_buf receives it, or NULL at the end; owned by the list
 * States: the buffer is the program's, not given to a submitted job.
 * Threads: one at a time per buffer and its list.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_NOT_PERMITTED: 1.5: the inventory was made without
 *   DOCA_BUF_EXTENSION_LINKED_LIST.
 * Since 1.5, until 2.2. Source: DOCA Core guide, buffers.
 */
DOCA_STABLE doca_error_t doca_buf_list_next(struct doca_buf *buf, struct doca_buf **next_buf);

/**
 * The last element of a buffer's list; the buffer itself if it is in none.
 * @param buf buffer
 * @param last_buf receives it; owned by the list
 * States: the buffer is the program's, not given to a submitted job.
 * Threads: one at a time per buffer and its list.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_NOT_PERMITTED: 1.5: the inventory was made without
 *   DOCA_BUF_EXTENSION_LINKED_LIST.
 * Since 1.5, until 2.2. Source: DOCA Core guide, buffers.
 */
DOCA_STABLE doca_error_t doca_buf_list_last(struct doca_buf *buf, struct doca_buf **last_buf);

/**
 * Is the buffer the last of its list? A single buffer is.
 * @param buf buffer; pointer not checked for NULL
 * @param is_last receives it
 * States: the buffer is the program's, not given to a submitted job.
 * Threads: one at a time per buffer and its list.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_NOT_PERMITTED: 1.5: the inventory was made without
 *   DOCA_BUF_EXTENSION_LINKED_LIST.
 * Since 1.5, until 2.2. Source: DOCA Core guide, buffers.
 */
DOCA_STABLE doca_error_t doca_buf_list_is_last(const struct doca_buf *buf, bool *is_last);

/**
 * Is the buffer the head of its list? A single buffer is.
 * @param buf buffer; pointer not checked for NULL
 * @param is_first receives it
 * States: the buffer is the program's, not given to a submitted job.
 * Threads: one at a time per buffer and its list.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_NOT_PERMITTED: 1.5: the inventory was made without
 *   DOCA_BUF_EXTENSION_LINKED_LIST.
 * Since 1.5, until 2.2. Source: DOCA Core guide, buffers.
 */
DOCA_STABLE doca_error_t doca_buf_list_is_first(const struct doca_buf *buf, bool *is_first);

/**
 * Number of elements of a list.
 * @param buf head of the list, or a single buffer
 * @param num_elements receives the number
 * States: the buffer is the program's, not given to a submitted job.
 * Threads: one at a time per buffer and its list.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_NOT_PERMITTED: buf is inside a list; ask the head.
 * - DOCA_ERROR_NOT_PERMITTED: 1.5: the inventory was made without
 *   DOCA_BUF_EXTENSION_LINKED_LIST.
 * Since 1.5, until 2.2. Source: DOCA Core guide, buffers.
 */
DOCA_STABLE doca_error_t doca_buf_list_num_elements(const struct doca_buf *buf,
						    uint32_t *num_elements);

/**
 * Appends list2 to list1, whose head stands for both from then on.
 * @param list1 head of a list, or a single buffer
 * @param list2 head of another list, or a single buffer; belongs to list1 afterwards
 * States: the buffer is the program's, not given to a submitted job.
 * Threads: one at a time per buffer and its list.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_NOT_PERMITTED: one of them is no head, or they are the same list.
 * - DOCA_ERROR_NOT_PERMITTED: 1.5: the inventory was made without
 *   DOCA_BUF_EXTENSION_LINKED_LIST.
 * Since 1.5, until 2.2. Source: DOCA Core guide, buffers.
 */
DOCA_STABLE doca_error_t doca_buf_list_chain(struct doca_buf *list1, struct doca_buf *list2);

/**
 * Cuts a list in two in front of list2, which is then a head.
 * @param list1 head of the list
 * @param list2 an element behind it; the program's own list afterwards
 * States: the buffer is the program's, not given to a submitted job.
 * Threads: one at a time per buffer and its list.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: list2 is not behind list1 in its list.
 * - DOCA_ERROR_NOT_PERMITTED: 1.5: the inventory was made without
 *   DOCA_BUF_EXTENSION_LINKED_LIST.
 * Since 1.5, until 2.2. Source: DOCA Core guide, buffers.
 */
DOCA_STABLE doca_error_t doca_buf_list_unchain(struct doca_buf *list1, struct doca_buf *list2);
#endif

/* Of later versions. */
DOCA_ELSEWHERE(doca_buf_dec_refcount, "from 2.5 on; up to 2.2 call doca_buf_refcount_rm");
DOCA_ELSEWHERE(doca_buf_chain_list, "from 2.5 on; up to 2.2 call doca_buf_list_chain");
#if DOCA_USE_VERSION < DOCA_MAKE_VERSION(1, 5)
DOCA_ELSEWHERE(doca_buf_set_data, "since 1.5; up to 1.4 a job says num_bytes_to_copy");
#endif

#ifdef __cplusplus
}
#endif

#endif
