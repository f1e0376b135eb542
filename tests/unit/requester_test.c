/* Requesters: who gets a queue pair when others have had all that there are. A device and an agent
 * of this file stand in for those of the process. */
#include <stdlib.h>
#include <string.h>

#include "client/core/error.h"
#include "client/core/relay_port.h"
#include "client/core/requester.h"
#include "tests/unit/unit.h"
#include "util/util.h"

#define MAX_QPS 4u

static struct requester requester;
static struct rdma_port port;
static unsigned n_qps, n_hung_up;
static uint64_t last_call;

/* --- a device with few queue pairs --- */

static doca_error_t few_qp_new(struct rdma_port *base, void *owner, struct rdma_qp **qp_out)
{
	struct rdma_qp *qp;

	if (n_qps == MAX_QPS)
		return error_set(DOCA_ERROR_FULL, "all are used");
	qp = calloc(1, sizeof(*qp));
	ck_assert_ptr_nonnull(qp);
	qp->port = base;
	qp->owner = owner;
	n_qps++;
	*qp_out = qp;
	return DOCA_SUCCESS;
}

static doca_error_t few_qp_disconnect(struct rdma_qp *qp)
{
	(void)qp;
	return DOCA_SUCCESS;
}

static void few_qp_free(struct rdma_qp *qp)
{
	n_qps--;
	free(qp);
}

static const struct rdma_port_ops few = {
	.name = "few",
	.qp_new = few_qp_new,
	.qp_disconnect = few_qp_disconnect,
	.qp_free = few_qp_free,
};

const struct rdma_port_ops rdma_relay = {.name = "none"};

const struct rdma_port_ops *rdma_port_find(const struct doca_devinfo *info,
					   struct rdma_limits *limits_out)
{
	(void)info, (void)limits_out;
	return &few;
}

uint32_t rdma_port_choose_gid(const struct rdma_port_ops *ops, const struct doca_devinfo *info,
			      const struct rdma_limits *limits)
{
	(void)ops, (void)info, (void)limits;
	return 0;
}

doca_error_t rdma_qp_get_details(struct rdma_qp *qp, struct rdma_details *details_out)
{
	(void)qp;
	*details_out = (struct rdma_details){.len = 1};
	return DOCA_SUCCESS;
}

/* --- an agent whose calls nobody answers --- */

doca_error_t rdma_agent_open(struct rdma_agent *agent, struct doca_dev *dev, bool serves_exports,
			     bool relays, bool streams_only)
{
	(void)agent, (void)dev, (void)serves_exports, (void)relays, (void)streams_only;
	return DOCA_SUCCESS;
}

void rdma_agent_close(struct rdma_agent *agent)
{
	(void)agent;
}

bool rdma_agent_is_orphan(const struct rdma_agent *agent)
{
	(void)agent;
	return false;
}

doca_error_t rdma_agent_call(const struct rdma_agent *agent, uint64_t import_id,
			     const uint8_t import_daemon[16], const struct rdma_details *details,
			     uint64_t *call_id_out)
{
	(void)agent, (void)import_id, (void)import_daemon, (void)details;
	*call_id_out = ++last_call;
	return DOCA_SUCCESS;
}

doca_error_t rdma_agent_fetch_details(const struct rdma_agent *agent, uint64_t call_id,
				      struct rdma_details *details_out)
{
	(void)agent, (void)call_id, (void)details_out;
	return DOCA_ERROR_NOT_FOUND;
}

void rdma_agent_hang_up(const struct rdma_agent *agent, uint64_t call_id)
{
	(void)agent;
	ck_assert_uint_ne(call_id, 0);
	n_hung_up++;
}

doca_error_t relay_stream_fetch(const struct rdma_agent *agent, uint64_t call_id, bool is_importer,
				struct copy_details *other_out, struct relay_stream *stream_out)
{
	(void)agent, (void)call_id, (void)is_importer, (void)other_out, (void)stream_out;
	return DOCA_ERROR_NOT_FOUND;
}

void relay_stream_deinit(struct relay_stream *stream)
{
	(void)stream;
}

int relay_qp_attach(struct rdma_qp *qp, struct relay_stream *stream,
		    const struct copy_details *other)
{
	(void)qp, (void)stream, (void)other;
	return -1;
}

void relay_qp_detach(struct rdma_qp *qp)
{
	(void)qp;
}

const struct rdma_wr *relay_qp_oldest(const struct rdma_qp *qp)
{
	(void)qp;
	return NULL;
}

/* --- tests --- */

static doca_error_t find(uint64_t agent_id, struct requester_peer **peer_out)
{
	static const uint8_t daemon_id[16] = {7};
	const struct requester_goal goal = {.daemon_id = daemon_id,
					    .agent_id = agent_id,
					    .import_id = 1,
					    .import_daemon = daemon_id};

	return requester_find(&requester, &goal, peer_out);
}

/* One exporter after the other ends: copies from the next must not fail because of them. */
START_TEST(the_dead_make_room)
{
	struct requester_peer *peers[MAX_QPS], *peer;

	requester.ops = &few;
	requester.port = &port;
	list_init(&requester.peers);
	for (unsigned i = 0; i < MAX_QPS; i++) {
		ck_assert_int_eq(find(1 + i, &peers[i]), DOCA_SUCCESS);
		peers[i]->state = REQUESTER_READY;
	}
	/* All live. */
	ck_assert_int_eq(find(100, &peer), DOCA_ERROR_FULL);
	/* What is posted to one that has ended comes back yet. */
	peers[1]->state = REQUESTER_FAILED;
	peers[1]->n_posted = 1;
	ck_assert_int_eq(find(100, &peer), DOCA_ERROR_FULL);
	ck_assert_int_eq(find(2, &peer), DOCA_SUCCESS);
	ck_assert_ptr_eq(peer, peers[1]);
	peers[1]->n_posted = 0;
	ck_assert_int_eq(find(100, &peer), DOCA_SUCCESS);
	ck_assert_uint_eq(n_hung_up, 1);
	ck_assert_uint_eq(n_qps, MAX_QPS);
	for (unsigned i = 0; i < 10 * MAX_QPS; i++) {
		peer->state = REQUESTER_FAILED;
		ck_assert_int_eq(find(101 + i, &peer), DOCA_SUCCESS);
	}
	/* The others are what they were. */
	ck_assert_int_eq(find(1, &peer), DOCA_SUCCESS);
	ck_assert_ptr_eq(peer, peers[0]);
	while (!list_is_empty(&requester.peers)) {
		peer = list_entry(requester.peers.next, struct requester_peer, node);
		few_qp_free(peer->qp);
		list_remove(&peer->node);
		free(peer);
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("requester");
	TCase *tcase = unit_case(suite, "queue pairs", UNIT_TIMEOUT);

	tcase_add_test(tcase, the_dead_make_room);
	return unit_run(suite);
}
