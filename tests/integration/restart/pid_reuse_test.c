/*
 * The pid of an exporter is reused by another process, which has other memory at the same address.
 * A copy neither reads nor writes that memory, even if the daemons have not noticed the exporter's
 * end yet. The daemons do not take the new process for a client. Needs a process that may choose
 * pids (CAP_CHECKPOINT_RESTORE). Creates no threads.
 */
#include <errno.h>
#include <linux/sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/lib/lab.h"
#include "tests/lib/runner.h"
#include "tests/lib/use.h"

#define LEN     4096u
#define N_TRIES 20

/* At the same address in all processes of the test. */
static uint8_t memory[LEN];

enum { SEED_EXPORTER = 1, SEED_OTHER, SEED_OURS };

struct exported {
	uint8_t desc[256];
	size_t desc_len;
};

/* Shared with the process that has the pid now. */
struct other {
	_Atomic bool is_ready, is_over;
};

static struct lab lab;
static struct use_dma use;
static struct doca_mmap *ours, *theirs;
static struct lab_child exporter;
static struct other *other;
static uint8_t mine[LEN];

/* Like fork(), but the child has that pid. Returns -1 and sets errno on failure. */
static pid_t fork_as(pid_t pid)
{
	struct clone_args args = {
		.exit_signal = SIGCHLD,
		.set_tid = (uintptr_t)&pid,
		.set_tid_size = 1,
	};

	return (pid_t)syscall(SYS_clone3, &args, sizeof(args));
}

static void export_memory(int sock, void *arg)
{
	struct exported exported;
	struct doca_dev *dev = use_dev(USE_HOST_PF0);
	struct doca_mmap *mmap;
	const void *desc;

	(void)arg;
	use_fill(memory, LEN, SEED_EXPORTER);
	mmap = use_mmap(dev, memory, LEN, DOCA_ACCESS_FLAG_PCI_READ_WRITE);
	OK(doca_mmap_export_pci(mmap, dev, &desc, &exported.desc_len));
	ck_assert_uint_le(exported.desc_len, sizeof(exported.desc));
	memcpy(exported.desc, desc, exported.desc_len);
	lab_send(sock, &exported, sizeof(exported));
	/* Killed here. */
	lab_wait(sock);
}

static void setup(void)
{
	lab_setup_client(&lab, NULL, LAB_DPU);
	other = mmap(NULL, sizeof(*other), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		     0);
	ck_assert_ptr_ne(other, MAP_FAILED);
	use_dma_open(&use, use_dev(USE_DPU_P0), 1);
	ours = use_mmap(use.dev, mine, LEN, DOCA_ACCESS_FLAG_LOCAL_READ_WRITE);
}

static void teardown(void)
{
	use_mmap_end(ours);
	use_dma_close(&use);
	OK(doca_dev_close(use.dev));
	munmap(other, sizeof(*other));
	lab_teardown(&lab);
}

static void import_memory(void)
{
	struct exported exported;

	exporter = lab_fork(&lab, LAB_HOST, export_memory, NULL);
	lab_recv(exporter.sock, &exported, sizeof(exported));
	OK(doca_mmap_create_from_export(NULL, exported.desc, exported.desc_len, use.dev, &theirs));
	ck_assert_str_eq(dococ_mmap_get_transport(theirs), "pvm");
	EXPECT(DOCA_SUCCESS, use_copy(&use, theirs, memory, ours, mine, LEN));
	ck_assert(use_is_filled(mine, LEN, SEED_EXPORTER));
}

/* Uses nothing of the library, whose connection it would share. */
static void run_other(void)
{
	close_range(3, ~0u, 0);
	use_fill(memory, LEN, SEED_OTHER);
	atomic_store(&other->is_ready, true);
	while (!atomic_load(&other->is_over))
		usleep(1000);
	_exit(use_is_filled(memory, LEN, SEED_OTHER) ? 0 : 1);
}

/* -1: another process got the pid first */
static pid_t start_other(pid_t pid)
{
	pid_t got;

	atomic_store(&other->is_ready, false);
	atomic_store(&other->is_over, false);
	got = fork_as(pid);
	if (got == 0)
		run_other();
	ck_assert_msg(got == pid || errno == EEXIST, "clone3: %s", strerror(errno));
	return got;
}

static void end_other(pid_t pid)
{
	int status;

	atomic_store(&other->is_over, true);
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_msg(status == 0, "the memory of another process was written");
}

static void freeze_daemons(bool held)
{
	for (int side = 0; side < LAB_N_SIDES; side++) {
		if (held)
			lab_freeze(lab.daemons[side].pid);
		else
			lab_thaw(lab.daemons[side].pid);
	}
}

/* False: to be tried again. */
static bool try_reuse(void)
{
	pid_t pid;

	import_memory();
	pid = exporter.pid;
	freeze_daemons(true);
	lab_kill(&exporter);
	pid = start_other(pid);
	if (pid > 0) {
		while (!atomic_load(&other->is_ready))
			usleep(1000);
		use_fill(mine, LEN, SEED_OURS);
		EXPECT(DOCA_ERROR_IO_FAILED, use_copy(&use, ours, mine, theirs, memory, LEN));
		EXPECT(DOCA_ERROR_IO_FAILED, use_copy(&use, theirs, memory, ours, mine, LEN));
	}
	freeze_daemons(false);
	lab_await(&lab, LAB_HOST, LAB_CLIENTS, 0, 1000);
	lab_await(&lab, LAB_HOST, LAB_EXPORTS, 0, 1000);
	if (pid > 0)
		end_other(pid);
	use_mmap_end(theirs);
	return pid > 0;
}

START_TEST(test_pid_of_an_exporter)
{
	int n = 0;

	while (!try_reuse())
		ck_assert_int_lt(++n, N_TRIES);
}
END_TEST

static void add_cases(Suite *suite)
{
	TCase *tcase = tcase_create("pids");

	tcase_set_timeout(tcase, RUNNER_TEST_S);
	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_test(tcase, test_pid_of_an_exporter);
	suite_add_tcase(suite, tcase);
}

static bool may_choose_pids(void)
{
	pid_t first = fork(), again;

	if (first == 0)
		_exit(0);
	if (first < 0 || waitpid(first, NULL, 0) != first)
		return false;
	again = fork_as(first);
	if (again == 0)
		_exit(0);
	return again > 0 ? waitpid(again, NULL, 0) == again : errno == EEXIST;
}

int main(void)
{
	lab_require();
	if (!may_choose_pids()) {
		puts("SKIP: this process may not choose the pid of another one");
		return RUNNER_SKIPPED;
	}
	return runner_main("pid reuse", add_cases, NULL);
}
