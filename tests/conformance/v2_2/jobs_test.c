/*
 * Contexts, work queues and DMA jobs as programs of 2.0 to 2.2 use them: every result code that
 * 2.2.0 documents is provoked, or listed with the reason why not. Runs on the host side of a lab.
 * The jobs' effects are tested in tests/integration/dma/jobs_test.c.
 */
#include <stdio.h>

#include <doca_buf.h>
#include <doca_buf_inventory.h>
#include <doca_ctx.h>
#include <doca_dev.h>
#include <doca_dma.h>
#include <doca_mmap.h>

#include "tests/conformance/cover.h"
#include "tests/lib/lab.h"
#include "tests/lib/runner.h"

_Static_assert(DOCA_USE_VERSION == 202, "compiled for 2.2");

#define BYTES 4096u

static struct lab lab;
static struct doca_dev *dev;
static struct doca_dma *dma;
static struct doca_ctx *ctx;
static struct doca_workq *workq;
static uint8_t memory[BYTES];

static void setup_with(const struct lab_options *options)
{
	lab_setup_client(&lab, options, LAB_HOST);
	dev = use_dev(USE_HOST_PF0);
	PASSES(doca_dma_create(&dma));
	ctx = CALLED(doca_dma_as_ctx(dma));
}

static void setup(void)
{
	static const struct lab_options options = {.only = {true, false}};

	setup_with(&options);
	PASSES(doca_ctx_dev_add(ctx, dev));
	PASSES(doca_ctx_start(ctx));
	PASSES(doca_workq_create(2, &workq));
	PASSES(doca_workq_set_event_driven_enable(workq, 1));
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
	uint32_t n;
	uint8_t is_on;

	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_dma_create(NULL));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_dma_destroy(NULL));
	PASSES(doca_dma_create(&other));
	its = doca_dma_as_ctx(other);
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_ctx_start(NULL));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_ctx_start(its));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_ctx_stop(NULL));
	RETURNS(DOCA_ERROR_NOT_PERMITTED, doca_ctx_stop(ctx));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_ctx_dev_add(its, NULL));
	RETURNS(DOCA_ERROR_BAD_STATE, doca_ctx_dev_add(ctx, dev));
	PASSES(doca_ctx_dev_add(its, dev));
	RETURNS(DOCA_ERROR_IN_USE, doca_ctx_dev_add(its, dev));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_ctx_dev_rm(its, NULL));
	RETURNS(DOCA_ERROR_BAD_STATE, doca_ctx_dev_rm(ctx, dev));
	/* A device cannot be closed while a context uses it. */
	EXPECT(DOCA_ERROR_IN_USE, doca_dev_close(dev));
	PASSES(doca_ctx_dev_rm(its, dev));
	RETURNS(DOCA_ERROR_NOT_FOUND, doca_ctx_dev_rm(its, dev));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_ctx_set_datapath_on_gpu(its, NULL));
	RETURNS(DOCA_ERROR_BAD_STATE, doca_ctx_set_datapath_on_gpu(ctx, (struct doca_gpu *)its));
	RETURNS(DOCA_ERROR_NOT_SUPPORTED,
		doca_ctx_set_datapath_on_gpu(its, (struct doca_gpu *)its));
	PASSES(doca_dma_destroy(other));
	RETURNS(DOCA_ERROR_IN_USE, doca_dma_destroy(dma));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_ctx_get_event_driven_supported(ctx, NULL));
	PASSES(doca_ctx_get_event_driven_supported(ctx, &is_on));
	ck_assert_uint_eq(is_on, 1);
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_ctx_get_max_num_ctx(NULL));
	PASSES(doca_ctx_get_max_num_ctx(&n));
	ck_assert_uint_ge(n, 1);
}
END_TEST

START_TEST(test_queue)
{
	struct doca_workq *other;
	doca_event_handle_t handle;
	struct doca_dma *stopped;
	uint32_t depth;
	uint8_t is_on;

	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_workq_create(0, &other));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_workq_destroy(NULL));
	RETURNS(DOCA_ERROR_IN_USE, doca_workq_destroy(workq));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_workq_get_depth(workq, NULL));
	PASSES(doca_workq_get_depth(workq, &depth));
	ck_assert_uint_eq(depth, 2);
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_workq_get_event_driven_enable(workq, NULL));
	PASSES(doca_workq_get_event_driven_enable(workq, &is_on));
	ck_assert_uint_eq(is_on, 1);
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_workq_set_event_driven_enable(NULL, 1));
	RETURNS(DOCA_ERROR_BAD_STATE, doca_workq_set_event_driven_enable(workq, 1));
	PASSES(doca_workq_create(1, &other));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_workq_get_event_handle(workq, NULL));
	RETURNS(DOCA_ERROR_BAD_STATE, doca_workq_get_event_handle(other, &handle));
	RETURNS(DOCA_ERROR_BAD_STATE, doca_workq_event_handle_arm(other));
	RETURNS(DOCA_ERROR_BAD_STATE, doca_workq_event_handle_clear(other, 0));
	PASSES(doca_workq_get_event_handle(workq, &handle));
	PASSES(doca_workq_event_handle_arm(workq));
	PASSES(doca_workq_event_handle_clear(workq, handle));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_workq_set_event_handle(NULL, handle, 0));
	RETURNS(DOCA_ERROR_NOT_SUPPORTED, doca_workq_set_event_handle(workq, handle, 0));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_ctx_workq_add(ctx, NULL));
	RETURNS(DOCA_ERROR_IN_USE, doca_ctx_workq_add(ctx, workq));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_ctx_workq_rm(ctx, NULL));
	RETURNS(DOCA_ERROR_NOT_FOUND, doca_ctx_workq_rm(ctx, other));
	PASSES(doca_dma_create(&stopped));
	RETURNS(DOCA_ERROR_BAD_STATE, doca_ctx_workq_add(doca_dma_as_ctx(stopped), other));
	RETURNS(DOCA_ERROR_BAD_STATE, doca_ctx_workq_rm(doca_dma_as_ctx(stopped), other));
	PASSES(doca_dma_destroy(stopped));
	PASSES(doca_workq_destroy(other));
}
END_TEST

START_TEST(test_jobs)
{
	struct doca_buf_inventory *inventory;
	struct doca_dma_job_memcpy job = {.base.type = DOCA_DMA_JOB_MEMCPY};
	struct doca_event event;
	struct doca_dma *stopped;
	struct doca_mmap *mmap;

	OK(doca_mmap_create(NULL, &mmap));
	OK(doca_mmap_set_memrange(mmap, memory, BYTES));
	OK(doca_mmap_set_permissions(mmap, DOCA_ACCESS_LOCAL_READ_WRITE));
	OK(doca_mmap_dev_add(mmap, dev));
	OK(doca_mmap_start(mmap));
	OK(doca_buf_inventory_create(NULL, 2, DOCA_BUF_EXTENSION_NONE, &inventory));
	OK(doca_buf_inventory_start(inventory));
	OK(doca_buf_inventory_buf_by_data(inventory, mmap, memory, 8,
					  (struct doca_buf **)&job.src_buff));
	OK(doca_buf_inventory_buf_by_addr(inventory, mmap, memory + 100, 16, &job.dst_buff));
	RETURNS(DOCA_ERROR_NOT_FOUND, doca_workq_submit(workq, &job.base));
	PASSES(doca_dma_create(&stopped));
	job.base.ctx = doca_dma_as_ctx(stopped);
	RETURNS(DOCA_ERROR_BAD_STATE, doca_workq_submit(workq, &job.base));
	PASSES(doca_dma_destroy(stopped));
	job.base.ctx = ctx;
	job.base.type++;
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_workq_submit(workq, &job.base));
	job.base.type--;
	PASSES(doca_workq_submit(workq, &job.base));
	PASSES(doca_workq_submit(workq, &job.base));
	RETURNS(DOCA_ERROR_NO_MEMORY, doca_workq_submit(workq, &job.base));
	RETURNS(DOCA_ERROR_IN_USE, doca_ctx_workq_rm(ctx, workq));
	PASSES(doca_workq_progress_retrieve(workq, &event, DOCA_WORKQ_RETRIEVE_FLAGS_NONE));
	PASSES(doca_workq_progress_retrieve(workq, &event, DOCA_WORKQ_RETRIEVE_FLAGS_NONE));
	/* The third job does not fit after the first two. */
	PASSES(doca_workq_submit(workq, &job.base));
	RETURNS(DOCA_ERROR_IO_FAILED, doca_workq_progress_retrieve(workq, &event, 0));
	ck_assert_uint_eq(event.result.u64, DOCA_ERROR_IO_FAILED);
	RETURNS(DOCA_ERROR_AGAIN, doca_workq_progress_retrieve(workq, &event, 0));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_workq_progress_retrieve(workq, &event, 1));
	OK(doca_buf_refcount_rm((struct doca_buf *)job.src_buff, NULL));
	OK(doca_buf_refcount_rm(job.dst_buff, NULL));
	OK(doca_buf_inventory_destroy(inventory));
	OK(doca_mmap_destroy(mmap));
}
END_TEST

START_TEST(test_capabilities)
{
	struct doca_devinfo *info = doca_dev_as_devinfo(dev);
	uint64_t size;
	uint32_t n;

	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_dma_job_get_supported(NULL, DOCA_DMA_JOB_MEMCPY));
	PASSES(doca_dma_job_get_supported(info, DOCA_DMA_JOB_MEMCPY));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_dma_get_max_list_buf_num_elem(info, NULL));
	PASSES(doca_dma_get_max_list_buf_num_elem(info, &n));
	ck_assert_uint_ge(n, 64);
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_dma_get_max_buf_size(info, NULL));
	PASSES(doca_dma_get_max_buf_size(info, &size));
	ck_assert_uint_eq(size, 2u << 20);
}
END_TEST

/* Whichever allocation fails, nothing leaks and the next attempt succeeds. */
START_TEST(test_no_memory)
{
	struct doca_workq *other;
	struct doca_dma *none;
	doca_error_t result = DOCA_ERROR_UNEXPECTED;
	unsigned n;

	if (!allocount_works) {
		printf("note: allocations are not counted here\n");
		return;
	}
	RUNS_OUT(0, doca_workq_create(4, &other));
	RUNS_OUT(1, doca_workq_create(4, &other));
	RUNS_OUT(2, doca_workq_create(4, &other));
	RUNS_OUT(0, doca_dma_create(&none));
	RUNS_OUT(1, doca_dma_create(&none));
	PASSES(doca_workq_create(4, &other));
	for (n = 0; result != DOCA_SUCCESS; n++) {
		allocount_fail_after(n);
		result = doca_ctx_workq_add(ctx, other);
		allocount_fail_never();
		/* The context allocates its own memory when it starts. */
		if (result != DOCA_SUCCESS)
			ck_assert(result == DOCA_ERROR_NO_MEMORY ||
				  result == DOCA_ERROR_INITIALIZATION);
	}
	ck_assert_uint_ge(n, 4);
	PASSES(doca_ctx_workq_rm(ctx, other));
	RUNS_OUT(0, doca_ctx_workq_add(ctx, other));
	allocount_fail_after(3);
	RETURNS(DOCA_ERROR_INITIALIZATION, doca_ctx_workq_add(ctx, other));
	allocount_fail_never();
	PASSES(doca_workq_destroy(other));
}
END_TEST

static void setup_no_dma(void)
{
	static const struct lab_options options = {
		.only = {true, false},
		.topology = "[topology]\nside = host\n[device pf0]\npci = 0b:00.0\ndma = no\n",
	};

	setup_with(&options);
}

static void teardown_no_dma(void)
{
	PASSES(doca_dma_destroy(dma));
	OK(doca_dev_close(dev));
	lab_teardown(&lab);
}

START_TEST(test_no_dma)
{
	RETURNS(DOCA_ERROR_NOT_SUPPORTED,
		doca_dma_job_get_supported(doca_dev_as_devinfo(dev), DOCA_DMA_JOB_MEMCPY));
	RETURNS(DOCA_ERROR_NOT_SUPPORTED, doca_ctx_dev_add(ctx, dev));
}
END_TEST

static const struct documented documented_ctx[] = {
	{"doca_ctx_start", "INVALID_VALUE NOT_SUPPORTED INITIALIZATION UNEXPECTED"},
	{"doca_ctx_stop", "INVALID_VALUE NOT_PERMITTED IN_USE UNEXPECTED"},
	{"doca_ctx_dev_add", "INVALID_VALUE BAD_STATE IN_USE NOT_SUPPORTED DRIVER UNEXPECTED"},
	{"doca_ctx_dev_rm", "INVALID_VALUE BAD_STATE NOT_FOUND UNEXPECTED"},
	{"doca_ctx_get_event_driven_supported", "INVALID_VALUE"},
	{"doca_ctx_get_max_num_ctx", "INVALID_VALUE"},
	{"doca_ctx_set_datapath_on_gpu", "INVALID_VALUE BAD_STATE"},
	{"doca_ctx_workq_add",
	 "INVALID_VALUE BAD_STATE IN_USE NO_MEMORY INITIALIZATION UNEXPECTED"},
	{"doca_ctx_workq_rm", "INVALID_VALUE BAD_STATE NOT_PERMITTED NOT_FOUND IN_USE UNEXPECTED"},
	{"doca_workq_create", "INVALID_VALUE NO_MEMORY"},
	{"doca_workq_destroy", "INVALID_VALUE IN_USE"},
	{"doca_workq_event_handle_arm", ""},
	{"doca_workq_event_handle_clear", "OPERATING_SYSTEM"},
	{"doca_workq_get_depth", "INVALID_VALUE"},
	{"doca_workq_get_event_driven_enable", "INVALID_VALUE"},
	{"doca_workq_get_event_handle", "INVALID_VALUE BAD_STATE"},
	{"doca_workq_progress_retrieve", "AGAIN IO_FAILED"},
	{"doca_workq_set_event_driven_enable", "INVALID_VALUE BAD_STATE OPERATING_SYSTEM"},
	{"doca_workq_set_event_handle", "INVALID_VALUE NOT_SUPPORTED OPERATING_SYSTEM"},
	{"doca_workq_submit", "BAD_STATE NOT_FOUND NO_MEMORY"},
	{NULL, NULL},
};
static const struct documented documented_dma[] = {
	{"doca_dma_create", "INVALID_VALUE NO_MEMORY INITIALIZATION"},
	{"doca_dma_destroy", "IN_USE"},
	{"doca_dma_as_ctx", ""},
	{"doca_dma_job_get_supported", "INVALID_VALUE NOT_SUPPORTED"},
	{"doca_dma_get_max_buf_size", "INVALID_VALUE"},
	{"doca_dma_get_max_list_buf_num_elem", "INVALID_VALUE"},
	{NULL, NULL},
};

static const struct unreachable unreachable_ctx[] = {
	{"*", "UNEXPECTED", "no rule of our own is broken"},
	{"*", "DRIVER", "no driver is asked"},
	{"doca_ctx_start", "NOT_SUPPORTED", "devices are looked at when they are added"},
	{"doca_ctx_start", "INITIALIZATION", "what a queue needs is set up with it"},
	{"doca_ctx_stop", "IN_USE", "a context with queues is NOT_PERMITTED to stop"},
	{"doca_ctx_workq_rm", "NOT_PERMITTED",
	 "from a callback only; see tests/unit/client/compat/workq_test.c"},
	{"*", "OPERATING_SYSTEM", "the kernel does not refuse what a queue asks of its own handle"},
	{NULL, NULL, NULL},
};
static const struct unreachable unreachable_dma[] = {
	{"doca_dma_create", "INITIALIZATION", "nothing is set up before the start"},
	{NULL, NULL, NULL},
};

/* A sanitizer replaces the allocator by one that does not fail. */
static const struct unreachable unreachable_ctx_sanitized[] = {
	{"*", "UNEXPECTED", "no rule of our own is broken"},
	{"*", "DRIVER", "no driver is asked"},
	{"*", "NO_MEMORY", "allocations cannot be made to fail here"},
	{"*", "INITIALIZATION", "allocations cannot be made to fail here"},
	{"doca_ctx_start", "NOT_SUPPORTED", "devices are looked at when they are added"},
	{"doca_ctx_stop", "IN_USE", "a context with queues is NOT_PERMITTED to stop"},
	{"doca_ctx_workq_rm", "NOT_PERMITTED",
	 "from a callback only; see tests/unit/client/compat/workq_test.c"},
	{"*", "OPERATING_SYSTEM", "the kernel does not refuse what a queue asks of its own handle"},
	{NULL, NULL, NULL},
};
static const struct unreachable unreachable_dma_sanitized[] = {
	{"doca_dma_create", "INITIALIZATION", "nothing is set up before the start"},
	{"*", "NO_MEMORY", "allocations cannot be made to fail here"},
	{NULL, NULL, NULL},
};

static bool finish(void)
{
	bool ok = cover_report("2.2 doca_ctx", documented_ctx,
			       allocount_works ? unreachable_ctx : unreachable_ctx_sanitized);

	return cover_report("2.2 doca_dma", documented_dma,
			    allocount_works ? unreachable_dma : unreachable_dma_sanitized) &&
	       ok;
}

static void add_cases(Suite *suite)
{
	TCase *cases = tcase_create("jobs"), *no_dma = tcase_create("no dma");

	tcase_add_checked_fixture(cases, setup, teardown);
	tcase_set_timeout(cases, RUNNER_TEST_S);
	suite_add_tcase(suite, cases);
	tcase_add_test(cases, test_context);
	tcase_add_test(cases, test_queue);
	tcase_add_test(cases, test_jobs);
	tcase_add_test(cases, test_capabilities);
	tcase_add_test(cases, test_no_memory);
	tcase_add_checked_fixture(no_dma, setup_no_dma, teardown_no_dma);
	tcase_set_timeout(no_dma, RUNNER_TEST_S);
	suite_add_tcase(suite, no_dma);
	tcase_add_test(no_dma, test_no_dma);
}

int main(void)
{
	lab_require();
	cover_init();
	return runner_main("jobs of 2.2", add_cases, finish);
}
