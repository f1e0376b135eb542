/*
 * What is special about an export that is a sync event: a counter of 8 bytes in a memfd, a page of
 * sleep words and an eventfd (proto/shm_layout.h). Who sleeps on it is woken by its publishers;
 * when the event ends there may be none left, so the daemon wakes them once more. So it does when
 * an importer is gone: it may have been killed as it was about to wake them, with their bits in
 * `sleepers` taken already, so that nobody else would.
 */
#ifndef DAEMON_EXPORT_SYNC_H
#define DAEMON_EXPORT_SYNC_H

#include "daemon/export.h"
#include "util/fdset.h"

/* Why the request describes no sync event, or NULL. */
const char *export_sync_wrong(const Dococore__ExportCreate *ask);
/* Takes and checks the sleep words and the eventfd. 0, or the refusal was sent and 1. */
int export_sync_take(struct export *export, const Dococore__Packet *packet, struct fdset *fds);
/* Wakes all who sleep on an event, for them to look again; nothing for other exports. Never blocks.
 */
void export_sync_wake(const struct export *export);

#endif
