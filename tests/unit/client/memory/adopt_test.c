/*
 * client/memory/adopt: private memory moves into a memfd and back while the program uses it. No
 * write is lost, no access fails, and forked children have memory of their own.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/io_uring.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "client/memory/adopt.h"
#include "client/memory/vma.h"
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

/* Checks that no page of the range is one of a memfd. */
static void check_private(uint8_t *memory, size_t len)
{
	uint64_t at = (uintptr_t)memory, end = at + len;
	struct vma_reader maps;
	struct vma vma;

	ck_assert_int_eq(vma_reader_open(&maps), 0);
	for (; at < end; at = vma.end) {
		ck_assert(vma_find(&maps, at, &vma));
		ck_assert_uint_le(vma.start, at);
		ck_assert(!vma.is_shared);
	}
	vma_reader_close(&maps);
}

START_TEST(test_there_and_back)
{
	uint8_t *memory = memory_new(LEN), *peer;
	size_t before = unit_n_fds();
	struct adoption *adoption;

	for (size_t i = 0; i < LEN; i++)
		memory[i] = (uint8_t)(i * 7 + i / 4096);
	/* Whole pages are adopted. */
	adoption = adopt(memory + 16, LEN - 20);
	ck_assert_ptr_eq(adoption->addr, memory);
	ck_assert_uint_eq(adoption->len, LEN);
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
	ck_assert_int_eq(mprotect(memory + 8192, 4096, PROT_READ | PROT_WRITE | PROT_EXEC), 0);
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

/* Sanitizers replace malloc(). */
#ifndef DOCO_SANITIZED
/* The pages at the ends contain headers of malloc(), which another thread may be changing when the
 * process forks. */
START_TEST(test_blocks_of_the_heap)
{
	uint8_t *block = malloc(ADOPT_MIN_LEN + 8192);
	uint8_t *start = (uint8_t *)ALIGN_UP((uintptr_t)block, 4096);

	check_refused(block, ADOPT_MIN_LEN + 8192, "page-aligned");
	ck_assert_int_eq(adoption_end(adopt(start, ADOPT_MIN_LEN)), 0);
	free(block);
}
END_TEST

static void *offer_heap_of_a_thread(void *arg)
{
	uint8_t *block = malloc(ADOPT_MIN_LEN + 8192);

	(void)arg;
	check_refused(block, ADOPT_MIN_LEN + 8192, "page-aligned");
	free(block);
	return NULL;
}

static bool stops_system_calls(void);

/* An adoption in the middle of the heap splits the heap's mapping. */
static void *offer_heap_beside_an_adoption(void *arg)
{
	uint8_t *first = malloc(ADOPT_MIN_LEN + 8192), *second = malloc(ADOPT_MIN_LEN + 8192);
	struct adoption *adoption = adopt((uint8_t *)ALIGN_UP((uintptr_t)first, 4096),
					  ADOPT_MIN_LEN);

	(void)arg;
	ck_assert(second > first);
	check_refused(second, ADOPT_MIN_LEN + 8192, "page-aligned");
	ck_assert_int_eq(adoption_end(adoption), 0);
	free(first);
	free(second);
	return NULL;
}

START_TEST(test_blocks_of_the_heap_beside_an_adoption)
{
	pthread_t thread;

	if (!stops_system_calls())
		return;
	ck_assert_int_eq(pthread_create(&thread, NULL, offer_heap_beside_an_adoption, NULL), 0);
	ck_assert_int_eq(pthread_join(thread, NULL), 0);
}
END_TEST

START_TEST(test_blocks_of_the_heap_of_a_thread)
{
	pthread_t thread;

	ck_assert_int_eq(pthread_create(&thread, NULL, offer_heap_of_a_thread, NULL), 0);
	ck_assert_int_eq(pthread_join(thread, NULL), 0);
}
END_TEST
#endif

struct stack {
	sem_t offered, ends;
	uint8_t *memory;
};

static void *offer_stack(void *arg)
{
	struct stack *stack = arg;
	uint8_t memory[ADOPT_MIN_LEN * 2];

	memset(memory, 0, sizeof(memory));
	stack->memory = memory;
	sem_post(&stack->offered);
	while (sem_wait(&stack->ends) < 0)
		continue;
	return NULL;
}

START_TEST(test_stack_of_a_thread)
{
	struct stack stack;
	pthread_t thread;

	sem_init(&stack.offered, 0, 0);
	sem_init(&stack.ends, 0, 0);
	ck_assert_int_eq(pthread_create(&thread, NULL, offer_stack, &stack), 0);
	while (sem_wait(&stack.offered) < 0)
		continue;
	check_refused(stack.memory, ADOPT_MIN_LEN * 2, "stack of a thread");
	sem_post(&stack.ends);
	ck_assert_int_eq(pthread_join(thread, NULL), 0);
}
END_TEST

/* --- pages that a device uses --- */

/* Pins memory as RDMA devices do. Returns a descriptor, or -1 if the kernel has no io_uring. */
static int pin(void *addr, size_t len)
{
	struct io_uring_params params = {0};
	struct iovec range = {addr, len};
	int fd = (int)syscall(SYS_io_uring_setup, 1, &params);

	if (fd >= 0)
		ck_assert_int_eq(
			syscall(SYS_io_uring_register, fd, IORING_REGISTER_BUFFERS, &range, 1), 0);
	return fd;
}

static void unpin(int fd)
{
	ck_assert_int_eq(syscall(SYS_io_uring_register, fd, IORING_UNREGISTER_BUFFERS, NULL, 0), 0);
	close(fd);
}

/* Only one page of the last step is pinned. The steps before are undone. */
START_TEST(test_pinned_pages_stay)
{
	uint8_t *memory = memory_new(LEN);
	struct adoption *adoption = NULL;
	size_t before = unit_n_fds();
	int fd;

	memset(memory, 5, LEN);
	fd = pin(memory + LEN - 8192, 4096);
	if (fd < 0)
		return;
	ck_assert_int_eq(adoption_new(memory, LEN, &adoption, reason), -EBUSY);
	ck_assert_ptr_nonnull(strstr(reason, "a device uses pages"));
	ck_assert_ptr_null(adoption_find(memory, LEN));
	for (size_t i = 0; i < LEN; i++)
		ck_assert_uint_eq(memory[i], 5);
	check_private(memory, LEN);
	unpin(fd);
	while (adoption_new(memory, LEN, &adoption, reason) < 0)
		sched_yield();
	ck_assert_int_eq(adoption_end(adoption), 0);
	ck_assert_uint_eq(unit_n_fds(), before);
}
END_TEST

/* What the device writes must reach the program, so the pages are given back later. */
START_TEST(test_pages_that_are_pinned_later)
{
	uint8_t *memory = memory_new(LEN), *other = memory_new(LEN), *peer;
	struct adoption *adoption = adopt(memory, LEN);
	int fd = pin(memory, 4096);

	if (fd < 0)
		return;
	peer = peer_map(adoption);
	ck_assert_int_eq(adoption_end(adoption), -EBUSY);
	memory[0] = 1;
	ck_assert_uint_eq(peer[0], 1);
	unpin(fd);
	do
		adoption_end(adopt(other, LEN));
	while (adoption_find(memory, LEN) != NULL);
	memory[0] = 2;
	ck_assert_uint_eq(peer[0], 1);
}
END_TEST

/* --- calls that fail --- */

#define PAGES_MOVE_NUMBER 5

/* The calls of the library come to the two functions below. */
static struct {
	int n_remaps, n_moves;     /* calls so far */
	int fails_from, n_fail;    /* these calls of mremap() fail ... */
	bool unmaps;               /* ... after they have unmapped the target, as Linux may do */
	int moves_from, move_code; /* UFFDIO_MOVE fails from that call on */
} faults;

void *mremap(void *from, size_t from_len, size_t to_len, int flags, ...)
{
	va_list args;
	void *to;

	va_start(args, flags);
	to = (flags & MREMAP_FIXED) ? va_arg(args, void *) : NULL;
	va_end(args);
	if (to != NULL) {
		int n = faults.n_remaps++;

		if (n >= faults.fails_from && n < faults.fails_from + faults.n_fail) {
			if (faults.unmaps)
				munmap(to, to_len);
			errno = ENOMEM;
			return MAP_FAILED;
		}
	}
	return (void *)syscall(SYS_mremap, from, from_len, to_len, flags, to);
}

int ioctl(int fd, unsigned long request, ...)
{
	va_list args;
	void *arg;

	va_start(args, request);
	arg = va_arg(args, void *);
	va_end(args);
	if (_IOC_TYPE(request) == 0xaa && _IOC_NR(request) == PAGES_MOVE_NUMBER &&
	    faults.move_code != 0 && faults.n_moves++ >= faults.moves_from) {
		/* The bytes that moved: the last member. */
		memset((uint8_t *)arg + 32, 0, 8);
		errno = faults.move_code;
		return -1;
	}
	return (int)syscall(SYS_ioctl, fd, request, arg);
}

/* The kernel may refuse the exchange of mappings in each step, and other calls after that. */
static void check_adoption_that_fails(int n_remaps, bool unmaps, int move_code)
{
	uint8_t *memory = memory_new(LEN);
	struct adoption *adoption = NULL;

	for (size_t i = 0; i < LEN; i++)
		memory[i] = (uint8_t)(i * 7 + i / 4096);
	memset(&faults, 0, sizeof(faults));
	faults.n_fail = n_remaps;
	faults.unmaps = unmaps;
	faults.move_code = move_code;
	faults.moves_from = 1;
	ck_assert_int_lt(adoption_new(memory, LEN, &adoption, reason), 0);
	memset(&faults, 0, sizeof(faults));
	for (size_t i = 0; i < LEN; i++)
		ck_assert_uint_eq(memory[i], (uint8_t)(i * 7 + i / 4096));
	memset(memory, 1, LEN);
	ck_assert_int_eq(adoption_end(adopt(memory, LEN)), 0);
	ck_assert_uint_eq(memory[LEN - 1], 1);
	munmap(memory, LEN);
}

START_TEST(test_adoption_that_fails)
{
	check_adoption_that_fails(1, false, 0);
	check_adoption_that_fails(1, false, EBUSY);
	check_adoption_that_fails(1, false, EAGAIN);
	check_adoption_that_fails(1, true, 0);
	check_adoption_that_fails(2, true, 0);
}
END_TEST

/* The pages stay shared. */
START_TEST(test_release_that_fails)
{
	uint8_t *memory = memory_new(LEN), *peer;
	struct adoption *adoption = adopt(memory, LEN);

	peer = peer_map(adoption);
	memset(memory, 3, LEN);
	memset(&faults, 0, sizeof(faults));
	faults.n_fail = 1;
	faults.unmaps = true;
	ck_assert_int_eq(adoption_end(adoption), -ENOMEM);
	memset(&faults, 0, sizeof(faults));
	for (size_t i = 0; i < LEN; i += 4096)
		ck_assert_uint_eq(memory[i], 3);
	memory[0] = 4;
	ck_assert_uint_eq(peer[0], 4);
	memory[LEN - 1] = 5;
	/* The next adoption tries again. */
	ck_assert_int_eq(adoption_end(adopt(memory_new(LEN), LEN)), 0);
	ck_assert_uint_eq(memory[0], 4);
	memory[0] = 6;
	ck_assert_uint_eq(peer[0], 4);
}
END_TEST

/* --- other threads --- */

/* A program with several threads can adopt memory. */
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

struct pair {
	pthread_barrier_t barrier;
	uint8_t *memory;
	uint32_t n_adopted;
};

static void *adopt_overlapping(void *arg)
{
	struct pair *pair = arg;
	struct adoption *adoption;

	pthread_barrier_wait(&pair->barrier);
	if (adoption_new(pair->memory + 65536, LEN - 65536, &adoption,
			 (char[ADOPT_REASON_MAX]){0}) == 0) {
		sched_yield();
		ck_assert_int_eq(adoption_end(adoption), 0);
	}
	return NULL;
}

/* Either adoption may be refused, but none takes pages of the other. */
START_TEST(test_overlapping_adoptions)
{
	struct pair pair = {.memory = memory_new(LEN)};
	struct adoption *adoption;
	pthread_t thread;

	if (!stops_system_calls())
		return;
	pthread_barrier_init(&pair.barrier, NULL, 2);
	for (int i = 0; i < UNIT_N(100); i++) {
		memset(pair.memory, i, LEN);
		ck_assert_int_eq(pthread_create(&thread, NULL, adopt_overlapping, &pair), 0);
		pthread_barrier_wait(&pair.barrier);
		if (adoption_new(pair.memory, LEN - 65536, &adoption, reason) == 0) {
			uint8_t *peer = peer_map(adoption);

			for (size_t at = 0; at < adoption->len; at += 4096)
				ck_assert_uint_eq(peer[at], (uint8_t)i);
			memfd_unmap(peer, adoption->len);
			ck_assert_int_eq(adoption_end(adoption), 0);
		}
		ck_assert_int_eq(pthread_join(thread, NULL), 0);
		for (size_t at = 0; at < LEN; at += 4096)
			ck_assert_uint_eq(pair.memory[at], (uint8_t)i);
	}
}
END_TEST

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

/* An allocator does this with pages that it does not need. */
static void *empty_always(void *arg)
{
	struct worker *worker = arg;

	while (!atomic_load(&worker->ends)) {
		if (madvise(worker->memory, LEN, MADV_DONTNEED) < 0)
			return (void *)"madvise() failed";
		worker->n++;
	}
	return NULL;
}

START_TEST(test_pages_that_another_thread_empties)
{
	check_worker(empty_always, false);
}
END_TEST

static uint8_t *touched;

static void touch(int signal)
{
	(void)signal;
	for (size_t i = 0; i < LEN; i += 4096)
		touched[i]++;
}

/* A signal comes while the thread moves the pages that the signal's handler touches. */
START_TEST(test_signal_handler_touches_pages)
{
	struct itimerval often = {.it_interval.tv_usec = 50, .it_value.tv_usec = 50}, never = {0};
	struct sigaction action = {.sa_handler = touch, .sa_flags = SA_RESTART};

	touched = memory_new(LEN);
	ck_assert_int_eq(sigaction(SIGALRM, &action, NULL), 0);
	ck_assert_int_eq(setitimer(ITIMER_REAL, &often, NULL), 0);
	for (int i = 0; i < UNIT_N(200); i++)
		ck_assert_int_eq(adoption_end(adopt(touched, LEN)), 0);
	ck_assert_int_eq(setitimer(ITIMER_REAL, &never, NULL), 0);
}
END_TEST

#define STEP_PAGES (ADOPT_STEP_LEN / 4096)

/* Writes each page once, which is a hole until then, in an order that soon comes to each step. */
static void *fill_holes(void *arg)
{
	struct worker *worker = arg;

	for (size_t page = 0; page < STEP_PAGES; page++) {
		for (size_t at = 0; at < 4 * LEN; at += ADOPT_STEP_LEN)
			worker->memory[at + page * 4096] = 6;
		worker->n++;
	}
	return NULL;
}

/* The memfd has no pages where realloc() has grown the memory. */
START_TEST(test_no_write_to_grown_pages_is_lost)
{
	struct worker worker;
	pthread_t thread;

	if (!stops_system_calls())
		return;
	for (int i = 0; i < UNIT_N(100); i++) {
		struct adoption *adoption;
		uint8_t *memory = memory_new(LEN);

		memset(&worker, 0, sizeof(worker));
		adoption = adopt(memory, LEN);
		memory = mremap(memory, LEN, 5 * LEN, MREMAP_MAYMOVE);
		ck_assert_ptr_ne(memory, MAP_FAILED);
		worker.memory = memory + LEN;
		ck_assert_int_eq(pthread_create(&thread, NULL, fill_holes, &worker), 0);
		while (atomic_load(&worker.n) == 0)
			sched_yield();
		ck_assert_int_eq(adoption_end(adoption), 0);
		ck_assert_int_eq(pthread_join(thread, NULL), 0);
		for (size_t at = LEN; at < 5 * LEN; at += 4096)
			ck_assert_uint_eq(memory[at], 6);
		munmap(memory, 5 * LEN);
	}
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

/* Is run between the copies for the child and the fork. */
static void (*before_fork)(void);

static void run_before_fork(void)
{
	if (before_fork != NULL)
		before_fork();
}

/* Before the library's own constructor, so that this handler runs after the library's. */
__attribute__((constructor(101))) static void watch_forks(void)
{
	if (pthread_atfork(run_before_fork, NULL, NULL) != 0)
		abort();
}

static uint8_t *reused;

static void reuse_pages(void)
{
	if (munmap(reused, 65536) < 0 ||
	    mmap(reused, 65536, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1,
		 0) != reused)
		abort();
	memset(reused, 8, 65536);
}

/* Another thread may do this while a thread forks. */
static void check_reused(size_t offset)
{
	uint8_t *memory = memory_new(LEN);
	struct adoption *adoption = adopt(memory, LEN);
	pid_t pid;

	memset(memory, 3, LEN);
	reused = memory + offset;
	before_fork = reuse_pages;
	pid = fork();
	before_fork = NULL;
	if (pid == 0) {
		for (size_t i = 0; i < LEN; i += 4096)
			if (memory[i] != (i >= offset && i < offset + 65536 ? 8 : 3))
				_exit(1);
		memset(memory, 5, LEN);
		_exit(0);
	}
	ck_assert_int_eq(child_status(pid), 0);
	ck_assert_uint_eq(reused[0], 8);
	ck_assert_int_eq(adoption_end(adoption), 0);
}

START_TEST(test_pages_reused_before_the_fork)
{
	check_reused(0);
	check_reused(131072);
	check_reused(LEN - 65536);
}
END_TEST

/* Makes fork() fail from here on. */
static void forbid_forks(void)
{
	struct sock_filter rules[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone, 1, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone3, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EAGAIN),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = {ARRAY_LEN(rules), rules};

	ck_assert_int_eq(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), 0);
	ck_assert_int_eq(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program), 0);
}

/* Returns 0, or the number of the check that failed. */
static int fork_in_vain(void)
{
	uint8_t *memory = memory_new(LEN);
	struct adoption *adoption = adopt(memory, LEN);

	memset(memory, 3, LEN);
	forbid_forks();
	if (fork() >= 0 || errno != EAGAIN)
		return 1;
	memory[0] = 4;
	if (adoption_end(adoption) < 0)
		return 2;
	return memory[0] == 4 && memory[LEN - 1] == 3 ? 0 : 3;
}

/* In a process of its own, because LeakSanitizer forks when a process exits. */
START_TEST(test_fork_that_fails)
{
	pid_t pid = fork();

	if (pid == 0)
		_exit(fork_in_vain());
	ck_assert_int_eq(child_status(pid), 0);
}
END_TEST

static bool dies_early;

static void die_early(void)
{
	if (dies_early)
		raise(SIGKILL);
}

/* The parent does not wait for a child that is killed at once. */
START_TEST(test_child_that_is_killed_at_once)
{
	uint8_t *memory = memory_new(LEN);
	struct adoption *adoption;

	ck_assert_int_eq(pthread_atfork(NULL, NULL, die_early), 0);
	adoption = adopt(memory, LEN);
	signal(SIGCHLD, SIG_IGN);
	dies_early = true;
	for (int i = 0; i < 10; i++)
		ck_assert_int_gt(fork(), 0);
	signal(SIGCHLD, SIG_DFL);
	ck_assert_int_eq(adoption_end(adoption), 0);
}
END_TEST

/* The parent writes at once; the child has the contents of the moment of the fork. */
static void fork_and_check(uint8_t *memory, uint8_t now)
{
	pid_t pid;

	memset(memory, now, LEN);
	pid = fork();
	if (pid == 0) {
		for (size_t i = 0; i < LEN; i += 4096)
			if (memory[i] != now)
				_exit(1);
		memset(memory, now + 100, LEN);
		_exit(0);
	}
	ck_assert_int_gt(pid, 0);
	memset(memory, now + 1, LEN);
	ck_assert_int_eq(child_status(pid), 0);
	ck_assert_uint_eq(memory[4096], (uint8_t)(now + 1));
}

START_TEST(test_forks_while_another_child_is_a_zombie)
{
	uint8_t *memory = memory_new(LEN);
	struct adoption *adoption = adopt(memory, LEN);
	pid_t zombie = fork();
	siginfo_t info;

	if (zombie == 0)
		_exit(0);
	ck_assert_int_eq(waitid(P_PID, (id_t)zombie, &info, WEXITED | WNOWAIT), 0);
	for (uint8_t i = 0; i < 20; i++)
		fork_and_check(memory, i);
	ck_assert_int_eq(child_status(zombie), 0);
	ck_assert_int_eq(adoption_end(adoption), 0);
}
END_TEST

/* Parent and child fork at the same time, and the child ends what it copied. */
START_TEST(test_grandchildren)
{
	uint8_t *memory = memory_new(LEN);
	struct adoption *adoption = adopt(memory, LEN);
	pid_t pid = fork();

	for (uint8_t i = 0; i < 20; i++)
		fork_and_check(memory, i);
	ck_assert_int_eq(adoption_end(adoption), 0);
	/* The child's memory is private, so it can be adopted for the child's own importers. */
	ck_assert_int_eq(adoption_end(adopt(memory, LEN)), 0);
	fork_and_check(memory, 7);
	if (pid == 0)
		_exit(0);
	ck_assert_int_eq(child_status(pid), 0);
}
END_TEST

/* A child without fork handlers must not write to memory of its parent. */
START_TEST(test_child_of_a_bare_system_call)
{
	uint8_t *memory = memory_new(LEN);
	struct adoption *adoption = adopt(memory, LEN);
	pid_t pid;

	memory[0] = 3;
	pid = (pid_t)syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, NULL);
	if (pid == 0) {
		signal(SIGSEGV, SIG_DFL);
		memory[0] = 4;
		_exit(0);
	}
	ck_assert_int_ne(child_status(pid), 0);
	ck_assert_uint_eq(memory[0], 3);
	ck_assert_int_eq(adoption_end(adoption), 0);
}
END_TEST

/* Pages that the process shares with a child can be moved, too. */
START_TEST(test_adoption_beside_a_child)
{
	uint8_t *memory = memory_new(LEN);
	struct adoption *adoption;
	int go[2];
	pid_t pid;
	char byte;

	memset(memory, 3, LEN);
	ck_assert_int_eq(pipe(go), 0);
	pid = fork();
	if (pid == 0)
		_exit(read(go[0], &byte, 1) == 1 && memory[0] == 3 ? 0 : 1);
	adoption = adopt(memory, LEN);
	memset(memory, 4, LEN);
	ck_assert_int_eq(write(go[1], "", 1), 1);
	ck_assert_int_eq(child_status(pid), 0);
	ck_assert_int_eq(adoption_end(adoption), 0);
	ck_assert_uint_eq(memory[0], 4);
}
END_TEST

static void *fork_always(void *arg)
{
	struct worker *worker = arg;

	for (int i = 0; i < UNIT_N(20) && !atomic_load(&worker->ends); i++) {
		pid_t pid = fork();

		if (pid == 0)
			_exit(worker->memory[LEN - 1] == 6 ? 0 : 1);
		if (pid < 0 || child_status(pid) != 0)
			return (void *)"a child failed";
		worker->n++;
	}
	return NULL;
}

START_TEST(test_forks_while_pages_move)
{
	struct worker worker = {.memory = memory_new(LEN)};
	pthread_t thread;
	void *wrong;

	memset(worker.memory, 6, LEN);
	if (!stops_system_calls())
		return;
	ck_assert_int_eq(pthread_create(&thread, NULL, fork_always, &worker), 0);
	while (atomic_load(&worker.n) < UNIT_N(20) && pthread_tryjoin_np(thread, &wrong) != 0)
		ck_assert_int_eq(adoption_end(adopt(worker.memory, LEN)), 0);
	if (atomic_load(&worker.n) == UNIT_N(20))
		(void)pthread_join(thread, &wrong);
	ck_assert_msg(wrong == NULL, "%s", (char *)wrong);
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

/* realloc() moves and grows large blocks like this. */
START_TEST(test_moved_and_grown_pages)
{
	uint8_t *memory = memory_new(LEN), *peer, *moved;
	struct adoption *adoption = adopt(memory, LEN);

	peer = peer_map(adoption);
	memset(memory, 3, LEN);
	moved = mremap(memory, LEN, 4 * LEN, MREMAP_MAYMOVE);
	ck_assert_ptr_ne(moved, MAP_FAILED);
	memset(moved + LEN, 4, 3 * LEN);
	fork_and_check(moved, 3);
	memset(moved, 3, LEN);
	ck_assert_int_eq(adoption_end(adoption), 0);
	for (size_t i = 0; i < 4 * LEN; i += 4096)
		ck_assert_uint_eq(moved[i], i < LEN ? 3 : 4);
	moved[0] = 5;
	ck_assert_uint_eq(peer[0], 3);
}
END_TEST

/* The memory of a later owner of the addresses is adopted anew. */
START_TEST(test_later_owner_is_adopted)
{
	uint8_t *memory = memory_new(LEN), *peer;
	struct adoption *first = adopt(memory, LEN), *second;

	memset(memory, 3, LEN);
	ck_assert_int_eq(munmap(memory, LEN), 0);
	ck_assert_ptr_eq(mmap(memory, LEN, PROT_READ | PROT_WRITE,
			      MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0),
			 memory);
	memset(memory, 8, LEN);
	ck_assert_ptr_null(adoption_find(memory, LEN));
	second = adopt(memory, LEN);
	ck_assert_ptr_ne(second, first);
	peer = peer_map(second);
	ck_assert_uint_eq(peer[LEN - 1], 8);
	ck_assert_int_eq(adoption_end(first), 0);
	memory[0] = 9;
	ck_assert_uint_eq(peer[0], 9);
	ck_assert_int_eq(adoption_end(second), 0);
	ck_assert_uint_eq(memory[0], 9);
}
END_TEST

START_TEST(test_protection_is_kept)
{
	uint8_t *memory = memory_new(LEN);
	struct adoption *adoption = adopt(memory, LEN);
	struct vma_reader maps;
	struct vma vma;

	ck_assert_int_eq(mprotect(memory, 4096, PROT_READ), 0);
	ck_assert_int_eq(mprotect(memory + 8192, 4096, PROT_NONE), 0);
	ck_assert_int_eq(adoption_end(adoption), 0);
	ck_assert_int_eq(vma_reader_open(&maps), 0);
	ck_assert(vma_find(&maps, (uintptr_t)memory, &vma));
	ck_assert_int_eq(vma_prot(&vma), PROT_READ);
	ck_assert(vma_find(&maps, (uintptr_t)memory + 8192, &vma));
	ck_assert_int_eq(vma_prot(&vma), PROT_NONE);
	vma_reader_close(&maps);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("adopt");
	TCase *tcase = unit_case(suite, "adopt", UNIT_TIMEOUT);

	tcase_add_test(tcase, test_there_and_back);
	tcase_add_test(tcase, test_unsuited_memory);
#ifndef DOCO_SANITIZED
	tcase_add_test(tcase, test_blocks_of_the_heap);
	tcase_add_test(tcase, test_blocks_of_the_heap_of_a_thread);
	tcase_add_test(tcase, test_blocks_of_the_heap_beside_an_adoption);
#endif
	tcase_add_test(tcase, test_stack_of_a_thread);
	tcase_add_test(tcase, test_pinned_pages_stay);
	tcase_add_test(tcase, test_pages_that_are_pinned_later);
	tcase_add_test(tcase, test_adoption_that_fails);
	tcase_add_test(tcase, test_release_that_fails);
	tcase_add_test(tcase, test_overlapping_adoptions);
	tcase_add_test(tcase, test_no_write_is_lost);
	tcase_add_test(tcase, test_no_system_call_fails);
	tcase_add_test(tcase, test_pages_that_another_thread_empties);
	tcase_add_test(tcase, test_signal_handler_touches_pages);
	tcase_add_test(tcase, test_no_write_to_grown_pages_is_lost);
	tcase_add_test(tcase, test_child_has_memory_of_its_own);
	tcase_add_test(tcase, test_spawned_program);
	tcase_add_test(tcase, test_pages_reused_before_the_fork);
	tcase_add_test(tcase, test_fork_that_fails);
	tcase_add_test(tcase, test_child_that_is_killed_at_once);
	tcase_add_test(tcase, test_forks_while_another_child_is_a_zombie);
	tcase_add_test(tcase, test_grandchildren);
	tcase_add_test(tcase, test_child_of_a_bare_system_call);
	tcase_add_test(tcase, test_adoption_beside_a_child);
	tcase_add_test(tcase, test_forks_while_pages_move);
	tcase_add_test(tcase, test_pages_stay_until_the_last_user_ends);
	tcase_add_test(tcase, test_later_owner_is_not_seen);
	tcase_add_test(tcase, test_moved_and_grown_pages);
	tcase_add_test(tcase, test_later_owner_is_adopted);
	tcase_add_test(tcase, test_protection_is_kept);
	return unit_run(suite);
}
