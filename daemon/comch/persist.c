/*
 * Records of comch servers, channels and consumers, and the hooks by which a session saves, drops
 * and frees these objects; see daemon/session/object.h. daemon/resume/comch.c reads the records.
 */
#include <string.h>

#include "daemon/comch/channel.h"
#include "daemon/comch/channel_internal.h"
#include "daemon/comch/consumer.h"
#include "daemon/comch/service.h"
#include "daemon/base/daemon.h"
#include "daemon/peer/peer.h"
#include "daemon/store/persist.h"
#include "daemon/session/event_out.h"
#include "daemon/session/persist.h"
#include "daemon/session/session.h"
#include "daemon/store/record.h"
#include "util/util.h"

void persist_service(struct service *service)
{
	struct session *session = service->session;
	const int fds[] = {service->events.writer.memfd, service->events.writer.eventfd};
	Registry__Service record = REGISTRY__SERVICE__INIT;
	int r;

	if (!persist_is_active(session))
		return;
	r = persist_fds(&service->persisted, fds, ARRAY_LEN(fds), &record.n_fds, &record.fds);
	record.session = session->id;
	record.device_handle = service->device_handle->node.id;
	record.rep_handle = service->rep_handle->node.id;
	record.name = service->name;
	record.max_msg_size = service->max_msg_size;
	record.remote_rings = service->has_remote_rings;
	record.recv_queue_size = service->recv_queue_size;
	record.created_at_ns = service->created_at_ns;
	record.request_id = service->request_id;
	if (r == 0)
		r = persist_put(session->daemon, &service->persisted,
				REGISTRY__RECORD_TYPE__SERVICE, service->node.id, &record.base);
	persist_check(session, r);
}

void service_object_save(struct session_object *object)
{
	struct service *service = container_of(object, struct service, in_session);

	persist_service(service);
	persist_events(&service->events);
}

void service_object_forget(struct session_object *object)
{
	struct service *service = container_of(object, struct service, in_session);

	persist_drop(service->session->daemon, &service->persisted);
	persist_drop_events(&service->events);
}

void persist_unresolved_end(struct daemon *daemon, struct unresolved_end *end)
{
	Registry__Channel record = REGISTRY__CHANNEL__INIT;

	if (!daemon->ledger)
		return;
	record.peer_daemon_id = (ProtobufCBinaryData){PEER_DAEMON_ID_LEN, end->peer_daemon_id};
	record.peer_channel_id = end->peer_channel_id;
	/* If there is no room, the other end behaves as if the link were lost. */
	(void)persist_put(daemon, &end->persisted, REGISTRY__RECORD_TYPE__CHANNEL, end->id,
			  &record.base);
}

/*
 * Records only that the end of a session that is not persisted exists. Stored descriptors of a
 * session that waits for the next attempt stay.
 */
static void persist_channel_unresolved(struct channel *channel)
{
	struct unresolved_end end = {.id = channel->node.id,
				     .peer_channel_id = channel->peer_channel_id};

	/*
	 * A record from the time when the session was persisted would say that the channel
	 * continues.
	 */
	if (channel_has_ended(channel))
		persist_drop(channel->daemon, &channel->persisted);
	if (channel->state != CHANNEL_ESTABLISHED || channel->relay)
		return;
	memcpy(end.peer_daemon_id, channel->peer_daemon_id, PEER_DAEMON_ID_LEN);
	end.persisted.cell = channel->persisted.cell;
	persist_unresolved_end(channel->daemon, &end);
	channel->persisted.cell = end.persisted.cell;
}

void persist_channel(struct channel *channel)
{
	struct session *session = channel->session;
	const int fds[] = {channel->events.writer.memfd,
			   channel->events.writer.eventfd,
			   channel->fds[0],
			   channel->fds[1],
			   channel->fds[2],
			   channel->relay ? -1 : channel->peer_pidfd};
	Registry__Channel record = REGISTRY__CHANNEL__INIT;
	uint32_t keys[ARRAY_LEN(fds)];
	int r;

	if (!persist_is_active(session)) {
		persist_channel_unresolved(channel);
		return;
	}
	r = persist_new_fds(&channel->persisted, fds, ARRAY_LEN(fds), keys, &record.n_fds);
	record.session = session->id;
	record.fds = keys;
	record.state = (uint32_t)channel_record_state(channel->state);
	record.is_server = channel->is_server;
	record.wants_arrived = channel->wants_arrived;
	record.name = channel->name;
	record.handle = channel->handle ? channel->handle->node.id : 0;
	record.service = channel->service ? channel->service->node.id : 0;
	record.max_msg_size = channel->max_msg_size;
	record.remote_rings = channel->has_remote_rings;
	record.recv_queue_size = channel->recv_queue_size;
	record.peer_recv_queue_size = channel->peer_recv_queue_size;
	record.ring_len = channel->ring_len;
	record.peer_pid = (uint32_t)channel->peer_pid;
	record.peer_uid = channel->peer_uid;
	record.peer_daemon_id = (ProtobufCBinaryData){PEER_DAEMON_ID_LEN, channel->peer_daemon_id};
	record.peer_channel_id = channel->peer_channel_id;
	record.created_at_ns = channel->created_at_ns;
	record.request_id = channel->request_id;
	record.fetch_id = channel->fetch_id;
	record.pushed_events = channel->pushed_events;
	record.has_ended = channel_has_ended(channel);
	record.code = channel->end_code;
	/* The messages pass through this process, so the channel ends with it. */
	if (channel->relay && !record.has_ended) {
		record.has_ended = true;
		record.code = CODE_NOT_CONNECTED;
	}
	record.has_parts = channel->fds[0] >= 0;
	record.has_pidfd = fds[ARRAY_LEN(fds) - 1] >= 0;
	if (r == 0)
		r = persist_put(session->daemon, &channel->persisted,
				REGISTRY__RECORD_TYPE__CHANNEL, channel->node.id, &record.base);
	if (r == 0)
		persist_drop_old_fds(&channel->persisted, fds, ARRAY_LEN(fds));
	persist_check(session, r);
}

void persist_consumer(struct consumer *consumer)
{
	struct channel *channel = consumer->channel;
	struct daemon *daemon = channel->daemon;
	Registry__Consumer record = REGISTRY__CONSUMER__INIT;
	int fds[ARRAY_LEN(consumer->fds)];
	uint32_t keys[ARRAY_LEN(fds)];
	int r;

	/* A consumer of a relayed channel ends with the channel, which ends with this process. */
	if (!persist_is_active(channel->session) || consumer->spec.slots_export.len != 0)
		return;
	for (size_t i = 0; i < ARRAY_LEN(fds); i++)
		fds[i] = i < consumer->n_fds ? consumer->fds[i] : -1;
	r = persist_new_fds(&consumer->persisted, fds, ARRAY_LEN(fds), keys, &record.n_fds);
	record.session = channel->session->id;
	record.channel = channel->node.id;
	record.fds = keys;
	record.is_own = consumer->is_own;
	record.state = (uint32_t)consumer->state;
	record.id = consumer->spec.id;
	record.slots_len = consumer->spec.slots_len;
	record.n_slots = consumer->spec.n_slots;
	record.max_imm_len = consumer->spec.max_imm_len;
	record.max_buf_size = consumer->spec.max_buf_size;
	record.addr = consumer->spec.addr;
	record.len = consumer->spec.len;
	record.peer_writes = consumer->spec.peer_writes;
	record.memory = (uint32_t)consumer->spec.memory;
	record.memfd_offset = consumer->spec.memfd_offset;
	record.pid = (uint32_t)consumer->pid;
	record.uid = consumer->uid;
	record.request_id = consumer->request_id;
	persist_ids(daemon);
	if (consumer->record_id == 0)
		consumer->record_id = ++daemon->next_record_id;
	if (r == 0)
		r = persist_put(daemon, &consumer->persisted, REGISTRY__RECORD_TYPE__CONSUMER,
				consumer->record_id, &record.base);
	if (r == 0)
		persist_drop_old_fds(&consumer->persisted, fds, ARRAY_LEN(fds));
	persist_check(channel->session, r);
}

static void persist_consumers(struct list *consumers)
{
	struct consumer *consumer;

	list_for_each(consumer, consumers, link)
	{
		/*
		 * A consumer that has ended exists until the other side is notified, and is not
		 * recorded.
		 */
		if (consumer->state != CONSUMER_ENDED)
			persist_consumer(consumer);
	}
}

static void persist_drop_consumers(struct daemon *daemon, struct list *consumers)
{
	struct consumer *consumer;

	list_for_each(consumer, consumers, link) persist_drop(daemon, &consumer->persisted);
}

void channel_object_save(struct session_object *object)
{
	struct channel *channel = container_of(object, struct channel, in_session);

	persist_channel(channel);
	persist_events(&channel->events);
	persist_consumers(&channel->consumers);
	persist_consumers(&channel->peer_consumers);
}

void channel_object_forget(struct session_object *object)
{
	struct channel *channel = container_of(object, struct channel, in_session);

	persist_drop(channel->daemon, &channel->persisted);
	persist_drop_events(&channel->events);
	persist_drop_consumers(channel->daemon, &channel->consumers);
	persist_drop_consumers(channel->daemon, &channel->peer_consumers);
	persist_channel_unresolved(channel);
}
