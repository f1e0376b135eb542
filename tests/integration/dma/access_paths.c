/* See tests/integration/dma/access_paths.h. */
#include "tests/integration/dma/access_paths.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/aio_abi.h>
#include <linux/futex.h>
#include <linux/io_uring.h>
#include <linux/userfaultfd.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/lib/assert.h"
#include "util/fd.h"
#include "util/memfd.h"

#ifndef F_SEAL_FUTURE_WRITE
#define F_SEAL_FUTURE_WRITE 0x0010
#endif
#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

struct target {
	int fd;     /* one of the memory's descriptors */
	char *path; /* path for opening it again */
	size_t len;
	uint8_t *map;      /* a read-only mapping of the first descriptor */
	uint8_t *before;   /* its contents */
	uint8_t byte;      /* differs from the present one */
	aio_context_t aio; /* created once, because the kernel takes milliseconds to destroy one */
};

struct way {
	const char *name;
	/* Returns true if the attempt itself shows that the memory can be written. */
	bool (*try)(struct target *target);
};

/* --- mappings --- */

/* Writes if the mapping permits it. */
static bool map_is_written(struct target *target, void *map)
{
	if (map == MAP_FAILED)
		return false;
	*(volatile uint8_t *)map = target->byte;
	munmap(map, target->len);
	return true;
}

static bool by_mapping(struct target *target)
{
	return map_is_written(target, mmap(NULL, target->len, PROT_READ | PROT_WRITE, MAP_SHARED,
					   target->fd, 0)) ||
	       map_is_written(target, mmap(NULL, target->len, PROT_WRITE, MAP_SHARED_VALIDATE,
					   target->fd, 0));
}

/* A private mapping may be written, but no other process sees that. */
static bool by_private_mapping(struct target *target)
{
	(void)map_is_written(target, mmap(NULL, target->len, PROT_READ | PROT_WRITE, MAP_PRIVATE,
					  target->fd, 0));
	return false;
}

static void *map_to_read(const struct target *target)
{
	void *map = mmap(NULL, target->len, PROT_READ, MAP_SHARED, target->fd, 0);

	return map == MAP_FAILED ? NULL : map;
}

static bool by_mprotect(struct target *target)
{
	void *map = map_to_read(target);

	if (map == NULL)
		return false;
	if (mprotect(map, target->len, PROT_READ | PROT_WRITE) == 0)
		return map_is_written(target, map);
	munmap(map, target->len);
	return false;
}

/* A second mapping is made from the first, without the descriptor. */
static bool by_mremap(struct target *target)
{
	void *map = map_to_read(target), *second;
	bool written = false;

	if (map == NULL)
		return false;
	second = mremap(map, 0, target->len, MREMAP_MAYMOVE);
	if (second != MAP_FAILED) {
		if (mprotect(second, target->len, PROT_READ | PROT_WRITE) == 0)
			written = map_is_written(target, second);
		else
			munmap(second, target->len);
	}
	munmap(map, target->len);
	return written;
}

static bool by_madvise(struct target *target)
{
	static const int advices[] = {MADV_REMOVE, MADV_DONTNEED, MADV_FREE, MADV_POPULATE_WRITE};
	void *map = map_to_read(target);
	struct iovec all = {map, target->len};
	CLEANUP_FD int self = (int)syscall(SYS_pidfd_open, getpid(), 0);

	if (map == NULL)
		return false;
	for (size_t i = 0; i < ARRAY_LEN(advices); i++) {
		(void)madvise(map, target->len, advices[i]);
		(void)syscall(SYS_process_madvise, self, &all, 1, advices[i], 0);
	}
	munmap(map, target->len);
	return false;
}

/* The kernel writes through a mapping that this process may only read. */
static bool by_kernel(struct target *target)
{
	uint8_t *map = map_to_read(target);
	CLEANUP_FD int mem = open("/proc/self/mem", O_RDWR | O_CLOEXEC);
	CLEANUP_FD int zero = open("/dev/zero", O_RDONLY | O_CLOEXEC);
	struct iovec mine = {&target->byte, 1}, theirs = {map, 1};
	uint32_t word = 0;

	if (map == NULL)
		return false;
	(void)!pwrite(mem, &target->byte, 1, (off_t)(uintptr_t)map);
	(void)!read(zero, map, target->len);
	(void)process_vm_writev(getpid(), &mine, 1, &theirs, 1, 0);
	(void)syscall(SYS_futex, &word, FUTEX_WAKE_OP, 0, NULL, map,
		      FUTEX_OP(FUTEX_OP_ADD, 1, FUTEX_OP_CMP_EQ, 0));
	munmap(map, target->len);
	return false;
}

/* A debugger writes into pages that its process may not write. */
static bool by_ptrace(struct target *target)
{
	void *map = map_to_read(target);
	long word = target->byte;
	int status;
	pid_t pid;

	if (map == NULL)
		return false;
	pid = fork();
	if (pid == 0) {
		(void)ptrace(PTRACE_TRACEME, 0, NULL, NULL);
		(void)raise(SIGSTOP);
		_exit(0);
	}
	if (pid > 0 && waitpid(pid, &status, 0) == pid && WIFSTOPPED(status)) {
		(void)ptrace(PTRACE_POKEDATA, pid, map, word);
		(void)kill(pid, SIGKILL);
		(void)waitpid(pid, &status, 0);
	}
	munmap(map, target->len);
	return false;
}

/* Buffers of a ring are pinned for writes by the kernel. */
static bool by_uring(struct target *target)
{
	struct io_uring_params params = {.flags = 0};
	CLEANUP_FD int ring = (int)syscall(SYS_io_uring_setup, 1, &params);
	struct iovec buffer = {target->map, target->len};

	return ring >= 0 &&
	       syscall(SYS_io_uring_register, ring, IORING_REGISTER_BUFFERS, &buffer, 1) == 0;
}

static bool by_userfault(struct target *target)
{
	CLEANUP_FD int fd = (int)syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK | 1);
	struct uffdio_api api = {.api = UFFD_API};
	struct uffdio_register range = {.mode = UFFDIO_REGISTER_MODE_MISSING};
	uint8_t *page = aligned_alloc(4096, 4096);
	void *map = map_to_read(target);
	struct uffdio_copy copy = {
		.dst = (uintptr_t)map, .src = (uintptr_t)page, .len = 4096, .copy = 0};

	ck_assert_ptr_nonnull(page);
	memset(page, target->byte, 4096);
	range.range.start = (uintptr_t)map;
	range.range.len = target->len;
	if (map != NULL && fd >= 0 && ioctl(fd, UFFDIO_API, &api) == 0) {
		(void)ioctl(fd, UFFDIO_REGISTER, &range);
		(void)ioctl(fd, UFFDIO_COPY, &copy);
	}
	if (map != NULL)
		munmap(map, target->len);
	free(page);
	return false;
}

/* --- writes to the file --- */

static bool by_write(struct target *target)
{
	struct iovec bytes = {&target->byte, 1};

	(void)!pwrite(target->fd, &target->byte, 1, 0);
	(void)lseek(target->fd, 0, SEEK_SET);
	(void)!write(target->fd, &target->byte, 1);
	(void)!pwritev2(target->fd, &bytes, 1, 0, RWF_SYNC);
	(void)!pwritev2(target->fd, &bytes, 1, 0, RWF_APPEND);
	return false;
}

static bool by_aio(struct target *target)
{
	struct iocb request = {.aio_lio_opcode = IOCB_CMD_PWRITE,
			       .aio_fildes = (uint32_t)target->fd,
			       .aio_buf = (uintptr_t)&target->byte,
			       .aio_nbytes = 1};
	struct iocb *requests = &request;
	struct io_event event;

	if (syscall(SYS_io_submit, target->aio, 1, &requests) == 1)
		(void)syscall(SYS_io_getevents, target->aio, 1, 1, &event, NULL);
	return false;
}

/* Bytes from another descriptor. */
static bool by_splice(struct target *target)
{
	uint8_t *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
			     0);
	struct iovec bytes = {page, 16};
	off_t at = 0;
	int pair[2];

	ck_assert_ptr_ne(page, MAP_FAILED);
	memset(page, target->byte, 4096);
	ck_assert_int_eq(pipe2(pair, O_CLOEXEC | O_NONBLOCK), 0);
	(void)!write(pair[1], page, 16);
	(void)splice(pair[0], NULL, target->fd, &at, 16, SPLICE_F_NONBLOCK);
	at = 0;
	(void)vmsplice(pair[1], &bytes, 1, SPLICE_F_GIFT);
	(void)splice(pair[0], NULL, target->fd, &at, 16, SPLICE_F_MOVE | SPLICE_F_NONBLOCK);
	/* A page of the memory itself, in a pipe. */
	at = 0;
	(void)splice(target->fd, &at, pair[1], NULL, 16, SPLICE_F_NONBLOCK);
	(void)!read(pair[0], page, 16);
	close(pair[0]);
	close(pair[1]);
	munmap(page, 4096);
	return false;
}

static bool by_copy(struct target *target)
{
	CLEANUP_FD int from = memfd_create("from", MFD_CLOEXEC);
	off_t from_at = 0, to_at = 0;

	ck_assert_int_eq(pwrite(from, &target->byte, 1, 0), 1);
	(void)copy_file_range(from, &from_at, target->fd, &to_at, 1, 0);
	(void)lseek(target->fd, 0, SEEK_SET);
	from_at = 0;
	(void)sendfile(target->fd, from, &from_at, 1);
	return false;
}

/* --- holes and length --- */

static bool by_fallocate(struct target *target)
{
	static const int modes[] = {
		0,
		FALLOC_FL_KEEP_SIZE,
		FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
		FALLOC_FL_ZERO_RANGE,
		FALLOC_FL_COLLAPSE_RANGE,
		FALLOC_FL_INSERT_RANGE,
		FALLOC_FL_UNSHARE_RANGE,
	};

	for (size_t i = 0; i < ARRAY_LEN(modes); i++)
		(void)fallocate(target->fd, modes[i], 0, (off_t)target->len);
	(void)fallocate(target->fd, 0, 0, (off_t)target->len * 2);
	return false;
}

static bool by_length(struct target *target)
{
	const off_t len = (off_t)target->len, lengths[] = {len * 2, len / 2, 0};

	for (size_t i = 0; i < ARRAY_LEN(lengths); i++) {
		(void)!ftruncate(target->fd, lengths[i]);
		(void)!truncate(target->path, lengths[i]);
	}
	return false;
}

/* A process that may add a seal can deny the memory to others. */
static bool by_seals(struct target *target)
{
	static const int seals[] = {F_SEAL_GROW, F_SEAL_FUTURE_WRITE, F_SEAL_WRITE, F_SEAL_SEAL};
	int before = fcntl(target->fd, F_GET_SEALS);

	for (size_t i = 0; i < ARRAY_LEN(seals); i++)
		(void)fcntl(target->fd, F_ADD_SEALS, seals[i]);
	return fcntl(target->fd, F_GET_SEALS) != before;
}

static const struct way ways[] = {
	{"a writable mapping", by_mapping},
	{"a private mapping", by_private_mapping},
	{"mprotect", by_mprotect},
	{"mremap", by_mremap},
	{"madvise or process_madvise", by_madvise},
	{"a write of the kernel into a read-only mapping", by_kernel},
	{"ptrace of a child", by_ptrace},
	{"a buffer of io_uring", by_uring},
	{"userfaultfd", by_userfault},
	{"write", by_write},
	{"asynchronous input and output", by_aio},
	{"splice or vmsplice", by_splice},
	{"copy_file_range or sendfile", by_copy},
	{"fallocate", by_fallocate},
	{"ftruncate or truncate", by_length},
	{"a new seal", by_seals},
};

/* --- all of them, on all descriptors --- */

static bool has_changed(const struct target *target)
{
	struct stat st;

	ck_assert_int_eq(fstat(target->fd, &st), 0);
	return st.st_size != (off_t)target->len ||
	       memcmp(target->map, target->before, target->len) != 0;
}

static const char *try_all(struct target *target, const char *how)
{
	static char found[256];

	for (size_t i = 0; i < ARRAY_LEN(ways); i++) {
		bool open = ways[i].try(target);

		if (!open && !has_changed(target))
			continue;
		snprintf(found, sizeof(found), "%s, by a descriptor that was %s", ways[i].name,
			 how);
		return found;
	}
	return NULL;
}

/* Opens it again in every mode. Opening alone may truncate. */
static const char *try_path(struct target *target, const char *path, const char *how)
{
	static const int modes[] = {O_RDWR, O_WRONLY, O_RDWR | O_APPEND, O_RDWR | O_TRUNC};
	int received = target->fd;
	const char *found = NULL;

	for (size_t i = 0; i < ARRAY_LEN(modes) && found == NULL; i++) {
		CLEANUP_FD int fd = open(path, modes[i] | O_CLOEXEC);

		if (fd < 0)
			continue;
		target->fd = fd;
		found = try_all(target, how);
		target->fd = received;
	}
	return found;
}

static const char *try_paths(struct target *target)
{
	static const char *const forms[] = {"/proc/self/fd/%d", "/proc/thread-self/fd/%d",
					    "/dev/fd/%d"};
	char path[64];
	const char *found = NULL;

	for (size_t i = 0; i < ARRAY_LEN(forms) && found == NULL; i++) {
		snprintf(path, sizeof(path), forms[i], target->fd);
		found = try_path(target, path, "opened again");
	}
	snprintf(path, sizeof(path), "/proc/%d/fd/%d", (int)getpid(), target->fd);
	return found != NULL ? found : try_path(target, path, "opened again by process id");
}

/* The owner of the memory may let every user open it. */
static void widen_mode(const struct target *target)
{
	(void)!fchown(target->fd, geteuid(), getegid());
	(void)fchmod(target->fd, 0777);
	(void)chmod(target->path, 0777);
}

static bool is_same(const char *path, const struct stat *st)
{
	struct stat other;

	return stat(path, &other) == 0 && other.st_dev == st->st_dev && other.st_ino == st->st_ino;
}

/* A descriptor of its owner, opened again and duplicated. */
static const char *try_owners_fd(struct target *target, int pidfd, const char *path)
{
	CLEANUP_FD int fd = (int)syscall(SYS_pidfd_getfd, pidfd, atoi(strrchr(path, '/') + 1), 0);
	const char *found = try_path(target, path, "the owner's, opened again");
	int received = target->fd;

	if (found != NULL || fd < 0)
		return found;
	target->fd = fd;
	found = try_all(target, "the owner's");
	target->fd = received;
	return found;
}

static const char *try_owner(struct target *target, pid_t owner)
{
	CLEANUP_FD int pidfd = (int)syscall(SYS_pidfd_open, owner, 0);
	const char *found = NULL;
	struct dirent *entry;
	char path[320];
	struct stat st;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/fd", (int)owner);
	dir = opendir(path);
	if (dir == NULL)
		return NULL;
	ck_assert_int_eq(fstat(target->fd, &st), 0);
	while (found == NULL && (entry = readdir(dir)) != NULL) {
		snprintf(path, sizeof(path), "/proc/%d/fd/%s", (int)owner, entry->d_name);
		if (is_same(path, &st))
			found = try_owners_fd(target, pidfd, path);
	}
	closedir(dir);
	return found;
}

const char *access_paths_find(int fd, pid_t owner)
{
	struct target target = {.fd = fd};
	const char *found;
	struct stat st;
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	ck_assert_int_eq(fstat(fd, &st), 0);
	target.path = path;
	target.len = (size_t)st.st_size;
	target.map = memfd_map(fd, 0, target.len, false);
	target.before = malloc(target.len);
	ck_assert_ptr_nonnull(target.map);
	ck_assert_ptr_nonnull(target.before);
	memcpy(target.before, target.map, target.len);
	target.byte = (uint8_t)~target.before[0];
	/* Without room for a context its requests fail. */
	(void)syscall(SYS_io_setup, 1, &target.aio);
	found = try_all(&target, "received");
	if (found == NULL)
		found = try_paths(&target);
	widen_mode(&target);
	if (found == NULL)
		found = try_paths(&target);
	if (found == NULL && owner != 0)
		found = try_owner(&target, owner);
	(void)syscall(SYS_io_destroy, target.aio);
	memfd_unmap(target.map, target.len);
	free(target.before);
	return found;
}
