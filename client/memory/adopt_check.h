/*
 * Decides which private memory may be adopted (client/memory/adopt.h). Keeps no state. Mappings can
 * change after the check; the steps of an adoption fail safely then.
 */
#ifndef CLIENT_MEMORY_ADOPT_CHECK_H
#define CLIENT_MEMORY_ADOPT_CHECK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Returns NULL if the pages that contain [addr, addr + len) may be adopted, or a clause that says
 * why not.
 */
const char *adopt_check(uintptr_t addr, size_t len);
/* Returns whether RDMA devices or io_uring have pinned memory of this process, whichever it is. */
bool adopt_has_pins(void);

#endif
