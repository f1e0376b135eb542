/*
 * Transport file: the exported range lies in a file of tmpfs that can be cut, such as one of
 * /dev/shm. A process that maps such a file is killed by SIGBUS if it touches pages behind the new
 * end. This transport therefore reads and writes the file by its descriptor, which sees the same
 * bytes as the mapping of the exporter. Bytes behind the end fail with -EFAULT.
 *
 * A write that another process overtakes with a cut may make the file as long again as the write
 * needs. Threads: any; there is no state.
 */
#include "client/transport/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "client/memory/shared_mapping.h"
#include "util/fd.h"
#include "util/memfd.h"
#include "util/util.h"

/* One copy, by list. */
struct file_copy {
	int fd;
	bool is_write;
	const struct iovec *local; /* the piece that comes next */
	size_t at;                 /* bytes of it that are done */
};

static bool file_has(int fd, uint64_t end)
{
	struct stat st;

	return fstat(fd, &st) == 0 && (uint64_t)st.st_size >= end;
}

/* Copies a range of the file from or to the next local pieces. Returns 0 or -errno. */
static int copy_range(struct file_copy *copy, uint64_t offset, size_t len)
{
	/* A write behind the end would not fail, but make the file longer. */
	if (copy->is_write && !file_has(copy->fd, offset + len))
		return -EFAULT;
	while (len > 0) {
		uint8_t *mine = (uint8_t *)copy->local->iov_base + copy->at;
		size_t part = MIN(len, copy->local->iov_len - copy->at);
		ssize_t n = part == 0        ? 0
			    : copy->is_write ? pwrite(copy->fd, mine, part, (off_t)offset)
					     : pread(copy->fd, mine, part, (off_t)offset);

		if (n < 0)
			return -errno;
		if (n == 0 && part > 0)
			return -EFAULT;
		offset += (uint64_t)n;
		len -= (size_t)n;
		copy->at += (size_t)n;
		if (copy->at == copy->local->iov_len) {
			copy->local++;
			copy->at = 0;
		}
	}
	return 0;
}

static ssize_t file_copy_list(const struct xport_region *region, bool is_write,
			      const struct iovec *local, const struct iovec *remote,
			      size_t n_remote)
{
	struct file_copy copy = {.fd = region->file, .is_write = is_write, .local = local};
	ssize_t done = 0;

	for (size_t i = 0; i < n_remote; i++) {
		uint64_t at = (uintptr_t)remote[i].iov_base - region->base;
		int r = copy_range(&copy, region->file_offset + at, remote[i].iov_len);

		if (r < 0)
			return done > 0 ? done : r;
		done += (ssize_t)remote[i].iov_len;
	}
	return done;
}

static ssize_t file_readv(struct xport_region *region, const struct iovec *local, size_t n_local,
			  const struct iovec *remote, size_t n_remote)
{
	(void)n_local;
	return file_copy_list(region, false, local, remote, n_remote);
}

static ssize_t file_writev(struct xport_region *region, const struct iovec *local, size_t n_local,
			   const struct iovec *remote, size_t n_remote)
{
	(void)n_local;
	return file_copy_list(region, true, local, remote, n_remote);
}

/* Returns the clause why the descriptor is of no use, or NULL. Makes no request to a file system
 * that another process implements. */
static const char *file_wrong(const struct xport_target *target)
{
	int access = fcntl(target->memfd, F_GETFL) & O_ACCMODE;
	uint64_t end;

	if (fcntl(target->memfd, F_GET_SEALS) < 0 || memfd_is_huge(target->memfd))
		return "the file is not of tmpfs";
	if (access == O_WRONLY || (target->writable && access != O_RDWR))
		return "the descriptor does not have the rights of the export";
	if (__builtin_add_overflow(target->memfd_offset, target->len, &end) || end > INT64_MAX)
		return "offset and length overflow";
	if (!file_has(target->memfd, end))
		return "the file is shorter than the range";
	return NULL;
}

static int file_open(const struct xport_target *target, struct xport_region *region_out,
		     char reason[XPORT_REASON_MAX])
{
	const char *wrong = target->is_file ? file_wrong(target) : "the range lies in no file";

	if (wrong != NULL) {
		snprintf(reason, XPORT_REASON_MAX, "%s", wrong);
		return -ENOTSUP;
	}
	region_out->file = fd_dup(target->memfd);
	if (region_out->file < 0) {
		snprintf(reason, XPORT_REASON_MAX, "duplicating the descriptor: %s",
			 strerror(-region_out->file));
		return region_out->file;
	}
	region_out->file_offset = target->memfd_offset;
	return 0;
}

static void file_close(struct xport_region *region)
{
	shared_file_close(&region->file);
}

const struct xport_ops xport_file = {
	.name = "file",
	.is_for_files = true,
	.open = file_open,
	.close = file_close,
	.readv = file_readv,
	.writev = file_writev,
};
