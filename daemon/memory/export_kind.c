/* The kinds of exports; see export.h. */
#include "daemon/memory/export.h"
#include "util/descriptor.h"

const char *export_kind_name(Dococore__ExportKind kind)
{
	return descriptor_kind_name((unsigned)kind <= UINT8_MAX ? (uint8_t)kind : UINT8_MAX);
}

bool export_kind_is_pci(Dococore__ExportKind kind)
{
	return kind == DOCOCORE__EXPORT_KIND__PCI || kind == DOCOCORE__EXPORT_KIND__SYNC_PCI;
}

bool export_kind_is_sync(Dococore__ExportKind kind)
{
	return kind == DOCOCORE__EXPORT_KIND__SYNC_PCI || kind == DOCOCORE__EXPORT_KIND__SYNC_NET;
}

bool export_kind_has_transport(Dococore__ExportKind kind)
{
	return kind == DOCOCORE__EXPORT_KIND__PCI || kind == DOCOCORE__EXPORT_KIND__RDMA;
}

unsigned export_kind_n_fds(Dococore__ExportKind kind)
{
	if (export_kind_is_sync(kind))
		return 3;
	return kind == DOCOCORE__EXPORT_KIND__RDMA_QP ? 2 : 1;
}
