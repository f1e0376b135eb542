/*
 * Many clients of a daemon, and the raw server with which requests are compared. Each is a process
 * that is forked before the measuring process connects, and ends with the row.
 */
#ifndef BENCH_CONTROL_CROWD_H
#define BENCH_CONTROL_CROWD_H

#include "bench/bench.h"

enum crowd_op { CROWD_ASK, CROWD_ECHO }; /* requests to the daemon, or to the raw server */

struct crowd;

/*
 * Starts n clients that hold n_exports exports together, and waits until all are connected. With
 * crowd_run() they make requests; then they have no device open.
 */
struct crowd *crowd_new(struct bench *b, size_t n, uint64_t n_exports, bool makes_requests);
/* Lets all clients together make n requests, and waits until they are answered. */
void crowd_run(struct crowd *crowd, enum crowd_op op, uint64_t n);

/* Call first, in each process. pid: of the measuring process; part of the server's address. */
void echo_init(pid_t pid);
/* Starts the raw server: a libevent server with the same structure as the daemon. */
pid_t echo_start(struct bench *b);
/* A packet to the raw server and back. */
void echo_once(void);
/* Registers a process that ends with the row. */
void crowd_adopt(struct bench *b, pid_t pid);

#endif
