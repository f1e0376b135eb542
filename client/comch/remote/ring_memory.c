/* Exports and imports of remote rings; see client/comch/remote/ring_memory.h. */
#include "client/comch/remote/ring_memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <doca_mmap.h>
#include <dococ.h>

#include "client/base/error.h"
#include "proto/mirror_layout.h"
#include "util/fd.h"

/* --- limits --- */

static _Atomic uint64_t n_taken, n_pinned;

static void share_give(uint64_t pinned)
{
	atomic_fetch_sub(&n_taken, 1);
	atomic_fetch_sub(&n_pinned, pinned);
}

static doca_error_t share_take(const struct doca_comch_connection *conn, uint64_t pinned)
{
	bool is_many = atomic_fetch_add(&n_taken, 1) >= MIRROR_PROCESS_MAX;
	bool is_much = atomic_fetch_add(&n_pinned, pinned) + pinned > comch_pinned_max();

	if (!is_many && !is_much)
		return DOCA_SUCCESS;
	share_give(pinned);
	return is_many ? error_note(DOCA_ERROR_FULL,
				    "comch \"%s\": %u rings of this process and its peers are "
				    "reached by RDMA devices already",
				    conn->comch->name, MIRROR_PROCESS_MAX)
		       : error_note(DOCA_ERROR_FULL,
				    "comch \"%s\": another ring would have RDMA devices keep more "
				    "than %llu bytes of memory for messages; raise RLIMIT_MEMLOCK",
				    conn->comch->name, (unsigned long long)comch_pinned_max());
}

/* --- common part --- */

static void *soon_new(const struct doca_comch_connection *conn, size_t size)
{
	void *object = calloc(1, size);

	if (object == NULL)
		(void)error_note(DOCA_ERROR_NO_MEMORY, "comch \"%s\": out of memory",
				 conn->comch->name);
	return object;
}

/* Returns false if a limit is reached or no descriptor is left. */
static bool soon_init(struct mirror_soon *soon, const struct doca_comch_connection *conn,
		      uint64_t pinned)
{
	if (share_take(conn, pinned) != DOCA_SUCCESS)
		return false;
	soon->pinned = pinned;
	soon->bell_fd = fd_dup(conn->wait.fd);
	if (soon->bell_fd < 0) {
		share_give(pinned);
		(void)error_note(error_from_errno(soon->bell_fd),
				 "comch \"%s\": no descriptor is left (error %d)",
				 conn->comch->name, -soon->bell_fd);
		return false;
	}
	soon->dev = conn->comch->ctx.dev;
	dev_hold(soon->dev);
	return true;
}

static void soon_deinit(struct mirror_soon *soon)
{
	fd_close(&soon->bell_fd);
	dev_release(soon->dev);
	share_give(soon->pinned);
}

static bool soon_begin(struct mirror_soon *soon)
{
	if (work_submit(&soon->begin))
		return true;
	(void)error_note(DOCA_ERROR_NO_MEMORY, "comch: no thread that would ask the daemon");
	return false;
}

static void soon_end(struct mirror_soon *soon)
{
	work_cancel(&soon->begin);
	work_run_or_submit(&soon->end);
}

static void soon_over(struct mirror_soon *soon, doca_error_t result)
{
	soon->result = result;
	if (result != DOCA_SUCCESS)
		snprintf(soon->why, sizeof(soon->why), "%s", dococ_last_error());
	atomic_store_explicit(&soon->is_over, true, memory_order_release);
	fd_eventfd_ring(soon->bell_fd);
}

/* --- exports --- */

static struct mirror_exposure *exposure_of(struct work_item *begin)
{
	return container_of(begin, struct mirror_exposure, soon.begin);
}

static void exposure_run(struct work_item *work)
{
	struct mirror_exposure *exposure = exposure_of(work);
	struct mirror_header *header = (void *)exposure->memory.bytes;
	doca_error_t result = DOCA_ERROR_CONNECTION_ABORTED;

	error_mute(true);
	if (!atomic_load(&work->is_cancelled))
		result = comch_expose(&exposure->exposed, exposure->soon.dev,
				      exposure->memory.bytes, exposure->memory.len,
				      &header->ring.armed, exposure->soon.bell_fd);
	error_mute(false);
	soon_over(&exposure->soon, result);
}

static void exposure_end(struct work_item *work)
{
	struct mirror_exposure *exposure = container_of(work, struct mirror_exposure, soon.end);

	comch_unexpose(&exposure->exposed, false);
	mirror_memory_close(&exposure->memory);
	soon_deinit(&exposure->soon);
	free(exposure);
}

struct mirror_exposure *mirror_expose(const struct doca_comch_connection *conn,
				      struct mirror_memory *memory)
{
	struct mirror_exposure *exposure = soon_new(conn, sizeof(*exposure));

	if (exposure == NULL || !soon_init(&exposure->soon, conn, memory->len)) {
		free(exposure);
		return NULL;
	}
	exposure->soon.begin.run = exposure_run;
	exposure->soon.end.run = exposure_end;
	exposure->memory = *memory;
	if (!soon_begin(&exposure->soon)) {
		soon_deinit(&exposure->soon);
		free(exposure);
		return NULL;
	}
	*memory = (struct mirror_memory){.bytes = NULL};
	return exposure;
}

struct mirror_exposure *mirror_unexpose(struct mirror_exposure *exposure)
{
	if (exposure != NULL)
		soon_end(&exposure->soon);
	return NULL;
}

/* --- imports --- */

static void import_run(struct work_item *work)
{
	struct mirror_import *import = container_of(work, struct mirror_import, soon.begin);
	doca_error_t result = DOCA_ERROR_CONNECTION_ABORTED;

	error_mute(true);
	if (!atomic_load(&work->is_cancelled))
		result = comch_far_import(import->soon.dev, import->desc, sizeof(import->desc),
					  &import->mmap);
	error_mute(false);
	explicit_bzero(import->desc, sizeof(import->desc));
	soon_over(&import->soon, result);
}

static void import_end(struct work_item *work)
{
	struct mirror_import *import = container_of(work, struct mirror_import, soon.end);

	if (import->mmap != NULL)
		(void)doca_mmap_destroy(import->mmap);
	soon_deinit(&import->soon);
	free(import);
}

struct mirror_import *mirror_import(const struct doca_comch_connection *conn,
				    const uint8_t desc[BLOB_LEN], size_t pinned)
{
	struct mirror_import *import = soon_new(conn, sizeof(*import));

	if (import == NULL || !soon_init(&import->soon, conn, pinned)) {
		free(import);
		return NULL;
	}
	import->soon.begin.run = import_run;
	import->soon.end.run = import_end;
	memcpy(import->desc, desc, BLOB_LEN);
	if (!soon_begin(&import->soon)) {
		explicit_bzero(import->desc, sizeof(import->desc));
		soon_deinit(&import->soon);
		free(import);
		return NULL;
	}
	return import;
}

struct mirror_import *mirror_import_end(struct mirror_import *import)
{
	if (import != NULL)
		soon_end(&import->soon);
	return NULL;
}
