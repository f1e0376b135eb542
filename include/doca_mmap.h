/*
 * Memory map: memory of the program that devices may access.
 *
 * From 2.0 on a map covers one range. Use it in this order: create it, set the range and the
 * permissions, add devices, start it, export it if the other side accesses the memory, stop it,
 * destroy it. Everything is configured before the start. Up to 1.5 a map is started first, and
 * chunks of memory and devices are added after that (dococ/mmap_workq.h).
 *
 * The memory may be of any kind and alignment: heap, stack, static, file mapping or memfd.
 *
 * An export descriptor is a capability of at most 256 bytes (in 1.3: text of at most 320 bytes). A
 * process that has it and may open the matching device can import it, with calls of any version. It
 * becomes invalid when the map is stopped. An imported map is ready at once and covers the
 * exporter's addresses.
 *
 * Memory stays mapped, and writable if the map's permissions allow writing, while a map of it is
 * started. The process's own instructions make copies within the process, and to memory that it has
 * mapped. If the program has unmapped the memory or made it read-only, a task that touches it ends
 * the program with SIGSEGV, where a card ends the task with an IO error.
 *
 * A call without a "States:" line is allowed in every state.
 *
 * Errors of a request to the daemon, which exports and imports send:
 *
 * - DOCA_ERROR_NO_MEMORY: out of memory, or this user has reached a limit of the daemon; release
 *   something and repeat.
 * - DOCA_ERROR_NOT_CONNECTED: no daemon of this side answers or, for an import, none of the
 *   exporter's side is linked with it; start it, then repeat.
 * - DOCA_ERROR_TIME_OUT: a daemon is stopped or overloaded; repeat later.
 * - DOCA_ERROR_AGAIN: the exporter's daemon is too busy; repeat.
 * - DOCA_ERROR_NOT_FOUND: the device was removed from the machine: close it, and open it again when
 *   it is back; or no daemon that is linked with this side's knows the export.
 * - DOCA_ERROR_OPERATING_SYSTEM, DOCA_ERROR_UNEXPECTED: dococ_last_error() has the reason.
 *
 * Errors that the doc blocks do not repeat:
 *
 * - DOCA_ERROR_INVALID_VALUE: a pointer argument is NULL, and its description does not allow that.
 * - DOCA_ERROR_BAD_STATE: the object was created by a call of another generation; see doca_api.h.
 *
 * Threads: one thread at a time may configure, start, stop or destroy a map. While it is started,
 * any number of threads may create buffers of it, each from an inventory or a pool of its own.
 *
 * Reference: DOCA Core guide, memory map.
 *
 * Example: map memory for this process, and for the other side of the bus. An importer needs only
 * doca_mmap_create_from_export().
 *
 *     #include <doca_dev.h>
 *
 *     doca_error_t map_memory(struct doca_dev *dev, void *addr, size_t len, struct doca_mmap **map)
 *     {
 *         const uint32_t access = DOCA_ACCESS_FLAG_LOCAL_READ_WRITE |
 *                                 DOCA_ACCESS_FLAG_PCI_READ_WRITE;
 *         doca_error_t result = doca_mmap_create(map);
 *
 *         if (result != DOCA_SUCCESS)
 *             return result;
 *         if ((result = doca_mmap_set_memrange(*map, addr, len)) != DOCA_SUCCESS ||
 *             (result = doca_mmap_set_permissions(*map, access)) != DOCA_SUCCESS ||
 *             (result = doca_mmap_add_dev(*map, dev)) != DOCA_SUCCESS ||
 *             (result = doca_mmap_start(*map)) != DOCA_SUCCESS)
 *             doca_mmap_destroy(*map);
 *         return result;
 *     }
 */
#ifndef DOCA_MMAP_H_
#define DOCA_MMAP_H_

#include <stddef.h>
#include <stdint.h>

#include <doca_compat.h>
#include <doca_error.h>
#include <doca_types.h>

#include <doca_dev.h>

#ifdef __cplusplus
extern "C" {
#endif

struct doca_mmap; /* memory map */
struct doca_dev;
struct doca_devinfo;
struct doca_dpa;

/*
 * Called by doca_mmap_destroy(), in its thread, when the memory of a map that was started is no
 * longer used. Receives the start of the range, its length in bytes, and the cookie that was
 * registered. For a map with chunks it is called once per chunk. This is a function type, not a
 * pointer type.
 */
typedef void(doca_mmap_memrange_free_cb_t)(void *addr, size_t len, void *cookie);

/**
 * Destroys a map. Stops it first if it is started, and calls its free callback if it was ever
 * started. The program keeps ownership of the memory.
 * @param mmap memory map
 * States: any, if no buffer of the map exists and no comch consumer that uses it is started.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_NOT_PERMITTED: buffers of the map still exist: release them first (not checked if
 *   thread safety is enabled); or a comch consumer receives into the map: stop the consumer first.
 * Since 1.3.
 */
DOCA_STABLE doca_error_t doca_mmap_destroy(struct doca_mmap *mmap);

/**
 * Stops a map. Its export descriptors become invalid, and so do the maps that were imported from
 * them, whose tasks in flight fail. The map may be started again, unless it was created from an
 * export. Stopping a stopped map has no effect. May block for up to 0.8 s if the map is the
 * process's last export on the device and importers are connected to it by RDMA: lost
 * acknowledgements of their last operations are then sent again.
 * @param mmap memory map
 * States: started; no buffer of the map exists, and no comch consumer that uses it is started.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_NOT_PERMITTED: buffers of the map still exist, or a comch consumer receives into it;
 *   release the buffers, stop the consumer.
 * Since 1.3.
 */
DOCA_STABLE doca_error_t doca_mmap_stop(struct doca_mmap *mmap);

#if DOCA_USE_VERSION >= DOCA_MAKE_VERSION(1, 5)
/**
 * Sets how many devices the map may have.
 * @param mmap memory map
 * @param max_num_devices number, from 1, or from the number of devices that were added, to 1024
 * States: not started.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: the number is out of range.
 * - DOCA_ERROR_NOT_PERMITTED: the map is or was started, or was created from an export; call this
 *   earlier.
 * Since 1.5.
 */
DOCA_STABLE doca_error_t doca_mmap_set_max_num_devices(struct doca_mmap *mmap,
						       uint32_t max_num_devices);
#endif

#if DOCA_USE_VERSION >= DOCA_MAKE_VERSION(2, 0)
/**
 * Makes the configured map usable for buffers and exports. The range must be mapped from this call
 * until the map is stopped. Starting a started map has no effect.
 * @param mmap memory map
 * States: range set and a device added; not exported, not created from an export.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: the map has no range or no device; set them first.
 * - DOCA_ERROR_NOT_PERMITTED: the map is exported or was created from an export; it is started
 *   already.
 * - DOCA_ERROR_BAD_STATE: the map was created by doca_mmap_create() of 1.3 or 1.5, and must be
 *   started by the call of that version; compile all sources that use the map for the same version.
 * Since 2.0; up to 1.5 another rule, see dococ/mmap_workq.h.
 */
DOCA_STABLE doca_error_t doca_mmap_start(struct doca_mmap *mmap) DOCA_BIND(doca_mmap_start, 2_0);

/**
 * Sets the memory that the map covers: any memory of the process, at any alignment. Possible once.
 * @param mmap memory map
 * @param addr start of the memory; the program keeps ownership, and must keep it mapped while the
 *   map is started
 * @param len length in bytes
 * States: not started; once.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: len is 0, or addr + len overflows.
 * - DOCA_ERROR_BAD_STATE: the map is started: stop it first; or it was created from an export.
 * - DOCA_ERROR_NOT_PERMITTED: a range is set already.
 * Since 2.0.
 */
DOCA_STABLE doca_error_t doca_mmap_set_memrange(struct doca_mmap *mmap, void *addr, size_t len);

/**
 * Gets the range of a map. For an imported map this is the exporter's range, from whose addresses
 * buffers are created.
 * @param mmap memory map
 * @param addr receives the start
 * @param len receives the length in bytes
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_BAD_STATE: no range is set yet.
 * Since 2.0.
 */
DOCA_STABLE doca_error_t doca_mmap_get_memrange(const struct doca_mmap *mmap, void **addr,
						size_t *len);

/**
 * Sets the permissions of local and remote access to the memory. The default is local reading and
 * writing.
 * @param mmap memory map
 * @param access_mask set of enum doca_access_flag (up to 2.2 doca_access_flags)
 * States: not started.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: a bit is unknown, or both PCI_READ_ONLY and PCI_READ_WRITE are set.
 * - DOCA_ERROR_BAD_STATE: the map is started: stop it first; or it was created from an export.
 * Since 2.0.
 */
DOCA_STABLE doca_error_t doca_mmap_set_permissions(struct doca_mmap *mmap, uint32_t access_mask);

/**
 * Registers the callback that doca_mmap_destroy() calls when a map that was started no longer needs
 * its memory.
 * @param mmap memory map
 * @param free_cb called in the thread of doca_mmap_destroy(); NULL for none
 * @param opaque cookie for the callback, or NULL; the library never interprets it
 * States: not started.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_BAD_STATE: the map is started: stop it first; or it was created from an export.
 * Since 2.0.
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
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_NOT_FOUND: the device was not added to the map, or the map was not imported with it;
 *   up to 2.2 that is DOCA_ERROR_INVALID_VALUE.
 * - DOCA_ERROR_NOT_PERMITTED: the map is not started, has no RDMA permission, was created from an
 *   export for RDMA, or from one over PCI that has ended.
 * - DOCA_ERROR_NOT_SUPPORTED: the device does not support RDMA; or it is an RDMA device, and the
 *   map is an import that is not mapped in this process: its exporter must allocate the memory with
 *   dococ_mem_alloc(), or provide a memfd.
 * - Any error of a request to the daemon, as listed at the top.
 * Since 2.0.
 */
DOCA_STABLE doca_error_t doca_mmap_export_rdma(struct doca_mmap *mmap, const struct doca_dev *dev,
					       const void **export_desc, size_t *export_desc_len);

/**
 * Creates a map of memory that another process exported. It is ready at once and covers the
 * exporter's addresses (doca_mmap_get_memrange()). It cannot be configured, started or exported
 * over PCI.
 * @param user_data user data of the map, copied; NULL for none
 * @param export_desc descriptor as received from the exporter; only read during the call
 * @param export_desc_len its length in bytes
 * @param dev open device of this side that will access the memory; must stay open
 * @param mmap receives the map; release it with doca_mmap_destroy
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: the descriptor is damaged, forged or of another format.
 * - DOCA_ERROR_NOT_SUPPORTED: this device cannot import it, or no transport reaches the memory;
 *   dococ_last_error() has the reason for each transport.
 * - DOCA_ERROR_NOT_PERMITTED: the export has ended or was revoked: get a new descriptor; or an
 *   export over PCI was made on this same side.
 * - Any error of a request to the daemon, as listed at the top.
 * Since 2.0; another form before, see dococ/mmap_workq.h.
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
#include <dococ/mmap_workq.h>
#else
#include <dococ/mmap_task.h>
#endif

#endif
