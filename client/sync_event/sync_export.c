/*
 * Exports of sync events. The daemons pass the descriptors of the counter, the sleep words and the
 * eventfd to importers (sync_import.c). Threads: one at a time per event.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <dococ.h>

#include "client/base/error.h"
#include "client/base/lenient.h"
#include "client/memory/mmap.h"
#include "client/sync_event/sync_event.h"
#include "util/memfd.h"

#define RDMA_READ_WRITE \
	(DOCA_ACCESS_FLAG_RDMA_READ | DOCA_ACCESS_FLAG_RDMA_WRITE | DOCA_ACCESS_FLAG_RDMA_ATOMIC)

static const char *kind_name(Dococore__ExportKind kind)
{
	return kind == DOCOCORE__EXPORT_KIND__SYNC_PCI ? "pci" : "net";
}

static enum sync_place kind_place(Dococore__ExportKind kind)
{
	return kind == DOCOCORE__EXPORT_KIND__SYNC_PCI ? SYNC_REMOTE_PCI : SYNC_REMOTE_NET;
}

static doca_error_t export_check(const struct doca_sync_event *event, const struct doca_dev *dev,
				 Dococore__ExportKind kind)
{
	const char *name = kind_name(kind);

	if (event->is_imported)
		return error_set(DOCA_ERROR_NOT_SUPPORTED,
				 "sync event export to remote %s: the event was created from an "
				 "export itself",
				 name);
	if (event->state != SYNC_STARTED && event->state != SYNC_STARTED_CTX)
		return error_set(DOCA_ERROR_BAD_STATE,
				 "sync event export to remote %s: the event is not started", name);
	if (event->publisher.place != kind_place(kind) &&
	    event->subscriber.place != kind_place(kind))
		return error_set(DOCA_ERROR_INVALID_VALUE,
				 "sync event export to remote %s: neither publisher nor subscriber "
				 "was declared there; see "
				 "doca_sync_event_add_publisher_location_remote_%s",
				 name, name);
	if (dev == NULL)
		return error_set(DOCA_ERROR_NOT_SUPPORTED,
				 "sync event export to remote %s: the event has no device; make "
				 "its other location a CPU",
				 name);
	if (kind == DOCOCORE__EXPORT_KIND__SYNC_PCI ? !dev->info->caps.sync_export_pci
						    : !dev->info->caps.sync_export_net)
		return error_set(DOCA_ERROR_NOT_SUPPORTED,
				 "sync event export to remote %s: %s does not support it; key "
				 "sync_export_%s of the device in the topology allows it",
				 name, dev->info->name, name);
	return DOCA_SUCCESS;
}

static uint32_t export_permissions(Dococore__ExportKind kind, bool grants_write)
{
	if (kind == DOCOCORE__EXPORT_KIND__SYNC_PCI)
		return grants_write ? DOCA_ACCESS_FLAG_PCI_READ_WRITE
				    : DOCA_ACCESS_FLAG_PCI_READ_ONLY;
	return grants_write ? RDMA_READ_WRITE : DOCA_ACCESS_FLAG_RDMA_READ;
}

/* Returns the permissions of the counter's memory map, where writing includes reading. Returns all
 * permissions if the counter is in no memory map. */
static uint32_t user_permissions(const struct doca_sync_event *event)
{
	uint32_t had = event->user_permissions;

	if (!event->has_buf)
		return UINT32_MAX;
	return had & DOCA_ACCESS_FLAG_PCI_READ_WRITE ? had | DOCA_ACCESS_FLAG_PCI_READ_ONLY : had;
}

/* Finds the memfd that the user's counter lies in, which must have at least these permissions. */
static doca_error_t user_memory_find(struct doca_sync_event *event, uint32_t permissions)
{
	uint32_t lacking = permissions & ~user_permissions(event);

	if (lacking != 0)
		return error_set(DOCA_ERROR_NOT_PERMITTED,
				 "sync event export: the permissions %#x of the mmap that the "
				 "counter's buffer is of lack %#x; see doca_mmap_set_permissions",
				 event->user_permissions, lacking);
	if (event->user == NULL || event->user_fd >= 0 ||
	    mem_find_memfd(event->user, sizeof(*event->user), &event->user_fd,
			   &event->user_offset) == 0)
		return DOCA_SUCCESS;
	return error_set(DOCA_ERROR_NOT_SUPPORTED,
			 "sync event export: the counter lies in memory that cannot be shared with "
			 "another process; let the event allocate the counter, or allocate its "
			 "memory with dococ_mem_alloc");
}

static bool is_for_publisher(const struct doca_sync_event *event, Dococore__ExportKind kind)
{
	return event->publisher.place == kind_place(kind);
}

/* Returns the reason why importers can only read the user's counter, or NULL. */
static const char *user_memory_is_read_only(const struct doca_sync_event *event,
					    Dococore__ExportKind kind)
{
	uint32_t needed = export_permissions(kind, true);

	if (event->user == NULL)
		return NULL;
	if ((user_permissions(event) & needed) != needed)
		return "its memory map does not permit more; see doca_mmap_set_permissions";
	if (!memfd_is_writable(event->user_fd))
		return "its memory is sealed against writing, or of a file that this process may "
		       "not write";
	return NULL;
}

/* Returns whether importers may change the counter. The locations are hints: a subscriber may also
 * publish. Only in strict mode does an export for a subscriber give no more than was declared. */
static bool export_grants_write(const struct doca_sync_event *event, Dococore__ExportKind kind)
{
	const char *why;

	if (is_for_publisher(event, kind))
		return true;
	if (lenient_is_strict())
		return false;
	why = user_memory_is_read_only(event, kind);
	if (why == NULL)
		return true;
	error_note(DOCA_SUCCESS,
		   "sync event export: importers can read and wait for the counter, but not change "
		   "it: %s",
		   why);
	sdk_warning("%s", dococ_last_error());
	return false;
}

/* Maps the counter for relayed requests: the user may unmap its memory meanwhile, and that must not
 * crash this process. */
static doca_error_t served_open(const struct doca_sync_event *event, struct sync_export *export)
{
	size_t page = memfd_page_size(), at = event->user_offset & (page - 1);

	export->served_map = memfd_map(event->user_fd, event->user_offset - at, page,
				       export->base.grants_write);
	if (export->served_map == NULL)
		return error_set(DOCA_ERROR_NO_MEMORY,
				 "sync event export: mapping the counter: %m");
	export->served = event->cell;
	export->served.value = (void *)((uint8_t *)export->served_map + at);
	export->base.cell = &export->served;
	return DOCA_SUCCESS;
}

static void export_free(struct sync_export *export)
{
	memfd_unmap(export->served_map, memfd_page_size());
	free(export);
}

/* Called before another daemon takes over the event, with importers that are unknown here. Runs on
 * any thread. */
static void export_before_restart(struct export *export)
{
	struct sync_cell *cell = &container_of(export, struct sync_export, base)->event->cell;

	atomic_store(&cell->is_in_shared_use, true);
	sync_cell_wake_all(cell);
}

/* Called before the descriptor is returned. Each export has importers of its own. With a second
 * export, further processes take part, which no daemon knows. */
static void exports_mark_shared(struct doca_sync_event *event, struct sync_export *export)
{
	struct sync_export *other;

	if (list_is_empty(&event->exports)) {
		event->cell.shared_word = export_first_word(&export->base);
		return;
	}
	export_set_shared(&export->base);
	if (atomic_exchange(&event->cell.is_in_shared_use, true))
		return;
	list_for_each(other, &event->exports, node) export_set_shared(&other->base);
	sync_cell_wake_all(&event->cell);
}

/* Decides whether importers may write: those that may not get memory that no process can map for
 * writing any more, and one memory cannot serve both kinds. */
static doca_error_t export_admit(const struct doca_sync_event *event, bool grants_write)
{
	bool admitted = event->user != NULL ? mem_admit(event->user_fd, grants_write)
					    : memfd_settle(event->memory.value_fd, grants_write);

	if (admitted)
		return DOCA_SUCCESS;
	if (grants_write)
		return error_set(DOCA_ERROR_NOT_PERMITTED,
				 "sync event export: importers could not change the counter: its "
				 "memory is sealed against writing, as it is once it was exported "
				 "read-only; use an event, or memory, of its own for each right");
	return error_set(DOCA_ERROR_NOT_SUPPORTED,
			 "sync event export: importers may only read the counter, but could change "
			 "it: its memory was exported for writing before, or is a memfd of the "
			 "program without F_SEAL_FUTURE_WRITE; let the event make its own counter, "
			 "or allocate memory for it with dococ_mem_alloc");
}

static doca_error_t export_describe(struct doca_sync_event *event, struct doca_dev *dev,
				    Dococore__ExportKind kind, struct sync_export *export)
{
	struct export *base = &export->base;
	doca_error_t result;
	bool grants_write;

	result = user_memory_find(event, export_permissions(kind, is_for_publisher(event, kind)));
	if (result != DOCA_SUCCESS)
		return result;
	grants_write = export_grants_write(event, kind);
	result = export_admit(event, grants_write);
	if (result != DOCA_SUCCESS)
		return result;
	*base = (struct export){
		.what = "sync event export",
		.dev = dev,
		.kind = kind,
		.permissions = export_permissions(kind, grants_write),
		.addr = (uintptr_t)event->cell.value,
		.len = sizeof(uint64_t),
		.memfd = event->memory.value_fd,
		.grants_write = grants_write,
		.shared = {sync_memory_words_fd(&event->memory), atomic_load(event->cell.eventfd)},
		.n_shared = 2,
		.cell = &event->cell,
		.moves = export_before_restart,
	};
	if (event->user == NULL)
		return DOCA_SUCCESS;
	base->memfd = event->user_fd;
	base->memfd_offset = event->user_offset;
	return served_open(event, export);
}

doca_error_t sync_event_export(struct doca_sync_event *event, struct doca_dev *dev,
			       Dococore__ExportKind kind, const uint8_t **data_out, size_t *sz_out)
{
	struct sync_export *export;
	doca_error_t result = export_check(event, dev, kind);

	if (result != DOCA_SUCCESS)
		return result;
	/* A repeated call returns the same export, because the descriptor belongs to the event. A
	 * revoked export stays dead and is replaced. */
	list_for_each(export, &event->exports, node)
	{
		if (export->base.dev == dev && export->base.kind == kind &&
		    export_is_alive(&export->base)) {
			*data_out = export->base.secrets->descriptor;
			*sz_out = EXPORT_DESCRIPTOR_LEN;
			return DOCA_SUCCESS;
		}
	}
	export = calloc(1, sizeof(*export));
	if (export == NULL)
		return error_set(DOCA_ERROR_NO_MEMORY, "sync event export: out of memory");
	export->event = event;
	result = export_describe(event, dev, kind, export);
	if (result == DOCA_SUCCESS)
		result = export_open(&export->base);
	if (result != DOCA_SUCCESS) {
		export_free(export);
		return result;
	}
	pe_prepare_doorbells();
	dev_hold(dev);
	exports_mark_shared(event, export);
	/* An RDMA device changes the counter without a wake-up. */
	if (export->base.has_key)
		sync_cell_set_rechecked(&event->cell);
	list_append(&event->exports, &export->node);
	*data_out = export->base.secrets->descriptor;
	*sz_out = EXPORT_DESCRIPTOR_LEN;
	return DOCA_SUCCESS;
}

doca_error_t doca_sync_event_export_to_remote_pci(struct doca_sync_event *event,
						  struct doca_dev *dev, const uint8_t **data,
						  size_t *sz)
{
	doca_error_t result;

	if (event == NULL || dev == NULL || data == NULL || sz == NULL)
		return error_set(DOCA_ERROR_INVALID_VALUE,
				 "sync event export to remote pci: %s is NULL",
				 event == NULL ? "event"
				 : dev == NULL ? "dev"
					       : "a result");
	result = sync_event_check_api(event, API_TASK, "sync event export to remote pci");
	if (result != DOCA_SUCCESS)
		return result;
	return sync_event_export(event, dev, DOCOCORE__EXPORT_KIND__SYNC_PCI, data, sz);
}

doca_error_t doca_sync_event_export_to_remote_net(struct doca_sync_event *event,
						  const uint8_t **data, size_t *sz)
{
	doca_error_t result;

	if (event == NULL || data == NULL || sz == NULL)
		return error_set(DOCA_ERROR_INVALID_VALUE,
				 "sync event export to remote net: %s is NULL",
				 event == NULL ? "event" : "a result");
	result = sync_event_check_api(event, API_TASK, "sync event export to remote net");
	if (result != DOCA_SUCCESS)
		return result;
	return sync_event_export(event, (struct doca_dev *)sync_event_dev(event),
				 DOCOCORE__EXPORT_KIND__SYNC_NET, data, sz);
}

static void importers_wake(void *arg)
{
	sync_cell_wake_all(arg);
}

void sync_exports_close(struct doca_sync_event *event)
{
	const struct doca_pe *pe = event->ctx.pe;
	struct sync_export *export, *tmp;

	event->cell.shared_word = NULL;
	list_for_each_safe(export, tmp, &event->exports, node)
	{
		export->base.ends_async = pe != NULL && (pe->flags & PE_IN_PROGRESS);
		export_close(&export->base, importers_wake, &event->cell);
		dev_release(export->base.dev);
		list_remove(&export->node);
		export_free(export);
	}
}
