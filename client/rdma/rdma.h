/*
 * RDMA engine: what its files share. rdma.c has the object: its life, its start and stop, its turn
 * in progress; client/rdma/conf.c configuration; client/rdma/caps.c capabilities and the choice of
 * a provider; client/rdma/connection.c connections, client/rdma/connect.c the calls that make and
 * end them, client/rdma/addr.c addresses; client/rdma/run.c what tasks do; client/rdma/message.c,
 * client/rdma/memory.c and client/rdma/event.c the tasks as the application sees them.
 *
 * A context opens a port of a provider (client/rma/provider.h) when it starts. A task carries the
 * work request that it posts, and its list of pieces, so nothing is made per operation.
 *
 * A connection is a slot of its object. Tasks that are submitted to one which is being made wait in
 * it (`waiting`), those of one that has ended fail without being posted. Slots are reused in turn,
 * so that a handle that is used too long is a dead one for as long as can be.
 *
 * The callbacks of connections run for those by address, and for those by an identifier of
 * librdmacm. A connection by details has none: programs continue when doca_rdma_connect has
 * returned, and would continue a second time. No callback of a connection runs while the context
 * stops. Threads: those of the progress engine.
 */
#ifndef CLIENT_RDMA_RDMA_H
#define CLIENT_RDMA_RDMA_H

#include <doca_rdma.h>

#include "client/base/error.h"
#include "client/memory/buf.h"
#include "client/progress/ctx.h"
#include "client/rdma/kind.h"
#include "client/rma/provider.h"
#include "util/details.h"
#include "util/list.h"

_Static_assert(RDMA_DETAILS_MAX == DETAILS_BODY_MAX, "details of a provider fit into a descriptor");
_Static_assert(DETAILS_MAX <= 256, "programs have room for that many bytes");

struct rdma_task {
	struct doca_task task;
	/* As the application set them; engines of other tasks fetch the first two ahead. */
	const struct doca_buf *src;
	struct doca_buf *dst; /* of atomics: what to work on */
	struct doca_buf *result;
	struct doca_rdma_connection *connection;
	struct doca_sync_event_remote_net *event;
	uint32_t imm; /* network byte order */
	enum rdma_kind kind;
	/* Of the submission. */
	struct doca_buf *grows; /* what is moved counts as its data, or NULL */
	uint32_t len;           /* bytes to move, receives apart; then those that were */
	const struct doca_rdma_connection *from;
	struct rdma_wr wr;
	struct rdma_sge sges[];
};

enum rdma_conn_state {
	CONN_FREE,
	CONN_EXPORTED,    /* doca_rdma_export; not connected */
	CONN_PREPARED,    /* by an identifier of librdmacm; not connected */
	CONN_CONNECTING,  /* doca_rdma_connect */
	CONN_ASKING,      /* by address; the application does not know it yet */
	CONN_REQUESTED,   /* by a peer; waits for the application's answer */
	CONN_ACCEPTED,    /* and got it */
	CONN_ESTABLISHED, /* requests may be posted */
	CONN_OVER,        /* failed, broken, or left by the peer; the application's to give back */
	CONN_ENDING,      /* given back; waits for its requests */
};

struct doca_rdma_addr {
	enum doca_rdma_addr_type type;
	bool is_of_connection;
	struct rdma_end end;
	char text[64];
};

struct doca_rdma_connection {
	struct doca_rdma *rdma;
	struct rdma_qp *qp;
	enum rdma_conn_state state;
	uint32_t n_posted;
	/* Tasks that are held until it stands. */
	struct doca_task *waiting, **waiting_tail;
	uint32_t n_waiting;
	bool is_cut; /* the provider was told that it ends */
	bool by_addr;
	bool by_details; /* doca_rdma_export: it has no callback */
	bool was_established;
	uint32_t id;
	union doca_data user_data;
	struct list node; /* rdma->free_conns */
	struct doca_rdma_addr addr;
	size_t details_len;
	uint8_t details[DETAILS_MAX];
};

/* What programs see of an object; the engine is one. */
enum rdma_form {
	RDMA_FORM_CONNS,  /* 2.7 and later: connections, each with a handle */
	RDMA_FORM_FORMER, /* 2.5 and 2.6: one connection, made while the context is STARTING */
	/*
	 * 2.0 to 2.2: one connection, whose end ends its receives, too. The program has another
	 * object, a front (client/compat/workq/workq.h), which is of this form as well.
	 */
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
	const struct rdma_port_ops *ops;
	struct rdma_port *port; /* NULL unless started */
	struct doca_rdma_connection *conns;
	struct list free_conns;
	uint32_t n_conns; /* slots that were made */
	uint32_t max_message;
	uint32_t n_done_in_row; /* requests since the port last had none */
	struct task_pool pools[RDMA_N_KINDS];
	/* Cold. */
	struct rdma_limits limits;
	struct rdma_conf conf; /* max_qps: connections */
	uint32_t n_tasks[RDMA_N_KINDS];
	enum doca_mtu_size mtu;
	int fd; /* the port's, in the engine's epoll; -1 */
	enum rdma_form form;
	struct doca_rdma_connection *only; /* of forms with one connection: exported */
	struct rdma_jobs *jobs;            /* of fronts (client/compat/workq/rdma_job.c): started */
	const struct doca_devinfo *dev_info; /* NULL: a front without a device; ops is, too */
	uint16_t ports[16];                  /* that are listened to */
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

/*
 * The port was not armed for what was just asked of it: the user, who may be about to sleep, has to
 * ask for a notification once more.
 */
static inline void rdma_wake(const struct doca_rdma *rdma)
{
	if (unlikely(rdma->ctx.pe->armed))
		pe_ring(rdma->ctx.pe);
}

static inline struct rdma_task *rdma_task_of(const struct doca_task *task)
{
	return container_of(task, struct rdma_task, task);
}

/* --- rdma.c --- */

doca_error_t rdma_object_new(struct doca_dev *dev, enum rdma_form form,
			     struct doca_rdma **rdma_out);
/* A front, without a device. NO_MEMORY with a sentence. */
doca_error_t rdma_front_new(struct doca_rdma **rdma_out);
/*
 * The provider of a device with its limits, and everything configured as it is at first.
 * INITIALIZATION with a sentence that begins with `call`. info NULL: no device.
 */
doca_error_t rdma_set_device(struct doca_rdma *rdma, const struct doca_devinfo *info,
			     const char *call);
/* The context is idle, and knows it. */
void rdma_object_delete(struct doca_rdma *rdma);
/* Tasks of the first n_kinds kinds, as many as n_tasks says, for a context that runs. 0 or -ENOMEM.
 */
int rdma_pools_make(struct doca_rdma *rdma, unsigned n_kinds);
void rdma_pools_deinit(struct doca_rdma *rdma);
/* To another progress engine; no task is in flight. 0 or -errno. */
int rdma_move(struct doca_rdma *rdma, struct doca_pe *pe);

/* --- client/rdma/caps.c --- */

/* The best provider for the device, with its limits; NULL, and one sentence says why. */
const struct rdma_port_ops *rdma_provider_of(const struct doca_devinfo *info,
					     struct rdma_limits *limits_out, char *why,
					     size_t why_len);
/* DRIVER or SUCCESS: what questions about a device have in common. */
doca_error_t rdma_limits_of(const struct doca_devinfo *info, const void *out, const char *what,
			    struct rdma_limits *limits_out);
/* INVALID_VALUE, DRIVER or NOT_SUPPORTED, with sentences. */
doca_error_t rdma_cap_kind(const struct doca_devinfo *info, enum rdma_kind kind);
doca_error_t rdma_cap_transport(const struct doca_devinfo *info, int type);
doca_error_t rdma_cap_gids(const struct doca_devinfo *info, uint32_t start, uint32_t n,
			   struct doca_rdma_gid *gids_out);

/* --- client/rdma/conf.c --- */

/* Of any form: the object is there, has a device, and is idle. */
doca_error_t rdma_check_conf(const struct doca_rdma *rdma, const char *what);
/* BAD_STATE with a sentence unless the object, which is there, is of that form or an earlier one.
 */
doca_error_t rdma_check_form(const struct doca_rdma *rdma, enum rdma_form last, const char *call);
doca_error_t rdma_set_recv_list(struct doca_rdma *rdma, uint32_t n_bufs);
doca_error_t rdma_get_recv_list(const struct doca_rdma *rdma, uint32_t *n_bufs_out);
doca_error_t rdma_kind_conf(struct doca_rdma *rdma, enum rdma_kind kind,
			    doca_task_completion_cb_t ok_cb, doca_task_completion_cb_t err_cb,
			    uint32_t n_tasks);

/* --- client/rdma/connection.c --- */

/* As many slots as are configured. 0 or -ENOMEM. */
int rdma_conns_init(struct doca_rdma *rdma);
/* The port is about to be closed: every slot is free. */
void rdma_conns_close(struct doca_rdma *rdma);
/* The context stops. */
void rdma_conns_cut(struct doca_rdma *rdma);
/* NULL: all are used. */
struct doca_rdma_connection *rdma_conn_take(struct doca_rdma *rdma, enum rdma_conn_state state);
/* Ends it; the slot is free once its requests have come back. The provider's answer. */
doca_error_t rdma_conn_end(struct doca_rdma_connection *conn);
/* Keeps a task until the connection stands. */
void rdma_conn_wait(struct doca_rdma_connection *conn, struct doca_task *task);
/* A request came back while others wait, or while it is ending. */
void rdma_conn_moved(struct doca_rdma_connection *conn);
/* One event of the port at most; returns 1 if there was one. */
uint8_t rdma_attend(struct doca_rdma *rdma);

/* --- client/rdma/connect.c --- */

doca_error_t rdma_conn_export(struct doca_rdma *rdma, struct doca_rdma_connection **conn_out);
doca_error_t rdma_conn_connect(struct doca_rdma_connection *conn, const void *data, size_t len);

/* --- rdma_bridge.c --- */

/* doca_rdma_bridge_prepare_connection; `what` is the call. */
doca_error_t rdma_conn_prepare(struct doca_rdma *rdma, struct rdma_cm_id *cm_id,
			       struct doca_rdma_connection **conn_out, const char *what);
doca_error_t rdma_conn_accept_prepared(struct doca_rdma_connection *conn, const void *private_data,
				       uint8_t private_len);

/* --- client/rdma/addr.c --- */

void rdma_addr_set(struct doca_rdma_addr *addr, const struct rdma_end *end);

/* --- client/rdma/run.c --- */

extern const char *const rdma_kind_names[RDMA_N_KINDS];
/* Hooks of the pools. */
doca_error_t rdma_submit_receive(struct doca_task *task, uint32_t flags);
doca_error_t rdma_submit(struct doca_task *task, uint32_t flags);
doca_error_t rdma_validate(const struct doca_task *task);
/* For what is done by way of the engine's queue; never called, as `done` is set. */
doca_error_t rdma_execute(struct doca_task *task);
/* A request that poll gave back. Nothing of the context may be touched afterwards. */
void rdma_finish(struct doca_rdma *rdma, struct rdma_wr *wr);
/* Why a task could not be taken. */
doca_error_t rdma_no_task(const struct doca_rdma *rdma, enum rdma_kind kind,
			  const struct doca_rdma_connection *conn, const void *task_out);

/* A task of the pool, or NULL. conn is NULL for receives. */
static inline struct rdma_task *rdma_task_take(struct doca_rdma *rdma, enum rdma_kind kind,
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
