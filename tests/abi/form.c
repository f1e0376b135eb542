/* One plug-in; compiled once for each version, which determines the meaning of the calls below. */
#include <doca_buf.h>
#include <doca_buf_inventory.h>
#include <doca_mmap.h>

#include "tests/abi/form.h"

static void *form_make(void)
{
	struct doca_buf_inventory *inventory;
	doca_error_t result;

#if DOCA_USE_VERSION >= 205
	result = doca_buf_inventory_create(4, &inventory);
#elif DOCA_USE_VERSION >= 105
	union doca_data user_data = {.u64 = 7};

	result = doca_buf_inventory_create(&user_data, 4, DOCA_BUF_EXTENSION_NONE, &inventory);
#else
	result = doca_buf_inventory_create("plug-in", 4, DOCA_BUF_EXTENSION_NONE, &inventory);
#endif
	if (result != DOCA_SUCCESS)
		return NULL;
	if (doca_buf_inventory_start(inventory) == DOCA_SUCCESS)
		return inventory;
	doca_buf_inventory_destroy(inventory);
	return NULL;
}

static int form_release_inventory(void *inventory)
{
	doca_error_t result = doca_buf_inventory_stop(inventory);

	DOCA_ERROR_PROPAGATE(result, doca_buf_inventory_destroy(inventory));
	return (int)result;
}

static void *form_make_mmap(void)
{
	struct doca_mmap *mmap;
	doca_error_t result;

#if DOCA_USE_VERSION >= 205
	result = doca_mmap_create(&mmap);
#elif DOCA_USE_VERSION >= 105
	result = doca_mmap_create(NULL, &mmap);
#else
	result = doca_mmap_create("plug-in", &mmap);
#endif
	return result == DOCA_SUCCESS ? mmap : NULL;
}

/*
 * Every generation can start maps, each in its own way; from 2.0 on this map is not configured
 * enough.
 */
static int form_start_mmap(void *mmap)
{
	return (int)doca_mmap_start(mmap);
}

static int form_destroy_mmap(void *mmap)
{
	return (int)doca_mmap_destroy(mmap);
}

extern const struct form form;
const struct form form __attribute__((visibility("default"))) = {
	.version = DOCA_USE_VERSION,
	.make = form_make,
	.release_inventory = form_release_inventory,
	.make_mmap = form_make_mmap,
	.start_mmap = form_start_mmap,
	.destroy_mmap = form_destroy_mmap,
};
