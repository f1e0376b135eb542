/* Buffers of 1.3 to 2.2. Threads: a buffer and its list belong to one thread at a time. */
#include "client/compat/buf.h"

#include <doca_buf.h>
#include <dococ/buf_workq.h>
#include <dococ/mmap_workq.h>

#include "client/base/error.h"
#include "client/memory/buf.h"
#include "client/memory/buf_freelist.h"
#include "client/memory/rdma_bridge.h"

/* The valid bits of the access flags of 1.5. */
#define ACCESS_BITS 0xfu

doca_error_t doca_buf_refcount_rm(struct doca_buf *buf, uint16_t *refcount)
{
	return buf_release(buf, refcount);
}

doca_error_t doca_buf_refcount_add(struct doca_buf *buf, uint16_t *refcount)
{
	(void)buf;
	(void)refcount;
	return error_set(DOCA_ERROR_NOT_SUPPORTED,
			 "buf refcount add: buffers of 1.5 to 2.2 have one reference; duplicate "
			 "the buffer with doca_buf_inventory_buf_dup");
}

doca_error_t doca_buf_refcount_get(struct doca_buf *buf, uint16_t *refcount)
{
	*refcount = (uint16_t)(buf->state & BUF_REFS_MASK);
	return DOCA_SUCCESS;
}

doca_error_t doca_buf_head_get(struct doca_buf *buf, uint8_t **head)
{
	*head = buf->head;
	return DOCA_SUCCESS;
}

doca_error_t doca_buf_len_get(struct doca_buf *buf, size_t *len)
{
	*len = buf->len;
	return DOCA_SUCCESS;
}

doca_error_t compat_buf_set_data(struct doca_buf *buf, void *data, size_t data_len)
{
	size_t lead = (uintptr_t)data - (uintptr_t)buf->head;

	if (unlikely((uintptr_t)data < (uintptr_t)buf->head || lead > buf->len ||
		     data_len > buf->len - lead))
		return error_set(
			DOCA_ERROR_INVALID_VALUE,
			"buf set data: data %p of %zu bytes is outside the buffer %p of %zu bytes",
			data, data_len, (void *)buf->head, buf->len);
	buf->data = data;
	buf->data_len = data_len;
	return DOCA_SUCCESS;
}

/* Returns whether the memory map permits the access, because a key gives what the memory map gives.
 * In 1.5 the flags of both have the same bits. */
static bool mmap_permits(const struct doca_mmap *mmap, uint32_t access)
{
	uint32_t rights = 0;

	if (access & DOCA_MMAP_ACCESS_REMOTE_WRITE)
		rights |= DOCA_ACCESS_FLAG_RDMA_WRITE;
	if (access & DOCA_MMAP_ACCESS_REMOTE_READ)
		rights |= DOCA_ACCESS_FLAG_RDMA_READ;
	if (access & DOCA_MMAP_ACCESS_REMOTE_ATOMIC)
		rights |= DOCA_ACCESS_FLAG_RDMA_ATOMIC;
	return (!(access & DOCA_MMAP_ACCESS_LOCAL_WRITE) || mmap->writable) &&
	       (mmap->permissions & rights) == rights;
}

doca_error_t doca_buf_get_lkey(const struct doca_buf *buf, struct doca_dev *dev,
			       uint32_t doca_access_flags, uint32_t *lkey)
{
	if (buf == NULL || dev == NULL || lkey == NULL)
		return error_set(DOCA_ERROR_INVALID_VALUE, "buf lkey: %s is NULL",
				 buf == NULL   ? "buf"
				 : dev == NULL ? "dev"
					       : "the result");
	if (buf->mmap->api == API_TASK && !buf->mmap->from_export)
		return api_refuse("buf lkey", "buffer's mmap", API_TASK);
	if (doca_access_flags & ~ACCESS_BITS)
		return error_set(DOCA_ERROR_INVALID_VALUE,
				 "buf lkey: %#x has bits that are no access flag",
				 doca_access_flags);
	if (!mmap_permits(buf->mmap, doca_access_flags))
		return error_set(DOCA_ERROR_INVALID_VALUE,
				 "buf lkey: the buffer's mmap does not permit all of %#x",
				 doca_access_flags);
	return bridge_get_buf_key(buf, dev, MMAP_CHUNKED | MMAP_WORKQ, lkey, "buf lkey");
}

/* --- lists --- */

/* Up to 1.5, the inventory's extensions say whether its buffers may be chained. */
static doca_error_t list_check(const struct doca_buf *buf, const char *what)
{
	if (likely(!buf->freelist->refuses_lists))
		return DOCA_SUCCESS;
	return error_set(DOCA_ERROR_NOT_PERMITTED,
			 "buf list %s: the buffer's inventory was made without "
			 "DOCA_BUF_EXTENSION_LINKED_LIST",
			 what);
}

doca_error_t doca_buf_list_next(struct doca_buf *buf, struct doca_buf **next_buf)
{
	doca_error_t result = list_check(buf, "next");

	return result == DOCA_SUCCESS ? buf_list_next(buf, next_buf) : result;
}

doca_error_t doca_buf_list_last(struct doca_buf *buf, struct doca_buf **last_buf)
{
	doca_error_t result = buf == NULL ? DOCA_SUCCESS : list_check(buf, "last");

	return result == DOCA_SUCCESS ? buf_list_last(buf, last_buf) : result;
}

doca_error_t doca_buf_list_is_last(const struct doca_buf *buf, bool *is_last)
{
	doca_error_t result = list_check(buf, "is last");

	if (result == DOCA_SUCCESS)
		*is_last = buf->next == NULL;
	return result;
}

doca_error_t doca_buf_list_is_first(const struct doca_buf *buf, bool *is_first)
{
	doca_error_t result = list_check(buf, "is first");

	if (result == DOCA_SUCCESS)
		*is_first = !(buf->state & BUF_NOT_HEAD);
	return result;
}

doca_error_t doca_buf_list_num_elements(const struct doca_buf *buf, uint32_t *num_elements)
{
	doca_error_t result = buf == NULL ? DOCA_SUCCESS : list_check(buf, "number of elements");

	return result == DOCA_SUCCESS ? buf_list_len(buf, num_elements) : result;
}

doca_error_t doca_buf_list_chain(struct doca_buf *list1, struct doca_buf *list2)
{
	doca_error_t result;

	/* buf_list_chain() refuses NULL. */
	if (list1 == NULL || list2 == NULL)
		return buf_list_chain(list1, list2);
	result = list_check(list1, "chain");
	if (result == DOCA_SUCCESS)
		result = list_check(list2, "chain");
	return result == DOCA_SUCCESS ? buf_list_chain(list1, list2) : result;
}

doca_error_t doca_buf_list_unchain(struct doca_buf *list1, struct doca_buf *list2)
{
	doca_error_t result = list1 == NULL ? DOCA_SUCCESS : list_check(list1, "unchain");

	return result == DOCA_SUCCESS ? buf_list_unchain(list1, list2) : result;
}
