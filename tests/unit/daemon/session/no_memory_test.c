/*
 * Each allocation that a client's requests cause in a daemon fails once. The client gets an error
 * or loses its connection. The daemon continues, answers a client that was connected before and one
 * that connects afterwards, and closes all descriptors of the client.
 */
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/lib/allocount.h"
#include "tests/unit/daemon/pair.h"
#include "util/clock.h"
#include "util/fd.h"
#include "util/memfd.h"

#define WAIT_NS   (30 * NS_PER_SEC)
#define N_MAX     5000u
#define RDMA_READ 2u

static struct daemon_pair pair;
static struct client bystander;
static size_t n_fds;

/* Returns false if the daemon answered with an error, or ended the connection. */
static bool ask(struct client *client, Dococore__Packet *packet, const int *fds, size_t n)
{
	if (client->reply)
		dococore__packet__free_unpacked(client->reply, NULL);
	client->reply = NULL;
	fdset_deinit(&client->fds);
	packet->id = ++client->next_id;
	if (conn_send(client->conn, packet, fds, n) < 0 || !client_await(client))
		return false;
	if (client->reply->body_case != DOCOCORE__PACKET__BODY_ERROR)
		return true;
	ck_assert_str_ne(client->reply->error->text, "");
	return false;
}

static bool ask_device(struct client *client, uint64_t *handle_out)
{
	Dococore__DeviceOpen open = DOCOCORE__DEVICE_OPEN__INIT;
	Dococore__Packet packet = DOCOCORE__PACKET__INIT;

	open.device_id = 1;
	packet.body_case = DOCOCORE__PACKET__BODY_DEVICE_OPEN;
	packet.device_open = &open;
	if (!ask(client, &packet, NULL, 0))
		return false;
	*handle_out = client->reply->handle_reply->handle;
	return true;
}

static bool ask_export(struct client *client, uint64_t device, struct proof *proof)
{
	Dococore__ExportCreate create = DOCOCORE__EXPORT_CREATE__INIT;
	Dococore__Packet packet = DOCOCORE__PACKET__INIT;
	CLEANUP_FD int memfd = memfd_create_sealed("no-memory", 4096);

	ck_assert_int_ge(memfd, 0);
	create.device = device;
	create.kind = DOCOCORE__EXPORT_KIND__RDMA;
	create.addr = 0x1000;
	create.len = 4096;
	create.permissions = RDMA_READ;
	create.memory = DOCOCORE__MEMORY_KIND__MEMFD;
	packet.body_case = DOCOCORE__PACKET__BODY_EXPORT_CREATE;
	packet.export_create = &create;
	if (!ask(client, &packet, &memfd, 1))
		return false;
	client_receive_proof(client, proof);
	return true;
}

static bool ask_import(struct client *client, uint64_t device, const struct proof *proof)
{
	Dococore__ImportCreate create = DOCOCORE__IMPORT_CREATE__INIT;
	Dococore__Packet packet = DOCOCORE__PACKET__INIT;

	create.device = device;
	create.kind = DOCOCORE__EXPORT_KIND__RDMA;
	create.export_id = proof->reply.export_id;
	create.secret = proof->reply.secret;
	create.exporter_side = (char *)"host";
	packet.body_case = DOCOCORE__PACKET__BODY_IMPORT_CREATE;
	packet.import_create = &create;
	return ask(client, &packet, NULL, 0);
}

static bool run_client(void)
{
	struct client client;
	struct proof proof;
	uint64_t device;
	bool done;

	if (!client_try_open(&client, &pair, SIDE_HOST))
		return false;
	done = ask_device(&client, &device) && ask_export(&client, device, &proof) &&
	       ask_import(&client, device, &proof);
	client_close(&client);
	return done;
}

static void await_fds(unsigned n)
{
	uint64_t deadline_ns = clock_now_ns() + WAIT_NS;

	while (pair_count_fds(&pair, SIDE_HOST) > n_fds) {
		ck_assert_msg(clock_now_ns() < deadline_ns,
			      "allocation %u failed: %zu descriptors, expected %zu", n,
			      pair_count_fds(&pair, SIDE_HOST), n_fds);
		poll(NULL, 0, 1);
	}
}

static void check_bystander(unsigned n)
{
	Dococore__DeviceList list = DOCOCORE__DEVICE_LIST__INIT;
	Dococore__Packet packet = DOCOCORE__PACKET__INIT;

	packet.body_case = DOCOCORE__PACKET__BODY_DEVICE_LIST;
	packet.device_list = &list;
	ck_assert_msg(ask(&bystander, &packet, NULL, 0), "allocation %u failed: not answered", n);
}

static void set_up(void)
{
	allocount_share();
	pair_set_up(&pair);
	pair_start(&pair, SIDE_HOST);
	client_open(&bystander, &pair, SIDE_HOST);
}

static void tear_down(void)
{
	client_close(&bystander);
	pair_tear_down(&pair);
}

START_TEST(test_each_allocation_fails_once)
{
	unsigned n = 0, n_refused = 0;

	if (!allocount_works)
		return;
	ck_assert(run_client());
	pair_settled_fds(&pair, SIDE_HOST);
	n_fds = pair_count_fds(&pair, SIDE_HOST);
	for (;; n++) {
		bool done;

		ck_assert_uint_lt(n, N_MAX);
		allocount_fail_one_of(pair.pids[SIDE_HOST], n);
		done = run_client();
		if (!allocount_has_failed_one())
			break;
		n_refused += !done;
		ck_assert_int_eq(waitpid(pair.pids[SIDE_HOST], NULL, WNOHANG), 0);
		await_fds(n);
		check_bystander(n);
		ck_assert_msg(run_client(), "allocation %u failed: the next client was refused", n);
		await_fds(n);
	}
	ck_assert_uint_gt(n_refused, 0);
	printf("%u allocations failed, %u clients were refused\n", n, n_refused);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("daemon no memory");
	TCase *tcase = unit_case(suite, "requests", UNIT_TIMEOUT);

	tcase_add_checked_fixture(tcase, set_up, tear_down);
	tcase_add_test(tcase, test_each_allocation_fails_once);
	return unit_run(suite);
}
