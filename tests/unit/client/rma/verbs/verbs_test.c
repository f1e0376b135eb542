/*
 * The verbs provider on a simulated device: the test decides what it completes and when. tests/vm
 * tests real devices.
 */
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <doca_rdma_bridge.h>
#include <dococ.h>

#include "client/memory/buf.h"
#include "client/memory/mmap.h"
#include "client/rma/verbs/mem.h"
#include "tests/unit/client/fixture.h"
#include "tests/unit/client/rma/verbs/fake_device.h"
#include "util/clock.h"
#include "util/fd.h"

#define WAIT_MS 20000

static struct rdma_domain *domain;

static void setup(void)
{
	const struct rdma_conf conf = {.send_queue = 8,
				       .recv_queue = 4,
				       .max_send_sges = 1,
				       .max_recv_sges = 1,
				       .max_qps = 4,
				       .mtu = 1024};

	verbs_fake_set_up();
	ck_ok(verbs_domain_new(&fake.device, &unit_dev, &conf, &domain));
}

static void teardown(void)
{
	rdma_verbs.close(domain);
	verbs_fake_tear_down();
}

/* --- helpers --- */

static struct verbs_qp *qp_new(void)
{
	return verbs_fake_qp_new(domain);
}

static void complete(struct verbs_qp *qp, uint64_t id, enum ibv_wc_status status)
{
	verbs_fake_complete(qp->number, id, status, id & 1);
}

static void complete_send(struct rdma_wr *wr, enum ibv_wc_status status)
{
	complete(verbs_qp_of(wr->qp), (uintptr_t)wr, status);
}

/*
 * Posts receives without memory, because nothing is written here. Those that stay posted outlive
 * the test.
 */
static void post_recvs(struct rdma_wr *wrs, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		wrs[i] = (struct rdma_wr){.op = RDMA_RECV};
		ck_ok(rdma_verbs.post_recv(domain, &wrs[i]));
	}
}

static bool was_notified(enum rdma_event_type type)
{
	struct rdma_event event;

	if (!rdma_verbs.next_event(domain, &event))
		return false;
	ck_assert_int_eq(event.type, type);
	return true;
}

static void ring(void)
{
	atomic_store(&verbs_domain_of(domain)->wakeup.has_events, true);
}

/* --- tests --- */

START_TEST(a_gid_that_is_not_in_use_is_named)
{
	uint8_t details[RDMA_PARAMS_MAX];
	struct rdma_qp *qp;
	size_t len;

	ck_ok(rdma_verbs.qp_new(domain, NULL, &qp));
	fake.has_no_gid = true;
	ck_assert_int_eq(rdma_verbs.qp_params(qp, details, &len), DOCA_ERROR_INVALID_VALUE);
	fake.has_no_gid = false;
	ck_ok(rdma_verbs.qp_params(qp, details, &len));
}
END_TEST

START_TEST(details_that_are_none)
{
	/* Magic, version, MTU, number and first packet number. */
	static const struct {
		uint8_t at, value;
	} damages[] = {{0, 'v'}, {1, 0}, {2, 0xff}, {3, 0}, {3, 6}, {4, 1}, {8, 1}};
	uint8_t details[RDMA_PARAMS_MAX], bad[RDMA_PARAMS_MAX];
	struct rdma_qp *qp;
	size_t len;

	ck_ok(rdma_verbs.qp_new(domain, NULL, &qp));
	ck_ok(rdma_verbs.qp_params(qp, details, &len));
	for (size_t i = 0; i < ARRAY_LEN(damages); i++) {
		memcpy(bad, details, sizeof(bad));
		bad[damages[i].at] = damages[i].value;
		ck_assert_int_eq(rdma_verbs.qp_connect(qp, bad, len), DOCA_ERROR_INVALID_VALUE);
	}
	ck_assert_int_eq(rdma_verbs.qp_connect(qp, details, len - 1), DOCA_ERROR_INVALID_VALUE);
	ck_assert_int_eq(rdma_verbs.qp_connect(qp, details, 0), DOCA_ERROR_INVALID_VALUE);
	ck_assert_ptr_nonnull(strstr(dococ_last_error(), "not of a queue pair on an RDMA device"));
	/* Valid, but of a network that cannot be reached. */
	fake.no_path = ENETUNREACH;
	ck_assert_int_eq(rdma_verbs.qp_connect(qp, details, len), DOCA_ERROR_INVALID_VALUE);
	ck_assert_ptr_nonnull(strstr(dococ_last_error(), "with GID index 0: Network is unreach"));
	fake.no_path = 0;
	ck_assert(!was_notified(RDMA_QP_ESTABLISHED));
	ck_ok(rdma_verbs.qp_connect(qp, details, len));
	ck_assert(was_notified(RDMA_QP_ESTABLISHED));
	ck_assert_int_eq(rdma_verbs.qp_connect(qp, details, len), DOCA_ERROR_BAD_STATE);
	rdma_verbs.qp_free(qp);
}
END_TEST

START_TEST(an_end_is_reported_after_earlier_completions)
{
	struct verbs_qp *qp = qp_new();
	struct rdma_wr wrs[3], recv;

	post_recvs(&recv, 1);
	for (unsigned i = 0; i < ARRAY_LEN(wrs); i++) {
		wrs[i] = (struct rdma_wr){.op = RDMA_SEND};
		ck_ok(rdma_verbs.post(&qp->base, &wrs[i]));
	}
	complete(qp, fake.received[0], IBV_WC_SUCCESS);
	complete_send(&wrs[0], IBV_WC_SUCCESS);
	complete_send(&wrs[1], IBV_WC_REM_ACCESS_ERR);
	complete_send(&wrs[2], IBV_WC_WR_FLUSH_ERR);
	/* Arming reads all of them from the device. */
	ck_assert(rdma_verbs.arm(domain));
	rdma_verbs.disarm(domain);
	ck_assert(!was_notified(RDMA_QP_BROKEN));
	ck_assert_ptr_eq(rdma_verbs.poll(domain), &recv);
	ck_assert(!was_notified(RDMA_QP_BROKEN));
	ck_assert_ptr_eq(rdma_verbs.poll(domain), &wrs[0]);
	ck_assert(!was_notified(RDMA_QP_BROKEN));
	ck_assert_ptr_eq(rdma_verbs.poll(domain), &wrs[1]);
	ck_assert_int_eq(wrs[1].status, DOCA_ERROR_IO_FAILED);
	ck_assert(was_notified(RDMA_QP_BROKEN));
	ck_assert(!was_notified(RDMA_QP_BROKEN));
	ck_assert_ptr_eq(rdma_verbs.poll(domain), &wrs[2]);
	ck_assert_int_eq(wrs[2].status, DOCA_ERROR_CONNECTION_RESET);
}
END_TEST

/* Until its queue pairs are destroyed, the device may write into posted memory. */
START_TEST(a_removed_device_releases_nothing_early)
{
	struct verbs_qp *qp = qp_new();
	struct rdma_wr read = {.op = RDMA_SEND};

	ck_ok(rdma_verbs.post(&qp->base, &read));
	atomic_store(&fake.device.is_removed, true);
	ring();
	ck_assert_ptr_null(rdma_verbs.poll(domain));
	ck_assert(was_notified(RDMA_QP_BROKEN));
	ck_assert_uint_eq(fake.n_qps_gone, 1);
	ck_assert(was_notified(RDMA_DEVICE_REMOVED));
	ck_assert_ptr_eq(rdma_verbs.poll(domain), &read);
	ck_assert_int_eq(read.status, DOCA_ERROR_CONNECTION_RESET);
}
END_TEST

static void notify_of(enum ibv_event_type type, struct ibv_qp *qp)
{
	unsigned n = atomic_load(&fake.n_events);

	fake.events[n] = (struct ibv_async_event){.element.qp = qp, .event_type = type};
	atomic_store(&fake.n_events, n + 1);
}

/* Queue pairs that the program created in the device's protection domain belong to the program. */
START_TEST(queue_pairs_of_the_program_are_not_changed)
{
	uint8_t programs[64], before[sizeof(programs)];
	struct ibv_qp theirs = {.context = &fake.context, .qp_context = programs};
	struct ibv_qp without = {.context = &fake.context};
	struct verbs_qp *qp = qp_new(), *gone = qp_new();
	struct ibv_qp *gone_qp = gone->qp;
	struct pollfd none = {.fd = -1};
	struct rdma_event event;

	memset(programs, 0x55, sizeof(programs));
	memcpy(before, programs, sizeof(programs));
	rdma_verbs.qp_free(&gone->base);
	notify_of(IBV_EVENT_QP_FATAL, &theirs);
	notify_of(IBV_EVENT_QP_LAST_WQE_REACHED, &theirs);
	notify_of(IBV_EVENT_QP_REQ_ERR, &without);
	notify_of(IBV_EVENT_QP_LAST_WQE_REACHED, &without);
	notify_of(IBV_EVENT_QP_FATAL, gone_qp);
	notify_of(IBV_EVENT_QP_ACCESS_ERR, qp->qp);
	(void)eventfd_write(fake.context.async_fd, 1);
	while (atomic_load(&fake.n_acked) < 6)
		poll(&none, 1, 1);
	while (!rdma_verbs.next_event(domain, &event))
		poll(&none, 1, 1);
	ck_assert_int_eq(event.type, RDMA_QP_BROKEN);
	ck_assert_ptr_eq(event.qp, &qp->base);
	ck_assert_mem_eq(programs, before, sizeof(programs));
}
END_TEST

/* Half of a message had arrived for it. */
START_TEST(a_receive_of_a_broken_queue_pair_is_reposted)
{
	struct verbs_qp *broken = qp_new(), *other = qp_new();
	static struct rdma_wr wrs[4];

	post_recvs(wrs, 4);
	atomic_store(&broken->alarm.is_fatal, true);
	ring();
	ck_assert(was_notified(RDMA_QP_BROKEN));
	/*
	 * The second receive was used later, so the first is in use; but it may be this queue
	 * pair's.
	 */
	complete(other, fake.received[1], IBV_WC_SUCCESS);
	ck_assert_ptr_eq(rdma_verbs.poll(domain), &wrs[1]);
	/* The device may still write there. */
	ck_assert_ptr_null(rdma_verbs.poll(domain));
	atomic_store(&broken->alarm.is_drained, true);
	ring();
	ck_assert(!was_notified(RDMA_QP_BROKEN));
	ck_assert_ptr_eq(rdma_verbs.poll(domain), &wrs[0]);
	ck_assert_int_eq(wrs[0].status, DOCA_ERROR_CONNECTION_RESET);
	ck_assert_ptr_null(rdma_verbs.poll(domain));
	/* The other two are still in the queue. */
	complete(other, fake.received[2], IBV_WC_SUCCESS);
	ck_assert_ptr_eq(rdma_verbs.poll(domain), &wrs[2]);
	ck_assert_ptr_null(rdma_verbs.poll(domain));
}
END_TEST

/* "Drained" means that its completions are in the queue, behind others or not. */
START_TEST(a_receive_that_has_come_is_not_lost)
{
	struct verbs_qp *broken = qp_new(), *other = qp_new();
	static struct rdma_wr wrs[4], again;

	again = (struct rdma_wr){.op = RDMA_RECV};
	fake.batch = (unsigned)_i;
	post_recvs(wrs, 4);
	ck_ok(rdma_verbs.qp_disconnect(&broken->base));
	atomic_store(&broken->alarm.is_drained, true);
	complete(other, fake.received[1], IBV_WC_SUCCESS);
	complete(broken, fake.received[0], IBV_WC_SUCCESS);
	ck_assert_ptr_eq(rdma_verbs.poll(domain), &wrs[1]);
	/* The new receive gets the free place. */
	ck_ok(rdma_verbs.post_recv(domain, &again));
	ck_assert_ptr_eq(rdma_verbs.poll(domain), &wrs[0]);
	ck_assert_int_eq(wrs[0].status, DOCA_SUCCESS);
	ck_assert_ptr_null(rdma_verbs.poll(domain));
	complete(other, fake.received[4], IBV_WC_SUCCESS);
	ck_assert_ptr_eq(rdma_verbs.poll(domain), &again);
	ck_assert_int_eq(again.status, DOCA_SUCCESS);
}
END_TEST

START_TEST(what_comes_while_a_queue_pair_goes_is_not_lost)
{
	struct verbs_qp *broken = qp_new(), *other = qp_new();
	struct rdma_wr wrs[2];

	post_recvs(wrs, 2);
	ck_ok(rdma_verbs.qp_disconnect(&broken->base));
	complete(other, fake.received[1], IBV_WC_SUCCESS);
	complete(broken, fake.received[0], IBV_WC_SUCCESS);
	fake.n_wcs -= 2;
	fake.n_late = 2;
	rdma_verbs.qp_free(&broken->base);
	ck_assert_ptr_eq(rdma_verbs.poll(domain), &wrs[1]);
	ck_assert_ptr_eq(rdma_verbs.poll(domain), &wrs[0]);
	ck_assert_int_eq(wrs[0].status, DOCA_SUCCESS);
}
END_TEST

/* The place of the completed receive has been reused by then. */
START_TEST(a_completion_counts_once)
{
	struct verbs_qp *qp = qp_new();
	struct rdma_wr wrs[2];

	for (unsigned i = 0; i < 2; i++) {
		post_recvs(&wrs[i], 1);
		complete(qp, fake.received[0], IBV_WC_SUCCESS);
		ck_assert_ptr_eq(rdma_verbs.poll(domain), i == 0 ? &wrs[0] : NULL);
	}
	complete(qp, fake.received[1], IBV_WC_SUCCESS);
	ck_assert_ptr_eq(rdma_verbs.poll(domain), &wrs[1]);
}
END_TEST

/* The program reads its events, so the provider gets no notification. */
START_TEST(a_removed_device_is_released)
{
	struct verbs_qp *qp = qp_new();
	struct rdma_wr wrs[2];

	for (unsigned i = 0; i < ARRAY_LEN(wrs); i++) {
		wrs[i] = (struct rdma_wr){.op = RDMA_SEND};
		ck_ok(rdma_verbs.post(&qp->base, &wrs[i]));
	}
	fake.was_removed = true;
	complete_send(&wrs[0], IBV_WC_FATAL_ERR);
	ck_assert_ptr_eq(rdma_verbs.poll(domain), &wrs[0]);
	ck_assert(was_notified(RDMA_QP_BROKEN));
	ck_assert_ptr_null(rdma_verbs.poll(domain));
	ck_ok(rdma_verbs.qp_disconnect(&qp->base));
	ck_assert_ptr_eq(rdma_verbs.poll(domain), &wrs[1]);
	ck_assert_int_eq(wrs[1].status, DOCA_ERROR_CONNECTION_RESET);
	ck_ok(rdma_verbs.qp_disconnect(&qp->base));
	ck_assert_uint_eq(fake.n_qps_gone, 1);
}
END_TEST

/* A queue pair in the middle of a message uses a receive that is older than some completed ones. */
START_TEST(a_receive_that_is_in_use_stays)
{
	struct verbs_qp *broken = qp_new(), *slow = qp_new(), *other = qp_new();
	static struct rdma_wr wrs[4];

	post_recvs(wrs, 4);
	/* slow has the first; broken the second, other the third. */
	complete(other, fake.received[2], IBV_WC_SUCCESS);
	ck_assert_ptr_eq(rdma_verbs.poll(domain), &wrs[2]);
	rdma_verbs.qp_disconnect(&broken->base);
	rdma_verbs.qp_free(&broken->base);
	ck_assert_ptr_null(rdma_verbs.poll(domain));
	complete(slow, fake.received[0], IBV_WC_SUCCESS);
	ck_assert_ptr_eq(rdma_verbs.poll(domain), &wrs[0]);
	ck_assert_ptr_null(rdma_verbs.poll(domain));
	complete(slow, fake.received[3], IBV_WC_SUCCESS);
	ck_assert_ptr_eq(rdma_verbs.poll(domain), &wrs[3]);
	ck_assert_ptr_eq(rdma_verbs.poll(domain), &wrs[1]);
	ck_assert_int_eq(wrs[1].status, DOCA_ERROR_CONNECTION_RESET);
}
END_TEST

/* It is unknown how many receives the connection used: the next one finds all of them. */
START_TEST(the_next_connection_finds_all_receives)
{
	struct verbs_qp *qp = qp_new();
	struct rdma_wr wrs[3];

	post_recvs(wrs, 3);
	complete(qp, fake.received[0], IBV_WC_SUCCESS);
	ck_assert_ptr_eq(rdma_verbs.poll(domain), &wrs[0]);
	ck_ok(rdma_verbs.post_recv(domain, &wrs[0]));
	rdma_verbs.qp_disconnect(&qp->base);
	rdma_verbs.qp_free(&qp->base);
	fake.n_received = 0;
	qp = qp_new();
	ck_assert_uint_eq(fake.n_srqs, 2);
	ck_assert_uint_eq(fake.n_srqs_gone, 1);
	ck_assert_uint_eq(fake.n_received, 3);
	complete(qp, fake.received[0], IBV_WC_SUCCESS);
	complete(qp, fake.received[1], IBV_WC_SUCCESS);
	complete(qp, fake.received[2], IBV_WC_SUCCESS);
	/* Requests complete in the order of posting. */
	ck_assert_ptr_eq(rdma_verbs.poll(domain), &wrs[1]);
	ck_assert_ptr_eq(rdma_verbs.poll(domain), &wrs[2]);
	ck_assert_ptr_eq(rdma_verbs.poll(domain), &wrs[0]);
	ck_assert_int_eq(wrs[0].status, DOCA_SUCCESS);
}
END_TEST

START_TEST(a_sleeper_learns_of_a_connection_timeout)
{
	struct pollfd fd = {.fd = rdma_verbs.get_fd(domain), .events = POLLIN};
	struct verbs_domain *p = verbs_domain_of(domain);
	struct verbs_qp *qp = qp_new();

	/* Like a connection by address. */
	qp->state = VERBS_QP_CONNECTING;
	qp->has_deadline = true;
	qp->deadline_ns = clock_now_ns() + 20 * NS_PER_MS;
	p->n_connecting++;
	ck_assert(!rdma_verbs.arm(domain));
	ck_assert_int_eq(poll(&fd, 1, WAIT_MS), 1);
	rdma_verbs.disarm(domain);
	ck_assert(was_notified(RDMA_QP_FAILED));
	/* There is no reason to wake up in this state. */
	ck_assert(!rdma_verbs.arm(domain));
	ck_assert_int_eq(poll(&fd, 1, 0), 0);
	rdma_verbs.disarm(domain);
}
END_TEST

/* An operator revokes an export: its key is invalid for every holder, and never assigned again. */
START_TEST(a_revoked_key_is_invalid)
{
	static uint8_t bytes[4096];
	const struct mem_key *key, *next;
	struct doca_mmap *mmap;

	fake.cannot_change = _i == 1;
	ck_ok(doca_mmap_create(&mmap));
	ck_ok(doca_mmap_add_dev(mmap, &unit_dev));
	ck_ok(doca_mmap_set_memrange(mmap, bytes, sizeof(bytes)));
	ck_ok(doca_mmap_set_permissions(mmap, DOCA_ACCESS_FLAG_RDMA_WRITE));
	ck_ok(doca_mmap_start(mmap));
	ck_ok(verbs_mem_register(mmap, &fake.device, true, &key));
	verbs_mem_revoke(mmap, key->remote + 1);
	ck_assert_uint_eq(fake.n_changed, 0);
	verbs_mem_revoke(mmap, key->remote);
	verbs_mem_revoke(mmap, key->remote);
	ck_assert_uint_eq(fake.n_changed, 1);
	ck_assert_ptr_null(mem_key_find(mmap, &fake.device, true));
	/* Requests of this process continue if the device supports that. */
	ck_assert_ptr_eq(verbs_mem_find(mmap, &fake.device), _i == 1 ? NULL : key);
	ck_assert_uint_eq(fake.n_mrs_gone, _i == 1 ? 1 : 0);
	fake.same_key = key->remote;
	ck_ok(verbs_mem_register(mmap, &fake.device, true, &next));
	ck_assert_uint_ne(next->remote, key->remote);
	ck_ok(doca_mmap_destroy(mmap));
	ck_assert_uint_eq(fake.n_mrs, fake.n_mrs_gone);
}
END_TEST

/* Imported memory is passed on under the addresses of its exporter. */
START_TEST(peers_know_memory_by_another_address)
{
	static uint8_t bytes[4096];
	struct mem_key *key;

	ck_ok(verbs_mem_make_on(&fake.device, bytes, 0x7000, sizeof(bytes),
				DOCA_ACCESS_FLAG_RDMA_READ, &key));
	ck_assert_uint_eq(fake.known_as, 0x7000);
	ck_assert_int_eq(fake.access, IBV_ACCESS_REMOTE_READ);
	ck_assert_ptr_eq(fake.mrs[0].addr, bytes);
	key->free(key);
	fake.known_as = 0;
	ck_ok(verbs_mem_make_on(&fake.device, bytes, (uintptr_t)bytes, sizeof(bytes),
				DOCA_ACCESS_FLAG_RDMA_WRITE, &key));
	ck_assert_uint_eq(fake.known_as, 0);
	ck_assert_int_eq(fake.access, IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_LOCAL_WRITE);
	key->free(key);
	ck_assert_uint_eq(fake.n_mrs_gone, 2);
}
END_TEST

/* Memory that no device can lock, and a limit: the sentence says what to do. */
static const struct refused {
	const char *says;
	doca_error_t code;
	int error;
	int prot, flags; /* of the mapping */
	bool has_file, is_short, has_hole;
} refused[] = {
	{"; map all of the range", DOCA_ERROR_INVALID_VALUE, EFAULT, PROT_READ | PROT_WRITE,
	 MAP_PRIVATE, false, false, true},
	{"; map them with PROT_WRITE", DOCA_ERROR_INVALID_VALUE, EFAULT, PROT_READ, MAP_PRIVATE,
	 false, false, false},
	{"; let their file be as long", DOCA_ERROR_INVALID_VALUE, EFAULT, PROT_READ | PROT_WRITE,
	 MAP_SHARED, true, true, false},
	{"reserve more (/proc/sys/vm/nr_hugepages)", DOCA_ERROR_INVALID_VALUE, EFAULT,
	 PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_HUGETLB | MAP_NORESERVE, false, false, false},
	{"; use that of malloc, of a memfd or of MAP_HUGETLB", DOCA_ERROR_NOT_SUPPORTED, EOPNOTSUPP,
	 PROT_READ | PROT_WRITE, MAP_SHARED, true, false, false},
	{"limit for that is 65536 bytes; raise it (ulimit -l", DOCA_ERROR_NO_MEMORY, ENOMEM,
	 PROT_READ | PROT_WRITE, MAP_PRIVATE, false, false, false},
};

START_TEST(memory_that_cannot_be_locked)
{
	const struct refused *c = &refused[_i];
	const struct rlimit limit = {65536, 65536};
	const size_t len = 4u << 20;
	const struct mem_key *key;
	struct doca_mmap *map;
	CLEANUP_FD int fd = -1;
	uint8_t *bytes;

	if (c->has_file) {
		fd = memfd_create("short", MFD_CLOEXEC);
		ck_assert_int_eq(ftruncate(fd, (off_t)(c->is_short ? 4096 : len)), 0);
	}
	bytes = mmap(NULL, len, c->prot, c->flags | (fd < 0 ? MAP_ANONYMOUS : 0), fd, 0);
	/* Skipped without huge pages; and with as many as requested if some are reserved. */
	if ((c->flags & MAP_HUGETLB) && (bytes == MAP_FAILED || madvise(bytes, len, 23) == 0))
		return;
	ck_assert_ptr_ne(bytes, MAP_FAILED);
	if (c->has_hole)
		ck_assert_int_eq(munmap(bytes + 8192, 4096), 0);
	if (c->error == ENOMEM)
		ck_assert_int_eq(setrlimit(RLIMIT_MEMLOCK, &limit), 0);
	ck_ok(doca_mmap_create(&map));
	ck_ok(doca_mmap_add_dev(map, &unit_dev));
	ck_ok(doca_mmap_set_memrange(map, bytes + 100, len - 200));
	ck_ok(doca_mmap_set_permissions(map, DOCA_ACCESS_FLAG_RDMA_WRITE));
	ck_ok(doca_mmap_start(map));
	fake.refusal = c->error;
	ck_assert_int_eq(verbs_mem_register(map, &fake.device, true, &key), c->code);
	ck_assert_msg(strstr(dococ_last_error(), c->says) != NULL, "%s", dococ_last_error());
	ck_assert_ptr_nonnull(strstr(dococ_last_error(), "4194104 bytes cannot be registered"));
	/* Registration works once the cause is removed. */
	fake.refusal = 0;
	ck_ok(verbs_mem_register(map, &fake.device, true, &key));
	ck_ok(doca_mmap_destroy(map));
	ck_assert_int_eq(munmap(bytes, len), 0);
}
END_TEST

/* A map of another generation has no range, and a later call does not use its chunks. */
START_TEST(a_map_of_another_form_has_no_key)
{
	static const char sentence[] = " was created by a call of DOCA ";
	struct doca_mmap mmap = {.api = API_1_5, .started = true};
	struct doca_buf buf = {.mmap = &mmap};
	uint32_t key;

	ck_assert_int_eq(doca_rdma_bridge_get_buf_mkey(&buf, &unit_dev, &key),
			 DOCA_ERROR_BAD_STATE);
	ck_assert_ptr_nonnull(strstr(dococ_last_error(), sentence));
	ck_assert_int_eq(doca_rdma_bridge_get_mmap_mkey_from_pd(&mmap, &fake.pd, &key),
			 DOCA_ERROR_BAD_STATE);
	ck_assert_ptr_nonnull(strstr(dococ_last_error(), sentence));
}
END_TEST

static struct verbs_domain *enable_cm(void)
{
	struct verbs_domain *p = verbs_domain_of(domain);

	fake.cm_channel.fd = -1;
	p->cm = &verbs_fake_cm;
	p->cm_channel = &fake.cm_channel;
	return p;
}

/*
 * The retry limits are this end's own, and the number of reads is limited by the device, whatever
 * the other end asks for. The reply contains the queue pair's actual parameters. _i: for an
 * identifier of the program; from 2 on the other end wants less than this one.
 */
START_TEST(the_accepting_end_keeps_its_numbers)
{
	struct verbs_domain *p = enable_cm();
	struct rdma_qp *base;
	struct verbs_qp *qp;

	p->conf.rnr_retry = 5;
	fake.device.attr.max_qp_rd_atom = 4;
	fake.device.attr.max_qp_init_rd_atom = 3;
	fake.asked.rnr_retry = 1;
	fake.asked.max_dest_rd_atomic = _i < 2 ? 128 : 2;
	fake.asked.max_rd_atomic = _i < 2 ? 128 : 1;
	ck_ok(rdma_verbs.qp_new(domain, NULL, &base));
	qp = verbs_qp_of(base);
	qp->id = &fake.id;
	if (_i % 2 == 0) {
		qp->state = VERBS_QP_REQUESTED;
		ck_ok(rdma_verbs.qp_accept(base, NULL, 0));
	} else {
		qp->is_users_id = qp->is_asked = true;
		qp->state = VERBS_QP_PREPARED;
		ck_ok(rdma_verbs.qp_accept_prepared(base, NULL, 0));
	}
	ck_assert_uint_eq(fake.states[IBV_QPS_RTS].rnr_retry, 5);
	ck_assert_uint_eq(fake.states[IBV_QPS_RTR].max_dest_rd_atomic, _i < 2 ? 4 : 2);
	ck_assert_uint_eq(fake.states[IBV_QPS_RTS].max_rd_atomic, _i < 2 ? 3 : 1);
	ck_assert_uint_eq(fake.answer.responder_resources, _i < 2 ? 4 : 2);
	ck_assert_uint_eq(fake.answer.initiator_depth, _i < 2 ? 3 : 1);
}
END_TEST

enum disconnect {
	DISCONNECT_ACKNOWLEDGED,
	DISCONNECT_TOO_LATE,
	DISCONNECT_JUST_IN_TIME, /* the time limit has passed, and the acknowledgement is there */
	DISCONNECT_AFTER_A_FAULT,
	DISCONNECT_N
};

/* The peer's disconnect; twice, as a device may report it. */
static void peer_disconnects(struct verbs_qp *qp)
{
	for (int i = 0; i < 2; i++) {
		fake.cm_event = (struct rdma_cm_event){.id = &fake.id,
						       .event = RDMA_CM_EVENT_DISCONNECTED};
		fake.has_cm_event = true;
		ring();
		/* However long this test is suspended, the time limit does not pass by itself. */
		if (i == 0) {
			verbs_cm_progress(verbs_domain_of(domain));
			qp->deadline_ns += 3600 * NS_PER_SEC;
		}
		ck_assert(!was_notified(RDMA_QP_DISCONNECTED));
		ck_assert(!fake.is_left);
	}
	ck_assert(!fake.has_cm_event);
}

/*
 * A peer disconnects as soon as it has received; its disconnect message overtakes its
 * acknowledgements.
 */
START_TEST(a_disconnect_overtakes_acknowledgements)
{
	enum rdma_event_type reporting = RDMA_QP_DISCONNECTED;
	struct pollfd fd = {.fd = rdma_verbs.get_fd(domain), .events = POLLIN};
	doca_error_t status = DOCA_SUCCESS;
	struct rdma_wr wr = {.op = RDMA_SEND};
	struct verbs_domain *p = enable_cm();
	struct verbs_qp *qp = qp_new();

	qp->id = &fake.id;
	fake.id.context = qp;
	ck_ok(rdma_verbs.post(&qp->base, &wr));
	peer_disconnects(qp);
	if (_i == DISCONNECT_TOO_LATE) {
		/* None came; a sleeping program is woken to get the error. */
		qp->deadline_ns = clock_now_ns();
		ck_assert(!rdma_verbs.arm(domain));
		ck_assert_int_eq(poll(&fd, 1, WAIT_MS), 1);
		rdma_verbs.disarm(domain);
		ck_assert(was_notified(RDMA_QP_DISCONNECTED));
		complete_send(&wr, IBV_WC_WR_FLUSH_ERR);
		status = DOCA_ERROR_CONNECTION_RESET;
	} else if (_i == DISCONNECT_AFTER_A_FAULT) {
		complete_send(&wr, IBV_WC_REM_ACCESS_ERR);
		status = DOCA_ERROR_IO_FAILED;
		reporting = RDMA_QP_BROKEN;
	} else {
		complete_send(&wr, IBV_WC_SUCCESS);
	}
	if (_i == DISCONNECT_JUST_IN_TIME || _i == DISCONNECT_AFTER_A_FAULT) {
		/* Events before the end are reported before it. */
		qp->deadline_ns = clock_now_ns();
		ck_assert(!was_notified(reporting));
		ck_assert(fake.is_left);
	}
	ck_assert_ptr_eq(rdma_verbs.poll(domain), &wr);
	ck_assert_int_eq(wr.status, status);
	if (_i != DISCONNECT_TOO_LATE)
		ck_assert(was_notified(reporting));
	ck_assert(fake.is_left);
	ck_assert_uint_eq(p->n_connecting, 0);
	ck_assert(!was_notified(reporting));
}
END_TEST

static int source_family(const struct rdma_endpoint *to)
{
	struct rdma_qp *qp;

	ck_ok(rdma_verbs.qp_new(domain, NULL, &qp));
	ck_ok(rdma_verbs.qp_connect_addr(qp, to));
	rdma_verbs.qp_free(qp);
	return fake.source.ss_family;
}

START_TEST(a_connection_by_address_begins_at_the_chosen_one)
{
	const struct rdma_endpoint v6 = {.type = RDMA_ADDR_IPV6, .port = 7, .bytes = {0x20, 1}};
	const struct rdma_endpoint v4 = {.type = RDMA_ADDR_IPV4, .port = 7, .bytes = {10, 1, 2, 3}};
	struct verbs_domain *p = enable_cm();
	uint8_t gid[RDMA_GID_LEN];
	struct rdma_qp *qp;

	ck_assert_int_eq(source_family(&v6), AF_UNSPEC);
	p->conf.has_gid_index = true;
	p->conf.gid_index = 3;
	memset(gid, 4, sizeof(gid));
	ck_assert_int_eq(source_family(&v6), AF_INET6);
	ck_assert_mem_eq(&((struct sockaddr_in6 *)&fake.source)->sin6_addr, gid, sizeof(gid));
	/* The GID is of another address family. */
	ck_assert_int_eq(source_family(&v4), AF_UNSPEC);
	fake.has_no_gid = true;
	ck_ok(rdma_verbs.qp_new(domain, NULL, &qp));
	ck_assert_int_eq(rdma_verbs.qp_connect_addr(qp, &v6), DOCA_ERROR_INVALID_VALUE);
}
END_TEST

/* An address vector has one byte for it. */
START_TEST(no_gid_index_is_truncated)
{
	const struct rdma_conf conf = {.gid_index = 256};
	struct rdma_domain *other;

	fake.device.port.gid_tbl_len = 300;
	fake.device.refs++;
	ck_assert_int_eq(verbs_domain_new(&fake.device, &unit_dev, &conf, &other),
			 DOCA_ERROR_INVALID_VALUE);
	ck_assert_uint_eq(verbs_n_gids(&fake.device), 256);
}
END_TEST

static struct doca_mmap *started_mmap(void *bytes, size_t len)
{
	struct doca_mmap *mmap;

	ck_ok(doca_mmap_create(&mmap));
	ck_ok(doca_mmap_add_dev(mmap, &unit_dev));
	ck_ok(doca_mmap_set_memrange(mmap, bytes, len));
	ck_ok(doca_mmap_set_permissions(mmap, DOCA_ACCESS_FLAG_RDMA_WRITE));
	ck_ok(doca_mmap_start(mmap));
	return mmap;
}

static void *registering_thread(void *mmap)
{
	const struct mem_key *key;

	return verbs_mem_register(mmap, &fake.device, true, &key) == DOCA_SUCCESS ? mmap : NULL;
}

/* Another thread of the parent holds the lock of regions in the middle of a registration. */
START_TEST(a_child_waits_for_no_thread_of_its_parent)
{
	static uint8_t bytes[2][4096];
	struct doca_mmap *first = started_mmap(bytes[0], sizeof(bytes[0]));
	struct doca_mmap *second = started_mmap(bytes[1], sizeof(bytes[1]));
	struct pollfd none = {.fd = -1};
	pthread_t thread;
	void *done;
	pid_t child;
	int status;

	atomic_store(&fake.holds_regions, true);
	ck_assert_int_eq(pthread_create(&thread, NULL, registering_thread, first), 0);
	while (!atomic_load(&fake.is_held))
		poll(&none, 1, 1);
	child = fork();
	ck_assert_int_ge(child, 0);
	if (child == 0) {
		alarm(WAIT_MS / 1000);
		atomic_store(&fake.holds_regions, false);
		_exit(registering_thread(second) == second ? 0 : 1);
	}
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	ck_assert_int_eq(status, 0);
	atomic_store(&fake.holds_regions, false);
	ck_assert_int_eq(pthread_join(thread, &done), 0);
	ck_assert_ptr_eq(done, first);
	ck_ok(doca_mmap_destroy(first));
	ck_ok(doca_mmap_destroy(second));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("client/verbs");
	TCase *tcase = unit_case(suite, "verbs", UNIT_TIMEOUT);

	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_test(tcase, details_that_are_none);
	tcase_add_test(tcase, an_end_is_reported_after_earlier_completions);
	tcase_add_test(tcase, queue_pairs_of_the_program_are_not_changed);
	tcase_add_test(tcase, a_removed_device_releases_nothing_early);
	tcase_add_test(tcase, a_receive_of_a_broken_queue_pair_is_reposted);
	tcase_add_loop_test(tcase, a_receive_that_has_come_is_not_lost, 0, 2);
	tcase_add_test(tcase, what_comes_while_a_queue_pair_goes_is_not_lost);
	tcase_add_test(tcase, a_completion_counts_once);
	tcase_add_test(tcase, a_removed_device_is_released);
	tcase_add_test(tcase, a_receive_that_is_in_use_stays);
	tcase_add_test(tcase, a_gid_that_is_not_in_use_is_named);
	tcase_add_test(tcase, the_next_connection_finds_all_receives);
	tcase_add_test(tcase, a_sleeper_learns_of_a_connection_timeout);
	tcase_add_loop_test(tcase, a_disconnect_overtakes_acknowledgements, 0, DISCONNECT_N);
	tcase_add_test(tcase, peers_know_memory_by_another_address);
	tcase_add_loop_test(tcase, a_revoked_key_is_invalid, 0, 2);
	tcase_add_loop_test(tcase, memory_that_cannot_be_locked, 0, ARRAY_LEN(refused));
	tcase_add_test(tcase, a_map_of_another_form_has_no_key);
	tcase_add_loop_test(tcase, the_accepting_end_keeps_its_numbers, 0, 4);
	tcase_add_test(tcase, a_connection_by_address_begins_at_the_chosen_one);
	tcase_add_test(tcase, no_gid_index_is_truncated);
	tcase_add_test(tcase, a_child_waits_for_no_thread_of_its_parent);
	return unit_run(suite);
}
