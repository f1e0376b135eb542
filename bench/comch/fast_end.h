/*
 * One end of the measurements of comch's data path: a consumer with posted receives and a producer,
 * on the first connection of a comch_end and on their own progress engine, and loops that send,
 * answer and count messages of one size.
 *
 * Threads: one end per process, its main thread.
 */
#ifndef BENCH_COMCH_FAST_END_H
#define BENCH_COMCH_FAST_END_H

#include "bench/comch/end.h"

struct fast_end;

struct fast_end_spec {
	enum bench_transport kind; /* of the receive buffers' memory */
	uint32_t size;             /* of each message */
	uint32_t n_receives, n_tasks;
};

struct fast_end *fast_end_new(struct comch_end *end, const struct fast_end_spec *spec);
/* Progresses once. Returns true if receives are posted here and the peer's consumer is known. */
bool fast_end_ready(struct fast_end *fast);
/* Returns the memory of its receives. */
void *fast_end_memory(const struct fast_end *fast);
void fast_end_delete(struct fast_end *fast);

/* Runs n round trips: sends the first message and answers each reply. */
void fast_end_ping(struct fast_end *fast, uint64_t n);
/* Answers n messages. */
void fast_end_echo(struct fast_end *fast, uint64_t n);
void fast_end_source(struct fast_end *fast, uint64_t n);
void fast_end_sink(struct fast_end *fast, uint64_t n);

#endif
