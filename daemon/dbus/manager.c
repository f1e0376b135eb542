/*
 * The object /org/dococore, for operators: the daemon itself, its methods, and the accounts of
 * users. See daemon/dbus/noun.h and doc/dbus.md.
 */
#include "daemon/dbus/noun.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "daemon/base/daemon.h"
#include "daemon/base/version.h"
#include "daemon/comch/comch.h"
#include "daemon/config/config.h"
#include "daemon/config/arguments.h"
#include "daemon/dbus/decode.h"
#include "daemon/dbus/list.h"
#include "daemon/memory/memory.h"
#include "daemon/session/session.h"
#include "daemon/topology/topology.h"
#include "util/log.h"
#include "util/str.h"

static const struct list *account_list(const struct daemon *daemon)
{
	return &daemon->accounts.list;
}

static void counts_fill(struct record *rec, const char *key, const uint64_t counts[CHARGE_N])
{
	if (!record_open_value(rec, key, "a{sv}"))
		return;
	for (int kind = 0; kind < CHARGE_N; kind++)
		record_number(rec, charge_kind_name((enum charge_kind)kind), counts[kind]);
	record_close_value(rec);
}

static void account_fill(struct record *rec, const void *object)
{
	const struct account *account = object;
	uint64_t limits[CHARGE_N];

	for (int kind = 0; kind < CHARGE_N; kind++)
		limits[kind] = account_limit(account, (enum charge_kind)kind);
	record_begin(rec);
	record_number(rec, "uid", account->uid);
	record_text(rec, "section", account_section(account));
	counts_fill(rec, "used", account->used);
	counts_fill(rec, "limits", limits);
	record_end(rec);
}

static const sd_bus_vtable account_vtable[] = {
	SD_BUS_VTABLE_START(0), FIXED("Uid", "t"),       FACT("Section", "s"),
	FACT("Used", "a{sv}"),  FACT("Limits", "a{sv}"), SD_BUS_VTABLE_END,
};

const struct bus_noun bus_account = {
	.name = "account",
	.folder = "accounts",
	.is_user = true,
	.interface = "org.dococore.Account",
	.vtable = account_vtable,
	.list_of = account_list,
	.link = offsetof(struct account, link),
	.order = offsetof(struct account, order),
	.fill = account_fill,
};

static void total_fill(struct record *rec, const struct daemon *daemon)
{
	if (!record_open_value(rec, "total", "a{sv}"))
		return;
	counts_fill(rec, "used", daemon->accounts.used);
	counts_fill(rec, "limits", daemon->accounts.limits.total.limit);
	record_close_value(rec);
}

static void rule_fill(struct record *rec, const struct policy_rule *rule)
{
	record_begin(rec);
	record_text(rec, "device", rule->device);
	record_text(rec, "who", rule->text);
	record_number(rec, "line", (uint64_t)rule->line);
	record_end(rec);
}

static void policy_fill(struct record *rec, const struct policy *policy)
{
	if (!record_open_value(rec, "policy", "aa{sv}"))
		return;
	for (size_t i = 0; i < policy->n_rules; i++)
		rule_fill(rec, &policy->rules[i]);
	rule_fill(rec, &policy->others);
	record_close_value(rec);
}

static void peers_fill(struct record *rec, const struct daemon *daemon)
{
	if (!record_open_value(rec, "peers", "aa{sv}"))
		return;
	for (const void *at = bus_noun_next(&bus_peer, daemon, NULL); at;
	     at = bus_noun_next(&bus_peer, daemon, at))
		bus_peer.fill(rec, at);
	record_close_value(rec);
}

static void manager_fill(struct record *rec, const void *object)
{
	const struct daemon *daemon = object;
	char id[2 * sizeof(daemon->daemon_id) + 1], text[160];
	const struct {
		const char *key, *one;
		unsigned n;
	} counts[] = {{"clients", "client", daemon->sessions->n},
		      {"exports", "export", daemon->memory->n_exports},
		      {"imports", "import", daemon->memory->n_imports},
		      {"services", "service", daemon->comch->n_services},
		      {"channels", "channel", daemon->comch->n_channels}};
	int len = snprintf(text, sizeof(text), "%s", daemon->stopping ? "stopping" : "running");

	str_hex(daemon->daemon_id, sizeof(daemon->daemon_id), id);
	/* Numbers have at most 10 digits each, so the text fits. */
	for (size_t i = 0; i < ARRAY_LEN(counts); i++)
		len += snprintf(text + len, sizeof(text) - (size_t)len, "%s %u %s", i ? "," : ":",
				counts[i].n, counts[i].n == 1 ? counts[i].one : counts[i].key);
	record_begin(rec);
	record_text(rec, "side", side_name(daemon->options->side));
	record_text(rec, "version", daemon_version());
	record_text(rec, "daemon_id", id);
	record_number(rec, "pid", (uint64_t)getpid());
	record_number(rec, "uid", geteuid());
	record_number(rec, "started_at_ns", daemon->started_at_ns);
	record_text(rec, "socket", daemon->socket_path);
	record_text(rec, "config_file", daemon->config->file);
	record_text(rec, "profile", daemon->config->profile->name);
	record_text(rec, "log_level", log_level_name(log_get_level()));
	record_text(rec, "status", text);
	if (record_open_value(rec, "counts", "a{sv}")) {
		for (size_t i = 0; i < ARRAY_LEN(counts); i++)
			record_number(rec, counts[i].key, counts[i].n);
		record_close_value(rec);
	}
	total_fill(rec, daemon);
	policy_fill(rec, &daemon->config->policy);
	peers_fill(rec, daemon);
	record_end(rec);
}

static int manager_decode(sd_bus_message *m, void *user, sd_bus_error *error)
{
	const struct bus_target *target = user;
	struct record rec = {.form = RECORD_DICT};
	const void *data;
	size_t len;
	int r = bus_noun_check_caller(target, error);

	if (r >= 0)
		r = sd_bus_message_read_array(m, 'y', &data, &len);
	if (r >= 0)
		r = sd_bus_message_new_method_return(m, &rec.m);
	if (r < 0)
		return r;
	bus_decode_fill(&rec, target->tree->daemon, data, len);
	return record_answer(&rec);
}

static int manager_subscribe(sd_bus_message *m, void *user, sd_bus_error *error)
{
	const struct bus_tree *tree = ((const struct bus_target *)user)->tree;
	bool on = strcmp(sd_bus_message_get_member(m), "Subscribe") == 0;
	int r = bus_noun_check_caller(user, error);

	if (r >= 0)
		r = tree->subscribe(tree->port, m, on);
	if (r == -EDQUOT)
		return sd_bus_error_set(error, SD_BUS_ERROR_LIMITS_EXCEEDED,
					"too many have subscribed already");
	return r < 0 ? r : bus_noun_done(m);
}

static int manager_reload(sd_bus_message *m, void *user, sd_bus_error *error)
{
	const struct bus_tree *tree = ((const struct bus_target *)user)->tree;
	int r = bus_noun_check_caller(user, error);

	if (r < 0)
		return r;
	log_info("pid %d: reload", (int)tree->caller->pid);
	if (tree->daemon->reload(tree->daemon) < 0)
		return sd_bus_error_setf(error, "org.dococore.Error.Refused",
					 "the new configuration is refused, the old one stays: %s",
					 tree->daemon->reload_error);
	return bus_noun_done(m);
}

static int manager_set_log_level(sd_bus_message *m, void *user, sd_bus_error *error)
{
	const struct bus_tree *tree = ((const struct bus_target *)user)->tree;
	enum log_level level;
	const char *name;
	char clean[41];
	int r = bus_noun_check_caller(user, error);

	if (r >= 0)
		r = sd_bus_message_read(m, "s", &name);
	if (r < 0)
		return r;
	record_clean(name, clean, sizeof(clean));
	if (log_level_parse(name, &level) < 0)
		return sd_bus_error_setf(error, SD_BUS_ERROR_INVALID_ARGS,
					 "'%s' is no log level; there are error, warning, info "
					 "and debug",
					 clean);
	log_set_level(level);
	log_info("pid %d: log level %s", (int)tree->caller->pid, name);
	return bus_noun_done(m);
}

#define LISTS(list, get)                                                                     \
	SD_BUS_METHOD_WITH_NAMES(list, "a{sv}tt",                                            \
				 SD_BUS_PARAM(filter) SD_BUS_PARAM(after) SD_BUS_PARAM(max), \
				 "aa{sv}t", SD_BUS_PARAM(records) SD_BUS_PARAM(next),        \
				 bus_list_records, SD_BUS_VTABLE_UNPRIVILEGED),              \
		SD_BUS_METHOD_WITH_NAMES(get, "t", SD_BUS_PARAM(id), "a{sv}",                \
					 SD_BUS_PARAM(record), bus_list_get,                 \
					 SD_BUS_VTABLE_UNPRIVILEGED)

static const sd_bus_vtable manager_vtable[] = {
	SD_BUS_VTABLE_START(0),
	FIXED("Side", "s"),
	FIXED("Version", "s"),
	FIXED("DaemonId", "s"),
	FIXED("Pid", "t"),
	FIXED("Uid", "t"),
	FIXED("StartedAtNs", "t"),
	FIXED("Socket", "s"),
	FIXED("ConfigFile", "s"),
	FIXED("Profile", "s"),
	FACT("LogLevel", "s"),
	SD_BUS_PROPERTY("Status", "s", bus_noun_property, 0, SD_BUS_VTABLE_PROPERTY_EMITS_CHANGE),
	FACT("Counts", "a{sv}"),
	FACT("Total", "a{sv}"),
	FACT("Policy", "aa{sv}"),
	SD_BUS_PROPERTY("Peers", "aa{sv}", bus_noun_property, 0,
			SD_BUS_VTABLE_PROPERTY_EMITS_CHANGE),
	SD_BUS_METHOD_WITH_NAMES("List", "sa{sv}astt",
				 SD_BUS_PARAM(kind) SD_BUS_PARAM(filter) SD_BUS_PARAM(fields)
					 SD_BUS_PARAM(after) SD_BUS_PARAM(max),
				 "asvt", SD_BUS_PARAM(fields) SD_BUS_PARAM(rows) SD_BUS_PARAM(next),
				 bus_list_rows, SD_BUS_VTABLE_UNPRIVILEGED),
	SD_BUS_METHOD_WITH_NAMES("Count", "sa{sv}t",
				 SD_BUS_PARAM(kind) SD_BUS_PARAM(filter) SD_BUS_PARAM(after), "tt",
				 SD_BUS_PARAM(n) SD_BUS_PARAM(next), bus_list_count,
				 SD_BUS_VTABLE_UNPRIVILEGED),
	LISTS("ListDevices", "GetDevice"),
	LISTS("ListRepresentors", "GetRepresentor"),
	LISTS("ListClients", "GetClient"),
	LISTS("ListExports", "GetExport"),
	LISTS("ListEvents", "GetEvent"),
	LISTS("ListImports", "GetImport"),
	LISTS("ListServices", "GetService"),
	LISTS("ListChannels", "GetChannel"),
	LISTS("ListPeers", "GetPeer"),
	LISTS("ListAccounts", "GetAccount"),
	LISTS("ListCounters", "GetCounters"),
	SD_BUS_METHOD_WITH_NAMES("Decode", "ay", SD_BUS_PARAM(descriptor), "a{sv}",
				 SD_BUS_PARAM(record), manager_decode, SD_BUS_VTABLE_UNPRIVILEGED),
	METHOD("Subscribe", manager_subscribe),
	METHOD("Unsubscribe", manager_subscribe),
	METHOD("Reload", manager_reload),
	SD_BUS_METHOD_WITH_NAMES("SetLogLevel", "s", SD_BUS_PARAM(level), "", ,
				 manager_set_log_level, SD_BUS_VTABLE_UNPRIVILEGED),
	SD_BUS_SIGNAL_WITH_NAMES("Added", "sta{sv}",
				 SD_BUS_PARAM(kind) SD_BUS_PARAM(id) SD_BUS_PARAM(record), 0),
	SD_BUS_SIGNAL_WITH_NAMES("Changed", "sta{sv}",
				 SD_BUS_PARAM(kind) SD_BUS_PARAM(id) SD_BUS_PARAM(record), 0),
	SD_BUS_SIGNAL_WITH_NAMES("Removed", "sta{sv}",
				 SD_BUS_PARAM(kind) SD_BUS_PARAM(id) SD_BUS_PARAM(facts), 0),
	SD_BUS_SIGNAL_WITH_NAMES("Lost", "t", SD_BUS_PARAM(n), 0),
	SD_BUS_VTABLE_END,
};

const struct bus_noun bus_manager = {
	.interface = BUS_INTERFACE,
	.vtable = manager_vtable,
	.fill = manager_fill,
};
