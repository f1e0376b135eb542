/*
 * daemon/base/deferred_close: the daemon's event loop never closes large memory of clients, because
 * the last close frees the pages and would delay all clients. This program replaces close(), to see
 * which thread of a daemon closes what.
 */
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tests/unit/daemon/pair.h"
#include "util/clock.h"
#include "util/fd.h"
#include "util/memfd.h"

#define MEMORY_LEN (4u << 20)
#define AWAIT_NS   (30 * NS_PER_SEC)
#define PCI        DOCOCORE__EXPORT_KIND__PCI
#define PCI_READ   16u

/* Number of closes of memory of MEMORY_LEN by a daemon, which is another process. */
struct closes {
	_Atomic unsigned by_loop, by_thread;
};

static struct daemon_pair pair;
static struct closes *closes;
static bool is_daemon;

int close(int fd)
{
	struct stat st;

	if (is_daemon && fcntl(fd, F_GET_SEALS) >= 0 && fstat(fd, &st) == 0 &&
	    st.st_size == MEMORY_LEN)
		atomic_fetch_add(gettid() == getpid() ? &closes->by_loop : &closes->by_thread, 1);
	return (int)syscall(SYS_close, fd);
}

static void become_daemon(void)
{
	close_range(3, ~0u, 0);
	is_daemon = true;
}

static void set_up(void)
{
	closes = mmap(NULL, sizeof(*closes), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		      0);
	ck_assert_ptr_ne(closes, MAP_FAILED);
	pair_set_up(&pair);
	pair.pass = become_daemon;
	pair_start(&pair, SIDE_HOST);
}

static void tear_down(void)
{
	pair_tear_down(&pair);
	munmap(closes, sizeof(*closes));
}

/* Creates memory with pages, of which this process has one descriptor. */
static int memory_make(void)
{
	int fd = memfd_create_sealable("of a client", MEMORY_LEN);
	void *memory = memfd_map(fd, 0, MEMORY_LEN, true);

	ck_assert_ptr_nonnull(memory);
	memset(memory, 1, MEMORY_LEN);
	memfd_unmap(memory, MEMORY_LEN);
	/* The daemon keeps memory that is exported read-only only if a seal forbids writing. */
	ck_assert(memfd_settle(fd, false));
	return fd;
}

static void await_closes(unsigned n)
{
	uint64_t deadline_ns = clock_now_ns() + AWAIT_NS;

	while (closes->by_loop + closes->by_thread < n) {
		ck_assert_uint_lt(clock_now_ns(), deadline_ns);
		poll(NULL, 0, 2);
	}
	ck_assert_uint_eq(closes->by_loop, 0);
}

/* Exports the memory; the daemon then has its only descriptor. */
static void export_memory(struct client *client, uint64_t device)
{
	int fd = memory_make();

	client_ask_export(client, device, PCI, PCI_READ, fd, MEMORY_LEN);
	close(fd);
}

START_TEST(export_ends_with_its_client)
{
	struct client client;

	client_open(&client, &pair, SIDE_HOST);
	export_memory(&client, client_open_device(&client, "pf0"));
	ck_assert_int_eq(client.reply->body_case, DOCOCORE__PACKET__BODY_EXPORT_REPLY);
	/* The daemon opens it again read-only. */
	await_closes(1);
	client_close(&client);
	await_closes(2);
}
END_TEST

START_TEST(export_is_destroyed)
{
	Dococore__ExportDestroy ask = DOCOCORE__EXPORT_DESTROY__INIT;
	Dococore__Packet packet = DOCOCORE__PACKET__INIT;
	struct client client;

	client_open(&client, &pair, SIDE_HOST);
	export_memory(&client, client_open_device(&client, "pf0"));
	ck_assert_int_eq(client.reply->body_case, DOCOCORE__PACKET__BODY_EXPORT_REPLY);
	ask.export_id = client.reply->export_reply->export_id;
	packet.body_case = DOCOCORE__PACKET__BODY_EXPORT_DESTROY;
	packet.export_destroy = &ask;
	client_ask(&client, &packet, NULL, 0);
	await_closes(2);
	client_close(&client);
}
END_TEST

START_TEST(refused_memory)
{
	struct client client;

	client_open(&client, &pair, SIDE_HOST);
	export_memory(&client, 999);
	ck_assert_int_eq(client.reply->body_case, DOCOCORE__PACKET__BODY_ERROR);
	await_closes(1);
	client_close(&client);
}
END_TEST

/* The first packet breaks a rule, and the session ends with the others unread. */
START_TEST(unread_memory)
{
	struct client client;

	client_open(&client, &pair, SIDE_HOST);
	pair_freeze(&pair, SIDE_HOST);
	for (int i = 0; i < 3; i++) {
		char control[CMSG_SPACE(sizeof(int))] = {0};
		struct iovec iov = {.iov_base = (char *)"\xff\xff", .iov_len = 2};
		struct msghdr msg = {.msg_iov = &iov,
				     .msg_iovlen = 1,
				     .msg_control = control,
				     .msg_controllen = sizeof(control)};
		struct cmsghdr *cmsg = CMSG_FIRSTHDR(&msg);
		int fd = memory_make();

		cmsg->cmsg_level = SOL_SOCKET;
		cmsg->cmsg_type = SCM_RIGHTS;
		cmsg->cmsg_len = CMSG_LEN(sizeof(int));
		memcpy(CMSG_DATA(cmsg), &fd, sizeof(fd));
		ck_assert_int_eq(sendmsg(conn_fd(client.conn), &msg, MSG_NOSIGNAL), 2);
		close(fd);
	}
	ck_assert_int_eq(kill(pair.pids[SIDE_HOST], SIGCONT), 0);
	await_closes(3);
	client_close(&client);
}
END_TEST

/* More closes than may be pending for one user: its requests wait, and all are answered. */
START_TEST(many_at_once)
{
	enum { N = 600 };
	struct client client;

	client_open(&client, &pair, SIDE_HOST);
	client_open_device(&client, "pf0");
	for (int i = 0; i < N; i++)
		export_memory(&client, 999);
	await_closes(N);
	client_open_device(&client, "pf0");
	client_close(&client);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("daemon/base/deferred_close");
	TCase *tcase = unit_case(suite, "closer", UNIT_TIMEOUT);

	tcase_add_checked_fixture(tcase, set_up, tear_down);
	tcase_add_test(tcase, export_ends_with_its_client);
	tcase_add_test(tcase, export_is_destroyed);
	tcase_add_test(tcase, refused_memory);
	tcase_add_test(tcase, unread_memory);
	tcase_add_test(tcase, many_at_once);
	return unit_run(suite);
}
