/*
 * Transport file: the exported range lies in a file of tmpfs that can be cut, such as one of
 * /dev/shm. A process that maps such a file is killed by SIGBUS if it touches pages behind the new
 * end. This transport maps the file, but lets only the kernel touch the mapping: it passes it to
 * process_vm_readv() and process_vm_writev() with its own pid. Pages behind the end fail with
 * -EFAULT.
 *
 * The system calls read() and write() would have the same result, but three risks: write() waits
 * for a lock of the file, which another process can hold as long as it likes; it raises SIGXFSZ
 * behind RLIMIT_FSIZE; and it obeys flags of the descriptor, which other processes share.
 *
 * Threads: any; there is no state.
 */
#include "client/transport/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "client/transport/exporter.h"
#include "util/memfd.h"
#include "util/util.h"

/* One copy, by list. */
struct file_copy {
	bool is_write;
	const struct iovec *local; /* the piece that comes next */
	size_t at;                 /* bytes of it that are done */
};

/* Copies from or to the mapping by the kernel. Returns the number of bytes or -errno. */
static ssize_t copy_piece(bool is_write, void *mine, void *mapped, size_t len)
{
	const struct iovec local = {mine, len}, remote = {mapped, len};
	/* Not stored: a forked child copies from its own mapping. */
	pid_t self = getpid();
	ssize_t n = is_write ? process_vm_writev(self, &local, 1, &remote, 1, 0)
			     : process_vm_readv(self, &local, 1, &remote, 1, 0);

	return n < 0 ? -errno : n;
}

/* Copies a range of the mapping from or to the next local pieces. Returns 0 or -errno. */
static int copy_range(struct file_copy *copy, uint8_t *mapped, size_t len)
{
	while (len > 0) {
		uint8_t *mine = (uint8_t *)copy->local->iov_base + copy->at;
		size_t part = MIN(len, copy->local->iov_len - copy->at);
		ssize_t n = part == 0 ? 0 : copy_piece(copy->is_write, mine, mapped, part);

		if (n < 0)
			return (int)n;
		if (n == 0 && part > 0)
			return -EFAULT;
		mapped += n;
		len -= (size_t)n;
		copy->at += (size_t)n;
		if (copy->at == copy->local->iov_len) {
			copy->local++;
			copy->at = 0;
		}
	}
	return 0;
}

static ssize_t file_copy_list(const struct transport_region *region, bool is_write,
			      const struct iovec *local, const struct iovec *remote,
			      size_t n_remote)
{
	struct file_copy copy = {.is_write = is_write, .local = local};
	ssize_t done = 0;

	for (size_t i = 0; i < n_remote; i++) {
		uint64_t at = (uintptr_t)remote[i].iov_base - region->base;
		int r = copy_range(&copy, (uint8_t *)region->map + region->map_lead + at,
				   remote[i].iov_len);

		if (r < 0)
			return done > 0 ? done : r;
		done += (ssize_t)remote[i].iov_len;
	}
	return done;
}

static ssize_t file_readv(struct transport_region *region, const struct iovec *local,
			  size_t n_local, const struct iovec *remote, size_t n_remote)
{
	(void)n_local;
	return file_copy_list(region, false, local, remote, n_remote);
}

static ssize_t file_writev(struct transport_region *region, const struct iovec *local,
			   size_t n_local, const struct iovec *remote, size_t n_remote)
{
	(void)n_local;
	return file_copy_list(region, true, local, remote, n_remote);
}

/* Returns the clause why the descriptor is of no use, or NULL. Makes no request to a file system
 * that another process implements. */
static const char *file_wrong(const struct transport_target *target)
{
	int access = fcntl(target->memfd, F_GETFL) & O_ACCMODE;
	struct exporter exporter;
	struct stat st;
	uint64_t end;

	/* A process of another user could choose a file with which it disturbs this one. */
	if (!exporter_find(target->pidfd, &exporter) || !exporter.is_ours)
		return "the exporter has ended, or is of another user or in another container (pid "
		       "namespace)";
	if (fcntl(target->memfd, F_GET_SEALS) < 0 || memfd_is_huge(target->memfd))
		return "the file is not of tmpfs";
	if (access == O_WRONLY || (target->writable && access != O_RDWR))
		return "the descriptor does not have the rights of the export";
	if (__builtin_add_overflow(target->memfd_offset, target->len, &end) || end > INT64_MAX)
		return "offset and length overflow";
	if (fstat(target->memfd, &st) < 0 || st.st_uid != geteuid())
		return "the file is of another user";
	if ((uint64_t)st.st_size < end)
		return "the file is shorter than the range";
	return NULL;
}

/* Tests whether the system calls are permitted: a filter (seccomp) may forbid them. Returns 0 or
 * -errno. */
static int file_probe(void *mapped, bool writable)
{
	uint8_t byte;
	ssize_t n = copy_piece(false, &byte, mapped, 1);

	/* Nothing is written: the exporter may use the memory already. */
	if (n == 1 && writable)
		n = copy_piece(true, &byte, mapped, 0);
	return n < 0 ? (int)n : 0;
}

static int file_open(const struct transport_target *target, struct transport_region *region_out,
		     char reason[TRANSPORT_REASON_MAX])
{
	const char *wrong = target->is_file ? file_wrong(target) : "the range lies in no file";
	size_t lead = (size_t)(target->memfd_offset & (memfd_page_size() - 1));
	uint8_t *map;
	int r;

	if (wrong != NULL) {
		snprintf(reason, TRANSPORT_REASON_MAX, "%s", wrong);
		return -ENOTSUP;
	}
	map = memfd_map(target->memfd, target->memfd_offset - lead, lead + target->len,
			target->writable);
	if (map == NULL) {
		r = -errno;
		snprintf(reason, TRANSPORT_REASON_MAX, "mapping the file: %s", strerror(-r));
		return r;
	}
	r = file_probe(map + lead, target->writable);
	if (r < 0) {
		memfd_unmap(map, lead + target->len);
		snprintf(reason, TRANSPORT_REASON_MAX, "process_vm_readv in this process: %s",
			 strerror(-r));
		return r;
	}
	region_out->map = map;
	region_out->map_len = lead + target->len;
	region_out->map_lead = lead;
	return 0;
}

static void file_close(struct transport_region *region)
{
	memfd_unmap(region->map, region->map_len);
	region->map = NULL;
}

const struct transport_ops transport_file = {
	.name = "file",
	.is_for_files = true,
	.open = file_open,
	.close = file_close,
	.readv = file_readv,
	.writev = file_writev,
};
