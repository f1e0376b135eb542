/*
 * Structures in memory that processes share. Both ends treat every word as hostile: they read it
 * once, validate it, and never read it again for the same decision. Static asserts pin sizes and
 * offsets; changing any of them changes the protocol version.
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
 * importers. An export is alive while words[slot] equals the generation that the import received,
 * which is even, or that generation with LIVENESS_SHARED. The daemon sets LIVENESS_SHARED when a
 * second process imports the export. It is never cleared, because a process that drops its import
 * may keep the mapping. A process that sleeps on a sync event then cannot rely on its sleep words.
 * 0 means that the export or its session ended; the client registers the export again with its next
 * session. LIVENESS_REVOKED, which is no generation, means that an operator revoked the export; it
 * is not registered again.
 *
 * The last word of a page belongs to no export. The daemon increments it and wakes its futex
 * waiters each time it has revoked an export, and when a device that has a liveness word is
 * removed. The owner's library needs this wake-up because it may have more to end than the word, or
 * may be asleep.
 */
#define LIVENESS_REVOKED UINT32_MAX
#define LIVENESS_SHARED  1u
struct liveness_page {
	_Atomic uint32_t words[1];
};

static inline bool liveness_is_alive(uint32_t word, uint32_t generation)
{
	return (word ^ generation) <= LIVENESS_SHARED;
}

/* Sets LIVENESS_SHARED in the word of an export that is alive. */
static inline void liveness_set_shared(_Atomic uint32_t *word, uint32_t generation)
{
	atomic_compare_exchange_strong(word, &generation, generation | LIVENESS_SHARED);
}

/*
 * Event ring from the daemon to one context of a client. The daemon never blocks on it: events that
 * do not fit are queued in the daemon. head counts events written, tail events consumed; both wrap
 * at 2^32.
 */
#define EVENT_RING_MAGIC 0x45565231u /* "EVR1" */
#define EVENT_RING_SLOTS 256u        /* power of two */

enum event_type {
	EVENT_CHANNEL_NEW = 1,    /* to a server: id = channel, fetch it to accept */
	EVENT_CHANNEL_READY = 2,  /* to a client: id = channel, fetch it */
	EVENT_CHANNEL_FAILED = 3, /* to a client: id = channel, code = doca_error_t */
	EVENT_CHANNEL_CLOSED = 4, /* to both: id = channel, code = doca_error_t, 0 = orderly */
	EVENT_CONSUMER_NEW = 5,   /* to both: id = channel, arg = consumer of the other end */
	/* To both: id, arg as above; also for a consumer that was never fetched. */
	EVENT_CONSUMER_GONE = 6,
	EVENT_CHANNEL_ARRIVED = 7, /* to a client that asked: id = channel, it is at a server */
	EVENT_RDMA_REQUESTED = 8,  /* to a listener: id = call, arg = port number; fetch it */
	EVENT_RDMA_ANSWERED = 9,   /* to a caller: id = call, code = doca_error_t; 0: fetch it */
	/*
	 * id = call: the other end hung up or ended; code NOT_CONNECTED: the link to its daemon
	 * ended
	 */
	EVENT_RDMA_GONE = 10,
	/* To the endpoint that serves it: id = export, revoked by an operator. */
	EVENT_EXPORT_REVOKED = 11,
	/* To a server: id = server, its device or representor was removed. */
	EVENT_SERVER_GONE = 12,
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
	/* The client stores 1 before it sleeps; the daemon swaps in 0 and signals the eventfd. */
	_Atomic uint32_t armed;
	uint8_t pad2[56];
	struct event_slot slots[EVENT_RING_SLOTS];
};

_Static_assert(sizeof(struct event_slot) == 32, "event slot is 32 bytes");
_Static_assert(offsetof(struct event_ring, head) == 64, "head has its own line");
_Static_assert(offsetof(struct event_ring, tail) == 128, "tail has its own line");
_Static_assert(offsetof(struct event_ring, slots) == 192, "slots follow");

/*
 * Sleep words of a sync event, one page in a separate memfd, so that the counter's page can be
 * read-only for subscribers. A waiter that goes to sleep sets its bit in `sleepers` and checks the
 * counter once more. A publisher changes the counter and then loads `sleepers`. If it is not 0, the
 * publisher swaps in 0, increments `seq`, wakes all futex waiters on `seq`, and signals the event's
 * eventfd. Every woken waiter checks the counter and arms again. The sleeper pays for the fence
 * between store and load (membarrier), as in proto/ring.h.
 *
 * All participants share the eventfd: it is watched edge-triggered and never read. Its creator
 * charges it so far that it stays readable (fd_eventfd_charged()), and its signalling cannot be
 * blocked (util/doorbell.h).
 *
 * Every participant can change these words. With two participants a forger harms only itself, and
 * its partner no more than its silence would. A third participant can clear bits of `sleepers`,
 * which a publisher then does not see. So when a second process imports the event, the exporter's
 * daemon first sets LIVENESS_SHARED in the liveness word, which importers cannot write. Only then
 * it wakes all sleepers and completes the import. From then on waiters also check the counter at
 * intervals.
 */
#define SYNC_WORDS_LEN    4096u
#define SYNC_WORDS_MAGIC  0x53594e31u /* "SYN1" */
#define SYNC_WORDS_LAYOUT 1u

#define SYNC_SLEEP_FUTEX 1u /* in sleepers: a thread waits on seq */
#define SYNC_SLEEP_EVENT 2u /* a thread sleeps on the eventfd */
/* Never cleared: a waiter has no membarrier, so publishers must fence. */
#define SYNC_SLEEP_FENCE 4u

/* In flags: publishers may change the counter without loading sleepers. */
#define SYNC_WORDS_UNSEEN 1u

struct sync_words {
	uint32_t magic;
	uint32_t version; /* SYNC_WORDS_LAYOUT */
	/* SYNC_WORDS_*, written by the exporter before it wakes all sleepers. */
	_Atomic uint32_t flags;
	uint8_t pad0[52];
	_Atomic uint32_t sleepers;
	_Atomic uint32_t seq;
	uint8_t pad1[56];
};

_Static_assert(sizeof(struct sync_words) == 128, "two lines");
_Static_assert(offsetof(struct sync_words, sleepers) == 64, "the words have their own line");

/*
 * Channel memfd: one header page, then two data areas of ring_len bytes each. Ring 0 carries
 * messages from server to client, ring 1 from client to server. Each end maps a data area twice in
 * a row, so that a message never wraps. Positions are uint64 byte counts since the channel began,
 * which do not wrap in practice, and are multiples of 8.
 *
 * A message is an 8-byte header followed by the payload, padded to 8 bytes. The header's fields
 * from the low bits: 32 bits length + 1; 29 bits message kind; 3 bits further padding in units of 8
 * bytes, by which the producer may start the next message on a new cache line. The producer clears
 * the header word of the next message and then stores this message's header with release order. The
 * consumer polls only that word, so a short message costs one cache line.
 */
#define CHANNEL_MAGIC      0x43485231u /* "CHR1" */
#define CHANNEL_LAYOUT     1u
#define CHANNEL_HEADER_LEN 4096u
#define CHANNEL_MSG_HEADER 8u
#define CHANNEL_KIND_MASK  0x1fffffffu
#define CHANNEL_PAD_SHIFT  61

/*
 * Bits of the sleep words. SLEEPING: the owner is about to sleep; the other end swaps the bit out
 * and notifies the owner. FENCE: the owner may not call membarrier, so the other end must execute a
 * fence after each message. proto/ring.h describes their use.
 */
#define CHANNEL_SLEEPING 1u
#define CHANNEL_FENCE    2u

struct channel_ring_ctl {
	/* Written by the consumer with each message; read by a producer that is out of room. */
	_Atomic uint64_t consumed_pos;  /* bytes */
	_Atomic uint64_t consumed_msgs; /* messages */
	uint8_t pad0[48];
	/*
	 * Each end reads this line with every message; it is written around sleep only, so it stays
	 * shared.
	 */
	_Atomic uint32_t armed;       /* owned by the consumer, which sleeps for a message */
	_Atomic uint32_t space_armed; /* owned by the producer, which sleeps for room */
	/* Owned by the producer; 1: no message follows those in the ring. */
	_Atomic uint32_t closed;
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
 * Slots of a consumer: a memfd that the consumer's library creates and that the peer maps, whose
 * producers send to the consumer. Its parts are one header page; n_slots receive descriptors, which
 * the consumer writes; n_slots slots and as many bodies of body_stride bytes, which producers
 * write; and a bounce area for payloads with no other path. Each part begins on a multiple of 4096
 * bytes. A slot has room for a short message, and slots have no gaps between them, so a stream of
 * short messages transfers few, consecutive cache lines to the other core.
 *
 * The i-th receive that is posted (from 0) uses descriptor and slot i mod n_slots. Producers may
 * use receives below `posted`. They load that word only when they have used all that they saw, and
 * the consumer may update it late while many receives are free. A descriptor is written only if it
 * changes, so no line of it moves if buffers return to the same slot in each lap. A slot's
 * sequence, the low half of i + 1, is stored last with release order and tells the consumer that
 * the message is complete.
 *
 * A producer owns slot i once it has moved `claim` from i to i + 1. A consumer that stops sets
 * SLOTS_CLOSED in `claim`, so that both sides agree on which receives still get a message. A single
 * producer moves `claim` without a locked instruction, so it may overwrite SLOTS_CLOSED. Therefore
 * the consumer first sets `closed`, then fences all processors (proto/barrier.h), and then sets
 * SLOTS_CLOSED. A producer that finds `closed` set after its claim cannot know whether the consumer
 * saw the claim. It completes the slot as SLOTS_SKIP and touches no buffer. Slots that are posted
 * and not claimed may contain anything, because a single producer stores into them ahead.
 */
#define SLOTS_MAGIC      0x534c5431u /* "SLT1" */
#define SLOTS_LAYOUT     3u
#define SLOTS_ALIGN      4096u
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
	_Atomic uint64_t claim; /* next slot to be filled; advanced by producers */
	uint8_t pad1[56];
	_Atomic uint32_t armed;  /* CHANNEL_SLEEPING and CHANNEL_FENCE of the consumer */
	_Atomic uint32_t closed; /* not 0: the consumer accepts no more claims */
	uint8_t pad2[56];
	/*
	 * Written by the consumer after it copied a message out of the bounce area: the bounce
	 * space of slots below this number is free.
	 */
	_Atomic uint64_t consumed;
	uint8_t pad3[56];
	_Atomic uint64_t posted; /* receives posted so far; written by the consumer */
	uint8_t pad4[56];
};

struct slots_desc {
	_Atomic uint64_t addr; /* in the consumer's address space */
	_Atomic uint64_t room; /* bytes */
};

enum slots_kind {
	SLOTS_INLINE = 1, /* the payload follows the immediate data */
	SLOTS_PLACED = 2, /* the payload is in the consumer's buffer already */
	SLOTS_BOUNCE = 3, /* its 8-byte offset in the bounce area follows the immediate data */
	/* No message, because it could not be written; the receive is posted again. */
	SLOTS_SKIP = 4,
	SLOTS_SHORT = 5, /* like SLOTS_INLINE, but in the slot itself instead of its body */
};

/*
 * The body, or the slot's own bytes, hold the immediate data, padded to 8 bytes, followed by what
 * the kind says.
 */
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
