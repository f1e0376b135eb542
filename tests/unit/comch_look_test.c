/*
 * What producers of this process read of a consumer on another machine meets in one copy: its
 * numbers only grow, and who finds another at it goes on without waiting. And what has a producer
 * that sleeps wake. Threads: none.
 */
#include <poll.h>

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

/* --- asleep --- */

static bool has_come; /* to the port */

static bool port_arm(struct rdma_port *port)
{
	(void)port;
	return has_come;
}

static const struct rdma_port_ops ops = {.arm = port_arm};
static struct comch_link link_up;
static struct comch_fars fars;
static struct doca_comch_producer producer;

static bool is_woken(struct doca_pe *pe, int timeout_ms)
{
	struct pollfd handle = {.events = POLLIN};

	ck_assert_int_eq(doca_pe_get_notification_handle(pe, &handle.fd), DOCA_SUCCESS);
	return poll(&handle, 1, timeout_ms) == 1;
}

/* Asleep until what is under way has come back, or is given up. */
START_TEST(a_producer_stops_asleep)
{
	struct doca_pe *pe;

	ck_assert_int_eq(doca_pe_create(&pe), DOCA_SUCCESS);
	producer.ctx.pe = pe;
	producer.ctx.state = DOCA_CTX_STATE_RUNNING;
	producer.member.link = &link_up;
	producer.fars = &fars;
	list_init(&fars.all);
	fars.timer_fd = -1;
	list_init(&requester.peers);
	requester.ops = &ops;
	far.producer = &producer;
	far.last = 1;
	list_append(&fars.all, &far.node);
	ck_assert(!comch_fars_arm(&producer.ctx));
	producer.ctx.state = DOCA_CTX_STATE_STOPPING;
	fars.give_up_ns = UINT64_MAX / 2;
	ck_assert(!comch_fars_arm(&producer.ctx));
	ck_assert(!is_woken(pe, 0));
	has_come = true;
	ck_assert(comch_fars_arm(&producer.ctx));
	has_come = false;
	fars.give_up_ns = 1;
	ck_assert(!comch_fars_arm(&producer.ctx));
	ck_assert(is_woken(pe, -1));
	/* That time is over. */
	pe_close_timer(pe, &fars.timer_fd);
	far.is_broken = true;
	ck_assert(!comch_fars_arm(&producer.ctx));
	ck_assert(!is_woken(pe, 0));
	ck_assert_int_eq(doca_pe_destroy(pe), DOCA_SUCCESS);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("comch look");
	TCase *tcase = unit_case(suite, "looks", UNIT_TIMEOUT);

	tcase_add_test(tcase, a_header_takes_nothing_back);
	tcase_add_test(tcase, descriptors_come_in_turn);
	tcase_add_test(tcase, a_producer_stops_asleep);
	return unit_run(suite);
}
