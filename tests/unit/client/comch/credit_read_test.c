/*
 * A remote consumer's state, which producers of this process read into one copy: its numbers only
 * grow, and a producer that finds another one reading continues without waiting. Also: when the
 * task of the last message ends, and what wakes a producer that sleeps. Creates no threads.
 */
#include <poll.h>

#include "client/comch/remote/path.h"
#include "client/rma/requester.h"
#include "tests/unit/unit.h"

static _Alignas(8) uint8_t memory[STAGING_AT];
static struct slots_header *const seen = (struct slots_header *)(void *)(memory + HEADER_AT);
static struct slots_desc *const posted = (struct slots_desc *)(void *)(memory + DESCS_AT);
static struct slots_desc descs[8];
static struct comch_remote_slots slots;
static struct comch_peer_consumer to = {
	.mask = 7, .header = &slots.header, .descs = descs, .remote_slots = &slots};
static struct requester requester = {.relays = true};
static struct comch_remote_path path = {.to = &to, .requester = &requester, .memory = memory};

START_TEST(a_header_withdraws_no_credit)
{
	path.is_reading_credit = true;
	atomic_store(&seen->consumed, 5);
	atomic_store(&seen->posted, 3);
	comch_remote_path_header_read(&path);
	ck_assert(!path.is_reading_credit);
	ck_assert_uint_eq(path.seen, 3);
	ck_assert_uint_eq(atomic_load(&slots.header.consumed), 5);
	/* An earlier read, by another producer. */
	atomic_store(&seen->consumed, 4);
	comch_remote_path_header_read(&path);
	ck_assert_uint_eq(atomic_load(&slots.header.consumed), 5);
	atomic_store(&seen->consumed, 6);
	comch_remote_path_header_read(&path);
	ck_assert_uint_eq(atomic_load(&slots.header.consumed), 6);
}
END_TEST

START_TEST(descriptors_come_in_turn)
{
	for (uint32_t i = 0; i < 3; i++)
		atomic_store(&posted[i].room, 100 + i);
	path.descs_n = 3;
	path.is_reading_credit = true;
	/* This read was in vain, and one more is allowed. */
	ck_assert(comch_try_lock_acquire(&slots.lock));
	comch_remote_path_descs_read(&path);
	ck_assert(!path.is_reading_credit);
	ck_assert_uint_eq(atomic_load(&slots.header.posted), 0);
	ck_assert_uint_eq(atomic_load(&descs[0].room), 0);
	comch_try_lock_release(&slots.lock);
	comch_remote_path_descs_read(&path);
	ck_assert_uint_eq(atomic_load(&slots.header.posted), 3);
	ck_assert_uint_eq(atomic_load(&descs[2].room), 102);
	/* Receives that are posted meanwhile were not seen by this read. */
	atomic_store(&slots.header.posted, 2);
	atomic_store(&descs[0].room, 7);
	comch_remote_path_descs_read(&path);
	ck_assert_uint_eq(atomic_load(&descs[0].room), 7);
	ck_assert_uint_eq(atomic_load(&slots.header.posted), 3);
	ck_assert(comch_try_lock_acquire(&slots.lock));
}
END_TEST

/* --- the last message --- */

static struct rdma_wr *on_done[4];
static enum rdma_op asked[4];
static unsigned n_came, n_shares, n_asked;

static struct rdma_wr *port_poll(struct rdma_domain *domain)
{
	(void)domain;
	return n_shares < n_came ? on_done[n_shares++] : NULL;
}

static bool port_next_event(struct rdma_domain *domain, struct rdma_event *event)
{
	(void)domain;
	(void)event;
	return false;
}

static doca_error_t qp_post(struct rdma_qp *qp, struct rdma_wr *wr)
{
	(void)qp;
	ck_assert_uint_lt(n_asked, ARRAY_LEN(asked));
	asked[n_asked] = wr->op;
	on_done[n_asked++] = wr;
	return DOCA_SUCCESS;
}

static const struct rdma_provider last_ops = {
	.poll = port_poll,
	.next_event = port_next_event,
	.post = qp_post,
};

/* Completes the next read. */
static void complete_next_read(void)
{
	ck_assert_uint_lt(n_came, n_asked);
	on_done[n_came++]->status = DOCA_SUCCESS;
}

/*
 * A program without tasks need not call progress. So the last task ends when a sleeping consumer is
 * known to have been woken, and not before.
 */
START_TEST(the_last_task_completes_when_the_peer_is_awake)
{
	static struct comch_remote_paths all;
	static struct comch_link link;
	static struct doca_comch_producer own;
	static struct doca_comch_producer_task_send tasks[2];
	static struct doca_mmap import;
	struct requester_peer peer = {.state = REQUESTER_READY};
	bool sleeps = _i == 1;

	all.ready_tail = &all.ready;
	own.paths = &all;
	own.member.link = &link;
	slots.import = &import;
	list_init(&requester.peers);
	requester.ops = &last_ops;
	requester.relays = false;
	path.producer = &own;
	path.peer = &peer;
	path.must_read_credit = true;
	path.last = 2;
	for (size_t i = 0; i < 4; i++) {
		path.wrs[i].next = path.free;
		path.free = &path.wrs[i];
	}
	/* The pieces of the sends have completed. */
	path.sends[0].task = &tasks[0];
	path.sends[1].task = &tasks[1];
	comch_remote_path_poll(&path);
	/* Another message follows. */
	ck_assert_ptr_eq(all.ready, &tasks[0].base);
	ck_assert_ptr_eq(all.ready_tail, &tasks[0].base.next);
	/* This read was started before the last message. */
	ck_assert_uint_eq(n_asked, 1);
	ck_assert_int_eq(asked[0], RDMA_READ);
	complete_next_read();
	comch_remote_path_poll(&path);
	ck_assert_ptr_null(tasks[0].base.next);
	ck_assert_uint_eq(n_asked, 2);
	ck_assert_int_eq(asked[1], RDMA_READ);
	atomic_store(&seen->armed, sleeps ? CHANNEL_SLEEPING : 0);
	complete_next_read();
	comch_remote_path_poll(&path);
	if (sleeps) {
		ck_assert_ptr_null(tasks[0].base.next);
		ck_assert_uint_eq(n_asked, 3);
		ck_assert_int_eq(asked[2], RDMA_WRITE_IMM);
		complete_next_read();
		comch_remote_path_poll(&path);
	}
	ck_assert_ptr_eq(tasks[0].base.next, &tasks[1].base);
	ck_assert_int_eq(tasks[1].base.status, DOCA_SUCCESS);
	ck_assert_uint_eq(path.first, 2);
}
END_TEST

/* A path that ends while its last message waits only for that leaves no gap. */
START_TEST(what_has_arrived_is_no_hole)
{
	struct doca_comch_producer_task_send task;

	path.state = REMOTE_PATH_DISCONNECTED;
	path.first = 0;
	path.next = path.last = 1;
	path.sends[0] = (struct path_send){.task = &task, .n_out = _i == 1};
	comch_remote_path_break(&path);
	ck_assert_int_eq(path.state, REMOTE_PATH_BROKEN);
	ck_assert_int_eq(atomic_load(&slots.has_lost_receive), _i == 1);
}
END_TEST

/* A path whose sends are all in flight claims no receive: there is no place for its state. */
START_TEST(a_full_path_claims_no_receive)
{
	static struct comch_link link;
	static struct comch_remote_paths all;
	static struct doca_comch_producer own;
	static struct doca_comch_producer_task_send task;
	struct requester_peer peer = {.state = REQUESTER_READY};
	struct comch_message message = {.len = 0};
	struct doca_pe *pe;

	ck_assert_int_eq(doca_pe_create(&pe), DOCA_SUCCESS);
	own.ctx.pe = pe;
	own.member.link = &link;
	own.paths = &all;
	list_init(&all.all);
	list_init(&requester.peers);
	requester.ops = &last_ops;
	path.producer = &own;
	path.peer = &peer;
	path.state = REMOTE_PATH_UP;
	path.next = path.last = PATH_SENDS;
	for (size_t i = 0; i < PATH_SENDS; i++)
		path.sends[i].n_out = 1;
	list_append(&all.all, &path.node);
	atomic_store(&slots.header.posted, 4);
	ck_assert_int_eq(comch_remote_path_send(&own, &to, &task, &message), DOCA_ERROR_AGAIN);
	ck_assert_uint_eq(path.last, PATH_SENDS);
	ck_assert_uint_eq(atomic_load(&slots.header.claim), 0);
	ck_assert_int_eq(doca_pe_destroy(pe), DOCA_SUCCESS);
}
END_TEST

/* --- asleep --- */

static bool has_arrived; /* arrived at the provider */

static bool port_arm(struct rdma_domain *domain)
{
	(void)domain;
	return has_arrived;
}

static const struct rdma_provider ops = {.arm = port_arm};
static struct comch_link link_up;
static struct comch_remote_paths paths;
static struct doca_comch_producer producer;

static bool is_woken(struct doca_pe *pe, int timeout_ms)
{
	struct pollfd handle = {.events = POLLIN};

	ck_assert_int_eq(doca_pe_get_notification_handle(pe, &handle.fd), DOCA_SUCCESS);
	return poll(&handle, 1, timeout_ms) == 1;
}

/* Sleeps until everything in flight has completed, or is given up. */
START_TEST(a_producer_stops_asleep)
{
	struct doca_pe *pe;

	ck_assert_int_eq(doca_pe_create(&pe), DOCA_SUCCESS);
	producer.ctx.pe = pe;
	producer.ctx.state = DOCA_CTX_STATE_RUNNING;
	producer.member.link = &link_up;
	producer.paths = &paths;
	list_init(&paths.all);
	paths.timer_fd = -1;
	list_init(&requester.peers);
	requester.ops = &ops;
	path.producer = &producer;
	path.last = 1;
	list_append(&paths.all, &path.node);
	ck_assert(!comch_remote_paths_arm(&producer.ctx));
	producer.ctx.state = DOCA_CTX_STATE_STOPPING;
	paths.give_up_ns = UINT64_MAX / 2;
	ck_assert(!comch_remote_paths_arm(&producer.ctx));
	ck_assert(!is_woken(pe, 0));
	has_arrived = true;
	ck_assert(comch_remote_paths_arm(&producer.ctx));
	has_arrived = false;
	paths.give_up_ns = 1;
	ck_assert(!comch_remote_paths_arm(&producer.ctx));
	ck_assert(is_woken(pe, -1));
	/* The time limit has passed. */
	pe_close_timer(pe, &paths.timer_fd);
	path.state = REMOTE_PATH_BROKEN;
	ck_assert(!comch_remote_paths_arm(&producer.ctx));
	ck_assert(!is_woken(pe, 0));
	ck_assert_int_eq(doca_pe_destroy(pe), DOCA_SUCCESS);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("comch credit read");
	TCase *tcase = unit_case(suite, "comch credit read", UNIT_TIMEOUT);

	tcase_add_test(tcase, a_header_withdraws_no_credit);
	tcase_add_test(tcase, descriptors_come_in_turn);
	tcase_add_loop_test(tcase, the_last_task_completes_when_the_peer_is_awake, 0, 2);
	tcase_add_loop_test(tcase, what_has_arrived_is_no_hole, 0, 2);
	tcase_add_test(tcase, a_full_path_claims_no_receive);
	tcase_add_test(tcase, a_producer_stops_asleep);
	return unit_run(suite);
}
