/*
 * doca-admin metrics: the daemon's numbers in the OpenMetrics text format, which Prometheus and
 * other collectors read. Exports and imports are only counted: a series for each would be too many.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/doca-admin/commands/commands.h"
#include "tools/doca-admin/commands/metrics.h"
#include "tools/doca-admin/options.h"
#include "tools/doca-admin/terminal/field.h"
#include "util/clock.h"

static const char usage[] =
	"Usage: doca-admin metrics [OPTION...]\n"
	"\n"
	"Prints the numbers of the daemon, its clients, channels and contexts in the OpenMetrics\n"
	"text format, or serves them under http://ADDRESS:PORT/metrics.\n";

/* The upper bounds of durations, as in the field `latency` of counters: 64 ns, and each the double
 * of the one before. */
#define FIRST_BOUND_NS 64u
#define N_BOUNDS       31u

/* A label, and the field of the record that it shows. */
struct label {
	const char *name, *field;
};

static const struct label client_labels[] = {
	{"client", "id"}, {"pid", "pid"}, {"uid", "uid"}, {"program", "program"}, {NULL, NULL}};
static const struct label channel_labels[] = {{"channel", "id"},      {"role", "role"},
					      {"service", "service"}, {"pid", "pid"},
					      {"program", "program"}, {NULL, NULL}};
/* A new object gets the place of one that has ended, so the serial number distinguishes them. */
static const struct label context_labels[] = {
	{"context", "id"},    {"serial", "serial"}, {"kind", "kind"},       {"device", "device"},
	{"client", "client"}, {"pid", "pid"},       {"program", "program"}, {NULL, NULL}};
static const struct label peer_labels[] = {
	{"peer", "id"}, {"name", "name"}, {"kind", "kind"}, {"address", "address"}, {NULL, NULL}};
static const struct label service_labels[] = {
	{"service", "name"}, {"pid", "pid"}, {"program", "program"}, {NULL, NULL}};

/* One number of each object of a kind. Consecutive rows of one name are one family. */
struct metric {
	const char *kind; /* of objects */
	const struct label *labels;
	const char *name; /* after "dococore_" */
	const char *type; /* a counter's samples end in "_total" */
	const char *help;
	const char *field;
	const char *extra; /* one more label, or NULL */
	double scale;      /* 0: 1 */
};

#define CLIENT(...)  "client", client_labels, __VA_ARGS__
#define CHANNEL(...) "channel", channel_labels, __VA_ARGS__
#define CONTEXT(...) "counters", context_labels, __VA_ARGS__
#define PEER(...)    "peer", peer_labels, __VA_ARGS__

static const struct metric metrics[] = {
	{CLIENT("client_requests", "counter", "Requests to the daemon.", "n_requests", NULL, 0)},
	{CLIENT("client_blocked", "gauge", "1 if the client does not read its replies.", "blocked",
		NULL, 0)},
	{CLIENT("client_tasks_submitted", "counter", "Tasks submitted.", "n_submitted", NULL, 0)},
	{CLIENT("client_tasks_completed", "counter", "Tasks completed, failed ones included.",
		"n_completed", NULL, 0)},
	{CLIENT("client_tasks_failed", "counter", "Tasks that failed.", "n_errors", NULL, 0)},
	{CLIENT("client_tasks_in_flight", "gauge", "Tasks submitted and not completed.", "depth",
		NULL, 0)},
	{CLIENT("client_moved_bytes", "counter", "Bytes of successful tasks.", "moved_bytes", NULL,
		0)},
	{CLIENT("client_received_messages", "counter", "Messages received.", "n_received", NULL,
		0)},
	{CLIENT("client_received_bytes", "counter", "Bytes of messages received.", "received_bytes",
		NULL, 0)},
	{CLIENT("client_waits", "counter",
		"Submissions to a full queue, and waits for a sync event that was not there.",
		"n_waits", NULL, 0)},
	{CLIENT("client_progress_calls", "counter", "Calls that progressed an engine.", "n_busy",
		"result=\"busy\"", 0)},
	{CLIENT("client_progress_calls", "counter", "", "n_empty", "result=\"empty\"", 0)},
	{CLIENT("client_sleeps", "counter", "Notifications requested while idle.", "n_sleeps", NULL,
		0)},
	{CLIENT("client_objects", "gauge", "Objects of the client at the daemon.", "n_exports",
		"type=\"export\"", 0)},
	{CLIENT("client_objects", "gauge", "", "n_imports", "type=\"import\"", 0)},
	{CLIENT("client_objects", "gauge", "", "n_services", "type=\"service\"", 0)},
	{CLIENT("client_objects", "gauge", "", "n_channels", "type=\"channel\"", 0)},
	{CHANNEL("channel_messages", "counter", "Messages of the channel itself.", "n_sent",
		 "direction=\"sent\"", 0)},
	{CHANNEL("channel_messages", "counter", "", "n_received", "direction=\"received\"", 0)},
	{CHANNEL("channel_bytes", "counter", "Bytes of these messages.", "sent_bytes",
		 "direction=\"sent\"", 0)},
	{CHANNEL("channel_bytes", "counter", "", "received_bytes", "direction=\"received\"", 0)},
	{CHANNEL("channel_waits", "counter", "Sends that found the other end's queue full.",
		 "n_waits", NULL, 0)},
	{CHANNEL("channel_consumers", "gauge", "Consumers of the fast path.", "n_consumers",
		 "end=\"own\"", 0)},
	{CHANNEL("channel_consumers", "gauge", "", "n_peer_consumers", "end=\"peer\"", 0)},
	{CONTEXT("context_tasks_submitted", "counter", "Tasks submitted.", "n_submitted", NULL, 0)},
	{CONTEXT("context_tasks_completed", "counter", "Tasks completed, failed ones included.",
		 "n_completed", NULL, 0)},
	{CONTEXT("context_tasks_failed", "counter", "Tasks that failed.", "n_errors", NULL, 0)},
	{CONTEXT("context_tasks_in_flight", "gauge", "Tasks submitted and not completed.", "depth",
		 NULL, 0)},
	{CONTEXT("context_moved_bytes", "counter", "Bytes of successful tasks.", "moved_bytes",
		 NULL, 0)},
	{CONTEXT("context_received_messages", "counter", "Messages received.", "n_received", NULL,
		 0)},
	{CONTEXT("context_received_bytes", "counter", "Bytes of messages received.",
		 "received_bytes", NULL, 0)},
	{CONTEXT("context_waits", "counter",
		 "Submissions to a full queue, and waits for a sync event that was not there.",
		 "n_waits", NULL, 0)},
	{"service", service_labels, "service_channels", "gauge", "Channels of the service.",
	 "n_channels", NULL, 0},
	{PEER("peer_connected", "gauge", "1 if the other side's daemon is linked.", "connected",
	      NULL, 0)},
	{PEER("peer_links", "counter", "Links with this peer so far.", "n_links", NULL, 0)},
	{PEER("peer_round_trip_seconds", "gauge", "From ping to pong; 0 on one machine.", "rtt_ns",
	      NULL, 1e-9)},
};

static const char *const kinds[] = {"client", "channel", "counters", "service", "peer"};

/* What is printed: the state of the daemon, read list by list. */
struct picture {
	json_object *manager, *accounts;
	json_object *objects[ARRAY_LEN(kinds)];
};

static void picture_deinit(struct picture *picture)
{
	json_object_put(picture->manager);
	json_object_put(picture->accounts);
	for (size_t i = 0; i < ARRAY_LEN(kinds); i++)
		json_object_put(picture->objects[i]);
}

static int picture_read(struct bus_client *client, const struct bus_filter *filter,
			struct picture *picture)
{
	int r = bus_client_properties(client, &picture->manager);

	if (r == 0)
		r = bus_client_records(client, "account", NULL, &picture->accounts);
	for (size_t i = 0; r == 0 && i < ARRAY_LEN(kinds); i++)
		r = bus_client_records(client, kinds[i],
				       strcmp(kinds[i], "peer") == 0 ? NULL : filter,
				       &picture->objects[i]);
	return r;
}

static void text_print(FILE *f, const char *text)
{
	for (; *text != '\0'; text++) {
		if (*text == '\\' || *text == '"' || *text == '\n')
			fputc('\\', f);
		fputc(*text == '\n' ? 'n' : *text, f);
	}
}

static void label_print(FILE *f, const char *before, const char *name, const char *value)
{
	fprintf(f, "%s%s=\"", before, name);
	text_print(f, value);
	fputc('"', f);
}

static void labels_print(FILE *f, json_object *record, const struct label *labels)
{
	for (const struct label *label = labels; label->name != NULL; label++)
		label_print(f, label == labels ? "" : ",", label->name,
			    field_text(record, label->field));
}

static void family_print(FILE *f, const char *name, const char *type, const char *help)
{
	size_t len = strlen(name);
	bool has_unit = len > 8 && strcmp(name + len - 8, "_seconds") == 0;

	fprintf(f, "# TYPE dococore_%s %s\n", name, type);
	if (has_unit)
		fprintf(f, "# UNIT dococore_%s seconds\n", name);
	fprintf(f, "# HELP dococore_%s %s\n", name, help);
}

static uint64_t number_of(json_object *record, const char *field)
{
	json_object *value = json_object_object_get(record, field);

	if (json_object_is_type(value, json_type_boolean))
		return json_object_get_boolean(value);
	return json_object_get_uint64(value);
}

static void metric_print(FILE *f, const struct metric *metric, json_object *objects)
{
	const char *suffix = strcmp(metric->type, "counter") == 0 ? "_total" : "";

	for (size_t i = 0; i < json_object_array_length(objects); i++) {
		json_object *record = json_object_array_get_idx(objects, i);
		uint64_t n = number_of(record, metric->field);

		fprintf(f, "dococore_%s%s{", metric->name, suffix);
		labels_print(f, record, metric->labels);
		if (metric->extra != NULL)
			fprintf(f, ",%s", metric->extra);
		if (metric->scale != 0)
			fprintf(f, "} %.9g\n", (double)n * metric->scale);
		else
			fprintf(f, "} %" PRIu64 "\n", n);
	}
}

static void metrics_print(FILE *f, const struct picture *picture)
{
	for (size_t i = 0; i < ARRAY_LEN(metrics); i++) {
		const struct metric *metric = &metrics[i];
		size_t kind = 0;

		while (strcmp(kinds[kind], metric->kind) != 0)
			kind++;
		if (i == 0 || strcmp(metric->name, metrics[i - 1].name) != 0)
			family_print(f, metric->name, metric->type, metric->help);
		metric_print(f, metric, picture->objects[kind]);
	}
}

/* Returns how many of the timed tasks took less than the bound; bound 0: returns the number of
 * all. */
static uint64_t timed_below(json_object *record, uint64_t bound_ns)
{
	json_object *entries = json_object_object_get(record, "latency");
	uint64_t n = 0;

	for (size_t i = 0; i < field_count(record, "latency"); i++) {
		json_object *entry = json_object_array_get_idx(entries, i);
		uint64_t below_ns = field_number(entry, "below_ns");

		if (bound_ns == 0 || (below_ns != 0 && below_ns <= bound_ns))
			n += field_number(entry, "n");
	}
	return n;
}

static void bucket_print(FILE *f, json_object *record, const char *bound, uint64_t n)
{
	fputs("dococore_context_task_seconds_bucket{", f);
	labels_print(f, record, context_labels);
	label_print(f, ",", "le", bound);
	fprintf(f, "} %" PRIu64 "\n", n);
}

/* Contexts whose tasks were never timed, such as progress engines, have no durations. */
static void durations_print(FILE *f, json_object *contexts)
{
	family_print(f, "context_task_seconds", "histogram",
		     "Time of sampled tasks from submission to callback.");
	for (size_t i = 0; i < json_object_array_length(contexts); i++) {
		json_object *record = json_object_array_get_idx(contexts, i);
		uint64_t bound_ns = FIRST_BOUND_NS;

		if (field_number(record, "n_timed") == 0)
			continue;
		for (unsigned j = 0; j < N_BOUNDS; j++, bound_ns *= 2) {
			char bound[32];

			snprintf(bound, sizeof(bound), "%.9g", (double)bound_ns / NS_PER_SEC);
			bucket_print(f, record, bound, timed_below(record, bound_ns));
		}
		bucket_print(f, record, "+Inf", timed_below(record, 0));
	}
}

/* Prints the numbers of a dictionary, one sample for each entry. uid: NULL for all users
 * together. */
static void amounts_print(FILE *f, const char *family, const char *uid, json_object *amounts)
{
	json_object_object_foreach(amounts, resource, amount)
	{
		fprintf(f, "dococore_%s{", family);
		if (uid != NULL)
			label_print(f, "", "uid", uid);
		label_print(f, uid != NULL ? "," : "", "resource", resource);
		fprintf(f, "} %" PRIu64 "\n", json_object_get_uint64(amount));
	}
}

static void accounts_print(FILE *f, const struct picture *picture, const char *part,
			   const char *total_help, const char *account_help)
{
	json_object *total = json_object_object_get(picture->manager, "total");
	char family[64];

	snprintf(family, sizeof(family), "total_%s", part);
	family_print(f, family, "gauge", total_help);
	amounts_print(f, family, NULL, json_object_object_get(total, part));
	snprintf(family, sizeof(family), "account_%s", part);
	family_print(f, family, "gauge", account_help);
	for (size_t i = 0; i < json_object_array_length(picture->accounts); i++) {
		json_object *account = json_object_array_get_idx(picture->accounts, i);

		amounts_print(f, family, field_text(account, "uid"),
			      json_object_object_get(account, part));
	}
}

static void manager_print(FILE *f, const struct picture *picture)
{
	json_object *manager = picture->manager;

	family_print(f, "daemon", "info", "The daemon that reports these numbers.");
	fputs("dococore_daemon_info{", f);
	label_print(f, "", "side", field_text(manager, "side"));
	label_print(f, ",", "version", field_text(manager, "version"));
	label_print(f, ",", "daemon_id", field_text(manager, "daemon_id"));
	fputs("} 1\n", f);
	family_print(f, "daemon_start_time_seconds", "gauge", "When the daemon started.");
	fprintf(f, "dococore_daemon_start_time_seconds %.3f\n",
		(double)field_number(manager, "started_at_ns") / NS_PER_SEC);
	family_print(f, "objects", "gauge", "Objects of all clients at the daemon.");
	json_object_object_foreach(json_object_object_get(manager, "counts"), type, n)
	{
		fputs("dococore_objects{", f);
		label_print(f, "", "type", type);
		fprintf(f, "} %" PRIu64 "\n", json_object_get_uint64(n));
	}
	accounts_print(f, picture, "used", "What all users have together.", "What a user has.");
	accounts_print(f, picture, "limits", "What all users may have together.",
		       "What a user may have.");
}

int metrics_write(struct bus_client *client, const struct bus_filter *filter, FILE *f)
{
	CLEANUP(picture_deinit) struct picture picture = {.manager = NULL};
	int r = picture_read(client, filter, &picture);

	if (r < 0)
		return r;
	manager_print(f, &picture);
	metrics_print(f, &picture);
	durations_print(f, picture.objects[2]);
	fputs("# EOF\n", f);
	return 0;
}

int cmd_metrics(int argc, char **argv)
{
	CLEANUP_BUS_CLIENT struct bus_client *client = NULL;
	struct admin_options o = {0};
	int r = options_begin(argc, argv, OPTIONS_DAEMON | OPTIONS_FILTER | OPTIONS_LISTEN, usage,
			      0, &o, &client);

	if (r != 0)
		return r - 1;
	if (o.listen != NULL)
		return metrics_serve(&o);
	r = metrics_write(client, &o.filter, stdout);
	return r < 0 ? options_call_failed(client, r) : EXIT_SUCCESS;
}
