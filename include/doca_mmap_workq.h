/*
 * Memory map, up to 2.2; included by doca_mmap.h.
 *
 * 1.3 to 1.5: a map holds chunks of memory. Order: create, set its limits, start, then add devices
 * and chunks in any order, export, stop, destroy. What was set is fixed since the first start; an
 * export freezes devices and chunks too, until the map is stopped. A map has one chunk and one
 * device unless the limits are raised, and buffers lie in one chunk each. Chunks and devices stay
 * over stop and another start.
 *
 * 2.0 to 2.2: a map covers one range, which is set before start like everything else, see
 * doca_mmap.h.
 *
 * Threads: one thread at a time per map.
 */
#ifndef DOCA_MMAP_WORKQ_H_
#define DOCA_MMAP_WORKQ_H_

#include <doca_mmap.h>

#ifdef __cplusplus
extern "C" {
#endif

#if DOCA_API_BETWEEN(103, 104)
/*
 * What a map can be asked and told. The numbers were never published: they are those of this
 * library, and programs use the names. R: doca_mmap_property_get, S: doca_mmap_property_set.
 */
enum doca_mmap_property {
	DOCA_MMAP_NAME = 0,            /* R: string with its NUL, as given to create */
	DOCA_MMAP_MAX_NUM_CHUNKS = 1,  /* R, S: uint32_t, at least 1; 1 if not set */
	DOCA_MMAP_MAX_NUM_DEVICES = 2, /* R, S: uint32_t, at least 1; 1 if not set */
	DOCA_MMAP_NUM_BUFS = 3,        /* R: uint32_t, buffers that point into the map */
	DOCA_MMAP_EXPORTED = 4,        /* R: uint8_t, 1 or 0 */
	DOCA_MMAP_FROM_EXPORT = 5,     /* R: uint8_t, 1 or 0 */
	DOCA_MMAP_ACCESS = 6           /* R, S: uint32_t, a set of enum doca_mmap_access_flags */
};

/*
 * Who may do what with the memory. Reading by this side is always allowed. A map whose access was
 * not set may be read and written by this side and, once exported, by the other one. The other side
 * of the bus cannot be given the right to write without that to read.
 */
enum doca_mmap_access_flags {
	DOCA_MMAP_ACCESS_LOCAL_READ = 0,
	DOCA_MMAP_ACCESS_LOCAL_WRITE = 1,
	DOCA_MMAP_ACCESS_REMOTE_WRITE = 2,
	DOCA_MMAP_ACCESS_REMOTE_READ = 4,
	DOCA_MMAP_ACCESS_REMOTE_ATOMIC = 8
};

/**
 * Sets a property of a map.
 * @param mmap memory map
 * @param property one that is marked S
 * @param value its new value; borrowed for the call
 * @param size bytes of the value, those of its type
 * States: before the first start.
 * Threads: one at a time per map.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL, the property is unknown, or size or value do not
 *   fit it.
 * - DOCA_ERROR_NOT_PERMITTED: the property is only read, the map was started before, or it came
 *   from an export.
 * - DOCA_ERROR_BAD_STATE: the map was made for 2.0 or later.
 * Since 1.3, until 1.4. Source: DOCA Core guide, memory map.
 */
DOCA_STABLE doca_error_t doca_mmap_property_set(struct doca_mmap *mmap,
						enum doca_mmap_property property,
						const uint8_t *value, uint32_t size);

/**
 * Property of a map.
 * @param mmap memory map
 * @param property one that is marked R
 * @param value receives it; not constant, whatever the type says
 * @param size bytes there: those of its type, for a string at least as many as it has
 * States: any.
 * Threads: one at a time per map.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL, the property is unknown, or size does not fit
 *   it.
 * - DOCA_ERROR_BAD_STATE: the map was made for 2.0 or later.
 * Since 1.3, until 1.4. Source: DOCA Core guide, memory map.
 */
DOCA_STABLE doca_error_t doca_mmap_property_get(struct doca_mmap *mmap,
						enum doca_mmap_property property,
						const uint8_t *value, uint32_t size);
#endif

#if DOCA_USE_VERSION < DOCA_MAKE_VERSION(1, 5)
/**
 * Makes an empty memory map, not started.
 * @param name what the program calls it, copied; or NULL
 * @param mmap receives the map; give it back with doca_mmap_destroy
 * Threads: one at a time per map.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: mmap is NULL.
 * - DOCA_ERROR_NO_MEMORY: no memory; free some and repeat.
 * Since 1.3, until 1.4. Source: DOCA Core guide, memory map.
 */
DOCA_STABLE doca_error_t doca_mmap_create(const char *name, struct doca_mmap **mmap)
	DOCA_BIND(doca_mmap_create, 1_3);

/**
 * Makes a map of memory that was exported elsewhere. It is ready at once and covers the exporter's
 * addresses; it cannot be configured, started, given devices or chunks, or exported.
 * @param name what the program calls it, copied; or NULL
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
 * Since 1.3, until 1.4. Source: DOCA Core guide, memory map.
 */
DOCA_STABLE doca_error_t doca_mmap_create_from_export(const char *name, const uint8_t *export_desc,
						      size_t export_desc_len, struct doca_dev *dev,
						      struct doca_mmap **mmap)
	DOCA_BIND(doca_mmap_create_from_export, 1_3);
#endif

#if DOCA_USE_VERSION >= DOCA_MAKE_VERSION(1, 5) && DOCA_USE_VERSION < DOCA_MAKE_VERSION(2, 0)
/**
 * Makes an empty memory map, not started. This side may read and write its memory, and so may the
 * other one once it is exported.
 * @param user_data word kept with the map, copied; or NULL for 0
 * @param mmap receives the map; give it back with doca_mmap_destroy
 * Threads: one at a time per map.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: mmap is NULL.
 * - DOCA_ERROR_NO_MEMORY: no memory; free some and repeat.
 * Since 1.5; 2.0 has another rule for start. Source: DOCA Core guide, memory map.
 */
DOCA_STABLE doca_error_t doca_mmap_create(const union doca_data *user_data, struct doca_mmap **mmap)
	DOCA_BIND(doca_mmap_create, 1_5);

/**
 * Makes a map of memory that was exported elsewhere, as in 1.3, with a word instead of a name.
 * @param user_data word kept with the map, copied; or NULL for 0
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
 * Since 1.5. Source: DOCA Core guide, memory map.
 */
DOCA_STABLE doca_error_t doca_mmap_create_from_export(const union doca_data *user_data,
						      const void *export_desc,
						      size_t export_desc_len, struct doca_dev *dev,
						      struct doca_mmap **mmap)
	DOCA_BIND(doca_mmap_create_from_export, 1_5);
#endif

#if DOCA_USE_VERSION < DOCA_MAKE_VERSION(2, 0)
/**
 * Starts a map: devices and chunks are added after that. What it had before a stop is usable again.
 * A second start of a started map changes nothing.
 * @param mmap memory map
 * States: not exported, not from an export.
 * Threads: one at a time per map.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: mmap is NULL.
 * - DOCA_ERROR_NOT_PERMITTED: the map is exported or came from an export; such maps are started
 *   already.
 * - DOCA_ERROR_NO_MEMORY: not given here; start takes none.
 * - DOCA_ERROR_BAD_STATE: the map was made by doca_mmap_create() of 2.0 or later, whose maps are
 *   started by the call of that time; compile all sources that use the map for the same version.
 * Since 1.3, until 1.5. Source: DOCA Core guide, memory map.
 */
DOCA_STABLE doca_error_t doca_mmap_start(struct doca_mmap *mmap) DOCA_BIND(doca_mmap_start, 1_3);

/**
 * Lets a device work on all chunks of a map, those to come included.
 * @param mmap memory map
 * @param dev open device; must stay open until it is removed or the map destroyed
 * States: started, not exported.
 * Threads: one at a time per map.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_NOT_PERMITTED: the map is not started, exported or from an export; start it first.
 * - DOCA_ERROR_NO_MEMORY: the map has as many devices as its limit allows, or as this device can
 *   share it with.
 * - DOCA_ERROR_IN_USE: the device was added before.
 * - DOCA_ERROR_BAD_STATE: the map was made for 2.0 or later.
 * Since 1.3, until 1.5. Source: DOCA Core guide, memory map.
 */
DOCA_STABLE doca_error_t doca_mmap_dev_add(struct doca_mmap *mmap, struct doca_dev *dev)
	DOCA_BIND(doca_mmap_dev_add, 1_3);

/**
 * Takes a device from a map.
 * @param mmap memory map
 * @param dev device that was added
 * States: started, not exported, with no buffer outstanding.
 * Threads: one at a time per map.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL, or the device was not added.
 * - DOCA_ERROR_NOT_PERMITTED: the map is not started, exported or from an export, or buffers point
 *   into it.
 * - DOCA_ERROR_BAD_STATE: the map was made for 2.0 or later.
 * Since 1.3, until 1.5. Source: DOCA Core guide, memory map.
 */
DOCA_STABLE doca_error_t doca_mmap_dev_rm(struct doca_mmap *mmap, struct doca_dev *dev)
	DOCA_BIND(doca_mmap_dev_rm, 1_3);
#endif

#if DOCA_USE_VERSION < DOCA_MAKE_VERSION(1, 5)
/**
 * Adds a chunk of memory to a map.
 * @param mmap memory map
 * @param addr start, at any alignment; the memory stays the program's and must be mapped while the
 *   map has it
 * @param len bytes
 * @param pg_sz bytes of its pages, a power of two and at least 4096
 * @param free_cb called by doca_mmap_destroy, in its thread, when the chunk is no longer used; or
 *   NULL
 * @param opaque cookie for the callback, or NULL; not interpreted
 * States: started, not exported.
 * Threads: one at a time per map.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: mmap or addr is NULL, len is 0, addr + len overflows, or pg_sz is no
 *   page size.
 * - DOCA_ERROR_NOT_PERMITTED: the map is not started, exported or from an export, or the chunk
 *   overlaps one that it has.
 * - DOCA_ERROR_NO_MEMORY: the map has as many chunks as its limit allows; raise that before the
 *   first start. Or no memory.
 * - DOCA_ERROR_BAD_STATE: the map was made for 2.0 or later.
 * Since 1.3, until 1.5. Source: DOCA Core guide, memory map.
 */
DOCA_STABLE doca_error_t doca_mmap_populate(struct doca_mmap *mmap, char *addr, size_t len,
					    size_t pg_sz, doca_mmap_memrange_free_cb_t *free_cb,
					    void *opaque);

/**
 * Exports a map of one chunk to the other side of the bus. Whoever gets the descriptor and may open
 * the matching device can import it, several times. Devices and chunks are fixed from then on.
 * @param mmap memory map
 * @param dev one of the map's devices
 * @param export_desc receives the descriptor; the caller's, to be given back with free(). Up to 1.4
 *   it is text that ends in a zero byte, a JSON object with the members "addr" and "len", numbers
 * @param export_desc_len receives its length in bytes, the zero byte included: at most 320
 * States: started.
 * Threads: one at a time per map.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL, or the device was not added to the map.
 * - DOCA_ERROR_NOT_PERMITTED: the map is not started, came from an export, has no chunk or more
 *   than one, or its access gives the other side no right.
 * - DOCA_ERROR_NO_MEMORY: no memory; free some and repeat.
 * - DOCA_ERROR_NOT_SUPPORTED: the device cannot.
 * - DOCA_ERROR_DRIVER: the daemon refused or is away; dococ_last_error() has the reason.
 * - DOCA_ERROR_NOT_CONNECTED: no daemon of this side answers; start one, then repeat.
 * - DOCA_ERROR_TIME_OUT: the daemon is stopped or overloaded; repeat later.
 * - DOCA_ERROR_BAD_STATE: the map was made for 2.0 or later.
 * Since 1.3, until 1.5. Source: DOCA Core guide, memory map.
 */
DOCA_STABLE doca_error_t doca_mmap_export(struct doca_mmap *mmap, const struct doca_dev *dev,
					  uint8_t **export_desc, size_t *export_desc_len);
#elif DOCA_API_BETWEEN(105, 199)
/* As in 1.3, but for the types of the pointers, and descriptors are no text: at most 256 bytes. */
DOCA_STABLE doca_error_t doca_mmap_populate(struct doca_mmap *mmap, void *addr, size_t len,
					    size_t pg_sz, doca_mmap_memrange_free_cb_t *free_cb,
					    void *opaque);
DOCA_STABLE doca_error_t doca_mmap_export(struct doca_mmap *mmap, const struct doca_dev *dev,
					  void **export_desc, size_t *export_desc_len);
#endif

#if DOCA_API_BETWEEN(105, 199)
/**
 * How many chunks the map may have.
 * @param mmap memory map
 * @param max_num_chunks receives the number
 * States: any.
 * Threads: one at a time per map.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * - DOCA_ERROR_BAD_STATE: the map was made for 2.0 or later.
 * Since 1.5, until 1.5. Source: DOCA Core guide, memory map.
 */
DOCA_STABLE doca_error_t doca_mmap_get_max_num_chunks(struct doca_mmap *mmap,
						      uint32_t *max_num_chunks);
#endif

#if DOCA_API_BETWEEN(105, 204)
/**
 * Sets how many chunks the map may have. From 2.0 on a map has one range, and the number has no
 * effect; programs still say it.
 * @param mmap memory map
 * @param max_num_chunks number, at least 1
 * States: before the first start.
 * Threads: one at a time per map.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: mmap is NULL or the number is 0.
 * - DOCA_ERROR_NOT_PERMITTED: the map was started before, or came from an export.
 * - DOCA_ERROR_BAD_STATE: the map was made for 2.5 or later.
 * Since 1.5, until 2.2. Source: DOCA Core guide, memory map.
 */
DOCA_STABLE doca_error_t doca_mmap_set_max_num_chunks(struct doca_mmap *mmap,
						      uint32_t max_num_chunks);
#endif

#if DOCA_API_WORKQ && DOCA_USE_VERSION >= DOCA_MAKE_VERSION(2, 0)
/**
 * Makes an empty memory map, not started.
 * @param user_data word kept with the map, copied; or NULL for 0
 * @param mmap receives the map; give it back with doca_mmap_destroy
 * Threads: one at a time per map.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: mmap is NULL.
 * - DOCA_ERROR_NO_MEMORY: no memory; free some and repeat.
 * Since 2.0, until 2.2. Source: DOCA Core guide, memory map.
 */
DOCA_STABLE doca_error_t doca_mmap_create(const union doca_data *user_data, struct doca_mmap **mmap)
	DOCA_BIND(doca_mmap_create, 2_0);

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
 * - DOCA_ERROR_IN_USE: the device was added before.
 * - DOCA_ERROR_NOT_SUPPORTED: the device came from an RDMA protection domain.
 * - DOCA_ERROR_BAD_STATE: the map was made for another generation.
 * Since 2.0, until 2.2. Source: DOCA Core guide, memory map.
 */
DOCA_STABLE doca_error_t doca_mmap_dev_add(struct doca_mmap *mmap, struct doca_dev *dev)
	DOCA_BIND(doca_mmap_dev_add, 2_0);

/**
 * Takes a device from a map.
 * @param mmap memory map
 * @param dev device that was added
 * States: not started.
 * Threads: one at a time per map.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL, or the device was not added.
 * - DOCA_ERROR_NOT_PERMITTED: the map is started, exported or from an export; stop it first.
 * - DOCA_ERROR_BAD_STATE: the map was made for another generation.
 * Since 2.0, until 2.2. Source: DOCA Core guide, memory map.
 */
DOCA_STABLE doca_error_t doca_mmap_dev_rm(struct doca_mmap *mmap, struct doca_dev *dev)
	DOCA_BIND(doca_mmap_dev_rm, 2_0);

/**
 * Sets the memory that the map covers to a part of a dma-buf or memfd. The library maps it, for
 * reading and writing, and doca_mmap_get_memrange tells where; that is unmapped by
 * doca_mmap_destroy.
 * @param mmap memory map
 * @param dmabuf_fd descriptor, duplicated by the library
 * @param offset bytes into the descriptor's memory
 * @param len bytes
 * States: not started; once.
 * Threads: one at a time per map.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_NOT_SUPPORTED: the descriptor is of a kind that cannot be shared or mapped; use
 *   doca_mmap_set_memrange.
 * - DOCA_ERROR_INVALID_VALUE: mmap is NULL, the descriptor is not open, len is 0, or the range
 *   overflows or passes its end.
 * - DOCA_ERROR_BAD_STATE: the map is started, stop it first; or it was made for another generation.
 * - DOCA_ERROR_NOT_PERMITTED: a range is set already.
 * Since 2.0, until 2.2. Source: DOCA Core guide, memory map.
 */
DOCA_STABLE doca_error_t doca_mmap_set_dmabuf_memrange(struct doca_mmap *mmap, int dmabuf_fd,
						       size_t offset, size_t len)
	DOCA_BIND(doca_mmap_set_dmabuf_memrange, 2_0);
#endif

#if DOCA_API_BETWEEN(200, 204)
/**
 * Exports a map to the DPU. Whoever gets the descriptor and may open the matching device can import
 * it, several times.
 * @param mmap memory map
 * @param dev one of the map's devices
 * @param export_desc receives the descriptor; owned by the map, valid until it is stopped
 * @param export_desc_len receives its length in bytes, at most 256
 * States: started.
 * Threads: one at a time per map.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL, or the device was not added to the map.
 * - DOCA_ERROR_NOT_PERMITTED: not started, from an export, or without a DPU_READ_ONLY or
 *   DPU_READ_WRITE permission.
 * - DOCA_ERROR_NO_MEMORY: no memory; free some and repeat.
 * - DOCA_ERROR_NOT_SUPPORTED: the device cannot.
 * - DOCA_ERROR_DRIVER: the daemon refused or is away; dococ_last_error() has the reason.
 * - DOCA_ERROR_NOT_CONNECTED: no daemon of this side answers; start one, then repeat.
 * - DOCA_ERROR_TIME_OUT: the daemon is stopped or overloaded; repeat later.
 * - DOCA_ERROR_BAD_STATE: the map was made for another generation.
 * Since 2.0, until 2.2. Source: DOCA Core guide, memory map.
 */
DOCA_STABLE doca_error_t doca_mmap_export_dpu(struct doca_mmap *mmap, const struct doca_dev *dev,
					      const void **export_desc, size_t *export_desc_len);
#endif

#if DOCA_API_WORKQ && DOCA_USE_VERSION >= DOCA_MAKE_VERSION(1, 5)
/**
 * Word kept with a map.
 * @param mmap memory map
 * @param user_data receives it; 0 if none was given
 * States: any.
 * Threads: one at a time per map.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * Since 1.5. Source: DOCA Core guide, memory map.
 */
DOCA_STABLE doca_error_t doca_mmap_get_user_data(struct doca_mmap *mmap,
						 union doca_data *user_data);

/**
 * How many devices the map may have.
 * @param mmap memory map
 * @param max_num_devices receives the number
 * States: any.
 * Threads: one at a time per map.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * Since 1.5. Source: DOCA Core guide, memory map.
 */
DOCA_STABLE doca_error_t doca_mmap_get_max_num_devices(struct doca_mmap *mmap,
						       uint32_t *max_num_devices);

/**
 * How many buffers point into a map now, in all its chunks.
 * @param mmap memory map
 * @param num_bufs receives the number
 * States: any.
 * Threads: one at a time per map.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * Since 1.5. Source: DOCA Core guide, memory map.
 */
DOCA_STABLE doca_error_t doca_mmap_get_num_bufs(struct doca_mmap *mmap, uint32_t *num_bufs);

/**
 * Is the map exported?
 * @param mmap memory map
 * @param exported receives 1 or 0
 * States: any.
 * Threads: one at a time per map.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * Since 1.5. Source: DOCA Core guide, memory map.
 */
DOCA_STABLE doca_error_t doca_mmap_get_exported(struct doca_mmap *mmap, uint8_t *exported);

/**
 * Did the map come from an export?
 * @param mmap memory map
 * @param from_export receives 1 or 0
 * States: any.
 * Threads: one at a time per map.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * Since 1.5. Source: DOCA Core guide, memory map.
 */
DOCA_STABLE doca_error_t doca_mmap_get_from_export(struct doca_mmap *mmap, uint8_t *from_export);
#endif

/* Of later versions. */
DOCA_ELSEWHERE(doca_mmap_add_dev, "from 2.5 on; up to 2.2 call doca_mmap_dev_add");
DOCA_ELSEWHERE(doca_mmap_rm_dev, "from 2.5 on; up to 2.2 call doca_mmap_dev_rm");
#if DOCA_USE_VERSION >= DOCA_MAKE_VERSION(2, 0)
DOCA_ELSEWHERE(doca_mmap_populate, "up to 1.5; from 2.0 on call doca_mmap_set_memrange");
#endif
DOCA_ELSEWHERE(doca_mmap_export_pci, "from 2.5 on; 2.0 to 2.2: doca_mmap_export_dpu");

#ifdef __cplusplus
}
#endif

#endif
