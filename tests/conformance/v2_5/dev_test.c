/*
 * Parts of doca_dev.h, doca_log.h and doca_argp.h that only 2.5 and 2.6 have; compiled for each of
 * the two.
 */
#include <stdio.h>
#include <string.h>

#include <doca_argp.h>
#include <doca_dev.h>
#include <doca_log.h>
#include <doca_pe.h>

#include "tests/conformance/cover.h"
#include "tests/lib/lab.h"
#include "tests/lib/runner.h"

DOCA_LOG_REGISTER(TESTS::DEV_2_5);

static struct lab lab;

static void setup(void)
{
	lab_setup_client(&lab, NULL, LAB_HOST);
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

START_TEST(test_device)
{
	struct doca_dev *dev = use_dev("0b:00.3");
	struct doca_devinfo *info = doca_dev_as_devinfo(dev);
	uint8_t ipv4[DOCA_DEVINFO_IPV4_ADDR_SIZE];

#if DOCA_USE_VERSION >= 206
	double rate = 0;

	OK(doca_devinfo_get_active_rate(info, &rate));
	/* If the bits were those of an integer, the double would be close to zero. */
	ck_assert_double_gt(rate, 1e6);
	EXPECT(DOCA_ERROR_INVALID_VALUE, doca_devinfo_get_active_rate(info, NULL));
	EXPECT(DOCA_ERROR_INVALID_VALUE, doca_devinfo_get_active_rate(NULL, &rate));
#endif
	OK(doca_devinfo_get_ipv4_addr(info, ipv4, sizeof(ipv4)));
	ck_assert_mem_eq(ipv4, "\xc0\xa8\x64\x0c", 4);
	EXPECT(DOCA_ERROR_INVALID_VALUE, doca_devinfo_get_ipv4_addr(info, NULL, sizeof(ipv4)));
	EXPECT(DOCA_ERROR_INVALID_VALUE, doca_devinfo_get_ipv4_addr(info, ipv4, 3));
	OK(doca_dev_close(dev));
}
END_TEST

START_TEST(test_bare_function)
{
	doca_error_t missing = DOCA_USE_VERSION >= 206 ? DOCA_ERROR_NOT_FOUND
						       : DOCA_ERROR_OPERATING_SYSTEM;
	struct doca_dev *dev = use_dev("05:00.0");
	uint8_t ipv4[DOCA_DEVINFO_IPV4_ADDR_SIZE];

	EXPECT(missing, doca_devinfo_get_ipv4_addr(doca_dev_as_devinfo(dev), ipv4, sizeof(ipv4)));
	OK(doca_dev_close(dev));
}
END_TEST

static char record[256];
static unsigned n_records;

static void record_collect(char *buf)
{
	ck_assert_ptr_eq(buf, record);
	n_records++;
}

START_TEST(test_buffer_backends)
{
	struct doca_log_backend *backend;

#if DOCA_USE_VERSION >= 206
	OK(doca_log_backend_create_with_buf(record, sizeof(record), record_collect, &backend));
#else
	EXPECT(DOCA_ERROR_INVALID_VALUE,
	       doca_log_backend_create_with_buffer(NULL, 1, record_collect, &backend));
	OK(doca_log_backend_create_with_buffer(record, sizeof(record), record_collect, &backend));
#endif
	DOCA_LOG_INFO("to the program");
	ck_assert_uint_eq(n_records, 1);
	ck_assert_ptr_nonnull(strstr(record, "to the program"));
	/* The failure below is logged only to the SDK's backends. */
	EXPECT(DOCA_ERROR_INVALID_VALUE, doca_devinfo_destroy_list(NULL));
	ck_assert_uint_eq(n_records, 1);
#if DOCA_USE_VERSION >= 206
	OK(doca_log_backend_create_with_buf_sdk(record, sizeof(record), record_collect, &backend));
#else
	EXPECT(DOCA_ERROR_INVALID_VALUE,
	       doca_log_backend_create_with_buffer_sdk(record, 0, record_collect, &backend));
	OK(doca_log_backend_create_with_buffer_sdk(record, sizeof(record), record_collect,
						   &backend));
#endif
	EXPECT(DOCA_ERROR_INVALID_VALUE, doca_devinfo_destroy_list(NULL));
	ck_assert_uint_eq(n_records, 2);
	ck_assert_ptr_nonnull(strstr(record, "DOCOCORE"));
}
END_TEST

START_TEST(test_no_grpc)
{
	const char *address;

	OK(doca_argp_init("old_program", NULL));
	doca_argp_set_grpc_program();
	EXPECT(DOCA_ERROR_INVALID_VALUE, doca_argp_get_grpc_addr(&address));
	OK(doca_argp_destroy());
}
END_TEST

/* Codes that these versions document and later ones do not. */
START_TEST(test_codes)
{
	doca_notification_handle_t handle;
	struct doca_pe *pe;
	uint8_t is_equal;

	OK(doca_pe_create(&pe));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_pe_get_notification_handle(NULL, &handle));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_pe_get_notification_handle(pe, NULL));
	PASSES(doca_pe_get_notification_handle(pe, &handle));
	OK(doca_pe_destroy(pe));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_devinfo_rep_destroy_list(NULL));
	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_devinfo_rep_is_equal_pci_addr(NULL, "0b:00.0", &is_equal));
	OK(doca_argp_init("old_program", NULL));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_argp_get_sdk_log_level(NULL));
	OK(doca_argp_destroy());
}
END_TEST

static const struct documented documented[] = {
	{"doca_pe_get_notification_handle", "INVALID_VALUE"},
	{"doca_devinfo_rep_destroy_list", "INVALID_VALUE NOT_SUPPORTED"},
	{"doca_devinfo_rep_is_equal_pci_addr", "INVALID_VALUE NOT_SUPPORTED"},
	{"doca_argp_get_sdk_log_level", "INVALID_VALUE"},
	{NULL},
};

static const struct unreachable unreachable[] = {
	{"*", "NOT_SUPPORTED", "a device without representors gives no list of them"},
	{NULL},
};

static bool finish(void)
{
	return cover_report("2.5 and 2.6", documented, unreachable);
}

static void add_cases(Suite *suite)
{
	TCase *tcase = tcase_create("host"), *bare = tcase_create("bare");
	TCase *alone = runner_case(suite, "alone");

	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_set_timeout(tcase, RUNNER_TEST_S);
	suite_add_tcase(suite, tcase);
	tcase_add_test(tcase, test_device);
	tcase_add_checked_fixture(bare, setup_bare, teardown);
	tcase_set_timeout(bare, RUNNER_TEST_S);
	suite_add_tcase(suite, bare);
	tcase_add_test(bare, test_bare_function);
	tcase_add_test(alone, test_buffer_backends);
	tcase_add_test(alone, test_no_grpc);
	tcase_add_test(alone, test_codes);
}

int main(void)
{
	lab_require();
	cover_init();
	return runner_main("devices of 2.5 and 2.6", add_cases, finish);
}
