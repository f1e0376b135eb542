/*
 * A client sends its daemon a descriptor of a FUSE file whose file system, a child of the test,
 * stops answering. Closing such a descriptor blocks until the file system answers or ends. The
 * daemon refuses the descriptor, serves other clients, and has closed the descriptor once the file
 * system has ended. The child ends with the test at the latest, so nothing waits longer.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/fuse.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/unit/daemon/pair.h"
#include "tests/unit/daemon/mounts.h"
#include "util/clock.h"
#include "util/fd.h"

#define PCI_READ 16u
#define LEN      4096u
#define FILE_ID  2u
#define AWAIT_NS (30 * NS_PER_SEC)

static struct daemon_pair pair;
static char mount_dir[64];
static int fuse_fd; /* of the child */
static pid_t server;

/* Shared with the child. */
static struct {
	_Atomic bool is_mounted, is_silent;
	_Atomic unsigned n_flushes;
} * shared;

/* --- the file system: one file --- */

static void answer(const struct fuse_in_header *in, int error, const void *out, size_t len)
{
	struct fuse_out_header header = {
		.len = (uint32_t)(sizeof(header) + len), .error = -error, .unique = in->unique};
	struct iovec parts[] = {{&header, sizeof(header)}, {(void *)(uintptr_t)out, len}};

	/* The kernel may have given up the request. */
	(void)!writev(fuse_fd, parts, 2);
}

static struct fuse_attr attr_of(uint64_t id)
{
	return (struct fuse_attr){
		.ino = id,
		.nlink = 1,
		.size = id == FILE_ID ? LEN : 0,
		.mode = id == FILE_ID ? S_IFREG | 0600 : S_IFDIR | 0700,
	};
}

static void serve(const struct fuse_in_header *in)
{
	const struct fuse_init_out init = {
		.major = FUSE_KERNEL_VERSION, .minor = 31, .max_write = LEN};
	const struct fuse_entry_out entry = {.nodeid = FILE_ID, .attr = attr_of(FILE_ID)};
	const struct fuse_attr_out attr = {.attr = attr_of(in->nodeid)};
	const struct fuse_open_out opened = {.fh = 1};

	atomic_fetch_add(&shared->n_flushes, in->opcode == FUSE_FLUSH);
	if (atomic_load(&shared->is_silent))
		return;
	if (in->opcode == FUSE_INIT)
		answer(in, 0, &init, sizeof(init));
	else if (in->opcode == FUSE_LOOKUP)
		answer(in, 0, &entry, sizeof(entry));
	else if (in->opcode == FUSE_GETATTR)
		answer(in, 0, &attr, sizeof(attr));
	else if (in->opcode == FUSE_OPEN)
		answer(in, 0, &opened, sizeof(opened));
	else
		answer(in, in->opcode == FUSE_FLUSH ? 0 : ENOSYS, NULL, 0);
}

/* Serves requests until the process is killed. */
static void run_server(void)
{
	static _Alignas(struct fuse_in_header) char request[FUSE_MIN_READ_BUFFER + LEN];
	char options[100];

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	fuse_fd = open("/dev/fuse", O_RDWR | O_CLOEXEC);
	snprintf(options, sizeof(options), "fd=%d,rootmode=40000,user_id=%u,group_id=%u", fuse_fd,
		 getuid(), getgid());
	if (fuse_fd < 0 || mount("fuse", mount_dir, "fuse", MS_NOSUID | MS_NODEV, options) < 0)
		_exit(1);
	atomic_store(&shared->is_mounted, true);
	while (read(fuse_fd, request, sizeof(request)) > 0)
		serve((const struct fuse_in_header *)(void *)request);
	_exit(2);
}

/* --- the test --- */

static void set_up(void)
{
	ck_assert(mounts_enter());
	pair_set_up(&pair);
	pair_start(&pair, SIDE_HOST);
	unit_mkdtemp(mount_dir, sizeof(mount_dir), "fuse");
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		      0);
	ck_assert_ptr_ne(shared, MAP_FAILED);
	server = fork();
	ck_assert_int_ge(server, 0);
	if (server == 0)
		run_server();
	while (!atomic_load(&shared->is_mounted)) {
		ck_assert_int_eq(waitpid(server, NULL, WNOHANG), 0);
		poll(NULL, 0, 1);
	}
}

static int open_file(void)
{
	char path[80];
	int fd;

	snprintf(path, sizeof(path), "%s/file", mount_dir);
	fd = open(path, O_RDWR | O_CLOEXEC);
	ck_assert_msg(fd >= 0, "%s: %s", path, strerror(errno));
	return fd;
}

/* Kills the file system, which ends every wait for it. */
static void end_file_system(void)
{
	ck_assert_int_eq(kill(server, SIGKILL), 0);
	ck_assert_int_eq(waitpid(server, NULL, 0), server);
	ck_assert_int_eq(umount2(mount_dir, MNT_DETACH), 0);
	ck_assert_int_eq(rmdir(mount_dir), 0);
}

static void await_flush(void)
{
	uint64_t deadline_ns = clock_now_ns() + AWAIT_NS;

	while (atomic_load(&shared->n_flushes) == 0) {
		ck_assert_uint_lt(clock_now_ns(), deadline_ns);
		poll(NULL, 0, 1);
	}
}

static void send_export(struct client *client, uint64_t device, int fd)
{
	Dococore__ExportCreate ask = DOCOCORE__EXPORT_CREATE__INIT;
	Dococore__Packet packet = DOCOCORE__PACKET__INIT;

	ask.device = device;
	ask.kind = DOCOCORE__EXPORT_KIND__PCI;
	ask.addr = 0x10000;
	ask.len = LEN;
	ask.permissions = PCI_READ;
	ask.memory = DOCOCORE__MEMORY_KIND__MEMFD;
	packet.body_case = DOCOCORE__PACKET__BODY_EXPORT_CREATE;
	packet.export_create = &ask;
	client_send(client, &packet, &fd, 1);
}

/*
 * Sends the file and closes this process's copy. Only the daemon has the file when the file system
 * stops answering; otherwise a failing test would block, too.
 */
static void send_file(struct client *client)
{
	uint64_t device = client_open_device(client, "pf0");
	int fd = open_file();

	pair_freeze(&pair, SIDE_HOST);
	send_export(client, device, fd);
	close(fd);
	atomic_store(&shared->n_flushes, 0);
	atomic_store(&shared->is_silent, true);
	ck_assert_int_eq(kill(pair.pids[SIDE_HOST], SIGCONT), 0);
}

START_TEST(test_descriptor_whose_close_waits)
{
	size_t n_fds = pair_settled_fds(&pair, SIDE_HOST);
	struct client client, bystander;

	client_open(&bystander, &pair, SIDE_HOST);
	client_open(&client, &pair, SIDE_HOST);
	send_file(&client);
	ck_assert_ptr_nonnull(client_await(&client));
	client_check_error(&client, CODE_INVALID_VALUE);
	await_flush();
	client_open_device(&bystander, "pf0");
	client_open_device(&client, "pf1");
	client_close(&client);
	client_close(&bystander);
	end_file_system();
	ck_assert_uint_eq(pair_settled_fds(&pair, SIDE_HOST), n_fds);
	pair_tear_down(&pair);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("daemon FUSE");
	TCase *tcase = unit_case(suite, "a file system that does not answer", UNIT_TIMEOUT);

	if (access("/dev/fuse", R_OK | W_OK) < 0 || !mounts_are_possible()) {
		printf("skipped: FUSE or mount namespaces are missing or forbidden here\n");
		return 77;
	}
	tcase_add_checked_fixture(tcase, set_up, NULL);
	tcase_add_test(tcase, test_descriptor_whose_close_waits);
	return unit_run(suite);
}
