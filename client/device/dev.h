/*
 * Devices and representors as the daemon describes them. A device record is reference-counted;
 * lists and open devices share it. There is one instance of doca_dev per open device, and a count
 * of how often it was opened. Threads: any thread may call every function.
 */
#ifndef CLIENT_DEVICE_DEV_H
#define CLIENT_DEVICE_DEV_H

#include <doca_dev.h>

#include "client/control/session.h"

struct dev_caps {
	bool dma, export_pci, import_pci, export_rdma, comch_server, comch_client;
	bool rep_filter_all, rep_filter_net, rep_filter_emulated, hotplug_manager;
	bool notification_moderation;
	uint64_t dma_max_buf_size;
	uint32_t dma_max_list_len, dma_max_tasks;
	uint32_t comch_max_name_len, comch_max_msg_size, comch_max_recv_queue;
	uint32_t comch_max_clients, comch_max_send_tasks;
	uint32_t max_devices_per_mmap;
	bool sync_event, sync_export_pci, sync_import_pci, sync_export_net, sync_import_net;
	uint32_t sync_max_tasks;
	bool comch_producer, comch_consumer;
	uint32_t comch_max_producers, comch_max_consumers; /* per connection */
	uint32_t comch_fast_max_tasks, comch_fast_max_buf_size, comch_fast_max_list_len;
	uint32_t comch_max_imm_len;
	uint32_t sha_algorithms, sha_partial_algorithms; /* bit n: enum doca_sha_algorithm n */
	uint64_t sha_max_src_size;
	uint32_t sha_max_list_len, sha_max_tasks;
	uint32_t compress_tasks; /* bits of enum compress_kind, see client/compress/compress.h */
	uint64_t compress_max_buf_size;
	uint32_t compress_max_list_len, compress_max_tasks;
	uint32_t aes_gcm_keys;       /* bits of enum doca_aes_gcm_key_type */
	uint32_t aes_gcm_tags;       /* 1: of 96 bits; 2: of 128 bits */
	uint32_t aes_gcm_max_iv_len; /* bytes */
	uint64_t aes_gcm_max_buf_size;
	uint32_t aes_gcm_max_list_len, aes_gcm_max_tasks;
	bool mmap_advise;
	uint64_t mmap_advise_max_buf_size;
	bool rdma; /* the topology's key `rdma`: the device may be used for RDMA */
	uint32_t rdma_max_send_queue, rdma_max_recv_queue, rdma_max_sges;
	uint32_t rdma_max_message, rdma_max_qps, rdma_max_mtu;
	bool ec; /* erasure coding */
	uint64_t ec_max_block_size;
	uint32_t ec_max_list_len, ec_max_tasks, ec_max_data_blocks, ec_max_rdnc_blocks;
};

/*
 * Returns the size that a capability query reports for a limit of a device. Programs allocate
 * buffers of the size that it reports. A limit of 1 GiB or more, as in the profile `unlimited`,
 * is therefore reported as the 2 MiB of cards; the device accepts sizes up to its limit.
 */
static inline uint64_t dev_report_size(uint64_t limit)
{
	return limit < UINT64_C(1) << 30 ? limit : UINT64_C(2) << 20;
}

#define DEV_MAX_GIDS 64u

struct doca_devinfo {
	_Atomic uint32_t refs;
	uint32_t id;
	char name[64];
	char pci_addr[13];
	char vuid[128];
	char iface[256];
	char ibdev[64];
	uint8_t ipv4[4], ipv6[16], mac[6];
	bool has_ipv4, has_ipv6, has_mac, has_lid;
	uint32_t func_type, sf_index;
	uint16_t vhca_id, lid;
	uint64_t active_rate;
	struct dev_caps caps;
	/* The device was opened from a protection domain; the record is in no list. */
	bool is_of_pd;
	/* From the machine's IB device that the device is bound to, as of the creation of
	 * the list. */
	bool is_bound;
	uint32_t port_state; /* InfiniBand's number: 1 down, 4 active; 0 unknown */
	uint32_t mtu;        /* the port's MTU in bytes; 0 unknown */
	uint32_t n_gids;
	uint8_t gids[DEV_MAX_GIDS][16]; /* indexed as in the device's table; all zeros: unused */
};

struct rpc_pending;

/*
 * The liveness word of a device: it shows whether the device is still present. Each opening at a
 * daemon has one. Those of earlier daemons are kept until the device is closed, because a reader
 * may be using one.
 */
struct dev_liveness {
	struct dev_liveness *older;
	struct session_page *page;
	uint32_t slot, generation;
};

struct doca_dev {
	struct session_item item;
	struct list node; /* in the list of the process's open devices */
	struct doca_devinfo *info;
	uint64_t handle;                         /* at the daemon; a reconnect changes it */
	_Atomic(struct dev_liveness *) liveness; /* NULL: the device cannot be removed */
	bool was_removed;                        /* another device of this name may be open */
	uint32_t n_opens;
	_Atomic uint32_t n_users; /* contexts and memory maps that hold a reference */
	/* The application's protection domain that the device was opened from: objects on its RDMA
	 * device are created there. NULL: the provider has a protection domain of its own. */
	struct ibv_pd *users_pd;
	/* Keeps the protection domain that was returned to the application; NULL: none. */
	_Atomic(void *) pd_holder;
	struct ibv_pd *returned_pd; /* set before pd_holder */
	void (*pd_holder_free)(void *pd_holder);
};

struct doca_devinfo_rep {
	_Atomic uint32_t refs;
	uint32_t id;
	struct doca_dev *dev; /* the device that it was listed on; no reference is held */
	char name[64];
	char pci_addr[13];
	char vuid[128];
	char iface[256];
	uint32_t func_type;
	uint16_t vhca_id;
	bool is_hotplug;
};

struct doca_dev_rep {
	struct session_item item;
	struct doca_devinfo_rep *info;
	uint64_t handle;
	_Atomic uint32_t n_users;
};

/* Returns the handle for a request under the same lock. If the device could not be opened when the
 * session was restored, because a daemon lacked it or had no room, this tries again. */
doca_error_t dev_get_handle_locked(struct doca_dev *dev, uint64_t *handle_out);
/* Like dev_get_handle_locked() without waiting, for a device without a handle; see
 * client/control/rpc.h. After the end, `handle` is set. */
doca_error_t dev_open_begin_locked(const struct doca_dev *dev, void (*on_done)(void *user),
				   void *user, struct rpc_pending **pending_out);
doca_error_t dev_open_end_locked(struct doca_dev *dev, struct rpc_pending **pending);

/* Adds a user. While there are users, doca_dev_close() returns IN_USE. */
static inline void dev_hold(struct doca_dev *dev)
{
	atomic_fetch_add(&dev->n_users, 1);
}
static inline void dev_release(struct doca_dev *dev)
{
	atomic_fetch_sub(&dev->n_users, 1);
}

/* Returns whether the device was removed from the machine: what uses it fails, and it should be
 * closed. One load, no call to the daemon. Any thread, until the device is closed. */
static inline bool dev_is_removed(const struct doca_dev *dev)
{
	const struct dev_liveness *liveness = atomic_load_explicit(&dev->liveness,
								   memory_order_acquire);

	return liveness != NULL &&
	       atomic_load_explicit(&liveness->page->words[liveness->slot], memory_order_acquire) !=
		       liveness->generation;
}

/* --- dev.c --- */

/* Like dev_is_removed(), according to a running daemon: when a session ends all its words end, and
 * the new session decides. Without a daemon the device counts as present. */
bool dev_check_removed(const struct doca_dev *dev);
bool dev_check_removed_locked(const struct doca_dev *dev);
/* For callers that must not wait and will ask again: if there is no connection, the library's
 * thread opens one meanwhile. */
bool dev_check_removed_async(const struct doca_dev *dev);

/*
 * Opens the device of that name, with the caller's record. users_pd is the protection domain that
 * it is opened from, or NULL. There is one instance per name and protection domain, with a count.
 */
doca_error_t dev_open(struct doca_devinfo *info, struct ibv_pd *users_pd,
		      struct doca_dev **dev_out);

/* Implements doca_dev_close(). */
doca_error_t dev_close(struct doca_dev *dev);
doca_error_t dev_rep_open(struct doca_devinfo_rep *devinfo, struct doca_dev_rep **rep_out);
doca_error_t dev_rep_close(struct doca_dev_rep *rep);

/* --- devinfo.c: implementations of the queries of all generations --- */

/* Returns false and records INVALID_VALUE, with an error sentence that begins with `what`, if one
 * of the pointers is NULL. */
bool devinfo_ok(const void *info, const void *out, const char *what);
/* Copies a field of fixed size. The caller's buffer must have at least `need` bytes, which are all
 * written. */
doca_error_t devinfo_get_string(const char *value, char *out, uint32_t size, uint32_t need,
				const char *what);
/* Like devinfo_get_string(), for an address that the device may lack; then returns `none`. */
doca_error_t devinfo_get_bytes(const uint8_t *value, bool has, uint8_t *out, uint32_t size,
			       uint32_t need, doca_error_t none, const char *what,
			       const char *name);
doca_error_t devinfo_get_ipv4(const struct doca_devinfo *devinfo, uint8_t *out, uint32_t size,
			      doca_error_t none);
doca_error_t devinfo_get_iface_name(const struct doca_devinfo *devinfo, char *out, uint32_t size);
/* `out` is the caller's pointer, which is only checked. */
doca_error_t devinfo_get_active_rate(const struct doca_devinfo *devinfo, const void *out,
				     uint64_t *rate_out);
doca_error_t devinfo_compare_pci_addr(const struct doca_devinfo *devinfo, const char *pci_addr_str,
				      uint8_t *is_equal);
doca_error_t devinfo_rep_compare_pci_addr(const struct doca_devinfo_rep *rep,
					  const char *pci_addr_str, uint8_t *is_equal);

#endif
