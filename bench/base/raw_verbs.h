/*
 * The reference for RDMA on a device: the loops of rdma_endpoint.h with rdma-core's verbs alone,
 * written like those of perftest: post a request and poll its completion; detect a ping in memory.
 * One queue pair, one completion queue per direction, its own receives, requests that are created
 * once. Threads: one end per process, its main thread.
 */
#ifndef BENCH_BASE_RAW_VERBS_H
#define BENCH_BASE_RAW_VERBS_H

#include "bench/rdma/end.h"

struct raw_verbs;

/* Returns NULL, or a clause that says why the device cannot be used. */
const char *raw_verbs_why_not(const char *ibdev);
/* Ends the process on failure. */
struct raw_verbs *raw_verbs_new(const char *ibdev, uint32_t size, uint32_t depth);
uint32_t raw_verbs_export(const struct raw_verbs *raw, uint8_t payload[RDMA_PAYLOAD_MAX]);
void raw_verbs_connect(struct raw_verbs *raw, const uint8_t *payload, uint32_t len);
void raw_verbs_run(struct raw_verbs *raw, enum rdma_pattern pattern, bool is_active, uint64_t n,
		   struct laps *laps);
void raw_verbs_delete(struct raw_verbs *raw);

#endif
