/* Configuration file; see config.h. etc/dococored.conf explains every key. */
#include "daemon/config/config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/config/config_peer.h"
#include "daemon/base/schema.h"
#include "daemon/topology/side.h"
#include "util/clock.h"
#include "util/str.h"
#include "util/util.h"

enum section_kind {
	SECTION_NONE,
	SECTION_DAEMON,
	SECTION_QUOTA,
	SECTION_PEER,
	SECTION_TLS,
	SECTION_POLICY,
};

struct config_reading {
	struct config *config;
	enum section_kind section;
	int section_line, tls_line;
	uint64_t seen_daemon, seen_user, seen_total, seen_peer, seen_tls;
	uint64_t seen_users[LIMITS_MAX_USERS];
	/* Destination of the keys of the current [quota] section. */
	struct quota *quota;
	uint64_t *seen_quota;
};

#define DAEMON_KEY(key, kind, member, ...)                                                        \
	{                                                                                         \
		.name = key, .type = kind, .offset = offsetof(struct config, member), __VA_ARGS__ \
	}

static const struct value_key daemon_keys[] = {
	DAEMON_KEY("topology", VALUE_STRING, topology, .max = 4096),
	DAEMON_KEY("socket_mode", VALUE_MODE, socket_mode),
	DAEMON_KEY("client_queue", VALUE_U64, client_queue_len, .min = 65536, .max = 1ull << 30),
	DAEMON_KEY("client_stall_ms", VALUE_MS, client_stall_ns, .min = 100, .max = 3600000),
};

/* Bits of seen_daemon for keys that do not set a plain member. */
enum {
	SEEN_PROFILE = 32,
	SEEN_LOG_LEVEL,
	SEEN_PEER_LISTEN,
	SEEN_PEER_ALLOW,
	SEEN_SIDE,
	SEEN_ADMIN_READ,
	SEEN_ADMIN_CHANGE,
	SEEN_SYSTEM_BUS,
	SEEN_PTRACER
};

#define QUOTA_KEY(kind, limit_max)                                                   \
	{                                                                            \
		.type = VALUE_U64,                                                   \
		.offset = offsetof(struct quota, limit) + (kind) * sizeof(uint64_t), \
		.max = limit_max                                                     \
	}

static const struct value_key quota_keys[CHARGE_N] = {
	[CHARGE_SESSIONS] = QUOTA_KEY(CHARGE_SESSIONS, 1000000),
	[CHARGE_BYTES] = QUOTA_KEY(CHARGE_BYTES, UINT64_MAX),
	[CHARGE_FDS] = QUOTA_KEY(CHARGE_FDS, CONFIG_MAX_FDS),
	[CHARGE_HANDLES] = QUOTA_KEY(CHARGE_HANDLES, 10000000),
	[CHARGE_EXPORTS] = QUOTA_KEY(CHARGE_EXPORTS, 10000000),
	[CHARGE_IMPORTS] = QUOTA_KEY(CHARGE_IMPORTS, 10000000),
	[CHARGE_SERVERS] = QUOTA_KEY(CHARGE_SERVERS, 1000000),
	[CHARGE_CHANNELS] = QUOTA_KEY(CHARGE_CHANNELS, 1000000),
	[CHARGE_SYNC_EVENTS] = QUOTA_KEY(CHARGE_SYNC_EVENTS, 10000000),
	[CHARGE_CONSUMERS] = QUOTA_KEY(CHARGE_CONSUMERS, 10000000),
};

static const struct quota default_user = {
	.limit =
		{
			[CHARGE_SESSIONS] = 1024,
			[CHARGE_BYTES] = 64ull << 30,
			[CHARGE_FDS] = 65536,
			[CHARGE_HANDLES] = 16384,
			[CHARGE_EXPORTS] = 131072,
			[CHARGE_IMPORTS] = 131072,
			[CHARGE_SERVERS] = 1024,
			[CHARGE_CHANNELS] = 16384,
			[CHARGE_SYNC_EVENTS] = 16384,
			[CHARGE_CONSUMERS] = 16384,
		},
};

static const struct quota default_total = {
	.limit =
		{
			[CHARGE_SESSIONS] = 16384,
			[CHARGE_BYTES] = 256ull << 30,
			[CHARGE_FDS] = CONFIG_MAX_FDS,
			[CHARGE_HANDLES] = 262144,
			[CHARGE_EXPORTS] = 524288,
			[CHARGE_IMPORTS] = 524288,
			[CHARGE_SERVERS] = 16384,
			[CHARGE_CHANNELS] = 262144,
			[CHARGE_SYNC_EVENTS] = 262144,
			[CHARGE_CONSUMERS] = 262144,
		},
};

static int config_set_profile(struct config *config, const struct ini_position *at,
			      const char *value)
{
	const struct profile *profile = profile_find(value);

	if (!profile)
		return ini_refuse_key(at, "profile", "'%.60s' is not allowed; allowed: %s", value,
				      profile_names());
	config->profile = profile;
	return 0;
}

static int config_set_log_level(struct config *config, const struct ini_position *at,
				const char *value)
{
	return log_level_parse(value, &config->log_level) < 0
		       ? ini_refuse_key(
				 at, "log_level",
				 "'%.60s' is not allowed; allowed: error, warning, info, debug",
				 value)
		       : 0;
}

static int config_set_peer_listen(struct config *config, const struct ini_position *at,
				  const char *value)
{
	if (strcmp(value, "none") == 0) {
		config->peer_listen[0] = '\0';
		return 0;
	}
	return config_parse_unix(value, config->peer_listen) < 0
		       ? ini_refuse_key(
				 at, "peer_listen",
				 "'%.120s' is not allowed; allowed: none, or 'unix:/path' with at "
				 "most %d bytes of path",
				 value, CONFIG_PATH_LEN - 1)
		       : 0;
}

static int config_set_peer_allow(struct config *config, const struct ini_position *at,
				 const char *value)
{
	char reason[200];

	return acl_parse(value, &config->peer_allow, reason, sizeof(reason)) < 0
		       ? ini_refuse_key(at, "peer_allow", "%s", reason)
		       : 0;
}

/* Checks the side, which was determined before the configuration is read; see side.h. */
static int config_set_side(struct config *config, const struct ini_position *at, const char *value)
{
	enum side side;

	(void)config;
	return side_parse_choice(value, &side) < 0
		       ? ini_refuse_key(at, "side",
					"'%.60s' is not allowed; allowed: auto, host, dpu", value)
		       : 0;
}

static int config_set_admin_read(struct config *config, const struct ini_position *at,
				 const char *value)
{
	char reason[200];

	return acl_parse(value, &config->admin_read, reason, sizeof(reason)) < 0
		       ? ini_refuse_key(at, "admin_read", "%s", reason)
		       : 0;
}

static int config_set_admin_change(struct config *config, const struct ini_position *at,
				   const char *value)
{
	char reason[200];

	return acl_parse(value, &config->admin_change, reason, sizeof(reason)) < 0
		       ? ini_refuse_key(at, "admin_change", "%s", reason)
		       : 0;
}

static int config_set_system_bus(struct config *config, const struct ini_position *at,
				 const char *value)
{
	static const char *const names[] = {
		[SYSTEM_BUS_AUTO] = "auto", [SYSTEM_BUS_YES] = "yes", [SYSTEM_BUS_NO] = "no"};

	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		if (strcmp(names[i], value) == 0) {
			config->system_bus = (enum config_system_bus)i;
			return 0;
		}
	return ini_refuse_key(at, "system_bus", "'%.60s' is not allowed; allowed: auto, yes, no",
			      value);
}

static int config_set_ptracer(struct config *config, const struct ini_position *at,
			      const char *value)
{
	static const char *const names[] = {
		[PTRACER_OFF] = "off", [PTRACER_IMPORTER] = "importer", [PTRACER_ANY] = "any"};

	for (size_t i = PTRACER_OFF; i < ARRAY_LEN(names); i++)
		if (strcmp(names[i], value) == 0) {
			config->ptracer = (enum config_ptracer)i;
			return 0;
		}
	return ini_refuse_key(at, "ptracer", "'%.60s' is not allowed; allowed: off, importer, any",
			      value);
}

static const struct {
	const char *name;
	int seen;
	int (*set)(struct config *, const struct ini_position *, const char *);
} daemon_texts[] = {
	{"profile", SEEN_PROFILE, config_set_profile},
	{"log_level", SEEN_LOG_LEVEL, config_set_log_level},
	{"peer_listen", SEEN_PEER_LISTEN, config_set_peer_listen},
	{"peer_allow", SEEN_PEER_ALLOW, config_set_peer_allow},
	{"side", SEEN_SIDE, config_set_side},
	{"admin_read", SEEN_ADMIN_READ, config_set_admin_read},
	{"admin_change", SEEN_ADMIN_CHANGE, config_set_admin_change},
	{"system_bus", SEEN_SYSTEM_BUS, config_set_system_bus},
	{"ptracer", SEEN_PTRACER, config_set_ptracer},
};

static int config_daemon_entry(struct config_reading *in, const struct ini_position *at,
			       const char *key, const char *value)
{
	char names[SCHEMA_NAMES_LEN] = "";

	for (size_t i = 0; i < ARRAY_LEN(daemon_texts); i++) {
		if (strcmp(daemon_texts[i].name, key) != 0)
			continue;
		if (in->seen_daemon & (1ull << daemon_texts[i].seen))
			return ini_refuse_key(at, key, "given twice; allowed once");
		in->seen_daemon |= 1ull << daemon_texts[i].seen;
		return daemon_texts[i].set(in->config, at, value);
	}
	for (size_t i = 0; i < ARRAY_LEN(daemon_keys); i++)
		if (strcmp(daemon_keys[i].name, key) == 0)
			return value_set(at, daemon_keys, ARRAY_LEN(daemon_keys), in->config,
					 &in->seen_daemon, key, value);
	for (size_t i = 0; i < ARRAY_LEN(daemon_texts); i++)
		schema_add_name(names, daemon_texts[i].name);
	for (size_t i = 0; i < ARRAY_LEN(daemon_keys); i++)
		schema_add_name(names, daemon_keys[i].name);
	return ini_refuse_key(at, key, "unknown here; allowed: %s", names);
}

static int config_quota_entry(struct config_reading *in, const struct ini_position *at,
			      const char *key, const char *value)
{
	struct value_key keys[CHARGE_N];

	for (int i = 0; i < CHARGE_N; i++) {
		keys[i] = quota_keys[i];
		keys[i].name = charge_kind_name((enum charge_kind)i);
	}
	return value_set(at, keys, CHARGE_N, in->quota, in->seen_quota, key, value);
}

static void config_end_section(struct config_reading *in, const struct ini_position *at)
{
	struct ini_position begin = *at;

	begin.line = in->section_line;
	if (in->section == SECTION_PEER)
		config_peer_check(&in->config->peers[in->config->n_peers - 1], in->seen_peer,
				  &begin);
	in->section = SECTION_NONE;
}

static int config_begin_peer(struct config_reading *in, const struct ini_position *at,
			     const char *name)
{
	struct config *config = in->config;
	struct config_peer *peer = &config->peers[config->n_peers];

	if (config->n_peers == CONFIG_MAX_PEERS)
		return ini_refuse(at, "more than %d peers", CONFIG_MAX_PEERS);
	for (size_t i = 0; i < config->n_peers; i++)
		if (strcmp(config->peers[i].name, name) == 0)
			return ini_refuse(at, "peer '%s' is described twice", name);
	*peer = (struct config_peer){.path = ""};
	if (*name == '\0' || str_copy(peer->name, sizeof(peer->name), name) < 0)
		return ini_refuse(at, "a peer's name has 1 to 63 bytes");
	config->n_peers++;
	in->seen_peer = 0;
	in->section = SECTION_PEER;
	return 0;
}

/* Handles "user NAME": limits that replace those of [quota] for one user. */
static int config_begin_user_quota(struct config_reading *in, const struct ini_position *at,
				   const char *name)
{
	struct limits *limits = &in->config->limits;
	struct user_quota *user = &limits->users[limits->n_users];
	char reason[200];
	uid_t uid;

	if (limits->n_users == LIMITS_MAX_USERS)
		return ini_refuse(at, "more than %d sections [quota user NAME]", LIMITS_MAX_USERS);
	if (acl_parse_user(name, &uid, reason, sizeof(reason)) < 0)
		return ini_refuse(at, "%s", reason);
	for (size_t i = 0; i < limits->n_users; i++)
		if (limits->users[i].uid == uid)
			return ini_refuse(at, "uid %u has section [%s] already", uid,
					  limits->users[i].section);
	*user = (struct user_quota){.uid = uid};
	snprintf(user->section, sizeof(user->section), "quota user %s", name);
	in->quota = &user->quota;
	in->seen_quota = &in->seen_users[limits->n_users++];
	return 0;
}

static int config_begin_quota(struct config_reading *in, const struct ini_position *at,
			      const char *section)
{
	int r = 0;

	if (strcmp(section, "") == 0) {
		in->quota = &in->config->limits.user;
		in->seen_quota = &in->seen_user;
	} else if (strcmp(section, " total") == 0) {
		in->quota = &in->config->limits.total;
		in->seen_quota = &in->seen_total;
	} else if (strncmp(section, " user ", 6) == 0) {
		r = config_begin_user_quota(in, at, section + 6);
	} else {
		r = ini_refuse(at,
			       "section '[quota%.60s]' is unknown; allowed: [quota], [quota "
			       "total], [quota user NAME]",
			       section);
	}
	if (r == 0)
		in->section = SECTION_QUOTA;
	return r;
}

/* Keys that are missing in a user's own section get the general values. */
static void config_complete_users(struct config_reading *in)
{
	struct limits *limits = &in->config->limits;

	for (size_t i = 0; i < limits->n_users; i++)
		for (int kind = 0; kind < CHARGE_N; kind++)
			if (!(in->seen_users[i] & (1ull << kind)))
				limits->users[i].quota.limit[kind] = limits->user.limit[kind];
}

static int config_begin_section(struct config_reading *in, const struct ini_position *at,
				const char *section)
{
	config_end_section(in, at);
	in->section_line = at->line;
	if (strncmp(section, "peer ", 5) == 0)
		return config_begin_peer(in, at, section + 5);
	if (strcmp(section, "quota") == 0 || strncmp(section, "quota ", 6) == 0)
		return config_begin_quota(in, at, section + 5);
	in->section = strcmp(section, "daemon") == 0   ? SECTION_DAEMON
		      : strcmp(section, "tls") == 0    ? SECTION_TLS
		      : strcmp(section, "policy") == 0 ? SECTION_POLICY
						       : SECTION_NONE;
	if (in->section == SECTION_TLS)
		in->tls_line = at->line;
	return in->section == SECTION_NONE
		       ? ini_refuse(
				 at,
				 "section '[%.60s]' is unknown; allowed: [daemon], [quota], [quota "
				 "total], [quota user NAME], [peer NAME], [tls], [policy]",
				 section)
		       : 0;
}

static int config_entry(void *user, const struct ini_position *at, const char *section,
			const char *key, const char *value)
{
	struct config_reading *in = user;

	if (!key)
		return config_begin_section(in, at, section);
	switch (in->section) {
	case SECTION_DAEMON:
		return config_daemon_entry(in, at, key, value);
	case SECTION_QUOTA:
		return config_quota_entry(in, at, key, value);
	case SECTION_PEER:
		return config_peer_entry(&in->config->peers[in->config->n_peers - 1],
					 &in->seen_peer, at, key, value);
	case SECTION_TLS:
		return config_tls_entry(&in->config->tls, &in->seen_tls, at, key, value);
	case SECTION_POLICY:
		return policy_set(&in->config->policy, at, key, value);
	case SECTION_NONE:
		break;
	}
	return ini_refuse_key(
		at, key, "stands before the first section; a line such as [daemon] comes first");
}

static void config_set_defaults(struct config *config, enum side side)
{
	char reason[200];

	*config = (struct config){
		.side = side,
		.profile = profile_find("unlimited"),
		.log_level = LOG_LEVEL_INFO,
		.socket_mode = 0666,
		.ptracer = PTRACER_IMPORTER,
		.client_queue_len = 1u << 20,
		.client_stall_ns = 10 * NS_PER_SEC,
		.limits = {.user = default_user, .total = default_total},
	};
	policy_init(&config->policy);
	/* Groups that the installation creates. If they do not exist, they have no members. */
	(void)acl_parse("group doca", &config->admin_read, reason, sizeof(reason));
	(void)acl_parse("group doca-admin", &config->admin_change, reason, sizeof(reason));
	config_tls_set_defaults(&config->tls);
}

/* The two daemons of one runtime directory find each other without any configuration. */
static int config_default_peer(struct config *config, const struct config_reading *in,
			       const char *runtime_dir, struct ini_error *error)
{
	bool listens = config->side == SIDE_DPU && !(in->seen_daemon & (1ull << SEEN_PEER_LISTEN));
	bool connects = config->side == SIDE_HOST && config->n_peers == 0 &&
			!*config->peer_listen && !*config->tls.listen_host;
	char path[CONFIG_PATH_LEN + 16];

	if (!listens && !connects)
		return 0;
	if (snprintf(path, sizeof(path), "%s/peer.sock", runtime_dir) >= CONFIG_PATH_LEN) {
		ini_error_add(
			error,
			"runtime directory %s: the path of a socket in it is longer than %d bytes",
			runtime_dir, CONFIG_PATH_LEN - 1);
		return -EINVAL;
	}
	if (listens)
		return str_copy(config->peer_listen, sizeof(config->peer_listen), path);
	str_copy(config->peers[0].name, sizeof(config->peers[0].name), "dpu");
	config->peers[0].is_default = true;
	config->n_peers = 1;
	return str_copy(config->peers[0].path, sizeof(config->peers[0].path), path);
}

int config_read(const char *path, enum side side, const char *runtime_dir,
		struct config **config_out, struct ini_error *error)
{
	struct config *config = calloc(1, sizeof(*config));
	struct config_reading in = {.config = config};
	struct ini_position at = {.file = path, .error = error};
	unsigned n_before = error->n;
	int r = 0;

	if (!config) {
		ini_error_add(error, "no memory for the configuration");
		return -ENOMEM;
	}
	config_set_defaults(config, side);
	if (path && str_copy(config->file, sizeof(config->file), path) == 0)
		r = ini_file_read(path, config_entry, &in, error);
	if (r < 0 && r != -EINVAL) {
		config_free(config);
		return r;
	}
	config_end_section(&in, &at);
	config_complete_users(&in);
	at.line = in.tls_line ? in.tls_line : in.section_line;
	if (error->n == n_before)
		config_tls_check(config, &at);
	config_default_peer(config, &in, runtime_dir, error);
	*config_out = config;
	return error->n > n_before ? -EINVAL : 0;
}

int config_load(const char *path, enum side side, const char *runtime_dir,
		struct config **config_out, struct ini_error *error)
{
	struct config *config = NULL;
	int r = config_read(path, side, runtime_dir, &config, error);

	if (r < 0)
		config_free(config);
	else
		*config_out = config;
	return r;
}

struct config *config_free(struct config *config)
{
	free(config);
	return NULL;
}

const struct config_peer *config_find_peer(const struct config *config, const char *name)
{
	for (size_t i = 0; i < config->n_peers; i++)
		if (strcmp(config->peers[i].name, name) == 0)
			return &config->peers[i];
	return NULL;
}
