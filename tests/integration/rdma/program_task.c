/*
 * See tests/integration/rdma/program.h. Programs of 2.5, 2.8 and 3.3, whose operations are tasks.
 */
#include "tests/integration/rdma/program.h"

#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include <doca_buf.h>
#include <doca_buf_inventory.h>
#include <doca_ctx.h>
#include <doca_dev.h>
#include <doca_mmap.h>
#include <doca_pe.h>
#include <doca_rdma.h>

#include "tests/lib/expect.h"

#define RIGHTS                                                            \
	(DOCA_ACCESS_FLAG_LOCAL_READ_WRITE | DOCA_ACCESS_FLAG_RDMA_READ | \
	 DOCA_ACCESS_FLAG_RDMA_WRITE | DOCA_ACCESS_FLAG_RDMA_ATOMIC)
#define DEPTH 16u

struct peer {
	struct doca_dev *dev;
	struct doca_pe *pe;
	struct doca_rdma *rdma;
	struct doca_ctx *ctx;
	struct doca_mmap *mmap, *import;
	struct doca_buf_inventory *inventory;
	uint8_t *memory, *there;
	bool sleeps;
	struct peer_done done[DEPTH];
	uint32_t n_done, n_taken;
#if DOCA_USE_VERSION >= 209
	struct doca_rdma_connection *conn;
#endif
};

/* In 2.5 and 2.6 an object has one connection. */
#if DOCA_USE_VERSION >= 209
#define ALLOCATE(kind, ...) \
	doca_rdma_task_##kind##_allocate_init(peer->rdma, peer->conn, __VA_ARGS__)
#else
#define ALLOCATE(kind, ...) doca_rdma_task_##kind##_allocate_init(peer->rdma, __VA_ARGS__)
#endif
#define NONE ((union doca_data){.u64 = 0})

static struct peer_done *done_new(struct peer *peer, enum peer_op op, struct doca_task *task)
{
	struct peer_done *done = &peer->done[peer->n_done++ % DEPTH];

	*done = (struct peer_done){.op = op, .status = doca_task_get_status(task)};
	return done;
}

static void put(const struct doca_buf *buf)
{
	if (buf != NULL)
		OK(doca_buf_dec_refcount((struct doca_buf *)(uintptr_t)buf, NULL));
}

/* Callback of a task type, with the buffers that its task borrowed. */
#define CALLBACK(kind, op, first, second)                                                 \
	static void kind##_done(struct doca_rdma_task_##kind *task, union doca_data data, \
				union doca_data ctx_data)                                 \
	{                                                                                 \
		struct doca_task *base = doca_rdma_task_##kind##_as_task(task);           \
                                                                                          \
		(void)data;                                                               \
		done_new(ctx_data.ptr, op, base);                                         \
		put(first);                                                               \
		put(second);                                                              \
		doca_task_free(base);                                                     \
	}
CALLBACK(send, PEER_SEND, doca_rdma_task_send_get_src_buf(task), NULL)
CALLBACK(send_imm, PEER_SEND_IMM, doca_rdma_task_send_imm_get_src_buf(task), NULL)

/* The source of a read, whose length is that of the data read. */
static const struct doca_buf *read_src(struct doca_rdma_task_read *task)
{
	size_t len;

	if (doca_task_get_status(doca_rdma_task_read_as_task(task)) == DOCA_SUCCESS) {
		OK(doca_buf_get_data_len(doca_rdma_task_read_get_dst_buf(task), &len));
#if DOCA_USE_VERSION == 205
		ck_assert_uint_eq(doca_rdma_task_read_get_result_length(task), len);
#else
		ck_assert_uint_eq(doca_rdma_task_read_get_result_len(task), len);
#endif
	}
	return doca_rdma_task_read_get_src_buf(task);
}
CALLBACK(read, PEER_READ, read_src(task), doca_rdma_task_read_get_dst_buf(task))
CALLBACK(write, PEER_WRITE, doca_rdma_task_write_get_src_buf(task),
	 doca_rdma_task_write_get_dst_buf(task))
CALLBACK(write_imm, PEER_WRITE_IMM, doca_rdma_task_write_imm_get_src_buf(task),
	 doca_rdma_task_write_imm_get_dst_buf(task))
CALLBACK(atomic_cmp_swp, PEER_SWAP, doca_rdma_task_atomic_cmp_swp_get_dst_buf(task),
	 doca_rdma_task_atomic_cmp_swp_get_result_buf(task))
CALLBACK(atomic_fetch_add, PEER_ADD, doca_rdma_task_atomic_fetch_add_get_dst_buf(task),
	 doca_rdma_task_atomic_fetch_add_get_result_buf(task))

static enum peer_op received_as(enum doca_rdma_opcode opcode)
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

static void received(struct doca_rdma_task_receive *task, union doca_data data,
		     union doca_data ctx_data)
{
	struct doca_task *base = doca_rdma_task_receive_as_task(task);
	struct peer_done *done = done_new(ctx_data.ptr, PEER_RECEIVE, base);

	(void)data;
	if (done->status == DOCA_SUCCESS) {
		done->by = received_as(doca_rdma_task_receive_get_result_opcode(task));
#if DOCA_USE_VERSION == 205
		done->len = doca_rdma_task_receive_get_result_length(task);
#else
		done->len = doca_rdma_task_receive_get_result_len(task);
#endif
		done->imm = doca_rdma_task_receive_get_result_immediate_data(task);
	}
	put(doca_rdma_task_receive_get_dst_buf(task));
	doca_task_free(base);
}

static struct doca_buf *buf_new(struct peer *peer, bool is_there, size_t at, size_t len,
				bool has_data)
{
	struct doca_mmap *mmap = is_there ? peer->import : peer->mmap;
	uint8_t *addr = (is_there ? peer->there : peer->memory) + at;
	struct doca_buf *buf;

	OK(has_data ? doca_buf_inventory_buf_get_by_data(peer->inventory, mmap, addr, len, &buf)
		    : doca_buf_inventory_buf_get_by_addr(peer->inventory, mmap, addr, len, &buf));
	return buf;
}

static void memory_open(struct peer *peer, struct peer_desc *desc)
{
	const void *desc_bytes;
	void *bytes;

	/* Additions without an RDMA device need memory that both processes can map. */
	OK(dococ_mem_alloc(PEER_LEN, &bytes, NULL));
	peer->memory = bytes;
	OK(doca_mmap_create(&peer->mmap));
	OK(doca_mmap_set_memrange(peer->mmap, peer->memory, PEER_LEN));
	OK(doca_mmap_set_permissions(peer->mmap, RIGHTS));
	OK(doca_mmap_add_dev(peer->mmap, peer->dev));
	OK(doca_mmap_start(peer->mmap));
	OK(doca_mmap_export_rdma(peer->mmap, peer->dev, &desc_bytes, &desc->mem_len));
	memcpy(desc->mem, desc_bytes, desc->mem_len);
	OK(doca_buf_inventory_create(2 * DEPTH, &peer->inventory));
	OK(doca_buf_inventory_start(peer->inventory));
}

#define CONF(kind, done) OK(doca_rdma_task_##kind##_set_conf(peer->rdma, done, done, DEPTH))

static void *open(const char *pci_addr, bool sleeps, struct peer_desc *desc)
{
	struct peer *peer = calloc(1, sizeof(*peer));
	const void *bytes;

	peer->dev = use_dev(pci_addr);
	peer->sleeps = sleeps;
	memory_open(peer, desc);
	OK(doca_pe_create(&peer->pe));
	OK(doca_rdma_create(peer->dev, &peer->rdma));
	peer->ctx = doca_rdma_as_ctx(peer->rdma);
	CONF(receive, received);
	CONF(send, send_done);
	CONF(send_imm, send_imm_done);
	CONF(read, read_done);
	CONF(write, write_done);
	CONF(write_imm, write_imm_done);
	CONF(atomic_cmp_swp, atomic_cmp_swp_done);
	CONF(atomic_fetch_add, atomic_fetch_add_done);
	OK(doca_rdma_set_permissions(peer->rdma, RIGHTS));
	OK(doca_ctx_set_user_data(peer->ctx, (union doca_data){.ptr = peer}));
	OK(doca_pe_connect_ctx(peer->pe, peer->ctx));
	/* From 2.7 on the context runs before the object is connected. */
	EXPECT(DOCA_USE_VERSION >= 207 ? DOCA_SUCCESS : DOCA_ERROR_IN_PROGRESS,
	       doca_ctx_start(peer->ctx));
#if DOCA_USE_VERSION >= 209
	OK(doca_rdma_export(peer->rdma, &bytes, &desc->conn_len, &peer->conn));
#else
	OK(doca_rdma_export(peer->rdma, &bytes, &desc->conn_len));
#endif
	memcpy(desc->conn, bytes, desc->conn_len);
	return peer;
}

static void progress_or_sleep(struct peer *peer)
{
	doca_notification_handle_t handle;
	struct pollfd pfd = {.events = POLLIN};

	if (doca_pe_progress(peer->pe) != 0 || !peer->sleeps)
		return;
	OK(doca_pe_get_notification_handle(peer->pe, &handle));
	pfd.fd = handle;
	OK(doca_pe_request_notification(peer->pe));
	ck_assert_int_eq(poll(&pfd, 1, -1), 1);
	OK(doca_pe_clear_notification(peer->pe, handle));
}

static void connect_peer(void *arg, const struct peer_desc *desc)
{
	struct peer *peer = arg;
	enum doca_ctx_states state;
	void *there;
	size_t len;

#if DOCA_USE_VERSION >= 209
	OK(doca_rdma_connect(peer->rdma, desc->conn, desc->conn_len, peer->conn));
#else
	OK(doca_rdma_connect(peer->rdma, desc->conn, desc->conn_len));
#endif
	for (OK(doca_ctx_get_state(peer->ctx, &state)); state != DOCA_CTX_STATE_RUNNING;
	     OK(doca_ctx_get_state(peer->ctx, &state)))
		progress_or_sleep(peer);
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
	struct doca_buf *buf = here == PEER_NOWHERE ? NULL : buf_new(peer, false, here, len, false);
	struct doca_rdma_task_receive *task;

	OK(doca_rdma_task_receive_allocate_init(peer->rdma, buf, NONE, &task));
	OK(doca_task_submit(doca_rdma_task_receive_as_task(task)));
}

static void send_message(void *arg, size_t here, size_t len, const uint32_t *imm)
{
	struct peer *peer = arg;
	struct doca_buf *buf = buf_new(peer, false, here, len, true);
	struct doca_rdma_task_send_imm *with;
	struct doca_rdma_task_send *task;

	if (imm == NULL) {
		OK(ALLOCATE(send, buf, NONE, &task));
		OK(doca_task_submit(doca_rdma_task_send_as_task(task)));
	} else {
		OK(ALLOCATE(send_imm, buf, *imm, NONE, &with));
		OK(doca_task_submit(doca_rdma_task_send_imm_as_task(with)));
	}
}

static void write(void *arg, size_t here, size_t there, size_t len, const uint32_t *imm)
{
	struct peer *peer = arg;
	struct doca_buf *src = buf_new(peer, false, here, len, true);
	struct doca_buf *dst = buf_new(peer, true, there, len, false);
	struct doca_rdma_task_write_imm *with;
	struct doca_rdma_task_write *task;

	if (imm == NULL) {
		OK(ALLOCATE(write, src, dst, NONE, &task));
		OK(doca_task_submit(doca_rdma_task_write_as_task(task)));
	} else {
		OK(ALLOCATE(write_imm, src, dst, *imm, NONE, &with));
		OK(doca_task_submit(doca_rdma_task_write_imm_as_task(with)));
	}
}

static void read(void *arg, size_t there, size_t here, size_t len)
{
	struct peer *peer = arg;
	struct doca_buf *src = buf_new(peer, true, there, len, true);
	struct doca_buf *dst = buf_new(peer, false, here, len, false);
	struct doca_rdma_task_read *task;

	OK(ALLOCATE(read, src, dst, NONE, &task));
	OK(doca_task_submit(doca_rdma_task_read_as_task(task)));
}

static void change(void *arg, size_t there, size_t here, const uint64_t *compare, uint64_t value)
{
	struct peer *peer = arg;
	struct doca_buf *dst = buf_new(peer, true, there, 8, true);
	struct doca_buf *result = buf_new(peer, false, here, 8, false);
	struct doca_rdma_task_atomic_cmp_swp *swap;
	struct doca_rdma_task_atomic_fetch_add *add;

	if (compare != NULL) {
		OK(ALLOCATE(atomic_cmp_swp, dst, result, *compare, value, NONE, &swap));
		OK(doca_task_submit(doca_rdma_task_atomic_cmp_swp_as_task(swap)));
	} else {
		OK(ALLOCATE(atomic_fetch_add, dst, result, value, NONE, &add));
		OK(doca_task_submit(doca_rdma_task_atomic_fetch_add_as_task(add)));
	}
}

static struct peer_done await(void *arg)
{
	struct peer *peer = arg;

	while (peer->n_taken == peer->n_done)
		progress_or_sleep(peer);
	return peer->done[peer->n_taken++ % DEPTH];
}

static void close(void *arg)
{
	struct peer *peer = arg;
	enum doca_ctx_states state;

	doca_ctx_stop(peer->ctx);
	do {
		use_progress(peer->pe);
		OK(doca_ctx_get_state(peer->ctx, &state));
	} while (state != DOCA_CTX_STATE_IDLE);
	OK(doca_rdma_destroy(peer->rdma));
	OK(doca_pe_destroy(peer->pe));
	OK(doca_mmap_destroy(peer->import));
	OK(doca_buf_inventory_destroy(peer->inventory));
	OK(doca_mmap_destroy(peer->mmap));
	OK(dococ_mem_free(peer->memory));
	use_dev_end(peer->dev);
	free(peer);
}

const struct peer_role VERSIONED(peer_) = PEER_ROLE;
