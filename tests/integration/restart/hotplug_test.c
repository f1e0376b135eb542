/*
 * Programs whose device is removed from the machine and returned, with a daemon that discovers
 * devices: the discovered devices as programs see them, and what ends with a device, while polling
 * or sleeping: RDMA connections and contexts, exported memory, comch connections. The machine is
 * simulated, so RDMA is the library's own; tests/vm tests RDMA devices. Creates no threads; each
 * program is a process.
 */
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <doca_rdma.h>

#include "tests/integration/comch/channel.h"
#include "tests/lib/exporter.h"
#include "tests/lib/runner.h"
#include "tests/lib/sleeper.h"
#include "tests/lib/talk.h"
#include "tests/lib/use.h"
#include "tests/unit/daemon/topology/machine_tree.h"

#define PORT 4322
#define LEN  8192u
#define ROOM 64u
/* Number of progress calls after which every due check was made. */
#define N_POLLS    100000u
#define TIMEOUT_MS 20000
#define REMOVED    " was removed from the machine"
#define MAC_TEXT   "b8:3f:d2:00:00:01"

static struct lab lab;
static enum lab_side side; /* the side whose machine it is */
static char config[128];

static void plug(void)
{
	tree_add_mlx5("0000:" USE_HOST_PF0, "", "mlx5_0", "p0", MAC_TEXT);
}

static void rescan(void)
{
	lab_reload(&lab, side, config);
}

static void remove_device(void)
{
	tree_remove("class/net/p0");
	tree_remove_ibdev("mlx5_0");
	tree_remove("bus/pci/devices/0000:" USE_HOST_PF0);
	tree_remove("devices/pci0000:00");
}

static void unplug(void)
{
	remove_device();
	rescan();
}

static void start(enum lab_side whose, const char *topology, size_t fd_store)
{
	struct lab_options options = {.fd_store = fd_store};

	leaks_setup();
	tree_set_up();
	tree_write("topology", topology);
	snprintf(config, sizeof(config), "[daemon]\ntopology = %s/topology\n", tree_root());
	side = whose;
	options.config_of[side] = config;
	options.sysfs_of[side] = tree_root();
	plug();
	lab_start(&lab, &options);
}

static void setup(void)
{
	start(LAB_HOST, "[topology]\nside = host\ndiscover = yes", 0);
}

static void setup_store(void)
{
	start(LAB_HOST, "[topology]\nside = host\ndiscover = yes", 64);
}

static void setup_dpu(void)
{
	start(LAB_DPU,
	      "[topology]\nside = dpu\n[device p0]\npci = " USE_DPU_P0
	      "\nibdev = mlx5_0\n[representor hpf0]\nparent = p0\npci = " USE_HOST_PF0
	      "\ntype = pf\n",
	      0);
}

static void teardown(void)
{
	lab_stop(&lab);
	tree_tear_down();
	leaks_teardown();
}

/* --- devices --- */

static uint32_t n_devices(void)
{
	struct doca_devinfo **list;
	uint32_t n;

	OK(doca_devinfo_create_list(&list, &n));
	OK(doca_devinfo_destroy_list(list));
	return n;
}

START_TEST(test_found)
{
	static const uint8_t mac[] = {0xb8, 0x3f, 0xd2, 0, 0, 1};
	char text[DOCA_DEVINFO_IFACE_NAME_SIZE], ibdev[DOCA_DEVINFO_IBDEV_NAME_SIZE];
	char addr[DOCA_DEVINFO_PCI_ADDR_SIZE];
	struct doca_devinfo *info;
	struct doca_dev *dev;
	uint8_t bytes[6];
	uint64_t rate;

	lab_use(&lab, LAB_HOST);
	leaks_allow_fds(1);
	ck_assert_uint_eq(n_devices(), 1);
	dev = use_dev(USE_HOST_PF0);
	info = doca_dev_as_devinfo(dev);
	OK(doca_devinfo_get_pci_addr_str(info, addr));
	ck_assert_str_eq(addr, "0000:" USE_HOST_PF0);
	OK(doca_devinfo_get_iface_name(info, text, sizeof(text)));
	ck_assert_str_eq(text, "p0");
	OK(doca_devinfo_get_ibdev_name(info, ibdev, sizeof(ibdev)));
	ck_assert_str_eq(ibdev, "mlx5_0");
	OK(doca_devinfo_get_mac_addr(info, bytes, sizeof(bytes)));
	ck_assert_mem_eq(bytes, mac, sizeof(mac));
	OK(doca_devinfo_get_active_rate(info, &rate));
	ck_assert_uint_eq(rate, 100000000000ull);
	unplug();
	while (n_devices() != 0)
		lab_listen(&lab);
	plug();
	rescan();
	while (n_devices() != 1)
		lab_listen(&lab);
	/* The program's device cannot be used again; a newly opened one can. */
	use_dev_end(dev);
	dev = use_dev(USE_HOST_PF0);
	use_dev_end(dev);
}
END_TEST

/* --- RDMA --- */

enum how { HOW_AWAKE, HOW_ASLEEP, HOW_LISTENING, HOW_N };

struct end {
	struct doca_dev *dev;
	struct doca_pe *pe;
	struct doca_rdma *rdma;
	struct doca_ctx *ctx;
	struct doca_rdma_connection *conn;
	struct doca_buf_inventory *inventory;
	struct doca_mmap *mmap;
	uint8_t memory[ROOM];
	struct sleeper sleeper;
	bool is_asleep;
	unsigned n_ok, n_failed, n_sent;
};

static void on_received(struct doca_rdma_task_receive *task, union doca_data data,
			union doca_data ctx_data)
{
	struct end *end = ctx_data.ptr;

	(void)data;
	if (doca_task_get_status(doca_rdma_task_receive_as_task(task)) == DOCA_SUCCESS)
		end->n_ok++;
	else
		end->n_failed++;
	doca_task_free(doca_rdma_task_receive_as_task(task));
}

static void on_sent(struct doca_rdma_task_send *task, union doca_data data,
		    union doca_data ctx_data)
{
	(void)data;
	OK(doca_task_get_status(doca_rdma_task_send_as_task(task)));
	((struct end *)ctx_data.ptr)->n_sent++;
	doca_task_free(doca_rdma_task_send_as_task(task));
}

static void on_requested(struct doca_rdma_connection *conn, union doca_data ctx_data)
{
	(void)ctx_data;
	ck_abort_msg("a request for connection %p", (void *)conn);
}

/* Connections by details call no callback. */
static void on_change(struct doca_rdma_connection *conn, union doca_data data,
		      union doca_data ctx_data)
{
	(void)data;
	(void)ctx_data;
	ck_abort_msg("a change of connection %p", (void *)conn);
}

static void end_open(struct end *end, enum how how)
{
	*end = (struct end){.dev = use_dev(USE_HOST_PF0), .is_asleep = how != HOW_AWAKE};
	OK(doca_pe_create(&end->pe));
	OK(doca_rdma_create(end->dev, &end->rdma));
	end->ctx = doca_rdma_as_ctx(end->rdma);
	OK(doca_rdma_task_receive_set_conf(end->rdma, on_received, on_received, 2));
	OK(doca_rdma_task_send_set_conf(end->rdma, on_sent, on_sent, 1));
	OK(doca_rdma_set_connection_state_callbacks(end->rdma, on_requested, on_change, on_change,
						    on_change));
	OK(doca_ctx_set_user_data(end->ctx, (union doca_data){.ptr = end}));
	OK(doca_pe_connect_ctx(end->pe, end->ctx));
	OK(doca_ctx_start(end->ctx));
	OK(doca_buf_inventory_create(2, &end->inventory));
	OK(doca_buf_inventory_start(end->inventory));
	end->mmap = use_mmap(end->dev, end->memory, ROOM, DOCA_ACCESS_FLAG_LOCAL_READ_WRITE);
	if (end->is_asleep)
		sleeper_open(&end->sleeper, end->pe, SLEEPER_SELECTIVE, -1);
}

static void end_close(struct end *end)
{
	if (end->is_asleep)
		sleeper_close(&end->sleeper);
	OK(doca_rdma_destroy(end->rdma));
	OK(doca_pe_destroy(end->pe));
	OK(doca_buf_inventory_destroy(end->inventory));
	use_mmap_end(end->mmap);
	use_dev_end(end->dev);
}

static void end_progress(struct end *end)
{
	if (end->is_asleep)
		sleeper_step(&end->sleeper);
	else
		doca_pe_progress(end->pe);
}

/* Both ends call it: the connection works. One more receive is used up. */
static void end_exchange(struct end *end)
{
	struct doca_rdma_task_receive *receive;
	struct doca_rdma_task_send *send;

	OK(doca_rdma_task_receive_allocate_init(end->rdma, NULL, (union doca_data){0}, &receive));
	OK(doca_task_submit(doca_rdma_task_receive_as_task(receive)));
	OK(doca_rdma_task_send_allocate_init(end->rdma, end->conn, NULL, (union doca_data){0},
					     &send));
	OK(doca_task_submit(doca_rdma_task_send_as_task(send)));
	while (end->n_ok == 0 || end->n_sent == 0)
		end_progress(end);
	end->n_ok = end->n_sent = 0;
}

static void end_connect(struct end *end, int sock)
{
	uint8_t theirs[512];
	const void *mine;
	size_t len;

	OK(doca_rdma_export(end->rdma, &mine, &len, &end->conn));
	lab_send_sized(sock, mine, len);
	len = lab_recv_sized(sock, theirs, sizeof(theirs));
	OK(doca_rdma_connect(end->rdma, theirs, len, end->conn));
	end_exchange(end);
}

/* The context stops by itself with its posted tasks, and cannot be started again. */
static void end_await_removal(struct end *end)
{
	enum doca_ctx_states state;

	do {
		end_progress(end);
		OK(doca_ctx_get_state(end->ctx, &state));
	} while (state != DOCA_CTX_STATE_IDLE);
	ck_assert_uint_eq(end->n_ok, 0);
	ck_assert_uint_eq(end->n_failed, 1);
	EXPECT(DOCA_ERROR_INITIALIZATION, doca_ctx_start(end->ctx));
	ck_assert_msg(strstr(dococ_last_error(), REMOVED) != NULL, "%s", dococ_last_error());
}

static void end_main(int sock, void *arg)
{
	struct doca_rdma_task_receive *task;
	enum how how = *(enum how *)arg;
	struct doca_buf *buf;
	struct end end;

	end_open(&end, how);
	OK(doca_buf_inventory_buf_get_by_addr(end.inventory, end.mmap, end.memory, ROOM, &buf));
	OK(doca_rdma_task_receive_allocate_init(end.rdma, buf, (union doca_data){0}, &task));
	OK(doca_task_submit(doca_rdma_task_receive_as_task(task)));
	if (how == HOW_LISTENING)
		OK(doca_rdma_start_listen_to_port(end.rdma, PORT));
	else
		end_connect(&end, sock);
	lab_signal(sock);
	end_await_removal(&end);
	lab_signal(sock);
	use_buf_end(buf);
	end_close(&end);
}

/* Passes the data of one program to the other. */
static void forward_details(struct lab_child *from, struct lab_child *to)
{
	uint8_t details[512];

	lab_send_sized(to->sock, details, lab_recv_sized(from->sock, details, sizeof(details)));
}

START_TEST(test_rdma)
{
	struct lab_child children[2];
	enum how how = (enum how)_i;
	unsigned n = how == HOW_LISTENING ? 1 : 2;

	for (unsigned i = 0; i < n; i++)
		children[i] = lab_fork(&lab, LAB_HOST, end_main, &how);
	if (n == 2) {
		forward_details(&children[0], &children[1]);
		forward_details(&children[1], &children[0]);
	}
	for (unsigned i = 0; i < n; i++) {
		lab_wait(children[i].sock);
		if (how != HOW_AWAKE)
			sleeper_await_asleep(children[i].pid);
	}
	unplug();
	for (unsigned i = 0; i < n; i++) {
		lab_wait(children[i].sock);
		lab_join(&children[i]);
	}
}
END_TEST

/* --- a session that ended --- */

static bool is_signalled(int sock)
{
	struct pollfd signal = {.fd = sock, .events = POLLIN};

	return poll(&signal, 1, 0) == 1;
}

/* The device still exists, and the next session reports it. */
static void device_stays_main(int sock, void *arg)
{
	enum how how = HOW_AWAKE;
	struct end end;

	(void)arg;
	end_open(&end, how);
	end_connect(&end, sock);
	lab_signal(sock);
	lab_wait(sock);
	/*
	 * Liveness words end with a daemon: a program that makes a call gets words of the next one.
	 */
	ck_assert_uint_eq(n_devices(), 1);
	while (!is_signalled(sock))
		doca_pe_progress(end.pe);
	lab_wait(sock);
	for (unsigned i = 0; i < N_POLLS; i++)
		doca_pe_progress(end.pe);
	end_exchange(&end);
	lab_signal(sock);
	lab_wait(sock);
	OK(doca_rdma_connection_disconnect(end.conn));
	(void)doca_ctx_stop(end.ctx);
	use_ctx_await(end.pe, end.ctx, DOCA_CTX_STATE_IDLE);
	end_close(&end);
}

static void signal_all(const struct lab_child children[2])
{
	for (unsigned i = 0; i < 2; i++)
		lab_signal(children[i].sock);
}

START_TEST(test_another_daemon)
{
	struct lab_child children[2];

	for (unsigned i = 0; i < 2; i++)
		children[i] = lab_fork(&lab, LAB_HOST, device_stays_main, NULL);
	forward_details(&children[0], &children[1]);
	forward_details(&children[1], &children[0]);
	for (unsigned i = 0; i < 2; i++)
		lab_wait(children[i].sock);
	if (_i == 0)
		lab_stop_daemon(&lab, LAB_HOST);
	else
		lab_kill_daemon(&lab, LAB_HOST);
	lab_start_daemon(&lab, LAB_HOST);
	signal_all(children);
	/* Both processes have a session with the new daemon, and check its words. */
	lab_await(&lab, LAB_HOST, LAB_CLIENTS, 2, TIMEOUT_MS);
	signal_all(children);
	for (unsigned i = 0; i < 2; i++)
		lab_wait(children[i].sock);
	signal_all(children);
	for (unsigned i = 0; i < 2; i++)
		lab_join(&children[i]);
}
END_TEST

/* Returns this process's connection to the daemon, or -1. */
static int session_fd(void)
{
	for (int fd = 3; fd < 256; fd++) {
		struct pollfd end = {.fd = fd};
		struct sockaddr_un addr = {.sun_family = AF_UNSPEC};
		socklen_t len = sizeof(addr);

		if (getpeername(fd, (struct sockaddr *)&addr, &len) == 0 &&
		    addr.sun_family == AF_UNIX &&
		    strcmp(addr.sun_path, lab_socket(&lab, LAB_HOST)) == 0 && poll(&end, 1, 0) == 0)
			return fd;
	}
	return -1;
}

/*
 * Words end with the session: the same daemon is asked in a new session whether the device still
 * exists.
 */
START_TEST(test_another_session)
{
	enum doca_ctx_states state;
	struct end end;
	int fd;

	lab_use(&lab, LAB_HOST);
	leaks_allow_fds(1);
	end_open(&end, HOW_AWAKE);
	fd = session_fd();
	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(shutdown(fd, SHUT_RDWR), 0);
	ck_assert_int_lt(session_fd(), 0);
	do {
		for (unsigned i = 0; i < N_POLLS; i++)
			doca_pe_progress(end.pe);
	} while (session_fd() < 0);
	for (unsigned i = 0; i < N_POLLS; i++)
		doca_pe_progress(end.pe);
	OK(doca_ctx_get_state(end.ctx, &state));
	ck_assert_int_eq(state, DOCA_CTX_STATE_RUNNING);
	OK(doca_ctx_stop(end.ctx));
	end_close(&end);
}
END_TEST

/* --- memory --- */

START_TEST(test_exports)
{
	const struct exporter_options options = {.memory = _i == 0 ? MEMORY_DOCOC : MEMORY_MALLOC,
						 .len = LEN,
						 .permissions = DOCA_ACCESS_FLAG_PCI_READ_WRITE,
						 .side = LAB_HOST};
	static uint8_t mine[LEN];
	struct doca_mmap *remote, *local, *again;
	struct exporter exporter;
	struct use_dma use;
	struct doca_dev *dev;
	doca_error_t result;

	exporter_start(&exporter, &lab, &options);
	lab_use(&lab, LAB_DPU);
	leaks_allow_fds(1);
	dev = use_dev(USE_DPU_P0);
	use_dma_open(&use, dev, 1);
	local = use_mmap(dev, mine, LEN, DOCA_ACCESS_FLAG_LOCAL_READ_WRITE);
	OK(doca_mmap_create_from_export(NULL, exporter.exported.desc, exporter.exported.desc_len,
					dev, &remote));
	EXPECT(DOCA_SUCCESS, use_copy(&use, remote, exporter.exported.addr, local, mine, LEN));
	unplug();
	do {
		lab_listen(&lab);
		result = use_copy(&use, remote, exporter.exported.addr, local, mine, LEN);
	} while (result == DOCA_SUCCESS);
	ck_assert_int_eq(result, DOCA_ERROR_IO_FAILED);
	EXPECT(DOCA_ERROR_NOT_PERMITTED,
	       doca_mmap_create_from_export(NULL, exporter.exported.desc,
					    exporter.exported.desc_len, dev, &again));
	exporter_end(&exporter);
	use_mmap_end(remote);
	use_mmap_end(local);
	use_dma_close(&use);
	use_dev_end(dev);
}
END_TEST

/* --- comch --- */

/* Sleeps until the context has stopped by itself because its device was removed. */
static void await_removed(struct talk *talk, struct sleeper *sleeper)
{
	enum doca_ctx_states state;

	do {
		sleeper_step(sleeper);
		OK(doca_ctx_get_state(talk->ctx, &state));
	} while (state != DOCA_CTX_STATE_IDLE);
}

static void client_main(int sock, void *arg)
{
	struct talk talk = {.n_left = 0};
	struct sleeper sleeper;
	struct doca_dev *dev = use_dev(USE_HOST_PF0);
	struct doca_pe *pe;

	(void)arg;
	OK(doca_pe_create(&pe));
	lab_wait(sock);
	talk_connect(&talk, pe, dev, "hotplug", 1);
	use_ctx_await(pe, talk.ctx, DOCA_CTX_STATE_RUNNING);
	sleeper_open(&sleeper, pe, SLEEPER_SELECTIVE, -1);
	sleeper_progress(&sleeper);
	lab_signal(sock);
	await_removed(&talk, &sleeper);
	EXPECT(DOCA_ERROR_INITIALIZATION, doca_ctx_start(talk.ctx));
	ck_assert_msg(strstr(dococ_last_error(), REMOVED) != NULL, "%s", dococ_last_error());
	sleeper_close(&sleeper);
	talk_end(&talk);
	OK(doca_pe_destroy(pe));
	use_dev_end(dev);
}

START_TEST(test_comch)
{
	struct talk talk = {.n_left = 0};
	struct lab_child child;
	struct doca_dev *dev;
	struct doca_pe *pe;

	child = lab_fork(&lab, LAB_HOST, client_main, NULL);
	lab_use(&lab, LAB_DPU);
	leaks_allow_fds(1);
	dev = use_dev(USE_DPU_P0);
	OK(doca_pe_create(&pe));
	talk_serve(&talk, pe, dev, "hotplug", 1);
	lab_signal(child.sock);
	while (talk.n_connected == 0)
		doca_pe_progress(pe);
	lab_wait(child.sock);
	sleeper_await_asleep(child.pid);
	unplug();
	while (talk.n_left == 0)
		doca_pe_progress(pe);
	lab_join(&child);
	talk_end(&talk);
	OK(doca_pe_destroy(pe));
	use_dev_end(dev);
}
END_TEST

/* The server has no clients. */
static void server_main(int sock, void *arg)
{
	struct talk talk = {.n_left = 0};
	struct sleeper sleeper;
	struct doca_dev *dev = use_dev(USE_DPU_P0);
	struct doca_pe *pe;

	(void)arg;
	OK(doca_pe_create(&pe));
	talk_serve(&talk, pe, dev, "hotplug", 1);
	sleeper_open(&sleeper, pe, SLEEPER_SELECTIVE, -1);
	lab_signal(sock);
	await_removed(&talk, &sleeper);
	ck_assert_msg(strstr(dococ_last_error(), REMOVED) != NULL, "%s", dococ_last_error());
	EXPECT(DOCA_ERROR_INITIALIZATION, doca_ctx_start(talk.ctx));
	ck_assert_msg(strstr(dococ_last_error(), REMOVED) != NULL, "%s", dococ_last_error());
	sleeper_close(&sleeper);
	talk_end(&talk);
	OK(doca_pe_destroy(pe));
	use_dev_end(dev);
}

/* A comch server; a service of the comm channel, which waits for messages or for its state. */
START_TEST(test_server)
{
	struct lab_child child;
	int by_state = _i - 1;

	child = lab_fork(&lab, LAB_DPU, _i == 0 ? server_main : channel_removed_serve, &by_state);
	lab_wait(child.sock);
	sleeper_await_asleep(child.pid);
	unplug();
	lab_join(&child);
}
END_TEST

/* --- over a restart --- */

static void open_before_main(int sock, void *arg)
{
	struct doca_dev *dev = use_dev(USE_HOST_PF0);
	struct doca_dev *again;

	(void)arg;
	lab_signal(sock);
	lab_wait(sock);
	again = use_dev(USE_HOST_PF0);
	ck_assert_ptr_ne(again, dev);
	use_dev_end(again);
	use_dev_end(dev);
}

/*
 * An open device was removed, and the daemon restarts: the next instance knows the client with all
 * its objects. _i: the device is removed before that, or in between.
 */
START_TEST(test_restart)
{
	struct lab_child child = lab_fork(&lab, LAB_HOST, open_before_main, NULL);

	lab_wait(child.sock);
	if (_i == 0)
		unplug();
	lab_stop_daemon(&lab, LAB_HOST);
	if (_i == 1)
		remove_device();
	lab_start_daemon(&lab, LAB_HOST);
	/* The program makes no call. */
	lab_await(&lab, LAB_HOST, LAB_CLIENTS, 1, TIMEOUT_MS);
	plug();
	rescan();
	lab_await_log(&lab, LAB_HOST, "device mlx5_0 is back", TIMEOUT_MS);
	lab_signal(child.sock);
	lab_join(&child);
	ck_assert(!lab_log_has(&lab, LAB_HOST, "is not resumed"));
}
END_TEST

static void add_cases(Suite *suite)
{
	TCase *tcase = tcase_create("hotplug"), *dpu = tcase_create("hotplug of the DPU");
	TCase *store = tcase_create("hotplug and restarts");

	suite_add_tcase(suite, tcase);
	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_set_timeout(tcase, RUNNER_TEST_S);
	tcase_add_test(tcase, test_found);
	tcase_add_loop_test(tcase, test_rdma, 0, HOW_N);
	tcase_add_loop_test(tcase, test_another_daemon, 0, 2);
	tcase_add_test(tcase, test_another_session);
	tcase_add_loop_test(tcase, test_exports, 0, 2);
	tcase_add_test(tcase, test_comch);
	suite_add_tcase(suite, dpu);
	tcase_add_checked_fixture(dpu, setup_dpu, teardown);
	tcase_set_timeout(dpu, RUNNER_TEST_S);
	tcase_add_loop_test(dpu, test_server, 0, 3);
	suite_add_tcase(suite, store);
	tcase_add_checked_fixture(store, setup_store, teardown);
	tcase_set_timeout(store, RUNNER_TEST_S);
	tcase_add_loop_test(store, test_restart, 0, 2);
}

int main(void)
{
	lab_require();
	return runner_main("hotplug", add_cases, NULL);
}
