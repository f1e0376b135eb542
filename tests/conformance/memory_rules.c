/* See memory_rules.h; compiled once for each version. The rule about threads creates threads. */
#include "tests/conformance/memory_rules.h"

#include <pthread.h>
#include <string.h>

#include <doca_buf.h>
#include <doca_buf_inventory.h>
#include <doca_ctx.h>
#include <doca_dev.h>
#include <doca_dma.h>
#include <doca_mmap.h>

#include "tests/lib/expect.h"

#define HAS_CHUNKS (DOCA_USE_VERSION < DOCA_MAKE_VERSION(2, 0))
#define BYTES      8192u
#define N_BUFS     4u

static uint8_t memory[BYTES] __attribute__((aligned(4096)));

/* --- the calls of each version --- */

static struct doca_mmap *map_new(void)
{
	struct doca_mmap *map;

#if DOCA_USE_VERSION < DOCA_MAKE_VERSION(1, 5)
	OK(doca_mmap_create("map", &map));
#elif DOCA_API_WORKQ
	OK(doca_mmap_create(NULL, &map));
#else
	OK(doca_mmap_create(&map));
#endif
	return map;
}

#if HAS_CHUNKS
static struct doca_mmap *map_started(struct doca_dev *dev)
{
	struct doca_mmap *map = map_new();

	OK(doca_mmap_start(map));
	OK(doca_mmap_dev_add(map, dev));
	OK(doca_mmap_populate(map, (char *)memory, BYTES, 4096, NULL, NULL));
	return map;
}
#else
static struct doca_mmap *map_configured(struct doca_dev *dev)
{
	struct doca_mmap *map = map_new();

	OK(doca_mmap_set_memrange(map, memory, BYTES));
#if DOCA_API_WORKQ
	OK(doca_mmap_dev_add(map, dev));
#else
	OK(doca_mmap_add_dev(map, dev));
#endif
	return map;
}

static struct doca_mmap *map_started(struct doca_dev *dev)
{
	struct doca_mmap *map = map_configured(dev);

	OK(doca_mmap_start(map));
	return map;
}
#endif

static struct doca_buf_inventory *inventory_new(void)
{
	struct doca_buf_inventory *inventory;

#if DOCA_USE_VERSION < DOCA_MAKE_VERSION(1, 5)
	OK(doca_buf_inventory_create("inventory", N_BUFS, DOCA_BUF_EXTENSION_NONE, &inventory));
#elif DOCA_API_WORKQ
	OK(doca_buf_inventory_create(NULL, N_BUFS, DOCA_BUF_EXTENSION_NONE, &inventory));
#else
	OK(doca_buf_inventory_create(N_BUFS, &inventory));
#endif
	return inventory;
}

static struct doca_buf_inventory *inventory_started(void)
{
	struct doca_buf_inventory *inventory = inventory_new();

	OK(doca_buf_inventory_start(inventory));
	return inventory;
}

static doca_error_t buf_get(struct doca_buf_inventory *inventory, struct doca_mmap *map, size_t at,
			    struct doca_buf **buf_out)
{
#if DOCA_API_WORKQ
	return doca_buf_inventory_buf_by_addr(inventory, map, (void *)(memory + at), 64, buf_out);
#else
	return doca_buf_inventory_buf_get_by_addr(inventory, map, memory + at, 64, buf_out);
#endif
}

static doca_error_t release(struct doca_buf *buf)
{
#if DOCA_API_WORKQ
	return doca_buf_refcount_rm(buf, NULL);
#else
	return doca_buf_dec_refcount(buf, NULL);
#endif
}

static void check_error_text(const char *part)
{
	EXPECT_TRUE(strstr(dococ_last_error(), part) != NULL, "\"%s\" does not say \"%s\"",
		    dococ_last_error(), part);
}

/* --- the rules --- */

static void inventory_starts_late(struct doca_dev *dev, bool is_strict)
{
	doca_error_t before = is_strict ? DOCA_ERROR_BAD_STATE : DOCA_SUCCESS;
	struct doca_buf_inventory *inventory = inventory_new(), *other = inventory_started();
	struct doca_mmap *map = map_started(dev);
	struct doca_buf *buf, *copy;

	EXPECT(before, buf_get(inventory, map, 0, &buf));
	check_error_text("the inventory is not started");
	check_error_text(is_strict ? "call doca_buf_inventory_start" : "DOCOCORED_STRICT=1");
	if (!is_strict)
		OK(release(buf));
	OK(doca_buf_inventory_start(inventory));
	OK(buf_get(inventory, map, 0, &buf));
	OK(release(buf));
	/* An inventory that was stopped explicitly gives out no buffers. */
	OK(doca_buf_inventory_stop(inventory));
	EXPECT(DOCA_ERROR_BAD_STATE, buf_get(inventory, map, 0, &buf));
	OK(doca_buf_inventory_destroy(inventory));
	/*
	 * An inventory that is never started; its first buffer is a duplicate of another
	 * inventory's buffer.
	 */
	inventory = inventory_new();
	OK(buf_get(other, map, 64, &buf));
	EXPECT(before, doca_buf_inventory_buf_dup(inventory, buf, &copy));
	if (!is_strict) {
		OK(release(copy));
		OK(buf_get(inventory, map, 0, &copy));
		OK(release(copy));
	}
	OK(release(buf));
	OK(doca_buf_inventory_destroy(inventory));
	OK(doca_buf_inventory_destroy(other));
	OK(doca_mmap_destroy(map));
}

#if DOCA_API_WORKQ && !HAS_CHUNKS
static doca_error_t copy(struct doca_dev *dev, struct doca_buf *from, struct doca_buf *to)
{
	struct doca_event event = {0};
	struct doca_workq *workq;
	struct doca_dma *dma;
	struct doca_ctx *ctx;
	doca_error_t result;

	OK(doca_dma_create(&dma));
	ctx = doca_dma_as_ctx(dma);
	OK(doca_ctx_dev_add(ctx, dev));
	OK(doca_ctx_start(ctx));
	OK(doca_workq_create(1, &workq));
	OK(doca_ctx_workq_add(ctx, workq));
	struct doca_dma_job_memcpy job = {
		.base = {.type = DOCA_DMA_JOB_MEMCPY, .flags = DOCA_JOB_FLAGS_NONE, .ctx = ctx},
		.src_buff = from,
		.dst_buff = to,
	};
	result = doca_workq_submit(workq, &job.base);
	if (result == DOCA_SUCCESS) {
		do {
			result = doca_workq_progress_retrieve(workq, &event,
							      DOCA_WORKQ_RETRIEVE_FLAGS_NONE);
		} while (result == DOCA_ERROR_AGAIN);
	}
	if (result == DOCA_ERROR_IO_FAILED)
		result = (doca_error_t)event.result.u64;
	OK(doca_ctx_workq_rm(ctx, workq));
	OK(doca_workq_destroy(workq));
	OK(doca_ctx_stop(ctx));
	OK(doca_ctx_dev_rm(ctx, dev));
	OK(doca_dma_destroy(dma));
	return result;
}

static void map_starts_late(struct doca_dev *dev, bool is_strict)
{
	struct doca_buf_inventory *inventory = inventory_started();
	struct doca_mmap *map = map_new();
	struct doca_buf *from, *to, *none;

	/* A map without a range has no buffers. */
	EXPECT(DOCA_ERROR_BAD_STATE, buf_get(inventory, map, 0, &none));
	OK(doca_mmap_destroy(map));
	map = map_configured(dev);
	EXPECT(is_strict ? DOCA_ERROR_BAD_STATE : DOCA_SUCCESS, buf_get(inventory, map, 0, &from));
	check_error_text("the mmap is not started");
	if (is_strict) {
		check_error_text("call doca_mmap_start");
		OK(doca_mmap_start(map));
		OK(buf_get(inventory, map, 0, &from));
		OK(buf_get(inventory, map, 64, &to));
	} else {
		check_error_text("DOCOCORED_STRICT=1");
		EXPECT(DOCA_ERROR_INVALID_VALUE, buf_get(inventory, map, BYTES - 63, &none));
		OK(buf_get(inventory, map, 64, &to));
		OK(doca_buf_inventory_buf_dup(inventory, from, &none));
		OK(release(none));
		OK(doca_buf_set_data(from, memory, 64));
		/* Submitting a task needs a started map. */
		EXPECT(DOCA_ERROR_BAD_STATE, copy(dev, from, to));
		check_error_text("the source's mmap is not started");
		EXPECT(DOCA_ERROR_NOT_PERMITTED, doca_mmap_destroy(map));
		check_error_text("2 buffers");
		OK(doca_mmap_start(map));
	}
	use_fill(memory, 64, 9);
	OK(doca_buf_set_data(from, memory, 64));
	OK(copy(dev, from, to));
	EXPECT_TRUE(use_is_filled(memory + 64, 64, 9), "the copy is not what was copied");
	OK(release(from));
	OK(release(to));
	/* A map that was stopped explicitly gives no buffers. */
	OK(doca_mmap_stop(map));
	EXPECT(DOCA_ERROR_BAD_STATE, buf_get(inventory, map, 0, &from));
	OK(doca_mmap_destroy(map));
	OK(doca_buf_inventory_destroy(inventory));
}
#define map_starts_late_rule map_starts_late
#else
#define map_starts_late_rule NULL
#endif

#if DOCA_API_WORKQ
#define user_data_rule NULL
#else
static void user_data_comes_early(void)
{
	struct doca_buf_inventory *inventory = inventory_new();
	union doca_data data = {.u64 = 5};

	OK(doca_buf_inventory_set_user_data(inventory, data));
	OK(doca_buf_inventory_start(inventory));
	data.u64 = 0;
	OK(doca_buf_inventory_get_user_data(inventory, &data));
	EXPECT_TRUE(data.u64 == 5, "the user data is %llu", (unsigned long long)data.u64);
	data.u64 = 6;
	OK(doca_buf_inventory_set_user_data(inventory, data));
	OK(doca_buf_inventory_get_user_data(inventory, &data));
	EXPECT_TRUE(data.u64 == 6, "the user data is %llu", (unsigned long long)data.u64);
	OK(doca_buf_inventory_destroy(inventory));
}
#define user_data_rule user_data_comes_early
#endif

#define N_THREADS 3u

static pthread_barrier_t together;
static struct doca_mmap *shared;

static void *get_and_release_main(void *arg)
{
	struct doca_buf_inventory *inventory = arg;
	struct doca_buf *bufs[N_BUFS];

	pthread_barrier_wait(&together);
	for (unsigned i = 0; i < 100000; i++) {
		for (unsigned k = 0; k < N_BUFS; k++) {
			if (buf_get(inventory, shared, 64 * (size_t)k, &bufs[k]) != DOCA_SUCCESS)
				return arg;
		}
		for (unsigned k = 0; k < N_BUFS; k++) {
			if (release(bufs[k]) != DOCA_SUCCESS)
				return arg;
		}
	}
	return NULL;
}

static void threads_share_a_map(struct doca_dev *dev)
{
	struct doca_buf_inventory *inventories[N_THREADS];
	pthread_t threads[N_THREADS];
	struct doca_buf *last;
	void *failed;

	shared = map_started(dev);
	pthread_barrier_init(&together, NULL, N_THREADS);
	for (unsigned i = 0; i < N_THREADS; i++) {
		inventories[i] = inventory_started();
		pthread_create(&threads[i], NULL, get_and_release_main, inventories[i]);
	}
	for (unsigned i = 0; i < N_THREADS; i++) {
		pthread_join(threads[i], &failed);
		EXPECT_TRUE(failed == NULL, "thread %u failed", i);
	}
	OK(buf_get(inventories[0], shared, 0, &last));
	EXPECT(DOCA_ERROR_NOT_PERMITTED, doca_mmap_stop(shared));
	check_error_text(": 1 buffer still points into it");
	OK(release(last));
	OK(doca_mmap_stop(shared));
	for (unsigned i = 0; i < N_THREADS; i++)
		OK(doca_buf_inventory_destroy(inventories[i]));
	OK(doca_mmap_destroy(shared));
}

/* A refused call changes nothing, so the right order still works afterwards. */
static void order_is_wrong(struct doca_dev *dev)
{
	doca_error_t in_use = DOCA_API_WORKQ ? DOCA_ERROR_NOT_PERMITTED : DOCA_ERROR_IN_USE;
	struct doca_buf_inventory *inventory = inventory_started();
	struct doca_mmap *map = map_started(dev);
	struct doca_buf *buf, *second;

	OK(doca_buf_inventory_start(inventory));
	OK(doca_mmap_start(map));
	OK(buf_get(inventory, map, 0, &buf));
	OK(buf_get(inventory, map, 0, &second));
	EXPECT(DOCA_ERROR_IN_USE, doca_dev_close(dev));
	EXPECT(DOCA_ERROR_NOT_PERMITTED, doca_mmap_stop(map));
	EXPECT(DOCA_ERROR_NOT_PERMITTED, doca_mmap_destroy(map));
#if DOCA_API_WORKQ
	EXPECT(DOCA_ERROR_NOT_PERMITTED, doca_mmap_dev_rm(map, dev));
#else
	EXPECT(DOCA_ERROR_NOT_PERMITTED, doca_mmap_rm_dev(map, dev));
#endif
	EXPECT(in_use, doca_buf_inventory_destroy(inventory));
	OK(doca_buf_inventory_stop(inventory));
	OK(doca_buf_inventory_stop(inventory));
	EXPECT(in_use, doca_buf_inventory_destroy(inventory));
	OK(release(buf));
	OK(release(second));
	OK(doca_buf_inventory_destroy(inventory));
	OK(doca_mmap_stop(map));
	OK(doca_mmap_stop(map));
#if !HAS_CHUNKS && DOCA_API_WORKQ
	OK(doca_mmap_dev_rm(map, dev));
#elif !HAS_CHUNKS
	OK(doca_mmap_rm_dev(map, dev));
#endif
	OK(doca_mmap_destroy(map));
}

struct memory_rules VERSIONED(memory_rules_)(void)
{
	return (struct memory_rules){
		.version = DOCA_USE_VERSION,
		.inventory_starts_late = inventory_starts_late,
		.map_starts_late = map_starts_late_rule,
		.user_data_comes_early = user_data_rule,
		.threads_share_a_map = threads_share_a_map,
		.order_is_wrong = order_is_wrong,
	};
}
