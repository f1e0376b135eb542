/* Buffers and lists of buffers: windows, references, chaining, cutting, duplicates. */
#include "tests/unit/client/fixture.h"

static uint8_t memory[4096];
static struct doca_mmap *mmap;
static struct doca_buf_inventory *inventory;

static void setup(void)
{
	mmap = unit_mmap(memory, sizeof(memory), DOCA_ACCESS_FLAG_LOCAL_READ_WRITE);
	inventory = unit_inventory(16);
}

static void teardown(void)
{
	uint32_t n_bufs;

	ck_ok(doca_mmap_get_num_bufs(mmap, &n_bufs));
	ck_assert_uint_eq(n_bufs, 0);
	ck_assert_uint_eq(unit_n_free(inventory), 16);
	ck_ok(doca_buf_inventory_destroy(inventory));
	ck_ok(doca_mmap_destroy(mmap));
}

static struct doca_buf *get(size_t at)
{
	struct doca_buf *buf;

	ck_ok(doca_buf_inventory_buf_get_by_data(inventory, mmap, memory + at, 64, &buf));
	return buf;
}

static struct doca_buf *get_list(size_t n)
{
	struct doca_buf *head = get(0);

	for (size_t i = 1; i < n; i++)
		ck_ok(doca_buf_chain_list(head, get(64 * i)));
	return head;
}

static uint16_t refs(const struct doca_buf *buf)
{
	uint16_t n;

	ck_ok(doca_buf_get_refcount(buf, &n));
	return n;
}

static uint32_t list_len(const struct doca_buf *buf)
{
	uint32_t n = 0;

	ck_ok(doca_buf_get_list_len(buf, &n));
	return n;
}

static void check_place(const struct doca_buf *buf, bool first, bool last, bool in_list)
{
	uint8_t is;

	ck_ok(doca_buf_is_first_in_list(buf, &is));
	ck_assert_uint_eq(is, first);
	ck_ok(doca_buf_is_last_in_list(buf, &is));
	ck_assert_uint_eq(is, last);
	ck_ok(doca_buf_is_in_list(buf, &is));
	ck_assert_uint_eq(is, in_list);
}

START_TEST(windows_are_as_set)
{
	struct doca_buf *buf;
	void *addr;
	size_t len;

	ck_ok(doca_buf_inventory_buf_get_by_args(inventory, mmap, memory + 8, 100, memory + 18, 20,
						 &buf));
	ck_ok(doca_buf_get_head(buf, &addr));
	ck_assert_ptr_eq(addr, memory + 8);
	ck_ok(doca_buf_get_len(buf, &len));
	ck_assert_uint_eq(len, 100);
	ck_ok(doca_buf_get_data(buf, &addr));
	ck_assert_ptr_eq(addr, memory + 18);
	ck_ok(doca_buf_get_data_len(buf, &len));
	ck_assert_uint_eq(len, 20);
	ck_assert_uint_eq(buf_tail_room(buf), 70);
	ck_ok(doca_buf_set_data(buf, memory + 10, 98));
	ck_assert_uint_eq(buf_tail_room(buf), 0);
	ck_ok(doca_buf_set_data_len(buf, 5));
	ck_assert_uint_eq(buf_tail_room(buf), 93);
	ck_ok(doca_buf_reset_data_len(buf));
	ck_assert_uint_eq(buf_tail_room(buf), 98);
	check_place(buf, true, true, false);
	ck_assert_uint_eq(list_len(buf), 1);
	ck_ok(doca_buf_dec_refcount(buf, NULL));
}
END_TEST

START_TEST(references_count)
{
	struct doca_buf *buf = get(0);
	uint16_t before = 9;

	ck_ok(doca_buf_inc_refcount(buf, &before));
	ck_assert_uint_eq(before, 1);
	ck_ok(doca_buf_inc_refcount(buf, NULL));
	ck_assert_uint_eq(refs(buf), 3);
	ck_ok(doca_buf_dec_refcount(buf, &before));
	ck_assert_uint_eq(before, 3);
	ck_ok(doca_buf_dec_refcount(buf, NULL));
	ck_assert_uint_eq(unit_n_free(inventory), 15);
	ck_ok(doca_buf_dec_refcount(buf, &before));
	ck_assert_uint_eq(before, 1);
	ck_assert_uint_eq(unit_n_free(inventory), 16);
	ck_fails(doca_buf_dec_refcount(buf, &before), DOCA_ERROR_BAD_STATE);
	ck_assert_uint_eq(unit_n_free(inventory), 16);
}
END_TEST

START_TEST(a_released_buffer_cannot_be_counted)
{
	struct doca_buf *buf = get(0), *again;

	ck_ok(doca_buf_dec_refcount(buf, NULL));
	ck_fails(doca_buf_inc_refcount(buf, NULL), DOCA_ERROR_NOT_PERMITTED);
	ck_says("released");
	ck_assert_uint_eq(refs(buf), 0);
	again = get(0);
	ck_assert_uint_eq(refs(again), 1);
	ck_ok(doca_buf_dec_refcount(again, NULL));
}
END_TEST

START_TEST(references_end_at_65535)
{
	struct doca_buf *buf = get(0);

	for (int i = 1; i < 65535; i++)
		ck_ok(doca_buf_inc_refcount(buf, NULL));
	ck_assert_uint_eq(refs(buf), 65535);
	ck_fails(doca_buf_inc_refcount(buf, NULL), DOCA_ERROR_TOO_BIG);
	ck_assert_uint_eq(refs(buf), 65535);
	check_place(buf, true, true, false);
	for (int i = 0; i < 65535; i++)
		ck_ok(doca_buf_dec_refcount(buf, NULL));
}
END_TEST

START_TEST(lists_are_chained)
{
	struct doca_buf *list = get_list(3), *other = get(640), *pos, *last;

	ck_assert_uint_eq(list_len(list), 3);
	check_place(list, true, false, true);
	ck_ok(doca_buf_get_next_in_list(list, &pos));
	check_place(pos, false, false, true);
	ck_fails(doca_buf_get_list_len(pos, &(uint32_t){0}), DOCA_ERROR_NOT_PERMITTED);
	ck_fails(doca_buf_inc_refcount(pos, NULL), DOCA_ERROR_NOT_PERMITTED);
	ck_fails(doca_buf_dec_refcount(pos, NULL), DOCA_ERROR_NOT_PERMITTED);
	ck_assert_uint_eq(refs(pos), 1);
	ck_ok(doca_buf_get_last_in_list(list, &last));
	check_place(last, false, true, true);
	ck_ok(doca_buf_get_next_in_list(last, &pos));
	ck_assert_ptr_null(pos);
	ck_ok(doca_buf_chain_list_tail(list, last, other));
	ck_assert_uint_eq(list_len(list), 4);
	ck_ok(doca_buf_dec_refcount(list, NULL));
}
END_TEST

START_TEST(lists_are_joined)
{
	struct doca_buf *one = get_list(3), *two = get_list(2), *last;

	ck_ok(doca_buf_inc_refcount(one, NULL));
	ck_ok(doca_buf_chain_list(one, two));
	ck_assert_uint_eq(list_len(one), 5);
	ck_assert_uint_eq(refs(one), 2);
	ck_ok(doca_buf_get_last_in_list(two, &last));
	check_place(last, false, true, true);
	ck_ok(doca_buf_dec_refcount(one, NULL));
	ck_assert_uint_eq(unit_n_free(inventory), 11);
	ck_ok(doca_buf_dec_refcount(one, NULL));
}
END_TEST

START_TEST(wrong_chains_are_refused)
{
	struct doca_buf *list = get_list(2), *single = get(640), *inner = list->next;

	ck_fails(doca_buf_chain_list(list, list), DOCA_ERROR_NOT_PERMITTED);
	ck_fails(doca_buf_chain_list(list, inner), DOCA_ERROR_NOT_PERMITTED);
	ck_fails(doca_buf_chain_list(inner, single), DOCA_ERROR_NOT_PERMITTED);
	ck_fails(doca_buf_chain_list_tail(list, list, single), DOCA_ERROR_NOT_PERMITTED);
	ck_ok(doca_buf_inc_refcount(single, NULL));
	ck_fails(doca_buf_chain_list(list, single), DOCA_ERROR_NOT_PERMITTED);
	ck_says("2 references");
	ck_ok(doca_buf_dec_refcount(single, NULL));
	ck_assert_uint_eq(list_len(list), 2);
	check_place(single, true, true, false);
	ck_ok(doca_buf_dec_refcount(single, NULL));
	ck_ok(doca_buf_dec_refcount(list, NULL));
}
END_TEST

/* Tries every length and every cut: both halves are complete lists. */
START_TEST(lists_are_split)
{
	for (size_t n = 2; n <= 6; n++) {
		for (size_t cut = 1; cut < n; cut++) {
			struct doca_buf *list = get_list(n), *rest = list;

			for (size_t i = 0; i < cut; i++)
				rest = rest->next;
			ck_ok(doca_buf_unchain_list(list, rest));
			ck_assert_uint_eq(list_len(list), cut);
			ck_assert_uint_eq(list_len(rest), n - cut);
			check_place(list, true, cut == 1, cut > 1);
			check_place(rest, true, n - cut == 1, n - cut > 1);
			ck_assert_uint_eq(refs(rest), 1);
			ck_ok(doca_buf_dec_refcount(list, NULL));
			ck_assert_uint_eq(unit_n_free(inventory), 16 - (n - cut));
			ck_ok(doca_buf_dec_refcount(rest, NULL));
		}
	}
}
END_TEST

START_TEST(a_split_inside_keeps_the_head_chained)
{
	struct doca_buf *list = get_list(4), *third = list->next->next;

	/* The first argument is not the head, but an element from which the search starts. */
	ck_ok(doca_buf_unchain_list(list->next, third));
	check_place(list->next, false, true, true);
	ck_assert_uint_eq(list_len(list), 2);
	ck_assert_uint_eq(list_len(third), 2);
	ck_ok(doca_buf_dec_refcount(list, NULL));
	ck_ok(doca_buf_dec_refcount(third, NULL));
}
END_TEST

START_TEST(wrong_splits_are_refused)
{
	struct doca_buf *list = get_list(2), *other = get(640);

	ck_fails(doca_buf_unchain_list(list, other), DOCA_ERROR_INVALID_VALUE);
	ck_fails(doca_buf_unchain_list(list, list), DOCA_ERROR_INVALID_VALUE);
	ck_fails(doca_buf_unchain_list(list->next, list), DOCA_ERROR_INVALID_VALUE);
	ck_fails(doca_buf_unchain_list(list, NULL), DOCA_ERROR_INVALID_VALUE);
	ck_fails(doca_buf_unchain_list(NULL, list), DOCA_ERROR_INVALID_VALUE);
	ck_assert_uint_eq(list_len(list), 2);
	ck_ok(doca_buf_dec_refcount(other, NULL));
	ck_ok(doca_buf_dec_refcount(list, NULL));
}
END_TEST

START_TEST(a_buffer_out_of_a_list_starts_alone)
{
	struct doca_buf *list = get_list(5), *bufs[16];

	ck_ok(doca_buf_dec_refcount(list, NULL));
	for (size_t i = 0; i < 16; i++) {
		bufs[i] = get(64 * i);
		check_place(bufs[i], true, true, false);
		ck_assert_uint_eq(refs(bufs[i]), 1);
	}
	for (size_t i = 0; i < 16; i++)
		ck_ok(doca_buf_dec_refcount(bufs[i], NULL));
}
END_TEST

START_TEST(lists_are_duplicated)
{
	struct doca_buf *list = get_list(3), *copy, *from, *to;

	ck_ok(doca_buf_set_data(list->next, memory + 70, 7));
	ck_ok(doca_buf_inc_refcount(list, NULL));
	ck_ok(doca_buf_inventory_buf_dup(inventory, list, &copy));
	ck_assert_uint_eq(refs(copy), 1);
	ck_assert_uint_eq(list_len(copy), 3);
	for (from = list, to = copy; from != NULL; from = from->next, to = to->next) {
		ck_assert_ptr_ne(from, to);
		ck_assert_ptr_eq(from->head, to->head);
		ck_assert_ptr_eq(from->data, to->data);
		ck_assert_uint_eq(from->len, to->len);
		ck_assert_uint_eq(from->data_len, to->data_len);
		check_place(to, to == copy, to->next == NULL, true);
	}
	ck_fails(doca_buf_inventory_buf_dup(inventory, list->next, &copy),
		 DOCA_ERROR_NOT_PERMITTED);
	ck_ok(doca_buf_dec_refcount(list, NULL));
	ck_ok(doca_buf_dec_refcount(list, NULL));
	ck_assert_uint_eq(list_len(copy), 3);
	ck_ok(doca_buf_dec_refcount(copy, NULL));
}
END_TEST

START_TEST(a_copy_that_does_not_fit_takes_nothing)
{
	struct doca_buf *list = get_list(9), *copy = NULL;

	ck_fails(doca_buf_inventory_buf_dup(inventory, list, &copy), DOCA_ERROR_NO_MEMORY);
	ck_assert_ptr_null(copy);
	ck_assert_uint_eq(unit_n_free(inventory), 7);
	ck_ok(doca_buf_dec_refcount(list, NULL));
}
END_TEST

/* Each element returns to its own inventory. */
START_TEST(a_list_may_span_inventories)
{
	struct doca_buf_inventory *second = unit_inventory(2);
	struct doca_buf *list = get_list(2), *buf;

	ck_ok(doca_buf_inventory_buf_get_by_addr(second, mmap, memory, 8, &buf));
	ck_ok(doca_buf_chain_list(list, buf));
	ck_fails(doca_buf_inventory_destroy(second), DOCA_ERROR_IN_USE);
	ck_ok(doca_buf_dec_refcount(list, NULL));
	ck_assert_uint_eq(unit_n_free(second), 2);
	ck_ok(doca_buf_inventory_destroy(second));
}
END_TEST

/*
 * Random chains, cuts, references and releases, compared with a model that represents lists as
 * arrays.
 */
START_TEST(random_lists_match_a_model)
{
	struct {
		struct doca_buf *bufs[16];
		size_t n;
		uint32_t refs;
	} lists[16];
	uint64_t seed = 0x1234567ull + (uint64_t)_i;
	size_t n_lists = 0, n_out = 0;

	for (int step = 0; step < UNIT_N(5000); step++) {
		size_t a = n_lists ? unit_random(&seed) % n_lists : 0;
		size_t b = n_lists ? unit_random(&seed) % n_lists : 0;

		switch (unit_random(&seed) % 5) {
		case 0:
			if (n_out == 16)
				break;
			lists[n_lists].bufs[0] = get(64 * (unit_random(&seed) % 16));
			lists[n_lists].n = 1;
			lists[n_lists++].refs = 1;
			n_out++;
			break;
		case 1:
			if (n_lists == 0)
				break;
			if (a == b || lists[b].refs != 1) {
				ck_fails(doca_buf_chain_list(lists[a].bufs[0], lists[b].bufs[0]),
					 DOCA_ERROR_NOT_PERMITTED);
				break;
			}
			ck_ok(doca_buf_chain_list(lists[a].bufs[0], lists[b].bufs[0]));
			for (size_t i = 0; i < lists[b].n; i++)
				lists[a].bufs[lists[a].n++] = lists[b].bufs[i];
			lists[b] = lists[--n_lists];
			break;
		case 2:
			if (n_lists == 0 || lists[a].n < 2)
				break;
			b = 1 + unit_random(&seed) % (lists[a].n - 1);
			ck_ok(doca_buf_unchain_list(lists[a].bufs[0], lists[a].bufs[b]));
			lists[n_lists].n = lists[a].n - b;
			lists[n_lists].refs = 1;
			for (size_t i = b; i < lists[a].n; i++)
				lists[n_lists].bufs[i - b] = lists[a].bufs[i];
			lists[a].n = b;
			n_lists++;
			break;
		case 3:
			if (n_lists == 0)
				break;
			ck_ok(doca_buf_inc_refcount(lists[a].bufs[0], NULL));
			lists[a].refs++;
			break;
		default:
			if (n_lists == 0)
				break;
			ck_ok(doca_buf_dec_refcount(lists[a].bufs[0], NULL));
			if (--lists[a].refs == 0) {
				n_out -= lists[a].n;
				lists[a] = lists[--n_lists];
			}
		}
		ck_assert_uint_eq(unit_n_free(inventory), 16 - n_out);
		for (size_t i = 0; i < n_lists; i++) {
			struct doca_buf *pos = lists[i].bufs[0];

			ck_assert_uint_eq(refs(pos), lists[i].refs);
			ck_assert_uint_eq(list_len(pos), lists[i].n);
			for (size_t k = 0; k < lists[i].n; k++, pos = pos->next) {
				ck_assert_ptr_eq(pos, lists[i].bufs[k]);
				check_place(pos, k == 0, k + 1 == lists[i].n, lists[i].n > 1);
			}
		}
	}
	for (size_t i = 0; i < n_lists; i++) {
		while (lists[i].refs-- > 0)
			ck_ok(doca_buf_dec_refcount(lists[i].bufs[0], NULL));
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("client/buf");
	TCase *tcase = unit_case(suite, "buf", UNIT_TIMEOUT_LONG);

	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_test(tcase, windows_are_as_set);
	tcase_add_test(tcase, references_count);
	tcase_add_test(tcase, a_released_buffer_cannot_be_counted);
	tcase_add_test(tcase, references_end_at_65535);
	tcase_add_test(tcase, lists_are_chained);
	tcase_add_test(tcase, lists_are_joined);
	tcase_add_test(tcase, wrong_chains_are_refused);
	tcase_add_test(tcase, lists_are_split);
	tcase_add_test(tcase, a_split_inside_keeps_the_head_chained);
	tcase_add_test(tcase, wrong_splits_are_refused);
	tcase_add_test(tcase, a_buffer_out_of_a_list_starts_alone);
	tcase_add_test(tcase, lists_are_duplicated);
	tcase_add_test(tcase, a_copy_that_does_not_fit_takes_nothing);
	tcase_add_test(tcase, a_list_may_span_inventories);
	tcase_add_loop_test(tcase, random_lists_match_a_model, 0, 8);
	return unit_run(suite);
}
