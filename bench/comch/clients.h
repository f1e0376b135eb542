/*
 * A comch server with many clients of which the first ten talk, as both processes of the
 * measurement hold it: the DPU side the server, the host side all clients, the silent ones on an
 * engine that is left alone meanwhile. Main thread of each process.
 */
#ifndef BENCH_COMCH_CLIENTS_H
#define BENCH_COMCH_CLIENTS_H

#include <stddef.h>
#include <stdint.h>

#include "bench/bench.h"

#define CROWD_ACTIVE  10u
#define CROWD_MSG_LEN 64u

struct crowd;

/* id: of this run and crowd, part of the name. The server first. */
struct crowd *crowd_new(enum bench_side side, int id, size_t n_clients);
/* Progresses once; true if every connection stands. */
bool crowd_connect(struct crowd *crowd);
/* Clients first. */
void crowd_delete(struct crowd *crowd);
/* n round trips, begun by the clients in turn. Both sides call it. */
void crowd_run(struct crowd *crowd, uint64_t n);
/* The server's progress with nothing to do; the clients are silent long enough to count as idle. */
void crowd_idle(struct crowd *crowd, uint64_t n);
/* So many empty polls that silent clients count as idle. */
void crowd_settle(struct crowd *crowd);

#endif
