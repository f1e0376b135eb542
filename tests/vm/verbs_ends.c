/* Ends of a provider test; see tests/vm/verbs_ends.h. */
#include "tests/vm/verbs_ends.h"

#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define RIGHTS_ALL                                                        \
	(DOCA_ACCESS_FLAG_LOCAL_READ_WRITE | DOCA_ACCESS_FLAG_RDMA_READ | \
	 DOCA_ACCESS_FLAG_RDMA_WRITE | DOCA_ACCESS_FLAG_RDMA_ATOMIC)

static time_t deadline(void)
{
	return time(NULL) + TIMEOUT_S;
}

void ends_put(struct ends *ends, const void *data, size_t len)
{
	meet_put(ends->sock, data, len);
}

void ends_get(struct ends *ends, void *data, size_t len)
{
	meet_get(ends->sock, data, len);
}

void ends_step(struct ends *ends)
{
	meet_step(ends->sock);
}

void ends_meet(struct ends *ends, const char *role, const char *name, const char *addr)
{
	const char *ibdev = getenv("VERBS_TEST_DEVICE");

	memset(ends, 0, sizeof(*ends));
	ends->is_server = strcmp(role, "server") == 0;
	ends->sock = meet_open(name, ends->is_server, addr);
	snprintf(ends->info.name, sizeof(ends->info.name), "dev0");
	snprintf(ends->info.ibdev, sizeof(ends->info.ibdev), "%s", ibdev != NULL ? ibdev : "rxe0");
	ends->info.caps.rdma = true;
	ends->dev.info = &ends->info;
}

/* --- port and memory --- */

struct told {
	uint64_t addr, len;
	uint32_t key;
};

void ends_open(struct ends *ends)
{
	struct rdma_limits limits;
	char reason[RDMA_REASON_MAX] = "";
	struct told own, other;
	static const _Atomic uint32_t alive = 1;

	check(rdma_verbs.query(&ends->info, &limits, reason), "%s", reason);
	if (ends->conf.send_queue == 0) {
		ends->conf.send_queue = 128;
		ends->conf.recv_queue = 128;
		ends->conf.max_send_sges = ends->conf.max_recv_sges = 4;
		ends->conf.max_qps = 4;
		ends->conf.permissions = RIGHTS_ALL;
		ends->conf.mtu = 4096;
		ends->conf.gid_index = 1;
		ends->conf.rnr_retry = 7;
		ends->conf.connect_timeout_ms = 20000;
	}
	check(rdma_verbs.open(&ends->dev, &ends->conf, &ends->domain) == DOCA_SUCCESS, "open");
	ends->memory = mmap(NULL, MEMORY_LEN, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			    -1, 0);
	check(ends->memory != MAP_FAILED, "%m");
	check(doca_mmap_create(&ends->mmap) == DOCA_SUCCESS, "mmap");
	check(mmap_dev_add(ends->mmap, &ends->dev) == DOCA_SUCCESS, "device");
	check(doca_mmap_set_memrange(ends->mmap, ends->memory, MEMORY_LEN) == DOCA_SUCCESS,
	      "range");
	check(doca_mmap_set_permissions(ends->mmap, ends->rights != 0 ? ends->rights
								      : RIGHTS_ALL) == DOCA_SUCCESS,
	      "rights");
	check(doca_mmap_start(ends->mmap) == DOCA_SUCCESS, "start");
	own.addr = (uintptr_t)ends->memory;
	own.len = MEMORY_LEN;
	check(mem_key_verbs.make(&ends->dev, ends->memory, (uintptr_t)ends->memory, MEMORY_LEN,
				 ends->rights != 0 ? ends->rights : RIGHTS_ALL,
				 &ends->key) == DOCA_SUCCESS,
	      "key");
	own.key = ends->key->remote;
	ends_put(ends, &own, sizeof(own));
	ends_get(ends, &other, sizeof(other));
	ends->remote = (struct doca_mmap){.alive = &alive,
					  .generation = 1,
					  .from_export = true,
					  .addr = (void *)(uintptr_t)other.addr,
					  .len = other.len,
					  .remote_key = other.key,
					  .has_remote_key = true,
					  .permissions = RIGHTS_ALL};
}

void ends_connect(struct ends *ends)
{
	uint8_t own[RDMA_PARAMS_MAX] = {0}, other[RDMA_PARAMS_MAX];
	size_t own_len = 0, other_len = 0;
	unsigned before = ends->n_events[RDMA_QP_ESTABLISHED];

	check(rdma_verbs.qp_new(ends->domain, ends, &ends->qp) == DOCA_SUCCESS, "queue pair");
	check(rdma_verbs.qp_params(ends->qp, own, &own_len) == DOCA_SUCCESS, "details");
	ends_put(ends, &own_len, sizeof(own_len));
	ends_put(ends, own, sizeof(own));
	ends_get(ends, &other_len, sizeof(other_len));
	ends_get(ends, other, sizeof(other));
	check(rdma_verbs.qp_connect(ends->qp, other, other_len) == DOCA_SUCCESS, "connect");
	ends_await(ends, RDMA_QP_ESTABLISHED, before + 1);
	ends_step(ends);
}

void ends_close(struct ends *ends)
{
	if (ends->qp != NULL) {
		check(rdma_verbs.qp_disconnect(ends->qp) == DOCA_SUCCESS, "disconnect");
		rdma_verbs.qp_free(ends->qp);
	}
	rdma_verbs.close(ends->domain);
	if (ends->key != NULL)
		ends->key->free(ends->key);
	ends->key = NULL;
	check(doca_mmap_stop(ends->mmap) == DOCA_SUCCESS, "stop");
	check(doca_mmap_destroy(ends->mmap) == DOCA_SUCCESS, "destroy");
	munmap(ends->memory, MEMORY_LEN);
	ends->domain = NULL;
	ends->qp = NULL;
}

/* --- requests and events --- */

void request_init(struct ends *ends, struct request *request, enum rdma_op op, size_t at,
		  size_t len, size_t remote_at)
{
	memset(request, 0, sizeof(*request));
	request->sge = (struct rdma_sge){.addr = ends->memory + at, .len = len, .mmap = ends->mmap};
	request->wr.op = op;
	request->wr.n_sges = 1;
	request->wr.sges = &request->sge;
	request->wr.remote_addr = (uintptr_t)ends->remote.addr + remote_at;
	request->wr.remote_mmap = &ends->remote;
	request->wr.status = DOCA_ERROR_UNKNOWN;
}

void request_post(struct ends *ends, struct request *request)
{
	doca_error_t result = request->wr.op == RDMA_RECV
				      ? rdma_verbs.post_recv(ends->domain, &request->wr)
				      : rdma_verbs.post(ends->qp, &request->wr);

	check(result == DOCA_SUCCESS, "post: %d", (int)result);
}

void ends_receive(struct ends *ends)
{
	struct rdma_event event;

	while (rdma_verbs.next_event(ends->domain, &event)) {
		ends->n_events[event.type]++;
		ends->reason = event.reason;
		if (event.type == RDMA_QP_REQUESTED)
			ends->requested = event.qp;
	}
}

/* Shows the kernel's view of the queue pairs, to help find the cause of a failure. */
static void device_show(void)
{
	(void)!system(
		"rdma resource show qp; grep . /sys/class/infiniband/*/ports/1/hw_counters/*");
}

struct rdma_wr *ends_poll(struct ends *ends)
{
	time_t end = deadline();
	struct rdma_wr *wr;

	while ((wr = rdma_verbs.poll(ends->domain)) == NULL) {
		ends_receive(ends);
		if (time(NULL) >= end)
			device_show();
		check(time(NULL) < end, "nothing is done in %d s", TIMEOUT_S);
	}
	return wr;
}

doca_error_t request_run(struct ends *ends, struct request *request)
{
	struct rdma_wr *wr;

	request_post(ends, request);
	wr = ends_poll(ends);
	check(wr == &request->wr, "another request is done");
	return wr->status;
}

void ends_await(struct ends *ends, enum rdma_event_type type, unsigned n)
{
	time_t end = deadline();

	while (ends->n_events[type] < n) {
		ends_receive(ends);
		check(time(NULL) < end, "event %d has come %u times, not %u", (int)type,
		      ends->n_events[type], n);
	}
	check(ends->n_events[type] == n, "event %d has come %u times, not %u", (int)type,
	      ends->n_events[type], n);
}

/* --- data --- */

static inline uint64_t mix(uint64_t x)
{
	x += 0x9e3779b97f4a7c15u;
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
	return x ^ x >> 27;
}

/* Each word contains its position and the seed. */
void pattern_fill(uint8_t *memory, size_t len, uint64_t seed)
{
	for (size_t i = 0; i < len; i += 8) {
		uint64_t word = mix(seed * 0x100000001b3u + i);

		memcpy(memory + i, &word, MIN(len - i, 8u));
	}
}

bool pattern_is(const uint8_t *memory, size_t len, uint64_t seed)
{
	for (size_t i = 0; i < len; i += 8) {
		uint64_t word = mix(seed * 0x100000001b3u + i);

		if (memcmp(memory + i, &word, MIN(len - i, 8u)) != 0)
			return false;
	}
	return true;
}
