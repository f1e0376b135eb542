/*
 * Memory between programs of different users, one of which is root and may copy from and to every
 * process. The other may have memory whose pages it provides itself and never does (userfaultfd
 * here, which needs root before the uid changes; a FUSE file system is available to all users): a
 * process that copies it blocks. Needs root. Creates no threads.
 */
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/userfaultfd.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/lib/fast.h"
#include "tests/lib/lab.h"
#include "tests/lib/runner.h"
#include "util/fd.h"

#define SERVICE "users"
/* An id that no system assigns. */
#define ALICE 60001u
/* More than a slot holds. */
#define LEN (64u << 10)

static struct lab lab;

static void setup(void)
{
	lab_setup(&lab, NULL);
	ck_assert_int_eq(chmod(runner_dir(), 0711), 0);
	ck_assert_int_eq(chmod(lab.dir, 0711), 0);
	lab_use(&lab, LAB_DPU);
	leaks_allow_fds(1);
}

static void teardown(void)
{
	lab_teardown(&lab);
}

static void become_alice(void)
{
	ck_assert_int_eq(setgroups(0, NULL), 0);
	ck_assert_int_eq(setresgid(ALICE, ALICE, ALICE), 0);
	ck_assert_int_eq(setresuid(ALICE, ALICE, ALICE), 0);
	/* Both settings are lost when the uid changes. */
	ck_assert_int_eq(prctl(PR_SET_DUMPABLE, 1), 0);
	ck_assert_int_eq(prctl(PR_SET_PDEATHSIG, SIGKILL), 0);
}

static int userfault_open(void)
{
	struct uffdio_api api = {.api = UFFD_API};
	CLEANUP_FD int fd = (int)syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK);

	return fd < 0 || ioctl(fd, UFFDIO_API, &api) < 0 ? -1 : fd_steal(&fd);
}

/* Readable once a process waits for a page of blocking_memory(). */
static int userfault_fd = -1;

/* Returns memory in which an access from byte `from` on blocks for ever. */
static uint8_t *blocking_memory(size_t from)
{
	uint8_t *memory = mmap(NULL, LEN, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
			       0);
	struct uffdio_register range = {.mode = UFFDIO_REGISTER_MODE_MISSING};
	int fd = userfault_open();

	ck_assert_ptr_ne(memory, MAP_FAILED);
	ck_assert_int_ge(fd, 0);
	memset(memory, 1, from);
	range.range.start = (uintptr_t)memory;
	range.range.len = LEN;
	ck_assert_int_eq(ioctl(fd, UFFDIO_REGISTER, &range), 0);
	userfault_fd = fd;
	/* Open until this process ends. */
	leaks_allow_fds(1);
	return memory;
}

/* --- comch --- */

static void on_recv(struct doca_comch_consumer_task_post_recv *task, union doca_data task_data,
		    union doca_data ctx_data)
{
	(void)task, (void)task_data, (void)ctx_data;
}

static void consume_blocked(int sock, void *arg)
{
	uint8_t *memory = blocking_memory(*(const size_t *)arg);
	struct doca_comch_consumer_task_post_recv *task;
	struct doca_comch_consumer *consumer;
	struct doca_buf_inventory *inventory;
	struct doca_mmap *mmap;
	struct fast_end end;
	struct doca_ctx *ctx;
	struct doca_buf *buf;

	become_alice();
	fast_client_open(&end, SERVICE);
	mmap = use_mmap(end.dev, memory, LEN, DOCA_ACCESS_FLAG_PCI_READ_WRITE);
	OK(doca_buf_inventory_create(1, &inventory));
	OK(doca_buf_inventory_start(inventory));
	OK(doca_comch_consumer_create(end.conn, mmap, &consumer));
	ctx = doca_comch_consumer_as_ctx(consumer);
	OK(doca_pe_connect_ctx(end.pe, ctx));
	OK(doca_comch_consumer_task_post_recv_set_conf(consumer, on_recv, on_recv, 1));
	EXPECT(DOCA_ERROR_IN_PROGRESS, doca_ctx_start(ctx));
	use_ctx_await(end.pe, ctx, DOCA_CTX_STATE_RUNNING);
	OK(doca_buf_inventory_buf_get_by_addr(inventory, mmap, memory, LEN, &buf));
	OK(doca_comch_consumer_task_post_recv_alloc_init(consumer, buf, &task));
	OK(doca_task_submit(doca_comch_consumer_task_post_recv_as_task(task)));
	lab_signal(sock);
	/* Killed here. */
	lab_wait(sock);
}

/* All pages are blocking, or all except the first, which a check would read. */
static const size_t present[] = {0, 4096};

START_TEST(test_consumer_blocks_no_other)
{
	struct fast_source source;
	struct lab_child child;
	struct fast_end end;

	fast_server_open(&end, SERVICE);
	child = lab_fork(&lab, LAB_HOST, consume_blocked, (void *)(uintptr_t)&present[_i]);
	fast_await(&end, &end.n_new, 1);
	fast_source_open(&source, &end, end.pe, 2, LEN);
	lab_wait(child.sock);
	/* Through the slots. */
	OK(fast_send_retry(&source, end.peers[0], 0, LEN, NULL, 0));
	while (source.n_sent == 0)
		use_progress(end.pe);
	lab_kill(&child);
	fast_await(&end, &end.n_disconnects, 1);
	fast_source_close(&source);
	fast_end_close(&end);
}
END_TEST

/* --- imports --- */

struct exported {
	uint8_t desc[256];
	size_t desc_len;
	uint8_t *addr;
};

struct export_of {
	bool is_shared, blocks;
	bool is_ours;     /* of the user that imports */
	size_t n_present; /* bytes that do not block */
	size_t memfd_len; /* the range begins a mapped memfd of this length; 0: other memory */
};

static void await_page_fault(int sock)
{
	struct pollfd touched = {.fd = userfault_fd, .events = POLLIN};

	ck_assert_int_eq(poll(&touched, 1, (int)runner_timeout_ms(1000)), 1);
	lab_signal(sock);
}

static uint8_t *memory_of_memfd(size_t len, int *fd_out)
{
	int fd = memfd_create("program", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	uint8_t *memory;

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(ftruncate(fd, (off_t)len), 0);
	/* Without this seal, other users do not get the memfd even if the range is all of it. */
	ck_assert_int_eq(fcntl(fd, F_ADD_SEALS, F_SEAL_GROW), 0);
	memory = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	ck_assert_ptr_ne(memory, MAP_FAILED);
	*fd_out = fd;
	return memory;
}

static void export_memory(int sock, void *arg)
{
	const struct export_of *of = arg;
	struct exported exported = {.desc_len = 0};
	uint8_t *memory = NULL;
	struct doca_mmap *mmap;
	struct doca_dev *dev;
	const void *desc;
	void *shared = NULL;
	CLEANUP_FD int memfd = -1;

	if (of->blocks)
		memory = blocking_memory(of->n_present);
	if (!of->is_ours)
		become_alice();
	dev = use_dev(USE_HOST_PF0);
	if (of->is_shared) {
		OK(dococ_mem_alloc(LEN, &shared, NULL));
		memory = shared;
	} else if (of->memfd_len > 0) {
		ck_assert_int_eq(setenv("DOCOCORED_ADOPT", "always", 1), 0);
		memory = memory_of_memfd(of->memfd_len, &memfd);
	} else if (!of->blocks) {
		memory = malloc(LEN);
		ck_assert_ptr_nonnull(memory);
	}
	if (!of->blocks)
		use_fill(memory, LEN, 1);
	mmap = use_mmap(dev, memory, LEN, DOCA_ACCESS_FLAG_PCI_READ_WRITE);
	OK(doca_mmap_export_pci(mmap, dev, &desc, &exported.desc_len));
	ck_assert_uint_le(exported.desc_len, sizeof(exported.desc));
	memcpy(exported.desc, desc, exported.desc_len);
	exported.addr = memory;
	lab_send(sock, &exported, sizeof(exported));
	if (of->blocks && of->is_ours)
		await_page_fault(sock);
	lab_wait(sock);
	use_mmap_end(mmap);
	OK(doca_dev_close(dev));
	if (of->is_shared)
		OK(dococ_mem_free(shared));
	else if (!of->blocks && of->memfd_len == 0)
		free(memory);
}

static struct lab_child start_exporter(const struct export_of *of, struct exported *exported_out)
{
	struct lab_child child = lab_fork(&lab, LAB_HOST, export_memory, (void *)(uintptr_t)of);

	lab_recv(child.sock, exported_out, sizeof(*exported_out));
	return child;
}

static void end_exporter(struct lab_child *child)
{
	lab_signal(child->sock);
	lab_join(child);
}

START_TEST(test_import_is_not_held_up)
{
	const struct export_of of = {.blocks = true};
	struct doca_dev *dev = use_dev(USE_DPU_P0);
	struct exported exported;
	struct doca_mmap *mmap;
	struct lab_child child = start_exporter(&of, &exported);

	EXPECT(DOCA_ERROR_NOT_SUPPORTED,
	       doca_mmap_create_from_export(NULL, exported.desc, exported.desc_len, dev, &mmap));
	ck_assert_ptr_nonnull(strstr(dococ_last_error(), "of another user (uid 60001, here 0)"));
	ck_assert_msg(strstr(dococ_last_error(), "DOCOCORED_TRANSPORT=pvm") != NULL, "%s",
		      dococ_last_error());
	end_exporter(&child);
	OK(doca_dev_close(dev));
}
END_TEST

/* The memfd has more than the range, so another user does not get it. */
START_TEST(test_part_of_a_memfd)
{
	const struct export_of of = {.memfd_len = 2 * LEN};
	struct doca_dev *dev = use_dev(USE_DPU_P0);
	struct exported exported;
	struct doca_mmap *mmap;
	struct lab_child child = start_exporter(&of, &exported);

	EXPECT(DOCA_ERROR_NOT_SUPPORTED,
	       doca_mmap_create_from_export(NULL, exported.desc, exported.desc_len, dev, &mmap));
	ck_assert_ptr_nonnull(strstr(dococ_last_error(), "of another user (uid 60001, here 0)"));
	end_exporter(&child);
	OK(doca_dev_close(dev));
}
END_TEST

/* Shared memory works as usual, and so does a transport that is requested by name. */
static const struct {
	struct export_of of;
	const char *asked, *transport;
} ways[] = {
	{{.is_shared = true}, NULL, "shm"},
	{{.is_shared = false}, "pvm", "pvm"},
	{{.memfd_len = LEN}, NULL, "shm"},
	{{.memfd_len = 2 * LEN, .is_ours = true}, NULL, "shm"},
};

START_TEST(test_import_that_works)
{
	static uint8_t mine[LEN], expected[LEN];
	struct exported exported;
	struct doca_mmap *theirs, *ours;
	struct lab_child child = start_exporter(&ways[_i].of, &exported);
	struct use_dma use;

	if (ways[_i].asked != NULL)
		ck_assert_int_eq(setenv("DOCOCORED_TRANSPORT", ways[_i].asked, 1), 0);
	use_dma_open(&use, use_dev(USE_DPU_P0), 1);
	OK(doca_mmap_create_from_export(NULL, exported.desc, exported.desc_len, use.dev, &theirs));
	ck_assert_str_eq(dococ_mmap_get_transport(theirs), ways[_i].transport);
	ours = use_mmap(use.dev, mine, LEN, DOCA_ACCESS_FLAG_LOCAL_READ_WRITE);
	ck_assert_int_eq(use_copy(&use, theirs, exported.addr, ours, mine, LEN), DOCA_SUCCESS);
	use_fill(expected, LEN, 1);
	ck_assert_mem_eq(mine, expected, LEN);
	use_mmap_end(ours);
	use_mmap_end(theirs);
	use_dma_close(&use);
	OK(doca_dev_close(use.dev));
	end_exporter(&child);
}
END_TEST

static doca_error_t copy_from(const struct exported *exported, const char *transport)
{
	static uint8_t mine[LEN];
	struct use_dma use = {.n_ok = 0};
	struct doca_mmap *theirs, *ours;
	doca_error_t result;

	use_dma_open(&use, use_dev(USE_DPU_P0), 1);
	result = doca_mmap_create_from_export(NULL, exported->desc, exported->desc_len, use.dev,
					      &theirs);
	if (result == DOCA_SUCCESS) {
		ck_assert_str_eq(dococ_mmap_get_transport(theirs), transport);
		ours = use_mmap(use.dev, mine, LEN, DOCA_ACCESS_FLAG_LOCAL_READ_WRITE);
		result = use_copy(&use, theirs, exported->addr, ours, mine, LEN);
		use_mmap_end(ours);
		use_mmap_end(theirs);
	}
	use_dma_close(&use);
	OK(doca_dev_close(use.dev));
	return result;
}

/* An import reads the first byte. */
static const struct {
	size_t n_present;
	doca_error_t result;
} waits[] = {{0, DOCA_ERROR_NOT_SUPPORTED}, {4096, DOCA_ERROR_IO_FAILED}};

struct failing_copy {
	struct exported from;
	doca_error_t result;
};

static void copy_fails(int sock, void *arg)
{
	const struct failing_copy *copy = arg;
	doca_error_t result = copy_from(&copy->from, "pvm");

	(void)sock;
	/*
	 * The test shows that the wait ends. When the exporter is killed, the kernel may
	 * satisfy a read of a page that its userfaultfd held back with zeros. Then the import
	 * succeeds and the copy fails, or the copy succeeds as well.
	 */
	EXPECT_TRUE(result == copy->result || result == DOCA_ERROR_IO_FAILED ||
			    result == DOCA_SUCCESS,
		    "%s: %s", doca_error_get_name(result), dococ_last_error());
}

/*
 * A program that imports from, or copies to, a program of its own user waits for that program.
 * Meanwhile both daemons serve others. The wait ends when the exporter ends.
 */
START_TEST(test_copy_waits_alone)
{
	const struct export_of blocks = {
		.blocks = true, .is_ours = true, .n_present = waits[_i].n_present};
	const struct export_of works = {.is_shared = true, .is_ours = true};
	struct failing_copy vain = {.result = waits[_i].result};
	struct exported working;
	struct lab_child exporter = start_exporter(&blocks, &vain.from), importer, other;

	importer = lab_fork(&lab, LAB_DPU, copy_fails, &vain);
	lab_wait(exporter.sock);
	other = start_exporter(&works, &working);
	EXPECT(DOCA_SUCCESS, copy_from(&working, "shm"));
	end_exporter(&other);
	lab_kill(&exporter);
	lab_join(&importer);
}
END_TEST

static void add_cases(Suite *suite)
{
	TCase *tcase = tcase_create("memory of several users");

	tcase_set_timeout(tcase, RUNNER_TEST_S);
	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_loop_test(tcase, test_consumer_blocks_no_other, 0, ARRAY_LEN(present));
	tcase_add_test(tcase, test_import_is_not_held_up);
	tcase_add_test(tcase, test_part_of_a_memfd);
	tcase_add_loop_test(tcase, test_import_that_works, 0, ARRAY_LEN(ways));
	tcase_add_loop_test(tcase, test_copy_waits_alone, 0, ARRAY_LEN(waits));
	suite_add_tcase(suite, tcase);
}

/* root in a container may lack the capability. */
static bool copies_from_others(void)
{
	uint8_t theirs = 1, mine = 0;
	struct iovec local = {&mine, 1}, remote = {&theirs, 1};
	ssize_t n;
	pid_t pid;
	int to[2], from[2];

	if (pipe2(to, O_CLOEXEC) < 0 || pipe2(from, O_CLOEXEC) < 0)
		return false;
	pid = fork();
	if (pid == 0) {
		if (setresuid(ALICE, ALICE, ALICE) < 0 || write(from[1], &theirs, 1) != 1)
			_exit(1);
		close(to[1]);
		_exit(read(to[0], &mine, 1) < 0);
	}
	close(from[1]);
	n = pid > 0 && read(from[0], &mine, 1) == 1
		    ? process_vm_readv(pid, &local, 1, &remote, 1, 0)
		    : -1;
	close(from[0]);
	close(to[0]);
	close(to[1]);
	if (pid > 0)
		waitpid(pid, NULL, 0);
	return n == 1;
}

int main(void)
{
	CLEANUP_FD int userfault = -1;

	lab_require();
	if (geteuid() != 0) {
		puts("SKIP: root is needed to run programs as different users");
		return RUNNER_SKIPPED;
	}
	userfault = userfault_open();
	if (userfault < 0 || !copies_from_others()) {
		printf("SKIP: %s is needed\n",
		       userfault < 0 ? "userfaultfd" : "the capability CAP_SYS_PTRACE");
		return RUNNER_SKIPPED;
	}
	fd_close(&userfault);
	return runner_main("memory of several users", add_cases, NULL);
}
