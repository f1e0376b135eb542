/* See bench/base/reference.h. */
#include "bench/base/reference.h"

#include <sys/uio.h>

#include "bench/base/measure.h"
#include "bench/base/peer.h"

void reference_setup(struct bench *b, enum raw_ring_use use)
{
	struct peer_shared *shared = b->peer->shared;

	b->message = bench_alloc(1, b->size);
	if (b->size + RAW_RING_HEADER + 64 > RAW_RING_BYTES / 4)
		return;
	raw_ring_init(&b->tx, b->is_peer ? &shared->back : &shared->there, b->size, use);
	raw_ring_init(&b->rx, b->is_peer ? &shared->there : &shared->back, b->size, use);
}

static inline void push(struct raw_ring *r, const uint8_t *buf, size_t size)
{
	while (!raw_ring_push(r, buf, (uint32_t)size))
		;
}

static inline const uint8_t *await(const struct raw_ring *r, uint32_t *len_out)
{
	const uint8_t *bytes;

	while ((bytes = raw_ring_peek(r, len_out)) == NULL)
		;
	return bytes;
}

static inline void pop(struct raw_ring *r, uint8_t *buf)
{
	uint32_t len;
	const uint8_t *bytes = await(r, &len);

	memcpy(buf, bytes, len);
	MEASURE_ESCAPE(buf);
	raw_ring_drop(r);
}

static inline uint64_t read_ends(const struct raw_ring *r)
{
	uint32_t len;
	const uint8_t *bytes = await(r, &len);

	return bytes[0] + (uint64_t)bytes[len - 1];
}

/* The loops copy the rings, so that the compiler can keep them in registers. */

void ring_ping(struct bench *b, uint64_t n)
{
	struct raw_ring tx = b->tx, rx = b->rx;
	uint8_t *buf = b->message;
	size_t size = b->size;

	for (n /= 2; n > 0; n--) {
		push(&tx, buf, size);
		pop(&rx, buf);
	}
	b->tx = tx;
	b->rx = rx;
}

void ring_echo(struct bench *b, uint64_t n)
{
	struct raw_ring tx = b->tx, rx = b->rx;
	uint8_t *buf = b->message;
	size_t size = b->size;

	for (n /= 2; n > 0; n--) {
		pop(&rx, buf);
		push(&tx, buf, size);
	}
	b->tx = tx;
	b->rx = rx;
}

void ring_ping_in_place(struct bench *b, uint64_t n)
{
	struct raw_ring tx = b->tx, rx = b->rx;
	const uint8_t *buf = b->message;
	uint64_t sum = 0;

	for (n /= 2; n > 0; n--) {
		push(&tx, buf, b->size);
		sum += read_ends(&rx);
		raw_ring_drop(&rx);
	}
	MEASURE_ESCAPE(sum);
	b->tx = tx;
	b->rx = rx;
}

void ring_echo_in_place(struct bench *b, uint64_t n)
{
	struct raw_ring tx = b->tx, rx = b->rx;
	const uint8_t *buf = b->message;
	uint64_t sum = 0;

	for (n /= 2; n > 0; n--) {
		sum += read_ends(&rx);
		push(&tx, buf, b->size);
		raw_ring_drop(&rx);
	}
	MEASURE_ESCAPE(sum);
	b->tx = tx;
	b->rx = rx;
}

void ring_source(struct bench *b, uint64_t n)
{
	struct raw_ring tx = b->tx;
	const uint8_t *buf = b->message;
	size_t size = b->size;

	for (; n > 0; n--)
		push(&tx, buf, size);
	b->tx = tx;
	peer_wait_done(b->peer);
}

void ring_sink(struct bench *b, uint64_t n)
{
	struct raw_ring rx = b->rx;
	uint8_t *buf = b->message;

	for (; n > 0; n--)
		pop(&rx, buf);
	b->rx = rx;
}

void reference_memcpy(struct bench *b, uint64_t n)
{
	uint8_t *to = b->peer->shared->there.slots;
	uint64_t i;

	for (i = 0; i < n; i++) {
		uint8_t *place = to + i % b->n_places * b->size;

		memcpy(place, b->message, b->size);
		MEASURE_ESCAPE(place);
	}
}

void reference_writev(struct bench *b, uint64_t n)
{
	uint64_t i;

	for (i = 0; i < n; i++) {
		struct iovec local = {b->message, b->size};
		struct iovec remote = {
			(void *)(uintptr_t)(b->peer_memory + i % b->n_places * b->size), b->size};

		if (process_vm_writev(b->peer_pid, &local, 1, &remote, 1, 0) != (ssize_t)b->size)
			bench_die("process_vm_writev: %m");
	}
}
