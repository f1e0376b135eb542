/* Sync events among the exports; see export_sync.h. */
#include "daemon/memory/export_sync.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "daemon/base/client_doorbell.h"
#include "daemon/base/daemon.h"
#include "daemon/session/session.h"
#include "proto/shm_layout.h"
#include "util/fd.h"
#include "util/memfd.h"

#define COUNTER_LEN 8u

const char *export_sync_error(const Dococore__ExportCreate *ask)
{
	if (ask->memory != DOCOCORE__MEMORY_KIND__MEMFD)
		return "its counter must lie in a memfd";
	if (ask->len != COUNTER_LEN)
		return "its counter is 8 bytes long";
	if (ask->addr % COUNTER_LEN || ask->memfd_offset % COUNTER_LEN)
		return "its counter must be aligned to 8 bytes, in memory and in the memfd";
	return NULL;
}

/*
 * Maps the page of sleep words. Returns NULL on failure. Its size is sealed, so no process can
 * truncate it under the mapping.
 */
static struct sync_words *export_sync_map(int fd)
{
	if (memfd_verify_exact(fd, SYNC_WORDS_LEN) < 0)
		return NULL;
	return memfd_map(fd, 0, SYNC_WORDS_LEN, true);
}

/* Returns the reason why this descriptor has no valid sleep words, or NULL. */
static const char *export_sync_words_error(int fd)
{
	struct sync_words *words;
	bool known;

	switch (memfd_verify_exact(fd, SYNC_WORDS_LEN)) {
	case 0:
		break;
	case -EPERM:
		return "the memfd of its sleep words is not sealed against shrinking and growing";
	case -ERANGE:
		return "the memfd of its sleep words is not 4096 bytes long";
	default:
		return "its sleep words are in no memfd";
	}
	if ((fcntl(fd, F_GETFL) & O_ACCMODE) != O_RDWR)
		return "the memfd of its sleep words is not open for reading and writing";
	words = export_sync_map(fd);
	if (!words)
		return "the memfd of its sleep words cannot be mapped for writing";
	known = words->magic == SYNC_WORDS_MAGIC && words->version == SYNC_WORDS_LAYOUT;
	memfd_unmap(words, SYNC_WORDS_LEN);
	return known ? NULL : "its sleep words have another magic number or version";
}

int export_sync_adopt(struct export *export, const Dococore__Packet *packet, struct fdset *fds)
{
	const char *wrong;

	export->words_fd = fdset_steal(fds, 1);
	export->event_fd = fdset_steal(fds, 2);
	wrong = export_sync_words_error(export->words_fd);
	if (!wrong && !fd_is_eventfd(export->event_fd))
		wrong = "its third descriptor is no eventfd";
	if (!wrong)
		return 0;
	session_refuse(export->session, packet->id, CODE_INVALID_VALUE,
		       "a sync event cannot be exported: %s", wrong);
	return 1;
}

void export_sync_wake(const struct export *export)
{
	struct sync_words *words;

	/* A daemon that stops does not end the event. */
	if (export->words_fd < 0 || export->daemon->stopping)
		return;
	words = export_sync_map(export->words_fd);
	if (words) {
		atomic_fetch_add(&words->seq, 1);
		/* The waiters are in other processes, so the futex must not be a private one. */
		syscall(SYS_futex, &words->seq, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
		memfd_unmap(words, SYNC_WORDS_LEN);
	}
	client_doorbell_ring_edge(export->event_fd);
}

void export_sync_set_shared(struct export *export)
{
	if (!export_kind_is_sync(export->kind) || export->is_shared)
		return;
	export->is_shared = true;
	persist_export(export);
	liveness_set_shared(&export->session->liveness->words[export->slot], export->generation);
}

void export_sync_enter(struct export *export, const uint8_t daemon_id[16], pid_t pid)
{
	if (!export_kind_is_sync(export->kind) || export->is_shared)
		return;
	if (!export->was_imported) {
		export->was_imported = true;
		export->importer_pid = pid;
		memcpy(export->importer_daemon, daemon_id, sizeof(export->importer_daemon));
		persist_export(export);
		return;
	}
	/* A process in a pid namespace that its daemon cannot see has no pid. */
	if (pid > 0 && pid == export->importer_pid &&
	    memcmp(daemon_id, export->importer_daemon, sizeof(export->importer_daemon)) == 0)
		return;
	export_sync_set_shared(export);
	export_sync_wake(export);
}
