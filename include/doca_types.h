/*
 * Types that several DOCA libraries share: user data, access rights, handles, byte-ordered
 * integers. Values are part of the binary interface and never change.
 */
#ifndef DOCA_TYPES_H_
#define DOCA_TYPES_H_

#include <linux/types.h>
#include <stdint.h>

#include <doca_compat.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What a program waits on with poll or epoll: a file descriptor. */
typedef int doca_event_handle_t;
typedef doca_event_handle_t doca_notification_handle_t;
#define doca_event_invalid_handle (-1)

/* Bytes of a global identifier of an RDMA port. */
#define DOCA_GID_BYTE_LENGTH 16

/* Integers in network byte order. */
typedef __be16 doca_be16_t;
typedef __be32 doca_be32_t;
typedef __be64 doca_be64_t;

/* A word of the program's own that an object carries and hands back. Never interpreted. */
union doca_data {
	void *ptr;
	uint64_t u64;
};

/* One piece of scattered memory and the next one, NULL at the end. len in bytes. */
struct doca_gather_list {
	void *addr;
	uint64_t len;
	struct doca_gather_list *next;
};

/*
 * Who may do what with the memory of a memory map; a set of bits. Reading by the local side is
 * always allowed. PCI means the other side of the bus (host and DPU), RDMA a peer on the network.
 * PCI_READ_ONLY and PCI_READ_WRITE exclude each other.
 */
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

/* Physical function, virtual function (SR-IOV), scalable function. */
enum doca_pci_func_type {
	DOCA_PCI_FUNC_TYPE_PF = 0,
	DOCA_PCI_FUNC_TYPE_VF = 1,
	DOCA_PCI_FUNC_TYPE_SF = 2
};

/* Where GPU memory lives and who else sees it. */
enum doca_gpu_mem_type {
	DOCA_GPU_MEM_TYPE_GPU = 0,
	DOCA_GPU_MEM_TYPE_GPU_CPU = 1,
	DOCA_GPU_MEM_TYPE_CPU_GPU = 2
};

/* How a packet queue holds packets back until a given time. */
enum doca_eth_wait_on_time_type {
	DOCA_ETH_WAIT_ON_TIME_TYPE_NONE = 0,
	DOCA_ETH_WAIT_ON_TIME_TYPE_NATIVE = 1,
	DOCA_ETH_WAIT_ON_TIME_TYPE_DPDK = 2
};

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
