/*
 * Calls of SHA and sync events that only 2.5 or 2.6 have, compiled for each: every documented code
 * of these names is provoked, or listed with the reason why not. Runs on the host side of a lab.
 */
#include <string.h>

#include <doca_ctx.h>
#include <doca_dev.h>
#include <doca_pe.h>
#include <doca_sha.h>
#include <doca_sync_event.h>

#include "tests/conformance/cover.h"
#include "tests/lib/lab.h"
#include "tests/lib/runner.h"

_Static_assert(DOCA_USE_VERSION == 205 || DOCA_USE_VERSION == 206, "compiled for 2.5 and 2.6");

#define ALL UINT64_MAX

static struct lab lab;
static struct doca_dev *dev;
static struct doca_devinfo *info;

/* Stand-ins for objects that cannot be created here; never dereferenced. */
static char nothing;
static struct doca_dpa *const dpa = (void *)&nothing;
static struct doca_gpu *const gpu = (void *)&nothing;

static void setup_with(const char *topology)
{
	struct lab_options options = {.only = {topology != NULL, false}, .topology = topology};

	lab_setup_client(&lab, &options, LAB_HOST);
	dev = use_dev(USE_HOST_PF0);
	info = doca_dev_as_devinfo(dev);
}

static void setup(void)
{
	setup_with(NULL);
}

static void teardown(void)
{
	OK(doca_dev_close(dev));
	lab_teardown(&lab);
}

static struct doca_sync_event *event_new(void)
{
	struct doca_sync_event *event;

	OK(doca_sync_event_create(&event));
	PASSES(doca_sync_event_add_publisher_location_dpu(event));
	OK(doca_sync_event_add_subscriber_location_cpu(event, dev));
	return event;
}

static unsigned n_done, n_failed;
static doca_error_t status;

static void on_done(struct doca_sync_event_task_wait_gt *task, union doca_data task_data,
		    union doca_data ctx_data)
{
	(void)task_data;
	(void)ctx_data;
	n_done++;
	status = doca_task_get_status(doca_sync_event_task_wait_gt_as_doca_task(task));
}

static void on_failed(struct doca_sync_event_task_wait_gt *task, union doca_data task_data,
		      union doca_data ctx_data)
{
	n_failed++;
	on_done(task, task_data, ctx_data);
}

START_TEST(test_wait_gt)
{
	static uint64_t counter;
	struct doca_sync_event_task_wait_gt *task, *more;
	struct doca_sync_event *event = event_new(), *none = NULL;
	struct doca_ctx *ctx = doca_sync_event_as_ctx(event);
	union doca_data data = {.u64 = 0};
	struct doca_pe *pe;

	OK(doca_pe_create(&pe));
	OK(doca_pe_connect_ctx(pe, ctx));
	OK(doca_sync_event_set_addr(event, &counter));
	PASSES(doca_sync_event_cap_task_wait_gt_is_supported(info));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_sync_event_cap_task_wait_gt_is_supported(NULL));
	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_sync_event_task_wait_gt_set_conf(none, on_done, on_failed, 1));
	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_sync_event_task_wait_gt_set_conf(event, on_done, on_failed, 0));
	PASSES(doca_sync_event_task_wait_gt_set_conf(event, on_done, on_failed, 1));
	OK(doca_ctx_start(ctx));
	RETURNS(DOCA_ERROR_NOT_PERMITTED,
		doca_sync_event_task_wait_gt_set_conf(event, on_done, on_failed, 1));
	PASSES(doca_sync_event_task_wait_gt_alloc_init(event, ALL - 1, ALL, data, &task));
	RETURNS(DOCA_ERROR_NO_MEMORY,
		doca_sync_event_task_wait_gt_alloc_init(event, 0, ALL, data, &more));
	ck_assert_uint_eq(doca_sync_event_task_wait_gt_get_wait_val(task), ALL - 1);
	ck_assert_uint_eq(doca_sync_event_task_wait_gt_get_mask(task), ALL);
	OK(doca_task_submit(doca_sync_event_task_wait_gt_as_doca_task(task)));
	counter = ALL - 1;
	for (unsigned i = 0; i < 100; i++)
		doca_pe_progress(pe);
	ck_assert_uint_eq(n_done, 0);
	counter = ALL;
	while (n_done == 0)
		doca_pe_progress(pe);
	ck_assert_uint_eq(n_failed, 0);
	/*
	 * The mask removes the bits that make the value greater, so the task fails when the context
	 * stops.
	 */
	doca_sync_event_task_wait_gt_set_wait_val(task, 254);
	doca_sync_event_task_wait_gt_set_mask(task, 254);
	OK(doca_task_submit(doca_sync_event_task_wait_gt_as_doca_task(task)));
	doca_pe_progress(pe);
	EXPECT(DOCA_ERROR_IN_PROGRESS, doca_ctx_stop(ctx));
	while (n_done == 1)
		doca_pe_progress(pe);
	ck_assert_uint_eq(n_failed, 1);
	ck_assert_int_eq(status, DOCA_ERROR_SHUTDOWN);
	doca_task_free(doca_sync_event_task_wait_gt_as_doca_task(task));
	use_ctx_await(pe, ctx, DOCA_CTX_STATE_IDLE);
	OK(doca_sync_event_destroy(event));
	OK(doca_pe_destroy(pe));
}
END_TEST

START_TEST(test_export)
{
	struct doca_sync_event *event = event_new(), *none = NULL;
	struct doca_sync_event_remote_net *remote = (void *)&nothing, *no_remote = NULL;
	doca_dpa_dev_sync_event_t dpa_handle;
	doca_gpu_dev_sync_event_t *gpu_handle;
	doca_dpa_dev_sync_event_remote_net_t dpa_remote;
	doca_gpu_dev_sync_event_remote_net_t gpu_remote;
	const uint8_t *data;
	size_t len;

	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_sync_event_add_publisher_location_dpu(none));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_sync_event_add_subscriber_location_dpu(none));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_sync_event_add_subscriber_location_dpu(event));
	PASSES(doca_sync_event_cap_is_export_to_dpu_supported(info));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_sync_event_cap_is_export_to_dpu_supported(NULL));
	OK(doca_sync_event_start(event));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_sync_event_export_to_dpu(event, NULL, &data, &len));
	if (allocount_works)
		RUNS_OUT(0, doca_sync_event_export_to_dpu(event, dev, &data, &len));
	PASSES(doca_sync_event_export_to_dpu(event, dev, &data, &len));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_sync_event_export_to_dpa(event, dpa, NULL));
	RETURNS(DOCA_ERROR_NOT_SUPPORTED, doca_sync_event_export_to_dpa(event, dpa, &dpa_handle));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_sync_event_export_to_gpu(none, gpu, &gpu_handle));
	RETURNS(DOCA_ERROR_NOT_SUPPORTED, doca_sync_event_export_to_gpu(event, gpu, &gpu_handle));
	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_sync_event_remote_net_export_to_dpa(no_remote, dpa, &dpa_remote));
	RETURNS(DOCA_ERROR_NOT_SUPPORTED,
		doca_sync_event_remote_net_export_to_dpa(remote, dpa, &dpa_remote));
	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_sync_event_remote_net_export_to_gpu(remote, NULL, &gpu_remote));
	RETURNS(DOCA_ERROR_NOT_SUPPORTED,
		doca_sync_event_remote_net_export_to_gpu(remote, gpu, &gpu_remote));
	OK(doca_sync_event_destroy(event));
}
END_TEST

static void setup_no_capabilities(void)
{
	setup_with("[topology]\nside = host\n"
		   "[device pf0]\npci = 0b:00.0\nsha = 0\nsha_partial = 0\nsync_event = no\n"
		   "sync_import_pci = no\nsync_export_pci = no\n"
		   "[device pf1]\npci = 0b:00.1\nsync_export_pci = no\n");
}

START_TEST(test_poor_devices)
{
	struct doca_dev *some = use_dev(USE_HOST_PF1);
	struct doca_sync_event *event;
	const uint8_t *data;
	size_t len;

	RETURNS(DOCA_ERROR_NOT_SUPPORTED, doca_sync_event_cap_is_export_to_dpu_supported(info));
	RETURNS(DOCA_ERROR_NOT_SUPPORTED, doca_sync_event_cap_task_wait_gt_is_supported(info));
	OK(doca_sync_event_create(&event));
	OK(doca_sync_event_add_publisher_location_cpu(event, some));
	PASSES(doca_sync_event_add_subscriber_location_dpu(event));
	OK(doca_sync_event_start(event));
	RETURNS(DOCA_ERROR_NOT_SUPPORTED, doca_sync_event_export_to_dpu(event, some, &data, &len));
	OK(doca_sync_event_destroy(event));
	OK(doca_dev_close(some));
}
END_TEST

static const struct documented documented_sync_event[] = {
	{"doca_sync_event_add_publisher_location_dpu", "INVALID_VALUE"},
	{"doca_sync_event_add_subscriber_location_dpu", "INVALID_VALUE"},
	{"doca_sync_event_cap_is_export_to_dpu_supported", "INVALID_VALUE NOT_SUPPORTED"},
	{"doca_sync_event_cap_task_wait_gt_is_supported", "INVALID_VALUE NOT_SUPPORTED"},
	{"doca_sync_event_export_to_dpa", "INVALID_VALUE NOT_SUPPORTED NO_MEMORY"},
	{"doca_sync_event_export_to_dpu", "INVALID_VALUE NOT_SUPPORTED NO_MEMORY"},
	{"doca_sync_event_export_to_gpu", "INVALID_VALUE NOT_SUPPORTED NO_MEMORY"},
	{"doca_sync_event_remote_net_export_to_dpa", "INVALID_VALUE NOT_SUPPORTED NO_MEMORY"},
	{"doca_sync_event_remote_net_export_to_gpu", "INVALID_VALUE NOT_SUPPORTED NO_MEMORY"},
	{"doca_sync_event_task_wait_gt_alloc_init", "NO_MEMORY"},
	{"doca_sync_event_task_wait_gt_set_conf", "INVALID_VALUE NOT_PERMITTED"},
	{NULL, NULL},
};
static const struct unreachable unreachable_sync_event[] = {
	{"doca_sync_event_export_to_dpa", "NO_MEMORY", "there is no DPA"},
	{"doca_sync_event_export_to_gpu", "NO_MEMORY", "there is no GPU"},
	{"doca_sync_event_remote_net_export_to_dpa", "NO_MEMORY", "there is no DPA"},
	{"doca_sync_event_remote_net_export_to_gpu", "NO_MEMORY", "there is no GPU"},
	{NULL},
};

#if DOCA_USE_VERSION == 205
static void no_segment(struct doca_sha_task_partial_hash *task, union doca_data task_data,
		       union doca_data ctx_data)
{
	(void)task;
	(void)task_data;
	(void)ctx_data;
}

START_TEST(test_sha)
{
	const struct doca_buf *src = (void *)&nothing;
	struct doca_sha_task_partial_hash *task;
	union doca_data data = {.u64 = 0};
	struct doca_sha *sha;
	struct doca_pe *pe;
	uint64_t size;
	uint32_t n;

	PASSES(doca_sha_cap_get_max_src_buffer_size(info, &size));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_sha_cap_get_max_src_buffer_size(info, NULL));
	PASSES(doca_sha_cap_get_min_dst_buffer_size(info, DOCA_SHA_ALGORITHM_SHA256, &n));
	ck_assert_uint_eq(n, 32);
	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_sha_cap_get_min_dst_buffer_size(NULL, DOCA_SHA_ALGORITHM_SHA1, &n));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_sha_task_partial_hash_set_is_final_buffer(NULL));
	OK(doca_pe_create(&pe));
	OK(doca_sha_create(dev, &sha));
	OK(doca_sha_task_partial_hash_set_conf(sha, no_segment, no_segment, 0));
	OK(doca_pe_connect_ctx(pe, doca_sha_as_ctx(sha)));
	OK(doca_ctx_start(doca_sha_as_ctx(sha)));
	OK(doca_sha_task_partial_hash_alloc_init(sha, DOCA_SHA_ALGORITHM_SHA1, src,
						 (struct doca_buf *)src, data, &task));
	PASSES(doca_sha_task_partial_hash_set_is_final_buffer(task));
	ck_assert_uint_eq(doca_sha_task_partial_hash_get_is_final(task), 1);
	/* The task is not executed: the context stops first. */
	OK(doca_task_submit(doca_sha_task_partial_hash_as_task(task)));
	RETURNS(DOCA_ERROR_BAD_STATE, doca_sha_task_partial_hash_set_is_final_buffer(task));
	EXPECT(DOCA_ERROR_IN_PROGRESS, doca_ctx_stop(doca_sha_as_ctx(sha)));
	while (doca_pe_progress(pe))
		continue;
	doca_task_free(doca_sha_task_partial_hash_as_task(task));
	use_ctx_await(pe, doca_sha_as_ctx(sha), DOCA_CTX_STATE_IDLE);
	OK(doca_sha_destroy(sha));
	OK(doca_pe_destroy(pe));
}
END_TEST

START_TEST(test_no_sha)
{
	uint64_t size;
	uint32_t n;

	RETURNS(DOCA_ERROR_NOT_SUPPORTED, doca_sha_cap_get_max_src_buffer_size(info, &size));
	RETURNS(DOCA_ERROR_NOT_SUPPORTED,
		doca_sha_cap_get_min_dst_buffer_size(info, DOCA_SHA_ALGORITHM_SHA1, &n));
}
END_TEST

static const struct documented documented_sha[] = {
	{"doca_sha_cap_get_max_src_buffer_size", "INVALID_VALUE NOT_SUPPORTED"},
	{"doca_sha_cap_get_min_dst_buffer_size", "INVALID_VALUE NOT_SUPPORTED"},
	{"doca_sha_task_partial_hash_set_is_final_buffer", "INVALID_VALUE BAD_STATE"},
	{NULL, NULL},
};
static const struct unreachable unreachable_none[] = {{NULL}};

static bool report_sha(void)
{
	return cover_report("2.5 doca_sha", documented_sha, unreachable_none);
}

static void add_sha(TCase *cases, TCase *poor)
{
	tcase_add_test(cases, test_sha);
	tcase_add_test(poor, test_no_sha);
}
#else
/* 2.6 already has the current names. */
static bool report_sha(void)
{
	return true;
}

static void add_sha(TCase *cases, TCase *poor)
{
	(void)cases;
	(void)poor;
}
#endif

static bool finish(void)
{
	bool ok = cover_report("2.5 and 2.6 doca_sync_event", documented_sync_event,
			       unreachable_sync_event);

	return report_sha() && ok;
}

static void add_cases(Suite *suite)
{
	TCase *cases = tcase_create("libraries"), *poor = tcase_create("poor devices");

	tcase_add_checked_fixture(cases, setup, teardown);
	tcase_set_timeout(cases, RUNNER_TEST_S);
	suite_add_tcase(suite, cases);
	tcase_add_test(cases, test_wait_gt);
	tcase_add_test(cases, test_export);
	tcase_add_checked_fixture(poor, setup_no_capabilities, teardown);
	tcase_set_timeout(poor, RUNNER_TEST_S);
	suite_add_tcase(suite, poor);
	tcase_add_test(poor, test_poor_devices);
	add_sha(cases, poor);
}

int main(void)
{
	lab_require();
	cover_init();
	return runner_main("libraries of 2.5 and 2.6", add_cases, finish);
}
