/* Accessors of record fields that return a neutral value for a missing field. */
#ifndef TOOLS_DOCA_ADMIN_TERMINAL_FIELD_H
#define TOOLS_DOCA_ADMIN_TERMINAL_FIELD_H

#include <json-c/json.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

static inline const char *field_text(json_object *record, const char *key)
{
	const char *text = json_object_get_string(json_object_object_get(record, key));

	return text ? text : "";
}

static inline uint64_t field_number(json_object *record, const char *key)
{
	return json_object_get_uint64(json_object_object_get(record, key));
}

static inline bool field_is(json_object *record, const char *key, const char *value)
{
	return strcmp(field_text(record, key), value) == 0;
}

static inline bool field_true(json_object *record, const char *key)
{
	return json_object_get_boolean(json_object_object_get(record, key));
}

static inline size_t field_count(json_object *record, const char *key)
{
	json_object *list = json_object_object_get(record, key);

	return json_object_is_type(list, json_type_array) ? json_object_array_length(list) : 0;
}

static inline void field_set_text(json_object *record, const char *key, const char *value)
{
	json_object_object_add(record, key, json_object_new_string(value));
}

static inline void field_set_number(json_object *record, const char *key, uint64_t value)
{
	json_object_object_add(record, key, json_object_new_uint64(value));
}

#endif
