/*
 * References that several tests use: the loops over the raw ring, and copies to memory of the other
 * process. b->message is what they send. Threads: the main thread of each process.
 */
#ifndef BENCH_BASE_REFERENCE_H
#define BENCH_BASE_REFERENCE_H

#include "bench/bench.h"

/* Allocates the message, and initialises both rings for messages of b->size bytes. */
void reference_setup(struct bench *b, enum raw_ring_use use);

/* n / 2 round trips: ping begins, echo answers. A received message is copied into b->message. */
bench_loop ring_ping, ring_echo;
/* The same, but received messages are read in place. */
bench_loop ring_ping_in_place, ring_echo_in_place;
/* n messages in one direction. The source returns when the sink has the last one. */
bench_loop ring_source, ring_sink;
/* Copies to b->n_places places of shared memory in turn. */
bench_loop reference_memcpy;
/* Copies to b->peer_memory of the other process, in the same way. */
bench_loop reference_writev;

#endif
