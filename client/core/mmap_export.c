/*
 * Exports and imports of memory maps. An export is registered with the daemon, which gives it an
 * id, a secret and a word of the session's liveness page; the descriptor carries them. An import
 * asks the daemon, then takes the best transport that works and remembers why the others did not.
 * Threads: those of the mmap; the session's lock orders registration against a reconnect.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include <doca_mmap.h>

#include "client/core/error.h"
#include "client/core/mmap.h"
#include "proto/blob.h"
#include "util/fd.h"
#include "util/memfd.h"

#define RDMA_ACCESS \
	(DOCA_ACCESS_FLAG_RDMA_READ | DOCA_ACCESS_FLAG_RDMA_WRITE | DOCA_ACCESS_FLAG_RDMA_ATOMIC)
#define PCI_ACCESS (DOCA_ACCESS_FLAG_PCI_READ_ONLY | DOCA_ACCESS_FLAG_PCI_READ_WRITE)

/* Where importers look: one for each daemon that the export was registered with. */
struct export_mark {
	struct export_mark *next;
	struct session_page *page;
	uint32_t slot;
	uint32_t generation;
};

struct mmap_export {
	struct session_item item;
	struct list node; /* mmap->exports */
	struct doca_mmap *mmap;
	struct doca_dev *dev;
	Dococore__ExportKind kind;
	uint64_t export_id;
	uint8_t secret[16];
	struct export_mark *marks;
	pid_t pid; /* that registered it */
	uint8_t blob[BLOB_LEN];
};

static void export_mark_free(struct export_mark **mark)
{
	free(*mark);
}

static bool export_gives_write(const struct mmap_export *export)
{
	uint32_t p = export->mmap->permissions;

	return export->kind == DOCOCORE__EXPORT_KIND__PCI
		       ? (p & DOCA_ACCESS_FLAG_PCI_READ_WRITE) != 0
		       : (p & (DOCA_ACCESS_FLAG_RDMA_WRITE | DOCA_ACCESS_FLAG_RDMA_ATOMIC)) != 0;
}

static doca_error_t export_register(struct mmap_export *export, bool restore)
{
	const struct doca_mmap *mmap = export->mmap;
	Dococore__ExportCreate create = DOCOCORE__EXPORT_CREATE__INIT;
	struct session_request request = {.packet = DOCOCORE__PACKET__INIT};
	CLEANUP_ANSWER struct session_answer answer = SESSION_ANSWER_INIT;
	const Dococore__ExportReply *reply;
	CLEANUP_FD int fd = -1;
	CLEANUP(export_mark_free) struct export_mark *mark = calloc(1, sizeof(*mark));
	doca_error_t result;

	/* Before the daemon has done anything: from there on nothing may fail for lack of memory.
	 */
	if (mark == NULL)
		return error_set(DOCA_ERROR_NO_MEMORY, "mmap export: out of memory");
	create.device = export->dev->handle;
	create.kind = export->kind;
	create.addr = (uintptr_t)mmap->addr;
	create.len = mmap->len;
	create.permissions = mmap->permissions;
	if (mmap->memfd >= 0) {
		create.memory = DOCOCORE__MEMORY_KIND__MEMFD;
		create.memfd_offset = mmap->memfd_offset;
		fd = fd_reopen(mmap->memfd, export_gives_write(export) ? O_RDWR : O_RDONLY);
		if (fd < 0)
			return error_set(
				error_from_errno(fd),
				"mmap export: the memory's descriptor cannot be opened again "
				"(error %d)",
				-fd);
		request.fds = &fd;
		request.n_fds = 1;
	}
	if (restore) {
		create.restore_export_id = export->export_id;
		create.restore_secret.data = export->secret;
		create.restore_secret.len = sizeof(export->secret);
		request.quiet_refusal = DOCA_ERROR_ALREADY_EXIST;
	}
	request.packet.body_case = DOCOCORE__PACKET__BODY_EXPORT_CREATE;
	request.packet.export_create = &create;
	result = session_call_locked(&request, DOCOCORE__PACKET__BODY_EXPORT_REPLY, &answer);
	if (result != DOCA_SUCCESS)
		return result;
	reply = answer.packet->export_reply;
	mark->page = session_page_ref_locked();
	if (reply->secret.len != sizeof(export->secret) || reply->generation == 0 ||
	    mark->page == NULL || reply->slot >= mark->page->n_words) {
		if (mark->page != NULL)
			session_page_unref_locked(mark->page);
		return error_set(DOCA_ERROR_UNEXPECTED,
				 "mmap export: the daemon's answer is malformed");
	}
	mark->slot = reply->slot;
	mark->generation = reply->generation;
	mark->next = export->marks;
	export->marks = mark;
	mark = NULL;
	memcpy(export->secret, reply->secret.data, sizeof(export->secret));
	export->export_id = reply->export_id;
	return DOCA_SUCCESS;
}

/* Importers stop here, before the daemon has answered, or if it never does. The lock is held. */
static void export_clear_marks(struct mmap_export *export)
{
	while (export->marks != NULL) {
		struct export_mark *mark = export->marks;
		_Atomic uint32_t *word = &mark->page->words[mark->slot];
		uint32_t generation = mark->generation;

		/* The daemon may have given the slot to another export since. */
		atomic_compare_exchange_strong(word, &generation, 0);
		session_page_unref_locked(mark->page);
		export->marks = mark->next;
		free(mark);
	}
}

/*
 * A daemon that we lost but that lives on may not have noticed yet that our earlier session is
 * over; until then the id is taken. It takes it a moment.
 */
#define RESTORE_TRIES    50
#define RESTORE_PAUSE_NS (10 * 1000 * 1000)

static void export_restore(struct session_item *item)
{
	struct mmap_export *export = container_of(item, struct mmap_export, item);
	const struct timespec pause = {.tv_nsec = RESTORE_PAUSE_NS};
	doca_error_t result = export_register(export, true);

	for (int i = 0; i < RESTORE_TRIES && result == DOCA_ERROR_ALREADY_EXIST; i++) {
		nanosleep(&pause, NULL);
		result = export_register(export, true);
	}
	if (result != DOCA_SUCCESS)
		sdk_warning("an export of %zu bytes could not be restored: its descriptor is dead",
			    export->mmap->len);
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
	if (mmap->from_export)
		return error_set(DOCA_ERROR_NOT_PERMITTED,
				 "mmap export %s: the mmap was created from an export itself",
				 what);
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
		return error_set(DOCA_ERROR_NOT_FOUND,
				 "mmap export %s: %s was not added to the mmap", what,
				 dev->info->name);
	if (kind == DOCOCORE__EXPORT_KIND__PCI ? !dev->info->caps.export_pci
					       : !dev->info->caps.export_rdma)
		return error_set(DOCA_ERROR_NOT_SUPPORTED,
				 "mmap export %s: %s does not support it; ask the capability first",
				 what, dev->info->name);
	return DOCA_SUCCESS;
}

/*
 * Only now, not at start: the descriptor is ours from here on, whatever becomes of the memory, and
 * most mmaps are never exported.
 */
static void mmap_find_memfd(struct doca_mmap *mmap)
{
	if (mmap->memfd < 0)
		mmap->memfd_found = mem_find(mmap->addr, mmap->len, &mmap->memfd,
					     &mmap->memfd_offset) == 0;
}

static doca_error_t mmap_export(struct doca_mmap *mmap, const struct doca_dev *dev,
				const void **desc_out, size_t *len_out, Dococore__ExportKind kind)
{
	struct mmap_export *export;
	struct blob blob = {0};
	char side[8];
	doca_error_t result = export_check(mmap, dev, desc_out, len_out, kind);

	if (result != DOCA_SUCCESS)
		return result;
	/* Asked again, the same export is the answer: the descriptor belongs to the mmap. */
	list_for_each(export, &mmap->exports, node)
	{
		if (export->dev == dev && export->kind == kind) {
			*desc_out = export->blob;
			*len_out = BLOB_LEN;
			return DOCA_SUCCESS;
		}
	}
	export = calloc(1, sizeof(*export));
	if (export == NULL)
		return error_set(DOCA_ERROR_NO_MEMORY, "mmap export: out of memory");
	export->mmap = mmap;
	export->dev = (struct doca_dev *)dev;
	export->kind = kind;
	export->pid = getpid();
	export->item.restore = export_restore;
	list_init(&export->item.node);
	mmap_find_memfd(mmap);
	session_lock();
	result = session_ensure_locked();
	if (result == DOCA_SUCCESS)
		result = export_register(export, false);
	if (result == DOCA_SUCCESS)
		session_item_add_locked(&export->item);
	session_unlock();
	if (result == DOCA_SUCCESS)
		result = session_get_side(side, blob.daemon_id);
	if (result != DOCA_SUCCESS) {
		session_lock();
		session_item_remove_locked(&export->item);
		export_clear_marks(export);
		session_unlock();
		free(export);
		return result;
	}
	blob.kind = (uint8_t)kind;
	blob.side = strcmp(side, "dpu") == 0;
	blob.permissions = mmap->permissions;
	blob.export_id = export->export_id;
	blob.addr = (uintptr_t)mmap->addr;
	blob.len = mmap->len;
	memcpy(blob.secret, export->secret, sizeof(blob.secret));
	blob_encode(&blob, export->blob);
	list_append(&mmap->exports, &export->node);
	mmap->exported = true;
	*desc_out = export->blob;
	*len_out = BLOB_LEN;
	return DOCA_SUCCESS;
}

doca_error_t doca_mmap_export_pci(struct doca_mmap *mmap, const struct doca_dev *dev,
				  const void **export_desc, size_t *export_desc_len)
{
	return mmap_export(mmap, dev, export_desc, export_desc_len, DOCOCORE__EXPORT_KIND__PCI);
}

doca_error_t doca_mmap_export_rdma(struct doca_mmap *mmap, const struct doca_dev *dev,
				   const void **export_desc, size_t *export_desc_len)
{
	return mmap_export(mmap, dev, export_desc, export_desc_len, DOCOCORE__EXPORT_KIND__RDMA);
}

static void export_revoke(struct mmap_export *export)
{
	Dococore__ExportDestroy destroy = DOCOCORE__EXPORT_DESTROY__INIT;
	struct session_request request = {.packet = DOCOCORE__PACKET__INIT};

	session_lock();
	export_clear_marks(export);
	session_item_remove_locked(&export->item);
	session_unlock();
	destroy.export_id = export->export_id;
	request.packet.body_case = DOCOCORE__PACKET__BODY_EXPORT_DESTROY;
	request.packet.export_destroy = &destroy;
	session_tell(&request);
}

void mmap_revoke_exports(struct doca_mmap *mmap)
{
	struct mmap_export *export, *tmp;

	list_for_each_safe(export, tmp, &mmap->exports, node)
	{
		/* A forked child that cleans up has copies; the exports are its parent's. */
		if (export->pid == getpid())
			export_revoke(export);
		list_remove(&export->node);
		explicit_bzero(export, sizeof(*export));
		free(export);
	}
	mmap->exported = false;
	if (mmap->memfd_found)
		fd_close(&mmap->memfd);
	mmap->memfd_found = false;
}

/* --- imports --- */

static void import_destroy_at_daemon(uint64_t import_id)
{
	Dococore__ImportDestroy destroy = DOCOCORE__IMPORT_DESTROY__INIT;
	struct session_request request = {.packet = DOCOCORE__PACKET__INIT};

	destroy.import_id = import_id;
	request.packet.body_case = DOCOCORE__PACKET__BODY_IMPORT_DESTROY;
	request.packet.import_destroy = &destroy;
	session_tell(&request);
}

void mmap_import_close(struct doca_mmap *mmap)
{
	mmap_set_stopped(mmap);
	if (mmap->region.ops != NULL)
		mmap->region.ops->close(&mmap->region);
	if (mmap->liveness_map != NULL)
		munmap(mmap->liveness_map, mmap->liveness_len);
	mmap->liveness_map = NULL;
	if (mmap->import_id != 0)
		import_destroy_at_daemon(mmap->import_id);
	mmap->import_id = 0;
}

static void import_report(const struct doca_mmap *mmap, char **rejected, size_t n_rejected)
{
	Dococore__ImportTransport report = DOCOCORE__IMPORT_TRANSPORT__INIT;
	struct session_request request = {.packet = DOCOCORE__PACKET__INIT};

	report.import_id = mmap->import_id;
	report.transport = (char *)mmap->region.ops->name;
	report.rejected = rejected;
	report.n_rejected = n_rejected;
	request.packet.body_case = DOCOCORE__PACKET__BODY_IMPORT_TRANSPORT;
	request.packet.import_transport = &report;
	session_notify(&request);
}

#define TRANSPORTS_MAX 8

/* Takes the first transport that opens; DOCOCORED_TRANSPORT names the only one that may. */
static doca_error_t import_choose(struct doca_mmap *mmap, const struct xport_target *target)
{
	const char *forced = getenv("DOCOCORED_TRANSPORT");
	const char *last_tried = NULL;
	char reasons[TRANSPORTS_MAX][XPORT_REASON_MAX];
	char *rejected[TRANSPORTS_MAX];
	size_t n = 0, len = 1;
	bool asked;

	for (size_t i = 0; xport_table[i] != NULL && n < TRANSPORTS_MAX; i++) {
		const struct xport_ops *ops = xport_table[i];
		char reason[XPORT_REASON_MAX] = "";

		asked = forced == NULL || forced[0] == '\0' || strcmp(forced, ops->name) == 0;
		if (!asked) {
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
		if (asked)
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
	import_report(mmap, rejected, n);
	return DOCA_SUCCESS;
}

static doca_error_t import_map_liveness(struct doca_mmap *mmap, const Dococore__ImportReply *reply,
					int page)
{
	int r = memfd_verify(page, reply->liveness_len);

	if (r < 0 || reply->generation == 0 ||
	    reply->slot >= reply->liveness_len / sizeof(uint32_t))
		return error_set(
			DOCA_ERROR_UNEXPECTED,
			"mmap create from export: the exporter's liveness page is unsound");
	mmap->liveness_map = memfd_map(page, 0, reply->liveness_len, false);
	if (mmap->liveness_map == NULL)
		return error_set(DOCA_ERROR_NO_MEMORY,
				 "mmap create from export: mapping the liveness page: %m");
	mmap->liveness_len = reply->liveness_len;
	mmap->alive = (const _Atomic uint32_t *)mmap->liveness_map + reply->slot;
	mmap->generation = reply->generation;
	return DOCA_SUCCESS;
}

static doca_error_t import_open(struct doca_mmap *mmap, struct session_answer *answer,
				Dococore__ExportKind kind)
{
	const Dococore__ImportReply *reply = answer->packet->import_reply;
	CLEANUP_FD int page = fdset_take(&answer->fds, 0);
	CLEANUP_FD int pidfd = fdset_take(&answer->fds, 1);
	CLEANUP_FD int memfd = fdset_take(&answer->fds, 2);
	struct xport_target target = {
		.base = reply->addr,
		.len = reply->len,
		.same_process = reply->same_process,
		.is_memfd = reply->memory == DOCOCORE__MEMORY_KIND__MEMFD,
		.memfd_offset = reply->memfd_offset,
		.memfd = memfd,
		.pidfd = pidfd,
		.pid = (pid_t)reply->exporter_pid,
		.uid = reply->exporter_uid,
	};
	doca_error_t result;

	mmap->import_id = reply->import_id;
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
	target.writable = mmap->writable;
	result = import_map_liveness(mmap, reply, page);
	if (result == DOCA_SUCCESS)
		result = import_choose(mmap, &target);
	if (result != DOCA_SUCCESS)
		return result;
	mmap->permissions = reply->permissions;
	mmap->addr = (void *)(uintptr_t)reply->addr;
	mmap->len = reply->len;
	mmap->range_set = true;
	mmap->base = (uintptr_t)reply->addr;
	mmap->span = reply->len;
	mmap->limit = mmap->base + mmap->span;
	mmap->direct = mmap->region.direct;
	mmap->delta = mmap->region.delta;
	mmap_set_fast(mmap);
	return DOCA_SUCCESS;
}

doca_error_t doca_mmap_create_from_export(const union doca_data *user_data, const void *export_desc,
					  size_t export_desc_len, struct doca_dev *dev,
					  struct doca_mmap **mmap_out)
{
	Dococore__ImportCreate create = DOCOCORE__IMPORT_CREATE__INIT;
	struct session_request request = {.packet = DOCOCORE__PACKET__INIT};
	CLEANUP_ANSWER struct session_answer answer = SESSION_ANSWER_INIT;
	struct doca_mmap *mmap;
	struct blob blob;
	enum blob_error damage;
	doca_error_t result;

	if (export_desc == NULL || dev == NULL || mmap_out == NULL)
		return error_set(DOCA_ERROR_INVALID_VALUE, "mmap create from export: %s is NULL",
				 export_desc == NULL ? "the descriptor"
				 : dev == NULL       ? "dev"
						     : "the result");
	damage = blob_decode(export_desc, export_desc_len, &blob);
	if (damage != BLOB_OK)
		return error_set(
			DOCA_ERROR_INVALID_VALUE,
			"mmap create from export: the descriptor of %zu bytes is not usable: %s",
			export_desc_len, blob_error_text(damage));
	if (blob.kind == DOCOCORE__EXPORT_KIND__PCI && !dev->info->caps.import_pci)
		return error_set(
			DOCA_ERROR_NOT_SUPPORTED,
			"mmap create from export: %s cannot import pci exports; they are imported "
			"on the DPU side",
			dev->info->name);
	result = doca_mmap_create(&mmap);
	if (result != DOCA_SUCCESS)
		return result;
	mmap->from_export = true;
	if (user_data != NULL)
		mmap->user_data = *user_data;
	create.kind = (Dococore__ExportKind)blob.kind;
	create.export_id = blob.export_id;
	create.secret.data = blob.secret;
	create.secret.len = sizeof(blob.secret);
	create.exporter_side = (char *)(blob.side ? "dpu" : "host");
	request.packet.body_case = DOCOCORE__PACKET__BODY_IMPORT_CREATE;
	request.packet.import_create = &create;
	session_lock();
	result = session_ensure_locked();
	create.device = dev->handle;
	if (result == DOCA_SUCCESS)
		result = session_call_locked(&request, DOCOCORE__PACKET__BODY_IMPORT_REPLY,
					     &answer);
	session_unlock();
	explicit_bzero(&blob, sizeof(blob));
	if (result == DOCA_SUCCESS)
		result = import_open(mmap, &answer, create.kind);
	if (result == DOCA_SUCCESS) {
		mmap->devs = malloc(sizeof(*mmap->devs));
		if (mmap->devs == NULL)
			result = error_set(DOCA_ERROR_NO_MEMORY,
					   "mmap create from export: out of memory");
	}
	if (result != DOCA_SUCCESS) {
		doca_mmap_destroy(mmap);
		return result;
	}
	mmap->devs[0] = dev;
	mmap->n_devs = 1;
	mmap->dev = dev;
	dev_hold(dev);
	*mmap_out = mmap;
	return DOCA_SUCCESS;
}
