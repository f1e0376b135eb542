/*
 * Memory map: memory of the program that devices may work on.
 *
 * From 2.0 on a map covers one range. Order: create, set the range and the permissions, add
 * devices, start, then export if the other side shall reach it, stop, destroy. Everything is
 * configured before start. Up to 1.5 a map is started first, and chunks of memory and devices are
 * added after that (doca_mmap_workq.h).
 *
 * An export descriptor is a capability of at most 256 bytes (of 1.3: text of 320): whoever holds it
 * and may open the matching device can import it, with calls of any version; it dies with stop. An
 * imported map is ready at once and covers the exporter's addresses. Any memory will do: heap,
 * stack, static, file mapping, memfd, any alignment.
 *
 * Memory stays mapped, and writable if the map's permissions allow writing, while a map of it is
 * started. Copies within a process, and to memory that it has mapped, are made by the process's own
 * instructions: if the program has unmapped the memory or made it read-only, a task that touches it
 * ends the program with SIGSEGV, where a card ends the task with an IO error.
 *
 * Threads: one thread at a time configures, starts, stops or destroys a map. While it is started,
 * any number of threads may take buffers of it, each from an inventory or a pool of its own.
 */
#ifndef DOCA_MMAP_H_
#define DOCA_MMAP_H_

#include <stddef.h>
#include <stdint.h>

#include <doca_compat.h>
#include <doca_error.h>
#include <doca_types.h>

#if DOCA_USE_VERSION < DOCA_MAKE_VERSION(2, 7)
#include <doca_dev.h>
#endif

#ifdef __cplusplus
extern "C" {
#endif

struct doca_mmap; /* memory map */
struct doca_dev;
struct doca_devinfo;
struct doca_dpa;

/*
 * Called by destroy when the memory of a started map is no longer used: start and bytes of the
 * range, and the cookie given at registration. A function type; it runs in the thread that destroys
 * the map. Of a map with chunks it is called for each.
 */
typedef void(doca_mmap_memrange_free_cb_t)(void *addr, size_t len, void *cookie);

/**
 * Stops a map if need be, calls its free callback if it was ever started, and frees the map. The
 * memory itself stays the program's.
 * @param mmap memory map
 * States: any, as long as no buffer points into it and no comch consumer of it is started.
 * Threads: one at a time per map.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_NOT_PERMITTED: buffers still point into the map; drop them first (not checked when
 *   thread safety is enabled). Or a comch consumer receives into it; stop that first.
 * Since 1.3. Source: DOCA Core guide, memory map.
 */
DOCA_STABLE doca_error_t doca_mmap_destroy(struct doca_mmap *mmap);

/**
 * Ends use of a map: its export descriptors become invalid, and so do the maps imported from them.
 * Tasks in flight on those fail. It may be started again, unless it was created from an export.
 * Takes up to 0.8 s where it is the last that the process exports on the device, and importers are
 * connected to it by RDMA: what they did last is acknowledged again if that was lost.
 * @param mmap memory map
 * States: started, with no buffer outstanding and no comch consumer of it started.
 * Threads: one at a time per map.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_NOT_PERMITTED: buffers still point into the map, or a comch consumer receives into
 *   it; drop the buffers, stop the consumer.
 * Since 1.3. Source: DOCA Core guide, memory map.
 */
DOCA_STABLE doca_error_t doca_mmap_stop(struct doca_mmap *mmap);

#if DOCA_USE_VERSION >= DOCA_MAKE_VERSION(1, 5)
/**
 * Sets how many devices the map may have.
 * @param mmap memory map
 * @param max_num_devices number, at least 1 and at least as many as were added
 * States: not started.
 * Threads: one at a time per map.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: mmap is NULL or the number is too small.
 * - DOCA_ERROR_NOT_PERMITTED: the map is or was started, or came from an export; set it first.
 * Since 1.5. Source: DOCA Core guide, memory map.
 */
DOCA_STABLE doca_error_t doca_mmap_set_max_num_devices(struct doca_mmap *mmap,
						       uint32_t max_num_devices);
#endif

#if DOCA_USE_VERSION >= DOCA_MAKE_VERSION(2, 0)
/**
 * Makes the configured map usable for buffers and export. The range must be mapped from here to
 * stop. A second start of a started map changes nothing.
 * @param mmap memory map
 * States: range set and a device added; not exported, not from an export.
 * Threads: one at a time per map.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: mmap is NULL, or it has no range or no device; set them first.
 * - DOCA_ERROR_NO_MEMORY: no memory; free some and repeat.
 * - DOCA_ERROR_NOT_PERMITTED: the map is exported or came from an export; such maps are started
 *   already.
 * - DOCA_ERROR_BAD_STATE: the map was made by doca_mmap_create() of 1.3 or 1.5, whose maps are
 *   started by the call of that time; compile all sources that use the map for the same version.
 * Since 2.0; up to 1.5 another rule, see doca_mmap_workq.h. Source: DOCA Core guide, memory map.
 */
DOCA_STABLE doca_error_t doca_mmap_start(struct doca_mmap *mmap) DOCA_BIND(doca_mmap_start, 2_0);

/**
 * Sets the memory that the map covers: any memory of the process, at any alignment.
 * @param mmap memory map
 * @param addr start; the memory stays the program's and must be mapped while the map is started
 * @param len bytes
 * States: not started; once.
 * Threads: one at a time per map.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: mmap or addr is NULL, len is 0, or addr + len overflows.
 * - DOCA_ERROR_BAD_STATE: the map is started; stop it first.
 * - DOCA_ERROR_NOT_PERMITTED: a range is set already, or the map came from an export.
 * Since 2.0. Source: DOCA Core guide, memory map.
 */
DOCA_STABLE doca_error_t doca_mmap_set_memrange(struct doca_mmap *mmap, void *addr, size_t len);

/**
 * Range of a map; for an import, the exporter's addresses, from which buffers are made.
 * @param mmap memory map
 * @param addr receives the start
 * @param len receives the bytes
 * Threads: one at a time per map.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_BAD_STATE: no range is set yet.
 * Since 2.0. Source: DOCA Core guide, memory map.
 */
DOCA_STABLE doca_error_t doca_mmap_get_memrange(const struct doca_mmap *mmap, void **addr,
						size_t *len);

/**
 * Sets who may do what with the memory. Without it, local reading and writing only.
 * @param mmap memory map
 * @param access_mask set of enum doca_access_flag (up to 2.2 doca_access_flags)
 * States: not started.
 * Threads: one at a time per map.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: mmap is NULL, a bit is unknown, or PCI_READ_ONLY meets
 *   PCI_READ_WRITE.
 * - DOCA_ERROR_BAD_STATE: the map is started; stop it first.
 * Since 2.0. Source: DOCA Core guide, memory map.
 */
DOCA_STABLE doca_error_t doca_mmap_set_permissions(struct doca_mmap *mmap, uint32_t access_mask);

/**
 * Registers a callback that tells when a map that was started no longer needs its memory.
 * @param mmap memory map
 * @param free_cb called by doca_mmap_destroy, in its thread; NULL for none
 * @param opaque cookie for the callback, or NULL; not interpreted
 * States: not started.
 * Threads: one at a time per map.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: mmap is NULL.
 * - DOCA_ERROR_BAD_STATE: the map is started; stop it first.
 * Since 2.0. Source: DOCA Core guide, memory map.
 */
DOCA_STABLE doca_error_t doca_mmap_set_free_cb(struct doca_mmap *mmap,
					       doca_mmap_memrange_free_cb_t *free_cb, void *opaque);

/**
 * Exports a map to RDMA peers. The map may also be one that was imported over PCI: peers then reach
 * the memory of its exporter and may read it, and write it if it was exported with PCI_READ_WRITE.
 * They lose it when the exporter's export ends. Those that imported it before may go on when the
 * importer's map is stopped.
 * @param mmap memory map
 * @param dev one of the map's devices
 * @param export_desc receives the descriptor; owned by the map, valid until it is stopped
 * @param export_desc_len receives its length in bytes
 * States: started.
 * Threads: one at a time per map.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_NOT_FOUND: the device was not added to the map, or the map not imported with it; up
 *   to 2.2 that is INVALID_VALUE.
 * - DOCA_ERROR_NOT_PERMITTED: not started, without an RDMA permission, from an export for RDMA, or
 *   from one over PCI that has ended.
 * - DOCA_ERROR_NO_MEMORY: no memory; free some and repeat.
 * - DOCA_ERROR_NOT_SUPPORTED: the device has no RDMA; or it is an RDMA device, and the map is an
 *   import that is not mapped in this process: its exporter allocates the memory with
 *   dococ_mem_alloc, or gives a memfd.
 * - DOCA_ERROR_DRIVER: the daemon refused or is away; dococ_last_error() has the reason.
 * Since 2.0. Source: DOCA Core guide, memory map.
 */
DOCA_STABLE doca_error_t doca_mmap_export_rdma(struct doca_mmap *mmap, const struct doca_dev *dev,
					       const void **export_desc, size_t *export_desc_len);

/**
 * Makes a map of memory that was exported elsewhere. It is ready at once and covers the exporter's
 * addresses (doca_mmap_get_memrange); it cannot be configured, started or exported over PCI.
 * @param user_data word kept with the map, or NULL for none; copied
 * @param export_desc descriptor as received from the exporter; borrowed for the call
 * @param export_desc_len its length in bytes
 * @param dev open device of this side that shall work on the memory; must stay open
 * @param mmap receives the map; give it back with doca_mmap_destroy
 * Threads: one at a time per map.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL, or the descriptor is damaged, forged or of
 *   another format.
 * - DOCA_ERROR_NO_MEMORY: no memory; free some and repeat.
 * - DOCA_ERROR_NOT_SUPPORTED: this device cannot import it, or no transport reaches the memory;
 *   dococ_last_error() lists why.
 * - DOCA_ERROR_NOT_PERMITTED: the export was withdrawn or its exporter is gone, or policy forbids
 *   it; get a new descriptor.
 * - DOCA_ERROR_DRIVER: the daemon refused or is away; dococ_last_error() has the reason.
 * - DOCA_ERROR_NOT_CONNECTED: no daemon of this side answers; start one, then repeat.
 * - DOCA_ERROR_TIME_OUT: the daemon is stopped or overloaded; repeat later.
 * Since 2.0; another form before, see doca_mmap_workq.h. Source: DOCA Core guide, memory map.
 */
DOCA_STABLE doca_error_t doca_mmap_create_from_export(const union doca_data *user_data,
						      const void *export_desc,
						      size_t export_desc_len, struct doca_dev *dev,
						      struct doca_mmap **mmap)
	DOCA_BIND(doca_mmap_create_from_export, 2_0);
#endif

#ifdef __cplusplus
}
#endif

#if DOCA_API_WORKQ
#include <doca_mmap_workq.h>
#else
#include <doca_mmap_task.h>
#endif

#endif
