/*
 * RDMA: connections, their states, and the events of the domain. See client/rdma/rdma.h.
 *
 * Slots are taken in one place and freed in one place, so that no queue pair is left behind.
 * Callbacks are the last step of what calls them, because the application may do anything in them.
 * Threads: those of the progress engine.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "client/rdma/rdma.h"

/* --- slots --- */

static void conn_set_free(struct doca_rdma_connection *conn)
{
	conn->state = CONN_FREE;
	conn->qp = NULL;
	list_append(&conn->rdma->free_conns, &conn->node);
}

int rdma_conns_init(struct doca_rdma *rdma)
{
	struct doca_rdma_connection *conns = rdma->conns;

	/* The old slots are kept as long as possible, for programs that still use a handle. */
	if (rdma->n_conns != rdma->conf.max_qps) {
		conns = calloc(rdma->conf.max_qps, sizeof(*conns));
		if (conns == NULL)
			return -ENOMEM;
		free(rdma->conns);
		rdma->conns = conns;
		rdma->n_conns = rdma->conf.max_qps;
	}
	list_init(&rdma->free_conns);
	for (uint32_t i = 0; i < rdma->n_conns; i++) {
		conns[i].rdma = rdma;
		conns[i].id = i;
		conns[i].waiting = NULL;
		conns[i].n_waiting = 0;
		conns[i].n_posted = 0;
		conn_set_free(&conns[i]);
	}
	return 0;
}

struct doca_rdma_connection *rdma_conn_allocate(struct doca_rdma *rdma, enum rdma_conn_state state)
{
	struct doca_rdma_connection *conn;

	if (list_is_empty(&rdma->free_conns))
		return NULL;
	conn = list_entry(rdma->free_conns.next, struct doca_rdma_connection, node);
	list_remove(&conn->node);
	conn->state = state;
	conn->waiting = NULL;
	conn->waiting_tail = &conn->waiting;
	conn->n_waiting = conn->n_posted = 0;
	conn->is_disconnected = conn->by_addr = conn->by_params = conn->was_established = false;
	conn->user_data.u64 = 0;
	conn->details_len = 0;
	return conn;
}

static doca_error_t conn_disconnect(struct doca_rdma_connection *conn)
{
	doca_error_t result;

	if (conn->is_disconnected || conn->qp == NULL || conn->state == CONN_EXPORTED ||
	    conn->state == CONN_REQUESTED)
		return DOCA_SUCCESS;
	result = conn->rdma->ops->qp_disconnect(conn->qp);
	conn->is_disconnected = result == DOCA_SUCCESS;
	return result;
}

static void conn_release_waiting(struct doca_rdma_connection *conn, doca_error_t status)
{
	struct doca_task *task = conn->waiting;

	conn->waiting = NULL;
	conn->waiting_tail = &conn->waiting;
	conn->n_waiting = 0;
	while (task != NULL) {
		struct doca_task *next = task->next;

		task_release(task, status);
		task = next;
	}
}

static void conn_free(struct doca_rdma_connection *conn)
{
	if (conn->qp != NULL)
		conn->rdma->ops->qp_free(conn->qp);
	conn_set_free(conn);
}

doca_error_t rdma_conn_end(struct doca_rdma_connection *conn)
{
	doca_error_t result = conn_disconnect(conn);

	conn_release_waiting(conn, DOCA_ERROR_CONNECTION_RESET);
	conn->state = CONN_ENDING;
	if (conn->n_posted == 0)
		conn_free(conn);
	return result;
}

void rdma_conns_disconnect(struct doca_rdma *rdma)
{
	for (uint32_t i = 0; i < rdma->n_conns; i++) {
		struct doca_rdma_connection *conn = &rdma->conns[i];

		if (conn->state == CONN_FREE || conn->state == CONN_ENDING)
			continue;
		if (conn->state == CONN_REQUESTED)
			rdma->ops->qp_reject(conn->qp);
		conn_disconnect(conn);
		conn_release_waiting(conn, DOCA_ERROR_SHUTDOWN);
		conn->state = CONN_OVER;
	}
}

void rdma_conns_close(struct doca_rdma *rdma)
{
	for (uint32_t i = 0; i < rdma->n_conns; i++) {
		if (rdma->conns[i].state != CONN_FREE)
			conn_free(&rdma->conns[i]);
	}
}

/* --- tasks that wait --- */

void rdma_conn_wait(struct doca_rdma_connection *conn, struct doca_task *task)
{
	task->next = NULL;
	*conn->waiting_tail = task;
	conn->waiting_tail = &task->next;
	conn->n_waiting++;
}

static void conn_post_waiting(struct doca_rdma_connection *conn)
{
	while (conn->waiting != NULL) {
		struct doca_task *task = conn->waiting;
		struct rdma_task *t = rdma_task_of(task);
		doca_error_t result;

		t->wr.qp = conn->qp;
		result = conn->rdma->ops->post(conn->qp, &t->wr);
		if (result == DOCA_ERROR_AGAIN)
			return;
		conn->waiting = task->next;
		if (conn->waiting == NULL)
			conn->waiting_tail = &conn->waiting;
		conn->n_waiting--;
		if (result == DOCA_SUCCESS)
			conn->n_posted++;
		else
			task_release(task, result);
	}
}

void rdma_conn_changed(struct doca_rdma_connection *conn)
{
	if (conn->state == CONN_ESTABLISHED)
		conn_post_waiting(conn);
	else if (conn->state == CONN_ENDING && conn->n_posted == 0)
		conn_free(conn);
}

/* --- events of the domain --- */

static void conn_learn_addr(struct doca_rdma_connection *conn)
{
	struct rdma_endpoint end;

	if (conn->rdma->ops->qp_get_addr(conn->qp, &end) == 0) {
		rdma_addr_set(&conn->addr, &end);
		conn->addr.is_of_connection = true;
	}
}

static bool rdma_is_running(const struct doca_rdma *rdma)
{
	return rdma->ctx.state == DOCA_CTX_STATE_RUNNING;
}

/* Returns whether callbacks are called for this connection at present. */
static bool conn_has_callbacks(const struct doca_rdma_connection *conn)
{
	return rdma_is_running(conn->rdma) && !conn->by_params;
}

static void conn_established(struct doca_rdma_connection *conn)
{
	struct doca_rdma *rdma = conn->rdma;

	conn->state = CONN_ESTABLISHED;
	conn->was_established = true;
	if (conn->by_addr)
		conn_learn_addr(conn);
	sdk_info("rdma %p: connection %u is established", (void *)rdma, conn->id);
	conn_post_waiting(conn);
	if (rdma->form == RDMA_FORM_FORMER)
		ctx_started(&rdma->ctx);
	else if (conn_has_callbacks(conn) && rdma->established_cb != NULL)
		rdma->established_cb(conn, conn->user_data, rdma->ctx.user_data);
}

static void conn_requested(struct doca_rdma *rdma, struct rdma_qp *qp)
{
	struct doca_rdma_connection *conn = NULL;

	if (rdma_is_running(rdma) && rdma->request_cb != NULL)
		conn = rdma_conn_allocate(rdma, CONN_REQUESTED);
	if (conn == NULL) {
		sdk_warning("rdma %p: a request for a connection was rejected: %s", (void *)rdma,
			    rdma_is_running(rdma) && rdma->request_cb != NULL
				    ? "all connections are used"
				    : "no request callback is set");
		rdma->ops->qp_reject(qp);
		rdma->ops->qp_free(qp);
		return;
	}
	conn->qp = qp;
	qp->owner = conn;
	conn->by_addr = true;
	conn_learn_addr(conn);
	rdma->request_cb(conn, rdma->ctx.user_data);
}

/* For an object with one connection: its receives belong to that connection, and no message can
 * arrive any more. */
static void conn_end_receives(const struct doca_rdma_connection *conn)
{
	const struct doca_rdma *rdma = conn->rdma;

	if (rdma->form == RDMA_FORM_JOBS)
		rdma->ops->flush_recvs(rdma->domain);
}

static doca_error_t conn_reason(doca_error_t reason)
{
	return reason == DOCA_SUCCESS ? DOCA_ERROR_CONNECTION_ABORTED : reason;
}

static doca_error_t conn_explain(const struct doca_rdma_connection *conn, doca_error_t reason)
{
	if (conn->state == CONN_ASKING && reason == DOCA_ERROR_CONNECTION_ABORTED)
		return error_set(DOCA_ERROR_CONNECTION_ABORTED,
				 "rdma: connection %u could not be made: the peer rejected it, or "
				 "no program listens on that port of that address; 'doca-admin "
				 "devices --json' shows the addresses of each side's devices",
				 conn->id);
	return error_set(reason, "rdma: connection %u %s: %s", conn->id,
			 conn->was_established ? "broke" : "could not be made",
			 error_descr(reason));
}

/* Handles a connection that could not be made or broke. */
static void conn_failed(struct doca_rdma_connection *conn, doca_error_t reason)
{
	struct doca_rdma *rdma = conn->rdma;
	bool is_gone = conn->by_addr && !conn->was_established;

	(void)conn_explain(conn, reason);
	conn_release_waiting(conn, conn->was_established ? DOCA_ERROR_CONNECTION_RESET : reason);
	conn->state = CONN_OVER;
	/* A connection that was never established need not be disconnected. */
	conn->is_disconnected |= !conn->was_established;
	conn_end_receives(conn);
	if (rdma->form == RDMA_FORM_FORMER && !conn->was_established) {
		ctx_fail(&rdma->ctx);
		return;
	}
	if (conn_has_callbacks(conn) && rdma->failure_cb != NULL)
		rdma->failure_cb(conn, conn->user_data, rdma->ctx.user_data);
	/* The application may have ended it in the callback. */
	if (is_gone && conn->state == CONN_OVER)
		rdma_conn_end(conn);
}

static void conn_on_disconnect(struct doca_rdma_connection *conn)
{
	struct doca_rdma *rdma = conn->rdma;

	sdk_info("rdma %p: the other end of connection %u has disconnected", (void *)rdma,
		 conn->id);
	conn_disconnect(conn);
	conn_release_waiting(conn, DOCA_ERROR_CONNECTION_RESET);
	conn->state = CONN_OVER;
	conn_end_receives(conn);
	if (conn_has_callbacks(conn) && rdma->disconnection_cb != NULL)
		rdma->disconnection_cb(conn, conn->user_data, rdma->ctx.user_data);
}

static void rdma_domain_lost(struct doca_rdma *rdma, doca_error_t reason)
{
	error_set(conn_reason(reason),
		  "rdma: the device %s was removed; its context stops, and cannot start again "
		  "before the device is back",
		  rdma->ctx.dev->info->name);
	ctx_fail(&rdma->ctx);
}

static __attribute__((noinline)) void event_handle(struct doca_rdma *rdma,
						   const struct rdma_event *event)
{
	struct doca_rdma_connection *conn = event->qp == NULL ? NULL : event->qp->owner;

	if (event->type == RDMA_DEVICE_REMOVED) {
		rdma_domain_lost(rdma, event->reason);
		return;
	}
	if (event->type == RDMA_QP_REQUESTED) {
		conn_requested(rdma, event->qp);
		return;
	}
	/* An event of a connection that was ended, or whose end was reported, is outdated. */
	if (conn == NULL || conn->state == CONN_ENDING || conn->state == CONN_OVER ||
	    conn->state == CONN_FREE)
		return;
	switch (event->type) {
	case RDMA_QP_ESTABLISHED:
		if (conn->state != CONN_ESTABLISHED)
			conn_established(conn);
		break;
	case RDMA_QP_FAILED:
	case RDMA_QP_BROKEN:
		conn_failed(conn, conn_reason(event->reason));
		break;
	case RDMA_QP_DISCONNECTED:
		conn_on_disconnect(conn);
		break;
	default:
		break;
	}
}

uint8_t rdma_poll_events(struct doca_rdma *rdma)
{
	struct rdma_event event;

	if (likely(!rdma->ops->next_event(rdma->domain, &event)))
		return 0;
	event_handle(rdma, &event);
	return 1;
}
