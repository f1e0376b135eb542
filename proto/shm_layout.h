/*
 * Structures that live in memory shared between processes. Both ends treat every word as hostile:
 * it is read once, checked, and never read again for the same decision. Sizes and offsets are
 * pinned by static asserts; a change of any of them is a change of the protocol version.
 */
#ifndef PROTO_SHM_LAYOUT_H
#define PROTO_SHM_LAYOUT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SHM_CACHE_LINE 64

/*
 * Liveness page: owned by a session, written by its library and its daemon, mapped read-only by
 * importers. An export is alive while words[slot] equals the generation that the import was given,
 * which is even, or that and LIVENESS_CROWD: once more than one process has imported it, and for
 * good, for those who give it up may keep what they got. Who sleeps on a sync event then cannot
 * rely on its sleep words. 0 there: it ended, or its session did, and then the client registers it
 * anew with its next one. LIVENESS_REVOKED, which is no generation: an operator ended it, and it is
 * not registered again.
 *
 * The last word of a page is of no export. The daemon adds to it each time it has revoked one, and
 * when a device was taken away whose opening has a word, and wakes who waits on it by futex: the
 * owner may have more to end than the word, or be asleep.
 */
#define LIVENESS_REVOKED UINT32_MAX
#define LIVENESS_CROWD   1u
struct liveness_page {
	_Atomic uint32_t words[1];
};

static inline bool liveness_is_alive(uint32_t word, uint32_t generation)
{
	return (word ^ generation) <= LIVENESS_CROWD;
}

/* Of one that lives: has become a crowd. */
static inline void liveness_set_crowd(_Atomic uint32_t *word, uint32_t generation)
{
	atomic_compare_exchange_strong(word, &generation, generation | LIVENESS_CROWD);
}

/*
 * Event ring: daemon -> one context of a client. The daemon never blocks on it: what does not fit
 * is queued in the daemon. head counts events written, tail events consumed; both wrap at 2^32.
 */
#define EVENT_RING_MAGIC 0x45565231u /* "EVR1" */
#define EVENT_RING_SLOTS 256u        /* power of two */

enum event_type {
	EVENT_CHANNEL_NEW = 1,    /* to a server: id = channel, fetch it to accept */
	EVENT_CHANNEL_READY = 2,  /* to a client: id = channel, fetch it */
	EVENT_CHANNEL_FAILED = 3, /* to a client: id = channel, code = doca_error_t */
	EVENT_CHANNEL_CLOSED = 4, /* to both: id = channel, code = doca_error_t, 0 = orderly */
	EVENT_CONSUMER_NEW = 5,   /* to both: id = channel, arg = consumer of the other end */
	EVENT_CONSUMER_GONE = 6,  /* to both: the same; also for one that was never fetched */
	EVENT_CHANNEL_ARRIVED =
		7,                /* to a client that asked for it: id = channel, a server has it */
	EVENT_RDMA_REQUESTED = 8, /* to who listens: id = call, arg = port number; fetch it */
	EVENT_RDMA_ANSWERED = 9,  /* to a caller: id = call, code = doca_error_t; 0: fetch it */
	/* id = call: the other end hung up or ended; code NOT_CONNECTED: the link to its daemon did
	 */
	EVENT_RDMA_GONE = 10,
	EVENT_EXPORT_REVOKED = 11, /* to who serves it: id = export, by an operator */
	EVENT_SERVER_GONE = 12,    /* to a server: id = server, what it serves was taken away */
};

struct event_slot {
	uint32_t type;
	uint32_t code;
	uint64_t id;
	uint64_t arg;
	uint64_t reserved;
};

struct event_ring {
	uint32_t magic;
	uint32_t version;
	uint32_t n_slots;
	uint32_t reserved0;
	uint8_t pad0[48];
	_Atomic uint32_t head; /* written by the daemon */
	uint8_t pad1[60];
	_Atomic uint32_t tail; /* written by the client */
	/* The client sets 1 before it sleeps; the daemon swaps 0 in and rings. */
	_Atomic uint32_t armed;
	uint8_t pad2[56];
	struct event_slot slots[EVENT_RING_SLOTS];
};

_Static_assert(sizeof(struct event_slot) == 32, "event slot is 32 bytes");
_Static_assert(offsetof(struct event_ring, head) == 64, "head has its own line");
_Static_assert(offsetof(struct event_ring, tail) == 128, "tail has its own line");
_Static_assert(offsetof(struct event_ring, slots) == 192, "slots follow");

/*
 * Sleep words of a sync event, one page in a memfd of their own, so that the counter's page can be
 * read-only for those who only subscribe. A waiter that goes to sleep sets its bit in `sleepers`
 * and looks at the counter once more; a publisher changes the counter and then looks at
 * `sleepers`: if it is not 0 it swaps 0 in, adds 1 to `seq`, wakes all who wait on `seq` by futex,
 * and rings the event's eventfd. All who are woken look again and arm again. The fence between
 * store and look is paid by the sleeper (membarrier), as in proto/ring.h.
 *
 * The eventfd is shared by all who take part: it is watched edge-triggered and read by nobody. Its
 * maker charges it with so much that it stays readable (fd_eventfd_charged), and who rings it
 * cannot be stopped (util/doorbell.h).
 *
 * All of these words can be changed by whoever takes part. Of two that harms only who does it, and
 * its partner no more than its silence would. A third can take bits out of `sleepers` that a
 * publisher then does not see. So when a second process imports the event its exporter's daemon
 * says so in the liveness word, where importers cannot write, and only then wakes all who sleep and
 * hands the event over; from there on they look by themselves once in a while.
 */
#define SYNC_WORDS_LEN    4096u
#define SYNC_WORDS_MAGIC  0x53594e31u /* "SYN1" */
#define SYNC_WORDS_LAYOUT 1u

#define SYNC_SLEEP_FUTEX 1u /* in sleepers: somebody waits on seq */
#define SYNC_SLEEP_EVENT 2u /* somebody sleeps on the eventfd */
#define SYNC_SLEEP_FENCE 4u /* stays: a waiter has no membarrier, so publishers must fence */

#define SYNC_WORDS_UNSEEN 1u /* in flags: changes may come without a look at sleepers */

struct sync_words {
	uint32_t magic;
	uint32_t version;       /* SYNC_WORDS_LAYOUT */
	_Atomic uint32_t flags; /* SYNC_WORDS_*, of the exporter; before it wakes all who sleep */
	uint8_t pad0[52];
	_Atomic uint32_t sleepers;
	_Atomic uint32_t seq;
	uint8_t pad1[56];
};

_Static_assert(sizeof(struct sync_words) == 128, "two lines");
_Static_assert(offsetof(struct sync_words, sleepers) == 64, "the words have their own line");

/*
 * Channel memfd: one header page, then two data areas of ring_len bytes each. Ring 0 carries
 * server -> client, ring 1 client -> server. A data area is mapped twice in a row by each end, so
 * that a message never wraps. Positions are byte counts from the beginning of time (uint64, they do
 * not wrap in practice) and are always multiples of 8.
 *
 * A message is an 8-byte header followed by the payload, padded to 8 bytes. Header, from the low
 * bits: 32 length + 1, 29 message kind, 3 further padding in units of 8 bytes (the producer may
 * start the next message on a cache line of its own). The producer clears the header word of the
 * message to come, then stores this message's header with release order: the consumer polls that
 * one word, so that a short message costs one cache line.
 */
#define CHANNEL_MAGIC      0x43485231u /* "CHR1" */
#define CHANNEL_LAYOUT     1u
#define CHANNEL_HEADER_LEN 4096u
#define CHANNEL_MSG_HEADER 8u
#define CHANNEL_KIND_MASK  0x1fffffffu
#define CHANNEL_PAD_SHIFT  61

/*
 * Bits of the sleep words. SLEEPING: the owner is about to sleep, the other end swaps the bit out
 * and rings. FENCE: the owner cannot have the other end's stores flushed (membarrier is refused to
 * it), so the other end must do so itself after each message. How they are used: proto/ring.h.
 */
#define CHANNEL_SLEEPING 1u
#define CHANNEL_FENCE    2u

struct channel_ring_ctl {
	/* Written by the consumer with each message, read by a producer out of room. */
	_Atomic uint64_t consumed_pos;  /* bytes */
	_Atomic uint64_t consumed_msgs; /* messages */
	uint8_t pad0[48];
	/* Read by both ends with each message, written around sleep: the line stays shared. */
	_Atomic uint32_t armed;       /* owned by the consumer, which sleeps for a message */
	_Atomic uint32_t space_armed; /* owned by the producer, which sleeps for room */
	_Atomic uint32_t closed; /* owned by the producer; 1: nothing follows what is in the ring */
	uint8_t pad1[52];
};

struct channel_header {
	uint32_t magic;
	uint32_t version;
	uint32_t ring_len;
	uint32_t reserved0;
	uint8_t pad0[48];
	struct channel_ring_ctl ring[2];
};

_Static_assert(sizeof(struct channel_ring_ctl) == 128, "two lines");
_Static_assert(offsetof(struct channel_ring_ctl, armed) == 64, "sleep words have their own line");
_Static_assert(offsetof(struct channel_header, ring) == 64, "rings follow the fixed line");
_Static_assert(sizeof(struct channel_header) <= CHANNEL_HEADER_LEN, "fits the header page");

/*
 * Slots of a consumer: a memfd that the consumer's library makes and that the peer maps, whose
 * producers send to it. One header page; n_slots receive descriptors, written by the consumer;
 * n_slots slots and as many bodies of body_stride bytes, written by producers; a bounce area for
 * payloads that have no other way. Each part begins on a multiple of 4096 bytes. A slot has room
 * for a short message, and slots have no gaps between them: a stream of such messages crosses to
 * the other core as few lines, one behind the other.
 *
 * The i-th receive that is posted (from 0) uses descriptor and slot i mod n_slots. Receives below
 * `posted` are there for producers, who look at that word only when they have used what they saw
 * of it; the consumer may let it lag behind while many others are free. A descriptor is written
 * only if it changes, so where buffers return to the same place in each lap nothing of it travels.
 * A slot's sequence, the low half of i + 1, is stored last and with release order, and tells the
 * consumer that the message is complete. A producer owns slot i once it has moved `claim` from i to
 * i + 1; a consumer that stops sets SLOTS_CLOSED there, so that both sides agree on which receives
 * still get a message. Where there is one producer it moves `claim` without a locked instruction,
 * so SLOTS_CLOSED may be overwritten: the consumer sets `closed` first, then fences all processors
 * (proto/barrier.h), and then SLOTS_CLOSED. A producer that finds `closed` set after its claim,
 * which the consumer may or may not have seen, completes the slot as SLOTS_SKIP and touches no
 * buffer. The bytes of slots that are offered and not claimed may hold anything: a producer that is
 * alone stores there ahead.
 */
#define SLOTS_MAGIC      0x534c5431u /* "SLT1" */
#define SLOTS_LAYOUT     3u
#define SLOTS_PART       4096u
#define SLOTS_CLOSED     (1ull << 63)
#define SLOTS_MAX_SLOTS  (1u << 20)
#define SLOTS_MAX_STRIDE 4096u
#define SLOTS_MAX_BOUNCE (1ull << 30)
#define SLOTS_SHORT_LEN  64u

struct slots_header {
	uint32_t magic;
	uint32_t version;
	uint32_t n_slots; /* power of two */
	uint32_t body_stride;
	uint64_t bounce_len;
	uint8_t pad0[40];
	_Atomic uint64_t claim; /* next slot to be filled; moved on by producers */
	uint8_t pad1[56];
	_Atomic uint32_t armed;  /* CHANNEL_SLEEPING and CHANNEL_FENCE of the consumer */
	_Atomic uint32_t closed; /* not 0: the consumer takes no more claims */
	uint8_t pad2[56];
	/* Written by the consumer after it took a message out of the bounce area: what slots below
	 * this hold there is free. */
	_Atomic uint64_t consumed;
	uint8_t pad3[56];
	_Atomic uint64_t posted; /* receives offered so far; written by the consumer */
	uint8_t pad4[56];
};

struct slots_desc {
	_Atomic uint64_t addr; /* in the consumer's address space */
	_Atomic uint64_t room; /* bytes */
};

enum slots_kind {
	SLOTS_INLINE = 1, /* the payload follows the immediate data */
	SLOTS_PLACED = 2, /* it is in the consumer's buffer already */
	SLOTS_BOUNCE = 3, /* its offset in the bounce area follows the immediate data, 8 bytes */
	SLOTS_SKIP = 4,   /* no message: it could not be written; the receive is posted again */
	SLOTS_SHORT = 5,  /* as SLOTS_INLINE, but in the slot itself instead of its body */
};

/* The body, or the slot's own bytes, hold the immediate data, padded to 8 bytes, and what the kind
 * says. */
struct slots_slot {
	uint8_t bytes[SLOTS_SHORT_LEN];
	_Atomic uint64_t word; /* from the low bits: 32 sequence, 8 kind, 16 immediate length */
	_Atomic uint64_t info; /* 32 payload length, 32 producer's id */
};

_Static_assert(offsetof(struct slots_header, claim) == 64, "claim has its own line");
_Static_assert(offsetof(struct slots_header, armed) == 128, "armed has its own line");
_Static_assert(offsetof(struct slots_header, consumed) == 192, "consumed has its own line");
_Static_assert(offsetof(struct slots_header, posted) == 256, "posted has its own line");
_Static_assert(sizeof(struct slots_header) == 320, "five lines");
_Static_assert(sizeof(struct slots_desc) == 16, "four descriptors are a line");
_Static_assert(sizeof(struct slots_slot) == 80, "four slots are five lines");

#endif
