/* Ids of exports: their owners, and revoked ids. */
#include <string.h>

#include "daemon/memory/export_id.h"
#include "tests/unit/unit.h"

/* Exporters present them after restarts and upgrades of the daemon, so they must never change. */
START_TEST(ids_are_stable_across_versions)
{
	static const struct {
		uid_t uid;
		uint64_t id;
	} known[] = {{0, 3072266658753726}, {1000, 2391109001636570}, {4242, 4191662496113996}};
	uint8_t secret[EXPORT_SECRET_LEN];
	uint64_t id;

	for (uint8_t i = 0; i < EXPORT_SECRET_LEN; i++)
		secret[i] = i;
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		ck_assert_int_eq(export_id_of(secret, known[i].uid, &id), 0);
		ck_assert_uint_eq(id, known[i].id);
	}
}
END_TEST

START_TEST(ids_depend_on_the_owner)
{
	uint8_t secret[EXPORT_SECRET_LEN], other[EXPORT_SECRET_LEN], second[EXPORT_SECRET_LEN];
	uint64_t id, again;

	ck_assert_int_eq(export_id_make(1000, secret, second, &id), 0);
	ck_assert_int_eq(export_id_of(secret, 1000, &again), 0);
	ck_assert_uint_eq(id, again);
	ck_assert_int_eq(export_id_of(secret, 1001, &again), 0);
	ck_assert_uint_ne(id, again);
	ck_assert_int_eq(export_id_make(1000, other, second, &again), 0);
	ck_assert_mem_ne(secret, other, sizeof(secret));
	ck_assert_mem_ne(second, other, sizeof(secret));
	ck_assert_uint_ne(id, again);
	/* 16 digits, and exactly representable as a double. */
	ck_assert_uint_ge(id, 1ull << 51);
	ck_assert_uint_lt(id, 1ull << 52);
}
END_TEST

START_TEST(revoked_list_drops_the_oldest)
{
	struct export_revoked revoked = {.n = 0};

	ck_assert(!export_revoked_has(&revoked, 0));
	for (uint64_t id = 1; id <= EXPORT_MAX_REVOKED + 1; id++) {
		export_revoked_add(&revoked, id);
		export_revoked_add(&revoked, id);
		ck_assert(export_revoked_has(&revoked, id));
	}
	ck_assert(!export_revoked_has(&revoked, 1));
	ck_assert(export_revoked_has(&revoked, 2));
	ck_assert_uint_eq(revoked.n, EXPORT_MAX_REVOKED);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("export ids");
	TCase *tcase = unit_case(suite, "ids", UNIT_TIMEOUT);

	tcase_add_test(tcase, ids_are_stable_across_versions);
	tcase_add_test(tcase, ids_depend_on_the_owner);
	tcase_add_test(tcase, revoked_list_drops_the_oldest);
	return unit_run(suite);
}
