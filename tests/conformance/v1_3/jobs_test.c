/*
 * Contexts, work queues and DMA jobs as programs of 1.3 and 1.5 use them: what the guides say about
 * each call, and what the headers here promise. Compiled once for each version (jobs_1_3_test,
 * jobs_1_5_test). Behaviour that these versions share with 2.2 is tested in jobs_2_2_test.c.
 */
#include <doca_buf.h>
#include <doca_buf_inventory.h>
#include <doca_ctx.h>
#include <doca_dev.h>
#include <doca_dma.h>
#include <doca_mmap.h>

#include "tests/conformance/cover.h"
#include "tests/lib/lab.h"
#include "tests/lib/runner.h"

#define IS_1_3 (DOCA_USE_VERSION < DOCA_MAKE_VERSION(1, 5))
#if IS_1_3
#define NAME "1.3"
#define MAP  "map"
#define BUFS "bufs"
#else
#define NAME "1.5"
#define MAP  NULL
#define BUFS NULL
#endif

#define BYTES 4096u

static struct lab lab;
static struct doca_dev *dev;
static struct doca_dma *dma;
static struct doca_ctx *ctx;
static struct doca_workq *workq;
static uint8_t memory[BYTES] __attribute__((aligned(4096)));
static uint8_t other_memory[BYTES] __attribute__((aligned(4096)));

static void setup(void)
{
	static const struct lab_options options = {.only = {true, false}};

	lab_setup_client(&lab, &options, LAB_HOST);
	dev = use_dev(USE_HOST_PF0);
	PASSES(doca_dma_create(&dma));
	ctx = CALLED(doca_dma_as_ctx(dma));
	PASSES(doca_ctx_dev_add(ctx, dev));
	PASSES(doca_ctx_start(ctx));
	PASSES(doca_workq_create(2, &workq));
	PASSES(doca_ctx_workq_add(ctx, workq));
}

static void teardown(void)
{
	PASSES(doca_ctx_workq_rm(ctx, workq));
	PASSES(doca_workq_destroy(workq));
	PASSES(doca_ctx_stop(ctx));
	PASSES(doca_ctx_dev_rm(ctx, dev));
	PASSES(doca_dma_destroy(dma));
	OK(doca_dev_close(dev));
	lab_teardown(&lab);
}

START_TEST(test_context)
{
	struct doca_dma *other;
	struct doca_ctx *its;

	PASSES(doca_dma_create(&other));
	its = doca_dma_as_ctx(other);
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_dma_create(NULL));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_ctx_start(its));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_ctx_stop(NULL));
	RETURNS(DOCA_ERROR_BAD_STATE, doca_ctx_start(ctx));
	RETURNS(DOCA_ERROR_NOT_PERMITTED, doca_ctx_stop(ctx));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_ctx_dev_add(NULL, dev));
	PASSES(doca_ctx_dev_add(its, dev));
	RETURNS(DOCA_ERROR_IN_USE, doca_ctx_dev_add(its, dev));
	RETURNS(DOCA_ERROR_BAD_STATE, doca_ctx_dev_add(ctx, dev));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_ctx_dev_rm(NULL, dev));
	RETURNS(DOCA_ERROR_BAD_STATE, doca_ctx_dev_rm(ctx, dev));
	PASSES(doca_ctx_dev_rm(its, dev));
	RETURNS(DOCA_ERROR_NOT_FOUND, doca_ctx_dev_rm(its, dev));
	PASSES(doca_dma_destroy(other));
	RETURNS(DOCA_ERROR_IN_USE, doca_dma_destroy(dma));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_ctx_workq_add(ctx, NULL));
	RETURNS(DOCA_ERROR_IN_USE, doca_ctx_workq_add(ctx, workq));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_ctx_workq_rm(ctx, NULL));
}
END_TEST

#if IS_1_3
START_TEST(test_depth)
{
	uint32_t depth = 0;
	struct doca_workq *other;

	PASSES(doca_workq_property_get(workq, DOCA_WORKQ_PROPERTY_DEPTH, (uint8_t *)&depth,
				       sizeof(depth)));
	ck_assert_uint_eq(depth, 2);
	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_workq_property_get(workq, DOCA_WORKQ_PROPERTY_DEPTH, (uint8_t *)&depth, 1));
	RETURNS(DOCA_ERROR_BAD_STATE,
		doca_workq_property_set(workq, DOCA_WORKQ_PROPERTY_DEPTH, (const uint8_t *)&depth,
					sizeof(depth)));
	PASSES(doca_workq_create(1, &other));
	PASSES(doca_workq_property_set(other, DOCA_WORKQ_PROPERTY_DEPTH, (const uint8_t *)&depth,
				       sizeof(depth)));
	if (allocount_works)
		RUNS_OUT(0, doca_workq_property_set(other, DOCA_WORKQ_PROPERTY_DEPTH,
						    (const uint8_t *)&depth, sizeof(depth)));
	depth = 0;
	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_workq_property_set(other, DOCA_WORKQ_PROPERTY_DEPTH, (const uint8_t *)&depth,
					sizeof(depth)));
	PASSES(doca_workq_property_get(other, DOCA_WORKQ_PROPERTY_DEPTH, (uint8_t *)&depth,
				       sizeof(depth)));
	ck_assert_uint_eq(depth, 2);
	PASSES(doca_workq_destroy(other));
}
END_TEST

START_TEST(test_capabilities)
{
	struct doca_devinfo *info;
	uint32_t caps;

	OK(doca_dev_as_devinfo(dev, &info));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_dma_devinfo_caps_get(NULL, &caps));
	PASSES(doca_dma_devinfo_caps_get(info, &caps));
	ck_assert_uint_eq(caps, DOCA_DMA_CAP_HW_OFFLOAD);
}
END_TEST
#else
START_TEST(test_depth)
{
	struct doca_workq *other;
	uint32_t depth;

	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_workq_get_depth(NULL, &depth));
	RETURNS(DOCA_ERROR_BAD_STATE, doca_workq_set_depth(workq, 8));
	PASSES(doca_workq_create(1, &other));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_workq_set_depth(other, 0));
	if (allocount_works)
		RUNS_OUT(0, doca_workq_set_depth(other, 8));
	PASSES(doca_workq_set_depth(other, 8));
	PASSES(doca_workq_get_depth(other, &depth));
	ck_assert_uint_eq(depth, 8);
	PASSES(doca_workq_destroy(other));
}
END_TEST

START_TEST(test_capabilities)
{
	struct doca_devinfo *info = doca_dev_as_devinfo(dev);
	uint64_t size;
	uint32_t n;

	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_dma_job_get_supported(NULL, DOCA_DMA_JOB_MEMCPY));
	PASSES(doca_dma_job_get_supported(info, DOCA_DMA_JOB_MEMCPY));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_dma_get_max_list_buf_num_elem(NULL, &n));
	PASSES(doca_dma_get_max_list_buf_num_elem(info, &n));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_dma_get_max_buf_size(NULL, &size));
	PASSES(doca_dma_get_max_buf_size(info, &size));
}
END_TEST

START_TEST(test_waiting)
{
	struct doca_workq *other;
	doca_event_handle_t handle;
	uint8_t is_on;

	PASSES(doca_workq_create(1, &other));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_workq_set_event_driven_enable(NULL, 1));
	RETURNS(DOCA_ERROR_BAD_STATE, doca_workq_set_event_driven_enable(workq, 1));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_workq_get_event_driven_enable(other, NULL));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_workq_get_event_handle(other, NULL));
	RETURNS(DOCA_ERROR_BAD_STATE, doca_workq_get_event_handle(other, &handle));
	RETURNS(DOCA_ERROR_BAD_STATE, doca_workq_event_handle_arm(other));
	RETURNS(DOCA_ERROR_BAD_STATE, doca_workq_event_handle_clear(other, 0));
	PASSES(doca_workq_set_event_driven_enable(other, 1));
	PASSES(doca_workq_get_event_driven_enable(other, &is_on));
	ck_assert_uint_eq(is_on, 1);
	PASSES(doca_workq_get_event_handle(other, &handle));
	PASSES(doca_workq_event_handle_arm(other));
	PASSES(doca_workq_event_handle_clear(other, handle));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_ctx_get_event_driven_supported(NULL, &is_on));
	PASSES(doca_ctx_get_event_driven_supported(ctx, &is_on));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_ctx_get_max_num_ctx(NULL));
	PASSES(doca_workq_destroy(other));
}
END_TEST
#endif

START_TEST(test_jobs)
{
	struct doca_buf_inventory *inventory;
	struct doca_dma_job_memcpy job = {.base.type = DOCA_DMA_JOB_MEMCPY};
	struct doca_buf *src, *dst, *strange;
	struct doca_event event;
	struct doca_dma *stopped;
	struct doca_mmap *mmap, *foreign;

	OK(doca_mmap_create(MAP, &mmap));
	OK(doca_mmap_start(mmap));
	OK(doca_mmap_dev_add(mmap, dev));
	OK(doca_mmap_populate(mmap, (void *)memory, BYTES, 4096, NULL, NULL));
	OK(doca_mmap_create(MAP, &foreign));
	OK(doca_mmap_start(foreign));
	OK(doca_mmap_populate(foreign, (void *)other_memory, BYTES, 4096, NULL, NULL));
	OK(doca_buf_inventory_create(BUFS, 3, DOCA_BUF_EXTENSION_NONE, &inventory));
	OK(doca_buf_inventory_start(inventory));
	OK(doca_buf_inventory_buf_by_addr(inventory, mmap, (void *)memory, 8, &src));
	OK(doca_buf_inventory_buf_by_addr(inventory, mmap, (void *)(memory + 100), 8, &dst));
	OK(doca_buf_inventory_buf_by_addr(inventory, foreign, (void *)other_memory, 8, &strange));
	job.src_buff = src;
	job.dst_buff = dst;
#if IS_1_3
	job.num_bytes_to_copy = 9;
#else
	OK(doca_buf_set_data(src, memory, 8));
#endif
	RETURNS(DOCA_ERROR_NOT_FOUND, doca_workq_submit(workq, &job.base));
	PASSES(doca_dma_create(&stopped));
	job.base.ctx = doca_dma_as_ctx(stopped);
	RETURNS(DOCA_ERROR_BAD_STATE, doca_workq_submit(workq, &job.base));
	PASSES(doca_dma_destroy(stopped));
	job.base.ctx = ctx;
#if IS_1_3
	/* Nine bytes, but the region has eight. */
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_workq_submit(workq, &job.base));
	job.num_bytes_to_copy = 8;
#endif
	job.base.flags = 1;
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_workq_submit(workq, &job.base));
	job.base.flags = 0;
	/* Both jobs write to the same place, because existing data does not count. */
	PASSES(doca_workq_submit(workq, &job.base));
	PASSES(doca_workq_submit(workq, &job.base));
	RETURNS(DOCA_ERROR_NO_MEMORY, doca_workq_submit(workq, &job.base));
	RETURNS(DOCA_ERROR_IN_USE, doca_ctx_workq_rm(ctx, workq));
	PASSES(doca_workq_progress_retrieve(workq, &event, DOCA_WORKQ_RETRIEVE_FLAGS_NONE));
	PASSES(doca_workq_progress_retrieve(workq, &event, DOCA_WORKQ_RETRIEVE_FLAGS_NONE));
	RETURNS(DOCA_ERROR_AGAIN, doca_workq_progress_retrieve(workq, &event, 0));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_workq_progress_retrieve(workq, NULL, 0));
	/* Memory that is not registered with the device. */
	job.dst_buff = strange;
	PASSES(doca_workq_submit(workq, &job.base));
	RETURNS(DOCA_ERROR_IO_FAILED, doca_workq_progress_retrieve(workq, &event, 0));
	OK(doca_buf_refcount_rm(strange, NULL));
	OK(doca_mmap_destroy(foreign));
	OK(doca_buf_refcount_rm(src, NULL));
	OK(doca_buf_refcount_rm(dst, NULL));
	OK(doca_buf_inventory_destroy(inventory));
	OK(doca_mmap_destroy(mmap));
}
END_TEST

START_TEST(test_queue)
{
	struct doca_workq *other;

	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_workq_create(0, &other));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_workq_destroy(NULL));
	RETURNS(DOCA_ERROR_IN_USE, doca_workq_destroy(workq));
	if (allocount_works)
		RUNS_OUT(0, doca_workq_create(1, &other));
	PASSES(doca_workq_create(1, &other));
	RETURNS(DOCA_ERROR_NOT_FOUND, doca_ctx_workq_rm(ctx, other));
	PASSES(doca_workq_destroy(other));
}
END_TEST

static const struct documented documented_jobs[] = {
	{"doca_ctx_start", "INVALID_VALUE BAD_STATE"},
	{"doca_ctx_stop", "INVALID_VALUE NOT_PERMITTED"},
	{"doca_ctx_dev_add", "INVALID_VALUE BAD_STATE IN_USE"},
	{"doca_ctx_dev_rm", "INVALID_VALUE BAD_STATE NOT_FOUND"},
	{"doca_ctx_workq_add", "INVALID_VALUE IN_USE"},
	{"doca_ctx_workq_rm", "INVALID_VALUE NOT_FOUND IN_USE"},
	{"doca_workq_create", "INVALID_VALUE NO_MEMORY"},
	{"doca_workq_destroy", "INVALID_VALUE IN_USE"},
	{"doca_workq_submit", "INVALID_VALUE BAD_STATE NOT_FOUND NO_MEMORY"},
	{"doca_workq_progress_retrieve", "INVALID_VALUE AGAIN IO_FAILED"},
	{"doca_dma_create", "INVALID_VALUE"},
	{"doca_dma_destroy", "IN_USE"},
	{"doca_dma_as_ctx", ""},
#if IS_1_3
	{"doca_workq_property_set", "INVALID_VALUE BAD_STATE NO_MEMORY"},
	{"doca_workq_property_get", "INVALID_VALUE"},
	{"doca_dma_devinfo_caps_get", "INVALID_VALUE"},
#else
	{"doca_workq_set_depth", "INVALID_VALUE BAD_STATE NO_MEMORY"},
	{"doca_workq_get_depth", "INVALID_VALUE"},
	{"doca_workq_set_event_driven_enable", "INVALID_VALUE BAD_STATE"},
	{"doca_workq_get_event_driven_enable", "INVALID_VALUE"},
	{"doca_workq_get_event_handle", "INVALID_VALUE BAD_STATE"},
	{"doca_workq_event_handle_arm", "BAD_STATE"},
	{"doca_workq_event_handle_clear", "BAD_STATE"},
	{"doca_ctx_get_event_driven_supported", "INVALID_VALUE"},
	{"doca_ctx_get_max_num_ctx", "INVALID_VALUE"},
	{"doca_dma_job_get_supported", "INVALID_VALUE"},
	{"doca_dma_get_max_list_buf_num_elem", "INVALID_VALUE"},
	{"doca_dma_get_max_buf_size", "INVALID_VALUE"},
#endif
	{NULL, NULL},
};
/* A sanitizer replaces the allocator by one that does not fail. */
static const struct unreachable unreachable_sanitized[] = {
	{"*", "NO_MEMORY", "allocations cannot be made to fail here"},
	{NULL, NULL, NULL},
};
static const struct unreachable unreachable_none[] = {{NULL, NULL, NULL}};

static bool finish(void)
{
	return cover_report(NAME " doca_ctx", documented_jobs,
			    allocount_works ? unreachable_none : unreachable_sanitized);
}

static void add_cases(Suite *suite)
{
	TCase *cases = tcase_create("jobs");

	tcase_add_checked_fixture(cases, setup, teardown);
	tcase_set_timeout(cases, RUNNER_TEST_S);
	suite_add_tcase(suite, cases);
	tcase_add_test(cases, test_context);
	tcase_add_test(cases, test_queue);
	tcase_add_test(cases, test_depth);
	tcase_add_test(cases, test_jobs);
	tcase_add_test(cases, test_capabilities);
#if !IS_1_3
	tcase_add_test(cases, test_waiting);
#endif
}

int main(void)
{
	lab_require();
	cover_init();
	return runner_main("jobs of " NAME, add_cases, finish);
}
