/* The daemon's exports and imports. */
#ifndef DAEMON_MEMORY_MEMORY_H
#define DAEMON_MEMORY_MEMORY_H

#include <stdint.h>

#include "daemon/base/idmap.h"
#include "daemon/memory/export_id.h"
#include "util/list.h"

struct memory {
	struct list exports; /* struct export, link */
	struct list imports; /* struct import, link */
	struct idmap export_map, import_map;
	unsigned n_exports, n_imports;
	uint64_t last_export_order;
	struct export_revoked revoked;
};

#endif
