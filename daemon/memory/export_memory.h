/*
 * The memory of an export: which descriptors may be passed on to importers, and with which rights.
 * Whatever a client sends is hostile until it is checked; no check waits for a file system.
 */
#ifndef DAEMON_MEMORY_EXPORT_MEMORY_H
#define DAEMON_MEMORY_EXPORT_MEMORY_H

#include "daemon/memory/export.h"

/* True if the permissions let importers write. */
bool export_is_writable(const struct export *export);
/*
 * True if read-only memory is sealed against writing. Without the seal, importers could reopen the
 * memory for writing, whatever the access mode of the descriptor that they receive.
 */
bool export_is_sealed_right(const struct export *export);
/* Return the reason why the memfd or the file of the export cannot be passed on, or NULL. */
const char *export_check_memfd(const struct export *export);
const char *export_check_file(const struct export *export);
/*
 * Adopt the memfd or the file that came with the request, restricted to what the permissions allow.
 * Return 0, or 1 after sending a refusal.
 */
int export_adopt_memfd(struct export *export, const Dococore__Packet *packet, struct fdset *fds);
int export_adopt_file(struct export *export, const Dococore__Packet *packet, struct fdset *fds);

#endif
