/*
 * Both ends of the bridge to rdma-core: librdmacm identifiers on the connecting and on the
 * accepting end, devices from protection domains, keys, and refused calls.
 *
 *   bridge_test server
 *   bridge_test client ADDRESS    IPv4, of the server; VERBS_TEST_IPV4 is its RDMA device's
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
#include <doca_dev.h>
#include <doca_mmap.h>
#include <doca_pe.h>
#include <dococ.h>

#include "tests/vm/end.h"

#define CM_PORT 18711
#define RIGHTS  (DOCA_ACCESS_FLAG_LOCAL_READ_WRITE | DOCA_ACCESS_FLAG_RDMA_READ)

/* The form of 2.7 to 2.10, which prepares and accepts. */
extern doca_error_t bridge_accept_2_7(
	struct doca_rdma *rdma, struct rdma_cm_id *cm_id, void *private_data,
	uint8_t private_data_len,
	struct doca_rdma_connection **rdma_connection) __asm__("doca_rdma_bridge_accept__v2_7");

static int sock;
static struct rdma_event_channel *channel;
static struct ibv_pd *pd;

/* Returns the next event, which must be of that type. Progresses while it waits. */
static struct rdma_cm_id *event_await(enum rdma_cm_event_type type)
{
	struct pollfd waits = {.events = POLLIN, .fd = channel->fd};
	struct rdma_cm_event *event;
	struct rdma_cm_id *id;
	time_t until = time(NULL) + TIMEOUT_S;

	while (poll(&waits, 1, end.pe != NULL ? 0 : 100) != 1) {
		if (end.pe != NULL)
			(void)doca_pe_progress(end.pe);
		check(time(NULL) < until, "no %s in %d s", rdma_event_str(type), TIMEOUT_S);
	}
	check(rdma_get_cm_event(channel, &event) == 0, "%m");
	check(event->event == type, "%s, not %s", rdma_event_str(event->event),
	      rdma_event_str(type));
	id = event->id;
	check(rdma_ack_cm_event(event) == 0, "%m");
	return id;
}

static void pd_open(struct ibv_context *context)
{
	struct doca_dev *dev;

	pd = ibv_alloc_pd(context);
	check(pd != NULL, "%m");
	OK(doca_rdma_bridge_open_dev_from_pd(pd, &dev));
	end_open(dev, RIGHTS);
}

/* Deallocation succeeds only if the library uses the protection domain no longer. */
static void pd_close(void)
{
	end_close();
	end.pe = NULL;
	OK(doca_dev_close(end.dev));
	check(ibv_dealloc_pd(pd) == 0, "%m");
}

static void message_put(uint8_t seed, uint32_t len)
{
	for (uint32_t i = 0; i < len; i++)
		end.memory[END_SEND_AT + i] = (uint8_t)(i * 3 + seed);
	end_send(len);
}

static void message_get(uint8_t seed, uint32_t len)
{
	end_await(&end.n_received, end.n_received + 1);
	OK(end.status);
	check(end.len == len, "%u bytes", end.len);
	for (uint32_t i = 0; i < len; i++)
		check(end.memory[i] == (uint8_t)(i * 3 + seed), "byte %u", i);
}

/* Sends more than one packet in each direction. */
static void exchange(bool is_first)
{
	end_receive(END_LEN / 2);
	meet_step(sock);
	if (is_first)
		message_put(1, 20000);
	else
		message_get(1, 20000);
	if (is_first)
		message_get(2, 9000);
	else
		message_put(2, 9000);
	meet_step(sock);
}

/* --- the accepting end --- */

static void serve_once(struct rdma_cm_id *id, bool is_2_7)
{
	struct doca_rdma_connection *conn, *second;
	char word[57] = "welcome";

	end.n_established = 0;
	if (is_2_7) {
		FAILS(DOCA_ERROR_INVALID_VALUE,
		      bridge_accept_2_7(end.rdma, id, word, sizeof(word), &conn));
		OK(bridge_accept_2_7(end.rdma, id, word, 8, &conn));
	} else {
		OK(doca_rdma_bridge_prepare_connection(end.rdma, id, &conn));
		FAILS(DOCA_ERROR_FULL, doca_rdma_bridge_prepare_connection(end.rdma, id, &second));
		FAILS(DOCA_ERROR_INVALID_VALUE, doca_rdma_bridge_established(end.rdma, conn));
		FAILS(DOCA_ERROR_INVALID_VALUE,
		      doca_rdma_bridge_accept(end.rdma, word, sizeof(word), conn));
		OK(doca_rdma_bridge_accept(end.rdma, word, 8, conn));
		FAILS(DOCA_ERROR_BAD_STATE, doca_rdma_bridge_accept(end.rdma, word, 8, conn));
	}
	check(event_await(RDMA_CM_EVENT_ESTABLISHED) == id, "another one");
	OK(doca_rdma_bridge_established(end.rdma, conn));
	FAILS(DOCA_ERROR_INVALID_VALUE, doca_rdma_bridge_established(end.rdma, conn));
	end_await(&end.n_established, 1);
	check(end.conn == conn, "another one");
	exchange(false);
	/* The client disconnects. */
	check(event_await(RDMA_CM_EVENT_DISCONNECTED) == id, "another one");
	OK(doca_rdma_connection_disconnect(conn));
	check(rdma_destroy_id(id) == 0, "%m");
}

/* The client is gone when its request is accepted; what was prepared is released. */
static void serve_gone(struct rdma_cm_id *id)
{
	struct doca_rdma_connection *conn;

	OK(doca_rdma_bridge_prepare_connection(end.rdma, id, &conn));
	OK(doca_rdma_connection_disconnect(conn));
	check(rdma_reject(id, NULL, 0) == 0, "%m");
	check(rdma_destroy_id(id) == 0, "%m");
}

static void serve(void)
{
	struct sockaddr_in any = {.sin_family = AF_INET, .sin_port = htons(CM_PORT)};
	struct rdma_cm_id *listener, *id;

	check(rdma_create_id(channel, &listener, NULL, RDMA_PS_TCP) == 0, "%m");
	check(rdma_bind_addr(listener, (struct sockaddr *)&any) == 0, "%m");
	check(rdma_listen(listener, 4) == 0, "%m");
	meet_step(sock);
	id = event_await(RDMA_CM_EVENT_CONNECT_REQUEST);
	pd_open(id->verbs);
	serve_once(id, false);
	meet_step(sock);
	serve_once(event_await(RDMA_CM_EVENT_CONNECT_REQUEST), true);
	meet_step(sock);
	serve_gone(event_await(RDMA_CM_EVENT_CONNECT_REQUEST));
	meet_step(sock);
	pd_close();
	check(rdma_destroy_id(listener) == 0, "%m");
}

/* --- the connecting end --- */

static struct rdma_cm_id *resolve(void)
{
	struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(CM_PORT)};
	const char *v4 = getenv("VERBS_TEST_IPV4");
	struct rdma_cm_id *id;

	check(v4 != NULL && inet_pton(AF_INET, v4, &to.sin_addr) == 1, "VERBS_TEST_IPV4");
	check(rdma_create_id(channel, &id, NULL, RDMA_PS_TCP) == 0, "%m");
	check(rdma_resolve_addr(id, NULL, (struct sockaddr *)&to, 2000) == 0, "%m");
	event_await(RDMA_CM_EVENT_ADDR_RESOLVED);
	check(rdma_resolve_route(id, 2000) == 0, "%m");
	event_await(RDMA_CM_EVENT_ROUTE_RESOLVED);
	return id;
}

static void ask(struct rdma_cm_id *id)
{
	struct rdma_conn_param param = {.responder_resources = 1,
					.initiator_depth = 1,
					.retry_count = 7,
					.rnr_retry_count = 7};

	check(rdma_connect(id, &param) == 0, "%m");
}

/* Peers have the permissions of the RDMA object, and not the defaults of librdmacm. */
static void access_check(struct ibv_qp *qp)
{
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr attr;

	check(ibv_query_qp(qp, &attr, IBV_QP_ACCESS_FLAGS, &init) == 0, "%m");
	check((attr.qp_access_flags & IBV_ACCESS_REMOTE_READ) != 0, "%x", attr.qp_access_flags);
	check((attr.qp_access_flags & (IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_ATOMIC)) == 0,
	      "%x", attr.qp_access_flags);
}

static void ask_once(struct rdma_cm_id *id)
{
	struct doca_rdma_connection *conn;

	end.n_established = 0;
	OK(doca_rdma_bridge_prepare_connection(end.rdma, id, &conn));
	check(id->qp != NULL && id->qp->pd == pd, "a queue pair of another protection domain");
	FAILS(DOCA_ERROR_BAD_STATE, doca_rdma_bridge_accept(end.rdma, NULL, 0, conn));
	FAILS(DOCA_ERROR_INVALID_VALUE, doca_rdma_bridge_established(end.rdma, conn));
	ask(id);
	check(event_await(RDMA_CM_EVENT_ESTABLISHED) == id, "another one");
	OK(doca_rdma_bridge_established(end.rdma, conn));
	access_check(id->qp);
	end_await(&end.n_established, 1);
	exchange(true);
	OK(doca_rdma_connection_disconnect(conn));
	check(id->qp == NULL, "it still has the queue pair");
	event_await(RDMA_CM_EVENT_DISCONNECTED);
	check(rdma_destroy_id(id) == 0, "%m");
}

static void check_refusals(struct rdma_cm_id *resolved)
{
	struct ibv_qp_init_attr attr = {
		.qp_type = IBV_QPT_RC,
		.cap = {.max_send_wr = 1, .max_recv_wr = 1, .max_send_sge = 1, .max_recv_sge = 1}};
	struct doca_rdma_connection *conn;
	struct rdma_cm_id *fresh;
	struct ibv_cq *cq = ibv_create_cq(resolved->verbs, 2, NULL, NULL, 0);

	check(rdma_create_id(channel, &fresh, NULL, RDMA_PS_TCP) == 0, "%m");
	FAILS(DOCA_ERROR_INVALID_VALUE,
	      doca_rdma_bridge_prepare_connection(end.rdma, fresh, &conn));
	check(rdma_destroy_id(fresh) == 0, "%m");
	/* An identifier that already has a queue pair. */
	attr.send_cq = attr.recv_cq = cq;
	check(cq != NULL && rdma_create_qp(resolved, pd, &attr) == 0, "%m");
	FAILS(DOCA_ERROR_INVALID_VALUE,
	      doca_rdma_bridge_prepare_connection(end.rdma, resolved, &conn));
	rdma_destroy_qp(resolved);
	check(ibv_destroy_cq(cq) == 0, "%m");
	/* After prepare and disconnect the identifier is unchanged. */
	OK(doca_rdma_bridge_prepare_connection(end.rdma, resolved, &conn));
	OK(doca_rdma_connection_disconnect(conn));
	check(resolved->qp == NULL, "it still has the queue pair");
}

/*
 * Protection domains and keys of a device from the list, and of one from our own protection domain.
 */
static void keys(void)
{
	const char *ibdev = ibv_get_device_name(pd->context->device);
	struct doca_dev *listed = base_dev_open(ibdev), *again;
	struct ibv_pd *other, *got;
	struct doca_mmap *mmap;
	uint32_t key;

	OK(doca_rdma_bridge_get_dev_pd(end.dev, &got));
	check(got == pd, "another one");
	OK(doca_rdma_bridge_get_dev_pd(listed, &other));
	check(other != pd && strcmp(ibv_get_device_name(other->context->device), ibdev) == 0,
	      "not of %s", ibdev);
	OK(doca_rdma_bridge_open_dev_from_pd(pd, &again));
	check(again == end.dev, "another one");
	OK(doca_dev_close(again));
	OK(doca_rdma_bridge_get_mmap_mkey_from_pd(end.mmap, pd, &key));
	check(key == end_key(), "two keys");
	OK(doca_mmap_get_mkey(end.mmap, end.dev, &key));
	check(key == end_key(), "another key by the mmap");
	FAILS(DOCA_ERROR_NOT_FOUND, doca_rdma_bridge_get_mmap_mkey_from_pd(end.mmap, other, &key));
	/* A map with devices of both protection domains, whose keys are independent. */
	OK(doca_mmap_create(&mmap));
	OK(doca_mmap_set_max_num_devices(mmap, 2));
	OK(doca_mmap_add_dev(mmap, end.dev));
	OK(doca_mmap_add_dev(mmap, listed));
	OK(doca_mmap_set_memrange(mmap, end.memory, END_LEN));
	OK(doca_mmap_start(mmap));
	OK(doca_rdma_bridge_get_mmap_mkey_from_pd(mmap, pd, &key));
	OK(doca_rdma_bridge_get_mmap_mkey_from_pd(mmap, other, &key));
	OK(doca_mmap_destroy(mmap));
	OK(doca_dev_close(listed));
}

static void ask_all(void)
{
	struct rdma_cm_id *id;

	meet_step(sock);
	id = resolve();
	pd_open(id->verbs);
	keys();
	check_refusals(id);
	ask_once(id);
	meet_step(sock);
	ask_once(resolve());
	meet_step(sock);
	id = resolve();
	OK(doca_rdma_bridge_prepare_connection(end.rdma, id, &end.conn));
	ask(id);
	event_await(RDMA_CM_EVENT_REJECTED);
	FAILS(DOCA_ERROR_INVALID_VALUE, doca_rdma_bridge_established(end.rdma, end.conn));
	/* The connection is not released: stopping the context releases it. */
	meet_step(sock);
	pd_close();
	check(id->qp == NULL, "it still has the queue pair");
	check(rdma_destroy_id(id) == 0, "%m");
}

int main(int argc, char **argv)
{
	bool is_server = argc == 2 && strcmp(argv[1], "server") == 0;

	if (!is_server && argc != 3) {
		fprintf(stderr, "usage: bridge_test server | bridge_test client ADDRESS\n");
		return 2;
	}
	sock = meet_open("bridge", is_server, is_server ? NULL : argv[2]);
	channel = rdma_create_event_channel();
	check(channel != NULL, "%m");
	if (is_server)
		serve();
	else
		ask_all();
	rdma_destroy_event_channel(channel);
	printf("ok: bridge\n");
	return 0;
}
