/*
 * A daemon on machines whose devices change: the listed devices, notifications of clients whose
 * open device is removed, and binding of a function of the topology file to the machine's device.
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "proto/shm_layout.h"
#include "tests/unit/daemon/pair.h"
#include "tests/unit/daemon/topology/machine_tree.h"
#include "util/clock.h"
#include "util/fd.h"
#include "util/memfd.h"

#define AWAIT_NS (30 * NS_PER_SEC)
#define MAC      "b8:3f:d2:00:00:0"

static struct daemon_pair pair;
static struct client client;
static struct liveness_page *liveness; /* of the client's session */
static uint32_t liveness_len;

static void set_up(void)
{
	pair_set_up(&pair);
	tree_set_up();
}

static void tear_down(void)
{
	memfd_unmap(liveness, liveness_len);
	client_close(&client);
	pair_tear_down(&pair);
	tree_tear_down();
}

/* Waits between two checks of a condition. */
static void pause_until(uint64_t deadline_ns)
{
	ck_assert_uint_lt(clock_now_ns(), deadline_ns);
	poll(NULL, 0, 2);
}

/* Starts one side on the simulated machine, and a client. */
static void start(enum side side, const char *topology)
{
	pair.sysfs[side] = tree_root();
	pair.machine[side] = &tree_machine;
	pair_write_topology(&pair, side, topology);
	pair_start(&pair, side);
	client_open(&client, &pair, side);
	liveness_len = client.reply->hello_reply->liveness_len;
	liveness = memfd_map(client.fds.fds[0], 0, liveness_len, true);
	ck_assert_ptr_nonnull(liveness);
}

/* Returns the record, or NULL if it is not listed. Valid until the client's next request. */
static const Dococore__Device *find(const char *name, uint32_t *total_out)
{
	Dococore__DeviceList ask = DOCOCORE__DEVICE_LIST__INIT;
	Dococore__Packet packet = DOCOCORE__PACKET__INIT;

	packet.body_case = DOCOCORE__PACKET__BODY_DEVICE_LIST;
	packet.device_list = &ask;
	client_ask(&client, &packet, NULL, 0);
	ck_assert_int_eq(client.reply->body_case, DOCOCORE__PACKET__BODY_DEVICE_LIST_REPLY);
	*total_out = client.reply->device_list_reply->total;
	ck_assert_uint_eq(client.reply->device_list_reply->n_devices, *total_out);
	for (size_t i = 0; i < client.reply->device_list_reply->n_devices; i++)
		if (strcmp(client.reply->device_list_reply->devices[i]->name, name) == 0)
			return client.reply->device_list_reply->devices[i];
	return NULL;
}

static void await_listed(const char *name, bool listed)
{
	uint64_t deadline_ns = clock_now_ns() + AWAIT_NS;
	uint32_t n;

	while ((find(name, &n) != NULL) != listed) {
		ck_assert_msg(clock_now_ns() < deadline_ns, "%s", name);
		poll(NULL, 0, 2);
	}
}

struct opened {
	uint64_t handle;
	bool has_slot;
	uint32_t slot, generation;
};

/* Returns the handle of the last answer. */
static struct opened opened_from_reply(uint64_t handle)
{
	const Dococore__HandleReply *reply = client.reply->handle_reply;

	return (struct opened){handle, reply->has_slot, reply->slot, reply->generation};
}

static struct opened open_device(const char *name)
{
	return opened_from_reply(client_open_device(&client, name));
}

static bool is_alive(const struct opened *opened)
{
	ck_assert(opened->has_slot);
	ck_assert_uint_lt(opened->slot, liveness_len / 4);
	return atomic_load(&liveness->words[opened->slot]) == opened->generation;
}

static void check_open_refused(const char *name)
{
	Dococore__DeviceOpen ask = DOCOCORE__DEVICE_OPEN__INIT;
	Dococore__Packet packet = DOCOCORE__PACKET__INIT;

	ask.name = (char *)name;
	packet.body_case = DOCOCORE__PACKET__BODY_DEVICE_OPEN;
	packet.device_open = &ask;
	client_ask(&client, &packet, NULL, 0);
	client_check_error(&client, CODE_NOT_FOUND);
	ck_assert_ptr_nonnull(strstr(client.reply->error->text, "taken away from the machine"));
}

static void close_device(uint64_t handle)
{
	Dococore__HandleClose ask = DOCOCORE__HANDLE_CLOSE__INIT;
	Dococore__Packet packet = DOCOCORE__PACKET__INIT;

	ask.handle = handle;
	packet.body_case = DOCOCORE__PACKET__BODY_HANDLE_CLOSE;
	packet.handle_close = &ask;
	client_ask(&client, &packet, NULL, 0);
	ck_assert_int_eq(client.reply->body_case, DOCOCORE__PACKET__BODY_OK);
}

static void plug(void)
{
	tree_add_mlx5("0000:03:00.0", "", "mlx5_0", "p0", MAC "1");
}

static void unplug(void)
{
	tree_remove("class/net/p0");
	tree_remove_ibdev("mlx5_0");
	tree_remove("bus/pci/devices/0000:03:00.0");
	tree_remove("devices/pci0000:00");
}

START_TEST(machine_without_devices)
{
	uint32_t n;

	start(SIDE_HOST, "[topology]\nside = host\ndiscover = yes\n");
	ck_assert_ptr_null(find("mlx5_0", &n));
	ck_assert_uint_eq(n, 0);
	plug();
	tree_announce();
	await_listed("mlx5_0", true);
}
END_TEST

START_TEST(discovered_devices_are_listed)
{
	const Dococore__Device *device;
	uint32_t n;

	plug();
	tree_add_rxe("rxe0", "d0");
	tree_add_rxe("rxe1", "d1");
	tree_answers->addresses[0] = (struct machine_address){"d1", AF_INET, {192, 0, 2, 9}, false};
	tree_answers->n_addresses = 1;
	start(SIDE_DPU, "[topology]\nside = dpu\ndiscover = yes\n[device d]\npci = 01:00.0\n");
	device = find("mlx5_0", &n);
	ck_assert_uint_eq(n, 4);
	ck_assert_ptr_nonnull(device);
	ck_assert_str_eq(device->pci_addr, "0000:03:00.0");
	ck_assert_str_eq(device->iface, "p0");
	ck_assert(device->is_bound && device->caps->import_pci);
	ck_assert_uint_eq(device->mtu, 1024);
	ck_assert_uint_eq(device->port_state, 4);
	ck_assert_uint_eq(device->n_gids, 2);
	ck_assert_uint_eq(device->gids[0].len, 16);
	ck_assert_uint_eq(device->gids[1].data[15], 1);
	device = find("rxe1", &n);
	ck_assert_ptr_nonnull(device);
	/* Programs choose devices by address: each device without one gets a unique address. */
	ck_assert_uint_eq(strncmp(device->pci_addr, "ffff:00:", 8), 0);
	ck_assert_uint_eq(device->ipv4.len, 4);
	ck_assert(!find("d", &n)->is_bound);
	ck_assert(!open_device("d").has_slot);
}
END_TEST

START_TEST(removed_and_added)
{
	struct opened before, after;
	uint32_t n, id, slot;

	plug();
	start(SIDE_HOST, "[topology]\nside = host\ndiscover = yes\n");
	before = open_device("mlx5_0");
	ck_assert(is_alive(&before));
	client_ask_export(&client, before.handle, DOCOCORE__EXPORT_KIND__PCI, 16, -1, 1);
	ck_assert_int_eq(client.reply->body_case, DOCOCORE__PACKET__BODY_EXPORT_REPLY);
	slot = client.reply->export_reply->slot;
	ck_assert_uint_eq(atomic_load(&liveness->words[slot]),
			  client.reply->export_reply->generation);
	id = find("mlx5_0", &n)->id;
	unplug();
	tree_announce();
	await_listed("mlx5_0", false);
	ck_assert(!is_alive(&before));
	check_open_refused("mlx5_0");
	/* Together with its export. */
	ck_assert_uint_eq(atomic_load(&liveness->words[slot]), LIVENESS_REVOKED);
	client_ask_export(&client, before.handle, DOCOCORE__EXPORT_KIND__PCI, 16, -1, 1);
	client_check_error(&client, CODE_NOT_FOUND);
	ck_assert_ptr_nonnull(strstr(client.reply->error->text,
				     "device 'mlx5_0' was taken away from the machine since"));
	plug();
	tree_announce();
	await_listed("mlx5_0", true);
	ck_assert_uint_eq(find("mlx5_0", &n)->id, id);
	/* Earlier handles stay dead. */
	ck_assert(!is_alive(&before));
	after = open_device("mlx5_0");
	ck_assert(is_alive(&after) && !is_alive(&before));
	client_ask_export(&client, after.handle, DOCOCORE__EXPORT_KIND__PCI, 16, -1, 1);
	ck_assert_int_eq(client.reply->body_case, DOCOCORE__PACKET__BODY_EXPORT_REPLY);
	close_device(before.handle);
	ck_assert(is_alive(&after));
}
END_TEST

static uint64_t open_endpoint(uint64_t device)
{
	Dococore__RdmaOpen ask = DOCOCORE__RDMA_OPEN__INIT;
	Dococore__Packet packet = DOCOCORE__PACKET__INIT;

	ask.device = device;
	packet.body_case = DOCOCORE__PACKET__BODY_RDMA_OPEN;
	packet.rdma_open = &ask;
	client_ask(&client, &packet, NULL, 0);
	ck_assert_int_eq(client.reply->body_case, DOCOCORE__PACKET__BODY_RDMA_OPEN_REPLY);
	return client.reply->rdma_open_reply->endpoint_id;
}

static void ask_listen(uint64_t endpoint, uint32_t port_number)
{
	Dococore__RdmaListen ask = DOCOCORE__RDMA_LISTEN__INIT;
	Dococore__Packet packet = DOCOCORE__PACKET__INIT;

	ask.endpoint_id = endpoint;
	ask.port_number = port_number;
	packet.body_case = DOCOCORE__PACKET__BODY_RDMA_LISTEN;
	packet.rdma_listen = &ask;
	client_ask(&client, &packet, NULL, 0);
}

/* A client that opens the device again may listen on the numbers of earlier clients. */
START_TEST(port_numbers_of_what_is_gone)
{
	uint64_t before, after;

	plug();
	start(SIDE_HOST, "[topology]\nside = host\ndiscover = yes\n");
	before = open_endpoint(client_open_device(&client, "mlx5_0"));
	ask_listen(before, 700);
	ck_assert_int_eq(client.reply->body_case, DOCOCORE__PACKET__BODY_OK);
	unplug();
	tree_announce();
	await_listed("mlx5_0", false);
	plug();
	tree_announce();
	await_listed("mlx5_0", true);
	ask_listen(before, 701);
	client_check_error(&client, CODE_NOT_FOUND);
	after = open_endpoint(client_open_device(&client, "mlx5_0"));
	ask_listen(after, 700);
	ck_assert_int_eq(client.reply->body_case, DOCOCORE__PACKET__BODY_OK);
	ask_listen(open_endpoint(client_open_device(&client, "mlx5_0")), 700);
	client_check_error(&client, CODE_ALREADY_EXIST);
}
END_TEST

/* A client that listens on a removed device gets no events of other devices. */
START_TEST(listeners_are_notified_once)
{
	struct event_reader events;
	uint64_t endpoint;

	plug();
	tree_add_rxe("rxe0", "d0");
	start(SIDE_HOST, "[topology]\nside = host\ndiscover = yes\n");
	endpoint = open_endpoint(client_open_device(&client, "mlx5_0"));
	client_receive_events(&client, &events, client.reply->rdma_open_reply->event_ring_len);
	ask_listen(endpoint, 700);
	ck_assert_int_eq(client.reply->body_case, DOCOCORE__PACKET__BODY_OK);
	unplug();
	tree_announce();
	await_listed("mlx5_0", false);
	ck_assert_uint_eq(events_await(&events).type, EVENT_RDMA_GONE);
	tree_remove_ibdev("rxe0");
	tree_announce();
	await_listed("rxe0", false);
	ck_assert(!event_reader_pending(&events));
	event_reader_deinit(&events);
}
END_TEST

/* Returns the first line of the tool's output that contains the name. */
static const char *admin_line(const char *command, const char *name)
{
	static char line[512];
	const char *build = getenv("top_builddir");
	FILE *out;

	snprintf(line, sizeof(line), "%s/doca-admin %s --dir %s --side host", build ? build : ".",
		 command, pair.dir);
	out = popen(line, "re");
	ck_assert_ptr_nonnull(out);
	while (fgets(line, sizeof(line), out) && !strstr(line, name))
		continue;
	ck_assert_ptr_nonnull(strstr(line, name));
	while (fgetc(out) != EOF)
		continue;
	ck_assert_int_eq(pclose(out), 0);
	return line;
}

/* A removed device still exists for clients that have it open. */
START_TEST(operators_see_removed_devices)
{
	static const char away[] = "(it was taken away)";

	plug();
	start(SIDE_HOST, "[topology]\nside = host\ndiscover = yes\n");
	ck_assert_ptr_null(strstr(admin_line("topology", "mlx5_0"), away));
	ck_assert_ptr_nonnull(strstr(admin_line("devices", "mlx5_0"), " yes "));
	unplug();
	tree_announce();
	await_listed("mlx5_0", false);
	ck_assert_ptr_nonnull(strstr(admin_line("topology", "mlx5_0"), away));
	ck_assert_ptr_nonnull(strstr(admin_line("devices", "mlx5_0"), " no "));
	plug();
	tree_announce();
	await_listed("mlx5_0", true);
	ck_assert_ptr_null(strstr(admin_line("topology", "mlx5_0"), away));
}
END_TEST

START_TEST(bound_by_the_file)
{
	static const char topology[] = "[topology]\nside = host\ndiscover = yes\n"
				       "[device pf0]\npci = 0b:00.0\nibdev = mlx5_0\nrate = 1G\n"
				       "mac = 02:00:00:00:00:01\n"
				       "[device pf1]\npci = 0b:00.1\nibdev = mlx5_1\nrate = 1G\n";
	const Dococore__Device *device;
	struct opened opened;
	uint32_t n;

	plug();
	start(SIDE_HOST, topology);
	device = find("pf0", &n);
	ck_assert_uint_eq(n, 2);
	ck_assert_str_eq(device->pci_addr, "0000:0b:00.0");
	ck_assert(device->is_bound);
	ck_assert_uint_eq(device->active_rate, 100000000000ull);
	ck_assert_uint_eq(device->mac.data[0], 0xb8);
	ck_assert_uint_eq(device->n_gids, 2);
	/* For a device that the machine does not have, all data come from the file. */
	device = find("pf1", &n);
	ck_assert(!device->is_bound);
	ck_assert_uint_eq(device->active_rate, 1000000000ull);
	opened = open_device("pf0");
	unplug();
	tree_announce();
	await_listed("pf0", false);
	ck_assert(!is_alive(&opened));
	ck_assert_ptr_nonnull(find("pf1", &n));
}
END_TEST

/* Also without `discover`; a reload scans if the kernel does not notify. */
START_TEST(reload_scans_again)
{
	plug();
	tree_answers->error = -EPERM;
	start(SIDE_HOST, "[topology]\nside = host\n[device x]\npci = 0b:00.0\nibdev = mlx5_0\n");
	unplug();
	ck_assert_int_eq(kill(pair.pids[SIDE_HOST], SIGHUP), 0);
	await_listed("x", false);
	plug();
	ck_assert_int_eq(kill(pair.pids[SIDE_HOST], SIGHUP), 0);
	await_listed("x", true);
}
END_TEST

/* The kernel does not answer for a long time: clients are not affected. */
START_TEST(kernel_that_hangs)
{
	uint64_t deadline_ns = clock_now_ns() + AWAIT_NS;
	uint32_t n;

	start(SIDE_HOST, "[topology]\nside = host\ndiscover = yes\n");
	tree_answers->holds = 1;
	plug();
	tree_announce();
	while (!tree_answers->is_held)
		pause_until(deadline_ns);
	ck_assert_ptr_null(find("mlx5_0", &n));
	/* Ending the daemon meanwhile does not wait either. */
	if (_i) {
		ck_assert_int_eq(pair_stop(&pair, SIDE_HOST, SIGTERM), 0);
		return;
	}
	tree_answers->holds = 0;
	await_listed("mlx5_0", true);
}
END_TEST

/* Notifications without pause postpone nothing. */
START_TEST(notices_without_end)
{
	start(SIDE_HOST, "[topology]\nside = host\ndiscover = yes\n");
	tree_answers->floods = 1;
	plug();
	tree_announce();
	await_listed("mlx5_0", true);
	tree_answers->floods = 0;
}
END_TEST

START_TEST(facts_change)
{
	uint64_t deadline_ns = clock_now_ns() + AWAIT_NS;
	struct opened opened;
	uint32_t n;

	plug();
	start(SIDE_HOST, "[topology]\nside = host\ndiscover = yes\n");
	opened = open_device("mlx5_0");
	tree_write("class/infiniband/mlx5_0/ports/1/state", "1: DOWN");
	tree_write("class/infiniband/mlx5_0/ports/1/gids/3",
		   "0000:0000:0000:0000:0000:ffff:c000:0203");
	tree_announce();
	while (find("mlx5_0", &n)->port_state != 1)
		pause_until(deadline_ns);
	ck_assert_uint_eq(find("mlx5_0", &n)->n_gids, 4);
	ck_assert_uint_eq(find("mlx5_0", &n)->gids[2].len, 0);
	ck_assert(is_alive(&opened));
}
END_TEST

/* Data that netlink fails to return stay unchanged; the request is repeated. */
START_TEST(addresses_when_netlink_fails)
{
	uint64_t deadline_ns = clock_now_ns() + AWAIT_NS;
	uint32_t n;

	plug();
	tree_answers->addresses[0] = (struct machine_address){"p0", AF_INET, {192, 0, 2, 9}, false};
	tree_answers->addresses[1] = (struct machine_address){"p0", AF_INET6, {0x20, 1}, false};
	tree_answers->n_addresses = 2;
	start(SIDE_HOST, "[topology]\nside = host\ndiscover = yes\n");
	ck_assert_uint_eq(find("mlx5_0", &n)->ipv4.len, 4);
	tree_answers->addresses_error = -ENOBUFS;
	tree_answers->n_addresses = 0;
	tree_write("class/infiniband/mlx5_0/ports/1/state", "1: DOWN");
	tree_announce();
	while (find("mlx5_0", &n)->port_state != 1)
		pause_until(deadline_ns);
	ck_assert_uint_eq(find("mlx5_0", &n)->ipv4.len, 4);
	ck_assert_uint_eq(find("mlx5_0", &n)->ipv6.len, 16);
	tree_answers->addresses_error = 0;
	while (find("mlx5_0", &n)->ipv4.len || find("mlx5_0", &n)->ipv6.len)
		pause_until(deadline_ns);
}
END_TEST

/* A policy may name devices that are plugged in later. */
START_TEST(policy_for_devices_plugged_in_later)
{
	char text[400];

	snprintf(text, sizeof(text), "%s/host.topology", pair.dir);
	pair_write_topology(&pair, SIDE_HOST, "[topology]\nside = host\ndiscover = yes\n");
	pair.sysfs[SIDE_HOST] = tree_root();
	pair.machine[SIDE_HOST] = &tree_machine;
	snprintf(text, sizeof(text),
		 "[daemon]\ntopology = %s/host.topology\n[policy]\nmlx5_* = none\n", pair.dir);
	pair_write_config(&pair, SIDE_HOST, text);
	pair_start(&pair, SIDE_HOST);
	client_open(&client, &pair, SIDE_HOST);
	plug();
	tree_announce();
	await_listed("mlx5_0", true);
	{
		Dococore__DeviceOpen ask = DOCOCORE__DEVICE_OPEN__INIT;
		Dococore__Packet packet = DOCOCORE__PACKET__INIT;

		ask.name = (char *)"mlx5_0";
		packet.body_case = DOCOCORE__PACKET__BODY_DEVICE_OPEN;
		packet.device_open = &ask;
		client_ask(&client, &packet, NULL, 0);
		client_check_error(&client, CODE_NOT_PERMITTED);
	}
}
END_TEST

static const Dococore__Representor *find_rep_below(uint32_t device_id, const char *name)
{
	Dococore__RepList ask = DOCOCORE__REP_LIST__INIT;
	Dococore__Packet packet = DOCOCORE__PACKET__INIT;

	ask.device_id = device_id;
	packet.body_case = DOCOCORE__PACKET__BODY_REP_LIST;
	packet.rep_list = &ask;
	client_ask(&client, &packet, NULL, 0);
	ck_assert_int_eq(client.reply->body_case, DOCOCORE__PACKET__BODY_REP_LIST_REPLY);
	for (size_t i = 0; i < client.reply->rep_list_reply->n_reps; i++)
		if (strcmp(client.reply->rep_list_reply->reps[i]->name, name) == 0)
			return client.reply->rep_list_reply->reps[i];
	return NULL;
}

static const Dococore__Representor *find_rep(const char *name)
{
	return find_rep_below(1, name);
}

/* Data of a representor's function from devlink, and from the host's daemon. */
START_TEST(representors)
{
	uint64_t deadline_ns = clock_now_ns() + AWAIT_NS;
	const Dococore__Representor *rep;
	struct client host;
	uint64_t p0, handle, pf0;

	plug();
	tree_answers->ports[0] = (struct machine_port){
		"0000:03:00.0",      "pf0vf0",        MACHINE_PORT_VF,
		.is_external = true, .has_mac = true, .mac = {2, 0, 0, 0, 0, 0x77}};
	tree_answers->ports[1] = (struct machine_port){"0000:03:00.0", "", MACHINE_PORT_SF,
						       .sf = 4};
	tree_answers->ports[2] = (struct machine_port){"0000:09:00.0", "other", MACHINE_PORT_PF};
	tree_answers->n_ports = 3;
	start(SIDE_DPU, "[topology]\nside = dpu\ndiscover = yes\n");
	rep = find_rep("pf0vf0");
	ck_assert_ptr_nonnull(rep);
	ck_assert_str_eq(rep->pci_addr, "");
	ck_assert_uint_eq(rep->func_type, FUNC_VF);
	rep = find_rep("pf0sf4@0000-03-00.0");
	ck_assert_ptr_nonnull(rep);
	ck_assert_str_eq(rep->pci_addr, "0000:03:00.0");
	ck_assert_ptr_null(find_rep("other"));
	pair_write_topology(&pair, SIDE_HOST,
			    "[topology]\nside = host\n[device h]\npci = 0b:00.2\ntype = vf\n"
			    "mac = 02:00:00:00:00:77\nvuid = VU\n");
	pair_start(&pair, SIDE_HOST);
	while (strcmp(find_rep("pf0vf0")->pci_addr, "0000:0b:00.2") != 0)
		pause_until(deadline_ns);
	ck_assert_str_eq(find_rep("pf0vf0")->vuid, "VU");
	/* The discovered representor works like one from a file. */
	p0 = client_open_device(&client, "mlx5_0");
	handle = client_open_rep(&client, "pf0vf0");
	client_ask_server(&client, p0, handle, "s", 100);
	ck_assert_int_eq(client.reply->body_case, DOCOCORE__PACKET__BODY_SERVER_REPLY);
	client_open(&host, &pair, SIDE_HOST);
	pf0 = client_open_device(&host, "h");
	client_ask_connect_arrived(&host, pf0, "s", 100);
	ck_assert_int_eq(host.reply->body_case, DOCOCORE__PACKET__BODY_CHANNEL_CONNECT_REPLY);
	client_close(&host);
	/* The representor disappears when devlink no longer reports it. */
	tree_answers->n_ports = 0;
	tree_announce();
	while (find_rep("pf0vf0"))
		pause_until(deadline_ns);
	client_ask_server(&client, p0, handle, "t", 100);
	client_check_error(&client, CODE_NOT_FOUND);
	ck_assert_ptr_nonnull(strstr(client.reply->error->text, "representor 'pf0vf0' was taken"));
}
END_TEST

/*
 * The ports of two cards have the same numbers and no interfaces: each is named by its location,
 * also if the other card is absent.
 */
START_TEST(representors_of_two_cards)
{
	uint64_t deadline_ns = clock_now_ns() + AWAIT_NS;
	const Dococore__Representor *rep;
	uint32_t id;

	plug();
	tree_add_mlx5("0000:04:00.0", "", "mlx5_1", "p1", MAC "2");
	for (unsigned i = 0; i < 2; i++)
		tree_answers->ports[i] = (struct machine_port){"0000:03:00.0", "", MACHINE_PORT_VF,
							       .controller = 1, .vf = 2};
	strcpy(tree_answers->ports[_i].pci_addr, "0000:04:00.0");
	tree_answers->n_ports = 2;
	start(SIDE_DPU, "[topology]\nside = dpu\ndiscover = yes\n");
	rep = find_rep_below(1, "c1pf0vf2@0000-03-00.0");
	ck_assert_ptr_nonnull(rep);
	ck_assert_str_eq(rep->parent, "mlx5_0");
	id = rep->id;
	rep = find_rep_below(2, "c1pf0vf2@0000-04-00.0");
	ck_assert_ptr_nonnull(rep);
	ck_assert_str_eq(rep->parent, "mlx5_1");
	ck_assert_uint_ne(rep->id, id);
	strcpy(tree_answers->ports[0].pci_addr, "0000:04:00.0");
	tree_answers->n_ports = 1;
	tree_announce();
	while (find_rep_below(1, "c1pf0vf2@0000-03-00.0"))
		pause_until(deadline_ns);
	ck_assert_ptr_nonnull(find_rep_below(2, "c1pf0vf2@0000-04-00.0"));
}
END_TEST

/* If devlink fails, representors are not removed; the request is repeated. */
START_TEST(representors_when_devlink_fails)
{
	uint64_t deadline_ns = clock_now_ns() + AWAIT_NS;
	struct opened rep;
	uint32_t n;

	plug();
	tree_answers->ports[0] = (struct machine_port){"0000:03:00.0", "", MACHINE_PORT_SF,
						       .sf = 5};
	tree_answers->ports[1] = (struct machine_port){"0000:03:00.0", "", MACHINE_PORT_SF,
						       .sf = 4};
	tree_answers->n_ports = 2;
	/* At the start, too. */
	tree_answers->ports_error = _i == 0 ? 0 : -EMFILE;
	start(SIDE_DPU, "[topology]\nside = dpu\ndiscover = yes\n");
	rep = opened_from_reply(client_open_rep(&client, "pf0sf4@0000-03-00.0"));
	ck_assert(is_alive(&rep));
	if (_i == 0) {
		tree_answers->ports_error = -ENOBUFS;
		tree_answers->n_ports = 1;
		tree_write("class/infiniband/mlx5_0/ports/1/state", "1: DOWN");
		tree_announce();
		while (find("mlx5_0", &n)->port_state != 1)
			pause_until(deadline_ns);
		ck_assert_ptr_nonnull(find_rep("pf0sf5@0000-03-00.0"));
		ck_assert_ptr_nonnull(find_rep("pf0sf4@0000-03-00.0"));
		ck_assert(is_alive(&rep));
	}
	tree_answers->n_ports = 1;
	tree_answers->ports_error = 0;
	while (find_rep("pf0sf4@0000-03-00.0"))
		pause_until(deadline_ns);
	ck_assert(!is_alive(&rep));
	ck_assert_ptr_nonnull(find_rep("pf0sf5@0000-03-00.0"));
}
END_TEST

/* Connects as a client. */
static void connect_to_server(struct client *host, uint64_t device, struct event_reader *events)
{
	client_ask_connect(host, device, "s", 100);
	ck_assert_int_eq(host->reply->body_case, DOCOCORE__PACKET__BODY_CHANNEL_CONNECT_REPLY);
	client_receive_events(host, events, host->reply->channel_connect_reply->event_ring_len);
}

static void check_event(struct event_reader *events, uint32_t type, uint32_t code)
{
	struct event event = events_await(events);

	ck_assert_uint_eq(event.type, type);
	ck_assert_uint_eq(event.code, code);
}

static void ask_server(struct event_reader *events_out)
{
	client_ask_server(&client, client_open_device(&client, "mlx5_0"),
			  client_open_rep(&client, "pf0vf0"), "s", 100);
	ck_assert_int_eq(client.reply->body_case, DOCOCORE__PACKET__BODY_SERVER_REPLY);
	client_receive_events(&client, events_out, client.reply->server_reply->event_ring_len);
}

/* The machine is a DPU's with a representor; its other side has the function. */
static uint64_t start_with_host(struct client *host)
{
	uint64_t deadline_ns = clock_now_ns() + AWAIT_NS;

	plug();
	tree_add_rxe("rxe0", "d0");
	tree_answers->ports[0] = (struct machine_port){
		"0000:03:00.0",      "pf0vf0",        MACHINE_PORT_VF,
		.is_external = true, .has_mac = true, .mac = {2, 0, 0, 0, 0, 0x77}};
	tree_answers->n_ports = 1;
	pair_write_topology(&pair, SIDE_HOST,
			    "[topology]\nside = host\n[device h]\npci = 0b:00.2\ntype = vf\n"
			    "mac = 02:00:00:00:00:77\n");
	start(SIDE_DPU, "[topology]\nside = dpu\ndiscover = yes\n");
	pair_start(&pair, SIDE_HOST);
	while (strcmp(find_rep("pf0vf0")->pci_addr, "0000:0b:00.2") != 0)
		pause_until(deadline_ns);
	client_open(host, &pair, SIDE_HOST);
	return client_open_device(host, "h");
}

static void set_removed(bool device, bool is_away)
{
	uint64_t deadline_ns = clock_now_ns() + AWAIT_NS;

	if (device && is_away)
		unplug();
	else if (device)
		plug();
	else
		tree_answers->n_ports = !is_away;
	tree_announce();
	if (device)
		await_listed("mlx5_0", !is_away);
	while (!device && (find_rep("pf0vf0") == NULL) != is_away)
		pause_until(deadline_ns);
}

/*
 * A server of a removed device or representor cannot be reached until that is back, and its name is
 * free. _i: the representor is removed, or the device.
 */
START_TEST(servers_of_what_is_gone)
{
	struct event_reader events[4], before, after;
	struct client host;
	uint64_t pf0 = start_with_host(&host);

	ask_server(&before);
	connect_to_server(&host, pf0, &events[0]);
	check_event(&before, EVENT_CHANNEL_NEW, CODE_SUCCESS);
	set_removed(_i, true);
	check_event(&before, EVENT_CHANNEL_CLOSED, CODE_CONNECTION_ABORTED);
	/* The server's program is notified, once. */
	check_event(&before, EVENT_SERVER_GONE, CODE_SUCCESS);
	check_event(&events[0], EVENT_CHANNEL_FAILED, CODE_CONNECTION_ABORTED);
	connect_to_server(&host, pf0, &events[1]);
	check_event(&events[1], EVENT_CHANNEL_FAILED, CODE_NOT_FOUND);
	set_removed(_i, false);
	connect_to_server(&host, pf0, &events[2]);
	check_event(&before, EVENT_CHANNEL_NEW, CODE_SUCCESS);
	/* The removal of another device has no effect. */
	tree_remove_ibdev("rxe0");
	tree_announce();
	await_listed("rxe0", false);
	/* A program that opens it again gets the name and the new clients. */
	ask_server(&after);
	connect_to_server(&host, pf0, &events[3]);
	check_event(&after, EVENT_CHANNEL_NEW, CODE_SUCCESS);
	ck_assert(!event_reader_pending(&before));
	for (size_t i = 0; i < ARRAY_LEN(events); i++)
		event_reader_deinit(&events[i]);
	event_reader_deinit(&before);
	event_reader_deinit(&after);
	client_close(&host);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("daemon discovery");
	TCase *tcase = unit_case(suite, "changing machines", UNIT_TIMEOUT);

	tcase_add_checked_fixture(tcase, set_up, tear_down);
	tcase_add_test(tcase, machine_without_devices);
	tcase_add_test(tcase, discovered_devices_are_listed);
	tcase_add_test(tcase, removed_and_added);
	tcase_add_test(tcase, port_numbers_of_what_is_gone);
	tcase_add_test(tcase, listeners_are_notified_once);
	tcase_add_test(tcase, operators_see_removed_devices);
	tcase_add_test(tcase, bound_by_the_file);
	tcase_add_test(tcase, reload_scans_again);
	tcase_add_loop_test(tcase, kernel_that_hangs, 0, 2);
	tcase_add_test(tcase, notices_without_end);
	tcase_add_test(tcase, facts_change);
	tcase_add_test(tcase, addresses_when_netlink_fails);
	tcase_add_test(tcase, policy_for_devices_plugged_in_later);
	tcase_add_test(tcase, representors);
	tcase_add_loop_test(tcase, representors_of_two_cards, 0, 2);
	tcase_add_loop_test(tcase, representors_when_devlink_fails, 0, 2);
	tcase_add_loop_test(tcase, servers_of_what_is_gone, 0, 2);
	return unit_run(suite);
}
