/* See bench/base/raw_verbs.h. */
#include "bench/base/raw_verbs.h"

#ifdef HAVE_VERBS
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <infiniband/verbs.h>

#include "bench/base/measure.h"

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

struct raw_verbs {
	struct ibv_context *context;
	struct ibv_pd *pd;
	struct ibv_cq *send_cq, *recv_cq;
	struct ibv_qp *qp;
	struct ibv_mr *mr;
	struct ibv_port_attr port;
	union ibv_gid gid;
	uint8_t *memory, *in;
	size_t stride, len;
	uint32_t size, depth, max_inline;
	struct raw_hello other;
	uint64_t n_pings;
};

/* --- rdma-core, loaded if it is installed --- */

static struct {
	__typeof__(ibv_get_device_list) *get_device_list;
	__typeof__(ibv_free_device_list) *free_device_list;
	__typeof__(ibv_get_device_name) *get_device_name;
	__typeof__(ibv_open_device) *open_device;
	__typeof__(ibv_close_device) *close_device;
	__typeof__(ibv_query_port) *query_port;
	__typeof__(ibv_query_gid) *query_gid;
	__typeof__(ibv_alloc_pd) *alloc_pd;
	__typeof__(ibv_dealloc_pd) *dealloc_pd;
	__typeof__(ibv_reg_mr) *reg_mr;
	__typeof__(ibv_dereg_mr) *dereg_mr;
	__typeof__(ibv_create_cq) *create_cq;
	__typeof__(ibv_destroy_cq) *destroy_cq;
	__typeof__(ibv_create_qp) *create_qp;
	__typeof__(ibv_modify_qp) *modify_qp;
	__typeof__(ibv_destroy_qp) *destroy_qp;
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
	load(&verbs.get_device_list, library, "ibv_get_device_list");
	load(&verbs.free_device_list, library, "ibv_free_device_list");
	load(&verbs.get_device_name, library, "ibv_get_device_name");
	load(&verbs.open_device, library, "ibv_open_device");
	load(&verbs.close_device, library, "ibv_close_device");
	load(&verbs.query_port, library, "ibv_query_port");
	load(&verbs.query_gid, library, "ibv_query_gid");
	load(&verbs.alloc_pd, library, "ibv_alloc_pd");
	load(&verbs.dealloc_pd, library, "ibv_dealloc_pd");
	load(&verbs.reg_mr, library, "ibv_reg_mr");
	load(&verbs.dereg_mr, library, "ibv_dereg_mr");
	load(&verbs.create_cq, library, "ibv_create_cq");
	load(&verbs.destroy_cq, library, "ibv_destroy_cq");
	load(&verbs.create_qp, library, "ibv_create_qp");
	load(&verbs.modify_qp, library, "ibv_modify_qp");
	load(&verbs.destroy_qp, library, "ibv_destroy_qp");
	return true;
}

/* --- opening --- */

/* Returns NULL, or a clause that says why the device cannot be used. */
static const char *device_try(struct raw_verbs *raw, const char *ibdev)
{
	static const union ibv_gid unused;
	struct ibv_device **list;
	int n = 0, i;

	if (!verbs_load())
		return "libibverbs.so.1 cannot be loaded: install rdma-core's libraries";
	list = verbs.get_device_list(&n);
	for (i = 0; i < n && strcmp(verbs.get_device_name(list[i]), ibdev) != 0; i++)
		;
	raw->context = i < n ? verbs.open_device(list[i]) : NULL;
	if (list != NULL)
		verbs.free_device_list(list);
	if (raw->context == NULL)
		return "it cannot be opened: its node under /dev/infiniband must be readable and "
		       "writable";
	if (verbs.query_port(raw->context, PORT, (struct _compat_ibv_port_attr *)&raw->port) != 0 ||
	    verbs.query_gid(raw->context, PORT, GID_INDEX, &raw->gid) != 0)
		return "it does not answer";
	if (memcmp(&raw->gid, &unused, sizeof(unused)) == 0)
		return "it has no GID 1: give its interface an IPv4 address";
	return NULL;
}

const char *raw_verbs_why_not(const char *ibdev)
{
	struct raw_verbs raw = {.context = NULL};
	const char *why = device_try(&raw, ibdev);

	if (raw.context != NULL)
		verbs.close_device(raw.context);
	return why;
}

static void device_open(struct raw_verbs *raw, const char *ibdev)
{
	const char *why = device_try(raw, ibdev);

	if (why != NULL)
		bench_die("the RDMA device %s: %s", ibdev, why);
	raw->pd = verbs.alloc_pd(raw->context);
}

static void queues_open(struct raw_verbs *raw)
{
	struct ibv_qp_init_attr attr = {
		.cap = {.max_send_wr = MAX(raw->depth, 16u),
			.max_recv_wr = MAX(raw->depth, 16u),
			.max_send_sge = 1,
			.max_recv_sge = 1,
			.max_inline_data = INLINE_MAX},
		.qp_type = IBV_QPT_RC,
		.sq_sig_all = 1,
	};

	raw->send_cq = verbs.create_cq(raw->context, (int)attr.cap.max_send_wr, NULL, NULL, 0);
	raw->recv_cq = verbs.create_cq(raw->context, (int)attr.cap.max_recv_wr, NULL, NULL, 0);
	if (raw->send_cq == NULL || raw->recv_cq == NULL)
		bench_die("no completion queue of the RDMA device: %s", strerror(errno));
	attr.send_cq = raw->send_cq;
	attr.recv_cq = raw->recv_cq;
	raw->qp = verbs.create_qp(raw->pd, &attr);
	if (raw->qp == NULL) {
		attr.cap.max_inline_data = 0;
		raw->qp = verbs.create_qp(raw->pd, &attr);
	}
	if (raw->qp == NULL)
		bench_die("no queue pair of the RDMA device: %s", strerror(errno));
	raw->max_inline = attr.cap.max_inline_data;
}

struct raw_verbs *raw_verbs_new(const char *ibdev, uint32_t size, uint32_t depth)
{
	struct raw_verbs *raw = bench_alloc(1, sizeof(*raw));

	raw->size = size;
	raw->depth = depth;
	device_open(raw, ibdev);
	queues_open(raw);
	raw->stride = ALIGN_UP((size_t)size, 64);
	raw->len = 2 * raw->stride * depth;
	raw->memory = mmap(NULL, raw->len, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
			   0);
	if (raw->memory == MAP_FAILED)
		bench_die("no memory for %zu bytes", raw->len);
	memset(raw->memory, 0, raw->len);
	raw->in = raw->memory + raw->len / 2;
	/* In parentheses, because verbs.h defines a macro of that name. */
	raw->mr = (verbs.reg_mr)(raw->pd, raw->memory, raw->len, ACCESS);
	if (raw->mr == NULL)
		bench_die("%zu bytes cannot be registered: %s (see ulimit -l)", raw->len,
			  strerror(errno));
	return raw;
}

uint32_t raw_verbs_export(const struct raw_verbs *raw, uint8_t payload[RDMA_PAYLOAD_MAX])
{
	struct raw_hello hello = {.qpn = raw->qp->qp_num,
				  .psn = raw->qp->qp_num & 0xffffff,
				  .rkey = raw->mr->rkey,
				  .mtu = raw->port.active_mtu,
				  .addr = (uintptr_t)raw->memory,
				  .gid = raw->gid};

	memcpy(payload, &hello, sizeof(hello));
	return sizeof(hello);
}

static void state_set(struct raw_verbs *raw, struct ibv_qp_attr attr, int mask)
{
	int r = verbs.modify_qp(raw->qp, &attr, IBV_QP_STATE | mask);

	if (r != 0)
		bench_die("a queue pair does not take state %d: %s", (int)attr.qp_state,
			  strerror(r));
}

static void recv_post(struct raw_verbs *raw, uint64_t slot)
{
	struct ibv_sge sge = {.addr = (uintptr_t)raw->in + slot * raw->stride,
			      .length = raw->size,
			      .lkey = raw->mr->lkey};
	struct ibv_recv_wr wr = {.wr_id = slot, .sg_list = &sge, .num_sge = 1}, *bad;

	if (ibv_post_recv(raw->qp, &wr, &bad) != 0)
		bench_die("a receive cannot be posted");
}

void raw_verbs_connect(struct raw_verbs *raw, const uint8_t *payload, uint32_t len)
{
	struct raw_hello *other = &raw->other;

	if (len != sizeof(*other))
		bench_die("the other process sent other parameters");
	memcpy(other, payload, len);
	state_set(raw,
		  (struct ibv_qp_attr){
			  .qp_state = IBV_QPS_INIT, .port_num = PORT, .qp_access_flags = ACCESS},
		  IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS);
	for (uint32_t i = 0; i < raw->depth; i++)
		recv_post(raw, i);
	state_set(raw,
		  (struct ibv_qp_attr){
			  .qp_state = IBV_QPS_RTR,
			  .path_mtu = MIN(raw->port.active_mtu, (enum ibv_mtu)other->mtu),
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
	state_set(raw,
		  (struct ibv_qp_attr){.qp_state = IBV_QPS_RTS,
				       .timeout = 17,
				       .retry_cnt = 6,
				       .rnr_retry = 7,
				       .sq_psn = raw->qp->qp_num & 0xffffff,
				       .max_rd_atomic = 16},
		  IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_SQ_PSN |
			  IBV_QP_MAX_QP_RD_ATOMIC);
}

/* --- measured loops --- */

/* A request that is posted repeatedly. */
struct request {
	struct ibv_sge sge;
	struct ibv_send_wr wr;
};

/* Creates a request that always uses the same place of the other end's memory. */
static void request_make(const struct raw_verbs *raw, enum ibv_wr_opcode opcode, uint64_t slot,
			 struct request *request_out)
{
	size_t at = slot * raw->stride, half = raw->len / 2;
	bool comes_in = opcode == IBV_WR_RDMA_READ || opcode == IBV_WR_ATOMIC_FETCH_AND_ADD;
	struct request *r = request_out;

	*r = (struct request){
		.sge = {.addr = (uintptr_t)(comes_in ? raw->in : raw->memory) + at,
			.length = opcode == IBV_WR_ATOMIC_FETCH_AND_ADD ? 8 : raw->size,
			.lkey = raw->mr->lkey},
		.wr = {.num_sge = 1, .opcode = opcode},
	};
	r->wr.sg_list = &r->sge;
	if (!comes_in && raw->size <= raw->max_inline)
		r->wr.send_flags = IBV_SEND_INLINE;
	if (opcode == IBV_WR_ATOMIC_FETCH_AND_ADD) {
		r->wr.wr.atomic.remote_addr = raw->other.addr;
		r->wr.wr.atomic.compare_add = 1;
		r->wr.wr.atomic.rkey = raw->other.rkey;
	} else if (opcode != IBV_WR_SEND) {
		r->wr.wr.rdma.remote_addr = raw->other.addr + at + (comes_in ? 0 : half);
		r->wr.wr.rdma.rkey = raw->other.rkey;
	}
}

static inline void post(const struct raw_verbs *raw, struct request *request)
{
	struct ibv_send_wr *bad;

	if (unlikely(ibv_post_send(raw->qp, &request->wr, &bad) != 0))
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

static void run_one_by_one(struct raw_verbs *raw, enum ibv_wr_opcode opcode, uint64_t n,
			   struct laps *laps)
{
	struct request request;

	request_make(raw, opcode, 0, &request);
	for (; n > 0; n--) {
		laps_mark(laps);
		post(raw, &request);
		await(raw->send_cq);
	}
}

static void run_depth(struct raw_verbs *raw, enum ibv_wr_opcode opcode, uint64_t n)
{
	struct request *requests = bench_alloc(raw->depth, sizeof(*requests));
	uint64_t n_done = 0, n_posted = 0;
	struct ibv_wc wcs[BATCH];

	for (uint32_t i = 0; i < raw->depth; i++)
		request_make(raw, opcode, i, &requests[i]);
	while (n_done < n) {
		int got;

		while (n_posted < n && n_posted - n_done < raw->depth)
			post(raw, &requests[n_posted++ % raw->depth]);
		got = ibv_poll_cq(raw->send_cq, BATCH, wcs);
		for (int i = 0; i < got; i++) {
			if (unlikely(wcs[i].status != IBV_WC_SUCCESS))
				bench_die("a raw request failed with status %d",
					  (int)wcs[i].status);
			n_done++;
		}
	}
	free(requests);
}

static void wait_for_byte(const struct raw_verbs *raw, uint8_t mark)
{
	const volatile uint8_t *last = raw->in + raw->size - 1;

	while (*last != mark)
		;
}

static void write_ping(struct raw_verbs *raw, bool is_active, uint64_t n, struct laps *laps)
{
	struct request request;

	request_make(raw, IBV_WR_RDMA_WRITE, 0, &request);
	for (; n > 0; n--) {
		uint8_t mark = (uint8_t)++raw->n_pings;

		laps_mark(laps);
		if (!is_active)
			wait_for_byte(raw, mark);
		raw->memory[raw->size - 1] = mark;
		post(raw, &request);
		await(raw->send_cq);
		if (is_active)
			wait_for_byte(raw, mark);
	}
}

static void take(struct raw_verbs *raw)
{
	recv_post(raw, await(raw->recv_cq));
}

static void send_ping(struct raw_verbs *raw, bool is_active, uint64_t n, struct laps *laps)
{
	struct request request;

	request_make(raw, IBV_WR_SEND, 0, &request);
	for (; n > 0; n--) {
		laps_mark(laps);
		if (!is_active)
			take(raw);
		post(raw, &request);
		await(raw->send_cq);
		if (is_active)
			take(raw);
	}
}

void raw_verbs_run(struct raw_verbs *raw, enum rdma_pattern pattern, bool is_active, uint64_t n,
		   struct laps *laps)
{
	switch (pattern) {
	case RDMA_WRITE_PING:
		write_ping(raw, is_active, n, laps);
		break;
	case RDMA_SEND_PING:
		send_ping(raw, is_active, n, laps);
		break;
	case RDMA_WRITE_ONE:
		run_one_by_one(raw, IBV_WR_RDMA_WRITE, n, laps);
		break;
	case RDMA_READ_ONE:
	case RDMA_COPY_ONE:
		run_one_by_one(raw, IBV_WR_RDMA_READ, n, laps);
		break;
	case RDMA_ADD_ONE:
		run_one_by_one(raw, IBV_WR_ATOMIC_FETCH_AND_ADD, n, laps);
		break;
	case RDMA_WRITE_DEPTH:
		run_depth(raw, IBV_WR_RDMA_WRITE, n);
		break;
	case RDMA_READ_DEPTH:
		run_depth(raw, IBV_WR_RDMA_READ, n);
		break;
	case N_RDMA_PATTERNS:
		break;
	}
	laps_mark(laps);
}

void raw_verbs_delete(struct raw_verbs *raw)
{
	verbs.destroy_qp(raw->qp);
	verbs.destroy_cq(raw->send_cq);
	verbs.destroy_cq(raw->recv_cq);
	verbs.dereg_mr(raw->mr);
	verbs.dealloc_pd(raw->pd);
	verbs.close_device(raw->context);
	munmap(raw->memory, raw->len);
	free(raw);
}

#else

const char *raw_verbs_why_not(const char *ibdev)
{
	(void)ibdev;
	return "this doca-bench was built without rdma-core";
}

struct raw_verbs *raw_verbs_new(const char *ibdev, uint32_t size, uint32_t depth)
{
	(void)size;
	(void)depth;
	bench_die("this doca-bench was built without rdma-core, %s cannot be measured", ibdev);
}

uint32_t raw_verbs_export(const struct raw_verbs *raw, uint8_t payload[RDMA_PAYLOAD_MAX])
{
	(void)raw;
	(void)payload;
	return 0;
}

void raw_verbs_connect(struct raw_verbs *raw, const uint8_t *payload, uint32_t len)
{
	(void)raw;
	(void)payload;
	(void)len;
}

void raw_verbs_run(struct raw_verbs *raw, enum rdma_pattern pattern, bool is_active, uint64_t n,
		   struct laps *laps)
{
	(void)laps;
	(void)raw;
	(void)pattern;
	(void)is_active;
	(void)n;
}

void raw_verbs_delete(struct raw_verbs *raw)
{
	(void)raw;
}
#endif
