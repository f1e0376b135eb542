/* D-Bus values as JSON; see json.h. */
#include "tools/doca-admin/bus/json.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>

/* Maximum nesting of a daemon's values. */
#define BUS_JSON_MAX_DEPTH 8

static int value_read(sd_bus_message *m, unsigned depth, json_object **value_out);

/* Reads the entries of a{s?} into an object. */
static int dict_read(sd_bus_message *m, unsigned depth, json_object **value_out)
{
	json_object *object = json_object_new_object();
	int r = 0;

	if (!object)
		return -ENOMEM;
	while (r >= 0 && !sd_bus_message_at_end(m, false)) {
		json_object *value = NULL;
		const char *key = NULL;

		r = sd_bus_message_enter_container(m, SD_BUS_TYPE_DICT_ENTRY, NULL);
		if (r > 0)
			r = sd_bus_message_read_basic(m, SD_BUS_TYPE_STRING, &key);
		if (r > 0)
			r = value_read(m, depth + 1, &value);
		if (r >= 0 && key)
			json_object_object_add(object, key, value);
		if (r >= 0)
			r = sd_bus_message_exit_container(m);
	}
	if (r < 0) {
		json_object_put(object);
		return r;
	}
	*value_out = object;
	return 0;
}

static int array_read(sd_bus_message *m, unsigned depth, json_object **value_out)
{
	json_object *array = json_object_new_array();
	int r = 0;

	if (!array)
		return -ENOMEM;
	while (r >= 0 && !sd_bus_message_at_end(m, false)) {
		json_object *value = NULL;

		r = value_read(m, depth + 1, &value);
		if (r >= 0)
			json_object_array_add(array, value);
	}
	if (r < 0) {
		json_object_put(array);
		return r;
	}
	*value_out = array;
	return 0;
}

static int basic_read(sd_bus_message *m, char type, json_object **value_out)
{
	union {
		const char *s;
		uint8_t y;
		int b;
		int16_t n;
		uint16_t q;
		int32_t i;
		uint32_t u;
		int64_t x;
		uint64_t t;
		double d;
	} v = {0};
	int r;

	if (type == SD_BUS_TYPE_UNIX_FD)
		return -EBADMSG;
	r = sd_bus_message_read_basic(m, type, &v);
	if (r < 0)
		return r;
	switch (type) {
	case SD_BUS_TYPE_BYTE:
		*value_out = json_object_new_int(v.y);
		break;
	case SD_BUS_TYPE_BOOLEAN:
		*value_out = json_object_new_boolean(v.b);
		break;
	case SD_BUS_TYPE_INT16:
		*value_out = json_object_new_int(v.n);
		break;
	case SD_BUS_TYPE_UINT16:
		*value_out = json_object_new_int(v.q);
		break;
	case SD_BUS_TYPE_INT32:
		*value_out = json_object_new_int(v.i);
		break;
	case SD_BUS_TYPE_UINT32:
		*value_out = json_object_new_int64(v.u);
		break;
	case SD_BUS_TYPE_INT64:
		*value_out = json_object_new_int64(v.x);
		break;
	case SD_BUS_TYPE_UINT64:
		*value_out = json_object_new_uint64(v.t);
		break;
	case SD_BUS_TYPE_DOUBLE:
		*value_out = json_object_new_double(v.d);
		break;
	default:
		*value_out = json_object_new_string(v.s);
	}
	return 0;
}

static int value_read(sd_bus_message *m, unsigned depth, json_object **value_out)
{
	const char *contents;
	char type;
	int r = sd_bus_message_peek_type(m, &type, &contents);

	if (r <= 0)
		return r < 0 ? r : -EBADMSG;
	if (depth > BUS_JSON_MAX_DEPTH)
		return -EBADMSG;
	if (type != SD_BUS_TYPE_VARIANT && type != SD_BUS_TYPE_ARRAY)
		return basic_read(m, type, value_out);
	r = sd_bus_message_enter_container(m, type, contents);
	if (r < 0)
		return r;
	if (type == SD_BUS_TYPE_VARIANT)
		r = value_read(m, depth + 1, value_out);
	else if (contents[0] == SD_BUS_TYPE_DICT_ENTRY_BEGIN)
		r = dict_read(m, depth, value_out);
	else
		r = array_read(m, depth, value_out);
	return r < 0 ? r : sd_bus_message_exit_container(m);
}

int bus_json_read(sd_bus_message *m, json_object **value_out)
{
	return value_read(m, 0, value_out);
}

int bus_json_read_row(sd_bus_message *m, const char *const *names, size_t n_names,
		      json_object **record_out)
{
	json_object *record = json_object_new_object(), *value;
	int r = record ? 0 : -ENOMEM;

	for (size_t i = 0; r >= 0 && i < n_names; i++) {
		r = value_read(m, 0, &value);
		if (r >= 0)
			json_object_object_add(record, names[i], value);
	}
	if (r < 0)
		json_object_put(record);
	else
		*record_out = record;
	return r;
}

/* Converts for example "CreatedAtNs" to "created_at_ns". */
static void key_of_property(const char *property, char *out, size_t out_len)
{
	size_t n = 0;

	for (; *property && n + 2 < out_len; property++) {
		if (*property >= 'A' && *property <= 'Z') {
			if (n)
				out[n++] = '_';
			out[n++] = (char)(*property - 'A' + 'a');
		} else {
			out[n++] = *property;
		}
	}
	out[n] = '\0';
}

json_object *bus_json_from_properties(json_object *properties)
{
	json_object *record = json_object_new_object();

	json_object_object_foreach(properties, property, value)
	{
		char key[64];

		key_of_property(property, key, sizeof(key));
		json_object_object_add(record, key, json_object_get(value));
	}
	return record;
}
