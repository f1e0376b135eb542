/* Topology files; see topology.h. etc/topology/default-dpu.topology describes their syntax. */
#include "daemon/topology/topology.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/base/schema.h"
#include "daemon/topology/topology_default.h"
#include "util/str.h"
#include "util/util.h"

enum section_kind { SECTION_NONE, SECTION_TOPOLOGY, SECTION_DEVICE, SECTION_REP };

struct rep_reading {
	char parent[64];
	int line;
};

struct topology_reading {
	struct topology *topology;
	const struct profile *profile;
	enum section_kind section;
	int section_line;
	uint64_t seen, seen_parent;
	bool skipping; /* the following lines describe the other side */
	bool matched;  /* some lines described this side */
	struct rep_reading reps[TOPOLOGY_MAX_REPS];
};

static const char *const side_names[] = {[SIDE_HOST] = "host", [SIDE_DPU] = "dpu"};
static const char *const func_names[] = {
	[FUNC_PF] = "pf", [FUNC_VF] = "vf", [FUNC_SF] = "sf", NULL};

#define DEVICE_KEY(key, kind, member, ...)                                                 \
	{                                                                                  \
		.name = key, .type = kind, .offset = offsetof(struct device_spec, member), \
		__VA_ARGS__                                                                \
	}
#define DEVICE_HAS(member) .has_offset = offsetof(struct device_spec, member)

static const struct value_key device_keys[] = {
	DEVICE_KEY("pci", VALUE_PCI, pci_addr),
	DEVICE_KEY("type", VALUE_CHOICE, func_type, .words = func_names),
	DEVICE_KEY("vuid", VALUE_STRING, vuid, .max = 128),
	DEVICE_KEY("iface", VALUE_STRING, iface, .max = 64),
	DEVICE_KEY("ibdev", VALUE_STRING, ibdev, .max = 64),
	DEVICE_KEY("mac", VALUE_MAC, mac, DEVICE_HAS(has_mac)),
	DEVICE_KEY("ipv4", VALUE_IPV4, ipv4, DEVICE_HAS(has_ipv4)),
	DEVICE_KEY("ipv6", VALUE_IPV6, ipv6, DEVICE_HAS(has_ipv6)),
	DEVICE_KEY("sf_index", VALUE_U32, sf_index, .max = 65535),
	DEVICE_KEY("vhca_id", VALUE_U32, vhca_id, .max = 65535),
	DEVICE_KEY("lid", VALUE_U32, lid, .max = 65535, DEVICE_HAS(has_lid)),
	DEVICE_KEY("rate", VALUE_RATE, active_rate, .max = 10000000000000ull),
	DEVICE_KEY("dma", VALUE_BOOL, caps.dma),
	DEVICE_KEY("export_pci", VALUE_BOOL, caps.export_pci),
	DEVICE_KEY("import_pci", VALUE_BOOL, caps.import_pci),
	DEVICE_KEY("export_rdma", VALUE_BOOL, caps.export_rdma),
	DEVICE_KEY("comch_server", VALUE_BOOL, caps.comch_server),
	DEVICE_KEY("comch_client", VALUE_BOOL, caps.comch_client),
	DEVICE_KEY("hotplug_manager", VALUE_BOOL, caps.hotplug_manager),
	DEVICE_KEY("sync_event", VALUE_BOOL, caps.sync_event),
	DEVICE_KEY("sync_export_pci", VALUE_BOOL, caps.sync_export_pci),
	DEVICE_KEY("sync_import_pci", VALUE_BOOL, caps.sync_import_pci),
	DEVICE_KEY("sync_export_net", VALUE_BOOL, caps.sync_export_net),
	DEVICE_KEY("sync_import_net", VALUE_BOOL, caps.sync_import_net),
	DEVICE_KEY("comch_producer", VALUE_BOOL, caps.comch_producer),
	DEVICE_KEY("comch_consumer", VALUE_BOOL, caps.comch_consumer),
	DEVICE_KEY("sha", VALUE_U32, caps.sha_algorithms, .max = 7),
	DEVICE_KEY("sha_partial", VALUE_U32, caps.sha_partial_algorithms, .max = 7),
	DEVICE_KEY("compress", VALUE_U32, caps.compress_tasks, .max = 15),
	DEVICE_KEY("aes_gcm", VALUE_U32, caps.aes_gcm_keys, .max = 3),
	DEVICE_KEY("mmap_advise", VALUE_BOOL, caps.mmap_advise),
	DEVICE_KEY("rdma", VALUE_BOOL, caps.rdma),
	DEVICE_KEY("erasure_coding", VALUE_BOOL, caps.ec),
};

#define REP_KEY(key, kind, member, ...)                                                 \
	{                                                                               \
		.name = key, .type = kind, .offset = offsetof(struct rep_spec, member), \
		__VA_ARGS__                                                             \
	}

static const struct value_key rep_keys[] = {
	REP_KEY("pci", VALUE_PCI, pci_addr),
	REP_KEY("type", VALUE_CHOICE, func_type, .words = func_names),
	REP_KEY("vuid", VALUE_STRING, vuid, .max = 128),
	REP_KEY("iface", VALUE_STRING, iface, .max = 64),
	REP_KEY("vhca_id", VALUE_U32, vhca_id, .max = 65535),
	REP_KEY("presence", VALUE_PRESENCE, always),
	REP_KEY("hotplug", VALUE_BOOL, is_hotplug),
	REP_KEY("emulated", VALUE_BOOL, is_emulated),
};

static const struct value_key parent_key[] = {
	{.name = "parent",
	 .type = VALUE_STRING,
	 .offset = offsetof(struct rep_reading, parent),
	 .max = 64},
};

const char *side_name(enum side side)
{
	return side_names[side];
}

int side_parse(const char *text, enum side *side_out)
{
	for (size_t i = 0; i < ARRAY_LEN(side_names); i++) {
		if (strcmp(text, side_names[i]) == 0) {
			*side_out = (enum side)i;
			return 0;
		}
	}
	return -EINVAL;
}

const char *func_type_name(enum func_type type)
{
	return (unsigned)type <= FUNC_SF ? func_names[type] : "unknown";
}

/* Every profile can export host memory to the DPU; some can also export DPU memory to the host. */
static bool side_exports_pci(enum side side, const struct profile *profile)
{
	return side == SIDE_HOST || profile->caps.export_pci;
}

static bool side_imports_pci(enum side side, const struct profile *profile)
{
	return side == SIDE_DPU || profile->caps.import_pci;
}

void topology_default_caps(enum side side, const struct profile *profile, struct caps *caps)
{
	bool dpu = side == SIDE_DPU;

	*caps = profile->caps;
	caps->export_pci = side_exports_pci(side, profile);
	caps->comch_client = !dpu;
	caps->import_pci = side_imports_pci(side, profile);
	caps->comch_server = dpu;
	caps->rep_filter_all = caps->rep_filter_all && dpu;
	caps->rep_filter_net = caps->rep_filter_net && dpu;
	caps->rep_filter_emulated = caps->rep_filter_emulated && dpu;
	caps->hotplug_manager = caps->hotplug_manager && dpu;
}

static int topology_check_name(const struct ini_position *at, const char *name)
{
	size_t len = strlen(name);
	bool good = len >= 1 && len < 64;

	for (size_t i = 0; i < len; i++)
		good = good && (isalnum((unsigned char)name[i]) || strchr("_.-@", name[i]));
	return good ? 0
		    : ini_refuse(at,
				 "the name '%.70s' is not allowed; allowed: 1 to 63 letters, "
				 "digits and '_.-@'",
				 name);
}

static int topology_begin_device(struct topology_reading *in, const struct ini_position *at,
				 const char *name)
{
	struct topology *t = in->topology;

	if (topology_check_name(at, name) < 0)
		return -EINVAL;
	for (size_t i = 0; i < t->n_devices; i++)
		if (strcmp(t->devices[i].name, name) == 0)
			return ini_refuse(at, "device '%s' is described twice", name);
	if (t->n_devices == TOPOLOGY_MAX_DEVICES)
		return ini_refuse(at, "more than %d devices", TOPOLOGY_MAX_DEVICES);
	struct device_spec *spec = &t->devices[t->n_devices++];

	*spec = (struct device_spec){.active_rate = 100000000000ull};
	str_copy(spec->name, sizeof(spec->name), name);
	topology_default_caps(t->side, in->profile, &spec->caps);
	in->section = SECTION_DEVICE;
	return 0;
}

static int topology_begin_rep(struct topology_reading *in, const struct ini_position *at,
			      const char *name)
{
	struct topology *t = in->topology;

	if (topology_check_name(at, name) < 0)
		return -EINVAL;
	if (t->side != SIDE_DPU)
		return ini_refuse(at, "representor '%s': only the dpu side has representors", name);
	for (size_t i = 0; i < t->n_reps; i++)
		if (strcmp(t->reps[i].name, name) == 0)
			return ini_refuse(at, "representor '%s' is described twice", name);
	if (t->n_reps == TOPOLOGY_MAX_REPS)
		return ini_refuse(at, "more than %d representors", TOPOLOGY_MAX_REPS);
	in->reps[t->n_reps] = (struct rep_reading){.line = at->line};
	struct rep_spec *spec = &t->reps[t->n_reps++];

	*spec = (struct rep_spec){.always = false};
	str_copy(spec->name, sizeof(spec->name), name);
	in->section = SECTION_REP;
	return 0;
}

/* Removes cross-side capabilities of features that the function lacks. */
static void topology_complete_caps(struct caps *caps)
{
	caps->sync_export_pci = caps->sync_export_pci && caps->sync_event;
	caps->sync_import_pci = caps->sync_import_pci && caps->sync_event;
	caps->sync_export_net = caps->sync_export_net && caps->sync_event;
	caps->sync_import_net = caps->sync_import_net && caps->sync_event;
}

static bool topology_has_key(const struct topology_reading *in, const struct value_key *keys,
			     size_t n_keys, const char *name)
{
	for (size_t i = 0; i < n_keys; i++)
		if (strcmp(keys[i].name, name) == 0)
			return in->seen & (1ull << i);
	return false;
}

/* Checks the required keys of an object when the next section or the end of the file is reached. */
static void topology_end_section(struct topology_reading *in, const struct ini_position *at)
{
	struct ini_position begin = *at;
	const struct topology *t = in->topology;

	begin.line = in->section_line;
	if (in->section == SECTION_DEVICE) {
		struct device_spec *spec = &t->devices[t->n_devices - 1];

		topology_complete_caps(&spec->caps);
		if (!topology_has_key(in, device_keys, ARRAY_LEN(device_keys), "pci"))
			ini_refuse(&begin, "device '%s': key 'pci' is missing", spec->name);
	} else if (in->section == SECTION_REP) {
		const char *name = t->reps[t->n_reps - 1].name;

		if (!topology_has_key(in, rep_keys, ARRAY_LEN(rep_keys), "pci"))
			ini_refuse(&begin, "representor '%s': key 'pci' is missing", name);
		if (!in->seen_parent)
			ini_refuse(&begin, "representor '%s': key 'parent' is missing", name);
	}
	in->section = SECTION_NONE;
}

static int topology_begin_section(struct topology_reading *in, const struct ini_position *at,
				  const char *section)
{
	topology_end_section(in, at);
	in->section_line = at->line;
	in->seen = 0;
	in->seen_parent = 0;
	if (strcmp(section, "topology") == 0) {
		in->section = SECTION_TOPOLOGY;
		return 0;
	}
	bool device = strncmp(section, "device ", 7) == 0;

	if (!device && strncmp(section, "representor ", 12) != 0)
		return ini_refuse(
			at,
			"section '[%.60s]' is unknown; allowed: [topology], [device NAME], "
			"[representor NAME]",
			section);
	if (in->skipping)
		return 0;
	in->matched = true;
	return device ? topology_begin_device(in, at, section + 7)
		      : topology_begin_rep(in, at, section + 12);
}

static int topology_set_side(struct topology_reading *in, const struct ini_position *at,
			     const char *value)
{
	enum side side;

	if (side_parse(value, &side) < 0)
		return ini_refuse_key(at, "side", "'%.60s' is not allowed; allowed: host, dpu",
				      value);
	in->skipping = side != in->topology->side;
	return 0;
}

static int topology_set_discover(struct topology_reading *in, const struct ini_position *at,
				 const char *value)
{
	bool yes = strcmp(value, "yes") == 0;

	if (!yes && strcmp(value, "no") != 0)
		return ini_refuse_key(at, "discover", "'%.60s' is not allowed; allowed: yes, no",
				      value);
	if (!in->skipping)
		in->topology->discover = yes;
	return 0;
}

static int topology_set(struct topology_reading *in, const struct ini_position *at, const char *key,
			const char *value)
{
	if (strcmp(key, "side") == 0)
		return topology_set_side(in, at, value);
	if (strcmp(key, "discover") == 0)
		return topology_set_discover(in, at, value);
	return ini_refuse_key(at, key, "unknown here; allowed: side, discover");
}

/*
 * "profile" does not set a member: it replaces the limits and keeps what depends on the side. For
 * limits that differ between profiles, it also keeps what an earlier key has set.
 */
static int topology_set_profile(struct topology_reading *in, struct device_spec *spec,
				const struct ini_position *at, const char *value, bool dpu)
{
	const struct profile *profile = profile_find(value);
	struct caps old = spec->caps;

	if (!profile)
		return ini_refuse_key(at, "profile", "'%.60s' is not allowed; allowed: %s", value,
				      profile_names());
	spec->caps = profile->caps;
	spec->caps.dma = old.dma;
	spec->caps.export_pci = topology_has_key(in, device_keys, ARRAY_LEN(device_keys),
						 "export_pci")
					? old.export_pci
					: side_exports_pci(in->topology->side, profile);
	spec->caps.import_pci = topology_has_key(in, device_keys, ARRAY_LEN(device_keys),
						 "import_pci")
					? old.import_pci
					: side_imports_pci(in->topology->side, profile);
	spec->caps.export_rdma = old.export_rdma;
	spec->caps.comch_server = old.comch_server;
	spec->caps.comch_client = old.comch_client;
	spec->caps.sync_event = old.sync_event;
	spec->caps.sync_export_pci = old.sync_export_pci;
	spec->caps.sync_import_pci = old.sync_import_pci;
	spec->caps.sync_export_net = old.sync_export_net;
	spec->caps.sync_import_net = old.sync_import_net;
	spec->caps.comch_producer = old.comch_producer;
	spec->caps.comch_consumer = old.comch_consumer;
	if (topology_has_key(in, device_keys, ARRAY_LEN(device_keys), "sha"))
		spec->caps.sha_algorithms = old.sha_algorithms;
	if (topology_has_key(in, device_keys, ARRAY_LEN(device_keys), "sha_partial"))
		spec->caps.sha_partial_algorithms = old.sha_partial_algorithms;
	if (topology_has_key(in, device_keys, ARRAY_LEN(device_keys), "compress"))
		spec->caps.compress_tasks = old.compress_tasks;
	if (topology_has_key(in, device_keys, ARRAY_LEN(device_keys), "aes_gcm"))
		spec->caps.aes_gcm_keys = old.aes_gcm_keys;
	spec->caps.mmap_advise = old.mmap_advise;
	spec->caps.rdma = old.rdma;
	spec->caps.ec = old.ec;
	spec->caps.rep_filter_all = old.rep_filter_all;
	spec->caps.rep_filter_net = old.rep_filter_net;
	spec->caps.rep_filter_emulated = old.rep_filter_emulated;
	spec->caps.hotplug_manager = spec->caps.hotplug_manager && dpu;
	return 0;
}

static int topology_entry(void *user, const struct ini_position *at, const char *section,
			  const char *key, const char *value)
{
	struct topology_reading *in = user;
	struct topology *t = in->topology;

	if (!key)
		return topology_begin_section(in, at, section);
	if (in->section == SECTION_TOPOLOGY)
		return topology_set(in, at, key, value);
	if (in->skipping)
		return 0;
	if (in->section == SECTION_DEVICE) {
		struct device_spec *spec = &t->devices[t->n_devices - 1];

		if (strcmp(key, "profile") == 0)
			return topology_set_profile(in, spec, at, value, t->side == SIDE_DPU);
		return value_set(at, device_keys, ARRAY_LEN(device_keys), spec, &in->seen, key,
				 value);
	}
	if (in->section == SECTION_REP && strcmp(key, "parent") == 0)
		return value_set(at, parent_key, 1, &in->reps[t->n_reps - 1], &in->seen_parent, key,
				 value);
	if (in->section == SECTION_REP)
		return value_set(at, rep_keys, ARRAY_LEN(rep_keys), &t->reps[t->n_reps - 1],
				 &in->seen, key, value);
	return ini_refuse_key(
		at, key,
		"stands before the first section; a line such as [device NAME] comes first");
}

static int topology_resolve_parent(const struct topology *t, struct rep_spec *rep,
				   const char *parent)
{
	for (size_t i = 0; i < t->n_devices; i++) {
		if (strcmp(t->devices[i].name, parent) == 0) {
			rep->parent = i;
			return 0;
		}
	}
	return -ENOENT;
}

/* Checks addresses: sub-functions share their parent's, other functions have unique ones. */
static int topology_check_addresses(const struct topology *t, const struct ini_position *at)
{
	int r = 0;

	for (size_t i = 0; i < t->n_devices; i++)
		for (size_t j = 0; j < i; j++)
			if (t->devices[i].func_type != FUNC_SF &&
			    t->devices[j].func_type != FUNC_SF &&
			    strcmp(t->devices[i].pci_addr, t->devices[j].pci_addr) == 0)
				r = ini_refuse(at,
					       "devices '%s' and '%s' have the same PCI address %s",
					       t->devices[j].name, t->devices[i].name,
					       t->devices[i].pci_addr);
	return r;
}

/* Checks rules between objects. */
static int topology_check(struct topology_reading *in, const struct ini_position *at)
{
	struct topology *t = in->topology;
	struct ini_position rep_at = *at;
	int r = 0;

	for (size_t i = 0; i < t->n_reps; i++) {
		rep_at.line = in->reps[i].line;
		if (topology_resolve_parent(t, &t->reps[i], in->reps[i].parent) < 0)
			r = ini_refuse(
				&rep_at,
				"representor '%s': key 'parent': no device '%s' is described",
				t->reps[i].name, in->reps[i].parent);
	}
	if (topology_check_addresses(t, at) < 0)
		r = -EINVAL;
	if (!in->matched && !t->discover)
		r = ini_refuse(at, "describes no device of side %s", side_name(t->side));
	return r;
}

static int topology_read(const char *path, struct topology_reading *in, struct ini_error *error)
{
	struct ini_position at = {.file = path, .line = 1, .error = error};
	unsigned n_before = error->n;
	int r;

	if (path && strcmp(path, TOPOLOGY_DISCOVER) == 0) {
		at.file = "topology " TOPOLOGY_DISCOVER;
		r = ini_text_read(at.file, "[topology]\ndiscover = yes\n", topology_entry, in,
				  error);
	} else if (path && strcmp(path, TOPOLOGY_DEMO) != 0) {
		r = ini_file_read(path, topology_entry, in, error);
	} else {
		at.file = "built-in topology";
		r = ini_text_read(at.file,
				  in->topology->side == SIDE_HOST ? topology_default_host
								  : topology_default_dpu,
				  topology_entry, in, error);
	}
	topology_end_section(in, &at);
	return error->n > n_before ? -EINVAL : r < 0 ? r : topology_check(in, &at);
}

int topology_load(const char *path, enum side side, const struct profile *profile,
		  struct topology **topology_out, struct ini_error *error)
{
	struct topology *t = calloc(1, sizeof(*t));
	struct topology_reading *in = calloc(1, sizeof(*in));
	int r = -ENOMEM;

	if (t && in) {
		t->side = side;
		t->devices = calloc(TOPOLOGY_MAX_DEVICES, sizeof(*t->devices));
		t->reps = calloc(TOPOLOGY_MAX_REPS, sizeof(*t->reps));
		in->topology = t;
		in->profile = profile;
		topology_default_caps(side, profile, &t->caps);
		if (t->devices && t->reps)
			r = topology_read(path, in, error);
	}
	if (r == -ENOMEM)
		ini_error_add(error, "no memory for the topology");
	free(in);
	if (r < 0) {
		topology_free(t);
		return r;
	}
	*topology_out = t;
	return 0;
}

struct topology *topology_free(struct topology *topology)
{
	if (topology) {
		free(topology->devices);
		free(topology->reps);
		free(topology);
	}
	return NULL;
}
