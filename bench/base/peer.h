/*
 * The other process. It is forked before the first call of the library, belongs to the other side,
 * sits on the second core and sleeps in a read unless it was asked for something. Requests and
 * answers go over a socket pair; what spins does so on words in shared memory. If it ends early, so
 * does this process, with a message.
 *
 * Threads: the main thread of each process.
 */
#ifndef BENCH_BASE_PEER_H
#define BENCH_BASE_PEER_H

#include <stdatomic.h>
#include <stdint.h>

#include "bench/base/raw_ring.h"
#include "bench/bench.h"

#define PEER_BLOB_MAX 512u

enum peer_op {
	PEER_OK,
	PEER_CANARY, /* bounce until told to stop */
	PEER_EXPORT, /* kind, len: memory in blob, address in a, len of blob in n */
	PEER_UNEXPORT,
	PEER_RING_ECHO,     /* size, n, kind: in place */
	PEER_RING_SINK,     /* size, n */
	PEER_COMCH_OPEN,    /* n connections, size: largest message, queue, depth: tasks */
	PEER_COMCH_CONNECT, /* progress until they stand */
	PEER_COMCH_ECHO,    /* size, n; on the first connection */
	PEER_COMCH_SINK,    /* size, n */
	PEER_COMCH_CLOSE,
	PEER_SYNC_OPEN, /* kind: with tasks; descriptor in blob */
	PEER_SYNC_RUN,  /* n round trips, kind: enum sync_way, depth: raw, addr: the counter */
	PEER_SYNC_CLOSE,
	PEER_CROWD_OPEN,    /* kind: 0 or 1, which; n clients, pid */
	PEER_CROWD_CONNECT, /* kind */
	PEER_CROWD_RUN,     /* kind, n */
	PEER_CROWD_IDLE,    /* kind, n */
	PEER_CROWD_CLOSE,   /* kind */
	PEER_FAST_OPEN,     /* kind of memory, size, n receives, depth: tasks; on the open comch */
	PEER_FAST_READY, /* progress until both consumers stand; addr, pid: the receives' memory */
	PEER_FAST_ECHO,  /* n */
	PEER_FAST_SINK,  /* n */
	PEER_FAST_CLOSE,
	PEER_RDMA_LOOK, /* blob: why verbs cannot be measured there, a string; "": it can */
	PEER_RDMA_OPEN, /* kind: bit 0 verbs, bit 1 shared; size, depth, blob; addr, pid: inbox */
	PEER_RDMA_OPEN_RAW,    /* size, depth, blob: on the same device */
	PEER_RDMA_RUN,         /* kind: enum rdma_way, depth: raw, n: round trips */
	PEER_RDMA_ACKNOWLEDGE, /* n stores */
	PEER_RDMA_CLOSE,
};

struct peer_msg {
	uint32_t op;
	uint32_t kind;
	uint64_t n, size, depth, queue, addr;
	uint32_t blob_len;
	int32_t pid;
	uint8_t blob[PEER_BLOB_MAX];
};

/* In memory that both map. Each word has its line, each ring its pages. */
struct peer_shared {
	_Alignas(64) _Atomic uint64_t ball;
	_Alignas(64) _Atomic uint32_t word;    /* of the raw futex */
	_Alignas(64) _Atomic uint64_t n_ready; /* requests that the peer stands ready for */
	_Alignas(64) _Atomic uint64_t n_done;  /* and has finished */
	struct raw_ring_memory there;
	struct raw_ring_memory back;
};

struct peer {
	struct peer_shared *shared;
	uint64_t n_asked;
	int sock;
	int pid;
	int bells[2]; /* raw eventfds: ours, the other's */
};

/* Before anything else: the child's environment names the other side's socket. */
void peer_start(struct peer *peer, enum bench_side side, const char *socket_path);
void peer_end(struct peer *peer);

/* Sends a request and waits for the answer. */
void peer_call(struct peer *peer, struct peer_msg *msg);
/* Sends a request that the peer spins for, and waits until it does. */
void peer_engage(struct peer *peer, const struct peer_msg *msg);
/* Spins until the peer has done what it was engaged for. */
void peer_wait_done(const struct peer *peer);
/* The two halves of peer_call, for a caller with something to do between. */
void peer_send(struct peer *peer, const struct peer_msg *msg);
bool peer_poll_answer(struct peer *peer, struct peer_msg *msg_out);

/* One way of an atomic ping-pong, in ns, measured over some duration_ns. */
double peer_canary(struct peer *peer, uint64_t duration_ns);

#endif
