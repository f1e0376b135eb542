/* The answers of a transport that leaves an operation out, see client/core/transport.h. */
#include "client/core/transport.h"

#include <errno.h>
#include <stdio.h>

int xport_open_unsupported(const struct xport_target *target, struct xport_region *region_out,
			   char reason[XPORT_REASON_MAX])
{
	(void)target;
	(void)region_out;
	snprintf(reason, XPORT_REASON_MAX, "not built in");
	return -EOPNOTSUPP;
}

void xport_close_nothing(struct xport_region *region)
{
	(void)region;
}

ssize_t xport_iov_unsupported(struct xport_region *region, const struct iovec *local,
			      size_t n_local, const struct iovec *remote, size_t n_remote)
{
	(void)region;
	(void)local;
	(void)n_local;
	(void)remote;
	(void)n_remote;
	return -EOPNOTSUPP;
}

const struct xport_ops xport_by_key = {
	.name = "verbs",
	.open = xport_open_unsupported,
	.close = xport_close_nothing,
	.readv = xport_iov_unsupported,
	.writev = xport_iov_unsupported,
};
