/*
 * Consumer: its life and its data path.
 *
 * At start it allocates a memfd of slots (proto/shm_layout.h), which the peer's producers map, and
 * registers with the daemon. Posting a receive writes the next descriptor. Producers take the
 * receives in order and complete the slot of the same number. Progress reads one word, that of the
 * next slot. Slots are reused when receives are posted again. A new `posted` is published at once,
 * unless a callback posts while at least half of the slots are on offer. In that case it is
 * published OFFER_PARTS times per lap, and when progress finds nothing, so that the word's cache
 * line does not move back and forth in a stream.
 *
 * At stop the claim word is closed. Receives that no producer has claimed are flushed at once,
 * because nothing will write to their buffers. For claimed ones a message is being written, so they
 * are waited for: at most CLAIMED_WAIT_NS, and not if the peer is dead. If the peer is on another
 * machine (client/comch/remote/paths.h), it accesses the slots by an export, which ends instead.
 *
 * Data that the peer writes is loaded once and checked against values of this process. A slot that
 * breaks a rule ends the consumer. Threads: those of its progress engine.
 */
#include "client/comch/fast_path/consumer.h"

#include <stdlib.h>
#include <string.h>

#include "util/clock.h"
#include "util/copy.h"
#include "util/fd.h"
#include "util/memfd.h"
#include "util/str.h"

/* Writing one message takes far less time; a peer that is stopped may take longer. */
#define CLAIMED_WAIT_NS (2 * NS_PER_SEC)
#define BOUNCE_LEN      (4ull << 20)
/* The minimum for a consumer of another machine, whose device may lock the whole area in memory. */
#define REMOTE_BOUNCE_MIN (64ull << 10)
#define INLINE_MIN        192u
#define OFFER_PARTS       16u

static struct doca_comch_consumer *consumer_of(const struct doca_ctx *ctx)
{
	return container_of(ctx, struct doca_comch_consumer, ctx);
}

static struct doca_comch_consumer_task_post_recv *recv_task(const struct doca_task *task)
{
	return container_of(task, struct doca_comch_consumer_task_post_recv, base);
}

/* --- posting --- */

enum recv_fault { RECV_VALID = 0, RECV_LIST, RECV_WINDOW, RECV_RANGE, RECV_FULL };

static const char *const recv_faults[] = {
	[RECV_LIST] = "the buffer is a list; a receive accepts a single buffer only",
	[RECV_WINDOW] = "the buffer's data section exceeds the buffer",
	[RECV_RANGE] = "the buffer does not lie in the consumer's mmap",
	[RECV_FULL] = "the task was submitted already; submit a task that the program owns",
};

static inline enum recv_fault recv_check(const struct doca_comch_consumer *consumer,
					 const struct doca_buf *buf)
{
	const struct doca_mmap *mmap = consumer->mmap;
	size_t at, data_at;

	if (buf == NULL)
		return RECV_VALID;
	at = (uintptr_t)buf->head - mmap->base;
	data_at = (size_t)(buf->data - buf->head);
	if (unlikely(buf->next != NULL))
		return RECV_LIST;
	if (unlikely(at > mmap->span || buf->len > mmap->span - at))
		return RECV_RANGE;
	if (unlikely(data_at > buf->len || buf->data_len > buf->len - data_at))
		return RECV_WINDOW;
	return RECV_VALID;
}

static doca_error_t recv_refuse(enum recv_fault fault)
{
	return error_set(DOCA_ERROR_INVALID_VALUE, "comch consumer post receive: %s",
			 recv_faults[fault]);
}

static __attribute__((noinline)) void consumer_offer(struct doca_comch_consumer *consumer)
{
	uint64_t posted = consumer->posted, half = consumer->mask / 2;

	consumer->offered = posted;
	consumer->offer_at = posted + consumer->offer_step;
	consumer->offer_received = posted > half ? posted - half : 0;
	atomic_store_explicit(&consumer->header->posted, posted, memory_order_release);
}

/* Posts a receive. Returns true if producers must be notified. Arguments and locals avoid loads
 * that a store through a pointer would force, to keep this short. */
static inline bool consumer_post(struct doca_comch_consumer *consumer,
				 struct doca_comch_consumer_task_post_recv *task, uint8_t *to,
				 uint64_t room)
{
	uint64_t i = consumer->posted;
	struct slots_desc *desc = &consumer->descs[i & consumer->mask];

	consumer->posted_tasks[i & consumer->mask] = task;
	if (atomic_load_explicit(&desc->addr, memory_order_relaxed) != (uintptr_t)to)
		atomic_store_explicit(&desc->addr, (uintptr_t)to, memory_order_relaxed);
	if (atomic_load_explicit(&desc->room, memory_order_relaxed) != room)
		atomic_store_explicit(&desc->room, room, memory_order_relaxed);
	consumer->posted = ++i;
	return unlikely(i >= consumer->offer_at || consumer->received >= consumer->offer_received ||
			consumer->ctx.pe->polling != &consumer->ctx);
}

/* After a receive was posted: the work that is not due every time. */
static __attribute__((noinline)) doca_error_t submit_periodic(struct doca_comch_consumer *consumer,
							      struct doca_task *base,
							      bool must_offer)
{
	if (ctx_is_sampled(&consumer->ctx, consumer->posted))
		ctx_sample(&consumer->ctx, base);
	if (must_offer)
		consumer_offer(consumer);
	return DOCA_SUCCESS;
}

static inline __attribute__((always_inline)) doca_error_t submit_checked(
	struct doca_comch_consumer *consumer, struct doca_comch_consumer_task_post_recv *task,
	uint8_t *to, uint64_t room)
{
	uint64_t number = consumer->posted + 1;
	bool must_offer;

	if (unlikely(number - 1 - consumer->received > consumer->mask))
		return recv_refuse(RECV_FULL);
	task->at = to;
	task->room = (uint32_t)room;
	must_offer = consumer_post(consumer, task, to, room);
	task_hold_in(&task->base, &consumer->ctx);
	if (unlikely(must_offer || ctx_is_sampled(&consumer->ctx, number)))
		return submit_periodic(consumer, &task->base, must_offer);
	return DOCA_SUCCESS;
}

static inline uint64_t recv_room(const struct doca_comch_consumer *consumer,
				 const struct doca_buf *buf)
{
	return MIN(buf_tail_room(buf), (uint64_t)consumer->max_buf_size);
}

/* The slow path: posts a receive with any buffer. */
static __attribute__((noinline)) doca_error_t submit_slow(
	struct doca_comch_consumer *consumer, struct doca_comch_consumer_task_post_recv *task)
{
	const struct doca_buf *buf = task->buf;
	enum recv_fault fault = recv_check(consumer, buf);

	if (fault != RECV_VALID)
		return recv_refuse(fault);
	if (buf == NULL)
		return submit_checked(consumer, task, NULL, 0);
	return submit_checked(consumer, task, buf->data + buf->data_len, recv_room(consumer, buf));
}

doca_error_t comch_consumer_submit(struct doca_task *base, uint32_t flags)
{
	struct doca_comch_consumer *consumer = consumer_of(base->ctx);
	struct doca_comch_consumer_task_post_recv *task = recv_task(base);
	const struct doca_buf *buf = task->buf;
	size_t at;

	(void)flags;
	if (unlikely(buf == NULL))
		return submit_slow(consumer, task);
	at = (size_t)(buf->data - buf->head);
	/* A buffer lies in its memory map, whose range does not change while it has buffers. */
	if (unlikely(buf->mmap != consumer->mmap || buf->next != NULL || at > buf->len ||
		     buf->data_len > buf->len - at))
		return submit_slow(consumer, task);
	return submit_checked(consumer, task, buf->data + buf->data_len, recv_room(consumer, buf));
}

doca_error_t comch_consumer_validate(const struct doca_task *base)
{
	enum recv_fault fault = recv_check(consumer_of(base->ctx), recv_task(base)->buf);

	return fault == RECV_VALID ? DOCA_SUCCESS : recv_refuse(fault);
}

/* --- messages --- */

static uint8_t consumer_break(struct doca_comch_consumer *consumer, const char *what)
{
	consumer->broken = true;
	consumer->flush_code = DOCA_ERROR_CONNECTION_RESET;
	error_set(DOCA_ERROR_CONNECTION_RESET,
		  "comch \"%s\": a producer wrote an impossible %s into a slot of consumer %u; the "
		  "consumer stops, the connection continues",
		  consumer->member.link->name, what, consumer->id);
	if (consumer->ctx.state == DOCA_CTX_STATE_STOPPING)
		return 0;
	ctx_fail(&consumer->ctx);
	return 1;
}

/* Handles a claim whose producer could not write the message; the receive is posted again. */
static uint8_t consumer_skip(struct doca_comch_consumer *consumer,
			     struct doca_comch_consumer_task_post_recv *task)
{
	consumer->received++;
	/* The message may have room in the bounce area, which is used in the order of the slots. */
	atomic_store_explicit(&consumer->header->consumed, consumer->received,
			      memory_order_release);
	if (consumer->ctx.state != DOCA_CTX_STATE_RUNNING)
		task_finish(&task->base, consumer->flush_code);
	else if (consumer_post(consumer, task, task->at, task->room))
		consumer_offer(consumer);
	return 1;
}

static const char *consumer_copy_bounced(struct doca_comch_consumer *consumer,
					 struct doca_comch_consumer_task_post_recv *task,
					 const uint8_t *from, uint32_t len)
{
	uint64_t at;

	memcpy(&at, from, sizeof(at));
	if (at > consumer->bounce_len || len > consumer->bounce_len - at)
		return "offset";
	/* A receive without a buffer has no address, and its message no byte. */
	copy_bytes(task->at, consumer->bounce + at, len);
	atomic_store_explicit(&consumer->header->consumed, consumer->received + 1,
			      memory_order_release);
	return NULL;
}

/* Receives a message of any kind. */
static __attribute__((noinline)) uint8_t consumer_receive(struct doca_comch_consumer *consumer,
							  struct slots_slot *slot, uint64_t word)
{
	struct doca_comch_consumer_task_post_recv *task =
		consumer->posted_tasks[consumer->received & consumer->mask];
	const uint8_t *body = consumer->bodies +
			      (consumer->received & consumer->mask) * (size_t)consumer->stride;
	uint64_t info = atomic_load_explicit(&slot->info, memory_order_relaxed);
	uint32_t kind = (uint32_t)(word >> 32) & 0xff;
	uint32_t imm_len = (uint32_t)(word >> 40) & 0xffff;
	uint32_t len = (uint32_t)info;
	uint32_t imm_span = (imm_len + 7) & ~7u;
	const char *wrong = NULL;

	if (unlikely(imm_len > consumer->imm_len))
		return consumer_break(consumer, "length of immediate data");
	if (unlikely(len > task->room))
		return consumer_break(consumer, "length");
	if (kind == SLOTS_SHORT) {
		if (unlikely(imm_span > SLOTS_SHORT_LEN || len > SLOTS_SHORT_LEN - imm_span))
			return consumer_break(consumer, "short length");
		body = slot->bytes;
		copy_bytes(task->at, body + imm_span, len);
	} else if (kind == SLOTS_INLINE) {
		if (unlikely(len > consumer->stride - imm_span))
			return consumer_break(consumer, "inline length");
		copy_bytes(task->at, body + imm_span, len);
	} else if (kind == SLOTS_BOUNCE) {
		wrong = consumer_copy_bounced(consumer, task, body + imm_span, len);
	} else if (kind == SLOTS_SKIP) {
		return consumer_skip(consumer, task);
	} else if (kind != SLOTS_PLACED) {
		wrong = "kind";
	}
	if (unlikely(wrong != NULL))
		return consumer_break(consumer, wrong);
	consumer->received++;
	task->producer_id = (uint32_t)(info >> 32);
	task->imm_len = imm_len;
	if (imm_len != 0)
		memcpy(task->imm, body, imm_len);
	if (likely(task->buf != NULL))
		task->buf->data_len += len;
	counters_add(&consumer->ctx.line->received, 1);
	counters_add(&consumer->ctx.line->received_bytes, len);
	task_finish(&task->base, DOCA_SUCCESS);
	return 1;
}

/* Receives a short message without immediate data that fits. */
static inline void consumer_copy_short(struct doca_comch_consumer *consumer,
				       struct doca_comch_consumer_task_post_recv *task,
				       const struct slots_slot *slot, uint64_t info)
{
	struct counters_line *line = consumer->ctx.line;
	struct doca_buf *buf = task->buf;
	uint32_t len = (uint32_t)info;

	copy_short(task->at, slot->bytes, len);
	consumer->received++;
	task->producer_id = (uint32_t)(info >> 32);
	task->imm_len = 0;
	if (likely(buf != NULL))
		buf->data_len += len;
	counters_add(&line->received, 1);
	counters_add(&line->received_bytes, len);
}

static __attribute__((noinline)) uint8_t consumer_receive_short(
	struct doca_comch_consumer *consumer, struct slots_slot *slot, uint64_t word)
{
	struct doca_comch_consumer_task_post_recv *task =
		consumer->posted_tasks[consumer->received & consumer->mask];
	uint64_t info = atomic_load_explicit(&slot->info, memory_order_relaxed);
	uint32_t len = (uint32_t)info;

	if (unlikely(len > task->room || len > SLOTS_SHORT_LEN))
		return consumer_receive(consumer, slot, word);
	consumer_copy_short(consumer, task, slot, info);
	task_finish(&task->base, DOCA_SUCCESS);
	return 1;
}

/* The fast path: the length is copied without a loop or a branch, and the message is not timed. */
static inline uint8_t consumer_receive_fast(struct doca_comch_consumer *consumer,
					    struct doca_comch_consumer_task_post_recv *task,
					    struct slots_slot *slot, uint64_t word)
{
	uint64_t info = atomic_load_explicit(&slot->info, memory_order_relaxed);
	uint32_t len = (uint32_t)info;

	_Static_assert(COPY_COMMON_MAX <= SLOTS_SHORT_LEN, "it lies in the slot");
	if (unlikely(!copy_is_common_len(len) || len > task->room || task->base.done != 0))
		return consumer_receive_short(consumer, slot, word);
	consumer_copy_short(consumer, task, slot, info);
	task_finish_ok(&task->base, &consumer->ctx);
	return 1;
}

static inline struct slots_slot *consumer_slot(const struct doca_comch_consumer *consumer)
{
	return &consumer->slots[consumer->received & consumer->mask];
}

static inline bool slot_is_complete(uint64_t word, uint64_t number)
{
	return (uint32_t)word == (uint32_t)(number + 1);
}

/* Returns the word of a slot without immediate data. */
static inline uint64_t slot_word(uint64_t number, enum slots_kind kind)
{
	return (uint64_t)kind << 32 | (uint32_t)(number + 1);
}

/* Flushes every receive from `from` on, in order. */
static void consumer_flush(struct doca_comch_consumer *consumer, uint64_t from)
{
	uint64_t i;

	for (i = from; i < consumer->posted; i++)
		task_release(&consumer->posted_tasks[i & consumer->mask]->base,
			     consumer->flush_code);
	consumer->posted = consumer->offered = from;
}

/* Gives up waiting for claimed receives. The peer lives and may still write to their buffers, so
 * the code differs from that of unclaimed receives. */
static void consumer_abandon_claimed(struct doca_comch_consumer *consumer)
{
	unsigned n = (unsigned)(consumer->posted - consumer->received);

	if (consumer->flush_code == DOCA_ERROR_SHUTDOWN)
		consumer->flush_code = DOCA_ERROR_TIME_OUT;
	error_set(consumer->flush_code,
		  "comch \"%s\": %u %s of consumer %u %s claimed by a producer that does not "
		  "complete %s; while its process lives it may still write to the buffers",
		  consumer->member.link->name, n, plural(n, "receive", "receives"), consumer->id,
		  plural(n, "was", "were"), plural(n, "it", "them"));
}

/* Fails the consumer because an operator revoked its export: no producer reaches it, and none can
 * report that. */
static uint8_t consumer_revoked(struct doca_comch_consumer *consumer)
{
	consumer->flush_code = DOCA_ERROR_CONNECTION_RESET;
	error_set(DOCA_ERROR_CONNECTION_RESET,
		  "comch \"%s\": the export of consumer %u's slots was revoked, and its producers "
		  "can no longer reach it; the consumer stops, the connection continues",
		  consumer->member.link->name, consumer->id);
	ctx_fail(&consumer->ctx);
	return 1;
}

/* There is no message, and the consumer is not running or cannot be reached. */
static __attribute__((noinline)) uint8_t consumer_poll_slow(struct doca_comch_consumer *consumer)
{
	struct doca_ctx *ctx = &consumer->ctx;

	if (ctx->state == DOCA_CTX_STATE_STARTING) {
		ctx_started(ctx);
		return 1;
	}
	if (ctx->state == DOCA_CTX_STATE_STOPPING) {
		if (consumer->received == consumer->posted)
			return 0;
		if (!consumer->broken && !comch_link_peer_died(consumer->member.link) &&
		    clock_now_ns() < consumer->give_up_ns)
			return 0;
		consumer_abandon_claimed(consumer);
		consumer_flush(consumer, consumer->received);
		return 1;
	}
	if (ctx->fatal)
		return 0;
	if (comch_link_ended(consumer->member.link) == 0)
		return consumer_revoked(consumer);
	consumer->flush_code = comch_link_code(consumer->member.link);
	if (consumer->flush_code == DOCA_ERROR_CONNECTION_RESET)
		error_set(DOCA_ERROR_CONNECTION_RESET,
			  "comch \"%s\": the connection to the peer broke; consumer %u stops",
			  consumer->member.link->name, consumer->id);
	else
		sdk_info("comch \"%s\": the connection has ended; consumer %u stops",
			 consumer->member.link->name, consumer->id);
	ctx_fail(ctx);
	return 1;
}

static bool consumer_is_lost(struct doca_comch_consumer *consumer)
{
	return comch_link_ended(consumer->member.link) != 0 ||
	       atomic_load_explicit(&consumer->exported.is_revoked, memory_order_relaxed);
}

/* There is no message. */
static __attribute__((noinline)) uint8_t consumer_poll_idle(struct doca_comch_consumer *consumer)
{
	if (consumer->offered != consumer->posted)
		consumer_offer(consumer);
	if (unlikely(consumer->ctx.state != DOCA_CTX_STATE_RUNNING || consumer_is_lost(consumer)))
		return consumer_poll_slow(consumer);
	return 0;
}

static uint8_t consumer_poll(struct doca_ctx *ctx)
{
	struct doca_comch_consumer *consumer = consumer_of(ctx);
	uint64_t received = consumer->received;
	uint32_t at = (uint32_t)received & consumer->mask;
	struct slots_slot *slot = &consumer->slots[at];
	uint64_t word;

	if (unlikely(received == consumer->posted || consumer->broken))
		return consumer_poll_idle(consumer);
	word = atomic_load_explicit(&slot->word, memory_order_acquire);
	if (likely(word == slot_word(received, SLOTS_SHORT)))
		return consumer_receive_fast(consumer, consumer->posted_tasks[at], slot, word);
	if (slot_is_complete(word, received))
		return consumer_receive(consumer, slot, word);
	return consumer_poll_idle(consumer);
}

/* --- sleeping --- */

/* For a consumer that stops: returns true if claimed receives are not to be waited for any longer,
 * or if there is no timer for that. */
static bool consumer_wait_is_over(struct doca_comch_consumer *consumer)
{
	return comch_link_peer_died(consumer->member.link) ||
	       !pe_set_timer(consumer->ctx.pe, &consumer->timer_fd, consumer->give_up_ns);
}

static bool consumer_arm(struct doca_ctx *ctx)
{
	struct doca_comch_consumer *consumer = consumer_of(ctx);
	bool is_stopping = ctx->state == DOCA_CTX_STATE_STOPPING;
	bool waits = consumer->received != consumer->posted;

	if (ctx->state == DOCA_CTX_STATE_STARTING || (consumer->broken && waits))
		return true;
	if (consumer->broken || (is_stopping && !waits))
		return false;
	if (consumer->offered != consumer->posted)
		consumer_offer(consumer);
	ring_sleeper_arm(&consumer->header->armed);
	/* These events ring the doorbell whether it is armed or not, so checking after arming
	 * suffices. */
	return (is_stopping ? consumer_wait_is_over(consumer) : consumer_is_lost(consumer)) ||
	       (waits &&
		slot_is_complete(atomic_load(&consumer_slot(consumer)->word), consumer->received));
}

static void consumer_disarm(struct doca_ctx *ctx)
{
	struct doca_comch_consumer *consumer = consumer_of(ctx);

	if (consumer->header != NULL)
		ring_sleeper_disarm(&consumer->header->armed);
}

/* --- starting and stopping --- */

static uint32_t consumer_stride(const struct doca_comch_consumer *consumer)
{
	return ALIGN_UP(ALIGN_UP(consumer->imm_len, 8u) + INLINE_MIN, SHM_CACHE_LINE);
}

static uint32_t pow2_at_least(uint32_t n)
{
	return n <= 1 ? 1 : 1u << (32 - __builtin_clz(n - 1));
}

static doca_error_t consumer_no_memory(const struct doca_comch_consumer *consumer, int error)
{
	return error_set(DOCA_ERROR_NO_MEMORY,
			 "comch consumer start: no memory for the slots of %u %s (error %d)",
			 consumer->n_tasks, plural(consumer->n_tasks, "receive", "receives"),
			 error);
}

static uint64_t consumer_bounce_len(const struct doca_comch_consumer *consumer)
{
	uint64_t all = (uint64_t)consumer->n_tasks * consumer->max_buf_size;

	if (!comch_consumer_is_remote(consumer))
		return BOUNCE_LEN;
	return ALIGN_UP(MIN(MAX(all, REMOTE_BOUNCE_MIN), BOUNCE_LEN), (uint64_t)SLOTS_ALIGN);
}

static doca_error_t consumer_lay_out(struct doca_comch_consumer *consumer)
{
	struct slots_header *header;
	struct comch_slots slots;

	if (!comch_slots_plan(&slots, pow2_at_least(consumer->n_tasks), consumer_stride(consumer),
			      consumer_bounce_len(consumer)))
		return consumer_no_memory(consumer, 0);
	consumer->memfd = memfd_create_sealed("doca-consumer", slots.len);
	if (consumer->memfd < 0)
		return consumer_no_memory(consumer, -consumer->memfd);
	header = memfd_map(consumer->memfd, 0, slots.len, true);
	consumer->posted_tasks = calloc(slots.n_slots, sizeof(consumer->posted_tasks[0]));
	consumer->doorbell_fd = fd_eventfd();
	consumer->header = header;
	consumer->map_len = slots.len;
	if (header == NULL || consumer->posted_tasks == NULL || consumer->doorbell_fd < 0)
		return consumer_no_memory(consumer, errno);
	header->magic = SLOTS_MAGIC;
	header->version = SLOTS_LAYOUT;
	header->n_slots = slots.n_slots;
	header->body_stride = slots.stride;
	header->bounce_len = slots.bounce_len;
	ring_sleeper_init(&header->armed);
	consumer->descs = (struct slots_desc *)(void *)((uint8_t *)header + slots.desc_at);
	consumer->slots = (struct slots_slot *)(void *)((uint8_t *)header + slots.slot_at);
	consumer->bodies = (uint8_t *)header + slots.body_at;
	consumer->bounce = (uint8_t *)header + slots.bounce_at;
	consumer->bounce_len = slots.bounce_len;
	consumer->mask = slots.n_slots - 1;
	consumer->stride = slots.stride;
	consumer->posted = consumer->offered = consumer->received = 0;
	consumer->offer_at = consumer->offer_received = 0;
	consumer->offer_step = MAX(slots.n_slots / OFFER_PARTS, 1u);
	consumer->broken = false;
	consumer->flush_code = DOCA_ERROR_SHUTDOWN;
	return DOCA_SUCCESS;
}

static void consumer_release(struct doca_ctx *ctx)
{
	struct doca_comch_consumer *consumer = consumer_of(ctx);

	ctx_set_polled(ctx, false);
	comch_unexport(&consumer->exported, false);
	comch_link_set_doorbell(&consumer->member, -1);
	if (consumer->counted)
		atomic_fetch_sub(&consumer->member.link->n_active, 1);
	consumer->counted = false;
	if (consumer->doorbell_fd >= 0)
		pe_remove_eventfd(ctx->pe, consumer->doorbell_fd);
	pe_close_timer(ctx->pe, &consumer->timer_fd);
	fd_close(&consumer->doorbell_fd);
	fd_close(&consumer->memfd);
	if (consumer->header != NULL)
		memfd_unmap(consumer->header, consumer->map_len);
	consumer->header = NULL;
	free(consumer->posted_tasks);
	consumer->posted_tasks = NULL;
	mmap_user_deactivate(&consumer->memory);
}

static doca_error_t consumer_check_start(const struct doca_comch_consumer *consumer)
{
	const struct comch_link *link = consumer->member.link;
	const struct doca_mmap *mmap = consumer->memory.mmap;

	if (comch_link_ended(link) != 0)
		return error_set(comch_link_code(link),
				 "comch consumer start: the connection of \"%s\" has ended",
				 link->name);
	if (mmap == NULL)
		return error_set(DOCA_ERROR_BAD_STATE,
				 "comch consumer start: its mmap was destroyed; destroy the "
				 "consumer and create one with another mmap");
	if (mmap->from_export || !mmap->started || !mmap->writable)
		return error_set(
			DOCA_ERROR_BAD_STATE, "comch consumer start: its mmap %s",
			mmap->from_export
				? "is an import; buffers must lie in memory of this process"
			: !mmap->started
				? "is not started; call doca_mmap_start first"
				: "does not permit writing; see doca_mmap_set_permissions");
	if (!mmap_has_dev(mmap, consumer->ctx.dev))
		return error_set(DOCA_ERROR_BAD_STATE,
				 "comch consumer start: its mmap does not have the connection's "
				 "device %s; use doca_mmap_add_dev",
				 consumer->ctx.dev->info->name);
	return DOCA_SUCCESS;
}

static doca_error_t consumer_start(struct doca_ctx *ctx)
{
	struct doca_comch_consumer *consumer = consumer_of(ctx);
	doca_error_t result = consumer_check_start(consumer);
	int r;

	if (result == DOCA_SUCCESS)
		result = mmap_user_activate(&consumer->memory);
	if (result != DOCA_SUCCESS)
		return result;
	consumer->mmap = consumer->memory.mmap;
	result = consumer_lay_out(consumer);
	if (result == DOCA_SUCCESS) {
		r = pe_add_shared_fd(ctx->pe, consumer->doorbell_fd);
		if (r < 0)
			result = error_set(
				error_from_errno(r),
				"comch consumer start: its doorbell cannot be watched (error %d)",
				-r);
	}
	if (result == DOCA_SUCCESS) {
		atomic_fetch_add(&consumer->member.link->n_active, 1);
		consumer->counted = true;
		comch_link_set_doorbell(&consumer->member, consumer->doorbell_fd);
		if (comch_consumer_is_remote(consumer))
			result = comch_export(&consumer->exported, ctx->dev, consumer->header,
					      consumer->map_len, &consumer->header->armed,
					      consumer->doorbell_fd);
	}
	if (result == DOCA_SUCCESS)
		result = comch_consumer_register(consumer);
	if (result != DOCA_SUCCESS) {
		consumer_release(ctx);
		return result;
	}
	ctx_set_polled(ctx, true);
	return DOCA_ERROR_IN_PROGRESS;
}

/*
 * Called when the export has ended: messages that are incomplete now never arrive. Complete
 * messages are received, whichever slots they are in. Incomplete slots before the last complete one
 * are marked as skipped. Returns the number of the receive after the last complete one.
 */
static uint64_t consumer_skip_incomplete(struct doca_comch_consumer *consumer)
{
	uint64_t i, end = consumer->received;

	for (i = consumer->received; i != consumer->posted; i++) {
		if (slot_is_complete(atomic_load(&consumer->slots[i & consumer->mask].word), i))
			end = i + 1;
	}
	for (i = consumer->received; i != end; i++) {
		struct slots_slot *slot = &consumer->slots[i & consumer->mask];

		if (slot_is_complete(atomic_load(&slot->word), i))
			continue;
		/* The old length in the slot may be too long for the receive. */
		atomic_store(&slot->info, 0);
		atomic_store(&slot->word, (uint64_t)SLOTS_SKIP << 32 | (uint32_t)(i + 1));
	}
	return end;
}

static void consumer_stop_remote(struct doca_comch_consumer *consumer)
{
	comch_consumer_unregister(consumer);
	comch_unexport(&consumer->exported, !(consumer->ctx.pe->flags & PE_IN_PROGRESS));
	consumer_flush(consumer,
		       consumer->broken ? consumer->received : consumer_skip_incomplete(consumer));
}

static void consumer_stop(struct doca_ctx *ctx)
{
	struct doca_comch_consumer *consumer = consumer_of(ctx);
	uint64_t claimed;
	bool fenced;

	atomic_store(&consumer->header->closed, 1);
	consumer->give_up_ns = clock_now_ns() + CLAIMED_WAIT_NS;
	if (consumer->exported.mmap != NULL) {
		consumer_stop_remote(consumer);
		return;
	}
	fenced = barrier_others();
	claimed = atomic_fetch_or(&consumer->header->claim, SLOTS_CLOSED) & ~SLOTS_CLOSED;
	/* Without a barrier, a claim may exist that is not visible yet, so all receives count as
	 * claimed. */
	if (!fenced && (atomic_load(&consumer->header->armed) & CHANNEL_FENCE) == 0)
		claimed = consumer->posted;
	comch_consumer_unregister(consumer);
	if (claimed < consumer->received || claimed > consumer->posted || consumer->broken)
		claimed = consumer->received;
	consumer_flush(consumer, claimed);
}

static bool consumer_stopped(const struct doca_ctx *ctx)
{
	const struct doca_comch_consumer *consumer = consumer_of(ctx);

	return consumer->received == consumer->posted;
}

const struct ctx_ops comch_consumer_ops = {
	.name = "comch consumer",
	.counted_as = COUNTERS_CONSUMER,
	.start = consumer_start,
	.stop = consumer_stop,
	.stopped = consumer_stopped,
	.release = consumer_release,
	.poll = consumer_poll,
	.arm = consumer_arm,
	.disarm = consumer_disarm,
};
