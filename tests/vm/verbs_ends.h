/*
 * The two ends of a provider test: two processes, possibly on two machines, each with a port of the
 * verbs provider, a range of memory and a queue pair. They synchronise over a TCP connection.
 * Creates no threads.
 */
#ifndef TESTS_VM_VERBS_ENDS_H
#define TESTS_VM_VERBS_ENDS_H

#include <stdio.h>
#include <stdlib.h>

#include "client/device/dev.h"
#include "client/memory/mmap.h"
#include "client/rma/provider.h"
#include "client/rma/verbs/verbs.h"
#include "tests/vm/meet.h"

#define MEMORY_LEN (8u << 20)
struct ends {
	bool is_server;
	int sock;
	struct doca_devinfo info;
	struct doca_dev dev;
	struct rdma_domain *domain;
	struct rdma_qp *qp;
	uint8_t *memory;
	struct doca_mmap *mmap;
	struct mem_key *key; /* grants the other end's device access */
	/* The other end's memory, like an import of it. */
	struct doca_mmap remote;
	uint32_t rights;       /* of the mmap; 0: all of RDMA */
	struct rdma_conf conf; /* zeros: the defaults */
	unsigned n_events[RDMA_DEVICE_REMOVED + 1];
	doca_error_t reason; /* of the latest event */
	struct rdma_qp *requested;
};

/* Opens the device and connects both ends by TCP. */
void ends_meet(struct ends *ends, const char *role, const char *name, const char *addr);
/* Opens port and memory; exchanges the description of the memory. */
void ends_open(struct ends *ends);
/* Makes a queue pair at each end and connects them by details. */
void ends_connect(struct ends *ends);
void ends_close(struct ends *ends);

/* Waits until both ends have called it. */
void ends_step(struct ends *ends);
void ends_put(struct ends *ends, const void *data, size_t len);
void ends_get(struct ends *ends, void *data, size_t len);

/*
 * A request with this end's memory; for one-sided requests `remote_at` is the position in the other
 * end's memory.
 */
struct request {
	struct rdma_wr wr;
	struct rdma_sge sge;
};
void request_init(struct ends *ends, struct request *request, enum rdma_op op, size_t at,
		  size_t len, size_t remote_at);
/* Posts it; waits while the queue is full. */
void request_post(struct ends *ends, struct request *request);
/* Returns the next completed request. */
struct rdma_wr *ends_poll(struct ends *ends);
/* Posts the request, which must be the next to complete. Returns its result. */
doca_error_t request_run(struct ends *ends, struct request *request);
/* Waits until so many events of that type have arrived. */
void ends_await(struct ends *ends, enum rdma_event_type type, unsigned n);
/* Processes all pending events. */
void ends_receive(struct ends *ends);

void pattern_fill(uint8_t *memory, size_t len, uint64_t seed);
bool pattern_is(const uint8_t *memory, size_t len, uint64_t seed);

#endif
