/*
 * client/memory/shared_mapping: which memory importers can map if the program only gave an address.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "client/memory/shared_mapping.h"
#include "client/memory/vma.h"
#include "tests/unit/client/fixture.h"
#include "util/fd.h"
#include "util/memfd.h"

#define N_PAGES 4u

static char reason[SHARED_MAPPING_REASON_MAX];
static size_t page, len;

static void setup(void)
{
	page = memfd_page_size();
	len = N_PAGES * page;
}

static uint8_t *map(int fd, void *at, size_t n, size_t offset, int flags)
{
	uint8_t *addr = mmap(at, n, PROT_READ | PROT_WRITE, flags, fd, (off_t)offset);

	ck_assert_ptr_ne(addr, MAP_FAILED);
	return addr;
}

static int memfd_new(unsigned flags)
{
	int fd = memfd_create("program", MFD_CLOEXEC | flags);

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(ftruncate(fd, (off_t)len), 0);
	return fd;
}

static int seals(int fd)
{
	return fcntl(fd, F_GET_SEALS);
}

static void check_found(const void *addr, size_t n, bool grants_write, uint64_t offset,
			bool same_user)
{
	struct shared_mapping found = {.fd = -1};
	size_t before = unit_n_fds();
	uint8_t *other;

	reason[0] = '\0';
	ck_assert_msg(shared_mapping_find(addr, n, grants_write, &found, reason) == 0, "%s",
		      reason);
	ck_assert_uint_eq(unit_n_fds(), before + 1);
	ck_assert_uint_eq(found.offset, offset);
	ck_assert_int_eq(found.same_user, same_user);
	ck_assert_int_eq(memfd_verify(found.fd, offset + n), 0);
	other = memfd_map(found.fd, 0, len, false);
	ck_assert_ptr_nonnull(other);
	ck_assert_mem_eq(other + offset, addr, n);
	memfd_unmap(other, len);
	fd_close(&found.fd);
}

/* A file that can be cut: importers of the same user copy by its descriptor. */
static void check_found_file(const void *addr, size_t n, uint64_t offset)
{
	struct shared_mapping found = {.fd = -1};
	size_t before = unit_n_fds();
	uint8_t byte = 0;

	ck_assert_msg(shared_mapping_find(addr, n, true, &found, reason) == 0, "%s", reason);
	ck_assert(found.is_file && found.same_user);
	ck_assert_uint_eq(found.offset, offset);
	ck_assert_int_eq(pread(found.fd, &byte, 1, (off_t)offset), 1);
	ck_assert_uint_eq(byte, *(const uint8_t *)addr);
	ck_assert_int_eq(pwrite(found.fd, &byte, 1, (off_t)offset), 1);
	shared_file_close(&found.fd);
	ck_assert_uint_eq(unit_n_fds(), before);
}

/* Private memory may be adopted instead, which the result says. */
static void check_refused(const void *addr, size_t n, bool grants_write, const char *part)
{
	int result = strcmp(part, "private memory") == 0 ? -ENOENT : -ENOTSUP;
	struct shared_mapping found;
	size_t before = unit_n_fds();

	reason[0] = '\0';
	ck_assert_int_eq(shared_mapping_find(addr, n, grants_write, &found, reason), result);
	ck_assert_msg(strstr(reason, part) != NULL, "\"%s\" does not say \"%s\"", reason, part);
	ck_assert_uint_eq(unit_n_fds(), before);
}

START_TEST(test_memfd_is_found_and_sealed)
{
	int fd = memfd_new(MFD_ALLOW_SEALING);
	uint8_t *addr = map(fd, NULL, len, 0, MAP_SHARED);

	memset(addr, 7, len);
	check_found(addr, len, true, 0, true);
	ck_assert_int_eq(seals(fd) & (F_SEAL_SHRINK | F_SEAL_WRITE | F_SEAL_SEAL), F_SEAL_SHRINK);
	/* A range of the program may begin and end within its pages. */
	check_found(addr + 33, len - 100, true, 33, true);
	ck_assert_int_lt(ftruncate(fd, 0), 0);
}
END_TEST

/* A file that can grow later contains more than the range then. */
START_TEST(test_file_that_can_grow)
{
	int fd = memfd_new(MFD_ALLOW_SEALING);
	uint8_t *addr = map(fd, NULL, len, 0, MAP_SHARED);

	check_found(addr, len, true, 0, true);
	ck_assert_int_eq(fcntl(fd, F_ADD_SEALS, F_SEAL_GROW), 0);
	check_found(addr, len, true, 0, false);
	/* Seals that are added later only take rights away. */
	ck_assert_int_eq(fcntl(fd, F_ADD_SEALS, F_SEAL_SEAL), 0);
	check_found(addr, len, true, 0, false);
}
END_TEST

/* The export's reason is not the missing seal against shrinking, which can be added. */
START_TEST(test_read_only_file_without_the_seal_against_shrinking)
{
	int fd = memfd_new(MFD_ALLOW_SEALING);
	uint8_t *addr = map(fd, NULL, len, 0, MAP_SHARED);

	ck_assert_int_eq(fcntl(fd, F_ADD_SEALS, F_SEAL_FUTURE_WRITE | F_SEAL_GROW), 0);
	check_found(addr, len, false, 0, false);
	ck_assert_int_ne(seals(fd) & F_SEAL_SHRINK, 0);
}
END_TEST

/* Both ways to read mappings, as the kernel may have only the text. */
START_TEST(test_mappings_by_text)
{
	int fd = memfd_new(MFD_ALLOW_SEALING);
	uint8_t *addr = map(fd, NULL, len, 0, MAP_SHARED);
	struct vma_reader query, text;
	struct vma one = {.end = 0}, other = {.end = 0};
	bool found = false;

	ck_assert_int_eq(mprotect(addr + page, page, PROT_READ), 0);
	ck_assert_int_eq(vma_reader_open(&query), 0);
	ck_assert_int_eq(vma_reader_open(&text), 0);
	text.has_query = false;
	while (vma_find(&text, other.end, &other)) {
		/* Linux shows the last one only in the text. */
		if (other.start >= (uint64_t)1 << 63)
			break;
		ck_assert(vma_find(&query, one.end, &one));
		ck_assert_uint_eq(one.start, other.start);
		ck_assert_uint_eq(one.end, other.end);
		ck_assert_uint_eq(one.offset, other.offset);
		ck_assert_uint_eq(one.ino, other.ino);
		ck_assert_uint_eq(one.major, other.major);
		ck_assert_uint_eq(one.minor, other.minor);
		ck_assert_int_eq(vma_prot(&one), vma_prot(&other));
		ck_assert_int_eq(one.is_shared, other.is_shared);
		ck_assert_int_eq(one.is_memfd, other.is_memfd);
		ck_assert_int_eq(one.is_heap, other.is_heap);
		ck_assert_int_eq(one.is_stack, other.is_stack);
		found = found || (one.is_memfd && one.start == (uintptr_t)addr);
	}
	ck_assert(found);
	vma_reader_close(&query);
	vma_reader_close(&text);
}
END_TEST

/* The kernel splits a mapping whose parts have different properties. */
START_TEST(test_consecutive_mappings_of_one_file)
{
	int fd = memfd_new(MFD_ALLOW_SEALING);
	uint8_t *addr = map(fd, NULL, len, 0, MAP_SHARED);

	ck_assert_int_eq(madvise(addr + page, page, MADV_DONTFORK), 0);
	check_found(addr, len, true, 0, true);
}
END_TEST

START_TEST(test_private_memory)
{
	int fd = memfd_new(MFD_ALLOW_SEALING);
	uint8_t *heap = map(-1, NULL, len, 0, MAP_PRIVATE | MAP_ANONYMOUS);
	uint8_t *copy = map(fd, NULL, len, 0, MAP_PRIVATE);

	check_refused(heap, len, true, "private memory");
	check_refused(copy, len, true, "private memory");
	ck_assert_int_eq(munmap(heap + page, page), 0);
	check_refused(heap + page, page, true, "not mapped");
	ck_assert_int_eq(seals(fd), 0);
}
END_TEST

START_TEST(test_several_files)
{
	int fd = memfd_new(MFD_ALLOW_SEALING), other = memfd_new(MFD_ALLOW_SEALING);
	uint8_t *addr = map(fd, NULL, len, 0, MAP_SHARED);

	map(other, addr + 2 * page, page, 2 * page, MAP_SHARED | MAP_FIXED);
	check_refused(addr, len, true, "several files");
	map(fd, addr + 2 * page, page, page, MAP_SHARED | MAP_FIXED);
	check_refused(addr, len, true, "out of order");
	map(-1, addr + 2 * page, page, 0, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED);
	check_refused(addr, len, true, "private memory");
	ck_assert_int_eq(munmap(addr + 2 * page, page), 0);
	check_refused(addr, len, true, "not mapped");
	ck_assert_int_eq(seals(fd), 0);
}
END_TEST

/* Importers get the rest of the file, too. */
START_TEST(test_part_of_a_file)
{
	int fd = memfd_new(MFD_ALLOW_SEALING);
	uint8_t *addr = map(fd, NULL, len, 0, MAP_SHARED);

	check_found(addr, len - page, true, 0, true);
	check_found(addr + page, len - page, true, page, true);
	check_found(addr + page, len - page - 1, true, page, true);
}
END_TEST

START_TEST(test_rights)
{
	int fd = memfd_new(MFD_ALLOW_SEALING);
	uint8_t *addr = map(fd, NULL, len, 0, MAP_SHARED);

	/* A program's memfd is not sealed against writing: it may still have to map it. */
	check_refused(addr, len, false, "could write");
	ck_assert_int_eq(seals(fd), 0);
	ck_assert_int_eq(mprotect(addr + page, page, PROT_READ), 0);
	check_refused(addr, len, true, "PROT_WRITE");
	ck_assert_int_eq(mprotect(addr + page, page, PROT_NONE), 0);
	check_refused(addr, len, true, "PROT_READ");
	ck_assert_int_eq(mprotect(addr + page, page, PROT_READ | PROT_WRITE), 0);
	ck_assert_int_eq(fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_FUTURE_WRITE), 0);
	check_found(addr, len, false, 0, true);
	check_refused(addr, len, true, "sealed against writing");
}
END_TEST

/* A process that touches a mapping behind the end of a cut file is killed. */
START_TEST(test_file_that_can_be_truncated)
{
	int fd = memfd_new(0);
	uint8_t *addr = map(fd, NULL, len, 0, MAP_SHARED);

	check_found_file(addr, len, 0);
	check_refused(addr, len, false, "could write");
	fd = memfd_new(MFD_ALLOW_SEALING);
	addr = map(fd, NULL, len, 0, MAP_SHARED);
	ck_assert_int_eq(ftruncate(fd, (off_t)page), 0);
	check_refused(addr, len, true, "shorter");
	ck_assert_int_eq(seals(fd), 0);
}
END_TEST

START_TEST(test_file_of_a_directory)
{
	char path[100];
	int fd = unit_mkstemp(path, sizeof(path), "mapped");
	uint8_t *addr;

	ck_assert_int_eq(ftruncate(fd, (off_t)len), 0);
	addr = map(fd, NULL, len, 0, MAP_SHARED);
	check_refused(addr, len, true, "not of tmpfs");
}
END_TEST

static int tmpfs_file(void)
{
	int fd = open("/dev/shm", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(ftruncate(fd, (off_t)len), 0);
	return fd;
}

START_TEST(test_file_of_tmpfs)
{
	int fd = tmpfs_file(), read_only;
	uint8_t *addr = map(fd, NULL, len, 0, MAP_SHARED);

	memset(addr, 9, len);
	check_found_file(addr, len, 0);
	check_found_file(addr + page + 5, page, page + 5);
	check_refused(addr, len, false, "could write");
	ck_assert_int_eq(mprotect(addr, page, PROT_READ), 0);
	check_refused(addr, len, true, "PROT_WRITE");
	ck_assert_int_eq(mprotect(addr, page, PROT_READ | PROT_WRITE), 0);
	/* A descriptor of any kind names the file. */
	read_only = fd_reopen(fd, O_RDONLY);
	ck_assert_int_ge(read_only, 0);
	fd_close(&fd);
	check_found_file(addr, len, 0);
	ck_assert_int_eq(ftruncate(read_only, 0), -1);
	fd_close(&read_only);
	check_refused(addr, len, true, "keep it open");
	munmap(addr, len);
}
END_TEST

/* The descriptor that importers get shares no flags and no position with the program's. */
START_TEST(test_file_is_opened_again)
{
	char found_reason[SHARED_MAPPING_REASON_MAX];
	struct shared_mapping found;
	int fd = tmpfs_file();
	uint8_t *addr = map(fd, NULL, len, 0, MAP_SHARED);

	ck_assert_int_eq(shared_mapping_find(addr, len, true, &found, found_reason), 0);
	ck_assert_int_eq(fcntl(found.fd, F_SETFL, O_APPEND), 0);
	ck_assert_int_eq(fcntl(fd, F_GETFL) & O_APPEND, 0);
	fd_close(&found.fd);
	/* A process that could not open it passes on no duplicate. */
	if (geteuid() == 0) {
		ck_assert_int_eq(seteuid(60001), 0);
		check_refused(addr, len, true, "may not open");
		ck_assert_int_eq(seteuid(0), 0);
		ck_assert_int_eq(fchmod(fd, 0666), 0);
		ck_assert_int_eq(seteuid(60001), 0);
		check_refused(addr, len, true, "another user");
		ck_assert_int_eq(seteuid(0), 0);
	}
	munmap(addr, len);
	fd_close(&fd);
}
END_TEST

/* A program may close the descriptor of POSIX shared memory once it is mapped. */
START_TEST(test_named_shared_memory)
{
	char name[40];
	uint8_t *addr;
	int fd, other;

	snprintf(name, sizeof(name), "/dococ-mapping-%d", (int)getpid());
	fd = shm_open(name, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0600);
	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(ftruncate(fd, (off_t)len), 0);
	addr = map(fd, NULL, len, 0, MAP_SHARED);
	close(fd);
	check_found_file(addr + page, page, page);
	/* Another file has the name. */
	ck_assert_int_eq(shm_unlink(name), 0);
	check_refused(addr, len, true, "not of tmpfs");
	other = shm_open(name, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0600);
	ck_assert_int_ge(other, 0);
	close(other);
	check_refused(addr, len, true, "not of tmpfs");
	ck_assert_int_eq(shm_unlink(name), 0);
	munmap(addr, len);
}
END_TEST

static struct flock lock_of(short type)
{
	return (struct flock){.l_type = type, .l_whence = SEEK_SET, .l_len = 1};
}

/* Returns whether this process holds a lock on the file, as another process sees it. */
static bool is_locked(int fd)
{
	struct flock lock = lock_of(F_WRLCK);
	pid_t pid = fork();
	int status;

	if (pid == 0)
		_exit(fcntl(fd, F_GETLK, &lock) == 0 && lock.l_type != F_UNLCK);
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	return WEXITSTATUS(status) == 1;
}

/* A close of any descriptor of a file drops the POSIX locks of the process. */
START_TEST(test_locked_file)
{
	struct flock locked = lock_of(F_WRLCK), unlocked = lock_of(F_UNLCK);
	int fd = tmpfs_file();
	uint8_t *addr = map(fd, NULL, len, 0, MAP_SHARED);
	struct shared_mapping found;
	size_t before = unit_n_fds();

	ck_assert_int_eq(fcntl(fd, F_SETLK, &locked), 0);
	check_refused(addr, len, true, "POSIX locks");
	ck_assert(is_locked(fd));
	ck_assert_int_eq(fcntl(fd, F_SETLK, &unlocked), 0);
	ck_assert_int_eq(shared_mapping_find(addr, len, true, &found, reason), 0);
	/* Locked after the export, so the descriptor stays open until the lock is gone. */
	ck_assert_int_eq(fcntl(fd, F_SETLK, &locked), 0);
	shared_file_close(&found.fd);
	ck_assert_int_eq(found.fd, -1);
	ck_assert(is_locked(fd));
	ck_assert_uint_eq(unit_n_fds(), before + 1);
	ck_assert_int_eq(fcntl(fd, F_SETLK, &unlocked), 0);
	shared_file_close(&found.fd);
	ck_assert_uint_eq(unit_n_fds(), before);
	munmap(addr, len);
	close(fd);
}
END_TEST

/* The kernel's link to the mapping needs a capability. */
START_TEST(test_closed_descriptor)
{
	int fd = memfd_new(MFD_ALLOW_SEALING);
	uint8_t *addr = map(fd, NULL, len, 0, MAP_SHARED);
	struct shared_mapping found = {.fd = -1};

	fd_close(&fd);
	if (shared_mapping_find(addr, len, true, &found, reason) == 0)
		ck_assert_int_eq(memfd_verify(found.fd, len), 0);
	else
		ck_assert_ptr_nonnull(strstr(reason, "keep it open"));
	fd_close(&found.fd);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("shared_mapping");
	TCase *tcase = unit_case(suite, "shared_mapping", UNIT_TIMEOUT);

	tcase_add_checked_fixture(tcase, setup, NULL);
	tcase_add_test(tcase, test_memfd_is_found_and_sealed);
	tcase_add_test(tcase, test_file_that_can_grow);
	tcase_add_test(tcase, test_read_only_file_without_the_seal_against_shrinking);
	tcase_add_test(tcase, test_mappings_by_text);
	tcase_add_test(tcase, test_consecutive_mappings_of_one_file);
	tcase_add_test(tcase, test_private_memory);
	tcase_add_test(tcase, test_several_files);
	tcase_add_test(tcase, test_part_of_a_file);
	tcase_add_test(tcase, test_file_of_tmpfs);
	tcase_add_test(tcase, test_file_is_opened_again);
	tcase_add_test(tcase, test_named_shared_memory);
	tcase_add_test(tcase, test_locked_file);
	tcase_add_test(tcase, test_rights);
	tcase_add_test(tcase, test_file_that_can_be_truncated);
	tcase_add_test(tcase, test_file_of_a_directory);
	tcase_add_test(tcase, test_closed_descriptor);
	return unit_run(suite);
}
