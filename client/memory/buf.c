/*
 * Buffers and lists of buffers. Getters do not check their arguments, as the public contract says
 * for the data path. A list is linked through `next`. Counting, walking and releasing a list starts
 * at its head only. Threads: a buffer and its list belong to one thread at a time.
 */
#include "client/memory/buf.h"

#include "client/base/error.h"
#include "client/base/generation.h"
#include "client/memory/buf_freelist.h"
#include "util/str.h"

doca_error_t doca_buf_inc_refcount(struct doca_buf *buf, uint16_t *refcount)
{
	uint32_t refs;

	if (unlikely(buf == NULL))
		return error_set(DOCA_ERROR_INVALID_VALUE, "buf inc refcount: buf is NULL");
	refs = buf->state & BUF_REFS_MASK;
	if (unlikely(buf->state & BUF_NOT_HEAD))
		return error_set(
			DOCA_ERROR_NOT_PERMITTED,
			"buf inc refcount: the buffer is inside a list; pass the list's head");
	if (unlikely(refs == 0))
		return error_set(DOCA_ERROR_NOT_PERMITTED,
				 "buf inc refcount: the buffer was released already; get a new one "
				 "from its inventory or pool");
	if (unlikely(refs == BUF_REFS_MASK))
		return error_set(DOCA_ERROR_TOO_BIG,
				 "buf inc refcount: the count is at its limit of %u",
				 BUF_REFS_MASK);
	if (refcount != NULL)
		*refcount = (uint16_t)refs;
	buf_set_state(buf, buf->state + 1);
	return DOCA_SUCCESS;
}

static doca_error_t buf_dec_slow(struct doca_buf *buf, uint16_t *refcount)
{
	uint32_t refs = buf->state & BUF_REFS_MASK;

	if (buf->state & BUF_NOT_HEAD)
		return error_set(
			DOCA_ERROR_NOT_PERMITTED,
			"buf dec refcount: the buffer is inside a list; release the list's head");
	if (refs == 0)
		return error_set(
			DOCA_ERROR_BAD_STATE,
			"buf dec refcount: the buffer was released already; its count is 0");
	if (refcount != NULL)
		*refcount = (uint16_t)refs;
	if (refs > 1) {
		buf_set_state(buf, buf->state - 1);
		return DOCA_SUCCESS;
	}
	while (buf != NULL) {
		struct doca_buf *next = buf->next;

		buf->next = NULL;
		buf_freelist_push(buf);
		buf = next;
	}
	return DOCA_SUCCESS;
}

doca_error_t doca_buf_dec_refcount(struct doca_buf *buf, uint16_t *refcount)
{
	uint32_t state;

	if (unlikely(buf == NULL))
		return error_set(DOCA_ERROR_INVALID_VALUE, "buf dec refcount: buf is NULL");
	state = buf->state;
	/* The fast path: one reference, and not in a list. In every other case `state` differs from
	 * 1. */
	if (unlikely(state != 1))
		return buf_dec_slow(buf, refcount);
	if (refcount != NULL)
		*refcount = 1;
	buf_freelist_push(buf);
	return DOCA_SUCCESS;
}

doca_error_t buf_release(struct doca_buf *buf, uint16_t *refcount)
	__attribute__((alias("doca_buf_dec_refcount"), visibility("hidden")));

doca_error_t doca_buf_get_refcount(const struct doca_buf *buf, uint16_t *refcount)
{
	*refcount = (uint16_t)(buf->state & BUF_REFS_MASK);
	return DOCA_SUCCESS;
}

doca_error_t doca_buf_get_len(const struct doca_buf *buf, size_t *len)
{
	*len = buf->len;
	return DOCA_SUCCESS;
}

doca_error_t doca_buf_get_head(const struct doca_buf *buf, void **head)
{
	*head = buf->head;
	return DOCA_SUCCESS;
}

doca_error_t doca_buf_get_data_len(const struct doca_buf *buf, size_t *data_len)
{
	*data_len = buf->data_len;
	return DOCA_SUCCESS;
}

doca_error_t doca_buf_get_data(const struct doca_buf *buf, void **data)
{
	*data = buf->data;
	return DOCA_SUCCESS;
}

doca_error_t doca_buf_set_data(struct doca_buf *buf, void *data, size_t data_len)
{
	buf->data = data;
	buf->data_len = data_len;
	return DOCA_SUCCESS;
}
API_PLAIN(doca_buf_set_data, 2_0);

doca_error_t doca_buf_set_data_len(struct doca_buf *buf, size_t data_len)
{
	buf->data_len = data_len;
	return DOCA_SUCCESS;
}

doca_error_t doca_buf_reset_data_len(struct doca_buf *buf)
{
	buf->data_len = 0;
	return DOCA_SUCCESS;
}

doca_error_t doca_buf_get_next_in_list(struct doca_buf *buf, struct doca_buf **next_buf)
{
	*next_buf = buf->next;
	return DOCA_SUCCESS;
}
API_INTERNAL(buf_list_next, doca_buf_get_next_in_list);

static struct doca_buf *buf_last(struct doca_buf *buf)
{
	while (buf->next != NULL)
		buf = buf->next;
	return buf;
}

doca_error_t doca_buf_get_last_in_list(struct doca_buf *buf, struct doca_buf **last_buf)
{
	if (buf == NULL || last_buf == NULL)
		return error_set(DOCA_ERROR_INVALID_VALUE, "buf last in list: %s is NULL",
				 buf == NULL ? "buf" : "the result");
	*last_buf = buf_last(buf);
	return DOCA_SUCCESS;
}
API_INTERNAL(buf_list_last, doca_buf_get_last_in_list);

doca_error_t doca_buf_is_last_in_list(const struct doca_buf *buf, uint8_t *is_last)
{
	*is_last = buf->next == NULL;
	return DOCA_SUCCESS;
}

doca_error_t doca_buf_is_first_in_list(const struct doca_buf *buf, uint8_t *is_first)
{
	*is_first = !(buf->state & BUF_NOT_HEAD);
	return DOCA_SUCCESS;
}

doca_error_t doca_buf_is_in_list(const struct doca_buf *buf, uint8_t *is_in_list)
{
	*is_in_list = !!(buf->state & BUF_CHAINED);
	return DOCA_SUCCESS;
}

doca_error_t doca_buf_get_list_len(const struct doca_buf *buf, uint32_t *num_elements)
{
	uint32_t n = 0;

	if (buf == NULL || num_elements == NULL)
		return error_set(DOCA_ERROR_INVALID_VALUE, "buf list length: %s is NULL",
				 buf == NULL ? "buf" : "the result");
	if (buf->state & BUF_NOT_HEAD)
		return error_set(
			DOCA_ERROR_NOT_PERMITTED,
			"buf list length: the buffer is inside a list; pass the list's head");
	for (; buf != NULL; buf = buf->next)
		n++;
	*num_elements = n;
	return DOCA_SUCCESS;
}
API_INTERNAL(buf_list_len, doca_buf_get_list_len);

/* Appends list2 to the list of `head`. If `tail` is NULL, the last buffer is searched for. */
static doca_error_t buf_chain(struct doca_buf *head, struct doca_buf *tail, struct doca_buf *list2)
{
	if (head == NULL || list2 == NULL)
		return error_set(DOCA_ERROR_INVALID_VALUE, "buf chain: %s is NULL",
				 head == NULL ? "list1" : "list2");
	if (tail == NULL)
		tail = buf_last(head);
	if ((head->state | list2->state) & BUF_NOT_HEAD)
		return error_set(DOCA_ERROR_NOT_PERMITTED,
				 "buf chain: %s is inside a list; both must be heads",
				 head->state & BUF_NOT_HEAD ? "list1" : "list2");
	if (head == list2)
		return error_set(DOCA_ERROR_NOT_PERMITTED,
				 "buf chain: list1 and list2 are the same list");
	if ((list2->state & BUF_REFS_MASK) != 1)
		return error_set(DOCA_ERROR_NOT_PERMITTED,
				 "buf chain: list2 has %u %s; only a list with one can be chained",
				 list2->state & BUF_REFS_MASK,
				 plural(list2->state & BUF_REFS_MASK, "reference", "references"));
	if (tail->next != NULL)
		return error_set(DOCA_ERROR_NOT_PERMITTED,
				 "buf chain: the given tail is not the last buffer of list1");
	tail->next = list2;
	buf_set_state(head, head->state | BUF_CHAINED);
	buf_set_state(list2, list2->state | BUF_CHAINED | BUF_NOT_HEAD);
	return DOCA_SUCCESS;
}

doca_error_t doca_buf_chain_list(struct doca_buf *list1, struct doca_buf *list2)
{
	return buf_chain(list1, NULL, list2);
}
API_INTERNAL(buf_list_chain, doca_buf_chain_list);

doca_error_t doca_buf_chain_list_tail(struct doca_buf *list1_head, struct doca_buf *list1_tail,
				      struct doca_buf *list2)
{
	if (list1_tail == NULL)
		return error_set(DOCA_ERROR_INVALID_VALUE, "buf chain: the given tail is NULL");
	return buf_chain(list1_head, list1_tail, list2);
}

doca_error_t doca_buf_unchain_list(struct doca_buf *list1, struct doca_buf *list2)
{
	struct doca_buf *pos = list1;

	if (list1 == NULL || list2 == NULL)
		return error_set(DOCA_ERROR_INVALID_VALUE, "buf unchain: %s is NULL",
				 list1 == NULL ? "list1" : "list2");
	while (pos != NULL && pos->next != list2)
		pos = pos->next;
	if (pos == NULL)
		return error_set(
			DOCA_ERROR_INVALID_VALUE,
			"buf unchain: list2 does not begin inside list1 (behind its head)");
	pos->next = NULL;
	if (pos == list1 && !(list1->state & BUF_NOT_HEAD))
		buf_set_state(list1, list1->state & ~BUF_CHAINED);
	buf_set_state(list2, list2->state & ~BUF_NOT_HEAD);
	if (list2->next == NULL)
		buf_set_state(list2, list2->state & ~BUF_CHAINED);
	return DOCA_SUCCESS;
}
API_INTERNAL(buf_list_unchain, doca_buf_unchain_list);
