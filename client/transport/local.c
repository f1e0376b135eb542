/* Transport local: exporter and importer are the same process, so an exported address is a valid
 * local pointer. Threads: any; there is no state. */
#include "client/transport/local.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "proto/transport_default.h"

static int local_open(const struct xport_target *target, struct xport_region *region_out,
		      char reason[XPORT_REASON_MAX])
{
	if (!target->same_process || target->pid != getpid()) {
		snprintf(reason, XPORT_REASON_MAX, TRANSPORT_NOT_LOCAL, (int)target->pid);
		return -EXDEV;
	}
	region_out->direct = true;
	region_out->delta = 0;
	return 0;
}

const struct xport_ops xport_local = {
	.name = "local",
	.open = local_open,
	.close = xport_close_nothing,
	.readv = xport_iov_unsupported,
	.writev = xport_iov_unsupported,
};
