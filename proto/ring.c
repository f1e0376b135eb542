/*
 * Slow paths of the message ring: set-up, validation of the peer's counters, sleep and wake.
 * proto/ring.h describes the protocol.
 */
#include "proto/ring.h"
#include "util/memfd.h"

#define RING_LEN_MIN     (64u << 10)
#define RING_QUEUE_BYTES (4u << 20) /* limit for a queue of many small messages */
#define RING_BIG_MSG     (1u << 20)
#define RING_LEN_MAX     (1ull << 40)

/*
 * Registers for membarrier. Returns CHANNEL_FENCE if the peer's membarrier does not reach this
 * process, else 0. Idempotent and cheap, so each init calls it.
 */
uint32_t ring_waker_register(void)
{
	return barrier_register() ? 0 : CHANNEL_FENCE;
}

/* Sets this end's sleep word to its awake state. */
void ring_sleeper_init(_Atomic uint32_t *word)
{
	atomic_store(word, barrier_others() ? 0 : CHANNEL_FENCE);
}

void ring_sleeper_disarm(_Atomic uint32_t *word)
{
	atomic_fetch_and_explicit(word, ~CHANNEL_SLEEPING, memory_order_relaxed);
}

void ring_sleeper_arm(_Atomic uint32_t *word)
{
	atomic_fetch_or(word, CHANNEL_SLEEPING);
	/*
	 * The peer can write the word, so its FENCE bit is not trusted; the result of membarrier
	 * is.
	 */
	if (!barrier_others())
		atomic_fetch_or(word, CHANNEL_FENCE);
	barrier_self();
}

bool ring_clear_sleeper(_Atomic uint32_t *word)
{
	barrier_self();
	if (!(atomic_load_explicit(word, BARRIER_ORDER_LOAD) & CHANNEL_SLEEPING))
		return false;
	return atomic_fetch_and(word, ~CHANNEL_SLEEPING) & CHANNEL_SLEEPING;
}

void ring_producer_init(struct ring_producer *p, struct channel_ring_ctl *ctl, void *data,
			uint64_t ring_len, uint32_t max_msg, uint32_t queue_size)
{
	*p = (struct ring_producer){
		.data = data,
		.mask = ring_len - 1,
		.limit = ring_len,
		.msg_limit = queue_size,
		.queue_size = queue_size,
		.max_msg = max_msg,
		.ctl = ctl,
		.fence = ring_waker_register(),
	};
	ring_sleeper_init(&ctl->space_armed);
}

void ring_consumer_init(struct ring_consumer *c, struct channel_ring_ctl *ctl, void *data,
			uint64_t ring_len, uint32_t max_msg)
{
	*c = (struct ring_consumer){
		.data = data,
		.mask = ring_len - 1,
		.max_msg = max_msg,
		.ctl = ctl,
		.fence = ring_waker_register(),
	};
	ring_sleeper_init(&ctl->armed);
}

static uint64_t ring_pow2(uint64_t len)
{
	return 1ull << (64 - __builtin_clzll(len - 1));
}

uint64_t ring_len_for(uint32_t max_msg, uint32_t queue_size)
{
	uint64_t span = ring_span(max_msg);
	uint64_t len = (max_msg > RING_BIG_MSG ? 2 : 4) * span + CHANNEL_MSG_HEADER;
	uint64_t queue = MIN(queue_size * span + CHANNEL_MSG_HEADER, (uint64_t)RING_QUEUE_BYTES);

	len = MAX(len, queue);
	len = MAX(len, (uint64_t)MAX(RING_LEN_MIN, memfd_page_size()));
	return ring_pow2(len);
}

bool ring_geometry_valid(uint64_t ring_len, uint32_t max_msg)
{
	return IS_POW2(ring_len) && ring_len % memfd_page_size() == 0 && ring_len <= RING_LEN_MAX &&
	       ring_span(max_msg) + CHANNEL_MSG_HEADER <= ring_len;
}

int ring_producer_refresh(struct ring_producer *p)
{
	/*
	 * The position is loaded first: its acquire makes the count that belongs to it, or a later
	 * one, visible.
	 */
	uint64_t pos = atomic_load_explicit(&p->ctl->consumed_pos, memory_order_acquire);
	uint64_t msgs = atomic_load_explicit(&p->ctl->consumed_msgs, memory_order_acquire);
	uint64_t ring_len = p->mask + 1;

	if (pos > p->pos || pos < p->limit - ring_len || p->pos - pos > ring_len ||
	    pos % CHANNEL_MSG_HEADER != 0)
		return -EPROTO;
	if (msgs > p->n_msgs || msgs < p->msg_limit - p->queue_size ||
	    p->n_msgs - msgs > p->queue_size)
		return -EPROTO;
	p->limit = pos + ring_len;
	p->msg_limit = msgs + p->queue_size;
	return 0;
}

void ring_producer_acquire_lines(struct ring_producer *p)
{
	uint64_t end = MIN(p->pos + RING_AHEAD, p->limit);
	uint64_t at;

	/* The word at pos is the header that the consumer polls. */
	for (at = ALIGN_UP(p->pos + CHANNEL_MSG_HEADER, (uint64_t)SHM_CACHE_LINE); at < end;
	     at += SHM_CACHE_LINE)
		*(volatile uint8_t *)(p->data + (at & p->mask)) = 0;
	p->acquired_ahead = end;
}

static bool ring_consumer_has_data(const struct ring_consumer *c)
{
	_Atomic uint64_t *header = (_Atomic uint64_t *)(void *)(c->data + (c->pos & c->mask));

	return atomic_load(header) != 0 || atomic_load(&c->ctl->closed) != 0;
}

void ring_consumer_arm_begin(struct ring_consumer *c)
{
	atomic_fetch_or(&c->ctl->armed, CHANNEL_SLEEPING);
}

bool ring_arm_fence(void)
{
	bool fenced = barrier_others();

	barrier_self();
	return fenced;
}

bool ring_consumer_arm_end(struct ring_consumer *c, bool fenced)
{
	/*
	 * The peer can write the word, so its FENCE bit is not trusted; the result of membarrier
	 * is.
	 */
	if (unlikely(!fenced)) {
		atomic_fetch_or(&c->ctl->armed, CHANNEL_FENCE);
		barrier_self();
	}
	return ring_consumer_has_data(c);
}

bool ring_consumer_arm(struct ring_consumer *c)
{
	ring_consumer_arm_begin(c);
	return ring_consumer_arm_end(c, ring_arm_fence());
}

void ring_consumer_disarm(struct ring_consumer *c)
{
	ring_sleeper_disarm(&c->ctl->armed);
}

bool ring_producer_arm(struct ring_producer *p, uint32_t len)
{
	ring_sleeper_arm(&p->ctl->space_armed);
	if (ring_producer_refresh(p) == 0 && !ring_producer_fits(p, len))
		return false;
	ring_producer_disarm(p);
	return true;
}

void ring_producer_disarm(struct ring_producer *p)
{
	ring_sleeper_disarm(&p->ctl->space_armed);
}

bool ring_producer_close(struct ring_producer *p)
{
	atomic_store(&p->ctl->closed, 1);
	return ring_clear_sleeper(&p->ctl->armed);
}

bool ring_consumer_peer_closed(const struct ring_consumer *c)
{
	return atomic_load_explicit(&c->ctl->closed, memory_order_acquire) != 0;
}
