/*
 * Producer: messages to consumers on other machines; see comch_far.h.
 *
 * A message takes the next receive that the copy of the consumer's state has, and is written in
 * pieces, in this order: the payload to the bounce area if it does not fit a slot, the slot's body,
 * the slot with another word than the one that completes it, and that word. Requests of a queue
 * pair take effect in order, so a consumer that sees the word has all of it; the task ends when the
 * word has arrived.
 *
 * What the consumer has posted is read from its memory: header, then those descriptors that are
 * new. One such look is under way at a time, while messages are, and when there is no receive left.
 * The header also says whether the consumer sleeps: it is looked at after each word, and the
 * consumer is rung by a write of nothing with immediate data, which its responder hears. By relay
 * the responder writes itself, and rings without being asked.
 *
 * All that is read there may be a lie. It decides where in the consumer's own slots is written, and
 * how much: the device or the daemons refuse what lies outside.
 * Threads: those of the producer's progress engine.
 */
#include "client/engine/comch_far.h"

#include <doca_mmap.h>
#include <endian.h>
#include <stdlib.h>
#include <string.h>

#include "client/core/mmap.h"
#include "client/core/requester.h"
#include "client/engine/comch_copy.h"
#include "util/clock.h"
#include "util/fd.h"
#include "util/memfd.h"

#define FAR_SENDS  32u /* messages under way to one consumer */
#define FAR_PIECES 4u
#define FAR_WRS    64u
#define FAR_DESCS  128u /* of one look */
/* Longer pieces are cut: looks are not to wait for all of them. */
#define FAR_BYTES (1u << 20)
/* A producer that stops waits as long for what is under way. */
#define STOP_WAIT_NS (2 * NS_PER_SEC)

/* Where requests read and write here. */
enum { HEADER_AT = 0, DESCS_AT = 1024, STAGES_AT = 4096 };

_Static_assert(sizeof(struct slots_header) <= DESCS_AT, "the header has its place");
_Static_assert(DESCS_AT + FAR_DESCS * sizeof(struct slots_desc) <= STAGES_AT, "so do descriptors");

/* A slot as it is written, the word that completes it, and its body behind. */
struct far_stage {
	uint8_t bytes[SLOTS_SHORT_LEN];
	uint64_t other_word, info;
	uint64_t word;
	uint64_t reserved[5];
};

_Static_assert(offsetof(struct far_stage, other_word) == offsetof(struct slots_slot, word) &&
		       offsetof(struct far_stage, info) == offsetof(struct slots_slot, info),
	       "a stage begins as a slot does");
_Static_assert(sizeof(struct far_stage) == 128, "bodies are aligned");

struct far_piece {
	const uint8_t *from;
	const struct doca_mmap *mmap;
	uint64_t to, len;
};

struct far_send {
	struct doca_comch_producer_task_send *task;
	uint64_t slot;
	uint32_t n_pieces, piece; /* that is posted next */
	uint64_t at;              /* from where on */
	uint32_t n_out;
	doca_error_t status;
	struct far_piece pieces[FAR_PIECES];
};

enum far_kind { FAR_PIECE, FAR_HEADER, FAR_DESC, FAR_RING };

struct far_wr {
	struct rdma_wr wr;
	struct rdma_sge sge;
	struct far_wr *next; /* free */
	enum far_kind kind;
	struct far_send *send;
};

/* One producer's way to one consumer. */
struct comch_far {
	struct list node; /* comch_fars */
	struct doca_comch_producer *producer;
	struct comch_remote *to;
	struct requester *requester;
	struct requester_peer *peer;
	size_t n_fds;           /* of the requester's that are watched */
	struct doca_mmap *mmap; /* of memory */
	uint8_t *memory;
	size_t stage_len;
	bool is_let_go; /* ends when nothing is under way */
	bool is_broken; /* takes nothing any more */
	bool is_cut;    /* what is posted comes back */
	bool must_look, is_looking, must_ring;
	uint64_t seen; /* posted by the consumer, as its header said last */
	uint64_t look_from;
	uint32_t look_n;
	/* Sends, counted: under way from first on, not wholly posted from next on. */
	uint64_t first, next, last;
	uint32_t n_out;
	struct far_wr *free;
	struct far_send sends[FAR_SENDS];
	struct far_wr wrs[FAR_WRS];
};

struct comch_fars {
	struct list all;
	struct doca_task *ready, **ready_tail; /* over, to be called back */
	int bell_fd;                           /* the connection has ended */
	uint64_t give_up_ns;                   /* stopping */
};

static struct doca_comch_producer *producer_of(const struct doca_ctx *ctx)
{
	return container_of(ctx, struct doca_comch_producer, ctx);
}

/* --- life --- */

static void far_close(struct comch_far *far)
{
	struct doca_pe *pe = far->producer->ctx.pe;
	int fds[REQUESTER_FDS];
	size_t n = 0;

	list_remove(&far->node);
	/* What the requester has closed itself may be another's by now. */
	if (far->n_fds > 0)
		n = MIN(requester_fds(far->requester, fds), far->n_fds);
	for (size_t i = 0; i < n; i++)
		pe_remove_eventfd(pe, fds[i]);
	requester_close(far->requester);
	if (far->mmap != NULL)
		(void)doca_mmap_destroy(far->mmap);
	free(far->memory);
	comch_remote_unref(far->to);
	free(far);
}

static doca_error_t far_make_memory(struct comch_far *far)
{
	size_t page = memfd_page_size(), len;
	doca_error_t result;
	void *memory;

	far->stage_len = sizeof(struct far_stage) + far->to->stride;
	len = ALIGN_UP(STAGES_AT + FAR_SENDS * far->stage_len, page);
	if (posix_memalign(&memory, page, len) != 0)
		return error_set(DOCA_ERROR_NO_MEMORY, "comch producer send: out of memory");
	far->memory = __builtin_memset(memory, 0, len);
	result = mmap_new(API_TASK, &far->mmap);
	if (result == DOCA_SUCCESS)
		result = doca_mmap_set_memrange(far->mmap, memory, len);
	if (result == DOCA_SUCCESS)
		result = doca_mmap_add_dev(far->mmap, far->producer->ctx.dev);
	return result == DOCA_SUCCESS ? doca_mmap_start(far->mmap) : result;
}

static doca_error_t far_watch(struct comch_far *far)
{
	int fds[REQUESTER_FDS];
	size_t n = requester_fds(far->requester, fds);

	for (size_t i = 0; i < n; i++) {
		int r = pe_add_shared_fd(far->producer->ctx.pe, fds[i]);

		if (r < 0)
			return error_set(error_from_errno(r),
					 "comch producer send: a descriptor of the way to consumer "
					 "%u cannot be watched (error %d)",
					 far->to->id, -r);
		far->n_fds++;
	}
	return DOCA_SUCCESS;
}

static doca_error_t far_connect(struct comch_far *far)
{
	const struct doca_mmap *import = far->to->far->import;
	const struct requester_goal goal = {
		.daemon_id = import->exporter_daemon,
		.agent_id = import->agent_id,
		.import_id = import->import_id,
		.import_daemon = import->import_daemon,
	};
	doca_error_t result = requester_open(far->producer->ctx.dev, import->region.ops->is_relayed,
					     FAR_WRS, 1, &far->requester);

	if (result == DOCA_SUCCESS)
		result = requester_find(far->requester, &goal, &far->peer);
	return result == DOCA_SUCCESS ? far_watch(far) : result;
}

static doca_error_t far_open(struct doca_comch_producer *producer, struct comch_remote *to,
			     struct comch_far **far_out)
{
	struct comch_far *far = calloc(1, sizeof(*far));
	doca_error_t result;

	if (far == NULL)
		return error_set(DOCA_ERROR_NO_MEMORY, "comch producer send: out of memory");
	far->producer = producer;
	far->to = to;
	atomic_fetch_add_explicit(&to->refs, 1, memory_order_relaxed);
	list_append(&producer->fars->all, &far->node);
	for (size_t i = 0; i < FAR_WRS; i++) {
		far->wrs[i].next = far->free;
		far->free = &far->wrs[i];
	}
	far->seen = atomic_load(&to->header->posted);
	far->must_look = true;
	result = far_make_memory(far);
	if (result == DOCA_SUCCESS)
		result = far_connect(far);
	if (result != DOCA_SUCCESS) {
		far_close(far);
		return result;
	}
	*far_out = far;
	return DOCA_SUCCESS;
}

static doca_error_t fars_open(struct doca_comch_producer *producer)
{
	struct comch_fars *fars = calloc(1, sizeof(*fars));
	int r = -ENOMEM;

	if (fars != NULL) {
		fars->bell_fd = r = fd_eventfd();
		if (r >= 0)
			r = pe_add_eventfd(producer->ctx.pe, fars->bell_fd);
	}
	if (r < 0) {
		if (fars != NULL)
			fd_close(&fars->bell_fd);
		free(fars);
		return error_set(error_from_errno(r),
				 "comch producer send: no means to hear of the connection's end "
				 "(error %d)",
				 -r);
	}
	list_init(&fars->all);
	fars->ready_tail = &fars->ready;
	producer->fars = fars;
	comch_link_set_bell(&producer->member, fars->bell_fd);
	ctx_set_polled(&producer->ctx, true);
	return DOCA_SUCCESS;
}

void comch_fars_close(struct doca_comch_producer *producer)
{
	struct comch_fars *fars = producer->fars;

	if (fars == NULL)
		return;
	ctx_set_polled(&producer->ctx, false);
	comch_link_set_bell(&producer->member, -1);
	while (!list_is_empty(&fars->all))
		far_close(list_entry(fars->all.next, struct comch_far, node));
	pe_remove_eventfd(producer->ctx.pe, fars->bell_fd);
	fd_close(&fars->bell_fd);
	free(fars);
	producer->fars = NULL;
}

static struct comch_far *far_find(const struct doca_comch_producer *producer,
				  const struct comch_remote *to)
{
	struct comch_far *far;

	list_for_each(far, &producer->fars->all, node)
	{
		if (far->to == to && !far->is_let_go)
			return far;
	}
	return NULL;
}

void comch_far_let_go(struct doca_comch_producer *producer, const struct comch_remote *to)
{
	struct comch_far *far = producer->fars != NULL ? far_find(producer, to) : NULL;

	if (far != NULL)
		far->is_let_go = true;
}

/* --- what is over --- */

static doca_error_t far_is_lost(const struct comch_far *far)
{
	const struct comch_link *link = far->producer->member.link;

	if (comch_link_ended(link) != 0)
		return error_set(comch_link_code(link),
				 "comch producer send: the connection of \"%s\" has ended before "
				 "it was known that the message arrived",
				 link->name);
	return error_set(
		DOCA_ERROR_CONNECTION_RESET,
		"comch producer send: consumer %u is not reached any more, and it is not known "
		"whether the message arrived: it has stopped, or its process has ended, or the "
		"network to it is cut; send to another, or connect anew",
		far->to->id);
}

static doca_error_t far_is_holed(const struct comch_remote *to)
{
	return error_set(DOCA_ERROR_CONNECTION_RESET,
			 "comch producer send: a producer of this process broke or stopped in the "
			 "middle of a message to consumer %u, which waits for it; connect anew",
			 to->id);
}

static bool send_is_over(const struct far_send *send)
{
	return send->n_out == 0 && send->piece == send->n_pieces;
}

static void sends_end(struct comch_far *far)
{
	struct comch_fars *fars = far->producer->fars;

	while (far->first != far->next) {
		struct far_send *send = &far->sends[far->first % FAR_SENDS];
		struct doca_task *task = &send->task->base;

		if (!send_is_over(send))
			return;
		far->first++;
		task->status = send->status;
		task->next = NULL;
		*fars->ready_tail = task;
		fars->ready_tail = &task->next;
	}
}

static void far_cut(struct comch_far *far)
{
	if (!far->is_cut)
		requester_disconnect(far->requester);
	far->is_cut = true;
}

/* What is posted comes back; what is not never is. */
static void far_break(struct comch_far *far)
{
	if (far->is_broken)
		return;
	far->is_broken = true;
	/* Nobody completes what they claimed. */
	if (far->first != far->last)
		atomic_store(&far->to->far->is_holed, true);
	for (uint64_t i = far->next; i != far->last; i++) {
		struct far_send *send = &far->sends[i % FAR_SENDS];

		send->piece = send->n_pieces;
		if (send->status == DOCA_SUCCESS)
			send->status = far_is_lost(far);
	}
	far->next = far->last;
	far_cut(far);
}

/* --- requests --- */

/* AGAIN: later. */
static doca_error_t far_post(struct comch_far *far, enum far_kind kind, enum rdma_op op,
			     const struct far_piece *piece)
{
	struct far_wr *w = far->free;
	doca_error_t result;

	if (w == NULL)
		return DOCA_ERROR_AGAIN;
	w->kind = kind;
	w->sge = (struct rdma_sge){
		.addr = (uint8_t *)piece->from, .len = piece->len, .mmap = piece->mmap};
	w->wr = (struct rdma_wr){.qp = far->peer->qp, .op = op};
	if (kind == FAR_RING) {
		w->wr.imm = htobe32((uint32_t)far->to->far->import->export_id);
	} else {
		w->wr.n_sges = 1;
		w->wr.sges = &w->sge;
		w->wr.remote_addr = piece->to;
		w->wr.remote_mmap = far->to->far->import;
	}
	result = far->requester->ops->post(far->peer->qp, &w->wr);
	if (result != DOCA_SUCCESS)
		return result;
	far->free = w->next;
	far->n_out++;
	return DOCA_SUCCESS;
}

/* False: there is no room until a request comes back, or the way is broken. */
static bool far_try(struct comch_far *far, enum far_kind kind, enum rdma_op op,
		    const struct far_piece *piece)
{
	doca_error_t result = far_post(far, kind, op, piece);

	if (result != DOCA_SUCCESS && result != DOCA_ERROR_AGAIN)
		far_break(far);
	return result == DOCA_SUCCESS;
}

/* --- looks at what the consumer has posted --- */

static void look_at_descs(struct comch_far *far, uint64_t posted)
{
	const struct comch_far_slots *slots = far->to->far;
	uint32_t place = (uint32_t)posted & far->to->mask;
	struct far_piece piece = {.from = far->memory + DESCS_AT, .mmap = far->mmap};

	far->look_from = posted;
	far->look_n = (uint32_t)MIN(MIN(far->seen - posted, (uint64_t)FAR_DESCS),
				    (uint64_t)far->to->mask + 1 - place);
	piece.to = slots->base + slots->at.desc_at + place * sizeof(struct slots_desc);
	piece.len = far->look_n * sizeof(struct slots_desc);
	far->is_looking = far_try(far, FAR_DESC, RDMA_READ, &piece);
}

static void far_look(struct comch_far *far)
{
	const struct far_piece header = {
		.from = far->memory + HEADER_AT,
		.mmap = far->mmap,
		.to = far->to->far->base,
		.len = sizeof(struct slots_header),
	};
	uint64_t posted;

	if (far->is_looking || far->is_broken)
		return;
	posted = atomic_load_explicit(&far->to->header->posted, memory_order_acquire);
	if ((int64_t)(far->seen - posted) > 0) {
		look_at_descs(far, posted);
	} else if (far->must_look) {
		far->is_looking = far_try(far, FAR_HEADER, RDMA_READ, &header);
		far->must_look = !far->is_looking;
	}
}

static void header_came(struct comch_far *far)
{
	const struct slots_header *header = (const void *)(far->memory + HEADER_AT);
	struct slots_header *own = far->to->header;
	uint64_t consumed = atomic_load(&header->consumed);

	far->is_looking = false;
	if (atomic_load(&header->closed))
		atomic_store(&own->closed, 1);
	if (!far->requester->relays && (atomic_load(&header->armed) & CHANNEL_SLEEPING))
		far->must_ring = true;
	pthread_mutex_lock(&far->to->far->lock);
	if ((int64_t)(consumed - atomic_load(&own->consumed)) > 0)
		atomic_store(&own->consumed, consumed);
	pthread_mutex_unlock(&far->to->far->lock);
	far->seen = atomic_load(&header->posted);
	/* At most a lap beyond what was there for us: more is a lie. */
	if ((int64_t)(far->seen - atomic_load(&own->posted)) > (int64_t)far->to->mask + 1)
		far_break(far);
}

/* Another producer may have been here; what it took may be posted anew, so nothing of it counts. */
static void descs_came(struct comch_far *far)
{
	const struct slots_desc *from = (const void *)(far->memory + DESCS_AT);
	struct slots_header *own = far->to->header;
	uint64_t posted;

	far->is_looking = false;
	pthread_mutex_lock(&far->to->far->lock);
	posted = atomic_load(&own->posted);
	for (uint32_t i = 0; i < far->look_n; i++) {
		struct slots_desc *desc = &far->to->descs[(far->look_from + i) & far->to->mask];

		if (far->look_from + i < posted)
			continue;
		atomic_store_explicit(&desc->room, atomic_load(&from[i].room),
				      memory_order_relaxed);
	}
	if (far->look_from + far->look_n > posted)
		atomic_store_explicit(&own->posted, far->look_from + far->look_n,
				      memory_order_release);
	pthread_mutex_unlock(&far->to->far->lock);
}

/* --- sends --- */

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

/* The last pieces: the slot, and the word that completes it. */
static void send_add_slot(const struct comch_far *far, struct far_send *send, enum slots_kind kind,
			  uint32_t imm_len, uint64_t info)
{
	const struct comch_far_slots *slots = far->to->far;
	struct far_stage *stage = send_stage(far, send);
	size_t skip = kind == SLOTS_SHORT ? 0 : offsetof(struct slots_slot, word);
	uint64_t at = slots->base + slots->at.slot_at +
		      (send->slot & far->to->mask) * sizeof(struct slots_slot);

	stage->word = (uint64_t)imm_len << 40 | (uint64_t)kind << 32 | (uint32_t)(send->slot + 1);
	stage->other_word = ~stage->word & UINT32_MAX;
	stage->info = info;
	send_add(send, (uint8_t *)stage + skip, far->mmap, at + skip,
		 sizeof(struct slots_slot) - skip);
	send_add(send, &stage->word, far->mmap, at + offsetof(struct slots_slot, word),
		 sizeof(stage->word));
}

/* at: in the bounce area, of a message that goes through it. */
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
		comch_copy(body + len, message->from, (uint32_t)message->len);
		len += message->len;
	}
	if (kind != SLOTS_SHORT)
		send_add(send, body, far->mmap,
			 slots->base + slots->at.body_at +
				 (send->slot & far->to->mask) * (uint64_t)far->to->stride,
			 len);
	send_add_slot(far, send, kind, message->imm_len, info);
}

/* Its memory is not to be had for the device: the receive is posted again by the consumer. */
static void send_spoil(struct comch_far *far, struct far_send *send, doca_error_t code)
{
	if (send->status != DOCA_SUCCESS) {
		far_break(far);
		return;
	}
	send->status = code;
	send->n_pieces = send->piece = 0;
	send->at = 0;
	send_add_slot(far, send, SLOTS_SKIP, 0, 0);
}

/* False: there is no room until a request comes back, or the way is broken. */
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
	doca_error_t result = far_post(far, FAR_PIECE, RDMA_WRITE, &part);

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

	if (far->must_ring && !far->is_broken)
		far->must_ring = !far_try(far, FAR_RING, RDMA_WRITE_IMM, &nothing);
	far_look(far);
}

/* Posts what can be posted. */
static void far_pump(struct comch_far *far)
{
	if (far->is_broken || far->peer->state == REQUESTER_CALLING)
		return;
	if (far->peer->state == REQUESTER_FAILED) {
		far_break(far);
		return;
	}
	/* First: messages may take all requests there are. */
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
			send->status = far_is_lost(far);
	} else if (!failed && w->kind == FAR_HEADER) {
		header_came(far);
	} else if (!failed && w->kind == FAR_DESC) {
		descs_came(far);
	}
	if (failed)
		far_break(far);
}

/* Takes what has come, and goes on. */
static void far_work(struct comch_far *far)
{
	struct rdma_wr *wr;

	if (comch_link_ended(far->producer->member.link) != 0)
		far_break(far);
	do {
		while ((wr = far->requester->ops->poll(far->requester->port)) != NULL)
			request_came(far, container_of(wr, struct far_wr, wr));
	} while (requester_attend(far->requester));
	far_pump(far);
	sends_end(far);
}

/* --- submission --- */

/* As remote_claim() does; what it claims from is the copy that the producers of this process
 * share. */
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
	pthread_mutex_lock(&bounce->lock);
	if (comch_bounce_reserve(to, message->len, &at))
		result = far_claim(to, message);
	if (result == DOCA_SUCCESS)
		comch_bounce_use(bounce, message->slot, at + message->len);
	pthread_mutex_unlock(&bounce->lock);
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

/* Looks for more receives before the last is gone. */
static bool far_runs_low(const struct comch_remote *to)
{
	uint64_t left = atomic_load_explicit(&to->header->posted, memory_order_relaxed) -
			atomic_load_explicit(&to->header->claim, memory_order_relaxed);

	return left <= to->mask / 2;
}

static doca_error_t far_get(struct doca_comch_producer *producer, struct comch_remote *to,
			    struct comch_far **far_out)
{
	doca_error_t result = DOCA_SUCCESS;

	if (producer->fars == NULL)
		result = fars_open(producer);
	if (result != DOCA_SUCCESS)
		return result;
	*far_out = far_find(producer, to);
	return *far_out != NULL ? DOCA_SUCCESS : far_open(producer, to, far_out);
}

doca_error_t comch_far_send(struct doca_comch_producer *producer, struct comch_remote *to,
			    struct doca_comch_producer_task_send *task,
			    struct comch_message *message)
{
	enum slots_kind kind = message_kind(to, message);
	struct comch_far *far;
	struct far_send *send;
	uint64_t at = 0;
	doca_error_t result = far_get(producer, to, &far);

	if (result != DOCA_SUCCESS)
		return result;
	far_work(far);
	/* What is under way, or a way that is new, has to be waited for. */
	if (producer->ctx.pe->armed)
		pe_ring(producer->ctx.pe);
	if (far->is_broken)
		return far_is_lost(far);
	if (atomic_load_explicit(&to->far->is_holed, memory_order_relaxed))
		return far_is_holed(to);
	/* Who is not connected may be refused: a receive that it claimed would never be filled. */
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

/* --- progress --- */

static bool far_is_idle(const struct comch_far *far)
{
	return far->first == far->last && far->n_out == 0;
}

/* One that nobody needs any more takes its looks back, and ends. */
static void far_retire(struct comch_far *far)
{
	if (far->first == far->last)
		far_cut(far);
	if (far_is_idle(far))
		far_close(far);
}

static void fars_work(struct doca_comch_producer *producer)
{
	struct comch_fars *fars = producer->fars;
	bool stops = producer->ctx.state == DOCA_CTX_STATE_STOPPING;
	bool gives_up = stops && clock_now_ns() >= fars->give_up_ns;
	struct comch_far *far, *tmp;

	list_for_each_safe(far, tmp, &fars->all, node)
	{
		if (gives_up)
			far_break(far);
		far_work(far);
		if (stops || far->is_let_go || comch_remote_gone(far->to))
			far_retire(far);
	}
}

uint8_t comch_fars_poll(struct doca_ctx *ctx)
{
	struct doca_comch_producer *producer = producer_of(ctx);
	struct comch_fars *fars = producer->fars;
	struct doca_task *task;

	fars_work(producer);
	task = fars->ready;
	if (task == NULL)
		return 0;
	fars->ready = task->next;
	if (fars->ready == NULL)
		fars->ready_tail = &fars->ready;
	task_finish(task, task->status);
	return 1;
}

bool comch_fars_arm(struct doca_ctx *ctx)
{
	struct doca_comch_producer *producer = producer_of(ctx);
	struct comch_fars *fars = producer->fars;
	struct comch_far *far;
	bool has_news;

	if (fars == NULL)
		return false;
	/* One that stops has a time, too. */
	has_news = fars->ready != NULL || (ctx->state == DOCA_CTX_STATE_STOPPING);
	list_for_each(far, &fars->all, node)
	{
		has_news |= comch_link_ended(producer->member.link) != 0 && !far->is_broken;
		if (!has_news)
			has_news = requester_arm(far->requester);
	}
	return has_news;
}

void comch_fars_disarm(struct doca_ctx *ctx)
{
	const struct comch_fars *fars = producer_of(ctx)->fars;
	struct comch_far *far;

	if (fars == NULL)
		return;
	list_for_each(far, &fars->all, node) requester_disarm(far->requester);
}

void comch_fars_stop(struct doca_ctx *ctx)
{
	struct doca_comch_producer *producer = producer_of(ctx);

	if (producer->fars == NULL)
		return;
	producer->fars->give_up_ns = clock_now_ns() + STOP_WAIT_NS;
	fars_work(producer);
}

bool comch_fars_are_idle(const struct doca_ctx *ctx)
{
	const struct comch_fars *fars = producer_of(ctx)->fars;

	return fars == NULL || (list_is_empty(&fars->all) && fars->ready == NULL);
}
