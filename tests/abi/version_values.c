/*
 * Values of the types and version headers in the selected version; tests/abi/version_values.sh
 * compiles it for each. Most are checked at compile time. When run, it prints version and stamp.
 */
#include <stddef.h>
#include <stdio.h>

#include <doca_argp.h>
#include <doca_dev.h>
#include <doca_types.h>
#include <doca_error.h>
#include <doca_compat.h>
#include <doca_version.h>

#define IS(name, value)  _Static_assert((name) == (value), #name " is not " #value)
#define SIZE(type, size) _Static_assert(sizeof(type) == (size), "sizeof " #type " is not " #size)

/* The last codes of the list, so that no version has a shorter one. */
IS(DOCA_ERROR_BAD_STATE, 18);
IS(DOCA_ERROR_DEVICE_FATAL_ERROR, 31);

#if DOCA_USE_VERSION < 200
IS(DOCA_ACCESS_LOCAL_READ, 0);
IS(DOCA_ACCESS_LOCAL_WRITE, 1);
IS(DOCA_ACCESS_REMOTE_WRITE, 2);
IS(DOCA_ACCESS_REMOTE_READ, 4);
IS(DOCA_ACCESS_REMOTE_ATOMIC, 8);
SIZE(enum doca_access_flags, 4);
IS(PCI_FUNCTION_MAX_VALUE, 8);
IS(PCI_DEVICE_MAX_VALUE, 32);
IS(PCI_BUS_MAX_VALUE, 256);
SIZE(struct doca_pci_bdf, 2);
#elif DOCA_USE_VERSION < 205
IS(DOCA_ACCESS_LOCAL_READ_ONLY, 0);
IS(DOCA_ACCESS_LOCAL_READ_WRITE, 1);
IS(DOCA_ACCESS_RDMA_READ, 2);
IS(DOCA_ACCESS_RDMA_WRITE, 4);
IS(DOCA_ACCESS_RDMA_ATOMIC, 8);
IS(DOCA_ACCESS_DPU_READ_ONLY, 16);
IS(DOCA_ACCESS_DPU_READ_WRITE, 32);
SIZE(enum doca_access_flags, 4);
IS(DOCA_GPU_MEM_GPU, 0);
IS(DOCA_GPU_MEM_GPU_CPU, 1);
IS(DOCA_GPU_MEM_CPU, 2);
IS(DOCA_GPU_MEM_CPU_GPU, 3);
SIZE(enum doca_gpu_mem_type, 4);
IS(DOCA_ETH_WAIT_ON_TIME_NONE, 0);
IS(DOCA_ETH_WAIT_ON_TIME_NATIVE, 1);
IS(DOCA_ETH_WAIT_ON_TIME_DPDK, 2);
SIZE(enum doca_eth_wait_on_time, 4);
#else
IS(DOCA_ACCESS_FLAG_RDMA_READ, 2);
IS(DOCA_ACCESS_FLAG_RDMA_WRITE, 4);
IS(DOCA_PCI_FUNC_TYPE_SF, 2);
IS(DOCA_GPU_MEM_TYPE_CPU_GPU, 2);
IS(DOCA_ETH_WAIT_ON_TIME_TYPE_DPDK, 2);
#endif

#if DOCA_USE_VERSION < 205
IS(DOCA_PCI_FUNC_PF, 0);
IS(DOCA_PCI_FUNC_VF, 1);
IS(DOCA_PCI_FUNC_SF, 2);
__DOCA_EXPERIMENTAL extern int experimental;
DOCA_EXPORTED extern int exported;
#endif
SIZE(enum doca_pci_func_type, 4);
IS(DOCA_MTU_SIZE_RAW_ETHERNET, 5);

#if DOCA_USE_VERSION < 105
IS(DOCA_DEV_REMOTE_FILTER_ALL, 0);
IS(DOCA_DEV_REMOTE_FILTER_NET, 2);
SIZE(enum doca_devinfo_property, 4);
SIZE(enum doca_devinfo_remote_property, 4);
#elif DOCA_USE_VERSION < 205
IS(DOCA_DEV_REP_FILTER_ALL, 0);
IS(DOCA_DEV_REP_FILTER_NET, 2);
SIZE(enum doca_dev_rep_filter, 4);
#else
IS(DOCA_DEVINFO_REP_FILTER_ALL, 0);
IS(DOCA_DEVINFO_REP_FILTER_NET, 2);
IS(DOCA_DEVINFO_REP_FILTER_EMULATED, 4);
#endif
#if DOCA_USE_VERSION == 105
IS(DOCA_DEV_REP_FILTER_VIRTIO_FS, 4);
IS(DOCA_DEV_REP_FILTER_VIRTIO_NET, 8);
IS(DOCA_DEV_REP_FILTER_VIRTIO_BLK, 16);
IS(DOCA_DEV_REP_FILTER_NVME, 32);
#elif DOCA_USE_VERSION >= 200 && DOCA_USE_VERSION < 205
IS(DOCA_DEV_REP_FILTER_EMULATED, 4);
#endif

IS(DOCA_ARGP_TYPE_BOOLEAN, 3);
#if DOCA_USE_VERSION < 301
IS(DOCA_ARGP_TYPE_JSON_OBJ, 4);
#else
IS(DOCA_ARGP_TYPE_DEVICE, 4);
#endif

#if DOCA_USE_VERSION < 206
SIZE(((struct { DOCA_STRUCT_START; } *)0)->__doca_api_version, sizeof(uint32_t));
IS(DOCA_VERSION_NUM(1, 2, 3), 0x1020003);
IS(DOCA_CURRENT_VERSION_NUM, DOCA_VERSION_NUM(DOCA_VER_MAJOR, DOCA_VER_MINOR, DOCA_VER_PATCH));
IS(DOCA_VER_MAJOR * 100 + DOCA_VER_MINOR, DOCA_USE_VERSION);
IS(DOCA_VERSION_EQ_CURRENT(DOCA_VER_MAJOR, DOCA_VER_MINOR, DOCA_VER_PATCH), 1);
IS(DOCA_VERSION_LTE_CURRENT(DOCA_VER_MAJOR, DOCA_VER_MINOR, DOCA_VER_PATCH + 1), 0);
#ifdef DOCA_VERSION_MAJOR
#error "a name of 2.6"
#endif
#else
SIZE(((struct { DOCA_STRUCT_START; } *)0)->__doca_api_version, sizeof(size_t));
IS(DOCA_VERSION_CALC_EXACT(1, 2, 3), 0x1020003);
IS(DOCA_VERSION_CALC(1, 2, 3), 0x1020000 + 3000);
IS(DOCA_VERSION_MAJOR * 100 + DOCA_VERSION_MINOR, DOCA_USE_VERSION);
IS(DOCA_VERSION_EQ_CURRENT(DOCA_VERSION_MAJOR, DOCA_VERSION_MINOR, DOCA_VERSION_PATCH), 1);
IS(DOCA_VERSION_LTE_CURRENT(DOCA_VERSION_MAJOR, DOCA_VERSION_MINOR, DOCA_VERSION_PATCH + 1), 0);
#ifdef DOCA_VER_MAJOR
#error "a name of 2.5"
#endif
#endif

struct stamped {
	DOCA_STRUCT_START;
	int value;
};

int main(void)
{
	DOCA_STRUCT_DEF(stamped, stamped);
	struct stamped other = {DOCA_STRUCT_CTOR_LIST_START, .value = 1};

	DOCA_STRUCT_PTR_MEMSET_CTOR(&other);
	if (other.value != 0 || stamped.value != 0 ||
	    DOCA_STRUCT_GET_VERSION(&other) != DOCA_STRUCT_GET_VERSION(&stamped))
		return 1;
	printf("%s %#zx\n", doca_version(), (size_t)DOCA_STRUCT_GET_VERSION(&stamped));
	return 0;
}
