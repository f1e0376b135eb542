/*
 * client/memory/adopt: private memory moves into a memfd and back while the program uses it. No
 * write is lost, no access fails, and forked children have memory of their own.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <spawn.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "client/memory/adopt.h"
#include "tests/unit/client/fixture.h"
#include "util/fd.h"
#include "util/memfd.h"

#define LEN ((size_t)1 << 20)

static char reason[ADOPT_REASON_MAX];

static uint8_t *memory_new(size_t len)
{
	uint8_t *memory = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
			       0);

	ck_assert_ptr_ne(memory, MAP_FAILED);
	return memory;
}

static struct adoption *adopt(void *addr, size_t len)
{
	struct adoption *adoption = NULL;

	ck_assert_msg(adoption_new(addr, len, &adoption, reason) == 0, "%s", reason);
	return adoption;
}

static void check_refused(void *addr, size_t len, const char *part)
{
	struct adoption *adoption = NULL;
	size_t before = unit_n_fds();

	ck_assert_int_eq(adoption_new(addr, len, &adoption, reason), -ENOTSUP);
	ck_assert_msg(strstr(reason, part) != NULL, "\"%s\" does not say \"%s\"", reason, part);
	ck_assert_uint_eq(unit_n_fds(), before);
}

static uint8_t *peer_map(const struct adoption *adoption)
{
	uint8_t *peer;

	ck_assert_int_eq(memfd_verify(adoption->fd, adoption->len), 0);
	peer = memfd_map(adoption->fd, 0, adoption->len, true);
	ck_assert_ptr_nonnull(peer);
	return peer;
}

START_TEST(test_there_and_back)
{
	uint8_t *memory = memory_new(LEN), *peer;
	size_t before = unit_n_fds();
	struct adoption *adoption;

	for (size_t i = 0; i < LEN; i++)
		memory[i] = (uint8_t)(i * 7 + i / 4096);
	/* Only whole pages are adopted. */
	adoption = adopt(memory + 16, LEN - 20);
	ck_assert_ptr_eq(adoption->addr, memory + memfd_page_size());
	ck_assert_uint_eq(adoption->len, LEN - 2 * memfd_page_size());
	peer = peer_map(adoption);
	for (size_t i = 0; i < LEN; i++)
		ck_assert_uint_eq(memory[i], (uint8_t)(i * 7 + i / 4096));
	ck_assert_mem_eq(peer, adoption->addr, adoption->len);
	adoption->addr[5] = 1;
	ck_assert_uint_eq(peer[5], 1);
	peer[6] = 2;
	ck_assert_uint_eq(adoption->addr[6], 2);
	memory = adoption->addr;
	ck_assert_int_eq(adoption_end(adoption), 0);
	ck_assert_uint_eq(memory[6], 2);
	/* The peer does not see what the program writes from now on. */
	memory[7] = 99;
	ck_assert_uint_ne(peer[7], 99);
	ck_assert_uint_eq(unit_n_fds(), before);
}
END_TEST

START_TEST(test_unsuited_memory)
{
	uint8_t *memory = memory_new(LEN);
	uint8_t local[ADOPT_MIN_LEN * 2];

	memset(local, 0, sizeof(local));
	check_refused(memory, 4096, "shorter");
	check_refused(local, sizeof(local), "stack");
	ck_assert_int_eq(mprotect(memory + 8192, 4096, PROT_READ), 0);
	check_refused(memory, LEN, "read and written");
	ck_assert_int_eq(mprotect(memory + 8192, 4096, PROT_READ | PROT_WRITE), 0);
	/* AddressSanitizer's mlock() does nothing. */
	if (syscall(SYS_mlock, memory + 8192, 4096) == 0)
		check_refused(memory, LEN, "locked");
	ck_assert_int_eq(syscall(SYS_munlock, memory + 8192, 4096), 0);
	ck_assert_int_eq(madvise(memory + 8192, 4096, MADV_DONTFORK), 0);
	check_refused(memory, LEN, "MADV_DONTFORK");
	ck_assert_int_eq(madvise(memory + 8192, 4096, MADV_DOFORK), 0);
	ck_assert_int_eq(munmap(memory + 8192, 4096), 0);
	check_refused(memory, LEN, "not mapped");
}
END_TEST

/* --- other threads --- */

struct worker {
	uint8_t *memory;
	_Atomic bool ends;
	int pipe[2];
	_Atomic uint64_t n;
};

/* Each word counts the writes to it; the thread knows the number. */
static void *write_always(void *arg)
{
	struct worker *worker = arg;
	_Atomic uint64_t *words = (_Atomic uint64_t *)(void *)worker->memory;

	while (!atomic_load(&worker->ends)) {
		for (size_t i = 0; i < LEN / 8; i += 61)
			atomic_fetch_add_explicit(&words[i], 1, memory_order_relaxed);
		worker->n++;
	}
	return NULL;
}

/* Every system call into the memory succeeds. */
static void *call_always(void *arg)
{
	struct worker *worker = arg;
	uint8_t *memory = worker->memory;

	for (size_t i = 0; !atomic_load(&worker->ends); i = (i + 4093) % (LEN - 8)) {
		if (write(worker->pipe[1], memory + i, 8) != 8 ||
		    read(worker->pipe[0], memory + i, 8) != 8)
			return (void *)"a system call failed";
		worker->n++;
	}
	return NULL;
}

static bool stops_system_calls(void)
{
	struct adoption *adoption = NULL;
	uint8_t *memory = memory_new(LEN);
	int r = adoption_new(memory, LEN, &adoption, reason);

	if (r == 0)
		ck_assert_int_eq(adoption_end(adoption), 0);
	else
		ck_assert_ptr_nonnull(strstr(reason, "userfaultfd"));
	munmap(memory, LEN);
	return r == 0;
}

static void check_worker(void *(*run)(void *), bool counts)
{
	struct worker worker = {.memory = memory_new(LEN)};
	uint64_t *words = (uint64_t *)(void *)worker.memory;
	pthread_t thread;
	void *wrong;

	ck_assert_int_eq(pipe(worker.pipe), 0);
	ck_assert_int_eq(pthread_create(&thread, NULL, run, &worker), 0);
	while (atomic_load(&worker.n) == 0)
		sched_yield();
	if (stops_system_calls())
		for (int i = 0; i < UNIT_N(200); i++)
			ck_assert_int_eq(adoption_end(adopt(worker.memory, LEN)), 0);
	atomic_store(&worker.ends, true);
	ck_assert_int_eq(pthread_join(thread, &wrong), 0);
	ck_assert_msg(wrong == NULL, "%s", (char *)wrong);
	for (size_t i = 0; counts && i < LEN / 8; i += 61)
		ck_assert_uint_eq(words[i], worker.n);
	close(worker.pipe[0]);
	close(worker.pipe[1]);
}

START_TEST(test_no_write_is_lost)
{
	check_worker(write_always, true);
}
END_TEST

START_TEST(test_no_system_call_fails)
{
	check_worker(call_always, false);
}
END_TEST

/* --- fork --- */

static int child_status(pid_t pid)
{
	int status;

	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	return status;
}

START_TEST(test_child_has_memory_of_its_own)
{
	uint8_t *memory = memory_new(LEN);
	struct adoption *adoption = adopt(memory, LEN);
	int go[2];
	pid_t pid;
	char byte;

	memset(memory, 3, LEN);
	ck_assert_int_eq(pipe(go), 0);
	pid = fork();
	if (pid == 0) {
		if (read(go[0], &byte, 1) != 1 || memory[100] != 3)
			_exit(1);
		memory[200] = 9;
		_exit(0);
	}
	memory[100] = 4;
	ck_assert_int_eq(write(go[1], "", 1), 1);
	ck_assert_int_eq(child_status(pid), 0);
	ck_assert_uint_eq(memory[200], 3);
	ck_assert_int_eq(adoption_end(adoption), 0);
	ck_assert_uint_eq(memory[100], 4);
}
END_TEST

START_TEST(test_spawned_program)
{
	uint8_t *memory = memory_new(LEN);
	struct adoption *adoption = adopt(memory, LEN);
	char name[] = "true", *argv[] = {name, NULL};
	pid_t pid;

	memset(memory, 3, LEN);
	ck_assert_int_eq(posix_spawnp(&pid, "true", NULL, NULL, argv, NULL), 0);
	ck_assert_int_eq(child_status(pid), 0);
	ck_assert_int_eq(system("true"), 0);
	ck_assert_uint_eq(memory[LEN - 1], 3);
	ck_assert_int_eq(adoption_end(adoption), 0);
}
END_TEST

/* --- several users --- */

START_TEST(test_pages_stay_until_the_last_user_ends)
{
	uint8_t *memory = memory_new(LEN), *peer;
	struct adoption *first = adopt(memory, LEN), *second;

	peer = peer_map(first);
	ck_assert_ptr_null(adoption_find(memory + LEN, LEN));
	ck_assert_ptr_null(adoption_find(memory + 4096, LEN));
	second = adoption_find(memory + 4096, 8192);
	ck_assert_ptr_eq(second, first);
	ck_assert_int_eq(adoption_end(first), 0);
	memory[0] = 7;
	ck_assert_uint_eq(peer[0], 7);
	ck_assert_int_eq(adoption_end(second), 0);
	memory[0] = 8;
	ck_assert_uint_eq(peer[0], 7);
}
END_TEST

/* --- the program changes its mappings --- */

START_TEST(test_later_owner_is_not_seen)
{
	uint8_t *memory = memory_new(LEN), *peer, *other;
	struct adoption *adoption = adopt(memory, LEN);

	peer = peer_map(adoption);
	memset(memory, 3, LEN);
	ck_assert_int_eq(munmap(memory + 65536, 65536), 0);
	other = mmap(memory + 65536, 65536, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
	ck_assert_ptr_eq(other, memory + 65536);
	memset(other, 8, 65536);
	ck_assert_uint_eq(peer[65536], 3);
	ck_assert_int_eq(mprotect(memory, 4096, PROT_READ), 0);
	/* The new mapping keeps its contents when the rest is given back. */
	ck_assert_int_eq(adoption_end(adoption), 0);
	ck_assert_uint_eq(other[0], 8);
	ck_assert_uint_eq(other[65535], 8);
	ck_assert_uint_eq(memory[0], 3);
	ck_assert_uint_eq(memory[LEN - 1], 3);
	memory[LEN - 1] = 5;
	ck_assert_uint_eq(peer[LEN - 1], 3);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("adopt");
	TCase *tcase = unit_case(suite, "adopt", UNIT_TIMEOUT);

	tcase_add_test(tcase, test_there_and_back);
	tcase_add_test(tcase, test_unsuited_memory);
	tcase_add_test(tcase, test_no_write_is_lost);
	tcase_add_test(tcase, test_no_system_call_fails);
	tcase_add_test(tcase, test_child_has_memory_of_its_own);
	tcase_add_test(tcase, test_spawned_program);
	tcase_add_test(tcase, test_pages_stay_until_the_last_user_ends);
	tcase_add_test(tcase, test_later_owner_is_not_seen);
	return unit_run(suite);
}
