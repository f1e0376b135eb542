/* See sysfs.h. */
#include "daemon/topology/sysfs.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/fd.h"
#include "util/str.h"

#define SYSFS_PATH_LEN 300

int sysfs_open(struct sysfs *sysfs, const char *root)
{
	sysfs->fd = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC);
	return sysfs->fd < 0 ? -errno : 0;
}

void sysfs_close(struct sysfs *sysfs)
{
	fd_close(&sysfs->fd);
}

static int sysfs_path(char path[SYSFS_PATH_LEN], const char *fmt, va_list ap)
{
	int n = vsnprintf(path, SYSFS_PATH_LEN, fmt, ap);

	return n < 0 || n >= SYSFS_PATH_LEN ? -ENAMETOOLONG : 0;
}

int sysfs_read(const struct sysfs *sysfs, char *out, size_t len, const char *fmt, ...)
{
	CLEANUP_FD int fd = -1;
	char path[SYSFS_PATH_LEN];
	va_list ap;
	ssize_t n;
	int r;

	*out = '\0';
	va_start(ap, fmt);
	r = sysfs_path(path, fmt, ap);
	va_end(ap);
	if (r < 0)
		return r;
	fd = openat(sysfs->fd, path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	n = read(fd, out, len - 1);
	if (n < 0) {
		r = -errno;
		*out = '\0';
		return r;
	}
	out[n] = '\0';
	out[strcspn(out, "\n")] = '\0';
	return 0;
}

int sysfs_link(const struct sysfs *sysfs, char *out, size_t len, const char *fmt, ...)
{
	char path[SYSFS_PATH_LEN];
	va_list ap;
	ssize_t n;
	int r;

	*out = '\0';
	va_start(ap, fmt);
	r = sysfs_path(path, fmt, ap);
	va_end(ap);
	if (r < 0)
		return r;
	n = readlinkat(sysfs->fd, path, out, len);
	if (n < 0 || (size_t)n == len) {
		r = n < 0 ? -errno : -ENAMETOOLONG;
		*out = '\0';
		return r;
	}
	out[n] = '\0';
	return 0;
}

bool sysfs_exists(const struct sysfs *sysfs, const char *fmt, ...)
{
	char path[SYSFS_PATH_LEN];
	va_list ap;
	int r;

	va_start(ap, fmt);
	r = sysfs_path(path, fmt, ap);
	va_end(ap);
	return r == 0 && faccessat(sysfs->fd, path, F_OK, 0) == 0;
}

static int sysfs_compare(const void *a, const void *b)
{
	return strverscmp(a, b);
}

int sysfs_list(const struct sysfs *sysfs, char (**names_out)[SYSFS_NAME_LEN], const char *fmt, ...)
{
	char path[SYSFS_PATH_LEN], (*names)[SYSFS_NAME_LEN] = NULL;
	size_t n = 0, n_room = 0;
	struct dirent *entry;
	va_list ap;
	DIR *dir;
	int fd, r;

	*names_out = NULL;
	va_start(ap, fmt);
	r = sysfs_path(path, fmt, ap);
	va_end(ap);
	fd = r < 0 ? -1 : openat(sysfs->fd, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	dir = fd < 0 ? NULL : fdopendir(fd);
	if (!dir) {
		fd_close(&fd);
		return 0;
	}
	while (r == 0 && (entry = readdir(dir))) {
		if (*entry->d_name == '.' || strlen(entry->d_name) >= SYSFS_NAME_LEN)
			continue;
		if (n == n_room) {
			n_room = n_room ? 2 * n_room : 16;
			void *more = realloc(names, n_room * sizeof(*names));

			if (!more) {
				r = -ENOMEM;
				break;
			}
			names = more;
		}
		str_copy(names[n++], SYSFS_NAME_LEN, entry->d_name);
	}
	closedir(dir);
	if (r < 0) {
		free(names);
		return r;
	}
	if (n)
		qsort(names, n, sizeof(*names), sysfs_compare);
	*names_out = names;
	return (int)n;
}
