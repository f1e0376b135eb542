/*
 * Creates both ends of the comch measurements: one in this process, one in the peer process. Main
 * thread of the measuring process.
 */
#ifndef BENCH_COMCH_LINK_H
#define BENCH_COMCH_LINK_H

#include "bench/comch/end.h"

/* Returns when n connections are established. pe may be NULL: create one. */
struct comch_end *comch_link_open(struct bench *bench, size_t n, uint32_t max_msg, uint32_t queue,
				  uint32_t n_tasks, struct doca_pe *pe);
void comch_link_close(struct bench *bench, struct comch_end *end);

#endif
