/* Defaults for operations that a transport lacks, and the transport by RDMA devices, which all
 * their providers share; see client/memory/transport.h. */
#include "client/memory/transport.h"

#include <errno.h>
#include <stdio.h>

#include "client/device/dev.h"
#include "client/memory/mem_key.h"

int transport_open_unsupported(const struct transport_target *target,
			       struct transport_region *region_out,
			       char reason[TRANSPORT_REASON_MAX])
{
	(void)target;
	(void)region_out;
	snprintf(reason, TRANSPORT_REASON_MAX, "not built in");
	return -EOPNOTSUPP;
}

void transport_close_nothing(struct transport_region *region)
{
	(void)region;
}

ssize_t transport_iov_unsupported(struct transport_region *region, const struct iovec *local,
				  size_t n_local, const struct iovec *remote, size_t n_remote)
{
	(void)region;
	(void)local;
	(void)n_local;
	(void)remote;
	(void)n_remote;
	return -EOPNOTSUPP;
}

/* --- verbs --- */

bool mem_keys_serve(const struct doca_devinfo *info)
{
	/* The topology's key `rdma` sets it. */
	if (!info->caps.rdma)
		return false;
	for (size_t i = 0; mem_key_table[i] != NULL; i++) {
		if (mem_key_table[i]->serves(info))
			return true;
	}
	return false;
}

/* Opens the region by a provider that copies with the CPU, within one machine: it uses a transport
 * that reaches private memory. */
static int verbs_open_via(const struct transport_target *target,
			  struct transport_region *region_out, char reason[TRANSPORT_REASON_MAX])
{
	struct transport_target near = *target;

	/* The user named the RDMA transport, not the one that is tried here. */
	near.is_named = false;
	for (size_t i = 0; transport_table[i] != NULL; i++) {
		const struct transport_ops *ops = transport_table[i];
		struct transport_region region = *region_out;

		if (ops->is_posted || ops->reaches_remote || ops->open(&near, &region, reason) != 0)
			continue;
		if (region.direct) {
			ops->close(&region);
			continue;
		}
		region.via = ops;
		*region_out = region;
		return 0;
	}
	return -EOPNOTSUPP;
}

static int verbs_open(const struct transport_target *target, struct transport_region *region_out,
		      char reason[TRANSPORT_REASON_MAX])
{
	if (target->info == NULL) {
		snprintf(reason, TRANSPORT_REASON_MAX, "this transport reaches memory maps only");
		return -EOPNOTSUPP;
	}
	if (mem_keys_serve(target->info)) {
		if (!target->has_key) {
			snprintf(reason, TRANSPORT_REASON_MAX,
				 "the exporter's device is bound to no RDMA device (ibdev), or its "
				 "process was not asked to give one access to the memory");
			return -EOPNOTSUPP;
		}
		/* For requests of the RDMA library, the key is sufficient. */
		if (target->endpoint_id == 0 && !target->is_remote) {
			snprintf(reason, TRANSPORT_REASON_MAX,
				 "the exporter's process was not asked to serve RDMA devices; "
				 "run it with DOCOCORED_TRANSPORT=verbs");
			return -EOPNOTSUPP;
		}
		return 0;
	}
	if (target->is_remote) {
		snprintf(reason, TRANSPORT_REASON_MAX,
			 "this device is bound to no RDMA device that can be opened (ibdev in "
			 "the topology)");
		return -EOPNOTSUPP;
	}
	if (target->endpoint_id == 0) {
		snprintf(reason, TRANSPORT_REASON_MAX,
			 "the exporter's process was not asked to serve RDMA devices; run it "
			 "with DOCOCORED_TRANSPORT=verbs");
		return -EOPNOTSUPP;
	}
	return verbs_open_via(target, region_out, reason);
}

static void verbs_close(struct transport_region *region)
{
	if (region->via != NULL)
		region->via->close(region);
	region->via = NULL;
}

static ssize_t verbs_readv(struct transport_region *region, const struct iovec *local,
			   size_t n_local, const struct iovec *remote, size_t n_remote)
{
	return region->via == NULL ? -EOPNOTSUPP
				   : region->via->readv(region, local, n_local, remote, n_remote);
}

static ssize_t verbs_writev(struct transport_region *region, const struct iovec *local,
			    size_t n_local, const struct iovec *remote, size_t n_remote)
{
	return region->via == NULL ? -EOPNOTSUPP
				   : region->via->writev(region, local, n_local, remote, n_remote);
}

const struct transport_ops transport_verbs = {
	.name = "verbs",
	.reaches_remote = true,
	.is_posted = true,
	.open = verbs_open,
	.close = verbs_close,
	.readv = verbs_readv,
	.writev = verbs_writev,
};
