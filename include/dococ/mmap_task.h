/*
 * Memory map, from 2.5 on. Included by doca_mmap.h, whose comment has the rules for states, errors
 * and threads.
 */
#ifndef DOCA_MMAP_TASK_H_
#define DOCA_MMAP_TASK_H_

#include <doca_mmap.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Handle of a map for code on a data-path accelerator. */
typedef uint32_t doca_dpa_dev_mmap_t;

/**
 * Creates an empty memory map, not started.
 * @param mmap receives the map; release it with doca_mmap_destroy
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_NO_MEMORY: out of memory; free some and repeat.
 * Since 2.5.
 */
DOCA_STABLE doca_error_t doca_mmap_create(struct doca_mmap **mmap) DOCA_BIND(doca_mmap_create, 2_5);

/**
 * Adds a device, which may then access the memory of the map.
 * @param mmap memory map
 * @param dev open device; must stay open until it is removed or the map destroyed
 * States: not started.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_NOT_PERMITTED: the map is started, exported or was created from an export; add
 *   devices earlier.
 * - DOCA_ERROR_NO_MEMORY: out of memory; or the map already has as many devices as
 *   doca_mmap_set_max_num_devices() allows, or as the profile of this device allows.
 * - DOCA_ERROR_ALREADY_EXIST: the device is already added.
 * Since 2.5.
 */
DOCA_STABLE doca_error_t doca_mmap_add_dev(struct doca_mmap *mmap, struct doca_dev *dev);

/**
 * Removes a device from a map.
 * @param mmap memory map
 * @param dev device that was added
 * States: not started.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_NOT_FOUND: the device was not added.
 * - DOCA_ERROR_NOT_PERMITTED: the map is started, exported or was created from an export; stop it
 *   first.
 * Since 2.5.
 */
DOCA_STABLE doca_error_t doca_mmap_rm_dev(struct doca_mmap *mmap, struct doca_dev *dev);

/**
 * Exports a map to the other side of the bus. Every process that has the descriptor and may open
 * the matching device can import it, any number of times.
 * @param mmap memory map
 * @param dev one of the map's devices
 * @param export_desc receives the descriptor; owned by the map, valid until it is stopped
 * @param export_desc_len receives its length in bytes, at most 256
 * States: started.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_NOT_FOUND: the device was not added to the map.
 * - DOCA_ERROR_NOT_PERMITTED: the map is not started, was created from an export, or has neither
 *   PCI_READ_ONLY nor PCI_READ_WRITE permission.
 * - DOCA_ERROR_NOT_SUPPORTED: the device cannot do it; see doca_mmap_cap_is_export_pci_supported().
 * - Any error of a request to the daemon, as listed at the top of doca_mmap.h.
 * Since 2.5.
 */
DOCA_STABLE doca_error_t doca_mmap_export_pci(struct doca_mmap *mmap, const struct doca_dev *dev,
					      const void **export_desc, size_t *export_desc_len);

/**
 * Sets the memory that the map covers to a part of a memfd, which importers can map. The library
 * seals the memfd against shrinking. A memfd of huge pages is not mapped by importers, which access
 * it like private memory. Allowed once per map.
 * @param mmap memory map
 * @param dmabuf_fd descriptor of a memfd that permits sealing; the library duplicates it
 * @param addr address at which the program has mapped the part
 * @param dmabuf_offset offset of the part in bytes
 * @param len length in bytes
 * States: not started.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_NOT_SUPPORTED: the descriptor is not open, or is no memfd that can be sealed, such
 *   as a dma-buf; use doca_mmap_set_memrange().
 * - DOCA_ERROR_INVALID_VALUE: the descriptor is negative, len is 0, or the range overflows or
 *   exceeds the descriptor's size.
 * - DOCA_ERROR_BAD_STATE: the map is started: stop it first; or it was created from an export.
 * - DOCA_ERROR_NOT_PERMITTED: a range is set already, or the descriptor cannot be duplicated
 *   because the process has too many; close some.
 * Since 2.5.
 */
DOCA_STABLE doca_error_t doca_mmap_set_dmabuf_memrange(struct doca_mmap *mmap, int dmabuf_fd,
						       void *addr, size_t dmabuf_offset, size_t len)
	DOCA_BIND(doca_mmap_set_dmabuf_memrange, 2_5);

/**
 * Gets the handle of a map for code on a data-path accelerator. Not supported: there is no
 * accelerator.
 * @param mmap memory map
 * @param dev one of the map's devices
 * @param dpa_mmap_handle receives the handle
 * States: started.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_NOT_FOUND: the device was not added to the map.
 * - DOCA_ERROR_NOT_SUPPORTED: always, if the arguments are valid.
 * Since 2.7.
 */
DOCA_STABLE doca_error_t doca_mmap_dev_get_dpa_handle(struct doca_mmap *mmap,
						      const struct doca_dev *dev,
						      doca_dpa_dev_mmap_t *dpa_mmap_handle);

/**
 * Sets the range to memory of a data-path accelerator. Not supported: there is no accelerator.
 * @param mmap memory map
 * @param dpa accelerator
 * @param dpa_addr address in the accelerator's memory
 * @param len length in bytes
 * States: not started.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_BAD_STATE: the map is started, or was created from an export.
 * - DOCA_ERROR_NOT_SUPPORTED: always, if the arguments are valid.
 * Since 2.7.
 */
DOCA_STABLE doca_error_t doca_mmap_set_dpa_memrange(struct doca_mmap *mmap, struct doca_dpa *dpa,
						    uint64_t dpa_addr, size_t len);

/**
 * Sets the user data of a map.
 * @param mmap memory map
 * @param user_data any value; the library never interprets it
 * States: not started.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_BAD_STATE: the map is started: stop it first; or it was created from an export.
 * Since 2.5.
 */
DOCA_STABLE doca_error_t doca_mmap_set_user_data(struct doca_mmap *mmap, union doca_data user_data);

/**
 * Gets the user data of a map.
 * @param mmap memory map
 * @param user_data receives the value; 0 if none was set
 * @return DOCA_SUCCESS
 * Since 2.5.
 */
DOCA_STABLE doca_error_t doca_mmap_get_user_data(const struct doca_mmap *mmap,
						 union doca_data *user_data);

/**
 * Gets how many devices the map may have.
 * @param mmap memory map
 * @param max_num_devices receives the number
 * @return DOCA_SUCCESS
 * Since 2.5.
 */
DOCA_STABLE doca_error_t doca_mmap_get_max_num_devices(const struct doca_mmap *mmap,
						       uint32_t *max_num_devices);

/**
 * Gets how many buffers of a map exist.
 * @param mmap memory map
 * @param num_bufs receives the number; not counted (0) when thread safety is enabled
 * @return DOCA_SUCCESS
 * Since 2.5.
 */
DOCA_STABLE doca_error_t doca_mmap_get_num_bufs(const struct doca_mmap *mmap, uint32_t *num_bufs);

/**
 * Gets whether the map is exported.
 * @param mmap memory map
 * @param exported receives 1 or 0
 * @return DOCA_SUCCESS
 * Since 2.5.
 */
DOCA_STABLE doca_error_t doca_mmap_get_exported(const struct doca_mmap *mmap, uint8_t *exported);

/**
 * Gets whether the map was created from an export.
 * @param mmap memory map
 * @param from_export receives 1 or 0
 * @return DOCA_SUCCESS
 * Since 2.5.
 */
DOCA_STABLE doca_error_t doca_mmap_get_from_export(const struct doca_mmap *mmap,
						   uint8_t *from_export);

/**
 * Gets whether maps can be exported to the other side through a device.
 * @param devinfo device to query
 * @param mmap_export receives 1 or 0
 * @return DOCA_SUCCESS
 * Since 2.5.
 */
DOCA_STABLE doca_error_t doca_mmap_cap_is_export_pci_supported(const struct doca_devinfo *devinfo,
							       uint8_t *mmap_export);

/**
 * Gets whether a device can import maps of the other side.
 * @param devinfo device to query
 * @param from_export receives 1 or 0
 * @return DOCA_SUCCESS
 * Since 2.5.
 */
DOCA_STABLE doca_error_t doca_mmap_cap_is_create_from_export_pci_supported(
	const struct doca_devinfo *devinfo, uint8_t *from_export);

/**
 * Disables the counting of a map's buffers: doca_mmap_get_num_bufs() returns 0, and the map can be
 * stopped and destroyed while buffers of it exist. Such buffers can then only be released. Threads
 * may share a map without this call, too.
 * @param mmap memory map
 * States: not started. On a map that was created from an export, the call succeeds and logs one
 * warning.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_NOT_PERMITTED: the map is started; call this earlier. If the environment has
 *   DOCOCORED_STRICT=1, also if the map was created from an export.
 * Since 2.7.
 */
DOCA_STABLE doca_error_t doca_mmap_enable_thread_safety(struct doca_mmap *mmap);

/**
 * Gets the key by which a device's hardware addresses the memory.
 * @param mmap memory map
 * @param dev one of the map's devices
 * @param mkey receives the key
 * States: started.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_NOT_FOUND: the device was not added to the map.
 * - DOCA_ERROR_BAD_STATE: the map is not started, or is an import.
 * - DOCA_ERROR_NOT_SUPPORTED: the device is bound to no RDMA device that can be used.
 * - DOCA_ERROR_OPERATING_SYSTEM: the RDMA device could not register the memory; dococ_last_error()
 *   says why.
 * Since 3.2.
 */
DOCA_STABLE doca_error_t doca_mmap_get_mkey(struct doca_mmap *mmap, struct doca_dev *dev,
					    uint32_t *mkey);

/* Calls of earlier versions. */
DOCA_ELSEWHERE(doca_mmap_dev_add, "up to 2.2; from 2.5 on call doca_mmap_add_dev");
DOCA_ELSEWHERE(doca_mmap_dev_rm, "up to 2.2; from 2.5 on call doca_mmap_rm_dev");
DOCA_ELSEWHERE(doca_mmap_export, "up to 1.5; from 2.5 on call doca_mmap_export_pci");
DOCA_ELSEWHERE(doca_mmap_export_dpu, "2.0 to 2.2; from 2.5 on call doca_mmap_export_pci");
DOCA_ELSEWHERE(doca_mmap_populate, "up to 1.5; from 2.0 on call doca_mmap_set_memrange");
DOCA_ELSEWHERE(doca_mmap_property_set, "1.3 and 1.4; from 2.5 on call doca_mmap_set_*");

#ifdef __cplusplus
}
#endif

#endif
