/* Exports and imports of remote rings; see client/comch/remote/ring_memory.h. */
#include "client/comch/remote/ring_memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <doca_mmap.h>
#include <dococ.h>

#include "client/base/error.h"
#include "proto/remote_ring_layout.h"
#include "util/fd.h"

/* --- limits --- */

static _Atomic uint64_t n_shares, n_pinned;

static void share_release(uint64_t pinned)
{
	atomic_fetch_sub(&n_shares, 1);
	atomic_fetch_sub(&n_pinned, pinned);
}

static doca_error_t share_acquire(const struct doca_comch_connection *conn, uint64_t pinned)
{
	bool too_many = atomic_fetch_add(&n_shares, 1) >= REMOTE_RING_PROCESS_MAX;
	bool too_much = atomic_fetch_add(&n_pinned, pinned) + pinned > comch_pinned_max();

	if (!too_many && !too_much)
		return DOCA_SUCCESS;
	share_release(pinned);
	return too_many ? error_note(DOCA_ERROR_FULL,
				     "comch \"%s\": %u rings of this process and its peers are "
				     "reached by RDMA devices already",
				     conn->comch->name, REMOTE_RING_PROCESS_MAX)
			: error_note(DOCA_ERROR_FULL,
				     "comch \"%s\": another ring would have RDMA devices keep more "
				     "than %llu bytes of memory for messages; raise RLIMIT_MEMLOCK",
				     conn->comch->name, (unsigned long long)comch_pinned_max());
}

/* --- common part --- */

static void *async_new(const struct doca_comch_connection *conn, size_t size)
{
	void *object = calloc(1, size);

	if (object == NULL)
		(void)error_note(DOCA_ERROR_NO_MEMORY, "comch \"%s\": out of memory",
				 conn->comch->name);
	return object;
}

/* Returns false if a limit is reached or no descriptor is left. */
static bool async_init(struct remote_ring_async *async, const struct doca_comch_connection *conn,
		       uint64_t pinned)
{
	if (share_acquire(conn, pinned) != DOCA_SUCCESS)
		return false;
	async->pinned = pinned;
	async->doorbell_fd = fd_dup(conn->wait.fd);
	if (async->doorbell_fd < 0) {
		share_release(pinned);
		(void)error_note(error_from_errno(async->doorbell_fd),
				 "comch \"%s\": no descriptor is left (error %d)",
				 conn->comch->name, -async->doorbell_fd);
		return false;
	}
	async->dev = conn->comch->ctx.dev;
	dev_hold(async->dev);
	return true;
}

static void async_deinit(struct remote_ring_async *async)
{
	fd_close(&async->doorbell_fd);
	dev_release(async->dev);
	share_release(async->pinned);
}

static bool async_begin(struct remote_ring_async *async)
{
	if (work_submit(&async->begin))
		return true;
	(void)error_note(DOCA_ERROR_NO_MEMORY, "comch: no thread that would ask the daemon");
	return false;
}

static void async_end(struct remote_ring_async *async)
{
	work_cancel(&async->begin);
	work_run_or_submit(&async->end);
}

static void async_finish(struct remote_ring_async *async, doca_error_t result)
{
	async->result = result;
	if (result != DOCA_SUCCESS)
		snprintf(async->reason, sizeof(async->reason), "%s", dococ_last_error());
	atomic_store_explicit(&async->is_done, true, memory_order_release);
	fd_eventfd_ring(async->doorbell_fd);
}

/* --- exports --- */

static struct remote_ring_export *export_of(struct work_item *begin)
{
	return container_of(begin, struct remote_ring_export, async.begin);
}

static void export_run(struct work_item *work)
{
	struct remote_ring_export *export = export_of(work);
	struct remote_ring_header *header = (void *)export->memory.bytes;
	doca_error_t result = DOCA_ERROR_CONNECTION_ABORTED;

	error_mute(true);
	if (!atomic_load(&work->is_cancelled))
		result = comch_export(&export->exported, export->async.dev, export->memory.bytes,
				      export->memory.len, &header->ring.armed,
				      export->async.doorbell_fd);
	error_mute(false);
	async_finish(&export->async, result);
}

static void export_end(struct work_item *work)
{
	struct remote_ring_export *export = container_of(work, struct remote_ring_export,
							 async.end);

	comch_unexport(&export->exported, false);
	remote_ring_memory_close(&export->memory);
	async_deinit(&export->async);
	free(export);
}

struct remote_ring_export *remote_ring_export_begin(const struct doca_comch_connection *conn,
						    struct remote_ring_memory *memory)
{
	struct remote_ring_export *export = async_new(conn, sizeof(*export));

	if (export == NULL || !async_init(&export->async, conn, memory->len)) {
		free(export);
		return NULL;
	}
	export->async.begin.run = export_run;
	export->async.end.run = export_end;
	export->memory = *memory;
	if (!async_begin(&export->async)) {
		async_deinit(&export->async);
		free(export);
		return NULL;
	}
	*memory = (struct remote_ring_memory){.bytes = NULL};
	return export;
}

struct remote_ring_export *remote_ring_export_end(struct remote_ring_export *export)
{
	if (export != NULL)
		async_end(&export->async);
	return NULL;
}

/* --- imports --- */

static void import_run(struct work_item *work)
{
	struct remote_ring_import *import = container_of(work, struct remote_ring_import,
							 async.begin);
	doca_error_t result = DOCA_ERROR_CONNECTION_ABORTED;

	error_mute(true);
	if (!atomic_load(&work->is_cancelled))
		result = comch_import_memory(import->async.dev, import->desc, sizeof(import->desc),
					     &import->mmap);
	error_mute(false);
	explicit_bzero(import->desc, sizeof(import->desc));
	async_finish(&import->async, result);
}

static void import_end(struct work_item *work)
{
	struct remote_ring_import *import = container_of(work, struct remote_ring_import,
							 async.end);

	if (import->mmap != NULL)
		(void)doca_mmap_destroy(import->mmap);
	async_deinit(&import->async);
	free(import);
}

struct remote_ring_import *remote_ring_import_begin(const struct doca_comch_connection *conn,
						    const uint8_t desc[EXPORT_DESCRIPTOR_LEN],
						    size_t pinned)
{
	struct remote_ring_import *import = async_new(conn, sizeof(*import));

	if (import == NULL || !async_init(&import->async, conn, pinned)) {
		free(import);
		return NULL;
	}
	import->async.begin.run = import_run;
	import->async.end.run = import_end;
	memcpy(import->desc, desc, EXPORT_DESCRIPTOR_LEN);
	if (!async_begin(&import->async)) {
		explicit_bzero(import->desc, sizeof(import->desc));
		async_deinit(&import->async);
		free(import);
		return NULL;
	}
	return import;
}

struct remote_ring_import *remote_ring_import_end(struct remote_ring_import *import)
{
	if (import != NULL)
		async_end(&import->async);
	return NULL;
}
