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
#define QUIET_POLLS      64u
#define RETRY_TRYLOCK_NS (5 * NS_PER_MS)

static struct channel_ring_ctl *credit_of(const struct comch_mirror *mirror, uint32_t look)
{
	return (void *)(mirror->out.bytes + MIRROR_CREDIT_AT +
			look % MIRROR_LOOKS * MIRROR_CREDIT_LEN);
}

/* --- failure --- */

static void mirror_relay(struct comch_mirror *mirror, const char *why)
{
	mirror->state = MIRROR_RELAYED;
	if (mirror->conn != NULL)
		sdk_info("comch \"%s\": messages to the other machine are relayed: %s",
			 mirror->conn->comch->name, why);
}

/* Posted messages may be lost. The other end may merely have left, which the daemons then
 * report. */
static void mirror_break(struct comch_mirror *mirror)
{
	if (mirror->state != MIRROR_UP) {
		if (mirror->state != MIRROR_BROKEN)
			mirror_relay(mirror, "a request to its RDMA device failed");
		return;
	}
	mirror->state = MIRROR_BROKEN;
	mirror->give_up_ns = clock_now_ns() + GRACE_NS;
	mirror->of->is_unsettled = true;
}

static void mirror_give_up(struct comch_mirror *mirror)
{
	struct doca_comch_connection *conn = mirror->conn;

	if (conn == NULL || conn->state != COMCH_UP)
		return;
	(void)error_note(DOCA_ERROR_CONNECTION_RESET,
			 "comch \"%s\": the other machine is not reached by the RDMA device any "
			 "more, and messages that were sent may be lost; the connection ends",
			 conn->comch->name);
	comch_connection_leave(conn, ring_consumer_peer_closed(&conn->rx)
					     ? DOCA_SUCCESS
					     : DOCA_ERROR_CONNECTION_RESET);
	if (conn->comch->notice != NULL)
		conn->comch->notice(conn);
}

static void mirror_unwatch(struct comch_mirror *mirror, size_t n)
{
	int fds[REQUESTER_FDS];

	n = MIN(n, requester_fds(mirror->requester, fds));
	while (n-- > 0)
		pe_remove_eventfd(mirror->of->comch->ctx.pe, fds[n]);
}

/* Releases the requester and the import for the other end's remote ring; no request is in
 * progress. */
static void mirror_give_back(struct comch_mirror *mirror)
{
	if (mirror->requester != NULL) {
		mirror_unwatch(mirror, REQUESTER_FDS);
		requester_close(mirror->requester);
		mirror->of->n_requesters--;
	}
	if (mirror->mmap != NULL)
		(void)doca_mmap_destroy(mirror->mmap);
	mirror->import = mirror_import_end(mirror->import);
	mirror->requester = NULL;
	mirror->peer = NULL;
	mirror->mmap = NULL;
	mirror_memory_close(&mirror->out);
}

static void mirror_free(struct comch_mirror *mirror)
{
	mirror_give_back(mirror);
	list_remove(&mirror->node);
	free(mirror);
}

void mirror_let_go(struct comch_mirror *mirror)
{
	/* Disconnecting returns all posted requests, whatever the device does. */
	if (mirror->requester != NULL) {
		requester_disconnect(mirror->requester);
		mirror_poll(mirror);
	}
	if (mirror->n_out == 0)
		mirror_free(mirror);
}

/* --- connecting to the other end --- */

static int mirror_watch_change(void *user, int fd, bool is_there)
{
	struct doca_pe *pe = ((struct comch_mirror *)user)->of->comch->ctx.pe;

	if (is_there)
		return pe_add_shared_fd(pe, fd);
	pe_remove_eventfd(pe, fd);
	return 0;
}

static doca_error_t mirror_open_requester(struct comch_mirror *mirror)
{
	struct comch *comch = mirror->of->comch;
	int fds[REQUESTER_FDS], r = 0;
	doca_error_t result;
	size_t n;

	result = requester_open_async(comch->ctx.dev, false, MIRROR_WRS, 1, &mirror->requester);
	if (result != DOCA_SUCCESS)
		return result;
	mirror->of->n_requesters++;
	n = requester_fds(mirror->requester, fds);
	for (size_t i = 0; i < n && r == 0; i++)
		r = pe_add_shared_fd(comch->ctx.pe, fds[i]);
	if (r < 0)
		return error_set(error_from_errno(r),
				 "comch \"%s\": the RDMA device's descriptors cannot be watched "
				 "(error %d)",
				 comch->name, -r);
	mirror->requester->watch = mirror_watch_change;
	mirror->requester->user = mirror;
	return DOCA_SUCCESS;
}

static doca_error_t mirror_make_out(struct comch_mirror *mirror)
{
	uint32_t ring_len = mirror->conn->ring_len;
	doca_error_t result;

	if (!mirror_memory_open(&mirror->out, ring_len, mirror->n_stages,
				sizeof(struct mirror_stage)))
		return error_set(DOCA_ERROR_NO_MEMORY, "comch \"%s\": no memory for a ring",
				 mirror->conn->comch->name);
	*(uint32_t *)(void *)(mirror->out.bytes + MIRROR_CLOSED_AT) = 1;
	result = mmap_new(API_TASK, &mirror->mmap);
	if (result == DOCA_SUCCESS)
		result = doca_mmap_set_memrange(mirror->mmap, mirror->out.bytes, mirror->out.len);
	if (result == DOCA_SUCCESS)
		result = doca_mmap_add_dev(mirror->mmap, mirror->conn->comch->ctx.dev);
	return result == DOCA_SUCCESS ? doca_mmap_start(mirror->mmap) : result;
}

static uint64_t mirror_len(const struct comch_mirror *mirror)
{
	size_t data_at;

	return mirror_plan(mirror->conn->ring_len, mirror->n_stages, sizeof(struct mirror_stamp),
			   &data_at);
}

static doca_error_t mirror_check_import(const struct comch_mirror *mirror)
{
	const struct doca_mmap *import = mirror->import->mmap;

	if (import->region.ops->is_relayed || !import->readable || !import->writable ||
	    import->agent_id == 0 || import->len != mirror_len(mirror))
		return error_note(DOCA_ERROR_NOT_SUPPORTED,
				  "comch \"%s\": what the other end offers is not reached by an "
				  "RDMA device, or not all there",
				  mirror->conn->comch->name);
	return DOCA_SUCCESS;
}

static doca_error_t mirror_check_number(const struct comch_mirror *mirror)
{
	if (mirror->of->n_requesters < MIRROR_MAX)
		return DOCA_SUCCESS;
	return error_note(DOCA_ERROR_FULL, "comch \"%s\": %u clients are reached already",
			  mirror->conn->comch->name, MIRROR_MAX);
}

/* Returns NULL, or what is wrong with the descriptor: the other end can send any, and this process
 * would write to the memory it names. */
static const char *desc_wrong(const struct comch_mirror *mirror, const struct blob *blob)
{
	if (blob->kind != DOCOCORE__EXPORT_KIND__RDMA || !blob->has_key)
		return "is of no memory that RDMA devices reach";
	if (!mirror->knows_peer_daemon ||
	    memcmp(blob->daemon_id, mirror->peer_daemon_id, sizeof(blob->daemon_id)) != 0)
		return "is not of that end's daemon";
	if (blob->len != mirror_len(mirror))
		return "is of another length than a ring of this connection";
	if ((blob->permissions & DOCA_ACCESS_FLAG_RDMA_READ) == 0 ||
	    (blob->permissions & DOCA_ACCESS_FLAG_RDMA_WRITE) == 0)
		return "does not permit to read and write";
	return NULL;
}

static doca_error_t mirror_check_desc(const struct comch_mirror *mirror,
				      const uint8_t desc[BLOB_LEN])
{
	struct blob blob;
	enum blob_error damage = blob_decode(desc, BLOB_LEN, &blob);
	const char *wrong = damage != BLOB_OK ? blob_error_text(damage) : desc_wrong(mirror, &blob);

	explicit_bzero(&blob, sizeof(blob));
	if (wrong == NULL)
		return DOCA_SUCCESS;
	return error_note(DOCA_ERROR_INVALID_VALUE,
			  "comch \"%s\": the descriptor that the other end offers %s%s",
			  mirror->conn->comch->name, damage != BLOB_OK ? "is not usable: " : "",
			  wrong);
}

static doca_error_t mirror_call(struct comch_mirror *mirror)
{
	const struct doca_mmap *import = mirror->import->mmap;
	const struct requester_goal goal = {
		.daemon_id = import->exporter_daemon,
		.agent_id = import->agent_id,
		.import_id = import->import_id,
		.import_daemon = import->import_daemon,
	};
	doca_error_t result = mirror_open_requester(mirror);

	return result == DOCA_SUCCESS ? requester_find(mirror->requester, &goal, &mirror->peer)
				      : result;
}

/* Handles the end of the import. */
static void mirror_imported(struct comch_mirror *mirror)
{
	doca_error_t result = mirror->import->async.result;

	if (result != DOCA_SUCCESS) {
		mirror_relay(mirror, mirror->import->async.why);
		return;
	}
	error_mute(true);
	result = mirror_check_number(mirror);
	if (result == DOCA_SUCCESS)
		result = mirror_check_import(mirror);
	if (result == DOCA_SUCCESS)
		result = mirror_make_out(mirror);
	if (result == DOCA_SUCCESS)
		result = mirror_call(mirror);
	error_mute(false);
	if (result == DOCA_SUCCESS)
		mirror->state = MIRROR_CALLING;
	else
		mirror_relay(mirror, dococ_last_error());
}

void mirror_reach(struct comch_mirror *mirror, const uint8_t desc[BLOB_LEN])
{
	doca_error_t result = mirror_check_number(mirror);

	if (result == DOCA_SUCCESS)
		result = mirror_check_desc(mirror, desc);
	if (result == DOCA_SUCCESS)
		mirror->import = mirror_import(mirror->conn, desc, mirror_len(mirror));
	if (mirror->import == NULL) {
		mirror_relay(mirror, dococ_last_error());
		return;
	}
	mirror->state = MIRROR_IMPORTING;
	mirror->of->is_unsettled = true;
}

/* --- requests --- */

/* Returns false if there is no room until a request completes, or if the path is broken. */
static bool mirror_post(struct comch_mirror *mirror, enum mirror_kind kind, enum rdma_op op,
			const struct mirror_piece *piece)
{
	struct mirror_wr *w = mirror->free;
	doca_error_t result;

	if (w == NULL)
		return false;
	w->kind = kind;
	w->wr = (struct rdma_wr){.qp = mirror->peer->qp, .op = op};
	if (kind == MIRROR_RING) {
		w->wr.imm = htobe32((uint32_t)mirror->import->mmap->export_id);
	} else {
		w->sge = (struct rdma_sge){(uint8_t *)(uintptr_t)piece->from, piece->len,
					   mirror->mmap};
		w->wr.n_sges = 1;
		w->wr.sges = &w->sge;
		w->wr.remote_addr = (uintptr_t)mirror->import->mmap->addr + piece->to;
		w->wr.remote_mmap = mirror->import->mmap;
	}
	result = mirror->requester->ops->post(mirror->peer->qp, &w->wr);
	if (result != DOCA_SUCCESS) {
		if (result != DOCA_ERROR_AGAIN)
			mirror_break(mirror);
		return false;
	}
	mirror->free = w->next;
	mirror->n_out++;
	mirror->of->n_out++;
	return true;
}

static bool look_post(struct comch_mirror *mirror)
{
	const struct mirror_piece piece = {
		(const uint8_t *)credit_of(mirror, mirror->n_looks),
		offsetof(struct mirror_header, ring),
		sizeof(struct channel_ring_ctl),
	};
	bool is_posted = mirror_post(mirror, MIRROR_CREDIT, RDMA_READ, &piece);

	mirror->n_looks += is_posted;
	return is_posted;
}

/* A credit read counts once the next one confirms it, so a sender that is short of room
 * needs two. */
static bool mirror_is_short(const struct comch_mirror *mirror)
{
	const struct ring_producer *tx = &mirror->conn->tx;
	const struct channel_ring_ctl *ctl = tx->ctl;

	if (mirror->state != MIRROR_UP)
		return false;
	return mirror->want_len != 0 ||
	       2 * (tx->n_msgs - atomic_load_explicit(&ctl->consumed_msgs, memory_order_relaxed)) >=
		       mirror->peer_queue ||
	       2 * (tx->pos - atomic_load_explicit(&ctl->consumed_pos, memory_order_relaxed)) >
		       tx->mask;
}

static void mirror_look(struct comch_mirror *mirror)
{
	if (mirror->n_looks != mirror->n_seen || !mirror->must_look || !look_post(mirror))
		return;
	mirror->looked_msgs = mirror->posted_msgs;
	mirror->must_look = mirror_is_short(mirror) && !look_post(mirror);
}

/* --- batches --- */

static void batch_add(struct comch_mirror *mirror, const void *from, uint64_t to, uint64_t len)
{
	if (len != 0)
		mirror->pieces[mirror->n_pieces++] = (struct mirror_piece){from, to, len};
}

/* Begins a batch: whole messages, from the end of the last batch to the last published one. */
static void batch_begin(struct comch_mirror *mirror)
{
	const struct ring_producer *tx = &mirror->conn->tx;
	uint64_t from = mirror->pos + CHANNEL_MSG_HEADER, len = tx->pos - mirror->pos;
	uint64_t at = from & tx->mask, rest = len - CHANNEL_MSG_HEADER;
	uint64_t head = MIN(rest, tx->mask + 1 - at);
	struct mirror_stage *stage = mirror_stage(mirror, mirror->n_batches);
	size_t data_at;

	(void)mirror_plan(mirror->conn->ring_len, mirror->n_stages, sizeof(struct mirror_stamp),
			  &data_at);
	mirror->n_pieces = mirror->piece = 0;
	mirror->at = 0;
	batch_add(mirror, mirror->out.bytes + mirror->out.data_at + at, data_at + at, head);
	batch_add(mirror, mirror->out.bytes + mirror->out.data_at, data_at, rest - head);
	memcpy(&stage->header, tx->data + (mirror->pos & tx->mask), sizeof(stage->header));
	stage->word = len << 32 | (uint32_t)(mirror->n_batches + 1);
	stage->other_word = stage->word ^ UINT32_MAX;
	at = MIRROR_PART +
	     (mirror->n_batches & (mirror->n_stages - 1)) * sizeof(struct mirror_stamp);
	batch_add(mirror, &stage->header, at, sizeof(struct mirror_stamp));
	batch_add(mirror, &stage->word, at + offsetof(struct mirror_stamp, word),
		  sizeof(stage->word));
	mirror->pos = tx->pos;
	mirror->batch_msgs = tx->n_msgs;
	mirror->n_batches++;
}

/* Returns false if there is no room. */
static bool batch_post(struct comch_mirror *mirror)
{
	uint64_t max = mirror->requester->limits.max_message;

	while (mirror->piece < mirror->n_pieces) {
		const struct mirror_piece *piece = &mirror->pieces[mirror->piece];
		struct mirror_piece part = {piece->from + mirror->at, piece->to + mirror->at,
					    MIN(piece->len - mirror->at, max)};

		if (!mirror_post(mirror, MIRROR_PIECE, RDMA_WRITE, &part))
			return false;
		mirror->at += part.len;
		if (mirror->at == piece->len) {
			mirror->piece++;
			mirror->at = 0;
		}
	}
	return true;
}

/* Posts the end of the stream, after all messages. */
static void close_post(struct comch_mirror *mirror)
{
	const struct mirror_piece piece = {mirror->out.bytes + MIRROR_CLOSED_AT,
					   offsetof(struct mirror_header, ring) +
						   offsetof(struct channel_ring_ctl, closed),
					   sizeof(uint32_t)};

	if (mirror->must_close)
		mirror->must_close = !mirror_post(mirror, MIRROR_PIECE, RDMA_WRITE, &piece);
}

static void ring_post(struct comch_mirror *mirror)
{
	const struct mirror_piece nothing = {.len = 0};

	if (mirror->must_ring && mirror->state == MIRROR_UP)
		mirror->must_ring = !mirror_post(mirror, MIRROR_RING, RDMA_WRITE_IMM, &nothing);
}

static void mirror_pump(struct comch_mirror *mirror)
{
	bool has_room = true;

	/* Done first, because messages may use all available requests. */
	ring_post(mirror);
	while (mirror->state == MIRROR_UP) {
		if (mirror->piece == mirror->n_pieces) {
			if (mirror->pos == mirror->conn->tx.pos)
				break;
			batch_begin(mirror);
		}
		has_room = batch_post(mirror);
		if (!has_room)
			break;
		mirror->posted_msgs = mirror->batch_msgs;
		/* The credit read also shows whether the other end sleeps. */
		mirror->must_look = true;
	}
	if (has_room && mirror->state == MIRROR_UP)
		close_post(mirror);
	if (mirror->state == MIRROR_UP)
		mirror_look(mirror);
	mirror_end_tasks(mirror);
	/* Set again, so that the next message rings. */
	atomic_store_explicit(&mirror->conn->tx.ctl->armed, CHANNEL_SLEEPING, memory_order_relaxed);
}

void comch_mirror_ring(struct doca_comch_connection *conn)
{
	struct comch_mirror *mirror = conn->mirror;

	if (mirror->state == MIRROR_UP)
		mirror_pump(mirror);
	else if (mirror->state != MIRROR_BROKEN)
		doorbell_ring(conn->bell_fd);
}

void comch_mirror_want(struct doca_comch_connection *conn, uint32_t len)
{
	struct comch_mirror *mirror = conn->mirror;

	if (mirror->state != MIRROR_UP)
		return;
	mirror->want_len = len;
	mirror->must_look = true;
	mirror->of->is_unsettled = true;
	mirror_pump(mirror);
}

/* --- completions --- */

/* A device may read a word byte by byte while the other end stores it; the result may exceed both
 * values. The other end's values only increase, so the smaller result of two reads is valid. */
static void credit_take(struct comch_mirror *mirror, const struct channel_ring_ctl *credit)
{
	struct channel_ring_ctl *ctl = mirror->conn->tx.ctl;
	uint64_t consumed = atomic_load(&credit->consumed_msgs);
	uint64_t pos = atomic_load(&credit->consumed_pos);

	/* The sender validates both values. */
	atomic_store_explicit(&ctl->consumed_msgs, MIN(consumed, mirror->seen_consumed),
			      memory_order_relaxed);
	atomic_store_explicit(&ctl->consumed_pos, MIN(pos, mirror->seen_pos), memory_order_release);
	mirror->seen_consumed = consumed;
	mirror->seen_pos = pos;
}

static void credit_came(struct comch_mirror *mirror)
{
	const struct channel_ring_ctl *credit = credit_of(mirror, mirror->n_seen - 1);
	struct doca_comch_connection *conn = mirror->conn;

	if (mirror->state == MIRROR_PROBING) {
		mirror->state = MIRROR_REACHED;
		mirror->of->is_unsettled = true;
		return;
	}
	if (mirror->state != MIRROR_UP)
		return;
	mirror->seen_msgs = mirror->looked_msgs;
	credit_take(mirror, credit);
	if (atomic_load(&credit->armed) & CHANNEL_SLEEPING)
		mirror->must_ring = true;
	if (mirror->want_len != 0 && ring_producer_room(&conn->tx, mirror->want_len) != 0) {
		mirror->want_len = 0;
		mirror->pause_ns = 0;
	}
}

static void request_came(struct mirror_wr *w)
{
	struct comch_mirror *mirror = w->mirror;
	bool failed = w->wr.status != DOCA_SUCCESS;

	w->next = mirror->free;
	mirror->free = w;
	mirror->n_out--;
	mirror->of->n_out--;
	if (w->kind == MIRROR_CREDIT)
		mirror->n_seen++;
	if (failed)
		mirror_break(mirror);
	else if (w->kind == MIRROR_CREDIT)
		credit_came(mirror);
	if (mirror->state == MIRROR_UP)
		mirror_pump(mirror);
}

/* --- progress --- */

static void peer_check(struct comch_mirror *mirror)
{
	struct requester_peer *peer = mirror->peer;

	if (peer == NULL || peer->state != REQUESTER_FAILED || mirror->state == MIRROR_RELAYED)
		return;
	if (mirror->state == MIRROR_UP)
		mirror_break(mirror);
	else if (mirror->state != MIRROR_BROKEN)
		mirror_relay(mirror, peer->reason != NULL ? peer->reason : "it is not reached");
}

/* For a sender that found no room: reads the credit again, at growing intervals. */
static void mirror_look_again(struct comch_mirror *mirror)
{
	uint64_t now_ns;

	if (mirror->want_len == 0 || mirror->n_looks != mirror->n_seen)
		return;
	now_ns = clock_now_ns();
	if (now_ns < mirror->look_ns)
		return;
	mirror->pause_ns = MIN(MAX(2 * mirror->pause_ns, PAUSE_NS), PAUSE_MAX_NS);
	mirror->look_ns = now_ns + mirror->pause_ns;
	mirror->must_look = true;
}

void mirror_go_on(struct comch_mirror *mirror)
{
	mirror_offer_deferred(mirror);
	mirror_check_revoked(mirror);
	if (mirror->state == MIRROR_IMPORTING && mirror_async_is_over(&mirror->import->async))
		mirror_imported(mirror);
	peer_check(mirror);
	if (mirror->state == MIRROR_CALLING && mirror->peer->state == REQUESTER_READY) {
		mirror->state = MIRROR_PROBING;
		mirror->must_look = true;
	}
	if (mirror->state == MIRROR_PROBING)
		mirror_look(mirror);
	if (mirror->state == MIRROR_REACHED && mirror->conn->state == COMCH_UP)
		mirror_switch(mirror);
	if (mirror->state == MIRROR_UP) {
		mirror_look_again(mirror);
		mirror_pump(mirror);
	}
	if (mirror->state == MIRROR_BROKEN && clock_now_ns() >= mirror->give_up_ns)
		mirror_give_up(mirror);
}

/* Returns whether something must be polled that no completion announces. */
static bool mirror_is_unsettled(const struct comch_mirror *mirror)
{
	if (mirror->exposure != NULL && (!mirror->is_offered || mirror_must_end(mirror)))
		return true;
	switch (mirror->state) {
	case MIRROR_RELAYED:
		return false;
	case MIRROR_UP:
		return mirror->want_len != 0 || mirror->held != NULL;
	case MIRROR_BROKEN:
		return mirror->conn == NULL || mirror->conn->state == COMCH_UP;
	default:
		return true;
	}
}

void mirror_poll(struct comch_mirror *mirror)
{
	struct requester *requester = mirror->requester;
	struct rdma_wr *wr;

	do {
		while ((wr = requester->ops->poll(requester->port)) != NULL)
			request_came(container_of(wr, struct mirror_wr, wr));
	} while (requester_attend(requester));
}

/* Returns true if the remote ring must be handled in the next poll too. */
static bool mirror_work(struct comch_mirror *mirror)
{
	if (mirror->requester != NULL)
		mirror_poll(mirror);
	if (mirror->conn != NULL) {
		mirror_go_on(mirror);
		if (mirror->state == MIRROR_RELAYED && mirror->n_out == 0)
			mirror_give_back(mirror);
		return mirror_is_unsettled(mirror);
	}
	if (mirror->n_out == 0)
		mirror_free(mirror);
	return false;
}

/* Returns whether all connections are relayed permanently. */
static bool mirrors_are_quiet(const struct comch_mirrors *mirrors)
{
	return !mirrors->is_unsettled && (mirrors->n_requesters | mirrors->n_exposed) == 0;
}

void comch_mirrors_work(struct comch *comch)
{
	struct comch_mirrors *mirrors = comch->mirrors;
	struct comch_mirror *mirror, *tmp;
	bool is_unsettled = false;

	if (mirrors_are_quiet(mirrors))
		return;
	if (mirrors->n_out == 0 && !mirrors->is_unsettled && ++mirrors->n_polls < QUIET_POLLS)
		return;
	mirrors->n_polls = 0;
	mirrors->is_unsettled = false;
	list_for_each_safe(mirror, tmp, &mirrors->all, node) is_unsettled |= mirror_work(mirror);
	mirrors->is_unsettled |= is_unsettled;
}

/* --- sleeping --- */

/* Returns whether a work item has completed, or the remote ring must end. */
static bool mirror_is_due(const struct comch_mirror *mirror)
{
	const struct mirror_exposure *exposure = mirror->exposure;

	if (mirror->conn->state != COMCH_UP)
		return false;
	if (exposure != NULL && !mirror->wants_room && !mirror->is_offered &&
	    mirror_async_is_over(&exposure->async))
		return true;
	/* Without room for the message, the return of room wakes the user. */
	if (mirror->state == MIRROR_REACHED && !mirror->wants_room &&
	    (exposure == NULL || mirror->is_offered))
		return true;
	return (mirror->state == MIRROR_IMPORTING &&
		mirror_async_is_over(&mirror->import->async)) ||
	       (exposure != NULL && mirror_must_end(mirror));
}

/* Returns when the remote ring must be handled if nothing else happens. */
static uint64_t mirror_wakes_at(const struct comch_mirror *mirror)
{
	if (mirror->conn == NULL)
		return UINT64_MAX;
	if (mirror_is_due(mirror))
		return 0;
	if (mirror->state == MIRROR_UP && mirror->want_len != 0 &&
	    mirror->n_looks == mirror->n_seen)
		return mirror->look_ns;
	if (mirror->state == MIRROR_BROKEN && mirror->conn->state == COMCH_UP)
		return mirror->give_up_ns;
	return UINT64_MAX;
}

bool comch_mirrors_arm(struct comch *comch)
{
	struct comch_mirrors *mirrors = comch->mirrors;
	uint64_t at_ns = UINT64_MAX, now_ns;
	struct comch_mirror *mirror;
	bool pending = false;

	if (mirrors == NULL || mirrors_are_quiet(mirrors))
		return false;
	/* The first poll after a wake-up checks everything. */
	mirrors->n_polls = QUIET_POLLS - 1;
	list_for_each(mirror, &mirrors->all, node)
	{
		at_ns = MIN(at_ns, mirror_wakes_at(mirror));
		pending |= mirror->requester != NULL && requester_arm(mirror->requester);
	}
	if (at_ns == UINT64_MAX)
		return pending;
	now_ns = clock_now_ns();
	/* The single timer may be set for the daemon's events instead, so wake after 5 ms. */
	if (comch_events_pending(&comch->events))
		at_ns = MIN(at_ns, now_ns + RETRY_TRYLOCK_NS);
	return at_ns <= now_ns || comch_events_arm_at(comch, at_ns) || pending;
}

void comch_mirrors_disarm(struct comch *comch)
{
	struct comch_mirror *mirror;

	if (comch->mirrors == NULL)
		return;
	list_for_each(mirror, &comch->mirrors->all, node)
	{
		if (mirror->requester != NULL)
			requester_disarm(mirror->requester);
	}
}
