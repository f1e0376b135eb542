/*
 * doca-admin top and monitor in a simulated terminal: what a user sees on screens of several sizes,
 * that it follows changes of the screen and of the daemon, and that the terminal is restored,
 * however the program ends.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include "tests/lib/expect.h"
#include "tests/lib/lab.h"
#include "tests/lib/runner.h"
#include "util/clock.h"
#include "util/fd.h"

#define ROWS_MAX    100
#define COLUMNS_MAX 400

static struct lab lab;

/* A terminal with a program. The program's output is drawn to cells. */
static struct {
	int master, slave;
	pid_t pid;
	struct termios before;
	unsigned rows, columns;
	char cells[ROWS_MAX][COLUMNS_MAX + 1];
	unsigned row, column;
	unsigned n_frames;
	bool is_other; /* the alternate screen is shown */
	bool scrolled; /* something was written below the last row or beyond the last column */
	char escape[16];
	size_t escape_len;
	char plain[65536]; /* output on the normal screen */
	size_t plain_len;
} term;

static const char *admin_path(void)
{
	static char path[4096];
	const char *build = getenv("top_builddir");

	snprintf(path, sizeof(path), "%s/doca-admin", build == NULL ? "." : build);
	return path;
}

static void term_size(unsigned rows, unsigned columns)
{
	struct winsize size = {.ws_row = (unsigned short)rows, .ws_col = (unsigned short)columns};

	term.rows = rows;
	term.columns = columns;
	term.scrolled = false;
	memset(term.cells, 0, sizeof(term.cells));
	ck_assert_int_eq(ioctl(term.master, TIOCSWINSZ, &size), 0);
}

static void term_open(unsigned rows, unsigned columns)
{
	memset(&term, 0, sizeof(term));
	term.master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
	ck_assert_int_ge(term.master, 0);
	ck_assert_int_eq(grantpt(term.master), 0);
	ck_assert_int_eq(unlockpt(term.master), 0);
	term.slave = open(ptsname(term.master), O_RDWR | O_NOCTTY | O_CLOEXEC);
	ck_assert_int_ge(term.slave, 0);
	term_size(rows, columns);
	ck_assert_int_eq(tcgetattr(term.slave, &term.before), 0);
}

/* Runs doca-admin COMMAND in the terminal, for the host's daemon. */
static void term_run(const char *command, const char *option)
{
	term.pid = fork();
	ck_assert_int_ge(term.pid, 0);
	if (term.pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		setsid();
		ioctl(term.slave, TIOCSCTTY, 0);
		for (int fd = 0; fd < 3; fd++)
			dup2(term.slave, fd);
		setenv("TERM", "xterm", 1);
		execl(admin_path(), "doca-admin", command, "--dir", lab.dir, "--side", "host",
		      option, (char *)NULL);
		_exit(127);
	}
}

static void draw(char c)
{
	/* One cell per character, not per byte. */
	if (((unsigned char)c & 0xc0) == 0x80)
		return;
	if (term.row >= term.rows || term.column >= term.columns) {
		term.scrolled = true;
		return;
	}
	term.cells[term.row][term.column++] = c;
}

static void escape_end(void)
{
	const char *e = term.escape;

	if (strcmp(e, "[H") == 0) {
		term.row = term.column = 0;
		term.n_frames++;
	} else if (strcmp(e, "[2K") == 0 && term.row < term.rows)
		memset(term.cells[term.row], 0, sizeof(term.cells[term.row]));
	else if (strcmp(e, "[?1049h") == 0)
		term.is_other = true;
	else if (strcmp(e, "[?1049l") == 0)
		term.is_other = false;
}

/* Handles one byte of the program's output. */
static void term_receive(char c)
{
	if (term.escape_len || c == '\033') {
		ck_assert_uint_lt(term.escape_len, sizeof(term.escape) - 1);
		if (c != '\033')
			term.escape[term.escape_len - 1] = c;
		term.escape[term.escape_len++] = '\0';
		if (c != '\033' && c != '[' && c != '?' && (c < '0' || c > '9')) {
			escape_end();
			term.escape_len = 0;
		}
		return;
	}
	if (!term.is_other) {
		ck_assert_uint_lt(term.plain_len, sizeof(term.plain) - 1);
		term.plain[term.plain_len++] = c;
		return;
	}
	if (c == '\r') {
		term.column = 0;
	} else if (c == '\n') {
		term.row++;
		term.scrolled |= term.row >= term.rows;
	} else {
		draw(c);
	}
}

/* Handles available output; waits for some until the deadline. Returns false if there was none. */
static bool term_read(uint64_t deadline)
{
	struct pollfd p = {.fd = term.master, .events = POLLIN};
	char text[4096];
	ssize_t n;

	if (poll(&p, 1, clock_poll_timeout(deadline)) <= 0)
		return false;
	n = read(term.master, text, sizeof(text));
	for (ssize_t i = 0; i < n; i++)
		term_receive(text[i]);
	return n > 0;
}

static uint64_t soon(void)
{
	return clock_now_ns() + runner_timeout_ms(5000) * NS_PER_MS;
}

static bool screen_has(const char *text)
{
	for (unsigned row = 0; row < term.rows; row++)
		if (strstr(term.cells[row], text) != NULL)
			return true;
	return false;
}

static void await_screen(const char *text)
{
	uint64_t deadline = soon();

	while (!screen_has(text))
		ck_assert_msg(term_read(deadline),
			      "'%s' did not appear; first row '%s', plain '%s'", text,
			      term.cells[0], term.plain);
}

/* Waits for two frames that begin after the present one. */
static void await_frames(void)
{
	uint64_t deadline = soon();

	for (unsigned n = term.n_frames + 3; term.n_frames < n;)
		ck_assert(term_read(deadline));
}

/*
 * Changes the size and waits for the first frames of it; frames of the old size may still arrive.
 */
static void term_resize(unsigned rows, unsigned columns)
{
	term_size(rows, columns);
	await_frames();
	term.scrolled = false;
	memset(term.cells, 0, sizeof(term.cells));
	await_frames();
}

static void await_plain(const char *text)
{
	uint64_t deadline = soon();

	while (strstr(term.plain, text) == NULL)
		ck_assert_msg(term_read(deadline), "'%s' did not appear in '%s'", text, term.plain);
}

static void term_type(const char *keys)
{
	ck_assert_int_eq(write(term.master, keys, strlen(keys)), (ssize_t)strlen(keys));
}

/* Waits for the program's end; the terminal must be restored. Returns the wait status. */
static int term_end(void)
{
	uint64_t deadline = soon();
	struct termios after;
	int status;

	while (waitpid(term.pid, &status, WNOHANG) == 0) {
		ck_assert_msg(clock_now_ns() < deadline, "the program does not end");
		term_read(clock_now_ns() + 20 * NS_PER_MS);
	}
	while (term_read(clock_now_ns()))
		continue;
	ck_assert_msg(!term.is_other, "the other screen is left behind");
	ck_assert_int_eq(tcgetattr(term.slave, &after), 0);
	ck_assert_uint_eq(after.c_lflag, term.before.c_lflag);
	ck_assert_uint_eq(after.c_iflag, term.before.c_iflag);
	ck_assert_uint_eq(after.c_oflag, term.before.c_oflag);
	ck_assert_msg(!term.scrolled, "something was written outside of the screen");
	fd_close(&term.master);
	fd_close(&term.slave);
	return status;
}

/* --- a client to show --- */

static void client_fn(int sock, void *arg)
{
	struct doca_dev *dev = use_dev(USE_HOST_PF0);

	(void)arg;
	lab_signal(sock);
	lab_wait(sock);
	use_dev_end(dev);
}

static struct lab_child client_start(void)
{
	struct lab_child child = lab_fork(&lab, LAB_HOST, client_fn, NULL);

	lab_wait(child.sock);
	return child;
}

static void client_end(struct lab_child *child)
{
	lab_signal(child->sock);
	lab_join(child);
}

static void set_up(void)
{
	lab_start(&lab, NULL);
}

static void tear_down(void)
{
	lab_stop(&lab);
}

START_TEST(top_shows_and_follows)
{
	struct lab_child child;
	char pid[16];

	term_open(24, 80);
	term_run("top", "--interval=0.1");
	await_screen("host  dococored");
	await_screen("PROGRAM");
	await_screen("0 clients");
	child = client_start();
	snprintf(pid, sizeof(pid), " %d ", (int)child.pid);
	await_screen(pid);
	/* Another size: redrawn at once, and nothing is written outside. */
	ck_assert(!term.scrolled);
	term_resize(8, 40);
	await_screen(pid);
	ck_assert(!term.scrolled);
	term_resize(3, 10);
	ck_assert(!term.scrolled);
	term_resize(60, 200);
	await_screen("SERVICES");
	client_end(&child);
	await_screen("0 clients");
	term_type("q");
	ck_assert_int_eq(term_end(), 0);
}
END_TEST

/* However it ends, the terminal is restored. */
START_TEST(top_leaves_the_terminal)
{
	term_open(24, 80);
	term_run("top", "--interval=0.1");
	await_screen("host  dococored");
	term_type("\003");
	ck_assert_int_eq(term_end(), 0);
	term_open(24, 80);
	term_run("top", "--interval=3600");
	await_screen("host  dococored");
	ck_assert_int_eq(kill(term.pid, SIGTERM), 0);
	ck_assert_int_eq(term_end(), 0);
	term_open(24, 80);
	term_run("top", "--count=2");
	ck_assert_int_eq(term_end(), 0);
}
END_TEST

START_TEST(top_survives_the_daemon)
{
	term_open(24, 80);
	term_run("top", "--interval=0.1");
	await_screen("host  dococored");
	lab_kill_daemon(&lab, LAB_HOST);
	await_screen("the daemon is away");
	lab_start_daemon(&lab, LAB_HOST);
	await_screen("host  dococored");
	term_type("x");
	term_type("q");
	ck_assert_int_eq(term_end(), 0);
}
END_TEST

START_TEST(monitor_reports)
{
	struct lab_child child;
	char line[40];
	int status;

	term_open(24, 80);
	term_run("monitor", NULL);
	await_plain("watching");
	child = client_start();
	snprintf(line, sizeof(line), "client      1  pid %d ", (int)child.pid);
	await_plain("added");
	await_plain(line);
	client_end(&child);
	await_plain("removed");
	term_type("\003");
	status = term_end();
	ck_assert_int_eq(WTERMSIG(status), SIGINT);
}
END_TEST

static void add_cases(Suite *suite)
{
	TCase *tcase = runner_case(suite, "terminal");

	tcase_add_checked_fixture(tcase, set_up, tear_down);
	tcase_add_test(tcase, top_shows_and_follows);
	tcase_add_test(tcase, top_leaves_the_terminal);
	tcase_add_test(tcase, top_survives_the_daemon);
	tcase_add_test(tcase, monitor_reports);
}

int main(void)
{
	lab_require();
	if (access(admin_path(), X_OK) != 0) {
		printf("skipped: %s was not built\n", admin_path());
		return RUNNER_SKIPPED;
	}
	return runner_main("terminal", add_cases, NULL);
}
