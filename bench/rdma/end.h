/*
 * One end of the RDMA measurements: a context with one connection to the other process, memory that
 * the other process may access, and the measured loops over tasks. raw_verbs.h does the same
 * without the library.
 *
 * The memory has two halves, outgoing and incoming, of `depth` places for one message each.
 * Threads: one end per process, its main thread.
 */
#ifndef BENCH_RDMA_END_H
#define BENCH_RDMA_END_H

#include "bench/bench.h"

#define RDMA_PAYLOAD_MAX 512u

enum rdma_pattern {
	/* Writes in both directions, detected in memory; a round trip is two operations. */
	RDMA_WRITE_PING,
	RDMA_SEND_PING, /* like RDMA_WRITE_PING, with messages */
	RDMA_WRITE_ONE, /* one at a time, from post to completion; the other end is passive */
	RDMA_READ_ONE,
	RDMA_ADD_ONE, /* fetch and add */
	/* A DMA task that reads the other end's memory; with verbs: an RDMA read. */
	RDMA_COPY_ONE,
	RDMA_WRITE_DEPTH, /* `depth` writes in flight */
	RDMA_READ_DEPTH,
	N_RDMA_PATTERNS,
};

struct rdma_end_spec {
	bool is_verbs;  /* on an RDMA device of the machine; otherwise between processes */
	bool is_shared; /* memory that other processes can map */
	uint32_t size, depth;
};

struct laps;
struct rdma_endpoint;

/* Returns NULL if the machine has no such device. */
struct rdma_endpoint *rdma_end_new(const struct rdma_end_spec *spec);
/* Export this end's connection data, and connect with the other end's. */
uint32_t rdma_end_export(struct rdma_endpoint *end, uint8_t payload[RDMA_PAYLOAD_MAX]);
void rdma_end_connect(struct rdma_endpoint *end, const uint8_t *payload, uint32_t len);
/* Returns the incoming half of the memory. */
void *rdma_end_inbox(const struct rdma_endpoint *end);
/*
 * Runs n operations or, for pings, round trips. The active end starts, and marks the begin of each
 * operation unless laps is NULL.
 */
void rdma_end_run(struct rdma_endpoint *end, enum rdma_pattern pattern, bool is_active, uint64_t n,
		  struct laps *laps);
void rdma_end_delete(struct rdma_endpoint *end);

/*
 * Finds the RDMA device to which one of this side's devices is bound. Returns false if there is
 * none.
 */
bool rdma_end_find_ibdev(char name[64]);
/* Writes a sentence about what this side lacks to measure verbs; "": nothing. */
void rdma_end_why_not(char *text, size_t len);

#endif
