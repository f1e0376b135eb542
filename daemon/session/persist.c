/* Records of the daemon and of its sessions; see persist.h. resume/ reads them. */
#include "daemon/session/persist.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/base/inherit.h"
#include "daemon/base/journal.h"
#include "daemon/base/loop.h"
#include "daemon/base/daemon.h"
#include "daemon/config/arguments.h"
#include "daemon/topology/topology.h"
#include "daemon/session/session.h"
#include "daemon/store/fdstore.h"
#include "daemon/store/ledger.h"
#include "daemon/store/record.h"
#include "util/clock.h"
#include "util/fd.h"
#include "util/log.h"
#include "util/util.h"

/* Ids are reserved in blocks of this size, so that not every new id writes a record. */
#define PERSIST_ID_BLOCK 1024u

bool persist_is_active(const struct session *session)
{
	return session->is_persisted && session->daemon->ledger;
}

/*
 * Interval between attempts to persist sessions for which there was no room, and the interval while
 * attempts succeed: one attempt sends no more than the manager's socket holds.
 */
#define PERSIST_RETRY_NS     NS_PER_SEC
#define PERSIST_RETRY_MAX_NS (64 * NS_PER_SEC)
#define PERSIST_NEXT_NS      (50 * NS_PER_MS)
/*
 * A failed attempt stores what it can and removes it again, and the manager must process all of it.
 */
#define PERSIST_TRIES 4u

/* One end may be an unrelated kill at that moment. */
#define PERSIST_MAX_ENDS 2

void persist_begin_request(const struct session *session, uint64_t request_id)
{
	if (persist_is_active(session))
		ledger_begin(session->daemon->ledger, session->id, request_id);
}

void persist_end_request(const struct session *session)
{
	if (session->daemon->ledger)
		ledger_end(session->daemon->ledger);
}

bool persist_request_is_suspect(const struct session *session, uint64_t request_id)
{
	return persist_is_active(session) &&
	       ledger_n_ends(session->daemon->ledger, session->id, request_id) >= PERSIST_MAX_ENDS;
}

static void persist_forget(struct session *session)
{
	struct session_object *object;

	session->is_persisted = false;
	persist_drop(session->daemon, &session->persisted);
	/* These records are useless without the session's, and other sessions need their room. */
	for (size_t i = 0; i < SESSION_N_KINDS; i++)
		list_for_each(object, &session->objects[i], link) object->ops->forget(object);
}

static void persist_log_forgotten(const struct session *session, const char *why)
{
	struct journal_subject before = session_enter_journal(session, NULL);

	log_info("client %llu (%s, pid %d) would not be resumed after a restart: %s",
		 (unsigned long long)session->id, session->program, session->pid, why);
	journal_leave(&before);
}

void persist_stop_session(struct session *session, const char *why)
{
	if (!persist_is_active(session) && !session->is_persist_pending)
		return;
	session->is_persist_pending = false;
	persist_forget(session);
	persist_log_forgotten(session, why);
}

static void persist_set_retry(struct daemon *daemon, uint64_t delay_ns)
{
	if (daemon->persistence->retry_timer)
		daemon->persistence->is_retry_set = loop_timer_set(daemon->persistence->retry_timer,
								   delay_ns) == 0;
}

/* Schedules an attempt. Further requests do not postpone it. */
static void persist_schedule_retry(struct daemon *daemon)
{
	if (daemon->persistence->is_retry_set &&
	    daemon->persistence->retry_delay_ns <= PERSIST_RETRY_NS)
		return;
	daemon->persistence->retry_delay_ns = PERSIST_RETRY_NS;
	persist_set_retry(daemon, PERSIST_RETRY_NS);
}

/*
 * Stops persisting the session until the next attempt. If only the manager is busy, its other
 * records stay: without the session's own record they belong to no session, and the next attempt
 * has less to do.
 */
static void persist_postpone(struct session *session, int r)
{
	struct daemon *daemon = session->daemon;

	if (!persist_is_active(session))
		return;
	if (r == -EAGAIN) {
		session->is_persisted = false;
		persist_drop(daemon, &session->persisted);
	} else {
		persist_forget(session);
		daemon->persistence->has_room = false;
	}
	if (session->is_persist_pending)
		return;
	session->is_persist_pending = true;
	persist_log_forgotten(session, r == -ENOSPC ? "there is no room in the fd store or the "
						      "ledger; it is tried again"
						    : "the service manager does not read; it is "
						      "tried again");
	persist_schedule_retry(daemon);
}

void persist_check(struct session *session, int r)
{
	if (r == -ENOSPC || r == -EAGAIN)
		persist_postpone(session, r);
	else if (r < 0)
		persist_stop_session(session, strerror(-r));
}

/* Returns 0 or -errno, logged. */
static int persist_daemon(struct daemon *daemon)
{
	Registry__Daemon record = REGISTRY__DAEMON__INIT;
	int r;

	record.daemon_id = (ProtobufCBinaryData){sizeof(daemon->daemon_id), daemon->daemon_id};
	record.side = (char *)side_name(daemon->options->side);
	record.started_at_ns = daemon->started_at_ns;
	record.session_id = daemon->persistence->reserved_ids.session;
	record.import_id = daemon->persistence->reserved_ids.import;
	record.service_id = daemon->persistence->reserved_ids.service;
	record.channel_id = daemon->persistence->reserved_ids.channel;
	record.record_id = daemon->persistence->reserved_ids.record;
	record.rdma_id = daemon->persistence->reserved_ids.rdma;
	record.revoked = daemon->session_hooks->revoked_exports(daemon, &record.n_revoked);
	r = persist_put(daemon, &daemon->persistence->persisted, REGISTRY__RECORD_TYPE__DAEMON, 1,
			&record.base);
	if (r < 0)
		log_error("the ledger cannot be written: %s", strerror(-r));
	return r;
}

static bool persist_reserve_block(uint64_t next, uint64_t *reserved)
{
	if (next < *reserved)
		return false;
	*reserved = next + PERSIST_ID_BLOCK;
	return true;
}

void persist_ids(struct daemon *daemon)
{
	__typeof__(daemon->persistence->reserved_ids) before;
	bool changed;

	if (!daemon->ledger)
		return;
	memcpy(&before, &daemon->persistence->reserved_ids, sizeof(before));
	changed = persist_reserve_block(daemon->next_session_id,
					&daemon->persistence->reserved_ids.session);
	changed |= persist_reserve_block(daemon->next_import_id,
					 &daemon->persistence->reserved_ids.import);
	changed |= persist_reserve_block(daemon->next_service_id,
					 &daemon->persistence->reserved_ids.service);
	changed |= persist_reserve_block(daemon->next_channel_id,
					 &daemon->persistence->reserved_ids.channel);
	changed |= persist_reserve_block(daemon->next_record_id,
					 &daemon->persistence->reserved_ids.record);
	changed |= persist_reserve_block(daemon->next_rdma_id,
					 &daemon->persistence->reserved_ids.rdma);
	/* The next id tries again. The next daemon instance must not assign the same ids. */
	if (changed && persist_daemon(daemon) < 0)
		memcpy(&daemon->persistence->reserved_ids, &before, sizeof(before));
}

void persist_revoked(struct daemon *daemon)
{
	if (daemon->ledger)
		(void)persist_daemon(daemon);
}

/* Returns true if ids beyond the recorded block are in use. */
static bool persist_reserve_session_blocks(struct session *session)
{
	bool changed = false;

	if (session->generation + 2 >= session->reserved_generation) {
		session->reserved_generation = session->generation + 2 * PERSIST_ID_BLOCK;
		changed = true;
	}
	changed |= persist_reserve_block(session->next_handle, &session->reserved_handle);
	return changed;
}

void persist_session_ids(struct session *session)
{
	if (persist_is_active(session) && persist_reserve_session_blocks(session))
		persist_session(session);
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

void persist_session(struct session *session)
{
	Registry__Session record = REGISTRY__SESSION__INIT;
	Registry__Counted counted = REGISTRY__COUNTED__INIT;
	const int fds[] = {conn_fd(session->conn), session->liveness_fd};
	int r;

	if (!persist_is_active(session))
		return;
	r = persist_fds(&session->persisted, fds, ARRAY_LEN(fds), &record.n_fds, &record.fds);
	record.program = session->program;
	record.library = session->library;
	record.created_at_ns = session->created_at_ns;
	record.generation = session->reserved_generation;
	record.handle = session->reserved_handle;
	record.request_id = session->request_id;
	counted_to_record(&session->counters.earlier, &counted);
	record.counted = session->counters.has_earlier ? &counted : NULL;
	if (r == 0)
		r = persist_put(session->daemon, &session->persisted,
				REGISTRY__RECORD_TYPE__SESSION, session->id, &record.base);
	persist_check(session, r);
}

/* Index of the counters' descriptor, after those of persist_session(). */
#define PERSIST_COUNTERS_INDEX 2

void persist_counters(struct session *session)
{
	struct persisted *persisted = &session->persisted;

	session->counters.is_new = false;
	if (!persist_is_active(session) || persisted->n_fds != PERSIST_COUNTERS_INDEX)
		return;
	/* Persisting another client is more important than persisting counters. */
	if (!fdstore_has_plenty())
		return;
	if (fdstore_put(session->counters.fd, &persisted->fds[PERSIST_COUNTERS_INDEX]) < 0)
		return;
	persisted->n_fds++;
	persist_session(session);
}

void persist_drop_counters(struct session *session)
{
	struct persisted *persisted = &session->persisted;
	bool has_pages = persisted->n_fds > PERSIST_COUNTERS_INDEX;

	if (!persist_is_active(session) || !session->counters.has_earlier)
		return;
	/* Replaces the pages by their sums in one step, so that they are counted once. */
	persisted->n_fds = MIN(persisted->n_fds, PERSIST_COUNTERS_INDEX);
	persist_session(session);
	if (has_pages)
		fdstore_drop(persisted->fds[PERSIST_COUNTERS_INDEX]);
}

/*
 * Writes the session's own record last: without it the next daemon instance takes the other records
 * as belonging to no session.
 */
static void persist_whole_session(struct session *session)
{
	struct journal_subject before;
	struct session_object *object;

	session->is_persisted = true;
	(void)persist_reserve_session_blocks(session);
	for (size_t i = SESSION_N_KINDS; i > 0; i--)
		list_for_each(object, &session->objects[i - 1], link) object->ops->save(object);
	persist_session(session);
	if (session->counters.fd >= 0)
		persist_counters(session);
	if (!persist_is_active(session))
		return;
	session->is_persist_pending = false;
	before = session_enter_journal(session, NULL);
	log_info("client %llu (%s, pid %d) would be resumed after a restart",
		 (unsigned long long)session->id, session->program, session->pid);
	journal_leave(&before);
}

/* Returns false if the manager does not read. */
static bool persist_pending_ledger(struct daemon *daemon)
{
	int r;

	if (!daemon->persistence->is_ledger_pending)
		return true;
	r = fdstore_put_named(ledger_fd(daemon->ledger), "ledger");
	daemon->persistence->is_ledger_pending = r == -EAGAIN;
	if (r < 0 && r != -EAGAIN)
		log_warning("there is no fd store: clients connect again after a restart");
	return r != -EAGAIN;
}

/*
 * Tries the sessions that are not persisted, starting after the last one tried, until n_tries have
 * failed: a client with more objects than there is room for must not block others. Returns true if
 * one was persisted; sets *left_out to true if there are more.
 */
static bool persist_pending_sessions(struct daemon *daemon, unsigned n_tries, bool *left_out)
{
	unsigned n_failed = 0;
	struct session *session;
	bool persisted = false;

	list_for_each(session, &daemon->sessions->list, link)
	{
		if (!session->is_persist_pending || session_is_ending(session))
			continue;
		*left_out = true;
		/*
		 * Records of objects that belong to a waiting answer are written after the client
		 * has received it.
		 */
		if (session->id <= daemon->persistence->last_tried || !session_is_answered(session))
			continue;
		persist_whole_session(session);
		persisted |= session->is_persisted;
		if (session->is_persisted || ++n_failed < n_tries)
			continue;
		daemon->persistence->last_tried = session->id;
		return persisted;
	}
	daemon->persistence->last_tried = 0;
	return persisted;
}

static bool persist_pending(struct daemon *daemon, unsigned n_tries, bool *left_out)
{
	bool persisted = false;

	*left_out = false;
	fdstore_wait(false);
	if (persist_pending_ledger(daemon))
		persisted = persist_pending_sessions(daemon, n_tries, left_out);
	else
		*left_out = true;
	fdstore_wait(true);
	return persisted;
}

static void persist_retry(void *user)
{
	struct daemon *daemon = user;
	bool persisted, left;

	daemon->persistence->is_retry_set = false;
	if (!daemon->ledger)
		return;
	daemon->persistence->has_room = true;
	persisted = persist_pending(daemon, PERSIST_TRIES, &left);
	/* A busy manager reads soon, but nothing tells when there will be room. */
	if (persisted || daemon->persistence->has_room)
		daemon->persistence->retry_delay_ns = PERSIST_RETRY_NS;
	else
		daemon->persistence->retry_delay_ns = MIN(2 * daemon->persistence->retry_delay_ns,
							  PERSIST_RETRY_MAX_NS);
	if (left)
		persist_set_retry(daemon, persisted ? PERSIST_NEXT_NS
						    : daemon->persistence->retry_delay_ns);
}

static void persist_forget_ledger(struct daemon *daemon)
{
	daemon->ledger = ledger_free(daemon->ledger);
	daemon->persistence->persisted.cell = 0;
}

/* Creates a ledger and stores its descriptor. */
static int persist_create_ledger(struct daemon *daemon)
{
	int r = ledger_new(LEDGER_CELLS, &daemon->ledger);
	int fd;

	if (r < 0)
		return r;
	fd = ledger_fd(daemon->ledger);
	r = fdstore_put_named(fd, "ledger");
	if (r == -EAGAIN) {
		daemon->persistence->is_ledger_pending = true;
		persist_schedule_retry(daemon);
		return 0;
	}
	if (r < 0)
		persist_forget_ledger(daemon);
	return r;
}

/*
 * Opens the ledger of an earlier daemon instance. Returns 0, or -errno after discarding everything
 * in it.
 */
static int persist_open_ledger(struct daemon *daemon, int fd, persist_resume_fn resume)
{
	int r = ledger_open(fd, &daemon->ledger);

	if (r == 0)
		r = resume(daemon);
	if (r == 0)
		return 0;
	journal_log(JOURNAL_NOT_RESUMED, log_error,
		    "what an earlier instance wrote down is of no use (%s): starting clean, "
		    "clients connect again by their next call",
		    r == -EPROTONOSUPPORT ? "another version of the daemon wrote it, in a format "
					    "that this one does not read"
		    : r == -EPROTO        ? "it is damaged, or has what only a later version knows"
					  : strerror(-r));
	persist_forget_ledger(daemon);
	fdstore_drop_named("ledger");
	return r;
}

/*
 * Returns the usable number of descriptors. systemd 254 and later report their limit. A manager
 * closes descriptors beyond it without an error.
 */
static size_t persist_usable_fds(size_t max_fds)
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

void persist_start(struct daemon *daemon, size_t max_fds, persist_resume_fn resume)
{
	int fd = inherit_adopt("ledger");
	int r = -ENOENT;

	fdstore_init(persist_usable_fds(max_fds));
	/* Without the timer, a session that finds no room once is never persisted. */
	daemon->persistence->retry_timer = loop_timer_new(daemon->loop, persist_retry, daemon);
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
		r = persist_open_ledger(daemon, fd, resume);
	fdstore_drop_rest();
	if (r < 0) {
		r = persist_create_ledger(daemon);
		if (r < 0)
			log_warning("there is no fd store: clients connect again after a restart");
	}
	persist_ids(daemon);
}

void persist_stop(struct daemon *daemon)
{
	struct session *session;
	bool left;

	list_for_each(session, &daemon->sessions->list, link)
	{
		if (session->counters.is_new)
			persist_counters(session);
	}
	/* This is the last attempt, so it tries all sessions. */
	daemon->persistence->last_tried = 0;
	if (daemon->ledger)
		persist_pending(daemon, UINT_MAX, &left);
	daemon->persistence->retry_timer = loop_source_free(daemon->persistence->retry_timer);
	persist_forget_ledger(daemon);
	fdstore_deinit();
}
