/*
 * Buffer inventory: buffers of any memory map; client/memory/buf_freelist.h has their free list.
 * Threads: one at a time per inventory. Inventories of several threads may have buffers of one
 * memory map.
 */
#include "client/memory/buf_inventory.h"

#include <errno.h>
#include <stdlib.h>

#include "client/base/error.h"
#include "client/base/program_api.h"
#include "client/memory/quarantine.h"
#include "util/str.h"

/* The least number of buffers that are marked as touched at once. */
#define TOUCHED_MIN 64u

static int inventory_grow(struct doca_buf_inventory *inventory, uint32_t n)
{
	struct buf_freelist *freelist = &inventory->freelist;
	struct buf_slab *slab = malloc(sizeof(*slab));
	struct doca_buf **stack = realloc(freelist->stack,
					  ((size_t)freelist->n_elements + n) * sizeof(*stack));
	size_t top = freelist->n_free;

	if (stack != NULL)
		freelist->stack = stack;
	if (slab == NULL || stack == NULL ||
	    posix_memalign((void **)&slab->bufs, 64, (size_t)n * sizeof(struct doca_buf)) != 0) {
		free(slab);
		return -ENOMEM;
	}
	/* The stack is filled from the end, so that the slab's first buffer is taken first. */
	for (uint32_t i = n; i > 0; i--) {
		slab->bufs[i - 1] = (struct doca_buf){.freelist = freelist};
		stack[top++] = &slab->bufs[i - 1];
	}
	buf_freelists_lock();
	slab->n = n;
	slab->next = freelist->slabs;
	if (slab->next == NULL)
		freelist->n_untouched = freelist->n_first = n;
	freelist->slabs = slab;
	freelist->n_elements += n;
	buf_freelist_set_n_free(freelist, top);
	buf_freelists_unlock();
	return 0;
}

doca_error_t inventory_new(uint16_t api, size_t num_elements,
			   struct doca_buf_inventory **inventory_out)
{
	struct doca_buf_inventory *inventory;

	if (inventory_out == NULL || num_elements == 0 || num_elements > UINT32_MAX)
		return error_set(DOCA_ERROR_INVALID_VALUE, "buf inventory create: %s",
				 inventory_out == NULL ? "the result is NULL"
				 : num_elements == 0   ? "0 elements; ask for at least 1"
						       : "more than 4294967295 elements");
	inventory = calloc(1, sizeof(*inventory));
	if (inventory == NULL || inventory_grow(inventory, (uint32_t)num_elements) < 0) {
		if (inventory != NULL)
			free(inventory->freelist.stack);
		free(inventory);
		return error_set(DOCA_ERROR_NO_MEMORY,
				 "buf inventory create: out of memory for %zu %s", num_elements,
				 plural(num_elements, "element", "elements"));
	}
	inventory->freelist.floor = SIZE_MAX;
	inventory->api = api;
	buf_freelist_add(&inventory->freelist);
	*inventory_out = inventory;
	return DOCA_SUCCESS;
}

doca_error_t doca_buf_inventory_create(size_t num_elements,
				       struct doca_buf_inventory **inventory_out)
{
	program_api_note(DOCA_MAKE_VERSION(2, 5), PROGRAM_API_NEWEST);
	return inventory_new(API_TASK, num_elements, inventory_out);
}
API_PLAIN(doca_buf_inventory_create, 2_5);

doca_error_t doca_buf_inventory_destroy(struct doca_buf_inventory *inventory)
{
	size_t n_out;

	if (inventory == NULL)
		return error_set(DOCA_ERROR_INVALID_VALUE,
				 "buf inventory destroy: inventory is NULL");
	n_out = inventory->freelist.n_elements - inventory->freelist.n_free;
	if (n_out != 0)
		return error_set(inventory->api == API_TASK ? DOCA_ERROR_IN_USE
							    : DOCA_ERROR_NOT_PERMITTED,
				 "buf inventory destroy: %zu of %u %s %s still in use; release "
				 "them with doca_buf_dec_refcount",
				 n_out, inventory->freelist.n_elements,
				 plural(inventory->freelist.n_elements, "buffer", "buffers"),
				 plural(n_out, "is", "are"));
	buf_freelist_remove(&inventory->freelist);
	while (inventory->freelist.slabs != NULL) {
		struct buf_slab *slab = inventory->freelist.slabs;

		inventory->freelist.slabs = slab->next;
		quarantine_free(slab->bufs, (size_t)slab->n * sizeof(*slab->bufs));
		free(slab);
	}
	free(inventory->freelist.stack);
	free(inventory->name);
	free(inventory);
	return DOCA_SUCCESS;
}
API_INTERNAL(inventory_delete, doca_buf_inventory_destroy);

doca_error_t doca_buf_inventory_start(struct doca_buf_inventory *inventory)
{
	if (inventory == NULL)
		return error_set(DOCA_ERROR_INVALID_VALUE,
				 "buf inventory start: inventory is NULL");
	if (!inventory->freelist.started) {
		inventory->freelist.floor = inventory->api == API_TASK
						    ? inventory->freelist.n_untouched
						    : SIZE_MAX;
		inventory->freelist.started = true;
		inventory->was_started = true;
	}
	return DOCA_SUCCESS;
}

doca_error_t doca_buf_inventory_stop(struct doca_buf_inventory *inventory)
{
	if (inventory == NULL)
		return error_set(DOCA_ERROR_INVALID_VALUE, "buf inventory stop: inventory is NULL");
	if (inventory->freelist.started) {
		inventory->freelist.floor = SIZE_MAX;
		inventory->freelist.started = false;
	}
	return DOCA_SUCCESS;
}

/* For calls that need a started inventory. An inventory that was never started is started here,
 * with a warning, because programs that skip the start run on a card. */
static doca_error_t inventory_check_started(struct doca_buf_inventory *inventory, const char *what)
{
	doca_error_t result;

	if (inventory->freelist.started)
		return DOCA_SUCCESS;
	if (inventory->was_started)
		return error_set(DOCA_ERROR_BAD_STATE,
				 "%s: the inventory was stopped; call doca_buf_inventory_start",
				 what);
	result = lenient_accept(
		&inventory->rules, INVENTORY_RULE_BUF_BEFORE_START, DOCA_ERROR_BAD_STATE,
		"%s: the inventory is not started; call doca_buf_inventory_start before", what);
	return result == DOCA_SUCCESS ? doca_buf_inventory_start(inventory) : result;
}

static doca_error_t mmap_check_allows_bufs(struct doca_mmap *mmap, const char *what)
{
	if (mmap->base != UINTPTR_MAX)
		return DOCA_SUCCESS;
	if (!mmap_allows_early_bufs(mmap))
		return error_set(DOCA_ERROR_BAD_STATE,
				 "%s: the mmap is not started; call doca_mmap_start before", what);
	return lenient_accept(&mmap->rules, MMAP_RULE_BUF_BEFORE_START, DOCA_ERROR_BAD_STATE,
			      "%s: the mmap is not started; call doca_mmap_start before", what);
}

static doca_error_t inventory_check_get(struct doca_buf_inventory *inventory,
					struct doca_mmap *mmap, const void *addr, size_t len,
					const void *data, size_t data_len,
					struct doca_buf *const *buf_out)
{
	uintptr_t start;
	doca_error_t result;

	if (inventory == NULL || mmap == NULL || buf_out == NULL)
		return error_set(DOCA_ERROR_INVALID_VALUE, "buf get: %s is NULL",
				 inventory == NULL ? "inventory"
				 : mmap == NULL    ? "mmap"
						   : "the result");
	result = inventory_check_started(inventory, "buf get");
	if (result == DOCA_SUCCESS)
		result = mmap_check_allows_bufs(mmap, "buf get");
	if (result != DOCA_SUCCESS)
		return result;
	start = (uintptr_t)addr - (uintptr_t)mmap->addr;
	if (start > mmap->len || len > mmap->len - start)
		return error_set(
			DOCA_ERROR_INVALID_VALUE,
			"buf get: %p of %zu bytes is outside the mmap's range %p of %zu bytes",
			addr, len, mmap->addr, mmap->len);
	if ((uintptr_t)data - (uintptr_t)addr > len ||
	    data_len > len - ((uintptr_t)data - (uintptr_t)addr))
		return error_set(
			DOCA_ERROR_INVALID_VALUE,
			"buf get: data %p of %zu bytes is outside the buffer %p of %zu bytes", data,
			data_len, addr, len);
	if (inventory->freelist.n_free == 0)
		return error_hint(DOCA_ERROR_NO_MEMORY,
				  "buf get: all buffers of the inventory are in use; release some, "
				  "expand it, or create a larger one");
	return DOCA_SUCCESS;
}

/* Lowers `n_untouched` before n free buffers are taken. Each time, it touches twice the number
 * already touched, so that this function rarely has anything to do. */
static void inventory_touch(struct buf_freelist *freelist, size_t n)
{
	size_t left = freelist->n_free - n, first, touched;

	if (likely(left >= freelist->n_untouched))
		return;
	/* All remaining free buffers, and all untouched ones, are in the first slab. */
	first = freelist->n_first;
	touched = MIN(2 * (first - left) + TOUCHED_MIN, first);
	__atomic_store_n(&freelist->n_untouched, first - touched, __ATOMIC_RELAXED);
	if (freelist->floor != SIZE_MAX)
		freelist->floor = freelist->n_untouched;
}

doca_error_t inventory_get(struct doca_buf_inventory *inventory, struct doca_mmap *mmap, void *addr,
			   size_t len, void *data, size_t data_len, struct doca_buf **buf_out)
{
	doca_error_t result = inventory_check_get(inventory, mmap, addr, len, data, data_len,
						  buf_out);
	struct doca_buf *buf;

	if (unlikely(result != DOCA_SUCCESS))
		return result;
	inventory_touch(&inventory->freelist, 1);
	buf = buf_freelist_pop(&inventory->freelist, inventory->freelist.n_free);
	buf->head = addr;
	buf->len = len;
	buf->data = data;
	buf->data_len = data_len;
	buf_set_allocated(buf, mmap, 1);
	*buf_out = buf;
	return DOCA_SUCCESS;
}

/* The slow path: errors, and buffers that were never taken before. */
static __attribute__((noinline)) doca_error_t inventory_get_slow(
	struct doca_buf_inventory *inventory, struct doca_mmap *mmap, void *addr, size_t len,
	void *data, size_t data_len, struct doca_buf **buf_out)
{
	if (inventory != NULL && inventory->api != API_TASK)
		return api_refuse("buf get", "inventory", inventory->api);
	if (mmap != NULL && mmap->api != API_TASK)
		return api_refuse("buf get", "mmap", mmap->api);
	return inventory_get(inventory, mmap, addr, len, data, data_len, buf_out);
}

/* The fast path, inlined into each of the three calls that take a buffer. */
static inline __attribute__((always_inline)) doca_error_t inventory_get_fast(
	struct doca_buf_inventory *inventory, struct doca_mmap *mmap, void *addr, size_t len,
	void *data, size_t data_len, struct doca_buf **buf_out)
{
	struct doca_buf *buf;
	size_t top, rest;

	if (unlikely(inventory == NULL))
		goto slow;
	if (unlikely(mmap == NULL))
		goto slow;
	if (unlikely((uintptr_t)addr < mmap->base || (uintptr_t)addr > mmap->limit))
		goto slow;
	if (unlikely(len > mmap->limit - (uintptr_t)addr))
		goto slow;
	rest = (uintptr_t)data - (uintptr_t)addr;
	if (unlikely(rest > len))
		goto slow;
	if (unlikely(data_len > len - rest))
		goto slow;
	top = inventory->freelist.n_free;
	if (unlikely(top <= inventory->freelist.floor))
		goto slow;
	if (unlikely(buf_out == NULL))
		goto slow;
	buf = buf_freelist_pop(&inventory->freelist, top);
	buf->head = addr;
	buf->len = len;
	buf->data = data;
	buf->data_len = data_len;
	buf_set_allocated(buf, mmap, 1);
	*buf_out = buf;
	return DOCA_SUCCESS;
slow:
	return inventory_get_slow(inventory, mmap, addr, len, data, data_len, buf_out);
}

doca_error_t doca_buf_inventory_buf_get_by_args(struct doca_buf_inventory *inventory,
						struct doca_mmap *mmap, void *addr, size_t len,
						void *data, size_t data_len,
						struct doca_buf **buf_out)
{
	return inventory_get_fast(inventory, mmap, addr, len, data, data_len, buf_out);
}

doca_error_t doca_buf_inventory_buf_get_by_addr(struct doca_buf_inventory *inventory,
						struct doca_mmap *mmap, void *addr, size_t len,
						struct doca_buf **buf_out)
{
	return inventory_get_fast(inventory, mmap, addr, len, addr, 0, buf_out);
}

doca_error_t doca_buf_inventory_buf_get_by_data(struct doca_buf_inventory *inventory,
						struct doca_mmap *mmap, void *data, size_t data_len,
						struct doca_buf **buf_out)
{
	return inventory_get_fast(inventory, mmap, data, data_len, data, data_len, buf_out);
}

doca_error_t doca_buf_inventory_buf_dup(struct doca_buf_inventory *inventory,
					const struct doca_buf *src_buf, struct doca_buf **dst_buf)
{
	const struct doca_buf *pos;
	struct doca_buf *first = NULL, **link = &first;
	uint32_t n = 0;
	doca_error_t result;

	if (inventory == NULL || src_buf == NULL || dst_buf == NULL)
		return error_set(DOCA_ERROR_INVALID_VALUE, "buf dup: %s is NULL",
				 inventory == NULL ? "inventory"
				 : src_buf == NULL ? "the source"
						   : "the result");
	if (src_buf->state & BUF_NOT_HEAD)
		return error_set(DOCA_ERROR_NOT_PERMITTED,
				 "buf dup: the source is inside a list; duplicate the list's head");
	result = inventory_check_started(inventory, "buf dup");
	BUF_FOR_EACH(pos, src_buf)
	{
		if (result == DOCA_SUCCESS)
			result = mmap_check_allows_bufs(pos->mmap, "buf dup");
		n++;
	}
	if (result != DOCA_SUCCESS)
		return result;
	if (n > inventory->freelist.n_free)
		return error_note(DOCA_ERROR_NO_MEMORY,
				  "buf dup: the list has %u %s, the inventory has %zu left", n,
				  plural(n, "buffer", "buffers"), inventory->freelist.n_free);
	inventory_touch(&inventory->freelist, n);
	BUF_FOR_EACH(pos, src_buf)
	{
		struct doca_buf *buf = buf_freelist_pop(&inventory->freelist,
							inventory->freelist.n_free);

		/* The copy is not claimed, even if an unfinished task claims the source. */
		buf->head = pos->head;
		buf->len = pos->len;
		buf->data = pos->data;
		buf->data_len = pos->data_len;
		buf->claimed = 0;
		buf_set_allocated(buf, pos->mmap, (pos->state & (BUF_CHAINED | BUF_NOT_HEAD)) | 1);
		*link = buf;
		link = &buf->next;
	}
	*dst_buf = first;
	return DOCA_SUCCESS;
}

static doca_error_t buf_reuse(struct doca_buf *buf, void *addr, size_t len, size_t data_len)
{
	const struct doca_mmap *mmap;

	if (buf == NULL)
		return error_set(DOCA_ERROR_INVALID_VALUE, "buf reuse: buf is NULL");
	if (buf->freelist->is_pool)
		return error_set(DOCA_ERROR_INVALID_VALUE,
				 "buf reuse: the buffer is of a pool, whose memory is fixed; take "
				 "it from an inventory");
	mmap = buf->mmap;
	if ((uintptr_t)addr - mmap->base > mmap->span ||
	    len > mmap->span - ((uintptr_t)addr - mmap->base))
		return error_set(DOCA_ERROR_INVALID_VALUE,
				 "buf reuse: %p of %zu bytes is outside the buffer's mmap", addr,
				 len);
	buf->head = addr;
	buf->len = len;
	buf->data = addr;
	buf->data_len = data_len;
	return DOCA_SUCCESS;
}

doca_error_t doca_buf_inventory_buf_reuse_by_addr(struct doca_buf *buf, void *addr, size_t len)
{
	return buf_reuse(buf, addr, len, 0);
}

doca_error_t doca_buf_inventory_buf_reuse_by_data(struct doca_buf *buf, void *data, size_t data_len)
{
	return buf_reuse(buf, data, data_len, data_len);
}

doca_error_t doca_buf_inventory_set_user_data(struct doca_buf_inventory *inventory,
					      union doca_data user_data)
{
	if (inventory == NULL)
		return error_set(DOCA_ERROR_INVALID_VALUE,
				 "buf inventory user data: inventory is NULL");
	if (inventory->api != API_TASK)
		return api_refuse("buf inventory user data", "inventory", inventory->api);
	inventory->user_data = user_data;
	return DOCA_SUCCESS;
}

doca_error_t doca_buf_inventory_get_user_data(const struct doca_buf_inventory *inventory,
					      union doca_data *user_data)
{
	if (inventory == NULL || user_data == NULL)
		return error_set(DOCA_ERROR_INVALID_VALUE, "buf inventory user data: %s is NULL",
				 inventory == NULL ? "inventory" : "the result");
	*user_data = inventory->user_data;
	return DOCA_SUCCESS;
}

doca_error_t doca_buf_inventory_get_num_elements(const struct doca_buf_inventory *inventory,
						 uint32_t *num_out)
{
	if (inventory == NULL || num_out == NULL)
		return error_set(DOCA_ERROR_INVALID_VALUE, "buf inventory elements: %s is NULL",
				 inventory == NULL ? "inventory" : "the result");
	*num_out = inventory->freelist.n_elements;
	return DOCA_SUCCESS;
}

doca_error_t doca_buf_inventory_get_num_free_elements(const struct doca_buf_inventory *inventory,
						      uint32_t *num_out)
{
	if (inventory == NULL || num_out == NULL)
		return error_set(DOCA_ERROR_INVALID_VALUE,
				 "buf inventory free elements: %s is NULL",
				 inventory == NULL ? "inventory" : "the result");
	*num_out = (uint32_t)inventory->freelist.n_free;
	return DOCA_SUCCESS;
}

doca_error_t doca_buf_inventory_expand(struct doca_buf_inventory *inventory, uint32_t num_elements)
{
	doca_error_t result;

	if (inventory == NULL || num_elements == 0 ||
	    num_elements > UINT32_MAX - inventory->freelist.n_elements)
		return error_set(DOCA_ERROR_INVALID_VALUE, "buf inventory expand: %s",
				 inventory == NULL ? "inventory is NULL"
				 : num_elements == 0
					 ? "by 0 elements; ask for at least 1"
					 : "the inventory would exceed 4294967295 elements");
	if (inventory->api != API_TASK)
		return api_refuse("buf inventory expand", "inventory", inventory->api);
	result = inventory_check_started(inventory, "buf inventory expand");
	if (result != DOCA_SUCCESS)
		return result;
	if (inventory_grow(inventory, num_elements) < 0)
		return error_set(DOCA_ERROR_NO_MEMORY,
				 "buf inventory expand: out of memory for %u %s", num_elements,
				 plural(num_elements, "element", "elements"));
	return DOCA_SUCCESS;
}
