/* Users of devices and representors; see topology.h. */
#include "tools/doca-admin/bus/topology.h"

#include <errno.h>
#include <string.h>

#include "tools/doca-admin/terminal/field.h"
#include "util/util.h"

enum list_kind { DEVICES, REPS, CLIENTS, EXPORTS, IMPORTS, SERVICES, CHANNELS, PEERS, N_LISTS };

static const char *const kinds[N_LISTS] = {
	[DEVICES] = "device", [REPS] = "representor", [CLIENTS] = "client",   [EXPORTS] = "export",
	[IMPORTS] = "import", [SERVICES] = "service", [CHANNELS] = "channel", [PEERS] = "peer",
};

struct lists {
	json_object *list[N_LISTS];
};

static void lists_deinit(struct lists *lists)
{
	for (int i = 0; i < N_LISTS; i++)
		json_object_put(lists->list[i]);
}

/* Returns the entry of a client among the users of a device or representor, created if needed. */
static json_object *use_of(json_object *users, uint64_t client, json_object *owner)
{
	json_object *use;

	for (size_t i = 0; i < json_object_array_length(users); i++) {
		use = json_object_array_get_idx(users, i);
		if (field_number(use, "client") == client)
			return use;
	}
	use = json_object_new_object();
	field_set_number(use, "client", client);
	field_set_text(use, "program", field_text(owner, "program"));
	field_set_number(use, "pid", field_number(owner, "pid"));
	field_set_number(use, "uid", field_number(owner, "uid"));
	json_object_array_add(users, use);
	return use;
}

static void use_add(json_object *use, const char *key, uint64_t n)
{
	field_set_number(use, key, field_number(use, key) + n);
}

/* Adds each record of a list that belongs to this device or representor to its client's entry. */
static void uses_count(json_object *users, json_object *list, const char *slot, const char *name,
		       const char *key, const char *bytes_key)
{
	for (size_t i = 0; i < json_object_array_length(list); i++) {
		json_object *record = json_object_array_get_idx(list, i), *use;

		if (!field_is(record, slot, name))
			continue;
		use = use_of(users, field_number(record, "client"), record);
		use_add(use, key, 1);
		if (bytes_key)
			use_add(use, bytes_key, field_number(record, "len"));
	}
}

/* Adds clients that have it open, even without an object on it. */
static void uses_open(json_object *users, json_object *clients, const char *name)
{
	for (size_t i = 0; i < json_object_array_length(clients); i++) {
		json_object *client = json_object_array_get_idx(clients, i);
		json_object *open = json_object_object_get(client, "open");

		for (size_t o = 0; open && o < json_object_array_length(open); o++)
			if (strcmp(json_object_get_string(json_object_array_get_idx(open, o)),
				   name) == 0)
				use_add(use_of(users, field_number(client, "id"), client), "open",
					1);
	}
}

static json_object *place_copy(json_object *record, const char *const *keys, size_t n_keys)
{
	json_object *copy = json_object_new_object();

	for (size_t i = 0; i < n_keys; i++) {
		json_object *value = json_object_object_get(record, keys[i]);

		if (value)
			json_object_object_add(copy, keys[i], json_object_get(value));
	}
	return copy;
}

static json_object *rep_node(const struct lists *lists, json_object *rep)
{
	static const char *const keys[] = {"id",        "name",  "pci_addr",
					   "func_type", "iface", "present"};
	json_object *node = place_copy(rep, keys, ARRAY_LEN(keys));
	json_object *users = json_object_new_array();
	const char *name = field_text(rep, "name");

	uses_open(users, lists->list[CLIENTS], name);
	uses_count(users, lists->list[SERVICES], "representor", name, "services", NULL);
	uses_count(users, lists->list[CHANNELS], "representor", name, "channels", NULL);
	json_object_object_add(node, "users", users);
	return node;
}

static json_object *device_node(const struct lists *lists, json_object *device)
{
	static const char *const keys[] = {"id",    "name",  "pci_addr", "func_type",
					   "iface", "ibdev", "present"};
	json_object *node = place_copy(device, keys, ARRAY_LEN(keys));
	json_object *users = json_object_new_array(), *reps = json_object_new_array();
	const char *name = field_text(device, "name");

	uses_open(users, lists->list[CLIENTS], name);
	uses_count(users, lists->list[EXPORTS], "device", name, "exports", "export_bytes");
	uses_count(users, lists->list[IMPORTS], "device", name, "imports", "import_bytes");
	uses_count(users, lists->list[SERVICES], "device", name, "services", NULL);
	uses_count(users, lists->list[CHANNELS], "device", name, "channels", NULL);
	for (size_t i = 0; i < json_object_array_length(lists->list[REPS]); i++) {
		json_object *rep = json_object_array_get_idx(lists->list[REPS], i);

		if (field_is(rep, "parent", name))
			json_object_array_add(reps, rep_node(lists, rep));
	}
	json_object_object_add(node, "users", users);
	json_object_object_add(node, "representors", reps);
	return node;
}

static json_object *peers_nodes(const struct lists *lists)
{
	static const char *const keys[] = {"id", "name", "side", "state", "pid", "version"};
	json_object *peers = json_object_new_array();

	for (size_t i = 0; i < json_object_array_length(lists->list[PEERS]); i++)
		json_object_array_add(peers,
				      place_copy(json_object_array_get_idx(lists->list[PEERS], i),
						 keys, ARRAY_LEN(keys)));
	return peers;
}

int topology_collect(struct bus_client *client, json_object **topology_out)
{
	static const char *const keys[] = {"side", "version", "pid", "profile"};
	CLEANUP(lists_deinit) struct lists lists = {{NULL}};
	json_object *manager, *topology, *devices;
	int r = bus_client_properties(client, &manager);

	if (r < 0)
		return r;
	topology = place_copy(manager, keys, ARRAY_LEN(keys));
	json_object_put(manager);
	for (int i = 0; i < N_LISTS && r == 0; i++)
		r = bus_client_records(client, kinds[i], NULL, &lists.list[i]);
	if (r < 0) {
		json_object_put(topology);
		return r;
	}
	devices = json_object_new_array();
	for (size_t i = 0; i < json_object_array_length(lists.list[DEVICES]); i++)
		json_object_array_add(
			devices,
			device_node(&lists, json_object_array_get_idx(lists.list[DEVICES], i)));
	json_object_object_add(topology, "devices", devices);
	json_object_object_add(topology, "peers", peers_nodes(&lists));
	*topology_out = topology;
	return 0;
}
