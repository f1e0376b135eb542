/* The capability profiles; see profile.h. */
#include "daemon/topology/profile.h"

#include <string.h>

#include "util/util.h"

/*
 * No C object is longer (PTRDIFF_MAX), so this limits nothing. It is not UINT64_MAX, because
 * programs add to a reported limit before they divide: (len + max - 1) / max.
 */
#define SIZE_NO_LIMIT ((uint64_t)INT64_MAX)
/* SHA-1 and SHA-256 end with the message's length in bits, a 64-bit number. */
#define SHA_NO_LIMIT ((UINT64_C(1) << 61) - 1)
/* The counter of GCM has 32 bits, and two of its values are not for data. */
#define AES_GCM_NO_LIMIT ((UINT64_C(1) << 36) - 32)
/* The longest IV that libcrypto takes. */
#define AES_GCM_MAX_IV_LEN 128
/* Programs allocate lists of the length that a device reports, so it must be finite. */
#define LIST_NO_LIMIT 65536
/* A context reserves address space of this size for the memory of other processes. */
#define COMPRESS_NO_LIMIT (UINT64_C(1) << 30)

/* Capabilities that all card generations share. */
#define CAPS_COMMON                                                                        \
	.dma = true, .export_rdma = true, .rep_filter_all = true, .rep_filter_net = true,  \
	.rep_filter_emulated = true, .sync_event = true, .sync_export_pci = true,          \
	.sync_import_pci = true, .sync_export_net = true, .sync_import_net = true,         \
	.comch_producer = true, .comch_consumer = true, .mmap_advise = true, .rdma = true, \
	.rdma_max_mtu = 4096, .ec = true

/* All three algorithms, in one task or in several partial ones. */
#define CAPS_SHA .sha_algorithms = 7, .sha_partial_algorithms = 7

/*
 * Erasure coding. A block of 1 GiB is the largest that fits the 32-bit limit of the 2.2 interface.
 * A code over bytes has at most 256 blocks in all.
 */
#define EC_NO_LIMIT                                                                                \
	.ec_max_block_size = 1u << 30, .ec_max_list_len = LIST_NO_LIMIT, .ec_max_tasks = 1u << 20, \
	.ec_max_data_blocks = 255, .ec_max_rdnc_blocks = 255
#define EC_OF_CARDS                                                                   \
	.ec_max_block_size = 2u << 20, .ec_max_list_len = 128, .ec_max_tasks = 65536, \
	.ec_max_data_blocks = 128, .ec_max_rdnc_blocks = 32

/* Tasks of compression: bits of Caps.compress_tasks in proto/dococore.proto. */
#define COMPRESS_DEFLATE   1u
#define DECOMPRESS_DEFLATE 2u
#define DECOMPRESS_LZ4     12u /* streams and blocks */
/* Keys of 128 and 256 bits. */
#define CAPS_AES_GCM .aes_gcm_keys = 3

/* The limits of cards. */
#define CAPS_AES_GCM_LIMITS                                                            \
	.aes_gcm_tags = 3, .aes_gcm_max_iv_len = 12, .aes_gcm_max_buf_size = 2u << 20, \
	.aes_gcm_max_list_len = 64, .aes_gcm_max_tasks = 65536

static const struct profile profiles[] = {
	{
		.name = "unlimited",
		.about = "no limit that the implementation does not need",
		.caps =
			{
				CAPS_COMMON,
				CAPS_SHA,
				/*
				 * Cards import host memory on the DPU, but not the other way round.
				 */
				.export_pci = true,
				.import_pci = true,
				.dma_max_buf_size = SIZE_NO_LIMIT,
				.dma_max_list_len = LIST_NO_LIMIT,
				.dma_max_tasks = 1u << 20,
				.comch_max_name_len = 256,
				/* Programs allocate buffers of this size on their stacks. */
				.comch_max_msg_size = 1u << 20,
				.comch_max_recv_queue = 65536,
				.comch_max_clients = 65536,
				.comch_max_send_tasks = 65536,
				.hotplug_manager = true,
				.notification_moderation = true,
				.max_devices_per_mmap = 1024,
				.sync_max_tasks = 1u << 20,
				.comch_max_producers = 4096,
				.comch_max_consumers = 256,
				.comch_fast_max_tasks = 65536,
				.comch_fast_max_buf_size = 1u << 30,
				.comch_fast_max_list_len = 1,
				.comch_max_imm_len = 256,
				.sha_max_src_size = SHA_NO_LIMIT,
				.sha_max_list_len = LIST_NO_LIMIT,
				.sha_max_tasks = 1u << 20,
				.compress_tasks = COMPRESS_DEFLATE | DECOMPRESS_DEFLATE |
						  DECOMPRESS_LZ4,
				.compress_max_buf_size = COMPRESS_NO_LIMIT,
				.compress_max_list_len = LIST_NO_LIMIT,
				.compress_max_tasks = 1u << 20,
				CAPS_AES_GCM,
				.aes_gcm_tags = 3,
				.aes_gcm_max_iv_len = AES_GCM_MAX_IV_LEN,
				.aes_gcm_max_buf_size = AES_GCM_NO_LIMIT,
				.aes_gcm_max_list_len = LIST_NO_LIMIT,
				.aes_gcm_max_tasks = 1u << 20,
				.mmap_advise_max_buf_size = SIZE_NO_LIMIT,
				.rdma_max_send_queue = 65536,
				.rdma_max_recv_queue = 65536,
				.rdma_max_sges = 64,
				.rdma_max_message = 1u << 30,
				.rdma_max_qps = 4096,
				EC_NO_LIMIT,
			},
	},
	{
		.name = "bf2",
		.about = "as a BlueField-2",
		.caps =
			{
				CAPS_COMMON,
				CAPS_SHA,
				.dma_max_buf_size = 2u << 20,
				.dma_max_list_len = 64,
				.dma_max_tasks = 65536,
				.comch_max_name_len = 120,
				.comch_max_msg_size = 4080,
				.comch_max_recv_queue = 8192,
				.comch_max_clients = 512,
				.comch_max_send_tasks = 8192,
				.max_devices_per_mmap = 64,
				.sync_max_tasks = 8192,
				.comch_max_producers = 64,
				.comch_max_consumers = 64,
				.comch_fast_max_tasks = 8192,
				.comch_fast_max_buf_size = 2u << 20,
				.comch_fast_max_list_len = 1,
				.comch_max_imm_len = 32,
				.sha_max_src_size = 2u << 30,
				.sha_max_list_len = 128,
				.sha_max_tasks = 65536,
				.compress_tasks = COMPRESS_DEFLATE | DECOMPRESS_DEFLATE,
				.compress_max_buf_size = 128u << 20,
				.compress_max_list_len = 128,
				.compress_max_tasks = 65536,
				/*
				 * The generation has no AES-GCM; these limits apply to functions
				 * that get AES-GCM from their topology.
				 */
				CAPS_AES_GCM_LIMITS,
				.mmap_advise_max_buf_size = 2u << 20,
				.rdma_max_send_queue = 8192,
				.rdma_max_recv_queue = 8192,
				.rdma_max_sges = 30,
				.rdma_max_message = 1u << 30,
				.rdma_max_qps = 1024,
				EC_OF_CARDS,
			},
	},
	{
		.name = "bf3",
		.about = "as a BlueField-3",
		.caps =
			{
				CAPS_COMMON,
				.dma_max_buf_size = 2u << 20,
				.dma_max_list_len = 64,
				.dma_max_tasks = 65536,
				.comch_max_name_len = 120,
				.comch_max_msg_size = 4080,
				.comch_max_recv_queue = 8192,
				.comch_max_clients = 512,
				.comch_max_send_tasks = 8192,
				.hotplug_manager = true,
				.notification_moderation = true,
				.max_devices_per_mmap = 64,
				.sync_max_tasks = 8192,
				.comch_max_producers = 64,
				.comch_max_consumers = 64,
				.comch_fast_max_tasks = 8192,
				.comch_fast_max_buf_size = 2u << 20,
				.comch_fast_max_list_len = 1,
				.comch_max_imm_len = 32,
				/*
				 * The generation has no SHA; these limits apply to functions that
				 * get SHA from their topology.
				 */
				.sha_max_src_size = 2u << 30,
				.sha_max_list_len = 128,
				.sha_max_tasks = 65536,
				.compress_tasks = DECOMPRESS_DEFLATE | DECOMPRESS_LZ4,
				.compress_max_buf_size = 2u << 20,
				.compress_max_list_len = 128,
				.compress_max_tasks = 65536,
				CAPS_AES_GCM,
				CAPS_AES_GCM_LIMITS,
				.mmap_advise_max_buf_size = 2u << 20,
				.rdma_max_send_queue = 8192,
				.rdma_max_recv_queue = 8192,
				.rdma_max_sges = 30,
				.rdma_max_message = 1u << 30,
				.rdma_max_qps = 1024,
				EC_OF_CARDS,
			},
	},
};

const struct profile *profile_find(const char *name)
{
	for (size_t i = 0; i < ARRAY_LEN(profiles); i++)
		if (strcmp(profiles[i].name, name) == 0)
			return &profiles[i];
	return NULL;
}

const char *profile_names(void)
{
	return "unlimited, bf2, bf3";
}

const struct profile *profile_at(size_t i)
{
	return i < ARRAY_LEN(profiles) ? &profiles[i] : NULL;
}
