/*
 * doca_dev.h as programs of 2.2 use it: lists, getters, capability queries, representors with
 * filters, on both sides of a lab.
 */
#include <stdlib.h>
#include <string.h>

#include <doca_dev.h>

#include "tests/conformance/cover.h"
#include "tests/lib/lab.h"
#include "tests/lib/runner.h"

static struct lab lab;

static void setup_host(void)
{
	lab_setup_client(&lab, NULL, LAB_HOST);
}

static void setup_dpu(void)
{
	lab_setup_client(&lab, NULL, LAB_DPU);
}

/* A function without interface and Ethernet address. */
static void setup_bare(void)
{
	static const struct lab_options options = {
		.only = {true, false},
		.topology = "[topology]\nside = host\n[device bare]\npci = 05:00.0\n",
	};

	lab_setup_client(&lab, &options, LAB_HOST);
}

static void teardown(void)
{
	lab_teardown(&lab);
}

static struct doca_devinfo *find(struct doca_devinfo **list, uint32_t n, const char *pci)
{
	uint8_t equal;

	for (uint32_t i = 0; i < n; i++) {
		PASSES(doca_devinfo_get_is_pci_addr_equal(list[i], pci, &equal));
		if (equal)
			return list[i];
	}
	ck_abort_msg("no device %s", pci);
}

static struct doca_dev *open_dev(const char *pci)
{
	struct doca_devinfo **list;
	struct doca_dev *dev;
	uint32_t n;

	PASSES(doca_devinfo_list_create(&list, &n));
	PASSES(doca_dev_open(find(list, n, pci), &dev));
	PASSES(doca_devinfo_list_destroy(list));
	return dev;
}

START_TEST(test_lists)
{
	struct doca_devinfo **list;
	struct doca_dev *dev, *again;
	uint32_t n = 0;

	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_devinfo_list_create(NULL, &n));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_devinfo_list_create(&list, NULL));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_devinfo_list_destroy(NULL));
	PASSES(doca_devinfo_list_create(&list, &n));
	ck_assert_uint_eq(n, 5);
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_dev_open(NULL, &dev));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_dev_open(list[0], NULL));
	if (allocount_works) {
		RUNS_OUT(0, doca_devinfo_list_create(&list, &n));
		RUNS_OUT(0, doca_dev_open(list[0], &dev));
	}
	PASSES(doca_dev_open(list[0], &dev));
	PASSES(doca_dev_open(list[0], &again));
	ck_assert_ptr_eq(dev, again);
	PASSES(doca_devinfo_list_destroy(list));
	PASSES(doca_dev_close(again));
	ck_assert_ptr_nonnull(CALLED(doca_dev_as_devinfo(dev)));
	ck_assert_ptr_null(doca_dev_as_devinfo(NULL));
	PASSES(doca_dev_close(dev));
}
END_TEST

/* An object that only current calls can create also keeps the device in use. */
START_TEST(test_in_use)
{
	struct doca_dev *dev = open_dev(USE_HOST_PF0);
	void *hold = use_dev_hold(dev);

	RETURNS(DOCA_ERROR_IN_USE, doca_dev_close(dev));
	use_dev_release(hold);
	PASSES(doca_dev_close(dev));
}
END_TEST

START_TEST(test_without_daemon)
{
	struct doca_devinfo **list;
	struct doca_dev *dev;
	uint32_t n;

	PASSES(doca_devinfo_list_create(&list, &n));
	lab_kill_daemon(&lab, LAB_HOST);
	RETURNS(DOCA_ERROR_NOT_CONNECTED, doca_dev_open(list[0], &dev));
	PASSES(doca_devinfo_list_destroy(list));
	RETURNS(DOCA_ERROR_NOT_FOUND, doca_devinfo_list_create(&list, &n));
	lab_start_daemon(&lab, LAB_HOST);
}
END_TEST

START_TEST(test_attributes)
{
	struct doca_dev *dev = open_dev("0b:00.3");
	struct doca_devinfo *info = doca_dev_as_devinfo(dev);
	char pci[DOCA_DEVINFO_PCI_ADDR_SIZE], text[DOCA_DEVINFO_IFACE_NAME_SIZE];
	char expected[DOCA_DEVINFO_IFACE_NAME_SIZE] = "ens1f0v1";
	uint8_t bytes[16], flag;
	uint16_t lid;

	PASSES(doca_devinfo_get_pci_addr_str(info, pci));
	ck_assert_str_eq(pci, "0000:0b:00.3");
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_devinfo_get_pci_addr_str(NULL, pci));
	PASSES(doca_devinfo_get_is_pci_addr_equal(info, "0000:0b:00.3", &flag));
	ck_assert_uint_eq(flag, 1);
	PASSES(doca_devinfo_get_is_pci_addr_equal(info, "0b:00.1", &flag));
	ck_assert_uint_eq(flag, 0);
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_devinfo_get_is_pci_addr_equal(info, NULL, &flag));
	/* Programs compare the whole buffer, so its remaining bytes must be cleared. */
	memset(text, 'x', sizeof(text));
	PASSES(doca_devinfo_get_iface_name(info, text, sizeof(text)));
	ck_assert_mem_eq(text, expected, sizeof(text));
	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_devinfo_get_iface_name(info, text, sizeof(text) - 1));
	PASSES(doca_devinfo_get_ibdev_name(info, text, DOCA_DEVINFO_IBDEV_NAME_SIZE));
	ck_assert_str_eq(text, "mlx5_3");
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_devinfo_get_ibdev_name(info, text, 63));
	PASSES(doca_devinfo_get_ipv4_addr(info, bytes, 4));
	ck_assert_mem_eq(bytes, "\xc0\xa8\x64\x0c", 4);
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_devinfo_get_ipv4_addr(info, bytes, 3));
	RETURNS(DOCA_ERROR_OPERATING_SYSTEM, doca_devinfo_get_ipv6_addr(info, bytes, 16));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_devinfo_get_ipv6_addr(info, bytes, 15));
	PASSES(doca_devinfo_get_mac_addr(info, bytes, 6));
	ck_assert_mem_eq(bytes, "\x02\0\0\0\x0b\x03", 6);
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_devinfo_get_mac_addr(info, bytes, 5));
	RETURNS(DOCA_ERROR_NOT_SUPPORTED, doca_devinfo_get_lid(info, &lid));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_devinfo_get_lid(info, NULL));
	PASSES(doca_dev_close(dev));
}
END_TEST

START_TEST(test_bare_function)
{
	struct doca_dev *dev = open_dev("05:00.0");
	struct doca_devinfo *info = doca_dev_as_devinfo(dev);
	char text[DOCA_DEVINFO_IFACE_NAME_SIZE];
	uint8_t mac[DOCA_DEVINFO_MAC_ADDR_SIZE];

	/* Since 2.6 a missing address is NOT_FOUND. */
	RETURNS(DOCA_ERROR_OPERATING_SYSTEM, doca_devinfo_get_ipv4_addr(info, mac, 4));
	RETURNS(DOCA_ERROR_NOT_SUPPORTED, doca_devinfo_get_mac_addr(info, mac, sizeof(mac)));
	RETURNS(DOCA_ERROR_OPERATING_SYSTEM, doca_devinfo_get_iface_name(info, text, sizeof(text)));
	PASSES(doca_dev_close(dev));
}
END_TEST

#define QUERY(call, expected)                                              \
	do {                                                               \
		uint8_t flag_ = 9;                                         \
		PASSES(call(info, &flag_));                                \
		ck_assert_msg(flag_ == (expected), #call " is %u", flag_); \
		RETURNS(DOCA_ERROR_INVALID_VALUE, call(NULL, &flag_));     \
		RETURNS(DOCA_ERROR_INVALID_VALUE, call(info, NULL));       \
	} while (0)

static void query_all(const char *pci, bool is_dpu)
{
	struct doca_dev *dev = open_dev(pci);
	struct doca_devinfo *info = doca_dev_as_devinfo(dev);

	QUERY(doca_devinfo_get_is_mmap_export_dpu_supported, 1);
	QUERY(doca_devinfo_get_is_mmap_from_export_dpu_supported, 1);
	QUERY(doca_devinfo_get_is_hotplug_manager_supported, is_dpu);
	QUERY(doca_devinfo_rep_get_is_list_all_supported, is_dpu);
	QUERY(doca_devinfo_rep_get_is_list_net_supported, is_dpu);
	QUERY(doca_devinfo_rep_get_is_list_emulated_supported, is_dpu);
	PASSES(doca_dev_close(dev));
}

START_TEST(test_host_capabilities)
{
	struct doca_dev *dev = open_dev(USE_HOST_PF0);
	struct doca_devinfo_rep **reps;
	uint32_t n;

	query_all(USE_HOST_PF0, false);
	RETURNS(DOCA_ERROR_NOT_SUPPORTED,
		doca_devinfo_rep_list_create(dev, DOCA_DEV_REP_FILTER_ALL, &reps, &n));
	PASSES(doca_dev_close(dev));
}
END_TEST

START_TEST(test_dpu_capabilities)
{
	query_all(USE_DPU_P0, true);
}
END_TEST

static void check_rep(struct doca_dev *dev, struct doca_devinfo_rep *info)
{
	char vuid[DOCA_DEVINFO_REP_VUID_SIZE], pci[DOCA_DEVINFO_REP_PCI_ADDR_SIZE];
	enum doca_pci_func_type type;
	struct doca_dev_rep *rep;
	uint8_t flag;
	void *hold;

	PASSES(doca_devinfo_rep_get_vuid(info, vuid, sizeof(vuid)));
	ck_assert_str_eq(vuid, "MT0000X00000MLNXS0D0F0VF1");
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_devinfo_rep_get_vuid(info, vuid, 127));
	PASSES(doca_devinfo_rep_get_pci_addr_str(info, pci));
	ck_assert_str_eq(pci, "0000:0b:00.2");
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_devinfo_rep_get_pci_addr_str(info, NULL));
	PASSES(doca_devinfo_rep_get_pci_func_type(info, &type));
	ck_assert_int_eq(type, DOCA_PCI_FUNC_VF);
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_devinfo_rep_get_pci_func_type(info, NULL));
	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_devinfo_rep_get_is_pci_addr_equal(info, NULL, &flag));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_dev_rep_open(NULL, &rep));
	if (allocount_works)
		RUNS_OUT(0, doca_dev_rep_open(info, &rep));
	PASSES(doca_dev_rep_open(info, &rep));
	ck_assert_ptr_nonnull(CALLED(doca_dev_rep_as_devinfo(rep)));
	hold = use_rep_hold(dev, rep);
	RETURNS(DOCA_ERROR_IN_USE, doca_dev_rep_close(rep));
	use_rep_release(hold);
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_dev_rep_close(NULL));
	PASSES(doca_dev_rep_close(rep));
}

START_TEST(test_representors)
{
	struct doca_dev *dev = open_dev(USE_DPU_P0);
	struct doca_devinfo_rep **reps;
	uint8_t equal = 0;
	uint32_t n, i;

	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_devinfo_rep_list_create(NULL, DOCA_DEV_REP_FILTER_ALL, &reps, &n));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_devinfo_rep_list_create(dev, 8, &reps, &n));
	/* In 1.5 this number means one kind of emulated device, and is refused. */
	PASSES(doca_devinfo_rep_list_create(dev, DOCA_DEV_REP_FILTER_EMULATED, &reps, &n));
	ck_assert_uint_eq(n, 0);
	PASSES(doca_devinfo_rep_list_destroy(reps));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_devinfo_rep_list_destroy(NULL));
	if (allocount_works)
		RUNS_OUT(0, doca_devinfo_rep_list_create(dev, DOCA_DEV_REP_FILTER_ALL, &reps, &n));
	PASSES(doca_devinfo_rep_list_create(dev, DOCA_DEV_REP_FILTER_ALL, &reps, &n));
	ck_assert_uint_eq(n, 4);
	PASSES(doca_devinfo_rep_list_destroy(reps));
	PASSES(doca_devinfo_rep_list_create(dev, DOCA_DEV_REP_FILTER_NET, &reps, &n));
	ck_assert_uint_eq(n, 4);
	for (i = 0; i < n; i++) {
		PASSES(doca_devinfo_rep_get_is_pci_addr_equal(reps[i], "0b:00.2", &equal));
		if (equal)
			break;
	}
	ck_assert_uint_eq(equal, 1);
	check_rep(dev, reps[i]);
	PASSES(doca_devinfo_rep_list_destroy(reps));
	PASSES(doca_dev_close(dev));
}
END_TEST

static const struct unreachable unreachable[] = {
	{"*", "DRIVER", "what a device can do came with the list, no driver is asked"},
	{"*", "UNEXPECTED", "no rule of our own was broken"},
	{"doca_devinfo_list_destroy", "IN_USE", "open devices keep their own reference"},
	{"doca_devinfo_rep_list_destroy", "IN_USE", "open devices keep their own reference"},
	{"doca_devinfo_rep_list_destroy", "NOT_SUPPORTED", "what was listed can be given back"},
	{"doca_dev_open", "INITIALIZATION", "no limit of open devices below the quota"},
	{"doca_dev_rep_open", "NOT_SUPPORTED", "what was listed can be opened"},
	{"doca_dev_rep_close", "NOT_SUPPORTED", "what was opened can be closed"},
	{"doca_devinfo_get_pci_addr_str", "OPERATING_SYSTEM", "from the topology"},
	{"doca_devinfo_get_is_pci_addr_equal", "OPERATING_SYSTEM", "from the topology"},
	{"doca_devinfo_rep_get_pci_addr_str", "NO_MEMORY", "a getter takes none"},
	{"doca_devinfo_rep_get_is_pci_addr_equal", "NO_MEMORY", "a getter takes none"},
	{"doca_devinfo_get_is_mmap_export_dpu_supported", "NOT_SUPPORTED", "answered by the flag"},
	{"doca_devinfo_get_is_mmap_from_export_dpu_supported", "NOT_SUPPORTED",
	 "answered by the flag"},
	{"doca_devinfo_rep_get_is_list_all_supported", "NOT_SUPPORTED", "answered by the flag"},
	{"doca_devinfo_rep_get_is_list_net_supported", "NOT_SUPPORTED", "answered by the flag"},
	{"doca_devinfo_rep_get_is_list_emulated_supported", "NOT_SUPPORTED",
	 "answered by the flag"},
	{"doca_devinfo_rep_get_is_pci_addr_equal", "NOT_SUPPORTED",
	 "every function has an address"},
	{"doca_devinfo_rep_get_pci_addr_str", "NOT_SUPPORTED", "every function has an address"},
	{"doca_devinfo_rep_get_pci_func_type", "NOT_SUPPORTED", "every function has a type"},
	{"doca_devinfo_rep_get_vuid", "NOT_SUPPORTED", "every function has a name"},
	{NULL},
};

static bool finish(void)
{
	return cover_report("doca_dev", documented_2_2_dev, unreachable);
}

static void add_cases(Suite *suite)
{
	TCase *host = tcase_create("host"), *dpu = tcase_create("dpu");
	TCase *bare = tcase_create("bare");

	tcase_add_checked_fixture(host, setup_host, teardown);
	tcase_add_checked_fixture(dpu, setup_dpu, teardown);
	tcase_set_timeout(host, RUNNER_TEST_S);
	tcase_set_timeout(dpu, RUNNER_TEST_S);
	suite_add_tcase(suite, host);
	suite_add_tcase(suite, dpu);
	tcase_add_checked_fixture(bare, setup_bare, teardown);
	tcase_set_timeout(bare, RUNNER_TEST_S);
	suite_add_tcase(suite, bare);
	tcase_add_test(bare, test_bare_function);
	tcase_add_test(host, test_lists);
	tcase_add_test(host, test_in_use);
	tcase_add_test(host, test_without_daemon);
	tcase_add_test(host, test_attributes);
	tcase_add_test(host, test_host_capabilities);
	tcase_add_test(dpu, test_dpu_capabilities);
	tcase_add_test(dpu, test_representors);
}

int main(void)
{
	lab_require();
	cover_init();
	return runner_main("doca_dev of 2.2", add_cases, finish);
}
