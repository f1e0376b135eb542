/*
 * Makes the daemon of this build another binary: it has a later version, and each record for its
 * next instance has an additional field, as later versions will have. Linked before the daemon's
 * library; calls of ledger_put() are redirected here (ld's --wrap).
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/base/version.h"
#include "daemon/store/ledger.h"

/* Field 1000, the number 1. */
static const uint8_t later_field[] = {0xc0, 0x3e, 0x01};

int __real_ledger_put(struct ledger *ledger, uint32_t *cell, uint16_t type, uint64_t id,
		      const void *data, size_t len);
int __wrap_ledger_put(struct ledger *ledger, uint32_t *cell, uint16_t type, uint64_t id,
		      const void *data, size_t len);

const char *daemon_version(void)
{
	return PACKAGE_VERSION "-next";
}

int __wrap_ledger_put(struct ledger *ledger, uint32_t *cell, uint16_t type, uint64_t id,
		      const void *data, size_t len)
{
	uint8_t *longer = malloc(len + sizeof(later_field));
	int r = -ENOSPC;

	if (longer != NULL) {
		if (len > 0)
			memcpy(longer, data, len);
		memcpy(longer + len, later_field, sizeof(later_field));
		r = __real_ledger_put(ledger, cell, type, id, longer, len + sizeof(later_field));
	}
	free(longer);
	return r;
}
