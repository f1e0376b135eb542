/* Memory that the program shares already; see client/memory/shared_mapping.h. */
#include "client/memory/shared_mapping.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <linux/magic.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "client/memory/mmap.h"
#include "client/memory/vma.h"
#include "util/fd.h"
#include "util/memfd.h"

/* More descriptors are closed, with the locks. */
#define LOCKED_FILES_MAX 64u

static const char private_reason[] = "the range is private memory";

/* The file behind a range, as /proc/self/maps describes it. */
struct range_file {
	struct vma first;
	uint64_t offset; /* of the range in the file */
};

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
	if (!vma->is_shared || vma->ino == 0)
		return private_reason;
	if (!vma->is_readable)
		return "the program mapped the range without PROT_READ";
	if (grants_write && !vma->is_writable)
		return "importers may write, but the program mapped the range without PROT_WRITE";
	return NULL;
}

/* Reads the mappings of [addr, end). Returns NULL, or the clause why they are not those of one
 * file. */
static const char *range_scan(struct vma_reader *maps, uint64_t addr, uint64_t end,
			      bool grants_write, struct range_file *file_out)
{
	const char *wrong;
	uint64_t at = addr;
	struct vma vma;

	while (at < end) {
		if (!vma_find(maps, at, &vma) || vma.start > at)
			return "part of the range is not mapped";
		wrong = vma_wrong(&vma, grants_write);
		if (wrong != NULL)
			return wrong;
		if (at == addr)
			*file_out = (struct range_file){.first = vma,
							.offset = vma.offset + (addr - vma.start)};
		if (!vma_continues(&vma, &file_out->first))
			return "the range lies in mappings of several files, or of one file out "
			       "of order";
		at = vma.end;
	}
	return NULL;
}

/* Returns whether the process took a POSIX lock by this descriptor. */
static bool descriptor_has_lock(int fd)
{
	char path[64], line[256];
	bool has_lock = false;
	FILE *info;

	snprintf(path, sizeof(path), "/proc/thread-self/fdinfo/%d", fd);
	info = fopen(path, "re");
	while (info != NULL && !has_lock && fgets(line, sizeof(line), info) != NULL)
		has_lock = strncmp(line, "lock:", 5) == 0;
	if (info != NULL)
		fclose(info);
	return has_lock;
}

static bool files_are_equal(int fd, const struct stat *other)
{
	struct stat st;

	/* F_GET_SEALS first: fstat() can block for a file of another kind. */
	return fcntl(fd, F_GET_SEALS) >= 0 && fstat(fd, &st) == 0 && st.st_ino == other->st_ino &&
	       st.st_dev == other->st_dev;
}

/* Returns whether this process holds a POSIX lock on the file, by any descriptor. Without that
 * descriptor the lock would be gone already. */
static bool file_is_locked(int fd)
{
	DIR *dir = opendir("/proc/thread-self/fd");
	struct dirent *entry;
	bool is_locked = false;
	struct stat st;

	if (dir == NULL)
		return false;
	if (fstat(fd, &st) == 0) {
		while (!is_locked && (entry = readdir(dir)) != NULL) {
			int other = atoi(entry->d_name);

			is_locked = entry->d_name[0] != '.' && files_are_equal(other, &st) &&
				    descriptor_has_lock(other);
		}
	}
	closedir(dir);
	return is_locked;
}

static pthread_mutex_t locked_files_lock = PTHREAD_MUTEX_INITIALIZER;
/* Descriptors of files with locks, kept open. */
static int locked_files[LOCKED_FILES_MAX];
static size_t n_locked_files;

void shared_file_close(int *fd)
{
	pthread_mutex_lock(&locked_files_lock);
	for (size_t i = n_locked_files; i-- > 0;) {
		if (file_is_locked(locked_files[i]))
			continue;
		fd_close(&locked_files[i]);
		locked_files[i] = locked_files[--n_locked_files];
	}
	/* Programs do not lock files that are sealed memfds. */
	if (*fd >= 0 && !(fcntl(*fd, F_GET_SEALS) & F_SEAL_SHRINK) &&
	    n_locked_files < LOCKED_FILES_MAX && file_is_locked(*fd))
		locked_files[n_locked_files++] = fd_steal(fd);
	pthread_mutex_unlock(&locked_files_lock);
	fd_close(fd);
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

	snprintf(path, sizeof(path), "/proc/self/map_files/%" PRIx64 "-%" PRIx64, file->first.start,
		 file->first.end);
	fd = open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK);
	return fd < 0 ? -errno : fd;
}

/*
 * Opens the file, of tmpfs, by a descriptor that the program has. Returns a descriptor or -errno.
 * A duplicate shares its flags and its position with the program's descriptor, and importers could
 * change them. It is therefore only used for files that importers map.
 */
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
		if (file_is_locked(theirs)) {
			fd = -EDEADLK;
			break;
		}
		/* Another thread may close `theirs` meanwhile, so the result is checked again. */
		fd = fd_reopen(theirs, O_RDWR);
		if (fd < 0 && (fcntl(theirs, F_GET_SEALS) & F_SEAL_SHRINK))
			fd = fd_dup(theirs);
		if (fd >= 0 && !range_file_is(file, fd)) {
			fd_close(&fd);
			fd = -ENOENT;
		}
	}
	closedir(dir);
	return fd;
}

/*
 * Opens a file of POSIX shared memory by its name, for a program that has closed its descriptor.
 * Other names are not tried, because their file system may block. Returns a descriptor or -errno.
 */
static int range_file_open_named(const struct range_file *file)
{
	static const char dir[] = "/dev/shm/";
	CLEANUP_FD int fd = -1;
	char link[80], path[sizeof(dir) + NAME_MAX + 1];
	struct statfs fs;
	ssize_t n;

	snprintf(link, sizeof(link), "/proc/self/map_files/%" PRIx64 "-%" PRIx64, file->first.start,
		 file->first.end);
	/* Unlike an open of the link, this needs no capability. */
	n = readlink(link, path, sizeof(path) - 1);
	if (n < 0)
		return -errno;
	path[n] = '\0';
	if (strncmp(path, dir, strlen(dir)) != 0)
		return -ENOENT;
	fd = open(path, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0 || fstatfs(fd, &fs) < 0 || fs.f_type != TMPFS_MAGIC || !range_file_is(file, fd))
		return -ENOENT;
	return fd_reopen(fd, O_RDWR);
}

/* Returns the clause why the file was not opened. */
static const char *range_file_not_open(int error)
{
	if (error == -EDEADLK)
		return "the program holds POSIX locks on the file, which would be lost with a "
		       "descriptor that the library closes";
	if (error == -EACCES)
		return "the program may not open the file of the range for reading and writing";
	return "the file of the range is not of tmpfs, or not in /dev/shm and its descriptor is "
	       "closed; keep it open until the export";
}

static int range_file_open(const struct range_file *file)
{
	int fd = range_file_open_own(file);

	if (fd >= 0 || fd == -EDEADLK)
		return fd;
	if (!file->first.is_memfd && fd == -EACCES)
		return fd;
	if (!file->first.is_memfd)
		return range_file_open_named(file);
	fd = range_file_open_link(file);
	if (fd >= 0 && !range_file_is(file, fd)) {
		fd_close(&fd);
		return -ENOENT;
	}
	return fd;
}

/* Returns whether importers can reach nothing but the range, now and later. */
static bool range_is_whole_file(const struct range_file *file, size_t len, int fd)
{
	struct stat st;

	return fstat(fd, &st) == 0 && file->offset == 0 && len >= (uint64_t)st.st_size &&
	       (fcntl(fd, F_GET_SEALS) & F_SEAL_GROW);
}

/* Returns NULL, or the clause why importers of this kind cannot have the file. Adds no seal. */
static const char *range_file_wrong(const struct range_file *file, size_t len, int fd,
				    bool grants_write)
{
	int seals = fcntl(fd, F_GET_SEALS);
	struct stat st;

	if (seals < 0)
		return "the range lies in a file that is not of tmpfs; use a memfd";
	if (memfd_is_huge(fd))
		return "the range is of huge pages, which their owner can take away";
	if (fstat(fd, &st) < 0 || (uint64_t)st.st_size < file->offset + len)
		return "the file is shorter than the range";
	if (grants_write && !memfd_is_writable(fd))
		return "the memory is sealed against writing, but importers may write";
	if (!grants_write && !(seals & (F_SEAL_WRITE | F_SEAL_FUTURE_WRITE)))
		return "the export is read-only, but importers could write to the memory; seal it "
		       "with F_SEAL_FUTURE_WRITE once it is mapped";
	return NULL;
}

/* Returns NULL, or the clause why importers cannot have a file that can be cut. */
static const char *range_file_cut_wrong(int fd)
{
	struct stat st;

	if ((fcntl(fd, F_GETFL) & O_ACCMODE) != O_RDWR)
		return "the file cannot be opened for writing, but importers may write";
	if (fstat(fd, &st) < 0 || st.st_uid != geteuid())
		return "the file can be cut, and is of another user";
	return NULL;
}

/*
 * Returns the clause why importers cannot map the file, or NULL once it is sealed. The seal stays
 * for good, so it is the last step; the size is checked again, because it could change until then.
 */
static const char *range_file_settle(const struct range_file *file, size_t len, int fd,
				     bool grants_write, bool *can_be_cut_out)
{
	const char *wrong = range_file_wrong(file, len, fd, grants_write);

	if (wrong != NULL)
		return wrong;
	*can_be_cut_out = memfd_seal_shrink(fd) < 0;
	if (*can_be_cut_out)
		return range_file_cut_wrong(fd);
	if (memfd_verify(fd, file->offset + len) < 0)
		return "the file is shorter than the range";
	if (!mem_admit(fd, grants_write))
		return "the memory's seals changed during the export; export it again";
	return NULL;
}

int shared_mapping_find(const void *addr, size_t len, bool grants_write,
			struct shared_mapping *mapping_out, char reason[SHARED_MAPPING_REASON_MAX])
{
	const char *wrong = "/proc is not mounted";
	CLEANUP(shared_file_close) int fd = -1;
	struct range_file file;
	struct vma_reader maps;
	bool can_be_cut = false;

	if (vma_reader_open(&maps) == 0) {
		wrong = range_scan(&maps, (uintptr_t)addr, (uintptr_t)addr + len, grants_write,
				   &file);
		vma_reader_close(&maps);
	}
	if (wrong == NULL) {
		fd = range_file_open(&file);
		wrong = fd >= 0 ? range_file_settle(&file, len, fd, grants_write, &can_be_cut)
				: range_file_not_open(fd);
	}
	if (wrong != NULL) {
		snprintf(reason, SHARED_MAPPING_REASON_MAX, "%s", wrong);
		return wrong == private_reason ? -ENOENT : -ENOTSUP;
	}
	*mapping_out = (struct shared_mapping){.offset = file.offset,
					       .is_file = can_be_cut,
					       .same_user = can_be_cut ||
							    !range_is_whole_file(&file, len, fd)};
	mapping_out->fd = fd_steal(&fd);
	return 0;
}
