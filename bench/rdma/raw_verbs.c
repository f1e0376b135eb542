/* See bench/rdma/raw_verbs.h. */
#include "bench/rdma/raw_verbs.h"

#ifdef HAVE_VERBS
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <infiniband/verbs.h>

#include "bench/base/measure.h"
#include "bench/base/peer.h"

#define PORT       1
#define GID_INDEX  1
#define INLINE_MAX 220 /* like perftest */
#define BATCH      16
#define ACCESS                                                                       \
	(IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_WRITE | \
	 IBV_ACCESS_REMOTE_ATOMIC)

/* Connection parameters for the other end. */
struct raw_hello {
	uint32_t qpn, psn, rkey;
	uint32_t mtu;
	uint64_t addr;
	union ibv_gid gid;
};

static struct {
	struct ibv_context *context;
	struct ibv_pd *pd;
	struct ibv_cq *send_cq, *recv_cq;
	struct ibv_qp *qp;
	struct ibv_mr *mr;
	struct ibv_port_attr port;
	union ibv_gid gid;
	uint8_t *memory, *in;
	size_t stride, len;
	uint32_t size, n_slots, max_inline;
	struct raw_hello other;
	uint64_t n_pings;
} raw;

/* The functions of rdma-core, which is loaded if it is installed. */
/* clang-format off */
#define VERBS(X)                                                                               \
	X(get_device_list) X(free_device_list) X(get_device_name) X(open_device)               \
	X(close_device) X(query_port) X(query_gid) X(alloc_pd) X(reg_mr) X(create_cq)          \
	X(create_qp) X(modify_qp)
/* clang-format on */

static struct {
#define MEMBER(name) __typeof__(ibv_##name) *name;
	VERBS(MEMBER)
} verbs;

static void load(void *function, void *library, const char *name)
{
	void *address = dlsym(library, name);

	if (address == NULL)
		bench_die("libibverbs.so.1 lacks %s", name);
	memcpy(function, &address, sizeof(address));
}

static bool verbs_load(void)
{
	void *library = dlopen("libibverbs.so.1", RTLD_NOW);

	if (library == NULL)
		return false;
#define LOAD(name) load(&verbs.name, library, "ibv_" #name);
	VERBS(LOAD)
	return true;
}

/* --- opening --- */

/* Returns NULL, or a clause that says why the device cannot be used. */
static const char *device_try(const char *ibdev)
{
	static const union ibv_gid unused;
	struct ibv_device **list;
	int n = 0, i;

	if (!verbs_load())
		return "libibverbs.so.1 cannot be loaded: install rdma-core's libraries";
	list = verbs.get_device_list(&n);
	for (i = 0; i < n && strcmp(verbs.get_device_name(list[i]), ibdev) != 0; i++)
		;
	raw.context = i < n ? verbs.open_device(list[i]) : NULL;
	if (list != NULL)
		verbs.free_device_list(list);
	if (raw.context == NULL)
		return "it cannot be opened: its node under /dev/infiniband must be readable and "
		       "writable";
	if (verbs.query_port(raw.context, PORT, (struct _compat_ibv_port_attr *)&raw.port) != 0 ||
	    verbs.query_gid(raw.context, PORT, GID_INDEX, &raw.gid) != 0)
		return "it does not answer";
	if (memcmp(&raw.gid, &unused, sizeof(unused)) == 0)
		return "it has no GID 1: give its interface an IPv4 address";
	return NULL;
}

const char *raw_verbs_why_not(const char *ibdev)
{
	const char *why = device_try(ibdev);

	if (raw.context != NULL)
		verbs.close_device(raw.context);
	raw.context = NULL;
	return why;
}

static void queues_open(void)
{
	struct ibv_qp_init_attr attr = {
		.cap = {.max_send_wr = MAX(raw.n_slots, 16u),
			.max_recv_wr = MAX(raw.n_slots, 16u),
			.max_send_sge = 1,
			.max_recv_sge = 1,
			.max_inline_data = INLINE_MAX},
		.qp_type = IBV_QPT_RC,
		.sq_sig_all = 1,
	};

	raw.send_cq = verbs.create_cq(raw.context, (int)attr.cap.max_send_wr, NULL, NULL, 0);
	raw.recv_cq = verbs.create_cq(raw.context, (int)attr.cap.max_recv_wr, NULL, NULL, 0);
	if (raw.send_cq == NULL || raw.recv_cq == NULL)
		bench_die("no completion queue of the RDMA device: %s", strerror(errno));
	attr.send_cq = raw.send_cq;
	attr.recv_cq = raw.recv_cq;
	raw.qp = verbs.create_qp(raw.pd, &attr);
	if (raw.qp == NULL) {
		attr.cap.max_inline_data = 0;
		raw.qp = verbs.create_qp(raw.pd, &attr);
	}
	if (raw.qp == NULL)
		bench_die("no queue pair of the RDMA device: %s", strerror(errno));
	raw.max_inline = attr.cap.max_inline_data;
}

static void memory_open(void)
{
	raw.stride = ALIGN_UP((size_t)raw.size, 64);
	raw.len = 2 * raw.stride * raw.n_slots;
	raw.memory = mmap(NULL, raw.len, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
			  0);
	if (raw.memory == MAP_FAILED)
		bench_die("no memory for %zu bytes", raw.len);
	memset(raw.memory, 0, raw.len);
	raw.in = raw.memory + raw.len / 2;
	/* In parentheses, because verbs.h defines a macro of that name. */
	raw.mr = (verbs.reg_mr)(raw.pd, raw.memory, raw.len, ACCESS);
	if (raw.mr == NULL)
		bench_die("%zu bytes cannot be registered: %s (see ulimit -l)", raw.len,
			  strerror(errno));
}

static void state_set(struct ibv_qp_attr attr, int mask)
{
	int r = verbs.modify_qp(raw.qp, &attr, IBV_QP_STATE | mask);

	if (r != 0)
		bench_die("a queue pair does not take state %d: %s", (int)attr.qp_state,
			  strerror(r));
}

static void recv_post(uint64_t slot)
{
	struct ibv_sge sge = {.addr = (uintptr_t)raw.in + slot * raw.stride,
			      .length = raw.size,
			      .lkey = raw.mr->lkey};
	struct ibv_recv_wr wr = {.wr_id = slot, .sg_list = &sge, .num_sge = 1}, *bad;

	if (ibv_post_recv(raw.qp, &wr, &bad) != 0)
		bench_die("a receive cannot be posted");
}

static void connect_ends(void)
{
	const struct raw_hello *other = &raw.other;

	state_set((struct ibv_qp_attr){.qp_state = IBV_QPS_INIT,
				       .port_num = PORT,
				       .qp_access_flags = ACCESS},
		  IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS);
	for (uint32_t i = 0; i < raw.n_slots; i++)
		recv_post(i);
	state_set(
		(struct ibv_qp_attr){.qp_state = IBV_QPS_RTR,
				     .path_mtu = MIN(raw.port.active_mtu, (enum ibv_mtu)other->mtu),
				     .dest_qp_num = other->qpn,
				     .rq_psn = other->psn,
				     .max_dest_rd_atomic = 16,
				     .min_rnr_timer = 12,
				     .ah_attr = {.is_global = 1,
						 .port_num = PORT,
						 .grh = {.dgid = other->gid,
							 .sgid_index = GID_INDEX,
							 .hop_limit = 64}}},
		IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN |
			IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER);
	state_set((struct ibv_qp_attr){.qp_state = IBV_QPS_RTS,
				       .timeout = 17,
				       .retry_cnt = 6,
				       .rnr_retry = 7,
				       .sq_psn = raw.qp->qp_num & 0xffffff,
				       .max_rd_atomic = 16},
		  IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_SQ_PSN |
			  IBV_QP_MAX_QP_RD_ATOMIC);
}

void raw_verbs_open(struct bench *b, const char *ibdev, uint32_t n_slots)
{
	const char *why = device_try(ibdev);
	struct raw_hello hello;

	if (why != NULL)
		bench_die("the RDMA device %s: %s", ibdev, why);
	raw.size = (uint32_t)b->size;
	raw.n_slots = n_slots;
	raw.pd = verbs.alloc_pd(raw.context);
	queues_open();
	memory_open();
	hello = (struct raw_hello){.qpn = raw.qp->qp_num,
				   .psn = raw.qp->qp_num & 0xffffff,
				   .rkey = raw.mr->rkey,
				   .mtu = raw.port.active_mtu,
				   .addr = (uintptr_t)raw.memory,
				   .gid = raw.gid};
	peer_swap(b, &hello, sizeof(hello), &raw.other, sizeof(raw.other));
	connect_ends();
	/* Neither side sends before the other one has posted its receives. */
	peer_swap(b, &hello, sizeof(hello), &hello, sizeof(hello));
}

/* --- measured loops --- */

/* A request that is posted repeatedly. */
struct request {
	struct ibv_sge sge;
	struct ibv_send_wr wr;
};

/* Creates a request that always uses the same place of the other end's memory. */
static void request_make(enum ibv_wr_opcode opcode, uint64_t slot, struct request *request_out)
{
	size_t at = slot * raw.stride, half = raw.len / 2;
	bool comes_in = opcode == IBV_WR_RDMA_READ || opcode == IBV_WR_ATOMIC_FETCH_AND_ADD;
	struct request *r = request_out;

	*r = (struct request){
		.sge = {.addr = (uintptr_t)(comes_in ? raw.in : raw.memory) + at,
			.length = opcode == IBV_WR_ATOMIC_FETCH_AND_ADD ? 8 : raw.size,
			.lkey = raw.mr->lkey},
		.wr = {.num_sge = 1, .opcode = opcode},
	};
	r->wr.sg_list = &r->sge;
	if (!comes_in && raw.size <= raw.max_inline)
		r->wr.send_flags = IBV_SEND_INLINE;
	if (opcode == IBV_WR_ATOMIC_FETCH_AND_ADD) {
		r->wr.wr.atomic.remote_addr = raw.other.addr;
		r->wr.wr.atomic.compare_add = 1;
		r->wr.wr.atomic.rkey = raw.other.rkey;
	} else if (opcode != IBV_WR_SEND) {
		r->wr.wr.rdma.remote_addr = raw.other.addr + at + (comes_in ? 0 : half);
		r->wr.wr.rdma.rkey = raw.other.rkey;
	}
}

static inline void post(struct request *request)
{
	struct ibv_send_wr *bad;

	if (unlikely(ibv_post_send(raw.qp, &request->wr, &bad) != 0))
		bench_die("a raw request cannot be posted");
}

/* Waits for one completion and returns its id. */
static inline uint64_t await(struct ibv_cq *cq)
{
	struct ibv_wc wc;
	int n;

	do
		n = ibv_poll_cq(cq, 1, &wc);
	while (n == 0);
	if (unlikely(n < 0 || wc.status != IBV_WC_SUCCESS))
		bench_die("a raw request failed with status %d", n < 0 ? n : (int)wc.status);
	return wc.wr_id;
}

static void run_one_by_one(enum ibv_wr_opcode opcode, uint64_t n, struct laps *laps)
{
	struct request request;

	request_make(opcode, 0, &request);
	for (; n > 0; n--) {
		laps_mark(laps);
		post(&request);
		await(raw.send_cq);
	}
}

static void run_depth(enum ibv_wr_opcode opcode, uint64_t n)
{
	struct request *requests = bench_alloc(raw.n_slots, sizeof(*requests));
	uint64_t n_done = 0, n_posted = 0;
	struct ibv_wc wcs[BATCH];

	for (uint32_t i = 0; i < raw.n_slots; i++)
		request_make(opcode, i, &requests[i]);
	while (n_done < n) {
		int got;

		while (n_posted < n && n_posted - n_done < raw.n_slots)
			post(&requests[n_posted++ % raw.n_slots]);
		got = ibv_poll_cq(raw.send_cq, BATCH, wcs);
		for (int i = 0; i < got; i++) {
			if (unlikely(wcs[i].status != IBV_WC_SUCCESS))
				bench_die("a raw request failed with status %d",
					  (int)wcs[i].status);
			n_done++;
		}
	}
	free(requests);
}

static void wait_for_byte(uint8_t mark)
{
	const volatile uint8_t *last = raw.in + raw.size - 1;

	while (*last != mark)
		;
}

static void write_ping(bool is_active, uint64_t n, struct laps *laps)
{
	struct request request;

	request_make(IBV_WR_RDMA_WRITE, 0, &request);
	for (; n > 0; n--) {
		uint8_t mark = (uint8_t)++raw.n_pings;

		laps_mark(laps);
		if (!is_active)
			wait_for_byte(mark);
		raw.memory[raw.size - 1] = mark;
		post(&request);
		await(raw.send_cq);
		if (is_active)
			wait_for_byte(mark);
	}
}

static void receive(void)
{
	recv_post(await(raw.recv_cq));
}

static void send_ping(bool is_active, uint64_t n, struct laps *laps)
{
	struct request request;

	request_make(IBV_WR_SEND, 0, &request);
	for (; n > 0; n--) {
		laps_mark(laps);
		if (!is_active)
			receive();
		post(&request);
		await(raw.send_cq);
		if (is_active)
			receive();
	}
}

void raw_verbs_run(struct bench *b, enum rdma_pattern pattern, uint64_t n)
{
	bool is_active = !b->is_peer;

	switch (pattern) {
	case RDMA_WRITE_PING:
		write_ping(is_active, n, b->laps);
		break;
	case RDMA_SEND_PING:
		send_ping(is_active, n, b->laps);
		break;
	case RDMA_WRITE_ONE:
		run_one_by_one(IBV_WR_RDMA_WRITE, n, b->laps);
		break;
	case RDMA_READ_ONE:
	case RDMA_COPY_ONE:
		run_one_by_one(IBV_WR_RDMA_READ, n, b->laps);
		break;
	case RDMA_ADD_ONE:
		run_one_by_one(IBV_WR_ATOMIC_FETCH_AND_ADD, n, b->laps);
		break;
	case RDMA_WRITE_DEPTH:
		run_depth(IBV_WR_RDMA_WRITE, n);
		break;
	case RDMA_READ_DEPTH:
		run_depth(IBV_WR_RDMA_READ, n);
		break;
	}
	laps_mark(b->laps);
}

#else

const char *raw_verbs_why_not(const char *ibdev)
{
	(void)ibdev;
	return "this doca-bench was built without rdma-core";
}

void raw_verbs_open(struct bench *b, const char *ibdev, uint32_t n_slots)
{
	(void)b, (void)n_slots;
	bench_die("this doca-bench was built without rdma-core, %s cannot be measured", ibdev);
}

void raw_verbs_run(struct bench *b, enum rdma_pattern pattern, uint64_t n)
{
	(void)b, (void)pattern, (void)n;
}
#endif
