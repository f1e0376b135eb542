/* Memory maps of 1.3 to 2.2, see client/compat/mmap.h. Threads: one at a time per map. */
#include "client/compat/mmap.h"

#include <stdlib.h>
#include <string.h>

#include <doca_mmap.h>
#include <dococ/mmap_workq.h>

#include "client/base/error.h"
#include "client/base/program_api.h"
#include "client/memory/export_text.h"
#include "client/memory/mmap.h"
#include "util/str.h"

#define CHUNK_PAGE_MIN 4096u
#define ACCESS_ALL                                                      \
	(DOCA_MMAP_ACCESS_LOCAL_WRITE | DOCA_MMAP_ACCESS_REMOTE_WRITE | \
	 DOCA_MMAP_ACCESS_REMOTE_READ | DOCA_MMAP_ACCESS_REMOTE_ATOMIC)
/* The access if the program sets none: 1.5 has no call for it, and programs of 1.3 export without
 * setting it. */
#define ACCESS_DEFAULT                                                  \
	(DOCA_MMAP_ACCESS_LOCAL_WRITE | DOCA_MMAP_ACCESS_REMOTE_WRITE | \
	 DOCA_MMAP_ACCESS_REMOTE_READ)

struct legacy_mmap {
	struct mmap_legacy legacy;
	struct doca_mmap **chunks; /* sorted by address; they do not overlap */
	uint32_t n_chunks, max_chunks, room;
	uint32_t access; /* enum doca_mmap_access_flags */
	char *name;      /* may be NULL */
};

static struct legacy_mmap *legacy_mmap_of(const struct doca_mmap *mmap)
{
	return container_of(mmap->legacy, struct legacy_mmap, legacy);
}

static void legacy_mmap_stop(struct doca_mmap *mmap)
{
	struct legacy_mmap *legacy = legacy_mmap_of(mmap);

	for (uint32_t i = 0; i < legacy->n_chunks; i++) {
		mmap_revoke_exports(legacy->chunks[i]);
		mmap_set_stopped(legacy->chunks[i]);
	}
}

/* A chunk uses its memory map's array of devices. */
static void chunk_share_devs(struct doca_mmap *chunk, const struct doca_mmap *mmap)
{
	chunk->devs = mmap->devs;
	chunk->n_devs = mmap->n_devs;
	chunk->dev = mmap->dev;
}

static void legacy_mmap_share_devs(struct doca_mmap *mmap)
{
	struct legacy_mmap *legacy = legacy_mmap_of(mmap);

	for (uint32_t i = 0; i < legacy->n_chunks; i++)
		chunk_share_devs(legacy->chunks[i], mmap);
}

static void legacy_destroy(struct doca_mmap *mmap)
{
	struct legacy_mmap *legacy = legacy_mmap_of(mmap);

	for (uint32_t i = 0; i < legacy->n_chunks; i++) {
		legacy->chunks[i]->devs = NULL;
		legacy->chunks[i]->n_devs = 0;
		mmap_free(legacy->chunks[i]);
	}
	mmap->legacy = NULL;
	free(legacy->chunks);
	free(legacy->name);
	free(legacy);
}

/* Adds the chunk support to a new memory map or an import. On failure the memory map is
 * destroyed. */
static doca_error_t legacy_mmap_attach(struct doca_mmap *mmap, const char *name)
{
	struct legacy_mmap *legacy = calloc(1, sizeof(*legacy));

	if (legacy != NULL && name != NULL)
		legacy->name = strdup(name);
	if (legacy == NULL || (name != NULL && legacy->name == NULL)) {
		free(legacy);
		mmap_free(mmap);
		return error_set(DOCA_ERROR_NO_MEMORY, "mmap create: out of memory");
	}
	legacy->legacy = (struct mmap_legacy){
		.stop = legacy_mmap_stop,
		.destroy = legacy_destroy,
	};
	legacy->max_chunks = 1;
	legacy->access = ACCESS_DEFAULT;
	mmap->legacy = &legacy->legacy;
	return DOCA_SUCCESS;
}

doca_error_t compat_mmap_create_chunked(uint16_t api, const char *name,
					const union doca_data *user_data,
					struct doca_mmap **mmap_out)
{
	struct doca_mmap *mmap;
	doca_error_t result;

	program_api_note(api, api);
	if (mmap_out == NULL)
		return error_set(DOCA_ERROR_INVALID_VALUE, "mmap create: the result is NULL");
	result = mmap_new(api, &mmap);
	if (result == DOCA_SUCCESS)
		result = legacy_mmap_attach(mmap, name);
	if (result != DOCA_SUCCESS)
		return result;
	if (user_data != NULL)
		mmap->user_data = *user_data;
	*mmap_out = mmap;
	return DOCA_SUCCESS;
}

doca_error_t compat_mmap_create_ranged(const union doca_data *user_data,
				       struct doca_mmap **mmap_out)
{
	doca_error_t result;

	program_api_note(API_2_0, API_2_2);
	result = mmap_new(API_2_0, mmap_out);
	if (result == DOCA_SUCCESS && user_data != NULL)
		(*mmap_out)->user_data = *user_data;
	return result;
}

doca_error_t compat_mmap_import(uint16_t api, const char *name, const union doca_data *user_data,
				const void *desc, size_t desc_len, struct doca_dev *dev,
				struct doca_mmap **mmap_out)
{
	struct doca_mmap *mmap;
	doca_error_t result;

	if (mmap_out == NULL)
		return error_set(DOCA_ERROR_INVALID_VALUE,
				 "mmap create from export: the result is NULL");
	result = mmap_import(api, user_data, desc, desc_len, dev, &mmap);
	if (result == DOCA_SUCCESS)
		result = legacy_mmap_attach(mmap, name);
	if (result == DOCA_SUCCESS)
		*mmap_out = mmap;
	return result;
}

/* --- configuration of maps with chunks --- */

/* For calls that require a memory map which is started and not exported. */
static doca_error_t legacy_mmap_check_open(const struct doca_mmap *mmap, const char *what)
{
	doca_error_t result;

	if (mmap == NULL)
		return error_set(DOCA_ERROR_INVALID_VALUE, "mmap %s: mmap is NULL", what);
	result = mmap_check_api(mmap, MMAP_CHUNKED, what);
	if (result != DOCA_SUCCESS)
		return result;
	if (mmap->from_export || mmap->exported)
		return error_set(
			DOCA_ERROR_NOT_PERMITTED, "mmap %s: the mmap %s", what,
			mmap->from_export
				? "was created from an export and cannot be changed"
				: "is exported and cannot be changed; stop it and start it again");
	if (!mmap->started)
		return error_set(DOCA_ERROR_NOT_PERMITTED,
				 "mmap %s: the mmap is not started; call doca_mmap_start before",
				 what);
	return DOCA_SUCCESS;
}

/* For limits and rights, which are fixed by the first start. */
static doca_error_t legacy_mmap_check_new(const struct doca_mmap *mmap, unsigned generations,
					  const char *what)
{
	doca_error_t result = mmap_check_idle(mmap, generations, DOCA_ERROR_NOT_PERMITTED, what);

	if (result == DOCA_SUCCESS && mmap->was_started)
		return error_set(DOCA_ERROR_NOT_PERMITTED,
				 "mmap %s: not allowed after the first start", what);
	return result;
}

/* The caller has checked for NULL. */
static doca_error_t legacy_mmap_check(const struct doca_mmap *mmap, const char *what)
{
	return mmap_check_api(mmap, MMAP_CHUNKED, what);
}

doca_error_t compat_mmap_start(struct doca_mmap *mmap)
{
	doca_error_t result;
	struct legacy_mmap *legacy;

	if (mmap == NULL)
		return error_set(DOCA_ERROR_INVALID_VALUE, "mmap start: mmap is NULL");
	result = legacy_mmap_check(mmap, "start");
	if (result != DOCA_SUCCESS)
		return result;
	if (mmap->from_export || mmap->exported)
		return error_set(DOCA_ERROR_NOT_PERMITTED, "mmap start: the mmap %s",
				 mmap->from_export
					 ? "was created from an export and is usable as it is"
					 : "is exported; stop it first");
	if (mmap->started)
		return DOCA_SUCCESS;
	legacy = legacy_mmap_of(mmap);
	for (uint32_t i = 0; i < legacy->n_chunks; i++)
		mmap_set_started(legacy->chunks[i]);
	/* The memory map itself has no range, so that no buffer can point to it. */
	mmap->started = true;
	mmap->was_started = true;
	return DOCA_SUCCESS;
}

doca_error_t compat_mmap_dev_add_started(struct doca_mmap *mmap, struct doca_dev *dev)
{
	doca_error_t result = legacy_mmap_check_open(mmap, "add device");

	if (result == DOCA_SUCCESS)
		result = mmap_dev_add(mmap, dev);
	if (result == DOCA_SUCCESS)
		legacy_mmap_share_devs(mmap);
	return result;
}

doca_error_t compat_mmap_dev_rm_started(struct doca_mmap *mmap, struct doca_dev *dev)
{
	doca_error_t result = legacy_mmap_check_open(mmap, "remove device");
	uint32_t n_bufs;

	if (result != DOCA_SUCCESS)
		return result;
	n_bufs = buf_freelists_count(mmap);
	if (n_bufs != 0)
		return error_set(DOCA_ERROR_NOT_PERMITTED,
				 "mmap remove device: %u %s into it; release them first", n_bufs,
				 plural(n_bufs, "buffer still points", "buffers still point"));
	result = mmap_dev_rm(mmap, dev);
	if (result == DOCA_SUCCESS)
		legacy_mmap_share_devs(mmap);
	return result;
}

static doca_error_t set_max_chunks(struct doca_mmap *mmap, uint32_t max_num_chunks)
{
	doca_error_t result = legacy_mmap_check_new(mmap, MMAP_CHUNKED | MMAP_WORKQ,
						    "set maximum of chunks");

	if (result != DOCA_SUCCESS)
		return result;
	if (max_num_chunks == 0)
		return error_set(DOCA_ERROR_INVALID_VALUE,
				 "mmap set maximum of chunks: 0; the minimum is 1");
	if (mmap->legacy != NULL)
		legacy_mmap_of(mmap)->max_chunks = max_num_chunks;
	return DOCA_SUCCESS;
}

doca_error_t doca_mmap_set_max_num_chunks(struct doca_mmap *mmap, uint32_t max_num_chunks)
{
	return set_max_chunks(mmap, max_num_chunks);
}

doca_error_t doca_mmap_get_max_num_chunks(struct doca_mmap *mmap, uint32_t *max_num_chunks)
{
	doca_error_t result;

	if (mmap == NULL || max_num_chunks == NULL)
		return error_set(DOCA_ERROR_INVALID_VALUE, "mmap get maximum of chunks: %s is NULL",
				 mmap == NULL ? "mmap" : "the result");
	result = legacy_mmap_check(mmap, "get maximum of chunks");
	if (result == DOCA_SUCCESS)
		*max_num_chunks = legacy_mmap_of(mmap)->max_chunks;
	return result;
}

/* --- chunks --- */

/* Returns the index of the first chunk that begins behind the address. */
static uint32_t legacy_mmap_find_chunk(const struct legacy_mmap *legacy, uintptr_t addr)
{
	uint32_t low = 0, high = legacy->n_chunks;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if ((uintptr_t)legacy->chunks[middle]->addr <= addr)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

struct doca_mmap *compat_mmap_find(struct doca_mmap *mmap, const void *addr,
				   doca_error_t *result_out)
{
	const struct legacy_mmap *legacy;
	uint32_t place;

	if (unlikely(mmap->legacy == NULL)) {
		*result_out = api_refuse("buf by address", "mmap", mmap->api);
		return NULL;
	}
	if (mmap->from_export)
		return mmap;
	legacy = legacy_mmap_of(mmap);
	if (unlikely(!mmap->started)) {
		*result_out =
			error_set(DOCA_ERROR_BAD_STATE,
				  "buf by address: the mmap is not started; call doca_mmap_start");
		return NULL;
	}
	place = legacy_mmap_find_chunk(legacy, (uintptr_t)addr);
	if (unlikely(place == 0)) {
		*result_out = error_set(DOCA_ERROR_INVALID_VALUE,
					"buf by address: %p is in none of the mmap's %u chunks",
					addr, legacy->n_chunks);
		return NULL;
	}
	return legacy->chunks[place - 1];
}

static uint32_t access_to_permissions(uint32_t access)
{
	uint32_t permissions = 0;

	if (access & DOCA_MMAP_ACCESS_LOCAL_WRITE)
		permissions |= DOCA_ACCESS_FLAG_LOCAL_READ_WRITE;
	if (access & DOCA_MMAP_ACCESS_REMOTE_WRITE)
		permissions |= DOCA_ACCESS_FLAG_PCI_READ_WRITE | DOCA_ACCESS_FLAG_RDMA_WRITE;
	else if (access & DOCA_MMAP_ACCESS_REMOTE_READ)
		permissions |= DOCA_ACCESS_FLAG_PCI_READ_ONLY;
	if (access & DOCA_MMAP_ACCESS_REMOTE_READ)
		permissions |= DOCA_ACCESS_FLAG_RDMA_READ;
	if (access & DOCA_MMAP_ACCESS_REMOTE_ATOMIC)
		permissions |= DOCA_ACCESS_FLAG_RDMA_ATOMIC;
	return permissions;
}

static doca_error_t populate_check(const struct doca_mmap *mmap, const void *addr, size_t len,
				   size_t page_len)
{
	doca_error_t result = legacy_mmap_check_open(mmap, "populate");

	if (result != DOCA_SUCCESS)
		return result;
	if (addr == NULL || len == 0)
		return error_set(DOCA_ERROR_INVALID_VALUE, "mmap populate: %s",
				 addr == NULL ? "the address is NULL" : "the length is 0");
	if ((uintptr_t)addr + len < (uintptr_t)addr)
		return error_set(
			DOCA_ERROR_INVALID_VALUE,
			"mmap populate: %p of %zu bytes passes the end of the address space", addr,
			len);
	if (page_len < CHUNK_PAGE_MIN || (page_len & (page_len - 1)) != 0)
		return error_set(
			DOCA_ERROR_INVALID_VALUE,
			"mmap populate: %zu is no page size; use a power of two of at least %u",
			page_len, CHUNK_PAGE_MIN);
	return DOCA_SUCCESS;
}

/* Checks that the chunk does not overlap its neighbours and the limit is not reached. */
static doca_error_t populate_check_room(const struct legacy_mmap *legacy, uint32_t place,
					const void *addr, size_t len)
{
	const struct doca_mmap *before = place > 0 ? legacy->chunks[place - 1] : NULL;
	const struct doca_mmap *behind = place < legacy->n_chunks ? legacy->chunks[place] : NULL;

	if ((before != NULL && (uintptr_t)addr - (uintptr_t)before->addr < before->len) ||
	    (behind != NULL && (uintptr_t)behind->addr - (uintptr_t)addr < len))
		return error_set(DOCA_ERROR_NOT_PERMITTED,
				 "mmap populate: %p of %zu bytes overlaps a chunk that the mmap "
				 "has",
				 addr, len);
	if (legacy->n_chunks >= legacy->max_chunks)
		return error_set(DOCA_ERROR_NO_MEMORY,
				 "mmap populate: the mmap already has %u chunk(s), its limit; "
				 "raise the limit before the first start",
				 legacy->max_chunks);
	return DOCA_SUCCESS;
}

static doca_error_t legacy_mmap_reserve(struct legacy_mmap *legacy)
{
	uint32_t room = legacy->room == 0 ? 4 : 2 * legacy->room;
	struct doca_mmap **chunks;

	if (legacy->n_chunks < legacy->room)
		return DOCA_SUCCESS;
	chunks = realloc(legacy->chunks, room * sizeof(struct doca_mmap *));
	if (chunks == NULL)
		return error_set(DOCA_ERROR_NO_MEMORY, "mmap populate: out of memory");
	legacy->chunks = chunks;
	legacy->room = room;
	return DOCA_SUCCESS;
}

doca_error_t doca_mmap_populate(struct doca_mmap *mmap, void *addr, size_t len, size_t pg_sz,
				doca_mmap_memrange_free_cb_t *free_cb, void *opaque)
{
	struct legacy_mmap *legacy;
	struct doca_mmap *chunk;
	uint32_t place;
	doca_error_t result = populate_check(mmap, addr, len, pg_sz);

	if (result != DOCA_SUCCESS)
		return result;
	legacy = legacy_mmap_of(mmap);
	place = legacy_mmap_find_chunk(legacy, (uintptr_t)addr);
	result = populate_check_room(legacy, place, addr, len);
	if (result == DOCA_SUCCESS)
		result = legacy_mmap_reserve(legacy);
	if (result == DOCA_SUCCESS)
		result = mmap_new(mmap->api, &chunk);
	if (result != DOCA_SUCCESS)
		return result;
	chunk->addr = addr;
	chunk->len = len;
	chunk->range_set = true;
	chunk->free_cb = free_cb;
	chunk->free_cookie = opaque;
	chunk->permissions = access_to_permissions(legacy->access);
	chunk->root = mmap;
	memmove(&legacy->chunks[place + 1], &legacy->chunks[place],
		(legacy->n_chunks - place) * sizeof(struct doca_mmap *));
	legacy->chunks[place] = chunk;
	legacy->n_chunks++;
	chunk_share_devs(chunk, mmap);
	mmap_set_started(chunk);
	return DOCA_SUCCESS;
}

static doca_error_t export_check(const struct doca_mmap *mmap)
{
	doca_error_t result = legacy_mmap_check(mmap, "export");
	uint32_t n_chunks;

	if (result != DOCA_SUCCESS)
		return result;
	if (mmap->from_export || !mmap->started)
		return error_set(DOCA_ERROR_NOT_PERMITTED, "mmap export: the mmap %s",
				 mmap->from_export ? "was created from an export itself"
						   : "is not started; call doca_mmap_start before");
	n_chunks = legacy_mmap_of(mmap)->n_chunks;
	if (n_chunks != 1)
		return error_set(DOCA_ERROR_NOT_PERMITTED,
				 "mmap export: the mmap has %u chunks; one with exactly 1 can be "
				 "exported",
				 n_chunks);
	return DOCA_SUCCESS;
}

doca_error_t doca_mmap_export(struct doca_mmap *mmap, const struct doca_dev *dev,
			      void **export_desc, size_t *export_desc_len)
{
	const struct doca_mmap *chunk;
	const void *desc;
	void *copy;
	size_t len;
	doca_error_t result;

	if (mmap == NULL || dev == NULL || export_desc == NULL || export_desc_len == NULL)
		return error_set(DOCA_ERROR_INVALID_VALUE, "mmap export: %s is NULL",
				 mmap == NULL  ? "mmap"
				 : dev == NULL ? "dev"
					       : "a result");
	result = export_check(mmap);
	if (result == DOCA_SUCCESS)
		result = mmap_export(legacy_mmap_of(mmap)->chunks[0], dev, &desc, &len,
				     DOCOCORE__EXPORT_KIND__PCI);
	if (result != DOCA_SUCCESS)
		return result;
	/* The export exists now, and remains if the copy fails; a repeated call returns it. */
	mmap->exported = true;
	chunk = legacy_mmap_of(mmap)->chunks[0];
	if (mmap->api == API_1_3) {
		copy = export_text_from(desc, (uintptr_t)chunk->addr, chunk->len, &len);
	} else {
		copy = malloc(len);
		if (copy != NULL)
			memcpy(copy, desc, len);
	}
	if (copy == NULL)
		return error_set(DOCA_ERROR_NO_MEMORY, "mmap export: out of memory");
	*export_desc = copy;
	*export_desc_len = len;
	return DOCA_SUCCESS;
}

/* --- properties (1.3) --- */

static doca_error_t property_read_only(const char *what)
{
	return error_set(DOCA_ERROR_NOT_PERMITTED, "mmap property set: %s is read-only", what);
}

static doca_error_t set_access(struct doca_mmap *mmap, uint32_t access)
{
	doca_error_t result = legacy_mmap_check_new(mmap, MMAP_CHUNKED, "property set");

	if (result != DOCA_SUCCESS)
		return result;
	if (access & ~(uint32_t)ACCESS_ALL)
		return error_set(DOCA_ERROR_INVALID_VALUE,
				 "mmap property set: %#x has bits that are no access flag", access);
	legacy_mmap_of(mmap)->access = access;
	return DOCA_SUCCESS;
}

doca_error_t doca_mmap_property_set(struct doca_mmap *mmap, enum doca_mmap_property property,
				    const uint8_t *value, uint32_t size)
{
	doca_error_t result;
	uint32_t number;

	if (mmap == NULL || value == NULL)
		return error_set(DOCA_ERROR_INVALID_VALUE, "mmap property set: %s is NULL",
				 mmap == NULL ? "mmap" : "the value");
	result = legacy_mmap_check(mmap, "property set");
	if (result != DOCA_SUCCESS)
		return result;
	switch (property) {
	case DOCA_MMAP_NAME:
		return property_read_only("the name");
	case DOCA_MMAP_NUM_BUFS:
		return property_read_only("the number of buffers");
	case DOCA_MMAP_EXPORTED:
	case DOCA_MMAP_FROM_EXPORT:
		return property_read_only("its relation to exports");
	case DOCA_MMAP_MAX_NUM_CHUNKS:
	case DOCA_MMAP_MAX_NUM_DEVICES:
	case DOCA_MMAP_ACCESS:
		break;
	default:
		return error_set(DOCA_ERROR_INVALID_VALUE, "mmap property set: no property %d",
				 (int)property);
	}
	if (size != sizeof(number))
		return error_set(
			DOCA_ERROR_INVALID_VALUE,
			"mmap property set: the value has %u bytes; %zu (uint32_t) are needed",
			size, sizeof(number));
	memcpy(&number, value, sizeof(number));
	if (property == DOCA_MMAP_MAX_NUM_CHUNKS)
		return set_max_chunks(mmap, number);
	if (property == DOCA_MMAP_MAX_NUM_DEVICES)
		return mmap_set_max_devs(mmap, number);
	return set_access(mmap, number);
}

static doca_error_t property_put(const void *source, size_t len, bool is_exact, void *value,
				 uint32_t size)
{
	if (is_exact ? size != len : size < len)
		return error_set(DOCA_ERROR_INVALID_VALUE,
				 "mmap property get: room for %u bytes; the value has %zu", size,
				 len);
	memcpy(value, source, len);
	return DOCA_SUCCESS;
}

doca_error_t doca_mmap_property_get(struct doca_mmap *mmap, enum doca_mmap_property property,
				    const uint8_t *value_out, uint32_t size)
{
	/* The interface declares the output as const. */
	void *value = (void *)(uintptr_t)value_out;
	const struct legacy_mmap *legacy;
	const char *name;
	uint32_t number = 0;
	uint8_t flag;
	doca_error_t result;

	if (mmap == NULL || value == NULL)
		return error_set(DOCA_ERROR_INVALID_VALUE, "mmap property get: %s is NULL",
				 mmap == NULL ? "mmap" : "the value");
	result = legacy_mmap_check(mmap, "property get");
	if (result != DOCA_SUCCESS)
		return result;
	legacy = legacy_mmap_of(mmap);
	switch (property) {
	case DOCA_MMAP_NAME:
		name = legacy->name != NULL ? legacy->name : "";
		return property_put(name, strlen(name) + 1, false, value, size);
	case DOCA_MMAP_EXPORTED:
	case DOCA_MMAP_FROM_EXPORT:
		flag = property == DOCA_MMAP_EXPORTED ? mmap->exported : mmap->from_export;
		return property_put(&flag, sizeof(flag), true, value, size);
	case DOCA_MMAP_MAX_NUM_CHUNKS:
		number = legacy->max_chunks;
		break;
	case DOCA_MMAP_MAX_NUM_DEVICES:
		number = mmap->max_devs;
		break;
	case DOCA_MMAP_NUM_BUFS:
		number = buf_freelists_count(mmap);
		break;
	case DOCA_MMAP_ACCESS:
		number = legacy->access;
		break;
	default:
		return error_set(DOCA_ERROR_INVALID_VALUE, "mmap property get: no property %d",
				 (int)property);
	}
	return property_put(&number, sizeof(number), true, value, size);
}

/* --- memory maps of one range, of 2.0 to 2.2 --- */

doca_error_t compat_mmap_dev_add(struct doca_mmap *mmap, struct doca_dev *dev)
{
	doca_error_t result = mmap_check_idle(mmap, MMAP_WORKQ, DOCA_ERROR_NOT_PERMITTED,
					      "add device");

	return result == DOCA_SUCCESS ? mmap_dev_add(mmap, dev) : result;
}

doca_error_t compat_mmap_dev_rm(struct doca_mmap *mmap, struct doca_dev *dev)
{
	doca_error_t result = mmap_check_idle(mmap, MMAP_WORKQ, DOCA_ERROR_NOT_PERMITTED,
					      "remove device");

	return result == DOCA_SUCCESS ? mmap_dev_rm(mmap, dev) : result;
}

doca_error_t compat_mmap_set_dmabuf(struct doca_mmap *mmap, int fd, size_t offset, size_t len)
{
	return mmap_set_dmabuf(mmap, MMAP_WORKQ, fd, NULL, offset, len);
}

doca_error_t doca_mmap_export_dpu(struct doca_mmap *mmap, const struct doca_dev *dev,
				  const void **export_desc, size_t *export_desc_len)
{
	doca_error_t result = DOCA_SUCCESS;

	if (mmap != NULL && !mmap->from_export)
		result = mmap_check_api(mmap, MMAP_WORKQ, "export dpu");
	if (result != DOCA_SUCCESS)
		return result;
	return mmap_export(mmap, dev, export_desc, export_desc_len, DOCOCORE__EXPORT_KIND__PCI);
}
