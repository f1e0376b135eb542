/*
 * Reading the kernel's description of devices: attributes, links and directories below a root that
 * is /sys, or a made-up tree of a test. Paths are relative to it. What is read there is text of the
 * kernel, but its length is not relied on.
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

/* 0 or -errno. */
int sysfs_open(struct sysfs *sysfs, const char *root);
/* May be called twice. */
void sysfs_close(struct sysfs *sysfs);
/* An attribute's first line. 0, -ENOENT, -errno; out is "" then. */
int sysfs_read(const struct sysfs *sysfs, char *out, size_t len, const char *fmt, ...)
	PRINTF_LIKE(4, 5);
/* Where a link points to. 0 or -errno. */
int sysfs_link(const struct sysfs *sysfs, char *out, size_t len, const char *fmt, ...)
	PRINTF_LIKE(4, 5);
bool sysfs_exists(const struct sysfs *sysfs, const char *fmt, ...) PRINTF_LIKE(2, 3);
/* Names of a directory, in order; those that are too long are left out. To be freed. The count, 0
 * if there is no such directory, or -ENOMEM. */
int sysfs_list(const struct sysfs *sysfs, char (**names_out)[SYSFS_NAME_LEN], const char *fmt, ...)
	PRINTF_LIKE(3, 4);

#endif
