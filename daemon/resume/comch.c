/*
 * Restores services, channels, consumers, rendezvous endpoints and events of an earlier daemon
 * instance; see resume.h.
 */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "daemon/comch/channel.h"
#include "daemon/comch/channel_internal.h"
#include "daemon/comch/consumer.h"
#include "daemon/comch/service.h"
#include "daemon/base/daemon.h"
#include "daemon/comch/comch.h"
#include "daemon/peer/peer.h"
#include "daemon/store/persist.h"
#include "daemon/base/journal.h"
#include "daemon/rdma/rdma.h"
#include "daemon/registry.pb-c.h"
#include "daemon/resume/resume_internal.h"
#include "daemon/session/session.h"
#include "daemon/store/ledger.h"
#include "util/fd.h"
#include "util/log.h"
#include "util/util.h"

/* Closes all descriptors if one is missing. */
static int resume_all_fds(struct persisted *persisted, const uint32_t *keys, size_t n, int *fds_out)
{
	if (resume_adopt_fds(persisted, keys, n, fds_out))
		return 0;
	for (size_t i = 0; i < n; i++)
		fd_close(&fds_out[i]);
	return -EBADF;
}

/* Takes an event ring and its eventfd. */
static int resume_event_fds(struct persisted *persisted, const uint32_t *keys, size_t n,
			    int fds_out[2])
{
	return n == 2 ? resume_all_fds(persisted, keys, n, fds_out) : -EPROTO;
}

int resume_service(struct session *session, const struct resume_record *record,
		   struct persisted *persisted)
{
	const Registry__Service *from = (const Registry__Service *)record->message;
	struct service_saved saved = {
		.id = record->id,
		.device_handle = from->device_handle,
		.rep_handle = from->rep_handle,
		.name = from->name,
		.has_remote_rings = from->remote_rings,
		.max_msg_size = from->max_msg_size,
		.recv_queue_size = from->recv_queue_size,
		.created_at_ns = from->created_at_ns,
		.request_id = from->request_id,
	};
	struct service *service;
	int fds[2] = {-1, -1};
	int r = resume_event_fds(persisted, from->fds, from->n_fds, fds);

	if (r == 0)
		r = service_resume(session, &saved, fds[0], fds[1], &service);
	if (r == 0)
		service->persisted = *persisted;
	return r;
}

void resume_unresolved_end(struct daemon *daemon, const struct resume_record *record)
{
	const Registry__Channel *from = (const Registry__Channel *)record->message;
	struct unresolved_end end = {.id = record->id, .peer_channel_id = from->peer_channel_id};
	bool is_unresolved = from->session == 0;

	end.persisted.cell = record->cell;
	if (from->peer_daemon_id.len != PEER_DAEMON_ID_LEN ||
	    (!is_unresolved && (from->state != CHANNEL_RECORD_ESTABLISHED || from->has_ended))) {
		ledger_remove(daemon->ledger, &end.persisted.cell);
		return;
	}
	memcpy(end.peer_daemon_id, from->peer_daemon_id.data, PEER_DAEMON_ID_LEN);
	if (!is_unresolved)
		persist_unresolved_end(daemon, &end);
	(void)unresolved_end_new(daemon, end.id, end.peer_daemon_id, end.peer_channel_id,
				 &end.persisted);
}

/*
 * Assigns the descriptors of a channel's record to their places. A missing pidfd is accepted: its
 * process may have ended, and a manager does not accept a second descriptor of an open file.
 * Returns 0, or -errno with no descriptor open.
 */
static int resume_channel_fds(const Registry__Channel *from, struct persisted *persisted,
			      struct channel_saved *saved)
{
	size_t n_ring = from->is_server ? 0 : 2, n_parts = from->has_parts ? 3 : 0, at = 0;
	int *to[PERSISTED_MAX_FDS] = {&saved->ring_fds[0], &saved->ring_fds[1], &saved->fds[0],
				      &saved->fds[1],      &saved->fds[2],      &saved->peer_pidfd};
	bool wanted[PERSISTED_MAX_FDS] = {n_ring,  n_ring,  n_parts,
					  n_parts, n_parts, from->has_pidfd};
	int r = 0;

	if (from->n_fds != n_ring + n_parts + (from->has_pidfd ? 1 : 0))
		return -EPROTO;
	persisted->n_fds = PERSISTED_MAX_FDS;
	for (size_t i = 0; i < PERSISTED_MAX_FDS; i++) {
		struct persisted one = {.n_fds = 0};

		if (!wanted[i])
			continue;
		if (resume_adopt_fds(&one, &from->fds[at++], 1, to[i]))
			persisted->fds[i] = one.fds[0];
		else if (to[i] != &saved->peer_pidfd)
			r = -EBADF;
	}
	for (size_t i = 0; i < PERSISTED_MAX_FDS && r < 0; i++)
		fd_close(to[i]);
	return r;
}

int resume_channel(struct session *session, const struct resume_record *record,
		   struct persisted *persisted)
{
	const Registry__Channel *from = (const Registry__Channel *)record->message;
	struct channel_saved saved = {
		.id = record->id,
		.handle = from->handle,
		.service = from->service,
		.state = from->state,
		.is_server = from->is_server,
		.wants_arrived = from->wants_arrived,
		.has_ended = from->has_ended,
		.name = from->name,
		.has_remote_rings = from->remote_rings,
		.max_msg_size = from->max_msg_size,
		.recv_queue_size = from->recv_queue_size,
		.peer_recv_queue_size = from->peer_recv_queue_size,
		.ring_len = from->ring_len,
		.peer_pid = (pid_t)from->peer_pid,
		.peer_uid = from->peer_uid,
		.peer_channel_id = from->peer_channel_id,
		.created_at_ns = from->created_at_ns,
		.request_id = from->request_id,
		.fetch_id = from->fetch_id,
		.pushed_events = from->pushed_events,
		.end_code = from->code,
		.ring_fds = {-1, -1},
		.fds = {-1, -1, -1},
		.peer_pidfd = -1,
	};
	struct channel *channel;
	int r;

	if (from->peer_daemon_id.len != PEER_DAEMON_ID_LEN)
		return -EPROTO;
	memcpy(saved.peer_daemon_id, from->peer_daemon_id.data, PEER_DAEMON_ID_LEN);
	r = resume_channel_fds(from, persisted, &saved);
	if (r == 0)
		r = channel_resume(session, &saved, &channel);
	if (r == 0)
		channel->persisted = *persisted;
	return r;
}

int resume_consumer(struct session *session, const struct resume_record *record,
		    struct persisted *persisted)
{
	const Registry__Consumer *from = (const Registry__Consumer *)record->message;
	struct channel *channel = channel_find(session->daemon, from->channel);
	struct consumer_saved saved = {
		.is_own = from->is_own,
		.state = from->state,
		.spec = DOCOCORE__CONSUMER__INIT,
		.pid = (pid_t)from->pid,
		.uid = from->uid,
		.request_id = from->request_id,
		.record_id = record->id,
		.fds = {-1, -1, -1, -1},
		.n_fds = from->n_fds,
	};
	struct journal_subject before;
	struct consumer *consumer;
	int r;

	if (!channel || channel->session != session || from->n_fds > ARRAY_LEN(saved.fds))
		return -EPROTO;
	saved.spec.id = from->id;
	saved.spec.slots_len = from->slots_len;
	saved.spec.n_slots = from->n_slots;
	saved.spec.max_imm_len = from->max_imm_len;
	saved.spec.max_buf_size = from->max_buf_size;
	saved.spec.addr = from->addr;
	saved.spec.len = from->len;
	saved.spec.peer_writes = from->peer_writes;
	saved.spec.memory = (Dococore__MemoryKind)from->memory;
	saved.spec.memfd_offset = from->memfd_offset;
	r = resume_all_fds(persisted, from->fds, from->n_fds, saved.fds);
	if (r < 0 && !saved.is_own) {
		/*
		 * Only this consumer of the other end is lost. Usually its process has ended, so
		 * that its pidfd could not be stored.
		 */
		before = session_enter_journal(session, NULL);
		log_info("client %" PRIu64 " (%s, pid %d): consumer %u of channel %" PRIu64
			 "'s other end is lost: not all of its descriptors are there",
			 session->id, session->program, session->pid, from->id, from->channel);
		journal_leave(&before);
		saved.state = CONSUMER_EXPIRED;
		saved.n_fds = 0;
		r = 0;
	}
	if (r == 0)
		r = consumer_resume(channel, &saved, &consumer);
	if (r == 0)
		consumer->persisted = *persisted;
	return r;
}

int resume_endpoint(struct session *session, const struct resume_record *record,
		    struct persisted *persisted)
{
	const Registry__Endpoint *from = (const Registry__Endpoint *)record->message;
	struct rdma_endpoint_saved saved = {
		.id = record->id,
		.seq = record->seq,
		.handle = from->handle,
		.request_id = from->request_id,
		.ports = from->ports,
		.n_ports = from->n_ports,
		.serves_exports = from->serves_exports,
		.relays = from->relays,
		.streams_only = from->streams_only,
	};
	struct rdma_endpoint *endpoint;
	int fds[2] = {-1, -1};
	int r = resume_event_fds(persisted, from->fds, from->n_fds, fds);

	if (r == 0)
		r = rdma_endpoint_resume(session, &saved, fds[0], fds[1], &endpoint);
	if (r == 0)
		endpoint->persisted = *persisted;
	return r;
}

static struct rdma_endpoint *resume_find_endpoint(const struct session *session, uint64_t id)
{
	struct rdma_endpoint *endpoint;

	list_for_each(endpoint, &session->objects[SESSION_RDMA_ENDPOINTS], in_session.link)
	{
		if (endpoint->node.id == id)
			return endpoint;
	}
	return NULL;
}

int resume_call(struct session *session, const struct resume_record *record)
{
	const Registry__Call *from = (const Registry__Call *)record->message;
	struct rdma_endpoint *endpoint = resume_find_endpoint(session, from->endpoint);
	struct rdma_call_saved saved;
	uint32_t cell = record->cell;

	if (!endpoint)
		return -EPROTO;
	saved = (struct rdma_call_saved){
		.id = record->id,
		.is_caller = from->is_caller,
		.is_answered = from->is_answered,
		.keeps_pair = from->keeps_pair,
		.is_relay = from->is_relay,
		.port_number = from->port,
	};
	rdma_call_resume(endpoint, &saved);
	ledger_remove(session->daemon->ledger, &cell);
	return 0;
}

static struct event_out *resume_find_events(const struct session *session, uint32_t owner,
					    uint64_t id)
{
	struct daemon *daemon = session->daemon;
	struct idmap_node *node = NULL;
	struct rdma_endpoint *endpoint;
	struct service *service;
	struct channel *channel;

	if (owner == REGISTRY__RECORD_TYPE__ENDPOINT) {
		endpoint = resume_find_endpoint(session, id);
		return endpoint ? &endpoint->events : NULL;
	}
	if (owner == REGISTRY__RECORD_TYPE__SERVICE) {
		node = idmap_find(&daemon->comch->service_map, id);
		service = node ? container_of(node, struct service, node) : NULL;
		return service && service->session == session ? &service->events : NULL;
	}
	channel = owner == REGISTRY__RECORD_TYPE__CHANNEL ? channel_find(daemon, id) : NULL;
	return channel && channel->session == session && !channel->service ? &channel->events
									   : NULL;
}

int resume_event(struct session *session, const struct resume_record *record)
{
	const Registry__Event *from = (const Registry__Event *)record->message;
	struct event_out *out = resume_find_events(session, from->owner, from->owner_id);
	struct event event = {
		.type = from->type, .code = from->code, .id = from->id, .arg = from->arg};
	uint32_t cell = record->cell;
	int r;

	/* The event's owner has ended, so the event is dropped. */
	if (!out) {
		ledger_remove(session->daemon->ledger, &cell);
		return 0;
	}
	r = event_out_restore(out, &event, cell);
	session->n_persisted_events += r == 0;
	return r;
}
