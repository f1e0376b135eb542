/*
 * A queue pair of the soft provider with a hostile other end. It writes any word into both inboxes,
 * which are shared, and messages of every kind. Receives stay inside their buffers and inside the
 * inbox, requests and receives complete once, and none is left after the queue pair ends.
 */
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "client/rma/soft/domain.h"
#include "proto/qp_layout.h"
#include "tests/fuzz/fuzz.h"
#include "util/fd.h"
#include "util/memfd.h"

#define STEP_LEN    12u /* what, how, where (2 bytes), value (8 bytes) */
#define N_RECEIVES  8u
#define N_REQUESTS  16u
#define MESSAGE_MAX 100000u
#define MAX_SGES    3u

struct inbox {
	struct qp_inbox *header;
	struct qp_slot *slots;
	uint8_t *area;
};

struct receive {
	struct rdma_wr wr;
	struct rdma_sge sges[MAX_SGES + 1];
	bool is_posted;
};

static struct inbox inboxes[2]; /* this end's, the other end's */
static int doorbell = -1;
static _Atomic uint32_t alive;
static struct soft_domain domain;
static struct soft_qp qp;
static struct soft_qp *up[1];
static struct soft_sent sent[N_REQUESTS];
static struct receive receives[N_RECEIVES];
static struct {
	struct rdma_wr wr;
	struct rdma_sge sge;
	bool is_posted;
} requests[N_REQUESTS];
static uint8_t source[MESSAGE_MAX];

/* Reads the sender's memory: completely, partly or not at all, as the lengths say. */
static ssize_t pull_readv(struct transport_region *region, const struct iovec *local,
			  size_t n_local, const struct iovec *remote, size_t n_remote)
{
	size_t n = 0;

	(void)region;
	for (size_t i = 0; i < n_local; i++) {
		memset(local[i].iov_base, 0x5a, local[i].iov_len);
		n += local[i].iov_len;
	}
	return n_remote > 0 && (uintptr_t)remote[0].iov_base % 3 ? (ssize_t)n : -EFAULT;
}

static const struct transport_ops pull_ops = {.readv = pull_readv};

static void map_inbox(struct inbox *inbox)
{
	CLEANUP_FD int fd = memfd_create_sealed("inbox-fuzz", QP_INBOX_LEN);

	FUZZ_CHECK(fd >= 0);
	inbox->header = memfd_map(fd, 0, QP_HEADER_LEN, true);
	inbox->slots = memfd_map(fd, QP_HEADER_LEN, QP_SLOTS_LEN, true);
	inbox->area = memfd_map_twice(fd, QP_AREA_AT, QP_AREA_LEN);
	FUZZ_CHECK(inbox->header && inbox->slots && inbox->area);
}

/* Connects both ends, before any message. */
static void connect_ends(bool can_pull)
{
	for (size_t i = 0; i < 2; i++) {
		if (inboxes[i].header == NULL)
			map_inbox(&inboxes[i]);
		memset(inboxes[i].header, 0, QP_HEADER_LEN);
		memset(inboxes[i].slots, 0, QP_SLOTS_LEN);
		atomic_store(&inboxes[i].header->hello, 1);
		atomic_store(&inboxes[i].header->can_pull, can_pull);
	}
	if (doorbell < 0)
		doorbell = fd_eventfd();
	memset(&domain, 0, sizeof(domain));
	memset(&qp, 0, sizeof(qp));
	memset(receives, 0, sizeof(receives));
	memset(requests, 0, sizeof(requests));
	domain.conf = (struct rdma_conf){.send_queue = N_REQUESTS,
					 .recv_queue = N_RECEIVES - 2,
					 .max_send_sges = 1,
					 .max_recv_sges = MAX_SGES};
	domain.limits.max_message = MESSAGE_MAX;
	domain.done_tail = &domain.done_head;
	domain.recv_tail = &domain.recv_head;
	domain.up = up;
	domain.n_up = 1;
	list_init(&domain.qps);
	list_init(&domain.events);
	up[0] = &qp;
	alive = 2;
	qp.base.domain = &domain.base;
	qp.sent = sent;
	qp.mask = N_REQUESTS - 1;
	qp.inbox = inboxes[0].header;
	qp.rx_slots = inboxes[0].slots;
	qp.rx_area = inboxes[0].area;
	qp.outbox = inboxes[1].header;
	qp.tx_slots = inboxes[1].slots;
	qp.tx_area = inboxes[1].area;
	qp.tx_limit = QP_AREA_LEN;
	qp.state = SOFT_UP;
	qp.peer_id = 1;
	qp.peer_doorbell = doorbell;
	qp.pidfd = -1;
	qp.liveness.alive = &alive;
	qp.liveness.generation = 2;
	qp.pull.ops = can_pull ? &pull_ops : NULL;
	list_init(&qp.node);
	list_init(&qp.event_node);
}

static void free_receive(struct receive *receive)
{
	for (uint32_t i = 0; i < receive->wr.n_sges; i++)
		free(receive->sges[i].addr);
	receive->is_posted = false;
}

/* Buffers of exactly these lengths, so that a sanitizer detects a write after their end. */
static void post_receive(uint8_t how, uint64_t value)
{
	struct receive *receive = &receives[how % N_RECEIVES];
	doca_error_t result;

	if (receive->is_posted)
		return;
	*receive = (struct receive){.wr = {.op = RDMA_RECV, .n_sges = how / 8 % 5}};
	receive->wr.sges = receive->sges;
	for (uint32_t i = 0; i < receive->wr.n_sges; i++) {
		receive->sges[i].len = (value >> 20 * i) % (i ? 3000 : 70000);
		receive->sges[i].addr = malloc(receive->sges[i].len + 1);
		FUZZ_CHECK(receive->sges[i].addr != NULL);
	}
	result = soft_post_recv(&domain.base, &receive->wr);
	FUZZ_CHECK((result == DOCA_ERROR_INVALID_VALUE) == (receive->wr.n_sges > MAX_SGES));
	receive->is_posted = result == DOCA_SUCCESS;
	if (!receive->is_posted)
		free_receive(receive);
}

static void post_request(uint8_t how, uint64_t value)
{
	size_t i = how % N_REQUESTS;

	if (requests[i].is_posted)
		return;
	requests[i].sge = (struct rdma_sge){.addr = source, .len = value % MESSAGE_MAX};
	if (how & 64)
		requests[i].sge.len %= QP_SHORT_MAX + 1;
	requests[i].wr = (struct rdma_wr){
		.op = how & 128 ? RDMA_SEND_IMM : RDMA_SEND, .n_sges = 1, .sges = &requests[i].sge};
	/* A failed queue pair completes the request at once. */
	requests[i].is_posted = soft_post(&qp.base, &requests[i].wr) == DOCA_SUCCESS;
}

static void done(struct rdma_wr *wr)
{
	for (size_t i = 0; i < N_RECEIVES; i++) {
		size_t room = 0;

		if (wr != &receives[i].wr)
			continue;
		FUZZ_CHECK(receives[i].is_posted);
		for (uint32_t k = 0; k < wr->n_sges; k++)
			room += wr->sges[k].len;
		FUZZ_CHECK(wr->status != DOCA_SUCCESS || wr->received_as == RDMA_WRITE_IMM ||
			   wr->len <= room);
		free_receive(&receives[i]);
		return;
	}
	for (size_t i = 0; i < N_REQUESTS; i++) {
		if (wr != &requests[i].wr)
			continue;
		FUZZ_CHECK(requests[i].is_posted);
		requests[i].is_posted = false;
		return;
	}
	FUZZ_CHECK(!"a request that was never posted");
}

static void poll_all(void)
{
	struct rdma_wr *wr;

	for (unsigned i = 0; i < 2 * QP_N_SLOTS && domain.n_up > 0; i++) {
		wr = soft_poll(&domain.base);
		if (wr != NULL)
			done(wr);
	}
	while (domain.n_up == 0 && domain.done_head != NULL) {
		wr = domain.done_head;
		domain.done_head = wr->next;
		if (domain.done_head == NULL)
			domain.done_tail = &domain.done_head;
		done(wr);
	}
}

/* Writes up to four pieces of the sender's memory, whose lengths may differ from the message's. */
static void write_pieces(struct qp_slot *slot, uint8_t how, uint16_t where, uint64_t value)
{
	struct qp_piece pieces[4];
	uint32_t n = 1 + how / 64;

	for (uint32_t i = 0; i < n; i++)
		pieces[i] = (struct qp_piece){value + i,
					      i + 1 < n ? where / n : where - where / n * (n - 1)};
	if (value % 7 == 0)
		pieces[0].len++;
	if (how & 8)
		n = (uint32_t)value;
	memcpy(slot->bytes, &n, sizeof(n));
	memcpy(inboxes[0].area + qp.rx_pos % QP_AREA_LEN, pieces, sizeof(pieces));
}

/* Writes the next message, and the word that marks it as present. */
static void write_message(uint8_t how, uint16_t where, uint64_t value)
{
	struct qp_slot *slot = &inboxes[0].slots[qp.n_taken % QP_N_SLOTS];
	uint64_t kind = how % 8;

	memcpy(slot->bytes, &value, sizeof(value));
	if (kind == QP_MSG_PULL || kind == QP_MSG_PULL_IMM)
		write_pieces(slot, how, where, value);
	atomic_store(&slot->info, how & 16 ? value : where);
	atomic_store(&slot->word, (uint32_t)(qp.n_taken + 1) | kind << QP_KIND_SHIFT |
					  (how & 32 ? value : qp.n_sent) << QP_ACK_SHIFT);
}

static void poke(void *base, size_t len, size_t at, uint64_t value)
{
	memcpy((uint8_t *)base + at % (len / sizeof(value)) * sizeof(value), &value, sizeof(value));
}

static void step(const uint8_t *data)
{
	uint16_t where = (uint16_t)(data[2] | data[3] << 8);
	struct inbox *inbox = &inboxes[data[1] & 1];
	uint64_t value;

	memcpy(&value, data + 4, sizeof(value));
	switch (data[0] % 10) {
	case 0:
	case 1:
		post_receive(data[1], value);
		break;
	case 2:
		post_request(data[1], value);
		break;
	case 3:
	case 4:
		write_message(data[1], where, value);
		poll_all();
		break;
	case 5: /* any word that the other end may write */
		poke(&inbox->header->taken, sizeof(*inbox->header) - 64, where, value);
		break;
	case 6:
		poke(&inbox->slots[where % QP_N_SLOTS], sizeof(struct qp_slot), data[1], value);
		break;
	case 7: /* a correct other end has taken everything */
		atomic_store(&inboxes[1].header->taken_pos, qp.tx_pos);
		atomic_store(&inboxes[1].header->taken, qp.n_sent);
		break;
	case 8:
		if (domain.n_up == 0)
			break;
		(void)soft_send_has_work(&qp);
		(void)soft_recv_has_work(&qp);
		soft_acknowledge(&qp);
		break;
	default:
		if (domain.n_up > 0 && where % 4 == 0)
			soft_qp_check(&qp, false);
		poll_all();
	}
	FUZZ_CHECK(qp.done <= qp.issued && qp.issued <= qp.posted);
	FUZZ_CHECK(qp.posted - qp.done <= N_REQUESTS);
	FUZZ_CHECK(qp.acked <= qp.n_sent && qp.n_sent - qp.acked <= QP_N_SLOTS);
	FUZZ_CHECK(qp.tx_pos <= qp.tx_limit && qp.tx_limit - qp.tx_pos <= QP_AREA_LEN);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	if (len == 0)
		return 0;
	connect_ends(data[0] & 1);
	for (data++, len--; len >= STEP_LEN; data += STEP_LEN, len -= STEP_LEN)
		step(data);
	soft_qp_end(&qp, QP_END_LEFT, RDMA_QP_ESTABLISHED, DOCA_SUCCESS);
	soft_flush_recvs(&domain.base);
	poll_all();
	/* All receives and requests have completed. */
	for (size_t i = 0; i < N_RECEIVES; i++)
		FUZZ_CHECK(!receives[i].is_posted);
	for (size_t i = 0; i < N_REQUESTS; i++)
		FUZZ_CHECK(!requests[i].is_posted);
	return 0;
}

static void seed_step(uint8_t **at, uint8_t what, uint8_t how, uint16_t where, uint64_t value)
{
	(*at)[0] = what;
	(*at)[1] = how;
	(*at)[2] = (uint8_t)where;
	(*at)[3] = (uint8_t)(where >> 8);
	memcpy(*at + 4, &value, sizeof(value));
	*at += STEP_LEN;
}

/*
 * Messages in pieces, into several buffers; messages that are pulled; receives that are flushed in
 * the middle of a message, or are too short.
 */
static size_t seed_long(unsigned i, uint8_t *out)
{
	uint8_t *at = out;

	*at++ = 1;
	for (uint8_t k = 0; k < 12; k++) {
		seed_step(&at, 0, (uint8_t)(8 * (i % 2 ? 1 : 3) + k % 8), 0, i == 3 ? 100 : 69000);
		seed_step(&at, 3, i < 2 ? QP_MSG_SEND : QP_MSG_PULL + k % 2 + 64 * (k % 4), 40000,
			  40001 + k);
		seed_step(&at, 3, QP_MSG_MORE, 0, 0);
		if (i == 1 && k == 11)
			break;
		seed_step(&at, 3, QP_MSG_MORE, 0, 0);
		if (i == 2 && k == 6)
			seed_step(&at, 5, 0, 25, 2);
	}
	return (size_t)(at - out);
}

size_t fuzz_seed(unsigned i, uint8_t *out, size_t out_len)
{
	static const uint8_t honest[] = {0, 3, 2, 7, 9};
	size_t n_steps = 60, len = 1 + n_steps * STEP_LEN;

	if (i >= 20 || out_len < len + 4 * STEP_LEN)
		return 0;
	if (i >= 16)
		return seed_long(i - 16, out);
	memset(out, 0, len);
	out[0] = (uint8_t)i;
	for (size_t k = 0; k < n_steps; k++) {
		uint8_t *at = out + 1 + k * STEP_LEN;

		/*
		 * Half of the seeds follow the rules: receives, messages, requests that are taken.
		 */
		at[0] = (uint8_t)(i < 8 ? honest[k % 5] : k * (i - 7));
		at[1] = (uint8_t)(i < 8 && k % 5 == 1 ? 1 + i % 6 : k * 9 + i);
		at[2] = (uint8_t)(k * 13);
		at[3] = (uint8_t)(k % 3 * i);
		at[4] = (uint8_t)(i < 8 && k % 5 == 1 ? 1 + k % 3 : k * 31);
		at[5] = (uint8_t)(i * 3);
	}
	return len;
}
