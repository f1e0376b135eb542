/*
 * doca_dev.h as programs of 1.5 use it: getters with the PCI address as a number, capabilities, and
 * representors with one filter per kind of emulated device, on both sides of a lab.
 */
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

/* A function without addresses. */
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

static struct doca_dev *open_bdf(unsigned bus, unsigned device, unsigned function)
{
	struct doca_pci_bdf wanted = {.raw = 0}, bdf;
	struct doca_devinfo **list;
	struct doca_dev *dev = NULL;
	uint32_t n;

	wanted.bus = (uint16_t)(bus & 0xff);
	wanted.device = (uint16_t)(device & 0x1f);
	wanted.function = (uint16_t)(function & 7);
	PASSES(doca_devinfo_list_create(&list, &n));
	for (uint32_t i = 0; i < n && dev == NULL; i++) {
		PASSES(doca_devinfo_get_pci_addr(list[i], &bdf));
		if (bdf.raw == wanted.raw)
			PASSES(doca_dev_open(list[i], &dev));
	}
	PASSES(doca_devinfo_list_destroy(list));
	ck_assert_ptr_nonnull(dev);
	return dev;
}

START_TEST(test_attributes)
{
	struct doca_dev *dev = open_bdf(0x0b, 0, 3);
	struct doca_devinfo *info = CALLED(doca_dev_as_devinfo(dev)), **list;
	char text[DOCA_DEVINFO_IFACE_NAME_SIZE];
	struct doca_pci_bdf bdf;
	uint8_t bytes[16];
	uint32_t n;

	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_devinfo_list_create(&list, NULL));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_devinfo_list_create(NULL, &n));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_devinfo_list_destroy(NULL));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_dev_open(NULL, &dev));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_devinfo_get_pci_addr(NULL, &bdf));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_devinfo_get_pci_addr(info, NULL));
	PASSES(doca_devinfo_get_iface_name(info, text, sizeof(text)));
	ck_assert_str_eq(text, "ens1f0v1");
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_devinfo_get_iface_name(info, text, 255));
	PASSES(doca_devinfo_get_ibdev_name(info, text, DOCA_DEVINFO_IBDEV_NAME_SIZE));
	ck_assert_str_eq(text, "mlx5_3");
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_devinfo_get_ibdev_name(info, text, 63));
	PASSES(doca_devinfo_get_ipv4_addr(info, bytes, 4));
	ck_assert_mem_eq(bytes, "\xc0\xa8\x64\x0c", 4);
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_devinfo_get_ipv4_addr(info, bytes, 3));
	RETURNS(DOCA_ERROR_OPERATING_SYSTEM, doca_devinfo_get_ipv6_addr(info, bytes, 16));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_devinfo_get_ipv6_addr(info, bytes, 15));
	PASSES(doca_dev_close(dev));
}
END_TEST

START_TEST(test_bare_function)
{
	struct doca_dev *dev = open_bdf(5, 0, 0);
	uint8_t bytes[4];

	RETURNS(DOCA_ERROR_OPERATING_SYSTEM,
		doca_devinfo_get_ipv4_addr(doca_dev_as_devinfo(dev), bytes, 4));
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

static void query_all(struct doca_dev *dev, bool is_dpu)
{
	struct doca_devinfo *info = doca_dev_as_devinfo(dev);

	QUERY(doca_devinfo_get_is_mmap_export_supported, 1);
	QUERY(doca_devinfo_get_is_mmap_from_export_supported, 1);
	QUERY(doca_devinfo_get_is_hotplug_manager_supported, is_dpu);
	QUERY(doca_devinfo_rep_get_is_list_all_supported, is_dpu);
	QUERY(doca_devinfo_rep_get_is_list_net_supported, is_dpu);
	QUERY(doca_devinfo_rep_get_is_list_virtio_fs_supported, 0);
	QUERY(doca_devinfo_rep_get_is_list_virtio_net_supported, 0);
	QUERY(doca_devinfo_rep_get_is_list_virtio_blk_supported, 0);
	QUERY(doca_devinfo_rep_get_is_list_nvme_supported, 0);
}

START_TEST(test_host_capabilities)
{
	struct doca_dev *dev = open_bdf(0x0b, 0, 0);
	struct doca_devinfo_rep **reps;
	uint32_t n;

	query_all(dev, false);
	RETURNS(DOCA_ERROR_NOT_SUPPORTED,
		doca_devinfo_rep_list_create(dev, DOCA_DEV_REP_FILTER_ALL, &reps, &n));
	PASSES(doca_dev_close(dev));
}
END_TEST

static void check_rep(struct doca_devinfo_rep *info)
{
	char vuid[DOCA_DEVINFO_REP_VUID_SIZE];
	enum doca_pci_func_type type;
	struct doca_dev_rep *rep;
	struct doca_pci_bdf bdf;

	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_devinfo_rep_get_pci_addr(info, NULL));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_devinfo_rep_get_pci_addr(NULL, &bdf));
	PASSES(doca_devinfo_rep_get_vuid(info, vuid, sizeof(vuid)));
	ck_assert_str_eq(vuid, "MT0000X00000MLNXS0D0F0VF1");
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_devinfo_rep_get_vuid(info, vuid, 127));
	PASSES(doca_devinfo_rep_get_pci_func_type(info, &type));
	ck_assert_int_eq(type, DOCA_PCI_FUNC_VF);
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_devinfo_rep_get_pci_func_type(info, NULL));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_dev_rep_open(NULL, &rep));
	PASSES(doca_dev_rep_open(info, &rep));
	ck_assert_ptr_eq(CALLED(doca_dev_rep_as_devinfo(rep)), info);
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_dev_rep_close(NULL));
	PASSES(doca_dev_rep_close(rep));
}

START_TEST(test_representors)
{
	static const int kinds[] = {DOCA_DEV_REP_FILTER_VIRTIO_FS, DOCA_DEV_REP_FILTER_VIRTIO_NET,
				    DOCA_DEV_REP_FILTER_VIRTIO_BLK, DOCA_DEV_REP_FILTER_NVME,
				    DOCA_DEV_REP_FILTER_NET | DOCA_DEV_REP_FILTER_NVME};
	struct doca_dev *dev = open_bdf(3, 0, 0);
	struct doca_devinfo_rep **reps, *info = NULL;
	struct doca_pci_bdf bdf;
	uint32_t n;

	query_all(dev, true);
	for (size_t i = 0; i < ARRAY_LEN(kinds); i++)
		RETURNS(DOCA_ERROR_NOT_SUPPORTED,
			doca_devinfo_rep_list_create(dev, kinds[i], &reps, &n));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_devinfo_rep_list_create(dev, 64, &reps, &n));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_devinfo_rep_list_create(dev, 1, &reps, &n));
	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_devinfo_rep_list_create(NULL, DOCA_DEV_REP_FILTER_NVME, &reps, &n));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_devinfo_rep_list_destroy(NULL));
	PASSES(doca_devinfo_rep_list_create(dev, DOCA_DEV_REP_FILTER_NET, &reps, &n));
	ck_assert_uint_eq(n, 4);
	for (uint32_t i = 0; i < n; i++) {
		PASSES(doca_devinfo_rep_get_pci_addr(reps[i], &bdf));
		if (bdf.bus == 0x0b && bdf.device == 0 && bdf.function == 2)
			info = reps[i];
	}
	ck_assert_ptr_nonnull(info);
	check_rep(info);
	PASSES(doca_devinfo_rep_list_destroy(reps));
	PASSES(doca_dev_close(dev));
}
END_TEST

static bool finish(void)
{
	return cover_report("doca_dev", documented_1_5_dev, NULL);
}

static void add_cases(Suite *suite)
{
	TCase *host = tcase_create("host"), *dpu = tcase_create("dpu");
	TCase *bare = tcase_create("bare");

	tcase_add_checked_fixture(bare, setup_bare, teardown);
	tcase_set_timeout(bare, RUNNER_TEST_S);
	suite_add_tcase(suite, bare);
	tcase_add_test(bare, test_bare_function);
	tcase_add_checked_fixture(host, setup_host, teardown);
	tcase_add_checked_fixture(dpu, setup_dpu, teardown);
	tcase_set_timeout(host, RUNNER_TEST_S);
	tcase_set_timeout(dpu, RUNNER_TEST_S);
	suite_add_tcase(suite, host);
	suite_add_tcase(suite, dpu);
	tcase_add_test(host, test_attributes);
	tcase_add_test(host, test_host_capabilities);
	tcase_add_test(dpu, test_representors);
}

int main(void)
{
	lab_require();
	cover_init();
	return runner_main("doca_dev of 1.5", add_cases, finish);
}
