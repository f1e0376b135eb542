/*
 * Exports that are sync events: a counter of 8 bytes in a memfd, a page of sleep words and an
 * eventfd (proto/shm_layout.h). Publishers wake the processes that sleep on the event. When the
 * event ends there may be no publisher left, so the daemon wakes them once more. It does the same
 * when an importer is gone: the importer may have been killed after it cleared the bits in
 * `sleepers` and before it woke the sleepers, and no other process would wake them.
 */
#ifndef DAEMON_MEMORY_EXPORT_SYNC_H
#define DAEMON_MEMORY_EXPORT_SYNC_H

#include "daemon/memory/export.h"
#include "util/fdset.h"

/* Returns the reason why the request does not describe a sync event, or NULL. */
const char *export_sync_error(const Dococore__ExportCreate *ask);
/* Adopts and checks the sleep words and the eventfd. Returns 0, or 1 after sending a refusal. */
int export_sync_adopt(struct export *export, const Dococore__Packet *packet, struct fdset *fds);
/*
 * Wakes all sleepers of a sync event, so that they check it again. Does nothing for other exports.
 * Never blocks.
 */
void export_sync_wake(const struct export *export);
/*
 * Call before a process, identified by its daemon and its pid there, receives the export's
 * descriptors. If it is the second process, marks the event as shared and wakes all its sleepers
 * first, because the new process could later prevent their wake-up.
 */
void export_sync_enter(struct export *export, const uint8_t daemon_id[16], pid_t pid);
/*
 * Marks the event as shared without waking sleepers: after a daemon restart there may be importers
 * from before that this daemon does not know.
 */
void export_sync_set_shared(struct export *export);

#endif
