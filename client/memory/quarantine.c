/* See client/memory/quarantine.h. */
#include "client/memory/quarantine.h"

#include <stdatomic.h>
#include <stdlib.h>

static _Atomic(void *) kept[N_QUARANTINED];
static atomic_uint next;

void quarantine_free(void *memory, size_t len)
{
	if (memory != NULL && len <= QUARANTINE_MAX)
		memory = atomic_exchange(&kept[atomic_fetch_add(&next, 1) % N_QUARANTINED], memory);
	free(memory);
}
