/*
 * Values that are part of the binary interface: every enumerator and numeric macro of the public
 * headers, the sizes of the public structures, and the few macros that do something. Most of it is
 * decided when this file compiles; main checks what only shows when it runs. Needs no library, one
 * thread.
 */
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <doca_types.h>
#include <doca_error.h>
#include <doca_compat.h>
#include <doca_config.h>
#include <doca_version.h>
#include <doca_build_config.h>
#include <doca_dev.h>
#include <doca_mmap.h>
#include <doca_buf.h>
#include <doca_buf_array.h>
#include <doca_buf_inventory.h>
#include <doca_buf_pool.h>
#include <doca_ctx.h>
#include <doca_pe.h>
#include <doca_dma.h>
#include <doca_log.h>
#include <doca_argp.h>
#include <doca_comch.h>
#include <doca_sha.h>
#include <doca_comch_consumer.h>
#include <doca_comch_producer.h>
#include <doca_sync_event.h>

#define IS(name, value)  _Static_assert((name) == (value), #name " is not " #value)
#define SIZE(type, size) _Static_assert(sizeof(type) == (size), "sizeof " #type " is not " #size)

/* doca_types.h */
IS(DOCA_ACCESS_FLAG_LOCAL_READ_ONLY, 0);
IS(DOCA_ACCESS_FLAG_LOCAL_READ_WRITE, 1);
IS(DOCA_ACCESS_FLAG_RDMA_READ, 2);
IS(DOCA_ACCESS_FLAG_RDMA_WRITE, 4);
IS(DOCA_ACCESS_FLAG_RDMA_ATOMIC, 8);
IS(DOCA_ACCESS_FLAG_PCI_READ_ONLY, 16);
IS(DOCA_ACCESS_FLAG_PCI_READ_WRITE, 32);
IS(DOCA_ACCESS_FLAG_PCI_RELAXED_ORDERING, 64);
IS(DOCA_PCI_FUNC_TYPE_PF, 0);
IS(DOCA_PCI_FUNC_TYPE_VF, 1);
IS(DOCA_PCI_FUNC_TYPE_SF, 2);
IS(DOCA_GPU_MEM_TYPE_GPU, 0);
IS(DOCA_GPU_MEM_TYPE_GPU_CPU, 1);
IS(DOCA_GPU_MEM_TYPE_CPU_GPU, 2);
IS(DOCA_ETH_WAIT_ON_TIME_TYPE_NONE, 0);
IS(DOCA_ETH_WAIT_ON_TIME_TYPE_NATIVE, 1);
IS(DOCA_ETH_WAIT_ON_TIME_TYPE_DPDK, 2);
IS(DOCA_MTU_SIZE_256_BYTES, 0);
IS(DOCA_MTU_SIZE_512_BYTES, 1);
IS(DOCA_MTU_SIZE_1K_BYTES, 2);
IS(DOCA_MTU_SIZE_2K_BYTES, 3);
IS(DOCA_MTU_SIZE_4K_BYTES, 4);
IS(DOCA_MTU_SIZE_RAW_ETHERNET, 5);
IS(doca_event_invalid_handle, -1);
IS(DOCA_GID_BYTE_LENGTH, 16);

/* doca_error.h */
IS(DOCA_SUCCESS, 0);
IS(DOCA_ERROR_UNKNOWN, 1);
IS(DOCA_ERROR_NOT_PERMITTED, 2);
IS(DOCA_ERROR_IN_USE, 3);
IS(DOCA_ERROR_NOT_SUPPORTED, 4);
IS(DOCA_ERROR_AGAIN, 5);
IS(DOCA_ERROR_INVALID_VALUE, 6);
IS(DOCA_ERROR_NO_MEMORY, 7);
IS(DOCA_ERROR_INITIALIZATION, 8);
IS(DOCA_ERROR_TIME_OUT, 9);
IS(DOCA_ERROR_SHUTDOWN, 10);
IS(DOCA_ERROR_CONNECTION_RESET, 11);
IS(DOCA_ERROR_CONNECTION_ABORTED, 12);
IS(DOCA_ERROR_CONNECTION_INPROGRESS, 13);
IS(DOCA_ERROR_NOT_CONNECTED, 14);
IS(DOCA_ERROR_NO_LOCK, 15);
IS(DOCA_ERROR_NOT_FOUND, 16);
IS(DOCA_ERROR_IO_FAILED, 17);
IS(DOCA_ERROR_BAD_STATE, 18);
IS(DOCA_ERROR_UNSUPPORTED_VERSION, 19);
IS(DOCA_ERROR_OPERATING_SYSTEM, 20);
IS(DOCA_ERROR_DRIVER, 21);
IS(DOCA_ERROR_UNEXPECTED, 22);
IS(DOCA_ERROR_ALREADY_EXIST, 23);
IS(DOCA_ERROR_FULL, 24);
IS(DOCA_ERROR_EMPTY, 25);
IS(DOCA_ERROR_IN_PROGRESS, 26);
IS(DOCA_ERROR_TOO_BIG, 27);
IS(DOCA_ERROR_AUTHENTICATION, 28);
IS(DOCA_ERROR_BAD_CONFIG, 29);
IS(DOCA_ERROR_SKIPPED, 30);
IS(DOCA_ERROR_DEVICE_FATAL_ERROR, 31);

/* doca_dev.h */
IS(DOCA_DEVINFO_REP_FILTER_ALL, 0);
IS(DOCA_DEVINFO_REP_FILTER_NET, 2);
IS(DOCA_DEVINFO_REP_FILTER_EMULATED, 4);
IS(DOCA_DEVINFO_VUID_SIZE, 128);
IS(DOCA_DEVINFO_IPV4_ADDR_SIZE, 4);
IS(DOCA_DEVINFO_IPV6_ADDR_SIZE, 16);
IS(DOCA_DEVINFO_MAC_ADDR_SIZE, 6);
IS(DOCA_DEVINFO_IFACE_NAME_SIZE, 256);
IS(DOCA_DEVINFO_IBDEV_NAME_SIZE, 64);
IS(DOCA_DEVINFO_PCI_ADDR_SIZE, 13);
IS(DOCA_DEVINFO_PCI_BDF_SIZE, 8);
IS(DOCA_DEVINFO_REP_VUID_SIZE, 128);
IS(DOCA_DEVINFO_REP_PCI_ADDR_SIZE, 13);
IS(DOCA_DEVINFO_REP_PCI_BDF_SIZE, 8);

/* doca_ctx.h */
IS(DOCA_CTX_STATE_IDLE, 0);
IS(DOCA_CTX_STATE_STARTING, 1);
IS(DOCA_CTX_STATE_RUNNING, 2);
IS(DOCA_CTX_STATE_STOPPING, 3);

/* doca_pe.h */
IS(DOCA_TASK_BATCH_MAX_TASKS_NUMBER_16, 0);
IS(DOCA_TASK_BATCH_MAX_TASKS_NUMBER_32, 1);
IS(DOCA_TASK_BATCH_MAX_TASKS_NUMBER_64, 2);
IS(DOCA_TASK_BATCH_MAX_TASKS_NUMBER_128, 3);
IS(DOCA_EVENT_BATCH_EVENTS_NUMBER_1, 0);
IS(DOCA_EVENT_BATCH_EVENTS_NUMBER_2, 1);
IS(DOCA_EVENT_BATCH_EVENTS_NUMBER_4, 2);
IS(DOCA_EVENT_BATCH_EVENTS_NUMBER_8, 3);
IS(DOCA_EVENT_BATCH_EVENTS_NUMBER_16, 4);
IS(DOCA_EVENT_BATCH_EVENTS_NUMBER_32, 5);
IS(DOCA_EVENT_BATCH_EVENTS_NUMBER_64, 6);
IS(DOCA_EVENT_BATCH_EVENTS_NUMBER_128, 7);
IS(DOCA_TASK_SUBMIT_FLAG_NONE, 0);
IS(DOCA_TASK_SUBMIT_FLAG_FLUSH, 1);
IS(DOCA_TASK_SUBMIT_FLAG_OPTIMIZE_REPORTS, 2);
IS(DOCA_PE_EVENT_MODE_PROGRESS_SELECTIVE, 0);
IS(DOCA_PE_EVENT_MODE_PROGRESS_ALL, 1);

/* doca_log.h */
IS(DOCA_LOG_LEVEL_DISABLE, 10);
IS(DOCA_LOG_LEVEL_CRIT, 20);
IS(DOCA_LOG_LEVEL_ERROR, 30);
IS(DOCA_LOG_LEVEL_WARNING, 40);
IS(DOCA_LOG_LEVEL_INFO, 50);
IS(DOCA_LOG_LEVEL_DEBUG, 60);
IS(DOCA_LOG_LEVEL_TRACE, 70);

/* doca_argp.h */
IS(DOCA_ARGP_TYPE_UNKNOWN, 0);
IS(DOCA_ARGP_TYPE_STRING, 1);
IS(DOCA_ARGP_TYPE_INT, 2);
IS(DOCA_ARGP_TYPE_BOOLEAN, 3);
IS(DOCA_ARGP_TYPE_DEVICE, 4);
IS(DOCA_ARGP_TYPE_DEVICE_REP, 5);
IS(DOCA_ARGP_TYPE_DOUBLE, 6);

/* doca_comch.h */
IS(DOCA_COMCH_COUNTER_SENT_MESSAGES, 1);
IS(DOCA_COMCH_COUNTER_SENT_BYTES, 2);
IS(DOCA_COMCH_COUNTER_RECV_MESSAGES, 3);
IS(DOCA_COMCH_COUNTER_RECV_BYTES, 4);

/* doca_sha.h */
IS(DOCA_SHA_ALGORITHM_SHA1, 0);
IS(DOCA_SHA_ALGORITHM_SHA256, 1);
IS(DOCA_SHA_ALGORITHM_SHA512, 2);

/* doca_version.h: what this release declares */
IS(DOCA_VERSION_MAJOR, 3);
IS(DOCA_VERSION_MINOR, 3);
IS(DOCA_VERSION_PATCH, 0);
IS(DOCA_VERSION_EXACT, 0x3030000);
IS(DOCA_VERSION_OFFICIAL, 0x3030000);
IS(DOCA_VERSION_CALC_EXACT(2, 10, 87), 0x20a0057);
IS(DOCA_VERSION_CALC(3, 0, 58), 0x3000000 | 58000);
IS(DOCA_VERSION_EQ_CURRENT(3, 3, 0), 1);
IS(DOCA_VERSION_EQ_CURRENT(3, 2, 0), 0);
IS(DOCA_VERSION_LTE_CURRENT(2, 9, 1), 1);
IS(DOCA_VERSION_LTE_CURRENT(3, 3, 0), 1);
IS(DOCA_VERSION_LTE_CURRENT(3, 4, 0), 0);

/* doca_build_config.h: this program is built for the host */
#if !defined(DOCA_ARCH_HOST) || defined(DOCA_ARCH_DPU) || !defined(DOCA_COMPAT_HELPERS)
#error "the build configuration is not that of a host program"
#endif
IS(DOCA_ARCH_DPU_BF2, 0);

/* sizes and layout of what programs hold themselves */
SIZE(doca_error_t, 4);
SIZE(enum doca_ctx_states, 4);
SIZE(enum doca_argp_type, 4);
SIZE(doca_event_handle_t, 4);
SIZE(doca_notification_handle_t, 4);
SIZE(doca_dpa_dev_mmap_t, 4);
SIZE(doca_be16_t, 2);
SIZE(doca_be32_t, 4);
SIZE(doca_be64_t, 8);
SIZE(union doca_data, 8);
SIZE(struct doca_gather_list, 2 * sizeof(void *) + 8);
IS(offsetof(struct doca_gather_list, addr), 0);
IS(offsetof(struct doca_gather_list, len), 8);
IS(offsetof(struct doca_gather_list, next), 16);
SIZE(struct doca_argp_device_ctx, 2 * sizeof(void *));
IS(offsetof(struct doca_argp_device_ctx, dev), 0);
IS(offsetof(struct doca_argp_device_ctx, devargs), sizeof(void *));
SIZE(struct doca_argp_device_rep_ctx, 3 * sizeof(void *));
IS(offsetof(struct doca_argp_device_rep_ctx, dev_ctx), 0);
IS(offsetof(struct doca_argp_device_rep_ctx, dev_rep), 2 * sizeof(void *));

struct versioned {
	DOCA_STRUCT_START;
	int value;
};

static int n_failed;

#define CHECK(cond) \
	((cond) ? (void)0 : (void)(n_failed++, fprintf(stderr, "line %d: %s\n", __LINE__, #cond)))

static void check_propagate(void)
{
	doca_error_t result = DOCA_SUCCESS;

	DOCA_ERROR_PROPAGATE(result, DOCA_SUCCESS);
	CHECK(!DOCA_IS_ERROR(result));
	DOCA_ERROR_PROPAGATE(result, DOCA_ERROR_AGAIN);
	CHECK(result == DOCA_ERROR_AGAIN && DOCA_IS_ERROR(result));
	DOCA_ERROR_PROPAGATE(result, DOCA_ERROR_EMPTY);
	CHECK(result == DOCA_ERROR_AGAIN);
	DOCA_ERROR_PROPAGATE(result, DOCA_SUCCESS);
	CHECK(result == DOCA_ERROR_AGAIN);
}

static void check_struct(void)
{
	struct versioned plain = {.value = 7};
	struct versioned listed = {DOCA_STRUCT_CTOR_LIST_START, .value = 7};
	DOCA_STRUCT_DEF(versioned, defined);

	CHECK(DOCA_STRUCT_GET_VERSION(&plain) == 0);
	DOCA_STRUCT_CTOR(plain);
	CHECK(DOCA_STRUCT_GET_VERSION(&plain) == DOCA_VERSION_EXACT && plain.value == 7);
	DOCA_STRUCT_MEMSET_CTOR(plain);
	CHECK(DOCA_STRUCT_GET_VERSION(&plain) == DOCA_VERSION_EXACT && plain.value == 0);

	CHECK(DOCA_STRUCT_GET_VERSION(&listed) == DOCA_VERSION_EXACT && listed.value == 7);
	CHECK(DOCA_STRUCT_GET_VERSION(&defined) == DOCA_VERSION_EXACT && defined.value == 0);

	memset(&plain, 0xff, sizeof(plain));
	DOCA_STRUCT_PTR_CTOR(&plain);
	CHECK(DOCA_STRUCT_GET_VERSION(&plain) == DOCA_VERSION_EXACT && plain.value == -1);
	DOCA_STRUCT_PTR_MEMSET_CTOR(&plain);
	CHECK(DOCA_STRUCT_GET_VERSION(&plain) == DOCA_VERSION_EXACT && plain.value == 0);
}

int main(void)
{
	CHECK(strcmp(doca_version(), DOCA_VERSION_STRING) == 0);
	CHECK(strcmp(DOCA_VERSION_STRING, "3.3.0") == 0);
	check_propagate();
	check_struct();
	return n_failed ? 1 : 0;
}
