/*
 * Additions of this runtime to the SDK's interface: the sentence that explains a failure, memory
 * that importers can map, and the transport of the copies of a memory map. All names start with
 * dococ_.
 *
 * Threads: any number of threads may call the functions at the same time, unless a doc block says
 * otherwise.
 *
 * Processes: after fork() the child must not use, close or destroy any DOCA object that its parent
 * created. It creates its own objects, over its own connection to the daemon. In the child,
 * starting or stopping a context of the parent returns DOCA_ERROR_NOT_CONNECTED. The parent's
 * progress engines only complete the tasks in their queues, with the same code. In the parent they
 * continue to work.
 *
 * Example: memory for a map whose importers copy without the kernel.
 *
 *     #include <doca_mmap.h>
 *
 *     doca_error_t allocate_for_map(struct doca_mmap *map, size_t len, void **addr)
 *     {
 *         doca_error_t result = dococ_mem_alloc(len, addr, NULL);
 *
 *         if (result == DOCA_SUCCESS &&
 *             (result = doca_mmap_set_memrange(map, *addr, len)) != DOCA_SUCCESS)
 *             dococ_mem_free(*addr);
 *         return result;
 *     }
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
 * Returns the sentence that explains this thread's last failed call: the object, the rule that was
 * broken, and what to do.
 * @return the sentence, or "" if no call failed; owned by the library, valid until the thread's
 *   next failing call
 */
DOCA_STABLE const char *dococ_last_error(void);

/**
 * Allocates zeroed memory that importers can map. Copies to and from a memory map inside it do not
 * go through the kernel (transport shm).
 * The first export of memory in an allocation determines the permission that its importers have by
 * shm. If that export is read-only, the library seals the allocation with F_SEAL_FUTURE_WRITE: this
 * process can still write, but no other process can map the memory for writing any more. If that
 * export permits writing, no seal can revoke it later. Importers of an export with the other
 * permission use pvm, if the kernel permits that. So use one allocation per permission.
 * The library never seals a memfd that the program passes to doca_mmap_set_dmabuf_memrange().
 * Importers of a read-only export use shm if the program seals the memfd itself: map it for writing
 * first, then call fcntl(memfd, F_ADD_SEALS, F_SEAL_FUTURE_WRITE).
 * @param len number of bytes, at least 1; rounded up to whole pages
 * @param addr_out receives the start, aligned to a page; release it with dococ_mem_free()
 * @param memfd_out receives the sealed memfd of the allocation, owned by the library; do not close
 *   it; may be NULL
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: len is 0 or too large to round.
 * - DOCA_ERROR_NO_MEMORY: out of memory, address space or file descriptors; dococ_last_error() has
 *   the reason.
 */
DOCA_STABLE doca_error_t dococ_mem_alloc(size_t len, void **addr_out, int *memfd_out);

/**
 * Frees memory of dococ_mem_alloc(). Memory that importers have mapped stays valid for them until
 * they stop their maps.
 * @param addr start, as returned by dococ_mem_alloc()
 * States: no started memory map covers it, which is not checked.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_NOT_FOUND: addr is not the start of an allocation: it is freed already, or was not
 *   allocated with dococ_mem_alloc().
 */
DOCA_STABLE doca_error_t dococ_mem_free(void *addr);

/**
 * Returns the transport of copies from and to the memory of a map: "local" (own memory), "shm"
 * (mapped from the exporter), "pvm" (the kernel copies between the processes), "verbs" (requests of
 * an RDMA device), "relay" (through the daemons), or "none".
 * @param mmap memory map
 * States: started or imported; otherwise the result is "none".
 * @return a static string, never NULL
 */
DOCA_STABLE const char *dococ_mmap_get_transport(const struct doca_mmap *mmap);

/**
 * Returns the reasons why other transports were not chosen for an imported map.
 * @param mmap memory map
 * @return one line per rejected transport, or "" if there is none; owned by the map and valid until
 * it is destroyed; never NULL
 */
DOCA_STABLE const char *dococ_mmap_get_transport_rejections(const struct doca_mmap *mmap);

#ifdef __cplusplus
}
#endif

#endif
