/* See bench/base/lab.h. */
#include "bench/base/lab.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench/bench.h"

#define MAX_ARGS 64

static volatile pid_t run_pid;

static void on_signal(int signo)
{
	if (run_pid > 0)
		kill(run_pid, signo);
}

/* Finds the path of this program, and of doca-admin next to it ("doca-admin" if there is none). */
static void programs_find(char self[PATH_MAX], char admin[PATH_MAX])
{
	ssize_t n = readlink("/proc/self/exe", self, PATH_MAX - 1);
	char dir[PATH_MAX];
	char *slash;

	if (n < 0)
		bench_die("cannot find out where this program is: %m");
	self[n] = '\0';
	strcpy(dir, self);
	slash = strrchr(dir, '/');
	*slash = '\0';
	slash = strrchr(dir, '/');
	/* A libtool build has the program in ".libs". */
	if (slash != NULL && strcmp(slash, "/.libs") == 0)
		*slash = '\0';
	if (snprintf(admin, PATH_MAX, "%s/doca-admin", dir) >= PATH_MAX || access(admin, X_OK) != 0)
		strcpy(admin, "doca-admin");
}

/* out, err: descriptors for the output, or -1. */
static pid_t spawn(const char *const argv[], int out, int err, int death_signal)
{
	pid_t parent = getpid(), pid = fork();

	if (pid < 0)
		bench_die("cannot start a process: %m");
	if (pid > 0)
		return pid;
	prctl(PR_SET_PDEATHSIG, death_signal);
	if (getppid() != parent)
		_exit(EXIT_FAILURE);
	if (out >= 0)
		dup2(out, STDOUT_FILENO);
	if (err >= 0)
		dup2(err, STDERR_FILENO);
	execvp(argv[0], (char *const *)argv);
	fprintf(stderr, "doca-bench: %s: %s\n", argv[0], strerror(errno));
	_exit(127);
}

/* The lab's output is shown only if it did not start. */
static void log_show(int fd)
{
	char text[4096];
	ssize_t n;
	off_t at = 0;

	while ((n = pread(fd, text, sizeof(text), at)) > 0) {
		fwrite(text, 1, (size_t)n, stderr);
		at += n;
	}
}

static pid_t lab_start(const char *admin, char dir[PATH_MAX])
{
	const char *argv[] = {admin, "lab", "up", "--foreground", "--quiet", NULL};
	int fds[2], log = memfd_create("doca-bench-lab", MFD_CLOEXEC);
	FILE *from;
	pid_t pid;

	if (log < 0 || pipe2(fds, O_CLOEXEC) != 0)
		bench_die("cannot prepare a lab: %m");
	pid = spawn(argv, fds[1], log, SIGTERM);
	close(fds[1]);
	from = fdopen(fds[0], "r");
	if (from == NULL || fgets(dir, PATH_MAX, from) == NULL) {
		log_show(log);
		bench_die("no lab could be started");
	}
	dir[strcspn(dir, "\n")] = '\0';
	fclose(from);
	close(log);
	return pid;
}

static int status_of(pid_t pid)
{
	int status;

	while (waitpid(pid, &status, 0) < 0) {
		if (errno != EINTR)
			return EXIT_FAILURE;
	}
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int lab_run(char **args)
{
	struct sigaction action = {.sa_handler = on_signal};
	char self[PATH_MAX], admin[PATH_MAX], dir[PATH_MAX];
	const char *argv[MAX_ARGS] = {admin,    "lab",  "exec", "--dir", dir,
				      "--side", "host", "--",   self};
	size_t n = 9;
	pid_t lab;
	int r;

	while (*++args != NULL) {
		if (n == MAX_ARGS - 1)
			bench_die("too many arguments");
		/* getopt_long() accepts abbreviations of --lab, too. */
		if (strlen(*args) < 3 || strncmp("--lab", *args, strlen(*args)) != 0)
			argv[n++] = *args;
	}
	programs_find(self, admin);
	lab = lab_start(admin, dir);
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	setenv(LAB_RUN_ENV, "1", 1);
	run_pid = spawn(argv, -1, -1, SIGKILL);
	r = status_of(run_pid);
	run_pid = 0;
	kill(lab, SIGTERM);
	status_of(lab);
	return r;
}
