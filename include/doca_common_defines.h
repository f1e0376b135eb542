/*
 * Common includes of every header: the byte order macros of <endian.h>, and the export attributes
 * and version macros of doca_compat.h. Programs rarely include it directly.
 *
 * Example: a number as it is in a packet.
 *
 *     uint32_t to_packet(uint32_t number)
 *     {
 *         return htobe32(number);
 *     }
 */
#ifndef DOCA_COMMON_DEFINES_H_
#define DOCA_COMMON_DEFINES_H_

#include <endian.h>

#include <doca_compat.h>

#endif
