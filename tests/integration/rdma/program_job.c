/* See tests/integration/rdma/program.h: programs of 2.0 and 2.2, whose operations are jobs. */
#include "tests/integration/rdma/program.h"

#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include <doca_buf.h>
#include <doca_buf_inventory.h>
#include <doca_ctx.h>
#include <doca_dev.h>
#include <doca_mmap.h>
#include <doca_rdma.h>

#include "tests/lib/expect.h"

#define RIGHTS                                                                           \
	(DOCA_ACCESS_LOCAL_READ_WRITE | DOCA_ACCESS_RDMA_READ | DOCA_ACCESS_RDMA_WRITE | \
	 DOCA_ACCESS_RDMA_ATOMIC)
#define DEPTH 16u

struct peer {
	struct doca_dev *dev;
	struct doca_rdma *rdma;
	struct doca_ctx *ctx;
	struct doca_workq *workq;
	struct doca_mmap *mmap, *import;
	struct doca_buf_inventory *inventory;
	uint8_t *memory, *there;
	bool sleeps;
	doca_event_handle_t handle;
};

/* A job with its data; the memory is reusable once its event has come. */
struct work {
	union {
		struct doca_rdma_job_recv recv;
		struct doca_rdma_job_send send;
		struct doca_rdma_job_read_write move;
		struct doca_rdma_job_atomic change;
	} job;
	struct doca_buf *bufs[2];
};

/* Preallocated jobs, so that nothing is allocated while they run. */
static struct work works[DEPTH];
static uint32_t n_works;

static struct work *work_new(struct peer *peer, int type)
{
	struct work *work = &works[n_works++ % DEPTH];

	/* Fields that programs need not set contain garbage. */
	memset(work, 0xa5, sizeof(*work));
	work->bufs[0] = work->bufs[1] = NULL;
	work->job.recv.base = (struct doca_job){
		.type = type, .flags = 0, .ctx = peer->ctx, .user_data = {.ptr = work}};
	return work;
}

static void work_submit(struct peer *peer, struct work *work)
{
	doca_error_t result = doca_workq_submit(peer->workq, &work->job.recv.base);

	/* A successful assertion would be a system call. */
	if (result != DOCA_SUCCESS)
		ck_abort_msg("job of type %d: %s", work->job.recv.base.type,
			     doca_get_error_name(result));
}

static struct doca_buf *buf_new(struct peer *peer, bool is_there, size_t at, size_t len,
				bool has_data)
{
	struct doca_mmap *mmap = is_there ? peer->import : peer->mmap;
	uint8_t *addr = (is_there ? peer->there : peer->memory) + at;
	struct doca_buf *buf;
	doca_error_t result =
		has_data ? doca_buf_inventory_buf_by_data(peer->inventory, mmap, addr, len, &buf)
			 : doca_buf_inventory_buf_by_addr(peer->inventory, mmap, addr, len, &buf);

	if (result != DOCA_SUCCESS)
		ck_abort_msg("buffer: %s", doca_get_error_name(result));
	return buf;
}

static void memory_open(struct peer *peer, struct peer_desc *desc)
{
	const void *desc_bytes;
	void *bytes;

	/* Additions without an RDMA device need memory that both processes can map. */
	OK(dococ_mem_alloc(PEER_LEN, &bytes, NULL));
	peer->memory = bytes;
	OK(doca_mmap_create(NULL, &peer->mmap));
	OK(doca_mmap_set_memrange(peer->mmap, peer->memory, PEER_LEN));
	OK(doca_mmap_set_permissions(peer->mmap, RIGHTS));
	OK(doca_mmap_dev_add(peer->mmap, peer->dev));
	OK(doca_mmap_start(peer->mmap));
	OK(doca_mmap_export_rdma(peer->mmap, peer->dev, &desc_bytes, &desc->mem_len));
	memcpy(desc->mem, desc_bytes, desc->mem_len);
	OK(doca_buf_inventory_create(NULL, 2 * DEPTH, DOCA_BUF_EXTENSION_NONE, &peer->inventory));
	OK(doca_buf_inventory_start(peer->inventory));
}

static void *open(const char *pci_addr, bool sleeps, struct peer_desc *desc)
{
	struct peer *peer = calloc(1, sizeof(*peer));
	const void *bytes;

	peer->dev = use_dev(pci_addr);
	peer->sleeps = sleeps;
	memory_open(peer, desc);
	OK(doca_rdma_create(&peer->rdma));
	peer->ctx = doca_rdma_as_ctx(peer->rdma);
	OK(doca_ctx_dev_add(peer->ctx, peer->dev));
	OK(doca_rdma_set_permissions(peer->rdma, RIGHTS));
	OK(doca_ctx_start(peer->ctx));
	/* Like programs do: before there is a queue. */
	OK(doca_rdma_export(peer->rdma, &bytes, &desc->conn_len));
	memcpy(desc->conn, bytes, desc->conn_len);
	OK(doca_workq_create(DEPTH, &peer->workq));
	if (sleeps) {
		OK(doca_workq_set_event_driven_enable(peer->workq, 1));
		OK(doca_workq_get_event_handle(peer->workq, &peer->handle));
	}
	OK(doca_ctx_workq_add(peer->ctx, peer->workq));
	return peer;
}

static void connect_peer(void *arg, const struct peer_desc *desc)
{
	enum doca_rdma_state state;
	struct peer *peer = arg;
	void *there;
	size_t len;

	OK(doca_rdma_get_state(peer->rdma, &state));
	ck_assert_int_eq(state, DOCA_RDMA_STATE_INIT);
	OK(doca_rdma_connect(peer->rdma, desc->conn, desc->conn_len));
	OK(doca_rdma_get_state(peer->rdma, &state));
	ck_assert_int_eq(state, DOCA_RDMA_STATE_CONNECTED);
	OK(doca_mmap_create_from_export(NULL, desc->mem, desc->mem_len, peer->dev, &peer->import));
	OK(doca_mmap_get_memrange(peer->import, &there, &len));
	ck_assert_uint_eq(len, PEER_LEN);
	peer->there = there;
}

static uint8_t *memory(void *arg)
{
	return ((struct peer *)arg)->memory;
}

static void receive(void *arg, size_t here, size_t len)
{
	struct peer *peer = arg;
	struct work *work = work_new(peer, DOCA_RDMA_JOB_RECV);

	/* With data in it, as programs of that version pass it: the received data replace it. */
	if (here != PEER_NOWHERE)
		work->bufs[0] = buf_new(peer, false, here, len, true);
	work->job.recv.dst_buff = work->bufs[0];
	work_submit(peer, work);
}

static void send_message(void *arg, size_t here, size_t len, const uint32_t *imm)
{
	struct peer *peer = arg;
	struct work *work = work_new(peer,
				     imm == NULL ? DOCA_RDMA_JOB_SEND : DOCA_RDMA_JOB_SEND_IMM);

	work->bufs[0] = buf_new(peer, false, here, len, true);
	work->job.send.src_buff = work->bufs[0];
	if (imm != NULL)
		work->job.send.immediate_data = *imm;
	work_submit(peer, work);
}

static void write(void *arg, size_t here, size_t there, size_t len, const uint32_t *imm)
{
	struct peer *peer = arg;
	struct work *work = work_new(peer,
				     imm == NULL ? DOCA_RDMA_JOB_WRITE : DOCA_RDMA_JOB_WRITE_IMM);

	work->bufs[0] = buf_new(peer, false, here, len, true);
	work->bufs[1] = buf_new(peer, true, there, len, false);
	work->job.move.src_buff = work->bufs[0];
	work->job.move.dst_buff = work->bufs[1];
	if (imm != NULL)
		work->job.move.immediate_data = *imm;
	work_submit(peer, work);
}

static void read(void *arg, size_t there, size_t here, size_t len)
{
	struct peer *peer = arg;
	struct work *work = work_new(peer, DOCA_RDMA_JOB_READ);

	work->bufs[0] = buf_new(peer, true, there, len, true);
	work->bufs[1] = buf_new(peer, false, here, len, false);
	work->job.move.src_buff = work->bufs[0];
	work->job.move.dst_buff = work->bufs[1];
	work_submit(peer, work);
}

static void change(void *arg, size_t there, size_t here, const uint64_t *compare, uint64_t value)
{
	struct peer *peer = arg;
	struct work *work = work_new(peer, compare == NULL ? DOCA_RDMA_JOB_ATOMIC_FETCH_ADD
							   : DOCA_RDMA_JOB_ATOMIC_CMP_SWP);

	work->bufs[0] = buf_new(peer, true, there, 8, true);
	work->bufs[1] = buf_new(peer, false, here, 8, false);
	work->job.change.cmp_or_add_dest_buff = work->bufs[0];
	work->job.change.result_buff = work->bufs[1];
	work->job.change.swap_or_add_data = value;
	if (compare != NULL)
		work->job.change.cmp_data = *compare;
	work_submit(peer, work);
}

static void sleep_if_asked(const struct peer *peer)
{
	struct pollfd pfd = {.fd = peer->handle, .events = POLLIN};

	if (!peer->sleeps)
		return;
	OK(doca_workq_event_handle_arm(peer->workq));
	ck_assert_int_eq(poll(&pfd, 1, -1), 1);
	OK(doca_workq_event_handle_clear(peer->workq, peer->handle));
}

static enum peer_op received_as(enum doca_rdma_opcode_t opcode)
{
	switch (opcode) {
	case DOCA_RDMA_OPCODE_RECV_SEND_WITH_IMM:
		return PEER_SEND_IMM;
	case DOCA_RDMA_OPCODE_RECV_WRITE_WITH_IMM:
		return PEER_WRITE_IMM;
	case DOCA_RDMA_OPCODE_RECV_SEND:
		break;
	}
	return PEER_SEND;
}

static struct peer_done await(void *arg)
{
	struct doca_rdma_result record = {.result = DOCA_ERROR_UNEXPECTED};
	struct doca_event event = {.result = {.ptr = &record}};
	struct peer *peer = arg;
	const struct work *work;
	doca_error_t result;

	while ((result = doca_workq_progress_retrieve(peer->workq, &event, 0)) ==
	       DOCA_ERROR_AGAIN) {
		if (event.result.ptr != &record)
			ck_abort_msg("an event that is not there was touched");
		sleep_if_asked(peer);
	}
	work = event.user_data.ptr;
	if (event.type != work->job.recv.base.type || event.result.ptr != &record ||
	    result != (record.result == DOCA_SUCCESS ? DOCA_SUCCESS : DOCA_ERROR_IO_FAILED))
		ck_abort_msg("the event of a job of type %d is wrong", event.type);
	for (size_t i = 0; i < 2; i++) {
		if (work->bufs[i] != NULL && doca_buf_refcount_rm(work->bufs[i], NULL) != 0)
			ck_abort_msg("a buffer was not given back");
	}
	return (struct peer_done){.op = (enum peer_op)(event.type - DOCA_RDMA_JOB_RECV),
				  .status = record.result,
				  .by = received_as(record.opcode),
				  .len = record.length,
				  .imm = record.immediate_data};
}

static void close(void *arg)
{
	struct peer *peer = arg;

	OK(doca_mmap_destroy(peer->import));
	OK(doca_ctx_workq_rm(peer->ctx, peer->workq));
	OK(doca_workq_destroy(peer->workq));
	OK(doca_ctx_stop(peer->ctx));
	OK(doca_ctx_dev_rm(peer->ctx, peer->dev));
	OK(doca_rdma_destroy(peer->rdma));
	OK(doca_buf_inventory_destroy(peer->inventory));
	OK(doca_mmap_destroy(peer->mmap));
	OK(dococ_mem_free(peer->memory));
	use_dev_end(peer->dev);
	free(peer);
}

const struct peer_role VERSIONED(peer_) = PEER_ROLE;
