/* The page that shows importers which exports of a session are alive; see session.h. */
#include "daemon/session/persist.h"
#include "daemon/session/session.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "daemon/base/account.h"
#include "daemon/base/daemon.h"
#include "daemon/store/persist.h"
#include "util/fd.h"
#include "util/memfd.h"
#include "util/util.h"

int session_map_liveness(struct session *session)
{
	session->liveness = memfd_map(session->liveness_fd, 0, SESSION_LIVENESS_LEN, true);
	return session->liveness ? 0 : -errno;
}

int session_make_liveness(struct session *session)
{
	CLEANUP_FD int fd = -1;
	int r;

	r = session_charge(session, &session->charge, CHARGE_BYTES, SESSION_LIVENESS_LEN);
	if (r < 0)
		return r;
	session->is_liveness_sealed_late = !persist_is_enabled(session->daemon);
	if (session->is_liveness_sealed_late)
		fd = memfd_create_sealable("dococored-liveness", SESSION_LIVENESS_LEN);
	else
		fd = memfd_create_sealed("dococored-liveness", SESSION_LIVENESS_LEN);
	if (fd < 0)
		return fd;
	session->liveness_fd = fd_steal(&fd);
	return session_map_liveness(session);
}

/*
 * Returns whether no importer can write the page. The client's library has sealed it; to seal it
 * here could block the daemon for as long as the client wants. Clients that could end the daemon
 * anyway may have an older library that does not.
 */
static bool session_page_is_sealed(const struct session *session)
{
	bool is_trusted = session->uid == 0 || session->uid == geteuid();

	return memfd_has_write_seal(session->liveness_fd) ||
	       (is_trusted && memfd_settle(session->liveness_fd, false));
}

int session_open_read_only(struct session *session)
{
	if (session->is_liveness_sealed_late && !session_page_is_sealed(session))
		return -EPERM;
	return fd_reopen(session->liveness_fd, O_RDONLY);
}

static int session_slots_grow(struct session *session)
{
	uint32_t n = session->n_slots_allocated ? session->n_slots_allocated * 2 : 64;
	uint32_t *free_slots;

	free_slots = realloc(session->free_slots, n * sizeof(*free_slots));
	if (!free_slots)
		return -ENOMEM;
	memset(free_slots + session->n_slots_allocated, 0,
	       (n - session->n_slots_allocated) * sizeof(*free_slots));
	session->free_slots = free_slots;
	session->n_slots_allocated = n;
	return 0;
}

int session_slot_allocate(struct session *session, uint32_t *slot_out, uint32_t *generation_out)
{
	uint32_t slot;
	int r;

	if (session->n_free_slots) {
		slot = session->free_slots[--session->n_free_slots];
	} else {
		if (session->n_slots == SESSION_MAX_SLOTS)
			return -ENOSPC;
		if (session->n_slots == session->n_slots_allocated) {
			r = session_slots_grow(session);
			if (r < 0)
				return r;
		}
		slot = session->n_slots++;
	}
	persist_session_ids(session);
	session->generation += 2;
	if ((session->generation | LIVENESS_SHARED) >= LIVENESS_REVOKED)
		session->generation = 2;
	atomic_store(&session->liveness->words[slot], session->generation);
	*slot_out = slot;
	*generation_out = session->generation;
	return 0;
}

int session_slot_resume(struct session *session, uint32_t slot)
{
	int r = 0;

	if (slot >= SESSION_MAX_SLOTS)
		return -ERANGE;
	while (session->n_slots_allocated <= slot && r == 0)
		r = session_slots_grow(session);
	if (r < 0)
		return r;
	/* While slots are being restored, the array marks those in use. */
	if (session->free_slots[slot])
		return -EEXIST;
	session->free_slots[slot] = 1;
	session->n_slots = MAX(session->n_slots, slot + 1);
	return 0;
}

/* Clears the words of slots without an export, which an unfinished export may have set. */
void session_resume_done(struct session *session)
{
	for (uint32_t slot = 0; slot < session->n_slots; slot++) {
		if (session->free_slots[slot])
			continue;
		if (atomic_load(&session->liveness->words[slot]) != LIVENESS_REVOKED)
			atomic_store(&session->liveness->words[slot], 0);
		session->free_slots[session->n_free_slots++] = slot;
	}
}

void session_slot_release(struct session *session, uint32_t slot)
{
	/*
	 * A daemon that stops does not end the export: its client registers it again with the next
	 * instance.
	 */
	if (!session->daemon->stopping)
		atomic_store(&session->liveness->words[slot], 0);
	session->free_slots[session->n_free_slots++] = slot;
}

void session_slot_kill(struct session *session, uint32_t slot)
{
	atomic_store(&session->liveness->words[slot], 0);
}

void session_notify_revocation(struct session *session)
{
	_Atomic uint32_t *revocations = &session->liveness->words[SESSION_MAX_SLOTS];

	atomic_fetch_add(revocations, 1);
	syscall(SYS_futex, revocations, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

void session_slot_revoke(struct session *session, uint32_t slot)
{
	atomic_store(&session->liveness->words[slot], LIVENESS_REVOKED);
	session_notify_revocation(session);
}

bool session_open_read_only_fd(struct session *session)
{
	int fd;

	if (session->liveness_read_fd >= 0)
		return true;
	if (charge_add(&session->charge, session->account, CHARGE_FDS, 1) < 0)
		return false;
	fd = session_open_read_only(session);
	if (fd < 0) {
		charge_drop(&session->charge, CHARGE_FDS, 1);
		return false;
	}
	session->liveness_read_fd = fd;
	return true;
}
