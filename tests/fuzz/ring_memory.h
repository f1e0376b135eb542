/*
 * The memory of remote rings without daemons. Replaces client/comch/remote/ring_memory.c, whose
 * work items would call the daemons. The target decides when a work item completes and with what
 * result. Include it in one file of a target, which is linked with FUZZ_WRAP_RING_MEMORY.
 */
#ifndef TESTS_FUZZ_RING_MEMORY_H
#define TESTS_FUZZ_RING_MEMORY_H

#include "client/comch/remote/ring_path.h"
#include "tests/fuzz/ends.h"

/* The ring that the other end writes to; NULL: it is not exported. */
static struct remote_ring_export *export;
static void (*exposure_ends)(void); /* called before its memory is unmapped */

/* The other end's ring, of exactly this length, and its import. */
static uint8_t *remote;
static size_t remote_len;
static struct remote_ring_import *import;
static bool is_done; /* work items complete immediately */
static doca_error_t work_result;

struct remote_ring_export *__wrap_remote_ring_export_begin(const struct doca_comch_connection *of,
							   struct remote_ring_memory *memory);
struct remote_ring_export *__wrap_remote_ring_export_end(struct remote_ring_export *of);
struct remote_ring_import *__wrap_remote_ring_import_begin(
	const struct doca_comch_connection *of, const uint8_t desc[EXPORT_DESCRIPTOR_LEN],
	size_t pinned);
struct remote_ring_import *__wrap_remote_ring_import_end(struct remote_ring_import *of);

static void async_begin(struct remote_ring_async *soon)
{
	soon->result = work_result;
	snprintf(soon->reason, sizeof(soon->reason), "the target said so");
	atomic_store(&soon->is_done, is_done);
}

struct remote_ring_export *__wrap_remote_ring_export_begin(const struct doca_comch_connection *of,
							   struct remote_ring_memory *memory)
{
	static const uint8_t desc[EXPORT_DESCRIPTOR_LEN];

	(void)of;
	FUZZ_CHECK(export == NULL);
	export = calloc(1, sizeof(*export));
	FUZZ_CHECK(export != NULL);
	export->memory = *memory;
	export->exported.desc = desc;
	export->exported.desc_len = EXPORT_DESCRIPTOR_LEN;
	*memory = (struct remote_ring_memory){.bytes = NULL};
	async_begin(&export->async);
	return export;
}

struct remote_ring_export *__wrap_remote_ring_export_end(struct remote_ring_export *of)
{
	if (of == NULL)
		return NULL;
	FUZZ_CHECK(of == export);
	if (exposure_ends != NULL)
		exposure_ends();
	remote_ring_memory_close(&of->memory);
	free(of);
	export = NULL;
	return NULL;
}

static const struct transport_ops by_device = {.name = "device", .close = transport_close_nothing};

struct remote_ring_import *__wrap_remote_ring_import_begin(
	const struct doca_comch_connection *of, const uint8_t desc[EXPORT_DESCRIPTOR_LEN],
	size_t pinned)
{
	(void)of;
	FUZZ_CHECK(pinned == remote_len && import == NULL);
	import = calloc(1, sizeof(*import));
	FUZZ_CHECK(import != NULL);
	memcpy(import->desc, desc, EXPORT_DESCRIPTOR_LEN);
	import->mmap = ends_map(remote, remote_len, DOCA_ACCESS_FLAG_LOCAL_READ_WRITE);
	import->mmap->from_export = import->mmap->ends_async = true;
	import->mmap->readable = import->mmap->writable = true;
	import->mmap->region.ops = &by_device;
	import->mmap->endpoint_id = 1;
	async_begin(&import->async);
	return import;
}

struct remote_ring_import *__wrap_remote_ring_import_end(struct remote_ring_import *of)
{
	if (of == NULL)
		return NULL;
	FUZZ_CHECK(of == import && doca_mmap_destroy(of->mmap) == DOCA_SUCCESS);
	free(of);
	import = NULL;
	return NULL;
}

#endif
