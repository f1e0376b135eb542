/*
 * The reference for RDMA on a device: the loops of rdma_end.h with rdma-core's verbs and nothing
 * else, written as perftest's are: a request is posted and its completion polled, a ping is seen
 * in memory. One queue pair, a completion queue for each of its halves, receives of its own,
 * requests that are made once.
 * Threads: one end per process, its main thread.
 */
#ifndef BENCH_BASE_RAW_VERBS_H
#define BENCH_BASE_RAW_VERBS_H

#include "bench/rdma/end.h"

struct raw_verbs;

/* NULL, or a clause that says why the device cannot be used. */
const char *raw_verbs_why_not(const char *ibdev);
/* Ends the process if it cannot. */
struct raw_verbs *raw_verbs_new(const char *ibdev, uint32_t size, uint32_t depth);
uint32_t raw_verbs_tell(const struct raw_verbs *raw, uint8_t blob[RDMA_BLOB_MAX]);
void raw_verbs_connect(struct raw_verbs *raw, const uint8_t *blob, uint32_t len);
void raw_verbs_run(struct raw_verbs *raw, enum rdma_way way, bool is_active, uint64_t n,
		   struct laps *laps);
void raw_verbs_delete(struct raw_verbs *raw);

#endif
