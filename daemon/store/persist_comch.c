/*
 * Records of comch servers, channels and consumers, of rendezvous endpoints and calls, and of
 * events that wait for room; see persist.h. daemon/resume/comch.c reads them.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/comch/channel.h"
#include "daemon/comch/consumer.h"
#include "daemon/comch/service.h"
#include "daemon/daemon.h"
#include "daemon/rdma/rdma.h"
#include "daemon/session/event_out.h"
#include "daemon/session/session.h"
#include "daemon/store/fdstore.h"
#include "daemon/store/ledger.h"
#include "daemon/store/persist_internal.h"
#include "util/util.h"

/*
 * Stores descriptors that change with the state of their object. New ones (fds[i] >= 0) are stored
 * before the record that names them is written; keep_old_fds() removes obsolete ones after that.
 * keys_out: keys of all present descriptors. Returns 0 or -errno.
 */
static int keep_new_fds(struct kept *kept, const int *fds, size_t n, uint32_t *keys_out,
			size_t *n_keys_out)
{
	int r = 0;

	kept->n_fds = (uint8_t)n;
	*n_keys_out = 0;
	for (size_t i = 0; i < n && r == 0; i++) {
		if (fds[i] < 0)
			continue;
		if (kept->fds[i] == 0)
			r = fdstore_put(fds[i], &kept->fds[i]);
		if (r == 0)
			keys_out[(*n_keys_out)++] = kept->fds[i];
	}
	return r;
}

static void keep_old_fds(struct kept *kept, const int *fds, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (fds[i] >= 0)
			continue;
		fdstore_drop(kept->fds[i]);
		kept->fds[i] = 0;
	}
}

void keep_service(struct service *service)
{
	struct session *session = service->session;
	const int fds[] = {service->events.writer.memfd, service->events.writer.eventfd};
	Registry__Service record = REGISTRY__SERVICE__INIT;
	int r;

	if (!keep_wants(session))
		return;
	r = keep_fds(&service->kept, fds, ARRAY_LEN(fds), &record.n_fds, &record.fds);
	record.session = session->id;
	record.device_handle = service->device_handle->node.id;
	record.rep_handle = service->rep_handle->node.id;
	record.name = service->name;
	record.max_msg_size = service->max_msg_size;
	record.mirrors = service->mirrors;
	record.recv_queue_size = service->recv_queue_size;
	record.created_at_ns = service->created_at_ns;
	record.request_id = service->request_id;
	if (r == 0)
		r = keep_put(session->daemon, &service->kept, REGISTRY__RECORD_TYPE__SERVICE,
			     service->node.id, &record.base);
	keep_check(session, r);
}

void keep_dim_end(struct daemon *daemon, struct dim_end *end)
{
	Registry__Channel record = REGISTRY__CHANNEL__INIT;

	if (!daemon->ledger)
		return;
	record.peer_daemon_id = (ProtobufCBinaryData){PEER_DAEMON_ID_LEN, end->peer_daemon_id};
	record.peer_channel_id = end->peer_channel_id;
	/* If there is no room, the other end behaves as if the link were lost. */
	(void)keep_put(daemon, &end->kept, REGISTRY__RECORD_TYPE__CHANNEL, end->id, &record.base);
}

/*
 * Records only that the end of a session that is not persisted exists. Stored descriptors of a
 * session that waits for the next attempt stay.
 */
static void keep_channel_dim(struct channel *channel)
{
	struct dim_end end = {.id = channel->node.id, .peer_channel_id = channel->peer_channel_id};

	/*
	 * A record from the time when the session was persisted would say that the channel
	 * continues.
	 */
	if (channel->has_ended)
		keep_drop(channel->daemon, &channel->kept);
	if (channel->state != CHANNEL_ESTABLISHED || channel->has_ended || channel->relay)
		return;
	memcpy(end.peer_daemon_id, channel->peer_daemon_id, PEER_DAEMON_ID_LEN);
	end.kept.cell = channel->kept.cell;
	keep_dim_end(channel->daemon, &end);
	channel->kept.cell = end.kept.cell;
}

void keep_channel(struct channel *channel)
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

	if (!keep_wants(session)) {
		keep_channel_dim(channel);
		return;
	}
	r = keep_new_fds(&channel->kept, fds, ARRAY_LEN(fds), keys, &record.n_fds);
	record.session = session->id;
	record.fds = keys;
	record.state = (uint32_t)channel->state;
	record.is_server = channel->is_server;
	record.tell_arrived = channel->tell_arrived;
	record.name = channel->name;
	record.handle = channel->handle ? channel->handle->node.id : 0;
	record.service = channel->service ? channel->service->node.id : 0;
	record.max_msg_size = channel->max_msg_size;
	record.mirrors = channel->mirrors;
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
	record.told = channel->told;
	record.has_ended = channel->has_ended;
	record.code = channel->end_code;
	/* The messages pass through this process, so the channel ends with it. */
	if (channel->relay && !channel->has_ended) {
		record.has_ended = true;
		record.code = CODE_NOT_CONNECTED;
	}
	record.has_parts = channel->fds[0] >= 0;
	record.has_pidfd = fds[ARRAY_LEN(fds) - 1] >= 0;
	if (r == 0)
		r = keep_put(session->daemon, &channel->kept, REGISTRY__RECORD_TYPE__CHANNEL,
			     channel->node.id, &record.base);
	if (r == 0)
		keep_old_fds(&channel->kept, fds, ARRAY_LEN(fds));
	keep_check(session, r);
}

void keep_consumer(struct consumer *consumer)
{
	struct channel *channel = consumer->channel;
	struct daemon *daemon = channel->daemon;
	Registry__Consumer record = REGISTRY__CONSUMER__INIT;
	int fds[ARRAY_LEN(consumer->fds)];
	uint32_t keys[ARRAY_LEN(fds)];
	int r;

	/* A consumer of a relayed channel ends with the channel, which ends with this process. */
	if (!keep_wants(channel->session) || consumer->spec.slots_export.len != 0)
		return;
	for (size_t i = 0; i < ARRAY_LEN(fds); i++)
		fds[i] = i < consumer->n_fds ? consumer->fds[i] : -1;
	r = keep_new_fds(&consumer->kept, fds, ARRAY_LEN(fds), keys, &record.n_fds);
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
	keep_ids(daemon);
	if (consumer->record_id == 0)
		consumer->record_id = ++daemon->next_record_id;
	if (r == 0)
		r = keep_put(daemon, &consumer->kept, REGISTRY__RECORD_TYPE__CONSUMER,
			     consumer->record_id, &record.base);
	if (r == 0)
		keep_old_fds(&consumer->kept, fds, ARRAY_LEN(fds));
	keep_check(channel->session, r);
}

void keep_agent(struct rdma_agent *agent)
{
	struct session *session = agent->session;
	const int fds[] = {agent->events.writer.memfd, agent->events.writer.eventfd};
	Registry__Agent record = REGISTRY__AGENT__INIT;
	struct rdma_listener *listener;
	uint32_t *ports;
	int r;

	if (!keep_wants(session))
		return;
	list_for_each(listener, &agent->listeners, link) record.n_ports++;
	ports = calloc(record.n_ports + 1, sizeof(*ports));
	if (!ports) {
		keep_check(session, -ENOMEM);
		return;
	}
	record.ports = ports;
	record.n_ports = 0;
	list_for_each(listener, &agent->listeners, link)
		ports[record.n_ports++] = listener->port_number;
	r = keep_fds(&agent->kept, fds, ARRAY_LEN(fds), &record.n_fds, &record.fds);
	record.session = session->id;
	record.handle = agent->handle->node.id;
	record.request_id = agent->request_id;
	record.serves_exports = agent->serves_exports;
	record.relays = agent->relays;
	record.streams_only = agent->streams_only;
	if (r == 0)
		r = keep_put(session->daemon, &agent->kept, REGISTRY__RECORD_TYPE__AGENT,
			     agent->node.id, &record.base);
	free(ports);
	keep_check(session, r);
}

void keep_call(struct rdma_call *call)
{
	struct session *session = call->agent->session;
	Registry__Call record = REGISTRY__CALL__INIT;

	if (!keep_wants(session))
		return;
	record.session = session->id;
	record.agent = call->agent->node.id;
	record.is_caller = call->is_caller;
	record.port = call->port_number;
	record.keeps_pair = call->import_id && !call->is_relay;
	record.is_answered = call->is_answered;
	record.is_relay = call->is_relay;
	keep_check(session, keep_put(session->daemon, &call->kept, REGISTRY__RECORD_TYPE__CALL,
				     call->node.id, &record.base));
}

/* Limit of persisted events of a client that does not read them; others may leave less room. */
#define KEEP_MAX_EVENTS 1024u

void keep_event(struct event_out *out, struct event_queued *queued)
{
	Registry__Event record = REGISTRY__EVENT__INIT;
	struct kept kept = {.cell = 0};
	int r;

	if (!out->session || !keep_wants(out->session))
		return;
	/* The record was written before persisting failed, and is still valid. */
	if (queued->cell != 0)
		return;
	if (out->session->n_kept_events >= KEEP_MAX_EVENTS) {
		keep_give_up(out->session, "it does not read its events");
		return;
	}
	record.session = out->session->id;
	record.owner = out->owner;
	record.owner_id = out->owner_id;
	record.type = queued->event.type;
	record.code = queued->event.code;
	record.id = queued->event.id;
	record.arg = queued->event.arg;
	keep_ids(out->session->daemon);
	r = keep_put(out->session->daemon, &kept, REGISTRY__RECORD_TYPE__EVENT,
		     ++out->session->daemon->next_record_id, &record.base);
	queued->cell = kept.cell;
	out->session->n_kept_events += kept.cell != 0;
	keep_check(out->session, r);
}

void keep_event_done(struct event_out *out, struct event_queued *queued)
{
	if (queued->cell == 0)
		return;
	out->session->n_kept_events -= out->session->n_kept_events > 0;
	if (out->session->daemon->ledger)
		ledger_remove(out->session->daemon->ledger, &queued->cell);
	queued->cell = 0;
}

static void keep_drop_events(struct event_out *out)
{
	for (size_t i = 0; i < out->n_queued; i++)
		keep_event_done(out, &out->queue[out->first + i]);
}

static void keep_drop_consumers(struct daemon *daemon, struct list *consumers)
{
	struct consumer *consumer;

	list_for_each(consumer, consumers, link) keep_drop(daemon, &consumer->kept);
}

void keep_drop_comch(struct session *session)
{
	struct daemon *daemon = session->daemon;
	struct rdma_agent *agent;
	struct service *service;
	struct channel *channel;
	struct rdma_call *call;

	list_for_each(service, &session->services, session_link)
	{
		keep_drop(daemon, &service->kept);
		keep_drop_events(&service->events);
	}
	list_for_each(channel, &session->channels, session_link)
	{
		keep_drop(daemon, &channel->kept);
		keep_drop_events(&channel->events);
		keep_drop_consumers(daemon, &channel->consumers);
		keep_drop_consumers(daemon, &channel->peer_consumers);
		keep_channel_dim(channel);
	}
	list_for_each(agent, &session->rdma_agents, session_link)
	{
		keep_drop(daemon, &agent->kept);
		keep_drop_events(&agent->events);
		list_for_each(call, &agent->calls, agent_link) keep_drop(daemon, &call->kept);
	}
}

static void keep_events(struct event_out *out)
{
	for (size_t i = 0; i < out->n_queued; i++)
		keep_event(out, &out->queue[out->first + i]);
}

static void keep_consumers(struct list *consumers)
{
	struct consumer *consumer;

	list_for_each(consumer, consumers, link)
	{
		/*
		 * A consumer that has ended exists until the other side is notified, and is not
		 * recorded.
		 */
		if (consumer->state != CONSUMER_ENDED)
			keep_consumer(consumer);
	}
}

void keep_comch(struct session *session)
{
	struct rdma_agent *agent;
	struct service *service;
	struct channel *channel;
	struct rdma_call *call;

	list_for_each(service, &session->services, session_link)
	{
		keep_service(service);
		keep_events(&service->events);
	}
	list_for_each(channel, &session->channels, session_link)
	{
		keep_channel(channel);
		keep_events(&channel->events);
		keep_consumers(&channel->consumers);
		keep_consumers(&channel->peer_consumers);
	}
	list_for_each(agent, &session->rdma_agents, session_link)
	{
		keep_agent(agent);
		keep_events(&agent->events);
		list_for_each(call, &agent->calls, agent_link) keep_call(call);
	}
}
