/*
 * Number of system calls of a request, an export and an import, counted with strace from outside:
 * in each participating daemon, and in the library. The limit applies to each process's part of one
 * of them, so that an additional check, descriptor or message is detected.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include "proto/transport_default.h"
#include "tests/lib/lab.h"
#include "tests/lib/runner.h"
#include "tests/lib/traced.h"
#include "tests/lib/use.h"

#define N 32u
/*
 * Tolerance of each count: the first and the last call, growing tables, and timer events. One
 * additional call each would still be detected.
 */
#define SLACK (3 * N / 4)
/*
 * Reading the pid of a pidfd, and its owner, from files of /proc if the kernel has no call for it;
 * and checking that the process still existed.
 */
#define N_READ_PID 9u

static struct lab lab;

/* --- counting --- */

struct tracer {
	pid_t pid;
	char path[160];
};

/* Returns when strace is attached. Returns false if that is forbidden here. */
static bool tracer_watch(struct tracer *tracer, pid_t of)
{
	char text[256] = "", pid[16];
	size_t len = 0;
	int ends[2];
	ssize_t n;

	snprintf(pid, sizeof(pid), "%d", (int)of);
	if (pipe2(ends, O_CLOEXEC) < 0)
		return false;
	fflush(NULL);
	tracer->pid = fork();
	if (tracer->pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		dup2(ends[1], STDERR_FILENO);
		execlp("strace", "strace", "-o", tracer->path, "-p", pid, (char *)NULL);
		_exit(127);
	}
	close(ends[1]);
	do {
		n = read(ends[0], text + len, sizeof(text) - 1 - len);
		len += n > 0 ? (size_t)n : 0;
		text[len] = '\0';
	} while (n > 0 && strstr(text, "attached") == NULL);
	close(ends[0]);
	if (n > 0)
		return true;
	waitpid(tracer->pid, NULL, 0);
	printf("strace: %s\n", text);
	return false;
}

static void tracer_start(struct tracer *tracer, const char *name, pid_t of)
{
	snprintf(tracer->path, sizeof(tracer->path), "%s/%s", lab.dir, name);
	ck_assert_msg(tracer_watch(tracer, of), "%s cannot be traced", name);
}

/* A timed status line for the service manager: socket, sendmsg, close. */
static bool line_is_notice(const char *line, int *fd)
{
	char close_call[24];

	if (strncmp(line, "socket(AF_UNIX, SOCK_DGRAM", 26) == 0 && strrchr(line, '=') != NULL)
		*fd = atoi(strrchr(line, '=') + 1);
	else if (*fd < 0)
		return false;
	snprintf(close_call, sizeof(close_call), "close(%d)", *fd);
	if (strncmp(line, close_call, strlen(close_call)) == 0)
		*fd = -1;
	return true;
}

/* Lines that depend on timers or on the allocator are not counted. */
static bool line_counts(const char *line)
{
	static const char *const others[] = {"---", "+++", "brk(", "munmap(", "restart_syscall("};

	for (size_t i = 0; i < ARRAY_LEN(others); i++) {
		if (strncmp(line, others[i], strlen(others[i])) == 0)
			return false;
	}
	/* If the heap cannot grow, memory is mapped elsewhere. */
	if (strncmp(line, "mmap(NULL", 9) == 0 && strstr(line, "MAP_ANONYMOUS") != NULL)
		return false;
	/* A timer. */
	if (strncmp(line, "epoll_wait(", 11) == 0 && strstr(line, " = 0") != NULL)
		return false;
	return strstr(line, "<detached") == NULL && strstr(line, "EINTR") == NULL;
}

/* Ends it. Returns the number of calls. */
static unsigned tracer_end(struct tracer *tracer)
{
	char *line = NULL;
	size_t room = 0;
	unsigned n = 0;
	int notice_fd = -1;
	FILE *file;

	kill(tracer->pid, SIGTERM);
	ck_assert_int_eq(waitpid(tracer->pid, NULL, 0), tracer->pid);
	file = fopen(tracer->path, "re");
	ck_assert_ptr_nonnull(file);
	while (getline(&line, &room, file) > 0)
		n += !line_is_notice(line, &notice_fd) && line_counts(line);
	free(line);
	fclose(file);
	return n;
}

static void check_count(const char *what, unsigned n, unsigned n_each)
{
	printf("%s: %u calls for %u, limit %u for each\n", what, n, N, n_each);
	/* All calls must have been seen, otherwise this would prove nothing. */
	ck_assert_msg(n >= N * 2, "%s: %u calls cannot be all", what, n);
	ck_assert_msg(n <= N * n_each + SLACK, "%s: %u calls for %u", what, n, N);
}

/* --- the clients --- */

struct descriptor {
	uint8_t data[256];
	size_t len;
};

/*
 * N exports between two signals, then their descriptors. One export before, for what the daemon
 * does once: its cryptography library reads files at first use.
 */
static void exporter(int sock, void *arg)
{
	static uint8_t memory[N + 1][64];
	struct doca_dev *dev = use_dev(USE_HOST_PF0);
	struct doca_mmap *maps[N + 1];
	struct descriptor descriptors[N];
	const void *first;
	size_t first_len;

	(void)arg;
	for (unsigned i = 0; i <= N; i++)
		maps[i] = use_mmap(dev, memory[i], sizeof(memory[i]),
				   DOCA_ACCESS_FLAG_PCI_READ_WRITE);
	OK(doca_mmap_export_pci(maps[N], dev, &first, &first_len));
	lab_signal(sock);
	lab_wait(sock);
	for (unsigned i = 0; i < N; i++) {
		const void *data;

		OK(doca_mmap_export_pci(maps[i], dev, &data, &descriptors[i].len));
		memcpy(descriptors[i].data, data, descriptors[i].len);
	}
	lab_signal(sock);
	/* Waits until the count has ended. */
	lab_wait(sock);
	for (unsigned i = 0; i < N; i++)
		lab_send(sock, &descriptors[i], sizeof(descriptors[i]));
	lab_wait(sock);
	for (unsigned i = 0; i <= N; i++)
		use_mmap_end(maps[i]);
	OK(doca_dev_close(dev));
}

/* One import before the signal, for what is done once per exporter. */
static void importer(int sock, void *arg)
{
	const struct descriptor *descriptors = arg;
	struct transport_default expected;
	struct doca_dev *dev = use_dev(USE_DPU_P0);
	struct doca_mmap *maps[N + 1];
	pid_t exporter_pid;
	char reasons[512];

	lab_recv(sock, &exporter_pid, sizeof(exporter_pid));
	OK(doca_mmap_create_from_export(NULL, descriptors[0].data, descriptors[0].len, dev,
					&maps[N]));
	lab_signal(sock);
	lab_wait(sock);
	for (unsigned i = 0; i < N; i++)
		OK(doca_mmap_create_from_export(NULL, descriptors[i].data, descriptors[i].len, dev,
						&maps[i]));
	lab_signal(sock);
	lab_wait(sock);
	/* The daemons' default, without a report of the library. */
	transport_default_explain(false, false, (int)exporter_pid, &expected);
	ck_assert_str_eq(dococ_mmap_get_transport(maps[0]), expected.name);
	ck_assert_uint_eq(expected.n_rejected, 2);
	snprintf(reasons, sizeof(reasons), "%s\n%s\n", expected.rejected[0], expected.rejected[1]);
	ck_assert_str_eq(dococ_mmap_get_transport_rejections(maps[0]), reasons);
	for (unsigned i = 0; i <= N; i++)
		OK(doca_mmap_destroy(maps[i]));
	OK(doca_dev_close(dev));
}

/* Requests without other effects: opening and closing a device, between two signals. */
static void device_opener(int sock, void *arg)
{
	struct doca_devinfo **infos;
	uint32_t n_infos;

	(void)arg;
	OK(doca_devinfo_create_list(&infos, &n_infos));
	lab_signal(sock);
	lab_wait(sock);
	for (unsigned i = 0; i < N / 2; i++) {
		struct doca_dev *dev;

		OK(doca_dev_open(infos[0], &dev));
		OK(doca_dev_close(dev));
	}
	lab_signal(sock);
	lab_wait(sock);
	OK(doca_devinfo_destroy_list(infos));
}

/* --- the tests --- */

static void setup(void)
{
	lab_setup(&lab, NULL);
}

static void teardown(void)
{
	lab_teardown(&lab);
}

/*
 * Executes the child's section between its two signals with strace attached to it and to one or two
 * daemons.
 */
static void run_traced(struct lab_child *child, unsigned *n_child, unsigned *n_host,
		       unsigned *n_dpu)
{
	struct tracer of_child, of_host, of_dpu;

	lab_wait(child->sock);
	tracer_start(&of_child, "trace.child", child->pid);
	tracer_start(&of_host, "trace.host", lab.daemons[LAB_HOST].pid);
	if (n_dpu != NULL)
		tracer_start(&of_dpu, "trace.dpu", lab.daemons[LAB_DPU].pid);
	lab_signal(child->sock);
	lab_wait(child->sock);
	*n_child = tracer_end(&of_child);
	*n_host = tracer_end(&of_host);
	if (n_dpu != NULL)
		*n_dpu = tracer_end(&of_dpu);
}

/* Linux 6.13 and later. */
static bool kernel_reports_pid(void)
{
	struct utsname name;
	unsigned major = 0, minor = 0;

	return uname(&name) == 0 && sscanf(name.release, "%u.%u", &major, &minor) == 2 &&
	       (major > 6 || (major == 6 && minor >= 13));
}

START_TEST(test_request)
{
	struct lab_child child = lab_fork(&lab, LAB_HOST, device_opener, NULL);
	unsigned n_child, n_host;

	run_traced(&child, &n_child, &n_host, NULL);
	/* sendto, recvmsg */
	check_count("the library, for a request", n_child, 2);
	/* epoll_wait, recvmsg, sendto */
	check_count("the daemon, for a request", n_host, 3);
	lab_signal(child.sock);
	lab_join(&child);
}
END_TEST

START_TEST(test_export_and_import)
{
	static struct descriptor descriptors[N];
	struct lab_child exporting = lab_fork(&lab, LAB_HOST, exporter, NULL), importing;
	unsigned n_child, n_host, n_dpu;

	run_traced(&exporting, &n_child, &n_host, NULL);
	/* Mappings: openat, fstat, read, close. Request: getpid, poll, sendto, recvmsg. */
	check_count("the library, for an export", n_child, 8);
	/* epoll_wait, recvmsg, getrandom, sendto */
	check_count("the exporter's daemon, for an export", n_host, 4);
	lab_signal(exporting.sock);
	for (unsigned i = 0; i < N; i++)
		lab_recv(exporting.sock, &descriptors[i], sizeof(descriptors[i]));
	importing = lab_fork(&lab, LAB_DPU, importer, descriptors);
	lab_send(importing.sock, &exporting.pid, sizeof(exporting.pid));
	run_traced(&importing, &n_child, &n_host, &n_dpu);
	/*
	 * poll, sendto, recvmsg, fstat, geteuid, ioctl, fcntl, getpid, process_vm_readv, poll, 2
	 * close
	 */
	check_count("the library, for an import", n_child,
		    12 + (kernel_reports_pid() ? 0 : N_READ_PID));
	/* epoll_wait, recvmsg, sendto, epoll_wait, recvmsg, sendmsg, 2 close */
	/*
	 * One checks whether the importer has read its earlier descriptors. Three check whether a
	 * descriptor is memory, whose close may take long, for the two that were forwarded.
	 */
	check_count("the importer's daemon, for an import", n_dpu, 12);
	/* epoll_wait, recvmsg, ioctl, sendmsg */
	check_count("the exporter's daemon, for an import", n_host, 4);
	lab_signal(importing.sock);
	lab_join(&importing);
	lab_signal(exporting.sock);
	lab_join(&exporting);
}
END_TEST

static void add_cases(Suite *suite)
{
	TCase *tcase = tcase_create("calls");

	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_set_timeout(tcase, RUNNER_TEST_S);
	suite_add_tcase(suite, tcase);
	tcase_add_test(tcase, test_request);
	tcase_add_test(tcase, test_export_and_import);
}

/* True if a process of this user may trace another one without its consent. */
static bool attaching_is_possible(void)
{
	struct tracer tracer = {.path = "/dev/null"};
	pid_t pid = fork();
	bool is_possible;

	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		pause();
		_exit(0);
	}
	is_possible = tracer_watch(&tracer, pid);
	if (is_possible) {
		kill(tracer.pid, SIGTERM);
		waitpid(tracer.pid, NULL, 0);
	}
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	if (!is_possible)
		printf("skipped: strace may not attach to another process here\n");
	return is_possible;
}

int main(void)
{
	lab_require();
#ifdef DOCO_SANITIZED
	printf("skipped: a sanitizer makes system calls of its own\n");
	return RUNNER_SKIPPED;
#endif
	if (!traced_is_possible() || !attaching_is_possible())
		return RUNNER_SKIPPED;
	return runner_main("control_calls", add_cases, NULL);
}
