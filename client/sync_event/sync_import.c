/*
 * Imports of sync events. Everything that is received from the exporter is validated before use,
 * because the exporter is another process. Threads: one at a time per event.
 */
#include <stdlib.h>
#include <string.h>

#include "client/base/env.h"
#include "client/base/error.h"
#include "client/memory/mem_key.h"
#include "client/sync_event/sync_event.h"
#include "util/export_descriptor.h"
#include "util/fd.h"
#include "util/memfd.h"
#include "util/secret.h"

static doca_error_t import_refuse(const char *what, const char *how)
{
	return error_set(DOCA_ERROR_UNEXPECTED,
			 "%s: the memory that the exporter shares is invalid: %s", what, how);
}

static doca_error_t import_map_value(const char *what, struct sync_import *import,
				     const Dococore__ImportReply *reply, int fd)
{
	size_t page = memfd_page_size(), at = reply->memfd_offset & (page - 1);
	uint64_t offset = reply->memfd_offset;

	if (reply->memory != DOCOCORE__MEMORY_KIND__MEMFD || reply->len != sizeof(uint64_t) ||
	    offset % sizeof(uint64_t) != 0 || offset > INT64_MAX - page ||
	    memfd_verify(fd, offset + sizeof(uint64_t)) < 0)
		return import_refuse(what, "the counter's memory");
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
		return import_refuse(what, "the sleep words' memory");
	import->memory.words_map = memfd_map(fd, 0, SYNC_WORDS_LEN, true);
	if (import->memory.words_map == NULL)
		return error_set(DOCA_ERROR_NO_MEMORY, "%s: mapping the sleep words: %m", what);
	import->cell.words = import->memory.words_map;
	if (!sync_words_are_valid(import->cell.words))
		return import_refuse(what, "the sleep words are of another layout");
	/* Set non-blocking for kernels without asynchronous I/O, where ringing is a write that
	 * could block. */
	if (!fd_is_eventfd(*eventfd) || fd_set_nonblocking(*eventfd) < 0)
		return import_refuse(what, "the eventfd is none");
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
static bool import_needs_key(const struct sync_import *import, Dococore__ExportKind kind,
			     const struct doca_dev *dev)
{
	return import->has_key &&
	       (kind == DOCOCORE__EXPORT_KIND__SYNC_NET || import->endpoint_id != 0) &&
	       mem_keys_serve(dev->info);
}

/* Returns whether the daemons relay the import's requests. That is possible for exports over PCI
 * only, because tasks of the RDMA library need a device. */
static bool import_is_relayable(const struct sync_import *import,
				const Dococore__ImportReply *reply, Dococore__ExportKind kind)
{
	return kind == DOCOCORE__EXPORT_KIND__SYNC_PCI && reply->relays && import->endpoint_id != 0;
}

static bool is_requested(const char *transport)
{
	const char *asked = env_get(ENV_TRANSPORT);

	return asked != NULL && strcmp(asked, transport) == 0;
}

/* Returns the reason why the import cannot be accessed. */
static const char *import_fault(const Dococore__ImportReply *reply, Dococore__ExportKind kind)
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
static doca_error_t import_open_remote(const char *what, struct sync_import *import,
				       const Dococore__ImportReply *reply,
				       Dococore__ExportKind kind, const struct doca_dev *dev)
{
	if (reply->len != sizeof(uint64_t) || reply->addr % sizeof(uint64_t) != 0)
		return import_refuse(what, "the counter's memory");
	if (import_needs_key(import, kind, dev) && !is_requested("relay")) {
		import->is_remote = true;
		import->is_posted = kind == DOCOCORE__EXPORT_KIND__SYNC_PCI;
		return DOCA_SUCCESS;
	}
	if (import_is_relayable(import, reply, kind) && !is_requested("verbs")) {
		import->is_remote = import->is_posted = import->is_relayed = true;
		return DOCA_SUCCESS;
	}
	return error_set(
		DOCA_ERROR_NOT_SUPPORTED,
		"%s: the sync event is exported by a process behind a tls: link, which passes no "
		"descriptors; %s",
		what, import_fault(reply, kind));
}

static doca_error_t import_open(const char *what, struct sync_import *import,
				struct rpc_reply *answer, Dococore__ExportKind kind,
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
		return import_refuse(what, "it is of another kind");
	import->cell.is_writable = (reply->permissions & (kind == DOCOCORE__EXPORT_KIND__SYNC_PCI
								  ? DOCA_ACCESS_FLAG_PCI_READ_WRITE
								  : DOCA_ACCESS_FLAG_RDMA_WRITE)) !=
				   0;
	import->addr = reply->addr;
	import->endpoint_id = reply->endpoint_id;
	result = import_watch(what, answer, page, &import->liveness);
	if (result != DOCA_SUCCESS)
		return result;
	import->cell.alive = import->liveness.alive;
	import->cell.generation = import->liveness.generation;
	if (reply->is_remote || (kind == DOCOCORE__EXPORT_KIND__SYNC_PCI && env_wants_verbs() &&
				 import_needs_key(import, kind, dev)))
		return import_open_remote(what, import, reply, kind, dev);
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

static doca_error_t import_check(const char *what, const struct doca_dev *dev,
				 const struct export_descriptor *descriptor,
				 Dococore__ExportKind kind)
{
	if (descriptor->kind != kind)
		return error_set(DOCA_ERROR_INVALID_VALUE, "%s: the descriptor is of %s", what,
				 descriptor->kind == DOCOCORE__EXPORT_KIND__SYNC_PCI
					 ? "a sync event that was exported to remote pci"
				 : descriptor->kind == DOCOCORE__EXPORT_KIND__SYNC_NET
					 ? "a sync event that was exported to remote net"
				 : descriptor->kind == DOCOCORE__EXPORT_KIND__RDMA_QP
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
	return DOCA_SUCCESS;
}

/* Asks the daemon for the event that the descriptor names. */
static doca_error_t import_fetch(const char *what, struct doca_dev *dev,
				 struct export_descriptor *descriptor, Dococore__ExportKind kind,
				 struct sync_import *import)
{
	CLEANUP_REPLY struct rpc_reply answer = RPC_REPLY_INIT;
	doca_error_t result = import_check(what, dev, descriptor, kind);

	if (result != DOCA_SUCCESS)
		return result;
	import->has_key = descriptor->has_key;
	import->key = descriptor->key;
	memcpy(import->exporter_daemon, descriptor->daemon_id, sizeof(import->exporter_daemon));
	import->export_id = descriptor->export_id;
	import->relay_secret = secret_alloc(sizeof(descriptor->secret));
	if (import->relay_secret == NULL)
		return error_set(DOCA_ERROR_NO_MEMORY, "%s: out of memory", what);
	memcpy(import->relay_secret, descriptor->secret, sizeof(descriptor->secret));
	result = import_send(dev, descriptor, &answer);
	if (result == DOCA_SUCCESS)
		result = import_open(what, import, &answer, kind, dev);
	if (!import->is_relayed)
		import->relay_secret = secret_free(import->relay_secret);
	return result;
}

doca_error_t sync_import_open(const char *what, struct doca_dev *dev, const uint8_t *data,
			      size_t len, Dococore__ExportKind kind, struct sync_import *import)
{
	enum export_descriptor_error damage;
	struct export_descriptor descriptor;
	doca_error_t result;

	*import = (struct sync_import){.cell.pidfd = -1, .memory = SYNC_MEMORY_INIT};
	damage = export_descriptor_decode(data, len, &descriptor);
	if (damage != EXPORT_DESCRIPTOR_OK)
		return error_set(DOCA_ERROR_INVALID_VALUE,
				 "%s: the descriptor of %zu bytes is not usable: %s", what, len,
				 export_descriptor_error_text(damage));
	result = import_fetch(what, dev, &descriptor, kind, import);
	explicit_bzero(&descriptor, sizeof(descriptor));
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
	import->relay_secret = secret_free(import->relay_secret);
	if (import->dev != NULL)
		dev_release(import->dev);
	import->dev = NULL;
}
