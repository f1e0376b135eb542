/*
 * Tasks that wait until their messages have arrived in a remote ring, and the closing of a
 * connection, which waits for the same; see client/comch/remote/ring.h. A task is held until a
 * credit read that follows its message has completed. If that found the other end asleep, the task
 * is held until the ring is posted too. From then on the device does the rest, and the program need
 * not call progress. Threads: the owner's.
 */
#include <sched.h>
#include <stdlib.h>

#include "client/comch/remote/ring_path.h"
#include "client/rma/requester.h"
#include "util/clock.h"

/* The time that messages sent before a close have to arrive. */
#define DRAIN_NS (1 * NS_PER_SEC)

/* --- tasks --- */

doca_error_t comch_remote_ring_check(const struct doca_comch_connection *conn)
{
	return conn->remote_ring->tx_state == REMOTE_RING_TX_UP
		       ? pe_check_process(conn->comch->ctx.pe, "comch send")
		       : DOCA_SUCCESS;
}

bool comch_remote_ring_hold(struct doca_comch_connection *conn, struct doca_task *task,
			    uint32_t flags)
{
	struct comch_remote_ring *remote_ring = conn->remote_ring;
	struct doca_ctx *ctx = task->ctx;

	if (remote_ring->tx_state != REMOTE_RING_TX_UP &&
	    remote_ring->tx_state != REMOTE_RING_TX_BROKEN)
		return false;
	/* Completions of relayed messages may be waiting for a flush. */
	if (flags & DOCA_TASK_SUBMIT_FLAG_FLUSH)
		doca_ctx_flush_tasks(ctx);
	task_hold(task);
	task->next = NULL;
	*remote_ring->held_tail = task;
	remote_ring->held_tail = &task->next;
	remote_ring->rings->needs_poll = true;
	/* A user that is about to sleep must arm again. */
	if (ctx->pe->armed)
		pe_wake(ctx->pe);
	return true;
}

static void task_end_first(struct comch_remote_ring *remote_ring, doca_error_t code)
{
	struct doca_task *task = remote_ring->held;

	remote_ring->held = task->next;
	if (remote_ring->held == NULL)
		remote_ring->held_tail = &remote_ring->held;
	remote_ring->n_ended++;
	task_release(task, code);
}

void remote_ring_end_tasks(struct comch_remote_ring *remote_ring)
{
	if (remote_ring->must_ring && remote_ring->tx_state == REMOTE_RING_TX_UP)
		return;
	while (remote_ring->held != NULL && remote_ring->n_ended < remote_ring->arrived_msgs)
		task_end_first(remote_ring, DOCA_SUCCESS);
}

void remote_ring_end_all_tasks(struct comch_remote_ring *remote_ring, doca_error_t code)
{
	remote_ring_end_tasks(remote_ring);
	while (remote_ring->held != NULL)
		task_end_first(remote_ring, code);
}

/* --- revocation by an operator --- */

/*
 * Ends the connection after the messages that have arrived. The device refuses what the other end
 * has posted since the revocation, and the connection cannot return to the daemons, because it is
 * unknown which messages the other end counts as sent. Messages that are in the ring came before,
 * in order.
 */
void remote_ring_check_revoked(struct comch_remote_ring *remote_ring)
{
	struct doca_comch_connection *conn = remote_ring->conn;

	if (!remote_ring_must_end(remote_ring))
		return;
	remote_ring_enter_rx(remote_ring, REMOTE_RING_RX_REVOKED);
	(void)error_set(DOCA_ERROR_CONNECTION_RESET,
			"comch \"%s\": an operator revoked the memory that the other machine "
			"writes its messages to; the connection ends after the messages that "
			"have arrived: connect again",
			conn->comch->name);
	comch_connection_peer_left(conn, DOCA_ERROR_CONNECTION_RESET);
	if (conn->comch->activate != NULL)
		conn->comch->activate(conn);
}

/* --- closing --- */

static bool remote_ring_is_drained(const struct comch_remote_ring *remote_ring)
{
	const struct ring_producer *tx = &remote_ring->conn->tx;

	if (remote_ring->tx_state != REMOTE_RING_TX_UP)
		return remote_ring->arrived_msgs == tx->n_msgs;
	return remote_ring->n_out == 0 && !remote_ring->must_close && remote_ring->pos == tx->pos &&
	       remote_ring->piece == remote_ring->n_pieces;
}

/* Returns true if messages must be waited for. */
static bool remote_ring_drain_step(struct comch_remote_ring *remote_ring)
{
	if (!remote_ring->is_awaited || remote_ring->conn == NULL ||
	    remote_ring->tx_state != REMOTE_RING_TX_UP)
		return false;
	remote_ring_poll(remote_ring);
	remote_ring_advance(remote_ring);
	return remote_ring->tx_state == REMOTE_RING_TX_UP && !remote_ring_is_drained(remote_ring);
}

/* Waits for all together, so that one that hangs does not use up the others' time. */
static void remote_rings_await(struct comch_remote_rings *remote_rings)
{
	uint64_t until_ns = clock_now_ns() + DRAIN_NS;
	struct comch_remote_ring *remote_ring;
	bool is_waiting;

	do {
		is_waiting = false;
		list_for_each(remote_ring, &remote_rings->all, node)
			is_waiting |= remote_ring_drain_step(remote_ring);
		if (is_waiting)
			(void)sched_yield();
	} while (is_waiting && clock_now_ns() < until_ns);
}

/* A peer that has left reads nothing any more. Returns false if there is nothing to wait for, or if
 * the time for it was used already. */
static bool remote_ring_drain_begin(struct comch_remote_ring *remote_ring)
{
	if (remote_ring->tx_state != REMOTE_RING_TX_UP || remote_ring->is_awaited ||
	    remote_ring->conn == NULL || remote_ring->conn->state != COMCH_UP)
		return false;
	remote_ring->is_awaited = remote_ring->must_close = true;
	return true;
}

void comch_remote_rings_drain(struct comch *comch)
{
	struct comch_remote_ring *remote_ring;
	bool is_any = false;

	if (comch->remote_rings == NULL)
		return;
	list_for_each(remote_ring, &comch->remote_rings->all, node)
		is_any |= remote_ring_drain_begin(remote_ring);
	if (is_any)
		remote_rings_await(comch->remote_rings);
}

struct ring_producer *comch_remote_ring_drain(struct doca_comch_connection *conn)
{
	struct comch_remote_ring *remote_ring = conn->remote_ring;
	bool has_left, is_lost = false;
	struct ring_producer *tx = &conn->tx;

	if (remote_ring->tx_state != REMOTE_RING_TX_UP &&
	    remote_ring->tx_state != REMOTE_RING_TX_BROKEN) {
		remote_ring_enter_tx(remote_ring, REMOTE_RING_TX_RELAYED);
	} else {
		if (remote_ring_drain_begin(remote_ring))
			remote_rings_await(remote_ring->rings);
		has_left = conn->state != COMCH_UP && conn->end_code == DOCA_SUCCESS;
		is_lost = !has_left && !remote_ring_is_drained(remote_ring);
		remote_ring_end_all_tasks(remote_ring,
					  is_lost ? DOCA_ERROR_CONNECTION_RESET : DOCA_SUCCESS);
		remote_ring_enter_tx(remote_ring, REMOTE_RING_TX_BROKEN);
		remote_ring->give_up_ns = UINT64_MAX;
		tx = &remote_ring->relayed_tx;
	}
	if (!is_lost && remote_ring->rx_state != REMOTE_RING_RX_REVOKED)
		return tx;
	sdk_debug("comch \"%s\": not all that was sent has arrived before the end",
		  conn->comch->name);
	comch_channel_notify_lost(remote_ring->channel_id, conn->daemon_id);
	return NULL;
}

void comch_remote_rings_close(struct comch *comch)
{
	struct comch_remote_rings *remote_rings = comch->remote_rings;
	uint64_t until_ns = clock_now_ns() + DRAIN_NS;
	struct comch_remote_ring *remote_ring, *tmp;

	if (remote_rings == NULL)
		return;
	comch->remote_rings = NULL;
	/* The queue pairs were disconnected, so the remaining requests are returned at once. */
	do {
		list_for_each_safe(remote_ring, tmp, &remote_rings->all, node)
			remote_ring_free_when_idle(remote_ring);
	} while (!list_is_empty(&remote_rings->all) && clock_now_ns() < until_ns);
	if (list_is_empty(&remote_rings->all))
		free(remote_rings);
	else
		sdk_warning(
			"comch \"%s\": the RDMA device does not give requests back; their memory "
			"stays as it is",
			comch->name);
}
