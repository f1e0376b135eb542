/*
 * The requests of remote rings: they carry batches, read the credit and wake the other end. Also
 * the switch of a direction; see client/comch/remote/ring.h. Data read from the other end's memory
 * may be false: it determines only how much of that memory is written. Threads: the owner's.
 */
#include <endian.h>
#include <stdlib.h>
#include <string.h>

#include <doca_mmap.h>
#include <dococ.h>

#include "client/comch/remote/ring_path.h"
#include "client/memory/mmap.h"
#include "client/rma/requester.h"
#include "util/clock.h"

/* The time that the daemons have to report an end that the device noticed first. */
#define GRACE_NS (1 * NS_PER_SEC)
/* The pause between two credit reads for a sleeping user that waits for room; it doubles with each
 * read. */
#define PAUSE_NS     (NS_PER_MS / 4)
#define PAUSE_MAX_NS (16 * NS_PER_MS)
/* The other process is checked once in so many polls. */
#define IDLE_POLLS       64u
#define RETRY_TRYLOCK_NS (5 * NS_PER_MS)

static struct channel_ring_ctl *credit_of(const struct comch_remote_ring *remote_ring,
					  uint32_t credit_read)
{
	return (void *)(remote_ring->source.bytes + REMOTE_RING_CREDIT_AT +
			credit_read % REMOTE_RING_CREDIT_READS * REMOTE_RING_CREDIT_LEN);
}

/* --- failure --- */

static void remote_ring_relay(struct comch_remote_ring *remote_ring, const char *reason)
{
	remote_ring_enter_tx(remote_ring, REMOTE_RING_TX_RELAYED);
	if (remote_ring->conn != NULL)
		sdk_info("comch \"%s\": messages to the other machine are relayed: %s",
			 remote_ring->conn->comch->name, reason);
}

/* Posted messages may be lost. The other end may merely have left, which the daemons then
 * report. */
static void remote_ring_break(struct comch_remote_ring *remote_ring)
{
	if (remote_ring->tx_state != REMOTE_RING_TX_UP) {
		if (remote_ring->tx_state != REMOTE_RING_TX_BROKEN)
			remote_ring_relay(remote_ring, "a request to its RDMA device failed");
		return;
	}
	remote_ring_enter_tx(remote_ring, REMOTE_RING_TX_BROKEN);
	remote_ring->give_up_ns = clock_now_ns() + GRACE_NS;
	remote_ring->rings->needs_poll = true;
}

static void remote_ring_end_connection(struct comch_remote_ring *remote_ring)
{
	struct doca_comch_connection *conn = remote_ring->conn;

	if (conn == NULL || conn->state != COMCH_UP)
		return;
	(void)error_note(DOCA_ERROR_CONNECTION_RESET,
			 "comch \"%s\": the other machine is not reached by the RDMA device any "
			 "more, and messages that were sent may be lost; the connection ends",
			 conn->comch->name);
	comch_connection_peer_left(conn, ring_consumer_peer_closed(&conn->rx)
						 ? DOCA_SUCCESS
						 : DOCA_ERROR_CONNECTION_RESET);
	if (conn->comch->activate != NULL)
		conn->comch->activate(conn);
}

/* Releases the requester and the import for the other end's remote ring; no request is in
 * progress. */
static void remote_ring_release_path(struct comch_remote_ring *remote_ring)
{
	if (remote_ring->requester != NULL) {
		requester_close(remote_ring->requester);
		remote_ring->rings->n_requesters--;
	}
	if (remote_ring->mmap != NULL)
		(void)doca_mmap_destroy(remote_ring->mmap);
	remote_ring->import = remote_ring_import_end(remote_ring->import);
	remote_ring->requester = NULL;
	remote_ring->peer = NULL;
	remote_ring->mmap = NULL;
	remote_ring_memory_close(&remote_ring->source);
}

static void remote_ring_free(struct comch_remote_ring *remote_ring)
{
	remote_ring_release_path(remote_ring);
	list_remove(&remote_ring->node);
	free(remote_ring);
}

void remote_ring_free_when_idle(struct comch_remote_ring *remote_ring)
{
	/* Disconnecting returns all posted requests, whatever the device does. */
	if (remote_ring->requester != NULL) {
		requester_disconnect(remote_ring->requester);
		remote_ring_poll(remote_ring);
	}
	if (remote_ring->n_out == 0)
		remote_ring_free(remote_ring);
}

/* --- connecting to the other end --- */

static doca_error_t remote_ring_open_source(struct comch_remote_ring *remote_ring)
{
	uint32_t ring_len = remote_ring->conn->ring_len;

	if (!remote_ring_memory_open(&remote_ring->source, ring_len, remote_ring->n_staging,
				     sizeof(struct remote_ring_staging)))
		return error_set(DOCA_ERROR_NO_MEMORY, "comch \"%s\": no memory for a ring",
				 remote_ring->conn->comch->name);
	*(uint32_t *)(void *)(remote_ring->source.bytes + REMOTE_RING_CLOSED_AT) = 1;
	return mmap_new_started(remote_ring->conn->comch->ctx.dev, remote_ring->source.bytes,
				remote_ring->source.len, &remote_ring->mmap);
}

static uint64_t remote_ring_len(const struct comch_remote_ring *remote_ring)
{
	size_t data_at;

	return remote_ring_plan(remote_ring->conn->ring_len, remote_ring->n_staging,
				sizeof(struct remote_ring_commit), &data_at);
}

static doca_error_t remote_ring_check_import(const struct comch_remote_ring *remote_ring)
{
	const struct doca_mmap *import = remote_ring->import->mmap;

	if (import->region.ops->is_relayed || !import->readable || !import->writable ||
	    import->endpoint_id == 0 || import->len != remote_ring_len(remote_ring))
		return error_note(DOCA_ERROR_NOT_SUPPORTED,
				  "comch \"%s\": what the other end offers is not reached by an "
				  "RDMA device, or not all there",
				  remote_ring->conn->comch->name);
	return DOCA_SUCCESS;
}

static doca_error_t remote_ring_check_number(const struct comch_remote_ring *remote_ring)
{
	if (remote_ring->rings->n_requesters < REMOTE_RING_MAX)
		return DOCA_SUCCESS;
	return error_note(DOCA_ERROR_FULL, "comch \"%s\": %u clients are reached already",
			  remote_ring->conn->comch->name, REMOTE_RING_MAX);
}

/* Returns NULL, or what is wrong with the descriptor: the other end can send any, and this process
 * would write to the memory it names. */
static const char *desc_fault(const struct comch_remote_ring *remote_ring,
			      const struct export_descriptor *descriptor)
{
	if (descriptor->kind != DOCOCORE__EXPORT_KIND__RDMA || !descriptor->has_key)
		return "is of no memory that RDMA devices reach";
	if (!remote_ring->has_peer_daemon_id ||
	    memcmp(descriptor->daemon_id, remote_ring->peer_daemon_id,
		   sizeof(descriptor->daemon_id)) != 0)
		return "is not of that end's daemon";
	if (descriptor->len != remote_ring_len(remote_ring))
		return "is of another length than a ring of this connection";
	if ((descriptor->permissions & DOCA_ACCESS_FLAG_RDMA_READ) == 0 ||
	    (descriptor->permissions & DOCA_ACCESS_FLAG_RDMA_WRITE) == 0)
		return "does not permit to read and write";
	return NULL;
}

static doca_error_t remote_ring_check_desc(const struct comch_remote_ring *remote_ring,
					   const uint8_t desc[EXPORT_DESCRIPTOR_LEN])
{
	struct export_descriptor descriptor;
	enum export_descriptor_error damage = export_descriptor_decode(desc, EXPORT_DESCRIPTOR_LEN,
								       &descriptor);
	const char *wrong = damage != EXPORT_DESCRIPTOR_OK ? export_descriptor_error_text(damage)
							   : desc_fault(remote_ring, &descriptor);

	explicit_bzero(&descriptor, sizeof(descriptor));
	if (wrong == NULL)
		return DOCA_SUCCESS;
	return error_note(DOCA_ERROR_INVALID_VALUE,
			  "comch \"%s\": the descriptor that the other end offers %s%s",
			  remote_ring->conn->comch->name,
			  damage != EXPORT_DESCRIPTOR_OK ? "is not usable: " : "", wrong);
}

static doca_error_t remote_ring_connect(struct comch_remote_ring *remote_ring)
{
	const struct peer_address address = peer_address_of(remote_ring->import->mmap);
	const struct doca_ctx *ctx = &remote_ring->rings->comch->ctx;
	doca_error_t result = requester_open(ctx->dev, ctx->pe, false, REMOTE_RING_WRS, 1,
					     &remote_ring->requester);

	if (result != DOCA_SUCCESS)
		return result;
	remote_ring->rings->n_requesters++;
	return requester_find(remote_ring->requester, &address, &remote_ring->peer);
}

/* Handles the end of the import. */
static void remote_ring_import_completed(struct comch_remote_ring *remote_ring)
{
	doca_error_t result = remote_ring->import->async.result;

	if (result != DOCA_SUCCESS) {
		remote_ring_relay(remote_ring, remote_ring->import->async.reason);
		return;
	}
	error_mute(true);
	result = remote_ring_check_number(remote_ring);
	if (result == DOCA_SUCCESS)
		result = remote_ring_check_import(remote_ring);
	if (result == DOCA_SUCCESS)
		result = remote_ring_open_source(remote_ring);
	if (result == DOCA_SUCCESS)
		result = remote_ring_connect(remote_ring);
	error_mute(false);
	if (result == DOCA_SUCCESS)
		remote_ring_enter_tx(remote_ring, REMOTE_RING_TX_CONNECTING);
	else
		remote_ring_relay(remote_ring, dococ_last_error());
}

void remote_ring_import_offer(struct comch_remote_ring *remote_ring,
			      const uint8_t desc[EXPORT_DESCRIPTOR_LEN])
{
	doca_error_t result = remote_ring_check_number(remote_ring);

	if (result == DOCA_SUCCESS)
		result = remote_ring_check_desc(remote_ring, desc);
	if (result == DOCA_SUCCESS)
		remote_ring->import = remote_ring_import_begin(remote_ring->conn, desc,
							       remote_ring_len(remote_ring));
	if (remote_ring->import == NULL) {
		remote_ring_relay(remote_ring, dococ_last_error());
		return;
	}
	remote_ring_enter_tx(remote_ring, REMOTE_RING_TX_IMPORTING);
	remote_ring->rings->needs_poll = true;
}

/* --- requests --- */

/* Returns false if there is no room until a request completes, or if the path is broken. */
static bool remote_ring_post(struct comch_remote_ring *remote_ring,
			     enum remote_ring_request_kind kind, enum rdma_op op,
			     const struct remote_ring_piece *piece)
{
	struct remote_ring_wr *w = remote_ring->free;
	doca_error_t result;

	if (w == NULL)
		return false;
	w->kind = kind;
	w->wr = (struct rdma_wr){.qp = remote_ring->peer->qp, .op = op};
	if (kind == REMOTE_RING_REQUEST_RING) {
		w->wr.imm = htobe32((uint32_t)remote_ring->import->mmap->export_id);
	} else {
		w->sge = (struct rdma_sge){(uint8_t *)(uintptr_t)piece->from, piece->len,
					   remote_ring->mmap};
		w->wr.n_sges = 1;
		w->wr.sges = &w->sge;
		w->wr.remote_addr = (uintptr_t)remote_ring->import->mmap->addr + piece->to;
		w->wr.remote_mmap = remote_ring->import->mmap;
	}
	result = remote_ring->requester->ops->post(remote_ring->peer->qp, &w->wr);
	if (result != DOCA_SUCCESS) {
		if (result != DOCA_ERROR_AGAIN)
			remote_ring_break(remote_ring);
		return false;
	}
	remote_ring->free = w->next;
	remote_ring->n_out++;
	remote_ring->rings->n_out++;
	return true;
}

static bool credit_read_post(struct comch_remote_ring *remote_ring)
{
	const struct remote_ring_piece piece = {
		(const uint8_t *)credit_of(remote_ring, remote_ring->n_credit_reads),
		offsetof(struct remote_ring_header, ring),
		sizeof(struct channel_ring_ctl),
	};
	bool is_posted = remote_ring_post(remote_ring, REMOTE_RING_REQUEST_CREDIT, RDMA_READ,
					  &piece);

	remote_ring->n_credit_reads += is_posted;
	return is_posted;
}

/* A credit read counts once the next one confirms it, so a sender that is short of room
 * needs two. */
static bool remote_ring_is_low_on_room(const struct comch_remote_ring *remote_ring)
{
	const struct ring_producer *tx = &remote_ring->conn->tx;
	const struct channel_ring_ctl *ctl = tx->ctl;

	if (remote_ring->tx_state != REMOTE_RING_TX_UP)
		return false;
	return remote_ring->awaited_room_len != 0 ||
	       2 * (tx->n_msgs - atomic_load_explicit(&ctl->consumed_msgs, memory_order_relaxed)) >=
		       remote_ring->peer_queue ||
	       2 * (tx->pos - atomic_load_explicit(&ctl->consumed_pos, memory_order_relaxed)) >
		       tx->mask;
}

static void remote_ring_read_credit(struct comch_remote_ring *remote_ring)
{
	if (remote_ring->n_credit_reads != remote_ring->n_credit_reads_done ||
	    !remote_ring->must_read_credit || !credit_read_post(remote_ring))
		return;
	remote_ring->credit_read_msgs = remote_ring->posted_msgs;
	remote_ring->must_read_credit = remote_ring_is_low_on_room(remote_ring) &&
					!credit_read_post(remote_ring);
}

/* --- batches --- */

static void batch_add(struct comch_remote_ring *remote_ring, const void *from, uint64_t to,
		      uint64_t len)
{
	if (len != 0)
		remote_ring->pieces[remote_ring->n_pieces++] = (struct remote_ring_piece){from, to,
											  len};
}

/* Begins a batch: whole messages, from the end of the last batch to the last published one. */
static void batch_begin(struct comch_remote_ring *remote_ring)
{
	const struct ring_producer *tx = &remote_ring->conn->tx;
	uint64_t from = remote_ring->pos + CHANNEL_MSG_HEADER, len = tx->pos - remote_ring->pos;
	uint64_t at = from & tx->mask, rest = len - CHANNEL_MSG_HEADER;
	uint64_t head = MIN(rest, tx->mask + 1 - at);
	struct remote_ring_staging *staging = remote_ring_staging(remote_ring,
								  remote_ring->n_batches);
	size_t data_at;

	(void)remote_ring_plan(remote_ring->conn->ring_len, remote_ring->n_staging,
			       sizeof(struct remote_ring_commit), &data_at);
	remote_ring->n_pieces = remote_ring->piece = 0;
	remote_ring->at = 0;
	batch_add(remote_ring, remote_ring->source.bytes + remote_ring->source.data_at + at,
		  data_at + at, head);
	batch_add(remote_ring, remote_ring->source.bytes + remote_ring->source.data_at, data_at,
		  rest - head);
	memcpy(&staging->header, tx->data + (remote_ring->pos & tx->mask), sizeof(staging->header));
	staging->commit_word = len << 32 | (uint32_t)(remote_ring->n_batches + 1);
	staging->poison_word = staging->commit_word ^ UINT32_MAX;
	at = REMOTE_RING_ALIGN + (remote_ring->n_batches & (remote_ring->n_staging - 1)) *
					 sizeof(struct remote_ring_commit);
	batch_add(remote_ring, &staging->header, at, sizeof(struct remote_ring_commit));
	batch_add(remote_ring, &staging->commit_word,
		  at + offsetof(struct remote_ring_commit, word), sizeof(staging->commit_word));
	remote_ring->pos = tx->pos;
	remote_ring->batch_msgs = tx->n_msgs;
	remote_ring->n_batches++;
}

/* Returns false if there is no room. */
static bool batch_post(struct comch_remote_ring *remote_ring)
{
	uint64_t max = remote_ring->requester->limits.max_message;

	while (remote_ring->piece < remote_ring->n_pieces) {
		const struct remote_ring_piece *piece = &remote_ring->pieces[remote_ring->piece];
		struct remote_ring_piece part = {piece->from + remote_ring->at,
						 piece->to + remote_ring->at,
						 MIN(piece->len - remote_ring->at, max)};

		if (!remote_ring_post(remote_ring, REMOTE_RING_REQUEST_PIECE, RDMA_WRITE, &part))
			return false;
		remote_ring->at += part.len;
		if (remote_ring->at == piece->len) {
			remote_ring->piece++;
			remote_ring->at = 0;
		}
	}
	return true;
}

/* Posts the end of the stream, after all messages. */
static void close_post(struct comch_remote_ring *remote_ring)
{
	const struct remote_ring_piece piece = {remote_ring->source.bytes + REMOTE_RING_CLOSED_AT,
						offsetof(struct remote_ring_header, ring) +
							offsetof(struct channel_ring_ctl, closed),
						sizeof(uint32_t)};

	if (remote_ring->must_close)
		remote_ring->must_close = !remote_ring_post(remote_ring, REMOTE_RING_REQUEST_PIECE,
							    RDMA_WRITE, &piece);
}

static void ring_post(struct comch_remote_ring *remote_ring)
{
	const struct remote_ring_piece nothing = {.len = 0};

	if (remote_ring->must_ring && remote_ring->tx_state == REMOTE_RING_TX_UP)
		remote_ring->must_ring = !remote_ring_post(remote_ring, REMOTE_RING_REQUEST_RING,
							   RDMA_WRITE_IMM, &nothing);
}

static void remote_ring_pump(struct comch_remote_ring *remote_ring)
{
	bool has_room = true;

	/* Done first, because messages may use all available requests. */
	ring_post(remote_ring);
	while (remote_ring->tx_state == REMOTE_RING_TX_UP) {
		if (remote_ring->piece == remote_ring->n_pieces) {
			if (remote_ring->pos == remote_ring->conn->tx.pos)
				break;
			batch_begin(remote_ring);
		}
		has_room = batch_post(remote_ring);
		if (!has_room)
			break;
		remote_ring->posted_msgs = remote_ring->batch_msgs;
		/* The credit read also shows whether the other end sleeps. */
		remote_ring->must_read_credit = true;
	}
	if (has_room && remote_ring->tx_state == REMOTE_RING_TX_UP)
		close_post(remote_ring);
	if (remote_ring->tx_state == REMOTE_RING_TX_UP)
		remote_ring_read_credit(remote_ring);
	remote_ring_end_tasks(remote_ring);
	/* Set again, so that the next message rings. */
	atomic_store_explicit(&remote_ring->conn->tx.ctl->armed, CHANNEL_SLEEPING,
			      memory_order_relaxed);
}

void comch_remote_ring_ring(struct doca_comch_connection *conn)
{
	struct comch_remote_ring *remote_ring = conn->remote_ring;

	if (remote_ring->tx_state == REMOTE_RING_TX_UP)
		remote_ring_pump(remote_ring);
	else if (remote_ring->tx_state != REMOTE_RING_TX_BROKEN)
		doorbell_ring(conn->doorbell_fd);
}

void comch_remote_ring_await_room(struct doca_comch_connection *conn, uint32_t len)
{
	struct comch_remote_ring *remote_ring = conn->remote_ring;

	if (remote_ring->tx_state != REMOTE_RING_TX_UP)
		return;
	remote_ring->awaited_room_len = len;
	remote_ring->must_read_credit = true;
	remote_ring->rings->needs_poll = true;
	remote_ring_pump(remote_ring);
}

/* --- completions --- */

/* A device may read a word byte by byte while the other end stores it; the result may exceed both
 * values. The other end's values only increase, so the smaller result of two reads is valid. */
static void credit_apply(struct comch_remote_ring *remote_ring,
			 const struct channel_ring_ctl *credit)
{
	struct channel_ring_ctl *ctl = remote_ring->conn->tx.ctl;
	uint64_t consumed = atomic_load(&credit->consumed_msgs);
	uint64_t pos = atomic_load(&credit->consumed_pos);

	/* The sender validates both values. */
	atomic_store_explicit(&ctl->consumed_msgs, MIN(consumed, remote_ring->seen_consumed),
			      memory_order_relaxed);
	atomic_store_explicit(&ctl->consumed_pos, MIN(pos, remote_ring->seen_pos),
			      memory_order_release);
	remote_ring->seen_consumed = consumed;
	remote_ring->seen_pos = pos;
}

static void credit_read_completed(struct comch_remote_ring *remote_ring)
{
	const struct channel_ring_ctl *credit = credit_of(remote_ring,
							  remote_ring->n_credit_reads_done - 1);
	struct doca_comch_connection *conn = remote_ring->conn;

	if (remote_ring->tx_state == REMOTE_RING_TX_PROBING) {
		remote_ring_enter_tx(remote_ring, REMOTE_RING_TX_READY);
		remote_ring->rings->needs_poll = true;
		return;
	}
	if (remote_ring->tx_state != REMOTE_RING_TX_UP)
		return;
	remote_ring->arrived_msgs = remote_ring->credit_read_msgs;
	credit_apply(remote_ring, credit);
	if (atomic_load(&credit->armed) & CHANNEL_SLEEPING)
		remote_ring->must_ring = true;
	if (remote_ring->awaited_room_len != 0 &&
	    ring_producer_room(&conn->tx, remote_ring->awaited_room_len) != 0) {
		remote_ring->awaited_room_len = 0;
		remote_ring->credit_read_pause_ns = 0;
	}
}

static void request_completed(struct remote_ring_wr *w)
{
	struct comch_remote_ring *remote_ring = w->remote_ring;
	bool failed = w->wr.status != DOCA_SUCCESS;

	w->next = remote_ring->free;
	remote_ring->free = w;
	remote_ring->n_out--;
	remote_ring->rings->n_out--;
	if (w->kind == REMOTE_RING_REQUEST_CREDIT)
		remote_ring->n_credit_reads_done++;
	if (failed)
		remote_ring_break(remote_ring);
	else if (w->kind == REMOTE_RING_REQUEST_CREDIT)
		credit_read_completed(remote_ring);
	if (remote_ring->tx_state == REMOTE_RING_TX_UP)
		remote_ring_pump(remote_ring);
}

/* --- progress --- */

static void peer_check(struct comch_remote_ring *remote_ring)
{
	struct requester_peer *peer = remote_ring->peer;

	if (peer == NULL || peer->state != REQUESTER_FAILED ||
	    remote_ring->tx_state == REMOTE_RING_TX_RELAYED)
		return;
	if (remote_ring->tx_state == REMOTE_RING_TX_UP)
		remote_ring_break(remote_ring);
	else if (remote_ring->tx_state != REMOTE_RING_TX_BROKEN)
		remote_ring_relay(remote_ring,
				  peer->reason != NULL ? peer->reason : "it is not reached");
}

/* For a sender that found no room: reads the credit again, at growing intervals. */
static void remote_ring_repeat_credit_read(struct comch_remote_ring *remote_ring)
{
	uint64_t now_ns;

	if (remote_ring->awaited_room_len == 0 ||
	    remote_ring->n_credit_reads != remote_ring->n_credit_reads_done)
		return;
	now_ns = clock_now_ns();
	if (now_ns < remote_ring->credit_read_ns)
		return;
	remote_ring->credit_read_pause_ns =
		MIN(MAX(2 * remote_ring->credit_read_pause_ns, PAUSE_NS), PAUSE_MAX_NS);
	remote_ring->credit_read_ns = now_ns + remote_ring->credit_read_pause_ns;
	remote_ring->must_read_credit = true;
}

void remote_ring_advance(struct comch_remote_ring *remote_ring)
{
	remote_ring_offer_deferred(remote_ring);
	remote_ring_check_revoked(remote_ring);
	if (remote_ring->tx_state == REMOTE_RING_TX_IMPORTING &&
	    remote_ring_async_is_done(&remote_ring->import->async))
		remote_ring_import_completed(remote_ring);
	peer_check(remote_ring);
	if (remote_ring->tx_state == REMOTE_RING_TX_CONNECTING &&
	    remote_ring->peer->state == REQUESTER_READY) {
		remote_ring_enter_tx(remote_ring, REMOTE_RING_TX_PROBING);
		remote_ring->must_read_credit = true;
	}
	if (remote_ring->tx_state == REMOTE_RING_TX_PROBING)
		remote_ring_read_credit(remote_ring);
	if (remote_ring->tx_state == REMOTE_RING_TX_READY && remote_ring->conn->state == COMCH_UP)
		remote_ring_switch_tx(remote_ring);
	if (remote_ring->tx_state == REMOTE_RING_TX_UP) {
		remote_ring_repeat_credit_read(remote_ring);
		remote_ring_pump(remote_ring);
	}
	if (remote_ring->tx_state == REMOTE_RING_TX_BROKEN &&
	    clock_now_ns() >= remote_ring->give_up_ns)
		remote_ring_end_connection(remote_ring);
}

/* Returns whether something must be polled that no completion announces. */
static bool remote_ring_needs_poll(const struct comch_remote_ring *remote_ring)
{
	if (remote_ring->rx_state == REMOTE_RING_RX_EXPORTING || remote_ring_must_end(remote_ring))
		return true;
	switch (remote_ring->tx_state) {
	case REMOTE_RING_TX_RELAYED:
		return false;
	case REMOTE_RING_TX_UP:
		return remote_ring->awaited_room_len != 0 || remote_ring->held != NULL;
	case REMOTE_RING_TX_BROKEN:
		return remote_ring->conn == NULL || remote_ring->conn->state == COMCH_UP;
	default:
		return true;
	}
}

void remote_ring_poll(struct comch_remote_ring *remote_ring)
{
	struct requester *requester = remote_ring->requester;
	struct rdma_wr *wr;

	do {
		while ((wr = requester->ops->poll(requester->domain)) != NULL)
			request_completed(container_of(wr, struct remote_ring_wr, wr));
	} while (requester_poll(requester));
}

/* Returns true if the remote ring must be handled in the next poll too. */
static bool remote_ring_poll_and_advance(struct comch_remote_ring *remote_ring)
{
	if (remote_ring->requester != NULL)
		remote_ring_poll(remote_ring);
	if (remote_ring->conn != NULL) {
		remote_ring_advance(remote_ring);
		if (remote_ring->tx_state == REMOTE_RING_TX_RELAYED && remote_ring->n_out == 0)
			remote_ring_release_path(remote_ring);
		return remote_ring_needs_poll(remote_ring);
	}
	if (remote_ring->n_out == 0)
		remote_ring_free(remote_ring);
	return false;
}

/* Returns whether all connections are relayed permanently. */
static bool remote_rings_are_idle(const struct comch_remote_rings *remote_rings)
{
	return !remote_rings->needs_poll &&
	       (remote_rings->n_requesters | remote_rings->n_exports) == 0;
}

void comch_remote_rings_poll(struct comch *comch)
{
	struct comch_remote_rings *remote_rings = comch->remote_rings;
	struct comch_remote_ring *remote_ring, *tmp;
	bool needs_poll = false;

	if (remote_rings_are_idle(remote_rings))
		return;
	if (remote_rings->n_out == 0 && !remote_rings->needs_poll &&
	    ++remote_rings->n_polls < IDLE_POLLS)
		return;
	remote_rings->n_polls = 0;
	remote_rings->needs_poll = false;
	list_for_each_safe(remote_ring, tmp, &remote_rings->all, node)
		needs_poll |= remote_ring_poll_and_advance(remote_ring);
	remote_rings->needs_poll |= needs_poll;
}

/* --- sleeping --- */

/* Returns whether a work item has completed, or the remote ring must end. */
static bool remote_ring_is_due(const struct comch_remote_ring *remote_ring)
{
	bool is_exporting = remote_ring->rx_state == REMOTE_RING_RX_EXPORTING;

	if (remote_ring->conn->state != COMCH_UP)
		return false;
	if (is_exporting && !remote_ring->wants_room &&
	    remote_ring_async_is_done(&remote_ring->export->async))
		return true;
	/* Without room for the message, the return of room wakes the user. */
	if (remote_ring->tx_state == REMOTE_RING_TX_READY && !remote_ring->wants_room &&
	    !is_exporting)
		return true;
	return (remote_ring->tx_state == REMOTE_RING_TX_IMPORTING &&
		remote_ring_async_is_done(&remote_ring->import->async)) ||
	       remote_ring_must_end(remote_ring);
}

/* Returns when the remote ring must be handled if nothing else happens. */
static uint64_t remote_ring_wakes_at(const struct comch_remote_ring *remote_ring)
{
	if (remote_ring->conn == NULL)
		return UINT64_MAX;
	if (remote_ring_is_due(remote_ring))
		return 0;
	if (remote_ring->tx_state == REMOTE_RING_TX_UP && remote_ring->awaited_room_len != 0 &&
	    remote_ring->n_credit_reads == remote_ring->n_credit_reads_done)
		return remote_ring->credit_read_ns;
	if (remote_ring->tx_state == REMOTE_RING_TX_BROKEN && remote_ring->conn->state == COMCH_UP)
		return remote_ring->give_up_ns;
	return UINT64_MAX;
}

bool comch_remote_rings_arm(struct comch *comch)
{
	struct comch_remote_rings *remote_rings = comch->remote_rings;
	uint64_t at_ns = UINT64_MAX, now_ns;
	struct comch_remote_ring *remote_ring;
	bool pending = false;

	if (remote_rings == NULL || remote_rings_are_idle(remote_rings))
		return false;
	/* The first poll after a wake-up checks everything. */
	remote_rings->n_polls = IDLE_POLLS - 1;
	list_for_each(remote_ring, &remote_rings->all, node)
	{
		at_ns = MIN(at_ns, remote_ring_wakes_at(remote_ring));
		pending |= remote_ring->requester != NULL && requester_arm(remote_ring->requester);
	}
	if (at_ns == UINT64_MAX)
		return pending;
	now_ns = clock_now_ns();
	/* The single timer may be set for the daemon's events instead, so wake after 5 ms. */
	if (comch_events_pending(&comch->events))
		at_ns = MIN(at_ns, now_ns + RETRY_TRYLOCK_NS);
	return at_ns <= now_ns || comch_events_arm_at(comch, at_ns) || pending;
}

void comch_remote_rings_disarm(struct comch *comch)
{
	struct comch_remote_ring *remote_ring;

	if (comch->remote_rings == NULL)
		return;
	list_for_each(remote_ring, &comch->remote_rings->all, node)
	{
		if (remote_ring->requester != NULL)
			requester_disarm(remote_ring->requester);
	}
}
