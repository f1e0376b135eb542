/* See bench/base/ring_loop.h. */
#include "bench/base/ring_loop.h"

#include "bench/base/measure.h"

static inline void push(struct raw_ring *r, const uint8_t *buf, size_t size)
{
	while (!raw_ring_push(r, buf, (uint32_t)size))
		;
}

static inline const uint8_t *take(struct raw_ring *r, uint32_t *len_out)
{
	const uint8_t *bytes;

	while ((bytes = raw_ring_peek(r, len_out)) == NULL)
		;
	return bytes;
}

static inline void pop(struct raw_ring *r, uint8_t *buf)
{
	uint32_t len;
	const uint8_t *bytes = take(r, &len);

	memcpy(buf, bytes, len);
	MEASURE_ESCAPE(buf);
	raw_ring_drop(r);
}

static inline uint64_t look(struct raw_ring *r)
{
	uint32_t len;
	const uint8_t *bytes = take(r, &len);

	return bytes[0] + (uint64_t)bytes[len - 1];
}

/* The ends are copied, so that the compiler can keep them in registers. */

void ring_ping(const struct raw_ring *there, const struct raw_ring *back, uint8_t *buf, size_t size,
	       uint64_t n)
{
	struct raw_ring tx = *there, rx = *back;

	for (; n > 0; n--) {
		push(&tx, buf, size);
		pop(&rx, buf);
	}
}

void ring_echo(const struct raw_ring *there, const struct raw_ring *back, uint8_t *buf, size_t size,
	       uint64_t n)
{
	struct raw_ring rx = *there, tx = *back;

	for (; n > 0; n--) {
		pop(&rx, buf);
		push(&tx, buf, size);
	}
}

void ring_ping_in_place(const struct raw_ring *there, const struct raw_ring *back,
			const uint8_t *buf, size_t size, uint64_t n)
{
	struct raw_ring tx = *there, rx = *back;
	uint64_t sum = 0;

	for (; n > 0; n--) {
		push(&tx, buf, size);
		sum += look(&rx);
		raw_ring_drop(&rx);
	}
	MEASURE_ESCAPE(sum);
}

void ring_echo_in_place(const struct raw_ring *there, const struct raw_ring *back,
			const uint8_t *buf, size_t size, uint64_t n)
{
	struct raw_ring rx = *there, tx = *back;
	uint64_t sum = 0;

	for (; n > 0; n--) {
		sum += look(&rx);
		push(&tx, buf, size);
		raw_ring_drop(&rx);
	}
	MEASURE_ESCAPE(sum);
}

void ring_source(const struct raw_ring *there, const uint8_t *buf, size_t size, uint64_t n)
{
	struct raw_ring tx = *there;

	for (; n > 0; n--)
		push(&tx, buf, size);
}

void ring_sink(const struct raw_ring *there, uint8_t *buf, uint64_t n)
{
	struct raw_ring rx = *there;

	for (; n > 0; n--)
		pop(&rx, buf);
}
