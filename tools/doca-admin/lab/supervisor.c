/*
 * Keeper and supervisor of a lab; the header describes which process outlives which. Both are
 * single-threaded event loops over poll(): signals arrive by signalfd, the daemons' readiness by
 * the datagram socket in NOTIFY_SOCKET, the commands of 'lab up' by a socket pair. Shared state is
 * in one shared page, so that the keeper knows daemons that were started just before the supervisor
 * died.
 */
#include "tools/doca-admin/lab/supervisor.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "util/clock.h"
#include "util/fd.h"
#include "util/str.h"

#define STOP_LIMIT_NS (5 * NS_PER_SEC)
#define REPORT_MAX    4096
#define LOG_TAIL      2048

struct supervisor {
	struct lab *lab; /* shared with the keeper */
	const struct lab_start *start;
	int sock;
	int notify_fd;
	int signal_fd;
	pid_t running[LAB_N_SIDES]; /* 0: not started, or ended */
	bool ready[LAB_N_SIDES];
	bool reported;
	bool stopping;
	bool orphaned;
	uint64_t kill_at_ns;
};

static void report(struct supervisor *s, const char *text)
{
	if (s->reported || s->sock < 0)
		return;
	s->reported = true;
	send(s->sock, text, MIN(strlen(text), (size_t)REPORT_MAX - 1), MSG_NOSIGNAL | MSG_DONTWAIT);
}

/*
 * The kernel sends this to the supervisor when its keeper dies. getppid() alone is not enough: it
 * returns the keeper until the keeper's last thread has ended, and a sanitizer has a thread.
 */
#define ORPHANED_SIGNAL SIGUSR1

/* Blocks the handled signals, so that they wait in the signalfd. */
static void signals_block(sigset_t *set_out, sigset_t *old_out)
{
	sigemptyset(set_out);
	sigaddset(set_out, SIGCHLD);
	sigaddset(set_out, SIGTERM);
	sigaddset(set_out, SIGINT);
	sigaddset(set_out, SIGHUP);
	sigaddset(set_out, SIGQUIT);
	sigaddset(set_out, ORPHANED_SIGNAL);
	sigprocmask(SIG_BLOCK, set_out, old_out);
}

static int notify_socket_open(const char *dir)
{
	struct sockaddr_un addr = {.sun_family = AF_UNIX};
	CLEANUP_FD int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	int on = 1;

	if (fd < 0)
		return -errno;
	snprintf(addr.sun_path, sizeof(addr.sun_path), "%s/notify.sock", dir);
	if (bind(fd, (struct sockaddr *)&addr, sizeof(addr)) < 0 ||
	    setsockopt(fd, SOL_SOCKET, SO_PASSCRED, &on, sizeof(on)) < 0)
		return -errno;
	return fd_steal(&fd);
}

static void log_tail(const struct lab *lab, enum lab_side side, char *out, size_t out_len)
{
	char path[LAB_DIR_MAX + 32];
	ssize_t n = 0;
	off_t size;

	out[0] = '\0';
	snprintf(path, sizeof(path), "%s/%s.log", lab->dir, lab_side_name(side));
	CLEANUP_FD int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return;
	size = lseek(fd, 0, SEEK_END);
	if (size > 0)
		n = pread(fd, out, out_len - 1,
			  size > (off_t)out_len - 1 ? size - (off_t)out_len + 1 : 0);
	out[MAX(n, 0)] = '\0';
}

/*
 * Runs in the child between fork and exec. Restores the signal mask and the environment for the
 * daemon.
 */
static void daemon_exec(struct supervisor *s, enum lab_side side, pid_t parent)
{
	const char *name = lab_side_name(side);
	const char *argv[16];
	char path[LAB_DIR_MAX + 32];
	sigset_t none;
	int n = 0, fd;

	/* If the parent died before prctl(), no signal would come. */
	if (prctl(PR_SET_PDEATHSIG, SIGTERM) < 0 || getppid() != parent)
		_exit(126);
	setsid(); /* so that the terminal's Ctrl-C does not reach the daemon */
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	if (!s->start->foreground) {
		snprintf(path, sizeof(path), "%s/%s.log", s->lab->dir, name);
		fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
		if (fd < 0 || dup2(fd, STDOUT_FILENO) < 0 || dup2(fd, STDERR_FILENO) < 0)
			_exit(126);
	}
	snprintf(path, sizeof(path), "%s/notify.sock", s->lab->dir);
	setenv("NOTIFY_SOCKET", path, 1);
	argv[n++] = s->start->daemon;
	argv[n++] = "--side";
	argv[n++] = name;
	argv[n++] = "--runtime-dir";
	argv[n++] = s->lab->dir;
	argv[n++] = "--foreground";
	if (s->start->config) {
		argv[n++] = "--config";
		argv[n++] = s->start->config;
	}
	if (s->start->topology[side]) {
		argv[n++] = "--topology";
		argv[n++] = s->start->topology[side];
	}
	argv[n] = NULL;
	execv(s->start->daemon, (char **)argv);
	dprintf(STDERR_FILENO, "%s: %s\n", s->start->daemon, strerror(errno));
	_exit(127);
}

static int daemon_start(struct supervisor *s, enum lab_side side)
{
	pid_t parent = getpid(), pid = fork();

	if (pid < 0)
		return -errno;
	if (pid == 0)
		daemon_exec(s, side, parent);
	s->running[side] = pid;
	s->lab->daemons[side].start_time = lab_proc_start_time(pid);
	__atomic_store_n(&s->lab->daemons[side].pid, pid, __ATOMIC_RELEASE);
	return 0;
}

static void supervisor_stop(struct supervisor *s)
{
	if (s->stopping)
		return;
	s->stopping = true;
	s->kill_at_ns = clock_now_ns() + STOP_LIMIT_NS;
	for (int i = 0; i < LAB_N_SIDES; i++)
		if (s->running[i])
			kill(s->running[i], SIGTERM);
}

static void daemon_ended(struct supervisor *s, enum lab_side side, int status)
{
	char text[REPORT_MAX], tail[LOG_TAIL];

	s->running[side] = 0;
	if (s->reported)
		return;
	/* The daemon ended before the lab was up; report its log as the reason. */
	log_tail(s->lab, side, tail, sizeof(tail));
	if (WIFSIGNALED(status))
		snprintf(text, sizeof(text), "the %s daemon was ended by signal %d\n%s",
			 lab_side_name(side), WTERMSIG(status), tail);
	else
		snprintf(text, sizeof(text), "the %s daemon ended with status %d\n%s",
			 lab_side_name(side), WEXITSTATUS(status), tail);
	report(s, text);
	supervisor_stop(s);
}

static void supervisor_reap(struct supervisor *s)
{
	int status;
	pid_t pid;

	while ((pid = waitpid(-1, &status, WNOHANG)) > 0)
		for (int i = 0; i < LAB_N_SIDES; i++)
			if (s->running[i] == pid)
				daemon_ended(s, (enum lab_side)i, status);
}

static void supervisor_signals(struct supervisor *s)
{
	struct signalfd_siginfo info;

	while (read(s->signal_fd, &info, sizeof(info)) == sizeof(info)) {
		s->orphaned |= info.ssi_signo == ORPHANED_SIGNAL;
		if (info.ssi_signo == SIGCHLD)
			supervisor_reap(s);
		else
			supervisor_stop(s);
	}
}

/* READY=1 counts only if the daemon itself sent it. */
static void supervisor_notify(struct supervisor *s)
{
	union {
		char buf[CMSG_SPACE(sizeof(struct ucred))];
		struct cmsghdr align;
	} control;
	char text[1024];

	for (;;) {
		struct iovec iov = {text, sizeof(text) - 1};
		struct msghdr msg = {.msg_iov = &iov,
				     .msg_iovlen = 1,
				     .msg_control = &control,
				     .msg_controllen = sizeof(control)};
		ssize_t n = recvmsg(s->notify_fd, &msg, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
		struct cmsghdr *c = n >= 0 ? CMSG_FIRSTHDR(&msg) : NULL;
		struct ucred cred = {0};

		if (n < 0)
			return;
		text[n] = '\0';
		if (c && c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_CREDENTIALS)
			memcpy(&cred, CMSG_DATA(c), sizeof(cred));
		for (int i = 0; i < LAB_N_SIDES; i++)
			if (cred.pid > 0 && cred.pid == s->running[i] && strstr(text, "READY=1"))
				s->ready[i] = true;
	}
}

/* Handles a command or the end of 'lab up'. */
static void supervisor_sock(struct supervisor *s)
{
	char byte;
	ssize_t n = recv(s->sock, &byte, 1, MSG_DONTWAIT);

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n == 1)
		s->reported = true;
	else
		supervisor_stop(s);
	fd_close(&s->sock);
}

static bool supervisor_has_daemons(const struct supervisor *s)
{
	return s->running[LAB_HOST] || s->running[LAB_DPU];
}

static void supervisor_loop(struct supervisor *s)
{
	while (supervisor_has_daemons(s)) {
		struct pollfd fds[] = {
			{.fd = s->signal_fd, .events = POLLIN},
			{.fd = s->notify_fd, .events = POLLIN},
			{.fd = s->sock, .events = POLLIN},
		};

		if (poll(fds, ARRAY_LEN(fds),
			 s->stopping ? clock_poll_timeout(s->kill_at_ns) : -1) < 0)
			continue;
		supervisor_notify(s);
		supervisor_signals(s);
		if (s->sock >= 0 && fds[2].revents)
			supervisor_sock(s);
		if (s->ready[LAB_HOST] && s->ready[LAB_DPU])
			report(s, "ready");
		if (s->stopping && clock_now_ns() >= s->kill_at_ns) {
			for (int i = 0; i < LAB_N_SIDES; i++)
				if (s->running[i])
					kill(s->running[i], SIGKILL);
			s->kill_at_ns = clock_now_ns() + STOP_LIMIT_NS;
		}
	}
}

static void supervisor_run(struct lab *lab, const struct lab_start *start, int sock, pid_t keeper)
{
	struct supervisor s = {
		.lab = lab, .start = start, .sock = sock, .notify_fd = -1, .signal_fd = -1};
	char text[256];
	sigset_t set, old;
	int r;

	prctl(PR_SET_PDEATHSIG, ORPHANED_SIGNAL);
	prctl(PR_SET_NAME, "lab-supervisor");
	if (getppid() != keeper)
		_exit(EXIT_FAILURE);
	signals_block(&set, &old);
	lab->supervisor.start_time = lab_proc_start_time(getpid());
	lab->supervisor.pid = getpid();
	s.signal_fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	s.notify_fd = notify_socket_open(lab->dir);
	r = s.signal_fd < 0 ? -errno : MIN(s.notify_fd, 0);
	for (int i = 0; r == 0 && i < LAB_N_SIDES; i++)
		r = daemon_start(&s, (enum lab_side)i);
	if (r == 0)
		r = lab_save(lab);
	if (r < 0) {
		snprintf(text, sizeof(text), "%s: %s", lab->dir, strerror(-r));
		report(&s, text);
		supervisor_stop(&s);
	}
	supervisor_loop(&s);
	if (s.orphaned || getppid() != keeper)
		lab_dir_remove(lab);
	_exit(EXIT_SUCCESS);
}

/*
 * Kills the daemons that are left when the supervisor has ended. They got SIGTERM then, and are
 * this process's children now.
 */
static void keeper_kill(struct lab *lab)
{
	for (int i = 0; i < LAB_N_SIDES; i++) {
		pid_t pid = __atomic_load_n(&lab->daemons[i].pid, __ATOMIC_ACQUIRE);

		/* Kills only a child that was not waited for: its pid cannot have been reused. */
		if (pid > 0 && waitid(P_PID, (id_t)pid, NULL, WEXITED | WNOHANG | WNOWAIT) == 0)
			kill(pid, SIGKILL);
	}
}

static void keeper_run(struct lab *lab, const struct lab_start *start, int sock)
{
	uint64_t kill_at_ns = 0;
	sigset_t set, old;
	pid_t supervisor, self = getpid();
	int signal_fd;

	prctl(PR_SET_CHILD_SUBREAPER, 1);
	prctl(PR_SET_NAME, "lab-keeper");
	signals_block(&set, &old);
	signal_fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	lab->keeper.pid = self;
	lab->keeper.start_time = lab_proc_start_time(self);
	/*
	 * Saves the state before the supervisor exists: a lab that dies while it starts can still
	 * be found.
	 */
	supervisor = signal_fd >= 0 && lab_save(lab) == 0 ? fork() : -1;
	if (supervisor == 0) {
		close(signal_fd);
		supervisor_run(lab, start, sock, self);
	}
	close(sock);
	while (supervisor > 0) {
		struct pollfd pfd = {.fd = signal_fd, .events = POLLIN};
		struct signalfd_siginfo info;
		pid_t pid;

		if (poll(&pfd, 1, kill_at_ns ? clock_poll_timeout(kill_at_ns) : -1) < 0)
			continue;
		while (read(signal_fd, &info, sizeof(info)) == sizeof(info))
			if (info.ssi_signo != SIGCHLD && !kill_at_ns)
				kill(supervisor, SIGTERM);
		while ((pid = waitpid(-1, NULL, WNOHANG)) > 0)
			if (pid == supervisor)
				kill_at_ns = clock_now_ns() + STOP_LIMIT_NS;
		if (pid < 0 && errno == ECHILD)
			break;
		if (kill_at_ns && clock_now_ns() >= kill_at_ns) {
			keeper_kill(lab);
			kill_at_ns = clock_now_ns() + STOP_LIMIT_NS;
		}
	}
	lab_dir_remove(lab);
	_exit(EXIT_SUCCESS);
}

/* Detaches from the caller's directory, terminal, pipes and other descriptors. */
static int descriptors_detach(int sock, bool foreground)
{
	CLEANUP_FD int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	if (null < 0 || chdir("/") < 0)
		return -errno;
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if ((fd == STDIN_FILENO || !foreground) && dup2(null, fd) < 0)
			return -errno;
	if (dup3(sock, STDERR_FILENO + 1, O_CLOEXEC) < 0 && sock != STDERR_FILENO + 1)
		return -errno;
	null = -1; /* closed with the others */
	return close_range(STDERR_FILENO + 2, ~0u, 0) < 0 ? -errno : STDERR_FILENO + 1;
}

static void keeper_main(const struct lab *lab, const struct lab_start *start, int sock)
{
	static const char *const foreign[] = {
		"LISTEN_PID", "LISTEN_FDS",       "LISTEN_FDNAMES", "WATCHDOG_PID", "WATCHDOG_USEC",
		"MAINPID",    "DOCOCORED_SOCKET", "DOCOCORED_BUS",  "DOCA_SIDE",
	};
	struct lab *shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE,
				  MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	int fd = descriptors_detach(sock, start->foreground);

	setsid();
	for (size_t i = 0; i < ARRAY_LEN(foreign); i++)
		unsetenv(foreign[i]);
	if (shared == MAP_FAILED || fd < 0) {
		lab_dir_remove(lab);
		_exit(EXIT_FAILURE);
	}
	*shared = *lab;
	keeper_run(shared, start, fd);
}

int lab_supervisor_start(const struct lab *lab, const struct lab_start *start, int *sock_out,
			 pid_t *keeper_out)
{
	int pair[2];
	pid_t pid;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
		return -errno;
	pid = fork();
	if (pid < 0) {
		close(pair[0]);
		close(pair[1]);
		return -errno;
	}
	if (pid == 0) {
		/* In the background, a second fork detaches the keeper from the caller. */
		if (!start->foreground && fork() != 0)
			_exit(EXIT_SUCCESS);
		keeper_main(lab, start, pair[1]);
	}
	close(pair[1]);
	if (!start->foreground) {
		waitpid(pid, NULL, 0);
		pid = 0;
	}
	*sock_out = pair[0];
	*keeper_out = pid;
	return 0;
}

int lab_supervisor_wait(int sock, uint64_t deadline_ns, char *text_out, size_t len)
{
	struct pollfd pfd = {.fd = sock, .events = POLLIN};
	ssize_t n;
	int r;

	do {
		r = poll(&pfd, 1, clock_poll_timeout(deadline_ns));
	} while (r < 0 && errno == EINTR);
	if (r <= 0)
		return r < 0 ? -errno : -ETIMEDOUT;
	n = recv(sock, text_out, len - 1, 0);
	if (n <= 0) {
		str_copy(text_out, len, "the processes of the lab ended");
		return -EIO;
	}
	text_out[n] = '\0';
	return strcmp(text_out, "ready") == 0 ? 0 : -EIO;
}

int lab_supervisor_commit(int sock)
{
	return send(sock, "k", 1, MSG_NOSIGNAL) < 0 ? -errno : 0;
}
