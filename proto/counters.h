/*
 * Counters of a client's objects, in memory that its library writes and its daemon reads. The
 * memory is a memfd that is sealed so that it cannot shrink and that only the process that mapped
 * it first can write; it grows by whole pages. It consists of places of COUNTERS_SLOT_LEN bytes.
 * The first place is the header; each other place belongs to one object or is free.
 *
 * Exactly one thread writes each cache line. The thread of the object's progress engine writes
 * `line` and `latency` with relaxed stores; control calls write the rest under a lock of the
 * library. The reader loads each value once and expects any value. Static asserts pin sizes and
 * offsets; a change of any of them requires a new COUNTERS_LAYOUT.
 */
#ifndef PROTO_COUNTERS_H
#define PROTO_COUNTERS_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#define COUNTERS_MAGIC     0x31544e43u /* "CNT1" */
#define COUNTERS_LAYOUT    1u
#define COUNTERS_SLOT_LEN  512u
#define COUNTERS_MIN_LEN   16384u
#define COUNTERS_MAX_LEN   1048576u
#define COUNTERS_N_BUCKETS 32u

enum counters_kind {
	COUNTERS_FREE = 0,
	COUNTERS_PE = 1,
	COUNTERS_OTHER = 2, /* a context whose kind has no number */
	COUNTERS_DMA = 3,
	COUNTERS_SHA = 4,
	COUNTERS_SYNC_EVENT = 5,
	COUNTERS_COMCH_SERVER = 6, /* object: the service */
	COUNTERS_COMCH_CLIENT = 7, /* object: the channel */
	COUNTERS_CHANNEL = 8,      /* object: the channel */
	COUNTERS_PRODUCER = 9,     /* object: the channel; number: the producer's */
	COUNTERS_CONSUMER = 10,    /* object: the channel; number: the consumer's */
	COUNTERS_GRAPH = 11,
	COUNTERS_RDMA = 12,
	COUNTERS_COMPRESS = 13,
	COUNTERS_EC = 14,
	COUNTERS_AES_GCM = 15,
	COUNTERS_N_KINDS
};

/* Counters that the data path writes. */
struct counters_line {
	union {
		_Atomic uint64_t submitted; /* tasks; for a channel: messages sent */
		_Atomic uint64_t busy;      /* PE: progress calls that found work */
	};
	union {
		/* Tasks whose callback has run, including failed ones. */
		_Atomic uint64_t completed;
		_Atomic uint64_t empty; /* PE: progress calls that found no work */
	};
	union {
		_Atomic uint64_t bytes;  /* moved by successful tasks; for a channel: bytes sent */
		_Atomic uint64_t sleeps; /* PE: notification requests that found no work */
	};
	union {
		_Atomic uint64_t errors; /* among completed */
		_Atomic uint64_t wakes;  /* PE: notifications that were cleared */
	};
	/* Tasks or messages that had to wait for a full queue or a condition. */
	_Atomic uint64_t waits;
	_Atomic uint64_t received;       /* messages */
	_Atomic uint64_t received_bytes; /* bytes of the received messages */
	_Atomic uint64_t max_depth;      /* highest sampled number of tasks in flight */
};

struct counters_header {
	uint32_t magic;
	uint32_t layout;
	_Atomic uint32_t n_slots; /* including the header; no place beyond was used yet */
	uint32_t reserved;
	_Atomic uint64_t serial; /* number of objects created so far */
	uint8_t pad[40];
	/* Sums over objects that have ended: progress engines, then all others. */
	struct counters_line ended_pes;
	struct counters_line ended;
	uint8_t rest[COUNTERS_SLOT_LEN - 192];
};

struct counters_slot {
	_Atomic uint32_t kind;  /* enum counters_kind, stored last */
	_Atomic uint32_t pe;    /* place of its progress engine, 0: none */
	_Atomic uint32_t state; /* enum doca_ctx_states, of a context */
	uint32_t reserved;
	/* The object's serial number; distinguishes it from earlier owners of the place. */
	_Atomic uint64_t serial;
	_Atomic uint64_t object;    /* the object's id at the daemon, 0: none */
	_Atomic uint64_t number;    /* its id within that object */
	_Atomic uint64_t device[3]; /* name, zero padded */
	struct counters_line line;
	/*
	 * Histogram of the timed tasks, from submission to callback. [i] counts durations below
	 * counters_bucket_ns(i) ns that are not below counters_bucket_ns(i - 1) ns. The last bucket
	 * has no upper bound.
	 */
	_Atomic uint64_t latency[COUNTERS_N_BUCKETS];
	uint8_t rest[COUNTERS_SLOT_LEN - 384];
};

_Static_assert(sizeof(struct counters_line) == 64, "a cache line");
_Static_assert(sizeof(struct counters_header) == COUNTERS_SLOT_LEN, "the first place");
_Static_assert(sizeof(struct counters_slot) == COUNTERS_SLOT_LEN, "a place");
_Static_assert(offsetof(struct counters_header, n_slots) == 8, "layout");
_Static_assert(offsetof(struct counters_header, ended_pes) == 64, "layout");
_Static_assert(offsetof(struct counters_header, ended) == 128, "layout");
_Static_assert(offsetof(struct counters_slot, object) == 24, "layout");
_Static_assert(offsetof(struct counters_slot, device) == 40, "layout");
_Static_assert(offsetof(struct counters_slot, line) == 64, "a line of its own");
_Static_assert(offsetof(struct counters_slot, latency) == 128, "lines of their own");
_Static_assert(COUNTERS_MAX_LEN % COUNTERS_MIN_LEN == 0, "it grows by doubling");

#define COUNTERS_BUCKET_SHIFT 6 /* durations below 64 ns share one bucket */

static inline uint64_t counters_bucket_ns(unsigned bucket)
{
	return 1ull << (bucket + COUNTERS_BUCKET_SHIFT);
}

static inline unsigned counters_bucket(uint64_t ns)
{
	unsigned bits = ns == 0 ? 0 : 64u - (unsigned)__builtin_clzll(ns);

	if (bits <= COUNTERS_BUCKET_SHIFT)
		return 0;
	bits -= COUNTERS_BUCKET_SHIFT;
	return bits < COUNTERS_N_BUCKETS ? bits : COUNTERS_N_BUCKETS - 1;
}

static inline uint64_t counters_get(const _Atomic uint64_t *counter)
{
	return atomic_load_explicit(counter, memory_order_relaxed);
}

static inline void counters_set(_Atomic uint64_t *counter, uint64_t value)
{
	atomic_store_explicit(counter, value, memory_order_relaxed);
}

/* Adds n and returns the new value. Call only on the one thread that writes the counter. */
static inline uint64_t counters_raise(_Atomic uint64_t *counter, uint64_t n)
{
	uint64_t value = counters_get(counter) + n;

	counters_set(counter, value);
	return value;
}

/* Like counters_raise(), without the new value. */
static inline void counters_add(_Atomic uint64_t *counter, uint64_t n)
{
#if defined(__x86_64__)
	/*
	 * One store, not torn and not locked, like the C version, which compilers turn into three
	 * instructions.
	 */
	__asm__("addq %1, %0" : "+m"(*(uint64_t *)counter) : "er"(n) : "cc");
#else
	counters_raise(counter, n);
#endif
}

#endif
