/* Clients, and the counters that they share, for operators. */
#include "daemon/dbus/noun.h"

#include "daemon/base/daemon.h"
#include "daemon/device/device.h"
#include "daemon/session/counters.h"
#include "daemon/session/session.h"
#include "daemon/topology/topology.h"

static const struct list *client_list(const struct daemon *daemon)
{
	return &daemon->sessions->list;
}

static void client_counters_fill(struct record *rec, struct session *session)
{
	struct counted sum;

	record_bool(rec, "counted", counters_sum(session, &sum));
	record_number(rec, "n_submitted", sum.submitted);
	record_number(rec, "n_completed", sum.completed);
	record_number(rec, "n_errors", sum.errors);
	record_number(rec, "n_waits", sum.waits);
	record_number(rec, "depth", counted_depth(&sum));
	record_number(rec, "moved_bytes", sum.bytes);
	record_number(rec, "n_received", sum.received);
	record_number(rec, "received_bytes", sum.received_bytes);
	record_number(rec, "n_busy", sum.busy);
	record_number(rec, "n_empty", sum.empty);
	record_number(rec, "n_sleeps", sum.sleeps);
	record_number(rec, "n_wakes", sum.wakes);
}

static void client_fill(struct record *rec, const void *object)
{
	const struct session *session = object;
	const struct handle *handle;

	record_begin(rec);
	record_number(rec, "id", session->id);
	record_number(rec, "pid", (uint64_t)session->pid);
	record_number(rec, "uid", session->uid);
	record_number(rec, "gid", session->gid);
	record_text(rec, "program", session->program);
	record_text(rec, "library", session->library);
	record_number(rec, "created_at_ns", session->created_at_ns);
	record_number(rec, "n_requests", session->n_requests);
	record_bool(rec, "blocked", session->blocked);
	record_number(rec, "n_handles", session->n_handles);
	record_number(rec, "n_exports", session->n_exports);
	record_number(rec, "n_imports", session->n_imports);
	record_number(rec, "n_services", session->n_services);
	record_number(rec, "n_channels", session->n_channels);
	if (record_open_value(rec, "open", "as")) {
		list_for_each(handle, &session->objects[SESSION_HANDLES], in_session.link)
			record_item(rec, handle->device ? handle->device->spec->name
							: handle->rep->spec->name);
		record_close_value(rec);
	}
	if (record_wants(rec, 13))
		client_counters_fill(rec, (struct session *)(uintptr_t)session);
	record_end(rec);
}

static int on_drop(sd_bus_message *m, void *user, sd_bus_error *error)
{
	const struct bus_target *target = user;

	(void)error;
	session_kill((struct session *)(uintptr_t)target->object,
		     "uid %u dropped it as administrator", (unsigned)target->tree->caller->uid);
	return bus_noun_done(m);
}

static const sd_bus_vtable client_vtable[] = {
	SD_BUS_VTABLE_START(0),     FIXED("Id", "t"),          FIXED("Pid", "t"),
	FIXED("Uid", "t"),          FIXED("Gid", "t"),         FIXED("Program", "s"),
	FIXED("Library", "s"),      FIXED("CreatedAtNs", "t"), FACT("NRequests", "t"),
	FACT("Blocked", "b"),       FACT("NHandles", "t"),     FACT("NExports", "t"),
	FACT("NImports", "t"),      FACT("NServices", "t"),    FACT("NChannels", "t"),
	FACT("Open", "as"),         FACT("Counted", "b"),      FACT("NSubmitted", "t"),
	FACT("NCompleted", "t"),    FACT("NErrors", "t"),      FACT("NWaits", "t"),
	FACT("Depth", "t"),         FACT("MovedBytes", "t"),   FACT("NReceived", "t"),
	FACT("ReceivedBytes", "t"), FACT("NBusy", "t"),        FACT("NEmpty", "t"),
	FACT("NSleeps", "t"),       FACT("NWakes", "t"),       METHOD("Drop", on_drop),
	SD_BUS_VTABLE_END,
};

const struct bus_noun bus_client = {
	.name = "client",
	.folder = "clients",
	.interface = "org.dococore.Client",
	.vtable = client_vtable,
	.list_of = client_list,
	.link = offsetof(struct session, link),
	.order = offsetof(struct session, id),
	.fill = client_fill,
};

static const void *counters_next_place(const struct daemon *daemon, const void *at)
{
	return counters_next(daemon, (struct counters_object *)(uintptr_t)at);
}

static const void *counters_find_place(const struct daemon *daemon, uint64_t id)
{
	return counters_find(daemon, id);
}

/* The id of a place contains that of its client, so the clients are walked instead of the
 * places. */
static const void *counters_upto_place(const struct daemon *daemon, uint64_t order)
{
	return counters_upto(daemon, order);
}

static void latency_fill(struct record *rec, const uint64_t latency[COUNTERS_N_BUCKETS])
{
	uint64_t n = 0;
	bool is_open = record_open_value(rec, "latency", "aa{sv}");

	for (unsigned i = 0; i < COUNTERS_N_BUCKETS; i++) {
		n += latency[i];
		if (!is_open || latency[i] == 0)
			continue;
		record_begin(rec);
		record_number(rec, "below_ns",
			      i + 1 < COUNTERS_N_BUCKETS ? counters_bucket_ns(i) : 0);
		record_number(rec, "n", latency[i]);
		record_end(rec);
	}
	if (is_open)
		record_close_value(rec);
	record_number(rec, "n_timed", n);
	record_number(rec, "latency_p50_ns", counters_percentile(latency, 50));
	record_number(rec, "latency_p99_ns", counters_percentile(latency, 99));
}

static const char *counters_state_name(const struct counters_copy *copy)
{
	static const char *const names[] = {"idle", "starting", "running", "stopping"};

	if (copy->kind == COUNTERS_PE || copy->kind == COUNTERS_CHANNEL ||
	    copy->state >= ARRAY_LEN(names))
		return "";
	return names[copy->state];
}

static void counters_fill(struct record *rec, const void *object)
{
	struct counters_object *at = (struct counters_object *)(uintptr_t)object;
	struct counters_copy copy;

	counters_read(at, &copy);
	record_begin(rec);
	record_number(rec, "id", counters_id(at->session, at->slot));
	bus_fill_owner(rec, at->session);
	record_text(rec, "kind", counters_kind_name(copy.kind));
	record_number(rec, "serial", copy.serial);
	record_text(rec, "device", counters_device(at));
	record_text(rec, "state", counters_state_name(&copy));
	record_number(rec, "pe", copy.pe ? counters_id(at->session, copy.pe) : 0);
	record_number(rec, "object", copy.object);
	record_number(rec, "number", copy.number);
	record_number(rec, "n_submitted", copy.n.submitted);
	record_number(rec, "n_completed", copy.n.completed);
	record_number(rec, "n_errors", copy.n.errors);
	record_number(rec, "n_waits", copy.n.waits);
	record_number(rec, "depth", copy.kind == COUNTERS_CHANNEL ? 0 : counted_depth(&copy.n));
	record_number(rec, "max_depth", copy.n.max_depth);
	record_number(rec, "moved_bytes", copy.n.bytes);
	record_number(rec, "n_received", copy.n.received);
	record_number(rec, "received_bytes", copy.n.received_bytes);
	record_number(rec, "n_busy", copy.n.busy);
	record_number(rec, "n_empty", copy.n.empty);
	record_number(rec, "n_sleeps", copy.n.sleeps);
	record_number(rec, "n_wakes", copy.n.wakes);
	latency_fill(rec, copy.latency);
	record_end(rec);
}

static const sd_bus_vtable counters_vtable[] = {
	SD_BUS_VTABLE_START(0),     FIXED("Id", "t"),          OWNER_FACTS,
	FACT("Kind", "s"),          FACT("Serial", "t"),       FACT("Device", "s"),
	FACT("State", "s"),         FACT("Pe", "t"),           FACT("Object", "t"),
	FACT("Number", "t"),        FACT("NSubmitted", "t"),   FACT("NCompleted", "t"),
	FACT("NErrors", "t"),       FACT("NWaits", "t"),       FACT("Depth", "t"),
	FACT("MaxDepth", "t"),      FACT("MovedBytes", "t"),   FACT("NReceived", "t"),
	FACT("ReceivedBytes", "t"), FACT("NBusy", "t"),        FACT("NEmpty", "t"),
	FACT("NSleeps", "t"),       FACT("NWakes", "t"),       FACT("Latency", "aa{sv}"),
	FACT("NTimed", "t"),        FACT("LatencyP50Ns", "t"), FACT("LatencyP99Ns", "t"),
	SD_BUS_VTABLE_END,
};

const struct bus_noun bus_counters = {
	.name = "counters",
	.folder = "counters",
	.interface = "org.dococore.Counters",
	.vtable = counters_vtable,
	.next = counters_next_place,
	.find = counters_find_place,
	.upto = counters_upto_place,
	.fill = counters_fill,
};
