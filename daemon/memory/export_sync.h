/*
 * What is special about an export that is a sync event: a counter of 8 bytes in a memfd, a page of
 * sleep words and an eventfd (proto/shm_layout.h). Who sleeps on it is woken by its publishers;
 * when the event ends there may be none left, so the daemon wakes them once more. So it does when
 * an importer is gone: it may have been killed as it was about to wake them, with their bits in
 * `sleepers` taken already, so that nobody else would.
 */
#ifndef DAEMON_MEMORY_EXPORT_SYNC_H
#define DAEMON_MEMORY_EXPORT_SYNC_H

#include "daemon/memory/export.h"
#include "util/fdset.h"

/* Why the request describes no sync event, or NULL. */
const char *export_sync_wrong(const Dococore__ExportCreate *ask);
/* Takes and checks the sleep words and the eventfd. 0, or the refusal was sent and 1. */
int export_sync_take(struct export *export, const Dococore__Packet *packet, struct fdset *fds);
/* Wakes all who sleep on an event, for them to look again; nothing for other exports. Never blocks.
 */
void export_sync_wake(const struct export *export);
/*
 * A process, known by its daemon and its number there, is about to be given what an export shares.
 * If it is the second one, all who sleep on a sync event are told and woken first: later the new
 * one could see to it that they are not.
 */
void export_sync_enter(struct export *export, const uint8_t daemon_id[16], pid_t pid);
/* There may be importers that nobody knows: those of before a restart of the daemon. Wakes nobody.
 */
void export_sync_set_crowd(struct export *export);

#endif
