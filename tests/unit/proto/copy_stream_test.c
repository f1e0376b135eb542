/* proto/copy_stream: messages of relayed copies, decoded from arbitrary bytes. */
#include <string.h>

#include "proto/copy_stream.h"
#include "tests/unit/unit.h"

/* Arbitrary bytes: a request is decoded to something in range, or not at all. */
START_TEST(random_bytes)
{
	uint64_t seed = 7;

	for (unsigned n = 0; n < UNIT_N(200000); n++) {
		uint8_t bytes[COPY_REQUEST_LEN + 64];
		size_t len = unit_random(&seed) % sizeof(bytes);
		struct copy_request request;
		struct copy_answer answer;

		for (size_t i = 0; i < sizeof(bytes); i++)
			bytes[i] = unit_random(&seed) % 3 == 0 ? (uint8_t)unit_random(&seed) : 0;
		if (unit_random(&seed) % 2) {
			bytes[0] = 1 + unit_random(&seed) % 5;
			bytes[1] = bytes[2] = bytes[3] = bytes[5] = bytes[6] = bytes[7] = 0;
		}
		if (copy_request_decode(bytes, len, &request)) {
			ck_assert(request.op >= COPY_READ && request.op <= COPY_ADD);
			ck_assert_uint_gt(request.len, 0);
			ck_assert_uint_le(request.len, COPY_DATA_MAX);
			ck_assert(request.op < COPY_GET || request.len == COPY_VALUE_LEN);
			ck_assert_uint_eq(len - COPY_REQUEST_LEN,
					  copy_bytes_asked(request.op, request.len));
		}
		if (copy_answer_decode(bytes, len, &answer))
			ck_assert_uint_eq(len - COPY_ANSWER_LEN, answer.len);
	}
}
END_TEST

START_TEST(details)
{
	struct copy_details in = {.key = {1, 2, 3}, .tag = UINT64_C(0x1122334455667788)}, out;
	uint8_t bytes[COPY_DETAILS_LEN];

	for (int i = 0; i < 2; i++) {
		in.is_continued = i;
		copy_details_encode(&in, bytes);
		ck_assert_mem_eq(bytes, "copies\0\3", 8);
		ck_assert(copy_details_decode(bytes, sizeof(bytes), &out));
		ck_assert_mem_eq(out.key, in.key, sizeof(in.key));
		ck_assert_uint_eq(out.tag, in.tag);
		ck_assert_int_eq(out.is_continued, in.is_continued);
	}
	ck_assert(!copy_details_decode(bytes, sizeof(bytes) - 1, &out));
	ck_assert(!copy_details_decode(bytes, 8, &out));
	for (size_t i = 0; i < sizeof(bytes); i++) {
		bytes[i] ^= 4;
		/* Any key and any tag are valid. */
		ck_assert_int_eq(copy_details_decode(bytes, sizeof(bytes), &out), i >= 8 && i < 32);
		bytes[i] ^= 4;
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("messages of relayed copies");
	TCase *tcase = unit_case(suite, "messages", UNIT_TIMEOUT);

	tcase_add_test(tcase, random_bytes);
	tcase_add_test(tcase, details);
	return unit_run(suite);
}
