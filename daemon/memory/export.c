/* Export registry; see export.h. */
#include "daemon/memory/export.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "daemon/base/client_doorbell.h"
#include "daemon/base/journal.h"
#include "daemon/base/daemon.h"
#include "daemon/memory/memory.h"
#include "daemon/memory/export_memory.h"
#include "daemon/memory/export_sync.h"
#include "daemon/memory/import.h"
#include "daemon/peer/peer.h"
#include "daemon/session/persist.h"
#include "daemon/session/session.h"
#include "util/clock.h"
#include "util/fd.h"
#include "util/log.h"
#include "util/memfd.h"
#include "util/secret.h"
#include "util/str.h"

#define ACCESS_RDMA_ANY (ACCESS_RDMA_READ | ACCESS_RDMA_WRITE | ACCESS_RDMA_ATOMIC)
#define ACCESS_PCI_ANY  (ACCESS_PCI_READ_ONLY | ACCESS_PCI_READ_WRITE)

const char export_unknown_text[] =
	"the descriptor proves no export that is alive: it was made up, its mmap was stopped, its "
	"process ended, or an administrator revoked it; ask the exporter for a new one";

const char *export_busy_reason(const struct export *export, const uint8_t daemon_id[16], pid_t pid)
{
	bool same = pid > 0 && pid == export->importer_pid &&
		    memcmp(daemon_id, export->importer_daemon, sizeof(export->importer_daemon)) ==
			    0;

	if (export->kind != DOCOCORE__EXPORT_KIND__RDMA_QP)
		return NULL;
	/*
	 * Grants end with the link and with this daemon. Descriptors that were sent stay with the
	 * process that received them.
	 */
	if (export->n_grants == 0 && export->n_imports == 0 && (!export->was_imported || same))
		return NULL;
	return "the queue pair has another end already: each connection needs details of its own "
	       "from both ends";
}

void export_acquire(struct export *export, const uint8_t daemon_id[16], pid_t pid)
{
	if (export->kind != DOCOCORE__EXPORT_KIND__RDMA_QP)
		return;
	export->was_imported = true;
	export->importer_pid = pid;
	memcpy(export->importer_daemon, daemon_id, sizeof(export->importer_daemon));
	persist_export(export);
}

void export_release(struct export *export)
{
	if (export->kind != DOCOCORE__EXPORT_KIND__RDMA_QP || export->daemon->stopping)
		return;
	export->was_imported = false;
	persist_export(export);
}

static bool export_is_allowed(const struct caps *caps, Dococore__ExportKind kind)
{
	switch (kind) {
	case DOCOCORE__EXPORT_KIND__PCI:
		return caps->export_pci;
	case DOCOCORE__EXPORT_KIND__RDMA:
		return caps->export_rdma;
	case DOCOCORE__EXPORT_KIND__SYNC_PCI:
		return caps->sync_export_pci;
	case DOCOCORE__EXPORT_KIND__SYNC_NET:
		return caps->sync_export_net;
	case DOCOCORE__EXPORT_KIND__RDMA_QP:
		return caps->rdma;
	default:
		return false;
	}
}

struct export *export_free(struct export *export)
{
	struct daemon *daemon = export->daemon;

	if (export->has_slot) {
		session_slot_release(export->session, export->slot);
		if (export->node.id)
			export_sync_wake(export);
	}
	while (!list_is_empty(&export->imports))
		import_mark_gone(list_entry(export->imports.next, struct import, export_link));
	while (!list_is_empty(&export->grants)) {
		struct grant *grant = list_entry(export->grants.next, struct grant, export_link);

		grant_notify_gone(grant);
		grant_free(grant);
	}
	if (export->node.id) {
		events_emit(&daemon->events, OBJECT_EXPORT, OBJECT_REMOVED, export);
		idmap_remove(&daemon->memory->export_map, &export->node);
		list_remove(&export->link);
		list_remove(&export->in_session.link);
		daemon->memory->n_exports--;
		export->session->n_exports--;
		export->handle->n_users--;
		events_emit_totals(&daemon->events);
	}
	persist_drop(daemon, &export->persisted);
	fd_close(&export->memfd);
	fd_close(&export->words_fd);
	fd_close(&export->event_fd);
	charge_release(&export->charge);
	secret_free(export->secret);
	free(export);
	return NULL;
}

static struct export *export_find(struct daemon *daemon, uint64_t id)
{
	struct idmap_node *node = idmap_find(&daemon->memory->export_map, id);

	return node ? container_of(node, struct export, node) : NULL;
}

/* Revokes the export for good: its client does not register it again with a later session. */
static void export_revoke_for_good(struct export *export)
{
	struct session *session = export->session;
	const struct handle *handle = export->handle;
	uint64_t id = export->node.id;
	uint32_t slot = export->slot;

	export_free(export);
	session_slot_revoke(session, slot);
	session->daemon->export_hooks->revoked(session, handle, id);
}

int export_revoke(struct daemon *daemon, uint64_t export_id)
{
	struct export *export = export_find(daemon, export_id);

	if (!export)
		return -ENOENT;
	journal_log(JOURNAL_EXPORT_REVOKED, log_info, "export %llu of client %llu (pid %d) revoked",
		    (unsigned long long)export_id, (unsigned long long)export->session->id,
		    export->session->pid);
	export_revoked_add(&daemon->memory->revoked, export_id);
	persist_revoked(daemon);
	export_revoke_for_good(export);
	return 0;
}

void exports_end_gone(struct daemon *daemon)
{
	struct journal_subject before;
	struct export *export, *tmp;

	list_for_each_safe(export, tmp, &daemon->memory->exports, link)
	{
		if (!export->handle->is_gone)
			continue;
		before = session_enter_journal(export->session, NULL);
		log_info("export %llu of client %llu (pid %d) ends with its device '%s'",
			 (unsigned long long)export->node.id,
			 (unsigned long long)export->session->id, export->session->pid,
			 export->device->spec->name);
		journal_leave(&before);
		/* The process at the other end of the queue pair may be asleep. */
		if (export->kind == DOCOCORE__EXPORT_KIND__RDMA_QP)
			client_doorbell_ring_edge(export->event_fd);
		export_revoke_for_good(export);
	}
}

/* True if the claim is for RDMA and the export is memory that was exported over PCI. */
static bool export_is_passed_on(const struct export *export, Dococore__ExportKind claimed)
{
	return export->kind == DOCOCORE__EXPORT_KIND__PCI && claimed == DOCOCORE__EXPORT_KIND__RDMA;
}

struct export *export_find_claimed(struct daemon *daemon, const struct export_claim *claim)
{
	static const uint8_t nothing[EXPORT_SECRET_LEN];
	struct export *export = export_find(daemon, claim->export_id);
	bool is_passed_on = export && export_is_passed_on(export, claim->kind);
	const uint8_t *secret = is_passed_on ? export->pass_on : export ? export->secret : nothing;
	bool equal = str_equal_secret(secret, claim->secret, EXPORT_SECRET_LEN);

	return export && equal && (is_passed_on || export->kind == claim->kind) ? export : NULL;
}

uint32_t export_permissions(const struct export *export, Dococore__ExportKind claimed)
{
	if (!export_is_passed_on(export, claimed))
		return export->permissions;
	return export->permissions & ACCESS_PCI_READ_WRITE ? ACCESS_RDMA_READ | ACCESS_RDMA_WRITE
							   : ACCESS_RDMA_READ;
}

void export_fds_deinit(struct export_fds *fds)
{
	fd_close(&fds->passing);
	fds->n_fds = 0;
}

Dococore__MemoryKind export_memory_for(const struct export *export,
				       const struct export_importer *importer)
{
	bool is_file = export->memory == DOCOCORE__MEMORY_KIND__FILE;

	if ((export->same_user && importer->uid != export->session->uid) ||
	    (is_file && !importer->knows_files))
		return DOCOCORE__MEMORY_KIND__PRIVATE;
	return export->memory;
}

int export_get_fds(const struct export *export, const struct export_importer *importer,
		   struct export_fds *fds_out)
{
	bool is_private = export_memory_for(export, importer) == DOCOCORE__MEMORY_KIND__PRIVATE;
	const int own[] = {is_private ? -1 : export->memfd, export->words_fd, export->event_fd};
	struct export_fds fds = {.n_fds = 0, .passing = -1};
	int page = session_open_read_only_fd(export->session) ? export->session->liveness_read_fd
							      : -1;

	if (export->session->pidfd < 0)
		return -EBADF;
	if (page < 0)
		page = fds.passing = session_open_read_only(export->session);
	if (page < 0)
		return page;
	fds.fds[fds.n_fds++] = page;
	fds.fds[fds.n_fds++] = export->session->pidfd;
	for (size_t i = 0; i < ARRAY_LEN(own); i++)
		if (own[i] >= 0)
			fds.fds[fds.n_fds++] = own[i];
	*fds_out = fds;
	return 0;
}

/* Checks the rules that need no registry. Returns 0, or 1 after sending a refusal. */
static int export_check(struct session *session, const Dococore__Packet *packet,
			const struct device *device)
{
	const Dococore__ExportCreate *ask = packet->export_create;
	const struct caps *caps = &device->spec->caps;
	bool pci = export_kind_is_pci(ask->kind);
	bool is_qp = ask->kind == DOCOCORE__EXPORT_KIND__RDMA_QP;
	uint32_t needed = pci ? ACCESS_PCI_ANY : ACCESS_RDMA_ANY;

	if (ask->len == 0 || ask->addr + ask->len < ask->addr) {
		session_refuse(
			session, packet->id, CODE_INVALID_VALUE,
			"a range of %llu bytes at address %llu cannot be exported: it is empty or "
			"passes the end of the address space",
			(unsigned long long)ask->len, (unsigned long long)ask->addr);
	} else if (ask->permissions & ~(uint32_t)ACCESS_ALL ||
		   (ask->permissions & ACCESS_PCI_ANY) == ACCESS_PCI_ANY) {
		session_refuse(
			session, packet->id, CODE_INVALID_VALUE,
			"permissions %u are not valid: an unknown bit, or PCI read-only and PCI "
			"read-write together",
			ask->permissions);
	} else if (export_kind_is_sync(ask->kind) && export_sync_error(ask)) {
		session_refuse(session, packet->id, CODE_INVALID_VALUE,
			       "a sync event cannot be exported: %s", export_sync_error(ask));
	} else if (is_qp && ask->memory != DOCOCORE__MEMORY_KIND__MEMFD) {
		session_refuse(session, packet->id, CODE_INVALID_VALUE,
			       "a queue pair cannot be exported: its inbox must lie in a memfd");
	} else if (!export_is_allowed(caps, ask->kind)) {
		session_refuse(session, packet->id, CODE_NOT_SUPPORTED,
			       "device '%s' does not export for %s: ask its capabilities, and use "
			       "a device "
			       "that does",
			       device->spec->name, export_kind_name(ask->kind));
	} else if (!is_qp && !(ask->permissions & needed)) {
		session_refuse(session, packet->id, CODE_NOT_PERMITTED,
			       "the %s's permissions (%u) allow no %s access: set %s before it "
			       "is started",
			       export_kind_is_sync(ask->kind) ? "sync event" : "mmap",
			       ask->permissions, pci ? "PCI" : "RDMA",
			       pci ? "PCI_READ_ONLY or PCI_READ_WRITE"
				   : "RDMA_READ, RDMA_WRITE or RDMA_ATOMIC");
	} else if (session->pidfd < 0) {
		session_refuse(session, packet->id, CODE_OPERATING_SYSTEM,
			       "the daemon has no pidfd of this process, which importers need: is "
			       "it in a pid "
			       "namespace that the daemon does not see?");
	} else {
		return 0;
	}
	return 1;
}

/* Adopts the eventfd of a queue pair. Returns 0, or 1 after sending a refusal. */
static int export_adopt_eventfd(struct export *export, const Dococore__Packet *packet,
				struct fdset *fds)
{
	export->event_fd = fdset_steal(fds, 1);
	if (fd_is_eventfd(export->event_fd))
		return 0;
	session_refuse(export->session, packet->id, CODE_INVALID_VALUE,
		       "a queue pair cannot be exported: its second descriptor is no eventfd");
	return 1;
}

static void export_object_free(struct session_object *object)
{
	export_free(container_of(object, struct export, in_session));
}

static const struct session_object_ops export_object_ops = {
	.free = export_object_free,
	.save = export_object_save,
	.forget = export_object_forget,
};

/* Adds the export, whose id is set, to all lists. */
static void export_link(struct export *export)
{
	export->order = ++export->daemon->memory->last_export_order;
	list_append(&export->daemon->memory->exports, &export->link);
	session_add_object(export->session, SESSION_EXPORTS, &export->in_session,
			   &export_object_ops);
	export->daemon->memory->n_exports++;
	export->session->n_exports++;
	export->handle->n_users++;
}

static int export_charge(struct export *export)
{
	struct session *session = export->session;
	bool sync = export_kind_is_sync(export->kind);
	int r;

	r = session_charge(session, &export->charge, CHARGE_EXPORTS, 1);
	if (r == 0 && sync)
		r = session_charge(session, &export->charge, CHARGE_SYNC_EVENTS, 1);
	if (r == 0 && export->memfd >= 0)
		r = session_charge(session, &export->charge, CHARGE_FDS,
				   export_kind_n_fds(export->kind));
	return r;
}

/*
 * Ends a queue pair's export if its session has ended. The event loop may process the end of that
 * session after a request that depends on it.
 */
static void export_end_left(struct daemon *daemon, uint64_t id)
{
	struct export *export = export_find(daemon, id);

	if (export && session_has_left(export->session))
		export_free(export);
}

/* before: the previous secret, or NULL for a new one. Returns 0 or -errno. */
static int export_set_pass_on(struct export *export, const uint8_t *before)
{
	ssize_t n;

	if (export->kind != DOCOCORE__EXPORT_KIND__PCI)
		return 0;
	if (before) {
		memcpy(export->pass_on, before, EXPORT_SECRET_LEN);
		return 0;
	}
	n = getrandom(export->pass_on, EXPORT_SECRET_LEN, 0);
	return n < 0 ? -errno : n == EXPORT_SECRET_LEN ? 0 : -EIO;
}

/*
 * Restores an export from before a restart of the daemon, if the id proves that it belongs to this
 * user. Returns 0, -EPERM, -EEXIST, -EIO or -ENOMEM.
 */
static int export_restore(struct export *export, const Dococore__ExportCreate *ask)
{
	uint64_t id;
	int r = export_id_of(ask->restore_secret.data, export->session->uid, &id);

	if (r < 0)
		return r;
	if (id != ask->restore_export_id ||
	    export_revoked_has(&export->daemon->memory->revoked, id))
		return -EPERM;
	export_end_left(export->daemon, id);
	memcpy(export->secret, ask->restore_secret.data, EXPORT_SECRET_LEN);
	r = export_set_pass_on(export, ask->restore_pass_on.len == EXPORT_SECRET_LEN
					       ? ask->restore_pass_on.data
					       : NULL);
	if (r < 0)
		return r;
	return idmap_add(&export->daemon->memory->export_map, &export->node, id);
}

/* Sets id and secret: new ones, or those from before a restart. */
static int export_identify(struct export *export, const Dococore__ExportCreate *ask)
{
	uint64_t id;
	int r;

	if (ask->restore_secret.len == EXPORT_SECRET_LEN && ask->restore_export_id)
		return export_restore(export, ask);
	do {
		r = export_id_make(export->session->uid, export->secret, export->pass_on, &id);
		if (r == 0)
			r = idmap_add(&export->daemon->memory->export_map, &export->node, id);
	} while (r == -EEXIST);
	return r;
}

static int export_register(struct export *export, const Dococore__ExportCreate *ask)
{
	struct session *session = export->session;
	int r;

	r = export_charge(export);
	if (r == 0)
		r = session_slot_allocate(session, &export->slot, &export->generation);
	export->has_slot = r == 0;
	if (r == 0)
		r = export_identify(export, ask);
	if (r < 0)
		return r;
	export_link(export);
	return 0;
}

static void export_reply(const struct export *export, uint64_t request_id)
{
	Dococore__ExportReply reply = DOCOCORE__EXPORT_REPLY__INIT;
	Dococore__Packet packet = DOCOCORE__PACKET__INIT;

	reply.export_id = export->node.id;
	reply.secret = (ProtobufCBinaryData){EXPORT_SECRET_LEN, export->secret};
	if (export->kind == DOCOCORE__EXPORT_KIND__PCI)
		reply.pass_on = (ProtobufCBinaryData){EXPORT_SECRET_LEN, export->pass_on};
	reply.slot = export->slot;
	reply.generation = export->generation;
	reply.may_be_remote = config_uses_tls(export->daemon->config);
	packet.id = request_id;
	packet.body_case = DOCOCORE__PACKET__BODY_EXPORT_REPLY;
	packet.export_reply = &reply;
	session_reply(export->session, &packet, NULL, 0);
}

static struct export *export_new(struct session *session, struct handle *handle,
				 const Dococore__ExportCreate *ask)
{
	struct export *export = calloc(1, sizeof(*export));

	if (!export)
		return NULL;
	export->secret = secret_alloc(2u * EXPORT_SECRET_LEN);
	if (!export->secret) {
		free(export);
		return NULL;
	}
	export->pass_on = export->secret + EXPORT_SECRET_LEN;
	export->daemon = session->daemon;
	export->session = session;
	export->handle = handle;
	export->device = handle->device;
	export->kind = ask->kind;
	export->addr = ask->addr;
	export->len = ask->len;
	export->permissions = ask->permissions;
	export->memory = ask->memory;
	export->memfd_offset = ask->memfd_offset;
	export->same_user = ask->same_user && export_kind_has_transport(ask->kind);
	snprintf(export->memory_reason, sizeof(export->memory_reason), "%s", ask->memory_reason);
	str_make_printable(export->memory_reason);
	export->memfd = -1;
	export->words_fd = -1;
	export->event_fd = -1;
	export->created_at_ns = clock_wall_ns();
	list_init(&export->grants);
	list_init(&export->imports);
	return export;
}

/* True if the descriptors restored from an earlier daemon instance have the expected types. */
static bool export_saved_is_valid(const struct export *export)
{
	bool sync = export_kind_is_sync(export->kind);
	bool rings = sync || export->kind == DOCOCORE__EXPORT_KIND__RDMA_QP;
	bool shared = export->memory == DOCOCORE__MEMORY_KIND__MEMFD;

	if (export->memory == DOCOCORE__MEMORY_KIND__FILE)
		return export->memfd >= 0 && export->words_fd < 0 && export->event_fd < 0 &&
		       export->same_user && !export_check_file(export);
	if (shared != (export->memfd >= 0) || (rings && !shared) ||
	    sync != (export->words_fd >= 0) || rings != (export->event_fd >= 0) ||
	    (unsigned)export->kind > DOCOCORE__EXPORT_KIND__RDMA_QP)
		return false;
	if (shared && (export_check_memfd(export) || !export_is_sealed_right(export)))
		return false;
	return (!sync || memfd_verify_exact(export->words_fd, SYNC_WORDS_LEN) == 0) &&
	       (!rings || fd_is_eventfd(export->event_fd));
}

static void export_apply_saved(struct export *export, const struct export_saved *saved)
{
	bool sync = export_kind_is_sync(export->kind);

	export->memfd = saved->fds[0];
	export->words_fd = sync ? saved->fds[1] : -1;
	export->event_fd = saved->fds[sync ? 2 : 1];
	export->slot = saved->slot;
	export->generation = saved->generation;
	export->was_imported = saved->was_imported;
	export->is_shared = saved->is_shared;
	export->importer_pid = saved->importer_pid;
	memcpy(export->importer_daemon, saved->importer_daemon, sizeof(export->importer_daemon));
	memcpy(export->secret, saved->secret, EXPORT_SECRET_LEN);
	export->created_at_ns = saved->created_at_ns;
	export->request_id = saved->request_id;
}

int export_resume(struct session *session, const struct export_saved *saved,
		  struct export **export_out)
{
	Dococore__ExportCreate ask = DOCOCORE__EXPORT_CREATE__INIT;
	struct export *export = NULL;
	struct handle *handle;
	int r = 0;

	ask.kind = (Dococore__ExportKind)saved->kind;
	ask.addr = saved->addr;
	ask.len = saved->len;
	ask.permissions = saved->permissions;
	ask.memory = (Dococore__MemoryKind)saved->memory;
	ask.memfd_offset = saved->memfd_offset;
	ask.memory_reason = (char *)saved->memory_reason;
	ask.same_user = saved->same_user;
	if (handle_find_device(session, saved->handle, &handle))
		export = export_new(session, handle, &ask);
	if (!export) {
		for (size_t i = 0; i < ARRAY_LEN(saved->fds); i++)
			fd_close(&(int){saved->fds[i]});
		return -ENOENT;
	}
	export_apply_saved(export, saved);
	if (!export_saved_is_valid(export))
		r = -EBADF;
	if (r == 0)
		r = export_set_pass_on(export, saved->pass_on);
	if (r == 0)
		r = export_charge(export);
	if (r == 0)
		r = session_slot_resume(session, saved->slot);
	if (r == 0)
		r = idmap_add(&export->daemon->memory->export_map, &export->node, saved->id);
	if (r < 0) {
		export_free(export);
		return r;
	}
	export->has_slot = true;
	export_link(export);
	*export_out = export;
	return 0;
}

bool export_create_again(struct session *session, const Dococore__Packet *packet)
{
	const struct export *export;

	list_for_each(export, &session->objects[SESSION_EXPORTS], in_session.link)
	{
		if (export->request_id != packet->id)
			continue;
		export_reply(export, packet->id);
		return true;
	}
	return false;
}

int export_on_create(struct session *session, const Dococore__Packet *packet, struct fdset *fds)
{
	const Dococore__ExportCreate *ask = packet->export_create;
	struct handle *handle;
	struct device *device = handle_find_device(session, ask->device, &handle);
	struct export *export;
	int r;

	if (!device)
		return session_refuse(session, packet->id, CODE_NOT_FOUND,
				      "handle %llu is no open device of this connection",
				      (unsigned long long)ask->device);
	if (handle_refuse_gone(session, packet->id, handle) ||
	    export_check(session, packet, device) > 0)
		return 0;
	export = export_new(session, handle, ask);
	if (!export)
		return session_refuse_errno(session, packet->id, -ENOMEM, "an export");
	if ((ask->memory == DOCOCORE__MEMORY_KIND__MEMFD &&
	     export_adopt_memfd(export, packet, fds) > 0) ||
	    (ask->memory == DOCOCORE__MEMORY_KIND__FILE &&
	     export_adopt_file(export, packet, fds) > 0) ||
	    (export_kind_is_sync(ask->kind) && export_sync_adopt(export, packet, fds) > 0) ||
	    (ask->kind == DOCOCORE__EXPORT_KIND__RDMA_QP &&
	     export_adopt_eventfd(export, packet, fds) > 0)) {
		export_free(export);
		return 0;
	}
	r = export_register(export, ask);
	if (r < 0) {
		export_free(export);
		if (r == -EEXIST)
			return session_refuse(
				session, packet->id, CODE_ALREADY_EXIST,
				"export id %llu is in use: it cannot be restored, export the "
				"mmap again",
				(unsigned long long)ask->restore_export_id);
		if (r == -EPERM)
			return session_refuse(
				session, packet->id, CODE_NOT_PERMITTED,
				"export id %llu cannot be restored: it was another user's, of a "
				"daemon of an earlier version, or revoked by an operator: export "
				"the mmap again",
				(unsigned long long)ask->restore_export_id);
		if (r == -ENOSPC)
			return session_refuse(
				session, packet->id, CODE_NO_MEMORY,
				"this connection has as many exports and imports as it may have, "
				"%u: end some, or export from another process",
				SESSION_MAX_SLOTS);
		return session_refuse_errno(session, packet->id, r, "an export");
	}
	/*
	 * The first record names the request that created the export, so that a repetition of the
	 * request is only answered.
	 */
	export->request_id = packet->id;
	if (ask->restore_export_id)
		export_sync_set_shared(export);
	log_debug("client %llu (%s) exports %llu bytes for %s through %s as %llu",
		  (unsigned long long)session->id, session->program,
		  (unsigned long long)export->len, export_kind_name(export->kind),
		  device->spec->name, (unsigned long long)export->node.id);
	persist_export(export);
	export_reply(export, packet->id);
	events_emit(&session->daemon->events, OBJECT_EXPORT, OBJECT_ADDED, export);
	events_emit_totals(&session->daemon->events);
	return 0;
}

int export_on_destroy(struct session *session, const Dococore__Packet *packet, struct fdset *fds)
{
	struct export *export = export_find(session->daemon, packet->export_destroy->export_id);

	(void)fds;
	/* An export that is gone and an export of another session get the same answer. */
	if (export && export->session == session)
		export_free(export);
	session_reply_ok(session, packet->id);
	return 0;
}
