/*
 * doca-admin decode: shows the contents of a descriptor, its owner, whether it is alive and whether
 * it can be imported. Asks every daemon that answers: the exporter's daemon reports the owner, and
 * each side's daemon whether its side can import it. If no daemon answers, only the descriptor's
 * own fields are shown. The descriptor's secret is sent to the daemons over their private sockets
 * and nowhere else.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/doca-admin/commands/commands.h"
#include "tools/doca-admin/options.h"
#include "tools/doca-admin/terminal/field.h"
#include "tools/doca-admin/terminal/print.h"
#include "util/descriptor.h"
#include "util/fd.h"
#include "util/str.h"

/* No descriptor is longer. */
#define DESCRIPTOR_MAX 65536u
#define N_SIDES        2

static const char usage[] =
	"Usage: doca-admin decode FILE|- [OPTION...]\n"
	"\n"
	"Tells what an export descriptor says: sort, owner, range, permissions, whether it is\n"
	"alive, and on which side it can be imported or why not. FILE holds what the program\n"
	"was given by doca_mmap_export_*, doca_sync_event_export_* or doca_rdma_export, in any\n"
	"form of the interface. The secret in it is never shown.\n"
	"Without a daemon it tells what the descriptor says of itself, and ends with status 3.\n";

static const char *const sides[N_SIDES] = {"host", "dpu"};

struct descriptor_file {
	uint8_t data[DESCRIPTOR_MAX];
	size_t len;
};

/* Returns 0, or the exit status after printing the error. */
static int file_read(const char *name, struct descriptor_file *file)
{
	CLEANUP_FD int fd = strcmp(name, "-") == 0 ? fd_dup(STDIN_FILENO)
						   : open(name, O_RDONLY | O_CLOEXEC);
	ssize_t n;

	if (fd < 0)
		return cmd_fail(EXIT_FAILURE, "%s: %s", name, strerror(errno));
	while (file->len < sizeof(file->data)) {
		n = read(fd, file->data + file->len, sizeof(file->data) - file->len);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return cmd_fail(EXIT_FAILURE, "%s: %s", name, strerror(errno));
		if (n == 0)
			return 0;
		file->len += (size_t)n;
	}
	return cmd_fail(EXIT_FAILURE, "%s: it is too long for a descriptor", name);
}

static int hex_digit(char c)
{
	return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* If the file is the text form (a JSON object), replaces it with the bytes in it. */
static void text_unwrap(struct descriptor_file *file)
{
	size_t len = strnlen((const char *)file->data, file->len);
	json_tokener *tokener;
	json_object *object;
	const char *hex;
	size_t n;

	if (len == 0 || file->data[0] != '{')
		return;
	tokener = json_tokener_new_ex(4);
	object = json_tokener_parse_ex(tokener, (const char *)file->data, (int)len);
	hex = object && json_object_is_type(object, json_type_object) ? field_text(object, "dococ")
								      : "";
	n = strlen(hex) / 2;
	for (size_t i = 0; i < n; i++) {
		int high = hex_digit(hex[2 * i]), low = hex_digit(hex[2 * i + 1]);

		if (high < 0 || low < 0)
			n = 0;
		else
			file->data[i] = (uint8_t)(high << 4 | low);
	}
	if (n)
		file->len = n;
	json_object_put(object);
	json_tokener_free(tokener);
}

/* Each daemon's answer; NULL for a daemon that does not answer. */
struct answers {
	struct bus_client *clients[N_SIDES];
	json_object *records[N_SIDES];
};

static void answers_deinit(struct answers *answers)
{
	for (int i = 0; i < N_SIDES; i++) {
		bus_client_close(answers->clients[i]);
		json_object_put(answers->records[i]);
	}
}

/* Returns 0, or the exit status after printing the error. */
static int answers_ask_one(struct answers *answers, int side, const struct descriptor_file *file)
{
	int r = bus_client_decode(answers->clients[side], file->data, file->len,
				  &answers->records[side]);

	return r < 0 ? options_call_failed(answers->clients[side], r) : 0;
}

/*
 * Asks the only daemon, whichever side it is. Returns 0, or the exit status after printing the
 * error.
 */
static int answers_ask_socket(struct answers *answers, const struct admin_options *o,
			      const struct descriptor_file *file)
{
	struct bus_client *client = NULL;
	json_object *properties;
	int r = options_open(o, &client), side;

	if (r != 0)
		return r;
	r = bus_client_properties(client, &properties);
	if (r < 0) {
		r = options_call_failed(client, r);
		bus_client_close(client);
		return r;
	}
	side = field_is(properties, "side", sides[1]);
	json_object_put(properties);
	answers->clients[side] = client;
	return answers_ask_one(answers, side, file);
}

static int answers_ask(struct answers *answers, const struct admin_options *o,
		       const struct descriptor_file *file)
{
	unsigned n = 0;

	if (o->target.socket || o->target.side)
		return answers_ask_socket(answers, o, file);
	for (int i = 0; i < N_SIDES; i++) {
		struct bus_target target = o->target;
		char *error = NULL;
		int r;

		target.side = sides[i];
		r = bus_client_open(&target, &answers->clients[i], &error);
		free(error);
		if (r < 0)
			continue;
		n++;
		r = answers_ask_one(answers, i, file);
		if (r != 0)
			return r;
	}
	/* Prints which sockets were tried. */
	return n ? 0 : answers_ask_socket(answers, o, file);
}

static bool list_has(json_object *list, const char *text)
{
	for (size_t i = 0; list && i < json_object_array_length(list); i++)
		if (strcmp(json_object_get_string(json_object_array_get_idx(list, i)), text) == 0)
			return true;
	return false;
}

/*
 * Keeps only the devices that a representor connects with the exporter's device: on the DPU, the
 * importer's device is the parent of a representor of the exporter's function; on the host it is
 * the other way round.
 */
static void devices_filter(const struct answers *answers, int importer, json_object *export,
			   json_object *candidates, json_object *devices_out)
{
	struct bus_client *dpu = answers->clients[1], *host = answers->clients[0];
	json_object *reps = NULL, *devices = NULL;

	if (!dpu || bus_client_records(dpu, "representor", NULL, &reps) < 0)
		return;
	if (importer == 0 && (!host || bus_client_records(host, "device", NULL, &devices) < 0)) {
		json_object_put(reps);
		return;
	}
	for (size_t i = 0; i < json_object_array_length(reps); i++) {
		json_object *rep = json_object_array_get_idx(reps, i);

		if (!field_true(rep, "present"))
			continue;
		if (importer == 1 &&
		    field_is(rep, "pci_addr", field_text(export, "device_pci_addr")) &&
		    list_has(candidates, field_text(rep, "parent")))
			json_object_array_add(devices_out,
					      json_object_new_string(field_text(rep, "parent")));
		if (importer == 1 || !field_is(rep, "parent", field_text(export, "device")))
			continue;
		for (size_t d = 0; d < json_object_array_length(devices); d++) {
			json_object *device = json_object_array_get_idx(devices, d);

			if (field_is(device, "pci_addr", field_text(rep, "pci_addr")) &&
			    list_has(candidates, field_text(device, "name")))
				json_object_array_add(
					devices_out,
					json_object_new_string(field_text(device, "name")));
		}
	}
	json_object_put(reps);
	json_object_put(devices);
}

/* Returns one side's answer. The exporter's daemon says whether the export is alive, which the
 * other one does not know; if both sides answered, "perhaps" becomes yes or no. */
static json_object *importable_on(const struct answers *answers, int side, json_object *export)
{
	json_object *record = answers->records[side], *one = json_object_new_object();
	json_object *candidates = json_object_object_get(record, "import_devices");
	const char *answer = field_text(record, "importable");
	const char *why = field_text(record, "importable_why");
	json_object *devices = NULL;

	if (strcmp(answer, "no") != 0 && field_is(export, "alive", "no")) {
		answer = "no";
		why = field_text(export, "alive_why");
		candidates = NULL;
	} else if (strcmp(answer, "perhaps") == 0 && field_is(export, "alive", "yes") &&
		   answers->clients[1]) {
		devices = json_object_new_array();
		devices_filter(answers, side, export, candidates, devices);
		answer = json_object_array_length(devices) ? "yes" : "no";
		why = json_object_array_length(devices) ? ""
							: "no representor ties a device of this "
							  "side to the exporter's device";
	}
	field_set_text(one, "side", sides[side]);
	field_set_text(one, "answer", answer);
	field_set_text(one, "why", why);
	json_object_object_add(one, "devices",
			       devices      ? devices
			       : candidates ? json_object_get(candidates)
					    : json_object_new_array());
	return one;
}

static json_object *answers_merge(const struct answers *answers)
{
	json_object *base = NULL, *merged = json_object_new_object();
	json_object *importable = json_object_new_array();

	for (int i = 0; i < N_SIDES; i++)
		if (answers->records[i] &&
		    (!base || field_is(answers->records[i], "side", sides[i])))
			base = answers->records[i];
	json_object_object_foreach(base, key, value)
	{
		if (strncmp(key, "import", 6) != 0)
			json_object_object_add(merged, key, json_object_get(value));
	}
	for (int i = 0; i < N_SIDES && field_true(base, "valid"); i++)
		if (answers->records[i])
			json_object_array_add(importable, importable_on(answers, i, base));
	json_object_object_add(merged, "importable", importable);
	return merged;
}

/* --- without a daemon --- */

static json_object *permissions_list(uint32_t permissions)
{
	json_object *list = json_object_new_array();
	const char *name;
	unsigned at = 0;

	while ((name = descriptor_permission_next(permissions, &at)) != NULL)
		json_object_array_add(list, json_object_new_string(name));
	return list;
}

static void export_descriptor_to_json(json_object *record,
				      const struct export_descriptor *export_descriptor)
{
	char id[2 * sizeof(export_descriptor->daemon_id) + 1];

	str_hex(export_descriptor->daemon_id, sizeof(export_descriptor->daemon_id), id);
	field_set_text(record, "kind", descriptor_kind_name(export_descriptor->kind));
	field_set_text(record, "side", descriptor_side_name(export_descriptor->side));
	field_set_text(record, "daemon_id", id);
	field_set_number(record, "id", export_descriptor->export_id);
	field_set_number(record, "addr", export_descriptor->addr);
	field_set_number(record, "len", export_descriptor->len);
	json_object_object_add(record, "permissions",
			       permissions_list(export_descriptor->permissions));
}

static void qp_to_json(json_object *record, const struct conn_params_qp *qp)
{
	char gid[INET6_ADDRSTRLEN];

	field_set_number(record, "qp_number", qp->number);
	field_set_text(record, "gid", inet_ntop(AF_INET6, qp->gid, gid, sizeof(gid)));
	field_set_number(record, "lid", qp->lid);
	field_set_number(record, "path_mtu", qp->mtu);
}

/* Returns the descriptor's own fields, with the names that a daemon uses. */
static json_object *descriptor_to_json(const struct descriptor_file *file)
{
	json_object *record = json_object_new_object();
	struct descriptor descriptor;
	const char *wrong = descriptor_parse(file->data, file->len, &descriptor);

	json_object_object_add(record, "valid", json_object_new_boolean(!wrong));
	if (!wrong) {
		field_set_text(record, "type", descriptor_type_name(&descriptor));
		if (*descriptor.provider)
			field_set_text(record, "provider", descriptor.provider);
		if (descriptor.has_export)
			export_descriptor_to_json(record, &descriptor.export_descriptor);
		if (descriptor.has_qp)
			qp_to_json(record, &descriptor.qp);
		descriptor_wipe(&descriptor);
		field_set_text(record, "alive", "unknown");
		field_set_text(record, "alive_why", "no daemon could be asked");
	}
	field_set_text(record, "error", wrong ? wrong : "");
	json_object_object_add(record, "importable", json_object_new_array());
	return record;
}

static int decode_print(json_object *merged, const char *name, bool json)
{
	static const struct print_column formats[] = {
		{"addr", "", PRINT_HEX, false},
		{"len", "", PRINT_BYTES, false},
	};

	if (json)
		print_json(stdout, merged);
	else if (field_true(merged, "valid"))
		print_record(stdout, merged, formats, ARRAY_LEN(formats));
	if (!field_true(merged, "valid"))
		return cmd_fail(EXIT_FAILURE, "%s is no descriptor: %s", name,
				field_text(merged, "error"));
	return EXIT_SUCCESS;
}

int cmd_decode(int argc, char **argv)
{
	CLEANUP(answers_deinit) struct answers answers = {{NULL}, {NULL}};
	static struct descriptor_file file;
	struct admin_options o = {0};
	json_object *merged;
	int r, status;

	switch (options_parse(argc, argv, OPTIONS_DAEMON | OPTIONS_JSON, &o)) {
	case OPTIONS_BAD:
		return EXIT_USAGE;
	case OPTIONS_HELP:
		fputs(usage, stdout);
		options_usage(stdout, OPTIONS_DAEMON | OPTIONS_JSON);
		return EXIT_SUCCESS;
	case OPTIONS_OK:
		break;
	}
	if (argc - optind != 1)
		return cmd_fail(EXIT_USAGE,
				"'decode' takes one file, or - for standard input, not %d; see "
				"'doca-admin decode --help'",
				argc - optind);
	r = file_read(argv[optind], &file);
	if (r != 0)
		return r;
	text_unwrap(&file);
	merged = descriptor_to_json(&file);
	/* If the descriptor is damaged, no daemon needs to be asked. */
	if (field_true(merged, "valid"))
		r = answers_ask(&answers, &o, &file);
	explicit_bzero(file.data, sizeof(file.data));
	if (answers.records[0] || answers.records[1]) {
		json_object_put(merged);
		merged = answers_merge(&answers);
	}
	status = decode_print(merged, argv[optind], o.json);
	json_object_put(merged);
	return r ? r : status;
}
