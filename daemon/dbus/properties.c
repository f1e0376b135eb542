/* See daemon/dbus/properties.h. */
#include "daemon/dbus/properties.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "daemon/comch/channel.h"
#include "daemon/comch/consumer.h"
#include "daemon/comch/service.h"
#include "daemon/base/daemon.h"
#include "daemon/device/device.h"
#include "daemon/config/config.h"
#include "daemon/config/arguments.h"
#include "daemon/topology/topology.h"
#include "daemon/memory/export.h"
#include "daemon/memory/import.h"
#include "daemon/peer/peer.h"
#include "daemon/session/counters.h"
#include "daemon/session/session.h"
#include "proto/shm_layout.h"
#include "proto/transport_default.h"
#include "util/descriptor.h"
#include "util/str.h"

void bus_fill_permissions(struct record *rec, uint32_t permissions)
{
	const char *name;
	unsigned at = 0;

	record_open_value(rec, "permissions", "as");
	while ((name = descriptor_permission_next(permissions, &at)) != NULL)
		record_item(rec, name);
	record_close_value(rec);
}

static const char *memory_name(Dococore__MemoryKind memory)
{
	return memory == DOCOCORE__MEMORY_KIND__MEMFD ? "memfd" : "private";
}

static void record_memory(struct record *rec, uint64_t addr, uint64_t len, uint32_t permissions,
			  Dococore__ExportKind kind, Dococore__MemoryKind memory)
{
	record_number(rec, "addr", addr);
	record_number(rec, "len", len);
	bus_fill_permissions(rec, permissions);
	record_text(rec, "kind", export_kind_name(kind));
	record_text(rec, "memory", memory_name(memory));
}

static void record_owner(struct record *rec, const struct session *session)
{
	record_number(rec, "client", session->id);
	record_number(rec, "pid", (uint64_t)session->pid);
	record_number(rec, "uid", session->uid);
	record_text(rec, "program", session->program);
}

static void caps_fill(struct record *rec, const struct caps *caps)
{
	record_bool(rec, "dma", caps->dma);
	record_number(rec, "dma_max_buf_size", caps->dma_max_buf_size);
	record_number(rec, "dma_max_list_len", caps->dma_max_list_len);
	record_number(rec, "dma_max_tasks", caps->dma_max_tasks);
	record_bool(rec, "export_pci", caps->export_pci);
	record_bool(rec, "import_pci", caps->import_pci);
	record_bool(rec, "export_rdma", caps->export_rdma);
	record_bool(rec, "comch_server", caps->comch_server);
	record_bool(rec, "comch_client", caps->comch_client);
	record_number(rec, "comch_max_name_len", caps->comch_max_name_len);
	record_number(rec, "comch_max_msg_size", caps->comch_max_msg_size);
	record_number(rec, "comch_max_recv_queue", caps->comch_max_recv_queue);
	record_number(rec, "comch_max_clients", caps->comch_max_clients);
	record_number(rec, "comch_max_send_tasks", caps->comch_max_send_tasks);
	record_bool(rec, "rep_filter_all", caps->rep_filter_all);
	record_bool(rec, "rep_filter_net", caps->rep_filter_net);
	record_bool(rec, "rep_filter_emulated", caps->rep_filter_emulated);
	record_bool(rec, "hotplug_manager", caps->hotplug_manager);
	record_bool(rec, "notification_moderation", caps->notification_moderation);
	record_number(rec, "max_devices_per_mmap", caps->max_devices_per_mmap);
	record_bool(rec, "sync_event", caps->sync_event);
	record_bool(rec, "sync_export_pci", caps->sync_export_pci);
	record_bool(rec, "sync_import_pci", caps->sync_import_pci);
	record_bool(rec, "sync_export_net", caps->sync_export_net);
	record_bool(rec, "sync_import_net", caps->sync_import_net);
	record_number(rec, "sync_max_tasks", caps->sync_max_tasks);
	record_bool(rec, "comch_producer", caps->comch_producer);
	record_bool(rec, "comch_consumer", caps->comch_consumer);
	record_number(rec, "comch_max_producers", caps->comch_max_producers);
	record_number(rec, "comch_max_consumers", caps->comch_max_consumers);
	record_number(rec, "comch_fast_max_tasks", caps->comch_fast_max_tasks);
	record_number(rec, "comch_fast_max_buf_size", caps->comch_fast_max_buf_size);
	record_number(rec, "comch_fast_max_list_len", caps->comch_fast_max_list_len);
	record_number(rec, "comch_max_imm_len", caps->comch_max_imm_len);
	record_number(rec, "sha_algorithms", caps->sha_algorithms);
	record_number(rec, "sha_partial_algorithms", caps->sha_partial_algorithms);
	record_number(rec, "sha_max_src_size", caps->sha_max_src_size);
	record_number(rec, "sha_max_list_len", caps->sha_max_list_len);
	record_number(rec, "sha_max_tasks", caps->sha_max_tasks);
	record_bool(rec, "mmap_advise", caps->mmap_advise);
	record_number(rec, "mmap_advise_max_buf_size", caps->mmap_advise_max_buf_size);
	record_bool(rec, "rdma", caps->rdma);
	record_number(rec, "rdma_max_send_queue", caps->rdma_max_send_queue);
	record_number(rec, "rdma_max_recv_queue", caps->rdma_max_recv_queue);
	record_number(rec, "rdma_max_sges", caps->rdma_max_sges);
	record_number(rec, "rdma_max_message", caps->rdma_max_message);
	record_number(rec, "rdma_max_qps", caps->rdma_max_qps);
	record_number(rec, "rdma_max_mtu", caps->rdma_max_mtu);
}

void bus_fill_device(struct record *rec, const void *object)
{
	const struct device *device = object;
	const struct device_spec *spec = device->spec;
	char text[INET6_ADDRSTRLEN];

	record_begin(rec);
	record_number(rec, "id", device->id);
	record_text(rec, "name", spec->name);
	record_text(rec, "pci_addr", spec->pci_addr);
	record_text(rec, "vuid", spec->vuid);
	record_text(rec, "func_type", func_type_name(spec->func_type));
	record_text(rec, "iface", spec->iface);
	record_text(rec, "ibdev", spec->ibdev);
	record_text(rec, "ipv4",
		    spec->has_ipv4 ? inet_ntop(AF_INET, spec->ipv4, text, sizeof(text)) : "");
	record_text(rec, "ipv6",
		    spec->has_ipv6 ? inet_ntop(AF_INET6, spec->ipv6, text, sizeof(text)) : "");
	snprintf(text, sizeof(text), "%02x:%02x:%02x:%02x:%02x:%02x", spec->mac[0], spec->mac[1],
		 spec->mac[2], spec->mac[3], spec->mac[4], spec->mac[5]);
	record_text(rec, "mac", spec->has_mac ? text : "");
	record_number(rec, "sf_index", spec->sf_index);
	record_number(rec, "vhca_id", spec->vhca_id);
	record_number(rec, "active_rate", spec->active_rate);
	record_bool(rec, "present", !device->is_gone);
	record_bool(rec, "bound", spec->is_bound);
	record_bool(rec, "found", spec->is_found);
	record_number(rec, "port_state", spec->port_state);
	record_number(rec, "mtu", spec->mtu);
	record_open_value(rec, "gids", "as");
	for (uint32_t i = 0; i < spec->n_gids; i++)
		record_item(rec, inet_ntop(AF_INET6, spec->gids[i], text, sizeof(text)));
	record_close_value(rec);
	record_number(rec, "n_open", device->n_handles);
	record_open_value(rec, "caps", "a{sv}");
	caps_fill(rec, &spec->caps);
	record_close_value(rec);
	record_end(rec);
}

void bus_fill_rep(struct record *rec, const void *object)
{
	const struct representor *rep = object;
	const struct rep_spec *spec = rep->spec;

	record_begin(rec);
	record_number(rec, "id", rep->id);
	record_text(rec, "name", spec->name);
	record_text(rec, "parent", rep->parent->spec->name);
	record_text(rec, "pci_addr", spec->pci_addr);
	record_text(rec, "vuid", spec->vuid);
	record_text(rec, "func_type", func_type_name(spec->func_type));
	record_text(rec, "iface", spec->iface);
	record_number(rec, "vhca_id", spec->vhca_id);
	record_bool(rec, "present", rep->present);
	record_bool(rec, "hotplug", spec->is_hotplug);
	record_bool(rec, "emulated", spec->is_emulated);
	record_number(rec, "n_open", rep->n_handles);
	record_end(rec);
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

void bus_fill_client(struct record *rec, const void *object)
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
	record_open_value(rec, "open", "as");
	list_for_each(handle, &session->objects[SESSION_HANDLES], in_session.link) record_item(
		rec, handle->device ? handle->device->spec->name : handle->rep->spec->name);
	record_close_value(rec);
	client_counters_fill(rec, (struct session *)(uintptr_t)session);
	record_end(rec);
}

static void choice_fill(struct record *rec, const struct transport_choice *choice)
{
	record_text(rec, "transport", choice ? choice->transport : "");
	record_open_value(rec, "rejected", "as");
	for (size_t i = 0; choice && i < choice->n_rejected; i++)
		record_item(rec, choice->rejected[i]);
	record_close_value(rec);
}

/* Adds the default transport of an importer that has reported none. */
static void expected_fill(struct record *rec, bool same_process, Dococore__MemoryKind memory,
			  pid_t exporter_pid)
{
	struct transport_default expected;

	transport_default_explain(same_process, memory == DOCOCORE__MEMORY_KIND__MEMFD,
				  (int)exporter_pid, &expected);
	record_text(rec, "transport", expected.name);
	record_open_value(rec, "rejected", "as");
	for (size_t i = 0; i < expected.n_rejected; i++)
		record_item(rec, expected.rejected[i]);
	record_close_value(rec);
}

static void import_choice_fill(struct record *rec, const struct import *import)
{
	if (*import->choice.transport || !import->knows_transport)
		choice_fill(rec, &import->choice);
	else
		expected_fill(rec, import->same_process, import->memory, import->exporter_pid);
}

static void grant_choice_fill(struct record *rec, const struct grant *grant)
{
	const struct export *export = grant->export;

	if (grant->choice || !peer_passes_fds(grant->peer) ||
	    !export_kind_has_transport(export->kind))
		choice_fill(rec, grant->choice);
	else
		expected_fill(rec, false, export_memory_for(export, grant->importer_uid),
			      export->session->pid);
}

static void export_facts_fill(struct record *rec, const struct export *export)
{
	const struct import *import;
	const struct grant *grant;

	record_number(rec, "id", export->node.id);
	record_owner(rec, export->session);
	record_text(rec, "device", export->device->spec->name);
	record_memory(rec, export->addr, export->len, export->permissions, export->kind,
		      export->memory);
	record_text(rec, "memory_reason", export->memory_reason);
	record_number(rec, "created_at_ns", export->created_at_ns);
	record_open_value(rec, "importers", "aa{sv}");
	list_for_each(import, &export->imports, export_link)
	{
		record_begin(rec);
		record_text(rec, "side", side_name(export->daemon->options->side));
		record_number(rec, "import_id", import->node.id);
		record_number(rec, "pid", (uint64_t)import->session->pid);
		record_number(rec, "uid", import->session->uid);
		import_choice_fill(rec, import);
		record_end(rec);
	}
	list_for_each(grant, &export->grants, export_link)
	{
		record_begin(rec);
		record_text(rec, "side", side_name(grant->peer->side));
		record_number(rec, "import_id", grant->import_id);
		record_number(rec, "pid", (uint64_t)grant->importer_pid);
		record_number(rec, "uid", grant->importer_uid);
		grant_choice_fill(rec, grant);
		record_end(rec);
	}
	record_close_value(rec);
}

void bus_fill_export(struct record *rec, const void *object)
{
	record_begin(rec);
	export_facts_fill(rec, object);
	record_end(rec);
}

void bus_fill_import(struct record *rec, const void *object)
{
	const struct import *import = object;
	record_begin(rec);
	record_number(rec, "id", import->node.id);
	record_owner(rec, import->session);
	record_text(rec, "device", import->device->spec->name);
	record_text(rec, "state", import_state_name(import->state));
	record_text(rec, "exporter_side", side_name(import->exporter_side));
	record_number(rec, "export_id", import->export_id);
	record_number(rec, "exporter_pid", (uint64_t)import->exporter_pid);
	record_number(rec, "exporter_uid", import->exporter_uid);
	record_text(rec, "exporter_device", import->exporter_device);
	record_memory(rec, import->addr, import->len, import->permissions, import->kind,
		      import->memory);
	record_bool(rec, "same_process", import->same_process);
	record_number(rec, "created_at_ns", import->created_at_ns);
	import_choice_fill(rec, import);
	record_end(rec);
}

void bus_fill_service(struct record *rec, const void *object)
{
	const struct service *service = object;
	record_begin(rec);
	record_number(rec, "id", service->node.id);
	record_text(rec, "name", service->name);
	record_owner(rec, service->session);
	record_text(rec, "device", service->device->spec->name);
	record_text(rec, "representor", service->rep->spec->name);
	record_number(rec, "n_channels", service->n_channels);
	record_number(rec, "max_msg_size", service->max_msg_size);
	record_number(rec, "recv_queue_size", service->recv_queue_size);
	record_number(rec, "created_at_ns", service->created_at_ns);
	record_end(rec);
}

static void consumers_fill(struct record *rec, const struct list *consumers)
{
	const struct consumer *consumer;

	list_for_each(consumer, consumers, link)
	{
		record_begin(rec);
		record_number(rec, "id", consumer->spec.id);
		record_text(rec, "end", consumer->is_own ? "own" : "peer");
		record_text(rec, "state", consumer_state_name(consumer->state));
		record_number(rec, "n_slots", consumer->spec.n_slots);
		record_number(rec, "max_buf_size", consumer->spec.max_buf_size);
		record_number(rec, "max_imm_len", consumer->spec.max_imm_len);
		record_text(rec, "memory", memory_name(consumer->spec.memory));
		record_bool(rec, "peer_writes", consumer->spec.peer_writes);
		record_end(rec);
	}
}

/*
 * Adds counts of messages in the channel's rings; producers and consumers have their own counters.
 */
static void channel_counters_fill(struct record *rec, const struct channel *channel)
{
	struct counters_object *object = counters_find_channel(channel);
	struct counters_copy copy = {.kind = COUNTERS_FREE};

	if (object)
		counters_read(object, &copy);
	record_bool(rec, "counted", object != NULL);
	record_number(rec, "n_sent", copy.n.submitted);
	record_number(rec, "sent_bytes", copy.n.bytes);
	record_number(rec, "n_received", copy.n.received);
	record_number(rec, "received_bytes", copy.n.received_bytes);
	record_number(rec, "n_waits", copy.n.waits);
}

void bus_fill_channel(struct record *rec, const void *object)
{
	const struct channel *channel = object;
	record_begin(rec);
	record_number(rec, "id", channel->node.id);
	record_text(rec, "role", channel->is_server ? "server" : "client");
	record_text(rec, "service", channel->name);
	record_text(rec, "state", channel_state_name(channel->state));
	record_owner(rec, channel->session);
	record_text(rec, "device", channel->device->spec->name);
	record_text(rec, "representor", channel->service ? channel->service->rep->spec->name : "");
	record_text(rec, "transport", channel_transport_name(channel));
	record_number(rec, "peer_pid", (uint64_t)channel->peer_pid);
	record_number(rec, "peer_uid", channel->peer_uid);
	record_bool(rec, "peer_linked", channel->peer != NULL);
	record_number(rec, "peer_channel_id", channel->peer_channel_id);
	record_number(rec, "max_msg_size", channel->max_msg_size);
	record_number(rec, "recv_queue_size", channel->recv_queue_size);
	record_number(rec, "peer_recv_queue_size", channel->peer_recv_queue_size);
	record_number(rec, "ring_len", channel->ring_len);
	record_number(rec, "n_consumers", channel->n_consumers);
	record_number(rec, "n_peer_consumers", channel->n_peer_consumers);
	record_open_value(rec, "consumers", "aa{sv}");
	consumers_fill(rec, &channel->consumers);
	consumers_fill(rec, &channel->peer_consumers);
	record_close_value(rec);
	record_number(rec, "created_at_ns", channel->created_at_ns);
	channel_counters_fill(rec, channel);
	record_end(rec);
}

void bus_fill_peer(struct record *rec, const void *object)
{
	const struct peer *peer = object;
	bool linked = peer->state == PEER_LINKED;
	char id[2 * PEER_DAEMON_ID_LEN + 1];

	str_hex(peer->daemon_id, PEER_DAEMON_ID_LEN, id);
	record_begin(rec);
	record_number(rec, "id", peer->id);
	record_text(rec, "name", peer->name);
	record_text(rec, "path", peer->path);
	record_text(rec, "kind", peer->is_tls ? "tls" : "unix");
	record_text(rec, "address", peer->address);
	record_text(rec, "subject", peer->subject);
	record_text(rec, "state", peer_state_name(peer->state));
	record_text(rec, "reason", peer->reason);
	record_bool(rec, "connected", linked);
	record_bool(rec, "same_kernel", linked && peer->same_kernel);
	record_number(rec, "rtt_ns", peer->alive.rtt_ns);
	record_text(rec, "side", linked ? side_name(peer->side) : "");
	record_number(rec, "pid", linked ? (uint64_t)peer->pid : 0);
	record_number(rec, "uid", linked ? peer->uid : 0);
	record_text(rec, "daemon_id", linked ? id : "");
	record_text(rec, "version", linked ? peer->version : "");
	record_number(rec, "linked_at_ns", linked ? peer->linked_at_ns : 0);
	record_number(rec, "n_links", peer->n_links);
	record_number(rec, "n_functions", peer->n_functions);
	record_end(rec);
}

static void counts_fill(struct record *rec, const char *key, const uint64_t counts[CHARGE_N])
{
	record_open_value(rec, key, "a{sv}");
	for (int kind = 0; kind < CHARGE_N; kind++)
		record_number(rec, charge_kind_name((enum charge_kind)kind), counts[kind]);
	record_close_value(rec);
}

static void latency_fill(struct record *rec, const uint64_t latency[COUNTERS_N_BUCKETS])
{
	uint64_t n = 0;

	record_open_value(rec, "latency", "aa{sv}");
	for (unsigned i = 0; i < COUNTERS_N_BUCKETS; i++) {
		if (latency[i] == 0)
			continue;
		n += latency[i];
		record_begin(rec);
		record_number(rec, "below_ns",
			      i + 1 < COUNTERS_N_BUCKETS ? counters_bucket_ns(i) : 0);
		record_number(rec, "n", latency[i]);
		record_end(rec);
	}
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

void bus_fill_counters(struct record *rec, const void *object)
{
	struct counters_object *at = (struct counters_object *)(uintptr_t)object;
	struct counters_copy copy;

	counters_read(at, &copy);
	record_begin(rec);
	record_number(rec, "id", counters_id(at->session, at->slot));
	record_owner(rec, at->session);
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

void bus_fill_account(struct record *rec, const void *object)
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

void bus_fill_total(struct record *rec, const struct daemon *daemon)
{
	record_open_value(rec, "total", "a{sv}");
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

void bus_fill_policy(struct record *rec, const struct daemon *daemon)
{
	const struct policy *policy = &daemon->config->policy;

	record_open_value(rec, "policy", "aa{sv}");
	for (size_t i = 0; i < policy->n_rules; i++)
		rule_fill(rec, &policy->rules[i]);
	rule_fill(rec, &policy->others);
	record_close_value(rec);
}

/* Adds counter and sleepers of a sync event, as the clients last wrote them. */
static void sync_state_fill(struct record *rec, const struct export *export)
{
	uint64_t value = 0;
	uint32_t sleepers = 0;

	if (export->memfd < 0 || pread(export->memfd, &value, sizeof(value),
				       (off_t) export->memfd_offset) != sizeof(value))
		value = 0;
	if (export->words_fd < 0 ||
	    pread(export->words_fd, &sleepers, sizeof(sleepers),
		  offsetof(struct sync_words, sleepers)) != sizeof(sleepers))
		sleepers = 0;
	record_number(rec, "value", value);
	record_bool(rec, "awaited", sleepers != 0);
}

void bus_fill_event(struct record *rec, const void *object)
{
	const struct export *export = object;

	record_begin(rec);
	export_facts_fill(rec, export);
	sync_state_fill(rec, export);
	record_end(rec);
}
