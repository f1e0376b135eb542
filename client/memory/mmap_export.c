/* Exports of memory maps; see client/memory/export.h for what all exports share. Threads: those of
 * the memory map. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <doca_mmap.h>

#include "client/base/env.h"
#include "client/base/error.h"
#include "client/control/rpc.h"
#include "client/control/session.h"
#include "client/memory/adopt.h"
#include "client/memory/export.h"
#include "client/memory/mmap.h"
#include "client/memory/mmap_export_internal.h"
#include "util/fd.h"
#include "util/memfd.h"

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
	uint32_t need = kind == DOCOCORE__EXPORT_KIND__PCI ? MMAP_ACCESS_PCI : MMAP_ACCESS_RDMA;

	if (mmap == NULL || dev == NULL || desc == NULL || len == NULL)
		return error_set(DOCA_ERROR_INVALID_VALUE, "mmap export %s: %s is NULL", what,
				 mmap == NULL  ? "mmap"
				 : dev == NULL ? "dev"
					       : "a result");
	if (mmap->legacy != NULL && !mmap->from_export)
		return mmap_check_api(mmap, MMAP_RANGED, "export");
	if (mmap->from_export)
		return reexport_check(mmap, dev, kind, what);
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

/* Makes the memfd of an adoption the one that importers map. The memory map owns the adoption from
 * here on. */
static void mmap_use_adoption(struct doca_mmap *mmap, struct adoption *adoption,
			      char reason[ADOPT_REASON_MAX])
{
	mmap->memfd = fd_dup(adoption->fd);
	if (mmap->memfd < 0) {
		snprintf(reason, ADOPT_REASON_MAX, "the memfd cannot be duplicated: %s",
			 strerror(-mmap->memfd));
		mmap->memfd = -1;
		(void)adoption_end(adoption);
		return;
	}
	mmap->adoption = adoption;
	mmap->memfd_offset = (uintptr_t)mmap->addr - (uintptr_t)adoption->addr;
	/* The first and the last page may contain other memory of the program. */
	mmap->memfd_same_user = true;
	mmap->memfd_found = true;
}

/* Returns whether the program's own memory may be given to importers by a memfd, although the
 * program named only an address. A memfd that was found is sealed for good, so a program must ask
 * for this. */
static bool mmap_may_share(void)
{
	const char *mode = env_get(ENV_ADOPT);

	return mode != NULL && strcmp(mode, "always") == 0;
}

/*
 * Adopts the range, rounded to whole pages. Importers of the same user may map those pages, because
 * they can access all memory of the process anyway.
 */
static void mmap_adopt(struct doca_mmap *mmap, bool grants_write, char reason[ADOPT_REASON_MAX])
{
	struct adoption *adoption;

	for (uint32_t i = 0; i < mmap->n_devs; i++) {
		if (mem_keys_serve(mmap->devs[i]->info)) {
			snprintf(reason, ADOPT_REASON_MAX,
				 "the range is private memory, and may be pinned by the RDMA "
				 "device of %.40s",
				 mmap->devs[i]->info->name);
			return;
		}
	}
	if (adoption_new(mmap->addr, mmap->len, &adoption, reason) < 0)
		return;
	/* Importers that may only read must not be able to write. */
	(void)memfd_settle(adoption->fd, grants_write);
	mmap_use_adoption(mmap, adoption, reason);
}

/* Finds the memfd by which the program, or an adoption, maps the range; otherwise adopts it. */
static void mmap_share(struct doca_mmap *mmap, bool grants_write,
		       char reason[SHARED_MAPPING_REASON_MAX])
{
	struct shared_mapping mapping;
	int r = shared_mapping_find(mmap->addr, mmap->len, grants_write, &mapping, reason);

	/* Another thread may have adopted the range since adoption_find(). */
	if (r == 0 && adoption_has_file(mapping.fd)) {
		fd_close(&mapping.fd);
		r = -ENOENT;
	}
	if (r == -ENOENT)
		mmap_adopt(mmap, grants_write, reason);
	if (r < 0)
		return;
	mmap->memfd = mapping.fd;
	mmap->memfd_offset = mapping.offset;
	mmap->memfd_same_user = mapping.same_user;
	mmap->memfd_is_file = mapping.is_file;
	mmap->memfd_found = true;
}

/* Explains how importers access private memory. */
static void mmap_explain_copies(char reason[SHARED_MAPPING_REASON_MAX])
{
	static const char *const by_scope[] = {
		[YAMA_NONE] = "importers copy through the kernel",
		[YAMA_NAMED] = "importers copy through the kernel, if DOCOCORED_PTRACER permits it "
			       "(ptrace_scope 1)",
		[YAMA_CAPABLE] = "only importers with CAP_SYS_PTRACE can copy (ptrace_scope 2)",
		[YAMA_NOBODY] = "no importer can copy (ptrace_scope 3)",
	};

	snprintf(reason, SHARED_MAPPING_REASON_MAX,
		 "%s; DOCOCORED_ADOPT=always shares the memory instead", by_scope[yama_scope()]);
}

/*
 * Finds the memfd of the range. Called at the first export rather than at the start: the descriptor
 * keeps the memory alive from here on, and most memory maps are never exported. Without a memfd,
 * `reason` says why.
 */
static void mmap_find_memfd(struct doca_mmap *mmap, bool grants_write,
			    char reason[SHARED_MAPPING_REASON_MAX])
{
	struct adoption *adoption;
	int r;

	if (mmap->memfd >= 0)
		return;
	mmap->memfd_same_user = mmap->memfd_is_file = false;
	r = mem_find_memfd(mmap->addr, mmap->len, &mmap->memfd, &mmap->memfd_offset);
	mmap->memfd_found = r == 0;
	if (r < 0 && r != -ENOENT)
		snprintf(reason, SHARED_MAPPING_REASON_MAX, "the memfd cannot be duplicated: %s",
			 strerror(-r));
	if (r != -ENOENT)
		return;
	adoption = adoption_find(mmap->addr, mmap->len);
	if (adoption != NULL)
		mmap_use_adoption(mmap, adoption, reason);
	else if (mmap_may_share())
		mmap_share(mmap, grants_write, reason);
	else
		mmap_explain_copies(reason);
}

/* Returns the memfd that importers map, or -1 and the reason if they access the range as private
 * memory. */
static int export_choose_memfd(struct doca_mmap *mmap, bool grants_write,
			       char reason[SHARED_MAPPING_REASON_MAX])
{
	mmap_find_memfd(mmap, grants_write, reason);
	if (mmap->memfd >= 0 &&
	    (mmap->memfd_is_file ? grants_write : mem_admit(mmap->memfd, grants_write)))
		return mmap->memfd;
	if (mmap->memfd < 0) {
		sdk_debug("mmap export: importers do not map the %zu bytes (transport shm): %s",
			  mmap->len, reason);
		return -1;
	}
	snprintf(reason, SHARED_MAPPING_REASON_MAX, "%s",
		 grants_write ? "the memory is sealed against writing because it was exported "
				"read-only before; allocate other memory for importers that write"
			      : "the export is read-only, but importers could write to the memory; "
				"export it read-only first, or seal it with F_SEAL_FUTURE_WRITE");
	sdk_info("mmap export: importers do not map the %zu bytes (transport shm) but copy through "
		 "the kernel (pvm): %s",
		 mmap->len, reason);
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

/* Invalidates the key for every holder. The daemons no longer know the export. */
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
	sdk_info("mmap export: the export of %llu bytes was revoked, or its device was removed; "
		 "importers no longer access it",
		 (unsigned long long)export->base.len);
	export_revoke_key(export);
	tracer_export_revoke(&export->tracer);
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
	enum export_state state = export_get_state(&export->base, true);

	if (state == EXPORT_ALIVE)
		return export_key_is_good(export);
	/* The key stays valid if the export merely waits for a daemon. */
	if (state == EXPORT_DEAD)
		export_revoke_key(export);
	return false;
}

static doca_error_t export_watch(struct mmap_export *export)
{
	bool has_own_key = export->base.has_key && export->base.kind == DOCOCORE__EXPORT_KIND__RDMA;
	int r;

	/* For the other kinds of keys, the responder watches for revocations. */
	if (!has_own_key && !tracer_export_is_active(&export->tracer))
		return DOCA_SUCCESS;
	export->watch.check_locked = export_check_revoked_locked;
	r = revocation_watch_start(&export->watch);
	if (r == 0)
		return DOCA_SUCCESS;
	tracer_export_stop(&export->tracer);
	export_close(&export->base, NULL, NULL);
	return error_set(error_from_errno(r),
			 "mmap export: the thread that watches for revocations cannot be started "
			 "(error %d)",
			 -r);
}

/* Returns whether some importers of this user may see the export as private memory: those that do
 * not know files, or all, if the daemon would not keep the memfd to this user. */
static bool export_may_be_private(const struct export *export)
{
	bool knows_same_user;

	if (export->memfd < 0 || export->is_file)
		return true;
	rpc_lock();
	knows_same_user = session_knows_same_user_locked();
	rpc_unlock();
	return export->same_user && !knows_same_user;
}

/* Lets importers copy private memory through the kernel, as far as Yama leaves that to this
 * process. */
static void export_permit(struct mmap_export *export)
{
	const struct export_secrets *secrets = export->base.secrets;
	int r;

	if (yama_scope() != YAMA_NAMED || !export_may_be_private(&export->base))
		return;
	r = tracer_export_start(&export->tracer, tracer_policy_get(), export->base.export_id,
				secrets->secret,
				export->base.has_pass_on ? secrets->pass_on : NULL);
	if (r < 0)
		sdk_warning("mmap export: kernel.yama.ptrace_scope is 1, and importers cannot be "
			    "permitted to copy %zu bytes: %s; allocate the memory with "
			    "dococ_mem_alloc",
			    export->mmap->len, strerror(-r));
}

static doca_error_t export_open_own(struct doca_mmap *mmap, struct mmap_export *export)
{
	doca_error_t result = export_find_key(mmap, &export->base);

	if (result == DOCA_SUCCESS)
		result = export_open(&export->base);
	if (result != DOCA_SUCCESS)
		return result;
	export_permit(export);
	return export_watch(export);
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
		.memfd = mmap->from_export
				 ? -1
				 : export_choose_memfd(mmap, grants_write, export->memory_reason),
		.memfd_offset = mmap->memfd_offset,
		.same_user = mmap->memfd_same_user,
		.is_file = mmap->memfd_is_file,
		.memory_reason = export->memory_reason,
		.grants_write = grants_write,
		.rung = mmap->rung,
		.rung_arg = mmap->rung_arg,
		.revoked = mmap->revoked,
	};
	result = mmap->from_export ? reexport_open(export) : export_open_own(mmap, export);
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
	int r;

	list_for_each_safe(export, tmp, &mmap->exports, node)
	{
		revocation_watch_stop(&export->watch);
		tracer_export_stop(&export->tracer);
		export->base.ends_async = mmap->ends_async;
		export_close(&export->base, NULL, NULL);
		list_remove(&export->node);
		free(export);
	}
	mmap->exported = false;
	if (mmap->memfd_found)
		shared_file_close(&mmap->memfd);
	mmap->memfd_found = false;
	r = adoption_end(mmap->adoption);
	if (r < 0)
		sdk_warning(
			"mmap stop: importers keep %zu bytes of private memory shared (error %d): "
			"%s",
			mmap->len, -r,
			r == -EBUSY ? "a device may have pinned the pages; they are given back "
				      "at a later export or stop"
				    : "the kernel does not give them back; set "
				      "vm.unprivileged_userfaultfd to 1");
	mmap->adoption = NULL;
}
