/*
 * client/control/tracer and its use by transport pvm: which process an exporter names under Yama,
 * for how long, and what importers are told. The kernel's part is simulated: the exporter is a
 * child process whose prctl() stores the tracer in memory that the test shares, and
 * process_vm_readv() of the test obeys it.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "client/control/tracer.h"
#include "client/transport/pvm.h"
#include "tests/unit/client/fixture.h"
#include "util/fd.h"

#ifndef SO_PEERPIDFD
#define SO_PEERPIDFD 77
#endif

#define ID UINT64_C(0x7a6d)
/* Enough for a slow machine. */
#define AWAIT_TRIES 20000

/* The simulated kernel. */
static struct kernel {
	_Atomic long tracer; /* the argument of the last PR_SET_PTRACER */
	_Atomic unsigned n_calls;
	_Atomic int scope;
	_Atomic int accept_error; /* 0: the real kernel answers */
	_Atomic unsigned n_accepts;
	_Atomic int pidfd_error; /* of SO_PEERPIDFD; 0: the real kernel answers */
	_Atomic int exporter;
} * kernel;

static const uint8_t secret[16] = "0123456789abcde";
static const uint8_t pass_on[16] = "the other secre";
static char reason[TRACER_REASON_MAX];

enum yama_scope yama_scope(void)
{
	return kernel == NULL ? YAMA_NONE : (enum yama_scope)atomic_load(&kernel->scope);
}

int prctl(int option, ...)
{
	unsigned long args[4];
	va_list list;

	va_start(list, option);
	for (size_t i = 0; i < ARRAY_LEN(args); i++)
		args[i] = va_arg(list, unsigned long);
	va_end(list);
	if (option != PR_SET_PTRACER || kernel == NULL)
		return (int)syscall(SYS_prctl, option, args[0], args[1], args[2], args[3]);
	atomic_store(&kernel->tracer, (long)args[0]);
	atomic_fetch_add(&kernel->n_calls, 1);
	return 0;
}

int accept4(int fd, struct sockaddr *addr, socklen_t *len, int flags)
{
	atomic_fetch_add(&kernel->n_accepts, 1);
	if (atomic_load(&kernel->accept_error) != 0) {
		errno = atomic_load(&kernel->accept_error);
		return -1;
	}
	return (int)syscall(SYS_accept4, fd, addr, len, flags);
}

int getsockopt(int fd, int level, int name, void *value, socklen_t *len)
{
	if (kernel != NULL && level == SOL_SOCKET && name == SO_PEERPIDFD &&
	    atomic_load(&kernel->pidfd_error) != 0) {
		errno = atomic_load(&kernel->pidfd_error);
		return -1;
	}
	return (int)syscall(SYS_getsockopt, fd, level, name, value, len);
}

ssize_t process_vm_readv(pid_t pid, const struct iovec *local, unsigned long n_local,
			 const struct iovec *remote, unsigned long n_remote, unsigned long flags)
{
	long tracer = kernel == NULL ? 0 : atomic_load(&kernel->tracer);

	if (yama_scope() > YAMA_NAMED ||
	    (yama_scope() == YAMA_NAMED && tracer != -1 && tracer != getpid())) {
		errno = EPERM;
		return -1;
	}
	return syscall(SYS_process_vm_readv, pid, local, n_local, remote, n_remote, flags);
}

/* --- an exporting process --- */

static struct {
	pid_t pid;
	int order, answer; /* pipes */
	int pidfd;
} exporter;

static uint8_t exported[64] = "private memory";

/* Orders: '1' and '2' start the two exports, 'r' revokes the first, 's' and 't' stop them, 'f'
 * forks. The answer is the number of open descriptors, or 255 for an error. */
static uint8_t obey(char order, enum tracer_policy policy, struct tracer_export exports[2])
{
	uint8_t failed = 255;
	int status;

	switch (order) {
	case '1':
		if (tracer_export_start(&exports[0], policy, ID, secret, pass_on) < 0)
			return failed;
		break;
	case '2':
		if (tracer_export_start(&exports[1], policy, ID + 1, secret, NULL) < 0)
			return failed;
		break;
	case 'r':
		tracer_export_revoke(&exports[0]);
		break;
	case 's':
	case 't':
		tracer_export_stop(&exports[order - 's']);
		break;
	default:
		/* The child has no descriptors of the parent's exports, and stops nothing of it. */
		if (fork() == 0) {
			tracer_export_stop(&exports[0]);
			_exit((int)unit_n_fds());
		}
		return wait(&status) > 0 && WIFEXITED(status) ? (uint8_t)WEXITSTATUS(status)
							      : failed;
	}
	return (uint8_t)unit_n_fds();
}

static void export_until_closed(int order_fd, int answer_fd, enum tracer_policy policy)
{
	struct tracer_export exports[2] = {{.pid = 0}, {.pid = 0}};
	char order;

	while (read(order_fd, &order, 1) == 1) {
		uint8_t answer = obey(order, policy, exports);

		if (write(answer_fd, &answer, 1) != 1)
			break;
	}
	_exit(0);
}

static void exporter_start(enum tracer_policy policy)
{
	int order[2], answer[2];

	ck_assert_int_eq(pipe2(order, O_CLOEXEC), 0);
	ck_assert_int_eq(pipe2(answer, O_CLOEXEC), 0);
	exporter.pid = fork();
	ck_assert_int_ge(exporter.pid, 0);
	if (exporter.pid == 0) {
		close(order[1]);
		close(answer[0]);
		export_until_closed(order[0], answer[1], policy);
	}
	close(order[0]);
	close(answer[1]);
	exporter.order = order[1];
	exporter.answer = answer[0];
	exporter.pidfd = fd_pidfd_open(exporter.pid);
	ck_assert_int_ge(exporter.pidfd, 0);
}

static uint8_t exporter_obeys(char order)
{
	uint8_t answer = 0;

	ck_assert_int_eq(write(exporter.order, &order, 1), 1);
	ck_assert_int_eq(read(exporter.answer, &answer, 1), 1);
	ck_assert_uint_ne(answer, 255);
	return answer;
}

static void exporter_end(void)
{
	int status;

	fd_close(&exporter.order);
	ck_assert_int_eq(waitpid(exporter.pid, &status, 0), exporter.pid);
	ck_assert_int_eq(status, 0);
	fd_close(&exporter.answer);
	fd_close(&exporter.pidfd);
}

static void await_tracer(long tracer)
{
	for (int i = 0; i < AWAIT_TRIES && atomic_load(&kernel->tracer) != tracer; i++)
		usleep(1000);
	ck_assert_int_eq(atomic_load(&kernel->tracer), tracer);
}

static int ask(uint64_t id, const uint8_t *with)
{
	return tracer_ask(exporter.pid, id, with, reason);
}

static void check_refused(uint64_t id, const uint8_t *with, const char *part)
{
	int r = ask(id, with);

	ck_assert_int_lt(r, 0);
	ck_assert_msg(strstr(reason, part) != NULL, "\"%s\" does not say \"%s\"", reason, part);
}

static size_t n_fds;

static void setup(void)
{
	kernel = mmap(NULL, sizeof(*kernel), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		      0);
	ck_assert_ptr_ne(kernel, MAP_FAILED);
	atomic_store(&kernel->scope, YAMA_NAMED);
	ck_assert_int_eq(unsetenv("DOCOCORED_PTRACER"), 0);
	n_fds = unit_n_fds();
}

static void teardown(void)
{
	ck_assert_uint_eq(unit_n_fds(), n_fds);
}

/* --- which process is named --- */

START_TEST(test_importer_is_named_while_it_imports)
{
	uint8_t before;
	int fd;

	exporter_start(TRACER_IMPORTER);
	before = exporter_obeys('s');
	exporter_obeys('1');
	ck_assert_uint_eq(atomic_load(&kernel->n_calls), 0);
	fd = ask(ID, secret);
	ck_assert_msg(fd >= 0, "%s", reason);
	ck_assert_int_eq(atomic_load(&kernel->tracer), getpid());
	close(fd);
	await_tracer(0);
	/* By the secret for passing the export on. */
	fd = ask(ID, pass_on);
	ck_assert_msg(fd >= 0, "%s", reason);
	ck_assert_int_eq(atomic_load(&kernel->tracer), getpid());
	/* The end of the export ends it, too, and nothing is left. */
	ck_assert_uint_eq(exporter_obeys('s'), before);
	ck_assert_int_eq(atomic_load(&kernel->tracer), 0);
	close(fd);
	check_refused(ID, secret, "DOCOCORED_PTRACER=importer");
	exporter_end();
}
END_TEST

START_TEST(test_secret_is_proved)
{
	uint8_t wrong[16];

	exporter_start(TRACER_IMPORTER);
	exporter_obeys('1');
	exporter_obeys('2');
	memcpy(wrong, secret, sizeof(wrong));
	wrong[15] ^= 1;
	check_refused(ID, wrong, "Permission denied");
	/* The second export has no second secret. */
	check_refused(ID + 1, pass_on, "Permission denied");
	check_refused(ID + 2, secret, "permits no copies");
	ck_assert_uint_eq(atomic_load(&kernel->n_calls), 0);
	exporter_end();
}
END_TEST

/* A process that took the name of an exporter's socket learns no secret. */
START_TEST(test_another_process_listens)
{
	exporter_start(TRACER_IMPORTER);
	exporter_obeys('1');
	ck_assert_int_eq(tracer_ask(getpid(), ID, secret, reason), -EPERM);
	ck_assert_uint_eq(atomic_load(&kernel->n_calls), 0);
	exporter_end();
}
END_TEST

/* Starts a process that imports, and ends when it is killed. */
static pid_t importer_start(uint64_t id)
{
	int ready[2];
	char byte = 0;
	pid_t pid;

	ck_assert_int_eq(pipe2(ready, O_CLOEXEC), 0);
	pid = fork();
	ck_assert_int_ge(pid, 0);
	if (pid == 0) {
		byte = ask(id, secret) >= 0;
		if (write(ready[1], &byte, 1) == 1)
			pause();
		_exit(1);
	}
	ck_assert_int_eq(read(ready[0], &byte, 1), 1);
	ck_assert_int_eq(byte, 1);
	close(ready[0]);
	close(ready[1]);
	return pid;
}

static void importer_kill(pid_t pid)
{
	ck_assert_int_eq(kill(pid, SIGKILL), 0);
	ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
}

/* The kernel stores one tracer. A second process does not take the place of the first. */
START_TEST(test_one_process_at_a_time)
{
	char number[32];
	pid_t first;
	int fd;

	exporter_start(TRACER_IMPORTER);
	exporter_obeys('1');
	exporter_obeys('2');
	first = importer_start(ID);
	snprintf(number, sizeof(number), "process %d already", (int)first);
	check_refused(ID, secret, number);
	check_refused(ID + 1, secret, "DOCOCORED_PTRACER=any");
	ck_assert_int_eq(atomic_load(&kernel->tracer), first);
	importer_kill(first);
	await_tracer(0);
	fd = ask(ID + 1, secret);
	ck_assert_msg(fd >= 0, "%s", reason);
	ck_assert_int_eq(atomic_load(&kernel->tracer), getpid());
	close(fd);
	exporter_end();
}
END_TEST

START_TEST(test_two_imports_of_one_process)
{
	int first, second;

	exporter_start(TRACER_IMPORTER);
	exporter_obeys('1');
	exporter_obeys('2');
	first = ask(ID, secret);
	second = ask(ID + 1, secret);
	ck_assert_msg(first >= 0 && second >= 0, "%s", reason);
	/* One of two imports ends; the exporter has seen that once it answers a third request. */
	close(first);
	check_refused(ID, exported, "Permission denied");
	ck_assert_int_eq(atomic_load(&kernel->tracer), getpid());
	exporter_obeys('s');
	ck_assert_int_eq(atomic_load(&kernel->tracer), getpid());
	exporter_obeys('t');
	ck_assert_int_eq(atomic_load(&kernel->tracer), 0);
	close(second);
	exporter_end();
}
END_TEST

START_TEST(test_revoked_export)
{
	int first, second;

	exporter_start(TRACER_IMPORTER);
	exporter_obeys('1');
	exporter_obeys('2');
	first = ask(ID, secret);
	ck_assert_int_ge(first, 0);
	exporter_obeys('r');
	ck_assert_int_eq(atomic_load(&kernel->tracer), 0);
	check_refused(ID, secret, "permits no copies");
	second = ask(ID + 1, secret);
	ck_assert_int_ge(second, 0);
	exporter_obeys('s');
	ck_assert_int_eq(atomic_load(&kernel->tracer), getpid());
	close(first);
	close(second);
	exporter_end();
}
END_TEST

static int connect_to(uint64_t id)
{
	struct sockaddr_un addr = {.sun_family = AF_UNIX};
	socklen_t len = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 +
				    (size_t)sprintf(addr.sun_path + 1, "dococored/ptracer/%016llx",
						    (unsigned long long)id));
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(connect(fd, (struct sockaddr *)&addr, len), 0);
	return fd;
}

/* The process that connects must also send the secret: it could end, and its pid would be that of
 * another process. */
START_TEST(test_connection_is_passed_on)
{
	struct {
		char magic[8];
		uint8_t secret[16];
	} request = {.magic = "dococ-t1"};
	struct {
		int32_t error, tracer;
	} reply;
	int fd, status;
	pid_t child;

	memcpy(request.secret, secret, sizeof(secret));
	exporter_start(TRACER_IMPORTER);
	exporter_obeys('1');
	fd = connect_to(ID);
	child = fork();
	if (child == 0)
		_exit(send(fd, &request, sizeof(request), 0) == (ssize_t)sizeof(request) ? 0 : 1);
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	ck_assert_int_eq(status, 0);
	ck_assert_int_eq(recv(fd, &reply, sizeof(reply), 0), sizeof(reply));
	ck_assert_int_eq(reply.error, -EACCES);
	ck_assert_uint_eq(atomic_load(&kernel->n_calls), 0);
	close(fd);
	/* The same packet is good from the process that connected. */
	fd = connect_to(ID);
	ck_assert_int_eq(send(fd, &request, sizeof(request), 0), sizeof(request));
	ck_assert_int_eq(recv(fd, &reply, sizeof(reply), 0), sizeof(reply));
	ck_assert_int_eq(reply.error, 0);
	ck_assert_int_eq(atomic_load(&kernel->tracer), getpid());
	close(fd);
	exporter_end();
}
END_TEST

/* Without a pidfd, the exporter would not learn that the importer has ended. Only old kernels have
 * none. */
START_TEST(test_no_pidfd_of_the_importer)
{
	int fd;

	exporter_start(TRACER_IMPORTER);
	exporter_obeys('1');
	atomic_store(&kernel->pidfd_error, ESRCH);
	check_refused(ID, secret, strerror(ESRCH));
	atomic_store(&kernel->pidfd_error, EMFILE);
	check_refused(ID, secret, strerror(EMFILE));
	ck_assert_uint_eq(atomic_load(&kernel->n_calls), 0);
	atomic_store(&kernel->pidfd_error, ENOPROTOOPT);
	fd = ask(ID, secret);
	ck_assert_msg(fd >= 0, "%s", reason);
	close(fd);
	await_tracer(0);
	exporter_end();
}
END_TEST

/* An exporter without free descriptors does not try to accept without a pause. The importer waits
 * for 2 s. */
START_TEST(test_no_descriptors)
{
	int fd;

	exporter_start(TRACER_IMPORTER);
	exporter_obeys('1');
	atomic_store(&kernel->accept_error, EMFILE);
	check_refused(ID, secret, "does not answer");
	ck_assert_uint_gt(atomic_load(&kernel->n_accepts), 0);
	ck_assert_uint_lt(atomic_load(&kernel->n_accepts), 1000);
	atomic_store(&kernel->accept_error, 0);
	fd = ask(ID, secret);
	ck_assert_msg(fd >= 0, "%s", reason);
	close(fd);
	await_tracer(0);
	/* The pause does not delay the end of the export's thread. */
	atomic_store(&kernel->accept_error, EMFILE);
	fd = connect_to(ID);
	exporter_obeys('s');
	close(fd);
	exporter_end();
}
END_TEST

/* Connections that prove nothing make room for one that does. */
START_TEST(test_silent_connections)
{
	int fds[200], n = 0, fd;

	exporter_start(TRACER_IMPORTER);
	exporter_obeys('1');
	for (int i = 0; i < (int)ARRAY_LEN(fds); i++)
		fds[n++] = connect_to(ID);
	ck_assert_int_eq(send(fds[n - 1], "nonsense", 8, MSG_NOSIGNAL), 8);
	fd = ask(ID, secret);
	ck_assert_msg(fd >= 0, "%s", reason);
	close(fd);
	while (n > 0)
		close(fds[--n]);
	exporter_end();
}
END_TEST

START_TEST(test_other_user)
{
	int fd;

	if (geteuid() != 0)
		return;
	exporter_start(TRACER_IMPORTER);
	exporter_obeys('1');
	ck_assert_int_eq(seteuid(60001), 0);
	check_refused(ID, secret, "permits no copies");
	ck_assert_int_eq(seteuid(0), 0);
	ck_assert_uint_eq(atomic_load(&kernel->n_calls), 0);
	fd = ask(ID, secret);
	ck_assert_int_ge(fd, 0);
	close(fd);
	exporter_end();
}
END_TEST

/* --- policy --- */

static const struct {
	enum tracer_policy policy;
	enum yama_scope scope;
	long tracer;
} quiet[] = {
	{TRACER_OFF, YAMA_NAMED, 0},        {TRACER_ANY, YAMA_NAMED, -1},
	{TRACER_IMPORTER, YAMA_NONE, 0},    {TRACER_ANY, YAMA_NONE, 0},
	{TRACER_IMPORTER, YAMA_CAPABLE, 0}, {TRACER_ANY, YAMA_NOBODY, 0},
};

/* Cases without a socket: nothing is permitted, or everything. */
START_TEST(test_policies_without_a_socket)
{
	uint8_t before;

	atomic_store(&kernel->scope, quiet[_i].scope);
	exporter_start(quiet[_i].policy);
	before = exporter_obeys('s');
	ck_assert_uint_eq(exporter_obeys('1'), before);
	ck_assert_uint_eq(exporter_obeys('2'), before);
	ck_assert_int_eq(atomic_load(&kernel->tracer), quiet[_i].tracer);
	exporter_obeys('s');
	ck_assert_int_eq(atomic_load(&kernel->tracer), quiet[_i].tracer);
	exporter_obeys('t');
	ck_assert_int_eq(atomic_load(&kernel->tracer), 0);
	ck_assert_uint_eq(atomic_load(&kernel->n_calls), quiet[_i].tracer == -1 ? 3 : 0);
	exporter_end();
}
END_TEST

START_TEST(test_policy_of_the_environment)
{
	static const struct {
		const char *text;
		enum tracer_policy policy;
	} all[] = {
		{"off", TRACER_OFF},   {"importer", TRACER_IMPORTER}, {"any", TRACER_ANY},
		{"", TRACER_IMPORTER}, {"yes", TRACER_OFF},           {"anybody", TRACER_OFF},
	};

	ck_assert_int_eq(tracer_policy_get(), TRACER_IMPORTER);
	for (size_t i = 0; i < ARRAY_LEN(all); i++) {
		ck_assert_int_eq(setenv("DOCOCORED_PTRACER", all[i].text, 1), 0);
		ck_assert_int_eq(tracer_policy_get(), all[i].policy);
	}
	ck_assert_int_eq(unsetenv("DOCOCORED_PTRACER"), 0);
}
END_TEST

START_TEST(test_forked_child)
{
	uint8_t before;
	int fd;

	exporter_start(TRACER_IMPORTER);
	before = exporter_obeys('s');
	exporter_obeys('1');
	fd = ask(ID, secret);
	ck_assert_int_ge(fd, 0);
	ck_assert_uint_eq(exporter_obeys('f'), before);
	ck_assert_int_eq(atomic_load(&kernel->tracer), getpid());
	close(fd);
	await_tracer(0);
	exporter_end();
}
END_TEST

/* --- transport pvm --- */

static int pvm_open_id(uint64_t id, struct transport_region *region_out,
		       char why[TRANSPORT_REASON_MAX])
{
	const struct transport_target target = {.base = (uintptr_t)exported,
						.len = sizeof(exported),
						.memfd = -1,
						.pidfd = exporter.pidfd,
						.pid = exporter.pid,
						.uid = geteuid(),
						.export_id = id,
						.secret = secret};

	*region_out = (struct transport_region){.pidfd = -1};
	return transport_pvm.open(&target, region_out, why);
}

static int pvm_open_exported(struct transport_region *region_out, char why[TRANSPORT_REASON_MAX])
{
	return pvm_open_id(ID, region_out, why);
}

START_TEST(test_pvm_asks)
{
	uint8_t mine[sizeof(exported)];
	struct iovec local = {mine, sizeof(mine)}, remote = {exported, sizeof(exported)};
	char why[TRANSPORT_REASON_MAX];
	struct transport_region region;

	exporter_start(TRACER_IMPORTER);
	ck_assert_int_eq(pvm_open_exported(&region, why), -EPERM);
	ck_assert_ptr_nonnull(strstr(why, "DOCOCORED_PTRACER=importer"));
	exporter_obeys('1');
	ck_assert_msg(pvm_open_exported(&region, why) == 0, "%s", why);
	ck_assert_int_eq(transport_pvm.readv(&region, &local, 1, &remote, 1), sizeof(mine));
	ck_assert_mem_eq(mine, exported, sizeof(mine));
	transport_pvm.close(&region);
	await_tracer(0);
	ck_assert_int_eq(process_vm_readv(exporter.pid, &local, 1, &remote, 1, 0), -1);
	exporter_end();
}
END_TEST

/* The kernel permits the second import already when it is opened. It stays permitted when the first
 * one ends, by the importer or by the exporter. */
START_TEST(test_pvm_asks_for_each_import)
{
	uint8_t mine[sizeof(exported)];
	struct iovec local = {mine, sizeof(mine)}, remote = {exported, sizeof(exported)};
	char why[TRANSPORT_REASON_MAX];
	struct transport_region first, second;

	exporter_start(TRACER_IMPORTER);
	exporter_obeys('1');
	exporter_obeys('2');
	ck_assert_msg(pvm_open_id(ID, &first, why) == 0, "%s", why);
	ck_assert_msg(pvm_open_id(ID + 1, &second, why) == 0, "%s", why);
	if (_i == 0) {
		transport_pvm.close(&first);
		/* The exporter has seen the end of the first import once it answers this. */
		check_refused(ID, exported, "Permission denied");
	} else {
		exporter_obeys('s');
		transport_pvm.close(&first);
	}
	ck_assert_int_eq(transport_pvm.readv(&second, &local, 1, &remote, 1), sizeof(mine));
	transport_pvm.close(&second);
	await_tracer(0);
	exporter_end();
}
END_TEST

/* The exporter permits another process, but the kernel lets this one copy all the same, as it does
 * with a child of the permitted process. */
START_TEST(test_pvm_is_permitted_without_the_exporter)
{
	char why[TRANSPORT_REASON_MAX];
	struct transport_region region;
	pid_t first;

	exporter_start(TRACER_IMPORTER);
	exporter_obeys('1');
	first = importer_start(ID);
	ck_assert_int_eq(pvm_open_exported(&region, why), -EPERM);
	ck_assert_ptr_nonnull(strstr(why, "already"));
	atomic_store(&kernel->tracer, -1);
	ck_assert_msg(pvm_open_exported(&region, why) == 0, "%s", why);
	ck_assert_int_eq(region.permit, -1);
	transport_pvm.close(&region);
	importer_kill(first);
	exporter_end();
}
END_TEST

/* Without Yama, or if every process is permitted, there is no connection. */
START_TEST(test_pvm_does_not_ask)
{
	char why[TRANSPORT_REASON_MAX];
	struct transport_region region;

	exporter_start(_i == 0 ? TRACER_ANY : TRACER_IMPORTER);
	if (_i == 1)
		atomic_store(&kernel->scope, YAMA_NONE);
	exporter_obeys('1');
	ck_assert_msg(pvm_open_exported(&region, why) == 0, "%s", why);
	ck_assert_int_eq(region.permit, -1);
	transport_pvm.close(&region);
	exporter_end();
}
END_TEST

START_TEST(test_pvm_explains_the_scope)
{
	static const char *const parts[][2] = {
		[YAMA_CAPABLE] = {"kernel.yama.ptrace_scope is 2", "CAP_SYS_PTRACE"},
		[YAMA_NOBODY] = {"kernel.yama.ptrace_scope is 3", "DOCOCORED_ADOPT=always"},
	};
	char why[TRANSPORT_REASON_MAX];
	struct transport_region region;

	atomic_store(&kernel->scope, _i);
	exporter_start(TRACER_IMPORTER);
	exporter_obeys('1');
	ck_assert_int_eq(pvm_open_exported(&region, why), -EPERM);
	for (size_t i = 0; i < 2; i++)
		ck_assert_msg(strstr(why, parts[_i][i]) != NULL, "%s", why);
	/* An error sentence contains this many bytes of a reason. */
	ck_assert_uint_le(strlen(why), 180 - strlen("pvm: "));
	exporter_end();
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("tracer");
	TCase *tcase = unit_case(suite, "tracer", UNIT_TIMEOUT);

	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_test(tcase, test_importer_is_named_while_it_imports);
	tcase_add_test(tcase, test_secret_is_proved);
	tcase_add_test(tcase, test_another_process_listens);
	tcase_add_test(tcase, test_one_process_at_a_time);
	tcase_add_test(tcase, test_two_imports_of_one_process);
	tcase_add_test(tcase, test_revoked_export);
	tcase_add_test(tcase, test_connection_is_passed_on);
	tcase_add_test(tcase, test_no_pidfd_of_the_importer);
	tcase_add_test(tcase, test_no_descriptors);
	tcase_add_test(tcase, test_silent_connections);
	tcase_add_test(tcase, test_other_user);
	tcase_add_loop_test(tcase, test_policies_without_a_socket, 0, ARRAY_LEN(quiet));
	tcase_add_test(tcase, test_policy_of_the_environment);
	tcase_add_test(tcase, test_forked_child);
	tcase = unit_case(suite, "pvm", UNIT_TIMEOUT);
	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_test(tcase, test_pvm_asks);
	tcase_add_loop_test(tcase, test_pvm_asks_for_each_import, 0, 2);
	tcase_add_test(tcase, test_pvm_is_permitted_without_the_exporter);
	tcase_add_loop_test(tcase, test_pvm_does_not_ask, 0, 2);
	tcase_add_loop_test(tcase, test_pvm_explains_the_scope, YAMA_CAPABLE, YAMA_NOBODY + 1);
	return unit_run(suite);
}
