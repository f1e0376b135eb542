/* Adoption of private memory; see client/memory/adopt.h. */
#include "client/memory/adopt.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <linux/userfaultfd.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

#include "util/fd.h"
#include "util/memfd.h"

static pthread_mutex_t adopt_lock = PTHREAD_MUTEX_INITIALIZER;
static struct list adoptions = LIST_INIT(adoptions);
static pthread_once_t fork_once = PTHREAD_ONCE_INIT;
/* A word that parent and child share: 1 once the child has its copies. NULL: no adoption yet. */
static _Atomic uint32_t *fork_word;

/* --- which memory --- */

/* One mapping of /proc/self/smaps. */
struct mapping {
	unsigned long long start, end, offset, ino;
	unsigned major, minor;
	char rights[5];
	char name[64];
};

static bool mapping_parse(const char *line, struct mapping *mapping_out)
{
	mapping_out->name[0] = '\0';
	return sscanf(line, "%llx-%llx %4s %llx %x:%x %llu %63s", &mapping_out->start,
		      &mapping_out->end, mapping_out->rights, &mapping_out->offset,
		      &mapping_out->major, &mapping_out->minor, &mapping_out->ino,
		      mapping_out->name) >= 7;
}

static const char *mapping_wrong(const struct mapping *mapping)
{
	if (mapping->ino != 0)
		return "the range lies in the mapping of a file";
	if (strncmp(mapping->rights, "rw", 2) != 0 || mapping->rights[3] != 'p')
		return "the range is not private memory that can be read and written";
	/* Stacks of other threads are anonymous memory like any other; nothing names them. */
	if (strcmp(mapping->name, "[stack]") == 0)
		return "the range lies on the stack";
	return NULL;
}

/* Flags of a mapping that forbid its adoption, as in VmFlags of /proc/self/smaps. */
static const char *flags_wrong(const char *flags)
{
	static const struct {
		const char *flag, *why;
	} all[] = {
		{" ht", "the range is of huge pages"},
		{" lo", "the range is locked (mlock)"},
		{" gd", "the range lies on a stack"},
		{" io", "the range is memory of a device"},
		{" pf", "the range is memory of a device"},
		{" um", "another userfaultfd watches the range"},
		{" uw", "another userfaultfd watches the range"},
		{" ui", "another userfaultfd watches the range"},
		{" dc", "the range is not copied by fork (MADV_DONTFORK), as RDMA libraries ask"},
		{" wf", "the range is emptied by fork (MADV_WIPEONFORK)"},
	};

	for (size_t i = 0; i < ARRAY_LEN(all); i++) {
		if (strstr(flags, all[i].flag) != NULL)
			return all[i].why;
	}
	return NULL;
}

/* Returns NULL if all of [start, end) may be adopted, or the clause why not. */
static const char *range_wrong(uint64_t start, uint64_t end)
{
	const char *wrong = "part of the range is not mapped";
	FILE *file = fopen("/proc/thread-self/smaps", "re");
	struct mapping mapping, current = {.end = 0};
	uint64_t at = start;
	char *line = NULL;
	size_t size = 0;

	if (file == NULL)
		return "/proc is not mounted";
	while (at < end && getline(&line, &size, file) > 0) {
		if (mapping_parse(line, &mapping)) {
			current = mapping;
			continue;
		}
		if (strncmp(line, "VmFlags:", 8) != 0 || current.end <= at)
			continue;
		if (current.start > at)
			break;
		wrong = mapping_wrong(&current);
		if (wrong == NULL)
			wrong = flags_wrong(line);
		if (wrong != NULL)
			break;
		at = current.end;
		wrong = at < end ? "part of the range is not mapped" : NULL;
	}
	free(line);
	fclose(file);
	return wrong;
}

static bool has_one_thread(void)
{
	struct stat st;

	/* The link count of a directory is 2 and one for each directory in it. */
	return stat("/proc/self/task", &st) == 0 && st.st_nlink == 3;
}

/* --- userfaultfd --- */

/* Opens a userfaultfd that also stops system calls. Returns -1 if the kernel does not grant it. */
static int faults_open(uint64_t features)
{
	struct uffdio_api api = {.api = UFFD_API, .features = features};
	CLEANUP_FD int fd = (int)syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK);

	if (fd < 0 || ioctl(fd, UFFDIO_API, &api) < 0)
		return -1;
	return fd_steal(&fd);
}

static int faults_stop(int fd, uint8_t *at, size_t len, uint64_t mode)
{
	struct uffdio_register range = {.range = {(uintptr_t)at, len}, .mode = mode};

	if (fd < 0)
		return 0;
	return ioctl(fd, UFFDIO_REGISTER, &range) < 0 ? -errno : 0;
}

static void faults_go_on(int fd, uint8_t *at, size_t len)
{
	struct uffdio_range range = {(uintptr_t)at, len};

	/* Fails where the new mapping is not registered; waiting threads are woken all the same. */
	if (fd >= 0) {
		(void)ioctl(fd, UFFDIO_UNREGISTER, &range);
		(void)ioctl(fd, UFFDIO_WAKE, &range);
	}
}

/* --- one step --- */

/* Replaces the mapping at `at` with the one at `by`, which is then gone. */
static int mapping_replace(uint8_t *at, uint8_t *by, size_t len)
{
	return mremap(by, len, len, MREMAP_MAYMOVE | MREMAP_FIXED, at) == MAP_FAILED ? -errno : 0;
}

static int step_adopt(int faults, int fd, uint8_t *at, size_t len, uint64_t offset)
{
	uint8_t *shared, *moved;
	int r;

	shared = memfd_map(fd, offset, len, true);
	if (shared == NULL)
		return -errno;
	r = faults_stop(faults, at, len, UFFDIO_REGISTER_MODE_MISSING);
	if (r < 0) {
		memfd_unmap(shared, len);
		return r;
	}
	moved = mremap(at, len, len, MREMAP_MAYMOVE | MREMAP_DONTUNMAP, NULL);
	if (moved == MAP_FAILED) {
		r = -errno;
		faults_go_on(faults, at, len);
		memfd_unmap(shared, len);
		return r;
	}
	memcpy(shared, moved, len);
	r = mapping_replace(at, shared, len);
	if (r == 0) {
		munmap(moved, len);
	} else {
		memfd_unmap(shared, len);
		(void)mapping_replace(at, moved, len);
	}
	faults_go_on(faults, at, len);
	return r;
}

static int step_release(int faults, int fd, uint8_t *at, size_t len, uint64_t offset)
{
	uint8_t *private = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
				0);
	uint8_t *shared = memfd_map(fd, offset, len, false);
	int r = private == MAP_FAILED || shared == NULL ? -ENOMEM : 0;

	if (r == 0)
		r = faults_stop(faults, at, len, UFFDIO_REGISTER_MODE_MINOR);
	/* From here on every access of the program to the shared pages is a fault. */
	if (r == 0 && madvise(at, len, MADV_DONTNEED) < 0)
		r = -errno;
	if (r == 0) {
		memcpy(private, shared, len);
		r = mapping_replace(at, private, len);
	}
	faults_go_on(faults, at, len);
	if (r < 0 && private != MAP_FAILED)
		munmap(private, len);
	memfd_unmap(shared, len);
	return r;
}

/* --- giving back --- */

/* Reads /proc/self/maps without allocating: in a forked child the heap itself may be adopted. */
struct maps_reader {
	int fd;
	size_t at, n;
	char buffer[1024];
};

/* Returns the next line without its end, cut to `size`. Returns false at the end of the file. */
static bool maps_next(struct maps_reader *maps, char *line, size_t size)
{
	size_t len = 0;

	for (;;) {
		if (maps->at == maps->n) {
			ssize_t n = read(maps->fd, maps->buffer, sizeof(maps->buffer));

			if (n <= 0)
				return false;
			maps->at = 0;
			maps->n = (size_t)n;
		}
		if (maps->buffer[maps->at] == '\n') {
			maps->at++;
			line[len] = '\0';
			return true;
		}
		if (len < size - 1)
			line[len++] = maps->buffer[maps->at];
		maps->at++;
	}
}

/* Releases the part of the adoption that lies in this mapping, if it is the adoption's memfd. */
static int mapping_release(int faults, const struct adoption *adoption, const struct stat *st,
			   const char *line)
{
	uintptr_t base = (uintptr_t)adoption->addr, start, end, offset;
	unsigned long major, minor;
	char *next;
	int r = 0;

	start = strtoull(line, &next, 16);
	end = strtoull(next + 1, &next, 16);
	offset = strtoull(next + 6, &next, 16); /* after " rw-s " */
	major = strtoul(next, &next, 16);
	minor = strtoul(next + 1, &next, 16);
	if (strtoull(next, NULL, 10) != st->st_ino || makedev(major, minor) != st->st_dev)
		return 0;
	/* The program may have moved its pages. */
	if (start < base || end > base + adoption->len || start - base != offset)
		return 0;
	for (uintptr_t at = start; at < end && r == 0; at += ADOPT_STEP_LEN)
		r = step_release(faults, adoption->fd, (uint8_t *)at, MIN(end - at, ADOPT_STEP_LEN),
				 at - base);
	return r;
}

static int adoption_release_by(int faults, const struct adoption *adoption)
{
	struct maps_reader maps = {.fd = open("/proc/thread-self/maps", O_RDONLY | O_CLOEXEC)};
	char line[128];
	struct stat st;
	int r = 0;

	if (maps.fd < 0 || fstat(adoption->fd, &st) < 0)
		r = -errno;
	while (r == 0 && maps_next(&maps, line, sizeof(line)))
		r = mapping_release(faults, adoption, &st, line);
	fd_close(&maps.fd);
	return r;
}

/* --- fork --- */

static void fork_prepare(void)
{
	pthread_mutex_lock(&adopt_lock);
	if (fork_word != NULL)
		atomic_store(fork_word, 0);
}

/* The child reads the memory, so this thread does not change it before. A child that is killed
 * first ends the wait within 10 ms: the next look finds it. */
static void fork_parent(void)
{
	const struct timespec wait = {.tv_nsec = 10 * 1000 * 1000};
	siginfo_t ended = {.si_pid = 0};

	while (!list_is_empty(&adoptions) && atomic_load(fork_word) == 0) {
		(void)syscall(SYS_futex, fork_word, FUTEX_WAIT, 0, &wait, NULL, 0);
		if (waitid(P_ALL, 0, &ended, WEXITED | WNOHANG | WNOWAIT) == 0 && ended.si_pid != 0)
			break;
	}
	pthread_mutex_unlock(&adopt_lock);
}

static void fork_child(void)
{
	struct adoption *adoption;

	list_for_each(adoption, &adoptions, node)
	{
		/* A child without its copies must not write to memory of its parent, and faults. */
		if (adoption_release_by(-1, adoption) < 0)
			(void)mprotect(adoption->addr, adoption->len, PROT_NONE);
	}
	list_init(&adoptions);
	if (fork_word != NULL) {
		atomic_store(fork_word, 1);
		(void)syscall(SYS_futex, fork_word, FUTEX_WAKE, 1, NULL, NULL, 0);
	}
	pthread_mutex_init(&adopt_lock, NULL);
}

static void fork_watch(void)
{
	void *word = mmap(NULL, memfd_page_size(), PROT_READ | PROT_WRITE,
			  MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (word == MAP_FAILED)
		return;
	if (pthread_atfork(fork_prepare, fork_parent, fork_child) == 0)
		fork_word = word;
	else
		munmap(word, memfd_page_size());
}

/* --- adoptions --- */

static int adoption_refuse(int error, const char *why, char reason[ADOPT_REASON_MAX])
{
	snprintf(reason, ADOPT_REASON_MAX, "%s", why);
	return error;
}

static int adoption_release_locked(const struct adoption *adoption)
{
	CLEANUP_FD int faults = faults_open(UFFD_FEATURE_MINOR_SHMEM);

	if (faults < 0 && !has_one_thread())
		return -EPERM;
	return adoption_release_by(faults, adoption);
}

static int adoption_fill_locked(const struct adoption *adoption, char reason[ADOPT_REASON_MAX])
{
	CLEANUP_FD int faults = faults_open(0);
	size_t at;
	int r = 0;

	if (faults < 0 && !has_one_thread())
		return adoption_refuse(
			-ENOTSUP,
			"with several threads a userfaultfd that stops system calls is "
			"needed: set vm.unprivileged_userfaultfd to 1, or export "
			"before threads start",
			reason);
	for (at = 0; at < adoption->len && r == 0; at += ADOPT_STEP_LEN)
		r = step_adopt(faults, adoption->fd, adoption->addr + at,
			       MIN(adoption->len - at, ADOPT_STEP_LEN), at);
	if (r == 0)
		return 0;
	/* The last step left its pages private. */
	(void)adoption_release_locked(adoption);
	snprintf(reason, ADOPT_REASON_MAX, "the kernel does not move the pages: %s", strerror(-r));
	return r;
}

static int adoption_make(uint8_t *start, size_t len, struct adoption **adoption_out,
			 char reason[ADOPT_REASON_MAX])
{
	struct adoption *adoption = calloc(1, sizeof(*adoption));
	int r;

	if (adoption == NULL)
		return adoption_refuse(-ENOMEM, "out of memory", reason);
	*adoption = (struct adoption){.addr = start, .len = len, .n_users = 1};
	adoption->fd = memfd_create_sealable("dococ-adopted", len);
	r = adoption->fd;
	/* Without this, the copy would raise SIGBUS if there is no room. */
	if (r >= 0 && fallocate(adoption->fd, 0, 0, (off_t)len) < 0)
		r = -errno;
	if (r < 0) {
		snprintf(reason, ADOPT_REASON_MAX, "no room for a memfd of %zu bytes: %s", len,
			 strerror(-r));
	} else {
		pthread_mutex_lock(&adopt_lock);
		r = adoption_fill_locked(adoption, reason);
		if (r == 0)
			list_append(&adoptions, &adoption->node);
		pthread_mutex_unlock(&adopt_lock);
	}
	if (r < 0) {
		fd_close(&adoption->fd);
		free(adoption);
		return r;
	}
	*adoption_out = adoption;
	return 0;
}

int adoption_new(void *addr, size_t len, struct adoption **adoption_out,
		 char reason[ADOPT_REASON_MAX])
{
	uintptr_t page = memfd_page_size(), start = ALIGN_UP((uintptr_t)addr, page);
	uintptr_t end = ((uintptr_t)addr + len) & ~(page - 1);
	const char *wrong;

	if (end < start || end - start < ADOPT_MIN_LEN)
		return adoption_refuse(-ENOTSUP, "the range is shorter than 64 KiB of whole pages",
				       reason);
	/* A thread cannot move the stack that it runs on. */
	if ((uintptr_t)__builtin_frame_address(0) >= start &&
	    (uintptr_t)__builtin_frame_address(0) < end)
		return adoption_refuse(-ENOTSUP, "the range lies on the stack", reason);
	pthread_once(&fork_once, fork_watch);
	if (fork_word == NULL)
		return adoption_refuse(-ENOMEM, "forks cannot be watched: out of memory", reason);
	wrong = range_wrong(start, end);
	if (wrong != NULL)
		return adoption_refuse(-ENOTSUP, wrong, reason);
	return adoption_make((uint8_t *)start, end - start, adoption_out, reason);
}

struct adoption *adoption_find(const void *addr, size_t len)
{
	struct adoption *adoption, *found = NULL;

	pthread_mutex_lock(&adopt_lock);
	list_for_each(adoption, &adoptions, node)
	{
		size_t at = (size_t)((uintptr_t)addr - (uintptr_t)adoption->addr);

		if (at < adoption->len && len <= adoption->len - at)
			found = adoption;
	}
	if (found != NULL)
		found->n_users++;
	pthread_mutex_unlock(&adopt_lock);
	return found;
}

int adoption_end(struct adoption *adoption)
{
	bool is_last;
	int r = 0;

	if (adoption == NULL)
		return 0;
	pthread_mutex_lock(&adopt_lock);
	is_last = --adoption->n_users == 0;
	if (is_last)
		r = adoption_release_locked(adoption);
	if (is_last && r == 0)
		list_remove(&adoption->node);
	pthread_mutex_unlock(&adopt_lock);
	if (!is_last || r < 0)
		return r;
	fd_close(&adoption->fd);
	free(adoption);
	return 0;
}
