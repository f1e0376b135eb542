/*
 * util/export_descriptor: the layout is tested byte by byte; each kind of damage is detected and
 * named.
 */
#include <string.h>

#include "tests/unit/unit.h"
#include "util/export_descriptor.h"

/* Written by hand from the layout in util/export_descriptor.h, with a checksum from zlib. */
static const uint8_t golden[EXPORT_DESCRIPTOR_LEN] = {
	0x44, 0x4f, 0x43, 0x58, 0x01, 0x01, 0x01, 0x00, 0x15, 0x00, 0x00, 0x00, 0x00, 0x00,
	0x00, 0x00, 0x88, 0x77, 0x66, 0x55, 0x44, 0x33, 0x22, 0x11, 0x78, 0x56, 0x34, 0x12,
	0xff, 0x7f, 0x00, 0x00, 0x00, 0x10, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x10, 0x11,
	0x12, 0x13, 0x14, 0x15, 0x16, 0x17, 0x18, 0x19, 0x1a, 0x1b, 0x1c, 0x1d, 0x1e, 0x1f,
	0xa0, 0xa1, 0xa2, 0xa3, 0xa4, 0xa5, 0xa6, 0xa7, 0xa8, 0xa9, 0xaa, 0xab, 0xac, 0xad,
	0xae, 0xaf, 0x00, 0x00, 0x00, 0x00, 0x92, 0x70, 0x5c, 0x42,
};

static struct export_descriptor sample(void)
{
	struct export_descriptor descriptor = {.kind = 1,
					       .side = 1,
					       .permissions = 0x15,
					       .export_id = 0x1122334455667788,
					       .addr = 0x7fff12345678,
					       .len = 0x1000};

	for (uint8_t i = 0; i < 16; i++) {
		descriptor.daemon_id[i] = (uint8_t)(0x10 + i);
		descriptor.secret[i] = (uint8_t)(0xa0 + i);
	}
	return descriptor;
}

START_TEST(layout_is_pinned)
{
	struct export_descriptor in = sample(), out;
	uint8_t data[EXPORT_DESCRIPTOR_LEN];

	memset(data, 0xff, sizeof(data));
	export_descriptor_encode(&in, data);
	ck_assert_mem_eq(data, golden, EXPORT_DESCRIPTOR_LEN);
	ck_assert_int_eq(export_descriptor_decode(golden, EXPORT_DESCRIPTOR_LEN, &out),
			 EXPORT_DESCRIPTOR_OK);
	ck_assert_uint_eq(out.kind, in.kind);
	ck_assert_uint_eq(out.side, in.side);
	ck_assert_uint_eq(out.permissions, in.permissions);
	ck_assert_uint_eq(out.export_id, in.export_id);
	ck_assert_uint_eq(out.addr, in.addr);
	ck_assert_uint_eq(out.len, in.len);
	ck_assert_mem_eq(out.daemon_id, in.daemon_id, 16);
	ck_assert_mem_eq(out.secret, in.secret, 16);
}
END_TEST

START_TEST(any_length)
{
	uint8_t data[EXPORT_DESCRIPTOR_LEN + 32];
	struct export_descriptor out;

	memset(data, 0xee, sizeof(data));
	memcpy(data, golden, EXPORT_DESCRIPTOR_LEN);
	for (size_t len = 0; len < EXPORT_DESCRIPTOR_LEN; len++)
		ck_assert_int_eq(export_descriptor_decode(data, len, &out),
				 EXPORT_DESCRIPTOR_ERROR_SHORT);
	for (size_t len = EXPORT_DESCRIPTOR_LEN; len <= sizeof(data); len++)
		ck_assert_int_eq(export_descriptor_decode(data, len, &out), EXPORT_DESCRIPTOR_OK);
	ck_assert_int_eq(export_descriptor_decode(NULL, 0, &out), EXPORT_DESCRIPTOR_ERROR_SHORT);
}
END_TEST

START_TEST(each_flipped_bit_is_found)
{
	uint8_t data[EXPORT_DESCRIPTOR_LEN];
	struct export_descriptor out;

	memset(&out, 0x5a, sizeof(out));
	memcpy(data, golden, EXPORT_DESCRIPTOR_LEN);
	for (size_t i = 0; i < EXPORT_DESCRIPTOR_LEN; i++) {
		enum export_descriptor_error expected = i < 4    ? EXPORT_DESCRIPTOR_ERROR_MAGIC
							: i == 4 ? EXPORT_DESCRIPTOR_ERROR_VERSION
								 : EXPORT_DESCRIPTOR_ERROR_CRC;

		for (int bit = 0; bit < 8; bit++) {
			data[i] ^= (uint8_t)(1 << bit);
			ck_assert_int_eq(
				export_descriptor_decode(data, EXPORT_DESCRIPTOR_LEN, &out),
				expected);
			data[i] ^= (uint8_t)(1 << bit);
		}
	}
	/* *descriptor_out is written on success only. */
	ck_assert_uint_eq(out.export_id, 0x5a5a5a5a5a5a5a5a);
}
END_TEST

/* An independent checksum, bytewise with a table, for well-formed but invalid descriptors. */
static void set_checksum(uint8_t data[EXPORT_DESCRIPTOR_LEN])
{
	uint32_t table[256], crc = 0xffffffff;

	for (uint32_t i = 0; i < 256; i++) {
		table[i] = i;
		for (int k = 0; k < 8; k++)
			table[i] = table[i] & 1 ? table[i] >> 1 ^ 0xedb88320u : table[i] >> 1;
	}
	for (size_t i = 0; i < EXPORT_DESCRIPTOR_LEN - 4; i++)
		crc = crc >> 8 ^ table[(crc ^ data[i]) & 0xff];
	crc ^= 0xffffffff;
	for (int i = 0; i < 4; i++)
		data[EXPORT_DESCRIPTOR_LEN - 4 + i] = (uint8_t)(crc >> 8 * i);
}

START_TEST(forged_fields)
{
	static const struct {
		size_t at, len;
		uint8_t value;
	} bad[] = {
		{5, 1, 5},     {5, 1, 255},  {6, 1, 2},    {7, 1, 2},  {12, 1, 1}, {15, 1, 128},
		{32, 8, 0x00}, {24, 8, 255}, {32, 8, 255}, {72, 1, 1}, {75, 1, 1},
	};
	uint8_t data[EXPORT_DESCRIPTOR_LEN];
	struct export_descriptor out, edge = sample();

	memcpy(data, golden, EXPORT_DESCRIPTOR_LEN);
	set_checksum(data);
	ck_assert_mem_eq(data, golden, EXPORT_DESCRIPTOR_LEN);
	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		memcpy(data, golden, EXPORT_DESCRIPTOR_LEN);
		memset(data + bad[i].at, bad[i].value, bad[i].len);
		set_checksum(data);
		ck_assert_msg(export_descriptor_decode(data, EXPORT_DESCRIPTOR_LEN, &out) ==
				      EXPORT_DESCRIPTOR_ERROR_FIELD,
			      "case %zu", i);
	}
	/* Descriptors of all kinds but queue pairs may have a key. */
	edge.has_key = true;
	edge.key = 0x01020304;
	for (uint8_t kind = 0; kind <= 4; kind++) {
		edge.kind = kind;
		export_descriptor_encode(&edge, data);
		ck_assert_int_eq(export_descriptor_decode(data, EXPORT_DESCRIPTOR_LEN, &out),
				 kind != 4 ? EXPORT_DESCRIPTOR_OK : EXPORT_DESCRIPTOR_ERROR_FIELD);
	}
	edge.kind = 1;
	export_descriptor_encode(&edge, data);
	ck_assert_int_eq(export_descriptor_decode(data, EXPORT_DESCRIPTOR_LEN, &out),
			 EXPORT_DESCRIPTOR_OK);
	ck_assert(out.has_key && out.key == edge.key);
	edge = sample();
	edge.addr = UINT64_MAX - edge.len;
	export_descriptor_encode(&edge, data);
	ck_assert_int_eq(export_descriptor_decode(data, EXPORT_DESCRIPTOR_LEN, &out),
			 EXPORT_DESCRIPTOR_OK);
	edge.addr += 1;
	export_descriptor_encode(&edge, data);
	ck_assert_int_eq(export_descriptor_decode(data, EXPORT_DESCRIPTOR_LEN, &out),
			 EXPORT_DESCRIPTOR_ERROR_FIELD);
}
END_TEST

START_TEST(texts_differ)
{
	for (int i = EXPORT_DESCRIPTOR_OK; i <= EXPORT_DESCRIPTOR_ERROR_FIELD; i++) {
		for (int k = EXPORT_DESCRIPTOR_OK; k < i; k++)
			ck_assert_str_ne(
				export_descriptor_error_text((enum export_descriptor_error)i),
				export_descriptor_error_text((enum export_descriptor_error)k));
	}
	ck_assert_ptr_nonnull(export_descriptor_error_text((enum export_descriptor_error)99));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("blob");
	TCase *tcase = unit_case(suite, "blob", UNIT_TIMEOUT);

	tcase_add_test(tcase, layout_is_pinned);
	tcase_add_test(tcase, any_length);
	tcase_add_test(tcase, each_flipped_bit_is_found);
	tcase_add_test(tcase, forged_fields);
	tcase_add_test(tcase, texts_differ);
	return unit_run(suite);
}
