/* daemon/account and daemon/idmap: charges come back whatever happens; ids find their objects. */
#include <errno.h>

#include "daemon/account.h"
#include "daemon/idmap.h"
#include "tests/unit/unit.h"

static const struct quota quota = {.limit = {[CHARGE_EXPORTS] = 3, [CHARGE_FDS] = UINT64_MAX}};

START_TEST(limits_hold_per_uid)
{
	struct accounts accounts;
	struct account *a, *b;
	struct charge one = CHARGE_INIT, two = CHARGE_INIT;

	accounts_init(&accounts, &quota);
	a = account_ref(&accounts, 1);
	b = account_ref(&accounts, 2);
	ck_assert_ptr_eq(account_ref(&accounts, 1), a);
	account_unref(a);
	ck_assert_int_eq(charge_add(&one, a, CHARGE_EXPORTS, 2), 0);
	ck_assert_int_eq(charge_add(&two, a, CHARGE_EXPORTS, 2), -EDQUOT);
	ck_assert_int_eq(a->refused, CHARGE_EXPORTS);
	ck_assert_ptr_null(two.account);
	ck_assert_int_eq(charge_add(&two, b, CHARGE_EXPORTS, 3), 0);
	charge_release(&two);
	charge_release(&two);
	ck_assert_uint_eq(b->used[CHARGE_EXPORTS], 0);
	charge_drop(&one, CHARGE_EXPORTS, 100);
	ck_assert_uint_eq(a->used[CHARGE_EXPORTS], 0);
	charge_release(&one);
	account_unref(a);
	account_unref(b);
	ck_assert(list_is_empty(&accounts.list));
}
END_TEST

START_TEST(huge_amounts_do_not_wrap)
{
	struct accounts accounts;
	struct account *a;
	struct charge charge = CHARGE_INIT;

	accounts_init(&accounts, &quota);
	a = account_ref(&accounts, 1);
	ck_assert_int_eq(charge_add(&charge, a, CHARGE_FDS, UINT64_MAX), 0);
	ck_assert_int_eq(charge_add(&charge, a, CHARGE_FDS, 1), -EDQUOT);
	charge_release(&charge);
	account_unref(a);
}
END_TEST

/* A charge keeps its account after the session's own reference has gone. */
START_TEST(charge_outlives_reference)
{
	struct accounts accounts;
	struct account *a;
	struct charge charge = CHARGE_INIT;
	struct quota none = {.limit = {0}};

	accounts_init(&accounts, &quota);
	a = account_ref(&accounts, 1);
	ck_assert_int_eq(charge_add(&charge, a, CHARGE_EXPORTS, 1), 0);
	account_unref(a);
	ck_assert(!list_is_empty(&accounts.list));
	/* Lower limits only stop what comes after. */
	accounts_set_quota(&accounts, &none);
	ck_assert_int_eq(charge_add(&charge, a, CHARGE_EXPORTS, 1), -EDQUOT);
	charge_release(&charge);
	ck_assert(list_is_empty(&accounts.list));
}
END_TEST

START_TEST(ids_find_objects)
{
	enum { N = 5000 };
	static struct idmap_node nodes[N], extra;
	struct idmap map = IDMAP_INIT;
	uint64_t seed = 99, ids[N];

	ck_assert_ptr_null(idmap_find(&map, 1));
	for (size_t i = 0; i < N; i++) {
		ids[i] = i % 2 ? i : unit_random(&seed) | 1u << 20;
		ck_assert_int_eq(idmap_add(&map, &nodes[i], ids[i]), 0);
	}
	ck_assert_int_eq(idmap_add(&map, &extra, ids[7]), -EEXIST);
	for (size_t i = 0; i < N; i += 3)
		idmap_remove(&map, &nodes[i]);
	idmap_remove(&map, &nodes[0]);
	idmap_remove(&map, &extra);
	for (size_t i = 0; i < N; i++)
		ck_assert_ptr_eq(idmap_find(&map, ids[i]), i % 3 ? &nodes[i] : NULL);
	for (size_t i = 0; i < N; i++)
		idmap_remove(&map, &nodes[i]);
	ck_assert_uint_eq(map.n_nodes, 0);
	idmap_deinit(&map);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("daemon accounts");
	TCase *tcase = unit_case(suite, "accounts", UNIT_TIMEOUT);

	tcase_add_test(tcase, limits_hold_per_uid);
	tcase_add_test(tcase, huge_amounts_do_not_wrap);
	tcase_add_test(tcase, charge_outlives_reference);
	tcase_add_test(tcase, ids_find_objects);
	return unit_run(suite);
}
