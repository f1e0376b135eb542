/*
 * daemon/base/deferred_close: the daemon's event loop never closes large memory of clients, because
 * the last close frees the pages and would delay all clients. This program replaces close(), to see
 * which thread of a daemon closes what.
 */
#include <dirent.h>
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
#define RDMA       DOCOCORE__EXPORT_KIND__RDMA
#define RDMA_READ  2u

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

/* Returns how many descriptors of memory_make() the daemon has. */
static unsigned count_memory(void)
{
	char path[64], name[64];
	struct dirent *entry;
	unsigned n = 0;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/fd", (int)pair.pids[SIDE_HOST]);
	dir = opendir(path);
	ck_assert_ptr_nonnull(dir);
	while ((entry = readdir(dir))) {
		ssize_t len = readlinkat(dirfd(dir), entry->d_name, name, sizeof(name) - 1);

		name[len > 0 ? len : 0] = '\0';
		n += strstr(name, "memfd:of a client") != NULL;
	}
	closedir(dir);
	return n;
}

/* Requests the import once more and does not receive the answer, which carries the memory. */
static void request_import(struct client *client, uint64_t device, const struct proof *proof)
{
	Dococore__ImportCreate ask = DOCOCORE__IMPORT_CREATE__INIT;
	Dococore__Packet packet = DOCOCORE__PACKET__INIT;

	ask.device = device;
	ask.kind = RDMA;
	ask.export_id = proof->reply.export_id;
	ask.secret = proof->reply.secret;
	ask.exporter_side = (char *)"host";
	packet.body_case = DOCOCORE__PACKET__BODY_IMPORT_CREATE;
	packet.import_create = &ask;
	client_send(client, &packet, NULL, 0);
}

/*
 * The first answer for which the socket of an importer has no room waits in the connection's queue
 * with a duplicate of the memory. That is the last descriptor when the exporter is gone.
 */
START_TEST(queued_memory)
{
	struct client exporter, importer;
	struct proof proof;
	uint64_t device;
	int fd = memory_make();

	client_open(&exporter, &pair, SIDE_HOST);
	client_ask_export(&exporter, client_open_device(&exporter, "pf0"), RDMA, RDMA_READ, fd,
			  MEMORY_LEN);
	close(fd);
	client_receive_proof(&exporter, &proof);
	await_closes(1);
	client_open(&importer, &pair, SIDE_HOST);
	device = client_open_device(&importer, "pf0");
	do {
		request_import(&importer, device, &proof);
		while (conn_has_unread(importer.conn) && count_memory() == 1)
			poll(NULL, 0, 1);
	} while (count_memory() == 1);
	client_close(&exporter);
	await_closes(2);
	ck_assert_uint_eq(count_memory(), 1);
	client_close(&importer);
	await_closes(3);
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
	tcase_add_test(tcase, queued_memory);
	tcase_add_test(tcase, unread_memory);
	tcase_add_test(tcase, many_at_once);
	return unit_run(suite);
}
