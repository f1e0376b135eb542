/*
 * Messages to consumers of other machines: a receive is claimed, the message's pieces are posted,
 * and the task completes when the last one has arrived; see client/comch/remote/path.h. Threads:
 * those of the producer's progress engine.
 */
#include "client/comch/remote/path.h"

#include <string.h>

#include "client/memory/mmap.h"
#include "client/rma/requester.h"
#include "util/copy.h"

/* Longer pieces are cut, so that credit reads do not have to wait for a whole piece. */
#define FAR_BYTES (1u << 20)

/* --- pieces --- */

static struct far_stage *send_stage(const struct comch_far *far, const struct far_send *send)
{
	size_t i = (size_t)(send - far->sends);

	return (void *)(far->memory + STAGES_AT + i * far->stage_len);
}

static void send_add(struct far_send *send, const void *from, const struct doca_mmap *mmap,
		     uint64_t to, uint64_t len)
{
	if (len != 0)
		send->pieces[send->n_pieces++] =
			(struct far_piece){.from = from, .mmap = mmap, .to = to, .len = len};
}

/* Adds the last pieces: the slot, and the commit word that completes it. */
static void send_add_slot(const struct comch_far *far, struct far_send *send, enum slots_kind kind,
			  uint32_t imm_len, uint64_t info)
{
	const struct comch_far_slots *slots = far->to->far;
	struct far_stage *stage = send_stage(far, send);
	size_t skip = kind == SLOTS_SHORT ? 0 : offsetof(struct slots_slot, word);
	uint64_t at = slots->base + slots->at.slot_at +
		      (send->slot & far->to->mask) * sizeof(struct slots_slot);

	stage->word = (uint64_t)imm_len << 40 | (uint64_t)kind << 32 | (uint32_t)(send->slot + 1);
	/*
	 * A device may write the commit word byte by byte. The poison word, written before it,
	 * differs from the number in every byte, so a torn write is never mistaken for the awaited
	 * number.
	 */
	stage->other_word = stage->word ^ UINT32_MAX;
	stage->info = info;
	send_add(send, (uint8_t *)stage + skip, far->mmap, at + skip,
		 sizeof(struct slots_slot) - skip);
	send_add(send, &stage->word, far->mmap, at + offsetof(struct slots_slot, word),
		 sizeof(stage->word));
}

/* at: the position in the bounce area, for a message that uses it. */
static void send_fill(struct comch_far *far, struct far_send *send,
		      const struct comch_message *message, enum slots_kind kind, uint64_t at)
{
	const struct comch_far_slots *slots = far->to->far;
	struct far_stage *stage = send_stage(far, send);
	uint8_t *body = kind == SLOTS_SHORT ? stage->bytes : (uint8_t *)(stage + 1);
	uint64_t info = (uint64_t)far->producer->id << 32 | (uint32_t)message->len;
	size_t len = message->imm_span;

	memcpy(body, message->imm, message->imm_len);
	if (kind == SLOTS_BOUNCE) {
		memcpy(body + len, &at, sizeof(at));
		len += sizeof(at);
		send_add(send, message->from, send->task->buf->mmap,
			 slots->base + slots->at.bounce_at + at, message->len);
	} else {
		copy_bytes(body + len, message->from, (uint32_t)message->len);
		len += message->len;
	}
	if (kind != SLOTS_SHORT)
		send_add(send, body, far->mmap,
			 slots->base + slots->at.body_at +
				 (send->slot & far->to->mask) * (uint64_t)far->to->stride,
			 len);
	send_add_slot(far, send, kind, message->imm_len, info);
}

/* --- advancing a path --- */

static bool send_is_over(const struct far_send *send)
{
	return send->n_out == 0 && send->piece == send->n_pieces;
}

/* Returns whether the consumer is awake, or a later request will ensure that it is woken. */
static bool send_is_noticed(const struct comch_far *far)
{
	return far->is_broken || far->requester->relays || far->last - far->first > 1 ||
	       (far->looked > far->first && !far->must_ring && !far->is_ringing);
}

static void sends_end(struct comch_far *far)
{
	struct comch_fars *fars = far->producer->fars;

	while (far->first != far->next) {
		struct far_send *send = &far->sends[far->first % FAR_SENDS];
		struct doca_task *task = &send->task->base;

		if (!send_is_over(send) || !send_is_noticed(far))
			return;
		far->first++;
		task->status = send->status;
		task->next = NULL;
		*fars->ready_tail = task;
		fars->ready_tail = &task->next;
	}
}

/* Fails a message whose memory is inaccessible to the device. Its slot is marked as skipped, and
 * the consumer posts the receive again. */
static void send_spoil(struct comch_far *far, struct far_send *send, doca_error_t code)
{
	if (send->status != DOCA_SUCCESS) {
		comch_far_break(far);
		return;
	}
	send->status = code;
	send->n_pieces = send->piece = 0;
	send->at = 0;
	send_add_slot(far, send, SLOTS_SKIP, 0, 0);
}

/* Posts the rest of the message. Returns false if there is no room until a request completes, or if
 * the path is broken. */
static bool send_post(struct comch_far *far, struct far_send *send)
{
	const struct far_piece *piece = &send->pieces[send->piece];
	uint64_t max = MIN((uint64_t)far->requester->limits.max_message, (uint64_t)FAR_BYTES);
	struct far_piece part = {
		.from = piece->from + send->at,
		.mmap = piece->mmap,
		.to = piece->to + send->at,
		.len = MIN(piece->len - send->at, max),
	};
	struct far_wr *w = far->free;
	doca_error_t result = comch_far_post(far, FAR_PIECE, RDMA_WRITE, &part);

	if (result == DOCA_ERROR_AGAIN)
		return false;
	if (result != DOCA_SUCCESS) {
		send_spoil(far, send, result);
		return !far->is_broken;
	}
	w->send = send;
	send->n_out++;
	send->at += part.len;
	if (send->at == piece->len) {
		send->piece++;
		send->at = 0;
	}
	return true;
}

static void far_attend(struct comch_far *far)
{
	const struct far_piece nothing = {.len = 0};

	if (far->must_ring && !far->is_ringing && !far->is_broken) {
		far->is_ringing = comch_far_try(far, FAR_RING, RDMA_WRITE_IMM, &nothing);
		far->must_ring = !far->is_ringing;
	}
	comch_far_look(far);
}

/* Posts as many requests as possible. */
static void far_pump(struct comch_far *far)
{
	if (far->is_broken || far->peer->state == REQUESTER_CALLING)
		return;
	if (far->peer->state == REQUESTER_FAILED) {
		comch_far_break(far);
		return;
	}
	far->was_up = true;
	/* Done first, because messages may use all available requests. */
	far_attend(far);
	while (!far->is_broken && far->next != far->last) {
		struct far_send *send = &far->sends[far->next % FAR_SENDS];

		while (!far->is_broken && send->piece < send->n_pieces) {
			if (!send_post(far, send))
				return;
		}
		if (far->is_broken)
			return;
		far->next++;
		far->must_look |= !far->requester->relays;
	}
	far_attend(far);
}

static void request_came(struct comch_far *far, struct far_wr *w)
{
	struct far_send *send = w->send;
	bool failed = w->wr.status != DOCA_SUCCESS;

	w->next = far->free;
	far->free = w;
	far->n_out--;
	if (w->kind == FAR_PIECE) {
		send->n_out--;
		if (failed && send->status == DOCA_SUCCESS)
			send->status = comch_far_is_lost(far);
	} else if (w->kind == FAR_RING) {
		far->is_ringing = false;
	} else if (!failed && w->kind == FAR_HEADER) {
		comch_far_header_came(far);
	} else if (!failed && w->kind == FAR_DESC) {
		comch_far_descs_came(far);
	}
	if (failed)
		comch_far_break(far);
}

void comch_far_work(struct comch_far *far)
{
	struct rdma_wr *wr;

	if (comch_link_ended(far->producer->member.link) != 0)
		comch_far_break(far);
	do {
		while ((wr = far->requester->ops->poll(far->requester->port)) != NULL)
			request_came(far, container_of(wr, struct far_wr, wr));
	} while (requester_attend(far->requester));
	far_pump(far);
	sends_end(far);
}

/* --- submission --- */

static doca_error_t far_is_holed(const struct comch_remote *to)
{
	return error_set(DOCA_ERROR_CONNECTION_RESET,
			 "comch producer send: a producer of this process broke or stopped in the "
			 "middle of a message to consumer %u, which waits for it; connect anew",
			 to->id);
}

/* Claims a receive like remote_claim(), from the copy that the producers of this process share. */
static doca_error_t far_claim(struct comch_remote *to, struct comch_message *message)
{
	uint64_t claim = atomic_load_explicit(&to->header->claim, memory_order_relaxed);
	uint64_t posted, room;

	do {
		if (atomic_load(&to->header->closed))
			return DOCA_ERROR_NOT_FOUND;
		posted = atomic_load_explicit(&to->header->posted, memory_order_acquire);
		if (posted - claim - 1 > to->mask)
			return DOCA_ERROR_AGAIN;
		room = atomic_load_explicit(&to->descs[claim & to->mask].room,
					    memory_order_relaxed);
		if (message->len > room)
			return comch_send_too_long(to->id, message->len, room);
	} while (!atomic_compare_exchange_weak(&to->header->claim, &claim, claim + 1));
	message->slot = claim;
	return DOCA_SUCCESS;
}

static doca_error_t far_claim_bounced(struct comch_remote *to, struct comch_message *message,
				      uint64_t *at_out)
{
	struct comch_bounce *bounce = &to->bounce;
	doca_error_t result = DOCA_ERROR_AGAIN;
	uint64_t at;

	if (message->len > bounce->len)
		return error_set(DOCA_ERROR_NOT_SUPPORTED,
				 "comch producer send: %llu bytes; consumer %u is on another "
				 "machine, and a message to it has at most %llu: send it in parts",
				 (unsigned long long)message->len, to->id,
				 (unsigned long long)bounce->len);
	if (!comch_turn_take(&bounce->turn))
		return DOCA_ERROR_AGAIN;
	if (comch_bounce_reserve(to, message->len, &at))
		result = far_claim(to, message);
	if (result == DOCA_SUCCESS)
		comch_bounce_use(bounce, message->slot, at + message->len);
	comch_turn_give(&bounce->turn);
	if (result == DOCA_SUCCESS)
		*at_out = at % bounce->len;
	return result;
}

static enum slots_kind message_kind(const struct comch_remote *to,
				    const struct comch_message *message)
{
	if (message->len + message->imm_span <= SLOTS_SHORT_LEN)
		return SLOTS_SHORT;
	return message->len + message->imm_span <= to->stride ? SLOTS_INLINE : SLOTS_BOUNCE;
}

/* Returns whether at most half of the receives are left, so that more are read before the last one
 * is used. */
static bool far_runs_low(const struct comch_remote *to)
{
	uint64_t left = atomic_load_explicit(&to->header->posted, memory_order_relaxed) -
			atomic_load_explicit(&to->header->claim, memory_order_relaxed);

	return left <= to->mask / 2;
}

doca_error_t comch_far_send(struct doca_comch_producer *producer, struct comch_remote *to,
			    struct doca_comch_producer_task_send *task,
			    struct comch_message *message)
{
	enum slots_kind kind = message_kind(to, message);
	struct comch_far *far;
	struct far_send *send;
	uint64_t at = 0;
	doca_error_t result = pe_check_process(producer->ctx.pe, "comch producer send");

	if (result == DOCA_SUCCESS)
		result = comch_far_get(producer, to, &far);
	if (result != DOCA_SUCCESS)
		return result;
	comch_far_work(far);
	/* A request in progress, or a new path, must be waited for. */
	if (producer->ctx.pe->armed)
		pe_ring(producer->ctx.pe);
	if (far->is_broken)
		return far->was_up ? comch_far_is_lost(far) : comch_far_is_refused(far);
	if (atomic_load_explicit(&to->far->is_holed, memory_order_relaxed))
		return far_is_holed(to);
	/* A peer that is not connected yet may refuse. A receive claimed before would never be
	 * filled. */
	if (far->peer->state == REQUESTER_CALLING || far->last - far->first == FAR_SENDS)
		return DOCA_ERROR_AGAIN;
	result = kind == SLOTS_BOUNCE ? far_claim_bounced(to, message, &at)
				      : far_claim(to, message);
	far->must_look |= result == DOCA_ERROR_AGAIN || far_runs_low(to);
	if (result == DOCA_SUCCESS) {
		send = &far->sends[far->last++ % FAR_SENDS];
		*send = (struct far_send){.task = task, .slot = message->slot};
		task_hold(&task->base);
		send_fill(far, send, message, kind, at);
	}
	far_pump(far);
	sends_end(far);
	return result;
}
