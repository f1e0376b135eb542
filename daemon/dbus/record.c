/* Records of facts for D-Bus; see daemon/dbus/record.h. */
#include "daemon/dbus/record.h"

#include <ctype.h>
#include <string.h>

enum how { HOW_SKIP, HOW_VALUE_ONLY, HOW_ENTRY };

void record_property_name(const char *key, char out[RECORD_KEY_LEN])
{
	bool upper = true;
	size_t n = 0;

	for (; *key && n + 1 < RECORD_KEY_LEN; key++) {
		if (*key == '_') {
			upper = true;
			continue;
		}
		out[n++] = upper ? (char)toupper((unsigned char)*key) : *key;
		upper = false;
	}
	out[n] = '\0';
}

/* Determines how, and under which name, a value of this key is added to the message. */
static enum how record_how(struct record *rec, const char *key, char name[RECORD_KEY_LEN])
{
	if (rec->r < 0 || rec->n_skipped)
		return HOW_SKIP;
	/* Keys inside a value are not filtered or renamed. */
	if (rec->depth + rec->n_open > 1 || (!rec->only && !rec->as_properties)) {
		strncpy(name, key, RECORD_KEY_LEN - 1);
		name[RECORD_KEY_LEN - 1] = '\0';
		return HOW_ENTRY;
	}
	record_property_name(key, name);
	if (!rec->only)
		return HOW_ENTRY;
	if (strcmp(name, rec->only) != 0)
		return HOW_SKIP;
	rec->found = true;
	return HOW_VALUE_ONLY;
}

static bool record_is_value_only(const struct record *rec)
{
	return rec->only && rec->depth == 1;
}

void record_begin(struct record *rec)
{
	rec->depth++;
	if (rec->r >= 0 && !rec->n_skipped && !record_is_value_only(rec))
		rec->r = sd_bus_message_open_container(rec->m, 'a', "{sv}");
}

void record_end(struct record *rec)
{
	if (rec->r >= 0 && !rec->n_skipped && !record_is_value_only(rec))
		rec->r = sd_bus_message_close_container(rec->m);
	rec->depth--;
}

static void clean_copy(char *dst, size_t dst_len, const char *src)
{
	size_t i;

	for (i = 0; src[i] && i + 1 < dst_len; i++)
		dst[i] = src[i] >= 0x20 && src[i] < 0x7f ? src[i] : '?';
	dst[i] = '\0';
}

void record_text(struct record *rec, const char *key, const char *value)
{
	char clean[4096], name[RECORD_KEY_LEN];
	enum how how = record_how(rec, key, name);

	if (how == HOW_SKIP)
		return;
	clean_copy(clean, sizeof(clean), value);
	if (how == HOW_VALUE_ONLY)
		rec->r = sd_bus_message_append_basic(rec->m, 's', clean);
	else
		rec->r = sd_bus_message_append(rec->m, "{sv}", name, "s", clean);
}

void record_number(struct record *rec, const char *key, uint64_t value)
{
	char name[RECORD_KEY_LEN];
	enum how how = record_how(rec, key, name);

	if (how == HOW_VALUE_ONLY)
		rec->r = sd_bus_message_append_basic(rec->m, 't', &value);
	else if (how == HOW_ENTRY)
		rec->r = sd_bus_message_append(rec->m, "{sv}", name, "t", value);
}

void record_bool(struct record *rec, const char *key, bool value)
{
	char name[RECORD_KEY_LEN];
	enum how how = record_how(rec, key, name);

	if (how == HOW_VALUE_ONLY)
		rec->r = sd_bus_message_append(rec->m, "b", (int)value);
	else if (how == HOW_ENTRY)
		rec->r = sd_bus_message_append(rec->m, "{sv}", name, "b", (int)value);
}

void record_open_value(struct record *rec, const char *key, const char *type)
{
	char name[RECORD_KEY_LEN];
	enum how how = record_how(rec, key, name);

	if (how == HOW_SKIP) {
		rec->n_skipped++;
		return;
	}
	if (how == HOW_ENTRY) {
		rec->r = sd_bus_message_open_container(rec->m, 'e', "sv");
		if (rec->r >= 0)
			rec->r = sd_bus_message_append_basic(rec->m, 's', name);
		if (rec->r >= 0)
			rec->r = sd_bus_message_open_container(rec->m, 'v', type);
	}
	if (rec->r >= 0)
		rec->r = sd_bus_message_open_container(rec->m, 'a', type + 1);
	rec->n_open++;
}

void record_close_value(struct record *rec)
{
	if (rec->n_skipped) {
		rec->n_skipped--;
		return;
	}
	rec->n_open--;
	for (int i = rec->n_open == 0 && record_is_value_only(rec) ? 2 : 0; i < 3 && rec->r >= 0;
	     i++)
		rec->r = sd_bus_message_close_container(rec->m);
}

void record_item(struct record *rec, const char *text)
{
	char clean[256];

	if (rec->r < 0 || rec->n_skipped)
		return;
	clean_copy(clean, sizeof(clean), text);
	rec->r = sd_bus_message_append_basic(rec->m, 's', clean);
}
