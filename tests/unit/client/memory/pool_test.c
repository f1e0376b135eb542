/* Buffer pool: its buffers in lists and copies, the end of the map, and use by several threads. */
#include <pthread.h>

#include <doca_buf_pool.h>

#include "tests/unit/client/fixture.h"

static __attribute__((aligned(64))) uint8_t memory[4096];
static struct doca_mmap *mmap;

static void setup(void)
{
	mmap = unit_mmap(memory, sizeof(memory), DOCA_ACCESS_FLAG_LOCAL_READ_WRITE);
}

static void teardown(void)
{
	ck_ok(doca_mmap_destroy(mmap));
}

static struct doca_buf_pool *started_pool(size_t n, size_t size)
{
	struct doca_buf_pool *pool;

	ck_ok(doca_buf_pool_create(n, size, mmap, &pool));
	ck_ok(doca_buf_pool_start(pool));
	return pool;
}

static struct doca_buf *alloc(struct doca_buf_pool *pool)
{
	struct doca_buf *buf;

	ck_ok(doca_buf_pool_buf_alloc(pool, &buf));
	return buf;
}

static uint32_t n_bufs(void)
{
	uint32_t n;

	ck_ok(doca_mmap_get_num_bufs(mmap, &n));
	return n;
}

static uint32_t n_free(const struct doca_buf_pool *pool)
{
	uint32_t n;

	ck_ok(doca_buf_pool_get_num_free_elements(pool, &n));
	return n;
}

/* In a random order of use, each element is handed out at most once and has the right address. */
START_TEST(random_use_matches_a_model)
{
	enum { N = 32 };
	struct doca_buf_pool *pool = started_pool(N, 128);
	struct doca_buf *out[N];
	bool is_out[N] = {false};
	uint32_t n = 0, seed = 1;

	for (int i = 0; i < 20000; i++) {
		seed = seed * 1664525u + 1013904223u;
		if (n < N && (n == 0 || seed >> 31)) {
			struct doca_buf *buf = alloc(pool);
			size_t at = (size_t)(buf->head - memory) / 128;

			ck_assert(at < N && !is_out[at]);
			ck_assert_ptr_eq(buf->head, memory + at * 128);
			ck_assert_ptr_eq(buf->data, buf->head);
			ck_assert_uint_eq(buf->data_len, 0);
			is_out[at] = true;
			buf->data += 7;
			buf->data_len = 100;
			out[n++] = buf;
		} else {
			uint32_t k = (seed >> 8) % n;

			is_out[(out[k]->head - memory) / 128] = false;
			ck_ok(doca_buf_dec_refcount(out[k], NULL));
			out[k] = out[--n];
		}
		ck_assert_uint_eq(n_free(pool), N - n);
		ck_assert_uint_eq(n_bufs(), n);
	}
	while (n > 0)
		ck_ok(doca_buf_dec_refcount(out[--n], NULL));
	ck_ok(doca_buf_pool_destroy(pool));
}
END_TEST

/* A list with buffers of a pool and of an inventory; each returns to its origin. */
START_TEST(lists_may_mix_with_an_inventory)
{
	struct doca_buf_pool *pool = started_pool(2, 64);
	struct doca_buf_inventory *inventory = unit_inventory(4);
	struct doca_buf *list = alloc(pool), *buf, *copy;
	uint16_t before;

	ck_ok(doca_buf_inventory_buf_get_by_data(inventory, mmap, memory + 1000, 10, &buf));
	ck_ok(doca_buf_chain_list(list, buf));
	ck_ok(doca_buf_chain_list(list, alloc(pool)));
	ck_assert_uint_eq(n_bufs(), 3);
	ck_ok(doca_buf_inc_refcount(list, &before));
	ck_assert_uint_eq(before, 1);
	ck_ok(doca_buf_inventory_buf_dup(inventory, list, &copy));
	ck_assert_uint_eq(n_bufs(), 6);
	ck_ok(doca_buf_get_refcount(copy, &before));
	ck_assert_uint_eq(before, 1);
	ck_ok(doca_buf_dec_refcount(list, NULL));
	ck_assert_uint_eq(n_free(pool), 0);
	ck_ok(doca_buf_dec_refcount(list, &before));
	ck_assert_uint_eq(before, 1);
	ck_assert_uint_eq(n_free(pool), 2);
	ck_assert_uint_eq(unit_n_free(inventory), 1);
	ck_assert_uint_eq(n_bufs(), 3);
	/* Duplicates belong to the inventory. */
	ck_ok(doca_buf_pool_destroy(pool));
	ck_ok(doca_buf_dec_refcount(copy, NULL));
	ck_assert_uint_eq(n_bufs(), 0);
	ck_assert_uint_eq(unit_n_free(inventory), 4);
	ck_ok(doca_buf_inventory_destroy(inventory));
}
END_TEST

START_TEST(references_end_at_65535)
{
	struct doca_buf_pool *pool = started_pool(1, 64);
	struct doca_buf *buf = alloc(pool);
	uint16_t before;

	for (uint32_t i = 1; i < UINT16_MAX; i++)
		ck_ok(doca_buf_inc_refcount(buf, NULL));
	ck_fails(doca_buf_inc_refcount(buf, NULL), DOCA_ERROR_TOO_BIG);
	for (uint32_t i = UINT16_MAX; i > 0; i--) {
		ck_assert_uint_eq(n_free(pool), 0);
		ck_ok(doca_buf_dec_refcount(buf, &before));
		ck_assert_uint_eq(before, i);
	}
	ck_assert_uint_eq(n_free(pool), 1);
	ck_fails(doca_buf_dec_refcount(buf, &before), DOCA_ERROR_BAD_STATE);
	ck_fails(doca_buf_inc_refcount(buf, &before), DOCA_ERROR_NOT_PERMITTED);
	ck_ok(doca_buf_pool_destroy(pool));
}
END_TEST

/* The map may be destroyed before the pools that use it. */
START_TEST(pools_outlive_their_mmap)
{
	struct doca_mmap *other = unit_mmap(memory, 256, DOCA_ACCESS_FLAG_LOCAL_READ_WRITE);
	struct doca_buf_pool *pools[2];
	struct doca_buf *buf, *none;

	for (size_t i = 0; i < 2; i++) {
		ck_ok(doca_buf_pool_create(2, 64, other, &pools[i]));
		ck_ok(doca_buf_pool_start(pools[i]));
	}
	ck_ok(doca_buf_pool_buf_alloc(pools[1], &buf));
	ck_fails(doca_mmap_destroy(other), DOCA_ERROR_NOT_PERMITTED);
	ck_ok(doca_buf_dec_refcount(buf, NULL));
	ck_ok(doca_buf_pool_stop(pools[0]));
	ck_ok(doca_mmap_destroy(other));
	ck_fails(doca_buf_pool_buf_alloc(pools[0], &none), DOCA_ERROR_BAD_STATE);
	ck_fails(doca_buf_pool_buf_alloc(pools[1], &none), DOCA_ERROR_BAD_STATE);
	ck_ok(doca_buf_pool_stop(pools[1]));
	for (size_t i = 0; i < 2; i++)
		ck_ok(doca_buf_pool_destroy(pools[i]));
}
END_TEST

static void *thread_main(void *arg)
{
	struct doca_buf_pool *pool;
	struct doca_buf *bufs[4];

	for (int i = 0; i < 5000; i++) {
		if (i % 100 == 0 && (doca_buf_pool_create(4, 64, mmap, &pool) != DOCA_SUCCESS ||
				     doca_buf_pool_start(pool) != DOCA_SUCCESS))
			return arg;
		for (size_t k = 0; k < 4; k++) {
			if (doca_buf_pool_buf_alloc(pool, &bufs[k]) != DOCA_SUCCESS)
				return arg;
		}
		for (size_t k = 0; k < 4; k++) {
			if (doca_buf_dec_refcount(bufs[k], NULL) != DOCA_SUCCESS)
				return arg;
		}
		if (i % 100 == 99 && doca_buf_pool_destroy(pool) != DOCA_SUCCESS)
			return arg;
	}
	return NULL;
}

/* Like threads_share_an_mmap in client_inventory_test.c. */
START_TEST(threads_share_an_mmap)
{
	pthread_t threads[2];
	void *failed;

	ck_ok(doca_mmap_stop(mmap));
	if (_i == 1)
		ck_ok(doca_mmap_enable_thread_safety(mmap));
	ck_ok(doca_mmap_start(mmap));
	for (size_t i = 0; i < 2; i++)
		ck_assert_int_eq(pthread_create(&threads[i], NULL, thread_main, mmap), 0);
	for (int i = 0; i < 1000; i++)
		ck_assert_uint_le(n_bufs(), 8);
	for (size_t i = 0; i < 2; i++) {
		ck_assert_int_eq(pthread_join(threads[i], &failed), 0);
		ck_assert_ptr_null(failed);
	}
	ck_assert_uint_eq(n_bufs(), 0);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("client/buf_pool");
	TCase *tcase = unit_case(suite, "pool", UNIT_TIMEOUT);

	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_test(tcase, random_use_matches_a_model);
	tcase_add_test(tcase, lists_may_mix_with_an_inventory);
	tcase_add_test(tcase, references_end_at_65535);
	tcase_add_test(tcase, pools_outlive_their_mmap);
	tcase_add_loop_test(tcase, threads_share_an_mmap, 0, 2);
	return unit_run(suite);
}
