/*
 * Each system call of a daemon fails once, with each error that its man page lists: while it
 * starts, and while it serves two clients, also with a link over TLS and with a service manager
 * that stores its descriptors; while it stops; and in main() before, for example while it finds its
 * side. A running daemon stays alive; it answers a client that was connected before; new clients
 * succeed; and no descriptor is left over. A daemon that cannot start says why and ends with
 * status 1.
 *
 * A run takes a sample of all pairs of call and error. SYSCALL_FAULT_ALL=1 takes all of them,
 * SYSCALL_FAULT_SEED=N another sample, SYSCALL_FAULT_ONLY=NAME those of one call, and
 * SYSCALL_FAULT_VERBOSE=1 prints each one before it is tried, and the errors that clients get.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/lib/pki.h"
#include "tests/lib/sysfault.h"
#include "tests/unit/daemon/pair.h"
#include "tests/unit/daemon/session/fault_main.h"
#include "tests/unit/daemon/session/fault_work.h"
#include "util/clock.h"
#include "util/fd.h"

#define WAIT_NS (30 * NS_PER_SEC)
#define N_MAX   60000u
/* Sizes of a sample. It is smaller over TLS, because a lost link takes seconds to come back. */
#define N_SAMPLE     80u
#define N_SAMPLE_TLS 10u
#define FD_STORE     64u
#define TLS_PORT     18516

struct fault {
	const struct sysfault_call *call;
	unsigned n;
	int error;
};

static struct daemon_pair pair;
static enum side trapped;
static bool is_starting_trapped, is_over_tls;
static struct sockaddr_un manager_addr; /* no path: there is no service manager */
static int manager_fd = -1;
static struct client bystanders[2];
static size_t n_fds[2];
static char log_path[128];
static struct fault faults[N_MAX];
static size_t n_faults;

/* --- faults to try --- */

static uint64_t number_of(const char *name, uint64_t fallback)
{
	const char *text = getenv(name);

	return text != NULL ? strtoull(text, NULL, 10) : fallback;
}

static void add_faults(const struct sysfault_call *call)
{
	const char *only = getenv("SYSCALL_FAULT_ONLY");

	if (only != NULL && strcmp(only, call->name) != 0)
		return;
	for (unsigned n = 0; n < sysfault_n_made(call->nr); n++) {
		for (size_t i = 0; i < SYSFAULT_MAX_ERRORS && call->errors[i] != 0; i++) {
			ck_assert_uint_lt(n_faults, N_MAX);
			faults[n_faults++] = (struct fault){call, n, call->errors[i]};
		}
	}
}

/* Chooses faults: all of the counted calls, or a sample of n_sample of them. */
static void choose_faults(const char *when, size_t n_sample)
{
	uint64_t seed = number_of("SYSCALL_FAULT_SEED", (uint64_t)getpid()), state = seed + 1;
	size_t n_all;

	ck_assert_msg(sysfault_find_unknown() < 0,
		      "system call %d is in no list of tests/lib/sysfault_table.c",
		      sysfault_find_unknown());
	n_faults = 0;
	for (size_t i = 0; i < sysfault_n_calls; i++)
		add_faults(&sysfault_calls[i]);
	n_all = n_faults;
	if (getenv("SYSCALL_FAULT_ALL") == NULL && getenv("SYSCALL_FAULT_ONLY") == NULL)
		n_faults = MIN(n_faults, n_sample);
	for (size_t i = 0; i < n_faults; i++) {
		size_t other = i + unit_random(&state) % (n_all - i);
		struct fault chosen = faults[other];

		faults[other] = faults[i];
		faults[i] = chosen;
	}
	printf("%s of the %s: %zu of %zu faults, seed %llu\n", side_name(trapped), when, n_faults,
	       n_all, (unsigned long long)seed);
	fflush(stdout);
	ck_assert(n_faults > 0 || getenv("SYSCALL_FAULT_ONLY") != NULL);
}

static void arm(const struct fault *fault)
{
	snprintf(fault_name, sizeof(fault_name), "call %u of %s() fails with %s", fault->n,
		 fault->call->name, strerrorname_np(fault->error));
	if (getenv("SYSCALL_FAULT_VERBOSE") != NULL) {
		printf("%s\n", fault_name);
		fflush(stdout);
	}
	sysfault_arm(fault->call->nr, fault->n, fault->error);
}

/* A few calls come in another order, or not at all, in the next run. */
static void check_n_failed(size_t n_failed)
{
	printf("%zu of them happened\n", n_failed);
	ck_assert(n_failed >= n_faults / 2 || getenv("SYSCALL_FAULT_ONLY") != NULL);
}

/* --- the trapped daemon --- */

/* Runs the process with its log in a file. */
static void trap(void)
{
	int fd = open(log_path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (fd < 0 || dup2(fd, STDERR_FILENO) < 0)
		_exit(125);
	close(fd);
	sysfault_trap();
}

static void on_pass(void)
{
	close_range(3, ~0u, 0);
	if (!is_starting_trapped)
		return;
	if (*manager_addr.sun_path)
		setenv("NOTIFY_SOCKET", manager_addr.sun_path, 1);
	trap();
}

static void on_forked(void)
{
	if (is_starting_trapped)
		ck_assert(sysfault_attach(pair.pids[trapped]));
}

static bool start_trapped(int *status_out)
{
	bool has_started;

	is_starting_trapped = true;
	has_started = pair_start_or_end(&pair, trapped, status_out);
	is_starting_trapped = false;
	return has_started;
}

static int stop_trapped(void)
{
	int status = pair_stop(&pair, trapped, SIGTERM);

	sysfault_detach();
	return status;
}

static void set_up_one(enum side side)
{
	trapped = side;
	sysfault_init();
	pair_set_up(&pair);
	pair_write_config(&pair, side, "[daemon]\nlog_level = error\n");
	snprintf(log_path, sizeof(log_path), "%s/trapped.log", pair.dir);
	pair.pass = on_pass;
	pair.forked = on_forked;
}

/* --- surroundings: the other daemon over TLS, or a service manager --- */

/* In a process of its own, so that daemons begin without memory of OpenSSL. */
static void make_certificates(void)
{
	static const char *const sides[] = {"host", "dpu"};
	int status;
	pid_t pid = fork();

	ck_assert_int_ge(pid, 0);
	if (pid == 0) {
		pki_make(pair.dir, "ca", &(struct pki_options){.subject = "authority"});
		for (size_t i = 0; i < ARRAY_LEN(sides); i++)
			pki_make(
				pair.dir, sides[i],
				&(struct pki_options){.ca = "ca", .subject = "x", .dns = sides[i]});
		_exit(0);
	}
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_int_eq(status, 0);
}

static void configure_tls(void)
{
	unsigned id = (unsigned)getpid();
	char address[32], config[2048];

	is_over_tls = true;
	make_certificates();
	/* Each process has its own address, so that tests do not collide at the port. */
	snprintf(address, sizeof(address), "127.%u.%u.%u:%d", 1 + (id >> 16) % 250, id >> 8 & 255,
		 id & 255, TLS_PORT);
	snprintf(config, sizeof(config),
		 "[daemon]\nlog_level = error\n[tls]\ncertificate = %s/host.pem\n"
		 "key = %s/host.key\nca = %s/ca.pem\n[peer dpu]\naddress = tls:%s\nsubject = dpu\n",
		 pair.dir, pair.dir, pair.dir, address);
	pair_write_config(&pair, SIDE_HOST, config);
	snprintf(config, sizeof(config),
		 "[daemon]\nlog_level = error\npeer_listen = none\n[tls]\nlisten = %s\n"
		 "certificate = %s/dpu.pem\nkey = %s/dpu.key\nca = %s/ca.pem\n"
		 "[peer host]\nsubject = host\n",
		 address, pair.dir, pair.dir, pair.dir);
	pair_write_config(&pair, SIDE_DPU, config);
}

static void manager_receive(void)
{
	union {
		char buf[CMSG_SPACE(FDSET_MAX * sizeof(int))];
		struct cmsghdr align;
	} control;
	char text[4096];
	struct iovec iov = {text, sizeof(text)};
	struct msghdr msg = {.msg_iov = &iov,
			     .msg_iovlen = 1,
			     .msg_control = &control,
			     .msg_controllen = sizeof(control)};
	struct cmsghdr *c;

	if (recvmsg(manager_fd, &msg, MSG_CMSG_CLOEXEC) < 0)
		return;
	c = CMSG_FIRSTHDR(&msg);
	for (size_t i = 0;
	     c && c->cmsg_type == SCM_RIGHTS && CMSG_LEN((i + 1) * sizeof(int)) <= c->cmsg_len;
	     i++) {
		int fd;

		memcpy(&fd, CMSG_DATA(c) + i * sizeof(fd), sizeof(fd));
		close(fd);
	}
}

/* Accepts what the daemon wants stored, for as long as the test runs, and restarts no daemon. */
static void *manager_main(void *arg)
{
	(void)arg;
	for (;;)
		manager_receive();
	return NULL;
}

static void start_manager(void)
{
	pthread_t thread;

	manager_addr.sun_family = AF_UNIX;
	snprintf(manager_addr.sun_path, sizeof(manager_addr.sun_path), "%.64s/notify", pair.dir);
	manager_fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	ck_assert_int_ge(manager_fd, 0);
	ck_assert_int_eq(
		bind(manager_fd, (const struct sockaddr *)&manager_addr, sizeof(manager_addr)), 0);
	pair.fd_store = FD_STORE;
	ck_assert_int_eq(pthread_create(&thread, NULL, manager_main, NULL), 0);
}

enum variant { PLAIN, OVER_TLS, STORED };

/* Returns the size of a sample. */
static size_t set_up_variant(enum variant variant)
{
	static const size_t sizes[] = {N_SAMPLE, N_SAMPLE_TLS, N_SAMPLE / 4};

	if (variant == OVER_TLS)
		configure_tls();
	if (variant == STORED)
		start_manager();
	return sizes[variant];
}

/* Each loop test runs for each side and surroundings. */
static size_t set_up_case(int i)
{
	set_up_one((enum side)(i % 2));
	return set_up_variant((enum variant)(i / 2));
}

static void start_both(void)
{
	int status;

	pair_start(&pair, (enum side) !trapped);
	ck_assert(start_trapped(&status));
	pair_wait_linked(&pair);
}

/* --- while it serves --- */

static void check_fds(enum side side, size_t n)
{
	uint64_t deadline_ns = clock_now_ns() + WAIT_NS;

	while (pair_count_fds(&pair, side) > n) {
		ck_assert_msg(clock_now_ns() < deadline_ns,
			      "%s: the %s has %zu descriptors, expected %zu", fault_name,
			      side_name(side), pair_count_fds(&pair, side), n);
		poll(NULL, 0, 1);
	}
}

static void check_bystander(enum side side)
{
	Dococore__DeviceList list = DOCOCORE__DEVICE_LIST__INIT;
	Dococore__Packet packet = DOCOCORE__PACKET__INIT;

	packet.body_case = DOCOCORE__PACKET__BODY_DEVICE_LIST;
	packet.device_list = &list;
	ck_assert_msg(fault_ask(&bystanders[side], &packet, NULL, 0),
		      "%s: the %s does not answer a client that was connected before", fault_name,
		      side_name(side));
}

/* The daemons may have lost their link, and find each other again. */
static void check_work(void)
{
	uint64_t deadline_ns = clock_now_ns() + WAIT_NS;

	while (!fault_work(&pair, trapped, is_over_tls)) {
		ck_assert_msg(clock_now_ns() < deadline_ns,
			      "%s: clients that come afterwards do not succeed", fault_name);
		poll(NULL, 0, 5);
	}
}

static void check_alive(enum side side)
{
	int status = 0;
	pid_t ended = waitpid(pair.pids[side], &status, WNOHANG);

	ck_assert_msg(ended == 0, "%s: the %s ended with wait status %#x", fault_name,
		      side_name(side), status);
}

/* Returns whether the fault happened. */
static bool try_while_serving(const struct fault *fault)
{
	bool has_failed;

	arm(fault);
	(void)fault_work(&pair, trapped, is_over_tls);
	has_failed = sysfault_disarm();
	for (int side = SIDE_HOST; side <= SIDE_DPU; side++) {
		check_alive((enum side)side);
		check_bystander((enum side)side);
	}
	check_work();
	/* The number stays taken, see sysfault.h. */
	n_fds[trapped] += has_failed && fault->call->nr == SYS_close;
	for (int side = SIDE_HOST; side <= SIDE_DPU; side++)
		check_fds((enum side)side, n_fds[side]);
	return has_failed;
}

START_TEST(test_while_it_serves)
{
	size_t n_failed = 0, n_sample = set_up_case(_i);

	start_both();
	for (int side = SIDE_HOST; side <= SIDE_DPU; side++)
		client_open(&bystanders[side], &pair, (enum side)side);
	check_work();
	for (int side = SIDE_HOST; side <= SIDE_DPU; side++)
		n_fds[side] = pair_settled_fds(&pair, (enum side)side);
	sysfault_count();
	ck_assert(fault_work(&pair, trapped, is_over_tls));
	sysfault_disarm();
	choose_faults("work", n_sample);
	for (size_t i = 0; i < n_faults; i++)
		n_failed += try_while_serving(&faults[i]);
	check_n_failed(n_failed);
	for (int side = SIDE_HOST; side <= SIDE_DPU; side++)
		client_close(&bystanders[side]);
	ck_assert_int_eq(stop_trapped(), 0);
	pair_tear_down(&pair);
}
END_TEST

/* --- while it starts --- */

static void check_refusal(int status)
{
	CLEANUP_FD int fd = open(log_path, O_RDONLY | O_CLOEXEC);
	char text[1000];
	ssize_t n = fd < 0 ? 0 : read(fd, text, sizeof(text));

	ck_assert_msg(WIFEXITED(status) && WEXITSTATUS(status) == 1, "%s: wait status %#x",
		      fault_name, status);
	ck_assert_msg(n > 0, "%s: the daemon does not say why it cannot start", fault_name);
}

/*
 * The daemon may refuse one client because of the fault, but serves the next one. Returns false and
 * its wait status if it ends instead, which is possible because it listens before its start is
 * complete.
 */
static bool serves_or_ends(int *status_out)
{
	uint64_t deadline_ns = clock_now_ns() + WAIT_NS;
	struct client client;

	while (!client_try_open(&client, &pair, trapped)) {
		ck_assert_msg(clock_now_ns() < deadline_ns, "%s: no client is served", fault_name);
		if (waitpid(pair.pids[trapped], status_out, WNOHANG) > 0) {
			pair.pids[trapped] = 0;
			return false;
		}
	}
	client_close(&client);
	return true;
}

static bool try_start(const struct fault *fault, bool *has_started_out)
{
	int status = 0;
	bool has_failed;

	arm(fault);
	*has_started_out = start_trapped(&status) && serves_or_ends(&status);
	has_failed = sysfault_disarm();
	if (*has_started_out) {
		status = stop_trapped();
		ck_assert_msg(status == 0, "%s: wait status %#x", fault_name, status);
	} else {
		sysfault_detach();
		check_refusal(status);
	}
	return has_failed;
}

START_TEST(test_while_it_starts)
{
	size_t n_failed = 0, n_started = 0, n_sample = set_up_case(_i);
	bool has_started;
	int status;

	sysfault_count();
	ck_assert(start_trapped(&status) && serves_or_ends(&status));
	sysfault_disarm();
	ck_assert_int_eq(stop_trapped(), 0);
	choose_faults("start", n_sample);
	for (size_t i = 0; i < n_faults; i++) {
		n_failed += try_start(&faults[i], &has_started);
		n_started += has_started;
	}
	check_n_failed(n_failed);
	printf("%zu daemons started nevertheless\n", n_started);
	pair_tear_down(&pair);
}
END_TEST

/*
 * Behaves as if fs.aio-max-nr were used up: the daemon then wakes clients by writing to their
 * eventfds.
 */
START_TEST(test_without_asynchronous_io)
{
	int status;

	set_up_one((enum side)_i);
	pair_start(&pair, (enum side) !trapped);
	sysfault_arm(SYS_io_setup, 0, EAGAIN);
	ck_assert(start_trapped(&status));
	ck_assert(sysfault_disarm());
	pair_wait_linked(&pair);
	check_work();
	check_work();
	ck_assert_int_eq(stop_trapped(), 0);
	pair_tear_down(&pair);
}
END_TEST

/* --- before it is made --- */

static char *main_arguments[3][4] = {
	{(char *)"dococored", (char *)"--print-side"},
	{(char *)"dococored", (char *)"--check-config"},
	{(char *)"dococored", (char *)"--reload"},
};

/* Returns the exit code. */
static int run_main(char **arguments)
{
	int status, n = 0;
	pid_t pid;

	while (arguments[n])
		n++;
	fflush(NULL);
	pid = fork();
	ck_assert_int_ge(pid, 0);
	if (pid == 0) {
		close_range(3, ~0u, 0);
		if (!freopen("/dev/null", "we", stdout))
			_exit(125);
		trap();
		exit(dococored_main(n, arguments));
	}
	ck_assert(sysfault_attach(pid));
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	sysfault_detach();
	ck_assert_msg(WIFEXITED(status) && WEXITSTATUS(status) <= 2, "%s: wait status %#x",
		      fault_name, status);
	return WEXITSTATUS(status);
}

static bool is_log_empty(void)
{
	struct stat st;

	ck_assert_int_eq(stat(log_path, &st), 0);
	return st.st_size == 0;
}

/* A process that fails logs the reason, unless the failing call is the write of the log. */
START_TEST(test_main)
{
	char **arguments = main_arguments[_i];
	size_t n_failed = 0;
	int code;

	set_up_one(SIDE_HOST);
	sysfault_count();
	code = run_main(arguments);
	sysfault_disarm();
	choose_faults(arguments[1], N_SAMPLE);
	for (size_t i = 0; i < n_faults; i++) {
		arm(&faults[i]);
		code = run_main(arguments);
		n_failed += sysfault_disarm();
		ck_assert_msg(code == 0 || faults[i].call->nr == SYS_write || !is_log_empty(),
			      "%s: the daemon ends with code %d and does not say why", fault_name,
			      code);
	}
	check_n_failed(n_failed);
	pair_tear_down(&pair);
}
END_TEST

/* --- while it stops --- */

static bool try_stop(const struct fault *fault)
{
	struct client client;
	bool has_failed;
	int status;

	if (pair.pids[trapped] == 0)
		ck_assert(start_trapped(&status));
	client_open(&client, &pair, trapped);
	arm(fault);
	status = stop_trapped();
	has_failed = sysfault_disarm();
	client_close(&client);
	ck_assert_msg(WIFEXITED(status) && WEXITSTATUS(status) <= 1, "%s: wait status %#x",
		      fault_name, status);
	return has_failed;
}

START_TEST(test_while_it_stops)
{
	struct client client;
	size_t n_failed = 0;
	int status;

	set_up_one((enum side)_i);
	ck_assert(start_trapped(&status));
	client_open(&client, &pair, trapped);
	sysfault_count();
	ck_assert_int_eq(stop_trapped(), 0);
	sysfault_disarm();
	client_close(&client);
	choose_faults("stop", N_SAMPLE / 2);
	for (size_t i = 0; i < n_faults; i++)
		n_failed += try_stop(&faults[i]);
	check_n_failed(n_failed);
	pair_tear_down(&pair);
}
END_TEST

static void add_case(Suite *suite, const char *name, enum variant variant)
{
	/* A full run ends by the deadline of each step. */
	TCase *tcase = unit_case(suite, name, getenv("SYSCALL_FAULT_ALL") ? 0 : UNIT_TIMEOUT_LONG);
	int first = 2 * (int)variant;

	tcase_add_loop_test(tcase, test_while_it_serves, first, first + 2);
	tcase_add_loop_test(tcase, test_while_it_starts, first, first + 2);
	if (variant != PLAIN)
		return;
	tcase_add_loop_test(tcase, test_main, 0, (int)ARRAY_LEN(main_arguments));
	tcase_add_loop_test(tcase, test_without_asynchronous_io, SIDE_HOST, SIDE_DPU + 1);
	tcase_add_loop_test(tcase, test_while_it_stops, SIDE_HOST, SIDE_DPU + 1);
}

int main(void)
{
	Suite *suite = suite_create("daemon system calls");

	if (!sysfault_is_possible())
		return 77;
	add_case(suite, "system calls", PLAIN);
	add_case(suite, "tls", OVER_TLS);
	add_case(suite, "store", STORED);
	return unit_run(suite);
}
