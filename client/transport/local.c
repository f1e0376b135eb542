/* Transport local: exporter and importer are the same process, so an exported address is a valid
 * local pointer. Threads: any; there is no state. */
#include "client/transport/local.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "proto/transport_default.h"

static int local_open(const struct transport_target *target, struct transport_region *region_out,
		      char reason[TRANSPORT_REASON_MAX])
{
	if (!target->same_process || target->pid != getpid()) {
		snprintf(reason, TRANSPORT_REASON_MAX, TRANSPORT_NOT_LOCAL, (int)target->pid);
		return -EXDEV;
	}
	region_out->direct = true;
	region_out->delta = 0;
	return 0;
}

const struct transport_ops transport_local = {
	.name = "local",
	.open = local_open,
	.close = transport_close_nothing,
	.readv = transport_iov_unsupported,
	.writev = transport_iov_unsupported,
};
