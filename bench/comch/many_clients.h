/* Compares a server with a thousand clients with a server with ten. */
#ifndef BENCH_COMCH_MANY_CLIENTS_H
#define BENCH_COMCH_MANY_CLIENTS_H

#include "bench/bench.h"

void bench_comch_many_clients(struct bench *bench);

#endif
