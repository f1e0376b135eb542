/* An export of a memory map, shared by client/memory/mmap_export.c and
 * client/memory/mmap_reexport.c. */
#ifndef CLIENT_MEMORY_MMAP_EXPORT_INTERNAL_H
#define CLIENT_MEMORY_MMAP_EXPORT_INTERNAL_H

#include "client/control/revocation_watch.h"
#include "client/control/tracer.h"
#include "client/memory/export.h"
#include "client/memory/mmap.h"
#include "client/memory/shared_mapping.h"

struct mmap_export {
	struct export base;
	struct list node; /* in mmap->exports */
	struct doca_mmap *mmap;
	/* Started only if the export has a key, or if importers may be permitted to copy. */
	struct revocation_watch watch;
	struct tracer_export tracer;
	char memory_reason[SHARED_MAPPING_REASON_MAX];
};

/* Returns SUCCESS if the import may be exported again with this device and kind. `what` begins the
 * error sentence. */
doca_error_t reexport_check(const struct doca_mmap *mmap, const struct doca_dev *dev,
			    Dococore__ExportKind kind, const char *what);
/* Completes an export whose device and kind are set, without registering it with a daemon. It is
 * closed like any other export. On failure nothing is left. */
doca_error_t reexport_open(struct mmap_export *export);

#endif
