/*
 * Memory map, from 2.5 on; included by doca_mmap.h.
 *
 * Threads: one thread at a time configures, starts, stops or destroys a map. While it is started,
 * any number of threads may take buffers of it, each from an inventory or a pool of its own.
 */
#ifndef DOCA_MMAP_TASK_H_
#define DOCA_MMAP_TASK_H_

#include <doca_mmap.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Handle of a map inside a data-path accelerator. */
typedef uint32_t doca_dpa_dev_mmap_t;

/**
 * Makes an empty memory map, not started.
 * @param mmap receives the map; give it back with doca_mmap_destroy
 * Threads: one at a time per map.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_NO_MEMORY: no memory; free some and repeat.
 * Since 2.5. Source: DOCA Core guide, memory map.
 */
DOCA_STABLE doca_error_t doca_mmap_create(struct doca_mmap **mmap) DOCA_BIND(doca_mmap_create, 2_5);

/**
 * Lets a device work on the memory of a map.
 * @param mmap memory map
 * @param dev open device; must stay open until it is removed or the map destroyed
 * States: not started.
 * Threads: one at a time per map.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_NOT_PERMITTED: the map is started, exported or from an export; add devices first.
 * - DOCA_ERROR_NO_MEMORY: the map has as many devices as doca_mmap_set_max_num_devices allows, or
 *   as this device can share it with.
 * - DOCA_ERROR_ALREADY_EXIST: the device was added before.
 * - DOCA_ERROR_NOT_SUPPORTED: the device came from an RDMA protection domain.
 * Since 2.5. Source: DOCA Core guide, memory map.
 */
DOCA_STABLE doca_error_t doca_mmap_add_dev(struct doca_mmap *mmap, struct doca_dev *dev);

/**
 * Takes a device from a map.
 * @param mmap memory map
 * @param dev device that was added
 * States: not started.
 * Threads: one at a time per map.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_NOT_FOUND: the device was not added.
 * - DOCA_ERROR_NOT_PERMITTED: the map is started, exported or from an export; stop it first.
 * Since 2.5. Source: DOCA Core guide, memory map.
 */
DOCA_STABLE doca_error_t doca_mmap_rm_dev(struct doca_mmap *mmap, struct doca_dev *dev);

/**
 * Exports a map to the other side of the bus. Whoever gets the descriptor and may open the
 * matching device can import it, several times.
 * @param mmap memory map
 * @param dev one of the map's devices
 * @param export_desc receives the descriptor; owned by the map, valid until it is stopped
 * @param export_desc_len receives its length in bytes, at most 256
 * States: started.
 * Threads: one at a time per map.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_NOT_FOUND: the device was not added to the map.
 * - DOCA_ERROR_NOT_PERMITTED: not started, from an export, or without a PCI_READ_ONLY or
 *   PCI_READ_WRITE permission.
 * - DOCA_ERROR_NO_MEMORY: no memory; free some and repeat.
 * - DOCA_ERROR_NOT_SUPPORTED: the device cannot; see doca_mmap_cap_is_export_pci_supported.
 * - DOCA_ERROR_DRIVER: the daemon refused or is away; dococ_last_error() has the reason.
 * - DOCA_ERROR_NOT_CONNECTED: no daemon of this side answers; start one, then repeat.
 * - DOCA_ERROR_TIME_OUT: the daemon is stopped or overloaded; repeat later.
 * Since 2.5. Source: DOCA Core guide, memory map.
 */
DOCA_STABLE doca_error_t doca_mmap_export_pci(struct doca_mmap *mmap, const struct doca_dev *dev,
					      const void **export_desc, size_t *export_desc_len);

/**
 * Sets the memory that the map covers to a part of a dma-buf or memfd, which importers can map. One
 * of huge pages they reach as they do private memory.
 * @param mmap memory map
 * @param dmabuf_fd descriptor, duplicated by the library
 * @param addr where the program has it mapped
 * @param dmabuf_offset bytes into the descriptor's memory
 * @param len bytes
 * States: not started; once.
 * Threads: one at a time per map.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_NOT_SUPPORTED: the descriptor is of a kind that cannot be shared; use
 *   doca_mmap_set_memrange.
 * - DOCA_ERROR_INVALID_VALUE: mmap is NULL, the descriptor is not open, len is 0, or the range
 *   overflows or passes its end.
 * - DOCA_ERROR_BAD_STATE: the map is started; stop it first.
 * - DOCA_ERROR_NOT_PERMITTED: a range is set already, or the map came from an export.
 * Since 2.5. Source: DOCA Core guide, memory map.
 */
DOCA_STABLE doca_error_t doca_mmap_set_dmabuf_memrange(struct doca_mmap *mmap, int dmabuf_fd,
						       void *addr, size_t dmabuf_offset, size_t len)
	DOCA_BIND(doca_mmap_set_dmabuf_memrange, 2_5);

/**
 * Handle by which a data-path accelerator knows the map. There is no such accelerator here.
 * @param mmap memory map
 * @param dev one of the map's devices
 * @param dpa_mmap_handle receives the handle
 * States: started.
 * Threads: one at a time per map.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_NOT_FOUND: the device was not added to the map.
 * - DOCA_ERROR_NOT_PERMITTED: not given here.
 * - DOCA_ERROR_NOT_SUPPORTED: always, once the arguments are right.
 * Since 2.7. Source: DOCA Core guide, memory map.
 */
DOCA_STABLE doca_error_t doca_mmap_dev_get_dpa_handle(struct doca_mmap *mmap,
						      const struct doca_dev *dev,
						      doca_dpa_dev_mmap_t *dpa_mmap_handle);

/**
 * Sets the range to memory of a data-path accelerator. There is no such accelerator here.
 * @param mmap memory map
 * @param dpa accelerator
 * @param dpa_addr address in it
 * @param len bytes
 * States: not started; once.
 * Threads: one at a time per map.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_BAD_STATE: the map is started.
 * - DOCA_ERROR_NOT_PERMITTED: a range is set already, or the map came from an export.
 * - DOCA_ERROR_NOT_SUPPORTED: always, once the arguments are right.
 * Since 2.7. Source: DOCA Core guide, memory map.
 */
DOCA_STABLE doca_error_t doca_mmap_set_dpa_memrange(struct doca_mmap *mmap, struct doca_dpa *dpa,
						    uint64_t dpa_addr, size_t len);

/**
 * Keeps a word of the program's own with a map.
 * @param mmap memory map
 * @param user_data not interpreted
 * States: not started.
 * Threads: one at a time per map.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: mmap is NULL.
 * - DOCA_ERROR_BAD_STATE: the map is started; stop it first.
 * Since 2.5. Source: DOCA Core guide, memory map.
 */
DOCA_STABLE doca_error_t doca_mmap_set_user_data(struct doca_mmap *mmap, union doca_data user_data);

/**
 * Word kept with a map.
 * @param mmap memory map
 * @param user_data receives it; 0 if none was set
 * Threads: one at a time per map.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * Since 2.5. Source: DOCA Core guide, memory map.
 */
DOCA_STABLE doca_error_t doca_mmap_get_user_data(const struct doca_mmap *mmap,
						 union doca_data *user_data);

/**
 * How many devices the map may have.
 * @param mmap memory map
 * @param max_num_devices receives the number
 * Threads: one at a time per map.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * Since 2.5. Source: DOCA Core guide, memory map.
 */
DOCA_STABLE doca_error_t doca_mmap_get_max_num_devices(const struct doca_mmap *mmap,
						       uint32_t *max_num_devices);

/**
 * How many buffers point into a map now.
 * @param mmap memory map
 * @param num_bufs receives the number; not counted (0) when thread safety is enabled
 * Threads: one at a time per map.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * Since 2.5. Source: DOCA Core guide, memory map.
 */
DOCA_STABLE doca_error_t doca_mmap_get_num_bufs(const struct doca_mmap *mmap, uint32_t *num_bufs);

/**
 * Is the map exported?
 * @param mmap memory map
 * @param exported receives 1 or 0
 * Threads: one at a time per map.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * Since 2.5. Source: DOCA Core guide, memory map.
 */
DOCA_STABLE doca_error_t doca_mmap_get_exported(const struct doca_mmap *mmap, uint8_t *exported);

/**
 * Did the map come from an export?
 * @param mmap memory map
 * @param from_export receives 1 or 0
 * Threads: one at a time per map.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * Since 2.5. Source: DOCA Core guide, memory map.
 */
DOCA_STABLE doca_error_t doca_mmap_get_from_export(const struct doca_mmap *mmap,
						   uint8_t *from_export);

/**
 * Can maps be exported to the other side through this device?
 * @param devinfo description of the device; borrowed for the call
 * @param mmap_export receives 1 or 0
 * Threads: one at a time per map.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_NOT_SUPPORTED: the device cannot be asked; take it as 0.
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_DRIVER: the daemon refused or is away; dococ_last_error() has the reason.
 * Since 2.5. Source: DOCA Core guide, memory map.
 */
DOCA_STABLE doca_error_t doca_mmap_cap_is_export_pci_supported(const struct doca_devinfo *devinfo,
							       uint8_t *mmap_export);

/**
 * Can this device import maps of the other side?
 * @param devinfo description of the device; borrowed for the call
 * @param from_export receives 1 or 0
 * Threads: one at a time per map.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_NOT_SUPPORTED: the device cannot be asked; take it as 0.
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_DRIVER: the daemon refused or is away; dococ_last_error() has the reason.
 * Since 2.5. Source: DOCA Core guide, memory map.
 */
DOCA_STABLE doca_error_t doca_mmap_cap_is_create_from_export_pci_supported(
	const struct doca_devinfo *devinfo, uint8_t *from_export);

/**
 * Ends the counting of a map's buffers: doca_mmap_get_num_bufs gives 0, and the map can be stopped
 * and destroyed while buffers of it are out, which can then only be given back. Threads may share a
 * map without this call, too.
 * @param mmap memory map
 * States: not started.
 * Threads: one at a time per map.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_NOT_PERMITTED: the map is started or came from an export; enable it first.
 * Since 2.7. Source: DOCA Core guide, memory map.
 */
DOCA_STABLE doca_error_t doca_mmap_enable_thread_safety(struct doca_mmap *mmap);

/**
 * Key by which a device's hardware knows the memory.
 * @param mmap memory map
 * @param dev one of the map's devices
 * @param mkey receives the key
 * States: started.
 * Threads: one at a time per map.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_NOT_FOUND: the device was not added to the map.
 * - DOCA_ERROR_BAD_STATE: the map is not started, or is an import.
 * - DOCA_ERROR_NOT_SUPPORTED: the device is bound to no RDMA device that can be used here.
 * - DOCA_ERROR_OPERATING_SYSTEM: the RDMA device did not take the memory; dococ_last_error() says
 *   why.
 * Since 3.2. Source: DOCA Core guide, memory map.
 */
DOCA_STABLE doca_error_t doca_mmap_get_mkey(struct doca_mmap *mmap, struct doca_dev *dev,
					    uint32_t *mkey);

/* Of earlier versions. */
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
