/*
 * Exports and imports of memory maps; see client/memory/export.h for what all exports share. An
 * import asks the daemon, then uses the best transport that works and records why the others did
 * not. Threads: those of the memory map.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <doca_mmap.h>

#include "client/base/env.h"
#include "client/base/error.h"
#include "client/control/rpc.h"
#include "client/memory/export.h"
#include "client/memory/export_text.h"
#include "client/memory/mmap.h"
#include "client/memory/mmap_export_internal.h"
#include "client/memory/shared_mapping.h"
#include "proto/transport_default.h"
#include "util/fd.h"
#include "util/secret.h"

#define RDMA_ACCESS \
	(DOCA_ACCESS_FLAG_RDMA_READ | DOCA_ACCESS_FLAG_RDMA_WRITE | DOCA_ACCESS_FLAG_RDMA_ATOMIC)
#define PCI_ACCESS (DOCA_ACCESS_FLAG_PCI_READ_ONLY | DOCA_ACCESS_FLAG_PCI_READ_WRITE)

static bool export_grants_write(const struct doca_mmap *mmap, Dococore__ExportKind kind)
{
	uint32_t p = mmap->permissions;

	return kind == DOCOCORE__EXPORT_KIND__PCI
		       ? (p & DOCA_ACCESS_FLAG_PCI_READ_WRITE) != 0
		       : (p & (DOCA_ACCESS_FLAG_RDMA_WRITE | DOCA_ACCESS_FLAG_RDMA_ATOMIC)) != 0;
}

static doca_error_t export_check(struct doca_mmap *mmap, const struct doca_dev *dev,
				 const void **desc, const size_t *len, Dococore__ExportKind kind)
{
	const char *what = kind == DOCOCORE__EXPORT_KIND__PCI ? "pci" : "rdma";
	uint32_t need = kind == DOCOCORE__EXPORT_KIND__PCI ? PCI_ACCESS : RDMA_ACCESS;

	if (mmap == NULL || dev == NULL || desc == NULL || len == NULL)
		return error_set(DOCA_ERROR_INVALID_VALUE, "mmap export %s: %s is NULL", what,
				 mmap == NULL  ? "mmap"
				 : dev == NULL ? "dev"
					       : "a result");
	if (mmap->legacy != NULL && !mmap->from_export)
		return mmap_check_api(mmap, MMAP_RANGED, "export");
	if (mmap->from_export)
		return pass_on_check(mmap, dev, kind, what);
	if (!mmap->started)
		return error_set(
			DOCA_ERROR_NOT_PERMITTED,
			"mmap export %s: the mmap is not started; call doca_mmap_start first",
			what);
	if ((mmap->permissions & need) == 0)
		return error_set(
			DOCA_ERROR_NOT_PERMITTED,
			"mmap export %s: the permissions %#x have no %s flag; set one with "
			"doca_mmap_set_permissions before start",
			what, mmap->permissions,
			kind == DOCOCORE__EXPORT_KIND__PCI ? "PCI" : "RDMA");
	if (!mmap_has_dev(mmap, dev))
		return error_set(
			mmap->api == API_TASK ? DOCA_ERROR_NOT_FOUND : DOCA_ERROR_INVALID_VALUE,
			"mmap export %s: %s was not added to the mmap", what, dev->info->name);
	if (kind == DOCOCORE__EXPORT_KIND__PCI ? !dev->info->caps.export_pci
					       : !dev->info->caps.export_rdma)
		return error_set(DOCA_ERROR_NOT_SUPPORTED,
				 "mmap export %s: %s does not support it; key export_%s of the "
				 "device in the topology allows it",
				 what, dev->info->name,
				 kind == DOCOCORE__EXPORT_KIND__PCI ? "pci" : "rdma");
	return DOCA_SUCCESS;
}

/* Called at the first export rather than at the start: the descriptor keeps the memory alive from
 * here on, and most memory maps are never exported. */
static void mmap_find_memfd(struct doca_mmap *mmap, bool grants_write)
{
	char reason[SHARED_MAPPING_REASON_MAX];
	struct shared_mapping mapping;

	if (mmap->memfd >= 0)
		return;
	mmap->memfd_found = mem_find_memfd(mmap->addr, mmap->len, &mmap->memfd,
					   &mmap->memfd_offset) == 0;
	if (mmap->memfd_found)
		return;
	if (shared_mapping_find(mmap->addr, mmap->len, grants_write, &mapping, reason) < 0) {
		sdk_debug("mmap export: importers do not map the %zu bytes (transport shm): %s",
			  mmap->len, reason);
		return;
	}
	mmap->memfd = mapping.fd;
	mmap->memfd_offset = mapping.offset;
	mmap->memfd_found = true;
}

/* Returns the memfd that importers map, or -1 if they access the range as private memory. */
static int export_choose_memfd(struct doca_mmap *mmap, bool grants_write)
{
	mmap_find_memfd(mmap, grants_write);
	if (mmap->memfd < 0 || mem_admit(mmap->memfd, grants_write))
		return mmap->memfd;
	sdk_info("mmap export: importers do not map the %zu bytes (transport shm) but copy through "
		 "the kernel (pvm): %s",
		 mmap->len,
		 grants_write ? "the memory is sealed against writing because it was exported "
				"read-only before; allocate other memory for importers that write"
			      : "the export is read-only, but importers could write to the memory; "
				"give it no other export that permits writing, or seal your memfd "
				"with F_SEAL_FUTURE_WRITE once it is mapped");
	return -1;
}

/* Makes the key by which an RDMA device gives peers access to the memory. */
static doca_error_t export_find_key(struct doca_mmap *mmap, struct export *export)
{
	doca_error_t result = DOCA_ERROR_NOT_SUPPORTED;

	if (export->kind != DOCOCORE__EXPORT_KIND__RDMA)
		return DOCA_SUCCESS;
	for (size_t i = 0; mem_key_table[i] != NULL && result == DOCA_ERROR_NOT_SUPPORTED; i++)
		result = mem_key_table[i]->get_remote(mmap, export->dev, &export->key);
	export->has_key = result == DOCA_SUCCESS;
	return result == DOCA_ERROR_NOT_SUPPORTED ? DOCA_SUCCESS : result;
}

/* Invalidates the key for every holder. The daemons have forgotten the export before. */
static void export_revoke_key(struct mmap_export *export)
{
	for (size_t i = 0; export->base.has_key && mem_key_table[i] != NULL; i++)
		mem_key_table[i]->revoke(export->mmap, export->base.key);
}

static bool export_check_revoked_locked(struct revocation_watch *watch)
{
	struct mmap_export *export = container_of(watch, struct mmap_export, watch);

	if (!export_is_revoked_locked(&export->base))
		return false;
	sdk_info("mmap export: %llu bytes: it was revoked, or its device removed, and "
		 "its key is revoked",
		 (unsigned long long)export->base.len);
	export_revoke_key(export);
	return true;
}

/* Returns whether the device still accepts the key. The device may have been removed and replaced
 * by one that does not know it. */
static bool export_key_is_good(struct mmap_export *export)
{
	struct export now = {.kind = export->base.kind, .dev = export->base.dev};

	return !export->base.has_key || export->base.kind != DOCOCORE__EXPORT_KIND__RDMA ||
	       (export_find_key(export->mmap, &now) == DOCA_SUCCESS && now.has_key &&
		now.key == export->base.key);
}

/* Returns whether the existing descriptor can be returned again; it belongs to the memory map. A
 * revoked export stays dead. */
static bool export_is_usable(struct mmap_export *export)
{
	enum export_state state = export_get_state(&export->base);

	if (state == EXPORT_ALIVE)
		return export_key_is_good(export);
	/* The key stays valid if the export merely waits for a daemon. */
	if (state == EXPORT_DEAD)
		export_revoke_key(export);
	return false;
}

static doca_error_t export_watch(struct mmap_export *export)
{
	int r;

	/* For the other kinds, the responder watches for revocations. */
	if (!export->base.has_key || export->base.kind != DOCOCORE__EXPORT_KIND__RDMA)
		return DOCA_SUCCESS;
	export->watch.check_locked = export_check_revoked_locked;
	r = revocation_watch_start(&export->watch);
	if (r == 0)
		return DOCA_SUCCESS;
	export_close(&export->base, NULL, NULL);
	return error_set(error_from_errno(r),
			 "mmap export: a thread that would hear of a revocation cannot be started "
			 "(error %d)",
			 -r);
}

static doca_error_t export_open_own(struct doca_mmap *mmap, struct mmap_export *export)
{
	doca_error_t result = export_find_key(mmap, &export->base);

	if (result == DOCA_SUCCESS)
		result = export_open(&export->base);
	return result == DOCA_SUCCESS ? export_watch(export) : result;
}

doca_error_t mmap_export(struct doca_mmap *mmap, const struct doca_dev *dev, const void **desc_out,
			 size_t *len_out, Dococore__ExportKind kind)
{
	struct mmap_export *export;
	doca_error_t result = export_check(mmap, dev, desc_out, len_out, kind);
	bool grants_write;

	if (result != DOCA_SUCCESS)
		return result;
	list_for_each(export, &mmap->exports, node)
	{
		if (export->base.dev == dev && export->base.kind == kind &&
		    (mmap->from_export || export_is_usable(export))) {
			*desc_out = export->base.secrets->descriptor;
			*len_out = EXPORT_DESCRIPTOR_LEN;
			return DOCA_SUCCESS;
		}
	}
	export = calloc(1, sizeof(*export));
	if (export == NULL)
		return error_set(DOCA_ERROR_NO_MEMORY, "mmap export: out of memory");
	grants_write = export_grants_write(mmap, kind);
	export->mmap = mmap;
	export->base = (struct export){
		.what = "mmap export",
		.dev = (struct doca_dev *)dev,
		.kind = kind,
		.permissions = mmap->permissions,
		.addr = (uintptr_t)mmap->addr,
		.len = mmap->len,
		.memfd = mmap->from_export ? -1 : export_choose_memfd(mmap, grants_write),
		.memfd_offset = mmap->memfd_offset,
		.grants_write = grants_write,
		.rung = mmap->rung,
		.rung_arg = mmap->rung_arg,
		.revoked = mmap->revoked,
	};
	result = mmap->from_export ? pass_on_open(export) : export_open_own(mmap, export);
	if (result != DOCA_SUCCESS) {
		free(export);
		return result;
	}
	list_append(&mmap->exports, &export->node);
	mmap->exported = true;
	*desc_out = export->base.secrets->descriptor;
	*len_out = EXPORT_DESCRIPTOR_LEN;
	return DOCA_SUCCESS;
}

doca_error_t doca_mmap_export_pci(struct doca_mmap *mmap, const struct doca_dev *dev,
				  const void **export_desc, size_t *export_desc_len)
{
	doca_error_t result = mmap == NULL || mmap->from_export
				      ? DOCA_SUCCESS
				      : mmap_check_api(mmap, MMAP_TASK, "export pci");

	if (result != DOCA_SUCCESS)
		return result;
	return mmap_export(mmap, dev, export_desc, export_desc_len, DOCOCORE__EXPORT_KIND__PCI);
}

doca_error_t doca_mmap_export_rdma(struct doca_mmap *mmap, const struct doca_dev *dev,
				   const void **export_desc, size_t *export_desc_len)
{
	return mmap_export(mmap, dev, export_desc, export_desc_len, DOCOCORE__EXPORT_KIND__RDMA);
}

void mmap_revoke_exports(struct doca_mmap *mmap)
{
	struct mmap_export *export, *tmp;

	list_for_each_safe(export, tmp, &mmap->exports, node)
	{
		revocation_watch_stop(&export->watch);
		export->base.ends_async = mmap->ends_async;
		export_close(&export->base, NULL, NULL);
		list_remove(&export->node);
		free(export);
	}
	mmap->exported = false;
	if (mmap->memfd_found)
		fd_close(&mmap->memfd);
	mmap->memfd_found = false;
}

/* --- imports --- */

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

#define TRANSPORTS_MAX 8

static doca_error_t import_refuse_remote(const struct xport_target *target, const char *why)
{
	if (target->same_kernel)
		return error_set(DOCA_ERROR_NOT_SUPPORTED,
				 "mmap create from export: the memory is exported by a process "
				 "behind a tls: link, which passes no descriptors, but both "
				 "daemons run on one machine: link them with 'address = unix:...' "
				 "instead (%s)",
				 why != NULL ? why : "or unset DOCOCORED_TRANSPORT");
	return error_set(DOCA_ERROR_NOT_SUPPORTED,
			 "mmap create from export: the memory is exported on another machine, "
			 "linked over tls:, and nothing reaches it: %s",
			 why != NULL ? why
				     : "DOCOCORED_TRANSPORT names a transport within one machine");
}

/* Returns whether the transport is the one that the daemons assume by default. In that case no
 * report is needed. */
static bool import_is_as_expected(const struct xport_target *target, const char *transport,
				  size_t n_rejected)
{
	size_t n;

	return target->is_expected &&
	       strcmp(transport_default_name(target->same_process, target->is_memfd, &n),
		      transport) == 0 &&
	       n == n_rejected;
}

static bool import_names_transport(void)
{
	const char *name = env_get(ENV_TRANSPORT);

	return name != NULL && name[0] != '\0';
}

/* Uses the first transport that opens. If DOCOCORED_TRANSPORT is set, only the transport that it
 * names may be used. */
static doca_error_t import_choose(struct doca_mmap *mmap, const struct xport_target *target)
{
	const char *forced = env_get(ENV_TRANSPORT);
	const char *last_tried = NULL;
	char reasons[TRANSPORTS_MAX][XPORT_REASON_MAX];
	char *rejected[TRANSPORTS_MAX];
	size_t n = 0, len = 1;
	bool asked, forced_is_set = target->is_named;

	for (size_t i = 0; xport_table[i] != NULL && n < TRANSPORTS_MAX; i++) {
		const struct xport_ops *ops = xport_table[i];
		char reason[XPORT_REASON_MAX] = "";

		asked = !forced_is_set || strcmp(forced, ops->name) == 0;
		if (target->is_remote && !ops->reaches_remote) {
			asked = false;
			snprintf(reason, sizeof(reason), "the exporter is on another machine");
		} else if (!asked) {
			snprintf(reason, sizeof(reason),
				 "not asked for (DOCOCORED_TRANSPORT=%.32s)", forced);
		} else {
			mmap->region = (struct xport_region){
				.ops = ops, .base = target->base, .len = target->len, .pidfd = -1};
			if (ops->open(target, &mmap->region, reason) == 0) {
				mmap->region.ops = ops;
				break;
			}
			mmap->region.ops = NULL;
		}
		snprintf(reasons[n], sizeof(reasons[n]), "%s: %.180s", ops->name, reason);
		/* For memory of this machine, the error must not name a transport that reaches
		 * other machines. */
		if (asked && (forced_is_set || target->is_remote || !ops->reaches_remote))
			last_tried = reasons[n];
		sdk_debug("import of %zu bytes: transport %s", (size_t)target->len, reasons[n]);
		rejected[n] = reasons[n];
		len += strlen(reasons[n]) + 1;
		n++;
	}
	mmap->rejections = calloc(1, len);
	for (size_t i = 0; mmap->rejections != NULL && i < n; i++) {
		strcat(mmap->rejections, reasons[i]);
		strcat(mmap->rejections, "\n");
	}
	if (mmap->region.ops == NULL && target->is_remote)
		return import_refuse_remote(target, last_tried);
	if (mmap->region.ops == NULL && last_tried == NULL)
		return error_set(DOCA_ERROR_INVALID_VALUE,
				 "mmap create from export: DOCOCORED_TRANSPORT=%.32s names no "
				 "transport of this library; unset it",
				 forced);
	if (mmap->region.ops == NULL)
		return error_set(DOCA_ERROR_NOT_SUPPORTED,
				 "mmap create from export: no transport reaches the memory: %s",
				 last_tried);
	sdk_debug("import of %zu bytes: transport %s chosen", (size_t)target->len,
		  mmap->region.ops->name);
	/* An operator should know why transports that come first were rejected. */
	if (forced_is_set || !import_is_as_expected(target, mmap->region.ops->name, n))
		import_report(mmap->import_id, mmap->import_daemon, mmap->region.ops->name,
			      rejected, n);
	return DOCA_SUCCESS;
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

/* Opens an import with the daemon's answer. `own` is as for import_watch_by(); if NULL, the session
 * is used. */
static doca_error_t import_open(struct doca_mmap *mmap, const struct doca_dev *dev,
				struct rpc_reply *answer, Dococore__ExportKind kind,
				struct session_page **own)
{
	const Dococore__ImportReply *reply = answer->packet->import_reply;
	CLEANUP_FD int page = fdset_steal(&answer->fds, 0);
	CLEANUP_FD int pidfd = fdset_steal(&answer->fds, 1);
	CLEANUP_FD int memfd = fdset_steal(&answer->fds, 2);
	struct xport_target target = {
		.base = reply->addr,
		.len = reply->len,
		.same_process = reply->same_process,
		.is_memfd = memfd >= 0,
		.memfd_offset = reply->memfd_offset,
		.memfd = memfd,
		.pidfd = pidfd,
		.pid = (pid_t)reply->exporter_pid,
		.uid = reply->exporter_uid,
		.info = dev->info,
		.is_remote = reply->distant,
		.same_kernel = reply->same_kernel,
		.is_expected = reply->knows_transport && !reply->distant,
		.has_key = mmap->has_remote_key,
		.agent_id = reply->agent_id,
		.relays = reply->relays,
		.is_named = import_names_transport(),
	};
	/* PCI permissions do not apply to an export over RDMA, nor RDMA permissions to one over
	 * PCI. */
	uint32_t permissions = reply->permissions &
			       ~(kind == DOCOCORE__EXPORT_KIND__PCI ? RDMA_ACCESS : PCI_ACCESS);
	doca_error_t result;

	mmap->can_pass_on = mmap->is_pci_import &&
			    reply->pass_on.len == sizeof(mmap->secrets->pass_on);
	if (mmap->can_pass_on)
		memcpy(mmap->secrets->pass_on, reply->pass_on.data, sizeof(mmap->secrets->pass_on));
	mmap->import_id = reply->import_id;
	memcpy(mmap->import_daemon, answer->daemon_id, sizeof(mmap->import_daemon));
	mmap->agent_id = reply->agent_id;
	if (reply->len == 0 || reply->len > SIZE_MAX || reply->addr + reply->len < reply->addr)
		return error_set(DOCA_ERROR_UNEXPECTED,
				 "mmap create from export: the exported range is malformed");
	if (kind == DOCOCORE__EXPORT_KIND__PCI) {
		mmap->writable = (reply->permissions & DOCA_ACCESS_FLAG_PCI_READ_WRITE) != 0;
		mmap->readable = (reply->permissions & PCI_ACCESS) != 0;
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
		result = import_choose(mmap, &target);
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
	mmap->region = (struct xport_region){
		.ops = &xport_verbs, .base = descriptor->addr, .len = descriptor->len, .pidfd = -1};
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
					 "text, and not one that an export gave",
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
		result = import_open(mmap, dev, answer, kind, own);
	if (result == DOCA_SUCCESS && mmap->region.ops->is_relayed) {
		memcpy(mmap->secrets->relay, descriptor->secret, sizeof(mmap->secrets->relay));
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
	copy = descriptor;
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
		session_page_unref_deferred(importing->own);
	secret_free(importing);
}

doca_error_t mmap_import_begin_locked(const void *desc, size_t desc_len, struct doca_dev *dev,
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
		copy = importing->descriptor;
		result = import_send_locked(dev, &copy, on_done, user, pending_out);
		explicit_bzero(&copy, sizeof(copy));
	}
	if (result != DOCA_SUCCESS) {
		importing_free(importing);
		return result;
	}
	importing->own = session_page_ref_locked();
	*importing_out = importing;
	return DOCA_SUCCESS;
}

doca_error_t mmap_import_end_locked(struct mmap_importing **importing, struct rpc_pending **pending,
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
