/* The capability profiles; see profile.h. */
#include "daemon/profile.h"

#include <string.h>

#include "util/util.h"

/* What a card's generation does not change. */
#define CAPS_COMMON                                                                       \
	.dma = true, .export_rdma = true, .rep_filter_all = true, .rep_filter_net = true, \
	.rep_filter_emulated = true

static const struct profile profiles[] = {
	{
		.name = "unlimited",
		.about = "no limit that the implementation does not need",
		.caps =
			{
				CAPS_COMMON,
				.dma_max_buf_size = UINT64_MAX,
				.dma_max_list_len = UINT32_MAX,
				.dma_max_tasks = 1u << 20,
				.comch_max_name_len = 256,
				.comch_max_msg_size = 16u << 20,
				.comch_max_recv_queue = 65536,
				.comch_max_clients = 65536,
				.comch_max_send_tasks = 65536,
				.hotplug_manager = true,
				.notification_moderation = true,
				.max_devices_per_mmap = 1024,
			},
	},
	{
		.name = "bf2",
		.about = "as a BlueField-2",
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
				.max_devices_per_mmap = 64,
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
