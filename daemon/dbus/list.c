/* Lists of objects for operators; see daemon/dbus/list.h. */
#include "daemon/dbus/list.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "daemon/base/daemon.h"

/* The most records in one reply. A record takes several times as long as a row. */
#define RECORDS_MAX 256u
#define ROWS_MAX    BUS_SCAN_MAX
#define FIELDS_MAX  64u
/* The most objects that one call of Count examines. That takes a fraction of the time of a row. */
#define COUNT_SCAN_MAX (8 * BUS_SCAN_MAX)
#define ROW_LEN        256
/* The most bytes of a text in a request. No name of an object or of a field is longer. */
#define TEXT_MAX 256

struct filter {
	bool is_set, has_pid, has_uid;
	unsigned seen; /* bits of the keys that were read */
	uint64_t pid, uid;
	const char *name, *device; /* NULL: any; `name` is in `pattern`, others in the message */
	char pattern[TEXT_MAX + 1];
	const char *sort; /* field, after '-' for descending order; NULL: as listed */
	bool is_descending;
};

/*
 * Matches '*' and '?' as a shell does, in time proportional to the product of the lengths, and to
 * the square of the text's length if the pattern has no runs of '*'.
 */
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

/* Copies a pattern, with one '*' for each run of them. The copy is never longer. */
static void glob_copy(const char *pattern, char *out)
{
	for (; *pattern; pattern++)
		if (pattern[0] != '*' || pattern[1] != '*')
			*out++ = *pattern;
	*out = '\0';
}

/*
 * Reads a text from a variant or from an array. Returns 1, 0 at the end of the array, or -errno
 * with the error for the caller if the text is too long.
 */
static int text_read(sd_bus_message *m, const char *what, bool is_variant, const char **text_out,
		     sd_bus_error *error)
{
	int r = is_variant ? sd_bus_message_read(m, "v", "s", text_out)
			   : sd_bus_message_read_basic(m, 's', text_out);

	if (r <= 0 || strnlen(*text_out, TEXT_MAX + 1) <= TEXT_MAX)
		return r;
	return sd_bus_error_setf(error, SD_BUS_ERROR_INVALID_ARGS,
				 "the text of '%s' is longer than %d bytes: shorten it", what,
				 TEXT_MAX);
}

static int filter_read_value(sd_bus_message *m, struct filter *filter, const char *key,
			     sd_bus_error *error)
{
	int r;

	if (strcmp(key, "sort") == 0)
		return text_read(m, key, true, &filter->sort, error);
	filter->is_set = true;
	if (strcmp(key, "device") == 0)
		return text_read(m, key, true, &filter->device, error);
	if (strcmp(key, "pid") == 0) {
		filter->has_pid = true;
		return sd_bus_message_read(m, "v", "t", &filter->pid);
	}
	if (strcmp(key, "uid") == 0) {
		filter->has_uid = true;
		return sd_bus_message_read(m, "v", "t", &filter->uid);
	}
	r = text_read(m, key, true, &filter->name, error);
	if (r <= 0)
		return r;
	glob_copy(filter->name, filter->pattern);
	filter->name = filter->pattern;
	return 0;
}

static int filter_read_entry(sd_bus_message *m, struct filter *filter, sd_bus_error *error)
{
	static const char *const keys[] = {"pid", "uid", "name", "device", "sort"};
	const char *key;
	char clean[41];
	unsigned i = 0;
	int r = sd_bus_message_read_basic(m, 's', &key);

	if (r < 0)
		return r;
	while (i < ARRAY_LEN(keys) && strcmp(keys[i], key) != 0)
		i++;
	record_clean(key, clean, sizeof(clean));
	if (i == ARRAY_LEN(keys))
		return sd_bus_error_setf(
			error, SD_BUS_ERROR_INVALID_ARGS,
			"'%s' is no filter; there are pid, uid (t), name, device, sort (s)", clean);
	if (filter->seen & 1u << i)
		return sd_bus_error_setf(error, SD_BUS_ERROR_INVALID_ARGS,
					 "the filter has '%s' twice: give it once", clean);
	filter->seen |= 1u << i;
	return filter_read_value(m, filter, key, error);
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

/* --- pages --- */

/* The arguments of a call. */
struct page {
	const struct bus_noun *noun;
	struct filter filter;
	int sort; /* number of a field, or -1 */
	uint64_t after, max;
	unsigned n_scan; /* objects that may be examined for the page */
	const char *row; /* types of the fields of a row; NULL: records */
};

static struct bus_mark *mark_find(struct bus_marks *marks, const struct bus_noun *noun,
				  uint64_t order)
{
	for (size_t i = 0; i < BUS_MAX_MARKS; i++)
		if (marks->at[i].noun == noun && marks->at[i].order == order)
			return &marks->at[i];
	return NULL;
}

void bus_marks_removed(struct bus_marks *marks, const struct daemon *daemon, const void *object)
{
	for (size_t i = 0; i < BUS_MAX_MARKS; i++) {
		struct bus_mark *mark = &marks->at[i];
		const struct list *before;

		if (!mark->noun || mark->object != object)
			continue;
		before = ((const struct list *)((const char *)object + mark->noun->link))->prev;
		mark->object = before == mark->noun->list_of(daemon)
				       ? NULL
				       : (const char *)before - mark->noun->link;
	}
}

/*
 * Returns the object after which the page begins; NULL: it begins with the first. The end of the
 * previous page is marked; if the mark was overwritten, the list is walked from its beginning.
 */
static const void *page_begin(const struct page *page, const struct bus_tree *tree)
{
	const struct bus_noun *noun = page->noun;
	const struct bus_mark *mark = mark_find(tree->marks, noun, page->after);
	const void *before = NULL, *at;

	if (page->after == 0)
		return NULL;
	if (mark)
		return mark->object;
	if (noun->upto)
		return noun->upto(tree->daemon, page->after);
	for (at = bus_noun_next(noun, tree->daemon, NULL);
	     at && bus_noun_order(noun, at) <= page->after;
	     at = bus_noun_next(noun, tree->daemon, at))
		before = at;
	return before;
}

/* Returns the `next` of a page that ends with this object, and marks the object. */
static uint64_t page_end(const struct page *page, const struct bus_tree *tree, const void *last)
{
	struct bus_marks *marks = tree->marks;
	uint64_t order;

	if (!last || !bus_noun_next(page->noun, tree->daemon, last))
		return 0;
	order = bus_noun_order(page->noun, last);
	if (page->noun->map_of && !mark_find(marks, page->noun, order))
		marks->at[marks->n++ % BUS_MAX_MARKS] =
			(struct bus_mark){.noun = page->noun, .object = last, .order = order};
	return order;
}

/*
 * Returns the next object that the filter selects, or NULL if there is none among the next
 * *n_left objects. *last is the object that was examined last.
 */
static const void *page_next(const struct page *page, const struct daemon *daemon,
			     const void **last, unsigned *n_left)
{
	const void *at;

	while (*n_left > 0 && (at = bus_noun_next(page->noun, daemon, *last))) {
		*last = at;
		--*n_left;
		if (filter_matches(&page->filter, page->noun, at))
			return at;
	}
	return NULL;
}

struct found {
	const void *object;
	uint64_t at; /* place in the list */
	struct record_key key;
};

static int found_compare(const void *a, const void *b, void *is_descending)
{
	const struct found *x = a, *y = b;
	int r = (x->key.number > y->key.number) - (x->key.number < y->key.number);

	if (r == 0)
		r = strcmp(x->key.text, y->key.text);
	if (r == 0)
		return x->at < y->at ? -1 : 1;
	return is_descending ? -r : r;
}

/* Reads the field by which the page is sorted. */
static void found_read(const struct page *page, const void *object, uint64_t at,
		       struct found *found_out)
{
	struct record rec = {.form = RECORD_KEY, .key = &found_out->key};

	*found_out = (struct found){.object = object, .at = at};
	rec.wanted = UINT64_C(1) << page->sort;
	page->noun->fill(&rec, object);
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

/* Sorts the objects that may be examined, and adds the first of them. */
static void page_fill_sorted(const struct page *page, const struct daemon *daemon,
			     struct record *rec, const void **last)
{
	struct found *found = calloc(page->n_scan, sizeof(*found));
	unsigned n_left = page->n_scan;
	const void *at;
	size_t n = 0;

	if (!found) {
		rec->r = -ENOMEM;
		return;
	}
	for (; (at = page_next(page, daemon, last, &n_left)); n++)
		found_read(page, at, n, &found[n]);
	qsort_r(found, n, sizeof(*found), found_compare, page->filter.is_descending ? found : NULL);
	for (size_t i = 0; i < n && i < page->max; i++)
		page_add(page, found[i].object, rec);
	free(found);
}

/*
 * Adds the page as an array, and the order of the last object that was examined, or 0 at the end
 * of the list.
 */
static void page_fill(const struct page *page, const struct bus_tree *tree, struct record *rec)
{
	const void *last = page_begin(page, tree), *at;
	unsigned n_left = page->n_scan;
	uint64_t next;

	if (page->sort >= 0)
		page_fill_sorted(page, tree->daemon, rec, &last);
	for (uint64_t n = 0; page->sort < 0 && n < page->max; n++) {
		at = page_next(page, tree->daemon, &last, &n_left);
		if (!at)
			break;
		page_add(page, at, rec);
	}
	next = page_end(page, tree, last);
	for (int i = page->row ? 0 : 1; i < 2 && rec->r >= 0; i++)
		rec->r = sd_bus_message_close_container(rec->m);
	if (rec->r >= 0)
		rec->r = sd_bus_message_append_basic(rec->m, 't', &next);
}

/* Finds the field by which the page is sorted. */
static int page_find_sort(struct page *page, sd_bus_error *error)
{
	const char *type, *name = page->filter.sort;
	char clean[41];

	page->sort = -1;
	if (!name)
		return 0;
	page->filter.is_descending = *name == '-';
	name += *name == '-';
	page->sort = bus_noun_field(page->noun, name, &type);
	if (page->sort >= 0 && strchr("tsb", *type))
		return 0;
	record_clean(name, clean, sizeof(clean));
	return sd_bus_error_setf(
		error, SD_BUS_ERROR_INVALID_ARGS,
		"the %s has no field '%s' by which a list can be sorted: a number, "
		"text or boolean",
		page->noun->name, clean);
}

static int page_read_range(sd_bus_message *m, struct page *page, unsigned limit)
{
	int r = sd_bus_message_read(m, "tt", &page->after, &page->max);

	if (page->max == 0 || page->max > limit)
		page->max = limit;
	/* A sorted page must not leave out an object unless the caller's max requires it. */
	page->n_scan = page->sort >= 0 ? limit : BUS_SCAN_MAX;
	return r;
}

/* Returns the noun of a method: "Exports" of ListExports, or "Export" of GetExport. */
static const struct bus_noun *noun_of_method(const char *member)
{
	bool is_list = *member == 'L';
	const char *what = member + strlen(is_list ? "List" : "Get");
	int kind = 0;

	while (strcasecmp(is_list ? bus_nouns[kind]->folder : bus_nouns[kind]->name, what) != 0)
		kind++;
	return bus_nouns[kind];
}

int bus_list_records(sd_bus_message *m, void *user, sd_bus_error *error)
{
	struct page page = {.noun = noun_of_method(sd_bus_message_get_member(m))};
	const struct bus_target *target = user;
	struct record rec = {.form = RECORD_DICT};
	int r = bus_noun_check_caller(target, error);

	if (r >= 0)
		r = filter_read(m, &page.filter, error);
	if (r >= 0)
		r = page_find_sort(&page, error);
	if (r >= 0)
		r = page_read_range(m, &page, RECORDS_MAX);
	if (r >= 0)
		r = sd_bus_message_new_method_return(m, &rec.m);
	if (r < 0)
		return r;
	rec.r = sd_bus_message_open_container(rec.m, 'a', "a{sv}");
	page_fill(&page, target->tree, &rec);
	return record_answer(&rec);
}

int bus_list_get(sd_bus_message *m, void *user, sd_bus_error *error)
{
	const struct bus_noun *noun = noun_of_method(sd_bus_message_get_member(m));
	const struct bus_target *target = user;
	struct record rec = {.form = RECORD_DICT};
	const void *object;
	uint64_t id;
	int r = bus_noun_check_caller(target, error);

	if (r >= 0)
		r = sd_bus_message_read(m, "t", &id);
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
	const char *names[FIELDS_MAX]; /* by field, as the caller wrote them; NULL: as a key */
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

/* Reads the names of the columns; an empty list of names selects all fields. */
static int columns_read(sd_bus_message *m, const struct bus_noun *noun, struct columns *columns,
			sd_bus_error *error)
{
	const char *name, *type;
	char clean[41];
	int r = sd_bus_message_enter_container(m, 'a', "s"), field;

	while (r >= 0 && (r = text_read(m, "fields", false, &name, error)) > 0) {
		field = bus_noun_field(noun, name, &type);
		if (field < 0) {
			record_clean(name, clean, sizeof(clean));
			return sd_bus_error_setf(error, SD_BUS_ERROR_INVALID_ARGS,
						 "the %s has no field '%s'", noun->name, clean);
		}
		/* No field may be named twice, so there are no more names than fields. */
		if (columns->wanted & UINT64_C(1) << field)
			return sd_bus_error_setf(error, SD_BUS_ERROR_INVALID_ARGS,
						 "the field '%s' is wanted twice: name it once",
						 name);
		columns->wanted |= UINT64_C(1) << field;
		columns->names[field] = name;
		columns->has_dicts |= strchr(type, '{') != NULL;
	}
	if (!columns->wanted) {
		columns->wanted = UINT64_MAX;
		columns->has_dicts = true;
	}
	return r < 0 ? r : sd_bus_message_exit_container(m);
}

/* Adds the names of the columns, in the order of the fields, and opens the array of rows. */
static int columns_append(sd_bus_message *reply, const struct bus_noun *noun,
			  struct columns *columns)
{
	int r = sd_bus_message_open_container(reply, 'a', "s");
	const char *property, *type, *name;
	size_t len = 0;
	char key[64];

	for (unsigned i = 0; r >= 0 && bus_noun_describe(noun, i, &property, &type); i++) {
		if (!(columns->wanted >> i & 1))
			continue;
		bus_noun_key(property, key, sizeof(key));
		name = columns->names[i] ? columns->names[i] : key;
		r = sd_bus_message_append_basic(reply, 's', name);
		len += (size_t)snprintf(columns->row + len, ROW_LEN - len, "%s", type);
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
	int r = bus_noun_check_caller(user, error);

	if (r >= 0)
		r = kind_read(m, &page.noun, error);
	if (r >= 0)
		r = filter_read(m, &page.filter, error);
	if (r >= 0)
		r = page_find_sort(&page, error);
	if (r >= 0)
		r = columns_read(m, page.noun, &columns, error);
	if (r >= 0)
		r = page_read_range(m, &page, columns.has_dicts ? RECORDS_MAX : ROWS_MAX);
	if (r >= 0)
		r = sd_bus_message_new_method_return(m, &rec.m);
	if (r < 0)
		return r;
	rec.wanted = columns.wanted;
	rec.r = columns_append(rec.m, page.noun, &columns);
	page_fill(&page, target->tree, &rec);
	return record_answer(&rec);
}

int bus_list_count(sd_bus_message *m, void *user, sd_bus_error *error)
{
	const struct bus_tree *tree = ((const struct bus_target *)user)->tree;
	unsigned n_left = COUNT_SCAN_MAX;
	struct page page = {.sort = -1};
	const void *last;
	uint64_t n = 0;
	int r = bus_noun_check_caller(user, error);

	if (r >= 0)
		r = kind_read(m, &page.noun, error);
	if (r >= 0)
		r = filter_read(m, &page.filter, error);
	if (r >= 0)
		r = sd_bus_message_read(m, "t", &page.after);
	if (r < 0)
		return r;
	last = page_begin(&page, tree);
	while (page_next(&page, tree->daemon, &last, &n_left))
		n++;
	r = sd_bus_reply_method_return(m, "tt", n, page_end(&page, tree, last));
	return r < 0 ? r : 1;
}
