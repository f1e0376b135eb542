/*
 * An RDMA device that its driver cannot take from programs that have it open, like soft-RoCE: the
 * device reports nothing when it is removed, only its character device disappears, and the daemon
 * reports that. Ports of the verbs provider are notified while polling and sleeping, by the present
 * daemon and by the next one. Machine and device are simulated. Threads: the provider's.
 */
#include <poll.h>
#include <stdio.h>

#include "tests/lib/lab.h"
#include "tests/lib/runner.h"
#include "tests/lib/use.h"
#include "tests/unit/client/rma/verbs/fake_device.h"
#include "tests/unit/daemon/topology/machine_tree.h"
#include "util/clock.h"

#define WAIT_MS 20000u
#define NODE    "class/infiniband_verbs/uverbs0"

enum how { HOW_AWAKE, HOW_ASLEEP, HOW_NEXT_DAEMON, HOW_N };

static struct lab lab;
static char config[128];
static struct doca_dev *dev;
static struct rdma_domain *port;

static void setup(void)
{
	struct lab_options options = {.config_of[LAB_HOST] = config};

	leaks_setup();
	tree_set_up();
	tree_write("topology", "[topology]\nside = host\ndiscover = yes");
	tree_add_mlx5("0000:" USE_HOST_PF0, "", "mlx5_0", "p0", "b8:3f:d2:00:00:01");
	tree_write("class/infiniband_verbs/abi_version", "6");
	tree_write(NODE "/ibdev", "mlx5_0");
	snprintf(config, sizeof(config), "[daemon]\ntopology = %s/topology\n", tree_root());
	options.sysfs_of[LAB_HOST] = tree_root();
	lab_start(&lab, &options);
	verbs_fake_set_up();
}

static void teardown(void)
{
	verbs_fake_tear_down();
	lab_stop(&lab);
	tree_tear_down();
	leaks_teardown();
}

static void port_open(void)
{
	const struct rdma_conf conf = {.send_queue = 8,
				       .recv_queue = 4,
				       .max_send_sges = 1,
				       .max_recv_sges = 1,
				       .max_qps = 4,
				       .mtu = 1024};

	dev = use_dev(USE_HOST_PF0);
	OK(verbs_domain_new(&fake.device, dev, &conf, &port));
	verbs_fake_qp_new(port);
}

static void port_close(void)
{
	rdma_verbs.close(port);
	use_dev_end(dev);
}

/* The rest of the device stays, because it has users. */
static void remove_node(void)
{
	tree_remove(NODE);
	lab_reload(&lab, LAB_HOST, config);
}

static struct rdma_event await_event(void)
{
	uint64_t until_ns = clock_now_ns() + runner_timeout_ms(WAIT_MS) * NS_PER_MS;
	struct rdma_event event;

	while (!rdma_verbs.next_event(port, &event)) {
		ck_assert_ptr_null(rdma_verbs.poll(port));
		EXPECT_TRUE(clock_now_ns() < until_ns, "nothing is reported");
	}
	return event;
}

static void next_daemon(void)
{
	struct doca_devinfo **list;
	struct rdma_event event;
	uint32_t n;

	lab_kill_daemon(&lab, LAB_HOST);
	lab_start_daemon(&lab, LAB_HOST);
	/* A program that makes a call gets the daemon's words. */
	OK(doca_devinfo_create_list(&list, &n));
	ck_assert_uint_eq(n, 1);
	OK(doca_devinfo_destroy_list(list));
	ck_assert(!rdma_verbs.next_event(port, &event));
}

START_TEST(test_leaving)
{
	struct pollfd fd = {.events = POLLIN};
	struct rdma_event event;

	lab_use(&lab, LAB_HOST);
	leaks_allow_fds(1);
	port_open();
	if (_i == HOW_NEXT_DAEMON)
		next_daemon();
	if (_i != HOW_AWAKE) {
		fd.fd = rdma_verbs.get_fd(port);
		ck_assert(!rdma_verbs.arm(port));
		ck_assert_int_eq(poll(&fd, 1, 0), 0);
	}
	remove_node();
	if (_i != HOW_AWAKE) {
		EXPECT_TRUE(poll(&fd, 1, (int)runner_timeout_ms(WAIT_MS)) == 1, "nothing wakes it");
		rdma_verbs.disarm(port);
	}
	event = await_event();
	ck_assert_int_eq(event.type, RDMA_QP_BROKEN);
	ck_assert_int_eq(event.reason, DOCA_ERROR_CONNECTION_RESET);
	event = await_event();
	ck_assert_int_eq(event.type, RDMA_DEVICE_REMOVED);
	/* The port's queue pairs no longer write anything. */
	ck_assert_uint_eq(fake.n_qps_gone, 1);
	port_close();
}
END_TEST

static void add_cases(Suite *suite)
{
	TCase *tcase = tcase_create("hotplug of verbs devices");

	suite_add_tcase(suite, tcase);
	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_set_timeout(tcase, RUNNER_TEST_S);
	tcase_add_loop_test(tcase, test_leaving, 0, HOW_N);
}

int main(void)
{
	lab_require();
	return runner_main("hotplug_verbs", add_cases, NULL);
}
