/*
 * status, devices, clients, exports and the other nouns: objects of a daemon, read over its private
 * D-Bus socket and printed as table, record or JSON, and the actions on them. Each noun is one
 * entry in the table below; the daemon's field names (doc/dbus.md) are the JSON keys.
 */
#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/doca-admin/bus/client.h"
#include "tools/doca-admin/bus/json.h"
#include "tools/doca-admin/commands/commands.h"
#include "tools/doca-admin/options.h"
#include "tools/doca-admin/terminal/print.h"

struct noun {
	const char *name;  /* on the command line, and the folder of its D-Bus objects */
	const char *kind;  /* "export" */
	const char *empty; /* printed if there are none */
	const struct print_column *columns;
	size_t n_columns;
	const char *verb; /* an action; NULL: none */
	const char *interface, *method;
	const char *done; /* printed after the action */
	const char *verb_help;
};

#define VIEW_OPTIONS     (OPTIONS_DAEMON | OPTIONS_JSON)
#define VIEW_MAX_COLUMNS 24

static const struct print_column device_columns[] = {
	{"id", "ID", PRINT_NUMBER, false},
	{"name", "NAME", PRINT_TEXT, false},
	{"pci_addr", "PCI ADDRESS", PRINT_TEXT, false},
	{"func_type", "TYPE", PRINT_TEXT, false},
	{"present", "PRESENT", PRINT_TEXT, false},
	{"iface", "INTERFACE", PRINT_TEXT, false},
	{"ibdev", "IBDEV", PRINT_TEXT, false},
	{"n_open", "OPEN", PRINT_NUMBER, false},
	{"vuid", "VUID", PRINT_TEXT, true},
	{"mac", "MAC", PRINT_TEXT, true},
	{"active_rate", "BIT/S", PRINT_NUMBER, true},
};

static const struct print_column rep_columns[] = {
	{"id", "ID", PRINT_NUMBER, false},         {"name", "NAME", PRINT_TEXT, false},
	{"parent", "PARENT", PRINT_TEXT, false},   {"pci_addr", "PCI ADDRESS", PRINT_TEXT, false},
	{"func_type", "TYPE", PRINT_TEXT, false},  {"present", "PRESENT", PRINT_TEXT, false},
	{"iface", "INTERFACE", PRINT_TEXT, false}, {"vuid", "VUID", PRINT_TEXT, true},
};

static const struct print_column client_columns[] = {
	{"id", "ID", PRINT_NUMBER, false},
	{"pid", "PID", PRINT_NUMBER, false},
	{"uid", "UID", PRINT_NUMBER, false},
	{"program", "PROGRAM", PRINT_TEXT, false},
	{"n_handles", "HANDLES", PRINT_NUMBER, false},
	{"n_exports", "EXPORTS", PRINT_NUMBER, false},
	{"n_imports", "IMPORTS", PRINT_NUMBER, false},
	{"n_channels", "CHANNELS", PRINT_NUMBER, false},
	{"n_completed", "TASKS", PRINT_NUMBER, true},
	{"n_errors", "ERRORS", PRINT_NUMBER, true},
	{"depth", "DEPTH", PRINT_NUMBER, true},
	{"moved_bytes", "MOVED", PRINT_BYTES, true},
	{"received_bytes", "RECEIVED", PRINT_BYTES, true},
	{"library", "LIBRARY", PRINT_TEXT, true},
};

static const struct print_column export_columns[] = {
	{"id", "ID", PRINT_NUMBER, false},
	{"pid", "PID", PRINT_NUMBER, false},
	{"program", "PROGRAM", PRINT_TEXT, false},
	{"device", "DEVICE", PRINT_TEXT, false},
	{"kind", "KIND", PRINT_TEXT, false},
	{"len", "LENGTH", PRINT_BYTES, false},
	{"n_importers", "IMPORTERS", PRINT_NUMBER, false},
	{"memory", "MEMORY", PRINT_TEXT, true},
	{"addr", "ADDRESS", PRINT_HEX, true},
	{"permissions", "PERMISSIONS", PRINT_TEXT, true},
	{"uid", "UID", PRINT_NUMBER, true},
};

static const struct print_column channel_columns[] = {
	{"id", "ID", PRINT_NUMBER, false},
	{"role", "ROLE", PRINT_TEXT, false},
	{"service", "SERVICE", PRINT_TEXT, false},
	{"state", "STATE", PRINT_TEXT, false},
	{"pid", "PID", PRINT_NUMBER, false},
	{"program", "PROGRAM", PRINT_TEXT, false},
	{"device", "DEVICE", PRINT_TEXT, false},
	{"transport", "TRANSPORT", PRINT_TEXT, false},
	{"peer_pid", "PEER PID", PRINT_NUMBER, false},
	{"n_consumers", "CONSUMERS", PRINT_NUMBER, false},
	{"n_peer_consumers", "PEER'S", PRINT_NUMBER, false},
	{"n_sent", "SENT", PRINT_NUMBER, true},
	{"n_received", "RECEIVED", PRINT_NUMBER, true},
	{"n_waits", "WAITS", PRINT_NUMBER, true},
	{"max_msg_size", "MSG SIZE", PRINT_BYTES, true},
	{"recv_queue_size", "QUEUE", PRINT_NUMBER, true},
};

static const struct print_column import_columns[] = {
	{"id", "ID", PRINT_NUMBER, false},
	{"pid", "PID", PRINT_NUMBER, false},
	{"program", "PROGRAM", PRINT_TEXT, false},
	{"device", "DEVICE", PRINT_TEXT, false},
	{"exporter_side", "FROM", PRINT_TEXT, false},
	{"len", "LENGTH", PRINT_BYTES, false},
	{"transport", "TRANSPORT", PRINT_TEXT, false},
	{"state", "STATE", PRINT_TEXT, false},
	{"export_id", "EXPORT", PRINT_NUMBER, true},
	{"permissions", "PERMISSIONS", PRINT_TEXT, true},
};

static const struct print_column service_columns[] = {
	{"id", "ID", PRINT_NUMBER, false},
	{"name", "NAME", PRINT_TEXT, false},
	{"pid", "PID", PRINT_NUMBER, false},
	{"program", "PROGRAM", PRINT_TEXT, false},
	{"device", "DEVICE", PRINT_TEXT, false},
	{"representor", "REPRESENTOR", PRINT_TEXT, false},
	{"n_channels", "CHANNELS", PRINT_NUMBER, false},
	{"max_msg_size", "MSG SIZE", PRINT_BYTES, true},
	{"recv_queue_size", "QUEUE", PRINT_NUMBER, true},
};

static const struct print_column event_columns[] = {
	{"id", "ID", PRINT_NUMBER, false},
	{"pid", "PID", PRINT_NUMBER, false},
	{"program", "PROGRAM", PRINT_TEXT, false},
	{"device", "DEVICE", PRINT_TEXT, false},
	{"kind", "KIND", PRINT_TEXT, false},
	{"value", "VALUE", PRINT_NUMBER, false},
	{"awaited", "AWAITED", PRINT_TEXT, false},
	{"n_importers", "IMPORTERS", PRINT_NUMBER, false},
	{"uid", "UID", PRINT_NUMBER, true},
	{"permissions", "PERMISSIONS", PRINT_TEXT, true},
};

static const struct print_column counters_columns[] = {
	{"id", "ID", PRINT_NUMBER, false},
	{"pid", "PID", PRINT_NUMBER, false},
	{"program", "PROGRAM", PRINT_TEXT, false},
	{"kind", "KIND", PRINT_TEXT, false},
	{"device", "DEVICE", PRINT_TEXT, false},
	{"n_completed", "TASKS", PRINT_NUMBER, false},
	{"n_errors", "ERRORS", PRINT_NUMBER, false},
	{"depth", "DEPTH", PRINT_NUMBER, false},
	{"moved_bytes", "MOVED", PRINT_BYTES, false},
	{"received_bytes", "RECEIVED", PRINT_BYTES, false},
	{"latency_p50_ns", "P50 NS", PRINT_NUMBER, true},
	{"latency_p99_ns", "P99 NS", PRINT_NUMBER, true},
	{"n_busy", "BUSY", PRINT_NUMBER, true},
	{"n_empty", "EMPTY", PRINT_NUMBER, true},
	{"n_waits", "WAITS", PRINT_NUMBER, true},
	{"max_depth", "DEEPEST", PRINT_NUMBER, true},
};

static const struct print_column peer_columns[] = {
	{"id", "ID", PRINT_NUMBER, false},
	{"name", "NAME", PRINT_TEXT, false},
	{"kind", "KIND", PRINT_TEXT, false},
	{"state", "STATE", PRINT_TEXT, false},
	{"side", "SIDE", PRINT_TEXT, false},
	{"pid", "PID", PRINT_NUMBER, false},
	{"uid", "UID", PRINT_NUMBER, false},
	{"version", "VERSION", PRINT_TEXT, false},
	{"n_links", "LINKS", PRINT_NUMBER, false},
	{"n_functions", "FUNCTIONS", PRINT_NUMBER, false},
	{"address", "ADDRESS", PRINT_TEXT, true},
	{"rtt_ns", "RTT NS", PRINT_NUMBER, true},
	{"subject", "SUBJECT", PRINT_TEXT, true},
	{"reason", "REASON", PRINT_TEXT, true},
};

#define COLUMNS(c) .columns = c, .n_columns = ARRAY_LEN(c)

static const struct noun nouns[] = {
	{
		.name = "devices",
		.kind = "device",
		.empty = "no devices",
		COLUMNS(device_columns),
	},
	{
		.name = "representors",
		.kind = "representor",
		.empty = "no representors",
		COLUMNS(rep_columns),
	},
	{
		.name = "clients",
		.kind = "client",
		.empty = "no clients are connected",
		COLUMNS(client_columns),
		.verb = "drop",
		.interface = "org.dococore.Client",
		.method = "Drop",
		.done = "dropped",
		.verb_help =
			"ends the client's connection to the daemon, and all that it has there",
	},
	{
		.name = "exports",
		.kind = "export",
		.empty = "no exports",
		COLUMNS(export_columns),
		.verb = "revoke",
		.interface = "org.dococore.Export",
		.method = "Revoke",
		.done = "revoked",
		.verb_help = "ends the export: every importer's operations on it fail from now on",
	},
	{
		.name = "events",
		.kind = "event",
		.empty = "no sync events are exported",
		COLUMNS(event_columns),
		.verb = "revoke",
		.interface = "org.dococore.SyncEvent",
		.method = "Revoke",
		.done = "revoked",
		.verb_help = "ends the export of the event: importers' operations on it fail from "
			     "now on",
	},
	{
		.name = "imports",
		.kind = "import",
		.empty = "no imports",
		COLUMNS(import_columns),
	},
	{
		.name = "services",
		.kind = "service",
		.empty = "no services",
		COLUMNS(service_columns),
	},
	{
		.name = "channels",
		.kind = "channel",
		.empty = "no channels",
		COLUMNS(channel_columns),
		.verb = "disconnect",
		.interface = "org.dococore.Channel",
		.method = "Disconnect",
		.done = "disconnected",
		.verb_help = "ends the channel: both ends get the event that it was closed",
	},
	{
		.name = "counters",
		.kind = "counters",
		.empty = "no program counts anything",
		COLUMNS(counters_columns),
	},
	{
		.name = "peers",
		.kind = "peer",
		.empty = "no peers: none is linked, and the configuration has no [peer]",
		COLUMNS(peer_columns),
	},
};

static void noun_usage(FILE *out, const struct noun *noun)
{
	fprintf(out,
		"Usage: doca-admin %s [list] [OPTION...]\n"
		"       doca-admin %s show ID|NAME [OPTION...]\n",
		noun->name, noun->name);
	if (noun->verb)
		fprintf(out, "       doca-admin %s %s ID... [OPTION...]\n\n%s %s.\n", noun->name,
			noun->verb, noun->verb, noun->verb_help);
	options_usage(out, VIEW_OPTIONS | OPTIONS_FILTER | OPTIONS_LIST);
}

/* Parses a decimal id. */
static bool id_parse(const char *text, uint64_t *id_out)
{
	char *end;

	if (*text < '0' || *text > '9')
		return false;
	errno = 0;
	*id_out = strtoull(text, &end, 10);
	return !*end && errno == 0;
}

static int missing(const struct bus_client *client, const struct noun *noun, const char *which)
{
	/* For example "exports": the singular has no final s. */
	return cmd_fail(EXIT_OBJECT_MISSING,
			"%s: there is no %.*s '%s'; 'doca-admin %s' lists them",
			bus_client_path(client), (int)strlen(noun->name) - 1, noun->name, which,
			noun->name);
}

/* Gets one object by id, or by name if the noun has names. Returns 0 or the exit status. */
static int view_get(struct bus_client *client, const struct noun *noun, const char *which,
		    json_object **record_out)
{
	struct bus_filter filter = {.name = which};
	json_object *rows;
	uint64_t id;
	int r;

	if (id_parse(which, &id)) {
		r = bus_client_get(client, noun->kind, id, record_out);
		return r == -ENOENT ? missing(client, noun, which)
		       : r < 0      ? options_call_failed(client, r)
				    : 0;
	}
	r = bus_client_records(client, noun->kind, &filter, &rows);
	if (r < 0)
		return options_call_failed(client, r);
	if (json_object_array_length(rows) == 1)
		*record_out = json_object_get(json_object_array_get_idx(rows, 0));
	r = json_object_array_length(rows) == 0 ? missing(client, noun, which)
	    : json_object_array_length(rows) > 1
		    ? cmd_fail(EXIT_FAILURE,
			       "%zu %s are called '%s': say which by its id; 'doca-admin %s --name "
			       "%s' lists them",
			       json_object_array_length(rows), noun->name, which, noun->name, which)
		    : 0;
	json_object_put(rows);
	return r;
}

static int view_show(struct bus_client *client, const struct noun *noun,
		     const struct admin_options *o, const char *which)
{
	json_object *record;
	int status = view_get(client, noun, which, &record);

	if (status != 0)
		return status;
	if (o->json)
		print_json(stdout, record);
	else
		print_record(stdout, record, noun->columns, noun->n_columns);
	json_object_put(record);
	return EXIT_SUCCESS;
}

/* --- lists --- */

/* Records that are printed as they are received or, if they are sorted, at the end. */
struct records {
	const char *sort;
	bool is_descending;
	json_object **rows;
	size_t n, n_max; /* sorted rows */
	size_t n_printed;
};

static int record_take(void *user, const char *const *names, size_t n_names, sd_bus_message *m)
{
	struct records *records = user;
	json_object *record, **rows;
	int r = bus_json_read_row(m, names, n_names, &record);

	if (r < 0)
		return r;
	if (!records->sort) {
		print_json_item(stdout, record, records->n_printed++);
		json_object_put(record);
		return 0;
	}
	if (records->n == records->n_max) {
		records->n_max = 2 * records->n_max + 64;
		rows = realloc(records->rows, records->n_max * sizeof(json_object *));
		if (!rows) {
			json_object_put(record);
			return -ENOMEM;
		}
		records->rows = rows;
	}
	records->rows[records->n++] = record;
	return 0;
}

static int record_compare(const void *a, const void *b, void *user)
{
	const struct records *records = user;
	json_object *x = json_object_object_get(*(json_object *const *)a, records->sort);
	json_object *y = json_object_object_get(*(json_object *const *)b, records->sort);
	uint64_t nx, ny;
	int r;

	if (json_object_is_type(x, json_type_string)) {
		r = strcmp(json_object_get_string(x), json_object_get_string(y));
	} else {
		nx = json_object_get_uint64(x);
		ny = json_object_get_uint64(y);
		r = (nx > ny) - (nx < ny);
	}
	return records->is_descending ? -r : r;
}

static int list_json(struct bus_client *client, const struct bus_query *query,
		     struct records *records)
{
	int r = bus_client_list(client, query, record_take, records);

	if (r >= 0 && records->sort)
		qsort_r(records->rows, records->n, sizeof(json_object *), record_compare, records);
	for (size_t i = 0; i < records->n; i++) {
		if (r >= 0 && (!query->limit || i < query->limit))
			print_json_item(stdout, records->rows[i], records->n_printed++);
		json_object_put(records->rows[i]);
	}
	free(records->rows);
	if (r >= 0)
		print_json_item(stdout, NULL, records->n_printed);
	return r;
}

/* Adds the texts of an array to the row as one cell. Returns 0 or -errno. */
static int items_take(struct print_table *table, sd_bus_message *m)
{
	const char *item;
	char text[512] = "", *at = text;
	int r = sd_bus_message_enter_container(m, 'a', "s");

	while (r >= 0 && (r = sd_bus_message_read_basic(m, 's', &item)) > 0) {
		if (strlen(item) + 2 > (size_t)(text + sizeof(text) - at))
			continue;
		at = stpcpy(at, at > text ? "," : "");
		at = stpcpy(at, item);
	}
	print_table_text(table, text);
	return r < 0 ? r : sd_bus_message_exit_container(m);
}

/* Adds a row to the table. */
static int row_take(void *user, const char *const *names, size_t n_names, sd_bus_message *m)
{
	struct print_table *table = user;
	int r = 0, flag;

	print_table_row(table, names, n_names);
	for (size_t i = 0; r >= 0 && i < n_names; i++) {
		const char *text;
		uint64_t number;
		char type;

		r = sd_bus_message_peek_type(m, &type, NULL);
		if (r < 0)
			break;
		if (type == 't' && (r = sd_bus_message_read_basic(m, 't', &number)) >= 0)
			print_table_number(table, number);
		else if (type == 's' && (r = sd_bus_message_read_basic(m, 's', &text)) >= 0)
			print_table_text(table, text);
		else if (type == 'b' && (r = sd_bus_message_read_basic(m, 'b', &flag)) >= 0)
			print_table_text(table, flag ? "yes" : "no");
		else if (type == 'a')
			r = items_take(table, m);
		else if (r >= 0)
			r = -EBADMSG;
	}
	return r;
}

static int list_text(struct bus_client *client, const struct noun *noun,
		     const struct admin_options *o, struct bus_query *query, const char *sort)
{
	struct print_column columns[VIEW_MAX_COLUMNS];
	const char *fields[VIEW_MAX_COLUMNS];
	size_t n = noun->n_columns, sorted = 0;
	struct print_table *table;
	int r;

	memcpy(columns, noun->columns, n * sizeof(*columns));
	while (sort && sorted < n && strcmp(columns[sorted].key, sort) != 0)
		sorted++;
	/* A field that is not shown is still needed for sorting. */
	if (sort && sorted == n)
		columns[n++] = (struct print_column){.key = sort, .title = ""};
	for (size_t i = 0; i < n; i++)
		fields[i] = columns[i].key;
	query->fields = fields;
	query->n_fields = n;
	table = print_table_new(columns, n, noun->n_columns, sort, sort && *query->sort == '-');
	if (!table)
		return cmd_fail(EXIT_FAILURE, "no memory");
	r = bus_client_list(client, query, row_take, table);
	if (r < 0)
		r = options_call_failed(client, r);
	else if (print_table_n_rows(table) == 0)
		printf("%s%s\n", noun->empty,
		       o->has_filter ? " (that the filter lets through)" : "");
	else if (print_table_show(stdout, table, o->limit ? o->limit : SIZE_MAX,
				  print_width(stdout)) < 0)
		r = cmd_fail(EXIT_FAILURE, "no memory");
	print_table_free(table);
	return r;
}

/*
 * Writes the key of a field of which either spelling may be given, the key ("created_at_ns") or the
 * property ("CreatedAtNs"): columns and records are named by keys.
 */
static void sort_key(const char *field, char *out, size_t out_len)
{
	size_t n = 0;

	for (const char *at = field; *at && n + 2 < out_len; at++) {
		if (n && isupper((unsigned char)*at))
			out[n++] = '_';
		out[n++] = (char)tolower((unsigned char)*at);
	}
	out[n] = '\0';
}

static int view_list(struct bus_client *client, const struct noun *noun,
		     const struct admin_options *o)
{
	struct bus_query query = {
		.kind = noun->kind, .filter = &o->filter, .sort = o->sort, .limit = o->limit};
	struct records records = {.is_descending = o->sort && *o->sort == '-'};
	char key[64];
	const char *sort = o->sort ? key : NULL;
	uint64_t n;
	int r;

	if (o->sort)
		sort_key(o->sort + records.is_descending, key, sizeof(key));
	if (o->only_count) {
		r = bus_client_count(client, noun->kind, &o->filter, &n);
		if (r >= 0)
			printf("%" PRIu64 "\n", o->limit ? MIN(n, o->limit) : n);
	} else if (o->json) {
		records.sort = sort;
		r = list_json(client, &query, &records);
	} else {
		return list_text(client, noun, o, &query, sort);
	}
	return r < 0 ? options_call_failed(client, r) : EXIT_SUCCESS;
}

/*
 * Applies the verb to each id, also after a failure. Returns the exit status of the first failure.
 */
static int view_act(struct bus_client *client, const struct noun *noun, int n, char **ids)
{
	int status = EXIT_SUCCESS, one, r;
	uint64_t id;

	for (int i = 0; i < n; i++) {
		if (!id_parse(ids[i], &id)) {
			one = cmd_fail(EXIT_USAGE, "'%s' is no id; 'doca-admin %s' lists them",
				       ids[i], noun->name);
		} else {
			r = bus_client_act(client, noun->name, id, noun->interface, noun->method);
			one = r == -ENOENT ? missing(client, noun, ids[i])
			      : r < 0      ? options_call_failed(client, r)
					   : EXIT_SUCCESS;
			if (r == 0)
				printf("%s %s\n", ids[i], noun->done);
		}
		status = status ? status : one;
	}
	return status;
}

/* Prints what is wrong with a verb and n arguments. */
static int verb_bad(const struct noun *noun, const char *verb, int n)
{
	if (noun->verb && strcmp(verb, noun->verb) == 0)
		return cmd_fail(EXIT_USAGE, "'%s %s' needs an id; 'doca-admin %s' lists them",
				noun->name, verb, noun->name);
	if (strcmp(verb, "show") == 0)
		return cmd_fail(EXIT_USAGE,
				"'%s show' takes one id or name, not %d; 'doca-admin %s' "
				"lists them",
				noun->name, n, noun->name);
	if (strcmp(verb, "list") == 0)
		return cmd_fail(EXIT_USAGE,
				"'%s list' takes options only; see 'doca-admin %s --help'",
				noun->name, noun->name);
	return cmd_fail(EXIT_USAGE, "there is no command '%s %s'; there are list%s show%s%s",
			noun->name, verb, noun->verb ? "," : " and", noun->verb ? " and " : "",
			noun->verb ? noun->verb : "");
}

static const struct noun *noun_find(const char *name)
{
	const struct noun *noun = nouns;

	while (strcmp(noun->name, name) != 0)
		noun++;
	return noun;
}

int cmd_noun(int argc, char **argv)
{
	const struct noun *noun = noun_find(argv[0]);
	CLEANUP_BUS_CLIENT struct bus_client *client = NULL;
	struct admin_options o = {0};
	const char *verb;
	int n, status;
	bool act;

	switch (options_parse(argc, argv, VIEW_OPTIONS | OPTIONS_FILTER | OPTIONS_LIST, &o)) {
	case OPTIONS_BAD:
		return EXIT_USAGE;
	case OPTIONS_HELP:
		noun_usage(stdout, noun);
		return EXIT_SUCCESS;
	case OPTIONS_OK:
		break;
	}
	n = argc - optind - 1;
	verb = n < 0 ? "list" : argv[optind];
	act = noun->verb && strcmp(verb, noun->verb) == 0;
	if (!(strcmp(verb, "list") == 0 && n <= 0) && !(strcmp(verb, "show") == 0 && n == 1) &&
	    !(act && n > 0))
		return verb_bad(noun, verb, n);
	if ((o.has_filter || o.has_list) && strcmp(verb, "list") != 0)
		return cmd_fail(EXIT_USAGE, "--pid, --uid, --device, --name, --sort, --limit and "
					    "--count are for 'list'");
	status = options_open(&o, &client);
	if (status != 0)
		return status;
	if (act)
		return view_act(client, noun, n, argv + optind + 1);
	return strcmp(verb, "list") == 0 ? view_list(client, noun, &o)
					 : view_show(client, noun, &o, argv[optind + 1]);
}

int cmd_status(int argc, char **argv)
{
	static const char usage[] = "Usage: doca-admin status [OPTION...]\n\n"
				    "The daemon: side, version, what it has, peers.\n";
	CLEANUP_BUS_CLIENT struct bus_client *client = NULL;
	struct admin_options o = {0};
	json_object *record;
	int r = options_begin(argc, argv, VIEW_OPTIONS, usage, 0, &o, &client);

	if (r != 0)
		return r - 1;
	r = bus_client_properties(client, &record);
	if (r < 0)
		return options_call_failed(client, r);
	if (o.json)
		print_json(stdout, record);
	else
		print_record(stdout, record, NULL, 0);
	json_object_put(record);
	return EXIT_SUCCESS;
}

int cmd_caps(int argc, char **argv)
{
	static const char usage[] = "Usage: doca-admin caps DEVICE [OPTION...]\n\n"
				    "What a device, given by name or id, can do, and its limits.\n";
	CLEANUP_BUS_CLIENT struct bus_client *client = NULL;
	struct admin_options o = {0};
	json_object *record, *caps;
	int r = options_begin(argc, argv, VIEW_OPTIONS, usage, 1, &o, &client);

	if (r != 0)
		return r - 1;
	r = view_get(client, noun_find("devices"), argv[optind], &record);
	if (r != 0)
		return r;
	caps = json_object_object_get(record, "caps");
	if (o.json)
		print_json(stdout, caps);
	else
		print_record(stdout, caps, NULL, 0);
	json_object_put(record);
	return EXIT_SUCCESS;
}

int cmd_reload(int argc, char **argv)
{
	static const char usage[] =
		"Usage: doca-admin reload [OPTION...]\n\n"
		"Loads the daemon's configuration again. A wrong one is refused "
		"with the reason,\nand the old one stays.\n";
	CLEANUP_BUS_CLIENT struct bus_client *client = NULL;
	struct admin_options o = {0};
	int r = options_begin(argc, argv, OPTIONS_DAEMON, usage, 0, &o, &client);

	if (r != 0)
		return r - 1;
	r = bus_client_manage(client, "Reload", NULL);
	if (r < 0)
		return options_call_failed(client, r);
	puts("configuration loaded");
	return EXIT_SUCCESS;
}

int cmd_log_level(int argc, char **argv)
{
	static const char usage[] =
		"Usage: doca-admin log-level LEVEL [OPTION...]\n\n"
		"Sets what the daemon logs: error, warning, info or debug. A reload goes back to\n"
		"what is configured.\n";
	CLEANUP_BUS_CLIENT struct bus_client *client = NULL;
	struct admin_options o = {0};
	int r = options_begin(argc, argv, OPTIONS_DAEMON, usage, 1, &o, &client);

	if (r != 0)
		return r - 1;
	r = bus_client_manage(client, "SetLogLevel", argv[optind]);
	if (r < 0)
		return options_call_failed(client, r);
	printf("log level %s\n", argv[optind]);
	return EXIT_SUCCESS;
}
