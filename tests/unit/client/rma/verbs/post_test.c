/*
 * The verbs provider's calls to a device: queues and queue pairs as configured, the fields of each
 * request, and the meaning of each completion status. The simulated device records them.
 */
#include <arpa/inet.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <unistd.h>

#include "client/control/session.h"
#include "client/device/dev.h"
#include "client/memory/mmap.h"
#include "client/rma/verbs/mem.h"
#include "client/sync_event/sync_event.h"
#include "tests/unit/client/fixture.h"
#include "tests/unit/client/rma/verbs/fake_device.h"

#define WAIT_MS 20000
#define LEN     512u /* more than fits inline in a request */
#define GID     3u
#define SL      5u
#define RNR     6u
#define ALL_RIGHTS \
	(DOCA_ACCESS_FLAG_RDMA_READ | DOCA_ACCESS_FLAG_RDMA_WRITE | DOCA_ACCESS_FLAG_RDMA_ATOMIC)

static struct rdma_domain *domain;
static struct verbs_qp *qp;
static struct doca_mmap *mmap;
static uint8_t bytes[LEN];
static _Atomic uint32_t liveness = 2;
static struct doca_mmap remote = {.from_export = true,
				  .has_remote_key = true,
				  .remote_key = 77,
				  .permissions = ALL_RIGHTS,
				  .alive = &liveness,
				  .generation = 2};
/* A peer's: "VQ", version, MTU of 512 bytes, queue pair 9, packet 4, LID 6, two reads each way. */
static uint8_t peer[32] = {'V', 'Q', 1, IBV_MTU_512, 0, 0, 0, 9,    0,
			   0,   0,   4, 0,           6, 2, 2, 0xfe, 0x80};

static void domain_open(uint32_t permissions, bool grh)
{
	const struct rdma_conf conf = {.send_queue = 8,
				       .recv_queue = 5,
				       .max_send_sges = 3,
				       .max_recv_sges = 2,
				       .max_qps = 4,
				       .permissions = permissions,
				       .mtu = 1024,
				       .gid_index = GID,
				       .sl = SL,
				       .grh = grh,
				       .rnr_retry = RNR};

	ck_ok(verbs_domain_new(&fake.device, &unit_dev, &conf, &domain));
}

static void qp_open(void)
{
	struct rdma_event event;
	struct rdma_qp *made;

	ck_ok(rdma_verbs.qp_new(domain, NULL, &made));
	ck_ok(rdma_verbs.qp_connect(made, peer, sizeof(peer)));
	ck_assert(rdma_verbs.next_event(domain, &event));
	ck_assert_int_eq(event.type, RDMA_QP_ESTABLISHED);
	qp = verbs_qp_of(made);
}

static void setup(void)
{
	struct verbs_device *device = &fake.device;

	verbs_fake_set_up();
	device->attr.max_qp_init_rd_atom = 8;
	device->port.gid_tbl_len = GID + 1;
	device->port.active_mtu = IBV_MTU_4096;
	device->port.lid = 17;
	ck_ok(doca_mmap_create(&mmap));
	ck_ok(doca_mmap_add_dev(mmap, &unit_dev));
	ck_ok(doca_mmap_set_memrange(mmap, bytes, sizeof(bytes)));
	ck_ok(doca_mmap_set_permissions(mmap, DOCA_ACCESS_FLAG_LOCAL_READ_WRITE));
	ck_ok(doca_mmap_start(mmap));
}

static void teardown(void)
{
	rdma_verbs.close(domain);
	ck_ok(doca_mmap_destroy(mmap));
	verbs_fake_tear_down();
}

/* --- tests --- */

START_TEST(what_is_configured_is_asked_for)
{
	const struct ibv_qp_attr *init = &fake.states[IBV_QPS_INIT];
	const struct ibv_qp_attr *rtr = &fake.states[IBV_QPS_RTR];
	const struct ibv_qp_attr *rts = &fake.states[IBV_QPS_RTS];
	uint8_t details[RDMA_PARAMS_MAX];
	struct rdma_qp *second;
	size_t len;

	domain_open(DOCA_ACCESS_FLAG_RDMA_READ, true);
	qp_open();
	ck_assert_int_eq(fake.cq.cqe, 4 * 8 + 5);
	ck_assert_uint_eq(fake.srq_attr.attr.max_wr, 5);
	ck_assert_uint_eq(fake.srq_attr.attr.max_sge, 2);
	ck_assert_uint_eq(fake.qp_attr.cap.max_send_wr, 8);
	ck_assert_uint_eq(fake.qp_attr.cap.max_send_sge, 3);
	ck_assert_ptr_eq(fake.qp_attr.srq, &fake.srqs[0]);
	ck_assert_int_eq(fake.qp_attr.qp_type, IBV_QPT_RC);
	ck_assert_uint_eq(init->qp_access_flags, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_READ);
	/* The smaller of both ends' MTUs; reads that one end starts and the other serves. */
	ck_assert_int_eq(rtr->path_mtu, IBV_MTU_512);
	ck_assert_uint_eq(rtr->dest_qp_num, 9);
	ck_assert_uint_eq(rtr->rq_psn, 4);
	ck_assert_uint_eq(rtr->max_dest_rd_atomic, 2);
	ck_assert_uint_eq(rtr->ah_attr.sl, SL);
	ck_assert_uint_eq(rtr->ah_attr.is_global, 1);
	ck_assert_uint_eq(rtr->ah_attr.grh.sgid_index, GID);
	ck_assert_mem_eq(rtr->ah_attr.grh.dgid.raw, peer + 16, 16);
	ck_assert_uint_eq(rts->rnr_retry, RNR);
	ck_assert_uint_eq(rts->max_rd_atomic, 2);
	ck_assert_uint_eq(rts->sq_psn, qp->psn);
	ck_assert_int_ne(fake.masks[IBV_QPS_RTS] & IBV_QP_RNR_RETRY, 0);
	ck_assert_int_ne(fake.masks[IBV_QPS_INIT] & IBV_QP_ACCESS_FLAGS, 0);
	/* This end's details: the configured MTU, its GID of that index, its LID. */
	ck_ok(rdma_verbs.qp_new(domain, NULL, &second));
	ck_ok(rdma_verbs.qp_params(second, details, &len));
	ck_assert_uint_eq(len, sizeof(peer));
	ck_assert_uint_eq(details[3], IBV_MTU_1024);
	ck_assert_uint_eq(details[7], VERBS_FAKE_QP + 1);
	ck_assert_uint_eq(details[13], 17);
	ck_assert_uint_eq(details[14], 8);
	ck_assert_uint_eq(details[15], 4);
	ck_assert_uint_eq(details[16], GID + 1);
}
END_TEST

/* InfiniBand needs no global route within a subnet, and Ethernet has no other. */
START_TEST(a_global_route_is_a_choice)
{
	const struct ibv_ah_attr *ah = &fake.states[IBV_QPS_RTR].ah_attr;

	fake.device.port.link_layer = _i & 1 ? IBV_LINK_LAYER_INFINIBAND : IBV_LINK_LAYER_ETHERNET;
	domain_open(0, _i & 2);
	qp_open();
	ck_assert_uint_eq(ah->is_global, _i != 1);
	ck_assert_uint_eq(ah->dlid, 6);
}
END_TEST

START_TEST(rights_of_a_port_are_those_of_its_queue_pairs)
{
	static const struct {
		uint32_t right;
		unsigned access;
	} rights[] = {{0, 0},
		      {DOCA_ACCESS_FLAG_RDMA_READ, IBV_ACCESS_REMOTE_READ},
		      {DOCA_ACCESS_FLAG_RDMA_WRITE, IBV_ACCESS_REMOTE_WRITE},
		      {DOCA_ACCESS_FLAG_RDMA_ATOMIC, IBV_ACCESS_REMOTE_ATOMIC}};

	domain_open(rights[_i].right, true);
	qp_open();
	ck_assert_uint_eq(fake.states[IBV_QPS_INIT].qp_access_flags,
			  IBV_ACCESS_LOCAL_WRITE | rights[_i].access);
}
END_TEST

/* The same for the rights of a map, whatever its device is asked for otherwise. */
START_TEST(rights_of_a_map_are_those_of_its_key)
{
	const struct mem_key *key;

	domain_open(0, true);
	ck_ok(doca_mmap_stop(mmap));
	ck_ok(doca_mmap_set_permissions(mmap, _i == 0 ? DOCA_ACCESS_FLAG_RDMA_READ
						      : DOCA_ACCESS_FLAG_LOCAL_READ_WRITE |
								DOCA_ACCESS_FLAG_RDMA_ATOMIC));
	ck_ok(doca_mmap_start(mmap));
	ck_ok(verbs_mem_register(mmap, &fake.device, true, &key));
	ck_assert_int_eq(fake.access, _i == 0 ? IBV_ACCESS_REMOTE_READ
					      : IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_ATOMIC);
	ck_assert_uint_eq(key->local, VERBS_FAKE_KEY);
	ck_assert_uint_eq(key->remote, VERBS_FAKE_REMOTE_KEY);
}
END_TEST

static const struct {
	enum ibv_wr_opcode code;
	bool is_remote, has_imm, is_atomic;
} ops[] = {
	[RDMA_SEND] = {IBV_WR_SEND, false, false, false},
	[RDMA_SEND_IMM] = {IBV_WR_SEND_WITH_IMM, false, true, false},
	[RDMA_WRITE] = {IBV_WR_RDMA_WRITE, true, false, false},
	[RDMA_WRITE_IMM] = {IBV_WR_RDMA_WRITE_WITH_IMM, true, true, false},
	[RDMA_READ] = {IBV_WR_RDMA_READ, true, false, false},
	[RDMA_CMP_SWP] = {IBV_WR_ATOMIC_CMP_AND_SWP, true, false, true},
	[RDMA_FETCH_ADD] = {IBV_WR_ATOMIC_FETCH_AND_ADD, true, false, true},
};

/* For memory, short and long, and for a sync event, whose own key is used. */
static void check_request(enum rdma_op op, size_t len, struct sync_import *event)
{
	const struct rdma_sge sge = {.addr = bytes, .len = len, .mmap = mmap};
	bool is_inline = op <= RDMA_WRITE_IMM && len < LEN;
	struct rdma_wr wr = {.op = op,
			     .imm = htonl(0x11223344),
			     .n_sges = 1,
			     .sges = &sge,
			     .remote_addr = 0x7000,
			     .remote_mmap = event == NULL ? &remote : NULL,
			     .remote_event = event,
			     .compare = 11,
			     .value = 22};
	uint64_t addr = event == NULL ? 0x7000 : event->addr;
	uint32_t key = event == NULL ? 77 : event->key;

	ck_ok(rdma_verbs.post(&qp->base, &wr));
	ck_assert_int_eq(fake.sent.opcode, ops[op].code);
	ck_assert_uint_eq(fake.sent.send_flags,
			  IBV_SEND_SIGNALED | (is_inline ? IBV_SEND_INLINE : 0u));
	ck_assert_int_eq(fake.sent.num_sge, 1);
	ck_assert_uint_eq(fake.sge.addr, (uintptr_t)bytes);
	ck_assert_uint_eq(fake.sge.length, len);
	ck_assert(is_inline || fake.sge.lkey == VERBS_FAKE_KEY);
	if (ops[op].has_imm)
		ck_assert_uint_eq(fake.sent.imm_data, htonl(0x11223344));
	if (ops[op].is_atomic) {
		ck_assert_uint_eq(fake.sent.wr.atomic.remote_addr, addr);
		ck_assert_uint_eq(fake.sent.wr.atomic.rkey, key);
		ck_assert_uint_eq(fake.sent.wr.atomic.compare_add, op == RDMA_CMP_SWP ? 11 : 22);
		if (op == RDMA_CMP_SWP)
			ck_assert_uint_eq(fake.sent.wr.atomic.swap, 22);
	} else if (ops[op].is_remote) {
		ck_assert_uint_eq(fake.sent.wr.rdma.remote_addr, addr);
		ck_assert_uint_eq(fake.sent.wr.rdma.rkey, key);
	}
	verbs_fake_complete(VERBS_FAKE_QP, fake.sent.wr_id, IBV_WC_SUCCESS, false);
	ck_assert_ptr_eq(rdma_verbs.poll(domain), &wr);
	ck_assert_int_eq(wr.status, DOCA_SUCCESS);
	ck_assert_uint_eq(wr.len, len);
}

START_TEST(each_request_has_its_fields)
{
	struct sync_import event = {.has_key = true,
				    .addr = 0x9008,
				    .key = 99,
				    .cell = {.alive = &liveness, .generation = 2}};

	domain_open(0, true);
	qp_open();
	if (!ops[_i].is_atomic)
		check_request((enum rdma_op)_i, LEN, NULL);
	check_request((enum rdma_op)_i, 8, NULL);
	if (ops[_i].is_remote)
		check_request((enum rdma_op)_i, 8, &event);
}
END_TEST

static const struct {
	enum ibv_wc_status status;
	doca_error_t code;
} ends[] = {
	{IBV_WC_SUCCESS, DOCA_SUCCESS},
	/* Errors of the request, or of the memory of either end. */
	{IBV_WC_LOC_LEN_ERR, DOCA_ERROR_IO_FAILED},
	{IBV_WC_LOC_QP_OP_ERR, DOCA_ERROR_IO_FAILED},
	{IBV_WC_LOC_PROT_ERR, DOCA_ERROR_IO_FAILED},
	{IBV_WC_LOC_ACCESS_ERR, DOCA_ERROR_IO_FAILED},
	{IBV_WC_REM_INV_REQ_ERR, DOCA_ERROR_IO_FAILED},
	{IBV_WC_REM_ACCESS_ERR, DOCA_ERROR_IO_FAILED},
	{IBV_WC_REM_OP_ERR, DOCA_ERROR_IO_FAILED},
	{IBV_WC_RNR_RETRY_EXC_ERR, DOCA_ERROR_IO_FAILED},
	{IBV_WC_GENERAL_ERR, DOCA_ERROR_IO_FAILED},
	/* Errors of the connection. */
	{IBV_WC_WR_FLUSH_ERR, DOCA_ERROR_CONNECTION_RESET},
	{IBV_WC_RETRY_EXC_ERR, DOCA_ERROR_CONNECTION_RESET},
	{IBV_WC_REM_ABORT_ERR, DOCA_ERROR_CONNECTION_RESET},
};

/* The code of a request, and of its connection: the cause of a flush was reported before. */
START_TEST(each_status_has_its_code)
{
	struct rdma_wr wr = {.op = RDMA_SEND};
	struct rdma_event event;

	domain_open(0, true);
	qp_open();
	ck_ok(rdma_verbs.post(&qp->base, &wr));
	verbs_fake_complete(VERBS_FAKE_QP, fake.sent.wr_id, ends[_i].status, false);
	ck_assert_ptr_eq(rdma_verbs.poll(domain), &wr);
	ck_assert_int_eq(wr.status, ends[_i].code);
	ck_assert_int_eq(rdma_verbs.next_event(domain, &event),
			 ends[_i].code != DOCA_SUCCESS && ends[_i].status != IBV_WC_WR_FLUSH_ERR);
	if (ends[_i].code == DOCA_SUCCESS || ends[_i].status == IBV_WC_WR_FLUSH_ERR)
		return;
	ck_assert_int_eq(event.type, RDMA_QP_BROKEN);
	ck_assert_int_eq(event.reason, ends[_i].code);
	ck_assert_int_eq(fake.states[IBV_QPS_ERR].qp_state, IBV_QPS_ERR);
}
END_TEST

/* A device locks its queues in memory, too: for a port, or for one more connection. */
START_TEST(queues_that_cannot_be_locked)
{
	const struct rdma_conf conf = {.mtu = 1024};
	const struct rlimit limit = {65536, 65536};
	struct rdma_domain *none;
	struct rdma_qp *made;

	domain_open(0, true);
	ck_assert_int_eq(setrlimit(RLIMIT_MEMLOCK, &limit), 0);
	fake.no_queues = ENOMEM;
	if (_i == 0) {
		fake.device.refs++;
		ck_fails(verbs_domain_new(&fake.device, &unit_dev, &conf, &none),
			 DOCA_ERROR_NO_MEMORY);
		ck_says("a completion queue cannot be made on fake0");
	} else {
		ck_fails(rdma_verbs.qp_new(domain, NULL, &made), DOCA_ERROR_NO_MEMORY);
		ck_says("a queue pair cannot be made on fake0");
	}
	ck_says("limit for that is 65536 bytes; raise it (ulimit -l, LimitMEMLOCK=");
}
END_TEST

/* The thread that gets the event wakes the port. */
START_TEST(a_sleeper_learns_of_a_device_removal)
{
	struct pollfd fd = {.events = POLLIN};
	struct rdma_event event;

	domain_open(0, true);
	qp_open();
	fd.fd = rdma_verbs.get_fd(domain);
	ck_assert(!rdma_verbs.arm(domain));
	ck_assert_int_eq(poll(&fd, 1, 0), 0);
	fake.events[0] = (struct ibv_async_event){.event_type = IBV_EVENT_DEVICE_FATAL};
	atomic_store(&fake.n_events, 1);
	ck_assert_int_eq(eventfd_write(fake.context.async_fd, 1), 0);
	ck_assert_int_eq(poll(&fd, 1, WAIT_MS), 1);
	rdma_verbs.disarm(domain);
	ck_assert(rdma_verbs.next_event(domain, &event));
	ck_assert_int_eq(event.type, RDMA_QP_BROKEN);
	ck_assert(rdma_verbs.next_event(domain, &event));
	ck_assert_int_eq(event.type, RDMA_DEVICE_REMOVED);
}
END_TEST

/* Sleeps without an event. */
static void sleep_once(void)
{
	struct pollfd fd = {.fd = rdma_verbs.get_fd(domain), .events = POLLIN};
	struct rdma_event event;

	if (!rdma_verbs.arm(domain))
		ck_assert_int_eq(poll(&fd, 1, WAIT_MS), 1);
	rdma_verbs.disarm(domain);
	ck_assert(!rdma_verbs.next_event(domain, &event));
}

/*
 * The liveness word ends with a session, too: as long as no daemon can be asked, the device counts
 * as present, and a sleeping program wakes to ask again.
 */
START_TEST(without_a_daemon_the_device_is_there)
{
	static _Atomic uint32_t word;
	static struct session_page page = {.words = &word, .n_words = 1, .refs = 1};
	struct dev_liveness opened = {.page = &page, .generation = 2};
	struct rdma_event event;

	ck_assert_int_eq(setenv("DOCOCORED_SOCKET", "/nowhere/dococored.sock", 1), 0);
	domain_open(0, true);
	qp_open();
	atomic_store(&unit_dev.liveness, &opened);
	atomic_store(&verbs_domain_of(domain)->wakeup.has_events, true);
	ck_assert(!rdma_verbs.next_event(domain, &event));
	/* The thread that checks words may notify once more. */
	for (unsigned i = 0; i < 3; i++) {
		uint64_t check_ns = verbs_domain_of(domain)->check_ns;

		ck_assert_uint_ne(check_ns, 0);
		sleep_once();
		ck_assert_uint_gt(verbs_domain_of(domain)->check_ns, check_ns);
	}
	/* The next daemon reports that it is present. */
	atomic_store(&word, 2);
	while (verbs_domain_of(domain)->check_ns != 0)
		sleep_once();
	atomic_store(&unit_dev.liveness, NULL);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("client/verbs requests");
	TCase *tcase = unit_case(suite, "requests", UNIT_TIMEOUT);

	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_test(tcase, what_is_configured_is_asked_for);
	tcase_add_loop_test(tcase, a_global_route_is_a_choice, 0, 4);
	tcase_add_loop_test(tcase, rights_of_a_port_are_those_of_its_queue_pairs, 0, 4);
	tcase_add_loop_test(tcase, rights_of_a_map_are_those_of_its_key, 0, 2);
	tcase_add_loop_test(tcase, each_request_has_its_fields, RDMA_SEND, RDMA_FETCH_ADD + 1);
	tcase_add_loop_test(tcase, each_status_has_its_code, 0, (int)ARRAY_LEN(ends));
	tcase_add_loop_test(tcase, queues_that_cannot_be_locked, 0, 2);
	tcase_add_test(tcase, a_sleeper_learns_of_a_device_removal);
	tcase_add_test(tcase, without_a_daemon_the_device_is_there);
	return unit_run(suite);
}
