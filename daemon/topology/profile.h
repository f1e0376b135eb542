/* Capability profiles: limits that devices report and that the daemon enforces. Constant data. */
#ifndef DAEMON_TOPOLOGY_PROFILE_H
#define DAEMON_TOPOLOGY_PROFILE_H

#include <stddef.h>
#include <stdbool.h>
#include <stdint.h>

struct caps {
	bool dma;
	uint64_t dma_max_buf_size; /* bytes */
	uint32_t dma_max_list_len;
	uint32_t dma_max_tasks;
	bool export_pci;
	bool import_pci;
	bool export_rdma;
	bool comch_server;
	bool comch_client;
	uint32_t comch_max_name_len;   /* bytes, including the NUL */
	uint32_t comch_max_msg_size;   /* bytes */
	uint32_t comch_max_recv_queue; /* messages */
	uint32_t comch_max_clients;
	uint32_t comch_max_send_tasks;
	bool rep_filter_all;
	bool rep_filter_net;
	bool rep_filter_emulated;
	bool hotplug_manager;
	bool notification_moderation;
	uint32_t max_devices_per_mmap;
	bool sync_event;
	bool sync_export_pci;
	bool sync_import_pci;
	bool sync_export_net;
	bool sync_import_net;
	uint32_t sync_max_tasks;
	bool comch_producer;
	bool comch_consumer;
	uint32_t comch_max_producers;
	uint32_t comch_max_consumers;
	uint32_t comch_fast_max_tasks;
	uint32_t comch_fast_max_buf_size;
	uint32_t comch_fast_max_list_len;
	uint32_t comch_max_imm_len;
	uint32_t sha_algorithms;
	uint32_t sha_partial_algorithms;
	uint64_t sha_max_src_size;
	uint32_t sha_max_list_len;
	uint32_t sha_max_tasks;
	uint32_t compress_tasks;
	uint64_t compress_max_buf_size;
	uint32_t compress_max_list_len;
	uint32_t compress_max_tasks;
	uint32_t aes_gcm_keys; /* sum of 1 (128 bits) and 2 (256 bits) */
	uint32_t aes_gcm_tags; /* sum of 1 (96 bits) and 2 (128 bits) */
	uint32_t aes_gcm_max_iv_len;
	uint64_t aes_gcm_max_buf_size;
	uint32_t aes_gcm_max_list_len;
	uint32_t aes_gcm_max_tasks;
	bool mmap_advise;
	uint64_t mmap_advise_max_buf_size;
	bool rdma;
	uint32_t rdma_max_send_queue; /* requests of one queue pair */
	uint32_t rdma_max_recv_queue; /* receives of one RDMA context */
	uint32_t rdma_max_sges;
	uint32_t rdma_max_message; /* bytes */
	uint32_t rdma_max_qps;     /* queue pairs of one RDMA context */
	uint32_t rdma_max_mtu;     /* bytes */
	bool ec;                   /* erasure coding */
	uint64_t ec_max_block_size;
	uint32_t ec_max_list_len;
	uint32_t ec_max_tasks;
	uint32_t ec_max_data_blocks; /* of one matrix */
	uint32_t ec_max_rdnc_blocks;
};

struct profile {
	const char *name;
	const char *about;
	struct caps caps; /* limits; capabilities that depend on the side are set per device */
};

/* Returns NULL if there is no profile of that name. */
const struct profile *profile_find(const char *name);
/* Returns a list for messages: "unlimited, bf2, bf3". */
const char *profile_names(void);
/* Returns the i-th profile, or NULL at the end. */
const struct profile *profile_at(size_t i);

#endif
