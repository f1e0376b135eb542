/* The directory of the daemon's sockets. */
#ifndef DAEMON_CONFIG_RUNTIME_DIR_H
#define DAEMON_CONFIG_RUNTIME_DIR_H

#include <stddef.h>

struct daemon_options;

/* Finds the directory: --runtime-dir, or the default for this user. Returns 0 or -errno, logged. */
int runtime_dir_find(const struct daemon_options *options, char *dir_out, size_t dir_len);

#endif
