/*
 * The other process. It is forked before the first call of the library, belongs to the other side,
 * is pinned to the second core, and sleeps in a read between requests. Requests and answers use a
 * socket pair; spinning loops use words in shared memory. If it ends early, this process ends with
 * a message.
 *
 * Threads: the main thread of each process.
 */
#ifndef BENCH_BASE_PEER_H
#define BENCH_BASE_PEER_H

#include <stdatomic.h>
#include <stdint.h>

#include "bench/base/raw_ring.h"
#include "bench/bench.h"

#define PEER_PAYLOAD_MAX 512u

enum peer_op {
	PEER_OK,
	PEER_CANARY, /* ping-pong until n_done */
	/*
	 * Kind, len; the answer has the descriptor of the memory as payload, its address in a, the
	 * length in n.
	 */
	PEER_EXPORT,
	PEER_UNEXPORT,
	PEER_RING_ECHO,     /* size, n, kind: in place */
	PEER_RING_SINK,     /* size, n */
	PEER_COMCH_OPEN,    /* n connections, size: largest message, queue, depth: tasks */
	PEER_COMCH_CONNECT, /* progress until connections are established */
	PEER_COMCH_ECHO,    /* size, n; on the first connection */
	PEER_COMCH_SINK,    /* size, n */
	PEER_COMCH_CLOSE,
	PEER_SYNC_OPEN, /* kind: with tasks; payload: the descriptor */
	/* n round trips, kind: enum sync_wait_mode, depth: raw, addr: value of the counter. */
	PEER_SYNC_RUN,
	PEER_SYNC_CLOSE,
	PEER_CLIENTS_OPEN,    /* kind: which group, 0 or 1; n clients, pid */
	PEER_CLIENTS_CONNECT, /* kind */
	PEER_CLIENTS_RUN,     /* kind, n */
	PEER_CLIENTS_IDLE,    /* kind, n */
	PEER_CLIENTS_CLOSE,   /* kind */
	PEER_FAST_OPEN,  /* kind of memory, size, n receives, depth: tasks; on the open comch */
	PEER_FAST_READY, /* progress until both consumers exist; addr, pid: the receives' memory */
	PEER_FAST_ECHO,  /* n */
	PEER_FAST_SINK,  /* n */
	PEER_FAST_CLOSE,
	PEER_RDMA_CHECK, /* payload: text why verbs cannot be measured there; "": they can */
	PEER_RDMA_OPEN,  /* kind: bit 0 verbs, bit 1 shared; size, depth, payload; addr, pid: inbox
			  */
	PEER_RDMA_OPEN_RAW,    /* size, depth, payload: on the same device */
	PEER_RDMA_RUN,         /* kind: enum rdma_pattern, depth: raw, n: round trips */
	PEER_RDMA_ACKNOWLEDGE, /* n stores */
	PEER_RDMA_CLOSE,
};

struct peer_msg {
	uint32_t op;
	uint32_t kind;
	uint64_t n, size, depth, queue, addr;
	uint32_t payload_len;
	int32_t pid;
	uint8_t payload[PEER_PAYLOAD_MAX];
};

/* Memory that both processes map. Each word has its own cache line, each ring its own pages. */
struct peer_shared {
	_Alignas(64) _Atomic uint64_t ball;
	_Alignas(64) _Atomic uint32_t word;    /* of the raw futex */
	_Alignas(64) _Atomic uint64_t n_ready; /* number of requests for which the peer is ready */
	_Alignas(64) _Atomic uint64_t n_done;  /* number of requests that it has finished */
	struct raw_ring_memory there;
	struct raw_ring_memory back;
};

struct peer {
	struct peer_shared *shared;
	uint64_t n_asked;
	int sock;
	int pid;
	int bells[2]; /* eventfds of the raw reference: this process's, the other's */
};

/* Call first: the child's environment must name the other side's socket. */
void peer_start(struct peer *peer, enum bench_side side, const char *socket_path);
void peer_end(struct peer *peer);

/* Sends a request and waits for the answer. */
void peer_call(struct peer *peer, struct peer_msg *msg);
/* Sends a request for which the peer spins, and waits until it spins. */
void peer_engage(struct peer *peer, const struct peer_msg *msg);
/* Spins until the peer has finished the request. */
void peer_wait_done(const struct peer *peer);
/* The two halves of peer_call(), for a caller that works in between. */
void peer_send(struct peer *peer, const struct peer_msg *msg);
bool peer_poll_answer(struct peer *peer, struct peer_msg *msg_out);

/* One-way time in ns of an atomic ping-pong, measured over about duration_ns. */
double peer_canary(struct peer *peer, uint64_t duration_ns);

#endif
