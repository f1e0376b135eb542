/*
 * RDMA engine: declarations that its files share. rdma.c has the object: creation, start and stop,
 * polling. client/rdma/conf.c has configuration; client/rdma/caps.c capabilities and the choice of
 * a provider; client/rdma/connection.c connections; client/rdma/connect.c the calls that make and
 * end them; client/rdma/addr.c addresses; client/rdma/run.c the implementation of tasks;
 * client/rdma/message.c, client/rdma/memory.c and client/rdma/event.c their public functions.
 *
 * A context opens a domain of a provider (client/rma/provider.h) when it starts. A task contains
 * the work request that it posts and its list of memory pieces, so nothing is allocated per
 * operation.
 *
 * A connection is a slot of its object. Tasks that are submitted to a connection in progress wait
 * in it (`waiting`). Tasks for one that has ended fail without being posted. Slots are reused in
 * rotation, so that an outdated handle refers to a dead connection for as long as possible.
 *
 * The connection callbacks are called for connections by address and by a librdmacm identifier. A
 * connection by exchanged parameters has none: programs continue when doca_rdma_connect() has
 * returned, and would continue a second time. No connection callback is called while the context
 * stops. Threads: those of the progress engine.
 */
#ifndef CLIENT_RDMA_RDMA_H
#define CLIENT_RDMA_RDMA_H

#include <doca_rdma.h>

#include "client/base/error.h"
#include "client/memory/buf.h"
#include "client/progress/task.h"
#include "client/rdma/kind.h"
#include "client/rma/provider.h"
#include "util/conn_params.h"
#include "util/list.h"

_Static_assert(RDMA_PARAMS_MAX == CONN_PARAMS_BODY_MAX,
	       "details of a provider fit into a descriptor");
_Static_assert(CONN_PARAMS_MAX <= 256, "programs have room for that many bytes");

struct rdma_task {
	struct doca_task task;
	/* The application set these members. Engines of other tasks prefetch the first two. */
	const struct doca_buf *src;
	struct doca_buf *dst; /* for atomics: the target */
	struct doca_buf *result;
	struct doca_rdma_connection *connection;
	struct doca_sync_event_remote_net *event;
	uint32_t imm; /* network byte order */
	enum rdma_kind kind;
	/* Set by the submission. */
	struct doca_buf *written; /* the list whose data length grows by what was moved, or NULL */
	uint32_t len; /* before: bytes to move, except for receives; after: bytes moved */
	const struct doca_rdma_connection *from;
	struct rdma_wr wr;
	struct rdma_sge sges[];
};

enum rdma_conn_state {
	CONN_FREE,
	CONN_EXPORTED,   /* doca_rdma_export() was called; not connected */
	CONN_PREPARED,   /* prepared with a librdmacm identifier; not connected */
	CONN_CONNECTING, /* doca_rdma_connect() was called */
	/* Connecting by address; the application does not know the connection yet. */
	CONN_ASKING,
	CONN_REQUESTED,   /* requested by a peer; waits for the application's answer */
	CONN_ACCEPTED,    /* the application has accepted it */
	CONN_ESTABLISHED, /* requests may be posted */
	CONN_OVER,        /* failed, broken or left by the peer; the application has to end it */
	CONN_ENDING,      /* ended by the application; waits for its requests */
};

struct doca_rdma_addr {
	enum doca_rdma_addr_type type;
	bool is_of_connection;
	struct rdma_endpoint end;
	char text[64];
};

struct doca_rdma_connection {
	struct doca_rdma *rdma;
	struct rdma_qp *qp;
	enum rdma_conn_state state;
	uint32_t n_posted;
	/* Tasks that are held until the connection is established. */
	struct doca_task *waiting, **waiting_tail;
	uint32_t n_waiting;
	bool is_disconnected; /* the provider was told to disconnect */
	bool by_addr;
	bool by_params; /* made by exchanged parameters: it has no callbacks */
	bool was_established;
	uint32_t id;
	union doca_data user_data;
	struct list node; /* in rdma->free_conns */
	struct doca_rdma_addr addr;
	size_t details_len;
	uint8_t details[CONN_PARAMS_MAX];
};

/* The interface that programs see; the engine is the same. */
enum rdma_form {
	/*
	 * 2.7 and later: connections, each with a handle. The calls of 2.7 and 2.8 that name none
	 * (client/compat/rdma/rdma.h) use the one that an object has by default.
	 */
	RDMA_FORM_CONNS,
	RDMA_FORM_FORMER, /* 2.5 and 2.6: one connection, made while the context is STARTING */
	/* 2.0 to 2.2: one connection, whose end also ends its receives. The program has another
	 * object, a legacy context (client/compat/workq/workq.h), which has this form too. */
	RDMA_FORM_JOBS,
};

#define RDMA_QUEUE_DEFAULT      256u
#define RDMA_TIMEOUT_DEFAULT_MS 5000
#define RDMA_RNR_RETRY_FOR_EVER 7
#define RDMA_SL_MAX             15u
#define RDMA_PERMISSIONS_ALLOWED                                          \
	(DOCA_ACCESS_FLAG_LOCAL_READ_WRITE | DOCA_ACCESS_FLAG_RDMA_READ | \
	 DOCA_ACCESS_FLAG_RDMA_WRITE | DOCA_ACCESS_FLAG_RDMA_ATOMIC)

struct doca_rdma {
	struct doca_ctx ctx;
	const struct rdma_provider *ops;
	struct rdma_domain *domain; /* NULL unless started */
	struct doca_rdma_connection *conns;
	struct list free_conns;
	uint32_t n_conns; /* slots allocated */
	uint32_t max_message;
	uint32_t n_done_in_row; /* completions since a poll found none */
	struct task_pool pools[RDMA_N_KINDS];
	/* Members off the data path. */
	struct rdma_limits limits;
	struct rdma_conf conf; /* max_qps is the number of connections */
	uint32_t n_tasks[RDMA_N_KINDS];
	enum doca_mtu_size mtu;
	int fd; /* the domain's descriptor in the engine's epoll set; -1: none */
	enum rdma_form form;
	/* For forms with one connection: that connection, once exported. */
	struct doca_rdma_connection *only;
	/* For legacy contexts (client/compat/workq/rdma_job.c): set while started. */
	struct rdma_jobs *jobs;
	/* NULL: a legacy context without a device, and `ops` is NULL too. */
	const struct doca_devinfo *dev_info;
	uint16_t ports[16]; /* the port numbers that are listened on */
	uint32_t n_ports;
	doca_rdma_connection_request_cb_t request_cb;
	doca_rdma_connection_established_cb_t established_cb;
	doca_rdma_connection_failure_cb_t failure_cb;
	doca_rdma_connection_disconnection_cb_t disconnection_cb;
};

static inline struct doca_rdma *rdma_of(const struct doca_ctx *ctx)
{
	return container_of(ctx, struct doca_rdma, ctx);
}

/* Called after a request to the domain that it was not armed for. A user that is about to sleep
 * must request a notification again. */
static inline void rdma_wake(const struct doca_rdma *rdma)
{
	if (unlikely(rdma->ctx.pe->armed))
		pe_wake(rdma->ctx.pe);
}

static inline struct rdma_task *rdma_task_of(const struct doca_task *task)
{
	return container_of(task, struct rdma_task, task);
}

/* --- rdma.c --- */

doca_error_t rdma_object_new(struct doca_dev *dev, enum rdma_form form,
			     struct doca_rdma **rdma_out);
/* Creates a legacy context, without a device. Returns NO_MEMORY with an error sentence. */
doca_error_t rdma_legacy_new(struct doca_rdma **rdma_out);
/*
 * Sets the provider and limits of a device, and all configuration to its defaults. Returns
 * INITIALIZATION with an error sentence that begins with `call`. With a NULL info, removes the
 * device.
 */
doca_error_t rdma_set_device(struct doca_rdma *rdma, const struct doca_devinfo *info,
			     const char *call);
/* Deletes an object whose context is idle; the caller has checked that. */
void rdma_object_delete(struct doca_rdma *rdma);
/* Allocates the tasks of the first n_kinds kinds, according to n_tasks, for a running context.
 * Returns 0 or -ENOMEM. */
int rdma_pools_make(struct doca_rdma *rdma, unsigned n_kinds);
void rdma_pools_deinit(struct doca_rdma *rdma);
/* Moves the object to another progress engine; no task may be in flight. Returns 0 or -errno. */
int rdma_move(struct doca_rdma *rdma, struct doca_pe *pe);

/* --- client/rdma/caps.c --- */

/* Returns the best provider for the device, with its limits. If there is none, returns NULL and
 * writes a sentence with the reason. */
const struct rdma_provider *rdma_provider_of(const struct doca_devinfo *info,
					     struct rdma_limits *limits_out, char *why,
					     size_t why_len);
/* The common part of capability queries. Returns DRIVER or SUCCESS. */
doca_error_t rdma_limits_of(const struct doca_devinfo *info, const void *out, const char *what,
			    struct rdma_limits *limits_out);
/* Capability queries. They return INVALID_VALUE, DRIVER or NOT_SUPPORTED with an error sentence. */
doca_error_t rdma_cap_kind(const struct doca_devinfo *info, enum rdma_kind kind);
doca_error_t rdma_cap_transport(const struct doca_devinfo *info, int type);
doca_error_t rdma_cap_gids(const struct doca_devinfo *info, uint32_t start, uint32_t n,
			   struct doca_rdma_gid *gids_out);

/* --- client/rdma/conf.c --- */

/* Checks that an object of any form is not NULL, has a device and is idle. */
doca_error_t rdma_check_conf(const struct doca_rdma *rdma, const char *what);
/* Returns BAD_STATE with an error sentence unless the object, which is not NULL, is of that form or
 * an earlier one. */
doca_error_t rdma_check_form(const struct doca_rdma *rdma, enum rdma_form last, const char *call);
doca_error_t rdma_set_recv_list(struct doca_rdma *rdma, uint32_t n_bufs);
doca_error_t rdma_get_recv_list(const struct doca_rdma *rdma, uint32_t *n_bufs_out);
doca_error_t rdma_kind_conf(struct doca_rdma *rdma, enum rdma_kind kind,
			    doca_task_completion_cb_t ok_cb, doca_task_completion_cb_t err_cb,
			    uint32_t n_tasks);

/* --- client/rdma/connection.c --- */

/* Allocates the configured number of slots. Returns 0 or -ENOMEM. */
int rdma_conns_init(struct doca_rdma *rdma);
/* Frees every slot, before the domain is closed. */
void rdma_conns_close(struct doca_rdma *rdma);
/* Disconnects all connections because the context stops. */
void rdma_conns_disconnect(struct doca_rdma *rdma);
/* Takes a slot. Returns NULL if all are used. */
struct doca_rdma_connection *rdma_conn_allocate(struct doca_rdma *rdma, enum rdma_conn_state state);
/* Ends a connection; the slot is freed once its requests have been returned. Returns the provider's
 * result. */
doca_error_t rdma_conn_end(struct doca_rdma_connection *conn);
/* Holds a task until the connection is established. */
void rdma_conn_wait(struct doca_rdma_connection *conn, struct doca_task *task);
/* Called when a request was returned while others wait or the connection is ending. */
void rdma_conn_changed(struct doca_rdma_connection *conn);
/* Handles at most one event of the domain. Returns 1 if there was one. */
uint8_t rdma_poll_events(struct doca_rdma *rdma);

/* --- client/rdma/connect.c --- */

doca_error_t rdma_conn_export(struct doca_rdma *rdma, struct doca_rdma_connection **conn_out);
doca_error_t rdma_conn_connect(struct doca_rdma_connection *conn, const void *data, size_t len);
/* doca_rdma_connection_accept. */
doca_error_t rdma_conn_accept(struct doca_rdma_connection *conn, const void *private_data,
			      uint8_t private_len);

/* --- client/rdma/bridge.c --- */

/* Implements doca_rdma_bridge_prepare_connection(); `what` is the call's name. */
doca_error_t rdma_conn_prepare(struct doca_rdma *rdma, struct rdma_cm_id *cm_id,
			       struct doca_rdma_connection **conn_out, const char *what);
doca_error_t rdma_conn_accept_prepared(struct doca_rdma_connection *conn, const void *private_data,
				       uint8_t private_len);

/* --- client/rdma/addr.c --- */

void rdma_addr_set(struct doca_rdma_addr *addr, const struct rdma_endpoint *end);

/* --- client/rdma/run.c --- */

extern const char *const rdma_kind_names[RDMA_N_KINDS];
/* Implement the operations of the task pools. */
doca_error_t rdma_submit_receive(struct doca_task *task, uint32_t flags);
doca_error_t rdma_submit(struct doca_task *task, uint32_t flags);
doca_error_t rdma_validate(const struct doca_task *task);
/* For requests that complete through the engine's queue. It is never called, because `done`
 * is set. */
doca_error_t rdma_execute(struct doca_task *task);
/* Completes the task of a request that poll returned. A callback may free the context, so the
 * caller must not use it afterwards. */
void rdma_finish(struct doca_rdma *rdma, struct rdma_wr *wr);
/* Returns the reason why no task could be allocated. */
doca_error_t rdma_no_task(const struct doca_rdma *rdma, enum rdma_kind kind,
			  const struct doca_rdma_connection *conn, const void *task_out);

/* Takes a task from the pool, or returns NULL. conn is NULL for receives. */
static inline struct rdma_task *rdma_task_allocate(struct doca_rdma *rdma, enum rdma_kind kind,
						   struct doca_rdma_connection *conn,
						   union doca_data user_data, const void *task_out)
{
	struct doca_task *task;
	struct rdma_task *t;

	if (unlikely(rdma == NULL || task_out == NULL))
		return NULL;
	if (unlikely(kind != RDMA_TASK_RECEIVE && (conn == NULL || conn->rdma != rdma)))
		return NULL;
	task = task_pool_get(&rdma->pools[kind], user_data);
	if (unlikely(task == NULL))
		return NULL;
	t = rdma_task_of(task);
	t->connection = conn;
	return t;
}

#endif
