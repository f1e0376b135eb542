/* Checksum of descriptors that programs carry about: tells damage, protects nothing. */
#ifndef UTIL_CRC_H
#define UTIL_CRC_H

#include <stddef.h>
#include <stdint.h>

/* IEEE 802.3, bit by bit: some bytes once per export do not deserve a table. */
static inline uint32_t crc32_of(const uint8_t *p, size_t len)
{
	uint32_t crc = ~0u;

	for (size_t i = 0; i < len; i++) {
		crc ^= p[i];
		for (int bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ (crc & 1 ? 0xedb88320u : 0);
	}
	return ~crc;
}

#endif
