/*
 * status, devices, representors, clients, exports, channels: what a daemon has, read over its
 * private D-Bus socket and printed as table, record or JSON. Each noun is one entry of the table
 * below; the daemon's field names (doc/dbus.md) are the JSON keys.
 */
#include <errno.h>
#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/doca-admin/bus_client.h"
#include "tools/doca-admin/commands.h"
#include "tools/doca-admin/print.h"

struct noun {
	const char *name; /* as on the command line */
	const char *list_method;
	const char *get_method;
	const char *empty; /* when there are none */
	const struct print_column *columns;
	size_t n_columns;
};

struct view_options {
	struct bus_target target;
	bool json;
	const char *show; /* NULL: list */
};

static const struct print_column device_columns[] = {
	{"id", "ID", PRINT_NUMBER, false},
	{"name", "NAME", PRINT_TEXT, false},
	{"pci_addr", "PCI ADDRESS", PRINT_TEXT, false},
	{"func_type", "TYPE", PRINT_TEXT, false},
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
	{"library", "LIBRARY", PRINT_TEXT, true},
};

static const struct print_column export_columns[] = {
	{"id", "ID", PRINT_NUMBER, false},
	{"pid", "PID", PRINT_NUMBER, false},
	{"program", "PROGRAM", PRINT_TEXT, false},
	{"device", "DEVICE", PRINT_TEXT, false},
	{"kind", "KIND", PRINT_TEXT, false},
	{"len", "LENGTH", PRINT_BYTES, false},
	{"importers", "IMPORTERS", PRINT_COUNT, false},
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
	{"peer_pid", "PEER PID", PRINT_NUMBER, false},
	{"n_consumers", "CONSUMERS", PRINT_NUMBER, false},
	{"n_peer_consumers", "PEER'S", PRINT_NUMBER, false},
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

#define COLUMNS(c) c, ARRAY_LEN(c)

static const struct noun devices = {
	"devices", "ListDevices", "GetDevice", "no devices", COLUMNS(device_columns),
};
static const struct noun representors = {
	"representors",    "ListRepresentors",   "GetRepresentor",
	"no representors", COLUMNS(rep_columns),
};
static const struct noun clients = {
	"clients", "ListClients", "GetClient", "no clients are connected", COLUMNS(client_columns),
};
static const struct noun exports = {
	"exports", "ListExports", "GetExport", "no exports", COLUMNS(export_columns),
};
static const struct noun imports = {
	"imports", "ListImports", "GetImport", "no imports", COLUMNS(import_columns),
};
static const struct noun services = {
	"services", "ListServices", "GetService", "no services", COLUMNS(service_columns),
};
static const struct noun channels = {
	"channels", "ListChannels", "GetChannel", "no channels", COLUMNS(channel_columns),
};

static void usage(FILE *out, const struct noun *noun)
{
	if (noun)
		fprintf(out, "Usage: doca-admin %s [list | show ID|NAME] [OPTION...]\n\n",
			noun->name);
	else
		fputs("Usage: doca-admin status [OPTION...]\n\n", out);
	fputs("  --side host|dpu  the daemon of this side (default: DOCA_SIDE, else the one "
	      "that answers)\n"
	      "  --socket PATH    the daemon's D-Bus socket\n"
	      "  --dir DIR        the daemon's runtime directory, or a lab's directory\n"
	      "  --json           JSON instead of a table\n"
	      "\nWithout --socket or --dir the environment variable DOCOCORED_BUS is used, which\n"
	      "'doca-admin lab exec' sets, else the directories where daemons usually are.\n",
	      out);
}

enum parse_result { PARSE_OK, PARSE_HELP, PARSE_BAD };

static enum parse_result options_parse(int argc, char **argv, const struct noun *noun,
				       struct view_options *o)
{
	static const struct option longs[] = {
		{"side", required_argument, NULL, 's'},   {"json", no_argument, NULL, 'j'},
		{"socket", required_argument, NULL, 'S'}, {"dir", required_argument, NULL, 'd'},
		{"help", no_argument, NULL, 'h'},         {0},
	};
	int c;

	while ((c = getopt_long(argc, argv, "hj", longs, NULL)) >= 0) {
		switch (c) {
		case 's':
			if (strcmp(optarg, "host") != 0 && strcmp(optarg, "dpu") != 0) {
				cmd_fail(0, "--side is host or dpu, not '%s'", optarg);
				return PARSE_BAD;
			}
			o->target.side = optarg;
			break;
		case 'S':
			o->target.socket = optarg;
			break;
		case 'd':
			o->target.dir = optarg;
			break;
		case 'j':
			o->json = true;
			break;
		case 'h':
			return PARSE_HELP;
		default:
			return PARSE_BAD;
		}
	}
	argc -= optind;
	argv += optind;
	if (noun && argc == 2 && strcmp(argv[0], "show") == 0)
		o->show = argv[1];
	else if (argc > 1 || (argc == 1 && (!noun || strcmp(argv[0], "list") != 0)))
		return PARSE_BAD;
	return PARSE_OK;
}

/* Finds the row of that name. The row stays with its list. */
static json_object *row_by_name(json_object *rows, const char *name)
{
	for (size_t i = 0; i < json_object_array_length(rows); i++) {
		json_object *row = json_object_array_get_idx(rows, i);
		const char *row_name = json_object_get_string(json_object_object_get(row, "name"));

		if (row_name && strcmp(row_name, name) == 0)
			return json_object_get(row);
	}
	return NULL;
}

/* One object by id, or by name where the noun has names. 0 or -errno, said already. */
static int view_get(struct bus_client *client, const struct noun *noun, const char *which,
		    json_object **record_out)
{
	char *end;
	uint64_t id;
	int r;

	errno = 0;
	id = strtoull(which, &end, 10);
	if (end != which && !*end && errno == 0 && *which != '-') {
		r = bus_client_get(client, noun->get_method, id, record_out);
	} else {
		json_object *rows;

		r = bus_client_list(client, noun->list_method, &rows);
		if (r >= 0) {
			*record_out = row_by_name(rows, which);
			json_object_put(rows);
			r = *record_out ? 0 : -ENOENT;
		}
	}
	if (r == -ENOENT)
		cmd_fail(0, "%s: there is no '%s'; 'doca-admin %s' lists them",
			 bus_client_path(client), which, noun->name);
	else if (r < 0)
		cmd_fail(0, "%s", bus_client_error(client));
	return r;
}

static int view_show(struct bus_client *client, const struct noun *noun,
		     const struct view_options *o)
{
	json_object *record;

	if (view_get(client, noun, o->show, &record) < 0)
		return EXIT_FAILURE;
	if (o->json)
		print_json(stdout, record);
	else
		print_record(stdout, record, noun->columns, noun->n_columns);
	json_object_put(record);
	return EXIT_SUCCESS;
}

static int view_list(struct bus_client *client, const struct noun *noun,
		     const struct view_options *o)
{
	json_object *rows;

	if (bus_client_list(client, noun->list_method, &rows) < 0)
		return cmd_fail(EXIT_FAILURE, "%s", bus_client_error(client));
	if (o->json)
		print_json(stdout, rows);
	else if (json_object_array_length(rows) == 0)
		puts(noun->empty);
	else
		print_table(stdout, rows, noun->columns, noun->n_columns, print_width(stdout));
	json_object_put(rows);
	return EXIT_SUCCESS;
}

static int view_status(struct bus_client *client, const struct view_options *o)
{
	json_object *record;

	if (bus_client_properties(client, &record) < 0)
		return cmd_fail(EXIT_FAILURE, "%s", bus_client_error(client));
	if (o->json)
		print_json(stdout, record);
	else
		print_record(stdout, record, NULL, 0);
	json_object_put(record);
	return EXIT_SUCCESS;
}

static int view_run(int argc, char **argv, const struct noun *noun)
{
	CLEANUP_BUS_CLIENT struct bus_client *client = NULL;
	struct view_options o = {0};
	char *error = NULL;

	switch (options_parse(argc, argv, noun, &o)) {
	case PARSE_BAD:
		usage(stderr, noun);
		return EXIT_USAGE;
	case PARSE_HELP:
		usage(stdout, noun);
		return EXIT_SUCCESS;
	case PARSE_OK:
		break;
	}
	if (bus_client_open(&o.target, &client, &error) < 0) {
		fputs(error ? error : "doca-admin: no memory\n", stderr);
		free(error);
		return EXIT_FAILURE;
	}
	if (!noun)
		return view_status(client, &o);
	return o.show ? view_show(client, noun, &o) : view_list(client, noun, &o);
}

int cmd_status(int argc, char **argv)
{
	return view_run(argc, argv, NULL);
}

int cmd_devices(int argc, char **argv)
{
	return view_run(argc, argv, &devices);
}

int cmd_representors(int argc, char **argv)
{
	return view_run(argc, argv, &representors);
}

int cmd_clients(int argc, char **argv)
{
	return view_run(argc, argv, &clients);
}

int cmd_exports(int argc, char **argv)
{
	return view_run(argc, argv, &exports);
}

int cmd_imports(int argc, char **argv)
{
	return view_run(argc, argv, &imports);
}

int cmd_services(int argc, char **argv)
{
	return view_run(argc, argv, &services);
}

int cmd_channels(int argc, char **argv)
{
	return view_run(argc, argv, &channels);
}
