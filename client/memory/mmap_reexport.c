/*
 * Imports that are exported again: memory that this process imported over PCI, offered to RDMA
 * peers. The descriptor names the first export. The exporter's daemon accepts a second secret for
 * it, which it gives to importers over PCI only. Peers therefore import the memory of the first
 * exporter and access it like any other importer. Their rights follow from those of the first
 * export, and they lose access when it ends. The daemons do not take part. Where an RDMA device
 * accesses the memory, it uses a key of this process, whose mapping is registered under the
 * exporter's addresses. Threads: those of the memory map.
 */
#include <unistd.h>

#include "client/base/error.h"
#include "client/memory/mem_key.h"
#include "client/memory/mmap_export_internal.h"
#include "util/secret.h"

/* Only memory that was imported over PCI may be exported again, and only to RDMA peers. */
doca_error_t reexport_check(const struct doca_mmap *mmap, const struct doca_dev *dev,
			    Dococore__ExportKind kind, const char *what)
{
	if (kind != DOCOCORE__EXPORT_KIND__RDMA || !mmap->is_pci_import)
		return error_set(DOCA_ERROR_NOT_PERMITTED,
				 "mmap export %s: the mmap was created from an export itself; only "
				 "what was imported over PCI is exported again, and for RDMA only",
				 what);
	if (mmap->legacy != NULL)
		return mmap_check_api(mmap, MMAP_RANGED, "export");
	if (!mmap_is_usable(mmap) || !mmap_is_alive(mmap))
		return error_set(
			DOCA_ERROR_NOT_PERMITTED, "mmap export %s: the imported mmap %s", what,
			mmap_is_usable(mmap) ? "has no export any more: its exporter stopped it or "
					       "ended"
					     : "is stopped; import it again");
	if (!mmap_has_dev(mmap, dev))
		return error_set(
			mmap->api == API_TASK ? DOCA_ERROR_NOT_FOUND : DOCA_ERROR_INVALID_VALUE,
			"mmap export %s: the mmap was not imported with %s", what, dev->info->name);
	if (!dev->info->caps.export_rdma)
		return error_set(DOCA_ERROR_NOT_SUPPORTED,
				 "mmap export %s: %s does not support it; key export_rdma of the "
				 "device in the topology allows it",
				 what, dev->info->name);
	if (!mmap->can_pass_on)
		return error_set(
			DOCA_ERROR_NOT_SUPPORTED,
			"mmap export %s: the daemon of the exporter's side is of a version "
			"that does not pass imported memory on; update dococored there",
			what);
	return DOCA_SUCCESS;
}

/* Returns READ, and WRITE if the exporter permits it. */
static uint32_t reexport_rights(const struct doca_mmap *mmap)
{
	return DOCA_ACCESS_FLAG_RDMA_READ | (mmap->writable ? DOCA_ACCESS_FLAG_RDMA_WRITE : 0);
}

/* Makes a key of this device for peers. Their RDMA devices address the memory by the exporter's
 * addresses. */
static doca_error_t reexport_make_key(const struct doca_mmap *mmap, struct export *export)
{
	doca_error_t result = DOCA_ERROR_NOT_SUPPORTED;
	void *addr = (void *)(mmap->base + (size_t)mmap->delta);

	if (!mem_keys_serve(export->dev->info))
		return DOCA_SUCCESS;
	if (!mmap->direct)
		return error_set(
			DOCA_ERROR_NOT_SUPPORTED,
			"mmap export rdma: the imported memory is not mapped here, so %s cannot "
			"give RDMA peers access to it; let its exporter allocate it with "
			"dococ_mem_alloc, or as a memfd with doca_mmap_set_dmabuf_memrange",
			export->dev->info->name);
	for (size_t i = 0; mem_key_table[i] != NULL && result == DOCA_ERROR_NOT_SUPPORTED; i++)
		result = mem_key_table[i]->make(export->dev, addr, mmap->base, mmap->len,
						export->permissions, &export->mem_key);
	export->has_key = result == DOCA_SUCCESS;
	export->key = export->has_key ? export->mem_key->remote : 0;
	return result == DOCA_ERROR_NOT_SUPPORTED ? DOCA_SUCCESS : result;
}

static void reexport_revoke_key(struct export *export)
{
	if (export->mem_key != NULL)
		export->mem_key->free(export->mem_key);
	export->mem_key = NULL;
}

/* The daemon invalidates the liveness word when the export has ended. From here on the device
 * refuses the peers. */
static bool reexport_check_locked(struct revocation_watch *watch)
{
	struct mmap_export *export = container_of(watch, struct mmap_export, watch);

	if (mmap_is_alive(export->mmap))
		return false;
	sdk_info("mmap export rdma: the export of %llu imported bytes has ended, and the key of "
		 "their RDMA peers is invalid now",
		 (unsigned long long)export->base.len);
	reexport_revoke_key(&export->base);
	return true;
}

static void reexport_encode(const struct doca_mmap *mmap, struct export *export)
{
	struct export_descriptor descriptor = {
		.kind = (uint8_t) export->kind,
		.side = mmap->exporter_is_dpu,
		.permissions = export->permissions,
		.export_id = mmap->export_id,
		.addr = export->addr,
		.len = export->len,
		.has_key = export->has_key,
		.key = export->key,
	};

	memcpy(descriptor.daemon_id, mmap->exporter_daemon, sizeof(descriptor.daemon_id));
	secret_copy(descriptor.secret, mmap->secrets->pass_on, sizeof(descriptor.secret));
	export_descriptor_encode(&descriptor, export->secrets->descriptor);
	explicit_bzero(&descriptor, sizeof(descriptor));
}

doca_error_t reexport_open(struct mmap_export *export)
{
	const struct doca_mmap *mmap = export->mmap;
	doca_error_t result;
	int r = 0;

	export->base.permissions = reexport_rights(mmap);
	export->base.addr = mmap->base;
	export->base.pid = getpid();
	list_init(&export->base.item.node);
	result = export_make_secrets(&export->base);
	if (result == DOCA_SUCCESS)
		result = reexport_make_key(mmap, &export->base);
	if (result != DOCA_SUCCESS) {
		export_wipe(&export->base);
		return result;
	}
	reexport_encode(mmap, &export->base);
	export->watch.check_locked = reexport_check_locked;
	if (export->base.has_key)
		r = revocation_watch_start(&export->watch);
	if (r == 0)
		return DOCA_SUCCESS;
	reexport_revoke_key(&export->base);
	export_wipe(&export->base);
	return error_set(error_from_errno(r),
			 "mmap export rdma: the thread that watches for the export's end cannot be "
			 "started (error %d)",
			 -r);
}
