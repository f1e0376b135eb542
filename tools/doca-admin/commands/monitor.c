/*
 * doca-admin monitor: prints events of a daemon as they happen, one line or one JSON object each.
 * It ends when it is interrupted, when the daemon ends, or after --count events.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tools/doca-admin/commands/commands.h"
#include "tools/doca-admin/options.h"
#include "tools/doca-admin/terminal/field.h"
#include "tools/doca-admin/terminal/print.h"
#include "util/clock.h"

#define MONITOR_OPTIONS (OPTIONS_DAEMON | OPTIONS_JSON | OPTIONS_FILTER | OPTIONS_COUNT)

static const char usage[] =
	"Usage: doca-admin monitor [OPTION...]\n"
	"\n"
	"What happens at the daemon, one line each: clients, exports, sync events, imports,\n"
	"services, channels and peers that are added, changed and removed.\n";

struct monitor {
	const struct admin_options *options;
	unsigned n;
};

static bool monitor_wants(const struct monitor *monitor, json_object *facts)
{
	const struct bus_filter *filter = &monitor->options->filter;
	const char *name = field_text(facts, "name"), *program = field_text(facts, "program");

	if (filter->has_pid && field_number(facts, "pid") != filter->pid)
		return false;
	if (filter->has_uid && field_number(facts, "uid") != filter->uid)
		return false;
	if (filter->device && !field_is(facts, "device", filter->device))
		return false;
	return !filter->name || bus_name_matches(filter->name, *name ? name : program);
}

static uint64_t wall_clock_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_REALTIME, &ts);
	return (uint64_t)ts.tv_sec * NS_PER_SEC + (uint64_t)ts.tv_nsec;
}

/* The most informative facts of any kind of object, in the order of the line. */
static void facts_print(json_object *facts)
{
	static const char *const keys[] = {
		"pid",    "uid",         "program", "name",      "service",
		"device", "representor", "kind",    "len",       "role",
		"state",  "present",     "side",    "transport", "exporter_side",
	};

	for (size_t i = 0; i < ARRAY_LEN(keys); i++) {
		json_object *value = json_object_object_get(facts, keys[i]);
		char *clean;

		if (!value || !*json_object_get_string(value))
			continue;
		clean = print_clean(json_object_get_string(value));
		printf("  %s %s", keys[i], clean ? clean : "?");
		free(clean);
	}
	if (json_object_object_get(facts, "importers"))
		printf("  importers %zu", field_count(facts, "importers"));
	putchar('\n');
}

static void on_signal(void *user, const char *what, const char *kind, uint64_t id,
		      json_object *facts)
{
	struct monitor *monitor = user;
	uint64_t now = wall_clock_ns();

	if (monitor->options->count && monitor->n >= monitor->options->count)
		return;
	if (strcmp(what, "lost") != 0 && !monitor_wants(monitor, facts))
		return;
	monitor->n++;
	if (monitor->options->json) {
		json_object *event = json_object_new_object();

		field_set_number(event, "time_ns", now);
		field_set_text(event, "event", what);
		field_set_text(event, "kind", kind);
		field_set_number(event, "id", id);
		json_object_object_add(event, "facts", json_object_get(facts));
		puts(json_object_to_json_string_ext(event, JSON_C_TO_STRING_NOSLASHESCAPE));
		json_object_put(event);
	} else {
		time_t seconds = (time_t)(now / NS_PER_SEC);
		struct tm tm;
		char text[32] = "";

		if (localtime_r(&seconds, &tm))
			strftime(text, sizeof(text), "%H:%M:%S", &tm);
		printf("%s.%03u  %-7s  ", text, (unsigned)(now / NS_PER_MS % 1000), what);
		if (strcmp(what, "lost") == 0) {
			printf("%llu events: they came faster than they were taken\n",
			       (unsigned long long)id);
		} else {
			printf("%-11s %llu", kind, (unsigned long long)id);
			facts_print(facts);
		}
	}
	fflush(stdout);
}

int cmd_monitor(int argc, char **argv)
{
	CLEANUP_BUS_CLIENT struct bus_client *client = NULL;
	struct admin_options o = {0};
	struct monitor monitor = {.options = &o};
	int r;

	r = options_begin(argc, argv, MONITOR_OPTIONS, usage, 0, &o, &client);
	if (r != 0)
		return r - 1;
	r = bus_client_subscribe(client, on_signal, &monitor);
	if (r < 0)
		return options_call_failed(client, r);
	fprintf(stderr, "doca-admin: watching %s\n", bus_client_path(client));
	while (!o.count || monitor.n < o.count) {
		if (ferror(stdout))
			return EXIT_FAILURE;
		r = bus_client_step(client);
		if (r < 0)
			return options_call_failed(client, r);
	}
	return EXIT_SUCCESS;
}
