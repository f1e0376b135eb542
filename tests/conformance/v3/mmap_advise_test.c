/*
 * doca_mmap_advise.h: capabilities, configuration, cache-invalidate tasks over buffers and lists,
 * invalid ranges, memory of a process that ends, limits of a profile, a device without advise,
 * sleeping in epoll.
 */
#include <poll.h>
#include <stdlib.h>

#include <doca_mmap_advise.h>

#include "tests/conformance/cover.h"
#include "tests/lib/lab.h"
#include "tests/lib/runner.h"

#define N_TASKS 8u
#define LEN     8192u

static const struct documented documented_doca_mmap_advise[] = {
	{"doca_mmap_advise_create", "INVALID_VALUE NO_MEMORY"},
	{"doca_mmap_advise_destroy", "INVALID_VALUE"},
	{"doca_mmap_advise_as_ctx", ""},
	{"doca_mmap_advise_cap_task_cache_invalidate_is_supported", "INVALID_VALUE NOT_SUPPORTED"},
	{"doca_mmap_advise_task_cache_invalidate_get_max_buf_size", "INVALID_VALUE"},
	{"doca_mmap_advise_task_invalidate_cache_set_conf", "INVALID_VALUE NOT_PERMITTED"},
	{"doca_mmap_advise_task_invalidate_cache_alloc_init", "NO_MEMORY"},
	{"doca_mmap_advise_task_invalidate_cache_as_doca_task", ""},
	{"doca_mmap_advise_task_invalidate_cache_set_buf", ""},
	{"doca_mmap_advise_task_invalidate_cache_get_buf", ""},
	{NULL, NULL},
};
static const struct unreachable unreachable[] = {{NULL}};

static struct lab lab;
static struct doca_dev *dev;
static struct doca_pe *pe;
static struct doca_mmap_advise *advise;
static struct doca_ctx *ctx;
static struct doca_mmap *mmap;
static struct doca_buf_inventory *inventory;
static uint8_t memory[LEN];
static const union doca_data no_data;
static unsigned n_ok, n_failed;
static doca_error_t status;

static void completed(struct doca_mmap_advise_task_invalidate_cache *t, bool ok)
{
	struct doca_task *task = doca_mmap_advise_task_invalidate_cache_as_doca_task(t);

	status = doca_task_get_status(task);
	n_ok += ok;
	n_failed += !ok;
	doca_task_free(task);
}

static void on_ok(struct doca_mmap_advise_task_invalidate_cache *task, union doca_data data,
		  union doca_data ctx_data)
{
	(void)data;
	(void)ctx_data;
	completed(task, true);
}

static void on_failed(struct doca_mmap_advise_task_invalidate_cache *task, union doca_data data,
		      union doca_data ctx_data)
{
	(void)data;
	(void)ctx_data;
	completed(task, false);
}

static void open_all(enum lab_side side)
{
	lab_use(&lab, side);
	leaks_allow_fds(1);
	dev = use_dev(side == LAB_HOST ? USE_HOST_PF0 : USE_DPU_P0);
	OK(doca_pe_create(&pe));
	OK(doca_buf_inventory_create(64, &inventory));
	OK(doca_buf_inventory_start(inventory));
	mmap = use_mmap(dev, memory, LEN, DOCA_ACCESS_FLAG_LOCAL_READ_WRITE);
	OK(doca_mmap_advise_create(dev, &advise));
	ctx = doca_mmap_advise_as_ctx(advise);
	OK(doca_mmap_advise_task_invalidate_cache_set_conf(advise, on_ok, on_failed, N_TASKS));
	OK(doca_pe_connect_ctx(pe, ctx));
	EXPECT(DOCA_SUCCESS, doca_ctx_start(ctx));
}

static void setup_with(const char *config)
{
	struct lab_options options = {.only = {true, false}, .config = config};

	lab_setup(&lab, &options);
	open_all(LAB_HOST);
}

static void setup_both(void)
{
	lab_setup(&lab, NULL);
}

static void setup(void)
{
	setup_with(NULL);
}

static void setup_bf2(void)
{
	setup_with("[daemon]\nprofile = bf2\n");
}

static void teardown(void)
{
	EXPECT(DOCA_SUCCESS, doca_ctx_stop(ctx));
	OK(doca_mmap_advise_destroy(advise));
	OK(doca_pe_destroy(pe));
	OK(doca_buf_inventory_destroy(inventory));
	use_mmap_end(mmap);
	OK(doca_dev_close(dev));
	lab_teardown(&lab);
}

static struct doca_buf *range(size_t at, size_t len)
{
	struct doca_buf *buf;

	OK(doca_buf_inventory_buf_get_by_data(inventory, mmap, memory + at, len, &buf));
	return buf;
}

static struct doca_task *task_of(struct doca_buf *buf)
{
	struct doca_mmap_advise_task_invalidate_cache *task;

	OK(doca_mmap_advise_task_invalidate_cache_alloc_init(advise, buf, no_data, &task));
	return doca_mmap_advise_task_invalidate_cache_as_doca_task(task);
}

static doca_error_t run(struct doca_buf *buf)
{
	unsigned n = n_ok + n_failed;
	struct doca_task *task = task_of(buf);

	OK(doca_task_submit(task));
	while (n_ok + n_failed == n)
		doca_pe_progress(pe);
	if (status != DOCA_SUCCESS) {
		use_ctx_await(pe, ctx, DOCA_CTX_STATE_IDLE);
		OK(doca_ctx_start(ctx));
	}
	return status;
}

START_TEST(test_configuration)
{
	struct doca_devinfo *info = doca_dev_as_devinfo(dev);
	struct doca_mmap_advise_task_invalidate_cache *task;
	struct doca_mmap_advise *other, *none = NULL;
	uint64_t size;

	PASSES(doca_mmap_advise_cap_task_cache_invalidate_is_supported(info));
	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_mmap_advise_cap_task_cache_invalidate_is_supported(NULL));
	PASSES(doca_mmap_advise_task_cache_invalidate_get_max_buf_size(info, &size));
	ck_assert_uint_eq(size, 2u << 20);
	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_mmap_advise_task_cache_invalidate_get_max_buf_size(NULL, &size));
	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_mmap_advise_task_cache_invalidate_get_max_buf_size(info, NULL));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_mmap_advise_create(NULL, &other));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_mmap_advise_create(dev, NULL));
	if (allocount_works)
		RUNS_OUT(0, doca_mmap_advise_create(dev, &other));
	RETURNS(DOCA_ERROR_INVALID_VALUE, doca_mmap_advise_destroy(none));
	ck_assert_ptr_null(CALLED(doca_mmap_advise_as_ctx(none)));
	PASSES(doca_mmap_advise_create(dev, &other));
	OK(doca_pe_connect_ctx(pe, CALLED(doca_mmap_advise_as_ctx(other))));
	EXPECT(DOCA_ERROR_INITIALIZATION, doca_ctx_start(doca_mmap_advise_as_ctx(other)));
	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_mmap_advise_task_invalidate_cache_set_conf(none, on_ok, on_failed, 1));
	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_mmap_advise_task_invalidate_cache_set_conf(other, NULL, on_failed, 1));
	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_mmap_advise_task_invalidate_cache_set_conf(other, on_ok, NULL, 1));
	RETURNS(DOCA_ERROR_INVALID_VALUE,
		doca_mmap_advise_task_invalidate_cache_set_conf(other, on_ok, on_failed, 0));
	PASSES(doca_mmap_advise_task_invalidate_cache_set_conf(other, on_ok, on_failed, 3));
	RETURNS(DOCA_ERROR_BAD_STATE,
		doca_mmap_advise_task_invalidate_cache_alloc_init(other, NULL, no_data, &task));
	PASSES(doca_mmap_advise_destroy(other));
	RETURNS(DOCA_ERROR_NOT_PERMITTED,
		doca_mmap_advise_task_invalidate_cache_set_conf(advise, on_ok, on_failed, 1));
	RETURNS(DOCA_ERROR_IN_USE, doca_mmap_advise_destroy(advise));
}
END_TEST

START_TEST(test_tasks)
{
	struct doca_buf *buf = range(0, LEN), *list = range(0, 100);
	struct doca_mmap_advise_task_invalidate_cache *tasks[N_TASKS], *one, *none = NULL;
	size_t len;

	for (unsigned i = 0; i < N_TASKS; i++)
		PASSES(doca_mmap_advise_task_invalidate_cache_alloc_init(advise, buf, no_data,
									 &tasks[i]));
	RETURNS(DOCA_ERROR_NO_MEMORY,
		doca_mmap_advise_task_invalidate_cache_alloc_init(advise, buf, no_data, &one));
	ck_assert_ptr_eq(CALLED(doca_mmap_advise_task_invalidate_cache_get_buf(tasks[1])), buf);
	CALLED(doca_mmap_advise_task_invalidate_cache_set_buf(tasks[1], list));
	ck_assert_ptr_eq(doca_mmap_advise_task_invalidate_cache_get_buf(tasks[1]), list);
	ck_assert_ptr_null(CALLED(doca_mmap_advise_task_invalidate_cache_as_doca_task(none)));
	for (unsigned i = 0; i < N_TASKS; i++)
		OK(doca_task_submit(doca_mmap_advise_task_invalidate_cache_as_doca_task(tasks[i])));
	while (doca_pe_progress(pe))
		continue;
	ck_assert_uint_eq(n_ok, N_TASKS);
	OK(doca_buf_chain_list(list, range(200, 100)));
	use_fill(memory, LEN, 3);
	EXPECT(DOCA_SUCCESS, run(list));
	/* The task does not change the memory. */
	ck_assert(use_is_filled(memory, LEN, 3));
	OK(doca_buf_get_data_len(buf, &len));
	ck_assert_uint_eq(len, LEN);
	use_buf_end(buf);
	use_buf_end(list);
}
END_TEST

START_TEST(test_failures)
{
	struct doca_dev *other_dev = use_dev(USE_HOST_PF1);
	struct doca_mmap *foreign = use_mmap(other_dev, memory, LEN,
					     DOCA_ACCESS_FLAG_LOCAL_READ_WRITE);
	struct doca_buf *buf = range(0, 64), *foreign_buf;
	struct doca_task *task;

	OK(doca_buf_inventory_buf_get_by_data(inventory, foreign, memory, 64, &foreign_buf));
	EXPECT(DOCA_ERROR_IO_FAILED, run(foreign_buf));
	EXPECT(DOCA_ERROR_IO_FAILED, run(NULL));
	OK(doca_buf_set_data_len(buf, 0));
	task = task_of(buf);
	EXPECT(DOCA_ERROR_INVALID_VALUE, doca_task_try_submit(task));
	doca_task_free(task);
	EXPECT(DOCA_ERROR_IO_FAILED, run(buf));
	OK(doca_buf_set_data(buf, memory + 1, 64));
	EXPECT(DOCA_ERROR_IO_FAILED, run(buf));
	OK(doca_buf_set_data(buf, memory, 64));
	EXPECT(DOCA_SUCCESS, run(buf));
	/* Tasks that are queued after a failed one are flushed. */
	OK(doca_task_submit(task_of(foreign_buf)));
	OK(doca_task_submit(task_of(buf)));
	use_ctx_await(pe, ctx, DOCA_CTX_STATE_IDLE);
	ck_assert_int_eq(status, DOCA_ERROR_SHUTDOWN);
	OK(doca_ctx_start(ctx));
	use_buf_end(buf);
	use_buf_end(foreign_buf);
	use_mmap_end(foreign);
	OK(doca_dev_close(other_dev));
}
END_TEST

struct exported {
	uint8_t data[256];
	size_t len;
	uint8_t *addr;
};

static void exporter(int sock, void *arg)
{
	struct doca_dev *host = use_dev(USE_HOST_PF0);
	struct exported e = {.addr = memory};
	struct doca_mmap *m = use_mmap(host, memory, LEN, DOCA_ACCESS_FLAG_PCI_READ_WRITE);
	const void *data;

	(void)arg;
	OK(doca_mmap_export_pci(m, host, &data, &e.len));
	memcpy(e.data, data, e.len);
	lab_send(sock, &e, sizeof(e));
	lab_wait(sock);
	use_mmap_end(m);
	OK(doca_dev_close(host));
	lab_signal(sock);
}

/* Memory of another process, until that process stops its map (0) or dies (1). */
START_TEST(test_import)
{
	struct lab_child child = lab_fork(&lab, LAB_HOST, exporter, NULL);
	struct doca_mmap *import;
	struct doca_buf *buf;
	struct exported e;

	lab_recv(child.sock, &e, sizeof(e));
	open_all(LAB_DPU);
	OK(doca_mmap_create_from_export(NULL, e.data, e.len, dev, &import));
	OK(doca_buf_inventory_buf_get_by_data(inventory, import, e.addr, LEN, &buf));
	EXPECT(DOCA_SUCCESS, run(buf));
	if (_i == 0) {
		lab_signal(child.sock);
		lab_wait(child.sock);
		lab_join(&child);
	} else {
		lab_kill(&child);
	}
	while (run(buf) == DOCA_SUCCESS)
		continue;
	ck_assert_int_eq(status, DOCA_ERROR_IO_FAILED);
	use_buf_end(buf);
	OK(doca_mmap_destroy(import));
}
END_TEST

/* Tasks allocate no memory, and wake a program that sleeps. */
START_TEST(test_epoll)
{
	unsigned n_rounds = allocount_works ? 20000 : 1000, n_done = 0;
	struct doca_buf *buf = range(0, LEN);
	struct pollfd pfd = {.events = POLLIN};
	uint64_t before;
	bool has_work;

	OK(doca_pe_get_notification_handle(pe, &pfd.fd));
	before = allocount_n();
	for (unsigned i = 0; i < n_rounds; i++) {
		if (i % 3 == 0)
			OK(doca_task_submit(task_of(buf)));
		OK(doca_pe_request_notification(pe));
		for (unsigned k = 0; k < i % N_TASKS; k++)
			OK(doca_task_submit(task_of(buf)));
		n_done += (i % 3 == 0) + i % N_TASKS;
		/* Not ck_assert, which allocates memory. */
		has_work = i % 3 == 0 || i % N_TASKS != 0;
		if (poll(&pfd, 1, has_work ? -1 : 0) != has_work)
			ck_abort_msg("round %u: %s", i, has_work ? "no wake-up" : "woken");
		OK(doca_pe_clear_notification(pe, 0));
		while (doca_pe_progress(pe))
			continue;
		if (n_ok != n_done)
			ck_abort_msg("round %u: %u of %u", i, n_ok, n_done);
	}
	ck_assert_uint_eq(allocount_n(), before);
	use_buf_end(buf);
}
END_TEST

START_TEST(test_bf2_limits)
{
	size_t big_len = (2u << 20) + 1;
	uint8_t *big = calloc(1, big_len);
	struct doca_mmap *m = use_mmap(dev, big, big_len, DOCA_ACCESS_FLAG_LOCAL_READ_WRITE);
	struct doca_buf *buf;
	uint64_t size;

	OK(doca_mmap_advise_task_cache_invalidate_get_max_buf_size(doca_dev_as_devinfo(dev),
								   &size));
	ck_assert_uint_eq(size, 2u << 20);
	OK(doca_buf_inventory_buf_get_by_data(inventory, m, big, big_len, &buf));
	EXPECT(DOCA_ERROR_IO_FAILED, run(buf));
	OK(doca_buf_set_data_len(buf, 2u << 20));
	EXPECT(DOCA_SUCCESS, run(buf));
	use_buf_end(buf);
	use_mmap_end(m);
	free(big);
}
END_TEST

START_TEST(test_without)
{
	struct lab_options options = {
		.only = {true, false},
		.topology =
			"[topology]\nside = host\n[device pf0]\npci = 0b:00.0\nmmap_advise = no\n",
	};
	struct doca_mmap_advise *other;
	struct doca_devinfo *info;
	uint64_t size;

	lab_start(&lab, &options);
	lab_use(&lab, LAB_HOST);
	dev = use_dev(USE_HOST_PF0);
	leaks_allow_fds(1);
	info = doca_dev_as_devinfo(dev);
	RETURNS(DOCA_ERROR_NOT_SUPPORTED,
		doca_mmap_advise_cap_task_cache_invalidate_is_supported(info));
	PASSES(doca_mmap_advise_task_cache_invalidate_get_max_buf_size(info, &size));
	ck_assert_uint_eq(size, 0);
	RETURNS(DOCA_ERROR_NOT_SUPPORTED, doca_mmap_advise_create(dev, &other));
	OK(doca_dev_close(dev));
	lab_stop(&lab);
}
END_TEST

static bool finish(void)
{
	return cover_report("doca_mmap_advise", documented_doca_mmap_advise, unreachable);
}

static TCase *add_case(Suite *suite, const char *name, void (*case_setup)(void))
{
	TCase *tcase = tcase_create(name);

	tcase_add_checked_fixture(tcase, case_setup, teardown);
	tcase_set_timeout(tcase, RUNNER_TEST_S);
	suite_add_tcase(suite, tcase);
	return tcase;
}

static void add_cases(Suite *suite)
{
	TCase *tcase = add_case(suite, "mmap advise", setup);

	tcase_add_test(tcase, test_configuration);
	tcase_add_test(tcase, test_tasks);
	tcase_add_test(tcase, test_failures);
	tcase_add_test(tcase, test_epoll);
	tcase_add_test(add_case(suite, "bf2", setup_bf2), test_bf2_limits);
	tcase_add_loop_test(add_case(suite, "import", setup_both), test_import, 0, 2);
	tcase_add_test(runner_case(suite, "without"), test_without);
}

int main(void)
{
	lab_require();
	cover_init();
	return runner_main("doca_mmap_advise", add_cases, finish);
}
