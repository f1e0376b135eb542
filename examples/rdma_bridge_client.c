/*
 * A program that uses verbs directly, with its own queue pair, completion queue and work requests,
 * but takes its memory from DOCA. It opens the DOCA device from its own protection domain and uses
 * the keys of DOCA buffers in the scatter lists of ibv_post_send. In each round it writes to the
 * server's memory, sends a message, waits for the reply and reads the memory back. The server is
 * rdma_bridge_server. One thread.
 *
 *   rdma_bridge_client --address IPV4 [--port NUMBER] [--rounds N] [--timeout SECONDS]
 */
#include <arpa/inet.h>
#include <endian.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <infiniband/verbs.h>
#include <rdma/rdma_cma.h>

#include <doca_buf.h>
#include <doca_buf_inventory.h>
#include <doca_mmap.h>
#include <doca_rdma_bridge.h>

#include "common.h"
#include "rdma_bridge.h"

struct options {
	char address[EXAMPLE_TEXT_LEN];
	int port, n_rounds, timeout_s;
};

/* A piece of memory, as a DOCA buffer and as a scatter entry of verbs. */
struct piece {
	struct doca_buf *buf;
	struct ibv_sge sge;
};

struct client {
	/* Objects of rdma-core. */
	struct rdma_event_channel *channel;
	struct rdma_cm_id *id;
	struct ibv_pd *pd;
	struct ibv_cq *cq;
	struct bridge_offer offer; /* host byte order */
	/* Objects of DOCA. */
	struct doca_dev *dev;
	struct doca_mmap *mmap;
	struct doca_buf_inventory *inventory;
	struct piece data, back, note, answer;
	uint8_t *memory;
	uint64_t until_ns;
	bool is_connected;
};

static doca_error_t set_address(void *value, void *config)
{
	return example_text_copy(((struct options *)config)->address, value);
}

static doca_error_t set_port(void *value, void *config)
{
	return example_number_copy(&((struct options *)config)->port, value, 1, 65535);
}

static doca_error_t set_rounds(void *value, void *config)
{
	return example_number_copy(&((struct options *)config)->n_rounds, value, 1, 1000000000);
}

static doca_error_t set_timeout(void *value, void *config)
{
	return example_number_copy(&((struct options *)config)->timeout_s, value, 1, 86400);
}

static const struct example_param params[] = {
	{"a", "address", "<IPv4>", "of the server", DOCA_ARGP_TYPE_STRING, set_address, true},
	{"P", "port", "<number>", "of the server", DOCA_ARGP_TYPE_INT, set_port, false},
	{"r", "rounds", "<count>", "rounds to do", DOCA_ARGP_TYPE_INT, set_rounds, false},
	{"t", "timeout", "<seconds>", "how long all may take", DOCA_ARGP_TYPE_INT, set_timeout,
	 false},
};

static doca_error_t failed_errno(const char *what)
{
	perror(what);
	return DOCA_ERROR_OPERATING_SYSTEM;
}

/* --- rdma-core --- */

static doca_error_t event_expect(struct client *c, enum rdma_cm_event_type expected)
{
	struct rdma_cm_event *event;
	doca_error_t result = DOCA_SUCCESS;

	if (rdma_get_cm_event(c->channel, &event) != 0)
		return failed_errno("event");
	if (event->event != expected) {
		fprintf(stderr, "event %s (status %d), expected %s\n", rdma_event_str(event->event),
			event->status, rdma_event_str(expected));
		result = DOCA_ERROR_CONNECTION_ABORTED;
	} else if (expected == RDMA_CM_EVENT_ESTABLISHED) {
		if (event->param.conn.private_data_len >= sizeof(c->offer))
			memcpy(&c->offer, event->param.conn.private_data, sizeof(c->offer));
		c->offer = (struct bridge_offer){.addr = be64toh(c->offer.addr),
						 .key = ntohl(c->offer.key),
						 .size = ntohl(c->offer.size)};
	}
	rdma_ack_cm_event(event);
	return result;
}

static doca_error_t route_find(struct client *c, const struct options *options)
{
	struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons((uint16_t)options->port)};
	doca_error_t result;

	if (inet_pton(AF_INET, options->address, &to.sin_addr) != 1)
		return example_failed(options->address, DOCA_ERROR_INVALID_VALUE);
	c->channel = rdma_create_event_channel();
	if (c->channel == NULL || rdma_create_id(c->channel, &c->id, c, RDMA_PS_TCP) != 0 ||
	    rdma_resolve_addr(c->id, NULL, (struct sockaddr *)&to, 2000) != 0)
		return failed_errno("resolve address");
	result = event_expect(c, RDMA_CM_EVENT_ADDR_RESOLVED);
	if (result != DOCA_SUCCESS)
		return result;
	if (rdma_resolve_route(c->id, 2000) != 0)
		return failed_errno("resolve route");
	return event_expect(c, RDMA_CM_EVENT_ROUTE_RESOLVED);
}

static doca_error_t queues_make(struct client *c)
{
	struct ibv_qp_init_attr attr = {
		.qp_type = IBV_QPT_RC,
		.cap = {.max_send_wr = 4, .max_recv_wr = 4, .max_send_sge = 1, .max_recv_sge = 1}};

	c->cq = ibv_create_cq(c->id->verbs, 8, NULL, NULL, 0);
	attr.send_cq = attr.recv_cq = c->cq;
	if (c->cq == NULL || rdma_create_qp(c->id, c->pd, &attr) != 0)
		return failed_errno("queue pair");
	return DOCA_SUCCESS;
}

static doca_error_t answer_expect(struct client *c)
{
	struct ibv_recv_wr wr = {.wr_id = 1, .sg_list = &c->answer.sge, .num_sge = 1}, *bad;

	return ibv_post_recv(c->id->qp, &wr, &bad) == 0 ? DOCA_SUCCESS : failed_errno("receive");
}

/* Polls until n completions have come. */
static doca_error_t completions_await(struct client *c, int n)
{
	struct ibv_wc wc;

	while (n > 0) {
		int got = ibv_poll_cq(c->cq, 1, &wc);

		if (got < 0)
			return failed_errno("completion");
		if (got > 0 && wc.status != IBV_WC_SUCCESS) {
			fprintf(stderr, "request %llu: %s\n", (unsigned long long)wc.wr_id,
				ibv_wc_status_str(wc.status));
			return DOCA_ERROR_IO_FAILED;
		}
		n -= got;
		if (got == 0 && example_now_ns() > c->until_ns)
			return example_failed("completion", DOCA_ERROR_TIME_OUT);
	}
	return DOCA_SUCCESS;
}

static doca_error_t post(struct client *c, enum ibv_wr_opcode opcode, struct piece *piece)
{
	struct ibv_send_wr wr = {
		.wr_id = 2,
		.sg_list = &piece->sge,
		.num_sge = 1,
		.opcode = opcode,
		.send_flags = IBV_SEND_SIGNALED,
		.wr = {.rdma = {.remote_addr = c->offer.addr, .rkey = c->offer.key}},
	};
	struct ibv_send_wr *bad;

	return ibv_post_send(c->id->qp, &wr, &bad) == 0 ? DOCA_SUCCESS : failed_errno("send");
}

/* --- DOCA --- */

/*
 * Creates a buffer. The device was opened from this program's protection domain, so the buffer's
 * key is valid there.
 */
static doca_error_t piece_make(struct client *c, struct piece *piece, uint8_t *addr, uint32_t len)
{
	doca_error_t result = doca_buf_inventory_buf_get_by_data(c->inventory, c->mmap, addr, len,
								 &piece->buf);

	piece->sge = (struct ibv_sge){.addr = (uintptr_t)addr, .length = len};
	if (result == DOCA_SUCCESS)
		result = doca_rdma_bridge_get_buf_mkey(piece->buf, c->dev, &piece->sge.lkey);
	return result == DOCA_SUCCESS ? result : example_failed("buffer", result);
}

static doca_error_t memory_prepare(struct client *c, size_t len)
{
	doca_error_t result;

	c->memory = calloc(1, len);
	if (c->memory == NULL)
		return example_failed("memory", DOCA_ERROR_NO_MEMORY);
	result = doca_mmap_create(&c->mmap);
	if (result == DOCA_SUCCESS)
		result = doca_mmap_add_dev(c->mmap, c->dev);
	if (result == DOCA_SUCCESS)
		result = doca_mmap_set_memrange(c->mmap, c->memory, len);
	if (result == DOCA_SUCCESS)
		result = doca_mmap_set_permissions(c->mmap, DOCA_ACCESS_FLAG_LOCAL_READ_WRITE);
	if (result == DOCA_SUCCESS)
		result = doca_mmap_start(c->mmap);
	if (result == DOCA_SUCCESS)
		result = doca_buf_inventory_create(4, &c->inventory);
	if (result == DOCA_SUCCESS)
		result = doca_buf_inventory_start(c->inventory);
	return result == DOCA_SUCCESS ? result : example_failed("memory", result);
}

enum { DATA_MAX = 1 << 20 };

/* Reserves memory for the largest size; the server decides how much of it is used. */
static doca_error_t doca_prepare(struct client *c)
{
	const uint32_t note_len = sizeof(struct bridge_note);
	uint8_t *at;
	doca_error_t result = doca_rdma_bridge_open_dev_from_pd(c->pd, &c->dev);

	if (result != DOCA_SUCCESS)
		return example_failed("device", result);
	result = memory_prepare(c, 2 * (size_t)DATA_MAX + 2 * (size_t)note_len);
	if (result != DOCA_SUCCESS)
		return result;
	at = c->memory;
	result = piece_make(c, &c->data, at, DATA_MAX);
	if (result == DOCA_SUCCESS)
		result = piece_make(c, &c->back, at + DATA_MAX, DATA_MAX);
	if (result == DOCA_SUCCESS)
		result = piece_make(c, &c->note, at + 2 * (size_t)DATA_MAX, note_len);
	if (result == DOCA_SUCCESS)
		result = piece_make(c, &c->answer, at + 2 * (size_t)DATA_MAX + note_len, note_len);
	return result;
}

/* --- rounds --- */

static doca_error_t back_check(const struct client *c, uint64_t round)
{
	const uint8_t *data = c->memory, *back = c->memory + DATA_MAX;
	struct bridge_note answer;
	uint32_t i;

	memcpy(&answer, back + DATA_MAX + sizeof(answer), sizeof(answer));
	for (i = 0; i < c->offer.size && (back[i] ^ data[i]) == 0xff; i++)
		continue;
	if (i < c->offer.size || answer.round != round ||
	    answer.sum != bridge_sum(back, c->offer.size)) {
		fprintf(stderr, "round %llu: what came back is wrong at byte %u\n",
			(unsigned long long)round, i);
		return DOCA_ERROR_UNEXPECTED;
	}
	return DOCA_SUCCESS;
}

static doca_error_t round_run(struct client *c, uint64_t round)
{
	struct bridge_note note = {.round = round};
	doca_error_t result;
	uint32_t i;

	for (i = 0; i < c->offer.size; i++)
		c->memory[i] = bridge_byte(round, i);
	note.sum = bridge_sum(c->memory, c->offer.size);
	memcpy(c->memory + 2 * (size_t)DATA_MAX, &note, sizeof(note));
	result = answer_expect(c);
	if (result == DOCA_SUCCESS)
		result = post(c, IBV_WR_RDMA_WRITE, &c->data);
	if (result == DOCA_SUCCESS)
		result = post(c, IBV_WR_SEND, &c->note);
	/* Waits for the completions of the write, the message and the reply. */
	if (result == DOCA_SUCCESS)
		result = completions_await(c, 3);
	if (result == DOCA_SUCCESS)
		result = post(c, IBV_WR_RDMA_READ, &c->back);
	if (result == DOCA_SUCCESS)
		result = completions_await(c, 1);
	return result == DOCA_SUCCESS ? back_check(c, round) : result;
}

static doca_error_t client_run(struct client *c, const struct options *options)
{
	struct rdma_conn_param param = {.responder_resources = 1,
					.initiator_depth = 1,
					.retry_count = 7,
					.rnr_retry_count = 7};
	doca_error_t result = route_find(c, options);
	int i;

	if (result != DOCA_SUCCESS)
		return result;
	c->pd = ibv_alloc_pd(c->id->verbs);
	if (c->pd == NULL)
		return failed_errno("protection domain");
	result = doca_prepare(c);
	if (result == DOCA_SUCCESS)
		result = queues_make(c);
	if (result != DOCA_SUCCESS)
		return result;
	if (rdma_connect(c->id, &param) != 0)
		return failed_errno("connect");
	result = event_expect(c, RDMA_CM_EVENT_ESTABLISHED);
	if (result != DOCA_SUCCESS)
		return result;
	c->is_connected = true;
	if (c->offer.size == 0 || c->offer.size > DATA_MAX)
		return example_failed("the server's offer", DOCA_ERROR_INVALID_VALUE);
	c->data.sge.length = c->back.sge.length = c->offer.size;
	for (i = 0; i < options->n_rounds && result == DOCA_SUCCESS; i++)
		result = round_run(c, (uint64_t)i);
	return result;
}

static void client_close(struct client *c)
{
	struct piece *pieces[] = {&c->data, &c->back, &c->note, &c->answer};
	size_t i;

	if (c->is_connected)
		rdma_disconnect(c->id);
	if (c->id != NULL && c->id->qp != NULL)
		rdma_destroy_qp(c->id);
	if (c->cq != NULL)
		ibv_destroy_cq(c->cq);
	for (i = 0; i < sizeof(pieces) / sizeof(pieces[0]); i++) {
		if (pieces[i]->buf != NULL)
			doca_buf_dec_refcount(pieces[i]->buf, NULL);
	}
	if (c->inventory != NULL)
		doca_buf_inventory_destroy(c->inventory);
	if (c->mmap != NULL)
		doca_mmap_destroy(c->mmap);
	if (c->dev != NULL)
		doca_dev_close(c->dev);
	if (c->pd != NULL)
		ibv_dealloc_pd(c->pd);
	if (c->id != NULL)
		rdma_destroy_id(c->id);
	if (c->channel != NULL)
		rdma_destroy_event_channel(c->channel);
	free(c->memory);
}

int main(int argc, char **argv)
{
	struct options options = {.port = 18710, .n_rounds = 20, .timeout_s = 30};
	struct client c = {.until_ns = 0};
	doca_error_t result = example_params_read("rdma_bridge_client", &options, params,
						  sizeof(params) / sizeof(params[0]), argc, argv);

	if (result != DOCA_SUCCESS)
		return EXIT_FAILURE;
	c.until_ns = example_now_ns() + (uint64_t)options.timeout_s * 1000000000u;
	result = client_run(&c, &options);
	if (result == DOCA_SUCCESS)
		printf("OK %d rounds of %u bytes came back right\n", options.n_rounds,
		       c.offer.size);
	client_close(&c);
	return result == DOCA_SUCCESS ? EXIT_SUCCESS : EXIT_FAILURE;
}
