/*
 * Records of existing objects; see persist.h. Records of comch and RDMA objects are in
 * daemon/store/persist_comch.c; resume.c reads them.
 */
#include "daemon/store/persist_internal.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/base/inherit.h"
#include "daemon/base/journal.h"
#include "daemon/base/loop.h"
#include "daemon/daemon.h"
#include "daemon/memory/export.h"
#include "daemon/memory/import.h"
#include "daemon/resume/resume.h"
#include "daemon/session/session.h"
#include "daemon/store/fdstore.h"
#include "daemon/store/ledger.h"
#include "util/clock.h"
#include "util/fd.h"
#include "util/log.h"
#include "util/util.h"

/* Ids are reserved in blocks of this size, so that not every new id writes a record. */
#define KEEP_ID_BLOCK 1024u
#define KEEP_MAX_LEN  4096

bool keep_is_on(const struct daemon *daemon)
{
	return daemon->ledger != NULL;
}

bool keep_wants(const struct session *session)
{
	return session->is_kept && session->daemon->ledger;
}

int keep_put(struct daemon *daemon, struct kept *kept, Registry__RecordType type, uint64_t id,
	     const ProtobufCMessage *message)
{
	uint8_t data[KEEP_MAX_LEN];
	size_t len = protobuf_c_message_get_packed_size(message);
	int r;

	if (len > sizeof(data))
		return -EMSGSIZE;
	protobuf_c_message_pack(message, data);
	r = ledger_put(daemon->ledger, &kept->cell, (uint16_t)type, id, data, len);
	/* The record may contain the secret of an export. */
	explicit_bzero(data, len);
	return r;
}

static void keep_drop_fds(struct kept *kept)
{
	for (size_t i = 0; i < kept->n_fds; i++) {
		fdstore_drop(kept->fds[i]);
		kept->fds[i] = 0;
	}
	kept->n_fds = 0;
}

static int keep_put_fds(struct kept *kept, const int *fds, size_t n_fds)
{
	int r = 0;

	for (size_t i = 0; i < n_fds && r == 0; i++) {
		if (fds[i] < 0)
			continue;
		r = fdstore_put(fds[i], &kept->fds[kept->n_fds]);
		kept->n_fds += r == 0;
	}
	if (r < 0)
		keep_drop_fds(kept);
	return r;
}

int keep_fds(struct kept *kept, const int *fds, size_t n_fds, size_t *n_keys_out,
	     uint32_t **keys_out)
{
	int r = kept->n_fds ? 0 : keep_put_fds(kept, fds, n_fds);

	*n_keys_out = kept->n_fds;
	*keys_out = kept->fds;
	return r;
}

void keep_drop(struct daemon *daemon, struct kept *kept)
{
	if (!daemon->ledger)
		return;
	ledger_remove(daemon->ledger, &kept->cell);
	keep_drop_fds(kept);
}

/*
 * Interval between attempts to persist sessions for which there was no room, and the interval while
 * attempts succeed: one attempt sends no more than the manager's socket holds.
 */
#define KEEP_AGAIN_NS     NS_PER_SEC
#define KEEP_AGAIN_MAX_NS (64 * NS_PER_SEC)
#define KEEP_NEXT_NS      (50 * NS_PER_MS)
/*
 * A failed attempt stores what it can and removes it again, and the manager must process all of it.
 */
#define KEEP_TRIES 4u

/* One end may be an unrelated kill at that moment. */
#define KEEP_MAX_ENDS 2

void keep_begin(const struct session *session, uint64_t request_id)
{
	if (keep_wants(session))
		ledger_begin(session->daemon->ledger, session->id, request_id);
}

void keep_end(const struct session *session)
{
	if (session->daemon->ledger)
		ledger_end(session->daemon->ledger);
}

bool keep_is_suspect(const struct session *session, uint64_t request_id)
{
	return keep_wants(session) &&
	       ledger_n_ends(session->daemon->ledger, session->id, request_id) >= KEEP_MAX_ENDS;
}

static void keep_forget(struct session *session)
{
	struct handle *handle;
	struct export *export;
	struct import *import;

	session->is_kept = false;
	keep_drop(session->daemon, &session->kept);
	/* These records are useless without the session's, and other sessions need their room. */
	list_for_each(handle, &session->handle_list, link)
		keep_drop(session->daemon, &handle->kept);
	list_for_each(export, &session->exports, session_link)
		keep_drop(session->daemon, &export->kept);
	list_for_each(import, &session->imports, session_link)
		keep_drop(session->daemon, &import->kept);
	keep_drop_comch(session);
}

static void keep_tell_forgotten(const struct session *session, const char *why)
{
	struct journal_subject before = session_enter_journal(session, NULL);

	log_info("client %llu (%s, pid %d) would not be resumed after a restart: %s",
		 (unsigned long long)session->id, session->program, session->pid, why);
	journal_leave(&before);
}

void keep_give_up(struct session *session, const char *why)
{
	if (!keep_wants(session) && !session->is_keep_owed)
		return;
	session->is_keep_owed = false;
	keep_forget(session);
	keep_tell_forgotten(session, why);
}

static void keep_set_again(struct daemon *daemon, uint64_t delay_ns)
{
	if (daemon->keep_again)
		daemon->is_keep_again_set = loop_timer_set(daemon->keep_again, delay_ns) == 0;
}

/* Schedules an attempt. Further requests do not postpone it. */
static void keep_again_soon(struct daemon *daemon)
{
	if (daemon->is_keep_again_set && daemon->keep_delay_ns <= KEEP_AGAIN_NS)
		return;
	daemon->keep_delay_ns = KEEP_AGAIN_NS;
	keep_set_again(daemon, KEEP_AGAIN_NS);
}

/*
 * Stops persisting the session until the next attempt. If only the manager is busy, its other
 * records stay: without the session's own record they belong to no session, and the next attempt
 * has less to do.
 */
static void keep_owe(struct session *session, int r)
{
	struct daemon *daemon = session->daemon;

	if (!keep_wants(session))
		return;
	if (r == -EAGAIN) {
		session->is_kept = false;
		keep_drop(daemon, &session->kept);
	} else {
		keep_forget(session);
		daemon->is_keep_room = false;
	}
	if (session->is_keep_owed)
		return;
	session->is_keep_owed = true;
	keep_tell_forgotten(session, r == -ENOSPC ? "there is no room in the fd store or the "
						    "ledger; it is tried again"
						  : "the service manager does not read; it is "
						    "tried again");
	keep_again_soon(daemon);
}

void keep_check(struct session *session, int r)
{
	if (r == -ENOSPC || r == -EAGAIN)
		keep_owe(session, r);
	else if (r < 0)
		keep_give_up(session, strerror(-r));
}

/* Returns 0 or -errno, logged. */
static int keep_daemon(struct daemon *daemon)
{
	Registry__Daemon record = REGISTRY__DAEMON__INIT;
	int r;

	record.daemon_id = (ProtobufCBinaryData){sizeof(daemon->daemon_id), daemon->daemon_id};
	record.side = (char *)side_name(daemon->options.side);
	record.started_at_ns = daemon->started_at_ns;
	record.session_id = daemon->kept_ids.session;
	record.import_id = daemon->kept_ids.import;
	record.service_id = daemon->kept_ids.service;
	record.channel_id = daemon->kept_ids.channel;
	record.record_id = daemon->kept_ids.record;
	record.rdma_id = daemon->kept_ids.rdma;
	record.revoked = daemon->revoked.ids;
	record.n_revoked = daemon->revoked.n;
	r = keep_put(daemon, &daemon->kept, REGISTRY__RECORD_TYPE__DAEMON, 1, &record.base);
	if (r < 0)
		log_error("the ledger cannot be written: %s", strerror(-r));
	return r;
}

static bool keep_block(uint64_t next, uint64_t *reserved)
{
	if (next < *reserved)
		return false;
	*reserved = next + KEEP_ID_BLOCK;
	return true;
}

void keep_ids(struct daemon *daemon)
{
	__typeof__(daemon->kept_ids) before;
	bool changed;

	if (!daemon->ledger)
		return;
	memcpy(&before, &daemon->kept_ids, sizeof(before));
	changed = keep_block(daemon->next_session_id, &daemon->kept_ids.session);
	changed |= keep_block(daemon->next_import_id, &daemon->kept_ids.import);
	changed |= keep_block(daemon->next_service_id, &daemon->kept_ids.service);
	changed |= keep_block(daemon->next_channel_id, &daemon->kept_ids.channel);
	changed |= keep_block(daemon->next_record_id, &daemon->kept_ids.record);
	changed |= keep_block(daemon->next_rdma_id, &daemon->kept_ids.rdma);
	/* The next id tries again. The next daemon instance must not assign the same ids. */
	if (changed && keep_daemon(daemon) < 0)
		memcpy(&daemon->kept_ids, &before, sizeof(before));
}

void keep_revoked(struct daemon *daemon)
{
	if (daemon->ledger)
		(void)keep_daemon(daemon);
}

/* Returns true if ids beyond the recorded block are in use. */
static bool keep_session_blocks(struct session *session)
{
	bool changed = false;

	if (session->generation + 2 >= session->kept_generation) {
		session->kept_generation = session->generation + 2 * KEEP_ID_BLOCK;
		changed = true;
	}
	changed |= keep_block(session->next_handle, &session->kept_handle);
	return changed;
}

void keep_session_ids(struct session *session)
{
	if (keep_wants(session) && keep_session_blocks(session))
		keep_session(session);
}

static void counted_to_record(const struct counted *from, Registry__Counted *record)
{
	record->submitted = from->submitted;
	record->completed = from->completed;
	record->bytes = from->bytes;
	record->errors = from->errors;
	record->waits = from->waits;
	record->received = from->received;
	record->received_bytes = from->received_bytes;
	record->busy = from->busy;
	record->empty = from->empty;
	record->sleeps = from->sleeps;
	record->wakes = from->wakes;
}

void keep_session(struct session *session)
{
	Registry__Session record = REGISTRY__SESSION__INIT;
	Registry__Counted counted = REGISTRY__COUNTED__INIT;
	const int fds[] = {conn_fd(session->conn), session->liveness_fd};
	int r;

	if (!keep_wants(session))
		return;
	r = keep_fds(&session->kept, fds, ARRAY_LEN(fds), &record.n_fds, &record.fds);
	record.program = session->program;
	record.library = session->library;
	record.created_at_ns = session->created_at_ns;
	record.generation = session->kept_generation;
	record.handle = session->kept_handle;
	record.request_id = session->request_id;
	counted_to_record(&session->counters.past, &counted);
	record.counted = session->counters.has_past ? &counted : NULL;
	if (r == 0)
		r = keep_put(session->daemon, &session->kept, REGISTRY__RECORD_TYPE__SESSION,
			     session->id, &record.base);
	keep_check(session, r);
}

/* Index of the counters' descriptor, after those of keep_session(). */
#define KEEP_COUNTERS 2

void keep_counters(struct session *session)
{
	struct kept *kept = &session->kept;

	session->counters.is_new = false;
	if (!keep_wants(session) || kept->n_fds != KEEP_COUNTERS)
		return;
	/* Persisting another client is more important than persisting counters. */
	if (!fdstore_has_plenty())
		return;
	if (fdstore_put(session->counters.fd, &kept->fds[KEEP_COUNTERS]) < 0)
		return;
	kept->n_fds++;
	keep_session(session);
}

void keep_drop_counters(struct session *session)
{
	struct kept *kept = &session->kept;
	bool has_pages = kept->n_fds > KEEP_COUNTERS;

	if (!keep_wants(session) || !session->counters.has_past)
		return;
	/* Replaces the pages by their sums in one step, so that they are counted once. */
	kept->n_fds = MIN(kept->n_fds, KEEP_COUNTERS);
	keep_session(session);
	if (has_pages)
		fdstore_drop(kept->fds[KEEP_COUNTERS]);
}

void keep_handle(struct handle *handle)
{
	struct session *session = handle->session;
	Registry__Handle record = REGISTRY__HANDLE__INIT;

	if (!keep_wants(session))
		return;
	record.session = session->id;
	record.handle = handle->node.id;
	if (handle->device)
		record.device = (char *)handle->device->spec->name;
	if (handle->rep) {
		record.rep = (char *)handle->rep->spec->name;
		record.parent = (char *)handle->rep->parent->spec->name;
	}
	record.request_id = handle->request_id;
	record.has_slot = handle->has_slot;
	record.slot = handle->slot;
	record.generation = handle->generation;
	keep_ids(session->daemon);
	keep_check(session, keep_put(session->daemon, &handle->kept, REGISTRY__RECORD_TYPE__HANDLE,
				     ++session->daemon->next_record_id, &record.base));
}

void keep_export(struct export *export)
{
	struct session *session = export->session;
	Registry__Export record = REGISTRY__EXPORT__INIT;
	const int fds[] = {export->memfd, export->words_fd, export->event_fd};
	int r;

	if (!keep_wants(session))
		return;
	r = keep_fds(&export->kept, fds, ARRAY_LEN(fds), &record.n_fds, &record.fds);
	record.session = session->id;
	record.handle = export->handle->node.id;
	record.kind = (uint32_t) export->kind;
	record.addr = export->addr;
	record.len = export->len;
	record.permissions = export->permissions;
	record.memory = (uint32_t) export->memory;
	record.memfd_offset = export->memfd_offset;
	record.slot = export->slot;
	record.generation = export->generation;
	record.was_imported = export->was_imported;
	record.is_crowd = export->is_crowd;
	record.importer_pid = (uint32_t) export->importer_pid;
	if (export->was_imported)
		record.importer_daemon = (ProtobufCBinaryData){sizeof(export->importer_daemon),
							       export->importer_daemon};
	record.secret = (ProtobufCBinaryData){EXPORT_SECRET_LEN, export->secret};
	if (export->kind == DOCOCORE__EXPORT_KIND__PCI)
		record.pass_on = (ProtobufCBinaryData){EXPORT_SECRET_LEN, export->pass_on};
	record.created_at_ns = export->created_at_ns;
	record.request_id = export->request_id;
	if (r == 0)
		r = keep_put(session->daemon, &export->kept, REGISTRY__RECORD_TYPE__EXPORT,
			     export->node.id, &record.base);
	keep_check(session, r);
}

void keep_import(struct import *import)
{
	struct session *session = import->session;
	Registry__Import record = REGISTRY__IMPORT__INIT;

	if (!keep_wants(session))
		return;
	record.session = session->id;
	record.handle = import->handle->node.id;
	record.state = (uint32_t)import->state;
	record.kind = (uint32_t)import->kind;
	record.exporter_side = (char *)side_name(import->exporter_side);
	record.export_id = import->export_id;
	if (import->state == IMPORT_PENDING || import->is_distant)
		record.secret = (ProtobufCBinaryData){EXPORT_SECRET_LEN, import->secret};
	if (import->state == IMPORT_PENDING && import->names_daemon)
		record.exporter_daemon = (ProtobufCBinaryData){PEER_DAEMON_ID_LEN,
							       import->exporter_daemon};
	record.needs_daemons = import->needs_daemons;
	record.addr = import->addr;
	record.len = import->len;
	record.permissions = import->permissions;
	record.memory = (uint32_t)import->memory;
	record.exporter_pid = (uint32_t)import->exporter_pid;
	record.exporter_uid = import->exporter_uid;
	record.exporter_device = import->exporter_device;
	record.peer_daemon_id = (ProtobufCBinaryData){PEER_DAEMON_ID_LEN, import->peer_daemon_id};
	record.created_at_ns = import->created_at_ns;
	record.request_id = import->request_id;
	record.same_process = import->same_process;
	record.is_distant = import->is_distant;
	record.slot = import->slot;
	record.generation = import->generation;
	record.agent_id = import->agent_id;
	keep_check(session, keep_put(session->daemon, &import->kept, REGISTRY__RECORD_TYPE__IMPORT,
				     import->node.id, &record.base));
}

/*
 * Writes the session's own record last: without it the next daemon instance takes the other records
 * as belonging to no session.
 */
static void keep_anew(struct session *session)
{
	struct journal_subject before;
	struct handle *handle;
	struct export *export;
	struct import *import;

	session->is_kept = true;
	(void)keep_session_blocks(session);
	list_for_each(handle, &session->handle_list, link) keep_handle(handle);
	list_for_each(export, &session->exports, session_link) keep_export(export);
	list_for_each(import, &session->imports, session_link) keep_import(import);
	keep_comch(session);
	keep_session(session);
	if (session->counters.fd >= 0)
		keep_counters(session);
	if (!keep_wants(session))
		return;
	session->is_keep_owed = false;
	before = session_enter_journal(session, NULL);
	log_info("client %llu (%s, pid %d) would be resumed after a restart",
		 (unsigned long long)session->id, session->program, session->pid);
	journal_leave(&before);
}

/* Returns false if the manager does not read. */
static bool keep_ledger_anew(struct daemon *daemon)
{
	int r;

	if (!daemon->is_ledger_owed)
		return true;
	r = fdstore_put_named(ledger_fd(daemon->ledger), "ledger");
	daemon->is_ledger_owed = r == -EAGAIN;
	if (r < 0 && r != -EAGAIN)
		log_warning("there is no fd store: clients connect again after a restart");
	return r != -EAGAIN;
}

/*
 * Tries the sessions that are not persisted, starting after the last one tried, until n_tries have
 * failed: a client with more objects than there is room for must not block others. Returns true if
 * one was persisted; sets *left_out to true if there are more.
 */
static bool keep_some(struct daemon *daemon, unsigned n_tries, bool *left_out)
{
	unsigned n_failed = 0;
	struct session *session;
	bool kept = false;

	list_for_each(session, &daemon->sessions, link)
	{
		if (!session->is_keep_owed || session->dying)
			continue;
		*left_out = true;
		/*
		 * Records of objects that belong to a waiting answer are written after the client
		 * has received it.
		 */
		if (session->id <= daemon->keep_tried || !session_is_answered(session))
			continue;
		keep_anew(session);
		kept |= session->is_kept;
		if (session->is_kept || ++n_failed < n_tries)
			continue;
		daemon->keep_tried = session->id;
		return kept;
	}
	daemon->keep_tried = 0;
	return kept;
}

static bool keep_try(struct daemon *daemon, unsigned n_tries, bool *left_out)
{
	bool kept = false;

	*left_out = false;
	fdstore_wait(false);
	if (keep_ledger_anew(daemon))
		kept = keep_some(daemon, n_tries, left_out);
	else
		*left_out = true;
	fdstore_wait(true);
	return kept;
}

static void keep_again(void *user)
{
	struct daemon *daemon = user;
	bool kept, left;

	daemon->is_keep_again_set = false;
	if (!daemon->ledger)
		return;
	daemon->is_keep_room = true;
	kept = keep_try(daemon, KEEP_TRIES, &left);
	/* A busy manager reads soon, but nothing tells when there will be room. */
	if (kept || daemon->is_keep_room)
		daemon->keep_delay_ns = KEEP_AGAIN_NS;
	else
		daemon->keep_delay_ns = MIN(2 * daemon->keep_delay_ns, KEEP_AGAIN_MAX_NS);
	if (left)
		keep_set_again(daemon, kept ? KEEP_NEXT_NS : daemon->keep_delay_ns);
}

static void keep_forget_ledger(struct daemon *daemon)
{
	daemon->ledger = ledger_free(daemon->ledger);
	daemon->kept.cell = 0;
}

/* Creates a ledger and stores its descriptor. */
static int keep_make_ledger(struct daemon *daemon)
{
	int r = ledger_new(LEDGER_CELLS, &daemon->ledger);
	int fd;

	if (r < 0)
		return r;
	fd = ledger_fd(daemon->ledger);
	r = fdstore_put_named(fd, "ledger");
	if (r == -EAGAIN) {
		daemon->is_ledger_owed = true;
		keep_again_soon(daemon);
		return 0;
	}
	if (r < 0)
		keep_forget_ledger(daemon);
	return r;
}

/*
 * Opens the ledger of an earlier daemon instance. Returns 0, or -errno after discarding everything
 * in it.
 */
static int keep_open_ledger(struct daemon *daemon, int fd)
{
	int r = ledger_open(fd, &daemon->ledger);

	if (r == 0)
		r = resume_all(daemon);
	if (r == 0)
		return 0;
	journal_log(JOURNAL_NOT_RESUMED, log_error,
		    "what an earlier instance wrote down is of no use (%s): starting clean, "
		    "clients connect again by their next call",
		    r == -EPROTONOSUPPORT ? "another version of the daemon wrote it, in a format "
					    "that this one does not read"
		    : r == -EPROTO        ? "it is damaged, or has what only a later version knows"
					  : strerror(-r));
	keep_forget_ledger(daemon);
	fdstore_drop_named("ledger");
	return r;
}

/*
 * Returns the usable number of descriptors. systemd 254 and later report their limit. A manager
 * closes descriptors beyond it without an error.
 */
static size_t keep_room(size_t max_fds)
{
	const char *text = getenv("FDSTORE");
	unsigned long n = text ? strtoul(text, NULL, 10) : 0;

	/* One descriptor is the ledger. */
	if (max_fds == 0 || n == 0 || n - 1 >= max_fds)
		return max_fds;
	log_warning("the service manager takes %lu descriptors, which is less than --fd-store %zu "
		    "and one for the ledger: raise FileDescriptorStoreMax",
		    n, max_fds);
	return n > 1 ? n - 1 : 1;
}

void keep_start(struct daemon *daemon, size_t max_fds)
{
	int fd = inherit_take("ledger");
	int r = -ENOENT;

	fdstore_init(keep_room(max_fds));
	/* Without the timer, a session that finds no room once is never persisted. */
	daemon->keep_again = loop_timer_new(daemon->loop, keep_again, daemon);
	if (max_fds == 0) {
		/*
		 * The store was enabled before. Otherwise the manager would keep its descriptors,
		 * and clients whose sockets it holds would wait for ever.
		 */
		if (fd >= 0)
			fdstore_drop_named("ledger");
		fd_close(&fd);
		r = (int)fdstore_drop_rest();
		if (r > 0)
			log_info("the fd store is not used any more: descriptors dropped %d", r);
		return;
	}
	if (fd >= 0)
		r = keep_open_ledger(daemon, fd);
	fdstore_drop_rest();
	if (r < 0) {
		r = keep_make_ledger(daemon);
		if (r < 0)
			log_warning("there is no fd store: clients connect again after a restart");
	}
	keep_ids(daemon);
}

void keep_stop(struct daemon *daemon)
{
	struct session *session;
	bool left;

	list_for_each(session, &daemon->sessions, link)
	{
		if (session->counters.is_new)
			keep_counters(session);
	}
	/* This is the last attempt, so it tries all sessions. */
	daemon->keep_tried = 0;
	if (daemon->ledger)
		keep_try(daemon, UINT_MAX, &left);
	daemon->keep_again = loop_source_free(daemon->keep_again);
	keep_forget_ledger(daemon);
	fdstore_deinit();
}
