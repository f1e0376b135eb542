/* Export descriptors as text; see client/memory/export_text.h. */
#include "client/memory/export_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <json-c/json.h>

#define MEMBER "dococ"

static void hex_from(const uint8_t *data, size_t len, char *out)
{
	for (size_t i = 0; i < len; i++)
		snprintf(out + 2 * i, 3, "%02x", data[i]);
}

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return -1;
}

static bool hex_to(const char *text, uint8_t *out, size_t len)
{
	if (strlen(text) != 2 * len)
		return false;
	for (size_t i = 0; i < len; i++) {
		int high = hex_digit(text[2 * i]), low = hex_digit(text[2 * i + 1]);

		if (high < 0 || low < 0)
			return false;
		out[i] = (uint8_t)(high << 4 | low);
	}
	return true;
}

char *export_text_from(const uint8_t descriptor[EXPORT_DESCRIPTOR_LEN], uint64_t addr, uint64_t len,
		       size_t *len_out)
{
	char hex[2 * EXPORT_DESCRIPTOR_LEN + 1], *text = malloc(EXPORT_TEXT_SIZE);

	if (text == NULL)
		return NULL;
	hex_from(descriptor, EXPORT_DESCRIPTOR_LEN, hex);
	*len_out = (size_t)snprintf(text, EXPORT_TEXT_SIZE,
				    "{\"addr\": %" PRIu64 ", \"len\": %" PRIu64 ", \"" MEMBER
				    "\": \"%s\"}",
				    addr, len, hex) +
		   1;
	return text;
}

bool export_text_is(const void *data, size_t len)
{
	return len > 0 && *(const char *)data == '{';
}

bool export_text_to(const void *data, size_t len, uint8_t descriptor_out[EXPORT_DESCRIPTOR_LEN])
{
	/* Unknown members are ignored. The limit of 4096 bytes bounds the scan of a text without an
	 * end. */
	size_t n = strnlen(data, len < 4096 ? len : 4096);
	struct json_tokener *tokener = json_tokener_new_ex(4);
	struct json_object *object, *member;
	bool is_own_text;

	if (tokener == NULL)
		return false;
	object = json_tokener_parse_ex(tokener, data, (int)n);
	is_own_text = object != NULL && json_object_is_type(object, json_type_object) &&
		      json_object_object_get_ex(object, MEMBER, &member) &&
		      json_object_is_type(member, json_type_string) &&
		      hex_to(json_object_get_string(member), descriptor_out, EXPORT_DESCRIPTOR_LEN);
	json_object_put(object);
	json_tokener_free(tokener);
	return is_own_text;
}
