/*
 * Producer: its data path. A send is complete at submission: the next receive of the consumer is
 * claimed, the payload is written to it, and its slot is completed. The completion is queued and
 * comes from the progress engine. There is no lock and no allocation, and no system call except
 * those of a transport for a consumer with private memory. To a consumer on another machine, a
 * message is posted; see client/comch/remote/path.h. If no receive is posted, or another producer
 * is using the bounce area, submission returns AGAIN, and the program submits again later.
 *
 * All producers that reach a consumer are in this process. They claim by compare-and-swap of one
 * word, so they may be on different threads. But most consumers have one producer, and a locked
 * instruction waits until all earlier stores are visible, including those of the last message,
 * which must reach another core. Therefore the first producer owns the claims and advances the word
 * by plain stores, until another producer arrives (client/comch/fast_path/claim.c). Data that the
 * consumer writes is checked on each load.
 */
#include "client/comch/fast_path/producer.h"

#include <stdlib.h>

#include "client/comch/fast_path/claim.h"
#include "client/comch/remote/paths.h"
#include "util/copy.h"
#include "util/doorbell.h"

/* The number of slots whose cache lines are fetched together. */
#define PREFETCH_AHEAD 16u

static struct doca_comch_producer *producer_of(const struct doca_ctx *ctx)
{
	return container_of(ctx, struct doca_comch_producer, ctx);
}

static struct doca_comch_producer_task_send *send_task(const struct doca_task *task)
{
	return container_of(task, struct doca_comch_producer_task_send, base);
}

/* --- reasons to refuse a message --- */

/* Reports that the consumer cannot be used. `code` is the reason why it could not be opened; its
 * error sentence is recorded already. */
static doca_error_t send_no_consumer(const struct doca_comch_producer *producer, uint32_t id,
				     doca_error_t code)
{
	const struct comch_link *link = producer->member.link;

	if (code != DOCA_ERROR_NOT_FOUND)
		return code;
	if (comch_link_ended(link) != 0)
		return error_set(
			comch_link_code(link),
			"comch producer send: the connection of \"%s\" has ended; free the task",
			link->name);
	return error_set(DOCA_ERROR_NOT_FOUND,
			 "comch producer send: consumer %u of the peer has stopped or never "
			 "existed; use an id from the consumer event",
			 id);
}

static void producer_release_consumer(struct doca_comch_producer *producer,
				      struct comch_peer_consumer **known)
{
	if (*known == NULL)
		return;
	comch_claim_leave(&(*known)->claims, producer);
	comch_remote_path_close_when_idle(producer, *known);
	comch_peer_consumer_unref(*known);
	*known = NULL;
}

/* Releases consumers that have ended, so that their memory and descriptors are freed. */
static __attribute__((noinline)) void producer_release_ended(struct doca_comch_producer *producer)
{
	uint32_t n_dropped = atomic_load(&producer->member.link->n_dropped);
	uint32_t i;

	if (n_dropped == producer->n_dropped)
		return;
	producer->n_dropped = n_dropped;
	for (i = 0; i <= producer->known_mask; i++) {
		if (producer->known[i] != NULL && comch_peer_consumer_has_ended(producer->known[i]))
			producer_release_consumer(producer, &producer->known[i]);
	}
}

/* The slow path of the lookup: the first message to a consumer, or a consumer that has ended. */
static struct comch_peer_consumer *producer_find(struct doca_comch_producer *producer, uint32_t id,
						 doca_error_t *code_out)
{
	struct comch_peer_consumer **known = &producer->known[id & producer->known_mask];

	if (*known != NULL && (*known)->id == id && !comch_peer_consumer_has_ended(*known))
		return *known;
	*code_out = DOCA_ERROR_NOT_FOUND;
	producer_release_ended(producer);
	if (comch_link_ended(producer->member.link) != 0)
		return NULL;
	producer_release_consumer(producer, known);
	*known = comch_link_find(producer->member.link, id);
	if (*known == NULL)
		*known = comch_link_find_again(producer->member.link, id, code_out);
	if (*known != NULL)
		comch_claim_own(&(*known)->claims, producer);
	return *known;
}

enum send_fault {
	SEND_VALID = 0,
	SEND_LIST,
	SEND_WINDOW,
	SEND_RIGHT,
	SEND_DEV,
	SEND_DEAD,
	SEND_HUGE,
	SEND_IMM
};

static const struct {
	doca_error_t code;
	const char *text;
} send_faults[] = {
	[SEND_LIST] = {DOCA_ERROR_INVALID_VALUE,
		       "the buffer is a list; a message accepts a single buffer only"},
	[SEND_WINDOW] = {DOCA_ERROR_INVALID_VALUE, "the buffer's data section exceeds the buffer"},
	[SEND_RIGHT] = {DOCA_ERROR_NOT_PERMITTED,
			"the buffer's memory is not mapped here or may not be read"},
	[SEND_DEV] = {DOCA_ERROR_INVALID_VALUE,
		      "the buffer's mmap does not have the connection's device; use "
		      "doca_mmap_add_dev"},
	[SEND_DEAD] = {DOCA_ERROR_IO_FAILED,
		       "the exporter of the buffer's memory stopped its mmap or ended"},
	[SEND_HUGE] = {DOCA_ERROR_INVALID_VALUE, "more bytes than the device allows in a message; "
						 "see doca_comch_producer_cap_get_max_buf_size"},
	[SEND_IMM] = {DOCA_ERROR_INVALID_VALUE, "more immediate data than the device allows; see "
						"doca_comch_consumer_cap_get_max_imm_data_len"},
};

static doca_error_t send_refuse(enum send_fault fault)
{
	return error_set(send_faults[fault].code, "comch producer send: %s",
			 send_faults[fault].text);
}

static inline enum send_fault send_check(const struct doca_comch_producer *producer,
					 const struct doca_comch_producer_task_send *task)
{
	const struct doca_buf *buf = task->buf;
	const struct doca_mmap *mmap;
	size_t at;

	if (unlikely(task->imm_len > producer->max_imm_len))
		return SEND_IMM;
	if (unlikely(buf == NULL))
		return SEND_VALID;
	mmap = buf->mmap;
	at = (size_t)(buf->data - buf->head);
	if (unlikely(buf->next != NULL))
		return SEND_LIST;
	if (unlikely(at > buf->len || buf->data_len > buf->len - at))
		return SEND_WINDOW;
	if (unlikely(buf->data_len > producer->max_buf_size))
		return SEND_HUGE;
	if (unlikely(!(mmap->fast & MMAP_FAST_SRC)))
		return SEND_RIGHT;
	if (unlikely(mmap->dev != producer->ctx.dev && !mmap_has_dev(mmap, producer->ctx.dev)))
		return SEND_DEV;
	if (unlikely((mmap->fast & MMAP_FAST_IMPORT) && !mmap_is_alive(mmap)))
		return SEND_DEAD;
	return SEND_VALID;
}

doca_error_t comch_send_too_long(uint32_t id, size_t len, uint64_t room)
{
	return error_set(
		DOCA_ERROR_TOO_BIG,
		"comch producer send: %zu bytes; the buffer that consumer %u posted has room "
		"for %llu, and the message was not sent",
		len, id, (unsigned long long)room);
}

static doca_error_t send_imm_long(const struct comch_peer_consumer *to, uint32_t imm_len)
{
	return error_set(
		DOCA_ERROR_INVALID_VALUE,
		"comch producer send: %u bytes of immediate data; consumer %u accepts up to %u",
		imm_len, to->id, to->max_imm_len);
}

doca_error_t comch_send_no_receive(void)
{
	return error_hint(DOCA_ERROR_AGAIN,
			  "comch producer send: the consumer has posted no receive that is free, "
			  "or another producer is sending to it; submit again later");
}

/* --- sending a message --- */

static inline struct slots_slot *peer_slot(const struct comch_peer_consumer *to, uint64_t slot)
{
	return &to->slots[slot & to->mask];
}

static inline uint8_t *peer_body(const struct comch_peer_consumer *to, uint64_t slot)
{
	return to->bodies + (slot & to->mask) * (size_t)to->stride;
}

/* The consumer, which is another process, has ordered this write after those of the slot's former
 * writer. ThreadSanitizer needs an explicit acquire for that. */
static inline void peer_order_slot(const struct comch_peer_consumer *to, uint64_t slot)
{
#ifdef BARRIER_TSAN
	if (to->path != COMCH_PATH_REMOTE)
		atomic_load_explicit(&peer_slot(to, slot)->word, memory_order_acquire);
#else
	(void)to;
	(void)slot;
#endif
}

/* Returns whether receive i is offered. The consumer's value is trusted within one lap only. */
static inline bool peer_has_posted(struct comch_peer_consumer *to, uint64_t i)
{
	uint64_t posted = atomic_load_explicit(&to->posted, memory_order_acquire);

	if (likely(posted - i - 1 <= to->mask))
		return true;
	posted = atomic_load_explicit(&to->header->posted, memory_order_acquire);
	/* Another thread may store an older value; then the next producer reads the header
	 * again. */
	atomic_store_explicit(&to->posted, posted, memory_order_release);
	return posted - i - 1 <= to->mask;
}

static inline void slot_complete(struct slots_slot *slot, uint64_t number, enum slots_kind kind,
				 uint32_t imm_len, uint64_t info)
{
	atomic_store_explicit(&slot->info, info, memory_order_relaxed);
	atomic_store_explicit(&slot->word,
			      (uint64_t)imm_len << 40 | (uint64_t)kind << 32 |
				      (uint32_t)(number + 1),
			      BARRIER_ORDER_STORE);
}

static inline void peer_complete_slot(struct comch_peer_consumer *to,
				      const struct comch_message *message, enum slots_kind kind,
				      uint32_t producer_id)
{
	slot_complete(peer_slot(to, message->slot), message->slot, kind, message->imm_len,
		      (uint64_t)producer_id << 32 | (uint32_t)message->len);
	if (unlikely(ring_waker_check(&to->header->armed, to->fence)))
		doorbell_ring(to->doorbell_fd);
}

/*
 * Handles a claim made while the consumer stops. Either the consumer knows of the claim and waits
 * for its slot, or it does not and owns its buffer again. So nothing may be written to the buffer,
 * and the slot is only marked as skipped, which is harmless in both cases.
 */
static __attribute__((noinline)) void claim_drop(struct comch_peer_consumer *to, uint64_t claim)
{
	slot_complete(peer_slot(to, claim), claim, SLOTS_SKIP, 0, 0);
	if (ring_waker_check(&to->header->armed, to->fence))
		doorbell_ring(to->doorbell_fd);
}

/*
 * Claims the next receive. Returns SUCCESS, AGAIN, or an error of the message or the consumer with
 * an error sentence. The descriptor of an unclaimed receive does not change, so values loaded
 * before the claim are valid after it.
 */
static doca_error_t peer_claim(struct doca_comch_producer *producer, struct comch_peer_consumer *to,
			       struct comch_message *message)
{
	struct slots_desc *desc;
	uint64_t claim, room;

	comch_claim_enter(&to->claims, producer);
	claim = atomic_load_explicit(&to->header->claim, memory_order_relaxed);
	do {
		if ((claim & SLOTS_CLOSED) || atomic_load(&to->header->closed))
			return DOCA_ERROR_NOT_FOUND;
		if (!peer_has_posted(to, claim))
			return DOCA_ERROR_AGAIN;
		desc = &to->descs[claim & to->mask];
		room = atomic_load_explicit(&desc->room, memory_order_relaxed);
		if (message->len > room)
			return comch_send_too_long(to->id, message->len, room);
		message->to = atomic_load_explicit(&desc->addr, memory_order_relaxed);
	} while (!atomic_compare_exchange_weak(&to->header->claim, &claim, claim + 1));
	message->slot = claim;
	peer_order_slot(to, claim);
	if (likely(!atomic_load(&to->header->closed)))
		return DOCA_SUCCESS;
	claim_drop(to, claim);
	return DOCA_ERROR_NOT_FOUND;
}

static inline bool peer_memory_contains(const struct comch_peer_consumer *to,
					const struct comch_message *message)
{
	return message->len <= to->len && message->to - to->addr <= to->len - message->len;
}

static doca_error_t peer_writev(struct comch_peer_consumer *to, const struct comch_message *message)
{
	struct iovec local = {.iov_base = (void *)(uintptr_t)message->from,
			      .iov_len = message->len};
	struct iovec remote = {.iov_base = (void *)(uintptr_t)message->to, .iov_len = message->len};
	ssize_t n = to->region.ops->writev(&to->region, &local, 1, &remote, 1);

	if (n == (ssize_t)message->len)
		return DOCA_SUCCESS;
	if (n == -ESRCH)
		return error_set(DOCA_ERROR_CONNECTION_RESET,
				 "comch producer send: the process of consumer %u has ended",
				 to->id);
	return error_set(
		DOCA_ERROR_IO_FAILED,
		"comch producer send: consumer %u: writing %llu bytes to its buffer failed "
		"(error %d); is the memory that it posted still mapped there?",
		to->id, (unsigned long long)message->len, n < 0 ? (int)-n : EFAULT);
}

bool comch_bounce_reserve(struct comch_peer_consumer *to, uint64_t len, uint64_t *at_out)
{
	struct comch_bounce *bounce = &to->bounce;
	uint64_t consumed = atomic_load_explicit(&to->header->consumed, memory_order_acquire);
	uint64_t at, lead;

	while (bounce->n > 0 && bounce->used[bounce->first].slot < consumed) {
		peer_order_slot(to, bounce->used[bounce->first].slot);
		bounce->tail = bounce->used[bounce->first].end;
		bounce->first = (bounce->first + 1) % COMCH_MAX_BOUNCED;
		bounce->n--;
	}
	if (bounce->n == COMCH_MAX_BOUNCED)
		return false;
	if (bounce->n == 0)
		bounce->head = bounce->tail = 0;
	at = bounce->head % bounce->len;
	lead = at + len > bounce->len ? bounce->len - at : 0;
	if (bounce->head + lead + len - bounce->tail > bounce->len)
		return false;
	*at_out = bounce->head + lead;
	return true;
}

void comch_bounce_use(struct comch_bounce *bounce, uint64_t slot, uint64_t end)
{
	struct comch_bounced *used = &bounce->used[(bounce->first + bounce->n) % COMCH_MAX_BOUNCED];

	bounce->n++;
	bounce->head = end;
	*used = (struct comch_bounced){.slot = slot, .end = end};
}

static doca_error_t send_bounced(struct doca_comch_producer *producer,
				 struct comch_peer_consumer *to, struct comch_message *message)
{
	struct comch_bounce *bounce = &to->bounce;
	doca_error_t result = DOCA_ERROR_AGAIN;
	uint8_t *body;
	uint64_t at;

	if (message->len > bounce->len)
		return error_set(
			DOCA_ERROR_NOT_SUPPORTED,
			"comch producer send: %llu bytes; the memory of consumer %u cannot be "
			"reached from here, and through its slots at most %llu pass: allocate "
			"its buffers with dococ_mem_alloc",
			(unsigned long long)message->len, to->id, (unsigned long long)bounce->len);
	if (!comch_try_lock_acquire(&bounce->lock))
		return DOCA_ERROR_AGAIN;
	if (comch_bounce_reserve(to, message->len, &at))
		result = peer_claim(producer, to, message);
	if (result == DOCA_SUCCESS)
		comch_bounce_use(bounce, message->slot, at + message->len);
	comch_try_lock_release(&bounce->lock);
	if (result != DOCA_SUCCESS)
		return result;
	at %= bounce->len;
	body = peer_body(to, message->slot);
	memcpy(body, message->imm, message->imm_len);
	memcpy(body + message->imm_span, &at, sizeof(at));
	memcpy(bounce->area + at, message->from, message->len);
	peer_complete_slot(to, message, SLOTS_BOUNCE, producer->id);
	return DOCA_SUCCESS;
}

static doca_error_t send_placed(struct doca_comch_producer *producer,
				struct comch_peer_consumer *to, struct comch_message *message)
{
	doca_error_t result = peer_claim(producer, to, message);

	if (result != DOCA_SUCCESS)
		return result;
	memcpy(peer_body(to, message->slot), message->imm, message->imm_len);
	if (!peer_memory_contains(to, message))
		result =
			error_set(DOCA_ERROR_IO_FAILED,
				  "comch producer send: consumer %u posted a buffer outside of its "
				  "memory",
				  to->id);
	else if (to->path == COMCH_PATH_DIRECT)
		memcpy((uint8_t *)(uintptr_t)message->to + to->region.delta, message->from,
		       message->len);
	else
		result = peer_writev(to, message);
	peer_complete_slot(to, message, result == DOCA_SUCCESS ? SLOTS_PLACED : SLOTS_SKIP,
			   producer->id);
	return result;
}

/* Translates a failed claim for the caller. */
static doca_error_t send_claim_failed(const struct doca_comch_producer *producer,
				      struct comch_peer_consumer *to, doca_error_t result)
{
	if (result == DOCA_ERROR_AGAIN) {
		ctx_count_wait(&producer->ctx);
		return comch_send_no_receive();
	}
	if (result == DOCA_ERROR_NOT_FOUND)
		return send_no_consumer(producer, to->id, result);
	return result;
}

/* Sends a message in the slot or in its body. */
static doca_error_t send_inline(struct doca_comch_producer *producer,
				struct comch_peer_consumer *to, struct comch_message *message)
{
	bool is_short = message->len + message->imm_span <= SLOTS_SHORT_LEN;
	doca_error_t result = peer_claim(producer, to, message);
	uint8_t *body;

	if (result != DOCA_SUCCESS)
		return result;
	body = is_short ? peer_slot(to, message->slot)->bytes : peer_body(to, message->slot);
	memcpy(body, message->imm, message->imm_len);
	copy_bytes(body + message->imm_span, message->from, (uint32_t)message->len);
	peer_complete_slot(to, message, is_short ? SLOTS_SHORT : SLOTS_INLINE, producer->id);
	return DOCA_SUCCESS;
}

static doca_error_t send_message(struct doca_comch_producer *producer,
				 struct comch_peer_consumer *to, struct comch_message *message)
{
	if (message->len + message->imm_span <= to->stride)
		return send_inline(producer, to, message);
	return to->path == COMCH_PATH_BOUNCE ? send_bounced(producer, to, message)
					     : send_placed(producer, to, message);
}

/* Sends to another machine: the task is held until the message has arrived. */
static doca_error_t submit_remote(struct doca_comch_producer *producer,
				  struct comch_peer_consumer *to,
				  struct doca_comch_producer_task_send *task, uint32_t flags,
				  struct comch_message *message)
{
	doca_error_t result = comch_remote_path_send(producer, to, task, message);

	if (result != DOCA_SUCCESS)
		return send_claim_failed(producer, to, result);
	ctx_count_bytes(&producer->ctx, message->len);
	if (flags & DOCA_TASK_SUBMIT_FLAG_FLUSH)
		doca_ctx_flush_tasks(&producer->ctx);
	return DOCA_SUCCESS;
}

/* Checks at intervals for ended consumers: at the latest after PRODUCER_CHECK_EVERY messages, if
 * called for each message or once per PREFETCH_AHEAD messages. Each task is a message. */
static inline void producer_check_ended(struct doca_comch_producer *producer)
{
	uint64_t n = counters_get(&producer->ctx.line->submitted);

	if (likely(n - producer->n_checked < PRODUCER_CHECK_EVERY - PREFETCH_AHEAD))
		return;
	producer->n_checked = n;
	producer_release_ended(producer);
}

/* The slow path; repeats all checks. */
static __attribute__((noinline)) doca_error_t submit_slow(
	struct doca_comch_producer *producer, struct doca_comch_producer_task_send *task,
	uint32_t flags)
{
	struct comch_peer_consumer *to = producer->known[task->consumer_id & producer->known_mask];
	enum send_fault fault = send_check(producer, task);
	struct comch_message message;
	doca_error_t result;

	if (fault != SEND_VALID)
		return send_refuse(fault);
	if (to == NULL || to->id != task->consumer_id || comch_peer_consumer_has_ended(to)) {
		doca_error_t why;

		to = producer_find(producer, task->consumer_id, &why);
		if (to == NULL)
			return send_no_consumer(producer, task->consumer_id, why);
	}
	if (task->imm_len > to->max_imm_len)
		return send_imm_long(to, task->imm_len);
	message = (struct comch_message){
		.imm = task->imm,
		.imm_len = task->imm_len,
		.imm_span = (task->imm_len + 7) & ~7u,
	};
	if (task->buf != NULL) {
		message.from = task->buf->data + task->buf->mmap->delta;
		message.len = task->buf->data_len;
	}
	if (to->path == COMCH_PATH_REMOTE)
		return submit_remote(producer, to, task, flags, &message);
	result = send_message(producer, to, &message);
	if (result != DOCA_SUCCESS)
		return send_claim_failed(producer, to, result);
	ctx_count_bytes(&producer->ctx, message.len);
	task_mark_done(&task->base, DOCA_SUCCESS);
	task_queue(&task->base, flags);
	producer_check_ended(producer);
	return DOCA_SUCCESS;
}

/* Fetches five cache lines, which contain four slots; the first number is a multiple of four. */
static inline void peer_prefetch_four(const struct comch_peer_consumer *to, uint64_t first)
{
	struct slots_slot *slot = peer_slot(to, first);
	unsigned i;

	for (i = 0; i < 4; i++) {
		peer_order_slot(to, first + i);
		*(volatile uint8_t *)slot[i].bytes = 0;
	}
	*(volatile uint8_t *)&slot[3].bytes[SLOTS_SHORT_LEN - 1] = 0;
}

/*
 * Fetches the cache lines of the following slots by a store to each. They are in the cache of the
 * consumer's core, which read the messages of the lap before. A processor fetches the lines of
 * several stores at once, but only of those in its store queue. A message with its task nearly
 * fills that queue, so its line would be fetched alone, and everything behind it would wait. A
 * sequence of stores to twenty lines costs little more than one. (prefetchw does not have this
 * effect on every processor.) Slots that are offered and not claimed may be written while this
 * producer owns the claims.
 */
static __attribute__((noinline)) void peer_prefetch_ahead(struct doca_comch_producer *producer,
							  struct comch_peer_consumer *to,
							  uint64_t next)
{
	uint64_t i, end;

	if (!comch_claim_begin(&to->claims, producer))
		return;
	end = atomic_load_explicit(&to->posted, memory_order_acquire);
	/* The consumer's value is trusted within one lap only. */
	end = end - next - 1 <= to->mask ? MIN(end, (next + PREFETCH_AHEAD) & ~3ull) : next;
	for (i = next; i != end && i % 4 != 0; i++) {
		peer_order_slot(to, i);
		*(volatile uint8_t *)peer_slot(to, i)->bytes = 0;
	}
	for (; end - i >= 4; i += 4)
		peer_prefetch_four(to, i);
	end = i;
	comch_claim_end(&to->claims);
	to->prefetched_until = end;
}

/* After a message: the work that is not due every time. next: the slot after the message's. */
static __attribute__((noinline)) doca_error_t submit_periodic(struct doca_comch_producer *producer,
							      struct comch_peer_consumer *to,
							      struct doca_task *base, uint64_t next)
{
	if (ring_waker_check(&to->header->armed, to->fence))
		doorbell_ring(to->doorbell_fd);
	if (next >= to->prefetched_until)
		peer_prefetch_ahead(producer, to, next);
	if ((next & producer->ctx.sample_mask) == 0)
		ctx_sample(&producer->ctx, base);
	producer_check_ended(producer);
	return DOCA_SUCCESS;
}

/* The consumer stops: drops the claim and determines the error on the slow path. */
static __attribute__((noinline)) doca_error_t submit_dropped(
	struct doca_comch_producer *producer, struct doca_comch_producer_task_send *task,
	uint32_t flags, struct comch_peer_consumer *to, uint64_t claim)
{
	claim_drop(to, claim);
	return submit_slow(producer, task, flags);
}

/* Returns whether the fast path applies, apart from the length: a short message without immediate
 * data, from memory of this process, to a known consumer, with nothing waiting to be flushed. */
static inline bool is_fast_path(const struct doca_comch_producer *producer,
				const struct doca_comch_producer_task_send *task,
				const struct comch_peer_consumer *to, uint32_t flags)
{
	const struct doca_buf *buf = task->buf;
	const struct doca_ctx *ctx = &producer->ctx;
	size_t at;

	if (unlikely(buf == NULL || task->imm_len != 0 || to == NULL ||
		     to->id != task->consumer_id || comch_peer_consumer_has_ended(to)))
		return false;
	at = (size_t)(buf->data - buf->head);
	if (unlikely(buf->next != NULL || at > buf->len || buf->data_len > buf->len - at))
		return false;
	if (unlikely((buf->mmap->fast & (MMAP_FAST_SRC | MMAP_FAST_IMPORT)) != MMAP_FAST_SRC ||
		     buf->mmap->dev != ctx->dev))
		return false;
	return likely((flags & DOCA_TASK_SUBMIT_FLAG_FLUSH) && ctx->deferred_head == NULL &&
		      !ctx->pe->armed);
}

/*
 * The fast path, after the check above returned true. It has few stores and no call: the processor
 * keeps stores in a short queue while a line comes from the consumer's core, and the rest of that
 * queue limits how far the next messages get meanwhile. A store through a pointer would force
 * values to be loaded again, so they are in locals.
 */
static inline __attribute__((always_inline)) doca_error_t submit_fast(
	struct doca_comch_producer *producer, struct doca_comch_producer_task_send *task,
	uint32_t flags, struct comch_peer_consumer *to, uint32_t len)
{
	const struct doca_buf *buf = task->buf;
	struct doca_ctx *ctx = &producer->ctx;
	struct slots_header *header = to->header;
	uint64_t claim, posted, room;
	struct counters_line *line;
	struct slots_slot *slot;

	if (unlikely(!comch_claim_begin(&to->claims, producer)))
		return submit_slow(producer, task, flags);
	claim = atomic_load_explicit(&header->claim, memory_order_relaxed);
	posted = atomic_load_explicit(&to->posted, memory_order_acquire);
	room = atomic_load_explicit(&to->descs[claim & to->mask].room, memory_order_relaxed);
	/* In a closed claim word, the value is far beyond what is posted. */
	if (unlikely(posted - claim - 1 > to->mask || len > room)) {
		comch_claim_end(&to->claims);
		return submit_slow(producer, task, flags);
	}
	atomic_store_explicit(&header->claim, claim + 1, BARRIER_ORDER_STORE);
	comch_claim_end(&to->claims);
	if (unlikely(atomic_load_explicit(&header->closed, BARRIER_ORDER_LOAD) != 0))
		return submit_dropped(producer, task, flags, to, claim);
	peer_order_slot(to, claim);
	slot = peer_slot(to, claim);
	copy_short(slot->bytes, buf->data + buf->mmap->delta, len);
	slot_complete(slot, claim, SLOTS_SHORT, 0, (uint64_t)producer->id << 32 | len);
	task_mark_done(&task->base, DOCA_SUCCESS);
	task_queue_in(&task->base, ctx->pe);
	claim++;
	line = ctx->line;
	counters_add(&line->submitted, 1);
	counters_add(&line->bytes, len);
	/* No barrier is needed before this read: a producer owns the claims only if the consumer
	 * executes the barrier for both (comch_claims_init). */
	if (unlikely(ring_waker_asked(&header->armed, 0) || claim >= to->prefetched_until ||
		     (claim & ctx->sample_mask) == 0))
		return submit_periodic(producer, to, &task->base, claim);
	return DOCA_SUCCESS;
}

static __attribute__((noinline)) doca_error_t submit_long(
	struct doca_comch_producer *producer, struct doca_comch_producer_task_send *task,
	uint32_t flags, struct comch_peer_consumer *to)
{
	size_t len = task->buf->data_len;

	if (len > SLOTS_SHORT_LEN)
		return submit_slow(producer, task, flags);
	return submit_fast(producer, task, flags, to, (uint32_t)len);
}

doca_error_t comch_producer_submit(struct doca_task *base, uint32_t flags)
{
	struct doca_comch_producer_task_send *task = send_task(base);
	struct doca_comch_producer *producer = producer_of(base->ctx);
	struct comch_peer_consumer *to = producer->known[task->consumer_id & producer->known_mask];
	size_t len;

	if (unlikely(!is_fast_path(producer, task, to, flags)))
		return submit_slow(producer, task, flags);
	len = task->buf->data_len;
	if (unlikely(!copy_is_common_len(len)))
		return submit_long(producer, task, flags, to);
	return submit_fast(producer, task, flags, to, (uint32_t)len);
}

doca_error_t comch_producer_validate(const struct doca_task *base)
{
	enum send_fault fault = send_check(producer_of(base->ctx), send_task(base));

	if (fault == SEND_VALID)
		return DOCA_SUCCESS;
	send_refuse(fault);
	/* The contract of try_submit has one code for an invalid task. */
	return DOCA_ERROR_INVALID_VALUE;
}

/* --- starting and stopping --- */

static void producer_release_consumers(struct doca_comch_producer *producer)
{
	uint32_t i;

	for (i = 0; producer->known != NULL && i <= producer->known_mask; i++)
		producer_release_consumer(producer, &producer->known[i]);
	free(producer->known);
	producer->known = NULL;
}

static void producer_release(struct doca_ctx *ctx)
{
	struct doca_comch_producer *producer = producer_of(ctx);

	comch_remote_paths_close(producer);
	producer_release_consumers(producer);
	if (producer->counted)
		atomic_fetch_sub(&producer->member.link->n_active, 1);
	producer->counted = false;
}

static doca_error_t producer_start(struct doca_ctx *ctx)
{
	struct doca_comch_producer *producer = producer_of(ctx);
	struct comch_link *link = producer->member.link;
	uint32_t n = 2;

	if (comch_link_ended(link) != 0)
		return error_set(comch_link_code(link),
				 "comch producer start: the connection of \"%s\" has ended",
				 link->name);
	/* Ids are assigned in sequence, so few live consumers share a place. */
	while (n < 2 * ctx->dev->info->caps.comch_max_consumers && n < 4096)
		n *= 2;
	producer->known = calloc(n, sizeof(producer->known[0]));
	if (producer->known == NULL)
		return error_set(DOCA_ERROR_NO_MEMORY, "comch producer start: out of memory");
	producer->known_mask = n - 1;
	producer->n_dropped = atomic_load(&link->n_dropped);
	atomic_fetch_add(&link->n_active, 1);
	producer->counted = true;
	return DOCA_SUCCESS;
}

const struct ctx_ops comch_producer_ops = {
	.name = "comch producer",
	.counted_as = COUNTERS_PRODUCER,
	.start = producer_start,
	.stop = comch_remote_paths_stop,
	.stopped = comch_remote_paths_are_idle,
	.release = producer_release,
	.poll = comch_remote_paths_poll,
	.arm = comch_remote_paths_arm,
	.disarm = comch_remote_paths_disarm,
};
