/* Inventories of 1.3 to 2.2. Threads: one at a time per inventory and its buffers. */
#include "client/memory/buf_inventory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <dococ/buf_inventory_workq.h>
#include <dococ/buf_workq.h>

#include "client/base/error.h"
#include "client/base/program_api.h"
#include "client/compat/buf.h"
#include "client/compat/mmap.h"

doca_error_t compat_inventory_create(uint16_t api, const char *name,
				     const union doca_data *user_data, size_t n_elements,
				     uint32_t extensions, struct doca_buf_inventory **inventory_out)
{
	uint32_t known = api < API_2_0 ? DOCA_BUF_EXTENSION_LINKED_LIST : DOCA_BUF_EXTENSION_NONE;
	struct doca_buf_inventory *inventory;
	doca_error_t result;

	program_api_note(api, api == API_2_0 ? API_2_2 : api);
	if (inventory_out == NULL)
		return error_set(DOCA_ERROR_INVALID_VALUE,
				 "buf inventory create: the result is NULL");
	if (extensions & ~known)
		return error_set(DOCA_ERROR_INVALID_VALUE,
				 "buf inventory create: extensions %#x; this version has %#x",
				 extensions, known);
	result = inventory_new(api, n_elements, &inventory);
	if (result != DOCA_SUCCESS)
		return result;
	inventory->extensions = extensions;
	inventory->freelist.refuses_lists = api < API_2_0 &&
					    !(extensions & DOCA_BUF_EXTENSION_LINKED_LIST);
	if (user_data != NULL)
		inventory->user_data = *user_data;
	if (name != NULL) {
		inventory->name = strdup(name);
		if (inventory->name == NULL) {
			inventory_delete(inventory);
			return error_set(DOCA_ERROR_NO_MEMORY,
					 "buf inventory create: out of memory for the name");
		}
	}
	*inventory_out = inventory;
	return DOCA_SUCCESS;
}

/* --- properties (1.3) --- */

static doca_error_t property_check(const struct doca_buf_inventory *inventory, const void *value,
				   enum doca_buf_inventory_property property, const char *what)
{
	char call[40];

	if (inventory == NULL || value == NULL)
		return error_set(DOCA_ERROR_INVALID_VALUE, "buf inventory property %s: %s is NULL",
				 what, inventory == NULL ? "inventory" : "the value");
	if (inventory->api != API_1_3) {
		snprintf(call, sizeof(call), "buf inventory property %s", what);
		return api_refuse(call, "inventory", inventory->api);
	}
	if ((unsigned)property > DOCA_BUF_INVENTORY_EXTENSIONS)
		return error_set(DOCA_ERROR_INVALID_VALUE,
				 "buf inventory property %s: no property %d", what, (int)property);
	return DOCA_SUCCESS;
}

doca_error_t doca_buf_inventory_property_set(struct doca_buf_inventory *inventory,
					     enum doca_buf_inventory_property property,
					     const uint8_t *value, uint32_t size)
{
	doca_error_t result = property_check(inventory, value, property, "set");

	(void)size;
	if (result != DOCA_SUCCESS)
		return result;
	return error_set(DOCA_ERROR_NOT_PERMITTED,
			 "buf inventory property set: properties are read-only; pass them to "
			 "doca_buf_inventory_create");
}

doca_error_t doca_buf_inventory_property_get(struct doca_buf_inventory *inventory,
					     enum doca_buf_inventory_property property,
					     const uint8_t *value_out, uint32_t size)
{
	/* The interface declares the output as const. */
	void *value = (void *)(uintptr_t)value_out;
	const void *source;
	uint32_t number = 0;
	size_t len = sizeof(number);
	doca_error_t result = property_check(inventory, value, property, "get");

	if (result != DOCA_SUCCESS)
		return result;
	source = &number;
	switch (property) {
	case DOCA_BUF_INVENTORY_NAME:
		source = inventory->name != NULL ? inventory->name : "";
		len = strlen(source) + 1;
		break;
	case DOCA_BUF_INVENTORY_NUM_ELEMENTS:
		number = inventory->freelist.n_elements;
		break;
	case DOCA_BUF_INVENTORY_NUM_FREE_ELEMENTS:
		number = (uint32_t)inventory->freelist.n_free;
		break;
	case DOCA_BUF_INVENTORY_EXTENSIONS:
		number = inventory->extensions;
		break;
	}
	if (source == &number ? size != len : size < len)
		return error_set(DOCA_ERROR_INVALID_VALUE,
				 "buf inventory property get: room for %u bytes; the value has %zu",
				 size, len);
	memcpy(value, source, len);
	return DOCA_SUCCESS;
}

/* --- buffers --- */

/* Returns the memory map of one range that contains the address. Up to 1.5 that is a chunk of the
 * program's memory map. If there is none, returns NULL and *result_out with an error sentence. */
static struct doca_mmap *inventory_map(const struct doca_buf_inventory *inventory,
				       struct doca_mmap *mmap, const void *addr, const char *call,
				       doca_error_t *result_out)
{
	/* inventory_get() refuses NULL. */
	if (unlikely(inventory == NULL || mmap == NULL))
		return mmap;
	if (unlikely(inventory->api == API_TASK)) {
		*result_out = api_refuse(call, "inventory", inventory->api);
		return NULL;
	}
	if (inventory->api < API_2_0)
		return compat_mmap_find(mmap, addr, result_out);
	/* From 2.0 on, one call creates imports for all generations. */
	if (unlikely(mmap->api < API_2_0 && (mmap->api != API_TASK || !mmap->from_export)))
		*result_out = api_refuse(call, "mmap", mmap->api);
	return mmap;
}

static doca_error_t inventory_get_old(struct doca_buf_inventory *inventory, struct doca_mmap *mmap,
				      void *addr, size_t len, void *data, size_t data_len,
				      const char *call, struct doca_buf **buf_out)
{
	doca_error_t result = DOCA_SUCCESS;

	mmap = inventory_map(inventory, mmap, addr, call, &result);
	if (unlikely(result != DOCA_SUCCESS))
		return result;
	return inventory_get(inventory, mmap, addr, len, data, data_len, buf_out);
}

doca_error_t doca_buf_inventory_buf_by_args(struct doca_buf_inventory *inventory,
					    struct doca_mmap *mmap, void *addr, size_t len,
					    void *data, size_t data_len, struct doca_buf **buf_out)
{
	return inventory_get_old(inventory, mmap, addr, len, data, data_len, "buf by arguments",
				 buf_out);
}

doca_error_t doca_buf_inventory_buf_by_addr(struct doca_buf_inventory *inventory,
					    struct doca_mmap *mmap, void *addr, size_t len,
					    struct doca_buf **buf_out)
{
	return inventory_get_old(inventory, mmap, addr, len, addr, 0, "buf by address", buf_out);
}

doca_error_t doca_buf_inventory_buf_by_data(struct doca_buf_inventory *inventory,
					    struct doca_mmap *mmap, void *data, size_t data_len,
					    struct doca_buf **buf_out)
{
	return inventory_get_old(inventory, mmap, data, data_len, data, data_len, "buf by data",
				 buf_out);
}
