/* A server with a thousand clients against one with ten. */
#ifndef BENCH_COMCH_CROWD_H
#define BENCH_COMCH_CROWD_H

#include "bench/bench.h"

void bench_comch_crowd(struct bench *bench);

#endif
