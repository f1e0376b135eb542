/*
 * The two ends of a provider test: two processes, perhaps on two machines, each with a port of the
 * verbs provider, a stretch of memory and a queue pair, and a TCP connection beside it by which
 * they keep step.
 * Threads: none.
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
	struct rdma_port *port;
	struct rdma_qp *qp;
	uint8_t *memory;
	struct doca_mmap *mmap;
	struct mem_key *key; /* what the other end's device is let in by */
	/* The other end's memory, as an import of it. */
	struct doca_mmap remote;
	uint32_t rights;       /* of the mmap; 0: all of RDMA */
	struct rdma_conf conf; /* zeros: the usual */
	unsigned n_events[RDMA_PORT_GONE + 1];
	doca_error_t reason; /* of the last event */
	struct rdma_qp *requested;
};

/* Connected by TCP; the device. */
void ends_meet(struct ends *ends, const char *role, const char *name, const char *addr);
/* Port and memory; exchanges what the other end needs to know of the memory. */
void ends_open(struct ends *ends);
/* A queue pair each, connected by details. */
void ends_connect(struct ends *ends);
void ends_close(struct ends *ends);

/* Both come here before either goes on. */
void ends_step(struct ends *ends);
void ends_put(struct ends *ends, const void *data, size_t len);
void ends_get(struct ends *ends, void *data, size_t len);

/* A request of this end's memory; for one-sided ones `remote_at` is where in the other's. */
struct request {
	struct rdma_wr wr;
	struct rdma_sge sge;
};
void request_init(struct ends *ends, struct request *request, enum rdma_op op, size_t at,
		  size_t len, size_t remote_at);
/* Posts it, and waits for a place if there is none. */
void request_post(struct ends *ends, struct request *request);
/* The next request that is done. */
struct rdma_wr *ends_poll(struct ends *ends);
/* Posts, and it is the next that is done. */
doca_error_t request_run(struct ends *ends, struct request *request);
/* Until so many events of that type have come. */
void ends_await(struct ends *ends, enum rdma_event_type type, unsigned n);
/* Takes what events there are. */
void ends_hear(struct ends *ends);

void pattern_fill(uint8_t *memory, size_t len, uint64_t seed);
bool pattern_is(const uint8_t *memory, size_t len, uint64_t seed);

#endif
