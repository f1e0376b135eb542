/*
 * Transports: how copies access memory that this process imported. A transport is one ops table:
 * those of this machine are files in client/transport, the others begin in
 * client/memory/transport.c (verbs) and client/rma/relay. client/providers.c lists them in order of
 * preference. All other code uses this header only.
 *
 * There are three kinds of regions:
 * - A region that is `direct` is mapped in this process: an exporter's address plus `delta` is a
 *   local pointer, and engines copy by themselves.
 * - A region of a transport that `is_posted` is accessed by requests to an RDMA device, which are
 *   posted and polled (client/rma/requester.h).
 * - Any other region is accessed through readv and writev.
 *
 * Threads: open and close run under the caller's lock of the memory map; readv and writev run on
 * any thread.
 */
#ifndef CLIENT_MEMORY_TRANSPORT_H
#define CLIENT_MEMORY_TRANSPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/uio.h>

struct transport_ops;

struct transport_region {
	const struct transport_ops *ops;
	uint64_t base; /* the exporter's address */
	uint64_t len;
	bool direct;
	intptr_t delta;
	void *map; /* shm, file */
	size_t map_len;
	size_t map_lead; /* file: bytes of the mapping before the range */
	pid_t pid;       /* pvm */
	int pidfd;       /* pvm; -1 otherwise */
	bool is_self;    /* pvm, and this process is the exporter */
	/* pvm: the connection for which the exporter permits the copies (client/control/tracer.h);
	 * -1: none is needed. Defined while the region is open. */
	int permit;
	/* The transport that a verbs provider without a device copies with. */
	const struct transport_ops *via;
};

struct doca_devinfo;

/* The daemon's description of an export. Descriptors remain the caller's unless a transport takes
 * them. */
struct transport_target {
	uint64_t base;
	uint64_t len;
	bool writable;
	bool same_process;
	bool is_memfd;
	bool is_file; /* `memfd` is a file of tmpfs that can be cut, so it must not be mapped */
	uint64_t memfd_offset;
	int memfd; /* -1 if none */
	int pidfd; /* -1 on another machine */
	pid_t pid;
	uid_t uid;
	/* the importer's device; NULL if the import is no memory map */
	const struct doca_devinfo *info;
	/* the daemons are linked over TLS, so no descriptors were passed */
	bool is_remote;
	/* always true if not is_remote, and possibly true if it is */
	bool same_kernel;
	/* the daemons assume the default transport unless this process reports another */
	bool is_expected;
	bool has_key; /* the exporter's RDMA device has a key for it */
	/* the rendezvous endpoint that admits requests of RDMA devices; 0: there is none */
	uint64_t endpoint_id;
	uint64_t export_id;
	const uint8_t *secret; /* of the export, 16 bytes; NULL if the import is no memory map */
	bool relays;           /* the daemons relay requests to it */
	bool is_named;         /* the user named this transport explicitly */
};

#define TRANSPORT_REASON_MAX 200

struct transport_ops {
	const char *name;
	bool reaches_remote; /* reaches other machines */
	bool is_posted;      /* regions are accessed by posted requests, see above */
	bool is_for_files;   /* reaches only targets that are files, and is not tried for others */
	/* the daemons carry the requests instead of a device (client/rma/relay/provider.h) */
	bool is_relayed;
	/*
	 * Opens a region. Returns 0 and the region, with descriptors duplicated as needed. On
	 * failure returns a negative errno and one clause that states the cause and the remedy.
	 * Must try the access that it promises. Must not wait for a process of another user unless
	 * the user asked for this transport (is_named).
	 */
	int (*open)(const struct transport_target *target, struct transport_region *region_out,
		    char reason[TRANSPORT_REASON_MAX]);
	void (*close)(struct transport_region *region);
	/*
	 * Copies from remote to local memory, or the opposite. Both lists have the same total
	 * length. Returns the number of bytes copied, in list order and counted in whole remote
	 * elements. If nothing was copied, returns a negative errno: -ESRCH if the exporter is
	 * gone, -EFAULT if a range is no longer mapped, or -EPERM.
	 */
	ssize_t (*readv)(struct transport_region *region, const struct iovec *local, size_t n_local,
			 const struct iovec *remote, size_t n_remote);
	ssize_t (*writev)(struct transport_region *region, const struct iovec *local,
			  size_t n_local, const struct iovec *remote, size_t n_remote);
};

/* Defaults for operations that a transport does not have. Every entry of a table is set, so callers
 * never test for NULL. */
int transport_open_unsupported(const struct transport_target *target,
			       struct transport_region *region_out,
			       char reason[TRANSPORT_REASON_MAX]);
void transport_close_nothing(struct transport_region *region);
ssize_t transport_iov_unsupported(struct transport_region *region, const struct iovec *local,
				  size_t n_local, const struct iovec *remote, size_t n_remote);
/* The transport by requests to an RDMA device; the requester and the responder have the queue
 * pairs. */
extern const struct transport_ops transport_verbs;
/* All transports, terminated by NULL, best first. Defined in client/providers.c. */
extern const struct transport_ops *const transport_table[];

#endif
