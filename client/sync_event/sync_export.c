/*
 * Sync events: exports and imports. The daemons pass the descriptors of the counter, the sleep
 * words and the eventfd to the importer. Everything received from them is validated before use,
 * because the exporter is another process. Threads: one at a time per event.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <dococ.h>

#include "client/base/env.h"
#include "client/base/error.h"
#include "client/base/lenient.h"
#include "client/memory/mmap.h"
#include "client/sync_event/sync_event.h"
#include "util/fd.h"
#include "util/memfd.h"

#define RDMA_READ_WRITE \
	(DOCA_ACCESS_FLAG_RDMA_READ | DOCA_ACCESS_FLAG_RDMA_WRITE | DOCA_ACCESS_FLAG_RDMA_ATOMIC)

/* --- exports --- */

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
			 "sync event export: the counter lies in memory that cannot be "
			 "shared with another process; let the event make its own, or "
			 "allocate it with dococ_mem_alloc");
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
static void export_moves(struct export *export)
{
	struct sync_cell *cell = &container_of(export, struct sync_export, base)->event->cell;

	atomic_store(&cell->is_in_shared_use, true);
	sync_cell_wake_all(cell);
}

/* Called before the descriptor is returned. Each export has importers of its own. With a second
 * export, further processes take part, which no daemon knows. */
static void exports_join(struct doca_sync_event *event, struct sync_export *export)
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
		.moves = export_moves,
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
			*data_out = export->base.descriptor;
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
	exports_join(event, export);
	/* An RDMA device changes the counter without a wake-up. */
	if (export->base.has_key)
		sync_cell_set_rechecked(&event->cell);
	list_append(&event->exports, &export->node);
	*data_out = export->base.descriptor;
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

static void importers_rouse(void *arg)
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
		export_close(&export->base, importers_rouse, &event->cell);
		dev_release(export->base.dev);
		list_remove(&export->node);
		export_free(export);
	}
}

/* --- imports --- */

static doca_error_t import_is_unsound(const char *what, const char *how)
{
	return error_set(DOCA_ERROR_UNEXPECTED, "%s: what the exporter shares is unsound: %s", what,
			 how);
}

static doca_error_t import_map_value(const char *what, struct sync_import *import,
				     const Dococore__ImportReply *reply, int fd)
{
	size_t page = memfd_page_size(), at = reply->memfd_offset & (page - 1);
	uint64_t offset = reply->memfd_offset;

	if (reply->memory != DOCOCORE__MEMORY_KIND__MEMFD || reply->len != sizeof(uint64_t) ||
	    offset % sizeof(uint64_t) != 0 || offset > INT64_MAX - page ||
	    memfd_verify(fd, offset + sizeof(uint64_t)) < 0)
		return import_is_unsound(what, "the counter's memory");
	import->memory.value_map = memfd_map(fd, offset - at, page, import->cell.is_writable);
	if (import->memory.value_map == NULL)
		return error_set(DOCA_ERROR_NO_MEMORY, "%s: mapping the counter: %m", what);
	import->cell.value = (void *)((uint8_t *)import->memory.value_map + at);
	return DOCA_SUCCESS;
}

static doca_error_t import_map_words(const char *what, struct sync_import *import, int fd,
				     int *eventfd)
{
	if (memfd_verify(fd, SYNC_WORDS_LEN) < 0)
		return import_is_unsound(what, "the sleep words' memory");
	import->memory.words_map = memfd_map(fd, 0, SYNC_WORDS_LEN, true);
	if (import->memory.words_map == NULL)
		return error_set(DOCA_ERROR_NO_MEMORY, "%s: mapping the sleep words: %m", what);
	import->cell.words = import->memory.words_map;
	if (!sync_words_are_valid(import->cell.words))
		return import_is_unsound(what, "the sleep words are of another layout");
	/* Set non-blocking for kernels without asynchronous I/O, where ringing is a write that
	 * could block. */
	if (!fd_is_eventfd(*eventfd) || fd_set_nonblocking(*eventfd) < 0)
		return import_is_unsound(what, "the eventfd is none");
	import->cell.is_shared = true;
	pe_prepare_doorbells();
	atomic_store(&import->memory.eventfd, fd_steal(eventfd));
	import->cell.eventfd = &import->memory.eventfd;
	return DOCA_SUCCESS;
}

/*
 * Returns whether the import is accessed by an RDMA device of this process, whose requests need the
 * exporter's key: by tasks of the RDMA library, or by the event itself if the exporter serves
 * requests.
 */
static bool import_goes_by_key(const struct sync_import *import, Dococore__ExportKind kind,
			       const struct doca_dev *dev)
{
	return import->has_key &&
	       (kind == DOCOCORE__EXPORT_KIND__SYNC_NET || import->agent_id != 0) &&
	       mem_keys_serve(dev->info);
}

/* Returns whether the daemons relay the import's requests. That is possible for exports over PCI
 * only, because tasks of the RDMA library need a device. */
static bool import_goes_by_relay(const struct sync_import *import,
				 const Dococore__ImportReply *reply, Dococore__ExportKind kind)
{
	return kind == DOCOCORE__EXPORT_KIND__SYNC_PCI && reply->relays && import->agent_id != 0;
}

static bool is_asked_for(const char *transport)
{
	const char *asked = env_get(ENV_TRANSPORT);

	return asked != NULL && strcmp(asked, transport) == 0;
}

/* Returns the reason why the import cannot be accessed. */
static const char *import_way(const Dococore__ImportReply *reply, Dococore__ExportKind kind)
{
	if (reply->same_kernel)
		return "but both daemons run on one machine: link them with 'address = unix:...' "
		       "instead";
	if (kind == DOCOCORE__EXPORT_KIND__SYNC_PCI && !reply->relays)
		return "the devices of both ends must be bound to RDMA devices (ibdev) that can be "
		       "opened; for relay the exporter's process or one of the daemons is of a "
		       "version without it, or that daemon was not to be linked over tls: when "
		       "the event was exported";
	if (kind == DOCOCORE__EXPORT_KIND__SYNC_NET)
		return "the devices of both ends must be bound to RDMA devices (ibdev) that can be "
		       "opened; without them export it to remote pci instead, which the daemons "
		       "relay to doca_sync_event_create_from_export()";
	return "the devices of both ends must be bound to RDMA devices (ibdev) that can be opened";
}

/* Opens an import that the CPU cannot access, by an RDMA device or by relay. */
static doca_error_t import_take_distant(const char *what, struct sync_import *import,
					const Dococore__ImportReply *reply,
					Dococore__ExportKind kind, const struct doca_dev *dev)
{
	if (reply->len != sizeof(uint64_t) || reply->addr % sizeof(uint64_t) != 0)
		return import_is_unsound(what, "the counter's memory");
	if (import_goes_by_key(import, kind, dev) && !is_asked_for("relay")) {
		import->is_remote = true;
		import->is_posted = kind == DOCOCORE__EXPORT_KIND__SYNC_PCI;
		return DOCA_SUCCESS;
	}
	if (import_goes_by_relay(import, reply, kind) && !is_asked_for("verbs")) {
		import->is_remote = import->is_posted = import->is_relayed = true;
		return DOCA_SUCCESS;
	}
	return error_set(
		DOCA_ERROR_NOT_SUPPORTED,
		"%s: the sync event is exported by a process behind a tls: link, which passes no "
		"descriptors; %s",
		what, import_way(reply, kind));
}

static doca_error_t import_take(const char *what, struct sync_import *import,
				struct session_answer *answer, Dococore__ExportKind kind,
				const struct doca_dev *dev)
{
	const Dococore__ImportReply *reply = answer->packet->import_reply;
	CLEANUP_FD int page = fdset_steal(&answer->fds, 0);
	CLEANUP_FD int pidfd = fdset_steal(&answer->fds, 1);
	CLEANUP_FD int value = fdset_steal(&answer->fds, 2);
	CLEANUP_FD int words = fdset_steal(&answer->fds, 3);
	CLEANUP_FD int eventfd = fdset_steal(&answer->fds, 4);
	doca_error_t result;

	import->import_id = reply->import_id;
	memcpy(import->import_daemon, answer->daemon_id, sizeof(import->import_daemon));
	if (reply->kind != kind)
		return import_is_unsound(what, "it is of another kind");
	import->cell.is_writable = (reply->permissions & (kind == DOCOCORE__EXPORT_KIND__SYNC_PCI
								  ? DOCA_ACCESS_FLAG_PCI_READ_WRITE
								  : DOCA_ACCESS_FLAG_RDMA_WRITE)) !=
				   0;
	import->addr = reply->addr;
	import->agent_id = reply->agent_id;
	result = import_watch(what, answer, page, &import->liveness);
	if (result != DOCA_SUCCESS)
		return result;
	import->cell.alive = import->liveness.alive;
	import->cell.generation = import->liveness.generation;
	if (reply->distant || (kind == DOCOCORE__EXPORT_KIND__SYNC_PCI && env_wants_verbs() &&
			       import_goes_by_key(import, kind, dev)))
		return import_take_distant(what, import, reply, kind, dev);
	if (result == DOCA_SUCCESS)
		result = import_map_value(what, import, reply, value);
	if (result == DOCA_SUCCESS)
		result = import_map_words(what, import, words, &eventfd);
	if (result != DOCA_SUCCESS)
		return result;
	import->cell.alive = import->liveness.alive;
	import->cell.shared_word = import->liveness.alive;
	import->cell.generation = import->liveness.generation;
	import->cell.pidfd = fd_steal(&pidfd);
	return DOCA_SUCCESS;
}

doca_error_t sync_import_open(const char *what, struct doca_dev *dev, const uint8_t *data,
			      size_t len, Dococore__ExportKind kind, struct sync_import *import)
{
	CLEANUP_ANSWER struct session_answer answer = SESSION_ANSWER_INIT;
	enum export_descriptor_error damage;
	struct export_descriptor descriptor;
	doca_error_t result;

	*import = (struct sync_import){.cell.pidfd = -1, .memory = SYNC_MEMORY_INIT};
	damage = export_descriptor_decode(data, len, &descriptor);
	if (damage != EXPORT_DESCRIPTOR_OK)
		return error_set(DOCA_ERROR_INVALID_VALUE,
				 "%s: the descriptor of %zu bytes is not usable: %s", what, len,
				 export_descriptor_error_text(damage));
	if (descriptor.kind != kind)
		return error_set(DOCA_ERROR_INVALID_VALUE, "%s: the descriptor is of %s", what,
				 descriptor.kind == DOCOCORE__EXPORT_KIND__SYNC_PCI
					 ? "a sync event that was exported to remote pci"
				 : descriptor.kind == DOCOCORE__EXPORT_KIND__SYNC_NET
					 ? "a sync event that was exported to remote net"
				 : descriptor.kind == DOCOCORE__EXPORT_KIND__RDMA_QP
					 ? "a queue pair"
					 : "a memory map");
	if (kind == DOCOCORE__EXPORT_KIND__SYNC_PCI ? !dev->info->caps.sync_import_pci
						    : !dev->info->caps.sync_import_net)
		return error_set(DOCA_ERROR_NOT_SUPPORTED,
				 "%s: %s does not support it; key %s of the device in the topology "
				 "allows it",
				 what, dev->info->name,
				 kind == DOCOCORE__EXPORT_KIND__SYNC_PCI ? "sync_import_pci"
									 : "sync_import_net");
	import->has_key = descriptor.has_key;
	import->key = descriptor.key;
	memcpy(import->exporter_daemon, descriptor.daemon_id, sizeof(import->exporter_daemon));
	import->export_id = descriptor.export_id;
	memcpy(import->relay_secret, descriptor.secret, sizeof(import->relay_secret));
	result = import_send(dev, &descriptor, &answer);
	if (result == DOCA_SUCCESS)
		result = import_take(what, import, &answer, kind, dev);
	if (!import->is_relayed)
		explicit_bzero(import->relay_secret, sizeof(import->relay_secret));
	if (result != DOCA_SUCCESS) {
		sync_import_close(import);
		return result;
	}
	import->dev = dev;
	dev_hold(dev);
	import_report(import->import_id, import->import_daemon,
		      import->is_relayed  ? "relay"
		      : import->is_remote ? "verbs"
					  : "shm",
		      NULL, 0);
	return DOCA_SUCCESS;
}

void sync_import_close(struct sync_import *import)
{
	sync_memory_close(&import->memory);
	import_unwatch(&import->liveness);
	fd_close(&import->cell.pidfd);
	if (import->import_id != 0)
		import_release(import->import_id);
	import->import_id = 0;
	explicit_bzero(import->relay_secret, sizeof(import->relay_secret));
	if (import->dev != NULL)
		dev_release(import->dev);
	import->dev = NULL;
}
