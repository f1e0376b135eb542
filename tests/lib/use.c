/* Short functions for the public interface, see tests/lib/use.h. */
#include "tests/lib/use.h"

#include <poll.h>
#include <sched.h>
#include <string.h>

#include <doca_comch.h>

#include "tests/lib/lab.h"
#include "tests/lib/runner.h"
#include "util/clock.h"

#define AWAIT_MS 10000

void use_expect(doca_error_t expected, doca_error_t got, const char *call, const char *file,
		int line)
{
	if (got == expected)
		return;
	_ck_assert_failed(file, line, "unexpected result", "%s: expected %s, got %s (%s)", call,
			  doca_error_get_name(expected), doca_error_get_name(got),
			  got == DOCA_SUCCESS ? "" : dococ_last_error());
}

void use_progress(struct doca_pe *pe)
{
	if (doca_pe_progress(pe) == 0)
		sched_yield();
}

/* On a busy machine a restarted daemon may answer later than the library waits for it. */
static bool is_excused(doca_error_t result, uint64_t deadline)
{
	if ((result != DOCA_ERROR_TIME_OUT && result != DOCA_ERROR_NOT_CONNECTED) ||
	    !lab_was_late() || clock_now_ns() > deadline)
		return false;
	poll(NULL, 0, 10);
	return true;
}

struct doca_dev *use_dev(const char *pci_addr)
{
	uint64_t deadline = clock_now_ns() + runner_timeout_ms(AWAIT_MS) * NS_PER_MS;
	struct doca_devinfo **list;
	struct doca_dev *dev = NULL;
	doca_error_t result;
	uint32_t n;

	do
		result = doca_devinfo_create_list(&list, &n);
	while (is_excused(result, deadline));
	EXPECT(DOCA_SUCCESS, result);
	for (uint32_t i = 0; i < n && dev == NULL; i++) {
		uint8_t equal;

		OK(doca_devinfo_is_equal_pci_addr(list[i], pci_addr, &equal));
		if (!equal)
			continue;
		do
			result = doca_dev_open(list[i], &dev);
		while (is_excused(result, deadline));
		EXPECT(DOCA_SUCCESS, result);
	}
	OK(doca_devinfo_destroy_list(list));
	ck_assert_msg(dev != NULL, "no device %s", pci_addr);
	return dev;
}

void *use_dev_hold(struct doca_dev *dev)
{
	struct doca_mmap *mmap;

	OK(doca_mmap_create(&mmap));
	OK(doca_mmap_add_dev(mmap, dev));
	return mmap;
}

void use_dev_release(void *hold)
{
	OK(doca_mmap_destroy(hold));
}

void *use_rep_hold(struct doca_dev *dev, struct doca_dev_rep *rep)
{
	struct doca_comch_server *server;

	OK(doca_comch_server_create(dev, rep, "hold", &server));
	return server;
}

void use_rep_release(void *hold)
{
	OK(doca_comch_server_destroy(hold));
}

void use_dev_end(struct doca_dev *dev)
{
	OK(doca_dev_close(dev));
}

struct doca_dev_rep *use_rep(struct doca_dev *dev)
{
	struct doca_devinfo_rep **reps;
	struct doca_dev_rep *rep;
	uint32_t n;

	OK(doca_devinfo_rep_create_list(dev, DOCA_DEVINFO_REP_FILTER_NET, &reps, &n));
	ck_assert_uint_gt(n, 0);
	OK(doca_dev_rep_open(reps[0], &rep));
	OK(doca_devinfo_rep_destroy_list(reps));
	return rep;
}

void use_rep_end(struct doca_dev_rep *rep)
{
	OK(doca_dev_rep_close(rep));
}

struct doca_mmap *use_mmap(struct doca_dev *dev, void *addr, size_t len, uint32_t permissions)
{
	struct doca_mmap *mmap;

	OK(doca_mmap_create(&mmap));
	OK(doca_mmap_set_memrange(mmap, addr, len));
	OK(doca_mmap_set_permissions(mmap, permissions));
	OK(doca_mmap_add_dev(mmap, dev));
	OK(doca_mmap_start(mmap));
	return mmap;
}

void use_mmap_end(struct doca_mmap *mmap)
{
	uint8_t from_export;

	OK(doca_mmap_get_from_export(mmap, &from_export));
	if (!from_export)
		OK(doca_mmap_stop(mmap));
	OK(doca_mmap_destroy(mmap));
}

static uint8_t pattern(size_t i, uint32_t seed)
{
	uint64_t x = (i + 1) * 0x9e3779b97f4a7c15ull + seed * 0xbf58476d1ce4e5b9ull;

	return (uint8_t)(x >> 56);
}

void use_fill(void *addr, size_t len, uint32_t seed)
{
	for (size_t i = 0; i < len; i++)
		((uint8_t *)addr)[i] = pattern(i, seed);
}

bool use_is_filled(const void *addr, size_t len, uint32_t seed)
{
	for (size_t i = 0; i < len; i++) {
		if (((const uint8_t *)addr)[i] != pattern(i, seed))
			return false;
	}
	return true;
}

static void completed(struct doca_dma_task_memcpy *task, union doca_data ctx_user_data, bool ok)
{
	struct use_dma *use = ctx_user_data.ptr;

	use->status = doca_task_get_status(doca_dma_task_memcpy_as_task(task));
	if (ok)
		use->n_ok++;
	else
		use->n_failed++;
	if (!use->keep_tasks)
		doca_task_free(doca_dma_task_memcpy_as_task(task));
}

void use_dma_ok_cb(struct doca_dma_task_memcpy *task, union doca_data task_user_data,
		   union doca_data ctx_user_data)
{
	(void)task_user_data;
	completed(task, ctx_user_data, true);
}

void use_dma_err_cb(struct doca_dma_task_memcpy *task, union doca_data task_user_data,
		    union doca_data ctx_user_data)
{
	(void)task_user_data;
	completed(task, ctx_user_data, false);
}

void use_dma_open(struct use_dma *use, struct doca_dev *dev, uint32_t n_tasks)
{
	struct doca_pe *pe;

	OK(doca_pe_create(&pe));
	use_dma_open_on(use, dev, pe, n_tasks);
	use->shares_pe = false;
}

void use_dma_open_on(struct use_dma *use, struct doca_dev *dev, struct doca_pe *pe,
		     uint32_t n_tasks)
{
	*use = (struct use_dma){.dev = dev, .pe = pe, .shares_pe = true};
	OK(doca_dma_create(dev, &use->dma));
	use->ctx = doca_dma_as_ctx(use->dma);
	OK(doca_dma_task_memcpy_set_conf(use->dma, use_dma_ok_cb, use_dma_err_cb, n_tasks));
	OK(doca_ctx_set_user_data(use->ctx, (union doca_data){.ptr = use}));
	OK(doca_pe_connect_ctx(use->pe, use->ctx));
	OK(doca_ctx_start(use->ctx));
	OK(doca_buf_inventory_create(256, &use->inventory));
	OK(doca_buf_inventory_start(use->inventory));
}

/*
 * Returns true for the two results of a missing daemon: a timeout after some seconds, or, if other
 * calls have waited for it before, an error at once.
 */
static bool is_late(doca_error_t result)
{
	return result == DOCA_ERROR_TIME_OUT ||
	       (result == DOCA_ERROR_NOT_CONNECTED && lab_was_late());
}

struct doca_mmap *use_import_retry(const void *desc, size_t len, struct doca_dev *dev)
{
	uint64_t deadline = clock_now_ns() + runner_timeout_ms(AWAIT_MS) * NS_PER_MS;
	struct doca_mmap *mmap;
	doca_error_t result;

	for (;;) {
		result = doca_mmap_create_from_export(NULL, desc, len, dev, &mmap);
		if (!is_late(result) || clock_now_ns() > deadline)
			break;
		/* The restarting processes need the processor. */
		poll(NULL, 0, 10);
	}
	EXPECT(DOCA_SUCCESS, result);
	return mmap;
}

void use_ctx_begin(struct doca_ctx *ctx)
{
	uint64_t deadline = clock_now_ns() + runner_timeout_ms(10000) * NS_PER_MS;
	doca_error_t result;

	for (;;) {
		result = doca_ctx_start(ctx);
		if ((result != DOCA_ERROR_NOT_CONNECTED && result != DOCA_ERROR_TIME_OUT) ||
		    !lab_was_late() || clock_now_ns() >= deadline)
			break;
		poll(NULL, 0, 10);
	}
	EXPECT(DOCA_ERROR_IN_PROGRESS, result);
}

void use_ctx_await(struct doca_pe *pe, struct doca_ctx *ctx, enum doca_ctx_states state)
{
	uint64_t deadline = clock_now_ns() + runner_timeout_ms(AWAIT_MS) * NS_PER_MS;
	enum doca_ctx_states now;

	for (;;) {
		OK(doca_ctx_get_state(ctx, &now));
		if (now == state)
			return;
		EXPECT_TRUE(clock_now_ns() < deadline, "context in state %d, awaited %d", now,
			    state);
		use_progress(pe);
	}
}

void use_dma_close(struct use_dma *use)
{
	doca_error_t result = doca_ctx_stop(use->ctx);

	ck_assert_msg(result == DOCA_SUCCESS || result == DOCA_ERROR_IN_PROGRESS, "stop: %s",
		      doca_error_get_name(result));
	use_ctx_await(use->pe, use->ctx, DOCA_CTX_STATE_IDLE);
	OK(doca_dma_destroy(use->dma));
	if (!use->shares_pe)
		OK(doca_pe_destroy(use->pe));
	OK(doca_buf_inventory_destroy(use->inventory));
}

void use_dma_await(struct use_dma *use, unsigned n_completed)
{
	uint64_t deadline = clock_now_ns() + runner_timeout_ms(AWAIT_MS) * NS_PER_MS;

	while (use->n_ok + use->n_failed < n_completed) {
		EXPECT_TRUE(clock_now_ns() < deadline, "%u of %u tasks completed",
			    use->n_ok + use->n_failed, n_completed);
		use_progress(use->pe);
	}
}

struct doca_buf *use_src(struct use_dma *use, struct doca_mmap *mmap, void *addr, size_t len)
{
	struct doca_buf *buf;

	OK(doca_buf_inventory_buf_get_by_data(use->inventory, mmap, addr, len, &buf));
	return buf;
}

struct doca_buf *use_dst(struct use_dma *use, struct doca_mmap *mmap, void *addr, size_t len)
{
	struct doca_buf *buf;

	OK(doca_buf_inventory_buf_get_by_addr(use->inventory, mmap, addr, len, &buf));
	return buf;
}

void use_buf_end(struct doca_buf *buf)
{
	uint16_t refs;

	OK(doca_buf_dec_refcount(buf, &refs));
	ck_assert_uint_eq(refs, 1);
}

struct doca_task *use_task(struct use_dma *use, const struct doca_buf *src, struct doca_buf *dst)
{
	struct doca_dma_task_memcpy *task;

	OK(doca_dma_task_memcpy_alloc_init(use->dma, src, dst, (union doca_data){.u64 = 0}, &task));
	return doca_dma_task_memcpy_as_task(task);
}

doca_error_t use_copy(struct use_dma *use, struct doca_mmap *src, void *from, struct doca_mmap *dst,
		      void *to, size_t len)
{
	struct doca_buf *src_buf = use_src(use, src, from, len);
	struct doca_buf *dst_buf = use_dst(use, dst, to, len);
	unsigned n = use->n_ok + use->n_failed;
	enum doca_ctx_states state;
	size_t data_len;

	OK(doca_task_submit(use_task(use, src_buf, dst_buf)));
	use_dma_await(use, n + 1);
	OK(doca_buf_get_data_len(dst_buf, &data_len));
	ck_assert_uint_eq(data_len, use->status == DOCA_SUCCESS ? len : 0);
	use_buf_end(src_buf);
	use_buf_end(dst_buf);
	if (use->status != DOCA_SUCCESS) {
		use_ctx_await(use->pe, use->ctx, DOCA_CTX_STATE_IDLE);
		OK(doca_ctx_start(use->ctx));
	}
	OK(doca_ctx_get_state(use->ctx, &state));
	ck_assert_int_eq(state, DOCA_CTX_STATE_RUNNING);
	return use->status;
}
