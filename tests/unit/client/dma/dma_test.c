/*
 * DMA between mapped memory: the fast path and the general path, windows, limits, faults, overlap.
 */
#include "tests/unit/client/dma/fixture.h"

#define LEN 8192u

/* The first half is the source, the second the destination; both are cut at random into lists. */
static uint8_t memory[2 * LEN], shadow[2 * LEN];
static struct doca_pe *pe;
static struct copier copier;
static struct doca_mmap *mmap;
static struct doca_buf_inventory *inventory;

static void setup(void)
{
	ck_ok(doca_pe_create(&pe));
	copier_init(&copier, pe, 8);
	mmap = unit_mmap(memory, sizeof(memory), DOCA_ACCESS_FLAG_LOCAL_READ_WRITE);
	inventory = unit_inventory(256);
	unit_fill(memory, sizeof(memory), 42);
}

static void teardown(void)
{
	copier_deinit(&copier);
	ck_assert_uint_eq(unit_n_free(inventory), 256);
	ck_ok(doca_buf_inventory_destroy(inventory));
	ck_ok(doca_mmap_destroy(mmap));
	ck_ok(doca_pe_destroy(pe));
	ck_assert_uint_eq(unit_dev.n_users, 0);
}

static struct doca_buf *src_buf(size_t n)
{
	return unit_buf(inventory, mmap, memory, n, 0, n);
}

static struct doca_buf *dst_buf(size_t n)
{
	return unit_buf(inventory, mmap, memory + LEN, n, 0, 0);
}

START_TEST(a_copy_appends)
{
	struct doca_buf *src = src_buf(100), *dst = dst_buf(250);

	ck_ok(copier_copy(&copier, src, dst));
	ck_assert_uint_eq(dst->data_len, 100);
	ck_ok(copier_copy(&copier, src, dst));
	ck_assert_uint_eq(dst->data_len, 200);
	ck_assert_mem_eq(memory + LEN, memory, 100);
	ck_assert_mem_eq(memory + LEN + 100, memory, 100);
	ck_fails(copier_copy(&copier, src, dst), DOCA_ERROR_IO_FAILED);
	ck_says("doca_buf_reset_data_len");
	ck_says("(100 bytes, room for 50)");
	ck_assert_uint_eq(dst->data_len, 200);
	ck_ok(doca_buf_reset_data_len(dst));
	ck_ok(copier_copy(&copier, src, dst));
	unit_put(src);
	unit_put(dst);
}
END_TEST

static uint8_t *where(const struct doca_buf *buf, uint8_t *addr)
{
	return addr + buf->mmap->delta;
}

static struct doca_buf *random_list(uint64_t *seed, uint8_t *base, size_t n, bool is_dst)
{
	struct doca_buf *list = NULL;
	size_t at = 0;

	for (size_t i = 0; i < n; i++) {
		size_t len = unit_random(seed) % 200, lead, data_len;

		/* Includes empty buffers, full buffers and buffers without room. */
		if (unit_random(seed) % 5 == 0)
			len = 0;
		lead = unit_random(seed) % (len + 1);
		data_len = unit_random(seed) % (len - lead + 1);
		if (is_dst && unit_random(seed) % 2 == 0)
			lead = data_len = 0;
		list = unit_chain(list, unit_buf(inventory, mmap, base + at, len, lead, data_len));
		at += len;
	}
	return list;
}

/* Lists of all shapes, compared with the model: every byte of the memory must match. */
START_TEST(random_lists_match_the_model)
{
	uint64_t seed = 1000 + (uint64_t)_i;

	for (int round = 0; round < 400; round++) {
		struct doca_buf *src = random_list(&seed, memory, 1 + unit_random(&seed) % 20,
						   false);
		struct doca_buf *dst = random_list(&seed, memory + LEN, 1 + unit_random(&seed) % 20,
						   true);
		size_t n = unit_data_len(src), room = 0, before = unit_data_len(dst);
		const struct doca_buf *pos;

		BUF_FOR_EACH(pos, dst) room += buf_tail_room(pos);
		memcpy(shadow, memory, sizeof(memory));
		if (n == 0 || n > room) {
			ck_fails(copier_copy(&copier, src, dst), DOCA_ERROR_IO_FAILED);
			ck_assert_uint_eq(unit_data_len(dst), before);
		} else {
			unit_model(src, dst, where, shadow, memory);
			ck_ok(copier_copy(&copier, src, dst));
			ck_assert_uint_eq(unit_data_len(dst), before + n);
		}
		ck_assert_mem_eq(memory, shadow, sizeof(memory));
		unit_put(src);
		unit_put(dst);
	}
}
END_TEST

static const struct doca_buf *buf_at(const struct doca_buf *list, uint64_t i)
{
	while (i-- > 0)
		list = list->next;
	return list;
}

/* Copies a list onto itself or onto its own end: the source is read as it was before the copy. */
START_TEST(lists_may_share_buffers)
{
	uint64_t seed = 2000 + (uint64_t)_i;
	uint32_t n_copied = 0;

	for (int round = 0; round < 400; round++) {
		uint64_t n_bufs = 1 + unit_random(&seed) % 6;
		struct doca_buf *list = random_list(&seed, memory, n_bufs, true), *dst;
		const struct doca_buf *src = buf_at(list, unit_random(&seed) % n_bufs), *pos;
		size_t n = unit_data_len(src), room = 0, before = unit_data_len(list);

		dst = (struct doca_buf *)(uintptr_t)buf_at(list, unit_random(&seed) % n_bufs);
		BUF_FOR_EACH(pos, dst) room += buf_tail_room(pos);
		memcpy(shadow, memory, sizeof(memory));
		if (n > 0 && n <= room) {
			unit_model(src, dst, where, shadow, memory);
			ck_ok(copier_copy(&copier, src, dst));
			ck_assert_uint_eq(unit_data_len(list), before + n);
			n_copied++;
		}
		ck_assert_mem_eq(memory, shadow, sizeof(memory));
		unit_put(list);
	}
	ck_assert_uint_gt(n_copied, 50);
}
END_TEST

/* All ways to cut 6 bytes on both sides: 32 x 32 lists. */
START_TEST(all_cuts_match)
{
	for (unsigned cuts = 0; cuts < 32 * 32; cuts++) {
		struct doca_buf *lists[2] = {NULL, NULL};

		for (unsigned side = 0; side < 2; side++) {
			unsigned bits = side == 0 ? cuts % 32 : cuts / 32, from = 0;

			for (unsigned at = 1; at <= 6; at++) {
				if (at < 6 && !(bits & 1u << (at - 1)))
					continue;
				lists[side] = unit_chain(
					lists[side],
					unit_buf(inventory, mmap, memory + side * LEN + from,
						 at - from, 0, side == 0 ? at - from : 0));
				from = at;
			}
		}
		memset(memory + LEN, 0, 8);
		ck_ok(copier_copy(&copier, lists[0], lists[1]));
		ck_assert_mem_eq(memory + LEN, memory, 6);
		ck_assert_mem_eq(memory + LEN + 6, "\0\0", 2);
		ck_assert_uint_eq(unit_data_len(lists[1]), 6);
		unit_put(lists[0]);
		unit_put(lists[1]);
	}
}
END_TEST

START_TEST(overlap_is_like_memmove)
{
	for (size_t shift = 0; shift <= 64; shift++) {
		for (int up = 0; up < 2; up++) {
			size_t from = up ? 100 : 100 + shift, to = up ? 100 + shift : 100;
			struct doca_buf *src = unit_buf(inventory, mmap, memory + from, 64, 0, 64);
			struct doca_buf *dst = unit_buf(inventory, mmap, memory + to, 64, 0, 0);

			unit_fill(memory, 256, 7 + shift);
			memcpy(shadow, memory, sizeof(memory));
			memmove(shadow + to, shadow + from, 64);
			ck_ok(copier_copy(&copier, src, dst));
			ck_assert_mem_eq(memory, shadow, sizeof(memory));
			unit_put(src);
			unit_put(dst);
		}
	}
}
END_TEST

/*
 * doca_buf_set_data() does not check the window, so the copy does, on the fast and on the slow
 * path.
 */
START_TEST(windows_beyond_their_buffer_fail)
{
	const struct {
		ptrdiff_t data;
		size_t data_len;
	} wrong[] = {
		{-1, 1}, {0, 65}, {65, 0}, {64, 1}, {1, 64}, {1, SIZE_MAX}, {2, SIZE_MAX - 1},
	};

	for (size_t i = 0; i < ARRAY_LEN(wrong); i++) {
		for (unsigned how = 0; how < 4; how++) {
			bool is_dst = how & 1;
			struct doca_buf *src = src_buf(64), *dst = dst_buf(64), *list = src;

			if (!is_dst)
				ck_ok(doca_buf_set_data(src, src->head + wrong[i].data,
							wrong[i].data_len));
			else
				ck_ok(doca_buf_set_data(dst, dst->head + wrong[i].data,
							wrong[i].data_len));
			/* A list takes the slow path. */
			if (how & 2)
				list = unit_chain(src_buf(8), src);
			memcpy(shadow, memory, sizeof(memory));
			ck_fails(copier_copy(&copier, list, dst), DOCA_ERROR_IO_FAILED);
			ck_says(is_dst ? "destination's data section" : "source's data section");
			ck_assert_mem_eq(memory, shadow, sizeof(memory));
			unit_put(list);
			unit_put(dst);
		}
	}
}
END_TEST

/* Lists whose lengths add up to more than a size_t holds. */
START_TEST(sums_do_not_wrap)
{
	struct doca_mmap *all = unit_mmap((void *)4096, SIZE_MAX - 8192,
					  DOCA_ACCESS_FLAG_LOCAL_READ_WRITE);
	struct doca_buf *src, *dst;
	struct doca_task *refused;

	src = unit_buf(inventory, all, (void *)4096, SIZE_MAX - 8192, 0, SIZE_MAX - 8192);
	unit_chain(src, unit_buf(inventory, all, (void *)4096, 8192 + 65, 0, 8192 + 65));
	dst = dst_buf(64);
	refused = copier_task(&copier, src, dst);
	ck_fails(doca_task_try_submit(refused), DOCA_ERROR_INVALID_VALUE);
	doca_task_free(refused);
	ck_fails(copier_copy(&copier, src, dst), DOCA_ERROR_IO_FAILED);
	ck_says("more bytes");
	unit_put(src);
	src = src_buf(64);
	unit_put(dst);
	dst = unit_buf(inventory, mmap, memory + LEN, 64, 0, 0);
	unit_chain(dst, unit_buf(inventory, all, (void *)4096, SIZE_MAX - 8192, 0, 0));
	unit_chain(dst, unit_buf(inventory, all, (void *)4096, SIZE_MAX - 8192, 0, 0));
	ck_ok(copier_copy(&copier, src, dst));
	ck_assert_mem_eq(memory + LEN, memory, 64);
	unit_put(src);
	unit_put(dst);
	ck_ok(doca_mmap_destroy(all));
}
END_TEST

START_TEST(limits_of_the_device_hold)
{
	struct copier small;
	struct doca_buf *src, *dst;
	uint64_t reported;

	unit_info.caps.dma_max_buf_size = 128;
	unit_info.caps.dma_max_list_len = 2;
	ck_ok(doca_dma_cap_task_memcpy_get_max_buf_size(&unit_info, &reported));
	ck_assert_uint_eq(reported, 128);
	copier_init(&small, pe, 1);
	src = src_buf(128);
	dst = dst_buf(512);
	ck_ok(copier_copy(&small, src, dst));
	unit_put(src);
	src = src_buf(129);
	ck_fails(copier_copy(&small, src, dst), DOCA_ERROR_IO_FAILED);
	ck_says("max_buf_size");
	unit_put(src);
	src = unit_chain(src_buf(64), src_buf(64));
	ck_ok(copier_copy(&small, src, dst));
	unit_chain(src, src_buf(0));
	ck_fails(copier_copy(&small, src, dst), DOCA_ERROR_IO_FAILED);
	ck_says("max_buf_list_len");
	unit_put(src);
	unit_put(dst);
	copier_deinit(&small);
}
END_TEST

/* The limit of the profile unlimited; a query reports a size that programs can allocate. */
START_TEST(the_longest_limit_holds)
{
	struct doca_mmap *all = unit_mmap((void *)4096, SIZE_MAX - 8192,
					  DOCA_ACCESS_FLAG_LOCAL_READ_WRITE);
	size_t len = (size_t)INT64_MAX + 1;
	struct doca_buf *src, *dst;
	struct copier large;
	uint64_t reported;

	unit_info.caps.dma_max_buf_size = INT64_MAX;
	ck_ok(doca_dma_cap_task_memcpy_get_max_buf_size(&unit_info, &reported));
	ck_assert_uint_eq(reported, 2u << 20);
	copier_init(&large, pe, 1);
	src = unit_buf(inventory, all, (void *)4096, len, 0, len);
	dst = unit_buf(inventory, all, (void *)4096, len, 0, 0);
	ck_fails(copier_copy(&large, src, dst), DOCA_ERROR_IO_FAILED);
	ck_says("max_buf_size");
	/* One byte less, in two parts, is within the limit, but does not fit the destination. */
	unit_put(src);
	unit_put(dst);
	src = unit_buf(inventory, all, (void *)4096, len - 2, 0, len - 2);
	unit_chain(src, unit_buf(inventory, all, (void *)4096, 1, 0, 1));
	dst = dst_buf(64);
	ck_fails(copier_copy(&large, src, dst), DOCA_ERROR_IO_FAILED);
	ck_says("room for 64");
	unit_put(src);
	unit_put(dst);
	copier_deinit(&large);
	ck_ok(doca_mmap_destroy(all));
}
END_TEST

START_TEST(rights_devices_and_life_are_checked)
{
	struct doca_mmap *read_only = unit_mmap(memory, LEN, DOCA_ACCESS_FLAG_LOCAL_READ_ONLY);
	struct doca_mmap *foreign;
	_Atomic uint32_t alive = 7;
	struct doca_buf *src = src_buf(8), *dst = unit_buf(inventory, read_only, memory, 8, 0, 0);

	ck_fails(copier_copy(&copier, src, dst), DOCA_ERROR_NOT_PERMITTED);
	ck_says("doca_mmap_set_permissions");
	unit_put(dst);
	ck_ok(doca_mmap_destroy(read_only));

	ck_ok(doca_mmap_create(&foreign));
	ck_ok(doca_mmap_set_memrange(foreign, memory, LEN));
	ck_ok(doca_mmap_add_dev(foreign, &unit_dev_other));
	ck_ok(doca_mmap_start(foreign));
	dst = unit_buf(inventory, foreign, memory, 8, 0, 0);
	ck_fails(copier_copy(&copier, src, dst), DOCA_ERROR_IO_FAILED);
	ck_says("doca_mmap_add_dev");
	unit_put(dst);
	ck_ok(doca_mmap_destroy(foreign));

	foreign =
		unit_import((uintptr_t)memory + LEN, 64, true, true,
			    &(struct transport_region){.ops = transport_table[0], .direct = true});
	foreign->alive = &alive;
	foreign->generation = 7;
	dst = unit_buf(inventory, foreign, memory + LEN, 8, 0, 0);
	ck_ok(copier_copy(&copier, src, dst));
	ck_ok(doca_buf_reset_data_len(dst));
	alive = 8;
	ck_fails(copier_copy(&copier, src, dst), DOCA_ERROR_IO_FAILED);
	ck_says("exporter");
	ck_assert_uint_eq(dst->data_len, 0);
	unit_put(dst);
	unit_put(src);
	ck_ok(doca_mmap_destroy(foreign));
}
END_TEST

/* Memory that is mapped at another address, as with shm. */
START_TEST(imports_are_moved_by_their_delta)
{
	const uint64_t base = UINT64_C(0x7123450000);
	struct doca_mmap *import = unit_import(
		base, LEN, true, true,
		&(struct transport_region){.ops = transport_table[0],
					   .direct = true,
					   .delta = (intptr_t)((uintptr_t)memory + LEN - base)});
	struct doca_buf *src = src_buf(100);
	struct doca_buf *dst = unit_buf(inventory, import, (uint8_t *)base + 50, 200, 3, 0);

	ck_ok(copier_copy(&copier, src, dst));
	ck_assert_mem_eq(memory + LEN + 53, memory, 100);
	memset(memory, 0, 100);
	unit_put(src);
	src = src_buf(100);
	ck_ok(doca_buf_reset_data_len(src));
	ck_ok(copier_copy(&copier, dst, src));
	ck_assert_mem_eq(memory, memory + LEN + 53, 100);
	unit_put(src);
	src = unit_chain(src_buf(60), src_buf(30));
	ck_ok(copier_copy(&copier, src, dst));
	ck_assert_mem_eq(memory + LEN + 153, memory, 60);
	ck_assert_mem_eq(memory + LEN + 213, memory, 30);
	unit_put(src);
	unit_put(dst);
	ck_ok(doca_mmap_destroy(import));
}
END_TEST

START_TEST(try_submit_finds_all_of_it)
{
	struct doca_buf *src = src_buf(8), *dst = dst_buf(4);
	struct doca_task *task = copier_task(&copier, NULL, dst);
	struct doca_dma_task_memcpy *memcpy_task = (struct doca_dma_task_memcpy *)task;

	ck_fails(doca_task_try_submit(task), DOCA_ERROR_INVALID_VALUE);
	ck_says("source buffer is NULL");
	doca_dma_task_memcpy_set_src(memcpy_task, src);
	doca_dma_task_memcpy_set_dst(memcpy_task, NULL);
	ck_fails(doca_task_try_submit(task), DOCA_ERROR_INVALID_VALUE);
	doca_dma_task_memcpy_set_dst(memcpy_task, dst);
	ck_fails(doca_task_try_submit(task), DOCA_ERROR_INVALID_VALUE);
	ck_says("does not fit");
	ck_ok(doca_buf_set_data_len(src, 4));
	ck_ok(doca_task_try_submit(task));
	unit_progress(pe);
	ck_assert_uint_eq(copier.n_ok, 1);
	unit_put(src);
	unit_put(dst);
}
END_TEST

START_TEST(a_failed_copy_stops_the_context)
{
	struct doca_buf *src = src_buf(8), *dst = dst_buf(8), *second = dst_buf(8);

	copier_submit(&copier, src, NULL);
	copier_submit(&copier, src, dst);
	copier_submit(&copier, src, second);
	ck_assert_uint_eq(doca_pe_progress(pe), 1);
	ck_assert_int_eq(copier.status, DOCA_ERROR_IO_FAILED);
	unit_progress(pe);
	ck_assert_uint_eq(copier.n_failed, 3);
	ck_assert_int_eq(copier.status, DOCA_ERROR_SHUTDOWN);
	ck_assert_int_eq(unit_state(copier.ctx), IDLE);
	ck_assert_uint_eq(dst->data_len + second->data_len, 0);
	ck_ok(doca_ctx_start(copier.ctx));
	ck_ok(copier_copy(&copier, src, dst));
	unit_put(src);
	unit_put(dst);
	unit_put(second);
}
END_TEST

START_TEST(configuration_is_checked)
{
	struct doca_dma *dma;
	struct doca_dma_task_memcpy *task;
	uint32_t n;

	ck_fails(doca_dma_create(NULL, &dma), DOCA_ERROR_INVALID_VALUE);
	ck_ok(doca_dma_create(&unit_dev, &dma));
	ck_ok(doca_dma_cap_get_max_num_tasks(dma, &n));
	ck_assert_uint_eq(n, 4096);
	ck_fails(doca_dma_task_memcpy_set_conf(dma, copier_done, copier_done, 0),
		 DOCA_ERROR_INVALID_VALUE);
	ck_fails(doca_dma_task_memcpy_set_conf(dma, copier_done, NULL, 1),
		 DOCA_ERROR_INVALID_VALUE);
	ck_fails(doca_dma_task_memcpy_set_conf(dma, copier_done, copier_done, n + 1),
		 DOCA_ERROR_INVALID_VALUE);
	ck_ok(doca_pe_connect_ctx(pe, doca_dma_as_ctx(dma)));
	ck_fails(doca_ctx_start(doca_dma_as_ctx(dma)), DOCA_ERROR_INITIALIZATION);
	ck_says("set_conf");
	ck_fails(doca_dma_task_memcpy_alloc_init(dma, NULL, NULL, (union doca_data){.u64 = 0},
						 &task),
		 DOCA_ERROR_BAD_STATE);
	ck_ok(doca_dma_destroy(dma));
	ck_fails(doca_dma_destroy(copier.dma), DOCA_ERROR_IN_USE);
	ck_fails(doca_dma_task_memcpy_set_conf(copier.dma, copier_done, copier_done, 1),
		 DOCA_ERROR_BAD_STATE);
	unit_info.caps.dma = false;
	ck_fails(doca_dma_create(&unit_dev, &dma), DOCA_ERROR_INITIALIZATION);
	ck_fails(doca_dma_cap_task_memcpy_is_supported(&unit_info), DOCA_ERROR_NOT_SUPPORTED);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("client/dma");
	TCase *tcase = unit_case(suite, "mapped", UNIT_TIMEOUT_LONG);

	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_test(tcase, a_copy_appends);
	tcase_add_loop_test(tcase, random_lists_match_the_model, 0, 8);
	tcase_add_loop_test(tcase, lists_may_share_buffers, 0, 4);
	tcase_add_test(tcase, all_cuts_match);
	tcase_add_test(tcase, overlap_is_like_memmove);
	tcase_add_test(tcase, windows_beyond_their_buffer_fail);
	tcase_add_test(tcase, sums_do_not_wrap);
	tcase_add_test(tcase, limits_of_the_device_hold);
	tcase_add_test(tcase, the_longest_limit_holds);
	tcase_add_test(tcase, rights_devices_and_life_are_checked);
	tcase_add_test(tcase, imports_are_moved_by_their_delta);
	tcase_add_test(tcase, try_submit_finds_all_of_it);
	tcase_add_test(tcase, a_failed_copy_stops_the_context);
	tcase_add_test(tcase, configuration_is_checked);
	return unit_run(suite);
}
