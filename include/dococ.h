/*
 * What this runtime offers beyond the SDK's interface: the sentence behind a result code, memory
 * that importers can map, and how the copies of a memory map travel. Names start with dococ_;
 * nothing here is part of the SDK.
 *
 * Threads: all calls may be made from any thread at the same time, except as each one says.
 *
 * Processes: after fork() the child must use no DOCA object that its parent made; it may close or
 * destroy none of them either. It makes its own, over a connection of its own to the daemon.
 * Starting or stopping a context of the parent's fails there with DOCA_ERROR_NOT_CONNECTED. Its
 * progress engines end what waits in their queues with the same code, and do nothing else; the
 * parent's go on.
 */
#ifndef DOCOC_H_
#define DOCOC_H_

#include <stddef.h>

#include <doca_compat.h>
#include <doca_error.h>

#ifdef __cplusplus
extern "C" {
#endif

struct doca_mmap;

/**
 * The sentence behind this thread's last failed call: which object, which rule was broken, what to
 * do.
 * States: any.
 * Threads: any thread.
 * @return the sentence, "" if no call failed; owned by the library, valid until the thread's next
 *   failing call
 * Source: this runtime's own.
 */
DOCA_STABLE const char *dococ_last_error(void);

/**
 * Takes zeroed memory that importers can map: a doca_mmap range inside it is reached without
 * copying through the kernel (transport shm).
 *
 * The first export of memory in one allocation decides which rights its importers have by shm. If
 * that export is read-only, the library seals the allocation with F_SEAL_FUTURE_WRITE: this process
 * goes on writing through the mapping that it has, but no process can map the memory for writing
 * any more. If that export permits writing, no seal can keep later importers from it. Importers of
 * an export with the other right are served by pvm, where the kernel permits that. Use one
 * allocation for each right.
 *
 * A memfd that the program gives to doca_mmap_set_dmabuf_memrange is never sealed in this way.
 * Importers of a read-only export get shm if the program seals the memfd itself: map it for writing
 * first, then call fcntl(memfd, F_ADD_SEALS, F_SEAL_FUTURE_WRITE).
 * @param len bytes, at least 1; rounded up to whole pages
 * @param addr_out receives the start, page-aligned; give it back with dococ_mem_free
 * @param memfd_out receives the sealed memfd behind it, owned by the library, do not close; may be
 *   NULL
 * States: any.
 * Threads: any thread.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: addr_out is NULL, or len is 0 or too large to round.
 * - DOCA_ERROR_NO_MEMORY: no memory, address space or descriptor left for it; dococ_last_error()
 *   has the reason.
 * Source: this runtime's own.
 */
DOCA_STABLE doca_error_t dococ_mem_alloc(size_t len, void **addr_out, int *memfd_out);

/**
 * Gives memory of dococ_mem_alloc back. Memory that importers have mapped lives on for them until
 * they stop.
 * @param addr start, as received
 * States: no started map covers it; that is not checked.
 * Threads: any thread.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_NOT_FOUND: addr is no start of memory of dococ_mem_alloc; it is freed already, or
 *   another kind.
 * Source: this runtime's own.
 */
DOCA_STABLE doca_error_t dococ_mem_free(void *addr);

/**
 * How copies reach the memory of a map: "local" (own memory), "shm" (mapped from the exporter),
 * "pvm" (the kernel copies between the processes), "verbs" (requests of an RDMA device), "relay"
 * (through the daemons), "none".
 * @param mmap memory map
 * States: started, or from an export; else "none".
 * Threads: any thread.
 * @return a static string, never NULL
 * Source: this runtime's own.
 */
DOCA_STABLE const char *dococ_mmap_get_transport(const struct doca_mmap *mmap);

/**
 * Why other transports were not chosen for an imported map.
 * @param mmap memory map
 * States: any.
 * Threads: any thread.
 * @return one line per rejected transport, "" if there is none; owned by the map, never NULL
 * Source: this runtime's own.
 */
DOCA_STABLE const char *dococ_mmap_get_transport_rejections(const struct doca_mmap *mmap);

#ifdef __cplusplus
}
#endif

#endif
