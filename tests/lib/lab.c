/* Daemons and client processes for tests, see tests/lib/lab.h. */
#include "tests/lib/lab.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/lib/assert.h"
#include "tests/lib/lab_store.h"
#include "tests/lib/runner.h"
#include "tests/lib/snapshot.h"
#include "util/clock.h"
#include "util/fd.h"

#define START_MS 5000
#define STOP_MS  5000
#define TALK_MS  10000

/* Less than the time that a daemon waits for a manager that does not read. */
#define SILENT_MS 900
/* Half of the time that a daemon lets its clients wait for a link. */
#define LATE_MS 1500

#define NOTIFY_MAX_FDS 8

/* The lab for which this process acts as service manager. */
static struct {
	struct lab *lab;
	pid_t pid;
} manager;

/* Shared with the processes that are forked from this one. */
struct absence {
	/* When the first of the daemons that are stopped ended; 0: none is stopped. */
	_Atomic uint64_t away_ns;
	_Atomic bool was_late;
};

static struct absence *absence;

static const char *const side_names[] = {"host", "dpu"};
static const char *const count_names[] = {"client", "export",  "import",
					  "server", "channel", "linked peer"};

static const char *daemon_path(void)
{
	static char path[4096];
	const char *build = getenv("top_builddir");
	const char *given = getenv("DOCOCORED");

	if (given != NULL)
		return given;
	snprintf(path, sizeof(path), "%s/dococored", build == NULL ? "." : build);
	return path;
}

void lab_require(void)
{
	if (access(daemon_path(), X_OK) == 0)
		return;
	printf("skipped: %s was not built\n", daemon_path());
	exit(RUNNER_SKIPPED);
}

static uint64_t deadline_in(unsigned ms)
{
	return clock_now_ns() + runner_timeout_ms(ms) * NS_PER_MS;
}

const char *lab_socket(const struct lab *lab, enum lab_side side)
{
	static char path[LAB_N_SIDES][160];

	snprintf(path[side], sizeof(path[side]), "%s/%s.sock", lab->dir, side_names[side]);
	return path[side];
}

void lab_use(const struct lab *lab, enum lab_side side)
{
	setenv("DOCOCORED_SOCKET", lab_socket(lab, side), 1);
	setenv("DOCA_SIDE", side_names[side], 1);
}

void lab_setup(struct lab *lab, const struct lab_options *options)
{
	leaks_setup();
	lab_start(lab, options);
}

void lab_teardown(struct lab *lab)
{
	lab_stop(lab);
	leaks_teardown();
}

void lab_setup_client(struct lab *lab, const struct lab_options *options, enum lab_side side)
{
	lab_setup(lab, options);
	lab_use(lab, side);
	/* The library's connection to its daemon stays open. */
	leaks_allow_fds(1);
}

/* --- messages of daemons --- */

static void notify_open(struct lab *lab)
{
	struct sockaddr_un addr = {.sun_family = AF_UNIX};
	int on = 1;

	lab->notify_fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	ck_assert_int_ge(lab->notify_fd, 0);
	ck_assert_int_lt(snprintf(addr.sun_path, sizeof(addr.sun_path), "%s/notify", lab->dir),
			 (int)sizeof(addr.sun_path));
	ck_assert_int_eq(bind(lab->notify_fd, (struct sockaddr *)&addr, sizeof(addr)), 0);
	ck_assert_int_eq(setsockopt(lab->notify_fd, SOL_SOCKET, SO_PASSCRED, &on, sizeof(on)), 0);
}

static uint64_t monotonic_us(void)
{
	return clock_now_ns() / 1000;
}

static void notify_parse(struct lab_daemon *daemon, const char *text)
{
	const char *status = strstr(text, "STATUS=");
	const char *since = strstr(text, "MONOTONIC_USEC=");

	if (strstr(text, "RELOADING=1") != NULL) {
		ck_assert_ptr_nonnull(since);
		/* An earlier reload was not awaited. */
		if (strtoull(since + strlen("MONOTONIC_USEC="), NULL, 10) >= daemon->asked_us)
			daemon->asked_us = 0;
	}
	if (strstr(text, "READY=1") != NULL && daemon->asked_us == 0)
		daemon->ready = true;
	if (status != NULL)
		snprintf(daemon->status, sizeof(daemon->status), "%s", status + 7);
}

static void notify_control(struct msghdr *msg, struct ucred *cred, int *fds, size_t *n_fds)
{
	for (struct cmsghdr *c = CMSG_FIRSTHDR(msg); c != NULL; c = CMSG_NXTHDR(msg, c)) {
		if (c->cmsg_level != SOL_SOCKET)
			continue;
		if (c->cmsg_type == SCM_CREDENTIALS)
			memcpy(cred, CMSG_DATA(c), sizeof(*cred));
		if (c->cmsg_type == SCM_RIGHTS) {
			*n_fds = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);
			memcpy(fds, CMSG_DATA(c), *n_fds * sizeof(int));
		}
	}
}

static void notify_read(struct lab *lab)
{
	union {
		char buf[CMSG_SPACE(sizeof(struct ucred)) +
			 CMSG_SPACE(NOTIFY_MAX_FDS * sizeof(int))];
		struct cmsghdr align;
	} control;
	uint64_t now = clock_now_ns();
	char text[1024];

	lab->is_unresponsive = false;
	lab->silence_ns = MAX(lab->silence_ns, now - lab->received_ns);
	lab->received_ns = now;
	for (;;) {
		struct iovec iov = {text, sizeof(text) - 1};
		struct msghdr msg = {.msg_iov = &iov,
				     .msg_iovlen = 1,
				     .msg_control = &control,
				     .msg_controllen = sizeof(control)};
		ssize_t n = recvmsg(lab->notify_fd, &msg, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
		int fds[NOTIFY_MAX_FDS];
		size_t n_fds = 0;
		struct ucred cred = {0};

		if (n < 0)
			return;
		text[n] = '\0';
		notify_control(&msg, &cred, fds, &n_fds);
		for (int i = 0; i < LAB_N_SIDES; i++) {
			if (lab->daemons[i].pid == 0 || lab->daemons[i].pid != cred.pid)
				continue;
			notify_parse(&lab->daemons[i], text);
			if (lab->stores[i] != NULL)
				lab_store_receive(lab->stores[i], text, fds, n_fds);
			n_fds = lab->stores[i] != NULL ? 0 : n_fds;
		}
		for (size_t i = 0; i < n_fds; i++)
			close(fds[i]);
	}
}

/* Returns true if it became readable. */
static bool await_while_listening(int fd, int timeout_ms)
{
	bool listens = manager.lab != NULL && manager.pid == getpid() &&
		       !manager.lab->is_unresponsive;
	struct pollfd fds[] = {
		{.fd = fd, .events = POLLIN},
		{.fd = listens ? manager.lab->notify_fd : -1, .events = POLLIN},
	};

	if (poll(fds, ARRAY_LEN(fds), timeout_ms) <= 0)
		return false;
	if (fds[1].revents & POLLIN)
		notify_read(manager.lab);
	return fds[0].revents != 0;
}

/* Returns -1 while the daemon has not reported. */
static int status_count(const struct lab_daemon *daemon, enum lab_count what)
{
	const char *at = strstr(daemon->status, count_names[what]);

	if (at == NULL || at - daemon->status < 2)
		return -1;
	for (at -= 2; at > daemon->status && at[-1] >= '0' && at[-1] <= '9'; at--)
		continue;
	return atoi(at);
}

/* One iteration of waiting. Fails the test if a daemon ends or the deadline has passed. */
static void await_step(struct lab *lab, uint64_t deadline, const char *what)
{
	struct pollfd fds[1 + LAB_N_SIDES] = {{.fd = lab->notify_fd, .events = POLLIN}};
	int timeout = clock_poll_timeout(deadline);

	for (int i = 0; i < LAB_N_SIDES; i++)
		fds[1 + i] = (struct pollfd){.fd = lab->daemons[i].pid ? lab->daemons[i].pidfd : -1,
					     .events = POLLIN};
	if (timeout <= 0)
		snapshot_record();
	ck_assert_msg(timeout > 0, "waited in vain for %s; the host says '%s', the dpu '%s'", what,
		      lab->daemons[LAB_HOST].status, lab->daemons[LAB_DPU].status);
	poll(fds, ARRAY_LEN(fds), timeout);
	for (int i = 0; i < LAB_N_SIDES; i++)
		ck_assert_msg(!(fds[1 + i].revents & POLLIN),
			      "the %s daemon ended while the test waited for %s", side_names[i],
			      what);
	notify_read(lab);
}

void lab_await(struct lab *lab, enum lab_side side, enum lab_count what, unsigned n,
	       unsigned deadline_ms)
{
	uint64_t deadline = deadline_in(deadline_ms);
	char text[80];

	snprintf(text, sizeof(text), "%u %s at the %s", n, count_names[what], side_names[side]);
	notify_read(lab);
	while (status_count(&lab->daemons[side], what) != (int)n)
		await_step(lab, deadline, text);
}

void lab_fill_manager(struct lab *lab)
{
	struct sockaddr_un addr = {.sun_family = AF_UNIX};
	CLEANUP_FD int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	ssize_t n;

	notify_read(lab);
	ck_assert_int_ge(fd, 0);
	ck_assert_int_lt(snprintf(addr.sun_path, sizeof(addr.sun_path), "%s/notify", lab->dir),
			 (int)sizeof(addr.sun_path));
	do
		n = sendto(fd, "X_FULL=1", 8, 0, (struct sockaddr *)&addr, sizeof(addr));
	while (n == 8);
	ck_assert_int_eq(errno, EAGAIN);
	lab->is_unresponsive = true;
}

/* --- daemons --- */

static void absence_new(void)
{
	if (absence == NULL)
		absence = mmap(NULL, sizeof(*absence), PROT_READ | PROT_WRITE,
			       MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ck_assert_ptr_ne(absence, MAP_FAILED);
	atomic_store(&absence->away_ns, 0);
	atomic_store(&absence->was_late, false);
}

static void absence_begin(void)
{
	uint64_t none = 0;

	atomic_compare_exchange_strong(&absence->away_ns, &none, clock_now_ns());
}

bool lab_was_late(void)
{
	uint64_t away_ns = absence == NULL ? 0 : atomic_load(&absence->away_ns);

	if (absence == NULL)
		return false;
	if (away_ns != 0 && clock_now_ns() - away_ns > LATE_MS * NS_PER_MS)
		atomic_store(&absence->was_late, true);
	return atomic_load(&absence->was_late);
}

static void absence_end(void)
{
	(void)lab_was_late();
	atomic_store(&absence->away_ns, 0);
}

static void daemon_exec(struct lab *lab, enum lab_side side)
{
	char log[160], notify[160], config[160], topology[160];
	const char *argv[20];
	char fd_store[24];
	int n = 0, fd;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	snprintf(log, sizeof(log), "%s/%s.log", lab->dir, side_names[side]);
	snprintf(notify, sizeof(notify), "%s/notify", lab->dir);
	snprintf(config, sizeof(config), "%s/%s.conf", lab->dir,
		 lab->options.config_of[side] == NULL ? "lab" : side_names[side]);
	snprintf(topology, sizeof(topology), "%s/lab.topology", lab->dir);
	fd = open(log, O_WRONLY | O_CREAT | O_APPEND, 0600);
	if (fd < 0 || dup2(fd, 1) < 0 || dup2(fd, 2) < 0)
		_exit(126);
	/* Passes only what a service manager would pass. */
	if (lab->stores[side] != NULL)
		lab_store_pass(lab->stores[side]);
	else
		close_range(3, ~0u, 0);
	setenv("NOTIFY_SOCKET", notify, 1);
	unsetenv("DOCOCORED_SOCKET");
	unsetenv("LD_PRELOAD");
	argv[n++] = daemon_path();
	argv[n++] = "--side";
	argv[n++] = side_names[side];
	argv[n++] = "--runtime-dir";
	argv[n++] = lab->dir;
	argv[n++] = "--foreground";
	argv[n++] = "--log-level";
	argv[n++] = lab->options.log_level == NULL ? "info" : lab->options.log_level;
	if (lab->options.config != NULL || lab->options.config_of[side] != NULL) {
		argv[n++] = "--config";
		argv[n++] = config;
	}
	if (lab->options.topology != NULL) {
		argv[n++] = "--topology";
		argv[n++] = topology;
	}
	if (lab->options.sysfs_of[side] != NULL) {
		argv[n++] = "--sysfs";
		argv[n++] = lab->options.sysfs_of[side];
	}
	if (lab->stores[side] != NULL) {
		snprintf(fd_store, sizeof(fd_store), "%zu", lab->options.fd_store);
		argv[n++] = "--fd-store";
		argv[n++] = fd_store;
	}
	argv[n] = NULL;
	execv(argv[0], (char **)argv);
	dprintf(2, "%s: %s\n", argv[0], strerror(errno));
	_exit(127);
}

static pid_t daemon_fork(struct lab *lab, enum lab_side side)
{
	pid_t pid;

	fflush(NULL);
	pid = fork();
	ck_assert_int_ge(pid, 0);
	if (pid == 0)
		daemon_exec(lab, side);
	return pid;
}

static void daemon_start(struct lab *lab, enum lab_side side)
{
	struct lab_daemon *daemon = &lab->daemons[side];

	ck_assert_int_eq(daemon->pid, 0);
	*daemon = (struct lab_daemon){.pid = daemon_fork(lab, side)};
	daemon->pidfd = fd_pidfd_open(daemon->pid);
	ck_assert_int_ge(daemon->pidfd, 0);
}

static void lab_await_up(struct lab *lab)
{
	uint64_t deadline = deadline_in(START_MS);

	for (int i = 0; i < LAB_N_SIDES; i++) {
		while (lab->daemons[i].pid != 0 && !lab->daemons[i].ready)
			await_step(lab, deadline, "a daemon to be ready");
	}
	for (int i = 0; i < LAB_N_SIDES; i++) {
		while (lab->daemons[LAB_HOST].pid != 0 && lab->daemons[LAB_DPU].pid != 0 &&
		       status_count(&lab->daemons[i], LAB_PEERS) != 1)
			await_step(lab, deadline, "the daemons to be linked");
	}
	if (lab->daemons[LAB_HOST].pid != 0 && lab->daemons[LAB_DPU].pid != 0)
		absence_end();
}

void lab_start_daemon(struct lab *lab, enum lab_side side)
{
	daemon_start(lab, side);
	lab_await_up(lab);
}

static void lab_write(const struct lab *lab, const char *name, const char *text)
{
	char path[160];
	FILE *file;

	if (text == NULL)
		return;
	snprintf(path, sizeof(path), "%s/%s", lab->dir, name);
	file = fopen(path, "we");
	ck_assert_ptr_nonnull(file);
	fputs(text, file);
	ck_assert_int_eq(fclose(file), 0);
}

void lab_start(struct lab *lab, const struct lab_options *options)
{
	static unsigned n_labs;
	bool all;

	absence_new();
	*lab = (struct lab){.notify_fd = -1, .received_ns = clock_now_ns()};
	if (options != NULL)
		lab->options = *options;
	snprintf(lab->dir, sizeof(lab->dir), "%s/lab-%d-%u", runner_dir(), (int)getpid(), n_labs++);
	ck_assert_msg(mkdir(lab->dir, 0700) == 0, "%s: %s", lab->dir, strerror(errno));
	lab_write(lab, "lab.conf", lab->options.config);
	lab_write(lab, "host.conf", lab->options.config_of[LAB_HOST]);
	lab_write(lab, "dpu.conf", lab->options.config_of[LAB_DPU]);
	lab_write(lab, "lab.topology", lab->options.topology);
	notify_open(lab);
	all = !lab->options.only[LAB_HOST] && !lab->options.only[LAB_DPU];
	for (int i = 0; i < LAB_N_SIDES && lab->options.fd_store != 0; i++)
		lab->stores[i] = lab_store_new(lab_socket(lab, (enum lab_side)i),
					       lab->options.store_max != 0
						       ? lab->options.store_max
						       : lab->options.fd_store + 1);
	if (lab->options.fd_store != 0) {
		manager.lab = lab;
		manager.pid = getpid();
	}
	/*
	 * The daemon that listens for the link starts first, so that the link is established
	 * without a second attempt.
	 */
	for (int i = LAB_N_SIDES - 1; i >= 0; i--) {
		if (all || lab->options.only[i])
			daemon_start(lab, (enum lab_side)i);
	}
	lab_await_up(lab);
}

void lab_ask_reload(struct lab *lab, enum lab_side side, const char *config)
{
	struct lab_daemon *daemon = &lab->daemons[side];
	char name[16];

	if (lab->options.config_of[side] != NULL) {
		snprintf(name, sizeof(name), "%s.conf", side_names[side]);
	} else {
		ck_assert_ptr_nonnull(lab->options.config);
		snprintf(name, sizeof(name), "lab.conf");
	}
	lab_write(lab, name, config);
	daemon->ready = false;
	daemon->asked_us = monotonic_us();
	ck_assert_int_eq(kill(daemon->pid, SIGHUP), 0);
}

void lab_await_reloaded(struct lab *lab, enum lab_side side)
{
	uint64_t deadline = deadline_in(START_MS);

	while (!lab->daemons[side].ready)
		await_step(lab, deadline, "a daemon to load its configuration again");
}

void lab_reload(struct lab *lab, enum lab_side side, const char *config)
{
	notify_read(lab);
	lab_ask_reload(lab, side, config);
	lab_await_reloaded(lab, side);
}

static bool await_exit(int pidfd, unsigned ms)
{
	uint64_t deadline = deadline_in(ms);
	int timeout;

	while ((timeout = clock_poll_timeout(deadline)) > 0) {
		if (await_while_listening(pidfd, timeout))
			return true;
	}
	return false;
}

static int daemon_reap(struct lab_daemon *daemon)
{
	int status = 0;

	ck_assert_int_eq(waitpid(daemon->pid, &status, 0), daemon->pid);
	fd_close(&daemon->pidfd);
	daemon->pid = 0;
	daemon->status[0] = '\0';
	return status;
}

/*
 * Forgets the last status. It may still report the link to the daemon that has ended, which says
 * nothing about the next daemon's link. The loss of the link causes a new status.
 */
static void forget_link(struct lab_daemon *other)
{
	if (status_count(other, LAB_PEERS) > 0)
		other->status[0] = '\0';
}

void lab_stop_daemon(struct lab *lab, enum lab_side side)
{
	struct pollfd end = {.fd = lab->daemons[side].pidfd, .events = POLLIN};
	uint64_t deadline = deadline_in(STOP_MS);
	int status;

	ck_assert_int_ne(lab->daemons[side].pid, 0);
	absence_begin();
	kill(lab->daemons[side].pid, SIGTERM);
	/* The daemon may be waiting for its manager to read. */
	while (poll(&end, 1, 1) == 0) {
		ck_assert_uint_lt(clock_now_ns(), deadline);
		notify_read(lab);
	}
	notify_read(lab);
	forget_link(&lab->daemons[!side]);
	status = daemon_reap(&lab->daemons[side]);
	ck_assert_msg(WIFEXITED(status) && WEXITSTATUS(status) == 0,
		      "the %s daemon ended with wait status %#x", side_names[side], status);
}

void lab_kill_daemon(struct lab *lab, enum lab_side side)
{
	struct pollfd end = {.fd = lab->daemons[side].pidfd, .events = POLLIN};

	ck_assert_int_ne(lab->daemons[side].pid, 0);
	absence_begin();
	kill(lab->daemons[side].pid, SIGKILL);
	/* Messages that it sent before it died count, and must be read while its name is known. */
	poll(&end, 1, -1);
	notify_read(lab);
	forget_link(&lab->daemons[!side]);
	daemon_reap(&lab->daemons[side]);
}

int lab_run_second_daemon(struct lab *lab, enum lab_side side)
{
	pid_t pid = daemon_fork(lab, side);
	CLEANUP_FD int pidfd = fd_pidfd_open(pid);
	bool ended = await_exit(pidfd, STOP_MS);
	int status;

	if (!ended)
		kill(pid, SIGKILL);
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_msg(ended, "a second %s daemon did not end by itself", side_names[side]);
	ck_assert_msg(WIFEXITED(status), "a second %s daemon was ended by signal %d",
		      side_names[side], WTERMSIG(status));
	return WEXITSTATUS(status);
}

void lab_stop(struct lab *lab)
{
	for (int i = 0; i < LAB_N_SIDES; i++) {
		if (lab->daemons[i].pid != 0)
			kill(lab->daemons[i].pid, SIGTERM);
	}
	for (int i = 0; i < LAB_N_SIDES; i++) {
		bool ended;
		int status;

		if (lab->daemons[i].pid == 0)
			continue;
		ended = await_exit(lab->daemons[i].pidfd, STOP_MS);
		if (!ended)
			kill(lab->daemons[i].pid, SIGKILL);
		status = daemon_reap(&lab->daemons[i]);
		ck_assert_msg(ended, "the %s daemon did not end within %u ms of SIGTERM",
			      side_names[i], runner_timeout_ms(STOP_MS));
		ck_assert_msg(WIFEXITED(status) && WEXITSTATUS(status) == 0,
			      "the %s daemon ended with wait status %#x", side_names[i], status);
		if (lab->stores[i] != NULL)
			unlink(lab_socket(lab, (enum lab_side)i));
		ck_assert_msg(access(lab_socket(lab, (enum lab_side)i), F_OK) < 0,
			      "the %s daemon left its socket", side_names[i]);
	}
	for (int i = 0; i < LAB_N_SIDES; i++)
		lab->stores[i] = lab_store_free(lab->stores[i]);
	if (manager.lab == lab)
		manager.lab = NULL;
	fd_close(&lab->notify_fd);
	runner_remove_tree(lab->dir);
}

void lab_listen(struct lab *lab)
{
	notify_read(lab);
}

void lab_await_log(struct lab *lab, enum lab_side side, const char *text, unsigned deadline_ms)
{
	uint64_t deadline = deadline_in(deadline_ms);
	struct pollfd news = {.fd = lab->notify_fd, .events = POLLIN};

	while (!lab_log_has(lab, side, text)) {
		ck_assert_msg(clock_now_ns() < deadline, "the log of the %s has no '%s'",
			      side_names[side], text);
		poll(&news, 1, 10);
		notify_read(lab);
	}
}

bool lab_log_has(const struct lab *lab, enum lab_side side, const char *text)
{
	char path[200], line[2000];
	bool found = false;
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s.log", lab->dir, side_names[side]);
	file = fopen(path, "re");
	ck_assert_ptr_nonnull(file);
	while (!found && fgets(line, sizeof(line), file) != NULL)
		found = strstr(line, text) != NULL;
	fclose(file);
	return found;
}

bool lab_timed_out(const struct lab *lab, enum lab_side side)
{
	return lab->silence_ns < SILENT_MS * NS_PER_MS &&
	       lab_log_has(lab, side, "would not be resumed");
}

size_t lab_daemon_n_fds(const struct lab *lab, enum lab_side side)
{
	char path[64];
	size_t n = 0;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/fd", (int)lab->daemons[side].pid);
	dir = opendir(path);
	ck_assert_ptr_nonnull(dir);
	for (struct dirent *entry; (entry = readdir(dir));)
		n += entry->d_name[0] != '.';
	closedir(dir);
	return n;
}

/* --- client processes --- */

struct lab_child lab_fork(struct lab *lab, enum lab_side side, void (*fn)(int sock, void *arg),
			  void *arg)
{
	struct lab_child child;
	int socks[2];

	ck_assert_int_eq(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, socks), 0);
	fflush(NULL);
	child.pid = fork();
	ck_assert_int_ge(child.pid, 0);
	if (child.pid == 0) {
		struct leaks before;
		const char *leak;

		prctl(PR_SET_PDEATHSIG, SIGKILL);
		close(socks[0]);
		/* The child's copies would keep connections of other processes open. */
		for (int i = 0; i < LAB_N_SIDES; i++)
			lab->stores[i] = lab_store_free(lab->stores[i]);
		lab_use(lab, side);
		leaks_count(&before);
		fn(socks[1], arg);
		before.n_fds += 1; /* the library's connection */
		leak = leaks_find(&before);
		if (leak != NULL)
			fprintf(stderr, "client process of the %s: %s\n", side_names[side], leak);
		exit(leak == NULL ? EXIT_SUCCESS : 3);
	}
	close(socks[1]);
	child.sock = socks[0];
	child.pidfd = fd_pidfd_open(child.pid);
	ck_assert_int_ge(child.pidfd, 0);
	return child;
}

static int child_reap(struct lab_child *child)
{
	int status;

	ck_assert_int_eq(waitpid(child->pid, &status, 0), child->pid);
	fd_close(&child->pidfd);
	fd_close(&child->sock);
	child->pid = 0;
	return status;
}

void lab_join(struct lab_child *child)
{
	bool ended = await_exit(child->pidfd, TALK_MS);
	int status;

	if (!ended) {
		snapshot_record();
		kill(child->pid, SIGKILL);
	}
	status = child_reap(child);
	ck_assert_msg(ended, "a client process did not end within %u ms",
		      runner_timeout_ms(TALK_MS));
	ck_assert_msg(WIFEXITED(status) && WEXITSTATUS(status) == 0,
		      "a client process ended with wait status %#x", status);
}

static bool is_halted(pid_t pid)
{
	char path[40], text[256] = "";
	const char *name_end;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	CLEANUP_FD int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0 || read(fd, text, sizeof(text) - 1) <= 0)
		return true;
	name_end = strrchr(text, ')');
	return name_end == NULL || strchr("TtZX", name_end[2]) != NULL;
}

/*
 * Stops the process before killing it. SIGKILL could interrupt a write to a file, and a test's
 * messages to Check use a file that its processes share: everything after half a message would be
 * lost.
 */
void lab_kill(struct lab_child *child)
{
	uint64_t deadline = clock_now_ns() + NS_PER_SEC;

	kill(child->pid, SIGSTOP);
	while (!is_halted(child->pid) && clock_now_ns() < deadline)
		poll(NULL, 0, 1);
	kill(child->pid, SIGKILL);
	child_reap(child);
}

void lab_freeze(pid_t pid)
{
	siginfo_t info;

	ck_assert_int_eq(kill(pid, SIGSTOP), 0);
	ck_assert_int_eq(waitid(P_PID, (id_t)pid, &info, WSTOPPED | WNOWAIT), 0);
}

void lab_thaw(pid_t pid)
{
	ck_assert_int_eq(kill(pid, SIGCONT), 0);
}

void lab_send(int sock, const void *data, size_t len)
{
	ssize_t n = send(sock, data, len, MSG_NOSIGNAL);

	ck_assert_msg(n == (ssize_t)len, "sending %zu bytes to the other process: %s", len,
		      strerror(errno));
}

void lab_recv(int sock, void *data, size_t len)
{
	uint64_t deadline = deadline_in(TALK_MS);
	ssize_t n = -1;
	int timeout;

	while (n < 0 && (timeout = clock_poll_timeout(deadline)) > 0) {
		if (await_while_listening(sock, timeout))
			n = recv(sock, data, len, MSG_DONTWAIT);
	}
	if (n < 0)
		snapshot_record();
	ck_assert_msg(n != 0 || len == 0, "the other process ended early");
	ck_assert_msg(n == (ssize_t)len, "the other process said %zd bytes, expected %zu", n, len);
}

void lab_send_sized(int sock, const void *data, size_t len)
{
	lab_send(sock, &len, sizeof(len));
	lab_send(sock, data, len);
}

size_t lab_recv_sized(int sock, void *data, size_t room)
{
	size_t len;

	lab_recv(sock, &len, sizeof(len));
	ck_assert_uint_le(len, room);
	lab_recv(sock, data, len);
	return len;
}

void lab_signal(int sock)
{
	lab_send(sock, "", 1);
}

void lab_wait(int sock)
{
	char byte;

	lab_recv(sock, &byte, 1);
}
