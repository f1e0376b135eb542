/*
 * client/memory/export_text: descriptors of 1.3 contain the same as others, and programs parse
 * them.
 */
#include <json-c/json.h>
#include <string.h>

#include "client/memory/export_text.h"
#include "tests/unit/unit.h"

static void fill(uint8_t descriptor[EXPORT_DESCRIPTOR_LEN])
{
	for (size_t i = 0; i < EXPORT_DESCRIPTOR_LEN; i++)
		descriptor[i] = (uint8_t)(i * 7 + 3);
}

/* Like the public programs of that version. */
START_TEST(test_programs_read_address_and_length)
{
	const uint64_t addr = 0x7fffdeadbeef0000, bytes = 4096;
	struct json_object *object, *member;
	uint8_t descriptor[EXPORT_DESCRIPTOR_LEN];
	size_t len;
	char *text;

	fill(descriptor);
	text = export_text_from(descriptor, addr, bytes, &len);
	ck_assert_ptr_nonnull(text);
	ck_assert_uint_eq(len, strlen(text) + 1);
	ck_assert_uint_le(len, EXPORT_TEXT_SIZE);
	object = json_tokener_parse(text);
	ck_assert(json_object_object_get_ex(object, "addr", &member));
	ck_assert_uint_eq((uint64_t)json_object_get_int64(member), addr);
	ck_assert(json_object_object_get_ex(object, "len", &member));
	ck_assert_uint_eq((uint64_t)json_object_get_int64(member), bytes);
	json_object_put(object);
	free(text);
}
END_TEST

START_TEST(test_round_trip)
{
	uint8_t descriptor[EXPORT_DESCRIPTOR_LEN], back[EXPORT_DESCRIPTOR_LEN];
	char buffer[1024] = "";
	size_t len;
	char *text;

	fill(descriptor);
	text = export_text_from(descriptor, UINT64_MAX, UINT64_MAX, &len);
	ck_assert_uint_le(len, EXPORT_TEXT_SIZE);
	ck_assert(export_text_is(text, len));
	ck_assert(export_text_to(text, len, back));
	ck_assert_mem_eq(descriptor, back, EXPORT_DESCRIPTOR_LEN);
	/* Without the zero byte, and in a larger buffer that programs pass completely. */
	memset(back, 0, sizeof(back));
	ck_assert(export_text_to(text, len - 1, back));
	ck_assert_mem_eq(descriptor, back, EXPORT_DESCRIPTOR_LEN);
	memcpy(buffer, text, len);
	memset(back, 0, sizeof(back));
	ck_assert(export_text_to(buffer, sizeof(buffer), back));
	ck_assert_mem_eq(descriptor, back, EXPORT_DESCRIPTOR_LEN);
	free(text);
}
END_TEST

START_TEST(test_what_is_none)
{
	static const char *const texts[] = {
		"{",
		"{}",
		"[1]",
		"{\"addr\": 1, \"len\": 2}",
		"{\"dococ\": 7}",
		"{\"dococ\": \"00\"}",
		"{\"dococ\": {\"dococ\": {\"dococ\": {\"dococ\": {\"dococ\": 1}}}}}",
	};
	uint8_t descriptor[EXPORT_DESCRIPTOR_LEN], random[600];
	uint64_t state = 42;
	size_t len;
	char *text;

	for (size_t i = 0; i < ARRAY_LEN(texts); i++)
		ck_assert_msg(!export_text_to(texts[i], strlen(texts[i]) + 1, descriptor), "%s",
			      texts[i]);
	ck_assert(!export_text_is("DOCX", 4));
	ck_assert(!export_text_is("{", 0));
	/* Truncated anywhere, and with any byte changed: refused or read, never beyond its end. */
	fill(descriptor);
	text = export_text_from(descriptor, 1, 2, &len);
	for (size_t n = 0; n < len - 1; n++) {
		char *cut = malloc(n + 1);

		memcpy(cut, text, n);
		ck_assert(!export_text_to(cut, n, descriptor));
		free(cut);
	}
	for (int i = 0; i < 2000; i++) {
		size_t n = 1 + unit_random(&state) % sizeof(random);

		for (size_t k = 0; k < n; k++)
			random[k] = (uint8_t)unit_random(&state);
		random[0] = '{';
		ck_assert(!export_text_to(random, n, descriptor));
	}
	free(text);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("export_text");
	TCase *tcase = unit_case(suite, "export_text", UNIT_TIMEOUT);

	tcase_add_test(tcase, test_programs_read_address_and_length);
	tcase_add_test(tcase, test_round_trip);
	tcase_add_test(tcase, test_what_is_none);
	return unit_run(suite);
}
