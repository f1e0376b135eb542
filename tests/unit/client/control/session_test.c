/*
 * Session, exports and imports with a simulated daemon in a thread of the test. The daemon refuses,
 * sends invalid replies, hangs up in the middle of a call, or comes back.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <linux/sockios.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <doca_log.h>

#include "client/base/env.h"
#include "client/control/revocation_watch.h"
#include "client/control/rpc.h"
#include "client/control/tracer.h"
#include "client/control/worker.h"
#include "client/memory/export.h"
#include "client/rma/rendezvous.h"
#include "client/sync_event/sync_event.h"
#include "proto/conn.h"
#include "tests/unit/client/fixture.h"
#include "util/fd.h"
#include "util/memfd.h"

#define SLOT        3u
#define DEVICE_SLOT 4u
#define NEWS        (4096 / 4 - 1)
#define GENERATION  6u

enum lie {
	HONEST,
	LIE_EXPORT_SLOT,
	LIE_EXPORT_GENERATION,
	LIE_IMPORT_EMPTY,
	LIE_IMPORT_WRAPS,
	LIE_IMPORT_SLOT,
	LIE_IMPORT_GENERATION,
	LIE_IMPORT_PAGE_LEN,
	LIE_IMPORT_PAGE_UNSEALED,
	LIE_IMPORT_PIDFD,
	N_LIES,
};

static struct {
	char dir[64], path[96];
	int listen_fd;
	pthread_t thread;
	int wake; /* eventfd: hang up; with is_ending, end */
	int page;
	_Atomic uint32_t *words;
	_Atomic unsigned n_connections, n_hang_ups, n_exports, n_destroyed, n_taken, n_no_device,
		n_hung_up, n_imports_ended, n_greeted, n_closed, n_unanswered;
	_Atomic uint64_t asked_device; /* device of the last request */
	_Atomic bool is_ending, hangs_up_after_hello, is_other_process, is_garbling, has_no_word,
		is_linked, knows_same_user, was_shared, says_old_daemon;
	_Atomic int lie;
	_Atomic unsigned ptracer;
	/*
	 * Held while the thread works: a child that was forked meanwhile would have the heap's
	 * locks held for ever.
	 */
	pthread_mutex_t busy;
} peer = {.listen_fd = -1, .wake = -1, .page = -1, .busy = PTHREAD_MUTEX_INITIALIZER};

static uint8_t memory[4096];
static enum yama_scope scope;

/* The user that runs the fake daemon, according to the kernel. */
static uid_t daemon_uid;

int getsockopt(int fd, int level, int name, void *value, socklen_t *len)
{
	int r = (int)syscall(SYS_getsockopt, fd, level, name, value, len);
	struct sockaddr_un addr = {.sun_family = AF_UNSPEC};
	socklen_t addr_len = sizeof(addr);

	/* Only daemons listen on a name that is a path. */
	if (r == 0 && level == SOL_SOCKET && name == SO_PEERCRED && daemon_uid != 0 &&
	    getpeername(fd, (struct sockaddr *)&addr, &addr_len) == 0 && addr.sun_path[0] != 0)
		((struct ucred *)value)->uid = daemon_uid;
	return r;
}

enum yama_scope yama_scope(void)
{
	return scope;
}

int prctl(int option, ...)
{
	unsigned long args[4];
	va_list list;

	if (option == PR_SET_PTRACER) {
		errno = EINVAL;
		return -1;
	}
	va_start(list, option);
	for (size_t i = 0; i < ARRAY_LEN(args); i++)
		args[i] = va_arg(list, unsigned long);
	va_end(list);
	return (int)syscall(SYS_prctl, option, args[0], args[1], args[2], args[3]);
}

static void answer(struct conn *conn, Dococore__Packet *packet, uint64_t id, const int *fds,
		   size_t n)
{
	packet->id = id;
	conn_send(conn, packet, fds, n);
}

static void answer_hello(struct conn *conn, uint64_t id)
{
	Dococore__Packet packet = DOCOCORE__PACKET__INIT;
	Dococore__HelloReply reply = DOCOCORE__HELLO_REPLY__INIT;
	uint8_t daemon_id[16] = {1};

	reply.protocol = FRAME_PROTOCOL;
	reply.side = (char *)"dpu";
	reply.daemon_id = (ProtobufCBinaryData){.data = daemon_id, .len = 16};
	reply.session_id = 1;
	reply.liveness_len = 4096;
	reply.version = (char *)"0";
	reply.knows_same_user = peer.knows_same_user;
	reply.ptracer = peer.ptracer;
	packet.body_case = DOCOCORE__PACKET__BODY_HELLO_REPLY;
	packet.hello_reply = &reply;
	answer(conn, &packet, id, &peer.page, 1);
}

static void answer_export(struct conn *conn, uint64_t id, const Dococore__ExportCreate *create)
{
	Dococore__Packet packet = DOCOCORE__PACKET__INIT;
	Dococore__ExportReply reply = DOCOCORE__EXPORT_REPLY__INIT;
	Dococore__Error error = DOCOCORE__ERROR__INIT;
	uint8_t secret[16] = {2};

	if (create->restore_export_id != 0 && peer.n_taken > 0) {
		peer.n_taken--;
		error.code = DOCA_ERROR_ALREADY_EXIST;
		error.text = (char *)"the id is taken";
		packet.body_case = DOCOCORE__PACKET__BODY_ERROR;
		packet.error = &error;
		answer(conn, &packet, id, NULL, 0);
		return;
	}
	peer.n_exports++;
	atomic_store(&peer.words[SLOT], GENERATION);
	reply.export_id = 77;
	reply.secret = (ProtobufCBinaryData){.data = secret, .len = 16};
	reply.slot = peer.lie == LIE_EXPORT_SLOT ? 1024 : SLOT;
	reply.generation = peer.lie == LIE_EXPORT_GENERATION ? 0 : GENERATION;
	reply.may_be_remote = peer.is_linked;
	packet.body_case = DOCOCORE__PACKET__BODY_EXPORT_REPLY;
	packet.export_reply = &reply;
	answer(conn, &packet, id, NULL, 0);
}

static void answer_import(struct conn *conn, uint64_t id)
{
	Dococore__Packet packet = DOCOCORE__PACKET__INIT;
	Dococore__ImportReply reply = DOCOCORE__IMPORT_REPLY__INIT;
	CLEANUP_FD int pidfd = peer.lie == LIE_IMPORT_PIDFD ? fd_eventfd()
							    : fd_pidfd_open(getpid());
	CLEANUP_FD int unsealed = -1;
	int fds[2] = {peer.page, pidfd};

	if (peer.lie == LIE_IMPORT_PAGE_UNSEALED) {
		unsealed = memfd_create("unsealed", MFD_CLOEXEC | MFD_ALLOW_SEALING);
		if (ftruncate(unsealed, 4096) == 0)
			fds[0] = unsealed;
	}
	reply.import_id = 9;
	reply.addr = peer.lie == LIE_IMPORT_WRAPS ? UINT64_MAX - 100 : (uintptr_t)memory;
	reply.len = peer.lie == LIE_IMPORT_EMPTY ? 0 : sizeof(memory);
	reply.permissions = DOCA_ACCESS_FLAG_PCI_READ_WRITE;
	reply.memory = DOCOCORE__MEMORY_KIND__PRIVATE;
	reply.slot = peer.lie == LIE_IMPORT_SLOT ? 1024 : SLOT;
	reply.generation = peer.lie == LIE_IMPORT_GENERATION ? 0 : GENERATION;
	reply.liveness_len = peer.lie == LIE_IMPORT_PAGE_LEN ? 8192 : 4096;
	reply.exporter_pid = (uint32_t)getpid();
	reply.exporter_uid = getuid();
	reply.same_process = !peer.is_other_process;
	packet.body_case = DOCOCORE__PACKET__BODY_IMPORT_REPLY;
	packet.import_reply = &reply;
	answer(conn, &packet, id, fds, 2);
}

/* A device that can be removed. */
static void answer_device(struct conn *conn, uint64_t id)
{
	Dococore__Packet packet = DOCOCORE__PACKET__INIT;
	Dococore__HandleReply reply = DOCOCORE__HANDLE_REPLY__INIT;
	Dococore__Error error = DOCOCORE__ERROR__INIT;

	if (peer.n_no_device > 0) {
		peer.n_no_device--;
		error.code = DOCA_ERROR_NOT_FOUND;
		error.text = (char *)"there is no such device";
		packet.body_case = DOCOCORE__PACKET__BODY_ERROR;
		packet.error = &error;
		answer(conn, &packet, id, NULL, 0);
		return;
	}
	if (!peer.has_no_word)
		atomic_store(&peer.words[DEVICE_SLOT], GENERATION);
	reply.handle = 5;
	reply.has_slot = !peer.has_no_word;
	reply.slot = DEVICE_SLOT;
	reply.generation = GENERATION;
	packet.body_case = DOCOCORE__PACKET__BODY_HANDLE_REPLY;
	packet.handle_reply = &reply;
	answer(conn, &packet, id, NULL, 0);
}

/* Returns false to hang up. */
static bool serve(struct conn *conn, const Dococore__Packet *asked)
{
	Dococore__Packet packet = DOCOCORE__PACKET__INIT;
	Dococore__Ok ok = DOCOCORE__OK__INIT;

	switch (asked->body_case) {
	case DOCOCORE__PACKET__BODY_HELLO:
		answer_hello(conn, asked->id);
		peer.n_greeted++;
		return !peer.hangs_up_after_hello;
	case DOCOCORE__PACKET__BODY_EXPORT_CREATE:
		peer.asked_device = asked->export_create->device;
		peer.was_shared = asked->export_create->memory == DOCOCORE__MEMORY_KIND__MEMFD;
		peer.says_old_daemon = strstr(asked->export_create->memory_reason,
					      "update the daemon") != NULL;
		answer_export(conn, asked->id, asked->export_create);
		return true;
	case DOCOCORE__PACKET__BODY_IMPORT_CREATE:
		if (peer.is_garbling)
			return send(conn_fd(conn), "\xff\xff", 2, MSG_NOSIGNAL) == 2;
		peer.asked_device = asked->import_create->device;
		answer_import(conn, asked->id);
		return true;
	case DOCOCORE__PACKET__BODY_RDMA_OPEN:
		peer.asked_device = asked->rdma_open->device;
		/* The first request, if there is another machine. */
		if (peer.is_linked && ++peer.n_unanswered == 1)
			return true;
		break;
	case DOCOCORE__PACKET__BODY_DEVICE_OPEN:
		answer_device(conn, asked->id);
		return true;
	case DOCOCORE__PACKET__BODY_EXPORT_DESTROY:
		peer.n_destroyed++;
		break;
	case DOCOCORE__PACKET__BODY_IMPORT_DESTROY:
		peer.n_imports_ended++;
		break;
	case DOCOCORE__PACKET__BODY_RDMA_ANSWER:
		peer.n_hung_up++;
		break;
	case DOCOCORE__PACKET__BODY_HANDLE_CLOSE:
		peer.n_closed++;
		break;
	default:
		break;
	}
	packet.body_case = DOCOCORE__PACKET__BODY_OK;
	packet.ok = &ok;
	if (asked->id != 0)
		answer(conn, &packet, asked->id, NULL, 0);
	return true;
}

static void serve_connection(int fd)
{
	struct conn *conn = conn_new(fd, 1u << 20);
	bool is_open = conn != NULL;

	while (is_open) {
		struct pollfd fds[2] = {{.fd = conn_fd(conn), .events = POLLIN},
					{.fd = peer.wake, .events = POLLIN}};
		struct fdset got = FDSET_INIT;
		Dococore__Packet *packet = NULL;
		int r;

		poll(fds, 2, -1);
		if (fds[1].revents != 0) {
			fd_eventfd_clear(peer.wake);
			break;
		}
		pthread_mutex_lock(&peer.busy);
		r = conn_recv(conn, &packet, &got);
		if (r == 1)
			is_open = serve(conn, packet);
		else if (r < 0)
			is_open = false;
		if (packet != NULL)
			dococore__packet__free_unpacked(packet, NULL);
		fdset_deinit(&got);
		pthread_mutex_unlock(&peer.busy);
	}
	conn_free(conn);
	peer.n_hang_ups++;
}

static void *daemon_main(void *arg)
{
	(void)arg;
	while (!peer.is_ending) {
		struct pollfd fds[2] = {{.fd = peer.listen_fd, .events = POLLIN},
					{.fd = peer.wake, .events = POLLIN}};
		int fd;

		poll(fds, 2, -1);
		if (fds[1].revents != 0)
			fd_eventfd_clear(peer.wake);
		if (fds[0].revents == 0)
			continue;
		fd = accept4(peer.listen_fd, NULL, NULL, SOCK_CLOEXEC);
		if (fd < 0)
			continue;
		peer.n_connections++;
		serve_connection(fd);
	}
	return NULL;
}

static void setup(void)
{
	struct sockaddr_un addr = {.sun_family = AF_UNIX};

	unit_mkdtemp(peer.dir, sizeof(peer.dir), "session");
	snprintf(peer.path, sizeof(peer.path), "%s/s", peer.dir);
	memcpy(addr.sun_path, peer.path, sizeof(peer.path));
	peer.listen_fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	ck_assert_int_eq(bind(peer.listen_fd, (struct sockaddr *)&addr, sizeof(addr)), 0);
	ck_assert_int_eq(listen(peer.listen_fd, 64), 0);
	peer.wake = fd_eventfd();
	peer.page = memfd_create_sealed("liveness", 4096);
	peer.words = memfd_map(peer.page, 0, 4096, true);
	ck_assert_ptr_nonnull(peer.words);
	setenv("DOCOCORED_SOCKET", peer.path, 1);
	ck_assert_int_eq(pthread_create(&peer.thread, NULL, daemon_main, NULL), 0);
}

static void teardown(void)
{
	peer.is_ending = true;
	fd_eventfd_ring(peer.wake);
	ck_assert_int_eq(pthread_join(peer.thread, NULL), 0);
	memfd_unmap((void *)peer.words, 4096);
	fd_close(&peer.page);
	fd_close(&peer.wake);
	fd_close(&peer.listen_fd);
	unlink(peer.path);
	rmdir(peer.dir);
}

static void hang_up(void)
{
	unsigned before = peer.n_hang_ups;

	fd_eventfd_ring(peer.wake);
	for (int i = 0; i < 20000 && peer.n_hang_ups == before; i++)
		poll(NULL, 0, 1);
	ck_assert_uint_gt(peer.n_hang_ups, before);
}

static struct doca_mmap *export_memory(const void **desc_out, size_t *len_out)
{
	struct doca_mmap *mmap = unit_mmap(memory, sizeof(memory), DOCA_ACCESS_FLAG_PCI_READ_WRITE);

	ck_ok(doca_mmap_export_pci(mmap, &unit_dev, desc_out, len_out));
	return mmap;
}

static int memfd_new(size_t len)
{
	int fd = memfd_create("program", MFD_CLOEXEC | MFD_ALLOW_SEALING);

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(ftruncate(fd, (off_t)len), 0);
	return fd;
}

static doca_error_t import_it(const void *desc, size_t len, struct doca_mmap **mmap_out)
{
	return doca_mmap_create_from_export(NULL, desc, len, &unit_dev, mmap_out);
}

START_TEST(an_export_lives_until_the_stop)
{
	const void *desc, *again;
	struct doca_mmap *mmap, *import;
	size_t len;

	mmap = export_memory(&desc, &len);
	ck_ok(doca_mmap_export_pci(mmap, &unit_dev, &again, &len));
	ck_assert_ptr_eq(desc, again);
	ck_assert_uint_eq(peer.n_exports, 1);
	ck_ok(import_it(desc, len, &import));
	ck_assert_str_eq(dococ_mmap_get_transport(import), "local");
	ck_assert(mmap_is_alive(import));
	ck_ok(doca_mmap_stop(mmap));
	ck_assert(!mmap_is_alive(import));
	ck_assert_uint_eq(peer.n_destroyed, 1);
	ck_ok(doca_mmap_destroy(import));
	ck_ok(doca_mmap_destroy(mmap));
}
END_TEST

/* The daemon passes the page to importers, and lets the library seal it. */
START_TEST(the_page_is_sealed)
{
	struct doca_mmap *mmap;
	const void *desc;
	size_t len;

	fd_close(&peer.page);
	peer.page = memfd_create_sealable("liveness", 4096);
	mmap = export_memory(&desc, &len);
	ck_assert(memfd_has_write_seal(peer.page));
	ck_ok(doca_mmap_destroy(mmap));
}
END_TEST

/* A daemon of an earlier version would give a memfd that has more than the range to every user. */
START_TEST(an_old_daemon_gets_no_memory_for_one_user_only)
{
	size_t len = (size_t)1 << 20;
	uint8_t *range = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_SHARED, memfd_new(2 * len), 0);
	struct doca_mmap *mmap;
	const uint8_t secret[16] = {2};
	char reason[TRACER_REASON_MAX];
	const void *desc;

	ck_assert_ptr_ne(range, MAP_FAILED);
	setenv("DOCOCORED_ADOPT", "always", 1);
	scope = YAMA_NAMED;
	peer.knows_same_user = _i == 1;
	mmap = unit_mmap(range, len, DOCA_ACCESS_FLAG_PCI_READ_WRITE);
	ck_ok(doca_mmap_export_pci(mmap, &unit_dev, &desc, &len));
	ck_assert_int_eq(peer.was_shared, _i == 1);
	ck_assert_int_eq(peer.says_old_daemon, _i == 0);
	/* Importers copy through the kernel then, and may ask for it. */
	ck_assert_int_lt(tracer_ask(getpid(), 77, secret, reason), 0);
	ck_assert_ptr_nonnull(strstr(reason, _i == 0 ? "Invalid argument" : "permits no copies"));
	scope = YAMA_NONE;
	ck_ok(doca_mmap_stop(mmap));
	ck_ok(doca_mmap_destroy(mmap));
	unsetenv("DOCOCORED_ADOPT");
}
END_TEST

/* The daemon's key decides for a program that does not. An unknown value permits nothing. */
static const struct {
	unsigned ptracer;
	const char *own, *answer;
	uid_t daemon_uid; /* 0: that of the test */
} permissions[] = {
	{3, NULL, "permits no copies"},        {3, NULL, "Invalid argument", 60001},
	{1, NULL, "permits no copies", 60001}, {0, NULL, "Invalid argument"},
	{2, NULL, "Invalid argument"},         {1, NULL, "permits no copies"},
	{9, NULL, "permits no copies"},        {1, "importer", "Invalid argument"},
	{2, "off", "permits no copies"},
};

START_TEST(the_daemon_says_whom_an_exporter_permits)
{
	struct doca_mmap *mmap = unit_mmap(memory, sizeof(memory), DOCA_ACCESS_FLAG_PCI_READ_WRITE);
	const uint8_t secret[16] = {2};
	char reason[TRACER_REASON_MAX];
	const void *desc;
	size_t len;

	scope = YAMA_NAMED;
	peer.ptracer = permissions[_i].ptracer;
	daemon_uid = permissions[_i].daemon_uid;
	if (permissions[_i].own != NULL)
		setenv("DOCOCORED_PTRACER", permissions[_i].own, 1);
	ck_ok(doca_mmap_export_pci(mmap, &unit_dev, &desc, &len));
	/* An exporter that listens cannot name its own process: the simulated kernel refuses. */
	ck_assert_int_lt(tracer_ask(getpid(), 77, secret, reason), 0);
	ck_assert_msg(strstr(reason, permissions[_i].answer) != NULL, "%s", reason);
	ck_ok(doca_mmap_stop(mmap));
	ck_assert_int_lt(tracer_ask(getpid(), 77, secret, reason), 0);
	ck_assert_ptr_nonnull(strstr(reason, "permits no copies"));
	ck_ok(doca_mmap_destroy(mmap));
	unsetenv("DOCOCORED_PTRACER");
	scope = YAMA_NONE;
	daemon_uid = 0;
}
END_TEST

/* A wrong answer leaves nothing behind, whatever is wrong with it. */
START_TEST(wrong_answers_leave_nothing)
{
	bool is_export = _i == LIE_EXPORT_SLOT || _i == LIE_EXPORT_GENERATION;
	struct doca_mmap *mmap = unit_mmap(memory, sizeof(memory), DOCA_ACCESS_FLAG_PCI_READ_WRITE);
	struct doca_mmap *import = NULL;
	const void *desc;
	size_t len, n_fds;

	if (is_export)
		ck_ok(session_get_side((char[8]){0}, (uint8_t[16]){0}));
	else
		ck_ok(doca_mmap_export_pci(mmap, &unit_dev, &desc, &len));
	/* Simulates an answer from another process, so that each descriptor is validated. */
	peer.is_other_process = true;
	n_fds = unit_n_fds();
	peer.lie = _i;
	for (int i = 0; i < 3; i++) {
		if (is_export)
			ck_fails(doca_mmap_export_pci(mmap, &unit_dev, &desc, &len),
				 DOCA_ERROR_UNEXPECTED);
		else
			ck_fails(import_it(desc, len, &import), _i == LIE_IMPORT_PIDFD
									? DOCA_ERROR_NOT_SUPPORTED
									: DOCA_ERROR_UNEXPECTED);
		ck_assert_uint_eq(unit_n_fds(), n_fds);
	}
	ck_assert_ptr_null(import);
	ck_assert_uint_eq(unit_dev.n_users, 1);
	peer.lie = HONEST;
	ck_ok(doca_mmap_export_pci(mmap, &unit_dev, &desc, &len));
	ck_ok(import_it(desc, len, &import));
	ck_assert_str_eq(dococ_mmap_get_transport(import), "pvm");
	ck_ok(doca_mmap_destroy(import));
	ck_ok(doca_mmap_destroy(mmap));
	ck_assert_uint_eq(unit_n_fds(), n_fds);
}
END_TEST

START_TEST(the_failing_transport_is_named)
{
	struct doca_mmap *mmap, *import;
	const void *desc;
	size_t len;

	mmap = export_memory(&desc, &len);
	peer.is_other_process = true;
	setenv("DOCOCORED_TRANSPORT", "local", 1);
	ck_fails(import_it(desc, len, &import), DOCA_ERROR_NOT_SUPPORTED);
	ck_says("local: the exporter is another process");
	setenv("DOCOCORED_TRANSPORT", "shm", 1);
	ck_fails(import_it(desc, len, &import), DOCA_ERROR_NOT_SUPPORTED);
	ck_says("shm: the range is private memory");
	setenv("DOCOCORED_TRANSPORT", "pigeon", 1);
	ck_fails(import_it(desc, len, &import), DOCA_ERROR_INVALID_VALUE);
	ck_says("pigeon");
	unsetenv("DOCOCORED_TRANSPORT");
	ck_ok(import_it(desc, len, &import));
	ck_assert_ptr_nonnull(strstr(dococ_mmap_get_transport_rejections(import), "shm: "));
	ck_ok(doca_mmap_destroy(import));
	ck_ok(doca_mmap_destroy(mmap));
}
END_TEST

/* The id is still in use for a while, which is expected and not logged. */
START_TEST(exports_are_restored)
{
	struct doca_mmap *mmap, *import;
	const void *desc;
	struct doca_log_backend *backend;
	char text[4096] = "";
	int log = memfd_create("log", MFD_CLOEXEC);
	size_t len;

	ck_ok(doca_log_backend_create_with_fd_sdk(log, &backend));
	ck_fails(doca_ctx_start(NULL), DOCA_ERROR_INVALID_VALUE);
	mmap = export_memory(&desc, &len);
	ck_ok(import_it(desc, len, &import));
	hang_up();
	peer.n_taken = 3;
	ck_ok(session_get_side((char[8]){0}, (uint8_t[16]){0}));
	ck_assert_uint_eq(peer.n_connections, 2);
	ck_assert_uint_eq(peer.n_taken, 0);
	ck_assert_uint_eq(peer.n_exports, 2);
	ck_assert(mmap_is_alive(import));
	ck_assert_int_gt(pread(log, text, sizeof(text) - 1, 0), 0);
	ck_assert_ptr_nonnull(strstr(text, "ctx is NULL"));
	ck_assert_ptr_null(strstr(text, "taken"));
	ck_ok(doca_mmap_stop(mmap));
	ck_assert(!mmap_is_alive(import));
	ck_ok(doca_mmap_destroy(import));
	ck_ok(doca_mmap_destroy(mmap));
	close(log);
}
END_TEST

/* A daemon that greets and hangs up must not cause a nested restore. */
START_TEST(restoring_does_not_nest)
{
	struct doca_mmap *mmap;
	const void *desc;
	size_t len;

	mmap = export_memory(&desc, &len);
	hang_up();
	peer.hangs_up_after_hello = true;
	for (unsigned i = 0; i < 20; i++) {
		unsigned before = peer.n_connections;

		ck_fails(session_get_side((char[8]){0}, (uint8_t[16]){0}),
			 DOCA_ERROR_NOT_CONNECTED);
		ck_assert_uint_eq(peer.n_connections, before + 1);
	}
	peer.hangs_up_after_hello = false;
	ck_ok(session_get_side((char[8]){0}, (uint8_t[16]){0}));
	ck_assert_uint_eq(peer.n_exports, 2);
	ck_ok(doca_mmap_destroy(mmap));
}
END_TEST

/* After an operator revoked the export, the next request exports the map again. */
START_TEST(a_revoked_export_is_made_anew)
{
	const void *desc, *next, *last;
	struct doca_mmap *mmap;
	size_t len;

	mmap = export_memory(&desc, &len);
	ck_ok(doca_mmap_export_pci(mmap, &unit_dev, &next, &len));
	ck_assert_ptr_eq(next, desc);
	ck_assert_uint_eq(peer.n_exports, 1);
	atomic_store(&peer.words[SLOT], _i == 0 ? 0 : LIVENESS_REVOKED);
	ck_ok(doca_mmap_export_pci(mmap, &unit_dev, &next, &len));
	ck_assert_uint_eq(peer.n_exports, 2);
	/* The descriptor that the caller kept can still be read. */
	ck_assert_ptr_ne(next, desc);
	ck_assert_int_eq(memcmp(next, desc, 4), 0);
	ck_ok(doca_mmap_export_pci(mmap, &unit_dev, &last, &len));
	ck_assert_ptr_eq(next, last);
	ck_assert_uint_eq(peer.n_exports, 2);
	/* A new daemon gets only the export that is alive. */
	hang_up();
	ck_ok(session_get_side((char[8]){0}, (uint8_t[16]){0}));
	ck_assert_uint_eq(peer.n_exports, 3);
	ck_ok(doca_mmap_destroy(mmap));
}
END_TEST

static sem_t n_revoked;

static struct export watched;

static bool look_revoked_locked(struct revocation_watch *watch)
{
	(void)watch;
	if (!export_is_revoked_locked(&watched))
		return false;
	sem_post(&n_revoked);
	return true;
}

/* No thread of the program checks; a thread of the library is notified, also by the next daemon. */
START_TEST(a_revocation_is_heard)
{
	struct revocation_watch watch = {.check_locked = look_revoked_locked};

	watched = (struct export){.what = "test export",
				  .dev = &unit_dev,
				  .kind = DOCOCORE__EXPORT_KIND__RDMA,
				  .permissions = DOCA_ACCESS_FLAG_RDMA_WRITE,
				  .addr = (uintptr_t)memory,
				  .len = sizeof(memory),
				  .memfd = -1};
	sem_init(&n_revoked, 0, 0);
	ck_ok(export_open(&watched));
	ck_assert_int_eq(revocation_watch_start(&watch), 0);
	if (_i == 1) {
		hang_up();
		ck_ok(session_get_side((char[8]){0}, (uint8_t[16]){0}));
	}
	atomic_store(&peer.words[SLOT], LIVENESS_REVOKED);
	atomic_fetch_add(&peer.words[NEWS], 1);
	syscall(SYS_futex, &peer.words[NEWS], FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
	while (sem_wait(&n_revoked) < 0)
		ck_assert_int_eq(errno, EINTR);
	revocation_watch_stop(&watch);
	revocation_watch_stop(&watch);
	export_close(&watched, NULL, NULL);
	ck_assert_int_ne(sem_trywait(&n_revoked), 0);
	sem_destroy(&n_revoked);
}
END_TEST

/*
 * All words of a session end with the session. The device is not removed by that, even if the next
 * daemon provides no word.
 */
START_TEST(a_device_outlives_the_session)
{
	struct doca_dev *dev, *again;

	ck_ok(doca_dev_open(&unit_info, &dev));
	atomic_store(&peer.words[DEVICE_SLOT], 0);
	peer.has_no_word = _i == 2;
	if (_i != 1)
		hang_up();
	ck_ok(doca_dev_open(&unit_info, &again));
	/* In a session that continues, it was removed, and this is another device. */
	ck_assert_int_eq(dev == again, _i != 1);
	if (_i != 1)
		ck_assert(!dev_is_removed(dev));
	ck_ok(doca_dev_close(again));
	ck_ok(doca_dev_close(dev));
}
END_TEST

static struct doca_dev *dev_not_restored(unsigned n_no_device)
{
	struct doca_dev *dev;

	ck_ok(doca_dev_open(&unit_info, &dev));
	peer.n_no_device = n_no_device;
	hang_up();
	ck_ok(session_get_side((char[8]){0}, (uint8_t[16]){0}));
	peer.asked_device = 0;
	return dev;
}

/* A device that the daemon did not have when it came back is opened when it is needed. */
START_TEST(a_device_comes_back_late)
{
	struct doca_dev *dev = dev_not_restored(1);
	struct rendezvous rendezvous;
	struct doca_mmap *mmap;
	const void *desc;
	size_t len;

	if (_i == 0) {
		/* The answer is not a valid endpoint. */
		ck_fails(rendezvous_open(&rendezvous, dev, true, true, false),
			 DOCA_ERROR_UNEXPECTED);
	} else {
		ck_ok(doca_mmap_create(&mmap));
		ck_ok(doca_mmap_set_memrange(mmap, memory, sizeof(memory)));
		ck_ok(doca_mmap_set_permissions(mmap, DOCA_ACCESS_FLAG_PCI_READ_WRITE));
		ck_ok(doca_mmap_add_dev(mmap, dev));
		ck_ok(doca_mmap_start(mmap));
		ck_ok(doca_mmap_export_pci(mmap, dev, &desc, &len));
		ck_ok(doca_mmap_destroy(mmap));
	}
	ck_assert_uint_eq(peer.asked_device, 5);
	ck_ok(doca_dev_close(dev));
}
END_TEST

/* The error says that the device is absent. */
START_TEST(a_device_stays_away)
{
	struct doca_dev *dev = dev_not_restored(2);
	struct rendezvous rendezvous;

	ck_fails(rendezvous_open(&rendezvous, dev, true, true, false), DOCA_ERROR_NOT_FOUND);
	ck_says("no such device");
	ck_assert_uint_eq(peer.asked_device, 0);
	ck_ok(doca_dev_close(dev));
}
END_TEST

/* The same for a sync event. */
START_TEST(a_revoked_event_is_exported_anew)
{
	const uint8_t *data, *next, *last;
	struct doca_sync_event *event;
	size_t len;

	unit_info.caps.sync_event = unit_info.caps.sync_export_pci = true;
	ck_ok(doca_sync_event_create(&event));
	ck_ok(doca_sync_event_add_publisher_location_cpu(event, &unit_dev));
	ck_ok(doca_sync_event_add_subscriber_location_remote_pci(event));
	ck_ok(doca_sync_event_start(event));
	ck_ok(doca_sync_event_export_to_remote_pci(event, &unit_dev, &data, &len));
	ck_ok(doca_sync_event_export_to_remote_pci(event, &unit_dev, &next, &len));
	ck_assert_ptr_eq(data, next);
	atomic_store(&peer.words[SLOT], LIVENESS_REVOKED);
	ck_ok(doca_sync_event_export_to_remote_pci(event, &unit_dev, &next, &len));
	ck_assert_ptr_ne(data, next);
	ck_assert_uint_eq(peer.n_exports, 2);
	ck_ok(doca_sync_event_export_to_remote_pci(event, &unit_dev, &last, &len));
	ck_assert_ptr_eq(last, next);
	ck_ok(doca_sync_event_stop(event));
	ck_ok(doca_sync_event_destroy(event));
}
END_TEST

/* A revoked export is also not restored if the daemon comes back before the next request. */
START_TEST(a_revoked_export_is_not_restored)
{
	const void *desc, *next;
	struct doca_mmap *mmap;
	size_t len;

	mmap = export_memory(&desc, &len);
	/* The word may belong to another export now; or the daemon refuses the export. */
	if (_i < 2)
		atomic_store(&peer.words[SLOT], _i == 0 ? LIVENESS_REVOKED : GENERATION + 2);
	else
		peer.n_taken = 1000;
	hang_up();
	ck_ok(session_get_side((char[8]){0}, (uint8_t[16]){0}));
	ck_assert_uint_eq(peer.n_exports, 1);
	ck_ok(doca_mmap_export_pci(mmap, &unit_dev, &next, &len));
	ck_assert_uint_eq(peer.n_exports, 2);
	ck_assert_ptr_ne(next, desc);
	ck_ok(doca_mmap_destroy(mmap));
}
END_TEST

static struct doca_sync_event *sync_event_new(void)
{
	struct doca_sync_event *event;

	unit_info.caps.sync_event = unit_info.caps.sync_export_pci = true;
	ck_ok(doca_sync_event_create(&event));
	ck_ok(doca_sync_event_add_publisher_location_remote_pci(event));
	ck_ok(doca_sync_event_add_subscriber_location_cpu(event, &unit_dev));
	ck_ok(doca_sync_event_start(event));
	return event;
}

/* Only the exporter knows that importers of two exports share one event. */
START_TEST(a_second_export_makes_an_event_shared)
{
	struct doca_sync_event *event = sync_event_new();
	const uint8_t *desc;
	size_t len;

	ck_ok(doca_sync_event_export_to_remote_pci(event, &unit_dev, &desc, &len));
	ck_ok(doca_sync_event_export_to_remote_pci(event, &unit_dev, &desc, &len));
	ck_assert_uint_eq(peer.n_exports, 1);
	ck_assert(!sync_cell_is_in_shared_use(&event->cell));
	ck_assert_uint_eq(atomic_load(&peer.words[SLOT]), GENERATION);
	/* The daemon's mark applies as well. */
	atomic_store(&peer.words[SLOT], GENERATION | LIVENESS_SHARED);
	ck_assert(sync_cell_is_in_shared_use(&event->cell));
	atomic_store(&peer.words[SLOT], GENERATION);
	ck_assert(!sync_cell_is_in_shared_use(&event->cell));
	ck_ok(doca_sync_event_export_to_remote_pci(event, &unit_dev_other, &desc, &len));
	ck_assert_uint_eq(peer.n_exports, 2);
	ck_assert(sync_cell_is_in_shared_use(&event->cell));
	ck_assert_uint_eq(atomic_load(&peer.words[SLOT]), GENERATION | LIVENESS_SHARED);
	ck_assert_uint_eq(atomic_load(&event->cell.words->seq), 1);
	ck_ok(doca_sync_event_stop(event));
	ck_assert_uint_eq(atomic_load(&peer.words[SLOT]), 0);
	ck_ok(doca_sync_event_destroy(event));
}
END_TEST

/* The next daemon does not know the earlier importers, and they do not know it. */
START_TEST(a_restored_event_is_shared)
{
	struct doca_sync_event *event = sync_event_new();
	const uint8_t *desc;
	size_t len;

	ck_ok(doca_sync_event_export_to_remote_pci(event, &unit_dev, &desc, &len));
	hang_up();
	/* Refused at first, so that the earlier page can be checked. */
	peer.n_taken = UINT32_MAX;
	ck_ok(session_get_side((char[8]){0}, (uint8_t[16]){0}));
	ck_assert_uint_eq(peer.n_exports, 1);
	ck_assert(sync_cell_is_in_shared_use(&event->cell));
	ck_assert_uint_eq(atomic_load(&peer.words[SLOT]), GENERATION | LIVENESS_SHARED);
	ck_assert_uint_eq(atomic_load(&event->cell.words->seq), 1);
	ck_ok(doca_sync_event_destroy(event));
}
END_TEST

/* A child that cleans up inherited objects does not affect the parent's exports. */
START_TEST(a_child_revokes_nothing)
{
	struct doca_mmap *mmap;
	const void *desc;
	size_t len;
	int status;
	pid_t pid;

	mmap = export_memory(&desc, &len);
	pthread_mutex_lock(&peer.busy);
	pid = fork();
	if (pid == 0)
		_exit(doca_mmap_destroy(mmap) == DOCA_SUCCESS ? 0 : 1);
	pthread_mutex_unlock(&peer.busy);
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	ck_assert_uint_eq(atomic_load(&peer.words[SLOT]), GENERATION);
	ck_assert_uint_eq(peer.n_destroyed, 0);
	ck_ok(doca_mmap_destroy(mmap));
	ck_assert_uint_eq(atomic_load(&peer.words[SLOT]), 0);
	ck_assert_uint_eq(peer.n_destroyed, 1);
}
END_TEST

static pthread_barrier_t locked, forked;

static void *hold_lock(void *arg)
{
	(void)arg;
	rpc_lock();
	pthread_barrier_wait(&locked);
	pthread_barrier_wait(&forked);
	rpc_unlock();
	return NULL;
}

/* A thread of the library may hold the lock for a long time while daemons are away. */
START_TEST(a_child_does_not_wait_for_a_thread)
{
	pthread_t thread;
	const void *desc;
	size_t len;
	int status;
	pid_t pid;

	ck_ok(doca_mmap_destroy(export_memory(&desc, &len)));
	pthread_barrier_init(&locked, NULL, 2);
	pthread_barrier_init(&forked, NULL, 2);
	ck_assert_int_eq(pthread_create(&thread, NULL, hold_lock, NULL), 0);
	pthread_barrier_wait(&locked);
	pid = fork();
	if (pid == 0) {
		alarm(10);
		rpc_lock();
		rpc_unlock();
		_exit(0);
	}
	pthread_barrier_wait(&forked);
	pthread_join(thread, NULL);
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	pthread_barrier_destroy(&locked);
	pthread_barrier_destroy(&forked);
}
END_TEST

static void *get_side_main(void *arg)
{
	session_on_own_thread();
	*(doca_error_t *)arg = session_get_side((char[8]){0}, (uint8_t[16]){0});
	return NULL;
}

/*
 * A thread of the library uses the environment that the program used; the program itself uses the
 * present one.
 */
START_TEST(the_environment_changes)
{
	doca_error_t result = DOCA_ERROR_UNKNOWN;
	pthread_t thread;

	ck_ok(session_get_side((char[8]){0}, (uint8_t[16]){0}));
	setenv("DOCOCORED_SOCKET", "/nowhere", 1);
	setenv("DOCA_SIDE", "neither", 1);
	hang_up();
	ck_assert_int_eq(pthread_create(&thread, NULL, get_side_main, &result), 0);
	ck_assert_int_eq(pthread_join(thread, NULL), 0);
	ck_ok(result);
	ck_assert_uint_eq(peer.n_connections, 2);
	hang_up();
	ck_fails(session_get_side((char[8]){0}, (uint8_t[16]){0}), DOCA_ERROR_INVALID_VALUE);
	ck_says("neither");
	unsetenv("DOCA_SIDE");
	ck_fails(session_get_side((char[8]){0}, (uint8_t[16]){0}), DOCA_ERROR_NOT_CONNECTED);
	ck_says("/nowhere");
}
END_TEST

/* A daemon that is stopped, or has a full backlog: connecting waits, but not for ever. */
START_TEST(a_daemon_that_accepts_nobody)
{
	struct sockaddr_un addr = {.sun_family = AF_UNIX};
	char dir[64];
	int listener = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0), r;

	unit_mkdtemp(dir, sizeof(dir), "session");
	snprintf(addr.sun_path, sizeof(addr.sun_path), "%s/s", dir);
	ck_assert_int_eq(bind(listener, (struct sockaddr *)&addr, sizeof(addr)), 0);
	ck_assert_int_eq(listen(listener, 0), 0);
	do {
		int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

		r = connect(fd, (struct sockaddr *)&addr, sizeof(addr));
	} while (r == 0);
	ck_assert_int_eq(errno, EAGAIN);
	setenv("DOCOCORED_SOCKET", addr.sun_path, 1);
	ck_fails(session_get_side((char[8]){0}, (uint8_t[16]){0}), DOCA_ERROR_NOT_CONNECTED);
	ck_says("no daemon answers");
	close(listener);
	unlink(addr.sun_path);
	rmdir(dir);
}
END_TEST

START_TEST(who_may_not_connect_is_told)
{
	char dir[64], path[80];
	doca_error_t result;

	unit_mkdtemp(dir, sizeof(dir), "session");
	snprintf(path, sizeof(path), "%s/s", dir);
	setenv("DOCOCORED_SOCKET", path, 1);
	/* Runs as another user, or without search permission for the directory. */
	if (geteuid() == 0)
		ck_assert_int_eq(seteuid(65534), 0);
	else
		ck_assert_int_eq(chmod(dir, 0), 0);
	result = session_get_side((char[8]){0}, (uint8_t[16]){0});
	ck_assert_int_eq(seteuid(getuid()), 0);
	ck_assert_int_eq(rmdir(dir), 0);
	ck_assert_int_eq(result, DOCA_ERROR_NOT_PERMITTED);
	ck_says("may not connect");
	ck_says("group doca");
}
END_TEST

static void close_endpoint(uint64_t id)
{
	Dococore__RdmaClose ask = DOCOCORE__RDMA_CLOSE__INIT;
	struct rpc_request request = {.packet = DOCOCORE__PACKET__INIT};
	CLEANUP_REPLY struct rpc_reply got = RPC_REPLY_INIT;

	ask.endpoint_id = id;
	request.packet.body_case = DOCOCORE__PACKET__BODY_RDMA_CLOSE;
	request.packet.rdma_close = &ask;
	ck_ok(rpc_call(&request, DOCOCORE__PACKET__BODY_OK, &got));
	ck_assert_uint_eq(got.packet->id, request.packet.id);
}

/* Returns an endpoint of the present connection. */
static struct rendezvous rendezvous_of_now(void)
{
	struct rendezvous rendezvous = {.is_open = true, .id = 1};

	rpc_lock();
	rendezvous.connection = rpc_connection_locked();
	rpc_unlock();
	return rendezvous;
}

/*
 * A disconnect happens on the data path, and the daemon may be away for a while; here it is still
 * executing a call. The request is sent all the same, and later calls are answered in their order.
 * A call of another thread is not waited for either.
 */
START_TEST(hanging_up_does_not_wait)
{
	struct rendezvous rendezvous;
	unsigned n = 0;

	close_endpoint(1);
	rendezvous = rendezvous_of_now();
	for (int round = 0; round < 3; round++) {
		pthread_mutex_lock(&peer.busy);
		for (int i = 0; i < 20; i++, n++)
			rendezvous_hang_up(&rendezvous, 7);
		pthread_mutex_unlock(&peer.busy);
		close_endpoint(1);
		ck_assert_uint_eq(peer.n_hung_up, n);
	}
	ck_assert_uint_eq(peer.n_connections, 1);
}
END_TEST

/* --- asynchronous requests --- */

static void on_reply_count(void *user)
{
	++*(unsigned *)user;
}

/* The answer, with two descriptors, has arrived. */
static struct rpc_pending *ask_for_import(unsigned *n_came)
{
	const struct rpc_options options = {.on_done = on_reply_count, .user = n_came};
	Dococore__ImportCreate create = DOCOCORE__IMPORT_CREATE__INIT;
	struct rpc_request request = {.packet = DOCOCORE__PACKET__INIT};
	struct rpc_pending *pending = NULL;
	struct pollfd fd = {.events = POLLIN};
	uint8_t secret[16] = {2};

	create.kind = DOCOCORE__EXPORT_KIND__PCI;
	create.export_id = 77;
	create.secret = (ProtobufCBinaryData){.data = secret, .len = 16};
	create.exporter_side = (char *)"dpu";
	request.packet.body_case = DOCOCORE__PACKET__BODY_IMPORT_CREATE;
	request.packet.import_create = &create;
	rpc_lock();
	ck_ok(session_ensure_locked());
	ck_ok(rpc_begin_locked(&request, &options, &pending));
	fd.fd = rpc_fd_locked();
	rpc_unlock();
	ck_assert_int_eq(poll(&fd, 1, UNIT_TIMEOUT * 1000), 1);
	ck_assert_int_eq(fd.revents, POLLIN);
	return pending;
}

/* The answer is read by a check, or by another request. */
static void read_reply(bool is_post)
{
	struct rendezvous rendezvous = rendezvous_of_now();

	if (is_post) {
		rendezvous_hang_up(&rendezvous, 7);
		return;
	}
	rpc_lock();
	rpc_receive_locked();
	rpc_unlock();
}

/* Same as for a call: lack of room for the answer is not the same as a missing daemon. */
START_TEST(a_reply_with_invalid_descriptors)
{
	CLEANUP_REPLY struct rpc_reply got = RPC_REPLY_INIT;
	struct rpc_pending *pending;
	struct rlimit room, none;
	unsigned n_came = 0;

	peer.is_garbling = _i >= 2;
	pending = ask_for_import(&n_came);
	ck_assert_int_eq(getrlimit(RLIMIT_NOFILE, &room), 0);
	none = room;
	none.rlim_cur = 2;
	ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &none), 0);
	read_reply(_i & 1);
	ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &room), 0);
	ck_assert_uint_eq(n_came, 1);
	ck_assert(rpc_is_done(pending));
	/* Sets another error on this thread. */
	ck_fails(doca_ctx_start(NULL), DOCA_ERROR_INVALID_VALUE);
	ck_fails(rpc_collect(&pending, DOCOCORE__PACKET__BODY_IMPORT_REPLY, &got),
		 _i < 2 ? DOCA_ERROR_NO_MEMORY : DOCA_ERROR_NOT_CONNECTED);
	ck_says(_i < 2 ? "raise RLIMIT_NOFILE" : "the daemon's connection is lost (");
	ck_assert_ptr_null(pending);
	/* The next call connects again. */
	ck_ok(session_get_side((char[8]){0}, (uint8_t[16]){0}));
	ck_assert_uint_eq(peer.n_connections, 2);
}
END_TEST

static void on_reply_ignore(void *user)
{
	(void)user;
}

/* Executes one step. Returns true when it is complete. */
static bool rendezvous_open_continues(struct rendezvous *rendezvous, struct doca_dev *dev,
				      struct rpc_pending **pending, doca_error_t *result_out)
{
	const struct rdma_waiter waiter = {.on_done = on_reply_ignore};

	rpc_lock();
	rpc_receive_locked();
	rpc_unlock();
	*result_out = *pending == NULL
			      ? rendezvous_open_begin(rendezvous, dev, true, &waiter, pending)
			      : rendezvous_open_end(rendezvous, dev, pending);
	return *result_out != DOCA_SUCCESS && *result_out != DOCA_ERROR_IN_PROGRESS;
}

/*
 * A thread that must not block can also open a device that the daemon did not have when it came
 * back; here the daemon answers no request. _i: another call opens the device before the answer is
 * read; or the request is cancelled.
 */
START_TEST(a_device_comes_back_without_waiting)
{
	struct doca_dev *dev = dev_not_restored(1);
	struct rendezvous rendezvous = {.is_open = false};
	struct rpc_pending *pending = NULL;
	doca_error_t result;
	uint64_t handle;

	pthread_mutex_lock(&peer.busy);
	ck_assert(!rendezvous_open_continues(&rendezvous, dev, &pending, &result));
	ck_ok(result);
	ck_assert(!rendezvous_open_continues(&rendezvous, dev, &pending, &result));
	pthread_mutex_unlock(&peer.busy);
	if (_i == 2) {
		pending = rpc_cancel(pending);
		/*
		 * The answer arrives with the other's, and the request that undoes it arrives
		 * first.
		 */
		close_endpoint(1);
		close_endpoint(1);
		ck_assert_uint_eq(peer.n_closed, 1);
		ck_assert_uint_eq(dev->handle, 0);
		ck_ok(doca_dev_close(dev));
		return;
	}
	if (_i == 1) {
		rpc_lock();
		ck_ok(dev_get_handle_locked(dev, &handle));
		rpc_unlock();
	}
	while (!rendezvous_open_continues(&rendezvous, dev, &pending, &result))
		poll(NULL, 0, 1);
	/* The answer is not a valid endpoint. */
	ck_assert_int_eq(result, DOCA_ERROR_UNEXPECTED);
	ck_assert_uint_eq(peer.asked_device, 5);
	ck_assert_uint_eq(peer.n_closed, _i);
	ck_assert_uint_eq(peer.n_connections, 2);
	ck_ok(doca_dev_close(dev));
}
END_TEST

/* --- calls of several threads --- */

static bool return_false(void)
{
	return false;
}

/*
 * The daemon answers too late: the call fails, the connection continues, and the objects in the
 * reply are released.
 */
START_TEST(a_late_reply_is_undone)
{
	const struct rpc_wait_policy soon = {
		.wake_fd = -1, .is_over = return_false, .timeout_ns = 1};
	Dococore__DeviceOpen body = DOCOCORE__DEVICE_OPEN__INIT;
	struct rpc_request request = {.packet = DOCOCORE__PACKET__INIT};
	CLEANUP_REPLY struct rpc_reply reply = RPC_REPLY_INIT;

	body.name = (char *)"any";
	request.packet.body_case = DOCOCORE__PACKET__BODY_DEVICE_OPEN;
	request.packet.device_open = &body;
	close_endpoint(1);
	pthread_mutex_lock(&peer.busy);
	ck_assert_ptr_null(rpc_set_wait_policy(&soon));
	ck_assert_int_eq(rpc_call(&request, DOCOCORE__PACKET__BODY_HANDLE_REPLY, &reply),
			 DOCA_ERROR_TIME_OUT);
	ck_assert_ptr_eq(rpc_set_wait_policy(NULL), &soon);
	ck_assert_ptr_nonnull(strstr(dococ_last_error(), "did not answer DeviceOpen"));
	pthread_mutex_unlock(&peer.busy);
	/* The late reply comes with the first one, and is undone before the second request. */
	close_endpoint(1);
	close_endpoint(1);
	ck_assert_uint_eq(peer.n_closed, 1);
	ck_assert_uint_eq(peer.n_connections, 1);
}
END_TEST

static void *open_unanswered(void *arg)
{
	static const struct rpc_wait_policy unlimited = {.wake_fd = -1, .is_over = return_false};
	Dococore__RdmaOpen body = DOCOCORE__RDMA_OPEN__INIT;
	struct rpc_request request = {.packet = DOCOCORE__PACKET__INIT};
	CLEANUP_REPLY struct rpc_reply reply = RPC_REPLY_INIT;

	request.packet.body_case = DOCOCORE__PACKET__BODY_RDMA_OPEN;
	request.packet.rdma_open = &body;
	(void)rpc_set_wait_policy(&unlimited);
	*(doca_error_t *)arg = rpc_call(&request, DOCOCORE__PACKET__BODY_RDMA_OPEN_REPLY, &reply);
	return NULL;
}

/* A thread whose call the daemon does not answer reads the replies of all others. */
START_TEST(an_unanswered_call_delays_no_other)
{
	doca_error_t result = DOCA_SUCCESS;
	pthread_t thread;

	peer.is_linked = true;
	close_endpoint(1);
	ck_assert_int_eq(pthread_create(&thread, NULL, open_unanswered, &result), 0);
	for (int i = 0; i < 20000 && peer.n_unanswered == 0; i++)
		poll(NULL, 0, 1);
	ck_assert_uint_eq(peer.n_unanswered, 1);
	for (unsigned i = 0; i < 1000; i++)
		close_endpoint(1);
	hang_up();
	ck_assert_int_eq(pthread_join(thread, NULL), 0);
	ck_assert_int_eq(result, DOCA_ERROR_NOT_CONNECTED);
	ck_assert_uint_eq(peer.n_connections, 1);
	close_endpoint(1);
	ck_assert_uint_eq(peer.n_connections, 2);
}
END_TEST

static void *call_often(void *arg)
{
	for (unsigned i = 0; i < 500; i++)
		close_endpoint(1);
	return arg;
}

/* Threads that call at the same time read for each other. */
START_TEST(threads_call_at_the_same_time)
{
	pthread_t threads[8];

	for (size_t i = 0; i < ARRAY_LEN(threads); i++)
		ck_assert_int_eq(pthread_create(&threads[i], NULL, call_often, NULL), 0);
	for (size_t i = 0; i < ARRAY_LEN(threads); i++)
		ck_assert_int_eq(pthread_join(threads[i], NULL), 0);
	ck_assert_uint_eq(peer.n_connections, 1);
}
END_TEST

static unsigned n_disconnects;

static void count_disconnect(struct session_item *item)
{
	(void)item;
	n_disconnects++;
}

/* The end of a connection is reported once, and without a call. */
START_TEST(a_hang_up_is_reported_once)
{
	struct session_item item = {.on_reconnect = NULL, .on_disconnect = count_disconnect};

	n_disconnects = 0;
	close_endpoint(1);
	rpc_lock();
	session_item_add_locked(&item);
	rpc_unlock();
	session_check_hangup();
	ck_assert_uint_eq(n_disconnects, 0);
	hang_up();
	session_check_hangup();
	session_check_hangup();
	ck_assert_uint_eq(n_disconnects, 1);
	rpc_lock();
	session_item_remove_locked(&item);
	rpc_unlock();
}
END_TEST

/* Progress ends an import without waiting for the daemon. */
START_TEST(an_import_ends_within_progress)
{
	struct import_liveness liveness = {.own = NULL};
	struct session_page *page;

	close_endpoint(1);
	rpc_lock();
	page = liveness.own = session_page_ref_locked();
	rpc_unlock();
	ck_assert_ptr_nonnull(page);
	ck_assert_uint_eq(page->refs, 2);
	pthread_mutex_lock(&peer.busy);
	import_unwatch(&liveness);
	import_release_async(9, (uint8_t[16]){1});
	/* An import of another daemon. */
	import_release_async(9, (uint8_t[16]){2});
	pthread_mutex_unlock(&peer.busy);
	ck_assert_ptr_null(liveness.own);
	ck_assert_uint_eq(page->refs, 1);
	/* The requests are answered in their order. */
	close_endpoint(1);
	ck_assert_uint_eq(peer.n_imports_ended, 1);
}
END_TEST

/* Progress ends an export while the daemon is busy, and does not wait for it. */
START_TEST(an_export_ends_within_progress)
{
	struct export export = {
		.what = "test",
		.dev = &unit_dev,
		.kind = DOCOCORE__EXPORT_KIND__PCI,
		.permissions = DOCA_ACCESS_FLAG_PCI_READ_ONLY,
		.addr = (uintptr_t)memory,
		.len = sizeof(memory),
		.memfd = -1,
		.ends_async = true,
	};

	ck_ok(export_open(&export));
	pthread_mutex_lock(&peer.busy);
	export_close(&export, NULL, NULL);
	pthread_mutex_unlock(&peer.busy);
	close_endpoint(1);
	ck_assert_uint_eq(peer.n_destroyed, 1);
	ck_assert_uint_eq(peer.n_connections, 1);
}
END_TEST

/* --- work items of the library's thread --- */

struct export_work {
	struct work_item begin, end;
	struct export export;
	doca_error_t result;
	sem_t is_over;
};

static void work_export(struct work_item *work)
{
	struct export_work *mine = container_of(work, struct export_work, begin);

	mine->result = export_open(&mine->export);
	sem_post(&mine->is_over);
}

static void work_unexport(struct work_item *work)
{
	struct export_work *mine = container_of(work, struct export_work, end);

	if (mine->result == DOCA_SUCCESS)
		export_close(&mine->export, NULL, NULL);
}

/* True if the daemon has an unread request. */
static bool has_unread_request(void)
{
	int n = 0;

	rpc_lock();
	if (rpc_fd_locked() >= 0)
		ck_assert_int_eq(ioctl(rpc_fd_locked(), SIOCOUTQ, &n), 0);
	rpc_unlock();
	return n > 0;
}

/* Starts a work item, which waits because the daemon is busy until the test changes that. */
static void work_begin(struct export_work *mine)
{
	*mine = (struct export_work){
		.begin.run = work_export,
		.end.run = work_unexport,
		.export = {.what = "test",
			   .dev = &unit_dev,
			   .kind = DOCOCORE__EXPORT_KIND__PCI,
			   .permissions = DOCA_ACCESS_FLAG_PCI_READ_ONLY,
			   .addr = (uintptr_t)memory,
			   .len = sizeof(memory),
			   .memfd = -1,
			   .ends_async = true},
	};
	sem_init(&mine->is_over, 0, 0);
	close_endpoint(1);
	pthread_mutex_lock(&peer.busy);
	ck_assert(work_submit(&mine->begin));
	for (int i = 0; i < 20000 && !has_unread_request(); i++)
		poll(NULL, 0, 1);
	ck_assert(has_unread_request());
}

static void work_finish(struct export_work *mine)
{
	work_run_or_submit(&mine->end);
	work_await_all();
	sem_destroy(&mine->is_over);
	/* The first answer arrives after the request that undoes it. */
	close_endpoint(1);
	close_endpoint(1);
	ck_assert_uint_eq(peer.n_destroyed, peer.n_exports);
	ck_assert_uint_eq(peer.n_connections, 1);
}

/* The work item waits for a daemon that does not answer, without holding the lock. */
START_TEST(a_work_item_may_block)
{
	struct export_work mine;

	work_begin(&mine);
	for (unsigned i = 0; i < 100; i++) {
		rpc_lock();
		rpc_receive_locked();
		rpc_unlock();
	}
	ck_assert_int_ne(sem_trywait(&mine.is_over), 0);
	pthread_mutex_unlock(&peer.busy);
	sem_wait(&mine.is_over);
	ck_ok(mine.result);
	work_finish(&mine);
	ck_assert_uint_eq(peer.n_exports, 1);
}
END_TEST

/*
 * A cancelled work item does not wait; what the daemon does all the same is undone. _i: its first
 * request opens the device, or the device is open already.
 */
START_TEST(a_work_item_is_cancelled)
{
	struct export_work mine;
	uint64_t handle;

	if (_i == 1) {
		rpc_lock();
		ck_ok(dev_get_handle_locked(&unit_dev, &handle));
		rpc_unlock();
	}
	work_begin(&mine);
	work_cancel(&mine.begin);
	sem_wait(&mine.is_over);
	ck_assert_int_eq(mine.result, DOCA_ERROR_CONNECTION_ABORTED);
	pthread_mutex_unlock(&peer.busy);
	work_finish(&mine);
	ck_assert_uint_eq(peer.n_exports, _i);
	ck_assert_uint_eq(peer.n_closed, 1 - _i);
}
END_TEST

/* The work item does not hold the lock while it waits, so another thread may do the same. */
START_TEST(a_work_item_opens_what_another_thread_has_opened)
{
	struct export_work mine;
	uint64_t handle;

	work_begin(&mine);
	rpc_lock();
	pthread_mutex_unlock(&peer.busy);
	ck_ok(dev_get_handle_locked(&unit_dev, &handle));
	rpc_unlock();
	sem_wait(&mine.is_over);
	ck_ok(mine.result);
	work_finish(&mine);
	ck_assert_uint_eq(peer.n_closed, 1);
}
END_TEST

/* One-way requests of a work item are not waited for, and in particular not with the lock held. */
START_TEST(a_work_item_sends_a_notice)
{
	struct export_work mine;

	work_begin(&mine);
	pthread_mutex_unlock(&peer.busy);
	sem_wait(&mine.is_over);
	ck_ok(mine.result);
	mine.export.ends_async = false;
	pthread_mutex_lock(&peer.busy);
	ck_assert(work_submit(&mine.end));
	work_await_all();
	pthread_mutex_unlock(&peer.busy);
	close_endpoint(1);
	close_endpoint(1);
	ck_assert_uint_eq(peer.n_destroyed, 1);
	ck_assert_uint_eq(peer.n_connections, 1);
	sem_destroy(&mine.is_over);
}
END_TEST

/* Closing a device that stays open for others neither waits for a work item nor cancels it. */
START_TEST(a_device_is_closed_meanwhile)
{
	struct export_work mine;
	struct doca_dev *dev;

	ck_ok(doca_dev_open(&unit_info, &dev));
	ck_ok(doca_dev_open(&unit_info, &dev));
	dev_hold(dev);
	work_begin(&mine);
	ck_ok(doca_dev_close(dev));
	ck_assert_int_ne(sem_trywait(&mine.is_over), 0);
	pthread_mutex_unlock(&peer.busy);
	sem_wait(&mine.is_over);
	ck_ok(mine.result);
	work_finish(&mine);
	ck_fails(doca_dev_close(dev), DOCA_ERROR_IN_USE);
	dev_release(dev);
	ck_ok(doca_dev_close(dev));
}
END_TEST

struct device_work {
	struct work_item work;
	struct doca_dev *dev;
	sem_t may_end;
};

static void work_release(struct work_item *work)
{
	struct device_work *mine = container_of(work, struct device_work, work);

	sem_wait(&mine->may_end);
	dev_release(mine->dev);
}

static void *post_semaphore(void *arg)
{
	sem_post(arg);
	return NULL;
}

/* The work item keeps the device open until it has finished. */
START_TEST(a_device_is_closed_behind_a_work_item)
{
	struct device_work mine = {.work.run = work_release};
	pthread_t thread;

	sem_init(&mine.may_end, 0, 0);
	ck_ok(doca_dev_open(&unit_info, &mine.dev));
	dev_hold(mine.dev);
	ck_assert(work_submit(&mine.work));
	ck_assert_int_eq(pthread_create(&thread, NULL, post_semaphore, &mine.may_end), 0);
	ck_ok(doca_dev_close(mine.dev));
	ck_assert_int_eq(pthread_join(thread, NULL), 0);
	work_await_all();
	sem_destroy(&mine.may_end);
}
END_TEST

/* The answer to the work item's request never arrives. */
START_TEST(a_work_item_loses_its_daemon)
{
	struct export_work mine;

	work_begin(&mine);
	rpc_lock();
	ck_assert_int_eq(shutdown(rpc_fd_locked(), SHUT_RDWR), 0);
	rpc_unlock();
	sem_wait(&mine.is_over);
	ck_assert_int_eq(mine.result, DOCA_ERROR_NOT_CONNECTED);
	pthread_mutex_unlock(&peer.busy);
	work_await_all();
}
END_TEST

struct environment_work {
	struct work_item work;
	sem_t *may_look;
	bool is_verbs;
};

static void work_read_environment(struct work_item *work)
{
	struct environment_work *mine = container_of(work, struct environment_work, work);

	sem_wait(mine->may_look);
	mine->is_verbs = env_wants_verbs();
}

/* The program may change the environment meanwhile. */
START_TEST(a_work_item_uses_the_environment_snapshot)
{
	struct environment_work mine[2] = {{.work.run = work_read_environment},
					   {.work.run = work_read_environment}};
	sem_t may_look;

	sem_init(&may_look, 0, 0);
	mine[0].may_look = mine[1].may_look = &may_look;
	setenv("DOCOCORED_TRANSPORT", "verbs", 1);
	ck_assert(work_submit(&mine[0].work));
	unsetenv("DOCOCORED_TRANSPORT");
	ck_assert(work_submit(&mine[1].work));
	sem_post(&may_look);
	sem_post(&may_look);
	work_await_all();
	ck_assert(mine[0].is_verbs);
	ck_assert(!mine[1].is_verbs);
	ck_assert(!env_wants_verbs());
	sem_destroy(&may_look);
}
END_TEST

/*
 * A work item makes a device reachable for other machines, and the daemon does not answer. Exports
 * on another device must not wait for that.
 */
START_TEST(a_work_item_delays_no_other_device)
{
	struct doca_dev other = {.info = unit_dev.info, .handle = 6};
	struct export_work mine;
	struct export export = {
		.what = "test",
		.dev = &other,
		.kind = DOCOCORE__EXPORT_KIND__PCI,
		.permissions = DOCA_ACCESS_FLAG_PCI_READ_ONLY,
		.addr = (uintptr_t)memory,
		.len = sizeof(memory),
		.memfd = -1,
	};

	peer.is_linked = true;
	work_begin(&mine);
	pthread_mutex_unlock(&peer.busy);
	for (int i = 0; i < 20000 && peer.n_unanswered == 0; i++)
		poll(NULL, 0, 1);
	ck_assert_uint_eq(peer.n_unanswered, 1);
	ck_ok(export_open(&export));
	export_close(&export, NULL, NULL);
	ck_assert_uint_eq(peer.n_unanswered, 2);
	ck_assert_int_ne(sem_trywait(&mine.is_over), 0);
	work_cancel(&mine.begin);
	sem_wait(&mine.is_over);
	/* The memory is reachable within this machine. */
	ck_ok(mine.result);
	work_finish(&mine);
}
END_TEST

static void await_greetings(unsigned n)
{
	for (int i = 0; i < 20000 && peer.n_greeted < n; i++)
		poll(NULL, 0, 1);
	ck_assert_uint_eq(peer.n_greeted, n);
}

static void reconnect(void)
{
	rpc_lock();
	session_reconnect_locked(true);
	rpc_unlock();
}

/*
 * Progress does not wait for a daemon that is slow to answer the greeting: the library's thread
 * does, once. _i: the daemon ends instead of answering.
 */
START_TEST(progress_does_not_wait_for_a_connection)
{
	pthread_mutex_lock(&peer.busy);
	peer.hangs_up_after_hello = _i == 1;
	reconnect();
	reconnect();
	rpc_lock();
	ck_assert(session_is_over_locked());
	rpc_unlock();
	pthread_mutex_unlock(&peer.busy);
	await_greetings(1);
	peer.hangs_up_after_hello = false;
	close_endpoint(1);
	if (_i == 0)
		ck_assert_uint_eq(peer.n_connections, 1);
	else
		ck_assert_uint_ge(peer.n_connections, 2);
	work_await_all();
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("client/session");
	TCase *alone = unit_case(suite, "no daemon", UNIT_TIMEOUT);
	TCase *tcase = unit_case(suite, "session", UNIT_TIMEOUT);

	tcase_add_test(alone, a_daemon_that_accepts_nobody);
	tcase_add_test(alone, who_may_not_connect_is_told);
	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_test(tcase, an_export_lives_until_the_stop);
	tcase_add_test(tcase, the_page_is_sealed);
	tcase_add_loop_test(tcase, an_old_daemon_gets_no_memory_for_one_user_only, 0, 2);
	tcase_add_loop_test(tcase, the_daemon_says_whom_an_exporter_permits, 0,
			    ARRAY_LEN(permissions));
	tcase_add_loop_test(tcase, wrong_answers_leave_nothing, LIE_EXPORT_SLOT, N_LIES);
	tcase_add_test(tcase, the_failing_transport_is_named);
	tcase_add_test(tcase, exports_are_restored);
	tcase_add_test(tcase, restoring_does_not_nest);
	tcase_add_loop_test(tcase, a_revoked_export_is_made_anew, 0, 2);
	tcase_add_loop_test(tcase, a_revocation_is_heard, 0, 2);
	tcase_add_loop_test(tcase, a_device_outlives_the_session, 0, 3);
	tcase_add_loop_test(tcase, a_device_comes_back_late, 0, 2);
	tcase_add_test(tcase, a_device_stays_away);
	tcase_add_loop_test(tcase, a_device_comes_back_without_waiting, 0, 3);
	tcase_add_test(tcase, a_revoked_event_is_exported_anew);
	tcase_add_loop_test(tcase, a_revoked_export_is_not_restored, 0, 3);
	tcase_add_test(tcase, a_second_export_makes_an_event_shared);
	tcase_add_test(tcase, a_restored_event_is_shared);
	tcase_add_test(tcase, the_environment_changes);
	tcase_add_test(tcase, a_child_revokes_nothing);
	tcase_add_test(tcase, a_child_does_not_wait_for_a_thread);
	tcase_add_test(tcase, hanging_up_does_not_wait);
	tcase_add_loop_test(tcase, a_reply_with_invalid_descriptors, 0, 4);
	tcase_add_test(tcase, a_late_reply_is_undone);
	tcase_add_test(tcase, an_unanswered_call_delays_no_other);
	tcase_add_test(tcase, threads_call_at_the_same_time);
	tcase_add_test(tcase, a_hang_up_is_reported_once);
	tcase_add_test(tcase, an_import_ends_within_progress);
	tcase_add_test(tcase, an_export_ends_within_progress);
	tcase_add_test(tcase, a_work_item_may_block);
	tcase_add_loop_test(tcase, a_work_item_is_cancelled, 0, 2);
	tcase_add_test(tcase, a_work_item_opens_what_another_thread_has_opened);
	tcase_add_test(tcase, a_work_item_sends_a_notice);
	tcase_add_test(tcase, a_device_is_closed_meanwhile);
	tcase_add_test(tcase, a_device_is_closed_behind_a_work_item);
	tcase_add_test(tcase, a_work_item_loses_its_daemon);
	tcase_add_test(tcase, a_work_item_uses_the_environment_snapshot);
	tcase_add_test(tcase, a_work_item_delays_no_other_device);
	tcase_add_loop_test(tcase, progress_does_not_wait_for_a_connection, 0, 2);
	return unit_run(suite);
}
