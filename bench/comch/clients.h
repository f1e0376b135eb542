/*
 * A comch server with many clients of which the first ten send messages. The DPU side holds the
 * server, the host side all clients; the silent clients are on a separate engine that makes no
 * progress meanwhile. Main thread of each process.
 */
#ifndef BENCH_COMCH_CLIENTS_H
#define BENCH_COMCH_CLIENTS_H

#include <stddef.h>
#include <stdint.h>

#include "bench/bench.h"

#define CLIENTS_ACTIVE  10u
#define CLIENTS_MSG_LEN 64u

struct clients;

/* id: of this run and group; part of the name. Create the server first. */
struct clients *clients_new(enum bench_side side, int id, size_t n_clients);
/* Progresses once. Returns true if all connections are established. */
bool clients_connect(struct clients *group);
/* Delete the clients first. */
void clients_delete(struct clients *group);
/* Runs n round trips, started by the clients in turn. Both sides call it. */
void clients_run(struct clients *group, uint64_t n);
/*
 * Measures the server's progress without messages, after the clients were silent long enough to
 * count as idle.
 */
void clients_idle(struct clients *group, uint64_t n);
/* Polls until silent clients count as idle. */
void clients_await_idle(struct clients *group);

#endif
