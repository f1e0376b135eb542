/*
 * doca-admin top: clients, channels and contexts of a daemon, refreshed in place. Data does not
 * pass through the daemon: it reads the counters that programs share with it. Rates are computed
 * since the previous sample. Without a terminal, samples are printed one after the other.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/doca-admin/commands/commands.h"
#include "tools/doca-admin/options.h"
#include "tools/doca-admin/terminal/field.h"
#include "tools/doca-admin/terminal/print.h"
#include "tools/doca-admin/terminal/screen.h"
#include "util/clock.h"

#define TOP_OPTIONS \
	(OPTIONS_DAEMON | OPTIONS_JSON | OPTIONS_FILTER | OPTIONS_INTERVAL | OPTIONS_COUNT)

static const char usage[] =
	"Usage: doca-admin top [OPTION...]\n"
	"\n"
	"Clients, channels and contexts of the daemon at work, refreshed in place, the busiest\n"
	"first; q ends it. Without a terminal, or with --json, it prints one picture after the\n"
	"other, one if --count does not say otherwise; the first has no rates.\n";

static const struct print_column client_columns[] = {
	{"id", "ID", PRINT_NUMBER, false},
	{"pid", "PID", PRINT_NUMBER, false},
	{"uid", "UID", PRINT_NUMBER, false},
	{"program", "PROGRAM", PRINT_TEXT, false},
	{"tasks_per_s", "TASKS/S", PRINT_NUMBER, false},
	{"bytes_per_s", "BYTES/S", PRINT_BYTES, false},
	{"depth", "DEPTH", PRINT_NUMBER, false},
	{"busy_percent", "BUSY%", PRINT_NUMBER, false},
	{"requests_per_s", "REQ/S", PRINT_NUMBER, true},
	{"n_errors", "ERRORS", PRINT_NUMBER, true},
	{"busy_per_s", "BUSY/S", PRINT_NUMBER, true},
	{"empty_per_s", "EMPTY/S", PRINT_NUMBER, true},
	{"sleeps_per_s", "SLEEPS/S", PRINT_NUMBER, true},
	{"n_exports", "EXPORTS", PRINT_NUMBER, true},
	{"n_imports", "IMPORTS", PRINT_NUMBER, true},
	{"n_channels", "CHANNELS", PRINT_NUMBER, true},
	{"blocked", "BLOCKED", PRINT_TEXT, true},
	{"n_requests", "REQUESTS", PRINT_NUMBER, true},
	{"n_services", "SERVICES", PRINT_NUMBER, true},
};

static const struct print_column channel_columns[] = {
	{"id", "ID", PRINT_NUMBER, false},
	{"role", "ROLE", PRINT_TEXT, false},
	{"service", "SERVICE", PRINT_TEXT, false},
	{"state", "STATE", PRINT_TEXT, false},
	{"pid", "PID", PRINT_NUMBER, false},
	{"sent_per_s", "SENT/S", PRINT_NUMBER, false},
	{"received_per_s", "RECV/S", PRINT_NUMBER, false},
	{"bytes_per_s", "BYTES/S", PRINT_BYTES, false},
	{"waits_per_s", "WAITS/S", PRINT_NUMBER, true},
	{"peer_pid", "PEER PID", PRINT_NUMBER, true},
	{"recv_queue_size", "QUEUE", PRINT_NUMBER, true},
	{"max_msg_size", "MSG SIZE", PRINT_BYTES, true},
	{"n_consumers", "CONSUMERS", PRINT_NUMBER, true},
	{"n_peer_consumers", "PEER'S", PRINT_NUMBER, true},
	{"program", "PROGRAM", PRINT_TEXT, true},
};

static const struct print_column context_columns[] = {
	{"id", "ID", PRINT_NUMBER, false},
	{"pid", "PID", PRINT_NUMBER, false},
	{"kind", "KIND", PRINT_TEXT, false},
	{"device", "DEVICE", PRINT_TEXT, false},
	{"tasks_per_s", "TASKS/S", PRINT_NUMBER, false},
	{"bytes_per_s", "BYTES/S", PRINT_BYTES, false},
	{"depth", "DEPTH", PRINT_NUMBER, false},
	{"busy_per_s", "BUSY/S", PRINT_NUMBER, true},
	{"empty_per_s", "EMPTY/S", PRINT_NUMBER, true},
	{"latency_p50_ns", "P50 NS", PRINT_NUMBER, true},
	{"latency_p99_ns", "P99 NS", PRINT_NUMBER, true},
	{"n_errors", "ERRORS", PRINT_NUMBER, true},
	{"waits_per_s", "WAITS/S", PRINT_NUMBER, true},
	{"max_depth", "DEEPEST", PRINT_NUMBER, true},
	{"state", "STATE", PRINT_TEXT, true},
};

/* One sample. */
struct snapshot {
	json_object *manager, *clients, *channels, *contexts;
};

struct top {
	struct admin_options options;
	struct bus_client *client; /* NULL while the daemon is not reachable */
	struct snapshot last;      /* the previous sample; NULLs at first */
	uint64_t last_ns;
};

/* A rate: the increase of a sum of fields per second. */
struct rate {
	const char *name;
	const char *fields[2];
};

static const struct rate client_rates[] = {
	{"requests_per_s", {"n_requests", NULL}},
	{"tasks_per_s", {"n_completed", NULL}},
	{"bytes_per_s", {"moved_bytes", "received_bytes"}},
	{"received_per_s", {"n_received", NULL}},
	{"busy_per_s", {"n_busy", NULL}},
	{"empty_per_s", {"n_empty", NULL}},
	{"sleeps_per_s", {"n_sleeps", NULL}},
	{NULL, {NULL, NULL}},
};

static const struct rate channel_rates[] = {
	{"sent_per_s", {"n_sent", NULL}},
	{"received_per_s", {"n_received", NULL}},
	{"bytes_per_s", {"sent_bytes", "received_bytes"}},
	{"waits_per_s", {"n_waits", NULL}},
	{NULL, {NULL, NULL}},
};

static const struct rate context_rates[] = {
	{"tasks_per_s", {"n_completed", NULL}},
	{"bytes_per_s", {"moved_bytes", "received_bytes"}},
	{"received_per_s", {"n_received", NULL}},
	{"waits_per_s", {"n_waits", NULL}},
	{"busy_per_s", {"n_busy", NULL}},
	{"empty_per_s", {"n_empty", NULL}},
	{NULL, {NULL, NULL}},
};

static void snapshot_deinit(struct snapshot *snapshot)
{
	json_object_put(snapshot->manager);
	json_object_put(snapshot->clients);
	json_object_put(snapshot->channels);
	json_object_put(snapshot->contexts);
}

/* Places of counters are reused, so the serial number is compared, too. */
static int same_order(const void *a, const void *b)
{
	static const char *const keys[] = {"id", "serial"};
	json_object *x = *(json_object *const *)a, *y = *(json_object *const *)b;

	for (size_t i = 0; i < ARRAY_LEN(keys); i++) {
		uint64_t nx = field_number(x, keys[i]), ny = field_number(y, keys[i]);

		if (nx != ny)
			return (nx > ny) - (nx < ny);
	}
	return 0;
}

/*
 * Returns the sorted objects of the previous sample, to be freed by the caller. NULL if there are
 * none or memory is short.
 */
static json_object **index_new(json_object *last, size_t *n_out)
{
	json_object **index;

	*n_out = last ? json_object_array_length(last) : 0;
	index = *n_out ? calloc(*n_out, sizeof(json_object *)) : NULL;
	if (!index) {
		*n_out = 0;
		return NULL;
	}
	for (size_t i = 0; i < *n_out; i++)
		index[i] = json_object_array_get_idx(last, i);
	qsort(index, *n_out, sizeof(json_object *), same_order);
	return index;
}

static uint64_t rate_sum(json_object *object, const struct rate *rate)
{
	return field_number(object, rate->fields[0]) +
	       (rate->fields[1] ? field_number(object, rate->fields[1]) : 0);
}

/* A program may report any value, also one that is lower than before. */
static uint64_t rate_of(json_object *before, json_object *object, const struct rate *rate,
			uint64_t elapsed_ns)
{
	uint64_t now = rate_sum(object, rate), then = before ? rate_sum(before, rate) : now;

	double per_s;

	if (!elapsed_ns || now <= then)
		return 0;
	per_s = (double)(now - then) * NS_PER_SEC / (double)elapsed_ns;
	return per_s < 0x1p63 ? (uint64_t)per_s : INT64_MAX;
}

static int busier(const void *a, const void *b)
{
	static const char *const keys[] = {"tasks_per_s", "bytes_per_s", "busy_per_s",
					   "requests_per_s"};
	json_object *x = *(json_object *const *)a, *y = *(json_object *const *)b;
	uint64_t ix = field_number(x, "id"), iy = field_number(y, "id");

	for (size_t i = 0; i < ARRAY_LEN(keys); i++) {
		uint64_t rx = field_number(x, keys[i]), ry = field_number(y, keys[i]);

		if (rx != ry)
			return (rx < ry) - (rx > ry);
	}
	return (ix > iy) - (ix < iy);
}

/* Adds rates since the previous sample. An object that is new has none yet. */
static void rates_fill(json_object *objects, json_object *last, const struct rate *rates,
		       uint64_t elapsed_ns)
{
	size_t n;
	json_object **index = index_new(last, &n);

	for (size_t i = 0; i < json_object_array_length(objects); i++) {
		json_object *object = json_object_array_get_idx(objects, i);
		json_object **before =
			n ? bsearch(&object, index, n, sizeof(json_object *), same_order) : NULL;

		for (const struct rate *rate = rates; rate->name; rate++)
			field_set_number(
				object, rate->name,
				rate_of(before ? *before : NULL, object, rate, elapsed_ns));
	}
	free(index);
	json_object_array_sort(objects, busier);
}

/* Adds the share of progress calls since the previous sample that found work. */
static void busy_fill(json_object *clients)
{
	for (size_t i = 0; i < json_object_array_length(clients); i++) {
		json_object *client = json_object_array_get_idx(clients, i);
		double busy = (double)field_number(client, "busy_per_s");
		double all = busy + (double)field_number(client, "empty_per_s");

		field_set_number(client, "busy_percent",
				 all > 0 ? (uint64_t)(busy * 100 / all + 0.5) : 0);
	}
}

/* Removes channels, which have a table of their own. */
static json_object *without_channels(json_object *objects)
{
	json_object *rest = json_object_new_array();

	for (size_t i = 0; i < json_object_array_length(objects); i++) {
		json_object *object = json_object_array_get_idx(objects, i);

		if (!field_is(object, "kind", "channel"))
			json_object_array_add(rest, json_object_get(object));
	}
	json_object_put(objects);
	return rest;
}

static void snapshot_finish(struct top *top, struct snapshot *snapshot)
{
	uint64_t now = clock_now_ns();
	uint64_t elapsed_ns = top->last.clients ? now - top->last_ns : 0;

	snapshot->contexts = without_channels(snapshot->contexts);
	rates_fill(snapshot->clients, top->last.clients, client_rates, elapsed_ns);
	rates_fill(snapshot->channels, top->last.channels, channel_rates, elapsed_ns);
	rates_fill(snapshot->contexts, top->last.contexts, context_rates, elapsed_ns);
	busy_fill(snapshot->clients);
	snapshot_deinit(&top->last);
	top->last = (struct snapshot){
		.clients = json_object_get(snapshot->clients),
		.channels = json_object_get(snapshot->channels),
		.contexts = json_object_get(snapshot->contexts),
	};
	top->last_ns = now;
}

/* Returns 0, or the exit status of the failure, which is printed if loud. */
static int snapshot_read(struct top *top, bool loud, struct snapshot *snapshot)
{
	char *error = NULL;
	int r;

	if (!top->client) {
		r = bus_client_open(&top->options.target, &top->client, &error);
		if (r < 0 && loud)
			fputs(error ? error : "doca-admin: no memory\n", stderr);
		free(error);
		if (r < 0)
			return r == -EACCES     ? EXIT_DENIED
			       : r == -ENOTUNIQ ? EXIT_USAGE
						: EXIT_NO_DAEMON;
	}
	r = bus_client_properties(top->client, &snapshot->manager);
	if (r == 0)
		r = bus_client_records(top->client, "client", &top->options.filter,
				       &snapshot->clients);
	if (r == 0)
		r = bus_client_records(top->client, "channel", &top->options.filter,
				       &snapshot->channels);
	if (r == 0)
		r = bus_client_records(top->client, "counters", &top->options.filter,
				       &snapshot->contexts);
	if (r < 0) {
		r = loud           ? options_call_failed(top->client, r)
		    : r == -EACCES ? EXIT_DENIED
				   : EXIT_NO_DAEMON;
		top->client = bus_client_close(top->client);
		return r;
	}
	snapshot_finish(top, snapshot);
	return 0;
}

static void snapshot_print(FILE *f, const struct snapshot *snapshot, int width)
{
	char head[512];
	char *clean;

	snprintf(head, sizeof(head), "%s  dococored %s  pid %s  %s",
		 field_text(snapshot->manager, "side"), field_text(snapshot->manager, "version"),
		 field_text(snapshot->manager, "pid"), field_text(snapshot->manager, "status"));
	clean = print_clean(head);
	if (clean && width > 0 && (int)strlen(clean) > width)
		clean[width] = '\0';
	fprintf(f, "%s\n\n", clean ? clean : "?");
	free(clean);
	print_table(f, snapshot->clients, client_columns, ARRAY_LEN(client_columns), width);
	fputc('\n', f);
	print_table(f, snapshot->channels, channel_columns, ARRAY_LEN(channel_columns), width);
	fputc('\n', f);
	print_table(f, snapshot->contexts, context_columns, ARRAY_LEN(context_columns), width);
}

static void snapshot_print_json(const struct snapshot *snapshot)
{
	json_object *all = json_object_new_object();

	json_object_object_add(all, "manager", json_object_get(snapshot->manager));
	json_object_object_add(all, "clients", json_object_get(snapshot->clients));
	json_object_object_add(all, "channels", json_object_get(snapshot->channels));
	json_object_object_add(all, "contexts", json_object_get(snapshot->contexts));
	puts(json_object_to_json_string_ext(all, JSON_C_TO_STRING_NOSLASHESCAPE));
	json_object_put(all);
}

static int top_print(struct top *top)
{
	unsigned n = top->options.count ? top->options.count : 1;

	for (unsigned i = 0; i < n; i++) {
		CLEANUP(snapshot_deinit) struct snapshot snapshot = {.manager = NULL};
		int r;

		if (i)
			usleep(top->options.interval_ms * 1000);
		r = snapshot_read(top, true, &snapshot);
		if (r != 0)
			return r;
		if (top->options.json)
			snapshot_print_json(&snapshot);
		else
			snapshot_print(stdout, &snapshot, print_width(stdout));
		if (!top->options.json && i + 1 < n)
			putchar('\n');
		fflush(stdout);
	}
	return EXIT_SUCCESS;
}

/* Shows one frame, which says so if the daemon is not reachable. */
static void top_refresh(struct top *top)
{
	CLEANUP(snapshot_deinit) struct snapshot snapshot = {.manager = NULL};
	unsigned rows, columns;
	char *text = NULL;
	size_t len;
	FILE *f;
	int r = snapshot_read(top, false, &snapshot);

	f = open_memstream(&text, &len);
	if (!f)
		return;
	screen_size(&rows, &columns);
	if (r == 0)
		snapshot_print(f, &snapshot, (int)columns);
	else if (r == EXIT_DENIED)
		fputs("the daemon does not let this user look any more; q ends this\n", f);
	else
		fputs("the daemon is away; it is looked for again. q ends this\n", f);
	fclose(f);
	screen_show(text);
	free(text);
}

static int top_live(struct top *top)
{
	unsigned n = 0;
	int key = 0, r = screen_begin();

	if (r < 0)
		return cmd_fail(EXIT_FAILURE, "the terminal cannot be used: %s", strerror(-r));
	while (key != -1 && key != 'q' && key != 'Q') {
		top_refresh(top);
		n++;
		if (top->options.count && n >= top->options.count)
			break;
		/* Any other key, or a change of the terminal's size, refreshes at once. */
		key = screen_key(top->options.interval_ms);
	}
	screen_end();
	return EXIT_SUCCESS;
}

int cmd_top(int argc, char **argv)
{
	struct top top = {.options = {.interval_ms = 1000}};
	int r;

	r = options_begin(argc, argv, TOP_OPTIONS, usage, 0, &top.options, &top.client);
	if (r != 0)
		return r - 1;
	if (top.options.json || !isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO))
		r = top_print(&top);
	else
		r = top_live(&top);
	bus_client_close(top.client);
	snapshot_deinit(&top.last);
	return r;
}
