/*
 * How queue pairs of the verbs provider end that have responded to their other end: on a simulated
 * device, whose time limits expire when the test says so.
 */
#include <poll.h>
#include <string.h>

#include "tests/unit/client/fixture.h"
#include "tests/unit/client/rma/verbs/fake_device.h"
#include "util/clock.h"

#define WAIT_MS 20000
#define N_RECVS 4u

static struct rdma_domain *domain;
static struct rdma_wr recvs[N_RECVS];

static struct verbs_domain *verbs_of_domain(void)
{
	return verbs_domain_of(domain);
}

static void setup(void)
{
	const struct rdma_conf conf = {.send_queue = 8,
				       .recv_queue = N_RECVS,
				       .max_send_sges = 1,
				       .max_recv_sges = 1,
				       .max_qps = 2,
				       .mtu = 1024};

	verbs_fake_set_up();
	ck_ok(verbs_domain_new(&fake.device, &unit_dev, &conf, &domain));
	fake.cm_channel.fd = -1;
	verbs_of_domain()->cm = &verbs_fake_cm;
	verbs_of_domain()->cm_channel = &fake.cm_channel;
}

static void teardown(void)
{
	rdma_verbs.close(domain);
	verbs_fake_tear_down();
}

static bool was_notified(enum rdma_event_type type)
{
	struct rdma_event event;

	if (!rdma_verbs.next_event(domain, &event))
		return false;
	ck_assert_int_eq(event.type, type);
	return true;
}

static struct verbs_qp *qp_new(void)
{
	return verbs_fake_qp_new(domain);
}

/* A queue pair that the other end has sent requests to. */
static struct verbs_qp *responding_qp(void)
{
	struct verbs_qp *qp = qp_new();

	fake.next_psns[qp->number - VERBS_FAKE_QP]++;
	return qp;
}

static void by_address(struct verbs_qp *qp)
{
	qp->id = &fake.id;
	fake.id.context = qp;
}

static void post_recvs(unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		recvs[i] = (struct rdma_wr){.op = RDMA_RECV};
		ck_ok(rdma_verbs.post_recv(domain, &recvs[i]));
	}
}

static bool has_ended(void)
{
	return fake.masks[IBV_QPS_ERR] != 0;
}

/* Disconnects; the time limit does not expire before the test says so. */
static void disconnect(struct verbs_qp *qp)
{
	ck_ok(rdma_verbs.qp_disconnect(&qp->base));
	if (qp->state == VERBS_QP_DRAINING)
		qp->deadline_ns = UINT64_MAX;
}

static void reach_deadline(struct verbs_qp *qp)
{
	qp->deadline_ns = clock_now_ns();
	ck_assert(!was_notified(RDMA_QP_BROKEN));
}

/* The disconnect message of the other end. */
static void drain_queue_pair(void)
{
	fake.cm_event = (struct rdma_cm_event){.id = &fake.id, .event = RDMA_CM_EVENT_DISCONNECTED};
	fake.has_cm_event = true;
	atomic_store(&verbs_of_domain()->wakeup.has_events, true);
}

START_TEST(a_responder_lingers)
{
	struct pollfd fd = {.fd = rdma_verbs.get_fd(domain), .events = POLLIN};
	struct verbs_qp *qp = responding_qp();
	struct rdma_wr late = {.op = RDMA_SEND};
	uint64_t before = clock_now_ns();

	ck_ok(rdma_verbs.qp_disconnect(&qp->base));
	/* Long enough that an end without an acknowledgement has retransmitted. */
	ck_assert_uint_gt(qp->deadline_ns, before + (4096ull << VERBS_ACK_TIMEOUT));
	disconnect(qp);
	ck_assert(rdma_verbs.is_draining(domain));
	ck_assert(!has_ended());
	/* For the program, the connection has ended. */
	ck_ok(rdma_verbs.post(&qp->base, &late));
	ck_assert_ptr_eq(rdma_verbs.poll(domain), &late);
	ck_assert_int_eq(late.status, DOCA_ERROR_CONNECTION_RESET);
	/* A sleeping program is woken for it. */
	qp->deadline_ns = clock_now_ns() + 20 * NS_PER_MS;
	ck_assert(!rdma_verbs.arm(domain));
	ck_assert_int_eq(poll(&fd, 1, WAIT_MS), 1);
	rdma_verbs.disarm(domain);
	ck_assert(!was_notified(RDMA_QP_BROKEN));
	ck_assert(!rdma_verbs.is_draining(domain));
	ck_assert(has_ended());
	ck_assert_uint_eq(verbs_of_domain()->n_connecting, 0);
	rdma_verbs.qp_free(&qp->base);
	ck_assert_uint_eq(fake.n_qps_gone, 1);
}
END_TEST

/* _i: it got no requests; it has a posted request that must complete; its device is removed. */
START_TEST(an_idle_queue_pair_ends_at_once)
{
	struct verbs_qp *qp = _i == 0 ? qp_new() : responding_qp();
	static struct rdma_wr wr;

	wr = (struct rdma_wr){.op = RDMA_SEND};
	if (_i == 1)
		ck_ok(rdma_verbs.post(&qp->base, &wr));
	fake.was_removed = _i == 2;
	disconnect(qp);
	ck_assert(!rdma_verbs.is_draining(domain));
	ck_assert(has_ended());
}
END_TEST

/* A program that only asks whether the queue pair has ended need not do anything else. */
START_TEST(a_request_after_the_end_is_refused)
{
	struct verbs_qp *qp = responding_qp();

	disconnect(qp);
	qp->deadline_ns = clock_now_ns();
	ck_assert(!rdma_verbs.is_draining(domain));
	ck_assert(has_ended());
}
END_TEST

START_TEST(receives_return_when_all_have_drained)
{
	struct verbs_qp *qp = responding_qp();

	post_recvs(3);
	disconnect(qp);
	rdma_verbs.flush_recvs(domain);
	ck_assert_ptr_null(rdma_verbs.poll(domain));
	ck_assert_uint_eq(fake.n_srqs_gone, 0);
	/* A message that arrives meanwhile is delivered. */
	verbs_fake_complete(qp->number, fake.received[0], IBV_WC_SUCCESS, true);
	ck_assert_ptr_eq(rdma_verbs.poll(domain), &recvs[0]);
	ck_assert_int_eq(recvs[0].status, DOCA_SUCCESS);
	ck_assert_ptr_eq(recvs[0].qp, &qp->base);
	reach_deadline(qp);
	for (unsigned i = 1; i < 3; i++) {
		ck_assert_ptr_eq(rdma_verbs.poll(domain), &recvs[i]);
		ck_assert_int_eq(recvs[i].status, DOCA_ERROR_CONNECTION_RESET);
	}
	ck_assert_uint_eq(fake.n_srqs_gone, 1);
}
END_TEST

START_TEST(a_drained_queue_pair_posts_nothing)
{
	struct verbs_qp *qp = responding_qp(), *other = qp_new();
	uint32_t number = qp->number;
	struct rdma_qp *next;

	post_recvs(2);
	disconnect(qp);
	rdma_verbs.qp_free(&qp->base);
	ck_assert_uint_eq(fake.n_qps_gone, 0);
	/* The place of the released queue pair is free. */
	ck_ok(rdma_verbs.qp_new(domain, NULL, &next));
	/* An end that continues to send has got its last acknowledgement. */
	verbs_fake_complete(number, fake.received[0], IBV_WC_SUCCESS, true);
	ck_assert_ptr_null(rdma_verbs.poll(domain));
	ck_assert(!was_notified(RDMA_QP_BROKEN));
	ck_assert(!rdma_verbs.is_draining(domain));
	ck_assert_uint_eq(fake.n_qps_gone, 1);
	ck_assert_ptr_null(verbs_qp_find(verbs_of_domain(), number));
	/* The receive is available to others. */
	ck_assert_uint_eq(fake.n_received, 3);
	for (unsigned i = 1; i < 3; i++) {
		verbs_fake_complete(other->number, fake.received[i], IBV_WC_SUCCESS, true);
		ck_assert_ptr_eq(rdma_verbs.poll(domain), &recvs[i % 2]);
		ck_assert_int_eq(recvs[i % 2].status, DOCA_SUCCESS);
	}
}
END_TEST

/* The receive is about to be flushed. */
START_TEST(a_drained_queue_pair_consumes_a_receive)
{
	struct verbs_qp *qp = responding_qp();

	post_recvs(2);
	disconnect(qp);
	rdma_verbs.qp_free(&qp->base);
	rdma_verbs.flush_recvs(domain);
	verbs_fake_complete(qp->number, fake.received[0], IBV_WC_SUCCESS, true);
	ck_assert_ptr_eq(rdma_verbs.poll(domain), &recvs[0]);
	ck_assert_int_eq(recvs[0].status, DOCA_ERROR_CONNECTION_RESET);
	ck_assert_ptr_null(recvs[0].qp);
	ck_assert(!was_notified(RDMA_QP_BROKEN));
	ck_assert_ptr_eq(rdma_verbs.poll(domain), &recvs[1]);
	ck_assert_uint_eq(fake.n_qps_gone, 1);
}
END_TEST

/* The device has no room for another queue pair: a released one does not occupy it. */
START_TEST(a_drained_queue_pair_makes_room)
{
	struct verbs_qp *qp = responding_qp(), *other = responding_qp();
	struct rdma_qp *next;

	fake.max_qps = 2;
	disconnect(qp);
	disconnect(other);
	rdma_verbs.qp_free(&qp->base);
	ck_ok(rdma_verbs.qp_new(domain, NULL, &next));
	ck_assert_uint_eq(fake.n_qps_gone, 1);
	ck_assert(rdma_verbs.is_draining(domain));
	rdma_verbs.qp_free(&other->base);
	ck_ok(rdma_verbs.qp_new(domain, NULL, &next));
	ck_assert_uint_eq(fake.n_qps_gone, 2);
	ck_assert(!rdma_verbs.is_draining(domain));
	rdma_verbs.qp_free(next);
	fake.max_qps = 1;
	ck_fails(rdma_verbs.qp_new(domain, NULL, &next), DOCA_ERROR_NO_MEMORY);
}
END_TEST

START_TEST(a_disconnect_by_address_is_awaited)
{
	struct verbs_qp *qp = responding_qp();

	by_address(qp);
	disconnect(qp);
	ck_assert(fake.is_left);
	ck_assert(rdma_verbs.is_draining(domain));
	drain_queue_pair();
	ck_assert(!was_notified(RDMA_QP_DISCONNECTED));
	ck_assert(!rdma_verbs.is_draining(domain));
	ck_assert(has_ended());
}
END_TEST

START_TEST(an_abandoned_queue_pair_does_not_linger)
{
	struct verbs_qp *qp = responding_qp();

	by_address(qp);
	drain_queue_pair();
	ck_assert(was_notified(RDMA_QP_DISCONNECTED));
	ck_assert(fake.is_left);
	ck_assert(has_ended());
	disconnect(qp);
	ck_assert(!rdma_verbs.is_draining(domain));
}
END_TEST

/* librdmacm ends the queue pairs that it knows. */
START_TEST(an_identifier_of_the_program_is_let_go_first)
{
	struct verbs_qp *qp = responding_qp();

	by_address(qp);
	qp->is_users_id = true;
	fake.id.qp = qp->qp;
	fake.is_abandoned_with_qp = false;
	disconnect(qp);
	ck_assert(fake.is_left);
	ck_assert(!fake.is_abandoned_with_qp);
	ck_assert_ptr_null(qp->id);
	ck_assert(rdma_verbs.is_draining(domain));
}
END_TEST

START_TEST(a_removed_device_ends_draining_queue_pairs)
{
	struct verbs_qp *qp = responding_qp(), *freed = responding_qp();

	post_recvs(1);
	disconnect(qp);
	disconnect(freed);
	rdma_verbs.qp_free(&freed->base);
	rdma_verbs.flush_recvs(domain);
	atomic_store(&fake.device.is_removed, true);
	atomic_store(&verbs_of_domain()->wakeup.has_events, true);
	ck_assert(was_notified(RDMA_DEVICE_REMOVED));
	ck_assert(!rdma_verbs.is_draining(domain));
	ck_assert_uint_eq(fake.n_qps_gone, 2);
	ck_assert_ptr_eq(rdma_verbs.poll(domain), &recvs[0]);
}
END_TEST

START_TEST(a_port_that_is_closed_waits_for_none)
{
	struct verbs_qp *qp = responding_qp(), *freed = responding_qp();

	disconnect(qp);
	disconnect(freed);
	rdma_verbs.qp_free(&freed->base);
	teardown();
	ck_assert_uint_eq(fake.n_qps_gone, 2);
	setup();
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("client/verbs leave");
	TCase *tcase = unit_case(suite, "leave", UNIT_TIMEOUT);

	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_test(tcase, a_responder_lingers);
	tcase_add_loop_test(tcase, an_idle_queue_pair_ends_at_once, 0, 3);
	tcase_add_test(tcase, a_request_after_the_end_is_refused);
	tcase_add_test(tcase, receives_return_when_all_have_drained);
	tcase_add_test(tcase, a_drained_queue_pair_posts_nothing);
	tcase_add_test(tcase, a_drained_queue_pair_consumes_a_receive);
	tcase_add_test(tcase, a_drained_queue_pair_makes_room);
	tcase_add_test(tcase, a_disconnect_by_address_is_awaited);
	tcase_add_test(tcase, an_abandoned_queue_pair_does_not_linger);
	tcase_add_test(tcase, an_identifier_of_the_program_is_let_go_first);
	tcase_add_test(tcase, a_removed_device_ends_draining_queue_pairs);
	tcase_add_test(tcase, a_port_that_is_closed_waits_for_none);
	return unit_run(suite);
}
