/*
 * doca-admin topology: prints the devices of a side, their representors and their users, as a tree.
 */
#include <langinfo.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/doca-admin/bus/topology.h"
#include "tools/doca-admin/commands/commands.h"
#include "tools/doca-admin/options.h"
#include "tools/doca-admin/terminal/field.h"
#include "tools/doca-admin/terminal/print.h"

#define TOPOLOGY_OPTIONS (OPTIONS_DAEMON | OPTIONS_JSON | OPTIONS_ASCII)

static const char usage[] =
	"Usage: doca-admin topology [OPTION...]\n"
	"\n"
	"The devices of the daemon's side, the representors under them, and the programs that\n"
	"use them, as a tree.\n";

/* State of the tree's lines: which branches continue below, by level. */
struct tree {
	bool ascii;
	char trunk[128];
};

/* Prints one line of the tree: a branch and a text. */
static void branch(const struct tree *tree, bool last, const char *fmt, ...) PRINTF_LIKE(3, 4);

static void branch(const struct tree *tree, bool last, const char *fmt, ...)
{
	const char *joint = tree->ascii ? (last ? "`-- " : "|-- ")
					: (last ? "\u2514\u2500\u2500 " : "\u251c\u2500\u2500 ");
	char text[1024], *clean;
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	clean = print_clean(text);
	printf("%s%s%s\n", tree->trunk, joint, clean ? clean : "?");
	free(clean);
}

/* Returns the state with which the lines below a line are printed. */
static struct tree below(const struct tree *tree, bool last)
{
	struct tree lower = *tree;
	size_t len = strlen(tree->trunk);

	snprintf(lower.trunk + len, sizeof(lower.trunk) - len, "%s",
		 last          ? "    "
		 : tree->ascii ? "|   "
			       : "\u2502   ");
	return lower;
}

static size_t count_add(char *text, size_t at, size_t len, json_object *use, const char *key,
			const char *one, const char *many)
{
	uint64_t n = field_number(use, key);
	int added = n ? snprintf(text + at, len - at, "%s%llu %s", at ? ", " : "",
				 (unsigned long long)n, n == 1 ? one : many)
		      : 0;

	return MIN(at + (size_t)added, len - 1);
}

static void users_draw(const struct tree *tree, json_object *users, bool more)
{
	size_t n = json_object_array_length(users);

	for (size_t i = 0; i < n; i++) {
		json_object *use = json_object_array_get_idx(users, i);
		char counts[160] = "";
		size_t at = 0;

		at = count_add(counts, at, sizeof(counts), use, "exports", "export", "exports");
		at = count_add(counts, at, sizeof(counts), use, "imports", "import", "imports");
		at = count_add(counts, at, sizeof(counts), use, "services", "service", "services");
		at = count_add(counts, at, sizeof(counts), use, "channels", "channel", "channels");
		if (!at)
			snprintf(counts, sizeof(counts), "open");
		branch(tree, i + 1 == n && !more, "%s (pid %llu, uid %llu): %s",
		       field_text(use, "program"), (unsigned long long)field_number(use, "pid"),
		       (unsigned long long)field_number(use, "uid"), counts);
	}
}

static void device_draw(const struct tree *tree, json_object *device, bool last)
{
	struct tree lower = below(tree, last);
	json_object *reps = json_object_object_get(device, "representors");
	size_t n = json_object_array_length(reps);

	branch(tree, last, "%s  %s  %s  %s%s", field_text(device, "name"),
	       field_text(device, "func_type"), field_text(device, "pci_addr"),
	       field_text(device, "iface"),
	       field_true(device, "present") ? "" : "  (it was taken away)");
	users_draw(&lower, json_object_object_get(device, "users"), n > 0);
	for (size_t i = 0; i < n; i++) {
		json_object *rep = json_object_array_get_idx(reps, i);
		struct tree lowest = below(&lower, i + 1 == n);

		branch(&lower, i + 1 == n, "representor %s  %s  %s%s", field_text(rep, "name"),
		       field_text(rep, "func_type"), field_text(rep, "pci_addr"),
		       field_true(rep, "present") ? "" : "  (its function is not there)");
		users_draw(&lowest, json_object_object_get(rep, "users"), false);
	}
}

static void topology_draw(json_object *topology, bool ascii)
{
	struct tree tree = {.ascii = ascii};
	json_object *devices = json_object_object_get(topology, "devices");
	json_object *peers = json_object_object_get(topology, "peers");
	size_t n = json_object_array_length(devices), n_peers = json_object_array_length(peers);

	printf("%s  dococored %s, pid %llu, profile %s\n", field_text(topology, "side"),
	       field_text(topology, "version"), (unsigned long long)field_number(topology, "pid"),
	       field_text(topology, "profile"));
	for (size_t i = 0; i < n; i++)
		device_draw(&tree, json_object_array_get_idx(devices, i), i + 1 == n && !n_peers);
	for (size_t i = 0; i < n_peers; i++) {
		json_object *peer = json_object_array_get_idx(peers, i);
		bool linked = field_is(peer, "state", "linked");

		branch(&tree, i + 1 == n_peers,
		       linked ? "peer %s  %s  side %s, pid %s" : "peer %s  %s",
		       field_text(peer, "name"), field_text(peer, "state"),
		       field_text(peer, "side"), field_text(peer, "pid"));
	}
}

int cmd_topology(int argc, char **argv)
{
	CLEANUP_BUS_CLIENT struct bus_client *client = NULL;
	struct admin_options o = {0};
	json_object *topology;
	int r;

	r = options_begin(argc, argv, TOPOLOGY_OPTIONS, usage, 0, &o, &client);
	if (r != 0)
		return r - 1;
	r = topology_collect(client, &topology);
	if (r < 0)
		return options_call_failed(client, r);
	if (o.json)
		print_json(stdout, topology);
	else
		topology_draw(topology, o.ascii || strcmp(nl_langinfo(CODESET), "UTF-8") != 0);
	json_object_put(topology);
	return EXIT_SUCCESS;
}
