/*
 * Transport shm: the exported range lies in a memfd, which is mapped once; after that a copy is a
 * memcpy(). The kernel enforces bounds and rights: the memfd cannot shrink, and a read-only export
 * comes with a read-only descriptor. Threads: open and close are serialised by the memory map's
 * owner.
 */
#include "client/transport/shm.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "proto/transport_default.h"
#include "util/memfd.h"

static int shm_open_region(const struct transport_target *target,
			   struct transport_region *region_out, char reason[TRANSPORT_REASON_MAX])
{
	size_t page = memfd_page_size();
	uint64_t start;
	size_t lead;
	void *map;
	int r;

	if (!target->is_memfd) {
		snprintf(reason, TRANSPORT_REASON_MAX, "%s",
			 target->is_file ? "the range lies in a file that can be cut; use a memfd "
					   "with MFD_ALLOW_SEALING"
					 : TRANSPORT_NOT_SHM);
		return -ENOTSUP;
	}
	if (target->memfd_offset + target->len < target->memfd_offset) {
		snprintf(reason, TRANSPORT_REASON_MAX, "offset and length overflow");
		return -EPROTO;
	}
	r = memfd_verify(target->memfd, target->memfd_offset + target->len);
	if (r < 0) {
		snprintf(reason, TRANSPORT_REASON_MAX, "the memfd is %s",
			 r == -ERANGE    ? "shorter than the range"
			 : r == -EPERM   ? "not sealed against shrinking"
			 : r == -ENOTSUP ? "of huge pages, which its owner can take away"
					 : "no memfd");
		return r;
	}
	lead = (size_t)(target->memfd_offset & (page - 1));
	start = target->memfd_offset - lead;
	map = memfd_map(target->memfd, start, lead + target->len, target->writable);
	if (map == NULL) {
		r = -errno;
		snprintf(reason, TRANSPORT_REASON_MAX, "mapping the memfd: %s", strerror(-r));
		return r;
	}
	region_out->map = map;
	region_out->map_len = lead + target->len;
	region_out->direct = true;
	region_out->delta = (intptr_t)((uintptr_t)map + lead - target->base);
	return 0;
}

static void shm_close_region(struct transport_region *region)
{
	if (region->map != NULL)
		memfd_unmap(region->map, region->map_len);
	region->map = NULL;
}

const struct transport_ops transport_shm = {
	.name = "shm",
	.open = shm_open_region,
	.close = shm_close_region,
	.readv = transport_iov_unsupported,
	.writev = transport_iov_unsupported,
};
