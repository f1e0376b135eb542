/* A ring of the memory that was quarantined last; see client/memory/quarantine.h. */
#include "client/memory/quarantine.h"

#include <stdatomic.h>
#include <stdlib.h>

static _Atomic(void *) quarantined[N_QUARANTINED];
static atomic_uint next;

void quarantine_free(void *memory, size_t len)
{
	if (memory != NULL && len <= QUARANTINE_MAX)
		memory = atomic_exchange(&quarantined[atomic_fetch_add(&next, 1) % N_QUARANTINED],
					 memory);
	free(memory);
}
