/*
 * One end of the comch measurements, server or client; both processes use it. It has contexts with
 * one connection each on one progress engine, and loops that send, answer and count messages over
 * the first connection.
 *
 * Threads: one end per process, its main thread.
 */
#ifndef BENCH_COMCH_END_H
#define BENCH_COMCH_END_H

#include <stddef.h>
#include <stdint.h>

#include <doca_comch.h>
#include <doca_pe.h>

#include "bench/bench.h"

struct comch_end;

struct comch_end_spec {
	enum bench_side side; /* DPU: servers; host: clients */
	int id;               /* of this run; part of the service names */
	size_t n_links;
	uint32_t max_msg, queue, n_tasks;
};

/*
 * Starts the contexts, on pe if not NULL. Create servers first, because clients find them by name.
 */
struct comch_end *comch_end_new(const struct comch_end_spec *spec, struct doca_pe *pe);
/* Progresses once. Returns true if all connections are established. */
bool comch_end_connect(struct comch_end *end);
/* Objects of the first connection, for the data path. */
struct doca_pe *comch_end_pe(const struct comch_end *end);
struct doca_dev *comch_end_dev(const struct comch_end *end);
struct doca_comch_connection *comch_end_connection(const struct comch_end *end);
/* Returns the peer's latest consumer; 0: none since comch_end_forget_consumer(). */
uint32_t comch_end_consumer(const struct comch_end *end);
void comch_end_forget_consumer(struct comch_end *end);
/* The other end must still make progress, or its process must continue to run. */
void comch_end_delete(struct comch_end *end);

/* Sets the size of the following messages and the number of tasks in flight. */
void comch_end_set_message(struct comch_end *end, uint32_t size, uint32_t depth);
/* Runs n round trips: sends the first message and answers each reply. */
void comch_end_ping(struct comch_end *end, uint64_t n);
/* Answers n messages. */
void comch_end_echo(struct comch_end *end, uint64_t n);
void comch_end_source(struct comch_end *end, uint64_t n);
void comch_end_sink(struct comch_end *end, uint64_t n);

#endif
