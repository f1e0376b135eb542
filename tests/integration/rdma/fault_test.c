/*
 * The provider soft between processes of both sides, sleeping and polling; and faults: a peer that
 * is killed in the middle, with and without a daemon to report it, one that writes garbage over all
 * shared memory, one that disconnects, daemons that restart. Each time an error, no hang, and
 * nothing is left.
 */
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "client/control/session.h"
#include "client/rma/soft/domain.h"
#include "proto/qp_layout.h"
#include "tests/integration/rdma/end.h"
#include "tests/lib/runner.h"
#include "util/clock.h"

#define LEN  (1u << 20)
#define SLOT 65536u

#define TIMEOUT_MS 20000

static struct lab lab;

static void setup_with(size_t fd_store)
{
	const struct lab_options options = {.fd_store = fd_store};

	lab_setup(&lab, &options);
	leaks_allow_fds(1);
}

static void setup(void)
{
	setup_with(0);
}

static void setup_store(void)
{
	setup_with(256);
}

static void teardown(void)
{
	for (enum lab_side side = LAB_HOST; side < LAB_N_SIDES; side++) {
		lab_await(&lab, side, LAB_EXPORTS, 0, 5000);
		lab_await(&lab, side, LAB_IMPORTS, 0, 5000);
	}
	lab_teardown(&lab);
}

/* --- the other process --- */

enum order {
	ORDER_ECHO,    /* sends each message back */
	ORDER_SIT,     /* does nothing until a signal */
	ORDER_GARBAGE, /* writes garbage over shared memory as long as it lives */
	ORDER_LEAVE,   /* receives a message and disconnects */
	ORDER_SILENCE, /* makes progress without receives */
};

struct spec {
	enum order order;
	bool is_asleep, is_shared;
	unsigned seed;
};

struct peer {
	struct lab_child child;
	struct rdma_desc qp, mem;
	uint64_t mem_addr;
};

static void echo(struct rdma_side *end, struct rdma_mem *mem, struct rdma_qp *qp)
{
	static struct rdma_req recvs[8], sends[8];

	for (size_t i = 0; i < ARRAY_LEN(recvs); i++) {
		rdma_req_init(&recvs[i], RDMA_RECV, mem, i * SLOT, SLOT);
		rdma_req_post_recv(end, &recvs[i]);
	}
	for (;;) {
		rdma_end_wait(end);
		if (end->n_events > 0)
			return;
		while (end->n_done > 0) {
			struct rdma_wr *wr = rdma_end_next(end, NULL);
			size_t i;

			if (wr->op != RDMA_RECV) {
				i = (size_t)((struct rdma_req *)(void *)wr - sends);
				if (wr->status == DOCA_SUCCESS)
					rdma_req_post_recv(end, &recvs[i]);
				continue;
			}
			i = (size_t)((struct rdma_req *)(void *)wr - recvs);
			rdma_req_init(&sends[i], RDMA_SEND, mem, i * SLOT, wr->len);
			rdma_req_post(qp, &sends[i]);
		}
	}
}

/* Overwrites the queue pairs' inboxes of both ends that are mapped here. */
static void overwrite_inboxes(unsigned seed)
{
	uintptr_t from[32], to[32];
	char line[256];
	FILE *maps = fopen("/proc/self/maps", "re");
	size_t n = 0;

	ck_assert_ptr_nonnull(maps);
	while (fgets(line, sizeof(line), maps) != NULL && n < ARRAY_LEN(from)) {
		if (strstr(line, "doca-rdma-qp") != NULL &&
		    sscanf(line, "%lx-%lx", &from[n], &to[n]) == 2)
			n++;
	}
	fclose(maps);
	ck_assert_uint_gt(n, 3);
	for (;;) {
		size_t i = (size_t)rand_r(&seed) % n;
		size_t words = (to[i] - from[i]) / 8;
		volatile uint64_t *at = (volatile uint64_t *)from[i];

		/* Mostly where the words are that both ends read. */
		if (words > 40 && rand_r(&seed) % 4 != 0)
			words = 40;
		at[(size_t)rand_r(&seed) % words] = rand_r(&seed) % 2
							    ? (uint64_t)rand_r(&seed) % 70000
							    : (uint64_t)rand_r(&seed) << 40 |
								      (unsigned)rand_r(&seed);
	}
}

static void peer_main(int sock, void *arg)
{
	const struct spec *spec = arg;
	struct rdma_desc mine, theirs;
	struct rdma_req recv;
	struct rdma_side end;
	struct rdma_mem mem;
	struct rdma_qp *qp;
	uint64_t addr;

	rdma_end_open(&end, USE_DPU_P0, NULL);
	end.is_asleep = spec->is_asleep;
	rdma_mem_make(&mem, end.dev, LEN, spec->is_shared, RDMA_END_ALL);
	addr = (uintptr_t)mem.bytes;
	qp = rdma_end_qp(&end, &mine);
	lab_send(sock, &mine, sizeof(mine));
	lab_send(sock, &mem.desc, sizeof(mem.desc));
	lab_send(sock, &addr, sizeof(addr));
	lab_recv(sock, &theirs, sizeof(theirs));
	rdma_end_connect(&end, qp, &theirs);
	lab_signal(sock);
	switch (spec->order) {
	case ORDER_ECHO:
		echo(&end, &mem, qp);
		break;
	case ORDER_SIT:
		lab_wait(sock);
		break;
	case ORDER_GARBAGE:
		overwrite_inboxes(spec->seed);
		break;
	case ORDER_LEAVE:
		rdma_req_init(&recv, RDMA_RECV, &mem, 0, SLOT);
		rdma_req_post_recv(&end, &recv);
		rdma_end_await(&end, NULL, &recv.wr, DOCA_SUCCESS);
		OK(end.ops->qp_disconnect(qp));
		break;
	case ORDER_SILENCE:
		while (end.n_events == 0)
			rdma_end_wait(&end);
		break;
	}
	rdma_mem_free(&mem);
	rdma_end_close(&end);
}

/* --- this process --- */

static struct rdma_side a;
static struct rdma_mem ma;

static void a_open(bool is_asleep, uint8_t rnr_retry)
{
	struct rdma_conf conf = rdma_end_conf();

	conf.rnr_retry = rnr_retry;
	lab_use(&lab, LAB_HOST);
	rdma_end_open(&a, USE_HOST_PF0, &conf);
	a.is_asleep = is_asleep;
	rdma_mem_make(&ma, a.dev, LEN, false, DOCA_ACCESS_FLAG_LOCAL_READ_WRITE);
}

static void a_close(void)
{
	rdma_mem_free(&ma);
	rdma_end_close(&a);
}

static void peer_fork(struct peer *peer, const struct spec *spec)
{
	peer->child = lab_fork(&lab, LAB_DPU, peer_main, (void *)spec);
}

static struct rdma_qp *peer_connect(struct peer *peer)
{
	struct rdma_desc mine;
	struct rdma_qp *qp;

	lab_recv(peer->child.sock, &peer->qp, sizeof(peer->qp));
	lab_recv(peer->child.sock, &peer->mem, sizeof(peer->mem));
	lab_recv(peer->child.sock, &peer->mem_addr, sizeof(peer->mem_addr));
	qp = rdma_end_qp(&a, &mine);
	rdma_end_connect(&a, qp, &peer->qp);
	lab_send(peer->child.sock, &mine, sizeof(mine));
	lab_wait(peer->child.sock);
	return qp;
}

/* One message there and back. */
static void ping(struct rdma_qp *qp, uint32_t seed, size_t len)
{
	struct rdma_req send, recv;
	int n_left = 2;

	use_fill(ma.bytes, len, seed);
	rdma_req_init(&recv, RDMA_RECV, &ma, LEN / 2, SLOT);
	rdma_req_init(&send, RDMA_SEND, &ma, 0, len);
	rdma_req_post_recv(&a, &recv);
	rdma_req_post(qp, &send);
	while (n_left-- > 0) {
		struct rdma_wr *wr = rdma_end_next(&a, NULL);

		ck_assert_int_eq(wr->status, DOCA_SUCCESS);
	}
	ck_assert_ptr_eq(recv.wr.qp, qp);
	ck_assert_uint_eq(recv.wr.len, len);
	ck_assert(use_is_filled(ma.bytes + LEN / 2, len, seed));
}

/* Both sleep, one of them, or none. */
START_TEST(test_echo)
{
	struct spec spec = {.order = ORDER_ECHO, .is_asleep = _i & 1};
	const uint32_t n = 500;
	struct peer peer;
	struct rdma_qp *qp;

	peer_fork(&peer, &spec);
	a_open(_i & 2, 7);
	qp = peer_connect(&peer);
	for (uint32_t i = 0; i < n; i++)
		ping(qp, i, i % 7 == 0 ? i * 7919 % SLOT : i % 100);
	ck_assert(!a.is_asleep || a.n_sleeps > 0);
	OK(a.ops->qp_disconnect(qp));
	lab_join(&peer.child);
	a_close();
}
END_TEST

/* The other process does nothing meanwhile. */
START_TEST(test_one_sided)
{
	struct spec spec = {.order = ORDER_SIT, .is_shared = _i};
	struct doca_mmap *remote;
	struct rdma_req req;
	struct peer peer;
	struct rdma_qp *qp;

	peer_fork(&peer, &spec);
	a_open(false, 7);
	qp = peer_connect(&peer);
	remote = rdma_mem_import(a.dev, &peer.mem);
	for (uint32_t i = 0; i < 200; i++) {
		size_t len = i * 104729 % (LEN / 2), at = i * 7919 % (LEN / 2);

		use_fill(ma.bytes, len, i);
		rdma_req_init(&req, RDMA_WRITE, &ma, 0, len);
		rdma_req_remote(&req, remote, peer.mem_addr + at);
		rdma_req_post(qp, &req);
		rdma_end_await(&a, NULL, &req.wr, DOCA_SUCCESS);
		memset(ma.bytes, 0, len);
		rdma_req_init(&req, RDMA_READ, &ma, LEN / 2, len);
		rdma_req_remote(&req, remote, peer.mem_addr + at);
		rdma_req_post(qp, &req);
		rdma_end_await(&a, NULL, &req.wr, DOCA_SUCCESS);
		ck_assert(use_is_filled(ma.bytes + LEN / 2, len, i));
	}
	lab_signal(peer.child.sock);
	lab_join(&peer.child);
	OK(doca_mmap_destroy(remote));
	a_close();
}
END_TEST

static void pci_main(int sock, void *arg)
{
	struct rdma_desc desc;
	struct rdma_side end;
	const void *exported;
	struct doca_mmap *mmap;
	uint64_t addr;
	void *bytes;

	(void)arg;
	rdma_end_open(&end, USE_HOST_PF0, NULL);
	OK(dococ_mem_alloc(4096, &bytes, NULL));
	memset(bytes, 0x11, 64);
	mmap = use_mmap(end.dev, bytes, 4096,
			DOCA_ACCESS_FLAG_PCI_READ_ONLY | DOCA_ACCESS_FLAG_RDMA_READ |
				DOCA_ACCESS_FLAG_RDMA_WRITE | DOCA_ACCESS_FLAG_RDMA_ATOMIC);
	OK(doca_mmap_export_pci(mmap, end.dev, &exported, &desc.len));
	ck_assert_uint_le(desc.len, sizeof(desc.bytes));
	memcpy(desc.bytes, exported, desc.len);
	addr = (uintptr_t)bytes;
	lab_send(sock, &desc, sizeof(desc));
	lab_send(sock, &addr, sizeof(addr));
	lab_wait(sock);
	ck_assert_uint_eq(*(uint8_t *)bytes, 0x11);
	use_mmap_end(mmap);
	OK(dococ_mem_free(bytes));
	rdma_end_close(&end);
}

/* A PCI export grants nothing to RDMA peers. */
START_TEST(test_pci_is_not_rdma)
{
	static const enum rdma_op ops[] = {RDMA_READ, RDMA_WRITE, RDMA_FETCH_ADD};
	struct lab_child child = lab_fork(&lab, LAB_HOST, pci_main, NULL);
	struct doca_mmap *remote;
	struct rdma_qp *qa, *qb;
	struct rdma_desc desc;
	struct rdma_req req;
	struct rdma_side b;
	uint64_t addr;

	lab_recv(child.sock, &desc, sizeof(desc));
	lab_recv(child.sock, &addr, sizeof(addr));
	lab_use(&lab, LAB_DPU);
	rdma_end_open(&a, USE_DPU_P0, NULL);
	rdma_end_open(&b, USE_DPU_P0, NULL);
	rdma_mem_make(&ma, a.dev, LEN, false, DOCA_ACCESS_FLAG_LOCAL_READ_WRITE);
	remote = rdma_mem_import(a.dev, &desc);
	rdma_end_join(&a, &qa, &b, &qb);
	rdma_req_init(&req, ops[_i], &ma, 0, 8);
	rdma_req_remote(&req, remote, addr);
	rdma_req_post(qa, &req);
	rdma_end_await(&a, &b, &req.wr, DOCA_ERROR_IO_FAILED);
	rdma_end_event(&a, &b, RDMA_QP_BROKEN);
	lab_signal(child.sock);
	lab_join(&child);
	OK(doca_mmap_destroy(remote));
	rdma_end_close(&b);
	a_close();
}
END_TEST

/* Requests of every kind complete, and the end is reported once. */
static void check_dead(struct rdma_qp *qp, struct rdma_req *reqs, size_t n)
{
	struct rdma_event event = rdma_end_event(&a, NULL, RDMA_QP_BROKEN);

	ck_assert_ptr_eq(event.qp, qp);
	for (size_t i = 0; i < n; i++)
		rdma_end_await(&a, NULL, &reqs[i].wr, DOCA_ERROR_CONNECTION_RESET);
	a.is_asleep = false;
	ck_assert(!rdma_end_progress(&a));
	a.ops->qp_free(qp);
}

START_TEST(test_killed)
{
	struct spec spec = {.order = ORDER_SIT}, other = {.order = ORDER_ECHO};
	bool is_asleep = _i & 1, without_daemon = _i & 2;
	struct peer peer, witness;
	struct rdma_req sends[20];
	struct rdma_qp *qp, *qw;

	peer_fork(&peer, &spec);
	peer_fork(&witness, &other);
	a_open(is_asleep, 7);
	qp = peer_connect(&peer);
	qw = peer_connect(&witness);
	ping(qw, 1, 5000);
	for (size_t i = 0; i < ARRAY_LEN(sends); i++) {
		rdma_req_init(&sends[i], RDMA_SEND, &ma, 0, i * 1000);
		rdma_req_post(qp, &sends[i]);
	}
	if (without_daemon)
		lab_kill_daemon(&lab, LAB_DPU);
	lab_kill(&peer.child);
	check_dead(qp, sends, ARRAY_LEN(sends));
	/* The other connection of the port continues. */
	a.is_asleep = is_asleep;
	ping(qw, 2, 5000);
	OK(a.ops->qp_disconnect(qw));
	lab_join(&witness.child);
	a_close();
	if (without_daemon)
		lab_start_daemon(&lab, LAB_DPU);
}
END_TEST

/* The peer is killed in the middle of a stream of messages and of writes. */
START_TEST(test_killed_in_the_middle)
{
	struct spec spec = {.order = ORDER_ECHO, .is_shared = _i % 2};
	struct rdma_req sends[8], recvs[8], write;
	struct doca_mmap *remote;
	struct peer peer;
	struct rdma_qp *qp;
	bool is_over = false;
	size_t n_out = 0;

	peer_fork(&peer, &spec);
	a_open(false, 7);
	qp = peer_connect(&peer);
	remote = rdma_mem_import(a.dev, &peer.mem);
	for (size_t i = 0; i < 8; i++) {
		rdma_req_init(&recvs[i], RDMA_RECV, &ma, i * SLOT, SLOT);
		rdma_req_init(&sends[i], RDMA_SEND, &ma, i * SLOT, i % 2 ? 30000 : 100);
		rdma_req_post_recv(&a, &recvs[i]);
		rdma_req_post(qp, &sends[i]);
		n_out += 2;
	}
	rdma_req_init(&write, RDMA_WRITE, &ma, 0, LEN);
	rdma_req_remote(&write, remote, peer.mem_addr);
	for (unsigned n = 0; !is_over; n++) {
		struct rdma_wr *wr;

		rdma_end_progress(&a);
		if (n == 2000 + 1000 * (unsigned)_i)
			lab_kill(&peer.child);
		is_over = a.n_events > 0;
		if (a.n_done == 0)
			continue;
		wr = rdma_end_next(&a, NULL);
		n_out--;
		if (wr->op == RDMA_RECV && wr->status == DOCA_SUCCESS)
			rdma_req_post_recv(&a, (struct rdma_req *)(void *)wr);
		else if (wr->op == RDMA_SEND && wr->status == DOCA_SUCCESS)
			rdma_req_post(qp, (struct rdma_req *)(void *)wr);
		else
			continue;
		n_out++;
	}
	rdma_end_event(&a, NULL, RDMA_QP_BROKEN);
	rdma_req_post(qp, &write);
	n_out++;
	a.ops->flush_recvs(a.domain);
	while (n_out-- > 0)
		rdma_end_next(&a, NULL);
	ck_assert(!rdma_end_progress(&a));
	OK(doca_mmap_destroy(remote));
	a_close();
}
END_TEST

/* For any garbage, this connection ends or continues for a while, and no other is affected. */
static void check_garbage(unsigned seed)
{
	struct spec spec = {.order = ORDER_GARBAGE, .seed = seed};
	struct spec other = {.order = ORDER_ECHO};
	static struct rdma_req sends[32], recvs[8];
	struct peer peer, witness;
	struct rdma_qp *qp, *qw;
	size_t n_sent = 0;

	peer_fork(&peer, &spec);
	peer_fork(&witness, &other);
	a_open(seed % 3 == 2, 1);
	qp = peer_connect(&peer);
	qw = peer_connect(&witness);
	for (size_t i = 0; i < ARRAY_LEN(recvs); i++) {
		rdma_req_init(&recvs[i], RDMA_RECV, &ma, i * SLOT, SLOT);
		rdma_req_post_recv(&a, &recvs[i]);
	}
	for (unsigned n = 0; n < 200000 && a.n_events == 0; n++) {
		if (n_sent < ARRAY_LEN(sends)) {
			rdma_req_init(&sends[n_sent], RDMA_SEND, &ma, 0, n_sent * 1500);
			rdma_req_post(qp, &sends[n_sent]);
			n_sent++;
		}
		if (a.ops->arm(a.domain))
			a.ops->disarm(a.domain);
		rdma_end_progress(&a);
		while (a.n_done > 0) {
			struct rdma_wr *wr = rdma_end_next(&a, NULL);

			if (wr->op == RDMA_RECV && wr->status == DOCA_SUCCESS)
				ck_assert_uint_le(wr->len, SLOT);
			if (wr->op == RDMA_RECV)
				rdma_req_post_recv(&a, (struct rdma_req *)(void *)wr);
		}
	}
	lab_kill(&peer.child);
	while (a.n_events == 0) {
		rdma_end_wait(&a);
		while (a.n_done > 0)
			rdma_end_next(&a, NULL);
	}
	ck_assert_ptr_eq(a.events[0].qp, qp);
	a.n_events = 0;
	a.ops->flush_recvs(a.domain);
	while (rdma_end_progress(&a))
		continue;
	a.n_done = 0;
	a.ops->qp_free(qp);
	ping(qw, 3, 60000);
	OK(a.ops->qp_disconnect(qw));
	lab_join(&witness.child);
	a_close();
}

START_TEST(test_garbage)
{
	for (unsigned seed = 0; seed < 4; seed++)
		check_garbage(4 * (unsigned)_i + seed);
}
END_TEST

START_TEST(test_peer_disconnects)
{
	struct spec spec = {.order = ORDER_LEAVE};
	struct rdma_req send;
	struct rdma_event event;
	struct peer peer;
	struct rdma_qp *qp;

	peer_fork(&peer, &spec);
	a_open(_i, 7);
	qp = peer_connect(&peer);
	rdma_req_init(&send, RDMA_SEND, &ma, 0, 100);
	rdma_req_post(qp, &send);
	rdma_end_await(&a, NULL, &send.wr, DOCA_SUCCESS);
	event = rdma_end_event(&a, NULL, RDMA_QP_DISCONNECTED);
	ck_assert_ptr_eq(event.qp, qp);
	lab_join(&peer.child);
	a_close();
}
END_TEST

/* The sender sleeps, and a timer wakes it. */
START_TEST(test_no_receive)
{
	struct spec spec = {.order = ORDER_SILENCE, .is_asleep = true};
	struct rdma_req send;
	struct peer peer;
	struct rdma_qp *qp;

	peer_fork(&peer, &spec);
	a_open(true, 2);
	qp = peer_connect(&peer);
	rdma_req_init(&send, RDMA_SEND, &ma, 0, 100);
	rdma_req_post(qp, &send);
	rdma_end_await(&a, NULL, &send.wr, DOCA_ERROR_IO_FAILED);
	rdma_end_event(&a, NULL, RDMA_QP_BROKEN);
	lab_join(&peer.child);
	a_close();
}
END_TEST

/* Connections continue, issued descriptors stay valid, and new ones work. */
START_TEST(test_daemons_restart)
{
	struct spec spec = {.order = ORDER_ECHO, .is_asleep = _i};
	struct peer peer, late;
	struct rdma_qp *qp, *ql;

	peer_fork(&peer, &spec);
	a_open(_i, 7);
	qp = peer_connect(&peer);
	ping(qp, 1, 60000);
	lab_kill_daemon(&lab, LAB_HOST);
	ping(qp, 2, 60000);
	lab_start_daemon(&lab, LAB_HOST);
	ping(qp, 3, 60000);
	lab_kill_daemon(&lab, LAB_DPU);
	lab_start_daemon(&lab, LAB_DPU);
	ping(qp, 4, 60000);
	peer_fork(&late, &spec);
	ql = peer_connect(&late);
	ping(ql, 5, 60000);
	ping(qp, 6, 60000);
	lab_kill(&late.child);
	rdma_end_event(&a, NULL, RDMA_QP_BROKEN);
	OK(a.ops->qp_disconnect(qp));
	lab_join(&peer.child);
	a_close();
}
END_TEST

/* --- by address, between the sides --- */

static const struct rdma_endpoint gid_p1 = {
	.type = RDMA_ADDR_IPV6,
	.port = 777,
	.bytes = {0xfe, 0x80, [11] = 0xff, [12] = 0xfe, [14] = 0x03, [15] = 0x01},
};

/* Accepts calls and echoes, sleeping, until it is killed. */
static void listener_main(int sock, void *arg)
{
	struct rdma_side end;
	struct rdma_mem mem;
	struct rdma_qp *qp;

	(void)arg;
	rdma_end_open(&end, USE_DPU_P1, NULL);
	rdma_mem_make(&mem, end.dev, LEN, false, RDMA_END_ALL);
	end.is_asleep = true;
	OK(end.ops->listen(end.domain, 777));
	lab_signal(sock);
	qp = rdma_end_event(&end, NULL, RDMA_QP_REQUESTED).qp;
	OK(end.ops->qp_accept(qp, NULL, 0));
	rdma_end_event(&end, NULL, RDMA_QP_ESTABLISHED);
	echo(&end, &mem, qp);
	/* The next call is never answered. */
	end.n_events = 0;
	rdma_end_event(&end, NULL, RDMA_QP_REQUESTED);
	lab_signal(sock);
	lab_wait(sock);
}

START_TEST(test_by_address)
{
	struct lab_child child = lab_fork(&lab, LAB_DPU, listener_main, NULL);
	struct rdma_event event;
	struct rdma_qp *qp;

	a_open(_i & 1, 7);
	lab_wait(child.sock);
	OK(a.ops->qp_new(a.domain, NULL, &qp));
	OK(a.ops->qp_connect_addr(qp, &gid_p1));
	event = rdma_end_event(&a, NULL, RDMA_QP_ESTABLISHED);
	ck_assert_ptr_eq(event.qp, qp);
	for (uint32_t i = 0; i < 50; i++)
		ping(qp, i, i * 1000);
	OK(a.ops->qp_disconnect(qp));
	a.ops->qp_free(qp);
	OK(a.ops->qp_new(a.domain, NULL, &qp));
	OK(a.ops->qp_connect_addr(qp, &gid_p1));
	lab_wait(child.sock);
	if (_i & 2)
		lab_kill_daemon(&lab, LAB_DPU);
	lab_kill(&child);
	event = rdma_end_event(&a, NULL, RDMA_QP_FAILED);
	ck_assert_int_eq(event.reason, DOCA_ERROR_CONNECTION_ABORTED);
	a_close();
	if (_i & 2)
		lab_start_daemon(&lab, LAB_DPU);
}
END_TEST

static void restart(enum lab_side side, bool by_force)
{
	if (by_force)
		lab_kill_daemon(&lab, side);
	else
		lab_stop_daemon(&lab, side);
	lab_start_daemon(&lab, side);
}

/* With a store a listener need not even notice the restart: it sleeps, and is called. */
START_TEST(test_ports_are_resumed)
{
	struct lab_child child = lab_fork(&lab, LAB_DPU, listener_main, NULL);
	struct rdma_event event;
	struct rdma_qp *qp;

	a_open(_i & 1, 7);
	lab_wait(child.sock);
	restart(LAB_DPU, _i & 2);
	restart(LAB_HOST, _i & 2);
	OK(a.ops->qp_new(a.domain, NULL, &qp));
	OK(a.ops->qp_connect_addr(qp, &gid_p1));
	event = rdma_end_event(&a, NULL, RDMA_QP_ESTABLISHED);
	ck_assert_ptr_eq(event.qp, qp);
	ping(qp, 1, 1000);
	restart(LAB_DPU, _i & 2);
	ping(qp, 2, 60000);
	OK(a.ops->qp_disconnect(qp));
	a.ops->qp_free(qp);
	/* The other end continues to listen. */
	OK(a.ops->qp_new(a.domain, NULL, &qp));
	OK(a.ops->qp_connect_addr(qp, &gid_p1));
	lab_wait(child.sock);
	/* A call in progress does not continue: it ends with an event. */
	restart(LAB_HOST, _i & 2);
	event = rdma_end_event(&a, NULL, RDMA_QP_FAILED);
	ck_assert_ptr_eq(event.qp, qp);
	a.ops->qp_free(qp);
	a_close();
	lab_kill(&child);
	for (enum lab_side side = LAB_HOST; side < LAB_N_SIDES; side++) {
		ck_assert(lab_log_has(&lab, side, "resumed 1 client"));
		ck_assert(!lab_log_has(&lab, side, "not resumed"));
		ck_assert(!lab_timed_out(&lab, side));
	}
}
END_TEST

/* b listens, and its daemon is replaced. Returns a queue pair of a, and b's address. */
static struct rdma_qp *listen_and_restart(struct rdma_side *b, struct rdma_endpoint *end_out)
{
	struct rdma_desc desc;

	*end_out = gid_p1;
	end_out->bytes[14] = 0x0b;
	a_open(false, 7);
	rdma_end_open(b, USE_HOST_PF1, NULL);
	OK(b->ops->listen(b->domain, 777));
	lab_kill_daemon(&lab, LAB_HOST);
	lab_start_daemon(&lab, LAB_HOST);
	/* Any call finds the new daemon. */
	return rdma_end_qp(&a, &desc);
}

/* Until the new daemon knows the port number. */
static void listen_again(struct rdma_side *b)
{
	const struct soft_rendezvous *rendezvous = &soft_domain_of(b->domain)->rendezvous;
	uint64_t until = clock_now_ns() + runner_timeout_ms(TIMEOUT_MS) * NS_PER_MS;

	do {
		ck_assert(!rdma_end_progress(b));
		EXPECT_TRUE(clock_now_ns() < until, "the listener does not find its daemon");
	} while (rendezvous->has_unregistered || atomic_load(&rendezvous->base.is_lost));
}

/* The listener continues to listen then. */
START_TEST(test_listener_and_restart)
{
	struct rdma_side b;
	struct rdma_endpoint end;
	struct rdma_qp *qa = listen_and_restart(&b, &end), *qb;

	listen_again(&b);
	OK(a.ops->qp_connect_addr(qa, &end));
	qb = rdma_end_event(&b, &a, RDMA_QP_REQUESTED).qp;
	OK(b.ops->qp_accept(qb, NULL, 0));
	rdma_end_event(&a, &b, RDMA_QP_ESTABLISHED);
	rdma_end_close(&b);
	a_close();
}
END_TEST

/*
 * Before b has noticed: an id that the old daemon issued belongs to another client now, on whose
 * behalf nothing must be done.
 */
START_TEST(test_calls_after_a_restart)
{
	struct rdma_side b;
	struct rdma_desc desc;
	struct rdma_event event;
	struct rdma_qp *qa, *qb;
	struct rdma_endpoint end = gid_p1;

	a_open(false, 7);
	rdma_end_open(&b, USE_HOST_PF1, NULL);
	end.bytes[14] = 0x0b;
	OK(b.ops->listen(b.domain, 776));
	OK(b.ops->listen(b.domain, 778));
	lab_kill_daemon(&lab, LAB_HOST);
	lab_start_daemon(&lab, LAB_HOST);
	/* Any call finds the new daemon, which issues its first ids to this client. */
	qa = rdma_end_qp(&a, &desc);
	OK(a.ops->listen(a.domain, 779));
	if (_i) {
		OK(b.ops->unlisten(b.domain, 776));
	} else {
		OK(a.ops->listen(a.domain, 776));
		OK(b.ops->unlisten(b.domain, 776));
	}
	OK(b.ops->listen(b.domain, 777));
	ck_assert_uint_ne(soft_domain_of(a.domain)->rendezvous.base.id,
			  soft_domain_of(b.domain)->rendezvous.base.id);
	OK(a.ops->qp_connect_addr(qa, &end));
	qb = rdma_end_event(&b, &a, RDMA_QP_REQUESTED).qp;
	OK(b.ops->qp_accept(qb, NULL, 0));
	event = rdma_end_event(&a, &b, RDMA_QP_ESTABLISHED);
	ck_assert_ptr_eq(event.qp, qa);
	rdma_end_close(&b);
	a_close();
}
END_TEST

/* Also if the new daemon has ended before its first request, and there is none for a while. */
START_TEST(test_listener_and_two_restarts)
{
	struct epoll_event wake;
	struct rdma_side b;
	struct rdma_endpoint end;
	struct rdma_qp *qa = listen_and_restart(&b, &end), *qb;

	lab_kill_daemon(&lab, LAB_HOST);
	/* This end notices that the daemon has ended, and finds no other one. */
	ck_assert(!rdma_end_progress(&b));
	ck_assert(soft_domain_of(b.domain)->rendezvous.has_unregistered);
	lab_start_daemon(&lab, LAB_HOST);
	while (!rdma_end_progress(&b) && soft_domain_of(b.domain)->rendezvous.has_unregistered) {
		/* A sleeping program is woken for each attempt. */
		if (_i && !b.ops->arm(b.domain))
			ck_assert_int_eq(epoll_wait(b.epoll_fd, &wake, 1, TIMEOUT_MS), 1);
		b.ops->disarm(b.domain);
	}
	OK(a.ops->qp_connect_addr(qa, &end));
	qb = rdma_end_event(&b, &a, RDMA_QP_REQUESTED).qp;
	OK(b.ops->qp_accept(qb, NULL, 0));
	rdma_end_event(&a, &b, RDMA_QP_ESTABLISHED);
	rdma_end_close(&b);
	a_close();
}
END_TEST

/* Listens, and makes no request of its own. */
static void listen_only_main(int sock, void *arg)
{
	const bool *is_asleep = arg;
	struct rdma_side end;
	struct rdma_mem mem;
	struct rdma_qp *qp;

	rdma_end_open(&end, USE_DPU_P1, NULL);
	rdma_mem_make(&mem, end.dev, LEN, false, DOCA_ACCESS_FLAG_LOCAL_READ_WRITE);
	end.is_asleep = *is_asleep;
	OK(end.ops->listen(end.domain, 777));
	lab_signal(sock);
	qp = rdma_end_event(&end, NULL, RDMA_QP_REQUESTED).qp;
	OK(end.ops->qp_accept(qp, NULL, 0));
	rdma_end_event(&end, NULL, RDMA_QP_ESTABLISHED);
	echo(&end, &mem, qp);
	rdma_mem_free(&mem);
	rdma_end_close(&end);
}

/* Calls until a listener answers. */
static struct rdma_qp *call_until_answered(const struct rdma_endpoint *to)
{
	uint64_t until = clock_now_ns() + runner_timeout_ms(TIMEOUT_MS) * NS_PER_MS;
	struct rdma_qp *qp;

	for (;;) {
		OK(a.ops->qp_new(a.domain, NULL, &qp));
		OK(a.ops->qp_connect_addr(qp, to));
		while (a.n_events == 0)
			rdma_end_wait(&a);
		if (a.events[0].type == RDMA_QP_ESTABLISHED)
			break;
		rdma_end_event(&a, NULL, RDMA_QP_FAILED);
		a.ops->qp_free(qp);
		EXPECT_TRUE(clock_now_ns() < until, "nobody listens there any more");
	}
	rdma_end_event(&a, NULL, RDMA_QP_ESTABLISHED);
	return qp;
}

/* A program that only waits for calls finds the next daemon by itself. */
START_TEST(test_lone_listener_and_restart)
{
	bool is_asleep = _i;
	struct lab_child child = lab_fork(&lab, LAB_DPU, listen_only_main, &is_asleep);
	struct rdma_qp *qp;

	a_open(false, 7);
	lab_wait(child.sock);
	lab_kill_daemon(&lab, LAB_DPU);
	lab_start_daemon(&lab, LAB_DPU);
	lab_await(&lab, LAB_DPU, LAB_CLIENTS, 1, TIMEOUT_MS);
	qp = call_until_answered(&gid_p1);
	ping(qp, 1, 1000);
	OK(a.ops->qp_disconnect(qp));
	lab_join(&child);
	a_close();
}
END_TEST

/* A process accepts connections at the daemon's path and does not answer. */
static int unresponsive_listen(enum lab_side side)
{
	struct sockaddr_un addr = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);

	ck_assert_int_ge(fd, 0);
	snprintf(addr.sun_path, sizeof(addr.sun_path), "%s", lab_socket(&lab, side));
	unlink(addr.sun_path);
	ck_assert_int_eq(bind(fd, (struct sockaddr *)&addr, sizeof(addr)), 0);
	ck_assert_int_eq(listen(fd, 8), 0);
	return fd;
}

/*
 * The liveness word of the device, which ended with the session that provided it; 0: ended. This
 * file's daemons provide none, because their devices cannot be removed.
 */
static _Atomic uint32_t device_word;

static void a_end_word(void)
{
	static struct session_page page = {.words = &device_word, .n_words = 1, .refs = 1};
	struct dev_liveness *liveness = calloc(1, sizeof(*liveness));

	ck_assert_ptr_nonnull(liveness);
	/* The page has one more user: `liveness` ends with the device, and the page must stay. */
	page.refs++;
	*liveness = (struct dev_liveness){.page = &page, .generation = 1};
	atomic_store(&device_word, 0);
	ck_assert_ptr_null(atomic_load(&a.dev->liveness));
	atomic_store(&a.dev->liveness, liveness);
}

/* The next daemon reports that the device is present. */
static void a_restore_word(void)
{
	atomic_store(&device_word, 1);
}

/* A polling program asks again after a pause. */
static void ask_unresponsive_daemon(struct soft_domain *domain)
{
	uint64_t until = clock_now_ns() + runner_timeout_ms(TIMEOUT_MS) * NS_PER_MS;
	uint64_t removal_check_ns = domain->removal_check_ns, begin_ns = 0;

	while (domain->removal_check_ns == removal_check_ns) {
		begin_ns = clock_now_ns();
		EXPECT_TRUE(begin_ns < until, "it is not asked whether the device is there");
		ck_assert(!rdma_end_progress(&a));
	}
	ck_assert_uint_ge(domain->removal_check_ns, begin_ns + NS_PER_SEC);
}

/*
 * A listener that looks for the daemon meanwhile continues with everything that needs no daemon.
 * _i: the daemon stops in order, and has to be asked about the device, too.
 */
START_TEST(test_listener_and_unresponsive_daemon)
{
	struct spec spec = {.order = ORDER_ECHO};
	struct pollfd unresponsive = {.events = POLLIN};
	struct soft_rendezvous *rendezvous;
	struct peer peer;
	struct rdma_qp *qp;
	uint64_t until;

	peer_fork(&peer, &spec);
	a_open(false, 7);
	rendezvous = &soft_domain_of(a.domain)->rendezvous;
	qp = peer_connect(&peer);
	OK(a.ops->listen(a.domain, 777));
	ping(qp, 1, 1000);
	if (_i == 0)
		lab_kill_daemon(&lab, LAB_HOST);
	else
		lab_stop_daemon(&lab, LAB_HOST);
	unresponsive.fd = unresponsive_listen(LAB_HOST);
	if (_i == 1) {
		a_end_word();
		ask_unresponsive_daemon(soft_domain_of(a.domain));
	}
	until = clock_now_ns() + runner_timeout_ms(TIMEOUT_MS) * NS_PER_MS;
	while (poll(&unresponsive, 1, 0) == 0 || !rendezvous->has_unregistered) {
		ck_assert(!rdma_end_progress(&a));
		EXPECT_TRUE(clock_now_ns() < until, "the listener looks for no daemon");
	}
	until = clock_now_ns() + runner_timeout_ms(TIMEOUT_MS) * NS_PER_MS;
	for (uint32_t i = 0; i < 100; i++) {
		ping(qp, i, 1000);
		EXPECT_TRUE(clock_now_ns() < until, "looking for a daemon stops the connection");
	}
	ck_assert(rendezvous->has_unregistered);
	close(unresponsive.fd);
	a_restore_word();
	lab_start_daemon(&lab, LAB_HOST);
	until = clock_now_ns() + runner_timeout_ms(TIMEOUT_MS) * NS_PER_MS;
	while (rendezvous->has_unregistered) {
		ck_assert(!rdma_end_progress(&a));
		EXPECT_TRUE(clock_now_ns() < until, "the listener does not find its daemon");
	}
	OK(a.ops->qp_disconnect(qp));
	lab_join(&peer.child);
	a_close();
}
END_TEST

/* The callee must get the caller's real address. */
START_TEST(test_caller_has_no_other_address)
{
	struct rdma_qp *qp;

	a_open(false, 7);
	OK(a.ops->qp_new(a.domain, NULL, &qp));
	/* The GID is derived from it. */
	a.dev->info->mac[5] ^= 0x55;
	ck_assert_int_eq(a.ops->qp_connect_addr(qp, &gid_p1), DOCA_ERROR_INVALID_VALUE);
	a.dev->info->mac[5] ^= 0x55;
	a_close();
}
END_TEST

/*
 * Connections are established and ended; daemons and this process have no more descriptors than
 * before.
 */
START_TEST(test_no_leak)
{
	struct rdma_desc da, db;
	struct rdma_side b;
	struct leaks before;
	uint64_t until;
	size_t n_fds = 0;

	a_open(false, 7);
	rdma_end_open(&b, USE_HOST_PF1, NULL);
	for (int i = 0; i < 20; i++) {
		struct rdma_qp *qa = rdma_end_qp(&a, &da), *qb = rdma_end_qp(&b, &db);

		rdma_end_connect(&a, qa, &db);
		if (i % 3 != 0)
			rdma_end_connect(&b, qb, &da);
		a.ops->qp_free(qa);
		if (i % 3 != 0)
			rdma_end_event(&b, NULL, RDMA_QP_DISCONNECTED);
		b.ops->qp_free(qb);
		lab_await(&lab, LAB_HOST, LAB_EXPORTS, 0, 5000);
		if (i == 5) {
			leaks_count(&before);
			n_fds = lab_daemon_n_fds(&lab, LAB_HOST);
		}
	}
	ck_assert_msg(leaks_find(&before) == NULL, "%s", leaks_find(&before));
	/* A daemon has one more for a moment when it reports its status. */
	until = clock_now_ns() + runner_timeout_ms(5000) * NS_PER_MS;
	while (lab_daemon_n_fds(&lab, LAB_HOST) > n_fds)
		EXPECT_TRUE(clock_now_ns() < until, "the daemon has more than %zu descriptors",
			    n_fds);
	rdma_end_close(&b);
	a_close();
}
END_TEST

static void add_cases(Suite *suite)
{
	TCase *tcase = tcase_create("soft");

	suite_add_tcase(suite, tcase);
	tcase_set_timeout(tcase, RUNNER_TEST_S);
	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_loop_test(tcase, test_echo, 0, 4);
	tcase_add_loop_test(tcase, test_one_sided, 0, 2);
	tcase_add_loop_test(tcase, test_pci_is_not_rdma, 0, 3);
	tcase_add_loop_test(tcase, test_killed, 0, 4);
	tcase_add_loop_test(tcase, test_killed_in_the_middle, 0, 4);
	tcase_add_loop_test(tcase, test_garbage, 0, 3);
	tcase_add_loop_test(tcase, test_peer_disconnects, 0, 2);
	tcase_add_test(tcase, test_no_receive);
	tcase_add_loop_test(tcase, test_daemons_restart, 0, 2);
	tcase_add_loop_test(tcase, test_by_address, 0, 4);
	tcase_add_test(tcase, test_listener_and_restart);
	tcase_add_loop_test(tcase, test_calls_after_a_restart, 0, 2);
	tcase_add_loop_test(tcase, test_listener_and_two_restarts, 0, 2);
	tcase_add_loop_test(tcase, test_lone_listener_and_restart, 0, 2);
	tcase_add_loop_test(tcase, test_listener_and_unresponsive_daemon, 0, 2);
	tcase_add_test(tcase, test_caller_has_no_other_address);
	tcase_add_test(tcase, test_no_leak);
	tcase = tcase_create("soft, with a store");
	suite_add_tcase(suite, tcase);
	tcase_set_timeout(tcase, RUNNER_TEST_S);
	tcase_add_checked_fixture(tcase, setup_store, teardown);
	tcase_add_loop_test(tcase, test_ports_are_resumed, 0, 4);
}

int main(void)
{
	lab_require();
	return runner_main("rdma_fault", add_cases, NULL);
}
