/*
 * Data that the two programs of the bridge exchange when they connect, in network byte order: the
 * address of the server's memory, and its key at the server's RDMA device.
 */
#ifndef EXAMPLES_RDMA_BRIDGE_H
#define EXAMPLES_RDMA_BRIDGE_H

#include <stdint.h>

struct bridge_offer {
	uint64_t addr;
	uint32_t key;
	uint32_t size;
};

/* The message that the client sends after each write, and the server's reply. */
struct bridge_note {
	uint64_t round;
	uint64_t sum;
};

/* Returns byte i of a round. The pattern differs between adjacent bytes and between rounds. */
static inline uint8_t bridge_byte(uint64_t round, uint32_t i)
{
	return (uint8_t)(i * 31u + (i >> 8) + round * 7u + 1u);
}

static inline uint64_t bridge_sum(const uint8_t *bytes, uint32_t size)
{
	uint64_t sum = 0;
	uint32_t i;

	for (i = 0; i < size; i++)
		sum = sum * 31u + bytes[i];
	return sum;
}

#endif
