/*
 * Two daemons and raw clients: devices, exports and imports, and which requests are refused.
 * tests/unit/daemon/rdma/call_test tests calls to exports.
 */
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <fcntl.h>
#include <unistd.h>

#include "daemon/memory/export.h"
#include "daemon/peer/peer.h"
#include "daemon/session/session.h"
#include "tests/unit/daemon/memory/import_view.h"
#include "tests/unit/daemon/pair.h"
#include "util/clock.h"
#include "util/fd.h"
#include "util/memfd.h"

#define PCI       DOCOCORE__EXPORT_KIND__PCI
#define RDMA      DOCOCORE__EXPORT_KIND__RDMA
#define PCI_READ  16u
#define PCI_WRITE 32u
#define RDMA_READ 2u
#define AWAIT_NS  (30 * NS_PER_SEC)

static struct daemon_pair pair;

static void set_up(void)
{
	pair_set_up(&pair);
	pair_start_linked(&pair);
}

static void tear_down(void)
{
	pair_tear_down(&pair);
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

static void import_destroy(struct client *client, uint64_t id)
{
	Dococore__ImportDestroy ask = DOCOCORE__IMPORT_DESTROY__INIT;
	Dococore__Packet packet = DOCOCORE__PACKET__INIT;

	ask.import_id = id;
	packet.body_case = DOCOCORE__PACKET__BODY_IMPORT_DESTROY;
	packet.import_destroy = &ask;
	client_ask(client, &packet, NULL, 0);
	ck_assert_int_eq(client->reply->body_case, DOCOCORE__PACKET__BODY_OK);
}

START_TEST(devices_are_listed)
{
	static const char *const host[] = {"pf0", "pf0vf0", "pf0vf1", "pf1", "pf1vf0"};
	Dococore__DeviceList ask = DOCOCORE__DEVICE_LIST__INIT;
	Dococore__RepList ask_reps = DOCOCORE__REP_LIST__INIT;
	Dococore__Packet packet = DOCOCORE__PACKET__INIT;
	struct client client;

	client_open(&client, &pair, SIDE_HOST);
	packet.body_case = DOCOCORE__PACKET__BODY_DEVICE_LIST;
	packet.device_list = &ask;
	client_ask(&client, &packet, NULL, 0);
	ck_assert_uint_eq(client.reply->device_list_reply->total, ARRAY_LEN(host));
	ck_assert_uint_eq(client.reply->device_list_reply->n_devices, ARRAY_LEN(host));
	for (size_t i = 0; i < ARRAY_LEN(host); i++) {
		const Dococore__Device *device = client.reply->device_list_reply->devices[i];

		ck_assert_str_eq(device->name, host[i]);
		ck_assert(device->caps->export_pci && device->caps->comch_client);
		ck_assert(device->caps->import_pci && !device->caps->comch_server);
	}
	ask.offset = 4;
	client_ask(&client, &packet, NULL, 0);
	ck_assert_uint_eq(client.reply->device_list_reply->n_devices, 1);
	ask_reps.device_id = 1;
	packet.body_case = DOCOCORE__PACKET__BODY_REP_LIST;
	packet.rep_list = &ask_reps;
	client_ask(&client, &packet, NULL, 0);
	client_check_error(&client, CODE_NOT_SUPPORTED);
	client_close(&client);
}
END_TEST

START_TEST(representors_follow_the_link)
{
	uint64_t deadline_ns = clock_now_ns() + AWAIT_NS;
	struct client client;

	client_open(&client, &pair, SIDE_DPU);
	ck_assert_uint_eq(client_count_reps(&client, 1), 4);
	ck_assert_uint_eq(client_count_reps(&client, 2), 3);
	ck_assert_int_eq(pair_stop(&pair, SIDE_HOST, SIGTERM), 0);
	/* The representor of this side's sub-function stays. */
	while (client_count_reps(&client, 1) != 1)
		ck_assert_uint_lt(clock_now_ns(), deadline_ns);
	ck_assert_uint_eq(client_count_reps(&client, 2), 1);
	pair_start(&pair, SIDE_HOST);
	pair_wait_linked(&pair);
	ck_assert_uint_eq(client_count_reps(&client, 2), 3);
	client_close(&client);
}
END_TEST

START_TEST(import_over_the_link)
{
	struct client host, dpu;
	struct proof proof;
	struct view view;
	uint64_t p0;

	client_open(&host, &pair, SIDE_HOST);
	client_open(&dpu, &pair, SIDE_DPU);
	client_ask_export(&host, client_open_device(&host, "pf0"), PCI, PCI_READ, -1, 4096);
	client_receive_proof(&host, &proof);
	p0 = client_open_device(&dpu, "p0");
	client_ask_import(&dpu, p0, &proof.reply, PCI, "host");
	view_receive(&dpu, &view);
	ck_assert_uint_eq(dpu.reply->import_reply->addr, 0x10000);
	ck_assert_uint_eq(dpu.reply->import_reply->len, 4096);
	ck_assert_uint_eq(dpu.reply->import_reply->permissions, PCI_READ);
	ck_assert_uint_eq(dpu.reply->import_reply->exporter_pid, (uint32_t)getpid());
	ck_assert(!dpu.reply->import_reply->same_process);
	export_destroy(&host, proof.reply.export_id);
	/* Cleared before the answer. */
	ck_assert_uint_ne(view.page->words[view.slot], view.generation);
	client_ask_import(&dpu, p0, &proof.reply, PCI, "host");
	client_check_error(&dpu, CODE_NOT_PERMITTED);
	import_destroy(&dpu, view.id);
	import_destroy(&dpu, view.id);
	client_close(&host);
	client_close(&dpu);
}
END_TEST

/*
 * A restarted daemon may repeat the request for an import that its client already has and is about
 * to destroy.
 */
START_TEST(pending_import_is_ended)
{
	Dococore__ImportCreate create = DOCOCORE__IMPORT_CREATE__INIT;
	Dococore__ImportDestroy destroy = DOCOCORE__IMPORT_DESTROY__INIT;
	Dococore__Packet packet = DOCOCORE__PACKET__INIT;
	struct client host, dpu;
	struct proof proof;
	struct view view;

	client_open(&host, &pair, SIDE_HOST);
	client_open(&dpu, &pair, SIDE_DPU);
	client_ask_export(&host, client_open_device(&host, "pf0"), PCI, PCI_READ, -1, 4096);
	client_receive_proof(&host, &proof);
	create.device = client_open_device(&dpu, "p0");
	client_ask_import(&dpu, create.device, &proof.reply, PCI, "host");
	view_receive(&dpu, &view);
	create.kind = PCI;
	create.export_id = proof.reply.export_id;
	create.secret = proof.reply.secret;
	create.exporter_side = (char *)"host";
	packet.body_case = DOCOCORE__PACKET__BODY_IMPORT_CREATE;
	packet.import_create = &create;
	pair_freeze(&pair, SIDE_HOST);
	client_send(&dpu, &packet, NULL, 0);
	destroy.import_id = view.id + 1;
	packet.body_case = DOCOCORE__PACKET__BODY_IMPORT_DESTROY;
	packet.import_destroy = &destroy;
	client_send(&dpu, &packet, NULL, 0);
	ck_assert_ptr_nonnull(client_await(&dpu));
	client_check_error(&dpu, CODE_NOT_FOUND);
	ck_assert_ptr_nonnull(client_await(&dpu));
	ck_assert_int_eq(dpu.reply->body_case, DOCOCORE__PACKET__BODY_OK);
	ck_assert_int_eq(kill(pair.pids[SIDE_HOST], SIGCONT), 0);
	import_destroy(&dpu, view.id);
	client_close(&host);
	client_close(&dpu);
}
END_TEST

START_TEST(memfd_goes_along_with_its_rights)
{
	int memfd = memfd_create_sealable("test", 8192);
	int sealed = memfd_create_sealable("sealed", 8192);
	struct client host, dpu;
	struct proof proof;
	struct view view;
	uint64_t pf0, p0;

	client_open(&host, &pair, SIDE_HOST);
	client_open(&dpu, &pair, SIDE_DPU);
	pf0 = client_open_device(&host, "pf0");
	p0 = client_open_device(&dpu, "p0");
	/* Importers could open it again for writing, so it is not passed to them. */
	client_ask_export(&host, pf0, PCI, PCI_READ, memfd, 8192);
	client_receive_proof(&host, &proof);
	client_ask_import(&dpu, p0, &proof.reply, PCI, "host");
	view_receive(&dpu, &view);
	ck_assert_int_eq(view.memfd, -1);
	ck_assert_int_eq(dpu.reply->import_reply->memory, DOCOCORE__MEMORY_KIND__PRIVATE);
	ck_assert_int_eq(memfd_seal_writers(sealed), 0);
	client_ask_export(&host, pf0, PCI, PCI_READ, sealed, 8192);
	client_receive_proof(&host, &proof);
	client_ask_import(&dpu, p0, &proof.reply, PCI, "host");
	view_receive(&dpu, &view);
	ck_assert_int_eq(fcntl(view.memfd, F_GETFL) & O_ACCMODE, O_RDONLY);
	ck_assert(!memfd_is_writable(view.memfd));
	client_ask_export(&host, pf0, PCI, PCI_WRITE, memfd, 8192);
	client_receive_proof(&host, &proof);
	client_ask_import(&dpu, p0, &proof.reply, PCI, "host");
	view_receive(&dpu, &view);
	ck_assert_int_eq(fcntl(view.memfd, F_GETFL) & O_ACCMODE, O_RDWR);
	/* Longer than the file; no memfd; read-only although writing is permitted. */
	client_ask_export(&host, pf0, PCI, PCI_WRITE, memfd, 8193);
	client_check_error(&host, CODE_INVALID_VALUE);
	client_ask_export(&host, pf0, PCI, PCI_WRITE, open("/dev/null", O_RDWR), 1);
	client_check_error(&host, CODE_INVALID_VALUE);
	client_ask_export(&host, pf0, PCI, PCI_WRITE, fd_reopen(memfd, O_RDONLY), 8192);
	client_check_error(&host, CODE_INVALID_VALUE);
	client_close(&host);
	client_close(&dpu);
}
END_TEST

static void ask_export_of_file(struct client *client, uint64_t device, Dococore__ExportKind kind,
			       uint32_t permissions, int fd)
{
	Dococore__ExportCreate ask = DOCOCORE__EXPORT_CREATE__INIT;
	Dococore__Packet packet = DOCOCORE__PACKET__INIT;

	ask.device = device;
	ask.kind = kind;
	ask.addr = 0x10000;
	ask.len = 8192;
	ask.permissions = permissions;
	ask.memory = DOCOCORE__MEMORY_KIND__FILE;
	packet.body_case = DOCOCORE__PACKET__BODY_EXPORT_CREATE;
	packet.export_create = &ask;
	client_ask(client, &packet, &fd, 1);
}

static void ask_import_of_file(struct client *client, uint64_t device,
			       const Dococore__ExportReply *export, Dococore__ExportKind kind,
			       bool knows_files)
{
	Dococore__ImportCreate ask = DOCOCORE__IMPORT_CREATE__INIT;
	Dococore__Packet packet = DOCOCORE__PACKET__INIT;

	ask.device = device;
	ask.kind = kind;
	ask.export_id = export->export_id;
	ask.secret = export->secret;
	ask.exporter_side = (char *)"host";
	ask.knows_files = knows_files;
	packet.body_case = DOCOCORE__PACKET__BODY_IMPORT_CREATE;
	packet.import_create = &ask;
	client_ask(client, &packet, NULL, 0);
}

/* Returns a file of tmpfs that can be cut. */
static int file_new(off_t len)
{
	int fd = open("/dev/shm", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(ftruncate(fd, len), 0);
	return fd;
}

/* Only libraries that know such a file get it, from this daemon and over the link. */
START_TEST(file_goes_to_libraries_that_know_it)
{
	const struct {
		Dococore__ExportKind kind;
		uint32_t permissions;
		enum side importer;
		const char *device;
	} all[] = {{PCI, PCI_WRITE, SIDE_DPU, "p0"}, {RDMA, 4u, SIDE_HOST, "pf0vf0"}};
	int fd = file_new(8192);
	struct client host, importer;
	struct proof proof;
	struct view view;

	client_open(&host, &pair, SIDE_HOST);
	ask_export_of_file(&host, client_open_device(&host, "pf0"), all[_i].kind,
			   all[_i].permissions, fd);
	client_receive_proof(&host, &proof);
	client_open(&importer, &pair, all[_i].importer);
	for (int knows = 0; knows < 2; knows++) {
		ask_import_of_file(&importer, client_open_device(&importer, all[_i].device),
				   &proof.reply, all[_i].kind, knows);
		view_receive(&importer, &view);
		ck_assert_int_eq(importer.reply->import_reply->memory,
				 knows ? DOCOCORE__MEMORY_KIND__FILE
				       : DOCOCORE__MEMORY_KIND__PRIVATE);
		ck_assert_int_eq(view.memfd >= 0, knows);
	}
	ck_assert_int_eq(fcntl(view.memfd, F_GETFL) & O_ACCMODE, O_RDWR);
	client_close(&importer);
	client_close(&host);
}
END_TEST

START_TEST(file_rules)
{
	struct client host;
	uint64_t pf0;

	client_open(&host, &pair, SIDE_HOST);
	pf0 = client_open_device(&host, "pf0");
	ask_export_of_file(&host, pf0, PCI, PCI_READ, file_new(8192));
	client_check_error(&host, CODE_INVALID_VALUE);
	ask_export_of_file(&host, pf0, PCI, PCI_WRITE, file_new(8191));
	client_check_error(&host, CODE_INVALID_VALUE);
	ask_export_of_file(&host, pf0, PCI, PCI_WRITE, fd_reopen(file_new(8192), O_RDONLY));
	client_check_error(&host, CODE_INVALID_VALUE);
	ask_export_of_file(&host, pf0, PCI, PCI_WRITE, open("/proc/self/exe", O_RDONLY));
	client_check_error(&host, CODE_INVALID_VALUE);
	ck_assert_ptr_nonnull(strstr(host.reply->error->text, "not of tmpfs"));
	client_close(&host);
}
END_TEST

START_TEST(import_rules)
{
	struct client host, dpu;
	struct proof proof, forged;
	uint64_t pf0, p0, p1, p0s0;
	char sentence[401];

	client_open(&host, &pair, SIDE_HOST);
	client_open(&dpu, &pair, SIDE_DPU);
	pf0 = client_open_device(&host, "pf0");
	p0 = client_open_device(&dpu, "p0");
	p1 = client_open_device(&dpu, "p1");
	p0s0 = client_open_device(&dpu, "p0s0");
	client_ask_export(&host, pf0, PCI, PCI_WRITE, -1, 100);
	client_receive_proof(&host, &proof);
	/* The device without a representor of pf0, and one that cannot import. */
	client_ask_import(&dpu, p1, &proof.reply, PCI, "host");
	client_check_error(&dpu, CODE_NOT_PERMITTED);
	client_ask_import(&dpu, p0s0, &proof.reply, PCI, "host");
	client_check_error(&dpu, CODE_NOT_PERMITTED);
	client_ask_import(&host, pf0, &proof.reply, PCI, "host");
	client_check_error(&host, CODE_NOT_PERMITTED);
	/* A wrong secret, a wrong kind and an unknown id get the same answer. */
	forged = proof;
	forged.secret[15] ^= 1;
	forged.reply.secret.data = forged.secret;
	client_ask_import(&dpu, p0, &forged.reply, PCI, "host");
	client_check_error(&dpu, CODE_NOT_PERMITTED);
	strcpy(sentence, dpu.reply->error->text);
	forged = proof;
	forged.reply.secret.data = forged.secret;
	forged.reply.export_id++;
	client_ask_import(&dpu, p0, &forged.reply, PCI, "host");
	client_check_error(&dpu, CODE_NOT_PERMITTED);
	ck_assert_str_eq(dpu.reply->error->text, sentence);
	client_ask_import(&dpu, p0, &proof.reply, RDMA, "host");
	client_check_error(&dpu, CODE_NOT_PERMITTED);
	ck_assert_str_eq(dpu.reply->error->text, sentence);
	client_ask_import(&dpu, p0, &proof.reply, PCI, "moon");
	client_check_error(&dpu, CODE_INVALID_VALUE);
	client_ask_import(&dpu, 999, &proof.reply, PCI, "host");
	client_check_error(&dpu, CODE_NOT_FOUND);
	client_close(&host);
	client_close(&dpu);
}
END_TEST

START_TEST(export_rules)
{
	struct client host, dpu;
	uint64_t pf0;

	client_open(&host, &pair, SIDE_HOST);
	client_open(&dpu, &pair, SIDE_DPU);
	pf0 = client_open_device(&host, "pf0");
	client_ask_export(&host, pf0, PCI, RDMA_READ, -1, 1);
	client_check_error(&host, CODE_NOT_PERMITTED);
	client_ask_export(&host, pf0, RDMA, PCI_READ, -1, 1);
	client_check_error(&host, CODE_NOT_PERMITTED);
	client_ask_export(&host, pf0, PCI, PCI_READ | PCI_WRITE, -1, 1);
	client_check_error(&host, CODE_INVALID_VALUE);
	client_ask_export(&host, pf0, PCI, PCI_READ | 128, -1, 1);
	client_check_error(&host, CODE_INVALID_VALUE);
	client_ask_export(&host, pf0, PCI, PCI_READ, -1, 0);
	client_check_error(&host, CODE_INVALID_VALUE);
	client_ask_export(&host, pf0, PCI, PCI_READ, -1, UINT64_MAX);
	client_check_error(&host, CODE_INVALID_VALUE);
	client_ask_export(&dpu, client_open_device(&dpu, "p0s0"), PCI, PCI_READ, -1, 1);
	client_check_error(&dpu, CODE_NOT_SUPPORTED);
	client_close(&host);
	client_close(&dpu);
}
END_TEST

/* The liveness page of a connection has a word for each of this many exports. */
START_TEST(exports_of_one_connection_are_limited)
{
	struct client host;
	uint64_t pf0, first = 0;
	unsigned n = 0;

	client_open(&host, &pair, SIDE_HOST);
	pf0 = client_open_device(&host, "pf0");
	while (client_ask_export(&host, pf0, PCI, PCI_READ, -1, 1)->body_case ==
	       DOCOCORE__PACKET__BODY_EXPORT_REPLY) {
		first = n++ ? first : host.reply->export_reply->export_id;
		ck_assert_uint_lt(n, 16384);
	}
	ck_assert_uint_gt(n, 16000);
	client_check_error(&host, CODE_NO_MEMORY);
	ck_assert_ptr_nonnull(strstr(host.reply->error->text, "as many exports"));
	export_destroy(&host, first);
	client_ask_export(&host, pf0, PCI, PCI_READ, -1, 1);
	ck_assert_int_eq(host.reply->body_case, DOCOCORE__PACKET__BODY_EXPORT_REPLY);
	client_close(&host);
}
END_TEST

START_TEST(rdma_on_the_same_side)
{
	struct client a, b;
	struct proof proof;
	struct view view;

	client_open(&a, &pair, SIDE_HOST);
	client_open(&b, &pair, SIDE_HOST);
	client_ask_export(&a, client_open_device(&a, "pf0"), RDMA, RDMA_READ, -1, 100);
	client_receive_proof(&a, &proof);
	client_ask_import(&b, client_open_device(&b, "pf1"), &proof.reply, RDMA, "host");
	view_receive(&b, &view);
	ck_assert(!b.reply->import_reply->same_process);
	client_ask_import(&a, client_open_device(&a, "pf0"), &proof.reply, RDMA, "host");
	ck_assert(a.reply->import_reply->same_process);
	client_close(&a);
	view_await_dead(&view);
	client_close(&b);
}
END_TEST

/* Slots of the liveness page are reused with another generation. */
START_TEST(generations_differ)
{
	struct client host;
	struct proof first, second;
	uint64_t pf0;

	client_open(&host, &pair, SIDE_HOST);
	pf0 = client_open_device(&host, "pf0");
	client_ask_export(&host, pf0, PCI, PCI_READ, -1, 1);
	client_receive_proof(&host, &first);
	export_destroy(&host, first.reply.export_id);
	client_ask_export(&host, pf0, PCI, PCI_READ, -1, 1);
	client_receive_proof(&host, &second);
	ck_assert_uint_eq(first.reply.slot, second.reply.slot);
	ck_assert_uint_ne(first.reply.generation, second.reply.generation);
	ck_assert_uint_ne(first.reply.export_id, second.reply.export_id);
	ck_assert_mem_ne(first.secret, second.secret, 16);
	client_close(&host);
}
END_TEST

START_TEST(killed_exporter_is_noticed)
{
	struct client dpu;
	struct proof proof;
	struct view view;
	int pipe_fds[2], status;
	pid_t pid;

	ck_assert_int_eq(pipe2(pipe_fds, O_CLOEXEC), 0);
	pid = fork();
	if (pid == 0) {
		struct client host;

		client_open(&host, &pair, SIDE_HOST);
		client_ask_export(&host, client_open_device(&host, "pf0"), PCI, PCI_READ, -1, 100);
		client_receive_proof(&host, &proof);
		ck_assert_int_eq(write(pipe_fds[1], &proof, sizeof(proof)), sizeof(proof));
		for (;;)
			pause();
	}
	ck_assert_int_eq(read(pipe_fds[0], &proof, sizeof(proof)), sizeof(proof));
	proof.reply.secret.data = proof.secret;
	client_open(&dpu, &pair, SIDE_DPU);
	client_ask_import(&dpu, client_open_device(&dpu, "p0"), &proof.reply, PCI, "host");
	view_receive(&dpu, &view);
	ck_assert_uint_eq(dpu.reply->import_reply->exporter_pid, (uint32_t)pid);
	kill(pid, SIGKILL);
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	view_await_dead(&view);
	ck_assert(fd_pidfd_exited(view.pidfd));
	client_close(&dpu);
}
END_TEST

START_TEST(not_linked_is_reported)
{
	struct client host, dpu;
	struct proof proof;
	uint64_t p0;

	client_open(&host, &pair, SIDE_HOST);
	client_open(&dpu, &pair, SIDE_DPU);
	client_ask_export(&host, client_open_device(&host, "pf0"), PCI, PCI_READ, -1, 100);
	client_receive_proof(&host, &proof);
	p0 = client_open_device(&dpu, "p0");
	ck_assert_int_eq(pair_stop(&pair, SIDE_HOST, SIGKILL), SIGKILL);
	do {
		client_ask_import(&dpu, p0, &proof.reply, PCI, "host");
	} while (dpu.reply->body_case == DOCOCORE__PACKET__BODY_IMPORT_REPLY);
	client_check_error(&dpu, CODE_NOT_CONNECTED);
	client_close(&host);
	client_close(&dpu);
}
END_TEST

/* A former importer of another user knows what the exporter knows. */
static void check_other_user_restores_nothing(const Dococore__ExportCreate *ask)
{
	Dococore__ExportCreate wrong = *ask;
	Dococore__Packet packet = DOCOCORE__PACKET__INIT;
	struct client other;
	char path[128];

	/*
	 * The test must be able to change its uid, and the other user must be able to reach the
	 * socket.
	 */
	if (geteuid() != 0)
		return;
	snprintf(path, sizeof(path), "%s/host.sock", pair.dir);
	ck_assert_int_eq(chmod(pair.dir, 0755), 0);
	ck_assert_int_eq(chmod(path, 0666), 0);
	ck_assert_int_eq(seteuid(4242), 0);
	client_open(&other, &pair, SIDE_HOST);
	ck_assert_int_eq(seteuid(0), 0);
	wrong.device = client_open_device(&other, "pf0");
	packet.body_case = DOCOCORE__PACKET__BODY_EXPORT_CREATE;
	packet.export_create = &wrong;
	client_ask(&other, &packet, NULL, 0);
	client_check_error(&other, CODE_NOT_PERMITTED);
	client_close(&other);
}

/* A daemon that is stopped or killed does not end exports; their client registers them again. */
START_TEST(restore_after_restart)
{
	Dococore__ExportCreate ask = DOCOCORE__EXPORT_CREATE__INIT;
	Dococore__Packet packet = DOCOCORE__PACKET__INIT;
	struct client host, dpu;
	struct proof proof;
	struct view view, again;
	uint64_t p0;

	client_open(&host, &pair, SIDE_HOST);
	client_open(&dpu, &pair, SIDE_DPU);
	client_ask_export(&host, client_open_device(&host, "pf0"), PCI, PCI_READ, -1, 100);
	client_receive_proof(&host, &proof);
	p0 = client_open_device(&dpu, "p0");
	client_ask_import(&dpu, p0, &proof.reply, PCI, "host");
	view_receive(&dpu, &view);
	ck_assert_int_eq(pair_stop(&pair, SIDE_HOST, SIGTERM), 0);
	ck_assert_uint_eq(view.page->words[view.slot], view.generation);
	ck_assert_ptr_null(client_await(&host));
	client_close(&host);
	pair_start(&pair, SIDE_HOST);
	pair_wait_linked(&pair);
	client_open(&host, &pair, SIDE_HOST);
	ask.device = client_open_device(&host, "pf0");
	ask.addr = 0x10000;
	ask.len = 100;
	ask.permissions = PCI_READ;
	ask.restore_export_id = proof.reply.export_id;
	ask.restore_secret = proof.reply.secret;
	packet.body_case = DOCOCORE__PACKET__BODY_EXPORT_CREATE;
	packet.export_create = &ask;
	check_other_user_restores_nothing(&ask);
	client_ask(&host, &packet, NULL, 0);
	ck_assert_int_eq(host.reply->body_case, DOCOCORE__PACKET__BODY_EXPORT_REPLY);
	ck_assert_uint_eq(host.reply->export_reply->export_id, proof.reply.export_id);
	client_ask_import(&dpu, p0, &proof.reply, PCI, "host");
	view_receive(&dpu, &again);
	client_ask(&host, &packet, NULL, 0);
	client_check_error(&host, CODE_ALREADY_EXIST);
	client_close(&host);
	client_close(&dpu);
}
END_TEST

START_TEST(handles_in_use_stay)
{
	Dococore__HandleClose ask = DOCOCORE__HANDLE_CLOSE__INIT;
	Dococore__Packet packet = DOCOCORE__PACKET__INIT;
	struct client host;
	struct proof proof;

	client_open(&host, &pair, SIDE_HOST);
	ask.handle = client_open_device(&host, "pf0");
	client_ask_export(&host, ask.handle, PCI, PCI_READ, -1, 100);
	client_receive_proof(&host, &proof);
	packet.body_case = DOCOCORE__PACKET__BODY_HANDLE_CLOSE;
	packet.handle_close = &ask;
	client_ask(&host, &packet, NULL, 0);
	client_check_error(&host, CODE_IN_USE);
	export_destroy(&host, proof.reply.export_id);
	client_ask(&host, &packet, NULL, 0);
	ck_assert_int_eq(host.reply->body_case, DOCOCORE__PACKET__BODY_OK);
	client_ask(&host, &packet, NULL, 0);
	client_check_error(&host, CODE_NOT_FOUND);
	client_close(&host);
}
END_TEST

static void check_memory_for(const struct export *export, uid_t uid, bool knows_files,
			     Dococore__MemoryKind expected)
{
	const struct export_importer importer = {.uid = uid, .knows_files = knows_files};

	ck_assert_int_eq(export_memory_for(export, &importer), expected);
}

/* A daemon of another user may say of its clients what it likes. */
START_TEST(only_some_daemons_are_believed)
{
	uid_t exporter_uid = 4001, other_uid = 4002, importer_uid = 4003;
	struct session session = {.uid = exporter_uid};
	struct export export = {
		.session = &session, .memory = DOCOCORE__MEMORY_KIND__MEMFD, .same_user = true};
	const struct {
		uid_t peer, stated, counts;
	} all[] = {
		{0, importer_uid, importer_uid},
		{geteuid(), importer_uid, importer_uid},
		{exporter_uid, importer_uid, importer_uid},
		{other_uid, exporter_uid, other_uid},
		{other_uid, 0, other_uid},
	};

	for (size_t i = 0; i < ARRAY_LEN(all); i++) {
		struct peer peer = {.uid = all[i].peer};

		ck_assert_uint_eq(export_importer_uid(&export, &peer, all[i].stated),
				  all[i].counts);
	}
	check_memory_for(&export, other_uid, true, DOCOCORE__MEMORY_KIND__PRIVATE);
	check_memory_for(&export, exporter_uid, false, DOCOCORE__MEMORY_KIND__MEMFD);
	export.memory = DOCOCORE__MEMORY_KIND__FILE;
	check_memory_for(&export, other_uid, true, DOCOCORE__MEMORY_KIND__PRIVATE);
	check_memory_for(&export, exporter_uid, true, DOCOCORE__MEMORY_KIND__FILE);
	/* A library of an earlier version. */
	check_memory_for(&export, exporter_uid, false, DOCOCORE__MEMORY_KIND__PRIVATE);
}
END_TEST

static void check_page(uid_t uid, int fd, bool is_passed)
{
	struct session session = {.uid = uid, .is_liveness_sealed_late = true, .liveness_fd = fd};
	int passed = session_open_read_only(&session);

	ck_assert_int_eq(passed >= 0, is_passed);
	ck_assert_int_eq(memfd_has_write_seal(fd), is_passed);
	fd_close(&passed);
}

/*
 * A client that writes the page from memory whose faults are never answered would block the daemon,
 * if it sealed the page.
 */
START_TEST(the_daemon_seals_no_page_of_others)
{
	int own = memfd_create_sealable("page", 4096), other = memfd_create_sealable("page", 4096);

	check_page(geteuid(), own, true);
	check_page(geteuid() + 1, other, false);
	ck_assert_int_eq(memfd_seal_writers(other), 0);
	check_page(geteuid() + 1, other, true);
	fd_close(&own);
	fd_close(&other);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("daemon exports");
	TCase *tcase = unit_case(suite, "two daemons", UNIT_TIMEOUT);

	tcase_add_checked_fixture(tcase, set_up, tear_down);
	tcase_add_test(tcase, devices_are_listed);
	tcase_add_test(tcase, representors_follow_the_link);
	tcase_add_test(tcase, import_over_the_link);
	tcase_add_test(tcase, pending_import_is_ended);
	tcase_add_test(tcase, memfd_goes_along_with_its_rights);
	tcase_add_loop_test(tcase, file_goes_to_libraries_that_know_it, 0, 2);
	tcase_add_test(tcase, file_rules);
	tcase_add_test(tcase, import_rules);
	tcase_add_test(tcase, export_rules);
	tcase_add_test(tcase, rdma_on_the_same_side);
	tcase_add_test(tcase, generations_differ);
	tcase_add_test(tcase, killed_exporter_is_noticed);
	tcase_add_test(tcase, not_linked_is_reported);
	tcase_add_test(tcase, restore_after_restart);
	tcase_add_test(tcase, handles_in_use_stay);
	tcase_add_test(tcase, exports_of_one_connection_are_limited);
	tcase = unit_case(suite, "rules", UNIT_TIMEOUT);
	tcase_add_test(tcase, only_some_daemons_are_believed);
	tcase_add_test(tcase, the_daemon_seals_no_page_of_others);
	return unit_run(suite);
}
