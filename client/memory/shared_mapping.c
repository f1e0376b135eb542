/* Memory that the program shares already; see client/memory/shared_mapping.h. */
#include "client/memory/shared_mapping.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "client/memory/mmap.h"
#include "util/fd.h"
#include "util/memfd.h"

/* One line of /proc/self/maps. */
struct vma {
	unsigned long long start, end, offset, ino;
	unsigned major, minor;
	char rights[5]; /* "rw-s" */
	bool is_memfd;
};

/* The file behind a range, as /proc/self/maps describes it. */
struct range_file {
	struct vma first;
	uint64_t offset; /* of the range in the file */
};

static bool vma_parse(const char *line, struct vma *vma_out)
{
	int name = 0;

	if (sscanf(line, "%llx-%llx %4s %llx %x:%x %llu %n", &vma_out->start, &vma_out->end,
		   vma_out->rights, &vma_out->offset, &vma_out->major, &vma_out->minor,
		   &vma_out->ino, &name) != 7)
		return false;
	vma_out->is_memfd = name > 0 && strncmp(line + name, "/memfd:", 7) == 0;
	return true;
}

/* Returns whether `vma` continues the file of `first` without a gap. */
static bool vma_continues(const struct vma *vma, const struct vma *first)
{
	return vma->ino == first->ino && vma->major == first->major && vma->minor == first->minor &&
	       vma->offset - first->offset == vma->start - first->start;
}

/* Returns the clause why the part of a range in this mapping cannot be mapped by importers, or
 * NULL. */
static const char *vma_wrong(const struct vma *vma, bool grants_write)
{
	if (vma->rights[3] != 's' || vma->ino == 0)
		return "the range is private memory";
	/* Other files are not even opened: closing a descriptor would drop the program's POSIX
	 * locks on them. */
	if (!vma->is_memfd)
		return "the range lies in a file that is no memfd; use a memfd";
	if (vma->rights[0] != 'r')
		return "the program mapped the range without PROT_READ";
	if (grants_write && vma->rights[1] != 'w')
		return "importers may write, but the program mapped the range without PROT_WRITE";
	return NULL;
}

/* Reads the mappings of [addr, end). Returns NULL, or the clause why they are not those of one
 * file. */
static const char *range_scan(FILE *maps, uint64_t addr, uint64_t end, bool grants_write,
			      struct range_file *file_out)
{
	const char *wrong = "part of the range is not mapped";
	uint64_t at = addr;
	char *line = NULL;
	size_t size = 0;
	struct vma vma;

	while (getline(&line, &size, maps) > 0) {
		if (!vma_parse(line, &vma) || vma.end <= at)
			continue;
		if (vma.start > at)
			break;
		wrong = vma_wrong(&vma, grants_write);
		if (wrong != NULL)
			break;
		if (at == addr)
			*file_out = (struct range_file){.first = vma,
							.offset = vma.offset + (addr - vma.start)};
		wrong = "the range lies in mappings of several files, or of one file out of order";
		if (!vma_continues(&vma, &file_out->first))
			break;
		if (vma.end >= end) {
			wrong = NULL;
			break;
		}
		wrong = "part of the range is not mapped";
		at = vma.end;
	}
	free(line);
	return wrong;
}

static bool range_file_is(const struct range_file *file, int fd)
{
	struct stat st;

	return fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_ino == file->first.ino &&
	       st.st_dev == makedev(file->first.major, file->first.minor);
}

/* Opens the file through the kernel's link to the mapping, which needs CAP_CHECKPOINT_RESTORE.
 * Returns a descriptor or -errno. */
static int range_file_open_link(const struct range_file *file)
{
	char path[80];
	int fd;

	snprintf(path, sizeof(path), "/proc/self/map_files/%llx-%llx", file->first.start,
		 file->first.end);
	fd = open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK);
	return fd < 0 ? -errno : fd;
}

/* Opens the file by a descriptor that the program has. Returns a descriptor or -errno. */
static int range_file_open_own(const struct range_file *file)
{
	/* /proc/self would fail once the process's first thread has exited. */
	DIR *dir = opendir("/proc/thread-self/fd");
	struct dirent *entry;
	int fd = -ENOENT;

	if (dir == NULL)
		return -errno;
	while (fd < 0 && (entry = readdir(dir)) != NULL) {
		int theirs = atoi(entry->d_name);

		/* F_GET_SEALS first: fstat() can block for a file of another kind. */
		if (entry->d_name[0] == '.' || fcntl(theirs, F_GET_SEALS) < 0 ||
		    !range_file_is(file, theirs))
			continue;
		/* Another thread may close `theirs` meanwhile, so the result is checked again. */
		fd = fd_reopen(theirs, O_RDWR);
		if (fd < 0)
			fd = fd_dup(theirs);
		if (fd >= 0 && !range_file_is(file, fd)) {
			fd_close(&fd);
			fd = -ENOENT;
		}
	}
	closedir(dir);
	return fd;
}

static int range_file_open(const struct range_file *file)
{
	int fd = range_file_open_own(file);

	if (fd >= 0)
		return fd;
	fd = range_file_open_link(file);
	if (fd >= 0 && !range_file_is(file, fd)) {
		fd_close(&fd);
		return -ENOENT;
	}
	return fd;
}

static bool range_is_whole_file(const struct range_file *file, size_t len, int fd)
{
	struct stat st;

	return fstat(fd, &st) == 0 && file->offset == 0 && len >= (uint64_t)st.st_size;
}

/* Returns the clause why importers cannot map the file, or NULL once it is sealed. */
static const char *range_file_settle(const struct range_file *file, size_t len, int fd,
				     bool grants_write)
{
	if (fcntl(fd, F_GET_SEALS) < 0)
		return "the range lies in a file on disk; use a memfd";
	if (memfd_is_huge(fd))
		return "the range is of huge pages, which their owner can take away";
	if (!mem_admit(fd, grants_write))
		return grants_write ? "the memory is sealed against writing, but importers may "
				      "write"
				    : "the export is read-only, but importers could write to the "
				      "memory; seal it with F_SEAL_FUTURE_WRITE once it is mapped";
	if (memfd_seal_shrink(fd) < 0)
		return "another process could truncate the file; create it by memfd_create() with "
		       "MFD_ALLOW_SEALING";
	if (memfd_verify(fd, file->offset + len) < 0)
		return "the file is shorter than the range";
	return NULL;
}

int shared_mapping_find(const void *addr, size_t len, bool grants_write,
			struct shared_mapping *mapping_out, char reason[SHARED_MAPPING_REASON_MAX])
{
	FILE *maps = fopen("/proc/thread-self/maps", "re");
	const char *wrong = "/proc is not mounted";
	CLEANUP_FD int fd = -1;
	struct range_file file;

	if (maps != NULL) {
		wrong = range_scan(maps, (uintptr_t)addr, (uintptr_t)addr + len, grants_write,
				   &file);
		fclose(maps);
	}
	if (wrong == NULL) {
		fd = range_file_open(&file);
		wrong = fd < 0 ? "the file of the range cannot be opened; keep its descriptor open "
				 "until the export"
			       : range_file_settle(&file, len, fd, grants_write);
	}
	if (wrong != NULL) {
		snprintf(reason, SHARED_MAPPING_REASON_MAX, "%s", wrong);
		return -ENOTSUP;
	}
	*mapping_out = (struct shared_mapping){.offset = file.offset,
					       .same_user = !range_is_whole_file(&file, len, fd)};
	mapping_out->fd = fd_steal(&fd);
	return 0;
}
