/* doca_dev.h: lists, open devices, representors and their getters, on both sides of a lab. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <doca_comch.h>

#include "tests/conformance/cover.h"
#include "tests/lib/allocount.h"
#include "tests/lib/lab.h"
#include "tests/lib/runner.h"

static struct lab lab;

static void setup_side(enum lab_side side)
{
	struct doca_devinfo **list;
	uint32_t n;

	lab_setup(&lab, NULL);
	lab_use(&lab, side);
	/* The library's connection to its daemon stays open. */
	OK(doca_devinfo_create_list(&list, &n));
	OK(doca_devinfo_destroy_list(list));
	leaks_allow_fds(1);
}

/* Functions that lack the properties of the default ones. */
static void setup_bare(void)
{
	static const struct lab_options options = {
		.only = {false, true},
		.topology = "[topology]\nside = dpu\n"
			    "[device bare]\npci = 05:00.0\nipv4 = 10.1.2.3\nipv6 = fe80::1\n"
			    "lid = 7\ndma = no\n"
			    "[device sf]\npci = 05:00.0\ntype = sf\nsf_index = 9\n"
			    "[representor bare]\nparent = bare\npci = 06:00.0\npresence = always\n",
	};

	lab_setup_client(&lab, &options, LAB_DPU);
}

static void setup_host(void)
{
	setup_side(LAB_HOST);
}

static void setup_dpu(void)
{
	setup_side(LAB_DPU);
}

static void teardown(void)
{
	lab_teardown(&lab);
}

static struct doca_devinfo *find(struct doca_devinfo **list, uint32_t n, const char *iface)
{
	char name[DOCA_DEVINFO_IFACE_NAME_SIZE];

	for (uint32_t i = 0; i < n; i++) {
		PASSES(doca_devinfo_get_iface_name(list[i], name, sizeof(name)));
		if (strcmp(name, iface) == 0)
			return list[i];
	}
	ck_abort_msg("no device with interface %s", iface);
}

START_TEST(test_lists)
{
	struct doca_devinfo **list;
	uint32_t n = 0;

	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_devinfo_create_list(NULL, &n));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_devinfo_create_list(&list, NULL));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_devinfo_destroy_list(NULL));
	PASSES(doca_devinfo_create_list(&list, &n));
	ck_assert_uint_eq(n, 5);
	ck_assert_ptr_null(list[n]);
	PASSES(doca_devinfo_destroy_list(list));
}
END_TEST

/* Whichever allocation fails, the call returns an error and leaks nothing. */
START_TEST(test_no_memory)
{
	struct doca_devinfo **list = NULL;
	doca_error_t result = DOCA_ERROR_NO_MEMORY;
	struct doca_dev *dev;
	uint32_t n;

	if (!allocount_works)
		return;
	for (unsigned i = 0; result != DOCA_SUCCESS; i++) {
		ck_assert_uint_lt(i, 1000);
		allocount_fail_after(i);
		result = doca_devinfo_create_list(&list, &n);
		allocount_fail_never();
		ck_assert_msg(result == DOCA_SUCCESS || result == DOCA_ERROR_NO_MEMORY,
			      "%u allocations: %s (%s)", i, doca_error_get_name(result),
			      dococ_last_error());
	}
	RUNS_OUT(0, doca_devinfo_create_list(&list, &n));
	RUNS_OUT(0, doca_dev_open(list[0], &dev));
	OK(doca_devinfo_destroy_list(list));
}
END_TEST

START_TEST(test_open_and_close)
{
	struct doca_devinfo **list;
	struct doca_dev *dev, *again;
	struct doca_mmap *mmap;
	char name[DOCA_DEVINFO_IFACE_NAME_SIZE];
	uint32_t n;

	PASSES(doca_devinfo_create_list(&list, &n));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_dev_open(NULL, &dev));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_dev_open(list[0], NULL));
	PASSES(doca_dev_open(list[0], &dev));
	PASSES(doca_devinfo_destroy_list(list));
	/* An open device outlives the list, and so does its devinfo. */
	PASSES(doca_devinfo_get_iface_name(CALLED(doca_dev_as_devinfo(dev)), name, sizeof(name)));
	ck_assert_ptr_null(doca_dev_as_devinfo(NULL));

	/* Opening it again returns the same instance, which must be closed once per open. */
	PASSES(doca_devinfo_create_list(&list, &n));
	PASSES(doca_dev_open(find(list, n, name), &again));
	ck_assert_ptr_eq(again, dev);
	PASSES(doca_devinfo_destroy_list(list));
	PASSES(doca_dev_close(again));

	OK(doca_mmap_create(&mmap));
	OK(doca_mmap_add_dev(mmap, dev));
	RETURNS(DOCA_ERROR_IN_USE, doca_dev_close(dev));
	OK(doca_mmap_destroy(mmap));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_dev_accelerate_resource_reclaim(NULL));
	RETURNS(DOCA_ERROR_NOT_SUPPORTED, doca_dev_accelerate_resource_reclaim(dev));
	PASSES(doca_dev_close(dev));
}
END_TEST

START_TEST(test_open_without_daemon)
{
	struct doca_devinfo **list;
	struct doca_dev *dev;
	uint32_t n;

	OK(doca_devinfo_create_list(&list, &n));
	lab_kill_daemon(&lab, LAB_HOST);
	RETURNS(DOCA_ERROR_NOT_CONNECTED, doca_dev_open(list[0], &dev));
	ck_assert_msg(strstr(dococ_last_error(), "dococored") != NULL, "%s", dococ_last_error());
	OK(doca_devinfo_destroy_list(list));
	RETURNS(DOCA_ERROR_NOT_FOUND, doca_devinfo_create_list(&list, &n));
	lab_start_daemon(&lab, LAB_HOST);
}
END_TEST

START_TEST(test_attributes)
{
	struct doca_devinfo **list, *info;
	char pci[DOCA_DEVINFO_PCI_ADDR_SIZE], iface[DOCA_DEVINFO_IFACE_NAME_SIZE];
	char ibdev[DOCA_DEVINFO_IBDEV_NAME_SIZE];
	uint8_t mac[DOCA_DEVINFO_MAC_ADDR_SIZE], ipv4[DOCA_DEVINFO_IPV4_ADDR_SIZE];
	uint8_t ipv6[DOCA_DEVINFO_IPV6_ADDR_SIZE], flag;
	enum doca_pci_func_type type;
	uint16_t lid, vhca_id;
	uint32_t n, sf_index;
	uint64_t rate;

	OK(doca_devinfo_create_list(&list, &n));
	info = find(list, n, "ens1f0v1");
	PASSES(doca_devinfo_get_pci_addr_str(info, pci));
	ck_assert_str_eq(pci, "0000:0b:00.3");
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_devinfo_get_pci_addr_str(NULL, pci));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_devinfo_get_pci_addr_str(info, NULL));
	PASSES(doca_devinfo_is_equal_pci_addr(info, "0b:00.3", &flag));
	ck_assert_uint_eq(flag, 1);
	PASSES(doca_devinfo_is_equal_pci_addr(info, "0000:0b:00.3", &flag));
	ck_assert_uint_eq(flag, 1);
	PASSES(doca_devinfo_is_equal_pci_addr(info, "0b:00.2", &flag));
	ck_assert_uint_eq(flag, 0);
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_devinfo_is_equal_pci_addr(info, "0b:00", &flag));
	ck_assert_ptr_nonnull(strstr(dococ_last_error(), "'0b:00' is no PCI address"));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_devinfo_is_equal_pci_addr(NULL, "0b:00.3", &flag));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_devinfo_is_equal_pci_addr(info, NULL, &flag));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_devinfo_is_equal_pci_addr(info, "0b:00.3", NULL));

	PASSES(doca_devinfo_get_ipv4_addr(info, ipv4, sizeof(ipv4)));
	ck_assert_mem_eq(ipv4, "\xc0\xa8\x64\x0c", 4);
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_devinfo_get_ipv4_addr(info, ipv4, 3));
	RETURNS(DOCA_ERROR_OPERATING_SYSTEM, doca_devinfo_get_ipv6_addr(info, ipv6, sizeof(ipv6)));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_devinfo_get_ipv6_addr(info, ipv6, 15));
	PASSES(doca_devinfo_get_mac_addr(info, mac, sizeof(mac)));
	ck_assert_mem_eq(mac, "\x02\0\0\0\x0b\x03", 6);
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_devinfo_get_mac_addr(info, mac, 5));
	PASSES(doca_devinfo_get_iface_name(info, iface, sizeof(iface)));
	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_devinfo_get_iface_name(info, iface, sizeof(iface) - 1));
	PASSES(doca_devinfo_get_ibdev_name(info, ibdev, sizeof(ibdev)));
	ck_assert_str_eq(ibdev, "mlx5_3");
	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_devinfo_get_ibdev_name(info, ibdev, sizeof(ibdev) - 1));
	RETURNS(DOCA_ERROR_NOT_SUPPORTED, doca_devinfo_get_lid(info, &lid));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_devinfo_get_lid(info, NULL));
	PASSES(doca_devinfo_get_active_rate(info, &rate));
	ck_assert_uint_eq(rate, 100000000000ull);
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_devinfo_get_active_rate(info, NULL));
	PASSES(doca_devinfo_get_vhca_id(info, &vhca_id));
	ck_assert_uint_eq(vhca_id, 3);
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_devinfo_get_vhca_id(info, NULL));
	PASSES(doca_devinfo_get_pci_func_type(info, &type));
	ck_assert_int_eq(type, DOCA_PCI_FUNC_TYPE_VF);
	RETURNS(DOCA_ERROR_NOT_SUPPORTED, doca_devinfo_get_sf_index(info, &sf_index));
	OK(doca_devinfo_destroy_list(list));
}
END_TEST

START_TEST(test_capabilities)
{
	struct doca_devinfo **list, *info;
	uint8_t flag;
	uint32_t n;

	OK(doca_devinfo_create_list(&list, &n));
	info = list[0];
	PASSES(doca_devinfo_cap_is_hotplug_manager_supported(info, &flag));
	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_devinfo_cap_is_hotplug_manager_supported(info, NULL));
	PASSES(doca_devinfo_cap_is_notification_moderation_supported(info, &flag));
	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_devinfo_cap_is_notification_moderation_supported(NULL, &flag));
	PASSES(doca_devinfo_cap_is_accelerate_resource_reclaim_supported(info, &flag));
	ck_assert_uint_eq(flag, 0);
	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_devinfo_cap_is_accelerate_resource_reclaim_supported(info, NULL));
	PASSES(doca_devinfo_rep_cap_is_filter_all_supported(info, &flag));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_devinfo_rep_cap_is_filter_all_supported(info, NULL));
	PASSES(doca_devinfo_rep_cap_is_filter_net_supported(info, &flag));
	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_devinfo_rep_cap_is_filter_net_supported(NULL, &flag));
	PASSES(doca_devinfo_rep_cap_is_filter_emulated_supported(info, &flag));
	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_devinfo_rep_cap_is_filter_emulated_supported(NULL, &flag));
	OK(doca_devinfo_destroy_list(list));
}
END_TEST

START_TEST(test_host_has_no_representors)
{
	struct doca_devinfo_rep **reps;
	struct doca_dev *dev = use_dev(USE_HOST_PF0);
	uint32_t n;

	RETURNS(DOCA_ERROR_NOT_SUPPORTED,
		doca_devinfo_rep_create_list(dev, DOCA_DEVINFO_REP_FILTER_ALL, &reps, &n));
	OK(doca_dev_close(dev));
}
END_TEST

START_TEST(test_representors)
{
	struct doca_devinfo_rep **reps, *info = NULL;
	struct doca_dev *dev = use_dev(USE_DPU_P0);
	struct doca_dev_rep *rep;
	struct doca_comch_server *server;
	char vuid[DOCA_DEVINFO_REP_VUID_SIZE], pci[DOCA_DEVINFO_REP_PCI_ADDR_SIZE];
	char iface[DOCA_DEVINFO_IFACE_NAME_SIZE];
	enum doca_pci_func_type type;
	uint16_t vhca_id;
	uint8_t flag;
	uint32_t n;

	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_devinfo_rep_create_list(NULL, DOCA_DEVINFO_REP_FILTER_ALL, &reps, &n));
	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_devinfo_rep_create_list(dev, DOCA_DEVINFO_REP_FILTER_ALL, NULL, &n));
	if (allocount_works)
		RUNS_OUT(0,
			 doca_devinfo_rep_create_list(dev, DOCA_DEVINFO_REP_FILTER_ALL, &reps, &n));
	PASSES(doca_devinfo_rep_create_list(dev, DOCA_DEVINFO_REP_FILTER_NET, &reps, &n));
	ck_assert_uint_eq(n, 4);
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_devinfo_rep_destroy_list(NULL));
	for (uint32_t i = 0; i < n; i++) {
		PASSES(doca_devinfo_rep_is_equal_pci_addr(reps[i], "0b:00.2", &flag));
		if (flag)
			info = reps[i];
	}
	ck_assert_ptr_nonnull(info);
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_devinfo_rep_is_equal_pci_addr(info, NULL, &flag));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_devinfo_rep_is_equal_pci_addr(info, "pf0", &flag));
	PASSES(doca_devinfo_rep_get_vuid(info, vuid, sizeof(vuid)));
	ck_assert_str_eq(vuid, "MT0000X00000MLNXS0D0F0VF1");
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_devinfo_rep_get_vuid(info, vuid, 10));
	PASSES(doca_devinfo_rep_get_pci_addr_str(info, pci));
	ck_assert_str_eq(pci, "0000:0b:00.2");
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_devinfo_rep_get_pci_addr_str(info, NULL));
	PASSES(doca_devinfo_rep_get_pci_func_type(info, &type));
	ck_assert_int_eq(type, DOCA_PCI_FUNC_TYPE_VF);
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_devinfo_rep_get_pci_func_type(NULL, &type));
	PASSES(doca_devinfo_rep_get_is_hotplug(info, &flag));
	ck_assert_uint_eq(flag, 0);
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_devinfo_rep_get_is_hotplug(info, NULL));
	PASSES(doca_devinfo_rep_get_iface_name(info, iface, sizeof(iface)));
	ck_assert_str_eq(iface, "pf0vf0");
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_devinfo_rep_get_iface_name(info, iface, 1));
	PASSES(doca_devinfo_rep_get_vhca_id(info, &vhca_id));
	ck_assert_uint_eq(vhca_id, 2);
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_devinfo_rep_get_vhca_id(info, NULL));

	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_dev_rep_open(NULL, &rep));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_dev_rep_open(info, NULL));
	if (allocount_works)
		RUNS_OUT(0, doca_dev_rep_open(info, &rep));
	PASSES(doca_dev_rep_open(info, &rep));
	PASSES(doca_devinfo_rep_destroy_list(reps));
	PASSES(doca_devinfo_rep_get_vhca_id(CALLED(doca_dev_rep_as_devinfo(rep)), &vhca_id));
	ck_assert_uint_eq(vhca_id, 2);
	OK(doca_comch_server_create(dev, rep, "conformance", &server));
	RETURNS(DOCA_ERROR_IN_USE, doca_dev_rep_close(rep));
	OK(doca_comch_server_destroy(server));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_dev_rep_close(NULL));
	PASSES(doca_dev_rep_close(rep));
	OK(doca_dev_close(dev));
}
END_TEST

/* Representors are listed while the daemon of their functions is linked. */
START_TEST(test_representors_need_the_host)
{
	struct doca_devinfo_rep **reps;
	struct doca_dev *dev = use_dev(USE_DPU_P0);
	uint32_t n;

	lab_kill_daemon(&lab, LAB_HOST);
	lab_await(&lab, LAB_DPU, LAB_PEERS, 0, 1000);
	OK(doca_devinfo_rep_create_list(dev, DOCA_DEVINFO_REP_FILTER_ALL, &reps, &n));
	ck_assert_uint_eq(n, 1);
	OK(doca_devinfo_rep_destroy_list(reps));
	lab_start_daemon(&lab, LAB_HOST);
	OK(doca_devinfo_rep_create_list(dev, DOCA_DEVINFO_REP_FILTER_ALL, &reps, &n));
	ck_assert_uint_eq(n, 4);
	OK(doca_devinfo_rep_destroy_list(reps));
	OK(doca_dev_close(dev));
}
END_TEST

START_TEST(test_bare_function)
{
	struct doca_devinfo **list;
	struct doca_devinfo_rep **reps;
	struct doca_dev *dev;
	char iface[DOCA_DEVINFO_IFACE_NAME_SIZE];
	uint8_t mac[DOCA_DEVINFO_MAC_ADDR_SIZE], ipv4[DOCA_DEVINFO_IPV4_ADDR_SIZE];
	uint8_t ipv6[DOCA_DEVINFO_IPV6_ADDR_SIZE];
	uint32_t n, sf_index;
	uint16_t lid;

	PASSES(doca_devinfo_create_list(&list, &n));
	ck_assert_uint_eq(n, 2);
	RETURNS(DOCA_ERROR_NOT_SUPPORTED, doca_devinfo_get_mac_addr(list[0], mac, sizeof(mac)));
	RETURNS(DOCA_ERROR_OPERATING_SYSTEM,
		doca_devinfo_get_iface_name(list[0], iface, sizeof(iface)));
	PASSES(doca_devinfo_get_ipv4_addr(list[0], ipv4, sizeof(ipv4)));
	ck_assert_mem_eq(ipv4, "\x0a\x01\x02\x03", 4);
	RETURNS(DOCA_ERROR_NOT_FOUND, doca_devinfo_get_ipv4_addr(list[1], ipv4, sizeof(ipv4)));
	PASSES(doca_devinfo_get_ipv6_addr(list[0], ipv6, sizeof(ipv6)));
	ck_assert_uint_eq(ipv6[0], 0xfe);
	ck_assert_uint_eq(ipv6[15], 1);
	PASSES(doca_devinfo_get_lid(list[0], &lid));
	ck_assert_uint_eq(lid, 7);
	PASSES(doca_devinfo_get_sf_index(list[1], &sf_index));
	ck_assert_uint_eq(sf_index, 9);
	PASSES(doca_dev_open(list[0], &dev));
	PASSES(doca_devinfo_rep_create_list(dev, DOCA_DEVINFO_REP_FILTER_ALL, &reps, &n));
	ck_assert_uint_eq(n, 1);
	RETURNS(DOCA_ERROR_OPERATING_SYSTEM,
		doca_devinfo_rep_get_iface_name(reps[0], iface, sizeof(iface)));
	PASSES(doca_devinfo_rep_destroy_list(reps));
	PASSES(doca_dev_close(dev));
	PASSES(doca_devinfo_destroy_list(list));
}
END_TEST

static const struct unreachable unreachable[] = {
	{"*", "DRIVER", "what a device can do came with the list, no driver is asked"},
	{"doca_devinfo_destroy_list", "IN_USE", "open devices keep their own reference"},
	{"doca_devinfo_rep_destroy_list", "IN_USE", "open devices keep their own reference"},
	{"doca_dev_open", "INITIALIZATION", "no limit of open devices below the quota"},
	{"doca_dev_open", "NOT_SUPPORTED", "of protection domains: see rdma_bridge_test"},
	{"doca_dev_accelerate_resource_reclaim", "AGAIN", "not supported"},
	{"doca_devinfo_get_pci_addr_str", "OPERATING_SYSTEM", "from the topology"},
	{"doca_devinfo_is_equal_pci_addr", "OPERATING_SYSTEM", "from the topology"},
	{"doca_devinfo_get_ipv4_addr", "OPERATING_SYSTEM", "from the topology"},
	{"*", "UNEXPECTED", "no rule of our own was broken"},
	{"doca_devinfo_rep_get_pci_addr_str", "NO_MEMORY", "a getter takes none"},
	{"doca_devinfo_rep_is_equal_pci_addr", "NO_MEMORY", "a getter takes none"},
	{"doca_devinfo_rep_cap_is_filter_all_supported", "NOT_SUPPORTED", "answered by the flag"},
	{"doca_devinfo_rep_cap_is_filter_net_supported", "NOT_SUPPORTED", "answered by the flag"},
	{"doca_devinfo_rep_cap_is_filter_emulated_supported", "NOT_SUPPORTED",
	 "answered by the flag"},
	{NULL},
};

static bool finish(void)
{
	return cover_report("doca_dev", documented_doca_dev, unreachable);
}

static void add_cases(Suite *suite)
{
	TCase *host = tcase_create("host"), *dpu = tcase_create("dpu");
	TCase *bare = tcase_create("bare");

	tcase_add_checked_fixture(host, setup_host, teardown);
	tcase_add_checked_fixture(dpu, setup_dpu, teardown);
	suite_add_tcase(suite, host);
	suite_add_tcase(suite, dpu);
	tcase_set_timeout(host, RUNNER_TEST_S);
	tcase_set_timeout(dpu, RUNNER_TEST_S);
	tcase_add_test(host, test_lists);
	tcase_add_test(host, test_no_memory);
	tcase_add_test(host, test_open_and_close);
	tcase_add_test(host, test_open_without_daemon);
	tcase_add_test(host, test_attributes);
	tcase_add_test(host, test_capabilities);
	tcase_add_test(host, test_host_has_no_representors);
	tcase_add_checked_fixture(bare, setup_bare, teardown);
	suite_add_tcase(suite, bare);
	tcase_add_test(bare, test_bare_function);
	tcase_add_test(dpu, test_representors);
	tcase_add_test(dpu, test_representors_need_the_host);
}

int main(void)
{
	lab_require();
	cover_init();
	return runner_main("doca_dev", add_cases, finish);
}
