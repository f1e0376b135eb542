/* Users of devices and representors; see topology.h. */
#include "tools/doca-admin/bus/topology.h"

#include <errno.h>
#include <string.h>

#include "tools/doca-admin/bus/json.h"
#include "tools/doca-admin/terminal/field.h"
#include "util/util.h"

/* The topology's lists. The rows of the largest kinds are counted one by one and not kept. */
struct lists {
	json_object *devices, *reps, *clients, *peers;
};

static void lists_deinit(struct lists *lists)
{
	json_object_put(lists->devices);
	json_object_put(lists->reps);
	json_object_put(lists->clients);
	json_object_put(lists->peers);
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

/* A kind of objects that are counted for their clients. */
struct counted_kind {
	const char *kind, *key, *bytes_key;
	const char *fields[6];
};

static const struct counted_kind counted_kinds[] = {
	{"export", "exports", "export_bytes", {"client", "program", "pid", "uid", "device", "len"}},
	{"import", "imports", "import_bytes", {"client", "program", "pid", "uid", "device", "len"}},
	{"service", "services", NULL, {"client", "program", "pid", "uid", "device", "representor"}},
	{"channel", "channels", NULL, {"client", "program", "pid", "uid", "device", "representor"}},
};

struct counting {
	const struct counted_kind *kind;
	json_object *devices;
};

/* Counts the record for its client if it belongs to this device or representor. */
static void use_count(const struct counted_kind *kind, json_object *node, json_object *record,
		      const char *slot)
{
	json_object *use;

	if (!field_is(record, slot, field_text(node, "name")))
		return;
	use = use_of(json_object_object_get(node, "users"), field_number(record, "client"), record);
	use_add(use, kind->key, 1);
	if (kind->bytes_key)
		use_add(use, kind->bytes_key, field_number(record, "len"));
}

static int row_count(void *user, const char *const *names, size_t n_names, sd_bus_message *m)
{
	const struct counting *counting = user;
	json_object *record;
	int r = bus_json_read_row(m, names, n_names, &record);

	if (r < 0)
		return r;
	for (size_t i = 0; i < json_object_array_length(counting->devices); i++) {
		json_object *device = json_object_array_get_idx(counting->devices, i);
		json_object *reps = json_object_object_get(device, "representors");

		use_count(counting->kind, device, record, "device");
		for (size_t n = 0; n < json_object_array_length(reps); n++)
			use_count(counting->kind, json_object_array_get_idx(reps, n), record,
				  "representor");
	}
	json_object_put(record);
	return 0;
}

/* Adds the clients that have the device or representor open, even those without an object on it. */
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

	uses_open(users, lists->clients, name);
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

	uses_open(users, lists->clients, name);
	for (size_t i = 0; i < json_object_array_length(lists->reps); i++) {
		json_object *rep = json_object_array_get_idx(lists->reps, i);

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

	for (size_t i = 0; i < json_object_array_length(lists->peers); i++)
		json_object_array_add(peers, place_copy(json_object_array_get_idx(lists->peers, i),
							keys, ARRAY_LEN(keys)));
	return peers;
}

int topology_collect(struct bus_client *client, json_object **topology_out)
{
	static const char *const keys[] = {"side", "version", "pid", "profile"};
	CLEANUP(lists_deinit) struct lists lists = {NULL};
	json_object *manager, *topology, *devices = json_object_new_array();
	int r = bus_client_properties(client, &manager);

	if (r < 0) {
		json_object_put(devices);
		return r;
	}
	topology = place_copy(manager, keys, ARRAY_LEN(keys));
	json_object_put(manager);
	json_object_object_add(topology, "devices", devices);
	r = bus_client_records(client, "device", NULL, &lists.devices);
	if (r == 0)
		r = bus_client_records(client, "representor", NULL, &lists.reps);
	if (r == 0)
		r = bus_client_records(client, "client", NULL, &lists.clients);
	if (r == 0)
		r = bus_client_records(client, "peer", NULL, &lists.peers);
	for (size_t i = 0; r == 0 && i < json_object_array_length(lists.devices); i++)
		json_object_array_add(
			devices, device_node(&lists, json_object_array_get_idx(lists.devices, i)));
	for (size_t i = 0; r == 0 && i < ARRAY_LEN(counted_kinds); i++) {
		struct counting counting = {.kind = &counted_kinds[i], .devices = devices};
		const struct bus_query query = {.kind = counted_kinds[i].kind,
						.fields = counted_kinds[i].fields,
						.n_fields = ARRAY_LEN(counted_kinds[i].fields)};

		r = bus_client_list(client, &query, row_count, &counting);
	}
	if (r < 0) {
		json_object_put(topology);
		return r;
	}
	json_object_object_add(topology, "peers", peers_nodes(&lists));
	*topology_out = topology;
	return 0;
}
