/*
 * How copies reach memory that this process imported. A transport is one ops table in a folder of
 * its own under client/transport; client/transports.c lists them in order of preference. Core and
 * engines know this header only.
 *
 * A region that is `direct` is mapped here: an address of the exporter plus `delta` is a pointer of
 * ours, and engines copy by themselves. One of a transport that `is_posted` is reached by requests
 * to an RDMA device, which are posted and polled (client/rma/requester.h). Any other region is
 * reached through readv and writev.
 * Threads: open and close under the caller's lock of the mmap; readv and writev from any thread.
 */
#ifndef CLIENT_MEMORY_TRANSPORT_H
#define CLIENT_MEMORY_TRANSPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/uio.h>

struct xport_ops;

struct xport_region {
	const struct xport_ops *ops;
	uint64_t base; /* exporter's address */
	uint64_t len;
	bool direct;
	intptr_t delta;
	void *map; /* shm */
	size_t map_len;
	pid_t pid;    /* pvm */
	int pidfd;    /* pvm; -1 otherwise */
	bool is_self; /* pvm, and the exporter is this process */
	/* verbs, by a provider that is no device: what it copies with */
	const struct xport_ops *via;
};

struct doca_devinfo;

/* What the daemon told about an export; descriptors stay the caller's unless a transport takes
 * them. */
struct xport_target {
	uint64_t base;
	uint64_t len;
	bool writable;
	bool same_process;
	bool is_memfd;
	uint64_t memfd_offset;
	int memfd; /* -1 if none */
	int pidfd; /* -1 if distant */
	pid_t pid;
	uid_t uid;
	const struct doca_devinfo *info; /* the importer's device; NULL: not of a memory map */
	bool is_distant;                 /* the daemons are linked over TLS: no descriptors came */
	bool same_kernel;                /* though that need not be */
	bool is_expected;                /* the daemons know what is taken if nothing hinders */
	bool has_key;                    /* the exporter's RDMA device has one for it */
	uint64_t agent_id; /* lets requests of RDMA devices at it; 0: the exporter has none */
	bool relays;       /* and such that the daemons relay */
	bool is_named;     /* the user asked for this transport and no other */
};

#define XPORT_REASON_MAX 200

struct xport_ops {
	const char *name;
	bool is_far;     /* reaches other machines */
	bool is_posted;  /* see above */
	bool is_relayed; /* the requests go to the daemons instead (client/rma/relay/provider.h) */
	/*
	 * 0 and the region, with descriptors duplicated as needed; or a negative errno and one
	 * clause that says why not and what would help. Must try the access that it promises, and
	 * not wait for a process of another user unless that was asked for (is_named).
	 */
	int (*open)(const struct xport_target *target, struct xport_region *region_out,
		    char reason[XPORT_REASON_MAX]);
	void (*close)(struct xport_region *region);
	/*
	 * Copies remote -> local and local -> remote, both lists of the same total length. Returns
	 * the bytes copied, in list order and counted in whole remote elements, or a negative errno
	 * when nothing was: -ESRCH the exporter is gone, -EFAULT a range is not mapped any more,
	 * -EPERM.
	 */
	ssize_t (*readv)(struct xport_region *region, const struct iovec *local, size_t n_local,
			 const struct iovec *remote, size_t n_remote);
	ssize_t (*writev)(struct xport_region *region, const struct iovec *local, size_t n_local,
			  const struct iovec *remote, size_t n_remote);
};

/* For operations that a transport does not have: every entry of a table is set, nobody tests for
 * NULL. */
int xport_open_unsupported(const struct xport_target *target, struct xport_region *region_out,
			   char reason[XPORT_REASON_MAX]);
void xport_close_nothing(struct xport_region *region);
ssize_t xport_iov_unsupported(struct xport_region *region, const struct iovec *local,
			      size_t n_local, const struct iovec *remote, size_t n_remote);
/* By requests to an RDMA device; requester and responder have the queue pairs. */
extern const struct xport_ops xport_verbs;
/* NULL-terminated, best first. Defined in client/transports.c. */
extern const struct xport_ops *const xport_table[];

#endif
