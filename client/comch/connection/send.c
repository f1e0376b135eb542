/*
 * Send tasks of servers and clients. Submission copies the message into the ring and rings the peer
 * if it sleeps; apart from that there is no allocation, lock or system call. The completion is
 * queued and comes from the progress engine. It reports SUCCESS even if the context stops or the
 * peer leaves meanwhile, because the peer owns the message by then. To another machine without the
 * daemons, SUCCESS means that the message has arrived; the task is held until then
 * (client/comch/remote/ring.h).
 *
 * It is no error of the program if the peer has left, because the program may not know it yet. A
 * task for that peer can be allocated and submitted as usual, and completes with an error.
 */
#include "client/comch/comch.h"
#include "util/copy.h"
#include "util/doorbell.h"
#include "util/str.h"

static struct doca_comch_task_send *send_task(const struct doca_task *task)
{
	return container_of(task, struct doca_comch_task_send, base);
}

/* Records an error sentence with the reason why the connection accepts nothing. */
static doca_error_t send_report_ended(const struct doca_comch_task_send *task)
{
	const struct doca_comch_connection *peer = task->peer;
	const struct comch *comch = peer->comch;

	if (peer->generation == task->generation && peer->end_code != DOCA_SUCCESS)
		return error_set(DOCA_ERROR_CONNECTION_RESET,
				 "comch send: the connection to the peer of \"%s\" broke; the task "
				 "completes with an error, and the connection ends",
				 comch->name);
	return error_set(DOCA_ERROR_NOT_CONNECTED,
			 "comch send: the connection of \"%s\" is closed; the task completes with "
			 "an error",
			 comch->name);
}

static doca_error_t send_fail(struct doca_task *base, uint32_t flags, doca_error_t code)
{
	base->status = code;
	base->done |= TASK_DONE;
	task_queue(base, flags);
	return DOCA_SUCCESS;
}

/* Handles a full or broken ring: the connection must be polled, or breaks. */
static void send_blocked(struct doca_comch_connection *conn, uint32_t len, int room)
{
	struct doca_pe *pe = conn->comch->ctx.pe;

	if (conn->remote_ring != NULL && room == 0)
		comch_remote_ring_await_room(conn, len);

	counters_add(&conn->line->waits, 1);
	if (conn->comch->activate != NULL)
		conn->comch->activate(conn);
	/* The descriptors were armed without this change, so a user that is about to sleep must arm
	 * again. */
	if (pe->armed)
		pe_wake(pe);
	if (room < 0)
		comch_connection_break(conn, "consumer position");
}

static doca_error_t send_no_room(struct doca_comch_connection *conn, uint32_t len)
{
	send_blocked(conn, len, 0);
	/* If the application sleeps now, room in the ring wakes it. */
	conn->space_len = len;
	return error_hint(
		DOCA_ERROR_AGAIN,
		"comch send: the peer's receive queue is full; progress and submit again");
}

static void send_ring(struct doca_comch_connection *conn)
{
	if (conn->remote_ring != NULL)
		comch_remote_ring_ring(conn);
	else
		doorbell_ring(conn->doorbell_fd);
}

/* Puts the message into the ring if there is room. Returns the result of ring_producer_room(). */
static inline int send_put(struct doca_comch_connection *conn, const void *msg, uint32_t len)
{
	int room = ring_producer_room(&conn->tx, len);
	bool alone;

	if (unlikely(room <= 0))
		return room;
	copy_bytes(ring_producer_payload(&conn->tx), msg, len);
	/* If a message was received since the last send, this is a request-reply pattern, and the
	 * next message probably comes alone. */
	alone = (uint32_t)conn->rx.n_msgs != conn->n_received_at_send;
	conn->n_received_at_send = (uint32_t)conn->rx.n_msgs;
	if (unlikely(ring_producer_publish_at(&conn->tx, len, RING_MSG_DATA, alone)))
		send_ring(conn);
	if (alone)
		ring_producer_prefetch(&conn->tx);
	else
		ring_producer_acquire_ahead(&conn->tx, len);
	counters_add(&conn->line->submitted, 1);
	counters_add(&conn->line->bytes, len);
	return room;
}

int comch_connection_send(struct doca_comch_connection *conn, const void *msg, uint32_t len)
{
	int room = send_put(conn, msg, len);

	if (unlikely(room <= 0))
		send_blocked(conn, len, room);
	return room;
}

static doca_error_t send_submit(struct doca_task *base, uint32_t flags)
{
	struct doca_comch_task_send *task = send_task(base);
	struct doca_comch_connection *conn = task->peer;
	doca_error_t result;
	int room;

	if (unlikely(conn->state != COMCH_UP || conn->generation != task->generation))
		return send_fail(base, flags, send_report_ended(task));
	if (unlikely(conn->remote_ring != NULL)) {
		result = comch_remote_ring_check(conn);
		if (result != DOCA_SUCCESS)
			return result;
	}
	room = send_put(conn, task->msg, task->len);
	if (unlikely(room == 0))
		return send_no_room(conn, task->len);
	if (unlikely(room < 0)) {
		send_blocked(conn, task->len, room);
		return send_fail(base, flags, DOCA_ERROR_CONNECTION_RESET);
	}
	if (unlikely(conn->remote_ring != NULL) && comch_remote_ring_hold(conn, base, flags))
		return DOCA_SUCCESS;
	base->status = DOCA_SUCCESS;
	base->done |= TASK_DONE;
	task_queue(base, flags);
	return DOCA_SUCCESS;
}

doca_error_t comch_send_set_conf(struct comch *comch, doca_comch_task_send_completion_cb_t ok_cb,
				 doca_comch_task_send_completion_cb_t err_cb, uint32_t n_tasks,
				 const char *what)
{
	doca_error_t result;
	uint32_t max;

	if (comch == NULL || ok_cb == NULL || err_cb == NULL)
		return error_set(DOCA_ERROR_INVALID_VALUE, "%s: %s is NULL", what,
				 comch == NULL   ? "the object"
				 : ok_cb == NULL ? "the completion callback"
						 : "the error callback");
	result = ctx_check_idle(&comch->ctx, DOCA_ERROR_BAD_STATE, what);
	if (result != DOCA_SUCCESS)
		return result;
	max = comch->ctx.dev->info->caps.comch_max_send_tasks;
	if (n_tasks == 0 || n_tasks > max)
		return error_set(DOCA_ERROR_INVALID_VALUE,
				 "%s: %u send tasks; the device allows 1 to %u", what, n_tasks,
				 max);
	if (task_pool_init(&comch->send_pool, &comch->ctx, n_tasks,
			   sizeof(struct doca_comch_task_send)) < 0)
		return error_set(DOCA_ERROR_NO_MEMORY, "%s: no memory for %u %s", what, n_tasks,
				 plural(n_tasks, "task", "tasks"));
	/* The cast is safe: the send task begins with the task that the engine passes. */
	comch->send_pool.ok_cb = (doca_task_completion_cb_t)(void (*)(void))ok_cb;
	comch->send_pool.err_cb = (doca_task_completion_cb_t)(void (*)(void))err_cb;
	comch->send_pool.submit = send_submit;
	return DOCA_SUCCESS;
}

static doca_error_t send_alloc_refuse(const struct comch *comch, const char *what)
{
	if (comch->ctx.state != DOCA_CTX_STATE_RUNNING)
		return error_set(
			DOCA_ERROR_BAD_STATE,
			"%s: \"%s\" is not running; tasks can be allocated only while it is", what,
			comch->name);
	if (comch->send_pool.n_tasks == 0)
		return error_set(DOCA_ERROR_NO_MEMORY,
				 "%s: \"%s\" has no send tasks; set their number before start",
				 what, comch->name);
	return error_hint(DOCA_ERROR_NO_MEMORY,
			  "comch send: all send tasks are in use; free some or configure more");
}

/* Returns whether the program knows that the connection has ended: its callback has run, the
 * program ended it, or it never existed. */
static bool connection_end_is_known(const struct doca_comch_connection *conn)
{
	return conn->link == NULL || conn->is_dropped;
}

doca_error_t comch_send_alloc(struct comch *comch, struct doca_comch_connection *peer,
			      const void *msg, uint32_t len, struct doca_comch_task_send **task_out,
			      const char *what)
{
	union doca_data no_data = {0};
	struct doca_comch_task_send *task;
	struct doca_task *base;

	if (unlikely(comch == NULL || peer == NULL || msg == NULL || task_out == NULL))
		return error_set(DOCA_ERROR_INVALID_VALUE, "%s: %s is NULL", what,
				 comch == NULL  ? "the object"
				 : peer == NULL ? "the connection"
				 : msg == NULL  ? "the message"
						: "the place for the task");
	if (unlikely(peer->comch != comch))
		return error_set(DOCA_ERROR_INVALID_VALUE,
				 "%s: the connection belongs to another server or client", what);
	if (unlikely(comch->ctx.state != DOCA_CTX_STATE_RUNNING))
		return send_alloc_refuse(comch, what);
	if (unlikely(peer->state != COMCH_UP && connection_end_is_known(peer)))
		return error_set(DOCA_ERROR_INVALID_VALUE,
				 "%s: the connection of \"%s\" has ended; send on another one",
				 what, comch->name);
	if (unlikely(len == 0 || len > peer->tx.max_msg))
		return error_set(DOCA_ERROR_INVALID_VALUE,
				 "%s: a message of %u bytes; this connection allows 1 to %u, the "
				 "smaller of the sizes that the two sides set",
				 what, len, peer->tx.max_msg);
	base = task_pool_get(&comch->send_pool, no_data);
	if (unlikely(base == NULL))
		return send_alloc_refuse(comch, what);
	task = send_task(base);
	task->peer = peer;
	task->generation = peer->generation;
	task->msg = msg;
	task->len = len;
	*task_out = task;
	return DOCA_SUCCESS;
}

struct doca_task *doca_comch_task_send_as_task(struct doca_comch_task_send *task)
{
	return task == NULL ? NULL : &task->base;
}
