/*
 * doca_sync_event.h: each documented result code, configuration, both ways to start, tasks, exports
 * by location, user memory and its permissions, devices without capabilities. This process is a
 * client on the DPU side. It cannot import its own exports, so a process of the host does.
 */
#include <stdlib.h>
#include <string.h>

#include <doca_sync_event.h>

#include "tests/conformance/cover.h"
#include "tests/lib/lab.h"
#include "tests/lib/runner.h"

#define ALL     UINT64_MAX
#define N_TASKS 4u

static struct lab lab;
static struct doca_dev *dev;
static struct doca_devinfo *info;

/* Stands in for objects that cannot be created here; never dereferenced. */
static char nothing;
static struct doca_dpa *const dpa = (void *)&nothing;
static struct doca_gpu *const gpu = (void *)&nothing;

static void setup(void)
{
	lab_setup_client(&lab, NULL, LAB_DPU);
	dev = use_dev(USE_DPU_P0);
	info = doca_dev_as_devinfo(dev);
}

static void teardown(void)
{
	OK(doca_dev_close(dev));
	lab_await(&lab, LAB_DPU, LAB_EXPORTS, 0, 5000);
	lab_await(&lab, LAB_DPU, LAB_IMPORTS, 0, 5000);
	lab_await(&lab, LAB_HOST, LAB_IMPORTS, 0, 5000);
	lab_teardown(&lab);
}

static struct doca_sync_event *event_new(void)
{
	struct doca_sync_event *event;

	PASSES(doca_sync_event_create(&event));
	return event;
}

static struct doca_sync_event *event_local(void)
{
	struct doca_sync_event *event = event_new();

	PASSES(doca_sync_event_add_publisher_location_cpu(event, dev));
	PASSES(doca_sync_event_add_subscriber_location_cpu(event, dev));
	return event;
}

START_TEST(test_capabilities)
{
	PASSES(doca_sync_event_cap_is_create_from_export_supported(info));
	PASSES(doca_sync_event_cap_remote_net_is_create_from_export_supported(info));
	PASSES(doca_sync_event_cap_is_export_to_remote_pci_supported(info));
	PASSES(doca_sync_event_cap_is_export_to_remote_net_supported(info));
	PASSES(doca_sync_event_cap_task_get_is_supported(info));
	PASSES(doca_sync_event_cap_task_notify_set_is_supported(info));
	PASSES(doca_sync_event_cap_task_notify_add_is_supported(info));
	PASSES(doca_sync_event_cap_task_wait_eq_is_supported(info));
	PASSES(doca_sync_event_cap_task_wait_neq_is_supported(info));
	RETURNS(DOCA_ERROR_NOT_SUPPORTED, doca_sync_event_cap_is_export_to_dpa_supported(info));
	RETURNS(DOCA_ERROR_NOT_SUPPORTED, doca_sync_event_cap_is_export_to_gpu_supported(info));
	RETURNS(DOCA_ERROR_NOT_SUPPORTED,
		doca_sync_event_cap_remote_net_is_export_to_dpa_supported(info));
	RETURNS(DOCA_ERROR_NOT_SUPPORTED,
		doca_sync_event_cap_remote_net_is_export_to_gpu_supported(info));
	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_sync_event_cap_is_create_from_export_supported(NULL));
	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_sync_event_cap_remote_net_is_create_from_export_supported(NULL));
	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_sync_event_cap_is_export_to_remote_pci_supported(NULL));
	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_sync_event_cap_is_export_to_remote_net_supported(NULL));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_sync_event_cap_task_get_is_supported(NULL));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_sync_event_cap_task_notify_set_is_supported(NULL));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_sync_event_cap_task_notify_add_is_supported(NULL));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_sync_event_cap_task_wait_eq_is_supported(NULL));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_sync_event_cap_task_wait_neq_is_supported(NULL));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_sync_event_cap_is_export_to_dpa_supported(NULL));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_sync_event_cap_is_export_to_gpu_supported(NULL));
	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_sync_event_cap_remote_net_is_export_to_dpa_supported(NULL));
	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_sync_event_cap_remote_net_is_export_to_gpu_supported(NULL));
}
END_TEST

START_TEST(test_configuration)
{
	struct doca_sync_event *event, *none = NULL;
	uint64_t counters[2] = {0};

	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_sync_event_create(NULL));
	if (allocount_works)
		RUNS_OUT(0, doca_sync_event_create(&event));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_sync_event_destroy(none));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_sync_event_start(none));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_sync_event_stop(none));
	ck_assert_ptr_null(CALLED(doca_sync_event_as_ctx(none)));
	event = event_new();
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_sync_event_add_publisher_location_cpu(none, dev));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_sync_event_add_publisher_location_cpu(event, NULL));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_sync_event_add_publisher_location_remote_pci(none));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_sync_event_add_publisher_location_remote_net(none));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_sync_event_add_subscriber_location_cpu(none, dev));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_sync_event_add_subscriber_location_cpu(event, NULL));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_sync_event_add_subscriber_location_remote_pci(none));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_sync_event_add_publisher_location_dpa(event, NULL));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_sync_event_add_publisher_location_gpu(event, NULL));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_sync_event_add_subscriber_location_dpa(event, NULL));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_sync_event_add_subscriber_location_gpu(event, NULL));
	RETURNS(DOCA_ERROR_NOT_SUPPORTED, doca_sync_event_add_publisher_location_dpa(event, dpa));
	RETURNS(DOCA_ERROR_NOT_SUPPORTED, doca_sync_event_add_publisher_location_gpu(event, gpu));
	RETURNS(DOCA_ERROR_NOT_SUPPORTED, doca_sync_event_add_subscriber_location_dpa(event, dpa));
	RETURNS(DOCA_ERROR_NOT_SUPPORTED, doca_sync_event_add_subscriber_location_gpu(event, gpu));
	/* There must be exactly one publisher and one subscriber. */
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_sync_event_start(event));
	PASSES(doca_sync_event_add_publisher_location_remote_pci(event));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_sync_event_start(event));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_sync_event_add_publisher_location_cpu(event, dev));
	PASSES(doca_sync_event_add_subscriber_location_cpu(event, dev));
	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_sync_event_add_subscriber_location_remote_pci(event));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_sync_event_set_addr(event, NULL));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_sync_event_set_addr(none, counters));
	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_sync_event_set_addr(event, (void *)((uintptr_t)counters + 4)));
	PASSES(doca_sync_event_set_addr(event, &counters[1]));
	PASSES(doca_sync_event_start(event));
	RETURNS(DOCA_ERROR_BAD_STATE, doca_sync_event_start(event));
	RETURNS(DOCA_ERROR_BAD_STATE, doca_sync_event_set_addr(event, counters));
	OK(doca_sync_event_update_set(event, 5));
	ck_assert_uint_eq(counters[1], 5);
	PASSES(doca_sync_event_stop(event));
	PASSES(doca_sync_event_destroy(event));
}
END_TEST

START_TEST(test_calls)
{
	struct doca_sync_event *event = event_local(), *none = NULL;
	uint64_t value;

	PASSES(doca_sync_event_start(event));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_sync_event_get(none, &value));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_sync_event_get(event, NULL));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_sync_event_update_add(none, 1, &value));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_sync_event_update_add(event, 1, NULL));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_sync_event_update_set(none, 1));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_sync_event_wait_gt(none, 0, ALL));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_sync_event_wait_gt_yield(none, 0, ALL));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_sync_event_wait_eq(none, 0, ALL));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_sync_event_wait_eq_yield(none, 0, ALL));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_sync_event_wait_neq(none, 0, ALL));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_sync_event_wait_neq_yield(none, 0, ALL));
	PASSES(doca_sync_event_update_set(event, ALL));
	PASSES(doca_sync_event_update_add(event, 0x100, &value));
	ck_assert_uint_eq(value, ALL);
	PASSES(doca_sync_event_get(event, &value));
	ck_assert_uint_eq(value, 0xff);
	PASSES(doca_sync_event_wait_gt(event, 0xfe, 0xff));
	PASSES(doca_sync_event_wait_gt_yield(event, 0xfe, ALL));
	PASSES(doca_sync_event_wait_eq(event, 0xf, 0xf));
	PASSES(doca_sync_event_wait_eq_yield(event, 0xff, ALL));
	PASSES(doca_sync_event_wait_neq(event, 0xff, 0xf));
	PASSES(doca_sync_event_wait_neq_yield(event, 0, ALL));
	PASSES(doca_sync_event_destroy(event));
}
END_TEST

/* --- user memory --- */

static struct doca_buf *buf_of(struct doca_buf_inventory *inventory, struct doca_mmap *mmap,
			       void *addr, size_t len)
{
	struct doca_buf *buf;

	OK(doca_buf_inventory_buf_get_by_data(inventory, mmap, addr, len, &buf));
	return buf;
}

START_TEST(test_set_doca_buf)
{
	const uint32_t rights = DOCA_ACCESS_FLAG_LOCAL_READ_WRITE | DOCA_ACCESS_FLAG_RDMA_ATOMIC |
				DOCA_ACCESS_FLAG_PCI_READ_WRITE;
	static _Alignas(8) uint64_t counters[8];
	struct doca_sync_event *event = event_local();
	struct doca_mmap *mmap = use_mmap(dev, counters, sizeof(counters), rights);
	struct doca_mmap *poor = use_mmap(dev, counters, sizeof(counters),
					  DOCA_ACCESS_FLAG_LOCAL_READ_WRITE);
	struct doca_buf_inventory *inventory;
	struct doca_buf *good, *bad;
	struct doca_mmap *near;
	const uint8_t *data;
	size_t len;

	OK(doca_buf_inventory_create(8, &inventory));
	OK(doca_buf_inventory_start(inventory));
	good = buf_of(inventory, mmap, &counters[1], 8);
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_sync_event_set_doca_buf(NULL, good));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_sync_event_set_doca_buf(event, NULL));
	bad = buf_of(inventory, mmap, &counters[1], 16);
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_sync_event_set_doca_buf(event, bad));
	OK(doca_buf_dec_refcount(bad, NULL));
	bad = buf_of(inventory, mmap, (uint8_t *)counters + 4, 8);
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_sync_event_set_doca_buf(event, bad));
	OK(doca_buf_dec_refcount(bad, NULL));
	bad = buf_of(inventory, mmap, &counters[2], 8);
	OK(doca_buf_chain_list(bad, buf_of(inventory, mmap, &counters[3], 8)));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_sync_event_set_doca_buf(event, bad));
	OK(doca_buf_dec_refcount(bad, NULL));
	bad = buf_of(inventory, poor, &counters[1], 8);
	RETURNS(DOCA_ERROR_NOT_PERMITTED, doca_sync_event_set_doca_buf(event, bad));
	OK(doca_buf_dec_refcount(bad, NULL));
	PASSES(doca_sync_event_set_doca_buf(event, good));
	PASSES(doca_sync_event_start(event));
	RETURNS(DOCA_ERROR_BAD_STATE, doca_sync_event_set_doca_buf(event, good));
	/* The event no longer needs the buffer. */
	OK(doca_buf_dec_refcount(good, NULL));
	OK(doca_sync_event_update_set(event, 77));
	ck_assert_uint_eq(counters[1], 77);
	PASSES(doca_sync_event_destroy(event));
	/* Private memory would be valid for this process only. */
	event = event_new();
	PASSES(doca_sync_event_add_publisher_location_remote_pci(event));
	PASSES(doca_sync_event_add_subscriber_location_cpu(event, dev));
	near = use_mmap(dev, counters, sizeof(counters),
			DOCA_ACCESS_FLAG_LOCAL_READ_WRITE | DOCA_ACCESS_FLAG_RDMA_ATOMIC |
				DOCA_ACCESS_FLAG_PCI_READ_ONLY);
	good = buf_of(inventory, near, &counters[1], 8);
	PASSES(doca_sync_event_set_doca_buf(event, good));
	PASSES(doca_sync_event_start(event));
	EXPECT(DOCA_ERROR_NOT_PERMITTED,
	       doca_sync_event_export_to_remote_pci(event, dev, &data, &len));
	ck_assert_ptr_nonnull(strstr(dococ_last_error(), "doca_mmap_set_permissions"));
	PASSES(doca_sync_event_destroy(event));
	use_buf_end(good);
	OK(doca_buf_inventory_destroy(inventory));
	use_mmap_end(mmap);
	use_mmap_end(poor);
	use_mmap_end(near);
}
END_TEST

/* --- tasks --- */

static unsigned n_done, n_failed;
static doca_error_t status;

static void done(struct doca_task *task, bool is_failed)
{
	n_done++;
	n_failed += is_failed;
	status = doca_task_get_status(task);
	doca_task_free(task);
}

#define CALLBACKS(kind)                                                                     \
	static void kind##_ok(struct doca_sync_event_task_##kind *task, union doca_data a,  \
			      union doca_data b)                                            \
	{                                                                                   \
		(void)a;                                                                    \
		(void)b;                                                                    \
		done(doca_sync_event_task_##kind##_as_doca_task(task), false);              \
	}                                                                                   \
	static void kind##_err(struct doca_sync_event_task_##kind *task, union doca_data a, \
			       union doca_data b)                                           \
	{                                                                                   \
		(void)a;                                                                    \
		(void)b;                                                                    \
		done(doca_sync_event_task_##kind##_as_doca_task(task), true);               \
	}
CALLBACKS(get)
CALLBACKS(notify_set)
CALLBACKS(notify_add)
CALLBACKS(wait_eq)
CALLBACKS(wait_neq)

/* Tests every invalid configuration of a kind of task, then a valid one. */
#define CONFIGURES(kind)                                                                          \
	do {                                                                                      \
		RETURNS(DOCA_ERROR_INVALID_VALUE,                                                 \
			doca_sync_event_task_##kind##_set_conf(NULL, kind##_ok, kind##_err, 1));  \
		RETURNS(DOCA_ERROR_INVALID_VALUE,                                                 \
			doca_sync_event_task_##kind##_set_conf(event, NULL, kind##_err, 1));      \
		RETURNS(DOCA_ERROR_INVALID_VALUE,                                                 \
			doca_sync_event_task_##kind##_set_conf(event, kind##_ok, NULL, 1));       \
		RETURNS(DOCA_ERROR_INVALID_VALUE,                                                 \
			doca_sync_event_task_##kind##_set_conf(event, kind##_ok, kind##_err, 0)); \
		RETURNS(DOCA_ERROR_INVALID_VALUE,                                                 \
			doca_sync_event_task_##kind##_set_conf(event, kind##_ok, kind##_err,      \
							       UINT32_MAX));                      \
		PASSES(doca_sync_event_task_##kind##_set_conf(event, kind##_ok, kind##_err,       \
							      N_TASKS));                          \
	} while (0)
#define STARTED(kind)                     \
	RETURNS(DOCA_ERROR_NOT_PERMITTED, \
		doca_sync_event_task_##kind##_set_conf(event, kind##_ok, kind##_err, N_TASKS))
/* Allocates tasks until the pool is empty, and frees them. */
#define TAKES_ALL(kind, ...)                                                                      \
	do {                                                                                      \
		struct doca_sync_event_task_##kind *taken[N_TASKS], *more;                        \
		for (unsigned n = 0; n < N_TASKS; n++)                                            \
			PASSES(doca_sync_event_task_##kind##_alloc_init(event, __VA_ARGS__, none, \
									&taken[n]));              \
		RETURNS(DOCA_ERROR_NO_MEMORY, doca_sync_event_task_##kind##_alloc_init(           \
						      event, __VA_ARGS__, none, &more));          \
		for (unsigned n = 0; n < N_TASKS; n++)                                            \
			doca_task_free(                                                           \
				CALLED(doca_sync_event_task_##kind##_as_doca_task(taken[n])));    \
	} while (0)

static struct doca_pe *pe;

static void run(struct doca_task *task)
{
	unsigned n = n_done;

	OK(doca_task_try_submit(task));
	while (n_done == n)
		doca_pe_progress(pe);
	ck_assert_int_eq(status, DOCA_SUCCESS);
}

START_TEST(test_tasks)
{
	struct doca_sync_event *event = event_local();
	struct doca_ctx *ctx = CALLED(doca_sync_event_as_ctx(event));
	struct doca_sync_event_task_get *get;
	struct doca_sync_event_task_notify_set *set;
	struct doca_sync_event_task_notify_add *add;
	struct doca_sync_event_task_wait_eq *eq;
	struct doca_sync_event_task_wait_neq *neq;
	union doca_data none = {.u64 = 0};
	uint64_t value = 0, other = 0;

	CONFIGURES(get);
	CONFIGURES(notify_set);
	CONFIGURES(notify_add);
	CONFIGURES(wait_eq);
	CONFIGURES(wait_neq);
	EXPECT(DOCA_ERROR_BAD_STATE,
	       doca_sync_event_task_get_alloc_init(event, &value, none, &get));
	OK(doca_pe_create(&pe));
	EXPECT(DOCA_ERROR_NOT_CONNECTED, doca_ctx_start(ctx));
	OK(doca_pe_connect_ctx(pe, ctx));
	OK(doca_ctx_start(ctx));
	STARTED(get);
	STARTED(notify_set);
	STARTED(notify_add);
	STARTED(wait_eq);
	STARTED(wait_neq);
	TAKES_ALL(get, &value);
	TAKES_ALL(notify_set, 1);
	TAKES_ALL(notify_add, 1, &value);
	TAKES_ALL(wait_eq, 1, ALL);
	TAKES_ALL(wait_neq, 1, ALL);

	OK(doca_sync_event_task_notify_set_alloc_init(event, 1, none, &set));
	CALLED(doca_sync_event_task_notify_set_set_set_val(set, 0x1234));
	ck_assert_uint_eq(CALLED(doca_sync_event_task_notify_set_get_set_val(set)), 0x1234);
	run(doca_sync_event_task_notify_set_as_doca_task(set));
	OK(doca_sync_event_task_notify_add_alloc_init(event, 1, NULL, none, &add));
	EXPECT(DOCA_ERROR_INVALID_VALUE,
	       doca_task_try_submit(doca_sync_event_task_notify_add_as_doca_task(add)));
	CALLED(doca_sync_event_task_notify_add_set_inc_val(add, 0x10000));
	CALLED(doca_sync_event_task_notify_add_set_fetched_val_ptr(add, &value));
	ck_assert_uint_eq(CALLED(doca_sync_event_task_notify_add_get_inc_val(add)), 0x10000);
	ck_assert_ptr_eq(CALLED(doca_sync_event_task_notify_add_get_fetched_val_ptr(add)), &value);
	run(doca_sync_event_task_notify_add_as_doca_task(add));
	ck_assert_uint_eq(value, 0x1234);
	OK(doca_sync_event_task_get_alloc_init(event, NULL, none, &get));
	EXPECT(DOCA_ERROR_INVALID_VALUE,
	       doca_task_try_submit(doca_sync_event_task_get_as_doca_task(get)));
	CALLED(doca_sync_event_task_get_set_ret_val_ptr(get, &other));
	ck_assert_ptr_eq(CALLED(doca_sync_event_task_get_get_ret_val_ptr(get)), &other);
	run(doca_sync_event_task_get_as_doca_task(get));
	ck_assert_uint_eq(other, 0x11234);
	OK(doca_sync_event_task_wait_eq_alloc_init(event, 0, 0, none, &eq));
	CALLED(doca_sync_event_task_wait_eq_set_wait_val(eq, 0x10000));
	CALLED(doca_sync_event_task_wait_eq_set_mask(eq, 0xf0000));
	ck_assert_uint_eq(CALLED(doca_sync_event_task_wait_eq_get_wait_val(eq)), 0x10000);
	ck_assert_uint_eq(CALLED(doca_sync_event_task_wait_eq_get_mask(eq)), 0xf0000);
	run(doca_sync_event_task_wait_eq_as_doca_task(eq));
	OK(doca_sync_event_task_wait_neq_alloc_init(event, 0, 0, none, &neq));
	CALLED(doca_sync_event_task_wait_neq_set_wait_val(neq, 0x35));
	CALLED(doca_sync_event_task_wait_neq_set_mask(neq, 0xff));
	ck_assert_uint_eq(CALLED(doca_sync_event_task_wait_neq_get_wait_val(neq)), 0x35);
	ck_assert_uint_eq(CALLED(doca_sync_event_task_wait_neq_get_mask(neq)), 0xff);
	run(doca_sync_event_task_wait_neq_as_doca_task(neq));
	RETURNS(DOCA_ERROR_IN_USE, doca_sync_event_destroy(event));
	OK(doca_ctx_stop(ctx));
	PASSES(doca_sync_event_destroy(event));
	OK(doca_pe_destroy(pe));
}
END_TEST

/* --- exports --- */

START_TEST(test_export_pci)
{
	struct doca_sync_event *event = event_new(), *other;
	static _Alignas(8) uint64_t counter;
	const uint8_t *data, *again;
	size_t len;

	PASSES(doca_sync_event_add_publisher_location_cpu(event, dev));
	PASSES(doca_sync_event_add_subscriber_location_remote_pci(event));
	EXPECT(DOCA_ERROR_BAD_STATE, doca_sync_event_export_to_remote_pci(event, dev, &data, &len));
	PASSES(doca_sync_event_start(event));
	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_sync_event_export_to_remote_pci(NULL, dev, &data, &len));
	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_sync_event_export_to_remote_pci(event, NULL, &data, &len));
	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_sync_event_export_to_remote_pci(event, dev, NULL, &len));
	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_sync_event_export_to_remote_pci(event, dev, &data, NULL));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_sync_event_export_to_remote_net(event, &data, &len));
	if (allocount_works)
		RUNS_OUT(0, doca_sync_event_export_to_remote_pci(event, dev, &data, &len));
	PASSES(doca_sync_event_export_to_remote_pci(event, dev, &data, &len));
	ck_assert_uint_le(len, 256);
	PASSES(doca_sync_event_export_to_remote_pci(event, dev, &again, &len));
	ck_assert_ptr_eq(data, again);
	/* This side has no use for it. */
	EXPECT(DOCA_ERROR_NOT_PERMITTED,
	       doca_sync_event_create_from_export(dev, data, len, &other));
	PASSES(doca_sync_event_destroy(event));
	/* Memory that no other process can map. */
	event = event_new();
	PASSES(doca_sync_event_add_publisher_location_remote_pci(event));
	PASSES(doca_sync_event_add_subscriber_location_cpu(event, dev));
	PASSES(doca_sync_event_set_addr(event, &counter));
	PASSES(doca_sync_event_start(event));
	RETURNS(DOCA_ERROR_NOT_SUPPORTED,
		doca_sync_event_export_to_remote_pci(event, dev, &data, &len));
	ck_assert_ptr_nonnull(strstr(dococ_last_error(), "dococ_mem_alloc"));
	PASSES(doca_sync_event_destroy(event));
}
END_TEST

struct desc {
	size_t len;
	uint8_t bytes[256];
};

/* The importing process, on the host. */
static void importer(int sock, void *arg)
{
	struct doca_dev *host;
	struct doca_sync_event *event;
	struct desc desc;
	const uint8_t *data;
	uint64_t value = 0;
	size_t len;

	(void)arg;
	lab_recv(sock, &desc, sizeof(desc));
	host = use_dev(USE_HOST_PF0);
	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_sync_event_create_from_export(NULL, desc.bytes, desc.len, &event));
	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_sync_event_create_from_export(host, NULL, desc.len, &event));
	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_sync_event_create_from_export(host, desc.bytes, desc.len, NULL));
	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_sync_event_create_from_export(host, desc.bytes, 10, &event));
	if (allocount_works)
		RUNS_OUT(0, doca_sync_event_create_from_export(host, desc.bytes, desc.len, &event));
	PASSES(doca_sync_event_create_from_export(host, desc.bytes, desc.len, &event));
	/* The imported event has the properties that its exporter set. */
	EXPECT(DOCA_ERROR_NOT_PERMITTED, doca_sync_event_add_publisher_location_cpu(event, host));
	RETURNS(DOCA_ERROR_NOT_SUPPORTED, doca_sync_event_set_addr(event, &value));
	EXPECT(DOCA_ERROR_BAD_STATE, doca_sync_event_get(event, &value));
	PASSES(doca_sync_event_start(event));
	PASSES(doca_sync_event_get(event, &value));
	ck_assert_uint_eq(value, 11);
	PASSES(doca_sync_event_update_add(event, 1, &value));
	RETURNS(DOCA_ERROR_NOT_SUPPORTED,
		doca_sync_event_export_to_remote_pci(event, host, &data, &len));
	RETURNS(DOCA_ERROR_NOT_SUPPORTED, doca_sync_event_export_to_remote_net(event, &data, &len));
	PASSES(doca_sync_event_stop(event));
	PASSES(doca_sync_event_destroy(event));
	OK(doca_dev_close(host));
}

static void desc_send(int sock, const uint8_t *data, size_t len)
{
	struct desc desc = {.len = len};

	ck_assert_uint_le(len, sizeof(desc.bytes));
	memcpy(desc.bytes, data, len);
	lab_send(sock, &desc, sizeof(desc));
}

START_TEST(test_import)
{
	struct lab_child child = lab_fork(&lab, LAB_HOST, importer, NULL);
	struct doca_sync_event *event = event_new();
	const uint8_t *data;
	uint64_t value;
	size_t len;

	PASSES(doca_sync_event_add_publisher_location_remote_pci(event));
	PASSES(doca_sync_event_add_subscriber_location_cpu(event, dev));
	PASSES(doca_sync_event_start(event));
	PASSES(doca_sync_event_update_set(event, 11));
	PASSES(doca_sync_event_export_to_remote_pci(event, dev, &data, &len));
	desc_send(child.sock, data, len);
	lab_join(&child);
	PASSES(doca_sync_event_get(event, &value));
	ck_assert_uint_eq(value, 12);
	PASSES(doca_sync_event_stop(event));
	PASSES(doca_sync_event_destroy(event));
}
END_TEST

START_TEST(test_remote_net)
{
	struct doca_sync_event *event = event_new(), *other;
	struct doca_sync_event_remote_net *remote, *none = NULL;
	doca_dpa_dev_sync_event_t dpa_handle;
	doca_gpu_dev_sync_event_t *gpu_handle;
	doca_dpa_dev_sync_event_remote_net_t dpa_remote;
	doca_gpu_dev_sync_event_remote_net_t gpu_remote;
	const uint8_t *data;
	size_t len;

	PASSES(doca_sync_event_add_publisher_location_remote_net(event));
	PASSES(doca_sync_event_add_subscriber_location_cpu(event, dev));
	PASSES(doca_sync_event_start(event));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_sync_event_export_to_remote_net(NULL, &data, &len));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_sync_event_export_to_remote_net(event, NULL, &len));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_sync_event_export_to_remote_net(event, &data, NULL));
	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_sync_event_export_to_remote_pci(event, dev, &data, &len));
	if (allocount_works)
		RUNS_OUT(0, doca_sync_event_export_to_remote_net(event, &data, &len));
	PASSES(doca_sync_event_export_to_remote_net(event, &data, &len));
	ck_assert_uint_le(len, 256);
	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_sync_event_remote_net_create_from_export(NULL, data, len, &remote));
	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_sync_event_remote_net_create_from_export(dev, NULL, len, &remote));
	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_sync_event_remote_net_create_from_export(dev, data, len, NULL));
	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_sync_event_remote_net_create_from_export(dev, data, len - 1, &remote));
	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_sync_event_create_from_export(dev, data, len, &other));
	if (allocount_works)
		RUNS_OUT(0, doca_sync_event_remote_net_create_from_export(dev, data, len, &remote));
	PASSES(doca_sync_event_remote_net_create_from_export(dev, data, len, &remote));
	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_sync_event_remote_net_get_dpa_handle(none, dpa, &dpa_remote));
	RETURNS(DOCA_ERROR_NOT_SUPPORTED,
		doca_sync_event_remote_net_get_dpa_handle(remote, dpa, &dpa_remote));
	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_sync_event_remote_net_get_gpu_handle(remote, NULL, &gpu_remote));
	RETURNS(DOCA_ERROR_NOT_SUPPORTED,
		doca_sync_event_remote_net_get_gpu_handle(remote, gpu, &gpu_remote));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_sync_event_get_dpa_handle(event, dpa, NULL));
	RETURNS(DOCA_ERROR_NOT_SUPPORTED, doca_sync_event_get_dpa_handle(event, dpa, &dpa_handle));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_sync_event_get_gpu_handle(event, gpu, NULL));
	RETURNS(DOCA_ERROR_NOT_SUPPORTED, doca_sync_event_get_gpu_handle(event, gpu, &gpu_handle));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_sync_event_remote_net_destroy(none));
	PASSES(doca_sync_event_remote_net_destroy(remote));
	PASSES(doca_sync_event_destroy(event));
}
END_TEST

/* --- devices without the capability --- */

static const char poor[] =
	"[topology]\nside = dpu\n"
	"[device p0]\npci = 03:00.0\nsync_import_pci = no\nsync_import_net = no\n"
	"[device p1]\npci = 03:00.1\nsync_export_pci = no\nsync_export_net = no\n"
	"[device p2]\npci = 03:00.2\nsync_event = no\n";

static void exports_and_cannot_import(bool is_pci)
{
	struct doca_sync_event_remote_net *remote;
	struct doca_sync_event *event = event_new(), *other;
	const uint8_t *data;
	size_t len;

	OK(doca_sync_event_add_subscriber_location_cpu(event, dev));
	if (is_pci) {
		OK(doca_sync_event_add_publisher_location_remote_pci(event));
		OK(doca_sync_event_start(event));
		OK(doca_sync_event_export_to_remote_pci(event, dev, &data, &len));
		RETURNS(DOCA_ERROR_NOT_SUPPORTED,
			doca_sync_event_create_from_export(dev, data, len, &other));
	} else {
		OK(doca_sync_event_add_publisher_location_remote_net(event));
		OK(doca_sync_event_start(event));
		OK(doca_sync_event_export_to_remote_net(event, &data, &len));
		RETURNS(DOCA_ERROR_NOT_SUPPORTED,
			doca_sync_event_remote_net_create_from_export(dev, data, len, &remote));
	}
	OK(doca_sync_event_destroy(event));
}

static void cannot_export(struct doca_dev *p1)
{
	struct doca_sync_event *event = event_new();
	const uint8_t *data;
	size_t len;

	RETURNS(DOCA_ERROR_NOT_SUPPORTED,
		doca_sync_event_cap_is_export_to_remote_pci_supported(doca_dev_as_devinfo(p1)));
	RETURNS(DOCA_ERROR_NOT_SUPPORTED,
		doca_sync_event_cap_is_export_to_remote_net_supported(doca_dev_as_devinfo(p1)));
	OK(doca_sync_event_add_publisher_location_remote_pci(event));
	OK(doca_sync_event_add_subscriber_location_cpu(event, p1));
	OK(doca_sync_event_start(event));
	RETURNS(DOCA_ERROR_NOT_SUPPORTED,
		doca_sync_event_export_to_remote_pci(event, p1, &data, &len));
	OK(doca_sync_event_destroy(event));
}

static void has_none(struct doca_dev *p2)
{
	const struct doca_devinfo *of = doca_dev_as_devinfo(p2);
	struct doca_sync_event *event = event_new();

	RETURNS(DOCA_ERROR_NOT_SUPPORTED, doca_sync_event_cap_task_get_is_supported(of));
	RETURNS(DOCA_ERROR_NOT_SUPPORTED, doca_sync_event_cap_task_notify_set_is_supported(of));
	RETURNS(DOCA_ERROR_NOT_SUPPORTED, doca_sync_event_cap_task_notify_add_is_supported(of));
	RETURNS(DOCA_ERROR_NOT_SUPPORTED, doca_sync_event_cap_task_wait_eq_is_supported(of));
	RETURNS(DOCA_ERROR_NOT_SUPPORTED, doca_sync_event_cap_task_wait_neq_is_supported(of));
	EXPECT(DOCA_ERROR_NOT_SUPPORTED, doca_sync_event_add_publisher_location_cpu(event, p2));
	EXPECT(DOCA_ERROR_NOT_SUPPORTED, doca_sync_event_add_subscriber_location_cpu(event, p2));
	OK(doca_sync_event_destroy(event));
}

START_TEST(test_poor_devices)
{
	struct lab_options options = {.only = {false, true}, .topology = poor};
	struct doca_dev *p1, *p2;

	lab_start(&lab, &options);
	lab_use(&lab, LAB_DPU);
	leaks_allow_fds(1);
	dev = use_dev(USE_DPU_P0);
	p1 = use_dev(USE_DPU_P1);
	p2 = use_dev("03:00.2");
	info = doca_dev_as_devinfo(dev);
	RETURNS(DOCA_ERROR_NOT_SUPPORTED,
		doca_sync_event_cap_is_create_from_export_supported(info));
	RETURNS(DOCA_ERROR_NOT_SUPPORTED,
		doca_sync_event_cap_remote_net_is_create_from_export_supported(info));
	exports_and_cannot_import(true);
	exports_and_cannot_import(false);
	cannot_export(p1);
	has_none(p2);
	OK(doca_dev_close(p2));
	OK(doca_dev_close(p1));
	OK(doca_dev_close(dev));
	lab_stop(&lab);
}
END_TEST

static const struct unreachable unreachable[] = {
	{"doca_sync_event_get_dpa_handle", "NO_MEMORY", "there is no DPA"},
	{"doca_sync_event_get_gpu_handle", "NO_MEMORY", "there is no GPU"},
	{"doca_sync_event_remote_net_get_dpa_handle", "NO_MEMORY", "there is no DPA"},
	{"doca_sync_event_remote_net_get_gpu_handle", "NO_MEMORY", "there is no GPU"},
	{NULL},
};

static bool finish(void)
{
	return cover_report("doca_sync_event", documented_doca_sync_event, unreachable);
}

static void add_cases(Suite *suite)
{
	TCase *tcase = tcase_create("sync event");

	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_set_timeout(tcase, RUNNER_TEST_S);
	suite_add_tcase(suite, tcase);
	tcase_add_test(tcase, test_capabilities);
	tcase_add_test(tcase, test_configuration);
	tcase_add_test(tcase, test_calls);
	tcase_add_test(tcase, test_set_doca_buf);
	tcase_add_test(tcase, test_tasks);
	tcase_add_test(tcase, test_export_pci);
	tcase_add_test(tcase, test_import);
	tcase_add_test(tcase, test_remote_net);
	tcase_add_test(runner_case(suite, "poor devices"), test_poor_devices);
}

int main(void)
{
	lab_require();
	cover_init();
	return runner_main("doca_sync_event", add_cases, finish);
}
