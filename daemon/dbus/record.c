/* Records of facts for D-Bus; see daemon/dbus/record.h. */
#include "daemon/dbus/record.h"

#include <string.h>

/* True for a field of a row or a property, which has no key. */
static bool record_is_bare(const struct record *rec)
{
	return rec->form == RECORD_VALUES && rec->depth == 1;
}

void record_begin(struct record *rec)
{
	bool is_outer = rec->depth++ == 0;

	if (rec->r >= 0 && !(is_outer && rec->form != RECORD_DICT))
		rec->r = sd_bus_message_open_container(rec->m, 'a', "{sv}");
}

void record_end(struct record *rec)
{
	bool is_outer = --rec->depth == 0;

	if (rec->r >= 0 && !(is_outer && rec->form != RECORD_DICT))
		rec->r = sd_bus_message_close_container(rec->m);
}

/* Returns true if the next field is the one by which the list is sorted. */
static bool record_is_key(struct record *rec)
{
	return rec->form == RECORD_KEY && rec->wanted >> rec->n++ & 1;
}

/* Returns true if the value of this key is to be appended, and record_value_end() is to follow. */
static bool record_value_begin(struct record *rec, const char *key, const char *type)
{
	if (rec->r < 0 || rec->form == RECORD_FACTS || rec->form == RECORD_KEY)
		return false;
	if (record_is_bare(rec))
		return rec->wanted >> rec->n++ & 1;
	rec->r = sd_bus_message_open_container(rec->m, 'e', "sv");
	if (rec->r >= 0)
		rec->r = sd_bus_message_append_basic(rec->m, 's', key);
	if (rec->r >= 0)
		rec->r = sd_bus_message_open_container(rec->m, 'v', type);
	return rec->r >= 0;
}

static void record_value_end(struct record *rec)
{
	for (int i = 0; i < 2 && rec->r >= 0 && !record_is_bare(rec); i++)
		rec->r = sd_bus_message_close_container(rec->m);
}

static void facts_text(struct bus_facts *facts, const char *key, const char *value)
{
	if (strcmp(key, "name") == 0 || strcmp(key, "service") == 0)
		facts->name = value;
	else if (strcmp(key, "program") == 0 && !*facts->name)
		facts->name = value;
	else if (strcmp(key, "device") == 0 || strcmp(key, "parent") == 0)
		facts->device = value;
}

static void facts_number(struct bus_facts *facts, const char *key, uint64_t value)
{
	if (strcmp(key, "id") == 0) {
		facts->id = value;
	} else if (strcmp(key, "pid") == 0) {
		facts->pid = value;
		facts->has_owner = value != 0;
	} else if (strcmp(key, "uid") == 0) {
		facts->uid = value;
	}
}

static bool is_clean(const char *text)
{
	while (*text >= 0x20 && *text < 0x7f)
		text++;
	return !*text;
}

void record_clean(const char *text, char *out, size_t out_len)
{
	size_t i;

	for (i = 0; text[i] && i + 1 < out_len; i++)
		out[i] = text[i] >= 0x20 && text[i] < 0x7f ? text[i] : '?';
	out[i] = '\0';
}

static void record_append_text(struct record *rec, const char *text)
{
	char clean[4096];

	if (!is_clean(text)) {
		record_clean(text, clean, sizeof(clean));
		text = clean;
	}
	rec->r = sd_bus_message_append_basic(rec->m, 's', text);
}

void record_text(struct record *rec, const char *key, const char *value)
{
	if (rec->form == RECORD_FACTS && rec->depth == 1)
		facts_text(rec->facts, key, value);
	if (record_is_key(rec))
		record_clean(value, rec->key->text, sizeof(rec->key->text));
	if (!record_value_begin(rec, key, "s"))
		return;
	record_append_text(rec, value);
	record_value_end(rec);
}

void record_number(struct record *rec, const char *key, uint64_t value)
{
	if (rec->form == RECORD_FACTS && rec->depth == 1)
		facts_number(rec->facts, key, value);
	if (record_is_key(rec))
		rec->key->number = value;
	if (!record_value_begin(rec, key, "t"))
		return;
	rec->r = sd_bus_message_append_basic(rec->m, 't', &value);
	record_value_end(rec);
}

void record_bool(struct record *rec, const char *key, bool value)
{
	int number = value;

	if (record_is_key(rec))
		rec->key->number = value;
	if (!record_value_begin(rec, key, "b"))
		return;
	rec->r = sd_bus_message_append_basic(rec->m, 'b', &number);
	record_value_end(rec);
}

bool record_open_value(struct record *rec, const char *key, const char *type)
{
	if (rec->form == RECORD_FACTS && rec->facts->wanted && strcmp(key, "open") == 0)
		return true;
	rec->n += rec->form == RECORD_KEY; /* lists are not sorted by such a field */
	if (!record_value_begin(rec, key, type))
		return false;
	rec->r = sd_bus_message_open_container(rec->m, 'a', type + 1);
	rec->depth++;
	return true;
}

void record_close_value(struct record *rec)
{
	if (rec->form == RECORD_FACTS)
		return;
	if (rec->r >= 0)
		rec->r = sd_bus_message_close_container(rec->m);
	rec->depth--;
	record_value_end(rec);
}

void record_item(struct record *rec, const char *text)
{
	if (rec->form == RECORD_FACTS && strcmp(text, rec->facts->wanted) == 0)
		rec->facts->device = rec->facts->wanted;
	if (rec->r >= 0 && rec->form != RECORD_FACTS)
		record_append_text(rec, text);
}

bool record_wants(struct record *rec, unsigned n)
{
	if (rec->form == RECORD_DICT)
		return true;
	if (rec->form != RECORD_FACTS && (rec->wanted >> rec->n & ((UINT64_C(1) << n) - 1)) != 0)
		return true;
	rec->n += n;
	return false;
}

int record_answer(struct record *rec)
{
	int r = rec->r < 0 ? rec->r : sd_bus_send(NULL, rec->m, NULL);

	rec->m = sd_bus_message_unref(rec->m);
	return r < 0 ? r : 1;
}
