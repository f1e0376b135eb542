/*
 * Fixture of the RDMA engine's tests: ends, each an object with its own engine on the fake
 * provider, with memory, buffers, and callbacks that record their arguments.
 */
#ifndef TESTS_UNIT_CLIENT_RDMA_FIXTURE_H
#define TESTS_UNIT_CLIENT_RDMA_FIXTURE_H

#include <doca_rdma.h>

#include "client/rdma/rdma.h"
#include "client/sync_event/sync_event.h"
#include "tests/unit/client/dma/fixture.h"
#include "tests/unit/client/rdma/fake_provider.h"

#define END_LEN    4096u
#define END_N      16u /* tasks of each kind */
#define END_EVENTS 64

struct end {
	struct doca_pe *pe;
	struct doca_rdma *rdma;
	struct doca_ctx *ctx;
	struct doca_rdma_connection *conn;
	const void *details;
	size_t details_len;
	uint8_t *memory;
	struct doca_mmap *mmap;   /* of memory */
	struct doca_mmap *import; /* of the other end's memory */
	struct doca_buf_inventory *inventory;
	/* Completed tasks. */
	uint32_t n_ok, n_failed;
	struct doca_task *last;
	doca_error_t status;
	uint64_t order[END_EVENTS];
	uint32_t n_order;
	bool keeps; /* the test frees tasks itself */
	void (*on_task)(struct end *end, struct doca_task *task);
	/* Events of connections. */
	uint32_t n_requests, n_established, n_failures, n_disconnections;
	struct doca_rdma_connection *announced;
	union doca_data notified_data;
	void (*on_request)(struct end *end, struct doca_rdma_connection *conn);
	void (*on_established)(struct end *end, struct doca_rdma_connection *conn);
	void (*on_failure)(struct end *end, struct doca_rdma_connection *conn);
	void (*on_disconnection)(struct end *end, struct doca_rdma_connection *conn);
	enum doca_ctx_states states[END_EVENTS];
	uint32_t n_states;
};

/*
 * Callbacks that end_make() registers. Every kind of task starts with its common part, on which the
 * engine's own callbacks rely, too.
 */
void end_ok(struct doca_task *task, union doca_data user_data, union doca_data ctx_data);
void end_failed(struct doca_task *task, union doca_data user_data, union doca_data ctx_data);
void end_requested(struct doca_rdma_connection *conn, union doca_data ctx_data);
void end_established(struct doca_rdma_connection *conn, union doca_data data,
		     union doca_data ctx_data);
void end_failure(struct doca_rdma_connection *conn, union doca_data data, union doca_data ctx_data);
void end_disconnected(struct doca_rdma_connection *conn, union doca_data data,
		      union doca_data ctx_data);
void end_state(const union doca_data user_data, struct doca_ctx *ctx, enum doca_ctx_states prev,
	       enum doca_ctx_states next);

/* Configures the end and connects it to an engine without starting it. */
void end_make(struct end *end);
void end_export(struct end *end);
void end_connect(struct end *end, const struct end *other);
uint32_t ends_progress(struct end *a, struct end *b);
void ends_connect(struct end *a, struct end *b);

/* Connects by address: b listens, and callbacks run. */
void ends_connect_by_address(struct end *a, struct end *b);
void ends_open(struct end *a, struct end *b);
void end_stop(struct end *end);
void ends_close(struct end *a, struct end *b);

/* Create buffers of len bytes at an offset, with data or with room. */
struct doca_buf *end_data(struct end *end, size_t at, size_t len);
struct doca_buf *end_recv_buf(struct end *end, size_t at, size_t len);
struct doca_buf *end_remote(struct end *end, const struct end *other, size_t at, size_t len,
			    size_t data_len);

#define DATA(n) ((union doca_data){.u64 = (n)})

/* Allocates a task of a kind; the remaining arguments are those of its allocation function. */
#define END_TASK(end, kind, ...)                                                                \
	__extension__({                                                                         \
		struct doca_rdma_task_##kind *made_;                                            \
		ck_ok(doca_rdma_task_##kind##_allocate_init((end)->rdma, __VA_ARGS__, &made_)); \
		doca_rdma_task_##kind##_as_task(made_);                                         \
	})

#endif
