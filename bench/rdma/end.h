/*
 * One end of the measurements of RDMA: a context with one connection to the other process, memory
 * that the other may use, and the loops over tasks that are measured. raw_verbs.h is the same
 * without the library.
 *
 * Memory has two halves: what goes out, and what comes in; each of `depth` places of one message.
 * Threads: one end per process, its main thread.
 */
#ifndef BENCH_RDMA_END_H
#define BENCH_RDMA_END_H

#include "bench/bench.h"

#define RDMA_BLOB_MAX 512u

enum rdma_way {
	RDMA_WRITE_PING, /* writes there and back, seen in memory; a round trip is two operations */
	RDMA_SEND_PING,  /* the same with messages */
	RDMA_WRITE_ONE,  /* one at a time, from post to completion; the other end does nothing */
	RDMA_READ_ONE,
	RDMA_ADD_ONE,     /* fetch and add */
	RDMA_COPY_ONE,    /* a DMA task that reads the other end's memory; bare verbs read it */
	RDMA_WRITE_DEPTH, /* as many as the depth under way */
	RDMA_READ_DEPTH,
	N_RDMA_WAYS,
};

struct rdma_end_spec {
	bool is_verbs;  /* on an RDMA device of the machine; else between processes */
	bool is_shared; /* memory that others can map */
	uint32_t size, depth;
};

struct laps;
struct rdma_end;

/* NULL: the machine has no such device. */
struct rdma_end *rdma_end_new(const struct rdma_end_spec *spec);
/* What the other end needs, and taking the other's. */
uint32_t rdma_end_tell(struct rdma_end *end, uint8_t blob[RDMA_BLOB_MAX]);
void rdma_end_connect(struct rdma_end *end, const uint8_t *blob, uint32_t len);
/* Half of the memory that comes in. */
void *rdma_end_inbox(const struct rdma_end *end);
/*
 * n operations or, of pings, round trips; the first is the active end's, which marks when each
 * began, unless laps is NULL.
 */
void rdma_end_run(struct rdma_end *end, enum rdma_way way, bool is_active, uint64_t n,
		  struct laps *laps);
void rdma_end_delete(struct rdma_end *end);

/* The RDMA device of the machine that one of this side's devices is bound to; false: none. */
bool rdma_end_find_ibdev(char name[64]);
/* What this side lacks to measure verbs, in a sentence; "" nothing. */
void rdma_end_why_not(char *text, size_t len);

#endif
