/*
 * Keys of memory: they give an RDMA device access to the range of a memory map. A key is made when
 * the memory map is exported for such a device, or when one of the device's requests first uses the
 * memory map. It ends when the memory map stops, or when an operator revokes the export; from then
 * on the device refuses requests with the key. Threads: several threads that use a started memory
 * map may look up and make keys at the same time. A memory map stops only when it is not in use.
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

/* A provider's own object begins with this struct. */
struct mem_key {
	struct mem_key *next; /* the memory map's next key; constant once the key is in the list */
	const void *device;   /* the provider's object for the device that accepts the key */
	uint32_t local, remote;
	/* Peers may use the key, as the memory map's permissions say. Once cleared, it is never set
	 * again. */
	_Atomic bool is_remote;
	_Atomic bool is_dead; /* the key is invalid for everybody */
	void (*free)(struct mem_key *key);
};

struct mem_key_ops {
	/* Returns whether the device can use keys that other processes made. */
	bool (*serves)(const struct doca_devinfo *info);
	/*
	 * Makes a key for peers that use this device, with the rights DOCA_ACCESS_FLAG_RDMA_*. They
	 * address the memory from `known_as` on. The caller owns the key, which is in no list, and
	 * frees it. Returns NOT_SUPPORTED without an error sentence if the device is not the
	 * provider's; other errors come with a sentence.
	 */
	doca_error_t (*make)(struct doca_dev *dev, void *addr, uint64_t known_as, size_t len,
			     uint32_t rights, struct mem_key **key_out);
	/* Returns the memory map's key for peers, with the rights that its permissions for RDMA
	 * give. Results as for `make`. */
	doca_error_t (*get_remote)(struct doca_mmap *mmap, struct doca_dev *dev, uint32_t *key_out);
	/* Refuses the key to peers from here on; the memory map may get another key. Does nothing
	 * if the key is unknown or was revoked before. Any thread, until the memory map stops. */
	void (*revoke)(struct doca_mmap *mmap, uint32_t key);

	/* --- for programs that use a device of rdma-core themselves, see
	 * client/memory/rdma_bridge.h --- */

	/* Returns the key that this process uses. Peers may use it too, as far as the memory map
	 * permits. Results as for `make`. */
	doca_error_t (*get_local)(struct doca_mmap *mmap, struct doca_dev *dev, uint32_t *key_out);
	/* Returns the name of the RDMA device behind a protection domain, or NULL. */
	const char *(*pd_device)(const struct ibv_pd *pd);
	/*
	 * Returns the protection domain in which the device's keys are valid, kept by
	 * dev->pd_holder. Returns NOT_SUPPORTED without an error sentence if the device is not the
	 * provider's.
	 */
	doca_error_t (*get_pd)(struct doca_dev *dev, struct ibv_pd **pd_out);
};

/* All providers of keys, terminated by NULL. Defined in client/providers.c. */
extern const struct mem_key_ops *const mem_key_table[];

/* Returns whether requests of the device need keys. Defined in client/memory/transport.c. */
bool mem_keys_serve(const struct doca_devinfo *info);
/* Returns the first key for the device that is valid, and valid for peers if must_be_remote; or
 * NULL. Defined in client/memory/mmap.c. */
const struct mem_key *mem_key_find(const struct doca_mmap *mmap, const void *device,
				   bool must_be_remote);
void mem_key_add(struct doca_mmap *mmap, struct mem_key *key);

#endif
