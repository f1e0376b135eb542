/*
 * Types that several DOCA libraries share: user data, access permissions, handles, byte-ordered
 * integers. Values are part of the binary interface. Where versions disagree on a value, the
 * declarations below are those of the selected version (doca_api.h).
 *
 * Example: pass an object of the program to a callback, and get it back there.
 *
 *     union doca_data to_user_data(void *object)
 *     {
 *         union doca_data data;
 *
 *         data.ptr = object;
 *         return data;
 *     }
 */
#ifndef DOCA_TYPES_H_
#define DOCA_TYPES_H_

#include <linux/types.h>
#include <stdint.h>

#include <doca_compat.h>

#ifdef __cplusplus
extern "C" {
#endif

/* File descriptor that a program waits on with poll or epoll. */
typedef int doca_event_handle_t;
typedef doca_event_handle_t doca_notification_handle_t;
#define doca_event_invalid_handle (-1)

/* Size of a global identifier of an RDMA port in bytes. */
#define DOCA_GID_BYTE_LENGTH 16

/* Integers in network byte order. */
typedef __be16 doca_be16_t;
typedef __be32 doca_be32_t;
typedef __be64 doca_be64_t;

/*
 * User data: a value of the program that an object stores and returns. The library never interprets
 * it.
 */
union doca_data {
	void *ptr;
	uint64_t u64;
};

/* One segment of scattered memory, of len bytes, and the next one, which is NULL at the end. */
struct doca_gather_list {
	void *addr;
	uint64_t len;
	struct doca_gather_list *next;
};

/*
 * Permissions of local and remote access to the memory of a memory map; a set of bits. Local
 * reading is always permitted. PCI (up to 2.2: DPU) means the other side of the bus, host or DPU.
 * RDMA means a peer on the network. The read-only and the read-write flag of PCI exclude each
 * other.
 *
 * Up to 1.5 the other side of the bus and the network have common flags (REMOTE), and the values of
 * reading and writing are exchanged: 2 means writing there, and reading since 2.0. The version for
 * which the caller was built determines the meaning of a value.
 */
#if DOCA_USE_VERSION >= DOCA_MAKE_VERSION(2, 5)
enum doca_access_flag {
	DOCA_ACCESS_FLAG_LOCAL_READ_ONLY = 0,
	DOCA_ACCESS_FLAG_LOCAL_READ_WRITE = 1,
	DOCA_ACCESS_FLAG_RDMA_READ = 2,
	DOCA_ACCESS_FLAG_RDMA_WRITE = 4,
	DOCA_ACCESS_FLAG_RDMA_ATOMIC = 8,
	DOCA_ACCESS_FLAG_PCI_READ_ONLY = 16,
	DOCA_ACCESS_FLAG_PCI_READ_WRITE = 32,
	DOCA_ACCESS_FLAG_PCI_RELAXED_ORDERING = 64
};
#elif DOCA_USE_VERSION >= DOCA_MAKE_VERSION(2, 0)
enum doca_access_flags {
	DOCA_ACCESS_LOCAL_READ_ONLY = 0,
	DOCA_ACCESS_LOCAL_READ_WRITE = 1,
	DOCA_ACCESS_RDMA_READ = 2,
	DOCA_ACCESS_RDMA_WRITE = 4,
	DOCA_ACCESS_RDMA_ATOMIC = 8,
	DOCA_ACCESS_DPU_READ_ONLY = 16,
	DOCA_ACCESS_DPU_READ_WRITE = 32
};
#else
enum doca_access_flags {
	DOCA_ACCESS_LOCAL_READ = 0,
	DOCA_ACCESS_LOCAL_WRITE = 1,
	DOCA_ACCESS_REMOTE_WRITE = 2,
	DOCA_ACCESS_REMOTE_READ = 4,
	DOCA_ACCESS_REMOTE_ATOMIC = 8
};
#endif

/* Physical function (PF), virtual function of SR-IOV (VF), scalable function (SF). */
#if DOCA_USE_VERSION >= DOCA_MAKE_VERSION(2, 5)
enum doca_pci_func_type {
	DOCA_PCI_FUNC_TYPE_PF = 0,
	DOCA_PCI_FUNC_TYPE_VF = 1,
	DOCA_PCI_FUNC_TYPE_SF = 2
};
#else
enum doca_pci_func_type { DOCA_PCI_FUNC_PF = 0, DOCA_PCI_FUNC_VF = 1, DOCA_PCI_FUNC_SF = 2 };
#endif

#if DOCA_API_BETWEEN(103, 105)
/* Smallest values that the parts of a PCI address cannot have. Since 1.3, until 1.5. */
#define PCI_FUNCTION_MAX_VALUE 8
#define PCI_DEVICE_MAX_VALUE   32
#define PCI_BUS_MAX_VALUE      256

/* PCI address of a function, without its domain. Compare the raw members. Since 1.3, until 1.5. */
__extension__ struct doca_pci_bdf {
	__extension__ union {
		uint16_t raw;
		__extension__ struct {
			uint16_t bus : 8;
			uint16_t device : 5;
			uint16_t function : 3;
		};
	};
};
#endif

/* Location of GPU memory, and the processors that can access it. */
#if DOCA_USE_VERSION >= DOCA_MAKE_VERSION(2, 5)
enum doca_gpu_mem_type {
	DOCA_GPU_MEM_TYPE_GPU = 0,
	DOCA_GPU_MEM_TYPE_GPU_CPU = 1,
	DOCA_GPU_MEM_TYPE_CPU_GPU = 2
};
#elif DOCA_USE_VERSION >= DOCA_MAKE_VERSION(2, 0)
enum doca_gpu_mem_type {
	DOCA_GPU_MEM_GPU = 0,
	DOCA_GPU_MEM_GPU_CPU = 1,
	DOCA_GPU_MEM_CPU = 2,
	DOCA_GPU_MEM_CPU_GPU = 3
};
#endif

/* Method by which a packet queue holds packets back until a given time. */
#if DOCA_USE_VERSION >= DOCA_MAKE_VERSION(2, 5)
enum doca_eth_wait_on_time_type {
	DOCA_ETH_WAIT_ON_TIME_TYPE_NONE = 0,
	DOCA_ETH_WAIT_ON_TIME_TYPE_NATIVE = 1,
	DOCA_ETH_WAIT_ON_TIME_TYPE_DPDK = 2
};
#elif DOCA_USE_VERSION >= DOCA_MAKE_VERSION(2, 0)
enum doca_eth_wait_on_time {
	DOCA_ETH_WAIT_ON_TIME_NONE = 0,
	DOCA_ETH_WAIT_ON_TIME_NATIVE = 1,
	DOCA_ETH_WAIT_ON_TIME_DPDK = 2
};
#endif

/* Path MTU of a connection. */
enum doca_mtu_size {
	DOCA_MTU_SIZE_256_BYTES = 0,
	DOCA_MTU_SIZE_512_BYTES = 1,
	DOCA_MTU_SIZE_1K_BYTES = 2,
	DOCA_MTU_SIZE_2K_BYTES = 3,
	DOCA_MTU_SIZE_4K_BYTES = 4,
	DOCA_MTU_SIZE_RAW_ETHERNET = 5
};

#ifdef __cplusplus
}
#endif

#endif
