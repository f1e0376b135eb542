/*
 * doca_bitfield.h as a C and as a C++ program: constants at compile time, and every field of every
 * width compared with one that is computed bit by bit. Compiled and run by bitfield.sh.
 */
#include <stdio.h>
#include <string.h>

#include <doca_bitfield.h>

/* Works in every language version. */
#define IS(name, value) typedef char name[(value) ? 1 : -1] __attribute__((unused))

IS(u8_mask, DOCA_U8_GENMASK(5, 2) == 0x3c);
IS(u8_all, DOCA_U8_GENMASK(7, 0) == 0xff && DOCA_U8_GENMASK(0, 0) == 1);
IS(u8_set, DOCA_U8_SET(0x3c, 0xb) == 0x2c && DOCA_U8_SET(0x3c, 0x1b) == 0x2c);
IS(u8_get, DOCA_U8_GET(0x3c, 0xee) == 0xb);
IS(shift, DOCA_SHIFT(0x80000000u) == 31 && DOCA_SHIFT(6) == 1);
IS(be16_mask, DOCA_BETOH16(DOCA_BE16_GENMASK(11, 0)) == 0xfff);
IS(be16_round, DOCA_BE16_GET(DOCA_BE16_GENMASK(15, 13), DOCA_HTOBE16(0xa123)) == 5);
IS(be32_mask, DOCA_BETOH32(DOCA_BE32_GENMASK(31, 28)) == 0xf0000000u);
IS(be32_set, DOCA_BE32_SET(DOCA_BE32_GENMASK(27, 20), 0x45) == DOCA_HTOBE32(0x04500000u));
IS(sizes, sizeof(DOCA_U8_GENMASK(1, 0)) == 1 && sizeof(DOCA_BE16_GENMASK(1, 0)) == 2 &&
		  sizeof(DOCA_BE32_GENMASK(1, 0)) == 4 && sizeof(DOCA_U8_SET(1, 1)) == 1 &&
		  sizeof(DOCA_BE16_SET(1, 1)) == 2 && sizeof(DOCA_BE32_SET(1, 1)) == 4 &&
		  sizeof(DOCA_U8_GET(1, 1)) == 1 && sizeof(DOCA_BE16_GET(1, 1)) == 2 &&
		  sizeof(DOCA_BE32_GET(1, 1)) == 4);

static const uint16_t in_static = DOCA_BE16_SET(DOCA_BE16_GENMASK(11, 0), 0x123);
static int n_failed;

#define CHECK(cond, high, low)                                                                 \
	((cond) ? (void)0                                                                      \
		: (void)(n_failed++, fprintf(stderr, "line %d, bits %d to %d: %s\n", __LINE__, \
					     high, low, #cond)))

/* Returns bits high to low of a number that starts at the field's lowest bit, or all of them. */
static uint32_t field_of(uint32_t number, int high, int low)
{
	uint32_t value = 0;
	int i;

	for (i = low; i <= high; i++)
		value |= (number >> (i - low) & 1u) << i;
	return value;
}

static uint32_t low_bits(uint32_t number, int n)
{
	return field_of(number, n - 1, 0);
}

static uint32_t from_network_order(const void *bytes, int n)
{
	const uint8_t *at = (const uint8_t *)bytes;
	uint32_t value = 0;

	while (n--)
		value = value << 8 | *at++;
	return value;
}

static void check_field(int high, int low, uint32_t number)
{
	uint32_t ones = field_of(0xffffffffu, high, low), wanted = field_of(number, high, low);
	uint32_t wide = DOCA_BE32_SET(DOCA_BE32_GENMASK(high, low), number);
	uint32_t mask = DOCA_BE32_GENMASK(high, low);

	CHECK(from_network_order(&mask, 4) == ones, high, low);
	CHECK(from_network_order(&wide, 4) == wanted, high, low);
	wide |= ~mask;
	CHECK(DOCA_BE32_GET(mask, wide) == low_bits(number, high - low + 1), high, low);
	if (high < 16) {
		uint16_t mask16 = DOCA_BE16_GENMASK(high, low);
		uint16_t half = DOCA_BE16_SET(mask16, number);

		CHECK(from_network_order(&mask16, 2) == ones, high, low);
		CHECK(from_network_order(&half, 2) == wanted, high, low);
		half = (uint16_t)(half | ~mask16);
		CHECK(DOCA_BE16_GET(mask16, half) == low_bits(number, high - low + 1), high, low);
	}
	if (high < 8) {
		uint8_t mask8 = DOCA_U8_GENMASK(high, low), byte = DOCA_U8_SET(mask8, number);

		CHECK(mask8 == ones && byte == wanted && DOCA_SHIFT(mask8) == low, high, low);
		byte = (uint8_t)(byte | ~mask8);
		CHECK(DOCA_U8_GET(mask8, byte) == low_bits(number, high - low + 1), high, low);
	}
}

int main(void)
{
	static const uint32_t numbers[] = {0,           1,           0xa5a5a5a5u,
					   0x5a5a5a5au, 0x12345678u, 0xffffffffu};
	int high, low;
	size_t i;

	for (high = 0; high < 32; high++)
		for (low = 0; low <= high; low++)
			for (i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
				check_field(high, low, numbers[i]);
	CHECK(memcmp(&in_static, "\x01\x23", 2) == 0, 11, 0);
	return n_failed ? 1 : 0;
}
