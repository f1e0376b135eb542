/*
 * daemon/base/account and daemon/base/idmap: a charge is always released, and ids find their
 * objects.
 */
#include <errno.h>
#include <string.h>

#include "daemon/base/account.h"
#include "daemon/base/idmap.h"
#include "tests/unit/unit.h"

static const struct limits limits = {
	.user = {.limit = {[CHARGE_EXPORTS] = 3, [CHARGE_FDS] = UINT64_MAX}},
	.total = {.limit = {[CHARGE_EXPORTS] = 100, [CHARGE_FDS] = UINT64_MAX}},
};

START_TEST(limits_hold_per_uid)
{
	struct accounts accounts;
	struct account *a, *b;
	struct charge one = CHARGE_INIT, two = CHARGE_INIT;

	accounts_init(&accounts, &limits);
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

	accounts_init(&accounts, &limits);
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
	struct limits none = {.total = limits.total};

	accounts_init(&accounts, &limits);
	a = account_ref(&accounts, 1);
	ck_assert_int_eq(charge_add(&charge, a, CHARGE_EXPORTS, 1), 0);
	account_unref(a);
	ck_assert(!list_is_empty(&accounts.list));
	/* Lower limits affect new charges only. */
	accounts_set_limits(&accounts, &none);
	ck_assert_int_eq(charge_add(&charge, a, CHARGE_EXPORTS, 1), -EDQUOT);
	charge_release(&charge);
	ck_assert(list_is_empty(&accounts.list));
}
END_TEST

static const char *explanation(const struct account *account)
{
	static char text[240];

	account_explain(account, text, sizeof(text));
	return text;
}

/* One user has its own limits, and all users together have a total limit. */
START_TEST(user_and_total_limits)
{
	struct limits mixed = limits;
	struct accounts accounts;
	struct account *a, *b;
	struct charge one = CHARGE_INIT, two = CHARGE_INIT;

	mixed.total.limit[CHARGE_EXPORTS] = 6;
	mixed.users[0] = (struct user_quota){
		.uid = 2, .section = "quota user bea", .quota.limit = {[CHARGE_EXPORTS] = 5}};
	mixed.n_users = 1;
	accounts_init(&accounts, &mixed);
	a = account_ref(&accounts, 1);
	b = account_ref(&accounts, 2);
	ck_assert_int_eq(charge_add(&one, a, CHARGE_EXPORTS, 4), -EDQUOT);
	ck_assert_str_eq(explanation(a), "uid 1 uses 0 of 3 exports; release some, or the "
					 "administrator raises exports in section [quota]");
	ck_assert_int_eq(charge_add(&two, b, CHARGE_EXPORTS, 4), 0);
	ck_assert_int_eq(charge_add(&two, b, CHARGE_EXPORTS, 2), -EDQUOT);
	ck_assert_str_eq(explanation(b),
			 "uid 2 uses 4 of 5 exports; release some, or the "
			 "administrator raises exports in section [quota user bea]");
	ck_assert_int_eq(charge_add(&one, a, CHARGE_EXPORTS, 3), -EDQUOT);
	ck_assert_str_eq(explanation(a),
			 "all users together use 4 of 6 exports; release some, or "
			 "the administrator raises exports in section [quota total]");
	ck_assert_int_eq(charge_add(&one, a, CHARGE_EXPORTS, 2), 0);
	charge_drop(&two, CHARGE_EXPORTS, 1);
	ck_assert_uint_eq(accounts.used[CHARGE_EXPORTS], 5);
	charge_release(&one);
	charge_release(&two);
	ck_assert_uint_eq(accounts.used[CHARGE_EXPORTS], 0);
	account_unref(a);
	account_unref(b);
}
END_TEST

/* Changed limits apply to existing accounts, even if they are below the present usage. */
START_TEST(limits_change)
{
	struct limits own = limits;
	struct accounts accounts;
	struct account *a;
	struct charge charge = CHARGE_INIT;

	own.users[1] = (struct user_quota){
		.uid = 1, .section = "x", .quota.limit = {[CHARGE_EXPORTS] = 9}};
	own.users[0].uid = 7;
	own.n_users = 2;
	accounts_init(&accounts, &limits);
	a = account_ref(&accounts, 1);
	ck_assert_str_eq(account_section(a), "quota");
	accounts_set_limits(&accounts, &own);
	ck_assert_str_eq(account_section(a), "x");
	ck_assert_int_eq(charge_add(&charge, a, CHARGE_EXPORTS, 9), 0);
	accounts_set_limits(&accounts, &limits);
	ck_assert_uint_eq(account_limit(a, CHARGE_EXPORTS), 3);
	ck_assert_uint_eq(a->used[CHARGE_EXPORTS], 9);
	ck_assert_int_eq(charge_add(&charge, a, CHARGE_EXPORTS, 1), -EDQUOT);
	charge_drop(&charge, CHARGE_EXPORTS, 7);
	ck_assert_int_eq(charge_add(&charge, a, CHARGE_EXPORTS, 1), 0);
	own.total.limit[CHARGE_EXPORTS] = 2;
	accounts_set_limits(&accounts, &own);
	ck_assert_int_eq(charge_add(&charge, a, CHARGE_EXPORTS, 1), -EDQUOT);
	ck_assert(a->refused_by_total);
	charge_release(&charge);
	account_unref(a);
}
END_TEST

START_TEST(kinds_have_names)
{
	for (int kind = 0; kind < CHARGE_N; kind++) {
		const char *name = charge_kind_name((enum charge_kind)kind);

		ck_assert_ptr_nonnull(name);
		for (int other = 0; other < kind; other++)
			ck_assert_str_ne(name, charge_kind_name((enum charge_kind)other));
	}
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
	tcase_add_test(tcase, user_and_total_limits);
	tcase_add_test(tcase, limits_change);
	tcase_add_test(tcase, kinds_have_names);
	tcase_add_test(tcase, ids_find_objects);
	return unit_run(suite);
}
