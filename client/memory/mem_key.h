/*
 * Keys of memory: what lets an RDMA device at the range of a mmap. A key is made when the mmap is
 * exported for such a device, or when a request of it first names the mmap, and goes when the mmap
 * stops, or when an operator revokes the export; from then on the device refuses who still has it.
 * Threads: those that use a started mmap find keys at once, and may make one; the mmap stops when
 * nobody uses it.
 */
#ifndef CLIENT_MEMORY_MEM_KEY_H
#define CLIENT_MEMORY_MEM_KEY_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include <doca_error.h>

struct doca_dev;
struct doca_devinfo;
struct doca_mmap;
struct ibv_pd;

/* A provider puts it first in its own object. */
struct mem_key {
	struct mem_key *next; /* of the mmap; fixed once the key is in its list */
	const void *device;   /* that it is good for: the provider's */
	uint32_t local, remote;
	/* Peers may use it, as the mmap's permissions say. Once they may not, never again. */
	_Atomic bool is_remote;
	_Atomic bool is_dead; /* nobody may use it */
	void (*free)(struct mem_key *key);
};

struct mem_key_ops {
	/* True if the device can use keys that others gave. */
	bool (*serves)(const struct doca_devinfo *info);
	/*
	 * A key that peers use by way of this device, with rights DOCA_ACCESS_FLAG_RDMA_*. They
	 * name the memory by addresses from `known_as` on. The caller owns the key, which is in no
	 * list, and frees it. NOT_SUPPORTED without a sentence: the device is none of the
	 * provider's. Other errors come with one.
	 */
	doca_error_t (*make)(struct doca_dev *dev, void *addr, uint64_t known_as, size_t len,
			     uint32_t rights, struct mem_key **key_out);
	/* The mmap's key that peers use as its permissions for RDMA say. Codes as those of make. */
	doca_error_t (*get_remote)(struct doca_mmap *mmap, struct doca_dev *dev, uint32_t *key_out);
	/*
	 * Peers that use the key are refused from here on; the mmap may get another. Nothing
	 * happens if the key is of somebody else, or was taken back before. Any thread, until the
	 * mmap stops.
	 */
	void (*revoke)(struct doca_mmap *mmap, uint32_t key);

	/* For programs that use a device of rdma-core themselves, see client/memory/rdma_bridge.h.
	 */

	/* The key that this process uses; peers may use it as well as far as the mmap permits.
	 * Codes as those of make. */
	doca_error_t (*get_own)(struct doca_mmap *mmap, struct doca_dev *dev, uint32_t *key_out);
	/* Name of the RDMA device behind a protection domain; NULL: it has none. */
	const char *(*pd_device)(const struct ibv_pd *pd);
	/* The protection domain that keys of the device are good in, kept by dev->pd_holder.
	 * NOT_SUPPORTED without a sentence: none of the provider's. */
	doca_error_t (*get_pd)(struct doca_dev *dev, struct ibv_pd **pd_out);
};

/* NULL-terminated. Defined in client/mem_keys.c. */
extern const struct mem_key_ops *const mem_key_table[];

/* True if requests of the device need keys. In transport.c. */
bool mem_keys_serve(const struct doca_devinfo *info);
/* In mmap.c. The first of a device that is good for that, or NULL. */
const struct mem_key *mem_key_find(const struct doca_mmap *mmap, const void *device,
				   bool must_be_remote);
void mem_key_add(struct doca_mmap *mmap, struct mem_key *key);

#endif
