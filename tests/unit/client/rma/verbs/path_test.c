/*
 * Copies and RDMA tasks on a simulated device: when a copy reaches the device, that nothing is
 * posted to a lost connection, and that an operation makes no system call, takes no lock and
 * allocates no memory. The daemon that connects a copy is simulated; it knows each process at once.
 */
#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <doca_rdma.h>

#include "client/rma/requester_call.h"
#include "client/rma/requester_state.h"
#include "tests/lib/allocount.h"
#include "tests/lib/lockcount.h"
#include "tests/unit/client/dma/fixture.h"
#include "tests/unit/client/rma/verbs/fake_device.h"

#define LEN        4096u
#define SHORT      64u
#define N_BUFS     8u
#define N_ROUNDS   1000u
#define REMOTE_KEY 77u
#define N_WCS      64u
#define WAIT_MS    20000

/* --- queues of the device, for an unlimited number of requests --- */

static struct {
	uint64_t sent[N_WCS]; /* ids */
	unsigned n_sent, n_ended;
	uint64_t received; /* the last one's id */
	struct ibv_wc wcs[N_WCS];
	unsigned n_wcs, n_polled;
	bool completes; /* sent requests complete at once */
} queues;

static void complete(struct ibv_wc wc)
{
	if (queues.n_wcs - queues.n_polled == N_WCS)
		ck_abort_msg("more completions than are polled");
	wc.qp_num = VERBS_FAKE_QP;
	queues.wcs[queues.n_wcs++ % N_WCS] = wc;
}

/* Completes the oldest incomplete request. */
static void complete_sent(enum ibv_wc_status status)
{
	complete((struct ibv_wc){.wr_id = queues.sent[queues.n_ended++ % N_WCS], .status = status});
}

static void complete_received(uint32_t len)
{
	complete((struct ibv_wc){.wr_id = queues.received, .opcode = IBV_WC_RECV, .byte_len = len});
}

static int queues_poll(struct ibv_cq *cq, int n, struct ibv_wc *wc)
{
	int i;

	(void)cq;
	for (i = 0; i < n && queues.n_polled != queues.n_wcs; i++)
		wc[i] = queues.wcs[queues.n_polled++ % N_WCS];
	return i;
}

static int queues_send(struct ibv_qp *qp, struct ibv_send_wr *wr, struct ibv_send_wr **bad)
{
	(void)qp;
	(void)bad;
	fake.sent = *wr;
	fake.sge = wr->sg_list[0];
	queues.sent[queues.n_sent++ % N_WCS] = wr->wr_id;
	if (queues.completes)
		complete_sent(IBV_WC_SUCCESS);
	return 0;
}

static int queues_receive(struct ibv_srq *srq, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad)
{
	(void)srq;
	(void)bad;
	queues.received = wr->wr_id;
	return 0;
}

/* --- the provider on that device --- */

static uint32_t max_queue = 64; /* requests per queue pair */

static bool fake_query(const struct doca_devinfo *info, struct rdma_limits *limits_out,
		       char reason[RDMA_REASON_MAX])
{
	(void)info;
	(void)reason;
	*limits_out = (struct rdma_limits){.max_send_queue = max_queue,
					   .max_recv_queue = 64,
					   .max_send_sges = 4,
					   .max_recv_sges = 4,
					   .max_message = 1u << 20,
					   .max_qps = 4,
					   .n_gids = 1,
					   .max_mtu = 4096,
					   .has_atomics = true,
					   .has_rc = true};
	return true;
}

static int fake_get_gid(const struct doca_devinfo *info, uint32_t index,
			uint8_t gid_out[RDMA_GID_LEN])
{
	(void)info;
	memset(gid_out, (int)index, RDMA_GID_LEN);
	return 0;
}

static struct rdma_provider played;

static doca_error_t fake_open(struct doca_dev *dev, const struct rdma_conf *conf,
			      struct rdma_domain **domain_out)
{
	doca_error_t result;

	fake.device.refs++;
	result = verbs_domain_new(&fake.device, dev, conf, domain_out);
	if (result == DOCA_SUCCESS)
		(*domain_out)->ops = &played;
	return result;
}

const struct rdma_provider *const rdma_providers[] = {&played, NULL};

/* --- the daemon --- */

static struct requester *asking;
static struct event_writer teller;

uint64_t requester_wait_ns(void)
{
	return 0;
}

void requester_receive_replies(struct requester *requester)
{
	(void)requester;
}

doca_error_t requester_open_rendezvous(struct requester *requester)
{
	struct rendezvous *rendezvous = &requester->rendezvous;

	asking = requester;
	if (rendezvous->is_open)
		return DOCA_SUCCESS;
	event_writer_deinit(&teller);
	ck_assert_int_eq(event_writer_init(&teller), 0);
	ck_assert_int_eq(event_reader_init(&rendezvous->events, dup(teller.memfd),
					   dup(teller.eventfd), sizeof(struct event_ring)),
			 0);
	/* The session of this process does not know it. */
	list_init(&rendezvous->item.node);
	rendezvous->is_open = true;
	return DOCA_SUCCESS;
}

/* Answers the call with the details of a queue pair. */
doca_error_t requester_call_begin(struct requester *requester, struct requester_peer *peer)
{
	static const uint8_t details[32] = {'V', 'Q', 1, IBV_MTU_512, 0, 0, 0, 9,    0,
					    0,   0,   4, 0,           6, 2, 2, 0xfe, 0x80};
	static uint64_t last_call;

	peer->call_id = ++last_call;
	return requester->ops->qp_connect(peer->qp, details, sizeof(details));
}

doca_error_t requester_fetch_begin(struct requester *requester, struct requester_peer *peer)
{
	(void)requester;
	(void)peer;
	ck_abort_msg("nothing is to be fetched");
}

/* The answer has been fetched too, and the queue pair is being connected. */
doca_error_t requester_call_end(struct requester_peer *peer)
{
	requester_peer_enter(asking, peer, REQUESTER_CALLED);
	requester_peer_enter(asking, peer, REQUESTER_FETCH_DUE);
	requester_peer_enter(asking, peer, REQUESTER_FETCH_SENT);
	requester_peer_enter(asking, peer, REQUESTER_CONNECTING);
	return DOCA_ERROR_IN_PROGRESS;
}

void requester_unwatch_session(struct requester *requester)
{
	(void)requester;
}

void requester_cancel_idle(struct requester *requester)
{
	requester->is_requesting = false;
}

void requester_cancel_all(struct requester *requester)
{
	(void)requester;
}

static void notify_gone(doca_error_t code)
{
	const struct requester_peer *peer = list_entry(asking->peers.next, struct requester_peer,
						       node);
	const struct event event = {
		.type = EVENT_RDMA_GONE, .code = (uint32_t)code, .id = peer->call_id};

	ck_assert_int_eq(event_writer_push(&teller, &event), 0);
}

/* --- both ends --- */

static const struct transport_region remote_region = {.ops = &transport_verbs, .pidfd = -1};
static uint8_t ours[LEN], remote_memory[LEN];
static struct doca_pe *pe;
static struct copier copier;
static struct doca_mmap *mmap, *import;
static struct doca_buf_inventory *inventory;
static struct doca_buf *src, *dst;
/* An RDMA context, connected to a queue pair that does not exist. */
static struct doca_rdma *rdma;
static struct doca_ctx *rdma_ctx;
static struct doca_rdma_connection *conn;
static uint64_t n_allocations, n_locks;
static unsigned n_ok, n_failed; /* tasks of the context */

static void setup(void)
{
	played = rdma_verbs;
	played.query = fake_query;
	played.get_gid = fake_get_gid;
	played.open = fake_open;
	verbs_fake_set_up();
	fake.context.ops.poll_cq = queues_poll;
	fake.context.ops.post_send = queues_send;
	fake.context.ops.post_srq_recv = queues_receive;
	mmap = unit_mmap(ours, LEN, DOCA_ACCESS_FLAG_LOCAL_READ_WRITE);
	import = unit_import((uintptr_t)remote_memory, LEN, true, true, &remote_region);
	import->is_posted = import->has_remote_key = true;
	import->remote_key = REMOTE_KEY;
	import->endpoint_id = 5;
	import->permissions = DOCA_ACCESS_FLAG_RDMA_READ | DOCA_ACCESS_FLAG_RDMA_WRITE |
			      DOCA_ACCESS_FLAG_RDMA_ATOMIC;
	inventory = unit_inventory(N_BUFS);
}

static void teardown(void)
{
	event_writer_deinit(&teller);
	ck_assert_uint_eq(unit_n_free(inventory), N_BUFS);
	ck_ok(doca_buf_inventory_destroy(inventory));
	ck_ok(doca_mmap_destroy(mmap));
	ck_ok(doca_mmap_destroy(import));
	verbs_fake_tear_down();
}

static void submit(void)
{
	dst->data_len = 0;
	copier_submit(&copier, src, dst);
}

/* A context that has copied from there: its first copy calls the process. */
static void setup_copier(void)
{
	setup();
	ck_ok(doca_pe_create(&pe));
	copier_init(&copier, pe, 8);
	src = unit_buf(inventory, import, remote_memory, SHORT, 0, SHORT);
	dst = unit_buf(inventory, mmap, ours, SHORT, 0, 0);
	queues.completes = true;
	submit();
	for (unsigned i = 0; i < 8 && copier.n_ok == 0; i++)
		doca_pe_progress(pe);
	ck_assert_uint_eq(copier.n_ok, 1);
	queues.completes = false;
}

static void teardown_copier(void)
{
	copier_deinit(&copier);
	ck_ok(doca_pe_destroy(pe));
	unit_put(src);
	unit_put(dst);
	teardown();
}

/* --- copies --- */

/* A program that waits for one copy after the other waits for no turn of the pollers. */
START_TEST(a_copy_is_posted_by_its_submission)
{
	bool is_write = _i != 0;

	if (is_write) {
		unit_put(src);
		unit_put(dst);
		src = unit_buf(inventory, mmap, ours, SHORT, 0, SHORT);
		dst = unit_buf(inventory, import, remote_memory, SHORT, 0, 0);
	}
	for (unsigned i = 0; i < 3; i++) {
		unsigned n = queues.n_sent;

		submit();
		ck_assert_uint_eq(doca_pe_progress(pe), 1);
		ck_assert_uint_eq(queues.n_sent, n + 1);
		ck_assert_int_eq(fake.sent.opcode, is_write ? IBV_WR_RDMA_WRITE : IBV_WR_RDMA_READ);
		ck_assert_uint_eq(fake.sent.wr.rdma.remote_addr, (uintptr_t)remote_memory);
		ck_assert_uint_eq(fake.sent.wr.rdma.rkey, REMOTE_KEY);
		ck_assert_uint_eq(fake.sge.addr, (uintptr_t)ours);
		ck_assert_uint_eq(fake.sge.length, SHORT);
		ck_assert_uint_eq(copier.n_ok, 1 + i);
		complete_sent(IBV_WC_SUCCESS);
		ck_assert_uint_eq(doca_pe_progress(pe), 1);
		ck_assert_uint_eq(copier.n_ok, 2 + i);
		ck_assert_uint_eq(dst->data_len, SHORT);
	}
}
END_TEST

/*
 * The queue has room for two. The others are posted when those have completed, in order, before
 * later ones.
 */
START_TEST(requests_without_room_are_posted_later)
{
	struct doca_buf *dsts[4];
	unsigned n = queues.n_sent;

	for (unsigned i = 0; i < 3; i++) {
		dsts[i] = unit_buf(inventory, mmap, ours + (i + 1) * SHORT, SHORT, 0, 0);
		copier_submit(&copier, src, dsts[i]);
	}
	unit_progress(pe);
	ck_assert_uint_eq(queues.n_sent, n + 2);
	complete_sent(IBV_WC_SUCCESS);
	dsts[3] = unit_buf(inventory, mmap, ours + 4 * SHORT, SHORT, 0, 0);
	copier_submit(&copier, src, dsts[3]);
	unit_progress(pe);
	ck_assert_uint_eq(queues.n_sent, n + 3);
	ck_assert_uint_eq(fake.sge.addr, (uintptr_t)ours + 3 * SHORT);
	for (unsigned i = 0; i < ARRAY_LEN(dsts); i++) {
		ck_assert_uint_eq(copier.n_ok, 2 + i);
		ck_assert_uint_eq(dsts[i]->data_len, SHORT);
		if (i < 3)
			complete_sent(IBV_WC_SUCCESS);
		unit_progress(pe);
		ck_assert_uint_eq(queues.n_sent, n + 4);
	}
	ck_assert_uint_eq(copier.n_ok, 1 + ARRAY_LEN(dsts));
	for (unsigned i = 0; i < ARRAY_LEN(dsts); i++)
		unit_put(dsts[i]);
}
END_TEST

static void setup_limited(void)
{
	max_queue = 2;
	setup_copier();
}

/* --- losses --- */

enum loss { LOSS_OF_DEVICE, LOSS_OF_PAIR, LOSS_OF_PROCESS, LOSS_OF_REQUEST, N_LOSSES };

/* The provider's thread has handled the event. */
static void notify_and_wait(enum ibv_event_type what)
{
	const struct verbs_wakeup *wakeup = list_entry(fake.device.wakeups.next,
						       struct verbs_wakeup, node);
	struct pollfd fd = {.fd = wakeup->fd, .events = POLLIN};

	fake.events[0] = (struct ibv_async_event){.element.qp = &fake.qps[0], .event_type = what};
	atomic_store(&fake.n_events, 1);
	ck_assert_int_eq(eventfd_write(fake.context.async_fd, 1), 0);
	ck_assert_int_eq(poll(&fd, 1, WAIT_MS), 1);
}

static void lose_path(enum loss loss)
{
	switch (loss) {
	case LOSS_OF_DEVICE:
		notify_and_wait(IBV_EVENT_DEVICE_FATAL);
		break;
	case LOSS_OF_PAIR:
		notify_and_wait(IBV_EVENT_QP_FATAL);
		break;
	case LOSS_OF_PROCESS:
		notify_gone(DOCA_ERROR_NOT_FOUND);
		break;
	case LOSS_OF_REQUEST:
		complete_sent(IBV_WC_RETRY_EXC_ERR);
		break;
	case N_LOSSES:
		break;
	}
}

/* However it is known: the next copy is the first to check, and is not posted. */
START_TEST(nothing_is_posted_to_what_is_lost)
{
	struct doca_buf *other = unit_buf(inventory, mmap, ours + SHORT, SHORT, 0, 0);
	unsigned n_before = 0, n;

	if (_i == LOSS_OF_REQUEST) {
		copier_submit(&copier, src, other);
		ck_assert_uint_eq(doca_pe_progress(pe), 1);
		n_before = 1;
	}
	n = queues.n_sent;
	lose_path((enum loss)_i);
	submit();
	ck_assert_uint_eq(doca_pe_progress(pe), 1);
	ck_assert_uint_eq(queues.n_sent, n);
	unit_progress(pe);
	ck_assert_uint_eq(queues.n_sent, n);
	ck_assert_uint_eq(copier.n_ok, 1);
	ck_assert_uint_eq(copier.n_failed, 1 + n_before);
	ck_assert_uint_eq(dst->data_len, 0);
	ck_assert_int_eq(unit_state(copier.ctx), IDLE);
	unit_put(other);
}
END_TEST

/* --- cost of an operation --- */

/* Counts system calls between the two, if the kernel supports it (Linux 5.11). */
static volatile char calls_are_caught;
static volatile sig_atomic_t n_calls;

static void on_call(int number, siginfo_t *info, void *context)
{
	(void)number;
	(void)info;
	(void)context;
	calls_are_caught = SYSCALL_DISPATCH_FILTER_ALLOW;
	n_calls++;
}

static void cost_begin(void)
{
	const struct sigaction action = {.sa_sigaction = on_call, .sa_flags = SA_SIGINFO};
	const char *preload = getenv("LD_PRELOAD");

	if (!allocount_works)
		return;
	ck_assert_int_eq(sigaction(SIGSYS, &action, NULL), 0);
	/* Under valgrind its own system calls would be counted. */
	if (preload == NULL || strstr(preload, "vgpreload") == NULL)
		(void)prctl(PR_SET_SYSCALL_USER_DISPATCH, PR_SYS_DISPATCH_ON, 0, 0,
			    &calls_are_caught);
	n_allocations = allocount_n();
	n_locks = lockcount_n();
	calls_are_caught = SYSCALL_DISPATCH_FILTER_BLOCK;
}

static void cost_end(void)
{
	calls_are_caught = SYSCALL_DISPATCH_FILTER_ALLOW;
	if (!allocount_works)
		return;
	n_allocations = allocount_n() - n_allocations;
	n_locks = lockcount_n() - n_locks;
	(void)prctl(PR_SET_SYSCALL_USER_DISPATCH, PR_SYS_DISPATCH_OFF, 0, 0, 0);
	ck_assert_int_eq(n_calls, 0);
	ck_assert_uint_eq(n_allocations, 0);
	ck_assert_uint_eq(n_locks, 0);
}

/* An assertion allocates memory itself. */
static __attribute__((noinline)) void copies_run(unsigned n)
{
	for (unsigned until = copier.n_ok + n; copier.n_ok != until;) {
		unsigned before = copier.n_ok;
		struct doca_dma_task_memcpy *task;

		dst->data_len = 0;
		if (doca_dma_task_memcpy_alloc_init(copier.dma, src, dst,
						    (union doca_data){.u64 = 0},
						    &task) != DOCA_SUCCESS ||
		    doca_task_submit(doca_dma_task_memcpy_as_task(task)) != DOCA_SUCCESS)
			abort();
		while (copier.n_ok + copier.n_failed == before)
			(void)doca_pe_progress(pe);
	}
}

START_TEST(copies_take_no_call_lock_or_memory)
{
	queues.completes = true;
	cost_begin();
	copies_run(N_ROUNDS);
	cost_end();
}
END_TEST

static void on_task(struct doca_task *task, union doca_data data, union doca_data ctx_data)
{
	(void)data;
	(void)ctx_data;
	if (doca_task_get_status(task) == DOCA_SUCCESS)
		n_ok++;
	else
		n_failed++;
}

#define CONF(kind)                                                      \
	ck_ok(doca_rdma_task_##kind##_set_conf(                         \
		rdma, (doca_rdma_task_##kind##_completion_cb_t)on_task, \
		(doca_rdma_task_##kind##_completion_cb_t)on_task, 1))

static void setup_rdma(void)
{
	const void *details;
	size_t len;

	setup();
	ck_ok(doca_pe_create(&pe));
	ck_ok(doca_rdma_create(&unit_dev, &rdma));
	rdma_ctx = doca_rdma_as_ctx(rdma);
	CONF(receive);
	CONF(send);
	CONF(write);
	CONF(read);
	CONF(atomic_fetch_add);
	ck_ok(doca_pe_connect_ctx(pe, rdma_ctx));
	ck_ok(doca_ctx_start(rdma_ctx));
	ck_ok(doca_rdma_export(rdma, &details, &len, &conn));
	ck_ok(doca_rdma_connect(rdma, details, len, conn));
	unit_progress(pe);
	src = unit_buf(inventory, mmap, ours, SHORT, 0, SHORT);
	dst = unit_buf(inventory, mmap, ours + SHORT, SHORT, 0, 0);
}

static void teardown_rdma(void)
{
	ck_ok(doca_ctx_stop(rdma_ctx));
	ck_assert_int_eq(unit_state(rdma_ctx), IDLE);
	ck_ok(doca_rdma_destroy(rdma));
	ck_ok(doca_pe_destroy(pe));
	unit_put(src);
	unit_put(dst);
	teardown();
}

#define TASK(kind, ...)                                                                            \
	__extension__({                                                                            \
		struct doca_rdma_task_##kind *made_;                                               \
		ck_ok(doca_rdma_task_##kind##_allocate_init(rdma, __VA_ARGS__,                     \
							    (union doca_data){.u64 = 0}, &made_)); \
		doca_rdma_task_##kind##_as_task(made_);                                            \
	})

/* grown: its data is what was moved. */
static __attribute__((noinline)) void tasks_run(struct doca_task *task, struct doca_buf *grown,
						bool is_receive, unsigned n)
{
	for (unsigned until = n_ok + n; n_ok != until;) {
		unsigned before = n_ok + n_failed;

		grown->data_len = 0;
		if (doca_task_submit(task) != DOCA_SUCCESS)
			abort();
		if (is_receive)
			complete_received(SHORT);
		while (n_ok + n_failed == before)
			(void)doca_pe_progress(pe);
	}
}

/* The first operation registers the memory. */
static void check_cost(struct doca_task *task, struct doca_buf *grown, bool is_receive)
{
	tasks_run(task, grown, is_receive, 1);
	cost_begin();
	tasks_run(task, grown, is_receive, N_ROUNDS);
	cost_end();
	doca_task_free(task);
}

START_TEST(tasks_take_no_call_lock_or_memory)
{
	struct doca_buf *remote_src = unit_buf(inventory, import, remote_memory, SHORT, 0, SHORT);
	struct doca_buf *remote_dst = unit_buf(inventory, import, remote_memory + SHORT, SHORT, 0,
					       0);
	struct doca_buf *word = unit_buf(inventory, mmap, ours + 2 * SHORT, 8, 0, 0);

	queues.completes = true;
	check_cost(TASK(receive, dst), dst, true);
	check_cost(TASK(send, conn, src), dst, false);
	check_cost(TASK(write, conn, src, remote_dst), remote_dst, false);
	check_cost(TASK(read, conn, remote_src, dst), dst, false);
	check_cost(TASK(atomic_fetch_add, conn, remote_dst, word, 1), word, false);
	ck_assert_uint_eq(n_failed, 0);
	unit_put(remote_src);
	unit_put(remote_dst);
	unit_put(word);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("client/verbs path");
	TCase *tcase = unit_case(suite, "copies", UNIT_TIMEOUT);

	tcase_add_checked_fixture(tcase, setup_copier, teardown_copier);
	tcase_add_loop_test(tcase, a_copy_is_posted_by_its_submission, 0, 2);
	tcase_add_loop_test(tcase, nothing_is_posted_to_what_is_lost, 0, N_LOSSES);
	tcase = unit_case(suite, "narrow", UNIT_TIMEOUT);
	tcase_add_checked_fixture(tcase, setup_limited, teardown_copier);
	tcase_add_test(tcase, requests_without_room_are_posted_later);
	tcase = unit_case(suite, "cost of copies", UNIT_TIMEOUT);
	tcase_add_checked_fixture(tcase, setup_copier, teardown_copier);
	tcase_add_test(tcase, copies_take_no_call_lock_or_memory);
	tcase = unit_case(suite, "cost of tasks", UNIT_TIMEOUT);
	tcase_add_checked_fixture(tcase, setup_rdma, teardown_rdma);
	tcase_add_test(tcase, tasks_take_no_call_lock_or_memory);
	return unit_run(suite);
}
