/*
 * The verbs provider between two processes: every operation with its data, order, and everything
 * that a network device must refuse. Both ends run each case.
 *
 *   verbs_test server CASE
 *   verbs_test client CASE ADDRESS    IPv4, of the server
 *   verbs_test late                   one end only: the device is created during the test
 */
#include <arpa/inet.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "tests/vm/verbs_ends.h"

#define HALF (MEMORY_LEN / 2)

static const size_t sizes[] = {1, 7, 64, 220, 221, 4095, 4096, 4097, 65536, 1u << 20};

/* --- operations that succeed --- */

static void case_send(struct ends *e)
{
	struct request r;

	for (size_t i = 0; i < ARRAY_LEN(sizes); i++) {
		enum rdma_op op = i % 2 == 0 ? RDMA_SEND : RDMA_SEND_IMM;

		if (e->is_server) {
			request_init(e, &r, RDMA_RECV, 0, HALF, 0);
			request_post(e, &r);
			ends_step(e);
			check(ends_poll(e) == &r.wr, "the receive is done");
			check(r.wr.status == DOCA_SUCCESS && r.wr.len == sizes[i], "%d, %u bytes",
			      (int)r.wr.status, r.wr.len);
			check(r.wr.received_as == op && r.wr.qp == e->qp, "%d",
			      (int)r.wr.received_as);
			check(op == RDMA_SEND || r.wr.imm == htonl(4711 + (uint32_t)i), "%u",
			      r.wr.imm);
			check(pattern_is(e->memory, sizes[i], i), "wrong bytes");
			ends_step(e);
		} else {
			pattern_fill(e->memory, sizes[i], i);
			request_init(e, &r, op, 0, sizes[i], 0);
			r.wr.imm = htonl(4711 + (uint32_t)i);
			ends_step(e);
			check(request_run(e, &r) == DOCA_SUCCESS && r.wr.len == sizes[i], "%d",
			      (int)r.wr.status);
			ends_step(e);
		}
	}
}

static void case_write(struct ends *e)
{
	struct request r, recv;

	for (size_t i = 0; i < ARRAY_LEN(sizes); i++) {
		bool with_imm = i % 2 == 1;

		if (e->is_server) {
			memset(e->memory, 0, MEMORY_LEN);
			request_init(e, &recv, RDMA_RECV, HALF, 64, 0);
			if (with_imm)
				request_post(e, &recv);
			ends_step(e);
			if (with_imm) {
				check(ends_poll(e) == &recv.wr, "the receive is done");
				check(recv.wr.status == DOCA_SUCCESS &&
					      recv.wr.received_as == RDMA_WRITE_IMM &&
					      recv.wr.imm == htonl(7) && recv.wr.len == sizes[i],
				      "%d, %u bytes", (int)recv.wr.status, recv.wr.len);
			}
			ends_step(e);
			check(pattern_is(e->memory + 3, sizes[i], i), "wrong bytes");
			check(e->memory[2] == 0 && e->memory[3 + sizes[i]] == 0,
			      "bytes beside the range were written");
		} else {
			pattern_fill(e->memory + 5, sizes[i], i);
			request_init(e, &r, with_imm ? RDMA_WRITE_IMM : RDMA_WRITE, 5, sizes[i], 3);
			r.wr.imm = htonl(7);
			ends_step(e);
			check(request_run(e, &r) == DOCA_SUCCESS, "%d", (int)r.wr.status);
			ends_step(e);
		}
		ends_step(e);
	}
}

static void case_read(struct ends *e)
{
	struct request r;

	for (size_t i = 0; i < ARRAY_LEN(sizes); i++) {
		if (e->is_server)
			pattern_fill(e->memory + 11, sizes[i], i);
		ends_step(e);
		if (!e->is_server) {
			memset(e->memory, 0, MEMORY_LEN);
			request_init(e, &r, RDMA_READ, 1, sizes[i], 11);
			check(request_run(e, &r) == DOCA_SUCCESS && r.wr.len == sizes[i], "%d",
			      (int)r.wr.status);
			check(pattern_is(e->memory + 1, sizes[i], i), "wrong bytes");
			check(e->memory[0] == 0 && e->memory[1 + sizes[i]] == 0,
			      "bytes beside the range were written");
		}
		ends_step(e);
	}
}

/* One request with several pieces of memory, one of them empty. */
static void case_pieces(struct ends *e)
{
	struct rdma_sge sges[4];
	struct request r;

	if (e->is_server) {
		request_init(e, &r, RDMA_RECV, 0, 0, 0);
		sges[0] = (struct rdma_sge){e->memory, 1000, e->mmap};
		sges[1] = (struct rdma_sge){e->memory + HALF, 100000, e->mmap};
		r.wr.sges = sges;
		r.wr.n_sges = 2;
		request_post(e, &r);
		ends_step(e);
		check(ends_poll(e) == &r.wr && r.wr.status == DOCA_SUCCESS && r.wr.len == 70000,
		      "%d, %u bytes", (int)r.wr.status, r.wr.len);
		memmove(e->memory + 1000, e->memory + HALF, 69000);
		check(pattern_is(e->memory, 70000, 9), "wrong bytes");
	} else {
		pattern_fill(e->memory, 70000, 9);
		request_init(e, &r, RDMA_SEND, 0, 0, 0);
		sges[0] = (struct rdma_sge){e->memory, 3, e->mmap};
		sges[1] = (struct rdma_sge){e->memory, 0, e->mmap};
		sges[2] = (struct rdma_sge){e->memory + 3, 60000, e->mmap};
		sges[3] = (struct rdma_sge){e->memory + 60003, 9997, e->mmap};
		r.wr.sges = sges;
		r.wr.n_sges = 4;
		ends_step(e);
		check(request_run(e, &r) == DOCA_SUCCESS, "%d", (int)r.wr.status);
	}
	ends_step(e);
}

static void case_atomic(struct ends *e)
{
	uint64_t *word = (uint64_t *)e->memory;
	struct request r;

	word[0] = 100;
	ends_step(e);
	if (!e->is_server) {
		for (uint64_t i = 0; i < 10; i++) {
			request_init(e, &r, RDMA_FETCH_ADD, 64, 8, 0);
			r.wr.value = 1ull << 40;
			check(request_run(e, &r) == DOCA_SUCCESS, "%d", (int)r.wr.status);
			check(word[8] == 100 + (i << 40), "%llu", (unsigned long long)word[8]);
		}
		request_init(e, &r, RDMA_CMP_SWP, 64, 8, 0);
		r.wr.compare = 1;
		r.wr.value = 2;
		check(request_run(e, &r) == DOCA_SUCCESS, "%d", (int)r.wr.status);
		check(word[8] == 100 + (10ull << 40), "%llu", (unsigned long long)word[8]);
		r.wr.compare = word[8];
		check(request_run(e, &r) == DOCA_SUCCESS, "%d", (int)r.wr.status);
	}
	ends_step(e);
	check(!e->is_server || word[0] == 2, "%llu", (unsigned long long)word[0]);
}

#define N_ORDER 3000u

/* Keeps a window of many requests in flight: they arrive and complete in the order of posting. */
static void case_order(struct ends *e)
{
	static struct request r[64];
	uint32_t *numbers = (uint32_t *)e->memory;
	uint32_t posted = 0, done = 0, slot;

	if (e->is_server) {
		for (; posted < 64; posted++) {
			request_init(e, &r[posted], RDMA_RECV, posted * 4, 4, 0);
			request_post(e, &r[posted]);
		}
	}
	ends_step(e);
	while (done < N_ORDER) {
		struct rdma_wr *wr;

		if (!e->is_server && posted < N_ORDER && posted - done < 64) {
			numbers[posted % 64] = posted;
			request_init(e, &r[posted % 64], RDMA_SEND, posted % 64 * 4, 4, 0);
			request_post(e, &r[posted % 64]);
			posted++;
			continue;
		}
		wr = ends_poll(e);
		slot = done % 64;
		check(wr == &r[slot].wr && wr->status == DOCA_SUCCESS, "request %u: %d", done,
		      (int)wr->status);
		if (e->is_server) {
			check(numbers[slot] == done, "%u is not %u", numbers[slot], done);
			request_post(e, &r[slot]);
		}
		done++;
	}
	ends_step(e);
}

/* The user sleeps on the descriptor and is woken. */
static void case_sleep(struct ends *e)
{
	struct pollfd fd = {.fd = rdma_verbs.get_fd(e->domain), .events = POLLIN};
	struct request r;
	unsigned n;

	for (int i = 0; i < 20; i++) {
		request_init(e, &r, e->is_server ? RDMA_RECV : RDMA_SEND, 0, 64, 0);
		if (e->is_server) {
			struct rdma_wr *wr;

			request_post(e, &r);
			ends_step(e);
			while ((wr = rdma_verbs.poll(e->domain)) == NULL) {
				if (!rdma_verbs.arm(e->domain))
					check(poll(&fd, 1, TIMEOUT_S * 1000) == 1, "not woken");
				rdma_verbs.disarm(e->domain);
				ends_receive(e);
			}
			check(wr == &r.wr && wr->status == DOCA_SUCCESS, "%d", (int)wr->status);
			/*
			 * No more events: the descriptor is not readable. A completion that was
			 * polled before the device signalled it may still signal once.
			 */
			for (n = 0; rdma_verbs.arm(e->domain) || poll(&fd, 1, 0) != 0; n++) {
				rdma_verbs.disarm(e->domain);
				check(n < 10, "still readable");
			}
			rdma_verbs.disarm(e->domain);
		} else {
			ends_step(e);
			usleep(2000 * (unsigned)(i % 3));
			check(request_run(e, &r) == DOCA_SUCCESS, "%d", (int)r.wr.status);
		}
	}
	ends_step(e);
}

/* --- requests that are refused --- */

/* The request fails, later ones are reset, and the broken queue pair is reported once. */
static void is_refused(struct ends *e, struct request *r, doca_error_t code)
{
	struct request later, last;

	request_init(e, &later, RDMA_SEND, 0, 4, 0);
	request_init(e, &last, RDMA_SEND, 0, 4, 0);
	request_post(e, r);
	request_post(e, &later);
	check(ends_poll(e) == &r->wr, "the first is done first");
	check(r->wr.status == code && r->wr.len == 0, "%d, not %d", (int)r->wr.status, (int)code);
	check(ends_poll(e) == &later.wr && later.wr.status == DOCA_ERROR_CONNECTION_RESET, "%d",
	      (int)later.wr.status);
	request_post(e, &last);
	check(ends_poll(e) == &last.wr && last.wr.status == DOCA_ERROR_CONNECTION_RESET, "%d",
	      (int)last.wr.status);
	ends_await(e, RDMA_QP_BROKEN, 1);
	check(e->reason == code, "%d", (int)e->reason);
}

static void case_wrong_key(struct ends *e)
{
	struct request r;

	if (!e->is_server) {
		e->remote.remote_key ^= 0x5a00;
		request_init(e, &r, RDMA_WRITE, 0, 64, 0);
		is_refused(e, &r, DOCA_ERROR_IO_FAILED);
	}
	ends_step(e);
	check(e->memory[0] == 0, "it was written all the same");
}

static void case_past_end(struct ends *e)
{
	struct request r;

	if (!e->is_server) {
		request_init(e, &r, RDMA_READ, 0, 64, MEMORY_LEN - 63);
		is_refused(e, &r, DOCA_ERROR_IO_FAILED);
	}
	ends_step(e);
}

static void case_read_only(struct ends *e)
{
	struct request r;

	if (!e->is_server) {
		request_init(e, &r, RDMA_READ, 0, 64, 0);
		check(request_run(e, &r) == DOCA_SUCCESS, "reading: %d", (int)r.wr.status);
		request_init(e, &r, RDMA_WRITE, 4096, 64, 0);
		pattern_fill(e->memory + 4096, 64, 1);
		is_refused(e, &r, DOCA_ERROR_IO_FAILED);
	}
	ends_step(e);
	check(!e->is_server || e->memory[0] == 0, "it was written all the same");
}

static void case_no_atomic(struct ends *e)
{
	struct request r;

	if (!e->is_server) {
		request_init(e, &r, RDMA_FETCH_ADD, 0, 8, 0);
		r.wr.value = 1;
		is_refused(e, &r, DOCA_ERROR_IO_FAILED);
	}
	ends_step(e);
	check(!e->is_server || e->memory[0] == 0, "it was written all the same");
}

/* The exporter stops the mmap: from then on its memory is inaccessible. */
static void case_stopped(struct ends *e)
{
	struct request r;

	if (e->is_server) {
		ends_step(e);
		e->key->free(e->key);
		e->key = NULL;
		check(doca_mmap_stop(e->mmap) == DOCA_SUCCESS, "stop");
		ends_step(e);
	} else {
		request_init(e, &r, RDMA_WRITE, 0, 64, 0);
		check(request_run(e, &r) == DOCA_SUCCESS, "before: %d", (int)r.wr.status);
		ends_step(e);
		ends_step(e);
		pattern_fill(e->memory, 64, 5);
		request_init(e, &r, RDMA_WRITE, 0, 64, 0);
		is_refused(e, &r, DOCA_ERROR_IO_FAILED);
	}
	ends_step(e);
	check(!e->is_server || e->memory[0] == 0, "it was written all the same");
}

/* For the importer's library, the export has ended. */
static void case_revoked(struct ends *e)
{
	static const _Atomic uint32_t dead = 0;
	struct request r, before;

	if (!e->is_server) {
		request_init(e, &before, RDMA_WRITE, 0, 64, 0);
		check(request_run(e, &before) == DOCA_SUCCESS, "%d", (int)before.wr.status);
		e->remote.alive = &dead;
		request_init(e, &r, RDMA_WRITE, 0, 64, 0);
		is_refused(e, &r, DOCA_ERROR_IO_FAILED);
	}
	ends_step(e);
}

static void case_no_receive(struct ends *e)
{
	struct request r;

	if (!e->is_server) {
		request_init(e, &r, RDMA_SEND, 0, 64, 0);
		is_refused(e, &r, DOCA_ERROR_IO_FAILED);
	}
	ends_step(e);
}

static void case_too_long(struct ends *e)
{
	struct request r;

	if (e->is_server) {
		request_init(e, &r, RDMA_RECV, 0, 64, 0);
		request_post(e, &r);
		ends_step(e);
		check(ends_poll(e) == &r.wr && r.wr.status == DOCA_ERROR_IO_FAILED, "%d",
		      (int)r.wr.status);
		ends_await(e, RDMA_QP_BROKEN, 1);
		check(e->memory[64] == 0, "bytes past the receive were written");
	} else {
		memset(e->memory, 1, 128);
		request_init(e, &r, RDMA_SEND, 0, 128, 0);
		ends_step(e);
		is_refused(e, &r, DOCA_ERROR_IO_FAILED);
	}
	ends_step(e);
}

/* --- ends --- */

static void case_full(struct ends *e)
{
	static struct request r[130];
	unsigned n;

	if (e->is_server) {
		for (n = 0; n < 128; n++) {
			request_init(e, &r[n], RDMA_RECV, n, 1, 0);
			request_post(e, &r[n]);
		}
		request_init(e, &r[n], RDMA_RECV, n, 1, 0);
		check(rdma_verbs.post_recv(e->domain, &r[n].wr) == DOCA_ERROR_AGAIN, "not full");
	} else {
		/* Nothing is polled here, so no request completes. */
		for (n = 0; n < 128; n++) {
			request_init(e, &r[n], RDMA_READ, n, 1, 0);
			request_post(e, &r[n]);
		}
		request_init(e, &r[n], RDMA_READ, n, 1, 0);
		check(rdma_verbs.post(e->qp, &r[n].wr) == DOCA_ERROR_AGAIN, "not full");
		for (n = 0; n < 128; n++)
			check(ends_poll(e) == &r[n].wr && r[n].wr.status == DOCA_SUCCESS, "%d",
			      (int)r[n].wr.status);
	}
	ends_step(e);
	/* Posted receives complete with the disconnect. */
	if (e->is_server) {
		check(rdma_verbs.qp_disconnect(e->qp) == DOCA_SUCCESS, "disconnect");
		rdma_verbs.flush_recvs(e->domain);
		for (n = 0; n < 128; n++)
			check(ends_poll(e)->status == DOCA_ERROR_CONNECTION_RESET, "receive %u", n);
		check(rdma_verbs.poll(e->domain) == NULL, "one too many");
		/* The queue can be used again. */
		request_init(e, &r[0], RDMA_RECV, 0, 1, 0);
		request_post(e, &r[0]);
		rdma_verbs.flush_recvs(e->domain);
		check(ends_poll(e) == &r[0].wr, "the one");
	}
	ends_step(e);
}

/* Requests in flight complete on a disconnect; it is not reported as a failure. */
static void case_disconnect(struct ends *e)
{
	static struct request r[16];

	if (!e->is_server) {
		/* The other end has no receive, so the requests stay in flight. */
		for (unsigned i = 0; i < ARRAY_LEN(r); i++) {
			request_init(e, &r[i], RDMA_SEND, i, 1, 0);
			request_post(e, &r[i]);
		}
		check(rdma_verbs.qp_disconnect(e->qp) == DOCA_SUCCESS, "disconnect");
		for (unsigned i = 0; i < ARRAY_LEN(r); i++)
			check(ends_poll(e) == &r[i].wr &&
				      r[i].wr.status == DOCA_ERROR_CONNECTION_RESET,
			      "%d", (int)r[i].wr.status);
		ends_receive(e);
		check(e->n_events[RDMA_QP_BROKEN] == 0, "an accident was told");
	}
	ends_step(e);
}

/* The other process is killed during transfers. */
static void case_killed(struct ends *e)
{
	static struct request r[8];
	unsigned n_good = 0, n_reset = 0;

	if (e->is_server) {
		uint8_t mark;

		ends_get(e, &mark, 1);
		raise(SIGKILL);
	}
	for (unsigned i = 0; i < ARRAY_LEN(r); i++) {
		request_init(e, &r[i], RDMA_WRITE, 0, 1u << 20, 0);
		request_post(e, &r[i]);
	}
	while (e->n_events[RDMA_QP_BROKEN] == 0) {
		struct rdma_wr *wr = ends_poll(e);

		if (wr->status == DOCA_SUCCESS && n_good++ == 0)
			ends_put(e, "k", 1);
		n_reset += wr->status == DOCA_ERROR_CONNECTION_RESET;
		check(wr->status == DOCA_SUCCESS || wr->status == DOCA_ERROR_CONNECTION_RESET, "%d",
		      (int)wr->status);
		if (n_reset == 0)
			request_post(e, container_of(wr, struct request, wr));
		ends_receive(e);
	}
	while (n_reset < ARRAY_LEN(r))
		n_reset += ends_poll(e)->status == DOCA_ERROR_CONNECTION_RESET;
	check(rdma_verbs.poll(e->domain) == NULL, "one too many");
}

/* The network is cut: requests in flight fail. */
static void case_lost(struct ends *e)
{
	struct request r;

	if (!e->is_server) {
		do {
			request_init(e, &r, RDMA_WRITE, 0, 1u << 16, 0);
			check(e->n_events[RDMA_QP_BROKEN] == 0, "broken without a reason");
			if (e->n_events[RDMA_QP_ESTABLISHED]++ == 1) {
				meet_send("ready");
			}
		} while (request_run(e, &r) == DOCA_SUCCESS);
		check(r.wr.status == DOCA_ERROR_CONNECTION_RESET, "%d", (int)r.wr.status);
		ends_await(e, RDMA_QP_BROKEN, 1);
		meet_send("lost");
		meet_await_notified();
	}
	ends_step(e);
}

/* --- bulk --- */

#define BULK_SLOTS 16u

/* The client decides: all bytes were moved, or the script has done its part. */
static bool bulk_goes_on(struct ends *e, uint64_t moved, uint64_t todo)
{
	bool is_continued;

	if (e->is_server) {
		ends_get(e, &is_continued, sizeof(is_continued));
	} else {
		is_continued = todo != 0 ? moved < todo : !meet_is_notified();
		ends_put(e, &is_continued, sizeof(is_continued));
	}
	return is_continued;
}

/*
 * Number of bytes of all transfers; 0: until the script answers. Mixed sizes, both directions of
 * copying, every byte checked.
 */
static void case_bulk(struct ends *e)
{
	const char *asked = getenv("VERBS_TEST_BULK");
	uint64_t todo = asked != NULL ? strtoull(asked, NULL, 10) : 64u << 20, moved = 0;
	const size_t slot_len = HALF / BULK_SLOTS;
	static struct request r[BULK_SLOTS];
	uint64_t round = 0;

	while (bulk_goes_on(e, moved, todo)) {
		bool is_read = round % 2 == 1;

		/* The source fills the slots, all are transferred at once, the sink checks them. */
		for (unsigned i = 0; i < BULK_SLOTS; i++) {
			if (e->is_server == is_read)
				pattern_fill(e->memory + i * slot_len, slot_len,
					     round * BULK_SLOTS + i);
		}
		ends_step(e);
		for (unsigned i = 0; i < BULK_SLOTS; i++) {
			size_t len = slot_len - (round * 7919 + i * 104729) % (slot_len / 2);

			if (!e->is_server) {
				request_init(e, &r[i], is_read ? RDMA_READ : RDMA_WRITE,
					     is_read ? HALF + i * slot_len : i * slot_len, len,
					     is_read ? i * slot_len : HALF + i * slot_len);
				request_post(e, &r[i]);
			}
			moved += len;
		}
		for (unsigned i = 0; i < BULK_SLOTS && !e->is_server; i++)
			check(ends_poll(e) == &r[i].wr && r[i].wr.status == DOCA_SUCCESS, "%d",
			      (int)r[i].wr.status);
		ends_step(e);
		for (unsigned i = 0; i < BULK_SLOTS && e->is_server != is_read; i++) {
			size_t len = slot_len - (round * 7919 + i * 104729) % (slot_len / 2);

			check(pattern_is(e->memory + HALF + i * slot_len, len,
					 round * BULK_SLOTS + i),
			      "round %llu, slot %u: wrong bytes", (unsigned long long)round, i);
		}
		if (round++ == 0)
			meet_send("ready");
		ends_step(e);
	}
	printf("moved %llu bytes\n", (unsigned long long)moved);
}

/* --- by address --- */

#define CM_PORT 18700

static struct rdma_endpoint end_of(const char *family, const char *addr)
{
	struct rdma_endpoint end = {.port = CM_PORT};

	if (strcmp(family, "4") == 0) {
		end.type = RDMA_ADDR_IPV4;
		check(inet_pton(AF_INET, addr, end.bytes) == 1, "%s", addr);
	} else {
		end.type = strcmp(family, "6") == 0 ? RDMA_ADDR_IPV6 : RDMA_ADDR_GID;
		check(inet_pton(AF_INET6, addr, end.bytes) == 1, "%s", addr);
	}
	return end;
}

static void addr_once(struct ends *e, const char *family, const char *addr)
{
	unsigned before = e->n_events[RDMA_QP_ESTABLISHED];
	struct rdma_endpoint end, peer;
	struct request r;

	if (e->is_server) {
		ends_await(e, RDMA_QP_REQUESTED, e->n_events[RDMA_QP_REQUESTED] + 1);
		e->qp = e->requested;
		e->qp->owner = e;
		check(rdma_verbs.qp_get_addr(e->qp, &peer) == 0 && peer.port == CM_PORT, "%u",
		      peer.port);
		request_init(e, &r, RDMA_RECV, 0, 100, 0);
		request_post(e, &r);
		check(rdma_verbs.qp_accept(e->qp, "hello", 5) == DOCA_SUCCESS, "accept");
		ends_await(e, RDMA_QP_ESTABLISHED, before + 1);
		check(ends_poll(e) == &r.wr && r.wr.status == DOCA_SUCCESS && r.wr.qp == e->qp,
		      "%d", (int)r.wr.status);
		check(pattern_is(e->memory, 100, 3), "wrong bytes");
		ends_step(e);
		/* This end disconnects; the other one sees that. */
		check(rdma_verbs.qp_disconnect(e->qp) == DOCA_SUCCESS, "disconnect");
	} else {
		unsigned left = e->n_events[RDMA_QP_DISCONNECTED];

		end = end_of(family, addr);
		check(rdma_verbs.qp_new(e->domain, e, &e->qp) == DOCA_SUCCESS, "queue pair");
		check(rdma_verbs.qp_connect_addr(e->qp, &end) == DOCA_SUCCESS, "connect");
		ends_await(e, RDMA_QP_ESTABLISHED, before + 1);
		check(rdma_verbs.qp_get_addr(e->qp, &peer) == 0 && peer.port == CM_PORT, "%u",
		      peer.port);
		pattern_fill(e->memory, 100, 3);
		request_init(e, &r, RDMA_SEND, 0, 100, 0);
		check(request_run(e, &r) == DOCA_SUCCESS, "%d", (int)r.wr.status);
		ends_step(e);
		ends_await(e, RDMA_QP_DISCONNECTED, left + 1);
	}
	check(e->n_events[RDMA_QP_BROKEN] == 0 && e->n_events[RDMA_QP_FAILED] == 0, "an accident");
	ends_step(e);
	rdma_verbs.qp_free(e->qp);
	e->qp = NULL;
}

static void addr_rejected(struct ends *e, const char *family, const char *addr, bool was_received)
{
	struct rdma_endpoint end;

	if (e->is_server && was_received) {
		ends_await(e, RDMA_QP_REQUESTED, e->n_events[RDMA_QP_REQUESTED] + 1);
		check(rdma_verbs.qp_reject(e->requested) == DOCA_SUCCESS, "reject");
		rdma_verbs.qp_free(e->requested);
	} else if (!e->is_server) {
		end = end_of(family, addr);
		check(rdma_verbs.qp_new(e->domain, e, &e->qp) == DOCA_SUCCESS, "queue pair");
		check(rdma_verbs.qp_connect_addr(e->qp, &end) == DOCA_SUCCESS, "connect");
		ends_await(e, RDMA_QP_FAILED, e->n_events[RDMA_QP_FAILED] + 1);
		check(e->reason == DOCA_ERROR_CONNECTION_ABORTED, "%d", (int)e->reason);
		rdma_verbs.qp_free(e->qp);
		e->qp = NULL;
	}
	ends_step(e);
}

static void case_address(struct ends *e)
{
	const char *v4 = getenv("VERBS_TEST_IPV4"), *v6 = getenv("VERBS_TEST_IPV6");
	char gid[64];

	check(v4 != NULL && v6 != NULL, "VERBS_TEST_IPV4 and VERBS_TEST_IPV6 are the server's");
	snprintf(gid, sizeof(gid), "::ffff:%s", v4);
	if (e->is_server)
		check(rdma_verbs.listen(e->domain, CM_PORT) == DOCA_SUCCESS, "listen");
	ends_step(e);
	addr_once(e, "4", v4);
	addr_once(e, "6", v6);
	addr_once(e, "g", gid);
	addr_rejected(e, "4", v4, true);
	if (e->is_server)
		check(rdma_verbs.unlisten(e->domain, CM_PORT) == DOCA_SUCCESS, "unlisten");
	ends_step(e);
	addr_rejected(e, "4", v4, false);
}

/*
 * The device is removed while it is used. Soft-RoCE reports that only to connections by address,
 * and waits until all processes have closed it.
 */
static void case_gone(struct ends *e)
{
	const char *v4 = getenv("VERBS_TEST_IPV4");
	unsigned n_seen = 0;
	struct request r, s;

	check(v4 != NULL, "VERBS_TEST_IPV4 is the server's");
	if (e->is_server)
		check(rdma_verbs.listen(e->domain, CM_PORT) == DOCA_SUCCESS, "listen");
	ends_step(e);
	if (e->is_server) {
		ends_await(e, RDMA_QP_REQUESTED, 1);
		e->qp = e->requested;
		check(rdma_verbs.qp_accept(e->qp, NULL, 0) == DOCA_SUCCESS, "accept");
	} else {
		struct rdma_endpoint end = end_of("4", v4);

		check(rdma_verbs.qp_new(e->domain, e, &e->qp) == DOCA_SUCCESS, "queue pair");
		check(rdma_verbs.qp_connect_addr(e->qp, &end) == DOCA_SUCCESS, "connect");
	}
	ends_await(e, RDMA_QP_ESTABLISHED, 1);
	request_init(e, &r, RDMA_RECV, 0, 64, 0);
	request_post(e, &r);
	request_init(e, &s, RDMA_READ, 0, 8, 0);
	ends_step(e);
	/* The script that runs the test removes the device after this. */
	puts("ready");
	fflush(stdout);
	ends_await(e, RDMA_DEVICE_REMOVED, 1);
	/* The other end may have seen the removal first and disconnected. */
	check(e->n_events[RDMA_QP_BROKEN] + e->n_events[RDMA_QP_DISCONNECTED] == 1,
	      "the queue pair is not broken");
	request_post(e, &s);
	check(ends_poll(e) == &s.wr && s.wr.status == DOCA_ERROR_CONNECTION_RESET, "%d",
	      (int)s.wr.status);
	rdma_verbs.flush_recvs(e->domain);
	for (struct rdma_wr *wr; (wr = rdma_verbs.poll(e->domain)) != NULL; n_seen++)
		check(wr == &r.wr && wr->status == DOCA_ERROR_CONNECTION_RESET, "%d",
		      (int)wr->status);
	check(n_seen == 1, "%u receives came back", n_seen);
}

/* A device that is created later can be used, although it was looked up before. */
static int run_late(void)
{
	struct doca_devinfo info = {.name = "dev0", .caps.rdma = true};
	time_t end = time(NULL) + TIMEOUT_S;
	const char *name = getenv("VERBS_TEST_DEVICE");
	char reason[RDMA_REASON_MAX];
	struct rdma_limits limits;

	check(name != NULL, "VERBS_TEST_DEVICE is the device's name");
	snprintf(info.ibdev, sizeof(info.ibdev), "%s", name);
	check(!rdma_verbs.query(&info, &limits, reason), "it is there already");
	printf("absent: %s\n", reason);
	fflush(stdout);
	while (!rdma_verbs.query(&info, &limits, reason)) {
		check(time(NULL) < end, "still: %s", reason);
		usleep(10000);
	}
	puts("ok: late");
	return 0;
}

/* --- the cases --- */

struct test_case {
	const char *name;
	void (*run)(struct ends *e);
	uint32_t rights; /* of the server's memory; 0: all */
	bool is_by_address;
	int rnr_retry; /* 0: no limit */
};

static const struct test_case cases[] = {
	{"send", case_send, 0, false, 0},
	{"write", case_write, 0, false, 0},
	{"read", case_read, 0, false, 0},
	{"pieces", case_pieces, 0, false, 0},
	{"atomic", case_atomic, 0, false, 0},
	{"order", case_order, 0, false, 0},
	{"sleep", case_sleep, 0, false, 0},
	{"wrong_key", case_wrong_key, 0, false, 0},
	{"past_end", case_past_end, 0, false, 0},
	{"read_only", case_read_only, DOCA_ACCESS_FLAG_RDMA_READ, false, 0},
	{"no_atomic", case_no_atomic, DOCA_ACCESS_FLAG_RDMA_READ | DOCA_ACCESS_FLAG_RDMA_WRITE,
	 false, 0},
	{"stopped", case_stopped, 0, false, 0},
	{"revoked", case_revoked, 0, false, 0},
	{"no_receive", case_no_receive, 0, false, 2},
	{"too_long", case_too_long, 0, false, 0},
	{"full", case_full, 0, false, 0},
	{"disconnect", case_disconnect, 0, false, 0},
	{"killed", case_killed, 0, false, 0},
	{"gone", case_gone, 0, true, 0},
	{"lost", case_lost, 0, false, 0},
	{"bulk", case_bulk, 0, false, 0},
	{"address", case_address, 0, true, 0},
};

static void run(const struct test_case *c, const char *role, const char *addr)
{
	struct ends ends;

	ends_meet(&ends, role, c->name, addr);
	/* The rights of the client's own memory do not matter. */
	ends.rights = ends.is_server ? c->rights : 0;
	ends_open(&ends);
	if (c->rnr_retry != 0) {
		rdma_verbs.close(ends.domain);
		ends.conf.rnr_retry = (uint8_t)c->rnr_retry;
		check(rdma_verbs.open(&ends.dev, &ends.conf, &ends.domain) == DOCA_SUCCESS, "open");
	}
	if (!c->is_by_address)
		ends_connect(&ends);
	c->run(&ends);
	ends_close(&ends);
	close(ends.sock);
	printf("ok: %s\n", c->name);
}

static const struct test_case *case_find(const char *name, size_t len)
{
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		if (strncmp(cases[i].name, name, len) == 0 && cases[i].name[len] == '\0')
			return &cases[i];
	}
	return NULL;
}

int main(int argc, char **argv)
{
	if (argc == 2 && strcmp(argv[1], "late") == 0)
		return run_late();
	if (argc == 3 || argc == 4) {
		const char *name = argv[2];
		size_t len = strcspn(name, ",");
		const struct test_case *c;

		while ((c = case_find(name, len)) != NULL) {
			run(c, argv[1], argc == 4 ? argv[3] : NULL);
			if (name[len] == '\0')
				return 0;
			name += len + 1;
			len = strcspn(name, ",");
		}
	}
	fprintf(stderr, "usage: verbs_test server CASE[,CASE...]\n"
			"       verbs_test client CASE[,CASE...] ADDRESS\n");
	return 2;
}
