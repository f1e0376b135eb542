/*
 * What producers of this process read of a consumer on another machine meets in one copy: its
 * numbers only grow, and who finds another at it goes on without waiting. Threads: none.
 */
#include "client/core/requester.h"
#include "client/engine/comch_far_way.h"
#include "tests/unit/unit.h"

static _Alignas(8) uint8_t memory[STAGES_AT];
static struct slots_header *const seen = (struct slots_header *)(void *)(memory + HEADER_AT);
static struct slots_desc *const posted = (struct slots_desc *)(void *)(memory + DESCS_AT);
static struct slots_desc descs[8];
static struct comch_far_slots slots;
static struct comch_remote to = {.mask = 7, .header = &slots.header, .descs = descs, .far = &slots};
static struct requester requester = {.relays = true};
static struct comch_far far = {.to = &to, .requester = &requester, .memory = memory};

START_TEST(a_header_takes_nothing_back)
{
	far.is_looking = true;
	atomic_store(&seen->consumed, 5);
	atomic_store(&seen->posted, 3);
	comch_far_header_came(&far);
	ck_assert(!far.is_looking);
	ck_assert_uint_eq(far.seen, 3);
	ck_assert_uint_eq(atomic_load(&slots.header.consumed), 5);
	/* Read before that one, by another producer. */
	atomic_store(&seen->consumed, 4);
	comch_far_header_came(&far);
	ck_assert_uint_eq(atomic_load(&slots.header.consumed), 5);
	atomic_store(&seen->consumed, 6);
	comch_far_header_came(&far);
	ck_assert_uint_eq(atomic_load(&slots.header.consumed), 6);
}
END_TEST

START_TEST(descriptors_come_in_turn)
{
	for (uint32_t i = 0; i < 3; i++)
		atomic_store(&posted[i].room, 100 + i);
	far.look_n = 3;
	far.is_looking = true;
	/* This look is in vain, and there may be one more. */
	ck_assert(comch_turn_take(&slots.turn));
	comch_far_descs_came(&far);
	ck_assert(!far.is_looking);
	ck_assert_uint_eq(atomic_load(&slots.header.posted), 0);
	ck_assert_uint_eq(atomic_load(&descs[0].room), 0);
	comch_turn_give(&slots.turn);
	comch_far_descs_came(&far);
	ck_assert_uint_eq(atomic_load(&slots.header.posted), 3);
	ck_assert_uint_eq(atomic_load(&descs[2].room), 102);
	/* What is posted anew meanwhile is not what this look saw. */
	atomic_store(&slots.header.posted, 2);
	atomic_store(&descs[0].room, 7);
	comch_far_descs_came(&far);
	ck_assert_uint_eq(atomic_load(&descs[0].room), 7);
	ck_assert_uint_eq(atomic_load(&slots.header.posted), 3);
	ck_assert(comch_turn_take(&slots.turn));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("comch look");
	TCase *tcase = unit_case(suite, "looks", UNIT_TIMEOUT);

	tcase_add_test(tcase, a_header_takes_nothing_back);
	tcase_add_test(tcase, descriptors_come_in_turn);
	return unit_run(suite);
}
