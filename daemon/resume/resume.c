/*
 * Reads the ledger; see resume.h. First copies, sorts and unpacks all records; of two records of
 * one object the later is used. Then creates the objects, owners first. Sessions that turn out to
 * be incomplete are ended last, in the way of a daemon that stops: their shared memory stays
 * unchanged.
 */
#include "daemon/resume/resume.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "daemon/base/journal.h"
#include "daemon/comch/channel.h"
#include "daemon/comch/consumer.h"
#include "daemon/comch/service.h"
#include "daemon/base/daemon.h"
#include "daemon/memory/memory.h"
#include "daemon/config/arguments.h"
#include "daemon/topology/topology.h"
#include "daemon/memory/export_id.h"
#include "daemon/session/persist.h"
#include "daemon/peer/peer.h"
#include "daemon/store/persist.h"
#include "daemon/device/device.h"
#include "daemon/memory/export.h"
#include "daemon/memory/import.h"
#include "daemon/rdma/rdma.h"
#include "daemon/registry.pb-c.h"
#include "daemon/session/grace_period.h"
#include "daemon/resume/resume_internal.h"
#include "daemon/session/session.h"
#include "daemon/store/fdstore.h"
#include "daemon/store/ledger.h"
#include "util/clock.h"
#include "util/fd.h"
#include "util/log.h"
#include "util/util.h"

struct resume {
	struct daemon *daemon;
	struct resume_record *records;
	size_t n, n_allocated;
};

static const ProtobufCMessageDescriptor *const descriptors[] = {
	[REGISTRY__RECORD_TYPE__DAEMON] = &registry__daemon__descriptor,
	[REGISTRY__RECORD_TYPE__SESSION] = &registry__session__descriptor,
	[REGISTRY__RECORD_TYPE__HANDLE] = &registry__handle__descriptor,
	[REGISTRY__RECORD_TYPE__EXPORT] = &registry__export__descriptor,
	[REGISTRY__RECORD_TYPE__IMPORT] = &registry__import__descriptor,
	[REGISTRY__RECORD_TYPE__SERVICE] = &registry__service__descriptor,
	[REGISTRY__RECORD_TYPE__CHANNEL] = &registry__channel__descriptor,
	[REGISTRY__RECORD_TYPE__CONSUMER] = &registry__consumer__descriptor,
	[REGISTRY__RECORD_TYPE__ENDPOINT] = &registry__endpoint__descriptor,
	[REGISTRY__RECORD_TYPE__CALL] = &registry__call__descriptor,
	[REGISTRY__RECORD_TYPE__EVENT] = &registry__event__descriptor,
};

static int resume_collect(void *user, const struct ledger_record *record)
{
	struct resume *resume = user;
	struct resume_record *to;

	if (record->type >= ARRAY_LEN(descriptors) || !descriptors[record->type])
		return -EPROTO;
	if (resume->n == resume->n_allocated) {
		size_t n = resume->n_allocated ? resume->n_allocated * 2 : 256;
		struct resume_record *records = realloc(resume->records, n * sizeof(*records));

		if (!records)
			return -ENOMEM;
		resume->records = records;
		resume->n_allocated = n;
	}
	to = &resume->records[resume->n];
	*to = (struct resume_record){
		.type = record->type,
		.id = record->id,
		.seq = record->seq,
		.cell = record->cell,
		.message = protobuf_c_message_unpack(descriptors[record->type], NULL, record->len,
						     record->data),
	};
	if (!to->message)
		return -EPROTO;
	resume->n++;
	return 0;
}

/* Orders by type and id; of two records of one object the later comes first. */
static int resume_compare(const void *one, const void *other)
{
	const struct resume_record *a = one, *b = other;

	if (a->type != b->type)
		return a->type < b->type ? -1 : 1;
	if (a->id != b->id)
		return a->id < b->id ? -1 : 1;
	return a->seq > b->seq ? -1 : a->seq < b->seq;
}

static void resume_record_free(struct resume_record *record)
{
	ProtobufCBinaryData *secret = NULL;

	if (!record->message)
		return;
	if (record->type == REGISTRY__RECORD_TYPE__EXPORT)
		secret = &((Registry__Export *)(void *)record->message)->secret;
	else if (record->type == REGISTRY__RECORD_TYPE__IMPORT)
		secret = &((Registry__Import *)(void *)record->message)->secret;
	if (secret && secret->data)
		explicit_bzero(secret->data, secret->len);
	protobuf_c_message_free_unpacked(record->message, NULL);
	record->message = NULL;
}

static void resume_deinit(struct resume *resume)
{
	for (size_t i = 0; i < resume->n; i++)
		resume_record_free(&resume->records[i]);
	free(resume->records);
}

/* Drops records that were replaced just before the earlier instance was killed. */
static void resume_drop_older(struct resume *resume)
{
	for (size_t i = 1; i < resume->n; i++) {
		struct resume_record *record = &resume->records[i];

		if (record->type != record[-1].type || record->id != record[-1].id)
			continue;
		ledger_remove(resume->daemon->ledger, &record->cell);
		resume_record_free(record);
	}
}

static int resume_daemon(struct resume *resume)
{
	const struct resume_record *record = resume->records;
	struct daemon *daemon = resume->daemon;
	const Registry__Daemon *from;

	if (resume->n == 0 || record->type != REGISTRY__RECORD_TYPE__DAEMON)
		return -EPROTO;
	from = (const Registry__Daemon *)record->message;
	if (from->daemon_id.len != sizeof(daemon->daemon_id) ||
	    strcmp(from->side, side_name(daemon->options->side)) != 0)
		return -EPROTO;
	memcpy(daemon->daemon_id, from->daemon_id.data, sizeof(daemon->daemon_id));
	daemon->started_at_ns = from->started_at_ns;
	daemon->persistence->persisted.cell = record->cell;
	daemon->next_session_id = daemon->persistence->reserved_ids.session = from->session_id;
	daemon->next_import_id = daemon->persistence->reserved_ids.import = from->import_id;
	daemon->next_service_id = daemon->persistence->reserved_ids.service = from->service_id;
	daemon->next_channel_id = daemon->persistence->reserved_ids.channel = from->channel_id;
	daemon->next_record_id = daemon->persistence->reserved_ids.record = from->record_id;
	daemon->next_rdma_id = daemon->persistence->reserved_ids.rdma = from->rdma_id;
	for (size_t i = 0; i < from->n_revoked; i++)
		export_revoked_add(&daemon->memory->revoked, from->revoked[i]);
	return 0;
}

static struct session *resume_find_session(const struct daemon *daemon, uint64_t id)
{
	struct session *session;

	list_for_each(session, &daemon->sessions->list, link)
	{
		if (session->id == id)
			return session;
	}
	return NULL;
}

bool resume_adopt_fds(struct persisted *persisted, const uint32_t *keys, size_t n, int *fds_out)
{
	bool all = true;

	for (size_t i = 0; i < n; i++) {
		fds_out[i] = fdstore_adopt(keys[i]);
		if (fds_out[i] < 0) {
			all = false;
			continue;
		}
		persisted->fds[persisted->n_fds++] = keys[i];
	}
	return all;
}

/*
 * Shuts sockets down, so that the client sees the end although the manager may still hold the
 * socket.
 */
static void resume_close(int *fds, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		(void)shutdown(fds[i], SHUT_RDWR);
		fd_close(&fds[i]);
	}
}

static struct counted counted_of_record(const Registry__Counted *from)
{
	return (struct counted){
		.submitted = from->submitted,
		.completed = from->completed,
		.bytes = from->bytes,
		.errors = from->errors,
		.waits = from->waits,
		.received = from->received,
		.received_bytes = from->received_bytes,
		.busy = from->busy,
		.empty = from->empty,
		.sleeps = from->sleeps,
		.wakes = from->wakes,
	};
}

/* Each of the following functions returns 0, or -errno if the record's session is incomplete. */
static int resume_session(struct daemon *daemon, const struct resume_record *record,
			  struct persisted *persisted)
{
	const Registry__Session *from = (const Registry__Session *)record->message;
	struct session_saved saved = {
		.id = record->id,
		.program = from->program,
		.library = from->library,
		.created_at_ns = from->created_at_ns,
		.generation = from->generation,
		.next_handle = from->handle,
		.request_id = from->request_id,
	};
	int fds[3] = {-1, -1, -1};
	struct counted counted = {0};
	struct session *session;
	int r;

	if (from->n_fds < 2 || from->n_fds > ARRAY_LEN(fds) ||
	    !resume_adopt_fds(persisted, from->fds, 2, fds)) {
		resume_close(fds, ARRAY_LEN(fds));
		return -EBADF;
	}
	/* The last descriptor is optional. */
	if (from->n_fds > 2)
		resume_adopt_fds(persisted, from->fds + 2, 1, fds + 2);
	r = session_resume(daemon, &saved, fds[0], fds[1], &session);
	if (r < 0) {
		fd_close(&fds[2]);
		return r;
	}
	session->persisted = *persisted;
	if (from->counted)
		counted = counted_of_record(from->counted);
	counters_resume(session, fds[2], from->counted ? &counted : NULL);
	return 0;
}

static int resume_handle(struct daemon *daemon, const struct resume_record *record,
			 struct session *session)
{
	const Registry__Handle *from = (const Registry__Handle *)record->message;
	struct device *device = NULL;
	struct representor *rep = NULL;
	struct handle_slot slot = {from->slot, from->generation};
	struct handle *handle;
	int r;

	if (*from->device)
		device = registry_find_device(daemon->registry, from->device);
	/*
	 * The device was removed before or during the restart. The rest of the client's session
	 * continues.
	 */
	if (*from->device && !device)
		device = registry_add_lost_device(daemon->registry, from->device);
	if (*from->rep)
		rep = registry_find_rep(daemon->registry, from->rep);
	if (*from->rep && !rep)
		rep = registry_add_lost_rep(daemon->registry, from->rep, from->parent);
	if (!device == !rep || from->handle == 0)
		return -ENODEV;
	r = handle_resume(session, from->handle, device, rep, from->has_slot ? &slot : NULL,
			  &handle);
	if (r < 0)
		return r;
	handle->request_id = from->request_id;
	handle->persisted.cell = record->cell;
	return 0;
}

static int resume_export(const struct resume_record *record, struct session *session,
			 struct persisted *persisted)
{
	const Registry__Export *from = (const Registry__Export *)record->message;
	struct export_saved saved = {
		.id = record->id,
		.handle = from->handle,
		.kind = from->kind,
		.addr = from->addr,
		.len = from->len,
		.permissions = from->permissions,
		.memory = from->memory,
		.memfd_offset = from->memfd_offset,
		.memory_reason = from->memory_reason,
		.same_user = from->same_user,
		.slot = from->slot,
		.generation = from->generation,
		.was_imported = from->was_imported,
		.is_shared = from->is_crowd,
		.importer_pid = (pid_t)from->importer_pid,
		.created_at_ns = from->created_at_ns,
		.request_id = from->request_id,
		.fds = {-1, -1, -1},
	};
	struct export *export;
	int r;

	if (from->n_fds > ARRAY_LEN(saved.fds) || from->secret.len != EXPORT_SECRET_LEN ||
	    (saved.was_imported && from->importer_daemon.len != sizeof(saved.importer_daemon)))
		return -EPROTO;
	memcpy(saved.secret, from->secret.data, EXPORT_SECRET_LEN);
	/* An earlier version stored none. */
	if (from->pass_on.len == EXPORT_SECRET_LEN)
		saved.pass_on = from->pass_on.data;
	if (saved.was_imported)
		memcpy(saved.importer_daemon, from->importer_daemon.data,
		       sizeof(saved.importer_daemon));
	if (!resume_adopt_fds(persisted, from->fds, from->n_fds, saved.fds)) {
		resume_close(saved.fds, ARRAY_LEN(saved.fds));
		return -EBADF;
	}
	r = export_resume(session, &saved, &export);
	if (r == 0)
		export->persisted = *persisted;
	return r;
}

static int resume_import(const struct resume_record *record, struct session *session)
{
	const Registry__Import *from = (const Registry__Import *)record->message;
	struct import_saved saved = {
		.id = record->id,
		.handle = from->handle,
		.state = from->state,
		.kind = from->kind,
		.export_id = from->export_id,
		.addr = from->addr,
		.len = from->len,
		.permissions = from->permissions,
		.memory = from->memory,
		.exporter_pid = (pid_t)from->exporter_pid,
		.exporter_uid = from->exporter_uid,
		.exporter_device = from->exporter_device,
		.created_at_ns = from->created_at_ns,
		.request_id = from->request_id,
		.same_process = from->same_process,
		.needs_daemons = from->needs_daemons,
		.is_remote = from->is_remote,
		.slot = from->slot,
		.generation = from->generation,
		.endpoint_id = from->endpoint_id,
	};
	bool has_secret = saved.state == IMPORT_PENDING || saved.is_remote;
	struct import *import;
	int r;

	if (side_parse(from->exporter_side, &saved.exporter_side) < 0 ||
	    from->peer_daemon_id.len != PEER_DAEMON_ID_LEN ||
	    (has_secret && from->secret.len != EXPORT_SECRET_LEN))
		return -EPROTO;
	memcpy(saved.peer_daemon_id, from->peer_daemon_id.data, PEER_DAEMON_ID_LEN);
	if (has_secret)
		memcpy(saved.secret, from->secret.data, EXPORT_SECRET_LEN);
	if (from->exporter_daemon.len == PEER_DAEMON_ID_LEN)
		saved.exporter_daemon = from->exporter_daemon.data;
	r = import_resume(session, &saved, &import);
	if (r == 0)
		import->persisted.cell = record->cell;
	return r;
}

static uint64_t resume_session_of(const struct resume_record *record)
{
	switch (record->type) {
	case REGISTRY__RECORD_TYPE__HANDLE:
		return ((const Registry__Handle *)record->message)->session;
	case REGISTRY__RECORD_TYPE__EXPORT:
		return ((const Registry__Export *)record->message)->session;
	case REGISTRY__RECORD_TYPE__IMPORT:
		return ((const Registry__Import *)record->message)->session;
	case REGISTRY__RECORD_TYPE__SERVICE:
		return ((const Registry__Service *)record->message)->session;
	case REGISTRY__RECORD_TYPE__CHANNEL:
		return ((const Registry__Channel *)record->message)->session;
	case REGISTRY__RECORD_TYPE__CONSUMER:
		return ((const Registry__Consumer *)record->message)->session;
	case REGISTRY__RECORD_TYPE__ENDPOINT:
		return ((const Registry__Endpoint *)record->message)->session;
	case REGISTRY__RECORD_TYPE__CALL:
		return ((const Registry__Call *)record->message)->session;
	case REGISTRY__RECORD_TYPE__EVENT:
		return ((const Registry__Event *)record->message)->session;
	default:
		return record->id;
	}
}

static int resume_object(struct daemon *daemon, const struct resume_record *record,
			 struct session *session, struct persisted *persisted)
{
	switch (record->type) {
	case REGISTRY__RECORD_TYPE__SESSION:
		return resume_session(daemon, record, persisted);
	case REGISTRY__RECORD_TYPE__HANDLE:
		return resume_handle(daemon, record, session);
	case REGISTRY__RECORD_TYPE__EXPORT:
		return resume_export(record, session, persisted);
	case REGISTRY__RECORD_TYPE__IMPORT:
		return resume_import(record, session);
	case REGISTRY__RECORD_TYPE__SERVICE:
		return resume_service(session, record, persisted);
	case REGISTRY__RECORD_TYPE__CHANNEL:
		return resume_channel(session, record, persisted);
	case REGISTRY__RECORD_TYPE__CONSUMER:
		return resume_consumer(session, record, persisted);
	case REGISTRY__RECORD_TYPE__ENDPOINT:
		return resume_endpoint(session, record, persisted);
	case REGISTRY__RECORD_TYPE__CALL:
		return resume_call(session, record);
	case REGISTRY__RECORD_TYPE__EVENT:
		return resume_event(session, record);
	default:
		return -EPROTO;
	}
}

static void resume_one(struct resume *resume, struct resume_record *record)
{
	struct daemon *daemon = resume->daemon;
	struct session *session = resume_find_session(daemon, resume_session_of(record));
	struct journal_subject before;
	struct persisted persisted = {.cell = record->cell};
	bool is_channel = record->type == REGISTRY__RECORD_TYPE__CHANNEL;
	int r = -ENOENT;

	if (is_channel && (!session || !session->is_persisted)) {
		resume_unresolved_end(daemon, record);
		return;
	}
	/* The session ends when everything has been read. */
	if (session && !session->is_persisted) {
		persist_drop(daemon, &persisted);
		return;
	}
	if (session || record->type == REGISTRY__RECORD_TYPE__SESSION)
		r = resume_object(daemon, record, session, &persisted);
	if (r == 0)
		return;
	if (is_channel) {
		persisted.cell = 0;
		resume_unresolved_end(daemon, record);
	}
	persist_drop(daemon, &persisted);
	if (!session && r != -ENOENT)
		log_warning("a client is not resumed: %s", strerror(-r));
	if (!session)
		return;
	before = session_enter_journal(session, NULL);
	log_warning("client %" PRIu64 " (%s, pid %d) is not resumed: record %u of object %" PRIu64
		    ": %s",
		    session->id, session->program, session->pid, record->type, record->id,
		    strerror(-r));
	journal_leave(&before);
	session->is_persisted = false;
}

static void resume_objects(struct resume *resume, bool calls)
{
	for (size_t i = 1; i < resume->n; i++) {
		struct resume_record *record = &resume->records[i];

		if (record->message && (record->type == REGISTRY__RECORD_TYPE__CALL) == calls)
			resume_one(resume, record);
	}
}

/* Ends incomplete sessions, whose clients then reconnect. Their liveness pages stay unchanged. */
static void resume_end_broken(struct daemon *daemon)
{
	struct session *session, *tmp;
	struct channel *channel;

	daemon->stopping = true;
	list_for_each_safe(session, tmp, &daemon->sessions->list, link)
	{
		if (!session->is_persisted) {
			list_for_each(channel, &session->objects[SESSION_CHANNELS], in_session.link)
				channel_become_unresolved(channel);
			(void)shutdown(conn_fd(session->conn), SHUT_RDWR);
			session_teardown(session);
		} else {
			session_resume_done(session);
		}
	}
	daemon->stopping = false;
}

int resume_all(struct daemon *daemon)
{
	struct resume resume = {.daemon = daemon};
	int r = ledger_each(daemon->ledger, resume_collect, &resume);

	if (r == 0)
		qsort(resume.records, resume.n, sizeof(*resume.records), resume_compare);
	if (r == 0)
		r = resume_daemon(&resume);
	if (r < 0) {
		resume_deinit(&resume);
		return r;
	}
	resume_drop_older(&resume);
	/* Existing objects may exceed limits that were lowered since. */
	daemon->accounts.is_lenient = true;
	resume_objects(&resume, false);
	/*
	 * Calls are restored last, because each ends with an event, which must come after the
	 * queued ones.
	 */
	resume_objects(&resume, true);
	daemon->accounts.is_lenient = false;
	resume_end_broken(daemon);
	daemon->resumed_mono_ns = clock_now_ns();
	resume_deinit(&resume);
	channels_resume_done(daemon);
	daemon->device_hooks->end_users(daemon);
	grace_period_begin(daemon, UINT64_MAX);
	return 0;
}

bool resume_answer_again(struct session *session, const Dococore__Packet *packet)
{
	if (packet->id == 0)
		return false;
	switch (packet->body_case) {
	case DOCOCORE__PACKET__BODY_HELLO:
		return session_hello_again(session, packet);
	case DOCOCORE__PACKET__BODY_DEVICE_OPEN:
	case DOCOCORE__PACKET__BODY_REP_OPEN:
		return handle_open_again(session, packet);
	case DOCOCORE__PACKET__BODY_EXPORT_CREATE:
		return export_create_again(session, packet);
	case DOCOCORE__PACKET__BODY_IMPORT_CREATE:
		return import_create_again(session, packet);
	case DOCOCORE__PACKET__BODY_SERVER_CREATE:
		return service_create_again(session, packet);
	case DOCOCORE__PACKET__BODY_CHANNEL_CONNECT:
		return channel_connect_again(session, packet);
	case DOCOCORE__PACKET__BODY_CHANNEL_FETCH:
		return channel_fetch_again(session, packet);
	case DOCOCORE__PACKET__BODY_CONSUMER_CREATE:
		return consumer_create_again(session, packet);
	case DOCOCORE__PACKET__BODY_CONSUMER_FETCH:
		return consumer_fetch_again(session, packet);
	case DOCOCORE__PACKET__BODY_RDMA_OPEN:
		return rdma_open_again(session, packet);
	case DOCOCORE__PACKET__BODY_RDMA_LISTEN:
		return rdma_listen_again(session, packet);
	default:
		return false;
	}
}
