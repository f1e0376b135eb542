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
#define FINISH_NS (1 * NS_PER_SEC)

/* --- tasks --- */

doca_error_t comch_mirror_check(const struct doca_comch_connection *conn)
{
	return conn->mirror->state == MIRROR_UP
		       ? pe_check_process(conn->comch->ctx.pe, "comch send")
		       : DOCA_SUCCESS;
}

bool comch_mirror_hold(struct doca_comch_connection *conn, struct doca_task *task, uint32_t flags)
{
	struct comch_mirror *mirror = conn->mirror;
	struct doca_ctx *ctx = task->ctx;

	if (mirror->state != MIRROR_UP && mirror->state != MIRROR_BROKEN)
		return false;
	/* Completions of relayed messages may be waiting for a flush. */
	if (flags & DOCA_TASK_SUBMIT_FLAG_FLUSH)
		doca_ctx_flush_tasks(ctx);
	task_hold(task);
	task->next = NULL;
	*mirror->held_tail = task;
	mirror->held_tail = &task->next;
	mirror->of->is_unsettled = true;
	/* A user that is about to sleep must arm again. */
	if (ctx->pe->armed)
		pe_ring(ctx->pe);
	return true;
}

static void task_end_first(struct comch_mirror *mirror, doca_error_t code)
{
	struct doca_task *task = mirror->held;

	mirror->held = task->next;
	if (mirror->held == NULL)
		mirror->held_tail = &mirror->held;
	mirror->n_ended++;
	task_release(task, code);
}

void mirror_end_tasks(struct comch_mirror *mirror)
{
	if (mirror->must_ring && mirror->state == MIRROR_UP)
		return;
	while (mirror->held != NULL && mirror->n_ended < mirror->seen_msgs)
		task_end_first(mirror, DOCA_SUCCESS);
}

void mirror_end_all_tasks(struct comch_mirror *mirror, doca_error_t code)
{
	mirror_end_tasks(mirror);
	while (mirror->held != NULL)
		task_end_first(mirror, code);
}

/* --- revocation by an operator --- */

/*
 * Ends the connection after the messages that have arrived. The device refuses what the other end
 * has posted since the revocation, and the connection cannot return to the daemons, because it is
 * unknown which messages the other end counts as sent. Messages that are in the ring came before,
 * in order.
 */
void mirror_check_revoked(struct comch_mirror *mirror)
{
	struct doca_comch_connection *conn = mirror->conn;

	if (mirror->exposure == NULL || !mirror_must_end(mirror))
		return;
	mirror->is_revoked = true;
	(void)error_set(DOCA_ERROR_CONNECTION_RESET,
			"comch \"%s\": an operator revoked the memory that messages of the other "
			"machine come to; the connection ends behind those that are there: "
			"connect anew",
			conn->comch->name);
	comch_connection_leave(conn, DOCA_ERROR_CONNECTION_RESET);
	if (conn->comch->notice != NULL)
		conn->comch->notice(conn);
}

/* --- closing --- */

static bool mirror_has_arrived(const struct comch_mirror *mirror)
{
	const struct ring_producer *tx = &mirror->conn->tx;

	if (mirror->state != MIRROR_UP)
		return mirror->seen_msgs == tx->n_msgs;
	return mirror->n_out == 0 && !mirror->must_close && mirror->pos == tx->pos &&
	       mirror->piece == mirror->n_pieces;
}

/* Returns true if messages must be waited for. */
static bool mirror_finish_step(struct comch_mirror *mirror)
{
	if (!mirror->is_awaited || mirror->conn == NULL || mirror->state != MIRROR_UP)
		return false;
	mirror_poll(mirror);
	mirror_go_on(mirror);
	return mirror->state == MIRROR_UP && !mirror_has_arrived(mirror);
}

/* Waits for all together, so that one that hangs does not use up the others' time. */
static void mirrors_await(struct comch_mirrors *mirrors)
{
	uint64_t until_ns = clock_now_ns() + FINISH_NS;
	struct comch_mirror *mirror;
	bool is_waiting;

	do {
		is_waiting = false;
		list_for_each(mirror, &mirrors->all, node) is_waiting |= mirror_finish_step(mirror);
		if (is_waiting)
			(void)sched_yield();
	} while (is_waiting && clock_now_ns() < until_ns);
}

/* A peer that has left reads nothing any more. Returns false if there is nothing to wait for, or if
 * the time for it was used already. */
static bool mirror_close_begin(struct comch_mirror *mirror)
{
	if (mirror->state != MIRROR_UP || mirror->is_awaited || mirror->conn == NULL ||
	    mirror->conn->state != COMCH_UP)
		return false;
	mirror->is_awaited = mirror->must_close = true;
	return true;
}

void comch_mirrors_finish(struct comch *comch)
{
	struct comch_mirror *mirror;
	bool is_any = false;

	if (comch->mirrors == NULL)
		return;
	list_for_each(mirror, &comch->mirrors->all, node) is_any |= mirror_close_begin(mirror);
	if (is_any)
		mirrors_await(comch->mirrors);
}

struct ring_producer *comch_mirror_finish(struct doca_comch_connection *conn)
{
	struct comch_mirror *mirror = conn->mirror;
	bool has_left, is_lost = false;
	struct ring_producer *tx = &conn->tx;

	if (mirror->state != MIRROR_UP && mirror->state != MIRROR_BROKEN) {
		mirror->state = MIRROR_RELAYED;
	} else {
		if (mirror_close_begin(mirror))
			mirrors_await(mirror->of);
		has_left = conn->state != COMCH_UP && conn->end_code == DOCA_SUCCESS;
		is_lost = !has_left && !mirror_has_arrived(mirror);
		mirror_end_all_tasks(mirror, is_lost ? DOCA_ERROR_CONNECTION_RESET : DOCA_SUCCESS);
		mirror->state = MIRROR_BROKEN;
		mirror->give_up_ns = UINT64_MAX;
		tx = &mirror->relayed_tx;
	}
	if (!is_lost && !mirror->is_revoked)
		return tx;
	sdk_debug("comch \"%s\": not all that was sent has arrived before the end",
		  conn->comch->name);
	comch_channel_tell_lost(mirror->channel_id, conn->daemon_id);
	return NULL;
}

void comch_mirrors_close(struct comch *comch)
{
	struct comch_mirrors *mirrors = comch->mirrors;
	uint64_t until_ns = clock_now_ns() + FINISH_NS;
	struct comch_mirror *mirror, *tmp;

	if (mirrors == NULL)
		return;
	comch->mirrors = NULL;
	/* The queue pairs were disconnected, so the remaining requests are returned at once. */
	do {
		list_for_each_safe(mirror, tmp, &mirrors->all, node) mirror_let_go(mirror);
	} while (!list_is_empty(&mirrors->all) && clock_now_ns() < until_ns);
	if (list_is_empty(&mirrors->all))
		free(mirrors);
	else
		sdk_warning(
			"comch \"%s\": the RDMA device does not give requests back; their memory "
			"stays as it is",
			comch->name);
}
