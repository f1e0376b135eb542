/* The kinds of RDMA tasks, for code that is compiled against the public headers of any version. */
#ifndef CLIENT_RDMA_KIND_H
#define CLIENT_RDMA_KIND_H

enum rdma_kind {
	RDMA_TASK_RECEIVE,
	RDMA_TASK_SEND,
	RDMA_TASK_SEND_IMM,
	RDMA_TASK_READ,
	RDMA_TASK_WRITE,
	RDMA_TASK_WRITE_IMM,
	RDMA_TASK_CMP_SWP,
	RDMA_TASK_FETCH_ADD,
	RDMA_TASK_EVENT_GET,
	RDMA_TASK_EVENT_SET,
	RDMA_TASK_EVENT_ADD,
};
#define RDMA_N_KINDS 11

#endif
