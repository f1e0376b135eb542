/* See bench/control/control.h. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench/base/measure.h"
#include "bench/control/control.h"
#include "util/clock.h"

#define START_LIMIT_NS (10 * NS_PER_SEC)

/* Limits for a hundred thousand exports and a thousand clients of one user. */
static const char config[] = "[daemon]\nlog_level = warning\n"
			     "[quota]\nsessions = 10000\nexports = 1000000\nimports = 1000000\n"
			     "handles = 1000000\nfds = 1000000\n"
			     "[quota total]\nexports = 1000000\nimports = 1000000\n";

static void path_of(char path[PATH_MAX], const struct control_daemons *d, const char *name)
{
	snprintf(path, PATH_MAX, "%s/%s", d->dir, name);
}

void control_daemons_init(struct control_daemons *d)
{
	struct sockaddr_un addr = {.sun_family = AF_UNIX};
	char path[PATH_MAX];
	FILE *file;

	*d = (struct control_daemons){.dir = "/tmp/doca-bench.XXXXXX"};
	if (mkdtemp(d->dir) == NULL)
		bench_die("control: cannot make a directory in /tmp: %m");
	path_of(path, d, "conf");
	file = fopen(path, "we");
	if (file == NULL || fputs(config, file) < 0 || fclose(file) != 0)
		bench_die("control: cannot write %s: %m", path);
	d->notify_fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	snprintf(addr.sun_path, sizeof(addr.sun_path), "%s/notify", d->dir);
	if (d->notify_fd < 0 ||
	    bind(d->notify_fd, (const struct sockaddr *)&addr, sizeof(addr)) != 0)
		bench_die("control: cannot make %s: %m", addr.sun_path);
}

/* Finds the daemon of this build or installation. */
static void program_find(char path[PATH_MAX])
{
	ssize_t n = readlink("/proc/self/exe", path, PATH_MAX - 32);
	char *slash;

	if (n < 0)
		bench_die("cannot find out where this program is: %m");
	path[n] = '\0';
	slash = strrchr(path, '/');
	*slash = '\0';
	slash = strrchr(path, '/');
	/* A libtool build has the program in ".libs". */
	if (slash != NULL && strcmp(slash, "/.libs") == 0)
		*slash = '\0';
	slash = path + strlen(path);
	strcpy(slash, "/dococored");
	if (access(path, X_OK) == 0)
		return;
	strcpy(slash, "/../sbin/dococored");
	if (access(path, X_OK) != 0)
		strcpy(path, "dococored");
}

static void daemon_exec(const struct control_daemons *d, enum bench_side side)
{
	char program[PATH_MAX], conf[PATH_MAX], notify[PATH_MAX], log[PATH_MAX];
	const char *argv[] = {program,
			      "--side",
			      bench_side_name(side),
			      "--runtime-dir",
			      d->dir,
			      "--config",
			      conf,
			      "--foreground",
			      NULL};
	int fd;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	program_find(program);
	path_of(conf, d, "conf");
	path_of(notify, d, "notify");
	path_of(log, d, side == SIDE_DPU ? "dpu.log" : "host.log");
	fd = open(log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
	if (fd >= 0)
		dup2(fd, STDERR_FILENO);
	setenv("NOTIFY_SOCKET", notify, 1);
	execvp(program, (char *const *)argv);
	_exit(127);
}

void control_daemons_move(const struct control_daemons *d, unsigned cpu)
{
	measure_pin_process(d->pids[SIDE_HOST], cpu);
	measure_pin_process(d->pids[SIDE_DPU], cpu);
}

/* Reads a notification of the daemons, which wait until it is read. Returns true for READY=1. */
static bool notify_receive(const struct control_daemons *d)
{
	char text[1024];
	ssize_t n = recv(d->notify_fd, text, sizeof(text) - 1, MSG_DONTWAIT);

	text[n < 0 ? 0 : n] = '\0';
	return strstr(text, "READY=1") != NULL;
}

/* Forks a process that reads all further notifications. */
void control_daemons_ignore(struct control_daemons *d)
{
	pid_t parent = getpid();
	char text[1024];

	fflush(NULL);
	d->reader = fork();
	if (d->reader < 0)
		bench_die("cannot start a process: %m");
	if (d->reader > 0)
		return;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	while (getppid() == parent)
		(void)recv(d->notify_fd, text, sizeof(text), 0);
	_exit(EXIT_SUCCESS);
}

uint64_t control_daemon_start(struct control_daemons *d, enum bench_side side)
{
	struct pollfd poll_fd = {.fd = d->notify_fd, .events = POLLIN};
	uint64_t start_ns = clock_now_ns(), deadline_ns = start_ns + START_LIMIT_NS;
	pid_t pid = fork();

	if (pid < 0)
		bench_die("cannot start a process: %m");
	if (pid == 0)
		daemon_exec(d, side);
	d->pids[side] = pid;
	for (;;) {
		int timeout = clock_poll_timeout(deadline_ns);

		if (timeout == 0 || waitpid(pid, NULL, WNOHANG) != 0)
			bench_die("control: the %s daemon did not start; see %s",
				  bench_side_name(side), d->dir);
		if (poll(&poll_fd, 1, timeout) > 0 && notify_receive(d))
			return clock_now_ns() - start_ns;
	}
}

void control_daemon_stop(struct control_daemons *d, enum bench_side side)
{
	if (d->pids[side] == 0)
		return;
	kill(d->pids[side], SIGTERM);
	waitpid(d->pids[side], NULL, 0);
	d->pids[side] = 0;
}

void control_daemons_await_link(const struct control_daemons *d)
{
	uint64_t deadline_ns = clock_now_ns() + START_LIMIT_NS;
	struct pollfd poll_fd = {.fd = d->notify_fd, .events = POLLIN};
	char text[1024];
	bool is_linked = false;

	while (!is_linked) {
		ssize_t n;

		if (poll(&poll_fd, 1, clock_poll_timeout(deadline_ns)) <= 0)
			bench_die("control: the daemons do not find each other; see %s", d->dir);
		n = recv(d->notify_fd, text, sizeof(text) - 1, MSG_DONTWAIT);
		text[n < 0 ? 0 : n] = '\0';
		is_linked = strstr(text, " 1 linked") != NULL;
	}
}

void control_daemons_deinit(struct control_daemons *d)
{
	static const char *const names[] = {"conf",      "notify",   "host.log",  "dpu.log",
					    "host.sock", "dpu.sock", "peer.sock", "echo.sock",
					    "host.bus",  "dpu.bus"};
	char path[PATH_MAX];
	size_t i;

	control_daemon_stop(d, SIDE_HOST);
	control_daemon_stop(d, SIDE_DPU);
	if (d->reader > 0) {
		kill(d->reader, SIGKILL);
		waitpid(d->reader, NULL, 0);
	}
	close(d->notify_fd);
	for (i = 0; i < ARRAY_LEN(names); i++) {
		path_of(path, d, names[i]);
		unlink(path);
	}
	if (rmdir(d->dir) != 0)
		fprintf(stderr, "doca-bench: %s stays: %s\n", d->dir, strerror(errno));
}

/* --- observation from outside --- */

static uint64_t status_read(pid_t pid, const char *field)
{
	char path[64], line[256];
	uint64_t value = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
	file = fopen(path, "re");
	if (file == NULL)
		bench_die("control: a daemon ended");
	while (fgets(line, sizeof(line), file) != NULL) {
		if (strncmp(line, field, strlen(field)) == 0)
			value = strtoull(line + strlen(field), NULL, 10);
	}
	fclose(file);
	return value;
}

uint64_t control_daemon_resident(const struct control_daemons *d, enum bench_side side)
{
	return status_read(d->pids[side], "VmRSS:") * 1024;
}

uint64_t control_daemon_n_sleeps(const struct control_daemons *d, enum bench_side side)
{
	return status_read(d->pids[side], "voluntary_ctxt_switches:");
}

uint64_t control_daemon_n_fds(const struct control_daemons *d, enum bench_side side)
{
	char path[64];
	uint64_t n = 0;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/fd", (int)d->pids[side]);
	dir = opendir(path);
	if (dir == NULL)
		bench_die("control: a daemon ended");
	while (readdir(dir) != NULL)
		n++;
	closedir(dir);
	return n;
}
