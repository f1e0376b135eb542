/*
 * An export of a mmap, as client/memory/mmap_export.c and client/memory/mmap_pass_on.c share it.
 */
#ifndef CLIENT_MEMORY_MMAP_EXPORT_INTERNAL_H
#define CLIENT_MEMORY_MMAP_EXPORT_INTERNAL_H

#include "client/control/revocation_watch.h"
#include "client/memory/export.h"
#include "client/memory/mmap.h"

struct mmap_export {
	struct export base;
	struct list node; /* mmap->exports */
	struct doca_mmap *mmap;
	struct news_watch watch; /* if it has a key */
};

/* SUCCESS if the import may be passed on by this device, as an export of this kind (`what`). */
doca_error_t pass_on_check(const struct doca_mmap *mmap, const struct doca_dev *dev,
			   Dococore__ExportKind kind, const char *what);
/* Fills the rest of an export whose device and kind are set. The daemons do not know it; it is
 * closed as any other. On failure nothing is left. */
doca_error_t pass_on_open(struct mmap_export *export);

#endif
