/*
 * A program with more rights than its caller (AT_SECURE) ignores the environment, which its caller
 * chose: the variables of the library and of doca-admin. The test copies itself and doca-admin into
 * its own directory, once setuid root and once without setuid, and another user runs both copies
 * with the same environment. The copy without setuid shows that each variable has an effect.
 */
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/statvfs.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "client/base/env.h"
#include "client/base/lenient.h"
#include "client/control/find_daemon.h"
#include "client/control/rpc.h"
#include "client/rma/requester_call.h"
#include "tests/unit/unit.h"
#include "util/fd.h"

#define CALLER 65534 /* user and group */
#define SHOW   "show"

/* --- actions of the copies --- */

static const char *text_or_unset(const char *text)
{
	return text != NULL ? text : "unset";
}

static int show(void)
{
	struct env_snapshot copy;
	int fd = -1;

	printf("secure %lu\n", getauxval(AT_SECURE));
	printf("strict %d\n", lenient_is_strict());
	printf("wait %llu\n", (unsigned long long)(requester_wait_ns() / NS_PER_MS));
	printf("transport %s\n", text_or_unset(env_get(ENV_TRANSPORT)));
	env_snapshot_take(&copy);
	printf("gid index %s\n", copy.is_set[ENV_GID_INDEX] ? copy.values[ENV_GID_INDEX] : "unset");
	printf("counters %s\n", text_or_unset(env_variable("DOCOCORED_COUNTERS")));
	session_snapshot_environment();
	(void)session_find_daemon(RPC_TIMEOUT_NS, &fd);
	fd_close(&fd);
	return EXIT_SUCCESS;
}

/* --- the test itself --- */

struct lab {
	char dir[128], runtime[160], socket[224], plain[160], setuid[160];
	int listener;
};

static void copy_program(const char *from, const char *to, mode_t mode)
{
	int in = open(from, O_RDONLY | O_CLOEXEC);
	int out = open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0700);
	char data[65536];
	ssize_t n;

	ck_assert_int_ge(in, 0);
	ck_assert_int_ge(out, 0);
	while ((n = read(in, data, sizeof(data))) > 0)
		ck_assert_int_eq(write(out, data, (size_t)n), n);
	ck_assert_int_eq(n, 0);
	ck_assert_int_eq(fchmod(out, mode), 0);
	close(in);
	close(out);
}

static void lab_up(struct lab *lab, const char *program, int type)
{
	struct sockaddr_un addr = {.sun_family = AF_UNIX};

	unit_mkdtemp(lab->dir, sizeof(lab->dir), "setuid");
	ck_assert_int_eq(chmod(lab->dir, 0755), 0);
	snprintf(lab->plain, sizeof(lab->plain), "%s/plain", lab->dir);
	snprintf(lab->setuid, sizeof(lab->setuid), "%s/setuid", lab->dir);
	copy_program(program, lab->plain, 0755);
	copy_program(program, lab->setuid, 04755);
	snprintf(lab->runtime, sizeof(lab->runtime), "%s/dococored", lab->dir);
	ck_assert_int_eq(mkdir(lab->runtime, 0755), 0);
	ck_assert_int_eq(chmod(lab->runtime, 0755), 0);
	snprintf(lab->socket, sizeof(lab->socket), "%s/host.sock", lab->runtime);
	ck_assert_uint_lt(strlen(lab->socket), sizeof(addr.sun_path));
	memcpy(addr.sun_path, lab->socket, strlen(lab->socket) + 1);
	lab->listener = socket(AF_UNIX, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	ck_assert_int_eq(bind(lab->listener, (struct sockaddr *)&addr, sizeof(addr)), 0);
	ck_assert_int_eq(chmod(lab->socket, 0777), 0);
	ck_assert_int_eq(listen(lab->listener, 8), 0);
}

static _Noreturn void run_as_caller(const char *path, char *const args[], char *const env[],
				    int out)
{
	if (dup2(out, STDOUT_FILENO) >= 0 && dup2(out, STDERR_FILENO) >= 0 && setgid(CALLER) == 0 &&
	    setuid(CALLER) == 0)
		execve(path, args, env);
	_exit(127);
}

/*
 * Returns the number of connections that the program made to the listener; its output is in `text`.
 */
static unsigned run(const struct lab *lab, const char *path, char *const args[], char *const env[],
		    char *text, size_t len)
{
	unsigned n_connections = 0;
	size_t used = 0;
	int out[2], status, fd;
	ssize_t n = 1;
	pid_t pid;

	ck_assert_int_eq(pipe2(out, O_CLOEXEC), 0);
	pid = fork();
	ck_assert_int_ge(pid, 0);
	if (pid == 0)
		run_as_caller(path, args, env, out[1]);
	close(out[1]);
	while (n > 0) {
		struct pollfd fds[] = {{.fd = out[0], .events = POLLIN},
				       {.fd = lab->listener, .events = POLLIN}};

		ck_assert_int_gt(poll(fds, ARRAY_LEN(fds), -1), 0);
		while ((fd = accept(lab->listener, NULL, NULL)) >= 0) {
			n_connections++;
			close(fd);
		}
		if (fds[0].revents != 0) {
			n = read(out[0], text + used, len - 1 - used);
			used += n > 0 ? (size_t)n : 0;
		}
	}
	text[used] = '\0';
	close(out[0]);
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_msg(WIFEXITED(status) && WEXITSTATUS(status) != 127, "%s: status %x: %s", path,
		      status, text);
	while ((fd = accept(lab->listener, NULL, NULL)) >= 0) {
		n_connections++;
		close(fd);
	}
	return n_connections;
}

/* Runs both copies of this program; only the one without setuid finds the listener. */
static void run_both(const struct lab *lab, char *const env[], char *plain, char *secure,
		     size_t len)
{
	char *const args[] = {(char *)"setuid_test", (char *)SHOW, NULL};

	ck_assert_uint_eq(run(lab, lab->plain, args, env, plain, len), 1);
	ck_assert_ptr_nonnull(strstr(plain, "secure 0\n"));
	ck_assert_uint_eq(run(lab, lab->setuid, args, env, secure, len), 0);
	ck_assert_ptr_nonnull(strstr(secure, "secure 1\n"));
}

START_TEST(test_library_ignores_the_variables)
{
	char plain[4096], secure[4096], socket[256];
	struct lab lab;
	char *const env[] = {socket,
			     (char *)"DOCOCORED_STRICT=1",
			     (char *)"DOCOCORED_RELAY_WAIT_MS=7",
			     (char *)"DOCOCORED_TRANSPORT=pvm",
			     (char *)"DOCOCORED_GID_INDEX=3",
			     (char *)"DOCOCORED_COUNTERS=off",
			     (char *)"DOCOCORED_LOG=nonsense",
			     NULL};

	lab_up(&lab, "/proc/self/exe", SOCK_SEQPACKET);
	snprintf(socket, sizeof(socket), "DOCOCORED_SOCKET=%s", lab.socket);
	run_both(&lab, env, plain, secure, sizeof(plain));
	ck_assert_ptr_nonnull(strstr(plain, "DOCOCORED_LOG=nonsense"));
	ck_assert_ptr_nonnull(strstr(plain, "strict 1\nwait 7\ntransport pvm\ngid index 3\n"
					    "counters off\n"));
	ck_assert_str_eq(secure, "secure 1\nstrict 0\nwait 10000\ntransport unset\n"
				 "gid index unset\ncounters unset\n");
}
END_TEST

START_TEST(test_library_ignores_the_runtime_directory)
{
	char plain[4096], secure[4096], runtime[256];
	struct lab lab;
	char *const env[] = {runtime, (char *)"DOCA_SIDE=host", NULL};

	lab_up(&lab, "/proc/self/exe", SOCK_SEQPACKET);
	snprintf(runtime, sizeof(runtime), "XDG_RUNTIME_DIR=%s", lab.dir);
	run_both(&lab, env, plain, secure, sizeof(plain));
}
END_TEST

START_TEST(test_doca_admin_ignores_the_variables)
{
	const char *build = getenv("top_builddir");
	char text[4096], bus[256], program[512];
	char *const args[] = {(char *)"doca-admin", (char *)"devices", NULL};
	char *const env[] = {bus, NULL};
	struct lab lab;

	snprintf(program, sizeof(program), "%s/doca-admin", build ? build : ".");
	lab_up(&lab, program, SOCK_STREAM);
	snprintf(bus, sizeof(bus), "DOCOCORED_BUS=%s", lab.socket);
	ck_assert_uint_gt(run(&lab, lab.plain, args, env, text, sizeof(text)), 0);
	ck_assert_uint_eq(run(&lab, lab.setuid, args, env, text, sizeof(text)), 0);
}
END_TEST

/* Returns the reason why setuid has no effect here, or NULL. */
static const char *reason_impossible(void)
{
	struct statvfs fs;

	if (geteuid() != 0)
		return "only root can make a program setuid root and be another user";
	if (prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) != 0)
		return "setuid has no effect in this process (no_new_privs)";
	if (statvfs("/tmp", &fs) == 0 && (fs.f_flag & ST_NOSUID) != 0)
		return "/tmp is mounted nosuid";
	return NULL;
}

int main(int argc, char **argv)
{
	const char *reason;
	Suite *suite;
	TCase *tcase;

	if (argc == 2 && strcmp(argv[1], SHOW) == 0)
		return show();
	reason = reason_impossible();
	if (reason != NULL) {
		printf("skipped: %s\n", reason);
		return 77;
	}
	suite = suite_create("setuid");
	tcase = unit_case(suite, "environment", UNIT_TIMEOUT);
	tcase_add_test(tcase, test_library_ignores_the_variables);
	tcase_add_test(tcase, test_library_ignores_the_runtime_directory);
	tcase_add_test(tcase, test_doca_admin_ignores_the_variables);
	return unit_run(suite);
}
