/*
 * Each allocation of a workload fails once, in whichever thread it is made. The call that needs it
 * returns an error with a sentence, or succeeds without it; all objects can be ended; nothing
 * leaks; and the same workload succeeds directly afterwards. Memory is from the heap, mmap() or
 * memfd_create().
 */
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <doca_sync_event.h>

#include "tests/lib/allocount.h"
#include "tests/lib/lab.h"
#include "tests/lib/runner.h"
#include "tests/lib/use.h"
#include "util/clock.h"

#define LEN            64u
#define SETTLE_MS      5000
#define NOTHING_FAILED 3
#define N_MAX          20000u

static struct lab lab;
static uint8_t memory[2 * LEN];

/* Objects that were not created or have ended are NULL. */
struct work {
	struct doca_devinfo **list;
	struct doca_dev *dev;
	struct doca_mmap *mmap, *imported;
	struct doca_sync_event *event;
	struct use_dma use;
	struct doca_buf *src, *dst;
	struct doca_task *task;
	bool is_submitted;
	const void *desc;
	size_t desc_len;
};

static void setup(void)
{
	struct lab_options options = {.only = {true, false}};

	leaks_setup();
	lab_start(&lab, &options);
	lab_use(&lab, LAB_HOST);
}

static void teardown(void)
{
	lab_stop(&lab);
}

/* --- the workload, step by step --- */

static doca_error_t open_device(struct work *w)
{
	uint32_t n;
	doca_error_t result = doca_devinfo_create_list(&w->list, &n);

	if (result == DOCA_SUCCESS)
		result = doca_dev_open(w->list[0], &w->dev);
	if (result == DOCA_SUCCESS)
		result = doca_devinfo_destroy_list(w->list);
	if (result == DOCA_SUCCESS)
		w->list = NULL;
	return result;
}

static doca_error_t make_map(struct work *w)
{
	uint32_t rights = DOCA_ACCESS_FLAG_LOCAL_READ_WRITE | DOCA_ACCESS_FLAG_PCI_READ_WRITE |
			  DOCA_ACCESS_FLAG_RDMA_READ | DOCA_ACCESS_FLAG_RDMA_WRITE;
	doca_error_t result = doca_mmap_create(&w->mmap);

	if (result == DOCA_SUCCESS)
		result = doca_mmap_set_memrange(w->mmap, memory, sizeof(memory));
	if (result == DOCA_SUCCESS)
		result = doca_mmap_set_permissions(w->mmap, rights);
	if (result == DOCA_SUCCESS)
		result = doca_mmap_add_dev(w->mmap, w->dev);
	return result == DOCA_SUCCESS ? doca_mmap_start(w->mmap) : result;
}

static doca_error_t export_map(struct work *w)
{
	doca_error_t result = doca_mmap_export_pci(w->mmap, w->dev, &w->desc, &w->desc_len);

	return result != DOCA_SUCCESS
		       ? result
		       : doca_mmap_export_rdma(w->mmap, w->dev, &w->desc, &w->desc_len);
}

static doca_error_t import_map(struct work *w)
{
	return doca_mmap_create_from_export(NULL, w->desc, w->desc_len, w->dev, &w->imported);
}

static doca_error_t use_event(struct work *w)
{
	doca_error_t result = doca_sync_event_create(&w->event);

	if (result == DOCA_SUCCESS)
		result = doca_sync_event_add_publisher_location_cpu(w->event, w->dev);
	if (result == DOCA_SUCCESS)
		result = doca_sync_event_add_subscriber_location_cpu(w->event, w->dev);
	return result == DOCA_SUCCESS ? doca_sync_event_start(w->event) : result;
}

static doca_error_t start_copies(struct work *w)
{
	doca_error_t result = doca_pe_create(&w->use.pe);

	if (result == DOCA_SUCCESS)
		result = doca_dma_create(w->dev, &w->use.dma);
	if (result != DOCA_SUCCESS)
		return result;
	w->use.keep_tasks = true;
	w->use.ctx = doca_dma_as_ctx(w->use.dma);
	result = doca_dma_task_memcpy_set_conf(w->use.dma, use_dma_ok_cb, use_dma_err_cb, 1);
	if (result == DOCA_SUCCESS)
		result = doca_ctx_set_user_data(w->use.ctx, (union doca_data){.ptr = &w->use});
	if (result == DOCA_SUCCESS)
		result = doca_pe_connect_ctx(w->use.pe, w->use.ctx);
	return result == DOCA_SUCCESS ? doca_ctx_start(w->use.ctx) : result;
}

static doca_error_t make_buffers(struct work *w)
{
	doca_error_t result = doca_buf_inventory_create(2, &w->use.inventory);

	if (result == DOCA_SUCCESS)
		result = doca_buf_inventory_start(w->use.inventory);
	if (result == DOCA_SUCCESS)
		result = doca_buf_inventory_buf_get_by_data(w->use.inventory, w->imported, memory,
							    LEN, &w->src);
	if (result == DOCA_SUCCESS)
		result = doca_buf_inventory_buf_get_by_addr(w->use.inventory, w->mmap, memory + LEN,
							    LEN, &w->dst);
	return result;
}

static doca_error_t copy(struct work *w)
{
	struct doca_dma_task_memcpy *task;
	doca_error_t result = doca_dma_task_memcpy_alloc_init(w->use.dma, w->src, w->dst,
							      (union doca_data){0}, &task);

	if (result != DOCA_SUCCESS)
		return result;
	w->task = doca_dma_task_memcpy_as_task(task);
	result = doca_task_submit(w->task);
	if (result != DOCA_SUCCESS)
		return result;
	w->is_submitted = true;
	use_dma_await(&w->use, 1);
	return w->use.status;
}

static const struct step {
	const char *name;
	doca_error_t (*run)(struct work *w);
} steps[] = {{"open a device", open_device}, {"make a map", make_map},
	     {"export", export_map},         {"import", import_map},
	     {"sync event", use_event},      {"start a context", start_copies},
	     {"buffers", make_buffers},      {"copy", copy}};

/* A call that ends an object may fail once for lack of memory, but not twice. */
#define END(object, call)                                                                   \
	do {                                                                                \
		if ((object) != NULL && (call) != DOCA_SUCCESS) {                           \
			EXPECT_TRUE(*dococ_last_error() != '\0', "%s: no sentence", #call); \
			OK(call);                                                           \
		}                                                                           \
		(object) = NULL;                                                            \
	} while (0)

static void work_end(struct work *w)
{
	enum doca_ctx_states state = DOCA_CTX_STATE_IDLE;

	if (w->task != NULL)
		doca_task_free(w->task);
	if (w->src != NULL)
		OK(doca_buf_dec_refcount(w->src, NULL));
	if (w->dst != NULL)
		OK(doca_buf_dec_refcount(w->dst, NULL));
	if (w->use.ctx != NULL)
		OK(doca_ctx_get_state(w->use.ctx, &state));
	if (state != DOCA_CTX_STATE_IDLE && doca_ctx_stop(w->use.ctx) != DOCA_SUCCESS)
		use_ctx_await(w->use.pe, w->use.ctx, DOCA_CTX_STATE_IDLE);
	END(w->use.inventory, doca_buf_inventory_destroy(w->use.inventory));
	END(w->use.dma, doca_dma_destroy(w->use.dma));
	END(w->use.pe, doca_pe_destroy(w->use.pe));
	END(w->event, doca_sync_event_destroy(w->event));
	END(w->imported, doca_mmap_destroy(w->imported));
	END(w->mmap, doca_mmap_destroy(w->mmap));
	END(w->list, doca_devinfo_destroy_list(w->list));
	END(w->dev, doca_dev_close(w->dev));
}

static doca_error_t work_run(const struct step **step_out)
{
	struct work w = {.dev = NULL};
	doca_error_t result = DOCA_SUCCESS;

	for (size_t i = 0; i < ARRAY_LEN(steps) && result == DOCA_SUCCESS; i++) {
		*step_out = &steps[i];
		result = steps[i].run(&w);
	}
	EXPECT_TRUE(result == DOCA_SUCCESS || *dococ_last_error() != '\0', "%s: no sentence",
		    (*step_out)->name);
	work_end(&w);
	return result;
}

/* --- the test --- */

static void work_succeeds(void)
{
	const struct step *step = NULL;
	doca_error_t result = work_run(&step);

	ck_assert_msg(result == DOCA_SUCCESS, "%s: %s (%s)", step->name,
		      doca_error_get_name(result), dococ_last_error());
}

/* Threads of the library may free memory a moment later. */
static void await_live(int64_t n_live, const struct leaks *leaks, unsigned n, const char *step)
{
	uint64_t deadline = clock_now_ns() + runner_timeout_ms(SETTLE_MS) * NS_PER_MS;

	while (allocount_n_live() > n_live && clock_now_ns() < deadline)
		sched_yield();
	ck_assert_msg(allocount_n_live() <= n_live,
		      "allocation %u failed (%s): %lld were not freed", n, step,
		      (long long)(allocount_n_live() - n_live));
	ck_assert_msg(leaks_find(leaks) == NULL, "allocation %u failed (%s): %s", n, step,
		      leaks_find(leaks));
}

/* doca_ctx_start() has no other code for it. */
static bool is_clear(doca_error_t result)
{
	return (result == DOCA_ERROR_NO_MEMORY || result == DOCA_ERROR_INITIALIZATION) &&
	       strstr(dococ_last_error(), "memory") != NULL;
}

/*
 * The library keeps the memory of some maps and buffers that have ended (see quarantine.h). From
 * here on as many blocks are kept, whatever ends.
 */
#define N_KEPT 64

static void fill_quarantine(void)
{
	struct doca_buf_inventory *inventory;

	for (int i = 0; i < N_KEPT; i++) {
		OK(doca_buf_inventory_create(1, &inventory));
		OK(doca_buf_inventory_destroy(inventory));
	}
}

START_TEST(test_each_allocation_fails_once)
{
	unsigned n_failed = 0, n_survived = 0, n = 0;
	const struct step *step = NULL;
	struct leaks leaks;
	int64_t n_live;

	if (!allocount_works)
		return;
	work_succeeds();
	work_succeeds();
	fill_quarantine();
	leaks_count(&leaks);
	n_live = allocount_n_live();
	for (;; n++) {
		doca_error_t result;

		ck_assert_uint_lt(n, N_MAX);
		allocount_fail_one(n);
		result = work_run(&step);
		if (!allocount_has_failed_one())
			break;
		n_failed++;
		n_survived += result == DOCA_SUCCESS;
		ck_assert_msg(result == DOCA_SUCCESS || is_clear(result),
			      "allocation %u failed, %s: %s (%s)", n, step->name,
			      doca_error_get_name(result), dococ_last_error());
		work_succeeds();
		await_live(n_live, &leaks, n, step->name);
	}
	ck_assert_uint_gt(n_failed, n_survived);
	printf("%u allocations failed, %u of them without an error\n", n_failed, n_survived);
}
END_TEST

/*
 * Runs in a process of its own, which has no connection to the daemon yet. Returns the exit status.
 */
static int run_first(unsigned n)
{
	const struct step *step = NULL;
	doca_error_t result;

	allocount_fail_one(n);
	result = work_run(&step);
	if (!allocount_has_failed_one())
		return NOTHING_FAILED;
	ck_assert_msg(result == DOCA_SUCCESS || is_clear(result),
		      "allocation %u failed, %s: %s (%s)", n, step->name,
		      doca_error_get_name(result), dococ_last_error());
	work_succeeds();
	return EXIT_SUCCESS;
}

START_TEST(test_each_allocation_of_a_new_program_fails_once)
{
	int status = 0;

	if (!allocount_works)
		return;
	for (unsigned n = 0; status == 0; n++) {
		pid_t pid = fork();

		ck_assert_uint_lt(n, N_MAX);
		ck_assert_int_ge(pid, 0);
		if (pid == 0)
			_exit(run_first(n));
		ck_assert_int_eq(waitpid(pid, &status, 0), pid);
		ck_assert_msg(status == 0 || (n > 0 && WIFEXITED(status) &&
					      WEXITSTATUS(status) == NOTHING_FAILED),
			      "allocation %u: status %x", n, status);
	}
}
END_TEST

static void add_cases(Suite *suite)
{
	TCase *tcase = tcase_create("no memory");

	tcase_set_timeout(tcase, RUNNER_TEST_S);
	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_test(tcase, test_each_allocation_fails_once);
	tcase_add_test(tcase, test_each_allocation_of_a_new_program_fails_once);
	suite_add_tcase(suite, tcase);
}

int main(void)
{
	lab_require();
	return runner_main("no_memory", add_cases, NULL);
}
