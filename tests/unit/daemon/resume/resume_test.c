/*
 * State of an earlier daemon instance that a lab cannot produce: representors that the machine had,
 * and RDMA port numbers that two clients had. The test acts as the service manager, with a thread
 * that stores the daemon's descriptors.
 */
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "daemon/registry.pb-c.h"
#include "daemon/store/ledger.h"
#include "proto/shm_layout.h"
#include "tests/lib/lab_store.h"
#include "tests/unit/daemon/dbus/bus_dump.h"
#include "tests/unit/daemon/pair.h"
#include "tests/unit/daemon/topology/machine_tree.h"
#include "util/clock.h"
#include "util/fd.h"
#include "util/memfd.h"

#define AWAIT_NS  (30 * NS_PER_SEC)
#define STORE_MAX 256
#define TOPOLOGY  "[topology]\nside = dpu\ndiscover = yes\n"
#define REP       "pf0sf4@0000-03-00.0"

static struct daemon_pair pair;
static struct client client;
static struct liveness_page *liveness; /* of the client's session */
static uint32_t liveness_len;

/* --- the service manager --- */

static struct lab_store *store;
static char notify_path[sizeof(((struct sockaddr_un *)NULL)->sun_path)];
static int notify_fd, end_fd;
static pthread_t manager;

static void receive_first(void)
{
	union {
		char buf[CMSG_SPACE(sizeof(int))];
		struct cmsghdr align;
	} control;
	char text[1024];
	struct iovec iov = {text, sizeof(text) - 1};
	struct msghdr msg = {.msg_iov = &iov,
			     .msg_iovlen = 1,
			     .msg_control = &control,
			     .msg_controllen = sizeof(control)};
	ssize_t n = recvmsg(notify_fd, &msg, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
	struct cmsghdr *c;
	int fd;

	if (n < 0)
		return;
	text[n] = '\0';
	c = CMSG_FIRSTHDR(&msg);
	if (c && c->cmsg_type == SCM_RIGHTS)
		memcpy(&fd, CMSG_DATA(c), sizeof(fd));
	lab_store_receive(store, text, &fd, c && c->cmsg_type == SCM_RIGHTS ? 1 : 0);
}

/* Handles all messages that were sent before the end. */
static void *manager_main(void *unused)
{
	struct pollfd fds[] = {{.fd = notify_fd, .events = POLLIN},
			       {.fd = end_fd, .events = POLLIN}};

	(void)unused;
	while (poll(fds, ARRAY_LEN(fds), -1) > 0) {
		if (fds[0].revents)
			receive_first();
		else if (fds[1].revents)
			break;
	}
	return NULL;
}

static void pass_store(void)
{
	setenv("NOTIFY_SOCKET", notify_path, 1);
	if (store->n > 0)
		lab_store_pass(store);
	else
		close_range(3, ~0u, 0);
}

/* Earlier messages of the daemon wait in the socket. */
static void start_manager(void)
{
	fd_eventfd_clear(end_fd);
	ck_assert_int_eq(pthread_create(&manager, NULL, manager_main, NULL), 0);
}

static void start_daemon(void)
{
	pair_start(&pair, SIDE_DPU);
}

static void stop_daemon(void)
{
	ck_assert_int_eq(pair_stop(&pair, SIDE_DPU, SIGTERM), 0);
	ck_assert_int_eq(eventfd_write(end_fd, 1), 0);
	ck_assert_int_eq(pthread_join(manager, NULL), 0);
}

static void set_up(void)
{
	struct sockaddr_un addr = {.sun_family = AF_UNIX};

	pair_set_up(&pair);
	tree_set_up();
	snprintf(notify_path, sizeof(notify_path), "%s/notify", pair.dir);
	memcpy(addr.sun_path, notify_path, sizeof(notify_path));
	notify_fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	ck_assert_int_ge(notify_fd, 0);
	ck_assert_int_eq(bind(notify_fd, (struct sockaddr *)&addr, sizeof(addr)), 0);
	end_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	ck_assert_int_ge(end_fd, 0);
	store = lab_store_new(NULL, STORE_MAX);
	pair.pass = pass_store;
	pair.forked = start_manager;
	pair.fd_store = STORE_MAX - 1;
	pair.sysfs[SIDE_DPU] = tree_root();
	pair.machine[SIDE_DPU] = &tree_machine;
	pair_write_topology(&pair, SIDE_DPU, TOPOLOGY);
	tree_add_mlx5("0000:03:00.0", "", "mlx5_0", "p0", "b8:3f:d2:00:00:01");
	start_daemon();
}

static void tear_down(void)
{
	memfd_unmap(liveness, liveness_len);
	if (client.conn)
		client_close(&client);
	stop_daemon();
	pair_tear_down(&pair);
	tree_tear_down();
	lab_store_free(store);
	fd_close(&notify_fd);
	fd_close(&end_fd);
}

/* --- an absent representor --- */

static bool has_rep(void)
{
	Dococore__RepList ask = DOCOCORE__REP_LIST__INIT;
	Dococore__Packet packet = DOCOCORE__PACKET__INIT;

	ask.device_id = 1;
	packet.body_case = DOCOCORE__PACKET__BODY_REP_LIST;
	packet.rep_list = &ask;
	client_ask(&client, &packet, NULL, 0);
	ck_assert_int_eq(client.reply->body_case, DOCOCORE__PACKET__BODY_REP_LIST_REPLY);
	for (size_t i = 0; i < client.reply->rep_list_reply->n_reps; i++)
		if (strcmp(client.reply->rep_list_reply->reps[i]->name, REP) == 0)
			return true;
	return false;
}

/* Waits until devlink's representor has appeared or disappeared. */
static void await_rep(bool is_there)
{
	uint64_t deadline_ns = clock_now_ns() + AWAIT_NS;

	tree_answers->n_ports = is_there;
	tree_announce();
	while (has_rep() != is_there) {
		ck_assert_uint_lt(clock_now_ns(), deadline_ns);
		poll(NULL, 0, 2);
	}
}

static void open_client(void)
{
	client_open(&client, &pair, SIDE_DPU);
	liveness_len = client.reply->hello_reply->liveness_len;
	liveness = memfd_map(client.fds.fds[0], 0, liveness_len, true);
	ck_assert_ptr_nonnull(liveness);
}

/* State of the handle in the last answer. */
static bool is_alive(const Dococore__HandleReply *handle)
{
	ck_assert(handle->has_slot);
	ck_assert_uint_lt(handle->slot, liveness_len / 4);
	return atomic_load(&liveness->words[handle->slot]) == handle->generation;
}

static void check_server_refused(uint64_t device, uint64_t rep)
{
	client_ask_server(&client, device, rep, "another", 100);
	client_check_error(&client, CODE_NOT_FOUND);
	ck_assert_msg(strstr(client.reply->error->text, "representor '" REP "' was taken away"),
		      "%s", client.reply->error->text);
}

/*
 * The next instance knows its client with all other objects. _i: it is removed before the daemon
 * stops, or in between.
 */
START_TEST(representor_is_removed_across_restart)
{
	struct event_reader events;
	Dococore__HandleReply rep;
	uint64_t device, again;

	tree_answers->ports[0] = (struct machine_port){"0000:03:00.0", "", MACHINE_PORT_SF,
						       .sf = 4};
	open_client();
	await_rep(true);
	device = client_open_device(&client, "mlx5_0");
	client_open_rep(&client, REP);
	rep = *client.reply->handle_reply;
	ck_assert(is_alive(&rep));
	client_ask_server(&client, device, rep.handle, "server", 100);
	ck_assert_int_eq(client.reply->body_case, DOCOCORE__PACKET__BODY_SERVER_REPLY);
	client_receive_events(&client, &events, client.reply->server_reply->event_ring_len);
	if (_i == 0)
		await_rep(false);
	stop_daemon();
	tree_answers->n_ports = 0;
	start_daemon();
	/* The client's connection continues. */
	ck_assert(!has_rep());
	ck_assert(!is_alive(&rep));
	ck_assert_uint_eq(events_await(&events).type, EVENT_SERVER_GONE);
	check_server_refused(device, rep.handle);
	await_rep(true);
	ck_assert(!is_alive(&rep));
	check_server_refused(device, rep.handle);
	again = client_open_rep(&client, REP);
	ck_assert(is_alive(client.reply->handle_reply));
	client_ask_server(&client, device, again, "server", 100);
	ck_assert_int_eq(client.reply->body_case, DOCOCORE__PACKET__BODY_SERVER_REPLY);
	event_reader_deinit(&events);
}
END_TEST

/* --- port numbers --- */

struct listening {
	struct client client;
	uint64_t id;
};

static void ask_listen(struct listening *endpoint, uint32_t port_number, bool stop)
{
	Dococore__RdmaListen ask = DOCOCORE__RDMA_LISTEN__INIT;
	Dococore__Packet packet = DOCOCORE__PACKET__INIT;

	ask.endpoint_id = endpoint->id;
	ask.port_number = port_number;
	ask.stop = stop;
	packet.body_case = DOCOCORE__PACKET__BODY_RDMA_LISTEN;
	packet.rdma_listen = &ask;
	client_ask(&endpoint->client, &packet, NULL, 0);
}

static void check_listens(struct listening *endpoint, uint32_t port_number)
{
	ask_listen(endpoint, port_number, false);
	ck_assert_int_eq(endpoint->client.reply->body_case, DOCOCORE__PACKET__BODY_OK);
}

static void listening_open(struct listening *endpoint)
{
	Dococore__RdmaOpen ask = DOCOCORE__RDMA_OPEN__INIT;
	Dococore__Packet packet = DOCOCORE__PACKET__INIT;

	client_open(&endpoint->client, &pair, SIDE_DPU);
	ask.device = client_open_device(&endpoint->client, "mlx5_0");
	packet.body_case = DOCOCORE__PACKET__BODY_RDMA_OPEN;
	packet.rdma_open = &ask;
	client_ask(&endpoint->client, &packet, NULL, 0);
	ck_assert_int_eq(endpoint->client.reply->body_case, DOCOCORE__PACKET__BODY_RDMA_OPEN_REPLY);
	endpoint->id = endpoint->client.reply->rdma_open_reply->endpoint_id;
}

struct rewrite {
	uint64_t endpoint;
	uint32_t port_number, cell;
	uint8_t data[256];
	size_t len;
};

static int find_endpoint(void *user, const struct ledger_record *record)
{
	struct rewrite *rewrite = user;
	Registry__Endpoint *endpoint;

	if (record->type != REGISTRY__RECORD_TYPE__ENDPOINT || record->id != rewrite->endpoint)
		return 0;
	endpoint = registry__endpoint__unpack(NULL, record->len, record->data);
	ck_assert_ptr_nonnull(endpoint);
	ck_assert_uint_eq(endpoint->n_ports, 1);
	endpoint->ports[0] = rewrite->port_number;
	rewrite->len = registry__endpoint__get_packed_size(endpoint);
	ck_assert_uint_le(rewrite->len, sizeof(rewrite->data));
	registry__endpoint__pack(endpoint, rewrite->data);
	rewrite->cell = record->cell;
	registry__endpoint__free_unpacked(endpoint, NULL);
	return 1;
}

/* Writes a record as if the daemon's last action had been to let it listen there. */
static void write_listens(const struct listening *endpoint, uint32_t port_number)
{
	struct rewrite rewrite = {.endpoint = endpoint->id, .port_number = port_number};
	int fd = fd_dup(lab_store_find(store, "ledger"));
	struct ledger *ledger;

	ck_assert_int_eq(ledger_open(fd, &ledger), 0);
	ck_assert_int_eq(ledger_each(ledger, find_endpoint, &rewrite), 1);
	ck_assert_int_eq(ledger_put(ledger, &rewrite.cell, REGISTRY__RECORD_TYPE__ENDPOINT,
				    endpoint->id, rewrite.data, rewrite.len),
			 0);
	ledger_free(ledger);
}

/*
 * A daemon was killed after it gave the number of a client that it was about to drop to another
 * client, and before it removed the first one's record. The next instance reads both, and the
 * second client has the number. _i: that is the client that connected first, or last.
 */
START_TEST(number_of_two)
{
	struct listening all[2], next, *winner = &all[_i], *loser = &all[!_i];
	uint32_t number = 700 + !_i;

	for (uint32_t i = 0; i < 2; i++) {
		listening_open(&all[i]);
		check_listens(&all[i], 700 + i);
	}
	stop_daemon();
	write_listens(winner, number);
	start_daemon();
	listening_open(&next);
	ask_listen(&next, number, false);
	client_check_error(&next.client, CODE_ALREADY_EXIST);
	/* Both sessions still exist. */
	check_listens(loser, 800);
	ask_listen(winner, number, true);
	ck_assert_int_eq(winner->client.reply->body_case, DOCOCORE__PACKET__BODY_OK);
	/* The other client does not have it either. */
	check_listens(&next, number);
	client_close(&next.client);
	client_close(&winner->client);
	client_close(&loser->client);
}
END_TEST

/* --- an export that an operator revoked --- */

/* Its descriptor proves nothing to the next instance either, and its owner cannot change that. */
START_TEST(revoked_stays_revoked)
{
	Dococore__ExportCreate ask = DOCOCORE__EXPORT_CREATE__INIT;
	Dococore__Packet packet = DOCOCORE__PACKET__INIT;
	struct proof proof;
	uint64_t device;

	open_client();
	device = client_open_device(&client, "mlx5_0");
	client_ask_export(&client, device, DOCOCORE__EXPORT_KIND__RDMA, 2, -1, 100);
	client_receive_proof(&client, &proof);
	client_ask_import(&client, device, &proof.reply, DOCOCORE__EXPORT_KIND__RDMA, "dpu");
	ck_assert_int_eq(client.reply->body_case, DOCOCORE__PACKET__BODY_IMPORT_REPLY);
	ck_assert_int_eq(bus_revoke(&pair, SIDE_DPU, proof.reply.export_id), 0);
	stop_daemon();
	start_daemon();
	client_ask_import(&client, device, &proof.reply, DOCOCORE__EXPORT_KIND__RDMA, "dpu");
	client_check_error(&client, CODE_NOT_PERMITTED);
	ask.device = device;
	ask.kind = DOCOCORE__EXPORT_KIND__RDMA;
	ask.len = 100;
	ask.permissions = 2;
	ask.restore_export_id = proof.reply.export_id;
	ask.restore_secret = proof.reply.secret;
	packet.body_case = DOCOCORE__PACKET__BODY_EXPORT_CREATE;
	packet.export_create = &ask;
	client_ask(&client, &packet, NULL, 0);
	client_check_error(&client, CODE_NOT_PERMITTED);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("daemon resumes");
	TCase *tcase = unit_case(suite, "machines and numbers", UNIT_TIMEOUT);

	tcase_add_checked_fixture(tcase, set_up, tear_down);
	tcase_add_loop_test(tcase, representor_is_removed_across_restart, 0, 2);
	tcase_add_loop_test(tcase, number_of_two, 0, 2);
	tcase_add_test(tcase, revoked_stays_revoked);
	return unit_run(suite);
}
