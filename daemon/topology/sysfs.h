/*
 * Reads the kernel's description of devices: attributes, links and directories below a root, which
 * is /sys or a test's directory tree. Paths are relative to the root. The contents are the kernel's
 * text, but no length is trusted.
 */
#ifndef DAEMON_TOPOLOGY_SYSFS_H
#define DAEMON_TOPOLOGY_SYSFS_H

#include <stdbool.h>
#include <stddef.h>

#include "util/util.h"

#define SYSFS_NAME_LEN 64

struct sysfs {
	int fd;
};

#define SYSFS_INIT       \
	{                \
		.fd = -1 \
	}

/* Returns 0 or -errno. */
int sysfs_open(struct sysfs *sysfs, const char *root);
/* Idempotent. */
void sysfs_close(struct sysfs *sysfs);
/*
 * Reads the first line of an attribute. Returns 0, -ENOENT or another -errno; out is "" on failure.
 */
int sysfs_read(const struct sysfs *sysfs, char *out, size_t len, const char *fmt, ...)
	PRINTF_LIKE(4, 5);
/* Reads the target of a link. Returns 0 or -errno. */
int sysfs_link(const struct sysfs *sysfs, char *out, size_t len, const char *fmt, ...)
	PRINTF_LIKE(4, 5);
bool sysfs_exists(const struct sysfs *sysfs, const char *fmt, ...) PRINTF_LIKE(2, 3);
/*
 * Lists the names in a directory in order, without names that are too long. The caller frees the
 * list. Returns the number of names, 0 if there is no such directory, or -ENOMEM.
 */
int sysfs_list(const struct sysfs *sysfs, char (**names_out)[SYSFS_NAME_LEN], const char *fmt, ...)
	PRINTF_LIKE(3, 4);

#endif
