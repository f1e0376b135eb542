/*
 * The reference for RDMA on a device: the loops of rdma.c with rdma-core's verbs alone, written
 * like those of perftest: post a request and poll its completion; detect a ping in memory. One
 * queue pair, one completion queue per direction, its own receives, requests that are created once.
 *
 * Threads: the main thread of each process, which has one end.
 */
#ifndef BENCH_RDMA_RAW_VERBS_H
#define BENCH_RDMA_RAW_VERBS_H

#include "bench/bench.h"

enum rdma_pattern {
	/* Writes in both directions, detected in memory; a round trip is two operations. */
	RDMA_WRITE_PING,
	RDMA_SEND_PING, /* like RDMA_WRITE_PING, with messages */
	RDMA_WRITE_ONE, /* one at a time, from post to completion; the other end is passive */
	RDMA_READ_ONE,
	RDMA_ADD_ONE, /* fetch and add */
	/* A DMA task that reads the other end's memory; with verbs: an RDMA read. */
	RDMA_COPY_ONE,
	RDMA_WRITE_DEPTH, /* depth writes in flight */
	RDMA_READ_DEPTH,
};

/* Returns NULL, or a clause that says why the device cannot be used. */
const char *raw_verbs_why_not(const char *ibdev);
/*
 * Connects the two processes, with n_slots places for messages of b->size on each side. Ends the
 * process on failure.
 */
void raw_verbs_open(struct bench *b, const char *ibdev, uint32_t n_slots);
/* Runs n operations or, for pings, round trips. The measuring process begins. */
void raw_verbs_run(struct bench *b, enum rdma_pattern pattern, uint64_t n);

#endif
