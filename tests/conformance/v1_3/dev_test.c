/*
 * doca_dev.h as programs of 1.3 use it: lists, properties by number, remote devices, on both sides
 * of a lab.
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

static const char *const bare_topology =
	"[topology]\nside = host\n"
	"[device bare]\npci = 05:1f.7\nipv4 = 10.1.2.3\nipv6 = fe80::1\n"
	"[device plain]\npci = 0001:ff:00.1\niface = a-name\n";

/* Two functions: one with addresses but no interface, and one in another PCI domain. */
static void setup_bare(void)
{
	const struct lab_options options = {.only = {true, false}, .topology = bare_topology};

	lab_setup_client(&lab, &options, LAB_HOST);
}

static void teardown(void)
{
	lab_teardown(&lab);
}

/*
 * Finds a device like programs of 1.3: compares the whole field of a property, with one buffer for
 * all devices.
 */
static struct doca_dev *open_with(enum doca_devinfo_property property, const void *value,
				  uint32_t size)
{
	struct doca_devinfo **list;
	struct doca_dev *dev = NULL;
	uint8_t field[256] = {0};
	uint32_t n;

	PASSES(doca_devinfo_list_create(&list, &n));
	for (uint32_t i = 0; i < n && dev == NULL; i++) {
		doca_error_t result = doca_devinfo_property_get(list[i], property, field, size);

		if (result == DOCA_SUCCESS && memcmp(field, value, size) == 0)
			PASSES(doca_dev_open(list[i], &dev));
	}
	PASSES(doca_devinfo_list_destroy(list));
	ck_assert_msg(dev != NULL, "no device with property %d", (int)property);
	return dev;
}

static struct doca_dev *open_bdf(unsigned bus, unsigned device, unsigned function)
{
	struct doca_pci_bdf bdf = {.raw = 0};

	bdf.bus = (uint16_t)(bus & 0xff);
	bdf.device = (uint16_t)(device & 0x1f);
	bdf.function = (uint16_t)(function & 7);
	return open_with(DOCA_DEVINFO_PROPERTY_PCI_ADDR, &bdf, sizeof(bdf));
}

START_TEST(test_lists)
{
	struct doca_devinfo **list, *info;
	struct doca_dev *dev;
	uint32_t n;

	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_devinfo_list_create(NULL, &n));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_devinfo_list_create(&list, NULL));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_devinfo_list_destroy(NULL));
	PASSES(doca_devinfo_list_create(&list, &n));
	ck_assert_uint_eq(n, 5);
	ck_assert_ptr_null(list[n]);
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_dev_open(NULL, &dev));
	if (allocount_works) {
		RUNS_OUT(0, doca_devinfo_list_create(&list, &n));
		RUNS_OUT(0, doca_dev_open(list[0], &dev));
	}
	PASSES(doca_dev_open(list[0], &dev));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_dev_as_devinfo(NULL, &info));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_dev_as_devinfo(dev, NULL));
	PASSES(doca_dev_as_devinfo(dev, &info));
	PASSES(doca_devinfo_list_destroy(list));
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

START_TEST(test_found_by_property)
{
	char iface[256] = "ens1f0v1", ibdev[64] = "mlx5_3", vuid[128] = {0};
	struct doca_dev *dev = open_with(DOCA_DEVINFO_PROPERTY_IFACE_NAME, iface, sizeof(iface));
	struct doca_dev *same;
	struct doca_devinfo *info;

	same = open_with(DOCA_DEVINFO_PROPERTY_IBDEV_NAME, ibdev, sizeof(ibdev));
	ck_assert_ptr_eq(same, dev);
	PASSES(doca_dev_close(same));
	same = open_bdf(0x0b, 0, 3);
	ck_assert_ptr_eq(same, dev);
	PASSES(doca_dev_close(same));
	PASSES(doca_dev_as_devinfo(dev, &info));
	PASSES(doca_devinfo_property_get(info, DOCA_DEVINFO_PROPERTY_VUID, (uint8_t *)vuid,
					 sizeof(vuid)));
	ck_assert_uint_gt(strlen(vuid), 0);
	same = open_with(DOCA_DEVINFO_PROPERTY_VUID, vuid, sizeof(vuid));
	ck_assert_ptr_eq(same, dev);
	PASSES(doca_dev_close(same));
	PASSES(doca_dev_close(dev));
}
END_TEST

/* A buffer that is one byte too small is refused and not written; an extra byte is not touched. */
START_TEST(test_sizes)
{
	static const struct {
		enum doca_devinfo_property property;
		uint32_t size;
	} properties[] = {
		{DOCA_DEVINFO_PROPERTY_VUID, 128},       {DOCA_DEVINFO_PROPERTY_PCI_ADDR, 2},
		{DOCA_DEVINFO_PROPERTY_IPV4_ADDR, 4},    {DOCA_DEVINFO_PROPERTY_IPV6_ADDR, 16},
		{DOCA_DEVINFO_PROPERTY_IFACE_NAME, 256}, {DOCA_DEVINFO_PROPERTY_IBDEV_NAME, 64},
	};
	struct doca_devinfo **list;
	uint8_t value[257];
	uint32_t n;

	PASSES(doca_devinfo_list_create(&list, &n));
	for (size_t i = 0; i < ARRAY_LEN(properties); i++) {
		memset(value, 0xee, sizeof(value));
		RETURNS(DOCA_ERROR_INVALID_VALUE,
			doca_devinfo_property_get(list[0], properties[i].property, value,
						  properties[i].size - 1));
		ck_assert_uint_eq(value[0], 0xee);
		(void)doca_devinfo_property_get(list[0], properties[i].property, value,
						properties[i].size + 1);
		ck_assert_uint_eq(value[properties[i].size], 0xee);
	}
	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_devinfo_property_get(NULL, DOCA_DEVINFO_PROPERTY_VUID, value, 128));
	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_devinfo_property_get(list[0], DOCA_DEVINFO_PROPERTY_VUID, NULL, 128));
	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_devinfo_property_get(list[0], (enum doca_devinfo_property)6, value, 256));
	PASSES(doca_devinfo_list_destroy(list));
}
END_TEST

START_TEST(test_bare_function)
{
	struct doca_dev *dev = open_bdf(5, 0x1f, 7);
	struct doca_devinfo *info;
	uint8_t value[256];

	PASSES(doca_dev_as_devinfo(dev, &info));
	PASSES(doca_devinfo_property_get(info, DOCA_DEVINFO_PROPERTY_IPV4_ADDR, value, 4));
	ck_assert_mem_eq(value, "\x0a\x01\x02\x03", 4);
	PASSES(doca_devinfo_property_get(info, DOCA_DEVINFO_PROPERTY_IPV6_ADDR, value, 16));
	ck_assert_uint_eq(value[0], 0xfe);
	ck_assert_uint_eq(value[15], 1);
	RETURNS(DOCA_ERROR_OPERATING_SYSTEM,
		doca_devinfo_property_get(info, DOCA_DEVINFO_PROPERTY_IFACE_NAME, value, 256));
	PASSES(doca_dev_close(dev));
	dev = open_bdf(0xff, 0, 1);
	PASSES(doca_dev_as_devinfo(dev, &info));
	RETURNS(DOCA_ERROR_OPERATING_SYSTEM,
		doca_devinfo_property_get(info, DOCA_DEVINFO_PROPERTY_IPV4_ADDR, value, 4));
	RETURNS(DOCA_ERROR_OPERATING_SYSTEM,
		doca_devinfo_property_get(info, DOCA_DEVINFO_PROPERTY_IPV6_ADDR, value, 16));
	PASSES(doca_dev_close(dev));
}
END_TEST

START_TEST(test_host_has_no_remotes)
{
	struct doca_dev *dev = open_bdf(0x0b, 0, 0);
	struct doca_devinfo_remote **list;
	uint32_t n;

	RETURNS(DOCA_ERROR_NOT_SUPPORTED,
		doca_devinfo_remote_list_create(dev, DOCA_DEV_REMOTE_FILTER_ALL, &list, &n));
	RETURNS(DOCA_ERROR_NOT_SUPPORTED,
		doca_devinfo_remote_list_create(dev, DOCA_DEV_REMOTE_FILTER_NET, &list, &n));
	PASSES(doca_dev_close(dev));
}
END_TEST

static void check_remote(struct doca_dev *dev, struct doca_devinfo_remote *info)
{
	struct doca_devinfo_remote *same;
	struct doca_dev_remote *remote;
	uint8_t vuid[128];
	void *hold;

	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_devinfo_remote_property_get(info, DOCA_DEVINFO_REMOTE_PROPERTY_VUID, vuid,
						 sizeof(vuid) - 1));
	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_devinfo_remote_property_get(info, (enum doca_devinfo_remote_property)1, vuid,
						 sizeof(vuid)));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_dev_remote_open(NULL, &remote));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_dev_remote_open(info, NULL));
	if (allocount_works)
		RUNS_OUT(0, doca_dev_remote_open(info, &remote));
	PASSES(doca_dev_remote_open(info, &remote));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_dev_remote_as_devinfo(NULL, &same));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_dev_remote_as_devinfo(remote, NULL));
	PASSES(doca_dev_remote_as_devinfo(remote, &same));
	ck_assert_ptr_eq(same, info);
	/* Calls of later versions see it as a representor. */
	hold = use_rep_hold(dev, (struct doca_dev_rep *)remote);
	RETURNS(DOCA_ERROR_IN_USE, doca_dev_remote_close(remote));
	use_rep_release(hold);
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_dev_remote_close(NULL));
	PASSES(doca_dev_remote_close(remote));
}

START_TEST(test_remotes)
{
	const char expected[128] = "MT0000X00000MLNXS0D0F0VF1";
	struct doca_dev *dev = open_bdf(3, 0, 0);
	struct doca_devinfo_remote **list;
	uint8_t vuid[128];
	uint32_t n, i;

	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_devinfo_remote_list_create(NULL, DOCA_DEV_REMOTE_FILTER_ALL, &list, &n));
	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_devinfo_remote_list_create(dev, DOCA_DEV_REMOTE_FILTER_ALL, NULL, &n));
	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_devinfo_remote_list_create(dev, (enum doca_dev_remote_filter)4, &list, &n));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_devinfo_remote_list_destroy(NULL));
	if (allocount_works)
		RUNS_OUT(0, doca_devinfo_remote_list_create(dev, DOCA_DEV_REMOTE_FILTER_ALL, &list,
							    &n));
	PASSES(doca_devinfo_remote_list_create(dev, DOCA_DEV_REMOTE_FILTER_NET, &list, &n));
	ck_assert_uint_eq(n, 4);
	PASSES(doca_devinfo_remote_list_destroy(list));
	PASSES(doca_devinfo_remote_list_create(dev, DOCA_DEV_REMOTE_FILTER_ALL, &list, &n));
	ck_assert_uint_eq(n, 4);
	for (i = 0; i < n; i++) {
		PASSES(doca_devinfo_remote_property_get(list[i], DOCA_DEVINFO_REMOTE_PROPERTY_VUID,
							vuid, sizeof(vuid)));
		if (memcmp(vuid, expected, sizeof(vuid)) == 0)
			break;
	}
	ck_assert_uint_lt(i, n);
	check_remote(dev, list[i]);
	PASSES(doca_devinfo_remote_list_destroy(list));
	PASSES(doca_dev_close(dev));
}
END_TEST

static bool finish(void)
{
	return cover_report("doca_dev", documented_1_3_dev, NULL);
}

static TCase *add_case(Suite *suite, const char *name, void (*setup)(void))
{
	TCase *tcase = tcase_create(name);

	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_set_timeout(tcase, RUNNER_TEST_S);
	suite_add_tcase(suite, tcase);
	return tcase;
}

static void add_cases(Suite *suite)
{
	TCase *host = add_case(suite, "host", setup_host);

	tcase_add_test(host, test_lists);
	tcase_add_test(host, test_without_daemon);
	tcase_add_test(host, test_found_by_property);
	tcase_add_test(host, test_sizes);
	tcase_add_test(host, test_host_has_no_remotes);
	tcase_add_test(add_case(suite, "bare", setup_bare), test_bare_function);
	tcase_add_test(add_case(suite, "dpu", setup_dpu), test_remotes);
}

int main(void)
{
	lab_require();
	cover_init();
	return runner_main("doca_dev of 1.3", add_cases, finish);
}
