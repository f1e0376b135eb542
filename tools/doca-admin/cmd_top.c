/*
 * doca-admin top: clients and channels of a daemon, refreshed in place. It shows what the daemon
 * knows: requests on the control path, and what each client has. What the data path moves does not
 * pass through the daemon; columns for it are further rows of the tables below. Without a terminal
 * it prints one picture after the other.
 */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/doca-admin/commands.h"
#include "tools/doca-admin/field.h"
#include "tools/doca-admin/options.h"
#include "tools/doca-admin/print.h"
#include "tools/doca-admin/screen.h"
#include "util/clock.h"

#define TOP_OPTIONS \
	(OPTIONS_DAEMON | OPTIONS_JSON | OPTIONS_FILTER | OPTIONS_INTERVAL | OPTIONS_COUNT)

static const char usage[] =
	"Usage: doca-admin top [OPTION...]\n"
	"\n"
	"Clients and channels of the daemon, refreshed in place; q ends it. The busiest client\n"
	"on the control path comes first. Without a terminal, or with --json, it prints one\n"
	"picture after the other, one if --count does not say otherwise.\n";

static const struct print_column client_columns[] = {
	{"id", "ID", PRINT_NUMBER, false},
	{"pid", "PID", PRINT_NUMBER, false},
	{"uid", "UID", PRINT_NUMBER, false},
	{"program", "PROGRAM", PRINT_TEXT, false},
	{"requests_per_s", "REQ/S", PRINT_NUMBER, false},
	{"n_exports", "EXPORTS", PRINT_NUMBER, false},
	{"n_imports", "IMPORTS", PRINT_NUMBER, false},
	{"n_channels", "CHANNELS", PRINT_NUMBER, false},
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
	{"peer_pid", "PEER PID", PRINT_NUMBER, false},
	{"recv_queue_size", "QUEUE", PRINT_NUMBER, false},
	{"max_msg_size", "MSG SIZE", PRINT_BYTES, true},
	{"n_consumers", "CONSUMERS", PRINT_NUMBER, true},
	{"n_peer_consumers", "PEER'S", PRINT_NUMBER, true},
	{"program", "PROGRAM", PRINT_TEXT, true},
};

struct top {
	struct admin_options options;
	struct bus_client *client; /* NULL while the daemon is away */
	json_object *last;         /* clients of the look before; NULL at first */
	uint64_t last_ns;
};

/* What is shown at one moment. */
struct picture {
	json_object *manager, *clients, *channels;
};

static void picture_deinit(struct picture *picture)
{
	json_object_put(picture->manager);
	json_object_put(picture->clients);
	json_object_put(picture->channels);
}

static json_object *client_before(const struct top *top, uint64_t id)
{
	for (size_t i = 0; top->last && i < json_object_array_length(top->last); i++) {
		json_object *client = json_object_array_get_idx(top->last, i);

		if (field_number(client, "id") == id)
			return client;
	}
	return NULL;
}

static int busier(const void *a, const void *b)
{
	json_object *x = *(json_object *const *)a, *y = *(json_object *const *)b;
	uint64_t rx = field_number(x, "requests_per_s"), ry = field_number(y, "requests_per_s");
	uint64_t ix = field_number(x, "id"), iy = field_number(y, "id");

	return rx != ry ? (rx < ry) - (rx > ry) : (ix > iy) - (ix < iy);
}

/* Rates since the look before; a client that was not there then has none yet. */
static void rates_fill(struct top *top, json_object *clients)
{
	uint64_t now = clock_now_ns(), elapsed_ns = now - top->last_ns;

	for (size_t i = 0; i < json_object_array_length(clients); i++) {
		json_object *client = json_object_array_get_idx(clients, i);
		json_object *before = client_before(top, field_number(client, "id"));
		uint64_t n = field_number(client, "n_requests") -
			     (before ? field_number(before, "n_requests") : 0);

		field_set_number(client, "requests_per_s",
				 before && elapsed_ns ? n * NS_PER_SEC / elapsed_ns : 0);
	}
	json_object_array_sort(clients, busier);
	json_object_put(top->last);
	top->last = json_object_get(clients);
	top->last_ns = now;
}

/* 0, or the exit status that the failure deserves (said, if loud). */
static int picture_take(struct top *top, bool loud, struct picture *picture)
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
	r = bus_client_properties(top->client, &picture->manager);
	if (r == 0)
		r = bus_client_list(top->client, "ListClients", &top->options.filter,
				    &picture->clients);
	if (r == 0)
		r = bus_client_list(top->client, "ListChannels", &top->options.filter,
				    &picture->channels);
	if (r < 0) {
		r = loud           ? options_call_failed(top->client, r)
		    : r == -EACCES ? EXIT_DENIED
				   : EXIT_NO_DAEMON;
		top->client = bus_client_close(top->client);
		return r;
	}
	rates_fill(top, picture->clients);
	return 0;
}

static void picture_print(FILE *f, const struct picture *picture, int width)
{
	char head[512];
	char *clean;

	snprintf(head, sizeof(head), "%s  dococored %s  pid %s  %s",
		 field_text(picture->manager, "side"), field_text(picture->manager, "version"),
		 field_text(picture->manager, "pid"), field_text(picture->manager, "status"));
	clean = print_clean(head);
	if (clean && width > 0 && (int)strlen(clean) > width)
		clean[width] = '\0';
	fprintf(f, "%s\n\n", clean ? clean : "?");
	free(clean);
	print_table(f, picture->clients, client_columns, ARRAY_LEN(client_columns), width);
	fputc('\n', f);
	print_table(f, picture->channels, channel_columns, ARRAY_LEN(channel_columns), width);
}

static void picture_print_json(const struct picture *picture)
{
	json_object *all = json_object_new_object();

	json_object_object_add(all, "manager", json_object_get(picture->manager));
	json_object_object_add(all, "clients", json_object_get(picture->clients));
	json_object_object_add(all, "channels", json_object_get(picture->channels));
	puts(json_object_to_json_string_ext(all, JSON_C_TO_STRING_NOSLASHESCAPE));
	json_object_put(all);
}

static int top_print(struct top *top)
{
	unsigned n = top->options.count ? top->options.count : 1;

	for (unsigned i = 0; i < n; i++) {
		CLEANUP(picture_deinit) struct picture picture = {NULL, NULL, NULL};
		int r;

		if (i)
			usleep(top->options.interval_ms * 1000);
		r = picture_take(top, true, &picture);
		if (r != 0)
			return r;
		if (top->options.json)
			picture_print_json(&picture);
		else
			picture_print(stdout, &picture, print_width(stdout));
		if (!top->options.json && i + 1 < n)
			putchar('\n');
		fflush(stdout);
	}
	return EXIT_SUCCESS;
}

/* One frame; when the daemon is away that is what it says. */
static void top_refresh(struct top *top)
{
	CLEANUP(picture_deinit) struct picture picture = {NULL, NULL, NULL};
	unsigned rows, columns;
	char *text = NULL;
	size_t len;
	FILE *f;
	int r = picture_take(top, false, &picture);

	f = open_memstream(&text, &len);
	if (!f)
		return;
	screen_size(&rows, &columns);
	if (r == 0)
		picture_print(f, &picture, (int)columns);
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
		/* Keys that mean nothing, and another size, show the present at once. */
		key = screen_key(top->options.interval_ms);
	}
	screen_end();
	return EXIT_SUCCESS;
}

int cmd_top(int argc, char **argv)
{
	struct top top = {.options = {.interval_ms = 1000}};
	int r;

	switch (options_parse(argc, argv, TOP_OPTIONS, &top.options)) {
	case OPTIONS_BAD:
		return EXIT_USAGE;
	case OPTIONS_HELP:
		fputs(usage, stdout);
		options_usage(stdout, TOP_OPTIONS);
		return EXIT_SUCCESS;
	case OPTIONS_OK:
		break;
	}
	if (argc != optind) {
		fputs(usage, stderr);
		return EXIT_USAGE;
	}
	/* Where there is no daemon from the start, that is said on the usual screen. */
	r = options_open(&top.options, &top.client);
	if (r != 0)
		return r;
	if (top.options.json || !isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO))
		r = top_print(&top);
	else
		r = top_live(&top);
	bus_client_close(top.client);
	json_object_put(top.last);
	return r;
}
