/*
 * The other process of a row. It is forked before the first call of the library, belongs to the
 * other side, is pinned to the second core, and sleeps in a read between loops. Requests use a
 * socket pair; spinning loops use words in shared memory. If it ends early, this process ends with
 * a message.
 *
 * Threads: the main thread of each process.
 */
#ifndef BENCH_BASE_PEER_H
#define BENCH_BASE_PEER_H

#include <stdatomic.h>
#include <sys/types.h>

#include "bench/bench.h"

#define PEER_PAYLOAD_MAX 1024u
#define PEER_CORE        1u

/* Which loop the other process runs. */
enum peer_loop { PEER_OURS, PEER_REFERENCE, PEER_CANARY };

/* Memory that all processes of a row map. Each word has its own cache line. */
struct peer_shared {
	_Alignas(64) _Atomic uint64_t ball;
	_Alignas(64) _Atomic uint32_t word;       /* of the raw futex */
	_Alignas(64) _Atomic uint64_t n_ready;    /* loops that the peer began */
	_Alignas(64) _Atomic uint64_t n_done;     /* loops that it has finished */
	_Alignas(64) _Atomic uint64_t n_meets[2]; /* peer_meet() calls whose condition is true */
	struct raw_ring_memory there;
	struct raw_ring_memory back;
};

struct peer {
	struct peer_shared *shared;
	uint64_t n_asked, n_meets;
	int sock;
	pid_t pid;
	int eventfds[2]; /* eventfds of the raw reference: this process's, the other's */
	pid_t *others;   /* further processes that end with the row */
	size_t n_others;
};

/* Returns zeroed memory that this process shares with those that it forks. */
void *peer_memory_new(size_t len);
/*
 * Forks the other process, in which serve(b) runs with b->is_peer set. b->peer must point to a
 * struct peer. Call first: the child's environment must name the other side's socket.
 */
void peer_start(struct bench *b, const char *socket_path, void (*serve)(struct bench *b));
/* Ends the other processes and waits for them, so that they do not disturb the next row. */
void peer_end(struct peer *peer);
/* Runs the loops that the measuring process requests, until it ends. */
void peer_serve(struct bench *b);

/* Sends a packet to the other process, or waits for one and returns its length. */
void peer_put(struct bench *b, const void *data, size_t len);
size_t peer_get(struct bench *b, void *data, size_t size);
/* Does both. Each process calls it, so it is a barrier, too. */
size_t peer_swap(struct bench *b, const void *mine, size_t len, void *other, size_t size);
/*
 * Calls poll() until it has returned true in both processes, at most for limit_s seconds. Then ends
 * the process with the message that `what` did not happen.
 */
void peer_meet(struct bench *b, bool (*poll)(struct bench *b), unsigned limit_s, const char *what);

/* Requests a loop of n operations and waits until the other process runs it. */
void peer_engage(struct peer *peer, enum peer_loop loop, uint64_t n);
/* Spins until the other process has finished the loop. */
void peer_wait_done(const struct peer *peer);
/* One-way time in ns of an atomic ping-pong, measured over about duration_ns. */
double peer_canary(struct peer *peer, uint64_t duration_ns);

/* Ends this process with a message if a forked process ends. */
void peer_watch_children(void);

#endif
