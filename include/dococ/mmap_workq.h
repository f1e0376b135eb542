/*
 * Memory map, up to 2.2. Included by doca_mmap.h.
 *
 * 1.3 to 1.5: a map contains chunks of memory. Use it in this order: create it, set its limits,
 * start it, add devices and chunks in any order, export it, stop it, destroy it. The limits are
 * fixed by the first start. An export also fixes devices and chunks, until the map is stopped. By
 * default a map has at most one chunk and one device. A buffer is in one chunk. Chunks and devices
 * are retained when the map is stopped and started again.
 *
 * 2.0 to 2.2: a map covers one range, which is set before the start like everything else: see
 * doca_mmap.h.
 *
 * A call without a "States:" line is allowed in every state.
 *
 * Threads: see doca_mmap.h.
 */
#ifndef DOCA_MMAP_WORKQ_H_
#define DOCA_MMAP_WORKQ_H_

#include <doca_mmap.h>

#ifdef __cplusplus
extern "C" {
#endif

#if DOCA_API_BETWEEN(103, 104)
/*
 * Properties of a map. The SDK's numbers are not public; this project chose these. Programs use the
 * names. R: readable with doca_mmap_property_get(). S: settable with doca_mmap_property_set().
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
 * Permissions of local and remote access to the memory. Local reading is always permitted. If no
 * access was set, the local side may read and write, and after an export the other side may do so,
 * too. The other side of the bus cannot have the permission to write without the permission to
 * read.
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
 * @param property property that is marked S
 * @param value new value; only read during the call
 * @param size size of the value in bytes: that of its type
 * States: before the first start.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: the property is unknown, or the size or value does not match the
 *   property.
 * - DOCA_ERROR_NOT_PERMITTED: the property is read-only, the map was started before, or it was
 *   created from an export.
 * Since 1.3, until 1.4.
 */
DOCA_STABLE doca_error_t doca_mmap_property_set(struct doca_mmap *mmap,
						enum doca_mmap_property property,
						const uint8_t *value, uint32_t size);

/**
 * Gets a property of a map.
 * @param mmap memory map
 * @param property property that is marked R
 * @param value receives the value; written in spite of its const type
 * @param size size of value in bytes: that of the property's type; for a string at least its length
 *   with NUL
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: the property is unknown, or the size does not match the property.
 * Since 1.3, until 1.4.
 */
DOCA_STABLE doca_error_t doca_mmap_property_get(struct doca_mmap *mmap,
						enum doca_mmap_property property,
						const uint8_t *value, uint32_t size);
#endif

#if DOCA_USE_VERSION < DOCA_MAKE_VERSION(1, 5)
/**
 * Creates an empty memory map, not started.
 * @param name name, copied; may be NULL
 * @param mmap receives the map; release it with doca_mmap_destroy
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_NO_MEMORY: out of memory; free some and repeat.
 * Since 1.3, until 1.4.
 */
DOCA_STABLE doca_error_t doca_mmap_create(const char *name, struct doca_mmap **mmap)
	DOCA_BIND(doca_mmap_create, 1_3);

/**
 * Creates a map of memory that another process exported. It is ready at once and covers the
 * exporter's addresses. It cannot be configured, started or exported, and accepts neither devices
 * nor chunks.
 * @param name name, copied; may be NULL
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
 * - Any error of a request to the daemon, as listed at the top of doca_mmap.h.
 * Since 1.3, until 1.4.
 */
DOCA_STABLE doca_error_t doca_mmap_create_from_export(const char *name, const uint8_t *export_desc,
						      size_t export_desc_len, struct doca_dev *dev,
						      struct doca_mmap **mmap)
	DOCA_BIND(doca_mmap_create_from_export, 1_3);
#endif

#if DOCA_USE_VERSION >= DOCA_MAKE_VERSION(1, 5) && DOCA_USE_VERSION < DOCA_MAKE_VERSION(2, 0)
/**
 * Creates an empty memory map, not started. This side may read and write its memory, and after an
 * export the other side may do so, too.
 * @param user_data user data of the map, copied; NULL for 0
 * @param mmap receives the map; release it with doca_mmap_destroy
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_NO_MEMORY: out of memory; free some and repeat.
 * Since 1.5; in 2.0 replaced by a call of the same name, whose maps start differently.
 */
DOCA_STABLE doca_error_t doca_mmap_create(const union doca_data *user_data, struct doca_mmap **mmap)
	DOCA_BIND(doca_mmap_create, 1_5);

/**
 * Creates a map of memory that another process exported, as in 1.3, but with user data instead of a
 * name.
 * @param user_data user data of the map, copied; NULL for 0
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
 * - Any error of a request to the daemon, as listed at the top of doca_mmap.h.
 * Since 1.5.
 */
DOCA_STABLE doca_error_t doca_mmap_create_from_export(const union doca_data *user_data,
						      const void *export_desc,
						      size_t export_desc_len, struct doca_dev *dev,
						      struct doca_mmap **mmap)
	DOCA_BIND(doca_mmap_create_from_export, 1_5);
#endif

#if DOCA_USE_VERSION < DOCA_MAKE_VERSION(2, 0)
/**
 * Starts a map. Devices and chunks are added after that; those that it had before a stop are usable
 * again. Starting a started map has no effect.
 * @param mmap memory map
 * States: not exported, not from an export.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_NOT_PERMITTED: the map is exported or was created from an export; it is started
 *   already.
 * - DOCA_ERROR_BAD_STATE: the map was created by doca_mmap_create() of 2.0 or later, and must be
 *   started by doca_mmap_start() of that version; compile all sources that use the map for the same
 *   version.
 * Since 1.3, until 1.5.
 */
DOCA_STABLE doca_error_t doca_mmap_start(struct doca_mmap *mmap) DOCA_BIND(doca_mmap_start, 1_3);

/**
 * Adds a device, which may then access the memory of the map. Up to 1.5 this includes all chunks
 * that are added later.
 * @param mmap memory map
 * @param dev open device; must stay open until it is removed or the map destroyed
 * States: started, not exported.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_NOT_PERMITTED: the map is not started: start it first; or it is exported, or was
 *   created from an export.
 * - DOCA_ERROR_NO_MEMORY: out of memory; or the map already has as many devices as its limit
 *   allows, or as the profile of this device allows.
 * - DOCA_ERROR_IN_USE: the device is already added.
 * Since 1.3, until 1.5.
 */
DOCA_STABLE doca_error_t doca_mmap_dev_add(struct doca_mmap *mmap, struct doca_dev *dev)
	DOCA_BIND(doca_mmap_dev_add, 1_3);

/**
 * Removes a device from a map.
 * @param mmap memory map
 * @param dev device that was added
 * States: started, not exported, with no buffer outstanding.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: the device was not added.
 * - DOCA_ERROR_NOT_PERMITTED: the map is not started, is exported or was created from an export, or
 *   buffers of it exist.
 * Since 1.3, until 1.5.
 */
DOCA_STABLE doca_error_t doca_mmap_dev_rm(struct doca_mmap *mmap, struct doca_dev *dev)
	DOCA_BIND(doca_mmap_dev_rm, 1_3);
#endif

#if DOCA_USE_VERSION < DOCA_MAKE_VERSION(1, 5)
/**
 * Adds a chunk of memory to a map.
 * @param mmap memory map
 * @param addr start, at any alignment; the program keeps ownership of the memory, and must keep it
 *   mapped while the map has the chunk
 * @param len length in bytes
 * @param pg_sz size of its pages in bytes, a power of two and at least 4096
 * @param free_cb called by doca_mmap_destroy, in its thread, when the chunk is no longer used; NULL
 *   for none
 * @param opaque cookie for the callback, or NULL; the library never interprets it
 * States: started, not exported.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: len is 0, addr + len overflows, or pg_sz is no page size.
 * - DOCA_ERROR_NOT_PERMITTED: the map is not started, is exported or was created from an export, or
 *   the chunk overlaps another one of the map.
 * - DOCA_ERROR_NO_MEMORY: out of memory; or the map already has as many chunks as its limit allows:
 *   raise the limit before the first start.
 * Since 1.3, until 1.5.
 */
DOCA_STABLE doca_error_t doca_mmap_populate(struct doca_mmap *mmap, char *addr, size_t len,
					    size_t pg_sz, doca_mmap_memrange_free_cb_t *free_cb,
					    void *opaque);

/**
 * Exports a map of one chunk to the other side of the bus. Every process that has the descriptor
 * and may open the matching device can import it, any number of times. Devices and chunks are fixed
 * from then on.
 * @param mmap memory map
 * @param dev one of the map's devices
 * @param export_desc receives the descriptor; owned by the caller, which releases it with free().
 *   Up to 1.4 it is text that ends in a zero byte: a JSON object whose members "addr" and "len" are
 *   numbers
 * @param export_desc_len receives its length in bytes, at most 320, including the zero byte
 * States: started.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: the device was not added to the map.
 * - DOCA_ERROR_NOT_PERMITTED: the map is not started, was created from an export, has no chunk or
 *   more than one, or its access gives the other side no right.
 * - DOCA_ERROR_NOT_SUPPORTED: the device cannot do it.
 * - Any error of a request to the daemon, as listed at the top of doca_mmap.h.
 * Since 1.3, until 1.5.
 */
DOCA_STABLE doca_error_t doca_mmap_export(struct doca_mmap *mmap, const struct doca_dev *dev,
					  uint8_t **export_desc, size_t *export_desc_len);
#elif DOCA_API_BETWEEN(105, 199)
/*
 * The same calls as in 1.3 with two differences: the pointer types, and the descriptor, which is
 * not text and has at most 256 bytes.
 */
DOCA_STABLE doca_error_t doca_mmap_populate(struct doca_mmap *mmap, void *addr, size_t len,
					    size_t pg_sz, doca_mmap_memrange_free_cb_t *free_cb,
					    void *opaque);
DOCA_STABLE doca_error_t doca_mmap_export(struct doca_mmap *mmap, const struct doca_dev *dev,
					  void **export_desc, size_t *export_desc_len);
#endif

#if DOCA_API_BETWEEN(105, 199)
/**
 * Gets how many chunks the map may have.
 * @param mmap memory map
 * @param max_num_chunks receives the number
 * @return DOCA_SUCCESS
 * In 1.5 only.
 */
DOCA_STABLE doca_error_t doca_mmap_get_max_num_chunks(struct doca_mmap *mmap,
						      uint32_t *max_num_chunks);
#endif

#if DOCA_API_BETWEEN(105, 204)
/**
 * Sets how many chunks the map may have. From 2.0 on a map has one range, and the number has no
 * effect; the call exists for programs that still make it.
 * @param mmap memory map
 * @param max_num_chunks number, at least 1
 * States: before the first start.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: the number is 0.
 * - DOCA_ERROR_NOT_PERMITTED: the map was started before, or was created from an export.
 * Since 1.5, until 2.2.
 */
DOCA_STABLE doca_error_t doca_mmap_set_max_num_chunks(struct doca_mmap *mmap,
						      uint32_t max_num_chunks);
#endif

#if DOCA_API_WORKQ && DOCA_USE_VERSION >= DOCA_MAKE_VERSION(2, 0)
/**
 * Creates an empty memory map, not started.
 * @param user_data user data of the map, copied; NULL for 0
 * @param mmap receives the map; release it with doca_mmap_destroy
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_NO_MEMORY: out of memory; free some and repeat.
 * Since 2.0, until 2.2.
 */
DOCA_STABLE doca_error_t doca_mmap_create(const union doca_data *user_data, struct doca_mmap **mmap)
	DOCA_BIND(doca_mmap_create, 2_0);

/**
 * Adds a device, which may then access the memory of the map. Up to 1.5 this includes all chunks
 * that are added later.
 * @param mmap memory map
 * @param dev open device; must stay open until it is removed or the map destroyed
 * States: not started.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_NOT_PERMITTED: the map is started, exported or was created from an export; add
 *   devices earlier.
 * - DOCA_ERROR_NO_MEMORY: out of memory; or the map already has as many devices as
 *   doca_mmap_set_max_num_devices() allows, or as the profile of this device allows.
 * - DOCA_ERROR_IN_USE: the device is already added.
 * Since 2.0, until 2.2.
 */
DOCA_STABLE doca_error_t doca_mmap_dev_add(struct doca_mmap *mmap, struct doca_dev *dev)
	DOCA_BIND(doca_mmap_dev_add, 2_0);

/**
 * Removes a device from a map.
 * @param mmap memory map
 * @param dev device that was added
 * States: not started.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: the device was not added.
 * - DOCA_ERROR_NOT_PERMITTED: the map is started, exported or was created from an export; stop it
 *   first.
 * Since 2.0, until 2.2.
 */
DOCA_STABLE doca_error_t doca_mmap_dev_rm(struct doca_mmap *mmap, struct doca_dev *dev)
	DOCA_BIND(doca_mmap_dev_rm, 2_0);

/**
 * Sets the memory that the map covers to a part of a memfd. The library maps it for reading and
 * writing; doca_mmap_get_memrange() returns the address, and doca_mmap_destroy() unmaps it. Allowed
 * once per map.
 * @param mmap memory map
 * @param dmabuf_fd descriptor of a memfd that permits sealing; the library duplicates it
 * @param offset offset of the part in bytes
 * @param len length in bytes
 * States: not started.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_NOT_SUPPORTED: the descriptor is not open, is no memfd that can be sealed and
 *   mapped, such as a dma-buf, or has huge pages; use doca_mmap_set_memrange().
 * - DOCA_ERROR_INVALID_VALUE: the descriptor is negative, len is 0, or the range overflows or
 *   exceeds the descriptor's size.
 * - DOCA_ERROR_BAD_STATE: the map is started: stop it first; or it was created from an export.
 * - DOCA_ERROR_NOT_PERMITTED: a range is set already.
 * Since 2.0, until 2.2.
 */
DOCA_STABLE doca_error_t doca_mmap_set_dmabuf_memrange(struct doca_mmap *mmap, int dmabuf_fd,
						       size_t offset, size_t len)
	DOCA_BIND(doca_mmap_set_dmabuf_memrange, 2_0);
#endif

#if DOCA_API_BETWEEN(200, 204)
/**
 * Exports a map to the DPU. Every process that has the descriptor and may open the matching device
 * can import it, any number of times.
 * @param mmap memory map
 * @param dev one of the map's devices
 * @param export_desc receives the descriptor; owned by the map, valid until it is stopped
 * @param export_desc_len receives its length in bytes, at most 256
 * States: started.
 * @return DOCA_SUCCESS, or
 * - DOCA_ERROR_INVALID_VALUE: the device was not added to the map.
 * - DOCA_ERROR_NOT_PERMITTED: the map is not started, was created from an export, or has neither
 *   DPU_READ_ONLY nor DPU_READ_WRITE permission.
 * - DOCA_ERROR_NOT_SUPPORTED: the device cannot do it.
 * - Any error of a request to the daemon, as listed at the top of doca_mmap.h.
 * Since 2.0, until 2.2.
 */
DOCA_STABLE doca_error_t doca_mmap_export_dpu(struct doca_mmap *mmap, const struct doca_dev *dev,
					      const void **export_desc, size_t *export_desc_len);
#endif

#if DOCA_API_WORKQ && DOCA_USE_VERSION >= DOCA_MAKE_VERSION(1, 5)
/**
 * Gets the user data of a map.
 * @param mmap memory map
 * @param user_data receives the value; 0 if none was given
 * @return DOCA_SUCCESS
 * Since 1.5.
 */
DOCA_STABLE doca_error_t doca_mmap_get_user_data(struct doca_mmap *mmap,
						 union doca_data *user_data);

/**
 * Gets how many devices the map may have.
 * @param mmap memory map
 * @param max_num_devices receives the number
 * @return DOCA_SUCCESS
 * Since 1.5.
 */
DOCA_STABLE doca_error_t doca_mmap_get_max_num_devices(struct doca_mmap *mmap,
						       uint32_t *max_num_devices);

/**
 * Gets how many buffers of a map exist, in all its chunks.
 * @param mmap memory map
 * @param num_bufs receives the number
 * @return DOCA_SUCCESS
 * Since 1.5.
 */
DOCA_STABLE doca_error_t doca_mmap_get_num_bufs(struct doca_mmap *mmap, uint32_t *num_bufs);

/**
 * Gets whether the map is exported.
 * @param mmap memory map
 * @param exported receives 1 or 0
 * @return DOCA_SUCCESS
 * Since 1.5.
 */
DOCA_STABLE doca_error_t doca_mmap_get_exported(struct doca_mmap *mmap, uint8_t *exported);

/**
 * Gets whether the map was created from an export.
 * @param mmap memory map
 * @param from_export receives 1 or 0
 * @return DOCA_SUCCESS
 * Since 1.5.
 */
DOCA_STABLE doca_error_t doca_mmap_get_from_export(struct doca_mmap *mmap, uint8_t *from_export);
#endif

/* Calls of later versions. */
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
