/* The loops over the raw ring that the comch loops are measured against, as both processes use
 * them. size: of each message. */
#ifndef BENCH_BASE_RING_LOOP_H
#define BENCH_BASE_RING_LOOP_H

#include <stddef.h>

#include "bench/base/raw_ring.h"

/* n round trips, begun here; the message that comes is copied into buf. */
void ring_ping(const struct raw_ring *there, const struct raw_ring *back, uint8_t *buf, size_t size,
	       uint64_t n);
void ring_echo(const struct raw_ring *there, const struct raw_ring *back, uint8_t *buf, size_t size,
	       uint64_t n);
/* The same, but what comes is looked at where it lies; what goes is a copy of buf. */
void ring_ping_in_place(const struct raw_ring *there, const struct raw_ring *back,
			const uint8_t *buf, size_t size, uint64_t n);
void ring_echo_in_place(const struct raw_ring *there, const struct raw_ring *back,
			const uint8_t *buf, size_t size, uint64_t n);
/* n messages one way, copied in and out. */
void ring_source(const struct raw_ring *there, const uint8_t *buf, size_t size, uint64_t n);
void ring_sink(const struct raw_ring *there, uint8_t *buf, uint64_t n);

#endif
