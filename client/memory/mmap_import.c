/*
 * Imports of memory maps; see client/memory/export.h for what all imports share. An import asks the
 * daemon, watches the export's liveness, and opens the memory with a transport
 * (client/memory/transport_choice.h). Threads: those of the memory map.
 */
#include <stdlib.h>
#include <string.h>

#include <doca_mmap.h>

#include "client/base/env.h"
#include "client/base/error.h"
#include "client/control/rpc.h"
#include "client/memory/export.h"
#include "client/memory/export_text.h"
#include "client/memory/mem_key.h"
#include "client/memory/mmap.h"
#include "client/memory/shared_mapping.h"
#include "client/memory/transport_choice.h"
#include "util/fd.h"
#include "util/secret.h"

void mmap_import_close(struct doca_mmap *mmap)
{
	mmap_revoke_exports(mmap);
	mmap_set_stopped(mmap);
	if (mmap->region.ops != NULL)
		mmap->region.ops->close(&mmap->region);
	import_unwatch(&mmap->liveness);
	if (mmap->import_id != 0 && mmap->ends_async)
		import_release_async(mmap->import_id, mmap->import_daemon);
	else if (mmap->import_id != 0)
		import_release(mmap->import_id);
	mmap->import_id = 0;
	mmap->secrets = secret_free(mmap->secrets);
}

/* Sets the rights and the range of an import. */
static void import_set(struct doca_mmap *mmap, uint32_t permissions, uint64_t addr, uint64_t len)
{
	mmap->permissions = permissions;
	mmap->addr = (void *)(uintptr_t)addr;
	mmap->len = len;
	mmap->range_set = true;
	mmap->base = (uintptr_t)addr;
	mmap->span = len;
	mmap->limit = mmap->api == API_TASK ? mmap->base + mmap->span : 0;
	mmap->direct = mmap->region.direct;
	mmap->delta = mmap->region.delta;
	mmap->is_posted = mmap->region.ops->is_posted;
	mmap_set_fast(mmap);
}

static bool import_names_transport(void)
{
	const char *name = env_get(ENV_TRANSPORT);

	return name != NULL && name[0] != '\0';
}

/* Opens an import with the daemon's answer. `own` is as for import_watch_by(); if NULL, the session
 * is used. */
static doca_error_t import_open(struct doca_mmap *mmap, const struct doca_dev *dev,
				const struct export_descriptor *descriptor,
				struct rpc_reply *answer, struct session_page **own)
{
	Dococore__ExportKind kind = (Dococore__ExportKind)descriptor->kind;
	const Dococore__ImportReply *reply = answer->packet->import_reply;
	CLEANUP_FD int page = fdset_steal(&answer->fds, 0);
	CLEANUP_FD int pidfd = fdset_steal(&answer->fds, 1);
	CLEANUP(shared_file_close) int memfd = fdset_steal(&answer->fds, 2);
	struct transport_target target = {
		.base = reply->addr,
		.len = reply->len,
		.same_process = reply->same_process,
		.is_memfd = memfd >= 0 && reply->memory == DOCOCORE__MEMORY_KIND__MEMFD,
		.is_file = memfd >= 0 && reply->memory == DOCOCORE__MEMORY_KIND__FILE,
		.memfd_offset = reply->memfd_offset,
		.memfd = memfd,
		.pidfd = pidfd,
		.pid = (pid_t)reply->exporter_pid,
		.uid = reply->exporter_uid,
		.info = dev->info,
		.is_remote = reply->is_remote,
		.same_kernel = reply->same_kernel,
		.is_expected = reply->knows_transport && !reply->is_remote,
		.has_key = mmap->has_remote_key,
		.endpoint_id = reply->endpoint_id,
		.export_id = descriptor->export_id,
		.secret = descriptor->secret,
		.relays = reply->relays,
		.is_named = import_names_transport(),
	};
	/* PCI permissions do not apply to an export over RDMA, nor RDMA permissions to one over
	 * PCI. */
	uint32_t permissions = reply->permissions &
			       ~(kind == DOCOCORE__EXPORT_KIND__PCI ? MMAP_ACCESS_RDMA
								    : MMAP_ACCESS_PCI);
	doca_error_t result;

	mmap->can_pass_on = mmap->is_pci_import &&
			    reply->pass_on.len == sizeof(mmap->secrets->pass_on);
	if (mmap->can_pass_on)
		secret_copy(mmap->secrets->pass_on, reply->pass_on.data,
			    sizeof(mmap->secrets->pass_on));
	mmap->import_id = reply->import_id;
	memcpy(mmap->import_daemon, answer->daemon_id, sizeof(mmap->import_daemon));
	mmap->endpoint_id = reply->endpoint_id;
	if (reply->len == 0 || reply->len > SIZE_MAX || reply->addr + reply->len < reply->addr)
		return error_set(DOCA_ERROR_UNEXPECTED,
				 "mmap create from export: the exported range is malformed");
	if (kind == DOCOCORE__EXPORT_KIND__PCI) {
		mmap->writable = (reply->permissions & DOCA_ACCESS_FLAG_PCI_READ_WRITE) != 0;
		mmap->readable = (reply->permissions & MMAP_ACCESS_PCI) != 0;
	} else {
		mmap->writable = (reply->permissions & DOCA_ACCESS_FLAG_RDMA_WRITE) != 0;
		mmap->readable = (reply->permissions & DOCA_ACCESS_FLAG_RDMA_READ) != 0;
	}
	/* Atomics also write to the memory, but give no other right to write. */
	target.writable = mmap->writable || (kind == DOCOCORE__EXPORT_KIND__RDMA &&
					     (reply->permissions & DOCA_ACCESS_FLAG_RDMA_ATOMIC));
	result = own == NULL
			 ? import_watch("mmap create from export", answer, page, &mmap->liveness)
			 : import_watch_by("mmap create from export", answer, page, own,
					   &mmap->liveness);
	if (result == DOCA_SUCCESS) {
		mmap->alive = mmap->liveness.alive;
		mmap->generation = mmap->liveness.generation;
		result = transport_choose(mmap, &target);
	}
	if (result != DOCA_SUCCESS)
		return result;
	import_set(mmap, permissions, reply->addr, reply->len);
	return DOCA_SUCCESS;
}

/* Returns whether the daemon knew the device when it was asked. If so, NOT_FOUND refers to the
 * export. */
static bool dev_can_reach_remote(const struct doca_dev *dev, bool waits)
{
	return dev->handle != 0 && !(waits ? dev_check_removed(dev) : dev_is_removed(dev));
}

/*
 * Imports by the memory key alone, from a machine whose daemon this side's daemon does not know.
 * Only requests of an RDMA device reach the memory. The end of the export is not announced: the
 * exporter's device refuses requests from then on.
 */
static doca_error_t import_by_key(struct doca_mmap *mmap,
				  const struct export_descriptor *descriptor,
				  const struct doca_dev *dev)
{
	if (!mem_keys_serve(dev->info))
		return error_set(DOCA_ERROR_NOT_FOUND,
				 "mmap create from export: the descriptor is of another machine, "
				 "whose daemon is not linked with this one's, and %s is no RDMA "
				 "device that could reach it",
				 dev->info->name);
	if (descriptor->len > SIZE_MAX)
		return error_set(DOCA_ERROR_UNEXPECTED,
				 "mmap create from export: the exported range is malformed");
	mmap->region = (struct transport_region){.ops = &transport_verbs,
						 .base = descriptor->addr,
						 .len = descriptor->len,
						 .pidfd = -1};
	mmap->writable = (descriptor->permissions & DOCA_ACCESS_FLAG_RDMA_WRITE) != 0;
	mmap->readable = (descriptor->permissions & DOCA_ACCESS_FLAG_RDMA_READ) != 0;
	import_set(mmap, descriptor->permissions, descriptor->addr, descriptor->len);
	return DOCA_SUCCESS;
}

/* Creates a memory map for a descriptor, before the daemon is asked. */
static doca_error_t import_begin(uint16_t api, const void *export_desc, size_t export_desc_len,
				 const struct doca_dev *dev,
				 struct export_descriptor *descriptor_out,
				 struct doca_mmap **mmap_out)
{
	struct doca_mmap *mmap;
	uint8_t bytes[EXPORT_DESCRIPTOR_LEN];
	enum export_descriptor_error damage;
	Dococore__ExportKind kind;
	doca_error_t result;

	if (export_text_is(export_desc, export_desc_len)) {
		if (!export_text_to(export_desc, export_desc_len, bytes))
			return error_set(DOCA_ERROR_INVALID_VALUE,
					 "mmap create from export: the descriptor of %zu bytes is "
					 "text, but not from an export",
					 export_desc_len);
		export_desc = bytes;
		export_desc_len = sizeof(bytes);
	}
	damage = export_descriptor_decode(export_desc, export_desc_len, descriptor_out);
	if (export_desc == bytes)
		explicit_bzero(bytes, sizeof(bytes));
	if (damage != EXPORT_DESCRIPTOR_OK)
		return error_set(
			DOCA_ERROR_INVALID_VALUE,
			"mmap create from export: the descriptor of %zu bytes is not usable: %s",
			export_desc_len, export_descriptor_error_text(damage));
	kind = (Dococore__ExportKind)descriptor_out->kind;
	if (kind != DOCOCORE__EXPORT_KIND__PCI && kind != DOCOCORE__EXPORT_KIND__RDMA)
		return error_set(DOCA_ERROR_INVALID_VALUE,
				 "mmap create from export: the descriptor is of a %s",
				 kind == DOCOCORE__EXPORT_KIND__RDMA_QP
					 ? "queue pair; connect to it with doca_rdma_connect"
					 : "sync event; import it with "
					   "doca_sync_event_create_from_export");
	if (kind == DOCOCORE__EXPORT_KIND__PCI && !dev->info->caps.import_pci)
		return error_set(DOCA_ERROR_NOT_SUPPORTED,
				 "mmap create from export: %s does not support it, exports over "
				 "PCI are imported by another device; key import_pci of the device "
				 "in the topology allows it",
				 dev->info->name);
	result = mmap_new(api, &mmap);
	if (result != DOCA_SUCCESS)
		return result;
	mmap->secrets = secret_alloc(sizeof(*mmap->secrets));
	if (mmap->secrets == NULL) {
		mmap_free(mmap);
		return error_set(DOCA_ERROR_NO_MEMORY, "mmap create from export: out of memory");
	}
	mmap->from_export = true;
	mmap->is_pci_import = kind == DOCOCORE__EXPORT_KIND__PCI;
	mmap->exporter_is_dpu = descriptor_out->side != 0;
	mmap->export_id = descriptor_out->export_id;
	mmap->remote_key = descriptor_out->key;
	mmap->has_remote_key = descriptor_out->has_key;
	memcpy(mmap->exporter_daemon, descriptor_out->daemon_id, sizeof(mmap->exporter_daemon));
	*mmap_out = mmap;
	return DOCA_SUCCESS;
}

/* Completes an import with the daemon's answer. Frees the memory map on failure. */
static doca_error_t import_end(struct doca_mmap *mmap, struct doca_dev *dev,
			       const struct export_descriptor *descriptor, doca_error_t result,
			       struct rpc_reply *answer, struct session_page **own)
{
	Dococore__ExportKind kind = (Dococore__ExportKind)descriptor->kind;

	if (result == DOCA_SUCCESS)
		result = import_open(mmap, dev, descriptor, answer, own);
	if (result == DOCA_SUCCESS && mmap->region.ops->is_relayed) {
		secret_copy(mmap->secrets->relay, descriptor->secret, sizeof(mmap->secrets->relay));
		mmap->relay_pci = kind == DOCOCORE__EXPORT_KIND__PCI;
	}
	if (result == DOCA_ERROR_NOT_FOUND && mmap->has_remote_key &&
	    kind == DOCOCORE__EXPORT_KIND__RDMA && dev_can_reach_remote(dev, own == NULL))
		result = import_by_key(mmap, descriptor, dev);
	if (result == DOCA_SUCCESS) {
		mmap->devs = malloc(sizeof(*mmap->devs));
		if (mmap->devs == NULL)
			result = error_set(DOCA_ERROR_NO_MEMORY,
					   "mmap create from export: out of memory");
	}
	if (result != DOCA_SUCCESS) {
		mmap_free(mmap);
		return result;
	}
	mmap->devs[0] = dev;
	mmap->n_devs = 1;
	mmap->dev = dev;
	dev_hold(dev);
	return DOCA_SUCCESS;
}

doca_error_t mmap_import(uint16_t api, const union doca_data *user_data, const void *export_desc,
			 size_t export_desc_len, struct doca_dev *dev, struct doca_mmap **mmap_out)
{
	CLEANUP_REPLY struct rpc_reply answer = RPC_REPLY_INIT;
	struct doca_mmap *mmap;
	struct export_descriptor descriptor, copy;
	doca_error_t result;

	if (export_desc == NULL || dev == NULL || mmap_out == NULL)
		return error_set(DOCA_ERROR_INVALID_VALUE, "mmap create from export: %s is NULL",
				 export_desc == NULL ? "the descriptor"
				 : dev == NULL       ? "dev"
						     : "the result");
	result = import_begin(api, export_desc, export_desc_len, dev, &descriptor, &mmap);
	if (result != DOCA_SUCCESS) {
		explicit_bzero(&descriptor, sizeof(descriptor));
		return result;
	}
	if (user_data != NULL)
		mmap->user_data = *user_data;
	secret_copy(&copy, &descriptor, sizeof(copy));
	result = import_send(dev, &descriptor, &answer);
	result = import_end(mmap, dev, &copy, result, &answer, NULL);
	explicit_bzero(&copy, sizeof(copy));
	if (result == DOCA_SUCCESS)
		*mmap_out = mmap;
	return result;
}

/* --- importing without waiting --- */

struct mmap_importing {
	struct doca_mmap *mmap;
	struct doca_dev *dev;
	/* With the secret, so this object is allocated by secret_alloc(). */
	struct export_descriptor descriptor;
	struct session_page *own; /* the page of the connection that carried the request */
};

static void importing_free(struct mmap_importing *importing)
{
	if (importing->mmap != NULL)
		mmap_free(importing->mmap);
	if (importing->own != NULL)
		session_page_unref(importing->own);
	secret_free(importing);
}

doca_error_t mmap_import_begin(const void *desc, size_t desc_len, struct doca_dev *dev,
			       void (*on_done)(void *user), void *user,
			       struct rpc_pending **pending_out,
			       struct mmap_importing **importing_out)
{
	struct mmap_importing *importing = secret_alloc(sizeof(*importing));
	struct export_descriptor copy;
	doca_error_t result;

	if (importing == NULL)
		return error_set(DOCA_ERROR_NO_MEMORY, "mmap create from export: out of memory");
	importing->dev = dev;
	result = import_begin(API_TASK, desc, desc_len, dev, &importing->descriptor,
			      &importing->mmap);
	if (result == DOCA_SUCCESS) {
		importing->mmap->ends_async = true;
		secret_copy(&copy, &importing->descriptor, sizeof(copy));
		rpc_lock();
		result = import_send_locked(dev, &copy, on_done, user, pending_out);
		importing->own = session_page_ref_locked();
		rpc_unlock();
		explicit_bzero(&copy, sizeof(copy));
	}
	if (result != DOCA_SUCCESS) {
		importing_free(importing);
		return result;
	}
	*importing_out = importing;
	return DOCA_SUCCESS;
}

doca_error_t mmap_import_end(struct mmap_importing **importing, struct rpc_pending **pending,
			     struct doca_mmap **mmap_out)
{
	CLEANUP_REPLY struct rpc_reply answer = RPC_REPLY_INIT;
	struct mmap_importing *ended = *importing;
	struct doca_mmap *mmap = ended->mmap;
	doca_error_t result;

	*importing = NULL;
	ended->mmap = NULL;
	result = rpc_collect(pending, DOCOCORE__PACKET__BODY_IMPORT_REPLY, &answer);
	result = import_end(mmap, ended->dev, &ended->descriptor, result, &answer, &ended->own);
	importing_free(ended);
	if (result == DOCA_SUCCESS)
		*mmap_out = mmap;
	return result;
}

struct mmap_importing *mmap_import_cancel(struct mmap_importing *importing)
{
	if (importing != NULL)
		importing_free(importing);
	return NULL;
}

doca_error_t doca_mmap_create_from_export(const union doca_data *user_data, const void *export_desc,
					  size_t export_desc_len, struct doca_dev *dev,
					  struct doca_mmap **mmap_out)
{
	return mmap_import(API_TASK, user_data, export_desc, export_desc_len, dev, mmap_out);
}
API_PLAIN(doca_mmap_create_from_export, 2_0);
