/*
 * Every version on the host with every version on the DPU: one exports memory, the other copies it.
 * Each end is a program of its own that links only the library and is compiled for its version
 * (tests/integration/dma/matrix). One cell is one pair of these programs in one lab. Messages are
 * tested in comch/echo_test.c, sync events in sync/handover_test.c. With OVER_TLS the daemons relay
 * the copies. Relaying is the same code under the jobs and tasks of every version; therefore each
 * version is combined only with itself and its neighbours.
 */
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/lib/assert.h"
#include "tests/lib/runner.h"
#include "tests/lib/same_or_other_machine.h"
#include "util/clock.h"
#include "util/fd.h"

#define DEADLINE_MS 60000
/* For all cells; a busy machine takes a second for one. */
#define TEST_S (RUNNER_PROGRAM_S - 10)

extern char **environ;

static const int versions[] = {103, 105, 200, 202, 205, 303};

/* Starts one half, with its end of the socket as descriptor 3. */
static pid_t program_start(struct lab *lab, enum lab_side side, int version, int sock)
{
	const char *builddir = getenv("top_builddir"), *name = side == LAB_HOST ? "host" : "dpu";
	char path[512], socket_text[256];
	char *argv[] = {path, (char *)name, (char *)"3", NULL};
	posix_spawn_file_actions_t actions;
	pid_t pid;
	int r;

	snprintf(path, sizeof(path), "%s/tests/integration/dma/matrix/cell_%d",
		 builddir ? builddir : ".", version);
	snprintf(socket_text, sizeof(socket_text), "%s", lab_socket(lab, side));
	setenv("DOCOCORED_SOCKET", socket_text, 1);
	setenv("DOCA_SIDE", name, 1);
	ck_assert_int_eq(posix_spawn_file_actions_init(&actions), 0);
	ck_assert_int_eq(posix_spawn_file_actions_adddup2(&actions, sock, 3), 0);
	r = posix_spawn(&pid, path, &actions, NULL, argv, environ);
	ck_assert_msg(r == 0, "%s: %s", path, strerror(r));
	posix_spawn_file_actions_destroy(&actions);
	return pid;
}

/*
 * Returns true if it ended with status 0 in time; it is reaped in any case. Reads the daemons'
 * messages meanwhile, because they wait for that.
 */
static bool program_await(struct lab *lab, pid_t pid)
{
	uint64_t deadline = clock_now_ns() + DEADLINE_MS * NS_PER_MS;
	int pidfd = fd_pidfd_open(pid), status, left;
	struct pollfd polled[] = {{.fd = pidfd, .events = POLLIN},
				  {.fd = lab->notify_fd, .events = POLLIN}};
	bool in_time = false;

	ck_assert_int_ge(pidfd, 0);
	while (!in_time && (left = clock_poll_timeout(deadline)) > 0) {
		ck_assert_int_ge(poll(polled, 2, left), 0);
		if (polled[1].revents)
			lab_listen(lab);
		in_time = polled[0].revents != 0;
	}
	if (!in_time)
		kill(pid, SIGKILL);
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	close(pidfd);
	return in_time && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static void cell_run(struct lab *lab, int host, int dpu)
{
	bool host_ok, dpu_ok;
	pid_t pids[2];
	int s[2];

	ck_assert_int_eq(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, s), 0);
	pids[0] = program_start(lab, LAB_HOST, host, s[0]);
	pids[1] = program_start(lab, LAB_DPU, dpu, s[1]);
	close(s[0]);
	close(s[1]);
	host_ok = program_await(lab, pids[0]);
	dpu_ok = program_await(lab, pids[1]);
	ck_assert_msg(host_ok && dpu_ok, "host %d %s, DPU %d %s", host, host_ok ? "ok" : "failed",
		      dpu, dpu_ok ? "ok" : "failed");
}

static bool is_run(size_t host, size_t dpu)
{
	return !IS_REMOTE || host == dpu || (host + 1) % ARRAY_LEN(versions) == dpu;
}

START_TEST(memory_is_exported_and_copied)
{
	struct lab lab;

	machines_start(&lab);
	for (size_t i = 0; i < ARRAY_LEN(versions); i++) {
		for (size_t k = 0; k < ARRAY_LEN(versions); k++) {
			if (is_run(i, k))
				cell_run(&lab, versions[i], versions[k]);
		}
	}
	lab_await(&lab, LAB_HOST, LAB_CLIENTS, 0, DEADLINE_MS);
	lab_await(&lab, LAB_DPU, LAB_CLIENTS, 0, DEADLINE_MS);
	machines_stop(&lab);
}
END_TEST

static void add_cases(Suite *suite)
{
	TCase *tcase = tcase_create("cells");

	tcase_set_timeout(tcase, TEST_S);
	suite_add_tcase(suite, tcase);
	tcase_add_test(tcase, memory_is_exported_and_copied);
}

int main(void)
{
	lab_require();
	return runner_main(MACHINES_NAME("matrix"), add_cases, NULL);
}
