/* Message servers and channels, for operators. */
#include "daemon/dbus/noun.h"

#include <inttypes.h>

#include "daemon/base/daemon.h"
#include "daemon/comch/channel.h"
#include "daemon/comch/comch.h"
#include "daemon/comch/consumer.h"
#include "daemon/comch/service.h"
#include "daemon/dbus/imports.h"
#include "daemon/device/device.h"
#include "daemon/session/counters.h"
#include "daemon/session/session.h"
#include "daemon/topology/topology.h"
#include "util/log.h"

static const struct list *service_list(const struct daemon *daemon)
{
	return &daemon->comch->services;
}

static const struct idmap *service_map(const struct daemon *daemon)
{
	return &daemon->comch->service_map;
}

static void service_fill(struct record *rec, const void *object)
{
	const struct service *service = object;
	record_begin(rec);
	record_number(rec, "id", service->node.id);
	record_text(rec, "name", service->name);
	bus_fill_owner(rec, service->session);
	record_text(rec, "device", service->device->spec->name);
	record_text(rec, "representor", service->rep->spec->name);
	record_number(rec, "n_channels", service->n_channels);
	record_number(rec, "max_msg_size", service->max_msg_size);
	record_number(rec, "recv_queue_size", service->recv_queue_size);
	record_number(rec, "created_at_ns", service->created_at_ns);
	record_end(rec);
}

static const sd_bus_vtable service_vtable[] = {
	SD_BUS_VTABLE_START(0),      FIXED("Id", "t"),
	FIXED("Name", "s"),          OWNER_FACTS,
	FIXED("Device", "s"),        FIXED("Representor", "s"),
	FACT("NChannels", "t"),      FIXED("MaxMsgSize", "t"),
	FIXED("RecvQueueSize", "t"), FIXED("CreatedAtNs", "t"),
	SD_BUS_VTABLE_END,
};

const struct bus_noun bus_service = {
	.name = "service",
	.folder = "services",
	.interface = "org.dococore.Service",
	.vtable = service_vtable,
	.list_of = service_list,
	.link = offsetof(struct service, link),
	.order = offsetof(struct service, node.id),
	.map_of = service_map,
	.node = offsetof(struct service, node),
	.fill = service_fill,
};

static const struct list *channel_list(const struct daemon *daemon)
{
	return &daemon->comch->channels;
}

static const struct idmap *channel_map(const struct daemon *daemon)
{
	return &daemon->comch->channel_map;
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
		record_text(rec, "memory", bus_memory_name(consumer->spec.memory));
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

static void channel_fill(struct record *rec, const void *object)
{
	const struct channel *channel = object;
	record_begin(rec);
	record_number(rec, "id", channel->node.id);
	record_text(rec, "role", channel->is_server ? "server" : "client");
	record_text(rec, "service", channel->name);
	record_text(rec, "state", channel_state_name(channel->state));
	bus_fill_owner(rec, channel->session);
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
	if (record_open_value(rec, "consumers", "aa{sv}")) {
		consumers_fill(rec, &channel->consumers);
		consumers_fill(rec, &channel->peer_consumers);
		record_close_value(rec);
	}
	record_number(rec, "created_at_ns", channel->created_at_ns);
	if (record_wants(rec, 6))
		channel_counters_fill(rec, channel);
	record_end(rec);
}

static int on_disconnect(sd_bus_message *m, void *user, sd_bus_error *error)
{
	const struct bus_target *target = user;
	const struct channel *channel = target->object;

	(void)error;
	log_info("pid %d: disconnect channel %" PRIu64, (int)target->tree->caller->pid,
		 channel->node.id);
	channel_disconnect(target->tree->daemon, channel->node.id);
	return bus_noun_done(m);
}

static const sd_bus_vtable channel_vtable[] = {
	SD_BUS_VTABLE_START(0),      FIXED("Id", "t"),
	FIXED("Role", "s"),          FIXED("Service", "s"),
	FACT("State", "s"),          OWNER_FACTS,
	FIXED("Device", "s"),        FIXED("Representor", "s"),
	FACT("Transport", "s"),      FACT("PeerPid", "t"),
	FACT("PeerUid", "t"),        FACT("PeerLinked", "b"),
	FACT("PeerChannelId", "t"),  FACT("MaxMsgSize", "t"),
	FIXED("RecvQueueSize", "t"), FACT("PeerRecvQueueSize", "t"),
	FACT("RingLen", "t"),        FACT("NConsumers", "t"),
	FACT("NPeerConsumers", "t"), FACT("Consumers", "aa{sv}"),
	FIXED("CreatedAtNs", "t"),   FACT("Counted", "b"),
	FACT("NSent", "t"),          FACT("SentBytes", "t"),
	FACT("NReceived", "t"),      FACT("ReceivedBytes", "t"),
	FACT("NWaits", "t"),         METHOD("Disconnect", on_disconnect),
	SD_BUS_VTABLE_END,
};

const struct bus_noun bus_channel = {
	.name = "channel",
	.folder = "channels",
	.interface = "org.dococore.Channel",
	.vtable = channel_vtable,
	.list_of = channel_list,
	.link = offsetof(struct channel, link),
	.order = offsetof(struct channel, node.id),
	.map_of = channel_map,
	.node = offsetof(struct channel, node),
	.fill = channel_fill,
};
