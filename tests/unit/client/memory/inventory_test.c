/* Inventory: start, stop, growth, exhaustion, bounds; several threads on one mmap. */
#include <pthread.h>

#include "client/memory/buf_inventory.h"
#include "tests/unit/client/fixture.h"

static uint8_t memory[4096];
static struct doca_mmap *mmap;

static void setup(void)
{
	mmap = unit_mmap(memory, sizeof(memory), DOCA_ACCESS_FLAG_LOCAL_READ_WRITE);
}

static void teardown(void)
{
	ck_ok(doca_mmap_destroy(mmap));
}

static doca_error_t get(struct doca_buf_inventory *inventory, struct doca_buf **buf_out)
{
	return doca_buf_inventory_buf_get_by_addr(inventory, mmap, memory, 64, buf_out);
}

START_TEST(creation_checks_its_arguments)
{
	struct doca_buf_inventory *inventory = NULL;

	ck_fails(doca_buf_inventory_create(0, &inventory), DOCA_ERROR_INVALID_VALUE);
	ck_fails(doca_buf_inventory_create(1, NULL), DOCA_ERROR_INVALID_VALUE);
	ck_fails(doca_buf_inventory_create((size_t)UINT32_MAX + 1, &inventory),
		 DOCA_ERROR_INVALID_VALUE);
	ck_assert_ptr_null(inventory);
}
END_TEST

static void ck_started_late(void)
{
	ck_says("is not started");
	ck_says("DOCOCORED_STRICT=1");
}

/* The first call that needs a started inventory starts it, with a warning. */
START_TEST(one_that_is_not_started_starts_by_itself)
{
	struct doca_buf_inventory *taken, *expanded, *copied;
	struct doca_buf *buf, *copy;

	ck_ok(doca_buf_inventory_create(1, &taken));
	ck_ok(get(taken, &buf));
	ck_started_late();
	ck_assert(taken->freelist.started);
	ck_ok(doca_buf_inventory_create(1, &expanded));
	ck_ok(doca_buf_inventory_expand(expanded, 1));
	ck_started_late();
	ck_ok(doca_buf_inventory_create(1, &copied));
	ck_ok(doca_buf_inventory_buf_dup(copied, buf, &copy));
	ck_started_late();
	ck_ok(doca_buf_dec_refcount(buf, NULL));
	ck_ok(doca_buf_dec_refcount(copy, NULL));
	ck_ok(doca_buf_inventory_destroy(taken));
	ck_ok(doca_buf_inventory_destroy(expanded));
	ck_ok(doca_buf_inventory_destroy(copied));
}
END_TEST

START_TEST(only_a_started_inventory_allocates)
{
	setenv("DOCOCORED_STRICT", "1", 1);
	struct doca_buf_inventory *inventory;
	struct doca_buf *buf = NULL, *source;
	struct doca_buf_inventory *other = unit_inventory(1);

	ck_ok(doca_buf_inventory_create(2, &inventory));
	ck_assert_uint_eq(unit_n_free(inventory), 2);
	ck_ok(get(other, &source));
	ck_fails(get(inventory, &buf), DOCA_ERROR_BAD_STATE);
	ck_fails(doca_buf_inventory_buf_dup(inventory, source, &buf), DOCA_ERROR_BAD_STATE);
	ck_fails(doca_buf_inventory_expand(inventory, 1), DOCA_ERROR_BAD_STATE);
	ck_ok(doca_buf_inventory_set_user_data(inventory, (union doca_data){.u64 = 7}));
	ck_assert_ptr_null(buf);
	ck_ok(doca_buf_inventory_start(inventory));
	ck_ok(doca_buf_inventory_start(inventory));
	ck_assert_uint_eq(unit_n_free(inventory), 2);
	ck_ok(doca_buf_inventory_set_user_data(inventory, (union doca_data){.u64 = 7}));
	ck_ok(get(inventory, &buf));
	ck_ok(doca_buf_dec_refcount(buf, NULL));
	ck_ok(doca_buf_dec_refcount(source, NULL));
	ck_ok(doca_buf_inventory_destroy(inventory));
	ck_ok(doca_buf_inventory_destroy(other));
}
END_TEST

/* Stops and starts at every fill level, with buffers that return while it is stopped. */
START_TEST(buffers_come_back_while_stopped)
{
	struct doca_buf_inventory *inventory = unit_inventory(4);
	struct doca_buf *bufs[4], *none;

	for (uint32_t out = 0; out <= 4; out++) {
		for (uint32_t back = 0; back <= out; back++) {
			for (uint32_t i = 0; i < out; i++)
				ck_ok(get(inventory, &bufs[i]));
			ck_ok(doca_buf_inventory_stop(inventory));
			ck_ok(doca_buf_inventory_stop(inventory));
			ck_assert_uint_eq(unit_n_free(inventory), 4 - out);
			ck_fails(get(inventory, &none), DOCA_ERROR_BAD_STATE);
			for (uint32_t i = 0; i < back; i++)
				ck_ok(doca_buf_dec_refcount(bufs[i], NULL));
			ck_assert_uint_eq(unit_n_free(inventory), 4 - out + back);
			ck_fails(get(inventory, &none), DOCA_ERROR_BAD_STATE);
			if (back < out)
				ck_fails(doca_buf_inventory_destroy(inventory), DOCA_ERROR_IN_USE);
			ck_ok(doca_buf_inventory_start(inventory));
			ck_assert_uint_eq(unit_n_free(inventory), 4 - out + back);
			for (uint32_t i = back; i < out; i++)
				ck_ok(doca_buf_dec_refcount(bufs[i], NULL));
			ck_assert_uint_eq(unit_n_free(inventory), 4);
		}
	}
	ck_ok(doca_buf_inventory_stop(inventory));
	ck_ok(doca_buf_inventory_destroy(inventory));
}
END_TEST

START_TEST(growth_keeps_what_is_out)
{
	struct doca_buf_inventory *inventory = unit_inventory(2);
	struct doca_buf *bufs[32];
	uint32_t n;

	ck_ok(get(inventory, &bufs[0]));
	ck_ok(get(inventory, &bufs[1]));
	ck_fails(get(inventory, &bufs[2]), DOCA_ERROR_NO_MEMORY);
	ck_says("expand");
	ck_fails(doca_buf_inventory_expand(inventory, 0), DOCA_ERROR_INVALID_VALUE);
	ck_fails(doca_buf_inventory_expand(inventory, UINT32_MAX), DOCA_ERROR_INVALID_VALUE);
	ck_ok(doca_buf_inventory_expand(inventory, 30));
	ck_ok(doca_buf_inventory_get_num_elements(inventory, &n));
	ck_assert_uint_eq(n, 32);
	ck_assert_uint_eq(unit_n_free(inventory), 30);
	for (uint32_t i = 2; i < 32; i++) {
		ck_ok(get(inventory, &bufs[i]));
		for (uint32_t k = 0; k < i; k++)
			ck_assert_ptr_ne(bufs[i], bufs[k]);
	}
	ck_fails(get(inventory, &bufs[0]), DOCA_ERROR_NO_MEMORY);
	for (uint32_t i = 0; i < 32; i++)
		ck_ok(doca_buf_dec_refcount(bufs[i], NULL));
	ck_ok(doca_buf_inventory_destroy(inventory));
}
END_TEST

START_TEST(bounds_are_those_of_the_mmap)
{
	struct doca_buf_inventory *inventory = unit_inventory(1);
	const uintptr_t base = (uintptr_t)memory;
	const struct {
		uintptr_t addr;
		size_t len;
		uintptr_t data;
		size_t data_len;
		bool is_good;
	} cases[] = {
		{base, 4096, base, 4096, true},
		{base, 4096, base + 4096, 0, true},
		{base + 4096, 0, base + 4096, 0, true},
		{base + 4095, 1, base + 4095, 1, true},
		{base, 4097, base, 0, false},
		{base + 1, 4096, base + 1, 0, false},
		{base - 1, 1, base - 1, 0, false},
		{base + 4097, 0, base + 4097, 0, false},
		{base, SIZE_MAX, base, 0, false},
		{base + 8, SIZE_MAX - 7, base + 8, 0, false},
		{base + 8, 8, base + 7, 1, false},
		{base + 8, 8, base + 17, 0, false},
		{base + 8, 8, base + 16, 1, false},
		{base + 8, 8, base + 8, 9, false},
		{base + 8, 8, base + 9, SIZE_MAX, false},
		{0, 1, 0, 1, false},
		{UINTPTR_MAX, 0, UINTPTR_MAX, 0, false},
		{UINTPTR_MAX, 1, UINTPTR_MAX, 1, false},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct doca_buf *buf;
		doca_error_t result = doca_buf_inventory_buf_get_by_args(
			inventory, mmap, (void *)cases[i].addr, cases[i].len, (void *)cases[i].data,
			cases[i].data_len, &buf);

		ck_assert_msg(result ==
				      (cases[i].is_good ? DOCA_SUCCESS : DOCA_ERROR_INVALID_VALUE),
			      "case %zu: %s", i, doca_error_get_name(result));
		if (result == DOCA_SUCCESS)
			ck_ok(doca_buf_dec_refcount(buf, NULL));
	}
	ck_ok(doca_buf_inventory_destroy(inventory));
}
END_TEST

START_TEST(a_stopped_mmap_gives_no_buffers)
{
	struct doca_buf_inventory *inventory = unit_inventory(1);
	struct doca_buf *buf;

	ck_ok(get(inventory, &buf));
	ck_fails(doca_mmap_stop(mmap), DOCA_ERROR_NOT_PERMITTED);
	ck_fails(doca_mmap_destroy(mmap), DOCA_ERROR_NOT_PERMITTED);
	ck_ok(doca_buf_dec_refcount(buf, NULL));
	ck_ok(doca_mmap_stop(mmap));
	ck_fails(get(inventory, &buf), DOCA_ERROR_BAD_STATE);
	ck_ok(doca_mmap_start(mmap));
	ck_ok(get(inventory, &buf));
	ck_ok(doca_buf_dec_refcount(buf, NULL));
	ck_ok(doca_buf_inventory_destroy(inventory));
}
END_TEST

START_TEST(buffers_are_reused_in_bounds)
{
	struct doca_buf_inventory *inventory = unit_inventory(1);
	struct doca_buf *buf;

	ck_ok(get(inventory, &buf));
	ck_ok(doca_buf_inventory_buf_reuse_by_data(buf, memory + 100, 200));
	ck_assert_ptr_eq(buf->data, memory + 100);
	ck_assert_uint_eq(buf->data_len, 200);
	ck_ok(doca_buf_inventory_buf_reuse_by_addr(buf, memory + 96, 4000));
	ck_assert_uint_eq(buf->data_len, 0);
	ck_fails(doca_buf_inventory_buf_reuse_by_addr(buf, memory + 97, 4000),
		 DOCA_ERROR_INVALID_VALUE);
	ck_fails(doca_buf_inventory_buf_reuse_by_data(buf, (void *)((uintptr_t)memory - 1), 1),
		 DOCA_ERROR_INVALID_VALUE);
	ck_fails(doca_buf_inventory_buf_reuse_by_data(NULL, memory, 1), DOCA_ERROR_INVALID_VALUE);
	ck_assert_ptr_eq(buf->head, memory + 96);
	ck_ok(doca_buf_dec_refcount(buf, NULL));
	ck_ok(doca_buf_inventory_destroy(inventory));
}
END_TEST

/* The number of devices in a map is limited by each device, whatever the map allows. */
START_TEST(devices_limit_their_company)
{
	static struct doca_devinfo picky_info = {
		.refs = 1, .name = "p9", .caps = {.max_devices_per_mmap = 2}};
	struct doca_dev devs[3] = {{.info = &picky_info, .n_opens = 1},
				   {.info = &picky_info, .n_opens = 1},
				   {.info = &picky_info, .n_opens = 1}};
	struct doca_mmap *shared;

	ck_ok(doca_mmap_create(&shared));
	ck_ok(doca_mmap_set_max_num_devices(shared, 8));
	ck_ok(doca_mmap_add_dev(shared, &devs[0]));
	ck_ok(doca_mmap_add_dev(shared, &devs[1]));
	ck_fails(doca_mmap_add_dev(shared, &devs[2]), DOCA_ERROR_NO_MEMORY);
	ck_says("p9");
	ck_ok(doca_mmap_add_dev(shared, &unit_dev));
	ck_ok(doca_mmap_rm_dev(shared, &devs[0]));
	ck_ok(doca_mmap_destroy(shared));
}
END_TEST

static pthread_barrier_t together;

static void *thread_main(void *arg)
{
	struct doca_buf_inventory *inventory = arg;

	pthread_barrier_wait(&together);
	for (int i = 0; i < 500000; i++) {
		struct doca_buf *buf, *copy;

		if (get(inventory, &buf) != DOCA_SUCCESS ||
		    doca_buf_inventory_buf_dup(inventory, buf, &copy) != DOCA_SUCCESS ||
		    doca_buf_inc_refcount(buf, NULL) != DOCA_SUCCESS ||
		    doca_buf_chain_list(copy, buf) == DOCA_SUCCESS ||
		    doca_buf_chain_list(buf, copy) != DOCA_SUCCESS ||
		    doca_buf_dec_refcount(buf, NULL) != DOCA_SUCCESS ||
		    doca_buf_dec_refcount(buf, NULL) != DOCA_SUCCESS)
			return arg;
	}
	return NULL;
}

static uint32_t n_bufs(void)
{
	uint32_t n;

	ck_ok(doca_mmap_get_num_bufs(mmap, &n));
	return n;
}

static void set_thread_safe(void)
{
	ck_ok(doca_mmap_stop(mmap));
	ck_ok(doca_mmap_enable_thread_safety(mmap));
	ck_ok(doca_mmap_start(mmap));
}

#define N_THREADS 3

/*
 * Threads with their own inventories acquire and release buffers of one map, while another thread
 * reads the map's buffer count; with and without doca_mmap_enable_thread_safety(). Under
 * ThreadSanitizer this shows that no word of the map is written, and that counting has no data
 * race.
 */
START_TEST(threads_share_an_mmap)
{
	struct doca_buf_inventory *inventories[N_THREADS];
	pthread_t threads[N_THREADS];
	void *failed;

	if (_i == 1)
		set_thread_safe();
	ck_assert_int_eq(pthread_barrier_init(&together, NULL, N_THREADS), 0);
	for (size_t i = 0; i < N_THREADS; i++) {
		inventories[i] = unit_inventory(4);
		ck_assert_int_eq(pthread_create(&threads[i], NULL, thread_main, inventories[i]), 0);
	}
	for (int i = 0; i < 1000; i++)
		ck_assert_uint_le(n_bufs(), 2 * N_THREADS);
	for (size_t i = 0; i < N_THREADS; i++) {
		ck_assert_int_eq(pthread_join(threads[i], &failed), 0);
		ck_assert_ptr_null(failed);
		ck_ok(doca_buf_inventory_destroy(inventories[i]));
	}
	ck_assert_uint_eq(n_bufs(), 0);
	ck_ok(doca_mmap_stop(mmap));
}
END_TEST

#define N_LEFT 5

/* Buffers that a thread leaves acquired are counted, and the map reports their number. */
START_TEST(buffers_of_ended_threads_are_counted)
{
	struct doca_buf_inventory *inventories[2] = {unit_inventory(N_LEFT), unit_inventory(8)};
	struct doca_buf *bufs[2][N_LEFT];

	for (size_t i = 0; i < 2; i++) {
		for (size_t k = 0; k < N_LEFT; k++)
			ck_ok(get(inventories[i], &bufs[i][k]));
	}
	ck_fails(doca_mmap_stop(mmap), DOCA_ERROR_NOT_PERMITTED);
	ck_says("10 buffers still point into it");
	ck_ok(doca_buf_inventory_expand(inventories[0], 100));
	ck_fails(doca_mmap_destroy(mmap), DOCA_ERROR_NOT_PERMITTED);
	ck_says("10 buffers still point into it");
	for (size_t i = 0; i < 2; i++) {
		for (size_t k = 0; k < N_LEFT; k++) {
			ck_assert_uint_eq(n_bufs(), 10 - N_LEFT * i - k);
			ck_ok(doca_buf_dec_refcount(bufs[i][k], NULL));
		}
		ck_ok(doca_buf_inventory_destroy(inventories[i]));
	}
	ck_ok(doca_mmap_stop(mmap));
}
END_TEST

/* Buffers of a large inventory are counted in any order of use, also across an expansion. */
START_TEST(buffers_of_large_inventories_are_counted)
{
	enum { N = 5000 };
	struct doca_buf_inventory *inventory = unit_inventory(N);
	static struct doca_buf *bufs[2 * N];
	uint32_t n = 0, n_room = N, seed = 1;

	for (int i = 0; i < 20000; i++) {
		seed = seed * 1664525u + 1013904223u;
		if (i == 7000) {
			ck_ok(doca_buf_inventory_expand(inventory, N));
			n_room += N;
		}
		/* More buffers are acquired than released, sometimes in pairs. */
		if (n + 2 <= n_room && (n == 0 || seed >> 30 != 0)) {
			ck_ok(get(inventory, &bufs[n++]));
			if (seed & (1u << 20))
				ck_ok(doca_buf_inventory_buf_dup(inventory, bufs[n - 1], &bufs[n]));
			n += !!(seed & (1u << 20));
		} else {
			uint32_t k = (seed >> 8) % n;

			ck_ok(doca_buf_dec_refcount(bufs[k], NULL));
			bufs[k] = bufs[--n];
		}
		if (i % 16 == 0)
			ck_assert_uint_eq(n_bufs(), n);
	}
	ck_assert_uint_eq(n_bufs(), n);
	while (n > 0)
		ck_ok(doca_buf_dec_refcount(bufs[--n], NULL));
	ck_ok(doca_buf_inventory_destroy(inventory));
}
END_TEST

/* A thread that repeatedly creates and destroys maps and inventories. */
static void *create_destroy_main(void *arg)
{
	static uint8_t others[64];

	for (int i = 0; i < 5000; i++) {
		struct doca_mmap *own = unit_mmap(others, sizeof(others), 0);
		struct doca_buf_inventory *inventory = unit_inventory(4);
		struct doca_buf *buf;

		ck_ok(doca_buf_inventory_buf_get_by_addr(inventory, own, others, 64, &buf));
		ck_ok(doca_buf_inventory_expand(inventory, 4));
		ck_fails(doca_mmap_destroy(own), DOCA_ERROR_NOT_PERMITTED);
		ck_says("1 buffer still points into it");
		ck_fails(doca_buf_inventory_destroy(inventory), DOCA_ERROR_IN_USE);
		ck_says("1 of 8 buffers is still in use");
		ck_ok(doca_buf_dec_refcount(buf, NULL));
		ck_ok(doca_mmap_destroy(own));
		ck_ok(doca_buf_inventory_destroy(inventory));
	}
	return arg;
}

START_TEST(mmaps_come_and_go_beside_other_threads)
{
	struct doca_buf_inventory *inventory = unit_inventory(4);
	pthread_t other, comer;
	void *failed;

	ck_assert_int_eq(pthread_barrier_init(&together, NULL, 1), 0);
	ck_assert_int_eq(pthread_create(&other, NULL, thread_main, inventory), 0);
	ck_assert_int_eq(pthread_create(&comer, NULL, create_destroy_main, NULL), 0);
	ck_assert_int_eq(pthread_join(comer, NULL), 0);
	ck_assert_int_eq(pthread_join(other, &failed), 0);
	ck_assert_ptr_null(failed);
	ck_ok(doca_buf_inventory_destroy(inventory));
}
END_TEST

/* Buffers of such a map behave like others and do not need the map when they are released. */
START_TEST(uncounted_buffers_outlive_their_mmap)
{
	struct doca_buf_inventory *inventory = unit_inventory(4);
	struct doca_mmap *shared, *later[4];
	struct doca_buf *buf, *copy, *none;
	uint16_t refs;

	ck_ok(doca_mmap_create(&shared));
	ck_ok(doca_mmap_set_memrange(shared, memory, 64));
	ck_ok(doca_mmap_add_dev(shared, &unit_dev));
	ck_ok(doca_mmap_enable_thread_safety(shared));
	ck_fails(doca_buf_inventory_buf_get_by_addr(inventory, shared, memory, 64, &buf),
		 DOCA_ERROR_BAD_STATE);
	ck_ok(doca_mmap_start(shared));
	ck_ok(doca_buf_inventory_buf_get_by_data(inventory, shared, memory, 64, &buf));
	ck_fails(doca_buf_inventory_buf_get_by_addr(inventory, shared, memory, 65, &none),
		 DOCA_ERROR_INVALID_VALUE);
	ck_fails(doca_buf_inventory_buf_get_by_addr(inventory, shared, NULL, 1, &none),
		 DOCA_ERROR_INVALID_VALUE);
	ck_ok(doca_buf_inc_refcount(buf, &refs));
	ck_assert_uint_eq(refs, 1);
	ck_ok(doca_buf_inventory_buf_dup(inventory, buf, &copy));
	ck_ok(doca_buf_get_refcount(copy, &refs));
	ck_assert_uint_eq(refs, 1);
	ck_ok(doca_buf_chain_list(buf, copy));
	ck_ok(doca_buf_inventory_buf_dup(inventory, buf, &copy));
	ck_fails(doca_buf_inventory_buf_get_by_addr(inventory, shared, memory, 64, &none),
		 DOCA_ERROR_NO_MEMORY);
	ck_ok(doca_mmap_destroy(shared));
	/* The buffers point to none of the maps that are created from here on. */
	for (size_t i = 0; i < ARRAY_LEN(later); i++)
		later[i] = unit_mmap(memory, 64, DOCA_ACCESS_FLAG_LOCAL_READ_WRITE);
	for (size_t i = 0; i < ARRAY_LEN(later); i++)
		ck_ok(doca_mmap_destroy(later[i]));
	ck_assert(!buf->mmap->readable && !buf->mmap->writable && !mmap_is_alive(buf->mmap));
	ck_ok(doca_buf_dec_refcount(copy, NULL));
	ck_fails(doca_buf_inventory_buf_dup(inventory, buf, &copy), DOCA_ERROR_BAD_STATE);
	ck_ok(doca_buf_dec_refcount(buf, NULL));
	ck_assert_uint_eq(unit_n_free(inventory), 2);
	ck_ok(doca_buf_dec_refcount(buf, NULL));
	ck_fails(doca_buf_dec_refcount(buf, NULL), DOCA_ERROR_BAD_STATE);
	ck_ok(doca_buf_inventory_destroy(inventory));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("client/buf_inventory");
	TCase *tcase = unit_case(suite, "inventory", UNIT_TIMEOUT);

	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_test(tcase, creation_checks_its_arguments);
	tcase_add_test(tcase, one_that_is_not_started_starts_by_itself);
	tcase_add_test(tcase, only_a_started_inventory_allocates);
	tcase_add_test(tcase, buffers_come_back_while_stopped);
	tcase_add_test(tcase, growth_keeps_what_is_out);
	tcase_add_test(tcase, bounds_are_those_of_the_mmap);
	tcase_add_test(tcase, a_stopped_mmap_gives_no_buffers);
	tcase_add_test(tcase, buffers_are_reused_in_bounds);
	tcase_add_test(tcase, devices_limit_their_company);
	tcase_add_loop_test(tcase, threads_share_an_mmap, 0, 2);
	tcase_add_test(tcase, buffers_of_ended_threads_are_counted);
	tcase_add_test(tcase, buffers_of_large_inventories_are_counted);
	tcase_add_test(tcase, mmaps_come_and_go_beside_other_threads);
	tcase_add_test(tcase, uncounted_buffers_outlive_their_mmap);
	return unit_run(suite);
}
