/*
 * Inboxes of soft queue pairs, within one process: slots, area and acknowledgements over many laps
 * and beyond the range of their numbers; acknowledgements in replies and in the shared word; and
 * forged contents.
 */
#include <string.h>

#include "client/rma/soft/domain.h"
#include "tests/integration/rdma/end.h"
#include "tests/lib/runner.h"

#define LEN  (1u << 20)
#define ROOM 65536u

static struct lab lab;

/* Static, because requests that a test leaves behind complete at its teardown. */

static struct {
	struct rdma_side a, b;
	struct rdma_qp *qa, *qb;
	struct rdma_mem ma, mb;
} pair;

static void setup(void)
{
	lab_setup_client(&lab, &(struct lab_options){.only = {[LAB_HOST] = true}}, LAB_HOST);
	rdma_end_open(&pair.a, USE_HOST_PF0, NULL);
	rdma_end_open(&pair.b, USE_HOST_PF0, NULL);
	rdma_end_join(&pair.a, &pair.qa, &pair.b, &pair.qb);
	rdma_mem_make(&pair.ma, pair.a.dev, LEN, false, DOCA_ACCESS_FLAG_LOCAL_READ_WRITE);
	rdma_mem_make(&pair.mb, pair.b.dev, LEN, false, DOCA_ACCESS_FLAG_LOCAL_READ_WRITE);
}

static void teardown(void)
{
	rdma_mem_free(&pair.ma);
	rdma_mem_free(&pair.mb);
	rdma_end_close(&pair.a);
	rdma_end_close(&pair.b);
	lab_await(&lab, LAB_HOST, LAB_EXPORTS, 0, 5000);
	lab_await(&lab, LAB_HOST, LAB_IMPORTS, 0, 5000);
	lab_teardown(&lab);
}

static struct soft_qp *soft_of(struct rdma_qp *qp)
{
	return soft_qp_of(qp);
}

/* One message and its completion, in pieces if it is long. */
static void send_and_check(struct rdma_side *from, struct rdma_qp *qp,
			   const struct rdma_mem *source, struct rdma_side *to,
			   const struct rdma_mem *sink, size_t len, uint32_t seed)
{
	struct rdma_req send, recv;

	use_fill(source->bytes, len, seed);
	memset(sink->bytes, 0, len + 1);
	rdma_req_init(&recv, RDMA_RECV, sink, 0, ROOM);
	rdma_req_init(&send, RDMA_SEND_IMM, source, 0, len);
	send.wr.imm = ~seed;
	rdma_req_post_recv(to, &recv);
	rdma_req_post(qp, &send);
	rdma_end_await(to, from, &recv.wr, DOCA_SUCCESS);
	rdma_end_await(from, to, &send.wr, DOCA_SUCCESS);
	if (recv.wr.len != len || recv.wr.imm != ~seed)
		ck_abort_msg("%u bytes with %x instead of %zu", recv.wr.len, recv.wr.imm, len);
	ck_assert(use_is_filled(sink->bytes, len, seed));
	ck_assert_uint_eq(sink->bytes[len], 0);
}

static void send_a_to_b(size_t len, uint32_t seed)
{
	send_and_check(&pair.a, pair.qa, &pair.ma, &pair.b, &pair.mb, len, seed);
}

static void send_b_to_a(size_t len, uint32_t seed)
{
	send_and_check(&pair.b, pair.qb, &pair.mb, &pair.a, &pair.ma, len, seed);
}

/* Sets both ends of one direction to their state after n messages. */
static void skip_to(struct soft_qp *from, struct soft_qp *to, uint64_t n)
{
	from->n_sent = from->acked = from->reaped = n;
	to->n_taken = to->n_reported = n;
	atomic_store(&to->inbox->taken, n);
}

/* --- many messages --- */

static const size_t edges[] = {0,
			       1,
			       15,
			       16,
			       17,
			       63,
			       64,
			       65,
			       QP_SHORT_MAX - 1,
			       QP_SHORT_MAX,
			       QP_SHORT_MAX + 1,
			       127,
			       128,
			       129,
			       4096,
			       QP_PIECE_MAX - 1,
			       QP_PIECE_MAX,
			       QP_PIECE_MAX + 1,
			       2 * QP_PIECE_MAX,
			       ROOM};

/*
 * Every length at which something changes, beyond the end of slots and area, in pieces and by a
 * read.
 */
START_TEST(test_lengths)
{
	if (_i == 0) {
		atomic_store(&soft_of(pair.qa)->outbox->can_pull, 0);
		atomic_store(&soft_of(pair.qb)->outbox->can_pull, 0);
	}
	for (uint32_t lap = 0; lap < 20; lap++) {
		for (size_t i = 0; i < ARRAY_LEN(edges); i++) {
			send_a_to_b(edges[i], lap * 100 + (uint32_t)i);
			if (lap % 2 == 0)
				send_b_to_a(edges[ARRAY_LEN(edges) - 1 - i], lap);
		}
	}
	ck_assert_uint_gt(soft_of(pair.qa)->n_sent, QP_N_SLOTS);
	ck_assert_uint_gt(soft_of(pair.qa)->tx_pos, QP_AREA_LEN);
}
END_TEST

/* Numbers that are stored in fewer bits than they have. */
START_TEST(test_numbers_wrap)
{
	static const uint64_t ends[] = {1ull << QP_ACK_BITS, 1ull << 32, 1ull << 40};

	/* More than one lap, so that every slot has a number. */
	skip_to(soft_of(pair.qa), soft_of(pair.qb), ends[_i] - 300);
	skip_to(soft_of(pair.qb), soft_of(pair.qa), ends[_i] - 300);
	for (uint32_t i = 0; i < 600; i++) {
		send_a_to_b(i % 200, i);
		send_b_to_a(i % 150, i);
	}
	ck_assert_uint_eq(soft_of(pair.qa)->n_sent, ends[_i] + 300);
	ck_assert_uint_eq(soft_of(pair.qa)->acked, ends[_i] + 300);
}
END_TEST

/* All slots are in use, and none is overwritten. */
START_TEST(test_slots_are_full)
{
	static struct rdma_req sends[64], recvs[64];
	struct soft_qp *qa = soft_of(pair.qa);

	skip_to(qa, soft_of(pair.qb), 1000);
	/* Simulates that all slots but ten are waiting. */
	qa->acked = qa->reaped = 1000 - QP_N_SLOTS + 10;
	atomic_store(&qa->outbox->taken, qa->acked);
	for (size_t i = 0; i < 20; i++) {
		rdma_req_init(&recvs[i], RDMA_RECV, &pair.mb, i * 64, 64);
		rdma_req_init(&sends[i], RDMA_SEND, &pair.ma, i * 64, 64);
		use_fill(pair.ma.bytes + i * 64, 64, (uint32_t)i);
		rdma_req_post(pair.qa, &sends[i]);
	}
	while (rdma_end_progress(&pair.a))
		continue;
	ck_assert_uint_eq(qa->n_sent, 1010);
	atomic_store(&qa->outbox->taken, 1000);
	for (size_t i = 0; i < 20; i++)
		rdma_req_post_recv(&pair.b, &recvs[i]);
	for (size_t i = 0; i < 20; i++) {
		rdma_end_await(&pair.b, &pair.a, &recvs[i].wr, DOCA_SUCCESS);
		rdma_end_await(&pair.a, &pair.b, &sends[i].wr, DOCA_SUCCESS);
		ck_assert(use_is_filled(pair.mb.bytes + i * 64, 64, (uint32_t)i));
	}
}
END_TEST

/* --- acknowledgements --- */

/* Two messages of a, of which b has received the first; b's reply is in transit. */
static void answer(struct rdma_req sends[2], struct rdma_req recvs[2], struct rdma_req *reply)
{
	for (size_t i = 0; i < 2; i++)
		rdma_req_init(&sends[i], RDMA_SEND, &pair.ma, 0, 64);
	rdma_req_init(&recvs[0], RDMA_RECV, &pair.mb, 0, 64);
	rdma_req_init(&recvs[1], RDMA_RECV, &pair.ma, 0, 64);
	rdma_req_init(reply, RDMA_SEND, &pair.mb, 64, 64);
	rdma_req_post_recv(&pair.b, &recvs[0]);
	rdma_req_post_recv(&pair.a, &recvs[1]);
	rdma_req_post(pair.qa, &sends[0]);
	rdma_req_post(pair.qa, &sends[1]);
	rdma_end_await(&pair.b, NULL, &recvs[0].wr, DOCA_SUCCESS);
	rdma_req_post(pair.qb, reply);
}

/* An end that gets replies need not read the word, which contains no news here. */
START_TEST(test_answer_acknowledges)
{
	struct soft_qp *qa = soft_of(pair.qa);
	static struct rdma_req sends[2], recvs[2], reply;

	answer(sends, recvs, &reply);
	atomic_store(&qa->outbox->taken, 0);
	rdma_end_await(&pair.a, NULL, &recvs[1].wr, DOCA_SUCCESS);
	rdma_end_await(&pair.a, NULL, &sends[0].wr, DOCA_SUCCESS);
	ck_assert_uint_eq(qa->acked, 1);
	/* The word was read as long as nothing was received. */
	for (int i = 0; i < 1000; i++)
		ck_assert(!rdma_end_progress(&pair.a));
	atomic_store(&qa->outbox->taken, 2);
	rdma_end_await(&pair.a, NULL, &sends[1].wr, DOCA_SUCCESS);
}
END_TEST

/* An older count is ignored. */
START_TEST(test_answer_is_old)
{
	struct soft_qp *qa = soft_of(pair.qa);
	static struct rdma_req sends[2], recvs[3], reply;

	answer(sends, recvs, &reply);
	rdma_req_init(&recvs[2], RDMA_RECV, &pair.mb, 0, 64);
	rdma_req_post_recv(&pair.b, &recvs[2]);
	rdma_end_await(&pair.b, NULL, &recvs[2].wr, DOCA_SUCCESS);
	/* The word says two, the reply one. */
	soft_learn(qa);
	ck_assert_uint_eq(qa->acked, 2);
	rdma_end_await(&pair.a, NULL, &recvs[1].wr, DOCA_SUCCESS);
	ck_assert_uint_eq(qa->acked, 2);
	rdma_end_await(&pair.a, NULL, &sends[0].wr, DOCA_SUCCESS);
	rdma_end_await(&pair.a, NULL, &sends[1].wr, DOCA_SUCCESS);
	rdma_end_await(&pair.b, &pair.a, &reply.wr, DOCA_SUCCESS);
}
END_TEST

/* An end that gets no more replies reads the word: after a number of polls, or when it sleeps. */
START_TEST(test_no_answer)
{
	struct soft_qp *qa = soft_of(pair.qa);
	static struct rdma_req send, recv;
	uint32_t n = 0;

	for (uint32_t i = 0; i < 10; i++) {
		send_a_to_b(64, i);
		send_b_to_a(64, i);
	}
	qa->n_skips = SOFT_SKIPS_MAX;
	rdma_req_init(&recv, RDMA_RECV, &pair.mb, 0, 64);
	rdma_req_init(&send, RDMA_SEND, &pair.ma, 0, 64);
	rdma_req_post_recv(&pair.b, &recv);
	rdma_req_post(pair.qa, &send);
	rdma_end_await(&pair.b, NULL, &recv.wr, DOCA_SUCCESS);
	if (_i == 1) {
		ck_assert(pair.a.ops->arm(pair.a.domain));
		pair.a.ops->disarm(pair.a.domain);
		ck_assert(rdma_end_progress(&pair.a));
	} else {
		while (!rdma_end_progress(&pair.a))
			n++;
		ck_assert_uint_le(n, SOFT_SKIPS_MAX);
		ck_assert_uint_eq(qa->n_skips, 0);
	}
	rdma_end_await(&pair.a, NULL, &send.wr, DOCA_SUCCESS);
}
END_TEST

/* --- a hostile end --- */

#define TAKEN(n)        ((uint64_t)(n) << QP_ACK_SHIFT)
#define IMPOSSIBLE_KIND 0x5a

static const struct lie {
	uint64_t info;
	uint32_t kind, first;
	int32_t taken; /* of b's messages, of which there are two */
	bool has_taker;
} lies[] = {
	{.kind = 0, .info = 8},
	{.kind = IMPOSSIBLE_KIND, .info = 8},
	{.kind = QP_MSG_SEND, .info = UINT32_MAX},
	{.kind = QP_MSG_WRITE_IMM, .info = UINT32_MAX},
	{.kind = QP_MSG_MORE, .info = 8},
	{.kind = QP_MSG_SEND, .info = 8, .has_taker = true},
	{.kind = QP_MSG_PULL, .info = 8, .has_taker = true, .first = 1},
	{.kind = QP_MSG_PULL, .info = 8, .first = 0},
	{.kind = QP_MSG_PULL, .info = 8, .first = SOFT_MAX_SGES + 1},
	{.kind = QP_MSG_PULL, .info = 8, .first = UINT32_MAX},
	{.kind = QP_MSG_PULL_IMM, .info = UINT32_MAX, .first = 1},
	/* Two empty pieces for a payload of eight bytes. */
	{.kind = QP_MSG_PULL, .info = 8, .first = 2},
	{.kind = QP_MSG_SEND, .info = 8, .taken = 3},
	{.kind = QP_MSG_SEND, .info = 8, .taken = 1 << (QP_ACK_BITS - 2)},
	{.kind = QP_MSG_MORE, .info = 8, .has_taker = true, .taken = 200},
};

static void send_invalid(const struct lie *lie)
{
	struct soft_qp *qa = soft_of(pair.qa);
	struct qp_slot *slot = &qa->tx_slots[qa->n_sent % QP_N_SLOTS];

	memcpy(slot->bytes, &lie->first, sizeof(lie->first));
	atomic_store(&slot->info, lie->info);
	atomic_store(&slot->word, TAKEN(lie->taken) | (uint64_t)lie->kind << QP_KIND_SHIFT |
					  (uint32_t)(qa->n_sent + 1));
	qa->n_sent++;
}

/*
 * The forged slot ends this connection: its requests complete, and receives of others are not lost.
 */
START_TEST(test_forged_slots)
{
	const struct lie *lie = &lies[_i];
	static struct rdma_req sends[2], recvs[2];
	struct rdma_event event;

	for (size_t i = 0; i < 2; i++) {
		rdma_req_init(&recvs[i], RDMA_RECV, &pair.mb, i * ROOM, ROOM);
		rdma_req_init(&sends[i], RDMA_SEND, &pair.mb, 0, 8);
		rdma_req_post_recv(&pair.b, &recvs[i]);
		rdma_req_post(pair.qb, &sends[i]);
	}
	if (lie->has_taker)
		send_invalid(&(struct lie){.kind = QP_MSG_SEND, .info = QP_PIECE_MAX + 9});
	send_invalid(lie);
	event = rdma_end_event(&pair.b, NULL, RDMA_QP_BROKEN);
	ck_assert_ptr_eq(event.qp, pair.qb);
	/* A receive whose payload could not be read is lost with the connection. */
	if (lie->has_taker || (lie->kind == QP_MSG_PULL && lie->first == 2))
		rdma_end_await(&pair.b, NULL, &recvs[0].wr, DOCA_ERROR_CONNECTION_RESET);
	for (size_t i = 0; i < 2; i++)
		rdma_end_await(&pair.b, NULL, &sends[i].wr, DOCA_ERROR_CONNECTION_RESET);
	ck_assert(!rdma_end_progress(&pair.b));
	ck_assert_uint_eq(pair.b.n_done, 0);
}
END_TEST

/* A slot with another number than the next contains no message. */
START_TEST(test_wrong_number)
{
	static struct rdma_req send, recv;
	struct soft_qp *qa = soft_of(pair.qa);

	rdma_req_init(&recv, RDMA_RECV, &pair.mb, 0, ROOM);
	rdma_req_post_recv(&pair.b, &recv);
	for (uint32_t n = 0; n < 3; n++) {
		if (n == 1)
			continue;
		atomic_store(&qa->tx_slots[0].word, (uint64_t)QP_MSG_SEND << QP_KIND_SHIFT | n);
		for (int i = 0; i < 100; i++)
			ck_assert(!rdma_end_progress(&pair.b));
		ck_assert(!pair.b.ops->arm(pair.b.domain));
		pair.b.ops->disarm(pair.b.domain);
	}
	rdma_req_init(&send, RDMA_SEND, &pair.ma, 0, 64);
	rdma_req_post(pair.qa, &send);
	rdma_end_await(&pair.b, &pair.a, &recv.wr, DOCA_SUCCESS);
	rdma_end_await(&pair.a, &pair.b, &send.wr, DOCA_SUCCESS);
}
END_TEST

/* The peer claims to have received messages, or bytes, that were never sent. */
START_TEST(test_forged_acknowledgements)
{
	static const uint64_t messages[] = {2, UINT64_MAX - 1000, 1ull << 32, 1ull << 63};
	/* Where none may be; never sent; the same, far away; revoked. */
	static const struct {
		uint64_t pos, limit;
	} positions[] = {{1, QP_AREA_LEN},
			 {QP_AREA_LEN, QP_AREA_LEN},
			 {UINT64_MAX - 63, QP_AREA_LEN},
			 {QP_AREA_LEN - 64, 2 * QP_AREA_LEN}};
	struct soft_qp *qa = soft_of(pair.qa);
	static struct rdma_req sends[8];

	rdma_req_init(&sends[0], RDMA_SEND, &pair.ma, 0, 8);
	rdma_req_post(pair.qa, &sends[0]);
	if (_i < 4) {
		atomic_store(&qa->outbox->taken, messages[_i]);
		rdma_end_event(&pair.a, NULL, RDMA_QP_BROKEN);
		rdma_end_await(&pair.a, NULL, &sends[0].wr, DOCA_ERROR_CONNECTION_RESET);
		return;
	}
	/* The word is read when there is no room. */
	atomic_store(&qa->outbox->taken_pos, positions[_i - 4].pos);
	qa->tx_limit = positions[_i - 4].limit;
	qa->tx_pos = qa->tx_limit - 64;
	for (size_t i = 1; i < 8; i++) {
		rdma_req_init(&sends[i], RDMA_SEND, &pair.ma, 0, 12000);
		rdma_req_post(pair.qa, &sends[i]);
	}
	rdma_end_event(&pair.a, NULL, RDMA_QP_BROKEN);
	for (size_t i = 0; i < 8; i++)
		rdma_end_await(&pair.a, NULL, &sends[i].wr, DOCA_ERROR_CONNECTION_RESET);
}
END_TEST

static void add_cases(Suite *suite)
{
	TCase *tcase = tcase_create("slots");

	suite_add_tcase(suite, tcase);
	tcase_set_timeout(tcase, RUNNER_TEST_S);
	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_loop_test(tcase, test_lengths, 0, 2);
	tcase_add_loop_test(tcase, test_numbers_wrap, 0, 3);
	tcase_add_test(tcase, test_slots_are_full);
	tcase_add_test(tcase, test_answer_acknowledges);
	tcase_add_test(tcase, test_answer_is_old);
	tcase_add_loop_test(tcase, test_no_answer, 0, 2);
	tcase_add_loop_test(tcase, test_forged_slots, 0, ARRAY_LEN(lies));
	tcase_add_test(tcase, test_wrong_number);
	tcase_add_loop_test(tcase, test_forged_acknowledgements, 0, 8);
}

int main(void)
{
	lab_require();
	return runner_main("rdma_slots", add_cases, NULL);
}
