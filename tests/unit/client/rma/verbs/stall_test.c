/*
 * Queue pairs that a device forgets, as the kernel's soft-RoCE may: a program that waits for the
 * same request for a long time posts an empty one. On a simulated device.
 */
#include <poll.h>
#include <string.h>

#include "client/memory/mmap.h"
#include "tests/unit/client/fixture.h"
#include "tests/unit/client/rma/verbs/fake_device.h"
#include "util/clock.h"

#define WAIT_MS    20000
#define SOFT_ROCE  0xffffffu
#define OTHER      0x2c9u
#define KEY        77u
#define ADDR       0x7000u
#define ALL_RIGHTS (DOCA_ACCESS_FLAG_RDMA_READ | DOCA_ACCESS_FLAG_RDMA_WRITE)

static struct rdma_domain *domain;
static struct verbs_qp *qp;
static _Atomic uint32_t liveness = 2;
static struct doca_mmap remote = {.from_export = true,
				  .has_remote_key = true,
				  .remote_key = KEY,
				  .permissions = ALL_RIGHTS,
				  .alive = &liveness,
				  .generation = 2};
static const struct rdma_wr usual = {.op = RDMA_WRITE, .remote_addr = ADDR, .remote_mmap = &remote};

static void domain_open(uint32_t vendor)
{
	const struct rdma_conf conf = {.send_queue = 8,
				       .recv_queue = 2,
				       .max_send_sges = 1,
				       .max_recv_sges = 1,
				       .max_qps = 2,
				       .mtu = 1024};
	uint8_t details[RDMA_PARAMS_MAX];
	struct rdma_event event;
	struct rdma_qp *made;
	size_t len;

	verbs_fake_set_up();
	fake.device.attr.vendor_id = vendor;
	fake.device.attr.max_qp_wr = 64;
	ck_ok(verbs_domain_new(&fake.device, &unit_dev, &conf, &domain));
	ck_ok(rdma_verbs.qp_new(domain, NULL, &made));
	ck_ok(rdma_verbs.qp_params(made, details, &len));
	ck_ok(rdma_verbs.qp_connect(made, details, len));
	ck_assert(rdma_verbs.next_event(domain, &event));
	ck_assert_int_eq(event.type, RDMA_QP_ESTABLISHED);
	qp = verbs_qp_of(made);
}

static void teardown(void)
{
	rdma_verbs.close(domain);
	verbs_fake_tear_down();
}

static void post(struct rdma_wr *wr)
{
	ck_ok(rdma_verbs.post(&qp->base, wr));
	ck_assert_uint_eq(fake.sent.wr_id, (uintptr_t)wr);
}

/* Time until the next check, which finds nothing. */
static void reach_deadline(void)
{
	verbs_domain_of(domain)->stall_ns = 0;
	verbs_stall_wake(verbs_domain_of(domain));
	ck_assert_ptr_null(rdma_verbs.poll(domain));
}

static bool sent_workaround(const struct rdma_wr *last)
{
	return fake.sent.wr_id != (uintptr_t)last;
}

START_TEST(a_stalled_queue_pair_is_restarted)
{
	struct rdma_wr wr = usual, next = usual;
	uint64_t id;

	wr.op = _i == 0 ? RDMA_WRITE : RDMA_READ;
	domain_open(SOFT_ROCE);
	ck_assert_uint_eq(fake.qp_attr.cap.max_send_wr, 9);
	post(&wr);
	post(&next);
	reach_deadline();
	ck_assert(!sent_workaround(&next));
	reach_deadline();
	ck_assert(sent_workaround(&next));
	ck_assert_int_eq(fake.sent.opcode, _i == 0 ? IBV_WR_RDMA_WRITE : IBV_WR_RDMA_READ);
	ck_assert_int_eq(fake.sent.num_sge, 0);
	ck_assert_uint_eq(fake.sent.send_flags, 0);
	ck_assert_uint_eq(fake.sent.wr.rdma.remote_addr, ADDR);
	ck_assert_uint_eq(fake.sent.wr.rdma.rkey, KEY);
	/* The request for which it was posted completes; it itself is not reported. */
	id = fake.sent.wr_id;
	verbs_fake_complete(VERBS_FAKE_QP, (uintptr_t)&wr, IBV_WC_SUCCESS, false);
	ck_assert_ptr_eq(rdma_verbs.poll(domain), &wr);
	verbs_fake_complete(VERBS_FAKE_QP, (uintptr_t)&next, IBV_WC_WR_FLUSH_ERR, false);
	verbs_fake_complete(VERBS_FAKE_QP, id, IBV_WC_WR_FLUSH_ERR, false);
	ck_assert_ptr_eq(rdma_verbs.poll(domain), &next);
	ck_assert_ptr_null(rdma_verbs.poll(domain));
	teardown();
}
END_TEST

START_TEST(a_queue_pair_with_progress_is_not_changed)
{
	struct rdma_wr wrs[] = {usual, usual, usual};

	domain_open(SOFT_ROCE);
	for (unsigned i = 0; i < ARRAY_LEN(wrs); i++)
		post(&wrs[i]);
	for (unsigned i = 0; i < ARRAY_LEN(wrs); i++) {
		reach_deadline();
		ck_assert(!sent_workaround(&wrs[ARRAY_LEN(wrs) - 1]));
		verbs_fake_complete(VERBS_FAKE_QP, (uintptr_t)&wrs[i], IBV_WC_SUCCESS, false);
		ck_assert_ptr_eq(rdma_verbs.poll(domain), &wrs[i]);
	}
	teardown();
}
END_TEST

static void check_unchanged(struct rdma_wr *wr)
{
	post(wr);
	reach_deadline();
	reach_deadline();
	ck_assert(!sent_workaround(wr));
	teardown();
}

/* A peer may have no receive for a while, and no empty request is posted behind a message. */
START_TEST(a_message_is_waited_for)
{
	struct rdma_wr wr = {.op = RDMA_SEND};

	domain_open(SOFT_ROCE);
	check_unchanged(&wr);
}
END_TEST

START_TEST(other_devices_forget_nothing)
{
	struct rdma_wr wr = usual;

	domain_open(OTHER);
	ck_assert_uint_eq(fake.qp_attr.cap.max_send_wr, 8);
	check_unchanged(&wr);
}
END_TEST

START_TEST(a_sleeper_checks_too)
{
	struct rdma_wr wr = usual;
	struct pollfd fd;

	domain_open(SOFT_ROCE);
	fd = (struct pollfd){.fd = rdma_verbs.get_fd(domain), .events = POLLIN};
	post(&wr);
	while (!sent_workaround(&wr)) {
		ck_assert(!rdma_verbs.arm(domain));
		ck_assert_int_eq(poll(&fd, 1, WAIT_MS), 1);
		rdma_verbs.disarm(domain);
		ck_assert_ptr_null(rdma_verbs.poll(domain));
	}
	verbs_fake_complete(VERBS_FAKE_QP, (uintptr_t)&wr, IBV_WC_SUCCESS, false);
	ck_assert_ptr_eq(rdma_verbs.poll(domain), &wr);
	/* There is no reason to wake up in this state. */
	ck_assert(!rdma_verbs.arm(domain));
	ck_assert(!verbs_domain_of(domain)->is_timed);
	rdma_verbs.disarm(domain);
	teardown();
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("client/verbs stall");
	TCase *tcase = unit_case(suite, "stall", UNIT_TIMEOUT);

	tcase_add_loop_test(tcase, a_stalled_queue_pair_is_restarted, 0, 2);
	tcase_add_test(tcase, a_queue_pair_with_progress_is_not_changed);
	tcase_add_test(tcase, a_message_is_waited_for);
	tcase_add_test(tcase, other_devices_forget_nothing);
	tcase_add_test(tcase, a_sleeper_checks_too);
	return unit_run(suite);
}
