/* util/memfd: seals at both ends, mappings. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/unit/unit.h"
#include "util/fd.h"
#include "util/memfd.h"

START_TEST(sealed_is_final)
{
	CLEANUP_FD int fd = memfd_create_sealed("t", 10000);

	ck_assert_int_ge(fd, 0);
	ck_assert(fcntl(fd, F_GETFD) & FD_CLOEXEC);
	ck_assert_int_eq(ftruncate(fd, 4096), -1);
	ck_assert_int_eq(ftruncate(fd, 20000), -1);
	ck_assert_int_eq(fcntl(fd, F_ADD_SEALS, F_SEAL_WRITE), -1);
	ck_assert_int_eq(lseek(fd, 0, SEEK_END), 10000);
	ck_assert_int_eq(memfd_verify(fd, 10000), 0);
	ck_assert_int_eq(memfd_verify(fd, 10001), -ERANGE);
	ck_assert_int_eq(memfd_seal_shrink(fd), 0);
	ck_assert_int_eq(memfd_create_sealed("t", 0), -EINVAL);
	ck_assert_int_lt(memfd_create_sealed("t", SIZE_MAX), 0);
}
END_TEST

START_TEST(sealable_grows)
{
	CLEANUP_FD int fd = memfd_create_sealable("t", 4096);

	ck_assert_int_eq(memfd_verify(fd, 4096), 0);
	ck_assert_int_eq(ftruncate(fd, 100), -1);
	ck_assert_int_eq(fcntl(fd, F_ADD_SEALS, F_SEAL_WRITE), 0);
}
END_TEST

START_TEST(verify_refuses)
{
	CLEANUP_FD int unsealed = memfd_create("t", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	CLEANUP_FD int refusing = memfd_create("t", MFD_CLOEXEC);
	CLEANUP_FD int event = fd_eventfd();
	CLEANUP_FD int file = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);

	ck_assert_int_eq(ftruncate(unsealed, 4096), 0);
	ck_assert_int_eq(ftruncate(refusing, 4096), 0);
	ck_assert_int_eq(memfd_verify(unsealed, 1), -EPERM);
	ck_assert_int_eq(memfd_verify(refusing, 1), -EPERM);
	ck_assert_int_eq(memfd_verify(event, 1), -EBADF);
	ck_assert_int_eq(memfd_verify(file, 1), -EBADF);
	ck_assert_int_eq(memfd_verify(-1, 1), -EBADF);
	/* Seals against growing and writing do not protect from SIGBUS. */
	ck_assert_int_eq(fcntl(unsealed, F_ADD_SEALS, F_SEAL_GROW | F_SEAL_WRITE), 0);
	ck_assert_int_eq(memfd_verify(unsealed, 1), -EPERM);
	ck_assert_int_eq(memfd_seal_shrink(refusing), -EPERM);
	ck_assert_int_lt(memfd_seal_shrink(event), 0);
	ck_assert_int_eq(memfd_seal_shrink(unsealed), 0);
	ck_assert_int_eq(memfd_verify(unsealed, 4096), 0);
	ck_assert_int_eq(memfd_verify(unsealed, 4097), -ERANGE);
	ck_assert_int_eq(memfd_verify(unsealed, SIZE_MAX), -ERANGE);
}
END_TEST

START_TEST(map_once)
{
	size_t page = memfd_page_size();
	CLEANUP_FD int fd = memfd_create_sealed("t", 3 * page);
	char *all = memfd_map(fd, 0, 3 * page, true);
	char *part = memfd_map(fd, page, page + 17, false);

	ck_assert_ptr_nonnull(all);
	ck_assert_ptr_nonnull(part);
	all[page + 5] = 42;
	ck_assert_int_eq(part[5], 42);
	memfd_unmap(all, 3 * page);
	memfd_unmap(part, page + 17);
	memfd_unmap(NULL, 1);
	ck_assert_ptr_null(memfd_map(fd, 1, page, false));
	ck_assert_int_eq(errno, EINVAL);
	ck_assert_ptr_null(memfd_map(fd, 0, 0, false));
	ck_assert_int_eq(errno, EINVAL);
	ck_assert_ptr_null(memfd_map(fd, UINT64_MAX - page + 1, page, false));
	ck_assert_ptr_null(memfd_map(-1, 0, page, false));
	ck_assert_int_eq(errno, EBADF);
}
END_TEST

START_TEST(map_twice_is_one_memory)
{
	size_t page = memfd_page_size();
	size_t len = 4 * page;
	CLEANUP_FD int fd = memfd_create_sealed("t", page + len);
	char *data = memfd_map_twice(fd, page, len);
	char *header = memfd_map(fd, 0, page, true);

	ck_assert_ptr_nonnull(data);
	memset(data + len - 3, 'a', 6);
	ck_assert_mem_eq(data, "aaa", 3);
	ck_assert_mem_eq(data + 2 * len - 3, "aaa", 3);
	data[len] = 'b';
	ck_assert_int_eq(data[0], 'b');
	ck_assert_int_eq(header[0], 0);
	memfd_unmap(header, page);
	memfd_unmap_twice(data, len);
	ck_assert_int_eq(msync(data, 2 * len, MS_ASYNC), -1);
	ck_assert_int_eq(errno, ENOMEM);
	ck_assert_ptr_null(memfd_map_twice(fd, 0, page + 8));
	ck_assert_int_eq(errno, EINVAL);
	ck_assert_ptr_null(memfd_map_twice(fd, 0, 0));
	ck_assert_ptr_null(memfd_map_twice(fd, 0, (SIZE_MAX / 2 + 1) & ~(page - 1)));
	ck_assert_ptr_null(memfd_map_twice(-1, 0, page));
	ck_assert_int_eq(errno, EBADF);
}
END_TEST

START_TEST(exact)
{
	int fd = memfd_create_sealed("test", 100), grows;

	ck_assert_int_eq(memfd_verify_exact(fd, 100), 0);
	ck_assert_int_eq(memfd_verify_exact(fd, 99), -ERANGE);
	ck_assert_int_eq(memfd_verify_exact(fd, 101), -ERANGE);
	grows = memfd_create("grows", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	ck_assert_int_eq(ftruncate(grows, 100), 0);
	ck_assert_int_eq(memfd_verify_exact(grows, 100), -EPERM);
	ck_assert_int_eq(fcntl(grows, F_ADD_SEALS, F_SEAL_SHRINK), 0);
	ck_assert_int_eq(memfd_verify_exact(grows, 100), -EPERM);
	close(fd);
	close(grows);
	ck_assert_int_eq(memfd_verify_exact(STDIN_FILENO, 1), -EBADF);
}
END_TEST

/* Works without a pool of huge pages, because the memory is never touched. */
START_TEST(huge_is_refused)
{
	int small = memfd_create_sealed("small", 100);
	int fd = memfd_create("huge", MFD_CLOEXEC | MFD_ALLOW_SEALING | MFD_HUGETLB);
	struct stat st;

	ck_assert(!memfd_is_huge(small));
	ck_assert(!memfd_is_huge(STDIN_FILENO));
	/* A kernel without huge pages has nothing to refuse. */
	if (fd >= 0) {
		ck_assert_int_eq(fstat(fd, &st), 0);
		ck_assert_int_eq(ftruncate(fd, st.st_blksize), 0);
		ck_assert_int_eq(fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK), 0);
		ck_assert(memfd_is_huge(fd));
		ck_assert_int_eq(memfd_verify(fd, 1), -ENOTSUP);
		close(fd);
	}
	close(small);
}
END_TEST

START_TEST(writers_by_seal)
{
	CLEANUP_FD int fd = memfd_create_sealable("t", 4096);
	CLEANUP_FD int read_only = fd_reopen(fd, O_RDONLY);

	ck_assert(memfd_is_writable(fd));
	/* The owner can reopen the read-only descriptor for writing. */
	ck_assert(memfd_is_writable(read_only));
	ck_assert_int_eq(memfd_seal_writers(fd), 0);
	ck_assert(!memfd_is_writable(fd));
	ck_assert(!memfd_is_writable(-1));
}
END_TEST

/* A process of another user cannot open the memory with more rights than its descriptor has. */
START_TEST(mode_is_0600)
{
	CLEANUP_FD int fd = memfd_create_sealed("t", 4096);
	struct stat st;

	ck_assert_int_eq(fstat(fd, &st), 0);
	ck_assert_uint_eq(st.st_mode & 07777, 0600);
}
END_TEST

START_TEST(settled_once)
{
	bool writes = _i == 0;
	CLEANUP_FD int fd = memfd_create_sealable("t", 4096);
	uint8_t *map = memfd_map(fd, 0, 4096, true);

	ck_assert(memfd_settle(fd, writes));
	ck_assert(!memfd_settle(fd, !writes));
	ck_assert(memfd_settle(fd, writes));
	map[0] = 1;
	ck_assert_int_eq(pwrite(fd, "x", 1, 0) == 1, writes);
	ck_assert_int_eq(map[0], writes ? 'x' : 1);
	memfd_unmap(map, 4096);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("memfd");
	TCase *tcase = unit_case(suite, "memfd", UNIT_TIMEOUT);

	tcase_add_test(tcase, sealed_is_final);
	tcase_add_test(tcase, sealable_grows);
	tcase_add_test(tcase, verify_refuses);
	tcase_add_test(tcase, map_once);
	tcase_add_test(tcase, exact);
	tcase_add_test(tcase, huge_is_refused);
	tcase_add_test(tcase, map_twice_is_one_memory);
	tcase_add_test(tcase, writers_by_seal);
	tcase_add_test(tcase, mode_is_0600);
	tcase_add_loop_test(tcase, settled_once, 0, 2);
	return unit_run(suite);
}
