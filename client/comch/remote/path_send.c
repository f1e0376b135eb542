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
#define PATH_PIECE_BYTES (1u << 20)

/* --- pieces --- */

static struct path_staging *send_staging(const struct comch_remote_path *path,
					 const struct path_send *send)
{
	size_t i = (size_t)(send - path->sends);

	return (void *)(path->memory + STAGING_AT + i * path->staging_len);
}

static void send_add(struct path_send *send, const void *from, const struct doca_mmap *mmap,
		     uint64_t to, uint64_t len)
{
	if (len != 0)
		send->pieces[send->n_pieces++] =
			(struct path_piece){.from = from, .mmap = mmap, .to = to, .len = len};
}

/* Adds the last pieces: the slot, and the commit word that completes it. */
static void send_add_slot(const struct comch_remote_path *path, struct path_send *send,
			  enum slots_kind kind, uint32_t imm_len, uint64_t info)
{
	const struct comch_remote_slots *slots = path->to->remote_slots;
	struct path_staging *staging = send_staging(path, send);
	size_t skip = kind == SLOTS_SHORT ? 0 : offsetof(struct slots_slot, word);
	uint64_t at = slots->base + slots->at.slot_at +
		      (send->slot & path->to->mask) * sizeof(struct slots_slot);

	staging->commit_word = (uint64_t)imm_len << 40 | (uint64_t)kind << 32 |
			       (uint32_t)(send->slot + 1);
	/*
	 * A device may write the commit word byte by byte. The poison word, written before it,
	 * differs from the number in every byte, so a torn write is never mistaken for the awaited
	 * number.
	 */
	staging->poison_word = staging->commit_word ^ UINT32_MAX;
	staging->info = info;
	send_add(send, (uint8_t *)staging + skip, path->mmap, at + skip,
		 sizeof(struct slots_slot) - skip);
	send_add(send, &staging->commit_word, path->mmap, at + offsetof(struct slots_slot, word),
		 sizeof(staging->commit_word));
}

/* at: the position in the bounce area, for a message that uses it. */
static void send_fill(struct comch_remote_path *path, struct path_send *send,
		      const struct comch_message *message, enum slots_kind kind, uint64_t at)
{
	const struct comch_remote_slots *slots = path->to->remote_slots;
	struct path_staging *staging = send_staging(path, send);
	uint8_t *body = kind == SLOTS_SHORT ? staging->bytes : (uint8_t *)(staging + 1);
	uint64_t info = (uint64_t)path->producer->id << 32 | (uint32_t)message->len;
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
		send_add(send, body, path->mmap,
			 slots->base + slots->at.body_at +
				 (send->slot & path->to->mask) * (uint64_t)path->to->stride,
			 len);
	send_add_slot(path, send, kind, message->imm_len, info);
}

/* --- advancing a path --- */

static bool send_is_done(const struct path_send *send)
{
	return send->n_out == 0 && send->piece == send->n_pieces;
}

/* Returns whether the consumer is awake, or a later request will ensure that it is woken. */
static bool send_is_noticed(const struct comch_remote_path *path)
{
	return path_is_broken(path) || path->requester->relays || path->last - path->first > 1 ||
	       (path->credit_read_done > path->first && !path->must_ring && !path->is_ringing);
}

static void sends_complete(struct comch_remote_path *path)
{
	struct comch_remote_paths *paths = path->producer->paths;

	while (path->first != path->next) {
		struct path_send *send = &path->sends[path->first % PATH_SENDS];
		struct doca_task *task;

		if (!send_is_done(send) || !send_is_noticed(path))
			return;
		path->first++;
		task = &send->task->base;
		task->status = send->status;
		task->next = NULL;
		*paths->ready_tail = task;
		paths->ready_tail = &task->next;
	}
}

/* Fails a message whose memory is inaccessible to the device. Its slot is marked as skipped, and
 * the consumer posts the receive again. */
static void send_skip(struct comch_remote_path *path, struct path_send *send, doca_error_t code)
{
	if (send->status != DOCA_SUCCESS) {
		comch_remote_path_break(path);
		return;
	}
	send->status = code;
	send->n_pieces = send->piece = 0;
	send->at = 0;
	send_add_slot(path, send, SLOTS_SKIP, 0, 0);
}

/* Posts the rest of the message. Returns false if there is no room until a request completes, or if
 * the path is broken. */
static bool send_post(struct comch_remote_path *path, struct path_send *send)
{
	const struct path_piece *piece = &send->pieces[send->piece];
	uint64_t max = MIN((uint64_t)path->requester->limits.max_message,
			   (uint64_t)PATH_PIECE_BYTES);
	struct path_piece part = {
		.from = piece->from + send->at,
		.mmap = piece->mmap,
		.to = piece->to + send->at,
		.len = MIN(piece->len - send->at, max),
	};
	struct path_wr *w = path->free;
	doca_error_t result = comch_remote_path_post(path, PATH_REQUEST_PIECE, RDMA_WRITE, &part);

	if (result == DOCA_ERROR_AGAIN)
		return false;
	if (result != DOCA_SUCCESS) {
		send_skip(path, send, result);
		return !path_is_broken(path);
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

static void path_ring_and_read_credit(struct comch_remote_path *path)
{
	const struct path_piece nothing = {.len = 0};

	if (path->must_ring && !path->is_ringing && !path_is_broken(path)) {
		path->is_ringing = comch_remote_path_try_post(path, PATH_REQUEST_RING,
							      RDMA_WRITE_IMM, &nothing);
		path->must_ring = !path->is_ringing;
	}
	comch_remote_path_read_credit(path);
}

/* Posts as many requests as possible. */
static void path_pump(struct comch_remote_path *path)
{
	if (path_is_broken(path) || requester_is_calling(path->peer))
		return;
	if (path->peer->state == REQUESTER_FAILED) {
		comch_remote_path_break(path);
		return;
	}
	if (path->state == REMOTE_PATH_CONNECTING)
		path_enter(path, REMOTE_PATH_UP);
	/* Done first, because messages may use all available requests. */
	path_ring_and_read_credit(path);
	while (!path_is_broken(path) && path->next != path->last) {
		struct path_send *send = &path->sends[path->next % PATH_SENDS];

		while (!path_is_broken(path) && send->piece < send->n_pieces) {
			if (!send_post(path, send))
				return;
		}
		if (path_is_broken(path))
			return;
		path->next++;
		path->must_read_credit |= !path->requester->relays;
	}
	path_ring_and_read_credit(path);
}

static void request_completed(struct comch_remote_path *path, struct path_wr *w)
{
	struct path_send *send = w->send;
	bool failed = w->wr.status != DOCA_SUCCESS;

	w->next = path->free;
	path->free = w;
	path->n_out--;
	if (w->kind == PATH_REQUEST_PIECE) {
		send->n_out--;
		if (failed && send->status == DOCA_SUCCESS)
			send->status = comch_remote_path_report_loss(path);
	} else if (w->kind == PATH_REQUEST_RING) {
		path->is_ringing = false;
	} else if (!failed && w->kind == PATH_REQUEST_HEADER) {
		comch_remote_path_header_read(path);
	} else if (!failed && w->kind == PATH_REQUEST_DESCS) {
		comch_remote_path_descs_read(path);
	}
	if (failed)
		comch_remote_path_break(path);
}

void comch_remote_path_poll(struct comch_remote_path *path)
{
	struct rdma_wr *wr;

	if (comch_link_ended(path->producer->member.link) != 0)
		comch_remote_path_break(path);
	do {
		while ((wr = path->requester->ops->poll(path->requester->domain)) != NULL)
			request_completed(path, container_of(wr, struct path_wr, wr));
	} while (requester_poll(path->requester));
	path_pump(path);
	sends_complete(path);
}

/* --- submission --- */

static doca_error_t path_report_lost_receive(const struct comch_peer_consumer *to)
{
	return error_set(DOCA_ERROR_CONNECTION_RESET,
			 "comch producer send: a producer of this process broke or stopped in the "
			 "middle of a message to consumer %u, which waits for it; connect again",
			 to->id);
}

/* Claims a receive like peer_claim(), from the copy that the producers of this process share. */
static doca_error_t peer_consumer_claim_copy(struct comch_peer_consumer *to,
					     struct comch_message *message)
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

static doca_error_t peer_consumer_claim_bounced(struct comch_peer_consumer *to,
						struct comch_message *message, uint64_t *at_out)
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
	if (!comch_try_lock_acquire(&bounce->lock))
		return DOCA_ERROR_AGAIN;
	if (comch_bounce_reserve(to, message->len, &at))
		result = peer_consumer_claim_copy(to, message);
	if (result == DOCA_SUCCESS)
		comch_bounce_use(bounce, message->slot, at + message->len);
	comch_try_lock_release(&bounce->lock);
	if (result == DOCA_SUCCESS)
		*at_out = at % bounce->len;
	return result;
}

static enum slots_kind message_kind(const struct comch_peer_consumer *to,
				    const struct comch_message *message)
{
	if (message->len + message->imm_span <= SLOTS_SHORT_LEN)
		return SLOTS_SHORT;
	return message->len + message->imm_span <= to->stride ? SLOTS_INLINE : SLOTS_BOUNCE;
}

/* Returns whether at most half of the receives are left, so that more are read before the last one
 * is used. */
static bool peer_consumer_runs_low(const struct comch_peer_consumer *to)
{
	uint64_t left = atomic_load_explicit(&to->header->posted, memory_order_relaxed) -
			atomic_load_explicit(&to->header->claim, memory_order_relaxed);

	return left <= to->mask / 2;
}

doca_error_t comch_remote_path_send(struct doca_comch_producer *producer,
				    struct comch_peer_consumer *to,
				    struct doca_comch_producer_task_send *task,
				    struct comch_message *message)
{
	enum slots_kind kind = message_kind(to, message);
	struct comch_remote_path *path;
	struct path_send *send;
	uint64_t at = 0;
	doca_error_t result = pe_check_process(producer->ctx.pe, "comch producer send");

	if (result == DOCA_SUCCESS)
		result = comch_remote_path_get(producer, to, &path);
	if (result != DOCA_SUCCESS)
		return result;
	comch_remote_path_poll(path);
	/* A request in progress, or a new path, must be waited for. */
	if (producer->ctx.pe->armed)
		pe_wake(producer->ctx.pe);
	if (path_is_broken(path))
		return path->state == REMOTE_PATH_BROKEN ? comch_remote_path_report_loss(path)
							 : comch_remote_path_report_refusal(path);
	if (atomic_load_explicit(&to->remote_slots->has_lost_receive, memory_order_relaxed))
		return path_report_lost_receive(to);
	/* A peer that is not connected yet may refuse. A receive claimed before would never be
	 * filled. */
	if (requester_is_calling(path->peer) || path->last - path->first == PATH_SENDS)
		return DOCA_ERROR_AGAIN;
	result = kind == SLOTS_BOUNCE ? peer_consumer_claim_bounced(to, message, &at)
				      : peer_consumer_claim_copy(to, message);
	path->must_read_credit |= result == DOCA_ERROR_AGAIN || peer_consumer_runs_low(to);
	if (result == DOCA_SUCCESS) {
		send = &path->sends[path->last++ % PATH_SENDS];
		*send = (struct path_send){.task = task, .slot = message->slot};
		task_hold(&task->base);
		send_fill(path, send, message, kind, at);
	}
	path_pump(path);
	sends_complete(path);
	return result;
}
