/* Failing system calls of another process, see tests/lib/sysfault.h. */
#include "tests/lib/sysfault.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "util/fd.h"
#include "util/util.h"

#ifndef SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV
#define SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV (1UL << 5)
#endif

enum { NOT_YET = -1, REFUSED = -2 };

/*
 * Shared with the trapped process, which stores the number of its listener here. The process can
 * report it only by a store to memory, because its system calls already wait for this process.
 */
static _Atomic int *listener_number;

static struct {
	pthread_t thread;
	pthread_mutex_t lock;
	int listener;
	int null; /* /dev/null */
	/* With the lock. */
	bool is_counting, is_armed, has_failed;
	int nr, error;
	unsigned n;
	unsigned n_made[SYSFAULT_MAX_NR];
} state = {.lock = PTHREAD_MUTEX_INITIALIZER, .listener = -1, .null = -1};

/* For use before the first test runs as well, where Check's assertions cannot be used. */
static void require(bool is_true, const char *what)
{
	if (is_true)
		return;
	fprintf(stderr, "sysfault: %s: %s\n", what, strerror(errno));
	abort();
}

void sysfault_init(void)
{
	listener_number = mmap(NULL, sizeof(*listener_number), PROT_READ | PROT_WRITE,
			       MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	require(listener_number != MAP_FAILED, "mmap");
	atomic_store(listener_number, NOT_YET);
}

static int trap_install(void)
{
	struct sock_filter code[] = {BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF)};
	struct sock_fprog program = {.len = ARRAY_LEN(code), .filter = code};

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		return -1;
	return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER,
			    SECCOMP_FILTER_FLAG_NEW_LISTENER |
				    SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV,
			    &program);
}

void sysfault_trap(void)
{
	int listener = trap_install();

	atomic_store(listener_number, listener >= 0 ? listener : REFUSED);
	if (listener < 0)
		_exit(126);
}

bool sysfault_is_possible(void)
{
	pid_t pid;

	sysfault_init();
	fflush(NULL);
	pid = fork();
	require(pid >= 0, "fork");
	if (pid == 0) {
		sysfault_trap();
		_exit(0);
	}
	if (sysfault_attach(pid)) {
		require(waitpid(pid, NULL, 0) == pid, "waitpid");
		sysfault_detach();
		return true;
	}
	require(waitpid(pid, NULL, 0) == pid, "waitpid");
	printf("skipped: seccomp user notifications are missing or forbidden here\n");
	return false;
}

/* True if this call is the one that fails. */
static bool intercept_call(int nr)
{
	bool fails;

	if (nr < 0 || nr >= SYSFAULT_MAX_NR)
		return false;
	pthread_mutex_lock(&state.lock);
	fails = state.is_armed && nr == state.nr && state.n_made[nr] == state.n;
	if (state.is_counting)
		state.n_made[nr]++;
	if (fails) {
		state.is_armed = false;
		state.has_failed = true;
	}
	pthread_mutex_unlock(&state.lock);
	return fails;
}

static void release_descriptor(const struct seccomp_notif *call)
{
	struct seccomp_notif_addfd replace = {
		.id = call->id,
		.flags = SECCOMP_ADDFD_FLAG_SETFD,
		.srcfd = (uint32_t)state.null,
		.newfd = (uint32_t)call->data.args[0],
		.newfd_flags = O_CLOEXEC,
	};

	ioctl(state.listener, SECCOMP_IOCTL_NOTIF_ADDFD, &replace);
}

static void answer_call(void)
{
	struct seccomp_notif call = {0};
	struct seccomp_notif_resp answer = {0};

	/* Its thread may have been killed meanwhile. */
	if (ioctl(state.listener, SECCOMP_IOCTL_NOTIF_RECV, &call) < 0)
		return;
	answer.id = call.id;
	if (!intercept_call(call.data.nr)) {
		answer.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
	} else {
		answer.error = -state.error;
		if (call.data.nr == SYS_close)
			release_descriptor(&call);
	}
	ioctl(state.listener, SECCOMP_IOCTL_NOTIF_SEND, &answer);
}

/* Until no process has the filter any more. */
static void *answer_calls(void *arg)
{
	struct pollfd listener = {.fd = state.listener, .events = POLLIN};

	while (poll(&listener, 1, -1) < 0 || !(listener.revents & POLLHUP))
		if (listener.revents & POLLIN)
			answer_call();
	return arg;
}

bool sysfault_attach(pid_t pid)
{
	CLEANUP_FD int pidfd = fd_pidfd_open(pid);
	int number;

	require(pidfd >= 0, "pidfd_open");
	while ((number = atomic_load(listener_number)) == NOT_YET && !fd_pidfd_exited(pidfd))
		poll(NULL, 0, 1);
	atomic_store(listener_number, NOT_YET);
	if (number < 0)
		return false;
	state.listener = (int)syscall(SYS_pidfd_getfd, pidfd, number, 0);
	require(state.listener >= 0, "pidfd_getfd");
	state.null = open("/dev/null", O_RDWR | O_CLOEXEC);
	require(state.null >= 0, "/dev/null");
	require(pthread_create(&state.thread, NULL, answer_calls, NULL) == 0, "pthread_create");
	return true;
}

void sysfault_detach(void)
{
	require(pthread_join(state.thread, NULL) == 0, "pthread_join");
	fd_close(&state.listener);
	fd_close(&state.null);
}

static void begin(bool is_armed, int nr, unsigned n, int error)
{
	pthread_mutex_lock(&state.lock);
	memset(state.n_made, 0, sizeof(state.n_made));
	state.is_counting = true;
	state.is_armed = is_armed;
	state.has_failed = false;
	state.nr = nr;
	state.n = n;
	state.error = error;
	pthread_mutex_unlock(&state.lock);
}

void sysfault_arm(int nr, unsigned n, int error)
{
	begin(true, nr, n, error);
}

void sysfault_count(void)
{
	begin(false, 0, 0, 0);
}

bool sysfault_disarm(void)
{
	bool has_failed;

	pthread_mutex_lock(&state.lock);
	state.is_counting = state.is_armed = false;
	has_failed = state.has_failed;
	pthread_mutex_unlock(&state.lock);
	return has_failed;
}

unsigned sysfault_n_made(int nr)
{
	return state.n_made[nr];
}

static bool is_known(int nr)
{
	for (size_t i = 0; i < sysfault_n_calls; i++)
		if (sysfault_calls[i].nr == nr)
			return true;
	for (size_t i = 0; i < sysfault_n_exempt; i++)
		if (sysfault_exempt[i] == nr)
			return true;
	return false;
}

int sysfault_find_unknown(void)
{
	for (int nr = 0; nr < SYSFAULT_MAX_NR; nr++)
		if (state.n_made[nr] > 0 && !is_known(nr))
			return nr;
	return -1;
}
