/*
 * A program that gets its connections from librdmacm and passes them to DOCA. It listens, handles
 * the connection events and accepts by itself; messages then use tasks of doca_rdma. It opens the
 * DOCA device from its own protection domain. It sends the key of a DOCA buffer to the client,
 * which writes and reads that memory with verbs: see rdma_bridge_client. One client, one thread.
 *
 *   rdma_bridge_server [--port NUMBER] [--size BYTES] [--timeout SECONDS]
 */
#include <arpa/inet.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <infiniband/verbs.h>
#include <rdma/rdma_cma.h>

#include <doca_buf.h>
#include <doca_buf_inventory.h>
#include <doca_ctx.h>
#include <doca_mmap.h>
#include <doca_rdma.h>
#include <doca_rdma_bridge.h>

#include "common.h"
#include "rdma_bridge.h"

struct options {
	int port, size, timeout_s;
};

struct server {
	/* Objects of librdmacm. */
	struct rdma_event_channel *channel;
	struct rdma_cm_id *listener, *id;
	struct ibv_pd *pd;
	/* Objects of DOCA. */
	struct doca_dev *dev;
	struct doca_pe *pe;
	struct doca_rdma *rdma;
	struct doca_rdma_connection *connection;
	struct doca_mmap *mmap;
	struct doca_buf_inventory *inventory;
	struct doca_buf *shared, *in, *out;
	/* The memory that the client writes, then a received note and a note to send. */
	uint8_t *memory;
	uint32_t size;
	uint64_t n_rounds;
	bool is_established, has_left;
	doca_error_t result;
};

static doca_error_t set_port(void *value, void *config)
{
	return example_number_copy(&((struct options *)config)->port, value, 1, 65535);
}

static doca_error_t set_size(void *value, void *config)
{
	return example_number_copy(&((struct options *)config)->size, value, 1, 1 << 26);
}

static doca_error_t set_timeout(void *value, void *config)
{
	return example_number_copy(&((struct options *)config)->timeout_s, value, 1, 86400);
}

static const struct example_param params[] = {
	{"P", "port", "<number>", "port to listen to", DOCA_ARGP_TYPE_INT, set_port, false},
	{"s", "size", "<bytes>", "memory for the client", DOCA_ARGP_TYPE_INT, set_size, false},
	{"t", "timeout", "<seconds>", "how long all may take", DOCA_ARGP_TYPE_INT, set_timeout,
	 false},
};

static doca_error_t failed_errno(const char *what)
{
	perror(what);
	return DOCA_ERROR_OPERATING_SYSTEM;
}

/* --- messages --- */

static void receive_post(struct server *s)
{
	union doca_data none = {.u64 = 0};
	struct doca_rdma_task_receive *task;
	doca_error_t result = doca_buf_reset_data_len(s->in);

	if (result == DOCA_SUCCESS)
		result = doca_rdma_task_receive_allocate_init(s->rdma, s->in, none, &task);
	if (result == DOCA_SUCCESS) {
		result = doca_task_submit(doca_rdma_task_receive_as_task(task));
		if (result != DOCA_SUCCESS)
			doca_task_free(doca_rdma_task_receive_as_task(task));
	}
	if (result != DOCA_SUCCESS)
		s->result = example_failed("receive", result);
}

static void answer(struct server *s, const struct bridge_note *note)
{
	union doca_data none = {.u64 = 0};
	struct doca_rdma_task_send *task;
	doca_error_t result;

	memcpy(s->memory + s->size + sizeof(*note), note, sizeof(*note));
	result = doca_rdma_task_send_allocate_init(s->rdma, s->connection, s->out, none, &task);
	if (result == DOCA_SUCCESS) {
		result = doca_task_submit(doca_rdma_task_send_as_task(task));
		if (result != DOCA_SUCCESS)
			doca_task_free(doca_rdma_task_send_as_task(task));
	}
	if (result != DOCA_SUCCESS)
		s->result = example_failed("send", result);
}

/* Handles a note. The client sends it after its write, so the written bytes have arrived. */
static void note_check(struct server *s)
{
	struct bridge_note note;
	uint32_t i;

	memcpy(&note, s->memory + s->size, sizeof(note));
	for (i = 0; i < s->size; i++) {
		if (s->memory[i] != bridge_byte(note.round, i)) {
			fprintf(stderr, "round %llu: byte %u is wrong\n",
				(unsigned long long)note.round, i);
			s->result = DOCA_ERROR_UNEXPECTED;
			return;
		}
	}
	if (note.sum != bridge_sum(s->memory, s->size)) {
		fprintf(stderr, "the client's sum is another one\n");
		s->result = DOCA_ERROR_UNEXPECTED;
		return;
	}
	s->n_rounds++;
	/* Prepares data for the client to read back: the same bytes, inverted. */
	for (i = 0; i < s->size; i++)
		s->memory[i] ^= 0xff;
	note.sum = bridge_sum(s->memory, s->size);
	receive_post(s);
	answer(s, &note);
}

static void on_received(struct doca_rdma_task_receive *task, union doca_data task_user_data,
			union doca_data ctx_user_data)
{
	struct server *s = ctx_user_data.ptr;
	doca_error_t status = doca_task_get_status(doca_rdma_task_receive_as_task(task));

	(void)task_user_data;
	doca_task_free(doca_rdma_task_receive_as_task(task));
	/* Receives that are still posted complete with an error when the client disconnects. */
	if (status == DOCA_SUCCESS && s->result == DOCA_SUCCESS)
		note_check(s);
}

static void on_sent(struct doca_rdma_task_send *task, union doca_data task_user_data,
		    union doca_data ctx_user_data)
{
	struct server *s = ctx_user_data.ptr;
	doca_error_t status = doca_task_get_status(doca_rdma_task_send_as_task(task));

	(void)task_user_data;
	doca_task_free(doca_rdma_task_send_as_task(task));
	if (status != DOCA_SUCCESS && !s->has_left)
		s->result = example_failed("answer", status);
}

/* --- connection --- */

static void on_request(struct doca_rdma_connection *connection, union doca_data ctx_user_data)
{
	(void)connection;
	(void)ctx_user_data; /* requests are reported by librdmacm */
}

static void on_established(struct doca_rdma_connection *connection, union doca_data user_data,
			   union doca_data ctx_user_data)
{
	(void)connection;
	(void)user_data;
	((struct server *)ctx_user_data.ptr)->is_established = true;
}

static void on_broken(struct doca_rdma_connection *connection, union doca_data user_data,
		      union doca_data ctx_user_data)
{
	struct server *s = ctx_user_data.ptr;

	(void)connection;
	(void)user_data;
	if (!s->has_left)
		s->result = example_failed("connection", DOCA_ERROR_CONNECTION_RESET);
}

static void on_left(struct doca_rdma_connection *connection, union doca_data user_data,
		    union doca_data ctx_user_data)
{
	(void)connection;
	(void)user_data;
	(void)ctx_user_data; /* librdmacm reports this event, too */
}

static doca_error_t listen_start(struct server *s, int port)
{
	struct sockaddr_in any = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};

	s->channel = rdma_create_event_channel();
	if (s->channel == NULL || rdma_create_id(s->channel, &s->listener, s, RDMA_PS_TCP) != 0 ||
	    rdma_bind_addr(s->listener, (struct sockaddr *)&any) != 0 ||
	    rdma_listen(s->listener, 1) != 0)
		return failed_errno("listen");
	printf("listening to port %d\n", port);
	fflush(stdout);
	return DOCA_SUCCESS;
}

/* Waits for the next event of librdmacm. Progresses DOCA meanwhile, once it is set up. */
static doca_error_t event_await(struct server *s, uint64_t until_ns, struct rdma_cm_event **event)
{
	struct pollfd waits = {.fd = s->channel->fd, .events = POLLIN};

	while (s->result == DOCA_SUCCESS) {
		uint8_t moved = s->pe != NULL ? doca_pe_progress(s->pe) : 0;

		if (poll(&waits, 1, moved || s->pe != NULL ? 0 : 100) > 0) {
			if (rdma_get_cm_event(s->channel, event) != 0)
				return failed_errno("event");
			return DOCA_SUCCESS;
		}
		if (example_now_ns() > until_ns)
			return example_failed("waiting for the client", DOCA_ERROR_TIME_OUT);
	}
	return s->result;
}

static doca_error_t event_expect(struct server *s, uint64_t until_ns,
				 enum rdma_cm_event_type expected)
{
	struct rdma_cm_event *event;
	doca_error_t result = event_await(s, until_ns, &event);

	if (result != DOCA_SUCCESS)
		return result;
	if (event->event != expected) {
		fprintf(stderr, "event %s (status %d), expected %s\n", rdma_event_str(event->event),
			event->status, rdma_event_str(expected));
		result = DOCA_ERROR_CONNECTION_ABORTED;
	} else if (expected == RDMA_CM_EVENT_CONNECT_REQUEST) {
		s->id = event->id;
	}
	rdma_ack_cm_event(event);
	return result;
}

/* --- DOCA --- */

static doca_error_t memory_prepare(struct server *s)
{
	size_t len = s->size + 2 * sizeof(struct bridge_note);
	doca_error_t result;

	s->memory = calloc(1, len);
	if (s->memory == NULL)
		return example_failed("memory", DOCA_ERROR_NO_MEMORY);
	result = doca_mmap_create(&s->mmap);
	if (result == DOCA_SUCCESS)
		result = doca_mmap_add_dev(s->mmap, s->dev);
	if (result == DOCA_SUCCESS)
		result = doca_mmap_set_memrange(s->mmap, s->memory, len);
	if (result == DOCA_SUCCESS)
		result = doca_mmap_set_permissions(s->mmap, DOCA_ACCESS_FLAG_LOCAL_READ_WRITE |
								    DOCA_ACCESS_FLAG_RDMA_READ |
								    DOCA_ACCESS_FLAG_RDMA_WRITE);
	if (result == DOCA_SUCCESS)
		result = doca_mmap_start(s->mmap);
	if (result == DOCA_SUCCESS)
		result = doca_buf_inventory_create(3, &s->inventory);
	if (result == DOCA_SUCCESS)
		result = doca_buf_inventory_start(s->inventory);
	if (result == DOCA_SUCCESS)
		result = doca_buf_inventory_buf_get_by_addr(s->inventory, s->mmap, s->memory,
							    s->size, &s->shared);
	if (result == DOCA_SUCCESS)
		result = doca_buf_inventory_buf_get_by_addr(s->inventory, s->mmap,
							    s->memory + s->size,
							    sizeof(struct bridge_note), &s->in);
	if (result == DOCA_SUCCESS)
		result = doca_buf_inventory_buf_get_by_data(
			s->inventory, s->mmap, s->memory + s->size + sizeof(struct bridge_note),
			sizeof(struct bridge_note), &s->out);
	return result == DOCA_SUCCESS ? result : example_failed("memory", result);
}

static doca_error_t rdma_prepare(struct server *s)
{
	union doca_data user_data = {.ptr = s};
	struct doca_ctx *ctx;
	doca_error_t result = doca_pe_create(&s->pe);

	if (result == DOCA_SUCCESS)
		result = doca_rdma_create(s->dev, &s->rdma);
	if (result != DOCA_SUCCESS)
		return example_failed("rdma", result);
	ctx = doca_rdma_as_ctx(s->rdma);
	result = doca_rdma_set_permissions(s->rdma, DOCA_ACCESS_FLAG_LOCAL_READ_WRITE |
							    DOCA_ACCESS_FLAG_RDMA_READ |
							    DOCA_ACCESS_FLAG_RDMA_WRITE);
	if (result == DOCA_SUCCESS)
		result = doca_rdma_task_receive_set_conf(s->rdma, on_received, on_received, 2);
	if (result == DOCA_SUCCESS)
		result = doca_rdma_task_send_set_conf(s->rdma, on_sent, on_sent, 2);
	if (result == DOCA_SUCCESS)
		result = doca_rdma_set_connection_state_callbacks(
			s->rdma, on_request, on_established, on_broken, on_left);
	if (result == DOCA_SUCCESS)
		result = doca_ctx_set_user_data(ctx, user_data);
	if (result == DOCA_SUCCESS)
		result = doca_pe_connect_ctx(s->pe, ctx);
	if (result == DOCA_SUCCESS)
		result = doca_ctx_start(ctx);
	return result == DOCA_SUCCESS ? result : example_failed("rdma", result);
}

/* Accepts the client. The reply to its request carries the memory's address and key. */
static doca_error_t connection_accept(struct server *s)
{
	struct bridge_offer offer = {.addr = htobe64((uintptr_t)s->memory), .size = htonl(s->size)};
	uint32_t key;
	doca_error_t result = doca_rdma_bridge_get_buf_mkey(s->shared, s->dev, &key);

	if (result != DOCA_SUCCESS)
		return example_failed("key", result);
	offer.key = htonl(key);
	result = doca_rdma_bridge_prepare_connection(s->rdma, s->id, &s->connection);
	if (result != DOCA_SUCCESS)
		return example_failed("prepare", result);
	receive_post(s);
	result = doca_rdma_bridge_accept(s->rdma, &offer, sizeof(offer), s->connection);
	return result == DOCA_SUCCESS ? s->result : example_failed("accept", result);
}

static doca_error_t serve(struct server *s, const struct options *options)
{
	uint64_t until_ns = example_now_ns() + (uint64_t)options->timeout_s * 1000000000u;
	doca_error_t result = listen_start(s, options->port);

	if (result == DOCA_SUCCESS)
		result = event_expect(s, until_ns, RDMA_CM_EVENT_CONNECT_REQUEST);
	if (result != DOCA_SUCCESS)
		return result;
	/* The device on which the request arrived decides which DOCA device to open. */
	s->pd = ibv_alloc_pd(s->id->verbs);
	if (s->pd == NULL)
		return failed_errno("protection domain");
	result = doca_rdma_bridge_open_dev_from_pd(s->pd, &s->dev);
	if (result != DOCA_SUCCESS)
		return example_failed("device", result);
	result = memory_prepare(s);
	if (result == DOCA_SUCCESS)
		result = rdma_prepare(s);
	if (result == DOCA_SUCCESS)
		result = connection_accept(s);
	if (result == DOCA_SUCCESS)
		result = event_expect(s, until_ns, RDMA_CM_EVENT_ESTABLISHED);
	if (result != DOCA_SUCCESS)
		return result;
	result = doca_rdma_bridge_established(s->rdma, s->connection);
	if (result != DOCA_SUCCESS)
		return example_failed("established", result);
	result = event_expect(s, until_ns, RDMA_CM_EVENT_DISCONNECTED);
	s->has_left = true;
	return result;
}

/*
 * DOCA must release the connection id first. Then all objects are destroyed in the reverse order.
 */
static void server_close(struct server *s)
{
	enum doca_ctx_states state = DOCA_CTX_STATE_IDLE;

	if (s->connection != NULL)
		doca_rdma_connection_disconnect(s->connection);
	if (s->rdma != NULL) {
		doca_ctx_stop(doca_rdma_as_ctx(s->rdma));
		do {
			doca_pe_progress(s->pe);
			doca_ctx_get_state(doca_rdma_as_ctx(s->rdma), &state);
		} while (state != DOCA_CTX_STATE_IDLE);
		doca_rdma_destroy(s->rdma);
	}
	if (s->pe != NULL)
		doca_pe_destroy(s->pe);
	if (s->shared != NULL)
		doca_buf_dec_refcount(s->shared, NULL);
	if (s->in != NULL)
		doca_buf_dec_refcount(s->in, NULL);
	if (s->out != NULL)
		doca_buf_dec_refcount(s->out, NULL);
	if (s->inventory != NULL)
		doca_buf_inventory_destroy(s->inventory);
	if (s->mmap != NULL)
		doca_mmap_destroy(s->mmap);
	if (s->dev != NULL)
		doca_dev_close(s->dev);
	if (s->pd != NULL)
		ibv_dealloc_pd(s->pd);
	if (s->id != NULL)
		rdma_destroy_id(s->id);
	if (s->listener != NULL)
		rdma_destroy_id(s->listener);
	if (s->channel != NULL)
		rdma_destroy_event_channel(s->channel);
	free(s->memory);
}

int main(int argc, char **argv)
{
	struct options options = {.port = 18710, .size = 65536, .timeout_s = 30};
	struct server s = {.result = DOCA_SUCCESS};
	doca_error_t result = example_params_read("rdma_bridge_server", &options, params,
						  sizeof(params) / sizeof(params[0]), argc, argv);

	if (result != DOCA_SUCCESS)
		return EXIT_FAILURE;
	s.size = (uint32_t)options.size;
	result = serve(&s, &options);
	if (result == DOCA_SUCCESS && !s.is_established)
		result = example_failed("connection", DOCA_ERROR_NOT_CONNECTED);
	if (result == DOCA_SUCCESS)
		printf("OK %llu rounds of %u bytes were right\n", (unsigned long long)s.n_rounds,
		       s.size);
	server_close(&s);
	return result == DOCA_SUCCESS && s.n_rounds > 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
