/* Lists of objects for operators; see daemon/dbus/list.h. */
#include "daemon/dbus/list.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "daemon/base/daemon.h"

/* Objects in one reply. A record takes several times the time of a row. */
#define RECORDS_MAX 256u
#define ROWS_MAX    BUS_SCAN_MAX
#define FIELDS_MAX  64u
#define ROW_LEN     256

struct filter {
	bool is_set, has_pid, has_uid;
	uint64_t pid, uid;
	const char *name, *device; /* in the message; NULL: any */
};

/* Matches '*' and '?' as a shell does, in time proportional to the product of the lengths. */
static bool glob_matches(const char *pattern, const char *text)
{
	const char *star = NULL, *resume = NULL;

	while (*text) {
		if (*pattern == '*') {
			star = ++pattern;
			resume = text;
		} else if (*pattern == '?' || *pattern == *text) {
			pattern++;
			text++;
		} else if (star) {
			pattern = star;
			text = ++resume;
		} else {
			return false;
		}
	}
	while (*pattern == '*')
		pattern++;
	return !*pattern;
}

static bool filter_matches(const struct filter *filter, const struct bus_noun *noun,
			   const void *object)
{
	struct bus_facts facts;

	if (!filter->is_set)
		return true;
	bus_noun_facts(noun, object, filter->device, &facts);
	return (!filter->has_pid || (facts.has_owner && facts.pid == filter->pid)) &&
	       (!filter->has_uid || (facts.has_owner && facts.uid == filter->uid)) &&
	       (!filter->name || glob_matches(filter->name, facts.name)) &&
	       (!filter->device || strcmp(facts.device, filter->device) == 0);
}

static int filter_read_entry(sd_bus_message *m, struct filter *filter, sd_bus_error *error)
{
	const char *key;
	char clean[41];
	int r = sd_bus_message_read_basic(m, 's', &key);

	if (r < 0)
		return r;
	filter->is_set = true;
	if (strcmp(key, "pid") == 0) {
		filter->has_pid = true;
		return sd_bus_message_read(m, "v", "t", &filter->pid);
	}
	if (strcmp(key, "uid") == 0) {
		filter->has_uid = true;
		return sd_bus_message_read(m, "v", "t", &filter->uid);
	}
	if (strcmp(key, "name") == 0)
		return sd_bus_message_read(m, "v", "s", &filter->name);
	if (strcmp(key, "device") == 0)
		return sd_bus_message_read(m, "v", "s", &filter->device);
	record_clean(key, clean, sizeof(clean));
	return sd_bus_error_setf(error, SD_BUS_ERROR_INVALID_ARGS,
				 "'%s' is no filter; there are pid, uid (t), name, device (s)",
				 clean);
}

static int filter_read(sd_bus_message *m, struct filter *filter_out, sd_bus_error *error)
{
	int r = sd_bus_message_enter_container(m, 'a', "{sv}");

	while (r >= 0) {
		r = sd_bus_message_enter_container(m, 'e', "sv");
		if (r <= 0)
			break;
		r = filter_read_entry(m, filter_out, error);
		if (r >= 0)
			r = sd_bus_message_exit_container(m);
	}
	return r < 0 ? r : sd_bus_message_exit_container(m);
}

/* The arguments of a call of List. */
struct page {
	const struct bus_noun *noun;
	struct filter filter;
	uint64_t after, max;
	const char *row; /* types of the fields of a row; NULL: records */
};

/*
 * Returns the object after which the page begins; NULL: it begins with the first. The list is
 * walked from its beginning: that is cheap compared with the contents of a page, and no position
 * has to be kept while objects come and go.
 */
static const void *page_begin(const struct page *page, const struct daemon *daemon)
{
	const struct bus_noun *noun = page->noun;
	const void *before = NULL, *at;

	if (page->after == 0)
		return NULL;
	if (noun->upto)
		return noun->upto(daemon, page->after);
	for (at = noun->next(daemon, NULL); at && bus_noun_order(noun, at) <= page->after;
	     at = noun->next(daemon, at))
		before = at;
	return before;
}

static void page_add(const struct page *page, const void *object, struct record *rec)
{
	rec->n = 0;
	if (page->row && rec->r >= 0)
		rec->r = sd_bus_message_open_container(rec->m, 'r', page->row);
	page->noun->fill(rec, object);
	if (page->row && rec->r >= 0)
		rec->r = sd_bus_message_close_container(rec->m);
}

/*
 * Adds the page as an array, and the order of the last object that was examined, or 0 at the end
 * of the list.
 */
static void page_fill(const struct page *page, const struct daemon *daemon, struct record *rec)
{
	const void *last = page_begin(page, daemon), *at;
	uint64_t n_found = 0, next;

	at = page->noun->next(daemon, last);
	for (unsigned i = 0; at && n_found < page->max && i < BUS_SCAN_MAX; i++) {
		if (filter_matches(&page->filter, page->noun, at)) {
			page_add(page, at, rec);
			n_found++;
		}
		last = at;
		at = page->noun->next(daemon, at);
	}
	next = at ? bus_noun_order(page->noun, last) : 0;
	for (int i = page->row ? 0 : 1; i < 2 && rec->r >= 0; i++)
		rec->r = sd_bus_message_close_container(rec->m);
	if (rec->r >= 0)
		rec->r = sd_bus_message_append_basic(rec->m, 't', &next);
}

static int page_read_range(sd_bus_message *m, struct page *page, uint64_t limit)
{
	int r = sd_bus_message_read(m, "tt", &page->after, &page->max);

	if (page->max == 0 || page->max > limit)
		page->max = limit;
	return r;
}

/* Returns the noun of which this is the list or get method. */
static const struct bus_noun *noun_of_method(const char *member)
{
	int kind = 0;

	while (strcmp(bus_nouns[kind]->list, member) != 0 &&
	       strcmp(bus_nouns[kind]->get, member) != 0)
		kind++;
	return bus_nouns[kind];
}

int bus_list_records(sd_bus_message *m, void *user, sd_bus_error *error)
{
	struct page page = {.noun = noun_of_method(sd_bus_message_get_member(m))};
	const struct bus_target *target = user;
	struct record rec = {.form = RECORD_DICT};
	int r = filter_read(m, &page.filter, error);

	if (r >= 0)
		r = page_read_range(m, &page, RECORDS_MAX);
	if (r >= 0)
		r = sd_bus_message_new_method_return(m, &rec.m);
	if (r < 0)
		return r;
	rec.r = sd_bus_message_open_container(rec.m, 'a', "a{sv}");
	page_fill(&page, target->tree->daemon, &rec);
	return record_answer(&rec);
}

int bus_list_get(sd_bus_message *m, void *user, sd_bus_error *error)
{
	const struct bus_noun *noun = noun_of_method(sd_bus_message_get_member(m));
	const struct bus_target *target = user;
	struct record rec = {.form = RECORD_DICT};
	const void *object;
	uint64_t id;
	int r = sd_bus_message_read(m, "t", &id);

	if (r < 0)
		return r;
	object = bus_noun_find(noun, target->tree->daemon, id);
	if (!object)
		return bus_noun_missing(noun, id, error);
	r = sd_bus_message_new_method_return(m, &rec.m);
	if (r < 0)
		return r;
	noun->fill(&rec, object);
	return record_answer(&rec);
}

/* --- tables --- */

struct columns {
	uint64_t wanted; /* bits of the fields */
	bool has_dicts;
	const char *names[FIELDS_MAX]; /* by field, as the caller wrote them */
	const char *types[FIELDS_MAX];
	char row[ROW_LEN], rows[ROW_LEN + 4]; /* types of a row and of all rows */
};

static int kind_read(sd_bus_message *m, const struct bus_noun **noun_out, sd_bus_error *error)
{
	const char *name;
	char clean[41];
	int r = sd_bus_message_read_basic(m, 's', &name);

	if (r < 0)
		return r;
	for (int kind = 0; kind < OBJECT_N_KINDS; kind++)
		if (strcmp(bus_nouns[kind]->name, name) == 0) {
			*noun_out = bus_nouns[kind];
			return 0;
		}
	record_clean(name, clean, sizeof(clean));
	return sd_bus_error_setf(error, SD_BUS_ERROR_INVALID_ARGS,
				 "there is no kind of object '%s'; one is 'export'", clean);
}

static int columns_read(sd_bus_message *m, const struct bus_noun *noun, struct columns *columns,
			sd_bus_error *error)
{
	const char *name, *type;
	char clean[41];
	int r = sd_bus_message_enter_container(m, 'a', "s"), field;

	while (r >= 0 && (r = sd_bus_message_read_basic(m, 's', &name)) > 0) {
		field = bus_noun_field(noun, name, &type);
		if (field < 0) {
			record_clean(name, clean, sizeof(clean));
			return sd_bus_error_setf(error, SD_BUS_ERROR_INVALID_ARGS,
						 "the %s has no field '%s'", noun->name, clean);
		}
		columns->wanted |= UINT64_C(1) << field;
		columns->names[field] = name;
		columns->types[field] = type;
		columns->has_dicts |= strchr(type, '{') != NULL;
	}
	if (r >= 0 && !columns->wanted)
		return sd_bus_error_set(error, SD_BUS_ERROR_INVALID_ARGS,
					"a table needs at least one field");
	return r < 0 ? r : sd_bus_message_exit_container(m);
}

/* Adds the names of the columns, in the order of the fields, and opens the array of rows. */
static int columns_append(sd_bus_message *reply, struct columns *columns)
{
	int r = sd_bus_message_open_container(reply, 'a', "s");
	size_t len = 0;

	for (unsigned i = 0; r >= 0 && i < FIELDS_MAX; i++) {
		if (!columns->names[i])
			continue;
		r = sd_bus_message_append_basic(reply, 's', columns->names[i]);
		len += (size_t)snprintf(columns->row + len, ROW_LEN - len, "%s", columns->types[i]);
	}
	snprintf(columns->rows, sizeof(columns->rows), "a(%s)", columns->row);
	if (r >= 0)
		r = sd_bus_message_close_container(reply);
	if (r >= 0)
		r = sd_bus_message_open_container(reply, 'v', columns->rows);
	return r < 0 ? r : sd_bus_message_open_container(reply, 'a', columns->rows + 1);
}

int bus_list_rows(sd_bus_message *m, void *user, sd_bus_error *error)
{
	const struct bus_target *target = user;
	struct record rec = {.form = RECORD_VALUES};
	struct columns columns = {.wanted = 0};
	struct page page = {.row = columns.row};
	int r = kind_read(m, &page.noun, error);

	if (r >= 0)
		r = filter_read(m, &page.filter, error);
	if (r >= 0)
		r = columns_read(m, page.noun, &columns, error);
	if (r >= 0)
		r = page_read_range(m, &page, columns.has_dicts ? RECORDS_MAX : ROWS_MAX);
	if (r >= 0)
		r = sd_bus_message_new_method_return(m, &rec.m);
	if (r < 0)
		return r;
	rec.wanted = columns.wanted;
	rec.r = columns_append(rec.m, &columns);
	page_fill(&page, target->tree->daemon, &rec);
	return record_answer(&rec);
}
