/*
 * Two daemons and raw clients: sync events as exports, their rights, and which sleepers are woken
 * when they end.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/falloc.h>
#include <linux/futex.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "proto/shm_layout.h"
#include "tests/unit/daemon/pair.h"
#include "util/clock.h"
#include "util/fd.h"
#include "util/memfd.h"

#define PCI        DOCOCORE__EXPORT_KIND__PCI
#define RDMA       DOCOCORE__EXPORT_KIND__RDMA
#define SYNC_PCI   DOCOCORE__EXPORT_KIND__SYNC_PCI
#define SYNC_NET   DOCOCORE__EXPORT_KIND__SYNC_NET
#define RDMA_READ  2u
#define RDMA_WRITE 4u
#define ATOMIC     8u
#define PCI_READ   16u
#define PCI_WRITE  32u
#define OFFSET     (64u + 8u)
#define AWAIT_NS   (20 * NS_PER_SEC)

static struct daemon_pair pair;
static struct client host, dpu;
static uint64_t pf0, p0;

/* Descriptors of an exporter. */
struct event_parts {
	int fds[3]; /* counter, sleep words, eventfd */
	struct sync_words *words;
	_Atomic uint64_t *counter;
	char *page;
};

/* Descriptors of an importer. */
struct view {
	uint64_t id;
	const struct liveness_page *page;
	uint32_t slot, generation;
	int fds[5];
};

static void open_clients(void)
{
	pair_start_linked(&pair);
	client_open(&host, &pair, SIDE_HOST);
	client_open(&dpu, &pair, SIDE_DPU);
	pf0 = client_open_device(&host, "pf0");
	p0 = client_open_device(&dpu, "p0");
}

static void set_up(void)
{
	pair_set_up(&pair);
	open_clients();
}

static void tear_down(void)
{
	client_close(&host);
	client_close(&dpu);
	pair_tear_down(&pair);
}

static void parts_init(struct event_parts *parts)
{
	parts->fds[0] = memfd_create_sealable("counter", 4096);
	parts->fds[1] = memfd_create_sealable("words", SYNC_WORDS_LEN);
	parts->fds[2] = fd_eventfd();
	parts->page = memfd_map(parts->fds[0], 0, 4096, true);
	parts->words = memfd_map(parts->fds[1], 0, SYNC_WORDS_LEN, true);
	ck_assert(parts->page && parts->words && parts->fds[2] >= 0);
	parts->counter = (_Atomic uint64_t *)(void *)(parts->page + OFFSET);
	parts->words->magic = SYNC_WORDS_MAGIC;
	parts->words->version = SYNC_WORDS_LAYOUT;
}

static void parts_deinit(struct event_parts *parts)
{
	memfd_unmap(parts->page, 4096);
	memfd_unmap(parts->words, SYNC_WORDS_LEN);
	for (size_t i = 0; i < 3; i++)
		fd_close(&parts->fds[i]);
}

static void describe(Dococore__ExportCreate *ask, Dococore__ExportKind kind, uint32_t permissions)
{
	dococore__export_create__init(ask);
	ask->kind = kind;
	ask->addr = 0x7000018;
	ask->len = 8;
	ask->permissions = permissions;
	ask->memory = DOCOCORE__MEMORY_KIND__MEMFD;
	ask->memfd_offset = OFFSET;
}

static const Dococore__Packet *ask_export(struct client *client, Dococore__ExportCreate *ask,
					  const int fds[3])
{
	Dococore__Packet packet = DOCOCORE__PACKET__INIT;

	packet.body_case = DOCOCORE__PACKET__BODY_EXPORT_CREATE;
	packet.export_create = ask;
	return client_ask(client, &packet, fds, 3);
}

static bool grants_write(Dococore__ExportKind kind, uint32_t permissions)
{
	return permissions & (kind == SYNC_PCI ? PCI_WRITE : RDMA_WRITE | ATOMIC);
}

/* Acts like an exporter: read-only memory is sealed. */
static void export_event(struct client *client, uint64_t device, Dococore__ExportKind kind,
			 uint32_t permissions, const struct event_parts *parts, struct proof *proof)
{
	Dococore__ExportCreate ask;

	ck_assert(memfd_settle(parts->fds[0], grants_write(kind, permissions)));
	describe(&ask, kind, permissions);
	ask.device = device;
	ask_export(client, &ask, parts->fds);
	client_receive_proof(client, proof);
}

static void receive_view(struct client *client, struct view *view)
{
	const Dococore__ImportReply *reply = client->reply->import_reply;

	ck_assert_msg(client->reply->body_case == DOCOCORE__PACKET__BODY_IMPORT_REPLY, "%s",
		      client->reply->body_case == DOCOCORE__PACKET__BODY_ERROR
			      ? client->reply->error->text
			      : "another message");
	for (size_t i = 0; i < 5; i++)
		view->fds[i] = fdset_steal(&client->fds, i);
	view->page = memfd_map(view->fds[0], 0, reply->liveness_len, false);
	ck_assert_ptr_nonnull(view->page);
	view->id = reply->import_id;
	view->slot = reply->slot;
	view->generation = reply->generation;
	ck_assert_uint_eq(reply->len, 8);
	ck_assert_uint_eq(reply->addr, 0x7000018);
	ck_assert_uint_eq(reply->memfd_offset, OFFSET);
	ck_assert_int_eq(reply->memory, DOCOCORE__MEMORY_KIND__MEMFD);
	ck_assert(fd_is_eventfd(view->fds[4]));
	ck_assert_int_eq(memfd_verify_exact(view->fds[3], SYNC_WORDS_LEN), 0);
	ck_assert_int_eq(fcntl(view->fds[3], F_GETFL) & O_ACCMODE, O_RDWR);
}

static void view_deinit(struct view *view)
{
	for (size_t i = 0; i < 5; i++)
		fd_close(&view->fds[i]);
}

static int view_access(const struct view *view)
{
	return fcntl(view->fds[2], F_GETFL) & O_ACCMODE;
}

static bool view_is_alive(const struct view *view)
{
	return liveness_is_alive(atomic_load(&view->page->words[view->slot]), view->generation);
}

static bool view_is_shared(const struct view *view)
{
	return atomic_load(&view->page->words[view->slot]) & LIVENESS_SHARED;
}

static void export_destroy(struct client *client, uint64_t id)
{
	Dococore__ExportDestroy ask = DOCOCORE__EXPORT_DESTROY__INIT;
	Dococore__Packet packet = DOCOCORE__PACKET__INIT;

	ask.export_id = id;
	packet.body_case = DOCOCORE__PACKET__BODY_EXPORT_DESTROY;
	packet.export_destroy = &ask;
	client_ask(client, &packet, NULL, 0);
	ck_assert_int_eq(client->reply->body_case, DOCOCORE__PACKET__BODY_OK);
}

/* The importer's three descriptors are the exporter's. */
static void check_shared(const struct event_parts *parts, const struct view *view)
{
	struct sync_words *words = memfd_map(view->fds[3], 0, SYNC_WORDS_LEN, true);
	const char *page = memfd_map(view->fds[2], 0, 4096, false);

	ck_assert(words && page);
	atomic_store(parts->counter, UINT64_MAX - 5);
	ck_assert_uint_eq(atomic_load((const _Atomic uint64_t *)(const void *)(page + OFFSET)),
			  UINT64_MAX - 5);
	atomic_store(&words->sleepers, SYNC_SLEEP_FUTEX);
	ck_assert_uint_eq(atomic_load(&parts->words->sleepers), SYNC_SLEEP_FUTEX);
	fd_eventfd_ring(view->fds[4]);
	ck_assert(fd_eventfd_clear(parts->fds[2]));
	memfd_unmap(words, SYNC_WORDS_LEN);
	memfd_unmap((void *)(uintptr_t)page, 4096);
}

START_TEST(both_directions)
{
	struct event_parts parts;
	struct proof proof;
	struct view view;
	uint64_t other;

	parts_init(&parts);
	export_event(&host, pf0, SYNC_PCI, PCI_WRITE, &parts, &proof);
	client_ask_import(&dpu, p0, &proof.reply, SYNC_PCI, "host");
	receive_view(&dpu, &view);
	ck_assert_int_eq(dpu.reply->import_reply->kind, SYNC_PCI);
	ck_assert_uint_eq(dpu.reply->import_reply->exporter_pid, (uint32_t)getpid());
	ck_assert_int_eq(view_access(&view), O_RDWR);
	check_shared(&parts, &view);
	view_deinit(&view);
	other = client_open_device(&dpu, "p1");
	client_ask_import(&dpu, other, &proof.reply, SYNC_PCI, "host");
	client_check_error(&dpu, CODE_NOT_PERMITTED);
	/*
	 * The other direction: the representor of the importer's function is under the exporter's
	 * device.
	 */
	export_event(&dpu, p0, SYNC_PCI, PCI_WRITE, &parts, &proof);
	client_ask_import(&host, pf0, &proof.reply, SYNC_PCI, "dpu");
	receive_view(&host, &view);
	check_shared(&parts, &view);
	view_deinit(&view);
	client_ask_import(&host, client_open_device(&host, "pf0vf1"), &proof.reply, SYNC_PCI,
			  "dpu");
	receive_view(&host, &view);
	view_deinit(&view);
	client_ask_import(&host, client_open_device(&host, "pf1"), &proof.reply, SYNC_PCI, "dpu");
	client_check_error(&host, CODE_NOT_PERMITTED);
	export_event(&dpu, other, SYNC_PCI, PCI_WRITE, &parts, &proof);
	client_ask_import(&host, pf0, &proof.reply, SYNC_PCI, "dpu");
	client_check_error(&host, CODE_NOT_PERMITTED);
	parts_deinit(&parts);
}
END_TEST

START_TEST(same_side)
{
	struct event_parts parts;
	struct client other;
	struct proof proof;
	struct view view;

	parts_init(&parts);
	client_open(&other, &pair, SIDE_HOST);
	export_event(&host, pf0, SYNC_PCI, PCI_WRITE, &parts, &proof);
	client_ask_import(&other, client_open_device(&other, "pf0"), &proof.reply, SYNC_PCI,
			  "host");
	client_check_error(&other, CODE_NOT_PERMITTED);
	/* Over the network: same side, same process, other side, any device. */
	export_event(&host, pf0, SYNC_NET, RDMA_READ | RDMA_WRITE, &parts, &proof);
	client_ask_import(&other, client_open_device(&other, "pf1"), &proof.reply, SYNC_NET,
			  "host");
	receive_view(&other, &view);
	ck_assert(!other.reply->import_reply->same_process);
	ck_assert_int_eq(other.reply->import_reply->kind, SYNC_NET);
	check_shared(&parts, &view);
	view_deinit(&view);
	client_ask_import(&host, pf0, &proof.reply, SYNC_NET, "host");
	receive_view(&host, &view);
	ck_assert(host.reply->import_reply->same_process);
	view_deinit(&view);
	client_ask_import(&dpu, client_open_device(&dpu, "p1"), &proof.reply, SYNC_NET, "host");
	receive_view(&dpu, &view);
	ck_assert_int_eq(dpu.reply->import_reply->kind, SYNC_NET);
	check_shared(&parts, &view);
	view_deinit(&view);
	client_close(&other);
	parts_deinit(&parts);
}
END_TEST

START_TEST(rights_of_the_counter)
{
	static const struct {
		Dococore__ExportKind kind;
		uint32_t permissions;
		int access;
	} cases[] = {
		{SYNC_PCI, PCI_READ, O_RDONLY},
		{SYNC_PCI, PCI_READ | RDMA_WRITE | ATOMIC | 1, O_RDONLY},
		{SYNC_PCI, PCI_WRITE, O_RDWR},
		{SYNC_NET, RDMA_READ, O_RDONLY},
		{SYNC_NET, RDMA_READ | PCI_WRITE | 1, O_RDONLY},
		{SYNC_NET, RDMA_WRITE, O_RDWR},
		{SYNC_NET, ATOMIC, O_RDWR},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct event_parts parts;
		struct proof proof;
		struct view view;

		parts_init(&parts);
		export_event(&host, pf0, cases[i].kind, cases[i].permissions, &parts, &proof);
		client_ask_import(&dpu, p0, &proof.reply, cases[i].kind, "host");
		receive_view(&dpu, &view);
		ck_assert_int_eq(view_access(&view), cases[i].access);
		if (cases[i].access == O_RDONLY)
			ck_assert(!memfd_is_writable(view.fds[2]));
		view_deinit(&view);
		parts_deinit(&parts);
	}
}
END_TEST

/* The access mode of a descriptor does not restrict processes of the same user. */
START_TEST(a_counter_to_be_read_must_be_sealed)
{
	Dococore__ExportCreate ask;
	struct event_parts parts;

	parts_init(&parts);
	describe(&ask, SYNC_PCI, PCI_READ);
	ask.device = pf0;
	ask_export(&host, &ask, parts.fds);
	client_check_error(&host, CODE_INVALID_VALUE);
	ck_assert_ptr_nonnull(strstr(host.reply->error->text, "F_SEAL_FUTURE_WRITE"));
	parts_deinit(&parts);
}
END_TEST

START_TEST(kinds_are_compared)
{
	static const Dococore__ExportKind kinds[] = {PCI, RDMA, SYNC_PCI, SYNC_NET};
	struct event_parts parts;
	struct proof proof;

	parts_init(&parts);
	for (size_t made = 0; made < ARRAY_LEN(kinds); made++) {
		uint32_t permissions = PCI_WRITE | RDMA_READ | RDMA_WRITE;

		if (made < 2)
			client_ask_export(&host, pf0, kinds[made], permissions, -1, 8);
		else
			export_event(&host, pf0, kinds[made], permissions, &parts, &proof);
		if (made < 2)
			client_receive_proof(&host, &proof);
		for (size_t asked = 0; asked < ARRAY_LEN(kinds); asked++) {
			client_ask_import(&dpu, p0, &proof.reply, kinds[asked], "host");
			if (asked == made)
				ck_assert_int_eq(dpu.reply->body_case,
						 DOCOCORE__PACKET__BODY_IMPORT_REPLY);
			else
				client_check_error(&dpu, CODE_NOT_PERMITTED);
		}
	}
	parts_deinit(&parts);
}
END_TEST

static void refuse(Dococore__ExportCreate *ask, const int fds[3])
{
	ask_export(&host, ask, fds);
	client_check_error(&host, CODE_INVALID_VALUE);
}

START_TEST(wrong_requests)
{
	struct event_parts parts;
	Dococore__ExportCreate ask;

	parts_init(&parts);
	for (int i = 0; i < 9; i++) {
		describe(&ask, i % 2 ? SYNC_NET : SYNC_PCI, PCI_WRITE | RDMA_WRITE);
		ask.device = pf0;
		switch (i) {
		case 0:
			ask.len = 4;
			break;
		case 1:
			ask.len = 16;
			break;
		case 2:
			ask.addr += 4;
			break;
		case 3:
			ask.memfd_offset += 4;
			break;
		case 4:
			ask.memory = DOCOCORE__MEMORY_KIND__PRIVATE;
			break;
		case 5:
			ask.memfd_offset = 4096;
			break;
		case 6:
			ask.memfd_offset = UINT64_MAX - 7;
			break;
		case 7:
			ask.permissions = 128;
			break;
		default:
			ask.addr = UINT64_MAX - 7;
			ask.len = 8;
			ask.memfd_offset = INT64_MAX - 7;
		}
		refuse(&ask, parts.fds);
	}
	describe(&ask, SYNC_PCI, RDMA_WRITE);
	ask.device = pf0;
	ask_export(&host, &ask, parts.fds);
	client_check_error(&host, CODE_NOT_PERMITTED);
	describe(&ask, SYNC_NET, PCI_WRITE);
	ask.device = pf0;
	ask_export(&host, &ask, parts.fds);
	client_check_error(&host, CODE_NOT_PERMITTED);
	parts_deinit(&parts);
}
END_TEST

/* Creates the i-th wrong descriptor and stores its place. Returns -1 after the last. */
static int wrong_fd(int i, const struct event_parts *parts, size_t *place_out)
{
	int fd;

	*place_out = i < 3 ? 0 : i < 11 ? 1 : 2;
	switch (i) {
	case 0: /* not sealed */
		fd = memfd_create("raw", MFD_CLOEXEC | MFD_ALLOW_SEALING);
		ck_assert_int_eq(ftruncate(fd, 4096), 0);
		return fd;
	case 1: /* not open for writing */
		return fd_reopen(parts->fds[0], O_RDONLY);
	case 2:
	case 3:
	case 11:
		return open("/dev/null", O_RDWR | O_CLOEXEC);
	case 4:
		fd = memfd_create("raw", MFD_CLOEXEC | MFD_ALLOW_SEALING);
		ck_assert_int_eq(ftruncate(fd, SYNC_WORDS_LEN), 0);
		return fd;
	case 5: /* may grow */
		fd = memfd_create("raw", MFD_CLOEXEC | MFD_ALLOW_SEALING);
		ck_assert_int_eq(ftruncate(fd, SYNC_WORDS_LEN), 0);
		ck_assert_int_eq(fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK), 0);
		return fd;
	case 6:
		return memfd_create_sealed("short", SYNC_WORDS_LEN - 1);
	case 7:
		return memfd_create_sealed("long", SYNC_WORDS_LEN + 1);
	case 8: /* no magic */
		return memfd_create_sealed("empty", SYNC_WORDS_LEN);
	case 9:
		return fd_reopen(parts->fds[1], O_RDONLY);
	case 10: /* no process can write it any more */
		fd = memfd_create_sealable("frozen", SYNC_WORDS_LEN);
		ck_assert_int_eq(write(fd, parts->words, SYNC_WORDS_LEN), SYNC_WORDS_LEN);
		ck_assert_int_eq(fcntl(fd, F_ADD_SEALS, F_SEAL_WRITE), 0);
		return fd;
	case 12:
		return memfd_create_sealed("no eventfd", 8);
	default:
		return -1;
	}
}

/*
 * Waits for the number of descriptors, because those of a request are closed after its answer was
 * sent.
 */
static void await_fds(size_t n)
{
	uint64_t deadline_ns = clock_now_ns() + AWAIT_NS;

	while (pair_count_fds(&pair, SIDE_HOST) != n) {
		ck_assert_uint_lt(clock_now_ns(), deadline_ns);
		poll(NULL, 0, 1);
	}
}

START_TEST(wrong_descriptors)
{
	size_t n_fds = pair_count_fds(&pair, SIDE_HOST), place;
	struct event_parts parts;
	Dococore__ExportCreate ask;
	struct proof proof;
	int fd;

	parts_init(&parts);
	for (int i = 0; (fd = wrong_fd(i, &parts, &place)) >= 0; i++) {
		int fds[3] = {parts.fds[0], parts.fds[1], parts.fds[2]};

		fds[place] = fd;
		describe(&ask, SYNC_PCI, PCI_WRITE);
		ask.device = pf0;
		refuse(&ask, fds);
		close(fd);
	}
	await_fds(n_fds);
	export_event(&host, pf0, SYNC_PCI, PCI_WRITE, &parts, &proof);
	await_fds(n_fds + 3);
	export_destroy(&host, proof.reply.export_id);
	await_fds(n_fds);
	parts_deinit(&parts);
}
END_TEST

/* Sleeps like a waiter until the export has ended. Never returns. */
static void sleep_until_dead(struct sync_words *words, const struct view *view)
{
	uint32_t seq;

	while (seq = atomic_load(&words->seq), view_is_alive(view))
		syscall(SYS_futex, &words->seq, FUTEX_WAIT, seq, NULL, NULL, 0);
	_exit(0);
}

static void await_readable(int fd)
{
	struct pollfd p = {.fd = fd, .events = POLLIN};

	ck_assert_int_eq(poll(&p, 1, clock_poll_timeout(clock_now_ns() + AWAIT_NS)), 1);
}

/* The end is caused by a stop, by the end of the session, or by the death of the process. */
static void check_wake(int how)
{
	struct event_parts parts;
	struct client exporter;
	struct proof proof;
	struct view view;
	pid_t sleepers[2], owner = 0;
	int pipe_fds[2], status;
	uint32_t seq;
	char c = 0;

	ck_assert_int_eq(pipe2(pipe_fds, O_CLOEXEC), 0);
	parts_init(&parts);
	if (how == 2) {
		owner = fork();
		if (owner == 0) {
			client_open(&exporter, &pair, SIDE_HOST);
			export_event(&exporter, client_open_device(&exporter, "pf0"), SYNC_PCI,
				     PCI_READ, &parts, &proof);
			ck_assert_int_eq(write(pipe_fds[1], &proof, sizeof(proof)), sizeof(proof));
			for (;;)
				pause();
		}
		ck_assert_int_eq(read(pipe_fds[0], &proof, sizeof(proof)), sizeof(proof));
		proof.reply.secret.data = proof.secret;
	} else {
		client_open(&exporter, &pair, SIDE_HOST);
		export_event(&exporter, client_open_device(&exporter, "pf0"), SYNC_PCI, PCI_READ,
			     &parts, &proof);
	}
	client_ask_import(&dpu, p0, &proof.reply, SYNC_PCI, "host");
	receive_view(&dpu, &view);
	seq = atomic_load(&parts.words->seq);
	for (size_t i = 0; i < ARRAY_LEN(sleepers); i++) {
		sleepers[i] = fork();
		if (sleepers[i] == 0) {
			ck_assert_int_eq(write(pipe_fds[1], &c, 1), 1);
			/* Includes the exporter's socket. */
			close_range(3, ~0u, 0);
			sleep_until_dead(parts.words, &view);
		}
		ck_assert_int_eq(read(pipe_fds[0], &c, 1), 1);
	}
	ck_assert(!fd_eventfd_clear(view.fds[4]));
	if (how == 0)
		export_destroy(&exporter, proof.reply.export_id);
	else if (how == 1)
		client_close(&exporter);
	else
		kill(owner, SIGKILL);
	if (how == 2)
		ck_assert_int_eq(waitpid(owner, &status, 0), owner);
	await_readable(view.fds[4]);
	ck_assert(!view_is_alive(&view));
	ck_assert_uint_eq(atomic_load(&parts.words->seq), seq + 1);
	for (size_t i = 0; i < ARRAY_LEN(sleepers); i++) {
		ck_assert_int_eq(waitpid(sleepers[i], &status, 0), sleepers[i]);
		ck_assert_int_eq(status, 0);
	}
	if (how == 0)
		client_close(&exporter);
	view_deinit(&view);
	parts_deinit(&parts);
	close(pipe_fds[0]);
	close(pipe_fds[1]);
}

START_TEST(sleepers_are_woken)
{
	check_wake(_i);
}
END_TEST

/*
 * A publisher can be killed between clearing the sleepers' bits and waking them. Then no process
 * wakes them, so the daemon must when it processes the end.
 */
START_TEST(sleepers_of_a_dead_publisher)
{
	enum side side = _i == 0 ? SIDE_HOST : SIDE_DPU;
	struct event_parts parts;
	struct client importer;
	struct proof proof;
	struct view view;

	parts_init(&parts);
	export_event(&host, pf0, SYNC_NET, RDMA_READ | RDMA_WRITE, &parts, &proof);
	client_open(&importer, &pair, side);
	client_ask_import(&importer, client_open_device(&importer, _i == 0 ? "pf0" : "p0"),
			  &proof.reply, SYNC_NET, "host");
	receive_view(&importer, &view);
	ck_assert_uint_eq(atomic_load(&parts.words->seq), 0);
	if (_i == 2)
		pair_stop(&pair, SIDE_DPU, SIGKILL);
	client_close(&importer);
	await_readable(parts.fds[2]);
	ck_assert_uint_eq(atomic_load(&parts.words->seq), 1);
	ck_assert(view_is_alive(&view));
	view_deinit(&view);
	parts_deinit(&parts);
}
END_TEST

/*
 * A peer has filled the eventfd and made it blocking: an edge-triggered watcher still gets an edge.
 */
START_TEST(full_eventfd)
{
	struct epoll_event event = {.events = EPOLLIN | EPOLLET};
	int epoll = epoll_create1(EPOLL_CLOEXEC);
	struct event_parts parts;
	struct proof proof;

	parts_init(&parts);
	export_event(&host, pf0, SYNC_PCI, PCI_WRITE, &parts, &proof);
	ck_assert_int_eq(eventfd_write(parts.fds[2], UINT64_MAX - 1), 0);
	ck_assert_int_eq(fcntl(parts.fds[2], F_SETFL, 0), 0);
	ck_assert_int_eq(epoll_ctl(epoll, EPOLL_CTL_ADD, parts.fds[2], &event), 0);
	ck_assert_int_eq(epoll_wait(epoll, &event, 1, 0), 1);
	ck_assert_int_eq(epoll_wait(epoll, &event, 1, 0), 0);
	export_destroy(&host, proof.reply.export_id);
	ck_assert_int_eq(epoll_wait(epoll, &event, 1, 0), 1);
	close(epoll);
	parts_deinit(&parts);
}
END_TEST

/* Writes of a client to the page after it was accepted harm no other process. */
START_TEST(hostile_sleep_words)
{
	struct event_parts parts;
	struct proof proof;

	for (int i = 0; i < 3; i++) {
		parts_init(&parts);
		export_event(&host, pf0, SYNC_PCI, PCI_WRITE, &parts, &proof);
		if (i == 0) {
			memset(parts.words, 0xff, SYNC_WORDS_LEN);
		} else if (i == 1) {
			ck_assert_int_eq(fallocate(parts.fds[1],
						   FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0,
						   SYNC_WORDS_LEN),
					 0);
		} else {
			memfd_unmap(parts.words, SYNC_WORDS_LEN);
			parts.words = NULL;
			ck_assert_int_eq(fcntl(parts.fds[1], F_ADD_SEALS, F_SEAL_WRITE), 0);
		}
		export_destroy(&host, proof.reply.export_id);
		ck_assert(fd_eventfd_clear(parts.fds[2]));
		if (parts.words)
			ck_assert_uint_eq(atomic_load(&parts.words->seq), i == 1 ? 1 : 0);
		parts_deinit(&parts);
	}
}
END_TEST

static void import_net(struct client *client, const char *device, const struct proof *proof)
{
	struct view view;

	client_ask_import(client, client_open_device(client, device), &proof->reply, SYNC_NET,
			  "host");
	receive_view(client, &view);
	view_deinit(&view);
}

/*
 * A second process imports the event: the liveness word is marked, and sleepers are woken, before
 * it gets the descriptors. It is a client of the same daemon as the first, or of another.
 */
START_TEST(sharing_is_announced)
{
	struct event_parts parts;
	struct client other;
	struct proof proof;
	struct view view;
	pid_t pid;
	int status;

	parts_init(&parts);
	export_event(&host, pf0, SYNC_NET, RDMA_READ | RDMA_WRITE, &parts, &proof);
	client_ask_import(&dpu, p0, &proof.reply, SYNC_NET, "host");
	receive_view(&dpu, &view);
	ck_assert(view_is_alive(&view) && !view_is_shared(&view));
	/* Again, and by another session of the same process. */
	client_open(&other, &pair, SIDE_DPU);
	import_net(&other, "p1", &proof);
	ck_assert(view_is_alive(&view) && !view_is_shared(&view));
	ck_assert_uint_eq(atomic_load(&parts.words->seq), 0);
	ck_assert(!fd_eventfd_clear(parts.fds[2]));
	pid = fork();
	if (pid == 0) {
		struct client second;

		client_open(&second, &pair, _i == 0 ? SIDE_HOST : SIDE_DPU);
		import_net(&second, _i == 0 ? "pf1" : "p0", &proof);
		_exit(!(view_is_shared(&view) && atomic_load(&parts.words->seq) == 1));
	}
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_int_eq(status, 0);
	await_readable(parts.fds[2]);
	ck_assert(view_is_alive(&view) && view_is_shared(&view));
	/* Permanent and done once: any later wake-up is for importers that ended. */
	import_net(&host, "pf0", &proof);
	ck_assert(view_is_alive(&view) && view_is_shared(&view));
	client_close(&other);
	export_destroy(&host, proof.reply.export_id);
	ck_assert(!view_is_alive(&view));
	view_deinit(&view);
	parts_deinit(&parts);
}
END_TEST

/* An event outlives the daemon: no sleeper is woken, and its client registers it again. */
START_TEST(restore_after_restart)
{
	Dococore__ExportCreate ask;
	struct event_parts parts;
	struct proof proof;
	struct view view;

	parts_init(&parts);
	export_event(&host, pf0, SYNC_PCI, PCI_READ, &parts, &proof);
	client_ask_import(&dpu, p0, &proof.reply, SYNC_PCI, "host");
	receive_view(&dpu, &view);
	ck_assert_int_eq(pair_stop(&pair, SIDE_HOST, SIGTERM), 0);
	ck_assert(view_is_alive(&view));
	ck_assert_uint_eq(atomic_load(&parts.words->seq), 0);
	ck_assert(!fd_eventfd_clear(parts.fds[2]));
	view_deinit(&view);
	client_close(&host);
	pair_start(&pair, SIDE_HOST);
	pair_wait_linked(&pair);
	client_open(&host, &pair, SIDE_HOST);
	describe(&ask, SYNC_PCI, PCI_READ);
	ask.device = client_open_device(&host, "pf0");
	ask.restore_export_id = proof.reply.export_id;
	ask.restore_secret = proof.reply.secret;
	ask_export(&host, &ask, parts.fds);
	ck_assert_int_eq(host.reply->body_case, DOCOCORE__PACKET__BODY_EXPORT_REPLY);
	ck_assert_uint_eq(host.reply->export_reply->export_id, proof.reply.export_id);
	client_ask_import(&dpu, p0, &proof.reply, SYNC_PCI, "host");
	receive_view(&dpu, &view);
	/* Earlier importers are unknown. */
	ck_assert(view_is_alive(&view) && view_is_shared(&view));
	check_shared(&parts, &view);
	view_deinit(&view);
	ask_export(&host, &ask, parts.fds);
	client_check_error(&host, CODE_ALREADY_EXIST);
	/* The refused request has woken no sleeper. */
	ck_assert_uint_eq(atomic_load(&parts.words->seq), 0);
	parts_deinit(&parts);
}
END_TEST

/* A client that outlives its daemon still closes imports that it made through it. */
START_TEST(ids_of_imports_after_restart)
{
	struct event_parts parts;
	struct proof proof;
	struct view old, new;

	parts_init(&parts);
	export_event(&host, pf0, SYNC_PCI, PCI_READ, &parts, &proof);
	client_ask_import(&dpu, p0, &proof.reply, SYNC_PCI, "host");
	receive_view(&dpu, &old);
	ck_assert_int_eq(pair_stop(&pair, SIDE_DPU, SIGTERM), 0);
	client_close(&dpu);
	pair_start(&pair, SIDE_DPU);
	pair_wait_linked(&pair);
	client_open(&dpu, &pair, SIDE_DPU);
	p0 = client_open_device(&dpu, "p0");
	client_ask_import(&dpu, p0, &proof.reply, SYNC_PCI, "host");
	receive_view(&dpu, &new);
	ck_assert_uint_ne(old.id, new.id);
	view_deinit(&old);
	view_deinit(&new);
	parts_deinit(&parts);
}
END_TEST

/* Room for a session (3) and one event (3): all charges are released at the end. */
START_TEST(charges_come_back)
{
	struct event_parts parts;
	Dococore__ExportCreate ask;
	struct proof proof;
	size_t n_fds;

	client_close(&host);
	ck_assert_int_eq(pair_stop(&pair, SIDE_HOST, SIGTERM), 0);
	pair_write_config(&pair, SIDE_HOST, "[quota]\nfds = 6\nexports = 1\n");
	pair_start(&pair, SIDE_HOST);
	pair_wait_linked(&pair);
	n_fds = pair_settled_fds(&pair, SIDE_HOST);
	parts_init(&parts);
	for (int i = 0; i < 20; i++) {
		client_open(&host, &pair, SIDE_HOST);
		pf0 = client_open_device(&host, "pf0");
		for (int j = 0; j < 10; j++) {
			export_event(&host, pf0, SYNC_NET, ATOMIC, &parts, &proof);
			describe(&ask, SYNC_NET, ATOMIC);
			ask.device = pf0;
			ask_export(&host, &ask, parts.fds);
			client_check_error(&host, CODE_NO_MEMORY);
			export_destroy(&host, proof.reply.export_id);
		}
		export_event(&host, pf0, SYNC_NET, ATOMIC, &parts, &proof);
		client_close(&host);
		await_fds(n_fds);
	}
	client_open(&host, &pair, SIDE_HOST);
	parts_deinit(&parts);
}
END_TEST

static const char deprived[] = "[topology]\nside = host\n"
			       "[device pf0]\npci = 0b:00.0\nsync_event = no\n"
			       "[device pf0vf0]\npci = 0b:00.2\nsync_export_pci = no\n"
			       "sync_import_net = no\n"
			       "[device pf0vf1]\npci = 0b:00.3\n";

static void unsupported_set_up(void)
{
	pair_set_up(&pair);
	pair_write_topology(&pair, SIDE_HOST, deprived);
	open_clients();
}

START_TEST(capabilities)
{
	static const Dococore__ExportKind kinds[] = {SYNC_PCI, SYNC_NET};
	static const char *const devices[] = {"pf0", "pf0vf0", "pf0vf1"};
	/* Indexed by device and kind. */
	static const bool exports[][2] = {{false, false}, {false, true}, {true, true}};
	static const bool imports[][2] = {{false, false}, {true, false}, {true, true}};
	struct event_parts parts;
	struct proof proofs[2];

	parts_init(&parts);
	for (size_t kind = 0; kind < 2; kind++)
		export_event(&dpu, p0, kinds[kind], PCI_READ | RDMA_READ, &parts, &proofs[kind]);
	for (size_t i = 0; i < 6; i++) {
		uint64_t device = client_open_device(&host, devices[i / 2]);
		Dococore__ExportCreate ask;

		describe(&ask, kinds[i % 2], PCI_READ | RDMA_READ);
		ask.device = device;
		ask_export(&host, &ask, parts.fds);
		if (exports[i / 2][i % 2])
			ck_assert_int_eq(host.reply->body_case,
					 DOCOCORE__PACKET__BODY_EXPORT_REPLY);
		else
			client_check_error(&host, CODE_NOT_SUPPORTED);
		proofs[i % 2].reply.secret.data = proofs[i % 2].secret;
		client_ask_import(&host, device, &proofs[i % 2].reply, kinds[i % 2], "dpu");
		if (imports[i / 2][i % 2])
			ck_assert_int_eq(host.reply->body_case,
					 DOCOCORE__PACKET__BODY_IMPORT_REPLY);
		else
			client_check_error(&host, CODE_NOT_SUPPORTED);
	}
	parts_deinit(&parts);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("daemon sync events");
	TCase *tcase = unit_case(suite, "two daemons", UNIT_TIMEOUT);
	TCase *fewer = unit_case(suite, "fewer capabilities", UNIT_TIMEOUT);

	tcase_add_checked_fixture(tcase, set_up, tear_down);
	tcase_add_test(tcase, both_directions);
	tcase_add_test(tcase, same_side);
	tcase_add_test(tcase, rights_of_the_counter);
	tcase_add_test(tcase, a_counter_to_be_read_must_be_sealed);
	tcase_add_test(tcase, kinds_are_compared);
	tcase_add_test(tcase, wrong_requests);
	tcase_add_test(tcase, wrong_descriptors);
	tcase_add_loop_test(tcase, sleepers_are_woken, 0, 3);
	tcase_add_loop_test(tcase, sleepers_of_a_dead_publisher, 0, 3);
	tcase_add_test(tcase, full_eventfd);
	tcase_add_test(tcase, hostile_sleep_words);
	tcase_add_loop_test(tcase, sharing_is_announced, 0, 2);
	tcase_add_test(tcase, restore_after_restart);
	tcase_add_test(tcase, ids_of_imports_after_restart);
	tcase_add_test(tcase, charges_come_back);
	tcase_add_checked_fixture(fewer, unsupported_set_up, tear_down);
	tcase_add_test(fewer, capabilities);
	return unit_run(suite);
}
