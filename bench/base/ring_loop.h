/*
 * The loops over the raw ring with which the comch loops are compared; both processes use them.
 * size: bytes of each message.
 */
#ifndef BENCH_BASE_RING_LOOP_H
#define BENCH_BASE_RING_LOOP_H

#include <stddef.h>

#include "bench/base/raw_ring.h"

/* Runs n round trips, started here. A received message is copied into buf. */
void ring_ping(const struct raw_ring *there, const struct raw_ring *back, uint8_t *buf, size_t size,
	       uint64_t n);
void ring_echo(const struct raw_ring *there, const struct raw_ring *back, uint8_t *buf, size_t size,
	       uint64_t n);
/* Like ring_ping(), but received messages are read in place; sent ones are copies of buf. */
void ring_ping_in_place(const struct raw_ring *there, const struct raw_ring *back,
			const uint8_t *buf, size_t size, uint64_t n);
void ring_echo_in_place(const struct raw_ring *there, const struct raw_ring *back,
			const uint8_t *buf, size_t size, uint64_t n);
/* Sends or receives n messages in one direction, copied in and out. */
void ring_source(const struct raw_ring *there, const uint8_t *buf, size_t size, uint64_t n);
void ring_sink(const struct raw_ring *there, uint8_t *buf, uint64_t n);

#endif
