/*
 * The D-Bus face of the daemon's objects: one function per object fills a record, an array of
 * dictionaries a{sv}, and the method table says which lists are made of them. Whole numbers are 't'
 * whatever their C type, so that a reader needs to know one. Text that came from a client may hold
 * any bytes, while D-Bus demands UTF-8: everything outside printable ASCII is shown as '?'. Runs in
 * the daemon's loop; keeps nothing.
 */
#include "daemon/bus_view.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "daemon/channel.h"
#include "daemon/consumer.h"
#include "daemon/daemon.h"
#include "daemon/export.h"
#include "daemon/import.h"
#include "daemon/peer_link.h"
#include "daemon/service.h"
#include "daemon/session.h"
#include "util/str.h"

#define ERROR_NOT_FOUND "org.dococore.Error.NotFound"

/* A dictionary on its way into a message; the first error sticks. */
struct record {
	sd_bus_message *m;
	int r;
};

static void record_begin(struct record *rec)
{
	if (rec->r >= 0)
		rec->r = sd_bus_message_open_container(rec->m, 'a', "{sv}");
}

static void record_end(struct record *rec)
{
	if (rec->r >= 0)
		rec->r = sd_bus_message_close_container(rec->m);
}

static void clean_copy(char *dst, size_t dst_len, const char *src)
{
	size_t i;

	for (i = 0; src[i] && i + 1 < dst_len; i++)
		dst[i] = src[i] >= 0x20 && src[i] < 0x7f ? src[i] : '?';
	dst[i] = '\0';
}

static void record_text(struct record *rec, const char *key, const char *value)
{
	char clean[4096];

	clean_copy(clean, sizeof(clean), value);
	if (rec->r >= 0)
		rec->r = sd_bus_message_append(rec->m, "{sv}", key, "s", clean);
}

static void record_number(struct record *rec, const char *key, uint64_t value)
{
	if (rec->r >= 0)
		rec->r = sd_bus_message_append(rec->m, "{sv}", key, "t", value);
}

static void record_bool(struct record *rec, const char *key, bool value)
{
	if (rec->r >= 0)
		rec->r = sd_bus_message_append(rec->m, "{sv}", key, "b", (int)value);
}

/* Opens a value of the given type under key; record_close_value ends it. */
static void record_open_value(struct record *rec, const char *key, const char *type)
{
	if (rec->r >= 0)
		rec->r = sd_bus_message_open_container(rec->m, 'e', "sv");
	if (rec->r >= 0)
		rec->r = sd_bus_message_append_basic(rec->m, 's', key);
	if (rec->r >= 0)
		rec->r = sd_bus_message_open_container(rec->m, 'v', type);
	if (rec->r >= 0)
		rec->r = sd_bus_message_open_container(rec->m, 'a', type + 1);
}

static void record_close_value(struct record *rec)
{
	for (int i = 0; i < 3 && rec->r >= 0; i++)
		rec->r = sd_bus_message_close_container(rec->m);
}

/* An element of a value of type "as". */
static void record_item(struct record *rec, const char *text)
{
	char clean[256];

	clean_copy(clean, sizeof(clean), text);
	if (rec->r >= 0)
		rec->r = sd_bus_message_append_basic(rec->m, 's', clean);
}

static void record_permissions(struct record *rec, uint32_t permissions)
{
	static const struct {
		uint32_t bit;
		const char *name;
	} bits[] = {
		{1, "local-read-write"},
		{ACCESS_RDMA_READ, "rdma-read"},
		{ACCESS_RDMA_WRITE, "rdma-write"},
		{ACCESS_RDMA_ATOMIC, "rdma-atomic"},
		{ACCESS_PCI_READ_ONLY, "pci-read-only"},
		{ACCESS_PCI_READ_WRITE, "pci-read-write"},
		{64, "pci-relaxed-ordering"},
	};

	record_open_value(rec, "permissions", "as");
	if (!(permissions & 1))
		record_item(rec, "local-read-only");
	for (size_t i = 0; i < ARRAY_LEN(bits); i++)
		if (permissions & bits[i].bit)
			record_item(rec, bits[i].name);
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
	record_permissions(rec, permissions);
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

static void device_fill(struct record *rec, const struct device *device)
{
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
	record_number(rec, "n_open", device->n_handles);
	record_open_value(rec, "caps", "a{sv}");
	caps_fill(rec, &spec->caps);
	record_close_value(rec);
	record_end(rec);
}

static void rep_fill(struct record *rec, const struct representor *rep)
{
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

static void client_fill(struct record *rec, const struct session *session)
{
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
	list_for_each(handle, &session->handle_list, link) record_item(
		rec, handle->device ? handle->device->spec->name : handle->rep->spec->name);
	record_close_value(rec);
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

static void export_fill(struct record *rec, const struct export *export)
{
	const struct import *import;
	const struct grant *grant;

	record_begin(rec);
	record_number(rec, "id", export->node.id);
	record_owner(rec, export->session);
	record_text(rec, "device", export->device->spec->name);
	record_memory(rec, export->addr, export->len, export->permissions, export->kind,
		      export->memory);
	record_number(rec, "created_at_ns", export->created_at_ns);
	record_open_value(rec, "importers", "aa{sv}");
	list_for_each(import, &export->imports, export_link)
	{
		record_begin(rec);
		record_text(rec, "side", side_name(export->daemon->options.side));
		record_number(rec, "import_id", import->node.id);
		record_number(rec, "pid", (uint64_t)import->session->pid);
		record_number(rec, "uid", import->session->uid);
		choice_fill(rec, &import->choice);
		record_end(rec);
	}
	list_for_each(grant, &export->grants, export_link)
	{
		record_begin(rec);
		record_text(rec, "side", side_name(grant->peer->side));
		record_number(rec, "import_id", grant->import_id);
		record_number(rec, "pid", (uint64_t)grant->importer_pid);
		record_number(rec, "uid", grant->importer_uid);
		choice_fill(rec, grant->choice);
		record_end(rec);
	}
	record_close_value(rec);
	record_end(rec);
}

static void import_fill(struct record *rec, const struct import *import)
{
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
	choice_fill(rec, &import->choice);
	record_end(rec);
}

static void service_fill(struct record *rec, const struct service *service)
{
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

static void channel_fill(struct record *rec, const struct channel *channel)
{
	record_begin(rec);
	record_number(rec, "id", channel->node.id);
	record_text(rec, "role", channel->is_server ? "server" : "client");
	record_text(rec, "service", channel->name);
	record_text(rec, "state", channel_state_name(channel->state));
	record_owner(rec, channel->session);
	record_text(rec, "device", channel->device->spec->name);
	record_text(rec, "representor", channel->service ? channel->service->rep->spec->name : "");
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
	record_end(rec);
}

static void peer_fill(struct record *rec, const struct peer *peer)
{
	bool linked = peer->state == PEER_LINKED;
	char id[2 * PEER_DAEMON_ID_LEN + 1];

	str_hex(peer->daemon_id, PEER_DAEMON_ID_LEN, id);
	record_begin(rec);
	record_text(rec, "name", peer->name);
	record_text(rec, "path", peer->path);
	record_text(rec, "state", peer_state_name(peer->state));
	record_bool(rec, "connected", linked);
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

static void account_fill(struct record *rec, const struct account *account)
{
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

static void rule_fill(struct record *rec, const struct policy_rule *rule)
{
	record_begin(rec);
	record_text(rec, "device", rule->device);
	record_text(rec, "who", rule->text);
	record_number(rec, "line", (uint64_t)rule->line);
	record_end(rec);
}

/* Which objects go into an answer: all, or the one of an id. */
struct query {
	struct record rec;
	bool all;
	uint64_t id;
	unsigned n_found;
};

static bool query_wants(struct query *q, uint64_t id)
{
	if (!q->all && (q->n_found || q->id != id))
		return false;
	q->n_found++;
	return true;
}

static void query_devices(const struct daemon *daemon, struct query *q)
{
	for (size_t i = 0; i < daemon->registry.n_devices; i++)
		if (query_wants(q, daemon->registry.devices[i].id))
			device_fill(&q->rec, &daemon->registry.devices[i]);
}

static void query_reps(const struct daemon *daemon, struct query *q)
{
	for (size_t i = 0; i < daemon->registry.n_reps; i++)
		if (query_wants(q, daemon->registry.reps[i].id))
			rep_fill(&q->rec, &daemon->registry.reps[i]);
}

static void query_clients(const struct daemon *daemon, struct query *q)
{
	const struct session *session;

	list_for_each(session, &daemon->sessions, link) if (query_wants(q, session->id))
		client_fill(&q->rec, session);
}

static void query_exports(const struct daemon *daemon, struct query *q)
{
	const struct export *export;

	list_for_each(export, &daemon->exports, link) if (query_wants(q, export->node.id))
		export_fill(&q->rec, export);
}

static void query_imports(const struct daemon *daemon, struct query *q)
{
	const struct import *import;

	list_for_each(import, &daemon->imports, link) if (query_wants(q, import->node.id))
		import_fill(&q->rec, import);
}

static void query_services(const struct daemon *daemon, struct query *q)
{
	const struct service *service;

	list_for_each(service, &daemon->services, link) if (query_wants(q, service->node.id))
		service_fill(&q->rec, service);
}

static void query_channels(const struct daemon *daemon, struct query *q)
{
	const struct channel *channel;

	list_for_each(channel, &daemon->channels, link) if (query_wants(q, channel->node.id))
		channel_fill(&q->rec, channel);
}

static void query_accounts(const struct daemon *daemon, struct query *q)
{
	const struct account *account;

	list_for_each(account, &daemon->accounts.list, link) if (query_wants(q, account->uid))
		account_fill(&q->rec, account);
}

/* Both methods of a noun. */
static const struct noun {
	const char *list, *get;
	void (*query)(const struct daemon *daemon, struct query *q);
} nouns[] = {
	{"ListDevices", "GetDevice", query_devices},
	{"ListRepresentors", "GetRepresentor", query_reps},
	{"ListClients", "GetClient", query_clients},
	{"ListExports", "GetExport", query_exports},
	{"ListImports", "GetImport", query_imports},
	{"ListServices", "GetService", query_services},
	{"ListChannels", "GetChannel", query_channels},
	{"ListAccounts", "GetAccount", query_accounts},
};

static const struct noun *noun_find(sd_bus_message *m)
{
	const char *member = sd_bus_message_get_member(m);

	for (size_t i = 0; member && i < ARRAY_LEN(nouns); i++)
		if (strcmp(member, nouns[i].list) == 0 || strcmp(member, nouns[i].get) == 0)
			return &nouns[i];
	return NULL;
}

static int method_list(sd_bus_message *m, void *user, sd_bus_error *error)
{
	const struct noun *noun = noun_find(m);
	struct query q = {.all = true};
	sd_bus_message *reply;
	int r;

	(void)error;
	if (!noun)
		return -EBADRQC;
	r = sd_bus_message_new_method_return(m, &reply);
	if (r < 0)
		return r;
	q.rec.m = reply;
	q.rec.r = sd_bus_message_open_container(reply, 'a', "a{sv}");
	noun->query(user, &q);
	record_end(&q.rec);
	r = q.rec.r < 0 ? q.rec.r : sd_bus_send(NULL, reply, NULL);
	sd_bus_message_unref(reply);
	return r < 0 ? r : 1;
}

static int method_get(sd_bus_message *m, void *user, sd_bus_error *error)
{
	const struct noun *noun = noun_find(m);
	struct query q = {.all = false};
	sd_bus_message *reply;
	int r;

	if (!noun)
		return -EBADRQC;
	r = sd_bus_message_read(m, "t", &q.id);
	if (r < 0)
		return r;
	r = sd_bus_message_new_method_return(m, &reply);
	if (r < 0)
		return r;
	q.rec.m = reply;
	noun->query(user, &q);
	if (!q.n_found)
		r = sd_bus_error_setf(error, ERROR_NOT_FOUND, "there is none with id %llu",
				      (unsigned long long)q.id);
	else
		r = q.rec.r < 0 ? q.rec.r : sd_bus_send(NULL, reply, NULL);
	sd_bus_message_unref(reply);
	return r < 0 ? r : 1;
}

static int property_text(sd_bus *connection, const char *path, const char *interface,
			 const char *property, sd_bus_message *reply, void *user,
			 sd_bus_error *error)
{
	const struct daemon *daemon = user;
	char id[2 * sizeof(daemon->daemon_id) + 1], text[160];
	const char *value = "";

	(void)connection;
	(void)path;
	(void)interface;
	(void)error;
	if (strcmp(property, "Side") == 0) {
		value = side_name(daemon->options.side);
	} else if (strcmp(property, "Version") == 0) {
		value = PACKAGE_VERSION;
	} else if (strcmp(property, "DaemonId") == 0) {
		str_hex(daemon->daemon_id, sizeof(daemon->daemon_id), id);
		value = id;
	} else if (strcmp(property, "Profile") == 0) {
		value = daemon->config->profile->name;
	} else if (strcmp(property, "Status") == 0) {
		snprintf(text, sizeof(text),
			 "%s: %u clients, %u exports, %u imports, %u services, %u channels",
			 daemon->stopping ? "stopping" : "running", daemon->n_sessions,
			 daemon->n_exports, daemon->n_imports, daemon->n_services,
			 daemon->n_channels);
		value = text;
	}
	return sd_bus_message_append_basic(reply, 's', value);
}

static int property_peers(sd_bus *connection, const char *path, const char *interface,
			  const char *property, sd_bus_message *reply, void *user,
			  sd_bus_error *error)
{
	const struct daemon *daemon = user;
	const struct peer *peer;
	struct record rec = {.m = reply};

	(void)connection;
	(void)path;
	(void)interface;
	(void)property;
	(void)error;
	rec.r = sd_bus_message_open_container(reply, 'a', "a{sv}");
	list_for_each(peer, &daemon->peers, link) peer_fill(&rec, peer);
	record_end(&rec);
	return rec.r;
}

/* What all users use together, and may. */
static int property_total(sd_bus *connection, const char *path, const char *interface,
			  const char *property, sd_bus_message *reply, void *user,
			  sd_bus_error *error)
{
	const struct daemon *daemon = user;
	struct record rec = {.m = reply};

	(void)connection;
	(void)path;
	(void)interface;
	(void)property;
	(void)error;
	record_begin(&rec);
	counts_fill(&rec, "used", daemon->accounts.used);
	counts_fill(&rec, "limits", daemon->accounts.limits.total.limit);
	record_end(&rec);
	return rec.r;
}

static int property_policy(sd_bus *connection, const char *path, const char *interface,
			   const char *property, sd_bus_message *reply, void *user,
			   sd_bus_error *error)
{
	const struct policy *policy = &((const struct daemon *)user)->config->policy;
	struct record rec = {.m = reply};

	(void)connection;
	(void)path;
	(void)interface;
	(void)property;
	(void)error;
	rec.r = sd_bus_message_open_container(reply, 'a', "a{sv}");
	for (size_t i = 0; i < policy->n_rules; i++)
		rule_fill(&rec, &policy->rules[i]);
	rule_fill(&rec, &policy->others);
	record_end(&rec);
	return rec.r;
}

#define METHOD_LIST(name)                                                                  \
	SD_BUS_METHOD_WITH_NAMES(name, "", , "aa{sv}", SD_BUS_PARAM(records), method_list, \
				 SD_BUS_VTABLE_UNPRIVILEGED)
#define METHOD_GET(name)                                                                     \
	SD_BUS_METHOD_WITH_NAMES(name, "t", SD_BUS_PARAM(id), "a{sv}", SD_BUS_PARAM(record), \
				 method_get, SD_BUS_VTABLE_UNPRIVILEGED)

static const sd_bus_vtable manager_vtable[] = {
	SD_BUS_VTABLE_START(0),
	SD_BUS_PROPERTY("Side", "s", property_text, 0, SD_BUS_VTABLE_PROPERTY_CONST),
	SD_BUS_PROPERTY("Version", "s", property_text, 0, SD_BUS_VTABLE_PROPERTY_CONST),
	SD_BUS_PROPERTY("DaemonId", "s", property_text, 0, SD_BUS_VTABLE_PROPERTY_CONST),
	SD_BUS_PROPERTY("Profile", "s", property_text, 0, 0),
	SD_BUS_PROPERTY("Status", "s", property_text, 0, SD_BUS_VTABLE_PROPERTY_EMITS_CHANGE),
	SD_BUS_PROPERTY("Total", "a{sv}", property_total, 0, 0),
	SD_BUS_PROPERTY("Policy", "aa{sv}", property_policy, 0, 0),
	SD_BUS_PROPERTY("Peers", "aa{sv}", property_peers, 0, SD_BUS_VTABLE_PROPERTY_EMITS_CHANGE),
	METHOD_LIST("ListDevices"),
	METHOD_GET("GetDevice"),
	METHOD_LIST("ListRepresentors"),
	METHOD_GET("GetRepresentor"),
	METHOD_LIST("ListClients"),
	METHOD_GET("GetClient"),
	METHOD_LIST("ListExports"),
	METHOD_GET("GetExport"),
	METHOD_LIST("ListImports"),
	METHOD_GET("GetImport"),
	METHOD_LIST("ListServices"),
	METHOD_GET("GetService"),
	METHOD_LIST("ListChannels"),
	METHOD_GET("GetChannel"),
	METHOD_LIST("ListAccounts"),
	METHOD_GET("GetAccount"),
	SD_BUS_VTABLE_END,
};

static int method_hello(sd_bus_message *m, void *user, sd_bus_error *error)
{
	(void)user;
	(void)error;
	return sd_bus_reply_method_return(m, "s", ":1.1");
}

/* Signals of this connection reach it in any case. */
static int method_nothing(sd_bus_message *m, void *user, sd_bus_error *error)
{
	(void)user;
	(void)error;
	return sd_bus_reply_method_return(m, NULL);
}

/* What clients that think they talk to a bus want to have before anything else. */
static const sd_bus_vtable bus_vtable[] = {
	SD_BUS_VTABLE_START(0),
	SD_BUS_METHOD("Hello", "", "s", method_hello, SD_BUS_VTABLE_UNPRIVILEGED),
	SD_BUS_METHOD("AddMatch", "s", "", method_nothing, SD_BUS_VTABLE_UNPRIVILEGED),
	SD_BUS_METHOD("RemoveMatch", "s", "", method_nothing, SD_BUS_VTABLE_UNPRIVILEGED),
	SD_BUS_VTABLE_END,
};

int bus_view_add(sd_bus *connection, struct daemon *daemon)
{
	int r = sd_bus_add_object_vtable(connection, NULL, BUS_VIEW_PATH, BUS_VIEW_INTERFACE,
					 manager_vtable, daemon);

	if (r < 0)
		return r;
	return sd_bus_add_object_vtable(connection, NULL, "/org/freedesktop/DBus",
					"org.freedesktop.DBus", bus_vtable, NULL);
}
