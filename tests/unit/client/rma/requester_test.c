/*
 * Requesters: which peer process gets a queue pair if all are in use. A simulated device replaces
 * the process's; calls end at the daemon, which does not exist.
 */
#include <poll.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/timerfd.h>

#include <dococ.h>

#include "client/base/error.h"
#include "client/rma/requester.h"
#include "tests/unit/unit.h"
#include "util/clock.h"
#include "util/fd.h"
#include "util/util.h"

#define MAX_QPS 4u
#define LONG_S  3600

static struct requester requester;
static struct rdma_domain domain;
static unsigned n_qps;
static bool is_exhausted; /* the device has none left */

/* --- a device with few queue pairs --- */

static doca_error_t fake_qp_new(struct rdma_domain *base, void *owner, struct rdma_qp **qp_out)
{
	struct rdma_qp *qp;

	if (n_qps == MAX_QPS || is_exhausted)
		return error_set(DOCA_ERROR_FULL, "all are used");
	qp = calloc(1, sizeof(*qp));
	ck_assert_ptr_nonnull(qp);
	qp->domain = base;
	qp->owner = owner;
	n_qps++;
	*qp_out = qp;
	return DOCA_SUCCESS;
}

static void fake_qp_free(struct rdma_qp *qp)
{
	n_qps--;
	free(qp);
}

static doca_error_t fake_qp_params(struct rdma_qp *qp, uint8_t details_out[RDMA_PARAMS_MAX],
				   size_t *len_out)
{
	(void)qp;
	details_out[0] = 0;
	*len_out = 1;
	return DOCA_SUCCESS;
}

static doca_error_t fake_qp_disconnect(struct rdma_qp *qp)
{
	(void)qp;
	return DOCA_SUCCESS;
}

static bool fake_next_event(struct rdma_domain *base, struct rdma_event *event_out)
{
	(void)base;
	(void)event_out;
	return false;
}

static bool fake_arm(struct rdma_domain *base)
{
	(void)base;
	return false;
}

static void fake_close(struct rdma_domain *base)
{
	(void)base;
}

static const struct rdma_provider few = {
	.name = "few",
	.close = fake_close,
	.next_event = fake_next_event,
	.arm = fake_arm,
	.qp_disconnect = fake_qp_disconnect,
	.qp_new = fake_qp_new,
	.qp_params = fake_qp_params,
	.qp_free = fake_qp_free,
};

/* --- tests --- */

/* A peer process that is connected. */
static struct requester_peer *peer_connected(uint64_t endpoint_id)
{
	struct requester_peer *peer = calloc(1, sizeof(*peer));

	ck_assert_ptr_nonnull(peer);
	peer->endpoint_id = endpoint_id;
	peer->state = REQUESTER_READY;
	ck_assert_int_eq(fake_qp_new(&domain, peer, &peer->qp), DOCA_SUCCESS);
	list_append(&requester.peers, &peer->node);
	return peer;
}

static void begin(void)
{
	domain.ops = &few;
	requester.ops = &few;
	requester.domain = &domain;
	requester.timerfd = requester.epoll_fd = -1;
	rpc_watch_init(&requester.session, -1, 0);
	list_init(&requester.peers);
}

static void end(void)
{
	struct requester_peer *peer, *tmp;

	list_for_each_safe(peer, tmp, &requester.peers, node)
	{
		fake_qp_free(peer->qp);
		list_remove(&peer->node);
		free(peer);
	}
	ck_assert_uint_eq(n_qps, 0);
}

/* Like find(), after waiting for the n-th call of the process. */
static doca_error_t find_after(uint64_t endpoint_id, uint32_t n_calls,
			       struct requester_peer **peer_out)
{
	static const uint8_t daemon_id[16], import_daemon[16] = {7};
	const struct peer_address address = {.daemon_id = daemon_id,
					     .endpoint_id = endpoint_id,
					     .import_id = 1,
					     .import_daemon = import_daemon,
					     .n_calls = n_calls};

	return requester_find(&requester, &address, peer_out);
}

static doca_error_t find(uint64_t endpoint_id, struct requester_peer **peer_out)
{
	return find_after(endpoint_id, 0, peer_out);
}

/* One exporter after the other ends: copies from the next must not fail for that. */
START_TEST(the_dead_make_room)
{
	struct requester_peer *peers[MAX_QPS], *peer;

	begin();
	for (unsigned i = 0; i < MAX_QPS; i++)
		peers[i] = peer_connected(1 + i);
	/* All peers are alive. */
	ck_assert_int_eq(find(100, &peer), DOCA_ERROR_FULL);
	/* Requests to one that has ended have not completed yet. */
	peers[1]->state = REQUESTER_FAILED;
	peers[1]->call_id = 5;
	peers[1]->n_posted = 1;
	ck_assert_int_eq(find(100, &peer), DOCA_ERROR_FULL);
	ck_assert_int_eq(find(2, &peer), DOCA_SUCCESS);
	ck_assert_ptr_eq(peer, peers[1]);
	peers[1]->n_posted = 0;
	ck_assert_int_eq(find(100, &peer), DOCA_SUCCESS);
	ck_assert_uint_eq(peer->endpoint_id, 100);
	ck_assert_uint_eq(n_qps, MAX_QPS);
	/* The others are unchanged. */
	ck_assert_int_eq(find(1, &peer), DOCA_SUCCESS);
	ck_assert_ptr_eq(peer, peers[0]);
	ck_assert_int_eq(find(4, &peer), DOCA_SUCCESS);
	ck_assert_ptr_eq(peer, peers[3]);
	end();
}
END_TEST

/*
 * Asynchronously, the daemon's refusal comes later: it is reported to those that waited for it, and
 * the next one calls again. No trace of it stays for a sleeping program.
 */
START_TEST(the_refused_are_called_anew)
{
	struct requester_peer *peer, *again;

	begin();
	for (uint32_t n = 1; n < 4; n++) {
		error_note(DOCA_ERROR_AGAIN, "before");
		ck_assert_int_eq(find(100, &peer), DOCA_SUCCESS);
		ck_assert_uint_eq(peer->n_calls, n);
		/* The first find() makes a step, the others leave that to the next turn. */
		ck_assert(requester_poll(&requester));
		/* No caller has failed because of it yet. */
		ck_assert_str_eq(dococ_last_error(), "before");
		ck_assert_str_ne(peer->reason, "before");
		ck_assert_int_eq(peer->state, REQUESTER_FAILED);
		ck_assert_int_eq(peer->refusal, DOCA_ERROR_NOT_CONNECTED);
		ck_assert_int_eq(find_after(100, n, &again), DOCA_SUCCESS);
		ck_assert_ptr_eq(again, peer);
		ck_assert_int_eq(peer->state, REQUESTER_FAILED);
		ck_assert(!requester.is_requesting);
		atomic_store(&requester.has_reply, true);
		ck_assert(!requester_arm(&requester));
		ck_assert(!requester_poll(&requester));
	}
	/* Earlier requests complete first. */
	peer->n_posted = 1;
	ck_assert_int_eq(find(100, &peer), DOCA_SUCCESS);
	ck_assert_int_eq(peer->state, REQUESTER_FAILED);
	end();
}
END_TEST

/*
 * A peer process that lost its daemon is called again, also if every queue pair is in use: in its
 * own place, as soon as no request is posted there.
 */
START_TEST(the_stale_have_a_place)
{
	struct requester_peer *peers[MAX_QPS], *peer;

	begin();
	for (unsigned i = 0; i < MAX_QPS; i++)
		peers[i] = peer_connected(1 + i);
	peers[1]->state = REQUESTER_FAILED;
	peers[1]->failure = REQUESTER_STALE;
	peers[1]->n_posted = 1;
	ck_assert_int_eq(find(2, &peer), DOCA_ERROR_FULL);
	peers[1]->n_posted = 0;
	/* Another process uses the place before. */
	is_exhausted = true;
	ck_assert_int_eq(find(2, &peer), DOCA_ERROR_FULL);
	ck_assert_uint_eq(n_qps, MAX_QPS - 1);
	is_exhausted = false;
	ck_assert_int_eq(find(2, &peer), DOCA_SUCCESS);
	ck_assert_ptr_eq(peer, peers[1]);
	ck_assert_int_eq(peer->state, REQUESTER_CALL_DUE);
	ck_assert_uint_eq(n_qps, MAX_QPS);
	end();
}
END_TEST

static void fake_rendezvous_open(struct event_writer *writer)
{
	struct rendezvous *rendezvous = &requester.rendezvous;

	*writer = (struct event_writer)EVENT_WRITER_INIT;
	rendezvous->events = (struct event_reader)EVENT_READER_INIT;
	ck_assert_int_eq(event_writer_init(writer), 0);
	ck_assert_int_eq(event_reader_init(&rendezvous->events, fd_dup(writer->memfd),
					   fd_dup(writer->eventfd), sizeof(struct event_ring)),
			 0);
	list_init(&rendezvous->item.node);
	rendezvous->is_open = true;
}

/* Answers like its daemon: AGAIN means that the link has just been lost. */
static void answer_with(const struct requester_peer *peer, doca_error_t code)
{
	const struct event event = {.type = EVENT_RDMA_ANSWERED, .code = code, .id = peer->call_id};
	struct rendezvous *rendezvous = &requester.rendezvous;
	struct event_writer writer;

	fake_rendezvous_open(&writer);
	ck_assert_int_eq(event_writer_push(&writer, &event), 0);
	(void)requester_poll(&requester);
	rendezvous->is_open = false;
	event_reader_deinit(&rendezvous->events);
	event_writer_deinit(&writer);
}

/*
 * A first call waits for the link no longer than calls that were in progress when the link was
 * lost. _i: it waits.
 */
START_TEST(a_first_call_waits_as_long_as_others)
{
	struct requester_peer *peer;

	begin();
	requester.renews = true;
	requester.wait_ns = _i ? 3600 * NS_PER_SEC : 0;
	requester.check_ns = UINT64_MAX;
	requester.n_calling = 1;
	peer = peer_connected(100);
	peer->state = REQUESTER_CALLED;
	peer->call_id = 5;
	peer->pause_ns = peer->deadline_ns = clock_now_ns() + 3600 * NS_PER_SEC;
	answer_with(peer, DOCA_ERROR_AGAIN);
	ck_assert_int_eq(peer->state, _i ? REQUESTER_CALL_DUE : REQUESTER_FAILED);
	if (!_i)
		ck_assert_ptr_nonnull(
			strstr(peer->reason, "is gone or congested, and was not back in time"));
	ck_assert_uint_eq(requester.n_calling, _i ? 1 : 0);
	end();
}
END_TEST

/*
 * The end releases the queue pairs of all peers. Without a daemon, nothing is
 * sent.
 */
START_TEST(the_end_releases_queue_pairs)
{
	struct requester *closed = calloc(1, sizeof(*closed));
	struct requester_peer *peer;

	ck_assert_ptr_nonnull(closed);
	begin();
	peer = peer_connected(1);
	list_remove(&peer->node);
	*closed = requester;
	list_init(&closed->peers);
	list_append(&closed->peers, &peer->node);
	requester_close(closed);
	ck_assert_uint_eq(n_qps, 0);
}
END_TEST

/*
 * A process that serves the maximum number has room when another one ends: it is called again, but
 * not by those that waited for the refused call.
 */
START_TEST(the_full_are_called_anew)
{
	struct requester_peer *peer, *again;

	begin();
	requester.check_ns = UINT64_MAX;
	requester.n_calling = 1;
	peer = peer_connected(100);
	peer->state = REQUESTER_CALLED;
	peer->n_calls = 1;
	peer->call_id = 5;
	peer->deadline_ns = clock_now_ns() + LONG_S * NS_PER_SEC;
	answer_with(peer, DOCA_ERROR_FULL);
	ck_assert_int_eq(peer->state, REQUESTER_FAILED);
	ck_assert_int_eq(peer->failure, REQUESTER_FULL);
	ck_assert_int_eq(find_after(100, 1, &again), DOCA_SUCCESS);
	ck_assert_int_eq(peer->state, REQUESTER_FAILED);
	ck_assert_int_eq(find(100, &again), DOCA_SUCCESS);
	ck_assert_ptr_eq(again, peer);
	ck_assert_int_eq(peer->state, REQUESTER_CALL_DUE);
	ck_assert_int_ne(peer->failure, REQUESTER_FULL);
	end();
}
END_TEST

/* A sleeping program is woken to release the endpoint of a daemon that has ended. */
START_TEST(the_endpoint_of_a_lost_daemon_is_released)
{
	struct event_writer writer;

	begin();
	requester.timerfd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);
	ck_assert_int_ge(requester.timerfd, 0);
	fake_rendezvous_open(&writer);
	ck_assert(!requester_arm(&requester));
	atomic_store(&requester.rendezvous.is_lost, true);
	ck_assert(requester_arm(&requester));
	(void)requester_poll(&requester);
	ck_assert(!requester.rendezvous.is_open);
	ck_assert(!requester_arm(&requester));
	event_writer_deinit(&writer);
	fd_close(&requester.timerfd);
	end();
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("requester");
	TCase *tcase = unit_case(suite, "queue pairs", UNIT_TIMEOUT);

	tcase_add_test(tcase, the_dead_make_room);
	tcase_add_test(tcase, the_refused_are_called_anew);
	tcase_add_test(tcase, the_stale_have_a_place);
	tcase_add_loop_test(tcase, a_first_call_waits_as_long_as_others, 0, 2);
	tcase_add_test(tcase, the_full_are_called_anew);
	tcase_add_test(tcase, the_end_releases_queue_pairs);
	tcase_add_test(tcase, the_endpoint_of_a_lost_daemon_is_released);
	return unit_run(suite);
}
