/*
 * Macros for the bit fields of packet headers. A field is part of a value of 8 bits, or of a value
 * of 16 or 32 bits in network byte order.
 *
 * A mask describes the position of a field: the bits of the field are 1, all others are 0. A field
 * has at least one bit and no gaps. A GENMASK macro makes the mask from the numbers of the highest
 * and of the lowest bit. Bit 0 is the least significant bit of the value (not of its bytes in
 * memory). A SET macro returns the value that has a number in the field and 0 elsewhere. A GET
 * macro extracts the number from a value.
 *
 * If the arguments are constant expressions, so is the result. Arguments must have no side effects,
 * because a macro may evaluate them more than once.
 *
 * The forms with a third argument, DOCA_U8P_GENMASK and DOCA_U8P_SET, and those for BE16P and
 * BE32P, are not declared, because the meaning of that argument is not documented well enough.
 *
 * Threads: any thread.
 *
 * Example: increment the identifier in the tag of a VLAN header.
 *
 *     uint16_t next_vlan(uint16_t tci)
 *     {
 *         const uint16_t mask = DOCA_BE16_GENMASK(11, 0);
 *         const uint16_t vlan = DOCA_BE16_GET(mask, tci);
 *
 *         return (uint16_t)(tci & ~mask) | DOCA_BE16_SET(mask, vlan + 1);
 *     }
 */
#ifndef DOCA_BITFIELD_H_
#define DOCA_BITFIELD_H_

#include <arpa/inet.h>
#include <stdint.h>

#include <doca_compat.h>
#include <doca_types.h>

#if DOCA_USE_VERSION < DOCA_MAKE_VERSION(2, 7)
#error "doca_bitfield.h is there from 2.7 on: set DOCA_USE_VERSION to that or later"
#endif

/* Position of the lowest bit of a mask in this machine's byte order. The mask must not be 0. */
#define DOCA_SHIFT(_x) (__builtin_ctzll(_x))

/* Converts from this machine's byte order to network order, and back. */
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define DOCA_HTOBE16(_x) ((uint16_t)__builtin_bswap16((uint16_t)(_x)))
#define DOCA_HTOBE32(_x) ((uint32_t)__builtin_bswap32((uint32_t)(_x)))
#else
#define DOCA_HTOBE16(_x) ((uint16_t)(_x))
#define DOCA_HTOBE32(_x) ((uint32_t)(_x))
#endif
#define DOCA_BETOH16(_x) DOCA_HTOBE16(_x)
#define DOCA_BETOH32(_x) DOCA_HTOBE32(_x)

/* Mask from bit _h down to bit _l. */
#define DOCA_U8_GENMASK(_h, _l)   ((uint8_t)((0xffu >> (7 - (_h))) & (0xffu << (_l))))
#define DOCA_BE16_GENMASK(_h, _l) DOCA_HTOBE16((0xffffu >> (15 - (_h))) & (0xffffu << (_l)))
#define DOCA_BE32_GENMASK(_h, _l) DOCA_HTOBE32((0xffffffffu >> (31 - (_h))) & (0xffffffffu << (_l)))

/* Places the number _v in the field of the mask _m. Bits that do not fit in the field are lost. */
#define DOCA_U8_SET(_m, _v) ((uint8_t)(((uint32_t)(_v) << DOCA_SHIFT(_m)) & (uint32_t)(_m)))
#define DOCA_BE16_SET(_m, _v) \
	((uint16_t)(DOCA_HTOBE16((uint32_t)(_v) << DOCA_SHIFT(DOCA_BETOH16(_m))) & (uint32_t)(_m)))
#define DOCA_BE32_SET(_m, _v) \
	(DOCA_HTOBE32((uint32_t)(_v) << DOCA_SHIFT(DOCA_BETOH32(_m))) & (uint32_t)(_m))

/*
 * Extracts the number from the field of the mask _m in the value _f. The result is in this
 * machine's byte order.
 */
#define DOCA_U8_GET(_m, _f) ((uint8_t)(((uint32_t)(_f) & (uint32_t)(_m)) >> DOCA_SHIFT(_m)))
#define DOCA_BE16_GET(_m, _f)                                                  \
	((uint16_t)((uint32_t)DOCA_BETOH16((uint32_t)(_f) & (uint32_t)(_m)) >> \
		    DOCA_SHIFT(DOCA_BETOH16(_m))))
#define DOCA_BE32_GET(_m, _f) \
	(DOCA_BETOH32((uint32_t)(_f) & (uint32_t)(_m)) >> DOCA_SHIFT(DOCA_BETOH32(_m)))

#endif
