/*
 * The transports: which ranges each accepts, what it refuses and with which sentence, and that
 * nothing is left behind.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "client/transport/file.h"
#include "client/transport/local.h"
#include "client/transport/pvm.h"
#include "client/transport/shm.h"
#include "tests/unit/client/fixture.h"
#include "util/fd.h"
#include "util/memfd.h"

#define BASE UINT64_C(0x600000000000) /* the exporter's address, which has no meaning here */

static char reason[TRANSPORT_REASON_MAX];
static struct transport_region region;
static size_t n_fds;

static void setup(void)
{
	memset(reason, 0, sizeof(reason));
	region = (struct transport_region){.pidfd = -1};
	n_fds = unit_n_fds();
}

static void teardown(void)
{
	ck_assert_uint_eq(unit_n_fds(), n_fds);
}

static struct transport_target shm_target(int memfd, uint64_t offset, uint64_t len, bool writable)
{
	return (struct transport_target){.base = BASE,
					 .len = len,
					 .writable = writable,
					 .is_memfd = true,
					 .memfd = memfd,
					 .memfd_offset = offset,
					 .pidfd = -1};
}

static int shm_open_it(int memfd, uint64_t offset, uint64_t len, bool writable)
{
	struct transport_target target = shm_target(memfd, offset, len, writable);

	region = (struct transport_region){.pidfd = -1, .base = BASE, .len = len};
	return transport_shm.open(&target, &region, reason);
}

START_TEST(the_table_is_whole)
{
	const char *names[] = {"local", "shm", "file", "pvm", "verbs", "relay"};

	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		ck_assert_str_eq(transport_table[i]->name, names[i]);
		ck_assert(transport_table[i]->open && transport_table[i]->close &&
			  transport_table[i]->readv && transport_table[i]->writev);
	}
	ck_assert_ptr_null(transport_table[ARRAY_LEN(names)]);
	ck_assert_int_eq(transport_open_unsupported(NULL, NULL, reason), -EOPNOTSUPP);
	ck_assert_str_eq(reason, "not built in");
	ck_assert_int_eq(transport_shm.readv(&region, NULL, 0, NULL, 0), -EOPNOTSUPP);
}
END_TEST

START_TEST(local_is_for_this_process)
{
	struct transport_target target = {.same_process = true, .pid = getpid()};

	ck_assert_int_eq(transport_local.open(&target, &region, reason), 0);
	ck_assert(region.direct);
	ck_assert_int_eq(region.delta, 0);
	target.pid++;
	ck_assert_int_eq(transport_local.open(&target, &region, reason), -EXDEV);
	target.pid--;
	target.same_process = false;
	ck_assert_int_eq(transport_local.open(&target, &region, reason), -EXDEV);
	ck_assert_ptr_nonnull(strstr(reason, "another process"));
}
END_TEST

/* Ranges at any offset: the exporter's address plus delta is the same byte. */
START_TEST(shm_maps_odd_ranges)
{
	const uint64_t offsets[] = {0, 1, 63, 4095, 4096, 4097, 10000};
	int memfd = memfd_create_sealed("unit", 65536);
	uint8_t *all = memfd_map(memfd, 0, 65536, true);

	for (size_t i = 0; i < 65536; i++)
		all[i] = (uint8_t)(i * 7 >> 3);
	for (size_t i = 0; i < ARRAY_LEN(offsets); i++) {
		const uint64_t lens[] = {1, 4096, 4097, 65536 - offsets[i]};

		for (size_t k = 0; k < ARRAY_LEN(lens); k++) {
			uint8_t *mine;

			ck_assert_int_eq(shm_open_it(memfd, offsets[i], lens[k], true), 0);
			ck_assert(region.direct);
			mine = (uint8_t *)(uintptr_t)(BASE + (uint64_t)region.delta);
			ck_assert_mem_eq(mine, all + offsets[i], lens[k]);
			mine[lens[k] - 1] ^= 0xff;
			ck_assert_uint_eq(mine[lens[k] - 1], all[offsets[i] + lens[k] - 1]);
			transport_shm.close(&region);
			ck_assert_ptr_null(region.map);
			transport_shm.close(&region);
		}
	}
	memfd_unmap(all, 65536);
	close(memfd);
}
END_TEST

START_TEST(shm_refuses_what_may_shrink)
{
	int memfd = memfd_create("unit", MFD_CLOEXEC | MFD_ALLOW_SEALING);

	ck_assert_int_eq(ftruncate(memfd, 8192), 0);
	ck_assert_int_eq(shm_open_it(memfd, 0, 4096, true), -EPERM);
	ck_assert_ptr_nonnull(strstr(reason, "not sealed"));
	ck_assert_int_eq(memfd_seal_shrink(memfd), 0);
	ck_assert_int_eq(shm_open_it(memfd, 0, 4096, true), 0);
	transport_shm.close(&region);
	close(memfd);
}
END_TEST

START_TEST(shm_refuses_what_is_too_short)
{
	int memfd = memfd_create_sealed("unit", 8192);

	ck_assert_int_eq(shm_open_it(memfd, 0, 8193, true), -ERANGE);
	ck_assert_ptr_nonnull(strstr(reason, "shorter"));
	ck_assert_int_eq(shm_open_it(memfd, 8192, 1, true), -ERANGE);
	ck_assert_int_eq(shm_open_it(memfd, UINT64_MAX - 4095, 8192, true), -EPROTO);
	ck_assert_int_eq(shm_open_it(memfd, 1, UINT64_MAX - 1, true), -ERANGE);
	ck_assert_int_eq(shm_open_it(memfd, 8191, 1, true), 0);
	transport_shm.close(&region);
	close(memfd);
}
END_TEST

START_TEST(shm_refuses_what_is_no_memfd)
{
	struct transport_target target = shm_target(-1, 0, 4096, true);
	int file = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);

	ck_assert_int_lt(shm_open_it(-1, 0, 4096, true), 0);
	ck_assert_int_lt(shm_open_it(file, 0, 1, false), 0);
	target.is_memfd = false;
	ck_assert_int_eq(transport_shm.open(&target, &region, reason), -ENOTSUP);
	ck_assert_ptr_nonnull(strstr(reason, "dococ_mem_alloc"));
	close(file);
}
END_TEST

/* The kernel enforces the read-only right, because the descriptor grants no more. */
START_TEST(shm_is_read_only_where_the_descriptor_is)
{
	int memfd = memfd_create_sealed("unit", 4096), read_only;

	read_only = fd_reopen(memfd, O_RDONLY);
	ck_assert_int_ge(read_only, 0);
	ck_assert_int_eq(shm_open_it(read_only, 0, 4096, true), -EACCES);
	ck_assert_int_eq(shm_open_it(read_only, 0, 4096, false), 0);
	ck_assert_int_lt(mprotect(region.map, 4096, PROT_READ | PROT_WRITE), 0);
	transport_shm.close(&region);
	close(read_only);
	close(memfd);
}
END_TEST

/* --- file --- */

static int tmpfs_file(size_t len)
{
	int fd = open("/dev/shm", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(ftruncate(fd, (off_t)len), 0);
	return fd;
}

static int file_open_it(int fd, uint64_t offset, uint64_t len, bool writable)
{
	struct transport_target target = {.base = BASE,
					  .len = len,
					  .writable = writable,
					  .is_file = true,
					  .memfd = fd,
					  .memfd_offset = offset,
					  .pidfd = fd_pidfd_open(getpid())};
	int r;

	region = (struct transport_region){.pidfd = -1, .base = BASE, .len = len};
	r = transport_file.open(&target, &region, reason);
	close(target.pidfd);
	return r;
}

static void *at_base(size_t offset)
{
	return (void *)(uintptr_t)(BASE + offset);
}

START_TEST(file_reads_and_writes)
{
	int fd = tmpfs_file(16384);
	uint8_t mine[100], *theirs = mmap(NULL, 16384, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	const struct iovec local[] = {{mine, 30}, {mine, 0}, {mine + 30, 70}};
	const struct iovec remote[] = {{at_base(0), 10}, {at_base(4091), 50}, {at_base(3), 40}};

	ck_assert_ptr_ne(theirs, MAP_FAILED);
	for (size_t i = 0; i < 16384; i++)
		theirs[i] = (uint8_t)(i * 7 >> 3);
	ck_assert_msg(file_open_it(fd, 5000, 8192, true) == 0, "%s", reason);
	ck_assert(!region.direct);
	ck_assert_int_eq(transport_file.readv(&region, local, 3, remote, 3), 100);
	ck_assert_mem_eq(mine, theirs + 5000, 10);
	ck_assert_mem_eq(mine + 10, theirs + 9091, 50);
	ck_assert_mem_eq(mine + 60, theirs + 5003, 40);
	for (size_t i = 0; i < 100; i++)
		mine[i] = (uint8_t)i;
	ck_assert_int_eq(transport_file.writev(&region, local, 3, remote + 1, 2), 90);
	ck_assert_mem_eq(theirs + 9091, mine, 50);
	ck_assert_mem_eq(theirs + 5003, mine + 50, 40);
	transport_file.close(&region);
	munmap(theirs, 16384);
	close(fd);
}
END_TEST

/* Pages behind the end fail, and a write does not bring them back. */
START_TEST(file_is_cut)
{
	const struct iovec remote[] = {{at_base(0), 50}, {at_base(4096), 50}, {at_base(0), 50}};
	int fd = tmpfs_file(16384);
	uint8_t mine[150];
	const struct iovec local = {mine, 150};
	struct stat st;

	ck_assert_int_eq(file_open_it(fd, 0, 8192, true), 0);
	ck_assert_int_eq(ftruncate(fd, 4096), 0);
	ck_assert_int_eq(transport_file.readv(&region, &local, 1, remote, 3), 50);
	ck_assert_int_eq(transport_file.readv(&region, &local, 1, remote + 1, 1), -EFAULT);
	ck_assert_int_eq(transport_file.writev(&region, &local, 1, remote, 3), 50);
	ck_assert_int_eq(transport_file.writev(&region, &local, 1, remote + 1, 2), -EFAULT);
	ck_assert_int_eq(fstat(fd, &st), 0);
	ck_assert_int_eq(st.st_size, 4096);
	transport_file.close(&region);
	ck_assert_int_eq(file_open_it(fd, 0, 8192, true), -ENOTSUP);
	ck_assert_ptr_nonnull(strstr(reason, "shorter"));
	close(fd);
}
END_TEST

/* A child of a fork has the import, too. */
START_TEST(file_in_a_child)
{
	const struct iovec remote = {at_base(5000), 4};
	int fd = tmpfs_file(16384), status;
	char mine[4] = "mine";
	const struct iovec local = {mine, 4};
	pid_t child;

	ck_assert_int_eq(file_open_it(fd, 0, 8192, true), 0);
	child = fork();
	if (child == 0)
		_exit(transport_file.writev(&region, &local, 1, &remote, 1) == 4 ? 0 : 1);
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	ck_assert_int_eq(status, 0);
	memset(mine, 0, 4);
	ck_assert_int_eq(transport_file.readv(&region, &local, 1, &remote, 1), 4);
	ck_assert_mem_eq(mine, "mine", 4);
	transport_file.close(&region);
	close(fd);
}
END_TEST

/* The limit of the file size ends no importer, and flags that another holder of the descriptor sets
 * have no effect. */
START_TEST(file_limits_and_flags)
{
	const struct rlimit limit = {4096, 4096};
	const struct iovec remote = {at_base(5000), 4};
	int fd = tmpfs_file(16384);
	char mine[4] = "mine";
	const struct iovec local = {mine, 4};
	struct stat st;

	ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
	ck_assert_int_eq(file_open_it(fd, 0, 8192, true), 0);
	ck_assert_int_eq(fcntl(fd, F_SETFL, O_APPEND), 0);
	ck_assert_int_eq(transport_file.writev(&region, &local, 1, &remote, 1), 4);
	ck_assert_int_eq(pread(fd, mine, 4, 5000), 4);
	ck_assert_mem_eq(mine, "mine", 4);
	ck_assert_int_eq(fstat(fd, &st), 0);
	ck_assert_int_eq(st.st_size, 16384);
	transport_file.close(&region);
	close(fd);
}
END_TEST

static void check_refused_user(int fd)
{
	ck_assert_int_eq(file_open_it(fd, 0, 4096, true), -ENOTSUP);
	ck_assert_ptr_nonnull(strstr(reason, "another user"));
}

START_TEST(file_of_another_user)
{
	int fd = tmpfs_file(4096);

	/* The file's and the exporter's user differ from this process's. */
	if (geteuid() != 0)
		return;
	ck_assert_int_eq(seteuid(60001), 0);
	check_refused_user(fd);
	ck_assert_int_eq(seteuid(0), 0);
	/* Only the file's user differs. */
	ck_assert_int_eq(fchown(fd, 60001, 60001), 0);
	check_refused_user(fd);
	close(fd);
}
END_TEST

START_TEST(file_refuses)
{
	struct transport_target target = {.memfd = -1};
	int fd = tmpfs_file(4096), read_only = fd_reopen(fd, O_RDONLY);
	int other = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);

	ck_assert_int_eq(file_open_it(read_only, 0, 4096, true), -ENOTSUP);
	ck_assert_ptr_nonnull(strstr(reason, "rights"));
	ck_assert_int_eq(file_open_it(read_only, 0, 4096, false), 0);
	transport_file.close(&region);
	ck_assert_int_eq(file_open_it(other, 0, 1, false), -ENOTSUP);
	ck_assert_ptr_nonnull(strstr(reason, "tmpfs"));
	ck_assert_int_eq(file_open_it(fd, UINT64_MAX - 10, 4096, true), -ENOTSUP);
	ck_assert_ptr_nonnull(strstr(reason, "overflow"));
	ck_assert_int_eq(transport_file.open(&target, &region, reason), -ENOTSUP);
	/* Nothing is known about the exporter. */
	target = (struct transport_target){.is_file = true, .memfd = fd, .len = 4096, .pidfd = -1};
	ck_assert_int_eq(transport_file.open(&target, &region, reason), -ENOTSUP);
	ck_assert_ptr_nonnull(strstr(reason, "exporter"));
	close(other);
	close(read_only);
	close(fd);
}
END_TEST

/* --- pvm, with a child that lives until it is ended --- */

#define PAGES 4u

static struct {
	pid_t pid;
	int pidfd;
	int hold; /* the child ends when this is closed */
	uint8_t *memory;
	size_t page;
} child;

static void child_start(void)
{
	int pipe_fds[2];
	char byte;

	child.page = memfd_page_size();
	child.memory = mmap(NULL, PAGES * child.page, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ck_assert_ptr_ne(child.memory, MAP_FAILED);
	memset(child.memory, 'c', PAGES * child.page);
	ck_assert_int_eq(pipe2(pipe_fds, O_CLOEXEC), 0);
	child.pid = fork();
	ck_assert_int_ge(child.pid, 0);
	if (child.pid == 0) {
		close(pipe_fds[1]);
		_exit(read(pipe_fds[0], &byte, 1) < 0);
	}
	close(pipe_fds[0]);
	child.hold = pipe_fds[1];
	child.pidfd = fd_pidfd_open(child.pid);
	ck_assert_int_ge(child.pidfd, 0);
	/* From here on the contents of parent and child differ. */
	memset(child.memory, 'p', PAGES * child.page);
}

static void child_kill(void)
{
	int status;

	if (child.pid > 0) {
		kill(child.pid, SIGKILL);
		ck_assert_int_eq(waitpid(child.pid, &status, 0), child.pid);
	}
	child.pid = 0;
}

static void child_end(void)
{
	child_kill();
	fd_close(&child.pidfd);
	fd_close(&child.hold);
	munmap(child.memory, PAGES * child.page);
}

static bool pvm_is_named;

static int pvm_open_child(size_t offset, size_t len)
{
	struct transport_target target = {.base = (uintptr_t)child.memory + offset,
					  .len = len,
					  .writable = true,
					  .memfd = -1,
					  .pidfd = child.pidfd,
					  .pid = 1, /* the pidfd is used, not this number */
					  .uid = getuid(),
					  .is_named = pvm_is_named};

	region = (struct transport_region){.pidfd = -1, .base = target.base, .len = len};
	return transport_pvm.open(&target, &region, reason);
}

START_TEST(pvm_reads_and_writes)
{
	uint8_t mine[100];
	struct iovec local[2] = {{mine, 30}, {mine + 30, 70}};
	struct iovec remote[3];

	child_start();
	remote[0] = (struct iovec){child.memory, 10};
	remote[1] = (struct iovec){child.memory + child.page - 5, 50};
	remote[2] = (struct iovec){child.memory + 3, 40};
	ck_assert_int_eq(pvm_open_child(0, PAGES * child.page), 0);
	ck_assert(!region.direct);
	ck_assert_int_eq(region.pid, child.pid);
	ck_assert_int_ne(region.pidfd, child.pidfd);
	ck_assert_int_eq(transport_pvm.readv(&region, local, 2, remote, 3), 100);
	for (size_t i = 0; i < 100; i++)
		ck_assert_uint_eq(mine[i], 'c');
	for (size_t i = 0; i < 100; i++)
		mine[i] = (uint8_t)i;
	ck_assert_int_eq(transport_pvm.writev(&region, local, 2, remote, 3), 100);
	memset(mine, 0, sizeof(mine));
	ck_assert_int_eq(transport_pvm.readv(&region, local, 2, remote + 1, 1), 50);
	for (size_t i = 0; i < 50; i++)
		ck_assert_uint_eq(mine[i], i + 10);
	ck_assert_uint_eq(child.memory[0], 'p');
	transport_pvm.close(&region);
	ck_assert_int_eq(region.pidfd, -1);
	child_end();
}
END_TEST

START_TEST(pvm_notices_the_end)
{
	uint8_t mine[8] = {0};
	struct iovec local = {mine, 8}, remote;

	child_start();
	remote = (struct iovec){child.memory, 8};
	ck_assert_int_eq(pvm_open_child(0, child.page), 0);
	kill(child.pid, SIGKILL);
	/* The same for a zombie, which still has its pid. */
	ck_assert_int_eq(waitid(P_PID, (id_t)child.pid, &(siginfo_t){0}, WEXITED | WNOWAIT), 0);
	ck_assert_int_eq(transport_pvm.readv(&region, &local, 1, &remote, 1), -ESRCH);
	ck_assert_int_eq(transport_pvm.writev(&region, &local, 1, &remote, 1), -ESRCH);
	child_kill();
	ck_assert_int_eq(transport_pvm.readv(&region, &local, 1, &remote, 1), -ESRCH);
	ck_assert_int_eq(transport_pvm.writev(&region, &local, 1, &remote, 1), -ESRCH);
	transport_pvm.close(&region);
	ck_assert_int_eq(pvm_open_child(0, child.page), -ESRCH);
	ck_assert_ptr_nonnull(strstr(reason, "ended"));
	child_end();
}
END_TEST

START_TEST(pvm_notices_what_is_not_mapped)
{
	const size_t page = memfd_page_size();
	uint8_t *mine = malloc(PAGES * page);
	struct iovec local = {mine, 2 * page}, remote;
	int status;

	child_start();
	/* A second child with the same layout, but without its third page. */
	child_kill();
	fd_close(&child.pidfd);
	child.pid = fork();
	if (child.pid == 0) {
		munmap(child.memory + 2 * page, page);
		raise(SIGSTOP);
		_exit(0);
	}
	ck_assert_int_eq(waitpid(child.pid, &status, WUNTRACED), child.pid);
	ck_assert(WIFSTOPPED(status));
	child.pidfd = fd_pidfd_open(child.pid);
	ck_assert_int_eq(pvm_open_child(0, PAGES * page), 0);
	remote = (struct iovec){child.memory + page, 2 * page};
	ck_assert_int_eq(transport_pvm.readv(&region, &local, 1, &remote, 1), (ssize_t)page);
	remote = (struct iovec){child.memory + 2 * page, 2 * page};
	ck_assert_int_eq(transport_pvm.readv(&region, &local, 1, &remote, 1), -EFAULT);
	ck_assert_int_eq(transport_pvm.writev(&region, &local, 1, &remote, 1), -EFAULT);
	transport_pvm.close(&region);
	ck_assert_int_eq(pvm_open_child(2 * page, page), -EFAULT);
	ck_assert_ptr_nonnull(strstr(reason, "Bad address"));
	child_end();
	free(mine);
}
END_TEST

/* The present uid counts, not the uid that connected to the daemon. */
START_TEST(pvm_is_for_one_user)
{
	const uid_t other = 60001;

	if (geteuid() != 0)
		return;
	child_start();
	/* This process runs as the other user; root's child is not accessible to it. */
	ck_assert_int_eq(seteuid(other), 0);
	ck_assert_int_eq(pvm_open_child(0, child.page), -EPERM);
	ck_assert_ptr_nonnull(strstr(reason, "of another user"));
	ck_assert_ptr_nonnull(strstr(reason, "DOCOCORED_TRANSPORT=pvm"));
	ck_assert_int_eq(region.pidfd, -1);
	ck_assert_int_eq(seteuid(0), 0);
	ck_assert_int_eq(pvm_open_child(0, child.page), 0);
	transport_pvm.close(&region);
	/* Requested by name, the kernel decides; root of a container may be refused. */
	pvm_is_named = true;
	ck_assert_int_eq(seteuid(other), 0);
	if (pvm_open_child(0, child.page) == 0)
		transport_pvm.close(&region);
	else
		ck_assert_ptr_null(strstr(reason, "of another user"));
	ck_assert_int_eq(seteuid(0), 0);
	pvm_is_named = false;
	child_end();
}
END_TEST

START_TEST(pvm_wants_a_pidfd)
{
	struct transport_target target = {.base = BASE, .len = 1, .pidfd = -1, .pid = getpid()};
	int other = fd_eventfd();

	ck_assert_int_eq(transport_pvm.open(&target, &region, reason), -ESRCH);
	target.pidfd = other;
	ck_assert_int_eq(transport_pvm.open(&target, &region, reason), -ESRCH);
	close(other);
}
END_TEST

/* --- memory of dococ_mem_alloc --- */

START_TEST(shared_memory_is_found)
{
	uint64_t offset = 1;
	void *addr;
	uint8_t *at;
	int fd = -1;

	ck_ok(dococ_mem_alloc(10000, &addr, NULL));
	at = addr;
	ck_assert_int_eq(mem_find_memfd(at + 5, 100, &fd, &offset), 0);
	ck_assert_uint_eq(offset, 5);
	at[5] = 'x';
	ck_assert_int_eq(shm_open_it(fd, offset, 100, true), 0);
	ck_assert_uint_eq(*(uint8_t *)(uintptr_t)(BASE + (uint64_t)region.delta), 'x');
	transport_shm.close(&region);
	ck_assert_int_eq(mem_find_memfd(at - 1, 1, &(int){0}, &offset), -ENOENT);
	ck_assert_int_eq(mem_find_memfd(at + 12287, 2, &(int){0}, &offset), -ENOENT);
	ck_fails(dococ_mem_free(at + 1), DOCA_ERROR_NOT_FOUND);
	ck_ok(dococ_mem_free(addr));
	ck_assert_int_eq(mem_find_memfd(at + 5, 100, &(int){0}, &offset), -ENOENT);
	/* The descriptor belongs to the caller and outlives the allocation. */
	ck_assert_int_eq(memfd_verify(fd, 10000), 0);
	close(fd);
}
END_TEST

/*
 * Memory is either for importers that write or for importers that only read; the first use decides.
 */
START_TEST(shared_memory_is_admitted_by_its_first_use)
{
	bool writes = _i == 0;
	uint8_t *at;
	void *addr;
	int fd;

	ck_ok(dococ_mem_alloc(4096, &addr, &fd));
	at = addr;
	ck_assert(mem_admit(fd, writes));
	ck_assert(!mem_admit(fd, !writes));
	ck_assert(mem_admit(fd, writes));
	ck_assert_int_eq(memfd_is_writable(fd), writes);
	/* The owner can still write, and no other process can add a seal. */
	at[0] = 1;
	ck_assert_int_eq(fcntl(fd, F_ADD_SEALS, F_SEAL_FUTURE_WRITE), -1);
	ck_ok(dococ_mem_free(addr));
}
END_TEST

START_TEST(memory_of_the_program_is_never_sealed)
{
	CLEANUP_FD int fd = memfd_create_sealable("program", 4096);
	int seals = fcntl(fd, F_GET_SEALS);

	ck_assert(!mem_admit(fd, false));
	ck_assert(mem_admit(fd, true));
	ck_assert_int_eq(fcntl(fd, F_GET_SEALS), seals);
	ck_assert_int_eq(memfd_seal_writers(fd), 0);
	ck_assert(mem_admit(fd, false));
	ck_assert(!mem_admit(fd, true));
}
END_TEST

/* A map of freed memory must not use a descriptor number that was reused. */
START_TEST(a_mmap_holds_no_stale_descriptor)
{
	struct doca_mmap *mmap;
	void *addr;
	int fd;

	ck_ok(dococ_mem_alloc(4096, &addr, &fd));
	mmap = unit_mmap(addr, 4096, DOCA_ACCESS_FLAG_PCI_READ_WRITE);
	ck_ok(dococ_mem_free(addr));
	ck_assert_int_ne(mmap->memfd, fd);
	ck_ok(doca_mmap_destroy(mmap));
}
END_TEST

/*
 * Memory of huge pages can be removed by another holder, so importers do not map it; the program
 * itself uses it.
 */
START_TEST(huge_pages_are_not_handed_on)
{
	int fd = memfd_create("huge", MFD_CLOEXEC | MFD_ALLOW_SEALING | MFD_HUGETLB);
	struct doca_mmap *mmap;
	struct stat st;

	/* The kernel has no huge pages. */
	if (fd < 0)
		return;
	ck_assert_int_eq(fstat(fd, &st), 0);
	ck_assert_int_eq(ftruncate(fd, st.st_blksize), 0);
	ck_ok(doca_mmap_create(&mmap));
	ck_fails(doca_mmap_set_dmabuf_memrange(mmap, fd, &st, (size_t)st.st_blksize, 1),
		 DOCA_ERROR_INVALID_VALUE);
	ck_ok(doca_mmap_set_dmabuf_memrange(mmap, fd, &st, 0, sizeof(st)));
	ck_assert_int_eq(mmap->memfd, -1);
	ck_ok(doca_mmap_destroy(mmap));
	close(fd);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("client/transport");
	TCase *tcase = unit_case(suite, "transport", UNIT_TIMEOUT);

	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_test(tcase, the_table_is_whole);
	tcase_add_test(tcase, local_is_for_this_process);
	tcase_add_test(tcase, shm_maps_odd_ranges);
	tcase_add_test(tcase, shm_refuses_what_may_shrink);
	tcase_add_test(tcase, shm_refuses_what_is_too_short);
	tcase_add_test(tcase, shm_refuses_what_is_no_memfd);
	tcase_add_test(tcase, shm_is_read_only_where_the_descriptor_is);
	tcase_add_test(tcase, file_reads_and_writes);
	tcase_add_test(tcase, file_is_cut);
	tcase_add_test(tcase, file_in_a_child);
	tcase_add_test(tcase, file_limits_and_flags);
	tcase_add_test(tcase, file_of_another_user);
	tcase_add_test(tcase, file_refuses);
	tcase_add_test(tcase, pvm_reads_and_writes);
	tcase_add_test(tcase, pvm_notices_the_end);
	tcase_add_test(tcase, pvm_notices_what_is_not_mapped);
	tcase_add_test(tcase, pvm_is_for_one_user);
	tcase_add_test(tcase, pvm_wants_a_pidfd);
	tcase_add_test(tcase, shared_memory_is_found);
	tcase_add_test(tcase, a_mmap_holds_no_stale_descriptor);
	tcase_add_loop_test(tcase, shared_memory_is_admitted_by_its_first_use, 0, 2);
	tcase_add_test(tcase, memory_of_the_program_is_never_sealed);
	tcase_add_test(tcase, huge_pages_are_not_handed_on);
	return unit_run(suite);
}
